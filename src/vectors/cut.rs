//! Vectors shortened to their first numbers.

use super::refusal::Refusal;
use super::row;
use crate::record::vectors::VectorTable;

/// Keeps the first `dimensions` numbers of each vector and normalises it to length 1. A row that has no direction after
/// that stays unnormalised. Needs memory for the new table beside the old one.
///
/// # Errors
/// [`Refusal::Cut`] if the vectors are shorter, or `dimensions` is 0.
pub fn cut(table: &VectorTable, dimensions: usize) -> Result<VectorTable, Refusal> {
    if table.dimensions() == 0 {
        return Ok(table.clone());
    }
    if dimensions == 0 || dimensions > table.dimensions() {
        return Err(Refusal::Cut(table.dimensions(), dimensions));
    }
    let mut shorter = VectorTable::new(table.rows());
    let mut unit = vec![0.0; dimensions];
    for (at, vector) in (0..table.rows()).filter_map(|at| table.row(at).map(|vector| (at, &vector[..dimensions]))) {
        let norm = row::norm(vector);
        if row::points(norm) {
            row::unit(vector, norm, &mut unit);
            shorter.set(at, &unit);
        } else {
            shorter.set(at, vector);
        }
    }
    Ok(shorter)
}
