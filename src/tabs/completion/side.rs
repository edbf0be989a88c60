//! The panes beside the text: settings, branches, presets; while models are compared the figures of all columns.

use std::time::Instant;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::branches::{self, Branches};
use super::state::{CompletePane, State};
use super::status_lines;
use crate::component::{Component, RenderContext, Session};
use crate::ui::pane::{Pane, Spacing, Surface};

/// Rows of the figures of a comparison.
const FIGURES: u16 = 4;
/// Rows of the tree of branches at most.
const BRANCHES: u16 = 7;
/// Presets that there is room for where all settings are shown.
const PRESETS_WANTED: u16 = 3;
/// Presets that the tree leaves room for.
const PRESETS_LEAST: u16 = 2;
/// Rows of a pane from which on there are blank ones around its title.
const TALL: u16 = 12;

/// The panes, each with its title; without a row: there is no room for it.
pub(super) struct SideLayout {
    pub(super) settings: Rect,
    /// The tree of branches, or the figures of a comparison.
    branches: Rect,
    pub(super) presets: Rect,
    spacing: Spacing,
}

impl SideLayout {
    /// Lays the panes out; where there is little room, the one with the focus has all of it.
    pub(super) fn of(area: Rect, wide: bool, spacing: Spacing, state: &State) -> Self {
        // The title with its blank rows, and the blank row above the next title.
        let head = head(spacing);
        let fields = state.pane().rows() + head;
        let title = head;
        let wanted = match (wide, state.is_comparing()) {
            (false, _) => 0,
            (true, true) => title + FIGURES,
            (true, false) => Branches::rows_of(state).map_or(0, |rows| title + rows.min(BRANCHES)),
        };
        let (settings, branches, presets) = if area.height >= fields + title + PRESETS_WANTED {
            let branches = wanted.min(area.height - fields - title - PRESETS_LEAST);
            let branches = if branches < title + 2 { 0 } else { branches };
            (fields, branches, area.height - fields - branches)
        } else if area.height >= 17 {
            // Where titles have no blank row above them, there is one between the panes.
            let gap = u16::from(spacing == Spacing::Compact);
            let presets = head + 5;
            (area.height - presets - gap, 0, presets)
        } else if state.focus == CompletePane::Presets {
            (0, 0, area.height)
        } else {
            (area.height, 0, 0)
        };
        let mut y = area.y;
        let mut next = |height: u16| {
            y += height;
            Rect { y: y - height, height, ..area }
        };
        let (settings, branches) = (next(settings), next(branches));
        let presets = Rect { y: area.bottom() - presets, height: presets, ..area };
        Self { settings, branches, presets, spacing }
    }

    /// Fits the panes that there is room for to their areas.
    pub(super) fn arrange(&self, state: &mut State, session: &Session, now: Instant) {
        if self.settings.height > 1 {
            state.pane_mut().arrange(rows(self.settings, self.spacing), session, now);
        }
        if self.presets.height > 0 {
            state.presets.arrange(rows(self.presets, self.spacing), session, now);
        }
    }

    /// Draws the panes that there is room for.
    pub(super) fn render(&self, frame: &mut Frame, state: &State, context: RenderContext) {
        let theme = context.theme;
        let title = |frame: &mut Frame, area: Rect, (title, right): (&str, &str), focus: bool| {
            let right_style = if self.spacing.has_surfaces() { theme.faint } else { theme.muted };
            let pane = Pane { title, note: "", right, right_style, focus, surface: Surface::Panel };
            // There are blank rows around the title, however low the pane is.
            let above = if self.spacing.has_surfaces() { head(self.spacing) - 2 } else { 0 };
            let row = Rect { y: area.y + above, height: 1, ..area };
            pane.render(row.intersection(area), frame.buffer_mut(), theme, self.spacing);
        };
        let inner = |area: Rect| rows(area, self.spacing);
        // While the text is written, letters are text and not keys.
        let key = |words: &'static str| if state.focus == CompletePane::Text { "" } else { words };
        if self.settings.height > 1 {
            let words = if self.settings.width < 40 { "locked for now" } else { "locked while it runs" };
            let right = match (state.active.is_busy(), state.is_comparing()) {
                (true, _) => words,
                (false, true) => "",
                // While a value is typed, letters are text.
                (false, false) if state.pane().typing() => "",
                // The footer has no room for this key.
                (false, false) if state.has_keys(CompletePane::Settings) => "D keep  S save",
                (false, false) => key("S save preset"),
            };
            let of = state.is_comparing().then(|| format!("Settings of {}", state.compare.letter()));
            let focus = state.has_keys(CompletePane::Settings);
            title(frame, self.settings, (of.as_deref().unwrap_or("Settings"), right), focus);
            state.pane().render(frame, inner(self.settings), context);
        }
        if self.branches.height > 0 && state.is_comparing() {
            title(frame, self.branches, ("All columns", ""), false);
            let place = inner(self.branches);
            let lines = status_lines::figures(state);
            let place = if self.spacing.has_surfaces() { self.spacing.padded(place) } else { place };
            for (line, y) in lines.iter().zip(place.y..place.bottom()) {
                frame.buffer_mut().set_stringn(place.x, y, line, usize::from(place.width), theme.text);
            }
        } else if self.branches.height > 0
            && let Some(branches) = Branches::of(state)
        {
            let switches = branches::words(&state.text.history).is_some();
            let right = if switches { key("< > switch") } else { "" };
            title(frame, self.branches, ("Branches", right), false);
            branches.render(frame, inner(self.branches), theme);
        }
        if self.presets.height > 0 {
            title(frame, self.presets, ("Presets", key("P")), state.has_keys(CompletePane::Presets));
            state.presets.render(frame, inner(self.presets), context);
        }
    }
}

/// Returns the rows of a title with the blank ones around it.
fn head(spacing: Spacing) -> u16 {
    spacing.head(TALL)
}

/// Returns the rows below a title: with surfaces as wide as the pane, else with a column free at each side.
fn rows(area: Rect, spacing: Spacing) -> Rect {
    if !spacing.has_surfaces() {
        return spacing.pane(area).content;
    }
    let head = head(spacing).min(area.height);
    Rect { y: area.y + head, height: area.height - head, ..area }
}
