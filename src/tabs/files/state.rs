//! The tab's state, and where replies go.

use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent};

use super::batch_summary::BatchSummary;
use super::clock::EventClock;
use super::delete::DeleteQueue;
use super::dialogs::Answer;
use super::layout::{PaneDensity, PaneTarget};
use super::local::LocalFolder;
use super::pages::PageStack;
use super::panes::{ListPanes, ListSide, PaneFocus};
use super::persistence::Persistence;
use super::preview_target::PreviewPane;
use super::remote_files::RemoteFile;
use super::servers::Servers;
use super::transfer::TransferOutcome;
use super::transfers::Transfers;
use crate::api::call::{Progress, Ticket};
use crate::component::{Component, Cx, Modals, Motion, Notice, Pending, Session};
use crate::record::Stored;
use crate::record::work::Done;
use crate::settings::ProfileId;
use crate::text::Untrusted;
use crate::ui::table::{SortDirection, TableView};

/// What the tab itself asked for; its parts know what they asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// Where the user was, and how the lists are sorted.
    View,
    /// A sample file is written.
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
    /// Whether nothing was pressed since an upload was put in line.
    pub(super) untouched: bool,
}

impl State {
    /// Shows the files of the profile in use.
    pub(super) fn switch_profile(&mut self, session: &Session) {
        self.servers.switch(session, self.saved.view.server_sort());
    }

    /// Asks for the files of the profile in use, and for what was learnt of them before.
    pub(super) fn open_server(&mut self, cx: &mut Cx) {
        let remote = self.servers.current_mut();
        remote.load_saved(cx);
        remote.enter(cx);
    }

    /// Has come to the front.
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

    pub(super) fn stored(&mut self, ticket: Ticket, stored: Stored, cx: &mut Cx) {
        if self.servers.stored(ticket, &stored) {
            if let Stored::Failed(why) = stored {
                cx.notify(Notice::error(format!("the saved details of files could not be read: {}", why.line())));
            }
            return;
        }
        if self.pending.take(ticket) != Some(Request::View) {
            return;
        }
        if let Err(why) = self.saved.stored(stored) {
            cx.notify(Notice::error(format!("the saved order of the lists could not be read: {}", why.line())));
        }
        let view = &self.saved.view;
        (self.local.hidden, self.local.sort) = (view.hidden, view.local_sort());
        self.servers.current_mut().sort_by(view.server_sort());
        self.local.go(view.folder.clone(), None, cx);
        self.open_server(cx);
        if let Some(path) = self.saved.offered.take() {
            self.show_local(&path, cx);
        }
    }

    pub(super) fn worked(&mut self, ticket: Ticket, done: Done, cx: &mut Cx) {
        if self.local.worked(ticket, &done) {
            if self.saved.tries_folder && self.local.failed.take().is_some() {
                self.local.go(String::new(), None, cx);
            }
            self.saved.tries_folder = false;
            // The contents of a folder may have changed.
            self.preview.close_folder(cx);
            self.preview.rest = Some(cx.now);
            return;
        }
        if self.preview.worked(ticket, &done) {
            return;
        }
        if self.pending.take(ticket) == Some(Request::Sample) {
            return self.sample_written(&done, cx);
        }
        self.plan_worked(ticket, &done, cx);
    }

    pub(super) fn progress(&mut self, ticket: Ticket, progress: Progress, cx: &mut Cx) {
        if self.servers.progress(ticket, &progress, cx) {
            return self.plan_listed(cx);
        }
        if self.plan_progress(ticket, &progress, cx) || self.deleted(ticket, &progress, cx) {
            return;
        }
        if self.transfers.is_one(ticket)
            && let Some(ended) = self.transfers.progress(ticket, progress, cx)
        {
            self.ended(ended, cx);
        }
    }

