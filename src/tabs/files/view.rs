//! The tab's picture: which panes stand where.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::state::{Focus, Side, State};
use super::{Look, card, lists, moving};
use crate::ui::wrap;

/// Both lists stand side by side on a screen of at least this size.
const WIDE: (u16, u16) = (100, 24);
/// A list has something below it from this size on.
const MEDIUM: (u16, u16) = (56, 16);

/// Where things were drawn.
#[derive(Debug, Default)]
pub(super) struct View {
    local: Rect,
    server: Rect,
    preview: Rect,
    transfers: Rect,
    /// Whether both lists show.
    pub(super) wide: bool,
}

/// What is at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    /// A list, and the row of it on the screen: 0 is the line of titles.
    List(Side, u16),
    Preview,
    /// Transfers, and the row of the pane: 0 is its rule.
    Transfers(u16),
}

impl View {
    pub(super) fn spot(&self, at: Position) -> Option<Spot> {
        let row = |area: Rect| at.y - area.y;
        match at {
            _ if self.transfers.contains(at) => Some(Spot::Transfers(row(self.transfers))),
            _ if self.preview.contains(at) => Some(Spot::Preview),
            _ if self.local.contains(at) => Some(Spot::List(Side::Local, row(self.local).saturating_sub(1))),
            _ if self.server.contains(at) => Some(Spot::List(Side::Server, row(self.server).saturating_sub(1))),
            _ => None,
        }
    }

    /// Fits itself and the state to the area and to what has come.
    pub(super) fn arrange(&mut self, state: &mut State, area: Rect) {
        self.wide = area.width >= WIDE.0 && area.height >= WIDE.1;
        state.transfers.see();
        state.modals.arrange(area);
        state.beside = area.width >= MEDIUM.0 && area.height >= MEDIUM.1;
    }

    /// Draws everything.
    pub(super) fn render(&mut self, frame: &mut Frame, area: Rect, state: &mut State, look: &Look) {
        *self = Self { wide: self.wide, ..Self::default() };
        if let Some(page) = &mut state.check {
            page.render(frame, area, look.focus, look.session, look.theme, look.now);
            return state.render_dialogs(frame, area, look);
        }
        let medium = area.width >= MEDIUM.0 && area.height >= MEDIUM.1;
        if self.wide {
            self.wide(frame, area, state, look);
        } else if medium {
            self.medium(frame, area, state, look);
        } else {
            self.narrow(frame, area, state, look);
        }
        state.render_dialogs(frame, area, look);
    }

    /// Both lists, the preview below, transfers at the foot.
    fn wide(&mut self, frame: &mut Frame, area: Rect, state: &mut State, look: &Look) {
        // What is said in passing stands in the last row, below the transfers.
        let area = Rect { height: area.height - u16::from(state.transfers.len() > 0), ..area };
        let (above, transfers) = foot(area, state, 6);
        let rows = match state.focus {
            Focus::Preview => (above.height / 3).max(7),
            _ => (above.height * 11 / 20).max(9),
        };
        let (lists, preview) = split(above, rows);
        let left = lists.width * 37 / 100;
        self.local = Rect { width: left, ..lists };
        self.server = Rect { x: lists.x + left + 1, width: lists.width - left - 1, ..lists };
        lists::local(frame, self.local, state, look);
        for y in lists.y..lists.bottom() {
            let glyph = if y == lists.y { "┬" } else { "│" };
            frame.buffer_mut().set_stringn(lists.x + left, y, glyph, 1, look.theme.rule);
        }
        lists::server(frame, self.server, state, look);
        self.below(frame, preview, transfers, state, look);
    }

    /// One list, what is under its cursor below it, transfers at the foot.
    fn medium(&mut self, frame: &mut Frame, area: Rect, state: &mut State, look: &Look) {
        let area = Rect { height: area.height - u16::from(state.transfers.len() > 0), ..area };
        let (above, transfers) = foot(area, state, 4);
        if state.focus == Focus::Preview {
            return self.below(frame, above, transfers, state, look);
        }
        let (list, preview) = split(above, (above.height * 3 / 5).max(6));
        self.list(frame, list, state, look);
        self.below(frame, preview, transfers, state, look);
    }

    /// One thing at a time.
    fn narrow(&mut self, frame: &mut Frame, area: Rect, state: &mut State, look: &Look) {
        match state.focus {
            Focus::List => self.list(frame, area, state, look),
            Focus::Preview => self.below(frame, area, Rect::default(), state, look),
            Focus::Transfers => self.below(frame, Rect::default(), area, state, look),
        }
    }

    fn list(&mut self, frame: &mut Frame, area: Rect, state: &mut State, look: &Look) {
        match state.side {
            Side::Local => {
                self.local = area;
                lists::local(frame, area, state, look);
            }
            Side::Server => {
                self.server = area;
                lists::server(frame, area, state, look);
            }
        }
    }

    /// The preview, or what is known of the file under the cursor; and the transfers.
    fn below(&mut self, frame: &mut Frame, preview: Rect, transfers: Rect, state: &mut State, look: &Look) {
        self.preview = preview;
        self.transfers = transfers;
        if !preview.is_empty() {
            let focus = look.focus && state.focus == Focus::Preview;
            match &mut state.preview {
                Some((_, shown)) => shown.render(frame, preview, focus, look.session, look.theme, look.now),
                None => card::render(frame, preview, state, look),
            }
        }
        state.rows = usize::from(transfers.height.saturating_sub(1)).max(1);
        if !transfers.is_empty() {
            moving::render(frame, transfers, &mut state.transfers, look, state.focus == Focus::Transfers);
        }
    }
}

/// Parts the rows at the foot that transfers take: none where there are none, some five otherwise.
fn foot(area: Rect, state: &State, most: u16) -> (Rect, Rect) {
    let most = match (state.transfers.whole, state.focus) {
        (true, _) => area.height / 2,
        (false, Focus::Transfers) => most + 2,
        _ => most,
    };
    let rows = match state.transfers.len() {
        0 => 0,
        some => (some as u16).saturating_add(1).min(most),
    };
    let (above, foot) = split(area, area.height - rows.min(area.height));
    (above, foot)
}

/// The first rows of an area and the rest of it; all of it where the rest would be too little.
fn split(area: Rect, rows: u16) -> (Rect, Rect) {
    let rows = rows.min(area.height);
    let rest = Rect { y: area.y + rows, height: area.height - rows, ..area };
    (Rect { height: rows, ..area }, rest)
}

/// A sentence wrapped into an area; where it ends.
pub(super) fn words(frame: &mut Frame, area: Rect, words: &str, style: Style) -> u16 {
    let area = area.intersection(frame.area());
    let width = usize::from(area.width.saturating_sub(2)).max(1);
    let mut y = area.y;
    for line in wrap::lines(words, width) {
        if y >= area.bottom() {
            break;
        }
        frame.buffer_mut().set_stringn(area.x + 1, y, line, width, style);
        y += 1;
    }
    y
}
