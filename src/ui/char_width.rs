//! Characters whose width terminals disagree about: flags, families, ligatures of Indic scripts.
//!
//! If the terminal draws such a character wider or narrower than expected, the text after it is shifted, and clearing
//! leaves remnants. Rows that contain one are therefore written completely with every frame, and once more after it is
//! gone; the backend clears the cells of each character first. Other rows cost nothing.

use ratatui::buffer::{Buffer, Cell, CellDiffOption};
use unicode_width::UnicodeWidthChar;

use super::hyperlink;

/// Which rows held such characters in the last frame.
#[derive(Clone, Debug, Default)]
pub struct Odd {
    rows: Vec<bool>,
}

impl Odd {
    /// Marks the rows of a finished frame that must be written as a whole.
    pub fn mark(&mut self, buffer: &mut Buffer) {
        let width = usize::from(buffer.area.width).max(1);
        self.rows.resize(usize::from(buffer.area.height), false);
        for (row, was) in buffer.content.chunks_mut(width).zip(&mut self.rows) {
            let is = row.iter().any(is_odd_cell);
            if is || *was {
                for cell in row.iter_mut().filter(|cell| !is_of_picture(cell)) {
                    hyperlink::unlink(cell);
                    cell.set_diff_option(CellDiffOption::AlwaysUpdate);
                }
            }
            *was = is;
        }
    }
}

/// Returns whether terminals may disagree about the width of a cell. A part of a link or of a picture never is such a
/// cell.
pub fn is_odd_cell(cell: &Cell) -> bool {
    is_odd(cell.symbol()) && !hyperlink::is_link(cell) && !is_of_picture(cell)
}

/// Returns whether a cell is a part of a picture that the terminal draws.
pub(super) fn is_of_picture(cell: &Cell) -> bool {
    match cell.diff_option {
        CellDiffOption::Skip => true,
        CellDiffOption::ForcedWidth(_) => !hyperlink::is_link(cell),
        _ => false,
    }
}

/// Returns whether terminals may disagree about a symbol's width: it contains several characters with a width of their
/// own, or a selector of emoji style.
pub fn is_odd(symbol: &str) -> bool {
    if symbol.len() < 4 || symbol.is_ascii() {
        return false;
    }
    let wide = symbol.chars().filter(|char| char.width().is_some_and(|width| width > 0)).count();
    // Tag sequences end so: they change a black flag into another.
    wide > 1 || symbol.contains(['\u{fe0f}', '\u{e007f}'])
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU16;

    use super::*;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    #[test]
    fn a_part_of_a_picture_is_written_as_it_is() {
        let mut buffer = Buffer::with_lines(["abcd"]);
        let placeholder = "\u{1b}_Gq=2;AAAA\u{1b}\\\u{10eeee}\u{305}";
        buffer[(0, 0)] = Cell::new(placeholder);
        buffer[(0, 0)].set_diff_option(CellDiffOption::ForcedWidth(NonZeroU16::MIN));
        buffer[(1, 0)].set_diff_option(CellDiffOption::Skip);
        assert!(!is_odd_cell(&buffer[(0, 0)]));
        // A flag in the same row has it written as a whole, but for the picture.
        buffer[(2, 0)] = Cell::new("🇩🇪");
        Odd::default().mark(&mut buffer);
        assert_eq!(buffer[(0, 0)].symbol(), placeholder);
        assert_eq!(buffer[(1, 0)].diff_option, CellDiffOption::Skip);
        assert_eq!(buffer[(3, 0)].diff_option, CellDiffOption::AlwaysUpdate);
    }

    #[test]
    fn flags_families_and_ligatures_are_odd_and_accents_and_han_are_not() {
        for odd in ["🇩🇪", "👩‍👩‍👧", "स्ते", "❤️", "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}"]
        {
            assert!(is_odd(odd), "{odd}");
        }
        for plain in ["a", "é", "e\u{301}", "日", "👩", "─"] {
            assert!(!is_odd(plain), "{plain}");
        }
    }

    #[test]
    fn a_row_is_written_whole_while_it_holds_one_and_once_after() {
        let mut odd = Odd::default();
        let mut updates = |first: &str, before: &mut Buffer| {
            let mut next = Buffer::empty(Rect::new(0, 0, 10, 2));
            next.set_string(0, 0, first, Style::default());
            next.set_string(0, 1, "calm", Style::default());
            odd.mark(&mut next);
            let rows: Vec<u16> = before.diff(&next).iter().map(|(_, y, _)| *y).collect();
            *before = next;
            rows
        };
        let mut before = Buffer::empty(Rect::new(0, 0, 10, 2));
        updates("flag 🇩🇪 a", &mut before);
        let again = updates("flag 🇩🇪 a", &mut before);
        assert_eq!((again.len(), again.iter().max()), (9, Some(&0)), "the row, and only it");
        assert_eq!(updates("", &mut before).len(), 10, "once more when it has gone");
        assert!(updates("", &mut before).len() <= 10);
        assert!(updates("", &mut before).is_empty(), "and then not at all");
    }
}
