//! The tab on the screen: where its panes stand, and what stands there while there are no jobs.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::state::{Page, Pane, State};
use super::{Look, details, events, list};
use crate::api::call::FailureKind;
use crate::component::RenderContext;
use crate::ui::rule::{Rule, cut};
use crate::ui::{meter, wrap};

/// Rows of the curves where there is room only for very small ones, and rows from which there is.
const SMALL: u16 = 2;
const LEAST_WITH_SMALL: u16 = 5;
/// Columns of the jobs there.
pub(super) const JOBS: u16 = 38;
/// Rows below which there are no curves beside the events.
const CURVES: u16 = 12;

/// Rows that curves need, where they stand below words.
const LEAST: u16 = 7;

/// Words in a look.
pub(super) type Words = (String, Style);

/// What fine-tuning needs.
const NEEDS: [&str; 3] = [
    "A fine-tune makes a model of your own out of examples: a file of them on this server, JSON Lines with prompt and completion (or messages).",
    "A few hundred rows that look alike are a beginning; the Files tab checks, mends and uploads them.",
    "C creates a job on one page, which says what it costs before anything is sent.",
];

pub(super) fn render(frame: &mut Frame, area: Rect, state: &mut State, look: Look) {
    if area.is_empty() {
        return;
    }
    match state.page {
        Page::Create => state.create.render(frame, area, look.session, look.theme, look.now),
        Page::Score => state.score.render(frame, area, look.session, look.theme, look.now),
        Page::Try => state.trial.render(frame, area, look),
        Page::Details => details::page(frame, area, state, look),
        Page::Jobs if state.board().is_none_or(|board| board.entries.is_empty()) => none(frame, area, state, look),
        Page::Jobs if state.wide => beside(frame, area, state, look),
        Page::Jobs if state.list => list::render(frame, area, state, true, look),
        Page::Jobs => one(frame, area, state, look),
    }
    let context = RenderContext { session: look.session, theme: look.theme, now: look.now };
    state.modals.render(frame, area, context);
}

/// Jobs at the left, curves and events at the right.
fn beside(frame: &mut Frame, area: Rect, state: &mut State, look: Look) {
    let theme = look.theme;
    let left = Rect { width: JOBS, ..area };
    let right = Rect { x: area.x + JOBS + 1, width: area.width - JOBS - 1, ..area };
    for y in area.y + 1..area.bottom() {
        frame.buffer_mut().set_string(area.x + JOBS, y, "│", theme.rule);
    }
    let facts = details::facts(state, look, usize::from(JOBS) - 3);
    // The list keeps the greater part.
    let foot = (facts.len() as u16 + 1).min(area.height / 2);
    let jobs = Rect { height: area.height - foot, ..left };
    list::render(frame, jobs, state, state.pane == Pane::Jobs, look);
    lines(frame, Rect { x: left.x + 1, y: jobs.bottom() + 1, width: JOBS - 1, height: foot - 1 }, &facts);
    // Where nothing is drawn the events have the room.
    let most = if state.plot.is_empty() { area.height - 4 } else { area.height / 2 };
    let below = events::wanted(state).clamp(6, most);
    let chart = Rect { height: area.height - below, ..right };
    curves(frame, chart, state, look);
    let place = Rect { y: chart.bottom(), height: below, ..right };
    events::render(frame, place, state, state.pane == Pane::Events, look);
    frame.buffer_mut().set_string(area.x + JOBS, area.y, "┬", theme.rule);
    frame.buffer_mut().set_string(area.x + JOBS, place.y, "├", theme.rule);
}

/// One job: how far it is, its curves, its events.
fn one(frame: &mut Frame, area: Rect, state: &mut State, look: Look) {
    let Some(board) = state.boards.get(state.at) else { return };
    let (theme, title) = (look.theme, job_title(state));
    let at = board.cursor.selected + 1;
    let title = format!("{title} · {at} of {}", board.shown.len());
    let right = if area.width < 60 { "J list" } else { "< > job · J list" };
    let rule = Rule { title: &title, right, right_style: theme.muted, focus: true };
    rule.render(area, frame.buffer_mut(), theme);
    let width = usize::from(area.width.saturating_sub(2));
    let line = details::progress(state, look, width);
    let mut y = area.y + 1;
    if y < area.bottom() {
        frame.buffer_mut().set_stringn(area.x + 1, y, cut(&line.0, width), width, line.1);
        frame.set_cursor_position(Position::new(area.x + 1, y));
    }
    y += 1 + u16::from(area.height > 16);
    let rest = Rect { y: y.min(area.bottom()), height: area.bottom().saturating_sub(y), ..area };
    let chart = match rest.height {
        _ if state.plot.is_empty() => 0,
        CURVES.. => rest.height * 3 / 5,
        // Where there is room for one of them it is the one with the focus.
        height if state.pane == Pane::Chart => height,
        LEAST_WITH_SMALL.. if state.plot.draws() => SMALL,
        _ => 0,
    };
    if chart == SMALL {
        let inside = Rect { x: rest.x + 1, width: rest.width.saturating_sub(1), height: SMALL, ..rest };
        state.plot.small(frame, inside, look.theme);
    } else if chart > 0 {
        curves(frame, Rect { height: chart, ..rest }, state, look);
    }
    let place = Rect { y: rest.y + chart, height: rest.height - chart, ..rest };
    events::render(frame, place, state, state.pane == Pane::Events, look);
}

