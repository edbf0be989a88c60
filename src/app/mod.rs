//! The shell: loop, frames, focus, overlays.
//!
//! [`App`] is a state machine as the tabs are: [`App::update`] takes an [`Event`] and returns [`Order`]s, plain data that
//! [`effects`] carries out. [`run`] is the loop between them and the terminal.

pub mod answer;
pub mod clipboard;
pub mod clock;
pub mod crash;
pub mod editor;
pub mod effects;
pub mod input;
mod keys;
pub mod log;
mod notices;
mod overlay;
mod paste;
mod popup;
mod profile_form;
pub mod run;
pub mod terminal;
mod upkeep;
mod view;
pub mod watch;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseEvent};
use ratatui::layout::Rect;

pub use profile_form::{KeySource as NewKey, NewProfile};

use self::clock::FrameClock;
use self::keys::{Action, Keys};
use self::notices::Notices;
use self::overlay::Overlay;
use self::paste::PasteGuard;
use crate::api::call::{Call, Progress, Ticket};
use crate::record::work::{Done, Work};
use crate::record::{Query, Record, Stored};
use crate::settings::ProfileId;
use crate::tabs::{Badge, Cx, Effect, Notice, Offer, Session, Tab};
use crate::ui::meter::SPINNER_FRAME;
use crate::ui::overlay::Confirm;
use crate::ui::theme::Theme;

/// How long the second Ctrl+C may take.
const TWICE: Duration = Duration::from_millis(1500);
/// How long a drag of the window's edge has to rest before the screen is wrapped again.
const SETTLE: Duration = Duration::from_millis(30);

/// Something that happened.
#[derive(Debug)]
pub enum Event {
    /// The user did something.
    Input(Input),
    /// About a call.
    Progress(Ticket, Progress),
    /// The store's answer.
    Stored(Ticket, Stored),
    /// The work threads' answer.
    Worked(Ticket, Done),
    /// The first frame is on the screen and the world is there to work with.
    Started,
    /// To be said in passing.
    Said(Notice),
    /// To be said until it is dismissed.
    Kept(Notice),
    /// The store is in memory only; why.
    Unsaved(String),
    /// The terminal reports Shift+Enter.
    ShiftEnter,
    /// Colours to draw with from now on.
    Theme(Box<Theme>),
    /// What `$EDITOR` left; `None`: it was left without a change.
    Edited(Option<String>),
    /// The program was suspended for so long.
    Resumed(Duration),
    /// The profiles there are.
    Profiles(Vec<Profile>),
}

/// Something to be done outside the shell. Plain data.
#[derive(Clone, Debug, PartialEq)]
pub enum Order {
    /// Make a call.
    Call(Ticket, ProfileId, Call),
    /// Stop it.
    Cancel(Ticket),
    /// End its countdown.
    Hurry(Ticket),
    /// Keep.
    Record(Ticket, Record),
    /// Look up.
    Load(Ticket, Query),
    /// Work.
    Work(Ticket, Work),
    /// Put on the clipboard.
    Copy(String),
    /// Open the editor on this text.
    Edit(String),
    /// Give the terminal to the shell.
    Suspend,
    /// Paint everything again.
    Repaint,
    /// Mouse capture.
    Mouse(bool),
    /// The window's title.
    Title(String),
    /// Begin with this next time.
    Remember(Choice),
    /// Keep a new profile.
    AddProfile(Box<NewProfile>),
    /// End.
    Quit,
}

/// What the user chose for this time and the next, to be kept in the config file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// A profile.
    Profile(ProfileId),
    /// A profile's model.
    Model(ProfileId, String),
}

/// A profile as the shell shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// Its id.
    pub id: ProfileId,
    /// As shown.
    pub name: String,
    /// Where its calls go, as shown.
    pub host: String,
    /// Model it starts with; empty: the server's first.
    pub model: String,
    /// Whether it is the local service.
    pub local: bool,
}

/// Whose answer it is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Owner {
    Tab(usize),
    Shell(Errand),
}

/// What the shell itself asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Errand {
    Models(ProfileId),
    Spent(ProfileId),
    LastModel(ProfileId),
    Keep,
}

