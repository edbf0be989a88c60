//! Numbers of a chart as people read them.

use crate::text::grouped;

/// Formats a value exactly, in the shortest form: `0.7012`, `1,240`, `1.2e-12`.
pub fn exact(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞" } else { "-∞" }.to_owned();
    }
    let size = value.abs();
    if size != 0.0 && !(1e-4..1e15).contains(&size) {
        return format!("{value:e}");
    }
    grouped(&value.to_string())
}

/// Formats a value beside an axis from `low` to `high`, with as many digits as distinguish neighbours.
pub fn tick(value: f64, low: f64, high: f64) -> String {
    let (size, range) = (low.abs().max(high.abs()), high / 2.0 - low / 2.0);
    if !(size > 0.0 && range > 0.0 && range.is_finite()) {
        return exact(value);
    }
    // The distance between four labels is two thirds of half the range.
    let places = -((range / 1.5).log10().floor() as i32) + 1;
    if !(1e-3..1e7).contains(&size) {
        let digits = (size.log10().floor() as i32 + places).clamp(0, 8) as usize;
        let digits = if value == 0.0 {
            0
        } else {
            digits.saturating_sub((size / value.abs()).log10().floor().clamp(0.0, 99.0) as usize)
        };
        return format!("{value:.digits$e}");
    }
    let places = (places - i32::from(places > 1 && range >= 0.75)).clamp(0, 9) as usize;
    grouped(&format!("{value:.places$}"))
}

/// Formats a value with so many decimal places.
pub(super) fn places(value: f64, places: usize) -> String {
    grouped(&format!("{value:.places$}"))
}
