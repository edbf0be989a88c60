//! Markdown that grows at its end: what is finished is never parsed again.
//!
//! Only the last top-level block may still change, and its predecessors only as long as the last line is incomplete.
//! An open code fence takes what is new; a last block beyond [`LONGEST`] bytes is cut and goes on as the next.
//! [`Doc::finish`] parses everything once, for link references that came late and for what was cut.

mod build;
mod fence;
mod line;
mod table;

use std::ops::Range;

use fence::Fence;
pub use line::{Block, Code, Element, Kind, Line, Role, Shape};

use crate::text::{Tint, Untrusted};

/// Bytes of an unfinished block that are parsed again with every addition.
pub const LONGEST: usize = 16 << 10;

/// A Markdown text and its blocks.
#[derive(Clone, Debug, Default)]
pub struct Doc {
    source: Untrusted,
    blocks: Vec<Block>,
    /// Blocks and bytes that stay as they are.
    settled: usize,
    settled_at: usize,
    fence: Option<Fence>,
    /// Bytes seen by the parser.
    parsed: usize,
    finished: bool,
    raw: bool,
    next_id: u64,
}

impl Doc {
    /// A text that may still grow.
    pub fn new(text: impl Into<Untrusted>) -> Self {
        Self { source: text.into(), ..Self::default() }
    }

    /// A text that is complete.
    pub fn whole(text: impl Into<Untrusted>) -> Self {
        Self { finished: true, ..Self::new(text) }
    }

    /// Appends text; parsed when next looked at, see [`Doc::refresh`].
    pub fn push(&mut self, text: impl Into<Untrusted>) {
        self.source.append(&text.into());
    }

    /// The text is complete.
    pub fn finish(&mut self) {
        if self.finished {
            return;
        }
        self.finished = true;
        if self.parsed > 0 {
            let old = std::mem::take(&mut self.blocks);
            self.restart();
            self.refresh();
            // What did not change keeps its colours and its rows.
            for (new, old) in self.blocks.iter_mut().zip(&old) {
                new.colour_as(old);
                if new.same(old) {
                    new.id = old.id;
                }
            }
        }
    }

    /// Whether it is.
    pub fn finished(&self) -> bool {
        self.finished
    }

    /// Exactly what was given.
    pub fn source(&self) -> &Untrusted {
        &self.source
    }

    /// Shows the source as it is, or no longer.
    pub fn set_raw(&mut self, raw: bool) {
        if self.raw != raw {
            self.raw = raw;
            self.restart();
        }
    }

    /// Whether the source is shown.
    pub fn raw(&self) -> bool {
        self.raw
    }

    /// The blocks as of the last [`Doc::refresh`].
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The `n`th code block's text, exactly, without its fence.
    pub fn code_block(&self, n: usize) -> Option<&Untrusted> {
        self.code(n).map(|(_, code)| &code.text)
    }

    /// How many code blocks there are.
    pub fn code_count(&self) -> usize {
        self.blocks.last().map_or(0, |last| last.first + last.codes.len())
    }

    /// The `n`th code block, and the index of the block it is in.
    pub fn code(&self, n: usize) -> Option<(usize, &Code)> {
        let (at, code) = self.place(n)?;
        Some((at, &self.blocks[at].codes[code]))
    }

    /// The number of the code block that a line of a block belongs to.
    pub fn code_at(&self, block: usize, line: usize) -> Option<usize> {
        let block = self.blocks.get(block)?;
        Some(block.first + block.codes.iter().position(|code| code.lines.contains(&line))?)
    }

    #[cfg(test)]
    fn codes(&self) -> impl Iterator<Item = (usize, &Code)> {
        self.blocks.iter().enumerate().flat_map(|(at, block)| block.codes.iter().map(move |code| (at, code)))
    }

    /// The `n`th code block, if it is complete, has a language and no colours yet.
    pub fn uncoloured(&self, n: usize) -> Option<&Code> {
        let ready = if self.finished { self.blocks.len() } else { self.settled };
        let (at, code) = self.code(n)?;
        (at < ready && !code.coloured && !code.language.is_empty()).then_some(code)
    }

