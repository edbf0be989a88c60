//! Sends messages, asks for answers, and takes these until they end or are stopped.

use super::answers::AnswerUpdate;
use super::composer::send_key;
use super::conversation::{AnswerRequest, is_unfinished};
use super::conversation_list::title_of;
use super::conversations::last_open;
use super::request::chat_request;
use super::responders::{NextResponder, Responder};
use super::state::State;
use crate::api::call::{Call, Progress, Ticket};
use crate::component::{Cx, Effect, Notice};
use crate::record::{Id, Record, Turn, TurnStatus};
use crate::settings::ProfileId;
use crate::tabs::activity::ActivityOutcome;
use crate::tabs::generation::{RunEnd, RunTarget, StreamingRun, json_fields};

/// What a notice is about that says why nothing was sent; it is obsolete once something is.
pub(super) const NOT_SENT: &str = "chat prompt";
/// Why a prompt is not sent that the disk refuses.
const NOT_SAVED: &str = "The prompt could not be saved and was not sent; press r in the transcript to send it";

impl State {
    /// Sends the composer's text. While an answer is under way nothing is queued: the text stays.
    pub(super) fn send(&mut self, cx: &mut Cx) {
        // The model may have been chosen just now.
        self.fill_defaults(cx.session);
        let text = self.composer.editor.text();
        if !self.can_send(&text, cx) {
            return;
        }
        let id = self.conversations.open;
        if self.conversation().record.trashed_ms.is_some() {
            // A user who continues the conversation does not want it deleted.
            self.set_trashed(id, false, cx);
        }
        let turn_id = cx.id();
        let conversation = self.conversations.current_mut();
        let parent = self.composer.parent(conversation);
        let (role, blocks) = self.composer.take_role_and_blocks(conversation);
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
        self.composer.count.became(turn_id, length, &mut conversation.counts);
        let head = conversation.head();
        self.conversations.list.put(head, cx);
        self.composer.sent(cx.now);
        if role == "tool" {
            // The next call waits for its result; the lines below the calls say so.
            self.expect_result();
            for turn in self.conversation().path.clone() {
                self.view_requests.redraw(turn);
            }
        }
        if role == "user" || (role == "tool" && self.conversation().open_calls().is_empty()) {
            let responder = self.comparisons.first(id, cx.session);
            let asking = AnswerRequest { parent: turn_id, continues: None, replaces: None, responder };
            self.conversations.commit(id, records, asking, cx);
        } else {
            self.conversations.save(id, records, cx);
        }
    }

    /// Returns whether the composer's text can be sent now; says why not.
    fn can_send(&mut self, text: &str, cx: &mut Cx) -> bool {
        let key = send_key(cx.session);
        if self.conversation().is_busy() {
            let said = format!("an answer is under way; esc stops it, then {key} sends");
            cx.notify(Notice::warn(said).about(NOT_SENT));
        } else if text.trim().is_empty() && self.composer.result_of.is_none() {
            cx.notify(Notice::info("Write a message first.").about(NOT_SENT));
        } else if !self.conversation().loaded {
            cx.notify(Notice::warn(format!("this conversation is still being read; {key} again in a moment")));
            self.conversations.reload(cx);
        } else if cx.session.model.is_empty() && !self.is_comparison() {
            // The text stays where it is until the list has come; without a model in it one is chosen first.
            self.composer.waits_for_models = Some((cx.session.profile.clone(), self.conversations.open));
            cx.push(Effect::FetchModels);
        } else if self.composer.result_of.as_ref().is_some_and(|call| !self.conversation().open_calls().contains(call))
        {
            self.composer.result_of = None;
            cx.notify(Notice::warn(format!("that call has a result, or is not on this branch; {key} sends a message")));
        } else if let Some(why) =
            self.composer.over_limit(self.conversation(), cx.session).filter(|_| !self.is_comparison())
        {
            cx.notify(Notice::error(why).about("limit"));
        } else if let Some((name, why)) = json_fields::problems(&self.conversation().record.params).into_iter().next() {
            cx.notify(Notice::error(format!("not sent: {why}")).about(NOT_SENT));
            self.params.form.refuse(name, why);
        } else if self.composer.read_files_anew(self.conversations.current(), cx) {
            self.composer.attachments.waits = Some(Responder::of(cx.session));
        } else if let Some(why) = self.composer.attachments.problem(cx.session) {
            self.composer.attachments.is_fresh = false;
            cx.notify(Notice::error(format!("not sent: {}", why.line())).about(NOT_SENT));
        } else {
            return true;
        }
        false
    }

    /// Returns whether a message that waited still goes to whom it was addressed. If not, says so: it is not sent.
    pub(super) fn still_goes_to(&mut self, addressee: &Responder, cx: &mut Cx) -> bool {
        if self.is_comparison() || *addressee == Responder::of(cx.session) {
            return true;
        }
        self.composer.attachments.is_fresh = false;
        let (name, key) = (cx.session.profile_name.line(), send_key(cx.session));
        let changed = if addressee.profile == cx.session.profile { "model" } else { "profile" };
        let model = cx.session.model.line();
        let to = if model.is_empty() { name } else { format!("{model} of {name}").into() };
        let why =
            format!("not sent: the {changed} was changed before the message's files were read; {key} sends it to {to}");
        cx.notify(Notice::warn(why).about(NOT_SENT));
        false
    }

