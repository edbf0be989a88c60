//! Decoration of a text by its owner: styles, marks in the gutter, where text is streaming in.

use std::ops::Range;

use ratatui::style::Style;

/// Decoration of the text of a [`Buffer`](super::Buffer). Asked, with every frame, for the visible bytes only.
pub trait Decoration {
    /// Styles of parts of the visible text, patched over the theme's in this order. Ranges are bytes of the whole text; they
    /// may overlap, and reach beyond what is visible. A character that is in a range with any of its bytes gets its style.
    fn styles(&mut self, _visible: Range<usize>) -> Vec<(Range<usize>, Style)> {
        Vec::new()
    }

    /// Whether a row holds text to be marked with `▎` in the gutter. `row` is the row's bytes, with the line end behind it
    /// where there is one; only the last row of the text can be empty.
    fn marked(&self, _row: Range<usize>) -> bool {
        false
    }

    /// Where text is streaming in, and what stands there meanwhile (`▍`): drawn behind the character before it where the
    /// line ends, and else as a light on the character that follows, which stays readable.
    fn tail(&self) -> Option<(usize, &'static str)> {
        None
    }
}

/// No decoration.
#[derive(Clone, Copy, Debug, Default)]
pub struct Undecorated;

impl Decoration for Undecorated {}
