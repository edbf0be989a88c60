//! How far two tables of vectors of the same texts agree on what is similar.

use std::cmp::{Ordering, Reverse};

use rayon::prelude::*;

use super::matrix::cosines;
use super::refusal::{ProgressFn, Refusal, bounded, check};
use super::row;
use super::top::{ScoredPair, Top};
use crate::record::vectors::{Agreement, Moved, VectorTable};

/// Numbers of nearest neighbours for which the overlap is computed.
const NEAREST: [usize; 3] = [1, 5, 10];
/// Pairs that are listed.
const MOVED: usize = 100;
/// Steps that progress is reported in.
const STEPS: u64 = 5;

/// Compares two tables row by row: the rows that have a direction in both.
///
/// The overlap at k is reported only if a row has more than k others; else it could not differ.
///
/// # Errors
/// [`Refusal::Texts`] where they have not as many rows, [`Refusal::Rows`] above
/// [`crate::record::vectors::MATRIX`], [`Refusal::Stopped`].
pub fn compare(first: &VectorTable, second: &VectorTable, go: ProgressFn<'_>) -> Result<Agreement, Refusal> {
    if first.rows() != second.rows() {
        return Err(Refusal::Texts(first.rows(), second.rows()));
    }
    bounded(first)?;
    let all = first.rows();
    let norms = [row::norms(first), row::norms(second)];
    let rows: Vec<usize> = (0..all).filter(|at| norms.iter().all(|norms| row::points(norms[*at]))).collect();
    check(go, 0, STEPS)?;
    let mut each = Vec::new();
    for (step, (table, norms)) in [first, second].into_iter().zip(&norms).enumerate() {
        let cosines = cosines(table, norms);
        check(go, 2 * step as u64 + 1, STEPS)?;
        let upper: Vec<f32> = (0..rows.len())
            .flat_map(|a| rows[a + 1..].iter().map(|b| cosines[rows[a] * all + b]).collect::<Vec<_>>())
            .collect();
        let ranks = Ranks::of(&upper);
        check(go, 2 * step as u64 + 2, STEPS)?;
        each.push((upper, ranks, nearest(&cosines, all, &rows)));
    }
    let [(first, first_ranks, near), (second, second_ranks, also)] = &each[..] else { unreachable!("there are two") };
    let moved = moved(first_ranks, second_ranks)
        .into_iter()
        .map(|(at, a, b)| Moved { pair: pair(&rows, at), cosine: (first[at], second[at]), rank: (a, b) })
        .collect();
    let spearman = if rows.len() < 3 { f64::NAN } else { correlation(&first_ranks.mean, &second_ranks.mean) };
    Ok(Agreement { rows: rows.len(), spearman, overlap: overlap(near, also), moved })
}

/// The ranks of some numbers, 1 for the largest.
struct Ranks {
    /// Twice the rank; equal numbers share the mean of theirs.
    mean: Vec<u32>,
    /// The rank; equal numbers share the first of theirs.
    first: Vec<u32>,
}

impl Ranks {
    fn of(numbers: &[f32]) -> Self {
        let mut order: Vec<u32> = (0..numbers.len() as u32).collect();
        order.par_sort_unstable_by(|a, b| numbers[*b as usize].total_cmp(&numbers[*a as usize]).then(a.cmp(b)));
        let (mut mean, mut first) = (vec![0; numbers.len()], vec![0; numbers.len()]);
        let mut before = 0;
        let equal = |a: &u32, b: &u32| numbers[*a as usize].partial_cmp(&numbers[*b as usize]) == Some(Ordering::Equal);
        for equal in order.chunk_by(equal) {
            for at in equal {
                mean[*at as usize] = 2 * before + 1 + equal.len() as u32;
                first[*at as usize] = before + 1;
            }
            before += equal.len() as u32;
        }
        Self { mean, first }
    }
}

