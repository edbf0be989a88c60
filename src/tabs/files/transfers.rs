//! Uploads and downloads: a few run at once, the others wait.

use std::time::{Duration, Instant};

use super::batch_summary::BatchSummary;
use super::transfer::{Transfer, TransferKind, TransferOutcome, TransferState};
use crate::api::call::{Failure, Progress, Ticket};
use crate::component::Cx;
use crate::settings::ProfileId;
use crate::tabs::activity::{Activity, ActivityOutcome};
use crate::ui::list::Cursor;
use crate::ui::meter::percent;
use crate::ui::progress::Rate;

/// How many run at once.
pub(super) const AT_ONCE: usize = 3;
/// How many finished transfers are kept.
const KEPT: usize = 200;

/// The transfers, oldest first.
#[derive(Debug, Default)]
pub(super) struct Transfers {
    all: Vec<Transfer>,
    /// Over [`Transfers::shown`].
    pub(super) cursor: Cursor,
    /// Whether all are listed, or only as many as fit.
    pub(super) show_all: bool,
    /// The batch that is under way, or was last.
    batch: u32,
    /// The number of the newest.
    last_number: u64,
    cleared: ClearedTransfers,
    /// How fast the batch as a whole moves.
    rate: Rate,
    /// What finished since nothing was under way.
    pub(super) summary: BatchSummary,
}

/// The done transfers of the current batch that are no longer in the list.
#[derive(Debug, Default)]
struct ClearedTransfers {
    files: usize,
    bytes: u64,
}

/// The progress of the transfers that are under way together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BatchProgress {
    pub(super) done_files: usize,
    pub(super) files: usize,
    pub(super) done_bytes: u64,
    /// `None` if the size of a file is unknown.
    pub(super) bytes: Option<u64>,
    pub(super) left: Option<Duration>,
}

impl Transfers {
    /// Puts a transfer in line; it begins as soon as there is room.
    pub(super) fn add(&mut self, profile: ProfileId, what: TransferKind, total: Option<u64>, cx: &mut Cx) {
        if self.unfinished_count() == 0 {
            // The results of the last batch have been seen and are removed; failed transfers can still be tried again.
            self.remove_where(|transfer| {
                transfer.read && matches!(transfer.state, TransferState::Done(_) | TransferState::Cancelled)
            });
            self.begin_batch();
        }
        self.last_number += 1;
        self.all.push(Transfer::new(profile, what, total, (self.last_number, self.batch), cx.now));
        let mut finished = self.all.iter().filter(|transfer| transfer.state.is_finished()).count();
        self.remove_where(|transfer| {
            let surplus = finished > KEPT && transfer.state.is_finished();
            finished -= usize::from(surplus);
            surplus
        });
        self.start_waiting_transfers(cx);
    }

    fn begin_batch(&mut self) {
        self.batch += 1;
        self.cleared = ClearedTransfers::default();
        self.rate.clear();
    }

    /// Removes transfers from the list; done ones of the current batch still count in its total.
    fn remove_where(&mut self, mut should_remove: impl FnMut(&Transfer) -> bool) {
        self.all.retain(|transfer| {
            let removed = should_remove(transfer);
            if removed && transfer.batch == self.batch && matches!(transfer.state, TransferState::Done(_)) {
                self.cleared.files += 1;
                self.cleared.bytes += transfer.done;
            }
            !removed
        });
        self.cursor.clamp(self.all.len());
    }

    /// Removes all finished transfers from the list. Returns whether there were any.
    pub(super) fn clear(&mut self) -> bool {
        let before = self.all.len();
        self.remove_where(|transfer| transfer.state.is_finished());
        self.all.len() < before
    }

    /// Fits the cursor to so many rows, and marks the finished transfers in them as read.
    pub(super) fn arrange(&mut self, rows: usize) {
        let shown = self.shown(rows);
        let window = self.cursor.window(rows, shown.len());
        for at in &shown[window] {
            let transfer = &mut self.all[*at];
            transfer.read = transfer.state.is_finished();
        }
    }

    /// Returns the progress of the batch under way; `None` if nothing is under way, or only one file.
    pub(super) fn batch_progress(&self, now: Instant) -> Option<BatchProgress> {
        Some(self.progress(now)).filter(|progress| progress.files > 1 && self.unfinished_count() > 0)
    }

    /// Returns the progress of the last batch.
    pub(super) fn progress(&self, now: Instant) -> BatchProgress {
        let done = |transfer: &&Transfer| matches!(transfer.state, TransferState::Done(_));
        let done_files = self.cleared.files + self.in_batch().filter(done).count();
        let files = self.cleared.files + self.in_batch().count();
        let done_bytes = self.bytes_moved();
        // A failed transfer counts with the bytes that were moved.
        let sizes = self
            .in_batch()
            .map(|transfer| if transfer.state.is_finished() { Some(transfer.done) } else { transfer.total });
        let bytes = sizes.sum::<Option<u64>>().map(|bytes| bytes + self.cleared.bytes);
        let moves = self.in_batch().any(|transfer| transfer.state == TransferState::Running);
        let left = bytes.filter(|_| moves).and_then(|bytes| self.rate.left(now, bytes.saturating_sub(done_bytes)));
        BatchProgress { done_files, files, done_bytes, bytes, left }
    }

