//! A run as data: its texts, their vectors, its cost. `run.rs` begins one, `send.rs` sends it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::api::call::Ticket;
use crate::api::capability::Adaptation;
use crate::component::{AnswerCost, money};
use crate::record::{Cost, Record, Stored, TextKey, VectorKey};
use crate::settings::ProfileId;
use crate::tabs::activity::{Activity, ActivityOutcome};
use crate::tabs::batch::{
    BatchItem, BatchLimits, BatchResult, BatchRunner, BatchState, BatchTally, NextAttempt, ResultOutbox,
};
use crate::text::Untrusted;
use crate::tokens::{Price, context};
use crate::ui::meter;

/// Requests under way, texts in each, tokens in each.
const LIMITS: BatchLimits = BatchLimits { requests: 4, items: 128, weight: 200_000 };
/// Texts that are sent without a question, whatever they are for, and what they may cost, in billionths of a dollar.
const SURE: usize = 1_000;
const SURE_COST: i64 = 10_000_000;

/// Why a request failed that ended without an answer.
pub(super) const NO_ANSWER: &str = "the answer has no vectors; is this an embedding server?";

/// Vectors in one record to the store.
pub(super) const VECTORS_PER_RECORD: usize = 2_048;

/// What it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunPurpose {
    /// The list's own vectors.
    List,
    /// The same texts under another key, to compare.
    Other,
    /// One text that is typed, to rank by.
    Query,
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunStage {
    /// Which texts have vectors is looked up.
    Looking,
    /// The others are counted.
    Counting,
    /// The user is asked.
    Asking,
    /// Requests are made.
    Sending,
    /// All have their vectors, which are read from the disk.
    Reading,
}

/// One text, however often it stands in the list.
#[derive(Clone, Debug)]
pub(super) struct RunItem {
    pub(super) key: TextKey,
    /// As it is sent.
    pub(super) text: Untrusted,
    pub(super) rows: u32,
    pub(super) tokens: Option<u32>,
}

/// The vector of a text, as it came.
#[derive(Clone, Debug)]
pub(super) struct EmbeddedText {
    /// What it is stored under, as all of its run are.
    pub(super) key: Arc<VectorKey>,
    pub(super) text: TextKey,
    pub(super) vector: Arc<[f32]>,
}

impl BatchResult for EmbeddedText {
    const WITH_LEDGER: bool = false;
    const MOST: usize = VECTORS_PER_RECORD;

    fn record(results: Vec<Self>) -> Record {
        let key = VectorKey::clone(&results[0].key);
        Record::Vectors { key, vectors: results.into_iter().map(|result| (result.text, result.vector)).collect() }
    }
}

/// A run.
#[derive(Debug)]
pub(super) struct EmbedRun {
    pub(super) number: u64,
    pub(super) purpose: RunPurpose,
    pub(super) key: VectorKey,
    /// Whether its model is one of the local service's.
    pub(super) local: bool,
    /// What the model's tokens cost; `None`: unknown.
    pub(super) price: Option<Price>,
    pub(super) items: Vec<RunItem>,
    /// The texts that have no vector; while the run sends, in the order of the batch.
    pub(super) missing: Vec<u32>,
    /// Rows that had vectors before it.
    pub(super) cached: u64,
    pub(super) stage: RunStage,
    /// Sends them; `None`: nothing is sent yet.
    pub(super) runner: Option<BatchRunner>,
    /// How its requests were changed because the server refuses them as they are.
    pub(super) adapted: Vec<Adaptation>,
    /// What came, until it is on disk.
    pub(super) outbox: ResultOutbox<EmbeddedText>,
    /// Texts that are being asked for.
    pub(super) asking: HashSet<TextKey>,
    pub(super) began: Instant,
    /// The vectors of a query.
    pub(super) found: Option<Arc<[f32]>>,
}

impl EmbedRun {
    /// Creates a run, which begins by looking for its vectors on the disk. Equal texts are one text of the run.
    pub(super) fn new(
        number: u64,
        purpose: RunPurpose,
        key: VectorKey,
        price: Option<Price>,
        texts: Vec<(Untrusted, Option<u32>)>,
        now: Instant,
    ) -> Self {
        let mut items: Vec<RunItem> = Vec::new();
        let mut places: HashMap<TextKey, usize> = HashMap::new();
        for (text, tokens) in texts {
            let key = TextKey::of(&text);
            let place = *places.entry(key).or_insert(items.len());
            match items.get_mut(place) {
                Some(item) => item.rows += 1,
                None => items.push(RunItem { key, text, rows: 1, tokens }),
            }
        }
        Self {
            number,
            purpose,
            local: key.profile == ProfileId::local().0,
            price,
            key,
            items,
            missing: Vec::new(),
            cached: 0,
            stage: RunStage::Looking,
            runner: None,
            adapted: Vec::new(),
            outbox: ResultOutbox::default(),
            asking: HashSet::new(),
            began: now,
            found: None,
        }
    }

