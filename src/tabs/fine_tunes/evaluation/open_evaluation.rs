//! An evaluation that is open: its rows, its runs, and what of it is shown.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use super::dataset::{EvaluationDataset, NAMES, TuningEffect};
use super::figures::EvaluationFigures;
use super::run::ModelRun;
use crate::api::call::{Progress, Ticket};
use crate::component::money::cost;
use crate::component::{Cx, Notice, Scroll, Session};
use crate::record::{Record, Stored};
use crate::tabs::batch::{BatchState, BatchTally};
use crate::tabs::tab::RunMeter;
use crate::text::Untrusted;
use crate::tokens::{Price, Used};
use crate::ui::meter::count;
use crate::ui::overlay::Confirm;
use crate::ui::progress::Rate;
use crate::ui::table::TableView;

/// Figures are rebuilt so long after answers have come, ten times as long for many rows…
const REFRESH_DELAY: Duration = Duration::from_millis(300);
/// …more than these.
const LONG: usize = 20_000;
/// Rows in one record.
const ROWS: usize = 10_000;

/// Which rows show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum RowFilter {
    #[default]
    All,
    /// Rows where one model is right and the other is not.
    Changed,
    /// Rows where the tuned model is wrong.
    Wrong,
    /// Rows that failed.
    Failed,
}

/// What of it is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum EvaluationView {
    #[default]
    Table,
    Classes,
    /// A row.
    Detail(usize),
}

/// Open rows.
#[derive(Debug)]
pub(super) struct OpenEvaluation {
    pub(super) dataset: EvaluationDataset,
    pub(super) figures: EvaluationFigures,
    pub(super) filter: RowFilter,
    /// Rows that show.
    pub(super) order: Vec<u32>,
    pub(super) view: TableView,
    pub(super) sub: EvaluationView,
    /// What of a row's answers is visible.
    pub(super) scroll: Scroll,
    /// A run of each model, once it has begun.
    pub(super) runs: Vec<ModelRun>,
    /// Records with the rows on their way to the disk; the runs begin when they are there.
    saving_rows: Vec<Ticket>,
    /// Whether the rows are on disk.
    rows_saved: bool,
    pub(super) rate: Rate,
    /// When the figures are rebuilt.
    stale: Option<Instant>,
}

impl OpenEvaluation {
    /// Opens an evaluation; `rows_saved`: the rows are on disk.
    pub(super) fn new(dataset: EvaluationDataset, rows_saved: bool) -> Self {
        let mut open = Self {
            dataset,
            figures: EvaluationFigures::default(),
            filter: RowFilter::All,
            order: Vec::new(),
            view: TableView::default(),
            sub: EvaluationView::Table,
            scroll: Scroll::default(),
            runs: Vec::new(),
            saving_rows: Vec::new(),
            rows_saved,
            rate: Rate::default(),
            stale: None,
        };
        open.refresh();
        open
    }

    /// Computes the figures and the order again.
    pub(super) fn refresh(&mut self) {
        self.figures = EvaluationFigures::of(&self.dataset);
        let failed: HashSet<u32> = match self.filter {
            RowFilter::Failed => self.failures().into_iter().map(|(row, ..)| row).collect(),
            _ => HashSet::new(),
        };
        let dataset = &self.dataset;
        let shows = |row: &u32| match self.filter {
            RowFilter::All => true,
            RowFilter::Changed => dataset.tuning_effect(*row as usize).is_some(),
            RowFilter::Wrong => dataset.verdict(0, *row as usize).is_some_and(|verdict| !verdict.is_right()),
            RowFilter::Failed => failed.contains(row),
        };
        self.order = (0..dataset.rows.len() as u32).filter(shows).collect();
        // What got worse is looked at first.
        if self.filter == RowFilter::Changed {
            self.order.sort_by_key(|row| dataset.tuning_effect(*row as usize) != Some(TuningEffect::Lost));
        }
        self.view.cursor.clamp(self.order.len());
    }

    /// Returns the rows that failed, of which model, and why.
    pub(super) fn failures(&self) -> Vec<(u32, usize, &Untrusted)> {
        let of = |(which, run): (usize, &'_ ModelRun)| {
            let failed: Vec<(u32, u32)> =
                run.runner.failures().iter().zip(0..).map(|(failed, at)| (run.row(failed.item), at)).collect();
            (which, failed)
        };
        let mut all = Vec::new();
        for (which, failed) in self.runs.iter().enumerate().map(of) {
            let whys = self.runs[which].runner.failures();
            all.extend(failed.into_iter().map(|(row, at)| (row, which, &whys[at as usize].why)));
        }
        all
    }

