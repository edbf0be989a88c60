//! Carries out the shell's effects: client, store, work threads, clipboard, editor, terminal. Nothing here waits on the
//! screen's thread; what takes time answers through an [`Event`].

mod reach;
mod services;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

pub use self::services::{Addresses, Resolve, Services, ServicesConfig};
use super::desktop::DesktopNotifications;
use super::model_params::PARAMS;
use super::run::{Editing, EffectHandler};
use super::terminal::Tty;
use super::{Effect, Event, Profile, clipboard, editor, key_bindings, pager};
use crate::api::call::{Progress, Ticket};
use crate::component::{NewProfile, Notice, PastedKey, ProfileChange, StartupChoice};
use crate::settings::edit_fields::OpenedProfile;
use crate::settings::{KeySource, ProfileId};
use crate::text::Untrusted;
use crate::ui::theme::{Background, Rgb};

/// Time after which a terminal that has not told which keys it reports is not asked again.
const NO_ANSWER: Duration = Duration::from_secs(1);

/// Stores a new profile and returns all profiles. Writes files, so it is called where waiting is allowed.
pub type AddProfile = Arc<dyn Fn(NewProfile) -> Result<Vec<Profile>, String> + Send + Sync>;

/// Reads a profile of the config file. Reads a file, so it is called where waiting is allowed.
pub type OpenProfile = Arc<dyn Fn(&ProfileId) -> Result<OpenedProfile, String> + Send + Sync>;

/// Changes a profile of the config file; returns all profiles after that, and what could not be done besides. Writes
/// files, so it is called where waiting is allowed.
pub type ChangeProfile = Arc<dyn Fn(ProfileChange) -> Result<(Vec<Profile>, Option<String>), String> + Send + Sync>;

/// Stores another key for a profile, which uses it from then on; returns all profiles after that. Writes files, so it
/// is called where waiting is allowed.
pub type ReplaceKey = Arc<dyn Fn(PastedKey) -> Result<Vec<Profile>, String> + Send + Sync>;

/// Stores a choice for the next start; the error is a sentence. Writes a file, so it is called where waiting is
/// allowed.
pub type Remember = Arc<dyn Fn(StartupChoice) -> Result<(), String> + Send + Sync>;

/// What a [`Runtime`] has besides [`Services`]. The closures connect it to `main` and the settings.
pub struct RuntimeConfig {
    /// The terminal.
    pub tty: Tty,
    /// Whether the theme is made to fit the terminal's background.
    pub fits_background: bool,
    /// The data directory.
    pub data: PathBuf,
    /// The file of key bindings.
    pub bindings: PathBuf,
    /// Whether Enter inserts a newline unless that file says otherwise.
    pub enter_newline: bool,
    /// Stores a new profile; returns all profiles.
    pub add_profile: AddProfile,
    /// Reads a profile of the config file.
    pub open_profile: OpenProfile,
    /// Changes a profile of the config file.
    pub change_profile: ChangeProfile,
    /// Stores another key for a profile.
    pub replace_key: ReplaceKey,
    /// Stores a choice for the next start.
    pub remember: Remember,
    /// What is done outside the screen.
    pub window: Window,
    /// Environment variables with keys: no child process gets them.
    pub secrets: Arc<[String]>,
}

/// What is done outside the screen.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Whether the window's title is set.
    pub has_title: bool,
    /// How a task that ended is told of.
    pub notifications: DesktopNotifications,
}

/// Client, store, work threads, config file and terminal.
pub struct Runtime {
    config: RuntimeConfig,
    services: Services,
    editor: editor::Child,
    events: UnboundedSender<Event>,
}

impl Runtime {
    /// Opens the store in the background. Needs a running tokio runtime.
    pub fn new(
        config: RuntimeConfig,
        services: ServicesConfig,
        events: UnboundedSender<Event>,
    ) -> (Self, mpsc::Receiver<(Ticket, Progress)>) {
        let (services, progress) = Services::new(services, events.clone());
        (Self { config, services, editor: editor::Child::default(), events }, progress)
    }