    /// A transfer is over.
    fn ended(&mut self, ended: TransferOutcome, cx: &mut Cx) {
        match ended {
            TransferOutcome::Uploaded { profile, metadata, file, sha256 } => {
                let metadata = metadata.hashed(&sha256);
                let stored = RemoteFile::of(*file);
                let on = server(&profile, cx.session);
                let (mut words, mut paired) = (format!("{} uploaded to {}", stored.name.line(), on.line()), false);
                if let Some(remote) = self.servers.of_mut(&profile) {
                    let id = stored.id.clone();
                    remote.learn(&id, metadata, cx);
                    remote.put(stored, cx.now);
                    // With the other part of a file that was parted it can be trained with: one key from here.
                    let both = super::training_offer::both_parts(remote, &id);
                    if let Some((train, said)) = both.map(|(train, valid)| {
                        let said = format!("{} and {} uploaded to {}", train.name.line(), valid.name.line(), on.line());
                        (train.id.clone(), said)
                    }) {
                        (words, paired) = (said + "; o trains with both", true);
                        // Whoever pressed something since is where they want to be.
                        if self.untouched {
                            self.servers.current_mut().list.select(&train);
                            self.panes.focus_list(ListSide::Server);
                        }
                    }
                }
                cx.notify(self.transfers.summary.uploaded(&on.line(), words, paired));
            }
            TransferOutcome::Downloaded { profile, id, file } => {
                if let Some(remote) = self.servers.of_mut(&profile) {
                    let metadata = remote.metadata.of(&id).cloned().unwrap_or_default().hashed(&file.sha256);
                    remote.learn(&id, metadata, cx);
                }
                let path = file.path.to_string_lossy().into_owned();
                let words = Untrusted::from(format!("saved {path}"));
                cx.notify(self.transfers.summary.downloaded(words));
                if super::local::split(&path).is_some_and(|(folder, _)| folder == self.local.path.raw()) {
                    self.local.refresh(cx);
                }
            }
            TransferOutcome::Failed { profile, name, why, id } => {
                cx.notify(self.transfers.summary.failed(format!("{}: {}", name.line(), why.sentence.line())));
                if let Some(id) = id.filter(|_| why.status == Some(404))
                    && let Some(remote) = self.servers.of_mut(&profile)
                {
                    remote.gone(&id);
                }
            }
        }
        if self.transfers.open() == 0 {
            // What begins from here on is another batch.
            self.transfers.summary = BatchSummary::default();
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

    /// Returns when something changes by itself.
    pub(super) fn due(&self) -> Option<Instant> {
        let seen = self.clock.seen?;
        let spins =
            self.servers.current().filter(|remote| remote.is_asking()).map(|_| seen + crate::ui::meter::SPINNER_FRAME);
        let looks = self.servers.due();
        let preview = self.preview.open.as_ref().and_then(|(_, preview)| preview.due());
        let page = self.pages.check.as_ref().and_then(Component::due);
        let rest = self.preview.rest.filter(|_| self.panes.layout.density != PaneDensity::Narrow);
        [spins, looks, preview, page, rest, self.transfers.due(seen)].into_iter().flatten().min()
    }

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

    /// The mouse: turned by so many rows, or pressed (0).
    pub(super) fn pointed(&mut self, target: PaneTarget, by: isize, cx: &mut Cx) {
        match target {
            PaneTarget::Preview => {
                let Some((_, preview)) = &mut self.preview.open else { return };
                if by == 0 {
                    self.panes.focus = PaneFocus::Preview;
                } else if !preview.typing() {
                    let code = if by < 0 { KeyCode::Up } else { KeyCode::Down };
                    let _ = preview.key(KeyEvent::from(code), cx);
                }
            }
            PaneTarget::Transfers(row) => {
                self.panes.focus = PaneFocus::Transfers;
                match (by, row) {
                    (0, 1..) => self.transfers.cursor.selected = self.transfers.cursor.top + usize::from(row) - 1,
                    (0, _) => {}
                    _ => self.go(if by < 0 { Motion::Up } else { Motion::Down }),
                }
            }
            PaneTarget::List(side, row) => {
                self.panes.focus_list(side);
                let (view, len) = self.list();
                match (by, row) {
                    (0, 1..) => {
                        let at = view.cursor.top + usize::from(row) - 1;
                        view.cursor.selected = at.min(len.saturating_sub(1));
                    }
                    (0, _) => {}
                    _ => view.by(by, len),
                }
            }
        }
        self.preview.rested(cx.now);
    }

    /// Keeps where the user is.
    pub(super) fn keep(&mut self, cx: &mut Cx) {
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

    /// Sorts the list with the keys by its next column, or the other way round.
    pub(super) fn sort(&mut self, turn: bool, cx: &mut Cx) {
        let round = |way: SortDirection| {
            if way == SortDirection::Ascending { SortDirection::Descending } else { SortDirection::Ascending }
        };
        match self.panes.side {
            ListSide::Local => {
                let (by, way) = self.local.sort;
                self.local.sort_by(if turn { (by, round(way)) } else { by.next() });
            }
            ListSide::Server => {
                let (by, way) = self.servers.current_mut().sort;
                self.servers.current_mut().sort_by(if turn { (by, round(way)) } else { by.next() });
            }
        }
        self.keep(cx);
    }
}

/// Returns a server by the name of its profile.
pub(super) fn server(profile: &ProfileId, session: &Session) -> Untrusted {
    if *profile == session.profile {
        return session.profile_name.clone();
    }
    let name = session.profiles.iter().find(|(id, _)| id == profile).map(|(_, name)| name.clone());
    name.unwrap_or_else(|| profile.0.as_str().into())
}
