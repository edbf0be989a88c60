//! Links that the terminal opens (OSC 8), in the cells of a buffer.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroU16;

use ratatui::buffer::{Buffer, Cell, CellDiffOption, CellWidth};
use ratatui::layout::Rect;

use super::char_width::is_odd;
use super::markdown::LinkTarget;

/// Ends a sequence.
const ST: &str = "\u{1b}\\";
/// Ends a link.
const END: &str = "\u{1b}]8;;\u{1b}\\";

/// Makes the cells of a row a link to an address. Each has the whole sequence, with its own width forced: so a frame
/// that changes any of them, or draws over a part of them, leaves no link behind.
pub fn link(buf: &mut Buffer, area: Rect, target: &LinkTarget) {
    let area = area.intersection(buf.area);
    let mut hasher = DefaultHasher::new();
    target.as_str().hash(&mut hasher);
    // One id for all cells: the terminal takes them for one link, also over several rows.
    let open = format!("\u{1b}]8;id={:x};{}{ST}", hasher.finish(), target.as_str());
    let mut x = area.x;
    while x < area.right() {
        let cell = &mut buf[(x, area.y)];
        let width = cell.cell_width().max(1);
        // Symbols of uncertain width are written again with each frame, which a forced width does not allow.
        let forced = NonZeroU16::new(width).filter(|_| x + width <= area.right() && !is_odd(cell.symbol()));
        if let Some(forced) = forced {
            let symbol = format!("{open}{}{END}", cell.symbol());
            cell.set_symbol(&symbol).set_diff_option(CellDiffOption::ForcedWidth(forced));
        }
        x += width;
    }
}

/// Returns whether a cell is part of a link.
pub fn is_link(cell: &Cell) -> bool {
    matches!(cell.diff_option, CellDiffOption::ForcedWidth(_)) && cell.symbol().ends_with(END)
}

/// Returns what a cell shows, without the sequences of a link.
pub fn shown(cell: &Cell) -> &str {
    split(cell).map_or(cell.symbol(), |(_, shown)| shown)
}

/// Changes what a cell shows; a link stays one. The text has the width of the one before.
pub fn set_shown(cell: &mut Cell, text: &str) {
    let symbol = split(cell).map(|(open, _)| format!("{open}{ST}{text}{END}"));
    cell.set_symbol(symbol.as_deref().unwrap_or(text));
}

/// Returns the opening sequence of a link, without its end, and what the cell shows; `None`: it is part of no link.
fn split(cell: &Cell) -> Option<(&str, &str)> {
    cell.symbol().strip_suffix(END).filter(|_| is_link(cell))?.split_once(ST)
}

/// Removes a cell from a link.
pub fn unlink(cell: &mut Cell) {
    if !is_link(cell) {
        return;
    }
    let shown = shown(cell).to_owned();
    cell.set_symbol(&shown).set_diff_option(CellDiffOption::None);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linked(text: &str, width: u16) -> Buffer {
        let mut buffer = Buffer::with_lines([text]);
        link(&mut buffer, Rect::new(0, 0, width, 1), &LinkTarget::new("https://a.example").unwrap());
        buffer
    }

    #[test]
    fn each_cell_is_a_link_by_itself_and_nothing_of_it_stays_behind() {
        let linked = linked("a日b cd  ", 4);
        let empty = Buffer::empty(linked.area);
        let drawn: Vec<(u16, String)> =
            empty.diff(&linked).into_iter().map(|(x, _, cell)| (x, cell.symbol().to_owned())).collect();
        assert_eq!(drawn.iter().map(|(x, _)| *x).collect::<Vec<_>>(), [0, 1, 3, 5, 6], "a wide one takes two columns");
        assert!(drawn[..3].iter().all(|(_, symbol)| symbol.contains(";https://a.example\u{1b}\\")));
        assert!(drawn[..3].iter().all(|(_, symbol)| symbol.ends_with(END)));
        assert!(!drawn[3].1.contains('\u{1b}'));
        let plain = Buffer::with_lines(["a日b cd  "]);
        let redrawn: Vec<u16> = linked.diff(&plain).into_iter().map(|(x, ..)| x).collect();
        assert_eq!(redrawn, [0, 1, 3], "the same text without the link is drawn again");
    }

    #[test]
    fn a_link_can_be_taken_away() {
        let mut buffer = linked("a日b", 4);
        assert!(is_link(&buffer[(0, 0)]) && is_link(&buffer[(1, 0)]));
        buffer.content.iter_mut().for_each(unlink);
        assert_eq!(buffer, Buffer::with_lines(["a日b"]));
    }

    #[test]
    fn characters_that_terminals_disagree_about_are_left_alone() {
        let buffer = linked("a🇩🇪b", 4);
        assert!(is_link(&buffer[(0, 0)]) && !is_link(&buffer[(1, 0)]) && is_link(&buffer[(3, 0)]));
    }
}
