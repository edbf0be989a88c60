//! Vectors in a plane by t-SNE: near rows stay near; distances between clusters mean nothing.
//!
//! The rows are reduced to their 50 first principal components, of these the nearest of each row are found exactly, and
//! [`bhtsne`] lays them out, beginning with the two first components. It runs in parts, between which it can be
//! stopped. Unlike the other computations it may differ in the last digits with the number of threads.

use std::sync::atomic::{AtomicU64, Ordering};

use bhtsne::Neighbor;
use ndarray::{Array2, Axis, Slice};
use rayon::prelude::*;

use super::map::reduced;
use super::refusal::{ProgressFn, Refusal, check};
use crate::record::vectors::{Map, TSNE, VectorTable};

/// Principal components in which neighbours are searched.
const COMPONENTS: usize = 50;
/// Perplexity: roughly the neighbours that each row is kept near to.
const PERPLEXITY: usize = 30;
/// Parts of the optimisation, and steps of each; in the first part attraction is exaggerated.
const PARTS: u64 = 10;
const STEPS: usize = 50;
const TOGETHER: u64 = 3;
/// Rows at or above which interpolation is faster than a tree (Barnes-Hut), and the tree's coarseness.
const INTERPOLATED: usize = 3_000;
const COARSE: f32 = 0.5;
/// Rows whose neighbours are searched at once.
const ROWS: usize = 128;
/// Differences, of numbers up to 1, below which rows count as equal.
const SAME: f32 = 1e-5;
/// Rows below which nothing is laid out.
const LEAST: usize = 5;

/// Lays the rows out in a plane by t-SNE; `None` for a row that is missing or not finite.
///
/// # Errors
/// [`Refusal::Plane`] above [`TSNE`] rows, [`Refusal::Stopped`].
pub fn tsne(table: &VectorTable, go: ProgressFn<'_>) -> Result<Map, Refusal> {
    if table.rows() > TSNE {
        return Err(Refusal::Plane(table.rows()));
    }
    // The first half of the progress is the search of neighbours, the second the layout.
    let total = 2 * PARTS;
    check(go, 0, total)?;
    let (rows, places) = reduced(table, COMPONENTS, &|done, of| go(done * PARTS / of.max(1) / 2, total))?;
    let mut points = vec![None; table.rows()];
    // Rows that are all equal cannot be laid out.
    let differ = places.iter().any(|place| place.abs() > SAME);
    if rows.len() >= LEAST && differ {
        let perplexity = PERPLEXITY.min((rows.len() - 1) / 3);
        let found = |done: u64, of: u64| go(PARTS / 2 + done * PARTS / of.max(1) / 2, total);
        let near = nearest(&places, 3 * perplexity, &found)?;
        let laid = lay_out(&places, &near, rows.len() >= INTERPOLATED, &|part| go(PARTS + part, total))?;
        for (row, [x, y]) in rows.iter().zip(laid) {
            points[*row] = (x.is_finite() && y.is_finite()).then_some([x, y]);
        }
    } else {
        let plane = |at: usize| [places[[at, 0]], places.get([at, 1]).copied().unwrap_or(0.0)];
        rows.iter().enumerate().for_each(|(at, row)| points[*row] = Some(plane(at)));
    }
    Ok(Map { points, share: [f32::NAN; 2] })
}

