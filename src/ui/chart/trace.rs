//! From points to dots: the work that depends on the number of points.

use super::curves::{BY_LENGTH, Chart, LOOKS, Series};
use super::raster::Raster;
use super::scale::{self, Scale};

/// Number of isolated points up to which each has a mark.
const LONE: usize = 60;
/// The share of its points over which [`BY_LENGTH`] averages a curve.
const PART: f64 = 1.0 / 50.0;

/// The visible curves as dots, valid while nothing changes that they depend on.
#[derive(Clone, Debug, Default)]
pub(super) struct Traces {
    source: Option<ScaleSource>,
    /// The cells that the dots are for; `None`: they are outdated.
    cells: Option<(usize, usize)>,
    /// The averages, and of which version and weight (its bits).
    pub(super) smooth: Option<(u64, u64, Vec<Vec<f64>>)>,
    pub(super) lines: Vec<Trace>,
    pub(super) scale: Scale,
    /// The first and the last visible step.
    pub(super) window: (f64, f64),
}

/// What the range of values depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ScaleSource {
    version: u64,
    curves: usize,
    log: bool,
    smoothing: f64,
    window: Option<(f64, f64)>,
}

/// A curve as dots.
#[derive(Clone, Debug, Default)]
pub(super) struct Trace {
    /// The values unchanged.
    pub(super) raw: Raster,
    /// Their average.
    pub(super) smooth: Option<Raster>,
    /// Cells of hollow points.
    pub(super) hollow: Vec<(usize, usize)>,
    /// The cell of the last visible point.
    pub(super) end: Option<(usize, usize)>,
    /// Cells of points without a line, if there are few: a single dot is hard to see.
    pub(super) lone: Vec<(usize, usize)>,
}

/// Maps steps and values to dots.
#[derive(Clone, Copy)]
pub(super) struct Lens {
    pub(super) window: (f64, f64),
    pub(super) range: (f64, f64),
    pub(super) log: bool,
    /// Dots across and down.
    pub(super) dots: (usize, usize),
}

impl Lens {
    /// Returns the column of a step, in dots from the left; not rounded, and outside if the step is.
    pub(super) fn column(&self, step: f64) -> f64 {
        share(step, self.window) * (self.dots.0 as f64 - 1.0)
    }

    /// Returns the row of a drawable value, in dots from above; of one outside the range the row at that edge.
    pub(super) fn row(&self, value: f64) -> f64 {
        let part = if self.log {
            share(value.log10(), (self.range.0.log10(), self.range.1.log10()))
        } else {
            share(value, self.range)
        };
        (1.0 - part.clamp(0.0, 1.0)) * (self.dots.1 as f64 - 1.0)
    }

    /// Returns the cell of a point, if it is visible.
    pub(super) fn cell(&self, (step, value): (f64, f64)) -> Option<(usize, usize)> {
        if !drawable(value, self.log) {
            return None;
        }
        let (column, row) = (self.column(step).round(), self.row(value).round());
        let inside = column >= 0.0 && row >= 0.0 && column < self.dots.0 as f64 && row < self.dots.1 as f64;
        inside.then_some((column as usize / 2, row as usize / 4))
    }

    /// Returns the value in the middle of a row of cells; of the outermost rows the end of the range.
    pub(super) fn value(&self, row: usize) -> f64 {
        let rows = self.dots.1 / 4;
        let dot = match row {
            0 => 0.0,
            row if row + 1 == rows => self.dots.1 as f64 - 1.0,
            row => row as f64 * 4.0 + 1.5,
        };
        let part = 1.0 - dot / (self.dots.1 as f64 - 1.0);
        if self.log {
            let (low, high) = (self.range.0.log10(), self.range.1.log10());
            return 10.0_f64.powf(low + (high - low) * part).clamp(self.range.0, self.range.1);
        }
        // Halved, so that the largest numbers do not overflow.
        ((self.range.0 / 2.0) * (1.0 - part) + (self.range.1 / 2.0) * part) * 2.0
    }
}

/// Returns the position of `at` between two ends, 0 to 1.
fn share(at: f64, (low, high): (f64, f64)) -> f64 {
    let whole = high / 2.0 - low / 2.0;
    if whole > 0.0 { (at / 2.0 - low / 2.0) / whole } else { 0.5 }
}

/// Returns whether a value can be drawn on the axis.
pub(super) fn drawable(value: f64, log: bool) -> bool {
    value.is_finite() && (!log || value > 0.0)
}

