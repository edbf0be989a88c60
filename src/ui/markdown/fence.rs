//! A code fence that is still open: complete lines are added one by one, and of an incomplete line only the new part.

use std::borrow::Cow;

use memchr::memchr;
use unicode_width::UnicodeWidthStr;

use super::line::Block;
use super::listing::{code_line, listing_role};
use crate::text::TAB;

/// An open fence that is the last block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fence {
    mark: u8,
    length: usize,
    /// Spaces before it, which are removed from its lines too.
    indent: usize,
    /// The first byte that is not part of a complete line yet.
    pub(super) at: usize,
    /// The first byte not yet searched for a line end.
    seen: usize,
    tail: Tail,
}

/// How much of the incomplete line is final.
#[derive(Clone, Copy, Debug, Default)]
struct Tail {
    /// Bytes of the code.
    taken: usize,
    /// Bytes of the shown text.
    shown: usize,
    /// Columns of that, modulo the tab width.
    column: usize,
}

impl Fence {
    /// Parses a line that opens a fence, whose text continues at byte `at`; `None`: it opens none.
    pub(super) fn open(line: &str, at: usize) -> Option<Self> {
        let text = line.trim_start_matches(' ');
        let mark = *text.as_bytes().first()?;
        let length = text.bytes().take_while(|byte| *byte == mark).count();
        let indent = line.len() - text.len();
        let opens = matches!(mark, b'`' | b'~') && length >= 3 && indent <= 3;
        opens.then_some(Self { mark, length, indent, at, seen: at, tail: Tail::default() })
    }

    /// Adds new text; returns whether that closed the fence. Then `at` is where the next block begins.
    pub(super) fn take(&mut self, source: &str, block: &mut Block) -> bool {
        while let Some(end) = memchr(b'\n', &source.as_bytes()[self.seen..]) {
            let line = &source[self.at..self.seen + end];
            self.seen += end + 1;
            self.at = self.seen;
            if self.closes(line) {
                block.lines.truncate(block.stable);
                block.codes[0].lines = 0..block.stable;
                block.source.end = self.at;
                return true;
            }
            let (line, end) = line.strip_suffix('\r').map_or((line, "\n"), |line| (line, "\r\n"));
            let line = self.code(line);
            self.extend(block, &line);
            self.tail = Tail::default();
            (block.stable, block.held) = (block.lines.len(), 0);
            block.codes[0].text.push(&line);
            block.codes[0].text.push(end);
        }
        self.seen = source.len();
        block.source.end = source.len();
        let rest = &source[self.at..];
        if rest.is_empty() || self.closes(rest) {
            block.lines.truncate(block.stable);
            (self.tail, block.held) = (Tail::default(), 0);
        } else {
            self.extend(block, &self.code(rest));
            // Up to here it may still become the closing line, which is not shown.
            if rest.trim_start_matches(' ').bytes().all(|byte| byte == self.mark) {
                self.tail = Tail::default();
            }
            block.held = self.tail.shown;
        }
        block.codes[0].lines = 0..block.lines.len();
        false
    }

    /// Adds a line, of which the beginning may be there already.
    fn extend(&mut self, block: &mut Block, text: &str) {
        let known = if block.lines.len() > block.stable { block.lines.pop() } else { None };
        let mut line = known.unwrap_or_else(code_line);
        line.cut(self.tail.shown);
        let role = listing_role(&block.codes[0].language, text);
        let new = &text[self.tail.taken..];
        let at = split_point(new);
        line.add_at(&new[..at], role, self.tail.column);
        self.tail.column += line.text[self.tail.shown..].width();
        self.tail.taken += at;
        self.tail.shown = line.text.len();
        line.add_at(&new[at..], role, self.tail.column);
        block.lines.push(line);
    }

