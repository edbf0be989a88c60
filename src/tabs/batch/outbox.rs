//! Results on their way to the disk: one batch of records at a time.

use super::BatchResult;
use crate::api::call::Ticket;
use crate::component::{Cx, Saves};
use crate::record::{LedgerRow, Record, Stored};
use crate::text::Untrusted;

/// Results that are not on disk yet, each with its item, and the ledger rows of the requests they came with.
#[derive(Debug)]
pub(super) struct ResultOutbox<T> {
    waiting: Vec<(u32, T)>,
    ledger: Vec<LedgerRow>,
    /// What is with the store.
    saving: Vec<(Ticket, Vec<(u32, T)>)>,
    saves: Saves,
}

impl<T> Default for ResultOutbox<T> {
    fn default() -> Self {
        Self { waiting: Vec::new(), ledger: Vec::new(), saving: Vec::new(), saves: Saves::default() }
    }
}

impl<T: BatchResult> ResultOutbox<T> {
    pub(super) fn push(&mut self, item: u32, result: T) {
        self.waiting.push((item, result));
    }

    pub(super) fn push_ledger(&mut self, row: LedgerRow) {
        self.ledger.push(row);
    }

    /// Saves what has come, unless the batch before is not on disk yet.
    pub(super) fn save(&mut self, cx: &mut Cx) {
        if self.saves.is_saved() {
            self.flush(cx);
        }
    }

    /// Saves all that has come.
    pub(super) fn flush(&mut self, cx: &mut Cx) {
        let (results, ledger) = (std::mem::take(&mut self.waiting), std::mem::take(&mut self.ledger));
        let mut records = Vec::with_capacity(ledger.len() + 1);
        if !results.is_empty() {
            records.push(T::record(results.iter().map(|(_, result)| result.clone()).collect()));
        }
        records.extend(ledger.into_iter().map(Record::Ledger));
        if !records.is_empty() {
            self.saving.push((self.saves.save(Record::Batch(records), cx), results));
        }
    }

    /// Takes the store's answer and returns the results that are on disk now; `None`: it is to somebody else.
    pub(super) fn stored(&mut self, ticket: Ticket, stored: &Stored) -> Option<Vec<(u32, T)>> {
        if !self.saves.stored(ticket, stored) {
            return None;
        }
        let on_disk = |(saving, _): &mut (Ticket, _)| *saving == ticket && *stored == Stored::Committed;
        Some(self.saving.extract_if(.., on_disk).flat_map(|(_, results)| results).collect())
    }

    /// Returns why the store does not save.
    pub(super) fn refusal(&self) -> Option<&Untrusted> {
        self.saves.refusal()
    }

    /// Returns how many results are not on disk.
    pub(super) fn len(&self) -> usize {
        self.waiting.len() + self.saving.iter().map(|(_, results)| results.len()).sum::<usize>()
    }

    /// Whether all is on disk.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.ledger.is_empty() && self.saves.is_saved()
    }
}
