//! What a key costs in the whole workbench with a file of 10,000 texts open in Moderate, and with one of 100,000 beside
//! it: the event, the state, the frame at 120 columns and 36 rows. All rows have results, labels and 11 categories.
#![allow(missing_docs)]

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use benchtop::api::call::Ticket;
use benchtop::app::{App, Effect, Event, Profile, Start};
use benchtop::component::Session;
use benchtop::record::{Bench, Check, Id, Query, Rows, Stored, TextKey, TextList, TextRow};
use benchtop::settings::ProfileId;
use benchtop::tabs::{self};
use benchtop::text::Untrusted;
use benchtop::ui::theme::{Appearance, Depth, Kind};
use crossterm::event::{Event as Input, KeyCode, KeyEvent};
use divan::Bencher;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

/// Rows.
const SIZES: [usize; 2] = [10_000, 100_000];
const CATEGORIES: [&str; 11] = [
    "harassment",
    "harassment/threatening",
    "hate",
    "hate/threatening",
    "self-harm",
    "self-harm/instructions",
    "self-harm/intent",
    "sexual",
    "sexual/minors",
    "violence",
    "violence/graphic",
];

fn main() {
    divan::main();
}

/// What is on disk.
#[derive(Clone)]
struct Disk {
    list: TextList,
    rows: Vec<TextRow>,
    checks: Vec<Check>,
}

impl Disk {
    fn new(count: usize) -> Self {
        let list = TextList {
            id: Id(1),
            bench: Bench::Moderate,
            name: "posts.csv".into(),
            source: "/posts.csv".into(),
            created_ms: 0,
            updated_ms: 0,
            state: r#"{"profile":"work","model":"m","begun":true}"#.into(),
            rows: count as u64,
        };
        let row = |at: usize| {
            let text = format!(
                "Post {at}: somebody writes at middling length of what the day was like, and number {at} ends."
            );
            let label = ["ok", "hate", "violence", "sexual", "1"][at % 5];
            TextRow {
                id: Id(10 + at as i64),
                place: at as u32,
                name: Untrusted::default(),
                text: text.into(),
                label: Some(label.into()),
            }
        };
        let rows: Vec<TextRow> = (0..count).map(row).collect();
        let names: Arc<[Untrusted]> = CATEGORIES.map(Untrusted::from).into();
        let mut seed = 7_u64;
        let mut score = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            Some((seed >> 40) as f64 / f64::from(1 << 24))
        };
        let mut check = |(row, at): (&TextRow, i64)| Check {
            id: Id(1_000_000 + at),
            text: TextKey::of(&row.text),
            profile: "work".into(),
            asked: "m".into(),
            model: "m-007".into(),
            at_ms: 1,
            latency_ms: 200,
            flagged: at % 10 == 0,
            categories: Arc::clone(&names),
            scores: CATEGORIES.iter().map(|_| score()).collect(),
            flags: CATEGORIES.iter().enumerate().map(|(n, _)| Some(at % 10 == 0 && n == 2)).collect(),
        };
        let checks = rows.iter().zip(0..).map(&mut check).collect();
        Self { list, rows, checks }
    }
}

/// The workbench, its store answering at once, but for the list itself: that comes when it is told.
struct Desk {
    app: App,
    terminal: Terminal<TestBackend>,
    now: Instant,
    rows: Option<Ticket>,
    checks: Option<Ticket>,
}

impl Desk {
    fn new() -> Self {
        let profile = Profile { id: ProfileId("work".into()), name: "work".into(), ..Profile::default() };
        let session = Session {
            profile: profile.id.clone(),
            profile_name: profile.name.clone(),
            model: "a-model".into(),
            ..Session::default()
        };
        let start = Start {
            tabs: tabs::all(),
            appearance: Appearance::fixed(Kind::Dark, Depth::True),
            session,
            profiles: vec![profile],
            mouse: false,
            warnings: Vec::new(),
        };
        let now = Instant::now();
        let terminal = Terminal::new(TestBackend::new(120, 36)).expect("a screen in memory");
        let mut desk = Self { app: App::new(start, now, 0), terminal, now, rows: None, checks: None };
        desk.tell(Event::Started);
        desk.key(KeyCode::Esc);
        desk.key(KeyCode::Char('3'));
        desk.key(KeyCode::Char('f'));
        desk.draw();
        desk
    }

    /// With a file open.
    fn open(count: usize) -> Self {
        let (disk, mut desk) = (Disk::new(count), Self::new());
        desk.load(disk);
        let screen = desk.terminal.backend().to_string();
        assert!(screen.contains("Post "), "the table is there: {screen}");
        desk
    }

    /// The list comes from the disk, and is drawn.
    fn load(&mut self, disk: Disk) {
        let rows = self.rows.take().expect("the list was asked for");
        self.tell(Event::Stored(rows, Stored::Rows(Rows::Texts(Some((disk.list, disk.rows))))));
        self.draw();
        let checks = self.checks.take().expect("its results were asked for");
        self.tell(Event::Stored(checks, Stored::Rows(Rows::Checks(disk.checks))));
        self.draw();
    }

