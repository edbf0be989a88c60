//! The range of values of a chart's axis.

use super::curves::{BY_LENGTH, Chart, LeftOut, Series};
use super::trace::{drawable, shown};

/// Neighbouring points of which at least one is left out at each end of their values when the scale is chosen.
const NEIGHBOURS: usize = 12;
/// How many times as large as without outliers the range must be before outliers are left out.
const FAR: f64 = 2.0;
/// The part of the steps that does not count if its values are far from all later ones: a loss usually falls steeply
/// there, and what is of interest comes later.
const START: f64 = 0.05;
/// The part of the later values that may be outside then.
const RARE: f64 = 0.1;

/// The range of values of an axis, and what is outside of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scale {
    /// Values at the bottom and at the top; `None`: there is nothing to draw.
    pub(super) range: Option<(f64, f64)>,
    pub(super) left_out: LeftOut,
}

impl Scale {
    /// Measures the shown part of a chart; `averages`: those of each curve, where they are drawn.
    pub(super) fn of(chart: &Chart, averages: Option<&[Vec<f64>]>, window: (f64, f64)) -> Self {
        let mut scale = Self::default();
        let mut usuals: Option<(f64, f64)> = None;
        for series in chart.series {
            let points = &series.points[shown(series.points, window)];
            let Some(own) = scale.count(points, chart.log) else { continue };
            scale.range = Some(both(scale.range, own));
            usuals = Some(both(usuals, usual(points).unwrap_or(own)));
        }
        let Some(all) = scale.range else { return scale };
        let averages = averages.filter(|_| chart.smoothing >= BY_LENGTH && !chart.log);
        if let Some(averages) = averages {
            let typical = usuals.filter(|usual| usual.0 < usual.1 && is_far(all, *usual));
            let typical = typical.map_or(all, |usual| within(chart, window, near(usual)).unwrap_or(usual));
            let range = range_after_early_steps(chart, averages, window)
                .filter(|later| is_far(typical, *later))
                .unwrap_or(typical);
            scale.range = Some(range);
        }
        scale.range = scale.range.map(|(low, high)| if low < high { (low, high) } else { around(low, chart.log) });
        if !chart.log {
            // So that there are labels at both ends.
            scale.range = scale.range.map(|range| round(range).unwrap_or(range));
        }
        if let (Some(_), Some(range)) = (averages, scale.range) {
            scale.count_outside(chart, window, range);
        }
        scale
    }

    /// Counts what cannot be drawn. Returns the least and the largest value that can.
    fn count(&mut self, points: &[(f64, f64)], log: bool) -> Option<(f64, f64)> {
        let mut range = None;
        for &(_, value) in points {
            if drawable(value, log) {
                range = Some(both(range, (value, value)));
            } else if value.is_nan() {
                self.left_out.nan += 1;
            } else if value.is_infinite() {
                self.left_out.infinite += 1;
            } else {
                self.left_out.not_positive += 1;
            }
        }
        range
    }

    /// Counts the values outside a range.
    fn count_outside(&mut self, chart: &Chart, window: (f64, f64), (low, high): (f64, f64)) {
        let mut last: Option<f64> = None;
        let mut above = true;
        for &(step, value) in values(chart, window).filter(|(_, value)| *value < low || *value > high) {
            self.left_out.outside += 1;
            above &= value > high;
            last = Some(last.map_or(step, |last| last.max(step)));
        }
        let early = last.filter(|step| above && start(chart, 2.0 * START).is_some_and(|start| *step < start));
        self.left_out.early = early.map(|step| (high, step));
    }
}

/// Returns the shown values that are numbers, with their steps.
fn values<'a>(chart: &Chart<'a>, window: (f64, f64)) -> impl Iterator<Item = &'a (f64, f64)> {
    let points = chart.series.iter().flat_map(move |series| &series.points[shown(series.points, window)]);
    points.filter(|point| point.1.is_finite())
}

/// Returns the range of the shown values within another one.
fn within(chart: &Chart, window: (f64, f64), (low, high): (f64, f64)) -> Option<(f64, f64)> {
    let inside = values(chart, window).map(|point| point.1).filter(|value| (low..=high).contains(value));
    inside.fold(None, |range, value| Some(both(range, (value, value))))
}

