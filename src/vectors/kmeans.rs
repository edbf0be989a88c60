//! Centres of clusters of unit vectors: k-means by cosine (spherical k-means), seeded as k-means++ does.

use ndarray::{Array2, Axis};

/// Iterations at most.
const TURNS: usize = 25;
/// Random starts that are tried, of which the best is kept; few where the computation is large.
const STARTS: u64 = 4;
const FEW: usize = 4_000_000;

/// Clusters as they were found.
pub(super) struct Centres {
    /// Each cluster's centre, of length 1.
    pub(super) centres: Array2<f32>,
    /// Each row's cluster.
    pub(super) of: Vec<u32>,
    /// Sum of the rows' cosines to their centres.
    fit: f64,
}

/// Finds `count` clusters (at least 1) among at least as many rows. The same seed gives the same clusters.
pub(super) fn kmeans(units: &Array2<f32>, count: usize, seed: u64) -> Centres {
    let starts = if units.len() <= FEW { STARTS } else { 1 };
    let mut best = from(units, count, seed);
    for more in 1..starts {
        let other = from(units, count, seed + more * 1_000);
        if other.fit > best.fit {
            best = other;
        }
    }
    best
}

/// Returns, for each row, its nearest centre and its cosine to that.
pub(super) fn nearest(units: &Array2<f32>, centres: &Array2<f32>) -> Vec<(u32, f32)> {
    let cosines = units.dot(&centres.t());
    let nearest = |row: ndarray::ArrayView1<f32>| {
        let near = (0_u32, f32::NEG_INFINITY);
        (0_u32..).zip(row).fold(near, |best, (at, cosine)| if *cosine > best.1 { (at, *cosine) } else { best })
    };
    cosines.rows().into_iter().map(nearest).collect()
}

fn from(units: &Array2<f32>, count: usize, seed: u64) -> Centres {
    let mut centres = first(units, count, seed);
    let mut found = nearest(units, &centres);
    for _ in 0..TURNS {
        centres = moved(units, &found, &centres);
        let next = nearest(units, &centres);
        let same = next.iter().zip(&found).all(|(next, before)| next.0 == before.0);
        found = next;
        if same {
            break;
        }
    }
    let fit = found.iter().map(|(_, cosine)| f64::from(*cosine)).sum();
    Centres { centres, of: found.into_iter().map(|(of, _)| of).collect(), fit }
}

/// Chooses the first centres among the rows, with a probability that grows with the distance from those chosen before.
fn first(units: &Array2<f32>, count: usize, seed: u64) -> Array2<f32> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64 ^ seed.wrapping_mul(0xd134_2543_de82_ef95);
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let rows = units.nrows();
    let mut chosen = vec![((next() * rows as f64) as usize).min(rows - 1)];
    let mut far = vec![f64::INFINITY; rows];
    while chosen.len() < count {
        let last = units.row(chosen[chosen.len() - 1]);
        for (far, cosine) in far.iter_mut().zip(units.dot(&last)) {
            *far = far.min(f64::from(1.0 - cosine).max(0.0));
        }
        let mut left = next() * far.iter().sum::<f64>();
        let at = far.iter().position(|far| {
            left -= far;
            left < 0.0
        });
        chosen.push(at.unwrap_or(chosen.len() % rows));
    }
    units.select(Axis(0), &chosen)
}

/// Returns the mean direction of each cluster's rows; an empty cluster keeps its centre.
fn moved(units: &Array2<f32>, found: &[(u32, f32)], before: &Array2<f32>) -> Array2<f32> {
    let mut centres = Array2::<f32>::zeros(before.dim());
    for (unit, (of, _)) in units.rows().into_iter().zip(found) {
        let mut centre = centres.row_mut(*of as usize);
        centre += &unit;
    }
    for (mut centre, before) in centres.rows_mut().into_iter().zip(before.rows()) {
        let length = centre.dot(&centre).sqrt();
        if length > 1e-6 {
            centre /= length;
        } else {
            centre.assign(&before);
        }
    }
    centres
}
