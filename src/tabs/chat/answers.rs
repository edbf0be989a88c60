//! An answer under way: begun when the prompt is on disk, saved as it grows, and ended.

use super::answer_tokens::AnswerTokens;
use super::conversation::{AnswerRequest, OpenConversation, Responder};
use super::persistence::NOT_SENT;
use super::state::State;
use super::streaming_answer::{EndedAnswer, StreamingAnswer};
use crate::api::call::{Call, Failure, FailureKind, Progress, Ticket};
use crate::component::{Cx, Effect};
use crate::record::{Block, Details, Id, Record, Turn, TurnStatus};
use crate::settings::ProfileId;
use crate::tabs::generation::{Part, RunEnd, RunTarget, RunUpdate, StreamingRun, refusal};
use crate::tabs::tab::RunMeter;

impl State {
    /// Starts the request that waits in a conversation, once everything it needs is here and on disk.
    pub(super) fn start_request(&mut self, id: Id, cx: &mut Cx) {
        let Some(conversation) = self.conversations.get(&id) else { return };
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
            self.load_these(id, missing, cx);
            return;
        }
        let Responder { profile, model } = asking.responder.clone();
        let local = if profile == cx.session.profile { cx.session.local } else { profile == ProfileId::local() };
        let prompt_tokens = match self.request_tokens(id, &asking, &model, local, cx) {
            None => return,
            Some(Err(why)) => return self.refuse_request(id, &why, cx),
            Some(Ok(tokens)) => tokens,
        };
        let request = match self.conversations[&id].request(&asking, &model) {
            Ok(request) => request,
            Err(why) => return self.refuse_request(id, &why, cx),
        };
        let price = cx.session.price(&profile, &model);
        let target = RunTarget { price, model: model.clone(), profile, prompt_tokens, estimated: true };
        let run = StreamingRun::send(target, Call::Chat(Box::new(request)), cx);
        cx.push(Effect::Settle(NOT_SENT));
        self.begin_answer(id, &asking, run, cx);
    }

    /// Makes the turn in which the answer to a request that was just sent grows.
    fn begin_answer(&mut self, id: Id, asking: &AnswerRequest, run: StreamingRun, cx: &mut Cx) {
        // The prompt was put back into the composer when it was not sent.
        if id == self.open && self.composer.editing == Some(asking.parent) && self.is_edit_unchanged() {
            self.drop_edit(cx);
        }
        let turn_id = asking.replaces.unwrap_or_else(|| cx.id());
        let Some(conversation) = self.conversations.get_mut(&id) else { return };
        conversation.committing = None;
        let mut turn = conversation.answer_turn(turn_id, asking.parent, 0, run.target().model.clone(), cx.unix_ms);
        if let Some(before) = asking.continues.and_then(|before| conversation.tree.turn(before)) {
            turn.content.clone_from(&before.content);
            turn.reasoning.clone_from(&before.reasoning);
        }
        conversation.failures.remove(&turn_id);
        conversation.formats.remove(&turn_id);
        let with_tokens = conversation.record.params.logprobs.is_some();
        conversation.tokens.insert(turn_id, AnswerTokens::of_request(with_tokens));
        conversation.tree.put(turn.clone());
        conversation.go_to(Some(turn_id));
        conversation.answer = Some(StreamingAnswer::new(run, asking.parent, &conversation.record.params, &turn));
        conversation.record.updated_ms = cx.unix_ms;
        self.animation.tick(cx.now);
        self.show_comparison(id, turn_id);
        self.save(id, Record::Turn(Box::new(turn)), cx);
        self.save_conversation(id, cx);
        self.view_requests.redraw(turn_id);
    }

    /// Takes in what the client says of the call of an answer.
    pub(super) fn handle_progress(&mut self, ticket: Ticket, progress: Progress, cx: &mut Cx) {
        let owns = |conversation: &OpenConversation| {
            conversation.answer.as_ref().is_some_and(|answer| answer.run.owns(ticket))
        };
        let mut conversations = self.conversations.iter_mut();
        let Some((&id, conversation)) = conversations.find(|(_, conversation)| owns(conversation)) else { return };
        let Some(answer) = &mut conversation.answer else { return };
        match answer.run.handle_progress(progress, cx.now) {
            RunUpdate::Nothing => {}
            RunUpdate::Retrying(why) => {
                if let Some(turn) = answer.turns().next() {
                    conversation.failures.insert(turn, why);
                }
            }
            RunUpdate::Parts(parts) => {
                for part in parts {
                    self.add_part(id, part, cx);
                }
                self.save_answer(id, cx);
            }
            RunUpdate::Ended(end) => self.finish(id, end, cx),
        }
    }

    /// Adds text to a choice's turn, which is made when its first text comes.
    fn add_part(&mut self, id: Id, part: Part, cx: &mut Cx) {
        let Some(conversation) = self.conversations.get_mut(&id) else { return };
        let Some(answer) = &mut conversation.answer else { return };
        let turn_id = match answer.turn_of(part.choice) {
            Some(turn) => turn,
            None => {
                let (parent, model, with_tokens) =
                    (answer.parent, answer.run.target().model.clone(), answer.with_tokens);
                let turn = conversation.answer_turn(cx.id(), parent, part.choice, model, cx.unix_ms);
                if let Some(answer) = &mut conversation.answer {
                    answer.add_choice(part.choice, &turn);
                }
                let turn_id = turn.id;
                conversation.tokens.insert(turn_id, AnswerTokens::of_request(with_tokens));
                conversation.tree.put(turn.clone());
                self.save(id, Record::Turn(Box::new(turn)), cx);
                self.view_requests.redraw(turn_id);
                turn_id
            }
        };
        let Some(conversation) = self.conversations.get_mut(&id) else { return };
        conversation.tokens.entry(turn_id).or_default().add(part.tokens);
        let profile = conversation.answer.as_ref().map(|answer| answer.run.target().profile.0.as_str());
        let Some(turn) = conversation.tree.turn_mut(turn_id) else { return };
        let mut begun = turn.reasoning.is_empty() && !part.reasoning.is_empty();
        turn.content.append(&part.content);
        turn.reasoning.append(&part.reasoning);
        for mut piece in part.blocks {
            if let Block::Refusal { profile: of, .. } = &mut piece {
                *of = profile.unwrap_or_default().into();
            }
            begun |= turn.add(piece);
        }
        if begun {
            conversation.revision += 1;
        }
        if let Some(reason) = part.finish_reason {
            turn.finish_reason = reason;
        }
    }

    /// Saves what is new of an answer, if it is time.
    pub(super) fn save_answer(&mut self, id: Id, cx: &mut Cx) {
        let Some(conversation) = self.conversations.get_mut(&id) else { return };
        let Some(answer) = &mut conversation.answer else { return };
        for record in answer.save(&conversation.tree, &mut conversation.tokens, cx) {
            self.save(id, record, cx);
        }
    }

    /// Ends an answer, well or not: its figures, its last words to the store, its line in the ledger.
    pub(super) fn finish(&mut self, id: Id, end: RunEnd, cx: &mut Cx) {
        let Some(conversation) = self.conversations.get_mut(&id) else { return };
        let Some(answer) = conversation.answer.take() else { return };
        let asked = answer.parent;
        let EndedAnswer { records, meter, turns, formats } =
            answer.finish(&end, &mut conversation.tree, &mut conversation.tokens, cx);
        for (turn, failure) in &turns {
            match failure {
                Some(why) => drop(conversation.failures.insert(*turn, why.clone())),
                None => drop(conversation.failures.remove(turn)),
            }
        }
        conversation.formats.extend(formats);
        conversation.check_calls(turns.iter().map(|(turn, _)| *turn));
        if end.status != TurnStatus::Stopped {
            self.list.unseen.insert(id, end.status != TurnStatus::Done);
        }
        self.last_meter = meter;
        self.save(id, Record::Batch(records), cx);
        match &end.failure {
            Some(why) if id == self.open => self.point_at_field(why),
            None if id == self.open && end.status == TurnStatus::Done => self.params.form.clear_refusal(),
            _ => {}
        }
        for (turn, _) in turns {
            self.view_requests.redraw(turn);
        }
        if id == self.open {
            self.expect_result();
        }
        self.composer.count_soon(cx.now);
        self.ask_next_responder(id, asked, cx);
    }

    /// Shows a server's refusal at the parameter it names.
    fn point_at_field(&mut self, why: &Failure) {
        let form = &mut self.params.form;
        let settings: Vec<_> = form.fields.iter().map(|field| (field.name, form.summary(field).to_owned())).collect();
        if let Some((name, why)) = refusal::refused_field(why, settings.into_iter())
            && form.fields.iter().any(|field| field.name == name)
        {
            form.refuse(name, why);
        }
    }

    /// Returns tokens and cost of the answer under way here, or of the last one.
    pub(super) fn meter(&self) -> Option<RunMeter> {
        // A request that was refused and waits for its next attempt has cost nothing.
        let answer = self.conversation().answer.as_ref().filter(|answer| !answer.run.is_retrying());
        answer.map(|answer| answer.run.meter()).or(self.last_meter)
    }
}

/// Returns the failure that was kept with a turn, for the details view.
pub(super) fn saved_failure(turn: &Turn) -> Option<Failure> {
    let Details { status, code, request_id, attempts, headers, body } = (**turn.details.as_ref()?).clone();
    let why = Failure::new(FailureKind::Server, turn.error.clone());
    Some(Failure { status, code, request_id, attempts, headers, body, ..why })
}
