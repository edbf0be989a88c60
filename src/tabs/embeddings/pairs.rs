//! Pairs above a threshold, and texts that say nearly the same.
//!
//! ```text
//! ━━ ▸ Pairs above 0.80 ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 1 of 6 ━━
//!    pair   cosine ▾  first                   second
//!  ▌ A–B       0.870  A refund within 30 da…  money back guarantee
//!    F–G       0.870  change my password      reset login
//! ```

mod draw;
pub(super) mod keys;
#[cfg(test)]
mod tests;

use std::rc::Rc;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use self::keys::{Action, FOOTER, KEYS};
use super::background::{BackgroundJob, JobReply, VectorsVersion};
use super::pane::{PaneEvent, VectorPane};
use super::pane_data::{Page, PaneData};
use crate::api::call::Ticket;
use crate::component::{Component, Cx, Handled, Hint, RenderContext, Response, Session};
use crate::record::vectors::{self, Figures, VectorTask};
use crate::ui::table::TableView;

/// Pairs that are named at most.
const MOST: usize = 10_000;
/// Texts up to which pairs are computed without being asked for.
const AT_ONCE: usize = 5_000;
/// From here on two texts say nearly the same, unless the user says otherwise.
const DUPLICATES: f32 = 0.95;
/// What sums of 32-bit numbers may miss: pairs that near to the threshold belong to it.
const ROUNDING: f32 = 2e-6;

/// Which list it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PairKind {
    /// Pairs above the tab's threshold.
    Above,
    /// Near-duplicates, above a threshold of their own.
    Duplicates,
}

/// The pairs of some vectors above a threshold.
#[derive(Debug)]
struct KnownPairs {
    of: VectorsVersion,
    above: f32,
    pairs: vectors::Pairs,
}

/// The pane.
#[derive(Debug)]
pub(super) struct PairsPane {
    data: Rc<PaneData>,
    kind: PairKind,
    /// Threshold of near-duplicates.
    duplicates: f32,
    job: BackgroundJob,
    /// The threshold of what is under way.
    asked: f32,
    known: Option<KnownPairs>,
    /// The vectors that were there when it last looked.
    now: Option<VectorsVersion>,
    /// Stopped by the user: it is not begun again by itself.
    stopped: bool,
    view: TableView,
}

impl Default for PairsPane {
    fn default() -> Self {
        Self {
            data: Rc::default(),
            kind: PairKind::Above,
            duplicates: DUPLICATES,
            job: BackgroundJob::default(),
            asked: DUPLICATES,
            known: None,
            now: None,
            stopped: false,
            view: TableView::default(),
        }
    }
}

impl PairsPane {
    /// Returns the threshold of the list in front.
    fn above(&self) -> f32 {
        match self.kind {
            PairKind::Above => self.data.above,
            PairKind::Duplicates => self.duplicates,
        }
    }

    /// Asks for the pairs above a threshold, unless they are known or under way. A long list waits until it is
    /// `wanted`.
    fn compute(&mut self, above: f32, wanted: bool, cx: &mut Cx) {
        self.now = VectorsVersion::current(&self.data, self.now.take());
        let (Some(of), Some(table)) = (self.now.clone(), self.data.table.clone()) else {
            self.known = None;
            self.job.stop(cx);
            return;
        };
        if self.known.as_ref().is_some_and(|known| !known.of.same_texts(&of)) {
            self.known = None;
        }
        if self.job.of().is_some_and(|running| !running.same_texts(&of)) {
            self.job.stop(cx);
        }
        let holds = self.known.as_ref().is_some_and(|known| known.of == of && known.holds(above));
        // Of the same texts with fewer vectors: it is left to its end.
        let running = self.job.of().is_some() && self.asked <= above;
        let long = self.data.texts.len() > AT_ONCE;
        if !wanted && (holds || self.job.failed_of(&of) || running || self.stopped || long) {
            return;
        }
        if table.present() > 1 {
            self.stopped = false;
            self.asked = above;
            self.job.ask(of, VectorTask::Pairs { table, above, most: MOST }, cx);
        }
    }

