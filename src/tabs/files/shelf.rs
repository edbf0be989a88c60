//! The files of one server: the list as it was last heard, sorted and filtered, marks, what jobs use them.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use super::known::{Fact, Known, Last};
use super::stored::rank;
pub(super) use super::stored::{By, Status, Stored};
use super::uses::Uses;
use crate::api::call::{Call, Failure, FailureKind, Progress, Reply, Ticket};
use crate::api::file::File;
use crate::component::Cx;
use crate::record::{self, Query, Rows};
use crate::settings::ProfileId;
use crate::text::Untrusted;
use crate::ui::table::{View, Way};

/// How often a file that is not processed yet is looked at again at most: about four minutes in all.
const LOOKS: u32 = 8;
/// How many of them at a time, the newest.
const LOOKED_AT: usize = 8;
/// The first wait; each is twice the one before.
const FIRST_LOOK: Duration = Duration::from_secs(1);
/// The longest.
const LONGEST: Duration = Duration::from_mins(1);
/// A list older than this is asked for again when the tab comes to the front.
const OLD_MS: i64 = 60_000;

/// A look at a file that is not processed yet.
#[derive(Debug)]
struct Look {
    id: String,
    /// Looks so far.
    count: u32,
    at: Instant,
    ticket: Option<Ticket>,
}

/// The files of one server.
#[derive(Debug)]
pub(super) struct Shelf {
    pub(super) profile: ProfileId,
    files: Vec<Stored>,
    /// When the list came; `None`: it never did.
    pub(super) at_ms: Option<i64>,
    /// Whether the list is of an earlier time, or asking for a newer one was stopped.
    pub(super) old: bool,
    asking: Option<Ticket>,
    /// Since when.
    pub(super) since: Option<Instant>,
    /// A retry's countdown ends then.
    pub(super) again: Option<Instant>,
    pub(super) failed: Option<Failure>,
    pub(super) uses: Uses,
    jobs: Option<Ticket>,
    /// What is known of files beside what the list says.
    pub(super) known: Known,
    asked_known: Option<Ticket>,
    asked_list: Option<Ticket>,
    /// Whether what was kept of it is here: before, nothing is written over it.
    knows: bool,
    looks: Vec<Look>,
    rows: Vec<usize>,
    pub(super) sort: (By, Way),
    filter: String,
    marks: HashSet<String>,
    pub(super) view: View,
}

impl Shelf {
    pub(super) fn new(profile: ProfileId, sort: (By, Way)) -> Self {
        Self {
            profile,
            files: Vec::new(),
            at_ms: None,
            old: false,
            asking: None,
            since: None,
            again: None,
            failed: None,
            uses: Uses::default(),
            jobs: None,
            known: Known::default(),
            asked_known: None,
            asked_list: None,
            knows: false,
            looks: Vec::new(),
            rows: Vec::new(),
            sort,
            filter: String::new(),
            marks: HashSet::new(),
            view: View::default(),
        }
    }

    /// Asks for the list, and for the jobs that use its files, unless that is under way.
    pub(super) fn refresh(&mut self, cx: &mut Cx) {
        if self.asking.is_none() {
            self.asking = Some(cx.call_to(self.profile.clone(), Call::Files));
            self.since = Some(cx.now);
            self.again = None;
        }
        self.ask_jobs(cx);
    }

    /// Asks for the jobs.
    fn ask_jobs(&mut self, cx: &mut Cx) {
        if self.jobs.is_none() {
            self.jobs = Some(cx.call_to(self.profile.clone(), Call::Jobs));
        }
    }

    /// The tab has come to the front: asks unless the list is young.
    pub(super) fn enter(&mut self, cx: &mut Cx) {
        let young = self.at_ms.is_some_and(|at| cx.unix_ms.saturating_sub(at) < OLD_MS);
        if !young && !self.is_unsupported() {
            self.refresh(cx);
        }
    }

    /// Asks for what was learnt of its files in earlier times, once.
    pub(super) fn recall(&mut self, cx: &mut Cx) {
        if !self.knows && self.asked_known.is_none() {
            self.asked_known = Some(cx.load(Query::Setting(Known::key(&self.profile))));
            self.asked_list = Some(cx.load(Query::Setting(Last::key(&self.profile))));
        }
    }

