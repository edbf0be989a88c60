//! Files of vectors: what is exported of a list, and what becomes of an imported file.

use std::sync::Arc;

use super::embed_run::VECTORS_PER_RECORD;
use super::list_storage::StoredListState;
use super::pane_data::PaneData;
use crate::component::Cx;
use crate::record::work::{Export, Reading, Shape};
use crate::record::{Bench, Record, TextKey, TextList, TextRow, VectorKey, VectorTable};
use crate::text::Untrusted;
use crate::ui::meter;

/// What the keys of imported vectors begin with, where others name a profile.
pub(super) const IMPORT_PREFIX: &str = "import/";

/// Vectors of a file on their way to the disk.
#[derive(Debug)]
pub(super) struct VectorImport {
    pub(super) key: VectorKey,
    /// The texts they belong to, whichever list is open meanwhile.
    pub(super) keys: Vec<TextKey>,
    pub(super) table: Arc<VectorTable>,
    /// The first row that was not handed over.
    pub(super) at: usize,
}

impl VectorImport {
    /// Returns the record of the next vectors; `None`: there are no more. Some at a time, so that they are not in memory
    /// twice.
    pub(super) fn next(&mut self) -> Option<Record> {
        let mut vectors: Vec<(TextKey, Arc<[f32]>)> = Vec::new();
        while vectors.is_empty() && self.at < self.keys.len() {
            let rows = self.keys.iter().enumerate().skip(self.at).take(VECTORS_PER_RECORD);
            vectors.extend(rows.filter_map(|(row, key)| Some((*key, Arc::from(self.table.row(row)?)))));
            self.at += VECTORS_PER_RECORD;
        }
        (!vectors.is_empty()).then(|| Record::Vectors { key: self.key.clone(), vectors })
    }
}

/// Returns a new list of texts that came with their vectors.
pub(super) fn imported_list(texts: Vec<Untrusted>, model: &Untrusted, cx: &mut Cx) -> (TextList, Vec<TextRow>) {
    let id = cx.id();
    let state = StoredListState { imported: model.raw().to_owned(), import_id: format!("{IMPORT_PREFIX}{}", id.0) };
    let list = TextList {
        id,
        bench: Bench::Embed,
        name: format!("imported {}", model.line()).into(),
        source: model.clone(),
        created_ms: cx.unix_ms,
        updated_ms: cx.unix_ms,
        state: serde_json::to_string(&state).expect("texts are always JSON"),
        rows: texts.len() as u64,
    };
    let row = |(text, place)| TextRow { id: cx.id(), place, name: Untrusted::default(), text, label: None };
    let rows = texts.into_iter().zip(0..).map(row).collect();
    (list, rows)
}

/// Returns what a way to read a file results in, short enough for a narrow window.
pub(super) fn shape_words(shape: &Shape) -> String {
    let (rows, numbers) = (meter::count(shape.rows as u64), meter::count(shape.numbers as u64));
    let what = match shape.reading {
        Reading { matrix: true, .. } => format!("similarities of {rows} texts"),
        Reading { texts: true, .. } => format!("{rows} texts, {numbers} numbers"),
        Reading { heading: true, .. } => format!("{rows} vectors of {numbers}"),
        Reading { .. } => format!("{rows} vectors of {numbers} numbers"),
    };
    if shape.reading.heading { format!("heading, {what}") } else { what }
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExportKind {
    Vectors,
    Matrix,
}

impl ExportKind {
    /// Returns what the file will hold.
    pub(super) fn description(self) -> &'static str {
        match self {
            Self::Vectors => "the vectors, a row for each text: .csv, .json or .npy",
            Self::Matrix => "the matrix of similarities: .csv, .json or .npy",
        }
    }

    /// Returns what is written of a list; `None`: it has nothing of the kind.
    pub(super) fn export(self, data: &PaneData) -> Option<Export> {
        let texts: Arc<[Untrusted]> = data.texts.iter().map(|text| text.text.clone()).collect();
        let model = data.key.model.clone();
        match self {
            Self::Vectors => data.table.clone().map(|table| Export::Vectors { texts, table, model }),
            Self::Matrix => data.matrix.clone().map(|matrix| Export::Matrix { texts, matrix, model }),
        }
    }
}
