//! What the page's keys do.

use crossterm::event::{KeyCode, KeyEvent};

use super::super::category::CategoryKey;
use super::super::evaluate;
use super::super::shared_settings::SharedSettings;
use super::super::thresholds::STEP;
use super::detail::{self, RowDetail};
use super::failures::{self, FailureList};
use super::keys::{self, Action, KEYS};
use super::open_file::OpenTextFile;
use super::page::{Event, FilePage, FilePhase, FileView, LoadStep};
use super::{dialogs, export};
use crate::component::{Cx, Find, Hint, Notice};
use crate::tabs::batch::BatchState;
use crate::text::Untrusted;
use crate::ui::meter::count;

impl FilePage {
    /// A key while nothing stands over the page.
    pub(super) fn key_page(&mut self, key: KeyEvent, shared: &mut SharedSettings, cx: &mut Cx) -> Event {
        match std::mem::take(&mut self.sub) {
            FileView::Table => self.key_table(key, shared, cx),
            FileView::Detail(detail) => self.key_detail(detail, key, shared, cx),
            FileView::Failures(failures) => self.key_failures(failures, key, cx),
            FileView::Evaluate(page) => self.key_evaluate(page, key, shared, cx),
        }
    }

    fn key_table(&mut self, key: KeyEvent, shared: &mut SharedSettings, cx: &mut Cx) -> Event {
        if let FilePhase::Open(open) = &mut self.phase
            && open.search.bar.is_typing()
        {
            match open.search.bar.key(key) {
                Find::Changed | Find::Cleared => open.search(),
                Find::Ignored if key.code == KeyCode::Down => open.rows.view.by(1, open.rows.order.len()),
                Find::Ignored if key.code == KeyCode::Up => open.rows.view.by(-1, open.rows.order.len()),
                Find::Ignored | Find::Done => {}
            }
            return Event::None;
        }
        let Some(action) = KEYS.find(&key) else { return Event::Ignored };
        match action {
            Action::Open => self.choose_file(),
            Action::Lists => self.choose_list(cx),
            Action::Back => return self.back(cx),
            action => return self.act(action, shared, cx),
        }
        Event::None
    }

    /// Esc: all rows; else the bench.
    fn back(&mut self, cx: &mut Cx) -> Event {
        if let FilePhase::Open(open) = &mut self.phase
            && open.is_filtered()
        {
            open.show_all(cx);
            return Event::None;
        }
        Event::Close
    }

    fn act(&mut self, action: Action, shared: &mut SharedSettings, cx: &mut Cx) -> Event {
        // A file on its way says how many texts it has: who asks for its run then does not ask twice.
        if let (FilePhase::Step(LoadStep::Reading { .. } | LoadStep::Copying(_)), Action::Run) = (&self.phase, action) {
            self.runs = true;
            return Event::None;
        }
        let FilePhase::Open(open) = &mut self.phase else {
            return Event::Ignored;
        };
        let Action::Go(motion) = action else { return self.order(action, shared, cx) };
        open.rows.view.by(motion.rows(open.rows.view.page), open.rows.order.len());
        Event::None
    }

    fn order(&mut self, action: Action, shared: &mut SharedSettings, cx: &mut Cx) -> Event {
        let FilePhase::Open(open) = &mut self.phase else { return Event::Ignored };
        match action {
            // What is known already must not be asked again: the run begins when that is here.
            Action::Run if open.earlier.loading.is_some() => open.earlier.run_wanted = true,
            Action::Run if open.run.is_none() && (!open.kept.begun || open.earlier.unread) => self.begin(shared, cx),
            Action::Run => open.run_or_say(shared, cx),
            Action::Again if open.earlier.loading.is_some() => {
                cx.notify(Notice::info("earlier results are looked up; R when they are here"));
            }
            Action::Again => self.modals.open(dialogs::again(open)),
            Action::Sort => open.resort(cx),
            Action::Category if open.sheet.results.categories().is_empty() => {
                cx.notify(Notice::info("categories are known when the first texts are checked: p"));
            }
            Action::Category => self.modals.open(dialogs::categories(open)),
            Action::Before => open.step(false, shared, cx),
            Action::After => open.step(true, shared, cx),
            Action::Flagged => {
                open.kept.filter.flagged ^= true;
                open.sort(true);
                open.changed(cx);
            }
            Action::Disagree | Action::Evaluate if !open.sheet.is_labelled() => {
                cx.notify(Notice::info("this file has no labels; f opens it again with a column of labels"));
            }
            Action::Disagree => open.disagree(cx),
            Action::Evaluate => {
                let mut page = Box::<evaluate::Page>::default();
                page.take(open.evaluation());
                self.sub = FileView::Evaluate(page);
            }
            Action::Find => {
                open.prepare();
                open.search.bar.open();
            }
            Action::Lower => shift(open, -STEP, shared, cx),
            Action::Raise => shift(open, STEP, shared, cx),
            Action::Failures if open.tally().failed == 0 => cx.notify(Notice::info("no text has come to nothing")),
            Action::Failures => self.sub = FileView::Failures(FailureList::default()),
            Action::Export => {
                let path = export::path(open);
                self.ask_export(path);
            }
            Action::Blur => {
                shared.view.mask_flagged ^= true;
                shared.changed = true;
            }
            Action::Copy | Action::Bench | Action::Detail => {
                let Some(row) = open.here() else { return Event::None };
                return self.with_row(action, row, cx);
            }
            _ => return Event::Ignored,
        }
        Event::None
    }

