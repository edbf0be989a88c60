//! How well scores and thresholds agree with the labels of a file: precision, recall, F1 and a confusion table for each
//! category, as its threshold moves.

mod curves;
mod draw;
mod figures;
mod label;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::sync::LazyLock;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

pub(crate) use figures::Evaluation;
pub(crate) use label::{LabelReader, LabelScheme};

use self::figures::{ConfusionCounts, RateCurves};
use super::category::CategoryKey;
use super::thresholds::{LEAP, STEP, ThresholdProfile};
use crate::component::{
    Bindings, Component, Cx, Handled, Hint, Motion, RenderContext, Session, bind, bind_all, motions,
};
use crate::text::Untrusted;
use crate::ui::chart::View;
use crate::ui::key_table::ListedKeys;
use crate::ui::list::Cursor;

/// Rows of a page.
const PAGE: usize = 9;

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Raise,
    Lower,
    RaiseMuch,
    LowerMuch,
    Best,
    Go(Motion),
    Close,
}

use Action as A;

/// Keys of the page.
pub(super) static KEYS: LazyLock<Bindings<Action, LabelsPage>> = LazyLock::new(|| {
    let mut list = vec![
        bind_all([("+ l right", A::Raise), ("- h left", A::Lower)], "threshold", "raise, lower the threshold by 0.01")
            .named(&["raise-threshold", "lower-threshold"])
            // In the footer on every row: on the first one the answer to the key says what has a threshold.
            .does(&["raise the threshold by 0.01", "lower the threshold by 0.01"]),
        bind_all([("=", A::RaiseMuch), ("_", A::LowerMuch)], "by 0.05", "raise, lower the threshold by 0.05")
            .named(&["raise-threshold-more", "lower-threshold-more"])
            .does(&["raise the threshold by 0.05", "lower the threshold by 0.05"])
            .disabled_when(no_threshold),
        bind("b", A::Best, "best", "the threshold with the best F1").disabled_when(no_threshold),
        bind("esc e", A::Close, "back", "back"),
    ];
    list.extend(motions(A::Go, "category"));
    Bindings::new("moderate.labels", list)
});

/// Returns why the row under the cursor has no threshold.
fn no_threshold(page: &LabelsPage) -> Option<&'static str> {
    page.selected_category().is_none().then_some("this row is computed from the others")
}

/// What the page asks of its owner.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum LabelsEvent {
    /// Set the threshold of a category, and [hand over](LabelsPage::set_profile) the profile.
    Set(Untrusted, f64),
    /// The page is done with.
    Close,
}

/// The page: a table of categories, the curves and the confusion table of the one under the cursor.
#[derive(Clone, Debug)]
pub(crate) struct LabelsPage {
    evaluation: Evaluation,
    /// The thresholds.
    profile: ThresholdProfile,
    /// Over “any category”, then the categories.
    cursor: Cursor,
    /// The thresholds that `any` was counted at.
    counted: Option<Vec<f64>>,
    any: ConfusionCounts,
    /// A sentence until the next key.
    note: Option<&'static str>,
    /// What the curves' last frame worked out.
    chart: RefCell<View>,
}

impl LabelsPage {
    /// Creates a page with these results and thresholds.
    pub(crate) fn new(evaluation: Evaluation, profile: ThresholdProfile) -> Self {
        let (cursor, any) = (Cursor::default(), ConfusionCounts::default());
        Self { evaluation, profile, cursor, counted: None, any, note: None, chart: RefCell::default() }
    }

    /// Takes other thresholds.
    pub(crate) fn set_profile(&mut self, profile: ThresholdProfile) {
        self.profile = profile;
    }

    /// Takes other results. The cursor stays on its category.
    pub(crate) fn take(&mut self, evaluation: Evaluation) {
        let selected = self.selected_category().map(|at| self.evaluation.categories[at].key.clone());
        self.evaluation = evaluation;
        self.chart = RefCell::default();
        self.counted = None;
        let place = |key: CategoryKey| self.evaluation.categories.iter().position(|category| category.key == key);
        self.cursor.selected = selected.and_then(place).map_or(0, |at| at + 1);
    }

    /// Returns the category under the cursor; `None`: it is on “any category”.
    fn selected_category(&self) -> Option<usize> {
        self.cursor.selected.checked_sub(1).filter(|at| *at < self.evaluation.categories.len())
    }

    /// Returns the threshold of a category by its name, 0 to 1.
    fn threshold(&self, name: &Untrusted) -> f64 {
        self.profile.of(&CategoryKey::of(name))
    }

    /// Moves the threshold of the category under the cursor.
    fn shift(&mut self, by: f64) -> Handled<LabelsEvent> {
        let Some(at) = self.selected_category() else {
            self.note = Some("this row is computed from the others: move the threshold of a category");
            return Handled::Consumed;
        };
        let name = &self.evaluation.categories[at].name;
        let moved = ((self.threshold(name) + by) * 100.0).round() / 100.0;
        Handled::Emit(LabelsEvent::Set(name.clone(), moved.clamp(0.0, 1.0)))
    }

    /// Takes the best threshold of the category under the cursor.
    fn best(&mut self) -> Handled<LabelsEvent> {
        let Some(at) = self.selected_category() else {
            self.note = Some("this row is computed from the others: take the best threshold of a category");
            return Handled::Consumed;
        };
        let category = &self.evaluation.categories[at];
        match category.curves.as_ref().and_then(RateCurves::best) {
            Some((threshold, _)) => Handled::Emit(LabelsEvent::Set(category.name.clone(), threshold)),
            None => {
                self.note = Some("no row is labelled with this category, so no threshold is best");
                Handled::Consumed
            }
        }
    }

    /// Counts “any category” again where a threshold has moved.
    fn count(&mut self) {
        let categories = self.evaluation.categories.iter();
        let thresholds: Vec<f64> = categories.map(|category| self.profile.of(&category.key)).collect();
        if self.counted.as_ref() != Some(&thresholds) {
            self.any = self.evaluation.any(&thresholds);
            self.counted = Some(thresholds);
        }
    }
}

impl Component<LabelsEvent> for LabelsPage {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<LabelsEvent> {
        let Some(action) = KEYS.find(&key) else { return Handled::Ignored };
        self.note = None;
        match action {
            A::Close => Handled::Emit(LabelsEvent::Close),
            A::Go(motion) => {
                self.cursor.move_by(motion.rows(PAGE), self.evaluation.categories.len() + 1);
                Handled::Consumed
            }
            A::Raise => self.shift(STEP),
            A::Lower => self.shift(-STEP),
            A::RaiseMuch => self.shift(LEAP),
            A::LowerMuch => self.shift(-LEAP),
            A::Best => self.best(),
        }
    }

    fn hints(&self) -> Vec<Hint> {
        KEYS.footer(&[A::Raise, A::RaiseMuch, A::Best, A::Go(Motion::Down), A::Close], self)
    }

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        self.fit(area, session.spacing());
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.draw(frame, area, context);
    }
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
