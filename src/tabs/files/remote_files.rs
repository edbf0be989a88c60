//! The files of one server: sorted and filtered, with marks and the jobs that use them.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use super::job_usage::JobUsage;
use super::list_request::ListRequest;
use super::metadata::{FileMetadata, MetadataCache, SavedListing};
use super::persistence::SettingLoad;
use super::remote_file::rank;
pub(super) use super::remote_file::{FileStatus, RemoteFile, RemoteOrder};
use super::status_polls::StatusPolls;
use crate::api::call::{Call, Progress, Reply, Ticket};
use crate::api::file::File;
use crate::component::Cx;
use crate::record::{self, Query, Rows};
use crate::settings::ProfileId;
use crate::text::Untrusted;
use crate::ui::table::{SortDirection, TableView};

/// The files of one server.
#[derive(Debug)]
pub(super) struct RemoteFiles {
    pub(super) profile: ProfileId,
    files: Vec<RemoteFile>,
    pub(super) listing: ListRequest,
    pub(super) uses: JobUsage,
    jobs: Option<Ticket>,
    /// What is known of files beside what the list says.
    pub(super) metadata: MetadataCache,
    metadata_load: SettingLoad,
    asked_list: Option<Ticket>,
    polls: StatusPolls,
    rows: Vec<usize>,
    pub(super) sort: (RemoteOrder, SortDirection),
    filter: String,
    marks: HashSet<String>,
    pub(super) view: TableView,
}

impl RemoteFiles {
    pub(super) fn new(profile: ProfileId, sort: (RemoteOrder, SortDirection)) -> Self {
        Self {
            profile,
            files: Vec::new(),
            listing: ListRequest::default(),
            uses: JobUsage::default(),
            jobs: None,
            metadata: MetadataCache::default(),
            metadata_load: SettingLoad::default(),
            asked_list: None,
            polls: StatusPolls::default(),
            rows: Vec::new(),
            sort,
            filter: String::new(),
            marks: HashSet::new(),
            view: TableView::default(),
        }
    }

    /// Asks for the list, and for the jobs that use its files, unless that is under way.
    pub(super) fn refresh(&mut self, cx: &mut Cx) {
        self.listing.send(&self.profile, cx);
        if self.jobs.is_none() {
            self.jobs = Some(cx.call_to(self.profile.clone(), Call::Jobs));
        }
    }

    /// The tab has come to the front: asks unless the list is young.
    pub(super) fn enter(&mut self, cx: &mut Cx) {
        if !self.listing.is_young(cx.unix_ms) && !self.listing.is_unsupported() {
            self.refresh(cx);
        }
    }

    /// Asks for what was learnt of its files in earlier times, once.
    pub(super) fn recall(&mut self, cx: &mut Cx) {
        if !matches!(self.metadata_load, SettingLoad::Asked(_) | SettingLoad::Loaded) {
            let setting = Query::Setting(MetadataCache::key(&self.profile));
            self.metadata_load = SettingLoad::Asked(cx.load(setting));
            self.asked_list = Some(cx.load(Query::Setting(SavedListing::key(&self.profile))));
        }
    }

    /// Takes a reply of the store. Whether it is to one of these.
    pub(super) fn stored(&mut self, ticket: Ticket, stored: &record::Stored) -> bool {
        let json = if let record::Stored::Rows(Rows::Setting(_, json)) = stored { json.as_ref() } else { None };
        if self.asked_list.take_if(|asked| *asked == ticket).is_some() {
            // What came from the server meanwhile is newer.
            let saved = json.and_then(|json| SavedListing::read(json.raw()));
            if let Some(saved) = saved.filter(|_| self.listing.at_ms.is_none()) {
                self.listing.recalled(saved.at_ms);
                self.change(|remote| remote.files = saved.files.into_iter().map(RemoteFile::of).collect());
            }
            return true;
        }
        let ours = self.metadata_load == SettingLoad::Asked(ticket);
        if ours {
            // What could not be read is not written over.
            let failed = matches!(stored, record::Stored::Failed(_));
            self.metadata_load = if failed { SettingLoad::Unreadable } else { SettingLoad::Loaded };
            self.metadata.fill(json.map_or("[]", Untrusted::raw));
        }
        ours
    }

    /// Something was learnt of a file.
    pub(super) fn learn(&mut self, id: &str, metadata: FileMetadata, cx: &mut Cx) {
        if metadata == FileMetadata::default() || self.metadata.of(id) == Some(&metadata) {
            return;
        }
        self.metadata.put(id, metadata);
        if self.metadata_load == SettingLoad::Loaded {
            cx.save(self.metadata.record(&self.profile));
        }
    }

    /// Takes a part of a call. Whether it is one of these.
    pub(super) fn progress(&mut self, ticket: Ticket, progress: &Progress, cx: &mut Cx) -> bool {
        if self.listing.owns(ticket) {
            match progress {
                Progress::Reply(Reply::Files(files)) => self.listed(files, cx),
                other => self.listing.progress(other),
            }
            return true;
        }
        if self.jobs == Some(ticket) {
            match progress {
                Progress::Reply(Reply::Jobs(_, jobs)) => self.change(|remote| remote.uses.fill(jobs)),
                Progress::Closed(_) => self.jobs = None,
                _ => {}
            }
            return true;
        }
        let Some(id) = self.polls.id_of(ticket) else { return false };
        match progress {
            Progress::Reply(Reply::File(file)) => self.replace(RemoteFile::of(File::clone(file))),
            Progress::Closed(Err(why)) if why.status == Some(404) => {
                self.polls.forget(&id);
                self.gone(&id);
            }
            Progress::Closed(_) => {
                let is_open = self.file(&id).is_some_and(|file| file.status == FileStatus::Uploaded);
                self.polls.ended(&id, is_open, cx.now);
            }
            _ => {}
        }
        true
    }

