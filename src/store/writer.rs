//! The writer thread: the only one that writes. Takes all waiting orders, commits them at once, then answers each.
//!
//! A commit costs one or two waits for the disk, whatever it holds; so under load the commits grow, not the queue.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender};

use rusqlite::{Connection, TransactionBehavior};

use super::Replies;
use super::error::{is_busy, sentence};
use super::limits::BATCH;
use super::presence::Suspicion;
use super::read;
use super::write::{Refusal, write};
use crate::api::call::Ticket;
use crate::record::{Id, Query, Record, Stored};

/// What the store's threads are asked.
#[derive(Debug)]
pub(super) enum Order {
    Record(Ticket, Record),
    Load(Ticket, Query),
    /// Finish what was asked before, then end.
    Close,
}

/// The writer's side of the store.
pub(super) struct Writer {
    pub(super) connection: Connection,
    pub(super) orders: Receiver<Order>,
    /// Where queries go, so that a long search delays no commit; `None`: answered here.
    pub(super) reader: Option<Sender<(Ticket, Query)>>,
    pub(super) replies: Replies,
    pub(super) suspicion: Suspicion,
}

impl Writer {
    /// Works until [`Order::Close`] or until the store was dropped. Gives the connection back.
    pub(super) fn run(mut self, mut committed: impl FnMut()) -> Connection {
        let mut open = true;
        while open {
            let Ok(first) = self.orders.recv() else { break };
            let mut records = Vec::new();
            let mut loads = Vec::new();
            let mut next = Some(first);
            while let Some(order) = next.take() {
                match order {
                    Order::Record(ticket, record) => records.push((ticket, record)),
                    Order::Load(ticket, query) => {
                        loads.push((ticket, query));
                    }
                    Order::Close => {
                        open = false;
                        break;
                    }
                }
                if records.len() + loads.len() < BATCH {
                    next = self.orders.try_recv().ok();
                }
            }
            if !records.is_empty() {
                self.keep(records);
                committed();
            }
            // After the commit: a query sees what was recorded before it was asked.
            for (ticket, query) in loads {
                self.load(ticket, query);
            }
        }
        self.connection
    }

    /// Commits records and answers each.
    fn keep(&mut self, records: Vec<(Ticket, Record)>) {
        let (tickets, records) = collapse(records);
        let outcome = catch_unwind(AssertUnwindSafe(|| commit(&mut self.connection, &records, write)));
        let results = outcome.unwrap_or_else(|_| {
            // A transaction left open by a panic is rolled back by hand: its guard may have been lost.
            if !self.connection.is_autocommit() {
                let _ = self.connection.execute_batch("ROLLBACK");
            }
            records
                .iter()
                .map(|_| Err(Refusal::Unfit("the store failed inside; please report it".to_owned())))
                .collect()
        });
        for result in &results {
            if let Err(Refusal::Sqlite(error)) = result {
                self.suspicion.weigh(error);
            }
        }
        for (ticket, order) in tickets {
            self.replies.send(
                ticket,
                match &results[order] {
                    Ok(()) => Stored::Committed,
                    Err(refusal) => Stored::Failed(refusal.sentence().into()),
                },
            );
        }
    }

    fn load(&mut self, ticket: Ticket, query: Query) {
        let query = match &self.reader {
            None => query,
            Some(reader) => match reader.send((ticket, query)) {
                Ok(()) => return,
                // The reader is gone; better here than not at all.
                Err(back) => back.0.1,
            },
        };
        self.replies.send(ticket, found(&mut self.connection, query, &self.suspicion));
    }
}

/// A query's answer, whatever happens.
pub(super) fn found(connection: &mut Connection, query: Query, suspicion: &Suspicion) -> Stored {
    match catch_unwind(AssertUnwindSafe(|| read::answer(connection, query))) {
        Ok(Ok(rows)) => Stored::Rows(rows),
        Ok(Err(error)) => {
            suspicion.weigh(&error);
            Stored::Failed(sentence(&error).into())
        }
        Err(_) => Stored::Failed("the store failed inside; please report it".into()),
    }
}

/// Takes out drafts that a later one replaces. Each ticket with the place of the record that speaks for it.
fn collapse(records: Vec<(Ticket, Record)>) -> (Vec<(Ticket, usize)>, Vec<Record>) {
    let mut last: HashMap<Id, usize> = HashMap::new();
    let mut tickets = Vec::with_capacity(records.len());
    let mut kept: Vec<Record> = Vec::with_capacity(records.len());
    for (ticket, record) in records {
        let mut place = kept.len();
        match &record {
            Record::Draft { conversation, .. } => {
                place = *last.entry(*conversation).or_insert(place);
            }
            // Drafts before and after a deletion (or a batch that may hold one) are not the same draft.
            Record::Purge(_) | Record::Batch(_) => last.clear(),
            _ => {}
        }
        tickets.push((ticket, place));
        if place < kept.len() { kept[place] = record } else { kept.push(record) }
    }
    (tickets, kept)
}

type Outcome = Result<(), Refusal>;

/// What writes a record.
type Write<R> = fn(&Connection, &R) -> Result<(), Refusal>;

/// Commits all records that can be written; a result for each. One that fails takes no other with it.
pub(super) fn commit<R>(connection: &mut Connection, records: &[R], write: Write<R>) -> Vec<Outcome> {
    match together(connection, records, write) {
        Ok(results) => results,
        Err(error) if records.len() == 1 || is_busy(&error) => {
            let all = sentence(&error);
            let mut results: Vec<Outcome> = records[1..].iter().map(|_| Err(Refusal::Unfit(all.clone()))).collect();
            results.insert(0, Err(Refusal::Sqlite(error)));
            results
        }
        // The disk is full or fails, and all was rolled back: what is small may still fit alone.
        Err(_) => records
            .iter()
            .map(|record| match together(connection, std::slice::from_ref(record), write) {
                Ok(mut results) => results.pop().unwrap_or(Ok(())),
                Err(error) => Err(Refusal::Sqlite(error)),
            })
            .collect(),
    }
}

/// All records in one transaction, each in a savepoint. An error: nothing was kept.
fn together<R>(connection: &mut Connection, records: &[R], write: Write<R>) -> rusqlite::Result<Vec<Outcome>> {
    let mut transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut results = Vec::with_capacity(records.len());
    for record in records {
        let savepoint = transaction.savepoint()?;
        match write(&savepoint, record) {
            Ok(()) => {
                savepoint.commit()?;
                results.push(Ok(()));
            }
            // Some failures (a full disk) end the whole transaction.
            Err(Refusal::Sqlite(error)) if savepoint.is_autocommit() => return Err(error),
            Err(refusal) => {
                savepoint.finish()?;
                results.push(Err(refusal));
            }
        }
    }
    transaction.commit()?;
    Ok(results)
}

#[cfg(test)]
mod tests {
    use super::super::schema::{Medium, migrate, prepare};
    use super::*;

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

    #[test]
    fn of_waiting_drafts_the_last_is_kept() {
        let draft = |id, text: &str| Record::Draft { conversation: Id(id), text: text.to_owned() };
        let orders =
            vec![draft(1, "a"), setting("x", 1), draft(2, "b"), draft(1, "c"), Record::Purge(Id(1)), draft(1, "d")];
        let (tickets, records) = collapse(orders.into_iter().zip(0..).map(|(r, n)| (Ticket(n), r)).collect());
        assert_eq!(tickets.iter().map(|(_, place)| *place).collect::<Vec<_>>(), [0, 1, 2, 0, 3, 4]);
        assert_eq!(records[0], draft(1, "c"));
        assert_eq!(records[4], draft(1, "d"));
    }
}
