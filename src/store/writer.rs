//! The writer thread, the only one that writes. Takes all waiting requests, commits them at once, then answers each.
//!
//! A commit costs one or two waits for the disk, regardless of its size; so under load the commits grow, not the queue.
//! Records that the disk refuses wait, see [`super::waiting`], and are answered again when they are committed.

use std::collections::BTreeSet;
use std::iter;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Instant;

use rusqlite::Connection;

use super::about::noun;
use super::commit::{WriteResult, commit};
use super::connection::{OpenedStore, close_deleted};
use super::drafts::Copies;
use super::error::WriteError;
use super::events::{StoreEvent, StoreEvents};
use super::helpers::{HelperParts, Helpers, QueryInterrupt};
use super::hold::WriteHold;
use super::limits::BATCH;
use super::lock_file::CorruptionFlag;
use super::read;
use super::replies::ReplySender;
use super::store_file::{RestoredFile, RestoredStore, StoreFile};
use super::waiting::{Depends as _, OnRefusal, Waiting, WaitingRecord};
use super::write::write;
use crate::api::call::Ticket;
use crate::record::{Query, Record, Stored};

/// A request to the store's threads.
pub(super) enum StoreRequest {
    Record(Ticket, Record, OnRefusal),
    Load(Ticket, Query),
    /// Finish what was asked before, then end.
    Close,
}

/// Why the writer ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EndCause {
    /// It was asked to, by [`StoreRequest::Close`].
    Closed,
    /// The store was only dropped.
    Dropped,
}

/// The writer's side of the store.
pub(super) struct Writer {
    pub(super) connection: Connection,
    pub(super) requests: Receiver<StoreRequest>,
    /// Runs queries, so that a long search delays no commit.
    pub(super) helpers: Helpers,
    pub(super) query_interrupt: QueryInterrupt,
    pub(super) replies: ReplySender,
    pub(super) corruption: CorruptionFlag,
    /// The file; `None`: the store is in memory, or can only be read.
    pub(super) file: Option<StoreFile>,
    /// The running copies of benchtop that use the store.
    pub(super) copies: Arc<Copies>,
    pub(super) waiting: Waiting,
    pub(super) events: StoreEvents,
    /// Set while the store can only be read.
    pub(super) hold: Option<WriteHold>,
}

impl Writer {
    /// Works until [`StoreRequest::Close`] or until the store was dropped. Returns what could not be stored, if
    /// anything, as a sentence.
    pub(super) fn run(&mut self) -> Option<String> {
        loop {
            let first = match self.waiting.due() {
                None => self.requests.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(due) => self.requests.recv_timeout(due.saturating_duration_since(Instant::now())),
            };
            match first {
                Ok(first) => {
                    if self.handle_requests(first) {
                        return self.end(EndCause::Closed);
                    }
                }
                Err(RecvTimeoutError::Timeout) => self.commit_all(),
                Err(RecvTimeoutError::Disconnected) => return self.end(EndCause::Dropped),
            }
        }
    }

    /// Handles a request and those that have come after it. Returns whether the store is to be closed.
    fn handle_requests(&mut self, first: StoreRequest) -> bool {
        let (mut has_records, mut loads, mut closes) = (false, Vec::new(), false);
        for request in iter::once(first).chain(self.requests.try_iter()).take(BATCH) {
            match request {
                StoreRequest::Record(ticket, record, on_refusal) => {
                    has_records = true;
                    if let Err(why) = self.waiting.add(ticket, record, on_refusal) {
                        self.replies.send(ticket, Stored::Failed(why.into()));
                    }
                }
                StoreRequest::Load(ticket, query) => loads.push((ticket, query)),
                StoreRequest::Close => {
                    closes = true;
                    break;
                }
            }
        }
        if has_records {
            self.commit_new();
        }
        // After the commit: a query sees what was recorded before it was asked.
        for (ticket, query) in loads {
            self.load(ticket, query);
        }
        closes
    }

    /// Makes the last attempt to store what waits. Returns what could not be stored, if anything, as a sentence.
    fn end(&mut self, cause: EndCause) -> Option<String> {
        if self.waiting.due().is_some() {
            self.commit_all();
        }
        let mut lost = self.waiting.reason().map(|reason| {
            let left = self.waiting.take();
            let nouns: BTreeSet<&str> = left.iter().map(|entry| noun(&entry.record)).collect();
            for ticket in left.iter().flat_map(|entry| &entry.tickets) {
                self.replies.send(*ticket, Stored::Failed(reason.clone().into()));
            }
            format!("{}: {reason}", nouns.into_iter().collect::<Vec<_>>().join(", "))
        });
        // If the store is only dropped, its folder may have been deleted on purpose.
        if cause == EndCause::Closed
            && let Err(why) = self.restore_if_gone()
        {
            lost.get_or_insert(why);
        }
        lost
    }

    /// Commits the new records. While the waiting ones are paused, leaves out the new ones that depend on them.
    fn commit_new(&mut self) {
        if !self.waiting.is_paused() {
            return self.commit_all();
        }
        // A store that cannot be opened takes nothing new either.
        let entries = if self.hold.is_none() { self.waiting.take_new() } else { Vec::new() };
        self.commit_and_answer(entries);
    }

