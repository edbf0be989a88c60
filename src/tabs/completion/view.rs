//! The tab's picture: the buffer with what the model thought of it, settings, presets, how the last run ended.

use std::ops::Range;
use std::time::Instant;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::branches::Branches;
use super::history::GeneratedSpan;
use super::side::SideLayout;
use super::state::{CompleteFocus, Page, State};
use super::{compare, params, runs, status_lines};
use crate::component::{Component, RenderContext, Session};
use crate::record::{Id, Made, Token, TurnStatus};
use crate::tabs::columns::{Column, OutputState};
use crate::tabs::generation::strip::{self, Shown, Strip, StripKeys};
use crate::text::Untrusted;
use crate::ui::buffer::Dress;
use crate::ui::meter;
use crate::ui::pane::{self, Pane, Spacing, Surface};
use crate::ui::rule::cut;
use crate::ui::size_class::{MEDIUM, WIDE};
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Columns of the settings at the right, between lines and on a background.
const SIDE: (u16, u16) = (34, 36);
/// The settings stand beside the text on a screen of at least this size.
const ROOMY: (u16, u16) = (WIDE, 26);

/// Where the panes are, and where the settings stand.
#[derive(Debug, Default)]
pub(super) struct CompleteView {
    wide: bool,
    spacing: Spacing,
    /// Whether the strip names its keys.
    strip_keys: bool,
    text: Rect,
    settings: Rect,
    presets: Rect,
}

impl CompleteView {
    /// Whether the settings stand beside the text.
    pub(super) fn is_wide(&self) -> bool {
        self.wide
    }

