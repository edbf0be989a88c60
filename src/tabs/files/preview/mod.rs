//! The preview: what is in a file, local or on a server.
//!
//! It holds a part of the file that slides with the eye and never grows beyond some MB; parts come as windows of a local
//! file or as parts of a stored one.
#![allow(dead_code, clippy::unused_self, clippy::needless_pass_by_ref_mut)]

use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::Rect;

use crate::api::call::{Progress, Ticket};
use crate::record::work::Done;
use crate::settings::ProfileId;
use crate::tabs::{Cx, Hint, Session};
use crate::text::Untrusted;
use crate::ui::rule::Rule;
use crate::ui::theme::Theme;

/// What a key did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It was the preview's.
    Taken,
    /// The key means nothing here.
    Ignored,
    /// The preview is done with: drop it.
    Closed,
}

/// A place to go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// The byte, counted from 0.
    Byte(u64),
    /// The line, counted from 1.
    Line(u64),
}

/// Where the file is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Origin {
    Local { path: String },
    Remote { profile: ProfileId, id: String },
}

/// A file that is looked at.
#[derive(Debug)]
pub(super) struct Preview {
    origin: Origin,
    name: Untrusted,
    bytes: Option<u64>,
}

impl Preview {
    /// Opens a local file by its absolute path, and asks for its beginning. `bytes`: its size, where known already.
    pub(super) fn local(path: impl Into<String>, name: Untrusted, bytes: Option<u64>, cx: &mut Cx) -> Self {
        let mut preview = Self { origin: Origin::Local { path: path.into() }, name, bytes };
        preview.first(cx);
        preview
    }

    /// Opens a file of a profile's server, and asks for its first 64 KB.
    pub(super) fn remote(
        profile: ProfileId,
        id: impl Into<String>,
        name: Untrusted,
        bytes: Option<u64>,
        cx: &mut Cx,
    ) -> Self {
        let mut preview = Self { origin: Origin::Remote { profile, id: id.into() }, name, bytes };
        preview.first(cx);
        preview
    }

    fn first(&mut self, _cx: &mut Cx) {}

    /// Shows a place of the file. It may be asked for before anything of the file is there.
    pub(super) fn go_to(&mut self, _target: Target, _cx: &mut Cx) {}

    /// A key, while the preview has the focus.
    pub(super) fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Outcome {
        if key.code == KeyCode::Esc { Outcome::Closed } else { Outcome::Ignored }
    }

    /// The work threads' answer; whether the ticket is the preview's.
    pub(super) fn worked(&mut self, _ticket: Ticket, _done: Done, _cx: &mut Cx) -> bool {
        false
    }

    /// Something about a call; whether the ticket is the preview's.
    pub(super) fn progress(&mut self, _ticket: Ticket, _progress: Progress, _cx: &mut Cx) -> bool {
        false
    }

    /// Pasted text; whether something is being typed here that takes it.
    pub(super) fn paste(&mut self, _text: &str, _cx: &mut Cx) -> bool {
        false
    }

    /// Stops all that is on its way: before it is dropped.
    pub(super) fn close(&mut self, _cx: &mut Cx) {}

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
        let rule = Rule { title: &self.name.line(), right: "", right_style: theme.muted, focus };
        rule.render(area, frame.buffer_mut(), theme);
    }
}
