//! Begins a run: finds the texts without a vector, and asks before sending.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::embed_run::{EmbedRun, EmbeddedText, RunPurpose, RunStage};
use super::pane_data::Page;
use super::send::RunUpdate;
use super::state::{Answer, Request, State};
use crate::api::call::{Failure, Progress, Ticket};
use crate::component::{Cx, Notice, Question};
use crate::record::vectors::MATRIX;
use crate::record::work::{Done, Work};
use crate::record::{Query, Rows, TextKey, VectorKey};
use crate::settings::ProfileId;
use crate::tabs::activity::ActivityOutcome;
use crate::tabs::batch::BatchState;
use crate::text::Untrusted;

impl State {
    /// Embeds the texts that have no vector yet (`^R`).
    pub(super) fn run(&mut self, cx: &mut Cx) {
        self.sync(cx);
        if self.run.job.as_ref().is_some_and(|job| job.runner.is_some()) && !self.is_busy() {
            let other = |job: &EmbedRun| job.is_list() && job.key != self.list.data.key;
            if !self.run.job.as_ref().is_some_and(other) {
                return self.resume(cx);
            }
            // What is paused is of another model; its results are kept.
            self.stop(cx);
        }
        if self.run.job.is_some() {
            return cx.notify(Notice::info("a run is under way; esc stops it, p pauses it").about("run"));
        }
        if self.list.data.texts.is_empty() {
            return cx.notify(Notice::info("there are no texts yet: a adds one, f reads a file").about("run"));
        }
        if self.list.storage.is_imported() {
            let said = "these vectors came from a file; choose a model (M) to embed the texts again";
            return cx.notify(Notice::info(said).about("run"));
        }
        if self.list.data.key.model.is_empty() {
            let said = "no model of this server is named as an embedding model; M chooses one";
            return cx.notify(Notice::warn(said).about("run"));
        }
        for text in self.list.data.texts.iter() {
            self.list.vectors.failures.remove(&text.sent);
        }
        (self.run.failure, self.run.summary) = (None, None);
        // What comes is looked at.
        if self.view.page == Page::Inputs && self.list.data.texts.len() > 1 {
            self.view.page = Page::Matrix;
        }
        let texts = self.list.texts_to_send();
        self.start_run(RunPurpose::List, self.list.data.key.clone(), texts, cx);
    }

    /// Begins a run with a look at what is on disk.
    pub(super) fn start_run(
        &mut self,
        purpose: RunPurpose,
        key: VectorKey,
        texts: Vec<(Untrusted, Option<u32>)>,
        cx: &mut Cx,
    ) {
        self.save(cx);
        self.run.count += 1;
        let price = cx.session.price(&ProfileId(key.profile.clone()), &key.model);
        let job = EmbedRun::new(self.run.count, purpose, key.clone(), price, texts, cx.now);
        let texts = job.items.iter().map(|part| part.key).collect();
        let ticket = cx.load(Query::HasVectors { key, texts });
        self.pending.insert(ticket, Request::Job(job.number));
        self.run.job = Some(job);
        self.list.vectors.statuses_outdated = true;
    }

    /// Takes the store's answer to a query of the run.
    pub(super) fn run_stored(&mut self, number: u64, rows: Rows, cx: &mut Cx) {
        let Some(job) = self.run.job.as_mut().filter(|job| job.number == number) else { return };
        match rows {
            Rows::HasVectors(mut has) if job.stage == RunStage::Looking => {
                let of_list = self.list.is_run_of(job);
                // A vector that says nothing is as good as none: another takes its place.
                let faulty = if of_list { self.list.remove_faulty() } else { HashSet::new() };
                for (part, has) in job.items.iter().zip(&mut has) {
                    *has &= !faulty.contains(&part.key);
                }
                let empty = job.note_vectors(&has);
                if of_list {
                    self.list.vectors.found(job.items.iter().map(|part| part.key).zip(has));
                }
                if job.key == self.list.data.key {
                    let why = Untrusted::from("the text is empty, so there is nothing to embed");
                    self.list.vectors.failures.extend(empty.into_iter().map(|key| (key, why.clone())));
                }
                self.count_missing(cx);
            }
            Rows::Vectors(table) if job.stage == RunStage::Reading => {
                let (purpose, key) = (job.purpose, job.key.clone());
                self.run.job = None;
                match purpose {
                    RunPurpose::Query => {
                        let found = table.row(0).map(Arc::from).ok_or_else(|| "it has no vector".into());
                        self.report_query(&key, found, cx);
                    }
                    _ => self.list.panes.compare.other(&key, Ok(table), cx),
                }
            }
            _ => {}
        }
        self.advance(cx);
    }

