//! What the mouse does in the tab.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use super::layout::PaneTarget;
use super::panes::PaneFocus;
use super::state::State;
use crate::component::{Cx, Motion};

/// What the mouse did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PointerAction {
    Press,
    Scroll(Motion),
}

impl State {
    /// Gives the keys to the pane that was pressed, and moves the cursor to the row that was pressed; the wheel moves
    /// the cursor.
    pub(super) fn handle_mouse(&mut self, event: MouseEvent, cx: &mut Cx) {
        let Some(target) = self.panes.layout.at(Position::new(event.column, event.row)) else { return };
        let action = match event.kind {
            MouseEventKind::ScrollUp => PointerAction::Scroll(Motion::Up),
            MouseEventKind::ScrollDown => PointerAction::Scroll(Motion::Down),
            MouseEventKind::Down(MouseButton::Left) => PointerAction::Press,
            _ => return,
        };
        match target {
            PaneTarget::Preview => {
                let Some((_, preview)) = &mut self.preview.open else { return };
                match action {
                    PointerAction::Press => self.panes.focus = PaneFocus::Preview,
                    PointerAction::Scroll(motion) => preview.wheel(motion, cx),
                }
            }
            PaneTarget::Transfers(row) => {
                self.panes.focus = PaneFocus::Transfers;
                match action {
                    // Row 0 is the title.
                    PointerAction::Press if row == 0 => {}
                    PointerAction::Press => {
                        self.transfers.cursor.selected = self.transfers.cursor.top + usize::from(row) - 1;
                    }
                    PointerAction::Scroll(motion) => self.move_cursor(motion),
                }
            }
            PaneTarget::List(side, row) => {
                self.panes.focus_list(side);
                match action {
                    PointerAction::Press if row == 0 => {}
                    PointerAction::Press => {
                        let (view, len) = self.list();
                        let at = view.cursor.top + usize::from(row) - 1;
                        view.cursor.selected = at.min(len.saturating_sub(1));
                    }
                    PointerAction::Scroll(motion) => self.move_cursor(motion),
                }
            }
        }
        self.preview.preview_after_rest(cx.now);
    }
}
