//! What a reader sees as one character, what is drawn of it and the columns that takes.

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
    /// Byte behind it.
    pub(super) end: usize,
    /// Columns; of a tab the most it can take.
    columns: usize,
    kind: GlyphKind,
}

/// How a character takes its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GlyphKind {
    /// A blank, behind which a row may end.
    Space,
    /// Blanks up to the next fourth column of its row; a row may end behind it.
    Tab,
    /// Drawn as it is, whatever stands beside it.
    Plain,
    /// Of several code points, or not drawn as it is: [`picture`] says how.
    Other,
}

impl Glyph {
    pub(super) fn kind(&self) -> GlyphKind {
        self.kind
    }

    /// Whether lines may break on either side of it.
    pub(super) fn wide(&self) -> bool {
        self.columns > 1 && self.kind != GlyphKind::Tab
    }

    pub(super) fn blank(&self) -> bool {
        matches!(self.kind, GlyphKind::Space | GlyphKind::Tab)
    }

    /// The columns it takes behind `used` ones of a row `width` wide; `None`: it does not fit there. One blank may hang
    /// over the edge, where the caret's own column is.
    pub(super) fn fits(&self, used: usize, width: usize) -> Option<usize> {
        let columns = self.columns(used);
        if self.blank() {
            return (used <= width).then(|| columns.min(width + 1 - used));
        }
        (used + columns <= width).then_some(columns)
    }

    /// The columns it takes where there is room for it.
    pub(super) fn columns(&self, used: usize) -> usize {
        if self.kind == GlyphKind::Tab { TAB - used % TAB } else { self.columns }
    }
}

/// The characters of a line from byte `at` on, which begins one.
pub(super) fn glyphs(text: &str, at: usize) -> impl Iterator<Item = Glyph> {
    let mut at = at;
    std::iter::from_fn(move || {
        let glyph = first(&text[at..], at)?;
        at = glyph.end;
        Some(glyph)
    })
}

/// The character a text begins with; the text is at byte `at` of its line.
fn first(text: &str, at: usize) -> Option<Glyph> {
    let mut chars = text.chars();
    let char = chars.next()?;
    // The most of all text: no need to look for what belongs together.
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
    let columns = width(&picture(cluster));
    Some(Glyph { at, end: at + cluster.len(), columns, kind: GlyphKind::Other })
}

/// Columns of a picture, as ratatui draws it.
fn width(picture: &str) -> usize {
    picture.graphemes(true).map(|cluster| usize::from(cluster.cell_width())).sum()
}

/// What is drawn of a character. Marks on nothing, which would not be seen, become their numbers too.
pub(super) fn picture(cluster: &str) -> Cow<'_, str> {
    let shown = text::line(cluster);
    if width(&shown) > 0 {
        return shown;
    }
    let mut numbers = String::new();
    for char in cluster.chars() {
        // Writing to a String cannot fail.
        let _ = write!(numbers, "⟨U+{:04X}⟩", char as u32);
    }
    Cow::Owned(numbers)
}

/// Whether a character is drawn as it is, has columns of its own and joins with no other of them. Not all such are
/// here: those that texts are made of.
fn plain(char: char) -> bool {
    matches!(char,
        ' '..='~'
        | '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{2ff}' | '\u{391}'..='\u{3a1}' | '\u{3a3}'..='\u{482}'
        | '\u{48a}'..='\u{52f}' | '\u{2010}'..='\u{2027}' | '\u{2500}'..='\u{25ff}' | '\u{3001}'..='\u{3029}'
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
