//! Checks texts: sends requests, takes their answers, and copes with servers that break the interface.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::check_runner::RunScope;
use super::model_ref::ModelRef;
use super::request_queue::{BATCH, CheckRequest, CompletedRequest};
use super::shared_settings::charge;
use super::state::{Moderate, Page};
use crate::api::call::{Failure, FailureKind, Progress, Ticket};
use crate::api::moderation::{Moderation, ModerationResult};
use crate::component::{Cx, Notice};
use crate::record::{Check, TextKey};
use crate::tabs::batch::SentRequest;
use crate::text::Untrusted;
use crate::tokens::estimate;

impl Moderate {
    /// Returns the texts that a run on this page is about, and the models that check them.
    fn subjects(&self, scope: RunScope, cx: &Cx) -> (Vec<(TextKey, Untrusted)>, Vec<ModelRef>) {
        let models = self.models(cx.session);
        match &self.page {
            Page::Bench | Page::File if scope == RunScope::Column => match self.place(cx.session) {
                Some((text, model)) => (self.texts.subjects().into_iter().skip(text).take(1).collect(), vec![model]),
                None => (Vec::new(), models),
            },
            Page::Bench | Page::File => (self.texts.subjects(), models),
            Page::History(page) => (vec![page.text()], vec![page.model().clone()]),
            Page::Sentences(page) => (page.texts(), vec![page.model().clone()]),
            Page::Conversation => (self.conversation.texts(scope), models.into_iter().take(1).collect()),
        }
    }

    /// Checks what is new on this page; if nothing is, all of it again.
    pub(super) fn run(&mut self, scope: RunScope, cx: &mut Cx) {
        self.checks.queued_run = None;
        if !self.texts.is_loaded() {
            self.checks.queued_run = Some(scope);
            return;
        }
        let (mut texts, models) = self.subjects(scope, cx);
        texts.retain(|(_, text)| !text.line().trim().is_empty());
        if texts.is_empty() {
            return cx.notify(Notice::info("there is no text to check: a adds one").about("run"));
        }
        self.ask_checks(texts.iter().map(|(key, _)| *key), cx);
        if texts.iter().any(|(key, _)| !self.results.is_loaded(key)) {
            // What the disk knows is not asked for again.
            self.checks.queued_run = Some(scope);
            self.checks.animation.tick(cx.now);
            return;
        }
        let wanted = |again: bool| -> Vec<_> {
            models.iter().map(|model| (model, self.unchecked(&texts, model, again))).collect()
        };
        let is_empty = |requests: &[(&ModelRef, Vec<_>)]| requests.iter().all(|(_, texts)| texts.is_empty());
        let mut requests = wanted(false);
        if is_empty(&requests) || scope == RunScope::Column || matches!(self.page, Page::History(_)) {
            requests = wanted(true);
        }
        if is_empty(&requests) {
            return cx.notify(Notice::info("these texts are being checked; esc stops the check").about("run"));
        }
        if self.checks.queue.is_empty() {
            self.checks.meter = None;
        }
        for (model, texts) in requests {
            self.request(model, &texts, cx);
        }
    }

    /// Starts a run that waited for what the disk knows.
    pub(super) fn run_queued(&mut self, cx: &mut Cx) {
        if let Some(scope) = self.checks.queued_run {
            self.run(scope, cx);
        }
    }

    /// Returns the texts, each once, that a model has not checked yet, or with `again` all that it is not checking.
    fn unchecked(&self, texts: &[(TextKey, Untrusted)], model: &ModelRef, again: bool) -> Vec<(TextKey, Untrusted)> {
        let mut seen = HashSet::new();
        let wanted = |(key, _): &&(TextKey, Untrusted)| {
            (again || self.results.last(key, model).is_none()) && !self.awaits(key, model) && seen.insert(*key)
        };
        texts.iter().filter(wanted).cloned().collect()
    }

    /// Sends texts to a model: all in one request where the server takes several.
    fn request(&mut self, model: &ModelRef, texts: &[(TextKey, Untrusted)], cx: &mut Cx) {
        let most = if self.file.shared.takes_many(&model.profile) { BATCH } else { 1 };
        for texts in texts.chunks(most) {
            for (key, _) in texts {
                self.results.clear_failure(*key, model);
            }
            let request = CheckRequest::new(model.clone(), texts.to_vec());
            self.checks.queue.send(request, cx);
        }
        self.checks.animation.tick(cx.now);
        self.bench.changed();
    }

    /// Takes a part of the answer to a request of the bench.
    pub(super) fn handle_progress(&mut self, ticket: Ticket, progress: Progress, cx: &mut Cx) {
        if let Some(completed) = self.checks.queue.handle_progress(ticket, progress, cx.now) {
            self.complete(completed, cx);
            self.checks.queue.send_waiting(cx);
        }
        self.bench.changed();
    }

