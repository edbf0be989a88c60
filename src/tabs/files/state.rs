//! What the tab knows: both panes, transfers, what lies over them; and what comes in for each.

use std::collections::HashMap;
use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent};
use jiff::tz::TimeZone;

use super::batch_summary::BatchSummary;
use super::check;
use super::delete::DeleteQueue;
use super::dialogs::Answer;
use super::layout::{PaneDensity, PaneLayout, PaneTarget};
use super::local::LocalFolder;
use super::metadata::FileMetadata;
use super::persistence::{self, SavedView};
use super::plan::UploadPlan;
use super::preview::Preview;
use super::preview_target::PreviewTarget;
use super::remote_files::{RemoteFile, RemoteFiles};
use super::transfers::{TransferOutcome, Transfers};
use crate::api::call::{Progress, Ticket};
use crate::component::{Cx, Modals, Notice, Session};
use crate::record::work::Done;
use crate::record::{Query, Rows, Stored};
use crate::settings::ProfileId;
use crate::text::Untrusted;
use crate::ui::line::Line;
use crate::ui::table::{View, Way};

/// Which of both lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ListSide {
    #[default]
    Local,
    Server,
}

/// Where the keys go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum PaneFocus {
    /// The list of [`State::side`].
    #[default]
    List,
    Preview,
    Transfers,
}

/// The tab's state.
#[derive(Debug)]
pub(super) struct State {
    pub(super) local: LocalFolder,
    /// Of each profile that was in use here.
    remotes: Vec<RemoteFiles>,
    /// The profile in use.
    pub(super) profile: ProfileId,
    /// Whether the last frame was drawn for another one.
    pub(super) moved: bool,
    pub(super) side: ListSide,
    pub(super) focus: PaneFocus,
    pub(super) transfers: Transfers,
    pub(super) summary: BatchSummary,
    pub(super) preview: Option<(PreviewTarget, Preview)>,
    /// When the file under the cursor is looked into.
    pub(super) rest: Option<Instant>,
    /// Words to filter by, while they are typed.
    pub(super) filtering: Option<Line>,
    pub(super) saved: SavedView,
    /// What was asked of the store.
    asked_saved: Option<Ticket>,
    /// Whether what was kept is known.
    pub(super) loaded: bool,
    /// Whether what was kept could not be read: it is not written over.
    unread: bool,
    /// Whether the folder asked for is the one kept: if it is gone, there is another to begin with.
    tries_kept: bool,
    pub(super) zone: TimeZone,
    /// A local file that was handed over before the tab was ready for it.
    pub(super) offered: Option<String>,
    /// When something was last heard: countdowns are told from there on.
    pub(super) seen: Option<Instant>,
    pub(super) now_ms: i64,
    pub(super) modals: Modals<Answer>,
    /// An upload before it begins.
    pub(super) plan: Option<Box<UploadPlan>>,
    /// The check page, in place of all panes.
    pub(super) check: Option<check::Page>,
    /// A check page that something else stands before: it is as it was left.
    pub(super) aside: Option<check::Page>,
    /// A plan whose file is on the check page: it comes back after it.
    pub(super) planned: Option<Box<UploadPlan>>,
    /// Deletions under way.
    pub(super) deleting: Option<DeleteQueue>,
    /// What was learnt of local files that are being uploaded, by their paths.
    pub(super) learnt: HashMap<String, FileMetadata>,
    /// Whether nothing was pressed since an upload was put in line.
    pub(super) untouched: bool,
    pub(super) layout: PaneLayout,
}

impl Default for State {
    fn default() -> Self {
        Self {
            local: LocalFolder::default(),
            remotes: Vec::new(),
            profile: ProfileId::default(),
            moved: false,
            side: ListSide::Local,
            focus: PaneFocus::List,
            transfers: Transfers::default(),
            summary: BatchSummary::default(),
            preview: None,
            rest: None,
            filtering: None,
            saved: SavedView::default(),
            asked_saved: None,
            loaded: false,
            unread: false,
            tries_kept: false,
            zone: TimeZone::system(),
            offered: None,
            seen: None,
            now_ms: 0,
            modals: Modals::default(),
            plan: None,
            check: None,
            aside: None,
            planned: None,
            deleting: None,
            learnt: HashMap::new(),
            untouched: false,
            layout: PaneLayout::default(),
        }
    }
}

