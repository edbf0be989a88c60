//! The result of parsing Markdown: blocks of logical lines, each a text with roles for ranges of it.

use std::ops::Range;

use ratatui::style::{Modifier, Style};

use super::link::LinkTarget;
use super::table::PlacedTable;
use crate::text::{Tint, Untrusted};
use crate::ui::theme::Theme;

/// What a piece of text is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Plain.
    #[default]
    Text,
    /// A heading's.
    Heading,
    /// Code not coloured yet.
    Code,
    /// Code inside a sentence.
    InlineCode,
    /// A delimiter of inline code.
    Backtick,
    /// The text of a link.
    Link,
    /// The host after a link, bars, frames.
    Muted,
    /// Coloured code.
    Tint(Tint),
    /// Added by a diff.
    Added,
    /// Removed by a diff.
    Removed,
    /// The position in a diff: `@@ … @@`.
    Hunk,
}

/// The kind and emphasis of a piece of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Role {
    /// What it is.
    pub kind: Kind,
    /// **strong**
    pub strong: bool,
    /// *emphasis*
    pub emphasis: bool,
    /// ~~struck through~~
    pub struck: bool,
}

impl Role {
    /// Returns a kind without emphasis.
    pub fn of(kind: Kind) -> Self {
        Self { kind, ..Self::default() }
    }

    /// Returns its style.
    pub fn style(self, theme: &Theme) -> Style {
        let mut style = match self.kind {
            Kind::Text | Kind::Code => theme.text,
            Kind::InlineCode => theme.text.patch(theme.raised),
            Kind::Backtick => theme.muted.patch(theme.raised),
            Kind::Heading => theme.heading,
            Kind::Link => theme.link,
            Kind::Muted | Kind::Hunk => theme.muted,
            Kind::Added => theme.good,
            Kind::Removed => theme.bad,
            Kind::Tint(Tint::Keyword) => theme.code_keyword,
            Kind::Tint(Tint::String) => theme.code_string,
            Kind::Tint(Tint::Comment) => theme.code_comment,
        };
        if self.strong {
            style = style.add_modifier(Modifier::BOLD);
        }
        if self.emphasis {
            style = style.add_modifier(Modifier::ITALIC);
        }
        if self.struck {
            style = style.add_modifier(Modifier::CROSSED_OUT);
        }
        style
    }
}

/// How a logical line fills its rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// Wrapped text.
    #[default]
    Text,
    /// Top of a code block: `┌ text ───── y copy`; one row.
    Frame,
    /// A rule from edge to edge; one row.
    Rule,
}

/// A logical line, safe to draw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// How it is laid out.
    pub shape: Shape,
    /// Drawn before the first row.
    pub first: String,
    /// Drawn before every other row.
    pub hang: String,
    /// The text, sanitised.
    pub text: String,
    /// Roles of ranges of `text`, ascending; the rest is plain.
    pub roles: Vec<(Range<usize>, Role)>,
    /// Targets of ranges of `text`, ascending.
    pub links: Vec<(Range<usize>, LinkTarget)>,
}

impl Line {
    /// Appends a piece of the source, made safe.
    pub(super) fn add(&mut self, text: &str, role: Role) {
        self.add_at(text, role, 0);
    }

    /// Appends a part of a line that begins at a column, as tabs count from the line's start.
    pub(super) fn add_at(&mut self, text: &str, role: Role, column: usize) {
        let from = self.text.len();
        let before = column % crate::text::TAB;
        if before > 0 && text.contains('\t') {
            let text = " ".repeat(before) + text;
            self.text.push_str(&crate::text::line(&text)[before..]);
        } else {
            self.text.push_str(&crate::text::line(text));
        }
        if role != Role::default() && self.text.len() > from {
            match self.roles.last_mut() {
                Some((range, last)) if *last == role && range.end == from => range.end = self.text.len(),
                _ => self.roles.push((from..self.text.len(), role)),
            }
        }
    }

    /// Keeps the first bytes of the text.
    pub(super) fn cut(&mut self, bytes: usize) {
        self.text.truncate(bytes);
        self.roles.retain_mut(|(range, _)| {
            range.end = range.end.min(bytes);
            range.start < range.end
        });
    }

    /// Appends a part of another line with its roles and links.
    pub(super) fn add_part(&mut self, other: &Self, part: Range<usize>) {
        let from = self.text.len();
        self.text.push_str(&other.text[part.clone()]);
        let inside = |range: &Range<usize>| {
            let (start, end) = (range.start.max(part.start), range.end.min(part.end));
            (start < end).then(|| start - part.start + from..end - part.start + from)
        };
        self.roles.extend(other.roles.iter().filter_map(|(range, role)| Some((inside(range)?, *role))));
        self.links.extend(other.links.iter().filter_map(|(range, target)| Some((inside(range)?, target.clone()))));
    }
}

