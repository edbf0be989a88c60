//! The Embed tab's state: the list of texts, their vectors, what is computed from them, the run.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::analyses::Analyses;
use super::editing::RowEditor;
use super::embed_run::{EmbedRun, EmbeddedText, RunSummary, SendEstimate};
use super::layout::{MapWidth, TabLayout};
use super::list::OpenList;
use super::pane_data::{Page, PaneData};
use super::panes::Panes;
use super::text_find::TextFind;
use super::transfer::ExportKind;
use super::vector_set::VectorSet;
use crate::api::call::Failure;
use crate::component::session::embeds;
use crate::component::{Animation, Cx, Modals, Pending, Question, Saves, Session};
use crate::record::work::Reading;
use crate::record::{Id, TextKey, VectorKey};
use crate::tabs::batch::ResultOutbox;
use crate::tabs::tab::RunMeter;
use crate::tabs::texts::{ChosenFile, ListEvent};
use crate::text::Untrusted;
use crate::ui::heatmap::HeatmapView;
use crate::ui::list::Cursor;

/// How long the texts must be unchanged before they are saved, counted and looked up.
pub(super) const REST: Duration = Duration::from_millis(300);
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
    Measure { version: u64 },
    /// The vectors of these texts.
    Vectors { key: VectorKey, rows: Vec<TextKey> },
    /// All vectors of a long list.
    All { version: u64 },
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

/// Settings as they are kept.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct EmbedSettings {
    /// Model by profile.
    pub(super) models: BTreeMap<String, String>,
    /// Length asked for, by profile and model.
    pub(super) dimensions: BTreeMap<String, u32>,
    /// Whether newlines are sent unchanged.
    pub(super) keep_newlines: bool,
    /// The list last open; 0: the typed one.
    pub(super) open: i64,
}

/// What the tab has still to save, and the outcome of what it saved.
#[derive(Debug, Default)]
pub(super) struct EmbedSaves {
    pub(super) settings: EmbedSettings,
    pub(super) settings_changed: bool,
    /// When what was changed is saved.
    pub(super) due: Option<Instant>,
    pub(super) records: Saves,
    /// Whether something was saved.
    pub(super) saved: bool,
}

/// How the matrix and the pages are shown.
#[derive(Debug, Default)]
pub(super) struct ViewSettings {
    pub(super) page: Page,
    /// Where Esc goes back to from a pair.
    pub(super) back: Page,
    pub(super) layout: TabLayout,
    pub(super) heat: HeatmapView,
    pub(super) inputs: Cursor,
    /// Whether the matrix is ordered by cluster.
    pub(super) ordered: bool,
    /// Whether the colours span from the least to the greatest cosine.
    pub(super) stretched: bool,
    /// Whether the matrix has the other panes' room too.
    pub(super) zoomed: bool,
    /// How wide the map beside the matrix is, while the program runs.
    pub(super) map_width: MapWidth,
}

/// The run and what is said of the last one.
#[derive(Debug, Default)]
pub(super) struct RunState {
    pub(super) job: Option<EmbedRun>,
    /// What came of earlier runs and is not on disk yet.
    pub(super) unsaved: Vec<ResultOutbox<EmbeddedText>>,
    /// Runs so far.
    pub(super) count: u64,
    pub(super) summary: Option<RunSummary>,
    pub(super) failure: Option<Failure>,
    pub(super) meter: Option<RunMeter>,
    /// Whether something failed that was not looked at.
    pub(super) unseen: bool,
    /// What a run asks as soon as nothing else lies over the panes.
    pub(super) question: Option<Question<Answer>>,
    /// What is still to be sent.
    pub(super) estimate: SendEstimate,
    /// Says which texts stand in the list twice.
    pub(super) duplicates: Option<String>,
}

/// How far the tab has loaded the list of last time.
#[derive(Debug, Default)]
pub(super) struct Startup {
    pub(super) entered: bool,
    pub(super) loaded: bool,
    /// Texts from another tab that came before what was here last.
    pub(super) offered: Vec<(Untrusted, Untrusted)>,
}

