//! Arithmetic on one row and on two.

use crate::record::vectors::VectorTable;

/// Lengths at which 32-bit sums of squares neither overflow nor underflow; others are computed in 64 bits.
const TAME: std::ops::Range<f64> = 1e-10..1e15;

/// Similarity and distance of two vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Between {
    /// Cosine, −1 to 1; NaN where one of them has no direction.
    pub cosine: f64,
    /// Dot product.
    pub dot: f64,
    /// Euclidean distance (L2).
    pub distance: f64,
}

/// Compares two vectors; numbers past the end of the shorter one are ignored.
pub fn between(first: &[f32], second: &[f32]) -> Between {
    let distance = first.iter().zip(second).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum::<f64>().sqrt();
    let dot = exact_dot(first, second);
    let norms = exact_norm(first) * exact_norm(second);
    let cosine = if norms > 0.0 && norms.is_finite() { (dot / norms).clamp(-1.0, 1.0) } else { f64::NAN };
    Between { cosine, dot, distance }
}

/// Returns the length of a vector; not finite where one of its numbers is not.
pub(super) fn norm(row: &[f32]) -> f64 {
    let quick = f64::from(dot(row, row)).sqrt();
    if TAME.contains(&quick) { quick } else { exact_norm(row) }
}

/// Returns whether a vector of this length has a direction: the length is finite and not 0.
pub(super) fn points(norm: f64) -> bool {
    norm > 0.0 && norm.is_finite()
}

/// Returns the cosine of a row to a vector of length 1; `None` if the row has no direction.
pub(super) fn cosine(row: &[f32], unit: &[f32]) -> Option<f32> {
    let norm = norm(row);
    if !points(norm) {
        return None;
    }
    let dot = if TAME.contains(&norm) { f64::from(dot(row, unit)) } else { exact_dot(row, unit) };
    Some(((dot / norm) as f32).clamp(-1.0, 1.0))
}

/// Writes the vector of length 1 in the direction of `row`, whose length is `norm`.
pub(super) fn unit(row: &[f32], norm: f64, into: &mut [f32]) {
    if TAME.contains(&norm) {
        let scale = norm.recip() as f32;
        into.iter_mut().zip(row).for_each(|(to, from)| *to = from * scale);
    } else {
        into.iter_mut().zip(row).for_each(|(to, from)| *to = (f64::from(*from) / norm) as f32);
    }
}

/// Returns each row's length; NaN for a missing row.
pub(super) fn norms(table: &VectorTable) -> Vec<f64> {
    use rayon::prelude::*;
    (0..table.rows()).into_par_iter().with_min_len(256).map(|row| table.row(row).map_or(f64::NAN, norm)).collect()
}

/// Returns the dot product of two vectors, summed in so many lanes that it takes less time than fetching the next row
/// from memory.
fn dot(first: &[f32], second: &[f32]) -> f32 {
    const LANES: usize = 32;
    let ((firsts, rest), (seconds, tail)) = (first.as_chunks::<LANES>(), second.as_chunks::<LANES>());
    let mut sums = [0.0_f32; LANES];
    for (a, b) in firsts.iter().zip(seconds) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    // A separate sum: a lane chosen by a variable would keep all lanes in memory.
    let rest: f32 = rest.iter().zip(tail).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

fn exact_dot(first: &[f32], second: &[f32]) -> f64 {
    first.iter().zip(second).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

fn exact_norm(row: &[f32]) -> f64 {
    exact_dot(row, row).sqrt()
}
