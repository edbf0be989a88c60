//! The lists of jobs of all profiles that were in use.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::{Duration, Instant};

use super::job_list::{JobList, JobOrder};
use super::job_row::{EventStream, JobRow};
use crate::api::job::{Job, JobStatus};
use crate::settings::ProfileId;
use crate::tabs::activity::{Activity, ActivityKind, ActivityOutcome};

/// Streams at once, over all profiles; the jobs beyond are asked for now and then.
const STREAMS: usize = 6;
/// How often the list is asked for while a job runs that is not followed.
const POLL: Duration = Duration::from_secs(45);

/// A list of jobs for each profile, one of which is shown, all in the same order.
#[derive(Debug, Default)]
pub(super) struct JobLists {
    all: Vec<JobList>,
    /// The place of the one that is shown.
    current: usize,
    order: JobOrder,
}

impl JobLists {
    /// Returns the list that is shown.
    pub(super) fn current(&self) -> Option<&JobList> {
        self.all.get(self.current)
    }

    pub(super) fn current_mut(&mut self) -> Option<&mut JobList> {
        self.all.get_mut(self.current)
    }

    /// Returns a profile's list.
    pub(super) fn of(&self, profile: &ProfileId) -> Option<&JobList> {
        self.all.iter().find(|list| list.profile == *profile)
    }

    pub(super) fn of_mut(&mut self, profile: &ProfileId) -> Option<&mut JobList> {
        self.all.iter_mut().find(|list| list.profile == *profile)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &JobList> {
        self.all.iter()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut JobList> {
        self.all.iter_mut()
    }

    /// Returns the jobs that wait or run; each once although profiles with the same server have it in their lists. It has
    /// ended as soon as one of them knows.
    pub(super) fn activities(&self) -> Vec<Activity> {
        let running = self.rows().filter(|row| row.runs());
        let running: BTreeMap<u64, &Job> = running.map(|row| (activity_id(&row.job), &row.job)).collect();
        let has_ended = |id: u64, job: &Job| {
            let mut all = self.all.iter().filter_map(|list| list.jobs.get(&job.id));
            all.any(|row| !row.runs() && activity_id(&row.job) == id)
        };
        let running = running.into_iter().filter(|(id, job)| !has_ended(*id, job));
        running.map(|(id, _)| Activity::new(ActivityKind::Job, id)).collect()
    }

    /// Returns how a job that was an activity ended.
    pub(super) fn outcome(&self, activity: &Activity) -> ActivityOutcome {
        let mut ended = self.rows().filter(|row| !row.runs());
        match ended.find(|row| activity_id(&row.job) == activity.id).map(|row| &row.job.status) {
            Some(JobStatus::Succeeded) => ActivityOutcome::Ended,
            Some(JobStatus::Failed) => ActivityOutcome::Failed,
            _ => ActivityOutcome::Stopped,
        }
    }

    fn rows(&self) -> impl Iterator<Item = &JobRow> {
        self.all.iter().flat_map(|list| list.jobs.items())
    }

    /// Shows the list of a profile, an empty one where there is none yet.
    pub(super) fn switch_to(&mut self, profile: ProfileId) {
        let known = self.all.iter().position(|list| list.profile == profile);
        self.current = known.unwrap_or_else(|| {
            self.all.push(JobList::new(profile, self.order));
            self.all.len() - 1
        });
    }

    /// Drops the jobs of a profile: it has another server.
    pub(super) fn forget(&mut self, profile: &ProfileId) {
        let order = self.order;
        if let Some(list) = self.of_mut(profile) {
            *list = JobList::new(profile.clone(), order);
        }
    }

    /// Returns the order of the jobs.
    pub(super) fn order(&self) -> JobOrder {
        self.order
    }

    /// Sets the order of the jobs.
    pub(super) fn set_order(&mut self, order: JobOrder) {
        self.order = order;
        for list in self.all.iter_mut().filter(|list| list.order != order) {
            list.order = order;
            list.sort_and_filter();
        }
    }

    /// Returns the jobs to follow next, as far as streams are free: those of the list that is shown first, of those the
    /// ones that run.
    pub(super) fn to_follow(&self) -> Vec<(ProfileId, String)> {
        let open =
            self.all.iter().flat_map(|list| list.jobs.items()).filter(|row| row.stream.ticket().is_some()).count();
        let waits = |row: &&JobRow| row.runs() && !row.off && matches!(row.stream, EventStream::None);
        let wanted = |list: &JobList| -> Vec<(ProfileId, String)> {
            let mut rows: Vec<&JobRow> = list.jobs.items().iter().filter(waits).collect();
            if self.current().is_some_and(|current| current.profile == list.profile) {
                rows.sort_by_key(|row| row.job.status != JobStatus::Running);
            }
            rows.into_iter().map(|row| (list.profile.clone(), row.job.id.clone())).collect()
        };
        let others = self.all.iter().enumerate().filter(|(at, _)| *at != self.current).map(|(_, list)| list);
        self.current().into_iter().chain(others).flat_map(wanted).take(STREAMS.saturating_sub(open)).collect()
    }

    /// Plans when lists are asked for again: while a job runs that is not followed.
    pub(super) fn plan_polls(&mut self, now: Instant) {
        for list in &mut self.all {
            let alone = list.jobs.items().iter().any(|row| row.runs() && row.stream.ticket().is_none());
            list.poll = match (alone, list.poll) {
                (false, _) => None,
                (true, due) if list.listing.is_none() => due.or(Some(now + POLL)),
                (true, due) => due,
            };
        }
    }

    /// Returns the profiles whose lists are to be asked for now, each once.
    pub(super) fn take_due_polls(&mut self, now: Instant) -> Vec<ProfileId> {
        let due = self.all.iter_mut().filter_map(|list| Some((list.poll.take_if(|due| *due <= now)?, list)));
        due.map(|(_, list)| list.profile.clone()).collect()
    }
}

/// Returns a number for a job that it has in the lists of all profiles. Servers that number their jobs may use the same
/// id, but hardly at the same second.
fn activity_id(job: &Job) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&job.id, job.created_at).hash(&mut hasher);
    hasher.finish()
}
