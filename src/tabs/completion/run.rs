//! A run from the key to its end: its prompt is counted, saved and sent; its text is written into the history as it
//! arrives.

use std::time::Duration;

use super::active_run::{ActiveRun, ChoiceOutput, QueuedRun, RunPurpose, RunRequest};
use super::history;
use super::state::{CompletePane, Request, State};
use crate::api::call::{Call, Failure, Progress, Ticket};
use crate::component::{Cx, Effect, Notice, palette_key};
use crate::record::{Id, Made, Record, Run, Step, TurnStatus};
use crate::tabs::generation::{Part, RunEnd, RunTarget, RunUpdate, StreamingRun};
use crate::text::Untrusted;

/// Bytes of the prompt in the list of runs.
const EXCERPT: usize = 120;

/// How long a second ^R sends an empty text: about as long as the notice that says so is shown.
const TIME_TO_CONFIRM: Duration = Duration::from_secs(8);

/// What a notice is about that says why a prompt was not sent.
const UNSENT: &str = "completion prompt";

impl State {
    /// Returns whether a run can be asked for; says why not.
    pub(super) fn can_run(&mut self, cx: &mut Cx) -> bool {
        if self.active.refuses_while_busy(", then ^R runs again", cx) {
            return false;
        }
        if !self.startup.loaded {
            cx.notify(Notice::warn("the text is still loading; press ^R again in a moment"));
            return false;
        }
        if self.model(cx.session).is_empty() && !cx.session.models.is_empty() {
            let said = format!(
                "no model of this server completes texts, as far as their names tell; choose one all the same (m), or \
                 another profile ({})",
                palette_key()
            );
            cx.notify(Notice::warn(said).about("model"));
            return false;
        }
        if self.model(cx.session).is_empty() {
            // The dialog of models says if there is none.
            cx.push(Effect::OpenModelPicker);
            return false;
        }
        if let Err(why) = self.settings.check() {
            cx.notify(Notice::warn(why));
            return false;
        }
        true
    }

    /// Returns whether there is a text to send, or the user has asked twice to send an empty one; says so the first
    /// time.
    fn confirms_empty(&mut self, cx: &mut Cx) -> bool {
        let refused_at = self.text.refused_empty_at.take();
        let is_confirmed = refused_at.is_some_and(|at| cx.now.saturating_duration_since(at) < TIME_TO_CONFIRM);
        if is_confirmed || !self.text.buffer.is_empty() {
            return true;
        }
        self.text.refused_empty_at = Some(cx.now);
        let example = if self.shows_intro() { "⏎ loads the example, " } else { "" };
        let said = format!("not sent: the text is empty; {example}^R again sends it all the same");
        cx.notify(Notice::warn(said).about(UNSENT));
        false
    }

    /// Runs at the caret, with what follows it as the suffix.
    pub(super) fn run(&mut self, cx: &mut Cx) {
        if !self.can_run(cx) || !self.confirms_empty(cx) {
            return;
        }
        self.active.animation.start(cx.now);
        self.active.counting = true;
        // A text has at most as many tokens as bytes, so a short one fits in any case.
        let most = self.text.buffer.len() as u64 + self.settings.max_tokens();
        let fits = self.models.context(cx.session).is_none_or(|context| most <= context);
        if fits || self.text.count.is_settled() {
            self.queue_run(cx);
        } else {
            self.text.ask_count(self.models.current(cx.session), cx.session.local, cx);
            if self.text.count.is_settled() {
                self.queue_run(cx);
            }
        }
    }

    /// Refuses the prompt that was counted, or queues its run.
    pub(super) fn queue_run(&mut self, cx: &mut Cx) {
        self.active.counting = false;
        if let Some(over) = self.text.over_limit(self.settings.max_tokens(), self.models.context(cx.session)) {
            cx.notify(Notice::error(over));
            self.restore_position(cx);
            return;
        }
        let ([prompt, suffix], guessed) = self.text.count.tokens();
        let (profile, model) = (cx.session.profile.clone(), self.model(cx.session));
        let price = cx.session.price(&profile, &model);
        let target = RunTarget { profile, model, price, prompt_tokens: prompt + suffix, estimated: guessed };
        let params = self.settings.params().clone();
        self.queue_runs(vec![RunRequest { purpose: RunPurpose::Buffer, target, params }], cx);
    }

    /// Keeps what is asked for and sends it when it is on disk. Returns the runs, in the same order.
    pub(super) fn queue_runs(&mut self, requests: Vec<RunRequest>, cx: &mut Cx) -> Vec<Id> {
        self.text.history.end_burst();
        self.clear_refusal();
        let mut runs = Vec::new();
        let excerpt = excerpt(&self.text.around_caret()[0]);
        for RunRequest { purpose, target, params } in requests {
            let record = Run {
                profile: cx.session.name_of_profile(&target.profile),
                model: target.model.clone(),
                excerpt: excerpt.clone(),
                status: TurnStatus::Streaming,
                prompt_tokens: target.prompt_tokens,
                estimated: true,
                cost_nano: None,
                ..self.text.new_run(params.clone(), cx)
            };
            let request = self.text.request(&params, &target.model);
            runs.push(record.id);
            self.log.runs.insert(0, record.clone());
            self.saves.dirty.insert(record.id);
            self.active.queued.push(QueuedRun { record, purpose, target, request, at: self.text.buffer.caret() });
        }
        self.log.shown = None;
        self.active.animation.start(cx.now);
        if let Some(ticket) = self.save(cx) {
            self.pending.insert(ticket, Request::Prompt);
        }
        runs
    }