    /// Returns a line without the fence's indent. The part of a tab beyond it stays, as spaces.
    fn code<'a>(&self, line: &'a str) -> Cow<'a, str> {
        let spaces = line.bytes().take(self.indent).take_while(|byte| *byte == b' ').count();
        match line[spaces..].strip_prefix('\t') {
            Some(rest) if spaces < self.indent => Cow::Owned(" ".repeat(TAB - self.indent) + rest),
            _ => Cow::Borrowed(&line[spaces..]),
        }
    }

    fn closes(&self, line: &str) -> bool {
        let text = line.trim_start_matches(' ');
        let length = text.bytes().take_while(|byte| *byte == self.mark).count();
        line.len() - text.len() <= 3 && length >= self.length && text[length..].trim_end_matches(['\r', ' ']).is_empty()
    }
}

/// Returns the last place at which the text can be split so that both parts are drawn the same as the whole; 0 if there
/// is none.
fn split_point(text: &str) -> usize {
    let mut after = None;
    for (at, c) in text.char_indices().rev() {
        let stands_alone = never_combines(c);
        match after {
            Some(after) if stands_alone => return after,
            _ => after = stands_alone.then_some(at),
        }
    }
    0
}

/// Returns whether a character never combines with a neighbour of the same kind. Only the common ones are included.
fn never_combines(c: char) -> bool {
    matches!(c, ' '..='~' | '\u{c0}'..='\u{24f}' | '\u{391}'..='\u{481}' | '\u{3041}'..='\u{3096}'
        | '\u{30a1}'..='\u{30fa}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

#[cfg(test)]
mod tests {
    use super::super::Doc;
    use proptest::prelude::*;

    #[test]
    fn a_tab_loses_no_more_than_the_indent_of_its_fence() {
        let mut doc = Doc::new("  ```\n");
        doc.refresh();
        doc.push("\tx\n \ty\n```\n");
        doc.refresh();
        let code = doc.code_block(0).unwrap().clone();
        let mut whole = Doc::whole("  ```\n\tx\n \ty\n```\n");
        whole.refresh();
        assert_eq!(code, "  x\n  y\n");
        assert_eq!(whole.code_block(0).unwrap(), "  x\n  y\n");
    }

    proptest! {
        /// Tests that an open fence that arrives in parts equals the same text at once: lines, closing lines and
        /// similar ones, marks, tabs and combining characters.
        #[test]
        fn an_open_fence_in_pieces_is_the_same_as_at_once(
            open in prop::sample::select(vec!["```rust\n", "~~~~\n", "  ```\n"]),
            pieces in proptest::collection::vec(prop::sample::select(vec![
                "a", "b c", "\t", "日本", "\u{301}", "👩", "\u{200d}", "\u{fe0e}", "\u{202e}", "\n", "\r\n", "`", "``",
                "~~~", " ", "   ", "🇵", "é", "\u{1b}[2J",
            ]), 0..60),
        ) {
            let mut doc = Doc::new(open);
            doc.refresh();
            let mut source = open.to_owned();
            for piece in pieces {
                source.push_str(piece);
                doc.push(piece);
                doc.refresh();
                let mut fresh = Doc::new(source.as_str());
                fresh.refresh();
                let lines = |doc: &Doc| doc.blocks().iter().flat_map(|block| block.lines.clone()).collect::<Vec<_>>();
                prop_assert_eq!(lines(&doc), lines(&fresh));
                let codes = |doc: &Doc| doc.codes().map(|(at, code)| (at, code.clone())).collect::<Vec<_>>();
                prop_assert_eq!(codes(&doc), codes(&fresh));
                let mut whole = Doc::whole(source.as_str());
                whole.refresh();
                let texts = |doc: &Doc| -> String {
                    let lines = doc.blocks().iter().flat_map(|block| &block.lines);
                    lines.map(|line| line.text.trim_end().to_owned() + "\n").collect()
                };
                // The parser splits a tab at the indent.
                if source.ends_with('\n') && !(source.contains('\t') && open.starts_with(' ')) {
                    prop_assert_eq!(texts(&doc), texts(&whole));
                }
            }
        }
    }

    #[test]
    fn a_long_line_is_not_taken_from_its_start() {
        let mut doc = Doc::new("```\n");
        for _ in 0..20_000 {
            doc.push("{\"name\":\"日本語\"},");
            doc.refresh();
            let block = &doc.blocks()[0];
            assert!(block.lines[1].text.len() - block.held < 40);
        }
    }
}
