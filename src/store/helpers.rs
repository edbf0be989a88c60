//! The threads beside the writer while the store can be written: one answers queries, one checks the store once, one
//! makes the daily copies.

use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use rusqlite::{Connection, InterruptHandle};

use super::backup::Backups;
use super::checkup::Checkup;
use super::connection::close_deleted;
use super::drafts::Copies;
use super::events::StoreEvents;
use super::lock_file::CorruptionFlag;
use super::read;
use super::replies::{ReplySender, thread_named};
use super::schema::Medium;
use crate::api::call::Ticket;
use crate::record::Query;

/// The running query, to be interrupted.
pub(super) type QueryInterrupt = Arc<Mutex<InterruptHandle>>;

/// A request to the reader thread.
enum ReaderRequest {
    Query(Ticket, Query),
    /// The file was replaced: this is a connection to the new one.
    Reconnect(Box<Connection>, CorruptionFlag),
}

/// The parts of a store that was opened for writing.
pub(super) struct HelperParts {
    pub(super) path: PathBuf,
    pub(super) medium: Medium,
    pub(super) reader: Connection,
    /// Whether it was checked when it was opened.
    pub(super) checked: bool,
}

/// The threads. The default: none run, and the writer answers queries.
#[derive(Default)]
pub(super) struct Helpers {
    reader: Option<(Sender<ReaderRequest>, JoinHandle<()>)>,
    checkup: Option<Checkup>,
    pub(super) backups: Backups,
}

impl Helpers {
    /// Starts the threads. Fails if the system starts no thread.
    pub(super) fn start(
        parts: HelperParts,
        (corruption, events): (&CorruptionFlag, &StoreEvents),
        copies: &Arc<Copies>,
        replies: &ReplySender,
        query_interrupt: &QueryInterrupt,
    ) -> io::Result<Self> {
        let HelperParts { path, medium, reader: connection, checked } = parts;
        let (queries, requests) = channel();
        *query_interrupt.lock().unwrap_or_else(PoisonError::into_inner) = connection.get_interrupt_handle();
        let (copies, query_interrupt, replies) = (Arc::clone(copies), Arc::clone(query_interrupt), replies.clone());
        let reader = ReaderThread { connection, copies, corruption: corruption.clone(), query_interrupt };
        let thread = thread_named("store-reader").spawn(move || reader.serve(&requests, &replies))?;
        let mut helpers = Self { reader: Some((queries, thread)), ..Self::default() };
        // Where readers block writers, nothing is checked or copied beside them.
        if medium == Medium::Local {
            if !checked {
                helpers.checkup = Checkup::start(path.clone(), corruption.clone(), events.clone());
            }
            helpers.backups = Backups::of(path);
        }
        Ok(helpers)
    }

    /// Sends a query to the reader. Returns it as the error if there is none.
    pub(super) fn send_query(&self, ticket: Ticket, query: Query) -> Result<(), Query> {
        let Some((queries, _)) = &self.reader else { return Err(query) };
        queries.send(ReaderRequest::Query(ticket, query)).map_err(|back| match back.0 {
            ReaderRequest::Query(_, query) => query,
            ReaderRequest::Reconnect(..) => unreachable!("a query was sent"),
        })
    }

    /// Tells the reader to continue with the file that was written again.
    pub(super) fn reconnect(&self, connection: Connection, corruption: CorruptionFlag) {
        if let Some((queries, _)) = &self.reader {
            let _ = queries.send(ReaderRequest::Reconnect(Box::new(connection), corruption));
        }
    }

    /// Ends the threads.
    pub(super) fn stop(self) {
        if let Some((queries, thread)) = self.reader {
            drop(queries);
            let _ = thread.join();
        }
        self.backups.stop();
        if let Some(checkup) = self.checkup {
            checkup.stop();
        }
    }
}

/// The reader thread's side of the store.
struct ReaderThread {
    connection: Connection,
    copies: Arc<Copies>,
    corruption: CorruptionFlag,
    query_interrupt: QueryInterrupt,
}

impl ReaderThread {
    fn serve(mut self, requests: &Receiver<ReaderRequest>, replies: &ReplySender) {
        while let Ok(request) = requests.recv() {
            match request {
                ReaderRequest::Query(ticket, query) => {
                    let found = read::respond(&mut self.connection, query, &self.copies, &self.corruption);
                    replies.send(ticket, found);
                }
                ReaderRequest::Reconnect(connection, corruption) => {
                    *self.query_interrupt.lock().unwrap_or_else(PoisonError::into_inner) =
                        connection.get_interrupt_handle();
                    close_deleted(std::mem::replace(&mut self.connection, *connection));
                    self.corruption = corruption;
                }
            }
        }
    }
}
