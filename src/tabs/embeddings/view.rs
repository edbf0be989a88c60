//! Draws the tab.

use std::time::Instant;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

use super::inputs::SAMPLE;
use super::keys::{Action, BLANK, INPUTS};
use super::layout::{MapWidth, TabLayout};
use super::notes::under_way;
use super::pane_data::Page;
use super::rows::{self, TextsPane};
use super::similar::MatrixPane;
use super::state::State;
use crate::component::{Component as _, Hint, RenderContext, Session};
use crate::ui::empty_state::EmptyState;
use crate::ui::meter;
use crate::ui::pane::{self, Surface};
use crate::ui::theme::{Depth, Theme};

impl State {
    /// Fits dialogs, panes, list and matrix to the area.
    pub(super) fn arrange(&mut self, area: Rect, session: &Session, now: Instant) {
        self.run.unseen = false;
        self.modals.arrange(area, session, now);
        // There is no map of nothing.
        let map_width = if self.list.data.texts.is_empty() { MapWidth::Hidden } else { self.view.map_width };
        let mut layout = TabLayout::new(area, self.view.page, self.view.zoomed, map_width, session.spacing());
        self.find.update(&self.list.data.texts);
        if self.find.bar.is_shown() {
            layout = layout.with_find_row(self.view.page);
        }
        self.view.layout = layout;
        let retry = self.run.retries(now).into_iter().next();
        // Beside the map the matrix says it.
        self.list.panes.map.retry = retry.clone().filter(|_| layout.map.is_none());
        self.list.panes.query.retry.clone_from(&retry);
        self.list.panes.compare.retry = retry;
        for (page, area) in layout.panes() {
            if let Some(pane) = self.list.panes.get_mut(page) {
                pane.arrange(area, session, now);
            }
        }
        self.list.panes.map.offer_resize(match self.view.map_width {
            _ if layout.map.is_none() => "",
            MapWidth::Widest if self.view.page == Page::Map => "< narrower",
            MapWidth::Widest => "- narrower",
            _ if self.view.page == Page::Map => "> wider",
            _ => "+ wider",
        });
        let theme = Theme::of(session.palette, Depth::True);
        let context = RenderContext { session, theme: &theme, now };
        if let Some((area, alone)) = layout.inputs() {
            let notes = self.inputs_notes(area, context, alone).len();
            let arranged = self.texts_pane(context, alone).arrange(rows::list_area(area, notes), context);
            if let Some((cursor, place)) = arranged {
                self.view.inputs = cursor;
                if let (Some(editing), Some(place)) = (&mut self.editing, place) {
                    editing.editor.arrange(place);
                }
            }
        }
        if let Some((Page::Matrix, place)) = layout.main {
            let mut heat = std::mem::take(&mut self.list.matrix.heat);
            self.matrix_pane(context).arrange(&mut heat, place, context);
            self.list.matrix.heat = heat;
        }
    }

    /// Draws everything.
    pub(super) fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let layout = &self.view.layout;
        if let Some((area, alone)) = layout.inputs() {
            self.render_inputs(frame, area, context, alone);
        }
        if let Some((page, place)) = layout.main {
            match self.list.panes.get(page) {
                Some(pane) => pane.render(frame, place, context),
                None => self.matrix_pane(context).render(frame, place, context),
            }
            if layout.inputs().is_some() {
                line(frame, area, place.x - 1, context);
            }
        }
        if let Some(place) = layout.map {
            line(frame, area, place.x - 1, context);
            self.list.panes.map.render(frame, place, context);
        }
        if let Some((row, surface)) = layout.find {
            let spacing = context.session.spacing();
            if spacing.has_surfaces() {
                pane::paint(frame.buffer_mut(), row, surface, context.theme);
            }
            let place = self.find.place(self.list.data.cursor.0);
            self.find.bar.render(frame, spacing.padded(row), &place, context.theme);
        }
        self.modals.render(frame, area, context);
    }

    /// Draws the list of texts; alone, with the notes at its foot.
    fn render_inputs(&self, frame: &mut Frame, area: Rect, context: RenderContext, alone: bool) {
        let notes = self.inputs_notes(area, context, alone);
        let list = rows::list_area(area, notes.len());
        let surface = if alone { Surface::Ground } else { Surface::Panel };
        if context.session.spacing().has_surfaces() {
            pane::paint(frame.buffer_mut(), area, surface, context.theme);
        }
        self.texts_pane(context, alone).render(frame, list, context);
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
        let mut notes = self.run.notes(context, width);
        notes.extend(self.list.notes(self.run.job.is_some(), context.theme));
        super::notes::wrapped(&notes, width, context.theme)
    }

    /// Returns whether a page has the keys.
    fn has_focus(&self, page: Page) -> bool {
        !self.modals.is_open() && self.view.page == page
    }

    /// Returns the list of texts as it is drawn.
    fn texts_pane(&self, context: RenderContext, alone: bool) -> TextsPane<'_> {
        TextsPane {
            list: &self.list,
            editing: self.editing.as_ref(),
            cursor: self.view.inputs,
            saved: self.saved(context),
            blank: self.is_blank(),
            focus: self.has_focus(Page::Inputs),
            alone,
        }
    }

    /// Returns the similarities as they are drawn.
    fn matrix_pane(&self, context: RenderContext) -> MatrixPane<'_> {
        MatrixPane {
            list: &self.list,
            run: &self.run,
            title: self.title(context),
            blank: self.is_blank(),
            focus: self.has_focus(Page::Matrix),
            alone: !self.view.layout.wide,
        }
    }

    /// Returns what the matrix's title shows at its right end.
    fn title(&self, context: RenderContext) -> (String, Style) {
        let spin = meter::spinner(self.elapsed(context.now), context.session.motion);
        let saved = self.saved(context);
        match &self.run.job {
            _ if saved.1 == context.theme.bad => saved,
            Some(job) => under_way(job, spin, context),
            None => self.list.title(spin, context),
        }
    }
}

/// Draws a line between two panes, where lines tell them apart.
fn line(frame: &mut Frame, area: Rect, x: u16, context: RenderContext) {
    let column = Rect { x, width: 1, ..area };
    pane::divider(frame.buffer_mut(), column, context.theme, context.session.spacing());
}

/// Draws what the tab is for and how to begin: there are no texts yet.
pub(super) fn empty(frame: &mut Frame, area: Rect, context: RenderContext) {
    // The local service, which costs nothing, embeds them at once.
    let sample = if context.session.local { "embed the sample texts" } else { "load the sample texts" };
    let keys = [
        BLANK.hint(Action::Sample, sample),
        INPUTS.hint(Action::Add, "add a text"),
        INPUTS.hint(Action::File, "open a file of texts"),
    ];
    let empty = EmptyState {
        purpose: "Embed turns texts into vectors and shows how similar they are.",
        // Two that are alike, and one that is not.
        samples: &[SAMPLE[0].0, SAMPLE[1].0, SAMPLE[5].0],
        chosen: None,
        keys: &keys.each_ref().map(Hint::as_pair),
    };
    let area = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    empty.render(area, frame.buffer_mut(), context.theme);
}
