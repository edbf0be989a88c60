//! Markdown that grows at its end: finished parts are never parsed again.
//!
//! Only the last top-level block may still change, and its predecessors only as long as the last line is incomplete.
//! New text is added to an open code fence without parsing; a last block beyond [`LONGEST`] bytes is split.
//! [`Doc::finish`] parses everything once, for late link references and for blocks that were split.
//!
//! The source after the first [`MARKDOWN`] bytes, and all of a text that is shown raw, is not parsed but kept in
//! pieces: their lines are computed when they are needed and dropped afterwards, so that a long text takes little more
//! memory than its bytes.

mod build;
mod fence;
mod latex;
mod line;
mod link;
mod listing;
mod table;
mod tags;
#[cfg(test)]
mod tests;

use std::ops::Range;

use fence::Fence;
pub use line::{Block, Code, Element, Kind, Line, Role, Shape};
pub use link::LinkTarget;

use crate::text::{Tint, Untrusted};

/// Bytes of an unfinished block that are parsed again with every addition, and of a piece of the source.
pub const LONGEST: usize = 16 << 10;
/// Bytes of a text that are shown as Markdown: more than the longest answer of present models.
pub const MARKDOWN: usize = 1 << 20;

/// A Markdown text and its blocks.
#[derive(Clone, Debug, Default)]
pub struct Doc {
    source: Untrusted,
    blocks: Vec<Block>,
    /// Blocks and bytes that do not change any more.
    settled: usize,
    settled_at: usize,
    fence: Option<Fence>,
    /// Bytes that were parsed.
    parsed: usize,
    finished: bool,
    raw: bool,
    /// Whether the text after the settled blocks is shown unparsed.
    plain: bool,
    next_id: u64,
}

impl Doc {
    /// Creates a text that may still grow.
    pub fn new(text: impl Into<Untrusted>) -> Self {
        Self { source: text.into(), ..Self::default() }
    }

    /// Creates a text that is complete.
    pub fn whole(text: impl Into<Untrusted>) -> Self {
        Self { finished: true, ..Self::new(text) }
    }

    /// Appends text; it is parsed by the next [`Doc::refresh`].
    pub fn push(&mut self, text: impl Into<Untrusted>) {
        self.source.append(&text.into());
    }

    /// Marks the text as complete and parses it as such.
    pub fn finish(&mut self) {
        if self.finished {
            return;
        }
        self.finished = true;
        self.source.shrink();
        if self.plain {
            // The last piece is complete too.
            self.cut_pieces();
        } else if self.parsed > 0 {
            let old = std::mem::take(&mut self.blocks);
            self.restart();
            self.refresh();
            // Unchanged blocks keep their colours and rows.
            for (new, old) in self.blocks.iter_mut().zip(old) {
                new.colour_as(&old);
                if new.same(&old) {
                    // With their tables laid out: owners that know the block do not lay it out again.
                    (new.id, new.lines, new.tables, new.codes) = (old.id, old.lines, old.tables, old.codes);
                }
            }
        }
    }

    /// Returns whether the text is complete.
    pub fn finished(&self) -> bool {
        self.finished
    }

    /// Returns the source unchanged.
    pub fn source(&self) -> &Untrusted {
        &self.source
    }

    /// Sets whether the source is shown unparsed.
    pub fn set_raw(&mut self, raw: bool) {
        if self.raw != raw {
            self.raw = raw;
            self.restart();
        }
    }

    /// Returns whether the source is shown unparsed.
    pub fn raw(&self) -> bool {
        self.raw
    }

    /// Returns the blocks as of the last [`Doc::refresh`].
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Returns the exact text of the `n`th code block, without its fence.
    pub fn code_block(&self, n: usize) -> Option<&Untrusted> {
        self.code(n).map(|(_, code)| &code.text)
    }

    /// Returns how many code blocks there are.
    pub fn code_count(&self) -> usize {
        self.blocks.last().map_or(0, |last| last.first + last.codes.len())
    }

    /// Returns the `n`th code block, and the index of the block that contains it.
    pub fn code(&self, n: usize) -> Option<(usize, &Code)> {
        let (at, code) = self.place(n)?;
        Some((at, &self.blocks[at].codes[code]))
    }

    /// Returns the number of the code block that contains a line of a block.
    pub fn code_at(&self, block: usize, line: usize) -> Option<usize> {
        let block = self.blocks.get(block)?;
        Some(block.first + block.codes.iter().position(|code| code.lines.contains(&line))?)
    }

    #[cfg(test)]
    fn codes(&self) -> impl Iterator<Item = (usize, &Code)> {
        self.blocks.iter().enumerate().flat_map(|(at, block)| block.codes.iter().map(move |code| (at, code)))
    }

