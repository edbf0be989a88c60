//! Scores a tuned model and its base with rows that neither was trained on: exact matches, classes, what changed.
//!
//! Rows come from a local file or from the job's validation file; they are counted and priced, and nothing is sent before
//! somebody says so. What comes is kept as it comes: a run goes on after a restart and asks nothing twice.

mod actions;
mod answer;
mod dataset;
mod export;
mod keys;
mod open_evaluation;
mod rows_prompt;
mod run;
#[cfg(test)]
mod tests;
mod view;

use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use self::answer::EvaluationAnswer;
pub(super) use self::dataset::{EvaluatedModels, common_end, stop_of};
use self::dataset::{EvaluationDataset, EvaluationSettings, hex};
use self::keys::{FOOTER, KEYS};
use self::open_evaluation::OpenEvaluation;
use self::rows_prompt::RowsPrompt;
use super::range_download::{DownloadStep, RangeDownload};
use crate::api::call::{Progress, Ticket};
use crate::component::{Component, ConfirmDialog, Cx, Handled, Hint, Modals, Notice, RenderContext, Response, Session};
use crate::record::answers::{HeldOut, Source};
use crate::record::work::{Done, Work};
use crate::record::{Bench, Id, Query, Rows, Stored, TextList, TextRow};
use crate::settings::ProfileId;
use crate::tabs::Badge;
use crate::tabs::tab::RunMeter;
use crate::text::Untrusted;
use crate::ui::meter::percent;

/// Tokens that an answer may have beyond the longest one that is wanted.
const SPARE: u64 = 8;

/// What the page tells the tab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EvaluationEvent {
    /// The page is done with; what runs goes on.
    Close,
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

/// The page. It is there from the start and hears all that is about its tickets, also while it is not shown.
#[derive(Debug, Default)]
pub(super) struct EvaluationPage {
    facts: Option<EvaluatedModels>,
    phase: EvaluationPhase,
    /// The lists that are kept, once they are known.
    lists: Vec<TextList>,
    listing: Option<Ticket>,
    modals: Modals<EvaluationAnswer>,
    exporting: Option<Ticket>,
    /// Open rows of other models whose last answers are not on disk yet.
    unsaved: Vec<OpenEvaluation>,
    /// When something was last heard.
    seen: Option<Instant>,
}

