//! Times, steps and what happens to a job, as people read them.

use std::time::Duration;

use jiff::Zoned;
use jiff::tz::TimeZone;

use crate::settings::ProfileId;
use crate::ui::meter;

/// What happens to a job of this profile's server when the program is left.
pub(super) fn runs(profile: &ProfileId) -> &'static str {
    if *profile == ProfileId::local() {
        "it runs while this program does, and goes on at its next start"
    } else {
        "it runs on the server, whatever happens here"
    }
}

/// `step 1,200 of 120,000`.
pub(super) fn step(at: u64, of: Option<u64>) -> String {
    let of = of.map(|of| format!(" of {}", meter::count(of))).unwrap_or_default();
    format!("step {}{of}", meter::count(at))
}

fn local(unix: i64) -> Option<Zoned> {
    jiff::Timestamp::from_second(unix).ok().map(|at| at.to_zoned(TimeZone::system()))
}

/// `14 Nov 2023`; `—` where nobody says.
pub(super) fn date(unix: i64) -> String {
    let at = local(unix).filter(|_| unix > 0);
    at.map_or_else(|| "—".to_owned(), |at| at.strftime("%-d %b %Y").to_string())
}

/// `12:07` today, `Mon` in the last days, `3 May`, `3 May 2022` before this year.
pub(super) fn when(unix: i64, now: i64) -> String {
    let (Some(at), Some(today)) = (local(unix).filter(|_| unix > 0), local(now)) else { return "—".to_owned() };
    let form = if at.date() == today.date() {
        "%H:%M"
    } else if (0..6 * 86_400).contains(&(now - unix)) {
        "%a"
    } else if at.year() == today.year() {
        "%-d %b"
    } else {
        "%-d %b %Y"
    };
    at.strftime(form).to_string()
}

/// `12:45:02` today, `14 Nov 12:45` before.
pub(super) fn clock(unix: i64, now: i64) -> String {
    let (Some(at), Some(today)) = (local(unix), local(now)) else { return String::new() };
    let form = if at.date() == today.date() { "%H:%M:%S" } else { "%-d %b %H:%M" };
    at.strftime(form).to_string()
}

/// `45 s`, `38 m`, `1 h 12 m`, `2 d 3 h`.
pub(super) fn long(time: Duration) -> String {
    let seconds = time.as_secs();
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{minutes} m"),
        3_600..86_400 => format!("{hours} h {} m", minutes % 60),
        _ => format!("{days} d {} h", hours % 24),
    }
}

/// `6.9 M`, `48.2 K`, `312`.
pub(super) fn many(number: u64) -> String {
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
    fn times_are_short() {
        let said = [5, 65, 3_700, 90_000].map(|seconds| long(Duration::from_secs(seconds)));
        assert_eq!(said, ["5 s", "1 m", "1 h 1 m", "1 d 1 h"]);
        assert_eq!([many(312), many(48_210), many(6_912_000)], ["312", "48.2 K", "6.9 M"]);
        let now = 1_700_000_000;
        assert_eq!((when(0, now), date(0)), ("—".into(), "—".into()));
        assert_eq!(when(now - 400 * 86_400, now).split(' ').count(), 3);
        assert_eq!(clock(now, now).len(), 8);
        assert!(when(i64::MAX, now) == "—" && clock(i64::MIN, now).is_empty());
    }
}
