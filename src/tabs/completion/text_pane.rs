//! Draws the text coloured by probability: its title, the notes below it, the token strip, the line of settings.

use std::ops::Range;
use std::time::Instant;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::Span;

use super::generated_spans::GeneratedSpan;
use super::keys::{Action, KEYS, WRITING};
use super::state::{CompletePane, State};
use super::status_lines::{self, StatusLines};
use super::{branches, params};
use crate::component::{Hint, RenderContext, Session, failure_line};
use crate::record::Token;
use crate::tabs::generation::score::Score;
use crate::tabs::generation::strip::{self, Shown, Strip, StripKeys};
use crate::ui::buffer::Decoration;
use crate::ui::empty_state::EmptyState;
use crate::ui::pane::{Pane, Spacing, Surface};
use crate::ui::rule::cut;
use crate::ui::size_class::MEDIUM;
use crate::ui::theme::Theme;
use crate::ui::transcript::COLUMN;

/// What tells generated text from the rest where underlining says how likely a token is.
const GENERATED: Style = Style::new().add_modifier(Modifier::ITALIC);

/// The text's pane on the screen.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextPane {
    /// The area of all that it draws.
    pub(super) area: Rect,
    /// Whether the settings stand beside it.
    pub(super) wide: bool,
    pub(super) spacing: Spacing,
}

impl TextPane {
    /// Fits the text to its area. Returns that, and whether the strip names its keys.
    pub(super) fn arrange(&self, state: &mut State, session: &Session, now: Instant) -> (Rect, bool) {
        state.text.find.update(&mut state.text.buffer);
        let rows = self.rows(self.notes(state, session, now).len(), state);
        let tail = state.growing_end();
        state.text.buffer.arrange(text_area(rows.text, self.spacing), tail);
        let names_keys = rows.strip.height > 0 && Strip::has_keys(self.spacing.body(self.area).height, self.spacing);
        (rows.text, names_keys)
    }