    /// The store's answer. Whether the question was the shelf's.
    pub(super) fn stored(&mut self, ticket: Ticket, stored: &record::Stored) -> bool {
        let json = if let record::Stored::Rows(Rows::Setting(_, json)) = stored { json.as_ref() } else { None };
        if self.asked_list.take_if(|asked| *asked == ticket).is_some() {
            // What came from the server meanwhile is newer.
            if let Some(last) = json.and_then(|json| Last::read(json.raw())).filter(|_| self.at_ms.is_none()) {
                self.at_ms = Some(last.at_ms);
                self.old = true;
                self.change(|shelf| shelf.files = last.files.into_iter().map(Stored::of).collect());
            }
            return true;
        }
        let ours = self.asked_known.take_if(|asked| *asked == ticket).is_some();
        if ours {
            // What could not be read is not written over.
            self.knows = !matches!(stored, record::Stored::Failed(_));
            self.known.fill(json.map_or("[]", Untrusted::raw));
        }
        ours
    }

    /// Something was learnt of a file.
    pub(super) fn learn(&mut self, id: &str, fact: Fact, cx: &mut Cx) {
        if fact == Fact::default() || self.known.of(id) == Some(&fact) {
            return;
        }
        self.known.put(id, fact);
        if self.knows {
            cx.record(self.known.record(&self.profile));
        }
    }

    /// Stops asking for the list. Whether it was asked for.
    pub(super) fn stop(&mut self, cx: &mut Cx) -> bool {
        let Some(ticket) = self.asking.take() else { return false };
        cx.cancel(ticket);
        self.since = None;
        self.again = None;
        self.old = true;
        true
    }

    /// A countdown ends now. Whether there was one.
    pub(super) fn hurry(&mut self, cx: &mut Cx) -> bool {
        match (self.asking, self.again.take()) {
            (Some(ticket), Some(_)) => {
                cx.hurry(ticket);
                true
            }
            _ => false,
        }
    }

    pub(super) fn is_asking(&self) -> bool {
        self.asking.is_some()
    }

    /// Whether the server has no files at all.
    pub(super) fn is_unsupported(&self) -> bool {
        self.failed.as_ref().is_some_and(|why| why.kind == FailureKind::Unsupported)
    }

    /// Whether what is shown may be out of date.
    pub(super) fn is_stale(&self) -> bool {
        self.asking.is_some() || self.failed.is_some() || self.old
    }

    /// News of a call. Whether it was the shelf's.
    pub(super) fn progress(&mut self, ticket: Ticket, progress: &Progress, cx: &mut Cx) -> bool {
        if self.asking == Some(ticket) {
            self.listed(progress, cx);
            return true;
        }
        if self.jobs == Some(ticket) {
            match progress {
                Progress::Reply(Reply::Jobs(_, jobs)) => {
                    self.change(|shelf| shelf.uses.fill(jobs));
                }
                Progress::Closed(_) => self.jobs = None,
                _ => {}
            }
            return true;
        }
        let Some(at) = self.looks.iter().position(|look| look.ticket == Some(ticket)) else { return false };
        match progress {
            Progress::Reply(Reply::File(file)) => self.replace(Stored::of(File::clone(file))),
            Progress::Closed(Err(why)) if why.status == Some(404) => {
                let id = self.looks.remove(at).id;
                self.gone(&id);
            }
            Progress::Closed(_) => self.next_look(at, cx.now),
            _ => {}
        }
        true
    }

    fn listed(&mut self, progress: &Progress, cx: &mut Cx) {
        match progress {
            Progress::Reply(Reply::Files(files)) => {
                let going: HashSet<String> =
                    self.files.iter().filter(|file| file.going).map(|file| file.id.clone()).collect();
                let stored = |file: &File| {
                    let file = Stored::of(file.clone());
                    Stored { going: going.contains(&file.id), ..file }
                };
                self.change(|shelf| shelf.files = files.iter().map(stored).collect());
                let there: HashSet<&str> = self.files.iter().map(|file| file.id.as_str()).collect();
                self.marks.retain(|id| there.contains(id.as_str()));
                self.at_ms = Some(cx.unix_ms);
                self.failed = None;
                self.old = false;
                cx.record(Last::record(&self.profile, cx.unix_ms, files));
                self.watch(cx.now);
            }
            Progress::Retrying { at, .. } => self.again = Some(*at),
            Progress::Opened { .. } => self.again = None,
            Progress::Closed(result) => {
                self.asking = None;
                self.since = None;
                self.again = None;
                if let Err(why) = result {
                    self.failed = Some(why.clone());
                }
            }
            _ => {}
        }
    }

