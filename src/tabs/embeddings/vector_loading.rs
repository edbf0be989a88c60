//! Looks up which texts have vectors, loads those that are on disk, and has tokens counted.

use std::collections::HashMap;
use std::sync::Arc;

use super::embedded_list::EmbeddedList;
use super::panes::Panes;
use super::transfer::VectorImport;
use super::vector_set::VectorRequest;
use crate::api::call::Ticket;
use crate::component::{Cx, Handled, Notice, Response};
use crate::record::vectors::MATRIX;
use crate::record::work::{Done, Work};
use crate::record::{Query, Rows, Stored, TextKey, VectorKey, VectorTable};
use crate::text::Untrusted;

/// Bytes of vectors that are loaded without a question.
const FREE: u64 = 256_000_000;
/// Texts that are counted at once.
const COUNTS: usize = 20_000;

impl EmbeddedList {
    /// Takes the reply to a request about the texts. Emits how many bytes all vectors of a long list take, where the
    /// user has to be asked before they are loaded. `busy`: a run is under way.
    pub(super) fn reply(&mut self, ticket: Ticket, response: &mut Response, busy: bool, cx: &mut Cx) -> Handled<u64> {
        if let Response::Work(done) = response
            && self.analyses.take(ticket, done, self.vectors.version, &mut self.data, cx)
        {
            self.matrix.follow_cursor(&self.data);
            return Handled::Consumed;
        }
        if matches!(response, Response::Work(Done::Moved { .. }) | Response::Store(Stored::Waiting(_))) {
            return Handled::Ignored;
        }
        let Some(asked) = self.pending.take(ticket) else { return Handled::Ignored };
        match (asked, response.take()) {
            (VectorRequest::Measure { version }, Response::Store(Stored::Rows(Rows::Vectors(table)))) => {
                return self.measured(version, table.dimensions(), cx);
            }
            (asked, Response::Store(Stored::Rows(rows))) => self.take_rows(asked, rows, busy, cx),
            (VectorRequest::Has { .. }, Response::Store(Stored::Failed(why)))
            | (_, Response::Work(Done::Failed(why))) => cx.notify(Notice::error(why)),
            (_, Response::Store(Stored::Failed(why))) => {
                self.vectors.loading = false;
                cx.notify(Notice::error(format!("the vectors could not be read: {}", why.line())));
            }
            (VectorRequest::Count { model, texts }, Response::Work(Done::Counted(exact, counts))) => {
                self.counted(&model, &texts, exact, &counts, cx);
            }
            _ => {}
        }
        Handled::Consumed
    }

    fn take_rows(&mut self, asked: VectorRequest, rows: Rows, busy: bool, cx: &mut Cx) {
        match (asked, rows) {
            (VectorRequest::Has { key, texts }, Rows::HasVectors(has)) if key == self.data.key => {
                self.vectors.found(texts.iter().copied().zip(has.iter().copied()));
                self.vectors.statuses_outdated = true;
                self.load(busy, cx);
            }
            (VectorRequest::Vectors { key, rows }, Rows::Vectors(table)) if key == self.data.key => {
                self.loaded(&rows, &table, cx);
            }
            (VectorRequest::All { version }, Rows::Vectors(table)) if version == self.vectors.version => {
                self.vectors.loading = false;
                self.vectors.full = Some(table);
                self.vectors_changed();
                self.vectors.statuses_outdated = true;
            }
            _ => {}
        }
    }

    /// Asks what is not known of the texts: their tokens, and whether they have vectors.
    pub(super) fn look_up(&mut self, busy: bool, cx: &mut Cx) {
        if self.data.texts.is_empty() {
            return;
        }
        if !self.storage.is_imported() {
            self.count(cx);
        }
        let texts = self.data.texts.iter().map(|text| text.sent);
        let unknown: Vec<TextKey> = texts.filter(|key| !self.vectors.is_known(key)).collect();
        if unknown.is_empty() {
            return self.load(busy, cx);
        }
        let (key, texts): (VectorKey, Arc<[TextKey]>) = (self.data.key.clone(), unknown.into());
        let ticket = cx.load(Query::HasVectors { key: key.clone(), texts: Arc::clone(&texts) });
        self.pending.insert(ticket, VectorRequest::Has { key, texts });
    }

    /// Has the texts counted that are not, unless that is under way.
    fn count(&mut self, cx: &mut Cx) {
        let model = self.data.key.model.clone();
        let counting =
            |asked: &VectorRequest| matches!(asked, VectorRequest::Count { model: other, .. } if *other == model);
        if model.is_empty() || self.pending.any(counting) {
            return;
        }
        let uncounted = self.data.texts.iter().filter(|text| text.tokens.is_none()).take(COUNTS);
        let (keys, texts): (Vec<TextKey>, Vec<Untrusted>) =
            uncounted.map(|text| (text.sent, self.sent(&text.text))).unzip();
        if !keys.is_empty() {
            let ticket = cx.work(Work::Count { model: model.clone(), local: cx.session.local, texts: texts.into() });
            self.pending.insert(ticket, VectorRequest::Count { model, texts: keys });
        }
    }

    /// Takes the token counts of some texts.
    fn counted(&mut self, model: &Untrusted, keys: &[TextKey], exact: bool, counts: &[u32], cx: &mut Cx) {
        if *model != self.data.key.model {
            return;
        }
        self.data.exact = exact;
        let counts: HashMap<TextKey, u32> = keys.iter().copied().zip(counts.iter().copied()).collect();
        self.change_texts(|texts| {
            for text in texts {
                text.tokens = text.tokens.or_else(|| counts.get(&text.sent).copied());
            }
        });
        self.vectors.statuses_outdated = true;
        self.count(cx);
    }

