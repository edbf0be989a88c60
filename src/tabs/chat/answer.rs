//! An answer under way: begun when the prompt is on disk, kept as it grows, ended with its figures.

use std::time::Instant;

use super::kept::UNSENT;
use super::room::{Answer, Choice, SAVE_BYTES, SAVE_EVERY, Voice};
use super::state::State;
use super::told::Told;
use crate::api::call::{Call, Failure, FailureKind, Progress, Ticket};
use crate::component::{Cx, Effect};
use crate::record::{Details, Id, LedgerRow, Record, Turn, TurnStatus};
use crate::settings::ProfileId;
use crate::tabs::generation::{News, Part, Phase, Run, part_cost, refusal};
use crate::tabs::tab::RunMeter;

impl State {
    /// Starts the request that waits in a room, once everything it needs is here and on disk.
    pub(super) fn begin(&mut self, id: Id, cx: &mut Cx) {
        let Some(room) = self.rooms.get(&id) else { return };
        let Some(asking) = room.committing.clone() else { return };
        let missing = room.missing(asking.parent);
        if missing.iter().any(|turn| room.lost.contains(turn)) {
            return self.unsent(id, "a part of this conversation is no longer in the store, so it was not sent", cx);
        }
        if !missing.is_empty() {
            self.load_these(id, missing, cx);
            return;
        }
        let voice = asking.voice.clone();
        let voice =
            voice.unwrap_or_else(|| Voice { profile: cx.session.profile.clone(), model: cx.session.model.clone() });
        let Voice { profile, model } = voice;
        let local = if asking.voice.is_some() { profile == ProfileId::local() } else { cx.session.local };
        let prompt_tokens = match self.weigh(id, &asking, &model, local, cx) {
            None => return,
            Some(Err(why)) => return self.unsent(id, &why, cx),
            Some(Ok(tokens)) => tokens,
        };
        let request = self.rooms[&id].request(&asking, &model);
        let probed = request.logprobs == Some(true);
        let price = cx.session.price(&profile, &model);
        let ticket = cx.call_to(profile.clone(), Call::Chat(Box::new(request)));
        cx.push(Effect::Settle(UNSENT));
        // It came back to the composer when it was not sent.
        if id == self.open && self.editing == Some(asking.parent) && self.is_edit_unchanged() {
            self.drop_edit(cx);
        }
        let turn_id = asking.replaces.unwrap_or_else(|| cx.id());
        let Some(room) = self.rooms.get_mut(&id) else { return };
        room.committing = None;
        let mut turn = room.answer_turn(turn_id, asking.parent, 0, model.clone(), cx.unix_ms);
        if let Some(before) = asking.continues.and_then(|before| room.tree.turn(before)) {
            turn.content.clone_from(&before.content);
            turn.reasoning.clone_from(&before.reasoning);
        }
        let choice = Choice {
            index: 0,
            turn: turn_id,
            content_saved: turn.content.len(),
            reasoning_saved: turn.reasoning.len(),
            blocks_saved: 0,
            base: turn.content.len() + turn.reasoning.len(),
        };
        room.failures.remove(&turn_id);
        room.told.insert(turn_id, Told::of_request(probed));
        room.put(turn.clone());
        room.go_to(Some(turn_id));
        room.answer = Some(Answer {
            run: Run::new(ticket, cx.now),
            parent: asking.parent,
            choices: vec![choice],
            last_saved: cx.now,
            prompt_tokens,
            model,
            probed,
            profile: profile.0,
            price,
        });
        room.conversation.updated_ms = cx.unix_ms;
        self.ticked = Some(cx.now);
        self.show_voices(id, turn_id);
        self.keep(id, Record::Turn(Box::new(turn)), cx);
        self.keep_conversation(id, cx);
        self.touch(turn_id);
    }

    pub(super) fn progress(&mut self, ticket: Ticket, progress: Progress, cx: &mut Cx) {
        let mine = self
            .rooms
            .iter_mut()
            .find(|(_, room)| room.answer.as_ref().is_some_and(|answer| answer.run.ticket == ticket));
        let Some((id, room)) = mine else { return };
        let id = *id;
        let Some(answer) = &mut room.answer else { return };
        match answer.run.progress(progress, cx.now) {
            News::Phase => {
                if let (Phase::Retrying { why, .. }, Some(choice)) = (&answer.run.phase, answer.choices.first()) {
                    room.failures.insert(choice.turn, why.clone());
                }
            }
            News::Parts(parts) => {
                for part in parts {
                    self.part(id, part, cx);
                }
                self.save_answer(id, false, cx);
            }
            News::Closed(Ok(())) => self.finish(id, TurnStatus::Done, None, cx),
            News::Closed(Err(why)) => {
                let begun = room.answer.as_ref().is_some_and(|answer| answer.run.first_text.is_some());
                let status = if begun { TurnStatus::CutOff } else { TurnStatus::Failed };
                self.finish(id, status, Some(why), cx);
            }
        }
    }

