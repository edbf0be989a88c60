//! The files of one server: sorted and filtered, with marks and the jobs that use them.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use super::job_usage::JobUsage;
use super::list_request::ListRequest;
use super::persistence::SettingLoad;
use super::remote_file::rank;
pub(super) use super::remote_file::{FileStatus, RemoteFile, RemoteOrder};
use super::saved_listing::SavedListing;
use super::status_polls::StatusPolls;
use crate::api::call::{Call, Progress, Reply, Sha256, Ticket};
use crate::api::file::File;
use crate::component::{Cx, Pending};
use crate::record::{self, Query, Rows};
use crate::settings::ProfileId;
use crate::tabs::file_metadata::{FileMetadata, MetadataCache};
use crate::text::Untrusted;
use crate::ui::item_list::ItemList;
use crate::ui::table::SortDirection;

/// What a request of a server's list is for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum RemoteRequest {
    List,
    /// The jobs that use the files.
    Jobs,
    /// Whether this file is processed by now.
    Status(String),
    /// The list as it was saved.
    SavedList,
    Metadata,
}

/// The files of one server.
#[derive(Debug)]
pub(super) struct RemoteFiles {
    pub(super) profile: ProfileId,
    pub(super) list: ItemList<RemoteFile>,
    pub(super) listing: ListRequest,
    pub(super) uses: JobUsage,
    /// What is known of files beside what the list says.
    pub(super) metadata: MetadataCache,
    metadata_load: SettingLoad,
    pending: Pending<RemoteRequest>,
    polls: StatusPolls,
    pub(super) sort: (RemoteOrder, SortDirection),
    filter: String,
}

impl RemoteFiles {
    pub(super) fn new(profile: ProfileId, sort: (RemoteOrder, SortDirection)) -> Self {
        Self {
            profile,
            list: ItemList::default(),
            listing: ListRequest::default(),
            uses: JobUsage::default(),
            metadata: MetadataCache::default(),
            metadata_load: SettingLoad::default(),
            pending: Pending::default(),
            polls: StatusPolls::default(),
            sort,
            filter: String::new(),
        }
    }

    /// Returns the files of a server whose saved listing, if there is one, belongs to another server.
    pub(super) fn without_saved_list(profile: ProfileId, sort: (RemoteOrder, SortDirection), cx: &mut Cx) -> Self {
        let mut new = Self::new(profile, sort);
        new.load_metadata(cx);
        new
    }

    /// Loads what is known of the files beside what the list says.
    pub(super) fn load_metadata(&mut self, cx: &mut Cx) {
        let ticket = cx.load(Query::Setting(MetadataCache::key(&self.profile)));
        self.pending.insert(ticket, RemoteRequest::Metadata);
        self.metadata_load = SettingLoad::Asked;
    }

    /// Asks for the list, and for the jobs that use its files, unless that is under way.
    pub(super) fn refresh(&mut self, cx: &mut Cx) {
        self.refresh_list(cx);
        if !self.pending.any(|request| *request == RemoteRequest::Jobs) {
            self.call(Call::Jobs, RemoteRequest::Jobs, cx);
        }
    }

    /// Asks for the list, unless that is under way.
    pub(super) fn refresh_list(&mut self, cx: &mut Cx) {
        if !self.is_asking() {
            self.listing.sent(cx.now);
            self.call(Call::Files, RemoteRequest::List, cx);
        }
    }

    /// Asks for the list once more, as the server's files were changed elsewhere: a list on its way may be without that.
    pub(super) fn refresh_changed(&mut self, cx: &mut Cx) {
        if self.stop_listing(cx) || self.listing.at_ms.is_some() {
            self.listing.old = true;
            self.refresh_list(cx);
        }
    }

    /// Asks for the list if the one that is here is not of a moment ago, before files are compared with it.
    pub(super) fn refresh_outdated(&mut self, cx: &mut Cx) {
        if self.listing.is_behind(cx.unix_ms) {
            self.listing.old = true;
            self.refresh_list(cx);
        }
    }

