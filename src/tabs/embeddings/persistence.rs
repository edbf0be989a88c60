//! Saves and loads settings, lists and files, and takes the replies to what was asked for.

use ratatui::style::Style;

use super::editing::{NewText, RowEditor};
use super::pane_data::{Page, TextItem};
use super::saves::EmbedSettings;
use super::state::{Request, State};
use super::transfer::imported_list;
use crate::api::call::Ticket;
use crate::component::{Cx, Notice, RenderContext};
use crate::record::work::{Done, FileText, Imported};
use crate::record::{Bench, Id, Query, Record, Rows, Stored, TextList, TextRow};
use crate::tabs::batch::ResultOutbox;
use crate::tabs::texts::ListImport;
use crate::text::Untrusted;
use crate::ui::list::Cursor;

/// The setting that holds the typed list's id.
pub(super) const BENCH: &str = "embed.bench";
/// What stands in the title once all is on disk.
pub(super) const SAVED: &str = "saved ✓";
/// The setting that holds everything else.
pub(super) const VIEW: &str = "embed.view";

impl State {
    /// Asks for what is on disk: settings first, then the typed list's id, then the list that was open.
    pub(super) fn load_settings(&mut self, cx: &mut Cx) {
        let ticket = cx.load(Query::Setting(VIEW.into()));
        self.pending.insert(ticket, Request::Settings);
    }

    /// Saves all that is not saved yet.
    pub(super) fn save(&mut self, cx: &mut Cx) {
        self.saves.due = None;
        let mut records = Vec::new();
        if std::mem::take(&mut self.saves.settings_changed) {
            self.saves.settings.open_list = self.list.storage.file_id();
            self.saves.settings.keep_newlines = self.list.keep_newlines;
            let json = serde_json::to_string(&self.saves.settings).expect("texts and numbers are always JSON");
            records.push(Record::Setting(VIEW.into(), json.into()));
            let typed = self.list.storage.typed_id;
            records.extend(typed.map(|id| Record::Setting(BENCH.into(), id.0.to_string().into())));
        }
        records.extend(self.list.storage.records(&self.list.data.texts, cx.unix_ms));
        if !records.is_empty() {
            self.save_record(Record::Batch(records), Request::Save, cx);
        }
    }

    /// Saves a record; `request` says what follows once it is on disk.
    pub(super) fn save_record(&mut self, record: Record, request: Request, cx: &mut Cx) {
        let ticket = self.saves.records.save(record, cx);
        self.pending.insert(ticket, request);
    }

    /// Returns why something here is not on disk.
    pub(super) fn refusal(&self) -> Option<&Untrusted> {
        self.saves.records.refusal().or_else(|| self.run.outboxes().find_map(ResultOutbox::refusal))
    }

    /// Returns whether all that was typed or came is on disk.
    pub(super) fn is_saved(&self) -> bool {
        self.saves.due.is_none() && self.saves.records.is_saved() && self.run.outboxes().all(ResultOutbox::is_saved)
    }

    /// Returns `saving…`, `saved ✓` or `✕ not saved: …`; empty: nothing was changed.
    pub(super) fn saved(&self, context: RenderContext) -> (String, Style) {
        let theme = context.theme;
        match self.refusal().or(context.session.unsaved.as_ref()) {
            Some(why) => (format!("✕ not saved: {}", why.line()), theme.bad),
            None if !self.is_saved() => ("saving…".to_owned(), theme.muted),
            None if self.saves.saved => (SAVED.to_owned(), theme.good),
            None => (String::new(), theme.muted),
        }
    }

    pub(super) fn handle_stored(&mut self, ticket: Ticket, stored: Stored, cx: &mut Cx) {
        if let Some(vectors) = self.run.handle_stored(ticket, &stored) {
            self.saves.saved |= stored == Stored::Committed;
            return self.vectors_saved(&vectors, cx);
        }
        if self.saves.records.stored(ticket, &stored) {
            return self.record_stored(ticket, &stored, cx);
        }
        let Some(asked) = self.pending.take(ticket) else { return };
        match (asked, stored) {
            (asked, Stored::Rows(rows)) => self.rows(asked, rows, cx),
            (Request::Settings | Request::Bench | Request::List(_), Stored::Failed(why)) => {
                self.finish_loading(cx);
                cx.notify(Notice::error(format!("the last list could not be read: {}", why.line())));
            }
            (Request::Job(number), Stored::Failed(why)) => self.run_failed(number, &why, cx),
            (_, Stored::Failed(why)) => cx.notify(Notice::error(why)),
            (asked, Stored::Waiting(_)) => self.pending.insert(ticket, asked),
            (_, Stored::Committed) => {}
        }
    }

