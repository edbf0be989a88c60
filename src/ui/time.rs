//! Formatted times and durations.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// The time zone for display. Times are Unix milliseconds; 0 and times outside the calendar are unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Zone {
    /// Coordinated universal time.
    #[default]
    Utc,
    /// The zone of the system. It is looked up when the first time is shown.
    System,
}

/// The zone of the system, once it was looked up.
static SYSTEM: OnceLock<TimeZone> = OnceLock::new();

impl Zone {
    fn get(self) -> TimeZone {
        match self {
            Self::Utc => TimeZone::UTC,
            Self::System => SYSTEM.get_or_init(|| local_time_file().unwrap_or_else(TimeZone::system)).clone(),
        }
    }

    fn local(self, unix_ms: i64) -> Option<Zoned> {
        let known = Timestamp::from_millisecond(unix_ms).ok().filter(|_| unix_ms != 0);
        known.map(|at| at.to_zoned(self.get()))
    }

    /// Returns the local date; the first one of Unix time if it is unknown.
    pub fn day(self, unix_ms: i64) -> Date {
        Timestamp::from_millisecond(unix_ms).unwrap_or_default().to_zoned(self.get()).date()
    }

    /// Returns when the local day of a moment began.
    pub fn start_of_day(self, unix_ms: i64) -> i64 {
        let start = self.day(unix_ms).to_zoned(self.get());
        start.map_or(unix_ms, |start| start.timestamp().as_millisecond())
    }

    fn write(self, unix_ms: i64, format: &str) -> String {
        self.local(unix_ms).map_or_else(|| "—".to_owned(), |at| at.strftime(format).to_string())
    }

    /// Formats the date: `14 Nov 2023`.
    pub fn date(self, unix_ms: i64) -> String {
        self.write(unix_ms, "%-d %b %Y")
    }

    /// Formats date and time: `21 Nov 2026 14:02`.
    pub fn date_time(self, unix_ms: i64) -> String {
        self.write(unix_ms, "%-d %b %Y %H:%M")
    }

    /// Formats date and time so that their order is that of time: `2026-11-21 14:02`.
    pub fn sortable(self, unix_ms: i64) -> String {
        self.write(unix_ms, "%Y-%m-%d %H:%M")
    }

    /// Formats day and time: `21 Nov 14:02`, the day in two columns.
    pub fn day_time(self, unix_ms: i64) -> String {
        self.write(unix_ms, "%e %b %H:%M")
    }

    /// Formats the time: `14:02`.
    pub fn time(self, unix_ms: i64) -> String {
        self.write(unix_ms, "%H:%M")
    }

    /// Formats the time with seconds: `14:02:45`.
    pub fn time_of_day(self, unix_ms: i64) -> String {
        self.write(unix_ms, "%H:%M:%S")
    }

    /// Formats a moment: `12:45:02` today, else `14 Nov 12:45`.
    pub fn moment(self, unix_ms: i64, now_ms: i64) -> String {
        let today = self.day(unix_ms) == self.day(now_ms);
        self.write(unix_ms, if today { "%H:%M:%S" } else { "%-d %b %H:%M" })
    }

    /// Formats a moment briefly: `12:02` today, `Mon` within a week, `3 May` this year, else `May 2023`.
    pub fn when(self, unix_ms: i64, now_ms: i64) -> String {
        let (then, now) = (self.day(unix_ms), self.day(now_ms));
        let format = match then.until(now).map_or(i32::MAX, |span| span.get_days()) {
            0 => "%H:%M",
            1..=6 => "%a",
            _ if then.year() == now.year() => "%-d %b",
            _ => "%b %Y",
        };
        self.write(unix_ms, format)
    }

    /// Formats a moment in six columns: `12:02` today, `May 03` this year, else `2023`.
    pub fn when_short(self, unix_ms: i64, now_ms: i64) -> String {
        let (then, now) = (self.day(unix_ms), self.day(now_ms));
        let format = match () {
            () if then == now => "%H:%M",
            () if then.year() == now.year() => "%b %d",
            () => "%Y",
        };
        format!("{:<6}", self.write(unix_ms, format))
    }
}

/// Returns the zone in the file that Unix has for it, unless the environment names another one. Looking the zone up by
/// its name would list the hundreds of zones of the system first, which takes a tenth of the start of a command.
fn local_time_file() -> Option<TimeZone> {
    let is_named = cfg!(not(unix)) || std::env::var_os("TZ").is_some();
    let data = (!is_named).then(|| std::fs::read("/etc/localtime").ok()).flatten()?;
    TimeZone::tzif("Local", &data).ok()
}

