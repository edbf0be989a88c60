//! The panes beside the text: settings, candidates, presets; while models are compared the figures of all columns.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::branches::Branches;
use super::state::{CompleteFocus, State};
use super::status_lines;
use crate::component::{Component, RenderContext};
use crate::ui::rule::Rule;

/// Rows of the figures of a comparison, with their title.
const FIGURES: u16 = 5;
/// Candidates in the tree at most.
const BRANCHES: u16 = 6;
/// Presets that there is room for before the tree has more.
const PRESETS: u16 = 4;

/// The panes, each with its title; without a row: there is no room for it.
pub(super) struct SideLayout {
    pub(super) settings: Rect,
    /// The candidates, or the figures of a comparison.
    branches: Rect,
    pub(super) presets: Rect,
}

impl SideLayout {
    /// Lays the panes out; where there is little room, the one with the focus has all of it.
    pub(super) fn of(area: Rect, wide: bool, state: &State) -> Self {
        let fields = state.pane().rows() + 1;
        let wanted = match (wide, state.comparing()) {
            (false, _) => 0,
            (true, true) => FIGURES,
            (true, false) => Branches::of(state).map_or(0, |branches| 1 + branches.rows().min(BRANCHES + 1)),
        };
        let (settings, branches, presets) = if area.height >= fields + 1 + PRESETS {
            let branches = wanted.min(area.height - fields - 1 - PRESETS);
            let branches = if branches < 3 { 0 } else { branches };
            (fields, branches, area.height - fields - branches)
        } else if area.height >= 17 {
            (area.height - 6, 0, 6)
        } else if state.focus == CompleteFocus::Presets {
            (0, 0, area.height)
        } else {
            (area.height, 0, 0)
        };
        let mut y = area.y;
        let mut next = |height: u16| {
            y += height;
            Rect { y: y - height, height, ..area }
        };
        Self { settings: next(settings), branches: next(branches), presets: next(presets) }
    }

    /// Draws the panes that there is room for.
    pub(super) fn render(&self, frame: &mut Frame, state: &State, context: RenderContext) {
        let theme = context.theme;
        let title = |frame: &mut Frame, area: Rect, (title, right): (&str, &str), focus: bool| {
            let rule = Rule { title, right, right_style: theme.muted, focus };
            rule.render(Rect { height: 1, ..area }, frame.buffer_mut(), theme);
        };
        if self.settings.height > 1 {
            let words = if self.settings.width < 40 { "locked for now" } else { "locked while it runs" };
            let right = match (state.is_busy(), state.comparing()) {
                (true, _) => words,
                (false, true) => "",
                (false, false) => "S save preset",
            };
            let of = state.comparing().then(|| format!("Settings of {}", state.compare.letter()));
            let focus = state.has_keys(CompleteFocus::Settings);
            title(frame, self.settings, (of.as_deref().unwrap_or("Settings"), right), focus);
            state.pane().render(frame, inner(self.settings), context);
        }
        if self.branches.height > 0 && state.comparing() {
            title(frame, self.branches, ("All columns", "r runs"), false);
            let place = inner(self.branches);
            let lines = status_lines::figures(state);
            for (line, y) in lines.iter().zip(place.y..place.bottom()) {
                frame.buffer_mut().set_stringn(place.x, y, line, usize::from(place.width), theme.text);
            }
        } else if self.branches.height > 0
            && let Some(branches) = Branches::of(state)
        {
            let right = if branches.rows() > 2 { "< > switch" } else { "" };
            title(frame, self.branches, ("Branches", right), false);
            branches.render(frame, inner(self.branches), state, theme);
        }
        if self.presets.height > 0 {
            title(frame, self.presets, ("Presets", "P"), state.has_keys(CompleteFocus::Presets));
            state.presets.render(frame, inner(self.presets), context);
        }
    }
}

/// Returns the area below a title, with a column free at each side.
fn inner(area: Rect) -> Rect {
    Rect { x: area.x + 1, y: area.y + 1, width: area.width.saturating_sub(2), height: area.height.saturating_sub(1) }
}