    /// Takes which of its texts have a vector, and returns the empty ones: these have no meaning, and servers refuse
    /// them.
    pub(super) fn note_vectors(&mut self, has: &[bool]) -> Vec<TextKey> {
        let known = self.items.iter().zip(has).filter(|(_, has)| **has);
        self.cached = known.map(|(item, _)| u64::from(item.rows)).sum();
        let missing = (0..).zip(self.items.iter().zip(has)).filter(|(_, (item, has))| !**has && !item.text.is_empty());
        self.missing = missing.map(|(at, _)| at).collect();
        self.items.iter().filter(|item| item.text.is_empty()).map(|item| item.key).collect()
    }

    /// Takes the tokens of the texts without a vector.
    pub(super) fn note_tokens(&mut self, counts: &[u32]) {
        for (at, count) in self.missing.iter().zip(counts) {
            if let Some(item) = self.items.get_mut(*at as usize) {
                item.tokens = Some(*count);
            }
        }
    }

    /// Returns the texts that are too long for the model, with their tokens.
    pub(super) fn too_long(&self) -> Vec<(TextKey, u32)> {
        let limit = context(&self.key.model.line()).unwrap_or(u64::MAX);
        let counted = self.missing().map(|item| (item.key, item.tokens.unwrap_or(0)));
        counted.filter(|(_, tokens)| u64::from(*tokens) > limit).collect()
    }

    /// Leaves out texts that are too long, and returns why each has no vector.
    pub(super) fn leave_out(&mut self, over: &[(TextKey, u32)]) -> Vec<(TextKey, Untrusted)> {
        let keys: HashSet<TextKey> = over.iter().map(|(key, _)| *key).collect();
        let items = &self.items;
        self.missing.retain(|at| items.get(*at as usize).is_some_and(|item| !keys.contains(&item.key)));
        let limit = meter::count(context(&self.key.model.line()).unwrap_or(0));
        let why = |tokens: u32| format!("left out: {} tokens, the model reads {limit}", meter::count(tokens.into()));
        over.iter().map(|(key, tokens)| (*key, why(*tokens).into())).collect()
    }

    /// Returns what the texts without a vector cost, in billionths of a dollar; `None`: the price is not known.
    fn price_of_missing(&self) -> Option<i64> {
        AnswerCost::of_prompt(self.missing_tokens(), self.price).nano()
    }

    /// Returns whether the user is asked before it sends.
    pub(super) fn needs_consent(&self) -> bool {
        self.missing.len() > SURE || self.price_of_missing().is_some_and(|nano| nano > SURE_COST)
    }

    /// Returns how many texts it would send, and what they would cost.
    pub(super) fn consent_words(&self) -> Vec<Untrusted> {
        let price = money::cost(self.price_of_missing());
        let (texts, tokens) = (meter::count(self.missing.len() as u64), meter::count(self.missing_tokens()));
        let said = format!("{texts} texts, ~{tokens} tokens ≈ {price}, go to");
        let mut lines = vec![said.into(), self.key.model.clone()];
        let day = self.price.and_then(|price| price.as_of);
        lines.extend(day.map(|day| format!("prices as of {day}").into()));
        lines
    }

    /// Begins to send the texts without a vector.
    pub(super) fn begin_sending(&mut self, now: Instant) {
        self.stage = RunStage::Sending;
        self.began = now;
        self.asking = self.missing().map(|item| item.key).collect();
        let item = |item: &RunItem| BatchItem { weight: item.tokens.unwrap_or(0).max(1), rows: item.rows };
        let items: Vec<BatchItem> = self.missing().map(item).collect();
        self.runner = Some(BatchRunner::new(NO_ANSWER, LIMITS, items, self.cached));
    }

    /// Does not wait for these items of the batch any more. Returns their texts, and why each has no vector.
    pub(super) fn give_up(&mut self, items: Vec<(u32, Untrusted)>) -> Vec<(TextKey, Untrusted)> {
        let failed: Vec<_> = items.into_iter().map(|(item, why)| (self.item(item).key, why)).collect();
        for (key, _) in &failed {
            self.asking.remove(key);
        }
        failed
    }

    pub(super) fn is_list(&self) -> bool {
        self.purpose == RunPurpose::List
    }

    /// Returns whether it is sending.
    pub(super) fn is_sending(&self) -> bool {
        self.stage == RunStage::Sending
    }

    /// Returns whether it works, waits for something, and not for the user.
    pub(super) fn is_busy(&self) -> bool {
        match &self.runner {
            None => self.stage != RunStage::Asking,
            Some(runner) => match runner.state() {
                BatchState::Running => true,
                BatchState::Held { until, .. } => until.is_some(),
                BatchState::Paused => !runner.requests().is_empty(),
                BatchState::Finished => self.stage == RunStage::Reading,
            },
        }
    }

