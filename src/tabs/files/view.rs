//! The tab's picture: which panes stand where.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::state::{Focus, Side, Spot, State};
use super::{card, lists, moving};
use crate::component::RenderContext;

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
        state.beside = area.width >= MEDIUM.0 && area.height >= MEDIUM.1;
    }

    /// Draws everything.
    pub(super) fn render(&mut self, frame: &mut Frame, area: Rect, state: &mut State, context: RenderContext) {
        *self = Self { wide: self.wide, ..Self::default() };
        let focus = !state.has_dialog();
        if let Some(page) = &mut state.check {
            page.render(frame, area, focus, context.session, context.theme, context.now);
            return state.render_dialogs(frame, area, context);
        }
        let medium = area.width >= MEDIUM.0 && area.height >= MEDIUM.1;
        if self.wide {
            self.wide(frame, area, state, context);
        } else if medium {
            self.medium(frame, area, state, context);
        } else {
            self.narrow(frame, area, state, context);
        }
        state.render_dialogs(frame, area, context);
    }

    /// Both lists, the preview below, transfers at the foot.
    fn wide(&mut self, frame: &mut Frame, area: Rect, state: &mut State, context: RenderContext) {
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
        lists::local(frame, self.local, state, context);
        for y in lists.y..lists.bottom() {
            let glyph = if y == lists.y { "┬" } else { "│" };
            frame.buffer_mut().set_stringn(lists.x + left, y, glyph, 1, context.theme.rule);
        }
        lists::server(frame, self.server, state, context);
        self.below(frame, preview, transfers, state, context);
    }

    /// One list, what is under its cursor below it, transfers at the foot.
    fn medium(&mut self, frame: &mut Frame, area: Rect, state: &mut State, context: RenderContext) {
        let area = Rect { height: area.height - u16::from(state.transfers.len() > 0), ..area };
        let (above, transfers) = foot(area, state, 4);
        if state.focus == Focus::Preview {
            return self.below(frame, above, transfers, state, context);
        }
        let (list, preview) = split(above, (above.height * 3 / 5).max(6));
        self.list(frame, list, state, context);
        self.below(frame, preview, transfers, state, context);
    }

    /// One thing at a time.
    fn narrow(&mut self, frame: &mut Frame, area: Rect, state: &mut State, context: RenderContext) {
        match state.focus {
            Focus::List => self.list(frame, area, state, context),
            Focus::Preview => self.below(frame, area, Rect::default(), state, context),
            Focus::Transfers => self.below(frame, Rect::default(), area, state, context),
        }
    }

    fn list(&mut self, frame: &mut Frame, area: Rect, state: &mut State, context: RenderContext) {
        match state.side {
            Side::Local => {
                self.local = area;
                lists::local(frame, area, state, context);
            }
            Side::Server => {
                self.server = area;
                lists::server(frame, area, state, context);
            }
        }
    }

    /// The preview, or what is known of the file under the cursor; and the transfers.
    fn below(&mut self, frame: &mut Frame, preview: Rect, transfers: Rect, state: &mut State, context: RenderContext) {
        self.preview = preview;
        self.transfers = transfers;
        if !preview.is_empty() {
            let focus = !state.has_dialog() && state.focus == Focus::Preview;
            match &mut state.preview {
                Some((_, shown)) => shown.render(frame, preview, focus, context.session, context.theme, context.now),
                None => card::render(frame, preview, state, context),
            }
        }
        state.rows = usize::from(transfers.height.saturating_sub(1)).max(1);
        if !transfers.is_empty() {
            let focus = !state.has_dialog() && state.focus == Focus::Transfers;
            moving::render(frame, transfers, &mut state.transfers, context, focus);
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
