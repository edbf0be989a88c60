//! Persistent storage: SQLite behind one writer thread, which receives requests and returns acknowledgements and rows.
//!
//! `Committed` means fsync returned: the record survives kill -9 and a power cut. Several copies of benchtop may share
//! a store; each writes only what it was asked to and never touches what another copy is streaming.

mod about;
mod answers;
mod append_text;
mod backup;
mod checkup;
mod columns;
mod commit;
mod connection;
mod conversations;
mod details;
mod drafts;
mod error;
mod events;
mod examine;
mod helpers;
mod hold;
mod inspect;
mod ledger;
mod limits;
mod lock_file;
mod marks;
mod open;
mod paths;
mod playground;
mod profiles;
mod read;
mod reading;
mod repair;
mod replies;
mod salvage;
mod schema;
mod search;
mod settings;
mod store_file;
mod text;
mod texts;
mod turns;
mod vectors;
mod waiting;
mod write;
mod writer;

use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::Connection;

pub use error::StoreError;
pub use events::StoreEvent;
pub use inspect::{Health, Inspection, inspect, look_up};

use self::connection::close_deleted;
use self::drafts::Copies;
use self::events::StoreEvents;
use self::helpers::{HelperParts, Helpers, QueryInterrupt};
use self::hold::WriteHold;
use self::lock_file::CorruptionFlag;
use self::replies::{ReplySender, thread_named};
use self::schema::Medium;
use self::store_file::StoreFile;
use self::vectors::{Cache, NewVectors, VectorQuery};
use self::waiting::{OnRefusal, Waiting};
use self::writer::{StoreRequest, Writer};
use crate::api::call::Ticket;
use crate::record::{Query, Record, Stored};

/// The name of the cache of vectors, which is beside the store.
const VECTORS: &str = "vectors.db";

/// The store: it takes records and queries; each ticket gets its [`Stored`] through the `replies` given at opening,
/// from one of the store's own threads.
///
/// Records are stored in the order given, and a query sees everything recorded before it. Dropping the store finishes
/// what was asked for, too, but does not wait for it as [`Store::close`] does.
pub struct Store {
    requests: Sender<StoreRequest>,
    vectors: Sender<vectors::CacheRequest>,
    replies: ReplySender,
    warnings: Vec<String>,
    unsaved: Option<String>,
    events: StoreEvents,
    /// Receives from the writer thread and from the thread of the vectors, from each at its end, what could not be
    /// stored.
    ended: Mutex<Receiver<Option<String>>>,
    query_interrupt: QueryInterrupt,
    /// Tells the thread of the vectors that its answers are no longer needed.
    closing: Arc<AtomicBool>,
}

impl Store {
    /// Opens the store at `path`, creating it (0600) and its directory if needed.
    ///
    /// After an exit that was not clean it is checked; a damaged file is renamed, what can be read of it is copied into
    /// a new one, and [`Store::warnings`] says so. Blocks for as long as that takes, and up to ten seconds while
    /// another copy does it. A store that cannot be written is opened for reading, as far as possible, and
    /// [`Store::unsaved`] says why.
    ///
    /// # Errors
    /// The file belongs to another program, or can be neither written nor read. It is unchanged then; [`Store::memory`]
    /// can be used instead.
    pub fn open(path: &Path, replies: impl Fn(Ticket, Stored) + Send + 'static) -> Result<Self, StoreError> {
        let opened = open::open(path)?;
        let (path, medium) = (opened.path, opened.medium);
        let events = StoreEvents::default();
        let file = opened.unsaved.is_none().then(|| StoreFile::of(path.clone(), medium));
        let parts =
            opened.reader.map(|reader| HelperParts { path: path.clone(), medium, reader, checked: opened.checked });
        let unsaved = opened.unsaved.as_ref().map(ToString::to_string);
        let hold = opened.unsaved.map(|cause| WriteHold { path: path.clone(), medium, cause, events: events.clone() });
        let parts = StoreParts {
            connection: opened.writer,
            parts,
            corruption: CorruptionFlag::of(opened.lock),
            file,
            copies: Copies::enter(&path),
            hold,
            vectors: vectors::CacheLocation::File(path.with_file_name(VECTORS), medium),
            events,
            warnings: opened.warnings,
            unsaved,
        };
        Self::start(parts, replies).map_err(|error| StoreError::Unusable { path, reason: error.to_string() })
    }

