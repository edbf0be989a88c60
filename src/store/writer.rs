//! The writer thread: the only one that writes. Takes all waiting orders, commits them at once, then answers each.
//!
//! A commit costs one or two waits for the disk, whatever it holds; so under load the commits grow, not the queue. What
//! the disk refuses waits here, see [`super::waiting`], and is answered again when it is committed.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Instant;

use rusqlite::{Connection, TransactionBehavior};

use super::about::noun;
use super::drafts::Copies;
use super::error::{is_busy, sentence};
use super::limits::BATCH;
use super::place::{Again, Place, close_deleted};
use super::presence::Suspicion;
use super::waiting::{Depends, Entry, Refused, Waiting};
use super::write::{Refusal, write};
use super::{Hears, Question, Replies, read};
use crate::api::call::Ticket;
use crate::record::{Query, Record, Stored};

/// What the store's threads are asked.
pub(super) enum Order {
    Record(Ticket, Record),
    Load(Ticket, Query),
    /// From now on what the user should know goes there.
    Hear(Hears),
    /// Finish what was asked before, then end.
    Close,
}

/// The writer's side of the store.
pub(super) struct Writer {
    pub(super) connection: Connection,
    pub(super) orders: Receiver<Order>,
    /// Where queries go, so that a long search delays no commit; `None`: answered here.
    pub(super) reader: Option<Sender<Question>>,
    pub(super) replies: Replies,
    pub(super) suspicion: Suspicion,
    /// Where the file is; `None`: in memory.
    pub(super) place: Option<Place>,
    pub(super) copies: Arc<Copies>,
    pub(super) waiting: Waiting,
    pub(super) hears: Option<Hears>,
}

