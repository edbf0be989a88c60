//! What the tab knows: both panes, transfers, what lies over them; and what comes in for each.

use std::collections::HashMap;
use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent};
use jiff::tz::TimeZone;

use super::check;
use super::delete::Deleting;
use super::dialogs::Answer;
use super::eye::Subject;
use super::kept::{self, Kept};
use super::known::Fact;
use super::layout::{Density, Layout, Target};
use super::local::Local;
use super::plan::Plan;
use super::preview::Preview;
use super::shelf::{self, Shelf};
use super::tally::Tally;
use super::transfers::{Ended, Transfers};
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
pub(super) enum Side {
    #[default]
    Local,
    Server,
}

/// Where the keys go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Focus {
    /// The list of [`State::side`].
    #[default]
    List,
    Preview,
    Transfers,
}

/// The tab's state.
#[derive(Debug)]
pub(super) struct State {
    pub(super) local: Local,
    /// Of each profile that was in use here.
    shelves: Vec<Shelf>,
    /// The profile in use.
    pub(super) profile: ProfileId,
    /// Whether the last frame was drawn for another one.
    pub(super) moved: bool,
    pub(super) side: Side,
    pub(super) focus: Focus,
    pub(super) transfers: Transfers,
    pub(super) tally: Tally,
    pub(super) preview: Option<(Subject, Preview)>,
    /// When the file under the cursor is looked into.
    pub(super) rest: Option<Instant>,
    /// Words to filter by, while they are typed.
    pub(super) filtering: Option<Line>,
    pub(super) kept: Kept,
    /// What was asked of the store.
    asked_kept: Option<Ticket>,
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
    pub(super) plan: Option<Box<Plan>>,
    /// The check page, in place of all panes.
    pub(super) check: Option<check::Page>,
    /// A check page that something else stands before: it is as it was left.
    pub(super) aside: Option<check::Page>,
    /// A plan whose file is on the check page: it comes back after it.
    pub(super) planned: Option<Box<Plan>>,
    /// Deletions under way.
    pub(super) deleting: Option<Deleting>,
    /// What was learnt of local files that are being uploaded, by their paths.
    pub(super) learnt: HashMap<String, Fact>,
    /// Whether nothing was pressed since an upload was put in line.
    pub(super) untouched: bool,
    pub(super) layout: Layout,
}

impl Default for State {
    fn default() -> Self {
        Self {
            local: Local::default(),
            shelves: Vec::new(),
            profile: ProfileId::default(),
            moved: false,
            side: Side::Local,
            focus: Focus::List,
            transfers: Transfers::default(),
            tally: Tally::default(),
            preview: None,
            rest: None,
            filtering: None,
            kept: Kept::default(),
            asked_kept: None,
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
            layout: Layout::default(),
        }
    }
}

