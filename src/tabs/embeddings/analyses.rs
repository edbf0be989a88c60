//! What is computed from the vectors: what has to be computed again, what is under way, and the results.

use crate::api::call::Ticket;
use crate::component::Cx;
use crate::record::vectors::{Pairs, VectorTask};
use crate::record::work::Work;

/// One sum: whether it has to be made again, and the one under way (of which state of the texts).
#[derive(Debug, Default)]
pub(super) struct AnalysisTask {
    pub(super) dirty: bool,
    pub(super) asked: Option<(Ticket, u64)>,
}

impl AnalysisTask {
    pub(super) fn is_outdated(&self) -> bool {
        self.dirty && self.asked.is_none()
    }

    pub(super) fn ask(&mut self, sum: VectorTask, version: u64, cx: &mut Cx) {
        self.dirty = false;
        self.asked = Some((cx.work(Work::Vectors(sum)), version));
    }

    /// Takes an answer that belongs to it. Returns the revision of the texts that it is for; `None`: it belongs to
    /// another.
    pub(super) fn answer(&mut self, ticket: Ticket) -> Option<u64> {
        let (asked, version) = self.asked?;
        (asked == ticket).then(|| {
            self.asked = None;
            version
        })
    }
}

/// All of them, and what the short ones gave.
#[derive(Debug, Default)]
pub(super) struct Analyses {
    pub(super) cut: AnalysisTask,
    pub(super) matrix: AnalysisTask,
    pub(super) pairs: AnalysisTask,
    pub(super) near: AnalysisTask,
    /// The row of which the nearest are known, of a long list.
    pub(super) near_of: Option<usize>,
    pub(super) nearest: Vec<(u32, f32)>,
    /// Pairs above the threshold.
    pub(super) above: Option<Pairs>,
    /// Least and greatest cosine of two texts.
    pub(super) span: (f64, f64),
    /// The two texts with the greatest, and their cosine.
    pub(super) closest: Option<(usize, usize, f32)>,
    /// Counts changes of the matrix and of what its cells show.
    pub(super) version: u64,
}

impl Analyses {
    /// Starts the analyses again, for other vectors.
    pub(super) fn changed(&mut self, cut: bool) {
        self.cut.dirty = cut;
        self.matrix.dirty = true;
        self.pairs.dirty = true;
        self.near_of = None;
        self.version += 1;
    }

    /// Stops and forgets the analyses, as there are no vectors any more.
    pub(super) fn forget(&mut self, cx: &mut Cx) {
        for step in [&mut self.cut, &mut self.matrix, &mut self.pairs, &mut self.near] {
            if let Some((ticket, _)) = step.asked.take() {
                cx.cancel(ticket);
            }
        }
        let version = self.version + 1;
        *self = Self { version, ..Self::default() };
    }

    /// Returns whether something is summed up that is shown.
    pub(super) fn is_busy(&self) -> bool {
        [&self.cut, &self.matrix, &self.near].iter().any(|step| step.asked.is_some())
    }

    /// Pairs above another threshold.
    pub(super) fn other_threshold(&mut self) {
        self.pairs.dirty = true;
    }
}
