//! What a frame shows.

use std::time::Instant;

use benchtop::app::App;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

/// Draws a frame and returns its rows, without blanks at their ends.
pub fn screen(app: &mut App, (width, height): (u16, u16), now: Instant) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| app.render(frame, now)).unwrap();
    let cells = terminal.backend().buffer().content();
    let row = |cells: &[ratatui::buffer::Cell]| cells.iter().map(ratatui::buffer::Cell::symbol).collect::<String>();
    cells.chunks(usize::from(width)).map(|cells| row(cells).trim_end().to_owned()).collect()
}
