//! What a key costs in the whole workbench with 200,000 characters in Complete's buffer: the event, the state, the
//! frame at 120 columns and 36 rows, also where a model has scored all of it. What a streamed token costs there, with
//! and without probabilities.
#![allow(missing_docs)]

use std::cell::RefCell;
use std::time::{Duration, Instant};

use benchtop::api::call::{Call, Progress, Reply, Ticket};
use benchtop::api::completion::{Completion, CompletionChoice, LogprobColumns, Logprobs};
use benchtop::app::{App, Effect, Event, Profile, Start};
use benchtop::component::Session;
use benchtop::record::{Query, Rows, Stored};
use benchtop::settings::ProfileId;
use benchtop::tabs::{self};
use benchtop::ui::theme::{Appearance, Depth, Kind};
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
    /// What Complete's settings were.
    settings: &'static str,
}

impl Desk {
    fn new(text: &str) -> Self {
        Self::with(text, "{}")
    }

    fn with(text: &str, settings: &'static str) -> Self {
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
        let mut desk = Self { app: App::new(start, now, 0), terminal, now, call: None, settings };
        desk.tell(Event::Started);
        desk.key(KeyCode::Esc);
        desk.key(KeyCode::Char('2'));
        desk.tell(Event::Input(Input::Paste(text.to_owned())));
        desk.draw();
        desk
    }

    fn tell(&mut self, event: Event) {
        self.now += Duration::from_millis(50);
        let effects = self.app.update(event, self.now, 0);
        for effect in effects {
            let (ticket, stored) = match effect {
                Effect::TrySave(ticket, _) | Effect::Save(ticket, _) => (ticket, Stored::Committed),
                Effect::Load(ticket, Query::Setting(name)) => {
                    let kept = (name == "completion.settings").then(|| self.settings.into());
                    (ticket, Stored::Rows(Rows::Setting(name, kept)))
                }
                Effect::Call(ticket, _, Call::Complete(_)) => {
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

    fn ctrl(&mut self, code: KeyCode) {
        self.tell(Event::Input(Input::Key(KeyEvent::new(code, KeyModifiers::CONTROL))));
    }

    fn run(&mut self) -> Ticket {
        self.ctrl(KeyCode::Char('r'));
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
    if place != "end" {
        desk.ctrl(KeyCode::Home);
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

/// The text in pieces of four or five bytes, each with five alternatives.
fn told(text: &str) -> LogprobColumns {
    let mut columns = LogprobColumns::default();
    let (mut rest, mut tops) = (text, Vec::new());
    while !rest.is_empty() {
        let (token, after) = rest.split_at(rest.len().min(4 + columns.tokens.len() % 2));
        columns.tokens.push(token.to_owned());
        columns.token_logprobs.push(Some(-0.5));
        let other = |n| (if n == 0 { token.to_owned() } else { format!(" word{n}") }, -0.5 - f64::from(n));
        tops.push(Some((0..5).map(other).collect()));
        rest = after;
    }
    columns.top_logprobs = Some(tops);
    columns
}

/// A desk with a text that was scored: as the prompt of an echo, or as what a model wrote.
fn scored(echoed: bool) -> Desk {
    let text = prose();
    let settings = r#"{"params":{"echo":true,"logprobs":5}}"#;
    let mut desk = Desk::with(if echoed { &text } else { "A" }, if echoed { settings } else { "{}" });
    let ticket = desk.run();
    let text = if echoed { format!("{text} more") } else { text };
    let logprobs = Some(Logprobs::Columns(told(&text)));
    let choice = CompletionChoice { text, logprobs, ..CompletionChoice::default() };
    let answer = Completion { choices: vec![choice], ..Completion::default() };
    desk.tell(Event::Progress(ticket, Progress::Reply(Reply::Completion(answer))));
    desk.tell(Event::Progress(ticket, Progress::Closed(Ok(()))));
    desk.key(KeyCode::Char('i'));
    desk.draw();
    let screen = desk.terminal.backend().to_string();
    assert!(screen.contains(" of 44,"), "as many tokens as there should be: {screen}");
    desk
}

/// A key typed and drawn in a text of 44,000 scored tokens: at the end of an echoed prompt and what came behind it,
/// before it (which ends its scores, and is undone each time), before as many tokens that a model wrote, into the midst
/// of them.
#[divan::bench(args = ["prompt, end", "prompt, begin", "written, begin", "written, middle"], sample_count = 60, sample_size = 1)]
fn scored_key(bencher: Bencher, place: &str) {
    let desk = RefCell::new(scored(place.starts_with("prompt")));
    let caret = |desk: &mut Desk| match place {
        "prompt, end" => desk.ctrl(KeyCode::End),
        "written, middle" => {
            for _ in 0..60 {
                desk.key(KeyCode::PageUp);
                desk.draw();
            }
        }
        _ => desk.ctrl(KeyCode::Home),
    };
    caret(&mut desk.borrow_mut());
    let undone = || {
        let mut desk = desk.borrow_mut();
        if place == "prompt, begin" {
            desk.key(KeyCode::Esc);
            desk.key(KeyCode::Char('u'));
            desk.key(KeyCode::Char('i'));
            caret(&mut desk);
            desk.draw();
        }
    };
    bencher.with_inputs(undone).bench_local_refs(|()| {
        let mut desk = desk.borrow_mut();
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
