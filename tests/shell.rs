//! The shell without a terminal: the real loop on a test backend, driven by a script.
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::io;
use std::time::{Duration, Instant};

use benchtop::api::call::{Call, Failure, FailureKind, Progress, Reply, Ticket};
use benchtop::api::model::Model;
use benchtop::app::input::Script;
use benchtop::app::run::{self, Exit, Hands, Inlets, News};
use benchtop::app::{App, Choice, Event, Order, Profile, Start};
use benchtop::record::{Query, Record, Rows, Stored};
use benchtop::settings::ProfileId;
use benchtop::tabs::{self, Badge, Cx, Effect, Hint, Notice, Offer, Session, Tab};
use benchtop::ui::meter::SPINNER_FRAME;
use benchtop::ui::theme::{Depth, Kind, Theme};
use crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use futures_util::stream::{self, StreamExt as _};
use ratatui::backend::TestBackend;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::{Frame, Terminal};
use tokio::sync::mpsc;

/// A tab that writes down what reaches it.
#[derive(Default)]
struct Pad {
    text: String,
    typing: bool,
    asked: Option<Ticket>,
    /// When its own spinner last moved.
    moved: Option<Instant>,
    holds: bool,
}

impl Tab for Pad {
    fn title(&self) -> &'static str {
        "Pad"
    }
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) {
        match (key.code, key.modifiers.contains(KeyModifiers::CONTROL)) {
            (KeyCode::Char('i'), false) if !self.typing => self.typing = true,
            (KeyCode::Esc, _) => {
                if let Some(ticket) = self.asked.take() {
                    cx.cancel(ticket);
                } else {
                    self.typing = false;
                }
            }
            (KeyCode::Char('r'), true) => (self.asked, self.moved) = (Some(cx.call(Call::Models)), Some(cx.now)),
            (KeyCode::Char('j'), true) => self.text.push('/'),
            (KeyCode::Char('o'), true) => cx.push(Effect::Offer(Offer::Text("t".into()))),
            (KeyCode::Char('x'), true) => self.holds = true,
            (KeyCode::Char('y'), true) => cx.copy(self.text.as_str().into()),
            (KeyCode::Enter, _) => self.text.push('!'),
            (KeyCode::Char(c), false) => self.text.push(c),
            _ => {}
        }
    }
    fn progress(&mut self, ticket: Ticket, progress: Progress, _cx: &mut Cx) {
        assert_eq!(Some(ticket), self.asked, "an answer to a call that was stopped");
        if let Progress::Closed(_) = progress {
            self.asked = None;
            self.text.push_str("(closed)");
        }
    }
    fn render(&mut self, frame: &mut Frame, area: Rect, _: &Session, _: &Theme, _: Instant) {
        frame.render_widget(Line::raw(format!("pad:{}", self.text)), area);
    }
    fn hints(&self) -> Vec<Hint> {
        vec![Hint::new("⏎", "send")]
    }
    fn paste(&mut self, text: &str, _cx: &mut Cx) {
        // A backend in memory drops control characters: here they are seen.
        self.text.push_str(&text.replace('\n', "/").replace('\u{1b}', "<esc>"));
    }
    fn takes(&self, _: &Offer) -> Option<&'static str> {
        None
    }
    fn badge(&self) -> Option<Badge> {
        self.asked.map(|_| Badge::Busy)
    }
    fn escape(&self) -> Option<&'static str> {
        if self.asked.is_some() { Some("stop") } else { self.typing.then_some("leave") }
    }
    fn due(&self) -> Option<Instant> {
        self.asked.and(self.moved).map(|at| at + SPINNER_FRAME)
    }
    fn tick(&mut self, cx: &mut Cx) {
        self.moved = Some(cx.now);
    }
    fn interrupt(&mut self, cx: &mut Cx) -> bool {
        self.asked.take().inspect(|ticket| cx.cancel(*ticket)).is_some()
    }
    fn typing(&self) -> bool {
        self.typing
    }
    fn holds_quit(&self) -> Option<String> {
        self.holds.then(|| "an upload runs".into())
    }
}

fn app() -> App {
    app_that(false)
}

