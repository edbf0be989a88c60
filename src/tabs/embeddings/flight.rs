//! A sum over the list's vectors that the work threads were asked for: of which vectors it is, how far, what became of it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use super::pane::Read;
use crate::api::call::Ticket;
use crate::component::Cx;
use crate::record::Table;
use crate::record::vectors::{Figures, Sum};
use crate::record::work::{Done, Work};
use crate::text::Untrusted;
use crate::ui::progress::{Progress, Rate, State, Unit};

/// Which vectors, in which order. Holds none of them: the table of a long list is there once.
#[derive(Clone, Debug, Default)]
pub(super) struct Of {
    table: Weak<Table>,
    texts: u64,
}

impl Of {
    /// Those that are here now; `None`: there are none. `before` is what was here when it last looked: the texts of a long
    /// list are not gone through again while their vectors are the same.
    pub(super) fn now(read: &Read, before: Option<Self>) -> Option<Self> {
        let table = Arc::downgrade(read.table.as_ref()?);
        if let Some(before) = before.filter(|before| Weak::ptr_eq(&before.table, &table)) {
            return Some(before);
        }
        let mut texts = DefaultHasher::new();
        for text in &read.texts {
            (text.id.0, text.sent).hash(&mut texts);
        }
        Some(Self { table, texts: texts.finish() })
    }

    /// Whether they are the same texts: only vectors of some of them may have come.
    pub(super) fn same_texts(&self, other: &Self) -> bool {
        self.texts == other.texts
    }
}

impl PartialEq for Of {
    fn eq(&self, other: &Self) -> bool {
        self.texts == other.texts && Weak::ptr_eq(&self.table, &other.table)
    }
}

/// A sum under way.
#[derive(Debug)]
struct UnderWay {
    ticket: Ticket,
    of: Of,
    since: Instant,
    /// So far and in all, of the sum's own measure.
    moved: Option<(u64, u64)>,
    rate: Rate,
}

/// At most one sum at a time.
#[derive(Debug, Default)]
pub(super) struct Flight {
    under_way: Option<UnderWay>,
    /// Of which vectors the last one gave nothing, and why.
    failed: Option<(Of, Untrusted)>,
}

/// What an answer was.
#[derive(Debug, PartialEq)]
pub(super) enum Answer<'a> {
    /// Another's.
    Strange,
    /// It moved, or it failed.
    Said,
    /// The sum of these vectors.
    Figures(Of, &'a Figures),
}

impl Flight {
    /// Asks for a sum; what is under way is stopped.
    pub(super) fn ask(&mut self, of: Of, sum: Sum, cx: &mut Cx) {
        self.stop(cx);
        self.failed = None;
        let ticket = cx.work(Work::Sum(sum));
        self.under_way = Some(UnderWay { ticket, of, since: cx.now, moved: None, rate: Rate::default() });
    }

    /// Stops what is under way; whether anything was.
    pub(super) fn stop(&mut self, cx: &mut Cx) -> bool {
        let was = self.under_way.take();
        if let Some(was) = &was {
            cx.cancel(was.ticket);
        }
        was.is_some()
    }

    /// The vectors of what is under way.
    pub(super) fn of(&self) -> Option<&Of> {
        self.under_way.as_ref().map(|under_way| &under_way.of)
    }

    /// Whether it failed of these vectors: it would again.
    pub(super) fn failed_of(&self, of: &Of) -> bool {
        self.failed.as_ref().is_some_and(|(failed, _)| failed == of)
    }

    /// Why the last one gave nothing.
    pub(super) fn failed(&self) -> Option<&Untrusted> {
        self.failed.as_ref().map(|(_, why)| why)
    }

    /// Takes an answer if it is its own.
    pub(super) fn take<'a>(&mut self, ticket: Ticket, done: &'a Done, cx: &Cx) -> Answer<'a> {
        let Some(under_way) = self.under_way.as_mut().filter(|under_way| under_way.ticket == ticket) else {
            return Answer::Strange;
        };
        if let Done::Moved { done, total } = done {
            under_way.moved = Some((*done, *total));
            under_way.rate.feed(cx.now, *done);
            return Answer::Said;
        }
        let of = self.under_way.take().map(|under_way| under_way.of).unwrap_or_default();
        match done {
            Done::Figures(figures) => Answer::Figures(of, figures),
            Done::Failed(why) => {
                self.failed = Some((of, why.clone()));
                Answer::Said
            }
            _ => {
                self.failed = Some((of, "the sum came back as something else; please report it".into()));
                Answer::Said
            }
        }
    }

    /// How far it is; `None`: nothing is under way.
    pub(super) fn progress(&self, unit: &'static str, now: Instant, motion: bool) -> Option<Progress<'static>> {
        let under_way = self.under_way.as_ref()?;
        let (done, total) = under_way.moved.map_or((0, None), |(done, total)| (done, Some(total)));
        Some(Progress {
            done,
            total,
            unit: Unit::Count(unit),
            rate: under_way.rate.per_second(now),
            left: total.and_then(|total| under_way.rate.left(now, total.saturating_sub(done))),
            state: State::Running,
            elapsed: if motion { self.elapsed(now) } else { Duration::ZERO },
        })
    }

    /// Since it was asked.
    pub(super) fn elapsed(&self, now: Instant) -> Duration {
        self.under_way.as_ref().map_or(Duration::ZERO, |under_way| now.saturating_duration_since(under_way.since))
    }
}