    /// Commits everything that waits.
    fn commit_all(&mut self) {
        let entries = self.waiting.take();
        self.commit_and_answer(entries);
    }

    /// Commits records and answers what it can; the others wait.
    fn commit_and_answer(&mut self, entries: Vec<WaitingRecord>) {
        let results = self.commit_and_restore(&entries);
        if results.iter().any(Result::is_ok) {
            self.helpers.backups.start_if_due();
        }
        self.answer(entries, results);
    }

    /// Tries to commit records, and restores the file if it is gone. Returns a result for each.
    fn commit_and_restore(&mut self, entries: &[WaitingRecord]) -> Vec<WriteResult> {
        let mut results = self.try_commit(entries);
        if entries.is_empty() {
            return results;
        }
        match self.restore_if_gone() {
            Ok(None | Some(RestoredFile::Rewritten)) => {}
            // It has none of these records.
            Ok(Some(RestoredFile::Replaced)) => results = self.try_commit(entries),
            Err(why) => {
                for result in results.iter_mut().filter(|result| result.is_ok()) {
                    *result = Err(WriteError::Deferred(why.clone()));
                }
            }
        }
        results
    }

    /// Answers the records that are written or never will be; the others wait.
    fn answer(&mut self, entries: Vec<WaitingRecord>, results: Vec<WriteResult>) {
        let (mut left, mut reason) = (Vec::new(), None);
        for (entry, result) in entries.into_iter().zip(results) {
            if let Err(WriteError::Sqlite(error)) = &result {
                self.corruption.report_damage(error);
            }
            let answer = match result {
                Ok(()) => Stored::Committed,
                Err(refusal) if entry.on_refusal().waits(&refusal) => {
                    reason.get_or_insert_with(|| refusal.sentence());
                    left.push(entry);
                    continue;
                }
                Err(refusal) => Stored::Failed(refusal.sentence().into()),
            };
            for ticket in entry.tickets {
                self.replies.send(ticket, answer.clone());
            }
        }
        let replies = &self.replies;
        self.waiting.put_back(left, reason, |ticket, reason| replies.send(ticket, Stored::Waiting(reason.into())));
    }

    /// Tries to commit records. Returns a result for each.
    fn try_commit(&mut self, entries: &[WaitingRecord]) -> Vec<WriteResult> {
        if let Some(hold) = &mut self.hold {
            match hold.release() {
                Some(opened) => self.switch_to_writable(opened),
                None => return entries.iter().map(|_| Err(hold.refusal())).collect(),
            }
        }
        let copies = Arc::clone(&self.copies);
        commit(&mut self.connection, entries, |connection, entry| write(connection, &entry.record, &copies))
    }

    /// Continues with a store that can be written now.
    fn switch_to_writable(&mut self, opened: OpenedStore) {
        let OpenedStore { path, writer, reader, lock, medium, checked, .. } = opened;
        self.hold = None;
        self.connection = writer;
        self.corruption = CorruptionFlag::of(lock);
        self.file = Some(StoreFile::of(path.clone(), medium));
        self.copies.announce();
        let Some(reader) = reader else { return };
        let parts = HelperParts { path, medium, reader, checked };
        let report_to = (&self.corruption, &self.events);
        match Helpers::start(parts, report_to, &self.copies, &self.replies, &self.query_interrupt) {
            Ok(helpers) => self.helpers = helpers,
            Err(why) => tracing::error!(%why, "the store's threads could not be started"),
        }
    }

    /// Returns whether the open file was deleted or replaced, so that writes to it would be lost.
    pub(super) fn is_file_gone(&self) -> bool {
        self.file.as_ref().is_some_and(|file| !file.is_there())
    }

    /// If the open file was deleted, recreates it from the open connection; if it was replaced, continues with the one
    /// that has replaced it. `None`: it is still there. Fails with a sentence.
    fn restore_if_gone(&mut self) -> Result<Option<RestoredFile>, String> {
        let Some(file) = self.file.as_mut().filter(|file| !file.is_there()) else { return Ok(None) };
        let RestoredStore { writer, reader, lock, file } = file.restore(&self.connection)?;
        close_deleted(std::mem::replace(&mut self.connection, writer));
        self.corruption = CorruptionFlag::of(lock);
        self.copies.announce();
        self.helpers.reconnect(reader, self.corruption.clone());
        let message = match file {
            RestoredFile::Rewritten => {
                "the store's file was deleted while benchtop ran; it was restored with all its data"
            }
            RestoredFile::Replaced => {
                "the store's file was replaced while benchtop ran; new data is saved to the file that is there now"
            }
        };
        tracing::warn!("{message}");
        self.events.send(StoreEvent::Warning(message.to_owned()));
        Ok(Some(file))
    }

    /// Passes a query to the reader thread; without one, answers it here.
    fn load(&mut self, ticket: Ticket, query: Query) {
        let Err(query) = self.helpers.send_query(ticket, query) else { return };
        self.replies.send(ticket, read::respond(&mut self.connection, query, &self.copies, &self.corruption));
    }
}

#[cfg(test)]
mod tests;