/// A workbench in which things may move, or may not.
fn app_that(motion: bool) -> App {
    let mut tabs: Vec<Box<dyn Tab>> = vec![Box::<Pad>::default()];
    tabs.extend(tabs::later::LATER.map(|tab| Box::new(tab) as Box<dyn Tab>));
    let profile = |name: &str, local| Profile {
        id: ProfileId(name.into()),
        name: name.into(),
        host: format!("https://{name}.example/v1").into(),
        model: "gpt-mini".into(),
        local,
    };
    let session = Session {
        profile: ProfileId("work".into()),
        profile_name: "work".into(),
        model: "gpt-mini".into(),
        motion,
        ..Session::default()
    };
    let start = Start {
        tabs,
        theme: Theme::of(Kind::Mono, Depth::Indexed),
        depth: Depth::Indexed,
        session,
        profiles: vec![profile("local", true), profile("work", false)],
        mouse: true,
        warnings: Vec::new(),
    };
    App::new(start, Instant::now(), 0)
}

fn key(code: KeyCode, modifiers: KeyModifiers) -> Event {
    Event::Input(Input::Key(KeyEvent::new(code, modifiers)))
}

/// Presses keys 50 ms apart: `^x` is Ctrl+x, `\n` Enter, `\u{1b}` Esc.
fn press(app: &mut App, keys: &str) -> Vec<Order> {
    let mut now = Instant::now();
    let (mut orders, mut chars) = (Vec::new(), keys.chars());
    while let Some(c) = chars.next() {
        now += Duration::from_millis(50);
        let event = match c {
            '^' => key(KeyCode::Char(chars.next().unwrap()), KeyModifiers::CONTROL),
            '\n' => key(KeyCode::Enter, KeyModifiers::NONE),
            '\u{1b}' => key(KeyCode::Esc, KeyModifiers::NONE),
            c => key(KeyCode::Char(c), KeyModifiers::NONE),
        };
        orders.extend(app.update(event, now, 0));
    }
    orders
}

fn screen(app: &mut App, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| app.render(frame, Instant::now())).unwrap();
    terminal.backend().to_string()
}

fn lines(app: &mut App, width: u16, height: u16) -> Vec<String> {
    screen(app, width, height).lines().map(|line| line.trim_matches('"').to_owned()).collect()
}

fn closed(orders: &[Order]) -> Ticket {
    orders.iter().find_map(|order| if let Order::Call(ticket, ..) = order { Some(*ticket) } else { None }).unwrap()
}

fn failure(kind: FailureKind) -> Failure {
    Failure::new(kind, "no connection")
}

#[test]
fn header_and_footer_at_three_sizes() {
    let mut app = app();
    press(&mut app, "i");
    let wide = lines(&mut app, 120, 36);
    assert!(
        wide[0].starts_with(" benchtop  ▐1 Pad▌  2 Complete   3 Moderate   4 Embed   5 Files   6 Tune "),
        "{}",
        wide[0]
    );
    assert!(wide[0].ends_with("● work · gpt-mini"), "{}", wide[0]);
    assert!(wide[35].starts_with(" ⏎ send  esc leave  ^P commands  F1 help "), "{}", wide[35]);
    assert!(wide[35].ends_with("today $0.00"), "{}", wide[35]);
    let medium = lines(&mut app, 80, 24);
    assert!(medium[0].starts_with("▐1 Pad▌ 2 Compl  3 Mod  4 Embed  5 Files  6 Tune "), "{}", medium[0]);
    assert!(medium[0].ends_with("● gpt-mini"), "{}", medium[0]);
    let narrow = lines(&mut app, 40, 12);
    assert!(narrow[0].starts_with("▐1/6 Pad▌") && narrow[0].trim_end().ends_with('●'), "{}", narrow[0]);
    assert!(narrow[11].starts_with(" esc leave  ⏎ send") && narrow[11].ends_with("$0.00"), "{}", narrow[11]);
    let small = screen(&mut app, 34, 8);
    assert!(small.contains("Terminal too small") && small.contains("34 × 8") && small.contains("^Q quits"), "{small}");
}

