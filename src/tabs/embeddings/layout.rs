//! Which panes stand beside each other, and where.

use ratatui::layout::{Position, Rect};

use super::pane_data::Page;
use crate::ui::pane::{Spacing, Surface};
use crate::ui::size_class::has_panes_beside;

/// Columns of the list.
const LIST: u16 = 32;

/// How much of the room beside the list the map has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum MapWidth {
    /// None: it does not show.
    Hidden,
    /// Less than the matrix.
    #[default]
    Narrow,
    /// More than the matrix.
    Wide,
    /// All but a few columns.
    Widest,
}

impl MapWidth {
    const ALL: [Self; 4] = [Self::Hidden, Self::Narrow, Self::Wide, Self::Widest];

    /// Returns the next width, or the one before; the last and the first stay.
    pub(super) fn next(self, wider: bool) -> Self {
        let at = Self::ALL.iter().position(|width| *width == self).unwrap_or(0);
        let next = if wider { at + 1 } else { at.saturating_sub(1) };
        Self::ALL.get(next).copied().unwrap_or(self)
    }

    /// Returns its columns of so many beside the list.
    fn columns(self, room: u16) -> u16 {
        let share = match self {
            Self::Hidden => 0,
            Self::Narrow => 40,
            Self::Wide => 60,
            Self::Widest => 75,
        };
        (u32::from(room) * share / 100) as u16
    }
}

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
    /// The row in which words to find are typed, and the surface of its pane.
    pub(super) find: Option<(Rect, Surface)>,
}

impl TabLayout {
    /// Lays out a page; `zoomed`: it has the other panes' room too.
    pub(super) fn new(area: Rect, page: Page, zoomed: bool, map_width: MapWidth, spacing: Spacing) -> Self {
        let wide = has_panes_beside(area.width, area.height);
        let layout = Self { wide, height: area.height, ..Self::default() };
        match page {
            Page::Inputs if !wide => return Self { inputs: Some(area), ..layout },
            _ if !wide => return Self { main: Some((page, area)), ..layout },
            _ => {}
        }
        // A line between two panes takes a column.
        let line = u16::from(!spacing.has_surfaces());
        let left = if zoomed { 0 } else { (LIST - line).min(area.width * 27 / 100 - line) };
        let edge = |width: u16| width + if width > 0 { line } else { 0 };
        let room = area.width - edge(left);
        let beside = matches!(page, Page::Inputs | Page::Matrix | Page::Map) && !zoomed;
        // A map with the keys is not hidden.
        let map_width = if page == Page::Map && map_width == MapWidth::Hidden { MapWidth::Narrow } else { map_width };
        let right = if beside { map_width.columns(room) } else { 0 };
        let main = Rect { x: area.x + edge(left), width: room - edge(right), ..area };
        let page = if beside || page == Page::Inputs { Page::Matrix } else { page };
        Self {
            inputs: (left > 0).then_some(Rect { width: left, ..area }),
            main: Some((page, main)),
            map: (right > 0).then_some(Rect { x: area.right() - right, width: right, ..area }),
            ..layout
        }
    }

    /// Takes the last row of the pane with the keys for words to find.
    pub(super) fn with_find_row(mut self, page: Page) -> Self {
        let beside = if self.wide { Surface::Panel } else { Surface::Ground };
        let pane = match page {
            Page::Inputs if self.inputs.is_some() => self.inputs.as_mut().zip(Some(beside)),
            Page::Map if self.map.is_some() => self.map.as_mut().zip(Some(beside)),
            _ => self.main.as_mut().map(|(_, area)| (area, Surface::Ground)),
        };
        self.find = pane.filter(|(pane, _)| pane.height > 1).map(|(pane, surface)| {
            pane.height -= 1;
            (Rect { y: pane.bottom(), height: 1, ..*pane }, surface)
        });
        self
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wider_map_takes_the_matrix_s_columns() {
        let area = Rect::new(0, 1, 120, 34);
        let columns = |width: MapWidth| {
            let layout = TabLayout::new(area, Page::Matrix, false, width, Spacing::Lines);
            (layout.main.map(|(_, area)| area.width), layout.map.map(|area| area.width))
        };
        let all = [MapWidth::Hidden, MapWidth::Narrow, MapWidth::Wide, MapWidth::Widest].map(columns);
        assert_eq!(all, [(Some(88), None), (Some(52), Some(35)), (Some(35), Some(52)), (Some(21), Some(66))]);
        let steps = |wider: bool| (0..5).fold(MapWidth::default(), |width, _| width.next(wider));
        assert_eq!((steps(true), steps(false)), (MapWidth::Widest, MapWidth::Hidden));
        let with_keys = TabLayout::new(area, Page::Map, false, MapWidth::Hidden, Spacing::Lines);
        assert!(with_keys.map.is_some(), "what has the keys shows");
        // On a small screen each pane is alone.
        let alone = TabLayout::new(Rect::new(0, 1, 80, 22), Page::Matrix, false, MapWidth::Widest, Spacing::Lines);
        let surfaces = TabLayout::new(area, Page::Matrix, false, MapWidth::Narrow, Spacing::Roomy);
        assert_eq!(surfaces.inputs.map(|area| area.width), Some(32));
        assert_eq!(surfaces.main.map(|(_, area)| (area.x, area.width)), Some((32, 53)), "no column for a line");
        assert_eq!(alone.main, Some((Page::Matrix, Rect::new(0, 1, 80, 22))));
    }
}
