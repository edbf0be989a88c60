//! Client, store and work threads: what effects need besides the terminal.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use signal_hook::consts::SIGINT;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::task::JoinHandle;

use super::reach::Reach;
use crate::api::call::{Progress, Ticket};
use crate::app::{Effect, Event};
use crate::client::Client;
use crate::component::Notice;
use crate::process::ignored_signals::was_ignored;
use crate::record::Stored;
use crate::settings::{Endpoint, ProfileId};
use crate::store::{Store, StoreEvent};
use crate::work::Workers;

/// How long closing waits for a store that is being opened, with and without records to save.
const OPEN_WAIT: [Duration; 2] = [Duration::from_secs(5), Duration::from_millis(500)];

/// How long other processes may take to receive their answers before the user is told.
const MOMENT: Duration = Duration::from_millis(500);

/// Takes the address of the local service, now and whenever it changes, or why there is none.
pub type Addresses = UnboundedSender<Result<Arc<Endpoint>, String>>;

/// Resolves how to reach a profile's server; may run a command, so it is called where waiting is allowed.
pub type Resolve = Arc<dyn Fn(&ProfileId) -> Result<Endpoint, String> + Send + Sync>;

/// The parts of [`Services`]. The closures connect them to `main` and the settings.
pub struct ServicesConfig {
    /// The store's file.
    pub store: PathBuf,
    /// Id of the local service's profile.
    pub local: ProfileId,
    /// Starts the local service in the background; called at the first call to it, and again after it has ended. The
    /// task ends when nobody receives addresses any more and this process has left the service.
    pub start_local: Box<dyn Fn(Addresses) -> JoinHandle<()>>,
    /// Resolves the other profiles.
    pub resolve: Resolve,
}

/// The store, or what waits for it to open.
enum StoreState {
    Opening(VecDeque<Effect>),
    Open(Box<Store>),
}

/// Client, store and work threads.
pub struct Services {
    pub(super) config: ServicesConfig,
    pub(super) client: Client,
    store: StoreState,
    pub(super) workers: Workers,
    pub(super) reach: HashMap<ProfileId, Reach>,
    /// This process's part in the local service.
    pub(super) local: Option<LocalTasks>,
    pub(super) events: UnboundedSender<Event>,
}

/// The tasks of the local service.
pub(super) struct LocalTasks {
    /// Passes its addresses on.
    pub(super) addresses: JoinHandle<()>,
    /// Serves, or waits for its turn to.
    pub(super) service: JoinHandle<()>,
}

impl LocalTasks {
    /// Leaves the local service: others receive what it writes for them, and one takes over. If that takes longer than a
    /// moment, `say` is called with a sentence, and Ctrl+C ends it.
    async fn leave(mut self, say: impl FnOnce(&str)) {
        self.addresses.abort();
        if tokio::time::timeout(MOMENT, &mut self.service).await.is_err() {
            say("other copies of benchtop still receive answers; Ctrl+C ends this one now");
            tokio::select! { _ = self.service => {}, () = ctrl_c() => {} }
        }
    }
}

/// Completes at Ctrl+C, unless that was ignored when the program was started.
async fn ctrl_c() {
    if was_ignored(SIGINT) || tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

impl Services {
    /// Opens the store in the background. Needs a running tokio runtime.
    pub fn new(config: ServicesConfig, events: UnboundedSender<Event>) -> (Self, mpsc::Receiver<(Ticket, Progress)>) {
        let (client, progress) = Client::spawn();
        let replies = events.clone();
        let workers = Workers::spawn(move |ticket, done| drop(replies.send(Event::Worked(ticket, done))));
        open_store(config.store.clone(), &events);
        let store = StoreState::Opening(VecDeque::new());
        (Self { config, client, store, workers, reach: HashMap::new(), local: None, events }, progress)
    }

    /// Closes the store after it has written everything, and leaves the local service. Waits up to 5 s for a store that
    /// is still being opened, which is reported among the `events`, and up to 6 s for answers to other processes; if
    /// that takes longer than a moment, `say` gets a sentence about it.
    ///
    /// # Errors
    /// What could not be stored and why, as a sentence.
    pub async fn close(mut self, events: &mut UnboundedReceiver<Event>, say: impl FnOnce(&str)) -> Result<(), String> {
        let local = self.local.take();
        let stored = self.close_store(events).await;
        // The client has ended: what it still received is not waited for.
        if let Some(local) = local {
            local.leave(say).await;
        }
        stored
    }

    async fn close_store(mut self, events: &mut UnboundedReceiver<Event>) -> Result<(), String> {
        const LATE: &str = "the store could not be opened in time";
        self.workers.stop_programs();
        if let StoreState::Opening(waiting) = &self.store {
            let has_records = waiting.iter().any(|effect| matches!(effect, Effect::TrySave(..) | Effect::Save(..)));
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

    /// Carries out an effect, or returns one that needs the terminal or the config file.
    pub fn perform(&mut self, effect: Effect) -> Option<Effect> {
        match effect {
            Effect::Call(ticket, profile, call) => self.call(ticket, profile, call),
            Effect::Cancel(ticket) => self.cancel(ticket),
            Effect::RetryNow(ticket) => self.client.retry_now(ticket),
            Effect::AddFact(fact) => self.client.know(*fact),
            Effect::RemoveFact { base_url, subject } => self.client.forget(base_url, subject),
            Effect::TrySave(..) | Effect::Save(..) | Effect::Load(..) => self.send_to_store(effect),
            Effect::Work(ticket, work) => self.workers.send(ticket, work),
            Effect::CopyCurl(profile, call) => self.copy_curl(profile, call),
            // The local service itself reports when its key changes.
            Effect::ForgetKey(profile) if profile == self.config.local => {}
            Effect::ForgetKey(profile) => self.reset_endpoint(&profile),
            other => return Some(other),
        }
        None
    }

    /// Takes in an event about servers or the store, or returns one about something else.
    pub fn handle(&mut self, event: Event) -> Option<Event> {
        match event {
            Event::Endpoint(profile, endpoint) => {
                self.set_endpoint(profile, endpoint);
                None
            }
            Event::Store(store) => self.take_store(*store),
            other => Some(other),
        }
    }

    /// Passes an effect to the store, or lets it wait until the store is open.
    fn send_to_store(&mut self, effect: Effect) {
        match &mut self.store {
            StoreState::Opening(waiting) => waiting.push_back(effect),
            StoreState::Open(store) => match effect {
                Effect::TrySave(ticket, record) => store.try_save(ticket, record),
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
                let found = std::fs::metadata(&self.config.store);
                let is_missing = found.is_err_and(|why| why.kind() == std::io::ErrorKind::NotFound);
                let event = if is_missing { Event::Unsaved(why) } else { Event::Unreadable(why) };
                (Store::memory(answer_sender(self.events.clone())), Some(event))
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
