//! Vectors and what is told from them, as data. The numbers are made in [`crate::vectors`].

use std::sync::Arc;

use crate::text::Untrusted;

/// Vectors of one length, one row a text. Row-major; about 4 bytes a number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VectorTable {
    dimensions: usize,
    numbers: Vec<f32>,
    present: Vec<bool>,
    odd: Vec<(u32, u32)>,
}

impl VectorTable {
    /// A table of so many rows that are all missing yet. The length of its vectors is that of the first one set.
    pub fn new(rows: usize) -> Self {
        Self { dimensions: 0, numbers: Vec::new(), present: vec![false; rows], odd: Vec::new() }
    }

    /// A table of rows that are all there, from their numbers row after row. What is behind the last whole row is left
    /// out.
    pub fn of(dimensions: usize, mut numbers: Vec<f32>) -> Self {
        let rows = numbers.len().checked_div(dimensions).unwrap_or(0);
        numbers.truncate(rows * dimensions);
        Self { dimensions, numbers, present: vec![true; rows], odd: Vec::new() }
    }

    /// Makes room for so many vectors of so many numbers, so that none is moved while they come.
    pub fn reserve(&mut self, rows: usize, dimensions: usize) {
        self.present.reserve_exact(rows);
        self.numbers.reserve_exact(rows.saturating_mul(dimensions));
    }

    /// Adds a row at the end; `None`: a missing one. Whether it was added: a vector of another length than the first is
    /// not.
    pub fn push(&mut self, vector: Option<&[f32]>) -> bool {
        match vector.filter(|vector| !vector.is_empty()) {
            None => self.numbers.resize(self.numbers.len() + self.dimensions, 0.0),
            Some(vector) => {
                if self.dimensions == 0 {
                    self.dimensions = vector.len();
                    self.numbers.resize(vector.len() * self.present.len(), 0.0);
                }
                if vector.len() != self.dimensions {
                    return false;
                }
                self.numbers.extend_from_slice(vector);
            }
        }
        self.present.push(vector.is_some_and(|vector| !vector.is_empty()));
        true
    }

    /// Puts a vector into a row (0-based, below [`Self::rows`]). One of another length than the first is not kept but
    /// remembered in [`Self::odd`].
    pub fn set(&mut self, row: usize, vector: &[f32]) {
        if row >= self.present.len() || vector.is_empty() {
            return;
        }
        if self.dimensions == 0 {
            self.dimensions = vector.len();
            self.numbers = vec![0.0; vector.len() * self.present.len()];
        }
        if vector.len() != self.dimensions {
            self.odd.push((row as u32, vector.len() as u32));
            return;
        }
        self.numbers[row * self.dimensions..][..self.dimensions].copy_from_slice(vector);
        self.present[row] = true;
    }

    /// Rows, those that are missing among them.
    pub fn rows(&self) -> usize {
        self.present.len()
    }

    /// Numbers in each vector; 0: no vector is there yet.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// A row's vector; `None`: it is missing.
    pub fn row(&self, row: usize) -> Option<&[f32]> {
        self.present.get(row)?.then(|| &self.numbers[row * self.dimensions..][..self.dimensions])
    }

    /// Whether a row is there.
    pub fn has(&self, row: usize) -> bool {
        self.present.get(row).is_some_and(|present| *present)
    }

    /// How many rows are there.
    pub fn present(&self) -> usize {
        self.present.iter().filter(|present| **present).count()
    }

    /// All numbers, row after row; those of missing rows are zero.
    pub fn numbers(&self) -> &[f32] {
        &self.numbers
    }

    /// Rows whose vectors had another length than the first one, with that length.
    pub fn odd(&self) -> &[(u32, u32)] {
        &self.odd
    }
}

/// A computation over vectors, for the work threads.
#[derive(Clone, Debug, PartialEq)]
pub enum VectorTask {
    /// All similarities, at most [`MATRIX`] rows.
    Matrix(Arc<VectorTable>),
    /// The map by principal components.
    Map(Arc<VectorTable>),
    /// The map by t-SNE, at most [`TSNE`] rows. Says on the way how far it is.
    Tsne(Arc<VectorTable>),
    /// The rows nearest to a vector.
    Nearest {
        /// Among these.
        table: Arc<VectorTable>,
        /// The vector.
        to: Arc<[f32]>,
        /// How many at most.
        most: usize,
    },
    /// Pairs at least so similar, the most similar first. Says on the way how far it is.
    Pairs {
        /// Among these.
        table: Arc<VectorTable>,
        /// Smallest cosine.
        above: f32,
        /// How many at most are named.
        most: usize,
    },
    /// How far two tables of the same texts agree, at most [`MATRIX`] rows.
    Compare(Arc<VectorTable>, Arc<VectorTable>),
    /// How often the nearest of a row have its label.
    Alike {
        /// Among these.
        table: Arc<VectorTable>,
        /// Each row's label; `None`: it has none.
        labels: Arc<[Option<u32>]>,
        /// How many nearest of each row are looked at.
        most: usize,
    },
    /// Clusters of rows that point the same way, each named by the words that tell its texts from the others.
    Clusters {
        /// Among these.
        table: Arc<VectorTable>,
        /// Each row's text.
        texts: Arc<[Untrusted]>,
    },
    /// What the vectors are like.
    Hygiene {
        /// Of these.
        table: Arc<VectorTable>,
        /// Numbers a vector should have; `None`: nobody knows.
        expected: Option<u32>,
    },
    /// The first numbers of each vector, brought to length 1 again.
    Cut {
        /// Of these.
        table: Arc<VectorTable>,
        /// How many numbers.
        dimensions: usize,
    },
}