/// Returns a range with round ends that contains the averages after the first steps, and nearly all values there; else,
/// for curves that differ much from their averages, one that contains their usual values. `None`: neither is worth it.
fn range_after_early_steps(chart: &Chart, averages: &[Vec<f64>], window: (f64, f64)) -> Option<(f64, f64)> {
    let start = start(chart, START)?;
    // A user who zooms into the first steps wants to see them, and a curve that ends there would not be visible.
    let is_zoomed = chart.span().is_some_and(|(first, _)| window.0 > first || window.1 < start * 2.0);
    let ends_early = |series: &Series| series.points.last().is_some_and(|last| last.0 < start);
    if is_zoomed || chart.series.iter().any(ends_early) {
        return None;
    }
    let window = (window.0.max(start), window.1);
    if values(chart, window).count() < 2 * NEIGHBOURS {
        return None;
    }
    let holds = |range: &(f64, f64)| {
        let (mut all, mut outside) = (0_usize, 0_usize);
        for (_, value) in values(chart, window) {
            all += 1;
            outside += usize::from(!(range.0..=range.1).contains(value));
        }
        outside as f64 <= all as f64 * RARE
    };
    let pairs = chart.series.iter().zip(averages);
    let average = pairs.flat_map(|(series, average)| &average[shown(series.points, window)]);
    let average = average.filter(|value| value.is_finite());
    let average = average.fold(None, |range, value| Some(both(range, (*value, *value))));
    let usuals = || {
        let own = chart.series.iter().filter_map(|series| usual(&series.points[shown(series.points, window)]));
        own.reduce(|range, own| both(Some(range), own))
    };
    average.and_then(round).filter(holds).or_else(|| usuals().and_then(round).filter(holds))
}

/// Returns the step at which a part of all steps has passed.
fn start(chart: &Chart, part: f64) -> Option<f64> {
    chart.span().map(|(first, last)| first + (last - first) * part)
}

/// Returns the multiples of a round step around a range; from 0 where that is near.
fn round((low, high): (f64, f64)) -> Option<(f64, f64)> {
    let low = if low >= 0.0 && low < high / 2.0 { 0.0 } else { low };
    let least = (high - low) / 5.0;
    if !(least > 0.0 && least.is_finite()) {
        return None;
    }
    let power = 10.0_f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|part| part * power).into_iter().find(|step| *step >= least)?;
    let range = ((low / step).floor() * step, (high / step).ceil() * step);
    (range.0.is_finite() && range.1.is_finite()).then_some(range)
}

/// Returns whether a range is many times as large as another one.
fn is_far(all: (f64, f64), (low, high): (f64, f64)) -> bool {
    all.1 / FAR - all.0 / FAR > high - low
}

/// Returns the range that contains both.
pub(super) fn both(range: Option<(f64, f64)>, (low, high): (f64, f64)) -> (f64, f64) {
    range.map_or((low, high), |range| (range.0.min(low), range.1.max(high)))
}

/// Returns how far values may be from the usual ones and still belong to the scale: half their range.
fn near((low, high): (f64, f64)) -> (f64, f64) {
    let room = (high - low) / 2.0;
    (low - room, high + room)
}

/// Returns the bounds of a curve's values outside of which they do not count in its average: an outlier, or a first
/// value far from all later ones, would bend it over many steps.
pub(super) fn bounds(series: &Series, first: f64) -> (f64, f64) {
    let later = &series.points[series.points.partition_point(|point| point.0 < first)..];
    let usual = usual(later).filter(|(low, high)| low < high);
    usual.map_or((f64::NEG_INFINITY, f64::INFINITY), near)
}

/// Returns the first step that counts in [`bounds`].
pub(super) fn first(chart: &Chart) -> f64 {
    start(chart, START).unwrap_or(f64::NEG_INFINITY)
}

/// Returns the range of a curve without its outliers: the values of neighbouring points, without the least and the
/// largest twelfth of each group, over all groups. A falling or rising curve stays whole, as each group is measured by
/// itself. `None`: there are too few points to distinguish outliers.
fn usual(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let mut values: Vec<f64> = points.iter().map(|point| point.1).filter(|value| value.is_finite()).collect();
    if values.len() < 2 * NEIGHBOURS {
        return None;
    }
    let groups = (values.len() / NEIGHBOURS).min(60);
    let (all, mut range) = (values.len(), None);
    for at in 0..groups {
        let group = &mut values[at * all / groups..(at + 1) * all / groups];
        let out = group.len() / NEIGHBOURS;
        let (_, low, above) = group.select_nth_unstable_by(out, f64::total_cmp);
        let high = above.len() - 1 - out;
        range = Some(both(range, (*low, *above.select_nth_unstable_by(high, f64::total_cmp).1)));
    }
    range
}

/// Returns a range around a single value.
fn around(value: f64, log: bool) -> (f64, f64) {
    if log {
        return ((value / 2.0).max(f64::MIN_POSITIVE).min(value), (value * 2.0).min(f64::MAX));
    }
    let room = if value == 0.0 { 1.0 } else { value.abs() * 0.1 };
    ((value - room).max(f64::MIN), (value + room).min(f64::MAX))
}
