//! Fewer numbers of each vector.

use super::refusal::Refusal;
use super::row;
use crate::record::vectors::VectorTable;

/// The first `dimensions` numbers of each vector, brought to length 1 again. What has no direction then stays as it is
/// cut. Needs memory for the new table beside the old one.
///
/// # Errors
/// [`Refusal::Cut`] where there are fewer, or none are asked for.
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
