//! The text by logical line, lines by block: lookups and edits take time that does not grow with the text.

use std::ops::Range;

use super::wrap;

/// Lines of a new block; one with twice as many is split.
const BLOCK: usize = 256;

/// A logical line with the beginnings of its rows.
#[derive(Debug, Default)]
pub(super) struct TextLine {
    /// With its line end; the last line has none.
    text: String,
    /// Where all rows but the first begin, when wrapped at `width`.
    rows: Vec<u32>,
    /// The width at which it is wrapped, in columns; 0: it is not wrapped.
    width: u16,
}

impl TextLine {
    fn new(text: String) -> Self {
        Self { text, rows: Vec::new(), width: 0 }
    }

    /// Returns its bytes, including the line end.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// Returns the text without its line end, which is `\n` or `\r\n`.
    pub(super) fn content(&self) -> &str {
        let text = self.text.strip_suffix('\n').unwrap_or(&self.text);
        if text.len() < self.text.len() { text.strip_suffix('\r').unwrap_or(text) } else { text }
    }

    /// Returns the number of rows at the width it is wrapped at.
    pub(super) fn rows(&self) -> usize {
        self.rows.len() + 1
    }

    /// Returns the row that contains a byte of the line.
    pub(super) fn row_of(&self, at: usize) -> usize {
        self.rows.partition_point(|start| *start as usize <= at)
    }

    /// Returns the bytes of a row, without the line end.
    pub(super) fn row(&self, row: usize) -> Range<usize> {
        let start = if row == 0 { 0 } else { self.rows[row - 1] as usize };
        start..self.rows.get(row).map_or_else(|| self.content().len(), |start| *start as usize)
    }

    /// Wraps it again after an edit, from the rows of the line whose beginning it has and of the one whose end it has
    /// (`tail`); `edit` is what was inserted.
    fn rewrap(text: String, width: u16, head: Vec<u32>, edit: Range<usize>, tail: impl Iterator<Item = u32>) -> Self {
        let mut line = Self { text, rows: Vec::new(), width };
        line.rows = wrap::rewrap(line.content(), usize::from(width), head, edit, tail);
        line
    }
}

#[derive(Debug, Default)]
struct LineBlock {
    lines: Vec<TextLine>,
    bytes: usize,
}

impl LineBlock {
    fn new(lines: Vec<TextLine>) -> Self {
        let bytes = lines.iter().map(TextLine::len).sum();
        Self { lines, bytes }
    }
}

/// The position of a line, valid until the next edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LinePlace {
    block: usize,
    line: usize,
    /// Byte of the text at which the line begins.
    pub(super) start: usize,
}

/// The text. There is always a line, and the last one has no line end.
#[derive(Debug)]
pub(super) struct TextLines {
    blocks: Vec<LineBlock>,
    len: usize,
}

