//! What the user does with the mouse.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use super::mouse_selection::MouseSelection;
use super::{App, Effect};

impl App {
    /// Handles the mouse: a click on the header goes to a tab, everything else is the tab's.
    pub(super) fn handle_mouse(&mut self, event: MouseEvent) {
        if self.select_with_mouse(event) || self.dialogs.is_open() {
            return;
        }
        if event.row == self.area.y {
            if matches!(event.kind, MouseEventKind::Down(_))
                && let Some(index) = self.tab_at(event.column)
            {
                self.go_to_tab(index);
            }
            return;
        }
        if !self.lacks_endpoint() {
            self.with_tab(self.front, |tab, cx| tab.mouse(event, cx));
        }
    }

    /// Selects text while the mouse is dragged, and copies it when the button is released. Returns whether the event
    /// belongs to that.
    fn select_with_mouse(&mut self, event: MouseEvent) -> bool {
        let at = Position::new(event.column, event.row);
        match event.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                (self.input.mouse_down_at, self.input.selection) = (Some(at), None);
                false
            }
            MouseEventKind::Drag(MouseButton::Left) => {
                let Some(pressed) = self.input.mouse_down_at else { return true };
                if !self.dialogs.is_open() && !self.lacks_endpoint() && self.tabs[self.front].selects_from(pressed) {
                    return false;
                }
                let begun = self.input.selection.or_else(|| {
                    let (screen, panes) = self.drawn();
                    MouseSelection::new(pressed, screen.area, &panes)
                });
                self.input.selection = begun.map(|selection| selection.extended(at));
                true
            }
            MouseEventKind::Up(MouseButton::Left) => {
                self.input.mouse_down_at = None;
                let Some(selection) = self.input.selection.take() else { return false };
                let text = selection.text(&self.drawn().0);
                if !text.is_empty() {
                    self.effects.push(Effect::Copy(text.into()));
                }
                true
            }
            _ => false,
        }
    }
}
