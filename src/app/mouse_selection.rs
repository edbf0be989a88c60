//! Text that is selected with the mouse: what the screen shows between two places of a pane, which is copied.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr as _;

use crate::ui::hyperlink;

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
    pub(super) fn new(from: Position, screen: Rect, panes: &[Rect]) -> Self {
        Self { from, to: from, within: around(from, screen, panes) }
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
        self.rows().for_each(|row| buf.set_style(row.intersection(buf.area), Style::new().reversed()));
    }

    /// Returns what it selects: the rows as they are shown, without the blanks at their ends.
    pub(super) fn text(&self, buf: &Buffer) -> String {
        let text: Vec<String> = self.rows().map(|row| row_text(buf, row.intersection(buf.area))).collect();
        text.join("\n").trim_matches('\n').to_owned()
    }
}

/// Returns the text of a row of cells.
fn row_text(buf: &Buffer, row: Rect) -> String {
    let (mut text, mut x) = (String::new(), row.x);
    while x < row.right() {
        let mut cell = buf[(x, row.y)].clone();
        hyperlink::unlink(&mut cell);
        // What is left of sequences belongs to a picture.
        let symbol = if cell.symbol().contains('\u{1b}') { " " } else { cell.symbol() };
        text.push_str(symbol);
        x += (symbol.width() as u16).max(1);
    }
    text.truncate(text.trim_end().len());
    text
}

/// Returns the part of the screen in which a selection from a place stays: the last pane that was drawn there, else what
/// is left beside, above and below the panes.
fn around(from: Position, screen: Rect, panes: &[Rect]) -> Rect {
    if let Some(pane) = panes.iter().rev().find(|pane| pane.contains(from)) {
        return *pane;
    }
    let (mut left, mut right) = (screen.x, screen.right());
    // Without the bar at the top and the one at the bottom.
    let (mut top, mut bottom) = (screen.y.saturating_add(1), screen.bottom().saturating_sub(1));
    for pane in panes {
        if (pane.y..pane.bottom()).contains(&from.y) {
            if pane.right() <= from.x {
                left = left.max(pane.right());
            } else {
                right = right.min(pane.x);
            }
        } else if (pane.x..pane.right()).contains(&from.x) {
            if pane.bottom() <= from.y {
                top = top.max(pane.bottom());
            } else {
                bottom = bottom.min(pane.y);
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
        ] {
            assert_eq!(selection(from, to, within).text(&buffer), expected, "{from:?} to {to:?}");
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
    fn a_selection_stays_in_the_pane_or_beside_the_panes() {
        let (list, box_below) = (Rect::new(0, 1, 6, 4), Rect::new(6, 4, 14, 1));
        let panes = [list, box_below];
        assert_eq!(around((2, 2).into(), SCREEN, &panes), list);
        assert_eq!(around((8, 2).into(), SCREEN, &panes), Rect::new(6, 1, 14, 3));
        // A dialog is drawn after the panes behind it.
        let dialog = Rect::new(4, 1, 10, 3);
        assert_eq!(around((5, 2).into(), SCREEN, &[list, box_below, dialog]), dialog);
    }
}
