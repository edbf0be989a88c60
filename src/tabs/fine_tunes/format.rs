//! Formats steps and statuses of jobs for people.

use crate::settings::ProfileId;
use crate::ui::meter;

/// Returns what happens to a job of this profile's server when the program is left.
pub fn after_quitting(profile: &ProfileId) -> &'static str {
    if *profile == ProfileId::local() {
        "it runs while benchtop runs, and continues at the next start"
    } else {
        "it runs on the server, even when benchtop is closed"
    }
}

/// Returns `1,296 rows`
pub(super) fn rows(count: u64) -> String {
    format!("{} {}", meter::count(count), if count == 1 { "row" } else { "rows" })
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
