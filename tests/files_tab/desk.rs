//! The whole workbench with Files in front: a real store in memory, a made-up disk, and a server whose answers the test
//! makes up.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use benchtop::api::call::{Call, Downloaded, Failure, FailureKind, Progress, Reply, Ticket};
use benchtop::api::file::File;
use benchtop::api::job::{Dialect, Job, JobFile, JobStatus};
use benchtop::app::{App, Event, Order, Profile, Start};
use benchtop::record::files::{Entry, EntryKind, Folder, Mark, Place, Window};
use benchtop::record::training::{Mapping, Problem, ProblemKind, Report, RowForm, Source};
use benchtop::record::work::{Done, Work};
use benchtop::record::{Query, Record, Rows, Stored};
use benchtop::settings::ProfileId;
use benchtop::store::Store;
use benchtop::tabs::{self, Session};
use benchtop::tokens::Tariff;
use benchtop::ui::theme::{Depth, Kind, Theme};
use crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

/// How fast a person types: keys that come faster are a paste.
const APART: Duration = Duration::from_millis(50);
const LIMIT: Duration = Duration::from_secs(20);
/// Noon of a day in 2023, UTC: the same day nearly everywhere.
pub const NOW: i64 = 1_699_963_200_000;
pub const HERE: &str = "/home/you/data";
pub const DAY: i64 = 86_400;

/// A store that several desks may share, as several starts do.
pub struct Disk {
    store: Store,
    answers: Receiver<(Ticket, Stored)>,
}

impl Disk {
    pub fn new() -> Rc<Self> {
        let (send, answers) = channel();
        let store = Store::memory(move |ticket, stored| send.send((ticket, stored)).unwrap_or_default());
        Rc::new(Self { store, answers })
    }

    fn answer(&self) -> Stored {
        self.answers.recv_timeout(LIMIT).expect("the store answers").1
    }

    fn record(&self, record: Record) -> Stored {
        self.store.record(Ticket(1), record);
        self.answer()
    }

    fn load(&self, query: Query) -> Rows {
        self.store.load(Ticket(1), query);
        match self.answer() {
            Stored::Rows(rows) => rows,
            other => panic!("{other:?}"),
        }
    }

    pub fn setting(&self, name: &str) -> Option<String> {
        let Rows::Setting(_, value) = self.load(Query::Setting(name.into())) else { panic!() };
        value.map(|value| value.raw().to_owned())
    }
}

pub struct Desk {
    pub app: App,
    pub disk: Rc<Disk>,
    pub size: (u16, u16),
    pub now: Instant,
    pub unix_ms: i64,
    /// Local folders by their paths.
    pub folders: BTreeMap<String, Vec<Entry>>,
    /// What a check of a file of this name finds; others are sound.
    pub reports: BTreeMap<String, Report>,
    /// First byte of the hash of a local file of this name; of others 1.
    pub hashes: BTreeMap<String, u8>,
    /// What Tab completes to.
    pub paths: Vec<String>,
    /// Checks and hashes wait for [`Desk::release`].
    pub holds: bool,
    waiting: Vec<(Ticket, Work)>,
    /// Folders wait for [`Desk::let_go`].
    pub slow: bool,
    /// The store answers questions for settings with a failure.
    fails: bool,
    /// All that was ordered.
    pub orders: Vec<Order>,
    seen: usize,
}

pub fn entry(name: &str, bytes: u64, days: i64) -> Entry {
    Entry { name: name.into(), kind: EntryKind::File, link: false, bytes, modified_ms: Some(NOW - days * DAY * 1_000) }
}

pub fn folder(name: &str) -> Entry {
    Entry { kind: EntryKind::Folder, ..entry(name, 0, 30) }
}

pub fn file(id: &str, name: &str, bytes: u64, purpose: &str, days: i64, status: &str) -> File {
    File {
        id: format!("file-{id}"),
        object: "file".to_owned(),
        bytes,
        created_at: NOW / 1_000 - days * DAY,
        filename: name.to_owned(),
        purpose: purpose.to_owned(),
        status: Some(status.to_owned()),
        status_details: None,
    }
}

