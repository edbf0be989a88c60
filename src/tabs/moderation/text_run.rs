//! Texts that are checked outside the tab: what `benchtop moderate` sends, saves and prints.

use std::time::Instant;

pub use super::category::{CategoryScore, highest, telling_categories};
use super::model_ref::ModelRef;
use super::saving_run::{SavingRun, SavingRunUpdate};
use super::shared_settings::{self, SharedSettings, ViewSettings, default_model};
use crate::api::call::{Call, Failure, FailureKind, Progress, Reply, Ticket};
use crate::component::{Cx, Response};
use crate::record::{Check, Query, Rows, Stored, TextKey};
use crate::tabs::batch::{
    TextResult, TextRun, TextRunUpdate, TextWindow, UnwatchedRun, UnwatchedState, lists_no_models,
};
use crate::text::Untrusted;

/// What was asked before the first text is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Nothing,
    Settings(Ticket),
    Models(Ticket),
}

/// Texts that one model checks, with the rules of the tab's runs over files.
#[derive(Debug)]
pub struct ModerationRun {
    /// The model that is named; `None`: the tab's.
    model: Option<Untrusted>,
    shared: SharedSettings,
    asked: Asked,
    /// `None`: the model is not known yet.
    run: Option<SavingRun>,
    window: TextWindow<Check>,
    unwatched: UnwatchedRun,
    text_failure: Option<Failure>,
}

impl ModerationRun {
    /// Creates a run with this model; `None`: the one that the tab would use.
    pub fn new(model: Option<Untrusted>) -> Self {
        Self {
            model,
            shared: SharedSettings::default(),
            asked: Asked::Nothing,
            run: None,
            window: TextWindow::default(),
            unwatched: UnwatchedRun::default(),
            text_failure: None,
        }
    }

    fn begin(&mut self, model: Untrusted, cx: &Cx) {
        self.asked = Asked::Nothing;
        let model = ModelRef { profile: cx.session.profile.0.clone(), model };
        let mut run = SavingRun::new(model, [], 0, &self.shared);
        run.model_run.runner.split_before_waiting();
        self.run = Some(run);
    }

    fn handle_stored(&mut self, ticket: Ticket, stored: &Stored, cx: &mut Cx) {
        if self.asked == Asked::Settings(ticket) {
            if let Stored::Rows(Rows::Setting(_, Some(json))) = stored {
                self.shared.view = ViewSettings::saved(json);
            }
            let chosen = || self.shared.view.chosen(&cx.session.profile)?.next();
            match self.model.clone().or_else(chosen) {
                Some(model) => self.begin(model, cx),
                None => self.asked = Asked::Models(cx.call(Call::Models)),
            }
            return;
        }
        let Some(run) = &mut self.run else { return };
        for (item, check) in run.handle_stored(ticket, stored).into_iter().flatten() {
            self.window.set(item, Ok(check));
        }
    }

    fn handle_models(&mut self, progress: Progress, cx: &Cx) -> TextRunUpdate {
        match progress {
            Progress::Retrying { why, .. } => return TextRunUpdate::Retrying(why),
            Progress::Reply(Reply::Models(models)) => {
                let models: Vec<Untrusted> = models.iter().map(|model| model.id.as_str().into()).collect();
                self.begin(default_model(&models), cx);
            }
            // A server without a list of models chooses one.
            Progress::Closed(Err(why)) if lists_no_models(&why) => self.begin(Untrusted::default(), cx),
            Progress::Closed(Err(why)) => return TextRunUpdate::NotStarted(why),
            _ => {}
        }
        TextRunUpdate::Nothing
    }

    fn handle_progress(&mut self, ticket: Ticket, progress: &Progress, cx: &mut Cx) -> TextRunUpdate {
        let Self { run: Some(run), window, .. } = self else { return TextRunUpdate::Nothing };
        let mut failure = None;
        match run.handle_progress(ticket, progress, |item| window.subject(item), cx) {
            None => return TextRunUpdate::Nothing,
            Some(SavingRunUpdate::Pending) => {}
            Some(SavingRunUpdate::Answered) => self.unwatched.note_answer(),
            Some(SavingRunUpdate::Failed(why)) => {
                failure = Some(why.clone());
                self.unwatched.note_failure(why);
            }
        }
        for failed in run.model_run.runner.take_failures() {
            let missing = || Failure::new(FailureKind::Malformed, failed.why.clone());
            self.text_failure = Some(failure.clone().unwrap_or_else(missing));
            self.window.set(failed.item, Err(failed.why));
        }
        if let Some(why) = run.model_run.note_list_support(&mut self.shared) {
            cx.save(self.shared.view.record());
            return TextRunUpdate::Told(format!("this server {why}: each text is sent in its own request"));
        }
        match progress {
            Progress::Retrying { why, .. } => TextRunUpdate::Retrying(why.clone()),
            _ => TextRunUpdate::Nothing,
        }
    }
}

impl TextRun for ModerationRun {
    type Outcome = Check;

    fn start(&mut self, cx: &mut Cx) {
        self.asked = Asked::Settings(cx.load(Query::Setting(shared_settings::SETTING.into())));
    }

    fn handle(&mut self, ticket: Ticket, response: Response, cx: &mut Cx) -> TextRunUpdate {
        match response {
            Response::Call(progress) if self.asked == Asked::Models(ticket) => self.handle_models(progress, cx),
            Response::Call(progress) => self.handle_progress(ticket, &progress, cx),
            Response::Store(stored) => {
                self.handle_stored(ticket, &stored, cx);
                TextRunUpdate::Nothing
            }
            Response::Work(_) | Response::Taken => TextRunUpdate::Nothing,
        }
    }

    fn has_room(&self) -> bool {
        self.run.is_some() && self.window.has_room()
    }

    fn push(&mut self, text: Untrusted) {
        let key = TextKey::of(&text);
        let item = self.window.push(text, key);
        if let Some(run) = &mut self.run {
            run.push(item);
        }
    }

    fn send(&mut self, cx: &mut Cx) {
        let Self { run: Some(run), window, .. } = self else { return };
        run.pump(|item| window.subject(item), cx);
    }

    fn take(&mut self) -> Option<TextResult<Check>> {
        let taken = self.window.take()?;
        if let Some(run) = &mut self.run {
            run.model_run.runner.forget_before(taken.index + 1);
        }
        Some(taken)
    }

    fn take_late(&mut self) -> Option<TextResult<Check>> {
        self.window.take_late()
    }

    fn is_empty(&self) -> bool {
        self.window.is_empty()
    }

    fn state(&mut self, now: Instant) -> UnwatchedState {
        let Some(run) = &self.run else { return UnwatchedState::Running };
        let runner = &run.model_run.runner;
        self.unwatched.judge(runner.state(), runner.is_idle(), run.outbox.refusal(), now)
    }

    fn text_failure(&self) -> Option<&Failure> {
        self.text_failure.as_ref()
    }

    fn due(&self, now: Instant) -> Option<Instant> {
        self.run.as_ref()?.model_run.runner.due(now)
    }

    fn stop(&mut self, cx: &mut Cx) {
        if let Some(run) = &mut self.run {
            run.model_run.runner.stop(cx);
            run.outbox.flush(cx);
        }
    }
}
