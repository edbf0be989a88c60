//! The Complete tab's state: the text and its history, settings, runs under way.

use std::collections::BTreeMap;
use std::time::Instant;

use super::active_run::ActiveRuns;
use super::biases::BiasLookup;
use super::compare::{Compare, ComparisonContext};
use super::models::ChosenModels;
use super::params::{BufferSettings, SettingsPane};
use super::presets::{LoadedPresets, Presets, Suitability};
use super::prompt_text::{PromptText, empty_sheet};
use super::run_log::RunLog;
use super::runs::Runs;
use super::saves::UnsavedChanges;
use super::token_scores::TokenScores;
use super::tokenizer::Tokenizer;
use crate::component::{ComparisonOffer, Cx, Modals, Pending, Session};
use crate::record::{CompletionParams, Id, Made, Run};
use crate::settings::ProfileId;
use crate::tabs::columns::Columns;
use crate::text::Untrusted;
use crate::tokens::Price;

/// Which pane has the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CompletePane {
    /// The buffer with the caret: letters are text.
    Text,
    /// The buffer, looked at.
    Browse,
    /// The settings.
    Settings,
    /// The presets.
    Presets,
}

impl CompletePane {
    /// Returns the pane after this one.
    pub(super) fn next(self) -> Self {
        match self {
            Self::Text | Self::Browse => Self::Settings,
            Self::Settings => Self::Presets,
            Self::Presets => Self::Browse,
        }
    }
}

/// What is shown in the place of the text.
#[derive(Debug)]
pub(super) enum Page {
    /// The buffer itself.
    Buffer,
    /// The buffer as the model reads it.
    Tokens(Box<Tokenizer>),
    /// All runs.
    Runs(Box<Runs>),
    /// Columns that run the same prompt.
    Compare,
    /// All branches side by side; the step that is one of them.
    Branches(Columns, Id),
}

/// The answer of a dialog.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// The biases of the pane's settings.
    Biases(BTreeMap<String, f64>),
    /// The model of the column with the focus, whose profile's list is not known.
    Model(Untrusted),
}

impl From<BTreeMap<String, f64>> for Answer {
    fn from(biases: BTreeMap<String, f64>) -> Self {
        Self::Biases(biases)
    }
}

/// What an outstanding ticket is for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Request {
    /// The id of the sheet last open.
    LastSheet,
    /// A sheet; the run to show when it has come.
    Sheet(Option<Id>),
    Settings,
    Runs,
    Presets,
    Tokens(Vec<Id>),
    /// The text and the runs that wait for it to be on disk.
    Prompt,
}

/// What another tab sent that waits for what was here last.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum OfferedWork {
    /// A text to continue with.
    Text(Untrusted),
    /// Models to be tried on the same prompt.
    Comparison(Box<ComparisonOffer>),
}

/// How far the tab has loaded the text of last time.
#[derive(Debug, Default)]
pub(super) struct Startup {
    /// Whether it was asked for.
    entered: bool,
    /// Whether the text is here.
    pub(super) loaded: bool,
    /// What came from another tab before it.
    pub(super) offered: Option<OfferedWork>,
    /// The sheet that the settings were saved with, and the presets loaded on it.
    pub(super) presets: Option<(Id, LoadedPresets)>,
}

/// All state of the tab except that of its view.
#[derive(Debug)]
pub(super) struct State {
    pub(super) text: PromptText,
    pub(super) scores: TokenScores,
    pub(super) active: ActiveRuns,
    pub(super) log: RunLog,
    pub(super) saves: UnsavedChanges,
    pub(super) pending: Pending<Request>,
    pub(super) startup: Startup,
    pub(super) focus: CompletePane,
    pub(super) page: Page,
    pub(super) modals: Modals<Answer>,
    pub(super) settings: BufferSettings,
    pub(super) models: ChosenModels,
    /// Tokens that are to get a bias, whose ids are being found.
    pub(super) biases: BiasLookup,
    pub(super) presets: Presets,
    pub(super) compare: Compare,
    /// Unix milliseconds, as of the last event.
    pub(super) unix_ms: i64,
    /// Whether a failure has not been looked at.
    pub(super) unseen: bool,
}

