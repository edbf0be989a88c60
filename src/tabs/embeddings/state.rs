//! The Embed tab's state: the list of texts, their vectors, what is told from them, the run. Events in, effects out.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::editing::{Undo, Writing};
use super::job::{Ended, Job, Missing};
use super::pane::Panes;
use super::pane_data::{Page, PaneData};
use super::sums::Sums;
use super::transfer::{Importing, What};
use super::view::TabLayout;
use crate::api::call::{Failure, Ticket};
use crate::component::session::embeds;
use crate::component::{Cx, Modals, Pending, Question, Session};
use crate::record::work::Reading;
use crate::record::{Id, Record, Table, TextKey, TextList, TextRow, VectorKey};
use crate::tabs::tab::RunMeter;
use crate::tabs::texts::{ChosenFile, Keeping, ListEvent};
use crate::text::Untrusted;
use crate::ui::heatmap;
use crate::ui::list::Cursor;
use crate::ui::meter::SPINNER_FRAME;

/// How long what is typed rests before it is kept, counted and looked up.
pub(super) const REST: Duration = Duration::from_millis(300);
/// Between two frames of what counts on without a spinner.
const STILL_FRAME: Duration = Duration::from_millis(500);
/// The model asked for where the server does not list any.
const MODEL: &str = "text-embedding-ada-002";

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
    /// Which of these texts have a vector.
    Has { key: VectorKey, texts: Arc<[TextKey]> },
    /// One vector, to know how long they are.
    Measure { stamp: u64 },
    /// The vectors of these texts.
    Vectors { key: VectorKey, rows: Vec<TextKey> },
    /// All vectors of a long list.
    All { stamp: u64 },
    /// Tokens of these texts.
    Count { model: Untrusted, texts: Vec<TextKey> },
    /// A file of texts.
    File { path: String, name: Untrusted },
    /// An exported file.
    Export,
    /// Vectors from a file, by its path.
    Import(String),
    /// What a run asks; the run's number.
    Job(u64),
    /// Vectors of a run on their way to the disk: the places of their texts.
    Came { key: VectorKey, job: u64, items: Vec<u32> },
}

/// The answer of a dialog.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// Add these texts, each with its name.
    Add(Vec<(Untrusted, Untrusted)>),
    /// Read this file of texts.
    Read(ChosenFile),
    /// Open a list that is kept, or forget one that was deleted.
    List(ListEvent),
    /// Find the text with these words.
    Find(String),
    /// Let vectors be so long: ask the server for it, or cut them here.
    Dimensions { typed: String, here: bool },
    /// Write this to the file at this path.
    Export(String, What),
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

/// Settings as they are kept.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Settings {
    /// Model by profile.
    pub(super) models: BTreeMap<String, String>,
    /// Length asked for, by profile and model.
    pub(super) dimensions: BTreeMap<String, u32>,
    /// Whether newlines are sent as they are.
    pub(super) keep_newlines: bool,
    /// The list last open; 0: the typed one.
    pub(super) open: i64,
}

/// What is kept with a list beside its rows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ListState {
    /// The file its vectors were imported from; empty: they are asked for.
    pub(super) imported: String,
    /// What its imported vectors are kept under: two files may share their names and their texts.
    pub(super) shelf: String,
}

