//! An answer under way in a conversation: begun when its request is sent, saved as it grows, and ended.

use super::conversation::{AnswerRequest, OpenConversation};
use super::conversations::Conversations;
use super::streaming_answer::{EndedAnswer, StreamingAnswer};
use crate::api::call::{Progress, Ticket};
use crate::component::Cx;
use crate::record::{Block, Id, Record, Turn};
use crate::tabs::activity::ActivityOutcome;
use crate::tabs::generation::{Part, RunEnd, RunUpdate, StreamingRun};

/// What has become of an answer.
#[derive(Debug)]
pub(super) enum AnswerUpdate {
    /// These turns of it have begun.
    Begun(Vec<Id>),
    /// The answer in this conversation has ended.
    Ended(Id, RunEnd),
}

impl Conversations {
    /// Takes in what the client says of the call of an answer. Returns what the rest of the tab has to know.
    pub(super) fn handle_progress(&mut self, ticket: Ticket, progress: Progress, cx: &mut Cx) -> Option<AnswerUpdate> {
        let owns = |conversation: &OpenConversation| {
            conversation.answer.as_ref().is_some_and(|answer| answer.run.owns(ticket))
        };
        let (&id, conversation) = self.in_memory.iter_mut().find(|(_, conversation)| owns(conversation))?;
        let answer = conversation.answer.as_mut()?;
        match answer.run.handle_progress(progress, cx.now) {
            RunUpdate::Nothing => None,
            RunUpdate::Retrying(failure) => {
                if let Some(turn) = answer.turns().next() {
                    conversation.failures.insert(turn, failure);
                }
                None
            }
            RunUpdate::Parts(parts) => {
                let mut begun = Vec::new();
                for part in parts {
                    let turn = self.get_mut(id)?.add_part(part, cx);
                    begun.extend(turn.as_ref().map(|turn| turn.id));
                    if let Some(turn) = turn {
                        self.save(id, Record::Turn(Box::new(turn)), cx);
                    }
                }
                self.save_answer(id, cx);
                Some(AnswerUpdate::Begun(begun))
            }
            RunUpdate::Ended(end) => Some(AnswerUpdate::Ended(id, end)),
        }
    }

    /// Saves what is new of an answer, if it is time.
    pub(super) fn save_answer(&mut self, id: Id, cx: &mut Cx) {
        let Some(conversation) = self.get_mut(id) else { return };
        let Some(answer) = &mut conversation.answer else { return };
        for record in answer.save(&conversation.tree, &mut conversation.tokens, cx) {
            self.save(id, record, cx);
        }
    }
}

impl OpenConversation {
    /// Makes the turn in which the answer to a request that was just sent grows. Returns it.
    pub(super) fn begin_answer(
        &mut self,
        turn_id: Id,
        asking: &AnswerRequest,
        run: StreamingRun,
        unix_ms: i64,
    ) -> Turn {
        self.committing = None;
        let mut turn = self.answer_turn(turn_id, asking.parent, 0, run.target().model.clone(), unix_ms);
        if let Some(before) = asking.continues.and_then(|before| self.tree.turn(before)) {
            turn.content.clone_from(&before.content);
            turn.reasoning.clone_from(&before.reasoning);
        }
        self.failures.remove(&turn_id);
        self.formats.remove(&turn_id);
        self.tokens.begin(turn_id, self.record.params.logprobs.is_some());
        self.tree.put(turn.clone());
        self.go_to(Some(turn_id));
        self.answer = Some(StreamingAnswer::new(run, asking.parent, &self.record.params, &turn));
        self.record.updated_ms = unix_ms;
        turn
    }

    /// Adds text to a choice's turn, which is made when its first text comes. Returns it without that text if it was
    /// made.
    pub(super) fn add_part(&mut self, part: Part, cx: &mut Cx) -> Option<Turn> {
        let (turn_id, begun_turn) = match self.answer.as_ref()?.turn_of(part.choice) {
            Some(turn) => (turn, None),
            None => {
                let turn = self.add_choice(part.choice, cx)?;
                (turn.id, Some(turn))
            }
        };
        self.tokens.add(turn_id, part.tokens);
        let profile = self.answer.as_ref().map(|answer| answer.run.target().profile.0.as_str());
        let Some(turn) = self.tree.turn_mut(turn_id) else { return begun_turn };
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
            self.revision += 1;
        }
        if let Some(reason) = part.finish_reason {
            turn.finish_reason = reason;
        }
        begun_turn
    }

    /// Makes the turn of another choice. Returns it.
    fn add_choice(&mut self, choice: u32, cx: &mut Cx) -> Option<Turn> {
        let answer = self.answer.as_ref()?;
        let model = answer.run.target().model.clone();
        let turn = self.answer_turn(cx.id(), answer.parent, choice, model, cx.unix_ms);
        let answer = self.answer.as_mut()?;
        answer.add_choice(choice, &turn);
        self.tokens.begin(turn.id, answer.with_tokens);
        self.tree.put(turn.clone());
        Some(turn)
    }

    /// Ends the answer under way: its turns get their figures. Returns the turn it answers, and what is to be saved.
    pub(super) fn finish_answer(&mut self, end: &RunEnd, cx: &mut Cx) -> Option<(Id, EndedAnswer)> {
        let answer = self.answer.take()?;
        let asked = answer.parent;
        let mut ended = answer.finish(end, &mut self.tree, &mut self.tokens, cx);
        let choices = ended.turns.iter().filter_map(|(turn, _)| self.tree.turn(*turn));
        if let Some(outcome) = ActivityOutcome::of_parts(choices.map(|turn| turn.status.into())) {
            self.note_outcome(outcome);
        }
        for (turn, failure) in &ended.turns {
            match failure {
                Some(failure) => drop(self.failures.insert(*turn, failure.clone())),
                None => drop(self.failures.remove(turn)),
            }
        }
        self.formats.extend(ended.formats.drain(..));
        self.check_calls(ended.turns.iter().map(|(turn, _)| *turn));
        Some((asked, ended))
    }
}
