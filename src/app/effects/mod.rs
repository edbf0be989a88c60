//! Carries out the shell's orders: client, store, work threads, clipboard, editor, terminal. Nothing here waits on the
//! screen's thread; what takes time answers through [`News`].

mod reach;

use std::collections::{HashMap, VecDeque};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use self::reach::Reach;
use super::run::{Editing, Hands, News};
use super::terminal::Tty;
use super::{Choice, Event, NewProfile, Order, PastedKey, Profile, clipboard, editor};
use crate::api::call::{Progress, Ticket};
use crate::client::Client;
use crate::component::Notice;
use crate::record::Stored;
use crate::settings::{Endpoint, ProfileId};
use crate::store::{Heard, Store};
use crate::text::Untrusted;
use crate::ui::theme::Theme;
use crate::work::Workers;

/// How long the end waits for a store that is being opened while something is to be kept in it, and while nothing is.
const OPENING: [Duration; 2] = [Duration::from_secs(5), Duration::from_millis(500)];

/// Says where the local service is, now and whenever that changes, or why there is none.
pub type Addresses = UnboundedSender<Result<Arc<Endpoint>, String>>;

/// Finds out how a profile's server is called; may run a command, so it is called where waiting is allowed.
pub type Resolve = Arc<dyn Fn(&ProfileId) -> Result<Endpoint, String> + Send + Sync>;

/// Keeps a new profile; all profiles with it. Writes files, so it is called where waiting is allowed.
pub type AddProfile = Arc<dyn Fn(NewProfile) -> Result<Vec<Profile>, String> + Send + Sync>;

/// Keeps another key for a profile, which uses it from then on. Writes files, so it is called where waiting is allowed.
pub type ReplaceKey = Arc<dyn Fn(PastedKey) -> Result<(), String> + Send + Sync>;

/// Keeps a choice for the next start; the error is a sentence. Writes a file, so it is called where waiting is allowed.
pub type Remember = Arc<dyn Fn(Choice) -> Result<(), String> + Send + Sync>;

/// Colours for a terminal whose ground has this red, green and blue.
pub type Grounds = Box<dyn Fn((u8, u8, u8)) -> Theme>;

/// What the world is made with. The closures are how `main` and the settings come in.
pub struct Setup {
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
    /// How to call the other profiles.
    pub resolve: Resolve,
    /// Keeps a new profile; all profiles with it.
    pub add_profile: AddProfile,
    /// Keeps another key for a profile.
    pub replace_key: ReplaceKey,
    /// Keeps a choice for the next start.
    pub remember: Remember,
    /// Colours for a terminal with this background.
    pub theme: Grounds,
    /// Environment variables with keys: no child gets them.
    pub secrets: Vec<String>,
}

/// The store, or what waits for it.
enum Keep {
    Opening(VecDeque<Order>),
    Open(Box<Store>),
}

/// The world.
pub struct World {
    setup: Parts,
    client: Client,
    store: Keep,
    workers: Workers,
    reach: HashMap<ProfileId, Reach>,
    editor: editor::Child,
    news: UnboundedSender<News>,
}

/// [`Setup`] without what is used up.
struct Parts {
    tty: Tty,
    data: PathBuf,
    local: ProfileId,
    start_local: Box<dyn Fn(Addresses)>,
    resolve: Resolve,
    add_profile: AddProfile,
    replace_key: ReplaceKey,
    remember: Remember,
    theme: Grounds,
    secrets: Arc<[String]>,
}

impl World {
    /// A world that opens its store in the background. Needs a running tokio runtime.
    pub fn new(setup: Setup, news: UnboundedSender<News>) -> (Self, mpsc::Receiver<(Ticket, Progress)>) {
        let (client, progress) = Client::spawn();
        let replies = news.clone();
        let workers = Workers::spawn(move |ticket, done| drop(replies.send(News::Worked(ticket, done))));
        open_store(setup.store, &news);
        let setup = Parts {
            tty: setup.tty,
            data: setup.data,
            local: setup.local,
            start_local: setup.start_local,
            resolve: setup.resolve,
            add_profile: setup.add_profile,
            replace_key: setup.replace_key,
            remember: setup.remember,
            theme: setup.theme,
            secrets: setup.secrets.into(),
        };
        let store = Keep::Opening(VecDeque::new());
        let (reach, editor) = (HashMap::new(), editor::Child::default());
        (Self { setup, client, store, workers, reach, editor, news }, progress)
    }

