//! The component trait and the types its methods pass.

use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::{Cx, Hint, RenderContext, Session};
use crate::api::call::{Progress, Ticket};
use crate::record::Stored;
use crate::record::work::Done;
use crate::text::Untrusted;

/// Anything that takes input and occupies screen space: a tab, a page, a pane, a dialog. `Event` is its message to its
/// parent, `()` if it has none.
pub trait Component<Event = ()> {
    /// Handles a key.
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<Event>;
    /// Inserts pasted text: newlines are normalised, control characters other than tab and newline are removed.
    fn paste(&mut self, _text: &str, _cx: &mut Cx) -> Handled<Event> {
        Handled::Ignored
    }
    /// Handles a reply of the client, the store or a worker. A reply to a ticket of another component is ignored.
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
    /// Returns the text that is read here, for the pager; `None`: there is none.
    fn readable(&self, _session: &Session) -> Option<Untrusted> {
        None
    }
    /// Cancels requests under way. Called when the parent closes the component; one that closes itself cancels them
    /// itself.
    fn close(&mut self, _cx: &mut Cx) {}
    /// Returns the keys for the footer, most important first, without Esc.
    fn hints(&self) -> Vec<Hint>;
    /// Returns every key by context, for the help page.
    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        Vec::new()
    }
    /// Returns what the next Esc does, for the footer; `None`: nothing.
    fn escape(&self) -> Option<&'static str> {
        None
    }
    /// Returns whether letters are text now, and not shortcuts.
    fn typing(&self) -> bool {
        false
    }
    /// Returns whether keys go to a text box of several lines.
    fn in_text_box(&self) -> bool {
        false
    }
    /// Returns whether the next key is one after Ctrl+X in a text box. Esc then only ends that, and the footer shows the
    /// keys that may follow.
    fn is_prefix_pending(&self) -> bool {
        false
    }
    /// Fits the state to the area and to what has come, while it is shown: before each input and each frame. What a key
    /// does never depends on whether a frame was drawn.
    fn arrange(&mut self, _area: Rect, _session: &Session, _now: Instant) {}
    /// Returns whether, as a dialog, it dims what is behind it.
    fn dims(&self) -> bool {
        true
    }
    /// Returns when it next wants a [`Component::tick`] (spinner, countdown, debounce); `None`: never, which costs
    /// nothing.
    fn due(&self) -> Option<Instant> {
        None
    }
    /// Does what was due at the time that [`Component::due`] returned.
    fn tick(&mut self, _cx: &mut Cx) {}
    /// Draws the component. What a frame keeps for the next one is a cache in a `RefCell` or `Cell`: it changes neither
    /// what is drawn nor what a key does.
    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext);
}

/// The result of offering an event to a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Handled<E> {
    /// Not handled; another component may take it.
    Ignored,
    /// Handled.
    Consumed,
    /// Handled; the parent has to act on this message.
    Emit(E),
}

impl<E> Handled<E> {
    /// Converts its message with `convert`.
    pub fn map<F>(self, convert: impl FnOnce(E) -> F) -> Handled<F> {
        match self {
            Self::Ignored => Handled::Ignored,
            Self::Consumed => Handled::Consumed,
            Self::Emit(message) => Handled::Emit(convert(message)),
        }
    }

    /// Returns the result of `act` for its message; without a message, itself.
    pub fn and_then<F>(self, act: impl FnOnce(E) -> Handled<F>) -> Handled<F> {
        match self {
            Self::Ignored => Handled::Ignored,
            Self::Consumed => Handled::Consumed,
            Self::Emit(message) => act(message),
        }
    }

    /// Calls `act` with its message, if there is one; returns whether the event was handled.
    pub fn act(self, act: impl FnOnce(E)) -> bool {
        let handled = !self.is_ignored();
        if let Self::Emit(message) = self {
            act(message);
        }
        handled
    }

    /// Returns whether the event was not handled.
    pub fn is_ignored(&self) -> bool {
        matches!(self, Self::Ignored)
    }
}

/// A part of what was returned for a ticket.
#[derive(Debug)]
pub enum Response {
    /// From the client, about a call.
    Call(Progress),
    /// From the store.
    Store(Stored),
    /// From a work thread.
    Work(Done),
    /// A component has already taken it.
    Taken,
}

impl Response {
    /// Takes it, so that no other component does.
    pub fn take(&mut self) -> Self {
        std::mem::replace(self, Self::Taken)
    }

    /// Takes it if it is from a work thread; otherwise returns `None` and leaves it.
    pub fn take_work(&mut self) -> Option<Done> {
        if !matches!(self, Self::Work(_)) {
            return None;
        }
        let Self::Work(done) = self.take() else { return None };
        Some(done)
    }
}
