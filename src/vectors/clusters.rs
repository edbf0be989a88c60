//! Clusters of rows that point the same way, and their names.

use std::cmp::Reverse;

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use super::refusal::{ProgressFn, Refusal, check};
use super::{keywords, kmeans, row};
use crate::record::vectors::{Clusters, VectorTable};
use crate::text::Untrusted;

/// Rows among which clusters are searched, evenly spread; each other row is assigned to the nearest cluster.
const SAMPLED: usize = 4_000;
/// Rows that are all compared with each other to measure how well clusters are separated.
const JUDGED: usize = 400;
/// Clusters at most.
const MOST: usize = 8;
/// Rows below which no clusters are searched.
const LEAST: usize = 4;
/// Rows that are normalised at once.
const ROWS: usize = 256;

/// Finds 2 to 8 clusters: the number that separates the rows best by their mean silhouette; none where no number
/// separates them. The same table gives the same clusters.
///
/// # Errors
/// [`Refusal::Texts`] where there are not as many texts as rows, [`Refusal::Stopped`].
pub fn clusters(table: &VectorTable, texts: &[Untrusted], go: ProgressFn<'_>) -> Result<Clusters, Refusal> {
    if texts.len() != table.rows() {
        return Err(Refusal::Texts(table.rows(), texts.len()));
    }
    let norms = row::norms(table);
    let known: Vec<usize> = (0..table.rows()).filter(|at| row::points(norms[*at])).collect();
    let none = || Clusters { of: vec![None; table.rows()], names: Vec::new() };
    if known.len() < LEAST {
        return Ok(none());
    }
    let sample: Vec<usize> = spread(&known, SAMPLED);
    let units = units(table, &norms, &sample);
    let judged = spread(&(0..sample.len()).collect::<Vec<_>>(), JUDGED);
    let near = products(&units.view(), &judged);
    let most = MOST.min(known.len() / 2);
    let total = most as u64;
    let mut best: Option<(f64, Array2<f32>)> = None;
    for count in 2..=most {
        check(go, count as u64 - 2, total)?;
        let found = kmeans::kmeans(&units, count, count as u64);
        let of: Vec<u32> = judged.iter().map(|at| found.of[*at]).collect();
        let parted = silhouette(&near, &of, count);
        if parted > best.as_ref().map_or(0.0, |(parted, _)| *parted) {
            best = Some((parted, found.centres));
        }
    }
    let Some((_, centres)) = best else { return Ok(none()) };
    check(go, total - 1, total)?;
    let nearest: Vec<Vec<(u32, f32)>> =
        known.par_chunks(ROWS).map(|rows| kmeans::nearest(&self::units(table, &norms, rows), &centres)).collect();
    let mut of = vec![None; table.rows()];
    let mut cosines = vec![f32::NEG_INFINITY; table.rows()];
    for (at, (cluster, cosine)) in known.iter().zip(nearest.into_iter().flatten()) {
        (of[*at], cosines[*at]) = (Some(cluster), cosine);
    }
    let count = by_size(&mut of, centres.nrows());
    Ok(Clusters { names: keywords::names(texts, &of, &central(&of, &cosines, count)), of })
}

/// Returns the row nearest to the centre of each of `count` clusters, of equal ones the earliest; `cosines`: each row's
/// to its centre.
fn central(of: &[Option<u32>], cosines: &[f32], count: usize) -> Vec<usize> {
    let mut nearest = vec![(f32::NEG_INFINITY, 0); count];
    for ((row, cluster), cosine) in of.iter().enumerate().zip(cosines) {
        if let Some(nearest) = cluster.and_then(|cluster| nearest.get_mut(cluster as usize))
            && *cosine > nearest.0
        {
            *nearest = (*cosine, row);
        }
    }
    nearest.into_iter().map(|(_, row)| row).collect()
}

/// Returns at most `most` of the rows, evenly spread.
fn spread(rows: &[usize], most: usize) -> Vec<usize> {
    rows.iter().copied().step_by(rows.len().div_ceil(most).max(1)).collect()
}

/// Returns rows as unit vectors, one a line; zero for a missing row.
fn units(table: &VectorTable, norms: &[f64], rows: &[usize]) -> Array2<f32> {
    let mut units = Array2::zeros((rows.len(), table.dimensions()));
    for (at, mut unit) in rows.iter().zip(units.rows_mut()) {
        if let (Some(vector), Some(unit)) = (table.row(*at), unit.as_slice_mut()) {
            row::unit(vector, norms[*at], unit);
        }
    }
    units
}

/// Returns the cosines of some rows with each other.
fn products(units: &ArrayView2<'_, f32>, rows: &[usize]) -> Array2<f32> {
    let some = units.select(ndarray::Axis(0), rows);
    some.dot(&some.t())
}

