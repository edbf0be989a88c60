//! What callers do with jobs: create, cancel, delete.

use axum::http::StatusCode;

use super::job::{Change, Job, Spec};
use super::request::JobRequest;
use super::{ChangeError, Entry, Jobs, WritePermit, now};
use crate::api::file::File;
use crate::service::caller::Caller;
use crate::service::files::register::Hold;
use crate::service::reject::{Reject, short};
use crate::service::secret;
use crate::service::state::State;

/// Jobs of an organisation that wait or run at the same time.
const ACTIVE: usize = 64;
/// The shipped models that can be trained.
const BASES: [&str; 4] = ["ada", "babbage", "curie", "davinci"];
/// Those that only the newer interface trains.
const CHATS: [&str; 2] = ["gpt-3.5-turbo", "gpt-3.5-turbo-0301"];
/// Purposes of training files.
const PURPOSES: [&str; 2] = ["fine-tune", "fine-tune-train"];

impl Jobs {
    /// Creates a job. Waits for the disk: not on a thread that serves sockets. Fails if a file or the model is
    /// unsuitable, there are too many jobs, or the disk refuses.
    pub(crate) fn create(&self, state: &State, caller: &Caller, request: JobRequest) -> Result<Job, Reject> {
        let permit = self.write_permit().map_err(ChangeError::reject)?;
        let family = self.family(caller, &request)?;
        let (training, hold) = training_file(state, caller, &request.training)?;
        let mut holds = vec![hold];
        let validation = match &request.validation {
            None => None,
            Some(id) if *id == request.training => {
                let message = "'training_file' and 'validation_file' name the same file; training and validation data \
                               must be mutually exclusive";
                return Err(Reject::bad(message));
            }
            Some(id) => {
                let (validation, hold) = training_file(state, caller, id)?;
                holds.push(hold);
                Some(validation)
            }
        };
        self.check_active_jobs(caller, &request.model)?;
        let spec = Spec {
            organisation: caller.organisation.clone(),
            model: request.model,
            family,
            training,
            validation,
            n_epochs: request.n_epochs,
            batch_size: request.batch_size,
            learning_rate_multiplier: request.learning_rate_multiplier,
            prompt_loss_weight: request.prompt_loss_weight,
            classes: request.classes,
            suffix: request.suffix,
            seed: request.seed.unwrap_or_else(|| secret::seed() >> 33),
            metadata: request.metadata,
        };
        self.insert(&permit, spec, holds).map_err(ChangeError::reject)
    }

    fn insert(&self, _permit: &WritePermit<'_>, spec: Spec, holds: Vec<Hold>) -> Result<Job, ChangeError> {
        let number = self.table().jobs.last_key_value().map_or(0, |(last, _)| last + 1);
        let id = secret::stored_id("ft-");
        let (at, change) = (now(), Change::Created { id, number, spec: Box::new(spec) });
        let job = Job::create(at, &change)?;
        self.folder.create(&job.id, at, &change)?;
        self.table().jobs.insert(number, Entry { job: job.clone(), holds });
        self.notify();
        Ok(job)
    }

    /// Returns the shipped model from which the one named descends. Fails if it can be no base model.
    fn family(&self, caller: &Caller, request: &JobRequest) -> Result<String, Reject> {
        let JobRequest { model, chat, .. } = request;
        if BASES.contains(&model.as_str()) || (*chat && CHATS.contains(&model.as_str())) {
            return Ok(model.clone());
        }
        if let Some(made) = self.tuned_model(&caller.organisation, model) {
            return Ok(made.family);
        }
        let (shown, bases) = (short(model, 200), BASES.join(", "));
        let chats = if *chat { ", gpt-3.5-turbo" } else { "" };
        Err(Reject::bad(format!(
            "Invalid base model: {shown} (model must be one of {bases}{chats}) or a fine-tuned model created by your \
             organization: {}",
            caller.organisation_id()
        )))
    }

    /// Fails if there are too many jobs.
    fn check_active_jobs(&self, caller: &Caller, model: &str) -> Result<(), Reject> {
        let jobs = self.list(caller);
        let count = |status: &str| jobs.iter().filter(|job| job.status() == status).count();
        let (running, pending) = (count("running"), count("pending"));
        if running + pending < ACTIVE {
            return Ok(());
        }
        let message = format!(
            "This fine-tune request has been rate-limited. Your organization has reached the maximum of {ACTIVE} \
             active requests ({running} running, {pending} pending) for the model {}.",
            short(model, 200)
        );
        Err(Reject::new(StatusCode::TOO_MANY_REQUESTS, message).code("rate_limit_exceeded"))
    }

    /// Cancels a job. It is cancelled when this returns; its training stops within a step. Fails if there is no such
    /// job or it is finished.
    pub(crate) fn cancel(&self, id: &str, shown: &str) -> Result<Job, Reject> {
        let permit = self.write_permit().map_err(ChangeError::reject)?;
        let job = self.job(id).ok_or_else(|| not_found(shown))?;
        if job.finished() {
            let message = format!("Cannot cancel a job {shown} that already has status \"{}\".", job.status());
            return Err(Reject::bad(message));
        }
        self.apply_change(&permit, id, &Change::Cancelled).map_err(ChangeError::reject)
    }

    /// Deletes a finished job; fails if the model it made still exists.
    pub(crate) fn delete(&self, id: &str) -> Result<(), Reject> {
        let _permit = self.write_permit().map_err(ChangeError::reject)?;
        let job = self.job(id).ok_or_else(|| not_found(id))?;
        let conflict = |message: String| Reject::new(StatusCode::CONFLICT, message);
        if !job.finished() {
            let message = format!("Fine-tune {id} is {}; cancel it before you delete it.", job.status());
            return Err(conflict(message));
        }
        if let Some(model) = job.model_name() {
            return Err(conflict(format!("Fine-tune {id} made the model {model}; delete the model first.")));
        }
        self.folder.delete(id).map_err(|why| ChangeError::Disk(why).reject())?;
        self.table().jobs.remove(&job.number);
        self.notify();
        Ok(())
    }
}

/// Returns the refusal for an unknown job id.
pub(crate) fn not_found(id: &str) -> Reject {
    let message = format!("Could not find fine tune: {}", short(id, 200));
    Reject::new(StatusCode::NOT_FOUND, message).param("fine_tune_id").code("fine_tune_not_found")
}

/// Returns a training file, protected from deletion. Fails if there is none or its purpose is another.
fn training_file(state: &State, caller: &Caller, id: &str) -> Result<(File, Hold), Reject> {
    let none = || Reject::bad(format!("No file with ID: {}", short(id, 200))).param("file");
    let hold = state.files().hold(id).ok_or_else(none)?;
    let stored = state.files().get(&caller.organisation, id).ok_or_else(none)?;
    if !PURPOSES.contains(&stored.purpose.as_str()) {
        let message = format!(
            "File '{id}' has the purpose '{}'; files for fine-tuning are uploaded with the purpose 'fine-tune'.",
            stored.purpose
        );
        return Err(Reject::bad(message).param("file"));
    }
    Ok((stored.file(), hold))
}
