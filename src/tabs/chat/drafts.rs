//! What is being written: kept while it is typed, and other drafts of the same conversation.

use super::state::{LAST, State};
use crate::component::{Cx, Notice};
use crate::record::{Id, Record};

impl State {
    /// Keeps the composer's text and the system prompt, as far as they are others than those kept. A conversation that is
    /// not on disk yet gets there with its first words; one that holds nothing any more leaves the list, though not the
    /// disk: more may be written in it.
    pub(super) fn keep_draft(&mut self, cx: &mut Cx) {
        self.draft_due = None;
        let text = self.editor.text();
        let id = self.open;
        let system = std::mem::take(&mut self.system_changed);
        let room = self.room_mut();
        let drafted = room.conversation.draft != text;
        if !drafted && !system {
            return;
        }
        let before = std::mem::replace(&mut room.conversation.draft, text.clone());
        let begun = room.is_begun();
        let listed = self.is_listed(id);
        if !begun && !listed {
            return;
        }
        if system || !listed {
            self.keep_conversation(id, cx);
            cx.record(Record::Setting(LAST.into(), id.0.to_string().into()));
        } else if let Some(head) = self.shelf.head_mut(id) {
            head.conversation.draft.clone_from(&text);
        }
        if !begun {
            self.shelf.remove(id);
        }
        if drafted {
            self.keep(id, Record::Draft { conversation: id, text }, cx);
            self.took(id, before, cx);
        }
    }

    /// The draft that was there when a conversation was opened goes on as this copy's.
    fn took(&mut self, id: Id, before: String, cx: &mut Cx) {
        let first = self.rooms.get_mut(&id).is_some_and(|room| !std::mem::replace(&mut room.drafted, true));
        if first && !before.is_empty() {
            self.keep(id, Record::DraftTaken { conversation: id, text: before }, cx);
        }
    }

    /// Puts the next of the other drafts into the message box. What is in it is laid aside and comes last.
    pub(super) fn next_draft(&mut self, cx: &mut Cx) {
        let id = self.open;
        if self.room().drafts.is_empty() {
            return cx.notify(Notice::hint("there is no other draft in this conversation"));
        }
        // The one in the box as it is now.
        self.keep_draft(cx);
        let room = self.room_mut();
        let next = room.drafts.remove(0);
        let before = std::mem::replace(&mut room.conversation.draft, next.clone());
        if !before.is_empty() {
            if !room.drafted {
                let draft = Record::Draft { conversation: id, text: before.clone() };
                self.keep(id, draft, cx);
                self.took(id, before.clone(), cx);
            }
            self.keep(id, Record::DraftAside(id), cx);
            self.room_mut().drafts.push(before);
        }
        self.room_mut().drafted = true;
        self.keep(id, Record::Draft { conversation: id, text: next.clone() }, cx);
        self.keep(id, Record::DraftTaken { conversation: id, text: next.clone() }, cx);
        self.editor.set_text(&next);
        (self.editing, self.history) = (None, None);
        self.recount(cx.now);
    }
}