impl Traces {
    /// Computes averages and the range of values, if they are outdated.
    pub(super) fn update_scale(&mut self, chart: &Chart, window: Option<(f64, f64)>) {
        let Chart { version, log, smoothing, .. } = *chart;
        let source = ScaleSource { version, curves: chart.series.len(), log, smoothing, window };
        if self.source == Some(source) {
            return;
        }
        *self = Self { source: Some(source), smooth: self.smooth.take(), window: self.window, ..Self::default() };
        let Some(window) = window.or_else(|| chart.extent()) else { return };
        self.window = window;
        self.average(chart);
        self.scale = Scale::of(chart, self.averages(chart), window);
    }

    /// Computes the dots of the curves in so many cells across and down, if they are outdated.
    pub(super) fn update_lines(&mut self, chart: &Chart, cells: (usize, usize)) {
        if self.cells.replace(cells) == Some(cells) {
            return;
        }
        let Some(range) = self.scale.range else { return };
        let lens = Lens { window: self.window, range, log: chart.log, dots: (cells.0 * 2, cells.1 * 4) };
        let averages = self.averages(chart);
        let average = |at: usize| averages.and_then(|averages| averages.get(at)).map(Vec::as_slice);
        let series = chart.series.iter().enumerate();
        self.lines = series.map(|(at, series)| trace(&lens, series, average(at), cells)).collect();
    }

    /// Returns the averages of the curves; `None`: they are not drawn.
    fn averages(&self, chart: &Chart) -> Option<&[Vec<f64>]> {
        self.smooth.as_ref().filter(|_| chart.smoothing > 0.0).map(|(_, _, averages)| &averages[..])
    }

    /// Computes the averages, if they are drawn.
    fn average(&mut self, chart: &Chart) {
        let weight = chart.smoothing;
        let known =
            self.smooth.as_ref().is_some_and(|(version, of, _)| *version == chart.version && *of == weight.to_bits());
        if weight <= 0.0 || known {
            return;
        }
        let first = scale::first(chart);
        let averages = chart.series.iter().map(|series| {
            let values = series.points.iter().map(|point| point.1);
            if weight < BY_LENGTH {
                return averaged(values, weight);
            }
            let weight = (1.0 - 1.0 / (values.len() as f64 * PART)).max(0.0);
            let (low, high) = scale::bounds(series, first);
            let values: Vec<f64> =
                values.map(|value| if value.is_finite() { value.clamp(low, high) } else { value }).collect();
            // From both ends: an average from one end alone lags behind a curve that falls.
            let back = averaged(values.iter().rev().copied(), weight);
            let there = averaged(values.into_iter(), weight);
            there.into_iter().zip(back.into_iter().rev()).map(|(there, back)| there / 2.0 + back / 2.0).collect()
        });
        self.smooth = Some((chart.version, weight.to_bits(), averages.collect()));
    }
}

/// Returns the average up to each value, in which the preceding average has this weight.
fn averaged(values: impl Iterator<Item = f64>, weight: f64) -> Vec<f64> {
    let mut before: Option<f64> = None;
    let next = |value: f64| {
        if !value.is_finite() {
            return value;
        }
        let average = before.map_or(value, |before| before * weight + value * (1.0 - weight));
        before = Some(average);
        average
    };
    values.map(next).collect()
}

/// Returns the points in a window.
pub(super) fn shown(points: &[(f64, f64)], (low, high): (f64, f64)) -> std::ops::Range<usize> {
    let first = points.partition_point(|point| point.0 < low);
    first..points.partition_point(|point| point.0 <= high).max(first)
}

/// Converts a curve into dots.
fn trace(lens: &Lens, series: &Series, average: Option<&[f64]>, cells: (usize, usize)) -> Trace {
    let points = series.points;
    let shown = shown(points, lens.window);
    // One more on each side: lines enter from there.
    let around = shown.start.saturating_sub(1)..(shown.end + 1).min(points.len());
    let near = &points[around.clone()];
    let raw = line(lens, near, |at| near[at].1, cells);
    let smooth = average.map(|average| &average[around]).map(|average| line(lens, near, |at| average[at], cells));
    let end = points[shown.clone()].iter().rev().find_map(|point| lens.cell(*point));
    let mut hollow: Vec<(usize, usize)> = Vec::new();
    for at in shown.clone().rev().take_while(|at| *at >= series.confirmed) {
        let apart = |cell: &(usize, usize)| hollow.last().is_none_or(|last| cell.0 + 3 <= last.0);
        if let Some(cell) = lens.cell(points[at]).filter(apart) {
            hollow.push(cell);
        }
    }
    let is = |at: Option<usize>| at.and_then(|at| points.get(at)).is_some_and(|point| drawable(point.1, lens.log));
    let alone = |at: &usize| is(Some(*at)) && !is(at.checked_sub(1)) && !is(at.checked_add(1));
    // Without a gap only a single point is isolated.
    let gaps = points[shown.clone()].iter().any(|point| !drawable(point.1, lens.log)) || points.len() == 1;
    let all = if gaps { shown } else { 0..0 };
    let mut lone: Vec<_> = all.filter(alone).take(LONE + 1).filter_map(|at| lens.cell(points[at])).collect();
    if lone.len() > LONE {
        lone.clear();
    }
    let mut trace = Trace { raw, smooth, hollow, end, lone };
    let of = series.look % LOOKS;
    match &mut trace.smooth {
        Some(smooth) => dash(smooth, of),
        None => dash(&mut trace.raw, of),
    }
    trace
}