impl EvaluationPage {
    /// Comes into view with these models: the rows they were scored with last, else the choice of rows.
    pub(super) fn open(&mut self, facts: EvaluatedModels, cx: &mut Cx) {
        self.seen = Some(cx.now);
        let same = self
            .facts
            .as_ref()
            .is_some_and(|old| (&old.profile, &old.tuned, &old.base) == (&facts.profile, &facts.tuned, &facts.base));
        self.facts = Some(facts);
        if same && !matches!(self.phase, EvaluationPhase::Empty) {
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
        self.modals.open(RowsPrompt::new(validation.map(|(_, name)| name.clone()), note));
        self.phase = EvaluationPhase::Choose;
    }

    /// Lets go of what is open; what runs is stopped, what came of it is kept.
    fn leave(&mut self, cx: &mut Cx) {
        self.modals.close_all(cx);
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

    /// News of a call. Whether the call was the page's.
    fn progress(&mut self, ticket: Ticket, progress: &Progress, cx: &mut Cx) -> bool {
        self.seen = Some(cx.now);
        match &mut self.phase {
            EvaluationPhase::Open(open) => return open.progress(ticket, progress, cx),
            EvaluationPhase::Fetching { whole, .. } if whole.ticket == ticket => match whole.observe(progress, cx) {
                DownloadStep::Coming => {}
                DownloadStep::All(bytes) => self.fetched(Ok(bytes), cx),
                DownloadStep::Failed(why) => self.fetched(Err(why), cx),
            },
            _ => return false,
        }
        true
    }

    /// All of the validation file has come, or it could not.
    fn fetched(&mut self, file: Result<Vec<u8>, Untrusted>, cx: &mut Cx) {
        let EvaluationPhase::Fetching { name, .. } = std::mem::take(&mut self.phase) else { return };
        let bytes = match file {
            Ok(bytes) => bytes,
            Err(why) => {
                let note = format!("{} could not be read: {}", name.line(), why.line());
                return self.choose_rows(Some(note.into()));
            }
        };
        let ticket = cx.work(Work::Examples(Source::Bytes(bytes.into())));
        let source = self.facts.as_ref().and_then(|facts| facts.validation.clone()).unwrap_or_default().0;
        self.phase = EvaluationPhase::Reading { ticket, name, source };
    }

    /// The store's answer, of which it takes what it asked for. Whether the question was the page's.
    fn stored(&mut self, ticket: Ticket, stored: &mut Stored, cx: &mut Cx) -> bool {
        self.seen = Some(cx.now);
        if self.listing.take_if(|listing| *listing == ticket).is_some() {
            if let Stored::Rows(Rows::TextLists(lists)) = stored {
                self.lists = std::mem::take(lists);
            }
            self.listed(cx);
            return true;
        }
        if self.unsaved.iter_mut().any(|open| open.stored(ticket, stored, cx)) {
            self.unsaved.retain(|open| !open.is_saved());
            return true;
        }
        match &mut self.phase {
            EvaluationPhase::Open(open) => open.stored(ticket, stored, cx),
            EvaluationPhase::Loading { rows, answers, found } if [*rows, *answers].contains(&ticket) => {
                let is_rows = *rows == ticket;
                match (stored, is_rows) {
                    (Stored::Rows(Rows::Texts(Some(texts))), true) => {
                        let none = (texts.0.clone(), std::mem::take(&mut texts.1));
                        *found = Some(Box::new(none));
                    }
                    (Stored::Rows(Rows::Answers(answers)), false) if found.is_some() => {
                        let Some(texts) = found.take() else { return true };
                        let dataset = EvaluationDataset::of(texts.0, texts.1, std::mem::take(answers));
                        self.phase = EvaluationPhase::Open(Box::new(OpenEvaluation::new(dataset, true)));
                    }
                    (stored, _) => {
                        if let Stored::Failed(why) = stored {
                            cx.notify(Notice::error(why.clone()));
                        }
                        self.choose_rows(None);
                    }
                }
                true
            }
            _ => false,
        }
    }

    /// The lists are known: the one these models were scored with last is opened.
    fn listed(&mut self, cx: &mut Cx) {
        let Some(facts) = self.facts.as_ref().filter(|_| matches!(self.phase, EvaluationPhase::Empty)) else { return };
        let last = self.lists.iter().find(|list| EvaluationSettings::of(list).is_of(facts)).map(|list| list.id);
        match last {
            Some(list) => self.load(list, cx),
            None => self.choose_rows(None),
        }
    }

    fn load(&mut self, list: Id, cx: &mut Cx) {
        let rows = cx.load(Query::Texts(list));
        let answers = cx.load(Query::Answers(list));
        self.phase = EvaluationPhase::Loading { rows, answers, found: None };
    }

    /// The work threads' answer. Whether the order was the page's.
    fn worked(&mut self, ticket: Ticket, done: &Done, cx: &mut Cx) -> bool {
        self.seen = Some(cx.now);
        if self.exporting == Some(ticket) {
            match done {
                Done::Saved(path) => cx.notify(Notice::ok(format!("saved to {}", path.line())).about("export")),
                Done::Failed(why) => cx.notify(Notice::error(why.clone()).about("export")),
                _ => return true,
            }
            self.exporting = None;
            return true;
        }
        match &mut self.phase {
            EvaluationPhase::Reading { ticket: own, .. } if *own == ticket => {
                match done {
                    Done::Examples(held) => self.read(held, cx),
                    Done::Failed(why) => self.choose_rows(Some(why.clone())),
                    _ => {}
                }
                true
            }
            EvaluationPhase::Counting { ticket: own, .. } if *own == ticket => {
                match done {
                    Done::Counted(exact, counts) => self.counted(*exact, counts, cx),
                    Done::Failed(_) => self.counted(false, &[], cx),
                    _ => {}
                }
                true
            }
            _ => false,
        }
    }

    /// The rows are here: those that were scored before are opened with their answers, others counted.
    fn read(&mut self, held: &HeldOut, cx: &mut Cx) {
        let EvaluationPhase::Reading { name, source, .. } = std::mem::take(&mut self.phase) else { return };
        let Some(facts) = self.facts.clone() else { return };
        let key = held.key.map(hex).unwrap_or_default();
        let known = self.lists.iter().find(|list| {
            let settings = EvaluationSettings::of(list);
            settings.is_of(&facts) && settings.key == key
        });
        if let Some(list) = known.map(|list| list.id) {
            cx.notify(
                Notice::info("these rows were scored before; rows with answers are not asked again").about("score"),
            );
            return self.load(list, cx);
        }
        let texts: Vec<Untrusted> = held.rows.iter().flat_map(|row| [row.prompt.clone(), row.wanted.clone()]).collect();
        let local = facts.profile == ProfileId::local();
        let ticket = cx.work(Work::Count { model: facts.tuned, local, texts: texts.into() });
        self.phase = EvaluationPhase::Counting { ticket, held: Box::new(held.clone()), name, source };
    }

    /// The tokens are counted: the rows are open, and it is asked whether they may be sent.
    fn counted(&mut self, exact: bool, counts: &[u32], cx: &mut Cx) {
        let EvaluationPhase::Counting { held, name, source, .. } = std::mem::take(&mut self.phase) else { return };
        let Some(facts) = &self.facts else { return };
        let estimates: Vec<u32>;
        let counts = if counts.len() == held.rows.len() * 2 {
            counts
        } else {
            let texts = held.rows.iter().flat_map(|row| [&row.prompt, &row.wanted]);
            estimates = texts.map(|text| (text.len() / 4 + 1) as u32).collect();
            &estimates
        };
        let sum = |from: usize| counts.iter().skip(from).step_by(2).map(|count| u64::from(*count)).sum::<u64>();
        let longest = counts.iter().skip(1).step_by(2).max().copied().unwrap_or(16);
        // A message has an end of its own.
        let stop = if held.chat { None } else { stop_of(held.rows.iter().map(|row| row.wanted.raw())) };
        let stop: Vec<String> = stop.into_iter().collect();
        let settings = EvaluationSettings {
            profile: facts.profile.0.clone(),
            models: [facts.tuned.raw().to_owned(), facts.base.raw().to_owned()],
            chat: held.chat,
            // Room for the end itself, which counts though it does not come.
            max_tokens: u64::from(longest) + if stop.is_empty() && !held.chat { 0 } else { SPARE },
            stop,
            key: held.key.map(hex).unwrap_or_default(),
            tokens: [sum(0), sum(1)],
            exact: exact && !held.chat,
            begun: false,
        };
        let dataset = EvaluationDataset::new(held.rows, name, source, settings, cx);
        let open = OpenEvaluation::new(dataset, false);
        self.modals.open(ConfirmDialog::new(open.question(cx.session), EvaluationAnswer::Send));
        self.phase = EvaluationPhase::Open(Box::new(open));
    }

    /// What stands on the tab's name because of it, also while it is not shown.
    pub(super) fn badge(&self) -> Option<Badge> {
        let EvaluationPhase::Open(open) = &self.phase else { return None };
        open.is_running().then(|| {
            let tally = open.tally();
            Badge::Text(percent((tally.done + tally.failed) as f64 / tally.total.max(1) as f64))
        })
    }

    /// What its last run was.
    pub(super) fn meter(&self) -> Option<RunMeter> {
        let EvaluationPhase::Open(open) = &self.phase else { return None };
        open.meter()
    }

    /// Ctrl+C: stops what runs. Whether there was anything.
    pub(super) fn interrupt(&mut self, cx: &mut Cx) -> bool {
        let EvaluationPhase::Open(open) = &mut self.phase else { return false };
        let runs = open.is_running();
        if runs {
            open.stop(cx);
        }
        runs
    }

    /// What must be said before quitting.
    pub(super) fn quit_warning(&self) -> Option<String> {
        let open = if let EvaluationPhase::Open(open) = &self.phase { Some(&**open) } else { None };
        let mut open = open.into_iter().chain(&self.unsaved).filter(|open| !open.is_saved());
        let why = open.find_map(OpenEvaluation::refusal)?;
        Some(format!(
            "Some scoring answers could not be saved: {}. Quitting tries once more; anything refused then is lost.",
            why.line()
        ))
    }

    /// The program ends: keeps what is not kept yet.
    pub(super) fn before_quit(&mut self, cx: &mut Cx) {
        if let EvaluationPhase::Open(open) = &mut self.phase {
            open.stop(cx);
        }
    }
}

impl Component<EvaluationEvent> for EvaluationPage {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<EvaluationEvent> {
        self.seen = Some(cx.now);
        match self.modals.key(key, cx) {
            Handled::Ignored => self.page_key(key, cx),
            Handled::Consumed => Handled::Consumed,
            Handled::Emit(answer) => self.answer(answer, cx),
        }
    }

    fn paste(&mut self, text: &str, cx: &mut Cx) -> Handled<EvaluationEvent> {
        match self.modals.paste(text, cx) {
            Handled::Ignored => Handled::Ignored,
            Handled::Consumed => Handled::Consumed,
            Handled::Emit(answer) => self.answer(answer, cx),
        }
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<EvaluationEvent> {
        self.seen = Some(cx.now);
        match self.modals.reply(ticket, response, cx) {
            Handled::Ignored => {}
            Handled::Consumed => return Handled::Consumed,
            Handled::Emit(answer) => return self.answer(answer, cx),
        }
        let own = match response {
            Response::Call(progress) => self.progress(ticket, progress, cx),
            Response::Store(stored) => self.stored(ticket, stored, cx),
            Response::Work(done) => self.worked(ticket, done, cx),
            Response::Taken => false,
        };
        if own { Handled::Consumed } else { Handled::Ignored }
    }

    fn hints(&self) -> Vec<Hint> {
        match &self.phase {
            _ if self.modals.is_open() => self.modals.hints(),
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

    fn typing(&self) -> bool {
        self.modals.typing()
    }

    fn arrange(&mut self, area: Rect, session: &Session, now: Instant) {
        self.modals.arrange(area, session, now);
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
