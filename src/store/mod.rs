//! What outlives the program: SQLite behind one writer thread. Orders in, acknowledgements and rows out.
//!
//! `Committed` means fsync returned: the record survives kill -9 and a power cut. Several copies of benchtop may share
//! a store; each writes only what it was ordered to and never touches what another copy is streaming.

mod about;
mod answers;
mod backup;
mod checkup;
mod details;
mod drafts;
mod error;
mod examine;
mod growth;
mod hold;
mod limits;
mod marks;
mod open;
mod place;
mod playground;
mod presence;
mod read;
mod reading;
mod repair;
mod salvage;
mod schema;
mod search;
mod speaker;
mod text;
mod texts;
mod vectors;
mod waiting;
mod write;
mod writer;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, InterruptHandle};

pub use error::StoreError;
pub use speaker::Heard;

use self::backup::Backups;
use self::checkup::Checkup;
use self::drafts::Copies;
use self::hold::Hold;
use self::place::{Place, close_deleted};
use self::presence::Suspicion;
use self::schema::Medium;
use self::speaker::Speaker;
use self::vectors::{Asked, Cache, Kept};
use self::waiting::Waiting;
use self::writer::{Order, Writer};
use crate::api::call::Ticket;
use crate::record::{Query, Record, Stored};

/// The name of the cache of vectors, which is beside the store.
const VECTORS: &str = "vectors.db";

/// The store: hand it records and queries; each ticket gets its [`Stored`] through the `replies` given at opening, from
/// one of the store's own threads.
///
/// Records are kept in the order given, a query sees all that was recorded before it. Dropping the store finishes what
/// was ordered, too, but does not wait for it as [`Store::close`] does.
pub struct Store {
    orders: Sender<Order>,
    vectors: Sender<vectors::Order>,
    replies: Replies,
    warnings: Vec<String>,
    unsaved: Option<String>,
    speaker: Speaker,
    /// Hears from the writer thread and from that of the vectors, from each at its very end: what could not be kept.
    ended: Mutex<Receiver<Option<String>>>,
    reading: Arc<Mutex<InterruptHandle>>,
    /// Tells the thread of the vectors that nobody waits for them any more.
    hurry: Arc<AtomicBool>,
}

impl Store {
    /// Opens the store at `path`, making it (0600) and its directory where they are not there yet.
    ///
    /// After an exit that was not clean it is checked; a damaged file is put aside, what can be read of it goes into a
    /// new one, and [`Store::warnings`] tells. Blocks for as long as that takes, and up to ten seconds while another copy
    /// does it. What cannot be written is opened to be read, as far as it can be, and [`Store::unsaved`] tells.
    ///
    /// # Errors
    /// The file belongs to another program, or can be neither written nor read. It is unchanged then; [`Store::memory`]
    /// is the way to go on.
    pub fn open(path: &Path, replies: impl Fn(Ticket, Stored) + Send + 'static) -> Result<Self, StoreError> {
        let opened = open::open(path)?;
        let (path, medium) = (opened.path, opened.medium);
        let (writable, local) = (opened.unsaved.is_none(), medium == Medium::Local);
        let (suspicion, speaker) = (Suspicion::of(opened.presence), Speaker::default());
        // Where a reader holds up writers nothing is checked beside them.
        let checkup = if local && !opened.checked {
            Checkup::start(path.clone(), suspicion.clone(), speaker.clone())
        } else {
            None
        };
        let unsaved = opened.unsaved.as_ref().map(ToString::to_string);
        let hold = opened.unsaved.map(|why| Hold { path: path.clone(), medium, why, speaker: speaker.clone() });
        let parts = Parts {
            connection: opened.writer,
            reader: opened.reader,
            suspicion,
            place: writable.then(|| Place::of(path.clone(), medium)),
            copies: Copies::enter(&path),
            backups: if writable && local { Backups::of(path.clone()) } else { Backups::default() },
            checkup,
            hold,
            vectors: vectors::Place::File(path.with_file_name(VECTORS), medium),
            speaker,
            warnings: opened.warnings,
            unsaved,
        };
        Self::start(parts, replies).map_err(|error| StoreError::Unusable { path, why: error.to_string() })
    }

