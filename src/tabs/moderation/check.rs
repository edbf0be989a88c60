//! Checking texts: who is asked what, what the answers become, and what servers do that are not as they should be.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::flight::{Ask, Doubts, Landed, MOST, Which};
use super::results::Judge;
use super::shared::price;
use super::state::{Page, State};
use crate::api::call::{Failure, FailureKind, Progress, Ticket};
use crate::api::moderation::{Moderation, ModerationResult};
use crate::component::{Cx, Notice};
use crate::record::{Check, LedgerRow, Record, TextKey};
use crate::tabs::tab::RunMeter;
use crate::text::Untrusted;
use crate::tokens::{Used, estimate};

impl State {
    /// The texts that a run on this page is about, and the judges they are shown to.
    fn subjects(&self, which: Which, cx: &Cx) -> (Vec<(TextKey, Untrusted)>, Vec<Judge>) {
        let judges = self.judges(cx.session);
        let here = self.place(cx.session);
        let one = |text: usize| self.texts.get(text).map(|text| (text.key, text.row.text.clone()));
        match &self.page {
            Page::Bench | Page::File if which == Which::Column => match here {
                Some((text, judge)) => (one(text).into_iter().collect(), vec![judge]),
                None => (Vec::new(), judges),
            },
            Page::Bench | Page::File => {
                (self.texts.all().iter().map(|text| (text.key, text.row.text.clone())).collect(), judges)
            }
            Page::Past(past) => (vec![past.text()], vec![past.judge().clone()]),
            Page::Origin(origin) => (origin.texts(), vec![origin.judge().clone()]),
            Page::Turns => (self.turns.texts(which), judges.into_iter().take(1).collect()),
        }
    }

    /// Checks what is new on this page; if nothing is, all of it again.
    pub(super) fn run(&mut self, which: Which, cx: &mut Cx) {
        self.wish = None;
        if !self.loaded {
            self.wish = Some(which);
            return;
        }
        let (mut texts, judges) = self.subjects(which, cx);
        texts.retain(|(_, text)| !text.line().trim().is_empty());
        if texts.is_empty() {
            return cx.notify(Notice::hint("there is no text to check: a adds one").about("run"));
        }
        self.ask_checks(texts.iter().map(|(key, _)| *key), cx);
        if texts.iter().any(|(key, _)| !self.results.is_loaded(key)) {
            // What the disk knows is not asked for again.
            self.wish = Some(which);
            self.begin_ticking(cx.now);
            return;
        }
        let asks: Vec<_> = judges.iter().map(|judge| (judge, self.missing(&texts, judge, false))).collect();
        let some = asks.iter().any(|(_, texts)| !texts.is_empty());
        let new = which == Which::New && !matches!(self.page, Page::Past(_));
        let asks: Vec<_> = if some && new {
            asks
        } else {
            judges.iter().map(|judge| (judge, self.missing(&texts, judge, true))).collect()
        };
        if asks.iter().all(|(_, texts)| texts.is_empty()) {
            return cx.notify(Notice::hint("these texts are being checked; esc stops it").about("run"));
        }
        if self.flights.is_empty() {
            self.meter = None;
        }
        for (judge, texts) in asks {
            self.ask(judge, texts, cx);
        }
    }

    /// A run that waited for what the disk knows.
    pub(super) fn wished(&mut self, cx: &mut Cx) {
        if let Some(which) = self.wish {
            self.run(which, cx);
        }
    }

    /// Texts, each once, that a judge has said nothing of yet, or with `again` all that he is not being asked about.
    fn missing(&self, texts: &[(TextKey, Untrusted)], judge: &Judge, again: bool) -> Vec<(TextKey, Untrusted)> {
        let mut seen = HashSet::new();
        let wanted = |(key, _): &&(TextKey, Untrusted)| {
            (again || self.results.last(key, judge).is_none()) && !self.awaits(key, judge) && seen.insert(*key)
        };
        texts.iter().filter(wanted).cloned().collect()
    }

    /// Shows texts to a judge: all in one request where the server takes several.
    fn ask(&mut self, judge: &Judge, texts: Vec<(TextKey, Untrusted)>, cx: &mut Cx) {
        let most = if self.shared.takes_many(&judge.0) { MOST } else { 1 };
        for texts in texts.chunks(most) {
            for (key, _) in texts {
                self.results.forgive(*key, judge);
            }
            let ask = Ask { judge: judge.clone(), texts: texts.to_vec(), parted: None };
            self.flights.send(ask, cx);
        }
        self.begin_ticking(cx.now);
        self.revision += 1;
    }

    pub(super) fn progress(&mut self, ticket: Ticket, progress: Progress, cx: &mut Cx) {
        if self.file.progress(ticket, &progress, &mut self.shared, cx) {
            return self.file_did(cx);
        }
        if let Some(landed) = self.flights.progress(ticket, progress, cx.now) {
            self.landed(landed, cx);
            self.flights.go_on(cx);
        }
        self.revision += 1;
    }