    /// Sends the requests whose prompts are on disk.
    pub(super) fn send_queued(&mut self, cx: &mut Cx) {
        cx.push(Effect::ResolveNotice(UNSENT));
        for QueuedRun { record, purpose, target, request, at } in std::mem::take(&mut self.active.queued) {
            let run = StreamingRun::send(target, Call::Complete(Box::new(request)), cx);
            self.active.runs.push(ActiveRun::new(run, record, purpose, at));
        }
        // The new text is shown as it arrives.
        self.focus = CompletePane::Browse;
        self.text.buffer.follow(true);
    }

    /// Gives up the requests whose prompts could not be kept, and says why.
    pub(super) fn give_up_queued(&mut self, cx: &mut Cx) {
        for QueuedRun { record, .. } in std::mem::take(&mut self.active.queued) {
            self.log.runs.retain(|run| run.id != record.id);
            self.saves.dirty.remove(&record.id);
            // The run may be on disk all the same, as one under way.
            let error = "the prompt could not be saved and was not sent".into();
            let failed = Run { status: TurnStatus::Failed, error, cost_nano: Some(0), prompt_tokens: 0, ..record };
            self.saves.records.save(Record::Run(Box::new(failed)), cx);
        }
        cx.notify(Notice::error("The prompt could not be saved and was not sent; ^R sends it").about(UNSENT));
        self.restore_position(cx);
    }

    /// Takes a part of a call. Returns whether a run made it.
    pub(super) fn handle_progress(&mut self, ticket: Ticket, progress: Progress, cx: &mut Cx) -> bool {
        let Some(at) = self.active.runs.iter().position(|active| active.run.owns(ticket)) else { return false };
        let active = &mut self.active.runs[at];
        match active.run.handle_progress(progress, cx.now) {
            RunUpdate::Nothing => {}
            RunUpdate::Retrying(why) => _ = self.log.failures.insert(active.record.id, why),
            RunUpdate::Parts(parts) => {
                for part in parts {
                    self.add_part(at, part, cx);
                }
                self.save_active_runs(false, cx);
            }
            RunUpdate::Ended(end) => self.finish(at, end, cx),
        }
        true
    }

    /// Adds text to a choice's step, which is made when its first text comes.
    fn add_part(&mut self, at: usize, part: Part, cx: &mut Cx) {
        let active = &mut self.active.runs[at];
        // Each choice repeats the tokens of the prompt.
        if !part.prompt.is_empty() && !self.scores.tokens.contains_key(&active.record.id) {
            self.scores.tokens.insert(active.record.id, part.prompt);
            self.text.revision += 1;
        }
        let step = match active.output(part.choice) {
            Some(output) => output.step,
            None if part.content.is_empty() && part.tokens.is_empty() => {
                self.log.empty_reasons.extend(part.finish_reason.map(|reason| (active.record.id, reason)));
                return;
            }
            None => self.begin_output(at, part.choice, cx),
        };
        if !part.tokens.is_empty() {
            self.scores.tokens.entry(step).or_default().extend(part.tokens);
        }
        if let Some(splice) = self.text.history.append(step, &part.content) {
            self.text.buffer.splice_along(splice.range.clone(), splice.text.raw());
            self.text.sheet.caret = self.text.buffer.caret() as u64;
            self.text.count.changed(cx.now);
        }
        self.text.revision += 1;
        if let (Some(reason), Some(step)) = (part.finish_reason, self.text.history.step_mut(step)) {
            step.finish_reason = reason;
        }
    }

    /// Makes the step of a choice whose first text comes. The buffer continues with the first one of its run.
    fn begin_output(&mut self, at: usize, choice: u32, cx: &mut Cx) -> Id {
        let active = &mut self.active.runs[at];
        let id = cx.id();
        let made = Made::Generated { run: active.record.id, choice };
        let step = history::step(id, active.record.sheet, active.record.parent, made, active.at, cx.unix_ms);
        let step = Step { status: TurnStatus::Streaming, ..step };
        let first = active.outputs.is_empty() && active.purpose == RunPurpose::Buffer;
        self.compare.began(active.record.id, id);
        active.outputs.push(ChoiceOutput { choice, step: id, saved: 0, tokens_saved: 0 });
        let here = first && self.text.history.current() == active.record.parent;
        if first {
            self.active.return_to = None;
        }
        if here {
            self.text.history.push(step);
        } else {
            self.text.history.insert(step);
        }
        self.saves.dirty.insert(id);
        if here {
            self.step_changed(cx);
        }
        // The step must be in the store before text is appended to it.
        self.save(cx);
        id
    }