/// Returns Pearson's correlation; NaN if all values of one side are equal.
fn correlation(first: &[u32], second: &[u32]) -> f64 {
    let mean = |ranks: &[u32]| ranks.iter().map(|rank| f64::from(*rank)).sum::<f64>() / ranks.len() as f64;
    let (a, b) = (mean(first), mean(second));
    let (mut both, mut one, mut other) = (0.0, 0.0, 0.0);
    for (x, y) in first.iter().zip(second) {
        let (x, y) = (f64::from(*x) - a, f64::from(*y) - b);
        both += x * y;
        one += x * x;
        other += y * y;
    }
    if one > 0.0 && other > 0.0 { (both / (one * other).sqrt()).clamp(-1.0, 1.0) } else { f64::NAN }
}

/// Returns the nearest other rows of each of `rows`, nearest first.
fn nearest(cosines: &[f32], all: usize, rows: &[usize]) -> Vec<Vec<u32>> {
    let most = NEAREST[NEAREST.len() - 1];
    rows.par_iter()
        .map(|row| {
            let mut top = Top::new(most);
            for other in rows.iter().filter(|other| *other != row) {
                top.push(ScoredPair { cosine: cosines[row * all + other], rows: (*other as u32, 0) });
            }
            top.sorted().into_iter().map(|scored| scored.rows.0).collect()
        })
        .collect()
}

fn overlap(first: &[Vec<u32>], second: &[Vec<u32>]) -> Vec<(usize, f64)> {
    let others = first.len().saturating_sub(1);
    let share = |k: usize| {
        let both = first.iter().zip(second).map(|(a, b)| a[..k].iter().filter(|row| b[..k].contains(row)).count());
        both.sum::<usize>() as f64 / (k * first.len()) as f64
    };
    NEAREST.into_iter().filter(|k| *k < others).map(|k| (k, share(k))).collect()
}

/// Returns the places whose ranks differ most, with both ranks; of equal differences the earlier place first.
fn moved(first: &Ranks, second: &Ranks) -> Vec<(usize, u32, u32)> {
    let far = |at: &u32| (Reverse(first.first[*at as usize].abs_diff(second.first[*at as usize])), *at);
    let mut places: Vec<u32> =
        (0..first.first.len() as u32).filter(|at| first.first[*at as usize] != second.first[*at as usize]).collect();
    if places.len() > MOVED {
        places.select_nth_unstable_by_key(MOVED, far);
        places.truncate(MOVED);
    }
    places.sort_unstable_by_key(far);
    places.into_iter().map(|at| at as usize).map(|at| (at, first.first[at], second.first[at])).collect()
}

/// Returns the pair of rows at a place of the matrix's upper half, counted row after row.
fn pair(rows: &[usize], mut at: usize) -> (u32, u32) {
    let mut row = 0;
    while at >= rows.len() - 1 - row {
        at -= rows.len() - 1 - row;
        row += 1;
    }
    (rows[row] as u32, rows[row + 1 + at] as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_share_the_mean_of_their_ranks() {
        let ranks = Ranks::of(&[0.5, 0.9, 0.5, 0.1]);
        assert_eq!((ranks.mean, ranks.first), (vec![5, 2, 5, 8], vec![2, 1, 2, 4]));
        let zeros = Ranks::of(&[0.0, -0.0]);
        assert_eq!(zeros.mean, [3, 3]);
        // By hand: 1, 2½, 2½, 4 against 2, 1, 3, 4 is 3 / √(4½ · 5).
        let told = correlation(&[2, 5, 5, 8], &[4, 2, 6, 8]);
        assert!((told - 3.0 / 22.5_f64.sqrt()).abs() < 1e-12, "{told}");
        assert!(correlation(&[3, 3], &[2, 4]).is_nan() && correlation(&[], &[]).is_nan());
    }

    #[test]
    fn a_place_of_the_upper_half_names_its_pair() {
        let pairs: Vec<_> = (0..6).map(|at| pair(&[0, 2, 3, 7], at)).collect();
        assert_eq!(pairs, [(0, 2), (0, 3), (0, 7), (2, 3), (2, 7), (3, 7)]);
    }
}