    fn landed(&mut self, landed: Landed, cx: &mut Cx) {
        let Landed { flight, end } = landed;
        let wanted = flight.ask.texts.len();
        if let Some(list) = flight.ask.parted {
            let answered = flight.answer.is_some();
            if self.doubts.settle(list, answered) {
                self.one_each(&flight.ask.judge, "refuses several texts in one request", cx);
            }
        }
        match (&flight.answer, end) {
            (Some((answer, _)), _) if wanted > 1 && answer.results.len() != wanted => {
                let came = answer.results.len();
                self.bill(&flight, cx);
                self.one_each(&flight.ask.judge, &format!("answered {wanted} texts with {came} results"), cx);
                for ask in flight.ask.parts(None) {
                    self.flights.send(ask, cx);
                }
            }
            (Some((answer, _)), _) if answer.results.iter().any(says_something) => {
                self.bill(&flight, cx);
                self.take(&flight, cx);
            }
            (answer, Ok(())) => {
                if answer.is_some() {
                    self.bill(&flight, cx);
                }
                let sentence = "the server answered without a result for this text; R asks again";
                self.fail(flight.ask, &Failure::new(FailureKind::Malformed, sentence), cx);
            }
            (_, Err(why)) if wanted > 1 && matches!(why.status, Some(400 | 422)) => {
                // It may be the list that it refuses: what becomes of one text alone will tell.
                self.doubts.begin(flight.ticket, wanted);
                for ask in flight.ask.parts(Some(flight.ticket)) {
                    self.flights.send(ask, cx);
                }
            }
            (_, Err(why)) => self.fail(flight.ask, &why, cx),
        }
    }

    /// From now on each text has a request of its own with this server. Said once.
    fn one_each(&mut self, judge: &Judge, why: &str, cx: &mut Cx) {
        if self.shared.one_each(&judge.0) {
            let said = format!("this server {why}: from now on each text has a request of its own");
            cx.notify(Notice::warn(said).about("arrays"));
            self.share(cx);
        }
    }

    /// The results become checks, which are kept and then shown.
    fn take(&mut self, flight: &super::flight::Flight, cx: &mut Cx) {
        let Some((answer, at)) = &flight.answer else { return };
        let latency = at.saturating_duration_since(flight.started).as_millis() as u32;
        let mut names: Option<Arc<[Untrusted]>> = None;
        let mut checks = Vec::new();
        for ((key, _), result) in flight.ask.texts.iter().zip(&answer.results) {
            if !says_something(result) {
                let sentence = "the server's result for this text names no category; R asks again";
                self.results.failed(*key, &flight.ask.judge, Failure::new(FailureKind::Malformed, sentence));
                self.unseen = true;
                continue;
            }
            let check = check(*key, &flight.ask.judge, answer, result, names.as_ref());
            names = Some(Arc::clone(&check.categories));
            checks.push(Check { id: cx.id(), at_ms: cx.unix_ms, latency_ms: latency, ..check });
        }
        self.keep_checks(checks, cx);
    }

    /// A line of the ledger for an answer, and the footer's figures.
    fn bill(&mut self, flight: &super::flight::Flight, cx: &mut Cx) {
        let (profile, model) = &flight.ask.judge;
        let tokens: u64 = flight.ask.texts.iter().map(|(_, text)| estimate(text.raw())).sum();
        let cost_nano = price(profile, model, cx.session).and_then(|price| price.cost(Used::prompt(tokens)));
        let row = LedgerRow {
            request_id: flight.request_id.clone().unwrap_or_else(|| format!("benchtop-{}", cx.id().0).into()),
            at_ms: cx.unix_ms,
            profile: profile.clone(),
            tab: "Moderate".into(),
            model: model.clone(),
            prompt_tokens: tokens,
            completion_tokens: 0,
            estimated: true,
            cost_nano,
        };
        self.owe(Record::Ledger(row), cx);
        let before = self.meter.unwrap_or_default();
        self.meter = Some(RunMeter {
            prompt_tokens: before.prompt_tokens + tokens,
            texts: before.texts + flight.ask.texts.len() as u64,
            estimated: true,
            cost: before.cost + cost_nano.into(),
            ..before
        });
    }

    fn fail(&mut self, ask: Ask, why: &Failure, cx: &mut Cx) {
        for (key, _) in &ask.texts {
            self.results.failed(*key, &ask.judge, why.clone());
        }
        self.unseen = true;
        self.changed(cx.now);
    }

    /// Stops what runs; results that came stay. Whether there was anything to stop.
    pub(super) fn stop(&mut self, cx: &mut Cx) -> bool {
        let busy = self.is_busy();
        self.wish = None;
        self.doubts = Doubts::default();
        for (ask, why) in self.flights.stop(cx) {
            let why = Failure { sentence: format!("given up: {}", why.sentence.line()).into(), ..why };
            self.fail(ask, &why, cx);
        }
        self.revision += 1;
        busy
    }
}

/// Whether a result names any category.
fn says_something(result: &ModerationResult) -> bool {
    !result.categories.is_empty() || !result.category_scores.is_empty()
}

/// A result as it is kept; its names are `known` ones where they are the same.
fn check(
    text: TextKey,
    judge: &Judge,
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
        profile: judge.0.clone(),
        asked: judge.1.clone(),
        model: answer.model.as_str().into(),
        at_ms: 0,
        latency_ms: 0,
        flagged: result.flagged,
        categories,
        scores: cells.values().map(|(score, _)| *score).collect(),
        flags: cells.values().map(|(_, flag)| *flag).collect(),
    }
}
