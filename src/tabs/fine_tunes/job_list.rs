//! The jobs of one profile's server: in which order they are shown, which of them are marked, what the list lacks.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::job_row::JobRow;
use crate::api::call::{Failure, Ticket};
use crate::api::job::{Dialect, Job, JobStatus};
use crate::settings::ProfileId;
use crate::ui::item_list::ItemList;

/// Jobs whose curves lie over each other, at most.
pub(super) const MARKS: usize = 6;

/// In which order jobs are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum JobOrder {
    /// Those that run, those that wait, the others; newest first.
    #[default]
    State,
    /// Newest first.
    Newest,
    /// By name.
    Name,
}

impl JobOrder {
    pub(super) fn next(self) -> Self {
        match self {
            Self::State => Self::Newest,
            Self::Newest => Self::Name,
            Self::Name => Self::State,
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::State => "running first",
            Self::Newest => "newest first",
            Self::Name => "by name",
        }
    }
}

/// A job that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EndedJob {
    pub(super) id: String,
    /// Whether it did while nobody looked.
    pub(super) elsewhere: bool,
}

/// A server's jobs.
#[derive(Clone, Debug, Default)]
pub(super) struct JobList {
    pub(super) profile: ProfileId,
    pub(super) dialect: Option<Dialect>,
    pub(super) jobs: ItemList<JobRow>,
    pub(super) filter: String,
    pub(super) order: JobOrder,
    pub(super) listing: Option<Ticket>,
    /// When the list was whole last.
    pub(super) listed: Option<Instant>,
    pub(super) failure: Option<Failure>,
    /// When the list is asked for again, as a job runs that is not followed.
    pub(super) poll: Option<Instant>,
    /// Jobs that were not over when they were seen last, before the program began.
    pub(super) known: BTreeMap<String, String>,
}

impl JobList {
    pub(super) fn new(profile: ProfileId, order: JobOrder) -> Self {
        Self { profile, order, ..Self::default() }
    }

    /// Returns how many jobs run.
    pub(super) fn running(&self) -> usize {
        self.jobs.items().iter().filter(|row| row.runs() && row.job.status != JobStatus::Pending).count()
    }

    /// Returns how many jobs wait.
    pub(super) fn queued(&self) -> usize {
        self.jobs.items().iter().filter(|row| row.job.status == JobStatus::Pending).count()
    }

    /// Takes the server's list. Returns which jobs ended, and the calls of jobs that are not in the list any more.
    pub(super) fn take(&mut self, dialect: Dialect, jobs: Vec<Job>, now: Instant) -> (Vec<EndedJob>, Vec<Ticket>) {
        self.dialect = Some(dialect);
        self.listed = Some(now);
        self.failure = None;
        let (mut ended, mut gone) = (Vec::new(), Vec::new());
        self.jobs.change_items(|rows| {
            let mut old: HashMap<String, JobRow> = rows.drain(..).map(|row| (row.job.id.clone(), row)).collect();
            let mut seen = HashSet::new();
            for job in jobs {
                if job.id.is_empty() || !seen.insert(job.id.clone()) {
                    continue;
                }
                let over = job.status.is_finished();
                match old.remove(&job.id) {
                    Some(mut row) => {
                        if over && row.runs() {
                            ended.push(EndedJob { id: job.id.clone(), elsewhere: false });
                        }
                        // What came in between is newer than the list, which was on its way.
                        let behind = job.status == JobStatus::Pending && row.job.status == JobStatus::Running;
                        if over || row.runs() && !behind {
                            row.update(job);
                        }
                        rows.push(row);
                    }
                    None => {
                        if over && self.known.remove(&job.id).is_some() {
                            ended.push(EndedJob { id: job.id.clone(), elsewhere: true });
                        }
                        rows.push(JobRow::new(job));
                    }
                }
            }
            gone.extend(old.values().filter_map(|row| row.stream.ticket()));
        });
        self.known.clear();
        self.sort_and_filter();
        (ended, gone)
    }

    /// Takes one job as it is now, and adds it to the list if it is new. Returns whether it has just ended.
    pub(super) fn put(&mut self, job: Job) -> Option<EndedJob> {
        let over = job.status.is_finished();
        let id = job.id.clone();
        if id.is_empty() {
            return None;
        }
        let ended = match self.jobs.get_mut(&id) {
            Some(row) => {
                let ended = over && row.runs();
                if over || row.runs() {
                    row.update(job);
                }
                ended
            }
            None => {
                self.jobs.change_items(|rows| rows.push(JobRow::new(job)));
                false
            }
        };
        self.sort_and_filter();
        ended.then_some(EndedJob { id, elsewhere: false })
    }

    /// Orders and filters again; the cursor stays on its job.
    pub(super) fn sort_and_filter(&mut self) {
        let (filter, order) = (self.filter.to_lowercase(), self.order);
        let passes = |row: &JobRow| filter.split_whitespace().all(|word| row.words.contains(word));
        self.jobs.filter_and_sort(passes, |rows, shown| {
            // Servers list oldest or newest first; of equal moments the later in the list is as good as any.
            let newest = |at: usize| (-rows[at].job.created_at, at);
            match order {
                JobOrder::State => shown.sort_by_cached_key(|at| (rank(&rows[*at].job.status), newest(*at))),
                JobOrder::Newest => shown.sort_by_cached_key(|at| newest(*at)),
                JobOrder::Name => shown.sort_by_cached_key(|at| (rows[*at].name().to_lowercase(), newest(*at))),
            }
        });
    }

