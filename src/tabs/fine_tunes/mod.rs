//! The Tune tab: fine-tunes as they run, their curves, and what became of them.

mod curves;
mod score;

use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::Session;
use super::tab::{Cx, Hint, Tab};
use crate::api::call::{Progress, Ticket};
use crate::ui::rule::Rule;
use crate::ui::theme::Theme;

/// What fine-tuning needs.
const NEEDS: [&str; 3] = [
    "A fine-tune makes a model of your own from examples. It needs a file of them on this server:",
    "JSON Lines with prompt and completion (or messages), a few hundred at least, alike in form;",
    "the Files tab checks, mends and uploads one.",
];

/// The Tune tab.
#[derive(Debug, Default)]
pub struct Tune {}

impl Tune {
    /// An empty tab; it asks for the server's jobs when it first comes to the front.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Tab for Tune {
    fn title(&self) -> &'static str {
        "Tune"
    }

    fn key(&mut self, _key: KeyEvent, _cx: &mut Cx) {}

    fn progress(&mut self, _ticket: Ticket, _progress: Progress, _cx: &mut Cx) {}

    fn render(&mut self, frame: &mut Frame, area: Rect, _session: &Session, theme: &Theme, _now: Instant) {
        if area.is_empty() {
            return;
        }
        let rule = Rule { title: "Jobs", right: "", right_style: theme.muted, focus: true };
        rule.render(area, frame.buffer_mut(), theme);
        let width = usize::from(area.width.saturating_sub(2));
        for (line, y) in NEEDS.iter().zip((area.y + 2).min(area.bottom())..area.bottom()) {
            frame.buffer_mut().set_stringn(area.x + 1.min(area.width - 1), y, line, width, theme.text);
        }
        frame.set_cursor_position(Position::new(area.x, (area.y + 1).min(area.bottom() - 1)));
    }

    fn hints(&self) -> Vec<Hint> {
        vec![Hint::new("1", "chat"), Hint::new("[ ]", "other tabs")]
    }
}
