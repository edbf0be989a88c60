//! Actions that send or stop: send, edit and resend, regenerate, continue, stop, switch versions.

use super::conversation::{AnswerRequest, Responder};
use super::conversation_list::title_of;
use super::persistence::{NOT_SAVED, NOT_SENT};
use super::state::{ChatPane, State, last_open};
use crate::component::{Cx, Effect, Notice, Session};
use crate::record::{Block, Id, Record, Turn, TurnStatus};
use crate::tabs::generation::json_fields;
use crate::text::Untrusted;

impl State {
    /// Sends the composer's text. While an answer is under way nothing is queued: the text stays.
    pub(super) fn send(&mut self, cx: &mut Cx) {
        // The model may have been chosen just now.
        self.fill_defaults(cx.session);
        let text = self.composer.editor.text();
        if !self.can_send(&text, cx) {
            return;
        }
        let id = self.open;
        if self.conversation().record.trashed_ms.is_some() {
            // A user who continues the conversation does not want it deleted.
            self.set_trashed(id, false, cx);
        }
        let turn_id = cx.id();
        let parent = self.before_draft();
        let (role, blocks) = self.take_role_and_blocks();
        let conversation = self.conversation_mut();
        let title = title_of(&text);
        let turn = conversation.typed_turn(turn_id, parent, role.clone(), text, cx.unix_ms);
        let turn = Turn { blocks, ..turn };
        conversation.tree.put(turn.clone());
        conversation.go_to(Some(turn_id));
        let record = &mut conversation.record;
        if record.title.is_empty() {
            record.title = title.into();
        }
        record.updated_ms = cx.unix_ms;
        let draft = std::mem::take(&mut record.draft);
        record.profile = cx.session.profile.0.as_str().into();
        record.model.clone_from(&cx.session.model);
        let length = turn.content.len();
        let records = Record::Batch(vec![
            Record::Conversation(Box::new(record.clone())),
            Record::Turn(Box::new(turn)),
            Record::DraftSent { conversation: id, text: draft },
            last_open(id),
        ]);
        let head = conversation.head();
        self.list.put(head, cx);
        self.draft_became(turn_id, length);
        self.composer.sent(cx.now);
        if role == "tool" {
            // The next call waits for its result; the lines below the calls say so.
            self.expect_result();
            for turn in self.conversation().path.clone() {
                self.view_requests.redraw(turn);
            }
        }
        if role == "user" || (role == "tool" && self.conversation().open_calls().is_empty()) {
            let responder = self.first_responder(id, cx.session);
            self.commit(id, records, AnswerRequest { parent: turn_id, continues: None, replaces: None, responder }, cx);
        } else {
            self.save(id, records, cx);
        }
    }

    /// Takes what the next message is besides its text, out of the composer: who says it, and its files or the call it
    /// is the result of.
    fn take_role_and_blocks(&mut self) -> (Untrusted, Vec<Block>) {
        let edited = self.composer.editing.take();
        let result = self.composer.result_of.take().map(|call| call.result());
        let chosen = std::mem::replace(&mut self.composer.role, "user");
        let chosen = Untrusted::from(if result.is_some() { "tool" } else { chosen });
        let edited = edited.and_then(|turn| self.conversation().tree.turn(turn));
        let result_again =
            edited.and_then(|turn| turn.blocks.iter().find(|block| matches!(block, Block::ResultOf { .. })));
        let (role, result) = match edited {
            Some(turn) => (turn.role.clone(), result_again.cloned()),
            None => (chosen, result),
        };
        // The result of a call is text alone.
        (role, result.map_or_else(|| self.composer.attachments.blocks(), |result| vec![result]))
    }

    /// Returns whether the composer's text can be sent now; says why not.
    fn can_send(&mut self, text: &str, cx: &mut Cx) -> bool {
        let key = cx.session.send_key();
        if self.conversation().is_busy() {
            cx.notify(Notice::warn(format!("an answer is under way; esc stops it, then {key} sends")));
        } else if text.trim().is_empty() && self.composer.result_of.is_none() {
        } else if !self.conversation().loaded {
            cx.notify(Notice::warn(format!("this conversation is still being read; {key} again in a moment")));
            self.reload(self.open, cx);
        } else if cx.session.model.is_empty() && !self.is_comparison() {
            // The text stays where it is until the list has come; without a model in it one is chosen first.
            self.composer.waits_for_models = Some((cx.session.profile.clone(), self.open));
            cx.push(Effect::AskModels);
        } else if self.composer.result_of.as_ref().is_some_and(|call| !self.conversation().open_calls().contains(call))
        {
            self.composer.result_of = None;
            cx.notify(Notice::warn(format!("that call has a result, or is not on this branch; {key} sends a message")));
        } else if let Some(why) = self.over_limit(cx.session).filter(|_| !self.is_comparison()) {
            cx.notify(Notice::error(why).about("limit"));
        } else if let Some((name, why)) = json_fields::problems(&self.conversation().record.params).into_iter().next() {
            cx.notify(Notice::error(format!("not sent: {why}")).about(NOT_SENT));
            self.params.form.refuse(name, why);
        } else if self.read_files_anew(cx) {
            self.composer.attachments.waits = Some(Responder::of(cx.session));
        } else if let Some(why) = self.composer.attachments.problem(cx.session) {
            self.composer.attachments.is_fresh = false;
            cx.notify(Notice::error(format!("not sent: {}", why.line())).about(NOT_SENT));
        } else {
            return true;
        }
        false
    }