/// Files as a server may have them.
pub fn files() -> Vec<File> {
    let mut all = vec![
        file("train", "train-v3.jsonl", 214_000_000, "fine-tune", 8, "processed"),
        file("valid", "valid-v3.jsonl", 18_000_000, "fine-tune", 8, "processed"),
        file("result", "results-ft-8Qk.csv", 92_000, "fine-tune-results", 9, "processed"),
        file("bad", "bad-lines.jsonl", 2_100_000, "fine-tune", 20, "error"),
        file("new", "fresh.jsonl", 3_300, "fine-tune", 7, "uploaded"),
        file("odd", "notes \u{1b}[2J.txt", 4_000, "assistants", 200, "processed"),
    ];
    all[3].status_details = Some("Invalid file format. Example 1273 cannot be parsed.".to_owned());
    all
}

pub fn job(id: &str, status: JobStatus, training: &str) -> Job {
    let of = |id: &str| vec![JobFile { id: format!("file-{id}"), ..JobFile::default() }];
    Job {
        id: id.to_owned(),
        status,
        created_at: 1,
        training_files: of(training),
        validation_files: of("valid"),
        result_files: of("result"),
        ..Job::default()
    }
}

pub fn failure(kind: FailureKind, words: &str) -> Failure {
    Failure::new(kind, words)
}

pub fn not_found() -> Failure {
    Failure { status: Some(404), ..Failure::new(FailureKind::Refused, "there is no such file") }
}

/// A report with problems.
pub fn problems() -> Report {
    let problem = |line, kind, words: &str| Problem { line, column: 1, at: None, kind, words: words.into() };
    Report {
        rows: 48_210,
        valid: 48_207,
        form: Some(RowForm::Pairs),
        problems: vec![
            problem(12_044, ProblemKind::NotJson, "not JSON: trailing comma (column 211)"),
            problem(30_118, ProblemKind::MissingKey, "no prompt"),
        ],
        counts: vec![(ProblemKind::NotJson, 2), (ProblemKind::MissingKey, 1)],
        encoding: "UTF-8",
        ..Report::default()
    }
}

impl Desk {
    /// Files in front, a folder and a server with files in it.
    pub fn new() -> Self {
        let mut desk = Self::blank(&Disk::new());
        desk.list(files());
        desk.jobs(vec![
            job("ft-8QkAbCdEfGhIjKl", JobStatus::Running, "train"),
            job("ft-7RtAbCdEfGhIjKl", JobStatus::Succeeded, "valid"),
        ]);
        desk.news();
        desk
    }

    /// Files in front; the server has not answered yet.
    pub fn blank(disk: &Rc<Disk>) -> Self {
        Self::with(disk, false)
    }

    /// The same, where nothing that was kept can be read.
    pub fn unreadable() -> Self {
        Self::with(&Disk::new(), true)
    }

    fn with(disk: &Rc<Disk>, fails: bool) -> Self {
        let profile = |name: &str| Profile {
            id: ProfileId(name.into()),
            name: name.into(),
            tariff: Tariff::new("https://api.openai.com/v1", &[], &[]),
            ..Profile::default()
        };
        let session = Session {
            profile: ProfileId("work".into()),
            profile_name: "work".into(),
            model: "davinci".into(),
            profiles: vec![(ProfileId("work".into()), "work".into()), (ProfileId("home".into()), "home".into())],
            ..Session::default()
        };
        let start = Start {
            tabs: tabs::all(),
            theme: Theme::of(Kind::Mono, Depth::Indexed),
            depth: Depth::Indexed,
            session,
            profiles: vec![profile("work"), profile("home")],
            mouse: true,
            warnings: Vec::new(),
        };
        let mut folders = BTreeMap::new();
        let here = vec![
            folder("archive"),
            entry("train.jsonl", 214_000_000, 10),
            entry("small.jsonl", 3_300, 11),
            entry("notes.txt", 812, 40),
            entry("raw \u{202e}.csv", 92_000, 300),
            entry(".hidden", 12, 3),
            Entry { kind: EntryKind::Other, ..entry("pipe", 0, 9) },
        ];
        folders.insert(HERE.to_owned(), here);
        folders.insert("/home/you".to_owned(), vec![folder("data"), entry("a.txt", 1, 12)]);
        folders.insert(format!("{HERE}/archive"), vec![entry("old.jsonl", 5, 400)]);
        folders.insert("/empty".to_owned(), Vec::new());
        let now = Instant::now();
        let mut desk = Self {
            app: App::new(start, now, NOW),
            disk: Rc::clone(disk),
            size: (120, 36),
            now,
            unix_ms: NOW,
            folders,
            reports: BTreeMap::new(),
            hashes: BTreeMap::new(),
            paths: Vec::new(),
            holds: false,
            waiting: Vec::new(),
            slow: false,
            fails,
            orders: Vec::new(),
            seen: 0,
        };
        desk.event(Event::Started);
        desk.key(KeyCode::Char('5'), KeyModifiers::ALT);
        desk
    }

