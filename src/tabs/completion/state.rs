//! The Complete tab's state: the buffer and its history, settings, runs under way. Events in, effects out.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, Instant};

use super::biases::Nudge;
use super::compare::Compare;
use super::count::Count;
use super::flight::{Flight, Order, SAVE_EVERY};
use super::history::{self, History, Span};
use super::params::Settings;
use super::presets::Presets;
use super::runs::Runs;
use super::scored::{Known, Scored};
use super::tokenizer::Tokenizer;
use crate::api::call::{Failure, Ticket};
use crate::component::session::completes;
use crate::component::{Cx, Modals, Pending, Session, Trial};
use crate::record::{CompletionParams, Id, Made, Record, Run as Kept, Sheet, Step, Token};
use crate::settings::ProfileId;
use crate::tabs::columns::Columns;
use crate::tabs::generation::limit;
use crate::tabs::generation::strip::Strip;
use crate::tabs::tab::RunMeter;
use crate::text::Untrusted;
use crate::tokens::{Encoding, Fit, fit};
use crate::ui::buffer::{Buffer, Change};
use crate::ui::meter::SPINNER_FRAME;

/// How long what is typed rests before it is kept.
const REST: Duration = Duration::from_millis(300);
/// After so long without a key, what is typed next is a step of its own.
const BURST_REST: Duration = Duration::from_secs(2);
/// Between two frames of what counts on without a spinner.
const STILL_FRAME: Duration = Duration::from_millis(500);

/// Which pane has the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Focus {
    /// The buffer with the caret: letters are text.
    Text,
    /// The buffer, looked at.
    Browse,
    /// The settings.
    Settings,
    /// The presets.
    Presets,
}

/// What stands where the buffer stands.
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
    Beside(Columns, Id),
}

/// The answer of a dialog.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// The biases of the pane's settings.
    Biases(BTreeMap<String, f64>),
    /// Look for these words; `None`: for nothing any more.
    Find(Option<String>),
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
    /// Something kept; whether it is all there is.
    Save {
        mending: bool,
    },
    /// A count of tokens: of which state of the text.
    Count {
        stamp: u64,
    },
    /// The setups compared last.
    Compare,
    /// A count of tokens for a comparison: which one, in which vocabulary.
    Tally {
        stamp: u64,
        encoding: Encoding,
    },
    /// The tokenizer's.
    Cut,
    /// The id of a token that is to get a bias.
    Nudge(Untrusted, Nudge),
}

/// What another tab sent that waits for what was here last.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Offered {
    /// A text to go on with.
    Text(Untrusted),
    /// Models to be tried on the same prompt.
    Trial(Box<Trial>),
}

/// All of the tab that is not its picture.
#[derive(Debug)]
pub(super) struct State {
    pub(super) sheet: Sheet,
    pub(super) history: History,
    pub(super) buffer: Buffer,
    /// Counts changes of the text and of what is known of it.
    pub(super) revision: u64,
    pub(super) focus: Focus,
    pub(super) page: Page,
    pub(super) modals: Modals<Answer>,
    pub(super) settings: Settings,
    pub(super) compare: Compare,
    /// The model chosen for each profile, by the profile's id.
    pub(super) models: BTreeMap<String, String>,
    pub(super) presets: Presets,
    pub(super) runs: Vec<Kept>,
    /// Tokens of steps, and of prompts by their runs, as far as they are here.
    pub(super) tokens: HashMap<Id, Vec<Token>>,
    pub(super) scored: Scored,
    /// Whether tokens are coloured by their probability.
    pub(super) heat: bool,
    pub(super) flights: Vec<Flight>,
    /// Runs that wait for their prompt to be counted and on disk.
    pub(super) orders: Vec<Order>,
    /// Where the buffer stood before it went back to run again.
    pub(super) again_from: Option<Id>,
    /// What has no other place here than the order that keeps it, by the order.
    pub(super) owed: HashMap<Ticket, Record>,
    /// Of those, what could not be kept.
    pub(super) lost: Vec<Record>,
    /// A run that was asked for and waits for the exact count.
    pub(super) counting: bool,
    /// Runs that asked for an echo and got none.
    pub(super) unechoed: BTreeSet<Id>,
    /// Why runs ended of which no text came: the server's `finish_reason`.
    pub(super) empty_reasons: BTreeMap<Id, Untrusted>,
    /// Why the last run of a sheet failed, by run.
    pub(super) failures: HashMap<Id, Failure>,
    /// The run whose end is shown under the text.
    pub(super) last: Option<Id>,
    pub(super) count: Count,
    pub(super) meter: Option<RunMeter>,
    /// Whether the strip of probabilities is wanted.
    pub(super) strip_shown: bool,
    pub(super) strip: Strip,
    /// Words looked for in the text.
    pub(super) find: String,
    /// What is not kept yet.
    pub(super) unkept: BTreeSet<Id>,
    pub(super) sheet_changed: bool,
    pub(super) settings_changed: bool,
    pub(super) keep_due: Option<Instant>,
    burst_due: Option<Instant>,
    pub(super) unsaved: Vec<Ticket>,
    pub(super) save_error: Option<Untrusted>,
    /// Why the disk does not take something now. The store keeps it and offers it again.
    pub(super) waits: Option<Untrusted>,
    /// Steps and runs this copy has made: what a disk that was full is given again.
    pub(super) own: BTreeSet<Id>,
    pub(super) pending: Pending<Request>,
    pub(super) loaded: bool,
    entered: bool,
    /// Since when something moves.
    pub(super) began: Option<Instant>,
    ticked: Option<Instant>,
    pub(super) motion: bool,
    /// What came from another tab before what was here last.
    pub(super) offered: Option<Offered>,
    /// Unix milliseconds, as of the last event.
    pub(super) unix_ms: i64,
    /// What was last compared with the preset in use.
    pub(super) compared: Option<(u64, CompletionParams, Untrusted)>,
    /// Whether a failure has not been looked at.
    pub(super) unseen: bool,
}