    /// Looks again at the newest files that are not processed yet.
    fn watch(&mut self, now: Instant) {
        let mut open: Vec<&Stored> = self.files.iter().filter(|file| file.status == Status::Uploaded).collect();
        open.sort_by_key(|file| std::cmp::Reverse(file.created_ms));
        let ids: Vec<String> = open.into_iter().take(LOOKED_AT).map(|file| file.id.clone()).collect();
        self.looks.retain(|look| look.ticket.is_some() || ids.contains(&look.id));
        for id in ids {
            if !self.looks.iter().any(|look| look.id == id) {
                self.looks.push(Look { id, count: 0, at: now + FIRST_LOOK, ticket: None });
            }
        }
    }

    /// A look is over: the next one is later, if there is any.
    fn next_look(&mut self, at: usize, now: Instant) {
        let look = &mut self.looks[at];
        look.ticket = None;
        look.count += 1;
        look.at = now + FIRST_LOOK.saturating_mul(1 << look.count.min(16)).min(LONGEST);
        let (id, count) = (look.id.clone(), look.count);
        let open = self.file(&id).is_some_and(|file| file.status == Status::Uploaded);
        // One that was looked at often enough stays in the list, or it would begin anew with the next list.
        if !open {
            self.looks.remove(at);
        } else if count >= LOOKS {
            self.looks[at].at = now + Duration::from_secs(u64::from(u32::MAX));
        }
    }

    /// When the next look is.
    pub(super) fn due(&self) -> Option<Instant> {
        let open = self.looks.iter().filter(|look| look.ticket.is_none() && look.count < LOOKS);
        open.map(|look| look.at).min()
    }

    /// Looks where it is time.
    pub(super) fn tick(&mut self, cx: &mut Cx) {
        for look in &mut self.looks {
            if look.ticket.is_none() && look.count < LOOKS && look.at <= cx.now {
                look.ticket = Some(cx.call_to(self.profile.clone(), Call::File(look.id.clone())));
            }
        }
    }

    /// A file that was uploaded, or looked at.
    pub(super) fn put(&mut self, file: Stored, now: Instant) {
        if self.file(&file.id).is_some() {
            return self.replace(file);
        }
        self.change(|shelf| shelf.files.push(file));
        self.watch(now);
    }

    fn replace(&mut self, file: Stored) {
        self.change(|shelf| {
            if let Some(old) = shelf.files.iter_mut().find(|old| old.id == file.id) {
                *old = Stored { going: old.going, ..file };
            }
        });
    }

    /// The server does not have this one any more.
    pub(super) fn gone(&mut self, id: &str) {
        self.marks.remove(id);
        self.change(|shelf| {
            if let Some(file) = shelf.files.iter_mut().find(|file| file.id == id) {
                (file.status, file.going) = (Status::Gone, false);
            }
        });
    }

    /// It was deleted.
    pub(super) fn remove(&mut self, id: &str) {
        self.looks.retain(|look| look.id != id);
        self.marks.remove(id);
        self.change(|shelf| shelf.files.retain(|file| file.id != id));
    }

    /// Its deletion begins, or came to nothing.
    pub(super) fn going(&mut self, id: &str, going: bool) {
        if let Some(file) = self.files.iter_mut().find(|file| file.id == id) {
            file.going = going;
        }
    }

    pub(super) fn file(&self, id: &str) -> Option<&Stored> {
        self.files.iter().find(|file| file.id == id)
    }

    /// All files, in the server's order.
    pub(super) fn files(&self) -> &[Stored] {
        &self.files
    }

    /// Ids of files whose name others have, too.
    pub(super) fn twins(&self) -> HashSet<&str> {
        let mut names: HashMap<&str, usize> = HashMap::new();
        for file in &self.files {
            *names.entry(file.name.raw()).or_default() += 1;
        }
        let twins = self.files.iter().filter(|file| names.get(file.name.raw()).is_some_and(|count| *count > 1));
        twins.map(|file| file.id.as_str()).collect()
    }

    /// Bytes of all files.
    pub(super) fn bytes(&self) -> u64 {
        let here = self.files.iter().filter(|file| file.status != Status::Gone);
        here.fold(0, |sum, file| sum.saturating_add(file.bytes))
    }

