//! Begins a run: finds the texts without a vector, and asks before sending.

use std::collections::HashSet;
use std::sync::Arc;

use super::embed_run::{EmbedRun, NO_ANSWER, RunItem, RunPurpose, RunStage};
use super::pane_data::Page;
use super::state::{Answer, Request, State};
use crate::component::{AnswerCost, Cx, Notice, Question, money};
use crate::record::vectors::MATRIX;
use crate::record::work::{Done, Work};
use crate::record::{Query, Rows, TextKey, VectorKey};
use crate::settings::ProfileId;
use crate::tabs::batch::{BatchItem, BatchLimits, BatchRunner};
use crate::text::Untrusted;
use crate::tokens::context;
use crate::ui::meter;

/// Requests under way, texts in each, tokens in each.
const LIMITS: BatchLimits = BatchLimits { requests: 4, items: 128, weight: 200_000 };
/// Texts that are sent without a question, whatever they are for, and what they may cost, in billionths of a dollar.
const SURE: usize = 1_000;
const SURE_COST: i64 = 10_000_000;

impl State {
    /// Embeds the texts that have no vector yet (`^R`).
    pub(super) fn run(&mut self, cx: &mut Cx) {
        self.sync(cx);
        if self.run.job.as_ref().is_some_and(|job| job.runner.is_some()) && !self.is_busy() {
            let other = |job: &EmbedRun| job.is_list() && job.key != self.data.key;
            if !self.run.job.as_ref().is_some_and(other) {
                return self.resume(cx);
            }
            // What is paused is of another model; its results are kept.
            self.stop(cx);
        }
        if self.run.job.is_some() {
            return cx.notify(Notice::info("a run is under way; esc stops it, p pauses it").about("run"));
        }
        if self.data.texts.is_empty() {
            return cx.notify(Notice::info("there are no texts yet: a adds one, f reads a file").about("run"));
        }
        if self.list.is_imported() {
            let said = "these vectors came from a file; choose a model (M) to embed the texts again";
            return cx.notify(Notice::info(said).about("run"));
        }
        if self.data.key.model.is_empty() {
            let said = "no model of this server is named as an embedding model; M chooses one";
            return cx.notify(Notice::warn(said).about("run"));
        }
        for text in self.data.texts.iter() {
            self.vectors.failures.remove(&text.sent);
        }
        (self.run.failure, self.run.summary) = (None, None);
        // What comes is looked at.
        if self.view.page == Page::Inputs && self.data.texts.len() > 1 {
            self.view.page = Page::Matrix;
        }
        let texts = self.data.texts.iter().map(|text| (self.sent(&text.text), text.tokens)).collect();
        self.start_run(RunPurpose::List, self.data.key.clone(), texts, cx);
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
        self.update_statuses();
    }