    /// Counts what is to be sent, as far as it is not counted.
    fn count_missing(&mut self, cx: &mut Cx) {
        let Some(job) = &mut self.run.job else { return };
        job.stage = RunStage::Counting;
        // Another model may cut them otherwise.
        let known = job.key.model == self.list.data.key.model;
        if job.missing().all(|part| known && part.tokens.is_some()) {
            return self.check_lengths(false, cx);
        }
        let texts = job.missing().map(|part| part.text.clone()).collect();
        let ticket = cx.work(Work::Count { model: job.key.model.clone(), local: job.local, texts });
        self.pending.insert(ticket, Request::Job(job.number));
    }

    /// Takes the work threads' answer to an order of the run.
    pub(super) fn run_worked(&mut self, number: u64, done: Done, cx: &mut Cx) {
        let Some(job) = self.run.job.as_mut().filter(|job| job.number == number) else { return };
        match done {
            Done::Counted(_, counts) => {
                job.note_tokens(&counts);
                self.check_lengths(false, cx);
            }
            Done::Failed(why) => self.run_failed(number, &why, cx),
            _ => {}
        }
    }

    /// Names the texts that the model cannot read before anything is sent, and the cost of a large run.
    pub(super) fn check_lengths(&mut self, leave_out: bool, cx: &mut Cx) {
        let Some(job) = &mut self.run.job else { return };
        let over = job.too_long();
        if leave_out {
            let of_list = self.list.is_run_of(job);
            let failed = job.leave_out(&over);
            if of_list {
                self.list.vectors.failures.extend(failed);
            }
        } else if !over.is_empty() {
            job.stage = RunStage::Asking;
            let lines = self.list.too_long_words(&job.key.model, &over);
            if job.purpose == RunPurpose::Query {
                self.run.job = None;
                let why = lines.into_iter().next().unwrap_or_default();
                return self.list.panes.query.vector(Err(why), cx);
            }
            let question = Question::new("Too long for the model", lines)
                .answer('l', "leave them out and embed the others", Answer::LeaveOut)
                .answer('e', "edit the first one", Answer::Shorten);
            self.run.question = Some(question.cancelled(Answer::DropRun));
            self.list.vectors.statuses_outdated = true;
            return self.put_question();
        }
        self.send_or_ask(false, cx);
    }

    /// Sends, or says what it would cost.
    pub(super) fn send_or_ask(&mut self, sure: bool, cx: &mut Cx) {
        let Some(job) = &mut self.run.job else { return };
        if job.missing.is_empty() {
            return self.finish_run(false, cx);
        }
        if !sure && job.needs_consent() {
            job.stage = RunStage::Asking;
            let lines = job.consent_words();
            let question = Question::new("Embed these texts?", lines).answer('e', "embed them", Answer::Launch);
            self.run.question = Some(question.cancelled(Answer::DropRun));
            return self.put_question();
        }
        job.begin_sending(cx.now);
        self.list.vectors.statuses_outdated = true;
        self.advance(cx);
    }

    /// Takes the progress of a call of the run.
    pub(super) fn handle_progress(&mut self, ticket: Ticket, progress: Progress, cx: &mut Cx) {
        match self.run.handle_progress(ticket, progress, cx) {
            None => return,
            Some(RunUpdate::Pending) => {}
            Some(RunUpdate::Abandoned(why)) => self.abandon_run(&why, cx),
            Some(RunUpdate::Ended(failed)) => {
                if self.run.job.as_ref().is_some_and(|job| self.list.is_run_of(job)) {
                    self.list.vectors.failures.extend(failed);
                }
                self.list.plan_statuses(cx.now);
            }
        }
        self.advance(cx);
    }