    /// Returns whether a list is on its way and none, or only an old one, is here.
    pub(super) fn awaits_list(&self) -> bool {
        self.is_asking() && (self.listing.at_ms.is_none() || self.listing.old)
    }

    fn call(&mut self, call: Call, request: RemoteRequest, cx: &mut Cx) {
        let ticket = cx.call_to(self.profile.clone(), call);
        self.pending.insert(ticket, request);
    }

    /// Stops asking for the list. Returns whether it was asked for.
    pub(super) fn stop_listing(&mut self, cx: &mut Cx) -> bool {
        let Some(ticket) = self.pending.ticket(|request| *request == RemoteRequest::List) else { return false };
        self.pending.take(ticket);
        cx.cancel(ticket);
        self.listing.stopped();
        true
    }

    /// Ends the countdown of the list's request now. Returns whether there was one.
    pub(super) fn retry_listing_now(&mut self, cx: &mut Cx) -> bool {
        let ticket = self.pending.ticket(|request| *request == RemoteRequest::List);
        let (Some(ticket), Some(_)) = (ticket, self.listing.again.take()) else { return false };
        cx.retry_now(ticket);
        true
    }

    /// Asks for the list when the tab comes to the front, unless the list is recent.
    pub(super) fn enter(&mut self, cx: &mut Cx) {
        if !self.listing.is_young(cx.unix_ms) && !self.listing.is_unsupported() {
            self.refresh(cx);
        }
    }

    /// Loads the saved listing and metadata, unless they are loaded or on their way.
    pub(super) fn load_saved(&mut self, cx: &mut Cx) {
        if !matches!(self.metadata_load, SettingLoad::Asked | SettingLoad::Loaded) {
            self.load_metadata(cx);
            let ticket = cx.load(Query::Setting(SavedListing::key(&self.profile)));
            self.pending.insert(ticket, RemoteRequest::SavedList);
        }
    }

    /// Takes a reply of the store. Returns whether it was for this list.
    pub(super) fn handle_stored(&mut self, ticket: Ticket, stored: &record::Stored) -> bool {
        let Some(request) = self.pending.take(ticket) else { return false };
        let json = if let record::Stored::Rows(Rows::Setting(_, json)) = stored { json.as_ref() } else { None };
        match request {
            RemoteRequest::SavedList => {
                // A list that the server sent meanwhile is newer.
                let saved = json.and_then(|json| SavedListing::read(json.raw()));
                if let Some(saved) = saved.filter(|_| self.listing.at_ms.is_none()) {
                    self.listing.recalled(saved.at_ms);
                    self.list.change_items(|all| *all = saved.files.into_iter().map(RemoteFile::of).collect());
                    self.sort_and_filter();
                }
            }
            RemoteRequest::Metadata => {
                // Data that could not be read is not overwritten.
                let failed = matches!(stored, record::Stored::Failed(_));
                self.metadata_load = if failed { SettingLoad::Unreadable } else { SettingLoad::Loaded };
                self.metadata.fill(json.map_or("[]", Untrusted::raw));
            }
            // These ask the server.
            RemoteRequest::List | RemoteRequest::Jobs | RemoteRequest::Status(_) => {}
        }
        true
    }

    /// Returns whether the server is being asked for the list.
    pub(super) fn is_asking(&self) -> bool {
        self.pending.any(|request| *request == RemoteRequest::List)
    }

    /// Returns whether something was asked for that has not come.
    pub(super) fn is_waiting(&self) -> bool {
        self.pending.any(|_| true)
    }

    /// Returns whether what is shown may be out of date.
    pub(super) fn is_stale(&self) -> bool {
        self.is_asking() || self.listing.is_outdated()
    }