/// Draws a line as dots. In each column it covers all values in it, but not the space between values that a gap
/// separates. `value` is a point's own, or the average at it.
fn line(lens: &Lens, points: &[(f64, f64)], value: impl Fn(usize) -> f64, cells: (usize, usize)) -> Raster {
    let mut raster = Raster::new(cells.0, cells.1);
    let column = |at: usize| lens.column(points[at].0).round() as i64;
    // Where the line comes from: the last point, unless a gap follows it.
    let mut from: Option<(f64, f64)> = None;
    let mut first = 0;
    while first < points.len() {
        let here = column(first);
        // Columns grow with the steps, so that most points need not be mapped.
        let behind = first + points[first..].partition_point(|point| lens.column(point.0).round() as i64 <= here);
        let mut reach: Option<(f64, f64)> = None;
        for (at, point) in points.iter().enumerate().take(behind.max(first + 1)).skip(first) {
            let value = value(at);
            if !drawable(value, lens.log) {
                mark(lens, &mut raster, here, reach.take());
                from = None;
                continue;
            }
            match &mut reach {
                Some((low, high)) => {
                    *low = low.min(value);
                    *high = high.max(value);
                }
                None => {
                    reach = Some((value, value));
                    if let Some((step, before)) = from {
                        let to = (lens.column(point.0), lens.row(value));
                        join(&mut raster, (lens.column(step), lens.row(before)), to);
                    }
                }
            }
            from = Some((point.0, value));
        }
        mark(lens, &mut raster, here, reach);
        first = behind.max(first + 1);
    }
    raster
}

/// Marks all values of a run of neighbours in a column, if it is visible.
fn mark(lens: &Lens, raster: &mut Raster, column: i64, reach: Option<(f64, f64)>) {
    if let (Some((low, high)), Ok(column)) = (reach, usize::try_from(column)) {
        raster.mark(column, lens.row(low), lens.row(high));
    }
}

/// Sets the dots between two places.
fn join(raster: &mut Raster, from: (f64, f64), to: (f64, f64)) {
    let across = to.0 - from.0;
    let columns = raster.dots().0 as f64;
    if !(across > 0.0 && from.1.is_finite() && to.1.is_finite()) {
        return;
    }
    let row = |column: f64| from.1 + (to.1 - from.1) * ((column - from.0) / across).clamp(0.0, 1.0);
    let first = from.0.round().clamp(0.0, columns) as usize;
    let last = to.0.round().clamp(-1.0, columns - 1.0);
    let mut column = first;
    while column as f64 <= last {
        let (left, right) = (column as f64 - 0.5, column as f64 + 0.5);
        raster.mark(column, row(left), row(right));
        column += 1;
    }
}

/// Which columns of eight a kind of line is drawn in.
const LINES: [[bool; 8]; LOOKS] = {
    const O: bool = false;
    const I: bool = true;
    [
        [I, I, I, I, I, I, I, I],
        [I, I, I, I, I, I, O, O],
        [I, O, I, O, I, O, I, O],
        [I, I, I, I, O, I, O, O],
        [I, I, O, O, I, I, O, O],
        [I, O, O, O, I, O, O, O],
    ]
};

/// Makes a line dashed without losing information: a column is cleared only if its dots lie, up to a dot, between those
/// of its neighbours that stay.
fn dash(raster: &mut Raster, look: usize) {
    let pattern = LINES[look];
    let columns = raster.dots().0;
    let reach: Vec<_> = (0..columns).map(|column| raster.reach(column)).collect();
    let stays = |column: usize| pattern[column % 8];
    for column in (0..columns).filter(|column| !stays(*column)) {
        let left = (0..column).rev().find(|at| stays(*at)).and_then(|at| reach[at]);
        let right = (column + 1..columns).find(|at| stays(*at)).and_then(|at| reach[at]);
        let (Some(own), Some(left), Some(right)) = (reach[column], left, right) else { continue };
        if own.0 + 1 >= left.0.min(right.0) && own.1 <= left.1.max(right.1) + 1 {
            raster.clear(column);
        }
    }
}