    /// Returns it, if it embeds a list and does not wait for the user.
    pub(super) fn activity(&self) -> Option<Activity> {
        (self.purpose != RunPurpose::Query && self.is_busy()).then(|| self.tally().activity(self.number))
    }

    /// Returns how it ended, when it does not go on by itself.
    pub(super) fn outcome(&self) -> ActivityOutcome {
        // Before anything is sent it waits for the user's consent.
        self.runner.as_ref().map_or(ActivityOutcome::Stopped, BatchRunner::outcome)
    }

    /// Returns whether this text waits for its vector; while the run waits for the user, none does.
    pub(super) fn is_waiting_for(&self, text: &TextKey) -> bool {
        let state = self.runner.as_ref().map(BatchRunner::state);
        self.asking.contains(text) && !matches!(state, Some(BatchState::Held { until: None, .. }))
    }

    /// Returns when it is to be advanced even if nothing happens.
    pub(super) fn due(&self, now: Instant) -> Option<Instant> {
        self.runner.as_ref().and_then(|runner| runner.due(now))
    }

    /// Returns the attempt that starts first of the requests that are retried.
    pub(super) fn next_attempt(&self) -> Option<&NextAttempt> {
        self.runner.as_ref()?.next_attempt()
    }

    /// Returns whether what failed is sent again by itself: a request, or all of them after a while.
    pub(super) fn sends_again(&self) -> bool {
        let waits = |runner: &BatchRunner| matches!(runner.state(), BatchState::Held { until: Some(_), .. });
        self.next_attempt().is_some() || self.runner.as_ref().is_some_and(waits)
    }

    /// Returns the texts without a vector, in order.
    pub(super) fn missing(&self) -> impl Iterator<Item = &RunItem> {
        self.missing.iter().filter_map(|at| self.items.get(*at as usize))
    }

    /// Returns the text that a place of the batch stands for.
    pub(super) fn item(&self, item: u32) -> &RunItem {
        &self.items[self.missing[item as usize] as usize]
    }

    /// Returns the tokens of the texts without a vector, as counted.
    pub(super) fn missing_tokens(&self) -> u64 {
        self.missing().map(|part| u64::from(part.tokens.unwrap_or(0))).sum()
    }

    /// Returns how many rows of the list are done, failed and left.
    pub(super) fn tally(&self) -> BatchTally {
        self.runner.as_ref().map(BatchRunner::tally).unwrap_or_default()
    }

    /// Takes the store's answer and returns the vectors that are on disk now; `None`: it is about something else.
    pub(super) fn handle_stored(&mut self, ticket: Ticket, stored: &Stored) -> Option<Vec<EmbeddedText>> {
        let results = self.runner.as_mut()?.handle_stored(&mut self.outbox, ticket, stored)?;
        let vectors: Vec<EmbeddedText> = results.into_iter().map(|(_, result)| result).collect();
        for result in &vectors {
            self.asking.remove(&result.text);
            if self.purpose == RunPurpose::Query {
                self.found = Some(Arc::clone(&result.vector));
            }
        }
        Some(vectors)
    }

    /// Notes a change to one of its requests.
    pub(super) fn note_adapted(&mut self, change: Adaptation) {
        if !self.adapted.contains(&change) {
            self.adapted.push(change);
        }
    }

    /// Returns the summary that is shown once it has ended.
    pub(super) fn summary(&self, stopped: bool, now: Instant) -> RunSummary {
        let (tally, meter) = (self.tally(), self.outbox.meter().unwrap_or_default());
        let all: u64 = self.items.iter().map(|part| u64::from(part.rows)).sum();
        let sent = tally.total.saturating_sub(tally.skipped);
        RunSummary {
            stopped,
            sent: tally.done.saturating_sub(tally.skipped),
            cached: self.cached,
            left_out: if stopped { 0 } else { all.saturating_sub(self.cached + sent) },
            failed: tally.failed,
            tokens: meter.prompt_tokens,
            estimated: meter.estimated,
            cost: meter.cost,
            time: now.saturating_duration_since(self.began),
            adapted: self.adapted.iter().map(Adaptation::words).collect::<Vec<_>>().join("; "),
        }
    }
}

/// How a run ended, in rows of the list.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RunSummary {
    pub(super) stopped: bool,
    pub(super) sent: u64,
    /// Had vectors before.
    pub(super) cached: u64,
    /// Too long, or empty: not sent.
    pub(super) left_out: u64,
    pub(super) failed: u64,
    pub(super) tokens: u64,
    pub(super) estimated: bool,
    pub(super) cost: Cost,
    pub(super) time: Duration,
    /// How its requests were changed; empty: not at all.
    pub(super) adapted: String,
}
