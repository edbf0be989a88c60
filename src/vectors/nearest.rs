//! The rows nearest to a vector: one pass over the table.

use rayon::prelude::*;

use super::refusal::Refusal;
use super::row;
use super::top::{ScoredPair, Top};
use crate::record::vectors::VectorTable;

/// Rows a thread takes at once.
const ROWS: usize = 512;

/// Returns the `most` rows with the largest cosine to a vector, nearest first; of equal ones the earlier first. Rows
/// without a direction are left out; none are returned for a vector without one.
///
/// # Errors
/// [`Refusal::Lengths`].
pub fn nearest(table: &VectorTable, to: &[f32], most: usize) -> Result<Vec<(u32, f32)>, Refusal> {
    if table.dimensions() == 0 {
        return Ok(Vec::new());
    }
    if table.dimensions() != to.len() {
        return Err(Refusal::Lengths(table.dimensions(), to.len()));
    }
    let norm = row::norm(to);
    if !row::points(norm) {
        return Ok(Vec::new());
    }
    let mut unit = vec![0.0; to.len()];
    row::unit(to, norm, &mut unit);
    let top = (0..table.rows().div_ceil(ROWS))
        .into_par_iter()
        .fold(
            || Top::new(most),
            |mut top, chunk| {
                for row in chunk * ROWS..((chunk + 1) * ROWS).min(table.rows()) {
                    if let Some(cosine) = table.row(row).and_then(|vector| row::cosine(vector, &unit)) {
                        top.push(ScoredPair { cosine, rows: (row as u32, 0) });
                    }
                }
                top
            },
        )
        .reduce(|| Top::new(most), Top::merged);
    Ok(top.sorted().into_iter().map(|scored| (scored.rows.0, scored.cosine)).collect())
}
