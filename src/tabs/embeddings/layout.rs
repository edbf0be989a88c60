//! Which panes stand beside each other, and where.

use ratatui::layout::{Position, Rect};

use super::pane_data::Page;
use crate::ui::size_class::WIDE;

/// Three panes stand side by side on a screen of at least this size.
const ROOMY: (u16, u16) = (WIDE, 26);

/// Where the panes stand in the tab's area.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TabLayout {
    /// Whether there is room for three panes side by side.
    pub(super) wide: bool,
    height: u16,
    inputs: Option<Rect>,
    /// The matrix, or another page.
    pub(super) main: Option<(Page, Rect)>,
    pub(super) map: Option<Rect>,
}

impl TabLayout {
    /// Lays out a page; `zoomed`: it has the other panes' room too.
    pub(super) fn new(area: Rect, page: Page, zoomed: bool) -> Self {
        let wide = area.width >= ROOMY.0 && area.height >= ROOMY.1;
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
