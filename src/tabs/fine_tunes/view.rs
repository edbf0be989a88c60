//! The tab on the screen: where its panes stand, and what stands there while there are no jobs.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::state::{State, TunePage, TunePane};
use super::styled_lines::{EmptyLine, lines};
use super::tune_context::TuneContext;
use super::{details, events_view, list_view};
use crate::api::call::FailureKind;
use crate::component::Component;
use crate::ui::pane::{self, Pane, Surface};
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// What the tab is for.
const PURPOSE: &str = "Tune makes a model of your own out of examples, and shows how it learns.";

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
    let spacing = context.session.spacing();
    let x = layout.jobs.right();
    // The facts stand on the same background as the list.
    pane::paint(frame.buffer_mut(), Rect { height: area.height, ..layout.jobs }, Surface::Panel, theme);
    list_view::render(frame, layout.jobs, state, state.pane == TunePane::Jobs, context);
    let (facts, below) = &layout.facts;
    if !facts.is_empty() && below.height > 0 {
        frame.buffer_mut().set_span(below.x, below.y, &pane::heading("Details", theme), below.width);
        let used = 1 + u16::from(spacing.has_surfaces()).min(below.height - 1);
        let rows = Rect { y: below.y + used, height: below.height - used, ..*below };
        details::draw_facts(frame.buffer_mut(), rows, facts, theme);
    }
    curves(frame, layout.curves, state, context);
    events_view::render(frame, layout.events, state, state.pane == TunePane::Events, context);
    pane::divider(frame.buffer_mut(), Rect { x, width: 1, ..area }, theme, spacing);
    if !spacing.has_surfaces() {
        frame.buffer_mut().set_string(x, layout.events.y, "├", theme.rule);
    }
}

/// One job: how far it is, its curves, its events.
fn one(frame: &mut Frame, area: Rect, state: &State, context: TuneContext) {
    let Some(list) = state.list() else { return };
    let (theme, layout) = (context.theme, &state.layout);
    let title = format!("{} · {} of {}", job_title(state), list.jobs.view.cursor.selected + 1, list.jobs.len());
    let right = if area.width < 60 { "J list" } else { "< > job · J list" };
    let (spacing, surface) = (context.session.spacing(), Surface::Ground);
    let pane = Pane { title: &title, note: "", right, right_style: theme.muted, focus: true, surface };
    pane.render(area, frame.buffer_mut(), theme, spacing);
    if !layout.progress.is_empty() {
        details::progress(frame.buffer_mut(), layout.progress, state, context);
        frame.set_cursor_position(layout.progress);
    }
    if layout.has_small_curves() {
        state.curves.small(frame, spacing.padded(layout.curves), theme);
    } else if !layout.curves.is_empty() {
        curves(frame, layout.curves, state, context);
    }
    events_view::render(frame, layout.events, state, state.pane == TunePane::Events, context);
}

fn curves(frame: &mut Frame, area: Rect, state: &State, context: TuneContext) {
    let focus = state.pane == TunePane::Chart;
    if state.curves.is_empty() {
        let (theme, spacing, surface) = (context.theme, context.session.spacing(), Surface::Ground);
        let pane = Pane { title: "Curves", note: "", right: "", right_style: theme.muted, focus, surface };
        pane.render(area, frame.buffer_mut(), theme, spacing);
        let words = "r fetches a job's result file · o opens one of this machine";
        lines(frame, spacing.pane(area).content, &[(words.to_owned(), theme.muted)]);
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
    let surface = Surface::Ground;
    let pane = Pane { title: "Jobs", note: "", right: &right.0, right_style: right.1, focus, surface };
    pane.render(area, frame.buffer_mut(), theme, context.session.spacing());
    let (words, place) = &state.layout.words;
    frame.set_cursor_position(Position::new(place.x.min(area.right() - 1), place.y.min(area.bottom() - 1)));
    for (line, y) in words.iter().zip(place.y..place.bottom()) {
        let width = usize::from(place.width);
        let (key, buf) = (line.key, frame.buffer_mut());
        buf.set_stringn(place.x, y, key, width, theme.accent);
        let used = if key.is_empty() { 0 } else { KEY.min(width) };
        buf.set_stringn(place.x + used as u16, y, &line.words, width - used, (line.style)(theme));
    }
    if !state.layout.curves.is_empty() {
        curves(frame, state.layout.curves, state, context);
    }
}

/// Columns of a key before what it does.
const KEY: usize = 3;

/// Returns what is said where there are no jobs.
pub(super) fn words_without_jobs(state: &State, width: usize, spinner: &str) -> Vec<EmptyLine> {
    let mut rows: Vec<EmptyLine> = Vec::new();
    let mut say = |words: &str, before: &str, style: fn(&Theme) -> Style| {
        let lines = wrap::lines(words, width.saturating_sub(before.chars().count()));
        rows.extend(lines.into_iter().map(|line| EmptyLine { key: "", words: format!("{before}{line}"), style }));
    };
    let list = state.list();
    let waits = list.is_none_or(|list| list.listed.is_none() && list.failure.is_none());
    let text: fn(&Theme) -> Style = |theme| theme.text;
    let mut keys: Vec<(&'static str, &'static str)> = Vec::new();
    match (list.and_then(|list| list.failure.as_ref()), &state.sample) {
        (Some(why), _) if why.kind == FailureKind::Unsupported => {
            say("This server has no fine-tunes: it knows neither /fine-tunes nor /fine_tuning/jobs.", "", text);
            keys = vec![OPEN, ("^P", "another profile, which may have them"), ("D", "what the server said")];
        }
        (Some(why), _) => {
            say(&why.sentence.line(), "┃ ", |theme| theme.bad);
            say("R or ^R asks again · D details · o opens a local result file", "┃ ", |theme| theme.muted);
        }
        (None, Some(sample)) => say(&format!("Uploading {}, to train a sample with it.", sample.file()), "", text),
        (None, None) if waits => {
            say(&format!("{spinner} asking for the jobs of this server"), "", |theme| theme.busy);
        }
        (None, None) => {
            say(PURPOSE, "", text);
            let sample = super::keys::no_sample(state).is_none();
            let sample = sample.then_some(("E", "train a sample: is a review good?"));
            keys = [("C", "create a fine-tune")].into_iter().chain(sample).chain([OPEN]).collect();
        }
    }
    if !keys.is_empty() {
        rows.push(EmptyLine { key: "", words: String::new(), style: text });
    }
    rows.extend(keys.into_iter().map(|(key, words)| EmptyLine { key, words: words.to_owned(), style: text }));
    rows
}

/// Draws a file without any job.
const OPEN: (&str, &str) = ("o", "open a result file of this machine");
