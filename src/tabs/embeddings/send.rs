//! Sends the requests of a run and takes their answers, which are saved before they are shown.

use std::collections::HashMap;
use std::sync::Arc;

use super::answer::sort_out;
use super::embed_run::{EmbedRun, EmbeddedText, NO_ANSWER, RunPurpose, RunStage};
use super::state::{Request, RunState, State};
use crate::api::call::{Call, Failure, FailureKind, Progress, Reply, Ticket};
use crate::api::completion::Prompt;
use crate::api::embedding::{EmbeddingList, EmbeddingRequest};
use crate::component::{AnswerCost, Charge, Cx, Notice, OwnCount};
use crate::record::vectors::MATRIX;
use crate::record::{Query, Stored, TextKey, VectorKey};
use crate::settings::ProfileId;
use crate::tabs::batch::{AnsweredRequest, BatchState, RequestEvent, ResultOutbox};
use crate::text::Untrusted;

impl RunState {
    /// Returns what is on its way to the disk, of this run and of earlier ones.
    pub(super) fn outboxes(&self) -> impl Iterator<Item = &ResultOutbox<EmbeddedText>> {
        self.job.iter().map(|job| &job.outbox).chain(&self.unsaved)
    }

    /// Takes the store's answer and returns the vectors that are on disk now; `None`: it is about something else.
    pub(super) fn handle_stored(&mut self, ticket: Ticket, stored: &Stored) -> Option<Vec<EmbeddedText>> {
        let of_job = self.job.as_mut().and_then(|job| job.handle_stored(ticket, stored));
        if of_job.is_some() {
            return of_job;
        }
        let results = self.unsaved.iter_mut().find_map(|outbox| outbox.handle_stored(ticket, stored))?;
        self.unsaved.retain(|outbox| !outbox.is_saved());
        Some(results.into_iter().map(|(_, result)| result).collect())
    }

    /// Ends the run and returns it; what came of it is still saved.
    fn end(&mut self, cx: &mut Cx) -> Option<EmbedRun> {
        let mut job = self.job.take()?;
        if let Some(runner) = &mut job.runner {
            runner.stop(cx);
        }
        job.outbox.flush(cx);
        if !job.outbox.is_saved() {
            self.unsaved.push(std::mem::take(&mut job.outbox));
        }
        Some(job)
    }
}

impl State {
    /// Sends what may be sent, and finishes the run when it is over.
    pub(super) fn advance_run(&mut self, cx: &mut Cx) {
        let Some(job) = self.run.job.as_mut().filter(|job| job.is_sending()) else { return };
        let Some(mut runner) = job.runner.take() else { return };
        let profile = ProfileId(job.key.profile.clone());
        runner.send(cx, |items| {
            let texts = items.iter().filter_map(|item| job.item(*item));
            let input = texts.map(|item| item.text.raw().to_owned()).collect();
            let request = EmbeddingRequest {
                model: job.key.model.raw().to_owned(),
                input: Prompt::Texts(input),
                encoding_format: None,
                dimensions: job.key.dimensions,
                user: None,
            };
            (profile.clone(), Call::Embed(Box::new(request)))
        });
        let over = runner.state() == BatchState::Finished;
        job.runner = Some(runner);
        job.outbox.save(cx);
        if over {
            self.finish_run(false, cx);
        }
    }

    pub(super) fn handle_progress(&mut self, ticket: Ticket, progress: Progress, cx: &mut Cx) {
        let runner = self.run.job.as_mut().and_then(|job| job.runner.as_mut());
        let Some(event) = runner.and_then(|runner| runner.observe(ticket, &progress, cx)) else { return };
        match (event, progress) {
            (RequestEvent::Pending, Progress::Retrying { why, .. }) => self.run.failure = Some(why),
            (RequestEvent::Pending, _) => {}
            (RequestEvent::Answered(request), Progress::Reply(Reply::Embeddings(answer))) => {
                self.take_answer(request, answer, cx);
            }
            (RequestEvent::Answered(_), _) => {
                self.request_failed(ticket, Failure::new(FailureKind::Malformed, NO_ANSWER), cx);
            }
            (RequestEvent::Failed(why, _), _) => self.request_failed(ticket, why, cx),
        }
        self.advance(cx);
    }

