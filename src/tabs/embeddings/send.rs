//! What a run sends and what comes of it: answers to the store before they are shown, failures to the batch.

use std::collections::HashMap;
use std::sync::Arc;

use super::answer::sort_out;
use super::job::{Job, Purpose, Stage};
use super::state::{Request, State};
use crate::api::call::{Call, Failure, FailureKind, Progress, Reply, Ticket};
use crate::api::completion::Prompt;
use crate::api::embedding::{EmbeddingList, EmbeddingRequest};
use crate::component::{Cx, Notice};
use crate::record::vectors::MATRIX;
use crate::record::{LedgerRow, Query, Record, TextKey, VectorKey};
use crate::settings::ProfileId;
use crate::tabs::batch::{self, Batch};
use crate::tabs::generation::cost;
use crate::text::Untrusted;

impl State {
    /// Sends what may be sent, and sees whether it is over.
    pub(super) fn pump_job(&mut self, cx: &mut Cx) {
        let Some(job) = &mut self.job else { return };
        let Some(mut batch) = job.batch.take() else { return };
        if job.stage == Stage::Sending {
            let profile = ProfileId(job.key.profile.clone());
            batch.send(cx.now, |items| {
                let texts = items.iter().filter_map(|item| job.part(*item));
                let input = texts.map(|part| part.text.raw().to_owned()).collect();
                let request = EmbeddingRequest {
                    model: job.key.model.raw().to_owned(),
                    input: Prompt::Texts(input),
                    encoding_format: None,
                    dimensions: job.key.dimensions,
                    user: None,
                };
                cx.call_to(profile.clone(), Call::Embed(Box::new(request)))
            });
        }
        let over = batch.state() == batch::State::Finished && job.stage == Stage::Sending;
        job.rate.feed(cx.now, batch.tally().done);
        job.batch = Some(batch);
        if over {
            self.end(false, cx);
        }
    }

