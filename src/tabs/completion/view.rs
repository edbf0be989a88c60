//! Draws the tab: the text or a page in its place, the panes beside it, dialogs over them.

use std::time::Instant;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::side::SideLayout;
use super::state::{CompletePane, Page, State};
use super::text_pane::TextPane;
use super::{branch_columns, runs};
use crate::component::{Component, RenderContext, Session};
use crate::record::Id;
use crate::ui::meter;
use crate::ui::pane::{self, Pane, Spacing, Surface};
use crate::ui::size_class::has_panes_beside;

/// Columns of the settings at the right.
const SIDE: u16 = 36;
/// The same from so many columns of the screen on.
const WIDE_SIDE: (u16, u16) = (48, 160);

/// The areas of the panes.
#[derive(Debug, Default)]
pub(super) struct CompleteView {
    wide: bool,
    spacing: Spacing,
    /// Whether the strip names its keys.
    strip_keys: bool,
    text: Rect,
    settings: Rect,
    presets: Rect,
}

impl CompleteView {
    /// Returns whether the settings stand beside the text.
    pub(super) fn is_wide(&self) -> bool {
        self.wide
    }

    /// Returns whether the strip names its keys, so that the footer need not.
    pub(super) fn strip_names_keys(&self) -> bool {
        self.strip_keys
    }

    /// Returns half the rows of the text.
    pub(super) fn half_page(&self) -> isize {
        (self.text.height / 2).max(1) as isize
    }

    /// Returns the pane that a position is in.
    pub(super) fn pane(&self, at: Position) -> Option<CompletePane> {
        let panes = [
            (self.settings, CompletePane::Settings),
            (self.presets, CompletePane::Presets),
            (self.text, CompletePane::Browse),
        ];
        panes.into_iter().find(|(area, _)| area.contains(at)).map(|(_, focus)| focus)
    }

    /// Fits everything to the area: before keys and frames.
    pub(super) fn arrange(&mut self, area: Rect, state: &mut State, session: &Session, now: Instant) {
        let wide = has_panes_beside(area.width, area.height);
        *self = Self { wide, spacing: session.spacing(), ..Self::default() };
        let [main, side] = self.parts(area, state);
        if let Some(area) = side {
            let parts = SideLayout::of(area, self.wide, self.spacing, state);
            parts.arrange(state, session, now);
            (self.settings, self.presets) = (parts.settings, parts.presets);
        }
        let Some(area) = main else { return };
        match &mut state.page {
            Page::Buffer => {
                (self.text, self.strip_keys) = self.text_pane(area).arrange(state, session, now);
            }
            Page::Tokens(page) => page.arrange(area, session, now),
            Page::Runs(page) => page.arrange(self.spacing.body(area), &state.log.runs),
            Page::Compare => {
                let mut columns = std::mem::take(&mut state.compare.view);
                state.compare.arrange(&mut columns, area, state.comparison_context(), (session, now));
                state.compare.view = columns;
            }
            Page::Branches(page, step) => {
                let (mut columns, step) = (std::mem::take(page), *step);
                let words = branch_columns::words(state, step, session, now);
                columns.arrange(area, self.spacing, &branch_columns::columns(state, &words));
                state.page = Page::Branches(columns, step);
            }
        }
    }

    fn text_pane(&self, area: Rect) -> TextPane {
        TextPane { area, wide: self.wide, spacing: self.spacing }
    }

    /// Returns the areas of the text and of the settings; `None`: not shown, or too small.
    fn parts(&self, area: Rect, state: &State) -> [Option<Rect>; 2] {
        let side = matches!(state.focus, CompletePane::Settings | CompletePane::Presets);
        let divider = u16::from(!self.spacing.has_surfaces());
        let columns = if area.width < WIDE_SIDE.1 { SIDE.min(area.width) } else { WIDE_SIDE.0 };
        let right = Rect { x: area.right() - columns, width: columns, ..area };
        let (main, side) = match (self.wide, side) {
            (true, _) => (Some(Rect { width: area.width - columns - divider, ..area }), Some(right)),
            (false, true) => (None, Some(area)),
            (false, false) => (Some(area), None),
        };
        [main.filter(|area| area.height >= 4 && area.width >= 10), side.filter(|area| area.height >= 3)]
    }

    /// Draws everything.
    pub(super) fn render(&self, frame: &mut Frame, area: Rect, state: &State, context: RenderContext) {
        let [main, side] = self.parts(area, state);
        if let Some(area) = main {
            self.draw_main(frame, area, state, context);
        }
        if let Some(right) = side {
            if self.wide {
                let line = Rect { x: right.x - 1, width: 1, ..right };
                pane::divider(frame.buffer_mut(), line, context.theme, self.spacing);
            }
            pane::paint(frame.buffer_mut(), right, Surface::Panel, context.theme);
            SideLayout::of(right, self.wide, self.spacing, state).render(frame, state, context);
        }
        state.modals.render(frame, area, context);
    }

    /// Draws the text, or the page that stands in its place.
    fn draw_main(&self, frame: &mut Frame, area: Rect, state: &State, context: RenderContext) {
        let RenderContext { session, theme, now } = context;
        let focus = matches!(state.focus, CompletePane::Text | CompletePane::Browse) && !state.modals.is_open();
        match &state.page {
            Page::Buffer => self.text_pane(area).render(frame, state, context, focus),
            Page::Tokens(page) => page.render(frame, area, context),
            Page::Runs(page) => {
                let (left, all) = (page.count() as u64, state.log.runs.len() as u64);
                let right = match (left == all, all) {
                    (true, 0) => String::new(),
                    (true, all) => format!("{} run{}", meter::count(all), if all == 1 { "" } else { "s" }),
                    (false, _) => format!("{} of {} runs", meter::count(left), meter::count(all)),
                };
                let pane = Pane {
                    title: "Runs",
                    note: "",
                    right: &right,
                    right_style: if self.spacing.has_surfaces() { theme.faint } else { theme.muted },
                    focus,
                    surface: Surface::Ground,
                };
                pane.render(area, frame.buffer_mut(), theme, self.spacing);
                let live: Vec<Id> = state.active.runs.iter().map(|active| active.record.id).collect();
                let spin = state.active.runs.first().map_or("", |active| {
                    meter::spinner(now.saturating_duration_since(active.run.stream.started), session.motion)
                });
                let (profile, zone, now_ms) = (&session.profile_name, session.zone, state.unix_ms);
                let context = runs::RunListContext {
                    profile,
                    now_ms,
                    zone,
                    live: &live,
                    spin,
                    theme,
                    focus,
                    spacing: self.spacing,
                };
                let list = Rect { x: area.x, width: area.width, ..self.spacing.body(area) };
                page.render(frame, list, &state.log.runs, &context);
            }
            Page::Compare => state.compare.render(frame, area, state.comparison_context(), context),
            Page::Branches(page, step) => {
                let words = branch_columns::words(state, *step, session, now);
                let columns = branch_columns::columns(state, &words);
                page.draw(area, frame.buffer_mut(), &columns, (self.spacing, theme));
                frame.set_cursor_position(Position::new(area.x, area.y));
            }
        }
    }
}
