//! The vectors that are here: which texts have one, what they take, how they stand beside the texts.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::labels::TextLabels;
use super::pane::Panes;
use super::pane_data::VectorStatus;
use super::state::{Answer, Request, State};
use crate::component::{Cx, Notice, Question};
use crate::record::vectors::{MATRIX, Matrix};
use crate::record::work::Work;
use crate::record::{Query, Table, TextKey, VectorKey};
use crate::text::Untrusted;
use crate::ui::meter;

/// Bytes of vectors that are loaded without a question.
const FREE: u64 = 256_000_000;
/// How often the marks of a long list are made anew.
const MARKS: Duration = Duration::from_millis(500);
/// Texts that are counted in one order.
const COUNTS: usize = 20_000;

impl State {
    /// Lets go of all vectors and of what is known of them.
    pub(super) fn forget_vectors(&mut self, cx: &mut Cx) {
        self.stamp += 1;
        (self.full, self.data.table, self.data.matrix) = (None, None, None);
        self.have.clear();
        self.lack.clear();
        self.fresh.clear();
        self.reasons.clear();
        (self.heavy, self.granted, self.loading, self.ended) = (None, false, false, None);
        self.stop_sums(cx);
        self.mark();
    }

    /// Nobody waits for what is summed up from vectors that go: there is one thread for it, and it holds them.
    fn stop_sums(&mut self, cx: &mut Cx) {
        self.panes.cancel(cx);
        self.sums.forget(cx);
    }

    /// Puts vectors and matrix into the order of the texts. Of a long list, or one that is another, nothing stays.
    pub(super) fn align(&mut self) {
        self.data.labels = TextLabels::new(&self.data.texts).into();
        let keys: Vec<TextKey> = self.data.texts.iter().map(|text| text.sent).collect();
        if keys == self.aligned {
            return self.mark();
        }
        self.stamp += 1;
        // What is on its way is of the texts before.
        self.loading = false;
        let mut rows: HashMap<TextKey, usize> = HashMap::new();
        for (row, key) in self.aligned.iter().enumerate() {
            if self.full.as_ref().is_some_and(|full| full.has(row)) {
                rows.entry(*key).or_insert(row);
            }
        }
        let from: Vec<Option<usize>> = keys.iter().map(|key| rows.get(key).copied()).collect();
        let full = self.full.take().filter(|_| keys.len() <= MATRIX);
        self.full = full.map(|full| Arc::new(moved(&full, &from)));
        let matrix = self.data.matrix.take().filter(|_| self.full.is_some());
        self.data.matrix = matrix.map(|matrix| Arc::new(reordered(&matrix, &from)));
        self.aligned = keys;
        self.shown();
        self.mark();
    }

    /// The whole vectors are others: what is read of them, and what is told from them.
    pub(super) fn shown(&mut self) {
        self.data.table = if self.data.cut.is_some() { None } else { self.full.clone() };
        self.sums.changed(self.data.cut.is_some());
        self.note_odd();
    }

    /// Texts whose vectors say nothing, and why.
    fn note_odd(&mut self) {
        let Some(full) = &self.full else { return };
        for (row, length) in full.odd() {
            let words = format!("its vector has {length} numbers, the others {}", full.dimensions());
            if let Some(key) = self.aligned.get(*row as usize) {
                self.reasons.insert(*key, words.into());
            }
        }
        if full.rows() > MATRIX {
            return;
        }
        for (row, key) in self.aligned.iter().enumerate() {
            if let Some(why) = full.row(row).and_then(fault) {
                self.reasons.insert(*key, why.into());
            }
        }
    }

    /// As [`Self::mark`], but of a long list only some times a second: a run has hundreds of answers.
    pub(super) fn mark_soon(&mut self, now: Instant) {
        if self.data.texts.len() > MATRIX && self.job.is_some() {
            self.marks_due.get_or_insert(now + MARKS);
        } else {
            self.mark();
        }
    }