    pub(super) fn progress(&mut self, ticket: Ticket, progress: Progress, cx: &mut Cx) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = job.batch.as_mut().filter(|batch| batch.has(ticket)) else { return };
        if job.again.as_ref().is_some_and(|(again, ..)| *again == ticket) {
            job.again = None;
        }
        match progress {
            Progress::Opened { request_id } => drop(request_id.map(|id| job.ids.insert(ticket, id))),
            Progress::Retrying { at, why, .. } => {
                self.failure = Some(why.clone());
                job.again = Some((ticket, at, why));
            }
            Progress::Reply(Reply::Embeddings(answer)) => self.take_in(ticket, answer, cx),
            Progress::Closed(ended) => {
                let why = ended.err().unwrap_or_else(|| {
                    Failure::new(FailureKind::Malformed, "the answer held no vectors; is this an embedding server?")
                });
                // It is about what was asked for, not about the texts: no half would do better.
                let before = batch.failures().len();
                let length = job.key.dimensions.is_some() && names_dimensions(&why);
                if length {
                    batch.again(ticket);
                    let said = "the model takes no other length: D asks for its own, or cuts its vectors here";
                    batch.hold(said.into(), None);
                } else {
                    batch.failed(ticket, &why, cx.now);
                }
                let held = matches!(batch.state(), batch::State::Held { .. });
                if held && job.purpose != Purpose::List {
                    self.failure = Some(why.clone());
                    return self.give_up(&why, cx);
                }
                self.unseen |= !matches!(batch.state(), batch::State::Running);
                for failed in batch.failures().iter().skip(before) {
                    let part = job.missing.get(failed.item as usize).and_then(|at| job.parts.get(*at as usize));
                    if let Some(part) = part {
                        job.asking.remove(&part.key);
                        if job.purpose == Purpose::List && job.key == self.data.key {
                            self.reasons.insert(part.key, failed.why.clone());
                        }
                    }
                }
                self.failure = Some(why);
                self.mark_soon(cx.now);
            }
            Progress::Moved { .. } | Progress::Reply(_) => {}
        }
        self.pump(cx);
    }

    /// An answer: each vector to its text, all of them to the disk, a line in the ledger.
    fn take_in(&mut self, ticket: Ticket, answer: EmbeddingList, cx: &mut Cx) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &mut job.batch else { return };
        let items = batch.answered(ticket);
        let counted: u64 = items
            .iter()
            .filter_map(|item| job.missing.get(*item as usize).and_then(|at| job.parts.get(*at as usize)))
            .map(|part| u64::from(part.tokens.unwrap_or(0)))
            .sum();
        let usage = answer.usage;
        let told = usage.prompt_tokens.max(usage.total_tokens);
        let (tokens, estimated) = if told > 0 { (told, false) } else { (counted, true) };
        let mut kept = Vec::new();
        let mut vectors = Vec::new();
        for (item, found) in items.iter().zip(sort_out(answer, items.len())) {
            let part = job.missing.get(*item as usize).and_then(|at| job.parts.get(*at as usize));
            let Some(part) = part else { continue };
            match found {
                Ok(vector) => {
                    kept.push(*item);
                    vectors.push((part.key, vector));
                }
                Err(why) => {
                    batch.refused(*item, why.as_str().into());
                    job.asking.remove(&part.key);
                    if job.purpose == Purpose::List && job.key == self.data.key {
                        self.reasons.insert(part.key, why.into());
                    }
                }
            }
        }
        let nano = cost(Some(&usage), job.price, tokens, 0);
        job.tokens += tokens;
        job.estimated |= estimated;
        job.cost += nano.into();
        let row = LedgerRow {
            request_id: job.ids.remove(&ticket).unwrap_or_else(|| format!("benchtop-{}", cx.id().0).into()),
            at_ms: cx.unix_ms,
            profile: job.key.profile.clone(),
            tab: "Embed".into(),
            model: job.key.model.clone(),
            prompt_tokens: tokens,
            completion_tokens: 0,
            estimated,
            cost_nano: nano,
        };
        let (key, number, meter) = (job.key.clone(), job.number, job.meter());
        self.meter = Some(meter);
        self.failure = None;
        if !vectors.is_empty() {
            let asked = Request::Came { key: key.clone(), job: number, items: kept };
            self.owe(Record::Vectors { key, vectors }, asked, cx);
        }
        self.owe(Record::Ledger(row), Request::Save, cx);
        self.mark_soon(cx.now);
    }

    /// Vectors of a run are on disk.
    pub(super) fn came(
        &mut self,
        key: &VectorKey,
        number: u64,
        items: &[u32],
        vectors: &[(TextKey, Arc<[f32]>)],
        cx: &mut Cx,
    ) {
        if let Some(job) = self.job.as_mut().filter(|job| job.number == number) {
            if let Some(batch) = &mut job.batch {
                batch.kept(items);
            }
            for (text, vector) in vectors {
                job.asking.remove(text);
                if job.purpose == Purpose::Query {
                    job.found = Some(Arc::clone(vector));
                }
            }
            if job.purpose == Purpose::Other {
                let tally = job.tally();
                self.panes.compare.moved(tally.done as usize, tally.total as usize);
            }
        }
        // A text that was typed to rank by is seldom one of the list: nothing is to be summed up anew.
        let of_list = |(text, _): &(TextKey, Arc<[f32]>)| self.aligned.contains(text);
        if *key == self.data.key && (vectors.len() > 1 || vectors.iter().any(of_list)) {
            for (text, _) in vectors {
                self.have.insert(*text);
                self.fresh.insert(*text);
                self.lack.remove(text);
            }
            let found: HashMap<TextKey, &[f32]> = vectors.iter().map(|(text, vector)| (*text, &**vector)).collect();
            self.set(&found, cx);
        }
        self.pump(cx);
    }

    /// Vectors of a run could not be kept: nothing more is asked for until they can.
    pub(super) fn job_unkept(&mut self, why: &Untrusted) {
        if let Some(batch) = self.job.as_mut().and_then(|job| job.batch.as_mut()) {
            batch.hold(format!("the vectors could not be kept: {}; then ^R goes on", why.line()).into(), None);
        }
    }

    /// A question of the run's came to nothing.
    pub(super) fn job_failed(&mut self, number: u64, why: &Untrusted, cx: &mut Cx) {
        let Some(job) = self.job.take_if(|job| job.number == number) else { return };
        self.tell(&job, Err(why.clone()), cx);
        cx.notify(Notice::error(format!("the run could not begin: {}", why.line())));
        self.mark();
    }

    /// What a pane asked for is not waited for: it says why, and can ask again.
    fn give_up(&mut self, why: &Failure, cx: &mut Cx) {
        let Some(mut job) = self.job.take() else { return };
        for ticket in job.batch.as_mut().map(Batch::stop).unwrap_or_default() {
            cx.cancel(ticket);
        }
        self.tell(&job, Err(why.sentence.clone()), cx);
        self.mark();
    }

    /// Says to the pane that asked how it ended.
    fn tell(&mut self, job: &Job, found: Result<Arc<[f32]>, Untrusted>, cx: &mut Cx) {
        match (job.purpose, found) {
            (Purpose::List, _) | (Purpose::Other, Ok(_)) => {}
            (Purpose::Other, Err(why)) => self.panes.compare.other(&job.key, Err(why), cx),
            (Purpose::Query, found) => self.tell_query(&job.key, found, cx),
        }
    }

    /// The vector of a query; of a model that is not in use any more it is no good.
    pub(super) fn tell_query(&mut self, key: &VectorKey, found: Result<Arc<[f32]>, Untrusted>, cx: &mut Cx) {
        let found = if *key == self.data.key { found } else { Err("the model is another now; rank again".into()) };
        self.panes.query.vector(found, cx);
    }

    /// The run is over: all that could come has come, or it was stopped.
    pub(super) fn end(&mut self, stopped: bool, cx: &mut Cx) {
        let Some(mut job) = self.job.take() else { return };
        let failed = job.batch.as_ref().and_then(|batch| batch.failures().last().map(|failed| failed.why.clone()));
        if job.is_list() {
            self.ended = Some(job.ended(stopped, cx.now));
            self.unseen |= failed.is_some();
            self.mark();
            // A long list's vectors are loaded once all are there.
            if self.data.texts.len() > MATRIX {
                self.full = None;
                self.shown();
            }
            return self.load(cx);
        }
        if stopped || failed.is_some() {
            let why = failed.unwrap_or_else(|| "stopped; what came is kept".into());
            return self.tell(&job, Err(why), cx);
        }
        if let Some(found) = job.found.take() {
            return self.tell(&job, Ok(found), cx);
        }
        job.stage = Stage::Reading;
        let texts = match job.purpose {
            Purpose::Query => job.parts.iter().map(|part| part.key).collect(),
            _ => self.data.texts.iter().map(|text| text.sent).collect(),
        };
        let ticket = cx.load(Query::Vectors { key: job.key.clone(), texts });
        self.pending.insert(ticket, Request::Job(job.number));
        self.job = Some(job);
    }

    /// Stops what runs; what came is kept. Whether there was anything to stop.
    pub(super) fn stop(&mut self, cx: &mut Cx) -> bool {
        let Some(job) = &mut self.job else { return false };
        for ticket in job.batch.as_mut().map(Batch::stop).unwrap_or_default() {
            cx.cancel(ticket);
        }
        self.end(true, cx);
        true
    }

    /// `p`: nothing more is sent, or it goes on.
    pub(super) fn pause(&mut self, cx: &mut Cx) {
        let Some(batch) = self.job.as_mut().and_then(|job| job.batch.as_mut()) else {
            return cx.notify(Notice::hint("nothing runs").about("run"));
        };
        match batch.state() {
            batch::State::Running => batch.pause(),
            _ => return self.resume(cx),
        }
        self.mark();
    }

    /// Goes on; what the disk refused is offered again first.
    pub(super) fn resume(&mut self, cx: &mut Cx) {
        self.mend(cx);
        if let Some(job) = &mut self.job
            && let Some(batch) = &mut job.batch
        {
            batch.resume();
            job.rate.clear();
            if let Some((ticket, ..)) = &job.again {
                cx.hurry(*ticket);
            }
        }
        self.mark();
        self.pump(cx);
    }
}

/// Whether a server refused the length that was asked for.
fn names_dimensions(why: &Failure) -> bool {
    why.kind == FailureKind::Refused && (why.sentence.contains("dimension") || why.body.contains("dimension"))
}
