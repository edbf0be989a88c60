//! Dialogs over the bench and what their answers do.

use super::action::Answer;
use super::state::{Moderate, Request};
use super::thresholds_dialog::ThresholdsDialog;
use super::wording::model_name;
use crate::component::{Cx, LinePrompt, Notice, PathInput, PathPrompt, TextViewer};
use crate::record::work::{Export, Form, Work};
use crate::record::{Check, TextRow};
use crate::text::Untrusted;
use crate::ui::text_field::TextField;

/// What an export of results may be.
pub(super) const EXPORTED: &str = ".csv for spreadsheets, .json for exact values";

/// Returns the form of an export of results.
pub(super) fn export_form(path: &str) -> Form {
    Form::of(path).filter(|form| *form == Form::Json).unwrap_or(Form::Csv)
}

impl Moderate {
    /// Shows why the column under the cursor, or else any, failed.
    pub(super) fn open_details(&mut self, cx: &mut Cx) {
        match self.failure(cx.session) {
            Some(why) => self.modals.open(TextViewer::of_failure(why)),
            None => cx.notify(Notice::info("nothing has failed").about("details")),
        }
    }

    pub(super) fn open_thresholds(&mut self) {
        let loading = self.pending.ticket(|request| *request == Request::Thresholds);
        self.modals.open(ThresholdsDialog::new(self.file.shared.thresholds.clone(), loading));
    }

    /// Asks where the results go.
    pub(super) fn open_export(&mut self, cx: &mut Cx) {
        if !self.bench.has_results() {
            return cx.notify(Notice::info("there are no results to export: ^R checks").about("export"));
        }
        let of =
            self.text_and_model_under_cursor(cx.session).map(|(_, model)| model_name(&model.model)).unwrap_or_default();
        let title = format!("Export {} texts by {of}", self.texts.len());
        let prompt = PathPrompt::save(title, "export", "moderation.csv", |path, _| Answer::Export(path));
        self.modals.open(prompt.with_lines(vec![EXPORTED.into()]));
    }

    /// Does what a dialog has answered.
    pub(super) fn answer(&mut self, answer: Answer, cx: &mut Cx) {
        match answer {
            Answer::Export(path) => self.export(&path, cx),
            Answer::Thresholds(thresholds) => {
                self.file.shared.thresholds = thresholds;
                self.shared_changed(cx);
            }
            Answer::AskThresholdsName => {
                let answer = |name: &str, _| Answer::NewThresholds(name.trim().to_owned());
                self.modals
                    .open(LinePrompt::new("New threshold profile", "create", TextField::default(), answer).required());
            }
            Answer::NewThresholds(name) => {
                self.file.shared.thresholds.create(&name);
                self.thresholds_changed(cx);
            }
            Answer::AskExportThresholds(thresholds) => {
                self.answer(Answer::Thresholds(thresholds), cx);
                let title = format!("Export “{}”", self.file.shared.thresholds.profile().name);
                let answer = |path, _| Answer::ExportThresholds(path);
                self.modals.open(PathPrompt::save(title, "export", "thresholds.json", answer));
            }
            Answer::AskImportThresholds => {
                let answer = Answer::ImportThresholds;
                self.modals.open(PathPrompt::new("Import thresholds", "import", PathInput::default(), answer));
            }
            Answer::ExportThresholds(path) => {
                let ticket = cx.work(Work::Save { path, text: self.file.shared.thresholds.export().into() });
                self.pending.insert(ticket, Request::Export);
            }
            Answer::ImportThresholds(path) => {
                let ticket = cx.work(Work::Read { path });
                self.pending.insert(ticket, Request::Import);
            }
        }
    }

    /// Writes the results of all models that are shown: for each text a row for each of them.
    fn export(&mut self, path: &str, cx: &mut Cx) {
        let form = export_form(path);
        let models = self.models(cx.session);
        let each = self.texts.all().iter().flat_map(|text| models.iter().map(move |model| (text, model)));
        let (rows, checks): (Vec<TextRow>, Vec<Option<Check>>) = each
            .map(|(text, model)| {
                let check = self.results.last(&text.key, model).map(|check| Check::clone(check));
                (text.row.clone(), check)
            })
            .unzip();
        let profile = self.file.shared.thresholds.profile();
        let categories = self.bench.table.categories.iter();
        let thresholds: Vec<(Untrusted, f64)> =
            categories.map(|category| (category.name.clone(), profile.of(&category.key))).collect();
        let what =
            Export::Checks { rows: rows.into(), checks: checks.into(), thresholds: thresholds.into(), source: None };
        let ticket = cx.work(Work::Export { path: path.to_owned(), form, what });
        self.pending.insert(ticket, Request::Export);
    }
}
