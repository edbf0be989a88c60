//! The page of a file of texts: a table of all of them, and their run.
//!
//! `f` asks for a path, Enter looks into the file, Enter again reads it; `p` starts, pauses and continues. The run is
//! the tab's and not the page's: it continues while another page is shown, and after a restart when the tab is opened.

mod dataset;
pub(super) mod detail;
mod dialogs;
mod export;
pub(super) mod failures;
pub(super) mod keys;
mod label_errors;
mod loading;
mod open_file;
pub(super) mod page;
mod parts;
mod results;
mod row_order;
mod run;
mod settings;
mod shown_rows;
mod table;
#[cfg(test)]
mod tests;
mod text_search;
mod update;
mod view;

use std::time::{Duration, Instant};

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use self::keys::KEYS;
use self::open_file::OpenTextFile;
use self::page::{FileEvent, FilePage, FilePhase, FileView, LoadStep};
use super::evaluate;
use crate::api::call::{Progress, Ticket};
use crate::component::{Component, Cx, DialogHelp, FindBar, Handled, Hint, RenderContext, Response, Session};
use crate::record::Stored;
use crate::settings::ProfileId;
use crate::tabs::Badge;
use crate::tabs::activity::{Activity, ActivityOutcome};
use crate::tabs::batch::{BatchState, ResultOutbox};
use crate::tabs::tab::{RunMeter, unsaved_sentence};
use crate::text::Untrusted;
use crate::ui::meter::{count, percent};
use crate::ui::rule::cut;

/// An evaluation is rebuilt so long after results have come, ten times as long for a long file…
const REST: Duration = Duration::from_millis(500);
/// …of more rows than this.
const LONG: usize = 20_000;

impl FilePage {
    /// Asks for what it needs from the disk, when the tab first comes to the front.
    pub(super) fn enter(&mut self, cx: &mut Cx) {
        self.seen = Some(cx.now);
        self.ask_last(cx);
    }

    /// Comes into view: the list last open, else the choice of a file.
    pub(super) fn open(&mut self, cx: &mut Cx) {
        self.seen = Some(cx.now);
        self.wanted = true;
        if matches!(self.phase, FilePhase::Empty) && !self.modals.is_open() {
            self.choose_file();
        }
    }

    /// Comes into view with the lists that are kept.
    pub(super) fn lists(&mut self, cx: &mut Cx) {
        self.seen = Some(cx.now);
        self.wanted = true;
        self.choose_list(cx);
    }

    /// Returns how many of the open file's texts are checked, where some are not: `a.csv: 120 of 300 texts`.
    pub(super) fn unfinished(&self) -> Option<String> {
        let FilePhase::Open(open) = &self.phase else { return None };
        let (tally, name) = (open.tally(), &open.dataset.list.name);
        let some = tally.left() > 0 && open.earlier.loading.is_none();
        some.then(|| format!("{}: {} of {} texts", cut(&name.line(), 24), count(tally.done), count(tally.total)))
    }

    /// Returns the model of this profile that the open file's run was begun with; `None`: no run of it was.
    pub(super) fn begun_model(&self, session: &Session) -> Option<Untrusted> {
        let FilePhase::Open(open) = &self.phase else { return None };
        let settings = &open.settings;
        (settings.begun && settings.profile == session.profile.0).then(|| settings.model.as_str().into())
    }

    /// Takes the progress of a call. Returns whether the call was the page's.
    fn handle_progress(&mut self, ticket: Ticket, progress: &Progress, cx: &mut Cx) -> bool {
        let FilePhase::Open(open) = &mut self.phase else { return false };
        let OpenTextFile { run: Some(run), dataset, .. } = &mut **open else { return false };
        run.handle_progress(ticket, progress, dataset, &mut self.shared, cx)
    }

    /// Takes an answer of the store, and of its rows those that it asked for. Returns whether the query was the page's.
    fn handle_stored(&mut self, ticket: Ticket, stored: &mut Stored, cx: &mut Cx) -> bool {
        if self.export_stored(ticket, stored, cx) {
            return true;
        }
        if self.unsaved_results.handle_stored(ticket, stored).is_some() {
            return true;
        }
        if let FilePhase::Open(open) = &mut self.phase
            && open.handle_stored(ticket, stored, &self.shared, cx)
        {
            if matches!(self.sub, FileView::Evaluate(_)) {
                let rest = if open.dataset.len() > LONG { REST * 10 } else { REST };
                self.stale.get_or_insert(cx.now + rest);
            }
            return true;
        }
        self.stored_step(ticket, stored, cx)
    }

