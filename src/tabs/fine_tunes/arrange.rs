//! Fits the tab to the screen before each key and each frame: places the panes, and scrolls their rows.

use std::time::{Duration, Instant};

use ratatui::layout::Rect;

use super::format::unix_ms;
use super::job_row::JobRow;
use super::layout::{JOBS, JobsLayout, SMALL};
use super::state::{State, TunePage, TunePane};
use super::styled_lines::Fact;
use super::view::job_title;
use super::{details, events_view, no_jobs};
use crate::component::{Component, Session};
use crate::ui::meter::SPINNER_FRAME;
use crate::ui::pane::Spacing;

/// Between two frames of what counts on: elapsed, time left.
const SECOND: Duration = Duration::from_secs(1);
/// How often the list is asked for while the tab shows, as other programs make jobs, too: seldom enough to cost a
/// server nothing, soon enough for who waits for a colleague's job.
const OTHERS: Duration = Duration::from_secs(30);
/// Rows below which there are no curves beside the events.
const CURVES: u16 = 12;
/// Rows from which there is room for the last values of the curves, and for small curves above these.
const LEAST_WITH_VALUES: u16 = 5;
const LEAST_WITH_SMALL: u16 = 7;
/// Rows that curves need, where they stand below words.
const LEAST: u16 = 7;

impl State {
    /// Fits the state to the area and to what has come.
    pub(super) fn arrange(&mut self, area: Rect, session: &Session, now: Instant) {
        self.look_ahead(session, now);
        self.modals.arrange(area, session, now);
        if JobsLayout::is_wide(area) && self.pane == TunePane::Chart && self.curves.is_empty() {
            self.pane = TunePane::Jobs;
        }
        if let Some(list) = self.lists.current() {
            self.log.refresh(list);
        }
        self.curves.update();
        self.curves.set_focus(self.pane == TunePane::Chart);
        match self.page {
            TunePage::Jobs => self.arrange_panes(area, session, now),
            TunePage::Details => self.arrange_details(area, session, now),
            TunePage::Trial => self.trial.arrange(area, session, now),
            TunePage::Evaluation => self.evaluation.arrange(area, session, now),
            TunePage::Create => self.create.arrange(area, session, now),
        }
        self.layout.wide = JobsLayout::is_wide(area);
    }

    fn arrange_panes(&mut self, area: Rect, session: &Session, now: Instant) {
        let (unix, spacing) = (self.clock.unix(now), session.spacing());
        self.layout = if self.has_no_jobs() {
            JobsLayout::without_jobs(self, area, spacing)
        } else {
            let facts = if JobsLayout::is_wide(area) {
                details::facts(self, session, unix, JobsLayout::facts_width(spacing))
            } else {
                Vec::new()
            };
            JobsLayout::new(self, area, facts, spacing)
        };
        let Some(list) = self.lists.current_mut() else { return };
        if !self.layout.jobs.is_empty() {
            self.page_rows = self.layout.job_rows(self.filtering.is_typing(), spacing);
            list.jobs.view.cursor.window(self.page_rows, list.jobs.len());
        }
        if !self.layout.events.is_empty() {
            let moment = |at| session.zone.moment(unix_ms(at), unix_ms(unix));
            events_view::arrange(&mut self.log, list, (self.layout.events, spacing), moment);
        }
        if self.layout.has_small_curves {
            self.curves.fit_small(spacing.padded(self.layout.curves));
        } else {
            self.curves.arrange(self.layout.curves, session, now);
        }
    }

    fn arrange_details(&mut self, area: Rect, session: &Session, now: Instant) {
        let unix = self.clock.unix(now);
        let Some(list) = self.list() else { return };
        let place = match list.jobs.len() {
            1 => String::new(),
            jobs => format!("{} of {jobs} · < >", list.jobs.view.cursor.selected + 1),
        };
        let title = (job_title(self), place);
        let mut page = std::mem::take(&mut self.details);
        page.set(title, (area, session.spacing()), |width| details::full(self, session, unix, width));
        self.details = page;
    }