impl State {
    /// Brings what is known of the world up to date: before each event.
    pub(super) fn sync(&mut self, cx: &mut Cx) {
        self.seen = Some(cx.now);
        self.now_ms = cx.unix_ms;
        self.moved = false;
        if self.remotes.is_empty() || self.profile != cx.session.profile {
            self.profile = cx.session.profile.clone();
            let sort = self.saved.server_sort();
            if !self.remotes.iter().any(|remote| remote.profile == self.profile) {
                self.remotes.push(RemoteFiles::new(self.profile.clone(), sort));
            }
            if self.loaded {
                self.remote_mut().recall(cx);
                self.remote_mut().enter(cx);
            }
        }
    }

    /// Whether the profile in use is another than the tab thinks.
    pub(super) fn is_behind(&self, session: &Session) -> bool {
        self.loaded && self.profile != session.profile
    }

    /// Has come to the front.
    pub(super) fn enter(&mut self, cx: &mut Cx) {
        if !self.loaded {
            if self.asked_saved.is_none() {
                self.asked_saved = Some(cx.load(Query::Setting(persistence::SAVED_VIEW.into())));
            }
            return;
        }
        if !self.local.is_asking() {
            self.local.refresh(cx);
        }
        self.remote_mut().enter(cx);
    }

    /// The files of the profile in use.
    pub(super) fn remote(&self) -> Option<&RemoteFiles> {
        self.remotes.iter().find(|remote| remote.profile == self.profile)
    }

    /// The same, to be changed. There is one after [`State::sync`].
    pub(super) fn remote_mut(&mut self) -> &mut RemoteFiles {
        let at = self.remotes.iter().position(|remote| remote.profile == self.profile);
        let at = at.unwrap_or_else(|| {
            self.remotes.push(RemoteFiles::new(self.profile.clone(), self.saved.server_sort()));
            self.remotes.len() - 1
        });
        &mut self.remotes[at]
    }

    pub(super) fn remote_of(&self, profile: &ProfileId) -> Option<&RemoteFiles> {
        self.remotes.iter().find(|remote| remote.profile == *profile)
    }

    /// The files of a profile, where they were ever looked at.
    pub(super) fn remote_of_mut(&mut self, profile: &ProfileId) -> Option<&mut RemoteFiles> {
        self.remotes.iter_mut().find(|remote| remote.profile == *profile)
    }

    pub(super) fn stored(&mut self, ticket: Ticket, stored: Stored, cx: &mut Cx) {
        if self.remotes.iter_mut().any(|remote| remote.stored(ticket, &stored)) {
            if let Stored::Failed(why) = stored {
                cx.notify(Notice::error(format!("what was known of files could not be read: {}", why.line())));
            }
            return;
        }
        if self.asked_saved.take_if(|asked| *asked == ticket).is_none() {
            return;
        }
        match stored {
            Stored::Rows(Rows::Setting(_, Some(json))) => self.saved = SavedView::read(json.raw()),
            Stored::Failed(why) => {
                self.unread = true;
                cx.notify(Notice::error(format!("the order of the lists could not be read: {}", why.line())));
            }
            _ => {}
        }
        self.loaded = true;
        self.local.hidden = self.saved.hidden;
        self.local.sort = self.saved.local_sort();
        let sort = self.saved.server_sort();
        self.remote_mut().sort_by(sort);
        self.tries_kept = !self.saved.folder.is_empty();
        self.local.go(self.saved.folder.clone(), None, cx);
        self.remote_mut().recall(cx);
        self.remote_mut().enter(cx);
        if let Some(path) = self.offered.take() {
            self.show_local(&path, cx);
        }
    }