impl TextLines {
    pub(super) fn new(text: &str) -> Self {
        let mut lines: Vec<_> = text.split_inclusive('\n').map(|line| TextLine::new(line.to_owned())).collect();
        if text.is_empty() || text.ends_with('\n') {
            lines.push(TextLine::default());
        }
        Self { blocks: blocks(lines), len: text.len() }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn get(&self, place: LinePlace) -> &TextLine {
        &self.blocks[place.block].lines[place.line]
    }

    /// Returns the line that contains a byte; past the end, the last one.
    pub(super) fn find(&self, at: usize) -> LinePlace {
        let mut place = LinePlace { block: 0, line: 0, start: 0 };
        while place.block + 1 < self.blocks.len() && at >= place.start + self.blocks[place.block].bytes {
            place.start += self.blocks[place.block].bytes;
            place.block += 1;
        }
        let lines = &self.blocks[place.block].lines;
        while place.line + 1 < lines.len() && at >= place.start + lines[place.line].len() {
            place.start += lines[place.line].len();
            place.line += 1;
        }
        place
    }

    pub(super) fn next(&self, place: LinePlace) -> Option<LinePlace> {
        let start = place.start + self.get(place).len();
        if place.line + 1 < self.blocks[place.block].lines.len() {
            return Some(LinePlace { line: place.line + 1, start, ..place });
        }
        (place.block + 1 < self.blocks.len()).then_some(LinePlace { block: place.block + 1, line: 0, start })
    }

    pub(super) fn previous(&self, place: LinePlace) -> Option<LinePlace> {
        let mut before = match (place.block, place.line) {
            (0, 0) => return None,
            (block, 0) => LinePlace { block: block - 1, line: self.blocks[block - 1].lines.len() - 1, start: 0 },
            (block, line) => LinePlace { block, line: line - 1, start: 0 },
        };
        before.start = place.start - self.get(before).len();
        Some(before)
    }

    /// Makes sure that a line is wrapped at a width (columns, at least 1).
    pub(super) fn wrap(&mut self, place: LinePlace, width: u16) {
        let line = &mut self.blocks[place.block].lines[place.line];
        if line.width != width {
            line.rows = wrap::rows(line.content(), usize::from(width));
            line.width = width;
        }
    }

    /// Rounds a byte down to the beginning of a character (code point) within the text.
    pub(super) fn floor(&self, at: usize) -> usize {
        let at = at.min(self.len);
        let place = self.find(at);
        place.start + self.get(place).text.floor_char_boundary(at - place.start)
    }

    /// Appends a part of the text. The range is one of characters within the text.
    pub(super) fn copy(&self, range: Range<usize>, to: &mut String) {
        let mut place = Some(self.find(range.start));
        while let Some(at) = place.filter(|place| place.start < range.end) {
            let text = &self.get(at).text;
            to.push_str(&text[range.start.saturating_sub(at.start)..(range.end - at.start).min(text.len())]);
            place = self.next(at);
        }
    }

    /// Replaces a part, given by character boundaries. Lines wrapped at `width` stay wrapped; new ones in between are
    /// not.
    pub(super) fn replace(&mut self, range: Range<usize>, text: &str, width: u16) {
        let (first, last) = (self.find(range.start), self.find(range.end));
        let (a, b) = (range.start - first.start, range.end - last.start);
        self.len = self.len - range.len() + text.len();
        let wrapped = |line: &TextLine| line.width == width;
        if first == last && !text.contains('\n') {
            let block = &mut self.blocks[first.block];
            block.bytes = block.bytes - range.len() + text.len();
            let line = &mut block.lines[first.line];
            let mut whole = std::mem::take(line);
            whole.text.replace_range(a..b, text);
            *line = if wrapped(&whole) {
                // The rows of both sides are needed; those after the edit are usually few.
                let tail = behind(&whole.rows, b);
                TextLine::rewrap(whole.text, width, whole.rows, a..a + text.len(), shifted(tail, b, a + text.len()))
            } else {
                TextLine::new(whole.text)
            };
            return;
        }
        let end = self.get(last).text[b..].to_owned();
        let tail = wrapped(self.get(last)).then(|| behind(&self.get(last).rows, b));
        let begin = std::mem::take(&mut self.blocks[first.block].lines[first.line]);
        let head = wrapped(&begin).then_some(begin.rows);
        let mut begin = begin.text;
        begin.truncate(a);
        let line = |text: String, head: Option<Vec<u32>>, edit: Range<usize>, tail: Option<Vec<u32>>| match (head, tail)
        {
            (Some(head), Some(tail)) => {
                let behind = edit.end;
                TextLine::rewrap(text, width, head, edit, shifted(tail, b, behind))
            }
            _ => TextLine::new(text),
        };
        let mut new = Vec::new();
        match (text.find('\n'), text.rfind('\n')) {
            (Some(one), Some(other)) => {
                begin.push_str(&text[..=one]);
                let edited = a..begin.len();
                new.push(line(begin, head, edited, Some(Vec::new())));
                if one < other {
                    new.extend(text[one + 1..=other].split_inclusive('\n').map(|text| TextLine::new(text.to_owned())));
                }
                let rest = &text[other + 1..];
                new.push(line(format!("{rest}{end}"), Some(Vec::new()), 0..rest.len(), tail));
            }
            _ => {
                begin.push_str(text);
                let edited = a..begin.len();
                begin.push_str(&end);
                new.push(line(begin, head, edited, tail));
            }
        }
        self.exchange(first, last, new);
    }

    /// Replaces lines by others.
    fn exchange(&mut self, first: LinePlace, last: LinePlace, new: Vec<TextLine>) {
        let mut lines = std::mem::take(&mut self.blocks[first.block].lines);
        if first.block == last.block {
            lines.splice(first.line..=last.line, new);
        } else {
            lines.truncate(first.line);
            lines.extend(new);
            lines.extend(self.blocks[last.block].lines.drain(last.line + 1..));
        }
        let made = if lines.len() > 2 * BLOCK { blocks(lines) } else { vec![LineBlock::new(lines)] };
        self.blocks.splice(first.block..=last.block, made);
    }
}

/// Divides lines into blocks.
fn blocks(lines: Vec<TextLine>) -> Vec<LineBlock> {
    let mut blocks = Vec::with_capacity(lines.len() / BLOCK + 1);
    let mut lines = lines.into_iter().peekable();
    while lines.peek().is_some() {
        blocks.push(LineBlock::new(lines.by_ref().take(BLOCK).collect()));
    }
    blocks
}

/// Returns the rows that begin at or after a byte.
fn behind(rows: &[u32], at: usize) -> Vec<u32> {
    rows[rows.partition_point(|start| (*start as usize) < at)..].to_vec()
}

/// Returns the rows moved so that byte `from` is at `to`.
fn shifted(rows: Vec<u32>, from: usize, to: usize) -> impl Iterator<Item = u32> {
    rows.into_iter().map(move |start| (start as usize - from + to) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn whole(lines: &TextLines) -> String {
        let mut text = String::new();
        lines.copy(0..lines.len(), &mut text);
        text
    }

    #[test]
    fn an_empty_text_is_a_line_and_so_is_what_follows_the_last_line_end() {
        for (text, count) in [("", 1), ("a", 1), ("a\n", 2), ("\r\n\n", 3)] {
            let lines = TextLines::new(text);
            let all = std::iter::successors(Some(lines.find(0)), |place| lines.next(*place));
            assert_eq!(
                all.map(|place| lines.get(place).content().trim_end_matches('a')).collect::<Vec<_>>(),
                vec![""; count]
            );
        }
    }

    fn text(most: usize) -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec!["\n", "ab\n", "two words\n", "\r\n", "x", "é"]);
        prop::collection::vec(piece, 0..most).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn lines_of_many_blocks_are_those_of_the_text(
            start in text(3000), edits in prop::collection::vec((0.0..1.0, 0.0..1.0, any::<bool>(), text(900)), 1..8),
        ) {
            let (mut lines, mut model) = (TextLines::new(&start), start);
            for (from, long, short, new) in edits {
                let from = model.floor_char_boundary((from * (model.len() + 1) as f64) as usize);
                let most = if short { 9 } else { model.len() };
                let to = model.floor_char_boundary((from + (long * most as f64) as usize).min(model.len())).max(from);
                lines.wrap(lines.find(from), 5);
                lines.wrap(lines.find(to), 5);
                lines.replace(from..to, &new, 5);
                model.replace_range(from..to, &new);
                prop_assert!(whole(&lines) == model);
                prop_assert_eq!(lines.len(), model.len());
                prop_assert!(lines.blocks.iter().all(|block| (1..=2 * BLOCK).contains(&block.lines.len())));
                let mut place = Some(lines.find(0));
                let mut before = None;
                let mut start = 0;
                for text in model.split('\n') {
                    let at = place.unwrap();
                    let line = lines.get(at);
                    prop_assert_eq!(line.content(), if start + text.len() < model.len() { text.strip_suffix('\r').unwrap_or(text) } else { text });
                    prop_assert!(line.width == 0 || line.rows == wrap::rows(line.content(), 5));
                    prop_assert_eq!((at.start, lines.find(start), lines.find(start + text.len())), (start, at, at));
                    prop_assert_eq!(lines.previous(at), before);
                    start += text.len() + 1;
                    before = place;
                    place = lines.next(at);
                }
                prop_assert_eq!(place, None);
            }
        }
    }
}
