//! The tab's picture: the buffer with what the model thought of it, settings, presets, how the last run ended.

use std::ops::Range;
use std::time::Instant;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::history::GeneratedSpan;
use super::side::SideLayout;
use super::state::{CompleteFocus, Page, State};
use super::{compare, params, runs, status_lines};
use crate::component::{Component, RenderContext, Session};
use crate::record::{Id, Made, Token, TurnStatus};
use crate::tabs::columns::{Column, OutputState};
use crate::tabs::generation::strip::{self, Shown, Strip};
use crate::text::Untrusted;
use crate::ui::buffer::Dress;
use crate::ui::meter;
use crate::ui::rule::{Rule, cut};
use crate::ui::size_class::{MEDIUM, WIDE};
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Columns of the settings at the right.
const SIDE: u16 = 34;
/// The settings stand beside the text on a screen of at least this size.
const ROOMY: (u16, u16) = (WIDE, 26);

/// Where the panes are, and where the settings stand.
#[derive(Debug, Default)]
pub(super) struct CompleteView {
    wide: bool,
    text: Rect,
    settings: Rect,
    presets: Rect,
}

impl CompleteView {
    /// Whether the settings stand beside the text.
    pub(super) fn is_wide(&self) -> bool {
        self.wide
    }

    /// Returns half the rows of the text.
    pub(super) fn half(&self) -> isize {
        (self.text.height / 2).max(1) as isize
    }

    /// Returns the pane that a position is in.
    pub(super) fn pane(&self, at: Position) -> Option<CompleteFocus> {
        let panes = [
            (self.settings, CompleteFocus::Settings),
            (self.presets, CompleteFocus::Presets),
            (self.text, CompleteFocus::Browse),
        ];
        panes.into_iter().find(|(area, _)| area.contains(at)).map(|(_, focus)| focus)
    }

    /// Fits everything to the area: before keys and frames.
    pub(super) fn arrange(&mut self, area: Rect, state: &mut State, session: &Session, now: Instant) {
        *self = Self { wide: area.width >= ROOMY.0 && area.height >= ROOMY.1, ..Self::default() };
        let [main, side] = self.parts(area, state);
        if let Some(area) = side {
            let parts = SideLayout::of(area, self.wide, state);
            (self.settings, self.presets) = (parts.settings, parts.presets);
        }
        let Some(area) = main else { return };
        match &mut state.page {
            Page::Buffer => {
                let notes = notes(state, area, session, now).len();
                self.text = TextRows::of(area, self.wide, notes, state).text;
                let tail = state.growing_end();
                state.text.buffer.arrange(text_area(self.text), tail);
            }
            Page::Tokens(page) => page.arrange(area, session, now),
            Page::Runs(page) => page.arrange(below_title(area), &state.log.runs),
            Page::Compare => compare::draw::arrange(area, state, session, now),
            Page::Candidates(page, step) => {
                let (mut columns, step) = (std::mem::take(page), *step);
                columns.arrange(area, &candidates(state, &candidate_words(state, step, session, now)));
                state.page = Page::Candidates(columns, step);
            }
        }
    }

    /// Returns the areas of the text and of the settings; `None`: not shown, or too small.
    fn parts(&self, area: Rect, state: &State) -> [Option<Rect>; 2] {
        let side = matches!(state.focus, CompleteFocus::Settings | CompleteFocus::Presets);
        let right = Rect { x: area.right() - SIDE.min(area.width), width: SIDE.min(area.width), ..area };
        let (main, side) = match (self.wide, side) {
            (true, _) => (Some(Rect { width: area.width - SIDE - 1, ..area }), Some(right)),
            (false, true) => (None, Some(area)),
            (false, false) => (Some(area), None),
        };
        [main.filter(|area| area.height >= 4 && area.width >= 10), side.filter(|area| area.height >= 3)]
    }

    /// Draws everything.
    pub(super) fn render(&self, frame: &mut Frame, area: Rect, state: &State, context: RenderContext) {
        let [main, side] = self.parts(area, state);
        if let Some(area) = main {
            self.main(frame, area, state, context);
        }
        if let Some(right) = side {
            for y in (area.y..area.bottom()).filter(|_| self.wide) {
                let line = if y == area.y { "┬" } else { "│" };
                frame.buffer_mut().set_stringn(right.x - 1, y, line, 1, context.theme.rule);
            }
            SideLayout::of(right, self.wide, state).render(frame, state, context);
        }
        state.modals.render(frame, area, context);
    }