    /// Takes the store's answer to a query of the run.
    pub(super) fn run_stored(&mut self, number: u64, rows: Rows, cx: &mut Cx) {
        let looked = matches!(rows, Rows::HasVectors(_));
        let shown = |job: &EmbedRun| job.number == number && job.is_list() && job.key == self.data.key;
        let faulty =
            if looked && self.run.job.as_ref().is_some_and(shown) { self.remove_faulty() } else { HashSet::new() };
        let Some(job) = self.run.job.as_mut().filter(|job| job.number == number) else { return };
        match rows {
            Rows::HasVectors(mut has) if job.stage == RunStage::Looking => {
                // A vector that says nothing is as good as none: another takes its place.
                for (part, has) in job.items.iter().zip(&mut has) {
                    *has &= !faulty.contains(&part.key);
                }
                let known = job.items.iter().zip(&has).filter(|(_, has)| **has);
                job.cached = known.map(|(part, _)| u64::from(part.rows)).sum();
                let parts = job.items.iter().zip(&has).zip(0..);
                job.missing = parts.filter(|((_, has), _)| !**has).map(|(_, at)| at).collect();
                if job.is_list() && job.key == self.data.key {
                    self.vectors.found(job.items.iter().map(|part| part.key).zip(has));
                }
                self.refuse_empty();
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
                    _ => self.panes.compare.other(&key, Ok(table), cx),
                }
            }
            _ => {}
        }
        self.advance(cx);
    }

    /// Lets go of vectors that say nothing, or have another length than most; names their texts. A run asks for them
    /// again.
    pub(super) fn remove_faulty(&mut self) -> HashSet<TextKey> {
        let faulty = self.vectors.remove_faulty();
        if !faulty.is_empty() && self.data.texts.len() <= MATRIX {
            self.vectors_changed();
        }
        faulty
    }

    /// Leaves empty texts out of the run: they have no meaning, and servers refuse them.
    fn refuse_empty(&mut self) {
        let Some(job) = &mut self.run.job else { return };
        let empty: Vec<u32> =
            (0..).zip(&job.items).filter(|(_, part)| part.text.is_empty()).map(|(at, _)| at).collect();
        job.missing.retain(|at| !empty.contains(at));
        let shown = job.key == self.data.key;
        for at in empty.into_iter().filter(|_| shown) {
            self.vectors
                .failures
                .insert(job.items[at as usize].key, "the text is empty, so there is nothing to embed".into());
        }
    }

    /// Counts what is to be sent, as far as it is not counted.
    fn count_missing(&mut self, cx: &mut Cx) {
        let Some(job) = &mut self.run.job else { return };
        job.stage = RunStage::Counting;
        // Another model may cut them otherwise.
        let known = job.key.model == self.data.key.model;
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
                for (at, count) in job.missing.clone().into_iter().zip(counts) {
                    if let Some(part) = job.items.get_mut(at as usize) {
                        part.tokens = Some(count);
                    }
                }
                self.check_lengths(false, cx);
            }
            Done::Failed(why) => self.run_failed(number, &why, cx),
            _ => {}
        }
    }

    /// Names the texts that the model cannot read before anything is sent, and the cost of a large run.
    pub(super) fn check_lengths(&mut self, leave_out: bool, cx: &mut Cx) {
        let Some(job) = &mut self.run.job else { return };
        let limit = context(&job.key.model.line());
        let long = |part: &RunItem| limit.is_some_and(|limit| u64::from(part.tokens.unwrap_or(0)) > limit);
        let over: Vec<(TextKey, u32)> =
            job.missing().filter(|part| long(part)).map(|part| (part.key, part.tokens.unwrap_or(0))).collect();
        if leave_out {
            let parts = &job.items;
            job.missing.retain(|at| parts.get(*at as usize).is_some_and(|part| !long(part)));
            for (key, tokens) in &over {
                let limit = meter::count(limit.unwrap_or(0));
                let words = format!("left out: {} tokens, the model reads {limit}", meter::count(u64::from(*tokens)));
                if job.purpose == RunPurpose::List && job.key == self.data.key {
                    self.vectors.failures.insert(*key, words.into());
                }
            }
        } else if !over.is_empty() {
            job.stage = RunStage::Asking;
            let limit = limit.unwrap_or(0);
            let lines = self.over_long(&over, limit);
            if self.run.job.as_ref().is_some_and(|job| job.purpose == RunPurpose::Query) {
                self.run.job = None;
                let why = lines.into_iter().next().unwrap_or_default();
                return self.panes.query.vector(Err(why), cx);
            }
            let question = Question::new("Too long for the model", lines)
                .answer('l', "leave them out and embed the others", Answer::LeaveOut)
                .answer('e', "edit the first one", Answer::Shorten);
            self.run.question = Some(question.cancelled(Answer::DropRun));
            self.update_statuses();
            return self.put_question();
        }
        self.send_or_ask(false, cx);
    }

    /// Sentences that name what is too long, by letter and count.
    fn over_long(&self, over: &[(TextKey, u32)], limit: u64) -> Vec<Untrusted> {
        let model = self.run.job.as_ref().map(|job| job.key.model.line().into_owned()).unwrap_or_default();
        let mut lines: Vec<Untrusted> =
            vec![format!("{model} reads {} tokens.", meter::count(limit)).into(), "Nothing was sent.".into()];
        for (key, tokens) in over.iter().take(6) {
            let row = self.data.texts.iter().position(|text| text.sent == *key);
            let name = row.map_or_else(|| "the text".to_owned(), |row| self.data.letter(row));
            let begins: String = row.map(|row| self.data.words(row)).unwrap_or_default().chars().take(28).collect();
            lines.push(format!("{name}  {} tokens  {begins}…", meter::count(u64::from(*tokens))).into());
        }
        if over.len() > 6 {
            lines.push(format!("and {} more", over.len() - 6).into());
        }
        lines
    }

    /// Sends, or says what it would cost.
    pub(super) fn send_or_ask(&mut self, sure: bool, cx: &mut Cx) {
        let Some(job) = &mut self.run.job else { return };
        if job.missing.is_empty() {
            return self.finish_run(false, cx);
        }
        let tokens = job.missing_tokens();
        let price = AnswerCost::of_prompt(tokens, job.price).nano();
        if !sure && (job.missing.len() > SURE || price.is_some_and(|nano| nano > SURE_COST)) {
            job.stage = RunStage::Asking;
            let price = money::cost(price);
            let texts = meter::count(job.missing.len() as u64);
            let said = format!("{texts} texts, ~{} tokens ≈ {price}, go to", meter::count(tokens));
            let mut lines = vec![said.into(), job.key.model.clone()];
            let day = job.price.and_then(|price| price.as_of);
            lines.extend(day.map(|day| format!("prices as of {day}").into()));
            let question = Question::new("Embed these texts?", lines).answer('e', "embed them", Answer::Launch);
            self.run.question = Some(question.cancelled(Answer::DropRun));
            return self.put_question();
        }
        job.stage = RunStage::Sending;
        job.began = cx.now;
        job.asking = job.missing().map(|part| part.key).collect();
        let items: Vec<BatchItem> =
            job.missing().map(|part| BatchItem { weight: part.tokens.unwrap_or(0).max(1), rows: part.rows }).collect();
        job.runner = Some(BatchRunner::new(NO_ANSWER, LIMITS, items, job.cached));
        self.update_statuses();
        self.advance(cx);
    }
}
