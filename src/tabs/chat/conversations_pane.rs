//! The pane with all conversations: its rows, its cursor, whether it is on the screen.

use std::collections::{HashMap, HashSet};

use super::conversation_list::{ConversationList, ListRow};
use crate::component::{Cx, FindBar, Motion};
use crate::record::{Head, Id};
use crate::ui::list::Cursor;
use crate::ui::time::Zone;

/// The pane with all conversations.
#[derive(Debug, Default)]
pub(super) struct ConversationsPane {
    pub(super) items: ConversationList,
    /// The words that the list is filtered by.
    pub(super) filter: FindBar,
    pub(super) cursor: Cursor,
    /// Whether they have come from the store.
    pub(super) loaded: bool,
    /// Whether it is hidden where there is room for it beside the rest.
    pub(super) hidden: bool,
    /// Whether it is open as a drawer where there is not.
    pub(super) drawer: bool,
    /// Wall clock as of the last tick, Unix milliseconds: the list's days are counted from it.
    now_ms: i64,
    zone: Zone,
    /// Deleted for good in this run.
    purged: HashSet<Id>,
    /// Conversations whose answer ended while nobody saw them, and whether it failed.
    pub(super) unseen: HashMap<Id, bool>,
}

impl ConversationsPane {
    /// Takes the time of an event.
    pub(super) fn sync(&mut self, cx: &Cx) {
        self.now_ms = cx.unix_ms;
        self.zone.clone_from(&cx.session.zone);
    }

    /// Returns the rows as they are shown.
    pub(super) fn rows(&self) -> &[ListRow] {
        self.items.rows(self.now_ms, &self.zone)
    }

    /// Returns how a moment is called now: in six columns, with blanks after.
    pub(super) fn age_label(&self, unix_ms: i64) -> String {
        self.zone.when_short(unix_ms, self.now_ms)
    }

    /// Returns the row under the cursor.
    pub(super) fn row(&self) -> Option<&ListRow> {
        self.rows().get(self.cursor.selected)
    }

    /// Returns the conversation under the cursor, and whether it is in the trash.
    pub(super) fn selected(&self) -> Option<(Id, bool)> {
        match self.row()? {
            ListRow::Item { id, trashed, .. } => Some((*id, *trashed)),
            ListRow::Section(_) | ListRow::Trash(_) => None,
        }
    }

    /// Returns whether the cursor is on the trash itself.
    pub(super) fn is_on_trash(&self) -> bool {
        matches!(self.row(), Some(ListRow::Trash(_)))
    }

    /// Returns the conversation under the cursor, if it is in the trash.
    pub(super) fn trashed(&self) -> Option<Id> {
        self.selected().filter(|(_, trashed)| *trashed).map(|(id, _)| id)
    }

    /// Puts the cursor on a conversation if the list shows it, else on a row near where it was.
    pub(super) fn point_at(&mut self, id: Id) {
        let at = self.rows().iter().position(|row| matches!(row, ListRow::Item { id: other, .. } if *other == id));
        self.cursor.selected = at.unwrap_or(self.cursor.selected);
        self.settle_cursor();
    }

    /// Changes the list; the cursor stays on the conversation it is on.
    fn update_list(&mut self, change: impl FnOnce(&mut ConversationList)) {
        let on = self.selected();
        change(&mut self.items);
        if let Some((id, _)) = on {
            self.point_at(id);
        }
    }

    /// Puts a conversation's line in its place.
    pub(super) fn put(&mut self, head: Head) {
        self.update_list(|items| items.put(head));
    }

    /// Shows all conversations again.
    pub(super) fn clear_filter(&mut self) {
        self.filter.clear();
        self.update_list(|items| items.filter(""));
        self.settle_cursor();
    }

    /// Takes the conversations whose text holds these words, each with the turn that does; what was found for other
    /// words than those of the filter comes too late.
    pub(super) fn found(&mut self, words: &str, found: HashMap<Id, Id>) {
        if words == self.filter.text() {
            self.update_list(|items| items.found(found));
            self.settle_cursor();
        }
    }

    /// Takes in what the store has, but for what is `in_use`, which is newer here.
    pub(super) fn merge(&mut self, mut heads: Vec<Head>, in_use: impl Fn(Id) -> bool) {
        self.loaded = true;
        heads.retain(|head| !self.purged.contains(&head.conversation.id));
        self.update_list(|items| items.merge(heads, in_use));
    }

    /// Keeps these in the list whatever the filter is.
    pub(super) fn keep_in(&mut self, ids: Vec<Id>) {
        let on = self.selected();
        if self.items.keep_in(ids)
            && let Some((id, _)) = on
        {
            self.point_at(id);
        }
    }

    /// Takes out a conversation that is deleted for good.
    pub(super) fn purge(&mut self, id: Id) {
        self.items.remove(id);
        self.unseen.remove(&id);
        self.purged.insert(id);
    }

    /// Puts the cursor on a row that can be acted on, near where it was, after the rows have changed.
    pub(super) fn settle_cursor(&mut self) {
        let rows = self.items.rows(self.now_ms, &self.zone);
        let at = self.cursor.selected.min(rows.len().saturating_sub(1));
        // The title of a section is never the last row.
        let on_section = matches!(rows.get(at), Some(ListRow::Section(_)));
        self.cursor.selected = at + usize::from(on_section);
    }

    /// Moves the cursor.
    pub(super) fn move_cursor(&mut self, motion: Motion) {
        match motion {
            Motion::First => {
                self.cursor.selected = 0;
                self.settle_cursor();
            }
            Motion::Last => self.cursor.selected = self.rows().len().saturating_sub(1),
            Motion::Up | Motion::PageUp | Motion::HalfUp => self.move_by(-1),
            Motion::Down | Motion::PageDown | Motion::HalfDown => self.move_by(1),
        }
    }

    /// Moves the cursor by a row, over section titles.
    fn move_by(&mut self, by: isize) {
        let rows = self.items.rows(self.now_ms, &self.zone);
        let cursor = &mut self.cursor;
        let is_section = |at: usize| matches!(rows.get(at), Some(ListRow::Section(_)));
        let step = if by < 0 { -1 } else { 1 };
        cursor.by(step, rows.len());
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
