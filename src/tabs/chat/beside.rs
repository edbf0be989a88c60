//! Versions of a message side by side.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::state::State;
use crate::record::Id;
use crate::text;
use crate::ui::rule::Rule;
use crate::ui::theme::Theme;

/// All versions of a turn, a column each.
pub(super) fn render(frame: &mut Frame, area: Rect, state: &State, turn: Id, theme: &Theme) {
    let tree = &state.room().tree;
    let siblings = tree.siblings(turn);
    let columns = siblings.len().min(usize::from(area.width / 30).max(1));
    let at = siblings.iter().position(|id| *id == turn).unwrap_or(0);
    let first = at.saturating_sub(columns - 1).min(siblings.len() - columns);
    let width = area.width / columns as u16;
    for (nth, id) in siblings[first..first + columns].iter().enumerate() {
        let column = Rect { x: area.x + nth as u16 * width, width, ..area };
        let title = format!("{} of {}", first + nth + 1, siblings.len());
        Rule { title: &title, right: "", right_style: theme.muted, focus: *id == turn }.render(
            column,
            frame.buffer_mut(),
            theme,
        );
        let content = tree.turn(*id).map_or("… loading", |turn| turn.content.as_str());
        let inner = Rect {
            x: column.x + 1,
            y: column.y + 1,
            width: column.width.saturating_sub(2),
            height: column.height.saturating_sub(1),
        };
        let mut y = inner.y;
        for line in content.lines() {
            let line = text::line(line);
            let mut rows = Vec::new();
            crate::ui::wrap::rows(&line, usize::from(inner.width.max(1)), |range| rows.push(line[range].to_owned()));
            for row in rows {
                if y >= inner.bottom() {
                    break;
                }
                frame.buffer_mut().set_stringn(inner.x, y, row, usize::from(inner.width), theme.text);
                y += 1;
            }
        }
    }
}