    /// Returns the `n`th code block, if it is complete, has a language and no colours yet.
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
            // If the sanitiser changed the line its bytes are not the code's.
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
        self.blocks = Vec::new();
        (self.settled, self.settled_at, self.parsed) = (0, 0, 0);
        self.fence = None;
        self.plain = self.raw;
    }

    /// Drops the blocks; the next [`Doc::refresh`] builds them again, without colours. Only for a finished text.
    pub fn drop_layout(&mut self) {
        if self.finished {
            self.restart();
        }
    }

    /// Builds the lines of a block for a width in columns, if they depend on that or were dropped.
    pub fn wrap_block(&mut self, at: usize, columns: usize) {
        let Some(block) = self.blocks.get_mut(at) else { return };
        if block.piece {
            let source = self.source.raw().get(block.source.clone()).unwrap_or_default();
            block.lines = build::lines(source);
        } else {
            block.fit(columns);
        }
    }

    /// Drops the lines of a part of the source.
    pub fn drop_block_rows(&mut self, at: usize) {
        if let Some(block) = self.blocks.get_mut(at).filter(|block| block.piece) {
            block.lines = Vec::new();
        }
    }

    /// Shares the memory of `text` if it equals the source.
    pub fn share(&mut self, text: &Untrusted) {
        if self.source == *text {
            self.source.clone_from(text);
        }
    }

    /// Parses what was added since the last time; returns the index of the first block that may have changed.
    pub fn refresh(&mut self) -> usize {
        if self.parsed == self.source.len() {
            return self.blocks.len();
        }
        self.parsed = self.source.len();
        let at = self.settled;
        if !self.plain && self.source.len() > MARKDOWN {
            self.end_markdown();
        }
        if self.plain {
            self.cut_pieces();
        } else if !self.take_lines() {
            self.parse();
        }
        at
    }

    /// Settles the blocks that end within the first [`MARKDOWN`] bytes: the rest is shown unparsed.
    fn end_markdown(&mut self) {
        self.fence = None;
        self.blocks.truncate(self.settled);
        let source = self.source.raw();
        let end = source.floor_char_boundary(MARKDOWN);
        if self.settled_at < end {
            let mut new = build::blocks(&source[self.settled_at..end], self.settled_at, true);
            // The last one may continue.
            if let Some(last) = new.pop() {
                let line = source[..last.source.start].rfind('\n').map_or(0, |end| end + 1);
                self.settled_at = line.max(self.settled_at);
            }
            for block in new {
                self.add(block);
            }
            self.settled = self.blocks.len();
        }
        self.plain = true;
    }

    /// Splits what follows the settled blocks into pieces, each up to the end of a line, or of a word of an overlong
    /// one.
    fn cut_pieces(&mut self) {
        self.blocks.truncate(self.settled);
        while self.settled_at < self.source.len() {
            let end = self.settled_at + cut(&self.source.raw()[self.settled_at..]);
            self.add(build::piece(self.settled_at..end));
            if end == self.source.len() && !self.finished {
                return;
            }
            (self.settled, self.settled_at) = (self.blocks.len(), end);
        }
    }

    /// Parses from the last settled byte.
    fn parse(&mut self) {
        self.blocks.truncate(self.settled);
        loop {
            let source = &self.source.raw()[self.settled_at..];
            let new = build::blocks(source, self.settled_at, !self.finished);
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

    /// Settles all blocks but the last if the last one's first line is complete: until then it may belong to its
    /// predecessor.
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

    /// Adds new text to the open fence; returns `false` once that is closed, as the rest then has to be parsed.
    fn take_lines(&mut self) -> bool {
        let (Some(fence), Some(block)) = (&mut self.fence, self.blocks.last_mut()) else { return false };
        let closed = fence.take(self.source.raw(), block);
        if closed {
            (self.settled, self.settled_at) = (self.blocks.len(), fence.at);
            self.fence = None;
        }
        !closed
    }

    /// Settles an overlong tail at the end of its last line or word; returns whether there was anything to settle.
    fn cut(&mut self) -> bool {
        let tail = &self.source.raw()[self.settled_at..];
        let end = cut(tail);
        let new = build::blocks(&tail[..end], self.settled_at, false);
        self.blocks.truncate(self.settled);
        for block in new {
            self.add(block);
        }
        self.settled = self.blocks.len();
        self.settled_at += end;
        end > 0
    }
}

/// Returns where the first [`LONGEST`] bytes of a text are best split: at the end of their last line, or else word.
fn cut(text: &str) -> usize {
    if text.len() <= LONGEST {
        return text.len();
    }
    let head = &text[..text.floor_char_boundary(LONGEST)];
    head.rfind('\n').or_else(|| head.rfind(' ')).map_or(head.len(), |at| at + 1)
}
