//! Uploads and downloads: a few run at once, the others wait.

use std::time::{Duration, Instant};

use super::batch_summary::BatchSummary;
use super::transfer::{Transfer, TransferKind, TransferOutcome, TransferState};
use crate::api::call::{Failure, Progress, Ticket};
use crate::component::Cx;
use crate::settings::ProfileId;
use crate::ui::list::Cursor;
use crate::ui::meter::percent;
use crate::ui::progress::Rate;

/// How many run at once.
pub(super) const AT_ONCE: usize = 3;
/// How many transfers that are over are kept.
const KEPT: usize = 200;

/// The transfers, oldest first.
#[derive(Debug, Default)]
pub(super) struct Transfers {
    /// Oldest first.
    all: Vec<Transfer>,
    /// Over [`Transfers::shown`].
    pub(super) cursor: Cursor,
    /// Whether those that are over show too, all of them.
    pub(super) whole: bool,
    /// The batch that is under way, or was last.
    batch: u32,
    /// Files and bytes of that batch that are done and no longer in the list.
    cleared: (usize, u64),
    /// How fast the batch as a whole moves.
    rate: Rate,
    /// What ended since nothing was under way.
    pub(super) summary: BatchSummary,
}

/// The progress of the transfers that are under way together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BatchProgress {
    /// Files that are done, and all.
    pub(super) files: (usize, usize),
    /// Bytes that are done.
    pub(super) done: u64,
    /// All bytes; `None`: nobody knows.
    pub(super) bytes: Option<u64>,
    pub(super) left: Option<Duration>,
}

impl Transfers {
    /// Puts a transfer in line; it begins as soon as there is room.
    pub(super) fn add(&mut self, profile: ProfileId, what: TransferKind, total: Option<u64>, cx: &mut Cx) {
        if self.open_count() == 0 {
            // The results of the last batch have been seen and are removed; failed transfers can still be tried again.
            self.forget(|one| one.read && matches!(one.state, TransferState::Done(_) | TransferState::Cancelled));
            self.begin_batch();
        }
        self.all.push(Transfer::new(profile, what, total, self.batch, cx.now));
        let mut over = self.all.iter().filter(|one| one.state.is_finished()).count();
        self.forget(|one| {
            let surplus = over > KEPT && one.state.is_finished();
            over -= usize::from(surplus);
            surplus
        });
        self.begin_waiting(cx);
    }

    fn begin_batch(&mut self) {
        self.batch += 1;
        self.cleared = (0, 0);
        self.rate.clear();
    }

    /// Takes transfers off the list; those of the batch under way count on in its total.
    fn forget(&mut self, mut goes: impl FnMut(&Transfer) -> bool) {
        let (batch, (files, bytes)) = (self.batch, &mut self.cleared);
        self.all.retain(|one| {
            let goes = goes(one);
            if goes && one.batch == batch && matches!(one.state, TransferState::Done(_)) {
                (*files, *bytes) = (*files + 1, *bytes + one.done);
            }
            !goes
        });
        self.cursor.by(0, self.all.len());
    }

    /// Takes all that are over off the list. Returns whether there were any.
    pub(super) fn clear(&mut self) -> bool {
        let before = self.all.len();
        self.forget(|one| one.state.is_finished());
        self.all.len() < before
    }

    /// Fits the cursor to so many rows; what is over and shows there is read.
    pub(super) fn arrange(&mut self, rows: usize) {
        let shown = self.shown(rows);
        let window = self.cursor.window(rows, shown.len());
        for at in &shown[window] {
            let one = &mut self.all[*at];
            one.read = one.state.is_finished();
        }
    }

    /// Returns how far the batch under way is; `None`: nothing is under way, or one file alone.
    pub(super) fn batch_progress(&self, now: Instant) -> Option<BatchProgress> {
        let of_batch =
            || self.all.iter().filter(|one| one.batch == self.batch && one.state != TransferState::Cancelled);
        let finished = of_batch().filter(|one| matches!(one.state, TransferState::Done(_))).count();
        let files = (self.cleared.0 + finished, self.cleared.0 + of_batch().count());
        if files.1 < 2 || self.open_count() == 0 {
            return None;
        }
        let done = self.bytes_moved();
        // A failed transfer counts with the bytes that were moved.
        let all = of_batch().map(|one| if one.state.is_finished() { Some(one.done) } else { one.total });
        let bytes = all.sum::<Option<u64>>().map(|bytes| bytes + self.cleared.1);
        let moves = of_batch().any(|one| one.state == TransferState::Running);
        let left = bytes.filter(|_| moves).and_then(|bytes| self.rate.left(now, bytes.saturating_sub(done)));
        Some(BatchProgress { files, done, bytes, left })
    }

