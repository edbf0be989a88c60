//! The tab's picture: the buffer with what the model thought of it, settings, presets, how the last run ended.

use std::ops::Range;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::history::Span;
use super::state::{Focus, Page, State};
use super::{compare, foot, params, runs, scored};
use crate::component::RenderContext;
use crate::record::{Id, Made, Token, TurnStatus};
use crate::tabs::columns::{Column, State as Output};
use crate::tabs::generation::strip::{self, Shown, Strip};
use crate::text::Untrusted;
use crate::ui::buffer::Dress;
use crate::ui::meter;
use crate::ui::rule::{Rule, cut};
use crate::ui::theme::Theme;

/// Columns of the settings at the right.
const SIDE: u16 = 34;
/// The settings stand beside the text on a screen of at least this size.
const WIDE: (u16, u16) = (100, 26);

/// Where things were drawn, for clicks.
#[derive(Debug, Default)]
pub(super) struct View {
    wide: bool,
    pub(super) text: Rect,
    pub(super) settings: Rect,
    pub(super) presets: Rect,
}

impl View {
    pub(super) fn is_wide(&self) -> bool {
        self.wide
    }

    /// Half the rows of the text.
    pub(super) fn half(&self) -> isize {
        (self.text.height / 2).max(1) as isize
    }

    /// Which pane a position is in.
    pub(super) fn pane(&self, at: Position) -> Option<Focus> {
        let panes = [(self.settings, Focus::Settings), (self.presets, Focus::Presets), (self.text, Focus::Browse)];
        panes.into_iter().find(|(area, _)| area.contains(at)).map(|(_, focus)| focus)
    }

    /// Fits itself to the area.
    pub(super) fn arrange(&mut self, area: Rect) {
        self.wide = area.width >= WIDE.0 && area.height >= WIDE.1;
    }

    /// Draws everything.
    pub(super) fn render(&mut self, frame: &mut Frame, area: Rect, state: &mut State, context: RenderContext) {
        *self = Self { wide: self.wide, ..Self::default() };
        let side = matches!(state.focus, Focus::Settings | Focus::Presets);
        if self.wide {
            let right = Rect { x: area.right() - SIDE, width: SIDE, ..area };
            self.main(frame, Rect { width: area.width - SIDE - 1, ..area }, state, context);
            for y in area.y..area.bottom() {
                frame.buffer_mut().set_stringn(
                    right.x - 1,
                    y,
                    if y == area.y { "┬" } else { "│" },
                    1,
                    context.theme.rule,
                );
            }
            self.side(frame, right, state, context);
        } else if side {
            self.side(frame, area, state, context);
        } else {
            self.main(frame, area, state, context);
        }
        state.modals.render(frame, area, context);
    }

    /// Settings, presets, the run's figures.
    fn side(&mut self, frame: &mut Frame, area: Rect, state: &mut State, context: RenderContext) {
        let RenderContext { session, theme, .. } = context;
        if area.height < 3 {
            return;
        }
        let over = state.modals.is_open();
        let focus = state.focus == Focus::Settings && !over;
        let locked = state.is_busy();
        let model = state.pane_model(session).0;
        let pane = state.pane_mut();
        pane.lock(locked);
        pane.model(&model);
        state.show_suffix();
        let words = if area.width < 40 { "locked for now" } else { "locked while it runs" };
        let right = if locked { words } else { "● sent" };
        let of = state.comparing().then(|| format!("Settings of {}", state.compare.letter()));
        let title = of.as_deref().unwrap_or("Settings");
        let rule = Rule { title, right, right_style: theme.muted, focus };
        rule.render(Rect { height: 1, ..area }, frame.buffer_mut(), theme);
        let figures: u16 = if self.wide { 5 } else { 0 };
        let rows = area.height - 1;
        // Where there is little room the pane with the keys has all of it.
        let fields = state.pane().rows();
        let (first, second) = if rows >= fields + 5 + figures {
            (fields, rows - fields - 1 - figures)
        } else if rows >= 16 {
            (rows - 6, 5)
        } else if state.focus == Focus::Presets {
            (0, rows)
        } else {
            (rows, 0)
        };
        let inner = |y: u16, height: u16| Rect { x: area.x + 1, y, width: area.width.saturating_sub(2), height };
        self.settings = Rect { y: area.y, height: first + 1, ..area };
        if first > 0 {
            state.pane_mut().render(frame, inner(area.y + 1, first), theme, focus);
        }
        if second > 0 {
            let y = if first > 0 { area.y + 1 + first } else { area.y };
            self.presets = Rect { y, height: second + 1, ..area };
            let focus = state.focus == Focus::Presets && !over;
            let rule = Rule { title: "Presets", right: "S save", right_style: theme.muted, focus };
            rule.render(Rect { y, height: 1, ..area }, frame.buffer_mut(), theme);
            state.mark_edited(session);
            state.presets.render(frame, inner(y + 1, second), theme, focus);
        }
        if figures > 0 && rows > first + second + 2 {
            let y = area.bottom() - figures;
            let title = if state.comparing() { "All columns" } else { "This run" };
            Rule { title, right: "r runs", right_style: theme.muted, focus: false }.render(
                Rect { y, height: 1, ..area },
                frame.buffer_mut(),
                theme,
            );
            for (line, y) in foot::figures(state, session, context.now).iter().zip(y + 1..area.bottom()) {
                let place = inner(y, 1);
                frame.buffer_mut().set_stringn(place.x, y, line, usize::from(place.width), theme.text);
            }
        }
    }

