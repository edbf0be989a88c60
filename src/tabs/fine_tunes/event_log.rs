//! The events pane: those of one job or of all, newest first; finding words in them.

use std::collections::HashMap;

use super::event_buffer::EventLine;
use super::job_list::JobList;
use crate::component::FindBar;
use crate::text::Untrusted;
use crate::ui::list::Cursor;

/// A line of the pane, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    at: i64,
    job: u32,
    place: u64,
}

/// A job whose lines show.
#[derive(Debug)]
struct LoggedJob {
    id: String,
    /// The first line that is not taken in yet.
    next: u64,
    /// The latest moment of its lines.
    at: i64,
}

/// Which lines are to be taken in again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Outdated {
    #[default]
    No,
    /// Those that have come.
    New,
    /// All: they are of something else, or some of them went.
    All,
}

/// What the events pane shows.
#[derive(Debug, Default)]
pub(super) struct EventLog {
    /// Whether events of all jobs show.
    pub(super) all: bool,
    pub(super) wrap: bool,
    /// What is looked for; empty: nothing.
    pub(super) find: String,
    /// What is looked for next, while it is typed.
    pub(super) bar: FindBar,
    /// From the newest.
    pub(super) cursor: Cursor,
    /// Rows that showed in the last frame.
    pub(super) page: usize,
    outdated: Outdated,
    /// Oldest first.
    rows: Vec<Row>,
    jobs: Vec<LoggedJob>,
    by_id: HashMap<String, u32>,
    /// The job whose events show; `None`: all.
    of: Option<String>,
}

