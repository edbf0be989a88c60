//! Numbers as people read them, bars, the spinner.

use std::time::Duration;

/// Frames of the one spinner, 8 a second.
pub const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// How long one frame of the spinner stands.
pub const SPINNER_FRAME: Duration = Duration::from_millis(125);

/// The spinner's glyph at a moment; `…` when nothing may move.
pub fn spinner(elapsed: Duration, motion: bool) -> &'static str {
    if !motion {
        return "…";
    }
    SPINNER[(elapsed.as_millis() / SPINNER_FRAME.as_millis()) as usize % SPINNER.len()]
}

/// `1284` → `1,284`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1284` → `1.3k`, for narrow places.
pub fn short(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        1_000..999_950 => format!("{:.1}k", number as f64 / 1e3),
        _ => format!("{:.1}M", number as f64 / 1e6),
    }
}

/// `431 MB` (10⁶), rounded.
pub fn bytes(number: u64) -> String {
    let rounded = |unit: u64| (number + unit / 2) / unit;
    match number {
        0..1_000 => format!("{number} B"),
        1_000..999_500 => format!("{} KB", rounded(1_000)),
        999_500..999_500_000 => format!("{} MB", rounded(1_000_000)),
        _ => format!("{:.2} GB", number as f64 / 1e9),
    }
}

/// A bar of `width` cells, `share` of it (0 to 1) full, in eighths.
pub fn bar(share: f64, width: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share.clamp(0.0, 1.0) * width as f64 * 8.0).round() as usize;
    let mut out = "█".repeat(eighths / 8);
    out.push_str(EIGHTHS[eighths % 8]);
    out.push_str(&"░".repeat(width - eighths.div_ceil(8)));
    out
}

/// A thin bar of `width` cells as a text, `share` of it (0 to 1) full, in half cells; the rest is a light line.
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
        let sizes = [999, 1_499, 1_500, 999_499, 999_500, 18_900_000, 999_499_999, 999_500_000];
        assert_eq!(sizes.map(bytes), ["999 B", "1 KB", "2 KB", "999 KB", "1 MB", "19 MB", "999 MB", "1.00 GB"]);
        assert_eq!([thin(0.0, 4), thin(0.4, 4), thin(0.5, 4), thin(1.0, 4)], ["────", "━╾──", "━━──", "━━━━"]);
        assert_eq!([bar(0.0, 4), bar(0.5, 4), bar(0.53, 4), bar(1.0, 4)], ["░░░░", "██░░", "██▏░", "████"]);
    }
}