    fn arrange(&mut self) {
        let words = self.filter.to_lowercase();
        let has = |text: &Untrusted| text.raw().to_lowercase().contains(&words);
        let id = |file: &Stored| file.id.to_lowercase().contains(&words);
        let shows = |file: &Stored| words.is_empty() || has(&file.name) || has(&file.purpose) || id(file);
        self.rows = (0..self.files.len()).filter(|at| shows(&self.files[*at])).collect();
        let (files, uses) = (&self.files, &self.uses);
        let name = |at: &usize| (files[*at].name.raw().to_lowercase(), files[*at].id.as_str());
        match self.sort.0 {
            By::Name => self.rows.sort_by_cached_key(name),
            By::Size => self.rows.sort_by_cached_key(|at| (files[*at].bytes, name(at))),
            By::Purpose => self.rows.sort_by_cached_key(|at| (files[*at].purpose.raw(), name(at))),
            By::Created => self.rows.sort_by_cached_key(|at| (files[*at].created_ms, name(at))),
            By::Status => self.rows.sort_by_cached_key(|at| (rank(&files[*at].status), name(at))),
            By::Used => self.rows.sort_by_cached_key(|at| (uses.rank(&files[*at].id), name(at))),
        }
        if self.sort.1 == Way::Down {
            self.rows.reverse();
        }
        self.view.by(0, self.rows.len());
    }

    /// Changes something and arranges anew, the cursor on the same file.
    fn change<T>(&mut self, change: impl FnOnce(&mut Self) -> T) -> T {
        let here = self.here().map(|file| file.id.clone());
        let changed = change(self);
        self.arrange();
        if let Some(id) = here {
            self.point(&id);
        }
        changed
    }

    /// The cursor goes to this file, where it shows. Whether it does.
    pub(super) fn point(&mut self, id: &str) -> bool {
        let at = self.rows.iter().position(|at| self.files[*at].id == id);
        if let Some(at) = at {
            self.view.cursor.selected = at;
        }
        at.is_some()
    }

    pub(super) fn sort_by(&mut self, sort: (By, Way)) {
        self.change(|shelf| shelf.sort = sort);
    }

    pub(super) fn filter(&self) -> &str {
        &self.filter
    }

    /// Shows only files whose name, purpose or id has these words.
    pub(super) fn set_filter(&mut self, words: &str) {
        self.change(|shelf| words.clone_into(&mut shelf.filter));
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn row(&self, row: usize) -> Option<&Stored> {
        self.rows.get(row).map(|at| &self.files[*at])
    }

    pub(super) fn here(&self) -> Option<&Stored> {
        self.row(self.view.cursor.selected)
    }

    pub(super) fn is_marked(&self, id: &str) -> bool {
        self.marks.contains(id)
    }

    pub(super) fn marked(&self) -> usize {
        self.marks.len()
    }

    pub(super) fn mark(&mut self) {
        if let Some(id) = self.here().map(|file| file.id.clone())
            && !self.marks.remove(&id)
        {
            self.marks.insert(id);
        }
        self.view.by(1, self.rows.len());
    }

    /// Marks all that show; if all are, none of them.
    pub(super) fn mark_all(&mut self) {
        let ids: HashSet<String> = self.rows.iter().map(|at| self.files[*at].id.clone()).collect();
        if ids.iter().all(|id| self.marks.contains(id)) {
            self.marks.retain(|id| !ids.contains(id));
        } else {
            self.marks.extend(ids);
        }
    }

    /// Takes all marks away. Whether there were any.
    pub(super) fn unmark(&mut self) -> bool {
        !std::mem::take(&mut self.marks).is_empty()
    }

    /// The marked files, else the one under the cursor; in the order shown.
    pub(super) fn picked(&self) -> Vec<Stored> {
        if self.marks.is_empty() {
            return self.here().cloned().into_iter().collect();
        }
        let place: HashMap<usize, usize> = self.rows.iter().zip(0..).map(|(at, row)| (*at, row)).collect();
        let mut all: Vec<usize> = (0..self.files.len()).filter(|at| self.marks.contains(&self.files[*at].id)).collect();
        all.sort_by_key(|at| place.get(at).copied().unwrap_or(usize::MAX));
        all.into_iter().map(|at| self.files[at].clone()).collect()
    }
}