#[test]
fn an_unknown_ticket_is_dropped_and_ctrl_c_stops_before_it_quits() {
    let mut app = app();
    let ticket = closed(&press(&mut app, "^r"));
    let orders = press(&mut app, "^c");
    assert_eq!(orders, [Order::Cancel(ticket)]);
    // The tab asserts that nothing of it arrives any more.
    app.update(Event::Progress(ticket, Progress::Closed(Ok(()))), Instant::now(), 0);
    assert!(!press(&mut app, "^c").contains(&Order::Quit));
    assert!(press(&mut app, "a^c").is_empty(), "another key in between forgets the first");
    assert!(press(&mut app, "^c").contains(&Order::Quit));
}

#[test]
fn quitting_asks_when_something_would_be_lost() {
    let mut app = app();
    press(&mut app, "^x");
    assert!(press(&mut app, "q").is_empty());
    assert!(screen(&mut app, 80, 24).contains("an upload runs"));
    assert!(press(&mut app, "\n").is_empty(), "the cursor starts on staying");
    press(&mut app, "q");
    let tab = key(KeyCode::Tab, KeyModifiers::NONE);
    app.update(tab, Instant::now(), 0);
    assert_eq!(press(&mut app, "\n"), [Order::Quit]);
}

#[test]
fn letters_digits_and_alt_in_text_and_browse() {
    let mut app = app();
    press(&mut app, "iq1?");
    assert!(screen(&mut app, 80, 24).contains("pad:q1?"));
    app.update(key(KeyCode::Char('2'), KeyModifiers::ALT), Instant::now(), 0);
    assert!(screen(&mut app, 80, 24).contains("▐2 Complete▌"));
    press(&mut app, "1");
    // Esc and a letter that came as one: text is left, the letter is a shortcut.
    let orders = app.update(key(KeyCode::Char('q'), KeyModifiers::ALT), Instant::now(), 0);
    assert_eq!(orders, [Order::Quit]);
    let release = KeyEvent { kind: KeyEventKind::Release, ..KeyEvent::new(KeyCode::Char('q'), KeyModifiers::NONE) };
    assert!(app.update(Event::Input(Input::Key(release)), Instant::now(), 0).is_empty());
}

#[test]
fn a_paste_sends_nothing() {
    let mut app = app();
    press(&mut app, "i");
    let now = Instant::now();
    app.update(Event::Input(Input::Paste("one\r\ntwo\u{1b}[31m".into())), now, 0);
    app.update(key(KeyCode::Enter, KeyModifiers::NONE), now + Duration::from_millis(100), 0);
    app.update(key(KeyCode::Enter, KeyModifiers::NONE), now + Duration::from_millis(400), 0);
    assert!(screen(&mut app, 80, 24).contains("pad:one/two[31m/!"));
}

#[test]
fn the_palette_finds_runs_and_remembers() {
    let mut app = app();
    press(&mut app, "^ptune\n");
    assert!(screen(&mut app, 80, 24).contains("▐6 Tune▌"));
    press(&mut app, "^p");
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("▸"), "{text}");
    press(&mut app, "\u{1b}1^p");
    let first = screen(&mut app, 80, 24).lines().find(|line| line.contains('▸')).unwrap().to_owned();
    assert!(first.contains("Go to Tune"), "recent first: {first}");
}

#[test]
fn a_profile_is_switched_and_calls_in_flight_go_on() {
    let mut app = app();
    let ticket = closed(&press(&mut app, "^r"));
    let orders = press(&mut app, "^pprofile: local\n");
    assert!(app.session().local && app.session().profile == ProfileId("local".into()));
    assert!(!orders.contains(&Order::Cancel(ticket)), "it goes on where it began");
    let models = orders.iter().any(|order| matches!(order, Order::Call(_, id, Call::Models) if id.0 == "local"));
    assert!(models, "{orders:?}");
    app.update(Event::Progress(ticket, Progress::Closed(Ok(()))), Instant::now(), 0);
    assert!(screen(&mut app, 80, 24).contains("pad:(closed)"));
}

