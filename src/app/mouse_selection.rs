//! Text that is selected with the mouse: what the screen has between two places of a pane, which is copied.

use ratatui::buffer::{Buffer, CellWidth as _};
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr as _;

use crate::ui::hyperlink;
use crate::ui::pane::DrawnPane;

/// The mark of the row under the cursor.
const MARK: &str = "▌";

/// A selection under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct MouseSelection {
    /// Where the button was pressed.
    from: Position,
    /// Where the mouse is.
    to: Position,
    /// The part of the screen that it cannot leave.
    within: Rect,
}

impl MouseSelection {
    /// Creates one that begins at a place of a screen with these panes and dialogs, in the order in which they are drawn.
    /// `None`: nothing can be selected from there.
    pub(super) fn new(from: Position, screen: Rect, panes: &[DrawnPane]) -> Option<Self> {
        // Without the bar at the top and the one at the bottom.
        let body = Rect { y: screen.y + 1, height: screen.height.saturating_sub(2), ..screen };
        let within = body.contains(from).then(|| around(from, body, panes)).filter(|within| !within.is_empty())?;
        Some(Self { from, to: from, within })
    }

    /// Returns it with its end at another place.
    pub(super) fn extended(self, to: Position) -> Self {
        Self { to, ..self }
    }

    /// Returns its rows, from the upper to the lower.
    fn rows(&self) -> impl Iterator<Item = Rect> {
        let within = self.within;
        let inside = |at: Position| {
            let last = |start: u16, end: u16| end.saturating_sub(1).max(start);
            let column = at.x.clamp(within.x, last(within.x, within.right()));
            (at.y.clamp(within.y, last(within.y, within.bottom())), column)
        };
        let (first, last) = (inside(self.from).min(inside(self.to)), inside(self.from).max(inside(self.to)));
        (first.0..=last.0).map(move |y| {
            let left = if y == first.0 { first.1 } else { within.x };
            let right = if y == last.0 { last.1 + 1 } else { within.right() };
            Rect { x: left, y, width: right.saturating_sub(left), height: 1 }
        })
    }

    /// Draws it over what it selects.
    pub(super) fn draw(&self, buf: &mut Buffer) {
        for row in self.rows() {
            buf.set_style(whole_characters(buf, row), Style::new().reversed());
        }
    }

    /// Returns what it selects: the rows of the screen, without the blanks at their ends.
    pub(super) fn text(&self, buf: &Buffer) -> String {
        let text: Vec<String> =
            self.rows().map(|row| row_text(buf, whole_characters(buf, row), self.within.x)).collect();
        text.join("\n").trim_matches('\n').to_owned()
    }
}

/// Returns a row with the whole of a wide character of which it has the second half.
fn whole_characters(buf: &Buffer, row: Rect) -> Rect {
    let row = row.intersection(buf.area);
    let is_half = !row.is_empty() && row.x > buf.area.x && buf[(row.x - 1, row.y)].cell_width() > 1;
    if is_half { Rect { x: row.x - 1, width: row.width + 1, ..row } } else { row }
}

/// Returns the text of a row of cells; `edge`: the first column of the pane, where the mark of the cursor's row may be.
fn row_text(buf: &Buffer, row: Rect, edge: u16) -> String {
    let (mut text, mut x) = (String::new(), row.x);
    while !row.is_empty() && x < row.right() {
        let mut cell = buf[(x, row.y)].clone();
        hyperlink::unlink(&mut cell);
        // What is left of sequences belongs to a picture.
        let is_text = !cell.symbol().contains('\u{1b}') && (x > edge || cell.symbol() != MARK);
        let symbol = if is_text { cell.symbol() } else { " " };
        text.push_str(symbol);
        x += (symbol.width() as u16).max(1);
    }
    text.truncate(text.trim_end().len());
    text
}

