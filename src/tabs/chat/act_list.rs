//! What acts on the list of conversations.

use super::Chat;
use super::keys::Action;
use super::list::Row;
use super::state::Focus;
use crate::component::{Cx, Notice};
use crate::record::Id;

impl Chat {
    pub(super) fn side_list(&mut self, cx: &mut Cx) {
        let state = &mut self.state;
        if super::view::is_wide(cx.session.area) {
            state.list_hidden = !state.list_hidden;
            if state.list_hidden && state.focus == Focus::List {
                state.focus = Focus::Transcript;
            }
        } else {
            state.drawer = !state.drawer;
            state.focus = if state.drawer { Focus::List } else { Focus::Transcript };
            state.point_at(state.open);
        }
        state.load_list(cx);
    }

    pub(super) fn act_in_list(&mut self, action: Action, cx: &mut Cx) {
        let row = self.state.list().get(self.state.cursor.selected).cloned();
        let item = match &row {
            Some(Row::Item { id, trashed, .. }) => Some((*id, *trashed)),
            _ => None,
        };
        match (action, item) {
            (Action::Down, _) => self.walk(1),
            (Action::Up, _) => self.walk(-1),
            (Action::Top, _) => {
                self.state.cursor.selected = 0;
                self.walk(0);
            }
            (Action::Bottom, _) => self.state.cursor.selected = self.state.list().len().saturating_sub(1),
            (Action::Open, Some((id, _))) => self.state.open_row(id, cx),
            (Action::Open, None) if matches!(row, Some(Row::Trash(_))) => {
                self.state.shelf.toggle_trash();
            }
            (Action::Rename, Some((id, _))) => self.state.open_rename(id),
            (Action::Trash, Some((id, false))) => self.state.trash(id, true, cx),
            (Action::Purge, Some((id, true))) => self.state.open_purge(id),
            (Action::Purge, _) => cx.notify(Notice::warn("this acts on a conversation in the trash")),
            _ => {}
        }
    }

    /// Whether the list's cursor is on the trash itself.
    pub(super) fn on_trash(&self) -> bool {
        matches!(self.state.list().get(self.state.cursor.selected), Some(Row::Trash(_)))
    }

    /// The conversation under the list's cursor, if it is in the trash.
    pub(super) fn trashed_row(&self) -> Option<Id> {
        match self.state.list().get(self.state.cursor.selected) {
            Some(Row::Item { id, trashed: true, .. }) => Some(*id),
            _ => None,
        }
    }

    /// Moves in the list, over section titles.
    pub(super) fn walk(&mut self, by: isize) {
        let state = &mut self.state;
        let rows = state.shelf.rows(state.unix_ms);
        let cursor = &mut state.cursor;
        let is_section = |at: usize| matches!(rows.get(at), Some(Row::Section(_)));
        let step = if by < 0 { -1 } else { 1 };
        if by != 0 {
            cursor.by(step, rows.len());
        }
        let before = cursor.selected;
        while is_section(cursor.selected) {
            cursor.by(step, rows.len());
            if cursor.selected == 0 || cursor.selected + 1 == rows.len() {
                break;
            }
        }
        if is_section(cursor.selected) {
            cursor.selected = (before + 1).min(rows.len().saturating_sub(1));
        }
    }
}
