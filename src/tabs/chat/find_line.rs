//! The line in which words to find in the conversation are typed.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::widgets::Clear;

use super::state::State;
use crate::ui::rule::Rule;
use crate::ui::theme::Theme;

/// Draws it in the place of the message box, where it covers nothing of what is searched. `found`: which match one is at.
pub(super) fn render(frame: &mut Frame, message: Rect, found: &str, state: &State, theme: &Theme) {
    frame.render_widget(Clear, message);
    let keys = if message.width < 60 { "" } else { "⏎ done, then n N · esc end" };
    let dot = if found.is_empty() || keys.is_empty() { "" } else { " · " };
    let right = format!("{found}{dot}{keys}");
    Rule { title: "Find in this conversation", right: &right, right_style: theme.muted, focus: true }.render(
        message,
        frame.buffer_mut(),
        theme,
    );
    let width = message.width.saturating_sub(2);
    let row = Rect { x: message.x + 1, y: message.y + 1, width, height: 1 };
    state.find.render_line(frame, row, theme.text);
}