    /// Whether the strip names its keys, so that the footer need not.
    pub(super) fn strip_names_keys(&self) -> bool {
        self.strip_keys
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
        let wide = area.width >= ROOMY.0 && area.height >= ROOMY.1;
        *self = Self { wide, spacing: session.spacing(), ..Self::default() };
        let [main, side] = self.parts(area, state);
        if let Some(area) = side {
            let parts = SideLayout::of(area, self.wide, self.spacing, state);
            (self.settings, self.presets) = (parts.settings, parts.presets);
        }
        let Some(area) = main else { return };
        match &mut state.page {
            Page::Buffer => {
                let notes = notes(state, area, session, now).len();
                let rows = TextRows::of(area, (self.wide, self.spacing), notes, state);
                self.text = rows.text;
                self.strip_keys =
                    rows.strip.height > 0 && Strip::has_keys(body(area, self.spacing).height, self.spacing);
                let tail = state.growing_end();
                state.text.buffer.arrange(text_area(self.text, self.spacing), tail);
            }
            Page::Tokens(page) => page.arrange(area, session, now),
            Page::Runs(page) => page.arrange(body(area, self.spacing), &state.log.runs),
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
        let (columns, divider) = if self.spacing.has_surfaces() { (SIDE.1, 0) } else { (SIDE.0, 1) };
        let columns = columns.min(area.width);
        let right = Rect { x: area.right() - columns, width: columns, ..area };
        let (main, side) = match (self.wide, side) {
            (true, _) => (Some(Rect { width: area.width - columns - divider, ..area }), Some(right)),
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
            if self.wide {
                let line = Rect { x: right.x - 1, width: 1, ..right };
                pane::divider(frame.buffer_mut(), line, context.theme, self.spacing);
            }
            pane::paint(frame.buffer_mut(), right, Surface::Panel, context.theme);
            SideLayout::of(right, self.wide, self.spacing, state).render(frame, state, context);
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
                let pane = Pane {
                    title: "Runs",
                    note: "",
                    right: &right,
                    right_style: theme.muted,
                    focus,
                    surface: Surface::Ground,
                };
                pane.render(area, frame.buffer_mut(), theme, self.spacing);
                let live: Vec<Id> = state.active.runs.iter().map(|active| active.record.id).collect();
                let spin = state.active.runs.first().map_or("", |active| {
                    meter::spinner(now.saturating_duration_since(active.run.stream.started), session.motion)
                });
                let (profile, zone, now_ms) = (&session.profile_name, &session.zone, state.unix_ms);
                let context = runs::RunListContext { profile, now_ms, zone, live: &live, spin, theme, focus };
                page.render(frame, body(area, self.spacing), &state.log.runs, &context);
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
        let notes = notes(state, area, session, now);
        let rows = TextRows::of(area, (self.wide, self.spacing), notes.len(), state);
        let (title, note) = self.title(state, area.width);
        let focus_text = focus && !on_strip;
        let pane = Pane {
            title: &title,
            note: &note,
            right: &words,
            right_style: style,
            focus: focus_text,
            surface: Surface::Ground,
        };
        pane.render(rows.pane, frame.buffer_mut(), theme, self.spacing);
        self.buffer(frame, rows.text, state, theme, focus);
        draw_notes(frame, self.spacing.padded(rows.notes), &notes, theme);
        if rows.legend.height > 0 {
            let Rect { x, y, width, .. } = self.spacing.padded(rows.legend);
            frame.buffer_mut().set_line(x, y, &strip::legend(theme), width);
        }
        if rows.strip.height > 0 {
            let (prompt, completion) = state.scores.layout.scores();
            let shown = Shown {
                tokens: &state.scores.list(),
                empty: status_lines::no_tokens(state),
                prompt,
                completion,
                focus: on_strip,
                keys: StripKeys::All,
                spacing: self.spacing,
            };
            let cursor = state.scores.strip.render(rows.strip, frame.buffer_mut(), &shown, theme);
            if let Some(cursor) = cursor.filter(|_| on_strip) {
                frame.set_cursor_position(cursor);
            }
        }
        if rows.summary.height > 1 {
            let pane = Pane {
                title: "Settings",
                note: "",
                right: "s opens them",
                right_style: theme.muted,
                focus: false,
                surface: Surface::Panel,
            };
            pane.render(rows.summary, frame.buffer_mut(), theme, self.spacing);
            let Rect { x, y, width, .. } = self.spacing.padded(rows.summary);
            let words = params::summary(&state.model(session), state.settings.params());
            let width = usize::from(width);
            frame.buffer_mut().set_stringn(x, y + 1, cut(&words, width), width, theme.text);
        }
    }

    /// Returns the title of the text, and what stands behind it: where panes have backgrounds its preset's name and which of
    /// several candidates it has.
    fn title(&self, state: &State, width: u16) -> (String, String) {
        if !self.spacing.has_surfaces() {
            let title = if width < MEDIUM { "Prompt" } else { "Prompt & completion" };
            return (title.to_owned(), String::new());
        }
        let name =
            state.presets.in_use().map_or_else(|| "Untitled".to_owned(), |preset| preset.name.line().into_owned());
        (name, Branches::of(state).map(|branches| branches.words()).unwrap_or_default())
    }

    fn buffer(&self, frame: &mut Frame, area: Rect, state: &State, theme: &Theme, focus: bool) {
        let writing = focus && state.focus == CompleteFocus::Text;
        if state.text.is_blank() && state.startup.loaded {
            return sample(frame, self.spacing.padded(area), state, theme, writing);
        }
        let place = text_area(area, self.spacing);
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
        if self.spacing.has_surfaces() {
            mark_generated(frame.buffer_mut(), place, area.x, theme);
        }
        if focus && state.focus == CompleteFocus::Browse {
            frame.set_cursor_position(Position::new(place.x, place.y));
        }
    }
}

/// Returns the area of the text itself: between lines it has a row of air above it where there is room.
fn text_area(area: Rect, spacing: Spacing) -> Rect {
    if spacing.has_surfaces() {
        let inset = spacing.side() - 1;
        return Rect { x: area.x + inset, width: area.width.saturating_sub(2 * inset), ..area };
    }
    let air = u16::from(area.height > 10);
    Rect { y: area.y + air, height: area.height - air, ..area }
}

/// Returns the area below a page's title.
fn body(area: Rect, spacing: Spacing) -> Rect {
    let (head, inset) = (spacing.head(area.height).min(area.height), spacing.side() - 1);
    let width = area.width.saturating_sub(2 * inset);
    Rect { x: area.x + inset, y: area.y + head, width, height: area.height - head }
}

/// Marks rows with text of a model at the pane's edge, where the text itself marks them beside it.
fn mark_generated(buf: &mut ratatui::buffer::Buffer, place: Rect, edge: u16, theme: &Theme) {
    for y in place.y..place.bottom() {
        if buf[(place.x, y)].symbol() == "▎" {
            buf.set_stringn(place.x, y, " ", 1, theme.text);
            buf.set_stringn(edge, y, "▌", 1, theme.model);
        }
    }
}

/// Returns the lines below the text, in the area of text and lines.
fn notes(state: &State, area: Rect, session: &Session, now: Instant) -> status_lines::StatusLines {
    let spacing = session.spacing();
    let own_row = state.scores.strip_shown
        && Strip::has_sums(body(area, spacing).height, spacing)
        && status_lines::sums_fit(state, area.width.saturating_sub(3));
    status_lines::notes(state, session, now, area.width.saturating_sub(2 * spacing.side()), !own_row)
}

/// The rows of the text's pane, from the top, and of what stands below it.
struct TextRows {
    /// All of the text's pane, its title first.
    pane: Rect,
    text: Rect,
    notes: Rect,
    legend: Rect,
    strip: Rect,
    summary: Rect,
}

impl TextRows {
    /// Lays the rows out: the text keeps a few at least, then come the notes, then the strip.
    fn of(area: Rect, (wide, spacing): (bool, Spacing), notes: usize, state: &State) -> Self {
        let narrow = area.width < MEDIUM || area.height < 14;
        let body = body(area, spacing).height;
        let summary = if wide || narrow { 0 } else { 2 };
        let notes = (notes as u16).min(if narrow { 5 } else { 6 }).min(body.saturating_sub(3));
        let scored = !state.scores.layout.is_empty();
        let asked = state.settings.params().logprobs.is_some();
        let awaited = asked && (state.shown_run().is_some() || state.active.writing().is_some());
        let wanted =
            if state.scores.strip_shown && (scored || awaited) { Strip::rows_wanted(body, spacing) } else { 0 };
        let strip = wanted.min(body.saturating_sub(notes + summary + 3));
        let legend = u16::from(state.scores.heat && !narrow && scored);
        // Blank rows above and below what is said of the text.
        let air = u16::from(spacing == Spacing::Roomy && body > notes + legend + strip + 8);
        let above = if notes + legend > 0 { air } else { 0 };
        let pane = Rect { height: area.height - strip - summary, ..area };
        let mut top = area.bottom() - summary - strip - air - legend - notes - above;
        let text = Rect { y: area.bottom() - body, height: top - (area.bottom() - body), ..area };
        top += above;
        let mut next = |height: u16| {
            top += height;
            Rect { y: top - height, height, ..area }
        };
        let (notes, legend, _, strip) = (next(notes), next(legend), next(air), next(strip));
        Self { pane, text, notes, legend, strip, summary: next(summary) }
    }
}

fn draw_notes(frame: &mut Frame, area: Rect, notes: &status_lines::StatusLines, theme: &Theme) {
    let width = usize::from(area.width);
    for (nth, ((line, style), y)) in notes.iter().zip(area.y..area.bottom()).enumerate() {
        // Of a sentence it is said that it goes on.
        let last = y + 1 == area.bottom();
        let more = last && line.starts_with("┃") && notes.get(nth + 1).is_some_and(|(_, next)| next == style);
        let line = if more { cut(&format!("{line}…"), width) } else { cut(line, width) };
        frame.buffer_mut().set_stringn(area.x, y, line, width, style.of(theme));
    }
}

/// Draws the empty pane: what this is, the key to start, an example to load.
fn sample(frame: &mut Frame, area: Rect, state: &State, theme: &Theme, caret: bool) {
    let preset = state.presets.first();
    let width = usize::from(area.width.min(76));
    let mut y = area.y + u16::from(area.height > 8 && !theme.kind.has_surfaces());
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
        frame.set_cursor_position(Position::new(area.x, y));
    }
    for (line, style) in rows {
        if y >= area.bottom() {
            return;
        }
        frame.buffer_mut().set_stringn(area.x, y, line, width, style);
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