/// What is known about an open ticket.
#[derive(Clone, Debug)]
struct Open {
    owner: Owner,
    /// The profile of a call.
    profile: Option<ProfileId>,
    /// Whether a ledger row is being kept.
    ledger: bool,
}

/// What the shell starts with.
pub struct Start {
    /// The tabs, left to right.
    pub tabs: Vec<Box<dyn Tab>>,
    /// Colours.
    pub theme: Theme,
    /// Profile, model and switches.
    pub session: Session,
    /// All profiles.
    pub profiles: Vec<Profile>,
    /// Whether the mouse is captured.
    pub mouse: bool,
    /// What went wrong before the screen was there (a broken config): sentences that stay until dismissed.
    pub warnings: Vec<String>,
}

/// The workbench.
pub struct App {
    tabs: Vec<Box<dyn Tab>>,
    entered: Vec<bool>,
    front: usize,
    session: Session,
    profiles: Vec<Profile>,
    theme: Theme,
    keys: Keys,
    overlay: Option<Overlay>,
    notices: Notices,
    guard: PasteGuard,
    open: HashMap<Ticket, Open>,
    tickets: u64,
    clock: FrameClock,
    /// Palette entries by how lately they were used, latest first.
    recent: Vec<String>,
    /// When the first Ctrl+C was pressed.
    interrupted: Option<Instant>,
    told_quit: bool,
    mouse: bool,
    /// When the spinner last moved.
    spin: Instant,
    started: Instant,
    area: Rect,
    orders: Vec<Order>,
    now: Instant,
    unix_ms: i64,
}

impl App {
    /// A workbench with the first tab in front.
    pub fn new(start: Start, now: Instant, unix_ms: i64) -> Self {
        let mut app = Self {
            entered: vec![false; start.tabs.len()],
            tabs: start.tabs,
            front: 0,
            session: start.session,
            profiles: start.profiles,
            theme: start.theme,
            keys: Keys::new(),
            overlay: None,
            notices: Notices::default(),
            guard: PasteGuard::default(),
            open: HashMap::new(),
            // Ids of two copies started in the same millisecond differ by this.
            tickets: u64::from(std::process::id()) << 8,
            clock: FrameClock::default(),
            recent: Vec::new(),
            interrupted: None,
            told_quit: false,
            mouse: start.mouse,
            spin: now,
            started: now,
            area: Rect::ZERO,
            orders: Vec::new(),
            now,
            unix_ms,
        };
        for warning in start.warnings {
            app.notices.keep(Notice::warn(warning), unix_ms);
        }
        app.clock.touch_now(now);
        app
    }

    /// Takes in what happened at `now` and says what is to be done.
    pub fn update(&mut self, event: Event, now: Instant, unix_ms: i64) -> Vec<Order> {
        (self.now, self.unix_ms) = (now, unix_ms);
        match event {
            Event::Input(input) => self.input(input),
            Event::Progress(ticket, progress) => {
                self.clock.touch(now);
                self.progress(ticket, progress);
            }
            Event::Stored(ticket, stored) => {
                self.clock.touch(now);
                self.stored(ticket, stored);
            }
            Event::Worked(ticket, done) => {
                self.clock.touch(now);
                if let Some(Open { owner: Owner::Tab(index), .. }) = self.open.remove(&ticket) {
                    self.tab(index, |tab, cx| tab.worked(ticket, done, cx));
                }
            }
            other => {
                self.clock.touch(now);
                self.news(other);
            }
        }
        std::mem::take(&mut self.orders)
    }

    fn news(&mut self, event: Event) {
        match event {
            Event::Started => self.started(),
            Event::Said(notice) => self.notices.say(notice, self.now, self.unix_ms),
            Event::Kept(notice) => self.notices.keep(notice, self.unix_ms),
            Event::Unsaved(why) => {
                self.notices.keep(Notice::error(format!("not saved: {why}")), self.unix_ms);
                self.session.unsaved = Some(why);
            }
            Event::ShiftEnter => self.session.shift_enter = true,
            Event::Theme(theme) => self.theme = *theme,
            Event::Edited(text) => {
                self.orders.push(Order::Repaint);
                if let Some(text) = text {
                    self.tab(self.front, |tab, cx| tab.edited(text, cx));
                }
            }
            Event::Resumed(long) => {
                let said = format!("was suspended for {}", view::duration(long));
                self.notices.say(Notice::warn(said), self.now, self.unix_ms);
            }
            Event::Profiles(profiles) => self.profiles = profiles,
            Event::Input(_) | Event::Progress(..) | Event::Stored(..) | Event::Worked(..) => {}
        }
    }

