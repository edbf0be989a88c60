//! The tab's picture: which panes stand beside each other, and where.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::pane::{Look, Page, Pane as _};
use super::state::State;
use super::{pair, rows, similar};
use crate::component::RenderContext;
use crate::ui::rule::cut;

/// Three panes stand side by side on a screen of at least this size.
const WIDE: (u16, u16) = (100, 26);

/// Where things were drawn.
#[derive(Debug, Default)]
pub(super) struct View {
    wide: bool,
    inputs: Rect,
    main: Rect,
    map: Rect,
    height: u16,
}

impl View {
    pub(super) fn is_wide(&self) -> bool {
        self.wide
    }

    /// Rows of a page.
    pub(super) fn page(&self) -> isize {
        (self.height / 2).max(1) as isize
    }

    /// Which pane a position is in.
    pub(super) fn pane(&self, at: Position) -> Option<Page> {
        let panes = [(self.inputs, Page::Inputs), (self.main, Page::Matrix), (self.map, Page::Map)];
        panes.into_iter().find(|(area, _)| area.contains(at)).map(|(_, page)| page)
    }

    /// Fits itself and the state to the area.
    pub(super) fn arrange(&mut self, state: &mut State, area: Rect) {
        (self.wide, self.height) = (area.width >= WIDE.0 && area.height >= WIDE.1, area.height);
        state.unseen = false;
        state.beside = self.wide && !state.zoomed;
    }

    /// Draws everything.
    pub(super) fn render(&mut self, frame: &mut Frame, area: Rect, state: &mut State, look: &Look) {
        *self = Self { wide: self.wide, height: self.height, ..Self::default() };
        let look = &Look { focus: !state.modals.is_open(), ..*look };
        if self.wide {
            self.wide(frame, area, state, look);
        } else {
            self.one(frame, area, state, look, true);
        }
        let Look { session, theme, now, .. } = *look;
        state.modals.render(frame, area, RenderContext { session, theme, now });
    }

    /// The pane with the keys, alone.
    fn one(&mut self, frame: &mut Frame, area: Rect, state: &mut State, look: &Look, alone: bool) {
        match state.page {
            Page::Inputs if alone => {
                self.inputs = area;
                let width = usize::from(area.width.saturating_sub(2));
                let notes = if state.is_blank() { Vec::new() } else { state.notes(look, width) };
                let notes = super::foot::wrapped(&notes, width);
                let most = usize::from(area.height / 3).min(notes.len());
                let foot = area.bottom() - most as u16;
                rows::render(frame, Rect { height: area.height - most as u16, ..area }, state, look, true);
                for (note, y) in notes.iter().zip(foot..area.bottom()) {
                    frame.buffer_mut().set_line(area.x + 1, y, note, area.width.saturating_sub(2));
                }
            }
            Page::Inputs | Page::Matrix => {
                self.main = area;
                similar::render(frame, area, state, look, alone);
            }
            Page::Pair => pair::render(frame, area, state, look),
            Page::Map | Page::Pairs | Page::Query | Page::Compare | Page::Hygiene => {
                if let Some((pane, read)) = state.pane() {
                    pane.render(frame, area, look, read);
                }
            }
        }
    }

    /// Inputs, matrix and map; or inputs and another page that has the room of both.
    fn wide(&mut self, frame: &mut Frame, area: Rect, state: &mut State, look: &Look) {
        let left = if state.zoomed { 0 } else { 31.min(area.width / 4) };
        let map = matches!(state.page, Page::Inputs | Page::Matrix | Page::Map) && !state.zoomed;
        let right = match (map, area.width) {
            (false, _) => 0,
            (true, 118..) => 39,
            (true, width) => width * 27 / 100,
        };
        let edge = |width: u16| width + u16::from(width > 0);
        let main = Rect { x: area.x + edge(left), width: area.width - edge(left) - edge(right), ..area };
        let focus = |page: bool| Look { focus: look.focus && page, ..*look };
        if left > 0 {
            self.inputs = Rect { width: left, ..area };
            rows::render(frame, self.inputs, state, &focus(state.page == Page::Inputs), false);
            line(frame, area, area.x + left, look);
        }
        if map {
            self.map = Rect { x: area.right() - right, width: right, ..area };
            line(frame, area, self.map.x - 1, look);
            self.main = main;
            similar::render(frame, main, state, &focus(state.page == Page::Matrix), false);
            state.map.render(frame, self.map, &focus(state.page == Page::Map), &state.read);
        } else {
            self.one(frame, main, state, &focus(state.page != Page::Inputs), false);
        }
    }
}

/// A line between two panes.
fn line(frame: &mut Frame, area: Rect, x: u16, look: &Look) {
    for y in area.y..area.bottom() {
        frame.buffer_mut().set_stringn(x, y, if y == area.y { "┬" } else { "│" }, 1, look.theme.rule);
    }
}

/// What stands where there is nothing yet.
pub(super) fn blank(frame: &mut Frame, area: Rect, look: &Look) {
    let lines = [
        ("Embed turns texts into vectors", look.theme.text),
        ("and shows how similar they are.", look.theme.text),
        ("Add two texts: a types one,", look.theme.muted),
        ("f reads a file, or paste them.", look.theme.muted),
        ("⏎ loads eight sample texts", look.theme.accent),
    ];
    let width = usize::from(area.width.saturating_sub(2));
    let air = u16::from(area.height > 8);
    for ((text, style), y) in lines.into_iter().zip(area.y + air..area.bottom()) {
        frame.buffer_mut().set_stringn(area.x + 1, y, cut(text, width), width, style);
    }
}
