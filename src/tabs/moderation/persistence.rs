//! Loads and saves the tab's data, and takes what comes back from the store and the workers.

use super::bench_texts;
use super::check_results::ChecksStored;
use super::shared_settings::{self, SharedSettings, ViewSettings};
use super::state::{Moderate, Request};
use super::thresholds::{self, Thresholds};
use super::thresholds_dialog::ThresholdsDialog;
use crate::api::call::Ticket;
use crate::component::{Cx, Notice, SAVE_DELAY};
use crate::record::work::Done;
use crate::record::{Id, Query, Record, Rows, Stored};

impl Moderate {
    /// Asks for what is on disk.
    pub(super) fn load(&mut self, cx: &mut Cx) {
        for (name, request) in [
            (thresholds::SETTING, Request::Thresholds),
            (shared_settings::SETTING, Request::View),
            (bench_texts::SETTING, Request::BenchId),
        ] {
            let ticket = cx.load(Query::Setting(name.into()));
            self.pending.insert(ticket, request);
        }
    }

    /// Asks what the disk knows of the texts of the bench.
    pub(super) fn ask_bench(&mut self, cx: &mut Cx) {
        self.results.ask(self.texts.all().iter().map(|text| text.key), cx);
    }

    /// Saves all that is not saved yet.
    pub(super) fn save(&mut self, cx: &mut Cx) {
        if !self.texts.is_loaded() {
            // What is on disk comes first: it would be written over.
            self.save_due = Some(cx.now + SAVE_DELAY);
            return;
        }
        self.save_due = None;
        let mut records = self.texts.records(cx);
        if std::mem::take(&mut self.file.shared.changed) {
            records.extend(settings(&self.file.shared));
        }
        if !records.is_empty() {
            self.saves.save(Record::Batch(records), cx);
        }
    }

    /// Takes the store's answer to a request of the bench.
    pub(super) fn handle_stored(&mut self, ticket: Ticket, mut stored: Stored, cx: &mut Cx) {
        self.saves.stored(ticket, &stored);
        if let Some(about) = self.results.handle_stored(ticket, &mut stored, cx) {
            self.bench.changed();
            if about == ChecksStored::Loaded {
                self.run_queued(cx);
            }
            return;
        }
        match (self.pending.take(ticket), stored) {
            (Some(request), Stored::Rows(rows)) => self.rows_loaded(request, rows, cx),
            (Some(Request::BenchId | Request::Bench), Stored::Failed(why)) => {
                self.finish_loading(cx);
                cx.notify(Notice::error(format!("the last texts could not be read: {}", why.line())));
            }
            (Some(_), Stored::Failed(why)) => cx.notify(Notice::error(why)),
            (None, _) | (Some(_), Stored::Committed | Stored::Waiting(_)) => {}
        }
    }

    fn rows_loaded(&mut self, request: Request, rows: Rows, cx: &mut Cx) {
        match (request, rows) {
            (Request::Thresholds, Rows::Setting(_, Some(json))) if !self.file.shared.changed => {
                self.file.shared.thresholds = Thresholds::saved(&json);
                self.bench.changed();
                self.file.shared_changed();
            }
            (Request::View, Rows::Setting(_, Some(json))) if !self.file.shared.changed => {
                self.file.shared.view = ViewSettings::saved(&json);
                self.bench.changed();
                self.file.shared_changed();
            }
            (Request::BenchId, Rows::Setting(_, Some(id))) => match id.line().parse() {
                Ok(id) => {
                    let ticket = cx.load(Query::Texts(Id(id)));
                    self.pending.insert(ticket, Request::Bench);
                }
                Err(_) => self.finish_loading(cx),
            },
            (Request::BenchId, _) => self.finish_loading(cx),
            (Request::Bench, Rows::Texts(found)) => {
                if let Some((list, rows)) = found {
                    self.texts.fill(list, rows);
                }
                self.finish_loading(cx);
            }
            _ => {}
        }
    }

    /// Takes in that the texts of last time are loaded, or that there are none.
    fn finish_loading(&mut self, cx: &mut Cx) {
        let early = self.texts.finish_loading();
        self.bench.changed();
        self.ask_bench(cx);
        for (name, text) in early {
            self.add_text(name, text, cx);
        }
        self.run_queued(cx);
    }

    fn import_thresholds(&mut self, done: Done, cx: &mut Cx) {
        if self.file.shared.thresholds.import(done, cx) {
            self.thresholds_changed(cx);
        }
    }

    /// Shares thresholds that were changed here, also with the open dialog.
    pub(super) fn thresholds_changed(&mut self, cx: &mut Cx) {
        if let Some(dialog) = self.modals.find_mut::<ThresholdsDialog>() {
            dialog.set(self.file.shared.thresholds.clone());
        }
        self.shared_changed(cx);
    }

    /// Takes a worker's answer to a request of the bench.
    pub(super) fn handle_worked(&mut self, ticket: Ticket, done: Done, cx: &mut Cx) {
        if matches!(done, Done::Moved { .. }) {
            return;
        }
        match (self.pending.take(ticket), done) {
            (Some(Request::Import), done) => self.import_thresholds(done, cx),
            (Some(Request::Export), Done::Failed(why)) => cx.notify(Notice::error(why)),
            (Some(Request::Export), Done::Saved(path)) => cx.notify(Notice::ok(format!("written to {}", path.line()))),
            _ => {}
        }
    }
}

/// Returns the records that save what both pages share.
fn settings(shared: &SharedSettings) -> [Record; 2] {
    [Record::Setting(thresholds::SETTING.into(), shared.thresholds.json().into()), shared.view.record()]
}
