//! Finds out whether a curve rises, by a test for trends.

/// Points at the end of a curve that are tested at least, where it has so many.
const LEAST: usize = 8;
/// Averages that a long end is tested by.
const MOST: usize = 60;
/// How unlikely a rise by chance must be: 1 in 100, as the quantile of the normal distribution. Six points are the
/// fewest that can reach it.
const QUANTILE: f64 = 2.326;

/// Where a loss was least, and whether it has risen since.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Trend {
    /// Step and value.
    pub(super) least: (f64, f64),
    /// Whether the last third rises: by the test of Mann and Kendall, which asks how many pairs of points rise and how
    /// many fall, and so depends neither on the scale nor on single values.
    pub(super) rises: bool,
    /// Whether the least value is the last one.
    pub(super) last: bool,
}

impl Trend {
    /// Judges a curve; `None`: it has no values.
    pub(super) fn of(points: &[(f64, f64)]) -> Option<Self> {
        let finite: Vec<(f64, f64)> = points.iter().filter(|point| point.1.is_finite()).copied().collect();
        let least = finite.iter().copied().reduce(|least, point| if point.1 <= least.1 { point } else { least })?;
        let end = &finite[finite.len() - (finite.len() / 3).max(LEAST).min(finite.len())..];
        let averages: Vec<f64> = end
            .chunks(end.len().div_ceil(MOST))
            .map(|chunk| chunk.iter().map(|point| point.1 / chunk.len() as f64).sum())
            .collect();
        let last = finite.last().is_some_and(|last| last.0.total_cmp(&least.0).is_eq());
        Some(Self { least, rises: quantile(&averages) >= QUANTILE, last })
    }
}

/// Returns the statistic of Mann and Kendall, as a quantile of the normal distribution; positive where the values rise.
fn quantile(values: &[f64]) -> f64 {
    let pairs =
        values.iter().enumerate().flat_map(|(at, value)| values[at + 1..].iter().map(move |later| (value, later)));
    let sum: f64 = pairs.map(|(value, later)| f64::from(later.total_cmp(value) as i8)).sum();
    let n = values.len() as f64;
    let variance = n * (n - 1.0) * (2.0 * n + 5.0) / 18.0;
    if variance > 0.0 { (sum - sum.signum()) / variance.sqrt() } else { 0.0 }
}