    /// Finishes what the store was given. A store that is still being opened is waited for, 5 s at most, among the
    /// `news`.
    ///
    /// # Errors
    /// What could not be kept and why: a sentence.
    pub async fn close(mut self, news: &mut UnboundedReceiver<News>) -> Result<(), String> {
        const LATE: &str = "the store could not be opened in time";
        if let Keep::Opening(waiting) = &self.store {
            let owed = waiting.iter().any(|order| matches!(order, Order::Record(..)));
            let [long, short] = OPENING;
            let store = tokio::time::timeout(if owed { long } else { short }, being_opened(news)).await;
            let Ok(Some(store)) = store else {
                tracing::error!("the store was not there when the program ended");
                return if owed { Err(LATE.to_owned()) } else { Ok(()) };
            };
            self.opened(Ok(store));
        }
        match self.store {
            Keep::Open(store) => store.end(),
            Keep::Opening(_) => Err(LATE.to_owned()),
        }
    }

    fn keep(&mut self, order: Order) {
        match &mut self.store {
            Keep::Opening(waiting) => waiting.push_back(order),
            Keep::Open(store) => match order {
                Order::Record(ticket, record) => store.record(ticket, record),
                Order::Load(ticket, query) => store.load(ticket, query),
                _ => {}
            },
        }
    }

    fn opened(&mut self, store: Result<Store, String>) -> Option<Event> {
        let (store, event) = match store {
            Ok(store) => {
                for warning in store.warnings() {
                    let _ = self.news.send(News::Kept(Notice::warn(warning.clone())));
                }
                let news = self.news.clone();
                store.hear(move |heard| {
                    let _ = news.send(match heard {
                        Heard::Warning(warning) => News::Kept(Notice::warn(warning)),
                        Heard::Writable => News::Writable,
                    });
                });
                let event = store.unsaved().map(|why| Event::Unsaved(why.to_owned()));
                (store, event)
            }
            Err(why) => {
                tracing::error!(%why, "the store could not be opened: this run keeps nothing");
                (Store::memory(stored(self.news.clone())), Some(Event::Unsaved(why)))
            }
        };
        let waiting = std::mem::replace(&mut self.store, Keep::Open(Box::new(store)));
        if let Keep::Opening(orders) = waiting {
            for order in orders {
                self.keep(order);
            }
        }
        event
    }

    fn copy(&self, text: Untrusted) {
        let (tty, data) = (self.setup.tty.clone(), self.setup.data.clone());
        let secrets = Arc::clone(&self.setup.secrets);
        self.aside(move || News::Said(clipboard::copy(&tty, &text, &data, &secrets)));
    }

    /// Something that may wait, and what to say afterwards.
    fn aside(&self, work: impl FnOnce() -> News + Send + 'static) {
        let news = self.news.clone();
        tokio::task::spawn_blocking(move || {
            let _ = news.send(work());
        });
    }
}

impl Hands for World {
    fn perform(&mut self, order: Order) {
        match order {
            Order::Call(ticket, profile, call) => self.call(ticket, profile, call),
            Order::Cancel(ticket) => self.cancel(ticket),
            Order::Hurry(ticket) => self.client.hurry(ticket),
            Order::Record(..) | Order::Load(..) => self.keep(order),
            Order::Work(ticket, work) => self.workers.send(ticket, work),
            Order::Copy(text) => self.copy(text),
            Order::CopyCurl(profile, call) => self.copy_curl(profile, call),
            Order::Mouse(on) => drop(self.setup.tty.mouse(on)),
            Order::Title(title) => drop(self.setup.tty.title(&title)),
            Order::Remember(choice) => {
                let remember = Arc::clone(&self.setup.remember);
                let news = self.news.clone();
                tokio::task::spawn_blocking(move || {
                    if let Err(why) = remember(choice) {
                        let _ = news.send(News::Said(Notice::warn(format!("the choice is not kept: {why}"))));
                    }
                });
            }
            Order::AddProfile(profile) => {
                let add = Arc::clone(&self.setup.add_profile);
                self.aside(move || add(*profile).map_or_else(News::NotAdded, News::Profiles));
            }
            // The local service says by itself when its key is another.
            Order::ForgetKey(profile) if profile == self.setup.local => {}
            Order::ForgetKey(profile) => self.renew(&profile),
            Order::ReplaceKey(key) => {
                let (replace, profile) = (Arc::clone(&self.setup.replace_key), key.profile.clone());
                self.aside(move || replace(*key).map_or_else(News::NotAdded, |()| News::Rekeyed(profile)));
            }
            // The loop's own.
            Order::Edit(_) | Order::Suspend | Order::Repaint | Order::Quit => {}
        }
    }

