//! The long text box: what it draws, what keys and the mouse do, and all of it against a plain `String`.
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod drawing;
mod editing;
mod model;

use benchtop::ui::buffer::{Buffer, Change, Decoration, Edit, Undecorated};
use benchtop::ui::theme::{Depth, Kind, Theme};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer as Cells;
use ratatui::layout::{Position, Rect};

/// Draws a box in an area of a screen; returns the cells and the cursor's position.
pub fn draw(buffer: &mut Buffer, area: Rect, decoration: &mut dyn Decoration) -> (Cells, Option<Position>) {
    let mut terminal = Terminal::new(TestBackend::new(area.right() + 2, area.bottom() + 1)).unwrap();
    let theme = Theme::of(Kind::Dark, Depth::True);
    buffer.arrange(area, decoration.tail().map(|(at, _)| at));
    terminal.draw(|frame| buffer.render(frame, area, &theme, true, decoration)).unwrap();
    let cursor = terminal.backend().cursor_visible().then(|| terminal.backend().cursor_position());
    (terminal.backend().buffer().clone(), cursor)
}

/// Returns the rows of a screen with the gutter, without trailing blanks.
pub fn rows(cells: &Cells, area: Rect) -> Vec<String> {
    let row = |y| (area.left()..area.right()).map(|x| cells[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
    (area.top()..area.bottom()).map(row).collect()
}

pub fn shown(buffer: &mut Buffer, width: u16, height: u16) -> Vec<String> {
    let area = Rect::new(0, 0, width, height);
    rows(&draw(buffer, area, &mut Undecorated).0, area)
}

pub fn with(text: &str) -> Buffer {
    let mut buffer = Buffer::new();
    buffer.set_text(text);
    buffer
}

pub fn key(buffer: &mut Buffer, code: KeyCode) -> Edit {
    buffer.key(KeyEvent::from(code))
}

pub fn control(buffer: &mut Buffer, char: char) -> Edit {
    buffer.key(KeyEvent::new(KeyCode::Char(char), KeyModifiers::CONTROL))
}

pub fn undo(buffer: &mut Buffer, change: &Change) {
    buffer.splice(change.at..change.at + change.inserted.len(), &change.removed);
}
