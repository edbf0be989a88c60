//! What the keys do to jobs, panes and pages.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent};

use super::score::Facts;
use super::state::{Page, Pane, Request, State};
use super::trial::Subject;
use crate::api::call::{Call, FailureKind};
use crate::api::job::Dialect;
use crate::component::{Cx, Handled, Notice, session};
use crate::text::Untrusted;
use crate::ui::line::Line;

/// How long the cursor rests on a job before its curves are asked for.
const REST: Duration = Duration::from_millis(250);

impl State {
    /// Names of models that were tuned here.
    pub(super) fn tuned(&self) -> Vec<String> {
        let entries = self.board().into_iter().flat_map(|board| &board.entries).rev();
        entries.filter_map(super::entry::Entry::model).map(|model| model.line().into_owned()).collect()
    }

    /// Opens the page of a new job.
    pub(super) fn open_create(&mut self, cx: &mut Cx) {
        if self.has_none() {
            let said = "this server has no fine-tunes, so none can be created here; another profile (^P) may have them";
            return cx.notify(Notice::warn(said).about("create"));
        }
        self.page = Page::Create;
        let Some(profile) = self.board().map(|board| board.profile.clone()) else { return };
        if self.create.open() {
            self.ask(&profile, Call::Files, Request::Files, cx);
        }
    }

    /// Whether the server is known to have no fine-tunes.
    pub(super) fn has_none(&self) -> bool {
        let why = self.board().and_then(|board| board.failure.as_ref());
        why.is_some_and(|why| why.kind == FailureKind::Unsupported)
    }

    pub(super) fn clone_job(&mut self, cx: &mut Cx) {
        let Some(board) = self.boards.get(self.at) else { return };
        let Some(entry) = board.here() else { return };
        let mut said = Vec::new();
        let sent = self.sent.get(&board.profile.0).and_then(|sent| sent.iter().find(|(id, _)| *id == entry.job.id));
        let sent = sent.map(|(_, request)| request);
        if self.create.begun() {
            said.push("C brings back what was on the page before");
        }
        if sent.is_none() && board.dialect == Some(Dialect::FineTunes) && !entry.job.validation_files.is_empty() {
            said.push("a job does not tell its class settings: choose them again where it had any");
        }
        if !said.is_empty() {
            cx.notify(Notice::hint(said.join("; ")).about("create"));
        }
        self.create.copy(&entry.job, sent);
        self.keep_soon(cx.now);
        self.open_create(cx);
    }

    pub(super) fn open_details(&mut self, cx: &mut Cx) {
        if self.here().is_none() {
            return;
        }
        // In the list of a small screen Enter goes to the job first.
        if !self.layout.wide && self.list {
            self.list = false;
            self.pane = Pane::Events;
        } else {
            self.details.to_top();
            self.page = Page::Details;
        }
        self.open_history(cx);
        self.show(cx);
    }

    pub(super) fn copy_model(&mut self, cx: &mut Cx) {
        if self.pane == Pane::Events
            && self.page == Page::Jobs
            && let Some(words) = self.boards.get(self.at).and_then(|board| self.feed.here(board))
        {
            return cx.copy(words);
        }
        let Some(entry) = self.here() else { return };
        match entry.model() {
            Some(model) => cx.copy(model),
            None => {
                let said = format!("{} has made no model yet; Y copies the job's id", entry.name());
                cx.notify(Notice::hint(said).about("copy"));
            }
        }
    }

    /// Shows the curves of the job's result file, and its events beside them.
    pub(super) fn results(&mut self, cx: &mut Cx) {
        let Some(entry) = self.here() else { return };
        if entry.job.result_files.is_empty() {
            let said = if entry.runs() {
                "there is no result file before the job is over; its events are drawn meanwhile"
            } else {
                "this job has no result file"
            };
            return cx.notify(Notice::hint(said).about("results"));
        }
        self.page = Page::Jobs;
        self.list = false;
        self.pane = Pane::Chart;
        self.open_history(cx);
        self.show(cx);
    }

    /// Draws a file of this machine.
    pub(super) fn open_file(&mut self, path: &str, cx: &mut Cx) {
        self.page = Page::Jobs;
        self.list = false;
        self.pane = Pane::Chart;
        self.plot.open(path, cx);
    }

    pub(super) fn mark(&mut self, cx: &mut Cx) {
        let Some(board) = self.board_mut() else { return };
        if !board.mark() {
            return cx
                .notify(Notice::hint("six curves lie over each other at most; space takes a mark away").about("mark"));
        }
        self.show(cx);
    }

