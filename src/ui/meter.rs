//! Formatted numbers, bars, the spinner.

use std::time::Duration;

pub use crate::text::count;

/// Frames of the one spinner, 8 a second.
pub const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// Time that one frame of the spinner is shown.
pub const SPINNER_FRAME: Duration = Duration::from_millis(125);

/// Returns the spinner's glyph at a moment; `…` without motion.
pub fn spinner(elapsed: Duration, motion: bool) -> &'static str {
    if !motion {
        return "…";
    }
    SPINNER[(elapsed.as_millis() / SPINNER_FRAME.as_millis()) as usize % SPINNER.len()]
}

/// Formats `1284` as `1.3k`, for narrow places.
pub fn short(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        1_000..999_950 => format!("{:.1}k", number as f64 / 1e3),
        _ => format!("{:.1}M", number as f64 / 1e6),
    }
}

/// Formats a size in units of 1,000: `999 B`, `4.2 kB`, `115 kB`, `1 GB`; two digits, or all before the point.
pub fn bytes(number: u64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let (mut size, mut unit) = (number as f64, 0);
    // What would be rounded to 1,000 is in the next unit.
    while size >= 999.5 && unit + 1 < UNITS.len() {
        (size, unit) = (size / 1e3, unit + 1);
    }
    let places = usize::from(unit > 0 && size < 9.95);
    let digits = format!("{size:.places$}");
    format!("{} {}", digits.strip_suffix(".0").unwrap_or(&digits), UNITS[unit])
}

/// Formats tokens a second as `27 tok/s`.
pub fn token_rate(rate: f64) -> String {
    format!("{} tok/s", count(rate.round() as u64))
}

/// Formats a share (0 to 1) as `0.83`; `—` if there is nothing that it is a share of.
pub fn ratio(share: Option<f64>) -> String {
    share.map_or_else(|| "—".to_owned(), |share| format!("{share:.2}"))
}

/// Formats a share (0 to 1) as `42%`, `4.2%` or `<0.1%`; `0%` means none and `100%` all of it.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent <= 0.0 || percent >= 100.0 {
        return format!("{:.0}%", percent.clamp(0.0, 100.0));
    }
    if percent < 0.1 {
        return "<0.1%".to_owned();
    }
    let places = usize::from(percent < 9.95);
    let digits = format!("{:.places$}", percent.min(99.0));
    format!("{}%", digits.strip_suffix(".0").unwrap_or(&digits))
}

/// Returns a thin bar of `width` cells as a text, `share` of it (0 to 1) full, in half cells; the rest is a light line.
pub fn thin(share: f64, width: usize) -> String {
    let halves = super::bar::halves(share, width);
    let half = if halves % 2 == 1 { "╾" } else { "" };
    "━".repeat(halves / 2) + half + &"─".repeat(width - halves.div_ceil(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([count(7), count(1284), count(1_000_000)], ["7", "1,284", "1,000,000"]);
        assert_eq!([26.6, 1_284.4].map(token_rate), ["27 tok/s", "1,284 tok/s"]);
        let sizes = [0, 999, 1_000, 1_049, 4_210, 9_949, 9_950, 115_499, 999_499, 999_500, 2_140_000, 999_500_000];
        let words = ["0 B", "999 B", "1 kB", "1 kB", "4.2 kB", "9.9 kB", "10 kB", "115 kB", "999 kB", "1 MB", "2.1 MB"];
        assert_eq!(sizes.map(bytes)[..11], words);
        assert_eq!([bytes(999_500_000), bytes(1_250_000_000), bytes(u64::MAX)], ["1 GB", "1.2 GB", "18446744 TB"]);
        let shares = [0.0, 0.0004, 0.004, 0.05, 0.0994, 0.0996, 0.666, 0.997, 1.0].map(percent);
        assert_eq!(shares, ["0%", "<0.1%", "0.4%", "5%", "9.9%", "10%", "67%", "99%", "100%"]);
        assert_eq!([thin(0.0, 4), thin(0.4, 4), thin(0.5, 4), thin(1.0, 4)], ["────", "━╾──", "━━──", "━━━━"]);
    }
}
