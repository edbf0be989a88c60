//! The words in which versions of a message differ: found by a work thread, marked where the versions are drawn.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use unicode_width::UnicodeWidthStr;

use crate::record::work::{WordMarks, Work};
use crate::text::Untrusted;
use crate::ui::canvas::Canvas;
use crate::ui::{meter, wrap};

/// What is compared: a hash of each text, and which one the others are compared with. Empty: nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ComparedTexts {
    hashes: Vec<u64>,
    base: usize,
}

impl ComparedTexts {
    fn of(texts: &[&str], base: usize) -> Self {
        let hash = |text: &&str| {
            let mut hasher = DefaultHasher::new();
            text.hash(&mut hasher);
            hasher.finish()
        };
        Self { hashes: texts.iter().map(hash).collect(), base }
    }
}

/// The words marked in each column.
#[derive(Clone, Debug, Default)]
pub(super) struct VersionMarks {
    of: ComparedTexts,
    /// The comparison, until it is asked for.
    wanted: Option<Work>,
    /// What was found for each column; `None`: nothing yet; none: it failed.
    found: Option<Vec<WordMarks>>,
}

impl VersionMarks {
    /// Wants the texts compared with the one at `base`, unless they were; `None`: they cannot be compared now.
    pub(super) fn update(&mut self, texts: &[&str], base: Option<usize>) {
        let of = base.map_or_else(ComparedTexts::default, |base| ComparedTexts::of(texts, base));
        if self.of != of {
            let texts = texts.iter().map(|text| Untrusted::from(*text)).collect();
            let wanted = base.map(|base| Work::Differences { texts, base });
            *self = Self { of, wanted, found: None };
        }
    }

    /// Returns whether the texts are to be compared, and nobody was asked for that yet.
    pub(super) fn wants_comparison(&self) -> bool {
        self.wanted.is_some()
    }

    /// Returns the comparison to ask for, once, and what it is of.
    pub(super) fn take_comparison(&mut self) -> Option<(ComparedTexts, Work)> {
        Some((self.of.clone(), self.wanted.take()?))
    }

    /// Marks the words that were found, if what is shown is still what was compared.
    pub(super) fn compared(&mut self, of: &ComparedTexts, found: Vec<WordMarks>) {
        if self.of == *of {
            self.found = Some(found);
        }
    }

    /// Returns the words to mark in a column.
    fn words(&self, column: usize) -> &[Range<usize>] {
        match self.found.as_deref().and_then(|found| found.get(column)) {
            Some(WordMarks::Differ(words)) => words,
            _ => &[],
        }
    }

    /// Returns what is said of the marks.
    pub(super) fn legend(&self) -> &'static str {
        let Some(found) = &self.found else {
            return if self.of.hashes.is_empty() { "" } else { "comparing…" };
        };
        let count = |is: fn(&WordMarks) -> bool| found.iter().filter(|marks| is(marks)).count();
        let not_compared = count(|marks| *marks == WordMarks::NotCompared);
        let unlike = count(|marks| *marks == WordMarks::Unlike);
        let different = count(|marks| matches!(marks, WordMarks::Differ(words) if !words.is_empty()));
        match () {
            () if found.is_empty() => "not compared",
            () if not_compared == found.len() => "too long to compare",
            () if not_compared > 0 => "some are too long to compare",
            () if unlike == found.len() => "different texts",
            () if different == 0 && unlike > 0 => "some are different texts",
            () if different == 0 => "same words",
            () => "differences underlined",
        }
    }

    /// Draws the text of a column from a row on with what differs marked, and below it how many rows it continues.
    pub(super) fn draw(&self, canvas: Canvas, column: usize, text: &str, top: usize) {
        let Canvas { area, buf, theme } = canvas;
        let text = MarkedText { text: text.trim_start_matches('\n'), words: self.words(column) };
        let below = text.draw(Canvas { area, buf: &mut *buf, theme }, top);
        if below > 0 {
            let words = format!("↓ {} more", meter::count(below as u64));
            let x = area.right().saturating_sub(words.width() as u16).max(area.x);
            buf.set_stringn(x, area.bottom(), &words, usize::from(area.width), theme.muted);
        }
    }
}

/// A text that is safe for the screen, and where it has words to mark.
struct MarkedText<'a> {
    text: &'a str,
    words: &'a [Range<usize>],
}

impl MarkedText<'_> {
    /// Draws the text from a row on. Returns the rows left below.
    fn draw(&self, canvas: Canvas, top: usize) -> usize {
        let Canvas { area, buf, theme } = canvas;
        let (mut row, mut below, mut line_start) = (0_usize, 0, 0);
        for whole in self.text.split_inclusive('\n') {
            let line = whole.strip_suffix('\n').unwrap_or(whole);
            wrap::rows(line, usize::from(area.width.max(1)), |range| {
                match row.checked_sub(top) {
                    None => {}
                    Some(at) if at < usize::from(area.height) => {
                        let place = Rect { y: area.y + at as u16, height: 1, ..area };
                        let text = &line[range.clone()];
                        buf.set_stringn(place.x, place.y, text, usize::from(place.width), theme.text);
                        let canvas = Canvas { area: place, buf: &mut *buf, theme };
                        self.mark(canvas, line_start + range.start..line_start + range.end);
                    }
                    Some(_) => below += 1,
                }
                row += 1;
            });
            line_start += whole.len();
        }
        below
    }

    /// Marks the words of a row, which is drawn.
    fn mark(&self, canvas: Canvas, row: Range<usize>) {
        let Canvas { area: place, buf, theme } = canvas;
        let first = self.words.partition_point(|word| word.end <= row.start);
        for word in self.words[first..].iter().take_while(|word| word.start < row.end) {
            let (start, end) = (word.start.max(row.start), word.end.min(row.end));
            let text = self.text[start..end].trim_end();
            let x = place.x + wrap::width(&self.text[row.start..start]) as u16;
            let width = wrap::width(text) as u16;
            let style = Style { fg: None, ..theme.raised }.add_modifier(Modifier::UNDERLINED | Modifier::BOLD);
            buf.set_style(Rect { x, width, ..place }.intersection(place), style);
        }
    }
}
