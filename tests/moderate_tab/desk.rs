//! The whole workbench with Moderate in front: a real store in memory that can be told to wait or to be full, and a
//! server whose answers the test makes up.

use std::rc::Rc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use benchtop::api::call::{Call, Failure, Progress, Reply, Ticket};
use benchtop::api::moderation::{Moderation, ModerationRequest, Texts};
use benchtop::app::{App, Event, Order, Profile, Start};
use benchtop::record::work::{Done, Work};
use benchtop::record::{Check, Id, Query, Record, Rows, Stored, TextKey, TextRow};
use benchtop::settings::ProfileId;
use benchtop::store::Store;
use benchtop::tabs::{self, Session};
use benchtop::tokens::Tariff;
use benchtop::ui::theme::{Depth, Kind, Theme};
use benchtop::work::Workers;
use crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::replies;

/// How fast a person types: keys that come faster are a paste.
const APART: Duration = Duration::from_millis(50);
const LIMIT: Duration = Duration::from_secs(20);
pub const MODEL: &str = "text-moderation-latest";

/// A store that several desks may share, as several copies do.
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

    pub fn record(&self, record: Record) -> Stored {
        self.store.record(Ticket(1), record);
        self.answer()
    }

    pub fn load(&self, query: Query) -> Rows {
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

    /// The bench as it is kept.
    pub fn rows(&self) -> Vec<TextRow> {
        let Some(id) = self.setting("moderate.bench") else { return Vec::new() };
        let Rows::Texts(Some((_, rows))) = self.load(Query::Texts(Id(id.parse().unwrap()))) else { panic!() };
        rows
    }

    /// The texts of the bench as they are kept.
    pub fn texts(&self) -> Vec<String> {
        self.rows().into_iter().map(|row| row.text.raw().to_owned()).collect()
    }

    /// All checks of a text, newest first.
    pub fn checks(&self, text: &str) -> Vec<Check> {
        let Rows::Checks(checks) = self.load(Query::Checks(vec![TextKey::of(&text.into())])) else { panic!() };
        checks
    }
}

/// What the store does with what it is to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    Done,
    /// They wait for [`Desk::release`].
    Waiting,
    /// Exports wait, nothing else.
    ExportsWaiting,
    Refused,
}

pub struct Desk {
    pub app: App,
    pub disk: Rc<Disk>,
    pub writes: Writes,
    pub size: (u16, u16),
    pub now: Instant,
    pub unix_ms: i64,
    /// What `Work::Read` finds.
    pub file: String,
    /// Whether files are read and written for real.
    pub files: bool,
    waiting: Vec<Order>,
    /// All that was ordered, but for what was asked of the store.
    pub orders: Vec<Order>,
    seen: usize,
}

impl Desk {
    pub fn new() -> Self {
        Self::on(&Disk::new())
    }

    /// A copy that starts on this disk.
    pub fn on(disk: &Rc<Disk>) -> Self {
        Self::at(disk, 1_700_000_000_000)
    }

    /// A copy that starts at another time: its ids differ from those of a copy before.
    pub fn at(disk: &Rc<Disk>, unix_ms: i64) -> Self {
        let mut desk = Self::knowing(disk, unix_ms, &["gpt-mini", MODEL, "text-moderation-stable"]);
        desk.models_come();
        desk
    }

    /// The same with the list of models that is known at the start.
    pub fn knowing(disk: &Rc<Disk>, unix_ms: i64, models: &[&str]) -> Self {
        Self::of(disk, unix_ms, models, "work")
    }

    /// A copy that starts with the local service's profile.
    pub fn local() -> Self {
        let mut desk = Self::of(&Disk::new(), 1_700_000_000_000, &["gpt-mini", MODEL], "local");
        desk.models_come();
        desk
    }