    /// When [`App::tick`] is wanted; `None`: never, which costs nothing.
    pub fn due(&self) -> Option<Instant> {
        let tabs = self.tabs.iter().filter_map(|tab| tab.due());
        let spin = self.spins().then_some(self.spin + SPINNER_FRAME);
        tabs.chain(self.notices.due()).chain(spin).min()
    }

    /// The moment asked for with [`App::due`] has come.
    pub fn tick(&mut self, now: Instant, unix_ms: i64) -> Vec<Order> {
        (self.now, self.unix_ms) = (now, unix_ms);
        let mut changed = self.notices.tick(now);
        if self.spins() && self.spin + SPINNER_FRAME <= now {
            self.spin = now;
            changed = true;
        }
        for index in 0..self.tabs.len() {
            if self.tabs[index].due().is_some_and(|due| due <= now) {
                changed = true;
                self.tab(index, |tab, cx| tab.tick(cx));
            }
        }
        if changed {
            self.clock.touch(now);
        }
        std::mem::take(&mut self.orders)
    }

    /// The last words before the end: what tabs would have kept in a moment is kept now.
    pub fn parting(&mut self, now: Instant, unix_ms: i64) -> Vec<Order> {
        (self.now, self.unix_ms) = (now, unix_ms);
        for index in 0..self.tabs.len() {
            self.tab(index, |tab, cx| tab.parting(cx));
        }
        std::mem::take(&mut self.orders)
    }

    /// Whether a tab's name carries a spinner.
    fn spins(&self) -> bool {
        self.session.motion && self.tabs.iter().any(|tab| tab.badge() == Some(Badge::Busy))
    }

    /// When frames are due.
    pub fn clock(&mut self) -> &mut FrameClock {
        &mut self.clock
    }

    /// What tabs may read.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Whether the mouse is to be captured.
    pub fn mouse(&self) -> bool {
        self.mouse
    }

    /// Lets a tab handle something and takes up what it asks for.
    fn tab(&mut self, index: usize, handle: impl FnOnce(&mut dyn Tab, &mut Cx)) {
        let Some(tab) = self.tabs.get_mut(index) else { return };
        let mut effects = Vec::new();
        let mut cx = Cx::new(&self.session, self.now, self.unix_ms, &mut self.tickets, &mut effects);
        handle(tab.as_mut(), &mut cx);
        for effect in effects {
            self.effect(index, effect);
        }
    }

    fn effect(&mut self, index: usize, effect: Effect) {
        let owner = Owner::Tab(index);
        match effect {
            Effect::Call(ticket, profile, call) => {
                self.open.insert(ticket, Open { owner, profile: Some(profile.clone()), ledger: false });
                self.orders.push(Order::Call(ticket, profile, call));
            }
            Effect::Cancel(ticket) => {
                self.open.remove(&ticket);
                self.orders.push(Order::Cancel(ticket));
            }
            Effect::Hurry(ticket) => self.orders.push(Order::Hurry(ticket)),
            Effect::Record(ticket, record) => {
                let ledger = upkeep::has_ledger(&record);
                self.open.insert(ticket, Open { owner, profile: None, ledger });
                self.orders.push(Order::Record(ticket, record));
            }
            Effect::Load(ticket, query) => {
                self.open.insert(ticket, Open { owner, profile: None, ledger: false });
                self.orders.push(Order::Load(ticket, query));
            }
            Effect::Work(ticket, work) => {
                self.open.insert(ticket, Open { owner, profile: None, ledger: false });
                self.orders.push(Order::Work(ticket, work));
            }
            Effect::Offer(offer) => self.offer(offer),
            Effect::Notify(notice) => self.notices.say(notice, self.now, self.unix_ms),
            Effect::Copy(text) => self.orders.push(Order::Copy(text)),
            Effect::Edit => {
                if let Some(text) = self.tabs[index].editable() {
                    self.orders.push(Order::Edit(text));
                }
            }
            Effect::ChooseModel => self.choose_model(),
            Effect::SetModel(model) => self.set_model(model),
            Effect::Quit => self.quit(),
        }
    }

