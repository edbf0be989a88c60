//! The contents of a frame.

use ratatui::backend::TestBackend;
use ratatui::{Frame, Terminal};

/// Draws a frame and returns its rows, without blanks at their ends.
pub fn screen((width, height): (u16, u16), draw: impl FnOnce(&mut Frame)) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(draw).unwrap();
    let cells = terminal.backend().buffer().content();
    let row = |cells: &[ratatui::buffer::Cell]| cells.iter().map(ratatui::buffer::Cell::symbol).collect::<String>();
    cells.chunks(usize::from(width)).map(|cells| row(cells).trim_end().to_owned()).collect()
}