    pub fn event(&mut self, event: Event) {
        // A frame before each: what is on the screen decides what some keys do.
        self.screen();
        self.pass(APART);
        let orders = self.app.update(event, self.now, self.unix_ms);
        self.take(orders);
    }

    fn pass(&mut self, time: Duration) {
        self.now += time;
        self.unix_ms += time.as_millis() as i64;
    }

    /// Presses keys: `^x` is Ctrl+x, `\n` Enter, `\t` Tab, `\u{1b}` Esc, `←↑→↓` the arrows.
    pub fn press(&mut self, keys: &str) {
        let mut keys = keys.chars();
        while let Some(key) = keys.next() {
            match key {
                '^' => self.key(KeyCode::Char(keys.next().unwrap()), KeyModifiers::CONTROL),
                '\n' => self.code(KeyCode::Enter),
                '\t' => self.code(KeyCode::Tab),
                '\u{1b}' => self.code(KeyCode::Esc),
                '←' => self.code(KeyCode::Left),
                '↑' => self.code(KeyCode::Up),
                '→' => self.code(KeyCode::Right),
                '↓' => self.code(KeyCode::Down),
                key => self.code(KeyCode::Char(key)),
            }
        }
    }

    pub fn code(&mut self, code: KeyCode) {
        self.key(code, KeyModifiers::NONE);
    }

    pub fn key(&mut self, code: KeyCode, modifiers: KeyModifiers) {
        self.event(Event::Input(Input::Key(KeyEvent::new(code, modifiers))));
    }

    pub fn paste(&mut self, text: &str) {
        self.event(Event::Input(Input::Paste(text.to_owned())));
        // For a while Enter belongs to the paste.
        self.pass(Duration::from_millis(200));
    }

    /// Time passes, and what is due is done.
    pub fn wait(&mut self, time: Duration) {
        let end = self.now + time;
        for _ in 0..10_000 {
            let Some(due) = self.app.due().filter(|due| *due <= end) else { break };
            self.pass(due.saturating_duration_since(self.now).max(Duration::from_millis(1)));
            let orders = self.app.tick(self.now, self.unix_ms);
            self.take(orders);
        }
        self.pass(end.saturating_duration_since(self.now));
    }

    fn take(&mut self, orders: Vec<Order>) {
        for order in orders {
            self.orders.push(order.clone());
            let event = match order {
                Order::Record(ticket, record) => Event::Stored(ticket, self.disk.record(record)),
                Order::Load(ticket, Query::Setting(name)) if self.fails && name.starts_with("files.") => {
                    Event::Stored(ticket, Stored::Failed("the disk is broken".into()))
                }
                Order::Load(ticket, query) => Event::Stored(ticket, Stored::Rows(self.disk.load(query))),
                Order::Work(ticket, work) => {
                    let slow = self.slow && matches!(work, Work::Folder { .. });
                    if slow || self.holds && matches!(work, Work::Check(_) | Work::Hash { .. }) {
                        self.waiting.push((ticket, work));
                        continue;
                    }
                    Event::Worked(ticket, self.done(&work))
                }
                Order::Cancel(ticket) => {
                    self.waiting.retain(|(other, _)| *other != ticket);
                    continue;
                }
                _ => continue,
            };
            let next = self.app.update(event, self.now, self.unix_ms);
            self.take(next);
        }
    }

