//! The shell: loop, frames, focus, dialogs.
//!
//! [`App::update`] takes an [`Event`], changes the state and returns [`Effect`]s as plain data, which [`effects`]
//! carries out. [`run`] is the loop between them and the terminal.

mod actions;
mod activity;
mod activity_watch;
mod all_keys;
pub mod clipboard;
pub mod clock;
pub mod crash;
pub mod desktop;
mod dialog_answer;
mod dialogs;
pub mod editor;
pub mod effects;
pub mod environment;
mod event;
pub mod graphics;
mod header;
pub mod hyperlinks;
pub mod input;
pub mod key_bindings;
mod key_routing;
mod keys;
pub mod log;
mod missing_endpoint;
mod model_params;
mod models;
pub(crate) mod models_marks;
mod models_page;
mod models_row;
mod models_view;
mod mouse;
mod mouse_selection;
mod notices;
mod offers;
pub mod osc;
pub mod own_themes;
mod page_rows;
pub mod pager;
mod pages;
mod palette;
mod paste;
mod probe;
mod probe_dialog;
mod profile_changes;
mod profile_editor;
mod profile_editor_key;
mod profile_editor_rows;
mod profile_form;
mod profile_form_view;
mod profile_test;
mod profiles;
mod profiles_page;
mod quit;
mod route;
pub mod run;
pub mod screen;
mod server_facts;
pub mod session;
mod shell_requests;
pub mod signals;
pub mod system_limits;
mod tab_effects;
pub mod terminal;
pub mod terminal_questions;
mod theme_list;
mod themes;
mod tickets;
mod toasts;
mod unsaved_records;
mod view;

use std::cell::Cell;
use std::time::{Duration, Instant};

use ratatui::layout::Rect;

pub use event::{Event, Profile};

use self::activity_watch::ActivityWatch;
use self::clock::FrameClock;
use self::dialog_answer::DialogAnswer;
use self::key_routing::InputState;
use self::missing_endpoint::MissingEndpoints;
use self::models_marks::ModelBook;
use self::notices::{Notices, Place};
use self::themes::Themes;
use self::tickets::Requests;
use crate::api::call::Progress;
pub use crate::component::Effect;
use crate::component::{Modals, Notice, Session};
use crate::tabs::{Badge, Tab};
use crate::ui::char_width::Odd;
use crate::ui::meter::SPINNER_FRAME;
use crate::ui::theme::{Appearance, Theme};
use crate::ui::time;

/// Subject of notices about whether the store can be written.
const STORE: &str = "store";
/// Least time between two ticks of the tabs without motion: 2 a second.
const TICK_WITHOUT_MOTION: Duration = Duration::from_millis(500);

/// What the shell starts with.
pub struct Start {
    /// The tabs, left to right.
    pub tabs: Vec<Box<dyn Tab>>,
    /// What determines the colours.
    pub appearance: Appearance,
    /// Profile, model and switches.
    pub session: Session,
    /// All profiles.
    pub profiles: Vec<Profile>,
    /// Whether the mouse is captured.
    pub mouse: bool,
    /// Problems before the screen existed (a broken config): sentences.
    pub warnings: Vec<String>,
}

/// When frames are drawn, and what is remembered between them.
struct FrameState {
    clock: FrameClock,
    /// When the program began: the spinner turns from then on.
    started: Instant,
    /// When the spinner, or an animation in a tab, last moved.
    spin: Instant,
    /// Rows that terminals may draw differently than expected.
    odd: Odd,
    /// Where notices are.
    toasts: Cell<Option<ToastPlace>>,
    /// What is told outside the screen.
    activities: ActivityWatch,
}

/// Where notices are, and the conditions for it: the place stays as long as these do and it covers nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ToastPlace {
    tab: usize,
    /// The available area, and the rows of the notices.
    free: Rect,
    height: u16,
    /// Their first row within the area.
    first: usize,
}

/// The workbench.
pub struct App {
    tabs: Vec<Box<dyn Tab>>,
    front: usize,
    session: Session,
    profiles: Vec<Profile>,
    themes: Themes,
    theme: Theme,
    dialogs: Modals<DialogAnswer>,
    notices: Notices,
    input: InputState,
    requests: Requests,
    models: ModelBook,
    missing: MissingEndpoints,
    frames: FrameState,
    /// Palette entries by last use, latest first.
    recent: Vec<String>,
    mouse: bool,
    area: Rect,
    effects: Vec<Effect>,
    now: Instant,
    unix_ms: i64,
}

