//! Holds the tab's parts and passes replies on to the part that asked.

use std::time::Instant;

use super::clock::EventClock;
use super::delete::DeleteQueue;
use super::dialogs::Answer;
use super::layout::PaneDensity;
use super::local::LocalFolder;
use super::pages::PageStack;
use super::panes::{ListPanes, ListSide};
use super::persistence::Persistence;
use super::preview_target::PreviewPane;
use super::servers::Servers;
use super::transfers::Transfers;
use crate::api::call::{Progress, Ticket};
use crate::component::{Component, Cx, Modals, Notice, Pending, Session};
use crate::record::Stored;
use crate::record::work::Done;
use crate::ui::table::TableView;

/// Requests of the tab itself; its parts keep their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// Load the saved view.
    View,
    /// Write a sample file.
    Sample,
}

/// The tab's state.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) local: LocalFolder,
    pub(super) servers: Servers,
    pub(super) panes: ListPanes,
    pub(super) transfers: Transfers,
    pub(super) preview: PreviewPane,
    pub(super) saved: Persistence,
    pub(super) clock: EventClock,
    pub(super) modals: Modals<Answer>,
    pub(super) pages: PageStack,
    /// Deletions under way.
    pub(super) deleting: Option<DeleteQueue>,
    pub(super) pending: Pending<Request>,
    /// Whether neither a key nor the mouse was used since the last upload was started.
    pub(super) no_input_since_upload: bool,
}

impl State {
    /// Shows the files of the profile in use.
    pub(super) fn switch_profile(&mut self, session: &Session) {
        self.servers.switch(session, self.saved.view.server_sort());
    }

    /// Asks the server for the files of the profile in use, and the store for their saved details.
    pub(super) fn open_server(&mut self, cx: &mut Cx) {
        let remote = self.servers.current_mut();
        remote.load_saved(cx);
        remote.enter(cx);
    }

    /// Loads what the tab shows when it comes to the front.
    pub(super) fn enter(&mut self, cx: &mut Cx) {
        if !self.saved.is_loaded() {
            self.switch_profile(cx.session);
            if let Some(ticket) = self.saved.ask(cx) {
                self.pending.insert(ticket, Request::View);
            }
            return;
        }
        if !self.local.is_asking() {
            self.local.refresh(cx);
        }
        self.open_server(cx);
    }

    /// Takes an answer of the store: saved details of files, or the saved view, with which the tab opens its folder.
    pub(super) fn handle_stored(&mut self, ticket: Ticket, stored: Stored, cx: &mut Cx) {
        if self.servers.handle_stored(ticket, &stored) {
            if let Stored::Failed(why) = stored {
                cx.notify(Notice::error(format!("the saved details of files could not be read: {}", why.line())));
            }
            return;
        }
        if self.pending.take(ticket) != Some(Request::View) {
            return;
        }
        if let Err(why) = self.saved.handle_stored(stored) {
            cx.notify(Notice::error(format!("the saved order of the lists could not be read: {}", why.line())));
        }
        let view = &self.saved.view;
        (self.local.hidden, self.local.sort) = (view.hidden, view.local_sort());
        self.servers.current_mut().sort_by(view.server_sort());
        self.local.go_to(view.folder.clone(), None, cx);
        self.open_server(cx);
        if let Some(path) = self.saved.offered.take() {
            self.show_local(&path, cx);
        }
    }

    /// Takes a result of the work threads and passes it to the part that asked for it.
    pub(super) fn handle_worked(&mut self, ticket: Ticket, done: Done, cx: &mut Cx) {
        if self.local.handle_worked(ticket, &done) {
            if self.saved.tries_folder && self.local.failed.take().is_some() {
                self.local.go_to(String::new(), None, cx);
            }
            self.saved.tries_folder = false;
            // The contents of a folder may have changed.
            self.preview.close_folder(cx);
            self.preview.rest = Some(cx.now);
            return;
        }
        if self.preview.handle_worked(ticket, &done) {
            return;
        }
        if self.pending.take(ticket) == Some(Request::Sample) {
            return self.sample_written(&done, cx);
        }
        self.plan_worked(ticket, &done, cx);
    }

    /// Takes a part of a server's answer and passes it to the part that asked for it.
    pub(super) fn handle_progress(&mut self, ticket: Ticket, progress: Progress, cx: &mut Cx) {
        if self.servers.handle_progress(ticket, &progress, cx) {
            return self.plan_listed(cx);
        }
        if self.plan_progress(ticket, &progress, cx) || self.deleted(ticket, &progress, cx) {
            return;
        }
        if let Some(outcome) = self.transfers.handle_progress(ticket, progress, cx) {
            self.handle_transfer_outcome(outcome, cx);
        }
    }

    /// Returns the cursor of the list with the keys, and how many rows it has.
    pub(super) fn list(&mut self) -> (&mut TableView, usize) {
        match self.panes.side {
            ListSide::Local => {
                let len = self.local.list.len();
                (&mut self.local.list.view, len)
            }
            ListSide::Server => {
                let remote = self.servers.current_mut();
                let len = remote.list.len();
                (&mut remote.list.view, len)
            }
        }
    }

    /// Returns when the tab next has to be drawn or to act without an event.
    pub(super) fn due(&self) -> Option<Instant> {
        let seen = self.clock.seen?;
        let spins =
            self.servers.current().filter(|remote| remote.is_asking()).map(|_| seen + crate::ui::meter::SPINNER_FRAME);
        let looks = self.servers.due();
        let preview = self.preview.open.as_ref().and_then(|(_, preview)| preview.due());
        let page = self.pages.check.as_ref().and_then(Component::due);
        let rest = self.preview.rest.filter(|_| self.panes.layout.density != PaneDensity::One);
        [spins, looks, preview, page, rest, self.transfers.due(seen)].into_iter().flatten().min()
    }

    /// Does what is due: asks for lists again, lets the preview and the check page continue, and opens the preview of
    /// the file under the cursor.
    pub(super) fn tick(&mut self, cx: &mut Cx) {
        self.servers.tick(cx);
        if let Some((_, preview)) = &mut self.preview.open
            && preview.due().is_some_and(|due| due <= cx.now)
        {
            preview.tick(cx);
        }
        if let Some(page) = &mut self.pages.check
            && page.due().is_some_and(|due| due <= cx.now)
        {
            page.tick(cx);
        }
        if self.preview.rest.take_if(|at| *at <= cx.now).is_some() {
            self.follow(cx);
        }
    }

    /// Saves the folder and how the lists are sorted, if they changed.
    pub(super) fn save_view(&mut self, cx: &mut Cx) {
        if !self.saved.is_loaded() {
            return;
        }
        let before = self.saved.view.clone();
        self.saved.view.folder = self.local.path.raw().to_owned();
        self.saved.view.hidden = self.local.hidden;
        self.saved
            .view
            .set_sorts(self.local.sort, self.servers.current().map_or(before.server_sort(), |remote| remote.sort));
        if self.saved.view != before {
            self.saved.record(cx);
        }
    }
}
