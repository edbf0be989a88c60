//! The round values beside a chart.

use super::number::{places, tick};
use super::trace::Lens;
use crate::ui::wrap;

/// The most columns of a label.
pub(super) const LABEL: usize = 10;
/// The most labels.
const MOST: usize = 6;
/// Largest rounding error of a round number.
const NOISE: f64 = 1e-9;

/// A labelled row of the plot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tick {
    /// From the top.
    pub(super) row: u16,
    /// The row of dots in it nearest to the value, from the top.
    pub(super) dot: u16,
    pub(super) words: String,
}

/// Returns the labels of the values: round ones, two rows apart at least, evenly from end to end if the range allows
/// it; where fewer than two of them show, the values of the outermost rows.
pub(super) fn ticks(lens: &Lens, height: u16) -> Vec<Tick> {
    let most = usize::from(height.div_ceil(2)).clamp(2, MOST);
    let values = if lens.log {
        powers(lens.range, most)
    } else {
        evenly(lens.range, usize::from(height), most).unwrap_or_else(|| multiples(lens.range, most))
    };
    let mut ticks: Vec<Tick> = values
        .into_iter()
        .map(|(value, words)| {
            let row = lens.row(value);
            Tick { row: row as u16 / 4, dot: row as u16 % 4, words }
        })
        .filter(|tick| tick.row < height && wrap::width(&tick.words) <= LABEL)
        .collect();
    ticks.dedup_by_key(|tick| tick.row);
    if ticks.len() < 2 { ends(lens, height) } else { ticks }
}

/// Returns values at equal round distances from the largest of a range to its least; `None`: its ends are not round.
fn evenly((low, high): (f64, f64), height: usize, most: usize) -> Option<Vec<(f64, String)>> {
    let range = high - low;
    if !(range > 0.0 && range.is_finite() && low.abs().max(high.abs()) < 1e12) {
        return None;
    }
    let is_whole = |value: f64| (value - value.round()).abs() < 1e-6;
    // The decimal place in which both a step and the least value end, if it is near that of the step.
    let unit = |step: f64| {
        let first = 10.0_f64.powf(digit(step));
        [1.0, 0.1, 0.01].map(|part| part * first).into_iter().find(|unit| is_whole(step / unit) && is_whole(low / unit))
    };
    let is_round = |step: f64| {
        let first = step / 10.0_f64.powf(digit(step));
        [1.0, 2.0, 2.5, 5.0].iter().any(|round| (first - round).abs() < 1e-6)
    };
    let parts = (1..most).rev().filter_map(|parts| {
        let step = range / parts as f64;
        unit(step).filter(|_| is_round(step)).map(|unit| (parts, step, unit))
    });
    let mut parts: Vec<_> = parts.collect();
    // Multiples of the step read best.
    if parts.iter().any(|(_, step, _)| is_whole(low / step)) {
        parts.retain(|(_, step, _)| is_whole(low / step));
    }
    // Rather fewer labels than rows of different height between them.
    let most = parts.first()?.0;
    let even = parts.iter().find(|(parts, ..)| parts * 2 > most && (height - 1).is_multiple_of(*parts));
    let (parts, step, unit) = *even.or(parts.first())?;
    let values = (0..=parts).rev().map(|at| low + at as f64 * step);
    Some(values.map(|value| (value, words(value, unit, low.abs().max(high.abs())))).collect())
}

/// Returns the multiples of a round step within a range, from the largest, as many as there may be.
fn multiples((low, high): (f64, f64), most: usize) -> Vec<(f64, String)> {
    let range = high - low;
    if !(range > 0.0 && range.is_finite()) {
        return Vec::new();
    }
    let power = 10.0_f64.powf((range / most as f64).log10().floor());
    let ends = |step: f64| ((low / step - NOISE).ceil(), (high / step + NOISE).floor());
    let steps = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0].map(|part| part * power);
    let fits = |step: &f64| *step > 0.0 && ends(*step).1 - ends(*step).0 < most as f64;
    let Some(step) = steps.into_iter().find(fits) else { return Vec::new() };
    let (first, last) = ends(step);
    // Beyond this a step is smaller than the precision of the values.
    if first.abs().max(last.abs()) >= 1e12 {
        return Vec::new();
    }
    let values = (first as i64..=last as i64).rev().map(|at| at as f64 * step);
    values.map(|value| (value, words(value, step, low.abs().max(high.abs())))).collect()
}

/// Returns the power of ten of a value's first digit.
fn digit(value: f64) -> f64 {
    (value.abs().log10() + NOISE).floor()
}

/// Returns a multiple of a step in as many digits as the step has, beside values up to a size.
fn words(value: f64, step: f64, size: f64) -> String {
    let last = digit(step);
    if (1e-3..1e7).contains(&size) {
        // Avoids "-0".
        let value = if value.abs() < step / 2.0 { 0.0 } else { value };
        return places(value, (-last).clamp(0.0, 9.0) as usize);
    }
    if value.abs() < step / 2.0 {
        return "0".to_owned();
    }
    format!("{value:.*e}", (digit(value) - last).clamp(0.0, 8.0) as usize)
}

