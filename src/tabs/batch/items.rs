//! The items of a run: which wait, which are sent, the outcome of them, and the sums over their rows.

use std::collections::{BTreeMap, VecDeque};

use crate::tabs::activity::{Activity, ActivityKind};
use crate::text::Untrusted;

/// What one run may have under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchLimits {
    /// Requests at a time, at least 1.
    pub requests: usize,
    /// Items in a request, at least 1.
    pub items: usize,
    /// Bytes or tokens in a request, whichever the items are weighed in. One item alone may weigh more.
    pub weight: u64,
}

/// One text of a run: each once, however many rows have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchItem {
    /// What it weighs, in the measure of [`BatchLimits::weight`].
    pub weight: u32,
    /// How many rows it stands for, at least 1.
    pub rows: u32,
}

/// How far a run is, in rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchTally {
    /// In all.
    pub total: u64,
    /// Had a result before the run began.
    pub skipped: u64,
    /// Have one now, on disk, those before included.
    pub done: u64,
    /// Given up, each with a sentence in [`BatchRunner::failures`](super::BatchRunner::failures).
    pub failed: u64,
    /// In requests under way.
    pub under_way: u64,
    /// Came, and are not on disk yet.
    pub unsaved: u64,
}

impl BatchTally {
    /// Returns how many rows are neither done nor given up.
    pub fn left(&self) -> u64 {
        self.total.saturating_sub(self.done + self.failed)
    }

    /// Returns the run, which is this far, as an activity.
    pub fn activity(&self, id: u64) -> Activity {
        Activity { progress: Some((self.done + self.failed, self.total)), ..Activity::new(ActivityKind::Run, id) }
    }
}

/// An item of an accepted request: its result goes to an [outbox](super::ResultOutbox::add), or is
/// [saved](super::BatchRunner::note_saved) by its owner, or it has none and is [refused](super::BatchRunner::refuse).
#[derive(Debug)]
#[must_use = "it is neither done nor given up until it has a result or is refused"]
pub struct AcceptedItem(pub(super) u32);

impl AcceptedItem {
    /// Returns its place.
    pub fn place(&self) -> u32 {
        self.0
    }
}

/// An item that was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedItem {
    /// Its place.
    pub item: u32,
    /// Why.
    pub why: Untrusted,
}

/// What became of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemStatus {
    Waiting,
    Sent,
    /// Its result has come and is not on disk.
    Unsaved,
    Done,
    Failed,
}

/// The items of a run, in order.
#[derive(Debug)]
pub(super) struct ItemQueue {
    /// The place of the first item that is not forgotten.
    first: u32,
    items: VecDeque<BatchItem>,
    statuses: VecDeque<ItemStatus>,
    /// Not sent yet, in order.
    waiting: VecDeque<u32>,
    /// Requests that are made again as they were or as halves, by their first item.
    resends: BTreeMap<u32, Vec<u32>>,
    failures: Vec<FailedItem>,
    unsaved: usize,
    tally: BatchTally,
}

impl ItemQueue {
    /// Items that all wait; `skipped` rows had a result before.
    pub(super) fn new(items: Vec<BatchItem>, skipped: u64) -> Self {
        let total = skipped + items.iter().map(|item| u64::from(item.rows)).sum::<u64>();
        Self {
            first: 0,
            statuses: items.iter().map(|_| ItemStatus::Waiting).collect(),
            waiting: (0..items.len() as u32).collect(),
            items: items.into(),
            resends: BTreeMap::new(),
            failures: Vec::new(),
            unsaved: 0,
            tally: BatchTally { total, skipped, done: skipped, ..BatchTally::default() },
        }
    }

    /// Adds an item, which waits.
    pub(super) fn push(&mut self, item: BatchItem) {
        self.waiting.push_back(self.first + self.items.len() as u32);
        self.statuses.push_back(ItemStatus::Waiting);
        self.tally.total += u64::from(item.rows);
        self.items.push_back(item);
    }

    /// Forgets the items before this place, all of which are done or given up. The sums keep them.
    pub(super) fn forget_before(&mut self, place: u32) {
        let settled = (place.saturating_sub(self.first) as usize).min(self.items.len());
        self.items.drain(..settled);
        self.statuses.drain(..settled);
        self.first += settled as u32;
    }

