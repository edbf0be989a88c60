//! The events pane: those of one job or of all, newest first; finding words in them.

use std::collections::HashMap;

use super::board::Board;
use super::history::Line as Told;
use crate::text::Untrusted;
use crate::ui::line::Line;
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
struct Job {
    id: String,
    /// The first line that is not taken in yet.
    next: u64,
    /// The latest moment of its lines.
    at: i64,
}

/// What the events pane shows.
#[derive(Debug, Default)]
pub(super) struct Feed {
    /// Whether events of all jobs show.
    pub(super) all: bool,
    pub(super) wrap: bool,
    /// What is looked for; empty: nothing.
    pub(super) find: String,
    /// What is being typed to be looked for.
    pub(super) typing: Option<Line>,
    /// From the newest.
    pub(super) cursor: Cursor,
    /// Rows that showed in the last frame.
    pub(super) page: usize,
    /// The rows are of something else, or some of them went.
    pub(super) stale: bool,
    /// There may be new lines.
    pub(super) more: bool,
    /// Oldest first.
    rows: Vec<Row>,
    jobs: Vec<Job>,
    by_id: HashMap<String, u32>,
    /// The job whose events show; `None`: all.
    of: Option<String>,
}

impl Feed {
    /// How many lines there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The `at`th newest line, and whose it is.
    pub(super) fn get<'a>(&self, board: &'a Board, at: usize) -> Option<(&str, &'a Told)> {
        let row = self.rows.get(self.rows.len().checked_sub(at + 1)?)?;
        let id = &self.jobs[row.job as usize].id;
        Some((id, board.get(id)?.history.line(row.place)?))
    }

    /// Takes in what is new; what it costs grows with that alone, unless something else is to show.
    pub(super) fn refresh(&mut self, board: &Board) {
        let of = if self.all { None } else { Some(board.selected.clone().unwrap_or_default()) };
        if of != self.of {
            self.cursor = Cursor::default();
            self.stale = true;
        }
        if std::mem::take(&mut self.stale) {
            self.of = of;
            self.rows.clear();
            self.jobs.clear();
            self.by_id.clear();
        } else if !self.more {
            return;
        }
        self.more = false;
        let before = self.rows.len();
        for entry in &board.entries {
            let (id, places) = (&entry.job.id, entry.history.places());
            if places.is_empty() || self.of.as_ref().is_some_and(|of| of != id) {
                continue;
            }
            let job = *self.by_id.entry(id.clone()).or_insert_with(|| {
                self.jobs.push(Job { id: id.clone(), next: 0, at: i64::MIN });
                self.jobs.len() as u32 - 1
            });
            let own = &mut self.jobs[job as usize];
            for place in places.start.max(own.next)..places.end {
                // A job's own order holds, whatever its clock says.
                own.at = own.at.max(entry.history.line(place).map_or(0, |line| line.at));
                self.rows.push(Row { at: own.at, job, place });
            }
            own.next = places.end;
        }
        // Of several jobs the clock tells.
        if !self.rows.is_sorted_by_key(|row| row.at) {
            self.rows.sort_by_key(|row| row.at);
        }
        // Who reads older lines goes on reading them.
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

    /// Goes to the next older line that holds what is looked for, or the next newer one; whether there is one.
    pub(super) fn seek(&mut self, board: &Board, back: bool, here: bool) -> bool {
        let (words, len) = (self.find.to_lowercase(), self.rows.len());
        if words.is_empty() || len == 0 {
            return false;
        }
        let holds = |at: &usize| {
            self.get(board, *at).is_some_and(|(_, line)| line.words.line().to_lowercase().contains(&words))
        };
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

    /// The words of the line under the cursor.
    pub(super) fn here(&self, board: &Board) -> Option<Untrusted> {
        self.get(board, self.cursor.selected).map(|(_, line)| line.words.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::api::job::{Dialect, Job as Tuned, JobEvent};

    fn board() -> Board {
        let mut board = Board::default();
        let jobs = ["ft-a", "ft-b"].map(|id| Tuned { id: id.into(), ..Tuned::default() }).to_vec();
        board.take(Dialect::FineTunes, jobs, Instant::now());
        board
    }

    fn say(board: &mut Board, id: &str, at: i64, words: &str) {
        let entry = board.get_mut(id).unwrap();
        let event = JobEvent { created_at: at, message: words.into(), ..JobEvent::default() };
        entry.history.add(entry.history.events(), &[event]);
    }

    fn shown(feed: &mut Feed, board: &Board) -> Vec<String> {
        feed.more = true;
        feed.refresh(board);
        (0..feed.len()).map(|at| feed.get(board, at).unwrap().1.words.line().into_owned()).collect()
    }

    #[test]
    fn the_newest_stands_first_of_one_job_or_of_all() {
        let (mut board, mut feed) = (board(), Feed::default());
        say(&mut board, "ft-a", 1, "a1");
        say(&mut board, "ft-a", 5, "a5");
        say(&mut board, "ft-b", 3, "b3");
        assert_eq!(shown(&mut feed, &board), ["a5", "a1"]);
        feed.all = true;
        assert_eq!(shown(&mut feed, &board), ["a5", "b3", "a1"]);
        say(&mut board, "ft-b", 4, "b4");
        say(&mut board, "ft-a", 4, "a4, told late");
        assert_eq!(shown(&mut feed, &board), ["a4, told late", "a5", "b4", "b3", "a1"]);
        feed.all = false;
        assert_eq!(shown(&mut feed, &board), ["a4, told late", "a5", "a1"], "a job's own order is its history's");
    }

    #[test]
    fn who_reads_older_lines_stays_there_and_words_are_found() {
        let (mut board, mut feed) = (board(), Feed::default());
        for n in 0..5 {
            say(&mut board, "ft-a", n, &format!("event {n}"));
        }
        shown(&mut feed, &board);
        feed.step(2);
        say(&mut board, "ft-a", 9, "new");
        shown(&mut feed, &board);
        assert_eq!(feed.here(&board).unwrap(), "event 2");
        feed.find = "EVENT 4".into();
        assert!(feed.seek(&board, false, false));
        assert_eq!(feed.here(&board).unwrap(), "event 4");
        feed.find = "event".into();
        assert!(feed.seek(&board, false, false));
        assert_eq!(feed.here(&board).unwrap(), "event 3");
        assert!(feed.seek(&board, true, false));
        assert_eq!(feed.here(&board).unwrap(), "event 4");
        feed.find = "nothing".into();
        assert!(!feed.seek(&board, false, false));
    }
}
