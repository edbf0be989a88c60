//! The interface of everything on the screen, and what its methods pass.

use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::{Cx, Hint, RenderContext, Session};
use crate::api::call::{Progress, Ticket};
use crate::record::Stored;
use crate::record::work::Done;

/// Anything that takes input and occupies screen space: a tab, a page, a pane, a dialog. `Event` is its message to its
/// parent, `()` if it has none.
pub trait Component<Event = ()> {
    /// Handles a key.
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<Event>;
    /// Takes pasted text: newlines normalised, control characters other than tab and newline removed.
    fn paste(&mut self, _text: &str, _cx: &mut Cx) -> Handled<Event> {
        Handled::Ignored
    }
    /// Takes a reply of the client, the store or a worker; ignores those to tickets of others.
    fn reply(&mut self, _ticket: Ticket, _response: &mut Response, _cx: &mut Cx) -> Handled<Event> {
        Handled::Ignored
    }
    /// Returns its text for an external editor; `None`: it has none.
    fn editable(&self) -> Option<String> {
        None
    }
    /// Takes the text from the external editor.
    fn edited(&mut self, _text: &str, _cx: &mut Cx) -> Handled<Event> {
        Handled::Ignored
    }
    /// Ends what it asked for, when it is closed from outside.
    fn close(&mut self, _cx: &mut Cx) {}
    /// Returns the keys for the footer, most important first, Esc apart.
    fn hints(&self) -> Vec<Hint>;
    /// Returns every key by context, for the help page.
    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        Vec::new()
    }
    /// Returns what the next Esc does, for the footer; `None`: nothing.
    fn escape(&self) -> Option<&'static str> {
        None
    }
    /// Whether letters are text and not shortcuts just now.
    fn typing(&self) -> bool {
        false
    }
    /// Fits the state to the area and to what has come, while it is shown: before each input and each frame. What a key
    /// does never depends on whether a frame was drawn.
    fn arrange(&mut self, _area: Rect, _session: &Session, _now: Instant) {}
    /// Returns when it next wants a [`Component::tick`] (spinner, countdown, debounce); `None`: never, which costs nothing.
    fn due(&self) -> Option<Instant> {
        None
    }
    /// Does what was due: the moment of [`Component::due`] has come.
    fn tick(&mut self, _cx: &mut Cx) {}
    /// Draws it. What a frame remembers for the next one is in a `RefCell`, and only to save work: it changes no picture and
    /// no key.
    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext);
}

/// What became of an event that was offered to a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Handled<E> {
    /// It is for somebody else.
    Ignored,
    /// It is dealt with.
    Consumed,
    /// It is dealt with; the parent has to act on this.
    Emit(E),
}

impl<E> Handled<E> {
    /// Returns the same with what `message` makes of its message.
    pub fn map<F>(self, message: impl FnOnce(E) -> F) -> Handled<F> {
        match self {
            Self::Ignored => Handled::Ignored,
            Self::Consumed => Handled::Consumed,
            Self::Emit(event) => Handled::Emit(message(event)),
        }
    }

    /// Whether it was for somebody else.
    pub fn is_ignored(&self) -> bool {
        matches!(self, Self::Ignored)
    }
}

/// A part of what came back for a ticket.
#[derive(Debug)]
pub enum Response {
    /// The client's, about a call.
    Call(Progress),
    /// The store's.
    Store(Stored),
    /// The work threads'.
    Work(Done),
    /// A component has taken it.
    Taken,
}

impl Response {
    /// Takes it, so that nobody else does.
    pub fn take(&mut self) -> Self {
        std::mem::replace(self, Self::Taken)
    }
}
