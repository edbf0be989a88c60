//! Arranges and draws the panes, the check page and the dialogs.

use std::time::Instant;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::panes::PaneFocus;
use super::state::State;
use super::{details, lists_view, transfers_view};
use crate::component::{Component, RenderContext, Session};
use crate::tabs::files::layout::{FilesLayout, PaneDensity};

/// Fits the panes to the area and to what has come.
pub(super) fn arrange(state: &mut State, area: Rect, session: &Session, now: Instant) {
    let focus = !state.has_dialog();
    state.transfers.see();
    state.panes.layout = FilesLayout::new(area, state.panes.focus, state.panes.side, &state.transfers);
    state.arrange_plan(area, session, now);
    if let Some(page) = &mut state.pages.check {
        page.set_focus(focus);
        return page.arrange(area, session, now);
    }
    lists_view::arrange(state);
    let FilesLayout { preview, transfers, .. } = state.panes.layout;
    if let Some((_, shown)) = state.preview.open.as_mut().filter(|_| !preview.is_empty()) {
        shown.set_focus(focus && state.panes.focus == PaneFocus::Preview);
        shown.arrange(preview, session, now);
    }
    if !transfers.is_empty() {
        state.transfers.arrange(usize::from(transfers.height - 1));
    }
}

/// Draws everything.
pub(super) fn render(frame: &mut Frame, area: Rect, state: &State, context: RenderContext) {
    let focus = !state.has_dialog();
    if let Some(page) = &state.pages.check {
        page.render(frame, area, context);
    } else {
        panes(frame, state, focus, context);
    }
    state.render_dialogs(frame, area, context);
}

fn panes(frame: &mut Frame, state: &State, focus: bool, context: RenderContext) {
    let FilesLayout { density, local, server, preview, transfers, .. } = state.panes.layout;
    lists_view::local(frame, local, state, context);
    lists_view::server(frame, server, state, context);
    if density == PaneDensity::Wide {
        for y in local.y..local.bottom() {
            let glyph = if y == local.y { "┬" } else { "│" };
            frame.buffer_mut().set_stringn(local.right(), y, glyph, 1, context.theme.rule);
        }
    }
    if !preview.is_empty() {
        match &state.preview.open {
            Some((_, shown)) => shown.render(frame, preview, context),
            None => details::render(frame, preview, state, context),
        }
    }
    if !transfers.is_empty() {
        transfers_view::render(
            frame,
            transfers,
            &state.transfers,
            context,
            focus && state.panes.focus == PaneFocus::Transfers,
        );
    }
}
