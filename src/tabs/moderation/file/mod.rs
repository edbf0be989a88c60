//! The page of a file of texts: a table of all of them, and their run.
#![allow(clippy::unused_self, clippy::needless_pass_by_ref_mut)]

use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::Look;
use super::shared::Shared;
use crate::api::call::{Progress, Ticket};
use crate::record::Stored;
use crate::record::work::Done;
use crate::tabs::tab::RunMeter;
use crate::tabs::{Badge, Cx, Hint};
use crate::text::Untrusted;

/// What a key did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// Nothing the tab needs to know.
    None,
    /// The page is done with; what runs goes on.
    Close,
    /// This text, with its name, is to stand on the bench.
    Bench(Untrusted, Untrusted),
    /// The key means nothing here.
    Ignored,
}

/// The page. It is there from the start and hears all that is about its tickets, also while it is not shown.
#[derive(Debug, Default)]
pub(super) struct FilePage {}

impl FilePage {
    /// The tab has come to the front for the first time: asks for what it needs of the disk.
    pub(super) fn enter(&mut self, _shared: &Shared, _cx: &mut Cx) {}

    /// Comes into view: the list last open, else the choice of a file.
    pub(super) fn open(&mut self, _shared: &Shared, _cx: &mut Cx) {}

    /// A key while it is shown.
    pub(super) fn key(&mut self, _key: KeyEvent, _shared: &mut Shared, _cx: &mut Cx) -> Event {
        Event::Ignored
    }

    /// A paste while it is shown. Whether it was taken.
    pub(super) fn paste(&mut self, _text: &str, _cx: &mut Cx) -> bool {
        false
    }

    /// News of a call. Whether the call was the page's.
    pub(super) fn progress(
        &mut self,
        _ticket: Ticket,
        _progress: &Progress,
        _shared: &mut Shared,
        _cx: &mut Cx,
    ) -> bool {
        false
    }

    /// The store's answer. Whether the question was the page's.
    pub(super) fn stored(&mut self, _ticket: Ticket, _stored: &Stored, _shared: &mut Shared, _cx: &mut Cx) -> bool {
        false
    }

    /// The work threads' answer. Whether the order was the page's.
    pub(super) fn worked(&mut self, _ticket: Ticket, _done: &Done, _shared: &mut Shared, _cx: &mut Cx) -> bool {
        false
    }

    /// The models in use are others, or the thresholds.
    pub(super) fn changed(&mut self, _shared: &Shared, _cx: &mut Cx) {}

    /// Draws it.
    pub(super) fn render(&mut self, _frame: &mut Frame, _area: Rect, _shared: &Shared, _look: Look) {}

    /// Keys for the footer while it is shown.
    pub(super) fn hints(&self) -> Vec<Hint> {
        Vec::new()
    }

    /// All its keys by context; the first is where it is.
    pub(super) fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        Vec::new()
    }

    /// What the next Esc does while it is shown.
    pub(super) fn escape(&self) -> Option<&'static str> {
        None
    }

    /// Whether letters are text just now.
    pub(super) fn typing(&self) -> bool {
        false
    }

    /// When it next wants a tick.
    pub(super) fn due(&self) -> Option<Instant> {
        None
    }

    /// The moment has come, or another's.
    pub(super) fn tick(&mut self, _shared: &mut Shared, _cx: &mut Cx) {}

    /// What stands on the tab's name because of it, also while it is not shown.
    pub(super) fn badge(&self) -> Option<Badge> {
        None
    }

    /// What its last run was.
    pub(super) fn meter(&self) -> Option<RunMeter> {
        None
    }

    /// Ctrl+C: pauses what runs. Whether there was anything.
    pub(super) fn interrupt(&mut self, _cx: &mut Cx) -> bool {
        false
    }

    /// What must be said before quitting.
    pub(super) fn holds_quit(&self) -> Option<String> {
        None
    }

    /// The program ends: keeps what is not kept yet.
    pub(super) fn parting(&mut self, _cx: &mut Cx) {}
}