    /// Takes what has come of a request.
    fn complete(&mut self, CompletedRequest { sent, end }: CompletedRequest, cx: &mut Cx) {
        let wanted = sent.purpose.texts.len();
        let answer = sent.purpose.answer.as_ref().map(|(answer, _)| answer);
        let came = answer.map(|answer| answer.results.len());
        let wrong = came.filter(|came| wanted > 1 && *came != wanted);
        let useful = answer.is_some_and(|answer| answer.results.iter().any(names_category));
        if let Some(list) = sent.purpose.part_of
            && self.checks.support.settle(list, came.is_some())
        {
            self.send_one_each(&sent.purpose.model, "refuses several texts in one request", cx);
        }
        if came.is_some() && (wrong.is_some() || useful || end.is_ok()) {
            self.record_cost(&sent, cx);
        }
        match end {
            _ if useful && wrong.is_none() => self.take_results(&sent, cx),
            _ if wrong.is_some() => {
                let came = came.unwrap_or_default();
                self.send_one_each(&sent.purpose.model, &format!("answered {wanted} texts with {came} results"), cx);
                self.send_again(sent.purpose.split(None), cx);
            }
            Ok(()) => {
                let sentence = "the server answered without a result for this text; R asks again";
                let why = Failure::new(FailureKind::Malformed, sentence);
                self.fail(&sent.purpose.model, &sent.purpose.texts, &why, cx);
            }
            Err(why) if wanted > 1 && matches!(why.status, Some(400 | 422)) => {
                // It may be the list that it refuses: what becomes of one text alone will tell.
                self.checks.support.refused(sent.ticket, wanted);
                self.send_again(sent.purpose.split(Some(sent.ticket)), cx);
            }
            Err(why) => self.fail(&sent.purpose.model, &sent.purpose.texts, &why, cx),
        }
    }

    fn send_again(&mut self, requests: impl Iterator<Item = CheckRequest>, cx: &mut Cx) {
        for request in requests {
            self.checks.queue.send(request, cx);
        }
    }

    /// Sends each text in a request of its own to this server from now on. Says so once.
    fn send_one_each(&mut self, model: &ModelRef, why: &str, cx: &mut Cx) {
        if self.file.shared.use_single_requests(&model.profile) {
            let words = format!("this server {why}: from now on each text is sent in its own request");
            cx.notify(Notice::warn(words).about("arrays"));
            self.shared_changed(cx);
        }
    }

    /// Makes checks of the results, which are saved and then shown.
    fn take_results(&mut self, sent: &SentRequest<CheckRequest>, cx: &mut Cx) {
        let Some((answer, at)) = &sent.purpose.answer else { return };
        let latency = at.saturating_duration_since(sent.started).as_millis() as u32;
        let mut names: Option<Arc<[Untrusted]>> = None;
        let mut checks = Vec::new();
        for ((key, _), result) in sent.purpose.texts.iter().zip(&answer.results) {
            if !names_category(result) {
                let sentence = "the server's result for this text names no category; R asks again";
                self.results.failed(*key, &sent.purpose.model, Failure::new(FailureKind::Malformed, sentence));
                continue;
            }
            let check = check(*key, &sent.purpose.model, answer, result, names.as_ref());
            names = Some(Arc::clone(&check.categories));
            checks.push(Check { id: cx.id(), at_ms: cx.unix_ms, latency_ms: latency, ..check });
        }
        self.save_checks(checks, cx);
    }

    /// Writes an answer's row of the ledger, and adds to the footer's figures.
    fn record_cost(&mut self, sent: &SentRequest<CheckRequest>, cx: &mut Cx) {
        let ModelRef { profile, model } = &sent.purpose.model;
        let prompt_tokens: u64 = sent.purpose.texts.iter().map(|(_, text)| estimate(text.raw())).sum();
        let charge = charge(sent.request_id.clone(), (profile, model), prompt_tokens, cx.session);
        let meter = self.checks.meter.get_or_insert_default();
        meter.texts += sent.purpose.texts.len() as u64;
        let charge = charge.record(meter, cx);
        self.saves.save(charge, cx);
    }

    fn fail(&mut self, model: &ModelRef, texts: &[(TextKey, Untrusted)], why: &Failure, cx: &mut Cx) {
        for (key, _) in texts {
            self.results.failed(*key, model, why.clone());
        }
        self.changed(cx.now);
    }

    /// Stops what runs; results that came stay. Returns whether there was anything to stop.
    pub(super) fn stop(&mut self, cx: &mut Cx) -> bool {
        let busy = self.checks.is_busy();
        for (request, why) in self.checks.stop(cx) {
            self.fail(&request.model, &request.texts, &why, cx);
        }
        self.bench.changed();
        busy
    }
}

/// Returns whether a result names any category.
fn names_category(result: &ModerationResult) -> bool {
    !result.categories.is_empty() || !result.category_scores.is_empty()
}

/// Returns a result as it is saved; its names are the `known` ones where they are the same.
fn check(
    text: TextKey,
    model: &ModelRef,
    answer: &Moderation,
    result: &ModerationResult,
    known: Option<&Arc<[Untrusted]>>,
) -> Check {
    let mut cells: BTreeMap<&str, (Option<f64>, Option<bool>)> = BTreeMap::new();
    for (name, score) in &result.category_scores {
        cells.entry(name).or_default().0 = *score;
    }
    for (name, flag) in &result.categories {
        cells.entry(name).or_default().1 = *flag;
    }
    let same =
        |known: &&Arc<[Untrusted]>| known.len() == cells.len() && cells.keys().zip(known.iter()).all(|(a, b)| b == a);
    let categories = match known.filter(same) {
        Some(known) => Arc::clone(known),
        None => cells.keys().map(|name| Untrusted::from(*name)).collect(),
    };
    Check {
        id: crate::record::Id(0),
        text,
        profile: model.profile.clone(),
        asked: model.model.clone(),
        model: answer.model.as_str().into(),
        at_ms: 0,
        latency_ms: 0,
        flagged: result.flagged,
        categories,
        scores: cells.values().map(|(score, _)| *score).collect(),
        flags: cells.values().map(|(_, flag)| *flag).collect(),
    }
}
