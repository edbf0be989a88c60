//! The two threads of the runner: one reads the examples of new jobs, in the order they were created, and queues them;
//! the other trains, one job at a time, at low priority.
//!
//! Training writes once per epoch, all of it while no other thread may write: the results, the checkpoint, then the
//! change. After a crash at any point in between, training resumes from the previous epoch.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError};

use super::job::{self, Change, Job, Phase, Spec, StepMetrics};
use super::prepare::{self, DatasetError};
use super::results::{self, Results};
use super::{ChangeError, Jobs, request};
use crate::disk::read_own;
use crate::engine::language::Model;
use crate::engine::language::tuning::{Classes, Outcome, Plan, Report, Resume, Row, lower_priority, tune};
use crate::service::state::State;

/// How often a job is resumed without having finished an epoch in between: one that ends the process each time must not
/// do so for ever.
const ATTEMPTS: u32 = 20;
/// Steps of a job that are reported while it trains, about.
const REPORTED_STEPS: u64 = 100;
/// Steps of a job: each is a row of its results.
const STEPS: u64 = 500_000;
/// The message for an internal fault.
const FAULT: &str = "The server had an error while processing the job; benchtop's log says what went wrong. Create the \
                     job again.";

/// What ends a part of a job early.
enum StopReason {
    /// The job was cancelled or the service stops: nothing to report.
    Cancelled,
    /// It failed for this reason.
    Failed(String),
}

impl From<DatasetError> for StopReason {
    fn from(error: DatasetError) -> Self {
        match error {
            DatasetError::Cancelled => Self::Cancelled,
            DatasetError::Invalid(reason) => Self::Failed(reason),
        }
    }
}

impl From<ChangeError> for StopReason {
    fn from(error: ChangeError) -> Self {
        match error {
            // Cancelled at this moment, or gone, or the service stops.
            ChangeError::Invalid(_) | ChangeError::Unknown | ChangeError::Stopping => Self::Cancelled,
            ChangeError::Disk(why) => Self::from(why),
        }
    }
}

impl From<std::io::Error> for StopReason {
    fn from(why: std::io::Error) -> Self {
        Self::Failed(format!("The job could not be saved: {why}. Free some disk space and create the job again."))
    }
}

/// Starts both threads, which resume what a stop interrupted and run what is queued until the service stops. First
/// restores the holds of jobs found on the disk.
pub(crate) fn start(state: &State) {
    state.jobs().hold_files(state);
    thread("fine-tune check", state.clone(), check_all);
    thread("fine-tune", state.clone(), train_all);
}

fn thread(name: &str, state: State, work: fn(&State)) {
    let spawned = std::thread::Builder::new().name(name.into()).spawn(move || {
        lower_priority();
        work(&state);
    });
    if let Err(why) = spawned {
        tracing::error!(%why, name, "fine-tune jobs do not run: the system gave no thread");
    }
}

fn check_all(state: &State) {
    let next = |job: &Job| job.phase == Phase::Checking;
    while let Some(job) = state.jobs().wait_for_job(next) {
        run_part(state, &job.id, |state| check(state, &job));
    }
}

fn train_all(state: &State) {
    let jobs = state.jobs();
    loop {
        // An interrupted job comes first.
        let Some(job) = jobs.wait_for_job(|job| matches!(job.phase, Phase::Running | Phase::Queued { .. })) else {
            return;
        };
        run_part(state, &job.id, |state| train(state, job.clone()));
        if let Ok(_permit) = jobs.write_permit()
            && jobs.job(&job.id).is_some_and(|job| job.finished())
        {
            jobs.folder.remove_leftovers(&job.id);
        }
    }
}

/// Runs a thread's part of a job. Afterwards the job has progressed or is finished, or the service stops.
fn run_part(state: &State, id: &str, part: impl FnOnce(&State) -> Result<(), StopReason>) {
    let jobs = state.jobs();
    let before = jobs.job(id).map(|job| job.phase);
    match catch_unwind(AssertUnwindSafe(|| part(state))) {
        Ok(Ok(()) | Err(StopReason::Cancelled)) if jobs.job(id).map(|job| job.phase) != before => {}
        Ok(Ok(()) | Err(StopReason::Cancelled)) if jobs.stopped() => {}
        Ok(Err(StopReason::Failed(reason))) => jobs.fail(id, &reason),
        other => {
            tracing::error!(id, panicked = other.is_err(), "a fine-tune job came to no end");
            jobs.fail(id, FAULT);
        }
    }
}

/// Reads a job's examples, reports its price and queues it.
fn check(state: &State, job: &Job) -> Result<(), StopReason> {
    let jobs = state.jobs();
    let spec = &job.spec;
    let sets = prepare::datasets(state, spec, &state.base(), &|| jobs.is_active(&job.id))?;
    let batch_size = u64::from(spec.batch_size.unwrap_or_else(|| request::batch_size(sets.training.len())));
    let steps = (sets.training.len() as u64).div_ceil(batch_size) * u64::from(spec.n_epochs);
    if steps > STEPS {
        let words = "Choose a larger batch_size or fewer epochs.";
        return Err(StopReason::Failed(format!("The job has {steps} steps, more than the {STEPS} allowed. {words}")));
    }
    let tokens = sets.tokens * u64::from(spec.n_epochs);
    // It runs on the user's own machine.
    jobs.change(&job.id, &Change::Priced { tokens, nano: 0, examples: sets.training.len() as u64 })?;
    jobs.enqueue(&job.id)?;
    Ok(())
}

