//! The whole workbench with Complete in front: a real store in memory that can be told to wait or to be full, counts by
//! the real vocabularies, and a server whose answers the test makes up.

use std::rc::Rc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use benchtop::api::call::{Call, Failure, Progress, Ticket};
use benchtop::api::completion::{CompletionRequest, Prompt};
use benchtop::app::{App, Event, Order, Profile, Start};
use benchtop::record::work::{Done, Tokens, Work};
use benchtop::record::{Id, Preset, Query, Record, Rows, Run, Sheet, Step, Stored, Token};
use benchtop::settings::ProfileId;
use benchtop::store::Store;
use benchtop::tabs::{self, Session};
use benchtop::text::Untrusted;
use benchtop::tokens::{Tariff, encoding};
use benchtop::ui::theme::{Depth, Kind, Theme};
use crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

/// How fast a person types: keys that come faster are a paste.
const APART: Duration = Duration::from_millis(50);
const LIMIT: Duration = Duration::from_secs(20);
pub const MODEL: &str = "text-davinci-003";

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

    /// The sheet that is opened next time, with its steps.
    pub fn sheet(&self) -> (Sheet, Vec<Step>) {
        let Rows::Setting(_, Some(id)) = self.load(Query::Setting("completion.sheet".into())) else { panic!("none") };
        self.sheet_of(Id(id.line().parse().unwrap()))
    }

    pub fn sheet_of(&self, id: Id) -> (Sheet, Vec<Step>) {
        let Rows::Sheet(Some(sheet)) = self.load(Query::Sheet(id)) else { panic!("none") };
        sheet
    }

    pub fn runs(&self) -> Vec<Run> {
        let Rows::Runs(runs) = self.load(Query::Runs(1000)) else { panic!() };
        runs
    }

    pub fn presets(&self) -> Vec<Preset> {
        let Rows::Presets(presets) = self.load(Query::Presets) else { panic!() };
        presets
    }

    pub fn tokens(&self, of: Id) -> Vec<Token> {
        let Rows::Tokens(found) = self.load(Query::Tokens(vec![of])) else { panic!() };
        found.into_iter().next().map(|(_, tokens)| tokens).unwrap_or_default()
    }
}

/// What the store does with what it is to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    Done,
    /// They wait for [`Desk::release`].
    Waiting,
    Refused,
}

pub struct Desk {
    pub app: App,
    pub disk: Rc<Disk>,
    pub writes: Writes,
    /// Whether counts and tokenizers wait for [`Desk::release`].
    pub slow_work: bool,
    /// Whether the store has reason to refuse something: else a test fails with it.
    pub store_may_refuse: bool,
    pub size: (u16, u16),
    pub now: Instant,
    pub unix_ms: i64,
    /// What waits.
    waiting: Vec<Order>,
    /// All that was ordered, but for what was asked of the store.
    pub orders: Vec<Order>,
    /// What of it was looked at.
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

    /// A copy with more tabs behind its own.
    pub fn with(more: Vec<Box<dyn tabs::Tab>>) -> Self {
        Self::start(&Disk::new(), 1_700_000_000_000, more)
    }

    /// A copy that starts at another time: its ids differ from those of a copy before.
    pub fn at(disk: &Rc<Disk>, unix_ms: i64) -> Self {
        Self::start(disk, unix_ms, Vec::new())
    }

