//! How well scores and thresholds agree with the labels of a file: precision, recall, F1 and a confusion table for each
//! category, as its threshold moves.

mod draw;
mod figures;
mod label;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use crossterm::event::KeyEvent;

pub(crate) use figures::Evaluation;
pub(crate) use label::{LabelReader, LabelScheme};

use self::figures::{ConfusionCounts, best};
use super::category::CategoryKey;
use super::thresholds::{LEAP, STEP};
use crate::component::{Bindings, Hint, Motion, bind, bind_all, motions};
use crate::text::Untrusted;
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
pub(super) static KEYS: LazyLock<Bindings<Action, Page>> = LazyLock::new(|| {
    let mut list = vec![
        bind_all([("+ l right", A::Raise), ("- h left", A::Lower)], "threshold", "threshold by 0.01")
            .disabled_when(no_threshold),
        bind_all([("=", A::RaiseMuch), ("_", A::LowerMuch)], "by 0.05", "threshold by 0.05")
            .disabled_when(no_threshold),
        bind("b", A::Best, "best", "the threshold with the best F1").disabled_when(no_threshold),
        bind("esc e", A::Close, "back", "back"),
    ];
    list.extend(motions(A::Go, "category"));
    Bindings::new(list)
});

/// Returns why the row under the cursor has no threshold.
fn no_threshold(page: &Page) -> Option<&'static str> {
    page.here().is_none().then_some("this row follows the others")
}

/// What a key asks of the page's owner.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Event {
    /// Nothing.
    None,
    /// Set the threshold of a category, then draw.
    Set(Untrusted, f64),
    /// The page is done with.
    Close,
    /// The key means nothing here.
    Ignored,
}

/// The threshold of a category by its name, 0 to 1.
pub(crate) type ThresholdOf<'a> = &'a dyn Fn(&Untrusted) -> f64;

/// The page: a table of categories, the F1 curve and the confusion table of the one under the cursor.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    evaluation: Evaluation,
    /// Over “any category”, then the categories.
    cursor: Cursor,
    /// The thresholds that `any` was counted at.
    counted: Option<Vec<f64>>,
    any: ConfusionCounts,
    /// A sentence until the next key.
    note: Option<&'static str>,
}

impl Page {
    /// Takes other results. The cursor stays on its category.
    pub(crate) fn take(&mut self, evaluation: Evaluation) {
        let here = self.here().map(|at| self.evaluation.categories[at].key.clone());
        self.evaluation = evaluation;
        self.counted = None;
        let place = |key: CategoryKey| self.evaluation.categories.iter().position(|category| category.key == key);
        self.cursor.selected = here.and_then(place).map_or(0, |at| at + 1);
    }

    /// The category under the cursor; `None`: it is on “any category”.
    fn here(&self) -> Option<usize> {
        self.cursor.selected.checked_sub(1).filter(|at| *at < self.evaluation.categories.len())
    }

    /// A key.
    pub(crate) fn key(&mut self, key: KeyEvent, threshold: ThresholdOf) -> Event {
        let Some(action) = KEYS.find(&key) else { return Event::Ignored };
        self.note = None;
        let count = self.evaluation.categories.len() + 1;
        match action {
            A::Close => Event::Close,
            A::Go(motion) => {
                self.cursor.by(motion.rows(PAGE), count);
                Event::None
            }
            A::Raise => self.shift(STEP, threshold),
            A::Lower => self.shift(-STEP, threshold),
            A::RaiseMuch => self.shift(LEAP, threshold),
            A::LowerMuch => self.shift(-LEAP, threshold),
            A::Best => self.best(),
        }
    }

    /// Moves the threshold of the category under the cursor.
    fn shift(&mut self, by: f64, threshold: ThresholdOf) -> Event {
        let Some(at) = self.here() else {
            self.note = Some("this row follows the others: move the threshold of a category");
            return Event::None;
        };
        let name = &self.evaluation.categories[at].name;
        let moved = ((threshold(name) + by) * 100.0).round() / 100.0;
        Event::Set(name.clone(), moved.clamp(0.0, 1.0))
    }

    /// Takes the best threshold of the category under the cursor.
    fn best(&mut self) -> Event {
        let Some(at) = self.here() else {
            self.note = Some("this row follows the others: take the best threshold of a category");
            return Event::None;
        };
        let category = &self.evaluation.categories[at];
        match category.curve.as_deref().and_then(best) {
            Some((threshold, _)) => Event::Set(category.name.clone(), threshold),
            None => {
                self.note = Some("no row is labelled with this category, so no threshold is best");
                Event::None
            }
        }
    }

    /// Counts “any category” anew where a threshold has moved.
    fn count(&mut self, threshold: ThresholdOf) {
        let thresholds: Vec<f64> =
            self.evaluation.categories.iter().map(|category| threshold(&category.name)).collect();
        if self.counted.as_ref() != Some(&thresholds) {
            self.any = self.evaluation.any(&thresholds);
            self.counted = Some(thresholds);
        }
    }

    /// What the keys do.
    pub(crate) fn hints(&self) -> Vec<Hint> {
        KEYS.footer(&[A::Raise, A::RaiseMuch, A::Best, A::Go(Motion::Down), A::Close], self)
    }
}