    /// Adds text to a choice's turn, which is made when its first text comes.
    fn part(&mut self, id: Id, part: Part, cx: &mut Cx) {
        let Some(room) = self.rooms.get_mut(&id) else { return };
        let Some(answer) = &mut room.answer else { return };
        let known = answer.choices.iter().find(|choice| choice.index == part.choice).map(|choice| choice.turn);
        let (parent, model, probed) = (answer.parent, answer.model.clone(), answer.probed);
        let turn_id = match known {
            Some(turn) => turn,
            None => {
                let turn_id = cx.id();
                answer.choices.push(Choice {
                    index: part.choice,
                    turn: turn_id,
                    content_saved: 0,
                    reasoning_saved: 0,
                    blocks_saved: 0,
                    base: 0,
                });
                let turn = room.answer_turn(turn_id, parent, part.choice, model, cx.unix_ms);
                room.told.insert(turn_id, Told::of_request(probed));
                room.put(turn.clone());
                self.keep(id, Record::Turn(Box::new(turn)), cx);
                self.touch(turn_id);
                turn_id
            }
        };
        let Some(room) = self.rooms.get_mut(&id) else { return };
        room.told.entry(turn_id).or_default().add(part.tokens);
        let Some(turn) = room.tree.turn_mut(turn_id) else { return };
        let mut begun = turn.reasoning.is_empty() && !part.reasoning.is_empty();
        turn.content.append(&part.content);
        turn.reasoning.append(&part.reasoning);
        for piece in part.blocks {
            begun |= turn.add(piece);
        }
        if begun {
            room.revision += 1;
        }
        if let Some(reason) = part.finish_reason {
            turn.finish_reason = reason;
        }
    }

    /// Gives the store what is new, if it is time.
    pub(super) fn save_answer(&mut self, id: Id, now: bool, cx: &mut Cx) {
        let Some(room) = self.rooms.get_mut(&id) else { return };
        let Some(answer) = &mut room.answer else { return };
        let rested = cx.now.saturating_duration_since(answer.last_saved) >= SAVE_EVERY;
        let mut orders = Vec::new();
        for choice in &mut answer.choices {
            let behind = choice.behind(&room.tree);
            if behind == 0 || !(now || rested || behind >= SAVE_BYTES) {
                continue;
            }
            let Some(turn) = room.tree.turn(choice.turn) else { continue };
            // They are written as a whole, so not again for each few bytes.
            let blocks = turn.blocks_len();
            if blocks > choice.blocks_saved && (now || blocks - choice.blocks_saved >= choice.blocks_saved / 8) {
                choice.blocks_saved = blocks;
                orders.push(Record::Blocks { turn: choice.turn, blocks: turn.blocks.clone() });
            }
            if turn.content.len() == choice.content_saved && turn.reasoning.len() == choice.reasoning_saved {
                continue;
            }
            orders.push(Record::Extend {
                turn: choice.turn,
                content_at: choice.content_saved as u64,
                content: turn.content.after(choice.content_saved),
                reasoning_at: choice.reasoning_saved as u64,
                reasoning: turn.reasoning.after(choice.reasoning_saved),
            });
            orders.extend(room.told.get_mut(&choice.turn).and_then(|told| told.unsaved(choice.turn)));
            choice.content_saved = turn.content.len();
            choice.reasoning_saved = turn.reasoning.len();
        }
        // A choice that brings much does not put off the others.
        if now || rested {
            answer.last_saved = cx.now;
        }
        for order in orders {
            self.keep(id, order, cx);
        }
    }

