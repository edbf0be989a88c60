//! Index of the jobs that use a file, and as what.

use std::collections::HashMap;

use crate::api::call::Failure;
use crate::api::job::{Job, JobStatus, short_id};
use crate::text::Untrusted;

/// The role of a file in a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FileRole {
    Training,
    Validation,
    Result,
}

impl FileRole {
    /// Returns its name for a narrow column.
    pub(super) fn short_name(self) -> &'static str {
        match self {
            Self::Training => "train",
            Self::Validation => "valid",
            Self::Result => "result",
        }
    }

    /// Returns what the job has it as.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Training => "training",
            Self::Validation => "validation",
            Self::Result => "result",
        }
    }
}

/// A job's use of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileUse {
    pub(super) job: Untrusted,
    pub(super) role: FileRole,
    /// Whether the job is not over.
    pub(super) runs: bool,
}

/// The jobs that use each file of a server.
#[derive(Debug, Default)]
pub(super) struct JobUsage {
    /// By the file's id, running jobs first, then the newest.
    files: HashMap<String, Vec<FileUse>>,
    /// Whether the server told its jobs.
    pub(super) known: bool,
    /// Why the jobs did not come when they were asked for last.
    pub(super) failed: Option<Failure>,
}

impl JobUsage {
    /// Takes the jobs as they are now.
    pub(super) fn set_jobs(&mut self, jobs: &[Job]) {
        (self.known, self.failed) = (true, None);
        self.files.clear();
        let mut jobs: Vec<&Job> = jobs.iter().collect();
        jobs.sort_by_key(|job| (!runs(job), std::cmp::Reverse(job.created_at)));
        for job in jobs {
            let all = [
                (&job.training_files, FileRole::Training),
                (&job.validation_files, FileRole::Validation),
                (&job.result_files, FileRole::Result),
            ];
            for (files, role) in all {
                for file in files {
                    let one = FileUse { job: job.id.as_str().into(), role, runs: runs(job) };
                    self.files.entry(file.id.clone()).or_default().push(one);
                }
            }
        }
    }

    /// Returns the uses of a file.
    pub(super) fn of(&self, id: &str) -> &[FileUse] {
        self.files.get(id).map_or(&[], Vec::as_slice)
    }

    /// Returns whether no job ever used it, as far as the server told.
    pub(super) fn is_orphan(&self, id: &str) -> bool {
        self.known && self.of(id).is_empty()
    }

    /// Returns the sort key: running ones first, files without a job last.
    pub(super) fn rank(&self, id: &str) -> (u8, Option<FileRole>) {
        match self.of(id).first() {
            Some(one) if one.runs => (0, Some(one.role)),
            Some(one) => (1, Some(one.role)),
            None => (2, None),
        }
    }

    /// Returns `training of ft-8QkAb (running) +2`; empty: none, or not known.
    pub(super) fn words(&self, id: &str) -> String {
        let all = self.of(id);
        let Some(first) = all.first() else { return String::new() };
        let more = if all.len() > 1 { format!(" +{}", all.len() - 1) } else { String::new() };
        let runs = if first.runs { " (running)" } else { "" };
        format!("{} of {}{runs}{more}", first.role.word(), short_id(&first.job.line()))
    }
}

fn runs(job: &Job) -> bool {
    matches!(job.status, JobStatus::Pending | JobStatus::Running | JobStatus::Paused)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::job::JobFile;

    #[test]
    fn running_jobs_are_named_first_and_orphans_last() {
        let file = |id: &str| vec![JobFile { id: id.into(), ..JobFile::default() }];
        let job = |id: &str, at, status, training: &str| Job {
            id: id.into(),
            created_at: at,
            status,
            training_files: file(training),
            validation_files: file("file-v"),
            ..Job::default()
        };
        let mut uses = JobUsage::default();
        assert!(!uses.is_orphan("file-a"), "nobody asked the jobs yet");
        uses.set_jobs(&[
            job("ft-new", 3, JobStatus::Succeeded, "file-b"),
            job("ft-run", 2, JobStatus::Running, "file-a"),
            job("ft-old", 1, JobStatus::Failed, "file-a"),
        ]);
        assert_eq!(uses.words("file-a"), "training of ft-run (running) +1");
        assert_eq!(uses.words("file-b"), "training of ft-new");
        assert_eq!(uses.words("file-v"), "validation of ft-run (running) +2");
        assert!(uses.is_orphan("file-x") && uses.rank("file-x") > uses.rank("file-b"));
        assert!(uses.rank("file-b") > uses.rank("file-a"));
    }
}
