//! Actions on a conversation as a whole: moving it to the trash and back, deleting it for good, renaming it.

use super::conversation::OpenConversation;
use super::state::{ChatPane, Request, State};
use super::undo::ChatUndo;
use crate::component::{Cx, Notice};
use crate::record::{Conversation, Id, Record, TurnStatus};
use crate::tabs::generation::RunEnd;
use crate::ui::rule::cut;

/// Columns of a title in a notice.
const TOAST_TITLE: usize = 30;

impl State {
    /// Moves a conversation to the trash, or back.
    pub(super) fn set_trashed(&mut self, id: Id, away: bool, cx: &mut Cx) {
        let Some(head) = self.list.items.head(id) else { return };
        let title = cut(&head.conversation.title.line(), TOAST_TITLE);
        let at_ms = away.then_some(cx.unix_ms);
        self.list.items.set_trashed(id, at_ms);
        let subject = format!("trash {}", id.0);
        if let Some(conversation) = self.conversations.get_mut(&id) {
            conversation.record.trashed_ms = at_ms;
        }
        self.save(id, Record::Trashed { conversation: id, at_ms }, cx);
        if away {
            self.undos.push(ChatUndo::Trashed(id));
            cx.notify(Notice::ok(format!("“{title}” is in the trash; u brings it back")).about(subject));
            if self.open == id {
                self.new_conversation(cx);
                self.focus = ChatPane::List;
            }
        } else {
            self.forget_trashed(id);
            cx.notify(Notice::ok(format!("“{title}” is back")).about(subject));
            self.open(id, cx);
            self.list.items.select(id);
        }
    }

    /// Forgets how to undo that a conversation went to the trash: it is not there any more.
    fn forget_trashed(&mut self, id: Id) {
        self.undos.retain(|undo| !matches!(undo, ChatUndo::Trashed(other) if *other == id));
    }

    /// Deletes a trashed conversation for good.
    pub(super) fn purge(&mut self, id: Id, cx: &mut Cx) {
        if let Some(answer) = self.conversations.get(&id).and_then(|conversation| conversation.answer.as_ref()) {
            // The answer is billed all the same, and has its row in the ledger.
            answer.run.stop(cx);
            self.comparisons.remove(&id);
            self.finish(id, RunEnd { status: TurnStatus::Stopped, failure: None }, cx);
        }
        self.list.purge(id);
        self.forget_trashed(id);
        if self.open == id {
            self.conversations.remove(&id);
            let fresh = cx.id();
            self.conversations.insert(fresh, OpenConversation::blank(fresh, cx.unix_ms, cx.session));
            self.show(fresh, cx);
        }
        self.conversations.remove(&id);
        self.records += 1;
        // It is not offered to the store again: a conversation that another copy took out of the trash is not deleted,
        // and the user is told.
        let ticket = cx.record(Record::Purge(id));
        self.pending.insert(ticket, Request::Purge);
    }

    /// Gives a conversation another title.
    pub(super) fn rename(&mut self, id: Id, title: &str, cx: &mut Cx) {
        let title = title.trim();
        if title.is_empty() {
            return;
        }
        let name = |conversation: &mut Conversation| {
            conversation.title = title.into();
            conversation.titled = true;
        };
        if let Some(conversation) = self.conversations.get_mut(&id) {
            name(&mut conversation.record);
        }
        if self.is_listed(id) {
            self.list.items.change(id, name);
            self.save(id, Record::Title { conversation: id, title: title.into() }, cx);
        }
    }
}
