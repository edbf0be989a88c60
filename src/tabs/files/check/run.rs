//! The work under way on a training file: reading it, or writing its repaired copy.

use std::time::Instant;

use crate::api::call::Ticket;
use crate::component::Cx;
use crate::record::training::Prepared;
use crate::record::work::Work;
use crate::text::Untrusted;
use crate::ui::meter::SPINNER_FRAME;
use crate::ui::progress::Rate;

/// How far the work is.
#[derive(Debug)]
pub(super) enum CheckPhase {
    /// Bytes of how many are read.
    Reading {
        done: u64,
        total: u64,
    },
    /// The file could not be read at all.
    Failed(Untrusted),
    Checked,
    /// The repaired copy is on its way.
    Writing {
        done: u64,
        total: u64,
    },
    /// What the last writing came to.
    Written(Box<Prepared>),
    NotWritten(Untrusted),
}

/// The work under way, and what the last one came to.
#[derive(Debug)]
pub(super) struct CheckRun {
    ticket: Option<Ticket>,
    pub(super) phase: CheckPhase,
    pub(super) began: Instant,
    /// When the spinner moved last.
    ticked: Instant,
    pub(super) rate: Rate,
}

impl CheckRun {
    pub(super) fn new(now: Instant) -> Self {
        Self { ticket: None, phase: CheckPhase::Checked, began: now, ticked: now, rate: Rate::default() }
    }

    /// Starts a work in place of the one under way.
    pub(super) fn start(&mut self, work: Work, phase: CheckPhase, cx: &mut Cx) {
        self.stop(cx);
        self.ticket = Some(cx.work(work));
        (self.phase, self.began, self.rate) = (phase, cx.now, Rate::default());
    }

    pub(super) fn stop(&mut self, cx: &mut Cx) {
        if let Some(ticket) = self.ticket.take() {
            cx.cancel(ticket);
        }
    }

    pub(super) fn owns(&self, ticket: Ticket) -> bool {
        self.ticket == Some(ticket)
    }

    /// Takes how many bytes of how many are done.
    pub(super) fn moved(&mut self, so_far: u64, all: u64, now: Instant) {
        if let CheckPhase::Reading { done, total } | CheckPhase::Writing { done, total } = &mut self.phase {
            (*done, *total) = (so_far, all);
            self.rate.feed(now, so_far);
        }
    }

    /// Ends the work with what it came to.
    pub(super) fn end(&mut self, phase: CheckPhase) {
        (self.ticket, self.phase) = (None, phase);
    }

    /// Returns whether there is a report, and nothing under way.
    pub(super) fn is_ready(&self) -> bool {
        matches!(self.phase, CheckPhase::Checked | CheckPhase::Written(_) | CheckPhase::NotWritten(_))
    }

    pub(super) fn is_reading(&self) -> bool {
        matches!(self.phase, CheckPhase::Reading { .. })
    }

    pub(super) fn is_writing(&self) -> bool {
        matches!(self.phase, CheckPhase::Writing { .. })
    }

    /// Forgets what was written: something else is chosen now.
    pub(super) fn choose_anew(&mut self) {
        if matches!(self.phase, CheckPhase::Written(_) | CheckPhase::NotWritten(_)) {
            self.phase = CheckPhase::Checked;
        }
    }

    pub(super) fn due(&self) -> Option<Instant> {
        self.ticket.map(|_| self.ticked + SPINNER_FRAME)
    }

    pub(super) fn tick(&mut self, now: Instant) {
        self.ticked = now;
    }
}