    /// Colours the `n`th code block: byte ranges of its text, ascending, not overlapping.
    pub fn set_tints(&mut self, n: usize, tints: &[(Range<usize>, Tint)]) {
        let Some((block, code)) = self.place(n) else { return };
        let block = &mut self.blocks[block];
        let code = &mut block.codes[code];
        code.coloured = true;
        let mut from = 0;
        let lines = code.lines.start + 1..code.lines.end;
        for (text, line) in code.text.raw().split_inclusive('\n').zip(&mut block.lines[lines]) {
            let shown = text.trim_end_matches(['\n', '\r']);
            // Where the sanitiser changed the line its bytes are not the code's.
            if line.text == shown {
                let end = from + shown.len();
                let first = tints.partition_point(|(range, _)| range.end <= from);
                line.roles = tints[first..]
                    .iter()
                    .take_while(|(range, _)| range.start < end)
                    .map(|(range, tint)| {
                        (range.start.max(from) - from..range.end.min(end) - from, Role::of(Kind::Tint(*tint)))
                    })
                    .filter(|(range, _)| shown.is_char_boundary(range.start) && shown.is_char_boundary(range.end))
                    .collect();
            }
            from += text.len();
        }
    }

    fn place(&self, n: usize) -> Option<(usize, usize)> {
        let at = self.blocks.partition_point(|block| block.first + block.codes.len() <= n);
        self.blocks.get(at).map(|block| (at, n - block.first))
    }

    fn add(&mut self, mut block: Block) {
        self.next_id += 1;
        (block.id, block.first) = (self.next_id, self.code_count());
        self.blocks.push(block);
    }

    fn restart(&mut self) {
        self.blocks.clear();
        (self.settled, self.settled_at, self.parsed) = (0, 0, 0);
        self.fence = None;
    }

    /// Parses what came since the last time; the index of the first block that may have changed.
    pub fn refresh(&mut self) -> usize {
        if self.parsed == self.source.len() {
            return self.blocks.len();
        }
        self.parsed = self.source.len();
        let at = self.settled;
        if !self.take_lines() {
            self.parse();
        }
        at
    }

    /// Parses from the last settled byte.
    fn parse(&mut self) {
        self.blocks.truncate(self.settled);
        loop {
            let source = &self.source.raw()[self.settled_at..];
            let new = if self.raw && !source.is_empty() {
                vec![build::plain(source, self.settled_at)]
            } else {
                build::blocks(source, self.settled_at)
            };
            for block in new {
                self.add(block);
            }
            if self.finished {
                return;
            }
            self.settle();
            if self.source.len() - self.settled_at <= LONGEST || self.fence.is_some() || !self.cut() {
                return;
            }
            self.blocks.truncate(self.settled);
        }
    }

    /// Settles all blocks but the last if the last one's first line is complete: until then it may turn out to belong
    /// to its predecessor.
    fn settle(&mut self) {
        let Some(last) = self.blocks.last() else { return };
        let (element, at) = (last.element, last.source.start);
        let source = self.source.raw();
        let line_start = source[..at].rfind('\n').map_or(0, |end| end + 1);
        let Some(line) = source[line_start..].find('\n').map(|end| &source[line_start..line_start + end]) else {
            return;
        };
        if self.blocks.len() > self.settled + 1 {
            self.settled = self.blocks.len() - 1;
            self.settled_at = line_start.max(self.settled_at);
        }
        if element == Element::Code && self.settled + 1 == self.blocks.len() {
            self.fence = Fence::open(line, line_start + line.len() + 1);
        }
        if let (Some(_), Some(block)) = (self.fence, self.blocks.last_mut()) {
            block.lines.truncate(1);
            block.stable = 1;
            block.codes[0].text.clear();
            if !self.take_lines() {
                self.parse();
            }
        }
    }

    /// Takes what came into the open fence; `false` once it is closed, the rest then has to be parsed.
    fn take_lines(&mut self) -> bool {
        let (Some(fence), Some(block)) = (&mut self.fence, self.blocks.last_mut()) else { return false };
        let closed = fence.take(self.source.raw(), block);
        if closed {
            (self.settled, self.settled_at) = (self.blocks.len(), fence.at);
            self.fence = None;
        }
        !closed
    }

