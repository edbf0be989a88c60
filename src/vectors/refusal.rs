//! Why a sum is not done, and what stops one.

use crate::record::vectors::{MATRIX, TSNE, VectorTable};

/// Hears how far something is (done, total) and says whether to go on. Called from several threads.
pub type ProgressFn<'a> = &'a (dyn Fn(u64, u64) -> bool + Sync);

/// Why a sum was not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The closure said so.
    #[error("stopped")]
    Stopped,
    /// More rows than all similarities are told of.
    #[error("{0} texts are too many to compare each with each; choose {MATRIX} or fewer")]
    Rows(usize),
    /// More rows than t-SNE lays out.
    #[error("{0} texts are too many for t-SNE; choose {TSNE} or fewer")]
    Plane(usize),
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

/// Goes on, or says that it was stopped.
pub(super) fn check(go: ProgressFn<'_>, done: u64, total: u64) -> Result<(), Refusal> {
    if go(done, total) { Ok(()) } else { Err(Refusal::Stopped) }
}

/// Refuses a table of which not all similarities are told.
pub(super) fn bounded(table: &VectorTable) -> Result<(), Refusal> {
    if table.rows() > MATRIX { Err(Refusal::Rows(table.rows())) } else { Ok(()) }
}
