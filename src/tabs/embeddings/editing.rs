//! Changes the texts of the list: adds, rewrites, deletes and moves them, and undoes that; and whether their newlines
//! are sent unchanged.

use super::embedded_list::EmbeddedList;
use super::keys::{TypingAction, typing};
use super::list_storage::UndoEntry;
use super::pane_data::TextItem;
use super::state::State;
use crate::component::{Bindings, Cx, Effect, Notice};
use crate::record::vectors::MATRIX;
use crate::record::{Id, TextKey};
use crate::text::Untrusted;
use crate::ui::editor::Editor;

/// A text being typed.
#[derive(Debug)]
pub(super) struct RowEditor {
    /// The text that is changed; `None`: a new one, at the end.
    pub(super) row: Option<usize>,
    pub(super) editor: Editor,
    /// Whether Enter inserts a newline and Alt+Enter takes the text.
    pub(super) enter_newline: bool,
}

impl RowEditor {
    pub(super) fn bindings(&self) -> &'static Bindings<TypingAction, State> {
        typing(self.enter_newline)
    }
}

/// A text that is added.
#[derive(Clone, Debug, Default)]
pub(super) struct NewText {
    pub(super) name: Untrusted,
    pub(super) text: Untrusted,
    pub(super) label: Option<Untrusted>,
}

impl From<Untrusted> for NewText {
    fn from(text: Untrusted) -> Self {
        Self { text, ..Self::default() }
    }
}

impl EmbeddedList {
    /// Returns whether the list may be changed here, which is said if not.
    pub(super) fn can_change(&self, cx: &mut Cx) -> bool {
        let fits = self.data.texts.len() <= MATRIX;
        if !fits {
            cx.notify(Notice::warn(
                "a list of more than 2,000 texts cannot be edited; change its file and open it again",
            ));
        } else if self.storage.is_imported() {
            cx.notify(Notice::warn("these texts came with their vectors; choose a model (M) to edit them"));
        }
        fits && !self.storage.is_imported()
    }

    /// Returns whether so many texts may be added, which is said if not.
    pub(super) fn can_add(&self, texts: usize, cx: &mut Cx) -> bool {
        if !self.can_change(cx) {
            return false;
        }
        let fits = self.data.texts.len() + texts <= MATRIX;
        if !fits {
            cx.notify(Notice::warn("a typed list holds at most 2,000 texts; save these to a file and open it with f"));
        }
        fits
    }

    /// Adds texts at the end; the cursor goes to the first of them. Returns whether there were any that are not empty.
    pub(super) fn add(&mut self, texts: Vec<NewText>, cx: &mut Cx) -> bool {
        let first = self.data.texts.last().map_or(0, |text| text.place + 1);
        let texts = (first..).zip(texts.into_iter().filter(|new| !new.text.is_empty()));
        let item = |(place, NewText { name, text, label })| {
            let (id, sent) = (cx.id(), TextKey::of(&self.sent(&text)));
            TextItem { id, place, name, text, label, sent, tokens: None }
        };
        let new: Vec<TextItem> = texts.map(item).collect();
        if new.is_empty() {
            return false;
        }
        let ids: Vec<Id> = new.iter().map(|text| text.id).collect();
        self.change_texts(|texts| texts.extend(new));
        self.storage.touch_rows(ids.iter().copied());
        let first = self.data.texts.len() - ids.len();
        // A pair is two texts, where there are two.
        let other = (first == self.data.cursor.1).then_some(if first == 0 { 1 } else { first - 1 });
        self.move_cursor(first, other.filter(|other| *other < self.data.texts.len()));
        self.storage.remember(UndoEntry::Added(ids));
        true
    }

    /// Replaces the words of a text; empty words change nothing. Returns whether the text has changed.
    pub(super) fn rewrite(&mut self, row: usize, text: Untrusted) -> bool {
        let Some(old) = self.data.texts.get(row) else { return false };
        if old.text == text || text.is_empty() {
            return false;
        }
        let (id, before) = (old.id, old.text.clone());
        self.reword(row, text);
        self.storage.remember(UndoEntry::Edited(id, before));
        self.storage.touch_rows([id]);
        true
    }

    fn reword(&mut self, row: usize, text: Untrusted) {
        let sent = TextKey::of(&self.sent(&text));
        self.change_texts(|texts| {
            let old = &mut texts[row];
            (old.text, old.sent, old.tokens) = (text, sent, None);
        });
    }

    /// Deletes the text under the cursor. Returns whether there was one that may be deleted.
    pub(super) fn delete(&mut self, cx: &mut Cx) -> bool {
        let row = self.data.cursor.0;
        if row >= self.data.texts.len() || !self.can_change(cx) {
            return false;
        }
        let text = self.change_texts(|texts| texts.remove(row));
        cx.notify(Notice::info("deleted; u restores it").about("texts"));
        self.storage.delete_row(text.id);
        self.storage.remember(UndoEntry::Deleted(row, text));
        true
    }

    /// Moves the text under the cursor by one row. Returns whether it could move.
    pub(super) fn shift(&mut self, down: bool, cx: &mut Cx) -> bool {
        let from = self.data.cursor.0;
        let to = if down { from + 1 } else { from.wrapping_sub(1) };
        if to >= self.data.texts.len() || from >= self.data.texts.len() || !self.can_change(cx) {
            return false;
        }
        self.exchange(from, to);
        self.storage.remember(UndoEntry::Moved(from, to));
        self.move_cursor(to, None);
        true
    }

    fn exchange(&mut self, one: usize, other: usize) {
        let ids = self.change_texts(|texts| {
            texts.swap(one, other);
            let place = texts[one].place;
            texts[one].place = texts[other].place;
            texts[other].place = place;
            [texts[one].id, texts[other].id]
        });
        self.storage.touch_rows(ids);
    }

    /// Takes back the last change. Returns whether there was one.
    pub(super) fn undo(&mut self, cx: &mut Cx) -> bool {
        let Some(last) = self.storage.undo.pop() else {
            cx.notify(Notice::info("there is nothing to undo in this list"));
            return false;
        };
        // The notice that it is deleted.
        cx.push(Effect::ResolveNotice("texts"));
        match last {
            UndoEntry::Added(ids) => {
                self.change_texts(|texts| texts.retain(|text| !ids.contains(&text.id)));
                for id in ids {
                    self.storage.delete_row(id);
                }
            }
            UndoEntry::Deleted(row, text) => {
                let row = row.min(self.data.texts.len());
                self.storage.restore_row(text.id);
                self.change_texts(|texts| texts.insert(row, text));
                self.move_cursor(row, None);
            }
            UndoEntry::Edited(id, text) => {
                if let Some(row) = self.data.texts.iter().position(|text| text.id == id) {
                    self.reword(row, text);
                    self.storage.touch_rows([id]);
                    self.move_cursor(row, None);
                }
            }
            UndoEntry::Moved(one, other) => {
                if one.max(other) < self.data.texts.len() {
                    self.exchange(one, other);
                    self.move_cursor(one, None);
                }
            }
        }
        true
    }

    /// Sends newlines as spaces from now on, or as they are. Returns whether that could be changed.
    pub(super) fn toggle_newlines(&mut self, cx: &mut Cx) -> bool {
        if self.storage.is_imported() {
            cx.notify(Notice::info("imported texts are not sent to the server"));
            return false;
        }
        self.keep_newlines = !self.keep_newlines;
        let said = if self.keep_newlines {
            "newlines are sent unchanged"
        } else {
            "newlines are sent as spaces, as the API recommends"
        };
        cx.notify(Notice::ok(said).about("newlines"));
        self.update_sent_texts();
        true
    }
}
