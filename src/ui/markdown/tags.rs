//! Handling of the beginnings and ends of Markdown's elements.

use pulldown_cmark::{CodeBlockKind, Tag, TagEnd};

use super::build::{Build, NestingLevel};
use super::line::{Code, Element, Kind, Line, Role, Shape};
use super::listing::{is_diff, listing_role};
use super::table::{MarkdownTable, PlacedTable};
use crate::text::Untrusted;

/// Precedes an item of a list without numbers.
const BULLET: &str = "• ";

impl<'a> Build<'a> {
    /// Returns the label of the footnote that is referenced at a place.
    pub(super) fn footnote(&self, at: usize) -> &'a str {
        let source: &'a str = self.source;
        let label = source[at..].trim_start().strip_prefix("[^").and_then(|rest| rest.split_once(']'));
        label.map_or("", |(label, _)| label)
    }

    /// Replaces a task's bullet by its box, or puts it after its number.
    pub(super) fn mark_task(&mut self, mark: &str) {
        match self.levels.last_mut().filter(|level| level.first.as_deref() == Some(BULLET)) {
            Some(level) if self.line.is_none() => {
                (level.first, level.hang) = (Some(mark.to_owned()), " ".repeat(mark.len()));
            }
            _ => self.add(mark, Role::of(Kind::Muted)),
        }
    }

    /// Returns whether the struck-through text that begins at a place has double tildes: `3~5, 10~20` is not one.
    fn is_struck(&self, at: usize) -> bool {
        self.source[at..].starts_with("~~")
    }

    pub(super) fn start(&mut self, tag: Tag<'_>, at: usize) {
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

    pub(super) fn end(&mut self, tag: TagEnd, at: usize) {
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
        let line = self.prefixed();
        if let Some(block) = &mut self.block {
            block.tables.push(PlacedTable::new(table, block.lines.len(), line));
        }
    }
}

pub(super) fn element(tag: &Tag<'_>) -> Element {
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
