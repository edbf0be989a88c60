//! How well scores and thresholds agree with the labels of a file: precision, recall, F1 and a confusion table for each
//! category, as its threshold moves.

mod draw;
mod figures;
mod label;
#[cfg(test)]
mod tests;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

pub(crate) use figures::Evaluation;
pub(crate) use label::{Labels, Scheme};

use self::figures::{Figures, best};
use super::category::Key;
use super::thresholds::{LEAP, STEP};
use crate::component::Hint;
use crate::text::Untrusted;
use crate::ui::list::Cursor;

/// Rows of a page.
const PAGE: isize = 8;

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
pub(crate) type Threshold<'a> = &'a dyn Fn(&Untrusted) -> f64;

/// The page: a table of categories, the F1 curve and the confusion table of the one under the cursor.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    evaluation: Evaluation,
    /// Over “any category”, then the categories.
    cursor: Cursor,
    /// The thresholds that `any` was counted at.
    counted: Option<Vec<f64>>,
    any: Figures,
    /// A sentence until the next key.
    note: Option<&'static str>,
}

impl Page {
    /// Takes other results. The cursor stays on its category.
    pub(crate) fn take(&mut self, evaluation: Evaluation) {
        let here = self.here().map(|at| self.evaluation.categories[at].key.clone());
        self.evaluation = evaluation;
        self.counted = None;
        let place = |key: Key| self.evaluation.categories.iter().position(|category| category.key == key);
        self.cursor.selected = here.and_then(place).map_or(0, |at| at + 1);
    }

    /// The category under the cursor; `None`: it is on “any category”.
    fn here(&self) -> Option<usize> {
        self.cursor.selected.checked_sub(1).filter(|at| *at < self.evaluation.categories.len())
    }

    /// A key.
    pub(crate) fn key(&mut self, key: KeyEvent, threshold: Threshold) -> Event {
        if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
            return Event::Ignored;
        }
        self.note = None;
        let count = self.evaluation.categories.len() + 1;
        match key.code {
            KeyCode::Esc | KeyCode::Char('e') => return Event::Close,
            KeyCode::Down | KeyCode::Char('j') => self.cursor.by(1, count),
            KeyCode::Up | KeyCode::Char('k') => self.cursor.by(-1, count),
            KeyCode::PageDown => self.cursor.by(PAGE, count),
            KeyCode::PageUp => self.cursor.by(-PAGE, count),
            KeyCode::Home | KeyCode::Char('g') => self.cursor.by(isize::MIN, count),
            KeyCode::End | KeyCode::Char('G') => self.cursor.by(isize::MAX, count),
            KeyCode::Char('+' | 'l') | KeyCode::Right => return self.shift(STEP, threshold),
            KeyCode::Char('-' | 'h') | KeyCode::Left => return self.shift(-STEP, threshold),
            KeyCode::Char('=') => return self.shift(LEAP, threshold),
            KeyCode::Char('_') => return self.shift(-LEAP, threshold),
            KeyCode::Char('b') => return self.best(),
            _ => return Event::Ignored,
        }
        Event::None
    }

    /// Moves the threshold of the category under the cursor.
    fn shift(&mut self, by: f64, threshold: Threshold) -> Event {
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
    fn count(&mut self, threshold: Threshold) {
        let thresholds: Vec<f64> =
            self.evaluation.categories.iter().map(|category| threshold(&category.name)).collect();
        if self.counted.as_ref() != Some(&thresholds) {
            self.any = self.evaluation.any(&thresholds);
            self.counted = Some(thresholds);
        }
    }

    /// What the keys do.
    pub(crate) fn hints(&self) -> Vec<Hint> {
        let mut hints = Vec::new();
        if self.here().is_some() {
            hints.extend([Hint::new("+ -", "threshold"), Hint::new("= _", "by 0.05"), Hint::new("b", "best")]);
        }
        hints.extend([Hint::new("j k", "category"), Hint::new("esc", "back")]);
        hints
    }
}