    /// Closes the store and leaves the local service as [`Services::close`] does.
    ///
    /// # Errors
    /// What could not be stored and why, as a sentence.
    pub async fn close(self, events: &mut UnboundedReceiver<Event>, say: impl FnOnce(&str)) -> Result<(), String> {
        self.services.close(events, say).await
    }

    /// Copies a text to the clipboard, and shows a notice about that.
    fn copy(&self, text: Untrusted) {
        let (tty, data) = (self.config.tty.clone(), self.config.data.clone());
        let secrets = Arc::clone(&self.config.secrets);
        self.run_blocking(move || Event::Notice(clipboard::copy(&tty, &text, &data, &secrets)));
    }

    /// Runs something that may wait on a thread of its own, and sends the event that it returns.
    fn run_blocking(&self, work: impl FnOnce() -> Event + Send + 'static) {
        let events = self.events.clone();
        tokio::task::spawn_blocking(move || {
            let _ = events.send(work());
        });
    }
}

impl EffectHandler for Runtime {
    fn perform(&mut self, effect: Effect) {
        let Some(effect) = self.services.perform(effect) else { return };
        match effect {
            Effect::Copy(text) => self.copy(text),
            Effect::SetMouseCapture(on) => drop(self.config.tty.mouse(on)),
            Effect::Title(title) if self.config.window.has_title => drop(self.config.tty.title(&title)),
            Effect::DesktopNotification(words) => {
                if let Some(bytes) = self.config.window.notifications.bytes(&words) {
                    let _ = self.config.tty.tell(bytes.as_bytes());
                }
            }
            Effect::Remember(choice) => {
                let remember = Arc::clone(&self.config.remember);
                let events = self.events.clone();
                tokio::task::spawn_blocking(move || {
                    let is_params = matches!(choice, StartupChoice::Params(..));
                    let Err(why) = remember(choice) else { return };
                    let notice = if is_params {
                        // This replaces the notice that they are kept.
                        let said = format!("these parameters are kept until benchtop ends, but not saved: {why}");
                        Notice::warn(said).about(PARAMS)
                    } else {
                        Notice::warn(format!("the choice could not be saved: {why}"))
                    };
                    let _ = events.send(Event::Notice(notice));
                });
            }
            Effect::AddProfile(ticket, profile) => {
                let add = Arc::clone(&self.config.add_profile);
                self.run_blocking(move || Event::ProfileAdded(ticket, add(*profile)));
            }
            Effect::OpenProfile(id) => {
                let open = Arc::clone(&self.config.open_profile);
                self.run_blocking(move || Event::ProfileOpened(open(&id).map(Box::new)));
            }
            Effect::ChangeProfile(change) => {
                let run = Arc::clone(&self.config.change_profile);
                let events = self.events.clone();
                self.run_blocking(move || {
                    let result = run(change.clone()).map(|(profiles, left)| {
                        if let Some(left) = left {
                            let _ = events.send(Event::LastingNotice(Notice::warn(left)));
                        }
                        profiles
                    });
                    Event::ProfileChanged(change, result)
                });
            }
            Effect::ReplaceKey(ticket, key) => {
                let (replace, profile) = (Arc::clone(&self.config.replace_key), key.profile.clone());
                self.run_blocking(move || Event::KeyReplaced(ticket, profile, replace(*key)));
            }
            // Effects of the loop and of the shell.
            _ => {}
        }
    }

    fn handle(&mut self, event: Event) -> Option<Event> {
        match self.services.handle(event)? {
            Event::Copy(text) => {
                self.copy(text);
                None
            }
            Event::KeyReplaced(ticket, profile, Ok(profiles)) => {
                self.services.reset_endpoint(&profile);
                Some(Event::KeyReplaced(ticket, profile, Ok(profiles)))
            }
            Event::ProfileAdded(ticket, Ok(profiles)) => {
                self.config.secrets = key_variables(&self.config.secrets, &profiles);
                Some(Event::ProfileAdded(ticket, Ok(profiles)))
            }
            Event::ProfileChanged(change, result) => {
                if let Ok(profiles) = &result {
                    self.config.secrets = key_variables(&self.config.secrets, profiles);
                }
                // Also after an error: a part of the change may be written.
                match &change {
                    ProfileChange::Rename(id, _) | ProfileChange::Delete(id) => self.services.reset_endpoint(id),
                    ProfileChange::Edit(edited) => self.services.reset_endpoint(&edited.opened.id),
                    ProfileChange::Duplicate(..) | ProfileChange::Up(_) | ProfileChange::Down(_) => {}
                }
                Some(Event::ProfileChanged(change, result))
            }
            other => Some(other),
        }
    }