/// All of the tab that is not its picture.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) data: PaneData,
    pub(super) page: Page,
    /// Where Esc goes back to from a pair.
    pub(super) back: Page,
    pub(super) panes: Panes,
    pub(super) layout: TabLayout,
    pub(super) modals: Modals<Answer>,
    /// What a run asks as soon as nothing else lies over the panes.
    pub(super) question: Option<Question<Answer>>,

    /// The open list; `None`: nothing was typed yet.
    pub(super) list: Option<TextList>,
    /// The typed list's id, once it has one.
    pub(super) bench: Option<Id>,
    /// Whether the open list's vectors were imported, and from what.
    pub(super) imported: Untrusted,
    /// What those are kept under.
    pub(super) shelf: String,
    pub(super) writing: Option<Writing>,
    pub(super) undo: Vec<Undo>,
    /// A frame brings the selected text into its rows.
    pub(super) inputs: Cell<Cursor>,
    /// Rows of files until they are on disk, one file after the other.
    pub(super) copying: Vec<(Keeping, Vec<TextRow>)>,
    /// Vectors of a file until they are on disk.
    pub(super) importing: Option<Importing>,
    pub(super) settings: Settings,
    /// Counts changes of the texts and of what they are embedded with: answers to older questions are dropped.
    pub(super) stamp: u64,
    /// Texts as the table and the matrix have them.
    pub(super) aligned: Vec<TextKey>,
    /// The vectors that came, whole; what is read may be a cut of it.
    pub(super) full: Option<Arc<Table>>,
    /// Texts that have a vector on disk, and those that have none.
    pub(super) have: HashSet<TextKey>,
    pub(super) lack: HashSet<TextKey>,
    /// Of those that have one, those that came while the list is open.
    pub(super) fresh: HashSet<TextKey>,
    /// Why texts came to nothing.
    pub(super) reasons: HashMap<TextKey, Untrusted>,
    /// Since when the marks of a long list are old; they are made anew some times a second.
    pub(super) marks_due: Option<Instant>,
    /// What all vectors of the list would take, in bytes, where that has to be asked first.
    pub(super) heavy: Option<u64>,
    /// Whether all of it may be loaded.
    pub(super) granted: bool,
    pub(super) loading: bool,
    pub(super) sums: Sums,
    /// What is still to be sent.
    pub(super) missing: Missing,
    /// Says which texts stand in the list twice.
    pub(super) twins: Option<String>,

    /// A frame fits its first row and column to the area.
    pub(super) heat: RefCell<heatmap::View>,
    pub(super) ordered: bool,
    pub(super) stretched: bool,
    /// The matrix has the other panes' room too.
    pub(super) zoomed: bool,
    pub(super) find: String,

    pub(super) job: Option<Job>,
    pub(super) jobs: u64,
    pub(super) ended: Option<Ended>,
    pub(super) failure: Option<Failure>,
    pub(super) meter: Option<RunMeter>,

    pub(super) unkept: BTreeSet<Id>,
    pub(super) gone: Vec<Id>,
    pub(super) list_changed: bool,
    pub(super) settings_changed: bool,
    pub(super) keep_due: Option<Instant>,
    pub(super) look_due: Option<Instant>,
    pub(super) unsaved: Vec<Ticket>,
    pub(super) owed: HashMap<Ticket, Record>,
    pub(super) lost: Vec<(Request, Record)>,
    pub(super) save_error: Option<Untrusted>,
    /// Why the disk does not take something now. The store keeps it and offers it again.
    pub(super) waits: Option<Untrusted>,
    pub(super) saved: bool,
    pub(super) pending: Pending<Request>,
    pub(super) loaded: bool,
    entered: bool,
    /// Texts from another tab that came before what was here last.
    pub(super) offered: Vec<(Untrusted, Untrusted)>,
    began: Option<Instant>,
    ticked: Option<Instant>,
    motion: bool,
    /// Whether Enter inserts a newline and Alt+Enter takes the text.
    pub(super) enter_newline: bool,
    pub(super) unseen: bool,
    /// The texts were just offered: this tab does not take its own.
    pub(super) offering: bool,
}

impl State {
    /// Has come to the front: the first time, asks for what is on disk.
    pub(super) fn enter(&mut self, cx: &mut Cx) {
        self.motion = cx.session.motion;
        self.enter_newline = cx.session.enter.inserts_newline;
        self.unseen = false;
        if std::mem::replace(&mut self.entered, true) {
            self.sync(cx);
        } else {
            self.ask_kept(cx);
        }
    }

    /// Goes to a page; a pane asks for what it shows.
    pub(super) fn go(&mut self, page: Page, cx: &mut Cx) {
        self.page = page;
        self.update_panes();
        if let Some(pane) = self.panes.get_mut(page) {
            pane.refresh(cx);
        }
    }

