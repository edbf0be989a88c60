//! Texts that are embedded outside the tab: what `benchtop embed` sends, saves and prints.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use super::embed_run::{EmbedRun, RunPurpose, RunStage};
use super::embedded_list::sent;
use super::persistence::VIEW;
use super::saves::{EmbedSettings, default_model};
use super::send::{RunUpdate, names_dimensions};
use super::state::RunState;
use super::vector_set::fault;
use crate::api::call::{Call, Failure, FailureKind, Progress, Reply, Ticket};
use crate::component::{Cx, Response};
use crate::record::work::{Done, Work};
use crate::record::{Query, Rows, Stored, TextKey, VectorKey, VectorTable};
use crate::tabs::batch::{
    BatchRunner, TextResult, TextRun, TextRunUpdate, TextWindow, UnwatchedRun, UnwatchedState, lists_no_models,
};
use crate::text::Untrusted;

/// What was asked and is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Nothing,
    Settings(Ticket),
    Models(Ticket),
    /// The vectors that are on disk.
    Vectors(Ticket),
    /// The tokens of the texts without one.
    Tokens(Ticket),
}

/// Texts that one model embeds, some thousand at a time: those that have a vector on disk are not sent.
#[derive(Debug)]
pub struct EmbeddingRun {
    /// The model that is named; `None`: the tab's.
    model: Option<Untrusted>,
    /// The length that is asked for; `None`: the tab's for this model.
    dimensions: Option<u32>,
    settings: EmbedSettings,
    asked: Asked,
    /// What vectors are kept under; `None`: the model is not known yet.
    key: Option<VectorKey>,
    run: RunState,
    window: TextWindow<Arc<[f32]>>,
    unwatched: UnwatchedRun,
    text_failure: Option<Failure>,
}

impl EmbeddingRun {
    /// Creates a run with this model and this length of the vectors; `None`: those that the tab would use.
    pub fn new(model: Option<Untrusted>, dimensions: Option<u32>) -> Self {
        Self {
            model,
            dimensions,
            settings: EmbedSettings::default(),
            asked: Asked::Nothing,
            key: None,
            run: RunState::default(),
            window: TextWindow::default(),
            unwatched: UnwatchedRun::default(),
            text_failure: None,
        }
    }

    /// Returns the model; empty: not known yet.
    pub fn model(&self) -> &Untrusted {
        self.key.as_ref().map_or(Untrusted::none(), |key| &key.model)
    }

    fn begin(&mut self, model: Untrusted, cx: &Cx) -> TextRunUpdate {
        self.asked = Asked::Nothing;
        if model.is_empty() {
            return TextRunUpdate::NoModel;
        }
        let key = self.settings.key_of(&cx.session.profile, model);
        self.key = Some(VectorKey { dimensions: self.dimensions.or(key.dimensions), ..key });
        TextRunUpdate::Nothing
    }

    fn handle_models(&mut self, progress: Progress, cx: &Cx) -> TextRunUpdate {
        match progress {
            Progress::Retrying { why, .. } => TextRunUpdate::Retrying(why),
            Progress::Reply(Reply::Models(models)) => {
                let models: Vec<Untrusted> = models.iter().map(|model| model.id.as_str().into()).collect();
                self.begin(default_model(&models), cx)
            }
            Progress::Closed(Err(why)) if lists_no_models(&why) => self.begin(default_model(&[]), cx),
            Progress::Closed(Err(why)) => TextRunUpdate::NotStarted(why),
            _ => TextRunUpdate::Nothing,
        }
    }

