//! What the mouse does in the tab.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use super::Chat;
use super::state::ChatPane;
use crate::component::Cx;
use crate::tabs::tab::WHEEL_ROWS;

impl Chat {
    /// Scrolls the pane under the mouse, or gives it the keys.
    pub(super) fn handle_mouse(&mut self, event: MouseEvent, cx: &mut Cx) {
        let at = Position::new(event.column, event.row);
        let Some(pane) = self.view.pane(at) else { return };
        match event.kind {
            MouseEventKind::ScrollUp => self.scroll_pane(pane, -1, cx),
            MouseEventKind::ScrollDown => self.scroll_pane(pane, 1, cx),
            MouseEventKind::Down(MouseButton::Left) => self.press_pane(pane, at, cx),
            _ => {}
        }
    }

    /// Scrolls by steps of the wheel: in the list one conversation each, elsewhere [`WHEEL_ROWS`] rows.
    fn scroll_pane(&mut self, pane: ChatPane, steps: isize, cx: &mut Cx) {
        let rows = steps * WHEEL_ROWS;
        if pane == ChatPane::List {
            self.state.list.scroll(steps);
        } else if let Some(comparison) = self.view.comparison() {
            comparison.scroll(rows);
        } else {
            self.view.transcript().scroll(rows);
            if self.view.borrow_transcript().wants_older() {
                self.state.load_turns(self.state.open, cx);
            }
        }
    }

    fn press_pane(&mut self, pane: ChatPane, at: Position, cx: &mut Cx) {
        self.state.focus = pane;
        match pane {
            ChatPane::Composer => {
                self.state.composer.editor.click(at);
            }
            ChatPane::Transcript => self.view.transcript_view().click(at),
            ChatPane::List => {
                if let Some(id) = self.state.list.press(at) {
                    self.state.open_row(id, cx);
                    // Opening a conversation gives another pane the keys; after a press they stay in the list.
                    self.state.focus = ChatPane::List;
                }
            }
            ChatPane::Params | ChatPane::Probabilities => {}
        }
    }
}