    /// Opens a store in memory, which stores nothing beyond the process.
    ///
    /// # Panics
    /// If the system gives neither memory nor threads.
    pub fn memory(replies: impl Fn(Ticket, Stored) + Send + 'static) -> Self {
        let mut connection = Connection::open_in_memory().expect("a small piece of memory can be had");
        schema::prepare(&connection, Medium::Memory).expect("these settings are constant");
        schema::migrate(&mut connection).expect("the tables are constant");
        let parts = StoreParts {
            connection,
            parts: None,
            corruption: CorruptionFlag::default(),
            file: None,
            copies: Copies::alone(),
            hold: None,
            vectors: vectors::CacheLocation::Memory,
            events: StoreEvents::default(),
            warnings: Vec::new(),
            unsaved: None,
        };
        Self::start(parts, replies).expect("a thread can be had")
    }

    fn start(parts: StoreParts, replies: impl Fn(Ticket, Stored) + Send + 'static) -> std::io::Result<Self> {
        let StoreParts { connection, parts, corruption, file, copies, hold, vectors, events, warnings, unsaved } =
            parts;
        let (replies, copies) = (ReplySender::new(replies), Arc::new(copies));
        let (requests, waiting) = channel();
        let (end, ended) = channel();
        let query_interrupt = Arc::new(Mutex::new(connection.get_interrupt_handle()));
        let helpers = match parts {
            None => Helpers::default(),
            Some(parts) => Helpers::start(parts, (&corruption, &events), &copies, &replies, &query_interrupt)?,
        };
        let mut writer = Writer {
            connection,
            requests: waiting,
            helpers,
            query_interrupt: Arc::clone(&query_interrupt),
            replies: replies.clone(),
            corruption,
            file,
            copies,
            waiting: Waiting::default(),
            events: events.clone(),
            hold,
        };
        let closing = Arc::new(AtomicBool::new(false));
        let (vector_requests, vector_receiver) = channel();
        let cache = Cache::new(vectors, vector_receiver, replies.clone(), Arc::clone(&closing));
        let cache_end = end.clone();
        thread_named("store-vectors").spawn(move || {
            let lost = cache.run();
            let _ = cache_end.send(lost);
        })?;
        thread_named("store-writer").spawn(move || {
            let lost = writer.run();
            let gone = writer.is_file_gone();
            let Writer { connection, helpers, corruption, .. } = writer;
            // The others first: the last connection to close removes the log.
            helpers.stop();
            if gone {
                close_deleted(connection);
            } else {
                connection::close(connection, corruption);
            }
            let _ = end.send(lost);
        })?;
        let (vectors, ended) = (vector_requests, Mutex::new(ended));
        let spoken = events.clone();
        let _ = vectors
            .send(vectors::CacheRequest::Subscribe(Box::new(move |warning| spoken.send(StoreEvent::Warning(warning)))));
        Ok(Self { requests, vectors, replies, warnings, unsaved, events, ended, query_interrupt, closing })
    }

    /// Returns what the user should know about the store just opened, as sentences.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns why nothing can be stored, as a sentence. Records wait or fail until [`StoreEvent::Writable`] is sent.
    pub fn unsaved(&self) -> Option<&str> {
        self.unsaved.as_deref()
    }

    /// Sends events that answer no request to `subscriber`, from the opening on.
    pub fn subscribe(&self, subscriber: impl Fn(StoreEvent) + Send + 'static) {
        self.events.subscribe(subscriber);
    }

    /// Saves a record. Never blocks; answered with `Committed`, or with `Failed` if it does not fit what is stored or
    /// too much waits already, and with `Waiting` before if the disk refuses it for now (new vectors fail then).
    pub fn try_save(&self, ticket: Ticket, record: Record) {
        self.send(ticket, record, OnRefusal::Report);
    }