#[test]
fn a_profile_that_was_added_is_in_use() {
    let mut app = app();
    press(&mut app, "^pprofile: add\n4home\n\n");
    let new = Profile { id: ProfileId("home".into()), name: "home".into(), ..Profile::default() };
    app.update(Event::Profiles(vec![new]), Instant::now(), 0);
    assert_eq!(app.session().profile, ProfileId("home".into()));
}

#[test]
fn a_server_that_lists_no_models_takes_a_name() {
    let mut app = app();
    let asked = press(&mut app, "^pmodel: choose\n");
    let ticket = closed(&asked);
    app.update(Event::Progress(ticket, Progress::Closed(Err(failure(FailureKind::Offline)))), Instant::now(), 0);
    assert!(screen(&mut app, 80, 24).contains("no connection"));
    press(&mut app, "llama-9");
    assert!(screen(&mut app, 80, 24).contains("⏎ uses this name as it is"));
    press(&mut app, "\n");
    assert_eq!(app.session().model, "llama-9");
}

#[test]
fn a_theme_is_chosen_by_name() {
    let mut app = app();
    let ground = |app: &mut App| {
        let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
        press(app, "^p");
        terminal.draw(|frame| app.render(frame, Instant::now())).unwrap();
        press(app, "\u{1b}");
        terminal.backend().buffer()[(40, 12)].bg
    };
    let before = ground(&mut app);
    press(&mut app, "^ptheme: dark\n");
    assert_ne!(ground(&mut app), before);
}

#[test]
fn offline_is_shown_and_ends_with_the_next_answer() {
    let mut app = app();
    let ticket = closed(&press(&mut app, "^r"));
    let down = Progress::Retrying { attempt: 2, of: 3, at: Instant::now(), why: failure(FailureKind::Offline) };
    app.update(Event::Progress(ticket, down), Instant::now(), 0);
    assert!(screen(&mut app, 120, 36).contains("○ offline"));
    app.update(Event::Progress(ticket, Progress::Opened { request_id: None }), Instant::now(), 0);
    assert!(screen(&mut app, 120, 36).contains("● work · gpt-mini"));
}

#[test]
fn today_is_asked_at_the_start_and_the_model_is_remembered() {
    let mut app = app();
    let orders = app.update(Event::Started, Instant::now(), 86_400_000);
    let spent = orders.iter().find_map(|order| match order {
        Order::Load(ticket, Query::Spent { profile, .. }) if profile == "work" => Some(*ticket),
        _ => None,
    });
    app.update(Event::Stored(spent.unwrap(), Stored::Rows(Rows::Spent(370_000_000, 0))), Instant::now(), 0);
    assert!(screen(&mut app, 80, 24).contains("day $0.37"));
    assert!(!orders.iter().any(|order| matches!(order, Order::Call(..))), "a remote server is left in peace");
    let ticket = closed(&press(&mut app, "^pmodel: choose\n"));
    let models = ["gpt-mini", "gpt-large"].map(|id| Model { id: id.into(), ..Model::default() }).to_vec();
    app.update(Event::Progress(ticket, Progress::Reply(Reply::Models(models))), Instant::now(), 0);
    let orders = press(&mut app, "large\n");
    assert_eq!(app.session().model, "gpt-large");
    let work = ProfileId("work".into());
    assert_eq!(orders, [Order::Remember(Choice::Model(work.clone(), "gpt-large".into()))]);
    let orders = press(&mut app, "^pprofile: local\n");
    assert!(orders.contains(&Order::Remember(Choice::Profile(ProfileId::local()))), "{orders:?}");
    app.update(Event::Input(Input::FocusGained), Instant::now(), 0);
    let models = [Model { id: "small".into(), ..Model::default() }].to_vec();
    app.update(Event::Progress(closed(&orders), Progress::Reply(Reply::Models(models))), Instant::now(), 0);
    let orders = press(&mut app, "^pmodel: small\n");
    let kept = Record::Setting("model:local".into(), "small".into());
    assert!(matches!(&orders[..], [Order::Record(_, record)] if *record == kept), "{orders:?}");
    press(&mut app, "^pprofile: work\n");
    assert_eq!((&app.session().profile, app.session().model.raw()), (&work, "gpt-large"), "each keeps its model");
}