    /// Returns how many rows failed.
    pub(super) fn failed_count(&self) -> usize {
        self.runs.iter().map(|run| run.runner.failures().len()).sum()
    }

    /// Returns the question that is asked before anything is sent.
    pub(super) fn question(&self, session: &Session) -> Confirm {
        let settings = &self.dataset.settings;
        let rows = self.dataset.rows.len() as u64;
        let mark = if settings.exact { "" } else { "~" };
        let mut lines: Vec<Untrusted> = vec![
            format!("{} rows of {}", count(rows), self.dataset.list.name.line()).into(),
            format!(
                "{mark}{} tokens sent to each, at most {} back per row",
                count(settings.tokens[0]),
                settings.max_tokens
            )
            .into(),
        ];
        for which in [0, 1] {
            let left = self.dataset.missing_count(which) as u64;
            let price = cost(self.price(which, left, session));
            lines.push(
                format!("{}: {} · {} rows left · {price}", NAMES[which], settings.model(which).line(), count(left))
                    .into(),
            );
        }
        let stop = settings.stop.iter().map(|stop| format!("{stop:?}")).collect::<Vec<_>>().join(" ");
        let stop = if stop.is_empty() { "none".to_owned() } else { stop };
        lines.push(format!("temperature 0 · stop {stop}").into());
        let question = Confirm::new("Send these rows to both models?", lines, "Send").otherwise("Not now");
        let free =
            [0, 1].iter().all(|which| session.price(&settings.profile(), &settings.model(*which)) == Some(Price::FREE));
        if free { question.on_verb() } else { question }
    }

    /// Returns what so many rows cost with a model: all that is sent, and an answer as long as the wanted one.
    fn price(&self, which: usize, rows: u64, session: &Session) -> Option<i64> {
        let settings = &self.dataset.settings;
        let share = |all: u64| all * rows / (self.dataset.rows.len() as u64).max(1);
        let [prompt, completion] = settings.tokens.map(share);
        session.price(&settings.profile(), &settings.model(which))?.cost(Used { prompt, completion, cached: 0 })
    }

    /// Begins the run, as rows may be sent: they are saved first.
    pub(super) fn begin(&mut self, cx: &mut Cx) {
        self.dataset.settings.begun = true;
        self.dataset.list.state = self.dataset.settings.json();
        self.dataset.list.updated_ms = cx.unix_ms;
        let list = Record::TextList(Box::new(self.dataset.list.clone()));
        if self.rows_saved {
            cx.save(list);
            return self.run(cx);
        }
        self.saving_rows.push(cx.try_save(list));
        for rows in self.dataset.rows.chunks(ROWS) {
            let record = Record::TextRows { list: self.dataset.list.id, rows: rows.to_vec() };
            self.saving_rows.push(cx.try_save(record));
        }
    }

    fn run(&mut self, cx: &mut Cx) {
        self.rate.clear();
        self.runs = [0, 1].map(|which| ModelRun::new(&self.dataset, which)).into();
        self.go(cx);
    }

    /// Returns whether rows are being sent, or about to be.
    pub(super) fn is_running(&self) -> bool {
        !self.saving_rows.is_empty()
            || self
                .runs
                .iter()
                .any(|run| matches!(run.runner.state(), BatchState::Running | BatchState::Held { until: Some(_), .. }))
    }

    /// Returns whether every row is answered or given up.
    pub(super) fn is_finished(&self) -> bool {
        [0, 1].iter().all(|which| self.dataset.missing_count(*which) == 0)
            || (!self.runs.is_empty() && self.runs.iter().all(|run| run.runner.state() == BatchState::Finished))
    }

    /// Starts, or continues. Returns whether somebody has to be asked first.
    pub(super) fn start(&mut self, cx: &mut Cx) -> bool {
        if self.is_running() {
            return false;
        }
        if self.runs.is_empty() {
            if self.is_finished() {
                cx.notify(Notice::info("all rows are answered; f chooses other rows"));
                return false;
            }
            return true;
        }
        for run in &mut self.runs {
            run.runner.resume();
        }
        self.go(cx);
        false
    }

    /// Sends the rows that failed again.
    pub(super) fn retry_failed(&mut self, cx: &mut Cx) {
        if self.failures().is_empty() {
            return cx.notify(Notice::info("every row in this run was answered"));
        }
        for run in &mut self.runs {
            run.runner.retry_failed();
        }
        self.go(cx);
        self.refresh();
    }