    fn with_row(&mut self, action: Action, row: usize, cx: &mut Cx) -> Event {
        let FilePhase::Open(open) = &mut self.phase else { return Event::None };
        let Some(text) = open.sheet.rows.get(row).map(|row| row.text.clone()) else { return Event::None };
        match action {
            Action::Copy => cx.copy(text),
            Action::Bench => {
                let name = format!("{} {}", open.sheet.list.name.line(), count(row as u64 + 1));
                return Event::Bench { name: Untrusted::from(name), text };
            }
            _ => self.sub = FileView::Detail(RowDetail::new(row)),
        }
        Event::None
    }

    fn key_detail(&mut self, mut detail: RowDetail, key: KeyEvent, shared: &mut SharedSettings, cx: &mut Cx) -> Event {
        let FilePhase::Open(open) = &mut self.phase else { return Event::None };
        let action = detail::KEYS.find(&key);
        match action {
            Some(detail::Action::Close) => return Event::None,
            Some(step @ (detail::Action::Before | detail::Action::After)) => {
                open.rows.view.by(if step == detail::Action::After { 1 } else { -1 }, open.rows.order.len());
                if let Some(row) = open.here() {
                    detail = RowDetail::new(row);
                }
            }
            Some(detail::Action::Blur) => {
                shared.view.mask_flagged ^= true;
                shared.changed = true;
            }
            Some(detail::Action::Copy) => {
                self.with_row(Action::Copy, detail.row(), cx);
            }
            Some(detail::Action::Bench) => return self.with_row(Action::Bench, detail.row(), cx),
            Some(detail::Action::Scroll(motion)) => detail.scroll(motion),
            None => {
                self.sub = FileView::Detail(detail);
                return Event::Ignored;
            }
        }
        self.sub = FileView::Detail(detail);
        Event::None
    }

    fn key_failures(&mut self, mut failures: FailureList, key: KeyEvent, cx: &mut Cx) -> Event {
        let FilePhase::Open(open) = &mut self.phase else { return Event::None };
        match failures::KEYS.find(&key) {
            Some(failures::Action::Close) => return Event::None,
            Some(failures::Action::Retry) => {
                open.kept.paused = false;
                open.retry(cx);
                open.changed(cx);
                return Event::None;
            }
            Some(failures::Action::Show) => {
                if let Some(row) = failures::row(open, failures.at()) {
                    self.sub = FileView::Detail(RowDetail::new(row));
                    return Event::None;
                }
            }
            Some(failures::Action::Go(motion)) => {
                failures.go(motion, open.run.as_ref().map_or(0, |run| run.runner.failures().len()));
            }
            None => {
                self.sub = FileView::Failures(failures);
                return Event::Ignored;
            }
        }
        self.sub = FileView::Failures(failures);
        Event::None
    }

    fn key_evaluate(
        &mut self,
        mut page: Box<evaluate::Page>,
        key: KeyEvent,
        shared: &mut SharedSettings,
        cx: &mut Cx,
    ) -> Event {
        let profile = shared.thresholds.profile();
        let event = page.key(key, &|name| profile.of(&CategoryKey::of(name)));
        match event {
            evaluate::Event::Close => return Event::None,
            evaluate::Event::Set(name, threshold) => {
                shared.thresholds.profile_mut().set(&CategoryKey::of(&name), threshold);
                shared.changed = true;
                if let FilePhase::Open(open) = &mut self.phase {
                    open.look(shared);
                    open.changed(cx);
                }
            }
            evaluate::Event::None => {}
            evaluate::Event::Ignored => {
                self.sub = FileView::Evaluate(page);
                return Event::Ignored;
            }
        }
        self.sub = FileView::Evaluate(page);
        Event::None
    }

    /// Keys for the footer.
    pub(super) fn all_hints(&self) -> Vec<Hint> {
        let hint = Hint::new;
        if self.modals.is_open() {
            return self.modals.hints();
        }
        if self.finds() {
            return vec![hint("⏎", "done"), hint("↑ ↓", "row")];
        }
        let open = match (&self.phase, &self.sub) {
            (_, FileView::Detail(detail)) => return detail::KEYS.footer(&detail::FOOTER, detail),
            (_, FileView::Failures(failures)) => return failures::KEYS.footer(&failures::FOOTER, failures),
            (_, FileView::Evaluate(page)) => return page.hints(),
            (FilePhase::Open(open), FileView::Table) => open,
            (FilePhase::Step(LoadStep::Reading { .. } | LoadStep::Copying(_)), _) => return Vec::new(),
            _ => return vec![hint("f", "open a file"), hint("L", "files opened before")],
        };
        let run = match open.state() {
            None if open.tally().left() == 0 => None,
            None => Some("check"),
            Some(BatchState::Running) => Some("pause"),
            Some(BatchState::Paused | BatchState::Held { .. }) => Some("go on"),
            Some(BatchState::Finished) => None,
        };
        let mut hints: Vec<Hint> = run.map(|does| hint("p", does)).into_iter().collect();
        let rest = KEYS.footer(&keys::FOOTER, self);
        let fresh = (open.rows.fresh > 0).then(|| hint("s", "sort in"));
        let failed = usize::from(open.tally().failed > 0);
        hints.extend(rest[..failed].iter().cloned().chain(fresh).chain(rest[failed..].iter().cloned()));
        hints
    }
}

/// Moves the threshold of the category that counts, else the one that holds for all without their own.
fn shift(open: &mut OpenTextFile, by: f64, shared: &mut SharedSettings, cx: &mut Cx) {
    let key = open.sheet.results.chosen().map(|category| category.key.clone());
    let profile = shared.thresholds.profile_mut();
    match &key {
        Some(key) => profile.shift(key, by),
        None => profile.shift_usual(by),
    }
    shared.changed = true;
    open.look(shared);
    open.changed(cx);
}
