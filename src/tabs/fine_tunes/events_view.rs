//! Draws the events, newest first.

use std::ops::Range;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

use super::event_buffer::{EventLevel, EventLine};
use super::event_log::EventLog;
use super::job_list::JobList;
use super::job_row::{EventStream, JobRow, tail};
use super::state::State;
use super::step_columns::{StepColumns, StepFigures, ended_epoch};
use super::styled_lines::{StyledLine, below_title, find_line};
use super::tune_context::TuneContext;
use crate::text::Untrusted;
use crate::ui::list::Cursor;
use crate::ui::pane::{Pane, Spacing, Surface};
use crate::ui::rule::cut;
use crate::ui::time::countdown;
use crate::ui::wrap;

/// Columns of the pane below which times are left out.
const NARROW: u16 = 48;
/// Rows that one wrapped event takes at most.
const TALL: usize = 12;

/// Returns the rows of the pane at least: with surfaces so many that there is room around its title.
fn least_rows(spacing: Spacing) -> u16 {
    if spacing == Spacing::Roomy { 11 } else { 6 }
}

/// Returns how many rows the pane needs to show everything.
pub(super) fn wanted_rows(state: &State, spacing: Spacing) -> u16 {
    u16::try_from(state.log.len())
        .unwrap_or(u16::MAX)
        .saturating_add(spacing.head(u16::MAX) + 1)
        .max(least_rows(spacing))
}

/// Returns the state of the stream, such as `● live`, `● polling` or `✕ lost · retry in 3 s · R now`.
fn link(row: &JobRow, context: TuneContext) -> StyledLine {
    let theme = context.theme;
    match &row.stream {
        EventStream::Live { polling: false, .. } => ("● live".to_owned(), theme.busy),
        EventStream::Live { polling: true, .. } => ("● polling".to_owned(), theme.busy),
        EventStream::Connecting(_) => ("… connecting".to_owned(), theme.busy),
        EventStream::Lost { at, why, .. } => {
            let left = countdown(*at, context.now);
            (format!("✕ lost · retry in {left} · R now · {}", why.line()), theme.bad)
        }
        EventStream::Failed(why) => (format!("✕ lost · R to retry · {}", why.line()), theme.bad),
        EventStream::None if row.runs() && row.off => ("not followed · f to follow".to_owned(), theme.warn),
        EventStream::None if row.runs() => ("● polling · 6 other jobs are live".to_owned(), theme.muted),
        EventStream::None => ("ended".to_owned(), theme.muted),
    }
}

/// Returns the same of all jobs that run.
fn links(state: &State, context: TuneContext) -> StyledLine {
    let theme = context.theme;
    let Some(list) = state.list() else { return StyledLine::default() };
    let open: Vec<&EventStream> =
        list.jobs.items().iter().map(|row| &row.stream).filter(|link| !matches!(link, EventStream::None)).collect();
    let lost = open.iter().filter(|link| matches!(link, EventStream::Lost { .. } | EventStream::Failed(_))).count();
    let streams = if open.len() == 1 { "stream" } else { "streams" };
    match (open.len(), lost) {
        (0, _) => ("no jobs followed".to_owned(), theme.muted),
        (all, 0) if open.iter().all(|link| matches!(link, EventStream::Live { polling: true, .. })) => {
            (format!("{all} {streams} ● polling"), theme.busy)
        }
        (all, 0) => (format!("{all} {streams} ● live"), theme.busy),
        (all, lost) => {
            let back = state.next_reconnect().map(|at| format!(" · retry in {}", countdown(at, context.now)));
            let back = back.unwrap_or_default();
            (format!("{lost} of {all} {streams} ✕ lost{back} · R now"), theme.bad)
        }
    }
}

/// Where the parts of a row stand.
struct EventColumns {
    /// Columns of the time with the blanks after it.
    stamp: usize,
    /// Columns of the job's name.
    name: usize,
    /// Columns of the words.
    room: usize,
    steps: StepColumns,
    wraps: bool,
}

impl EventColumns {
    fn of(log: &EventLog, list: &JobList, (shown, width): (Range<usize>, u16), moment: impl Fn(i64) -> String) -> Self {
        let lines = || shown.clone().filter_map(move |at| log.get(list, at)).map(|(_, line)| line);
        // In a narrow pane the figures matter more than the times.
        let stamp = if width < NARROW { 0 } else { lines().map(|line| moment(line.at).width()).max().unwrap_or(0) };
        let stamp = if stamp == 0 { 0 } else { stamp + 2 };
        let name = if log.all { 8 } else { 0 };
        let room = usize::from(width).saturating_sub(stamp + name).max(8);
        Self { stamp, name, room, steps: StepColumns::of(lines()), wraps: log.wrap }
    }

    /// Returns an event's rows, and how many columns of the first are a label.
    fn texts(&self, line: &EventLine) -> (Vec<String>, u16) {
        if let Some(step) = StepFigures::of(line).map(|figures| self.steps.text(&figures))
            && (!self.wraps || step.len() <= self.room)
        {
            return (vec![cut(&step, self.room)], self.steps.label());
        }
        if let Some(epoch) = ended_epoch(line) {
            return (vec![cut(&epoch, self.room)], 0);
        }
        let rows = if self.wraps {
            let text = line.words.screen();
            let rows = text.lines().flat_map(|line| wrap::lines(line, self.room)).take(TALL);
            rows.map(str::to_owned).collect()
        } else {
            vec![cut(&line.words.line().replace('␊', " "), self.room)]
        };
        (rows, 0)
    }
}

