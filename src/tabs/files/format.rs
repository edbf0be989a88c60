//! Formats times, hashes and sums.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::ui::{meter, wrap};

/// Bytes that a server stores for one organisation.
pub(super) const ROOM: u64 = 1_000_000_000;

/// `12:02` of today, `Mon` of the last days, `3 May` of this year, else `May 2023`; `—`: not known.
pub(super) fn when(unix_ms: Option<i64>, now_ms: i64, zone: &TimeZone) -> String {
    let zoned = |ms: i64| Timestamp::from_millisecond(ms).ok().map(|at| at.to_zoned(zone.clone()));
    let (Some(then), Some(now)) = (unix_ms.filter(|ms| *ms != 0).and_then(zoned), zoned(now_ms)) else {
        return "—".to_owned();
    };
    let days = then.date().until(now.date()).map_or(i32::MAX, |span| span.get_days());
    let format = match days {
        0 => "%H:%M",
        1..=6 => "%a",
        _ if then.year() == now.year() => "%-d %b",
        _ => "%b %Y",
    };
    then.strftime(format).to_string()
}

/// How long ago: `just now`, `4 min ago`, `2 h ago`, `3 d ago`.
pub(super) fn ago(then_ms: i64, now_ms: i64) -> String {
    let seconds = now_ms.saturating_sub(then_ms).max(0) / 1_000;
    match seconds {
        0..60 => "just now".to_owned(),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}

/// `1 file`, `3 files`.
pub(super) fn files(count: usize) -> String {
    if count == 1 { "1 file".to_owned() } else { format!("{} files", meter::count(count as u64)) }
}

/// `▕█▌░░░▏ 240 MB of 1.00 GB`, with as many cells as are given; none: the figures alone.
pub(super) fn gauge(bytes: u64, cells: usize) -> String {
    let figures = format!("{} of {}", meter::bytes(bytes), meter::bytes(ROOM));
    if cells < 4 {
        return figures;
    }
    let share = bytes as f64 / ROOM as f64;
    format!("▕{}▏ {figures}", meter::bar(share.min(1.0), cells))
}

/// Letters and digits of a hash, in full.
pub(super) fn hex(hash: &[u8; 32]) -> String {
    use std::fmt::Write as _;
    hash.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// A hash out of its letters and digits.
pub(super) fn unhex(text: &str) -> Option<[u8; 32]> {
    let mut hash = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (byte, at) in hash.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(&text[at..at + 2], 16).ok()?;
    }
    Some(hash)
}

/// Draws a sentence wrapped into an area, and returns the row behind it.
pub(super) fn wrapped(frame: &mut Frame, area: Rect, words: &str, style: Style) -> u16 {
    let area = area.intersection(frame.area());
    let width = usize::from(area.width.saturating_sub(2)).max(1);
    let mut y = area.y;
    for line in wrap::lines(words, width) {
        if y >= area.bottom() {
            break;
        }
        frame.buffer_mut().set_stringn(area.x + 1, y, line, width, style);
        y += 1;
    }
    y
}

/// Returns how many and how much, for sentences: `3 files · 1.2 MB`.
pub(super) fn sum(count: usize, sum: u64) -> String {
    format!("{} · {}", files(count), meter::bytes(sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_get_coarser_with_age() {
        let now = 1_700_000_000_000; // 14 Nov 2023, 22:13 UTC, a Tuesday
        let day = 86_400_000;
        let said = |ago: i64| when(Some(now - ago), now, &TimeZone::UTC);
        assert_eq!(
            [said(0), said(day), said(6 * day), said(7 * day), said(400 * day)],
            ["22:13", "Mon", "Wed", "7 Nov", "Oct 2022"]
        );
        assert_eq!(said(-3 * day), "17 Nov", "a clock that is ahead");
        assert_eq!([when(None, now, &TimeZone::UTC), when(Some(0), now, &TimeZone::UTC)], ["—", "—"]);
        assert_eq!(when(Some(i64::MAX), now, &TimeZone::UTC), "—");
    }

    #[test]
    fn a_hash_is_read_as_it_was_written() {
        let hash = std::array::from_fn(|at| at as u8 * 7);
        assert_eq!(unhex(&hex(&hash)), Some(hash));
        for wrong in ["", "00", &"é".repeat(32), &"x".repeat(64)] {
            assert_eq!(unhex(wrong), None);
        }
    }

    #[test]
    fn the_gauge_is_never_more_than_full() {
        assert_eq!(gauge(240_000_000, 0), "240 MB of 1.00 GB");
        assert!(gauge(u64::MAX, 10).starts_with("▕██████████▏"));
    }
}
