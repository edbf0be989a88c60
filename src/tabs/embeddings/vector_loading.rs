//! Looks up which texts have vectors, and loads those that are on disk.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::labels::TextLabels;
use super::pane_data::{TextItem, VectorStatus};
use super::panes::Panes;
use super::state::{Answer, Request, State};
use crate::component::{Cx, Notice, Question};
use crate::record::vectors::{MATRIX, Matrix};
use crate::record::work::Work;
use crate::record::{Query, TextKey, VectorKey, VectorTable};
use crate::text::Untrusted;
use crate::ui::meter;

/// Bytes of vectors that are loaded without a question.
const FREE: u64 = 256_000_000;
/// How often the marks of a long list are rebuilt.
const MARKS: Duration = Duration::from_millis(500);
/// Texts that are counted at once.
const COUNTS: usize = 20_000;

impl State {
    /// Lets go of all vectors and of what is known of them.
    pub(super) fn clear_vectors(&mut self, cx: &mut Cx) {
        self.vectors.clear();
        (self.data.table, self.data.matrix, self.run.summary) = (None, None, None);
        self.cancel_analyses(cx);
        self.update_statuses();
    }

    /// Cancels what is computed from vectors that go: there is one thread for it, and it holds them.
    fn cancel_analyses(&mut self, cx: &mut Cx) {
        self.panes.cancel(cx);
        self.analyses.forget(cx);
    }

    /// Puts vectors and matrix into the order of the texts. Of a long list, or one that is another, nothing stays.
    pub(super) fn align(&mut self) {
        self.data.labels = TextLabels::new(&self.data.texts).into();
        let keys = self.data.texts.iter().map(|text| text.sent).collect();
        if let Some(from) = self.vectors.align(keys) {
            let matrix = self.data.matrix.take().filter(|_| self.vectors.full.is_some());
            self.data.matrix = matrix.map(|matrix| Arc::new(reordered(&matrix, &from)));
            self.vectors_changed();
        }
        self.update_statuses();
    }

    /// Takes over that the whole vectors are others: what is read of them, and what is computed from them.
    pub(super) fn vectors_changed(&mut self) {
        self.data.table = if self.data.cut.is_some() { None } else { self.vectors.full.clone() };
        self.analyses.changed(self.data.cut.is_some());
        self.vectors.note_faults();
    }

    /// Updates the statuses as [`Self::update_statuses`] does, but those of a long list only a few times a second: a
    /// run has hundreds of answers.
    pub(super) fn update_statuses_soon(&mut self, now: Instant) {
        if self.data.texts.len() > MATRIX && self.run.job.is_some() {
            self.vectors.statuses_due.get_or_insert(now + MARKS);
        } else {
            self.update_statuses();
        }
    }

    /// Updates what each text says of its vector.
    pub(super) fn update_statuses(&mut self) {
        self.vectors.statuses_due = None;
        let limit = crate::tokens::context(&self.data.key.model.line());
        let job = self.run.job.as_ref().filter(|job| job.is_list() && job.is_sending());
        let of = |text: &TextItem| {
            let too_long = text.tokens.zip(limit).is_some_and(|(tokens, limit)| u64::from(tokens) > limit);
            match self.vectors.status(&text.sent) {
                VectorStatus::None if too_long => VectorStatus::TooLong,
                VectorStatus::None if job.is_some_and(|job| job.is_waiting_for(&text.sent)) => VectorStatus::Waiting,
                status => status,
            }
        };
        self.data.statuses = Arc::new(self.data.texts.iter().map(of).collect());
        let texts = self.data.texts.iter().enumerate();
        let failures = texts.filter_map(|(row, text)| Some((row, self.vectors.failures.get(&text.sent)?.clone())));
        self.data.failures = Arc::new(failures.collect());
        self.analyses.version += 1;
        self.update_estimate();
    }

    /// Asks what is not known of the texts: their tokens, and whether they have vectors.
    pub(super) fn look_up(&mut self, cx: &mut Cx) {
        self.look_up_due = None;
        if !self.startup.loaded || self.data.texts.is_empty() {
            return;
        }
        if !self.list.is_imported() {
            self.count(cx);
        }
        let texts = self.data.texts.iter().map(|text| text.sent);
        let unknown: Vec<TextKey> = texts.filter(|key| !self.vectors.is_known(key)).collect();
        if unknown.is_empty() {
            return self.load(cx);
        }
        let (key, texts): (VectorKey, Arc<[TextKey]>) = (self.data.key.clone(), unknown.into());
        let ticket = cx.load(Query::HasVectors { key: key.clone(), texts: Arc::clone(&texts) });
        self.pending.insert(ticket, Request::Has { key, texts });
    }

    /// Has the texts counted that are not, unless that is under way.
    fn count(&mut self, cx: &mut Cx) {
        let model = self.data.key.model.clone();
        let counting = |asked: &Request| matches!(asked, Request::Count { model: other, .. } if *other == model);
        if model.is_empty() || self.pending.any(counting) {
            return;
        }
        let uncounted = self.data.texts.iter().filter(|text| text.tokens.is_none()).take(COUNTS);
        let (keys, texts): (Vec<TextKey>, Vec<Untrusted>) =
            uncounted.map(|text| (text.sent, self.sent(&text.text))).unzip();
        if !keys.is_empty() {
            let ticket = cx.work(Work::Count { model: model.clone(), local: cx.session.local, texts: texts.into() });
            self.pending.insert(ticket, Request::Count { model, texts: keys });
        }
    }