    fn hear(&mut self, news: News) -> Option<Event> {
        match news {
            News::Stored(ticket, stored) => Some(Event::Stored(ticket, stored)),
            News::Worked(ticket, done) => Some(Event::Worked(ticket, done)),
            News::Progress(ticket, progress) => Some(Event::Progress(ticket, progress)),
            News::Endpoint(profile, endpoint) => {
                self.reached(profile, endpoint);
                None
            }
            News::Store(store) => self.opened(store),
            News::Writable => Some(Event::Writable),
            News::Profiles(profiles) => Some(Event::Profiles(profiles)),
            News::Rekeyed(profile) => {
                self.renew(&profile);
                Some(Event::Rekeyed(profile))
            }
            News::NotAdded(why) => Some(Event::NotAdded(why)),
            News::Said(notice) => Some(Event::Said(notice)),
            News::Kept(notice) => Some(Event::Kept(notice)),
            News::Signal(_) | News::Hangup | News::Suspend | News::Continued => None,
        }
    }

    fn edit(&mut self, text: String) -> Editing {
        self.setup.tty.lend();
        let (data, secrets) = (self.setup.data.clone(), Arc::clone(&self.setup.secrets));
        let running = self.editor.clone();
        let edited = tokio::task::spawn_blocking(move || editor::edit(&text, &data, &secrets, &running));
        Box::pin(async move {
            edited.await.unwrap_or_else(|_| Err("the editor could not be run: the text is as it was".to_owned()))
        })
    }

    fn recall(&mut self) {
        self.editor.end();
    }

    fn regain(&mut self) -> io::Result<()> {
        self.setup.tty.regain()
    }

    fn suspend(&mut self, mouse: bool) -> io::Result<Duration> {
        let start = Instant::now();
        self.setup.tty.suspend(mouse)?;
        Ok(start.elapsed())
    }

    fn background(&mut self, red: u8, green: u8, blue: u8) -> Vec<Event> {
        let mut events = vec![Event::Theme(Box::new((self.setup.theme)((red, green, blue))))];
        // A terminal that answers this question answers that one too, and at once.
        if crossterm::terminal::supports_keyboard_enhancement().unwrap_or(false) && self.setup.tty.kitty().is_ok() {
            events.push(Event::ShiftEnter);
        }
        events
    }

    fn again(&mut self) {
        let _ = self.setup.tty.again();
    }
}

/// The store, once it is open; `None`: it cannot be opened.
async fn being_opened(news: &mut UnboundedReceiver<News>) -> Option<Store> {
    while let Some(news) = news.recv().await {
        if let News::Store(store) = news {
            return store.ok();
        }
    }
    None
}

fn stored(news: UnboundedSender<News>) -> impl Fn(Ticket, Stored) + Send + 'static {
    move |ticket, stored| drop(news.send(News::Stored(ticket, stored)))
}

/// Opens the store on a thread of its own: a check of a large file takes its time.
fn open_store(path: PathBuf, news: &UnboundedSender<News>) {
    let thread_news = news.clone();
    let open = move || {
        let opened = catch_unwind(AssertUnwindSafe(|| Store::open(&path, stored(thread_news.clone()))));
        let store = match opened {
            Ok(store) => store.map_err(|why| why.to_string()),
            Err(_) => Err("the store failed inside while it was opened; please report it".to_owned()),
        };
        let _ = thread_news.send(News::Store(store));
    };
    if let Err(why) = std::thread::Builder::new().name("store-open".into()).spawn(open) {
        let _ = news.send(News::Store(Err(why.to_string())));
    }
}
