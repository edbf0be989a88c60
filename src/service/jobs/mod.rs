//! The fine-tune jobs of all organisations, and every change to them.
//!
//! A change to a job needs [`Jobs::write_permit`]: one change at a time, on disk before it is visible, and none once
//! the service stops, since its folder may belong to another process then. Readers lock only the table and never wait
//! for the disk. [`job`] applies changes, [`disk`] stores them, [`runner`] trains.

mod disk;
mod events;
pub(super) mod job;
mod prepare;
mod queue;
pub(super) mod request;
mod results;
mod runner;
mod tuned;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::sync::watch;

use super::caller::Caller;
use super::files::register::Hold;
use super::reject::Reject;
use disk::Folder;
use job::{Change, Job, Phase, StepMetrics};
pub(super) use queue::not_found;
pub(super) use runner::start;
use tuned::LoadedModels;
pub(super) use tuned::TunedModel;

/// The fine-tune jobs of all organisations and the models they made.
#[derive(Debug)]
pub(super) struct Jobs {
    folder: Folder,
    /// Held by whoever writes; false once the service stops and nothing may be written.
    open: Mutex<bool>,
    table: Mutex<Table>,
    /// Notified at every change, for the threads that check and train.
    wake: Condvar,
    /// Counts changes, for streams of a job's events.
    changed: watch::Sender<u64>,
    loaded: LoadedModels,
}

#[derive(Debug, Default)]
struct Table {
    /// By number, hence in order of creation.
    jobs: BTreeMap<u64, Entry>,
    stopped: bool,
}

#[derive(Debug)]
struct Entry {
    job: Job,
    /// Keeps its files from being deleted while the job needs them.
    holds: Vec<Hold>,
}

/// Permission to write, held by one thread at a time.
struct WritePermit<'a>(#[expect(dead_code, reason = "held, never read")] MutexGuard<'a, bool>);

/// Why a change did not happen.
#[derive(Debug, thiserror::Error)]
enum ChangeError {
    /// The service stops.
    #[error("the service is stopping")]
    Stopping,
    /// There is no such job.
    #[error("there is no such job")]
    Unknown,
    /// The job's state does not allow it.
    #[error(transparent)]
    Invalid(#[from] job::InvalidChange),
    /// It could not be stored.
    #[error("the change could not be kept: {0}")]
    Disk(#[from] io::Error),
}

impl ChangeError {
    /// Returns the refusal for the caller.
    fn reject(self) -> Reject {
        if matches!(self, Self::Stopping) {
            return Reject::stopping();
        }
        tracing::warn!(why = %self, "a fine-tune job could not be changed");
        Reject::fault()
    }
}

impl Jobs {
    /// Opens the jobs stored under `home`. None runs yet. Fails if the folder cannot be read.
    pub(super) fn open(home: &Path) -> io::Result<Self> {
        let (folder, kept) = Folder::open(home)?;
        let jobs = Self {
            folder,
            open: Mutex::new(true),
            table: Mutex::default(),
            wake: Condvar::new(),
            changed: watch::Sender::new(0),
            loaded: LoadedModels::default(),
        };
        let mut broken = Vec::new();
        for disk::StoredJob { job, damaged } in kept {
            if damaged && !job.finished() {
                broken.push(job.id.clone());
            }
            // A crash may have prevented its removal.
            if job.finished() {
                jobs.folder.remove_leftovers(&job.id);
            } else {
                jobs.folder.delete_checkpoints(&job.id, Some(job.progress.epoch));
            }
            if job.finished() && job.model_name().is_none() {
                jobs.folder.delete_model(&job.id)?;
            }
            jobs.table().jobs.insert(job.number, Entry { job, holds: Vec::new() });
        }
        for id in broken {
            jobs.fail(&id, "The record of this job is damaged, and a part of it was lost. Create the job again.");
        }
        Ok(jobs)
    }

    /// Stops the jobs: nothing is written from here on, and training ends soon.
    pub(super) fn stop(&self) {
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = false;
        self.table().stopped = true;
        self.wake.notify_all();
    }

    /// Returns a job of the caller's organisation, by its id in either interface.
    pub(super) fn find(&self, caller: &Caller, id: &str) -> Option<Job> {
        let tail = ["ftjob-", "ft-"].into_iter().find_map(|prefix| id.strip_prefix(prefix))?;
        let table = self.table();
        let mut all = table.jobs.values().map(|entry| &entry.job);
        all.find(|job| job.tail() == tail && job.spec.organisation == caller.organisation).cloned()
    }

    /// Returns the organisation's jobs, oldest first.
    pub(super) fn list(&self, caller: &Caller) -> Vec<Job> {
        let table = self.table();
        let all = table.jobs.values().map(|entry| &entry.job);
        all.filter(|job| job.spec.organisation == caller.organisation).cloned().collect()
    }

    /// Returns the number of jobs of all organisations by status; statuses without jobs are included.
    pub(super) fn counts(&self) -> BTreeMap<&'static str, u64> {
        let all = ["pending", "running", "succeeded", "failed", "cancelled"];
        let mut counts: BTreeMap<_, _> = all.into_iter().map(|status| (status, 0)).collect();
        for entry in self.table().jobs.values() {
            *counts.entry(entry.job.status()).or_default() += 1;
        }
        counts
    }

    /// Returns a receiver that is notified of changes to all jobs.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn job(&self, id: &str) -> Option<Job> {
        self.table().jobs.values().map(|entry| &entry.job).find(|job| job.id == id).cloned()
    }

