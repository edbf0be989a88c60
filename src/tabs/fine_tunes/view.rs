//! Draws the tab: its pages, and the panes of the page with the jobs.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::state::{State, TunePage, TunePane};
use super::tune_context::TuneContext;
use super::{details, events_view, list_view, no_jobs};
use crate::component::{Component, draw_lines};
use crate::ui::pane::{self, Pane, Surface};

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
            TunePage::Jobs if self.has_no_jobs() => no_jobs::render(frame, area, self, context),
            TunePage::Jobs if self.layout.wide => draw_side_by_side(frame, area, self, context),
            TunePage::Jobs if self.shows_list => list_view::render(frame, area, self, true, context),
            TunePage::Jobs => draw_single_job(frame, area, self, context),
        }
        self.modals.render(frame, area, plain);
    }

    /// Returns whether the list of jobs is empty, or has not come.
    pub(super) fn has_no_jobs(&self) -> bool {
        self.list().is_none_or(|list| list.jobs.items().is_empty())
    }
}

/// Draws the jobs at the left, curves and events at the right.
fn draw_side_by_side(frame: &mut Frame, area: Rect, state: &State, context: TuneContext) {
    let (theme, layout) = (context.theme, &state.layout);
    let spacing = context.session.spacing();
    let x = layout.jobs.right();
    // The facts stand on the same background as the list.
    pane::paint(frame.buffer_mut(), Rect { height: area.height, ..layout.jobs }, Surface::Panel, theme);
    list_view::render(frame, layout.jobs, state, state.pane == TunePane::Jobs, context);
    let (facts, below) = &layout.facts;
    if !facts.is_empty() && below.height > 0 {
        let heading = format!("Details{}", marked_letter(state));
        frame.buffer_mut().set_span(below.x, below.y, &pane::heading(&heading, theme), below.width);
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

/// Draws one job: its progress, its curves, its events.
fn draw_single_job(frame: &mut Frame, area: Rect, state: &State, context: TuneContext) {
    let Some(list) = state.list() else { return };
    let (theme, layout) = (context.theme, &state.layout);
    let (place, jobs) = (list.jobs.view.cursor.selected + 1, list.jobs.len());
    let alone = jobs == 1;
    let letter = marked_letter(state);
    let title = if alone { job_title(state) } else { format!("{}{letter} · {place} of {jobs}", job_title(state)) };
    let right = if alone || area.width < 60 { "J list" } else { "< > job · J list" };
    let (spacing, surface) = (context.session.spacing(), Surface::Ground);
    let pane = Pane { title: &title, note: "", right, right_style: theme.muted, focus: true, surface };
    pane.render(area, frame.buffer_mut(), theme, spacing);
    if !layout.progress.is_empty() {
        details::progress(frame.buffer_mut(), layout.progress, state, context);
        frame.set_cursor_position(layout.progress);
    }
    if layout.has_small_curves {
        state.curves.draw_small(frame, spacing.padded(layout.curves), theme);
    } else if !layout.curves.is_empty() {
        curves(frame, layout.curves, state, context);
    }
    events_view::render(frame, layout.events, state, state.pane == TunePane::Events, context);
}

pub(super) fn curves(frame: &mut Frame, area: Rect, state: &State, context: TuneContext) {
    let focus = state.pane == TunePane::Chart;
    if state.curves.is_empty() {
        let (theme, spacing, surface) = (context.theme, context.session.spacing(), Surface::Ground);
        let pane = Pane { title: "Curves", note: "", right: "", right_style: theme.muted, focus, surface };
        pane.render(area, frame.buffer_mut(), theme, spacing);
        let words = "r loads a job's result file · o opens a local one";
        draw_lines(frame.buffer_mut(), spacing.pane(area).content, &[(words.to_owned(), theme.muted)], theme);
        return;
    }
    state.curves.render(frame, area, context.render_context());
}

/// Returns ` ▣A` where the job under the cursor is marked: its figures stand beside curves of other jobs.
fn marked_letter(state: &State) -> String {
    let marked = state.list().and_then(|list| list.letter(&list.jobs.selected_item()?.job.id));
    marked.map(|letter| format!(" ▣{letter}")).unwrap_or_default()
}

/// Returns `ft-8QkAb support-v3`
pub(super) fn job_title(state: &State) -> String {
    let selected = state.selected_job();
    selected.map_or_else(|| "no job".to_owned(), |row| format!("{} {}", row.short(), row.name()))
}
