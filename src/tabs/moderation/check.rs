//! Checks texts: what a run is about, and what becomes of the answers.

use std::collections::HashSet;

use super::bench_runs::RunScope;
use super::model_ref::ModelRef;
use super::state::{Moderate, Page};
use crate::api::call::{Progress, Ticket};
use crate::component::{Cx, Notice};
use crate::record::TextKey;
use crate::text::Untrusted;

impl Moderate {
    /// Returns the texts that a run on this page is about, and the models that check them.
    fn subjects(&self, scope: RunScope, cx: &Cx) -> (Vec<(TextKey, Untrusted)>, Vec<ModelRef>) {
        let models = self.models(cx.session);
        match &self.page {
            Page::Bench | Page::File if scope == RunScope::Column => {
                let here = self.text_and_model_under_cursor(cx.session);
                let Some((text, model)) = here else { return (Vec::new(), models) };
                (self.texts.subjects().into_iter().skip(text).take(1).collect(), vec![model])
            }
            Page::Bench | Page::File => (self.texts.subjects(), models),
            Page::History(page) => (vec![page.text()], vec![page.model().clone()]),
            Page::Sentences(page) => (page.texts(), vec![page.model().clone()]),
            Page::Conversation => (self.conversation.texts(scope), models.into_iter().take(1).collect()),
        }
    }

    /// Checks what is new on this page; if nothing is, all of it again.
    pub(super) fn run(&mut self, scope: RunScope, cx: &mut Cx) {
        self.checks.take_queued();
        if !self.texts.is_loaded() {
            return self.checks.queue(scope, cx.now);
        }
        let (mut texts, models) = self.subjects(scope, cx);
        texts.retain(|(_, text)| !text.line().trim().is_empty());
        if texts.is_empty() {
            return cx.notify(Notice::info("there is no text to check: a adds one").about("run"));
        }
        self.results.ask(texts.iter().map(|(key, _)| *key), cx);
        if texts.iter().any(|(key, _)| !self.results.is_loaded(key)) {
            // What the disk knows is not asked for again.
            return self.checks.queue(scope, cx.now);
        }
        let wanted = |again: bool| -> Vec<_> {
            models.iter().map(|model| (model, self.unchecked(&texts, model, again))).collect()
        };
        let is_empty = |requests: &[(&ModelRef, Vec<_>)]| requests.iter().all(|(_, texts)| texts.is_empty());
        let mut requests = wanted(false);
        if is_empty(&requests) || scope == RunScope::Column || matches!(self.page, Page::History(_)) {
            requests = wanted(true);
        }
        if is_empty(&requests) {
            return cx.notify(Notice::info("these texts are being checked; esc stops the check").about("run"));
        }
        for (model, texts) in requests {
            for (key, _) in &texts {
                self.results.clear_failure(*key, model);
            }
            if !texts.is_empty() {
                self.checks.start(model, texts, &self.file.shared, cx);
            }
        }
        self.bench.changed();
    }

    /// Starts a run that waited for what the disk knows.
    pub(super) fn run_queued(&mut self, cx: &mut Cx) {
        if let Some(scope) = self.checks.take_queued() {
            self.run(scope, cx);
        }
    }

    /// Returns the texts, each once, that a model has not checked yet, or with `again` all that it is not checking.
    fn unchecked(&self, texts: &[(TextKey, Untrusted)], model: &ModelRef, again: bool) -> Vec<(TextKey, Untrusted)> {
        let mut seen = HashSet::new();
        let wanted = |(key, _): &&(TextKey, Untrusted)| {
            (again || self.results.last(key, model).is_none()) && !self.awaits(key, model) && seen.insert(*key)
        };
        texts.iter().filter(wanted).cloned().collect()
    }

    /// Takes the progress of a call of the bench.
    pub(super) fn handle_progress(&mut self, ticket: Ticket, progress: &Progress, cx: &mut Cx) {
        let Some(outcome) = self.checks.handle_progress(ticket, progress, &mut self.file.shared, cx) else { return };
        if let Some(why) = outcome.list_refusal {
            let words = format!("this server {why}: from now on each text is sent in its own request");
            cx.notify(Notice::warn(words).about("arrays"));
            self.shared_changed(cx);
        }
        if let Some(charge) = outcome.charge {
            let row = self.checks.charge(charge, outcome.results.len(), cx);
            self.saves.save(row, cx);
        }
        let mut checks = Vec::new();
        for (key, result) in outcome.results {
            match result {
                Ok(check) => checks.push(check),
                Err(why) => self.results.failed(key, &outcome.model, why),
            }
        }
        if !checks.is_empty() {
            self.results.save(checks, &mut self.saves, cx);
        }
        self.bench.changed();
    }

    /// Stops what runs; results that came stay. Returns whether there was anything to stop.
    pub(super) fn stop(&mut self, cx: &mut Cx) -> bool {
        let busy = self.checks.is_busy();
        for (key, model, why) in self.checks.stop(cx) {
            self.results.failed(key, &model, why);
        }
        self.bench.changed();
        busy
    }
}
