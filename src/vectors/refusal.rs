//! Why a computation is refused, and how one is stopped.

use crate::record::vectors::{MATRIX, TSNE, VectorTable};

/// Called with progress (done, total), from several threads; returns whether to continue.
pub type ProgressFn<'a> = &'a (dyn Fn(u64, u64) -> bool + Sync);

/// Why a computation was not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The progress function returned false.
    #[error("stopped")]
    Stopped,
    /// More rows than a matrix of all similarities may have.
    #[error("{0} texts are too many to compare each with each; choose {MATRIX} or fewer")]
    Rows(usize),
    /// More rows than t-SNE handles.
    #[error("{0} texts are too many for t-SNE; choose {TSNE} or fewer")]
    Plane(usize),
    /// A vector or a table of another length.
    #[error("the vectors have {0} numbers and the other has {1}; embed it with the same model and length")]
    Lengths(usize, usize),
    /// Tables of different texts.
    #[error("one table has {0} rows and the other {1}; compare vectors of the same texts")]
    Texts(usize, usize),
    /// More numbers asked for than there are, or none.
    #[error("vectors of {0} numbers cannot be cut to {1}; choose from 1 to {0}")]
    Cut(usize, usize),
}

/// Reports progress; fails with [`Refusal::Stopped`] if the computation is to stop.
pub(super) fn check(go: ProgressFn<'_>, done: u64, total: u64) -> Result<(), Refusal> {
    if go(done, total) { Ok(()) } else { Err(Refusal::Stopped) }
}

/// Fails with [`Refusal::Rows`] for a table too large for a matrix of all similarities.
pub(super) fn bounded(table: &VectorTable) -> Result<(), Refusal> {
    if table.rows() > MATRIX { Err(Refusal::Rows(table.rows())) } else { Ok(()) }
}
