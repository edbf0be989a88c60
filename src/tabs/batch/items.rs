//! The items of a run: which wait, which are sent, what became of them, and the sums over their rows.

use std::collections::{BTreeMap, VecDeque};

use super::{Failed, Item, Limits, Tally};
use crate::text::Untrusted;

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
    items: Box<[Item]>,
    statuses: Box<[ItemStatus]>,
    /// Not sent yet, in order.
    waiting: VecDeque<u32>,
    /// Requests that are made again as they were or as halves, by their first item.
    resends: BTreeMap<u32, Vec<u32>>,
    failures: Vec<Failed>,
    unsaved: usize,
    tally: Tally,
}

impl ItemQueue {
    /// Items that all wait; `skipped` rows had a result before.
    pub(super) fn new(items: Box<[Item]>, skipped: u64) -> Self {
        let total = skipped + items.iter().map(|item| u64::from(item.rows)).sum::<u64>();
        Self {
            statuses: vec![ItemStatus::Waiting; items.len()].into(),
            waiting: (0..items.len() as u32).collect(),
            items,
            resends: BTreeMap::new(),
            failures: Vec::new(),
            unsaved: 0,
            tally: Tally { total, skipped, done: skipped, ..Tally::default() },
        }
    }

    /// Takes the items of the next request. `new_first`: items that were not sent before come first.
    pub(super) fn next(&mut self, limits: &Limits, new_first: bool) -> Option<Vec<u32>> {
        if (!new_first || self.waiting.is_empty())
            && let Some((_, mut items)) = self.resends.pop_first()
        {
            let rest = items.split_off(items.len().min(limits.texts.max(1)));
            if let Some(first) = rest.first() {
                self.resends.insert(*first, rest);
            }
            return Some(items);
        }
        let mut items = vec![self.waiting.pop_front()?];
        let mut weight = self.weight(items[0]);
        while items.len() < limits.texts
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
        u64::from(self.items[item as usize].weight)
    }

    /// Returns the items of a request to those that wait, together.
    pub(super) fn put_back(&mut self, items: Vec<u32>) {
        self.set(&items, ItemStatus::Waiting);
        if let Some(first) = items.first() {
            self.resends.insert(*first, items);
        }
    }

    /// Gives up an item.
    pub(super) fn give_up(&mut self, item: u32, why: Untrusted) {
        self.set(&[item], ItemStatus::Failed);
        self.failures.push(Failed { item, why });
    }

    /// Puts the items that were given up behind those that wait, and returns them.
    pub(super) fn retry_failed(&mut self) -> Vec<u32> {
        let items: Vec<u32> = std::mem::take(&mut self.failures).into_iter().map(|failed| failed.item).collect();
        self.set(&items, ItemStatus::Waiting);
        self.waiting.extend(&items);
        items
    }

    /// Whether an item has this status.
    pub(super) fn is(&self, item: u32, status: ItemStatus) -> bool {
        self.statuses.get(item as usize) == Some(&status)
    }

    /// Changes the status of items, and with it the sums.
    pub(super) fn set(&mut self, items: &[u32], status: ItemStatus) {
        for item in items {
            let rows = u64::from(self.items[*item as usize].rows);
            let before = std::mem::replace(&mut self.statuses[*item as usize], status);
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
            ItemStatus::Unsaved => Some(&mut tally.unkept),
            ItemStatus::Done => Some(&mut tally.done),
            ItemStatus::Failed => Some(&mut tally.failed),
        }
    }

    /// Whether no item waits to be sent.
    pub(super) fn is_drained(&self) -> bool {
        self.waiting.is_empty() && self.resends.is_empty()
    }

    /// Returns how many items have a result that is not on disk.
    pub(super) fn unsaved(&self) -> usize {
        self.unsaved
    }

    pub(super) fn failures(&self) -> &[Failed] {
        &self.failures
    }

    pub(super) fn tally(&self) -> Tally {
        self.tally
    }
}
