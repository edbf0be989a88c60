//! Dialogs over the bench and what their answers do.

use super::action::Answer;
use super::state::{Moderate, Request};
use super::thresholds_dialog::ThresholdsDialog;
use super::wording::model_name;
use crate::component::{Cx, FailureDetails, LinePrompt, Notice};
use crate::record::work::{Export, Form, Work};
use crate::record::{Check, TextRow};
use crate::text::Untrusted;
use crate::ui::line::Line;

impl Moderate {
    /// Shows why the column under the cursor, or else any, failed.
    pub(super) fn open_details(&mut self, cx: &mut Cx) {
        match self.failure(cx.session) {
            Some(why) => self.modals.open(FailureDetails::new(why.clone())),
            None => cx.notify(Notice::info("nothing has failed").about("details")),
        }
    }

    pub(super) fn open_thresholds(&mut self) {
        let loading = self.pending.ticket(|request| *request == Request::Thresholds);
        self.modals.open(ThresholdsDialog::new(self.file.shared.thresholds.clone(), loading));
    }

    /// Asks where the results go.
    pub(super) fn open_export(&mut self, cx: &mut Cx) {
        if self.bench.table.columns.iter().all(|column| column.check.is_none()) {
            return cx.notify(Notice::info("there are no results to export: ^R checks").about("export"));
        }
        let of = self.place(cx.session).map(|(_, model)| model_name(&model.model)).unwrap_or_default();
        let title = format!("Export {} texts by {of}", self.texts.len());
        let keys = ("write", "⏎ write (.csv or .json)  esc back");
        let answer = |path: &str, _| Answer::Export(path.trim().to_owned());
        self.modals.open(LinePrompt::new(title, keys, Line::new("moderation.csv"), answer));
    }

    /// Does what a dialog has answered.
    pub(super) fn answer(&mut self, answer: Answer, cx: &mut Cx) {
        match answer {
            Answer::Export(path) if path.is_empty() => {}
            Answer::Export(path) => self.export(&path, cx),
            Answer::Thresholds(thresholds) => {
                self.file.shared.thresholds = thresholds;
                self.share(cx);
            }
            Answer::ExportThresholds(path) => {
                let ticket = cx.work(Work::Save { path, text: self.file.shared.thresholds.export().into() });
                self.pending.insert(ticket, Request::Export);
            }
            Answer::Importing(ticket) => self.pending.insert(ticket, Request::Import),
        }
    }

    /// Writes the results of all models that are shown: for each text a row for each of them.
    fn export(&mut self, path: &str, cx: &mut Cx) {
        let form = if path.to_lowercase().ends_with(".json") { Form::Json } else { Form::Csv };
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