    /// Says of each text what is known of its vector.
    pub(super) fn mark(&mut self) {
        self.marks_due = None;
        let limit = crate::tokens::context(&self.data.key.model.line());
        let job = self.job.as_ref().filter(|job| job.is_list() && job.is_sending());
        let of = |text: &super::pane_data::TextItem| {
            if self.have.contains(&text.sent) {
                let fresh = self.fresh.contains(&text.sent);
                return if self.reasons.contains_key(&text.sent) {
                    VectorStatus::Failed
                } else if fresh {
                    VectorStatus::New
                } else {
                    VectorStatus::Cached
                };
            }
            if self.reasons.contains_key(&text.sent) {
                VectorStatus::Failed
            } else if text.tokens.zip(limit).is_some_and(|(tokens, limit)| u64::from(tokens) > limit) {
                VectorStatus::TooLong
            } else if job.is_some_and(|job| job.asks(&text.sent)) {
                VectorStatus::Waiting
            } else {
                VectorStatus::None
            }
        };
        let statuses = self.data.texts.iter().map(of).collect();
        self.data.statuses = Arc::new(statuses);
        let texts = self.data.texts.iter().enumerate();
        let failures = texts.filter_map(|(row, text)| Some((row, self.reasons.get(&text.sent)?.clone()))).collect();
        self.data.failures = Arc::new(failures);
        self.sums.version += 1;
        self.sum_missing();
    }