/// Trains a job to its end.
fn train(state: &State, job: Job) -> Result<(), StopReason> {
    let jobs = state.jobs();
    let job = match job.phase {
        Phase::Running if job.progress.resumed >= ATTEMPTS => {
            let words = format!("The job was interrupted {ATTEMPTS} times without finishing an epoch.");
            return Err(StopReason::Failed(words + " Create the job again."));
        }
        Phase::Running => jobs.change(&job.id, &Change::Resumed { epoch: job.progress.epoch })?,
        _ => {
            let batch_size = job.spec.batch_size.unwrap_or_else(|| request::batch_size(job.examples as usize));
            let multiplier = job.spec.learning_rate_multiplier;
            let learning_rate_multiplier = multiplier.unwrap_or_else(|| request::learning_rate_multiplier(batch_size));
            jobs.change(&job.id, &Change::Started { batch_size, learning_rate_multiplier })?
        }
    };
    let base = base_model(state, &job.spec)?;
    let sets = prepare::datasets(state, &job.spec, &state.base(), &|| jobs.is_active(&job.id))?;
    let damaged = |why: std::io::Error| {
        StopReason::Failed(format!("The checkpoint is damaged and training cannot be resumed ({why})."))
    };
    let checkpoint = match job.progress.epoch {
        0 => None,
        epoch => Some(jobs.folder.checkpoint(&job.id, epoch).map_err(damaged)?),
    };
    let path = jobs.folder.results(&job.id)?;
    let results = jobs
        .write_permit()
        .map_err(StopReason::from)
        .and_then(|_permit| Results::open(&path, job.progress.bytes, &job.spec).map_err(damaged))?;
    let every = job.steps().unwrap_or_default().div_ceil(REPORTED_STEPS).max(1);
    let mut observer =
        TrainingObserver { jobs, job: &job, results, step: job.progress.step, every, reported: 0, stop_reason: None };
    let plan = plan(&job);
    // Without them they are computed again.
    let vectors = jobs.folder.vectors(&job.id).ok();
    let resume = Resume { checkpoint: checkpoint.as_deref(), vectors: vectors.as_deref() };
    let outcome =
        tune(&base, &sets.training, &sets.validation, &plan, resume, &mut |report| observer.handle_report(&report));
    let TrainingObserver { stop_reason, .. } = observer;
    match outcome {
        Ok(Outcome::Done(model)) => finish(state, &job, &model),
        Ok(Outcome::Stopped) => Err(stop_reason.unwrap_or(StopReason::Cancelled)),
        Err(why) => Err(StopReason::Failed(format!("Training cannot begin: {why}."))),
    }
}

/// Returns the model with which training begins. Fails if it is gone or unreadable.
fn base_model(state: &State, spec: &Spec) -> Result<Arc<Model>, StopReason> {
    if spec.model == spec.family {
        return Ok(state.base());
    }
    let gone = || StopReason::Failed(format!("The job's base model '{}' no longer exists.", spec.model));
    let tuned = state.jobs().tuned_model(&spec.organisation, &spec.model).ok_or_else(gone)?;
    Jobs::load(state, &tuned.job)
        .map_err(|_| StopReason::Failed(format!("The job's base model '{}' cannot be read.", spec.model)))
}

fn plan(job: &Job) -> Plan {
    let spec = &job.spec;
    let (batch_size, learning_rate_multiplier) = job.settings.unwrap_or((1, 0.1));
    let classes = spec.classes.clone().map(|classes| match classes {
        job::Classes::Many(classes) => Classes::Many { classes: classes as usize },
        job::Classes::Two { positive, betas } => Classes::Binary { positive, betas },
    });
    Plan {
        epochs: spec.n_epochs,
        batch_size: batch_size as usize,
        learning_rate_multiplier,
        prompt_loss_weight: spec.prompt_loss_weight,
        classes,
        seed: spec.seed,
        threads: 0,
    }
}

/// Observes a training, stores what must be stored, and says when to stop.
struct TrainingObserver<'a> {
    jobs: &'a Jobs,
    job: &'a Job,
    results: Results,
    step: u64,
    /// Interval, in steps, at which metrics are reported.
    every: u64,
    /// The last step whose metrics were reported.
    reported: u64,
    /// Why it was stopped.
    stop_reason: Option<StopReason>,
}