    /// Returns whether the message is to be sent as soon as the list of models names one.
    pub(super) fn waits_for_model(&self, session: &Session) -> bool {
        let waits = self.composer.waits_for_models.as_ref();
        waits.is_some_and(|(profile, conversation)| *profile == session.profile && *conversation == self.open)
    }

    /// Returns whether a message waits for the list of models, or for its files, in the conversation that is open.
    pub(super) fn waits_here(&self) -> bool {
        let models = self.composer.waits_for_models.as_ref();
        self.composer.attachments.waits.is_some() || models.is_some_and(|(_, conversation)| *conversation == self.open)
    }

    /// Returns whether a message that waited still goes to whom it was addressed. If not, says so: it is not sent.
    pub(super) fn still_goes_to(&mut self, addressee: &Responder, cx: &mut Cx) -> bool {
        if self.is_comparison() || *addressee == Responder::of(cx.session) {
            return true;
        }
        self.composer.attachments.is_fresh = false;
        let (name, key) = (cx.session.profile_name.line(), cx.session.send_key());
        let changed = if addressee.profile == cx.session.profile { "model" } else { "profile" };
        let model = cx.session.model.line();
        let to = if model.is_empty() { name } else { format!("{model} of {name}").into() };
        let why =
            format!("not sent: the {changed} was changed before the message's files were read; {key} sends it to {to}");
        cx.notify(Notice::warn(why).about(NOT_SENT));
        false
    }

    /// Puts a turn's text into the composer; sending it makes a branch beside the turn.
    pub(super) fn edit(&mut self, turn: Id, cx: &mut Cx) {
        let Some(found) = self.conversation().tree.turn(turn) else { return };
        if Self::is_answer(found) {
            cx.notify(Notice::warn("only what you wrote can be edited; r regenerates an answer"));
            return;
        }
        let found = found.clone();
        if self.composer.editor.is_empty() || self.is_edit_unchanged() {
            self.composer.edit(&found, cx.now);
            self.focus = ChatPane::Composer;
        } else {
            cx.notify(Notice::warn("the message box holds another text; send or clear it first"));
        }
    }

    /// Asks for another answer in place of this turn, or to it when it is the user's.
    pub(super) fn regenerate(&mut self, turn: Id, cx: &mut Cx) {
        let id = self.open;
        let conversation = self.conversation();
        if conversation.is_busy() {
            cx.notify(Notice::warn("an answer is under way; esc stops it"));
            return;
        }
        let Some(found) = conversation.tree.turn(turn) else { return };
        let asking = if found.role == "assistant" {
            let Some(parent) = found.parent else { return };
            let empty = found.status == TurnStatus::Failed && found.is_silent();
            let model = found.model.clone();
            let responder = self.responder_again(id, &model, cx.session);
            AnswerRequest { parent, continues: None, replaces: empty.then_some(turn), responder }
        } else {
            let responder = self.first_responder(id, cx.session);
            AnswerRequest { parent: turn, continues: None, replaces: None, responder }
        };
        self.request_answer(asking, cx);
    }

    /// Asks for the rest of an answer that was stopped or cut off.
    pub(super) fn continue_answer(&mut self, turn: Id, cx: &mut Cx) {
        let conversation = self.conversation();
        let Some(found) = conversation.tree.turn(turn) else { return };
        if conversation.is_busy() || found.role != "assistant" || !Self::unfinished(found) {
            cx.notify(Notice::warn("this answer is complete; r asks for another"));
            return;
        }
        let Some(parent) = found.parent else { return };
        let model = found.model.clone();
        let responder = self.responder_again(self.open, &model, cx.session);
        self.request_answer(AnswerRequest { parent, continues: Some(turn), replaces: None, responder }, cx);
    }

    /// Starts a request once all of the conversation is on disk, which mostly it is, or at once where the disk refuses
    /// it: the user has been told.
    fn request_answer(&mut self, asking: AnswerRequest, cx: &mut Cx) {
        let id = self.open;
        let conversation = self.conversation_mut();
        conversation.committing = Some(asking);
        if conversation.may_send() {
            self.start_request(id, cx);
        }
    }

    /// Stops what streams in the open conversation; what arrived is kept. Returns whether there was anything to stop.
    pub(super) fn stop(&mut self, cx: &mut Cx) -> bool {
        let id = self.open;
        self.drop_waiting_responders(id);
        let conversation = self.conversation_mut();
        if conversation.committing.take().is_some() {
            return true;
        }
        let Some(answer) = &conversation.answer else { return false };
        let (asked, end) = (answer.parent, answer.run.stop(cx));
        let given_up = end.status == TurnStatus::Failed;
        self.finish(id, end, cx);
        if given_up {
            self.return_prompt(asked, cx);
        }
        true
    }

