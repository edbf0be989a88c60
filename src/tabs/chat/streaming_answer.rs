//! An answer under way: its run, the turns that its choices are written into, how much of each is saved.

use super::answer_format::{self, FormatCheck};
use super::answer_tokens::TokensByTurn;
use super::turn_tree::TurnTree;
use crate::api::call::{Failure, FailureKind};
use crate::component::Cx;
use crate::record::{ChatParams, Details, Id, Record, Turn, TurnStatus};
use crate::tabs::generation::{RunEnd, StreamingRun};
use crate::tabs::tab::RunMeter;

/// An answer under way.
#[derive(Debug)]
pub(super) struct StreamingAnswer {
    pub(super) run: StreamingRun,
    /// The turn it answers.
    pub(super) parent: Id,
    /// Whether probabilities were asked for.
    pub(super) with_tokens: bool,
    /// The format that was asked for, as it was typed.
    format: Option<String>,
    choices: Vec<AnswerChoice>,
}

/// One choice's turn, and the bytes of it the store has been given.
#[derive(Clone, Copy, Debug)]
struct AnswerChoice {
    index: u32,
    turn: Id,
    content_saved: usize,
    reasoning_saved: usize,
    blocks_saved: usize,
    /// Bytes the turn began with (a continued answer).
    base: usize,
}

/// An answer that has ended: what is to be saved of it.
#[derive(Debug)]
pub(super) struct EndedAnswer {
    pub(super) records: Vec<Record>,
    /// Tokens and cost; `None`: nothing came that is billed.
    pub(super) meter: Option<RunMeter>,
    /// Its turns, each with why it failed.
    pub(super) turns: Vec<(Id, Option<Failure>)>,
    /// What is known of the formats of its turns.
    pub(super) formats: Vec<(Id, FormatCheck)>,
}

impl StreamingAnswer {
    /// Returns an answer that was asked for now; its first choice grows in `turn`, which may hold text already.
    pub(super) fn new(run: StreamingRun, parent: Id, params: &ChatParams, turn: &Turn) -> Self {
        let (with_tokens, format) = (params.logprobs.is_some(), params.response_format.clone());
        let mut answer = Self { run, parent, with_tokens, format, choices: Vec::new() };
        answer.add_choice(0, turn);
        answer
    }

    /// Adds a choice that grows in `turn`.
    pub(super) fn add_choice(&mut self, index: u32, turn: &Turn) {
        self.choices.push(AnswerChoice {
            index,
            turn: turn.id,
            content_saved: turn.content.len(),
            reasoning_saved: turn.reasoning.len(),
            blocks_saved: 0,
            base: turn.content.len() + turn.reasoning.len(),
        });
    }

    /// Returns the turn of a choice, where that has begun.
    pub(super) fn turn_of(&self, index: u32) -> Option<Id> {
        self.choices.iter().find(|choice| choice.index == index).map(|choice| choice.turn)
    }

    /// Returns the turns of all choices.
    pub(super) fn turns(&self) -> impl Iterator<Item = Id> {
        self.choices.iter().map(|choice| choice.turn)
    }

    /// Returns whether the store lacks any of the text.
    pub(super) fn has_unsaved(&self, tree: &TurnTree) -> bool {
        self.choices.iter().any(|choice| choice.unsaved(tree) > 0)
    }

    /// Returns what is new for the store, if it is time.
    pub(super) fn save(&mut self, tree: &TurnTree, tokens: &mut TokensByTurn, cx: &Cx) -> Vec<Record> {
        let round = self.run.save_round(cx.now, false);
        let mut records = Vec::new();
        for choice in &mut self.choices {
            let Some(turn) = tree.turn(choice.turn).filter(|_| round.takes(choice.unsaved(tree))) else { continue };
            // Blocks are written as a whole, so not again for every few bytes.
            let blocks = turn.blocks_len();
            if blocks > choice.blocks_saved && blocks - choice.blocks_saved >= choice.blocks_saved / 8 {
                choice.blocks_saved = blocks;
                records.push(Record::Blocks { turn: choice.turn, blocks: turn.blocks.clone() });
            }
            if turn.content.len() == choice.content_saved && turn.reasoning.len() == choice.reasoning_saved {
                continue;
            }
            records.push(Record::Extend {
                turn: choice.turn,
                content_at: choice.content_saved as u64,
                content: turn.content.after(choice.content_saved),
                reasoning_at: choice.reasoning_saved as u64,
                reasoning: turn.reasoning.after(choice.reasoning_saved),
            });
            records.extend(tokens.unsaved(choice.turn));
            choice.content_saved = turn.content.len();
            choice.reasoning_saved = turn.reasoning.len();
        }
        records
    }

