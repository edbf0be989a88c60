//! Progress of work, on one line.
//!
//! ```text
//! ━━━━━━━━━━━━━━━━━━╾─────────────────────────   42%   4,310 of 10,000 texts   112/s     51 s left
//! ━━━━──────  42%  4,310/10,000   112/s     51 s
//! ━━━━━━╾────────  42%
//! ━━━━━╾──────────────────────────────────────   13%  ⚠ 429, again in 4 s
//! ```
//!
//! If space is short, parts are omitted in this order: the words, the rate, the time left, the count, the bar. Each
//! number keeps its columns while it grows, so that the bar does not move.

mod rate;

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

pub use rate::Rate;

use super::rule::cut;
use super::theme::Theme;
use super::{meter, wrap};

/// The unit of the count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A named kind of thing: `texts`, `pairs`.
    Count(&'static str),
    /// Bytes.
    Bytes,
}

/// The state of the work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum State<'a> {
    /// Running.
    Running,
    /// `‖`: paused by the user, can be continued.
    Paused,
    /// `⚠`: the reason for waiting, and what happens next: `429, again in 4 s`.
    Retry(&'a str),
    /// `✓`: done, and where the result is; may be empty.
    Done(&'a str),
    /// `✕`: failed, and why.
    Failed(&'a str),
}

/// A line of progress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress<'a> {
    /// Units done so far.
    pub done: u64,
    /// Units in all; `None`: unknown, a block moves and no percentage is shown.
    pub total: Option<u64>,
    /// The unit.
    pub unit: Unit,
    /// Units per second, from [`Rate::per_second`].
    pub rate: Option<f64>,
    /// Time left, from [`Rate::left`].
    pub left: Option<Duration>,
    /// Its state.
    pub state: State<'a>,
    /// Time since it began: moves the block of an unknown total. Zero if animation is off.
    pub elapsed: Duration,
}

/// Time that the moving block of an unknown total stays at one place.
const STEP: Duration = Duration::from_millis(125);

/// Columns of a reason that are useful.
const REASON: usize = 16;

/// Levels of detail beside the bar, from most to least, with the fewest cells of a bar beside each.
const STEPS: [(ProgressDetail, usize); 5] = [
    (ProgressDetail::All, 20),
    (ProgressDetail::Short, 10),
    (ProgressDetail::NoRate, 8),
    (ProgressDetail::NoLeft, 6),
    (ProgressDetail::Percent, 4),
];

/// How much is shown beside the bar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ProgressDetail {
    All,
    Short,
    NoRate,
    NoLeft,
    Percent,
}

