//! What is kept between starts, as far as no page of the tab has it.

use std::collections::BTreeMap;
use std::time::Instant;

use super::job_lists::JobLists;
use crate::api::call::Ticket;
use crate::api::fine_tune::FineTuneRequest;
use crate::api::job::Job;
use crate::component::{Pending, SAVE_DELAY, Saves};
use crate::settings::ProfileId;

/// Profiles, and jobs of each, that are kept.
const PROFILES: usize = 32;
const JOBS: usize = 500;

/// Why settings can always be written.
pub(super) const JSON: &str = "texts and finite numbers are always JSON";

/// Jobs that were not over, with their status, by profile.
pub(super) type RunningJobs = BTreeMap<String, BTreeMap<String, String>>;

/// A setting that the tab keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TuneSetting {
    /// The order of the jobs.
    Order,
    /// Jobs whose models were deleted from here.
    Deleted,
    /// What was sent for jobs.
    Requests,
    /// New jobs as far as they are filled in.
    Drafts,
    /// Jobs that are not over.
    Running,
}

impl TuneSetting {
    /// All, the one that the first list waits for last.
    pub(super) const ALL: [Self; 5] = [Self::Order, Self::Deleted, Self::Requests, Self::Drafts, Self::Running];

    /// Returns its name in the store.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Order => "tune.sort",
            Self::Deleted => "tune.deleted",
            Self::Requests => "tune.sent",
            Self::Drafts => "tune.drafts",
            Self::Running => "tune.known",
        }
    }
}

/// What is kept between starts, as far as no page of the tab has it.
#[derive(Debug, Default)]
pub(super) struct SavedState {
    /// Settings that are being loaded.
    pub(super) loads: Pending<TuneSetting>,
    /// The question, at the start of the program, whether jobs ran when it ended.
    pub(super) running_query: Option<Ticket>,
    /// Whether what is on disk has come: it comes before the first list, and is not written over.
    pub(super) loaded: bool,
    /// Whether something is not saved yet, and when it is.
    pub(super) dirty: bool,
    pub(super) due: Option<Instant>,
    pub(super) saves: Saves,
    /// Jobs that ran when the program ended, of profiles that were not in use since.
    pub(super) unseen: RunningJobs,
    /// Jobs whose models were deleted from here, by profile.
    pub(super) deleted: BTreeMap<String, Vec<String>>,
    /// What was sent for jobs that were made from here, by profile, the newest last.
    pub(super) requests: BTreeMap<String, Vec<(String, FineTuneRequest)>>,
    /// Settings that are on the disk and could not be read: they are not written over.
    pub(super) unreadable: Vec<TuneSetting>,
}

impl SavedState {
    /// Saves soon what is not saved yet.
    pub(super) fn save_soon(&mut self, now: Instant) {
        self.dirty = true;
        self.due.get_or_insert(now + SAVE_DELAY);
    }

    /// Returns the jobs of a profile whose models were deleted from here.
    pub(super) fn deleted(&self, profile: &ProfileId) -> &[String] {
        self.deleted.get(&profile.0).map_or(&[], Vec::as_slice)
    }

    /// Returns what was sent for a job.
    pub(super) fn request(&self, profile: &ProfileId, id: &str) -> Option<&FineTuneRequest> {
        self.requests.get(&profile.0)?.iter().find(|(job, _)| job == id).map(|(_, request)| request)
    }

    /// Gives a job the name that was asked for, where its server tells it only with the model.
    pub(super) fn name(&self, profile: &ProfileId, job: &mut Job) {
        if job.suffix.is_none()
            && let Some(request) = self.request(profile, &job.id)
        {
            job.suffix.clone_from(&request.suffix);
        }
    }

    /// Keeps what was sent for a job: servers do not tell all of it again.
    pub(super) fn remember(&mut self, profile: &ProfileId, id: &str, request: FineTuneRequest) {
        push(self.requests.entry(profile.0.clone()).or_default(), (id.to_owned(), request));
    }

    /// Keeps that the model of a job was deleted.
    pub(super) fn add_deleted(&mut self, profile: &ProfileId, id: &str) {
        let deleted = self.deleted.entry(profile.0.clone()).or_default();
        deleted.retain(|other| other != id);
        push(deleted, id.to_owned());
    }

    /// Gives each list what is known of the time before.
    pub(super) fn hand_over(&mut self, lists: &mut JobLists) {
        for list in lists.iter_mut() {
            if let Some(known) = self.unseen.remove(&list.profile.0) {
                list.known.extend(known);
            }
        }
    }

    /// Returns the jobs whose models were deleted from here, to be saved.
    pub(super) fn deleted_json(&self) -> String {
        serde_json::to_string(&self.deleted).expect(JSON)
    }

    /// Returns what was sent for jobs that were made from here, to be saved.
    pub(super) fn requests_json(&self) -> String {
        serde_json::to_string(&self.requests).expect(JSON)
    }

    /// Returns the jobs that are not over, by profile.
    pub(super) fn running(&self, lists: &JobLists) -> RunningJobs {
        let mut known = self.unseen.clone();
        for list in lists.iter() {
            let jobs = list.jobs.items().iter().filter(|row| row.runs()).take(JOBS);
            let mut jobs: BTreeMap<String, String> = jobs.map(|row| (row.job.id.clone(), row.state())).collect();
            jobs.extend(list.known.clone());
            known.insert(list.profile.0.clone(), jobs);
        }
        known.retain(|_, jobs| !jobs.is_empty());
        while known.len() > PROFILES {
            known.pop_first();
        }
        known
    }
}

/// Adds to a list of which the oldest go.
fn push<T>(list: &mut Vec<T>, item: T) {
    list.push(item);
    if list.len() > JOBS {
        list.remove(0);
    }
}
