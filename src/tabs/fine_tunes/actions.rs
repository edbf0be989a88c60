//! What the keys do to jobs, panes and pages.

use std::time::Duration;

use crossterm::event::KeyEvent;

use super::evaluation::EvaluatedModels;
use super::state::{Request, State, TunePage, TunePane};
use super::trial::TrialSubject;
use crate::api::call::{Call, FailureKind};
use crate::api::job::Dialect;
use crate::component::{Component, Cx, FindBarEvent, Motion, Notice, palette_key, session};
use crate::text::Untrusted;

/// How long the cursor must rest on a job before its curves are loaded.
const REST: Duration = Duration::from_millis(250);

impl State {
    /// Names of models that were tuned here.
    pub(super) fn tuned(&self) -> Vec<String> {
        let rows = self.list().into_iter().flat_map(|list| list.jobs.items()).rev();
        rows.filter_map(super::job_row::JobRow::model).map(|model| model.line().into_owned()).collect()
    }

    /// Opens the page of a new job.
    pub(super) fn open_create(&mut self, cx: &mut Cx) {
        if self.has_none() {
            let key = palette_key();
            let said = format!("this server has no fine-tunes; switch to another profile ({key}) to create one");
            return cx.notify(Notice::warn(said).about("create"));
        }
        self.page = TunePage::Create;
        let Some(profile) = self.list().map(|list| list.profile.clone()) else { return };
        if self.create.open(cx.session) {
            self.create.load_known(cx);
            self.ask(&profile, Call::Files, Request::Files, cx);
        }
    }

    /// Returns whether the server is known to have no fine-tunes.
    pub(super) fn has_none(&self) -> bool {
        let why = self.list().and_then(|list| list.failure.as_ref());
        why.is_some_and(|why| why.kind == FailureKind::Unsupported)
    }

    pub(super) fn clone_job(&mut self, cx: &mut Cx) {
        let Some(list) = self.lists.current() else { return };
        let Some(row) = list.jobs.selected_item() else { return };
        let mut said = Vec::new();
        let sent = self.saved.request(&list.profile, &row.job.id);
        if self.create.is_begun() {
            said.push("C brings back the settings that were on the page before");
        }
        if sent.is_none() && list.dialect == Some(Dialect::FineTunes) && !row.job.validation_files.is_empty() {
            said.push("jobs do not report class settings; set them again if it had any");
        }
        if !said.is_empty() {
            cx.notify(Notice::info(said.join("; ")).about("create"));
        }
        self.create.copy(&row.job, sent);
        self.saved.save_soon(cx.now);
        self.open_create(cx);
    }

    pub(super) fn open_details(&mut self, cx: &mut Cx) {
        if self.selected_job().is_none() {
            return;
        }
        // In the list of a small screen Enter goes to the job first.
        if !self.layout.wide && self.shows_list {
            self.shows_list = false;
            self.pane = TunePane::Events;
        } else {
            self.details.scroll_to_top();
            self.page = TunePage::Details;
        }
        self.open_history(cx);
        self.show_curves(cx);
    }

    pub(super) fn copy_model(&mut self, cx: &mut Cx) {
        if self.pane == TunePane::Events
            && self.page == TunePage::Jobs
            && let Some(words) = self.lists.current().and_then(|list| self.log.selected_text(list))
        {
            return cx.copy(words);
        }
        let Some(row) = self.selected_job() else { return };
        match row.model() {
            Some(model) => cx.copy(model),
            None => {
                let said = format!("{} has made no model yet; Y copies the job's id", row.name());
                cx.notify(Notice::info(said).about("copy"));
            }
        }
    }

    /// Copies the id of the job under the cursor.
    pub(super) fn copy_id(&mut self, cx: &mut Cx) {
        if let Some(id) = self.selected_job().map(|row| row.job.id.clone()) {
            cx.copy(id.into());
        }
    }

    /// Sorts the jobs in the next order.
    pub(super) fn sort(&mut self, cx: &mut Cx) {
        let order = self.lists.order().next();
        self.lists.set_order(order);
        self.saved.save_soon(cx.now);
        cx.notify(Notice::info(format!("jobs: {}", order.word())).about("sort"));
    }