    /// Handles that vectors of a run are on disk.
    pub(super) fn vectors_saved(&mut self, vectors: &[EmbeddedText], cx: &mut Cx) {
        if let Some(job) = self.run.job.as_ref().filter(|job| job.purpose == RunPurpose::Other) {
            let tally = job.tally();
            self.list.panes.compare.moved(tally.done as usize, tally.total as usize);
        }
        // A text that was typed to rank by is seldom one of the list: nothing is to be summed up again.
        let of_list = |result: &EmbeddedText| self.list.vectors.aligned.contains(&result.text);
        if vectors.first().is_some_and(|result| *result.key == self.list.data.key)
            && (vectors.len() > 1 || vectors.iter().any(of_list))
        {
            self.list.vectors.saved(vectors.iter().map(|result| result.text));
            let found: HashMap<TextKey, &[f32]> = vectors.iter().map(|result| (result.text, &*result.vector)).collect();
            self.list.insert_vectors(&found, cx);
        }
        self.advance(cx);
    }

    /// Ends the run, as a query or other work of it has failed.
    pub(super) fn run_failed(&mut self, number: u64, why: &Untrusted, cx: &mut Cx) {
        let Some(job) = self.run.job.take_if(|job| job.number == number) else { return };
        self.run.ended = ActivityOutcome::Failed;
        self.report(&job, Err(why.clone()), cx);
        cx.notify(Notice::error(format!("the run could not start: {}", why.line())));
        self.list.vectors.statuses_outdated = true;
    }

    /// Gives up a run that a pane asked for: the pane says why, and can ask again.
    fn abandon_run(&mut self, why: &Failure, cx: &mut Cx) {
        let Some(job) = self.run.end(cx) else { return };
        self.report(&job, Err(why.sentence.clone()), cx);
        self.list.vectors.statuses_outdated = true;
    }

    /// Tells the pane that asked for the run how it ended.
    fn report(&mut self, job: &EmbedRun, found: Result<Arc<[f32]>, Untrusted>, cx: &mut Cx) {
        match (job.purpose, found) {
            (RunPurpose::List, _) | (RunPurpose::Other, Ok(_)) => {}
            (RunPurpose::Other, Err(why)) => self.list.panes.compare.other(&job.key, Err(why), cx),
            (RunPurpose::Query, found) => self.report_query(&job.key, found, cx),
        }
    }

    /// Passes on the vector of a query; a vector of a model that is not in use any more is of no use.
    pub(super) fn report_query(&mut self, key: &VectorKey, found: Result<Arc<[f32]>, Untrusted>, cx: &mut Cx) {
        let found = if *key == self.list.data.key { found } else { Err("the model has changed; rank again".into()) };
        self.list.panes.query.vector(found, cx);
    }

    /// Ends the run: all answers have come, or it was stopped.
    pub(super) fn finish_run(&mut self, stopped: bool, cx: &mut Cx) {
        let summary = self.run.job.as_ref().map(|job| job.summary(stopped, cx.now));
        let Some(mut job) = self.run.end(cx) else { return };
        let failed = job.runner.as_ref().and_then(|runner| runner.failures().last().map(|failed| failed.why.clone()));
        if job.is_list() {
            self.run.summary = summary;
            self.run.unseen |= failed.is_some();
            self.list.vectors.statuses_outdated = true;
            // A long list's vectors are loaded once all are there.
            if self.list.data.texts.len() > MATRIX {
                self.list.vectors.full = None;
                self.list.vectors_changed();
            }
            return self.list.load(self.run.is_busy(), cx);
        }
        // The summary of a list shows this; there is none of a query or a comparison.
        if let Some(changes) = summary.map(|summary| summary.adapted).filter(|changes| !changes.is_empty()) {
            cx.notify(Notice::info(changes).about("adapted"));
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
            _ => self.list.data.texts.iter().map(|text| text.sent).collect(),
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
        self.list.vectors.statuses_outdated = true;
    }

    /// Continues.
    pub(super) fn resume(&mut self, cx: &mut Cx) {
        if let Some(runner) = self.run.job.as_mut().and_then(|job| job.runner.as_mut()) {
            runner.resume();
            runner.retry_now(cx);
        }
        self.list.vectors.statuses_outdated = true;
        self.advance(cx);
    }
}
