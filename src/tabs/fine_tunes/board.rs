//! The jobs of one profile's server: in which order they are shown, which of them are marked, what the list lacks.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::entry::Entry;
use crate::api::call::{Failure, Ticket};
use crate::api::job::{Dialect, Job, JobStatus};
use crate::settings::ProfileId;
use crate::ui::list::Cursor;

/// Jobs whose curves lie over each other, at most.
pub(super) const MARKS: usize = 6;

/// In which order jobs are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Sort {
    /// Those that run, those that wait, the others; newest first.
    #[default]
    State,
    /// Newest first.
    Newest,
    /// By name.
    Name,
}

impl Sort {
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
pub(super) struct Ended {
    pub(super) id: String,
    /// Whether it did while nobody looked.
    pub(super) elsewhere: bool,
}

/// A server's jobs.
#[derive(Clone, Debug, Default)]
pub(super) struct Board {
    pub(super) profile: ProfileId,
    pub(super) dialect: Option<Dialect>,
    pub(super) entries: Vec<Entry>,
    by_id: HashMap<String, usize>,
    /// Places in `entries`, as they are shown.
    pub(super) shown: Vec<usize>,
    pub(super) cursor: Cursor,
    /// The job under the cursor.
    pub(super) selected: Option<String>,
    pub(super) marked: Vec<String>,
    pub(super) filter: String,
    pub(super) sort: Sort,
    pub(super) listing: Option<Ticket>,
    /// When the list was whole last.
    pub(super) listed: Option<Instant>,
    pub(super) failure: Option<Failure>,
    /// When the list is asked for again, as a job runs that is not followed.
    pub(super) poll: Option<Instant>,
    /// Jobs that were not over when they were seen last, before the program began.
    pub(super) known: BTreeMap<String, String>,
}

impl Board {
    pub(super) fn new(profile: ProfileId, sort: Sort) -> Self {
        Self { profile, sort, ..Self::default() }
    }

    pub(super) fn get(&self, id: &str) -> Option<&Entry> {
        self.entries.get(*self.by_id.get(id)?)
    }

    pub(super) fn get_mut(&mut self, id: &str) -> Option<&mut Entry> {
        self.entries.get_mut(*self.by_id.get(id)?)
    }

    /// The job under the cursor.
    pub(super) fn here(&self) -> Option<&Entry> {
        self.get(self.selected.as_deref()?)
    }

    /// How many run.
    pub(super) fn running(&self) -> usize {
        self.entries.iter().filter(|entry| entry.runs() && entry.job.status != JobStatus::Pending).count()
    }

    /// How many wait.
    pub(super) fn queued(&self) -> usize {
        self.entries.iter().filter(|entry| entry.job.status == JobStatus::Pending).count()
    }

    /// The server's list has come: which jobs ended, and the calls of jobs that are there no more.
    pub(super) fn take(&mut self, dialect: Dialect, jobs: Vec<Job>, now: Instant) -> (Vec<Ended>, Vec<Ticket>) {
        self.dialect = Some(dialect);
        self.listed = Some(now);
        self.failure = None;
        let mut old: HashMap<String, Entry> =
            std::mem::take(&mut self.entries).into_iter().map(|entry| (entry.job.id.clone(), entry)).collect();
        let mut ended = Vec::new();
        let mut seen = HashSet::new();
        for job in jobs {
            if job.id.is_empty() || !seen.insert(job.id.clone()) {
                continue;
            }
            let over = job.status.is_over();
            match old.remove(&job.id) {
                Some(mut entry) => {
                    if over && entry.runs() {
                        ended.push(Ended { id: job.id.clone(), elsewhere: false });
                    }
                    // What came in between is newer than the list, which was on its way.
                    let behind = job.status == JobStatus::Pending && entry.job.status == JobStatus::Running;
                    if over || entry.runs() && !behind {
                        entry.update(job);
                    }
                    self.entries.push(entry);
                }
                None => {
                    if over && self.known.remove(&job.id).is_some() {
                        ended.push(Ended { id: job.id.clone(), elsewhere: true });
                    }
                    self.entries.push(Entry::new(job));
                }
            }
        }
        let gone: Vec<Ticket> = old.values().filter_map(|entry| entry.link.ticket()).collect();
        self.known.clear();
        self.arrange();
        (ended, gone)
    }

    /// One job as it is now; whether it has just ended. One that is not in the list joins it.
    pub(super) fn put(&mut self, job: Job) -> Option<Ended> {
        let over = job.status.is_over();
        let id = job.id.clone();
        if id.is_empty() {
            return None;
        }
        let ended = match self.get_mut(&id) {
            Some(entry) => {
                let ended = over && entry.runs();
                if over || entry.runs() {
                    entry.update(job);
                }
                ended
            }
            None => {
                self.entries.push(Entry::new(job));
                false
            }
        };
        self.arrange();
        ended.then_some(Ended { id, elsewhere: false })
    }

