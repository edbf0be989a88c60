//! Results on their way to the disk: one batch of records at a time, in order; what is refused is offered again.

use std::time::{Duration, Instant};

use super::BatchResult;
use crate::api::call::Ticket;
use crate::component::Cx;
use crate::record::{LedgerRow, Record};
use crate::text::Untrusted;

/// How long it waits before it offers the store again what it refused.
const RETRY: Duration = Duration::from_secs(5);

/// Results, each with its place in the batch, and the ledger rows of the requests they came with.
#[derive(Debug)]
struct Parcel<T> {
    results: Vec<(u32, T)>,
    ledger: Vec<LedgerRow>,
}

impl<T> Default for Parcel<T> {
    fn default() -> Self {
        Self { results: Vec::new(), ledger: Vec::new() }
    }
}

impl<T> Parcel<T> {
    fn is_empty(&self) -> bool {
        self.results.is_empty() && self.ledger.is_empty()
    }

    /// Returns both in their order.
    fn followed_by(mut self, mut later: Self) -> Self {
        self.results.append(&mut later.results);
        self.ledger.append(&mut later.ledger);
        self
    }
}

/// Results that are not on disk yet.
#[derive(Debug)]
pub(super) struct ResultOutbox<T> {
    waiting: Parcel<T>,
    /// What is with the store.
    saving: Option<(Ticket, Parcel<T>)>,
    /// Why the store did not take the last parcel, and when it is offered again.
    refused: Option<(Untrusted, Instant)>,
}

impl<T> Default for ResultOutbox<T> {
    fn default() -> Self {
        Self { waiting: Parcel::default(), saving: None, refused: None }
    }
}

/// What the store did with a parcel.
#[derive(Debug, PartialEq)]
pub(super) enum Receipt<T> {
    /// The results are on disk.
    Saved(Vec<(u32, T)>),
    /// It refused; the parcel is offered again at this moment.
    Refused(Instant),
}

impl<T: BatchResult> ResultOutbox<T> {
    pub(super) fn push(&mut self, item: u32, result: T) {
        self.waiting.results.push((item, result));
    }

    pub(super) fn push_ledger(&mut self, row: LedgerRow) {
        self.waiting.ledger.push(row);
    }

    /// Offers the store what has come, unless it still has the parcel before, or has refused it a short while ago.
    pub(super) fn save(&mut self, cx: &mut Cx) {
        let waits = self.refused.as_ref().is_some_and(|(_, again)| *again > cx.now);
        if self.saving.is_none() && !waits {
            self.offer(cx);
        }
    }

    /// Offers the store all that is not on disk, also what it already has: saving it twice changes nothing.
    pub(super) fn flush(&mut self, cx: &mut Cx) {
        if let Some((_, parcel)) = self.saving.take() {
            self.waiting = parcel.followed_by(std::mem::take(&mut self.waiting));
        }
        self.offer(cx);
    }

    fn offer(&mut self, cx: &mut Cx) {
        if self.waiting.is_empty() {
            return;
        }
        let parcel = std::mem::take(&mut self.waiting);
        let mut records = Vec::with_capacity(parcel.ledger.len() + 1);
        if !parcel.results.is_empty() {
            records.push(T::record(parcel.results.iter().map(|(_, result)| result.clone()).collect()));
        }
        records.extend(parcel.ledger.iter().cloned().map(Record::Ledger));
        self.saving = Some((cx.record(Record::Batch(records)), parcel));
    }

    /// Takes the store's answer; `None`: it is to somebody else.
    pub(super) fn stored(&mut self, ticket: Ticket, failed: Option<&Untrusted>, now: Instant) -> Option<Receipt<T>> {
        let (_, parcel) = self.saving.take_if(|(saving, _)| *saving == ticket)?;
        let Some(why) = failed else {
            self.refused = None;
            return Some(Receipt::Saved(parcel.results));
        };
        self.waiting = parcel.followed_by(std::mem::take(&mut self.waiting));
        let again = now + RETRY;
        self.refused = Some((why.clone(), again));
        Some(Receipt::Refused(again))
    }

    /// Notes that the store cannot save the parcel for now and retries by itself. Whether it was this one's.
    pub(super) fn delayed(&mut self, ticket: Ticket, why: &Untrusted, now: Instant) -> bool {
        let ours = self.saving.as_ref().is_some_and(|(saving, _)| *saving == ticket);
        if ours {
            self.refused = Some((why.clone(), now));
        }
        ours
    }

    /// Returns why the store does not save.
    pub(super) fn refusal(&self) -> Option<&Untrusted> {
        self.refused.as_ref().map(|(why, _)| why)
    }

    /// Returns when a refused parcel is offered again; `None`: none is, or the store has it.
    pub(super) fn due(&self) -> Option<Instant> {
        self.refused.as_ref().filter(|_| self.saving.is_none()).map(|(_, again)| *again)
    }

    /// Returns how many results are not on disk.
    pub(super) fn len(&self) -> usize {
        self.waiting.results.len() + self.saving.as_ref().map_or(0, |(_, parcel)| parcel.results.len())
    }

    /// Whether all is on disk.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.saving.is_none()
    }
}