    /// Finds out when the next frame will look otherwise though nothing happens.
    fn look_ahead(&mut self, session: &Session, now: Instant) {
        let Some(list) = self.list() else { return };
        let quiet = list.listing.is_none() && list.failure.is_none();
        let look_due = list.listed.filter(|_| quiet).map(|listed| listed + OTHERS);
        let waits = list.listing.is_some() && list.listed.is_none() || self.create.is_waiting();
        let counts = list.jobs.items().iter().any(JobRow::runs);
        let next = match (waits, counts) {
            (true, _) => Some(now + if session.motion { SPINNER_FRAME } else { SECOND }),
            (false, true) => Some(now + SECOND),
            (false, false) => None,
        };
        self.timers.frame = [next, self.trial.moves(session, now)].into_iter().flatten().min();
        self.timers.list = look_due;
    }
}

impl JobsLayout {
    /// Places what is said where there are no jobs, and the curves of files below it.
    fn without_jobs(state: &State, area: Rect, spacing: Spacing) -> Self {
        let content = spacing.pane(area).content;
        let blank_rows = u16::from(area.height > 10 && !spacing.has_surfaces());
        let place = Rect { y: content.y + blank_rows, ..content }.intersection(area);
        let wide = Self::is_wide(area);
        if state.curves.is_empty() {
            return Self { wide, without_jobs: place, ..Self::default() };
        }
        // A file of this machine is drawn without any server: where there is little room the curves have it.
        let room = area.height.saturating_sub(LEAST + 2 + blank_rows).min(place.height);
        let height = no_jobs::height(state, place.width).min(room);
        let used = height + u16::from(height > 0);
        let curves = Rect { y: place.y + used, height: place.height.saturating_sub(used), ..area };
        Self { wide, without_jobs: Rect { height, ..place }, curves, ..Self::default() }
    }

    /// Places the panes in an area; `facts` stand below the list where it is beside the job.
    fn new(state: &State, area: Rect, facts: Vec<Fact>, spacing: Spacing) -> Self {
        if Self::is_wide(area) {
            Self::side_by_side(state, area, facts, spacing)
        } else if state.shows_list {
            Self { jobs: area, ..Self::default() }
        } else {
            Self::single_job(state, area, spacing)
        }
    }

    /// Places the jobs at the left, curves and events at the right.
    fn side_by_side(state: &State, area: Rect, facts: Vec<Fact>, spacing: Spacing) -> Self {
        let right = Rect { x: area.x + JOBS + 1, width: area.width - JOBS - 1, ..area };
        // The list keeps the greater part.
        // A blank row and a title stand above them.
        // With surfaces also one below the title, and one at the foot.
        let gap = u16::from(spacing.has_surfaces());
        let foot = (facts.len() as u16 + 2 + 2 * gap).min(area.height / 2);
        let jobs = Rect { width: JOBS, height: area.height - foot, ..area };
        let below = spacing.padded(Rect { y: jobs.bottom() + 1, height: foot - 1 - gap, ..jobs });
        // Where nothing is drawn the events have the room.
        let most = if state.curves.is_empty() { area.height - 4 } else { area.height / 2 };
        let height = events_view::wanted_rows(state, spacing).min(most);
        let curves = Rect { height: area.height - height, ..right };
        let events = Rect { y: curves.bottom(), height, ..right };
        Self { wide: true, jobs, facts: (facts, below), curves, events, ..Self::default() }
    }

    /// Places one job: its progress, its curves, its events.
    fn single_job(state: &State, area: Rect, spacing: Spacing) -> Self {
        let content = spacing.pane(area).content;
        let progress = Rect { height: 1, ..content }.intersection(area);
        let blank_rows = u16::from(area.height > 16 && !spacing.has_surfaces());
        let y = (content.y + 1 + blank_rows).min(area.bottom());
        let rest = Rect { y, height: area.bottom() - y, ..area };
        let height = match rest.height {
            _ if state.curves.is_empty() => 0,
            CURVES.. => rest.height * 3 / 5,
            // Where there is room for one of them it is the one with the focus.
            height if state.pane == TunePane::Chart => height,
            height @ LEAST_WITH_SMALL.. if state.curves.draws() => height.div_ceil(2),
            LEAST_WITH_VALUES.. if state.curves.draws() => SMALL,
            _ => 0,
        };
        let has_small_curves = height > 0 && rest.height < CURVES && state.pane != TunePane::Chart;
        let curves = Rect { height, ..rest };
        let events = Rect { y: rest.y + height, height: rest.height - height, ..rest };
        Self { progress, curves, has_small_curves, events, ..Self::default() }
    }
}
