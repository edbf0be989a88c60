//! Draws the pane with all conversations.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::layout::ChatLayout;
use super::list_rows;
use super::state::{ChatPane, State};
use crate::component::{FindBar, RenderContext};
use crate::ui::canvas::Canvas;
use crate::ui::list::mark_more;
use crate::ui::meter;
use crate::ui::pane::{Pane, Surface};
use crate::ui::rule::cut;

/// Draws it: its title, the filter, the rows in view.
pub(super) fn render(frame: &mut Frame, layout: &ChatLayout, state: &State, context: RenderContext) {
    let RenderContext { session, theme, now } = context;
    let (area, place, spacing) = (layout.list, layout.rows, session.spacing());
    if place.is_empty() {
        return;
    }
    let filter = &state.list.filter;
    let focus = state.focus == ChatPane::List && (filter.is_typing() || !state.is_covered());
    let all = meter::count(state.list.items.count() as u64);
    let right = if spacing.has_surfaces() { all.as_str() } else { "" };
    let right_style = if spacing.has_surfaces() { theme.faint } else { theme.muted };
    let pane = Pane { title: "Conversations", note: "", right, right_style, focus, surface: Surface::Panel };
    pane.render(area, frame.buffer_mut(), theme, spacing);
    let inner = spacing.pane(area).content;
    // Without surfaces, the pane has a line at its right side.
    let width = usize::from(area.width.saturating_sub(2).min(inner.width));
    if filter.is_shown() {
        let found = FindBar::found(state.list.items.found_count());
        filter.render(frame, Rect { width: width as u16, height: 1, ..inner }, &found, theme);
    } else {
        frame.buffer_mut().set_stringn(inner.x, inner.y, cut("/ filter", width), width, theme.faint);
    }
    let list = &state.list.items;
    if list.shows_nothing() {
        let words = match (state.list.loaded, filter.text().is_empty()) {
            (false, _) => "… loading",
            (true, true) if session.unsaved.is_some() => "cannot be read",
            (true, true) => "none yet",
            (true, false) => "nothing matches",
        };
        frame.buffer_mut().set_stringn(inner.x, place.y, words, width, theme.muted);
    }
    let spin = meter::spinner(state.animation.elapsed(now), session.motion);
    let (top, count, selected) = (list.top(), list.line_count(), list.selected_line());
    for (at, y) in (top..count).zip(place.y..place.bottom()) {
        let Some(line) = list.line(at) else { break };
        let chosen = focus && selected == Some(at);
        let canvas = Canvas { area: Rect { y, height: 1, ..place }, buf: frame.buffer_mut(), theme };
        if spacing.has_surfaces() {
            list_rows::render_on_panel(canvas, line, state, &list_rows::RowLook { chosen, spin, side: spacing.side() });
        } else {
            list_rows::render(canvas, line, state, chosen, spin);
        }
        if chosen && !filter.is_typing() {
            frame.set_cursor_position(Position::new(place.x, y));
        }
    }
    mark_more(frame.buffer_mut(), place, &(top..top + usize::from(place.height)), count, theme);
    if !spacing.has_surfaces() {
        let foot = cut("n new  b hide", width);
        frame.buffer_mut().set_stringn(area.x + 1, area.bottom() - 1, foot, width, theme.muted);
    }
}