    /// Settles an overlong tail at its last line's or word's end; whether there was anything to settle.
    fn cut(&mut self) -> bool {
        let tail = &self.source.raw()[self.settled_at..];
        let mut most = LONGEST.min(tail.len());
        while !tail.is_char_boundary(most) {
            most -= 1;
        }
        let head = &tail[..most];
        let end = head.rfind('\n').or_else(|| head.rfind(' ')).map_or(most, |at| at + 1);
        let new = if self.raw {
            vec![build::plain(&tail[..end], self.settled_at)]
        } else {
            build::blocks(&tail[..end], self.settled_at)
        };
        self.blocks.truncate(self.settled);
        for block in new {
            self.add(block);
        }
        self.settled = self.blocks.len();
        self.settled_at += end;
        end > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_listing_keeps_the_ends_of_its_lines() {
        let source = "x\r\n\r\n```rs\r\na\r\n\r\nb \r\n```\r\n\r\n> ```\r\n> c\r\n> d\n> ```\r\n\r\n```\ne\n\nf\n```\n";
        for mut doc in [Doc::whole(source), in_pieces(source)] {
            doc.refresh();
            let codes: Vec<_> = doc.codes().map(|(_, code)| code.text.raw().to_owned()).collect();
            assert_eq!(codes, ["a\r\n\r\nb \r\n", "c\r\nd\n", "e\n\nf\n"]);
        }
    }

    fn in_pieces(source: &str) -> Doc {
        let mut doc = Doc::default();
        for at in 0..source.len() {
            doc.push(&source[at..=at]);
            doc.refresh();
        }
        doc
    }

    const CORPUS: &str = "# Title\n\nA *para* with **bold**, `code` and [a link](https://example.com/x).\nSoft.  \nHard.\n\n\
        - one\n- two\n  - inner\n\n  loose\n- a\n*b* lazy\n\n1. first\n2. second\n\n> quoted\n> more\n\n```rust\nfn main() {\n\n\
        }\n```\nAfter.\n\n| a | 日本 |\n|---|---|\n| 1 | 2 |\n\n---\n\n~~~\ntilde\n```\n~~~\n\n<b>html</b>\n\n    indented\n\nend 👩‍👩‍👧‍👦";

    fn same(left: &Doc, right: &Doc) -> Result<(), TestCaseError> {
        prop_assert_eq!(left.blocks().len(), right.blocks().len());
        for (left, right) in left.blocks().iter().zip(right.blocks()) {
            prop_assert!(left.same(right), "{:#?}\n{:#?}", left, right);
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn in_pieces_it_is_the_same_as_at_once(cuts in proptest::collection::vec(0..CORPUS.len(), 0..60)) {
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|at| CORPUS.is_char_boundary(*at)).collect();
            cuts.sort_unstable();
            let (mut doc, mut from) = (Doc::default(), 0);
            for at in cuts.into_iter().chain([CORPUS.len()]) {
                doc.push(&CORPUS[from..at]);
                doc.refresh();
                from = at;
            }
            let mut whole = Doc::whole(CORPUS);
            whole.refresh();
            let lines = |doc: &Doc| doc.blocks().iter().flat_map(|block| block.lines.clone()).collect::<Vec<_>>();
            prop_assert_eq!(lines(&doc), lines(&whole));
            doc.finish();
            same(&doc, &whole)?;
        }
    }

    #[test]
    fn code_is_copied_exactly() {
        let mut doc = Doc::new("- x\n  ```sh\n  a\tb\u{1b}[0m\n\n    c\n  ```\n\n```\nplain\n```\n");
        doc.refresh();
        assert_eq!(doc.code_block(0).map(Untrusted::raw), Some("a\tb\u{1b}[0m\n\n  c\n"));
        assert_eq!(doc.code_block(1).map(Untrusted::raw), Some("plain\n"));
        assert!(doc.blocks().iter().all(|block| block.lines.iter().all(|line| !line.text.contains('\u{1b}'))));
    }

    #[test]
    fn a_long_tail_is_not_parsed_from_its_start() {
        let mut doc = Doc::default();
        for _ in 0..20_000 {
            doc.push("word and ");
            doc.refresh();
        }
        assert!(doc.source.len() - doc.settled_at <= LONGEST);
        let cut = doc.settled;
        doc.finish();
        assert!(cut > 1 && doc.blocks().len() == 1);
    }

    #[test]
    fn colours_land_on_their_lines() {
        let mut doc = Doc::whole("```rust\nlet a;\n// b\n```");
        doc.refresh();
        assert!(doc.uncoloured(0).is_some() && doc.uncoloured(1).is_none());
        doc.set_tints(0, &[(0..3, Tint::Keyword), (7..11, Tint::Comment)]);
        assert_eq!(doc.blocks()[0].lines[2].roles, [(0..4, Role::of(Kind::Tint(Tint::Comment)))]);
        assert!(doc.uncoloured(0).is_none());
    }
}
