//! Saves and loads the settings and the lists.

use std::sync::Arc;

use super::pane_data::{Page, TextItem};
use super::panes::Panes;
use super::state::{EmbedSettings, Request, State};
use crate::api::call::Ticket;
use crate::component::{Cx, Notice};
use crate::record::work::FileText;
use crate::record::{Bench, Id, Query, Record, Rows, Stored, TextKey, TextList, TextRow};
use crate::tabs::batch::ResultOutbox;
use crate::tabs::texts::ListImport;
use crate::text::Untrusted;

/// The setting that holds the typed list's id.
pub(super) const BENCH: &str = "embed.bench";
/// The setting that holds everything else.
const VIEW: &str = "embed.view";

impl State {
    /// Asks for what is on disk: settings first, then the typed list's id, then the list that was open.
    pub(super) fn load_settings(&mut self, cx: &mut Cx) {
        let ticket = cx.load(Query::Setting(VIEW.into()));
        self.pending.insert(ticket, Request::Settings);
    }

    /// Begins a typed list where none is open.
    pub(super) fn begin_list(&mut self, cx: &mut Cx) {
        self.saves.settings_changed |= self.list.begin(cx);
    }

    /// Saves all that is not saved yet.
    pub(super) fn save(&mut self, cx: &mut Cx) {
        self.saves.due = None;
        let mut records = Vec::new();
        if std::mem::take(&mut self.saves.settings_changed) {
            self.saves.settings.open = self.list.file_id();
            let json = serde_json::to_string(&self.saves.settings).expect("texts and numbers are always JSON");
            records.push(Record::Setting(VIEW.into(), json.into()));
            let typed = self.list.typed_id;
            records.extend(typed.map(|id| Record::Setting(BENCH.into(), id.0.to_string().into())));
        }
        records.extend(self.list.records(&self.data.texts, cx.unix_ms));
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
            (Request::Vectors { .. } | Request::All { .. } | Request::Measure { .. }, Stored::Failed(why)) => {
                self.vectors.loading = false;
                cx.notify(Notice::error(format!("the vectors could not be read: {}", why.line())));
            }
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
                    self.saves.settings = serde_json::from_str::<EmbedSettings>(json.raw()).unwrap_or_default();
                }
                let ticket = cx.load(Query::Setting(BENCH.into()));
                self.pending.insert(ticket, Request::Bench);
            }
            (Request::Bench, Rows::Setting(_, id)) => {
                let bench = id.and_then(|id| id.line().parse().ok()).map(Id);
                self.list.typed_id = self.list.typed_id.or(bench);
                let open = Some(Id(self.saves.settings.open)).filter(|id| id.0 != 0).or(self.list.typed_id);
                match open {
                    Some(id) => self.ask_list(id, cx),
                    None => self.finish_loading(cx),
                }
            }
            (Request::List(id), Rows::Texts(found)) => self.found(id, found, cx),
            (Request::Has { key, texts }, Rows::HasVectors(has)) => self.looked_up(&key, &texts, &has, cx),
            (Request::Measure { version }, Rows::Vectors(table)) => self.measured(version, table.dimensions(), cx),
            (Request::Vectors { key, rows }, Rows::Vectors(table)) => self.loaded(&key, &rows, &table, cx),
            (Request::All { version }, Rows::Vectors(table)) => self.all_loaded(version, table, cx),
            (Request::Job(number), rows) => self.run_stored(number, rows, cx),
            _ => {}
        }
    }

    /// Opens a list that is kept; what is under way is not left behind unsaid.
    pub(super) fn open_list(&mut self, id: Id, cx: &mut Cx) {
        if self.is_busy() || self.vectors.importing.is_some() {
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
            let bench = self.list.typed_id.filter(|bench| *bench != id);
            return match bench {
                Some(bench) if !self.startup.loaded => self.ask_list(bench, cx),
                _ => self.finish_loading(cx),
            };
        };
        // What was typed before it came stays.
        let typed = if self.startup.loaded { Vec::new() } else { self.change_texts(std::mem::take) };
        self.show_list(list, rows, cx);
        self.finish_loading(cx);
        if !typed.is_empty() {
            self.add(typed.into_iter().map(|text| (text.name, text.text)).collect(), cx);
        }
    }

    /// Shows another list; the vectors of the one before are let go.
    pub(super) fn show_list(&mut self, list: TextList, rows: Vec<TextRow>, cx: &mut Cx) {
        // A run that is paused continues when its list is open again.
        self.stop(cx);
        self.list.open(list);
        self.saves.settings_changed = self.startup.loaded;
        if self.startup.loaded {
            self.saves.due.get_or_insert(cx.now);
        }
        self.editing = None;
        self.data.cut = None;
        self.clear_vectors(cx);
        // Panes hold what they were drawn from.
        self.panes = Panes::default();
        let texts = rows.into_iter().map(|row| {
            let sent = TextKey::of(&self.sent(&row.text));
            TextItem::new(row, sent)
        });
        let texts = texts.collect();
        self.data.texts = Arc::new(texts);
        self.data.cursor = (0, 1.min(self.data.texts.len().saturating_sub(1)));
        (self.view.inputs, self.view.heat) = Default::default();
        self.view.page = if self.data.texts.len() > 1 { Page::Matrix } else { Page::Inputs };
        self.data.key = self.wanted_key(cx.session);
        self.align();
        self.place_heat();
        self.look_up(cx);
    }

    /// Makes a list of a file that was read, and begins to copy it into the store row by row.
    pub(super) fn opened_file(&mut self, name: Untrusted, path: String, texts: Vec<FileText>, cx: &mut Cx) {
        if texts.is_empty() {
            return cx.notify(Notice::warn("there are no texts in this file"));
        }
        self.save(cx);
        let (import, rows) = ListImport::new(Bench::Embed, name, path.into(), texts, cx);
        self.show_list(import.list().clone(), rows.clone(), cx);
        self.list.copying.push((import, rows));
        if self.list.copying.len() == 1 {
            self.copy_rows(cx);
        }
    }

    /// Copies the next rows of a file to the store.
    fn copy_rows(&mut self, cx: &mut Cx) {
        while let Some((import, rows)) = self.list.copying.first_mut() {
            if let Some(record) = import.next(rows) {
                return self.save_record(record, Request::Rows, cx);
            }
            self.list.copying.remove(0);
        }
    }

    /// Takes in that the list that was open last is loaded, or that there is none.
    fn finish_loading(&mut self, cx: &mut Cx) {
        self.startup.loaded = true;
        self.data.key = self.wanted_key(cx.session);
        let offered = std::mem::take(&mut self.startup.offered);
        if !offered.is_empty() {
            self.add(offered, cx);
        }
        self.look_up(cx);
    }

    /// Handles that a list was deleted; if it is the open one, the typed texts are shown instead.
    pub(super) fn list_deleted(&mut self, id: Id, cx: &mut Cx) {
        let open = self.list.record.as_ref().is_some_and(|list| list.id == id);
        if self.list.typed_id == Some(id) {
            self.list.typed_id = None;
            self.saves.settings_changed = true;
        }
        if !open {
            return;
        }
        self.list.forget_changes();
        self.show_empty_list(cx);
        match self.list.typed_id {
            Some(bench) => self.open_list(bench, cx),
            None => self.save(cx),
        }
    }

    /// Returns from a file to the texts that were typed, if any were.
    pub(super) fn show_typed_list(&mut self, cx: &mut Cx) {
        let open = self.list.record.as_ref().map(|list| list.id);
        match self.list.typed_id {
            Some(bench) if open == Some(bench) => cx.notify(Notice::info("the typed texts are open already")),
            Some(bench) => self.open_list(bench, cx),
            None if open.is_some() => {
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
        self.list.close();
        self.data.texts = Arc::default();
        self.clear_vectors(cx);
        self.panes = Panes::default();
        self.align();
        self.view.page = Page::Inputs;
        self.saves.settings_changed = true;
    }
}
