//! The Complete tab's state: the text and its history, settings, runs under way.

use std::collections::BTreeMap;
use std::time::Instant;

use super::active_run::ActiveRuns;
use super::biases::BiasChange;
use super::compare::Compare;
use super::history;
use super::params::{MAX_TOKENS, SettingsPane};
use super::presets::{Presets, Suitability};
use super::prompt_count::PromptCount;
use super::prompt_text::{PromptText, empty_sheet};
use super::run_log::RunLog;
use super::runs::Runs;
use super::saves::UnsavedChanges;
use super::text_find::TextFind;
use super::token_scores::TokenScores;
use super::tokenizer::Tokenizer;
use crate::component::session::completes;
use crate::component::{ComparisonOffer, Cx, Modals, Notice, Pending, Session};
use crate::record::{CompletionParams, Id, Made, Run, Step};
use crate::settings::ProfileId;
use crate::tabs::columns::Columns;
use crate::tabs::generation::context_limit;
use crate::text::Untrusted;
use crate::tokens::{Encoding, Fit, fit};
use crate::ui::buffer::Change;

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
    Runs(Runs),
    /// Columns that run the same prompt.
    Compare,
    /// All candidates side by side; the step whose rivals they are.
    Candidates(Columns, Id),
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
    /// A count of tokens: of which state of the text.
    Count {
        stamp: u64,
    },
    /// The setups compared last.
    Compare,
    /// A count of tokens for a comparison: which one, in which vocabulary.
    ColumnCount {
        stamp: u64,
        encoding: Encoding,
    },
    /// The id of a token that is to get a bias.
    Bias(Untrusted, BiasChange),
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
}

/// All state of the tab except that of its view.
#[derive(Debug)]
pub(super) struct State {
    pub(super) text: PromptText,
    pub(super) scores: TokenScores,
    pub(super) count: PromptCount,
    pub(super) active: ActiveRuns,
    pub(super) log: RunLog,
    pub(super) saves: UnsavedChanges,
    pub(super) pending: Pending<Request>,
    pub(super) startup: Startup,
    pub(super) focus: CompletePane,
    pub(super) page: Page,
    pub(super) modals: Modals<Answer>,
    pub(super) settings: SettingsPane,
    /// The model chosen for each profile, by the profile's id.
    pub(super) models: BTreeMap<String, String>,
    pub(super) presets: Presets,
    pub(super) compare: Compare,
    /// Words looked for in the text.
    pub(super) find: TextFind,
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
            count: PromptCount::default(),
            active: ActiveRuns::default(),
            log: RunLog::default(),
            saves: UnsavedChanges::default(),
            pending: Pending::default(),
            startup: Startup::default(),
            focus: CompletePane::Text,
            page: Page::Buffer,
            modals: Modals::default(),
            settings: SettingsPane::new(CompletionParams::default()),
            models: BTreeMap::new(),
            presets: Presets::default(),
            compare: Compare::default(),
            find: TextFind::default(),
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

    /// Returns whether a run is under way or about to be.
    pub(super) fn is_busy(&self) -> bool {
        self.compare.is_counting() || self.active.is_busy()
    }

    /// Returns whether a run is under way, and says that it has to be stopped first; `then`: what can be done after
    /// that.
    pub(super) fn refuses_while_busy(&self, then: &str, cx: &mut Cx) -> bool {
        let busy = self.is_busy();
        if busy {
            cx.notify(Notice::warn(format!("a run is under way; esc stops it{then}")));
        }
        busy
    }

    /// Returns the model runs go to.
    pub(super) fn model(&self, session: &Session) -> Untrusted {
        self.model_of(&session.profile, session)
    }

    /// Returns the model that runs of a profile go to: the one chosen, else the first that completes; empty: no name of
    /// the server's tells of one.
    pub(super) fn model_of(&self, profile: &ProfileId, session: &Session) -> Untrusted {
        if let Some(chosen) = self.models.get(&profile.0) {
            return chosen.as_str().into();
        }
        if *profile != session.profile {
            return Untrusted::default();
        }
        let best = session.models.iter().find(|id| **id == "text-davinci-003");
        let suits = || session.models.iter().find(|id| completes(id));
        // Before the list has come there is the profile's own.
        let own = Some(&session.model).filter(|id| session.models.is_empty() && completes(id));
        best.or_else(suits).or(own).cloned().unwrap_or_default()
    }

    /// Takes a server's refusal off the screen: another run begins, one has succeeded, or the text is another.
    pub(super) fn clear_refusal(&mut self) {
        self.settings.clear_refusal();
        self.compare.settings.clear_refusal();
    }

