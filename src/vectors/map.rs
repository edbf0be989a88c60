//! Vectors in a plane: their two principal components, by subspace iteration over the table without a copy.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, Axis, Slice, aview1};
use rayon::prelude::*;

use super::refusal::{ProgressFn, Refusal, check};
use super::symmetric::eigen;
use crate::record::vectors::{Map, VectorTable};

/// Vectors that are iterated; more than two, because two alone converge slowly.
const BASIS: usize = 8;
/// Iterations at most.
const TURNS: u64 = 40;
/// Iterations where components need not be exact.
const ROUGH: u64 = 8;
/// Residual of the two components, as a share of the first one's variance, below which the iteration ends.
const CLOSE: f64 = 2e-4;
/// Rows that are centred at once: so few that they fit into the processor's cache.
const ROWS: usize = 64;
/// Parts whose sums are added in their order, so that the result does not depend on the number of threads.
const PARTS: usize = 64;

/// Projects the rows onto their two principal components; returns each row's place and the share of the variance that
/// each component explains. Deterministic: the start is seeded, and each axis is oriented so that its largest number is
/// positive.
///
/// # Errors
/// [`Refusal::Stopped`].
pub fn map(table: &VectorTable, go: ProgressFn<'_>) -> Result<Map, Refusal> {
    check(go, 0, TURNS)?;
    let cloud = Cloud::new(table);
    if cloud.rows.is_empty() {
        return Ok(Map { points: vec![None; table.rows()], share: [0.0; 2] });
    }
    let mut basis = start(table.dimensions(), BASIS.min(table.dimensions()));
    let mut turn = 0;
    let (axes, share) = loop {
        orthonormal(&mut basis);
        let (image, trace) = cloud.image(&basis);
        let (values, turned) = eigen(&basis.t().dot(&image));
        let (vectors, images) = (basis.dot(&turned), image.dot(&turned));
        let off = |axis: usize| {
            let rest = &images.column(axis) - &(&vectors.column(axis) * values[axis]);
            rest.dot(&rest).sqrt()
        };
        turn += 1;
        let close = (0..values.len().min(2)).all(|axis| off(axis) <= CLOSE * values[0]);
        if close || turn == TURNS {
            let share = |axis: usize| values.get(axis).map_or(0.0, |value| (value / trace).clamp(0.0, 1.0) as f32);
            break (axes(&vectors, &values), if trace > 0.0 { [share(0), share(1)] } else { [0.0; 2] });
        }
        check(go, turn, TURNS)?;
        basis = images;
    };
    Ok(Map { points: cloud.places(&axes, table.rows()), share })
}

/// Projects the rows onto their first `count` principal components, approximately: good enough to find near rows.
/// Returns the rows that have finite numbers, and their coordinates, row after row.
///
/// # Errors
/// [`Refusal::Stopped`].
pub(super) fn reduced(
    table: &VectorTable,
    count: usize,
    go: ProgressFn<'_>,
) -> Result<(Vec<usize>, Array2<f32>), Refusal> {
    let cloud = Cloud::new(table);
    let mut basis = start(table.dimensions(), count.min(table.dimensions()));
    for turn in 0..ROUGH {
        check(go, turn, ROUGH)?;
        orthonormal(&mut basis);
        basis = cloud.image(&basis).0;
    }
    orthonormal(&mut basis);
    let places = cloud.project(&basis.mapv(|x| x as f32));
    let places = Array2::from_shape_vec((cloud.rows.len(), basis.ncols()), places).unwrap_or_default();
    Ok((cloud.rows, places))
}

/// Rows relative to their mean, scaled so that no sum overflows.
struct Cloud<'a> {
    table: &'a VectorTable,
    /// Rows that are not missing and hold only finite numbers.
    rows: Vec<usize>,
    mean: Array1<f32>,
    scale: f32,
}

impl<'a> Cloud<'a> {
    fn new(table: &'a VectorTable) -> Self {
        let finite = |row: &usize| table.row(*row).is_some_and(|vector| vector.iter().all(|x| x.is_finite()));
        let rows: Vec<usize> = (0..table.rows()).into_par_iter().with_min_len(256).filter(finite).collect();
        let sums: Vec<(Vec<f64>, f32)> = parts(&rows).into_par_iter().map(|part| sums(table, part)).collect();
        let mut mean = Array1::<f64>::zeros(table.dimensions());
        let mut largest = 0.0_f32;
        for (sum, large) in sums {
            mean += &aview1(&sum);
            largest = largest.max(large);
        }
        // Also the reciprocal of the largest and smallest numbers must be finite.
        let scale = largest.clamp(1e-37, 1e37).recip();
        mean *= f64::from(scale) / (rows.len().max(1) as f64);
        Self { table, rows, mean: mean.mapv(|x| x as f32), scale }
    }

    /// Writes rows, scaled and centred, into the lines of a matrix.
    fn fill(&self, rows: &[usize], into: &mut Array2<f32>) {
        for (row, mut line) in rows.iter().zip(into.rows_mut()) {
            let vector = self.table.row(*row).unwrap_or_default();
            line.iter_mut().zip(vector).zip(&self.mean).for_each(|((to, x), mean)| *to = x * self.scale - mean);
        }
    }