/// What a top-level block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// Running text.
    Paragraph,
    /// A heading.
    Heading,
    /// A code block.
    Code,
    /// A list.
    List,
    /// A table.
    Table,
    /// A quote.
    Quote,
    /// A rule.
    Rule,
    /// The unparsed source.
    Source,
}

/// A code block, top-level or inside a list or quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// The first word after the fence, unchanged; empty: none.
    pub language: Untrusted,
    /// The code itself, without fence and indent.
    pub text: Untrusted,
    /// Its lines in the block, including the frame. They move when a table before it is laid out.
    pub lines: Range<usize>,
    /// Whether colours have been set.
    pub coloured: bool,
}

/// A top-level block.
#[derive(Clone, Debug)]
pub struct Block {
    /// What it is.
    pub element: Element,
    /// Its bytes in the source.
    pub source: Range<usize>,
    /// The logical lines; none for a piece that is not in use, and for a table that is not laid out.
    pub lines: Vec<Line>,
    /// The tables in it.
    pub(super) tables: Vec<PlacedTable>,
    /// Whether it is a part of a long unparsed text: its lines can be computed again at any time.
    pub piece: bool,
    /// The code blocks in it.
    pub codes: Vec<Code>,
    /// Number of code blocks in the blocks before it.
    pub first: usize,
    /// Identifies it; a block that is parsed again gets another id.
    pub id: u64,
    /// Number of lines that do not change as long as `id` does not.
    pub stable: usize,
    /// Number of bytes of the next line that do not change as long as it exists.
    pub held: usize,
}

impl Block {
    /// Lays out the tables for a width in columns.
    pub(super) fn fit(&mut self, width: usize) {
        for nth in 0..self.tables.len() {
            let lines = self.tables[nth].lines(width);
            let (old, count) = (self.tables[nth].range(), lines.len());
            self.lines.splice(old.clone(), lines);
            self.tables[nth].count = count;
            let moved = |at: usize| at - old.len() + count;
            for table in &mut self.tables[nth + 1..] {
                table.at = moved(table.at);
            }
            for code in self.codes.iter_mut().filter(|code| code.lines.start >= old.end) {
                code.lines = moved(code.lines.start)..moved(code.lines.end);
            }
        }
    }

    /// Returns where a line would be if no table was laid out.
    fn unfitted(&self, at: usize) -> usize {
        at - self.tables.iter().filter(|table| table.at < at).map(|table| table.count).sum::<usize>()
    }

    /// Returns the lines that are no table's.
    fn fixed_lines(&self) -> impl Iterator<Item = &Line> {
        let fixed = |at: usize| !self.tables.iter().any(|table| table.range().contains(&at));
        self.lines.iter().enumerate().filter(move |(at, _)| fixed(*at)).map(|(_, line)| line)
    }

    /// Copies the colours of the code that both have.
    pub fn colour_as(&mut self, other: &Self) {
        let places: Vec<usize> = self.codes.iter().map(|code| self.unfitted(code.lines.start)).collect();
        for ((code, place), known) in self.codes.iter_mut().zip(places).zip(&other.codes) {
            if known.coloured
                && (&code.language, &code.text, place)
                    == (&known.language, &known.text, other.unfitted(known.lines.start))
            {
                // Only those: what precedes a line may have changed.
                for (line, known) in self.lines[code.lines.clone()].iter_mut().zip(&other.lines[code.lines.clone()]) {
                    line.roles.clone_from(&known.roles);
                }
                code.coloured = true;
            }
        }
    }

    /// Returns whether both show the same, perhaps at different widths.
    pub fn same(&self, other: &Self) -> bool {
        let same_code = |(one, two): (&Code, &Code)| {
            (&one.language, &one.text, one.coloured) == (&two.language, &two.text, two.coloured)
                && self.unfitted(one.lines.start) == other.unfitted(two.lines.start)
        };
        let same_table =
            |(one, two): (&PlacedTable, &PlacedTable)| one.same(two) && self.unfitted(one.at) == other.unfitted(two.at);
        self.element == other.element
            && self.source == other.source
            && self.tables.len() == other.tables.len()
            && self.tables.iter().zip(&other.tables).all(same_table)
            && self.fixed_lines().eq(other.fixed_lines())
            && self.codes.len() == other.codes.len()
            && self.codes.iter().zip(&other.codes).all(same_code)
    }
}
