//! Runs the columns: checks them, has the prompt counted in each vocabulary, and tells what to send for each.

use super::super::active_run::{RunPurpose, RunRequest};
use super::super::params::{MAX_TOKENS, rules};
use super::super::prompt_text::{PromptText, TextPosition};
use super::super::vocabulary_counts::VocabularyCounts;
use super::{ColumnRun, ColumnSetup, Compare, LETTERS};
use crate::component::{Cx, Notice};
use crate::record::Id;
use crate::tabs::generation::RunTarget;
use crate::tabs::generation::context_limit::prompt_too_long;
use crate::tokens::{Fit, fit};

impl Compare {
    /// Has the prompt counted as the models of all columns cut it; `None`: a column cannot be run, which is said.
    pub(crate) fn count(&mut self, text: &PromptText, cx: &mut Cx) -> Option<VocabularyCounts> {
        if let Some((at, reason)) = self.fault(text.buffer.caret() < text.buffer.len()) {
            self.set_focus(at);
            cx.notify(Notice::warn(format!("column {}: {reason}; nothing was sent", LETTERS[at])));
            return None;
        }
        let mut counts = VocabularyCounts::default();
        for setup in self.columns.iter().map(|column| &column.setup) {
            let local = setup.is_local();
            counts.ask(setup.model(), local, |model| text.count_work(model, local), cx);
        }
        Some(counts)
    }

    /// Returns the first column that cannot be run, and why.
    fn fault(&self, insert: bool) -> Option<(usize, String)> {
        let fault = |setup: &ColumnSetup| {
            if setup.model.is_empty() {
                return Some("no model is chosen yet: m chooses one".to_owned());
            }
            rules(&setup.sent(), insert, false).into_iter().find(|rule| rule.stops).map(|rule| rule.why)
        };
        self.columns.iter().enumerate().find_map(|(at, column)| Some((at, fault(&column.setup)?)))
    }

    /// Returns the runs of all columns for a prompt that is counted; `None`: it does not fit into a column's model,
    /// which is said. `guess`: about how many tokens it has where nobody knows.
    pub(crate) fn requests(&mut self, counts: &VocabularyCounts, guess: u64, cx: &mut Cx) -> Option<Vec<RunRequest>> {
        let mut requests = Vec::new();
        for (at, column) in self.columns.iter().enumerate() {
            let setup = &column.setup;
            let (profile, model, params) = (setup.profile(), setup.model(), setup.sent());
            let counted = counts.tokens(&model, setup.is_local());
            let most = params.common.max_tokens.unwrap_or(MAX_TOKENS);
            let limit = cx.session.context(&profile, &model);
            if let Some(prompt) = counted
                && let Fit::Over { cut, of, .. } = fit(prompt, most, limit)
            {
                let reason = prompt_too_long(prompt, most, cut, of);
                cx.notify(Notice::error(format!("column {} ({}): {reason}", LETTERS[at], setup.model)));
                self.set_focus(at);
                return None;
            }
            let price = cx.session.price(&profile, &model);
            let (prompt_tokens, estimated) = (counted.unwrap_or(guess), counted.is_none());
            let target = RunTarget { profile, model, price, prompt_tokens, estimated };
            requests.push(RunRequest { purpose: RunPurpose::Column(at), target, params });
        }
        Some(requests)
    }

    /// Takes the runs that were queued, one for each column, and where in the text.
    pub(crate) fn sent(&mut self, runs: Vec<Id>, at: TextPosition) {
        for (column, run) in self.columns.iter_mut().zip(runs) {
            column.last_run = Some(ColumnRun { run, setup: column.setup.clone(), step: None });
        }
        self.compared_at = Some(at);
        self.changed = true;
    }

    /// Takes the step that a column's run writes, when its first text comes.
    pub(crate) fn began(&mut self, run: Id, step: Id) {
        if let Some(ran) =
            self.columns.iter_mut().filter_map(|column| column.last_run.as_mut()).find(|ran| ran.run == run)
        {
            ran.step.get_or_insert(step);
        }
    }
}