#[test]
fn notices_are_made_safe_and_kept() {
    let mut app = app();
    app.update(Event::Unsaved("the disk is full\u{1b}[2J".into()), Instant::now(), 0);
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("✕ not saved: the disk is full␛[2J"), "{text}");
    assert_eq!(app.due(), None, "what stays costs no wake-ups");
    app.update(Event::Said(Notice::ok("copied")), Instant::now(), 0);
    app.tick(app.due().unwrap(), 0);
    assert!(!screen(&mut app, 80, 24).contains("copied"));
    press(&mut app, "^pmessages\n");
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("copied") && text.contains("the disk is full␛[2J"), "{text}");
}

#[test]
fn a_second_ctrl_c_is_asked_for_as_long_as_it_counts() {
    let (mut app, start) = (app(), Instant::now());
    app.update(key(KeyCode::Char('c'), KeyModifiers::CONTROL), start, 0);
    assert!(screen(&mut app, 80, 24).contains("press ^C again"));
    let end = start + Duration::from_millis(1500);
    assert_eq!(app.due(), Some(end));
    app.tick(end, 0);
    assert!(!screen(&mut app, 80, 24).contains("press ^C again"));
}

#[test]
fn a_notice_taller_than_the_room_begins_and_messages_have_all_of_it() {
    let mut app = app();
    let words: Vec<String> = (0..120).map(|n| format!("word{n}")).collect();
    app.update(Event::Kept(Notice::error(words.join(" "))), Instant::now(), 0);
    let text = screen(&mut app, 40, 12);
    assert!(text.contains("✕ word0 word1") && !text.contains("word119"), "{text}");
    press(&mut app, "\u{1b}\u{1b}^pmessages\n");
    assert!(!screen(&mut app, 40, 12).contains("word119"));
    press(&mut app, "G");
    let end = screen(&mut app, 40, 12);
    assert!(end.contains("word119"), "{end}");
    press(&mut app, "j");
    assert_eq!(screen(&mut app, 40, 12), end, "there is nothing below the end");
    press(&mut app, "k");
    let above = screen(&mut app, 40, 12);
    assert!(above != end && !above.contains("word119"), "one row up shows at once:\n{above}");
}

#[test]
fn a_profile_that_cannot_be_kept_leaves_its_form_open() {
    let mut app = app();
    assert_eq!(press(&mut app, "^pprofile: add\n4work\n"), []);
    let sent = press(&mut app, "\n");
    assert!(matches!(&sent[..], [Order::AddProfile(new)] if new.name == "work"), "{sent:?}");
    assert_eq!(press(&mut app, "\n"), [], "once is enough");
    app.update(Event::NotAdded("there is a profile work already\u{1b}[2J".into()), Instant::now(), 0);
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("✕ there is a profile work already␛[2J") && text.contains("Add a profile"), "{text}");
    app.update(key(KeyCode::Tab, KeyModifiers::NONE), Instant::now(), 0);
    let sent = press(&mut app, "2\n\n");
    assert!(matches!(&sent[..], [Order::AddProfile(new)] if new.name == "work2"), "{sent:?}");
    app.update(Event::Profiles(Vec::new()), Instant::now(), 0);
    assert!(!screen(&mut app, 80, 24).contains("Add a profile"));
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

