//! How well scores and thresholds agree with the labels of a file: precision, recall, F1 and a confusion table for each
//! category, as its threshold moves.
#![allow(dead_code, unused, clippy::all, clippy::pedantic)]

mod figures;
mod label;

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::Rect;

pub(in crate::tabs::moderation) use figures::{Evaluation, Figures};

use crate::tabs::Hint;
use crate::text::Untrusted;
use crate::ui::theme::Theme;

/// What a key asks of the page's owner.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::tabs::moderation) enum Event {
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
pub(in crate::tabs::moderation) type Threshold<'a> = &'a dyn Fn(&Untrusted) -> f64;

/// The page: a table of categories, the F1 curve and the confusion table of the one under the cursor.
#[derive(Clone, Debug, Default)]
pub(in crate::tabs::moderation) struct Page {
    evaluation: Evaluation,
}

impl Page {
    /// Takes other results. The cursor stays on its category.
    pub(in crate::tabs::moderation) fn take(&mut self, evaluation: Evaluation) {
        self.evaluation = evaluation;
    }

    /// A key.
    pub(in crate::tabs::moderation) fn key(&mut self, key: KeyEvent, _threshold: Threshold) -> Event {
        if key.code == KeyCode::Esc { Event::Close } else { Event::Ignored }
    }

    /// Draws it.
    pub(in crate::tabs::moderation) fn render(
        &mut self,
        _frame: &mut Frame,
        _area: Rect,
        _threshold: Threshold,
        _theme: &Theme,
    ) {
    }

    /// What the keys do.
    pub(in crate::tabs::moderation) fn hints(&self) -> Vec<Hint> {
        Vec::new()
    }
}