    /// Draws text, notes, strip and the line of settings.
    pub(super) fn render(&self, frame: &mut Frame, state: &State, context: RenderContext, focus: bool) {
        let RenderContext { session, theme, now } = context;
        // While the strip is shown, it has the keys.
        let on_strip = focus && state.focus == CompletePane::Browse && state.scores.has_strip();
        let (words, style) = status_lines::title(state, context, self.area.width);
        let notes = self.notes(state, session, now);
        let rows = self.rows(notes.len(), state).below_text(state, self.spacing);
        let (title, note) = self.title(state);
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
            self.draw_legend(frame.buffer_mut(), self.spacing.padded(rows.legend), theme);
        }
        if rows.strip.height > 0 {
            self.draw_strip(frame, rows.strip, state, theme, on_strip);
        }
        if rows.find.height > 0 {
            let line = self.spacing.padded(rows.find);
            state.text.find.bar.render(frame, line, &state.text.find.place(&state.text.buffer), theme);
        }
        if rows.summary.height > 1 {
            self.draw_summary(frame.buffer_mut(), rows.summary, state, context);
        }
    }

    /// Draws what the colours mean.
    fn draw_legend(&self, buf: &mut Buffer, area: Rect, theme: &Theme) {
        let mut legend = strip::legend(theme);
        if !self.spacing.has_surfaces() {
            legend.push_span(Span::styled("   ▎ ", theme.model));
            legend.push_span(Span::styled("generated", GENERATED));
        }
        buf.set_line(area.x, area.y, &legend, area.width);
    }

    /// Draws the token strip, which has the keys if `focus`.
    fn draw_strip(&self, frame: &mut Frame, area: Rect, state: &State, theme: &Theme, focus: bool) {
        let shown = Shown {
            tokens: &state.scores.list(),
            empty: status_lines::no_tokens(state),
            // The scores of prompt and completion are shown right below the text.
            completion: Score::default(),
            focus,
            keys: StripKeys::All,
            spacing: self.spacing,
        };
        let cursor = state.scores.strip.render(area, frame.buffer_mut(), &shown, theme);
        if let Some(cursor) = cursor.filter(|_| focus) {
            frame.set_cursor_position(cursor);
        }
    }

    /// Draws the settings in one line, where their pane does not stand beside the text.
    fn draw_summary(&self, buf: &mut Buffer, area: Rect, state: &State, context: RenderContext) {
        let RenderContext { session, theme, .. } = context;
        let pane = Pane {
            title: "Settings",
            note: "",
            right: if state.focus == CompletePane::Text { "F6 open" } else { "s open" },
            right_style: theme.muted,
            focus: false,
            surface: Surface::Panel,
        };
        pane.render(area, buf, theme, self.spacing);
        let Rect { x, y, width, .. } = self.spacing.padded(area);
        let words = params::summary(&state.model(session), state.settings.params());
        let width = usize::from(width);
        buf.set_stringn(x, y + 1, cut(&words, width), width, theme.text);
    }

    /// Returns the title of the text, which is its preset's name, and what is shown after it: which of several
    /// branches it has, where no line below the text says so.
    fn title(&self, state: &State) -> (String, String) {
        let name =
            state.presets.in_use().map_or_else(|| "Untitled".to_owned(), |preset| preset.name.line().into_owned());
        let branch = branches::words(&state.text.history).filter(|_| self.spacing.has_surfaces());
        (name, branch.unwrap_or_default())
    }

    fn buffer(&self, frame: &mut Frame, area: Rect, state: &State, theme: &Theme, focus: bool) {
        let writing = focus && state.focus == CompletePane::Text;
        if state.shows_intro() {
            let caret = empty(frame.buffer_mut(), self.spacing.padded(area), state, theme, writing);
            if focus {
                frame.set_cursor_position(caret);
            }
            return;
        }
        let place = text_area(area, self.spacing);
        let mut paint = TextStyles {
            spans: state.text.history.spans(),
            tokens: &state.scores.list(),
            places: state.scores.layout.ranges(),
            heat: state.scores.heat,
            cursor: (state.focus == CompletePane::Browse && state.scores.has_strip()).then_some(state.scores.strip.at),
            tail: state.growing_end(),
            theme,
        };
        state.text.buffer.render(frame, place, theme, writing, &mut paint);
        if self.spacing.has_surfaces() {
            mark_generated(frame.buffer_mut(), place, area.x, theme);
        }
        if focus && state.focus == CompletePane::Browse {
            frame.set_cursor_position(Position::new(place.x, place.y));
        }
    }

    /// Returns the lines below the text.
    fn notes(&self, state: &State, session: &Session, now: Instant) -> StatusLines {
        status_lines::notes(state, session, now, self.area.width.saturating_sub(2 * self.spacing.side()))
    }

    /// Lays the rows out: the text keeps a few at least, then come the notes, then the strip.
    fn rows(&self, notes: usize, state: &State) -> TextRows {
        let Self { area, wide, spacing } = *self;
        let narrow = area.width < MEDIUM || area.height < 14;
        let body = spacing.body(area).height;
        let summary = if wide || narrow { 0 } else { 2 };
        let find = u16::from(state.text.find.bar.is_shown() && body >= 2);
        let notes = (notes as u16).min(if narrow { 5 } else { 6 }).min(body.saturating_sub(3 + find));
        let scored = !state.scores.layout.is_empty();
        let asked = state.settings.params().logprobs.is_some();
        let awaited = asked && (state.shown_run().is_some() || state.active.buffer_run().is_some());
        let wanted =
            if state.scores.strip_shown && (scored || awaited) { Strip::rows_wanted(body, spacing) } else { 0 };
        let strip = wanted.min(body.saturating_sub(find + notes + summary + 3));
        let legend = u16::from(state.scores.heat && !narrow && scored);
        // Blank rows above and below the notes on the text.
        let blank_rows = u16::from(spacing == Spacing::Roomy && body > find + notes + legend + strip + 8);
        let above = if notes + legend > 0 { blank_rows } else { 0 };
        let pane = Rect { height: area.height - strip - summary, ..area };
        let mut top = area.bottom() - summary - strip - find - blank_rows - legend - notes - above;
        let text = Rect { y: area.bottom() - body, height: top - (area.bottom() - body), ..area };
        top += above;
        let mut next = |height: u16| {
            top += height;
            Rect { y: top - height, height, ..area }
        };
        let (notes, legend, _) = (next(notes), next(legend), next(blank_rows));
        let (find, strip) = (next(find), next(strip));
        TextRows { pane, text, notes, legend, find, strip, summary: next(summary) }
    }
}