    /// Shows the curves of the job's result file, and its events beside them.
    pub(super) fn results(&mut self, cx: &mut Cx) {
        let Some(row) = self.selected_job() else { return };
        if row.job.result_files.is_empty() {
            let said = if row.runs() {
                "the result file comes when the job ends; until then the curves come from its events"
            } else {
                "this job has no result file"
            };
            return cx.notify(Notice::info(said).about("results"));
        }
        self.page = TunePage::Jobs;
        self.shows_list = false;
        self.pane = TunePane::Chart;
        self.open_history(cx);
        self.show_curves(cx);
        if let Some(list) = self.lists.current()
            && let Some(row) = list.jobs.selected_item()
        {
            self.curves.announce(&list.profile, &row.job.id, cx);
        }
    }

    /// Draws a file of this machine.
    pub(super) fn open_file(&mut self, path: &str, cx: &mut Cx) {
        self.page = TunePage::Jobs;
        self.shows_list = false;
        self.pane = TunePane::Chart;
        self.curves.open(path, cx);
    }

    pub(super) fn mark(&mut self, cx: &mut Cx) {
        let Some(list) = self.list_mut() else { return };
        if !list.mark() {
            return cx.notify(Notice::info("at most six jobs can be compared; space removes a mark").about("mark"));
        }
        self.show_curves(cx);
    }

    /// Takes in that another job is under the cursor, and plans to show its curves.
    pub(super) fn selection_changed(&mut self, cx: &mut Cx) {
        self.timers.curves = Some(cx.now + REST);
    }

    /// Shows the curves of the marked jobs, or of the one under the cursor.
    pub(super) fn show_curves(&mut self, cx: &mut Cx) {
        self.timers.curves = None;
        let Some(list) = self.lists.current() else { return };
        let jobs: Vec<_> = list.marked_or_selected().into_iter().map(|row| &row.job).collect();
        self.curves.show(&list.profile, &jobs, cx);
    }

    /// Opens the page that tries the tuned model beside its base.
    pub(super) fn try_it(&mut self, cx: &mut Cx) {
        let Some((tuned, base, profile)) = self.pair(cx) else { return };
        let Some(row) = self.selected_job() else { return };
        // What was held out tells more than what was learned.
        let file = row.job.validation_files.first().or(row.job.training_files.first());
        let file = file.map(|file| (file.id.clone(), file.filename.as_str().into()));
        let subject = TrialSubject { profile, name: row.name(), chat: session::chats(&base), tuned, base, file };
        self.page = TunePage::Trial;
        self.trial.open(subject, cx);
    }

    pub(super) fn open_score(&mut self, cx: &mut Cx) {
        let Some((tuned, base, profile)) = self.pair(cx) else { return };
        let job = self.selected_job().map(|row| &row.job);
        let validation = job.and_then(|job| job.validation_files.first());
        let validation = validation.map(|file| (file.id.as_str().into(), file.filename.as_str().into()));
        let chat = session::chats(&base);
        let facts = EvaluatedModels { profile, tuned, base, chat, validation };
        self.page = TunePage::Evaluation;
        self.evaluation.open(facts, cx);
        self.open_evaluation_dialog();
    }

    /// Returns the tuned model of the job under the cursor and its base.
    fn pair(&self, cx: &mut Cx) -> Option<(Untrusted, Untrusted, crate::settings::ProfileId)> {
        let list = self.list()?;
        let row = list.jobs.selected_item()?;
        let Some(model) = row.model() else {
            let gone = if row.deleted {
                "its model was deleted"
            } else if row.runs() {
                "it has no model yet"
            } else {
                "it has no model"
            };
            let said = format!("{} cannot be tried: {gone}", row.name());
            cx.notify(Notice::info(said).about("try"));
            return None;
        };
        Some((model, row.job.model.as_str().into(), list.profile.clone()))
    }

    pub(super) fn next_pane(&mut self) {
        self.pane = match (self.layout.wide, self.pane) {
            (true, TunePane::Events) => TunePane::Jobs,
            (_, TunePane::Chart) => TunePane::Events,
            // Where nothing is drawn there is nothing to do.
            _ if self.curves.is_empty() => TunePane::Events,
            _ => TunePane::Chart,
        };
        if !self.layout.wide {
            self.shows_list = false;
        }
    }

