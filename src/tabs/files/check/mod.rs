//! The page of a training file: what is wrong with it, what would mend it, what it costs to train on.
#![allow(dead_code, clippy::unused_self, clippy::needless_pass_by_ref_mut)]

use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::Rect;

use crate::api::call::Ticket;
use crate::record::training::Check;
use crate::record::work::{Done, Work};
use crate::tabs::{Cx, Hint, Session};
use crate::text::Untrusted;
use crate::ui::rule::Rule;
use crate::ui::theme::Theme;

/// What a key did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It was the page's.
    Taken,
    /// The key means nothing here.
    Ignored,
    /// The page is done with: drop it.
    Closed,
    /// This place of this file is to be shown: its path, and the byte.
    Show(String, u64),
    /// These files are to be uploaded, by their paths: what was written, or the file itself as it stands.
    Upload(Vec<String>),
}

/// A training file that is checked.
#[derive(Debug)]
pub(super) struct Page {
    path: String,
    ticket: Option<Ticket>,
}

impl Page {
    /// Begins to check a local file, by its absolute path, for the model it is to train; `local`: one of the local
    /// service's.
    pub(super) fn open(path: impl Into<String>, model: Untrusted, local: bool, cx: &mut Cx) -> Self {
        let path = path.into();
        let ticket = cx.work(Work::Check(Box::new(Check { path: path.clone(), model, local })));
        Self { path, ticket: Some(ticket) }
    }

    /// The file's path.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// A key, while the page has the focus.
    pub(super) fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Outcome {
        if key.code == KeyCode::Esc {
            self.close(cx);
            return Outcome::Closed;
        }
        Outcome::Ignored
    }

    /// The work threads' answer; whether the ticket is the page's.
    pub(super) fn worked(&mut self, ticket: Ticket, done: Done, _cx: &mut Cx) -> bool {
        if self.ticket != Some(ticket) {
            return false;
        }
        if !matches!(done, Done::Moved { .. }) {
            self.ticket = None;
        }
        true
    }

    /// Stops what is on its way: before the page is dropped.
    pub(super) fn close(&mut self, cx: &mut Cx) {
        if let Some(ticket) = self.ticket.take() {
            cx.cancel(ticket);
        }
    }

    /// Keys for the footer, most important first.
    pub(super) fn hints(&self) -> Vec<Hint> {
        Vec::new()
    }

    /// Every key by context, for the help page.
    pub(super) fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        Vec::new()
    }

    /// Whether letters are text just now.
    pub(super) fn typing(&self) -> bool {
        false
    }

    /// Pasted text; whether something is being typed here that takes it.
    pub(super) fn paste(&mut self, _text: &str, _cx: &mut Cx) -> bool {
        false
    }

    /// What the next Esc does here.
    pub(super) fn escape(&self) -> &'static str {
        "close"
    }

    /// When it next wants a tick; `None`: nothing moves.
    pub(super) fn due(&self) -> Option<Instant> {
        None
    }

    /// The moment asked for has come.
    pub(super) fn tick(&mut self, _cx: &mut Cx) {}

    /// Draws it into `area`, its title rule in the first row.
    pub(super) fn render(
        &mut self,
        frame: &mut Frame,
        area: Rect,
        focus: bool,
        _session: &Session,
        theme: &Theme,
        _now: Instant,
    ) {
        let title = Untrusted::from(self.path.as_str());
        let rule = Rule { title: &title.line(), right: "", right_style: theme.muted, focus };
        rule.render(area, frame.buffer_mut(), theme);
    }
}
