//! Draws the page.

use std::time::{Duration, Instant};

use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::super::params::{self, fields};
use super::super::run_log::ended_by;
use super::{ColumnSetup, Compare, ComparedColumn, ComparisonContext, letter};
use crate::component::{RenderContext, Session, money};
use crate::record::TurnStatus;
use crate::tabs::columns::{Column, Columns, LEAST, OutputState};
use crate::tabs::generation::RunPhase;
use crate::text::Untrusted;
use crate::ui::rule::cut;
use crate::ui::{meter, time, wrap};

/// Bytes of the prompt's end that are looked at for the line that shows it.
const TAIL: usize = 400;
/// The prompt's end is shown on a page of this height.
const TALL: u16 = 16;

/// The words of a column.
struct ColumnWords {
    title: Untrusted,
    /// What it is going to run; empty: it has run.
    setup: Untrusted,
    foot: String,
    step: Option<crate::record::Id>,
}

impl Compare {
    /// Fits the columns to their area: before keys and frames.
    pub(crate) fn arrange(
        &self,
        view: &mut Columns,
        area: Rect,
        context: ComparisonContext,
        (session, now): (&Session, Instant),
    ) {
        let words = self.words(area, context, session, now);
        view.arrange(place(area), session.spacing(), &self.outputs(context, &words));
    }

    /// Draws the columns.
    pub(crate) fn render(&self, frame: &mut Frame, area: Rect, context: ComparisonContext, on: RenderContext) {
        let RenderContext { session, theme, now } = on;
        let place = place(area);
        let words = self.words(area, context, session, now);
        let spacing = session.spacing();
        self.view.draw(place, frame.buffer_mut(), &self.outputs(context, &words), (spacing, theme));
        if place.height < area.height {
            let buffer = &context.text.buffer;
            let caret = buffer.caret();
            let from = buffer.slice(caret.saturating_sub(TAIL)..caret);
            let tail = Untrusted::from(from.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default());
            let words = if caret == 0 { "The prompt is empty".to_owned() } else { format!("after: {}", tail.line()) };
            let Rect { x, width, .. } = spacing.padded(area);
            let width = usize::from(width);
            frame.buffer_mut().set_stringn(x, place.bottom(), cut(&words, width), width, theme.faint);
        }
        frame.set_cursor_position(Position::new(area.x, area.y));
    }

    /// Returns the words of all columns.
    fn words(&self, area: Rect, context: ComparisonContext, session: &Session, now: Instant) -> Vec<ColumnWords> {
        let room = room(area.width, self.columns.len());
        (0..self.columns.len()).map(|at| self.words_of(at, context, (session, now), room)).collect()
    }

