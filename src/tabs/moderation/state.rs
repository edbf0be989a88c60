//! The Moderate tab's state: the bench and what is known of its texts, what runs, what is open.

use std::time::Instant;

use super::action::Answer;
use super::bench_runs::BenchRuns;
use super::bench_texts::BenchTexts;
use super::bench_view::BenchView;
use super::check_history::CheckHistory;
use super::check_results::CheckResults;
use super::conversation::ConversationCheck;
use super::file::page::FilePage;
use super::model_ref::ModelRef;
use super::page_data::PageData;
use super::sentence_scores::SentenceScores;
use super::text_editing::TextEditing;
use crate::api::call::Failure;
use crate::component::{Cx, Modals, Pending, SAVE_DELAY, Saves, Session};
use crate::record::TextKey;

/// What is shown.
#[derive(Debug, Default)]
pub(super) enum Page {
    /// Texts side by side.
    #[default]
    Bench,
    /// A file of texts.
    File,
    /// One text at several times.
    History(Box<CheckHistory>),
    /// One text sentence by sentence.
    Sentences(Box<SentenceScores>),
    /// A conversation.
    Conversation,
}

/// What an outstanding ticket is for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Request {
    Thresholds,
    View,
    BenchId,
    Bench,
    /// A file of thresholds is read.
    Import,
    /// A file of thresholds or of results is written.
    Export,
}

/// The Moderate tab.
#[derive(Debug, Default)]
pub struct Moderate {
    pub(super) page: Page,
    pub(super) file: FilePage,
    pub(super) texts: BenchTexts,
    pub(super) results: CheckResults,
    pub(super) checks: BenchRuns,
    pub(super) conversation: ConversationCheck,
    /// The text that is being written.
    pub(super) text_editor: Option<TextEditing>,
    pub(super) modals: Modals<Answer>,
    pub(super) bench: BenchView,
    pub(super) pending: Pending<Request>,
    pub(super) saves: Saves,
    /// When all that has changed is saved.
    pub(super) save_due: Option<Instant>,
    /// Whether the next chosen model becomes a new column.
    pub(super) adding_column: bool,
    entered: bool,
}

impl Moderate {
    /// Creates an empty tab; it asks for what is on disk when it first comes to the front.
    pub fn new() -> Self {
        Self::default()
    }

    /// Prepares the tab when it comes to the front; the first time, asks for what is on disk.
    pub(super) fn enter_tab(&mut self, cx: &mut Cx) {
        self.checks.set_motion(cx.session.motion);
        self.results.see_failures();
        if !std::mem::replace(&mut self.entered, true) {
            self.load(cx);
            self.file.enter(cx);
        }
    }

    /// Returns whether the bench is shown and has no texts.
    pub(super) fn is_empty_bench(&self) -> bool {
        matches!(self.page, Page::Bench) && self.texts.len() == 0
    }

    /// Returns whether ⏎ ends the countdown of a retry. On the file's page it opens a row.
    pub(super) fn counts_down(&self) -> bool {
        !matches!(self.page, Page::File) && self.checks.next_attempt().is_some()
    }

    /// Returns whether a text is being checked by a model, or its check is on its way to the disk.
    pub(super) fn awaits(&self, key: &TextKey, model: &ModelRef) -> bool {
        self.checks.is_waiting_for(key, model) || self.results.is_saving(key, model)
    }

    /// Returns the models in the order of their columns.
    pub(super) fn models(&self, session: &Session) -> Vec<ModelRef> {
        let profile = &session.profile.0;
        let models = self.file.shared.models(session).into_iter();
        models.map(|model| ModelRef { profile: profile.clone(), model }).collect()
    }

    /// Returns the index of the model whose column the cursor is in.
    pub(super) fn model_index_under_cursor(&self, session: &Session) -> usize {
        self.bench.column % self.file.shared.models(session).len()
    }

    /// Returns the index of the text and the model of the column under the cursor.
    pub(super) fn text_and_model_under_cursor(&self, session: &Session) -> Option<(usize, ModelRef)> {
        let models = self.models(session);
        let model = models.get(self.model_index_under_cursor(session))?.clone();
        let text = self.bench.column / models.len();
        (text < self.texts.len()).then_some((text, model))
    }

    /// Puts the cursor on a text.
    pub(super) fn go_to_text(&mut self, text: usize, session: &Session) {
        self.bench.column = text * self.file.shared.models(session).len();
        self.bench.changed();
    }

    /// Returns whether something is still to be saved.
    pub(super) fn is_saving(&self) -> bool {
        self.save_due.is_some() || !self.saves.is_saved()
    }

    /// Takes in that the table's contents have changed, and plans to save them.
    pub(super) fn changed(&mut self, now: Instant) {
        self.bench.changed();
        self.save_due.get_or_insert(now + SAVE_DELAY);
    }

    /// Tells the page of a file that the bench has changed what both share, and plans to save it.
    pub(super) fn shared_changed(&mut self, cx: &mut Cx) {
        self.file.shared.changed = true;
        self.changed(cx.now);
        self.file.shared_changed();
    }

    /// Plans to save what the bench and the page of a file share, if that page has changed it.
    pub(super) fn sync_shared(&mut self, cx: &mut Cx) {
        if self.file.shared.changed {
            self.changed(cx.now);
        }
    }

    /// Returns why the column under the cursor failed; on a page, why anything there did.
    pub(super) fn failure(&self, session: &Session) -> Option<&Failure> {
        if !self.results.has_failures() {
            return None;
        }
        let of = |key: &TextKey, model: &ModelRef| self.results.failure(key, model);
        match &self.page {
            Page::History(page) => of(&page.text().0, page.model()),
            Page::Sentences(page) => page.keys().iter().find_map(|key| of(key, page.model())),
            Page::Conversation => {
                let model = self.models(session).into_iter().next()?;
                let here = self.conversation.text().and_then(|(key, _)| of(&key, &model));
                here.or_else(|| self.conversation.keys().iter().find_map(|key| of(key, &model)))
            }
            Page::Bench | Page::File => {
                let (at, model) = self.text_and_model_under_cursor(session)?;
                of(&self.texts.get(at)?.key, &model)
            }
        }
    }

    /// Returns what pages show besides results.
    pub(super) fn page_data(&self) -> PageData {
        PageData {
            profile: self.file.shared.thresholds.profile().clone(),
            run: self.checks.status(),
            mask: self.file.shared.view.mask_flagged,
        }
    }
}