    /// The answer has ended, well or not: its figures, its last words to the store, its line in the ledger.
    pub(super) fn finish(&mut self, id: Id, status: TurnStatus, why: Option<Failure>, cx: &mut Cx) {
        let Some(room) = self.rooms.get_mut(&id) else { return };
        let Some(answer) = room.answer.take() else { return };
        let meter = answer.meter();
        let RunMeter { prompt_tokens: prompt, completion_tokens: completion, estimated, .. } = meter;
        let cost_nano = answer.run.cost(answer.price, prompt, completion);
        let answered = answer.run.first_text.is_some() || answer.run.usage.is_some();
        let total = cx.now.saturating_duration_since(answer.run.started).as_millis() as u64;
        let whole: u64 = answer.choices.iter().map(|choice| written(choice, room)).sum();
        let left_out = answer.run.left_out();
        let mut kept = Vec::new();
        let count = answer.choices.len() as u64;
        // Of the choices so far: bytes, tokens, cost.
        let (mut bytes, mut tokens, mut spent) = (0, 0, Some(0));
        for (at, choice) in (1..).zip(&answer.choices) {
            // With several choices the server's one figure is shared out by length, and the prompt's price evenly.
            bytes += written(choice, room);
            let (share, cost) = if count > 1 {
                let upto = share(completion, bytes, whole.max(1));
                let before = (std::mem::replace(&mut tokens, upto), spent);
                let usage = answer.run.usage.as_ref();
                spent =
                    part_cost(usage, answer.price, share(prompt, at, count), upto, prompt.saturating_add(completion));
                (upto - before.0, spent.zip(before.1).map(|(upto, before)| upto - before))
            } else {
                (completion, cost_nano)
            };
            let Some(turn) = room.tree.turn_mut(choice.turn) else { continue };
            turn.content.shrink();
            turn.reasoning.shrink();
            // A choice that came to its end has, however the others ended.
            let (status, why) =
                if turn.finish_reason.is_empty() { (status, why.as_ref()) } else { (TurnStatus::Done, None) };
            turn.status = status;
            if !answer.run.model.is_empty() {
                turn.model.clone_from(&answer.run.model);
            }
            turn.error = match why {
                Some(why) => why.sentence.clone(),
                None => left_out.as_deref().unwrap_or_default().into(),
            };
            turn.details = why.map(|why| Box::new(details(why)));
            turn.prompt_tokens = if answered { prompt } else { 0 };
            turn.completion_tokens = share;
            turn.estimated = estimated || count > 1;
            turn.cost_nano = if answered { cost } else { Some(0) };
            turn.first_token_ms = answer.run.to_first().map_or(0, |to_first| to_first.as_millis() as u64);
            turn.total_ms = total;
            kept.push(Record::Turn(Box::new(turn.clone())));
            kept.extend(room.told.get_mut(&choice.turn).and_then(|told| told.unsaved(choice.turn)));
            match why {
                Some(why) => drop(room.failures.insert(choice.turn, why.clone())),
                None => drop(room.failures.remove(&choice.turn)),
            }
        }
        if status != TurnStatus::Stopped {
            self.unseen.insert(id, status != TurnStatus::Done);
        }
        if answered {
            let spent = LedgerRow {
                request_id: answer.run.request_id.clone().unwrap_or_else(|| format!("benchtop-{}", cx.id().0).into()),
                at_ms: cx.unix_ms,
                profile: answer.profile.clone(),
                tab: "Chat".into(),
                model: answer.model.clone(),
                prompt_tokens: prompt,
                completion_tokens: completion,
                estimated,
                cost_nano,
            };
            room.spent.push(spent.clone());
            kept.push(Record::Ledger(spent));
        }
        let asked = answer.parent;
        let turns: Vec<Id> = answer.choices.iter().map(|choice| choice.turn).collect();
        self.meter = answered.then_some(meter);
        self.keep(id, Record::Batch(kept), cx);
        match &why {
            Some(why) if id == self.open => self.point_at_field(why),
            None if id == self.open && status == TurnStatus::Done => self.form.clear_refusal(),
            _ => {}
        }
        for turn in turns {
            self.touch(turn);
        }
        self.count_soon(cx.now);
        self.next_voice(id, asked, cx);
    }

    /// Shows a server's refusal at the parameter it names.
    fn point_at_field(&mut self, why: &Failure) {
        let settings: Vec<_> = self.form.fields.iter().map(|field| (field.name, field.value.clone())).collect();
        if let Some((name, why)) = refusal::read(why, settings.into_iter())
            && self.form.fields.iter().any(|field| field.name == name)
        {
            self.form.refuse(name, why);
        }
    }

    /// Tokens and cost of the answer under way here, or of the last one.
    pub(super) fn meter(&self) -> Option<RunMeter> {
        // A request that was refused and waits for another try has cost nothing.
        self.room().answer.as_ref().filter(|answer| !answer.is_counting()).map(Answer::meter).or(self.meter)
    }

    /// How long an answer has been under way.
    pub(super) fn elapsed(answer: &Answer, now: Instant) -> std::time::Duration {
        now.saturating_duration_since(answer.run.started)
    }
}

/// So many parts of a count that is shared out by `of` parts; servers may send counts of any size.
fn share(count: u64, parts: u64, of: u64) -> u64 {
    u64::try_from(u128::from(count) * u128::from(parts) / u128::from(of)).unwrap_or(u64::MAX)
}

/// Bytes that came for a choice.
fn written(choice: &Choice, room: &super::room::Room) -> u64 {
    let all = |turn: &Turn| turn.content.len() + turn.reasoning.len() + turn.blocks_len();
    room.tree.turn(choice.turn).map_or(0, |turn| (all(turn) - choice.base) as u64)
}

/// What is kept of a failure with its turn, besides its sentence.
fn details(why: &Failure) -> Details {
    Details {
        status: why.status,
        code: why.code.clone(),
        request_id: why.request_id.clone(),
        attempts: why.attempts,
        headers: why.headers.clone(),
        body: why.body.clone(),
    }
}

/// The failure that was kept with a turn, for the details view.
pub(super) fn kept_failure(turn: &Turn) -> Option<Failure> {
    let Details { status, code, request_id, attempts, headers, body } = (**turn.details.as_ref()?).clone();
    let why = Failure::new(FailureKind::Server, turn.error.clone());
    Some(Failure { status, code, request_id, attempts, headers, body, ..why })
}
