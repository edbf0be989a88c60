//! Vectors and what is computed from them, as data. The computations are in [`crate::vectors`].

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
    /// Returns a table of `rows` rows that are all missing yet. The first vector that is set determines the length.
    pub fn new(rows: usize) -> Self {
        Self { dimensions: 0, numbers: Vec::new(), present: vec![false; rows], odd: Vec::new() }
    }

    /// Returns a table of rows that are all there, from their numbers row after row. Numbers after the last whole row
    /// are dropped.
    pub fn of(dimensions: usize, mut numbers: Vec<f32>) -> Self {
        let rows = numbers.len().checked_div(dimensions).unwrap_or(0);
        numbers.truncate(rows * dimensions);
        Self { dimensions, numbers, present: vec![true; rows], odd: Vec::new() }
    }

    /// Reserves memory for so many vectors of so many numbers, so that adding them does not move the others.
    pub fn reserve(&mut self, rows: usize, dimensions: usize) {
        self.present.reserve_exact(rows);
        self.numbers.reserve_exact(rows.saturating_mul(dimensions));
    }

    /// Appends a row; `None`: a missing one. Returns false for a vector of another length than the first, which is not
    /// added.
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

    /// Sets the vector of a row (0-based, below [`Self::rows`]). One of another length than the first is not stored but
    /// listed in [`Self::odd`].
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

    /// Returns the number of rows, missing ones included.
    pub fn rows(&self) -> usize {
        self.present.len()
    }

    /// Returns the length of the vectors; 0: there is none yet.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Returns a row's vector; `None` if it is missing.
    pub fn row(&self, row: usize) -> Option<&[f32]> {
        self.present.get(row)?.then(|| &self.numbers[row * self.dimensions..][..self.dimensions])
    }

    /// Returns whether a row is there.
    pub fn has(&self, row: usize) -> bool {
        self.present.get(row).is_some_and(|present| *present)
    }

    /// Returns how many rows are there.
    pub fn present(&self) -> usize {
        self.present.iter().filter(|present| **present).count()
    }

    /// Returns all numbers, row after row; those of missing rows are zero.
    pub fn numbers(&self) -> &[f32] {
        &self.numbers
    }

    /// Returns the rows whose vectors had another length than the first one, with that length.
    pub fn odd(&self) -> &[(u32, u32)] {
        &self.odd
    }
}

/// A computation over vectors, for the work threads.
#[derive(Clone, Debug, PartialEq)]
pub enum VectorTask {
    /// All similarities, for at most [`MATRIX`] rows.
    Matrix(Arc<VectorTable>),
    /// The map by principal components.
    Map(Arc<VectorTable>),
    /// The map by t-SNE, for at most [`TSNE`] rows. Reports progress.
    Tsne(Arc<VectorTable>),
    /// The rows nearest to a vector.
    Nearest {
        /// The table that is searched.
        table: Arc<VectorTable>,
        /// The vector.
        to: Arc<[f32]>,
        /// Number of rows at most.
        most: usize,
    },
    /// Pairs at least so similar, the most similar first. Reports progress.
    Pairs {
        /// The table that is searched.
        table: Arc<VectorTable>,
        /// Smallest cosine.
        above: f32,
        /// Pairs that are listed at most.
        most: usize,
    },
    /// How far two tables of the same texts agree, at most [`MATRIX`] rows.
    Compare(Arc<VectorTable>, Arc<VectorTable>),
    /// How often the nearest of a row have its label.
    Alike {
        /// The table.
        table: Arc<VectorTable>,
        /// Each row's label; `None`: it has none.
        labels: Arc<[Option<u32>]>,
        /// How many nearest of each row are compared.
        most: usize,
    },
    /// Clusters of rows that point the same way, each named by the words that distinguish its texts.
    Clusters {
        /// The table.
        table: Arc<VectorTable>,
        /// The text of each row.
        texts: Arc<[Untrusted]>,
    },
    /// Statistics and defects of the vectors.
    Hygiene {
        /// The table.
        table: Arc<VectorTable>,
        /// Numbers a vector should have; `None`: unknown.
        expected: Option<u32>,
    },
    /// The first numbers of each vector, normalised to length 1 again.
    Cut {
        /// The table.
        table: Arc<VectorTable>,
        /// Numbers to keep.
        dimensions: usize,
    },
}