/// Random keys, replies and sizes: nothing breaks, and it can always be left.
#[test]
fn a_thousand_random_keys_survive_at_every_size() {
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % below
    };
    let sizes = [(20, 5), (1, 1), (40, 10), (59, 18), (80, 24), (120, 36), (200, 60)];
    let mut app = app();
    let mut open = Vec::new();
    let mut now = Instant::now();
    for step in 0..1000 {
        now += Duration::from_millis(random(200));
        let modifiers =
            [KeyModifiers::NONE, KeyModifiers::CONTROL, KeyModifiers::ALT, KeyModifiers::SHIFT][random(4) as usize];
        let code = match random(12) {
            0 => KeyCode::Enter,
            1 => KeyCode::Esc,
            2 => KeyCode::Tab,
            3 => KeyCode::F(random(12) as u8 + 1),
            4 => [KeyCode::Up, KeyCode::Down, KeyCode::PageUp, KeyCode::PageDown, KeyCode::Home, KeyCode::End]
                [random(6) as usize],
            5 => KeyCode::Backspace,
            _ => KeyCode::Char(char::from(32 + random(95) as u8)),
        };
        let mut orders = app.update(key(code, modifiers), now, 0);
        orders.extend(app.tick(now, 0));
        for order in orders {
            match order {
                Order::Call(ticket, ..) => open.push(ticket),
                Order::Cancel(ticket) => open.retain(|open| *open != ticket),
                Order::Load(ticket, _) | Order::Record(ticket, _) => {
                    app.update(Event::Stored(ticket, Stored::Failed("full".into())), now, 0);
                }
                _ => {}
            }
        }
        if !open.is_empty() && random(3) == 0 {
            let ticket = open.swap_remove(random(open.len() as u64) as usize);
            let end = if random(2) == 0 { Ok(()) } else { Err(failure(FailureKind::Offline)) };
            app.update(Event::Progress(ticket, Progress::Closed(end)), now, 0);
        }
        let (width, height) = sizes[step % sizes.len()];
        screen(&mut app, width, height);
    }
    for _ in 0..20 {
        press(&mut app, "\u{1b}");
    }
    assert!(screen(&mut app, 120, 36).contains("? help"), "Esc ends in browse");
}

/// What the loop ordered.
#[derive(Default)]
struct Book {
    orders: Vec<Order>,
}

impl Hands for Book {
    fn perform(&mut self, order: Order) {
        self.orders.push(order);
    }
    fn hear(&mut self, news: News) -> Option<Event> {
        if let News::Said(notice) = news { Some(Event::Said(notice)) } else { None }
    }
    fn edit(&mut self, text: String) -> run::Editing {
        Box::pin(std::future::ready(Ok(Some(text))))
    }
    fn suspend(&mut self, _: bool) -> io::Result<Duration> {
        Ok(Duration::from_mins(3))
    }
    fn background(&mut self, _: u8, _: u8, _: u8) -> Vec<Event> {
        Vec::new()
    }
}

struct Looped {
    exit: Exit,
    screen: String,
    orders: Vec<Order>,
}

fn looped(events: Vec<Input>, news: Vec<News>) -> Looped {
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
        let events = stream::iter(events.into_iter().map(Ok));
        let mut input = Script(events.chain(if ends { stream::empty().boxed() } else { stream::pending().boxed() }));
        let (mut app, mut hands) = (app(), Book::default());
        let mut inlets = Inlets { progress, news: inlet };
        run::draw(&mut terminal, &mut app).unwrap();
        let exit = run::run(&mut terminal, &mut input, &mut app, &mut hands, &mut inlets).await.unwrap();
        run::draw(&mut terminal, &mut app).unwrap();
        Looped { exit, screen: terminal.backend().to_string(), orders: hands.orders }
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
    assert!(looped.orders.contains(&Order::Title("benchtop · Pad".into())));
}

#[test]
fn the_loop_ends_with_signals_and_the_terminal() {
    assert_eq!(looped(vec![], vec![]).exit, Exit::Hangup, "input that has ended is a terminal that is gone");
    assert_eq!(Exit::Hangup.status(), 129);
    for (number, status) in [(1, 129), (2, 130), (15, 143)] {
        let looped = looped(typed("ihello"), vec![News::Said(Notice::ok("before")), News::Signal(number)]);
        assert_eq!((looped.exit, looped.exit.status()), (Exit::Signal(number), status));
        assert!(looped.screen.contains("pad:hello") && looped.screen.contains("before"), "{}", looped.screen);
    }
    assert_eq!(looped(vec![], vec![News::Hangup, News::Signal(15)]).exit, Exit::Hangup, "the first word counts");
    assert_eq!(Exit::Quit.status(), 0);
}

#[test]
fn suspending_says_for_how_long() {
    let ctrl_z = Input::Key(KeyEvent::new(KeyCode::Char('z'), KeyModifiers::CONTROL));
    let looped = looped(vec![ctrl_z], vec![]);
    assert!(looped.screen.contains("was suspended for 3 min"), "{}", looped.screen);
}
