//! Exports and imports vectors and matrix.

use std::sync::Arc;

use super::embed_run::VECTORS_PER_RECORD;
use super::list::StoredListState;
use super::state::{Answer, Request, State};
use super::transfer::{ExportKind, IMPORT_PREFIX, VectorImport};
use crate::api::call::Ticket;
use crate::component::{Cx, Notice, Question};
use crate::record::work::{Done, Export, Form, Imported, Reading, Shape, Work};
use crate::record::{Bench, Record, TextKey, TextList, TextRow};
use crate::text::Untrusted;
use crate::ui::meter;

impl State {
    /// Writes a new file.
    pub(super) fn export(&mut self, path: String, what: ExportKind, cx: &mut Cx) {
        let texts: Arc<[Untrusted]> = self.data.texts.iter().map(|text| text.text.clone()).collect();
        let model = self.data.key.model.clone();
        let Some(form) = Form::of(&path) else {
            return cx.notify(Notice::warn("not written: the name must end in .csv, .json or .npy"));
        };
        let what = match what {
            ExportKind::Vectors => self.data.table.clone().map(|table| Export::Vectors { texts, table, model }),
            ExportKind::Matrix => self.data.matrix.clone().map(|matrix| Export::Matrix { texts, matrix, model }),
        };
        let Some(what) = what else {
            return cx.notify(Notice::warn(
                "a list of more than 2,000 texts has no matrix; shift+tab chooses its vectors instead",
            ));
        };
        let ticket = cx.work(Work::Export { path, form, what });
        self.pending.insert(ticket, Request::Export);
    }

    /// Reads a file of vectors.
    pub(super) fn import(&mut self, path: String, reading: Option<Reading>, cx: &mut Cx) {
        if self.is_busy() {
            return cx.notify(Notice::warn("a run is under way; esc stops it, then import again"));
        }
        if self.vectors.importing.is_some() || self.pending.any(|asked| matches!(asked, Request::Import(_))) {
            return cx.notify(Notice::warn("an import is still being saved; try again in a moment"));
        }
        let ticket = cx.work(Work::Import { path: path.clone(), reading });
        self.pending.insert(ticket, Request::Import(path));
    }

    /// Makes a list with vectors of an imported file. Asks the user how to read the file if it does not say what it
    /// contains.
    pub(super) fn imported(&mut self, path: String, found: Imported, cx: &mut Cx) {
        self.save(cx);
        match found {
            Imported::Unclear(shapes) => {
                let said = "The file does not say what its numbers are. Import it as:";
                let question = Question::new("Import", vec![said.into()]);
                let add = |question: Question<Answer>, (digit, shape): (char, &Shape)| {
                    question.answer(digit, shape_words(shape), Answer::Import(path.clone(), Some(shape.reading)))
                };
                self.modals.open(('1'..='9').zip(&*shapes).fold(question, add));
            }
            Imported::Vectors { texts, table, model } => {
                self.import_list(texts, &model, cx);
                let (key, keys) = (self.data.key.clone(), self.data.texts.iter().map(|text| text.sent).collect());
                let rows = self.data.texts.iter().enumerate();
                self.vectors.present.extend(rows.filter(|(row, _)| table.has(*row)).map(|(_, text)| text.sent));
                self.vectors.importing = Some(VectorImport { key, keys, table: Arc::clone(&table), at: 0 });
                self.copy_vectors(cx);
                self.vectors.confirmed = true;
                self.vectors.full = Some(table);
                self.vectors_changed();
            }
            Imported::Matrix { texts, matrix, model } => {
                self.import_list(texts, &model, cx);
                self.data.matrix = Some(matrix);
                cx.notify(Notice::info("similarities only: they are kept while this list is open").about("import"));
            }
        }
        self.update_statuses();
        self.advance(cx);
    }

    /// Copies the next vectors of a file to the store: some at a time, so that they are not in memory twice.
    pub(super) fn copy_vectors(&mut self, cx: &mut Cx) {
        let Some(importing) = &mut self.vectors.importing else { return };
        let mut vectors: Vec<(TextKey, Arc<[f32]>)> = Vec::new();
        while vectors.is_empty() && importing.at < importing.keys.len() {
            let rows = importing.keys.iter().enumerate().skip(importing.at).take(VECTORS_PER_RECORD);
            vectors.extend(rows.filter_map(|(row, key)| Some((*key, Arc::from(importing.table.row(row)?)))));
            importing.at += VECTORS_PER_RECORD;
        }
        if vectors.is_empty() {
            self.vectors.importing = None;
            return;
        }
        let record = Record::Vectors { key: importing.key.clone(), vectors };
        self.save_record(record, Request::Vectored, cx);
    }

    fn import_list(&mut self, texts: Vec<Untrusted>, model: &Untrusted, cx: &mut Cx) {
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
        let rows = texts.into_iter().zip(0..).map(|(text, place)| TextRow {
            id: cx.id(),
            place,
            name: Untrusted::default(),
            text,
            label: None,
        });
        let rows = rows.collect();
        self.show_list(list, rows, cx);
        self.list.touch_rows(self.data.texts.iter().map(|text| text.id));
        self.list.touch();
        self.save(cx);
    }

    /// Takes what the work threads say to a request of the tab's own.
    pub(super) fn handle_worked(&mut self, ticket: Ticket, done: Done, cx: &mut Cx) {
        if self.handle_analysis(ticket, &done, cx) {
            return self.advance(cx);
        }
        if let Done::Moved { .. } = done {
            return;
        }
        let Some(asked) = self.pending.take(ticket) else { return };
        match (asked, done) {
            (Request::Count { model, texts }, Done::Counted(exact, counts)) => {
                self.counted(&model, &texts, exact, &counts, cx);
            }
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
}

/// Returns what a way to read a file results in, short enough for a narrow window.
fn shape_words(shape: &Shape) -> String {
    let (rows, numbers) = (meter::count(shape.rows as u64), meter::count(shape.numbers as u64));
    let what = match shape.reading {
        Reading { matrix: true, .. } => format!("similarities of {rows} texts"),
        Reading { texts: true, .. } => format!("{rows} texts, {numbers} numbers"),
        Reading { heading: true, .. } => format!("{rows} vectors of {numbers}"),
        Reading { .. } => format!("{rows} vectors of {numbers} numbers"),
    };
    if shape.reading.heading { format!("heading, {what}") } else { what }
}