    /// Multiplies the scatter matrix with the basis without building the matrix. Returns the product and the scatter's
    /// trace.
    fn image(&self, basis: &Array2<f64>) -> (Array2<f64>, f64) {
        let narrow = basis.mapv(|x| x as f32);
        let sums: Vec<(Array2<f32>, f64)> = parts(&self.rows)
            .into_par_iter()
            .map(|part| {
                let mut image = Array2::zeros(narrow.dim());
                let mut centred = Array2::zeros((ROWS.min(part.len()), narrow.nrows()));
                let mut trace = 0.0;
                for rows in part.chunks(ROWS) {
                    self.fill(rows, &mut centred);
                    let centred = centred.slice_axis(Axis(0), Slice::from(..rows.len()));
                    let mut projected = Array2::zeros((rows.len(), narrow.ncols()));
                    general_mat_mul(1.0, &centred, &narrow, 0.0, &mut projected);
                    general_mat_mul(1.0, &centred.t(), &projected, 1.0, &mut image);
                    trace += centred.rows().into_iter().map(|row| f64::from(row.dot(&row))).sum::<f64>();
                }
                (image, trace)
            })
            .collect();
        let mut image = Array2::zeros(basis.dim());
        let mut trace = 0.0;
        for (part, more) in sums {
            image.zip_mut_with(&part, |to, from| *to += f64::from(*from));
            trace += more;
        }
        (image, trace)
    }

    /// Returns the coordinates of the rows along axes, row after row.
    fn project(&self, axes: &Array2<f32>) -> Vec<f32> {
        let found: Vec<Vec<f32>> = parts(&self.rows)
            .into_par_iter()
            .map(|part| {
                let mut places = Vec::with_capacity(part.len() * axes.ncols());
                let mut centred = Array2::zeros((ROWS.min(part.len()), axes.nrows()));
                for rows in part.chunks(ROWS) {
                    self.fill(rows, &mut centred);
                    places.extend(centred.slice_axis(Axis(0), Slice::from(..rows.len())).dot(axes));
                }
                places
            })
            .collect();
        found.concat()
    }

    /// Returns the place of each of the table's rows on the two axes; `None` for a row that is missing or not finite.
    fn places(&self, axes: &Array2<f32>, rows: usize) -> Vec<Option<[f32; 2]>> {
        let mut points = vec![None; rows];
        for (row, place) in self.rows.iter().zip(self.project(axes).as_chunks::<2>().0) {
            points[*row] = Some(place.map(|x| x / self.scale));
        }
        points
    }
}

/// Splits rows into parts that do not depend on the number of threads.
fn parts(rows: &[usize]) -> Vec<&[usize]> {
    rows.chunks(rows.len().div_ceil(PARTS).max(ROWS)).collect()
}

/// Returns the sum of some rows, and the largest absolute number in them.
fn sums(table: &VectorTable, rows: &[usize]) -> (Vec<f64>, f32) {
    let mut sum = vec![0.0; table.dimensions()];
    let mut largest = 0.0_f32;
    for vector in rows.iter().filter_map(|row| table.row(*row)) {
        sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += f64::from(*x));
        largest = vector.iter().fold(largest, |largest, x| largest.max(x.abs()));
    }
    (sum, largest)
}

/// Returns `count` pseudo-random vectors as columns, the same at each call.
fn start(length: usize, count: usize) -> Array2<f64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    Array2::from_shape_simple_fn((length, count), || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    })
}

/// Makes the columns orthonormal; one that depends on the others becomes zero.
fn orthonormal(basis: &mut Array2<f64>) {
    let largest = basis.columns().into_iter().map(|column| column.dot(&column)).fold(0.0, f64::max).sqrt();
    for at in 0..basis.ncols() {
        // One pass leaves rounding errors; a second removes them.
        for _ in 0..2 {
            let (before, mut rest) = basis.view_mut().split_at(Axis(1), at);
            let mut column = rest.column_mut(0);
            for other in before.columns() {
                let along = other.dot(&column);
                column.scaled_add(-along, &other);
            }
        }
        let mut column = basis.column_mut(at);
        let length = column.dot(&column).sqrt();
        column.mapv_inplace(|x| if length > largest * 1e-9 { x / length } else { 0.0 });
    }
}

/// Returns the first two columns as axes, oriented; an axis without variance is zero.
fn axes(vectors: &Array2<f64>, values: &[f64]) -> Array2<f32> {
    let mut axes = Array2::zeros((vectors.nrows(), 2));
    for (axis, value) in values.iter().take(2).enumerate() {
        if *value <= values[0] * 1e-10 {
            continue;
        }
        let column = vectors.column(axis);
        let largest = column.iter().fold(0.0_f64, |a, b| if b.abs() > a.abs() { *b } else { a });
        axes.column_mut(axis).assign(&column.mapv(|x| (x * largest.signum()) as f32));
    }
    axes
}
