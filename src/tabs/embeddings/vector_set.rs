//! The vectors of the list: which texts have one, which failed, and the table of those that are loaded.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use super::pane_data::VectorStatus;
use super::transfer::VectorImport;
use crate::record::vectors::{MATRIX, Matrix};
use crate::record::{TextKey, VectorKey, VectorTable};
use crate::text::Untrusted;

/// What is asked about the texts of a list.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum VectorRequest {
    /// Which of these texts have a vector.
    Has { key: VectorKey, texts: Arc<[TextKey]> },
    /// One vector, to know how long they are.
    Measure { version: u64 },
    /// The vectors of these texts.
    Vectors { key: VectorKey, rows: Vec<TextKey> },
    /// All vectors of a long list.
    All { version: u64 },
    /// Tokens of these texts.
    Count { model: Untrusted, texts: Vec<TextKey> },
}

/// The vectors of the list. No text is both present and absent, and the rows of the table are those of `aligned`.
#[derive(Debug, Default)]
pub(super) struct VectorSet {
    /// Counts changes of the texts and of what they are embedded with: replies to older questions are dropped.
    pub(super) version: u64,
    /// Texts as the table and the matrix have them.
    pub(super) aligned: Vec<TextKey>,
    /// The vectors that are loaded, whole; what is read may be a cut of it.
    pub(super) full: Option<Arc<VectorTable>>,
    /// Texts that have a vector on disk.
    pub(super) present: HashSet<TextKey>,
    /// Texts that have none.
    absent: HashSet<TextKey>,
    /// The texts whose vectors arrived while the list was open.
    new: HashSet<TextKey>,
    /// Why texts have no vector that says something.
    pub(super) failures: HashMap<TextKey, Untrusted>,
    /// Since when the statuses of a long list are old; they are rebuilt some times a second.
    pub(super) statuses_due: Option<Instant>,
    /// Whether the statuses are old and are rebuilt at once.
    pub(super) statuses_outdated: bool,
    /// What all vectors of the list would take, in bytes, where that has to be asked first.
    pub(super) confirm_bytes: Option<u64>,
    /// Whether all of it may be loaded.
    pub(super) confirmed: bool,
    pub(super) loading: bool,
    /// Vectors of a file until they are on disk.
    pub(super) importing: Option<VectorImport>,
}

impl VectorSet {
    /// Forgets all vectors and all that is known of them; an import continues.
    pub(super) fn clear(&mut self) {
        let aligned = std::mem::take(&mut self.aligned);
        let importing = self.importing.take();
        *self = Self { version: self.version + 1, aligned, importing, ..Self::default() };
    }

    /// Returns whether it is known if a text has a vector.
    pub(super) fn is_known(&self, key: &TextKey) -> bool {
        self.present.contains(key) || self.absent.contains(key)
    }

    /// Returns what is known of a text's vector.
    pub(super) fn status(&self, key: &TextKey) -> VectorStatus {
        match self.present.contains(key) {
            _ if self.failures.contains_key(key) => VectorStatus::Failed,
            true if self.new.contains(key) => VectorStatus::New,
            true => VectorStatus::Cached,
            false => VectorStatus::None,
        }
    }

    /// Notes which texts have a vector on disk.
    pub(super) fn found(&mut self, found: impl IntoIterator<Item = (TextKey, bool)>) {
        for (key, has) in found {
            if has {
                self.present.insert(key)
            } else {
                self.absent.insert(key)
            };
        }
    }

    /// Notes that a run has brought vectors of these texts.
    pub(super) fn saved(&mut self, keys: impl IntoIterator<Item = TextKey>) {
        for key in keys {
            self.present.insert(key);
            self.new.insert(key);
            self.absent.remove(&key);
        }
    }

    /// Puts the vectors into the order of other texts. Of a long list nothing stays. Returns from where each row came;
    /// `None`: the texts are the same.
    pub(super) fn align(&mut self, keys: Vec<TextKey>) -> Option<Vec<Option<usize>>> {
        if keys == self.aligned {
            return None;
        }
        self.version += 1;
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
        self.aligned = keys;
        Some(from)
    }

    /// Puts vectors into the table where it has none.
    pub(super) fn insert(&mut self, found: &HashMap<TextKey, &[f32]>) {
        let full = self.full.get_or_insert_with(|| Arc::new(VectorTable::new(self.aligned.len())));
        let full = Arc::make_mut(full);
        for (row, key) in self.aligned.iter().enumerate() {
            if let Some(vector) = found.get(key).filter(|_| !full.has(row)) {
                full.set(row, vector);
            }
        }
    }

    /// Notes which loaded vectors say nothing, and why.
    pub(super) fn note_faults(&mut self) {
        let Some(full) = &self.full else { return };
        for (row, length) in full.odd() {
            let words = format!("its vector has {length} numbers, the others {}", full.dimensions());
            if let Some(key) = self.aligned.get(*row as usize) {
                self.failures.insert(*key, words.into());
            }
        }
        if full.rows() > MATRIX {
            return;
        }
        for (row, key) in self.aligned.iter().enumerate() {
            if let Some(why) = full.row(row).and_then(fault) {
                self.failures.insert(*key, why.into());
            }
        }
    }

    /// Removes vectors that say nothing, or have another length than most, and returns their texts.
    pub(super) fn remove_faulty(&mut self) -> HashSet<TextKey> {
        let mut faulty = HashSet::new();
        let Some(full) = self.full.clone() else { return faulty };
        let most = full.odd().len() <= full.present();
        let odd: HashSet<usize> = full.odd().iter().map(|(row, _)| *row as usize).collect();
        let short = full.rows() <= MATRIX;
        for (row, key) in self.aligned.iter().enumerate() {
            let other = if most { odd.contains(&row) } else { full.has(row) };
            if other || (short && full.row(row).and_then(fault).is_some()) {
                faulty.insert(*key);
            }
        }
        self.present.retain(|key| !faulty.contains(key));
        self.new.retain(|key| !faulty.contains(key));
        if short && !faulty.is_empty() {
            let stays = |(row, key): (usize, &TextKey)| Some(row).filter(|_| !faulty.contains(key));
            let from: Vec<Option<usize>> = self.aligned.iter().enumerate().map(stays).collect();
            self.full = Some(Arc::new(moved(&full, &from)));
        }
        faulty
    }
}

/// Returns why a vector says nothing; `None`: it says something.
pub(super) fn fault(vector: &[f32]) -> Option<&'static str> {
    if vector.iter().any(|number| number.is_nan()) {
        Some("its vector contains something that is not a number (NaN)")
    } else if vector.iter().any(|number| number.is_infinite()) {
        Some("its vector contains an infinite number")
    } else if vector.iter().all(|number| *number == 0.0) {
        Some("its vector is all zeros, so it has no direction")
    } else {
        None
    }
}

/// Returns the table with its rows from elsewhere.
pub(super) fn moved(table: &VectorTable, from: &[Option<usize>]) -> VectorTable {
    let mut moved = VectorTable::new(from.len());
    for (row, from) in from.iter().enumerate() {
        if let Some(vector) = from.and_then(|from| table.row(from)) {
            moved.set(row, vector);
        }
    }
    moved
}

/// Returns the matrix with its rows from elsewhere; what is new is not known yet.
pub(super) fn reordered(matrix: &Matrix, from: &[Option<usize>]) -> Matrix {
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