    pub(super) fn stop(&mut self, cx: &mut Cx) {
        // Rows that are on their way to the disk are not sent.
        self.saving_rows.clear();
        for run in &mut self.runs {
            run.runner.stop(cx);
            run.outbox.flush(cx);
        }
        self.rate.clear();
    }

    pub(super) fn go(&mut self, cx: &mut Cx) {
        for run in &mut self.runs {
            run.pump(&self.dataset, cx);
        }
        let done = self.tally().done;
        self.rate.feed(cx.now, done);
    }

    pub(super) fn handle_progress(&mut self, ticket: Ticket, progress: &Progress, cx: &mut Cx) -> bool {
        let dataset = &self.dataset;
        let before: usize = self.runs.iter().map(|run| run.runner.failures().len()).sum();
        let ours = self.runs.iter_mut().any(|run| run.handle_progress(ticket, progress, dataset, cx));
        let after: usize = self.runs.iter().map(|run| run.runner.failures().len()).sum();
        if ours && after != before {
            self.refresh_soon(cx.now);
        }
        ours
    }

    fn refresh_soon(&mut self, now: Instant) {
        let delay = if self.dataset.rows.len() > LONG { REFRESH_DELAY * 10 } else { REFRESH_DELAY };
        self.stale.get_or_insert(now + delay);
    }

    /// Takes the store's answer about the rows or about answers. Returns whether it was one.
    pub(super) fn handle_stored(&mut self, ticket: Ticket, stored: &Stored, cx: &mut Cx) -> bool {
        if let Some(at) = self.saving_rows.iter().position(|other| *other == ticket) {
            self.saving_rows.remove(at);
            match stored {
                // What would be sent later, nobody waits for any more.
                Stored::Failed(why) | Stored::Waiting(why) => {
                    self.saving_rows.clear();
                    cx.notify(Notice::error(format!(
                        "the rows could not be saved, so nothing was sent: {}",
                        why.line()
                    )));
                }
                _ if self.saving_rows.is_empty() => {
                    self.rows_saved = true;
                    self.run(cx);
                }
                _ => {}
            }
            return true;
        }
        for run in &mut self.runs {
            if let Some(answers) = run.runner.handle_stored(&mut run.outbox, ticket, stored) {
                for (_, answer) in answers {
                    self.dataset.put(answer);
                }
                self.refresh_soon(cx.now);
                self.go(cx);
                if self.runs.iter().all(|run| run.runner.state() == BatchState::Finished) {
                    self.stale = None;
                    self.refresh();
                }
                return true;
            }
        }
        false
    }

    /// Returns the progress of both runs together.
    pub(super) fn tally(&self) -> BatchTally {
        let mut all = BatchTally::default();
        if self.runs.is_empty() {
            all.total = self.dataset.rows.len() as u64 * 2;
            all.done = all.total - [0, 1].iter().map(|which| self.dataset.missing_count(*which) as u64).sum::<u64>();
            return all;
        }
        for tally in self.runs.iter().map(|run| run.runner.tally()) {
            all.total += tally.total;
            all.skipped += tally.skipped;
            all.done += tally.done;
            all.failed += tally.failed;
            all.under_way += tally.under_way;
            all.unsaved += tally.unsaved;
        }
        all
    }

    pub(super) fn due(&self, now: Instant) -> Option<Instant> {
        self.runs.iter().filter_map(|run| run.runner.due(now)).chain(self.stale).min()
    }

    pub(super) fn tick(&mut self, cx: &mut Cx) {
        if self.stale.take_if(|at| *at <= cx.now).is_some() {
            self.refresh();
        }
        self.go(cx);
    }

    /// Returns tokens and cost of this run.
    pub(super) fn meter(&self) -> Option<RunMeter> {
        if self.runs.is_empty() {
            return None;
        }
        let meters = self.runs.iter().filter_map(|run| run.outbox.meter());
        Some(meters.fold(RunMeter::default(), |sum, meter| RunMeter {
            prompt_tokens: sum.prompt_tokens + meter.prompt_tokens,
            completion_tokens: sum.completion_tokens + meter.completion_tokens,
            cost: sum.cost + meter.cost,
            ..sum
        }))
    }

    /// Returns why answers are not on disk.
    pub(super) fn refusal(&self) -> Option<&Untrusted> {
        self.runs.iter().find_map(|run| run.outbox.refusal())
    }

    /// Returns whether all that has come is on disk, and the rows.
    pub(super) fn is_saved(&self) -> bool {
        self.saving_rows.is_empty() && self.runs.iter().all(|run| run.outbox.is_saved())
    }
}
