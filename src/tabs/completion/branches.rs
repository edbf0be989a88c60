//! The small tree of candidates: what the text was before them, and the beginning of each.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::state::State;
use crate::record::Id;
use crate::ui::list::{Cursor, mark_more};
use crate::ui::pane;
use crate::ui::rule::cut;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Bytes of a text that are looked at.
const BEGINNING: usize = 160;

/// The candidates for the last generated part.
pub(super) struct Branches {
    /// The position in the buffer where they begin.
    at: usize,
    /// Oldest first.
    all: Vec<Id>,
    /// Which of them stands in the text.
    current: usize,
}

impl Branches {
    /// Returns the candidates; `None`: nothing is generated.
    pub(super) fn of(state: &State) -> Option<Self> {
        let history = &state.text.history;
        let id = history.last_generated()?;
        let all = history.candidates(id);
        let current = all.iter().position(|other| *other == id)?;
        Some(Self { at: history.step(id)?.at as usize, all, current })
    }

    /// Returns the rows it needs: the text before them, and one each.
    pub(super) fn rows(&self) -> u16 {
        self.all.len() as u16 + 1
    }

    /// Returns `branch 2 of 3`; empty: there is one.
    pub(super) fn words(&self) -> String {
        if self.all.len() < 2 {
            return String::new();
        }
        format!("branch {} of {}", self.current + 1, self.all.len())
    }

    /// Draws it, the candidate that stands in the text in view.
    pub(super) fn render(&self, frame: &mut Frame, area: Rect, state: &State, theme: &Theme) {
        let area = area.intersection(frame.area());
        if area.height < 2 || area.width < 8 {
            return;
        }
        let buffer = &state.text.buffer;
        let before = buffer.slice(0..self.at.min(BEGINNING).min(buffer.len()));
        line(frame, Rect { height: 1, ..area }, ("┬ ", &before), false, theme);
        let list = Rect { y: area.y + 1, height: area.height - 1, ..area };
        let mut cursor = Cursor { selected: self.current, ..Cursor::default() };
        let window = cursor.window(usize::from(list.height), self.all.len());
        for (at, y) in window.clone().zip(list.y..) {
            let sign = if at + 1 == self.all.len() { "╰─ " } else { "├─ " };
            let text = state.text.history.step(self.all[at]).map(|step| step.inserted.screen());
            let text = text.as_deref().unwrap_or_default();
            let text = &text[..text.floor_char_boundary(BEGINNING)];
            line(frame, Rect { y, height: 1, ..list }, (sign, text), at == self.current, theme);
        }
        mark_more(frame.buffer_mut(), list, &window, self.all.len(), theme);
    }
}

/// Draws the beginning of a text after its sign.
fn line(frame: &mut Frame, area: Rect, (sign, text): (&str, &str), is_selected: bool, theme: &Theme) {
    let buf = frame.buffer_mut();
    let on = |style| if is_selected { theme.select.patch(style) } else { style };
    let look = on(if is_selected { theme.text } else { theme.muted });
    if is_selected {
        // The focus is never here.
        pane::highlight(buf, area, theme, false);
    }
    // With surfaces it is as wide as its pane.
    let pad = if theme.kind.has_surfaces() { 2 } else { 1 };
    let width = usize::from(area.width - if pad > 1 { 2 * pad } else { pad });
    buf.set_stringn(area.x + pad, area.y, sign, width, on(theme.faint));
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = if text.is_empty() { "(no text)".to_owned() } else { text };
    let room = width.saturating_sub(wrap::width(sign));
    buf.set_stringn(area.x + pad + wrap::width(sign) as u16, area.y, cut(&text, room), room, look);
}