impl App {
    /// Creates the shell with the first tab in front.
    pub fn new(start: Start, now: Instant, unix_ms: i64) -> Self {
        let mut app = Self {
            tabs: start.tabs,
            front: 0,
            session: start.session,
            profiles: start.profiles,
            theme: start.appearance.theme(),
            themes: Themes::new(start.appearance),
            dialogs: Modals::default(),
            notices: Notices::default(),
            input: InputState::default(),
            requests: Requests::default(),
            models: ModelBook::default(),
            missing: MissingEndpoints::default(),
            frames: FrameState {
                clock: FrameClock::default(),
                started: now,
                spin: now,
                odd: Odd::default(),
                toasts: Cell::new(None),
                activities: ActivityWatch::default(),
            },
            recent: Vec::new(),
            mouse: start.mouse,
            area: Rect::ZERO,
            effects: Vec::new(),
            now,
            unix_ms,
        };
        app.update_session_profiles();
        app.notices.say_all(start.warnings, "at startup", now, unix_ms);
        app.frames.clock.touch_now(now);
        app
    }

    /// Handles an event that happened at `now`, and returns the effects.
    pub fn update(&mut self, event: Event, now: Instant, unix_ms: i64) -> Vec<Effect> {
        (self.now, self.unix_ms) = (now, unix_ms);
        let place = self.place();
        let is_part = matches!(event, Event::Progress(_, Progress::Reply(_) | Progress::Moved { .. }));
        match event {
            Event::Input(input) => self.handle_input(input),
            Event::Progress(ticket, progress) => {
                match progress {
                    Progress::Reply(_) | Progress::Closed(_) => self.frames.clock.touch_text(now),
                    _ => self.frames.clock.touch(now),
                }
                self.route_progress(ticket, progress);
            }
            Event::Stored(ticket, stored) => {
                self.frames.clock.touch(now);
                self.route_stored(ticket, stored);
            }
            Event::Worked(ticket, done) => {
                self.frames.clock.touch(now);
                self.route_worked(ticket, done);
            }
            other => {
                self.frames.clock.touch(now);
                self.handle_other_event(other);
            }
        }
        if self.place() != place {
            self.notices.leave_page(place.0, now);
        }
        self.notices.note_dialogs(self.open_dialogs(), now);
        self.watch_activities(is_part);
        std::mem::take(&mut self.effects)
    }

    /// Returns the tab in front, and the page that is shown of it.
    fn place(&self) -> Place {
        (self.front, self.tabs.get(self.front).map_or("", |tab| tab.page()))
    }

    /// Sets the size of the screen. Keys use it at once, before the next frame is drawn.
    pub fn resize(&mut self, width: u16, height: u16) {
        self.area = Rect::new(0, 0, width, height);
    }

    /// Handles an event that is neither input nor an answer to a ticket.
    fn handle_other_event(&mut self, event: Event) {
        match event {
            Event::Started => self.handle_start(),
            Event::Notice(notice) => self.say(notice),
            Event::LastingNotice(notice) => self.keep_notice(notice),
            Event::Unsaved(why) | Event::Unreadable(why) => {
                self.report_not_saved(&why);
                self.session.unsaved = Some(why.into());
            }
            Event::Writable => {
                self.session.unsaved = None;
                self.report_saving_works();
            }
            Event::ShiftEnter => self.session.enter.reports_shift = true,
            Event::Background(background) => self.handle_background(background),
            Event::Edited(Some(text)) if self.dialogs.editable().is_some() => {
                self.pass_to_dialog(|dialogs, cx| dialogs.edited(&text, cx));
            }
            Event::Edited(Some(text)) => {
                self.with_tab(self.front, |tab, cx| tab.edited(&text, cx));
            }
            Event::BindingsEdited { faults, failure } => self.report_bindings(faults, failure),
            Event::Resumed(long) => {
                let said = format!("was suspended for {}", time::long_duration(long));
                self.say(Notice::warn(said));
            }
            Event::ProfileAdded(ticket, result) => self.finish_profile_add(ticket, result),
            Event::KeyReplaced(ticket, id, result) => self.finish_key_change(ticket, &id, result),
            Event::ProfileOpened(opened) => self.open_profile_editor(opened),
            Event::ProfileChanged(change, result) => self.finish_profile_change(&change, result),
            // Handled in `update`, by the loop or by its effect handler.
            Event::Input(_)
            | Event::Progress(..)
            | Event::Stored(..)
            | Event::Worked(..)
            | Event::Edited(None)
            | Event::Endpoint(..)
            | Event::Copy(_)
            | Event::Store(_)
            | Event::Signal(_)
            | Event::Hangup
            | Event::Suspend
            | Event::Continued => {}
        }
    }