    /// Another job is under the cursor: its curves come soon.
    pub(super) fn selected(&mut self, cx: &mut Cx) {
        self.show_due = Some(cx.now + REST);
    }

    /// The curves are those of the marked jobs, or of the one under the cursor.
    pub(super) fn show(&mut self, cx: &mut Cx) {
        self.show_due = None;
        let Some(board) = self.boards.get(self.at) else { return };
        let jobs: Vec<_> = board.chosen().into_iter().map(|entry| &entry.job).collect();
        self.plot.show(&board.profile, &jobs, cx);
    }

    /// Opens the page that tries the tuned model beside its base.
    pub(super) fn try_it(&mut self, cx: &mut Cx) {
        let Some((tuned, base, profile)) = self.pair(cx) else { return };
        let Some(entry) = self.here() else { return };
        // What was held out tells more than what was learned.
        let file = entry.job.validation_files.first().or(entry.job.training_files.first());
        let file = file.map(|file| (file.id.clone(), file.filename.as_str().into()));
        let subject = Subject { profile, name: entry.name(), chat: session::chats(&base), tuned, base, file };
        self.page = Page::Try;
        self.trial.open(subject, cx);
    }

    pub(super) fn open_score(&mut self, cx: &mut Cx) {
        let Some((tuned, base, profile)) = self.pair(cx) else { return };
        let job = self.here().map(|entry| &entry.job);
        let validation = job.and_then(|job| job.validation_files.first());
        let validation = validation.map(|file| (file.id.as_str().into(), file.filename.as_str().into()));
        let chat = session::chats(&base);
        let facts = Facts { profile, tuned, base, chat, validation };
        self.page = Page::Score;
        self.score.open(facts, cx);
    }

    /// The tuned model of the job under the cursor and its base.
    fn pair(&self, cx: &mut Cx) -> Option<(Untrusted, Untrusted, crate::settings::ProfileId)> {
        let board = self.board()?;
        let entry = board.here()?;
        let Some(model) = entry.model() else {
            let gone = if entry.deleted { "its model is deleted" } else { "it has made no model" };
            let said = format!("there is nothing to try of {}: {gone}", entry.name());
            cx.notify(Notice::hint(said).about("try"));
            return None;
        };
        Some((model, entry.job.model.as_str().into(), board.profile.clone()))
    }

    pub(super) fn next_pane(&mut self) {
        self.pane = match (self.layout.wide, self.pane) {
            (true, Pane::Events) => Pane::Jobs,
            (_, Pane::Chart) => Pane::Events,
            // Where nothing is drawn there is nothing to do.
            _ if self.plot.is_empty() => Pane::Events,
            _ => Pane::Chart,
        };
        if !self.layout.wide {
            self.list = false;
        }
    }

    /// Moves in the pane with the focus.
    pub(super) fn step(&mut self, rows: isize, cx: &mut Cx) {
        match self.pane {
            Pane::Events => self.feed.step(rows),
            Pane::Jobs | Pane::Chart => self.walk(rows, cx),
        }
    }

    /// Moves from job to job.
    pub(super) fn walk(&mut self, rows: isize, cx: &mut Cx) {
        if let Some(board) = self.board_mut() {
            board.step(rows);
        }
        self.details.to_top();
        self.selected(cx);
    }

    /// Esc peels one layer.
    pub(super) fn escape_key(&mut self, cx: &mut Cx) {
        if !self.feed.find.is_empty() {
            self.feed.find.clear();
            return;
        }
        let Some(board) = self.board_mut() else { return };
        if !board.filter.is_empty() {
            board.filter.clear();
            board.arrange();
        } else if !board.marked.is_empty() {
            board.marked.clear();
            self.show(cx);
        } else if self.plot.clear_files(cx) {
        } else if self.pane != Pane::Jobs && self.layout.wide {
            self.pane = Pane::Jobs;
        } else if !self.layout.wide && !self.list {
            self.list = true;
            self.pane = Pane::Jobs;
        }
    }