impl State {
    pub(super) fn new() -> Self {
        Self {
            sheet: Sheet { id: Id(0), created_ms: 0, updated_ms: 0, current: None, caret: 0 },
            history: History::default(),
            buffer: Buffer::new(),
            revision: 0,
            focus: Focus::Text,
            page: Page::Buffer,
            modals: Modals::default(),
            settings: Settings::new(CompletionParams::default()),
            compare: Compare::default(),
            models: BTreeMap::new(),
            presets: Presets::default(),
            runs: Vec::new(),
            tokens: HashMap::new(),
            scored: Scored::default(),
            heat: false,
            flights: Vec::new(),
            orders: Vec::new(),
            again_from: None,
            owed: HashMap::new(),
            lost: Vec::new(),
            counting: false,
            unechoed: BTreeSet::new(),
            empty_reasons: BTreeMap::new(),
            failures: HashMap::new(),
            last: None,
            count: Count::default(),
            meter: None,
            strip_shown: true,
            strip: Strip::default(),
            find: String::new(),
            unkept: BTreeSet::new(),
            sheet_changed: false,
            settings_changed: false,
            keep_due: None,
            burst_due: None,
            unsaved: Vec::new(),
            save_error: None,
            waits: None,
            own: BTreeSet::new(),
            pending: Pending::default(),
            loaded: false,
            entered: false,
            began: None,
            ticked: None,
            motion: true,
            offered: None,
            unix_ms: 0,
            compared: None,
            unseen: false,
        }
    }

    /// Has come to the front: the first time, asks for what is on disk.
    pub(super) fn enter(&mut self, cx: &mut Cx) {
        self.motion = cx.session.motion;
        self.unix_ms = cx.unix_ms;
        self.presets.suit(cx.session.local);
        self.unseen = false;
        if std::mem::replace(&mut self.entered, true) {
            return;
        }
        self.sheet = Sheet { id: cx.id(), created_ms: cx.unix_ms, updated_ms: cx.unix_ms, current: None, caret: 0 };
        self.ask_kept(cx);
    }

    /// Whether a run of the buffer is under way or about to be.
    pub(super) fn is_busy(&self) -> bool {
        self.counting || self.compare.is_counting() || !self.orders.is_empty() || !self.flights.is_empty()
    }

    /// The run that writes into the buffer.
    pub(super) fn writing(&self) -> Option<&Flight> {
        self.flights.iter().find(|flight| flight.purpose == super::flight::Purpose::Buffer)
    }

    /// The model runs go to.
    pub(super) fn model(&self, session: &Session) -> Untrusted {
        self.model_of(&session.profile, session)
    }

    /// The model that runs of a profile go to: the one chosen, else the first that completes; empty: no name of the
    /// server's tells of one.
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

    /// What a server refused is over: another run begins, one has succeeded, or the text is another.
    pub(super) fn clear_refusal(&mut self) {
        self.settings.clear_refusal();
        self.compare.settings.clear_refusal();
    }

    /// The user has changed the text.
    pub(super) fn changed(&mut self, change: &Change, cx: &mut Cx) {
        if change.removed.is_empty() && change.inserted.is_empty() {
            return;
        }
        let fresh = Step {
            removed: change.removed.as_str().into(),
            inserted: change.inserted.as_str().into(),
            ..history::step(cx.id(), self.sheet.id, self.history.current(), Made::Typed, change.at, cx.unix_ms)
        };
        self.clear_refusal();
        let id = self.history.typed(change.at, &change.removed, &change.inserted, fresh);
        self.made(id, cx);
        self.burst_due = Some(cx.now + BURST_REST);
    }

    /// A step of this copy's is new or another.
    pub(super) fn made(&mut self, id: Id, cx: &mut Cx) {
        self.own.insert(id);
        self.unkept.insert(id);
        self.moved(cx);
    }

