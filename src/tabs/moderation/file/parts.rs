//! Areas and texts that several views of the page cut.

use ratatui::layout::Rect;

use crate::text::Untrusted;

/// Returns the rest of an area below so many rows.
pub(super) fn below(area: Rect, rows: u16) -> Rect {
    let rows = rows.min(area.height);
    Rect { y: area.y + rows, height: area.height - rows, ..area }
}

/// Returns the beginning of a text.
pub(super) fn beginning(text: &Untrusted, most: usize) -> Untrusted {
    if text.len() <= most {
        return text.clone();
    }
    let raw = text.raw();
    raw[..raw.floor_char_boundary(most)].into()
}
