//! The contents of a frame.

use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, Cell};
use ratatui::{Frame, Terminal};

/// Draws a frame and returns its rows, without blanks at their ends.
pub fn screen((width, height): (u16, u16), draw: impl FnOnce(&mut Frame)) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(draw).unwrap();
    rows(terminal.backend().buffer()).iter().map(|row| row.trim_end().to_owned()).collect()
}

/// Returns the rows of a drawn buffer, with the blanks at their ends.
pub fn rows(buffer: &Buffer) -> Vec<String> {
    let row = |cells: &[Cell]| cells.iter().map(Cell::symbol).collect();
    buffer.content.chunks(usize::from(buffer.area.width)).map(row).collect()
}