    /// Draws the text, or the page that stands in its place.
    fn main(&self, frame: &mut Frame, area: Rect, state: &State, context: RenderContext) {
        let RenderContext { session, theme, now } = context;
        let focus = matches!(state.focus, CompleteFocus::Text | CompleteFocus::Browse) && !state.modals.is_open();
        match &state.page {
            Page::Buffer => self.text(frame, area, state, context, focus),
            Page::Tokens(page) => page.render(frame, area, context),
            Page::Runs(page) => {
                let (left, all) = (page.count() as u64, state.log.runs.len() as u64);
                let right = if left == all {
                    format!("{} · esc back", meter::count(all))
                } else {
                    format!("{} of {} · esc all", meter::count(left), meter::count(all))
                };
                let rule = Rule { title: "Runs", right: &right, right_style: theme.muted, focus };
                rule.render(Rect { height: 1, ..area }, frame.buffer_mut(), theme);
                let live: Vec<Id> = state.active.runs.iter().map(|active| active.record.id).collect();
                let spin = state.active.runs.first().map_or("", |active| {
                    meter::spinner(now.saturating_duration_since(active.run.stream.started), session.motion)
                });
                let (profile, zone, now_ms) = (&session.profile_name, &session.zone, state.unix_ms);
                let context = runs::RunListContext { profile, now_ms, zone, live: &live, spin, theme, focus };
                page.render(frame, below_title(area), &state.log.runs, &context);
            }
            Page::Compare => compare::draw::render(frame, area, state, context),
            Page::Candidates(page, step) => {
                let words = candidate_words(state, *step, session, now);
                page.draw(area, frame.buffer_mut(), &candidates(state, &words), theme);
                frame.set_cursor_position(Position::new(area.x, area.y));
            }
        }
    }

    fn text(&self, frame: &mut Frame, area: Rect, state: &State, context: RenderContext, focus: bool) {
        let RenderContext { session, theme, now } = context;
        // Where the strip is, the keys are the strip's.
        let on_strip = focus && state.focus == CompleteFocus::Browse && state.scores.has_strip();
        let (words, style) = status_lines::title(state, context, area.width);
        let title = if area.width < MEDIUM { "Prompt" } else { "Prompt & completion" };
        let rule = Rule { title, right: &words, right_style: style, focus: focus && !on_strip };
        rule.render(Rect { height: 1, ..area }, frame.buffer_mut(), theme);
        let notes = notes(state, area, session, now);
        let rows = TextRows::of(area, self.wide, notes.len(), state);
        Self::buffer(frame, rows.text, state, theme, focus);
        draw_notes(frame, rows.notes, &notes, theme);
        if rows.legend.height > 0 {
            let Rect { x, y, width, .. } = rows.legend;
            frame.buffer_mut().set_line(x + 1, y, &strip::legend(theme), width.saturating_sub(2));
        }
        if rows.strip.height > 0 {
            let (prompt, completion) = state.scores.layout.scores();
            let empty = status_lines::no_tokens(state);
            let shown = Shown { tokens: &state.scores.list(), empty, prompt, completion, focus: on_strip };
            let cursor = state.scores.strip.render(rows.strip, frame.buffer_mut(), &shown, theme);
            if let Some(cursor) = cursor.filter(|_| on_strip) {
                frame.set_cursor_position(cursor);
            }
        }
        if rows.summary.height > 1 {
            let Rect { x, y, width, .. } = rows.summary;
            let rule = Rule { title: "Settings", right: "s opens them", right_style: theme.muted, focus: false };
            rule.render(rows.summary, frame.buffer_mut(), theme);
            let width = usize::from(width.saturating_sub(2));
            let words = params::summary(&state.model(session), state.settings.params());
            frame.buffer_mut().set_stringn(x + 1, y + 1, cut(&words, width), width, theme.text);
        }
    }

