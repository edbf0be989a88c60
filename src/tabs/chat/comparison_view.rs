//! Draws versions of a message side by side, with the words marked in which they differ.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use unicode_width::UnicodeWidthStr;

use super::state::State;
use crate::component::RenderContext;
use crate::record::work::{WordMarks, Work};
use crate::record::{Id, Turn, TurnStatus};
use crate::text::Untrusted;
use crate::ui::canvas::Canvas;
use crate::ui::meter;
use crate::ui::pane::{Pane, Spacing, Surface};
use crate::ui::rule::{cut, cut_middle};
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Columns a version has at least.
const NARROWEST: u16 = 30;
/// Columns of a title besides its two texts, with the dot before the name: on a surface, and in a rule.
const TITLE: (usize, usize) = (7, 13);
/// A name that is cut to fewer columns tells nothing.
const NAME: usize = 6;

/// What is shown side by side: all versions of a turn, from a row on.
#[derive(Clone, Debug)]
pub(super) struct ComparisonView {
    /// The version in use.
    pub(super) turn: Id,
    /// The first row shown of each.
    top: usize,
    /// Rows below the last one shown of the longest.
    below: usize,
    marks: VersionMarks,
}

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
struct VersionMarks {
    of: ComparedTexts,
    /// The comparison, until it is asked for.
    wanted: Option<Work>,
    /// What was found for each column; `None`: nothing yet; none: it failed.
    found: Option<Vec<WordMarks>>,
}

impl ComparisonView {
    pub(super) fn of(turn: Id) -> Self {
        Self { turn, top: 0, below: 0, marks: VersionMarks::default() }
    }

    /// Moves all columns by rows.
    pub(super) fn scroll(&mut self, rows: isize) {
        self.top = self.top.saturating_add_signed(rows.min(self.below as isize));
    }

    /// Finds out how far it can be scrolled in this area, and the words to mark.
    pub(super) fn arrange(&mut self, area: Rect, state: &State, spacing: Spacing) {
        let Some(columns) = self.columns(area, state) else { return };
        let height = usize::from(area.height.saturating_sub(head(spacing, area) + 1));
        let width = usize::from(columns.width.saturating_sub(2).max(1));
        let texts = columns.texts(state);
        let texts: Vec<&str> = texts.iter().map(|text| text.trim_start_matches('\n')).collect();
        let rows = |text: &&str| -> usize { text.lines().map(|line| wrap::lines(line, width).len().max(1)).sum() };
        self.below = texts.iter().map(rows).max().unwrap_or(0).saturating_sub(self.top + height);
        let base = columns.comparable(state).then(|| columns.ids().iter().position(|id| *id == self.turn)).flatten();
        let of = base.map_or_else(ComparedTexts::default, |base| ComparedTexts::of(&texts, base));
        if self.marks.of != of {
            let texts = texts.iter().map(|text| Untrusted::from(*text)).collect();
            let wanted = base.map(|base| Work::Differences { texts, base });
            self.marks = VersionMarks { of, wanted, found: None };
        }
    }

    /// Returns whether the versions are to be compared, and nobody was asked for that yet.
    pub(super) fn wants_comparison(&self) -> bool {
        self.marks.wanted.is_some()
    }

    /// Returns the comparison to ask for, once, and what it is of.
    pub(super) fn take_comparison(&mut self) -> Option<(ComparedTexts, Work)> {
        Some((self.marks.of.clone(), self.marks.wanted.take()?))
    }

    /// Marks the words that were found, if what is shown is still what was compared.
    pub(super) fn compared(&mut self, of: &ComparedTexts, found: Vec<WordMarks>) {
        if self.marks.of == *of {
            self.marks.found = Some(found);
        }
    }