/// Returns the area of the text itself: between lines it has a row of air above it where there is room.
fn text_area(area: Rect, spacing: Spacing) -> Rect {
    if spacing.has_surfaces() {
        let inset = spacing.side() - 1;
        return Rect { x: area.x + inset, width: area.width.saturating_sub(2 * inset).min(COLUMN as u16 + 2), ..area };
    }
    let blank_rows = u16::from(area.height > 10);
    Rect { y: area.y + blank_rows, height: area.height - blank_rows, width: area.width.min(COLUMN as u16 + 2), ..area }
}

/// Marks rows with text of a model at the pane's edge, where the text itself marks them beside it.
fn mark_generated(buf: &mut Buffer, place: Rect, edge: u16, theme: &Theme) {
    for y in place.y..place.bottom() {
        if buf[(place.x, y)].symbol() == "▎" {
            buf.set_stringn(place.x, y, " ", 1, theme.text);
            buf.set_stringn(edge, y, "▌", 1, theme.model);
        }
    }
}

impl TextRows {
    /// Moves what is said of the text right below it, where it ends before its area does.
    fn below_text(mut self, state: &State, spacing: Spacing) -> Self {
        if state.shows_intro() {
            return self;
        }
        let text = text_area(self.text, spacing);
        let end = text.y + (state.text.buffer.rows_in_view() as u16).min(text.height);
        let up = self.notes.y.saturating_sub(end + 1);
        self.notes.y -= up;
        self.legend.y -= up;
        self
    }
}

/// The rows of the text's pane, from the top, and of what stands below it.
struct TextRows {
    /// All of the text's pane, its title first.
    pane: Rect,
    text: Rect,
    notes: Rect,
    legend: Rect,
    /// The words that are looked for.
    find: Rect,
    strip: Rect,
    summary: Rect,
}

fn draw_notes(frame: &mut Frame, area: Rect, notes: &StatusLines, theme: &Theme) {
    let width = usize::from(area.width);
    for (nth, ((line, style), y)) in notes.iter().zip(area.y..area.bottom()).enumerate() {
        // An ellipsis says that the sentence continues.
        let last = y + 1 == area.bottom();
        let more = last && line.starts_with("┃") && notes.get(nth + 1).is_some_and(|(_, next)| next == style);
        let line = if more { cut(&format!("{line}…"), width) } else { cut(line, width) };
        frame.buffer_mut().set_line(area.x, y, &failure_line(&line, style.of(theme), width, theme), area.width);
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
    /// The position where text streams in.
    tail: Option<usize>,
    theme: &'a Theme,
}

impl Decoration for TextStyles<'_> {
    fn styles(&mut self, visible: Range<usize>) -> Vec<(Range<usize>, Style)> {
        let first = self.spans.partition_point(|span| span.range.end <= visible.start);
        let shown = self.spans[first..].iter().take_while(|span| span.range.start < visible.end);
        let mut styles: Vec<_> = shown.map(|span| (span.range.clone(), self.theme.generated)).collect();
        if self.heat {
            let generated = styles.clone();
            styles.extend(strip::styles(self.tokens, self.places, visible, self.theme));
            // Without surfaces, the colours of probabilities replace that of generated text.
            let marked = generated.into_iter().filter(|_| !self.theme.kind.has_surfaces());
            styles.extend(marked.map(|(range, _)| (range, GENERATED)));
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

/// Draws the pane without a text: what it is for, an example to load, keys to begin with. Returns where the caret
/// belongs.
fn empty(buf: &mut Buffer, area: Rect, state: &State, theme: &Theme, writing: bool) -> Position {
    let sample = state.presets.first().prompt.screen();
    let load = Hint::new("⏎", "load this example");
    let keys = if writing {
        [
            load,
            WRITING.hint(Action::Run, "let the model continue"),
            WRITING.hint(Action::NextPane, "settings and presets"),
        ]
    } else {
        [load, KEYS.hint(Action::Write, "write"), KEYS.hint(Action::Presets, "other examples")]
    };
    let keys = keys.each_ref().map(Hint::as_pair);
    let purpose = "Write the beginning of a text and let a model continue it.";
    let empty = EmptyState { purpose, samples: &[&sample], chosen: None, keys: &keys };
    empty.render(area, buf, theme).as_position()
}
