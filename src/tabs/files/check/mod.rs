//! The page of a training file: what is wrong with it, what would mend it, what it costs to train on.
//!
//! It reads the whole file on the work threads, then shows the report in three parts: problems, repairs, figures. `w`
//! writes a mended copy beside the file; `U` hands what was written (or the file as it is) on to be uploaded.

mod choices;
mod columns;
mod figures;
mod keys;
mod line_canvas;
#[cfg(test)]
mod tests;
mod text_dialog;
mod view;
mod wording;

use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

pub(super) use self::choices::to_tune;
use self::columns::ColumnRole;
use self::keys::Action;
use crate::api::call::Ticket;
use crate::component::{Cx, Hint, Notice, RenderContext};
use crate::record::training::{Check, Mapping, Prepare, Prepared, Report, Source, Split};
use crate::record::work::{Done, Work};
use crate::text::Untrusted;
use crate::tokens::Price;
use crate::ui::keys::Keymap;
use crate::ui::line::Line;
use crate::ui::list::Cursor;
use crate::ui::meter::SPINNER_FRAME;
use crate::ui::progress::Rate;

/// Epochs at most.
const EPOCHS: u64 = 50;
/// Steps of the share that is held out, percent.
const STEP: u8 = 5;
/// The same file is always parted in the same way.
const SEED: u64 = 1;

/// What a key did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It was the page's.
    Taken,
    /// The key means nothing here.
    Ignored,
    /// The page is done with: drop it.
    Closed,
    /// This place of this file is to be shown: its path, and the byte.
    Show(String, u64),
    /// These files are to be uploaded, by their paths: what was written, or the file itself as it stands.
    Upload(Vec<String>),
    /// Columns are taken for this: it is to be remembered for files with the same ones.
    Mapped(Box<Mapping>),
}

/// How far it is.
#[derive(Debug)]
enum CheckPhase {
    /// Bytes of how many are read.
    Reading {
        done: u64,
        total: u64,
    },
    /// The file could not be read at all.
    Failed(Untrusted),
    Checked,
    /// The mended copy is on its way.
    Writing {
        done: u64,
        total: u64,
    },
    /// What the last writing came to.
    Written(Box<Prepared>),
    NotWritten(Untrusted),
}

/// A part of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pane {
    Columns,
    Problems,
    Repairs,
    Figures,
}

const PANES: [Pane; 4] = [Pane::Columns, Pane::Problems, Pane::Repairs, Pane::Figures];

/// A training file that is checked.
#[derive(Debug)]
pub(super) struct Page {
    path: String,
    /// The model that the figures are for.
    model: Untrusted,
    /// The models to choose from.
    models: Vec<Untrusted>,
    local: bool,
    /// What training the model costs; `None`: unknown.
    price: Option<Price>,
    ticket: Option<Ticket>,
    phase: CheckPhase,
    report: Box<Report>,
    /// What columns of files are taken for, as far as that was said.
    mappings: Vec<Mapping>,
    /// A template while it is typed.
    template: Option<(ColumnRole, Line)>,
    /// Templates that were left half typed, or that a column took the place of, as they are typed.
    drafts: Vec<(ColumnRole, String)>,
    /// Whether the whole text of what is under the cursor is open, and how far it is scrolled.
    whole: Option<usize>,
    /// Which repairs are accepted, one for each of the report's.
    accepted: Vec<bool>,
    /// Whether what was chosen on the page stays when the next report comes.
    stays: bool,
    pane: Pane,
    columns: Cursor,
    problems: Cursor,
    repairs: Cursor,
    /// The first line of the figures that shows.
    figures: usize,
    epochs: u64,
    /// Percent held out; `None`: nothing.
    held_out: Option<u8>,
    /// Whether the user said how much.
    split_chosen: bool,
    began: Instant,
    /// When the spinner moved last.
    ticked: Instant,
    rate: Rate,
    /// Rows of a list that showed last, for paging.
    height: usize,
    keys: Keymap<Action>,
}

/// Returns the keys of the page, for the help page.
pub(super) fn help() -> Vec<Hint> {
    Hint::table(&keys::table())
}

