//! Evaluates a tuned model and its base with rows that neither was trained on: exact matches, classes, what changed.
//!
//! Rows come from a local file or from the job's validation file; they are counted and priced, and nothing is sent
//! before the user says so. Answers are saved as they arrive: a run continues after a restart and asks nothing twice.

mod actions;
mod answer;
mod dataset;
mod export;
mod figures;
mod figures_view;
pub(super) mod keys;
mod open_evaluation;
mod replies;
mod rows_prompt;
mod run;
#[cfg(test)]
mod tests;
mod view;

use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

pub(super) use self::answer::{EvaluationAnswer, EvaluationDialog};
pub(super) use self::dataset::{EvaluatedModels, common_end, stop_of};
use self::keys::{FOOTER, KEYS};
use self::open_evaluation::OpenEvaluation;
use self::rows_prompt::RowsPrompt;
use crate::api::call::Ticket;
use crate::component::{Component, Cx, Handled, Hint, Notice, RenderContext, Response, Session};
use crate::record::answers::HeldOut;
use crate::record::{Bench, Query, TextList, TextRow};
use crate::settings::ProfileId;
use crate::tabs::Badge;
use crate::tabs::activity::{Activity, ActivityOutcome};
use crate::tabs::batch::BatchState;
use crate::tabs::range_download::RangeDownload;
use crate::tabs::tab::{RunMeter, unsaved_sentence};
use crate::text::Untrusted;
use crate::ui::meter::percent;

/// What the page tells the tab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EvaluationEvent {
    /// The page is done with; what runs continues.
    Close,
    /// It asks for a dialog: [`EvaluationPage::take_dialog`].
    Ask,
}

/// What is there.
#[derive(Debug, Default)]
enum EvaluationPhase {
    /// Nothing yet.
    #[default]
    Empty,
    /// A file is chosen, in a dialog.
    Choose,
    /// The validation file comes from the server.
    Fetching { whole: RangeDownload, name: Untrusted },
    /// It is read.
    Reading { ticket: Ticket, name: Untrusted, source: Untrusted },
    /// Its tokens are counted.
    Counting { ticket: Ticket, held: Box<HeldOut>, name: Untrusted, source: Untrusted },
    /// Rows and answers that are kept come from the store.
    Loading { rows: Ticket, answers: Ticket, found: Option<Box<(TextList, Vec<TextRow>)>> },
    /// They are open.
    Open(Box<OpenEvaluation>),
}

/// The page. It is there from the start and gets all replies to its tickets, also while it is not shown.
#[derive(Debug, Default)]
pub(super) struct EvaluationPage {
    facts: Option<EvaluatedModels>,
    phase: EvaluationPhase,
    /// The lists that are kept, once they are known.
    lists: Vec<TextList>,
    listing: Option<Ticket>,
    /// The dialog that it asks for, until the tab opens it: not before the page is in front.
    asks: Option<EvaluationDialog>,
    exporting: Option<Ticket>,
    /// Open rows of other models whose last answers are not on disk yet.
    unsaved: Vec<OpenEvaluation>,
    /// When something was last heard.
    seen: Option<Instant>,
}

impl EvaluationPage {
    /// Returns the dialog that it asks for, once.
    pub(super) fn take_dialog(&mut self) -> Option<EvaluationDialog> {
        self.asks.take()
    }

    /// Comes into view with these models: the rows they were scored with last, else the choice of rows.
    pub(super) fn open(&mut self, facts: EvaluatedModels, cx: &mut Cx) {
        self.seen = Some(cx.now);
        let same = self
            .facts
            .as_ref()
            .is_some_and(|old| (&old.profile, &old.tuned, &old.base) == (&facts.profile, &facts.tuned, &facts.base));
        self.facts = Some(facts);
        if same && !matches!(self.phase, EvaluationPhase::Empty) {
            // The dialog was closed as another page came to the front.
            if matches!(self.phase, EvaluationPhase::Choose) && self.asks.is_none() {
                self.choose_rows(None);
            }
            return;
        }
        self.leave(cx);
        self.load_lists(cx);
    }

    /// Asks for the lists that are kept: rows that were scored are found by what they hold.
    fn load_lists(&mut self, cx: &mut Cx) {
        self.listing = Some(cx.load(Query::TextLists(Bench::Score)));
    }

    /// Asks for rows; `note`: what went wrong before.
    fn choose_rows(&mut self, note: Option<Untrusted>) {
        let validation = self.facts.as_ref().and_then(|facts| facts.validation.as_ref());
        self.asks = Some(EvaluationDialog::Rows(RowsPrompt::new(validation.map(|(_, name)| name.clone()), note)));
        self.phase = EvaluationPhase::Choose;
    }

