//! The page of a training file: what is wrong with it, what would repair it, what it costs to train on.
//!
//! It reads the whole file on the work threads, then shows the report in three parts: problems, repairs, figures. `w`
//! writes a repaired copy beside the file; `U` hands what was written (or the file as it is) on to be uploaded.

mod checked_file;
mod choices;
mod chosen_columns;
mod columns;
mod figures;
mod findings_view;
pub(super) mod keys;
mod line_canvas;
mod page;
mod page_view;
mod run;
mod summary_view;
#[cfg(test)]
mod tests;
mod training_check;
mod view;
mod wording;

use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use self::checked_file::CheckedFile;
pub(super) use self::checked_file::to_tune;
use self::choices::{HeldOutShare, PrepareChoices};
pub use self::chosen_columns::{ChosenColumns, ColumnSource};
use self::columns::ColumnChoice;
pub(super) use self::findings_view::finding_viewer;
use self::keys::{Action, TemplateKey};
pub(super) use self::page::{CheckPage, Event};
use self::page_view::{CheckPane, PageView};
use self::run::{CheckPhase, CheckRun};
pub use self::training_check::{CheckUpdate, TrainingCheck, column_words, repair_words, request_words};
pub use self::wording::check_summary;
use crate::api::call::Ticket;
use crate::component::{Component, Cx, Handled, Hint, Motion, Notice, RenderContext, Response, Session};
use crate::record::training::{CheckReport, Mapping, Prepare, Repair, Split, TrainingFormat};
use crate::record::work::{Done, Work};

/// The same file is always parted in the same way.
const SEED: u64 = 1;

/// What the next Esc does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CheckEscape {
    LeaveTemplate,
    StopWriting,
    ClosePage,
}

/// Returns the keys of the page, for the help page.
pub(super) fn help() -> Vec<Hint> {
    keys::KEYS.help()
}

impl CheckPage {
    /// Begins to check a local file, by its absolute path, for the model that would be tuned; with what is known of
    /// columns.
    pub(super) fn open(path: impl Into<String>, mappings: Vec<Mapping>, cx: &mut Cx) -> Self {
        let mut page = Self {
            file: CheckedFile::new(path.into(), cx.session),
            run: CheckRun::new(cx.now),
            report: Box::default(),
            columns: ColumnChoice::new(mappings),
            choices: PrepareChoices::default(),
            view: PageView::default(),
        };
        page.check(cx);
        page
    }

    fn check(&mut self, cx: &mut Cx) {
        let work = self.file.check(self.columns.mappings.clone(), cx);
        self.run.start(work, CheckPhase::Reading { done: 0, total: 0 }, cx);
    }

    /// Returns the file's path.
    pub(super) fn path(&self) -> &str {
        &self.file.path
    }

    /// Returns whether a copy is being written.
    pub(super) fn writes(&self) -> bool {
        self.run.is_writing()
    }

    /// Tells whether nothing lies over the page.
    pub(super) fn set_focus(&mut self, focus: bool) {
        self.view.focus = focus;
    }

    fn act(&mut self, action: Action, cx: &mut Cx) -> Handled<Event> {
        match action {
            Action::Close => return self.escaped(cx),
            Action::Show => return self.show(),
            Action::Upload => return self.upload(cx),
            Action::Accept => self.accept(cx),
            Action::Write => self.write(None, cx),
            Action::Again => {
                self.choices.stays = false;
                self.check(cx);
            }
            Action::Model => self.other_model(cx),
            Action::Assign(assign) => return self.assign(assign, cx),
            Action::Split => self.hold_out(HeldOutShare::Toggle),
            Action::Less => self.hold_out(HeldOutShare::Less),
            Action::More => self.hold_out(HeldOutShare::More),
            Action::Fewer => self.choices.train_longer(false),
            Action::Longer => self.choices.train_longer(true),
            Action::Next | Action::Before => {
                self.view.pane = CheckPane::Problems;
                let motion = if action == Action::Next { Motion::Down } else { Motion::Up };
                self.view.go(motion, &self.report);
            }
            Action::Pane => self.view.turn(1, &self.report),
            Action::PaneBack => self.view.turn(-1, &self.report),
            Action::Move(motion) => self.view.go(motion, &self.report),
        }
        Handled::Consumed
    }