impl State {
    /// Brings what is known of the world up to date: before each event.
    pub(super) fn sync(&mut self, cx: &mut Cx) {
        self.seen = Some(cx.now);
        self.now_ms = cx.unix_ms;
        self.moved = false;
        if self.shelves.is_empty() || self.profile != cx.session.profile {
            self.profile = cx.session.profile.clone();
            let sort = self.kept.server_sort();
            if !self.shelves.iter().any(|shelf| shelf.profile == self.profile) {
                self.shelves.push(Shelf::new(self.profile.clone(), sort));
            }
            if self.loaded {
                self.shelf_mut().recall(cx);
                self.shelf_mut().enter(cx);
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
            if self.asked_kept.is_none() {
                self.asked_kept = Some(cx.load(Query::Setting(kept::KEPT.into())));
            }
            return;
        }
        if !self.local.is_asking() {
            self.local.refresh(cx);
        }
        self.shelf_mut().enter(cx);
    }

    /// The files of the profile in use.
    pub(super) fn shelf(&self) -> Option<&Shelf> {
        self.shelves.iter().find(|shelf| shelf.profile == self.profile)
    }

    /// The same, to be changed. There is one after [`State::sync`].
    pub(super) fn shelf_mut(&mut self) -> &mut Shelf {
        let at = self.shelves.iter().position(|shelf| shelf.profile == self.profile);
        let at = at.unwrap_or_else(|| {
            self.shelves.push(Shelf::new(self.profile.clone(), self.kept.server_sort()));
            self.shelves.len() - 1
        });
        &mut self.shelves[at]
    }

    pub(super) fn shelf_by(&self, profile: &ProfileId) -> Option<&Shelf> {
        self.shelves.iter().find(|shelf| shelf.profile == *profile)
    }

    /// The files of a profile, where they were ever looked at.
    pub(super) fn shelf_of(&mut self, profile: &ProfileId) -> Option<&mut Shelf> {
        self.shelves.iter_mut().find(|shelf| shelf.profile == *profile)
    }

    pub(super) fn stored(&mut self, ticket: Ticket, stored: Stored, cx: &mut Cx) {
        if self.shelves.iter_mut().any(|shelf| shelf.stored(ticket, &stored)) {
            if let Stored::Failed(why) = stored {
                cx.notify(Notice::error(format!("what was known of files could not be read: {}", why.line())));
            }
            return;
        }
        if self.asked_kept.take_if(|asked| *asked == ticket).is_none() {
            return;
        }
        match stored {
            Stored::Rows(Rows::Setting(_, Some(json))) => self.kept = Kept::read(json.raw()),
            Stored::Failed(why) => {
                self.unread = true;
                cx.notify(Notice::error(format!("the order of the lists could not be read: {}", why.line())));
            }
            _ => {}
        }
        self.loaded = true;
        self.local.hidden = self.kept.hidden;
        self.local.sort = self.kept.local_sort();
        let sort = self.kept.server_sort();
        self.shelf_mut().sort_by(sort);
        self.tries_kept = !self.kept.folder.is_empty();
        self.local.go(self.kept.folder.clone(), None, cx);
        self.shelf_mut().recall(cx);
        self.shelf_mut().enter(cx);
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
        for shelf in &mut self.shelves {
            if shelf.progress(ticket, &progress, cx) {
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
    fn ended(&mut self, ended: Ended, cx: &mut Cx) {
        match ended {
            Ended::Uploaded { profile, path, file, sha256 } => {
                let fact = self.learnt.remove(&path).unwrap_or_default().hashed(&sha256);
                let stored = shelf::Stored::of(*file);
                let on = server(&profile, cx.session);
                let (mut words, mut paired) = (format!("{} is on {}", stored.name.line(), on.line()), false);
                if let Some(shelf) = self.shelf_of(&profile) {
                    let id = stored.id.clone();
                    shelf.learn(&id, fact, cx);
                    shelf.put(stored, cx.now);
                    // With the other part of a file that was parted it can be trained with: one key from here.
                    let both = super::offer::pair(shelf, &id);
                    if let Some((train, said)) = both.map(|(train, valid)| {
                        let said = format!("{} and {} are on {}", train.name.line(), valid.name.line(), on.line());
                        (train.id.clone(), said)
                    }) {
                        (words, paired) = (said + "; o trains with both", true);
                        // Whoever pressed something since is where they want to be.
                        if self.untouched {
                            self.shelf_mut().point(&train);
                            (self.side, self.focus) = (Side::Server, Focus::List);
                        }
                    }
                }
                cx.notify(self.tally.uploaded(&on.line(), words, paired));
            }
            Ended::Downloaded { profile, id, file } => {
                if let Some(shelf) = self.shelf_of(&profile) {
                    let fact = shelf.known.of(&id).cloned().unwrap_or_default().hashed(&file.sha256);
                    shelf.learn(&id, fact, cx);
                }
                let path = file.path.to_string_lossy().into_owned();
                let words = Untrusted::from(format!("saved {path}"));
                cx.notify(self.tally.downloaded(words));
                if super::local::split(&path).is_some_and(|(folder, _)| folder == self.local.path.raw()) {
                    self.local.refresh(cx);
                }
            }
            Ended::Failed { profile, name, why, id } => {
                cx.notify(self.tally.failed(format!("{}: {}", name.line(), why.sentence.line())));
                if let Some(id) = id.filter(|_| why.status == Some(404))
                    && let Some(shelf) = self.shelf_of(&profile)
                {
                    shelf.gone(&id);
                }
            }
        }
        if self.transfers.open() == 0 {
            // What begins from here on is another batch.
            self.tally = Tally::default();
        }
    }

    /// The cursor of the list with the keys, and how many rows it has.
    pub(super) fn list(&mut self) -> (&mut View, usize) {
        match self.side {
            Side::Local => {
                let len = self.local.len();
                (&mut self.local.view, len)
            }
            Side::Server => {
                let shelf = self.shelf_mut();
                let len = shelf.len();
                (&mut shelf.view, len)
            }
        }
    }

    /// When something changes by itself.
    pub(super) fn due(&self) -> Option<Instant> {
        let seen = self.seen?;
        let behind = self.moved.then_some(seen);
        let spins = self.shelf().filter(|shelf| shelf.is_asking()).map(|_| seen + crate::ui::meter::SPINNER_FRAME);
        let looks = self.shelves.iter().filter_map(Shelf::due).min();
        let preview = self.preview.as_ref().and_then(|(_, preview)| preview.due());
        let page = self.check.as_ref().and_then(check::Page::due);
        let rest = self.rest.filter(|_| self.layout.density != Density::Narrow);
        [behind, spins, looks, preview, page, rest, self.transfers.due(seen)].into_iter().flatten().min()
    }

    pub(super) fn tick(&mut self, cx: &mut Cx) {
        for shelf in &mut self.shelves {
            shelf.tick(cx);
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
    pub(super) fn pointed(&mut self, target: Target, by: isize, cx: &mut Cx) {
        match target {
            Target::Preview => {
                let Some((_, preview)) = &mut self.preview else { return };
                if by == 0 {
                    self.focus = Focus::Preview;
                } else if !preview.typing() {
                    let code = if by < 0 { KeyCode::Up } else { KeyCode::Down };
                    preview.key(KeyEvent::from(code), cx);
                }
            }
            Target::Transfers(row) => {
                self.focus = Focus::Transfers;
                match (by, row) {
                    (0, 1..) => self.transfers.cursor.selected = self.transfers.cursor.top + usize::from(row) - 1,
                    (0, _) => {}
                    _ => self.step(by),
                }
            }
            Target::List(side, row) => {
                (self.focus, self.side) = (Focus::List, side);
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
        let before = self.kept.clone();
        self.kept.folder = self.local.path.raw().to_owned();
        self.kept.hidden = self.local.hidden;
        self.kept.set_sorts(self.local.sort, self.shelf().map_or(before.server_sort(), |shelf| shelf.sort));
        if self.kept != before {
            self.record(cx);
        }
    }

    /// Keeps what is to be kept, unless what is there could not be read.
    pub(super) fn record(&self, cx: &mut Cx) {
        if !self.unread {
            cx.record(self.kept.record());
        }
    }

    /// Sorts the list with the keys by its next column, or the other way round.
    pub(super) fn sort(&mut self, turn: bool, cx: &mut Cx) {
        let round = |way: Way| if way == Way::Up { Way::Down } else { Way::Up };
        match self.side {
            Side::Local => {
                let (by, way) = self.local.sort;
                self.local.sort_by(if turn { (by, round(way)) } else { by.next() });
            }
            Side::Server => {
                let (by, way) = self.shelf_mut().sort;
                self.shelf_mut().sort_by(if turn { (by, round(way)) } else { by.next() });
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