    /// Takes the token counts of some texts.
    pub(super) fn counted(&mut self, model: &Untrusted, keys: &[TextKey], exact: bool, counts: &[u32], cx: &mut Cx) {
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
        self.update_statuses();
        self.count(cx);
    }

    /// Takes the answer which texts have a vector.
    pub(super) fn looked_up(&mut self, key: &VectorKey, texts: &[TextKey], has: &[bool], cx: &mut Cx) {
        if *key != self.data.key {
            return;
        }
        self.vectors.found(texts.iter().copied().zip(has.iter().copied()));
        self.update_statuses();
        self.load(cx);
    }

    /// Counts the texts that have a vector.
    pub(super) fn count_present(&self) -> usize {
        self.data.texts.iter().filter(|text| self.vectors.present.contains(&text.sent)).count()
    }

    /// Loads the vectors that are on disk and not here; of a long list it is asked first.
    pub(super) fn load(&mut self, cx: &mut Cx) {
        let rows = self.data.texts.len();
        if rows > MATRIX {
            return self.load_long_list(cx);
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
        self.pending.insert(ticket, Request::Vectors { key, rows: wanted });
    }

    fn load_long_list(&mut self, cx: &mut Cx) {
        // Those of an import are here before they are on disk.
        if self.vectors.full.is_some() {
            return;
        }
        let have = self.data.texts.iter().find(|text| self.vectors.present.contains(&text.sent)).map(|text| text.sent);
        let Some(first) = have.filter(|_| !self.vectors.loading && !self.is_busy()) else { return };
        self.vectors.loading = true;
        let texts = Arc::from([first]);
        let ticket = cx.load(Query::Vectors { key: self.data.key.clone(), texts });
        self.pending.insert(ticket, Request::Measure { version: self.vectors.version });
    }

    /// Takes the length of the vectors, from which follows how much memory all of them take.
    pub(super) fn measured(&mut self, version: u64, dimensions: usize, cx: &mut Cx) {
        self.vectors.loading = false;
        if version != self.vectors.version {
            return;
        }
        let bytes = (self.data.texts.len() * dimensions * 4) as u64;
        self.vectors.confirm_bytes = Some(bytes);
        if bytes <= FREE || self.vectors.confirmed {
            return self.load_all(cx);
        }
        if self.modals.is_open() {
            return;
        }
        let said = format!(
            "The vectors of {} texts take {} of memory while the list is open.",
            meter::count(self.data.texts.len() as u64),
            meter::bytes(bytes)
        );
        self.modals.open(
            Question::new("Load the vectors?", vec![said.into()])
                .answer('l', "load them", Answer::LoadAll)
                .dismiss('n', "not now; b loads them later"),
        );
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
        self.pending.insert(ticket, Request::All { version: self.vectors.version });
    }

    /// Takes all vectors of a long list.
    pub(super) fn all_loaded(&mut self, version: u64, table: Arc<VectorTable>, cx: &mut Cx) {
        if version != self.vectors.version {
            return;
        }
        self.vectors.loading = false;
        self.vectors.full = Some(table);
        self.vectors_changed();
        self.update_statuses();
        self.advance(cx);
    }

    /// Takes some vectors that were read from the disk.
    pub(super) fn loaded(&mut self, key: &VectorKey, keys: &[TextKey], table: &VectorTable, cx: &mut Cx) {
        if *key != self.data.key {
            return;
        }
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
    pub(super) fn insert_vectors(&mut self, found: &HashMap<TextKey, &[f32]>, cx: &mut Cx) {
        let rows = self.data.texts.len();
        if rows > MATRIX || found.is_empty() {
            return self.update_statuses_soon(cx.now);
        }
        self.align();
        self.vectors.insert(found);
        self.vectors_changed();
        self.update_statuses();
        self.advance(cx);
    }

    /// Loads vectors that are on disk and were too many to be loaded unasked (`b`).
    pub(super) fn load_on_request(&mut self, cx: &mut Cx) {
        if self.data.texts.len() <= MATRIX {
            return self.load(cx);
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

/// Returns the matrix with its rows from elsewhere; what is new is not known yet.
fn reordered(matrix: &Matrix, from: &[Option<usize>]) -> Matrix {
    let rows = from.len();
    let mut cosines = vec![f32::NAN; rows * rows];
    for (row, one) in from.iter().enumerate() {
        for (column, other) in from.iter().enumerate() {
            if let Some(cosine) = one.zip(*other).and_then(|(one, other)| matrix.cosine(one, other)) {
                cosines[row * rows + column] = cosine;
            }
        }
    }
    let norm = |from: &Option<usize>| from.and_then(|from| matrix.norms.get(from).copied()).unwrap_or(f32::NAN);
    Matrix { rows, cosines, norms: from.iter().map(norm).collect(), order: (0..rows as u32).collect() }
}
