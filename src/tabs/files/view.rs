//! Arranges and draws the panes, the check page and the dialogs.

use std::time::Instant;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::panes::PaneFocus;
use super::state::State;
use super::{details, local_view, server_view, transfers_view};
use crate::component::{Component, RenderContext, Session};
use crate::tabs::files::layout::{FilesLayout, PaneDensity};
use crate::ui::pane;

/// Fits the panes to the area and to what has come.
pub(super) fn arrange(state: &mut State, area: Rect, session: &Session, now: Instant) {
    let focus = !state.modals.is_open();
    state.transfers.mark_failures_seen();
    let spacing = session.spacing();
    state.panes.layout = if state.is_zoomed() {
        FilesLayout::zoomed(area, spacing)
    } else {
        FilesLayout::new(area, &state.panes, &state.transfers, spacing)
    };
    if let Some(page) = &mut state.pages.check {
        page.set_focus(focus);
        return page.arrange(area, session, now);
    }
    local_view::arrange(state, spacing);
    server_view::arrange(state, spacing);
    let FilesLayout { density, preview, transfers, .. } = state.panes.layout;
    if let Some((_, shown)) = state.preview.open.as_mut().filter(|_| !preview.is_empty()) {
        shown.set_alone(density == PaneDensity::One);
        shown.set_focus(focus && state.panes.focus == PaneFocus::Preview);
        shown.arrange(preview, session, now);
    }
    if !transfers.is_empty() {
        state.transfers.arrange(usize::from(spacing.pane(transfers).content.height));
    }
}

/// Draws everything.
pub(super) fn render(frame: &mut Frame, area: Rect, state: &State, context: RenderContext) {
    let focus = !state.modals.is_open();
    if let Some(page) = &state.pages.check {
        page.render(frame, area, context);
    } else {
        panes(frame, state, focus, context);
    }
    state.modals.render(frame, area, context);
}

fn panes(frame: &mut Frame, state: &State, focus: bool, context: RenderContext) {
    let FilesLayout { local, server, preview, transfers, .. } = state.panes.layout;
    local_view::render(frame, local, state, context);
    server_view::render(frame, server, state, context);
    if !local.is_empty() && !server.is_empty() {
        let column = Rect { x: local.right(), width: 1, ..local };
        pane::divider(frame.buffer_mut(), column, context.theme, context.session.spacing());
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
