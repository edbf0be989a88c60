//! Rows of the conversation list.

use unicode_width::UnicodeWidthStr;

use super::conversation_list::ListRow;
use super::state::{ChatPane, State};
use crate::ui::canvas::Canvas;
use crate::ui::rule::cut;

/// Draws one row; `chosen`: the cursor is on it and the pane has the keys.
pub(super) fn render(canvas: Canvas, row: &ListRow, state: &State, chosen: bool, spin: &str) {
    let Canvas { area, buf, theme } = canvas;
    let width = usize::from(area.width);
    match row {
        ListRow::Section(name) => {
            buf.set_stringn(area.x + 1, area.y, name, width, theme.muted);
        }
        ListRow::Trash(count) => {
            let style = if chosen { theme.text.patch(theme.select) } else { theme.muted };
            let mark = if state.list.items.is_trash_open() { "▾" } else { "▸" };
            buf.set_stringn(area.x + 1, area.y, format!("{mark} Trash ({count})"), width, style);
        }
        ListRow::Item { id, title, trashed } => {
            let open = *id == state.open;
            let style = if *trashed { theme.faint } else { theme.text };
            // The open one is marked; where the keys are, the row they act on is filled.
            let filled = chosen || (open && state.focus != ChatPane::List);
            let style = if filled { style.patch(theme.select) } else { style };
            let busy = state.is_streaming(*id);
            let space = width.saturating_sub(4);
            let title = cut(&title.line(), space);
            let pad = space.saturating_sub(title.width());
            let mark = if open || chosen { "▌" } else { " " };
            buf.set_stringn(area.x + 1, area.y, mark, 1, theme.accent);
            buf.set_stringn(area.x + 2, area.y, format!("{title}{}", " ".repeat(pad)), space, style);
            let (mark, style) = match (busy, state.list.unseen.get(id)) {
                (true, _) => (if spin == "…" { "●" } else { spin }, theme.busy),
                (false, Some(true)) => ("✕", theme.bad),
                (false, Some(false)) => ("✓", theme.good),
                (false, None) => return,
            };
            buf.set_stringn(area.x + 2 + space as u16, area.y, mark, 1, style);
        }
    }
}
