//! Formats sums, and places rows and sentences in panes.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::ui::pane::Spacing;
use crate::ui::{meter, wrap};

/// Bytes that a server stores for one organisation.
pub(super) const ROOM: u64 = 1_000_000_000;

/// Returns a number of files, such as `1 file` or `3 files`.
pub(super) fn files(count: usize) -> String {
    if count == 1 { "1 file".to_owned() } else { format!("{} files", meter::count(count as u64)) }
}

/// Returns what is stored of what may be, such as `240 MB of 1 GB`.
pub(super) fn of_room(bytes: u64) -> String {
    format!("{} of {}", meter::bytes(bytes), meter::bytes(ROOM))
}

/// Returns a bar and figures such as `━━╾─── 240 MB of 1 GB`, with as many cells as are given; none: the figures alone.
pub(super) fn gauge(bytes: u64, cells: usize) -> String {
    let figures = of_room(bytes);
    if cells < 4 {
        return figures;
    }
    let share = bytes as f64 / ROOM as f64;
    format!("{} {figures}", meter::thin(share.min(1.0), cells))
}

/// Returns the rows of a list in a pane, as wide as the pane: marks stand at its left edge.
pub(super) fn list_rows(area: Rect, spacing: Spacing) -> Rect {
    let content = spacing.pane(area).content;
    Rect { x: area.x, width: area.width, ..content }
}

/// Returns the blank columns at the right of a list's rows.
pub(super) fn right_padding(spacing: Spacing) -> u16 {
    if spacing.has_surfaces() { spacing.side() } else { 0 }
}

/// Draws a sentence wrapped into an area.
pub(super) fn wrapped(frame: &mut Frame, area: Rect, words: &str, style: Style) {
    let area = area.intersection(frame.area());
    let width = usize::from(area.width).max(1);
    for (line, y) in wrap::lines(words, width).into_iter().zip(area.y..area.bottom()) {
        frame.buffer_mut().set_stringn(area.x, y, line, width, style);
    }
}

/// Returns how many and how much, for sentences: `3 files · 1.2 MB`.
pub(super) fn sum(count: usize, sum: u64) -> String {
    format!("{} · {}", files(count), meter::bytes(sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gauge_is_never_more_than_full() {
        assert_eq!(gauge(240_000_000, 0), "240 MB of 1 GB");
        assert!(gauge(u64::MAX, 10).starts_with("━━━━━━━━━━ "));
    }
}