    /// Stops what streams in all conversations; what arrived is kept.
    pub(super) fn stop_all(&mut self, cx: &mut Cx) {
        let answers: Vec<Id> = self
            .conversations
            .iter()
            .filter(|(_, conversation)| conversation.answer.is_some())
            .map(|(id, _)| *id)
            .collect();
        for id in answers {
            self.drop_waiting_responders(id);
            if let Some(answer) = &self.conversations[&id].answer {
                let end = answer.run.stop(cx);
                self.finish(id, end, cx);
            }
        }
    }

    /// Puts a prompt that got no answer back into an empty composer.
    fn return_prompt(&mut self, asked: Id, cx: &mut Cx) {
        if !self.composer.editor.is_empty() {
            return;
        }
        if let Some(prompt) = self.conversation().tree.turn(asked).cloned() {
            self.composer.edit(&prompt, cx.now);
        }
    }

    /// Does not send a prompt that could not be saved, unless another has been sent instead.
    pub(super) fn refuse_unsaved(&mut self, id: Id, prompt: Id, cx: &mut Cx) {
        let waits = self.conversations.get(&id).and_then(|conversation| conversation.committing.as_ref());
        if waits.is_some_and(|asking| asking.parent == prompt) {
            self.refuse_unsaved_request(id, cx);
        }
    }

    /// Does not send a request that waits for what the disk refuses. It is sent all the same where nothing can be
    /// saved, which is said all the time.
    pub(super) fn refuse_unsaved_request(&mut self, id: Id, cx: &mut Cx) {
        if cx.session.unsaved.is_some() {
            self.start_request(id, cx);
        } else {
            self.refuse_request(id, NOT_SAVED, cx);
        }
    }

    /// Gives a request up and says why; the prompt goes back to the composer if that is empty.
    pub(super) fn refuse_request(&mut self, id: Id, why: &str, cx: &mut Cx) {
        let Some(asking) = self.conversations.get_mut(&id).and_then(|conversation| conversation.committing.take())
        else {
            return;
        };
        cx.notify(Notice::error(why).about(NOT_SENT));
        if id == self.open {
            self.return_prompt(asking.parent, cx);
        }
    }

    /// Returns whether the composer holds a turn's text as it is there.
    pub(super) fn is_edit_unchanged(&self) -> bool {
        let turn = self.composer.editing.and_then(|turn| self.conversation().tree.turn(turn));
        turn.is_some_and(|turn| turn.content == *self.composer.editor.text())
    }

    /// Ends an edit. An unchanged text leaves the composer, its turn has it; a changed one stays as a message.
    pub(super) fn drop_edit(&mut self, cx: &mut Cx) -> bool {
        if self.composer.editing.is_none() {
            return false;
        }
        if self.is_edit_unchanged() {
            self.composer.editor.set_text("");
        }
        self.composer.editing = None;
        self.composer.changed(cx.now);
        true
    }

    /// Ends the countdown to the next attempt. Returns whether there was one.
    pub(super) fn skip_countdown(&mut self, cx: &mut Cx) -> bool {
        self.conversation().answer.as_ref().is_some_and(|answer| answer.run.hurry(cx))
    }

    /// Returns the version before or after this one.
    pub(super) fn adjacent_version(&self, turn: Id, way: isize) -> Option<Id> {
        let tree = &self.conversation().tree;
        tree.siblings(turn).get(tree.version(turn).0.checked_add_signed(way)?).copied()
    }

    /// Shows the version before or after this one, with the branch that follows it. Returns whether there is one.
    pub(super) fn switch_version(&mut self, turn: Id, way: isize, cx: &mut Cx) -> bool {
        let id = self.open;
        let Some(to) = self.adjacent_version(turn, way) else { return false };
        let conversation = self.conversation_mut();
        let leaf = conversation.tree.latest_leaf(to);
        conversation.go_to(Some(leaf));
        self.save_conversation(id, cx);
        self.load_turns(id, cx);
        true
    }

    /// Shows the prompt before (`way` 1) or after (−1) the one in the composer, from the newest on. What is being
    /// written is not replaced: only an empty composer begins to look back.
    pub(super) fn recall_prompt(&mut self, way: isize, cx: &mut Cx) {
        let next = match (self.composer.recalled, way) {
            (None, 1) if self.composer.editor.is_empty() => Some(0),
            (Some(at), _) => at.checked_add_signed(way),
            _ => return,
        };
        self.composer.result_of = None;
        let conversation = self.conversation();
        let typed = conversation
            .path
            .iter()
            .rev()
            .filter_map(|id| conversation.tree.turn(*id))
            .filter(|turn| turn.role == "user");
        let mut prompts = typed.map(|turn| &turn.content);
        match next {
            None => {
                self.composer.editor.set_text("");
                self.composer.recalled = None;
            }
            Some(next) => {
                let Some(prompt) = prompts.nth(next).cloned() else { return };
                self.composer.editor.edit(&prompt);
                self.composer.recalled = Some(next);
            }
        }
        self.composer.changed(cx.now);
    }
}