    /// A store that keeps everything in memory and nothing beyond the process.
    ///
    /// # Panics
    /// When the system gives neither memory nor threads.
    pub fn memory(replies: impl Fn(Ticket, Stored) + Send + 'static) -> Self {
        let mut connection = Connection::open_in_memory().expect("a small piece of memory can be had");
        schema::prepare(&connection, Medium::Memory).expect("these settings are constant");
        schema::migrate(&mut connection).expect("the tables are constant");
        let parts = Parts {
            connection,
            reader: None,
            suspicion: Suspicion::default(),
            place: None,
            copies: Copies::alone(),
            backups: Backups::default(),
            checkup: None,
            hold: None,
            vectors: vectors::Place::Memory,
            speaker: Speaker::default(),
            warnings: Vec::new(),
            unsaved: None,
        };
        Self::start(parts, replies).expect("a thread can be had")
    }

    fn start(parts: Parts, replies: impl Fn(Ticket, Stored) + Send + 'static) -> std::io::Result<Self> {
        let Parts { connection, reader, suspicion, place, copies, mut backups, checkup, hold, vectors, .. } = parts;
        let (speaker, warnings, unsaved) = (parts.speaker, parts.warnings, parts.unsaved);
        let replies = Replies::new(replies);
        let copies = Arc::new(copies);
        let (orders, waiting) = channel();
        let (end, ended) = channel();
        let reading = Arc::new(Mutex::new(reader.as_ref().unwrap_or(&connection).get_interrupt_handle()));
        let (reader, readers_thread) = match reader {
            None => (None, None),
            Some(connection) => {
                let (queries, asked) = channel();
                let (replies, copies) = (replies.clone(), Arc::clone(&copies));
                let reader = Reader { connection, copies, suspicion: suspicion.clone(), reading: Arc::clone(&reading) };
                let thread = named("store-reader").spawn(move || reader.serve(&asked, &replies))?;
                (Some(queries), Some(thread))
            }
        };
        let mut writer = Writer {
            connection,
            orders: waiting,
            reader,
            replies: replies.clone(),
            suspicion,
            place,
            copies,
            waiting: Waiting::default(),
            speaker: speaker.clone(),
            hold,
        };
        let hurry = Arc::new(AtomicBool::new(false));
        let (vector_orders, vectors_asked) = channel();
        let cache = Cache::new(vectors, vectors_asked, replies.clone(), Arc::clone(&hurry));
        let cache_end = end.clone();
        named("store-vectors").spawn(move || {
            cache.run();
            let _ = cache_end.send(None);
        })?;
        named("store-writer").spawn(move || {
            let lost = writer.run(|| backups.due());
            let gone = writer.is_gone();
            let Writer { connection, reader, suspicion, .. } = writer;
            // The readers first: the last connection to close takes the log away.
            drop(reader);
            if let Some(thread) = readers_thread {
                let _ = thread.join();
            }
            backups.stop();
            if let Some(checkup) = checkup {
                checkup.stop();
            }
            if gone {
                close_deleted(connection);
            } else {
                finish(connection, suspicion);
            }
            let _ = end.send(lost);
        })?;
        let vectors = vector_orders;
        let spoken = speaker.clone();
        let _ = vectors.send(vectors::Order::Hear(Box::new(move |warning| spoken.say(Heard::Warning(warning)))));
        Ok(Self { orders, vectors, replies, warnings, unsaved, speaker, ended: Mutex::new(ended), reading, hurry })
    }

    /// What the user should know about the store just opened: sentences.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Why nothing can be kept: a sentence. What is recorded waits or fails until [`Heard::Writable`] is said.
    pub fn unsaved(&self) -> Option<&str> {
        self.unsaved.as_deref()
    }

    /// What the store says by itself goes to `hears`, from what was said since the opening on.
    pub fn hear(&self, hears: impl Fn(Heard) + Send + 'static) {
        self.speaker.hear(hears);
    }

    /// Keeps something. Never waits; answered with `Committed` or `Failed`, and with `Waiting` before where the disk
    /// refuses it for now.
    pub fn record(&self, ticket: Ticket, record: Record) {
        let taken = match record {
            Record::Vectors { key, vectors } => {
                self.vectors.send(vectors::Order::Keep(ticket, Kept { key, vectors })).is_ok()
            }
            record => self.orders.send(Order::Record(ticket, record)).is_ok(),
        };
        self.stopped_unless(taken, ticket);
    }

