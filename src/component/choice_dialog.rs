//! A list to choose from, as a dialog.

use std::fmt::{self, Debug};
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::{Component, Cx, Handled, Hint, RenderContext, Session, Step, THIS_DIALOG};
use crate::ui::picker::{Picked, Picker};

/// Lets the user choose an item of a list; the answer is made of the item.
pub struct ChoiceDialog<T, E> {
    picker: Picker<T>,
    answer: fn(T) -> E,
    /// Makes the answer of a text that matches no item; `None`: such a text is not accepted.
    typed: Option<fn(String) -> E>,
    /// What Enter does.
    enter: &'static str,
    /// What Esc does, and its answer; without one it only closes the dialog.
    escape: (&'static str, Option<E>),
}

impl<T: Debug, E> Debug for ChoiceDialog<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChoiceDialog").field("picker", &self.picker).finish_non_exhaustive()
    }
}

impl<T: Clone, E> ChoiceDialog<T, E> {
    /// Creates a dialog with this list.
    pub fn new(picker: Picker<T>, answer: fn(T) -> E) -> Self {
        Self { picker, answer, typed: None, enter: "use", escape: ("close", None) }
    }

    /// Accepts a text that matches no item; the answer is made of the text.
    #[must_use]
    pub fn or_typed(self, answer: fn(String) -> E) -> Self {
        Self { picker: self.picker.accepting_typed(), typed: Some(answer), ..self }
    }

    /// Sets what the footer says of Enter.
    #[must_use]
    pub fn labelled(self, enter: &'static str) -> Self {
        Self { enter, ..self }
    }

    /// Sets what the footer says of Esc, and its answer.
    #[must_use]
    pub fn cancelled(self, label: &'static str, answer: E) -> Self {
        Self { escape: (label, Some(answer)), ..self }
    }

    /// Returns the list, to fill it again.
    pub fn picker_mut(&mut self) -> &mut Picker<T> {
        &mut self.picker
    }
}

impl<T: Clone + Debug, E> Component<Step<E>> for ChoiceDialog<T, E> {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<Step<E>> {
        match self.picker.key(&key) {
            Picked::Open => Handled::Consumed,
            Picked::Closed => self.escape.1.take().map_or_else(Handled::close, Handled::answer),
            Picked::Chosen(value) => Handled::answer((self.answer)(value)),
            Picked::Typed(text) => self.typed.map_or(Handled::Consumed, |answer| Handled::answer(answer(text))),
        }
    }

    fn paste(&mut self, text: &str, _cx: &mut Cx) -> Handled<Step<E>> {
        self.picker.paste(text);
        Handled::Consumed
    }

    fn hints(&self) -> Vec<Hint> {
        Hint::of_picker(self.enter).into()
    }

    fn escape(&self) -> Option<&'static str> {
        Some(self.escape.0)
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![(THIS_DIALOG, Hint::help_of_picker(self.enter))]
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

#[cfg(test)]
mod tests {
    use crossterm::event::KeyCode;

    use super::*;
    use crate::ui::picker::Item;

    #[test]
    fn an_item_a_typed_text_and_esc_answer() {
        let (session, mut tickets, mut effects) = (Session::default(), 0, Vec::new());
        let mut cx = Cx::new(&session, Instant::now(), 0, &mut tickets, &mut effects);
        let dialog = || {
            let picker = Picker::new("Model", vec![Item::new(1, "ada", ""), Item::new(2, "babbage", "")]);
            ChoiceDialog::new(picker, |item: u8| item.to_string())
        };
        let mut press = |dialog: &mut ChoiceDialog<u8, String>, keys: &[KeyCode]| {
            keys.iter().map(|code| dialog.key(KeyEvent::from(*code), &mut cx)).last()
        };
        assert_eq!(press(&mut dialog(), &[KeyCode::Down, KeyCode::Enter]), Some(Handled::answer("2".into())));
        let typed = [KeyCode::Char('x'), KeyCode::Enter];
        assert_eq!(press(&mut dialog(), &typed), Some(Handled::Consumed), "no item matches");
        assert_eq!(press(&mut dialog().or_typed(|text| text), &typed), Some(Handled::answer("x".into())));
        assert_eq!(press(&mut dialog(), &[KeyCode::Esc]), Some(Handled::close()));
        let mut cancelled = dialog().cancelled("back", "none".into());
        assert_eq!(cancelled.escape(), Some("back"));
        assert_eq!(press(&mut cancelled, &[KeyCode::Esc]), Some(Handled::answer("none".into())));
    }
}
