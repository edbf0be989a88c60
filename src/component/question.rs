//! A question with a letter for each answer, as a dialog.

use std::fmt::Debug;
use std::sync::LazyLock;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::{Bindings, Component, Cx, Handled, Hint, RenderContext, Step, THIS_DIALOG, bind, bind_all, border};
use crate::text::Untrusted;
use crate::ui::editing::typed;
use crate::ui::key_table::{KeyContext, KeyPlace, ListedKeys};
use crate::ui::overlay;
use crate::ui::wrap;

/// What Esc does.
const BACK: &str = "back";

/// What a key does to a question, beside the letters of its answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum QuestionKey {
    Previous,
    Next,
    Choose,
    Back,
}

static KEYS: LazyLock<Bindings<QuestionKey, ()>> = LazyLock::new(|| {
    use QuestionKey as K;
    Bindings::new(
        KeyContext::new("question").ignoring_shift().used_in(KeyPlace::Dialog),
        vec![
            bind("enter", K::Choose, "choose", "choose the answer under the cursor"),
            bind("alt-enter ctrl-enter", K::Choose, "", ""),
            bind_all([("up k shift-tab", K::Previous), ("down j tab", K::Next)], "", "answer above, below")
                .does(&["answer above", "answer below"]),
            bind_all([("ctrl-up alt-up", K::Previous), ("ctrl-down alt-down", K::Next)], "", ""),
            bind("esc", K::Back, BACK, BACK),
        ],
    )
});

/// An answer: its letter, what it does, and the message to the owner. Without a message it only closes the question.
type Answer<E> = (char, String, Option<E>);

/// Asks a question whose answers are chosen by their letters, or with the arrows and Enter.
#[derive(Clone, Debug)]
pub struct Question<E> {
    title: &'static str,
    lines: Vec<Untrusted>,
    answers: Vec<Answer<E>>,
    selected: usize,
    /// The message of Esc.
    cancelled: Option<E>,
}

impl<E> Question<E> {
    /// Creates a question with a title and sentences. It has no answers yet and needs at least one.
    pub fn new(title: &'static str, lines: Vec<Untrusted>) -> Self {
        Self { title, lines, answers: Vec::new(), selected: 0, cancelled: None }
    }

    /// Adds an answer.
    #[must_use]
    pub fn answer(mut self, letter: char, does: impl Into<String>, message: E) -> Self {
        self.answers.push((letter, does.into(), Some(message)));
        self
    }

    /// Adds an answer that only closes the question.
    #[must_use]
    pub fn dismiss(mut self, letter: char, does: impl Into<String>) -> Self {
        self.answers.push((letter, does.into(), None));
        self
    }

    /// Sets the message of Esc, which otherwise only closes the question.
    #[must_use]
    pub fn cancelled(self, message: E) -> Self {
        Self { cancelled: Some(message), ..self }
    }
}

impl<E: Clone + Debug> Component<Step<E>> for Question<E> {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<Step<E>> {
        let message = match KEYS.find(&key) {
            Some(QuestionKey::Next) => {
                self.selected = (self.selected + 1) % self.answers.len();
                return Handled::Consumed;
            }
            Some(QuestionKey::Previous) => {
                self.selected = (self.selected + self.answers.len() - 1) % self.answers.len();
                return Handled::Consumed;
            }
            Some(QuestionKey::Back) => &self.cancelled,
            Some(QuestionKey::Choose) => &self.answers[self.selected].2,
            // With Ctrl or Alt a letter has another meaning elsewhere: it must not answer here.
            None => match self.answers.iter().find(|(letter, ..)| typed(&key) == Some(*letter)) {
                Some((.., message)) => message,
                None => return Handled::Consumed,
            },
        };
        message.clone().map_or(Handled::close(), Handled::answer)
    }

    fn hints(&self) -> Vec<Hint> {
        KEYS.footer(&[QuestionKey::Choose], &())
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        let letters = self.answers.iter().map(|(letter, does, _)| Hint::new(*letter, does));
        vec![(THIS_DIALOG, letters.chain(KEYS.help()).collect())]
    }