    fn listed(&mut self, files: &[File], cx: &mut Cx) {
        let going: HashSet<String> = self.files.iter().filter(|file| file.going).map(|file| file.id.clone()).collect();
        let stored = |file: &File| {
            let file = RemoteFile::of(file.clone());
            RemoteFile { going: going.contains(&file.id), ..file }
        };
        self.change(|remote| remote.files = files.iter().map(stored).collect());
        let there: HashSet<&str> = self.files.iter().map(|file| file.id.as_str()).collect();
        self.marks.retain(|id| there.contains(id.as_str()));
        self.listing.arrived(cx.unix_ms);
        cx.save(SavedListing::record(&self.profile, cx.unix_ms, files));
        self.polls.watch(&self.files, cx.now);
    }

    /// Returns when a file is asked for again.
    pub(super) fn due(&self) -> Option<Instant> {
        self.polls.due()
    }

    /// Asks for files where it is time.
    pub(super) fn tick(&mut self, cx: &mut Cx) {
        self.polls.tick(&self.profile, cx);
    }

    /// A file that was uploaded, or looked at.
    pub(super) fn put(&mut self, file: RemoteFile, now: Instant) {
        if self.file(&file.id).is_some() {
            return self.replace(file);
        }
        self.change(|remote| remote.files.push(file));
        self.polls.watch(&self.files, now);
    }

    fn replace(&mut self, file: RemoteFile) {
        self.change(|remote| {
            if let Some(old) = remote.files.iter_mut().find(|old| old.id == file.id) {
                *old = RemoteFile { going: old.going, ..file };
            }
        });
    }

    /// The server does not have this one any more.
    pub(super) fn gone(&mut self, id: &str) {
        self.marks.remove(id);
        self.change(|remote| {
            if let Some(file) = remote.files.iter_mut().find(|file| file.id == id) {
                (file.status, file.going) = (FileStatus::Gone, false);
            }
        });
    }

    /// It was deleted.
    pub(super) fn remove(&mut self, id: &str) {
        self.polls.forget(id);
        self.marks.remove(id);
        self.change(|remote| remote.files.retain(|file| file.id != id));
    }

    /// Its deletion begins, or came to nothing.
    pub(super) fn going(&mut self, id: &str, going: bool) {
        if let Some(file) = self.files.iter_mut().find(|file| file.id == id) {
            file.going = going;
        }
    }

    pub(super) fn file(&self, id: &str) -> Option<&RemoteFile> {
        self.files.iter().find(|file| file.id == id)
    }

    /// All files, in the server's order.
    pub(super) fn files(&self) -> &[RemoteFile] {
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
        let here = self.files.iter().filter(|file| file.status != FileStatus::Gone);
        here.fold(0, |sum, file| sum.saturating_add(file.bytes))
    }

    fn arrange(&mut self) {
        let words = self.filter.to_lowercase();
        let has = |text: &Untrusted| text.raw().to_lowercase().contains(&words);
        let id = |file: &RemoteFile| file.id.to_lowercase().contains(&words);
        let shows = |file: &RemoteFile| words.is_empty() || has(&file.name) || has(&file.purpose) || id(file);
        self.rows = (0..self.files.len()).filter(|at| shows(&self.files[*at])).collect();
        let (files, uses) = (&self.files, &self.uses);
        let name = |at: &usize| (files[*at].name.raw().to_lowercase(), files[*at].id.as_str());
        match self.sort.0 {
            RemoteOrder::Name => self.rows.sort_by_cached_key(name),
            RemoteOrder::Size => self.rows.sort_by_cached_key(|at| (files[*at].bytes, name(at))),
            RemoteOrder::Purpose => self.rows.sort_by_cached_key(|at| (files[*at].purpose.raw(), name(at))),
            RemoteOrder::Created => self.rows.sort_by_cached_key(|at| (files[*at].created_ms, name(at))),
            RemoteOrder::FileStatus => self.rows.sort_by_cached_key(|at| (rank(&files[*at].status), name(at))),
            RemoteOrder::Used => self.rows.sort_by_cached_key(|at| (uses.rank(&files[*at].id), name(at))),
        }
        if self.sort.1 == SortDirection::Descending {
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

    pub(super) fn sort_by(&mut self, sort: (RemoteOrder, SortDirection)) {
        self.change(|remote| remote.sort = sort);
    }

    pub(super) fn filter(&self) -> &str {
        &self.filter
    }

    /// Shows only files whose name, purpose or id has these words.
    pub(super) fn set_filter(&mut self, words: &str) {
        self.change(|remote| words.clone_into(&mut remote.filter));
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn row(&self, row: usize) -> Option<&RemoteFile> {
        self.rows.get(row).map(|at| &self.files[*at])
    }

    pub(super) fn here(&self) -> Option<&RemoteFile> {
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
    pub(super) fn picked(&self) -> Vec<RemoteFile> {
        if self.marks.is_empty() {
            return self.here().cloned().into_iter().collect();
        }
        let place: HashMap<usize, usize> = self.rows.iter().zip(0..).map(|(at, row)| (*at, row)).collect();
        let mut all: Vec<usize> = (0..self.files.len()).filter(|at| self.marks.contains(&self.files[*at].id)).collect();
        all.sort_by_key(|at| place.get(at).copied().unwrap_or(usize::MAX));
        all.into_iter().map(|at| self.files[at].clone()).collect()
    }
}