    /// Returns the columns as they are drawn.
    fn outputs<'a>(&'a self, context: ComparisonContext<'a>, words: &'a [ColumnWords]) -> Vec<Column<'a>> {
        let empty = Untrusted::none();
        let column = |(column, words): (&ComparedColumn, &'a ColumnWords)| {
            let step = words.step.and_then(|id| context.text.history.step(id));
            let output = output(column, context);
            Column {
                title: &words.title,
                text: if output == OutputState::Unsent {
                    &words.setup
                } else {
                    step.map_or(empty, |step| &step.inserted)
                },
                tokens: words.step.map_or(&[][..], |id| context.scores.of(id)),
                foot: &words.foot,
                state: output,
                mean: words.step.and_then(|id| context.scores.mean(id)),
            }
        };
        self.columns.iter().zip(words).map(column).collect()
    }

    /// Returns a column's title: all that it runs, or where that is too long, what sets it apart from the others.
    fn title(&self, at: usize, session: &Session, room: usize) -> Untrusted {
        let shown = |column: &'_ ComparedColumn| {
            column.last_run.as_ref().map_or_else(|| column.setup.clone(), |ran| ran.setup.clone())
        };
        let Some(setup) = self.columns.get(at).map(shown) else { return Untrusted::default() };
        let profile = setup.other_profile(session);
        let whole = format!("{} {}", letter(at), setup.words(profile.as_ref()));
        let brief = params::brief(&setup.sent());
        if wrap::width(&whole) <= room || brief.is_empty() {
            return whole.into();
        }
        let all: Vec<ColumnSetup> = self.columns.iter().map(shown).collect();
        let same_model = all.iter().all(|other| (&other.profile, &other.model) == (&setup.profile, &setup.model));
        if same_model {
            return format!("{} {brief}", letter(at)).into();
        }
        if all.iter().all(|other| other.sent() == setup.sent()) {
            let plain = ColumnSetup { params: crate::record::CompletionParams::default(), ..setup };
            return format!("{} {}", letter(at), plain.words(profile.as_ref())).into();
        }
        whole.into()
    }

    fn words_of(
        &self,
        at: usize,
        context: ComparisonContext,
        (session, now): (&Session, Instant),
        room: usize,
    ) -> ColumnWords {
        let title = self.title(at, session, room);
        let column = &self.columns[at];
        let named = |setup: &ColumnSetup| setup.words(setup.other_profile(session).as_ref());
        let run = column.last_run.as_ref().and_then(|ran| Some((ran, context.log.find(ran.run)?)));
        let Some((ran, run)) = run else {
            let foot = if context.active.column_counts.is_some() { "counting…" } else { "^R run all" };
            let setup = described(&column.setup, session);
            return ColumnWords { title, setup, foot: foot.to_owned(), step: None };
        };
        let step = ran.step.and_then(|id| context.text.history.step(id));
        let mut parts = Vec::new();
        if let Some(active) = self.active_run(at, context.active) {
            let elapsed = now.saturating_duration_since(active.run.stream.started);
            if let RunPhase::Retrying { attempt, of, at, .. } = &active.run.stream.phase {
                parts.push(format!("attempt {attempt} of {of} in {}", time::countdown(*at, now)));
                parts.push("⏎ now".to_owned());
            } else {
                let (spin, meter) = (meter::spinner(elapsed, session.motion), active.run.meter());
                let mark = if meter.estimated { "~" } else { "" };
                parts.push(format!("{spin} {mark}▼{} tok", meter::count(meter.completion_tokens)));
                parts.push(time::duration(elapsed));
                parts.push(money::cost(meter.cost));
            }
        } else if run.status == TurnStatus::Failed {
            parts.push(time::duration(Duration::from_millis(run.total_ms)));
        } else if run.status != TurnStatus::Streaming {
            let mark = if run.estimated { "~" } else { "" };
            parts.push(format!("{mark}▼{} tok", meter::count(run.completion_tokens)));
            parts.push(time::duration(Duration::from_millis(run.total_ms)));
            parts.push(money::cost(run.cost_nano));
            parts.extend(step.map(|step| ended_by(&step.finish_reason)).filter(|reason| !reason.is_empty()));
        }
        if ran.setup != column.setup {
            parts.push(format!("next: {}", named(&column.setup)));
        }
        ColumnWords { title, setup: Untrusted::default(), foot: parts.join(" · "), step: ran.step }
    }
}

/// Returns the area of the columns: without the row that shows the prompt's end.
fn place(area: Rect) -> Rect {
    Rect { height: area.height - u16::from(area.height >= TALL), ..area }
}

/// Returns where a column's last run stands.
fn output<'a>(column: &ComparedColumn, context: ComparisonContext<'a>) -> OutputState<'a> {
    let Some(run) = column.last_run.as_ref().and_then(|ran| context.log.find(ran.run)) else {
        return OutputState::Unsent;
    };
    let reason = || if run.error.is_empty() { context.log.failure(run.id) } else { &run.error };
    if let Some(active) = context.active.find(run.id) {
        return match &active.run.stream.phase {
            RunPhase::Retrying { why, .. } => OutputState::Retrying(&why.sentence),
            _ if active.outputs.is_empty() => OutputState::Waiting,
            _ => OutputState::Streaming,
        };
    }
    match run.status {
        TurnStatus::Streaming => OutputState::Waiting,
        TurnStatus::Done => OutputState::Done,
        TurnStatus::Stopped => OutputState::Stopped,
        TurnStatus::CutOff => OutputState::CutOff(reason()),
        TurnStatus::Failed => OutputState::Failed(reason()),
    }
}

/// Returns about how many columns of the screen a title has.
fn room(width: u16, columns: usize) -> usize {
    let width = usize::from(width);
    let side_by_side = (width / usize::from(LEAST + 1)).clamp(1, columns.max(1));
    let each = width / side_by_side;
    // This says which of the columns it is.
    let page = if side_by_side == columns { 0 } else { 13 };
    each.saturating_sub(9 + page)
}

/// Returns what a column is going to run, a line each.
fn described(setup: &ColumnSetup, session: &Session) -> Untrusted {
    let mut lines = Vec::new();
    if let Some(profile) = setup.other_profile(session) {
        lines.push(format!("profile: {}", profile.line()));
    }
    let model = setup.model();
    lines.push(if model.is_empty() {
        "model: none yet, m sets one".into()
    } else {
        format!("model: {}", model.line())
    });
    let named = lines.len();
    for (name, value) in fields::values(&setup.params).filter(|(_, value)| !value.is_empty()) {
        let once = if name == "n" && value != "1" { " (one per column)" } else { "" };
        lines.push(format!("{name}: {value}{once}"));
    }
    if lines.len() == named {
        lines.push("server defaults for all settings".to_owned());
    }
    lines.join("\n").into()
}
