//! The tab on the screen: where its panes stand, and what stands there while there are no jobs.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::state::{State, TunePage, TunePane};
use super::styled_lines::{Styled, StyledLine, lines};
use super::tune_context::TuneContext;
use super::{details, events_view, list_view};
use crate::api::call::FailureKind;
use crate::component::Component;
use crate::ui::rule::Rule;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// What fine-tuning needs.
const NEEDS: [&str; 3] = [
    "A fine-tune makes a model of your own out of examples: a file of them on this server, JSON Lines with prompt and completion (or messages).",
    "A few hundred rows that look alike are a beginning; the Files tab checks, mends and uploads them.",
    "C creates a job on one page, which says what it costs before anything is sent.",
];

impl State {
    /// Draws the page in front.
    pub(super) fn render(&self, frame: &mut Frame, area: Rect, context: TuneContext) {
        if area.is_empty() {
            return;
        }
        let plain = context.render_context();
        match self.page {
            TunePage::Create => self.create.render(frame, area, plain),
            TunePage::Evaluation => self.evaluation.render(frame, area, plain),
            TunePage::Trial => self.trial.render(frame, area, plain),
            TunePage::Details => self.details.render(frame, area, plain),
            TunePage::Jobs if self.has_no_jobs() => none(frame, area, self, context),
            TunePage::Jobs if self.layout.wide => beside(frame, area, self, context),
            TunePage::Jobs if self.shows_list => list_view::render(frame, area, self, true, context),
            TunePage::Jobs => one(frame, area, self, context),
        }
        self.modals.render(frame, area, plain);
    }

    /// Whether the list of jobs is empty, or has not come.
    pub(super) fn has_no_jobs(&self) -> bool {
        self.list().is_none_or(|list| list.jobs.items().is_empty())
    }
}

/// Jobs at the left, curves and events at the right.
fn beside(frame: &mut Frame, area: Rect, state: &State, context: TuneContext) {
    let (theme, layout) = (context.theme, &state.layout);
    let x = layout.jobs.right();
    for y in area.y + 1..area.bottom() {
        frame.buffer_mut().set_string(x, y, "│", theme.rule);
    }
    list_view::render(frame, layout.jobs, state, state.pane == TunePane::Jobs, context);
    let (facts, below) = &layout.facts;
    let style = |at| if at == 0 { theme.text } else { theme.muted };
    let facts: Vec<StyledLine> = facts.iter().enumerate().map(|(at, fact)| (fact.clone(), style(at))).collect();
    lines(frame, *below, &facts);
    curves(frame, layout.curves, state, context);
    events_view::render(frame, layout.events, state, state.pane == TunePane::Events, context);
    frame.buffer_mut().set_string(x, area.y, "┬", theme.rule);
    frame.buffer_mut().set_string(x, layout.events.y, "├", theme.rule);
}

/// One job: how far it is, its curves, its events.
fn one(frame: &mut Frame, area: Rect, state: &State, context: TuneContext) {
    let Some(list) = state.list() else { return };
    let (theme, layout) = (context.theme, &state.layout);
    let title = format!("{} · {} of {}", job_title(state), list.jobs.view.cursor.selected + 1, list.jobs.len());
    let right = if area.width < 60 { "J list" } else { "< > job · J list" };
    let rule = Rule { title: &title, right, right_style: theme.muted, focus: true };
    rule.render(area, frame.buffer_mut(), theme);
    if !layout.progress.is_empty() {
        lines(frame, layout.progress, &[details::progress(state, context, usize::from(layout.progress.width))]);
        frame.set_cursor_position(layout.progress);
    }
    if layout.has_small_curves() {
        let curves = layout.curves;
        let inside = Rect { x: curves.x + 1, width: curves.width.saturating_sub(1), ..curves };
        state.curves.small(frame, inside, theme);
    } else if !layout.curves.is_empty() {
        curves(frame, layout.curves, state, context);
    }
    events_view::render(frame, layout.events, state, state.pane == TunePane::Events, context);
}

fn curves(frame: &mut Frame, area: Rect, state: &State, context: TuneContext) {
    let focus = state.pane == TunePane::Chart;
    if state.curves.is_empty() {
        let rule = Rule { title: "Curves", right: "", right_style: context.theme.muted, focus };
        rule.render(area, frame.buffer_mut(), context.theme);
        let words = "r fetches a job's result file · o opens one of this machine";
        let inside = Rect { x: area.x + 1, y: area.y + 2, width: area.width.saturating_sub(2), height: 1 };
        lines(frame, inside.intersection(area), &[(words.to_owned(), context.theme.muted)]);
        return;
    }
    state.curves.render(frame, area, context.render_context());
}

/// Returns `ft-8QkAb support-v3`
pub(super) fn job_title(state: &State) -> String {
    let here = state.here();
    here.map_or_else(|| "no job".to_owned(), |row| format!("{} {}", row.short(), row.name()))
}

/// No jobs: why, or what a fine-tune needs.
fn none(frame: &mut Frame, area: Rect, state: &State, context: TuneContext) {
    let theme = context.theme;
    let right = list_view::heading(state, area.width, context);
    // One pane has the focus.
    let focus = state.pane != TunePane::Chart || state.curves.is_empty();
    let rule = Rule { title: "Jobs", right: &right.0, right_style: right.1, focus };
    rule.render(area, frame.buffer_mut(), theme);
    let (words, place) = &state.layout.words;
    frame.set_cursor_position(Position::new(place.x.min(area.right() - 1), place.y.min(area.bottom() - 1)));
    let words: Vec<StyledLine> = words.iter().map(|(words, style)| (words.clone(), style(theme))).collect();
    lines(frame, *place, &words);
    if !state.layout.curves.is_empty() {
        curves(frame, state.layout.curves, state, context);
    }
}

/// Returns what is said where there are no jobs.
pub(super) fn words_without_jobs(state: &State, width: usize, spinner: &str) -> Vec<Styled> {
    let mut rows: Vec<Styled> = Vec::new();
    let mut say = |words: &str, before: &str, style: fn(&Theme) -> Style| {
        let lines = wrap::lines(words, width.saturating_sub(before.chars().count()));
        rows.extend(lines.into_iter().map(|line| -> Styled { (format!("{before}{line}"), style) }));
    };
    let list = state.list();
    let waits = list.is_none_or(|list| list.listed.is_none() && list.failure.is_none());
    match list.and_then(|list| list.failure.as_ref()) {
        Some(why) if why.kind == FailureKind::Unsupported => {
            let (no, other) = (
                "This server has no fine-tunes: it knows neither /fine-tunes nor /fine_tuning/jobs.",
                "another profile (^P) may have them. ^R asks again, D shows what the server said.",
            );
            say(no, "", |theme| theme.text);
            say("o opens a result file or a log of events of this machine and draws it all the same;", "", |theme| {
                theme.text
            });
            say(other, "", |theme| theme.muted);
        }
        Some(why) => {
            say(&why.sentence.line(), "┃ ", |theme| theme.bad);
            say("R or ^R asks again · D details · o opens a local result file", "┃ ", |theme| theme.muted);
        }
        None if waits => say(&format!("{spinner} asking for the jobs of this server"), "", |theme| theme.busy),
        None => NEEDS.iter().for_each(|need| say(need, "", |theme| theme.text)),
    }
    rows
}
