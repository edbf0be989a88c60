//! A file that is open: its rows, which of them are shown, its run.

use std::time::Instant;

use super::super::category::CategoryKey;
use super::super::evaluate::Evaluation;
use super::super::shared_settings::SharedSettings;
use super::dataset::TextDataset;
use super::label_errors::{self, LabelError};
use super::row_order::{RowSelection, order};
use super::run::FileRun;
use super::settings::{FileFilter, FileSettings, RowSort};
use super::shown_rows::ShownRows;
use super::text_search::TextSearch;
use crate::api::call::Ticket;
use crate::component::{Cx, Notice, SAVE_DELAY, Saves, Session};
use crate::record::{Check, Record, Stored, TextList, TextRow};
use crate::tabs::batch::{BatchState, BatchTally, UnsavedResults};
use crate::text::Untrusted;
use crate::ui::meter::count;

/// New results are sorted in by themselves where there are at most so many rows.
const SORT_MOST: usize = 20_000;

/// What is looked up of earlier results when a file is opened.
#[derive(Debug, Default)]
pub(super) struct EarlierResults {
    /// The query for them.
    pub(super) loading: Option<Ticket>,
    /// They could not be read: a run looks for them first, or they would be paid for twice.
    pub(super) unread: bool,
    /// Whether a run was asked for meanwhile.
    pub(super) run_wanted: bool,
}

/// The open file.
#[derive(Debug)]
pub(super) struct OpenTextFile {
    pub(super) dataset: TextDataset,
    pub(super) settings: FileSettings,
    pub(super) run: Option<FileRun>,
    pub(super) rows: ShownRows,
    pub(super) search: TextSearch,
    /// The error of each row, while only rows with errors are shown.
    pub(super) errors: Option<Vec<Option<LabelError>>>,
    /// The list itself on its way to the disk.
    saves: Saves,
    /// When the list is saved, since something has changed.
    save_due: Option<Instant>,
    pub(super) earlier: EarlierResults,
    /// Rows with a result that counts, while no run says it.
    done: u64,
}

impl OpenTextFile {
    /// Returns the profile and the model that its texts are checked with: those in use, until its run is begun.
    pub(super) fn model(&self, shared: &SharedSettings, session: &Session) -> (String, String) {
        if self.settings.begun {
            (self.settings.profile.clone(), self.settings.model.clone())
        } else {
            shared.file_model(session)
        }
    }

    /// Starts, pauses or continues; says why not where it cannot.
    pub(super) fn run_or_say(&mut self, shared: &SharedSettings, cx: &mut Cx) {
        let tally = self.tally();
        if tally.left() == 0 && tally.failed == 0 {
            let all = count(tally.total);
            return cx.notify(Notice::info(format!("all {all} texts have a result; R checks them again")));
        }
        self.toggle(shared, cx);
    }

    /// Returns results beside labels, a row for each.
    pub(super) fn evaluation(&self) -> Evaluation {
        let rows = self.dataset.rows.iter().enumerate().map(|(at, row)| (row.label.as_ref(), self.dataset.check(at)));
        Evaluation::of(rows)
    }

    /// Opens a list and its rows, of which nothing is known yet.
    pub(super) fn new(list: TextList, rows: Vec<TextRow>) -> Self {
        let settings = FileSettings::of(&list);
        let dataset = TextDataset::new(list, rows);
        let mut open = Self {
            dataset,
            settings,
            run: None,
            rows: ShownRows::default(),
            search: TextSearch::default(),
            errors: None,
            saves: Saves::default(),
            save_due: None,
            earlier: EarlierResults::default(),
            done: 0,
        };
        open.sort(false);
        open
    }

    /// Takes what was known before of the texts: of this list's profile and model.
    pub(super) fn fill(&mut self, checks: Vec<Check>, shared: &SharedSettings) {
        let (profile, model) = (&self.settings.profile, &self.settings.model);
        let ours = |check: &Check| check.profile == *profile && check.asked == **model;
        let dataset = &self.dataset;
        let checks: Vec<(u32, Check)> =
            checks.into_iter().filter(ours).filter_map(|check| Some((dataset.find(&check.text)?, check))).collect();
        self.dataset.results.fill(checks, shared.thresholds.profile());
        self.count();
        self.update_look(shared);
    }

    /// Counts the rows with a result that counts.
    fn count(&mut self) {
        let texts = self.dataset.texts().iter().zip(self.dataset.results.checks());
        let counts = |check: &Option<Check>| check.as_ref().is_some_and(|check| check.at_ms >= self.settings.since_ms);
        self.done = texts.filter(|(_, check)| counts(check)).map(|(text, _)| u64::from(text.rows)).sum();
    }

