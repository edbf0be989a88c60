//! What the bench runs: its requests, a run that waits for the disk, what it has cost, when the spinner moves.

use std::time::Instant;

use super::request_queue::{BatchSupport, CheckRequest, RequestQueue};
use crate::api::call::Failure;
use crate::component::{Animation, Cx, RenderContext};
use crate::tabs::tab::RunMeter;
use crate::ui::meter;
use crate::ui::time;

/// What a run checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunScope {
    /// What has no result yet; if all have, all of it.
    New,
    /// The column under the cursor.
    Column,
}

/// Whether something runs, for titles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum RunStatus {
    #[default]
    Idle,
    /// A run waits for what the disk knows.
    Loading,
    /// Requests are under way since this moment.
    Since(Instant),
}

impl RunStatus {
    /// Returns it in a few words; empty: nothing is running.
    pub(super) fn words(self, context: RenderContext) -> String {
        match self {
            Self::Idle => String::new(),
            Self::Loading => "reading earlier results".to_owned(),
            Self::Since(since) => {
                let elapsed = context.now.saturating_duration_since(since);
                format!("{} {}", meter::spinner(elapsed, context.session.motion), time::duration(elapsed))
            }
        }
    }
}

/// The runs of the bench and its pages.
#[derive(Debug, Default)]
pub(super) struct CheckRunner {
    pub(super) queue: RequestQueue,
    pub(super) support: BatchSupport,
    /// A run that waits for what the disk knows.
    pub(super) queued_run: Option<RunScope>,
    pub(super) meter: Option<RunMeter>,
    pub(super) animation: Animation,
}

impl CheckRunner {
    /// Returns whether a request is under way, or a run waits.
    pub(super) fn is_busy(&self) -> bool {
        !self.queue.is_empty() || self.queued_run.is_some()
    }

    pub(super) fn status(&self) -> RunStatus {
        match self.queue.since() {
            Some(since) => RunStatus::Since(since),
            None if self.queued_run.is_some() => RunStatus::Loading,
            None => RunStatus::Idle,
        }
    }

    /// Returns when the spinner moves next.
    pub(super) fn due(&self) -> Option<Instant> {
        self.animation.due().filter(|_| self.is_busy())
    }

    /// Stops what runs. Returns the requests that waited for another attempt, and why.
    pub(super) fn stop(&mut self, cx: &mut Cx) -> Vec<(CheckRequest, Failure)> {
        self.queued_run = None;
        self.support = BatchSupport::default();
        let given_up = |why: Failure| Failure { sentence: format!("given up: {}", why.sentence.line()).into(), ..why };
        self.queue.stop(cx).into_iter().map(|(request, why)| (request, given_up(why))).collect()
    }
}
