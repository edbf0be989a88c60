//! From a path to an open list: the file is read, its rows are copied into the store, what is known of its texts is
//! asked for. Each step waits for the one before, so that a program that ends between two of them leaves nothing half.

use super::open_file::OpenTextFile;
use super::page::{FilePage, FilePhase, FileView, LoadStep, RowCopy};
use super::settings::FileSettings;
use crate::api::call::Ticket;
use crate::component::{Cx, Notice, Saves};
use crate::record::work::{Columns, Done, Work};
use crate::record::{Bench, Id, Query, Record, Rows, Stored};
use crate::tabs::texts::ListImport;
use crate::text::Untrusted;

/// The setting that names the list last open.
const LAST: &str = "moderate.file";

impl FilePage {
    /// Asks which list was open last.
    pub(super) fn ask_last(&mut self, cx: &mut Cx) {
        if matches!(self.phase, FilePhase::Empty) {
            self.phase = FilePhase::Step(LoadStep::Last(cx.load(Query::Setting(LAST.into()))));
        }
    }

    /// Reads a file.
    pub(super) fn read(&mut self, path: String, columns: Columns, name: Untrusted, cx: &mut Cx) {
        self.leave(cx);
        let ticket = cx.work(Work::ReadTexts { path: path.clone(), columns });
        self.phase = FilePhase::Step(LoadStep::Reading { ticket, path, columns, name, at: (0, 0) });
    }

    /// Opens a list that is kept.
    pub(super) fn load(&mut self, list: Id, goes_on: bool, cx: &mut Cx) {
        self.leave(cx);
        self.phase = FilePhase::Step(LoadStep::Rows(cx.load(Query::Texts(list)), goes_on));
    }

    /// Leaves the open list: its run is stopped, and continues when the list is opened again.
    fn leave(&mut self, cx: &mut Cx) {
        if let FilePhase::Step(LoadStep::Reading { ticket, .. }) = &self.phase {
            cx.cancel(*ticket);
        }
        if let FilePhase::Open(open) = &mut self.phase {
            if open.is_running() {
                let words = format!("the run over {} is paused; L opens it again", open.dataset.list.name.line());
                cx.notify(Notice::info(words));
            }
            open.save_changes(true, cx);
            open.end_run(&mut self.unsaved_results, cx);
        }
        self.phase = FilePhase::Empty;
        self.runs = false;
        self.sub = FileView::Table;
    }

    /// Takes a file that was read, or the reason why it could not be. Returns whether this page asked for it.
    pub(super) fn worked_step(&mut self, ticket: Ticket, done: &Done, cx: &mut Cx) -> bool {
        let FilePhase::Step(LoadStep::Reading { ticket: own, path, columns, name, at }) = &mut self.phase else {
            return false;
        };
        if *own != ticket {
            return false;
        }
        match done {
            Done::Moved { done, total } => *at = (*done, *total),
            Done::Texts(texts) => {
                let (name, path) = (name.clone(), Untrusted::from(std::mem::take(path)));
                let settings = FileSettings { read: Some((*columns, texts.stamp)), ..FileSettings::default() };
                self.phase = FilePhase::Empty;
                // The preview has said which and why.
                if let [first, others @ ..] = &*texts.left_out.by_reason() {
                    let more = if others.is_empty() { "" } else { " · f reads the file again for the others" };
                    cx.notify(Notice::warn(format!("{first}{more}")));
                }
                if texts.rows.is_empty() {
                    cx.notify(Notice::warn("there is no text in this file"));
                    return true;
                }
                let (import, rows) = ListImport::new(Bench::Moderate, name, path, texts.rows.clone(), cx);
                let import = import.with_state(settings.json());
                let mut copying = Box::new(RowCopy { import, rows, saves: Saves::default(), saved: 0 });
                copying.save_next(cx);
                self.phase = FilePhase::Step(LoadStep::Copying(copying));
            }
            Done::Failed(why) => {
                self.phase = FilePhase::Empty;
                cx.notify(Notice::error(why.clone()));
            }
            _ => {}
        }
        true
    }