    /// The model of the profile: the one chosen, else the first that embeds.
    pub(super) fn model(&self, session: &Session) -> Untrusted {
        if let Some(chosen) = self.settings.models.get(&session.profile.0) {
            return chosen.as_str().into();
        }
        let best = session.models.iter().find(|id| **id == MODEL);
        let suits = || session.models.iter().find(|id| embeds(id));
        match best.or_else(suits) {
            Some(model) => model.clone(),
            None if session.models.is_empty() => MODEL.into(),
            None => Untrusted::default(),
        }
    }

    /// What the list's vectors are kept under.
    pub(super) fn wanted_key(&self, session: &Session) -> VectorKey {
        if !self.imported.is_empty() {
            return VectorKey { profile: self.shelf.clone(), model: self.imported.clone(), dimensions: None };
        }
        let (profile, model) = (session.profile.0.clone(), self.model(session));
        let dimensions = self.settings.dimensions.get(&place(&profile, &model)).copied();
        VectorKey { profile, model, dimensions }
    }

    /// Sets the length asked of the model in use; `None`: its own.
    pub(super) fn ask_dimensions(&mut self, dimensions: Option<u32>, cx: &mut Cx) {
        let at = place(&cx.session.profile.0, &self.model(cx.session));
        match dimensions {
            Some(dimensions) => drop(self.settings.dimensions.insert(at, dimensions)),
            None => drop(self.settings.dimensions.remove(&at)),
        }
        self.settings_changed = true;
        self.keep_due.get_or_insert(cx.now + REST);
        self.sync(cx);
    }

    /// The profile, the model or the length may be another: then so are the vectors.
    pub(super) fn sync(&mut self, cx: &mut Cx) {
        let key = self.wanted_key(cx.session);
        if key == self.data.key || !self.loaded {
            return;
        }
        let counts = key.model == self.data.key.model;
        self.data.key = key;
        self.data.cut = None;
        self.forget_vectors(cx);
        if !counts {
            for text in self.data.texts_mut() {
                text.tokens = None;
            }
        }
        self.look(cx);
        self.update_panes();
    }

    /// Whether a run is under way or about to be.
    pub(super) fn is_busy(&self) -> bool {
        self.job.as_ref().is_some_and(Job::is_busy)
    }

    /// Whether something moves on the screen by itself.
    fn moves(&self) -> bool {
        self.is_busy() || self.loading || self.sums.is_busy() || self.pending.any(is_slow)
    }

    /// When a tick is due.
    pub(super) fn due(&self) -> Option<Instant> {
        let now = self.ticked?;
        let frame = if self.motion { SPINNER_FRAME } else { STILL_FRAME };
        let moving = self.moves().then(|| now + frame);
        let batch = self.job.as_ref().and_then(|job| job.due(now));
        let dialog = self.modals.due();
        [self.keep_due, self.look_due, self.marks_due, moving, batch, dialog].into_iter().flatten().min()
    }

    /// Since when something moves.
    pub(super) fn elapsed(&self, now: Instant) -> Duration {
        self.began.map_or(Duration::ZERO, |began| now.saturating_duration_since(began))
    }

    /// A moment asked for has come.
    pub(super) fn tick(&mut self, cx: &mut Cx) {
        self.stepped(cx);
        if self.keep_due.is_some_and(|due| due <= cx.now) {
            self.keep(cx);
            self.mend(cx);
        }
        if self.look_due.is_some_and(|due| due <= cx.now) {
            self.look(cx);
        }
        if self.marks_due.is_some_and(|due| due <= cx.now) {
            self.mark();
        }
        self.pump(cx);
    }

    /// After every event: what moves, and since when.
    pub(super) fn stepped(&mut self, cx: &Cx) {
        self.motion = cx.session.motion;
        self.ticked = Some(cx.now);
        if self.moves() {
            self.began.get_or_insert(cx.now);
        } else {
            self.began = None;
        }
    }
}

/// What the length of a model is kept under.
fn place(profile: &str, model: &Untrusted) -> String {
    format!("{profile}/{}", model.line())
}

/// Whether an answer is waited for that may take a while.
fn is_slow(asked: &Request) -> bool {
    matches!(asked, Request::Export | Request::Import(_) | Request::File { .. } | Request::List(_))
}
