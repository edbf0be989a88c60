//! The Moderate tab's state: the bench and what is known of its texts, what runs, what is open. Events in, effects out.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::board::Board;
use super::category::Key;
use super::file::page::FilePage;
use super::flight::{Ask, Doubts, Flights, Which};
use super::origin::Origin;
use super::past::Past;
use super::profiles::Profiles;
use super::results::{Judge, Results};
use super::shared::Shared;
use super::texts::Texts;
use super::turns::Turns;
use crate::api::call::{Failure, Ticket};
use crate::api::moderation::ModerationRequest;
use crate::component::{Cx, Modals, Notice, Pending, Session};
use crate::record::{Check, Id, Record, TextKey};
use crate::tabs::tab::RunMeter;
use crate::text::Untrusted;
use crate::ui::editor::Editor;
use crate::ui::meter::SPINNER_FRAME;

/// How long what is typed rests before it is kept.
const REST: Duration = Duration::from_millis(300);
/// Between two frames of what counts on without a spinner.
const STILL_FRAME: Duration = Duration::from_millis(500);

/// What stands in the tab.
#[derive(Debug, Default)]
pub(super) enum Page {
    /// Texts side by side.
    #[default]
    Bench,
    /// A file of texts.
    File,
    /// One text at several times.
    Past(Box<Past>),
    /// One text sentence by sentence.
    Origin(Box<Origin>),
    /// A conversation.
    Turns,
}

/// What an outstanding ticket is for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Request {
    Thresholds,
    View,
    BenchId,
    Bench,
    /// The checks of these texts.
    Checks(Vec<TextKey>),
    /// Something kept.
    Save,
    /// Checks that are shown when they are on disk.
    Fresh(Vec<Arc<Check>>),
    /// A file of thresholds, to be read; a file, to be written.
    Import,
    Export,
}

/// The answer of a dialog.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// Write the results to the file at this path.
    Export(String),
}

/// The text that is being written.
#[derive(Debug)]
pub(super) struct Writing {
    pub(super) id: Id,
    pub(super) editor: Editor,
}

/// All of the tab that is not its picture.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) page: Page,
    pub(super) shared: Shared,
    pub(super) file: FilePage,
    pub(super) texts: Texts,
    pub(super) results: Results,
    pub(super) flights: Flights,
    pub(super) doubts: Doubts,
    pub(super) turns: Turns,
    pub(super) writing: Option<Writing>,
    pub(super) modals: Modals<Answer>,
    /// Threshold profiles, while they are open.
    pub(super) profiles: Option<Profiles>,
    pub(super) board: Board,
    /// The column under the cursor: text × model.
    pub(super) column: usize,
    /// The category under the cursor.
    pub(super) at: Option<Key>,
    pub(super) marked: BTreeSet<Key>,
    /// Whether only categories show whose columns differ.
    pub(super) differences: bool,
    /// Whether columns stand side by side where there is room for one.
    pub(super) beside: bool,
    /// Whether the table was drawn in the last frame, and which columns.
    pub(super) wide: bool,
    pub(super) in_view: Range<usize>,
    /// Counts changes of what the board shows.
    pub(super) revision: u64,
    /// A run that waits for what the disk knows.
    pub(super) wish: Option<Which>,
    /// Models are chosen for a new column.
    pub(super) adding: bool,
    /// A text from another tab that came before what was here last.
    pub(super) offered: Vec<(Untrusted, Untrusted)>,
    pub(super) pending: Pending<Request>,
    /// What has no other place here than the order that keeps it, by the order.
    pub(super) owed: HashMap<Ticket, Record>,
    /// Of those, what could not be kept.
    pub(super) lost: Vec<Record>,
    pub(super) unsaved: Vec<Ticket>,
    pub(super) save_error: Option<Untrusted>,
    /// Why the disk does not take something now. The store keeps it and offers it again.
    pub(super) waits: Option<Untrusted>,
    pub(super) keep_due: Option<Instant>,
    pub(super) meter: Option<RunMeter>,
    entered: bool,
    pub(super) loaded: bool,
    ticked: Option<Instant>,
    pub(super) motion: bool,
    /// Whether a failure has not been looked at.
    pub(super) unseen: bool,
}

impl State {
    /// Has come to the front: the first time, asks for what is on disk.
    pub(super) fn enter(&mut self, cx: &mut Cx) {
        self.motion = cx.session.motion;
        self.unseen = false;
        if std::mem::replace(&mut self.entered, true) {
            return;
        }
        self.ask_kept(cx);
        self.file.enter(cx);
    }

    /// Whether a request of the bench's is under way, or its answer on its way to the disk.
    pub(super) fn is_busy(&self) -> bool {
        !self.flights.is_empty() || self.wish.is_some()
    }

    /// Whether ⏎ ends the countdown of a retry. On the file's page it opens a row.
    pub(super) fn counts_down(&self) -> bool {
        !matches!(self.page, Page::File) && self.flights.counting().next().is_some()
    }

    /// Whether a text waits for a judge's word.
    pub(super) fn awaits(&self, key: &TextKey, judge: &Judge) -> bool {
        let by = |check: &Arc<Check>| check.text == *key && check.profile == judge.0 && check.asked == judge.1;
        let saving = || self.pending.any(|asked| matches!(asked, Request::Fresh(checks) if checks.iter().any(by)));
        self.flights.awaits(key, judge) || saving()
    }