    fn handle_stored(&mut self, ticket: Ticket, stored: Stored, cx: &mut Cx) -> TextRunUpdate {
        if let Some(vectors) = self.run.handle_stored(ticket, &stored) {
            self.set(vectors.into_iter().map(|result| (result.text, Ok(result.vector))));
            return TextRunUpdate::Nothing;
        }
        match (self.asked, stored) {
            (Asked::Settings(asked), stored) if asked == ticket => {
                if let Stored::Rows(Rows::Setting(_, Some(json))) = stored {
                    self.settings = EmbedSettings::saved(&json);
                }
                match self.model.clone().or_else(|| self.settings.chosen_model(&cx.session.profile)) {
                    Some(model) => return self.begin(model, cx),
                    None => self.asked = Asked::Models(cx.call(Call::Models)),
                }
            }
            (Asked::Vectors(asked), Stored::Rows(Rows::Vectors(table))) if asked == ticket => {
                self.take_kept(&table, cx);
            }
            (Asked::Vectors(asked), Stored::Failed(why)) if asked == ticket => {
                return TextRunUpdate::NotStarted(Failure::new(FailureKind::CutOff, why));
            }
            _ => {}
        }
        TextRunUpdate::Nothing
    }

    /// Looks for the vectors of the texts on disk.
    fn look_up(&mut self, cx: &mut Cx) {
        let Some(key) = self.key.clone() else { return };
        let keep_newlines = self.settings.keep_newlines;
        let texts: Vec<_> = self.window.open().map(|(_, text)| (sent(text, keep_newlines), None)).collect();
        if texts.is_empty() {
            return;
        }
        self.run.count += 1;
        let price = cx.session.price(&cx.session.profile, &key.model);
        let job = EmbedRun::new(self.run.count, RunPurpose::List, key.clone(), price, texts, cx.now);
        let texts = job.items.iter().map(|item| item.key).collect();
        self.run.job = Some(job);
        self.asked = Asked::Vectors(cx.load(Query::Vectors { key, texts }));
    }

    /// Takes the vectors that are on disk; the tokens of the other texts are counted.
    fn take_kept(&mut self, table: &VectorTable, cx: &mut Cx) {
        self.asked = Asked::Nothing;
        let Some(job) = &mut self.run.job else { return };
        // A vector that says nothing is as good as none: another takes its place.
        let vectors = (0..job.items.len()).map(|row| table.row(row).filter(|vector| fault(vector).is_none()));
        let vectors: Vec<Option<&[f32]>> = vectors.collect();
        let has: Vec<bool> = vectors.iter().map(Option::is_some).collect();
        let empty = job.note_vectors(&has);
        job.stage = RunStage::Counting;
        let texts: Arc<[Untrusted]> = job.missing().map(|item| item.text.clone()).collect();
        let (model, local) = (job.key.model.clone(), job.local);
        let kept = job.items.iter().zip(vectors);
        let kept: Vec<_> = kept.filter_map(|(item, vector)| Some((item.key, Ok(Arc::from(vector?))))).collect();
        let why = || Err("the text is empty, so there is nothing to embed".into());
        self.set(kept.into_iter().chain(empty.into_iter().map(|key| (key, why()))));
        if texts.is_empty() {
            self.run.end(cx);
        } else {
            self.asked = Asked::Tokens(cx.work(Work::Count { model, local, texts }));
        }
    }

    /// Takes the tokens of the texts without a vector, and sends those that the model can read.
    fn take_tokens(&mut self, counts: &[u32], cx: &mut Cx) {
        self.asked = Asked::Nothing;
        let Some(job) = &mut self.run.job else { return };
        job.note_tokens(counts);
        let too_long = job.leave_out(&job.too_long());
        if job.missing.is_empty() {
            self.run.end(cx);
        } else {
            job.begin_sending(cx.now);
            job.runner.iter_mut().for_each(BatchRunner::split_before_waiting);
        }
        if let Some((_, why)) = too_long.last() {
            self.text_failure = Some(Failure::new(FailureKind::TooLong, why.clone()));
        }
        self.set(too_long.into_iter().map(|(key, why)| (key, Err(why))));
    }

    fn set(&mut self, results: impl Iterator<Item = (TextKey, Result<Arc<[f32]>, Untrusted>)>) {
        let results: HashMap<_, _> = results.collect();
        if !results.is_empty() {
            self.window.set_all(&results);
        }
    }