    /// Handles that a record of the tab is on disk, or waits to be written.
    fn record_stored(&mut self, ticket: Ticket, stored: &Stored, cx: &mut Cx) {
        if matches!(stored, Stored::Waiting(_)) {
            return;
        }
        self.saves.saved |= *stored == Stored::Committed;
        match self.pending.take(ticket) {
            Some(Request::Rows) => self.copy_rows(cx),
            Some(Request::Vectored) => self.copy_vectors(cx),
            _ => {}
        }
    }

    fn rows(&mut self, asked: Request, rows: Rows, cx: &mut Cx) {
        match (asked, rows) {
            (Request::Settings, Rows::Setting(_, json)) => {
                if let Some(json) = json.filter(|_| !self.saves.settings_changed) {
                    self.saves.settings = EmbedSettings::saved(&json);
                    self.list.keep_newlines = self.saves.settings.keep_newlines;
                }
                let ticket = cx.load(Query::Setting(BENCH.into()));
                self.pending.insert(ticket, Request::Bench);
            }
            (Request::Bench, Rows::Setting(_, id)) => {
                let bench = id.and_then(|id| id.line().parse().ok()).map(Id);
                self.list.storage.typed_id = self.list.storage.typed_id.or(bench);
                let stored = Some(Id(self.saves.settings.open_list)).filter(|id| id.0 != 0);
                match stored.or(self.list.storage.typed_id) {
                    Some(id) => self.ask_list(id, cx),
                    None => self.finish_loading(cx),
                }
            }
            (Request::List(id), Rows::Texts(found)) => self.found(id, found, cx),
            (Request::Job(number), rows) => self.run_stored(number, rows, cx),
            _ => {}
        }
    }

    /// Takes what the work threads say to a request of the tab's own.
    pub(super) fn handle_worked(&mut self, ticket: Ticket, done: Done, cx: &mut Cx) {
        if let Done::Moved { .. } = done {
            return;
        }
        let Some(asked) = self.pending.take(ticket) else { return };
        match (asked, done) {
            (Request::Job(number), done) => self.run_worked(number, done, cx),
            (Request::File { path, name }, Done::Texts(texts)) => {
                if let Some(said) = texts.left_out.sentence() {
                    cx.notify(Notice::warn(said));
                }
                self.opened_file(name, path, texts.rows, cx);
            }
            (Request::Export, Done::Saved(path)) => cx.notify(Notice::ok(format!("written to {}", path.line()))),
            (Request::Import(path), Done::Imported(found)) => self.imported(path, found, cx),
            (_, Done::Failed(why)) => cx.notify(Notice::error(why)),
            _ => {}
        }
        self.advance(cx);
    }

    /// Opens a list that is kept; what is under way is not left behind unsaid.
    pub(super) fn open_list(&mut self, id: Id, cx: &mut Cx) {
        if self.is_busy() || self.list.vectors.importing.is_some() {
            return cx.notify(Notice::warn("a run is under way; esc stops it, then open the list again"));
        }
        self.save(cx);
        self.ask_list(id, cx);
    }

    fn ask_list(&mut self, id: Id, cx: &mut Cx) {
        let ticket = cx.load(Query::Texts(id));
        self.pending.insert(ticket, Request::List(id));
    }

    fn found(&mut self, id: Id, found: Option<(TextList, Vec<TextRow>)>, cx: &mut Cx) {
        let Some((list, rows)) = found else {
            // A list that was deleted by another copy: the typed one is always there.
            let bench = self.list.storage.typed_id.filter(|bench| *bench != id);
            return match bench {
                Some(bench) if !self.startup.loaded => self.ask_list(bench, cx),
                _ => self.finish_loading(cx),
            };
        };
        if self.startup.loaded {
            self.leave_list(cx);
            return self.show_list(list, rows, cx);
        }
        // What was typed before it came stays, and what is being typed.
        let (typed, editing) = (self.list.change_texts(std::mem::take), self.editing.take());
        self.show_list(list, rows, cx);
        self.finish_loading(cx);
        let first = self.list.data.texts.len();
        if !typed.is_empty() {
            let new = |TextItem { name, text, label, .. }| NewText { name, text, label };
            self.add(typed.into_iter().map(new).collect(), cx);
        }
        if let Some(editing) = editing {
            // Where the list refused the texts, the box is for a new one.
            let row = editing.row.map(|row| first + row).filter(|row| *row < self.list.data.texts.len());
            self.editing = Some(RowEditor { row, ..editing });
            self.view.page = Page::Inputs;
        }
    }

    /// Saves the list with what is being typed, before another one is shown.
    fn leave_list(&mut self, cx: &mut Cx) {
        self.finish_editing(cx);
        self.save(cx);
    }