fn curves(frame: &mut Frame, area: Rect, state: &mut State, look: Look) {
    let focus = state.pane == Pane::Chart;
    if state.plot.is_empty() {
        let rule = Rule { title: "Curves", right: "", right_style: look.theme.muted, focus };
        rule.render(area, frame.buffer_mut(), look.theme);
        let words = "r fetches a job's result file · o opens one of this machine";
        let inside = Rect { x: area.x + 1, y: area.y + 2, width: area.width.saturating_sub(2), height: 1 };
        lines(frame, inside.intersection(area), &[(words.to_owned(), look.theme.muted)]);
        return;
    }
    state.plot.render(frame, area, look.theme, look.now, focus);
}

/// `ft-8QkAb support-v3`
pub(super) fn job_title(state: &State) -> String {
    let here = state.here();
    here.map_or_else(|| "no job".to_owned(), |entry| format!("{} {}", entry.short(), entry.name()))
}

/// No jobs: why, or what a fine-tune needs.
fn none(frame: &mut Frame, area: Rect, state: &mut State, look: Look) {
    let theme = look.theme;
    let right = list::heading(state, area.width, look);
    // One pane has the focus.
    let focus = state.pane != Pane::Chart || state.plot.is_empty();
    let rule = Rule { title: "Jobs", right: &right.0, right_style: right.1, focus };
    rule.render(area, frame.buffer_mut(), theme);
    let width = usize::from(area.width.saturating_sub(2).min(78));
    let mut rows: Vec<Words> = Vec::new();
    let mut say = |words: &str, style: Style| {
        rows.extend(wrap::lines(words, width).into_iter().map(|line| (line.to_owned(), style)));
    };
    let board = state.board();
    let waits = board.is_none_or(|board| board.listed.is_none() && board.failure.is_none());
    match board.and_then(|board| board.failure.as_ref()) {
        Some(why) if why.kind == FailureKind::Unsupported => {
            say("This server has no fine-tunes: it knows neither /fine-tunes nor /fine_tuning/jobs.", theme.text);
            say("o opens a result file or a log of events of this machine and draws it all the same;", theme.text);
            say("another profile (^P) may have them. ^R asks again, D shows what the server said.", theme.muted);
        }
        Some(why) => {
            let block = |words: &str, style: Style| -> Vec<Words> {
                let lines = wrap::lines(words, width.saturating_sub(2));
                lines.into_iter().map(|line| (format!("┃ {line}"), style)).collect()
            };
            rows = block(&why.sentence.line(), theme.error);
            rows.extend(block("R or ^R asks again · D details · o opens a local result file", theme.muted));
        }
        None if waits => {
            let spin = meter::spinner(look.now.saturating_duration_since(look.began), look.session.motion);
            say(&format!("{spin} asking for the jobs of this server"), theme.busy);
        }
        None => NEEDS.iter().for_each(|need| say(need, theme.text)),
    }
    let air = u16::from(area.height > 10);
    // A file of this machine is drawn without any server: where there is little room, of the words the first remain.
    if !state.plot.is_empty() {
        rows.truncate(usize::from(area.height.saturating_sub(LEAST + 2 + air)));
    }
    let place = Rect { x: area.x + 1, y: area.y + 1 + air, width: area.width.saturating_sub(2), height: area.height };
    let place = place.intersection(area);
    frame.set_cursor_position(Position::new(place.x.min(area.right() - 1), place.y.min(area.bottom() - 1)));
    lines(frame, place, &rows);
    let used = rows.len() as u16 + u16::from(!rows.is_empty());
    if !state.plot.is_empty() && place.height > used {
        let chart = Rect { x: area.x, y: place.y + used, width: area.width, height: place.height - used };
        curves(frame, chart, state, look);
    }
}

/// Writes lines, one a row.
pub(super) fn lines(frame: &mut Frame, area: Rect, lines: &[Words]) {
    let width = usize::from(area.width);
    for ((words, style), y) in lines.iter().zip(area.y..area.bottom()) {
        frame.buffer_mut().set_stringn(area.x, y, cut(words, width), width, *style);
    }
}