    fn start(disk: &Rc<Disk>, unix_ms: i64, more: Vec<Box<dyn tabs::Tab>>) -> Self {
        let profile = |name: &str, model: &str| Profile {
            id: ProfileId(name.into()),
            name: name.into(),
            model: model.into(),
            tariff: Tariff::new("https://api.openai.com/v1", &[], &[]),
            ..Profile::default()
        };
        let session = Session {
            profile: ProfileId("work".into()),
            profile_name: "work".into(),
            model: MODEL.into(),
            ..Session::default()
        };
        let start = Start {
            tabs: tabs::all().into_iter().chain(more).collect(),
            theme: Theme::of(Kind::Mono, Depth::Indexed),
            depth: Depth::Indexed,
            session,
            profiles: vec![profile("work", MODEL), profile("home", "")],
            mouse: true,
            warnings: Vec::new(),
        };
        let now = Instant::now();
        let mut desk = Self {
            app: App::new(start, now, unix_ms),
            disk: Rc::clone(disk),
            writes: Writes::Done,
            slow_work: false,
            store_may_refuse: false,
            size: (120, 36),
            now,
            unix_ms,
            waiting: Vec::new(),
            orders: Vec::new(),
            seen: 0,
        };
        desk.event(Event::Started);
        desk.event(Event::Input(Input::Key(KeyEvent::new(KeyCode::Char('2'), KeyModifiers::ALT))));
        desk.seen = desk.orders.len();
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

    /// What was typed is kept and counted, and what was said in passing is gone.
    pub fn settle(&mut self) {
        self.wait(Duration::from_secs(30));
    }

    /// Carries out what may be carried out.
    fn take(&mut self, orders: Vec<Order>) {
        for order in orders {
            let waits = match &order {
                Order::Record(..) => self.writes == Writes::Waiting,
                Order::Work(..) => self.slow_work,
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
                let taken = stored == Stored::Committed || self.store_may_refuse;
                assert!(taken, "the store takes all that the tab gives it: {stored:?} {record:?}");
                Event::Stored(ticket, stored)
            }
            Order::Load(ticket, query) => Event::Stored(ticket, Stored::Rows(self.disk.load(query))),
            Order::Work(ticket, work) => Event::Worked(ticket, done(work)),
            _ => return,
        };
        let next = self.app.update(event, self.now, self.unix_ms);
        self.take(next);
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

    /// Completions asked for since this was asked last.
    pub fn sent(&mut self) -> Vec<(Ticket, ProfileId, CompletionRequest)> {
        let call = |order| match order {
            Order::Call(ticket, profile, Call::Complete(request)) => Some((ticket, profile, *request)),
            _ => None,
        };
        self.news().into_iter().filter_map(call).collect()
    }

    /// Runs; the only call this leads to.
    pub fn run(&mut self) -> (Ticket, CompletionRequest) {
        self.press("^r");
        self.asked()
    }

    /// The only call since this was asked last.
    pub fn asked(&mut self) -> (Ticket, CompletionRequest) {
        let mut sent = self.sent();
        assert_eq!(sent.len(), 1, "one call\n{}", self.screen());
        let (ticket, _, request) = sent.remove(0);
        (ticket, request)
    }

    /// Types and runs.
    pub fn ask(&mut self, text: &str) -> Ticket {
        self.press(text);
        self.run().0
    }

    pub fn progress(&mut self, ticket: Ticket, progress: Progress) {
        self.event(Event::Progress(ticket, progress));
    }

    /// A whole stream: pieces, then the end.
    pub fn answer(&mut self, ticket: Ticket, pieces: impl IntoIterator<Item = Progress>) {
        self.progress(ticket, Progress::Opened { request_id: None });
        for piece in pieces {
            self.progress(ticket, piece);
        }
        self.progress(ticket, Progress::Closed(Ok(())));
    }

    pub fn fail(&mut self, ticket: Ticket, why: Failure) {
        self.progress(ticket, Progress::Closed(Err(why)));
    }

    /// The text in the buffer, as an editor gets it.
    pub fn text(&mut self) -> String {
        self.text_or_none().expect("there is a text to edit")
    }

    /// The same; `None`: another pane has the keys.
    pub fn text_or_none(&mut self) -> Option<String> {
        let before = self.orders.len();
        let find = |desk: &Self| {
            desk.orders[before..].iter().find_map(|order| match order {
                Order::Edit(text) => Some(text.clone()),
                Order::Copy(text) => Some(text.raw().to_owned()),
                _ => None,
            })
        };
        self.code(KeyCode::F(4));
        let mut text = find(self);
        if text.is_none() {
            // While it runs nothing is edited, but it may be copied.
            self.code(KeyCode::Char('Y'));
            text = find(self);
        }
        self.orders.truncate(before);
        text
    }

    /// What `C` copies: the request that a run would send.
    pub fn curl(&mut self) -> CompletionRequest {
        let before = self.orders.len();
        self.press("C");
        let copied = self.orders[before..].iter().find_map(|order| match order {
            Order::CopyCurl(_, Call::Complete(request)) => Some((**request).clone()),
            _ => None,
        });
        copied.expect("a request is copied")
    }

    /// What was put on the clipboard since this was asked last.
    pub fn copied(&mut self) -> Vec<String> {
        let copied = |order| if let Order::Copy(text) = order { Some(text.raw().to_owned()) } else { None };
        self.news().into_iter().filter_map(copied).collect()
    }

    /// Sets a field of the settings by typing it.
    pub fn set(&mut self, label: &str, value: &str) {
        self.press("\u{1b}");
        self.code(KeyCode::Char('s'));
        for _ in 0..40 {
            let at = format!("▌{label}");
            if self.screen().contains(&at) {
                break;
            }
            self.press("j");
        }
        assert!(self.screen().contains(&format!("▌{label}")), "no field {label}\n{}", self.screen());
        if matches!(value, "true" | "false") {
            self.press("\n");
        } else {
            self.press(&format!("\n^u{value}\n"));
        }
        self.press("g\u{1b}");
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

    pub fn footer(&mut self) -> String {
        self.lines().pop().unwrap_or_default()
    }

    /// Fails unless this is on the screen.
    #[track_caller]
    pub fn shows(&mut self, words: &str) {
        let screen = self.screen();
        assert!(screen.contains(words), "{words:?} is not shown:\n{screen}");
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

fn done(work: Work) -> Done {
    match work {
        Work::Tokenize { model, local, text } => Done::Tokens(encoding(&model.line(), local).map(|encoding| {
            let ids = encoding.encode(text.raw());
            let ends = encoding.ends(&ids).unwrap();
            Tokens { vocabulary: encoding.name(), ids, ends }
        })),
        Work::Count { model, local, texts } => {
            let encoding = encoding(&model.line(), local);
            let count = |text: &Untrusted| encoding.map_or(0, |encoding| encoding.count(text.raw()) as u32);
            Done::Counted(encoding.is_some(), texts.iter().map(count).collect())
        }
        Work::Spell { model, local, ids } => {
            let spell = |id: &u32| encoding(&model.line(), local).unwrap().token(*id).unwrap_or_default();
            Done::Spelled(encoding(&model.line(), local).map(|_| ids.iter().map(spell).collect()))
        }
        Work::Highlight { .. } => Done::Highlighted(Vec::new()),
        Work::Save { path, .. } => Done::Saved(path.into()),
        // Other tabs' work: no file is here.
        other => Done::Failed(format!("not here: {other:?}").into()),
    }
}

/// The text that a request goes on with.
pub fn prompt(request: &CompletionRequest) -> &str {
    match &request.prompt {
        Some(Prompt::Text(text)) => text,
        other => panic!("{other:?}"),
    }
}

/// All records of some orders, one by one.
pub fn records(orders: &[Order]) -> Vec<Record> {
    fn collect(record: &Record, into: &mut Vec<Record>) {
        match record {
            Record::Batch(all) => all.iter().for_each(|record| collect(record, into)),
            one => into.push(one.clone()),
        }
    }
    let mut found = Vec::new();
    for order in orders {
        if let Order::Record(_, record) = order {
            collect(record, &mut found);
        }
    }
    found
}
