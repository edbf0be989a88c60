//! Similar pairs of any number of rows: blocked matrix products of which only the similar pairs are kept.

use std::sync::atomic::{AtomicU64, Ordering};

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use super::refusal::{ProgressFn, Refusal, check};
use super::row;
use super::top::{ScoredPair, Top};
use crate::record::vectors::{Pairs, VectorTable};

/// Rows of a block.
const BLOCK: usize = 512;
/// Blocks that a block is multiplied with in one piece of work.
const STRIP: usize = 8;
/// Rounding error of 32-bit sums of equal vectors.
const ROUNDING: f32 = 2e-6;

/// Finds the pairs whose cosine is `above` or more (to 2 millionths), most similar first, at most `most` of them; of
/// equal ones the earlier first. Time grows with the square of the rows; progress is counted in products.
///
/// # Errors
/// [`Refusal::Stopped`].
pub fn pairs(table: &VectorTable, above: f32, most: usize, go: ProgressFn<'_>) -> Result<Pairs, Refusal> {
    let norms = row::norms(table);
    let rows: Vec<u32> = (0..table.rows() as u32).filter(|row| row::points(norms[*row as usize])).collect();
    let blocks: Vec<&[u32]> = rows.chunks(BLOCK).collect();
    let total = (rows.len() as u64).pow(2).saturating_sub(rows.len() as u64) / 2;
    let done = AtomicU64::new(0);
    check(go, 0, total)?;
    let strips: Vec<(usize, usize)> = (0..blocks.len())
        .flat_map(|block| (block..blocks.len()).step_by(STRIP).map(move |from| (block, from)))
        .collect();
    let found = strips
        .into_par_iter()
        .try_fold(
            || PairHeap::new(most),
            |mut found, (block, from)| {
                let first = units(table, &norms, blocks[block]);
                for other in from..(from + STRIP).min(blocks.len()) {
                    let second = if other == block { None } else { Some(units(table, &norms, blocks[other])) };
                    let products = product(&first.view(), &second.as_ref().unwrap_or(&first).view());
                    found.take(&products, blocks[block], blocks[other], above - ROUNDING);
                    let (a, b) = (blocks[block].len() as u64, blocks[other].len() as u64);
                    let more = if other == block { a * (a - 1) / 2 } else { a * b };
                    check(go, done.fetch_add(more, Ordering::Relaxed) + more, total)?;
                }
                Ok(found)
            },
        )
        .try_reduce(|| PairHeap::new(most), |one, other| Ok(one.merged(other)))?;
    let pairs = found.top.sorted().into_iter().map(|pair| (pair.rows.0, pair.rows.1, pair.cosine)).collect();
    Ok(Pairs { pairs, total: found.total })
}

/// The most similar pairs so far.
struct PairHeap {
    top: Top,
    total: u64,
}

impl PairHeap {
    fn new(most: usize) -> Self {
        Self { top: Top::new(most), total: 0 }
    }

    /// Collects similar pairs from the products of two blocks; of a block with itself, from the upper half.
    fn take(&mut self, products: &Array2<f32>, rows: &[u32], columns: &[u32], above: f32) {
        let itself = rows[0] == columns[0];
        for (at, (line, row)) in products.rows().into_iter().zip(rows).enumerate() {
            let from = if itself { at + 1 } else { 0 };
            for (cosine, column) in line.iter().zip(columns).skip(from) {
                if *cosine >= above {
                    self.total += 1;
                    self.top.push(ScoredPair { cosine: cosine.clamp(-1.0, 1.0), rows: (*row, *column) });
                }
            }
        }
    }

    fn merged(self, other: Self) -> Self {
        Self { top: self.top.merged(other.top), total: self.total + other.total }
    }
}

/// Returns some rows as unit vectors, one a line.
fn units(table: &VectorTable, norms: &[f64], rows: &[u32]) -> Array2<f32> {
    let mut units = Array2::zeros((rows.len(), table.dimensions()));
    for (mut unit, row) in units.rows_mut().into_iter().zip(rows) {
        let row = *row as usize;
        if let (Some(vector), Some(unit)) = (table.row(row), unit.as_slice_mut()) {
            row::unit(vector, norms[row], unit);
        }
    }
    units
}

fn product(first: &ArrayView2<'_, f32>, second: &ArrayView2<'_, f32>) -> Array2<f32> {
    let mut products = Array2::zeros((first.nrows(), second.nrows()));
    general_mat_mul(1.0, first, &second.t(), 0.0, &mut products);
    products
}