    fn buffer(frame: &mut Frame, area: Rect, state: &State, theme: &Theme, focus: bool) {
        let writing = focus && state.focus == CompleteFocus::Text;
        if state.text.is_blank() && state.startup.loaded {
            return sample(frame, area, state, theme, writing);
        }
        let place = text_area(area);
        let mut paint = TextStyles {
            spans: state.text.history.spans(),
            tokens: &state.scores.list(),
            places: state.scores.layout.ranges(),
            heat: state.scores.heat,
            cursor: (state.focus == CompleteFocus::Browse && state.scores.has_strip()).then_some(state.scores.strip.at),
            tail: state.growing_end(),
            theme,
        };
        state.text.buffer.render(frame, place, theme, writing, &mut paint);
        if focus && state.focus == CompleteFocus::Browse {
            frame.set_cursor_position(Position::new(place.x, place.y));
        }
    }
}

/// Returns the area of the text itself: its title has a row of air below it where there is room.
fn text_area(area: Rect) -> Rect {
    let air = u16::from(area.height > 10);
    Rect { y: area.y + air, height: area.height - air, ..area }
}

/// Returns the area below a title.
fn below_title(area: Rect) -> Rect {
    Rect { y: area.y + 1, height: area.height - 1, ..area }
}

/// Returns the lines below the text, in the area of text and lines.
fn notes(state: &State, area: Rect, session: &Session, now: Instant) -> status_lines::StatusLines {
    let own_row = state.scores.strip_shown
        && Strip::has_sums(area.height.saturating_sub(1))
        && status_lines::sums_fit(state, area.width.saturating_sub(3));
    status_lines::notes(state, session, now, area.width.saturating_sub(2), !own_row)
}

/// The rows below the text's title, from the top.
struct TextRows {
    text: Rect,
    notes: Rect,
    legend: Rect,
    strip: Rect,
    summary: Rect,
}

impl TextRows {
    /// Lays the rows out: the text keeps a few at least, then come the notes, then the strip.
    fn of(area: Rect, wide: bool, notes: usize, state: &State) -> Self {
        let narrow = area.width < MEDIUM || area.height < 14;
        let body = area.height - 1;
        let summary = if wide || narrow { 0 } else { 2 };
        let notes = (notes as u16).min(if narrow { 5 } else { 6 }).min(body.saturating_sub(3));
        let scored = !state.scores.layout.is_empty();
        let asked = state.settings.params().logprobs.is_some();
        let awaited = asked && (state.shown_run().is_some() || state.active.writing().is_some());
        let wanted = if state.scores.strip_shown && (scored || awaited) { Strip::rows_wanted(body) } else { 0 };
        let strip = wanted.min(body.saturating_sub(notes + summary + 3));
        let legend = u16::from(state.scores.heat && !narrow && scored);
        let mut top = area.y + 1;
        let mut next = |height: u16| {
            top += height;
            Rect { y: top - height, height, ..area }
        };
        Self {
            text: next(body.saturating_sub(notes + legend + strip + summary)),
            notes: next(notes),
            legend: next(legend),
            strip: next(strip),
            summary: next(summary),
        }
    }
}

fn draw_notes(frame: &mut Frame, area: Rect, notes: &status_lines::StatusLines, theme: &Theme) {
    let width = usize::from(area.width.saturating_sub(2));
    for (nth, ((line, style), y)) in notes.iter().zip(area.y..area.bottom()).enumerate() {
        // Of a sentence it is said that it goes on.
        let last = y + 1 == area.bottom();
        let more = last && line.starts_with("┃") && notes.get(nth + 1).is_some_and(|(_, next)| next == style);
        let line = if more { cut(&format!("{line}…"), width) } else { cut(line, width) };
        frame.buffer_mut().set_stringn(area.x + 1, y, line, width, style.of(theme));
    }
}

