//! The run over a file: which texts have no result, and what becomes of the answers.

use std::time::{Duration, Instant};

use super::super::model_ref::ModelRef;
use super::super::saving_run::SavingRun;
use super::super::shared_settings::SharedSettings;
use super::dataset::TextDataset;
use super::settings::FileSettings;
use crate::api::call::{Progress, Ticket};
use crate::component::Cx;
use crate::record::{Check, Stored};
use crate::settings::ProfileId;
use crate::tabs::activity::ActivityOutcome;
use crate::tabs::batch::{BatchItem, BatchState, BatchTally, FailedItem, NextAttempt, SentRequest};

/// A run over the texts of a file that have no result.
#[derive(Debug)]
pub(super) struct FileRun {
    pub(super) saving: SavingRun,
    /// The text of each item.
    texts: Vec<u32>,
}

impl FileRun {
    /// Creates a run over the texts of a file that have no result that counts.
    pub(super) fn new(dataset: &TextDataset, settings: &FileSettings, shared: &SharedSettings) -> Self {
        let (mut texts, mut items, mut skipped) = (Vec::new(), Vec::new(), 0);
        for (text, place) in dataset.texts().iter().zip(0..) {
            if dataset.results.check(place).is_some_and(|check| check.at_ms >= settings.since_ms) {
                skipped += u64::from(text.rows);
                continue;
            }
            let weight = u32::try_from(dataset.subject(place).1.len()).unwrap_or(u32::MAX);
            items.push(BatchItem { weight, rows: text.rows });
            texts.push(place);
        }
        let model = ModelRef { profile: settings.profile.clone(), model: settings.model.as_str().into() };
        Self { saving: SavingRun::new(model, items, skipped, shared), texts }
    }

    /// Sends what may be sent, and saves what has come.
    pub(super) fn pump(&mut self, dataset: &TextDataset, cx: &mut Cx) {
        let texts = &self.texts;
        self.saving.pump(|item| dataset.subject(texts[item as usize]), cx);
    }

    /// Takes the progress of a call. Returns whether it was this run's.
    pub(super) fn handle_progress(
        &mut self,
        ticket: Ticket,
        progress: &Progress,
        dataset: &TextDataset,
        shared: &mut SharedSettings,
        cx: &mut Cx,
    ) -> bool {
        let texts = &self.texts;
        let subject = |item: u32| dataset.subject(texts[item as usize]);
        if self.saving.handle_progress(ticket, progress, subject, cx).is_none() {
            return false;
        }
        self.saving.model_run.note_list_support(shared);
        self.pump(dataset, cx);
        true
    }

    /// Takes the store's answer and returns the checks that are on disk now, each with its text; `None`: it is to
    /// somebody else.
    pub(super) fn handle_stored(&mut self, ticket: Ticket, stored: &Stored) -> Option<Vec<(u32, Check)>> {
        let checks = self.saving.handle_stored(ticket, stored)?;
        Some(checks.into_iter().map(|(item, check)| (self.texts[item as usize], check)).collect())
    }

    /// Returns whether it is not finished and uses this profile's server.
    pub(super) fn needs_profile(&self, profile: &ProfileId) -> bool {
        self.saving.model_run.model.profile == profile.0 && self.state() != BatchState::Finished
    }

    /// Sends nothing more until [`Self::resume`].
    pub(super) fn pause(&mut self) {
        self.saving.model_run.runner.pause();
    }

    /// Continues, also where it would have waited.
    pub(super) fn resume(&mut self) {
        self.saving.model_run.runner.resume();
    }

    /// Sends texts again that were given up, and continues.
    pub(super) fn retry_failed(&mut self) {
        self.saving.model_run.runner.retry_failed();
    }

    /// Cancels all requests and pauses.
    pub(super) fn stop(&mut self, cx: &mut Cx) {
        self.saving.model_run.runner.stop(cx);
    }

    /// Returns what it does just now.
    pub(super) fn state(&self) -> BatchState<'_> {
        self.saving.model_run.runner.state()
    }

    /// Returns how it ended, when it does not go on by itself.
    pub(super) fn outcome(&self) -> ActivityOutcome {
        self.saving.model_run.runner.outcome()
    }

    /// Returns how far it is.
    pub(super) fn tally(&self) -> BatchTally {
        self.saving.model_run.runner.tally()
    }

    /// Returns the requests under way.
    pub(super) fn requests(&self) -> &[SentRequest] {
        self.saving.model_run.runner.requests()
    }

    /// Returns what was given up, in the order in which it was.
    pub(super) fn failures(&self) -> &[FailedItem] {
        self.saving.model_run.runner.failures()
    }

    /// Returns the attempt that starts first of the requests that are retried.
    pub(super) fn next_attempt(&self) -> Option<&NextAttempt> {
        self.saving.model_run.runner.next_attempt()
    }

    /// Returns how many texts are done a second, and how long those that are left take.
    pub(super) fn pace(&self, now: Instant) -> (Option<f64>, Option<Duration>) {
        self.saving.model_run.runner.pace(now)
    }

    /// Returns when [`Self::pump`] is to be called although nothing has happened.
    pub(super) fn due(&self, now: Instant) -> Option<Instant> {
        self.saving.model_run.runner.due(now)
    }

    /// Returns the text of an item.
    pub(super) fn text(&self, item: u32) -> u32 {
        self.texts[item as usize]
    }
}
