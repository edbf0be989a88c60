//! The models that jobs made: naming, finding, loading and deleting them.

use std::sync::{Arc, Mutex, PoisonError};

use axum::http::StatusCode;

use super::job::{Change, Job, Phase};
use super::{ChangeError, Jobs, WritePermit};
use crate::engine::language::Model;
use crate::service::caller::Caller;
use crate::service::reject::Reject;
use crate::service::state::State;

/// Fine-tuned models that are kept in memory at once.
const LOADED: usize = 4;

/// A model that a job made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TunedModel {
    pub(crate) name: String,
    /// The job's id.
    pub(crate) job: String,
    /// The shipped model at its beginning.
    pub(crate) family: String,
    /// Unix seconds.
    pub(crate) created: i64,
}

/// The models in memory, most recently used first.
#[derive(Default)]
pub(super) struct LoadedModels(Mutex<Vec<(String, Arc<Model>)>>);

impl std::fmt::Debug for LoadedModels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Loaded").finish_non_exhaustive()
    }
}

impl Jobs {
    /// Returns the organisation's models, oldest first.
    pub(crate) fn models(&self, organisation: &str) -> Vec<TunedModel> {
        let table = self.table();
        table.jobs.values().filter_map(|entry| tuned_model(&entry.job, organisation)).collect()
    }

    /// Returns the organisation's model of this name.
    pub(crate) fn tuned_model(&self, organisation: &str, name: &str) -> Option<TunedModel> {
        let table = self.table();
        table.jobs.values().filter_map(|entry| tuned_model(&entry.job, organisation)).find(|model| model.name == name)
    }

    /// Loads the model that a job made. Reads files: not on a thread that serves sockets. Fails if the file is missing
    /// or damaged.
    pub(crate) fn load(state: &State, job: &str) -> Result<Arc<Model>, Reject> {
        let jobs = state.jobs();
        let mut loaded = jobs.loaded.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = loaded.iter().position(|(id, _)| id == job) {
            loaded[..=at].rotate_right(1);
            return Ok(Arc::clone(&loaded[0].1));
        }
        let read = jobs.folder.model(job).map_err(|why| why.to_string());
        let model = read.and_then(|bytes| Model::tuned(&bytes).map_err(|why| why.to_string()));
        let model = model.map(|model| Arc::new(model.with_base(state.base()))).map_err(|why| {
            // Deleted a moment ago, or damaged.
            tracing::warn!(job, why, "a fine-tuned model could not be loaded");
            Reject::fault()
        })?;
        loaded.insert(0, (job.to_owned(), Arc::clone(&model)));
        loaded.truncate(LOADED);
        Ok(model)
    }

    /// Deletes a model. Waits for the disk: not on a thread that serves sockets. Fails if an unfinished job is based on
    /// it or the disk refuses.
    pub(crate) fn delete_model(&self, caller: &Caller, model: &TunedModel) -> Result<(), Reject> {
        let permit = self.write_permit().map_err(ChangeError::reject)?;
        let user = self.list(caller).into_iter().find(|job| !job.finished() && job.spec.model == model.name);
        if let Some(user) = user {
            let message = format!(
                "The model '{}' is the base of the fine-tune {}; it can be deleted once that is finished or \
                 cancelled.",
                model.name, user.id
            );
            return Err(Reject::new(StatusCode::CONFLICT, message));
        }
        self.apply_change(&permit, &model.job, &Change::Deleted).map_err(ChangeError::reject)?;
        self.loaded.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|(id, _)| *id != model.job);
        if let Err(why) = self.folder.delete_model(&model.job) {
            tracing::warn!(job = model.job, %why, "a deleted model's file is removed at the next start");
        }
        Ok(())
    }

    /// Returns a name for the model that a job makes now, with the present second or the next that is free.
    pub(super) fn new_model_name(&self, _permit: &WritePermit<'_>, job: &Job) -> String {
        let spec = &job.spec;
        let suffix = spec.suffix.as_ref().map_or_else(String::new, |suffix| format!(":{suffix}"));
        let begin = format!("{}:ft-{}{suffix}", spec.family, spec.organisation);
        let named = |second: i64| {
            let at = jiff::Timestamp::from_second(second).unwrap_or_default();
            format!("{begin}-{}", at.strftime("%Y-%m-%d-%H-%M-%S"))
        };
        let table = self.table();
        let taken = |name: &String| {
            table.jobs.values().any(|entry| matches!(&entry.job.phase, Phase::Succeeded { model, .. } if model == name))
        };
        let mut second = super::now();
        while taken(&named(second)) {
            second += 1;
        }
        named(second)
    }
}

fn tuned_model(job: &Job, organisation: &str) -> Option<TunedModel> {
    let name = job.model_name().filter(|_| job.spec.organisation == organisation)?;
    Some(TunedModel {
        name: name.to_owned(),
        job: job.id.clone(),
        family: job.spec.family.clone(),
        created: job.updated,
    })
}
