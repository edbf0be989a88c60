//! What the page's keys do.

use crossterm::event::KeyEvent;

use super::super::category::CategoryKey;
use super::super::evaluate::{LabelsEvent, LabelsPage};
use super::super::shared_settings::SharedSettings;
use super::super::thresholds::STEP;
use super::detail::{self, RowDetail};
use super::failures::{self, FailureList};
use super::keys::{Action, KEYS};
use super::open_file::OpenTextFile;
use super::page::{FileEvent, FilePage, FilePhase, FileView, LoadStep};
use super::{dialogs, export};
use crate::component::{Component, Cx, FindBarEvent, Handled, Notice};
use crate::text::Untrusted;
use crate::ui::meter::count;

/// What the next Esc does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileEscape {
    /// The key is for the open dialog, or the words that are typed.
    PassOn,
    ShowAll,
    ShowTable,
    Close,
}

impl FilePage {
    /// Returns what the next Esc does, and how the footer calls it.
    pub(super) fn next_escape(&self) -> (FileEscape, &'static str) {
        if let Some(label) = self.modals.escape() {
            return (FileEscape::PassOn, label);
        }
        match (&self.sub, &self.phase) {
            (FileView::Table, FilePhase::Open(open)) if open.search.bar.is_typing() => (FileEscape::PassOn, "all rows"),
            (FileView::Table, FilePhase::Open(open)) if open.is_filtered() => (FileEscape::ShowAll, "all rows"),
            (FileView::Table, _) => (FileEscape::Close, "back"),
            _ => (FileEscape::ShowTable, "all rows"),
        }
    }

    fn escape_key(&mut self, cx: &mut Cx) -> Handled<FileEvent> {
        match (self.next_escape().0, &mut self.phase) {
            (FileEscape::ShowAll, FilePhase::Open(open)) => open.show_all(cx),
            (FileEscape::ShowTable, _) => self.sub = FileView::Table,
            (FileEscape::Close, _) => return Handled::Emit(FileEvent::Close),
            (FileEscape::PassOn | FileEscape::ShowAll, _) => {}
        }
        Handled::Consumed
    }

    /// Handles a key while no dialog is open.
    pub(super) fn page_key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<FileEvent> {
        if self.finds() {
            return self.find_key(key);
        }
        if KEYS.find(&key) == Some(Action::Back) {
            return self.escape_key(cx);
        }
        match std::mem::take(&mut self.sub) {
            FileView::Table => KEYS.find(&key).map_or(Handled::Ignored, |action| self.act(action, cx)),
            FileView::Detail(detail) => self.key_detail(detail, key, cx),
            FileView::Failures(failures) => self.key_failures(failures, key, cx),
            FileView::Evaluate(page) => self.key_evaluate(page, key, cx),
        }
    }

    /// Handles a key while words to find are typed.
    fn find_key(&mut self, key: KeyEvent) -> Handled<FileEvent> {
        if let FilePhase::Open(open) = &mut self.phase {
            let rows = open.rows.order.len();
            match open.search.bar.key(key) {
                FindBarEvent::Changed | FindBarEvent::Cancelled => open.search(),
                FindBarEvent::Moved(motion) => open.rows.view.move_by(motion.rows(1), rows),
                FindBarEvent::Ignored | FindBarEvent::Submitted => {}
            }
        }
        Handled::Consumed
    }

    fn act(&mut self, action: Action, cx: &mut Cx) -> Handled<FileEvent> {
        // A file on its way says how many texts it has: who asks for its run then does not ask twice.
        if let (FilePhase::Step(LoadStep::Reading { .. } | LoadStep::Copying(_)), Action::Run) = (&self.phase, action) {
            self.runs = true;
            return Handled::Consumed;
        }
        match action {
            Action::Open => self.choose_file(),
            Action::Lists => self.choose_list(cx),
            action => return self.act_on_file(action, cx),
        }
        Handled::Consumed
    }

    fn act_on_file(&mut self, action: Action, cx: &mut Cx) -> Handled<FileEvent> {
        let FilePhase::Open(open) = &mut self.phase else { return Handled::Ignored };
        match action {
            Action::Go(motion) => open.rows.view.move_by(motion.rows(open.rows.view.page), open.rows.order.len()),
            // What is known already must not be asked again: the run begins when that is here.
            Action::Run if open.earlier.loading.is_some() => open.earlier.run_wanted = true,
            Action::Run if open.run.is_none() && (!open.settings.begun || open.earlier.unread) => self.begin(cx),
            Action::Run => open.run_or_say(&self.shared, cx),
            Action::Again if open.earlier.loading.is_some() => {
                cx.notify(Notice::info("earlier results are still loading; press R again in a moment"));
            }
            Action::Again => self.modals.open(dialogs::again(open)),
            Action::Sort => open.change_sort(cx),
            Action::Category if open.dataset.results.categories().is_empty() => {
                cx.notify(Notice::info("categories are known once the first texts are checked: p checks"));
            }
            Action::Category => self.modals.open(dialogs::categories(open)),
            Action::Before => open.step(false, &self.shared, cx),
            Action::After => open.step(true, &self.shared, cx),
            Action::Flagged => {
                open.settings.filter.flagged ^= true;
                open.sort(true);
                open.changed(cx);
            }
            Action::Disagree | Action::Evaluate if !open.dataset.is_labelled() => {
                cx.notify(Notice::info("this file has no labels; f reopens it with a label column"));
            }
            Action::Disagree => open.cycle_errors(cx),
            Action::Evaluate => {
                let page = LabelsPage::new(open.evaluation(), self.shared.thresholds.profile().clone());
                self.sub = FileView::Evaluate(Box::new(page));
            }
            Action::Find => {
                open.prepare();
                open.search.bar.start_typing();
            }
            Action::Lower => shift(open, -STEP, &mut self.shared, cx),
            Action::Raise => shift(open, STEP, &mut self.shared, cx),
            Action::Failures if open.tally().failed == 0 => cx.notify(Notice::info("no text failed")),
            Action::Failures => self.sub = FileView::Failures(FailureList::default()),
            Action::Export => {
                let path = export::path(open);
                self.ask_export(&path);
            }
            Action::Blur => self.shared.toggle_mask(),
            Action::Copy | Action::Bench | Action::Detail => {
                let Some(row) = open.selected_row() else { return Handled::Consumed };
                return self.with_row(action, row, cx);
            }
            _ => return Handled::Ignored,
        }
        Handled::Consumed
    }

