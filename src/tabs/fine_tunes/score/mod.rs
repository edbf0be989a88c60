//! Scores a tuned model and its base with rows that neither was trained on: exact matches, classes, what changed.
#![allow(dead_code, clippy::unused_self, clippy::unnecessary_wraps)]

use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use crate::api::call::{Progress, Ticket};
use crate::record::Stored;
use crate::record::work::Done;
use crate::settings::ProfileId;
use crate::tabs::tab::RunMeter;
use crate::tabs::{Badge, Cx, Hint, Session};
use crate::text::Untrusted;
use crate::ui::theme::Theme;

/// What is scored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    /// Whose server has the models.
    pub(super) profile: ProfileId,
    /// The tuned model.
    pub(super) tuned: Untrusted,
    /// Its base.
    pub(super) base: Untrusted,
    /// Whether they were trained on messages.
    pub(super) chat: bool,
    /// The job's validation file: id, name.
    pub(super) validation: Option<(Untrusted, Untrusted)>,
    /// Where an answer ends, as the training file has it; empty: as the rows have it.
    pub(super) stop: Vec<String>,
}

/// What a key did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// Nothing the tab needs to know.
    None,
    /// The page is done with; what runs goes on.
    Close,
    /// The key means nothing here.
    Ignored,
}

/// The page. It is there from the start and hears all that is about its tickets, also while it is not shown.
#[derive(Debug, Default)]
pub(super) struct Score {
    facts: Option<Facts>,
}

impl Score {
    /// Comes into view with these models; the rows they were scored with last, else the choice of rows.
    pub(super) fn open(&mut self, facts: Facts, _cx: &mut Cx) {
        self.facts = Some(facts);
    }

    /// A key while it is shown.
    pub(super) fn key(&mut self, _key: KeyEvent, _cx: &mut Cx) -> Event {
        Event::Close
    }

    /// A paste while it is shown. Whether it was taken.
    pub(super) fn paste(&mut self, _text: &str, _cx: &mut Cx) -> bool {
        false
    }

    /// News of a call. Whether the call was the page's.
    pub(super) fn progress(&mut self, _ticket: Ticket, _progress: &Progress, _cx: &mut Cx) -> bool {
        false
    }

    /// The store's answer, of which it takes what it asked for. Whether the question was the page's.
    pub(super) fn stored(&mut self, _ticket: Ticket, _stored: &mut Stored, _cx: &mut Cx) -> bool {
        false
    }

    /// The work threads' answer. Whether the order was the page's.
    pub(super) fn worked(&mut self, _ticket: Ticket, _done: &Done, _cx: &mut Cx) -> bool {
        false
    }

    /// Draws it.
    pub(super) fn render(
        &mut self,
        _frame: &mut Frame,
        _area: Rect,
        _session: &Session,
        _theme: &Theme,
        _now: Instant,
    ) {
    }

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
        Some("close")
    }

    /// Whether letters are text just now.
    pub(super) fn typing(&self) -> bool {
        false
    }

    /// When it next wants a tick, also while it is not shown.
    pub(super) fn due(&self) -> Option<Instant> {
        None
    }

    /// The moment has come, or another's.
    pub(super) fn tick(&mut self, _cx: &mut Cx) {}

    /// What stands on the tab's name because of it, also while it is not shown.
    pub(super) fn badge(&self) -> Option<Badge> {
        None
    }

    /// What its last run was.
    pub(super) fn meter(&self) -> Option<RunMeter> {
        None
    }

    /// Ctrl+C: stops what runs. Whether there was anything.
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