    /// Takes in that the models in use have changed, or the thresholds.
    pub(super) fn shared_changed(&mut self) {
        if let FilePhase::Open(open) = &mut self.phase {
            open.update_look(&self.shared);
        }
        if let FileView::Evaluate(page) = &mut self.sub {
            page.set_profile(self.shared.thresholds.profile().clone());
        }
    }

    /// Returns whether a dialog lies over it.
    pub(super) fn has_dialog(&self) -> bool {
        self.modals.is_open() || self.finds()
    }

    /// Returns every key of the open dialog, for the help page.
    pub(super) fn dialog_help(&self) -> DialogHelp {
        if self.finds() && !self.modals.is_open() {
            return DialogHelp::FindBar;
        }
        self.modals.help().into()
    }

    /// Returns whether words to find are typed.
    fn finds(&self) -> bool {
        matches!((&self.phase, &self.sub), (FilePhase::Open(open), FileView::Table) if open.search.bar.is_typing())
    }

    /// Returns what it adds to the tab's name, also while it is not shown.
    pub(super) fn badge(&self) -> Option<Badge> {
        let FilePhase::Open(open) = &self.phase else {
            return matches!(self.phase, FilePhase::Step(LoadStep::Reading { .. } | LoadStep::Copying(_)))
                .then_some(Badge::Busy);
        };
        match open.state()? {
            BatchState::Held { until: None, .. } => Some(Badge::Failed),
            BatchState::Running | BatchState::Held { .. } => {
                let tally = open.tally();
                let share = (tally.done + tally.failed) as f64 / tally.total.max(1) as f64;
                Some(Badge::Text(percent(share)))
            }
            BatchState::Paused | BatchState::Finished => None,
        }
    }

    /// Returns the run, unless it waits for the user.
    pub(super) fn activity(&self) -> Option<Activity> {
        let FilePhase::Open(open) = &self.phase else { return None };
        let runs = matches!(open.state()?, BatchState::Running | BatchState::Held { until: Some(_), .. });
        runs.then(|| open.tally().activity(open.dataset.list.id.0 as u64))
    }

    /// Returns how the run ended, when it does not go on by itself.
    pub(super) fn outcome(&self) -> ActivityOutcome {
        let FilePhase::Open(open) = &self.phase else { return ActivityOutcome::Stopped };
        open.run.as_ref().map_or(ActivityOutcome::Stopped, run::FileRun::outcome)
    }

    /// Returns tokens and cost of its last run.
    pub(super) fn meter(&self) -> Option<RunMeter> {
        let FilePhase::Open(open) = &self.phase else { return None };
        let run = open.run.as_ref()?;
        Some(RunMeter { texts: open.tally().done, ..run.saving.outbox.meter()? })
    }

    /// Pauses what runs, on Ctrl+C. Returns whether there was anything to pause.
    pub(super) fn interrupt(&mut self, cx: &mut Cx) -> bool {
        let FilePhase::Open(open) = &mut self.phase else { return false };
        if !open.is_running() {
            return false;
        }
        open.stop(cx);
        open.settings.paused = true;
        open.changed(cx);
        true
    }

    /// Returns whether an unfinished run uses this profile's server.
    pub(super) fn needs_profile(&self, profile: &ProfileId) -> bool {
        let FilePhase::Open(open) = &self.phase else { return false };
        open.run.as_ref().is_some_and(|run| run.needs_profile(profile))
    }

    /// Returns what the user is told before quitting.
    pub(super) fn quit_warning(&self) -> Option<String> {
        let (name, run, refusal) = match &self.phase {
            FilePhase::Open(open) => (open.dataset.list.name.line(), open.run.as_ref(), open.refusal()),
            FilePhase::Step(LoadStep::Copying(copying)) => (copying.name().line(), None, copying.saves.refusal()),
            FilePhase::Empty | FilePhase::Step(_) => ("a file".into(), None, None),
        };
        let why = refusal.or_else(|| self.unsaved_results.iter().find_map(ResultOutbox::refusal))?;
        let runs = run.map(|run| &run.saving.outbox).into_iter().chain(self.unsaved_results.iter());
        let lost: usize = runs.filter(|run| run.refusal().is_some()).map(ResultOutbox::unsaved).sum();
        let what = if lost == 0 { name.into_owned() } else { format!("{lost} results of {name}") };
        Some(unsaved_sentence(&what, why, ""))
    }

    /// Saves what is not saved yet, before the program ends.
    pub(super) fn before_quit(&mut self, cx: &mut Cx) {
        if let FilePhase::Open(open) = &mut self.phase {
            open.save_changes(true, cx);
            open.end_run(&mut self.unsaved_results, cx);
        }
    }

