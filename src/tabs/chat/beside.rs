//! Versions of a message side by side.

use ratatui::Frame;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use super::state::State;
use crate::record::Id;
use crate::ui::meter;
use crate::ui::rule::Rule;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Columns a version has at least.
const NARROWEST: u16 = 30;

/// What is shown side by side: all versions of a turn, from a row on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beside {
    /// The version in use.
    pub(super) turn: Id,
    /// The first row shown of each.
    top: usize,
    /// Rows below the last one shown of the longest, as of the last frame.
    below: usize,
}

impl Beside {
    pub(super) fn of(turn: Id) -> Self {
        Self { turn, top: 0, below: 0 }
    }

    /// Moves all columns by rows.
    pub(super) fn scroll(&mut self, rows: isize) {
        self.top = self.top.saturating_add_signed(rows.min(self.below as isize));
    }

    /// Draws all versions, a column each; where there is no room for all, those around the one in use.
    pub(super) fn render(&mut self, frame: &mut Frame, area: Rect, state: &State, theme: &Theme) {
        if area.height < 3 {
            return;
        }
        let tree = &state.room().tree;
        let siblings = tree.siblings(self.turn);
        let Some(at) = siblings.iter().position(|id| *id == self.turn) else { return };
        let columns = siblings.len().min(usize::from(area.width / NARROWEST).max(1));
        let first = at.saturating_sub(columns - 1).min(siblings.len() - columns);
        let width = area.width / columns as u16;
        self.below = 0;
        for (nth, id) in siblings[first..first + columns].iter().enumerate() {
            let column = Rect { x: area.x + nth as u16 * width, width, ..area };
            let title = format!("{} of {}", first + nth + 1, siblings.len());
            Rule { title: &title, right: "", right_style: theme.muted, focus: *id == self.turn }.render(
                column,
                frame.buffer_mut(),
                theme,
            );
            let inner = Rect {
                x: column.x + 1,
                y: column.y + 1,
                width: column.width.saturating_sub(2),
                height: column.height.saturating_sub(2),
            };
            let content = tree.turn(*id).map_or("… loading".into(), |turn| turn.content.screen());
            let below = draw(frame, inner, &content, self.top, theme);
            self.below = self.below.max(below);
            if below > 0 {
                let words = format!("↓ {} more", meter::count(below as u64));
                let x = inner.right().saturating_sub(words.width() as u16).max(inner.x);
                frame.buffer_mut().set_stringn(x, inner.bottom(), &words, usize::from(inner.width), theme.muted);
            }
        }
    }
}

/// Draws a text that is safe for the screen from a row on; the rows left below.
fn draw(frame: &mut Frame, area: Rect, content: &str, top: usize, theme: &Theme) -> usize {
    let (mut row, mut below) = (0_usize, 0);
    for line in content.lines() {
        wrap::rows(line, usize::from(area.width.max(1)), |range| {
            match row.checked_sub(top) {
                None => {}
                Some(at) if at < usize::from(area.height) => {
                    let y = area.y + at as u16;
                    frame.buffer_mut().set_stringn(area.x, y, &line[range], usize::from(area.width), theme.text);
                }
                Some(_) => below += 1,
            }
            row += 1;
        });
    }
    below
}