    /// The text, or the page that stands in its place.
    fn main(&mut self, frame: &mut Frame, area: Rect, state: &mut State, context: RenderContext) {
        let RenderContext { session, theme, now } = context;
        if area.height < 4 || area.width < 10 {
            return;
        }
        let focus = matches!(state.focus, Focus::Text | Focus::Browse) && !state.modals.is_open();
        match &mut state.page {
            Page::Buffer => self.text(frame, area, state, context, focus),
            Page::Tokens(page) => page.render(frame, area, theme),
            Page::Runs(page) => {
                let (left, all) = (page.count(&state.runs) as u64, state.runs.len() as u64);
                let right = if left == all {
                    format!("{} · esc back", meter::count(all))
                } else {
                    format!("{} of {} · esc all", meter::count(left), meter::count(all))
                };
                let rule = Rule { title: "Runs", right: &right, right_style: theme.muted, focus };
                rule.render(Rect { height: 1, ..area }, frame.buffer_mut(), theme);
                let live: Vec<Id> = state.flights.iter().map(|flight| flight.kept.id).collect();
                let spin = state.flights.first().map_or("", |flight| {
                    meter::spinner(now.saturating_duration_since(flight.run.started), session.motion)
                });
                let around = runs::Around { profile: &session.profile_name, now_ms: state.unix_ms, live: &live, spin };
                let place = Rect { y: area.y + 1, height: area.height - 1, ..area };
                page.render(frame, place, &state.runs, &around, theme, focus);
            }
            Page::Compare => compare::draw::render(frame, area, state, context),
            Page::Beside(..) => beside(frame, area, state, context),
        }
    }

