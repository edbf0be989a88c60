//! A list to choose from, as a dialog.

use std::fmt::{self, Debug};

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::{Component, Cx, Handled, Hint, RenderContext, Step};
use crate::ui::picker::{Picked, Picker};

/// Asks for one of the items of a list, and answers with what it makes of the choice.
pub struct ChoiceDialog<T, E> {
    picker: Picker<T>,
    answer: fn(T) -> E,
}

impl<T: Debug, E> Debug for ChoiceDialog<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChoiceDialog").field("picker", &self.picker).finish_non_exhaustive()
    }
}

impl<T, E> ChoiceDialog<T, E> {
    /// A dialog with this list.
    pub fn new(picker: Picker<T>, answer: fn(T) -> E) -> Self {
        Self { picker, answer }
    }
}

impl<T: Clone + Debug, E> Component<Step<E>> for ChoiceDialog<T, E> {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<Step<E>> {
        match self.picker.key(&key) {
            Picked::Open => Handled::Consumed,
            Picked::Closed => Handled::close(),
            Picked::Chosen(value) => Handled::answer((self.answer)(value)),
        }
    }

    fn paste(&mut self, text: &str, _cx: &mut Cx) -> Handled<Step<E>> {
        self.picker.paste(text);
        Handled::Consumed
    }

    fn hints(&self) -> Vec<Hint> {
        vec![Hint::new("↑↓", "move"), Hint::new("⏎", "choose")]
    }

    fn typing(&self) -> bool {
        true
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.picker.render(frame, area, context.theme);
    }
}