    /// Returns how many bytes of the batch are moved.
    fn bytes_moved(&self) -> u64 {
        let of_batch = self.all.iter().filter(|one| one.batch == self.batch && one.state != TransferState::Cancelled);
        self.cleared.1 + of_batch.map(|one| one.done).sum::<u64>()
    }

    /// Begins what waits, as far as there is room.
    fn begin_waiting(&mut self, cx: &mut Cx) {
        let mut room = AT_ONCE.saturating_sub(self.all.iter().filter(|one| one.state.has_call()).count());
        for one in &mut self.all {
            if room == 0 {
                return;
            }
            if one.state == TransferState::Waiting {
                one.begin(cx);
                room -= 1;
            }
        }
    }

    /// Takes a part of a call. Returns the outcome of the transfer that it ends.
    pub(super) fn handle_progress(
        &mut self,
        ticket: Ticket,
        progress: Progress,
        cx: &mut Cx,
    ) -> Option<TransferOutcome> {
        let one = self.all.iter_mut().find(|one| one.ticket == Some(ticket))?;
        let has_moved = matches!(progress, Progress::Moved { .. });
        let outcome = one.handle_progress(progress, cx.now);
        if has_moved {
            let moved = self.bytes_moved();
            self.rate.feed(cx.now, moved);
        }
        if outcome.is_some() {
            self.begin_waiting(cx);
        }
        outcome
    }

    /// Returns the places of those that are shown: what is not over and what ended last, or all; oldest first.
    pub(super) fn shown(&self, most: usize) -> Vec<usize> {
        let places = 0..self.all.len();
        if self.whole || self.all.len() <= most {
            return places.collect();
        }
        let mut shown: Vec<usize> = places.clone().filter(|at| !self.all[*at].state.is_finished()).collect();
        // Running transfers come before waiting ones, of which not all need to be shown.
        shown.sort_by_key(|at| (self.all[*at].state == TransferState::Waiting, *at));
        shown.truncate(most);
        let over = places.rev().filter(|at| self.all[*at].state.is_finished());
        shown.extend(over.take(most - shown.len()));
        shown.sort_unstable();
        shown
    }

    /// Moves the cursor, when the pane gets the keys, from a transfer that is over to one that is not.
    pub(super) fn select_open(&mut self, most: usize) {
        let shown = self.shown(most);
        let over = |at: &usize| self.all[*at].state.is_finished();
        if shown.get(self.cursor.selected).is_none_or(over)
            && let Some(row) = shown.iter().position(|at| !over(at))
        {
            self.cursor.selected = row;
        }
    }

    /// Returns the uploads to a profile's server that are not over.
    pub(super) fn open_uploads(&self, profile: &ProfileId) -> impl Iterator<Item = &Transfer> {
        let open = |one: &&Transfer| one.is_upload() && one.profile == *profile && !one.state.is_finished();
        self.all.iter().filter(open)
    }

    pub(super) fn get(&self, at: usize) -> Option<&Transfer> {
        self.all.get(at)
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns whether a transfer with a profile's server is not over.
    pub(super) fn needs_profile(&self, profile: &ProfileId) -> bool {
        self.all.iter().any(|one| one.profile == *profile && !one.state.is_finished())
    }

    /// Returns how many are not over.
    pub(super) fn open_count(&self) -> usize {
        self.all.iter().filter(|one| !one.state.is_finished()).count()
    }

    /// Pauses a transfer, or lets it continue. Returns what the user is told.
    pub(super) fn pause(&mut self, at: usize, cx: &mut Cx) -> Option<&'static str> {
        let one = self.all.get_mut(at)?;
        let said = match one.state {
            TransferState::Running | TransferState::Retrying(..) | TransferState::Waiting => {
                one.stop_call(cx);
                one.state = TransferState::Paused;
                one.is_upload().then_some("paused; an upload starts over when resumed")
            }
            TransferState::Paused => {
                one.state = TransferState::Waiting;
                None
            }
            _ => Some("it has ended"),
        };
        self.begin_waiting(cx);
        said
    }

