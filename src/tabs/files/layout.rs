//! Which panes stand where.

use ratatui::layout::{Position, Rect};

use super::state::{Focus, Side};
use super::transfers::Transfers;

/// Both lists stand side by side on a screen of at least this size.
const WIDE: (u16, u16) = (100, 24);
/// A list has something below it from this size on.
const MEDIUM: (u16, u16) = (56, 16);

/// What is at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A list, and the row of it on the screen: 0 is the line of titles.
    List(Side, u16),
    Preview,
    /// Transfers, and the row of the pane: 0 is its rule.
    Transfers(u16),
}

/// How many panes stand on the screen at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Density {
    /// One.
    #[default]
    Narrow,
    /// A list and the preview.
    Medium,
    /// Both lists and the preview.
    Wide,
}

/// The areas of the panes; empty ones do not show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) density: Density,
    pub(super) local: Rect,
    pub(super) server: Rect,
    pub(super) preview: Rect,
    pub(super) transfers: Rect,
    /// Rows for transfers.
    pub(super) transfer_rows: usize,
}

impl Layout {
    /// Lays the panes out over an area.
    pub(super) fn new(area: Rect, focus: Focus, side: Side, transfers: &Transfers) -> Self {
        let reaches = |(width, height)| area.width >= width && area.height >= height;
        let density = match () {
            () if reaches(WIDE) => Density::Wide,
            () if reaches(MEDIUM) => Density::Medium,
            () => Density::Narrow,
        };
        let mut layout = Self { density, ..Self::default() };
        // A notice stands in the last row, below the transfers.
        let body = Rect { height: area.height - u16::from(transfers.len() > 0 && area.height > 0), ..area };
        match density {
            Density::Wide => {
                let (above, transfers) = foot(body, focus, transfers, 6);
                let rows = match focus {
                    Focus::Preview => (above.height / 3).max(7),
                    _ => (above.height * 11 / 20).max(9),
                };
                let (lists, preview) = split(above, rows);
                let left = lists.width * 37 / 100;
                layout.local = Rect { width: left, ..lists };
                layout.server = Rect { x: lists.x + left + 1, width: lists.width - left - 1, ..lists };
                (layout.preview, layout.transfers) = (preview, transfers);
            }
            Density::Medium => {
                let (above, transfers) = foot(body, focus, transfers, 4);
                layout.transfers = transfers;
                layout.preview = above;
                if focus != Focus::Preview {
                    let (list, preview) = split(above, (above.height * 3 / 5).max(6));
                    layout.preview = preview;
                    *layout.list(side) = list;
                }
            }
            Density::Narrow => match focus {
                Focus::List => *layout.list(side) = area,
                Focus::Preview => layout.preview = area,
                Focus::Transfers => layout.transfers = area,
            },
        }
        let transfers = if density == Density::Narrow { area } else { layout.transfers };
        layout.transfer_rows = usize::from(transfers.height.saturating_sub(1)).max(1);
        layout
    }

    fn list(&mut self, side: Side) -> &mut Rect {
        match side {
            Side::Local => &mut self.local,
            Side::Server => &mut self.server,
        }
    }

    /// Returns what is at a position.
    pub(super) fn at(&self, position: Position) -> Option<Target> {
        let row = |area: Rect| position.y - area.y;
        match position {
            _ if self.transfers.contains(position) => Some(Target::Transfers(row(self.transfers))),
            _ if self.preview.contains(position) => Some(Target::Preview),
            _ if self.local.contains(position) => Some(Target::List(Side::Local, row(self.local).saturating_sub(1))),
            _ if self.server.contains(position) => Some(Target::List(Side::Server, row(self.server).saturating_sub(1))),
            _ => None,
        }
    }
}

/// Parts the rows at the foot that transfers take: none where there are none, some five otherwise.
fn foot(area: Rect, focus: Focus, transfers: &Transfers, most: u16) -> (Rect, Rect) {
    let most = match focus {
        _ if transfers.whole => area.height / 2,
        Focus::Transfers => most + 2,
        _ => most,
    };
    let rows = match transfers.len() {
        0 => 0,
        some => (some as u16).saturating_add(1).min(most),
    };
    split(area, area.height - rows.min(area.height))
}

/// Returns the first rows of an area and the rest of it.
fn split(area: Rect, rows: u16) -> (Rect, Rect) {
    let rows = rows.min(area.height);
    let rest = Rect { y: area.y + rows, height: area.height - rows, ..area };
    (Rect { height: rows, ..area }, rest)
}
