//! Characters as a reader sees them, what is drawn of them and their columns.

use std::borrow::Cow;
use std::fmt::Write as _;

use ratatui::buffer::CellWidth as _;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthChar as _;

use crate::text::{self, TAB};

/// One character of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Glyph {
    /// Byte of the line it begins at.
    pub(super) at: usize,
    /// Byte after it.
    pub(super) end: usize,
    /// Its columns; for a tab the most it can take.
    columns: usize,
    kind: GlyphKind,
}

/// How the columns of a character are determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GlyphKind {
    /// A blank, after which a row may end.
    Space,
    /// Blanks up to the next fourth column of its row; a row may end after it.
    Tab,
    /// Drawn as it is, regardless of its neighbours.
    Plain,
    /// Several code points, or not drawn as it is: see [`picture`].
    Other,
}

impl Glyph {
    pub(super) fn kind(&self) -> GlyphKind {
        self.kind
    }

    /// Returns whether lines may break on either side of it.
    pub(super) fn wide(&self) -> bool {
        self.columns > 1 && self.kind != GlyphKind::Tab
    }

    pub(super) fn blank(&self) -> bool {
        matches!(self.kind, GlyphKind::Space | GlyphKind::Tab)
    }

    /// Returns its columns after `used` ones of a row of `width`; `None`: it does not fit. One blank may overhang into
    /// the caret's own column.
    pub(super) fn fits(&self, used: usize, width: usize) -> Option<usize> {
        let columns = self.columns(used);
        if self.blank() {
            return (used <= width).then(|| columns.min(width + 1 - used));
        }
        (used + columns <= width).then_some(columns)
    }

    /// Returns its columns if there is space for it.
    pub(super) fn columns(&self, used: usize) -> usize {
        if self.kind == GlyphKind::Tab { TAB - used % TAB } else { self.columns }
    }
}

/// Returns the characters of a line from byte `at` on, at which one begins.
pub(super) fn glyphs(text: &str, at: usize) -> impl Iterator<Item = Glyph> {
    let mut at = at;
    std::iter::from_fn(move || {
        let glyph = first(&text[at..], at)?;
        at = glyph.end;
        Some(glyph)
    })
}

/// Returns the first character of a text that is at byte `at` of its line.
fn first(text: &str, at: usize) -> Option<Glyph> {
    let mut chars = text.chars();
    let char = chars.next()?;
    // Most text is like this: no need to search grapheme boundaries.
    let alone = || chars.clone().next().is_none_or(|next| next.is_ascii() || plain(next));
    if plain(char) && alone() {
        let columns = if char.is_ascii() { 1 } else { char.width().unwrap_or(1) };
        let kind = if char == ' ' { GlyphKind::Space } else { GlyphKind::Plain };
        return Some(Glyph { at, end: at + char.len_utf8(), columns, kind });
    }
    if char.is_ascii_control() {
        let (columns, kind) = if char == '\t' { (TAB, GlyphKind::Tab) } else { (1, GlyphKind::Other) };
        return Some(Glyph { at, end: at + 1, columns, kind });
    }
    let cluster = text.graphemes(true).next()?;
    let (_, columns) = measured_picture(cluster);
    Some(Glyph { at, end: at + cluster.len(), columns, kind: GlyphKind::Other })
}

/// Returns the columns of a picture, as ratatui draws it.
fn width(picture: &str) -> usize {
    if picture.chars().all(plain) {
        return picture.chars().map(|char| char.width().unwrap_or(1)).sum();
    }
    picture.graphemes(true).map(|cluster| usize::from(cluster.cell_width())).sum()
}

/// Returns what is drawn of a character. Combining marks without a base, which would be invisible, are shown as their
/// numbers too.
pub(super) fn picture(cluster: &str) -> Cow<'_, str> {
    measured_picture(cluster).0
}

/// Returns what is drawn of a character, and its columns.
fn measured_picture(cluster: &str) -> (Cow<'_, str>, usize) {
    let shown = text::line(cluster);
    let columns = match &shown {
        // It is one cluster: no need to look for where the next one begins.
        Cow::Borrowed(shown) => usize::from(shown.cell_width()),
        Cow::Owned(shown) => width(shown),
    };
    if columns > 0 {
        return (shown, columns);
    }
    let mut numbers = String::new();
    for char in cluster.chars() {
        // Writing to a String cannot fail.
        let _ = write!(numbers, "⟨U+{:04X}⟩", char as u32);
    }
    let columns = width(&numbers);
    (Cow::Owned(numbers), columns)
}

/// Returns whether a character is drawn as it is, has columns of its own and combines with no other such character.
/// Only the common ones are included.
#[inline]
fn plain(char: char) -> bool {
    matches!(char,
        ' '..='~'
        | '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{2ff}' | '\u{391}'..='\u{3a1}' | '\u{3a3}'..='\u{482}'
        | '\u{48a}'..='\u{52f}' | '\u{2010}'..='\u{2027}' | '\u{2500}'..='\u{25ff}' | '\u{27e8}' | '\u{27e9}'
        | '\u{3001}'..='\u{3029}'
        | '\u{3041}'..='\u{3096}' | '\u{309b}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' | '\u{ff01}'..='\u{ff60}' | '\u{1f300}'..='\u{1f3fa}' | '\u{1f400}'..='\u{1f64f}'
        | '\u{1f680}'..='\u{1f6ff}' | '\u{1f900}'..='\u{1f9ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_characters_stand_alone_and_as_they_are() {
        for char in ('\0'..=char::MAX).filter(|char| plain(*char)) {
            let text = char.to_string();
            assert!(matches!(text::line(&text), Cow::Borrowed(_)), "{char:?}");
            assert_eq!(width(&text), char.width().unwrap_or(1), "{char:?}");
            for beside in ['a', ' ', '\t', '\0', '語', '한', '😀', '🚀', '\u{a9}', 'я', '、', '○'] {
                assert_eq!(format!("{char}{beside}").graphemes(true).count(), 2, "{char:?} {beside:?}");
                assert_eq!(format!("{beside}{char}").graphemes(true).count(), 2, "{beside:?} {char:?}");
            }
        }
    }

    #[test]
    fn what_is_not_seen_becomes_its_number() {
        assert_eq!(picture("\u{301}"), "⟨U+0301⟩");
        assert_eq!(picture("\u{202e}"), "⟨U+202E⟩");
        assert_eq!(picture("\u{1b}"), "␛");
        assert_eq!(picture("e\u{301}"), "e\u{301}");
    }
}
