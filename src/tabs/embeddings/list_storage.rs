//! The list of texts that is open: where it is stored, what was changed in it and is not stored yet, what undo
//! restores.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::pane_data::TextItem;
use crate::component::Cx;
use crate::record::{Bench, Id, Record, TextList, TextRow};
use crate::tabs::texts::ListImport;
use crate::text::Untrusted;

/// Changes of the list that can be undone.
const UNDO: usize = 200;
/// Rows in one record.
const ROWS: usize = 10_000;

/// What is kept with a list besides its rows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct StoredListState {
    /// The file its vectors were imported from; empty: they are asked for.
    pub(super) imported: String,
    /// What its imported vectors are kept under: two files may share their names and their texts.
    #[serde(rename = "shelf")]
    pub(super) import_id: String,
}

/// What undo takes back.
#[derive(Clone, Debug)]
pub(super) enum UndoEntry {
    /// These texts were added.
    Added(Vec<Id>),
    /// This stood there.
    Deleted(usize, TextItem),
    /// This said that.
    Edited(Id, Untrusted),
    /// These two texts changed places.
    Moved(usize, usize),
}

/// How the open list is stored, and what has changed in it.
#[derive(Debug, Default)]
pub(super) struct ListStorage {
    /// As it is stored; `None`: nothing was typed yet.
    pub(super) record: Option<TextList>,
    /// The typed list's id, once it has one.
    pub(super) typed_id: Option<Id>,
    /// What its vectors were imported from; empty: they are asked for.
    pub(super) imported: Untrusted,
    /// What imported vectors are stored under.
    pub(super) import_id: String,
    pub(super) undo: Vec<UndoEntry>,
    unsaved_rows: BTreeSet<Id>,
    deleted_rows: Vec<Id>,
    changed: bool,
    /// Rows of files until they are on disk, one file after the other.
    pub(super) copying: Vec<(ListImport, Vec<TextRow>)>,
}

impl ListStorage {
    /// Returns whether its vectors were imported.
    pub(super) fn is_imported(&self) -> bool {
        !self.imported.is_empty()
    }

    /// Returns the id of the open list where it is not the typed one, else 0.
    pub(super) fn file_id(&self) -> i64 {
        let of_file = self.record.as_ref().filter(|list| Some(list.id) != self.typed_id);
        of_file.map_or(0, |list| list.id.0)
    }

    /// Begins a typed list where none is open. Returns whether it did.
    pub(super) fn begin(&mut self, cx: &mut Cx) -> bool {
        if self.record.is_some() {
            return false;
        }
        let id = self.typed_id.unwrap_or_else(|| cx.id());
        self.typed_id = Some(id);
        self.record = Some(TextList {
            id,
            bench: Bench::Embed,
            name: "typed texts".into(),
            source: Untrusted::default(),
            created_ms: cx.unix_ms,
            updated_ms: cx.unix_ms,
            state: String::new(),
            rows: 0,
        });
        true
    }

    /// Opens a stored list: of the one before nothing is undone.
    pub(super) fn open(&mut self, record: TextList) {
        let state: StoredListState = serde_json::from_str(&record.state).unwrap_or_default();
        (self.imported, self.import_id) = (state.imported.into(), state.import_id);
        self.record = Some(record);
        self.undo.clear();
    }

    /// Closes the list.
    pub(super) fn close(&mut self) {
        self.record = None;
        self.imported = Untrusted::default();
        self.undo.clear();
    }

    /// Forgets the changes of a list that was deleted.
    pub(super) fn forget_changes(&mut self) {
        self.unsaved_rows.clear();
        self.deleted_rows.clear();
        self.changed = false;
    }

    /// Notes that something of the list other than its rows was changed.
    pub(super) fn touch(&mut self) {
        self.changed = true;
    }

    /// Notes that rows were changed.
    pub(super) fn touch_rows(&mut self, ids: impl IntoIterator<Item = Id>) {
        self.unsaved_rows.extend(ids);
    }

    /// Notes that a row was deleted.
    pub(super) fn delete_row(&mut self, id: Id) {
        self.unsaved_rows.remove(&id);
        self.deleted_rows.push(id);
    }

    /// Notes that a deleted row is there again.
    pub(super) fn restore_row(&mut self, id: Id) {
        self.deleted_rows.retain(|deleted| *deleted != id);
        self.unsaved_rows.insert(id);
    }

    /// Remembers a change for undo.
    pub(super) fn remember(&mut self, undo: UndoEntry) {
        if self.undo.len() == UNDO {
            self.undo.remove(0);
        }
        self.undo.push(undo);
    }

    /// Returns what stores the changes since this was called last.
    pub(super) fn records(&mut self, texts: &[TextItem], unix_ms: i64) -> Vec<Record> {
        let mut records = Vec::new();
        let unsaved = std::mem::take(&mut self.unsaved_rows);
        if let Some(list) = &mut self.record
            && (std::mem::take(&mut self.changed) || !unsaved.is_empty())
        {
            list.updated_ms = unix_ms;
            let state = StoredListState { imported: self.imported.raw().to_owned(), import_id: self.import_id.clone() };
            list.state = serde_json::to_string(&state).expect("texts are always JSON");
            records.push(Record::TextList(Box::new(list.clone())));
            let rows = texts.iter().filter(|text| unsaved.contains(&text.id));
            let rows: Vec<TextRow> = rows.map(TextItem::row).collect();
            records.extend(rows.chunks(ROWS).map(|rows| Record::TextRows { list: list.id, rows: rows.to_vec() }));
        }
        if !self.deleted_rows.is_empty() {
            records.push(Record::DeleteTextRows(std::mem::take(&mut self.deleted_rows)));
        }
        records
    }
}