    /// Takes and saves what was learned of a file.
    pub(super) fn save_metadata(&mut self, id: &str, metadata: FileMetadata, cx: &mut Cx) {
        if metadata == FileMetadata::default() || self.metadata.of(id) == Some(&metadata) {
            return;
        }
        self.metadata.put(id, metadata);
        if self.metadata_load == SettingLoad::Loaded {
            cx.save(self.metadata.record(&self.profile));
        }
    }

    /// Takes and saves the hash of a file's content.
    pub(super) fn save_hash(&mut self, id: &str, sha256: &Sha256, cx: &mut Cx) {
        let metadata = self.metadata.of(id).cloned().unwrap_or_default().hashed(sha256);
        self.save_metadata(id, metadata, cx);
    }

    /// Takes progress of a call. Returns whether it was one of this list.
    pub(super) fn handle_progress(&mut self, ticket: Ticket, progress: &Progress, cx: &mut Cx) -> bool {
        let is_last = matches!(progress, Progress::Closed(_));
        let request = if is_last { self.pending.take(ticket) } else { self.pending.get(ticket).cloned() };
        match (request, progress) {
            (None, _) => return false,
            (Some(RemoteRequest::List), Progress::Reply(Reply::Files(files))) => self.listed(files, cx),
            (Some(RemoteRequest::List), other) => self.listing.handle_progress(other),
            (Some(RemoteRequest::Jobs), Progress::Reply(Reply::Jobs(_, jobs))) => {
                self.uses.set_jobs(jobs);
                self.sort_and_filter();
            }
            (Some(RemoteRequest::Jobs), Progress::Closed(Err(why))) => self.uses.failed = Some(why.clone()),
            (Some(RemoteRequest::Status(_)), Progress::Reply(Reply::File(file))) => {
                self.replace(RemoteFile::of(File::clone(file)));
            }
            (Some(RemoteRequest::Status(id)), Progress::Closed(Err(why))) if why.status == Some(404) => {
                self.polls.forget(&id);
                self.mark_gone(&id);
            }
            (Some(RemoteRequest::Status(id)), Progress::Closed(_)) => {
                let is_open = self.list.get(&id).is_some_and(|file| file.status == FileStatus::Uploaded);
                self.polls.ended(&id, is_open, cx.now);
            }
            _ => {}
        }
        true
    }

    fn listed(&mut self, files: &[File], cx: &mut Cx) {
        let going: HashSet<String> =
            self.list.items().iter().filter(|file| file.going).map(|file| file.id.clone()).collect();
        let stored = |file: &File| {
            let file = RemoteFile::of(file.clone());
            RemoteFile { going: going.contains(&file.id), ..file }
        };
        self.list.change_items(|all| *all = files.iter().map(stored).collect());
        self.sort_and_filter();
        self.listing.arrived(cx.unix_ms);
        cx.save(SavedListing::record(&self.profile, cx.unix_ms, files));
        self.polls.watch(self.list.items(), cx.now);
    }

    /// Returns when a file is asked for again.
    pub(super) fn due(&self) -> Option<Instant> {
        self.polls.due()
    }

    /// Asks for files where it is time.
    pub(super) fn tick(&mut self, cx: &mut Cx) {
        for id in self.polls.take_due(cx.now) {
            self.call(Call::File(id.clone()), RemoteRequest::Status(id), cx);
        }
    }

    /// Adds a file that was uploaded, or puts one that was looked at in place of what was known of it.
    pub(super) fn put(&mut self, file: RemoteFile, now: Instant) {
        if self.list.get(&file.id).is_some() {
            return self.replace(file);
        }
        self.list.change_items(|all| all.push(file));
        self.sort_and_filter();
        self.polls.watch(self.list.items(), now);
    }

    fn replace(&mut self, file: RemoteFile) {
        if let Some(old) = self.list.get_mut(&file.id) {
            *old = RemoteFile { going: old.going, ..file };
        }
        self.sort_and_filter();
    }