impl TrainingObserver<'_> {
    fn handle_report(&mut self, report: &Report<'_>) -> ControlFlow<()> {
        let result = match report {
            Report::Busy => Ok(()),
            Report::Vectors(vectors) => self.save_vectors(vectors),
            Report::Step(row) => {
                self.step = row.step;
                self.results.add(row).map_err(StopReason::from).and_then(|()| self.report_step(row))
            }
            Report::Epoch { number, checkpoint } => self.finish_epoch(*number, checkpoint),
        };
        match result {
            Ok(()) if self.jobs.is_active(&self.job.id) => ControlFlow::Continue(()),
            Ok(()) => ControlFlow::Break(()),
            Err(stop_reason) => {
                self.stop_reason = Some(stop_reason);
                ControlFlow::Break(())
            }
        }
    }

    fn save_vectors(&self, vectors: &[u8]) -> Result<(), StopReason> {
        let prepared = self.jobs.folder.prepare(&self.job.id, vectors)?;
        let _permit = self.jobs.write_permit()?;
        Ok(self.jobs.folder.save_vectors(&self.job.id, prepared)?)
    }

    /// Reports one step of each group: the first with validation scores, or the last.
    fn report_step(&mut self, row: &Row) -> Result<(), StopReason> {
        let group = row.step.div_ceil(self.every);
        let last = row.step.is_multiple_of(self.every);
        if group <= self.reported || !(last || row.validation.is_some()) {
            return Ok(());
        }
        self.reported = group;
        let valid = row.validation.as_ref().map(|scores| (scores.loss, scores.token_accuracy));
        let metrics = StepMetrics {
            step: row.step,
            train_loss: row.training.loss,
            train_accuracy: row.training.token_accuracy,
            valid: valid.filter(|(loss, accuracy)| loss.is_finite() && accuracy.is_finite()),
        };
        // Values that are not finite cannot be reported.
        if !(metrics.train_loss.is_finite() && metrics.train_accuracy.is_finite()) {
            return Ok(());
        }
        self.jobs.report_step(&self.job.id, metrics).map_err(StopReason::from)
    }

    fn finish_epoch(&mut self, number: u32, checkpoint: &[u8]) -> Result<(), StopReason> {
        let id = &self.job.id;
        // Before the permission to write is taken: a cancel must not wait for megabytes.
        let prepared = self.jobs.folder.prepare(id, checkpoint)?;
        let permit = self.jobs.write_permit()?;
        if !self.jobs.is_active(id) {
            return Err(StopReason::Cancelled);
        }
        let bytes = self.results.sync()?;
        self.jobs.folder.save_checkpoint(id, number, prepared)?;
        self.jobs.apply_change(&permit, id, &Change::Epoch { number, bytes, step: self.step })?;
        self.jobs.folder.delete_checkpoints(id, Some(number));
        Ok(())
    }
}

/// Stores the model and the results, and marks the job as succeeded: all or nothing.
fn finish(state: &State, job: &Job, model: &[u8]) -> Result<(), StopReason> {
    let jobs = state.jobs();
    let prepared = jobs.folder.prepare(&job.id, model)?;
    let permit = jobs.write_permit()?;
    if !jobs.is_active(&job.id) {
        return Err(StopReason::Cancelled);
    }
    jobs.folder.save_model(&job.id, prepared)?;
    let table = read_own(&jobs.folder.results(&job.id)?)?;
    let organisation = &job.spec.organisation;
    let stored = state.files().put(organisation, job.tail(), "fine-tune-results", results::NAME, &table)?;
    let model = jobs.new_model_name(&permit, job);
    jobs.apply_change(&permit, &job.id, &Change::Succeeded { model, result: Box::new(stored.file()) })?;
    Ok(())
}

impl Jobs {
    /// Waits for a job that `fits` and returns the first; `None`: the service stops.
    fn wait_for_job(&self, fits: impl Fn(&Job) -> bool) -> Option<Job> {
        let mut table = self.table();
        loop {
            if table.stopped {
                return None;
            }
            let all = || table.jobs.values().map(|entry| &entry.job).filter(|job| fits(job));
            let running = all().find(|job| job.phase == Phase::Running);
            if let Some(job) = running.or_else(|| all().next()) {
                return Some(job.clone());
            }
            table = self.wake.wait(table).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Returns whether work for a job is still wanted.
    fn is_active(&self, id: &str) -> bool {
        let table = self.table();
        !table.stopped && table.jobs.values().any(|entry| entry.job.id == id && !entry.job.finished())
    }

    /// Appends a job to the queue.
    fn enqueue(&self, id: &str) -> Result<Job, ChangeError> {
        let permit = self.write_permit()?;
        let ahead = |job: &Job| matches!(job.phase, Phase::Queued { .. } | Phase::Running);
        let place = self.table().jobs.values().filter(|entry| ahead(&entry.job)).count() as u64;
        self.apply_change(&permit, id, &Change::Queued { place })
    }

    /// Holds the files of the jobs found on the disk that still need them.
    fn hold_files(&self, state: &State) {
        for entry in self.table().jobs.values_mut().filter(|entry| !entry.job.finished()) {
            let spec = &entry.job.spec;
            let files = [Some(&spec.training), spec.validation.as_ref()].into_iter().flatten();
            // A missing file is noticed when it is read.
            entry.holds = files.filter_map(|file| state.files().hold(&file.id)).collect();
        }
    }
}
