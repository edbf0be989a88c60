//! The file lists of all profiles that were in use here.

use super::remote_file::RemoteOrder;
use super::remote_files::RemoteFiles;
use crate::api::call::{Progress, Ticket};
use crate::component::{Cx, Session};
use crate::record;
use crate::settings::ProfileId;
use crate::ui::table::SortDirection;

/// The file lists of servers, and which profile is in use.
#[derive(Debug, Default)]
pub(super) struct Servers {
    all: Vec<RemoteFiles>,
    /// The profile in use.
    pub(super) profile: ProfileId,
}

impl Servers {
    /// Changes to the session's profile.
    pub(super) fn switch(&mut self, session: &Session, order: (RemoteOrder, SortDirection)) {
        self.profile = session.profile.clone();
        if self.current().is_none() {
            self.all.push(RemoteFiles::new(self.profile.clone(), order));
        }
    }

    /// Drops what is listed of a profile: it has another server.
    pub(super) fn forget(&mut self, profile: &ProfileId, order: (RemoteOrder, SortDirection), cx: &mut Cx) {
        self.all.retain(|remote| remote.profile != *profile);
        // A list exists from now on, so that the saved one, which is of the former server, is not loaded.
        self.all.push(RemoteFiles::without_saved_list(profile.clone(), order, cx));
    }

    /// Returns the files of the profile in use.
    pub(super) fn current(&self) -> Option<&RemoteFiles> {
        self.of(&self.profile)
    }

    /// Returns the same, to be changed. There is one after [`Servers::switch`].
    pub(super) fn current_mut(&mut self) -> &mut RemoteFiles {
        let at = self.all.iter().position(|remote| remote.profile == self.profile);
        let at = at.unwrap_or_else(|| {
            self.all.push(RemoteFiles::new(self.profile.clone(), (RemoteOrder::Created, SortDirection::Descending)));
            self.all.len() - 1
        });
        &mut self.all[at]
    }

    /// Returns the files of a profile, where they were ever looked at.
    pub(super) fn of(&self, profile: &ProfileId) -> Option<&RemoteFiles> {
        self.all.iter().find(|remote| remote.profile == *profile)
    }

    /// Returns the same, to be changed.
    pub(super) fn of_mut(&mut self, profile: &ProfileId) -> Option<&mut RemoteFiles> {
        self.all.iter_mut().find(|remote| remote.profile == *profile)
    }

    /// Takes a reply of the store. Returns whether one of them asked for it.
    pub(super) fn handle_stored(&mut self, ticket: Ticket, stored: &record::Stored) -> bool {
        self.all.iter_mut().any(|remote| remote.handle_stored(ticket, stored))
    }

    /// Takes a part of a call. Returns whether it is one of theirs.
    pub(super) fn handle_progress(&mut self, ticket: Ticket, progress: &Progress, cx: &mut Cx) -> bool {
        self.all.iter_mut().any(|remote| remote.handle_progress(ticket, progress, cx))
    }

    /// Returns when the status of a file is asked for again.
    pub(super) fn due(&self) -> Option<std::time::Instant> {
        self.all.iter().filter_map(RemoteFiles::due).min()
    }

    /// Asks for what is due.
    pub(super) fn tick(&mut self, cx: &mut Cx) {
        self.all.iter_mut().for_each(|remote| remote.tick(cx));
    }
}