    fn stopped(&self) -> bool {
        self.table().stopped
    }

    /// Waits until nobody else writes. Fails when the service stops.
    fn write_permit(&self) -> Result<WritePermit<'_>, ChangeError> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if *open { Ok(WritePermit(open)) } else { Err(ChangeError::Stopping) }
    }

    /// Applies a change to a job; fails if it is invalid or the disk refuses it.
    fn change(&self, id: &str, change: &Change) -> Result<Job, ChangeError> {
        let permit = self.write_permit()?;
        self.apply_change(&permit, id, change)
    }

    /// Applies a change to a job: on disk, then in memory.
    fn apply_change(&self, permit: &WritePermit<'_>, id: &str, change: &Change) -> Result<Job, ChangeError> {
        let mut job = self.job(id).ok_or(ChangeError::Unknown)?;
        let at = now().max(job.updated);
        job.apply(at, change)?;
        self.folder.append(id, at, change, true)?;
        self.publish(permit, job.clone());
        Ok(job)
    }

    /// Reports a step of a job. It is written without a sync: the steps since the last epoch that a power cut undoes
    /// are trained, and reported, again.
    fn report_step(&self, id: &str, metrics: StepMetrics) -> Result<(), ChangeError> {
        let _permit = self.write_permit()?;
        let mut job = self.job(id).ok_or(ChangeError::Unknown)?;
        let (at, change) = (now().max(job.updated), Change::Step(metrics));
        job.apply(at, &change)?;
        self.folder.append(id, at, &change, false)?;
        // No place in the queue changes.
        if let Some(entry) = self.table().jobs.get_mut(&job.number) {
            entry.job = job;
        }
        self.notify();
        Ok(())
    }

    /// Ends a job that cannot continue. If the disk refuses to note it, it is noted in memory only: the next start
    /// resumes the job.
    fn fail(&self, id: &str, reason: &str) {
        let Ok(permit) = self.write_permit() else { return };
        let change = Change::Failed { reason: reason.to_owned() };
        if let Err(ChangeError::Disk(why)) = self.apply_change(&permit, id, &change) {
            tracing::warn!(id, %why, "that a fine-tune job failed could not be kept");
            let Some(mut job) = self.job(id) else { return };
            if job.apply(now(), &change).is_ok() {
                self.publish(&permit, job);
            }
        }
    }

    /// Publishes a job's new state, and tells those after it in the queue their places.
    fn publish(&self, permit: &WritePermit<'_>, job: Job) {
        let mut table = self.table();
        if let Some(entry) = table.jobs.get_mut(&job.number) {
            let finished = job.finished();
            entry.job = job;
            let done = if finished { std::mem::take(&mut entry.holds) } else { Vec::new() };
            drop(table);
            drop(done);
        } else {
            drop(table);
        }
        self.update_places(permit);
        self.notify();
    }

    fn notify(&self) {
        self.changed.send_modify(|count| *count += 1);
        self.wake.notify_all();
    }

    /// Tells each job in the queue its place, if that has changed.
    fn update_places(&self, _permit: &WritePermit<'_>) {
        let moved: Vec<(Job, u64)> = {
            let table = self.table();
            let running = table.jobs.values().filter(|entry| entry.job.phase == Phase::Running).count() as u64;
            let queued = table.jobs.values().filter_map(|entry| match entry.job.phase {
                Phase::Queued { place } => Some((&entry.job, place)),
                _ => None,
            });
            let placed = queued.zip(running..);
            placed.filter(|((_, place), now)| place != now).map(|((job, _), place)| (job.clone(), place)).collect()
        };
        for (mut job, place) in moved {
            let (at, change) = (now().max(job.updated), Change::Queued { place });
            if job.apply(at, &change).is_err() {
                continue;
            }
            // Not worth a sync: places are counted again at the next start.
            if let Err(why) = self.folder.append(&job.id, at, &change, false) {
                tracing::warn!(id = job.id, %why, "a fine-tune job's place in the queue could not be kept");
            }
            let mut table = self.table();
            if let Some(entry) = table.jobs.get_mut(&job.number) {
                entry.job = job;
            }
        }
    }
}

/// Returns the present time in Unix seconds.
fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() as i64
}
