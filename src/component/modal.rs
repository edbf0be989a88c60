//! Dialogs: what lies over a tab and takes its keys until it is closed.

use std::fmt::Debug;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::{Cx, Hint, RenderContext};
use crate::api::call::Ticket;
use crate::record::Stored;
use crate::record::work::Done;

/// What a dialog wants after an event; `E` is its message to the owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<E> {
    /// Stays open.
    Stay,
    /// Closes; nothing is done.
    Close,
    /// Closes with this answer.
    Answer(E),
    /// Stays open, and the owner has to act on this.
    Emit(E),
}

impl<E> Step<E> {
    /// Returns the same step with what `message` makes of its message.
    pub fn map<F>(self, message: impl FnOnce(E) -> F) -> Step<F> {
        match self {
            Self::Stay => Step::Stay,
            Self::Close => Step::Close,
            Self::Answer(event) => Step::Answer(message(event)),
            Self::Emit(event) => Step::Emit(message(event)),
        }
    }
}

/// What became of an event that was offered to the dialogs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Handled<E> {
    /// It is for somebody else.
    Ignored,
    /// It is dealt with.
    Consumed,
    /// It is dealt with; the owner has to act on this.
    Emit(E),
}

/// A dialog. `E` is the message to its owner.
pub trait Modal<E>: Debug {
    /// Handles a key.
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Step<E>;
    /// Takes pasted text.
    fn paste(&mut self, _text: &str, _cx: &mut Cx) -> Step<E> {
        Step::Stay
    }
    /// Takes the store's answer; `None`: the dialog did not ask for it.
    fn stored(&mut self, _ticket: Ticket, _stored: &Stored, _cx: &mut Cx) -> Option<Step<E>> {
        None
    }
    /// Takes the answer of a work thread; `None`: the dialog did not ask for it.
    fn worked(&mut self, _ticket: Ticket, _done: &Done, _cx: &mut Cx) -> Option<Step<E>> {
        None
    }
    /// Returns its text for an external editor; `None`: it has none.
    fn editable(&self) -> Option<String> {
        None
    }
    /// Takes the text from the external editor.
    fn edited(&mut self, _text: &str) -> Step<E> {
        Step::Stay
    }
    /// Ends what it asked for, when it is closed from outside.
    fn close(&mut self, _cx: &mut Cx) {}
    /// Returns the keys for the footer, Esc apart.
    fn hints(&self) -> Vec<Hint>;
    /// Returns what Esc does.
    fn escape(&self) -> &'static str {
        "close"
    }
    /// Fits scroll positions to the area it is drawn over. Called before each key and each frame.
    fn arrange(&mut self, _area: Rect) {}
    /// Whether letters are text just now.
    fn typing(&self) -> bool {
        true
    }
    /// When it has to be drawn anew although nothing happens.
    fn due(&self, _now: Instant) -> Option<Instant> {
        None
    }
    /// Draws it over `area`.
    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext);
}

/// The open dialogs of a tab, the top one last.
#[derive(Debug)]
pub struct Modals<E>(Vec<Box<dyn Modal<E>>>);

impl<E> Default for Modals<E> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<E> Modals<E> {
    /// Opens a dialog over those that are open.
    pub fn open(&mut self, modal: impl Modal<E> + 'static) {
        self.0.push(Box::new(modal));
    }

    /// Whether one is open.
    pub fn is_open(&self) -> bool {
        !self.0.is_empty()
    }

    /// Closes all.
    pub fn close(&mut self, cx: &mut Cx) {
        for mut modal in self.0.drain(..) {
            modal.close(cx);
        }
    }

    /// Passes a key to the top dialog.
    pub fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<E> {
        let Some(top) = self.0.last_mut() else { return Handled::Ignored };
        let step = top.key(key, cx);
        let at = self.0.len() - 1;
        self.take(at, step)
    }

    /// Passes pasted text to the top dialog.
    pub fn paste(&mut self, text: &str, cx: &mut Cx) -> Handled<E> {
        let Some(top) = self.0.last_mut() else { return Handled::Ignored };
        let step = top.paste(text, cx);
        let at = self.0.len() - 1;
        self.take(at, step)
    }

    /// Returns the text of the top dialog for an external editor; `None`: none is open, or it has none.
    pub fn editable(&self) -> Option<String> {
        self.0.last()?.editable()
    }

    /// Passes the text from the external editor to the top dialog.
    pub fn edited(&mut self, text: &str) -> Handled<E> {
        let Some(top) = self.0.last_mut() else { return Handled::Ignored };
        let step = top.edited(text);
        let at = self.0.len() - 1;
        self.take(at, step)
    }

    /// Passes a work thread's answer to the dialog that asked for it.
    pub fn worked(&mut self, ticket: Ticket, done: &Done, cx: &mut Cx) -> Handled<E> {
        self.reply(|modal| modal.worked(ticket, done, cx))
    }

