//! What the page's keys do.

use crossterm::event::KeyEvent;

use super::super::category::Key;
use super::super::evaluate;
use super::super::shared::Shared;
use super::super::thresholds::STEP;
use super::detail::{self, Detail};
use super::export;
use super::failures::{self, Failures};
use super::keys::Action;
use super::over::{self, Over};
use super::{Event, FilePage, Open, Phase, Step, Sub};
use crate::component::{Cx, Hint, Notice};
use crate::tabs::batch::State;
use crate::text::Untrusted;
use crate::ui::line::Line;
use crate::ui::meter::count;

impl FilePage {
    /// A key while nothing stands over the page.
    pub(super) fn key_page(&mut self, key: KeyEvent, shared: &mut Shared, cx: &mut Cx) -> Event {
        match std::mem::take(&mut self.sub) {
            Sub::Table => self.key_table(key, shared, cx),
            Sub::Detail(detail) => self.key_detail(detail, key, shared, cx),
            Sub::Failures(failures) => self.key_failures(failures, key, cx),
            Sub::Evaluate(page) => self.key_evaluate(page, key, shared, cx),
        }
    }

    fn key_table(&mut self, key: KeyEvent, shared: &mut Shared, cx: &mut Cx) -> Event {
        let Some(action) = self.keys.find(&key) else { return Event::Ignored };
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
        if let Phase::Open(open) = &mut self.phase
            && open.is_filtered()
        {
            open.show_all(cx);
            return Event::None;
        }
        Event::Close
    }

    fn act(&mut self, action: Action, shared: &mut Shared, cx: &mut Cx) -> Event {
        // A file on its way says how many texts it has: who asks for its run then does not ask twice.
        if let (Phase::Step(Step::Reading { .. } | Step::Copying(_)), Action::Run) = (&self.phase, action) {
            self.runs = true;
            return Event::None;
        }
        let Phase::Open(open) = &mut self.phase else {
            return Event::Ignored;
        };
        let page = open.view.page.saturating_sub(1).max(1) as isize;
        let rows = match action {
            Action::Up => -1,
            Action::Down => 1,
            Action::PageUp => -page,
            Action::PageDown => page,
            Action::HalfUp => -(page / 2).max(1),
            Action::HalfDown => (page / 2).max(1),
            Action::Top => isize::MIN,
            Action::Bottom => isize::MAX,
            _ => return self.order(action, shared, cx),
        };
        open.view.by(rows, open.order.len());
        Event::None
    }

