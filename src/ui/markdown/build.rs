//! From Markdown's events to blocks.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::latex::Latex;
use super::line::{Block, Code, Element, Kind, Line, Role, Shape};
use super::table::MarkdownTable;
use crate::text::Untrusted;
use crate::ui::wrap;

/// Parses a piece of source that begins at a top-level block; `base` is its offset, and `open` whether more may come.
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

/// A piece of a text that is shown as it came, without its lines.
pub(super) fn piece(source: Range<usize>) -> Block {
    Block {
        element: Element::Source,
        source,
        lines: Vec::new(),
        table: None,
        piece: true,
        codes: Vec::new(),
        first: 0,
        id: 0,
        stable: 0,
        held: 0,
    }
}

/// The lines of a source as they came.
pub(super) fn lines(source: &str) -> Vec<Line> {
    let line = |text: &str| {
        let mut line = Line::default();
        line.add(text, Role::default());
        line
    };
    source.lines().map(line).collect()
}

/// An empty line of a code block at the top level.
pub(super) fn code_line() -> Line {
    Line { first: "│ ".to_owned(), hang: "│ ".to_owned(), ..Line::default() }
}

/// Whether a listing in this language is a diff.
fn is_diff(language: &Untrusted) -> bool {
    ["diff", "patch"].iter().any(|diff| *language == *diff)
}

/// Returns the role of a line of a listing; of a diff, by the line's first character.
pub(super) fn listing_role(language: &Untrusted, line: &str) -> Role {
    Role::of(match line.as_bytes().first() {
        Some(b'+') if is_diff(language) => Kind::Added,
        Some(b'-') if is_diff(language) => Kind::Removed,
        Some(b'@') if is_diff(language) => Kind::Hunk,
        _ => Kind::Code,
    })
}

/// What stands before an item of a list without numbers.
const BULLET: &str = "• ";

/// What stands before the lines inside a list, quote or footnote.
struct NestingLevel {
    /// For the next line only.
    first: Option<String>,
    hang: String,
}