    /// Ends it: its turns get their figures.
    pub(super) fn finish(
        self,
        end: &RunEnd,
        tree: &mut TurnTree,
        tokens: &mut TokensByTurn,
        cx: &mut Cx,
    ) -> EndedAnswer {
        let figures = self.run.finish("Chat", false, cx);
        let all = self.run.cost();
        let (prompt, completion) = (all.prompt_tokens(), all.completion_tokens());
        let whole: u64 = self.choices.iter().map(|choice| choice.bytes_written(tree)).sum();
        let count = self.choices.len() as u64;
        let (mut records, mut turns, mut formats) = (Vec::new(), Vec::new(), Vec::new());
        // Of the choices so far: bytes, tokens, cost.
        let (mut bytes, mut counted, mut spent) = (0, 0, Some(0));
        for (at, choice) in (1..).zip(&self.choices) {
            // With several choices the server's one figure is shared out by length, and the prompt's price evenly.
            bytes += choice.bytes_written(tree);
            let (share, cost) = if count > 1 {
                let upto = share(completion, bytes, whole.max(1));
                let before = (std::mem::replace(&mut counted, upto), spent);
                spent = all.part_nano(share(prompt, at, count), upto);
                (upto - before.0, spent.zip(before.1).map(|(upto, before)| upto - before))
            } else {
                (completion, figures.cost_nano)
            };
            let Some(turn) = tree.turn_mut(choice.turn) else { continue };
            turn.content.shrink();
            turn.reasoning.shrink();
            // A choice with a finish reason is complete, however the others ended.
            let complete = !turn.finish_reason.is_empty();
            let failure = end.failure.as_ref().filter(|_| !complete);
            turn.status = if complete { TurnStatus::Done } else { end.status };
            if !self.run.stream.model.is_empty() {
                turn.model.clone_from(&self.run.stream.model);
            }
            turn.error = self.run.stream.sentence(failure);
            let check = self.format.as_deref().and_then(|format| answer_format::check(format, turn));
            formats.extend(check.map(|check| (choice.turn, check)));
            turn.details = failure.map(|failure| Box::new(details(failure)));
            turn.prompt_tokens = if figures.answered { prompt } else { 0 };
            turn.completion_tokens = share;
            turn.estimated = all.is_estimated() || count > 1;
            turn.cost_nano = if figures.answered { cost } else { Some(0) };
            turn.first_token_ms = figures.first_token_ms;
            turn.total_ms = figures.total_ms;
            records.push(Record::Turn(Box::new(turn.clone())));
            records.extend(tokens.unsaved(choice.turn));
            turns.push((choice.turn, failure.cloned()));
        }
        records.extend(figures.ledger);
        EndedAnswer { records, meter: figures.answered.then_some(figures.meter), turns, formats }
    }
}

impl AnswerChoice {
    /// Returns how many bytes the store has not been given.
    fn unsaved(&self, tree: &TurnTree) -> usize {
        tree.turn(self.turn).map_or(0, |turn| {
            let texts = turn.content.len() - self.content_saved + turn.reasoning.len() - self.reasoning_saved;
            texts + turn.blocks_len() - self.blocks_saved
        })
    }

    /// Returns how many bytes came for it.
    fn bytes_written(&self, tree: &TurnTree) -> u64 {
        let all = |turn: &Turn| turn.content.len() + turn.reasoning.len() + turn.blocks_len();
        tree.turn(self.turn).map_or(0, |turn| (all(turn) - self.base) as u64)
    }
}

/// Returns so many parts of a count that is shared out by `of` parts; servers may send counts of any size.
fn share(count: u64, parts: u64, of: u64) -> u64 {
    u64::try_from(u128::from(count) * u128::from(parts) / u128::from(of)).unwrap_or(u64::MAX)
}

/// Returns what is kept of a failure with its turn, besides its sentence.
fn details(failure: &Failure) -> Details {
    Details {
        status: failure.status,
        code: failure.code.clone(),
        request_id: failure.request_id.clone(),
        attempts: failure.attempts,
        headers: failure.headers.clone(),
        body: failure.body.clone(),
    }
}

/// Returns the failure that was kept with a turn, for the details view.
pub(super) fn kept_failure(turn: &Turn) -> Option<Failure> {
    let Details { status, code, request_id, attempts, headers, body } = (**turn.details.as_ref()?).clone();
    let failure = Failure::new(FailureKind::Server, turn.error.clone());
    Some(Failure { status, code, request_id, attempts, headers, body, ..failure })
}