    fn order(&mut self, action: Action, shared: &mut Shared, cx: &mut Cx) -> Event {
        let Phase::Open(open) = &mut self.phase else { return Event::Ignored };
        match action {
            // What is known already must not be asked again: the run begins when that is here.
            Action::Run if open.loading.is_some() => open.wanted = true,
            Action::Run if open.run.is_none() && (!open.kept.begun || open.unread) => self.begin(shared, cx),
            Action::Run => run(open, shared, cx),
            Action::Again if open.loading.is_some() => {
                cx.notify(Notice::hint("earlier results are looked up; R when they are here"));
            }
            Action::Again => self.over = Some(over::again(open)),
            Action::Sort => open.resort(cx),
            Action::Category if open.sheet.results.categories().is_empty() => {
                cx.notify(Notice::hint("categories are known when the first texts are checked: p"));
            }
            Action::Category => self.over = Some(over::categories(open)),
            Action::Before => open.step(false, shared, cx),
            Action::After => open.step(true, shared, cx),
            Action::Flagged => {
                open.kept.filter.flagged ^= true;
                open.sort(true);
                open.changed(cx);
            }
            Action::Disagree | Action::Evaluate if !open.sheet.is_labelled() => {
                cx.notify(Notice::hint("this file has no labels; f opens it again with a column of labels"));
            }
            Action::Disagree => open.disagree(cx),
            Action::Evaluate => {
                let mut page = Box::<evaluate::Page>::default();
                page.take(evaluation(open));
                self.sub = Sub::Evaluate(page);
            }
            Action::Find => {
                open.prepare();
                self.over = Some(Over::Find(Line::new(open.search.clone())));
            }
            Action::Lower => shift(open, -STEP, shared, cx),
            Action::Raise => shift(open, STEP, shared, cx),
            Action::Failures if open.tally().failed == 0 => cx.notify(Notice::hint("no text has come to nothing")),
            Action::Failures => self.sub = Sub::Failures(Failures::default()),
            Action::Export => self.over = Some(export::path(open)),
            Action::Blur => {
                shared.kept.blur ^= true;
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
        let Phase::Open(open) = &mut self.phase else { return Event::None };
        let Some(text) = open.sheet.rows.get(row).map(|row| row.text.clone()) else { return Event::None };
        match action {
            Action::Copy => cx.copy(text),
            Action::Bench => {
                let name = format!("{} {}", open.sheet.list.name.line(), count(row as u64 + 1));
                return Event::Bench { name: Untrusted::from(name), text };
            }
            _ => self.sub = Sub::Detail(Detail::new(row)),
        }
        Event::None
    }

    fn key_detail(&mut self, mut detail: Detail, key: KeyEvent, shared: &mut Shared, cx: &mut Cx) -> Event {
        let Phase::Open(open) = &mut self.phase else { return Event::None };
        let event = detail.key(key);
        match event {
            detail::Event::Close => return Event::None,
            detail::Event::Row(step) => {
                open.view.by(step, open.order.len());
                if let Some(row) = open.here() {
                    detail = Detail::new(row);
                }
            }
            detail::Event::Blur => {
                shared.kept.blur ^= true;
                shared.changed = true;
            }
            detail::Event::Copy => {
                self.with_row(Action::Copy, detail.row(), cx);
            }
            detail::Event::Bench => {
                let row = detail.row();
                return self.with_row(Action::Bench, row, cx);
            }
            detail::Event::None => {}
            detail::Event::Ignored => {
                self.sub = Sub::Detail(detail);
                return Event::Ignored;
            }
        }
        self.sub = Sub::Detail(detail);
        Event::None
    }

    fn key_failures(&mut self, mut failures: Failures, key: KeyEvent, cx: &mut Cx) -> Event {
        let Phase::Open(open) = &mut self.phase else { return Event::None };
        match failures.key(key, open.run.as_ref().map_or(0, |run| run.batch.failures().len())) {
            failures::Event::Close => return Event::None,
            failures::Event::Retry => {
                open.kept.paused = false;
                open.retry(cx);
                open.changed(cx);
                return Event::None;
            }
            failures::Event::Show(at) => {
                let row = failures::row(open, at);
                if let Some(row) = row {
                    self.sub = Sub::Detail(Detail::new(row));
                    return Event::None;
                }
            }
            failures::Event::None => {}
            failures::Event::Ignored => {
                self.sub = Sub::Failures(failures);
                return Event::Ignored;
            }
        }
        self.sub = Sub::Failures(failures);
        Event::None
    }

    fn key_evaluate(
        &mut self,
        mut page: Box<evaluate::Page>,
        key: KeyEvent,
        shared: &mut Shared,
        cx: &mut Cx,
    ) -> Event {
        let profile = shared.thresholds.profile();
        let event = page.key(key, &|name| profile.of(&Key::of(name)));
        match event {
            evaluate::Event::Close => return Event::None,
            evaluate::Event::Set(name, threshold) => {
                shared.thresholds.profile_mut().set(&Key::of(&name), threshold);
                shared.changed = true;
                if let Phase::Open(open) = &mut self.phase {
                    open.look(shared);
                    open.changed(cx);
                }
            }
            evaluate::Event::None => {}
            evaluate::Event::Ignored => {
                self.sub = Sub::Evaluate(page);
                return Event::Ignored;
            }
        }
        self.sub = Sub::Evaluate(page);
        Event::None
    }

    /// Keys for the footer.
    pub(super) fn all_hints(&self) -> Vec<Hint> {
        let hint = Hint::new;
        match &self.over {
            Some(Over::File(chooser)) => return chooser.hints(),
            Some(Over::Lists(lists)) => return lists.hints(),
            Some(Over::Find(_)) => return vec![hint("⏎", "done"), hint("↑ ↓", "row")],
            Some(Over::Export(_)) => return vec![hint("⏎", "write")],
            Some(_) => return Vec::new(),
            None => {}
        }
        let open = match (&self.phase, &self.sub) {
            (_, Sub::Detail(_)) => return detail::hints(),
            (_, Sub::Failures(_)) => return failures::hints(),
            (_, Sub::Evaluate(page)) => return page.hints(),
            (Phase::Open(open), Sub::Table) => open,
            (Phase::Step(Step::Reading { .. } | Step::Copying(_)), _) => return Vec::new(),
            _ => return vec![hint("f", "open a file"), hint("L", "files opened before")],
        };
        let run = match open.state() {
            None if open.tally().left() == 0 => None,
            None => Some("check"),
            Some(State::Running) => Some("pause"),
            Some(State::Paused | State::Held { .. }) => Some("go on"),
            Some(State::Finished) => None,
        };
        let mut hints: Vec<Hint> = run.map(|does| hint("p", does)).into_iter().collect();
        if open.tally().failed > 0 {
            hints.push(hint("x", "failed"));
        }
        if open.fresh > 0 {
            hints.push(hint("s", "sort in"));
        }
        hints.extend([hint("⏎", "detail"), hint("c", "category"), hint("F", "flagged"), hint("/", "find")]);
        if open.sheet.is_labelled() {
            hints.extend([hint("D", "disagreeing"), hint("e", "evaluate")]);
        }
        hints.extend([hint("s", "sort"), hint("E", "export"), hint("f", "another file"), hint("L", "files")]);
        hints
    }
}

/// `p`: starts, pauses, goes on; says why not where it cannot.
pub(super) fn run(open: &mut Open, shared: &Shared, cx: &mut Cx) {
    let tally = open.tally();
    if tally.left() == 0 && tally.failed == 0 {
        let all = count(tally.total);
        return cx.notify(Notice::hint(format!("all {all} texts have a result; R checks them again")));
    }
    open.toggle(shared, cx);
}

/// Moves the threshold of the category that counts, else the one that holds for all without their own.
fn shift(open: &mut Open, by: f64, shared: &mut Shared, cx: &mut Cx) {
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

/// Results beside labels, a row for each.
pub(super) fn evaluation(open: &Open) -> evaluate::Evaluation {
    let sheet = &open.sheet;
    let rows = sheet.rows.iter().enumerate().map(|(at, row)| (row.label.as_ref(), sheet.check(at)));
    evaluate::Evaluation::of(rows)
}
