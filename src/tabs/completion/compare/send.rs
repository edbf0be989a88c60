//! Runs the columns: checks them, counts the prompt in each vocabulary, saves it, and sends all requests together.

use super::super::active_run::{ActiveRun, RunPurpose};
use super::super::params::MAX_TOKENS;
use super::super::params::rules;
use super::super::run::RunRequest;
use super::super::state::{Request, State};
use super::{ColumnRun, ColumnSetup, LETTERS, VocabularyCounts};
use crate::component::{Cx, Notice};
use crate::record::Id;
use crate::tabs::generation::RunTarget;
use crate::tabs::generation::context_limit::prompt_too_long;
use crate::tabs::tab::RunMeter;
use crate::tokens::{self, Encoding, Fit, fit};

impl State {
    /// Runs all columns at the caret's place.
    pub(crate) fn run_comparison(&mut self, cx: &mut Cx) {
        if self.refuses_while_busy(", then ^R runs again", cx) {
            return;
        }
        if let Some((at, why)) = self.column_fault(self.text.buffer.caret() < self.text.buffer.len()) {
            self.compare.set_focus(at);
            return cx.notify(Notice::warn(format!("column {}: {why}; nothing was sent", LETTERS[at])));
        }
        self.compare.stamp += 1;
        let mut counting = VocabularyCounts { stamp: self.compare.stamp, left: 0, counts: Vec::new() };
        for setup in self.compare.columns.iter().map(|column| &column.setup) {
            let (model, local) = (setup.model(), setup.is_local());
            let Some(encoding) = tokens::encoding(&model.line(), local) else { continue };
            if counting.counts.iter().any(|(other, _)| *other == encoding) {
                continue;
            }
            let ticket = cx.work(self.count_work(model, local));
            self.pending.insert(ticket, Request::ColumnCount { stamp: counting.stamp, encoding });
            counting.left += 1;
            counting.counts.push((encoding, None));
        }
        self.active.animation.start(cx.now);
        self.send_if_counted(counting, cx);
    }

    /// Returns the first column that cannot be run, and why.
    fn column_fault(&self, insert: bool) -> Option<(usize, String)> {
        let fault = |setup: &ColumnSetup| {
            if setup.model.is_empty() {
                return Some("no model is chosen yet: m chooses one".to_owned());
            }
            rules(&setup.sent(), insert).into_iter().find(|rule| rule.stops).map(|rule| rule.why)
        };
        self.compare.columns.iter().enumerate().find_map(|(at, column)| Some((at, fault(&column.setup)?)))
    }

    /// Takes the counts in one vocabulary; `None`: they could not be made.
    pub(crate) fn columns_counted(&mut self, stamp: u64, encoding: Encoding, counts: Option<[u64; 2]>, cx: &mut Cx) {
        let Some(mut counting) = self.compare.counting.take_if(|counting| counting.stamp == stamp) else { return };
        if let Some((_, known)) = counting.counts.iter_mut().find(|(other, _)| *other == encoding) {
            *known = counts;
        }
        counting.left = counting.left.saturating_sub(1);
        self.send_if_counted(counting, cx);
    }

    /// Sends the columns when all is counted, if the prompt fits into each one's model.
    fn send_if_counted(&mut self, counting: VocabularyCounts, cx: &mut Cx) {
        if counting.left > 0 {
            self.compare.counting = Some(counting);
            return;
        }
        self.count.guess(&self.text.buffer);
        let ([prompt, suffix], _) = self.count.tokens();
        let mut requests = Vec::new();
        for (at, column) in self.compare.columns.iter().enumerate() {
            let (setup, counted) = (&column.setup, counting.tokens(&column.setup));
            let params = setup.sent();
            let most = params.common.max_tokens.unwrap_or(MAX_TOKENS);
            let context = cx.session.context(&setup.profile(), &setup.model());
            if let Some(prompt) = counted
                && let Fit::Over { cut, of, .. } = fit(prompt, most, context)
            {
                let why =
                    format!("column {} ({}): {}", LETTERS[at], setup.model, prompt_too_long(prompt, most, cut, of));
                self.compare.set_focus(at);
                return cx.notify(Notice::error(why));
            }
            let (profile, model) = (setup.profile(), setup.model());
            let price = cx.session.price(&profile, &model);
            let (prompt_tokens, estimated) = (counted.unwrap_or(prompt + suffix), counted.is_none());
            let target = RunTarget { profile, model, price, prompt_tokens, estimated };
            requests.push(RunRequest { purpose: RunPurpose::Column(at), target, params });
        }
        let runs = self.queue_runs(requests, cx);
        for (column, run) in self.compare.columns.iter_mut().zip(runs) {
            column.last_run = Some(ColumnRun { run, setup: column.setup.clone(), step: None });
        }
        self.compare.compared_at = Some(self.compared_at());
        self.setups_changed(cx);
    }

    /// Stops one column.
    pub(crate) fn stop_column(&mut self, at: usize, cx: &mut Cx) {
        let Some(run) = self.compare.columns.get(at).and_then(|column| Some(column.last_run.as_ref()?.run)) else {
            return;
        };
        if let Some(at) = self.active.runs.iter().position(|active| active.record.id == run) {
            return self.stop_at(at, cx);
        }
        // The prompt is being saved, and is not sent.
        let before = self.active.queued.len();
        self.active.queued.retain(|queued| queued.record.id != run);
        if self.active.queued.len() < before {
            self.log.stop_unsent(run);
            self.saves.dirty.insert(run);
            self.save(cx);
        }
    }

    /// Ends the countdown to the next attempt of the column with the focus. Returns whether there was one.
    pub(crate) fn skip_column_countdown(&self, cx: &mut Cx) -> bool {
        self.active_column_run(self.compare.focus()).is_some_and(|active| active.run.hurry(cx))
    }

    /// Returns whether a refused attempt of the column with the focus waits for the next one.
    pub(crate) fn is_column_retrying(&self) -> bool {
        self.active_column_run(self.compare.focus()).is_some_and(|active| active.run.is_retrying())
    }

    pub(super) fn active_column_run(&self, at: usize) -> Option<&ActiveRun> {
        self.active.find(self.compare.columns.get(at)?.last_run.as_ref()?.run)
    }

    /// Returns whether a column is being run.
    pub(crate) fn is_comparison_running(&self) -> bool {
        self.compare.is_counting() || self.active.has_column_run()
    }

    /// Returns tokens and cost of all columns of the last comparison; `None`: there was none.
    pub(crate) fn comparison_meter(&self) -> Option<RunMeter> {
        let meter = |run: Id| {
            if let Some(active) = self.active.find(run) {
                return Some(active.run.meter());
            }
            let run = self.log.find(run)?;
            // A run that was never answered has no estimated tokens.
            let estimated = run.estimated && run.prompt_tokens + run.completion_tokens > 0;
            Some(RunMeter { estimated, ..run.into() })
        };
        let ran = self.compare.columns.iter().filter_map(|column| column.last_run.as_ref());
        super::sum(ran.filter_map(|ran| meter(ran.run)))
    }
}