    /// Moves in the pane with the focus.
    pub(super) fn step(&mut self, motion: Motion, cx: &mut Cx) {
        match self.pane {
            TunePane::Events => self.log.step(motion.rows(self.log.page)),
            TunePane::Jobs | TunePane::Chart => self.move_selection(motion.rows(self.page_rows), cx),
        }
    }

    /// Moves from job to job.
    pub(super) fn move_selection(&mut self, rows: isize, cx: &mut Cx) {
        if let Some(list) = self.list_mut() {
            list.jobs.view.move_by(rows, list.jobs.len());
        }
        self.details.scroll_to_top();
        self.selection_changed(cx);
    }

    pub(super) fn open_find(&mut self) {
        if self.pane == TunePane::Events {
            self.log.bar.start_typing();
        } else {
            let filter = self.list().map(|list| list.filter.clone()).unwrap_or_default();
            self.filtering.set_text(&filter);
            self.filtering.start_typing();
            self.shows_list = true;
            self.pane = TunePane::Jobs;
        }
    }

    pub(super) fn filter_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        match self.filtering.key(key) {
            FindBarEvent::Changed | FindBarEvent::Cancelled => self.filter(cx),
            FindBarEvent::Moved(motion) => self.move_selection(motion.rows(1), cx),
            FindBarEvent::Submitted | FindBarEvent::Ignored => {}
        }
    }

    /// Shows the jobs that have the words which are typed.
    fn filter(&mut self, cx: &mut Cx) {
        if let Some(list) = self.lists.current_mut() {
            self.filtering.text().clone_into(&mut list.filter);
            list.sort_and_filter();
        }
        self.selection_changed(cx);
    }

    pub(super) fn find_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        match self.log.bar.key(key) {
            FindBarEvent::Cancelled => self.log.clear_find(),
            FindBarEvent::Changed => self.find_typed(),
            FindBarEvent::Submitted => {
                if !self.log.find().is_empty() && !self.log.seek(false, true) {
                    cx.notify(Notice::info("no event contains this").about("find"));
                }
            }
            FindBarEvent::Moved(motion) => drop(self.log.seek(motion.rows(1) < 0, false)),
            FindBarEvent::Ignored => {}
        }
    }

    /// Looks in the events for what is typed.
    fn find_typed(&mut self) {
        if let Some(list) = self.lists.current() {
            self.log.find_typed(list);
        }
    }

    pub(super) fn seek(&mut self, back: bool, cx: &mut Cx) {
        if self.log.find().is_empty() {
            cx.notify(Notice::info("press tab for the events, then / to find words in them").about("find"));
        } else if !self.log.seek(back, false) {
            cx.notify(Notice::info("no event contains this").about("find"));
        }
    }

    /// Pastes a text into the field that is being typed.
    pub(super) fn paste(&mut self, text: &str, cx: &mut Cx) {
        if self.modals.paste(text, cx).act(|answer| self.answer(answer, cx)) {
            return;
        }
        match self.page {
            TunePage::Create => drop(self.create.paste(text, cx)),
            TunePage::Trial => drop(self.trial.paste(text, cx)),
            TunePage::Details | TunePage::Evaluation => {}
            TunePage::Jobs => {
                if self.filtering.paste(text) {
                    self.filter(cx);
                } else if self.log.bar.paste(text) {
                    self.find_typed();
                }
            }
        }
    }

    /// Returns whether letters are text just now.
    pub(super) fn typing(&self) -> bool {
        self.modals.is_open()
            || match self.page {
                TunePage::Create => self.create.typing(),
                TunePage::Trial => self.trial.typing(),
                TunePage::Details | TunePage::Evaluation => false,
                TunePage::Jobs => self.filtering.is_typing() || self.log.bar.is_typing(),
            }
    }
}

impl State {
    /// Scrolls what is below the mouse.
    pub(super) fn scroll_at(&mut self, rows: isize, column: u16, cx: &mut Cx) {
        match self.page {
            TunePage::Details => self.details.scroll(rows),
            TunePage::Jobs if self.shows_list && !self.layout.wide || self.layout.is_jobs(column) => {
                self.move_selection(rows, cx);
            }
            TunePage::Jobs => self.log.step(rows),
            TunePage::Create | TunePage::Evaluation | TunePage::Trial => {}
        }
    }
}
