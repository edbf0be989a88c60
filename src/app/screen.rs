//! The terminal backend: ratatui's, with frames that begin and end, and safe handling of characters of uncertain width.

use std::io::{self, Write};

use ratatui::backend::{Backend, ClearType, CrosstermBackend, TestBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};
use unicode_width::UnicodeWidthStr;

use super::terminal::{BEGIN, END, Frames};
use crate::ui::char_width::is_odd_cell;

/// A backend with frames that begin and end.
pub trait Framed {
    /// Begins a frame: nothing is sent until it ends.
    fn begin(&mut self) {}
    /// Ends the frame and sends it. Fails if the terminal cannot be written.
    fn end(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Framed for TestBackend {}

/// The terminal's backend.
#[derive(Debug)]
pub struct Screen<W: Write>(CrosstermBackend<W>);

impl<W: Write> Screen<W> {
    /// Creates a backend that writes to `out`.
    pub fn new(out: W) -> Self {
        Self(CrosstermBackend::new(out))
    }
}

impl Framed for Screen<Frames> {
    fn begin(&mut self) {
        let _ = self.0.write(BEGIN);
    }

    fn end(&mut self) -> io::Result<()> {
        self.0.write_all(END)?;
        Write::flush(&mut self.0)
    }
}

impl<W: Write> Backend for Screen<W> {
    type Error = io::Error;

    /// Draws cells. Before a wide character that the terminal may take for a narrow one its place is cleared: its
    /// second cell would keep what was there. Clearing it afterwards would cut the character if it is wide.
    fn draw<'a, I: Iterator<Item = (u16, u16, &'a Cell)>>(&mut self, content: I) -> io::Result<()> {
        let mut cells: Vec<(u16, u16, &Cell)> = content.collect();
        let mut ground = Vec::new();
        // The end of the last of them: ratatui draws the blank of its second cell there.
        let mut end = (0, 0);
        cells.retain(|&(x, y, cell)| {
            if y == end.1 && x < end.0 {
                return false;
            }
            let width = cell.symbol().width() as u16;
            if width > 1 && is_odd_cell(cell) {
                end = (x + width, y);
                let mut blank = cell.clone();
                blank.set_char(' ');
                ground.extend((x..end.0).map(|x| (x, y, blank.clone())));
            }
            true
        });
        if !ground.is_empty() {
            self.0.draw(ground.iter().map(|(x, y, cell)| (*x, *y, cell)))?;
        }
        self.0.draw(cells.into_iter())
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.0.hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.0.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        self.0.get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.0.set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.0.clear()
    }

    fn clear_region(&mut self, clear_type: ClearType) -> io::Result<()> {
        self.0.clear_region(clear_type)
    }

    /// Asks standard output, which is the terminal: Crossterm opens the terminal's device for it, and every frame asks.
    fn size(&self) -> io::Result<Size> {
        #[cfg(unix)]
        if let Ok(size) = rustix::termios::tcgetwinsize(rustix::stdio::stdout())
            && size.ws_col > 0
            && size.ws_row > 0
        {
            return Ok(Size::new(size.ws_col, size.ws_row));
        }
        self.0.size()
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        self.0.window_size()
    }

    fn flush(&mut self) -> io::Result<()> {
        Backend::flush(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_takes_the_columns_of_its_text() {
        let mut buffer = ratatui::buffer::Buffer::with_lines(["日x"]);
        let target = crate::ui::markdown::LinkTarget::new("https://a.example").unwrap();
        crate::ui::hyperlink::link(&mut buffer, ratatui::layout::Rect::new(0, 0, 3, 1), &target);
        let empty = ratatui::buffer::Buffer::empty(buffer.area);
        let mut out = Vec::new();
        Screen::new(&mut out).draw(empty.diff(&buffer).into_iter()).unwrap();
        let text = String::from_utf8(out).unwrap();
        let shown: Vec<&str> = text.split("https://a.example\x1b\\").skip(1).collect();
        assert!(shown.len() == 2 && shown[0].starts_with('日') && shown[1].starts_with('x'), "{text:?}");
        assert!(shown[0].contains("\x1b[1;3H"), "what follows stands where it is meant to: {text:?}");
    }

    #[test]
    fn the_place_of_a_heart_is_cleared_before_it_is_drawn_and_not_after() {
        let mut out = Vec::new();
        let [heart, blank, after] = ["❤\u{fe0f}", " ", "x"].map(Cell::new);
        Screen::new(&mut out).draw([(4, 0, &heart), (5, 0, &blank), (6, 0, &after)].into_iter()).unwrap();
        let text = String::from_utf8(out).unwrap();
        let (clear, heart) = (text.find("\x1b[1;5H  ").unwrap(), text.find('❤').unwrap());
        assert!(clear < heart, "{text:?}");
        assert!(!text[heart..].contains(' '), "{text:?}");
        assert!(text.contains("\x1b[1;7Hx"), "what follows stands where it is meant to: {text:?}");
    }
}