    fn tell(&mut self, event: Event) {
        self.now += Duration::from_millis(50);
        let effects = self.app.update(event, self.now, 0);
        for effect in effects {
            let (ticket, stored) = match effect {
                Effect::TrySave(ticket, _) | Effect::Save(ticket, _) => (ticket, Stored::Committed),
                Effect::Load(ticket, Query::Setting(name)) => {
                    let kept = (name == "moderate.file").then(|| "1".into());
                    (ticket, Stored::Rows(Rows::Setting(name, kept)))
                }
                Effect::Load(ticket, Query::Texts(Id(1))) => {
                    self.rows = Some(ticket);
                    continue;
                }
                Effect::Load(ticket, Query::ListChecks(_)) => {
                    self.checks = Some(ticket);
                    continue;
                }
                _ => continue,
            };
            self.tell(Event::Stored(ticket, stored));
        }
    }

    fn key(&mut self, code: KeyCode) {
        self.tell(Event::Input(Input::Key(KeyEvent::from(code))));
    }

    fn draw(&mut self) {
        let (app, now) = (&mut self.app, self.now);
        self.terminal.draw(|frame| app.render(frame, now)).expect("a screen in memory");
    }

    fn press(&mut self, key: char) {
        self.key(KeyCode::Char(key));
        self.draw();
    }
}

/// A file that is opened: its rows and their results have come from the disk.
#[divan::bench(args = SIZES, sample_count = 20, sample_size = 1)]
fn open(bencher: Bencher, count: usize) {
    let disk = Disk::new(count);
    bencher.with_inputs(|| (Desk::new(), disk.clone())).bench_local_values(|(mut desk, disk)| {
        desk.load(disk);
        desk
    });
}

/// Each key once: what it does is undone before it is measured again.
fn key(bencher: Bencher, count: usize, before: &str, key: KeyCode, after: &[KeyCode]) {
    let desk = RefCell::new(Desk::open(count));
    let first = RefCell::new(true);
    let ready = || {
        let mut desk = desk.borrow_mut();
        if !first.replace(false) {
            for key in after {
                desk.key(*key);
            }
        }
        for key in before.chars() {
            desk.key(KeyCode::Char(key));
        }
        desk.draw();
    };
    bencher.with_inputs(ready).bench_local_refs(|()| {
        let mut desk = desk.borrow_mut();
        desk.key(key);
        desk.draw();
    });
}

/// Sorted by the highest score again, after it was sorted by row and by label.
#[divan::bench(args = SIZES, sample_count = 40, sample_size = 1)]
fn sort_by_score(bencher: Bencher, count: usize) {
    key(bencher, count, "ss", KeyCode::Char('s'), &[]);
}

#[divan::bench(args = SIZES, sample_count = 40, sample_size = 1)]
fn sort_by_label(bencher: Bencher, count: usize) {
    key(bencher, count, "s", KeyCode::Char('s'), &[KeyCode::Char('s')]);
}

/// Another category counts: its score is sorted by, and each row's sign is its.
#[divan::bench(args = SIZES, sample_count = 40, sample_size = 1)]
fn category(bencher: Bencher, count: usize) {
    key(bencher, count, "", KeyCode::Char('>'), &[]);
}

#[divan::bench(args = SIZES, sample_count = 40, sample_size = 1)]
fn flagged_only(bencher: Bencher, count: usize) {
    key(bencher, count, "", KeyCode::Char('F'), &[KeyCode::Char('F')]);
}

#[divan::bench(args = SIZES, sample_count = 40, sample_size = 1)]
fn labels_that_disagree(bencher: Bencher, count: usize) {
    key(bencher, count, "", KeyCode::Char('D'), &[KeyCode::Char('D')]);
}

/// `/`, which makes the texts ready to be searched.
#[divan::bench(args = SIZES, sample_count = 40, sample_size = 1)]
fn begin_to_find(bencher: Bencher, count: usize) {
    key(bencher, count, "", KeyCode::Char('/'), &[KeyCode::Esc]);
}

/// A letter of words looked for, which are in every row.
#[divan::bench(args = SIZES, sample_count = 40, sample_size = 1)]
fn find(bencher: Bencher, count: usize) {
    key(bencher, count, "/som", KeyCode::Char('e'), &[KeyCode::Esc]);
}

/// The threshold moves, and all signs with it.
#[divan::bench(args = SIZES, sample_count = 40, sample_size = 1)]
fn threshold(bencher: Bencher, count: usize) {
    key(bencher, count, "-", KeyCode::Char('+'), &[]);
}

#[divan::bench(args = SIZES, sample_count = 100, sample_size = 1)]
fn scroll_by_row(bencher: Bencher, count: usize) {
    let mut desk = Desk::open(count);
    bencher.bench_local(|| desk.press('j'));
}

#[divan::bench(args = SIZES, sample_count = 100, sample_size = 1)]
fn scroll_by_page(bencher: Bencher, count: usize) {
    let mut desk = Desk::open(count);
    bencher.bench_local(|| {
        desk.key(KeyCode::PageDown);
        desk.draw();
    });
}

#[divan::bench(args = SIZES, sample_count = 100, sample_size = 1)]
fn scroll_to_the_end(bencher: Bencher, count: usize) {
    key(bencher, count, "g", KeyCode::Char('G'), &[]);
}

/// One row whole.
#[divan::bench(args = SIZES, sample_count = 40, sample_size = 1)]
fn detail(bencher: Bencher, count: usize) {
    key(bencher, count, "j", KeyCode::Enter, &[KeyCode::Esc]);
}