/// Returns the part of a screen in which a selection from a place stays: the content of the last pane that was drawn
/// there, else what is left beside, above and below the panes.
fn around(from: Position, screen: Rect, panes: &[DrawnPane]) -> Rect {
    if let Some(pane) = panes.iter().rev().find(|pane| pane.area.contains(from)) {
        return pane.content;
    }
    let (mut left, mut right) = (screen.x, screen.right());
    let (mut top, mut bottom) = (screen.y, screen.bottom());
    for DrawnPane { area, .. } in panes {
        if (area.y..area.bottom()).contains(&from.y) {
            if area.right() <= from.x {
                left = left.max(area.right());
            } else {
                right = right.min(area.x);
            }
        } else if (area.x..area.right()).contains(&from.x) {
            if area.bottom() <= from.y {
                top = top.max(area.bottom());
            } else {
                bottom = bottom.min(area.y);
            }
        }
    }
    Rect { x: left, y: top, width: right.saturating_sub(left), height: bottom.saturating_sub(top) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCREEN: Rect = Rect::new(0, 0, 20, 6);

    fn selection(from: (u16, u16), to: (u16, u16), within: Rect) -> MouseSelection {
        MouseSelection { from: from.into(), to: to.into(), within }
    }

    #[test]
    fn rows_are_copied_as_they_are_shown_within_the_pane_in_either_direction() {
        let buffer = Buffer::with_lines(["aaaa|one two   |x", "aaaa|日本 three|x", "aaaa|          |x"]);
        let within = Rect::new(5, 0, 10, 3);
        for (from, to, expected) in [
            ((9, 0), (9, 1), "two\n日本"),
            ((9, 1), (9, 0), "two\n日本"),
            ((5, 0), (5, 0), "o"),
            ((0, 0), (19, 5), "one two\n日本 three"),
            ((13, 0), (14, 0), ""),
            ((6, 1), (8, 1), "日本"),
        ] {
            assert_eq!(selection(from, to, within).text(&buffer), expected, "{from:?} to {to:?}");
        }
    }

    #[test]
    fn the_mark_of_the_row_under_the_cursor_is_not_copied() {
        let buffer = Buffer::with_lines(["  one", "▌ two", "▌", "▌ a ▌"]);
        for (from, expected) in [((0, 0), "  one\n  two\n\n  a ▌"), ((0, 1), "  two\n\n  a ▌"), ((4, 3), "▌")] {
            assert_eq!(selection(from, (4, 3), buffer.area).text(&buffer), expected, "{from:?}");
        }
    }

    #[test]
    fn a_link_is_copied_as_its_words() {
        let mut buffer = Buffer::with_lines(["see a page"]);
        let target = crate::ui::markdown::LinkTarget::new("https://a.example").unwrap();
        hyperlink::link(&mut buffer, Rect::new(4, 0, 6, 1), &target);
        assert_eq!(selection((0, 0), (9, 0), buffer.area).text(&buffer), "see a page");
    }

    #[test]
    fn rows_that_are_no_longer_on_the_screen_are_left_out() {
        let mut buffer = Buffer::with_lines(["one", "two"]);
        let selection = selection((0, 1), (2, 4), Rect::new(0, 0, 9, 5));
        assert_eq!(selection.text(&buffer), "two");
        selection.draw(&mut buffer);
    }

    #[test]
    fn a_selection_stays_in_the_pane_or_beside_the_panes() {
        let pane = |area: Rect| DrawnPane { area, content: Rect { x: area.x + 1, width: area.width - 2, ..area } };
        let (list, below) = (pane(Rect::new(0, 1, 6, 4)), pane(Rect::new(6, 4, 14, 1)));
        let within = |at: (u16, u16), panes: &[DrawnPane]| {
            MouseSelection::new(at.into(), SCREEN, panes).map(|selection| selection.within)
        };
        assert_eq!(within((2, 2), &[list, below]), Some(list.content));
        assert_eq!(within((0, 2), &[list, below]), Some(list.content), "also from its blank column");
        assert_eq!(within((8, 2), &[list, below]), Some(Rect::new(6, 1, 14, 3)));
        // A dialog is drawn after the panes behind it.
        let dialog = pane(Rect::new(4, 1, 10, 3));
        assert_eq!(within((5, 2), &[list, below, dialog]), Some(dialog.content));
        assert_eq!((within((2, 0), &[list, below]), within((2, 5), &[list, below])), (None, None), "the two bars");
    }
}