    /// Returns what the title says of the disk.
    fn saved(&self) -> Option<Untrusted> {
        let FilePhase::Open(open) = &self.phase else { return None };
        Some(match open.refusal() {
            Some(why) => format!("✕ not saved: {}", why.line()).into(),
            None if open.is_saved() => "saved ✓".into(),
            None => "saving…".into(),
        })
    }
}

impl Component<FileEvent> for FilePage {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<FileEvent> {
        self.seen = Some(cx.now);
        if !self.modals.key(key, cx).act(|answer| self.answer(answer, cx)) {
            return self.page_key(key, cx);
        }
        // Without a file there is nothing to see here.
        let done = matches!(self.phase, FilePhase::Empty) && !self.modals.is_open();
        if done { Handled::Emit(FileEvent::Close) } else { Handled::Consumed }
    }

    fn paste(&mut self, text: &str, cx: &mut Cx) -> Handled<FileEvent> {
        if !self.modals.paste(text, cx).act(|answer| self.answer(answer, cx))
            && let FilePhase::Open(open) = &mut self.phase
            && open.search.bar.paste(text)
        {
            open.search();
        }
        Handled::Consumed
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<FileEvent> {
        self.seen = Some(cx.now);
        if self.modals.reply(ticket, response, cx).act(|answer| self.answer(answer, cx)) {
            return Handled::Consumed;
        }
        let own = match response {
            Response::Call(progress) => self.handle_progress(ticket, progress, cx),
            Response::Store(stored) => self.handle_stored(ticket, stored, cx),
            Response::Work(done) => self.export_worked(ticket, done, cx) || self.worked_step(ticket, done, cx),
            Response::Taken => false,
        };
        if own { Handled::Consumed } else { Handled::Ignored }
    }

    fn readable(&self, session: &Session) -> Option<Untrusted> {
        if self.modals.is_open() {
            return self.modals.readable(session);
        }
        let FilePhase::Open(open) = &self.phase else { return None };
        open.selected_row().and_then(|row| open.dataset.text_of_row(row)).cloned()
    }

    fn hints(&self) -> Vec<Hint> {
        if self.modals.is_open() {
            return self.modals.hints();
        }
        if self.finds() {
            return [FindBar::hints(), vec![Hint::new("↑↓", "row")]].concat();
        }
        match (&self.phase, &self.sub) {
            (_, FileView::Detail(detail)) => detail::KEYS.footer(&detail::FOOTER, detail),
            (_, FileView::Failures(failures)) => failures::KEYS.footer(&failures::FOOTER, failures),
            (_, FileView::Evaluate(page)) => page.hints(),
            (FilePhase::Open(open), FileView::Table) => {
                let new: &[keys::Action] = if open.rows.fresh > 0 { &[keys::Action::Sort] } else { &[] };
                let new = keys::NEW_RESULTS.footer(new, &());
                [KEYS.footer(&keys::FIRST, self), new, KEYS.footer(&keys::FOOTER, self)].concat()
            }
            (FilePhase::Step(LoadStep::Reading { .. } | LoadStep::Copying(_)), _) => Vec::new(),
            _ => KEYS.footer(&keys::NO_FILE, self),
        }
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        let mut help = vec![
            ("File of texts", KEYS.help()),
            ("A text of the file", detail::KEYS.help()),
            ("Texts that failed", failures::KEYS.help()),
            ("Thresholds against labels", evaluate::KEYS.help()),
        ];
        let front = match self.sub {
            FileView::Table => 0,
            FileView::Detail(_) => 1,
            FileView::Failures(_) => 2,
            FileView::Evaluate(_) => 3,
        };
        help[..=front].rotate_right(1);
        help
    }

    fn escape(&self) -> Option<&'static str> {
        Some(self.next_escape().1)
    }

    fn typing(&self) -> bool {
        self.modals.typing() || self.finds()
    }

    fn arrange(&mut self, area: Rect, session: &Session, now: Instant) {
        self.modals.arrange(area, session, now);
        view::arrange(self, area, session, now);
    }

    fn due(&self) -> Option<Instant> {
        let now = self.seen?;
        let open = if let FilePhase::Open(open) = &self.phase { open.due(now) } else { None };
        [open, self.modals.due(), self.stale].into_iter().flatten().min()
    }

    fn tick(&mut self, cx: &mut Cx) {
        self.seen = Some(cx.now);
        if self.stale.take_if(|at| *at <= cx.now).is_some()
            && let (FilePhase::Open(open), FileView::Evaluate(page)) = (&self.phase, &mut self.sub)
        {
            page.take(open.evaluation());
        }
        if let FilePhase::Open(open) = &mut self.phase {
            open.go(cx);
            open.save_changes(false, cx);
        }
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        view::render(self, frame, area, context);
    }
}