    /// Takes the store's answer to a step. Returns whether this page asked for it.
    pub(super) fn stored_step(&mut self, ticket: Ticket, stored: &mut Stored, cx: &mut Cx) -> bool {
        let FilePhase::Step(step) = &mut self.phase else { return self.known(ticket, stored, cx) };
        match step {
            LoadStep::Last(own) if *own == ticket => {
                self.phase = FilePhase::Empty;
                if let Stored::Rows(Rows::Setting(_, Some(id))) = stored
                    && let Ok(id) = id.line().parse()
                {
                    self.load(Id(id), true, cx);
                } else if self.wanted {
                    self.choose_file();
                }
                true
            }
            LoadStep::Copying(copying) => {
                if !copying.saves.stored(ticket, stored) {
                    return false;
                }
                if *stored == Stored::Committed && !copying.save_next(cx) {
                    let (list, rows) = (copying.import.list().clone(), std::mem::take(&mut copying.rows));
                    self.opened(OpenTextFile::new(list, rows), false, cx);
                }
                true
            }
            LoadStep::Rows(own, goes_on) if *own == ticket => {
                let goes_on = *goes_on;
                self.phase = FilePhase::Empty;
                match stored {
                    Stored::Rows(Rows::Texts(Some((list, rows)))) => {
                        self.opened(OpenTextFile::new(list.clone(), std::mem::take(rows)), goes_on, cx);
                    }
                    Stored::Failed(why) => {
                        cx.notify(Notice::error(format!("the file's texts could not be read: {}", why.line())));
                    }
                    _ if self.wanted => self.choose_file(),
                    _ => {}
                }
                true
            }
            _ => false,
        }
    }

    /// Opens a list, and asks what is known of its texts.
    fn opened(&mut self, mut open: OpenTextFile, goes_on: bool, cx: &mut Cx) {
        let id = open.dataset.list.id;
        cx.save(Record::Setting(LAST.into(), id.0.to_string().into()));
        open.earlier.loading = Some(cx.load(Query::ListChecks(id)));
        open.earlier.run_wanted = std::mem::take(&mut self.runs);
        self.goes_on = goes_on;
        self.phase = FilePhase::Open(Box::new(open));
    }

    /// Takes what is known of the open list's texts. Returns whether this page asked for it.
    fn known(&mut self, ticket: Ticket, stored: &mut Stored, cx: &mut Cx) -> bool {
        let FilePhase::Open(open) = &mut self.phase else { return false };
        if open.earlier.loading != Some(ticket) {
            return false;
        }
        open.earlier.loading = None;
        open.earlier.unread = matches!(stored, Stored::Failed(_));
        // A list keeps its model until its run is through.
        if !open.settings.begun {
            (open.settings.profile, open.settings.model) = self.shared.file_model(cx.session);
        }
        match stored {
            Stored::Rows(Rows::Checks(checks)) => open.fill(std::mem::take(checks), &self.shared),
            Stored::Failed(why) => {
                open.earlier.run_wanted = false;
                let words = format!("earlier results could not be read, p to try again: {}", why.line());
                cx.notify(Notice::error(words));
                return true;
            }
            _ => {}
        }
        let (tally, wanted) = (open.tally(), std::mem::take(&mut open.earlier.run_wanted));
        if open.run.is_some() {
            // It was started meanwhile.
        } else if self.goes_on && open.settings.begun && !open.settings.paused && tally.left() > 0 {
            open.start(&self.shared, cx);
            let left = crate::ui::meter::count(tally.left());
            cx.notify(Notice::info(format!("continues {}: {left} texts left", open.dataset.list.name.line())));
        } else if wanted {
            open.run_or_say(&self.shared, cx);
        }
        true
    }

    /// Begins a run that was not begun before, with the profile and the model in use. They may be others than when the
    /// file was opened; then their earlier results are looked up first, as they are where they could not be read.
    pub(super) fn begin(&mut self, cx: &mut Cx) {
        let FilePhase::Open(open) = &mut self.phase else { return };
        if !open.settings.begun {
            let current_model = self.shared.file_model(cx.session);
            if !open.earlier.unread
                && (&open.settings.profile, &open.settings.model) == (&current_model.0, &current_model.1)
            {
                return open.run_or_say(&self.shared, cx);
            }
            (open.settings.profile, open.settings.model) = current_model;
        }
        open.earlier.loading = Some(cx.load(Query::ListChecks(open.dataset.list.id)));
        open.earlier.run_wanted = true;
    }
}
