//! Tabs that are not built yet: each says in one line what will be there.

use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::{Frame, widgets::Paragraph};

use super::{Cx, Hint, Session, Tab};
use crate::ui::theme::Theme;

/// A tab to come.
#[derive(Clone, Copy, Debug)]
pub struct Later {
    title: &'static str,
    short: &'static str,
    will: &'static str,
}

/// The one to come.
pub const LATER: [Later; 1] = [Later {
    title: "Files",
    short: "Files",
    will: "Not built yet. Here you will upload, check, read and delete files.",
}];

impl Tab for Later {
    fn title(&self) -> &'static str {
        self.title
    }

    fn short(&self) -> &'static str {
        self.short
    }

    fn key(&mut self, _key: KeyEvent, _cx: &mut Cx) {}

    fn progress(&mut self, _ticket: crate::api::call::Ticket, _progress: crate::api::call::Progress, _cx: &mut Cx) {}

    fn render(&mut self, frame: &mut Frame, area: Rect, _session: &Session, theme: &Theme, _now: Instant) {
        let rule = format!("━━ ▸ {} ", self.title);
        let rest = "━".repeat((area.width as usize).saturating_sub(rule.chars().count()));
        frame.render_widget(Line::styled(rule + &rest, theme.accent), Rect { height: area.height.min(1), ..area });
        let text = area.inner(ratatui::layout::Margin::new(1, 2));
        frame.render_widget(Paragraph::new(self.will).wrap(ratatui::widgets::Wrap { trim: true }), text);
        frame.set_cursor_position((text.x, text.y.min(area.bottom().saturating_sub(1))));
    }

    fn hints(&self) -> Vec<Hint> {
        vec![Hint::new("1", "chat"), Hint::new("[ ]", "other tabs")]
    }
}
