//! Drafts: saves what is being written, and takes other drafts of the same conversation.

use super::conversations::{Conversations, last_open};
use crate::component::Cx;
use crate::record::{Id, Record};

impl Conversations {
    /// Keeps the message box's text, and the system prompt if that was changed, as far as they are others than those
    /// kept. A conversation that is not on disk yet gets there with its first words; one that holds nothing any more
    /// leaves the list, though not the disk: more may be written in it.
    pub(super) fn save_draft(&mut self, text: String, is_system_changed: bool, cx: &mut Cx) {
        let id = self.open;
        let conversation = self.current_mut();
        let drafted = conversation.record.draft != text;
        if !drafted && !is_system_changed {
            return;
        }
        let before = std::mem::replace(&mut conversation.record.draft, text.clone());
        let begun = conversation.is_begun();
        let listed = self.is_listed(id);
        if !begun && !listed {
            return;
        }
        if is_system_changed || !listed {
            self.save_head(id, cx);
            cx.try_save(last_open(id));
        } else {
            self.list.items.change(id, |conversation| conversation.draft.clone_from(&text));
        }
        if !begun {
            self.list.items.remove(id);
        }
        if drafted {
            self.save(id, Record::Draft { conversation: id, text }, cx);
            self.claim_draft(id, before, cx);
        }
    }

    /// Makes the draft that was there when a conversation was opened this copy's.
    fn claim_draft(&mut self, id: Id, before: String, cx: &mut Cx) {
        let first = self.get_mut(id).is_some_and(|conversation| !std::mem::replace(&mut conversation.drafted, true));
        if first && !before.is_empty() {
            self.save(id, Record::DraftTaken { conversation: id, text: before }, cx);
        }
    }

    /// Takes the next of the other drafts of the open conversation for the message box. The one there, which is kept
    /// already, is laid aside and comes last. Panics if there is no other draft.
    pub(super) fn next_draft(&mut self, cx: &mut Cx) -> String {
        let id = self.open;
        let conversation = self.current_mut();
        let next = conversation.drafts.remove(0);
        let before = std::mem::replace(&mut conversation.record.draft, next.clone());
        if !before.is_empty() {
            if !conversation.drafted {
                let draft = Record::Draft { conversation: id, text: before.clone() };
                self.save(id, draft, cx);
                self.claim_draft(id, before.clone(), cx);
            }
            self.save(id, Record::DraftAside(id), cx);
            self.current_mut().drafts.push(before);
        }
        self.current_mut().drafted = true;
        self.save(id, Record::Draft { conversation: id, text: next.clone() }, cx);
        self.save(id, Record::DraftTaken { conversation: id, text: next.clone() }, cx);
        next
    }
}
