//! A list to choose from, as a dialog.

use std::fmt::{self, Debug};
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::{Component, Cx, Handled, Hint, RenderContext, Session, Step};
use crate::ui::picker::{Picked, Picker};

/// Lets the user choose an item of a list; the answer is made of the item.
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
    /// Creates a dialog with this list.
    pub fn new(picker: Picker<T>, answer: fn(T) -> E) -> Self {
        Self { picker, answer }
    }
}

impl<T: Clone + Debug, E> Component<Step<E>> for ChoiceDialog<T, E> {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<Step<E>> {
        match self.picker.key(&key) {
            Picked::Open | Picked::Typed(_) => Handled::Consumed,
            Picked::Closed => Handled::close(),
            Picked::Chosen(value) => Handled::answer((self.answer)(value)),
        }
    }

    fn paste(&mut self, text: &str, _cx: &mut Cx) -> Handled<Step<E>> {
        self.picker.paste(text);
        Handled::Consumed
    }

    fn hints(&self) -> Vec<Hint> {
        Hint::of_picker("use").into()
    }

    fn typing(&self) -> bool {
        true
    }

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        self.picker.arrange(area, session.palette);
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.picker.render(frame, area, context.theme);
    }
}