    fn of(disk: &Rc<Disk>, unix_ms: i64, models: &[&str], id: &str) -> Self {
        let profile = |name: &str| Profile {
            id: ProfileId(name.into()),
            name: name.into(),
            tariff: Tariff::new("https://api.openai.com/v1", &[], &[]),
            ..Profile::default()
        };
        let session = Session {
            profile: ProfileId(id.into()),
            profile_name: id.into(),
            // The list is fetched at the start where no model was ever chosen.
            model: models.first().copied().unwrap_or_default().into(),
            models: models.iter().map(|model| (*model).into()).collect(),
            ..Session::default()
        };
        let start = Start {
            tabs: tabs::all(),
            theme: Theme::of(Kind::Mono, Depth::Indexed),
            depth: Depth::Indexed,
            session,
            profiles: vec![profile(id), profile("home")],
            mouse: true,
            warnings: Vec::new(),
        };
        let now = Instant::now();
        let mut desk = Self {
            app: App::new(start, now, unix_ms),
            disk: Rc::clone(disk),
            writes: Writes::Done,
            size: (120, 36),
            now,
            unix_ms,
            file: String::new(),
            files: false,
            waiting: Vec::new(),
            orders: Vec::new(),
            seen: 0,
        };
        desk.event(Event::Started);
        desk.key(KeyCode::Char('3'), KeyModifiers::ALT);
        desk
    }