/// Returns the mean silhouette by cosine distance, −1 to 1: how well clusters are separated. A row that is a cluster of
/// its own counts 0.
fn silhouette(near: &Array2<f32>, of: &[u32], count: usize) -> f64 {
    let mut sizes = vec![0_usize; count];
    for own in of {
        sizes[*own as usize] += 1;
    }
    let value = |(at, own): (usize, &u32)| {
        let own = *own as usize;
        if sizes[own] < 2 {
            return 0.0;
        }
        let mut sums = vec![0.0_f64; count];
        for (cosine, other) in near.row(at).iter().zip(of) {
            sums[*other as usize] += 1.0 - f64::from(*cosine);
        }
        let inside = sums[own] / (sizes[own] - 1) as f64;
        let others = (0..count).filter(|other| *other != own && sizes[*other] > 0);
        let outside = others.map(|other| sums[other] / sizes[other] as f64).fold(f64::INFINITY, f64::min);
        if outside.is_finite() { (outside - inside) / outside.max(inside).max(1e-12) } else { 0.0 }
    };
    of.iter().enumerate().map(value).sum::<f64>() / of.len().max(1) as f64
}

/// Renumbers the clusters by size, largest first, of equal ones the one with the earliest row first. Returns how many
/// are not empty.
fn by_size(of: &mut [Option<u32>], count: usize) -> usize {
    let mut sizes = vec![(0_usize, usize::MAX); count];
    for (at, cluster) in of.iter().enumerate().filter_map(|(at, of)| Some((at, (*of)? as usize))) {
        sizes[cluster] = (sizes[cluster].0 + 1, sizes[cluster].1.min(at));
    }
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|cluster| (Reverse(sizes[*cluster].0), sizes[*cluster].1));
    let mut ranks = vec![0; count];
    for (rank, cluster) in (0..).zip(&order) {
        ranks[*cluster] = rank;
    }
    of.iter_mut().flatten().for_each(|cluster| *cluster = ranks[*cluster as usize]);
    sizes.iter().filter(|(size, _)| *size > 0).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ON: ProgressFn<'static> = &|_, _| true;

    fn texts(words: &[&str]) -> Vec<Untrusted> {
        words.iter().map(|words| Untrusted::new(*words)).collect()
    }

    /// Builds a table of `rows` rows around each of some directions, with a little noise.
    fn around(directions: usize, rows: usize, dimensions: usize) -> VectorTable {
        let mut numbers = Vec::new();
        for at in 0..directions * rows {
            let vector = (0..dimensions).map(|axis| {
                let noise = ((at * 31 + axis * 17) as f32 * 12.9898).sin() * 0.2;
                noise + if axis == at % directions { 1.0 } else { 0.0 }
            });
            numbers.extend(vector);
        }
        VectorTable::of(dimensions, numbers)
    }

    #[test]
    fn what_points_the_same_way_is_one_cluster_named_by_its_words() {
        let table = around(3, 40, 12);
        let words = ["the refund of the order", "the delivery of the parcel", "the password of the account"];
        let all: Vec<Untrusted> = (0..120).map(|at| Untrusted::new(words[at % 3])).collect();
        let found = clusters(&table, &all, ON).unwrap();
        let expected: Vec<Option<u32>> = (0..120_u32).map(|at| Some(at % 3)).collect();
        assert_eq!(found.of, expected);
        let names: Vec<_> = found.names.iter().map(Untrusted::line).collect();
        assert_eq!(names, ["refund, order", "delivery, parcel", "password, account"]);
        assert_eq!(clusters(&table, &all, ON).unwrap(), found, "the same each time");
    }

    #[test]
    fn all_of_a_long_table_have_their_cluster() {
        let table = around(4, 2_500, 8);
        let all: Vec<Untrusted> = (0..10_000).map(|at| Untrusted::new(["ant", "bee", "cat", "dog"][at % 4])).collect();
        let found = clusters(&table, &all, ON).unwrap();
        assert_eq!(found.names, texts(&["ant", "bee", "cat", "dog"]));
        assert!(found.of.iter().enumerate().all(|(at, of)| *of == Some(at as u32 % 4)));
    }

    #[test]
    fn few_rows_and_those_without_direction_have_none() {
        let three = VectorTable::of(2, vec![1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        let none = Clusters { of: vec![None; 3], names: Vec::new() };
        assert_eq!(clusters(&three, &texts(&["a", "b", "c"]), ON).unwrap(), none);
        assert_eq!(clusters(&three, &texts(&["a"]), ON), Err(Refusal::Texts(3, 1)));
        let mut table = VectorTable::new(6);
        for (row, vector) in [[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9], [f32::NAN, 1.0]].iter().enumerate() {
            table.set(row, vector);
        }
        let found = clusters(&table, &texts(&["a", "b", "c", "d", "e", "f"]), ON).unwrap();
        assert_eq!(found.of, [Some(0), Some(0), Some(1), Some(1), None, None]);
        assert_eq!(clusters(&table, &texts(&["a", "b", "c", "d", "e", "f"]), &|_, _| false), Err(Refusal::Stopped));
        // All rows are equal: nothing separates them.
        let same = VectorTable::of(2, [1.0, 1.0].repeat(9));
        assert!(clusters(&same, &vec![Untrusted::new("a"); 9], ON).unwrap().names.is_empty());
    }
}