    /// A ticket of the shell's own.
    fn errand(&mut self, errand: Errand) -> Ticket {
        self.tickets += 1;
        let ticket = Ticket(self.tickets);
        self.open.insert(ticket, Open { owner: Owner::Shell(errand), profile: None, ledger: false });
        ticket
    }

    fn progress(&mut self, ticket: Ticket, progress: Progress) {
        // An unknown ticket is a call that was stopped: what still arrives of it is dropped.
        let Some(open) = self.open.get(&ticket).cloned() else { return };
        if let Some(profile) = &open.profile {
            self.heard(profile, &progress);
        }
        if matches!(progress, Progress::Closed(_)) {
            self.open.remove(&ticket);
        }
        match open.owner {
            Owner::Tab(index) => self.tab(index, |tab, cx| tab.progress(ticket, progress, cx)),
            Owner::Shell(errand) => self.errand_progress(errand, progress),
        }
    }

    fn stored(&mut self, ticket: Ticket, stored: Stored) {
        let Some(open) = self.open.remove(&ticket) else { return };
        if open.ledger && stored == Stored::Committed {
            self.ask_spent();
        }
        match open.owner {
            Owner::Tab(index) => self.tab(index, |tab, cx| tab.stored(ticket, stored, cx)),
            Owner::Shell(errand) => self.errand_stored(errand, stored),
        }
    }

    fn input(&mut self, input: Input) {
        match input {
            // Some systems report releases too.
            Input::Key(key) if key.kind == KeyEventKind::Release => {}
            Input::Key(key) => {
                self.clock.touch_now(self.now);
                self.key(key);
            }
            Input::Paste(text) => {
                self.clock.touch_now(self.now);
                self.guard.paste(self.now);
                self.paste(&paste::clean(&text));
            }
            Input::Mouse(event) => {
                self.clock.touch_now(self.now);
                self.mouse_event(event);
            }
            Input::Resize(..) => self.clock.put_off(self.now, SETTLE),
            Input::FocusGained | Input::FocusLost => {}
        }
    }

    fn paste(&mut self, text: &str) {
        match &mut self.overlay {
            Some(overlay) => overlay.paste(text),
            None => self.tab(self.front, |tab, cx| tab.paste(text, cx)),
        }
    }