    /// Orders and filters anew; the cursor stays on its job.
    pub(super) fn arrange(&mut self) {
        self.by_id = self.entries.iter().enumerate().map(|(at, entry)| (entry.job.id.clone(), at)).collect();
        let filter = self.filter.to_lowercase();
        let passes = |entry: &Entry| filter.split_whitespace().all(|word| entry.words.contains(word));
        let mut shown: Vec<usize> =
            self.entries.iter().enumerate().filter(|(_, entry)| passes(entry)).map(|(at, _)| at).collect();
        // Servers list oldest or newest first; of equal moments the later in the list is as good as any.
        let newest = |at: usize| (-self.entries[at].job.created_at, at);
        match self.sort {
            Sort::State => shown.sort_by_cached_key(|at| (rank(&self.entries[*at].job.status), newest(*at))),
            Sort::Newest => shown.sort_by_cached_key(|at| newest(*at)),
            Sort::Name => shown.sort_by_cached_key(|at| (self.entries[*at].name().to_lowercase(), newest(*at))),
        }
        self.shown = shown;
        let place = |id: &String| self.shown.iter().position(|at| self.entries[*at].job.id == *id);
        match self.selected.as_ref().and_then(place) {
            Some(at) => self.cursor.selected = at,
            None => self.select(self.cursor.selected.min(self.shown.len().saturating_sub(1))),
        }
        let by_id = &self.by_id;
        self.marked.retain(|id| by_id.contains_key(id));
    }

    /// Puts the cursor on a row.
    pub(super) fn select(&mut self, row: usize) {
        self.cursor.selected = row;
        self.selected = self.shown.get(row).map(|at| self.entries[*at].job.id.clone());
    }

    /// Puts the cursor on a job, which shows whatever the filter says.
    pub(super) fn select_job(&mut self, id: &str) {
        self.selected = Some(id.to_owned());
        if !self.shown.iter().any(|at| self.entries[*at].job.id == id) {
            self.filter.clear();
        }
        self.arrange();
    }

    /// Moves the cursor by rows.
    pub(super) fn step(&mut self, rows: isize) {
        let mut cursor = self.cursor;
        cursor.by(rows, self.shown.len());
        self.select(cursor.selected);
    }

    /// Marks the job under the cursor, or takes the mark away; `false`: there are as many as can lie over each other.
    pub(super) fn mark(&mut self) -> bool {
        let Some(id) = self.selected.clone() else { return true };
        if let Some(at) = self.marked.iter().position(|marked| *marked == id) {
            self.marked.remove(at);
        } else if self.marked.len() < MARKS {
            self.marked.push(id);
        } else {
            return false;
        }
        true
    }

    /// The letter of a marked job.
    pub(super) fn letter(&self, id: &str) -> Option<char> {
        let at = self.marked.iter().position(|marked| marked == id)?;
        Some(char::from(b'A' + at as u8))
    }

    /// The marked jobs in the order of their letters; where there is none the one under the cursor.
    pub(super) fn chosen(&self) -> Vec<&Entry> {
        if self.marked.is_empty() {
            return self.here().into_iter().collect();
        }
        self.marked.iter().filter_map(|id| self.get(id)).collect()
    }
}

/// Those that run come first, those that wait next.
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

    fn ids(board: &Board) -> Vec<&str> {
        board.shown.iter().map(|at| board.entries[*at].job.id.as_str()).collect()
    }

    #[test]
    fn what_runs_stands_first_and_the_cursor_stays_on_its_job() {
        let mut board = Board::default();
        let jobs = vec![
            job("ft-a", JobStatus::Succeeded, 1),
            job("ft-b", JobStatus::Running, 2),
            job("ft-c", JobStatus::Pending, 3),
            job("ft-d", JobStatus::Failed, 4),
        ];
        board.take(Dialect::FineTunes, jobs.clone(), Instant::now());
        assert_eq!(ids(&board), ["ft-b", "ft-c", "ft-d", "ft-a"]);
        board.step(2);
        assert_eq!(board.selected.as_deref(), Some("ft-d"));
        board.sort = Sort::Newest;
        board.arrange();
        assert_eq!((ids(&board), board.cursor.selected), (vec!["ft-d", "ft-c", "ft-b", "ft-a"], 0));
        board.filter = "RUNN".into();
        board.arrange();
        assert_eq!((ids(&board), board.selected.as_deref()), (vec!["ft-b"], Some("ft-b")));
        board.select_job("ft-a");
        assert_eq!((board.shown.len(), board.cursor.selected), (4, 3));
    }

    #[test]
    fn a_job_ends_once_and_never_runs_again() {
        let mut board = Board::default();
        board.known.insert("ft-old".into(), "running".into());
        let now = Instant::now();
        let jobs = vec![job("ft-old", JobStatus::Succeeded, 1), job("ft-a", JobStatus::Running, 2)];
        let (ended, _) = board.take(Dialect::FineTunes, jobs.clone(), now);
        assert_eq!(ended, [Ended { id: "ft-old".into(), elsewhere: true }]);
        assert!(board.put(job("ft-a", JobStatus::Failed, 2)).is_some());
        assert!(board.put(job("ft-a", JobStatus::Failed, 2)).is_none());
        // The list was on its way when the job ended.
        let (ended, _) = board.take(Dialect::FineTunes, jobs, now);
        assert_eq!((ended, board.running()), (vec![], 0));
    }

    #[test]
    fn six_are_marked_at_most() {
        let mut board = Board::default();
        let jobs = (0..8).map(|n| job(&format!("ft-{n}"), JobStatus::Succeeded, n)).collect();
        board.take(Dialect::FineTunes, jobs, Instant::now());
        for row in 0..8 {
            board.select(row);
            assert_eq!(board.mark(), row < 6);
        }
        assert_eq!(board.letter("ft-7"), Some('A'));
        board.select(0);
        assert!(board.mark());
        assert_eq!((board.letter("ft-6"), board.chosen().len()), (Some('A'), 5));
    }
}
