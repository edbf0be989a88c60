//! Vectors of texts: similarities, neighbours, maps, agreement of two models, and whether they are what they should be.
//!
//! Pure: tables in, figures out. What is long takes a closure that hears how far it is and says whether to go on. All of it
//! uses the threads of the rayon pool it is called in, and gives the same to the bit however many those are.
//!
//! A row has a direction where it is there, all its numbers are finite and one of them is not zero. Cosines are told only
//! between rows that have one; they are clamped to −1 … 1.

mod agreement;
mod alike;
mod cut;
mod hygiene;
mod map;
mod matrix;
mod nearest;
mod order;
mod pairs;
mod row;
mod symmetric;
mod top;

pub use self::agreement::compare;
pub use self::alike::alike;
pub use self::cut::cut;
pub use self::hygiene::hygiene;
pub use self::map::map;
pub use self::matrix::{matrix, similarities};
pub use self::nearest::nearest;
pub use self::order::order;
pub use self::pairs::pairs;
pub use self::row::{Between, between};

use std::sync::Arc;

use crate::record::vectors::{Figures, MATRIX, Sum, Table};

/// Hears how far something is (done, total) and says whether to go on. Called from several threads.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) -> bool + Sync);

/// Why a sum was not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The closure said so.
    #[error("stopped")]
    Stopped,
    /// More rows than all similarities are told of.
    #[error("{0} texts are too many to compare each with each; choose {MATRIX} or fewer")]
    Rows(usize),
    /// A vector, or a table, of another length.
    #[error("the vectors have {0} numbers and the other has {1}; embed it with the same model and length")]
    Lengths(usize, usize),
    /// Tables of different texts.
    #[error("one table has {0} rows and the other {1}; compare vectors of the same texts")]
    Texts(usize, usize),
    /// More numbers than there are, or none.
    #[error("vectors of {0} numbers cannot be cut to {1}; choose from 1 to {0}")]
    Cut(usize, usize),
}

/// Does a sum.
///
/// # Errors
/// See [`Refusal`].
pub fn figures(sum: &Sum, go: Progress<'_>) -> Result<Figures, Refusal> {
    Ok(match sum {
        Sum::Matrix(table) => Figures::Matrix(Arc::new(matrix(table, go)?)),
        Sum::Map(table) => Figures::Map(Arc::new(map(table, go)?)),
        Sum::Nearest { table, to, most } => Figures::Nearest(nearest(table, to, *most)?),
        Sum::Pairs { table, above, most } => Figures::Pairs(pairs(table, *above, *most, go)?),
        Sum::Compare(first, second) => Figures::Agreement(compare(first, second, go)?),
        Sum::Alike { table, labels, most } => Figures::Alike(alike(table, labels, *most, go)?),
        Sum::Hygiene { table, expected } => Figures::Hygiene(hygiene(table, *expected)),
        Sum::Cut { table, dimensions } => Figures::Cut(Arc::new(cut(table, *dimensions)?)),
    })
}

/// Goes on, or says that it was stopped.
fn check(go: Progress<'_>, done: u64, total: u64) -> Result<(), Refusal> {
    if go(done, total) { Ok(()) } else { Err(Refusal::Stopped) }
}

/// Refuses a table of which not all similarities are told.
fn bounded(table: &Table) -> Result<(), Refusal> {
    if table.rows() > MATRIX { Err(Refusal::Rows(table.rows())) } else { Ok(()) }
}

#[cfg(test)]
mod tests;
