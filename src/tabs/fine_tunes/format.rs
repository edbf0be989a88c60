//! Steps and what happens to a job, as people read them.

use crate::settings::ProfileId;
use crate::ui::meter;

/// Returns what happens to a job of this profile's server when the program is left.
pub(super) fn after_quitting(profile: &ProfileId) -> &'static str {
    if *profile == ProfileId::local() {
        "it runs while this program does, and goes on at its next start"
    } else {
        "it runs on the server, whatever happens here"
    }
}

/// Returns a step, such as `step 1,200 of 120,000`.
pub(super) fn step(at: u64, of: Option<u64>) -> String {
    let of = of.map(|of| format!(" of {}", meter::count(of))).unwrap_or_default();
    format!("step {}{of}", meter::count(at))
}

/// Returns Unix milliseconds of a server's Unix seconds.
pub(super) fn unix_ms(unix: i64) -> i64 {
    unix.saturating_mul(1000)
}

/// Returns a number in short, such as `6.9 M`, `48.2 K` or `312`.
pub(super) fn short_count(number: u64) -> String {
    match number {
        0..10_000 => meter::count(number),
        10_000..999_950 => format!("{:.1} K", number as f64 / 1e3),
        _ => format!("{:.1} M", number as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_short() {
        assert_eq!([short_count(312), short_count(48_210), short_count(6_912_000)], ["312", "48.2 K", "6.9 M"]);
    }
}