    /// Returns the progress of the run, or what it would begin with.
    pub(super) fn tally(&self) -> BatchTally {
        match &self.run {
            Some(run) => run.tally(),
            None => {
                let total = self.dataset.len() as u64;
                BatchTally { total, skipped: self.done, done: self.done, ..BatchTally::default() }
            }
        }
    }

    /// Returns what the run does; `None`: there is none.
    pub(super) fn state(&self) -> Option<BatchState<'_>> {
        self.run.as_ref().map(|run| run.state())
    }

    /// Returns whether requests go out by themselves.
    pub(super) fn is_running(&self) -> bool {
        matches!(self.state(), Some(BatchState::Running | BatchState::Held { .. }))
    }

    /// Starts the run, pauses it, or continues.
    pub(super) fn toggle(&mut self, shared: &SharedSettings, cx: &mut Cx) {
        match self.state() {
            // A start is kept at once.
            None if self.tally().left() > 0 => return self.start(shared, cx),
            None => {}
            Some(BatchState::Running) => {
                self.settings.paused = true;
                if let Some(run) = &mut self.run {
                    run.pause();
                }
            }
            Some(BatchState::Paused | BatchState::Held { .. }) => {
                self.settings.paused = false;
                if let Some(run) = &mut self.run {
                    run.resume();
                }
                self.go(cx);
            }
            Some(BatchState::Finished) => self.retry(cx),
        }
        self.changed(cx);
    }

    /// Starts a run over what has no result that counts.
    pub(super) fn start(&mut self, shared: &SharedSettings, cx: &mut Cx) {
        (self.settings.begun, self.settings.paused) = (true, false);
        self.run = Some(FileRun::new(&self.dataset, &self.settings, shared));
        self.changed(cx);
        // At once: a program that is killed now is to know that it was begun.
        self.save_changes(true, cx);
        self.go(cx);
    }

    /// Checks all texts again.
    pub(super) fn check_again(&mut self, shared: &SharedSettings, cx: &mut Cx) {
        // A check of this very moment is an old one.
        self.settings.since_ms = cx.unix_ms + 1;
        self.run = None;
        self.count();
        self.start(shared, cx);
    }

    /// Sends the texts that failed again.
    pub(super) fn retry(&mut self, cx: &mut Cx) {
        if let Some(run) = &mut self.run {
            run.retry_failed();
        }
        self.go(cx);
    }

    /// Stops what is under way.
    pub(super) fn stop(&mut self, cx: &mut Cx) {
        if let Some(run) = &mut self.run {
            run.stop(cx);
        }
    }

    /// Ends its run; results that are not on disk yet go to the others.
    pub(super) fn end_run(&mut self, unsaved: &mut UnsavedResults<Check>, cx: &mut Cx) {
        if let Some(mut run) = self.run.take() {
            run.stop(cx);
            unsaved.add(run.saving.outbox, cx);
        }
    }

    /// Sends what may be sent.
    pub(super) fn go(&mut self, cx: &mut Cx) {
        if let Some(run) = &mut self.run {
            run.pump(&self.dataset, cx);
        }
    }

    /// Takes checks that are on disk now.
    pub(super) fn take(&mut self, checks: Vec<(u32, Check)>, shared: &SharedSettings, cx: &mut Cx) {
        for (text, check) in checks {
            let rows = self.dataset.texts().get(text as usize).map_or(0, |text| u64::from(text.rows));
            self.rows.fresh += rows;
            self.dataset.results.set(text, check, shared.thresholds.profile());
        }
        self.go(cx);
        if self.state() == Some(BatchState::Finished) {
            self.sort(true);
            self.changed(cx);
        } else if self.dataset.len() <= SORT_MOST && self.rows.is_sort_due(cx.now) {
            self.sort(false);
        }
    }

    /// Thresholds or the category that counts are others.
    pub(super) fn update_look(&mut self, shared: &SharedSettings) {
        let key = Some(&self.settings.filter.category).filter(|key| !key.is_empty());
        let key = key.map(|key| CategoryKey::of(&key.as_str().into()));
        self.dataset.results.set_look(key.as_ref(), shared.thresholds.profile());
        self.sort(true);
    }

    /// Finds the rows that show. `stay`: the cursor keeps its row.
    pub(super) fn sort(&mut self, stay: bool) {
        self.errors = self.settings.filter.disagree.then(|| label_errors::errors(&self.dataset));
        let selection = RowSelection { found: self.search.found(), errors: self.errors.as_deref() };
        self.rows.set(order(&self.dataset, self.settings.sort, &self.settings.filter, selection), stay);
    }

    /// Returns the row under the cursor.
    pub(super) fn selected_row(&self) -> Option<usize> {
        self.rows.selected_row()
    }

    /// Sorts new results in; where there are none, sorts by something else.
    pub(super) fn change_sort(&mut self, cx: &mut Cx) {
        if self.rows.fresh == 0 || self.settings.sort == RowSort::Row {
            self.settings.sort = match self.settings.sort {
                RowSort::Score => RowSort::Row,
                RowSort::Row if self.dataset.is_labelled() => RowSort::Label,
                RowSort::Row | RowSort::Label => RowSort::Score,
            };
            self.changed(cx);
        }
        self.sort(true);
    }

    /// Returns whether rows may be hidden: words are looked for, or only flagged rows or errors show.
    pub(super) fn is_filtered(&self) -> bool {
        !self.search.bar.text().is_empty() || self.settings.filter.flagged || self.settings.filter.disagree
    }

    /// Shows all rows again.
    pub(super) fn show_all(&mut self, cx: &mut Cx) {
        let category = std::mem::take(&mut self.settings.filter.category);
        self.settings.filter = FileFilter { category, ..FileFilter::default() };
        self.search.bar.clear();
        self.search();
        self.changed(cx);
    }

    /// Shows errors only, then each kind of error that there is, then all rows again.
    pub(super) fn cycle_errors(&mut self, cx: &mut Cx) {
        let filter = &mut self.settings.filter;
        if filter.disagree {
            let errors = self.errors.as_deref().unwrap_or_default();
            filter.only = LabelError::after(filter.only, |kind| errors.contains(&Some(kind)));
            filter.disagree = filter.only.is_some();
        } else {
            filter.disagree = true;
        }
        self.sort(true);
        self.changed(cx);
    }

    /// Chooses the category by which rows are ranked; `None`: the highest of all.
    pub(super) fn choose(&mut self, key: Option<&CategoryKey>, shared: &SharedSettings, cx: &mut Cx) {
        self.settings.filter.category = key.map(|key| key.as_str().to_owned()).unwrap_or_default();
        self.update_look(shared);
        self.changed(cx);
    }

    /// Chooses the category before or after the one that counts; “highest of all” is before the first.
    pub(super) fn step(&mut self, forward: bool, shared: &SharedSettings, cx: &mut Cx) {
        let categories = self.dataset.results.categories();
        let chosen = self.dataset.results.chosen();
        let at = chosen.and_then(|chosen| categories.iter().position(|other| other.key == chosen.key));
        let count = categories.len() + 1;
        let at = at.map_or(0, |at| at + 1);
        let next = if forward { at + 1 } else { at + count - 1 } % count;
        let key = next.checked_sub(1).and_then(|at| categories.get(at)).map(|category| category.key.clone());
        self.choose(key.as_ref(), shared, cx);
    }

    /// Looks for the words of the find bar in the texts.
    pub(super) fn search(&mut self) {
        self.search.update(&self.dataset);
        self.sort(true);
    }

    /// Makes ready to look for words, so that the first letter costs no more than the others.
    pub(super) fn prepare(&mut self) {
        self.search.prepare(&self.dataset);
    }

    /// Takes in that something saved with the list has changed.
    pub(super) fn changed(&mut self, cx: &Cx) {
        self.save_due.get_or_insert(cx.now + SAVE_DELAY);
    }

    /// Keeps what has changed, if its time has come or it must be now.
    pub(super) fn save_changes(&mut self, now: bool, cx: &mut Cx) {
        if self.save_due.take_if(|at| now || *at <= cx.now).is_some() {
            self.settings.done = self.tally().done;
            let list = &mut self.dataset.list;
            (list.state, list.updated_ms) = (self.settings.json(), cx.unix_ms);
            self.saves.save(Record::TextList(Box::new(list.clone())), cx);
        }
    }

    /// Takes the store's answer about the list or about checks. Returns whether it was one.
    pub(super) fn handle_stored(
        &mut self,
        ticket: Ticket,
        stored: &Stored,
        shared: &SharedSettings,
        cx: &mut Cx,
    ) -> bool {
        if self.saves.stored(ticket, stored) {
            return true;
        }
        let Some(run) = &mut self.run else { return false };
        let Some(checks) = run.handle_stored(ticket, stored) else { return false };
        self.take(checks, shared, cx);
        true
    }

    /// Returns when it is to be advanced even if nothing happens.
    pub(super) fn due(&self, now: Instant) -> Option<Instant> {
        let run = self.run.as_ref().and_then(|run| run.due(now));
        [self.save_due, run].into_iter().flatten().min()
    }

    /// Returns whether the list and all results are on disk.
    pub(super) fn is_saved(&self) -> bool {
        let run = self.run.as_ref().is_none_or(|run| run.saving.outbox.is_saved());
        run && self.save_due.is_none() && self.saves.is_saved()
    }

    /// Returns why results or the list are not on disk.
    pub(super) fn refusal(&self) -> Option<&Untrusted> {
        self.run.as_ref().and_then(|run| run.saving.outbox.refusal()).or(self.saves.refusal())
    }
}