    /// Marks a file that the server does not have any more.
    pub(super) fn mark_gone(&mut self, id: &str) {
        self.list.unmark(id);
        if let Some(file) = self.list.get_mut(id) {
            (file.status, file.going) = (FileStatus::DeletedElsewhere, false);
        }
        self.sort_and_filter();
    }

    /// Removes a file that was deleted.
    pub(super) fn remove(&mut self, id: &str) {
        self.polls.forget(id);
        self.list.change_items(|all| all.retain(|file| file.id != id));
        self.sort_and_filter();
    }

    /// Notes that the deletion of a file begins, or has failed.
    pub(super) fn set_deleting(&mut self, id: &str, going: bool) {
        if let Some(file) = self.list.get_mut(id) {
            file.going = going;
        }
    }

    /// Ids of files whose name others have, too.
    pub(super) fn ids_with_shared_name(&self) -> HashSet<&str> {
        let mut names: HashMap<&str, usize> = HashMap::new();
        for file in self.list.items() {
            *names.entry(file.name.raw()).or_default() += 1;
        }
        let twins = self.list.items().iter().filter(|file| names.get(file.name.raw()).is_some_and(|count| *count > 1));
        twins.map(|file| file.id.as_str()).collect()
    }

    /// Returns the bytes of all files, without those deleted elsewhere.
    pub(super) fn total_bytes(&self) -> u64 {
        let here = self.list.items().iter().filter(|file| file.status != FileStatus::DeletedElsewhere);
        here.fold(0, |sum, file| sum.saturating_add(file.bytes))
    }

    /// Sorts and filters again; the cursor stays on its file.
    fn sort_and_filter(&mut self) {
        let (words, (by, direction), uses) = (self.filter.to_lowercase(), self.sort, &self.uses);
        let has = |text: &str| text.to_lowercase().contains(&words);
        let shows =
            |file: &RemoteFile| words.is_empty() || has(file.name.raw()) || has(file.purpose.raw()) || has(&file.id);
        self.list.filter_and_sort(shows, |files, shown| {
            let name = |at: &usize| (files[*at].name.raw().to_lowercase(), files[*at].id.as_str());
            match by {
                RemoteOrder::Name => shown.sort_by_cached_key(name),
                RemoteOrder::Size => shown.sort_by_cached_key(|at| (files[*at].bytes, name(at))),
                RemoteOrder::Purpose => shown.sort_by_cached_key(|at| (files[*at].purpose.raw(), name(at))),
                RemoteOrder::Created => shown.sort_by_cached_key(|at| (files[*at].created_ms, name(at))),
                RemoteOrder::FileStatus => shown.sort_by_cached_key(|at| (rank(&files[*at].status), name(at))),
                RemoteOrder::Used => shown.sort_by_cached_key(|at| (uses.rank(&files[*at].id), name(at))),
            }
            if direction == SortDirection::Descending {
                shown.reverse();
            }
        });
    }

    pub(super) fn sort_by(&mut self, sort: (RemoteOrder, SortDirection)) {
        self.sort = sort;
        self.sort_and_filter();
    }

    pub(super) fn filter(&self) -> &str {
        &self.filter
    }

    /// Shows only files whose name, purpose or id has these words.
    pub(super) fn set_filter(&mut self, words: &str) {
        words.clone_into(&mut self.filter);
        self.sort_and_filter();
    }

    /// Marks the file under the cursor, or takes the mark away, and continues.
    pub(super) fn mark(&mut self) {
        if let Some(id) = self.list.selected_item().map(|file| file.id.clone())
            && !self.list.unmark(&id)
        {
            self.list.mark(&id);
        }
        self.list.view.move_by(1, self.list.len());
    }

    /// Returns the marked files, else the one under the cursor; in the order shown.
    pub(super) fn picked(&self) -> Vec<RemoteFile> {
        self.list.marked_or_selected().into_iter().cloned().collect()
    }
}