    fn text(&mut self, frame: &mut Frame, area: Rect, state: &mut State, context: RenderContext, focus: bool) {
        let RenderContext { session, theme, .. } = context;
        // Where the strip is, the keys are the strip's.
        let on_strip = focus && state.focus == Focus::Browse && state.has_strip();
        let (words, style) = foot::title(state, context, area.width);
        let title = if area.width < foot::NARROW { "Prompt" } else { "Prompt & completion" };
        let rule = Rule { title, right: &words, right_style: style, focus: focus && !on_strip };
        rule.render(Rect { height: 1, ..area }, frame.buffer_mut(), theme);
        let notes = {
            let own_row = state.strip_shown
                && Strip::has_sums(area.height.saturating_sub(1))
                && foot::sums_fit(state, area.width.saturating_sub(3));
            foot::notes(state, context, area.width.saturating_sub(2), !own_row)
        };
        let rows = Rows::of(area, self.wide, notes.len(), state);
        self.text = rows.text;
        Self::buffer(frame, rows.text, state, theme, focus);
        draw_notes(frame, rows.notes, &notes);
        if rows.legend.height > 0 {
            let Rect { x, y, width, .. } = rows.legend;
            frame.buffer_mut().set_line(x + 1, y, &strip::legend(theme), width.saturating_sub(2));
        }
        if rows.strip.height > 0 {
            let (prompt, completion) = state.scored.scores();
            let empty = foot::no_tokens(state);
            let shown =
                Shown { tokens: &state.scored.tokens(&state.tokens), empty, prompt, completion, focus: on_strip };
            let cursor = state.strip.render(rows.strip, frame.buffer_mut(), &shown, theme);
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

    fn buffer(frame: &mut Frame, area: Rect, state: &mut State, theme: &Theme, focus: bool) {
        let writing = focus && state.focus == Focus::Text;
        if state.is_blank() && state.loaded {
            return sample(frame, area, state, theme, writing);
        }
        // The title has a row of air below it where there is room.
        let air = u16::from(area.height > 10);
        let place = Rect { y: area.y + air, height: area.height - air, ..area };
        let mut paint = Paint {
            spans: state.history.spans(),
            tokens: &state.scored.tokens(&state.tokens),
            places: state.scored.places(),
            heat: state.heat,
            cursor: (state.focus == Focus::Browse && state.has_strip()).then_some(state.strip.at),
            tail: state.growing_end(),
            theme,
        };
        state.buffer.render(frame, place, theme, writing, &mut paint);
        if focus && state.focus == Focus::Browse {
            frame.set_cursor_position(Position::new(place.x, place.y));
        }
    }
}

/// The rows below the text's title, from the top.
struct Rows {
    text: Rect,
    notes: Rect,
    legend: Rect,
    strip: Rect,
    summary: Rect,
}

impl Rows {
    /// The text keeps a few rows at least, then come the notes, then the strip.
    fn of(area: Rect, wide: bool, notes: usize, state: &State) -> Self {
        let narrow = area.width < foot::NARROW || area.height < 14;
        let body = area.height - 1;
        let summary = if wide || narrow { 0 } else { 2 };
        let notes = (notes as u16).min(if narrow { 5 } else { 6 }).min(body.saturating_sub(3));
        let scored = !state.scored.is_empty();
        let asked = state.settings.params().logprobs.is_some();
        let awaited = asked && (state.shown_run().is_some() || state.writing().is_some());
        let wanted = if state.strip_shown && (scored || awaited) { Strip::rows_wanted(body) } else { 0 };
        let strip = wanted.min(body.saturating_sub(notes + summary + 3));
        let legend = u16::from(state.heat && !narrow && scored);
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

fn draw_notes(frame: &mut Frame, area: Rect, notes: &[(String, Style)]) {
    let width = usize::from(area.width.saturating_sub(2));
    for (nth, ((line, style), y)) in notes.iter().zip(area.y..area.bottom()).enumerate() {
        // Of a sentence it is said that it goes on.
        let last = y + 1 == area.bottom();
        let more = last && line.starts_with("┃") && notes.get(nth + 1).is_some_and(|(_, next)| next == style);
        let line = if more { cut(&format!("{line}…"), width) } else { cut(line, width) };
        frame.buffer_mut().set_stringn(area.x + 1, y, line, width, *style);
    }
}

/// The empty pane: what this is, the key to start, an example to load.
fn sample(frame: &mut Frame, area: Rect, state: &State, theme: &Theme, caret: bool) {
    let preset = state.presets.first();
    let width = usize::from(area.width.saturating_sub(2).min(76));
    let mut y = area.y + u16::from(area.height > 8);
    let write = if caret { "Write a text" } else { "i writes a text" };
    let words = format!("{write}; ^R lets the model go on where the caret stands. ⏎ loads this example:");
    let mut rows: Vec<(String, Style)> =
        crate::ui::wrap::lines(&words, width).into_iter().map(|line| (line.to_owned(), theme.text)).collect();
    rows.push((String::new(), theme.text));
    let prompt = preset.prompt.screen();
    for line in prompt.lines() {
        rows.extend(crate::ui::wrap::lines(line, width).into_iter().map(|line| (line.to_owned(), theme.faint)));
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
struct Paint<'a> {
    spans: &'a [Span],
    tokens: &'a [&'a Token],
    places: &'a [Range<usize>],
    heat: bool,
    /// The token under the strip's cursor.
    cursor: Option<usize>,
    /// Where text streams in.
    tail: Option<usize>,
    theme: &'a Theme,
}

impl Dress for Paint<'_> {
    fn styles(&mut self, visible: Range<usize>) -> Vec<(Range<usize>, Style)> {
        let first = self.spans.partition_point(|span| span.range.end <= visible.start);
        let shown = self.spans[first..].iter().take_while(|span| span.range.start < visible.end);
        let mut styles: Vec<_> = shown.map(|span| (span.range.clone(), self.theme.generated)).collect();
        if self.heat {
            styles.extend(strip::styles(self.tokens, self.places, visible, self.theme));
        }
        if let Some(place) = self.cursor.and_then(|at| self.places.get(at)) {
            styles.push((place.clone(), self.theme.find_current));
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

/// All candidates side by side.
fn beside(frame: &mut Frame, area: Rect, state: &mut State, context: RenderContext) {
    let RenderContext { session, theme, now } = context;
    let State { page, history, tokens, runs, flights, failures, .. } = state;
    let Page::Beside(page, step) = page else { return };
    let all = history.candidates(*step);
    let empty = Untrusted::default();
    let found: Vec<_> = all.iter().filter_map(|id| history.step(*id)).collect();
    let made: Vec<(Untrusted, String)> = found
        .iter()
        .enumerate()
        .map(|(at, step)| {
            let Made::Generated { run, .. } = step.made else { return (empty.clone(), String::new()) };
            let run = runs.iter().find(|other| other.id == run);
            let title = run.map(|run| {
                let set = params::brief(&run.params);
                let dot = if set.is_empty() { "" } else { " · " };
                Untrusted::from(format!("{} · {}{dot}{set}", at + 1, run.model.line()))
            });
            let count = tokens.get(&step.id).map(|tokens| tokens.len() as u64);
            (title.unwrap_or_default(), foot::column(run, count, step, flights, session, now))
        })
        .collect();
    let columns: Vec<Column> = found
        .iter()
        .zip(&made)
        .map(|(step, (title, foot))| Column {
            title,
            text: &step.inserted,
            tokens: tokens.get(&step.id).map_or(&[][..], Vec::as_slice),
            foot,
            state: match (step.status, step.made) {
                (TurnStatus::Streaming, _) => Output::Streaming,
                (TurnStatus::Done, _) => Output::Done,
                (TurnStatus::Stopped, _) => Output::Stopped,
                (_, Made::Generated { run, .. }) => {
                    Output::CutOff(failures.get(&run).map_or(&empty, |why| &why.sentence))
                }
                _ => Output::CutOff(&empty),
            },
            mean: scored::mean(tokens, step.id),
        })
        .collect();
    page.render(area, frame.buffer_mut(), &columns, theme);
    frame.set_cursor_position(Position::new(area.x, area.y));
}
