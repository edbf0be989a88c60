//! From Markdown's events to blocks.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser};

use super::latex::Latex;
use super::line::{Block, Element, Kind, Line, Role, Shape};
use super::table::MarkdownTable;
use super::tags::element;
use crate::ui::wrap;

/// Parses a piece of source that begins at a top-level block; `base` is its offset, and `open` whether more may follow.
pub(super) fn blocks(source: &str, base: usize, open: bool) -> Vec<Block> {
    let latex = Latex::of(source, open);
    let hidden = latex.hidden();
    let mut build = Build { latex, ..Build::new(source, base) };
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES;
    for (event, range) in Parser::new_ext(&hidden, options).into_offset_iter() {
        build.event(event, range);
    }
    build.done
}

/// Returns a part of a text that is shown as it came, without its lines.
pub(super) fn piece(source: Range<usize>) -> Block {
    Block {
        element: Element::Source,
        source,
        lines: Vec::new(),
        tables: Vec::new(),
        piece: true,
        codes: Vec::new(),
        first: 0,
        id: 0,
        stable: 0,
        held: 0,
    }
}

/// Returns the lines of a source as they came.
pub(super) fn lines(source: &str) -> Vec<Line> {
    let line = |text: &str| {
        let mut line = Line::default();
        line.add(text, Role::default());
        line
    };
    source.lines().map(line).collect()
}

/// What precedes the lines inside a list, quote or footnote.
pub(super) struct NestingLevel {
    /// Used for the next line only.
    pub(super) first: Option<String>,
    pub(super) hang: String,
}

pub(super) struct Build<'a> {
    pub(super) source: &'a str,
    pub(super) base: usize,
    /// Whether the parser saw letters in its place.
    pub(super) latex: Latex<'a>,
    pub(super) done: Vec<Block>,
    pub(super) block: Option<Block>,
    pub(super) depth: usize,
    pub(super) levels: Vec<NestingLevel>,
    pub(super) lists: Vec<Option<u64>>,
    pub(super) line: Option<Line>,
    pub(super) role: Role,
    /// Targets of open links, and where their text begins.
    pub(super) links: Vec<(String, usize)>,
    pub(super) code: Option<(String, String)>,
    pub(super) table: Option<MarkdownTable>,
}

impl<'a> Build<'a> {
    fn new(source: &'a str, base: usize) -> Self {
        Self {
            source,
            base,
            latex: Latex::default(),
            done: Vec::new(),
            block: None,
            depth: 0,
            levels: Vec::new(),
            lists: Vec::new(),
            line: None,
            role: Role::default(),
            links: Vec::new(),
            code: None,
            table: None,
        }
    }

    fn open(&mut self, element: Element, range: Range<usize>) {
        let source = self.base + range.start..self.base + range.end;
        self.block = Some(Block { element, piece: false, ..piece(source) });
    }

    fn close(&mut self) {
        self.flush();
        if let Some(block) = self.block.take() {
            self.done.push(block);
        }
    }

    pub(super) fn prefixed(&mut self) -> Line {
        let hang = self.levels.iter().map(|level| level.hang.as_str()).collect();
        let first =
            self.levels.iter_mut().map(|level| level.first.take().unwrap_or_else(|| level.hang.clone())).collect();
        Line { first, hang, ..Line::default() }
    }

    pub(super) fn put(&mut self, line: Line) {
        if let Some(block) = &mut self.block {
            block.lines.push(line);
        }
    }

    pub(super) fn flush(&mut self) {
        if let Some(mut line) = self.line.take() {
            line.link_addresses();
            self.put(line);
        }
    }

    pub(super) fn add(&mut self, text: &str, role: Role) {
        if self.line.is_none() {
            self.line = Some(self.prefixed());
        }
        if let Some(line) = &mut self.line {
            line.add(text, role);
        }
    }

    /// Begins lines after a mark.
    pub(super) fn nest(&mut self, mark: String) {
        let hang = " ".repeat(wrap::width(&mark));
        self.levels.push(NestingLevel { first: Some(mark), hang });
    }

    /// Adds a blank line before an inner block that is not an item's first.
    pub(super) fn gap(&mut self) {
        self.flush();
        let inner = self.levels.last().is_some_and(|level| level.first.is_none());
        let begun = |block: &Block| !(block.lines.is_empty() && block.tables.is_empty());
        if inner && self.block.as_ref().is_some_and(begun) {
            let line = self.prefixed();
            self.put(line);
        }
    }

    fn verbatim(&mut self, text: &str, role: Role) {
        for text in text.lines() {
            let mut line = self.prefixed();
            line.add(text, role);
            self.put(line);
        }
    }

    /// Continues in a new line of the same block.
    fn break_line(&mut self) {
        if let Some(line) = &mut self.line {
            for (dest, at) in &mut self.links {
                line.link(std::mem::take(at), dest);
            }
        }
        self.flush();
        let mut line = self.prefixed();
        line.first.clone_from(&line.hang);
        self.line = Some(line);
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => {
                let start = range.start;
                if self.depth == 0 {
                    self.open(element(&tag), range);
                }
                self.depth += 1;
                self.start(tag, start);
            }
            Event::End(tag) => {
                self.depth -= 1;
                self.end(tag, range.start);
                if self.depth == 0 {
                    self.close();
                }
            }
            Event::Text(text) => {
                let start = range.start;
                let text = self.latex.shown(&text, range);
                match &mut self.code {
                    Some((_, code)) => {
                        // The parser leaves out one half of a line's end; copying needs both.
                        if text.starts_with('\n') && self.source[..start].ends_with('\r') && !code.ends_with('\r') {
                            code.push('\r');
                        }
                        code.push_str(&text);
                    }
                    None => {
                        if self.levels.is_empty() {
                            self.add(self.latex.indent(start), self.role);
                        }
                        self.add(&text, self.role);
                    }
                }
            }
            Event::Code(text) => {
                let text = self.latex.shown(&text, range);
                let kind = if self.links.is_empty() { Kind::InlineCode } else { Kind::Link };
                let mark = if self.links.is_empty() { Kind::Backtick } else { Kind::Muted };
                let mark = Role { kind: mark, ..self.role };
                self.add("`", mark);
                self.add(&text, Role { kind, ..self.role });
                self.add("`", mark);
            }
            Event::SoftBreak if self.latex.is_kept(&range) => self.break_line(),
            Event::SoftBreak => self.add(" ", self.role),
            Event::HardBreak => self.break_line(),
            Event::Html(text) => {
                self.flush();
                let text = self.latex.shown(&text, range);
                self.verbatim(&text, Role::of(Kind::Muted));
            }
            Event::InlineHtml(text) => {
                let text = self.latex.shown(&text, range);
                self.add(&text, Role::of(Kind::Muted));
            }
            Event::Rule => {
                let top = self.depth == 0;
                if top {
                    self.open(Element::Rule, range);
                }
                self.flush();
                let mut line = self.prefixed();
                line.shape = Shape::Rule;
                self.put(line);
                if top {
                    self.close();
                }
            }
            Event::TaskListMarker(done) => self.mark_task(if done { "[x] " } else { "[ ] " }),
            Event::FootnoteReference(_) => {
                let words = format!("[{}]", self.footnote(range.start));
                self.add(&words, Role { kind: Kind::Muted, ..self.role });
            }
            Event::InlineMath(text) | Event::DisplayMath(text) => self.add(&text, self.role),
        }
    }
}
