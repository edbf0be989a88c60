//! What the bench runs: texts that models check, a run that waits for the disk, what it has cost, when the spinner moves.

use std::collections::HashMap;
use std::time::Instant;

use super::check_run::{CheckEvent, CheckRules, CheckRun, MissingCheck};
use super::model_ref::ModelRef;
use super::shared_settings::SharedSettings;
use crate::api::call::{Failure, FailureKind, Progress, Ticket};
use crate::component::{Animation, Charge, Cx, RenderContext};
use crate::record::{Check, Record, TextKey};
use crate::settings::ProfileId;
use crate::tabs::activity::ActivityOutcome;
use crate::tabs::batch::{BatchItem, BatchLimits, BatchRunner, BatchState, BatchTally, NextAttempt, SentRequest};
use crate::tabs::tab::RunMeter;
use crate::text::Untrusted;
use crate::ui::meter;
use crate::ui::time;

/// Eight requests of all runs at a time, of at most so many texts.
const LIMITS: BatchLimits = BatchLimits { requests: 8, items: 256, weight: u64::MAX };

/// A list of two shows as much as a longer one: many benches have no more texts.
const RULES: CheckRules = CheckRules { limits: LIMITS, no_answer: NO_RESULT, conclusive_items: 2 };

/// Why a text has no check although its request was answered: the answer has no result for it…
const NO_RESULT: &str = "the server answered without a result for this text; R asks again";
/// …or one without categories.
const NO_CATEGORY: &str = "the server's result for this text names no category; R asks again";

/// What a run checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunScope {
    /// What has no result yet; if all have, all of it.
    New,
    /// The column under the cursor.
    Column,
}

/// Whether something runs, for titles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum RunStatus {
    #[default]
    Idle,
    /// A run waits for what the disk knows.
    Loading,
    /// Requests are under way since this moment.
    Since(Instant),
}

impl RunStatus {
    /// Returns these actions for the footer: while something runs, without `check`, which starts a check.
    pub(super) fn footer_actions<A: Copy + PartialEq>(self, actions: &[A], check: A) -> Vec<A> {
        let is_shown = |action: &A| self == Self::Idle || *action != check;
        actions.iter().copied().filter(is_shown).collect()
    }

    /// Returns it in a few words; empty: nothing is running.
    pub(super) fn words(self, context: RenderContext) -> String {
        match self {
            Self::Idle => String::new(),
            Self::Loading => "reading earlier results".to_owned(),
            Self::Since(since) => {
                let elapsed = context.now.saturating_duration_since(since);
                format!("{} {}", meter::spinner(elapsed, context.session.motion), time::duration(elapsed))
            }
        }
    }
}

/// What has come of a request.
#[derive(Debug)]
pub(super) struct RequestOutcome {
    pub(super) model: ModelRef,
    /// What the answer costs; `None`: none has come.
    pub(super) charge: Option<Charge>,
    /// Of each text that the run is done with: its check, or why it has none.
    pub(super) results: Vec<(TextKey, Result<Check, Failure>)>,
    /// Why each text is sent in a request of its own from now on.
    pub(super) list_refusal: Option<String>,
}

/// Texts, each once, that one model checks.
#[derive(Debug)]
struct BenchRun {
    model_run: CheckRun,
    texts: Vec<(TextKey, Untrusted)>,
    /// Where each text is among them.
    items: HashMap<TextKey, u32>,
}

impl BenchRun {
    /// Sends at most so many requests.
    fn send(&mut self, most: usize, cx: &mut Cx) {
        let Self { model_run, texts, .. } = self;
        model_run.runner.set_request_limit(model_run.runner.requests().len() + most);
        model_run.send(|item| subject(texts, item), cx);
    }