    /// Passes the store's answer to the dialog that asked for it.
    pub fn stored(&mut self, ticket: Ticket, stored: &Stored, cx: &mut Cx) -> Handled<E> {
        self.reply(|modal| modal.stored(ticket, stored, cx))
    }

    fn reply(&mut self, mut offer: impl FnMut(&mut dyn Modal<E>) -> Option<Step<E>>) -> Handled<E> {
        let found = self.0.iter_mut().enumerate().find_map(|(at, modal)| Some((at, offer(modal.as_mut())?)));
        found.map_or(Handled::Ignored, |(at, step)| self.take(at, step))
    }

    fn take(&mut self, at: usize, step: Step<E>) -> Handled<E> {
        if matches!(step, Step::Close | Step::Answer(_)) {
            self.0.remove(at);
        }
        match step {
            Step::Stay | Step::Close => Handled::Consumed,
            Step::Answer(event) | Step::Emit(event) => Handled::Emit(event),
        }
    }

    /// Returns the keys of the top dialog for the footer.
    pub fn hints(&self) -> Vec<Hint> {
        self.0.last().map(|top| top.hints()).unwrap_or_default()
    }

    /// Returns what Esc does to the top dialog; `None`: none is open.
    pub fn escape(&self) -> Option<&'static str> {
        self.0.last().map(|top| top.escape())
    }

    /// Fits all dialogs to the area they are drawn over.
    pub fn arrange(&mut self, area: Rect) {
        self.0.iter_mut().for_each(|modal| modal.arrange(area));
    }

    /// Whether letters are text for the top dialog.
    pub fn typing(&self) -> bool {
        self.0.last().is_some_and(|top| top.typing())
    }

    /// Returns when one has to be drawn anew although nothing happens.
    pub fn due(&self, now: Instant) -> Option<Instant> {
        self.0.iter().filter_map(|modal| modal.due(now)).min()
    }

    /// Draws all dialogs over `area`, the top one last.
    pub fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let context = RenderContext { theme: &context.theme.over(), ..context };
        self.0.iter().for_each(|modal| modal.render(frame, area, context));
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::KeyCode;

    use super::*;
    use crate::component::Session;

    /// Answers with the letter that is pressed; asks for work on `w`, and answers when that is done.
    #[derive(Debug, Default)]
    struct Letters {
        asked: Option<Ticket>,
    }

    impl Modal<char> for Letters {
        fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Step<char> {
            match key.code {
                KeyCode::Esc => Step::Close,
                KeyCode::Char('w') => {
                    self.asked = Some(cx.work(crate::record::work::Work::Paths(String::new())));
                    Step::Stay
                }
                KeyCode::Char(letter) => Step::Answer(letter),
                _ => Step::Stay,
            }
        }

        fn worked(&mut self, ticket: Ticket, _done: &Done, _cx: &mut Cx) -> Option<Step<char>> {
            self.asked.filter(|asked| *asked == ticket).map(|_| Step::Answer('!'))
        }

        fn hints(&self) -> Vec<Hint> {
            Vec::new()
        }

        fn render(&self, _frame: &mut Frame, _area: Rect, _context: RenderContext) {}
    }

    #[test]
    fn keys_go_to_the_top_dialog_and_answers_of_workers_to_the_one_that_asked() {
        let (session, mut tickets, mut effects) = (Session::default(), 0, Vec::new());
        let mut cx = Cx::new(&session, Instant::now(), 0, &mut tickets, &mut effects);
        let mut modals = Modals::default();
        let press = |modals: &mut Modals<char>, code, cx: &mut Cx| modals.key(KeyEvent::from(code), cx);
        assert_eq!(press(&mut modals, KeyCode::Char('a'), &mut cx), Handled::Ignored, "none is open");
        modals.open(Letters::default());
        assert_eq!(press(&mut modals, KeyCode::Char('w'), &mut cx), Handled::Consumed);
        modals.open(Letters::default());
        assert_eq!(press(&mut modals, KeyCode::Tab, &mut cx), Handled::Consumed);
        assert_eq!(modals.worked(Ticket(99), &Done::Paths(Vec::new()), &mut cx), Handled::Ignored);
        assert_eq!(modals.worked(Ticket(1), &Done::Paths(Vec::new()), &mut cx), Handled::Emit('!'), "the lower one");
        assert!(modals.is_open(), "the upper one is still open");
        assert_eq!(press(&mut modals, KeyCode::Char('b'), &mut cx), Handled::Emit('b'));
        assert_eq!(modals.escape(), None);
        modals.open(Letters::default());
        assert_eq!(press(&mut modals, KeyCode::Esc, &mut cx), Handled::Consumed);
        assert!(!modals.is_open());
    }
}