    /// The server's list of models comes.
    pub fn models_come(&mut self) {
        let models = self.orders.iter().rev().find_map(|order| match order {
            Order::Call(ticket, _, Call::Models) => Some(*ticket),
            _ => None,
        });
        if let Some(ticket) = models {
            let model = |id: &str| benchtop::api::model::Model { id: id.to_owned(), ..Default::default() };
            let all = ["gpt-mini", MODEL, "text-moderation-stable"].map(model).to_vec();
            self.progress(ticket, Progress::Reply(Reply::Models(all)));
            self.progress(ticket, Progress::Closed(Ok(())));
        }
        self.seen = self.orders.len();
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

    /// What was typed is kept, and what was said in passing is gone.
    pub fn settle(&mut self) {
        self.wait(Duration::from_secs(30));
    }

    fn take(&mut self, orders: Vec<Order>) {
        for order in orders {
            let waits = match order {
                Order::Record(..) => self.writes == Writes::Waiting,
                Order::Work(_, Work::Export { .. }) => self.writes == Writes::ExportsWaiting,
                _ => false,
            };
            if !matches!(order, Order::Load(..)) {
                self.orders.push(order.clone());
            }
            if waits {
                self.waiting.push(order);
            } else {
                self.carry_out(order);
            }
        }
    }

    fn carry_out(&mut self, order: Order) {
        let event = match order {
            Order::Record(ticket, _) if self.writes == Writes::Refused => {
                Event::Stored(ticket, Stored::Failed("the disk is full; free some space".into()))
            }
            Order::Record(ticket, record) => {
                let stored = self.disk.record(record.clone());
                assert_eq!(stored, Stored::Committed, "the store takes all that the tab gives it: {record:?}");
                Event::Stored(ticket, stored)
            }
            Order::Load(ticket, query) => Event::Stored(ticket, Stored::Rows(self.disk.load(query))),
            Order::Work(ticket, work) => Event::Worked(ticket, self.done(work)),
            _ => return,
        };
        let next = self.app.update(event, self.now, self.unix_ms);
        self.take(next);
    }

    fn done(&self, work: Work) -> Done {
        match work {
            Work::Peek { .. } | Work::ReadTexts { .. } | Work::Export { .. } if self.files => worked(work),
            Work::Save { path, .. } | Work::Export { path, .. } => Done::Saved(path.into()),
            Work::Read { .. } => Done::Read(self.file.as_str().into()),
            Work::Highlight { .. } => Done::Highlighted(Vec::new()),
            Work::Paths(_) => Done::Paths(Vec::new()),
            Work::Peek { .. } | Work::ReadTexts { .. } | Work::Import { .. } => {
                Done::Failed("there is no such file".into())
            }
            // What other tabs ask for where keys lead to them.
            Work::Tokenize { .. } => Done::Tokens(None),
            Work::Spell { .. } => Done::Spelled(None),
            Work::Count { texts, .. } => Done::Counted(false, vec![1; texts.len()]),
            _ => Done::Failed("there is no such work here".into()),
        }
    }

    /// The store says why the disk does not take now what waits.
    pub fn put_off(&mut self, why: &str) {
        let ticket = |order: &Order| if let Order::Record(ticket, _) = order { Some(*ticket) } else { None };
        let waiting: Vec<Ticket> = self.waiting.iter().filter_map(ticket).collect();
        assert!(!waiting.is_empty(), "something waits");
        for ticket in waiting {
            self.event(Event::Stored(ticket, Stored::Waiting(why.into())));
        }
    }

    /// What waited is carried out.
    pub fn release(&mut self) {
        self.writes = Writes::Done;
        for order in std::mem::take(&mut self.waiting) {
            self.carry_out(order);
        }
    }

    /// What was ordered since this was asked last.
    pub fn news(&mut self) -> Vec<Order> {
        let new = self.orders[self.seen..].to_vec();
        self.seen = self.orders.len();
        new
    }

    /// Checks asked for since this was asked last.
    pub fn sent(&mut self) -> Vec<(Ticket, ModerationRequest)> {
        let call = |order| match order {
            Order::Call(ticket, _, Call::Moderate(request)) => Some((ticket, *request)),
            _ => None,
        };
        self.news().into_iter().filter_map(call).collect()
    }

    /// Checks; what is asked for.
    pub fn run(&mut self) -> Vec<(Ticket, ModerationRequest)> {
        self.press("^r");
        self.sent()
    }

    /// The texts of a request.
    pub fn texts(request: &ModerationRequest) -> Vec<&str> {
        match &request.input {
            Texts::One(text) => vec![text],
            Texts::Many(texts) => texts.iter().map(String::as_str).collect(),
        }
    }

    pub fn progress(&mut self, ticket: Ticket, progress: Progress) {
        self.event(Event::Progress(ticket, progress));
    }

    pub fn answer(&mut self, ticket: Ticket, answer: Moderation) {
        self.progress(ticket, Progress::Opened { request_id: None });
        self.progress(ticket, Progress::Reply(Reply::Moderation(answer)));
        self.progress(ticket, Progress::Closed(Ok(())));
    }

    pub fn fail(&mut self, ticket: Ticket, why: Failure) {
        self.progress(ticket, Progress::Closed(Err(why)));
    }

    /// Answers every request as the made-up service does, those that follow too.
    pub fn serve(&mut self) -> usize {
        let mut count = 0;
        loop {
            let sent = self.sent();
            if sent.is_empty() {
                return count;
            }
            for (ticket, request) in sent {
                count += 1;
                let texts: Vec<String> = Self::texts(&request).into_iter().map(str::to_owned).collect();
                let model = request.model.clone().unwrap_or_default();
                self.answer(ticket, replies::judge(&model, &texts));
            }
        }
    }

    /// Checks, and the service answers. How many requests it took.
    pub fn check(&mut self) -> usize {
        self.news();
        self.press("^r");
        self.serve()
    }

    /// Puts texts on the bench.
    pub fn texts_are(&mut self, texts: &[&str]) {
        for text in texts {
            self.paste(text);
        }
        self.settle();
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

    /// A copy that starts where this one ended.
    pub fn again(mut self) -> Self {
        let orders = self.app.parting(self.now, self.unix_ms);
        self.take(orders);
        Self::at(&self.disk, self.unix_ms + 60_000)
    }
}

/// What the work threads answer.
fn worked(work: Work) -> Done {
    let (send, answers) = channel();
    let workers = Workers::spawn(move |_, done| send.send(done).unwrap_or_default());
    workers.send(Ticket(1), work);
    loop {
        match answers.recv_timeout(LIMIT).expect("the work threads answer") {
            Done::Moved { .. } => {}
            done => return done,
        }
    }
}