    /// Those who judge, in the order of their columns.
    pub(super) fn judges(&self, session: &Session) -> Vec<Judge> {
        self.shared.models(session).into_iter().map(|model| (session.profile.0.clone(), model)).collect()
    }

    /// How many columns there are.
    pub(super) fn columns(&self, session: &Session) -> usize {
        self.texts.len() * self.shared.models(session).len()
    }

    /// The text and the judge of the column under the cursor.
    pub(super) fn place(&self, session: &Session) -> Option<(usize, Judge)> {
        let judges = self.judges(session);
        let judge = judges.get(self.column % judges.len())?.clone();
        let text = self.column / judges.len();
        (text < self.texts.len()).then_some((text, judge))
    }

    /// Puts the cursor on a text.
    pub(super) fn go_to_text(&mut self, text: usize, session: &Session) {
        self.column = text * self.shared.models(session).len();
        self.revision += 1;
    }

    /// What the board shows is another.
    pub(super) fn changed(&mut self, now: Instant) {
        self.revision += 1;
        self.keep_soon(now);
    }

    /// What is not kept yet is kept soon.
    pub(super) fn keep_soon(&mut self, now: Instant) {
        self.keep_due.get_or_insert(now + REST);
    }

    /// Thresholds or what else both pages share is another.
    pub(super) fn share(&mut self, cx: &mut Cx) {
        self.shared.changed = true;
        self.changed(cx.now);
        self.file.changed(&self.shared);
    }

    /// When something here wants to move or be kept.
    pub(super) fn due(&self) -> Option<Instant> {
        let frame = if self.motion { SPINNER_FRAME } else { STILL_FRAME };
        let spin = self.is_busy().then_some(()).and(self.ticked).map(|at| at + frame);
        [spin, self.keep_due, self.file.due()].into_iter().flatten().min()
    }

    pub(super) fn tick(&mut self, cx: &mut Cx) {
        self.ticked = Some(cx.now);
        if self.keep_due.is_some_and(|due| due <= cx.now) {
            self.keep(cx);
        }
        if self.file.due().is_some_and(|due| due <= cx.now) {
            self.file.tick(cx);
            self.file_did(cx);
        }
    }

    /// The page of a file may have changed what both share.
    pub(super) fn file_did(&mut self, cx: &mut Cx) {
        if self.shared.changed {
            self.changed(cx.now);
        }
    }

    /// Something moves from now on.
    pub(super) fn begin_ticking(&mut self, now: Instant) {
        self.ticked = Some(now);
    }

    /// Whether a text is one the service flagged.
    pub(super) fn is_flagged(&self, key: &TextKey) -> bool {
        self.results.of(key).iter().any(|check| check.flagged)
    }
}

impl State {
    /// A model for the bench: one more column, or in place of the one under the cursor.
    pub(super) fn use_model(&mut self, model: &Untrusted, add: bool, cx: &mut Cx) {
        let mut models = self.shared.models(cx.session);
        if models.contains(model) {
            return cx.notify(Notice::hint("this model has its column already").about("model"));
        }
        let text = self.column / models.len();
        let at = self.column % models.len();
        if add {
            models.push(model.clone());
        } else {
            models[at] = model.clone();
        }
        let at = if add { models.len() - 1 } else { at };
        self.column = text * models.len() + at;
        let names = models.iter().map(|model| model.line().into_owned()).collect();
        self.shared.kept.models.insert(cx.session.profile.0.clone(), names);
        self.share(cx);
    }

    /// A conversation from another tab.
    pub(super) fn converse(&mut self, title: Untrusted, turns: Vec<(Untrusted, Untrusted)>, cx: &mut Cx) {
        self.leave(cx);
        self.turns = Turns::new(title, turns);
        self.page = Page::Turns;
        let keys = self.turns.keys();
        self.ask_checks(keys, cx);
    }

    /// Why the column under the cursor failed; on a page, why anything there did.
    pub(super) fn failure(&self, session: &Session) -> Option<&Failure> {
        if !self.results.has_failures() {
            return None;
        }
        let first = |keys: Vec<TextKey>, judge: &Judge| keys.iter().find_map(|key| self.results.failure(key, judge));
        match &self.page {
            Page::Past(past) => self.results.failure(&past.text().0, past.judge()),
            Page::Origin(origin) => first(origin.keys(), origin.judge()),
            Page::Turns => {
                let judge = self.judges(session).into_iter().next()?;
                let here = self.turns.text().and_then(|(key, _)| self.results.failure(&key, &judge));
                here.or_else(|| first(self.turns.keys(), &judge))
            }
            Page::Bench | Page::File => {
                let (at, judge) = self.place(session)?;
                self.results.failure(&self.texts.get(at)?.key, &judge)
            }
        }
    }

    /// Whether the column under the cursor failed.
    pub(super) fn here_failed(&self, session: &Session) -> bool {
        self.failure(session).is_some()
    }

    /// What a run of the model under the cursor would send, for all texts.
    pub(super) fn request(&self, session: &Session) -> Option<ModerationRequest> {
        let (_, judge) = self.place(session)?;
        let texts = self.texts.all().iter().map(|text| (text.key, text.row.text.clone())).collect();
        Some(Ask { judge, texts, parted: None }.request())
    }

    /// The text that `$EDITOR` gets.
    pub(super) fn editable(&self) -> Option<String> {
        if let Some(writing) = &self.writing {
            return Some(writing.editor.text());
        }
        let column = self.board.columns.get(self.column)?;
        let text = self.texts.get(column.text)?;
        Some(text.row.text.raw().to_owned())
    }
}