    /// Shows another list; the vectors of the one before are let go.
    pub(super) fn show_list(&mut self, list: TextList, rows: Vec<TextRow>, cx: &mut Cx) {
        // A run that is paused continues when its list is open again.
        self.stop(cx);
        self.saves.settings_changed = self.startup.loaded;
        if self.startup.loaded {
            self.saves.due.get_or_insert(cx.now);
        }
        self.editing = None;
        self.run.summary = None;
        self.view.inputs = Cursor::default();
        self.view.page = if rows.len() > 1 { Page::Matrix } else { Page::Inputs };
        self.list.show(list, rows, cx);
        self.list.data.key = self.wanted_key(cx.session);
        self.look_up(cx);
    }

    /// Makes a list of a file that was read, and begins to copy it into the store row by row.
    pub(super) fn opened_file(&mut self, name: Untrusted, path: String, texts: Vec<FileText>, cx: &mut Cx) {
        if texts.is_empty() {
            return cx.notify(Notice::warn("there are no texts in this file"));
        }
        self.leave_list(cx);
        let (import, rows) = ListImport::new(Bench::Embed, name, path.into(), texts, cx);
        self.show_list(import.list().clone(), rows.clone(), cx);
        self.list.storage.copying.push((import, rows));
        if self.list.storage.copying.len() == 1 {
            self.copy_rows(cx);
        }
    }

    /// Copies the next rows of a file to the store.
    fn copy_rows(&mut self, cx: &mut Cx) {
        while let Some((import, rows)) = self.list.storage.copying.first_mut() {
            if let Some(record) = import.next(rows) {
                return self.save_record(record, Request::Rows, cx);
            }
            self.list.storage.copying.remove(0);
        }
    }

    /// Copies the next vectors of a file to the store.
    fn copy_vectors(&mut self, cx: &mut Cx) {
        let Some(importing) = &mut self.list.vectors.importing else { return };
        match importing.next() {
            Some(record) => self.save_record(record, Request::Vectored, cx),
            None => self.list.vectors.importing = None,
        }
    }

    /// Makes a list with vectors of an imported file. Asks the user how to read the file if it does not say what it
    /// contains.
    fn imported(&mut self, path: String, found: Imported, cx: &mut Cx) {
        self.leave_list(cx);
        match found {
            Imported::Unclear(shapes) => self.ask_shape(&path, &shapes),
            Imported::Vectors { texts, table, model } => {
                self.show_imported(texts, &model, cx);
                self.list.import_vectors(table);
                self.copy_vectors(cx);
            }
            Imported::Matrix { texts, matrix, model } => {
                self.show_imported(texts, &model, cx);
                self.list.data.matrix = Some(matrix);
                cx.notify(Notice::info("similarities only: they are kept while this list is open").about("import"));
            }
        }
        self.list.vectors.statuses_outdated = true;
    }

    fn show_imported(&mut self, texts: Vec<Untrusted>, model: &Untrusted, cx: &mut Cx) {
        let (list, rows) = imported_list(texts, model, cx);
        self.show_list(list, rows, cx);
        self.list.storage.touch_rows(self.list.data.texts.iter().map(|text| text.id));
        self.list.storage.touch();
        self.save(cx);
    }

    /// Takes in that the list that was open last is loaded, or that there is none.
    fn finish_loading(&mut self, cx: &mut Cx) {
        self.startup.loaded = true;
        self.list.data.key = self.wanted_key(cx.session);
        let offered = std::mem::take(&mut self.startup.offered);
        if !offered.is_empty() {
            self.add(offered, cx);
        }
        self.look_up(cx);
    }

    /// Handles that a list was deleted; if it is the open one, the typed texts are shown instead.
    pub(super) fn list_deleted(&mut self, id: Id, cx: &mut Cx) {
        let is_open = self.list.storage.record.as_ref().is_some_and(|list| list.id == id);
        if self.list.storage.typed_id == Some(id) {
            self.list.storage.typed_id = None;
            self.saves.settings_changed = true;
        }
        if !is_open {
            return;
        }
        self.list.storage.forget_changes();
        self.show_empty_list(cx);
        match self.list.storage.typed_id {
            Some(bench) => self.open_list(bench, cx),
            None => self.save(cx),
        }
    }

    /// Returns from a file to the texts that were typed, if any were.
    pub(super) fn show_typed_list(&mut self, cx: &mut Cx) {
        let open_id = self.list.storage.record.as_ref().map(|list| list.id);
        match self.list.storage.typed_id {
            Some(bench) if open_id == Some(bench) => cx.notify(Notice::info("the typed texts are open already")),
            Some(bench) => self.open_list(bench, cx),
            None if open_id.is_some() => {
                self.stop(cx);
                self.save(cx);
                self.show_empty_list(cx);
                self.save(cx);
            }
            None => {}
        }
    }

    /// Shows an empty list that is not saved yet.
    fn show_empty_list(&mut self, cx: &mut Cx) {
        self.run.summary = None;
        self.list.close(cx);
        self.view.page = Page::Inputs;
        self.saves.settings_changed = true;
    }
}