    /// Puts the cursor on a job, which shows whatever the filter says.
    pub(super) fn select_job(&mut self, id: &str) {
        if !self.jobs.select(id) {
            self.filter.clear();
            self.sort_and_filter();
            self.jobs.select(id);
        }
    }

    /// Marks the job under the cursor, or takes the mark away; `false`: there are as many as can lie over each other.
    pub(super) fn mark(&mut self) -> bool {
        let Some(id) = self.jobs.selected_item().map(|row| row.job.id.clone()) else { return true };
        if !self.jobs.unmark(&id) {
            if self.jobs.marked_count() >= MARKS {
                return false;
            }
            self.jobs.mark(&id);
        }
        true
    }

    /// Returns the letter of a marked job.
    pub(super) fn letter(&self, id: &str) -> Option<char> {
        let at = self.jobs.marked_items().position(|row| row.job.id == id)?;
        Some(char::from(b'A' + at as u8))
    }

    /// Returns the marked jobs in the order of their letters; if there are none, the one under the cursor.
    pub(super) fn marked_or_selected(&self) -> Vec<&JobRow> {
        if self.jobs.marked_count() == 0 {
            self.jobs.selected_item().into_iter().collect()
        } else {
            self.jobs.marked_items().collect()
        }
    }
}

/// Returns the sort key: running jobs come first, queued ones next.
fn rank(status: &JobStatus) -> u8 {
    match status {
        JobStatus::Running => 0,
        JobStatus::Paused | JobStatus::Other(_) => 1,
        JobStatus::Pending => 2,
        JobStatus::Succeeded | JobStatus::Failed | JobStatus::Cancelled => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(id: &str, status: JobStatus, created_at: i64) -> Job {
        Job { id: id.into(), status, created_at, ..Job::default() }
    }

    fn ids(list: &JobList) -> Vec<&str> {
        list.jobs.rows().map(|row| row.job.id.as_str()).collect()
    }

    fn selected_id(list: &JobList) -> Option<&str> {
        list.jobs.selected_item().map(|row| row.job.id.as_str())
    }

    #[test]
    fn what_runs_stands_first_and_the_cursor_stays_on_its_job() {
        let mut list = JobList::default();
        let jobs = vec![
            job("ft-a", JobStatus::Succeeded, 1),
            job("ft-b", JobStatus::Running, 2),
            job("ft-c", JobStatus::Pending, 3),
            job("ft-d", JobStatus::Failed, 4),
        ];
        list.take(Dialect::FineTunes, jobs.clone(), Instant::now());
        assert_eq!(ids(&list), ["ft-b", "ft-c", "ft-d", "ft-a"]);
        list.jobs.view.move_by(2, list.jobs.len());
        assert_eq!(selected_id(&list), Some("ft-d"));
        list.order = JobOrder::Newest;
        list.sort_and_filter();
        assert_eq!((ids(&list), list.jobs.view.cursor.selected), (vec!["ft-d", "ft-c", "ft-b", "ft-a"], 0));
        list.filter = "RUNN".into();
        list.sort_and_filter();
        assert_eq!((ids(&list), selected_id(&list)), (vec!["ft-b"], Some("ft-b")));
        list.select_job("ft-a");
        assert_eq!((list.jobs.len(), list.jobs.view.cursor.selected), (4, 3));
    }

    #[test]
    fn a_job_ends_once_and_never_runs_again() {
        let mut list = JobList::default();
        list.known.insert("ft-old".into(), "running".into());
        let now = Instant::now();
        let jobs = vec![job("ft-old", JobStatus::Succeeded, 1), job("ft-a", JobStatus::Running, 2)];
        let (ended, _) = list.take(Dialect::FineTunes, jobs.clone(), now);
        assert_eq!(ended, [EndedJob { id: "ft-old".into(), elsewhere: true }]);
        assert!(list.put(job("ft-a", JobStatus::Failed, 2)).is_some());
        assert!(list.put(job("ft-a", JobStatus::Failed, 2)).is_none());
        // The list was on its way when the job ended.
        let (ended, _) = list.take(Dialect::FineTunes, jobs, now);
        assert_eq!((ended, list.running()), (vec![], 0));
    }

    #[test]
    fn six_are_marked_at_most() {
        let mut list = JobList::default();
        let jobs = (0..8).map(|n| job(&format!("ft-{n}"), JobStatus::Succeeded, n)).collect();
        list.take(Dialect::FineTunes, jobs, Instant::now());
        for row in 0..8 {
            list.jobs.view.cursor.selected = row;
            assert_eq!(list.mark(), row < 6);
        }
        assert_eq!(list.letter("ft-7"), Some('A'));
        list.jobs.view.cursor.selected = 0;
        assert!(list.mark());
        assert_eq!((list.letter("ft-6"), list.marked_or_selected().len()), (Some('A'), 5));
    }
}
