//! The areas of the panes.

use ratatui::layout::{Position, Rect};

use super::panes::{ListPanes, ListSide, PaneFocus};
use super::transfers::Transfers;
use crate::ui::overlay::below;
use crate::ui::pane::{Spacing, TALL};
use crate::ui::size_class::has_panes_beside;

/// A list has something below it from this size on.
const COMPACT: (u16, u16) = (56, 16);

/// What is at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PaneTarget {
    /// A list, and the row of it on the screen: 0 is the line of titles.
    List(ListSide, u16),
    Preview,
    /// Transfers, and the row of the pane: 0 is its rule.
    Transfers(u16),
}

/// How many panes are on the screen at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum PaneDensity {
    /// The one with the focus.
    #[default]
    One,
    /// A list and the preview.
    Two,
    /// Both lists and the preview.
    Three,
}

impl PaneDensity {
    fn of(area: Rect) -> Self {
        match () {
            () if has_panes_beside(area.width, area.height) => Self::Three,
            () if area.width >= COMPACT.0 && area.height >= COMPACT.1 => Self::Two,
            () => Self::One,
        }
    }
}

/// The areas of the panes; empty ones do not show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FilesLayout {
    pub(super) density: PaneDensity,
    pub(super) local: Rect,
    pub(super) server: Rect,
    pub(super) preview: Rect,
    pub(super) transfers: Rect,
    /// Rows for transfers.
    pub(super) transfer_rows: usize,
    spacing: Spacing,
}

impl FilesLayout {
    /// Gives the whole area to the preview.
    pub(super) fn zoomed(area: Rect, spacing: Spacing) -> Self {
        Self { density: PaneDensity::of(area), preview: area, transfer_rows: 1, spacing, ..Self::default() }
    }

    /// Lays the panes out over an area.
    pub(super) fn new(area: Rect, panes: &ListPanes, transfers: &Transfers, spacing: Spacing) -> Self {
        let (focus, side) = (panes.focus, panes.side);
        let foot = |area: Rect, most: u16| foot(area, focus, transfers, (most, spacing));
        let density = PaneDensity::of(area);
        let mut layout = Self { density, spacing, ..Self::default() };
        match density {
            PaneDensity::Three => {
                let rows = match focus {
                    PaneFocus::Preview => {
                        (area.height / 3).max(if transfers.len() > 0 { TALL + spacing.head(TALL) } else { 7 })
                    }
                    _ => (area.height * 3 / 5).max(9),
                };
                let (lists, preview) = split(area, rows);
                let left = lists.width * 37 / 100;
                layout.local = Rect { width: left, ..lists };
                // Transfers are below the server's list, where they go to or come from.
                let server = Rect { x: lists.x + left + 1, width: lists.width - left - 1, ..lists };
                // Its title stays in the row of the other list's: it keeps the height for blank rows around it.
                let least = if spacing.pane(layout.local).title.y > layout.local.y { TALL } else { 0 };
                (layout.server, layout.transfers) = foot(server, 6);
                let missing = least.min(server.height).saturating_sub(layout.server.height);
                layout.server.height += missing;
                layout.transfers = below(layout.transfers, missing);
                layout.preview = preview;
            }
            PaneDensity::Two => {
                // A notice stands in the last row, below the transfers.
                let body = Rect { height: area.height - u16::from(transfers.len() > 0 && area.height > 0), ..area };
                let (above, transfers) = foot(body, 4);
                layout.transfers = transfers;
                layout.preview = above;
                if focus != PaneFocus::Preview {
                    let (list, preview) = split(above, (above.height * 3 / 5).max(6));
                    layout.preview = preview;
                    *layout.list(side) = list;
                }
            }
            PaneDensity::One => match focus {
                PaneFocus::List => *layout.list(side) = area,
                PaneFocus::Preview => layout.preview = area,
                PaneFocus::Transfers => layout.transfers = area,
            },
        }
        let transfers = if density == PaneDensity::One { area } else { layout.transfers };
        layout.transfer_rows = usize::from(spacing.pane(transfers).content.height).max(1);
        layout
    }

    fn list(&mut self, side: ListSide) -> &mut Rect {
        match side {
            ListSide::Local => &mut self.local,
            ListSide::Server => &mut self.server,
        }
    }

    /// Returns what is at a position.
    pub(super) fn at(&self, position: Position) -> Option<PaneTarget> {
        // What is above the content counts as the title.
        let row = |area: Rect| position.y.saturating_sub(self.spacing.pane(area).content.y);
        let below = |area: Rect| u16::from(position.y >= self.spacing.pane(area).content.y);
        match position {
            _ if self.transfers.contains(position) => {
                Some(PaneTarget::Transfers(row(self.transfers) + below(self.transfers)))
            }
            _ if self.preview.contains(position) => Some(PaneTarget::Preview),
            _ if self.local.contains(position) => Some(PaneTarget::List(ListSide::Local, row(self.local))),
            _ if self.server.contains(position) => Some(PaneTarget::List(ListSide::Server, row(self.server))),
            _ => None,
        }
    }
}

/// Parts the rows at the foot that transfers take: none where there are none, so many at most otherwise.
fn foot(area: Rect, focus: PaneFocus, transfers: &Transfers, (most, spacing): (u16, Spacing)) -> (Rect, Rect) {
    let most = match focus {
        _ if transfers.show_all => area.height / 2,
        PaneFocus::Transfers => most + 2,
        _ => most,
    };
    let rows = match transfers.len() {
        0 => 0,
        some => (some as u16).saturating_add(spacing.head(area.height)).min(most.max(area.height / 3)),
    };
    split(area, area.height - rows.min(area.height))
}

/// Returns the first rows of an area and the rest of it.
fn split(area: Rect, rows: u16) -> (Rect, Rect) {
    (Rect { height: rows.min(area.height), ..area }, below(area, rows))
}