    /// Ends a transfer; one that is over leaves the list. Returns what the user is told.
    pub(super) fn cancel(&mut self, at: usize, cx: &mut Cx) -> Option<&'static str> {
        let one = self.all.get_mut(at)?;
        if one.state.is_finished() {
            let mut place = 0..;
            self.forget(|_| place.next() == Some(at));
            return None;
        }
        one.stop_call(cx);
        one.state = TransferState::Cancelled;
        let down = !one.is_upload() && one.done > 0;
        self.begin_waiting(cx);
        down.then_some("cancelled; R resumes it")
    }

    /// Tries again: ends the countdown to the next attempt, or puts a transfer that has ended in line again. Returns
    /// what the user is told.
    pub(super) fn retry(&mut self, at: usize, cx: &mut Cx) -> Option<&'static str> {
        if self.open_count() == 0 {
            self.begin_batch();
        }
        let batch = self.batch;
        let one = self.all.get_mut(at)?;
        match one.state {
            TransferState::Retrying(..) => {
                if let Some(ticket) = one.ticket {
                    cx.hurry(ticket);
                }
                one.state = TransferState::Running;
            }
            TransferState::Failed(_) | TransferState::Cancelled | TransferState::Paused => {
                one.state = TransferState::Waiting;
                (one.unseen, one.read, one.batch) = (false, false, batch);
                self.begin_waiting(cx);
            }
            TransferState::Done(_) => return Some("it has finished; U or D transfers the file again"),
            TransferState::Running | TransferState::Waiting => return Some("it is under way"),
        }
        None
    }

    /// Pauses all that move or wait. Returns whether there were any.
    pub(super) fn pause_all(&mut self, cx: &mut Cx) -> bool {
        let mut any = false;
        for one in self.all.iter_mut().filter(|one| one.state.has_call() || one.state == TransferState::Waiting) {
            one.stop_call(cx);
            one.state = TransferState::Paused;
            any = true;
        }
        any
    }

    /// Returns why a transfer failed: the one under the cursor, or the last one.
    pub(super) fn failure(&self, most: usize, here: bool) -> Option<Failure> {
        let why =
            |one: &Transfer| if let TransferState::Failed(why) = &one.state { Some(Failure::clone(why)) } else { None };
        if here {
            let at = self.shown(most).get(self.cursor.selected).copied()?;
            return self.all.get(at).and_then(why);
        }
        self.all.iter().rev().find_map(why)
    }

    /// Marks failures as seen.
    pub(super) fn mark_failures_seen(&mut self) {
        self.all.iter_mut().for_each(|one| one.unseen = false);
    }

    /// Returns whether something failed that nobody has seen.
    pub(super) fn has_unseen(&self) -> bool {
        self.all.iter().any(|one| one.unseen)
    }

    /// Returns what stands on the tab's name: `↑42%`, `↓`, `↑↓42%`.
    pub(super) fn badge(&self) -> Option<String> {
        let open = || self.all.iter().filter(|one| one.state.has_call() || one.state == TransferState::Waiting);
        let (ups, downs) = (open().any(Transfer::is_upload), open().any(|one| !one.is_upload()));
        if !ups && !downs {
            return None;
        }
        let arrows = [(ups, "↑"), (downs, "↓")].map(|(any, arrow)| if any { arrow } else { "" }).concat();
        let known: Vec<(u64, u64)> = open().filter_map(Transfer::share).collect();
        let (done, total) = known.iter().fold((0_u64, 0_u64), |(done, total), (part, all)| {
            (done.saturating_add(*part), total.saturating_add(*all))
        });
        let share = (total > 0).then(|| percent(done as f64 / total as f64));
        Some(arrows + &share.unwrap_or_default())
    }

    /// Returns when its rows change by themselves.
    pub(super) fn due(&self, now: Instant) -> Option<Instant> {
        self.all.iter().filter_map(|one| one.due(now)).min()
    }
}