/// Formats a moment for programs, by ISO 8601 in whole seconds: `2023-11-14T22:13:20Z`; empty if it is unknown.
pub fn iso(unix_ms: i64) -> String {
    let known = Timestamp::from_second(unix_ms.div_euclid(1_000)).ok().filter(|_| unix_ms != 0);
    known.map(|at| at.to_string()).unwrap_or_default()
}

/// Formats how long ago a moment was: `just now`, `4 min ago`, `2 h ago`, `3 d ago`.
pub fn ago(then_ms: i64, now_ms: i64) -> String {
    let seconds = now_ms.saturating_sub(then_ms).max(0) / 1_000;
    match seconds {
        0..60 => "just now".to_owned(),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}

/// Formats the duration of a call or a step of work: `26 ms`, `0.4 s`, `12 s`, `3 min 5 s`.
pub fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    match duration.as_secs() {
        0 if duration.as_millis() < 100 && !duration.is_zero() => format!("{} ms", duration.as_millis().max(1)),
        0..10 => format!("{seconds:.1} s"),
        10..60 => format!("{} s", duration.as_secs()),
        whole => format!("{} min {} s", whole / 60, whole % 60),
    }
}

/// Formats the time until something happens, such as another attempt: `4 s`; rounded up, so that it is never 0.
pub fn countdown(at: Instant, now: Instant) -> String {
    let left = at.saturating_duration_since(now);
    format!("{} s", left.as_secs_f64().ceil().max(1.0))
}

/// Formats the duration of a job: `45 s`, `38 m`, `1 h 12 m`, `2 d 3 h`.
pub fn long_duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{minutes} m"),
        3_600..86_400 => format!("{hours} h {} m", minutes % 60),
        _ => format!("{days} d {} h", hours % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000;

    #[test]
    fn times_get_coarser_with_age() {
        let (zone, now) = (Zone::default(), "2024-05-03T12:02:00Z".parse::<Timestamp>().unwrap().as_millisecond());
        assert_eq!(zone.when(now, now), "12:02");
        assert_eq!(zone.when(now - DAY, now), "Thu");
        assert_eq!(zone.when(now - 40 * DAY, now), "24 Mar");
        assert_eq!(zone.when(now - 400 * DAY, now), "Mar 2023");
        assert_eq!([0, i64::MAX].map(|at| zone.when(at, now)), ["—", "—"]);
        assert_eq!([0, 1, 400].map(|days| zone.when_short(now - days * DAY, now)), ["12:02 ", "May 02", "2023  "]);
        assert_eq!([0, 1].map(|days| zone.moment(now - days * DAY, now)), ["12:02:00", "2 May 12:02"]);
        assert_eq!((zone.date(now), zone.date_time(now)), ("3 May 2024".into(), "3 May 2024 12:02".into()));
        assert_eq!((zone.day_time(now), zone.time_of_day(now)), (" 3 May 12:02".into(), "12:02:00".into()));
        assert_eq!(zone.sortable(now), "2024-05-03 12:02");
        assert_eq!([now + 999, 0, i64::MAX].map(iso), ["2024-05-03T12:02:00Z", "", ""]);
        let said = [5_000, 300_000, 7_200_000, 3 * DAY].map(|ms| ago(now - ms, now));
        assert_eq!(said, ["just now", "5 min ago", "2 h ago", "3 d ago"]);
    }

    #[test]
    fn countdowns_are_rounded_up_and_end_with_one_second() {
        let now = Instant::now();
        let said = [0, 400, 1_000, 1_001, 61_000].map(|ms| countdown(now + Duration::from_millis(ms), now));
        assert_eq!(said, ["1 s", "1 s", "1 s", "2 s", "61 s"]);
        assert_eq!(countdown(now, now + Duration::from_secs(3)), "1 s");
    }

    #[test]
    fn durations_get_coarser_with_length() {
        let said = [26, 2_140, 12_000, 185_000].map(|ms| duration(Duration::from_millis(ms)));
        assert_eq!(said, ["26 ms", "2.1 s", "12 s", "3 min 5 s"]);
        let said = [5, 65, 3_700, 90_000].map(|seconds| long_duration(Duration::from_secs(seconds)));
        assert_eq!(said, ["5 s", "1 m", "1 h 1 m", "1 d 1 h"]);
    }
}