    /// Gives the store what is new of all runs.
    pub(super) fn save_active_runs(&mut self, at_once: bool, cx: &mut Cx) {
        let mut records = Vec::new();
        for active in &mut self.active.runs {
            records.extend(active.save(&self.text.history, |id| self.scores.of(id), cx.now, at_once));
        }
        for record in records {
            self.saves.records.save(record, cx);
        }
    }

    /// Takes in that a run has ended, well or not: its figures, its last words to the store, its line in the ledger.
    fn finish(&mut self, at: usize, RunEnd { status, failure }: RunEnd, cx: &mut Cx) {
        for part in self.active.runs[at].run.stream.rest() {
            self.add_part(at, part, cx);
        }
        self.save_active_runs(true, cx);
        let active = self.active.runs.remove(at);
        let (stream, id) = (&active.run.stream, active.record.id);
        if status == TurnStatus::Done && stream.lacks_echo() {
            self.log.unechoed.insert(id);
        }
        // A prompt that was only scored was read and is billed.
        let scored = self.scores.tokens.contains_key(&id);
        self.note_lacking(&active, scored, failure.as_ref());
        let figures = active.run.finish("Complete", scored || status == TurnStatus::Done, cx);
        let record = active.finished_record(status, failure.as_ref(), &figures);
        for output in &active.outputs {
            if let Some(step) = self.text.history.step_mut(output.step) {
                // A choice with a finish reason is complete, however the others ended.
                step.status = if step.finish_reason.is_empty() { status } else { TurnStatus::Done };
                self.saves.dirty.insert(output.step);
            }
        }
        if let Some(charge) = figures.ledger {
            self.saves.records.save(charge, cx);
            self.log.meter = Some(figures.meter);
        }
        match failure {
            Some(why) => {
                match active.purpose {
                    RunPurpose::Buffer => drop(self.settings.refused(&why)),
                    RunPurpose::Column(at) => self.compare.refused(at, &why),
                }
                self.log.failures.insert(id, why);
                self.unseen = true;
            }
            None => drop(self.log.failures.remove(&id)),
        }
        self.saves.dirty.insert(id);
        if let Some(run) = self.log.find_mut(id) {
            *run = record;
        }
        match active.purpose {
            RunPurpose::Buffer => {
                self.log.shown = Some(id);
                let back = self.active.return_to.filter(|_| self.text.history.current() == active.record.parent);
                self.active.return_to = back.filter(|_| active.outputs.is_empty() && !scored);
                // If no text came, the branch shown before is shown again.
                self.restore_position(cx);
            }
            RunPurpose::Column(_) => self.log.meter = self.compare.meter(&self.active, &self.log),
        }
        self.text.revision += 1;
        self.saves.sheet_changed = true;
        self.save(cx);
    }

    /// Notes what a run that ended tells of its server; `scored`: whether its prompt's tokens came.
    fn note_lacking(&mut self, active: &ActiveRun, scored: bool, failure: Option<&Failure>) {
        let told = scored || active.outputs.iter().any(|output| self.scores.tokens.contains_key(&output.step));
        let told = (told || !active.outputs.is_empty()).then_some(told);
        if self.log.lacking.note_run(active.run.target(), &active.record.params, told, failure) {
            self.saves.settings_changed = true;
        }
    }

    /// Stops what runs; what arrived is kept. Returns whether there was anything to stop.
    pub(super) fn stop(&mut self, cx: &mut Cx) -> bool {
        let busy = self.active.is_busy();
        self.active.counting = false;
        self.active.column_counts = None;
        self.pending.forget(|request| *request == Request::Prompt);
        for QueuedRun { record, .. } in std::mem::take(&mut self.active.queued) {
            // The prompt is being saved and was not sent yet.
            if self.log.stop_unsent(record.id) {
                self.saves.dirty.insert(record.id);
                self.saves.due = Some(cx.now);
            }
        }
        if self.active.runs.is_empty() {
            self.restore_position(cx);
        }
        while !self.active.runs.is_empty() {
            self.stop_at(0, cx);
        }
        busy
    }

    /// Stops one run, or does not send it if it waits for its prompt to be saved.
    pub(super) fn stop_run(&mut self, run: Id, cx: &mut Cx) {
        if let Some(at) = self.active.runs.iter().position(|active| active.record.id == run) {
            return self.stop_at(at, cx);
        }
        let before = self.active.queued.len();
        self.active.queued.retain(|queued| queued.record.id != run);
        if self.active.queued.len() < before {
            self.log.stop_unsent(run);
            self.saves.dirty.insert(run);
            self.save(cx);
        }
    }

    fn stop_at(&mut self, at: usize, cx: &mut Cx) {
        let end = self.active.runs[at].run.stop(cx);
        self.finish(at, end, cx);
    }
}

/// Returns the first words of a prompt.
pub(super) fn excerpt(prompt: &str) -> Untrusted {
    let prompt = prompt.trim_start();
    prompt[..prompt.floor_char_boundary(EXCERPT)].into()
}
