//! The Embed tab's state: the list of texts, their vectors, what is computed from them, the run.

use std::time::{Duration, Instant};

use super::editing::{NewText, RowEditor};
use super::embed_run::{EmbedRun, EmbeddedText, RunSummary};
use super::embedded_list::EmbeddedList;
use super::layout::{MapWidth, TabLayout};
use super::pane_data::Page;
use super::saves::EmbedSaves;
use super::text_find::TextFind;
use super::transfer::ExportKind;
use crate::api::call::Failure;
use crate::component::{Animation, Cx, Modals, Pending, Question, Session};
use crate::record::work::Reading;
use crate::record::{Id, VectorKey};
use crate::tabs::activity::ActivityOutcome;
use crate::tabs::batch::UnsavedResults;
use crate::tabs::tab::RunMeter;
use crate::tabs::texts::{ChosenFile, ListEvent};
use crate::text::Untrusted;
use crate::ui::list::Cursor;

/// What an outstanding ticket is for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Request {
    /// The id of the typed list.
    Bench,
    /// Settings, and which list was open.
    Settings,
    /// A list with its rows.
    List(Id),
    /// Something kept.
    Save,
    /// Rows of a file on their way to the disk.
    Rows,
    /// Vectors of a file on their way to the disk.
    Vectored,
    /// A file of texts.
    File { path: String, name: Untrusted },
    /// An exported file.
    Export,
    /// Vectors from a file, by its path.
    Import(String),
    /// What a run asks; the run's number.
    Job(u64),
}

/// The answer of a dialog.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// Add these texts, each with its name.
    Add(Vec<NewText>),
    /// Read this file of texts.
    Read(ChosenFile),
    /// Open a list that is kept, or forget one that was deleted.
    List(ListEvent),
    /// Let vectors be so long: ask the server for it, or cut them here.
    Dimensions { typed: String, here: bool },
    /// Write this to the file at this path.
    Export(String, ExportKind),
    /// Read vectors from the file at this path; in which way, where that was asked.
    Import(String, Option<Reading>),
    /// Load all vectors of the list.
    LoadAll,
    /// Embed all texts but those that are too long for the model.
    LeaveOut,
    /// Edit the longest text instead of embedding.
    Shorten,
    /// Begin the run.
    Launch,
    /// Drop the run that was asked about.
    DropRun,
}

impl From<ChosenFile> for Answer {
    fn from(file: ChosenFile) -> Self {
        Self::Read(file)
    }
}

impl From<ListEvent> for Answer {
    fn from(event: ListEvent) -> Self {
        Self::List(event)
    }
}

/// How the matrix and the pages are shown.
#[derive(Debug, Default)]
pub(super) struct ViewSettings {
    pub(super) page: Page,
    /// Where Esc goes back to from a pair.
    pub(super) back: Page,
    pub(super) layout: TabLayout,
    pub(super) inputs: Cursor,
    /// Whether the matrix has the other panes' room too.
    pub(super) zoomed: bool,
    /// How wide the map beside the matrix is, while the program runs.
    pub(super) map_width: MapWidth,
}

impl ViewSettings {
    /// Returns whether the map stands beside list and matrix.
    fn shows_map(&self) -> bool {
        self.layout.wide && !self.zoomed && self.map_width != MapWidth::Hidden
    }

    /// Makes the map beside the matrix wider, or narrower; one with the keys stays.
    pub(super) fn resize_map(&mut self, wider: bool) {
        let next = self.map_width.next(wider);
        if self.page != Page::Map || next != MapWidth::Hidden {
            self.map_width = next;
        }
    }

    /// Returns the next pane that has the keys; where the panes are side by side, the map is one of them.
    pub(super) fn next_page(&self, forward: bool) -> Page {
        let map = self.layout.wide && self.map_width != MapWidth::Hidden;
        let panes: &[Page] = if map { &[Page::Inputs, Page::Matrix, Page::Map] } else { &[Page::Inputs, Page::Matrix] };
        let at = panes.iter().position(|page| *page == self.page).unwrap_or(1);
        panes[if forward { at + 1 } else { at + panes.len() - 1 } % panes.len()]
    }

    /// Returns the page that asks for what it shows: beside the list or the matrix it is the map.
    fn computed_page(&self) -> Page {
        let beside = self.shows_map() && matches!(self.page, Page::Inputs | Page::Matrix);
        if beside { Page::Map } else { self.page }
    }
}

/// The run and what is said of the last one.
#[derive(Debug, Default)]
pub(super) struct RunState {
    pub(super) job: Option<EmbedRun>,
    /// What came of earlier runs and is not on disk yet.
    pub(super) unsaved: UnsavedResults<EmbeddedText>,
    /// How the last one ended.
    pub(super) ended: ActivityOutcome,
    /// Runs so far.
    pub(super) count: u64,
    pub(super) summary: Option<RunSummary>,
    pub(super) failure: Option<Failure>,
    pub(super) meter: Option<RunMeter>,
    /// Whether something failed that was not looked at.
    pub(super) unseen: bool,
    /// What a run asks as soon as nothing else lies over the panes.
    pub(super) question: Option<Question<Answer>>,
}

