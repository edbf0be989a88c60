//! A text wrapped to a width. When text is appended, only its last line is wrapped again.

use std::borrow::Cow;
use std::ops::Range;

use crate::text::{self, Untrusted};
use crate::ui::wrap;

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// Its line, in bytes of the text.
    pub(super) line: Range<usize>,
    /// Its part, in bytes of the line as it is shown.
    pub(super) part: Range<usize>,
}

/// The rows of a text as it last was.
#[derive(Debug, Default)]
pub(super) struct Wrapped {
    width: usize,
    seen: String,
    rows: Vec<Row>,
    /// Whether the last line is shown as it is.
    plain: bool,
    /// Bytes wrapped so far, of all changes.
    #[cfg(test)]
    pub(super) work: usize,
}

impl Wrapped {
    /// Takes in the text as it is now.
    pub(super) fn update(&mut self, text: &Untrusted, width: usize) {
        let whole = text.raw();
        let same = self.width == width && whole.as_bytes().starts_with(self.seen.as_bytes());
        if same && whole.len() == self.seen.len() && !self.rows.is_empty() {
            return;
        }
        let from = if same { self.seen.rfind('\n').map_or(0, |at| at + 1) } else { 0 };
        let kept = self.rows.partition_point(|row| row.line.start < from);
        let mut start = from;
        for (nth, line) in whole[from..].split('\n').enumerate() {
            let range = start..start + line.len();
            start = range.end + 1;
            let shown = text::screen(line);
            let plain = matches!(shown, Cow::Borrowed(_));
            // If no character had to be replaced, the wrapped rows stay: the start of a row does not depend on the text
            // after it.
            let mut part = 0;
            if nth == 0 && same && plain && self.plain && self.rows.len() > kept {
                part = self.rows.pop().map_or(0, |last| last.part.start);
                self.rows[kept..].iter_mut().for_each(|row| row.line.end = range.end);
            } else {
                self.rows.truncate(if nth == 0 { kept } else { self.rows.len() });
            }
            self.plain = plain;
            #[cfg(test)]
            {
                self.work += shown.len() - part;
            }
            let rows = &mut self.rows;
            wrap::rows(&shown[part..], width, |row| {
                rows.push(Row { line: range.clone(), part: part + row.start..part + row.end });
            });
        }
        self.width = width;
        if same {
            self.seen.push_str(&whole[self.seen.len()..]);
        } else {
            whole.clone_into(&mut self.seen);
        }
    }

    /// Returns how many rows it has, at least one.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Calls `draw` with the rows from `top` on, as they are shown, and whether each is its line's last, until it has
    /// had `most`.
    pub(super) fn visible(&self, top: usize, most: usize, mut draw: impl FnMut(usize, &Row, &str, bool)) {
        let mut line: Option<(usize, Cow<str>)> = None;
        for (nth, row) in self.rows.iter().skip(top).take(most).enumerate() {
            if line.as_ref().is_none_or(|(start, _)| *start != row.line.start) {
                line = Some((row.line.start, text::screen(&self.seen[row.line.clone()])));
            }
            if let Some((_, line)) = &line {
                let next = self.rows.get(top + nth + 1);
                let last = next.is_none_or(|next| next.line.start != row.line.start);
                draw(nth, row, &line[row.part.clone()], last);
            }
        }
    }

    /// Returns where the line of a byte begins in the text, and the byte's position in that line as it is shown.
    pub(super) fn place(&self, at: usize) -> (usize, usize) {
        let row = self.rows.partition_point(|row| row.line.start <= at).saturating_sub(1);
        let start = self.rows.get(row).map_or(0, |row| row.line.start);
        let before = self.seen.get(start..at).unwrap_or_default();
        (start, text::screen(before).len())
    }

    /// Returns the row that contains a byte of the text.
    pub(super) fn row_of(&self, at: usize) -> usize {
        let (start, place) = self.place(at);
        let before = |row: &Row| row.line.start < start || (row.line.start == start && row.part.start <= place);
        self.rows.partition_point(before).saturating_sub(1)
    }

    /// Returns the text that the rows show.
    pub(super) fn text(&self) -> &str {
        &self.seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(wrapped: &Wrapped) -> Vec<String> {
        let mut rows = Vec::new();
        wrapped.visible(0, usize::MAX, |_, _, row, _| rows.push(row.to_owned()));
        rows
    }

    #[test]
    fn what_was_wrapped_is_not_looked_at_again() {
        let mut wrapped = Wrapped::default();
        let mut text = Untrusted::from("word ".repeat(20_000));
        wrapped.update(&text, 30);
        let before = wrapped.work;
        for _ in 0..1000 {
            text.push("more ");
            wrapped.update(&text, 30);
        }
        assert!(wrapped.work - before <= 1000 * 40, "{} bytes for 5,000 new ones", wrapped.work - before);
        let mut anew = Wrapped::default();
        anew.update(&text, 30);
        assert_eq!(shown(&wrapped), shown(&anew));
        let work = wrapped.work;
        wrapped.update(&text, 30);
        assert_eq!(wrapped.work, work, "nothing new, nothing done");
        wrapped.update(&"other".into(), 30);
        assert_eq!(shown(&wrapped), ["other"]);
    }

    proptest! {
        #[test]
        fn in_pieces_is_as_at_once(pieces in prop::collection::vec("[a-c ]{0,9}|\n|\t|\u{1b}|世界|e\u{301}|[a-z]{20}", 0..24), width in 1_usize..20) {
            let (mut text, mut wrapped) = (Untrusted::default(), Wrapped::default());
            for piece in &pieces {
                text.push(piece);
                wrapped.update(&text, width);
                prop_assert_eq!(wrapped.text(), text.raw());
            }
            wrapped.update(&text, width);
            let mut anew = Wrapped::default();
            anew.update(&text, width);
            prop_assert_eq!(shown(&wrapped), shown(&anew));
            prop_assert_eq!(&wrapped.rows, &anew.rows);
        }
    }
}
