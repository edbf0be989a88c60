//! Computations on vectors of texts: similarities, neighbours, maps, agreement of two models, and defects.
//!
//! Pure functions from tables to results. Long ones take a closure that receives the progress and returns whether to
//! continue. All use the threads of the rayon pool they are called in, and return the same to the bit for any number of
//! threads, except t-SNE.
//!
//! A row has a direction if it is present, all its numbers are finite and one of them is not zero. Cosines exist only
//! between such rows; they are clamped to −1 … 1.

mod agreement;
mod alike;
mod clusters;
mod cut;
mod hygiene;
mod keywords;
mod kmeans;
mod map;
mod matrix;
mod nearest;
mod order;
mod pairs;
mod refusal;
mod row;
mod stop_words;
mod symmetric;
mod top;
mod tsne;

pub use self::agreement::compare;
pub use self::alike::alike;
pub use self::clusters::clusters;
pub use self::cut::cut;
pub use self::hygiene::hygiene;
pub use self::map::map;
pub use self::matrix::{matrix, similarities};
pub use self::nearest::nearest;
pub use self::order::order;
pub use self::pairs::pairs;
pub use self::refusal::{ProgressFn, Refusal};
pub use self::row::{Between, between};
pub use self::tsne::tsne;

use std::sync::Arc;

use crate::record::vectors::{Figures, VectorTask};

/// Computes what is asked for of a table.
///
/// # Errors
/// See [`Refusal`].
pub fn figures(sum: &VectorTask, go: ProgressFn<'_>) -> Result<Figures, Refusal> {
    Ok(match sum {
        VectorTask::Matrix(table) => Figures::Matrix(Arc::new(matrix(table, go)?)),
        VectorTask::Map(table) => Figures::Map(Arc::new(map(table, go)?)),
        VectorTask::Tsne(table) => Figures::Map(Arc::new(tsne(table, go)?)),
        VectorTask::Nearest { table, to, most } => Figures::Nearest(nearest(table, to, *most)?),
        VectorTask::Pairs { table, above, most } => Figures::Pairs(pairs(table, *above, *most, go)?),
        VectorTask::Compare(first, second) => Figures::Agreement(compare(first, second, go)?),
        VectorTask::Alike { table, labels, most } => Figures::Alike(alike(table, labels, *most, go)?),
        VectorTask::Clusters { table, texts } => Figures::Clusters(clusters(table, texts, go)?),
        VectorTask::Hygiene { table, expected } => Figures::Hygiene(hygiene(table, *expected)),
        VectorTask::Cut { table, dimensions } => Figures::Cut(Arc::new(cut(table, *dimensions)?)),
    })
}

#[cfg(test)]
mod tests;