    /// Returns which versions have a column; where there is no room for all, those around the one in use.
    fn columns<'a>(&self, area: Rect, state: &'a State) -> Option<VersionColumns<'a>> {
        let conversation = state.conversation();
        let siblings = conversation.tree.siblings(self.turn);
        let at = siblings.iter().position(|id| *id == self.turn).filter(|_| area.height >= 3)?;
        let coming = state.comparisons.get(&state.open).filter(|_| conversation.is_busy());
        let coming: Vec<&Untrusted> = coming.map(|comparison| comparison.remaining().collect()).unwrap_or_default();
        let all = siblings.len() + coming.len();
        let count = all.min(usize::from(area.width / NARROWEST).max(1));
        let first = at.saturating_sub(count - 1).min(all - count);
        Some(VersionColumns { siblings, coming, first, count, width: area.width / count as u16 })
    }

    /// Draws the versions, a column each.
    pub(super) fn render(&self, frame: &mut Frame, area: Rect, state: &State, context: RenderContext) {
        let RenderContext { session, theme, .. } = context;
        let (spacing, head) = (session.spacing().within(), head(session.spacing(), area));
        let Some(layout) = self.columns(area, state) else { return };
        let conversation = state.conversation();
        let VersionColumns { siblings, coming, first, count: columns, width } = &layout;
        let (first, columns, width, all) = (*first, *columns, *width, siblings.len() + coming.len());
        let stand = |place: usize| match siblings.get(place).and_then(|id| conversation.tree.turn(*id)) {
            Some(turn) => status_label(turn, conversation.streaming(turn.id), theme),
            None => (String::new(), theme.muted),
        };
        // Models that have not answered yet have their column already.
        let model = |place: usize| match siblings.get(place) {
            Some(id) => conversation.tree.turn(*id).map(|turn| &turn.model),
            None => coming.get(place - siblings.len()).copied(),
        };
        let named = |place: usize| model(place).filter(|model| !model.is_empty()).map(Untrusted::line);
        let numbered = |place: usize| format!("{} of {all}", place + 1);
        // Columns for a name. If one name is cut, all are cut alike, so that equal names look equal.
        let space = |place: usize| {
            let arrow = if siblings.get(place) == Some(&self.turn) { 2 } else { 0 };
            let around = if spacing.has_surfaces() { TITLE.0 } else { TITLE.1 + arrow };
            usize::from(width).saturating_sub(stand(place).0.width() + numbered(place).width() + around)
        };
        let shown = layout.shown();
        let fit = shown.clone().all(|place| named(place).is_none_or(|name| name.width() <= space(place)));
        let least = shown.map(space).min().unwrap_or(0);
        for nth in 0..columns {
            let place = first + nth;
            let id = siblings.get(place).copied();
            let turn = id.and_then(|id| conversation.tree.turn(id));
            let column = Rect { x: area.x + nth as u16 * width, width, ..area };
            let mut title = numbered(place);
            if let Some(name) = named(place).filter(|_| fit || least >= NAME) {
                let name = if fit { name } else { cut_middle(&name, least).into() };
                title = format!("{title} · {name}");
            }
            let (right, right_style) = stand(place);
            let focus = id == Some(self.turn);
            let row = Rect { height: 1, ..column };
            let pane = Pane { title: &title, note: "", right: &right, right_style, focus, surface: Surface::Ground };
            pane.render(row, frame.buffer_mut(), theme, spacing);
            let inner = Rect {
                x: column.x + 1,
                y: column.y + head,
                width: column.width.saturating_sub(2),
                height: column.height.saturating_sub(head + 1),
            };
            self.draw_text(frame, inner, nth, &content(id, turn), theme);
        }
        let words = self.marks.legend();
        let room = usize::from(width.saturating_sub(2));
        frame.buffer_mut().set_stringn(area.x + 1, area.bottom() - 1, cut(words, room), room, theme.faint);
    }

    /// Draws the text of a column with what differs marked, and below it how many rows it continues.
    fn draw_text(&self, frame: &mut Frame, area: Rect, column: usize, text: &str, theme: &Theme) {
        let text = Marked { text: text.trim_start_matches('\n'), words: self.marks.words(column) };
        let below = draw(frame, area, &text, self.top, theme);
        if below > 0 {
            let words = format!("↓ {} more", meter::count(below as u64));
            let x = area.right().saturating_sub(words.width() as u16).max(area.x);
            frame.buffer_mut().set_stringn(x, area.bottom(), &words, usize::from(area.width), theme.muted);
        }
    }
}

/// Returns the rows above the texts: the titles, and a blank one where there is room.
fn head(spacing: Spacing, area: Rect) -> u16 {
    1 + u16::from(spacing == Spacing::Roomy && area.height > 3)
}

/// The versions that have a column.
struct VersionColumns<'a> {
    siblings: &'a [Id],
    /// Models that answer after those.
    coming: Vec<&'a Untrusted>,
    first: usize,
    count: usize,
    /// Columns of the screen for each.
    width: u16,
}

