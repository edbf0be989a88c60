//! Which entries are wrapped: the visible ones and those near them.

use std::ops::Range;

use super::Transcript;
use super::entry::{Entry, EntryRow};

impl<K: Copy + Eq + Ord> Transcript<K> {
    /// Returns the rows of an entry.
    pub(super) fn measure(&mut self, at: usize) -> usize {
        let fit = self.fit;
        self.with(at, |entry| entry.measure(fit)).unwrap_or(0)
    }

    /// Wraps an entry whose blocks are to be queried.
    pub(super) fn wrap_entry(&mut self, at: usize) {
        let fit = self.fit;
        self.with(at, |entry| entry.ensure_wrapped(fit));
    }

    /// Returns the contents of a row of an entry.
    pub(super) fn part(&mut self, at: usize, row: usize) -> Option<EntryRow> {
        let fit = self.fit;
        self.with(at, |entry| {
            entry.measure(fit);
            entry.part(row)
        })
    }

    /// Calls `what` with an entry, and remembers the entry if that wraps it.
    pub(super) fn with<T>(&mut self, at: usize, what: impl FnOnce(&mut Entry<K>) -> T) -> Option<T> {
        let entry = self.entries.get_mut(at)?;
        let was = entry.is_wrapped();
        let done = what(entry);
        if !was && entry.is_wrapped() {
            self.wrapped.push(at);
        }
        Some(done)
    }

    /// Drops what was built for entries that are not visible. Those near the view stay, and so do the last one and the
    /// selected one: their code may be copied from anywhere.
    pub(super) fn drop_offscreen(&mut self, shown: Range<usize>) {
        let around = shown.start.saturating_sub(1)..shown.end + 1;
        let kept = [self.entries.len().checked_sub(1), self.selected.and_then(|(id, _)| self.index(id))];
        let (top, rows) = (self.top, usize::from(self.area.height));
        let mut wrapped = std::mem::take(&mut self.wrapped);
        wrapped.sort_unstable();
        wrapped.dedup();
        wrapped.retain(|at| {
            let at = *at;
            let Some(entry) = self.entries.get_mut(at) else { return false };
            if !around.contains(&at) && !kept.contains(&Some(at)) && entry.drop_layout() {
                return false;
            }
            let from = if at == top.0 { top.1 } else { 0 };
            let seen = if shown.contains(&at) { from.saturating_sub(rows)..from + 2 * rows } else { 0..0 };
            entry.drop_offscreen(seen);
            true
        });
        self.wrapped = wrapped;
    }
}
