//! All similarities of a table: its upper half by blocked matrix products; the lower half is copied from it.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2, Axis, Slice};
use rayon::prelude::*;

use super::refusal::{ProgressFn, Refusal, bounded, check};
use super::{order, row};
use crate::record::vectors::{Matrix, VectorTable};

/// Rows of a block.
const BAND: usize = 128;

/// Computes the cosines of each row with each, and the order of the rows by single-link clusters.
///
/// # Errors
/// [`Refusal::Rows`] above [`crate::record::vectors::MATRIX`] rows, [`Refusal::Stopped`].
pub fn matrix(table: &VectorTable, go: ProgressFn<'_>) -> Result<Matrix, Refusal> {
    bounded(table)?;
    check(go, 0, 2)?;
    let norms = row::norms(table);
    let cosines = cosines(table, &norms);
    check(go, 1, 2)?;
    let order = order(table.rows(), &cosines);
    let norms = norms.into_iter().map(|norm| norm as f32).collect();
    Ok(Matrix { rows: table.rows(), cosines, norms, order })
}

/// Computes the cosines of each row with each, row after row, as they are in a [`Matrix`]. Memory grows with the square
/// of the rows, so it is for few of them.
pub fn similarities(table: &VectorTable) -> Vec<f32> {
    cosines(table, &row::norms(table))
}

/// Computes all cosines, row after row; NaN where one of the two rows has no direction, else exactly 1 of a row with
/// itself.
pub(super) fn cosines(table: &VectorTable, norms: &[f64]) -> Vec<f32> {
    let (rows, length) = (table.rows(), table.dimensions());
    let mut all = vec![f32::NAN; rows * rows];
    if length == 0 {
        return all;
    }
    let mut units = Array2::<f32>::zeros((rows, length));
    units.as_slice_mut().expect("it was made row after row").par_chunks_mut(length).enumerate().for_each(
        |(at, unit)| {
            if let Some(vector) = table.row(at).filter(|_| row::points(norms[at])) {
                row::unit(vector, norms[at], unit);
            }
        },
    );
    let bands: Vec<Array2<f32>> =
        (0..rows.div_ceil(BAND)).into_par_iter().map(|band| product(&units.view(), band * BAND)).collect();
    all.par_chunks_mut(BAND * rows).enumerate().for_each(|(band, into)| {
        for (at, line) in into.chunks_exact_mut(rows).enumerate() {
            gather(&bands, band, at, line);
            let at = band * BAND + at;
            if row::points(norms[at]) {
                line[at] = 1.0;
                line.iter_mut().zip(norms).filter(|(_, norm)| !row::points(**norm)).for_each(|(c, _)| *c = f32::NAN);
            } else {
                line.fill(f32::NAN);
            }
        }
    });
    all
}

/// Multiplies the rows of the block that begins at `from` with its own and all later rows.
fn product(units: &ArrayView2<'_, f32>, from: usize) -> Array2<f32> {
    let rows = units.nrows();
    let band = units.slice_axis(Axis(0), Slice::from(from..(from + BAND).min(rows)));
    let mut products = Array2::zeros((band.nrows(), rows - from));
    general_mat_mul(1.0, &band, &units.slice_axis(Axis(0), Slice::from(from..)).t(), 0.0, &mut products);
    products.mapv_inplace(|cosine| cosine.clamp(-1.0, 1.0));
    products
}

/// Fills one line of the whole matrix: right of the diagonal from its own block, left of it from the earlier ones.
fn gather(bands: &[Array2<f32>], band: usize, at: usize, line: &mut [f32]) {
    let own = band * BAND + at;
    for (before, products) in bands[..=band].iter().enumerate() {
        let column = products.column(own - before * BAND);
        let until = (own - before * BAND).min(products.nrows());
        line[before * BAND..].iter_mut().zip(column.iter().take(until)).for_each(|(to, from)| *to = *from);
    }
    line[own..].iter_mut().zip(bands[band].row(at).iter().skip(at)).for_each(|(to, from)| *to = *from);
}
