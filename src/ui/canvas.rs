//! An area to draw into, with the theme.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::theme::Theme;

/// A place in a buffer, and the styles to draw with.
pub struct Canvas<'a> {
    /// The area.
    pub area: Rect,
    /// The buffer to draw into.
    pub buf: &'a mut Buffer,
    /// Styles by role.
    pub theme: &'a Theme,
}