    /// Returns what the next Esc does, and what it is called.
    fn next_escape(&self) -> (CheckEscape, &'static str) {
        match self.run.phase {
            _ if self.columns.template.is_some() => (CheckEscape::LeaveTemplate, self.columns.escape()),
            CheckPhase::Writing { .. } => (CheckEscape::StopWriting, "stop writing"),
            CheckPhase::Reading { .. } => (CheckEscape::ClosePage, "stop"),
            _ => (CheckEscape::ClosePage, "close"),
        }
    }

    fn escaped(&mut self, cx: &mut Cx) -> Handled<Event> {
        match self.next_escape().0 {
            CheckEscape::LeaveTemplate => self.columns.leave(self.report.mapping.as_ref()),
            CheckEscape::StopWriting => {
                self.run.stop(cx);
                self.run.end(CheckPhase::Checked);
            }
            CheckEscape::ClosePage => {
                self.run.stop(cx);
                return Handled::Emit(Event::Closed);
            }
        }
        Handled::Consumed
    }

    /// Returns whether the problem under the cursor has a row to show.
    fn has_row(&self) -> bool {
        let problem = self.report.problems.get(self.view.problems.selected);
        self.view.pane == CheckPane::Problems && problem.is_some_and(|problem| problem.at.is_some())
    }

    /// Returns the repair under the cursor, and whether it is accepted.
    fn selected_repair(&self) -> Option<(&Repair, bool)> {
        let at = self.view.repairs.selected;
        self.report.repairs.get(at).zip(self.choices.accepted.get(at).copied())
    }

    fn show(&self) -> Handled<Event> {
        let problem = self.report.problems.get(self.view.problems.selected);
        match problem.filter(|_| self.view.pane == CheckPane::Problems).and_then(|problem| problem.at) {
            Some(at) => Handled::Emit(Event::Show(self.file.path.clone(), at)),
            None => match self.view.finding(&self.report) {
                Some(finding) => Handled::Emit(Event::Read(Box::new(finding))),
                None => Handled::Consumed,
            },
        }
    }

    /// Hands on what was written last, or the file where it needs nothing.
    fn upload(&mut self, cx: &mut Cx) -> Handled<Event> {
        match &self.run.phase {
            CheckPhase::Written(prepared) => {
                let rows = prepared.files.iter().filter(|(_, rows, _)| *rows > 0);
                Handled::Emit(Event::Upload(rows.map(|(path, ..)| path.raw().to_owned()).collect()))
            }
            CheckPhase::Checked | CheckPhase::NotWritten(_) if self.report.source == TrainingFormat::Jsonl => {
                Handled::Emit(Event::Upload(vec![self.file.path.clone()]))
            }
            CheckPhase::Checked | CheckPhase::NotWritten(_) => {
                cx.notify(Notice::info("only JSON Lines can be uploaded for training; w writes it"));
                Handled::Consumed
            }
            CheckPhase::Reading { .. } | CheckPhase::Writing { .. } | CheckPhase::Failed(_) => Handled::Consumed,
        }
    }

    fn accept(&mut self, cx: &mut Cx) {
        let at = self.view.repairs.selected;
        let Some(repair) = self.report.repairs.get(at).filter(|_| self.view.pane == CheckPane::Repairs) else { return };
        if repair.necessary {
            cx.notify(Notice::info(wording::REQUIRED));
        } else if self.run.is_ready() {
            self.choices.accepted[at] = !self.choices.accepted[at];
            self.run.choose_anew();
        }
    }