impl EventLog {
    /// Returns how many lines there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the `at`th newest line, and whose it is.
    pub(super) fn get<'a>(&self, list: &'a JobList, at: usize) -> Option<(&str, &'a EventLine)> {
        let row = self.rows.get(self.rows.len().checked_sub(at + 1)?)?;
        let id = &self.jobs[row.job as usize].id;
        Some((id, list.jobs.get(id)?.events.line(row.place)?))
    }

    /// Takes all lines in again with the next refresh.
    pub(super) fn reset(&mut self) {
        self.outdated = Outdated::All;
    }

    /// Takes new lines in with the next refresh; `trimmed`: some of the others went.
    pub(super) fn update(&mut self, trimmed: bool) {
        let new = if trimmed || self.outdated == Outdated::All { Outdated::All } else { Outdated::New };
        self.outdated = new;
    }

    /// Takes in what is new; what it costs grows with that alone, unless something else is to show.
    pub(super) fn refresh(&mut self, list: &JobList) {
        let of = if self.all {
            None
        } else {
            Some(list.jobs.selected_item().map(|row| row.job.id.clone()).unwrap_or_default())
        };
        if of != self.of {
            self.cursor = Cursor::default();
            self.outdated = Outdated::All;
        }
        match std::mem::take(&mut self.outdated) {
            Outdated::No => return,
            Outdated::New => {}
            Outdated::All => {
                self.of = of;
                self.rows.clear();
                self.jobs.clear();
                self.by_id.clear();
            }
        }
        let before = self.rows.len();
        for row in list.jobs.items() {
            let (id, places) = (&row.job.id, row.events.line_numbers());
            if places.is_empty() || self.of.as_ref().is_some_and(|of| of != id) {
                continue;
            }
            let job = *self.by_id.entry(id.clone()).or_insert_with(|| {
                self.jobs.push(LoggedJob { id: id.clone(), next: 0, at: i64::MIN });
                self.jobs.len() as u32 - 1
            });
            let own = &mut self.jobs[job as usize];
            for place in places.start.max(own.next)..places.end {
                // A job's own order holds, whatever its clock says.
                own.at = own.at.max(row.events.line(place).map_or(0, |line| line.at));
                self.rows.push(Row { at: own.at, job, place });
            }
            own.next = places.end;
        }
        // Of several jobs the clock tells.
        if !self.rows.is_sorted_by_key(|row| row.at) {
            self.rows.sort_by_key(|row| row.at);
        }
        // Who reads older lines continues reading them.
        if self.cursor.selected > 0 && before > 0 {
            let new = self.rows.len() - before;
            self.cursor.selected += new;
            self.cursor.top += new;
        }
    }

    /// Moves by rows.
    pub(super) fn step(&mut self, rows: isize) {
        self.cursor.by(rows, self.rows.len());
    }

    /// Goes to the next older line that holds what is looked for, or the next newer one. Returns whether there is one.
    pub(super) fn seek(&mut self, list: &JobList, back: bool, here: bool) -> bool {
        let (words, len) = (self.find.to_lowercase(), self.rows.len());
        if words.is_empty() || len == 0 {
            return false;
        }
        let holds =
            |at: &usize| self.get(list, *at).is_some_and(|(_, line)| line.words.line().to_lowercase().contains(&words));
        let from = self.cursor.selected.min(len - 1);
        let first = usize::from(!here);
        let found = if back {
            (first..len + first).map(|by| (from + len - by % len) % len).find(holds)
        } else {
            (first..len + first).map(|by| (from + by) % len).find(holds)
        };
        if let Some(at) = found {
            self.cursor.selected = at;
        }
        found.is_some()
    }

    /// Returns the words of the line under the cursor.
    pub(super) fn selected_text(&self, list: &JobList) -> Option<Untrusted> {
        self.get(list, self.cursor.selected).map(|(_, line)| line.words.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::api::job::{Dialect, Job, JobEvent};

    fn list() -> JobList {
        let mut list = JobList::default();
        let jobs = ["ft-a", "ft-b"].map(|id| Job { id: id.into(), ..Job::default() }).to_vec();
        list.take(Dialect::FineTunes, jobs, Instant::now());
        list
    }

    fn say(list: &mut JobList, id: &str, at: i64, words: &str) {
        let row = list.jobs.get_mut(id).unwrap();
        let event = JobEvent { created_at: at, message: words.into(), ..JobEvent::default() };
        row.events.add(row.events.count(), &[event]);
    }

    fn shown(log: &mut EventLog, list: &JobList) -> Vec<String> {
        log.update(false);
        log.refresh(list);
        (0..log.len()).map(|at| log.get(list, at).unwrap().1.words.line().into_owned()).collect()
    }

    #[test]
    fn the_newest_stands_first_of_one_job_or_of_all() {
        let (mut list, mut log) = (list(), EventLog::default());
        say(&mut list, "ft-a", 1, "a1");
        say(&mut list, "ft-a", 5, "a5");
        say(&mut list, "ft-b", 3, "b3");
        assert_eq!(shown(&mut log, &list), ["a5", "a1"]);
        log.all = true;
        assert_eq!(shown(&mut log, &list), ["a5", "b3", "a1"]);
        say(&mut list, "ft-b", 4, "b4");
        say(&mut list, "ft-a", 4, "a4, told late");
        assert_eq!(shown(&mut log, &list), ["a4, told late", "a5", "b4", "b3", "a1"]);
        log.all = false;
        assert_eq!(shown(&mut log, &list), ["a4, told late", "a5", "a1"], "a job's own order is its history's");
    }

    #[test]
    fn who_reads_older_lines_stays_there_and_words_are_found() {
        let (mut list, mut log) = (list(), EventLog::default());
        for n in 0..5 {
            say(&mut list, "ft-a", n, &format!("event {n}"));
        }
        shown(&mut log, &list);
        log.step(2);
        say(&mut list, "ft-a", 9, "new");
        shown(&mut log, &list);
        assert_eq!(log.selected_text(&list).unwrap(), "event 2");
        log.find = "EVENT 4".into();
        assert!(log.seek(&list, false, false));
        assert_eq!(log.selected_text(&list).unwrap(), "event 4");
        log.find = "event".into();
        assert!(log.seek(&list, false, false));
        assert_eq!(log.selected_text(&list).unwrap(), "event 3");
        assert!(log.seek(&list, true, false));
        assert_eq!(log.selected_text(&list).unwrap(), "event 4");
        log.find = "nothing".into();
        assert!(!log.seek(&list, false, false));
    }
}