impl Page {
    /// Begins to check a local file, by its absolute path, for the model that would be tuned; with what is known of
    /// columns.
    pub(super) fn open(path: impl Into<String>, mappings: Vec<Mapping>, cx: &mut Cx) -> Self {
        let session = cx.session;
        let model = choices::to_tune(session);
        let mut page = Self {
            path: path.into(),
            model,
            models: choices::models(session),
            local: session.local,
            price: None,
            ticket: None,
            phase: CheckPhase::Checked,
            report: Box::default(),
            mappings,
            template: None,
            drafts: Vec::new(),
            whole: None,
            accepted: Vec::new(),
            stays: false,
            pane: Pane::Problems,
            columns: Cursor::default(),
            problems: Cursor::default(),
            repairs: Cursor::default(),
            figures: 0,
            epochs: 4,
            held_out: None,
            split_chosen: false,
            began: cx.now,
            ticked: cx.now,
            rate: Rate::default(),
            height: 1,
            keys: keys::table(),
        };
        page.check(cx);
        page
    }

    fn check(&mut self, cx: &mut Cx) {
        self.stop(cx);
        self.price = cx.session.training_price(self.model.raw());
        let mappings = self.mappings.clone();
        let check = Check { path: self.path.clone(), model: self.model.clone(), local: self.local, mappings };
        self.ticket = Some(cx.work(Work::Check(Box::new(check))));
        self.phase = CheckPhase::Reading { done: 0, total: 0 };
        (self.began, self.rate) = (cx.now, Rate::default());
    }

    /// The file's path.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Whether a copy is being written.
    pub(super) fn writes(&self) -> bool {
        matches!(self.phase, CheckPhase::Writing { .. })
    }

    /// A key, while the page has the focus.
    pub(super) fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Outcome {
        if self.template.is_some() {
            return self.type_template(key, cx);
        }
        if self.whole.is_some() {
            self.whole_key(key);
            return Outcome::Taken;
        }
        let Some(action) = self.keys.find(&key) else { return Outcome::Ignored };
        let page = isize::try_from(self.height).unwrap_or(1).max(1);
        match action {
            Action::Close => return self.peel(cx),
            Action::Show => return self.show(),
            Action::Upload => return self.upload(cx),
            Action::Accept => self.accept(cx),
            Action::Write => self.write(cx),
            Action::Again => {
                self.stays = false;
                self.check(cx);
            }
            Action::Model => self.other_model(cx),
            Action::ToPrompt
            | Action::ToCompletion
            | Action::ToSystem
            | Action::Add
            | Action::PromptTemplate
            | Action::CompletionTemplate
            | Action::Conversations => return self.assign(action, cx),
            Action::Split => self.hold_out(if self.held_out.is_some() { None } else { Some(choices::SHARE) }),
            Action::Less => self.hold_out(self.held_out.map(|share| share.saturating_sub(STEP).max(STEP))),
            Action::More => self.hold_out(self.held_out.map(|share| (share + STEP).min(50))),
            Action::Fewer => self.epochs = (self.epochs - 1).max(1),
            Action::Longer => self.epochs = (self.epochs + 1).min(EPOCHS),
            Action::Next | Action::Before => {
                self.pane = Pane::Problems;
                self.by(if action == Action::Next { 1 } else { -1 });
            }
            Action::Pane => self.turn(1),
            Action::PaneBack => self.turn(-1),
            Action::Up => self.by(-1),
            Action::Down => self.by(1),
            Action::PageUp => self.by(-page),
            Action::PageDown => self.by(page),
            Action::Top => self.by(isize::MIN / 2),
            Action::Bottom => self.by(isize::MAX / 2),
        }
        Outcome::Taken
    }

    /// One layer less: what is written is stopped first.
    fn peel(&mut self, cx: &mut Cx) -> Outcome {
        let writing = matches!(self.phase, CheckPhase::Writing { .. });
        self.stop(cx);
        if writing {
            self.phase = CheckPhase::Checked;
            return Outcome::Taken;
        }
        Outcome::Closed
    }

    fn show(&mut self) -> Outcome {
        let problem = self.report.problems.get(self.problems.selected);
        match problem.filter(|_| self.pane == Pane::Problems).and_then(|problem| problem.at) {
            Some(at) => Outcome::Show(self.path.clone(), at),
            None => {
                self.open_whole();
                Outcome::Taken
            }
        }
    }

