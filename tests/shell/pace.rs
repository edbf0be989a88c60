//! How soon the real loop draws what arrives, on a clock that the test moves.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use benchtop::api::call::{Call, Progress, Reply, Ticket};
use benchtop::app::input::Script;
use benchtop::app::run::{self, EffectHandler, Exit, Receivers};
use benchtop::app::{App, Effect, Event, Start};
use benchtop::component::{Component, Cx, Handled, Hint, RenderContext, Response, Session};
use benchtop::record::Stored;
use benchtop::tabs::{Badge, Tab};
use benchtop::ui::meter::SPINNER_FRAME;
use benchtop::ui::theme::{Appearance, Depth, Kind};
use crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyModifiers};
use futures_util::stream::{self, StreamExt as _};
use ratatui::backend::TestBackend;
use ratatui::layout::Rect;
use ratatui::{Frame, Terminal};
use tokio::sync::mpsc;

/// Tokens of an answer, and the time from one to the next.
const TOKENS: usize = 200;
const APART: Duration = Duration::from_millis(20);

/// When each frame was drawn, and how many tokens it showed.
type Drawn = Arc<Mutex<Vec<(Instant, usize)>>>;

/// A tab that asks with the first key and counts what comes, beside a spinner.
struct Counter {
    asked: Option<Ticket>,
    ticked: Option<Instant>,
    came: usize,
    drawn: Drawn,
}

impl Counter {
    fn progress(&mut self, _: Ticket, progress: Progress, _: &mut Cx) {
        self.came += usize::from(matches!(progress, Progress::Reply(_)));
    }
}

impl Component for Counter {
    fn key(&mut self, _: KeyEvent, cx: &mut Cx) -> Handled<()> {
        (self.asked, self.ticked) = (Some(cx.call(Call::Models)), Some(cx.now));
        Handled::Consumed
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<()> {
        match response.take() {
            Response::Call(progress) => self.progress(ticket, progress, cx),
            _ => return Handled::Ignored,
        }
        Handled::Consumed
    }

    fn render(&self, _: &mut Frame, _: Rect, context: RenderContext) {
        self.drawn.lock().unwrap().push((context.now, self.came));
    }

    fn hints(&self) -> Vec<Hint> {
        Vec::new()
    }

    fn due(&self) -> Option<Instant> {
        self.asked.and(self.ticked).map(|at| at + SPINNER_FRAME)
    }

    fn tick(&mut self, cx: &mut Cx) {
        self.ticked = Some(cx.now);
    }
}

impl Tab for Counter {
    fn title(&self) -> &'static str {
        "Counter"
    }

    fn badge(&self) -> Option<Badge> {
        self.asked.map(|_| Badge::Busy)
    }
}

/// Passes the call's ticket on.
struct Caller(mpsc::UnboundedSender<Ticket>);

impl EffectHandler for Caller {
    fn perform(&mut self, effect: Effect) {
        if let Effect::Call(ticket, ..) = effect {
            self.0.send(ticket).unwrap();
        }
    }
    fn handle(&mut self, event: Event) -> Option<Event> {
        Some(event)
    }
    fn edit(&mut self, _: String) -> run::Editing {
        Box::pin(std::future::pending())
    }
    fn suspend(&mut self, _: bool) -> io::Result<Duration> {
        Ok(Duration::ZERO)
    }
    fn background(&mut self, _: u8, _: u8, _: u8) -> Vec<Event> {
        Vec::new()
    }
}

fn app(drawn: &Drawn) -> App {
    let tab = Counter { asked: None, ticked: None, came: 0, drawn: Arc::clone(drawn) };
    let start = Start {
        tabs: vec![Box::new(tab)],
        appearance: Appearance::fixed(Kind::Mono, Depth::None),
        session: Session { model: "m".into(), motion: true, ..Session::default() },
        profiles: Vec::new(),
        mouse: false,
        warnings: Vec::new(),
    };
    App::new(start, tokio::time::Instant::now().into_std(), 0)
}

/// Streams an answer through the loop. Returns when each token was sent, and the frames.
async fn streamed() -> (Vec<Instant>, Vec<(Instant, usize)>) {
    let drawn = Drawn::default();
    let mut app = app(&drawn);
    let (progress, inlet) = mpsc::channel(64);
    let (told, news) = mpsc::unbounded_channel();
    let (caller, mut called) = mpsc::unbounded_channel();
    let server = tokio::spawn(async move {
        let ticket = called.recv().await.unwrap();
        progress.send((ticket, Progress::Opened { request_id: None })).await.unwrap();
        let mut sent = Vec::new();
        for n in 0..TOKENS {
            // Not in step with frames or spinner.
            tokio::time::sleep(APART).await;
            sent.push(tokio::time::Instant::now().into_std());
            progress.send((ticket, Progress::Reply(Reply::Models(Vec::new())))).await.unwrap();
            if n % 50 == 7 {
                // Each second a part of the answer was kept.
                tokio::time::sleep(Duration::from_millis(3)).await;
                told.send(Event::Stored(Ticket(1), Stored::Committed)).ok().unwrap();
            }
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        told.send(Event::Hangup).ok().unwrap();
        sent
    });
    let key = Input::Key(KeyEvent::new(KeyCode::Char('x'), KeyModifiers::NONE));
    let mut input = Script(stream::iter([Ok(key)]).chain(stream::pending()));
    let mut screen = Terminal::new(TestBackend::new(80, 24)).unwrap();
    let mut receivers = Receivers { progress: inlet, events: news };
    let exit = run::run(&mut screen, &mut input, &mut app, &mut Caller(caller), &mut receivers).await.unwrap();
    assert_eq!(exit, Exit::Hangup);
    let sent = server.await.unwrap();
    let drawn = drawn.lock().unwrap().clone();
    (sent, drawn)
}

#[tokio::test(start_paused = true)]
async fn each_token_of_fifty_a_second_is_drawn_at_once_whatever_else_moves() {
    let (sent, drawn) = streamed().await;
    for (n, sent) in sent.iter().enumerate() {
        let (seen, _) = drawn.iter().find(|(_, came)| *came > n).expect("each token is drawn");
        assert_eq!(seen.saturating_duration_since(*sent), Duration::ZERO, "token {n}");
    }
    // One for each token; the spinner moves with them, and what else happens needs a few.
    assert!(drawn.len() <= TOKENS + 12, "{} frames", drawn.len());
}