    fn edit(&mut self, text: String) -> Editing {
        self.config.tty.lend();
        let (data, secrets) = (self.config.data.clone(), Arc::clone(&self.config.secrets));
        let running = self.editor.clone();
        let edited = tokio::task::spawn_blocking(move || editor::edit(&text, &data, &secrets, &running));
        Box::pin(async move {
            let failed = |_| Err("the editor could not be run; the text is unchanged".to_owned());
            edited.await.unwrap_or_else(failed).map_or_else(report, Event::Edited)
        })
    }

    fn page(&mut self, text: String) -> Editing {
        self.config.tty.lend();
        let (secrets, running) = (Arc::clone(&self.config.secrets), self.editor.clone());
        let read = tokio::task::spawn_blocking(move || pager::page(&text, &secrets, &running));
        Box::pin(async move {
            let read = read.await.unwrap_or_else(|_| Err("the pager could not be run".to_owned()));
            read.map_or_else(report, |()| Event::Edited(None))
        })
    }

    fn edit_bindings(&mut self) -> Editing {
        self.config.tty.lend();
        let (path, secrets) = (self.config.bindings.clone(), Arc::clone(&self.config.secrets));
        let (running, enter_newline) = (self.editor.clone(), self.config.enter_newline);
        let edited = tokio::task::spawn_blocking(move || {
            if let Err(why) = key_bindings::create(&path, enter_newline) {
                return report(why);
            }
            let ended = editor::edit_file(&path, &secrets, &running);
            Event::BindingsEdited { faults: key_bindings::load(&path, enter_newline), failure: ended.err() }
        });
        Box::pin(async move { edited.await.unwrap_or_else(|_| report("the editor could not be run".to_owned())) })
    }

    fn end_editor(&mut self) {
        self.editor.end();
    }

    fn regain(&mut self) -> io::Result<()> {
        self.config.tty.regain()
    }

    fn suspend(&mut self, mouse: bool) -> io::Result<Duration> {
        let start = Instant::now();
        self.config.tty.suspend(mouse)?;
        Ok(start.elapsed())
    }

    fn background(&mut self, red: u8, green: u8, blue: u8) -> Vec<Event> {
        let mut events = Vec::new();
        if self.config.fits_background {
            events.push(Event::Background(Background::Known(Rgb(red, green, blue))));
        }
        if reports_keys() && self.config.tty.kitty().is_ok() {
            events.push(Event::ShiftEnter);
        }
        events
    }

    fn reset_terminal(&mut self) {
        let _ = self.config.tty.renew();
    }
}

/// Asks the terminal whether it reports all keys (kitty protocol). One that has answered the query for its background
/// answers this one, too, at once.
fn reports_keys() -> bool {
    let (ask, start) = (crossterm::terminal::supports_keyboard_enhancement, Instant::now());
    // The pause of the events may have left Crossterm a wake-up, with which the question ends before the answer is there.
    let again = |why| if start.elapsed() < NO_ANSWER { ask() } else { Err(why) };
    ask().or_else(again).unwrap_or(false)
}

/// Reports why an editor or pager failed.
fn report(why: String) -> Event {
    Event::Notice(Notice::error(why))
}

/// Returns the variables that hold keys: those known before, even if no profile names them any more, and those of the
/// profiles.
pub fn key_variables(known: &[String], profiles: &[Profile]) -> Arc<[String]> {
    let named = profiles.iter().filter_map(|profile| match &profile.key {
        KeySource::Env(name) if !known.contains(name) => Some(name.clone()),
        _ => None,
    });
    known.iter().cloned().chain(named).collect()
}