/// Returns powers of ten within a range, from the largest; where it has fewer than two, also twice and five times them.
fn powers((low, high): (f64, f64), most: usize) -> Vec<(f64, String)> {
    let (first, last) = (low.log10().ceil() as i32, high.log10().floor() as i32);
    let stride = ((last - first + 1).max(1) as usize).div_ceil(most);
    let mut values: Vec<f64> = (first..=last).rev().step_by(stride).map(|power| 10.0_f64.powi(power)).collect();
    if values.len() < 2 {
        let parts = (first - 1..=last).rev().flat_map(|power| [5.0, 2.0, 1.0].map(|part| part * 10.0_f64.powi(power)));
        values = parts.filter(|value| (low..=high).contains(value)).take(most).collect();
    }
    let words = |value: f64| match value {
        1e-3..1e7 => places(value, (-digit(value)).max(0.0) as usize),
        _ => format!("{value:.0e}"),
    };
    values.into_iter().map(|value| (value, words(value))).collect()
}

/// Returns the values of the outermost rows.
fn ends(lens: &Lens, height: u16) -> Vec<Tick> {
    let words = |row: u16| {
        let value = lens.value(usize::from(row));
        // On a logarithmic axis neighbours differ by a factor, mostly a large one.
        let wide = lens.log && lens.range.1 / 2.0 > lens.range.0;
        let words = if wide { tick(value, 0.0, value) } else { tick(value, lens.range.0, lens.range.1) };
        if wrap::width(&words) > LABEL { format!("{value:.2e}") } else { words }
    };
    let mut rows = vec![0, height.saturating_sub(1)];
    rows.dedup();
    let dot = |row| if row == 0 { 0 } else { 3 };
    rows.into_iter().map(|row| Tick { row, dot: dot(row), words: words(row) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(range: (f64, f64), log: bool, height: u16) -> Vec<(u16, String)> {
        let lens = Lens { window: (0.0, 1.0), range, log, dots: (80, usize::from(height) * 4) };
        ticks(&lens, height).into_iter().map(|tick| (tick.row, tick.words)).collect()
    }

    fn words(range: (f64, f64), log: bool, height: u16) -> Vec<String> {
        labels(range, log, height).into_iter().map(|(_, words)| words).collect()
    }

    #[test]
    fn values_are_round_and_apart() {
        assert_eq!(words((0.05, 2.6), false, 11), ["2.5", "2.0", "1.5", "1.0", "0.5"]);
        assert_eq!(words((0.0, 1.0), false, 5), ["1.0", "0.5", "0.0"]);
        assert_eq!(words((-30.0, 12_400.0), false, 11), ["10,000", "5,000", "0"]);
        assert_eq!(words((0.49, 0.51), false, 11), ["0.510", "0.505", "0.500", "0.495", "0.490"]);
        assert_eq!(words((1e-12, 4e-12), false, 9), ["4e-12", "3e-12", "2e-12", "1e-12"]);
        assert_eq!(words((0.004, 120.0), true, 11), ["100", "10", "1", "0.1", "0.01"]);
        for height in 2..40 {
            let rows: Vec<u16> = labels((0.013, 7.77), false, height).iter().map(|(row, _)| *row).collect();
            assert!(rows.len() >= 2 && rows.is_sorted() && rows[rows.len() - 1] < height, "{height}: {rows:?}");
        }
    }

    #[test]
    fn a_range_with_round_ends_has_labels_at_both() {
        assert_eq!(
            labels((0.0, 2.5), false, 11),
            [(0, "2.5"), (2, "2.0"), (4, "1.5"), (6, "1.0"), (8, "0.5"), (10, "0.0")]
                .map(|(row, words)| (row, words.to_owned()))
        );
        assert_eq!(words((0.0, 2.5), false, 5), ["2.5", "0.0"]);
        assert_eq!(words((0.0, 0.8), false, 9), ["0.8", "0.6", "0.4", "0.2", "0.0"]);
        assert_eq!(words((0.5, 2.5), false, 5), ["2.5", "1.5", "0.5"]);
        assert_eq!(words((-5_000.0, 15_000.0), false, 9), ["15,000", "10,000", "5,000", "0", "-5,000"]);
        assert_eq!(words((3.0, 9.0), false, 11), ["9", "7", "5", "3"]);
    }

    #[test]
    fn odd_ranges_have_the_values_of_their_ends() {
        assert_eq!(labels((f64::MIN, f64::MAX), false, 9).len(), 2);
        assert_eq!(labels((f64::MIN_POSITIVE, f64::MAX), true, 9).len(), 5);
        assert_eq!(labels((1e15, 1e15 + 0.25), false, 9).len(), 2);
    }
}