    /// Takes the progress of a call; `None`: it is not one of this run's.
    fn handle_progress(
        &mut self,
        ticket: Ticket,
        progress: &Progress,
        shared: &mut SharedSettings,
        cx: &mut Cx,
    ) -> Option<RequestOutcome> {
        let Self { model_run, texts, .. } = self;
        let mut charge = None;
        let results: Vec<(u32, Result<Check, Failure>)> =
            match model_run.handle_progress(ticket, progress, |item| subject(texts, item), cx)? {
                CheckEvent::Pending => Vec::new(),
                CheckEvent::Answered(cost, checks) => {
                    charge = Some(cost);
                    let runner = &mut model_run.runner;
                    // The tab saves checks and shows failures at once: the run is done with both.
                    checks.into_iter().map(|(item, check)| (runner.note_saved(item), check.map_err(missing))).collect()
                }
                CheckEvent::Failed(request) => {
                    let why = request.why().clone();
                    model_run.give_up(request).into_iter().map(|item| (item, Err(why.clone()))).collect()
                }
            };
        let results = results.into_iter().map(|(item, result)| (subject(texts, item).0, result)).collect();
        let list_refusal = model_run.note_list_support(shared);
        Some(RequestOutcome { model: model_run.model.clone(), charge, results, list_refusal })
    }
}

/// Returns why a text has no check, for its card.
fn missing(why: MissingCheck) -> Failure {
    let sentence = match why {
        MissingCheck::NoResult => NO_RESULT,
        MissingCheck::NoCategory => NO_CATEGORY,
    };
    Failure::new(FailureKind::Malformed, sentence)
}

/// Returns the text of an item.
fn subject(texts: &[(TextKey, Untrusted)], item: u32) -> (TextKey, &Untrusted) {
    let (key, text) = &texts[item as usize];
    (*key, text)
}

/// The runs of the bench and its pages.
#[derive(Debug, Default)]
pub(super) struct BenchRuns {
    /// Those that are not finished, the oldest first.
    runs: Vec<BenchRun>,
    /// A run that waits for what the disk knows.
    queued_run: Option<RunScope>,
    /// How the texts of those ended that were under way together last; `None`: none has.
    outcome: Option<ActivityOutcome>,
    meter: Option<RunMeter>,
    animation: Animation,
}

impl BenchRuns {
    /// Returns whether a request is under way, or a run waits.
    pub(super) fn is_busy(&self) -> bool {
        !self.runs.is_empty() || self.queued_run.is_some()
    }

    /// Returns how they ended, when none is under way any more.
    pub(super) fn outcome(&self) -> ActivityOutcome {
        self.outcome.unwrap_or_default()
    }

    pub(super) fn status(&self) -> RunStatus {
        match self.requests().map(|sent| sent.started).min() {
            Some(since) => RunStatus::Since(since),
            None if self.queued_run.is_some() => RunStatus::Loading,
            None => RunStatus::Idle,
        }
    }

    /// Returns when the spinner moves next.
    pub(super) fn due(&self) -> Option<Instant> {
        self.animation.due().filter(|_| self.is_busy())
    }

    /// Advances the spinner.
    pub(super) fn tick(&mut self, now: Instant) {
        self.animation.tick(now);
    }

    /// Sets whether the spinner moves.
    pub(super) fn set_motion(&mut self, motion: bool) {
        self.animation.set_motion(motion);
    }

    /// Notes that a run waits for what the disk knows.
    pub(super) fn queue(&mut self, scope: RunScope, now: Instant) {
        self.queued_run = Some(scope);
        self.animation.tick(now);
    }

    /// Returns the run that waits, which does so no longer.
    pub(super) fn take_queued(&mut self) -> Option<RunScope> {
        self.queued_run.take()
    }

    /// Adds an answer about so many texts to the footer's figures. Returns its row of the ledger.
    pub(super) fn charge(&mut self, charge: Charge, texts: usize, cx: &mut Cx) -> Record {
        let meter = self.meter.get_or_insert_default();
        meter.texts += texts as u64;
        charge.record(meter, cx)
    }

    /// Returns what the runs have cost since nothing ran; `None`: no answer has come.
    pub(super) fn meter(&self) -> Option<RunMeter> {
        self.meter
    }

    /// Starts a run over texts, each once.
    pub(super) fn start(
        &mut self,
        model: &ModelRef,
        texts: Vec<(TextKey, Untrusted)>,
        shared: &SharedSettings,
        cx: &mut Cx,
    ) {
        if self.runs.is_empty() {
            (self.meter, self.outcome) = (None, None);
        }
        let items = texts.iter().map(|_| BatchItem { weight: 0, rows: 1 });
        let model_run = CheckRun::new(model.clone(), RULES, items, 0, shared);
        let items = texts.iter().map(|(key, _)| *key).zip(0..).collect();
        self.runs.push(BenchRun { model_run, texts, items });
        self.send(cx);
        self.animation.tick(cx.now);
    }