    /// Asks something. Never waits; answered with `Rows` or `Failed`.
    pub fn load(&self, ticket: Ticket, query: Query) {
        let asked = |key, texts, whole| vectors::Order::Load(ticket, Asked { key, texts, whole });
        let taken = match query {
            Query::HasVectors { key, texts } => self.vectors.send(asked(key, texts, false)).is_ok(),
            Query::Vectors { key, texts } => self.vectors.send(asked(key, texts, true)).is_ok(),
            query => self.orders.send(Order::Load(ticket, query)).is_ok(),
        };
        self.stopped_unless(taken, ticket);
    }

    fn stopped_unless(&self, taken: bool, ticket: Ticket) {
        if !taken {
            self.replies.send(ticket, Stored::Failed("the store has stopped; restart benchtop".into()));
        }
    }

    /// As [`Store::end`]; whether all is kept.
    pub fn close(self) -> bool {
        self.end().is_ok()
    }

    /// Finishes all orders, offers the disk once more what it refused, tidies the file and ends the threads, within ten
    /// seconds.
    ///
    /// # Errors
    /// What could not be kept and why: a sentence.
    pub fn end(self) -> Result<(), String> {
        let _ = self.orders.send(Order::Close);
        let _ = self.vectors.send(vectors::Order::Close);
        let ended = self.ended.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (mut left, mut lost) = (2, None);
        let mut over = |patience: Duration| {
            let until = Instant::now() + patience;
            while left > 0
                && let Ok(refused) = ended.recv_timeout(until.saturating_duration_since(Instant::now()))
            {
                left -= 1;
                lost = lost.take().or(refused);
            }
            left == 0
        };
        // A search that takes that long has nobody left to read it.
        let ended = over(limits::QUERY) || {
            self.reading.lock().unwrap_or_else(PoisonError::into_inner).interrupt();
            self.hurry.store(true, Ordering::Relaxed);
            over(limits::CLOSING)
        };
        match lost {
            None if ended => Ok(()),
            lost => Err(lost.unwrap_or_else(|| "the store could not be written in time".to_owned())),
        }
    }
}

/// What a store is made of.
struct Parts {
    connection: Connection,
    /// For queries; `None`: the writer answers them.
    reader: Option<Connection>,
    suspicion: Suspicion,
    place: Option<Place>,
    copies: Copies,
    backups: Backups,
    checkup: Option<Checkup>,
    /// Set while the store can only be read.
    hold: Option<Hold>,
    vectors: vectors::Place,
    speaker: Speaker,
    warnings: Vec<String>,
    unsaved: Option<String>,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("warnings", &self.warnings).finish_non_exhaustive()
    }
}

/// Where answers go. Shared by the threads; whoever is called is called by one of them at a time.
#[derive(Clone)]
struct Replies(Arc<Mutex<Reply>>);

type Reply = Box<dyn Fn(Ticket, Stored) + Send>;

impl Replies {
    fn new(replies: impl Fn(Ticket, Stored) + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Box::new(replies))))
    }

    fn send(&self, ticket: Ticket, stored: Stored) {
        let replies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        replies(ticket, stored);
    }
}

fn named(name: &str) -> thread::Builder {
    thread::Builder::new().name(name.to_owned())
}

/// Hears sentences.
type Hears = Box<dyn Fn(String) + Send>;

/// What the reader thread is asked.
enum Question {
    Ask(Ticket, Query),
    /// The file was written again: this is a connection to it.
    Again(Box<Connection>, Suspicion),
}

/// The reader thread's side of the store.
struct Reader {
    connection: Connection,
    copies: Arc<Copies>,
    suspicion: Suspicion,
    reading: Arc<Mutex<InterruptHandle>>,
}

impl Reader {
    fn serve(mut self, asked: &Receiver<Question>, replies: &Replies) {
        while let Ok(question) = asked.recv() {
            match question {
                Question::Ask(ticket, query) => {
                    let found = writer::found(&mut self.connection, query, &self.copies, &self.suspicion);
                    replies.send(ticket, found);
                }
                Question::Again(connection, suspicion) => {
                    *self.reading.lock().unwrap_or_else(PoisonError::into_inner) = connection.get_interrupt_handle();
                    close_deleted(std::mem::replace(&mut self.connection, *connection));
                    self.suspicion = suspicion;
                }
            }
        }
    }
}

/// The end: the log goes into the file (where nobody reads it just now), the lock is given back.
fn finish<H>(connection: Connection, held: H) {
    let _ = connection.pragma_query(None, "wal_checkpoint", |_| Ok(()));
    drop(connection);
    drop(held);
}

/// `path` with a suffix behind its whole name.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