    /// Asks what is not known of the texts: their tokens, and whether they have vectors.
    pub(super) fn look(&mut self, cx: &mut Cx) {
        self.look_due = None;
        if !self.loaded || self.data.texts.is_empty() {
            return;
        }
        if self.imported.is_empty() {
            self.count(cx);
        }
        let known = |key: &TextKey| self.have.contains(key) || self.lack.contains(key);
        let texts = self.data.texts.iter().map(|text| text.sent);
        let unknown: Vec<TextKey> = texts.filter(|key| !known(key)).collect();
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

    /// The tokens of some texts have been counted.
    pub(super) fn counted(&mut self, model: &Untrusted, keys: &[TextKey], exact: bool, counts: &[u32], cx: &mut Cx) {
        if *model != self.data.key.model {
            return;
        }
        self.data.exact = exact;
        let counts: HashMap<TextKey, u32> = keys.iter().copied().zip(counts.iter().copied()).collect();
        for text in self.data.texts_mut() {
            text.tokens = text.tokens.or_else(|| counts.get(&text.sent).copied());
        }
        self.mark();
        self.count(cx);
    }

    /// Which texts have a vector is known.
    pub(super) fn has(&mut self, key: &VectorKey, texts: &[TextKey], has: &[bool], cx: &mut Cx) {
        if *key != self.data.key {
            return;
        }
        for (text, has) in texts.iter().zip(has) {
            if *has {
                self.have.insert(*text)
            } else {
                self.lack.insert(*text)
            };
        }
        self.mark();
        self.load(cx);
    }

    /// Texts that have a vector.
    pub(super) fn held(&self) -> usize {
        self.data.texts.iter().filter(|text| self.have.contains(&text.sent)).count()
    }

    /// Loads the vectors that are on disk and not here; of a long list it is asked first.
    pub(super) fn load(&mut self, cx: &mut Cx) {
        let rows = self.data.texts.len();
        if rows > MATRIX {
            return self.load_long(cx);
        }
        let here = |row: usize| self.full.as_ref().is_some_and(|full| full.has(row));
        let texts = self.data.texts.iter().enumerate();
        let wanted = texts.filter(|(row, text)| !here(*row) && self.have.contains(&text.sent));
        let mut wanted: Vec<TextKey> = wanted.map(|(_, text)| text.sent).collect();
        wanted.sort_unstable();
        wanted.dedup();
        wanted.retain(|key| !self.reasons.contains_key(key));
        if wanted.is_empty() {
            return;
        }
        self.loading = true;
        let (key, texts) = (self.data.key.clone(), wanted.clone().into());
        let ticket = cx.load(Query::Vectors { key: key.clone(), texts });
        self.pending.insert(ticket, Request::Vectors { key, rows: wanted });
    }

    fn load_long(&mut self, cx: &mut Cx) {
        // Those of an import are here before they are on disk.
        if self.full.is_some() {
            return;
        }
        let have = self.data.texts.iter().find(|text| self.have.contains(&text.sent)).map(|text| text.sent);
        let Some(first) = have.filter(|_| !self.loading && !self.is_busy()) else { return };
        self.loading = true;
        let texts = Arc::from([first]);
        let ticket = cx.load(Query::Vectors { key: self.data.key.clone(), texts });
        self.pending.insert(ticket, Request::Measure { stamp: self.stamp });
    }

    /// How long the vectors are is known, and with that what all of them take.
    pub(super) fn measured(&mut self, stamp: u64, dimensions: usize, cx: &mut Cx) {
        self.loading = false;
        if stamp != self.stamp {
            return;
        }
        let bytes = (self.data.texts.len() * dimensions * 4) as u64;
        self.heavy = Some(bytes);
        if bytes <= FREE || self.granted {
            return self.load_whole(cx);
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
                .dismiss('n', "not now: b loads them later"),
        );
    }

    /// Loads all vectors of a long list.
    pub(super) fn load_whole(&mut self, cx: &mut Cx) {
        (self.granted, self.loading) = (true, true);
        // The table before is let go first, by the panes too: there is room for one.
        (self.full, self.data.table) = (None, None);
        self.stop_sums(cx);
        self.panes = Panes::default();
        let texts: Arc<[TextKey]> = self.data.texts.iter().map(|text| text.sent).collect();
        let ticket = cx.load(Query::Vectors { key: self.data.key.clone(), texts });
        self.pending.insert(ticket, Request::All { stamp: self.stamp });
    }

    /// All vectors of a long list have come.
    pub(super) fn whole(&mut self, stamp: u64, table: Arc<Table>, cx: &mut Cx) {
        if stamp != self.stamp {
            return;
        }
        self.loading = false;
        self.full = Some(table);
        self.shown();
        self.mark();
        self.pump(cx);
    }

    /// Some vectors have come from the disk.
    pub(super) fn vectors(&mut self, key: &VectorKey, keys: &[TextKey], table: &Table, cx: &mut Cx) {
        if *key != self.data.key {
            return;
        }
        self.loading = false;
        let found = keys.iter().enumerate().filter_map(|(row, key)| Some((*key, table.row(row)?)));
        let odd = table.odd().iter().filter_map(|(row, length)| Some((*keys.get(*row as usize)?, *length)));
        for (key, length) in odd.collect::<Vec<_>>() {
            let words = format!("its vector has {length} numbers, the others {}", table.dimensions());
            self.reasons.insert(key, words.into());
        }
        self.set(&found.collect(), cx);
    }

    /// Puts vectors into the table.
    pub(super) fn set(&mut self, found: &HashMap<TextKey, &[f32]>, cx: &mut Cx) {
        let rows = self.data.texts.len();
        if rows > MATRIX || found.is_empty() {
            return self.mark_soon(cx.now);
        }
        self.align();
        let full = self.full.get_or_insert_with(|| Arc::new(Table::new(rows)));
        let full = Arc::make_mut(full);
        for (row, key) in self.aligned.iter().enumerate() {
            if let Some(vector) = found.get(key).filter(|_| !full.has(row)) {
                full.set(row, vector);
            }
        }
        self.shown();
        self.mark();
        self.pump(cx);
    }

    /// `b`: vectors that are on disk and were not loaded.
    pub(super) fn load_now(&mut self, cx: &mut Cx) {
        if self.data.texts.len() <= MATRIX {
            return self.load(cx);
        }
        if self.loading {
            return cx.notify(Notice::hint("the vectors are being loaded"));
        }
        match (self.full.is_some(), self.held()) {
            (true, _) => cx.notify(Notice::hint("the vectors are loaded")),
            (_, 0) => cx.notify(Notice::hint("none of these texts has a vector yet; ^R embeds them")),
            _ => self.load_whole(cx),
        }
    }
}

/// Why a vector says nothing; `None`: it says something.
pub(super) fn fault(vector: &[f32]) -> Option<&'static str> {
    if vector.iter().any(|number| number.is_nan()) {
        Some("its vector holds something that is no number (NaN)")
    } else if vector.iter().any(|number| number.is_infinite()) {
        Some("its vector holds an infinite number")
    } else if vector.iter().all(|number| *number == 0.0) {
        Some("its vector is all zeros, so it has no direction")
    } else {
        None
    }
}

/// The table with its rows from elsewhere.
pub(super) fn moved(table: &Table, from: &[Option<usize>]) -> Table {
    let mut moved = Table::new(from.len());
    for (row, from) in from.iter().enumerate() {
        if let Some(vector) = from.and_then(|from| table.row(from)) {
            moved.set(row, vector);
        }
    }
    moved
}

/// The matrix with its rows from elsewhere; what is new is not known yet.
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
