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
    /// Indices of the rows that hold what is looked for, in order.
    matches: Vec<usize>,
    /// The words that are looked for.
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
        let mut first_new = before;
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
            first_new = 0;
        }
        self.find_matches(list, first_new);
        // Who reads older lines continues reading them.
        if self.cursor.selected > 0 && before > 0 {
            let new = self.rows.len() - before;
            self.cursor.selected += new;
            self.cursor.top += new;
        }
    }

    /// Moves by rows.
    pub(super) fn step(&mut self, rows: isize) {
        self.cursor.move_by(rows, self.rows.len());
    }

    /// Returns what is looked for; empty: nothing.
    pub(super) fn find(&self) -> &str {
        self.bar.text().trim()
    }

    /// Looks for the words that are typed.
    pub(super) fn find_typed(&mut self, list: &JobList) {
        self.find_matches(list, 0);
    }

    /// Looks for nothing.
    pub(super) fn clear_find(&mut self) {
        self.bar.clear();
        self.matches.clear();
    }

    /// Looks for the words in the rows from `first` on; what was found in those before it stays.
    fn find_matches(&mut self, list: &JobList, first: usize) {
        self.matches.truncate(self.matches.partition_point(|row| *row < first));
        let (words, len) = (self.find().to_lowercase(), self.rows.len());
        if words.is_empty() {
            return self.matches.clear();
        }
        let holds = |row: &usize| {
            self.get(list, len - 1 - row).is_some_and(|(_, line)| line.words.line().to_lowercase().contains(&words))
        };
        let found: Vec<usize> = (first..len).filter(holds).collect();
        self.matches.extend(found);
    }

    /// Returns whether the `at`th newest line holds what is looked for.
    pub(super) fn is_match(&self, at: usize) -> bool {
        self.match_index(at).is_some()
    }

    /// Returns which of the matches, from the oldest, the `at`th newest line is.
    fn match_index(&self, at: usize) -> Option<usize> {
        self.matches.binary_search(&self.rows.len().checked_sub(at + 1)?).ok()
    }

    /// Returns which match is under the cursor, from the newest, and how many there are; empty: nothing is looked for.
    pub(super) fn match_count(&self) -> String {
        if self.find().is_empty() {
            return String::new();
        }
        let all = self.matches.len();
        FindBar::place(self.match_index(self.cursor.selected).map(|index| all - index), all)
    }

    /// Goes to the next older line that holds what is looked for, or the next newer one. Returns whether there is one.
    pub(super) fn seek(&mut self, back: bool, here: bool) -> bool {
        if self.matches.is_empty() {
            return false;
        }
        let last = self.rows.len() - 1;
        let row = last - self.cursor.selected.min(last);
        let (older, newer) = self.matches.split_at(self.matches.partition_point(|found| *found < row));
        let newer = if newer.first() == Some(&row) && !here { &newer[1..] } else { newer };
        // At the end it continues at the other end.
        let found = if back {
            newer.first().or(self.matches.first())
        } else if here && newer.first() == Some(&row) {
            Some(&row)
        } else {
            older.last().or(self.matches.last())
        };
        if let Some(row) = found {
            self.cursor.selected = last - row;
        }
        true
    }

    /// Returns the words of all lines, oldest first.
    pub(super) fn text(&self, list: &JobList) -> Untrusted {
        let lines = (0..self.len()).rev().filter_map(|at| self.get(list, at));
        lines.map(|(_, line)| line.words.line()).collect::<Vec<_>>().join("\n").into()
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
        log.bar.set_text("EVENT 4");
        log.find_typed(&list);
        assert_eq!(log.match_count(), "1 found", "the cursor is at none");
        assert!(log.seek(false, false));
        assert_eq!(log.match_count(), "1 of 1");
        assert_eq!(log.selected_text(&list).unwrap(), "event 4");
        log.bar.set_text("event");
        log.find_typed(&list);
        assert!(log.seek(false, true), "the match under the cursor counts");
        assert_eq!(log.match_count(), "1 of 5");
        assert!(log.seek(false, false));
        assert_eq!(log.selected_text(&list).unwrap(), "event 3");
        assert_eq!(log.match_count(), "2 of 5");
        assert!(log.seek(true, false));
        assert_eq!(log.selected_text(&list).unwrap(), "event 4");
        assert!(log.seek(true, false), "from the newest it continues at the oldest");
        assert_eq!((log.selected_text(&list).unwrap().line(), log.match_count()), ("event 0".into(), "5 of 5".into()));
        say(&mut list, "ft-a", 10, "one more event");
        say(&mut list, "ft-a", 11, "something else");
        shown(&mut log, &list);
        assert_eq!(log.match_count(), "6 of 6", "new lines are searched as they come");
        assert!(log.seek(false, false), "from the oldest it continues at the newest");
        assert_eq!(log.selected_text(&list).unwrap(), "one more event");
        log.bar.set_text("nothing");
        log.find_typed(&list);
        assert!(!log.seek(false, false));
        assert_eq!(log.match_count(), "no match");
        log.clear_find();
        assert_eq!(log.match_count(), "");
    }
}