    /// Sends as many requests as there is room for, and forgets runs that are finished.
    fn send(&mut self, cx: &mut Cx) {
        for at in 0..self.runs.len() {
            let room = LIMITS.requests.saturating_sub(self.requests().count());
            self.runs[at].send(room, cx);
        }
        self.runs.retain(|run| run.model_run.runner.state() != BatchState::Finished);
    }

    /// Takes the progress of a call, and sends what there is room for then; `None`: it is not one of the bench.
    pub(super) fn handle_progress(
        &mut self,
        ticket: Ticket,
        progress: &Progress,
        shared: &mut SharedSettings,
        cx: &mut Cx,
    ) -> Option<RequestOutcome> {
        let outcome = self.runs.iter_mut().find_map(|run| run.handle_progress(ticket, progress, shared, cx))?;
        let texts = outcome.results.iter().map(|(_, result)| match result {
            Ok(_) => ActivityOutcome::Ended,
            Err(_) => ActivityOutcome::Failed,
        });
        self.outcome = ActivityOutcome::of_parts(self.outcome.into_iter().chain(texts));
        self.send(cx);
        Some(outcome)
    }

    fn requests(&self) -> impl Iterator<Item = &SentRequest> {
        self.runs.iter().flat_map(|run| run.model_run.runner.requests())
    }

    /// Returns where a text is in the runs of a model.
    fn find(&self, key: &TextKey, model: &ModelRef) -> impl Iterator<Item = (&BatchRunner, u32)> {
        let runs = self.runs.iter().filter(move |run| run.model_run.model == *model);
        runs.filter_map(move |run| {
            let item = run.items.get(key)?;
            Some((&run.model_run.runner, *item))
        })
    }

    /// Returns the request under way that checks a text with a model.
    pub(super) fn request(&self, key: &TextKey, model: &ModelRef) -> Option<&SentRequest> {
        self.find(key, model)
            .find_map(|(runner, item)| runner.requests().iter().find(|sent| sent.items.contains(&item)))
    }

    /// Returns whether texts wait for their turn at this profile's server.
    pub(super) fn needs_profile(&self, profile: &ProfileId) -> bool {
        let waits = |tally: BatchTally| tally.left() > tally.under_way;
        self.runs.iter().any(|run| run.model_run.model.profile == profile.0 && waits(run.model_run.runner.tally()))
    }

    /// Returns whether a text is to be checked by a model.
    pub(super) fn is_waiting_for(&self, key: &TextKey, model: &ModelRef) -> bool {
        self.find(key, model).any(|(runner, item)| runner.is_left(item))
    }

    /// Stops all. Returns the texts whose request waited for another attempt, and why.
    pub(super) fn stop(&mut self, cx: &mut Cx) -> Vec<(TextKey, ModelRef, Failure)> {
        self.queued_run = None;
        self.outcome = Some(ActivityOutcome::Stopped);
        let mut given_up = Vec::new();
        for BenchRun { mut model_run, texts, .. } in self.runs.drain(..) {
            for (sent, retry) in
                model_run.runner.requests().iter().filter_map(|sent| Some((sent, sent.retry.as_ref()?)))
            {
                let sentence = format!("given up: {}", retry.why.sentence.line()).into();
                let why = Failure { sentence, ..retry.why.clone() };
                let keys = sent.items.iter().map(|item| texts[*item as usize].0);
                given_up.extend(keys.map(|key| (key, model_run.model.clone(), why.clone())));
            }
            model_run.runner.stop(cx);
        }
        given_up
    }

    /// Ends the countdowns: tries now.
    pub(super) fn retry_now(&self, cx: &mut Cx) {
        for run in &self.runs {
            run.model_run.runner.retry_now(cx);
        }
    }

    /// Returns the attempt that starts first.
    pub(super) fn next_attempt(&self) -> Option<&NextAttempt> {
        let attempts = self.runs.iter().filter_map(|run| run.model_run.runner.next_attempt());
        attempts.min_by_key(|retry| retry.at)
    }
}