    /// Asks for another answer in place of this turn, or to it when it is the user's.
    pub(super) fn regenerate(&mut self, turn: Id, cx: &mut Cx) {
        let id = self.conversations.open;
        let conversation = self.conversations.current();
        if conversation.is_busy() {
            cx.notify(Notice::warn("an answer is under way; esc stops it").about(NOT_SENT));
            return;
        }
        let Some(found) = conversation.tree.turn(turn) else { return };
        let asking = if found.role == "assistant" {
            let Some(parent) = found.parent else { return };
            let empty = found.status == TurnStatus::Failed && found.is_silent();
            let responder = self.comparisons.again(id, &found.model, cx.session);
            AnswerRequest { parent, continues: None, replaces: empty.then_some(turn), responder }
        } else {
            let responder = self.comparisons.first(id, cx.session);
            AnswerRequest { parent: turn, continues: None, replaces: None, responder }
        };
        self.request_answer(asking, cx);
    }

    /// Asks for the rest of an answer that was stopped or cut off.
    pub(super) fn continue_answer(&mut self, turn: Id, cx: &mut Cx) {
        let conversation = self.conversations.current();
        let Some(found) = conversation.tree.turn(turn) else { return };
        if conversation.is_busy() || found.role != "assistant" || !is_unfinished(found) {
            cx.notify(Notice::warn("this answer is complete; r asks for another").about(NOT_SENT));
            return;
        }
        let Some(parent) = found.parent else { return };
        let responder = self.comparisons.again(self.conversations.open, &found.model, cx.session);
        self.request_answer(AnswerRequest { parent, continues: Some(turn), replaces: None, responder }, cx);
    }

    /// Starts a request once all of the conversation is on disk, which mostly it is, or at once where the disk refuses
    /// it: the user has been told.
    fn request_answer(&mut self, asking: AnswerRequest, cx: &mut Cx) {
        let conversation = self.conversations.current_mut();
        conversation.ask(asking);
        if conversation.may_send() {
            self.start_request(self.conversations.open, cx);
        }
    }

    /// Stops what streams in the open conversation; what arrived is kept. Returns whether there was anything to stop.
    pub(super) fn stop(&mut self, cx: &mut Cx) -> bool {
        let id = self.conversations.open;
        self.comparisons.drop_waiting(id);
        let conversation = self.conversations.current_mut();
        if conversation.committing.take().is_some() {
            conversation.note_outcome(ActivityOutcome::Stopped);
            return true;
        }
        let Some(answer) = &conversation.answer else { return false };
        let (asked, end) = (answer.parent, answer.run.stop(cx));
        let given_up = end.status == TurnStatus::Failed;
        self.finish(id, end, cx);
        if given_up {
            self.composer.return_prompt(self.conversations.current(), asked, cx.now);
        }
        true
    }

    /// Stops what streams in all conversations; what arrived is kept.
    pub(super) fn stop_all(&mut self, cx: &mut Cx) {
        for id in self.conversations.answering() {
            self.comparisons.drop_waiting(id);
            let answer = self.conversations.get(id).and_then(|conversation| conversation.answer.as_ref());
            if let Some(end) = answer.map(|answer| answer.run.stop(cx)) {
                self.finish(id, end, cx);
            }
        }
    }

    /// Does not send a request that waits for what the disk refuses, or, if that is a prompt, unless another has been
    /// sent instead. It is sent all the same where nothing can be saved, which is said all the time.
    pub(super) fn refuse_unsaved(&mut self, id: Id, prompt: Option<Id>, cx: &mut Cx) {
        let waits = self.conversations.get(id).and_then(|conversation| conversation.committing.as_ref());
        if prompt.is_some_and(|prompt| waits.is_none_or(|asking| asking.parent != prompt)) {
            return;
        }
        if cx.session.unsaved.is_some() {
            self.start_request(id, cx);
        } else {
            self.refuse_request(id, NOT_SAVED, cx);
        }
    }

    /// Gives a request up and says why; the prompt goes back to the composer if that is empty.
    pub(super) fn refuse_request(&mut self, id: Id, why: &str, cx: &mut Cx) {
        let conversation = self.conversations.get_mut(id);
        let Some(conversation) = conversation else { return };
        let Some(asking) = conversation.committing.take() else { return };
        conversation.note_outcome(ActivityOutcome::Failed);
        cx.notify(Notice::error(why).about(NOT_SENT));
        if id == self.conversations.open {
            self.composer.return_prompt(self.conversations.current(), asking.parent, cx.now);
        }
    }