    /// Returns how many bytes of the batch move per second; `None`: not known yet.
    pub(super) fn per_second(&self, now: Instant) -> Option<f64> {
        self.rate.per_second(now)
    }

    /// Returns the place of the transfer whose call this is.
    pub(super) fn place_of(&self, ticket: Ticket) -> Option<usize> {
        self.all.iter().position(|transfer| transfer.ticket == Some(ticket))
    }

    /// Returns the transfers of the current batch that were not cancelled.
    fn in_batch(&self) -> impl Iterator<Item = &Transfer> {
        let counts = |transfer: &&Transfer| transfer.batch == self.batch && transfer.state != TransferState::Cancelled;
        self.all.iter().filter(counts)
    }

    /// Returns how many bytes of the batch are moved.
    fn bytes_moved(&self) -> u64 {
        self.cleared.bytes + self.in_batch().map(|transfer| transfer.done).sum::<u64>()
    }

    /// Starts waiting transfers, oldest first, as long as fewer than [`AT_ONCE`] run.
    fn start_waiting_transfers(&mut self, cx: &mut Cx) {
        let mut room = AT_ONCE.saturating_sub(self.all.iter().filter(|transfer| transfer.state.has_call()).count());
        for transfer in &mut self.all {
            if room == 0 {
                return;
            }
            if transfer.state == TransferState::Waiting {
                transfer.begin(cx);
                room -= 1;
            }
        }
    }

    /// Takes a part of a call. Returns the outcome of the transfer if that finishes it.
    pub(super) fn handle_progress(
        &mut self,
        ticket: Ticket,
        progress: Progress,
        cx: &mut Cx,
    ) -> Option<TransferOutcome> {
        let transfer = self.all.iter_mut().find(|transfer| transfer.ticket == Some(ticket))?;
        let has_moved = matches!(progress, Progress::Moved { .. });
        let outcome = transfer.handle_progress(progress, cx.now);
        if has_moved {
            let moved = self.bytes_moved();
            self.rate.feed(cx.now, moved);
        }
        if outcome.is_some() {
            self.start_waiting_transfers(cx);
        }
        outcome
    }

    /// Returns the places of the transfers that are shown, oldest first: all, or in so many rows the unfinished ones and
    /// the newest finished ones.
    pub(super) fn shown(&self, rows: usize) -> Vec<usize> {
        let places = 0..self.all.len();
        if self.show_all || self.all.len() <= rows {
            return places.collect();
        }
        let mut shown: Vec<usize> = places.clone().filter(|at| !self.all[*at].state.is_finished()).collect();
        // Running transfers come before waiting ones, of which not all need to be shown.
        shown.sort_by_key(|at| (self.all[*at].state == TransferState::Waiting, *at));
        shown.truncate(rows);
        let finished = places.rev().filter(|at| self.all[*at].state.is_finished());
        shown.extend(finished.take(rows - shown.len()));
        shown.sort_unstable();
        shown
    }

    /// Moves the cursor, when the pane gets the keys, from a finished transfer to an unfinished one.
    pub(super) fn select_unfinished(&mut self, rows: usize) {
        let shown = self.shown(rows);
        let finished = |at: &usize| self.all[*at].state.is_finished();
        if shown.get(self.cursor.selected).is_none_or(finished)
            && let Some(row) = shown.iter().position(|at| !finished(at))
        {
            self.cursor.selected = row;
        }
    }

    /// Returns the unfinished uploads to a profile's server.
    pub(super) fn unfinished_uploads(&self, profile: &ProfileId) -> impl Iterator<Item = &Transfer> {
        let unfinished = |transfer: &&Transfer| {
            transfer.is_upload() && transfer.profile == *profile && !transfer.state.is_finished()
        };
        self.all.iter().filter(unfinished)
    }

    pub(super) fn get(&self, at: usize) -> Option<&Transfer> {
        self.all.get(at)
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns whether a transfer with a profile's server is unfinished.
    pub(super) fn needs_profile(&self, profile: &ProfileId) -> bool {
        self.all.iter().any(|transfer| transfer.profile == *profile && !transfer.state.is_finished())
    }

    /// Returns how many are unfinished.
    pub(super) fn unfinished_count(&self) -> usize {
        self.all.iter().filter(|transfer| !transfer.state.is_finished()).count()
    }

    /// Pauses a transfer, or lets it continue. Returns what the user is told.
    pub(super) fn toggle_pause(&mut self, at: usize, cx: &mut Cx) -> Option<&'static str> {
        let transfer = self.all.get_mut(at)?;
        let said = match transfer.state {
            TransferState::Running | TransferState::Retrying(..) | TransferState::Waiting => {
                transfer.stop_call(cx);
                transfer.state = TransferState::Paused;
                transfer.is_upload().then_some("paused; an upload starts over when resumed")
            }
            TransferState::Paused => {
                transfer.state = TransferState::Waiting;
                None
            }
            _ => Some("it has ended"),
        };
        self.start_waiting_transfers(cx);
        said
    }

