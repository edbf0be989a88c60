//! The shell without a terminal, one of its tabs a tab that writes down what reaches it.

use std::time::Instant;

use benchtop::api::call::{Call, Failure, FailureKind, Progress, Ticket};
use benchtop::app::{App, Event, Profile, Start};
use benchtop::component::{Component, Cx, Effect, Handled, Hint, Offer, RenderContext, Response, Session};
use benchtop::settings::ProfileId;
use benchtop::tabs::{self, Badge, Tab};
use benchtop::ui::editing::EditAction;
use benchtop::ui::meter::SPINNER_FRAME;
use benchtop::ui::theme::{Appearance, Depth, Kind, OwnTheme};
use crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyModifiers};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::kit::{APART, keys_of};

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

impl Pad {
    fn progress(&mut self, ticket: Ticket, progress: Progress, _cx: &mut Cx) {
        assert_eq!(Some(ticket), self.asked, "an answer to a call that was stopped");
        if let Progress::Closed(_) = progress {
            self.asked = None;
            self.text.push_str("(closed)");
        }
    }
}

impl Component for Pad {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<()> {
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
            _ if EditAction::of(&key) == Some(EditAction::Newline) => self.text.push('/'),
            (KeyCode::Char('o'), true) => cx.push(Effect::Offer(Offer::Text("t".into()))),
            (KeyCode::Char('x'), true) => self.holds = true,
            (KeyCode::Char('y'), true) => cx.copy(self.text.as_str().into()),
            (KeyCode::Enter, _) => self.text.push('!'),
            (KeyCode::Char(c), false) => self.text.push(c),
            _ => {}
        }
        Handled::Consumed
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<()> {
        match response.take() {
            Response::Call(progress) => self.progress(ticket, progress, cx),
            _ => return Handled::Ignored,
        }
        Handled::Consumed
    }

    fn render(&self, frame: &mut Frame, area: Rect, _: RenderContext) {
        frame.render_widget(Line::raw(format!("pad:{}", self.text)), area);
    }

    fn hints(&self) -> Vec<Hint> {
        vec![Hint::new("⏎", "send")]
    }

    fn paste(&mut self, text: &str, _cx: &mut Cx) -> Handled<()> {
        // A backend in memory drops control characters: here they are seen.
        self.text.push_str(&text.replace('\n', "/").replace('\u{1b}', "<esc>"));
        Handled::Consumed
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

    fn typing(&self) -> bool {
        self.typing
    }
}

impl Tab for Pad {
    fn title(&self) -> &'static str {
        "Pad"
    }

    fn takes(&self, _: &Offer) -> Option<&'static str> {
        None
    }

    fn badge(&self) -> Option<Badge> {
        self.asked.map(|_| Badge::Busy)
    }

    fn interrupt(&mut self, cx: &mut Cx) -> bool {
        self.asked.take().inspect(|ticket| cx.cancel(*ticket)).is_some()
    }

    fn needs_profile(&self, profile: &ProfileId) -> bool {
        self.holds && profile.0 == "work"
    }

    fn quit_warning(&self, _session: &Session) -> Option<String> {
        self.holds.then(|| "an upload runs".into())
    }
}

pub fn app() -> App {
    app_that(false)
}

/// Creates a workbench with or without animation.
pub fn app_that(motion: bool) -> App {
    app_with(Depth::Indexed, motion)
}

/// Creates a workbench on a terminal with these colours.
pub fn app_with(depth: Depth, motion: bool) -> App {
    App::new(start(depth, motion), Instant::now(), 0)
}

/// Creates a workbench with warnings from before its start.
pub fn app_warned(warnings: Vec<String>) -> App {
    App::new(Start { warnings, ..start(Depth::Indexed, false) }, Instant::now(), 0)
}

/// Creates a workbench in the dark theme, with these themes of the user's own.
pub fn app_themed(own: Vec<OwnTheme>) -> App {
    let appearance = Appearance { own, ..Appearance::fixed(Kind::Dark, Depth::True) };
    App::new(Start { appearance, ..start(Depth::True, false) }, Instant::now(), 0)
}

/// Creates a workbench of these tabs.
pub fn app_of(tabs: Vec<Box<dyn Tab>>) -> App {
    App::new(Start { tabs, ..start(Depth::Indexed, false) }, Instant::now(), 0)
}

fn start(depth: Depth, motion: bool) -> Start {
    let mut tabs: Vec<Box<dyn Tab>> = vec![Box::<Pad>::default()];
    tabs.push(Box::new(tabs::completion::Complete::new()));
    tabs.push(Box::new(tabs::moderation::Moderate::new()));
    tabs.push(Box::new(tabs::embeddings::Embed::new()));
    tabs.push(Box::new(tabs::files::Files::new()));
    tabs.push(Box::new(tabs::fine_tunes::Tune::new()));
    let profile = |name: &str, local| Profile {
        id: ProfileId(name.into()),
        name: name.into(),
        host: format!("https://{name}.example/v1").into(),
        model: "gpt-mini".into(),
        local,
        ..Profile::default()
    };
    let session = Session {
        profile: ProfileId("work".into()),
        profile_name: "work".into(),
        model: "gpt-mini".into(),
        motion,
        ..Session::default()
    };
    Start {
        tabs,
        appearance: Appearance::fixed(Kind::Mono, depth),
        session,
        profiles: vec![profile("local", true), profile("work", false)],
        mouse: true,
        warnings: Vec::new(),
    }
}

pub fn key(code: KeyCode, modifiers: KeyModifiers) -> Event {
    Event::Input(Input::Key(KeyEvent::new(code, modifiers)))
}

/// Presses keys one after the other.
pub fn press(app: &mut App, keys: &str) -> Vec<Effect> {
    let mut now = Instant::now();
    let mut effects = Vec::new();
    for key in keys_of(keys) {
        now += APART;
        effects.extend(app.update(Event::Input(Input::Key(key)), now, 0));
    }
    effects
}

pub fn screen(app: &mut App, width: u16, height: u16) -> String {
    lines(app, width, height).join("\n")
}

pub fn lines(app: &mut App, width: u16, height: u16) -> Vec<String> {
    crate::kit::screen((width, height), |frame| app.render(frame, Instant::now()))
}

/// Returns a screen's words, without its line breaks and what marks its rows.
pub fn words(app: &mut App, width: u16, height: u16) -> String {
    let rows = lines(app, width, height);
    let words = rows.iter().flat_map(|row| row.split_whitespace());
    words.filter(|word| !["▌", "▸", "│", "↓", "↑"].contains(word)).collect::<Vec<_>>().join(" ")
}

/// Replaces the profiles, as after one was added that no form waits for.
pub fn set_profiles(app: &mut App, profiles: Vec<Profile>) {
    app.update(Event::ProfileAdded(Ticket(0), Ok(profiles)), Instant::now(), 0);
}

/// Returns the ticket under which a new profile or another key is being saved.
pub fn saving(effects: &[Effect]) -> Ticket {
    let ticket = |effect: &Effect| match effect {
        Effect::AddProfile(ticket, _) | Effect::ReplaceKey(ticket, _) => Some(*ticket),
        _ => None,
    };
    effects.iter().find_map(ticket).unwrap()
}

pub fn closed(effects: &[Effect]) -> Ticket {
    effects.iter().find_map(|effect| if let Effect::Call(ticket, ..) = effect { Some(*ticket) } else { None }).unwrap()
}

pub fn failure(kind: FailureKind) -> Failure {
    Failure::new(kind, "no connection")
}