impl Progress<'_> {
    /// Returns the line in `width` columns.
    pub fn line(&self, width: usize) -> String {
        let (bar, figures, words) = self.parts(width);
        bar + &figures + &words
    }

    /// Draws it into the first row of `area`.
    pub fn render(&self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        let area = area.intersection(buf.area);
        if area.is_empty() {
            return;
        }
        let (bar, figures, words) = self.parts(usize::from(area.width));
        let style = self.style(theme);
        // If colours distinguish the rest from the bar, both are the same line.
        let track = theme.track(buf[(area.x, area.y)].bg);
        let (rest, track) = track.map_or(("─", theme.faint), |track| ("━", track));
        let mut at = (area.x, area.y);
        let mut put = |text: &str, style: Style| {
            let room = usize::from(area.right().saturating_sub(at.0));
            at = buf.set_stringn(at.0, at.1, text, room, style);
        };
        for cell in bar.chars() {
            match cell {
                '─' => put(rest, track),
                cell => put(cell.encode_utf8(&mut [0; 4]), style),
            }
        }
        put(&figures, theme.text);
        put(&words, if self.state == State::Running { theme.muted } else { style });
    }

    /// Returns the bar, the figures beside it, and the words on the state: as much as fits.
    fn parts(&self, width: usize) -> (String, String, String) {
        for (step, least) in STEPS {
            let figures = self.figures(step);
            let room = width.saturating_sub(wrap::width(&figures) + least);
            let words = self.words(step, room);
            let used = wrap::width(&figures) + wrap::width(&words);
            if used + least <= width {
                return (self.bar(width - used), figures, words);
            }
        }
        // The reason for a pause matters more than the bar; in the end one figure or one mark is left.
        let figures = self.figures(ProgressDetail::Percent).trim_start().to_owned();
        let words = self.words(ProgressDetail::Percent, 0);
        let words = if wrap::width(&figures) + wrap::width(&words) <= width { words } else { String::new() };
        (String::new(), cut(&figures, width), words)
    }

    fn bar(&self, width: usize) -> String {
        match self.total {
            Some(_) => meter::thin(self.share(), width),
            None if matches!(self.state, State::Done(_)) => "━".repeat(width),
            None if self.elapsed.is_zero() || self.state != State::Running => "─".repeat(width),
            None => {
                let block = (width / 5).max(1);
                let at = (self.elapsed.as_millis() / STEP.as_millis()) as usize % width.max(1);
                // It leaves at one end and enters at the other.
                let inside = |cell: usize| (cell + width - at) % width < block;
                (0..width).map(|cell| if inside(cell) { '━' } else { '─' }).collect()
            }
        }
    }

    /// Returns percent and count.
    fn figures(&self, step: ProgressDetail) -> String {
        let percent = match self.total {
            // Not 100% before everything is done.
            Some(total) if self.done < total => format!("{:>3}%", (self.share() * 100.0) as u64),
            Some(_) => "100%".to_owned(),
            None => String::new(),
        };
        let gap = if step == ProgressDetail::All { "  " } else { " " };
        // The words on a wait matter more than the count.
        let waits = matches!(self.state, State::Retry(_) | State::Failed(_));
        if step >= ProgressDetail::Percent && self.total.is_some() || waits && self.total.is_some() {
            return format!("{gap}{percent}");
        }
        let count = self.count(step);
        if percent.is_empty() { format!(" {count}") } else { format!("{gap}{percent}  {count}") }
    }

    /// Returns the count: `4,310 of 10,000 texts`, `4,310/10,000`, `431 MB of 1 GB`.
    fn count(&self, step: ProgressDetail) -> String {
        let say = |number: u64| match self.unit {
            Unit::Count(_) => meter::count(number),
            Unit::Bytes => meter::bytes(number),
        };
        let name = match self.unit {
            Unit::Count(name) if step == ProgressDetail::All => format!(" {name}"),
            _ => String::new(),
        };
        let Some(total) = self.total else { return say(self.done) + &name };
        let total = say(total);
        // A finished one has one figure.
        if matches!(self.state, State::Done(_)) {
            return total + &name;
        }
        // No earlier figure has more columns than the last one, except for bytes, whose unit changes.
        let columns = if self.unit == Unit::Bytes { total.len().max(6) } else { total.len() };
        let of = if step == ProgressDetail::All { " of " } else { "/" };
        format!("{:>columns$}{of}{total}{name}", say(self.done))
    }

    /// Returns rate and time left while it runs, else the words on the state: a reason is shortened to fit, or left out
    /// if too little of it would.
    fn words(&self, step: ProgressDetail, room: usize) -> String {
        let with = |mark: &str, words: &str| match step {
            ProgressDetail::Percent => format!(" {mark}"),
            _ if words.is_empty() => format!("  {mark}"),
            _ => cut(&format!("  {mark} {words}"), room.max(4 + wrap::width(words).min(REASON))),
        };
        match self.state {
            State::Running => self.pace(step),
            State::Paused => with("‖", "paused"),
            State::Retry(why) => with("⚠", why),
            State::Done(place) => with("✓", place),
            State::Failed(why) => with("✕", why),
        }
    }

    fn pace(&self, step: ProgressDetail) -> String {
        let rate = self.rate.filter(|_| step <= ProgressDetail::Short).map(|rate| per_second(rate, self.unit));
        let rate = rate.map(|rate| format!("  {rate:>6}")).unwrap_or_default();
        let Some(left) = self.left.filter(|_| step <= ProgressDetail::NoRate) else { return rate };
        let behind = if step == ProgressDetail::All { " left" } else { "" };
        format!("{rate}  {:>7}{behind}", left_in_words(left))
    }

    /// Returns the share that is done, 0 to 1.
    fn share(&self) -> f64 {
        match self.total {
            Some(total) if self.done < total => self.done as f64 / total as f64,
            Some(_) => 1.0,
            None => 0.0,
        }
    }

    fn style(&self, theme: &Theme) -> Style {
        match self.state {
            State::Running => theme.busy,
            State::Paused => theme.muted,
            State::Retry(_) => theme.warn,
            State::Done(_) => theme.good,
            State::Failed(_) => theme.bad,
        }
    }
}

/// Formats a rate: `112/s`, `0.4/s`, `11 MB/s`.
pub fn per_second(rate: f64, unit: Unit) -> String {
    let rate = rate.max(0.0);
    match unit {
        Unit::Bytes => format!("{}/s", meter::bytes(rate as u64)),
        Unit::Count(_) if rate < 10.0 => format!("{rate:.1}/s"),
        Unit::Count(_) => format!("{}/s", meter::count(rate.round() as u64)),
    }
}