    /// Counts the texts that have a vector.
    fn count_present(&self) -> usize {
        self.data.texts.iter().filter(|text| self.vectors.present.contains(&text.sent)).count()
    }

    /// Loads the vectors that are on disk and not here; of a long list it is asked first.
    pub(super) fn load(&mut self, busy: bool, cx: &mut Cx) {
        if self.data.texts.len() > MATRIX {
            return self.measure(busy, cx);
        }
        let here = |row: usize| self.vectors.full.as_ref().is_some_and(|full| full.has(row));
        let texts = self.data.texts.iter().enumerate();
        let wanted = texts.filter(|(row, text)| !here(*row) && self.vectors.present.contains(&text.sent));
        let mut wanted: Vec<TextKey> = wanted.map(|(_, text)| text.sent).collect();
        wanted.sort_unstable();
        wanted.dedup();
        wanted.retain(|key| !self.vectors.failures.contains_key(key));
        if wanted.is_empty() {
            return;
        }
        self.vectors.loading = true;
        let (key, texts) = (self.data.key.clone(), wanted.clone().into());
        let ticket = cx.load(Query::Vectors { key: key.clone(), texts });
        self.pending.insert(ticket, VectorRequest::Vectors { key, rows: wanted });
    }

    /// Loads one vector of a long list to know how much memory all take.
    fn measure(&mut self, busy: bool, cx: &mut Cx) {
        // Those of an import are here before they are on disk.
        if self.vectors.full.is_some() {
            return;
        }
        let have = self.data.texts.iter().find(|text| self.vectors.present.contains(&text.sent)).map(|text| text.sent);
        let Some(first) = have.filter(|_| !self.vectors.loading && !busy) else { return };
        self.vectors.loading = true;
        let texts = Arc::from([first]);
        let ticket = cx.load(Query::Vectors { key: self.data.key.clone(), texts });
        self.pending.insert(ticket, VectorRequest::Measure { version: self.vectors.version });
    }

    /// Takes the length of the vectors, from which follows how much memory all of them take.
    fn measured(&mut self, version: u64, dimensions: usize, cx: &mut Cx) -> Handled<u64> {
        self.vectors.loading = false;
        if version != self.vectors.version {
            return Handled::Consumed;
        }
        let bytes = (self.data.texts.len() * dimensions * 4) as u64;
        self.vectors.confirm_bytes = Some(bytes);
        if bytes > FREE && !self.vectors.confirmed {
            return Handled::Emit(bytes);
        }
        self.load_all(cx);
        Handled::Consumed
    }

    /// Loads all vectors of a long list.
    pub(super) fn load_all(&mut self, cx: &mut Cx) {
        (self.vectors.confirmed, self.vectors.loading) = (true, true);
        // The table before is let go first, by the panes too: there is room for one.
        (self.vectors.full, self.data.table) = (None, None);
        self.cancel_analyses(cx);
        self.panes = Panes::default();
        let texts: Arc<[TextKey]> = self.data.texts.iter().map(|text| text.sent).collect();
        let ticket = cx.load(Query::Vectors { key: self.data.key.clone(), texts });
        self.pending.insert(ticket, VectorRequest::All { version: self.vectors.version });
    }

    /// Takes the vectors of an imported file, which are copied to the store afterwards.
    pub(super) fn import_vectors(&mut self, table: Arc<VectorTable>) {
        let (key, keys) = (self.data.key.clone(), self.data.texts.iter().map(|text| text.sent).collect());
        let rows = self.data.texts.iter().enumerate();
        self.vectors.present.extend(rows.filter(|(row, _)| table.has(*row)).map(|(_, text)| text.sent));
        self.vectors.importing = Some(VectorImport { key, keys, table: Arc::clone(&table), at: 0 });
        self.vectors.confirmed = true;
        self.vectors.full = Some(table);
        self.vectors_changed();
    }

    /// Takes some vectors that were read from the disk.
    fn loaded(&mut self, keys: &[TextKey], table: &VectorTable, cx: &mut Cx) {
        self.vectors.loading = false;
        let found = keys.iter().enumerate().filter_map(|(row, key)| Some((*key, table.row(row)?)));
        let odd = table.odd().iter().filter_map(|(row, length)| Some((*keys.get(*row as usize)?, *length)));
        for (key, length) in odd.collect::<Vec<_>>() {
            let words = format!("its vector has {length} numbers, the others {}", table.dimensions());
            self.vectors.failures.insert(key, words.into());
        }
        self.insert_vectors(&found.collect(), cx);
    }

    /// Puts vectors into the table.
    pub(super) fn insert_vectors(&mut self, found: &HashMap<TextKey, &[f32]>, cx: &Cx) {
        if self.data.texts.len() > MATRIX || found.is_empty() {
            return self.plan_statuses(cx.now);
        }
        self.align();
        self.vectors.insert(found);
        self.vectors_changed();
        self.vectors.statuses_outdated = true;
    }

    /// Loads vectors that are on disk and were too many to be loaded unasked (`b`).
    pub(super) fn load_on_request(&mut self, busy: bool, cx: &mut Cx) {
        if self.data.texts.len() <= MATRIX {
            return self.load(busy, cx);
        }
        if self.vectors.loading {
            return cx.notify(Notice::info("the vectors are being loaded"));
        }
        match (self.vectors.full.is_some(), self.count_present()) {
            (true, _) => cx.notify(Notice::info("the vectors are loaded")),
            (_, 0) => cx.notify(Notice::info("none of these texts has a vector yet; ^R embeds them")),
            _ => self.load_all(cx),
        }
    }
}
