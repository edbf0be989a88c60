//! Statistics and defects of vectors.

use std::collections::HashMap;

use rayon::prelude::*;

use super::row;
use crate::record::vectors::{Hygiene, VectorTable};

/// Rows that are listed.
const NAMED: usize = 100;
/// How far a length may be from 1 to count as normalised.
const NORMAL: f64 = 1e-3;

/// What was found about one row.
struct RowFinding {
    norm: f64,
    nan: u32,
    infinite: u32,
    zero: u32,
    /// Numbers up to the last one that is not zero.
    used: usize,
    mark: u64,
}

/// Checks every number of a table. `expected`: how many numbers a vector should have, if known.
pub fn hygiene(table: &VectorTable, expected: Option<u32>) -> Hygiene {
    let rows: Vec<Option<RowFinding>> =
        (0..table.rows()).into_par_iter().with_min_len(128).map(|at| table.row(at).map(look)).collect();
    let there = || rows.iter().enumerate().filter_map(|(at, row)| row.as_ref().map(|row| (at as u32, row)));
    let count = there().count();
    let numbers = (count * table.dimensions()).max(1) as f64;
    let norms: Vec<f64> = there().map(|(_, row)| row.norm).filter(|norm| norm.is_finite()).collect();
    let dimensions = table.dimensions() as u32;
    Hygiene {
        rows: count,
        missing: table.rows() - count,
        dimensions: table.dimensions(),
        norm: [
            norms.iter().copied().reduce(f64::min).unwrap_or(f64::NAN) as f32,
            (norms.iter().sum::<f64>() / norms.len() as f64) as f32,
            norms.iter().copied().reduce(f64::max).unwrap_or(f64::NAN) as f32,
        ],
        normalised: count > 0 && norms.len() == count && norms.iter().all(|norm| (norm - 1.0).abs() <= NORMAL),
        nan: (
            there().map(|(_, row)| f64::from(row.nan)).sum::<f64>() / numbers,
            there().filter(|(_, row)| row.nan > 0).map(|(at, _)| at).take(NAMED).collect(),
        ),
        infinite: (
            there().map(|(_, row)| f64::from(row.infinite)).sum::<f64>() / numbers,
            there().filter(|(_, row)| row.infinite > 0).map(|(at, _)| at).take(NAMED).collect(),
        ),
        zero: (
            there().map(|(_, row)| f64::from(row.zero)).sum::<f64>() / numbers,
            there().filter(|(_, row)| row.zero == dimensions).map(|(at, _)| at).take(NAMED).collect(),
        ),
        padding: table.dimensions() - there().map(|(_, row)| row.used).max().unwrap_or(0),
        repeated: repeated(table, there().map(|(at, row)| (at as usize, row.mark))),
        odd: table.odd().to_vec(),
        quarter: expected.is_some_and(|expected| dimensions > 0 && expected == dimensions.saturating_mul(4)),
    }
}

fn look(vector: &[f32]) -> RowFinding {
    let count = |what: fn(&f32) -> bool| vector.iter().filter(|x| what(x)).count() as u32;
    RowFinding {
        norm: row::norm(vector),
        nan: count(|x| x.is_nan()),
        infinite: count(|x| x.is_infinite()),
        zero: count(|x| *x == 0.0),
        used: vector.iter().rposition(|x| *x != 0.0).map_or(0, |last| last + 1),
        mark: mark(vector),
    }
}

/// Returns a hash of the bits of a vector.
fn mark(vector: &[f32]) -> u64 {
    vector
        .iter()
        .fold(0, |mark: u64, x| (mark.rotate_left(5) ^ u64::from(x.to_bits())).wrapping_mul(0x517c_c1b7_2722_0a95))
}

/// Counts the rows that are bitwise equal to an earlier one. `marks`: rows with their hashes.
fn repeated(table: &VectorTable, marks: impl Iterator<Item = (usize, u64)>) -> usize {
    let same = |a: usize, b: usize| match (table.row(a), table.row(b)) {
        (Some(a), Some(b)) => a.iter().zip(b).all(|(x, y)| x.to_bits() == y.to_bits()),
        _ => false,
    };
    // For each hash the rows that differ nevertheless: nearly always one.
    let mut seen: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut repeated = 0;
    for (at, mark) in marks {
        let earlier = seen.entry(mark).or_default();
        if earlier.iter().any(|row| same(*row, at)) {
            repeated += 1;
        } else {
            earlier.push(at);
        }
    }
    repeated
}