    /// Returns how many items are not forgotten.
    #[cfg(test)]
    pub(super) fn kept(&self) -> usize {
        self.items.len()
    }

    /// Returns where an item that is not forgotten stands.
    fn index(&self, item: u32) -> usize {
        (item - self.first) as usize
    }

    /// Takes the items of the next request. `new_first`: items that were not sent before come first.
    pub(super) fn next(&mut self, limits: &BatchLimits, new_first: bool) -> Option<Vec<u32>> {
        if (!new_first || self.waiting.is_empty())
            && let Some((_, mut items)) = self.resends.pop_first()
        {
            let rest = items.split_off(items.len().min(limits.items.max(1)));
            if let Some(first) = rest.first() {
                self.resends.insert(*first, rest);
            }
            return Some(items);
        }
        let mut items = vec![self.waiting.pop_front()?];
        let mut weight = self.weight(items[0]);
        while items.len() < limits.items
            && let Some(next) = self.waiting.front().copied()
            && weight + self.weight(next) <= limits.weight
        {
            weight += self.weight(next);
            items.push(next);
            self.waiting.pop_front();
        }
        Some(items)
    }

    fn weight(&self, item: u32) -> u64 {
        u64::from(self.items[self.index(item)].weight)
    }

    /// Puts the items of a request back among those that wait, together.
    pub(super) fn put_back(&mut self, items: Vec<u32>) {
        self.set(&items, ItemStatus::Waiting);
        if let Some(first) = items.first() {
            self.resends.insert(*first, items);
        }
    }

    /// Gives up an item.
    pub(super) fn give_up(&mut self, item: u32, why: Untrusted) {
        self.set(&[item], ItemStatus::Failed);
        self.failures.push(FailedItem { item, why });
    }

    /// Puts the items that were given up after those that wait, and returns them.
    pub(super) fn retry_failed(&mut self) -> Vec<u32> {
        let items: Vec<u32> = std::mem::take(&mut self.failures).into_iter().map(|failed| failed.item).collect();
        self.set(&items, ItemStatus::Waiting);
        self.waiting.extend(&items);
        items
    }

    /// Returns whether an item has this status.
    pub(super) fn has_status(&self, item: u32, status: ItemStatus) -> bool {
        let index = item.checked_sub(self.first);
        index.and_then(|index| self.statuses.get(index as usize)) == Some(&status)
    }

    /// Changes the status of items, and with it the sums.
    pub(super) fn set(&mut self, items: &[u32], status: ItemStatus) {
        for item in items {
            let index = self.index(*item);
            let rows = u64::from(self.items[index].rows);
            let before = std::mem::replace(&mut self.statuses[index], status);
            if let Some(sum) = self.sum(before) {
                *sum -= rows;
            }
            if let Some(sum) = self.sum(status) {
                *sum += rows;
            }
            let is = |status| usize::from(status == ItemStatus::Unsaved);
            self.unsaved = self.unsaved + is(status) - is(before);
        }
    }

    fn sum(&mut self, status: ItemStatus) -> Option<&mut u64> {
        let tally = &mut self.tally;
        match status {
            ItemStatus::Waiting => None,
            ItemStatus::Sent => Some(&mut tally.under_way),
            ItemStatus::Unsaved => Some(&mut tally.unsaved),
            ItemStatus::Done => Some(&mut tally.done),
            ItemStatus::Failed => Some(&mut tally.failed),
        }
    }

    /// Returns whether no item waits to be sent.
    pub(super) fn is_drained(&self) -> bool {
        self.waiting.is_empty() && self.resends.is_empty()
    }

    /// Returns how many items have a result that is not on disk.
    pub(super) fn unsaved(&self) -> usize {
        self.unsaved
    }

    pub(super) fn failures(&self) -> &[FailedItem] {
        &self.failures
    }

    /// Takes what was given up since it was taken last.
    pub(super) fn take_failures(&mut self) -> Vec<FailedItem> {
        std::mem::take(&mut self.failures)
    }

    pub(super) fn tally(&self) -> BatchTally {
        self.tally
    }
}
