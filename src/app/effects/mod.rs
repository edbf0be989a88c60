//! Carries out the shell's effects: client, store, work threads, clipboard, editor, terminal. Nothing here waits on the
//! screen's thread; what takes time answers through an [`Event`].

mod reach;

use std::collections::{HashMap, VecDeque};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use self::reach::Reach;
use super::model_params::PARAMS;
use super::run::{Editing, EffectHandler};
use super::terminal::Tty;
use super::{Effect, Event, Profile, clipboard, editor};
use crate::api::call::{Progress, Ticket};
use crate::client::Client;
use crate::component::{NewProfile, Notice, PastedKey, ProfileChange, StartupChoice};
use crate::record::Stored;
use crate::settings::edit_fields::OpenedProfile;
use crate::settings::{Endpoint, KeySource, ProfileId};
use crate::store::{Store, StoreEvent};
use crate::text::Untrusted;
use crate::ui::theme::{Background, Rgb};
use crate::work::Workers;

/// How long closing waits for a store that is being opened, with and without records to save.
const OPEN_WAIT: [Duration; 2] = [Duration::from_secs(5), Duration::from_millis(500)];

/// Takes the address of the local service, now and whenever it changes, or why there is none.
pub type Addresses = UnboundedSender<Result<Arc<Endpoint>, String>>;

/// Resolves how to reach a profile's server; may run a command, so it is called where waiting is allowed.
pub type Resolve = Arc<dyn Fn(&ProfileId) -> Result<Endpoint, String> + Send + Sync>;

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

/// The parts of a [`Runtime`]. The closures connect it to `main` and the settings.
pub struct RuntimeConfig {
    /// The terminal.
    pub tty: Tty,
    /// The data directory.
    pub data: PathBuf,
    /// The store's file.
    pub store: PathBuf,
    /// Id of the local service's profile.
    pub local: ProfileId,
    /// Starts the local service in the background; called at the first call to it, and again after it has ended.
    pub start_local: Box<dyn Fn(Addresses)>,
    /// Resolves the other profiles.
    pub resolve: Resolve,
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
    /// Environment variables with keys: no child process gets them.
    pub secrets: Arc<[String]>,
}

/// The store, or what waits for it to open.
enum StoreState {
    Opening(VecDeque<Effect>),
    Open(Box<Store>),
}

/// Client, store, work threads and terminal.
pub struct Runtime {
    config: RuntimeConfig,
    client: Client,
    store: StoreState,
    workers: Workers,
    reach: HashMap<ProfileId, Reach>,
    editor: editor::Child,
    events: UnboundedSender<Event>,
}

impl Runtime {
    /// Opens the store in the background. Needs a running tokio runtime.
    pub fn new(config: RuntimeConfig, events: UnboundedSender<Event>) -> (Self, mpsc::Receiver<(Ticket, Progress)>) {
        let (client, progress) = Client::spawn();
        let replies = events.clone();
        let workers = Workers::spawn(move |ticket, done| drop(replies.send(Event::Worked(ticket, done))));
        open_store(config.store.clone(), &events);
        let store = StoreState::Opening(VecDeque::new());
        let (reach, editor) = (HashMap::new(), editor::Child::default());
        (Self { config, client, store, workers, reach, editor, events }, progress)
    }

    /// Closes the store after it has written everything. Waits up to 5 s for a store that is still being opened, which
    /// is reported among the `events`.
    ///
    /// # Errors
    /// What could not be stored and why, as a sentence.
    pub async fn close(mut self, events: &mut UnboundedReceiver<Event>) -> Result<(), String> {
        const LATE: &str = "the store could not be opened in time";
        self.workers.stop_programs();
        if let StoreState::Opening(waiting) = &self.store {
            let has_records = waiting.iter().any(|effect| matches!(effect, Effect::Record(..) | Effect::Save(..)));
            let [long, short] = OPEN_WAIT;
            let store = tokio::time::timeout(if has_records { long } else { short }, wait_for_store(events)).await;
            let Ok(Some(store)) = store else {
                tracing::error!("the store was not there when the program ended");
                return if has_records { Err(LATE.to_owned()) } else { Ok(()) };
            };
            self.take_store(Ok(store));
        }
        match self.store {
            StoreState::Open(store) => store.end(),
            StoreState::Opening(_) => Err(LATE.to_owned()),
        }
    }

    /// Passes an effect to the store, or lets it wait until the store is open.
    fn send_to_store(&mut self, effect: Effect) {
        match &mut self.store {
            StoreState::Opening(waiting) => waiting.push_back(effect),
            StoreState::Open(store) => match effect {
                Effect::Record(ticket, record) => store.record(ticket, record),
                Effect::Save(ticket, record) => store.save(ticket, record),
                Effect::Load(ticket, query) => store.load(ticket, query),
                _ => {}
            },
        }
    }