    fn key(&mut self, key: KeyEvent) {
        let typing = self.overlay.is_some() || self.tabs[self.front].typing();
        if matches!(key.code, KeyCode::Char(_)) && !key.modifiers.contains(KeyModifiers::CONTROL) {
            self.guard.char(self.now);
        }
        let action = self.keys.action(&key, typing, self.tabs.len());
        if action != Some(Action::Interrupt) {
            self.interrupted = None;
        }
        if self.overlay.is_some() {
            match action {
                Some(action @ (Action::Quit | Action::Suspend | Action::Repaint | Action::Mouse)) => self.act(action),
                _ => self.overlay_key(key),
            }
            return;
        }
        if let Some(action) = action {
            return self.act(action);
        }
        match key.code {
            KeyCode::Enter if typing && key.modifiers.is_empty() && self.guard.enter(self.now) => {
                let newline = KeyEvent::new(KeyCode::Char('j'), KeyModifiers::CONTROL);
                self.tab(self.front, |tab, cx| tab.key(newline, cx));
            }
            KeyCode::Esc => self.escape(key),
            _ => match keys::escaped_letter(&key).filter(|_| typing) {
                Some(letter) => {
                    self.escape(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE));
                    self.key(KeyEvent::new(KeyCode::Char(letter), key.modifiers - KeyModifiers::ALT));
                }
                None => self.tab(self.front, |tab, cx| tab.key(key, cx)),
            },
        }
    }

    /// Esc peels one layer; with none left it takes a toast away, and says once how to quit.
    fn escape(&mut self, key: KeyEvent) {
        let idle = self.tabs[self.front].escape().is_none();
        self.tab(self.front, |tab, cx| tab.key(key, cx));
        if idle && !self.notices.dismiss() && !std::mem::replace(&mut self.told_quit, true) {
            self.notices.say(Notice::ok("q quits"), self.now, self.unix_ms);
        }
    }

    fn act(&mut self, action: Action) {
        let last = self.tabs.len().saturating_sub(1);
        match action {
            Action::Go(index) => self.go(index),
            Action::Left => self.go(self.front.checked_sub(1).unwrap_or(last)),
            Action::Right => self.go(if self.front == last { 0 } else { self.front + 1 }),
            Action::Help => self.open_help(),
            Action::Palette => self.open_palette(),
            Action::Interrupt => self.interrupt(),
            Action::Quit => self.quit(),
            Action::Suspend => self.orders.push(Order::Suspend),
            Action::Repaint => self.orders.push(Order::Repaint),
            Action::Mouse => {
                self.mouse = !self.mouse;
                self.orders.push(Order::Mouse(self.mouse));
                let said = if self.mouse { "mouse on" } else { "mouse off: the terminal selects text" };
                self.notices.say(Notice::ok(said), self.now, self.unix_ms);
            }
        }
    }

    fn go(&mut self, index: usize) {
        if index >= self.tabs.len() {
            return;
        }
        self.front = index;
        self.orders.push(Order::Title(format!("benchtop · {}", self.tabs[index].title())));
        self.enter(index);
    }

    fn enter(&mut self, index: usize) {
        self.entered[index] = true;
        self.tab(index, |tab, cx| tab.enter(cx));
    }

    /// Ctrl+C stops what runs in front; otherwise the second press quits.
    fn interrupt(&mut self) {
        if self.tabs[self.front].escape().is_some_and(|does| does.contains("stop")) {
            let esc = KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE);
            return self.tab(self.front, |tab, cx| tab.key(esc, cx));
        }
        if self.interrupted.take().is_some_and(|at| self.now.duration_since(at) <= TWICE) {
            return self.quit();
        }
        self.interrupted = Some(self.now);
        self.notices.say(Notice::warn("press ^C again to quit"), self.now, self.unix_ms);
    }

    /// Quits, after asking once when something would be lost.
    fn quit(&mut self) {
        let held: Vec<String> = self.tabs.iter().filter_map(|tab| tab.holds_quit()).collect();
        if held.is_empty() || matches!(self.overlay, Some(Overlay::Quit(_))) {
            self.orders.push(Order::Quit);
        } else {
            let question = Confirm::new("Quit now?", held, "Quit").otherwise("Stay");
            self.overlay = Some(Overlay::Quit(question));
        }
    }

    /// Hands an offer to the tab that takes it; several: the user chooses.
    fn offer(&mut self, offer: Offer) {
        let takers: Vec<(usize, &'static str)> =
            self.tabs.iter().enumerate().filter_map(|(index, tab)| Some((index, tab.takes(&offer)?))).collect();
        match takers.as_slice() {
            [] => self.notices.say(Notice::warn("no tab takes this yet"), self.now, self.unix_ms),
            [(index, _)] => self.give(*index, offer),
            _ => self.overlay = Some(Overlay::takers(offer, &takers)),
        }
    }

    fn give(&mut self, index: usize, offer: Offer) {
        self.go(index);
        self.tab(index, |tab, cx| tab.accept(offer, cx));
    }

    fn mouse_event(&mut self, event: MouseEvent) {
        if self.overlay.is_some() {
            return;
        }
        if event.row == self.area.y {
            if matches!(event.kind, crossterm::event::MouseEventKind::Down(_))
                && let Some(index) = view::tab_at(self, event.column)
            {
                self.go(index);
            }
            return;
        }
        self.tab(self.front, |tab, cx| tab.mouse(event, cx));
    }
}
