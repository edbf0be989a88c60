//! Runs under way: what is asked, what has come of it, what of that is with the store.

use std::time::{Duration, Instant};

use super::history::History;
use crate::api::call::Ticket;
use crate::record::{Id, Record, Run as Kept, Token};
use crate::settings::ProfileId;
use crate::tabs::generation::{Phase, Run};
use crate::tabs::tab::RunMeter;
use crate::tokens::Price;

/// Text is kept at least this often while it streams…
pub(super) const SAVE_EVERY: Duration = Duration::from_secs(1);
/// …or when this much is new (bytes).
const SAVE_BYTES: usize = 4096;

/// A run under way.
#[derive(Debug)]
pub(super) struct Flight {
    /// What streams.
    pub(super) run: Run,
    /// What is kept of it.
    pub(super) kept: Kept,
    /// What it is part of.
    pub(super) purpose: Purpose,
    /// The profile it went to.
    pub(super) profile: ProfileId,
    /// Its choices that have begun.
    pub(super) outputs: Vec<Output>,
    /// Where its text goes, in bytes of the buffer it was asked from.
    pub(super) at: usize,
    /// Tokens of the prompt, counted here.
    pub(super) prompt_tokens: u64,
    /// Whether that count is a guess.
    pub(super) guessed: bool,
    /// What the model's tokens cost there; `None`: unknown.
    pub(super) price: Option<Price>,
    pub(super) last_saved: Instant,
    /// How many tokens of the prompt the store has been given.
    pub(super) prompt_saved: usize,
}

/// What a run is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The buffer goes on with it.
    Buffer,
    /// A column of the comparison.
    Column(usize),
}

/// A choice that has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Output {
    /// 0-based.
    pub(super) choice: u32,
    /// The step it is in the history.
    pub(super) step: Id,
    /// Bytes of it the store has been given.
    pub(super) saved: usize,
    /// Tokens of it the store has been given.
    pub(super) tokens_saved: usize,
}

/// A run that waits for its prompt to be on disk.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Order {
    pub(super) kept: Kept,
    pub(super) purpose: Purpose,
    pub(super) profile: ProfileId,
    pub(super) request: crate::api::completion::CompletionRequest,
    pub(super) at: usize,
    pub(super) prompt_tokens: u64,
    pub(super) guessed: bool,
    pub(super) price: Option<Price>,
}

impl Flight {
    /// A run that was asked for now.
    pub(super) fn new(order: Order, run: Run, now: Instant) -> Self {
        let Order { kept, purpose, profile, at, prompt_tokens, guessed, price, .. } = order;
        Self {
            run,
            kept,
            purpose,
            profile,
            outputs: Vec::new(),
            at,
            prompt_tokens,
            guessed,
            price,
            last_saved: now,
            prompt_saved: 0,
        }
    }

    pub(super) fn ticket(&self) -> Ticket {
        self.run.ticket
    }

    /// Whether a refused attempt waits for the next one.
    pub(super) fn is_counting(&self) -> bool {
        matches!(self.run.phase, Phase::Retrying { .. })
    }

    /// Tokens and cost so far.
    pub(super) fn meter(&self) -> RunMeter {
        let (prompt_tokens, own) = self.run.prompt_tokens(self.prompt_tokens);
        let (completion_tokens, estimated) = self.run.completion_tokens();
        let cost = self.run.cost(self.price, prompt_tokens, completion_tokens).into();
        RunMeter { prompt_tokens, completion_tokens, estimated: estimated || own && self.guessed, cost, texts: 0 }
    }

    /// The choice's step, where it has begun.
    pub(super) fn output(&mut self, choice: u32) -> Option<&mut Output> {
        self.outputs.iter_mut().find(|output| output.choice == choice)
    }

    /// Whether something came that the store has not been given.
    pub(super) fn is_behind(&self, history: &History) -> bool {
        self.outputs.iter().any(|output| behind(output, history) > 0)
    }

    /// Orders that keep what is new, if it is time or `now`.
    pub(super) fn save<'t>(
        &mut self,
        history: &History,
        tokens: impl Fn(Id) -> &'t [Token],
        now: Instant,
        at_once: bool,
    ) -> Vec<Record> {
        let rested = at_once || now.saturating_duration_since(self.last_saved) >= SAVE_EVERY;
        let mut orders = Vec::new();
        for output in &mut self.outputs {
            let new = behind(output, history);
            if !rested && new < SAVE_BYTES {
                continue;
            }
            if new > 0
                && let Some(step) = history.step(output.step)
            {
                let (at, text) = (output.saved as u64, step.inserted.after(output.saved));
                orders.push(Record::Grow { step: output.step, at, text });
                output.saved = step.inserted.len();
            }
            orders.extend(fresh(output.step, tokens(output.step), &mut output.tokens_saved));
        }
        if rested {
            orders.extend(fresh(self.kept.id, tokens(self.kept.id), &mut self.prompt_saved));
            self.last_saved = now;
        }
        orders
    }
}

/// Bytes of an output that the store has not been given.
fn behind(output: &Output, history: &History) -> usize {
    history.step(output.step).map_or(0, |step| step.inserted.len() - output.saved)
}

/// The order that keeps tokens the store has not been given.
fn fresh(of: Id, tokens: &[Token], saved: &mut usize) -> Option<Record> {
    let new = tokens.get(*saved..).filter(|new| !new.is_empty())?;
    let order = Record::Tokens { of, at: *saved as u64, tokens: new.to_vec() };
    *saved = tokens.len();
    Some(order)
}
