//! Dialogs over the bench and what their answers do; the threshold profiles.

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::profiles::{self, Profiles};
use super::state::{Answer, Request, State};
use super::words::model;
use crate::api::call::Ticket;
use crate::component::{Cx, FailureDetails, Handled, Hint, LinePrompt, Notice, RenderContext, Response};
use crate::record::work::{Export, Form, Work};
use crate::record::{Check, TextRow};
use crate::text::Untrusted;
use crate::ui::line::Line;

impl State {
    /// Shows why the column under the cursor, or else any, failed.
    pub(super) fn open_details(&mut self, cx: &mut Cx) {
        match self.failure(cx.session) {
            Some(why) => self.modals.open(FailureDetails::new(why.clone())),
            None => cx.notify(Notice::hint("nothing has failed").about("details")),
        }
    }

    /// Asks where the results of the column's model go.
    pub(super) fn open_export(&mut self, cx: &mut Cx) {
        if self.board.columns.iter().all(|column| column.check.is_none()) {
            return cx.notify(Notice::hint("there are no results to export: ^R checks").about("export"));
        }
        let of = self.place(cx.session).map(|(_, judge)| model(&judge.1)).unwrap_or_default();
        let title = format!("Export {} texts by {of}", self.texts.len());
        let keys = ("write", "⏎ write (.csv or .json)  esc back");
        let answer = |path: &str, _| Answer::Export(path.trim().to_owned());
        self.modals.open(LinePrompt::new(title, keys, Line::new("moderation.csv"), answer));
    }

    /// Writes the results of all models that are shown: for each text a row for each of them.
    fn export(&mut self, path: &str, cx: &mut Cx) {
        let form = if path.to_lowercase().ends_with(".json") { Form::Json } else { Form::Csv };
        let judges = self.judges(cx.session);
        let each = self.texts.all().iter().flat_map(|text| judges.iter().map(move |judge| (text, judge)));
        let (rows, checks): (Vec<TextRow>, Vec<Option<Check>>) = each
            .map(|(text, judge)| {
                let check = self.results.last(&text.key, judge).map(|check| Check::clone(check));
                (text.row.clone(), check)
            })
            .unzip();
        let profile = self.shared.thresholds.profile();
        let thresholds: Vec<(Untrusted, f64)> =
            self.board.categories.iter().map(|one| (one.name.clone(), profile.of(&one.key))).collect();
        let what =
            Export::Checks { rows: rows.into(), checks: checks.into(), thresholds: thresholds.into(), source: None };
        let ticket = cx.work(Work::Export { path: path.to_owned(), form, what });
        self.pending.insert(ticket, Request::Export);
    }

    /// Whether a dialog or the threshold profiles lie over the bench.
    pub(super) fn has_dialog(&self) -> bool {
        self.modals.is_open() || self.profiles.is_some()
    }

    /// A key for the dialogs and the threshold profiles; whether one is open.
    pub(super) fn dialog_key(&mut self, key: KeyEvent, cx: &mut Cx) -> bool {
        match self.modals.key(key, cx) {
            Handled::Ignored => {}
            Handled::Consumed => return true,
            Handled::Emit(Answer::Export(path)) => {
                if !path.is_empty() {
                    self.export(&path, cx);
                }
                return true;
            }
        }
        let Some(list) = &mut self.profiles else { return false };
        match list.key(key, &mut self.shared.thresholds) {
            profiles::Event::None => {}
            profiles::Event::Changed => self.share(cx),
            profiles::Event::Close => self.profiles = None,
            profiles::Event::Said(why) => cx.notify(Notice::hint(why).about("thresholds")),
            profiles::Event::Export(path) => {
                let text = self.shared.thresholds.export().into();
                let ticket = cx.work(Work::Save { path, text });
                self.pending.insert(ticket, Request::Export);
            }
            profiles::Event::Import(path) => {
                let ticket = cx.work(Work::Read { path });
                self.pending.insert(ticket, Request::Import);
            }
        }
        true
    }

    /// Passes a reply to the dialog that asked for it, the tab's or the file page's; whether one did.
    pub(super) fn dialog_reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> bool {
        if self.file.dialog_reply(ticket, response, &mut self.shared, cx) {
            self.file_did(cx);
            return true;
        }
        match self.modals.reply(ticket, response, cx) {
            Handled::Ignored => return false,
            Handled::Consumed => {}
            Handled::Emit(Answer::Export(path)) => self.export(&path, cx),
        }
        true
    }

    /// Pasted text for the dialogs and the threshold profiles; whether one is open.
    pub(super) fn dialog_paste(&mut self, text: &str, cx: &mut Cx) -> bool {
        match self.modals.paste(text, cx) {
            Handled::Ignored => self.profiles.as_mut().map(|list| list.paste(text)).is_some(),
            Handled::Consumed => true,
            Handled::Emit(Answer::Export(path)) => {
                self.export(&path, cx);
                true
            }
        }
    }

    /// Keys for the footer while a dialog or the threshold profiles are open.
    pub(super) fn dialog_hints(&self) -> Vec<Hint> {
        let list = self.profiles.as_ref().filter(|_| !self.modals.is_open());
        list.map_or_else(|| self.modals.hints(), Profiles::hints)
    }

    /// Draws the threshold profiles, and the dialogs over them.
    pub(super) fn render_dialogs(&mut self, frame: &mut Frame, area: Rect, context: RenderContext) {
        if let Some(list) = &mut self.profiles {
            list.render(frame, area, &self.shared.thresholds, &context.theme.over());
        }
        self.modals.render(frame, area, context);
    }
}