    fn done(&self, work: &Work) -> Done {
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        match work {
            Work::Folder { path } => {
                let path = match path.as_str() {
                    "" => HERE.to_owned(),
                    "~" => "/home/you".to_owned(),
                    path => path.trim_end_matches('/').to_owned(),
                };
                match self.folders.get(&path) {
                    Some(entries) => Done::Folder(Folder { path: path.into(), entries: entries.clone(), cut: None }),
                    None => Done::Failed("there is no such folder; check the path".into()),
                }
            }
            Work::Paths(_) => Done::Paths(self.paths.iter().map(|path| path.as_str().into()).collect()),
            Work::Hash { path } => Done::Hashed([self.hashes.get(&name(path)).copied().unwrap_or(1); 32], 1),
            Work::Check(check) => Done::Checked(Box::new(match self.reports.get(&name(&check.path)) {
                Some(report) => mapped(report.clone(), &check.mappings),
                None => {
                    Report { rows: 500, valid: 500, form: Some(RowForm::Pairs), encoding: "UTF-8", ..Report::default() }
                }
            })),
            Work::Look(look) => Done::Window(Box::new(window(&look.place))),
            Work::Highlight { .. } => Done::Highlighted(Vec::new()),
            Work::Tokenize { .. } => Done::Tokens(None),
            Work::Spell { .. } => Done::Spelled(None),
            Work::Count { texts, .. } => Done::Counted(false, vec![1; texts.len()]),
            Work::Save { path, .. } | Work::Export { path, .. } => Done::Saved(path.as_str().into()),
            _ => Done::Failed("there is no such work here".into()),
        }
    }

    /// What waits goes on a little.
    pub fn move_work(&mut self, done: u64, total: u64) {
        for (ticket, _) in self.waiting.clone() {
            self.event(Event::Worked(ticket, Done::Moved { done, total }));
        }
    }

    /// The folders come.
    pub fn let_go(&mut self) {
        self.slow = false;
        self.release();
    }

    /// What waited is done.
    pub fn release(&mut self) {
        self.holds = false;
        for (ticket, work) in std::mem::take(&mut self.waiting) {
            let done = self.done(&work);
            self.event(Event::Worked(ticket, done));
        }
    }

    /// What was ordered since this was asked last.
    pub fn news(&mut self) -> Vec<Order> {
        let new = self.orders[self.seen..].to_vec();
        self.seen = self.orders.len();
        new
    }

    /// Calls asked for since this was asked last.
    pub fn calls(&mut self) -> Vec<(Ticket, Call)> {
        let call = |order| if let Order::Call(ticket, _, call) = order { Some((ticket, call)) } else { None };
        self.news().into_iter().filter_map(call).collect()
    }

    /// The last call that is one of these.
    #[track_caller]
    pub fn last(&self, is: impl Fn(&Call) -> bool) -> (Ticket, Call) {
        let call = |order: &Order| match order {
            Order::Call(ticket, _, call) if is(call) => Some((*ticket, call.clone())),
            _ => None,
        };
        self.orders.iter().rev().find_map(call).expect("it was called")
    }

    pub fn progress(&mut self, ticket: Ticket, progress: Progress) {
        self.event(Event::Progress(ticket, progress));
    }

    pub fn reply(&mut self, ticket: Ticket, reply: Reply) {
        self.progress(ticket, Progress::Reply(reply));
        self.progress(ticket, Progress::Closed(Ok(())));
    }

    pub fn fail(&mut self, ticket: Ticket, why: Failure) {
        self.progress(ticket, Progress::Closed(Err(why)));
    }

    /// The list comes.
    pub fn list(&mut self, files: Vec<File>) {
        let (ticket, _) = self.last(|call| *call == Call::Files);
        self.reply(ticket, Reply::Files(files));
    }

    /// The list does not come.
    pub fn unlisted(&mut self, why: Failure) {
        let (ticket, _) = self.last(|call| *call == Call::Files);
        self.fail(ticket, why);
    }