    /// Takes in that the user has changed the text.
    pub(super) fn changed(&mut self, change: &Change, cx: &mut Cx) {
        if change.is_empty() {
            return;
        }
        let fresh = Step {
            removed: change.removed.as_str().into(),
            inserted: change.inserted.as_str().into(),
            ..self.new_step(Made::Typed, change.at, cx)
        };
        self.clear_refusal();
        let id = self.text.history.typed(change, fresh);
        self.step_made(id, cx);
        self.text.typed(cx.now);
    }

    /// Returns a step of the user's after the one the buffer stands at, which changes nothing yet.
    pub(super) fn new_step(&self, made: Made, at: usize, cx: &mut Cx) -> Step {
        history::step(cx.id(), self.text.sheet.id, self.text.history.current(), made, at, cx.unix_ms)
    }

    /// Takes in that a step of this copy's is new or another.
    pub(super) fn step_made(&mut self, id: Id, cx: &mut Cx) {
        self.saves.dirty.insert(id);
        self.step_changed(cx);
    }

    /// Takes in that the buffer stands at another step, or the caret elsewhere.
    pub(super) fn step_changed(&mut self, cx: &mut Cx) {
        self.text.step_changed(cx.unix_ms);
        self.caret_moved(cx.now);
    }

    /// Takes in that the caret is elsewhere.
    pub(super) fn caret_moved(&mut self, now: Instant) {
        self.text.caret_moved();
        self.count.changed(now);
        self.saves.sheet_changed = true;
        self.saves.save_soon(now);
    }

    /// Takes in that settings are others.
    pub(super) fn settings_changed(&mut self, now: Instant) {
        self.saves.settings_changed = true;
        self.count.changed(now);
        self.saves.save_soon(now);
    }

    /// Fits the state to what has come.
    pub(super) fn arrange(&mut self, session: &Session) {
        self.unseen = false;
        self.suit_presets(session);
        self.take_defaults(session);
        self.sync();
        let (locked, model) = (self.is_busy(), self.pane_model(session).0);
        let [settings, presets] = [CompletePane::Settings, CompletePane::Presets].map(|pane| self.has_keys(pane));
        self.presets.set_focus(presets);
        let pane = self.pane_mut();
        pane.set_focus(settings);
        pane.lock(locked);
        pane.show_model(&model);
        pane.mark_left_out(session, &model);
        self.show_suffix();
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
        if comes || self.is_busy() {
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

    /// Shows what follows the caret in the settings.
    fn show_suffix(&mut self) {
        self.count.guess(&self.text.buffer);
        let ([_, tokens], guess) = self.count.tokens();
        let caret = self.text.buffer.caret();
        let words = self.text.buffer.slice(caret..(caret + 60).min(self.text.buffer.len()));
        self.pane_mut().show_suffix(tokens, guess, &words.into());
    }

    /// Returns how many tokens the text has, of how many; and whether they are too many.
    pub(super) fn count_words(&self, session: &Session, wide: bool) -> (String, bool) {
        let ([prompt, suffix], guess) = self.count.tokens();
        if self.text.buffer.is_empty() {
            return (String::new(), false);
        }
        let most = self.settings.params().common.max_tokens.unwrap_or(MAX_TOKENS);
        let fit = fit(prompt + suffix, most, self.context(session));
        (context_limit::count_label(fit, prompt + suffix, !guess, wide), matches!(fit, Fit::Over { .. }))
    }

    /// Returns the run whose work is shown.
    pub(super) fn shown_run(&self) -> Option<&Run> {
        self.log.shown_run(&self.text.history)
    }

    /// Returns the run that is shown, where details of its failure are known.
    pub(super) fn failed_run(&self) -> Option<Id> {
        self.shown_run().map(|run| run.id).filter(|run| self.log.failures.contains_key(run))
    }

    /// Returns when something here wants to move or be kept.
    pub(super) fn due(&self) -> Option<Instant> {
        let frame = self.active.animation.due().filter(|_| self.is_busy());
        let save = self.active.save_due(&self.text.history);
        [frame, save, self.saves.due, self.text.due(), self.count.due].into_iter().flatten().min()
    }

    /// Does what was due.
    pub(super) fn tick(&mut self, cx: &mut Cx) {
        self.active.animation.tick(cx.now);
        self.unix_ms = cx.unix_ms;
        self.text.tick(cx.now);
        if self.saves.due.is_some_and(|due| due <= cx.now) {
            self.save(cx);
        }
        if self.count.due.is_some_and(|due| due <= cx.now) {
            self.ask_count(cx);
        }
        self.save_active_runs(false, cx);
    }
}
