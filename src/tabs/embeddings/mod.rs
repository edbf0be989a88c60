//! Embed: texts as vectors, how similar they are, what is near what, and whether the vectors are what they should be.
//!
//! `state` is the machine (events in, effects out), `view` the picture; this file joins them to the shell.

use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::Session;
use super::tab::{Cx, Hint, Tab};
use crate::api::call::{Progress, Ticket};
use crate::ui::theme::Theme;

/// The Embed tab.
#[derive(Debug, Default)]
pub struct Embed {}

impl Embed {
    /// An empty tab; it asks for what is on disk when it first comes to the front.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Tab for Embed {
    fn title(&self) -> &'static str {
        "Embed"
    }

    fn short(&self) -> &'static str {
        "Embed"
    }

    fn key(&mut self, _key: KeyEvent, _cx: &mut Cx) {}

    fn progress(&mut self, _ticket: Ticket, _progress: Progress, _cx: &mut Cx) {}

    fn render(&mut self, _frame: &mut Frame, _area: Rect, _session: &Session, _theme: &Theme, _now: Instant) {}

    fn hints(&self) -> Vec<Hint> {
        Vec::new()
    }
}