    /// Takes the failure of a request of the run: its texts are sent again, or given up.
    fn request_failed(&mut self, ticket: Ticket, why: Failure, cx: &mut Cx) {
        let Some(job) = &mut self.run.job else { return };
        let Some(runner) = &mut job.runner else { return };
        // It is about what was asked for, not about the texts: no half would do better.
        let before = runner.failures().len();
        if job.key.dimensions.is_some() && names_dimensions(&why) {
            runner.resend(ticket);
            let said = "the model has a fixed length: choose its own with D, or cut the vectors here";
            runner.hold(said.into(), None);
        } else {
            runner.fail(ticket, &why, cx.now);
        }
        let state = runner.state();
        if matches!(state, BatchState::Held { .. }) && job.purpose != RunPurpose::List {
            self.run.failure = Some(why.clone());
            return self.abandon_run(&why, cx);
        }
        self.run.unseen |= !matches!(state, BatchState::Running);
        let failed: Vec<_> =
            runner.failures().iter().skip(before).map(|failed| (failed.item, failed.why.clone())).collect();
        for (item, why) in failed {
            self.text_failed(item, why);
        }
        self.run.failure = Some(why);
        self.update_statuses_soon(cx.now);
    }

    /// Notes why a text of the run has no vector.
    fn text_failed(&mut self, item: u32, why: Untrusted) {
        let Some(job) = &mut self.run.job else { return };
        let Some(key) = job.item(item).map(|item| item.key) else { return };
        job.asking.remove(&key);
        if job.is_list() && job.key == self.data.key {
            self.vectors.failures.insert(key, why);
        }
    }

    /// Takes an answer: its vectors go to the disk, and its cost to the ledger.
    fn take_answer(&mut self, request: AnsweredRequest, answer: EmbeddingList, cx: &mut Cx) {
        let Some(job) = &mut self.run.job else { return };
        let Some(runner) = &mut job.runner else { return };
        let items = runner.accept(request.ticket);
        let counted = items.iter().filter_map(|item| job.item(*item)).map(|item| u64::from(item.tokens.unwrap_or(0)));
        let own = OwnCount { prompt: counted.sum(), completion: 0, estimated: true };
        self.run.failure = None;
        let charge = Charge {
            tab: "Embed",
            request_id: request.request_id,
            profile: ProfileId(job.key.profile.clone()),
            model: job.key.model.clone(),
            cost: AnswerCost::new(Some(answer.usage), own, job.price),
        };
        job.outbox.charge(charge, cx);
        self.run.meter = job.outbox.meter();
        let key = Arc::new(job.key.clone());
        let mut refused = Vec::new();
        for (item, found) in items.iter().zip(sort_out(answer, items.len())) {
            match (found, job.item(*item).map(|item| item.key)) {
                (Ok(vector), Some(text)) => {
                    job.outbox.add(*item, EmbeddedText { key: Arc::clone(&key), text, vector });
                }
                (Err(why), Some(_)) => refused.push((*item, Untrusted::from(why))),
                (_, None) => {}
            }
        }
        for (item, why) in refused {
            if let Some(runner) = self.run.job.as_mut().and_then(|job| job.runner.as_mut()) {
                runner.refuse(item, why.clone());
            }
            self.text_failed(item, why);
        }
        self.update_statuses_soon(cx.now);
    }

    /// Handles that vectors of a run are on disk.
    pub(super) fn vectors_saved(&mut self, vectors: &[EmbeddedText], cx: &mut Cx) {
        if let Some(job) = self.run.job.as_ref().filter(|job| job.purpose == RunPurpose::Other) {
            let tally = job.tally();
            self.panes.compare.moved(tally.done as usize, tally.total as usize);
        }
        // A text that was typed to rank by is seldom one of the list: nothing is to be summed up again.
        let of_list = |result: &EmbeddedText| self.vectors.aligned.contains(&result.text);
        if vectors.first().is_some_and(|result| *result.key == self.data.key)
            && (vectors.len() > 1 || vectors.iter().any(of_list))
        {
            self.vectors.saved(vectors.iter().map(|result| result.text));
            let found: HashMap<TextKey, &[f32]> = vectors.iter().map(|result| (result.text, &*result.vector)).collect();
            self.insert_vectors(&found, cx);
        }
        self.advance(cx);
    }