    fn with_row(&mut self, action: Action, row: usize, cx: &mut Cx) -> Handled<FileEvent> {
        let FilePhase::Open(open) = &mut self.phase else { return Handled::Consumed };
        let Some(text) = open.dataset.rows.get(row).map(|row| row.text.clone()) else { return Handled::Consumed };
        match action {
            Action::Copy => cx.copy(text),
            Action::Bench => {
                let name = format!("{} {}", open.dataset.list.name.line(), count(row as u64 + 1));
                return Handled::Emit(FileEvent::Bench { name: Untrusted::from(name), text });
            }
            _ => self.sub = FileView::Detail(RowDetail::new(row)),
        }
        Handled::Consumed
    }

    fn key_detail(&mut self, mut detail: RowDetail, key: KeyEvent, cx: &mut Cx) -> Handled<FileEvent> {
        let FilePhase::Open(open) = &mut self.phase else { return Handled::Consumed };
        let action = detail::KEYS.find(&key);
        match action {
            Some(detail::Action::Close) => return Handled::Consumed,
            Some(step @ (detail::Action::Before | detail::Action::After)) => {
                open.rows.view.move_by(if step == detail::Action::After { 1 } else { -1 }, open.rows.order.len());
                if let Some(row) = open.selected_row() {
                    detail = RowDetail::new(row);
                }
            }
            Some(detail::Action::Blur) => self.shared.toggle_mask(),
            Some(detail::Action::Copy) => {
                self.with_row(Action::Copy, detail.row(), cx);
            }
            Some(detail::Action::Bench) => return self.with_row(Action::Bench, detail.row(), cx),
            Some(detail::Action::Scroll(motion)) => detail.scroll(motion),
            None => {
                self.sub = FileView::Detail(detail);
                return Handled::Ignored;
            }
        }
        self.sub = FileView::Detail(detail);
        Handled::Consumed
    }

    fn key_failures(&mut self, mut failures: FailureList, key: KeyEvent, cx: &mut Cx) -> Handled<FileEvent> {
        let FilePhase::Open(open) = &mut self.phase else { return Handled::Consumed };
        match failures::KEYS.find(&key) {
            Some(failures::Action::Close) => return Handled::Consumed,
            Some(failures::Action::Retry) => {
                open.settings.paused = false;
                open.retry(cx);
                open.changed(cx);
                return Handled::Consumed;
            }
            Some(failures::Action::Show) => {
                if let Some(row) = failures::row(open, failures.at()) {
                    self.sub = FileView::Detail(RowDetail::new(row));
                    return Handled::Consumed;
                }
            }
            Some(failures::Action::Go(motion)) => {
                failures.go(motion, open.run.as_ref().map_or(0, |run| run.failures().len()));
            }
            None => {
                self.sub = FileView::Failures(failures);
                return Handled::Ignored;
            }
        }
        self.sub = FileView::Failures(failures);
        Handled::Consumed
    }

    fn key_evaluate(&mut self, mut page: Box<LabelsPage>, key: KeyEvent, cx: &mut Cx) -> Handled<FileEvent> {
        let handled = match page.key(key, cx) {
            Handled::Emit(LabelsEvent::Close) => return Handled::Consumed,
            Handled::Emit(LabelsEvent::Set(name, threshold)) => {
                self.shared.thresholds.profile_mut().set(&CategoryKey::of(&name), threshold);
                self.shared.changed = true;
                page.set_profile(self.shared.thresholds.profile().clone());
                if let FilePhase::Open(open) = &mut self.phase {
                    open.update_look(&self.shared);
                    open.changed(cx);
                }
                Handled::Consumed
            }
            Handled::Consumed => Handled::Consumed,
            Handled::Ignored => Handled::Ignored,
        };
        self.sub = FileView::Evaluate(page);
        handled
    }
}

/// Moves the threshold of the category that counts, else the one that holds for all without their own.
fn shift(open: &mut OpenTextFile, by: f64, shared: &mut SharedSettings, cx: &mut Cx) {
    let key = open.dataset.results.chosen().map(|category| category.key.clone());
    let profile = shared.thresholds.profile_mut();
    match &key {
        Some(key) => profile.shift(key, by),
        None => profile.shift_usual(by),
    }
    shared.changed = true;
    open.update_look(shared);
    open.changed(cx);
}