impl State {
    pub(super) fn new() -> Self {
        Self {
            text: PromptText::default(),
            scores: TokenScores::default(),
            active: ActiveRuns::default(),
            log: RunLog::default(),
            saves: UnsavedChanges::default(),
            pending: Pending::default(),
            startup: Startup::default(),
            focus: CompletePane::Text,
            page: Page::Buffer,
            modals: Modals::default(),
            settings: BufferSettings::new(CompletionParams::default()),
            models: ChosenModels::default(),
            biases: BiasLookup::default(),
            presets: Presets::default(),
            compare: Compare::default(),
            unix_ms: 0,
            unseen: false,
        }
    }

    /// Prepares the tab when it comes to the front; the first time, asks for what is on disk.
    pub(super) fn enter(&mut self, cx: &mut Cx) {
        self.active.animation.set_motion(cx.session.motion);
        self.unix_ms = cx.unix_ms;
        self.suit_presets(cx.session);
        self.unseen = false;
        if std::mem::replace(&mut self.startup.entered, true) {
            return;
        }
        self.text.sheet = empty_sheet(cx.id(), cx.unix_ms);
        self.load_saved(cx);
    }

    /// Returns the model runs go to.
    pub(super) fn model(&self, session: &Session) -> Untrusted {
        self.models.current(session)
    }

    /// Returns whether the comparison is shown in place of the text.
    pub(super) fn is_comparing(&self) -> bool {
        matches!(self.page, Page::Compare)
    }