    /// The buffer stands at another step, or the caret elsewhere.
    pub(super) fn moved(&mut self, cx: &mut Cx) {
        self.revision += 1;
        self.sheet.current = self.history.current();
        self.sheet.updated_ms = cx.unix_ms;
        self.placed(cx.now);
    }

    /// The caret is elsewhere.
    pub(super) fn placed(&mut self, now: Instant) {
        self.sheet.caret = self.buffer.caret() as u64;
        self.count.changed(now);
        self.sheet_changed = true;
        self.keep_due.get_or_insert(now + REST);
    }

    /// Settings are others.
    pub(super) fn set(&mut self, now: Instant) {
        self.settings_changed = true;
        self.count.changed(now);
        self.keep_soon(now);
    }

    /// What is not kept yet is kept soon.
    pub(super) fn keep_soon(&mut self, now: Instant) {
        self.keep_due.get_or_insert(now + REST);
    }

    /// Fits the state to what has come.
    pub(super) fn arrange(&mut self, session: &Session) {
        self.unseen = false;
        self.presets.suit(session.local);
        self.sync();
        let (locked, model) = (self.is_busy(), self.pane_model(session).0);
        let pane = self.pane_mut();
        pane.lock(locked);
        pane.model(&model);
        self.show_suffix();
        self.mark_edited(session);
    }

    /// Takes in what has changed of the tokens; the strip's cursor stays on a token.
    pub(super) fn sync(&mut self) {
        let growing = self.writing().and_then(|flight| flight.outputs.first()).map(|output| output.step);
        let known =
            Known { history: &self.history, tokens: &self.tokens, runs: &self.runs, buffer: &self.buffer, growing };
        let before = self.scored.len();
        if self.scored.sync(self.revision, &known) {
            let tokens = self.scored.tokens(&self.tokens);
            // The cursor is at the end while text comes, and where something else is shown.
            if tokens.len() != before || self.strip.at >= tokens.len() {
                self.strip.go(tokens.len().saturating_sub(1), &tokens);
            }
        }
    }

    /// Where text streams in, in bytes of the buffer; `None`: nothing does, or elsewhere.
    pub(super) fn growing_end(&self) -> Option<usize> {
        let here = self.history.current()?;
        let shown = self.writing()?.outputs.iter().any(|output| output.step == here);
        let step = self.history.step(here).filter(|_| shown)?;
        Some(step.at as usize + step.inserted.len())
    }

    /// What follows the caret, for the settings.
    fn show_suffix(&mut self) {
        self.count.guess(&self.buffer);
        let ([_, tokens], guess) = self.count.tokens();
        let caret = self.buffer.caret();
        let words = self.buffer.slice(caret..(caret + 60).min(self.buffer.len()));
        self.pane_mut().suffix(tokens, guess, &words.into());
    }

    /// How many tokens the text has, of how many; whether they are too many.
    pub(super) fn count_words(&self, session: &Session, wide: bool) -> (String, bool) {
        let ([prompt, suffix], guess) = self.count.tokens();
        if self.buffer.is_empty() {
            return (String::new(), false);
        }
        let most = self.settings.params().common.max_tokens.unwrap_or(super::params::MAX_TOKENS);
        let fit = fit(prompt + suffix, most, self.context(session));
        (limit::words(fit, prompt + suffix, !guess, wide), matches!(fit, Fit::Over { .. }))
    }

    /// Generated pieces of the buffer.
    pub(super) fn spans(&self) -> &[Span] {
        self.history.spans()
    }

    /// When something here wants to move or be kept.
    pub(super) fn due(&self) -> Option<Instant> {
        let frame = if self.motion { SPINNER_FRAME } else { STILL_FRAME };
        let spin = self.is_busy().then_some(()).and(self.ticked).map(|at| at + frame);
        let behind = self.flights.iter().filter(|flight| flight.is_behind(&self.history));
        let save = behind.map(|flight| flight.last_saved + SAVE_EVERY).min();
        [spin, save, self.keep_due, self.burst_due, self.count.due()].into_iter().flatten().min()
    }

    pub(super) fn tick(&mut self, cx: &mut Cx) {
        self.ticked = Some(cx.now);
        self.unix_ms = cx.unix_ms;
        if self.burst_due.is_some_and(|due| due <= cx.now) {
            self.burst_due = None;
            self.history.rest();
        }
        if self.keep_due.is_some_and(|due| due <= cx.now) {
            self.keep(cx);
        }
        if self.count.due().is_some_and(|due| due <= cx.now) {
            self.ask_count(cx);
        }
        self.save_flights(false, cx);
    }

    /// Something moves from now on.
    pub(super) fn begin_ticking(&mut self, now: Instant) {
        self.began = Some(now);
        self.ticked = Some(now);
    }
}
