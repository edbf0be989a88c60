//! Versions of a message side by side, the words in which they differ marked.

use std::borrow::Cow;
use std::ops::Range;
use std::time::{Duration, Instant};

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use unicode_width::UnicodeWidthStr;

use super::differences::differences;
use super::state::State;
use crate::component::RenderContext;
use crate::record::{Id, Turn, TurnStatus};
use crate::text::Untrusted;
use crate::ui::canvas::Canvas;
use crate::ui::meter;
use crate::ui::pane::{Pane, Surface};
use crate::ui::rule::{cut, cut_middle};
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Columns a version has at least.
const NARROWEST: u16 = 30;
/// Columns of a title's rule besides its two texts, with the dot before the name.
const TITLE: usize = 13;
/// A name that is cut to fewer columns tells nothing.
const NAME: usize = 6;
/// How long two versions are compared at most.
const PATIENCE: Duration = Duration::from_millis(60);

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

/// The words marked in each column.
#[derive(Clone, Debug, Default)]
struct VersionMarks {
    /// The versions they were found for, with the bytes of each; none while one of them still grows.
    of: Vec<(Id, usize)>,
    /// Places in the texts, for each column; `None`: it has too little in common with the one it is compared with.
    words: Vec<Option<Vec<Range<usize>>>>,
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
    pub(super) fn arrange(&mut self, area: Rect, state: &State, now: Instant) {
        let Some(columns) = self.columns(area, state) else { return };
        let conversation = state.conversation();
        let height = usize::from(area.height.saturating_sub(2));
        let rows = columns.shown().map(|place| {
            let id = columns.siblings.get(place).copied();
            let text = content(id, id.and_then(|id| conversation.tree.turn(id)));
            let text = text.trim_start_matches('\n').lines();
            text.map(|line| wrap::lines(line, usize::from(columns.width.saturating_sub(2).max(1))).len().max(1)).sum()
        });
        let rows: usize = rows.max().unwrap_or(0);
        self.below = rows.saturating_sub(self.top + height);
        let shown: Vec<Id> = columns.shown().filter_map(|place| columns.siblings.get(place).copied()).collect();
        let versions: Vec<&Turn> = shown.iter().filter_map(|id| conversation.tree.turn(*id)).collect();
        let complete =
            versions.len() == columns.count && versions.iter().all(|turn| turn.status != TurnStatus::Streaming);
        let of: Vec<(Id, usize)> =
            versions.iter().filter(|_| complete).map(|turn| (turn.id, turn.content.len())).collect();
        if self.marks.of != of {
            let chosen = shown.iter().position(|id| *id == self.turn).filter(|_| complete);
            let words = chosen.map(|chosen| marked_words(&versions, chosen, now + PATIENCE));
            self.marks = VersionMarks { of, words: words.unwrap_or_default() };
        }
    }