    /// Cancels a transfer, or removes a finished one from the list. Returns what the user is told.
    pub(super) fn cancel(&mut self, at: usize, cx: &mut Cx) -> Option<&'static str> {
        let transfer = self.all.get_mut(at)?;
        if transfer.state.is_finished() {
            let mut place = 0..;
            self.remove_where(|_| place.next() == Some(at));
            return None;
        }
        transfer.stop_call(cx);
        transfer.state = TransferState::Cancelled;
        let down = !transfer.is_upload() && transfer.done > 0;
        self.start_waiting_transfers(cx);
        down.then_some("cancelled; R resumes it")
    }

    /// Tries again: ends the countdown to the next attempt, or puts a failed, cancelled or paused transfer in line
    /// again. Returns what the user is told.
    pub(super) fn retry(&mut self, at: usize, cx: &mut Cx) -> Option<&'static str> {
        let is_idle = self.unfinished_count() == 0;
        let transfer = self.all.get_mut(at)?;
        match transfer.state {
            TransferState::Retrying(..) => {
                if let Some(ticket) = transfer.ticket {
                    cx.retry_now(ticket);
                }
                transfer.state = TransferState::Running;
            }
            TransferState::Failed(_) | TransferState::Cancelled | TransferState::Paused => {
                transfer.state = TransferState::Waiting;
                (transfer.unseen, transfer.read) = (false, false);
                if is_idle {
                    self.begin_batch();
                }
                self.all[at].batch = self.batch;
                self.start_waiting_transfers(cx);
            }
            TransferState::Done(_) => return Some("it has finished; U or D transfers the file again"),
            TransferState::Running | TransferState::Waiting => return Some("it is under way"),
        }
        None
    }

    /// Pauses all that move or wait. Returns whether there were any.
    pub(super) fn pause_all(&mut self, cx: &mut Cx) -> bool {
        let mut any = false;
        for transfer in
            self.all.iter_mut().filter(|transfer| transfer.state.has_call() || transfer.state == TransferState::Waiting)
        {
            transfer.stop_call(cx);
            transfer.state = TransferState::Paused;
            any = true;
        }
        any
    }

    /// Returns why the transfer under the cursor failed.
    pub(super) fn selected_failure(&self, rows: usize) -> Option<&Failure> {
        let at = self.shown(rows).get(self.cursor.selected).copied()?;
        self.all[at].failure()
    }

    /// Returns why the last failed transfer failed.
    pub(super) fn last_failure(&self) -> Option<&Failure> {
        self.all.iter().rev().find_map(Transfer::failure)
    }

    /// Marks failures as seen.
    pub(super) fn mark_failures_seen(&mut self) {
        self.all.iter_mut().for_each(|transfer| transfer.unseen = false);
    }

    /// Returns whether something failed that nobody has seen.
    pub(super) fn has_unseen(&self) -> bool {
        self.all.iter().any(|transfer| transfer.unseen)
    }

    /// Returns those that move or wait for that.
    pub(super) fn activities(&self) -> Vec<Activity> {
        self.all.iter().filter_map(Transfer::activity).collect()
    }

    /// Returns how one of them ended.
    pub(super) fn outcome(&self, number: u64) -> ActivityOutcome {
        let ended = self.all.iter().find(|transfer| transfer.number == number);
        ended.map_or(ActivityOutcome::Stopped, Transfer::outcome)
    }

    /// Returns what stands on the tab's name: `↑42%`, `↓`, `↑↓42%`.
    pub(super) fn badge(&self) -> Option<String> {
        let active =
            || self.all.iter().filter(|transfer| transfer.state.has_call() || transfer.state == TransferState::Waiting);
        let (ups, downs) = (active().any(Transfer::is_upload), active().any(|transfer| !transfer.is_upload()));
        if !ups && !downs {
            return None;
        }
        let arrows = [(ups, "↑"), (downs, "↓")].map(|(any, arrow)| if any { arrow } else { "" }).concat();
        let known: Vec<(u64, u64)> = active().filter_map(Transfer::share).collect();
        let (done, total) = known.iter().fold((0_u64, 0_u64), |(done, total), (part, all)| {
            (done.saturating_add(*part), total.saturating_add(*all))
        });
        let share = (total > 0).then(|| percent(done as f64 / total as f64));
        Some(arrows + &share.unwrap_or_default())
    }

    /// Returns when its rows change by themselves.
    pub(super) fn due(&self, now: Instant) -> Option<Instant> {
        self.all.iter().filter_map(|transfer| transfer.due(now)).min()
    }
}
