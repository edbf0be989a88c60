//! How often the nearest rows of a row have its label.

use std::sync::atomic::{AtomicU64, Ordering};

use ndarray::Array2;
use ndarray::linalg::general_mat_mul;
use rayon::prelude::*;

use super::refusal::{ProgressFn, Refusal, check};
use super::row;
use super::top::{ScoredPair, Top};
use crate::record::vectors::{Alike, MATRIX, VectorTable};

/// Rows whose neighbours are searched in a table above [`MATRIX`] rows, evenly spread.
const SAMPLED: usize = 1_000;
/// Rows that are multiplied at once.
const ROWS: usize = 256;

/// Counts, for each label, how many of the `most` nearest rows have the same label, and how many can have it. Rows without a label or without a
/// direction are neither asked about nor counted as neighbours. A label is a number of at most the
/// largest of `labels`.
///
/// # Errors
/// [`Refusal::Texts`] where there are not as many labels as rows, [`Refusal::Stopped`].
pub fn alike(table: &VectorTable, labels: &[Option<u32>], most: usize, go: ProgressFn<'_>) -> Result<Alike, Refusal> {
    if labels.len() != table.rows() {
        return Err(Refusal::Texts(table.rows(), labels.len()));
    }
    let norms = row::norms(table);
    let known: Vec<(usize, u32)> = (0..table.rows())
        .filter(|at| row::points(norms[*at]))
        .filter_map(|at| labels[at].map(|label| (at, label)))
        .collect();
    let step = if known.len() <= MATRIX { 1 } else { known.len().div_ceil(SAMPLED) };
    let asked: Vec<(usize, u32)> = known.iter().copied().step_by(step).collect();
    let units = |rows: &[(usize, u32)]| {
        let mut units = Array2::<f32>::zeros((rows.len(), table.dimensions()));
        for ((at, _), mut unit) in rows.iter().zip(units.rows_mut()) {
            if let (Some(vector), Some(unit)) = (table.row(*at), unit.as_slice_mut()) {
                row::unit(vector, norms[*at], unit);
            }
        }
        units
    };
    let from = units(&asked);
    let (done, total) = (AtomicU64::new(0), known.len() as u64);
    let none = || asked.iter().map(|_| Top::new(most)).collect::<Vec<_>>();
    let tops = known
        .par_chunks(ROWS)
        .try_fold(none, |mut tops, rows| {
            check(go, done.fetch_add(rows.len() as u64, Ordering::Relaxed), total)?;
            let mut cosines = Array2::zeros((asked.len(), rows.len()));
            general_mat_mul(1.0, &from, &units(rows).t(), 0.0, &mut cosines);
            for ((top, (own, _)), cosines) in tops.iter_mut().zip(&asked).zip(cosines.rows()) {
                for ((at, label), cosine) in rows.iter().zip(cosines).filter(|((at, _), _)| at != own) {
                    top.push(ScoredPair { cosine: *cosine, rows: (*at as u32, *label) });
                }
            }
            Ok(tops)
        })
        .try_reduce(none, |some, others| {
            Ok(some.into_iter().zip(others).map(|(one, other)| one.merged(other)).collect())
        })?;
    let count = labels.iter().flatten().max().map_or(0, |label| *label as usize + 1);
    let mut told = Alike { most, labels: vec![(0, 0); count], rows: asked.len(), of: known.len() };
    let mut sizes = vec![0_usize; count];
    for (_, label) in &known {
        sizes[*label as usize] += 1;
    }
    for (top, (_, label)) in tops.into_iter().zip(&asked) {
        let (same, possible) = &mut told.labels[*label as usize];
        *same += top.sorted().iter().filter(|near| near.rows.1 == *label).count() as u64;
        *possible += most.min(sizes[*label as usize] - 1) as u64;
    }
    Ok(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ON: ProgressFn<'static> = &|_, _| true;

    #[test]
    fn the_nearest_of_a_label_are_counted() {
        // Two clusters; the last row has the other cluster's label, one row has none, one no direction.
        let rows = [[1.0, 0.0], [0.99, 0.1], [0.98, 0.2], [0.0, 1.0], [0.1, 0.99], [0.0, 0.0], [0.97, 0.25]];
        let table = VectorTable::of(2, rows.concat());
        let labels = [Some(0), Some(0), Some(0), Some(1), None, Some(1), Some(1)];
        let told = alike(&table, &labels, 2, ON).unwrap();
        // Rows 0 and 1 have each other and row 2; row 2 has row 6, which has row 2, too. Row 3 has 6 and 2.
        // Of a label with two rows one of the nearest at most can have it.
        assert_eq!(told.labels, [(5, 6), (1, 2)]);
        assert_eq!((told.rows, told.of, told.most), (5, 5, 2));
        assert_eq!(alike(&table, &labels[1..], 2, ON), Err(Refusal::Texts(7, 6)));
        assert_eq!(alike(&table, &labels, 2, &|_, _| false), Err(Refusal::Stopped));
        assert_eq!(alike(&VectorTable::new(2), &[Some(0), None], 2, ON).unwrap().labels, [(0, 0)]);
    }

    #[test]
    fn of_a_long_table_a_sample_is_asked_about() {
        let numbers = (0..10_000_u16).map(|at| (f32::from(at) * 0.7).sin()).collect();
        let labels: Vec<Option<u32>> = (0..2_500).map(|at| Some(at % 3)).collect();
        let told = alike(&VectorTable::of(4, numbers), &labels, 5, ON).unwrap();
        assert_eq!((told.rows, told.of), (834, 2_500));
        assert_eq!(told.labels.iter().map(|(_, all)| all).sum::<u64>(), 834 * 5);
    }
}