impl Writer {
    /// Works until [`Order::Close`] or until the store was dropped. What could not be kept, if anything: a sentence.
    pub(super) fn run(&mut self, mut committed: impl FnMut()) -> Option<String> {
        let closed = loop {
            let first = match self.waiting.due() {
                None => self.orders.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(due) => self.orders.recv_timeout(due.saturating_duration_since(Instant::now())),
            };
            let mut next = match first {
                Ok(first) => Some(first),
                Err(RecvTimeoutError::Timeout) => {
                    self.waiting.lapsed();
                    self.attempt();
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => break false,
            };
            let (mut records, mut closes) = (0, false);
            let mut loads = Vec::new();
            while let Some(order) = next.take() {
                match order {
                    Order::Record(ticket, record) => {
                        records += 1;
                        if let Err(why) = self.waiting.add(ticket, record) {
                            self.replies.send(ticket, Stored::Failed(why.into()));
                        }
                    }
                    Order::Load(ticket, query) => loads.push((ticket, query)),
                    Order::Hear(hears) => self.hears = Some(hears),
                    Order::Close => {
                        closes = true;
                        break;
                    }
                }
                if records + loads.len() < BATCH {
                    next = self.orders.try_recv().ok();
                }
            }
            if records > 0 {
                self.attempt();
                committed();
            }
            // After the commit: a query sees what was recorded before it was asked.
            for (ticket, query) in loads {
                self.load(ticket, query);
            }
            if closes {
                break true;
            }
        };
        self.end(closed)
    }

    /// The last attempt to keep what waits. What could not be kept, if anything: a sentence.
    fn end(&mut self, closed: bool) -> Option<String> {
        if self.waiting.due().is_some() {
            self.attempt();
        }
        let mut lost = self.waiting.why().map(|why| {
            let left = self.waiting.take();
            let nouns: BTreeSet<&str> = left.iter().map(|entry| noun(&entry.record)).collect();
            for ticket in left.iter().flat_map(|entry| &entry.tickets) {
                self.replies.send(*ticket, Stored::Failed(why.clone().into()));
            }
            format!("{}: {why}", nouns.into_iter().collect::<Vec<_>>().join(", "))
        });
        // Who only drops the store may have taken its folder away on purpose.
        if closed && self.is_gone() {
            lost = lost.or(self.restore().err());
        }
        lost
    }

    /// Commits all that waits and answers what it can.
    fn attempt(&mut self) {
        let entries = self.waiting.take();
        let mut results = self.commit(&entries);
        if results.iter().any(Result::is_ok) && self.is_gone() {
            match self.restore() {
                Ok(true) => {}
                // Another file has taken the place: it has none of this.
                Ok(false) => results = self.commit(&entries),
                Err(why) => {
                    for result in results.iter_mut().filter(|result| result.is_ok()) {
                        *result = Err(Refusal::Waits(why.clone()));
                    }
                }
            }
        }
        let (mut left, mut why) = (Vec::new(), None);
        for (entry, result) in entries.into_iter().zip(results) {
            if let Err(Refusal::Sqlite(error)) = &result {
                self.suspicion.weigh(error);
            }
            let answer = match result {
                Ok(()) => Stored::Committed,
                Err(refusal) if refusal.passes() => {
                    why.get_or_insert_with(|| refusal.sentence());
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
        self.waiting.put(left, why, |ticket, why| replies.send(ticket, Stored::Waiting(why.into())));
    }

    /// Commits records; a result for each.
    fn commit(&mut self, entries: &[Entry]) -> Vec<Outcome> {
        let copies = Arc::clone(&self.copies);
        let write = |connection: &Connection, entry: &Entry| write(connection, &entry.record, &copies);
        let outcome = catch_unwind(AssertUnwindSafe(|| commit(&mut self.connection, entries, write)));
        outcome.unwrap_or_else(|_| {
            // A transaction left open by a panic is rolled back by hand: its guard may have been lost.
            if !self.connection.is_autocommit() {
                let _ = self.connection.execute_batch("ROLLBACK");
            }
            let failed = "the store failed inside; please report it";
            entries.iter().map(|_| Err(Refusal::Unfit(failed.to_owned()))).collect()
        })
    }

    /// Whether what is written goes into a file that nobody will find.
    pub(super) fn is_gone(&self) -> bool {
        self.place.as_ref().is_some_and(|place| !place.is_there())
    }

    /// Writes the file again, from what this program still has of it. Whether the file there now holds all of it; an
    /// error is a sentence.
    fn restore(&mut self) -> Result<bool, String> {
        let Some(place) = &mut self.place else { return Ok(true) };
        let Again { writer, reader, presence, whole } = place.restore(&self.connection)?;
        close_deleted(std::mem::replace(&mut self.connection, writer));
        self.suspicion = Suspicion::of(presence);
        self.copies.announce();
        if let Some(readers) = &self.reader {
            let _ = readers.send(Question::Again(Box::new(reader), self.suspicion.clone()));
        }
        let told = if whole {
            "the store's file was deleted while benchtop ran; it is written again with all that was in it"
        } else {
            "the store's file was replaced while benchtop ran; what is new goes into the one that is there now"
        };
        tracing::warn!("{told}");
        if let Some(hears) = &self.hears {
            hears(told.to_owned());
        }
        Ok(whole)
    }

    fn load(&mut self, ticket: Ticket, query: Query) {
        let query = match &self.reader {
            None => query,
            Some(reader) => match reader.send(Question::Ask(ticket, query)) {
                Ok(()) => return,
                // The reader is gone; better here than not at all.
                Err(back) => match back.0 {
                    Question::Ask(_, query) => query,
                    Question::Again(..) => return,
                },
            },
        };
        self.replies.send(ticket, found(&mut self.connection, query, &self.copies, &self.suspicion));
    }
}

/// A query's answer, whatever happens.
pub(super) fn found(connection: &mut Connection, query: Query, copies: &Copies, suspicion: &Suspicion) -> Stored {
    match catch_unwind(AssertUnwindSafe(|| read::answer(connection, query, copies))) {
        Ok(Ok(rows)) => Stored::Rows(rows),
        Ok(Err(error)) => {
            suspicion.weigh(&error);
            Stored::Failed(sentence(&error).into())
        }
        Err(_) => Stored::Failed("the store failed inside; please report it".into()),
    }
}

type Outcome = Result<(), Refusal>;

/// Commits all records that can be written; a result for each. One that fails takes no other with it, except those that
/// depend on it.
pub(super) fn commit<R: Depends>(
    connection: &mut Connection,
    records: &[R],
    write: impl Fn(&Connection, &R) -> Outcome + Copy,
) -> Vec<Outcome> {
    match together(connection, records, write) {
        Ok(results) => results,
        Err(error) if records.len() == 1 || is_busy(&error) => {
            let all = sentence(&error);
            let mut results: Vec<Outcome> = records[1..].iter().map(|_| Err(Refusal::Waits(all.clone()))).collect();
            results.insert(0, Err(Refusal::Sqlite(error)));
            results
        }
        // The disk is full or fails, and all was rolled back: what is small may still fit alone.
        Err(_) => {
            let mut refused = Refused::default();
            let mut alone = |record| {
                let result = refused
                    .pass(record)
                    .and_then(|()| together(connection, std::slice::from_ref(record), write)?.pop().unwrap_or(Ok(())));
                refused.note(record, &result);
                result
            };
            records.iter().map(&mut alone).collect()
        }
    }
}

/// All records in one transaction, each in a savepoint. An error: nothing was kept.
fn together<R: Depends>(
    connection: &mut Connection,
    records: &[R],
    write: impl Fn(&Connection, &R) -> Outcome,
) -> rusqlite::Result<Vec<Outcome>> {
    let mut transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut results = Vec::with_capacity(records.len());
    let mut refused = Refused::default();
    for record in records {
        let savepoint = transaction.savepoint()?;
        let result = match refused.pass(record).and_then(|()| write(&savepoint, record)) {
            Ok(()) => Ok(savepoint.commit()?),
            // Some failures (a full disk) end the whole transaction.
            Err(Refusal::Sqlite(error)) if savepoint.is_autocommit() => return Err(error),
            Err(refusal) => {
                savepoint.finish()?;
                Err(refusal)
            }
        };
        refused.note(record, &result);
        results.push(result);
    }
    transaction.commit()?;
    Ok(results)
}

#[cfg(test)]
mod tests {
    use super::super::schema::{Medium, migrate, prepare};
    use super::*;
    use crate::record::Id;

    fn write(connection: &Connection, record: &Record) -> Outcome {
        super::write(connection, record, &Copies::alone())
    }

    fn setting(name: &str, length: usize) -> Record {
        Record::Setting(name.to_owned(), "x".repeat(length).into())
    }

    fn store() -> Connection {
        let mut connection = Connection::open_in_memory().unwrap();
        prepare(&connection, Medium::Memory).unwrap();
        migrate(&mut connection).unwrap();
        connection
    }

    #[test]
    fn a_full_disk_refuses_what_does_not_fit_and_no_more() {
        let mut connection = store();
        let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
        connection.pragma_update_and_check(None, "max_page_count", pages + 10, |_| Ok(())).unwrap();
        let results = commit(&mut connection, &[setting("a", 10), setting("b", 1 << 20), setting("c", 10)], write);
        assert!(results[0].is_ok() && results[2].is_ok(), "{results:?}");
        assert!(results[1].as_ref().unwrap_err().sentence().starts_with("disk full"), "{results:?}");
        let kept: i64 = connection.query_row("SELECT count(*) FROM settings", [], |row| row.get(0)).unwrap();
        assert_eq!(kept, 2);
    }

    #[test]
    fn a_lock_that_stays_is_waited_for_once() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a.db");
        let mut one = Connection::open(&path).unwrap();
        prepare(&one, Medium::Local).unwrap();
        migrate(&mut one).unwrap();
        let other = Connection::open(&path).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        one.busy_timeout(std::time::Duration::from_millis(10)).unwrap();
        let results = commit(&mut one, &[setting("a", 1), setting("b", 1)], write);
        assert!(results.iter().all(|result| result.as_ref().unwrap_err().sentence().contains("another copy")));
        other.execute_batch("COMMIT").unwrap();
        assert!(commit(&mut one, &[setting("a", 1)], write)[0].is_ok());
    }

    /// A writer whose disk can be full, and what it answers.
    fn bench() -> (Writer, Receiver<(Ticket, Stored)>) {
        let (_orders, orders) = std::sync::mpsc::channel();
        let (send, answers) = std::sync::mpsc::channel();
        let writer = Writer {
            connection: store(),
            orders,
            reader: None,
            replies: Replies::new(move |ticket, stored| send.send((ticket, stored)).unwrap_or_default()),
            suspicion: Suspicion::default(),
            place: None,
            copies: Arc::new(Copies::alone()),
            waiting: Waiting::default(),
            hears: None,
        };
        (writer, answers)
    }

    impl Writer {
        fn pages(&self) -> i64 {
            self.connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap()
        }

        /// From now on the store may have so many pages.
        fn room(&self, pages: i64) {
            self.connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(())).unwrap();
        }

        fn order(&mut self, ticket: u64, record: Record) {
            self.waiting.add(Ticket(ticket), record).unwrap();
            self.attempt();
        }

        fn text(&self, query: &str) -> String {
            self.connection.query_row(query, [], |row| row.get(0)).unwrap()
        }
    }

    fn told(answers: &Receiver<(Ticket, Stored)>) -> Vec<(u64, &'static str)> {
        let word = |stored: &Stored| match stored {
            Stored::Committed => "kept",
            Stored::Waiting(why) if why.line().starts_with("disk full") => "waits",
            _ => "failed",
        };
        answers.try_iter().map(|(ticket, stored)| (ticket.0, word(&stored))).collect()
    }

    fn step(id: i64) -> Record {
        Record::Step(Box::new(crate::record::Step {
            id: Id(id),
            sheet: Id(1),
            parent: None,
            made: crate::record::Made::Typed,
            at: 0,
            removed: "".into(),
            inserted: "".into(),
            status: crate::record::TurnStatus::Streaming,
            finish_reason: "".into(),
            created_ms: 0,
        }))
    }

    #[test]
    fn what_streams_into_a_full_disk_is_whole_when_it_has_room() {
        let (mut writer, answers) = bench();
        let sheet = crate::record::Sheet { id: Id(1), created_ms: 0, updated_ms: 0, current: None, caret: 0 };
        writer.order(1, Record::Sheet(sheet));
        writer.order(2, step(2));
        writer.room(writer.pages());
        writer.order(3, setting("fill", 100_000));
        assert_eq!(told(&answers), [(1, "kept"), (2, "kept"), (3, "waits")]);
        let mut whole = String::new();
        for n in 0..3_000_u64 {
            let piece = format!("piece {n}, ünïcode; ");
            let record = Record::Grow { step: Id(2), at: whole.len() as u64, text: piece.as_str().into() };
            whole.push_str(&piece);
            writer.order(10 + n, record);
        }
        let answered = told(&answers);
        let kept = answered.iter().filter(|(_, word)| *word == "kept").count();
        assert!(kept < 100 && answered.iter().all(|(_, word)| *word != "failed"), "{kept} fitted");
        writer.room(1 << 20);
        writer.attempt();
        let answered = told(&answers);
        assert_eq!((answered.len(), answered[0]), (3_001 - kept, (3, "kept")));
        assert!(answered.iter().all(|(_, word)| *word == "kept") && writer.waiting.due().is_none());
        let text = writer.text("SELECT group_concat(text, '') FROM (SELECT text FROM grown ORDER BY place)");
        assert!(text == whole, "{} of {} bytes", text.len(), whole.len());
    }

    #[test]
    fn what_still_fits_goes_ahead_of_what_waits_unless_it_depends_on_it() {
        let (mut writer, answers) = bench();
        writer.room(writer.pages() + 10);
        let conversation = Record::Title { conversation: Id(1), title: "x".repeat(100_000).into() };
        let batch = Record::Batch(vec![setting("a", 100_000), setting("b", 1)]);
        writer.order(1, batch);
        writer.order(2, setting("b", 2));
        writer.order(3, setting("c", 3));
        writer.order(4, conversation);
        // The last is of no conversation: it is not kept later either.
        assert_eq!(told(&answers), [(1, "waits"), (2, "waits"), (3, "kept"), (4, "failed")]);
        writer.room(1 << 20);
        writer.attempt();
        assert_eq!(told(&answers), [(1, "kept"), (2, "kept")]);
        assert_eq!(writer.text("SELECT value FROM settings WHERE name = 'b'"), "xx", "the later one stays");
    }

    #[test]
    fn what_waits_is_offered_once_more_at_the_end_and_what_is_refused_then_is_said() {
        let (mut writer, answers) = bench();
        writer.room(writer.pages() + 10);
        writer.order(1, setting("a", 100_000));
        writer.order(2, Record::Draft { conversation: Id(1), text: "x".repeat(200_000) });
        assert_eq!(told(&answers), [(1, "waits"), (2, "waits")]);
        writer.room(writer.pages() + 30);
        let lost = writer.end(true);
        assert_eq!(lost.as_deref(), Some("drafts: disk full; free some space"));
        assert_eq!(told(&answers), [(1, "kept"), (2, "failed")]);
    }
}