    /// Returns what the comparison is drawn from.
    pub(super) fn comparison_context(&self) -> ComparisonContext<'_> {
        let Self { text, scores, active, log, .. } = self;
        ComparisonContext { text, scores, active, log }
    }

    /// Returns the settings pane: that of the comparison while columns are compared.
    pub(super) fn pane(&self) -> &SettingsPane {
        if self.is_comparing() { &self.compare.pane } else { &self.settings.pane }
    }

    pub(super) fn pane_mut(&mut self) -> &mut SettingsPane {
        self.pane_and_params().0
    }

    /// Returns the settings that the pane shows: those of a column while columns are compared.
    pub(super) fn pane_params(&self) -> &CompletionParams {
        let column = self.compare.setup().filter(|_| self.is_comparing());
        column.map_or(self.settings.params(), |setup| &setup.params)
    }

    pub(super) fn pane_and_params(&mut self) -> (&mut SettingsPane, &mut CompletionParams) {
        let comparing = self.is_comparing();
        match self.compare.pane_and_params() {
            Some(parts) if comparing => parts,
            _ => self.settings.parts_mut(),
        }
    }

    /// Sets a field of the settings that the pane shows.
    pub(super) fn set_field(&mut self, name: &'static str, text: &str, cx: &Cx) {
        let (pane, params) = self.pane_and_params();
        if pane.set(params, name, text) {
            self.pane_settings_changed(cx);
        }
    }

    /// Returns the model those settings go with, and whether it is the local service's.
    pub(super) fn pane_model(&self, session: &Session) -> (Untrusted, bool) {
        match self.compare.setup().filter(|_| self.is_comparing()) {
            Some(setup) => (setup.model(), setup.is_local()),
            None => (self.model(session), session.local),
        }
    }

    /// Returns the profile those settings are sent to.
    fn pane_profile(&self, session: &Session) -> ProfileId {
        match self.compare.setup().filter(|_| self.is_comparing()) {
            Some(setup) => setup.profile(),
            None => session.profile.clone(),
        }
    }

    /// Takes in that the settings of the pane are others.
    pub(super) fn pane_settings_changed(&mut self, cx: &Cx) {
        if self.is_comparing() {
            self.compare.changed = true;
            self.saves.save_soon(cx.now);
        } else {
            self.settings_changed(cx.now);
        }
    }

    /// Takes a server's refusal off the screen: another run begins, one has succeeded, or the text is another.
    pub(super) fn clear_refusal(&mut self) {
        self.settings.pane.clear_refusal();
        self.compare.pane.clear_refusal();
    }

    /// Takes in that the caret is elsewhere.
    pub(super) fn caret_moved(&mut self, now: Instant) {
        self.text.caret_moved(now);
        self.saves.sheet_changed = true;
        self.saves.save_soon(now);
    }

    /// Takes in that settings are others.
    pub(super) fn settings_changed(&mut self, now: Instant) {
        self.saves.settings_changed = true;
        self.text.count.changed(now);
        self.saves.save_soon(now);
    }

    /// Fits the state to what has come.
    pub(super) fn arrange(&mut self, session: &Session) {
        self.unseen = false;
        self.suit_presets(session);
        self.take_defaults(session);
        self.sync();
        let (locked, model) = (self.active.is_busy(), self.pane_model(session).0);
        let [settings, presets] = [CompletePane::Settings, CompletePane::Presets].map(|pane| self.has_keys(pane));
        self.presets.set_focus(presets);
        let pane = self.pane_mut();
        pane.set_focus(settings);
        pane.lock(locked);
        pane.show_model(&model);
        pane.mark_left_out(session, &model);
        let ([_, tokens], guess) = self.text.tokens();
        let suffix = self.text.suffix_excerpt();
        let free = session.price(&self.pane_profile(session), &model) == Some(Price::FREE);
        let (pane, params) = self.pane_and_params();
        pane.show_suffix(params, tokens, guess, &suffix);
        pane.set_free(params, free);
        let model = self.model(session);
        self.presets.mark_edited(&self.text, self.settings.params(), &model);
    }

    /// Offers the examples in the order that suits the model in use.
    fn suit_presets(&mut self, session: &Session) {
        let lacking = self.log.lacking.of(&session.profile.0, &self.model(session));
        self.presets.suit(Suitability { local: session.local, lacking });
    }

    /// Takes the defaults of the model in use into the settings, once those that were saved are here.
    fn take_defaults(&mut self, session: &Session) {
        let comes = !self.startup.entered || self.pending.purposes().any(|asked| *asked == Request::Settings);
        if comes || self.active.is_busy() {
            return;
        }
        let model = self.model(session);
        self.settings.take_defaults(session.defaults(&session.profile, &model));
    }

    /// Returns whether a pane has the keys.
    pub(super) fn has_keys(&self, pane: CompletePane) -> bool {
        self.focus == pane && !self.modals.is_open()
    }

    /// Takes in what has changed of the tokens.
    pub(super) fn sync(&mut self) {
        let growing = self.active.buffer_run().and_then(|active| active.outputs.first()).map(|output| output.step);
        self.scores.sync(&self.text, &self.log.runs, growing);
    }

    /// Returns where text streams in, in bytes of the buffer; `None`: nothing does, or elsewhere.
    pub(super) fn growing_end(&self) -> Option<usize> {
        self.text.growing_end(self.active.buffer_run()?)
    }

    /// Returns the run whose work is shown.
    pub(super) fn shown_run(&self) -> Option<&Run> {
        self.log.shown_run(&self.text.history)
    }

    /// Returns the run whose end is told below the text: where something else was done since, it is no longer about what
    /// stands here.
    pub(super) fn told_run(&self) -> Option<&Run> {
        let here = self.text.history.current().and_then(|id| self.text.history.step(id));
        let stands = here.is_some_and(|step| matches!(step.made, Made::Generated { .. } | Made::Accepted));
        self.shown_run().filter(|run| stands || self.log.shown == Some(run.id))
    }

    /// Returns whether the text's pane says what the tab is for: there is no text, and no run is told of.
    pub(super) fn shows_intro(&self) -> bool {
        let is_told = !self.text.is_blank() && (self.active.is_busy() || self.told_run().is_some());
        self.startup.loaded && self.text.buffer.is_empty() && !is_told
    }

    /// Returns the run that is shown, where details of its failure are known.
    pub(super) fn failed_run(&self) -> Option<Id> {
        self.shown_run().map(|run| run.id).filter(|run| self.log.failures.contains_key(run))
    }

    /// Returns when something here wants to move or be kept.
    pub(super) fn due(&self) -> Option<Instant> {
        let frame = self.active.animation.due().filter(|_| self.active.is_busy());
        let save = self.active.save_due(&self.text.history);
        [frame, save, self.saves.due, self.text.due(), self.text.count.due].into_iter().flatten().min()
    }

    /// Does what was due.
    pub(super) fn tick(&mut self, cx: &mut Cx) {
        self.active.animation.tick(cx.now);
        self.unix_ms = cx.unix_ms;
        self.text.tick(cx.now);
        if self.saves.due.is_some_and(|due| due <= cx.now) {
            self.save(cx);
        }
        if self.text.count.due.is_some_and(|due| due <= cx.now) {
            self.text.ask_count(self.models.current(cx.session), cx.session.local, cx);
        }
        self.save_active_runs(false, cx);
    }
}
