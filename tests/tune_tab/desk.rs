//! The whole workbench with Tune in front: a real store in memory, and a server whose answers the test makes up.

use std::rc::Rc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use benchtop::api::call::{Call, Failure, Followed, Progress, Reply, Ticket};
use benchtop::api::job::{Dialect, Job, JobEvent};
use benchtop::app::{App, Event, Order, Profile, Start};
use benchtop::record::answers::{HeldOut, HeldRow};
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
/// Noon of a Wednesday, UTC.
pub const NOON: i64 = 1_700_049_600;

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
}

pub struct Desk {
    pub app: App,
    pub disk: Rc<Disk>,
    /// Whether the disk does not take now what is to be kept: it waits for [`Desk::release`].
    pub full: bool,
    waiting: Vec<Order>,
    /// Whether it gives no setting.
    pub blind: bool,
    pub size: (u16, u16),
    pub now: Instant,
    pub unix_ms: i64,
    /// Rows that are read out of a file of examples.
    pub held: Vec<HeldRow>,
    /// Names that `Work::Paths` finds.
    pub paths: Vec<&'static str>,
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
        Self::with(disk, NOON * 1000, Session::default())
    }

    /// A copy that stays in the first tab.
    pub fn elsewhere(disk: &Rc<Disk>) -> Self {
        Self::begun(disk, NOON * 1000, Session::default(), false)
    }

    /// A copy whose store gives no setting.
    pub fn blind(disk: &Rc<Disk>) -> Self {
        let mut desk = Self::begun(disk, NOON * 1000, Session::default(), true);
        desk.front();
        desk
    }

    /// A copy with other words of its session.
    pub fn with(disk: &Rc<Disk>, unix_ms: i64, session: Session) -> Self {
        let mut desk = Self::begun(disk, unix_ms, session, false);
        desk.front();
        desk
    }

    fn front(&mut self) {
        self.key(KeyCode::Char('6'), KeyModifiers::ALT);
    }

    fn begun(disk: &Rc<Disk>, unix_ms: i64, session: Session, blind: bool) -> Self {
        let profile = |name: &str| Profile {
            id: ProfileId(name.into()),
            name: name.into(),
            tariff: Tariff::new("https://api.openai.com/v1", &[], &[]),
            ..Profile::default()
        };
        let session = Session {
            profile: ProfileId("work".into()),
            profile_name: "work".into(),
            model: "gpt-mini".into(),
            models: ["gpt-mini", "ada", "curie"].map(Into::into).to_vec(),
            ..session
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
        let now = Instant::now();
        let mut desk = Self {
            app: App::new(start, now, unix_ms),
            disk: Rc::clone(disk),
            full: false,
            waiting: Vec::new(),
            blind,
            size: (120, 36),
            now,
            unix_ms,
            held: Vec::new(),
            paths: Vec::new(),
            orders: Vec::new(),
            seen: 0,
        };
        desk.event(Event::Started);
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

    /// What was typed is kept, and what was said in passing is gone.
    pub fn settle(&mut self) {
        self.wait(Duration::from_secs(30));
    }

    fn take(&mut self, orders: Vec<Order>) {
        for order in orders {
            if !matches!(order, Order::Load(..)) {
                self.orders.push(order.clone());
            }
            self.carry_out(order);
        }
    }

    fn carry_out(&mut self, order: Order) {
        let event = match order {
            Order::Record(ticket, _) if self.full => {
                self.waiting.push(order);
                Event::Stored(ticket, Stored::Waiting("the disk is full; free some space".into()))
            }
            Order::Record(ticket, record) => {
                let stored = self.disk.record(record.clone());
                assert_eq!(stored, Stored::Committed, "the store takes all that the tab gives it: {record:?}");
                Event::Stored(ticket, stored)
            }
            Order::Load(ticket, Query::Setting(_)) if self.blind => {
                Event::Stored(ticket, Stored::Failed("the disk is broken".into()))
            }
            Order::Load(ticket, query) => Event::Stored(ticket, Stored::Rows(self.disk.load(query))),
            Order::Work(ticket, Work::Paths(_)) => {
                Event::Worked(ticket, Done::Paths(self.paths.iter().map(|path| (*path).into()).collect()))
            }
            Order::Work(ticket, Work::Examples(_)) if !self.held.is_empty() => {
                let chat = self.held[0].prompt.raw().starts_with('[');
                let held = HeldOut { rows: self.held.clone(), chat, key: None };
                Event::Worked(ticket, Done::Examples(Box::new(held)))
            }
            Order::Work(ticket, _) => Event::Worked(ticket, Done::Failed("there is no such work here".into())),
            _ => return,
        };
        let next = self.app.update(event, self.now, self.unix_ms);
        self.take(next);
    }

    /// The disk takes what waited.
    pub fn release(&mut self) {
        self.full = false;
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

    /// Calls asked for since this was asked last, but for the list of models.
    pub fn calls(&mut self) -> Vec<(Ticket, Call)> {
        let call = |order| match order {
            Order::Call(ticket, _, call) if call != Call::Models => Some((ticket, call)),
            _ => None,
        };
        self.news().into_iter().filter_map(call).collect()
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

    /// The last open call that is like this.
    #[track_caller]
    pub fn asked(&self, like: impl Fn(&Call) -> bool) -> Ticket {
        let call = |order: &Order| match order {
            Order::Call(ticket, _, call) if like(call) => Some(*ticket),
            _ => None,
        };
        self.orders.iter().rev().find_map(call).expect("it was asked for")
    }

    /// The list that was asked for comes.
    pub fn list(&mut self, dialect: Dialect, jobs: Vec<Job>) {
        let ticket = self.asked(|call| *call == Call::Jobs);
        self.reply(ticket, Reply::Jobs(dialect, jobs));
    }

    /// The stream of a job.
    #[track_caller]
    pub fn stream(&self, id: &str) -> Ticket {
        self.asked(|call| matches!(call, Call::Follow(of) if of == id))
    }

    /// A job's stream brings something.
    #[track_caller]
    pub fn tell(&mut self, id: &str, news: Followed) {
        let ticket = self.stream(id);
        self.progress(ticket, Progress::Reply(Reply::Followed(news)));
    }

    /// A job's stream brings events: seconds from noon, words.
    #[track_caller]
    pub fn events(&mut self, id: &str, first: u64, events: &[(i64, &str)]) {
        let event = |(at, words): &(i64, &str)| JobEvent {
            created_at: NOON + at,
            level: if words.starts_with("Fine-tune failed") { "error" } else { "info" }.into(),
            message: (*words).into(),
            ..JobEvent::default()
        };
        self.tell(id, Followed::Events { first, events: events.iter().map(event).collect() });
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
        Self::with(&self.disk, self.unix_ms + 60_000, Session::default())
    }
}