    /// Returns when [`App::tick`] is to be called; `None`: never, which costs nothing.
    pub fn due(&self) -> Option<Instant> {
        let tabs = self.tabs.iter().filter_map(|tab| tab.due()).min();
        let spin = self.has_spinner().then_some(self.frames.spin + SPINNER_FRAME);
        // Without motion, what tabs want to show or save can wait for the next half second.
        let tabs =
            if self.session.motion { tabs } else { tabs.map(|due| due.max(self.frames.spin + TICK_WITHOUT_MOTION)) };
        let rest = [self.notices.due(), spin, self.probe_due(), self.frames.activities.due()];
        rest.into_iter().flatten().chain(tabs).min()
    }

    /// Handles the time that [`App::due`] returned.
    pub fn tick(&mut self, now: Instant, unix_ms: i64) -> Vec<Effect> {
        (self.now, self.unix_ms) = (now, unix_ms);
        let mut changed = self.notices.tick(now);
        changed |= self.tick_probe();
        let mut moved = self.has_spinner() && self.frames.spin + SPINNER_FRAME <= now;
        for index in 0..self.tabs.len() {
            if self.tabs[index].due().is_some_and(|due| due <= now) {
                moved = true;
                self.with_tab(index, |tab, cx| tab.tick(cx));
            }
        }
        if moved {
            // A tab's tick also draws the shell's spinner: both continue from here, and one wake-up serves both.
            self.frames.spin = now;
            changed = true;
        }
        if changed {
            self.frames.clock.touch_tick(now);
            self.arrange(self.now);
        }
        self.notices.note_dialogs(self.open_dialogs(), now);
        self.watch_activities(false);
        std::mem::take(&mut self.effects)
    }

    /// Returns the last effects before the end: tabs save now what they would have saved in a moment.
    pub fn before_quit(&mut self, now: Instant, unix_ms: i64) -> Vec<Effect> {
        (self.now, self.unix_ms) = (now, unix_ms);
        self.for_each_tab(|tab, cx| tab.before_quit(cx));
        std::mem::take(&mut self.effects)
    }

    /// Shows a notice: an error until it is dismissed or solved, others for as long as it takes to read.
    fn say(&mut self, notice: Notice) {
        self.notices.say(notice, self.now, self.unix_ms);
    }

    /// Says that the file of key bindings was applied after it was edited, or what is wrong in it; and why the editor
    /// failed, if it did.
    fn report_bindings(&mut self, faults: Vec<String>, failure: Option<String>) {
        if faults.is_empty() && failure.is_none() {
            self.say(Notice::ok("key bindings applied").about("bindings"));
        }
        self.notices.say_all(faults, "in the key bindings", self.now, self.unix_ms);
        if let Some(why) = failure {
            self.say(Notice::error(why));
        }
    }

    /// Shows a notice that stays until it is dismissed.
    fn keep_notice(&mut self, notice: Notice) {
        self.notices.keep(notice, self.unix_ms);
    }

    /// Reports that records are not on disk.
    fn report_not_saved(&mut self, why: &str) {
        self.keep_notice(Notice::error(format!("not saved: {why}")).about(STORE));
    }

    /// Reports that the disk refuses a record of a tab, or of the shell (`None`): in Messages alone where the tab in
    /// front shows it itself.
    fn report_refused_record(&mut self, tab: Option<usize>, why: &str) {
        if self.session.unsaved.is_some() {
            // That nothing can be saved was reported when the store was opened.
            return;
        }
        if tab == Some(self.front) && self.tabs[self.front].unsaved_work().is_some() {
            // A reason that was reported before may no longer be true.
            self.notices.resolve(STORE);
            self.notices.add_to_past(Notice::error(format!("not saved: {why}")).about(STORE), self.unix_ms);
        } else {
            self.report_not_saved(why);
        }
    }

    /// Reports that all records are on disk again.
    fn report_saving_works(&mut self) {
        self.say(Notice::ok("saving works again").about(STORE));
    }

    /// Returns whether a tab's name has a spinner.
    fn has_spinner(&self) -> bool {
        self.session.motion && self.tabs.iter().any(|tab| tab.badge() == Some(Badge::Busy))
    }

    /// Returns the clock of frames.
    pub fn clock(&mut self) -> &mut FrameClock {
        &mut self.frames.clock
    }

    /// Returns what tabs may read.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns whether the mouse is to be captured.
    pub fn mouse(&self) -> bool {
        self.mouse
    }
}