    fn escape(&self) -> Option<&'static str> {
        Some(BACK)
    }

    fn typing(&self) -> bool {
        true
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        let room = usize::from(overlay::WIDEST.min(area.width)).saturating_sub(6);
        let safe: Vec<_> = self.lines.iter().map(Untrusted::line).collect();
        let lines: Vec<&str> = safe.iter().flat_map(|line| wrap::lines(line, room)).collect();
        let height = (lines.len() + self.answers.len()) as u16 + 5;
        let foot = border(&self.hints(), BACK, overlay::WIDEST.min(area.width));
        let inside = overlay::frame(frame, area, (overlay::WIDEST, height), self.title, &foot, theme);
        let (x, width) = (inside.x + 1, usize::from(inside.width.saturating_sub(2)));
        // Where there is little room the answers are what has to be seen.
        let rows = usize::from(inside.height).saturating_sub(self.answers.len());
        let blank_rows = usize::from(rows >= lines.len() + 2);
        let mut y = inside.y + blank_rows as u16;
        for line in lines.into_iter().take(rows.saturating_sub(2 * blank_rows)) {
            frame.buffer_mut().set_stringn(x, y, line, width, theme.text);
            y += 1;
        }
        y += blank_rows as u16;
        let shown = self.answers.iter().enumerate().take(usize::from(inside.bottom().saturating_sub(y)));
        for (at, (letter, does, _)) in shown {
            let selected = at == self.selected;
            let (mark, style) = if selected { ("▸", theme.accent) } else { (" ", theme.text) };
            frame.buffer_mut().set_stringn(x, y, format!("{mark} {letter}  {does}"), width, style);
            if selected {
                frame.set_cursor_position(Position::new(x, y));
            }
            y += 1;
        }
    }
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use crossterm::event::{KeyCode, KeyModifiers};

    use super::*;
    use crate::component::Session;

    #[test]
    fn no_key_means_two_things() {
        assert_eq!(KEYS.keymap().clashes(), []);
    }

    #[test]
    fn a_letter_with_ctrl_or_alt_answers_nothing() {
        let (session, mut tickets, mut effects) = (Session::default(), 0, Vec::new());
        let mut cx = Cx::new(&session, Instant::now(), 0, &mut tickets, &mut effects);
        let mut question = Question::new("Load?", vec!["large".into()]).answer('l', "load", 1);
        for modifiers in [KeyModifiers::CONTROL, KeyModifiers::ALT] {
            let handled = question.key(KeyEvent::new(KeyCode::Char('l'), modifiers), &mut cx);
            assert_eq!(handled, Handled::Consumed, "{modifiers:?}");
        }
    }

    #[test]
    fn letters_arrows_and_esc_answer() {
        let (session, mut tickets, mut effects) = (Session::default(), 0, Vec::new());
        let mut cx = Cx::new(&session, Instant::now(), 0, &mut tickets, &mut effects);
        let question = Question::new("Load?", vec!["large".into()]).answer('l', "load", 1).dismiss('n', "not now");
        let mut press = |question: &mut Question<u8>, code| question.key(KeyEvent::from(code), &mut cx);
        assert_eq!(press(&mut question.clone(), KeyCode::Char('x')), Handled::Consumed);
        assert_eq!(press(&mut question.clone(), KeyCode::Char('l')), Handled::answer(1));
        assert_eq!(press(&mut question.clone(), KeyCode::Char('n')), Handled::close());
        assert_eq!(press(&mut question.clone(), KeyCode::Esc), Handled::close());
        assert_eq!(press(&mut question.clone().cancelled(2), KeyCode::Esc), Handled::answer(2));
        let mut moved = question;
        assert_eq!(press(&mut moved, KeyCode::Down), Handled::Consumed);
        assert_eq!(press(&mut moved, KeyCode::Enter), Handled::close(), "the second answer");
    }
}
