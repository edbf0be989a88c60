//! What was seen of the activities of the tabs, and what is to be told of them outside the screen.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::tabs::activity::{Activity, ActivityKind, ActivityOutcome};
use crate::ui::meter;

/// Least time between two titles, and between two looks while answers come. What ends within this time is told together.
pub(super) const PACE: Duration = Duration::from_secs(1);
/// Shorter answers and checks are not told of: the user has hardly looked away.
const LONG: Duration = Duration::from_secs(10);

/// An activity of a tab, and since when it is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeenActivity {
    pub(super) tab: usize,
    pub(super) activity: Activity,
    since: Instant,
}

/// What distinguishes an activity from all others: its tab, its kind, and its number among those.
type ActivityKey = (usize, ActivityKind, u64);

impl SeenActivity {
    /// Returns whether its end is told.
    fn is_told(&self, now: Instant) -> bool {
        let is_short = now.saturating_duration_since(self.since) < LONG;
        !(is_short && matches!(self.activity.kind, ActivityKind::Answer | ActivityKind::Check))
    }
}

/// What was seen of the activities, and what is to be told of them.
#[derive(Debug, Default)]
pub(super) struct ActivityWatch {
    seen: BTreeMap<ActivityKey, SeenActivity>,
    /// When they are looked at again, as a part of an answer came.
    pub(super) look_due: Option<Instant>,
    /// Whether another window has the focus, as far as the terminal reports it.
    is_unfocused: bool,
    /// What ended since then, and how.
    ended: Vec<(ActivityKind, ActivityOutcome)>,
    /// When that is told.
    tell_due: Option<Instant>,
    pub(super) title: WindowTitle,
}

/// The window's title.
#[derive(Debug, Default)]
pub(super) struct WindowTitle {
    /// As it was set last, and when.
    set: Option<(String, Instant)>,
    /// When it is set again.
    due: Option<Instant>,
}

impl WindowTitle {
    /// Notes that it is set.
    pub(super) fn note_set(&mut self, title: String, now: Instant) {
        *self = Self { set: Some((title, now)), due: None };
    }

    /// Returns whether it is to be set to this now: it differs, and was not set a moment ago. Before it was set first it
    /// is left alone.
    pub(super) fn changes_to(&mut self, title: &str, now: Instant) -> bool {
        self.due = None;
        let Some((_, at)) = self.set.as_ref().filter(|(set, _)| set != title) else { return false };
        self.due = Some(*at + PACE).filter(|due| *due > now);
        self.due.is_none()
    }
}

impl ActivityWatch {
    /// Returns when it is to be looked again whether something is to be told; `None`: not before something happens.
    pub(super) fn due(&self) -> Option<Instant> {
        [self.look_due, self.tell_due, self.title.due].into_iter().flatten().min()
    }

    /// Notes whether this window has the focus. Nothing is told while it has.
    pub(super) fn set_focused(&mut self, is_focused: bool) {
        self.is_unfocused = !is_focused;
        if is_focused {
            self.ended.clear();
            self.tell_due = None;
        }
    }

    /// Takes what goes on now, each with its tab. Returns what did before and does no more, if its end is told.
    pub(super) fn see(&mut self, all: impl Iterator<Item = (usize, Activity)>, now: Instant) -> Vec<SeenActivity> {
        let before = std::mem::take(&mut self.seen);
        let seen = |(tab, activity): (usize, Activity)| {
            let key = (tab, activity.kind, activity.id);
            let since = before.get(&key).map_or(now, |old| old.since);
            (key, SeenActivity { tab, activity, since })
        };
        self.seen = all.map(seen).collect();
        let gone = before.into_iter().filter(|(key, old)| !self.seen.contains_key(key) && old.is_told(now));
        gone.map(|(_, old)| old).collect()
    }

    /// Notes how something ended, which is told unless this window has the focus or the user stopped it.
    pub(super) fn note_ended(&mut self, kind: ActivityKind, outcome: ActivityOutcome, now: Instant) {
        if self.is_unfocused && outcome != ActivityOutcome::Stopped {
            self.ended.push((kind, outcome));
            self.tell_due.get_or_insert(now + PACE);
        }
    }

    /// Returns what is to be told now: `2 answers ended, 1 upload failed`; `None`: nothing. Files that are transferred
    /// together are told once the last of them has ended.
    pub(super) fn take_ended_words(&mut self, now: Instant) -> Option<String> {
        self.tell_due.take_if(|due| *due <= now)?;
        let is_transfer = |kind| matches!(kind, ActivityKind::Upload | ActivityKind::Download);
        let goes_on = |kind| self.seen.values().any(|seen| seen.activity.kind == kind);
        if self.ended.iter().all(|(kind, _)| is_transfer(*kind) && goes_on(*kind)) {
            return None;
        }
        let mut all: BTreeMap<_, u64> = BTreeMap::new();
        for ended in self.ended.drain(..) {
            *all.entry(ended).or_default() += 1;
        }
        let words =
            all.into_iter().map(|((kind, outcome), count)| format!("{} {}", counted(kind, count), outcome.words()));
        Some(words.collect::<Vec<_>>().join(", "))
    }

    /// Returns what goes on: `2 answers, 41% of 3,000 texts`; empty: nothing.
    pub(super) fn words(&self) -> String {
        let mut all: BTreeMap<ActivityKind, (u64, Share)> = BTreeMap::new();
        for SeenActivity { activity, .. } in self.seen.values() {
            let (count, share) = all.entry(activity.kind).or_default();
            *count += 1;
            share.add(activity.progress);
        }
        let words = all.into_iter().map(|(kind, (count, share))| match (kind, share.percent()) {
            (ActivityKind::Run, Some(percent)) => format!("{percent}% of {} texts", meter::count(share.total)),
            (_, Some(percent)) => format!("{} {percent}%", counted(kind, count)),
            (_, None) => counted(kind, count),
        });
        words.collect::<Vec<_>>().join(", ")
    }
}

/// How much of several activities is done.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    done: u64,
    total: u64,
}

impl Share {
    fn add(&mut self, progress: Option<(u64, u64)>) {
        let (done, total) = progress.unwrap_or_default();
        self.done = self.done.saturating_add(done);
        self.total = self.total.saturating_add(total);
    }

    /// Returns the whole percents that are done; `None`: it is not known how much there is.
    fn percent(self) -> Option<u128> {
        (u128::from(self.done) * 100).checked_div(self.total.into())
    }
}

/// Returns `1 answer`, `2 answers`.
fn counted(kind: ActivityKind, count: u64) -> String {
    let (one, many) = match kind {
        ActivityKind::Answer => ("answer", "answers"),
        ActivityKind::Check => ("check", "checks"),
        ActivityKind::Run => ("run", "runs"),
        ActivityKind::Upload => ("upload", "uploads"),
        ActivityKind::Download => ("download", "downloads"),
        ActivityKind::Job => ("job", "jobs"),
    };
    format!("{} {}", meter::count(count), if count == 1 { one } else { many })
}