struct Build<'a> {
    source: &'a str,
    base: usize,
    /// The parser saw letters in its place.
    latex: Latex<'a>,
    done: Vec<Block>,
    block: Option<Block>,
    depth: usize,
    levels: Vec<NestingLevel>,
    lists: Vec<Option<u64>>,
    line: Option<Line>,
    role: Role,
    /// Where open links go, and where their text begins.
    links: Vec<(String, usize)>,
    code: Option<(String, String)>,
    table: Option<MarkdownTable>,
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

    fn prefixed(&mut self) -> Line {
        let hang = self.levels.iter().map(|level| level.hang.as_str()).collect();
        let first =
            self.levels.iter_mut().map(|level| level.first.take().unwrap_or_else(|| level.hang.clone())).collect();
        Line { first, hang, ..Line::default() }
    }

    fn put(&mut self, line: Line) {
        if let Some(block) = &mut self.block {
            block.lines.push(line);
        }
    }

    fn flush(&mut self) {
        if let Some(mut line) = self.line.take() {
            line.link_addresses();
            self.put(line);
        }
    }

    fn add(&mut self, text: &str, role: Role) {
        if self.line.is_none() {
            self.line = Some(self.prefixed());
        }
        if let Some(line) = &mut self.line {
            line.add(text, role);
        }
    }

    /// Begins lines behind a mark.
    fn nest(&mut self, mark: String) {
        let hang = " ".repeat(wrap::width(&mark));
        self.levels.push(NestingLevel { first: Some(mark), hang });
    }

    /// A blank line before an inner block that is not an item's first.
    fn gap(&mut self) {
        self.flush();
        let inner = self.levels.last().is_some_and(|level| level.first.is_none());
        if inner && self.block.as_ref().is_some_and(|block| !block.lines.is_empty()) {
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

    /// Goes on in a new line of the same block.
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
                        // The parser leaves out one half of a line's end; what is copied has both.
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
                let mark = Role { kind: Kind::Backtick, ..self.role };
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

    /// Returns the label of the footnote that is named at a place.
    fn footnote(&self, at: usize) -> &'a str {
        let source: &'a str = self.source;
        let label = source[at..].trim_start().strip_prefix("[^").and_then(|rest| rest.split_once(']'));
        label.map_or("", |(label, _)| label)
    }

    /// Puts a task's box in the place of its bullet, or behind its number.
    fn mark_task(&mut self, mark: &str) {
        match self.levels.last_mut().filter(|level| level.first.as_deref() == Some(BULLET)) {
            Some(level) if self.line.is_none() => {
                (level.first, level.hang) = (Some(mark.to_owned()), " ".repeat(mark.len()));
            }
            _ => self.add(mark, Role::of(Kind::Muted)),
        }
    }

    /// Whether the text struck through that begins at a place has two tildes at its ends: `3~5, 10~20` is none.
    fn is_struck(&self, at: usize) -> bool {
        self.source[at..].starts_with("~~")
    }

    fn start(&mut self, tag: Tag<'_>, at: usize) {
        match tag {
            Tag::Paragraph => self.gap(),
            Tag::Heading { .. } => {
                self.gap();
                self.role.kind = Kind::Heading;
            }
            Tag::BlockQuote(_) => {
                self.gap();
                self.levels.push(NestingLevel { first: Some("▏ ".to_owned()), hang: "▏ ".to_owned() });
            }
            Tag::CodeBlock(kind) => {
                self.gap();
                let language = match kind {
                    CodeBlockKind::Fenced(info) => info.split_whitespace().next().unwrap_or_default().to_owned(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Tag::List(start) => {
                self.flush();
                self.lists.push(start);
            }
            Tag::Item => {
                self.flush();
                let mark = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => BULLET.to_owned(),
                };
                self.nest(mark);
            }
            Tag::FootnoteDefinition(_) => {
                self.gap();
                self.nest(format!("[{}] ", self.footnote(at)));
            }
            Tag::Table(alignments) => {
                self.gap();
                self.table = Some(MarkdownTable::new(alignments));
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
            }
            Tag::TableCell => self.line = Some(Line::default()),
            Tag::Emphasis => self.role.emphasis = true,
            Tag::Strong => self.role.strong = true,
            Tag::Strikethrough if self.is_struck(at) => self.role.struck = true,
            Tag::Strikethrough => self.add("~", self.role),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                let at = self.line.as_ref().map_or(0, |line| line.text.len());
                self.links.push((dest_url.into_string(), at));
                self.role.kind = Kind::Link;
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, at: usize) {
        match tag {
            TagEnd::Paragraph => self.flush(),
            TagEnd::Heading(_) => {
                self.flush();
                self.role.kind = Kind::Text;
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.levels.pop();
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Item | TagEnd::FootnoteDefinition => {
                if self.line.is_none() && self.levels.last().is_some_and(|level| level.first.is_some()) {
                    self.line = Some(self.prefixed());
                }
                self.flush();
                self.levels.pop();
            }
            TagEnd::TableCell => {
                let mut cell = self.line.take().unwrap_or_default();
                cell.link_addresses();
                if let Some(row) = self.table.as_mut().and_then(|table| table.rows.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::Table => self.end_table(),
            TagEnd::Emphasis => self.role.emphasis = false,
            TagEnd::Strong => self.role.strong = false,
            TagEnd::Strikethrough if self.is_struck(at) => self.role.struck = false,
            TagEnd::Strikethrough => self.add("~", self.role),
            TagEnd::Link | TagEnd::Image => self.end_link(),
            _ => {}
        }
    }

    fn end_link(&mut self) {
        let Some((dest, at)) = self.links.pop() else { return };
        if self.links.is_empty() {
            let heading = self.block.as_ref().is_some_and(|block| block.element == Element::Heading);
            self.role.kind = if heading { Kind::Heading } else { Kind::Text };
        }
        if let Some(line) = &mut self.line {
            line.link(at, &dest);
        }
        let shown = self.line.as_ref().and_then(|line| line.text.get(at..)).unwrap_or_default();
        let host = dest.split_once("://").map(|(_, rest)| rest.split(['/', '?', '#']).next().unwrap_or(rest));
        // A link that shows its whole address needs no host.
        if let Some(host) = host.filter(|_| shown != dest) {
            let host = format!(" ({host})");
            self.add(&host, Role::of(Kind::Muted));
        }
    }

    fn end_code(&mut self) {
        let Some((language, text)) = self.code.take() else { return };
        let language = Untrusted::from(language);
        let from = self.block.as_ref().map_or(0, |block| block.lines.len());
        let mut frame = self.prefixed();
        frame.shape = Shape::Frame;
        frame.add(&language.line(), Role::of(Kind::Muted));
        self.put(frame);
        for code in text.lines() {
            let mut line = self.prefixed();
            line.first.push_str("│ ");
            line.hang.push_str("│ ");
            line.add(code, listing_role(&language, code));
            self.put(line);
        }
        if let Some(block) = &mut self.block {
            let lines = from..block.lines.len();
            let coloured = is_diff(&language);
            block.codes.push(Code { language, text: text.into(), lines, coloured });
        }
    }

    fn end_table(&mut self) {
        let Some(table) = self.table.take() else { return };
        if self.levels.is_empty() {
            if let Some(block) = &mut self.block {
                block.table = Some(table);
            }
        } else {
            for row in table.rows {
                let mut line = self.prefixed();
                for (at, cell) in row.iter().enumerate() {
                    line.add(if at == 0 { "" } else { " │ " }, Role::of(Kind::Muted));
                    line.add_part(cell, 0..cell.text.len());
                }
                self.put(line);
            }
        }
    }
}

fn element(tag: &Tag<'_>) -> Element {
    match tag {
        Tag::Heading { .. } => Element::Heading,
        Tag::BlockQuote(_) => Element::Quote,
        Tag::CodeBlock(_) => Element::Code,
        Tag::List(_) => Element::List,
        Tag::Table(_) => Element::Table,
        Tag::HtmlBlock => Element::Source,
        _ => Element::Paragraph,
    }
}
