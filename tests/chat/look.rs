//! What a frame looks like: its styles.

use benchtop::ui::theme::{Depth, Kind, Theme};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::Modifier;

use crate::desk::Desk;

/// A frame in a theme.
pub fn buffer(desk: &mut Desk, kind: Kind, (width, height): (u16, u16)) -> Buffer {
    desk.app.session.palette = kind;
    desk.app.session.area = (width, height);
    desk.size = (width, height);
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let now = desk.now;
    terminal.draw(|frame| desk.app.draw_in(&Theme::of(kind, Depth::True), frame, now)).unwrap();
    terminal.backend().buffer().clone()
}

/// The texts with a modifier, each as long as it goes on in a row, column by column of panes.
pub fn with(buffer: &Buffer, modifier: Modifier) -> Vec<String> {
    let width = usize::from(buffer.area.width);
    let mut found = Vec::new();
    for row in buffer.content.chunks(width) {
        let mut text = String::new();
        for cell in row.iter().chain([&ratatui::buffer::Cell::EMPTY]) {
            if cell.modifier.contains(modifier) {
                text.push_str(cell.symbol());
            } else if !text.is_empty() {
                found.push(std::mem::take(&mut text).trim_end().to_owned());
            }
        }
    }
    found
}
