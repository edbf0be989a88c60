//! Which panes stand beside each other and where, and the tab's picture.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::pane_data::Page;
use super::state::State;
use super::{rows, similar};
use crate::component::{Component as _, RenderContext};
use crate::ui::rule::cut;

/// Three panes stand side by side on a screen of at least this size.
const WIDE: (u16, u16) = (100, 26);

/// Where the panes stand in the tab's area.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TabLayout {
    /// Whether there is room for three panes side by side.
    pub(super) wide: bool,
    height: u16,
    inputs: Option<Rect>,
    /// The matrix, or another page.
    main: Option<(Page, Rect)>,
    map: Option<Rect>,
}

impl TabLayout {
    /// Lays out a page; `zoomed`: it has the other panes' room too.
    pub(super) fn new(area: Rect, page: Page, zoomed: bool) -> Self {
        let wide = area.width >= WIDE.0 && area.height >= WIDE.1;
        let layout = Self { wide, height: area.height, ..Self::default() };
        match page {
            Page::Inputs if !wide => return Self { inputs: Some(area), ..layout },
            _ if !wide => return Self { main: Some((page, area)), ..layout },
            _ => {}
        }
        let left = if zoomed { 0 } else { 31.min(area.width / 4) };
        let map = matches!(page, Page::Inputs | Page::Matrix | Page::Map) && !zoomed;
        let right = match (map, area.width) {
            (false, _) => 0,
            (true, 118..) => 39,
            (true, width) => width * 27 / 100,
        };
        let edge = |width: u16| width + u16::from(width > 0);
        let main = Rect { x: area.x + edge(left), width: area.width - edge(left) - edge(right), ..area };
        let page = if map || page == Page::Inputs { Page::Matrix } else { page };
        Self {
            inputs: (left > 0).then_some(Rect { width: left, ..area }),
            main: Some((page, main)),
            map: map.then_some(Rect { x: area.right() - right, width: right, ..area }),
            ..layout
        }
    }

    /// Returns the rows of a page.
    pub(super) fn page(&self) -> isize {
        (self.height / 2).max(1) as isize
    }

    /// Returns the pane that a click goes to.
    pub(super) fn pane_at(&self, at: Position) -> Option<Page> {
        let main = self.main.filter(|(page, _)| *page == Page::Matrix);
        let panes = [(self.inputs, Page::Inputs), (main.map(|(_, area)| area), Page::Matrix), (self.map, Page::Map)];
        panes.into_iter().find(|(area, _)| area.is_some_and(|area| area.contains(at))).map(|(_, page)| page)
    }

    /// Returns the panes that show over the vectors, and where.
    pub(super) fn panes(&self) -> impl Iterator<Item = (Page, Rect)> {
        self.main.into_iter().chain(self.map.map(|area| (Page::Map, area)))
    }

    /// Returns where the list of texts shows, and whether it shows alone.
    pub(super) fn inputs(&self) -> Option<(Rect, bool)> {
        self.inputs.map(|area| (area, !self.wide))
    }
}

impl State {
    /// Draws everything.
    pub(super) fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let layout = &self.layout;
        let focus = |page: Page| !self.modals.is_open() && self.page == page;
        if let Some((area, alone)) = layout.inputs() {
            self.render_inputs(frame, area, context, (focus(Page::Inputs), alone));
        }
        if let Some((page, place)) = layout.main {
            match self.panes.get(page) {
                Some(pane) => pane.render(frame, place, context),
                None => similar::render(frame, place, self, context, focus(Page::Matrix), !layout.wide),
            }
            if layout.inputs.is_some() {
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
        let width = area.width.saturating_sub(2);
        let notes = if !alone || self.is_blank() { Vec::new() } else { self.notes(context, usize::from(width)) };
        let notes = super::foot::wrapped(&notes, usize::from(width));
        let list = rows::list_area(area, notes.len());
        rows::render(frame, list, self, context, focus, alone);
        for (note, y) in notes.iter().zip(list.bottom()..area.bottom()) {
            frame.buffer_mut().set_line(area.x + 1, y, note, width);
        }
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
