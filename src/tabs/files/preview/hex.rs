//! Lays bytes out as offset, numbers and ASCII.

use std::fmt::Write as _;

/// How a row of bytes is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HexLayout {
    /// Bytes of a row.
    pub(super) width: u64,
    /// Digits of an offset.
    pub(super) digits: usize,
}

impl HexLayout {
    /// Creates the layout for so many columns and a file of so many bytes.
    pub(super) fn of(columns: usize, total: u64) -> Self {
        let digits = (total.max(1).ilog2() as usize / 4 + 1).max(6);
        let fits = |width: &u64| columns_of(*width, digits) <= columns;
        Self { width: [16, 8].into_iter().find(fits).unwrap_or(4), digits }
    }

    /// Returns the offset, the numbers, the ASCII; `at` is the first byte's place.
    pub(super) fn row(self, at: u64, bytes: &[u8]) -> (String, String, String) {
        let offset = format!("{:0digits$x}", at, digits = self.digits);
        // A first row may begin within the width.
        let before = at % self.width;
        let (mut numbers, mut letters) = (String::new(), String::new());
        for place in 0..self.width {
            if place > 0 {
                numbers.push_str(if place == 8 { "  " } else { " " });
            }
            match place.checked_sub(before).and_then(|place| bytes.get(place as usize)) {
                Some(byte) => {
                    // Writing to a String cannot fail.
                    let _ = write!(numbers, "{byte:02x}");
                    letters.push(if (0x20..0x7f).contains(byte) { char::from(*byte) } else { '·' });
                }
                None => {
                    numbers.push_str("  ");
                    letters.push(' ');
                }
            }
        }
        (offset, numbers, letters)
    }
}

/// Returns how many columns a row takes: mark, offset, numbers, letters and a blank between them.
fn columns_of(width: u64, digits: usize) -> usize {
    let width = width as usize;
    1 + digits + 1 + width * 3 - 1 + usize::from(width > 8) + 1 + width
}