    /// Lets go of what is open; what runs is stopped, its results are kept.
    fn leave(&mut self, cx: &mut Cx) {
        self.asks = None;
        match std::mem::take(&mut self.phase) {
            EvaluationPhase::Open(mut open) => {
                if open.is_running() {
                    let said = "the previous scoring was stopped; its answers are kept";
                    cx.notify(Notice::info(said).about("score"));
                }
                open.stop(cx);
                if !open.is_saved() {
                    self.unsaved.push(*open);
                }
            }
            EvaluationPhase::Fetching { whole: RangeDownload { ticket, .. }, .. }
            | EvaluationPhase::Reading { ticket, .. }
            | EvaluationPhase::Counting { ticket, .. } => cx.cancel(ticket),
            EvaluationPhase::Empty | EvaluationPhase::Choose | EvaluationPhase::Loading { .. } => {}
        }
    }

    /// Returns the event that asks for a dialog, if one is wanted and there is nothing else to tell.
    fn or_ask(&self, handled: Handled<EvaluationEvent>) -> Handled<EvaluationEvent> {
        if handled == Handled::Consumed && self.asks.is_some() { Handled::Emit(EvaluationEvent::Ask) } else { handled }
    }

    /// Returns what it adds to the tab's name, also while it is not shown.
    pub(super) fn badge(&self) -> Option<Badge> {
        let EvaluationPhase::Open(open) = &self.phase else { return None };
        open.is_running().then(|| {
            let tally = open.tally();
            Badge::Text(percent((tally.done + tally.failed) as f64 / tally.total.max(1) as f64))
        })
    }

    /// Returns the run that scores, if one is under way.
    pub(super) fn activity(&self) -> Option<Activity> {
        let EvaluationPhase::Open(open) = &self.phase else { return None };
        open.is_running().then(|| open.tally().activity(0))
    }

    /// Returns how it ended, when it does not score any more.
    pub(super) fn outcome(&self) -> ActivityOutcome {
        let EvaluationPhase::Open(open) = &self.phase else { return ActivityOutcome::Stopped };
        // Where one of the two models has no answers nothing is compared: the worse one counts.
        open.runs.iter().map(|run| run.runner.outcome()).max().unwrap_or(ActivityOutcome::Stopped)
    }

    /// Returns tokens and cost of its last run.
    pub(super) fn meter(&self) -> Option<RunMeter> {
        let EvaluationPhase::Open(open) = &self.phase else { return None };
        open.meter()
    }

    /// Stops what runs, on Ctrl+C. Returns whether there was anything to stop.
    pub(super) fn interrupt(&mut self, cx: &mut Cx) -> bool {
        let EvaluationPhase::Open(open) = &mut self.phase else { return false };
        let runs = open.is_running();
        if runs {
            open.stop(cx);
        }
        runs
    }

    /// Returns whether an unfinished run uses this profile's server.
    pub(super) fn needs_profile(&self, profile: &ProfileId) -> bool {
        let EvaluationPhase::Open(open) = &self.phase else { return false };
        let goes_on = open.runs.iter().any(|run| run.runner.state() != BatchState::Finished);
        open.dataset.settings.profile == profile.0 && goes_on
    }

    /// Returns what the user is told before quitting.
    pub(super) fn quit_warning(&self) -> Option<String> {
        let open = if let EvaluationPhase::Open(open) = &self.phase { Some(&**open) } else { None };
        let mut open = open.into_iter().chain(&self.unsaved).filter(|open| !open.is_saved());
        let why = open.find_map(OpenEvaluation::refusal)?;
        Some(unsaved_sentence("Some scoring answers", why, ""))
    }

    /// Saves what is not saved yet, before the program ends.
    pub(super) fn before_quit(&mut self, cx: &mut Cx) {
        if let EvaluationPhase::Open(open) = &mut self.phase {
            open.stop(cx);
        }
    }
}

impl Component<EvaluationEvent> for EvaluationPage {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<EvaluationEvent> {
        self.seen = Some(cx.now);
        let handled = self.page_key(key, cx);
        self.or_ask(handled)
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<EvaluationEvent> {
        self.seen = Some(cx.now);
        let own = match response {
            Response::Call(progress) => self.handle_progress(ticket, progress, cx),
            Response::Store(stored) => self.handle_stored(ticket, stored, cx),
            Response::Work(done) => self.handle_worked(ticket, done, cx),
            Response::Taken => false,
        };
        self.or_ask(if own { Handled::Consumed } else { Handled::Ignored })
    }

    fn readable(&self, _session: &Session) -> Option<Untrusted> {
        if let EvaluationPhase::Open(open) = &self.phase { view::row_text(open) } else { None }
    }

    fn hints(&self) -> Vec<Hint> {
        match &self.phase {
            EvaluationPhase::Open(open) => KEYS.footer(&FOOTER, open),
            _ => Vec::new(),
        }
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        self.facts.iter().map(|_| ("Score", KEYS.help())).collect()
    }

    fn escape(&self) -> Option<&'static str> {
        self.next_escape().map(|(_, label)| label)
    }

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        view::arrange(self, area, session.spacing());
    }

    fn due(&self) -> Option<Instant> {
        let now = self.seen?;
        if let EvaluationPhase::Open(open) = &self.phase { open.due(now) } else { None }
    }

    fn tick(&mut self, cx: &mut Cx) {
        self.seen = Some(cx.now);
        if let EvaluationPhase::Open(open) = &mut self.phase {
            open.tick(cx);
        }
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        view::render(self, frame, area, context);
    }
}