/// All of the tab.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) data: PaneData,
    pub(super) list: OpenList,
    pub(super) editing: Option<RowEditor>,
    pub(super) vectors: VectorSet,
    pub(super) analyses: Analyses,
    pub(super) panes: Panes,
    pub(super) view: ViewSettings,
    pub(super) find: TextFind,
    pub(super) run: RunState,
    pub(super) saves: EmbedSaves,
    pub(super) startup: Startup,
    /// Ticks with every event.
    pub(super) animation: Animation,
    pub(super) modals: Modals<Answer>,
    pub(super) pending: Pending<Request>,
    /// When the texts are counted and looked up.
    pub(super) look_up_due: Option<Instant>,
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
        if let Some(pane) = self.panes.get_mut(page) {
            pane.refresh(cx);
        }
    }

    /// Returns the model of the profile: the one chosen, else the first that embeds.
    pub(super) fn model(&self, session: &Session) -> Untrusted {
        if let Some(chosen) = self.saves.settings.models.get(&session.profile.0) {
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

    /// Returns the key under which the vectors of the list are saved.
    pub(super) fn wanted_key(&self, session: &Session) -> VectorKey {
        if self.list.is_imported() {
            return VectorKey {
                profile: self.list.import_id.clone(),
                model: self.list.imported.clone(),
                dimensions: None,
            };
        }
        let (profile, model) = (session.profile.0.clone(), self.model(session));
        let dimensions = self.saves.settings.dimensions.get(&length_key(&profile, &model)).copied();
        VectorKey { profile, model, dimensions }
    }

    /// Sets the length asked of the model in use; `None`: its own.
    pub(super) fn ask_dimensions(&mut self, dimensions: Option<u32>, cx: &mut Cx) {
        let at = length_key(&cx.session.profile.0, &self.model(cx.session));
        match dimensions {
            Some(dimensions) => drop(self.saves.settings.dimensions.insert(at, dimensions)),
            None => drop(self.saves.settings.dimensions.remove(&at)),
        }
        self.saves.settings_changed = true;
        self.saves.due.get_or_insert(cx.now + REST);
        self.sync(cx);
    }

    /// Checks whether profile, model or length have changed; other ones need other vectors.
    pub(super) fn sync(&mut self, cx: &mut Cx) {
        let key = self.wanted_key(cx.session);
        if key == self.data.key || !self.startup.loaded {
            return;
        }
        let counts = key.model == self.data.key.model;
        self.data.key = key;
        self.data.cut = None;
        self.clear_vectors(cx);
        if !counts {
            self.change_texts(|texts| texts.iter_mut().for_each(|text| text.tokens = None));
        }
        self.look_up(cx);
        self.update_panes();
    }

    /// Returns whether a run is under way or about to be.
    pub(super) fn is_busy(&self) -> bool {
        self.run.job.as_ref().is_some_and(EmbedRun::is_busy)
    }

    /// Returns whether something moves on the screen by itself.
    fn is_animated(&self) -> bool {
        self.is_busy() || self.vectors.loading || self.analyses.is_busy() || self.pending.any(is_slow)
    }

    /// Returns when a tick is due.
    pub(super) fn due(&self) -> Option<Instant> {
        let now = self.animation.ticked()?;
        let moving = self.animation.due().filter(|_| self.is_animated());
        let batch = self.run.job.as_ref().and_then(|job| job.due(now));
        let dialog = self.modals.due();
        [self.saves.due, self.look_up_due, self.vectors.statuses_due, moving, batch, dialog].into_iter().flatten().min()
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
        if self.look_up_due.is_some_and(|due| due <= cx.now) {
            self.look_up(cx);
        }
        if self.vectors.statuses_due.is_some_and(|due| due <= cx.now) {
            self.update_statuses();
        }
        self.advance(cx);
    }

    /// Notes after each event whether something is under way, and since when.
    pub(super) fn note_activity(&mut self, cx: &Cx) {
        self.animation.set_motion(cx.session.motion);
        self.animation.update(self.is_animated(), cx.now);
    }
}

/// Returns the key under which the length of a model is kept.
fn length_key(profile: &str, model: &Untrusted) -> String {
    format!("{profile}/{}", model.line())
}

/// Returns whether an answer is waited for that may take a while.
fn is_slow(asked: &Request) -> bool {
    matches!(asked, Request::Export | Request::Import(_) | Request::File { .. } | Request::List(_))
}