    pub(super) fn worked(&mut self, ticket: Ticket, done: Done, cx: &mut Cx) {
        if self.local.worked(ticket, &done) {
            if self.tries_kept && self.local.failed.take().is_some() {
                self.local.go(String::new(), None, cx);
            }
            self.tries_kept = false;
            self.rest = Some(cx.now);
            return;
        }
        if self.dialog_worked(ticket, &done, cx) {
            return;
        }
        if let Some((_, preview)) = &mut self.preview
            && preview.worked(ticket, done.clone(), cx)
        {
            return;
        }
        for page in [&mut self.check, &mut self.aside].into_iter().flatten() {
            if page.worked(ticket, done.clone(), cx) {
                return;
            }
        }
    }

    pub(super) fn progress(&mut self, ticket: Ticket, progress: Progress, cx: &mut Cx) {
        for remote in &mut self.remotes {
            if remote.progress(ticket, &progress, cx) {
                return self.plan_listed(cx);
            }
        }
        if self.plan_progress(ticket, &progress, cx) || self.deleted(ticket, &progress, cx) {
            return;
        }
        if self.transfers.is_one(ticket) {
            if let Some(ended) = self.transfers.progress(ticket, progress, cx) {
                self.ended(ended, cx);
            }
            return;
        }
        if let Some((_, preview)) = &mut self.preview {
            preview.progress(ticket, progress, cx);
        }
    }

    /// A transfer is over.
    fn ended(&mut self, ended: TransferOutcome, cx: &mut Cx) {
        match ended {
            TransferOutcome::Uploaded { profile, path, file, sha256 } => {
                let metadata = self.learnt.remove(&path).unwrap_or_default().hashed(&sha256);
                let stored = RemoteFile::of(*file);
                let on = server(&profile, cx.session);
                let (mut words, mut paired) = (format!("{} is on {}", stored.name.line(), on.line()), false);
                if let Some(remote) = self.remote_of_mut(&profile) {
                    let id = stored.id.clone();
                    remote.learn(&id, metadata, cx);
                    remote.put(stored, cx.now);
                    // With the other part of a file that was parted it can be trained with: one key from here.
                    let both = super::handoff::pair(remote, &id);
                    if let Some((train, said)) = both.map(|(train, valid)| {
                        let said = format!("{} and {} are on {}", train.name.line(), valid.name.line(), on.line());
                        (train.id.clone(), said)
                    }) {
                        (words, paired) = (said + "; o trains with both", true);
                        // Whoever pressed something since is where they want to be.
                        if self.untouched {
                            self.remote_mut().point(&train);
                            (self.side, self.focus) = (ListSide::Server, PaneFocus::List);
                        }
                    }
                }
                cx.notify(self.summary.uploaded(&on.line(), words, paired));
            }
            TransferOutcome::Downloaded { profile, id, file } => {
                if let Some(remote) = self.remote_of_mut(&profile) {
                    let metadata = remote.metadata.of(&id).cloned().unwrap_or_default().hashed(&file.sha256);
                    remote.learn(&id, metadata, cx);
                }
                let path = file.path.to_string_lossy().into_owned();
                let words = Untrusted::from(format!("saved {path}"));
                cx.notify(self.summary.downloaded(words));
                if super::local::split(&path).is_some_and(|(folder, _)| folder == self.local.path.raw()) {
                    self.local.refresh(cx);
                }
            }
            TransferOutcome::Failed { profile, name, why, id } => {
                cx.notify(self.summary.failed(format!("{}: {}", name.line(), why.sentence.line())));
                if let Some(id) = id.filter(|_| why.status == Some(404))
                    && let Some(remote) = self.remote_of_mut(&profile)
                {
                    remote.gone(&id);
                }
            }
        }
        if self.transfers.open() == 0 {
            // What begins from here on is another batch.
            self.summary = BatchSummary::default();
        }
    }

    /// The cursor of the list with the keys, and how many rows it has.
    pub(super) fn list(&mut self) -> (&mut View, usize) {
        match self.side {
            ListSide::Local => {
                let len = self.local.len();
                (&mut self.local.view, len)
            }
            ListSide::Server => {
                let remote = self.remote_mut();
                let len = remote.len();
                (&mut remote.view, len)
            }
        }
    }

