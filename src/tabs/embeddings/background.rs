//! A computation by the work threads on the list's vectors: which vectors, its progress, its result.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use super::pane_data::PaneData;
use crate::api::call::Ticket;
use crate::component::{Cx, Response};
use crate::record::VectorTable;
use crate::record::vectors::{Figures, VectorTask};
use crate::record::work::{Done, Work};
use crate::text::Untrusted;
use crate::ui::progress::{Progress, Rate, State, Unit};

/// Which vectors, in which order. Holds none of them: the table of a long list is there once.
#[derive(Clone, Debug, Default)]
pub(super) struct VectorsVersion {
    table: Weak<VectorTable>,
    texts: u64,
    rows: usize,
}

impl VectorsVersion {
    /// Returns those that are here now; `None`: there are none. `before` is what was here when it last looked: the
    /// texts of a long list are not gone through again while their vectors are the same.
    pub(super) fn current(data: &PaneData, before: Option<Self>) -> Option<Self> {
        let table = Arc::downgrade(data.table.as_ref()?);
        if let Some(before) = before.filter(|before| Weak::ptr_eq(&before.table, &table)) {
            return Some(before);
        }
        let mut texts = DefaultHasher::new();
        for text in data.texts.iter() {
            (text.id.0, text.sent).hash(&mut texts);
        }
        Some(Self { table, texts: texts.finish(), rows: data.texts.len() })
    }

    /// Returns how many texts they are of.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Returns whether they are the same texts: only vectors of some of them may have come.
    pub(super) fn same_texts(&self, other: &Self) -> bool {
        self.texts == other.texts
    }
}

impl PartialEq for VectorsVersion {
    fn eq(&self, other: &Self) -> bool {
        self.texts == other.texts && Weak::ptr_eq(&self.table, &other.table)
    }
}

/// A computation under way.
#[derive(Debug)]
struct RunningJob {
    ticket: Ticket,
    of: VectorsVersion,
    since: Instant,
    /// So far and in all, in its own unit.
    moved: Option<(u64, u64)>,
    rate: Rate,
}

/// At most one computation at a time.
#[derive(Debug, Default)]
pub(super) struct BackgroundJob {
    running: Option<RunningJob>,
    /// For which vectors the last computation failed, and why.
    failed: Option<(VectorsVersion, Untrusted)>,
}

/// What a reply was.
#[derive(Debug, PartialEq)]
pub(super) enum JobReply {
    /// To another ticket.
    NotOwn,
    /// It moved, or it failed.
    Progress,
    /// The result for these vectors.
    Figures(VectorsVersion, Figures),
}

impl BackgroundJob {
    /// Asks for a computation; what is under way is stopped.
    pub(super) fn ask(&mut self, of: VectorsVersion, sum: VectorTask, cx: &mut Cx) {
        self.stop(cx);
        self.failed = None;
        let ticket = cx.work(Work::Vectors(sum));
        self.running = Some(RunningJob { ticket, of, since: cx.now, moved: None, rate: Rate::default() });
    }

    /// Stops what is under way. Returns whether anything was.
    pub(super) fn stop(&mut self, cx: &mut Cx) -> bool {
        let was = self.running.take();
        if let Some(was) = &was {
            cx.cancel(was.ticket);
        }
        was.is_some()
    }

    /// Returns the vectors of what is under way.
    pub(super) fn of(&self) -> Option<&VectorsVersion> {
        self.running.as_ref().map(|running| &running.of)
    }

    /// Returns whether it failed of these vectors: it would again.
    pub(super) fn failed_of(&self, of: &VectorsVersion) -> bool {
        self.failed.as_ref().is_some_and(|(failed, _)| failed == of)
    }

    /// Returns why the last one failed.
    pub(super) fn failed(&self) -> Option<&Untrusted> {
        self.failed.as_ref().map(|(_, why)| why)
    }

    /// Takes a reply if it is its own.
    pub(super) fn take(&mut self, ticket: Ticket, response: &mut Response, cx: &Cx) -> JobReply {
        let Some(running) = self.running.as_mut().filter(|running| running.ticket == ticket) else {
            return JobReply::NotOwn;
        };
        let Some(done) = response.take_work() else { return JobReply::NotOwn };
        if let Done::Moved { done, total } = done {
            running.moved = Some((done, total));
            running.rate.feed(cx.now, done);
            return JobReply::Progress;
        }
        let of = self.running.take().map(|running| running.of).unwrap_or_default();
        match done {
            Done::Figures(figures) => JobReply::Figures(of, figures),
            Done::Failed(why) => {
                self.failed = Some((of, why));
                JobReply::Progress
            }
            _ => {
                self.failed = Some((of, "internal error in background work; please report it".into()));
                JobReply::Progress
            }
        }
    }

    /// Returns how far it is; `None`: nothing is under way.
    pub(super) fn progress(&self, unit: &'static str, now: Instant, motion: bool) -> Option<Progress<'static>> {
        let running = self.running.as_ref()?;
        let (done, total) = running.moved.map_or((0, None), |(done, total)| (done, Some(total)));
        Some(Progress {
            done,
            total,
            unit: Unit::Count(unit),
            rate: running.rate.per_second(now),
            left: total.and_then(|total| running.rate.left(now, total.saturating_sub(done))),
            state: State::Running,
            elapsed: if motion { self.elapsed(now) } else { Duration::ZERO },
        })
    }

    /// Returns the time since it was asked for.
    pub(super) fn elapsed(&self, now: Instant) -> Duration {
        self.running.as_ref().map_or(Duration::ZERO, |running| now.saturating_duration_since(running.since))
    }
}