/// Rows of a table of which all similarities are told.
pub const MATRIX: usize = 2_000;

/// Rows of a table that t-SNE lays out.
pub const TSNE: usize = 20_000;

/// What a [`VectorTask`] gave.
#[derive(Clone, Debug, PartialEq)]
pub enum Figures {
    /// To `Matrix`.
    Matrix(Arc<Matrix>),
    /// To `Map` and `Tsne`.
    Map(Arc<Map>),
    /// To `Nearest`: row, cosine; nearest first. Rows without a direction (missing, zero, not a number) are left out.
    Nearest(Vec<(u32, f32)>),
    /// To `Pairs`.
    Pairs(Pairs),
    /// To `Compare`.
    Agreement(Agreement),
    /// To `Alike`.
    Alike(Alike),
    /// To `Clusters`.
    Clusters(Clusters),
    /// To `Hygiene`.
    Hygiene(Hygiene),
    /// To `Cut`.
    Cut(Arc<VectorTable>),
}

/// All similarities of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    /// Rows, and columns.
    pub rows: usize,
    /// Cosines, row after row, −1 to 1; not a number where one of the two has no direction.
    pub cosines: Vec<f32>,
    /// Length of each vector; not a number where it is missing.
    pub norms: Vec<f32>,
    /// The rows ordered by single-link clusters.
    pub order: Vec<u32>,
}

impl Matrix {
    /// The cosine of two rows; `None`: one of them has no direction.
    pub fn cosine(&self, row: usize, column: usize) -> Option<f32> {
        let cosine = *self.cosines.get(row * self.rows + column)?;
        (row < self.rows && column < self.rows && !cosine.is_nan()).then_some(cosine)
    }
}

/// Vectors in a plane.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map {
    /// A place for each row; `None`: it has no vector, or one with something that is no number.
    pub points: Vec<Option<[f32; 2]>>,
    /// The share of the variance that each axis shows, 0 to 1; not numbers where the axes are no principal components.
    pub share: [f32; 2],
}

/// Similar pairs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pairs {
    /// Row, a later row, cosine; most similar first.
    pub pairs: Vec<(u32, u32, f32)>,
    /// How many there are, also those that are not named.
    pub total: u64,
}

/// How far two tables of the same texts agree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Agreement {
    /// Rows that both have.
    pub rows: usize,
    /// Spearman's rank correlation of all pairs' cosines, −1 to 1; not a number with fewer than 3 rows.
    pub spearman: f64,
    /// For some k: the share of a row's k nearest that both name, the mean over all rows.
    pub overlap: Vec<(usize, f64)>,
    /// The pairs whose rank moved most: at most 100.
    pub moved: Vec<Moved>,
}

/// A pair in both tables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// The rows, the smaller one first.
    pub pair: (u32, u32),
    /// Its cosine in the first and in the second table.
    pub cosine: (f32, f32),
    /// Its rank in the first and in the second table, 1: most similar.
    pub rank: (u32, u32),
}

/// How often the nearest of a row have its label.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alike {
    /// How many nearest of each row were looked at.
    pub most: usize,
    /// For each label: nearest rows with the same label, and nearest rows in all.
    pub labels: Vec<(u64, u64)>,
    /// Rows whose nearest were looked at.
    pub rows: usize,
    /// Rows with a label and a direction; more than `rows` where a sample was taken.
    pub of: usize,
}

/// Clusters of rows, largest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clusters {
    /// Each row's cluster; `None`: it has no direction, or there are no clusters.
    pub of: Vec<Option<u32>>,
    /// Each cluster's name; empty: no word tells it from the others.
    pub names: Vec<Untrusted>,
}

/// What vectors are like.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hygiene {
    /// Rows that are there.
    pub rows: usize,
    /// Rows that are missing.
    pub missing: usize,
    /// Numbers in each.
    pub dimensions: usize,
    /// Smallest, mean and largest length.
    pub norm: [f32; 3],
    /// Whether all have length 1, to a thousandth.
    pub normalised: bool,
    /// The share of numbers that are none (NaN), 0 to 1, and the rows that hold one: at most 100.
    pub nan: (f64, Vec<u32>),
    /// The share of numbers that are infinite, 0 to 1, and the rows that hold one: at most 100.
    pub infinite: (f64, Vec<u32>),
    /// The share of numbers that are zero, 0 to 1, and the rows that are nothing else: at most 100.
    pub zero: (f64, Vec<u32>),
    /// Numbers at the end that are zero in every row.
    pub padding: usize,
    /// Rows that are the same as an earlier one, to the bit.
    pub repeated: usize,
    /// Rows with another length: row, numbers.
    pub odd: Vec<(u32, u32)>,
    /// Whether they have a quarter of the numbers they should have: floats that were read as base64.
    pub quarter: bool,
}