    /// When something changes by itself.
    pub(super) fn due(&self) -> Option<Instant> {
        let seen = self.seen?;
        let behind = self.moved.then_some(seen);
        let spins = self.remote().filter(|remote| remote.is_asking()).map(|_| seen + crate::ui::meter::SPINNER_FRAME);
        let looks = self.remotes.iter().filter_map(RemoteFiles::due).min();
        let preview = self.preview.as_ref().and_then(|(_, preview)| preview.due());
        let page = self.check.as_ref().and_then(check::Page::due);
        let rest = self.rest.filter(|_| self.layout.density != PaneDensity::Narrow);
        [behind, spins, looks, preview, page, rest, self.transfers.due(seen)].into_iter().flatten().min()
    }

    pub(super) fn tick(&mut self, cx: &mut Cx) {
        for remote in &mut self.remotes {
            remote.tick(cx);
        }
        if let Some((_, preview)) = &mut self.preview
            && preview.due().is_some_and(|due| due <= cx.now)
        {
            preview.tick(cx);
        }
        if let Some(page) = &mut self.check
            && page.due().is_some_and(|due| due <= cx.now)
        {
            page.tick(cx);
        }
        if self.rest.take_if(|at| *at <= cx.now).is_some() {
            self.follow(cx);
        }
    }

    /// The mouse: turned by so many rows, or pressed (0).
    pub(super) fn pointed(&mut self, target: PaneTarget, by: isize, cx: &mut Cx) {
        match target {
            PaneTarget::Preview => {
                let Some((_, preview)) = &mut self.preview else { return };
                if by == 0 {
                    self.focus = PaneFocus::Preview;
                } else if !preview.typing() {
                    let code = if by < 0 { KeyCode::Up } else { KeyCode::Down };
                    preview.key(KeyEvent::from(code), cx);
                }
            }
            PaneTarget::Transfers(row) => {
                self.focus = PaneFocus::Transfers;
                match (by, row) {
                    (0, 1..) => self.transfers.cursor.selected = self.transfers.cursor.top + usize::from(row) - 1,
                    (0, _) => {}
                    _ => self.step(by),
                }
            }
            PaneTarget::List(side, row) => {
                (self.focus, self.side) = (PaneFocus::List, side);
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
        self.rested(cx.now);
    }

    /// Keeps where the user is.
    pub(super) fn keep(&mut self, cx: &mut Cx) {
        if !self.loaded {
            return;
        }
        let before = self.saved.clone();
        self.saved.folder = self.local.path.raw().to_owned();
        self.saved.hidden = self.local.hidden;
        self.saved.set_sorts(self.local.sort, self.remote().map_or(before.server_sort(), |remote| remote.sort));
        if self.saved != before {
            self.record(cx);
        }
    }

    /// Keeps what is to be kept, unless what is there could not be read.
    pub(super) fn record(&self, cx: &mut Cx) {
        if !self.unread {
            cx.record(self.saved.record());
        }
    }

    /// Sorts the list with the keys by its next column, or the other way round.
    pub(super) fn sort(&mut self, turn: bool, cx: &mut Cx) {
        let round = |way: Way| if way == Way::Up { Way::Down } else { Way::Up };
        match self.side {
            ListSide::Local => {
                let (by, way) = self.local.sort;
                self.local.sort_by(if turn { (by, round(way)) } else { by.next() });
            }
            ListSide::Server => {
                let (by, way) = self.remote_mut().sort;
                self.remote_mut().sort_by(if turn { (by, round(way)) } else { by.next() });
            }
        }
        self.keep(cx);
    }
}

/// A server by the name of its profile.
pub(super) fn server(profile: &ProfileId, session: &Session) -> Untrusted {
    if *profile == session.profile {
        return session.profile_name.clone();
    }
    let name = session.profiles.iter().find(|(id, _)| id == profile).map(|(_, name)| name.clone());
    name.unwrap_or_else(|| profile.0.as_str().into())
}