impl VersionColumns<'_> {
    fn shown(&self) -> Range<usize> {
        self.first..self.first + self.count
    }

    /// Returns the versions shown, without the models that have not begun to answer.
    fn ids(&self) -> &[Id] {
        let end = self.shown().end.min(self.siblings.len());
        self.siblings.get(self.first..end).unwrap_or_default()
    }

    /// Returns the text of each column.
    fn texts<'a>(&self, state: &'a State) -> Vec<Cow<'a, str>> {
        let tree = &state.conversation().tree;
        let text = |place: usize| {
            let id = self.siblings.get(place).copied();
            content(id, id.and_then(|id| tree.turn(id)))
        };
        self.shown().map(text).collect()
    }

    /// Returns whether there are several versions, and all of them are here and no longer grow.
    fn comparable(&self, state: &State) -> bool {
        let tree = &state.conversation().tree;
        let whole = |id: &Id| tree.turn(*id).is_some_and(|turn| turn.status != TurnStatus::Streaming);
        self.count > 1 && self.ids().len() == self.count && self.ids().iter().all(whole)
    }
}

/// Returns the text of a column, safe for the screen; `id`: none for a model that has not begun to answer.
fn content(id: Option<Id>, turn: Option<&Turn>) -> Cow<'_, str> {
    match (id, turn) {
        (None, _) => "answers after the previous one".into(),
        (_, None) => "… loading".into(),
        (_, Some(turn)) if turn.error.is_empty() && turn.blocks.is_empty() => turn.content.screen(),
        (_, Some(turn)) if turn.error.is_empty() => turn.said().screen().into_owned().into(),
        (_, Some(turn)) => format!("{}\n\n✕ {}", turn.said().screen(), turn.error.screen()).into(),
    }
}

/// Returns the outcome of an answer, for its column's rule.
fn status_label(turn: &Turn, streams: bool, theme: &Theme) -> (String, Style) {
    match turn.status {
        TurnStatus::Streaming if streams && turn.is_silent() => ("waiting".to_owned(), theme.busy),
        TurnStatus::Streaming if streams => ("streaming".to_owned(), theme.busy),
        TurnStatus::Streaming | TurnStatus::CutOff => ("✕ cut off".to_owned(), theme.bad),
        TurnStatus::Failed => ("✕ failed".to_owned(), theme.bad),
        TurnStatus::Stopped => ("■ stopped".to_owned(), theme.warn),
        TurnStatus::Done if turn.completion_tokens > 0 => {
            let mark = if turn.estimated { "~" } else { "" };
            let arrow = if theme.kind.has_surfaces() { "" } else { "▼" };
            (format!("{mark}{arrow}{} tok", meter::count(turn.completion_tokens)), theme.faint)
        }
        TurnStatus::Done => (String::new(), theme.muted),
    }
}

impl VersionMarks {
    /// Returns the words to mark in a column.
    fn words(&self, column: usize) -> &[Range<usize>] {
        match self.found.as_deref().and_then(|found| found.get(column)) {
            Some(WordMarks::Differ(words)) => words,
            _ => &[],
        }
    }

    /// Returns what is said of the marks.
    fn legend(&self) -> &'static str {
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
}

/// A text that is safe for the screen, and where it has words to mark.
struct Marked<'a> {
    text: &'a str,
    words: &'a [Range<usize>],
}

/// Draws a text from a row on; the rows left below.
fn draw(frame: &mut Frame, area: Rect, content: &Marked, top: usize, theme: &Theme) -> usize {
    let (mut row, mut below, mut line_start) = (0_usize, 0, 0);
    for whole in content.text.split_inclusive('\n') {
        let line = whole.strip_suffix('\n').unwrap_or(whole);
        wrap::rows(line, usize::from(area.width.max(1)), |range| {
            match row.checked_sub(top) {
                None => {}
                Some(at) if at < usize::from(area.height) => {
                    let place = Rect { y: area.y + at as u16, height: 1, ..area };
                    frame.buffer_mut().set_stringn(
                        place.x,
                        place.y,
                        &line[range.clone()],
                        usize::from(place.width),
                        theme.text,
                    );
                    let canvas = Canvas { area: place, buf: frame.buffer_mut(), theme };
                    mark(canvas, content, line_start + range.start..line_start + range.end);
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
fn mark(canvas: Canvas, content: &Marked, row: Range<usize>) {
    let Canvas { area: place, buf, theme } = canvas;
    let first = content.words.partition_point(|word| word.end <= row.start);
    for word in content.words[first..].iter().take_while(|word| word.start < row.end) {
        let (start, end) = (word.start.max(row.start), word.end.min(row.end));
        let text = content.text[start..end].trim_end();
        let x = place.x + wrap::width(&content.text[row.start..start]) as u16;
        let width = wrap::width(text) as u16;
        let style = Style { fg: None, ..theme.raised }.add_modifier(Modifier::UNDERLINED | Modifier::BOLD);
        buf.set_style(Rect { x, width, ..place }.intersection(place), style);
    }
}