    /// Saves a record, and retries until it is written. Never blocks; answered with `Committed`, and with `Waiting`
    /// before if the record is refused, for whatever reason: it is offered again on a timer and at the end, and what
    /// depends on it waits behind it. It is answered with `Failed` at the end, or as soon as it can never be written.
    pub fn save(&self, ticket: Ticket, record: Record) {
        self.send(ticket, record, OnRefusal::Retry);
    }

    fn send(&self, ticket: Ticket, record: Record, on_refusal: OnRefusal) {
        let taken = match record {
            Record::Vectors { key, vectors } => {
                self.vectors.send(vectors::CacheRequest::Keep(ticket, NewVectors { key, vectors }, on_refusal)).is_ok()
            }
            record => {
                if let Record::ProfileRenamed { from, to } = &record {
                    let (from, to) = (from.clone(), to.clone());
                    let _ = self.vectors.send(vectors::CacheRequest::Rename { from, to });
                }
                self.requests.send(StoreRequest::Record(ticket, record, on_refusal)).is_ok()
            }
        };
        self.stopped_unless(taken, ticket);
    }

    /// Sends a query. Never waits; answered with `Rows` or `Failed`.
    pub fn load(&self, ticket: Ticket, query: Query) {
        let load_vectors = |key, texts, whole| vectors::CacheRequest::Load(ticket, VectorQuery { key, texts, whole });
        let taken = match query {
            Query::HasVectors { key, texts } => self.vectors.send(load_vectors(key, texts, false)).is_ok(),
            Query::Vectors { key, texts } => self.vectors.send(load_vectors(key, texts, true)).is_ok(),
            query => self.requests.send(StoreRequest::Load(ticket, query)).is_ok(),
        };
        self.stopped_unless(taken, ticket);
    }

    fn stopped_unless(&self, taken: bool, ticket: Ticket) {
        if !taken {
            self.replies.send(ticket, Stored::Failed("the store has stopped; restart benchtop".into()));
        }
    }

    /// Closes the store as [`Store::end`] does. Returns whether everything is stored.
    pub fn close(self) -> bool {
        self.end().is_ok()
    }

    /// Finishes all requests, offers once more what the disk refused, tidies the file and ends the threads, within ten
    /// seconds.
    ///
    /// # Errors
    /// What could not be stored and why, as a sentence.
    pub fn end(self) -> Result<(), String> {
        let _ = self.requests.send(StoreRequest::Close);
        let _ = self.vectors.send(vectors::CacheRequest::Close);
        let ended = self.ended.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (mut left, mut lost) = (2, None);
        let mut over = |timeout: Duration| {
            let until = Instant::now() + timeout;
            while left > 0
                && let Ok(refused) = ended.recv_timeout(until.saturating_duration_since(Instant::now()))
            {
                left -= 1;
                lost = lost.take().or(refused);
            }
            left == 0
        };
        // Nobody reads the result of a search that takes that long.
        let ended = over(limits::QUERY) || {
            self.query_interrupt.lock().unwrap_or_else(PoisonError::into_inner).interrupt();
            self.closing.store(true, Ordering::Relaxed);
            over(limits::CLOSING)
        };
        match lost {
            None if ended => Ok(()),
            lost => Err(lost.unwrap_or_else(|| "the store could not be written in time".to_owned())),
        }
    }
}

/// The parts of a store.
struct StoreParts {
    connection: Connection,
    /// What the helpers need; `None`: there are none.
    parts: Option<HelperParts>,
    corruption: CorruptionFlag,
    /// The file; `None`: the store is in memory, or can only be read.
    file: Option<StoreFile>,
    copies: Copies,
    /// Set while the store can only be read.
    hold: Option<WriteHold>,
    vectors: vectors::CacheLocation,
    events: StoreEvents,
    warnings: Vec<String>,
    unsaved: Option<String>,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("warnings", &self.warnings).finish_non_exhaustive()
    }
}