    /// What was written last, or the file where it needs nothing.
    fn upload(&mut self, cx: &mut Cx) -> Outcome {
        match &self.phase {
            CheckPhase::Written(prepared) => {
                let rows = prepared.files.iter().filter(|(_, rows, _)| *rows > 0);
                Outcome::Upload(rows.map(|(path, ..)| path.raw().to_owned()).collect())
            }
            CheckPhase::Checked | CheckPhase::NotWritten(_) if self.report.source == Source::Jsonl => {
                Outcome::Upload(vec![self.path.clone()])
            }
            CheckPhase::Checked | CheckPhase::NotWritten(_) => {
                cx.notify(Notice::hint("only JSON Lines can be uploaded for training: w writes them"));
                Outcome::Taken
            }
            CheckPhase::Reading { .. } | CheckPhase::Writing { .. } | CheckPhase::Failed(_) => Outcome::Taken,
        }
    }

    fn accept(&mut self, cx: &mut Cx) {
        let at = self.repairs.selected;
        let Some(repair) = self.report.repairs.get(at).filter(|_| self.pane == Pane::Repairs) else { return };
        if repair.necessary {
            cx.notify(Notice::hint("the file cannot be used without this repair"));
        } else if matches!(self.phase, CheckPhase::Checked | CheckPhase::Written(_) | CheckPhase::NotWritten(_)) {
            self.accepted[at] = !self.accepted[at];
            self.phase = CheckPhase::Checked;
        }
    }

    /// Whether there is a report, and nothing under way.
    fn is_ready(&self) -> bool {
        matches!(self.phase, CheckPhase::Checked | CheckPhase::Written(_) | CheckPhase::NotWritten(_))
    }

    fn write(&mut self, cx: &mut Cx) {
        if !self.is_ready() {
            return;
        }
        if let Some(why) = wording::objection(&self.report) {
            cx.notify(Notice::warn(why));
            return;
        }
        let accepted = self.report.repairs.iter().zip(&self.accepted).filter(|(_, accepted)| **accepted);
        let prepare = Prepare {
            path: self.path.clone(),
            model: self.model.clone(),
            local: self.local,
            mapping: self.report.mapping.clone(),
            repairs: accepted.map(|(repair, _)| repair.kind.clone()).collect(),
            split: self.held_out.map(|share| Split { share: Some(f64::from(share) / 100.0), seed: SEED }),
        };
        self.ticket = Some(cx.work(Work::Prepare(Box::new(prepare))));
        self.phase = CheckPhase::Writing { done: 0, total: 0 };
        (self.began, self.rate) = (cx.now, Rate::default());
    }

    fn turn(&mut self, by: isize) {
        let shown = &PANES[usize::from(self.report.columns.is_empty())..];
        let at = shown
            .iter()
            .position(|pane| *pane == self.pane)
            .unwrap_or(0)
            .wrapping_add_signed(by + shown.len() as isize);
        self.pane = shown[at % shown.len()];
    }

    fn by(&mut self, rows: isize) {
        match self.pane {
            Pane::Columns => self.columns.by(rows, self.report.columns.len()),
            Pane::Problems => self.problems.by(rows, self.report.problems.len()),
            Pane::Repairs => self.repairs.by(rows, self.report.repairs.len()),
            Pane::Figures => self.figures = self.figures.saturating_add_signed(rows),
        }
    }

    /// The work threads' answer; whether the ticket is the page's.
    pub(super) fn worked(&mut self, ticket: Ticket, done: Done, cx: &mut Cx) -> bool {
        if self.ticket != Some(ticket) {
            return false;
        }
        if let Done::Moved { done: so_far, total: all } = done {
            if let CheckPhase::Reading { done, total } | CheckPhase::Writing { done, total } = &mut self.phase {
                (*done, *total) = (so_far, all);
                self.rate.feed(cx.now, so_far);
            }
            return true;
        }
        self.ticket = None;
        match done {
            Done::Checked(report) => {
                self.take(report);
                self.phase = CheckPhase::Checked;
            }
            Done::Prepared(prepared) => self.phase = CheckPhase::Written(prepared),
            Done::Failed(why) if matches!(self.phase, CheckPhase::Writing { .. }) => {
                self.phase = CheckPhase::NotWritten(why)
            }
            Done::Failed(why) => self.phase = CheckPhase::Failed(why),
            _ => self.phase = CheckPhase::Failed("the work threads answered something else; please report it".into()),
        }
        true
    }