    /// Returns which versions have a column; where there is no room for all, those around the one in use.
    fn columns<'a>(&self, area: Rect, state: &'a State) -> Option<VersionColumns<'a>> {
        let conversation = state.conversation();
        let siblings = conversation.tree.siblings(self.turn);
        let at = siblings.iter().position(|id| *id == self.turn).filter(|_| area.height >= 3)?;
        let coming = state.comparisons.get(&state.open).filter(|_| conversation.is_busy());
        let coming: Vec<&Untrusted> = coming.map(|comparison| comparison.coming().collect()).unwrap_or_default();
        let all = siblings.len() + coming.len();
        let count = all.min(usize::from(area.width / NARROWEST).max(1));
        let first = at.saturating_sub(count - 1).min(all - count);
        Some(VersionColumns { siblings, coming, first, count, width: area.width / count as u16 })
    }

    /// Draws the versions, a column each.
    pub(super) fn render(&self, frame: &mut Frame, area: Rect, state: &State, context: RenderContext) {
        let RenderContext { session, theme, .. } = context;
        let spacing = session.spacing().within();
        let Some(layout) = self.columns(area, state) else { return };
        let conversation = state.conversation();
        let VersionColumns { siblings, coming, first, count: columns, width } = &layout;
        let (first, columns, width, all) = (*first, *columns, *width, siblings.len() + coming.len());
        let stand = |place: usize| match siblings.get(place).and_then(|id| conversation.tree.turn(*id)) {
            Some(turn) => stands(turn, conversation.streaming(turn.id), theme),
            None => (String::new(), theme.muted),
        };
        // Models that answer next have their place already.
        let model = |place: usize| match siblings.get(place) {
            Some(id) => conversation.tree.turn(*id).map(|turn| &turn.model),
            None => coming.get(place - siblings.len()).copied(),
        };
        let named = |place: usize| model(place).filter(|model| !model.is_empty()).map(Untrusted::line);
        let numbered = |place: usize| format!("{} of {all}", place + 1);
        // Columns for a name. Where one is cut all are cut alike: the same name is the same words in each.
        let space = |place: usize| {
            let arrow = if siblings.get(place) == Some(&self.turn) { 2 } else { 0 };
            let used = stand(place).0.width() + numbered(place).width() + arrow + TITLE;
            usize::from(width).saturating_sub(used)
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
                y: column.y + 1,
                width: column.width.saturating_sub(2),
                height: column.height.saturating_sub(2),
            };
            let content = content(id, turn);
            let marked = self.marks.words.get(nth).cloned().flatten().unwrap_or_default();
            let text = Marked { text: content.trim_start_matches('\n'), words: &marked };
            let below = draw(frame, inner, &text, self.top, theme);
            if below > 0 {
                let words = format!("↓ {} more", meter::count(below as u64));
                let x = inner.right().saturating_sub(words.width() as u16).max(inner.x);
                frame.buffer_mut().set_stringn(x, inner.bottom(), &words, usize::from(inner.width), theme.muted);
            }
        }
        let words = self.marks.legend();
        let room = usize::from(width.saturating_sub(2));
        frame.buffer_mut().set_stringn(area.x + 1, area.bottom() - 1, cut(words, room), room, theme.faint);
    }
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
}

/// Returns the text of a column, safe for the screen; `id`: none for a model that has not begun to answer.
fn content(id: Option<Id>, turn: Option<&Turn>) -> Cow<'_, str> {
    match (id, turn) {
        (None, _) => "answers after the one before".into(),
        (_, None) => "… loading".into(),
        (_, Some(turn)) if turn.error.is_empty() && turn.blocks.is_empty() => turn.content.screen(),
        (_, Some(turn)) if turn.error.is_empty() => turn.said().screen().into_owned().into(),
        (_, Some(turn)) => format!("{}\n\n✕ {}", turn.said().screen(), turn.error.line()).into(),
    }
}

/// Returns what became of an answer, for its column's rule.
fn stands(turn: &Turn, streams: bool, theme: &Theme) -> (String, Style) {
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

/// Returns the words of each version that the one in use lacks, and of that one those that the version beside it lacks.
fn marked_words(versions: &[&Turn], chosen: usize, deadline: Instant) -> Vec<Option<Vec<Range<usize>>>> {
    let texts: Vec<Cow<str>> = versions.iter().map(|turn| content(Some(turn.id), Some(turn))).collect();
    let text = |at: usize| texts[at].trim_start_matches('\n');
    let beside = if chosen > 0 { chosen - 1 } else { 1 };
    let mut marked = vec![None; texts.len()];
    for at in (0..texts.len()).filter(|at| *at != chosen) {
        let found = differences(text(chosen), text(at), deadline);
        let [mine, theirs] = found.map_or([None, None], |found| found.map(Some));
        marked[at] = theirs;
        if at == beside {
            marked[chosen] = mine;
        }
    }
    marked
}

impl VersionMarks {
    /// Returns what is said of the marks.
    fn legend(&self) -> &'static str {
        match &self.words[..] {
            [] | [_] => "",
            words if words.iter().all(Option::is_none) => "different texts",
            words if words.iter().flatten().all(Vec::is_empty) => "same words",
            _ => "differences underlined",
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
