//! Rows of the conversation list.

use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;
use unicode_width::UnicodeWidthStr;

use super::conversation_list::{ListLine, is_trashed, label};
use super::state::{ChatPane, State};
use crate::record::Id;
use crate::ui::canvas::Canvas;
use crate::ui::pane;
use crate::ui::rule::cut;
use crate::ui::theme::Theme;

/// Draws one line; `chosen`: the cursor is on it and the pane has the keys.
pub(super) fn render(canvas: Canvas, line: ListLine, state: &State, chosen: bool, spin: &str) {
    let Canvas { area, buf, theme } = canvas;
    let width = usize::from(area.width);
    match line {
        ListLine::Section(name) => {
            buf.set_stringn(area.x + 1, area.y, name, width, theme.muted);
        }
        ListLine::Trash(count, unfolded) => {
            let style = if chosen { theme.text.patch(theme.select) } else { theme.muted };
            buf.set_stringn(area.x + 1, area.y, trash(count, unfolded), width, style);
        }
        ListLine::Conversation(head) => {
            let id = head.conversation.id;
            let open = id == state.open;
            let style = if is_trashed(head) { theme.faint } else { theme.text };
            // The open conversation is marked; while the list has the keys, the row under the cursor is filled.
            let style = if chosen { style.patch(theme.select) } else { style };
            let space = width.saturating_sub(4);
            let title = cut(&label(&head.conversation).line(), space);
            let pad = space.saturating_sub(title.width());
            let mark = if open || chosen { "▌" } else { " " };
            buf.set_stringn(area.x + 1, area.y, mark, 1, theme.accent);
            buf.set_stringn(area.x + 2, area.y, format!("{title}{}", " ".repeat(pad)), space, style);
            if let Some((mark, style)) = state_mark(id, state, spin, theme) {
                buf.set_stringn(area.x + 2 + space as u16, area.y, mark, 1, style);
            }
        }
    }
}

/// Returns the words for the trash itself.
fn trash(count: usize, unfolded: bool) -> String {
    format!("{} Trash ({count})", if unfolded { "▾" } else { "▸" })
}

/// Returns the mark of a conversation that works, or has ended its work unseen.
fn state_mark<'a>(id: Id, state: &State, spin: &'a str, theme: &Theme) -> Option<(&'a str, Style)> {
    Some(match (state.is_streaming(id), state.list.unseen.get(&id)) {
        (true, _) => (if spin == "…" { "●" } else { spin }, theme.busy),
        (false, Some(true)) => ("✕", theme.bad),
        (false, Some(false)) => ("✓", theme.good),
        (false, None) => return None,
    })
}

/// How a row of the list is drawn.
pub(super) struct RowLook<'a> {
    /// Whether the cursor is on it and the pane has the keys.
    pub(super) chosen: bool,
    pub(super) spin: &'a str,
    /// Blank columns at each side.
    pub(super) side: u16,
}

/// Draws one line of a pane with a background: the title, at its right when that was, or what it does.
pub(super) fn render_on_panel(canvas: Canvas, line: ListLine, state: &State, look: &RowLook) {
    let Canvas { area, buf, theme } = canvas;
    let side = look.side.min(area.width / 2);
    let inner = Rect { x: area.x + side, width: area.width - 2 * side, ..area };
    let width = usize::from(inner.width);
    match line {
        ListLine::Section(name) => pane::heading(name, theme).render(inner, buf),
        ListLine::Trash(count, unfolded) => {
            if look.chosen {
                pane::highlight(buf, area, theme, true);
            }
            buf.set_stringn(inner.x, area.y, trash(count, unfolded), width, theme.muted);
        }
        ListLine::Conversation(head) => {
            let id = head.conversation.id;
            let open = id == state.open;
            // While the list has the keys, the row under the cursor is filled; else that of the open conversation.
            if look.chosen || open && state.focus != ChatPane::List {
                pane::highlight(buf, area, theme, look.chosen);
            } else if open {
                buf.set_stringn(area.x, area.y, "▌", 1, theme.faint);
            }
            let when = state.list.items.age_label(head.conversation.updated_ms);
            let right = state_mark(id, state, look.spin, theme).unwrap_or((when.trim_end(), theme.faint));
            let room = width.saturating_sub(right.0.width() + 1);
            let style = match (open || look.chosen, is_trashed(head)) {
                (true, _) => theme.text,
                (false, true) => theme.faint,
                (false, false) => theme.muted,
            };
            buf.set_stringn(inner.x, area.y, cut(&label(&head.conversation).line(), room), room, style);
            let x = inner.right().saturating_sub(right.0.width() as u16);
            buf.set_stringn(x, area.y, right.0, right.0.width(), right.1);
        }
    }
}
