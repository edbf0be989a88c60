//! The whole workbench with Embed in front: a real store in memory that can be told to wait or to be full, the real work
//! threads, and a server whose answers the test makes up.

use std::rc::Rc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use benchtop::api::call::{Call, Failure, Progress, Reply, Ticket};
use benchtop::api::completion::Prompt;
use benchtop::api::embedding::{EmbeddingList, EmbeddingRequest};
use benchtop::app::{App, Event, Order, Profile, Start};
use benchtop::record::work::{Done, Work};
use benchtop::record::{Id, Query, Record, Rows, Stored, TextRow};
use benchtop::settings::ProfileId;
use benchtop::store::Store;
use benchtop::tabs::{self, Session};
use benchtop::tokens::Tariff;
use benchtop::ui::theme::{Depth, Kind, Theme};
use benchtop::work::Workers;
use crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

/// How fast a person types: keys that come faster are a paste.
const APART: Duration = Duration::from_millis(50);
const LIMIT: Duration = Duration::from_mins(1);
pub const MODEL: &str = "text-embedding-ada-002";

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

    /// The texts of a list, as they stand.
    pub fn texts(&self, list: Id) -> Vec<TextRow> {
        let Rows::Texts(Some((_, rows))) = self.load(Query::Texts(list)) else { panic!("no list") };
        rows
    }

    /// The typed list's texts.
    pub fn bench(&self) -> Vec<String> {
        let Rows::Setting(_, Some(id)) = self.load(Query::Setting("embed.bench".into())) else { panic!("none") };
        let rows = self.texts(Id(id.line().parse().unwrap()));
        rows.into_iter().map(|row| row.text.raw().to_owned()).collect()
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
    workers: Workers,
    works: Receiver<(Ticket, Done)>,
    pub writes: Writes,
    /// Work waits for [`Desk::release`].
    pub slow_work: bool,
    /// What is read from the disk waits for [`Desk::release`].
    pub slow_loads: bool,
    pub size: (u16, u16),
    pub now: Instant,
    pub unix_ms: i64,
    waiting: Vec<Order>,
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
            model: "gpt-3.5-turbo".into(),
            ..Session::default()
        };
        let start = Start {
            tabs: tabs::all(),
            theme: Theme::of(Kind::Mono, Depth::Indexed),
            depth: Depth::Indexed,
            session,
            profiles: vec![profile("work", "gpt-3.5-turbo"), profile("home", "")],
            mouse: true,
            warnings: Vec::new(),
        };
        let now = Instant::now();
        let (send, works) = channel();
        let mut desk = Self {
            app: App::new(start, now, unix_ms),
            disk: Rc::clone(disk),
            workers: Workers::spawn(move |ticket, done| send.send((ticket, done)).unwrap_or_default()),
            works,
            writes: Writes::Done,
            slow_work: false,
            slow_loads: false,
            size: (120, 36),
            now,
            unix_ms,
            waiting: Vec::new(),
            orders: Vec::new(),
            seen: 0,
        };
        desk.event(Event::Started);
        desk.event(Event::Input(Input::Key(KeyEvent::new(KeyCode::Char('4'), KeyModifiers::ALT))));
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

    /// Runs that many texts, one a line: "text 0" and so on.
    pub fn run_lines(&mut self, count: usize) {
        let lines: Vec<String> = (0..count).map(|number| format!("text {number}")).collect();
        self.paste(&lines.join("\n"));
        self.press("l");
        self.settle();
        self.press("^r");
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

    /// What was typed is kept, counted and looked up, and what was said in passing is gone.
    pub fn settle(&mut self) {
        self.wait(Duration::from_secs(30));
    }

    /// Carries out what may be carried out.
    fn take(&mut self, orders: Vec<Order>) {
        for order in orders {
            let waits = match &order {
                Order::Record(..) => self.writes == Writes::Waiting,
                Order::Work(..) => self.slow_work,
                Order::Load(..) => self.slow_loads,
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
            Order::Work(ticket, work) => Event::Worked(ticket, self.work(ticket, work)),
            _ => return,
        };
        let next = self.app.update(event, self.now, self.unix_ms);
        self.take(next);
    }

    /// What the work threads make of it.
    fn work(&self, ticket: Ticket, work: Work) -> Done {
        self.workers.send(ticket, work);
        loop {
            let (answered, done) = self.works.recv_timeout(LIMIT).expect("the work threads answer");
            if answered == ticket && !matches!(done, Done::Moved { .. }) {
                return done;
            }
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
        for order in std::mem::take(&mut self.waiting) {
            self.carry_out(order);
        }
    }

    /// The first of what waited is carried out.
    pub fn release_one(&mut self) {
        if !self.waiting.is_empty() {
            let order = self.waiting.remove(0);
            self.carry_out(order);
        }
    }

    /// What was ordered since this was asked last.
    pub fn news(&mut self) -> Vec<Order> {
        let new = self.orders[self.seen..].to_vec();
        self.seen = self.orders.len();
        new
    }

    /// Embeddings asked for since this was asked last.
    pub fn sent(&mut self) -> Vec<(Ticket, EmbeddingRequest)> {
        let call = |order| match order {
            Order::Call(ticket, _, Call::Embed(request)) => Some((ticket, *request)),
            _ => None,
        };
        self.news().into_iter().filter_map(call).collect()
    }

    /// Runs; the only call this leads to.
    pub fn run(&mut self) -> (Ticket, EmbeddingRequest) {
        self.press("^r");
        let mut sent = self.sent();
        assert_eq!(sent.len(), 1, "one call\n{}", self.screen());
        sent.remove(0)
    }

    pub fn progress(&mut self, ticket: Ticket, progress: Progress) {
        self.event(Event::Progress(ticket, progress));
    }

    /// A whole answer.
    pub fn answer(&mut self, ticket: Ticket, answer: EmbeddingList) {
        self.progress(ticket, Progress::Opened { request_id: Some(format!("req-{}", ticket.0).into()) });
        self.progress(ticket, Progress::Reply(Reply::Embeddings(answer)));
        self.progress(ticket, Progress::Closed(Ok(())));
    }

    pub fn fail(&mut self, ticket: Ticket, why: Failure) {
        self.progress(ticket, Progress::Closed(Err(why)));
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

/// The texts of a request.
pub fn texts(request: &EmbeddingRequest) -> &[String] {
    match &request.input {
        Prompt::Texts(texts) => texts,
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