    /// Ends the run, as a query or other work of it has failed.
    pub(super) fn run_failed(&mut self, number: u64, why: &Untrusted, cx: &mut Cx) {
        let Some(job) = self.run.job.take_if(|job| job.number == number) else { return };
        self.report(&job, Err(why.clone()), cx);
        cx.notify(Notice::error(format!("the run could not start: {}", why.line())));
        self.update_statuses();
    }

    /// Gives up a run that a pane asked for: the pane says why, and can ask again.
    fn abandon_run(&mut self, why: &Failure, cx: &mut Cx) {
        let Some(job) = self.run.end(cx) else { return };
        self.report(&job, Err(why.sentence.clone()), cx);
        self.update_statuses();
    }

    /// Tells the pane that asked for the run how it ended.
    fn report(&mut self, job: &EmbedRun, found: Result<Arc<[f32]>, Untrusted>, cx: &mut Cx) {
        match (job.purpose, found) {
            (RunPurpose::List, _) | (RunPurpose::Other, Ok(_)) => {}
            (RunPurpose::Other, Err(why)) => self.panes.compare.other(&job.key, Err(why), cx),
            (RunPurpose::Query, found) => self.report_query(&job.key, found, cx),
        }
    }

    /// Passes on the vector of a query; a vector of a model that is not in use any more is of no use.
    pub(super) fn report_query(&mut self, key: &VectorKey, found: Result<Arc<[f32]>, Untrusted>, cx: &mut Cx) {
        let found = if *key == self.data.key { found } else { Err("the model has changed; rank again".into()) };
        self.panes.query.vector(found, cx);
    }

    /// Ends the run: all answers have come, or it was stopped.
    pub(super) fn finish_run(&mut self, stopped: bool, cx: &mut Cx) {
        let summary = self.run.job.as_ref().map(|job| job.ended(stopped, cx.now));
        let Some(mut job) = self.run.end(cx) else { return };
        let failed = job.runner.as_ref().and_then(|runner| runner.failures().last().map(|failed| failed.why.clone()));
        if job.is_list() {
            self.run.summary = summary;
            self.run.unseen |= failed.is_some();
            self.update_statuses();
            // A long list's vectors are loaded once all are there.
            if self.data.texts.len() > MATRIX {
                self.vectors.full = None;
                self.vectors_changed();
            }
            return self.load(cx);
        }
        if stopped || failed.is_some() {
            let why = failed.unwrap_or_else(|| "stopped; the vectors so far are kept".into());
            return self.report(&job, Err(why), cx);
        }
        if let Some(found) = job.found.take() {
            return self.report(&job, Ok(found), cx);
        }
        job.stage = RunStage::Reading;
        let texts = match job.purpose {
            RunPurpose::Query => job.items.iter().map(|part| part.key).collect(),
            _ => self.data.texts.iter().map(|text| text.sent).collect(),
        };
        let ticket = cx.load(Query::Vectors { key: job.key.clone(), texts });
        self.pending.insert(ticket, Request::Job(job.number));
        self.run.job = Some(job);
    }

    /// Stops what runs; what arrived is kept. Returns whether there was anything to stop.
    pub(super) fn stop(&mut self, cx: &mut Cx) -> bool {
        let running = self.run.job.is_some();
        if running {
            self.finish_run(true, cx);
        }
        running
    }

    /// Pauses the run, or continues it (`p`).
    pub(super) fn toggle_pause(&mut self, cx: &mut Cx) {
        let Some(runner) = self.run.job.as_mut().and_then(|job| job.runner.as_mut()) else {
            return cx.notify(Notice::info("nothing is running").about("run"));
        };
        match runner.state() {
            BatchState::Running => runner.pause(),
            _ => return self.resume(cx),
        }
        self.update_statuses();
    }

    /// Continues.
    pub(super) fn resume(&mut self, cx: &mut Cx) {
        if let Some(runner) = self.run.job.as_mut().and_then(|job| job.runner.as_mut()) {
            runner.resume();
            runner.hurry(cx);
        }
        self.update_statuses();
        self.advance(cx);
    }
}

/// Returns whether a server refused the length that was asked for.
fn names_dimensions(why: &Failure) -> bool {
    why.kind == FailureKind::Refused && (why.sentence.contains("dimension") || why.body.contains("dimension"))
}
