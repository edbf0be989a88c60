//! The curves of a chart, and what of them could not be drawn.

/// Curves with a style of their own.
pub const LOOKS: usize = 6;
/// The smoothing that depends on the length of each curve. A few outliers, such as those of the first steps, do not
/// determine the scale: they are drawn at its edge, and [`LeftOut::outside`] counts them.
pub const BY_LENGTH: f64 = 1.0;

/// A curve.
#[derive(Clone, Copy, Debug)]
pub struct Series<'a> {
    /// Drawn at the curve's end; `None`: nothing is.
    pub letter: Option<char>,
    /// Its colour and line style, from 0: solid, dashed, dotted, …; from [`LOOKS`] on they repeat.
    pub look: usize,
    /// Step and value, by step. A value that is not finite breaks the line; steps are finite.
    pub points: &'a [(f64, f64)],
    /// How many of the points, from the first, are confirmed; the others are hollow (`○`, some cells apart).
    pub confirmed: usize,
}

/// The curves for drawing once.
#[derive(Clone, Copy, Debug)]
pub struct Chart<'a> {
    /// The curves. Those with fewer points are drawn over the others; with equally many, the first is on top.
    pub series: &'a [Series<'a>],
    /// Changes whenever a curve or a point does: results computed for a number are kept as long as it stays.
    pub version: u64,
    /// Whether the values' axis is logarithmic. Values ≤ 0 are then left out, and
    /// [`View::left_out`](super::View::left_out) says how many.
    pub log: bool,
    /// Weight of the past in the average that is drawn bold over the values, which are a thin band then: 0 to below 1;
    /// 0: no average; [`BY_LENGTH`]: one for each curve, by its length.
    pub smoothing: f64,
    /// Whether the terminal draws braille; if not, `·` is used.
    pub braille: bool,
}

/// Values of the visible part that could not be drawn as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LeftOut {
    /// Values that are NaN.
    pub nan: u64,
    /// Infinite values.
    pub infinite: u64,
    /// Values ≤ 0 on a logarithmic axis.
    pub not_positive: u64,
    /// Values outside the scale, if outliers do not determine it: they are drawn at its edge.
    pub outside: u64,
    /// If these are only values of the first steps, above the scale: its top, and the last of those steps.
    pub early: Option<(f64, f64)>,
}

impl Chart<'_> {
    /// Returns the first and the last step of all curves.
    pub fn span(&self) -> Option<(f64, f64)> {
        let ends = self.series.iter().filter_map(|series| Some((series.points.first()?.0, series.points.last()?.0)));
        ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }
}

/// Returns the last point at or before a step.
pub(super) fn last_until(points: &[(f64, f64)], step: f64) -> Option<(f64, f64)> {
    points.partition_point(|point| point.0 <= step).checked_sub(1).map(|at| points[at])
}
