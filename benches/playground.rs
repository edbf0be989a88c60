//! What a key costs in the whole workbench with 200,000 characters in Complete's buffer: the event, the state, the frame
//! at 120 columns and 36 rows. What a streamed token costs there, with and without probabilities.
#![allow(missing_docs)]

use std::time::{Duration, Instant};

use benchtop::api::call::{Call, Progress, Reply, Ticket};
use benchtop::api::completion::{Completion, CompletionChoice, LogprobColumns, Logprobs};
use benchtop::app::{App, Event, Order, Profile, Start};
use benchtop::record::{Query, Rows, Stored};
use benchtop::settings::ProfileId;
use benchtop::tabs::{self, Session};
use benchtop::ui::theme::{Depth, Kind, Theme};
use crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyModifiers};
use divan::Bencher;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

const COUNT: usize = 200_000;

fn main() {
    divan::main();
}

/// The workbench with Complete in front. Its store keeps everything at once and has nothing.
struct Desk {
    app: App,
    terminal: Terminal<TestBackend>,
    now: Instant,
    call: Option<Ticket>,
}

impl Desk {
    fn new(text: &str) -> Self {
        let profile = Profile { id: ProfileId("work".into()), name: "work".into(), ..Profile::default() };
        let session = Session {
            profile: profile.id.clone(),
            profile_name: profile.name.clone(),
            model: "a-model".into(),
            ..Session::default()
        };
        let start = Start {
            tabs: tabs::all(),
            theme: Theme::of(Kind::Dark, Depth::True),
            depth: Depth::True,
            session,
            profiles: vec![profile],
            mouse: false,
            warnings: Vec::new(),
        };
        let now = Instant::now();
        let terminal = Terminal::new(TestBackend::new(120, 36)).expect("a screen in memory");
        let mut desk = Self { app: App::new(start, now, 0), terminal, now, call: None };
        desk.tell(Event::Started);
        desk.key(KeyCode::Esc);
        desk.key(KeyCode::Char('2'));
        desk.tell(Event::Input(Input::Paste(text.to_owned())));
        desk.draw();
        desk
    }

    fn tell(&mut self, event: Event) {
        self.now += Duration::from_millis(50);
        let orders = self.app.update(event, self.now, 0);
        for order in orders {
            let (ticket, stored) = match order {
                Order::Record(ticket, _) => (ticket, Stored::Committed),
                Order::Load(ticket, Query::Setting(name)) => (ticket, Stored::Rows(Rows::Setting(name, None))),
                Order::Call(ticket, _, Call::Complete(_)) => {
                    self.call = Some(ticket);
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

    fn run(&mut self) -> Ticket {
        self.tell(Event::Input(Input::Key(KeyEvent::new(KeyCode::Char('r'), KeyModifiers::CONTROL))));
        self.call.expect("the run went off")
    }
}

fn prose() -> String {
    "A paragraph of prose, which is what most people write most of the time. And then another one.\n\n"
        .chars()
        .cycle()
        .take(COUNT)
        .collect()
}

/// A key typed and drawn, with the caret at the end, in the middle, at the begin.
#[divan::bench(args = ["end", "middle", "begin"], sample_count = 60, sample_size = 1)]
fn key(bencher: Bencher, place: &str) {
    let mut desk = Desk::new(&prose());
    let home = KeyEvent::new(KeyCode::Home, KeyModifiers::CONTROL);
    if place != "end" {
        desk.tell(Event::Input(Input::Key(home)));
    }
    if place == "middle" {
        for _ in 0..60 {
            desk.key(KeyCode::PageDown);
            desk.draw();
        }
    }
    desk.draw();
    bencher.bench_local(|| {
        desk.key(KeyCode::Char('x'));
        desk.draw();
    });
}

/// A token that streams in behind 200,000 characters, drawn.
#[divan::bench(args = [false, true], sample_count = 60, sample_size = 1)]
fn token(bencher: Bencher, scored: bool) {
    let mut desk = Desk::new(&prose());
    let ticket = desk.run();
    let mut count = 0_usize;
    bencher.bench_local(|| {
        count += 1;
        let columns = LogprobColumns {
            tokens: vec![" word".into()],
            token_logprobs: vec![Some(-0.5)],
            top_logprobs: Some(vec![Some((0..5).map(|n| (format!(" word{n}"), -0.5 - f64::from(n))).collect())]),
            text_offset: vec![0],
        };
        let logprobs = scored.then_some(Logprobs::Columns(columns));
        let choice = CompletionChoice { text: " word".into(), logprobs, ..CompletionChoice::default() };
        let chunk = Completion { choices: vec![choice], ..Completion::default() };
        desk.tell(Event::Progress(ticket, Progress::Reply(Reply::Completion(chunk))));
        desk.draw();
    });
}