    /// Writes the repaired copy beside the file, or at this path.
    fn write(&mut self, output: Option<String>, cx: &mut Cx) {
        if !self.run.is_ready() {
            return;
        }
        if let Some(why) = wording::objection(&self.report) {
            cx.notify(Notice::warn(why));
            return;
        }
        let share = |share: u8| Split { share: Some(f64::from(share) / 100.0), seed: SEED };
        let prepare = Prepare {
            path: self.file.path.clone(),
            model: self.file.model.clone(),
            local: self.file.local,
            mapping: self.report.mapping.clone(),
            repairs: self.choices.repairs(&self.report).cloned().collect(),
            split: self.choices.held_out.map(share),
            output,
        };
        self.run.start(Work::Prepare(Box::new(prepare)), CheckPhase::Writing { done: 0, total: 0 }, cx);
    }

    /// Changes the share that is held out: what was written has the old one.
    fn hold_out(&mut self, change: HeldOutShare) {
        if !self.run.is_writing() && self.choices.hold_out(change) {
            self.run.choose_anew();
        }
    }

    /// Works the figures out for the next model that can be trained; tokens are counted again.
    fn other_model(&mut self, cx: &mut Cx) {
        if matches!(self.run.phase, CheckPhase::Writing { .. } | CheckPhase::Failed(_)) {
            return;
        }
        self.file.next_model();
        self.choices.stays |= !self.run.is_reading();
        self.check(cx);
    }

    fn take(&mut self, report: Box<CheckReport>) {
        if !self.choices.take(&self.report, &report) {
            self.view.begin(&report);
        }
        self.view.clamp(&report);
        self.report = report;
    }

    fn handle_worked(&mut self, done: Done, cx: &Cx) {
        let phase = match done {
            Done::Moved { done, total } => return self.run.moved(done, total, cx.now),
            Done::Checked(report) => {
                self.take(report);
                CheckPhase::Checked
            }
            Done::Prepared(prepared) => CheckPhase::Written(prepared),
            Done::Failed(why) if self.run.is_writing() => CheckPhase::NotWritten(why),
            Done::Failed(why) => CheckPhase::Failed(why),
            _ => CheckPhase::Failed("internal error in background work; please report it".into()),
        };
        self.run.end(phase);
    }
}

impl Component<Event> for CheckPage {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<Event> {
        if self.columns.template.is_some() {
            return self.type_template(key, cx);
        }
        match keys::KEYS.find(&key) {
            Some(action) => self.act(action, cx),
            None => Handled::Ignored,
        }
    }

    /// Takes pasted text into the template that is being typed.
    fn paste(&mut self, text: &str, _cx: &mut Cx) -> Handled<Event> {
        self.columns.paste(text);
        Handled::Consumed
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<Event> {
        if !self.run.owns(ticket) {
            return Handled::Ignored;
        }
        if let Response::Work(done) = response.take() {
            self.handle_worked(done, cx);
        }
        Handled::Consumed
    }

    /// Stops what is on its way.
    fn close(&mut self, cx: &mut Cx) {
        self.run.stop(cx);
    }

    fn hints(&self) -> Vec<Hint> {
        let footer = |actions: &[Action]| keys::KEYS.footer(actions, self);
        match &self.run.phase {
            _ if self.columns.template.is_some() => keys::TEMPLATE.footer(&[TemplateKey::Use], &()),
            CheckPhase::Reading { .. } | CheckPhase::Writing { .. } => Vec::new(),
            CheckPhase::Failed(_) => footer(&[Action::Again]),
            CheckPhase::Written(_) => footer(&[Action::Upload, Action::Again]),
            CheckPhase::Checked | CheckPhase::NotWritten(_) => footer(&keys::footer(self)),
        }
    }

    fn typing(&self) -> bool {
        self.columns.template.is_some()
    }

    fn escape(&self) -> Option<&'static str> {
        Some(self.next_escape().1)
    }

    fn due(&self) -> Option<Instant> {
        self.run.due()
    }

    fn tick(&mut self, cx: &mut Cx) {
        self.run.tick(cx.now);
    }

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        view::arrange(self, area, session.spacing());
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        view::render(self, frame.buffer_mut(), area, context);
        if let Some((_, line)) = &self.columns.template
            && area.height > 1
            && area.width > 14
        {
            let last = Rect { x: area.x + 12, y: area.bottom() - 1, width: area.width - 13, height: 1 };
            line.render(frame, last, context.theme.text, self.view.focus);
        }
    }
}
