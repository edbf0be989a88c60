//! What the rest of the tab does when the store or a work thread answers.

use super::persistence::StoreEvent;
use super::state::{Request, State};
use super::{dialogs, request};
use crate::api::call::Ticket;
use crate::component::{Cx, Effect, Notice, Offer};
use crate::record::work::Done;
use crate::record::{Conversation, Id, Stored};
use crate::ui::text_field::TextField;

impl State {
    /// Takes an answer of the store.
    pub(super) fn handle_stored(&mut self, ticket: Ticket, stored: Stored, cx: &mut Cx) {
        match self.conversations.handle_stored(ticket, stored, cx) {
            Some(StoreEvent::Last(id)) if self.is_untouched() => self.conversations.load(id, cx),
            None | Some(StoreEvent::Last(_)) => {}
            Some(StoreEvent::Conversation(record)) => self.conversation_loaded(*record, cx),
            Some(StoreEvent::Outline(id)) => {
                self.reach_goal(cx);
                self.conversations.load_turns(id, cx);
                self.marks.load(id, cx);
            }
            Some(StoreEvent::Turns(id)) => self.turns_loaded(id, cx),
            Some(StoreEvent::TurnsFailed(id, why)) => {
                // A request that waits for these turns would wait forever.
                self.refuse_request(id, "a part of this conversation could not be read, so it was not sent", cx);
                // Turns that are loaded later must not be sent to another tab unexpectedly.
                self.offering = self.offering.filter(|offered| *offered != id);
                cx.notify(Notice::error(why));
            }
            Some(StoreEvent::Tokens(turn)) => self.probabilities.tokens_loaded(turn, self.conversations.current()),
            Some(StoreEvent::Gone) => {
                cx.notify(Notice::warn("another copy of benchtop has deleted this conversation"));
                let (gone, fresh) = (self.conversations.open, self.conversations.add_blank(cx));
                self.show(fresh, cx);
                self.conversations.in_memory.remove(&gone);
            }
            Some(StoreEvent::Ready(id)) => {
                self.start_request(id, cx);
                self.conversations.release(id);
            }
            Some(StoreEvent::Refused(id, prompt)) => {
                // A request that waits for it is not sent later, when the disk accepts it: the user would not expect
                // that.
                self.refuse_unsaved(id, prompt, cx);
                self.conversations.release(id);
            }
        }
    }

    /// Takes a conversation, and opens it unless the user has begun something else.
    fn conversation_loaded(&mut self, record: Conversation, cx: &mut Cx) {
        let (id, draft) = (record.id, record.draft.clone());
        let is_open = self.conversations.open == id;
        if record.trashed_ms.is_some() && !is_open {
            return;
        }
        let keeps = is_open && (self.composer.system_changed || self.is_covered());
        if self.conversations.take(record, keeps, cx) && is_open {
            self.params.show(&self.conversations.current().record.params);
        }
        if !is_open && self.is_untouched() {
            self.show(id, cx);
        }
        if self.conversations.open == id && self.composer.editor.is_empty() {
            self.composer.editor.set_text(&draft);
            self.composer.recount(cx.now);
        }
    }

    fn turns_loaded(&mut self, id: Id, cx: &mut Cx) {
        // A request may have waited for these turns.
        let waits = self
            .conversations
            .get(id)
            .is_some_and(|conversation| conversation.committing.is_some() && conversation.may_send());
        if waits {
            self.start_request(id, cx);
        }
        self.composer.count_soon(cx.now);
        if id == self.conversations.open && self.offering == Some(id) {
            self.offer_all(cx);
        }
    }

    /// Sends the branch that is shown to another tab; what of it is still on disk comes before.
    pub(super) fn offer_all(&mut self, cx: &mut Cx) {
        let conversation = self.conversations.current();
        if !conversation.unloaded().is_empty() {
            self.offering = Some(self.conversations.open);
            return self.conversations.load_all(cx);
        }
        self.offering = None;
        if let Some(offer) = request::branch_offer(conversation) {
            cx.push(Effect::Offer(offer));
        }
    }

    /// Takes what work has done.
    pub(super) fn handle_worked(&mut self, ticket: Ticket, done: Done, cx: &mut Cx) {
        if matches!(done, Done::Moved { .. }) {
            return;
        }
        if let Some(count) = self.composer.count.pending.take(ticket) {
            let counts = if let Done::Counted(_, counts) = done { counts } else { Vec::new() };
            if let Some(conversation) = self.conversations.get_mut(count.conversation)
                && self.composer.count.take(&count, &counts, conversation)
            {
                self.start_request(count.conversation, cx);
            }
            return;
        }
        if let Some(name) = self.composer.reads.take(ticket) {
            return self.composer.attachments.take(&name, done);
        }
        match (self.pending.take(ticket), done) {
            (None, done) => self.view_requests.take(ticket, done),
            (Some(Request::Paths(word)), done) => self.complete_path(&word, &done, cx),
            (Some(Request::Rows(words)), Done::Saved(path)) => {
                cx.notify(Notice::ok(format!("{}: {words}", path.line())).about("marks"));
                cx.push(Effect::Offer(Offer::Local(path)));
            }
            (Some(Request::Rows(_)), Done::Failed(why)) => cx.notify(Notice::error(why)),
            (Some(Request::SaveFile(..)), Done::Saved(path)) => {
                cx.notify(Notice::ok(format!("saved to {}", path.line())));
            }
            (Some(Request::SaveFile(path, text)), Done::Failed(why)) => {
                cx.notify(Notice::error(why));
                // The text comes back for another attempt, unless something else has been begun.
                if !self.is_covered() {
                    self.modals.open(dialogs::save(&path, text));
                }
            }
            _ => {}
        }
    }

    /// Completes the path that is begun in the message, if there is one file that it may become; else asks which it is.
    fn complete_path(&mut self, word: &str, done: &Done, cx: &mut Cx) {
        // What was opened or typed meanwhile stays as it is.
        if self.is_covered() || self.composer.editor.word() != word {
            return;
        }
        let found = if let Done::Paths(found) = done { &found[..] } else { &[] };
        match found {
            [path] if !path.line().ends_with('/') => self.composer.attach(TextField::edit(path).text(), cx.now),
            _ => self.modals.open(dialogs::attach(word.strip_prefix('@').unwrap_or_default(), cx)),
        }
    }
}