    fn stop(&mut self, cx: &mut Cx) {
        if let Some(ticket) = self.ticket.take() {
            cx.cancel(ticket);
        }
    }

    /// Stops what is on its way: before the page is dropped.
    pub(super) fn close(&mut self, cx: &mut Cx) {
        self.stop(cx);
    }

    /// Keys for the footer, most important first.
    pub(super) fn hints(&self) -> Vec<Hint> {
        let hint = |action, does: &str| Hint::new(self.keys.key(action), does);
        match &self.phase {
            _ if self.template.is_some() => vec![Hint::new("⏎", "take the template")],
            _ if self.whole.is_some() => vec![Hint::new("j k", "scroll")],
            CheckPhase::Reading { .. } | CheckPhase::Writing { .. } => Vec::new(),
            CheckPhase::Failed(_) => vec![hint(Action::Again, "check again")],
            CheckPhase::Written(_) => vec![hint(Action::Upload, "upload"), hint(Action::Again, "check again")],
            CheckPhase::Checked | CheckPhase::NotWritten(_) => {
                let mut hints = Vec::new();
                if wording::objection(&self.report).is_none() {
                    hints.push(hint(Action::Write, "write"));
                }
                match self.pane {
                    Pane::Columns => hints.extend([
                        hint(Action::ToPrompt, "prompt"),
                        hint(Action::ToCompletion, "completion"),
                        hint(Action::PromptTemplate, "template"),
                    ]),
                    Pane::Problems if !self.report.problems.is_empty() => {
                        let has_row =
                            self.report.problems.get(self.problems.selected).is_some_and(|one| one.at.is_some());
                        let does = if has_row { "show row" } else { "whole text" };
                        hints.extend([Hint::new("n/N", "problem"), hint(Action::Show, does)]);
                    }
                    Pane::Repairs if !self.report.repairs.is_empty() => {
                        hints.extend([hint(Action::Accept, "accept"), hint(Action::Show, "whole text")]);
                    }
                    _ => {}
                }
                hints.extend([
                    hint(Action::Split, "hold out"),
                    Hint::new("+/-", "epochs"),
                    hint(Action::Model, "model"),
                ]);
                hints.push(hint(Action::Pane, "part"));
                if self.report.source == Source::Jsonl {
                    hints.push(hint(Action::Upload, "upload as it is"));
                }
                hints
            }
        }
    }

    /// Whether letters are text just now.
    pub(super) fn typing(&self) -> bool {
        self.template.is_some()
    }

    /// What the next Esc does here.
    pub(super) fn escape(&self) -> &'static str {
        match self.phase {
            _ if self.template.as_ref().is_some_and(|(role, _)| *role == ColumnRole::Completion) => {
                "leave; T goes on typing"
            }
            _ if self.template.is_some() => "leave; t goes on typing",
            _ if self.whole.is_some() => "close the text",
            CheckPhase::Writing { .. } => "stop writing",
            CheckPhase::Reading { .. } => "stop",
            _ => "close",
        }
    }

    /// When it next wants a tick; `None`: nothing moves.
    pub(super) fn due(&self) -> Option<Instant> {
        self.ticket.map(|_| self.ticked + SPINNER_FRAME)
    }

    /// The moment asked for has come.
    pub(super) fn tick(&mut self, cx: &Cx) {
        self.ticked = cx.now;
    }

    /// Draws it into `area`, its title rule in the first row.
    pub(super) fn render(&self, frame: &mut Frame, area: Rect, focus: bool, context: RenderContext) {
        let theme = context.theme;
        view::render(self, frame.buffer_mut(), area, focus, context);
        if let Some((_, line)) = &self.template
            && area.height > 1
            && area.width > 14
        {
            let last = Rect { x: area.x + 12, y: area.bottom() - 1, width: area.width - 13, height: 1 };
            line.render(frame, last, theme.text, focus);
        }
        self.render_whole(frame, area, theme);
    }

    /// Fits it to the area it is drawn into.
    pub(super) fn arrange(&mut self, area: Rect) {
        view::arrange(self, area);
        self.arrange_whole(area);
    }
}
