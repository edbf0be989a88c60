//! Decoration of a text by its owner: styles, marks in the gutter, where text is streaming in.

use std::ops::Range;

use ratatui::style::Style;

/// Decoration of the text of a [`Buffer`](super::Buffer). Queried, with every frame, for the visible bytes only.
pub trait Decoration {
    /// Returns styles of parts of the visible text, patched over the theme's in this order. Ranges are bytes of the
    /// whole text; they may overlap, and extend beyond what is visible. A character with any byte in a range gets its
    /// style.
    fn styles(&mut self, _visible: Range<usize>) -> Vec<(Range<usize>, Style)> {
        Vec::new()
    }

    /// Returns whether a row is to be marked with `▎` in the gutter. `row` is the row's bytes, with the line end if it
    /// has one; only the last row of the text can be empty.
    fn marked(&self, _row: Range<usize>) -> bool {
        false
    }

    /// Returns where text is streaming in, and the mark drawn there (`▍`): after the character before it at the end of
    /// a line, else as a highlight on the character that follows, which stays readable.
    fn tail(&self) -> Option<(usize, &'static str)> {
        None
    }
}

/// No decoration.
#[derive(Clone, Copy, Debug, Default)]
pub struct Undecorated;

impl Decoration for Undecorated {}
