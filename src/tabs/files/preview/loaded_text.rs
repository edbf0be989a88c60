//! The part of the file that is in memory as one text, for the pager.

use super::Preview;
use super::file_format::FileFormat;
use super::hex::HexLayout;
use super::row_layout;
use crate::text::Untrusted;
use crate::ui::meter::bytes;

/// Columns for bytes, whatever the width of the preview.
const COLUMNS: usize = 80;

impl Preview {
    /// Returns what of the file is loaded, and how much before and after it is not; `None`: nothing is loaded.
    pub(super) fn loaded_text(&self) -> Option<Untrusted> {
        let window = &self.window;
        if window.is_empty() {
            return None;
        }
        let text = if self.display.format == FileFormat::Hex {
            self.hex_text().into()
        } else {
            row_layout::text(window.bytes(), window.writing())
        };
        let before = Some(window.at().byte).filter(|before| *before > 0);
        let after = (!window.at_end()).then(|| match self.known.total {
            Some(total) => format!("[{} more are not loaded]", bytes(total.saturating_sub(window.end()))),
            None => "[the rest is not loaded]".to_owned(),
        });
        if before.is_none() && after.is_none() {
            return Some(text);
        }
        let before = before.map(|before| format!("[the first {} are not loaded]", bytes(before)));
        let parts = [before.as_deref(), Some(text.raw().trim_end_matches('\n')), after.as_deref()];
        Some(parts.into_iter().flatten().collect::<Vec<_>>().join("\n").into())
    }

    /// Returns the bytes that are loaded as offsets, numbers and letters.
    fn hex_text(&self) -> String {
        let (mut at, mut left) = (self.window.at().byte, self.window.bytes());
        let layout = HexLayout::of(COLUMNS, self.known.total.unwrap_or_else(|| self.window.end()));
        let mut text = String::new();
        while !left.is_empty() {
            let len = ((layout.width - at % layout.width) as usize).min(left.len());
            let (row, rest) = left.split_at(len);
            let (offset, numbers, letters) = layout.row(at, row);
            text.extend([&*offset, " ", &*numbers, " ", letters.trim_end(), "\n"]);
            (at, left) = (at + len as u64, rest);
        }
        text
    }
}
