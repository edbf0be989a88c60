//! Where the panes of the page with the jobs stand.

use ratatui::layout::Rect;
use ratatui::style::Style;

use super::state::{Pane, State};
use super::{events, list};
use crate::ui::theme::Theme;

/// A line and the style of the theme that it is drawn in.
pub(super) type Styled = (String, fn(&Theme) -> Style);

/// Columns and rows from which jobs, curves and events stand side by side.
const WIDE: (u16, u16) = (100, 26);
/// Columns of the jobs there.
const JOBS: u16 = 38;
/// Rows below which there are no curves beside the events.
const CURVES: u16 = 12;
/// Rows of the curves where there is room only for very small ones, and rows from which there is.
pub(super) const SMALL: u16 = 2;
const LEAST_WITH_SMALL: u16 = 5;
/// Rows that curves need, where they stand below words.
pub(super) const LEAST: u16 = 7;

/// The areas of the panes; those that do not show are empty.
#[derive(Clone, Debug, Default)]
pub(super) struct PaneLayout {
    /// Whether the list stands beside the job.
    pub(super) wide: bool,
    pub(super) jobs: Rect,
    /// Facts below the jobs, and where they stand.
    pub(super) facts: (Vec<String>, Rect),
    /// Words where there are no jobs.
    pub(super) words: (Vec<Styled>, Rect),
    /// The line about the job's progress.
    pub(super) progress: Rect,
    pub(super) curves: Rect,
    pub(super) events: Rect,
}

impl PaneLayout {
    /// Whether an area has room for two columns.
    pub(super) fn is_wide(area: Rect) -> bool {
        area.width >= WIDE.0 && area.height >= WIDE.1
    }

    /// Returns how wide the facts are beside the list.
    pub(super) fn facts_width() -> usize {
        usize::from(JOBS) - 3
    }

    /// Places the words that stand where there are no jobs, and the curves below them.
    pub(super) fn without_jobs(state: &State, area: Rect, words: impl FnOnce(usize) -> Vec<Styled>) -> Self {
        let mut words = words(usize::from(area.width.saturating_sub(2).min(78)));
        let air = u16::from(area.height > 10);
        // A file of this machine is drawn without any server: where there is little room, of the words the first remain.
        if !state.plot.is_empty() {
            words.truncate(usize::from(area.height.saturating_sub(LEAST + 2 + air)));
        }
        let place =
            Rect { x: area.x + 1, y: area.y + 1 + air, width: area.width.saturating_sub(2), height: area.height };
        let place = place.intersection(area);
        let used = words.len() as u16 + u16::from(!words.is_empty());
        let has_curves = !state.plot.is_empty() && place.height > used;
        let height = if has_curves { place.height - used } else { 0 };
        let curves = Rect { x: area.x, y: place.y + used, width: area.width, height };
        Self { wide: Self::is_wide(area), words: (words, place), curves, ..Self::default() }
    }

    /// Places the panes in an area; `facts` stand below the list where it is beside the job.
    pub(super) fn new(state: &State, area: Rect, facts: Vec<String>) -> Self {
        if Self::is_wide(area) {
            Self::beside(state, area, facts)
        } else if state.list {
            Self { jobs: area, ..Self::default() }
        } else {
            Self::one(state, area)
        }
    }

    /// Jobs at the left, curves and events at the right.
    fn beside(state: &State, area: Rect, facts: Vec<String>) -> Self {
        let right = Rect { x: area.x + JOBS + 1, width: area.width - JOBS - 1, ..area };
        // The list keeps the greater part.
        let foot = (facts.len() as u16 + 1).min(area.height / 2);
        let jobs = Rect { width: JOBS, height: area.height - foot, ..area };
        let below = Rect { x: area.x + 1, y: jobs.bottom() + 1, width: JOBS - 1, height: foot - 1 };
        // Where nothing is drawn the events have the room.
        let most = if state.plot.is_empty() { area.height - 4 } else { area.height / 2 };
        let height = events::wanted(state).clamp(6, most);
        let curves = Rect { height: area.height - height, ..right };
        let events = Rect { y: curves.bottom(), height, ..right };
        Self { wide: true, jobs, facts: (facts, below), curves, events, ..Self::default() }
    }

    /// One job: how far it is, its curves, its events.
    fn one(state: &State, area: Rect) -> Self {
        let y = area.y + 1;
        let progress = Rect { x: area.x + 1, y, width: area.width.saturating_sub(2), height: 1 }.intersection(area);
        let y = (y + 1 + u16::from(area.height > 16)).min(area.bottom());
        let rest = Rect { y, height: area.bottom() - y, ..area };
        let height = match rest.height {
            _ if state.plot.is_empty() => 0,
            CURVES.. => rest.height * 3 / 5,
            // Where there is room for one of them it is the one with the focus.
            height if state.pane == Pane::Chart => height,
            LEAST_WITH_SMALL.. if state.plot.draws() => SMALL,
            _ => 0,
        };
        let curves = Rect { height, ..rest };
        let events = Rect { y: rest.y + height, height: rest.height - height, ..rest };
        Self { progress, curves, events, ..Self::default() }
    }

    /// Whether only very small curves have room.
    pub(super) fn has_small_curves(&self) -> bool {
        self.curves.height == SMALL
    }

    /// Whether a column is one of the list's, where that stands beside the job.
    pub(super) fn is_jobs(&self, column: u16) -> bool {
        self.wide && column < JOBS
    }

    /// Returns how many jobs the list shows.
    pub(super) fn job_rows(&self, filtering: bool) -> usize {
        list::rows(self.jobs, filtering).1
    }
}
