//! A run: which texts have no vector is looked up, those are counted, then sent some at a time. What comes is on disk
//! before it is shown as done.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::api::call::{Failure, Ticket};
use crate::record::{Cost, TextKey, VectorKey};
use crate::settings::ProfileId;
use crate::tabs::batch::{self, Batch, Tally};
use crate::tabs::tab::RunMeter;
use crate::text::Untrusted;
use crate::tokens::Price;
use crate::ui::progress::Rate;

/// What it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The list's own vectors.
    List,
    /// The same texts under another key, to compare.
    Other,
    /// One text that is typed, to rank by.
    Query,
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
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
pub(super) struct Part {
    pub(super) key: TextKey,
    /// As it is sent.
    pub(super) text: Untrusted,
    pub(super) rows: u32,
    pub(super) tokens: Option<u32>,
}

/// A run.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) number: u64,
    pub(super) purpose: Purpose,
    pub(super) key: VectorKey,
    /// Whether its model is one of the local service's.
    pub(super) local: bool,
    /// What the model's tokens cost; `None`: unknown.
    pub(super) price: Option<Price>,
    pub(super) parts: Vec<Part>,
    /// Those of them that have no vector; while it sends, by their place in the batch.
    pub(super) missing: Vec<u32>,
    /// Rows that had vectors before it.
    pub(super) cached: u64,
    pub(super) stage: Stage,
    pub(super) batch: Option<Batch>,
    /// Texts that are being asked for.
    pub(super) asking: HashSet<TextKey>,
    pub(super) rate: Rate,
    pub(super) began: Instant,
    /// Request ids of calls under way.
    pub(super) ids: HashMap<Ticket, Untrusted>,
    /// A request that is tried again: when, and why.
    pub(super) again: Option<(Ticket, Instant, Failure)>,
    pub(super) tokens: u64,
    /// Whether a server did not say what it counted.
    pub(super) estimated: bool,
    /// What it cost so far.
    pub(super) cost: Cost,
    /// The vectors of a query.
    pub(super) found: Option<Arc<[f32]>>,
}

/// What is still to be sent: texts, each once, and their tokens; `None`: not all are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Missing {
    pub(super) texts: usize,
    pub(super) tokens: Option<u64>,
    /// Texts that are too long.
    pub(super) long: usize,
    /// Texts whose newlines become spaces.
    pub(super) newlines: usize,
}

impl Job {
    /// A run that begins with a look at the disk. Equal texts are one.
    pub(super) fn new(
        number: u64,
        purpose: Purpose,
        key: VectorKey,
        price: Option<Price>,
        texts: Vec<(Untrusted, Option<u32>)>,
        now: Instant,
    ) -> Self {
        let mut parts: Vec<Part> = Vec::new();
        let mut places: HashMap<TextKey, usize> = HashMap::new();
        for (text, tokens) in texts {
            let key = TextKey::of(&text);
            let place = *places.entry(key).or_insert(parts.len());
            match parts.get_mut(place) {
                Some(part) => part.rows += 1,
                None => parts.push(Part { key, text, rows: 1, tokens }),
            }
        }
        Self {
            number,
            purpose,
            local: key.profile == ProfileId::local().0,
            price,
            key,
            parts,
            missing: Vec::new(),
            cached: 0,
            stage: Stage::Looking,
            batch: None,
            asking: HashSet::new(),
            rate: Rate::default(),
            began: now,
            ids: HashMap::new(),
            again: None,
            tokens: 0,
            estimated: false,
            cost: Cost::FREE,
            found: None,
        }
    }

    pub(super) fn is_list(&self) -> bool {
        self.purpose == Purpose::List
    }

    /// Whether it is sending.
    pub(super) fn is_sending(&self) -> bool {
        self.stage == Stage::Sending
    }

    /// Whether it works, waits for something, and not for the user.
    pub(super) fn is_busy(&self) -> bool {
        match &self.batch {
            None => self.stage != Stage::Asking,
            Some(batch) => match batch.state() {
                batch::State::Running => true,
                batch::State::Held { until, .. } => until.is_some(),
                batch::State::Paused => batch.flights() > 0,
                batch::State::Finished => self.stage == Stage::Reading,
            },
        }
    }

    /// Whether this text waits for its vector; while the run waits for the user, none does.
    pub(super) fn asks(&self, text: &TextKey) -> bool {
        let held = |batch: &Batch| matches!(batch.state(), batch::State::Held { until: None, .. });
        self.asking.contains(text) && !self.batch.as_ref().is_some_and(held)
    }

    /// When it wants to be looked at though nothing happens.
    pub(super) fn due(&self, now: Instant) -> Option<Instant> {
        self.batch.as_ref().and_then(|batch| batch.due(now))
    }

    /// The texts without a vector, in order.
    pub(super) fn missing(&self) -> impl Iterator<Item = &Part> {
        self.missing.iter().filter_map(|at| self.parts.get(*at as usize))
    }

    /// The part a place of the batch stands for.
    pub(super) fn part(&self, item: u32) -> Option<&Part> {
        self.missing.get(item as usize).and_then(|at| self.parts.get(*at as usize))
    }

    /// Their tokens, as counted.
    pub(super) fn missing_tokens(&self) -> u64 {
        self.missing().map(|part| u64::from(part.tokens.unwrap_or(0))).sum()
    }

    /// How far it is, in rows of the list.
    pub(super) fn tally(&self) -> Tally {
        self.batch.as_ref().map(Batch::tally).unwrap_or_default()
    }

    /// Tokens and cost so far.
    pub(super) fn meter(&self) -> RunMeter {
        RunMeter {
            prompt_tokens: self.tokens,
            completion_tokens: 0,
            estimated: self.estimated,
            cost: self.cost,
            texts: 0,
        }
    }

    /// What is said of it once it has ended.
    pub(super) fn ended(&self, stopped: bool, now: Instant) -> Ended {
        let tally = self.tally();
        let all: u64 = self.parts.iter().map(|part| u64::from(part.rows)).sum();
        let sent = tally.total.saturating_sub(tally.skipped);
        Ended {
            stopped,
            sent: tally.done.saturating_sub(tally.skipped),
            cached: self.cached,
            left_out: if stopped { 0 } else { all.saturating_sub(self.cached + sent) },
            failed: tally.failed,
            tokens: self.tokens,
            estimated: self.estimated,
            cost: self.cost,
            time: now.saturating_duration_since(self.began),
        }
    }
}

/// How a run ended, in rows of the list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ended {
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
}
