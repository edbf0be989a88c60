//! The lists a bench has kept, to open or delete.

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use crate::api::call::Ticket;
use crate::record::{Bench, Id, Query, Stored, TextList};
use crate::tabs::{Cx, Hint};
use crate::ui::theme::Theme;

/// What a key did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tabs) enum Listed {
    /// Still open.
    Stay,
    /// It is done with.
    Close,
    /// Open this list.
    Open(Id),
    /// This list was deleted, on disk too.
    Gone(Id),
}

/// The lists of a bench, the one changed last first.
#[derive(Clone, Debug)]
pub(in crate::tabs) struct ListPicker {
    lists: Vec<TextList>,
    loading: Option<Ticket>,
}

impl ListPicker {
    /// Asks the store for the lists of a bench.
    pub(in crate::tabs) fn new(bench: Bench, cx: &mut Cx) -> Self {
        Self { lists: Vec::new(), loading: Some(cx.load(Query::TextLists(bench))) }
    }

    /// The store's answer. `None`: it was to another's question.
    pub(in crate::tabs) fn stored(&mut self, _ticket: Ticket, _stored: &Stored) -> Option<Listed> {
        None
    }

    /// A key.
    pub(in crate::tabs) fn key(&mut self, _key: KeyEvent, _cx: &mut Cx) -> Listed {
        Listed::Stay
    }

    /// Draws it as a box over `area`. `progress` says of a list how far its run is, in a few words.
    pub(in crate::tabs) fn render(
        &mut self,
        _frame: &mut Frame,
        _area: Rect,
        _theme: &Theme,
        _progress: impl Fn(&TextList) -> Option<String>,
    ) {
    }

    /// What the keys do.
    pub(in crate::tabs) fn hints(&self) -> Vec<Hint> {
        Vec::new()
    }
}