    /// What the next Esc does.
    pub(super) fn escape(&self) -> Option<&'static str> {
        if self.modals.is_open() {
            return self.modals.escape();
        }
        match self.page {
            Page::Create => return Some(self.create.escape()),
            Page::Score => return self.score.escape(),
            Page::Try => return Some(self.trial.escape()),
            Page::Details => return Some("back"),
            Page::Jobs => {}
        }
        if self.filtering.is_some() || self.feed.typing.is_some() {
            return Some("clear");
        }
        if self.pane == Pane::Chart
            && let Some(does) = self.plot.escape()
        {
            return Some(does);
        }
        let board = self.board();
        if !self.feed.find.is_empty() {
            Some("find no more")
        } else if board.is_some_and(|board| !board.filter.is_empty()) {
            Some("all jobs")
        } else if board.is_some_and(|board| !board.marked.is_empty()) {
            Some("unmark")
        } else if self.pane != Pane::Jobs && self.layout.wide {
            Some("jobs")
        } else if !self.layout.wide && !self.list && board.is_some_and(|board| !board.entries.is_empty()) {
            Some("list")
        } else {
            None
        }
    }

    pub(super) fn open_find(&mut self) {
        if self.pane == Pane::Events {
            self.feed.typing = Some(Line::new(self.feed.find.clone()));
        } else {
            let filter = self.board().map(|board| board.filter.clone()).unwrap_or_default();
            self.filtering = Some(Line::new(filter));
            self.list = true;
            self.pane = Pane::Jobs;
        }
    }

    pub(super) fn filter_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let Some(line) = &mut self.filtering else { return };
        match key.code {
            KeyCode::Enter => self.filtering = None,
            KeyCode::Esc => {
                self.filtering = None;
                self.filter(String::new(), cx);
            }
            KeyCode::Up => self.walk(-1, cx),
            KeyCode::Down => self.walk(1, cx),
            _ => {
                if line.key(key) {
                    let words = line.text().to_owned();
                    self.filter(words, cx);
                }
            }
        }
    }

    fn filter(&mut self, words: String, cx: &mut Cx) {
        if let Some(board) = self.board_mut() {
            board.filter = words;
            board.arrange();
        }
        self.selected(cx);
    }

    pub(super) fn find_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let Some(line) = &mut self.feed.typing else { return };
        match key.code {
            KeyCode::Esc => {
                self.feed.typing = None;
                self.feed.find.clear();
            }
            KeyCode::Enter => {
                self.feed.find = line.text().trim().to_owned();
                self.feed.typing = None;
                if let Some(board) = self.boards.get(self.at)
                    && !self.feed.find.is_empty()
                    && !self.feed.seek(board, false, true)
                {
                    cx.notify(Notice::hint("no event holds this").about("find"));
                }
            }
            _ => drop(line.key(key)),
        }
    }

    pub(super) fn seek(&mut self, back: bool, cx: &mut Cx) {
        let Some(board) = self.boards.get(self.at) else { return };
        if self.feed.find.is_empty() {
            cx.notify(Notice::hint("tab goes to the events, / finds words in them").about("find"));
        } else if !self.feed.seek(board, back, false) {
            cx.notify(Notice::hint("no event holds this").about("find"));
        }
    }

    /// Pasted text goes into what is typed.
    pub(super) fn paste(&mut self, text: &str, cx: &mut Cx) {
        match self.modals.paste(text, cx) {
            Handled::Ignored => {}
            Handled::Consumed => return,
            Handled::Emit(answer) => return self.answer(answer, cx),
        }
        match self.page {
            Page::Create => self.create.paste(text),
            Page::Score => drop(self.score.paste(text, cx)),
            Page::Try => self.trial.paste(text, cx),
            Page::Details => {}
            Page::Jobs => {
                if let Some(line) = &mut self.filtering {
                    line.paste(text);
                    let words = line.text().to_owned();
                    self.filter(words, cx);
                } else if let Some(line) = &mut self.feed.typing {
                    line.paste(text);
                }
            }
        }
    }

    /// Whether letters are text just now.
    pub(super) fn typing(&self) -> bool {
        self.modals.is_open()
            || match self.page {
                Page::Create => self.create.typing(),
                Page::Score => self.score.typing(),
                Page::Try => self.trial.typing(),
                Page::Details => false,
                Page::Jobs => self.filtering.is_some() || self.feed.typing.is_some(),
            }
    }
}

impl State {
    /// The wheel moves what is below it.
    pub(super) fn wheel(&mut self, rows: isize, column: u16, cx: &mut Cx) {
        match self.page {
            Page::Details => self.details.scroll(rows),
            Page::Jobs if self.list && !self.layout.wide || self.layout.is_jobs(column) => self.walk(rows, cx),
            Page::Jobs => self.feed.step(rows),
            Page::Create | Page::Score | Page::Try => {}
        }
    }
}
