//! A prompt and its completion outside the tab: what `benchtop complete` sends, saves and prints.

use serde_json::{Map, Value};

use super::request::request;
use super::run::excerpt;
use super::{active_run, history};
use crate::api::call::{Call, Failure, Progress, Ticket};
use crate::component::Cx;
use crate::record::{CompletionParams, Made, Record, Run, Sheet, Step, TurnStatus};
use crate::tabs::generation::{Part, RunEnd, RunTarget, RunUpdate, StreamingRun};
use crate::tabs::tab::RunMeter;
use crate::text::Untrusted;

/// What a part of a call means for a run.
#[derive(Debug)]
pub enum OneRunUpdate {
    /// Nothing to show.
    Nothing,
    /// An attempt failed for this reason; another one follows.
    Retrying(Failure),
    /// Text of the completion, in order of arrival.
    Parts(Vec<Part>),
    /// The run has ended.
    Ended(RunEnd),
}

/// A prompt that was sent, and what came.
#[derive(Debug)]
pub struct OneRun {
    run: StreamingRun,
    record: Run,
    /// The completion; its text grows.
    step: Step,
    /// Bytes of it that the store has been given.
    saved: usize,
    meter: Option<RunMeter>,
    has_ended: bool,
}

impl OneRun {
    /// Sends a prompt, with what follows the gap in it (empty: it is continued at its end), and saves it. `fields`
    /// differ from the defaults of the model.
    ///
    /// # Errors
    /// A field is wrong; a sentence.
    pub fn send(prompt: String, suffix: &str, fields: &Map<String, Value>, cx: &mut Cx) -> Result<Self, String> {
        let (profile, model) = (cx.session.profile.clone(), cx.session.model.clone());
        let defaults = cx.session.defaults(&profile, &model).cloned().unwrap_or_default();
        let params = with_fields(&defaults, fields)?;
        let price = cx.session.price(&profile, &model);
        let prompt_tokens = (prompt.len() + suffix.len()) as u64 / 4;
        let body = request(prompt.clone(), suffix, &params, &model);
        let target = RunTarget { profile, model, price, prompt_tokens, estimated: true };
        // The call goes first: the text is the caller's, so nothing is lost if the program ends before it is saved.
        let run = StreamingRun::send(target, Call::Complete(Box::new(body)), cx);
        let (sheet, typed, id, step) = (cx.id(), cx.id(), cx.id(), cx.id());
        let caret = prompt.len();
        let excerpt = excerpt(&prompt);
        let inserted = Untrusted::new(prompt + suffix);
        let typed = Step { inserted, ..history::step(typed, sheet, None, Made::Typed, 0, cx.unix_ms) };
        let made = Made::Generated { run: id, choice: 0 };
        let step = Step {
            status: TurnStatus::Streaming,
            ..history::step(step, sheet, Some(typed.id), made, caret, cx.unix_ms)
        };
        let record = Run {
            id,
            sheet,
            parent: Some(typed.id),
            profile: cx.session.profile_name.clone(),
            model: run.target().model.clone(),
            params,
            excerpt,
            status: TurnStatus::Streaming,
            error: Untrusted::default(),
            created_ms: cx.unix_ms,
            prompt_tokens,
            completion_tokens: 0,
            estimated: true,
            cost_nano: None,
            first_token_ms: 0,
            total_ms: 0,
        };
        let (created_ms, updated_ms) = (cx.unix_ms, cx.unix_ms);
        let sheet = Sheet { id: sheet, created_ms, updated_ms, current: Some(step.id), caret: caret as u64 };
        cx.save(Record::Batch(vec![
            Record::Sheet(sheet),
            Record::Step(Box::new(typed)),
            Record::Step(Box::new(step.clone())),
            Record::Run(Box::new(record.clone())),
        ]));
        Ok(Self { run, record, step, saved: 0, meter: None, has_ended: false })
    }

    /// Takes in a part of its call.
    pub fn handle_progress(&mut self, ticket: Ticket, progress: Progress, cx: &mut Cx) -> OneRunUpdate {
        if self.has_ended || !self.run.owns(ticket) {
            return OneRunUpdate::Nothing;
        }
        match self.run.handle_progress(progress, cx.now) {
            RunUpdate::Nothing => OneRunUpdate::Nothing,
            RunUpdate::Retrying(why) => OneRunUpdate::Retrying(why),
            RunUpdate::Parts(parts) => {
                for part in &parts {
                    self.add(part, cx);
                }
                OneRunUpdate::Parts(parts)
            }
            RunUpdate::Ended(end) => {
                self.finish(&end, cx);
                OneRunUpdate::Ended(end)
            }
        }
    }

    /// Stops the run; what arrived is kept. Returns how that ends it; `None`: it has ended.
    pub fn stop(&mut self, cx: &mut Cx) -> Option<RunEnd> {
        if self.has_ended {
            return None;
        }
        let end = self.run.stop(cx);
        self.finish(&end, cx);
        Some(end)
    }

    /// Returns the run as it is stored.
    pub fn record(&self) -> &Run {
        &self.record
    }

    /// Returns the completion.
    pub fn step(&self) -> &Step {
        &self.step
    }

    /// Returns tokens and cost of a run that has ended; `None`: nothing came that is billed.
    pub fn meter(&self) -> Option<RunMeter> {
        self.meter
    }

    fn add(&mut self, part: &Part, cx: &mut Cx) {
        if part.choice != 0 {
            return;
        }
        if !part.content.is_empty() {
            self.step.inserted.append(&part.content);
            if self.run.save_round(cx.now, false).takes(self.step.inserted.len() - self.saved) {
                let text = self.step.inserted.after(self.saved);
                cx.save(Record::Grow { step: self.step.id, at: self.saved as u64, text });
                self.saved = self.step.inserted.len();
            }
        }
        if let Some(reason) = &part.finish_reason {
            self.step.finish_reason = reason.clone();
        }
    }

    fn finish(&mut self, end: &RunEnd, cx: &mut Cx) {
        for part in self.run.stream.rest() {
            self.add(&part, cx);
        }
        self.has_ended = true;
        let figures = self.run.finish("Complete", end.status == TurnStatus::Done, cx);
        self.meter = figures.answered.then_some(figures.meter);
        self.step.status = if self.step.finish_reason.is_empty() { end.status } else { TurnStatus::Done };
        let ended = (end.status, end.failure.as_ref());
        self.record = active_run::finished(self.record.clone(), &self.run, ended, &figures);
        let records = [Record::Step(Box::new(self.step.clone())), Record::Run(Box::new(self.record.clone()))];
        cx.save(Record::Batch(records.into_iter().chain(figures.ledger).collect()));
    }
}

/// Returns parameters with these fields changed.
fn with_fields(params: &CompletionParams, fields: &Map<String, Value>) -> Result<CompletionParams, String> {
    let wrong = |why: serde_json::Error| format!("a parameter cannot be used: {why}");
    let Value::Object(mut all) = serde_json::to_value(params).map_err(wrong)? else { return Ok(params.clone()) };
    all.extend(fields.clone());
    serde_json::from_value(Value::Object(all)).map_err(wrong)
}