/// Returns where the events stand: with surfaces a row is free at the foot.
fn rows_area(area: Rect, typing: bool, spacing: Spacing) -> Rect {
    let below = below_title(area, typing, spacing);
    let foot = u16::from(spacing == Spacing::Roomy && below.height > 6);
    Rect { height: below.height - foot, ..below }
}

/// Brings the event under the cursor into view.
pub(super) fn arrange(
    log: &mut EventLog,
    list: &JobList,
    (area, spacing): (Rect, Spacing),
    moment: impl Fn(i64) -> String,
) {
    let area = rows_area(area, log.bar.is_typing(), spacing);
    let height = usize::from(area.height);
    log.page = height;
    let shown = log.cursor.window(height, log.len());
    if !log.wrap {
        return;
    }
    // Wrapped, the row under the cursor may be further down than its place in the list.
    let columns = EventColumns::of(log, list, (shown, area.width), moment);
    let tall = |at: usize| log.get(list, at).map_or(1, |(_, line)| columns.texts(line).0.len().max(1));
    let Cursor { mut top, selected } = log.cursor;
    let mut used: usize = (top..=selected).map(tall).sum();
    while used > height && top < selected {
        used -= tall(top);
        top += 1;
    }
    log.cursor.top = top;
}

pub(super) fn render(frame: &mut Frame, area: Rect, state: &State, focus: bool, context: TuneContext) {
    if area.is_empty() {
        return;
    }
    let theme = context.theme;
    let selected = state.selected_job();
    let right =
        if state.log.all { links(state, context) } else { selected.map(|row| link(row, context)).unwrap_or_default() };
    let mut title = if state.log.all { "Events · all jobs".to_owned() } else { "Events".to_owned() };
    let matches = state.log.match_count();
    if !matches.is_empty() && !state.log.bar.is_typing() {
        title = format!("{title} “{}” · {matches}", Untrusted::from(state.log.find()).line());
    }
    let spacing = context.session.spacing();
    let surface = Surface::Ground;
    let pane = Pane { title: &title, note: "", right: &right.0, right_style: right.1, focus, surface };
    pane.render(area, frame.buffer_mut(), theme, spacing);
    find_line(frame, (&state.log.bar, &matches), area, context);
    let inside = rows_area(area, state.log.bar.is_typing(), spacing);
    if state.log.len() == 0 {
        let words = match selected {
            Some(_) if state.log.all => "no events yet",
            Some(row) if row.runs() => "no events yet; they appear here as they happen",
            Some(_) => "⏎ to load the events of this job",
            None => "no job is selected",
        };
        if !inside.is_empty() {
            frame.buffer_mut().set_stringn(inside.x, inside.y, words, usize::from(inside.width), theme.muted);
        }
        return;
    }
    rows(frame, (inside, area.x), state, focus, context);
}

/// Draws the events; `edge` is the column of the bar at the one under the cursor.
fn rows(frame: &mut Frame, (area, edge): (Rect, u16), state: &State, focus: bool, context: TuneContext) {
    let Some(list) = state.list() else { return };
    let log = &state.log;
    let (len, cursor) = (log.len(), log.cursor);
    let shown = cursor.top..(cursor.top + usize::from(area.height)).min(len);
    let columns = EventColumns::of(log, list, (shown, area.width), |at| context.moment(at));
    let stamp = columns.stamp;
    let mut y = area.y;
    for at in cursor.top..len {
        if y >= area.bottom() {
            break;
        }
        let Some((id, line)) = log.get(list, at) else { continue };
        let style = style(line, context);
        let found = log.is_match(at);
        let is_selected = focus && at == cursor.selected;
        if is_selected && !log.bar.is_typing() {
            frame.set_cursor_position(Position::new(edge, y));
        }
        let first = y;
        let x = area.x + (stamp + columns.name) as u16;
        let (texts, label) = columns.texts(line);
        for text in texts {
            if y >= area.bottom() {
                break;
            }
            let style = if found { style.patch(context.theme.find) } else { style };
            frame.buffer_mut().set_stringn(x, y, text, columns.room, style);
            y += 1;
        }
        let buf = frame.buffer_mut();
        if !found {
            let label = Rect { x, y: first, width: label, height: 1 }.intersection(area);
            buf.set_style(label, context.theme.muted);
        }
        buf.set_stringn(area.x, first, context.moment(line.at), stamp, context.theme.faint);
        if log.all {
            buf.set_stringn(area.x + stamp as u16, first, tail(id), 6, context.theme.muted);
        }
        if is_selected {
            buf.set_stringn(edge, first, "▌", 1, context.theme.accent);
        }
        y = y.max(first + 1);
    }
}

fn style(line: &EventLine, context: TuneContext) -> Style {
    let theme = context.theme;
    match line.level {
        EventLevel::Error => theme.bad,
        EventLevel::Warn => theme.warn,
        EventLevel::Info if line.ours => theme.muted,
        EventLevel::Info => theme.text,
    }
}
