//! Renders a pane for tests: its rows as text, without colour.

use ratatui::backend::TestBackend;
use ratatui::{Frame, Terminal};

use crate::ui::theme::{Depth, Kind, Theme};

/// Returns the rows of a screen of this size after `draw`, without the blanks at their ends.
pub(super) fn picture(width: u16, height: u16, draw: impl FnOnce(&mut Frame, &Theme)) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let theme = Theme::of(Kind::Mono, Depth::None);
    terminal.draw(|frame| draw(frame, &theme)).unwrap();
    let screen = terminal.backend().to_string();
    // Behind a row the backend says which of its cells wide characters hide.
    let rows = screen.lines().map(|row| row.split("\" Hidden by").next().unwrap_or_default());
    rows.map(|row| row.trim_matches('"').trim_end()).collect::<Vec<_>>().join("\n")
}
