//! What outlives the program: SQLite behind one writer thread. Orders in, acknowledgements and rows out.
//!
//! `Committed` means fsync returned: the record survives kill -9 and a power cut. Several copies of benchtop may share
//! a store; each writes only what it was ordered to and never touches what another copy is streaming.

mod answers;
mod backup;
mod details;
mod error;
mod growth;
mod limits;
mod marks;
mod open;
mod playground;
mod presence;
mod read;
mod repair;
mod salvage;
mod schema;
mod search;
mod text;
mod texts;
mod vectors;
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

use self::backup::Backups;
use self::presence::Suspicion;
use self::schema::Medium;
use self::vectors::{Asked, Cache, Kept, Place};
use self::writer::{Order, Writer};
use crate::api::call::Ticket;
use crate::record::{Query, Record, Stored};

/// The name of the cache of vectors, which is beside the store.
const VECTORS: &str = "vectors.db";

/// The store: hand it records and queries; each ticket gets exactly one [`Stored`] through the `replies` given at
/// opening, from one of the store's own threads.
///
/// Records are kept in the order given, a query sees all that was recorded before it. Dropping the store finishes what
/// was ordered, too, but does not wait for it as [`Store::close`] does.
pub struct Store {
    orders: Sender<Order>,
    vectors: Sender<vectors::Order>,
    replies: Replies,
    warnings: Vec<String>,
    /// Hears from the writer thread and from that of the vectors, from each at its very end.
    ended: Mutex<Receiver<()>>,
    reading: InterruptHandle,
    /// Tells the thread of the vectors that nobody waits for them any more.
    hurry: Arc<AtomicBool>,
}

impl Store {
    /// Opens the store at `path`, making it (0600) and its directory where they are not there yet.
    ///
    /// After an exit that was not clean it is checked; a damaged file is put aside, what can be read of it goes into a
    /// new one, and [`Store::warnings`] tells. Blocks for as long as that takes, and up to ten seconds while another copy
    /// does it.
    ///
    /// # Errors
    /// The file cannot be used, belongs to another program or a newer version, or is damaged while another copy has it
    /// open. The file is unchanged then; [`Store::memory`] is the way to go on.
    pub fn open(path: &Path, replies: impl Fn(Ticket, Stored) + Send + 'static) -> Result<Self, StoreError> {
        let opened = open::open(path)?;
        let backups =
            if opened.medium == Medium::Local { Backups::of(opened.path.clone()) } else { Backups::default() };
        let path = opened.path;
        let vectors = Place::File(path.with_file_name(VECTORS), opened.medium);
        Self::start(
            opened.writer,
            Some(opened.reader),
            Suspicion::of(opened.presence),
            backups,
            vectors,
            opened.warnings,
            replies,
        )
        .map_err(|error| StoreError::Unusable { path, why: error.to_string() })
    }

    /// A store that keeps everything in memory and nothing beyond the process.
    ///
    /// # Panics
    /// When the system gives neither memory nor threads.
    pub fn memory(replies: impl Fn(Ticket, Stored) + Send + 'static) -> Self {
        let mut connection = Connection::open_in_memory().expect("a small piece of memory can be had");
        schema::prepare(&connection, Medium::Memory).expect("these settings are constant");
        schema::migrate(&mut connection).expect("the tables are constant");
        let nothing = (Suspicion::default(), Backups::default());
        Self::start(connection, None, nothing.0, nothing.1, Place::Memory, Vec::new(), replies)
            .expect("a thread can be had")
    }

    fn start(
        connection: Connection,
        reader: Option<Connection>,
        suspicion: Suspicion,
        mut backups: Backups,
        vectors: Place,
        warnings: Vec<String>,
        replies: impl Fn(Ticket, Stored) + Send + 'static,
    ) -> std::io::Result<Self> {
        let replies = Replies::new(replies);
        let (orders, waiting) = channel();
        let (end, ended) = channel();
        let reading = reader.as_ref().unwrap_or(&connection).get_interrupt_handle();
        let (reader, readers_thread) = match reader {
            None => (None, None),
            Some(reader) => {
                let (queries, asked) = channel();
                let (replies, suspicion) = (replies.clone(), suspicion.clone());
                let thread = named("store-reader").spawn(move || serve(reader, &asked, &replies, &suspicion))?;
                (Some(queries), Some(thread))
            }
        };
        let writer =
            Writer { connection, orders: waiting, reader, replies: replies.clone(), suspicion: suspicion.clone() };
        let hurry = Arc::new(AtomicBool::new(false));
        let (vector_orders, vectors_asked) = channel();
        let cache = Cache::new(vectors, vectors_asked, replies.clone(), Arc::clone(&hurry));
        let cache_end = end.clone();
        named("store-vectors").spawn(move || {
            cache.run();
            let _ = cache_end.send(());
        })?;
        named("store-writer").spawn(move || {
            let connection = writer.run(|| backups.due());
            // The readers first: the last connection to close takes the log away.
            if let Some(thread) = readers_thread {
                let _ = thread.join();
            }
            backups.stop();
            finish(connection, suspicion);
            let _ = end.send(());
        })?;
        let vectors = vector_orders;
        Ok(Self { orders, vectors, replies, warnings, ended: Mutex::new(ended), reading, hurry })
    }

    /// What the user should know about the store just opened: sentences.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// What the user should know of the cache of vectors, which is opened when it is first needed, goes to `hears` from
    /// now on: sentences.
    pub fn hear(&self, hears: impl Fn(String) + Send + 'static) {
        let _ = self.vectors.send(vectors::Order::Hear(Box::new(hears)));
    }

    /// Keeps something. Never waits; answered with `Committed` or `Failed`.
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

    /// Finishes all orders, tidies the file and ends the threads, within ten seconds. Whether it managed to.
    pub fn close(self) -> bool {
        let _ = self.orders.send(Order::Close);
        let _ = self.vectors.send(vectors::Order::Close);
        let ended = self.ended.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut left = 2;
        let mut over = |patience: Duration| {
            let until = Instant::now() + patience;
            while left > 0 && ended.recv_timeout(until.saturating_duration_since(Instant::now())).is_ok() {
                left -= 1;
            }
            left == 0
        };
        // A search that takes that long has nobody left to read it.
        over(limits::QUERY) || {
            self.reading.interrupt();
            self.hurry.store(true, Ordering::Relaxed);
            over(limits::CLOSING)
        }
    }
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

/// The reader thread.
fn serve(mut connection: Connection, asked: &Receiver<(Ticket, Query)>, replies: &Replies, suspicion: &Suspicion) {
    while let Ok((ticket, query)) = asked.recv() {
        replies.send(ticket, writer::found(&mut connection, query, suspicion));
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