    /// Returns the pairs above the threshold, most similar first, and whether there may be more than are named.
    fn pairs(&self) -> (&[(u32, u32, f32)], bool) {
        let above = self.above();
        let Some(known) = &self.known else { return (&[], false) };
        let many = known.pairs.pairs.partition_point(|pair| pair.2 >= above - ROUNDING);
        (&known.pairs.pairs[..many], many == known.pairs.pairs.len() && known.pairs.total > many as u64)
    }

    /// Returns whether what is shown is what would be computed now.
    fn is_current(&self) -> bool {
        let Some(known) = &self.known else { return false };
        known.holds(self.above()) && self.now.as_ref() == Some(&known.of)
    }

    fn shift_threshold(&mut self, hundredths: i8, cx: &mut Cx) -> Handled<PaneEvent> {
        let above = (f64::from(self.above()) * 100.0).round() + f64::from(hundredths);
        let above = (above / 100.0).clamp(-1.0, 1.0) as f32;
        self.view.home();
        if self.kind == PairKind::Above {
            return Handled::Emit(PaneEvent::Above(above));
        }
        self.duplicates = above;
        self.compute(above, false, cx);
        Handled::Consumed
    }

    /// Returns what the next Esc does, and what it is called.
    fn next_escape(&self) -> (Action, &'static str) {
        if self.job.of().is_some() { (Action::Stop, "stop") } else { (Action::Close, "back") }
    }

    fn act(&mut self, action: Action, cx: &mut Cx) -> Handled<PaneEvent> {
        let len = self.pairs().0.len();
        match action {
            Action::Move(motion) => self.view.move_by(motion.rows(self.view.page), len),
            Action::Scroll(columns) => self.view.scroll(columns),
            Action::Threshold(hundredths) => return self.shift_threshold(hundredths, cx),
            Action::Duplicates => {
                self.kind = if self.kind == PairKind::Above { PairKind::Duplicates } else { PairKind::Above };
                self.view.home();
                self.compute(self.above(), false, cx);
            }
            Action::Open => match self.pairs().0.get(self.view.cursor.selected.min(len.saturating_sub(1))) {
                Some((first, second, _)) => {
                    return Handled::Emit(PaneEvent::Pair(*first as usize, *second as usize));
                }
                None if self.job.of().is_none() => self.compute(self.above(), true, cx),
                None => {}
            },
            Action::Compute => self.compute(self.above(), true, cx),
            Action::Escape => return self.act(self.next_escape().0, cx),
            Action::Stop => self.stopped = self.job.stop(cx),
            Action::Close => {
                self.stopped = false;
                return Handled::Emit(PaneEvent::Close);
            }
        }
        Handled::Consumed
    }
}

impl KnownPairs {
    /// Returns whether all pairs above a threshold are among those that are named.
    fn holds(&self, above: f32) -> bool {
        let all = self.pairs.total <= self.pairs.pairs.len() as u64;
        // Of pairs that are cut off at the end those above the last one are all there.
        above >= self.above
            && (all || above >= self.pairs.pairs.last().map_or(2.0, |last| last.2) || above <= self.above)
    }
}

impl VectorPane for PairsPane {
    fn update(&mut self, data: Rc<PaneData>) {
        self.data = data;
    }

    fn refresh(&mut self, cx: &mut Cx) {
        self.compute(self.above(), false, cx);
    }

    fn cancel(&mut self, cx: &mut Cx) {
        self.job.stop(cx);
    }
}

impl Component<PaneEvent> for PairsPane {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<PaneEvent> {
        KEYS.find(&key).map_or(Handled::Ignored, |action| self.act(action, cx))
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<PaneEvent> {
        match self.job.take(ticket, response, cx) {
            JobReply::NotOwn => return Handled::Ignored,
            JobReply::Figures(of, Figures::Pairs(pairs)) => {
                self.known = Some(KnownPairs { of, above: self.asked, pairs });
                // Vectors may have come on the way.
                self.compute(self.above(), false, cx);
            }
            JobReply::Progress | JobReply::Figures(..) => {}
        }
        Handled::Consumed
    }

    fn hints(&self) -> Vec<Hint> {
        KEYS.footer(&FOOTER, self)
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![("Pairs", KEYS.help())]
    }

    fn escape(&self) -> Option<&'static str> {
        Some(self.next_escape().1)
    }

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        self.fit(area, session.spacing());
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.draw(frame, area, context);
    }
}