/// Rows of the largest table whose similarities are all computed.
pub const MATRIX: usize = 2_000;

/// Rows of the largest table that t-SNE lays out.
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
    /// Cosines, row after row, −1 to 1; NaN where one of the two has no direction.
    pub cosines: Vec<f32>,
    /// Length of each vector; NaN where it is missing.
    pub norms: Vec<f32>,
    /// The rows ordered by single-link clusters.
    pub order: Vec<u32>,
}

impl Matrix {
    /// Returns the cosine of two rows; `None` if one of them has no direction or is out of range.
    pub fn cosine(&self, row: usize, column: usize) -> Option<f32> {
        let cosine = *self.cosines.get(row * self.rows + column)?;
        (row < self.rows && column < self.rows && !cosine.is_nan()).then_some(cosine)
    }
}

/// Vectors in a plane.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map {
    /// A point for each row; `None`: the row has no vector, or one that holds NaN or infinity.
    pub points: Vec<Option<[f32; 2]>>,
    /// The share of the variance that each axis explains, 0 to 1; NaN where the axes are no principal components.
    pub share: [f32; 2],
}

/// Similar pairs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pairs {
    /// Row, a later row, cosine; most similar first.
    pub pairs: Vec<(u32, u32, f32)>,
    /// Number of pairs, including those that are not listed.
    pub total: u64,
}

/// How far two tables of the same texts agree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Agreement {
    /// Rows that both have.
    pub rows: usize,
    /// Spearman's rank correlation of all pairs' cosines, −1 to 1; NaN with fewer than 3 rows.
    pub spearman: f64,
    /// For some k: the share of a row's k nearest rows that both tables have in common, averaged over all rows.
    pub overlap: Vec<(usize, f64)>,
    /// The pairs whose rank differs most: at most 100.
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
    /// Number of nearest rows that were compared for each row.
    pub most: usize,
    /// For each label: nearest rows with the same label, and how many there can be.
    pub labels: Vec<(u64, u64)>,
    /// Rows whose nearest rows were compared.
    pub rows: usize,
    /// Rows with a label and a direction; more than `rows` where a sample was taken.
    pub of: usize,
}

/// Clusters of rows, largest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clusters {
    /// Each row's cluster; `None`: it has no direction, or there are no clusters.
    pub of: Vec<Option<u32>>,
    /// Each cluster's name; empty: no word distinguishes it from the others.
    pub names: Vec<Untrusted>,
}

/// Statistics and defects of vectors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hygiene {
    /// Rows with a vector.
    pub rows: usize,
    /// Rows without a vector.
    pub missing: usize,
    /// Numbers in each.
    pub dimensions: usize,
    /// Smallest, mean and largest length.
    pub norm: [f32; 3],
    /// Whether all have length 1, to a thousandth.
    pub normalised: bool,
    /// The share of numbers that are NaN, 0 to 1, and the rows that hold one: at most 100.
    pub nan: (f64, Vec<u32>),
    /// The share of numbers that are infinite, 0 to 1, and the rows that hold one: at most 100.
    pub infinite: (f64, Vec<u32>),
    /// The share of numbers that are zero, 0 to 1, and the rows that hold nothing else: at most 100.
    pub zero: (f64, Vec<u32>),
    /// Numbers at the end that are zero in every row.
    pub padding: usize,
    /// Rows that are the same as an earlier one, to the bit.
    pub repeated: usize,
    /// Rows with another length: row, numbers.
    pub odd: Vec<(u32, u32)>,
    /// Whether they have a quarter of the expected numbers: floats that were read as base64.
    pub quarter: bool,
}
