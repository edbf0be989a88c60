//! The threads that work beside the writer while the store can be written: one answers queries, one checks the store
//! once, one makes the daily copies.

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
use super::presence::CorruptionFlag;
use super::read;
use super::replies::{Replies, thread_named};
use super::schema::Medium;
use super::speaker::Speaker;
use crate::api::call::Ticket;
use crate::record::Query;

/// The query that runs, to be interrupted.
pub(super) type Reading = Arc<Mutex<InterruptHandle>>;

/// What the reader thread is asked.
enum Question {
    Ask(Ticket, Query),
    /// The file was written again: this is a connection to it.
    Again(Box<Connection>, CorruptionFlag),
}

/// A store that was opened to be written.
pub(super) struct Beside {
    pub(super) path: PathBuf,
    pub(super) medium: Medium,
    pub(super) reader: Connection,
    /// Whether it was checked when it was opened.
    pub(super) checked: bool,
}

/// The threads. The default: none run, and the writer answers queries.
#[derive(Default)]
pub(super) struct Helpers {
    reader: Option<(Sender<Question>, JoinHandle<()>)>,
    checkup: Option<Checkup>,
    pub(super) backups: Backups,
}

impl Helpers {
    /// Starts them.
    pub(super) fn start(
        beside: Beside,
        (suspicion, speaker): (&CorruptionFlag, &Speaker),
        copies: &Arc<Copies>,
        replies: &Replies,
        reading: &Reading,
    ) -> io::Result<Self> {
        let Beside { path, medium, reader: connection, checked } = beside;
        let (queries, asked) = channel();
        *reading.lock().unwrap_or_else(PoisonError::into_inner) = connection.get_interrupt_handle();
        let (reading, replies) = (Arc::clone(reading), replies.clone());
        let reader = Reader { connection, copies: Arc::clone(copies), suspicion: suspicion.clone(), reading };
        let thread = thread_named("store-reader").spawn(move || reader.serve(&asked, &replies))?;
        let mut helpers = Self { reader: Some((queries, thread)), ..Self::default() };
        // Where a reader holds up writers nothing is checked or copied beside them.
        if medium == Medium::Local {
            if !checked {
                helpers.checkup = Checkup::start(path.clone(), suspicion.clone(), speaker.clone());
            }
            helpers.backups = Backups::of(path);
        }
        Ok(helpers)
    }

    /// Has the reader answer a query; gives it back where there is none.
    pub(super) fn ask(&self, ticket: Ticket, query: Query) -> Result<(), Query> {
        let Some((queries, _)) = &self.reader else { return Err(query) };
        queries.send(Question::Ask(ticket, query)).map_err(|back| match back.0 {
            Question::Ask(_, query) => query,
            Question::Again(..) => unreachable!("a query was sent"),
        })
    }

    /// Has the reader go on in the file that was written again.
    pub(super) fn again(&self, connection: Connection, suspicion: CorruptionFlag) {
        if let Some((queries, _)) = &self.reader {
            let _ = queries.send(Question::Again(Box::new(connection), suspicion));
        }
    }

    /// Ends them.
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
struct Reader {
    connection: Connection,
    copies: Arc<Copies>,
    suspicion: CorruptionFlag,
    reading: Reading,
}

impl Reader {
    fn serve(mut self, asked: &Receiver<Question>, replies: &Replies) {
        while let Ok(question) = asked.recv() {
            match question {
                Question::Ask(ticket, query) => {
                    let found = read::respond(&mut self.connection, query, &self.copies, &self.suspicion);
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
