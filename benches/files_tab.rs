//! What a key costs in the whole workbench with Files in front, 10,000 files on the server and 10,000 in the folder:
//! the event, the state, the frame at 120 columns and 36 rows.
#![allow(missing_docs)]

use std::cell::RefCell;
use std::time::{Duration, Instant};

use benchtop::api::call::{Call, Progress, Reply};
use benchtop::api::file::File;
use benchtop::app::{App, Effect, Event, Profile, Start};
use benchtop::component::Session;
use benchtop::record::files::{Entry, EntryKind, Folder};
use benchtop::record::work::{Done, Work};
use benchtop::record::{Query, Rows, Stored};
use benchtop::settings::ProfileId;
use benchtop::tabs::{self};
use benchtop::ui::theme::{Appearance, Depth, Kind};
use crossterm::event::{Event as Input, KeyCode, KeyEvent};
use divan::Bencher;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

const COUNT: usize = 10_000;

fn main() {
    divan::main();
}

fn name(at: usize) -> String {
    // In no order.
    format!("{:05}-examples.jsonl", at * 7_919 % COUNT)
}

fn files() -> Vec<File> {
    let file = |at: usize| File {
        id: format!("file-{at}"),
        bytes: at as u64 * 31 % 9_000_000,
        created_at: 1_600_000_000 + at as i64,
        filename: name(at),
        purpose: "fine-tune".to_owned(),
        status: Some("processed".to_owned()),
        ..File::default()
    };
    (0..COUNT).map(file).collect()
}

fn folder() -> Folder {
    let entry = |at: usize| Entry {
        name: name(at).into(),
        kind: EntryKind::File,
        link: None,
        bytes: at as u64,
        modified_ms: Some(at as i64),
    };
    Folder { path: "/data".into(), entries: (0..COUNT).map(entry).collect(), cut: None }
}

struct Desk {
    app: App,
    terminal: Terminal<TestBackend>,
    now: Instant,
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
        let mut desk = Self { app: App::new(start, now, 1_700_000_000_000), terminal, now };
        desk.tell(Event::Started);
        desk.key(KeyCode::Esc);
        desk.key(KeyCode::Char('5'));
        desk.draw();
        let screen = desk.terminal.backend().to_string();
        assert!(screen.matches("10,000").count() > 1, "both lists are there: {screen}");
        desk
    }

    fn tell(&mut self, event: Event) {
        self.now += Duration::from_millis(50);
        let effects = self.app.update(event, self.now, 1_700_000_000_000);
        for effect in effects {
            match effect {
                Effect::TrySave(ticket, _) | Effect::Save(ticket, _) => {
                    self.tell(Event::Stored(ticket, Stored::Committed));
                }
                Effect::Load(ticket, Query::Setting(name)) => {
                    self.tell(Event::Stored(ticket, Stored::Rows(Rows::Setting(name, None))));
                }
                Effect::Work(ticket, Work::Folder { .. }) => self.tell(Event::Worked(ticket, Done::Folder(folder()))),
                Effect::Call(ticket, _, Call::Files) => {
                    self.tell(Event::Progress(ticket, Progress::Reply(Reply::Files(files()))));
                    self.tell(Event::Progress(ticket, Progress::Closed(Ok(()))));
                }
                _ => {}
            }
        }
    }

    fn key(&mut self, code: KeyCode) {
        self.tell(Event::Input(Input::Key(KeyEvent::from(code))));
    }

    fn draw(&mut self) {
        let (app, now) = (&mut self.app, self.now);
        self.terminal.draw(|frame| app.render(frame, now)).expect("a screen in memory");
    }
}

/// A key, again and again; first those of `before`.
fn key(bencher: Bencher, before: &[KeyCode], key: KeyCode, after: &[KeyCode]) {
    let desk = RefCell::new(Desk::new());
    for code in before {
        desk.borrow_mut().key(*code);
    }
    desk.borrow_mut().draw();
    let first = RefCell::new(true);
    let ready = || {
        let mut desk = desk.borrow_mut();
        if !first.replace(false) {
            for code in after {
                desk.key(*code);
            }
            desk.draw();
        }
    };
    bencher.with_inputs(ready).bench_local_refs(|()| {
        let mut desk = desk.borrow_mut();
        desk.key(key);
        desk.draw();
    });
}

#[divan::bench(sample_count = 100, sample_size = 1)]
fn down_in_the_folder(bencher: Bencher) {
    key(bencher, &[], KeyCode::Down, &[]);
}

#[divan::bench(sample_count = 100, sample_size = 1)]
fn down_on_the_server(bencher: Bencher) {
    key(bencher, &[KeyCode::Tab], KeyCode::Down, &[]);
}

#[divan::bench(sample_count = 40, sample_size = 1)]
fn mark_on_the_server(bencher: Bencher) {
    key(bencher, &[KeyCode::Tab], KeyCode::Char(' '), &[]);
}

/// The next column, each in its turn.
#[divan::bench(sample_count = 40, sample_size = 1)]
fn sort_the_folder(bencher: Bencher) {
    key(bencher, &[], KeyCode::Char('s'), &[]);
}

#[divan::bench(sample_count = 40, sample_size = 1)]
fn sort_the_servers_files(bencher: Bencher) {
    key(bencher, &[KeyCode::Tab], KeyCode::Char('s'), &[]);
}

/// A letter of the words to filter by.
#[divan::bench(sample_count = 40, sample_size = 1)]
fn filter_the_servers_files(bencher: Bencher) {
    let before = [KeyCode::Tab, KeyCode::Char('/'), KeyCode::Char('4')];
    key(bencher, &before, KeyCode::Char('2'), &[KeyCode::Backspace]);
}

#[divan::bench(sample_count = 40, sample_size = 1)]
fn filter_the_folder(bencher: Bencher) {
    key(bencher, &[KeyCode::Char('/'), KeyCode::Char('4')], KeyCode::Char('2'), &[KeyCode::Backspace]);
}