    /// The jobs come. Other tabs may ask for them, too.
    pub fn jobs(&mut self, jobs: Vec<Job>) {
        let (ticket, _) = self.last(|call| *call == Call::Jobs);
        self.reply(ticket, Reply::Jobs(Dialect::FineTunes, jobs));
    }

    /// Uploads and downloads under way, oldest first.
    pub fn transfers(&self) -> Vec<(Ticket, Call)> {
        let call = |order: &Order| match order {
            Order::Call(ticket, _, call @ (Call::Upload(_) | Call::Download(_))) => Some((*ticket, call.clone())),
            _ => None,
        };
        self.orders.iter().filter_map(call).collect()
    }

    /// An upload or download ends well.
    pub fn finish(&mut self, ticket: Ticket, call: &Call) {
        let reply = match call {
            Call::Upload(upload) => {
                let id = format!("up{}", ticket.0);
                let file = file(&id, &upload.name, 3_300, &upload.purpose, 7, "uploaded");
                Reply::Uploaded(Box::new(file), [9; 32])
            }
            Call::Download(download) => Reply::Downloaded(Downloaded {
                path: PathBuf::from(format!("{}/{}", download.folder.display(), download.name)),
                bytes: download.bytes.unwrap_or(7),
                sha256: [8; 32],
            }),
            other => panic!("{other:?}"),
        };
        self.reply(ticket, reply);
    }

    pub fn lines(&mut self) -> Vec<String> {
        let mut terminal = Terminal::new(TestBackend::new(self.size.0, self.size.1)).unwrap();
        terminal.draw(|frame| self.app.render(frame, self.now)).unwrap();
        let cells = terminal.backend().buffer().content();
        let row = |row: &[ratatui::buffer::Cell]| row.iter().map(ratatui::buffer::Cell::symbol).collect::<String>();
        cells.chunks(usize::from(self.size.0)).map(|cells| row(cells).trim_end().to_owned()).collect()
    }

    pub fn screen(&mut self) -> String {
        self.lines().join("\n")
    }

    /// The first line that holds this.
    #[track_caller]
    pub fn line(&mut self, words: &str) -> String {
        let screen = self.screen();
        let line = screen.lines().find(|line| line.contains(words));
        line.unwrap_or_else(|| panic!("{words:?} is not shown:\n{screen}")).to_owned()
    }

    #[track_caller]
    pub fn shows(&mut self, words: &str) {
        self.line(words);
    }

    #[track_caller]
    pub fn hides(&mut self, words: &str) {
        let screen = self.screen();
        assert!(!screen.contains(words), "{words:?} is shown:\n{screen}");
    }
}

/// The report of a file whose columns are taken for what was chosen before.
fn mapped(mut report: Report, mappings: &[Mapping]) -> Report {
    let columns = report.mapping.as_ref().map(|own| own.columns.clone());
    if let Some(known) = mappings.iter().find(|mapping| Some(&mapping.columns) == columns.as_ref()) {
        (report.mapping, report.guessed) = (Some(known.clone()), false);
    }
    report
}

/// Whether a report is of a file that can be trained with: for tests that make one.
pub fn csv() -> Report {
    Report { source: Source::Csv, ..problems() }
}

/// A part of a small file, the same whatever its path.
fn window(place: &Place) -> Window {
    let bytes = b"{\"prompt\":\"a ->\",\"completion\":\" b\"}\n".repeat(3);
    let total = bytes.len() as u64;
    let mark = |byte: u64| {
        let byte = byte.min(total);
        // All lines are as long as the first.
        Mark { byte, line: Some(byte * 3 / total + 1) }
    };
    let (at, end, focus) = match place {
        Place::From(from) | Place::Around(from) => (mark(*from), total, mark(*from)),
        Place::Before(end) => (Mark::START, (*end).min(total), Mark::START),
        Place::Count { to, .. } => (mark(*to), (*to).min(total), mark(*to)),
        Place::End | Place::Line { .. } | Place::Find { .. } => (Mark::START, total, Mark::START),
    };
    let bytes = bytes[at.byte as usize..end as usize].to_vec();
    Window { at, focus, bytes, begins: true, total, ..Window::default() }
}