    /// Starts the request that waits in a conversation, once everything it needs is here and on disk.
    pub(super) fn start_request(&mut self, id: Id, cx: &mut Cx) {
        let Some(conversation) = self.conversations.get_mut(id) else { return };
        let Some(asking) = conversation.committing.clone() else { return };
        let missing = conversation.missing(asking.parent);
        if missing.iter().any(|turn| conversation.lost.contains(turn)) {
            return self.refuse_request(
                id,
                "a part of this conversation is no longer in the store, so it was not sent",
                cx,
            );
        }
        if !missing.is_empty() {
            return self.conversations.load_these(id, missing, cx);
        }
        let Responder { profile, model } = asking.responder.clone();
        let local = if profile == cx.session.profile { cx.session.local } else { profile == ProfileId::local() };
        let prompt_tokens = match self.composer.count.request_tokens(conversation, &asking, local, cx) {
            None => return,
            Some(Err(why)) => return self.refuse_request(id, &why, cx),
            Some(Ok(tokens)) => tokens,
        };
        let request = match chat_request(conversation, &asking, &model) {
            Ok(request) => request,
            Err(why) => return self.refuse_request(id, &why, cx),
        };
        let price = cx.session.price(&profile, &model);
        let target = RunTarget { price, model, profile, prompt_tokens, estimated: true };
        let run = StreamingRun::send(target, Call::Chat(Box::new(request)), cx);
        cx.push(Effect::ResolveNotice(NOT_SENT));
        self.begin_answer(id, &asking, run, cx);
    }

    /// Shows the turn in which the answer to a request that was just sent grows.
    fn begin_answer(&mut self, id: Id, asking: &AnswerRequest, run: StreamingRun, cx: &mut Cx) {
        let current = self.conversations.current();
        // The prompt was put back into the composer when it was not sent.
        let is_prompt_back = id == self.conversations.open && self.composer.editing == Some(asking.parent);
        if is_prompt_back && self.composer.is_edit_unchanged(current) {
            self.composer.drop_edit(current, cx.now);
        }
        let turn_id = asking.replaces.unwrap_or_else(|| cx.id());
        let Some(conversation) = self.conversations.get_mut(id) else { return };
        let turn = conversation.begin_answer(turn_id, asking, run, cx.unix_ms);
        let versions = conversation.tree.version(turn_id).1;
        self.animation.tick(cx.now);
        if self.comparisons.begin_answer(id, turn_id, versions) && id == self.conversations.open {
            self.view_requests.versions = Some(turn_id);
        }
        self.conversations.save(id, Record::Turn(Box::new(turn)), cx);
        self.conversations.save_head(id, cx);
        self.view_requests.redraw(turn_id);
    }

    /// Takes in what the client says of the call of an answer.
    pub(super) fn handle_progress(&mut self, ticket: Ticket, progress: Progress, cx: &mut Cx) {
        match self.conversations.handle_progress(ticket, progress, cx) {
            Some(AnswerUpdate::Begun(turns)) => {
                for turn in turns {
                    self.view_requests.redraw(turn);
                }
            }
            Some(AnswerUpdate::Ended(id, end)) => self.finish(id, end, cx),
            None => {}
        }
    }

    /// Ends an answer, well or not: its figures, its last words to the store, its line in the ledger.
    pub(super) fn finish(&mut self, id: Id, end: RunEnd, cx: &mut Cx) {
        let conversation = self.conversations.get_mut(id);
        let Some((asked, ended)) = conversation.and_then(|conversation| conversation.finish_answer(&end, cx)) else {
            return;
        };
        if end.status != TurnStatus::Stopped {
            self.conversations.list.unseen.insert(id, end.status != TurnStatus::Done);
        }
        self.last_meter = ended.meter;
        self.conversations.save(id, Record::Batch(ended.records), cx);
        for (turn, _) in ended.turns {
            self.view_requests.redraw(turn);
        }
        if id == self.conversations.open {
            match &end.failure {
                Some(failure) => self.params.refuse(failure),
                None if end.status == TurnStatus::Done => self.params.form.clear_refusal(),
                None => {}
            }
            self.expect_result();
        }
        self.composer.count_soon(cx.now);
        self.ask_next_responder(id, asked, cx);
    }

    /// Asks for the first result that an answer which has just ended waits for, unless something is being written.
    fn expect_result(&mut self) {
        if !self.is_comparison() {
            self.composer.expect_result(self.conversations.current());
        }
    }

    /// Asks the next model when an answer has ended. After the last one the conversation continues from the first one's
    /// answer, unless somebody chooses another.
    fn ask_next_responder(&mut self, id: Id, asked: Id, cx: &mut Cx) {
        let Some(conversation) = self.conversations.get_mut(id) else { return };
        match self.comparisons.next(id) {
            None => {}
            Some(NextResponder::Done(first)) => {
                conversation.go_to(Some(first));
                self.conversations.save_head(id, cx);
                if id == self.conversations.open {
                    self.view_requests.versions = Some(first);
                }
            }
            Some(NextResponder::Ask(responder)) => {
                let asking = AnswerRequest { parent: asked, continues: None, replaces: None, responder };
                conversation.committing = Some(asking);
                if conversation.saves.is_saved() {
                    self.start_request(id, cx);
                } else if conversation.saves.refusal().is_some() {
                    self.refuse_request(id, NOT_SAVED, cx);
                }
            }
        }
    }
}
