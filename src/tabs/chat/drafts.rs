//! Drafts: saves what is being written, and loads other drafts of the same conversation.

use super::state::{State, last_open};
use crate::component::{Cx, Notice};
use crate::record::{Id, Record};

impl State {
    /// Keeps the composer's text and the system prompt, as far as they are others than those kept. A conversation that
    /// is not on disk yet gets there with its first words; one that holds nothing any more leaves the list, though not
    /// the disk: more may be written in it.
    pub(super) fn save_draft(&mut self, cx: &mut Cx) {
        self.composer.save_due = None;
        let text = self.composer.editor.text();
        let id = self.open;
        let system = std::mem::take(&mut self.composer.system_changed);
        let conversation = self.conversation_mut();
        let drafted = conversation.record.draft != text;
        if !drafted && !system {
            return;
        }
        let before = std::mem::replace(&mut conversation.record.draft, text.clone());
        let begun = conversation.is_begun();
        let listed = self.is_listed(id);
        if !begun && !listed {
            return;
        }
        if system || !listed {
            self.save_conversation(id, cx);
            cx.record(last_open(id));
        } else {
            self.list.items.change(id, |conversation| conversation.draft.clone_from(&text));
        }
        if !begun {
            self.list.items.remove(id);
        }
        if drafted {
            self.save(id, Record::Draft { conversation: id, text }, cx);
            self.take_draft(id, before, cx);
        }
    }

    /// Makes the draft that was there when a conversation was opened this copy's.
    fn take_draft(&mut self, id: Id, before: String, cx: &mut Cx) {
        let first = self
            .conversations
            .get_mut(&id)
            .is_some_and(|conversation| !std::mem::replace(&mut conversation.drafted, true));
        if first && !before.is_empty() {
            self.save(id, Record::DraftTaken { conversation: id, text: before }, cx);
        }
    }

    /// Puts the next of the other drafts into the message box. What is in it is laid aside and comes last.
    pub(super) fn next_draft(&mut self, cx: &mut Cx) {
        let id = self.open;
        if self.conversation().drafts.is_empty() {
            return cx.notify(Notice::info("there is no other draft in this conversation"));
        }
        // The draft in the box, as it is now.
        self.save_draft(cx);
        let conversation = self.conversation_mut();
        let next = conversation.drafts.remove(0);
        let before = std::mem::replace(&mut conversation.record.draft, next.clone());
        if !before.is_empty() {
            if !conversation.drafted {
                let draft = Record::Draft { conversation: id, text: before.clone() };
                self.save(id, draft, cx);
                self.take_draft(id, before.clone(), cx);
            }
            self.save(id, Record::DraftAside(id), cx);
            self.conversation_mut().drafts.push(before);
        }
        self.conversation_mut().drafted = true;
        self.save(id, Record::Draft { conversation: id, text: next.clone() }, cx);
        self.save(id, Record::DraftTaken { conversation: id, text: next.clone() }, cx);
        self.composer.editor.set_text(&next);
        (self.composer.editing, self.composer.recalled, self.composer.result_of) = (None, None, None);
        self.composer.recount(cx.now);
    }
}