/// How far the tab has loaded the list of last time.
#[derive(Debug, Default)]
pub(super) struct Startup {
    pub(super) entered: bool,
    pub(super) loaded: bool,
    /// Texts from another tab that came before what was here last.
    pub(super) offered: Vec<NewText>,
}

/// All of the tab.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) list: EmbeddedList,
    pub(super) editing: Option<RowEditor>,
    pub(super) view: ViewSettings,
    pub(super) find: TextFind,
    pub(super) run: RunState,
    pub(super) saves: EmbedSaves,
    pub(super) startup: Startup,
    /// Ticks with every event.
    pub(super) animation: Animation,
    pub(super) modals: Modals<Answer>,
    pub(super) pending: Pending<Request>,
    /// The texts were just offered: this tab does not take its own.
    pub(super) offering: bool,
}

impl State {
    /// Prepares the tab when it comes to the front; the first time, asks for what is on disk.
    pub(super) fn enter(&mut self, cx: &mut Cx) {
        self.animation.set_motion(cx.session.motion);
        self.run.unseen = false;
        if std::mem::replace(&mut self.startup.entered, true) {
            self.sync(cx);
        } else {
            self.load_settings(cx);
        }
    }

    /// Goes to a page; a pane asks for what it shows.
    pub(super) fn open_page(&mut self, page: Page, cx: &mut Cx) {
        self.view.page = page;
        self.update_panes();
        if let Some(pane) = self.list.panes.get_mut(page) {
            pane.refresh(cx);
        }
    }

    /// Returns the key under which the vectors of the list are saved.
    pub(super) fn wanted_key(&self, session: &Session) -> VectorKey {
        if self.list.storage.is_imported() {
            return VectorKey {
                profile: self.list.storage.import_id.clone(),
                model: self.list.storage.imported.clone(),
                dimensions: None,
            };
        }
        self.saves.settings.key(session)
    }

    /// Checks whether profile, model or length have changed; other ones need other vectors.
    pub(super) fn sync(&mut self, cx: &mut Cx) {
        let key = self.wanted_key(cx.session);
        if key == self.list.data.key || !self.startup.loaded {
            return;
        }
        let counts = key.model == self.list.data.key.model;
        self.list.data.key = key;
        self.list.data.cut = None;
        self.clear_vectors(cx);
        if !counts {
            self.list.change_texts(|texts| texts.iter_mut().for_each(|text| text.tokens = None));
        }
        self.look_up(cx);
        self.update_panes();
    }

    /// Returns whether a run is under way or about to be.
    pub(super) fn is_busy(&self) -> bool {
        self.run.is_busy()
    }

    /// Asks what is not known of the texts.
    pub(super) fn look_up(&mut self, cx: &mut Cx) {
        self.list.look_up_due = None;
        if self.startup.loaded {
            self.list.look_up(self.run.is_busy(), cx);
        }
    }

    /// Lets go of all vectors.
    pub(super) fn clear_vectors(&mut self, cx: &mut Cx) {
        self.run.summary = None;
        self.list.clear_vectors(cx);
    }

    /// Hands what there is now to the panes.
    fn update_panes(&mut self) {
        self.list.data.focus = (!self.modals.is_open()).then_some(self.view.page);
        self.list.update_panes();
    }

    /// Asks for what has to be made again, and sends what waits to be sent.
    pub(super) fn advance(&mut self, cx: &mut Cx) {
        if self.run.send(cx) {
            self.finish_run(false, cx);
        }
        self.put_question();
        self.list.refresh_statuses(self.run.job.as_ref(), cx.now);
        self.list.data.focus = (!self.modals.is_open()).then_some(self.view.page);
        self.list.compute(self.view.computed_page(), cx);
        self.note_activity(cx);
    }

    /// Returns whether something moves on the screen by itself.
    fn is_animated(&self) -> bool {
        self.is_busy() || self.list.vectors.loading || self.list.analyses.is_busy() || self.pending.any(is_slow)
    }

    /// Returns when a tick is due.
    pub(super) fn due(&self) -> Option<Instant> {
        let now = self.animation.ticked()?;
        let moving = self.animation.due().filter(|_| self.is_animated());
        let batch = self.run.job.as_ref().and_then(|job| job.due(now));
        let dialog = self.modals.due();
        [self.saves.due, self.list.look_up_due, self.list.vectors.statuses_due, moving, batch, dialog]
            .into_iter()
            .flatten()
            .min()
    }

    /// Returns for how long something has been under way.
    pub(super) fn elapsed(&self, now: Instant) -> Duration {
        self.animation.elapsed(now)
    }

    /// Does what is due.
    pub(super) fn tick(&mut self, cx: &mut Cx) {
        self.note_activity(cx);
        if self.saves.due.is_some_and(|due| due <= cx.now) {
            self.save(cx);
        }
        if self.list.look_up_due.is_some_and(|due| due <= cx.now) {
            self.look_up(cx);
        }
        self.advance(cx);
    }

    /// Notes after each event whether something is under way, and since when.
    pub(super) fn note_activity(&mut self, cx: &Cx) {
        self.animation.set_motion(cx.session.motion);
        self.animation.update(self.is_animated(), cx.now);
    }
}

/// Returns whether an answer is waited for that may take a while.
fn is_slow(asked: &Request) -> bool {
    matches!(asked, Request::Export | Request::Import(_) | Request::File { .. } | Request::List(_))
}
