//! The tab's picture.

use std::time::Instant;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::layout::TabLayout;
use super::pane_data::Page;
use super::state::State;
use super::{rows, similar};
use crate::component::{Component as _, RenderContext, Session};
use crate::ui::rule::cut;
use crate::ui::theme::{Depth, Theme};

impl State {
    /// Fits dialogs, panes, list and matrix to the area.
    pub(super) fn arrange(&mut self, area: Rect, session: &Session, now: Instant) {
        self.run.unseen = false;
        self.modals.arrange(area, session, now);
        let layout = TabLayout::new(area, self.view.page, self.view.zoomed);
        self.view.layout = layout;
        for (page, area) in layout.panes() {
            if let Some(pane) = self.panes.get_mut(page) {
                pane.arrange(area, session, now);
            }
        }
        let theme = Theme::of(session.palette, Depth::True);
        let context = RenderContext { session, theme: &theme, now };
        if let Some((area, alone)) = layout.inputs() {
            let notes = self.inputs_notes(area, context, alone).len();
            rows::arrange(self, rows::list_area(area, notes), alone);
        }
        if let Some((Page::Matrix, place)) = layout.main {
            similar::arrange(self, place, context, !layout.wide);
        }
    }

    /// Draws everything.
    pub(super) fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let layout = &self.view.layout;
        let focus = |page: Page| !self.modals.is_open() && self.view.page == page;
        if let Some((area, alone)) = layout.inputs() {
            self.render_inputs(frame, area, context, (focus(Page::Inputs), alone));
        }
        if let Some((page, place)) = layout.main {
            match self.panes.get(page) {
                Some(pane) => pane.render(frame, place, context),
                None => similar::render(frame, place, self, context, focus(Page::Matrix), !layout.wide),
            }
            if layout.inputs().is_some() {
                line(frame, area, place.x - 1, context);
            }
        }
        if let Some(place) = layout.map {
            line(frame, area, place.x - 1, context);
            self.panes.map.render(frame, place, context);
        }
        self.modals.render(frame, area, context);
    }

    /// Draws the list of texts; alone, with the notes at its foot.
    fn render_inputs(&self, frame: &mut Frame, area: Rect, context: RenderContext, (focus, alone): (bool, bool)) {
        let notes = self.inputs_notes(area, context, alone);
        let list = rows::list_area(area, notes.len());
        rows::render(frame, list, self, context, focus, alone);
        for (note, y) in notes.iter().zip(list.bottom()..area.bottom()) {
            frame.buffer_mut().set_line(area.x + 1, y, note, area.width.saturating_sub(2));
        }
    }

    /// Returns the notes at the foot of the list where it is alone.
    fn inputs_notes(&self, area: Rect, context: RenderContext, alone: bool) -> Vec<Line<'static>> {
        if !alone || self.is_blank() {
            return Vec::new();
        }
        let width = usize::from(area.width.saturating_sub(2));
        super::notes::wrapped(&self.notes(context, width), width)
    }
}

/// Draws a line between two panes.
fn line(frame: &mut Frame, area: Rect, x: u16, context: RenderContext) {
    for y in area.y..area.bottom() {
        frame.buffer_mut().set_stringn(x, y, if y == area.y { "┬" } else { "│" }, 1, context.theme.rule);
    }
}

/// Draws what stands where there is nothing yet.
pub(super) fn blank(frame: &mut Frame, area: Rect, context: RenderContext) {
    let lines = [
        ("Embed turns texts into vectors", context.theme.text),
        ("and shows how similar they are.", context.theme.text),
        ("Add two texts: a types one,", context.theme.muted),
        ("f reads a file, or paste them.", context.theme.muted),
        ("⏎ loads eight sample texts", context.theme.accent),
    ];
    let width = usize::from(area.width.saturating_sub(2));
    let air = u16::from(area.height > 8);
    for ((text, style), y) in lines.into_iter().zip(area.y + air..area.bottom()) {
        frame.buffer_mut().set_stringn(area.x + 1, y, cut(text, width), width, style);
    }
}
