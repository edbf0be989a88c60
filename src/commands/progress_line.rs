//! The line on standard error that shows how far a command is.

use std::io::{self, Write as _};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};

use super::output::columns_of;

/// The columns of `^C`, which a terminal writes for Ctrl+C behind the line.
const CTRL_C: usize = 2;

/// Returns the columns that the line may have. The line is filled to the end of its row, and only the row of the cursor is
/// removed: there has to be space for `^C`.
pub(super) fn width() -> usize {
    columns_of(crossterm::terminal::size()).max(2 * CTRL_C) - CTRL_C
}

/// Returns a line, without colours. It shows nothing on a terminal that cannot replace a line.
pub(super) fn new() -> ProgressBar {
    let can_replace = std::env::var("TERM").is_ok_and(|terminal| terminal != "dumb");
    let target =
        if can_replace { ProgressDrawTarget::term_like(Box::new(StandardError)) } else { ProgressDrawTarget::hidden() };
    let style = ProgressStyle::with_template("{msg}").expect("it is a template");
    ProgressBar::with_draw_target(None, target).with_style(style)
}

/// A terminal on standard error.
#[derive(Debug)]
struct StandardError;

impl StandardError {
    /// Moves the cursor by so many rows or columns, in the direction of a letter.
    fn move_cursor(&self, by: usize, direction: char) -> io::Result<()> {
        if by == 0 { Ok(()) } else { self.write_str(&format!("\x1b[{by}{direction}")) }
    }
}

impl TermLike for StandardError {
    fn width(&self) -> u16 {
        width() as u16
    }

    fn move_cursor_up(&self, by: usize) -> io::Result<()> {
        self.move_cursor(by, 'A')
    }

    fn move_cursor_down(&self, by: usize) -> io::Result<()> {
        self.move_cursor(by, 'B')
    }

    fn move_cursor_right(&self, by: usize) -> io::Result<()> {
        self.move_cursor(by, 'C')
    }

    fn move_cursor_left(&self, by: usize) -> io::Result<()> {
        self.move_cursor(by, 'D')
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.write_str(&format!("{text}\n"))
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        io::stderr().write_all(text.as_bytes())
    }

    fn clear_line(&self) -> io::Result<()> {
        self.write_str("\r\x1b[2K")
    }

    fn flush(&self) -> io::Result<()> {
        io::stderr().flush()
    }
}
