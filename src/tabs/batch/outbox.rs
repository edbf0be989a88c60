//! Results on their way to the disk: one batch of records at a time.

use super::items::AcceptedItem;
use crate::api::call::Ticket;
use crate::component::{Charge, Cx, Saves};
use crate::record::{Record, Stored};
use crate::tabs::tab::RunMeter;
use crate::text::Untrusted;

/// The result of one item, as the store keeps it.
pub trait BatchResult: Clone {
    /// Whether results are written in one transaction with the ledger's rows; not so where they have a file of their
    /// own.
    const WITH_LEDGER: bool = true;

    /// The most results of one record.
    const MOST: usize = usize::MAX;

    /// Returns the record that saves these results, at least one.
    fn record(results: Vec<Self>) -> Record;
}

/// Results that are not on disk yet, each with its item, and the records for the ledger of the requests they came with.
#[derive(Debug)]
pub struct ResultOutbox<T> {
    waiting: Vec<(u32, T)>,
    ledger: Vec<Record>,
    /// What is with the store.
    saving: Vec<(Ticket, Vec<(u32, T)>)>,
    saves: Saves,
    meter: Option<RunMeter>,
}

impl<T> Default for ResultOutbox<T> {
    fn default() -> Self {
        Self { waiting: Vec::new(), ledger: Vec::new(), saving: Vec::new(), saves: Saves::default(), meter: None }
    }
}

impl<T: BatchResult> ResultOutbox<T> {
    /// Adds the result of an item to those that are saved.
    pub fn add(&mut self, item: AcceptedItem, result: T) {
        self.waiting.push((item.place(), result));
    }

    /// Charges an answer to the ledger and to the footer's meter.
    pub fn charge(&mut self, charge: Charge, cx: &mut Cx) {
        self.ledger.push(charge.record(self.meter.get_or_insert_default(), cx));
    }

    /// Returns tokens and cost of the answers so far; `None`: none has come.
    pub fn meter(&self) -> Option<RunMeter> {
        self.meter
    }

    /// Saves what has come, unless the batch before is on its way. While the disk refuses, all that comes goes to the
    /// store, which answers that it waits: a run that was resumed is held again.
    pub fn save(&mut self, cx: &mut Cx) {
        if self.saves.is_answered() || self.saves.refusal().is_some() {
            self.flush(cx);
        }
    }

    /// Saves all that has come.
    pub fn flush(&mut self, cx: &mut Cx) {
        let (results, mut ledger) = (std::mem::take(&mut self.waiting), std::mem::take(&mut self.ledger));
        for results in results.chunks(T::MOST) {
            let mut record = T::record(results.iter().map(|(_, result)| result.clone()).collect());
            if T::WITH_LEDGER {
                record = Record::Batch(std::iter::once(record).chain(ledger.drain(..)).collect());
            }
            self.saving.push((self.saves.save(record, cx), results.to_vec()));
        }
        if !ledger.is_empty() {
            self.saves.save(Record::Batch(ledger), cx);
        }
    }

    /// Takes the store's answer and returns the results that are on disk now; `None`: it is to somebody else.
    pub fn handle_stored(&mut self, ticket: Ticket, stored: &Stored) -> Option<Vec<(u32, T)>> {
        if !self.saves.stored(ticket, stored) {
            return None;
        }
        let on_disk = |(saving, _): &mut (Ticket, _)| *saving == ticket && *stored == Stored::Committed;
        Some(self.saving.extract_if(.., on_disk).flat_map(|(_, results)| results).collect())
    }

    /// Returns why the store does not save.
    pub fn refusal(&self) -> Option<&Untrusted> {
        self.saves.refusal()
    }

    /// Returns how many results are not on disk.
    pub fn unsaved(&self) -> usize {
        self.waiting.len() + self.saving.iter().map(|(_, results)| results.len()).sum::<usize>()
    }

    /// Returns whether all that has come is on disk, the ledger's rows included.
    pub fn is_saved(&self) -> bool {
        self.waiting.is_empty() && self.ledger.is_empty() && self.saves.is_saved()
    }
}
