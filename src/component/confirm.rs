//! A question with two answers, as a dialog.

use std::fmt::Debug;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::{Component, Cx, Handled, Hint, RenderContext, Step, THIS_DIALOG};
use crate::ui::overlay::{Answer, Confirm};

/// Asks a question and answers with `yes` when the verb is chosen.
#[derive(Debug)]
pub struct ConfirmDialog<E> {
    question: Confirm,
    yes: E,
}

impl<E> ConfirmDialog<E> {
    /// Creates a dialog with a question; `yes` is the answer to the owner.
    pub fn new(question: Confirm, yes: E) -> Self {
        Self { question, yes }
    }
}

impl<E: Clone + Debug> Component<Step<E>> for ConfirmDialog<E> {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<Step<E>> {
        match self.question.key(key) {
            Answer::Open => Handled::Consumed,
            Answer::Cancelled => Handled::close(),
            Answer::Chosen => Handled::answer(self.yes.clone()),
        }
    }

    fn hints(&self) -> Vec<Hint> {
        Hint::of_question(&self.question)
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![(THIS_DIALOG, Hint::help_of_question(&self.question))]
    }

    fn escape(&self) -> Option<&'static str> {
        Some("cancel")
    }

    fn typing(&self) -> bool {
        true
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.question.render(frame, area, context.theme);
    }
}
