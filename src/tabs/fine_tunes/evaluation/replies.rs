//! Takes replies of server, store and work threads, and makes rows that can be sent of a file.

use super::answer::EvaluationDialog;
use super::dataset::{EvaluationDataset, EvaluationSettings, hex, stop_of};
use super::open_evaluation::OpenEvaluation;
use super::{EvaluationPage, EvaluationPhase};
use crate::api::call::{Progress, Ticket};
use crate::component::{Cx, Notice};
use crate::record::answers::{HeldOut, Source};
use crate::record::work::{Done, Work};
use crate::record::{Id, Query, Rows, Stored};
use crate::settings::ProfileId;
use crate::tabs::range_download::DownloadStep;
use crate::text::Untrusted;

/// Tokens that an answer may have beyond the longest one that is wanted.
const SPARE: u64 = 8;

impl EvaluationPage {
    /// News of a call. Returns whether the call was the page's.
    pub(super) fn handle_progress(&mut self, ticket: Ticket, progress: &Progress, cx: &mut Cx) -> bool {
        self.seen = Some(cx.now);
        match &mut self.phase {
            EvaluationPhase::Open(open) => return open.handle_progress(ticket, progress, cx),
            EvaluationPhase::Fetching { whole, .. } if whole.ticket == ticket => match whole.observe(progress, cx) {
                DownloadStep::Coming => {}
                DownloadStep::All(bytes) => self.fetched(Ok(bytes), cx),
                DownloadStep::Failed(why) => self.fetched(Err(why), cx),
            },
            _ => return false,
        }
        true
    }

    /// Takes the validation file, or the reason why it could not be fetched.
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

    /// Takes an answer of the store, and of its rows those that it asked for. Returns whether the query was the page's.
    pub(super) fn handle_stored(&mut self, ticket: Ticket, stored: &mut Stored, cx: &mut Cx) -> bool {
        self.seen = Some(cx.now);
        if self.listing.take_if(|listing| *listing == ticket).is_some() {
            if let Stored::Rows(Rows::TextLists(lists)) = stored {
                self.lists = std::mem::take(lists);
            }
            self.listed(cx);
            return true;
        }
        if self.unsaved.iter_mut().any(|open| open.handle_stored(ticket, stored, cx)) {
            self.unsaved.retain(|open| !open.is_saved());
            return true;
        }
        match &mut self.phase {
            EvaluationPhase::Open(open) => open.handle_stored(ticket, stored, cx),
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

    /// Takes the lists, and opens the one with which these models were evaluated last.
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

    /// Takes a result of the work threads. Returns whether the page had ordered it.
    pub(super) fn handle_worked(&mut self, ticket: Ticket, done: &Done, cx: &mut Cx) -> bool {
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

    /// Takes the rows of a file: opens them with their answers if they were evaluated before, else has their tokens
    /// counted.
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

    /// Takes the token counts: opens the rows, and asks whether they may be sent.
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
        self.asks = Some(EvaluationDialog::Send(open.question(cx.session)));
        self.phase = EvaluationPhase::Open(Box::new(open));
    }
}
