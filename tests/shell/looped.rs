//! The real loop on a test backend, driven by a script; when it wakes and when it ends.

use std::io;
use std::time::{Duration, Instant};

use benchtop::app::input::Script;
use benchtop::app::run::{self, EffectHandler, Exit, Receivers};
use benchtop::app::{Effect, Event};
use benchtop::component::Notice;
use crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyModifiers};
use futures_util::stream::{self, StreamExt as _};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use tokio::sync::mpsc;

use crate::desk::{app, app_that, key};

/// What the loop ordered.
#[derive(Default)]
struct Book {
    effects: Vec<Effect>,
}

impl EffectHandler for Book {
    fn perform(&mut self, effect: Effect) {
        self.effects.push(effect);
    }
    fn handle(&mut self, event: Event) -> Option<Event> {
        Some(event)
    }
    fn edit(&mut self, text: String) -> run::Editing {
        Box::pin(std::future::ready(Event::Edited(Some(text))))
    }
    fn suspend(&mut self, _: bool) -> io::Result<Duration> {
        Ok(Duration::from_mins(3))
    }
    fn background(&mut self, _: u8, _: u8, _: u8) -> Vec<Event> {
        Vec::new()
    }
}

/// How long each event takes to arrive in the loop, as on a busy machine: longer than between keys of a person.
const EVENT_TIME: Duration = Duration::from_millis(20);

struct Looped {
    exit: Exit,
    screen: String,
    effects: Vec<Effect>,
}

fn looped(events: Vec<Input>, news: Vec<Event>) -> Looped {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (_progress, progress) = mpsc::channel(64);
        // With news to hear the user is quiet; else the script's end is the terminal's.
        let ends = news.is_empty();
        let (sender, inlet) = mpsc::unbounded_channel();
        for news in news {
            sender.send(news).ok().unwrap();
        }
        let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
        let slowly = |event| {
            std::thread::sleep(EVENT_TIME);
            Ok(event)
        };
        let events = stream::iter(events.into_iter().map(slowly));
        let mut input = Script(events.chain(if ends { stream::empty().boxed() } else { stream::pending().boxed() }));
        let (mut app, mut hands) = (app(), Book::default());
        let mut receivers = Receivers { progress, events: inlet };
        run::draw(&mut terminal, &mut app).unwrap();
        let exit = run::run(&mut terminal, &mut input, &mut app, &mut hands, &mut receivers).await.unwrap();
        run::draw(&mut terminal, &mut app).unwrap();
        Looped { exit, screen: terminal.backend().to_string(), effects: hands.effects }
    })
}

fn typed(text: &str) -> Vec<Input> {
    text.chars().map(|c| Input::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE))).collect()
}

#[test]
fn the_loop_draws_what_is_typed_and_ends_when_told() {
    let ctrl_q = Input::Key(KeyEvent::new(KeyCode::Char('q'), KeyModifiers::CONTROL));
    let events: Vec<Input> = typed("ihello").into_iter().chain([ctrl_q]).collect();
    let looped = looped(events, vec![]);
    assert_eq!(looped.exit, Exit::Quit);
    assert!(looped.screen.contains("pad:hello"), "{}", looped.screen);
    assert!(looped.effects.contains(&Effect::Title("benchtop · Pad".into())));
}

#[test]
fn enter_among_keys_that_arrive_together_is_a_newline_however_busy_the_machine_is() {
    let enter = Input::Key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE));
    let events: Vec<Input> = typed("ifirst line").into_iter().chain([enter]).chain(typed("second")).collect();
    let looped = looped(events, vec![]);
    assert!(looped.screen.contains("pad:first line/second"), "{}", looped.screen);
}

#[test]
fn the_loop_ends_with_signals_and_the_terminal() {
    assert_eq!(looped(vec![], vec![]).exit, Exit::Hangup, "input that has ended is a terminal that is gone");
    assert_eq!(Exit::Hangup.status(), 129);
    for (number, status) in [(1, 129), (2, 130), (15, 143)] {
        let looped = looped(typed("ihello"), vec![Event::Notice(Notice::ok("before")), Event::Signal(number)]);
        assert_eq!((looped.exit, looped.exit.status()), (Exit::Signal(number), status));
        assert!(looped.screen.contains("pad:hello") && looped.screen.contains("before"), "{}", looped.screen);
    }
    assert_eq!(looped(vec![], vec![Event::Hangup, Event::Signal(15)]).exit, Exit::Hangup, "the first word counts");
    assert_eq!(Exit::Quit.status(), 0);
}

#[test]
fn suspending_says_for_how_long() {
    let ctrl_z = Input::Key(KeyEvent::new(KeyCode::Char('z'), KeyModifiers::CONTROL));
    let looped = looped(vec![ctrl_z], vec![]);
    assert!(looped.screen.contains("was suspended for 3 m"), "{}", looped.screen);
}

#[test]
fn one_wake_up_moves_every_spinner_and_few_are_needed_when_nothing_may_move() {
    for (motion, most) in [(true, 9), (false, 2)] {
        let mut app = app_that(motion);
        let mut now = Instant::now() + Duration::from_millis(40);
        let end = now + Duration::from_secs(1);
        app.update(key(KeyCode::Char('r'), KeyModifiers::CONTROL), now, 0);
        let mut wakes = 0;
        while let Some(due) = app.due().filter(|due| *due < end) {
            now = now.max(due);
            app.tick(now, 0);
            wakes += 1;
        }
        assert!((1..=most).contains(&wakes), "motion {motion}: {wakes} in a second");
    }
}
