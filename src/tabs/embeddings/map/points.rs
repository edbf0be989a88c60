//! The positions of the texts on the map, computed once for each set of vectors.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::background::{BackgroundJob, JobReply, VectorsVersion};
use crate::api::call::Ticket;
use crate::component::{Cx, Response};
use crate::record::vectors::{Figures, Map, VectorTask};
use crate::text::Untrusted;
use crate::ui::progress::Progress;

/// The places by one method.
#[derive(Debug, Default)]
pub(super) struct MapPoints {
    job: BackgroundJob,
    /// The map, and of which vectors it is.
    known: Option<(VectorsVersion, Arc<Map>)>,
}

impl MapPoints {
    /// Asks for the map of these vectors, unless it is known or under way. One of fewer vectors of the same texts is
    /// left to its end, and shown until the next.
    pub(super) fn refresh(&mut self, of: &VectorsVersion, task: VectorTask, cx: &mut Cx) {
        let known = self.known.as_ref().is_some_and(|(known, _)| known == of) || self.job.failed_of(of);
        if !known && !self.job.of().is_some_and(|running| running.same_texts(of)) {
            self.job.ask(of.clone(), task, cx);
        }
    }

    /// Forgets a map of other texts. Returns whether there was one.
    pub(super) fn keep_only(&mut self, of: Option<&VectorsVersion>) -> bool {
        let other = self.known.as_ref().is_some_and(|(known, _)| !of.is_some_and(|of| known.same_texts(of)));
        if other {
            self.known = None;
        }
        other
    }

    /// Stops what is under way. Returns whether anything was.
    pub(super) fn stop(&mut self, cx: &mut Cx) -> bool {
        self.job.stop(cx)
    }

    /// Takes a reply. Returns whether it was its own.
    pub(super) fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &Cx) -> bool {
        match self.job.take(ticket, response, cx) {
            JobReply::NotOwn => return false,
            JobReply::Figures(of, Figures::Map(map)) => self.known = Some((of, map)),
            JobReply::Progress | JobReply::Figures(..) => {}
        }
        true
    }

    /// Returns the map of so many texts, as far as it is known.
    pub(super) fn map(&self, texts: usize) -> Option<&Arc<Map>> {
        self.known.as_ref().map(|(_, map)| map).filter(|map| map.points.len() == texts)
    }

    /// Returns whether it is under way.
    pub(super) fn is_busy(&self) -> bool {
        self.job.of().is_some()
    }

    /// Returns why the last one failed.
    pub(super) fn failed(&self) -> Option<&Untrusted> {
        self.job.failed()
    }

    /// Returns how far it is; `None`: nothing is under way.
    pub(super) fn progress(&self, now: Instant, motion: bool) -> Option<Progress<'static>> {
        self.job.progress("steps", now, motion)
    }

    /// Returns the time since it was asked for.
    pub(super) fn elapsed(&self, now: Instant) -> Duration {
        self.job.elapsed(now)
    }
}