    fn handle_progress(&mut self, ticket: Ticket, progress: Progress, cx: &mut Cx) -> TextRunUpdate {
        let retrying = match &progress {
            Progress::Retrying { why, .. } => Some(why.clone()),
            _ => None,
        };
        match (self.run.handle_progress(ticket, progress, cx), retrying) {
            (Some(RunUpdate::Pending), Some(why)) => return TextRunUpdate::Retrying(why),
            (Some(RunUpdate::Ended(failed)), _) => {
                match &self.run.failure {
                    None => self.unwatched.note_answer(),
                    Some(why) => self.unwatched.note_failure(why.clone()),
                }
                if let Some((_, why)) = failed.last() {
                    let missing = || Failure::new(FailureKind::Malformed, why.clone());
                    self.text_failure = Some(self.run.failure.clone().unwrap_or_else(missing));
                }
                self.set(failed.into_iter().map(|(key, why)| (key, Err(why))));
            }
            // Only a run for a pane is abandoned.
            (None | Some(RunUpdate::Pending | RunUpdate::Abandoned(_)), _) => {}
        }
        TextRunUpdate::Nothing
    }
}

impl TextRun for EmbeddingRun {
    type Outcome = Arc<[f32]>;

    fn start(&mut self, cx: &mut Cx) {
        self.asked = Asked::Settings(cx.load(Query::Setting(VIEW.into())));
    }

    fn handle(&mut self, ticket: Ticket, response: Response, cx: &mut Cx) -> TextRunUpdate {
        match response {
            Response::Call(progress) if self.asked == Asked::Models(ticket) => self.handle_models(progress, cx),
            Response::Call(progress) => self.handle_progress(ticket, progress, cx),
            Response::Store(stored) => self.handle_stored(ticket, stored, cx),
            Response::Work(Done::Counted(_, counts)) if self.asked == Asked::Tokens(ticket) => {
                self.take_tokens(&counts, cx);
                TextRunUpdate::Nothing
            }
            Response::Work(Done::Failed(why)) if self.asked == Asked::Tokens(ticket) => {
                TextRunUpdate::NotStarted(Failure::new(FailureKind::Bug, why))
            }
            Response::Work(_) | Response::Taken => TextRunUpdate::Nothing,
        }
    }

    fn has_room(&self) -> bool {
        self.key.is_some() && self.run.job.is_none() && self.window.has_room()
    }

    fn push(&mut self, text: Untrusted) {
        let key = TextKey::of(&sent(&text, self.settings.keep_newlines));
        self.window.push(text, key);
    }

    fn send(&mut self, cx: &mut Cx) {
        if self.run.send(cx) {
            self.run.end(cx);
        }
        if self.run.job.is_none() {
            self.look_up(cx);
        }
    }

    fn take(&mut self) -> Option<TextResult<Arc<[f32]>>> {
        self.window.take()
    }

    fn take_late(&mut self) -> Option<TextResult<Arc<[f32]>>> {
        self.window.take_late()
    }

    fn is_empty(&self) -> bool {
        self.window.is_empty()
    }

    fn state(&mut self, now: Instant) -> UnwatchedState {
        let Some(job) = &self.run.job else { return UnwatchedState::Running };
        let Some(runner) = &job.runner else { return UnwatchedState::Running };
        let mut state = self.unwatched.judge(runner.state(), runner.is_idle(), job.outbox.refusal(), now);
        if let (UnwatchedState::GivesUp(failure), Some(why)) = (&mut state, self.unwatched.failure())
            && job.key.dimensions.is_some()
            && names_dimensions(why)
        {
            // The run's own words name keys of the tab.
            failure.sentence = why.sentence.clone();
        }
        state
    }

    fn text_failure(&self) -> Option<&Failure> {
        self.text_failure.as_ref()
    }

    fn due(&self, now: Instant) -> Option<Instant> {
        self.run.job.as_ref()?.due(now)
    }

    fn stop(&mut self, cx: &mut Cx) {
        self.run.end(cx);
    }
}
