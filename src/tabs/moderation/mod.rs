//! Moderate: texts side by side, a row for each category of harm, with thresholds of one's own; and whole files of texts.
//!
//! `state` is the machine (events in, effects out), `view` the picture; this file joins them to the shell.

mod evaluate;

use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::Session;
use super::tab::{Cx, Hint, Tab};
use crate::api::call::{Progress, Ticket};
use crate::ui::theme::Theme;

/// The Moderate tab.
#[derive(Debug, Default)]
pub struct Moderate {}

impl Moderate {
    /// An empty tab; it asks for what is on disk when it first comes to the front.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Tab for Moderate {
    fn title(&self) -> &'static str {
        "Moderate"
    }

    fn short(&self) -> &'static str {
        "Mod"
    }

    fn key(&mut self, _key: KeyEvent, _cx: &mut Cx) {}

    fn progress(&mut self, _ticket: Ticket, _progress: Progress, _cx: &mut Cx) {}

    fn render(&mut self, _frame: &mut Frame, _area: Rect, _session: &Session, _theme: &Theme, _now: Instant) {}

    fn hints(&self) -> Vec<Hint> {
        Vec::new()
    }
}
