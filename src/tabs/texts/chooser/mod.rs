//! Choosing a file of texts: its path, what is in it, and which of its columns are read.

use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::Rect;

use crate::api::call::Ticket;
use crate::record::Bench;
use crate::record::work::{Columns, Done};
use crate::tabs::{Cx, Hint};
use crate::text::Untrusted;
use crate::ui::theme::Theme;

/// What a key did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::tabs) enum Outcome {
    /// It is still open.
    Stay,
    /// It was closed without a choice.
    Close,
    /// This is to be read (`Work::ReadTexts`) and opened.
    Chosen {
        /// The path, absolute.
        path: String,
        /// What of it.
        columns: Columns,
        /// The file's name.
        name: Untrusted,
    },
}

/// The box.
#[derive(Clone, Debug)]
pub(in crate::tabs) struct Chooser {
    purpose: Bench,
}

impl Chooser {
    /// Asks for a path.
    pub(in crate::tabs) fn new(purpose: Bench) -> Self {
        Self { purpose }
    }

    /// A key.
    pub(in crate::tabs) fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Outcome {
        if key.code == KeyCode::Esc { Outcome::Close } else { Outcome::Stay }
    }

    /// The work threads' answer; whether it was to a question of this box.
    pub(in crate::tabs) fn worked(&mut self, _ticket: Ticket, _done: &Done) -> bool {
        false
    }

    /// Pasted text goes into the path.
    pub(in crate::tabs) fn paste(&mut self, _text: &str, _cx: &mut Cx) {}

    /// Draws it as a box over `area`. `motion`: whether the spinner moves.
    pub(in crate::tabs) fn render(
        &mut self,
        _frame: &mut Frame,
        _area: Rect,
        _theme: &Theme,
        _now: Instant,
        _motion: bool,
    ) {
    }

    /// When it wants to be drawn again although nothing happened (its spinner); `None`: never.
    pub(in crate::tabs) fn due(&self, _now: Instant) -> Option<Instant> {
        None
    }

    /// What the keys do.
    pub(in crate::tabs) fn hints(&self) -> Vec<Hint> {
        Vec::new()
    }

    /// Whether letters are text just now.
    pub(in crate::tabs) fn typing(&self) -> bool {
        true
    }
}