/// Finds the `count` nearest of each row, nearest first; stops if `go` returns false.
fn nearest(places: &Array2<f32>, count: usize, go: ProgressFn<'_>) -> Result<Vec<Vec<Neighbor<f32>>>, Refusal> {
    let squares: Vec<f32> = places.rows().into_iter().map(|row| row.dot(&row)).collect();
    let (done, total) = (AtomicU64::new(0), places.nrows() as u64);
    let parts: Result<Vec<Vec<Vec<Neighbor<f32>>>>, Refusal> = (0..places.nrows().div_ceil(ROWS))
        .into_par_iter()
        .map(|part| {
            check(go, done.fetch_add(ROWS as u64, Ordering::Relaxed).min(total), total)?;
            let from = part * ROWS;
            let some = places.slice_axis(Axis(0), Slice::from(from..(from + ROWS).min(places.nrows())));
            let products = some.dot(&places.t());
            let row = |(at, products): (usize, ndarray::ArrayView1<f32>)| {
                let own = from + at;
                let far = |other: usize| (squares[own] + squares[other] - 2.0 * products[other]).max(0.0);
                let others = (0..places.nrows()).filter(|other| *other != own);
                let mut all: Vec<(f32, usize)> = others.map(|other| (far(other), other)).collect();
                let by = |a: &(f32, usize), b: &(f32, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
                all.select_nth_unstable_by(count - 1, by);
                all.truncate(count);
                all.sort_unstable_by(by);
                all.into_iter().map(|(far, index)| Neighbor { index, distance: far.sqrt() }).collect()
            };
            Ok(products.rows().into_iter().enumerate().map(row).collect())
        })
        .collect();
    Ok(parts?.concat())
}

/// Lays rows out so that the nearest of each are near it; `interpolated`: by fast Fourier transforms instead of a tree.
fn lay_out(
    places: &Array2<f32>,
    near: &[Vec<Neighbor<f32>>],
    interpolated: bool,
    go: &dyn Fn(u64) -> bool,
) -> Result<Vec<[f32; 2]>, Refusal> {
    let rows: Vec<u32> = (0..places.nrows() as u32).collect();
    let mut tsne: bhtsne::tSNE<f32, u32> = bhtsne::tSNE::new(&rows);
    let perplexity = near.first().map_or(1, Vec::len) as f32 / 3.0;
    tsne.perplexity(perplexity).epochs(STEPS).momentum_switch_epoch(0).initial_embedding(seed(places));
    for part in 0..PARTS {
        if !go(part) {
            return Err(Refusal::Stopped);
        }
        tsne.stop_lying_epoch(if part < TOGETHER { STEPS + 1 } else { 0 });
        if interpolated {
            tsne.fit_sne_with_neighbors(near);
        } else {
            tsne.barnes_hut_with_neighbors(COARSE, near);
        }
        let laid = tsne.embedding();
        tsne.initial_embedding(laid);
    }
    Ok(tsne.embedding().as_chunks::<2>().0.to_vec())
}

/// Returns the first two components, scaled to a deviation of 1e-4, as the start of t-SNE.
fn seed(places: &Array2<f32>) -> Vec<f32> {
    let first = places.column(0);
    let deviation = (first.dot(&first) / places.nrows() as f32).sqrt();
    let scale = if deviation > 0.0 { 1e-4 / deviation } else { 0.0 };
    let pair = |row: ndarray::ArrayView1<f32>| [row[0] * scale, row.get(1).map_or(0.0, |y| y * scale)];
    places.rows().into_iter().flat_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    const ON: ProgressFn<'static> = &|_, _| true;

    /// Builds a table of rows around three directions in turn.
    fn three(rows: usize) -> VectorTable {
        let number = |at: usize, axis: usize| {
            let noise = ((at * 37 + axis * 11) as f32 * 78.233).sin() * 0.3;
            if axis == at % 3 { 1.0 + noise } else { noise }
        };
        VectorTable::of(24, (0..rows).flat_map(|at| (0..24).map(move |axis| number(at, axis))).collect())
    }

    #[test]
    fn what_is_near_stays_near() {
        let map = tsne(&three(60), ON).unwrap();
        assert!(map.share.iter().all(|share| share.is_nan()), "axes of t-SNE have no share");
        parted(&map.points.iter().map(|point| point.unwrap()).collect::<Vec<_>>());
        // The neighbours are searched as for many rows.
        let (_, places) = reduced(&three(60), COMPONENTS, ON).unwrap();
        let near = nearest(&places, 57, ON).unwrap();
        parted(&lay_out(&places, &near, true, &|_| true).unwrap());
    }

    /// Asserts that the nearest place of each has the same direction.
    fn parted(places: &[[f32; 2]]) {
        for (at, place) in places.iter().enumerate() {
            let far = |other: usize| (places[other][0] - place[0]).hypot(places[other][1] - place[1]);
            let nearest = (0..places.len()).filter(|other| *other != at).min_by(|a, b| far(*a).total_cmp(&far(*b)));
            assert_eq!(nearest.unwrap() % 3, at % 3, "{at}");
        }
    }

    #[test]
    fn it_says_how_far_it_is_and_can_be_stopped() {
        let told = Mutex::new(Vec::new());
        tsne(&three(140), &|done, total| {
            told.lock().unwrap().push((done, total));
            true
        })
        .unwrap();
        let told = told.into_inner().unwrap();
        assert!(
            told.len() > 15 && told.last() == Some(&(19, 20)) && told.iter().all(|(done, total)| done <= total),
            "{told:?}"
        );
        for stop in [0, 2, 5, 8, 15] {
            assert_eq!(tsne(&three(140), &|done, _| done < stop), Err(Refusal::Stopped), "{stop}");
        }
    }

    #[test]
    fn few_same_and_odd_rows_break_nothing() {
        for rows in 0..9 {
            let map = tsne(&three(rows), ON).unwrap();
            assert!(map.points.iter().all(Option::is_some) && map.points.len() == rows, "{rows}");
        }
        let same = tsne(&VectorTable::of(2, [1.0, 1.0].repeat(40)), ON).unwrap();
        assert_eq!(same.points.len(), 40);
        let mut odd = VectorTable::new(12);
        (0..12)
            .filter(|row| *row != 3)
            .for_each(|row| odd.set(row, &[row as f32, if row == 5 { f32::NAN } else { 1.0 }]));
        let map = tsne(&odd, ON).unwrap();
        let missing: Vec<usize> = (0..12).filter(|row| map.points[*row].is_none()).collect();
        assert_eq!(missing, [3, 5]);
        assert_eq!(tsne(&VectorTable::new(TSNE + 1), ON), Err(Refusal::Plane(TSNE + 1)));
    }
}