/// Formats the time left: `51 s`, `3 min`, `2 h 5 min`; rounded up, so that it is not 0 while something is left.
pub fn left_in_words(left: Duration) -> String {
    let seconds = left.as_secs_f64().ceil().max(1.0) as u64;
    match seconds {
        0..90 => format!("{seconds} s"),
        90..3_600 => format!("{} min", seconds.div_ceil(60)),
        3_600..86_400 => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds % 86_400 / 3_600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::theme::{Depth, Kind};

    const SOME: Progress = Progress {
        done: 4_310,
        total: Some(10_000),
        unit: Unit::Count("texts"),
        rate: Some(112.3),
        left: Some(Duration::from_secs(51)),
        state: State::Running,
        elapsed: Duration::ZERO,
    };

    #[test]
    fn it_shrinks_in_steps_and_always_fits() {
        for (width, look) in [
            (78, "━━━━━━━━━━━───────────────   43%   4,310 of 10,000 texts   112/s     51 s left"),
            (50, "━━━━━╾───────  43%   4,310/10,000   112/s     51 s"),
            (40, "━━━━╾──────  43%   4,310/10,000     51 s"),
            (30, "━━━━──────  43%   4,310/10,000"),
            (20, "━━━━━━─────────  43%"),
            (8, "43%"),
        ] {
            assert_eq!(SOME.line(width), look, "{width}");
        }
        for state in
            [State::Paused, State::Retry("429, again in 4 s"), State::Done("saved ./a.csv"), State::Failed("x")]
        {
            for total in [None, Some(0), Some(10_000), Some(u64::MAX)] {
                for width in 0..120 {
                    let line = Progress { total, state, ..SOME }.line(width);
                    assert!(wrap::width(&line) <= width, "{width}: {line:?}");
                    let mark = ["‖", "⚠", "✓", "✕"].iter().any(|mark| line.contains(mark));
                    assert!(mark || width < 20, "{width}: {line:?} says what it is at");
                }
            }
        }
    }

    #[test]
    fn each_state_says_itself() {
        let line = |state| Progress { state, ..SOME }.line(70);
        for (state, look) in [
            (State::Paused, "━━━━━━━━━━━━╾─────────────────   43%   4,310 of 10,000 texts  ‖ paused"),
            (
                State::Retry("429, again in 4 s"),
                "━━━━━━━━━━━━━━━━━━╾────────────────────────   43%  ⚠ 429, again in 4 s",
            ),
            (State::Failed("refused"), "━━━━━━━━━━━━━━━━━━━━━━╾──────────────────────────────   43%  ✕ refused"),
        ] {
            assert_eq!(line(state), look);
        }
        let done = Progress { done: 10_000, state: State::Done("saved ./a.csv"), ..SOME };
        assert_eq!(done.line(70), "━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━  100%  10,000 texts  ✓ saved ./a.csv");
        let why = "the server refuses the key and says so at length, again in 4 s";
        let long = Progress { state: State::Retry(why), ..SOME }.line(60);
        assert_eq!(long, "━━━━━━━━╾───────────   43%  ⚠ the server refuses the key an…");
    }

    #[test]
    fn nothing_is_done_before_all_is() {
        let line = |done, total| Progress { done, total: Some(total), ..SOME }.line(20);
        assert_eq!(line(9_999, 10_000), "━━━━━━━━━━━━━━╾  99%");
        assert_eq!(line(10_000, 10_000), "━━━━━━━━━━━━━━━ 100%");
        assert_eq!(line(10_001, 10_000), "━━━━━━━━━━━━━━━ 100%", "more than there are");
        assert_eq!(line(0, 0), "━━━━━━━━━━ 100%  0/0");
        assert_eq!(line(0, 10), "────────   0%   0/10");
    }

    #[test]
    fn of_an_unknown_total_a_block_moves_and_no_percent_is_said() {
        let at = |millis| {
            let elapsed = Duration::from_millis(millis);
            Progress { total: None, left: None, rate: None, elapsed, ..SOME }.line(20)
        };
        assert_eq!(at(0), "────────────── 4,310", "nothing may move");
        assert_eq!(at(125), "─━━─────────── 4,310");
        assert_eq!(at(250), "──━━────────── 4,310");
        assert_ne!(at(1_000), at(1_125));
    }

    #[test]
    fn the_rest_of_the_bar_is_fainter_and_the_bar_has_the_states_colour() {
        let theme = Theme::of(Kind::Dark, Depth::True);
        let area = Rect::new(0, 0, 30, 1);
        let mut buf = Buffer::empty(area);
        Progress { state: State::Retry("429"), ..SOME }.render(area, &mut buf, &theme);
        let row: String = buf.content().iter().map(ratatui::buffer::Cell::symbol).collect();
        let ends = (0..area.width).find(|x| Some(buf[(*x, 0)].fg) == theme.raised.bg).unwrap();
        assert_eq!(buf[(0, 0)].fg, theme.warn.fg.unwrap());
        assert_eq!(buf[(ends, 0)].symbol(), "━", "one line");
        let mark = row.chars().position(|cell| cell == '⚠').unwrap() as u16;
        assert_eq!(buf[(mark, 0)].fg, theme.warn.fg.unwrap());
    }

    #[test]
    fn times_and_rates_read_well() {
        let left = |seconds| left_in_words(Duration::from_secs_f64(seconds));
        assert_eq!(
            [left(0.2), left(51.0), left(125.0), left(7_500.0), left(90_000.0)],
            ["1 s", "51 s", "3 min", "2 h 5 min", "1 d 1 h"]
        );
        let count = Unit::Count("texts");
        assert_eq!(
            [per_second(0.42, count), per_second(1_234.0, count), per_second(11.2e6, Unit::Bytes)],
            ["0.4/s", "1,234/s", "11 MB/s"]
        );
    }
}