/// Draws the empty pane: what this is, the key to start, an example to load.
fn sample(frame: &mut Frame, area: Rect, state: &State, theme: &Theme, caret: bool) {
    let preset = state.presets.first();
    let width = usize::from(area.width.saturating_sub(2).min(76));
    let mut y = area.y + u16::from(area.height > 8);
    let write = if caret { "" } else { "i write   " };
    let keys = format!("{write}^R continue   ⏎ try this:");
    let mut rows: Vec<(String, Style)> = Vec::new();
    for (words, style) in
        [("Write the beginning of a text and let a model continue it.", theme.text), (&keys, theme.muted)]
    {
        rows.extend(wrap::lines(words, width).into_iter().map(|line| (line.to_owned(), style)));
    }
    rows.push((String::new(), theme.text));
    let prompt = preset.prompt.screen();
    for line in prompt.lines() {
        rows.extend(wrap::lines(line, width).into_iter().map(|line| (line.to_owned(), theme.faint)));
    }
    if caret {
        frame.set_cursor_position(Position::new(area.x + 1, y));
    }
    for (line, style) in rows {
        if y >= area.bottom() {
            return;
        }
        frame.buffer_mut().set_stringn(area.x + 1, y, line, width, style);
        y += 1;
    }
}

/// What is painted over the buffer.
struct TextStyles<'a> {
    spans: &'a [GeneratedSpan],
    tokens: &'a [&'a Token],
    places: &'a [Range<usize>],
    heat: bool,
    /// The token under the strip's cursor.
    cursor: Option<usize>,
    /// Where text streams in.
    tail: Option<usize>,
    theme: &'a Theme,
}

impl Dress for TextStyles<'_> {
    fn styles(&mut self, visible: Range<usize>) -> Vec<(Range<usize>, Style)> {
        let first = self.spans.partition_point(|span| span.range.end <= visible.start);
        let shown = self.spans[first..].iter().take_while(|span| span.range.start < visible.end);
        let mut styles: Vec<_> = shown.map(|span| (span.range.clone(), self.theme.generated)).collect();
        if self.heat {
            styles.extend(strip::styles(self.tokens, self.places, visible, self.theme));
        }
        if let Some(place) = self.cursor.and_then(|at| self.places.get(at)) {
            styles.push((place.clone(), strip::cursor(self.theme)));
        }
        styles
    }

    fn marked(&self, row: Range<usize>) -> bool {
        let first = self.spans.partition_point(|span| span.range.end <= row.start);
        self.spans.get(first).is_some_and(|span| span.range.start < row.end.max(row.start + 1))
    }

    fn tail(&self) -> Option<(usize, &'static str)> {
        self.tail.map(|at| (at, "▍"))
    }
}

/// A candidate with its title and the words below it.
type CandidateWords = (Id, Untrusted, String);

/// Returns the candidates for a part, each with its title and the words below it.
fn candidate_words(state: &State, step: Id, session: &Session, now: Instant) -> Vec<CandidateWords> {
    let words = |(at, id): (usize, Id)| {
        let step = state.text.history.step(id)?;
        let Made::Generated { run, .. } = step.made else { return Some((id, Untrusted::default(), String::new())) };
        let run = state.log.find(run);
        let title = run.map(|run| {
            let set = params::brief(&run.params);
            let dot = if set.is_empty() { "" } else { " · " };
            Untrusted::from(format!("{} · {}{dot}{set}", at + 1, run.model.line()))
        });
        Some((id, title.unwrap_or_default(), status_lines::column(run, step, state, session, now)))
    };
    state.text.history.candidates(step).into_iter().enumerate().filter_map(words).collect()
}

/// Returns the candidates as columns.
fn candidates<'a>(state: &'a State, words: &'a [CandidateWords]) -> Vec<Column<'a>> {
    let column = |(id, title, foot): &'a CandidateWords| {
        let step = state.text.history.step(*id)?;
        Some(Column {
            title,
            text: &step.inserted,
            tokens: state.scores.of(*id),
            foot,
            state: match (step.status, step.made) {
                (TurnStatus::Streaming, _) => OutputState::Streaming,
                (TurnStatus::Done, _) => OutputState::Done,
                (TurnStatus::Stopped, _) => OutputState::Stopped,
                (_, Made::Generated { run, .. }) => OutputState::CutOff(state.log.failure(run)),
                _ => OutputState::CutOff(Untrusted::none()),
            },
            mean: state.scores.mean(*id),
        })
    };
    words.iter().filter_map(column).collect()
}