    /// Uses the store that was opened, or one in memory. Returns an event if nothing can be saved.
    fn take_store(&mut self, store: Result<Store, String>) -> Option<Event> {
        let (store, event) = match store {
            Ok(store) => {
                for warning in store.warnings() {
                    let _ = self.events.send(Event::LastingNotice(Notice::warn(warning.clone())));
                }
                let events = self.events.clone();
                store.subscribe(move |event| {
                    let _ = events.send(match event {
                        StoreEvent::Warning(warning) => Event::LastingNotice(Notice::warn(warning)),
                        StoreEvent::Writable => Event::Writable,
                    });
                });
                let event = store.unsaved().map(|why| Event::Unsaved(why.to_owned()));
                (store, event)
            }
            Err(why) => {
                tracing::error!(%why, "the store could not be opened: this run keeps nothing");
                (Store::memory(answer_sender(self.events.clone())), Some(Event::Unsaved(why)))
            }
        };
        let waiting = std::mem::replace(&mut self.store, StoreState::Open(Box::new(store)));
        if let StoreState::Opening(effects) = waiting {
            for effect in effects {
                self.send_to_store(effect);
            }
        }
        event
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
        match effect {
            Effect::Call(ticket, profile, call) => self.call(ticket, profile, call),
            Effect::Cancel(ticket) => self.cancel(ticket),
            Effect::RetryNow(ticket) => self.client.retry_now(ticket),
            Effect::Know(fact) => self.client.know(*fact),
            Effect::Forget(server, subject) => self.client.forget(server, subject),
            Effect::Record(..) | Effect::Save(..) | Effect::Load(..) => self.send_to_store(effect),
            Effect::Work(ticket, work) => self.workers.send(ticket, work),
            Effect::Copy(text) => self.copy(text),
            Effect::CopyCurl(profile, call) => self.copy_curl(profile, call),
            Effect::Mouse(on) => drop(self.config.tty.mouse(on)),
            Effect::Title(title) => drop(self.config.tty.title(&title)),
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
            // The local service itself reports when its key changes.
            Effect::ForgetKey(profile) if profile == self.config.local => {}
            Effect::ForgetKey(profile) => self.reset_endpoint(&profile),
            Effect::ReplaceKey(ticket, key) => {
                let (replace, profile) = (Arc::clone(&self.config.replace_key), key.profile.clone());
                self.run_blocking(move || Event::KeyReplaced(ticket, profile, replace(*key)));
            }
            // Effects of the loop and of the shell.
            _ => {}
        }
    }

    fn handle(&mut self, event: Event) -> Option<Event> {
        match event {
            Event::Endpoint(profile, endpoint) => {
                self.set_endpoint(profile, endpoint);
                None
            }
            Event::Store(store) => self.take_store(*store),
            Event::KeyReplaced(_, ref profile, Ok(_)) => {
                self.reset_endpoint(profile);
                Some(event)
            }
            Event::ProfileAdded(_, Ok(ref profiles)) => {
                self.config.secrets = key_variables(&self.config.secrets, profiles);
                Some(event)
            }
            Event::ProfileChanged(change, result) => {
                if let Ok(profiles) = &result {
                    self.config.secrets = key_variables(&self.config.secrets, profiles);
                }
                // Also after an error: a part of the change may be written.
                match &change {
                    ProfileChange::Rename(id, _) | ProfileChange::Delete(id) => self.reset_endpoint(id),
                    ProfileChange::Edit(edited) => self.reset_endpoint(&edited.opened.id),
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
            edited.await.unwrap_or_else(|_| Err("the editor could not be run; the text is unchanged".to_owned()))
        })
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
        let mut events = vec![Event::Background(Background::Known(Rgb(red, green, blue)))];
        // A terminal that has answered the query for its background answers this one, too, at once.
        if crossterm::terminal::supports_keyboard_enhancement().unwrap_or(false) && self.config.tty.kitty().is_ok() {
            events.push(Event::ShiftEnter);
        }
        events
    }

    fn reset_terminal(&mut self) {
        let _ = self.config.tty.renew();
    }
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

/// Waits for the store to open; `None`: it cannot be opened.
async fn wait_for_store(events: &mut UnboundedReceiver<Event>) -> Option<Store> {
    while let Some(event) = events.recv().await {
        if let Event::Store(store) = event {
            return store.ok();
        }
    }
    None
}

/// Returns a function that sends the answers of the store as events.
fn answer_sender(events: UnboundedSender<Event>) -> impl Fn(Ticket, Stored) + Send + 'static {
    move |ticket, stored| drop(events.send(Event::Stored(ticket, stored)))
}

/// Opens the store on a thread of its own: checking a large file takes time.
fn open_store(path: PathBuf, events: &UnboundedSender<Event>) {
    let thread_events = events.clone();
    let open = move || {
        let opened = catch_unwind(AssertUnwindSafe(|| Store::open(&path, answer_sender(thread_events.clone()))));
        let store = match opened {
            Ok(store) => store.map_err(|why| why.to_string()),
            Err(_) => Err("internal error while opening the store; please report it".to_owned()),
        };
        let _ = thread_events.send(Event::Store(Box::new(store)));
    };
    if let Err(why) = std::thread::Builder::new().name("store-open".into()).spawn(open) {
        let _ = events.send(Event::Store(Box::new(Err(why.to_string()))));
    }
}
