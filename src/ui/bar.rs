//! Thin bars: a share of a row, and the moderation bar, which is a score from 0 to 1 with the threshold in its place,
//! the number, and a mark that says what it means.
//!
//! ```text
//! ━━━━━━━━━━┃━━━━━──── 0.81 ⚑      flagged by the service
//! ━━━━━━━━━━┃╾──────── 0.58 ▲      over the threshold, not flagged
//! ━━━━━━━━━─┃───────── 0.47 !      within a fifth below it
//! ──────────┃───────── 0.02        far below it
//!                         —        no score
//! ```
//!
//! Half cells are rounded down, so that a bar never shows more than the number. The rest of a bar is a light line, or a
//! faint heavy one if the theme has surfaces. A score outside 0 to 1 is drawn as the nearer of both, and its number
//! printed unchanged.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::theme::Theme;

/// Columns beside the bar: a blank, the number (4), a blank, the mark.
pub const BESIDE: u16 = 7;

/// Cells below which a bar is not readable: only the number is drawn.
const LEAST: u16 = 4;

/// What a score means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// None.
    Clear,
    /// `!`: below the threshold, by at most a fifth of it.
    Near,
    /// `▲`: at the threshold or over it, and the service did not flag it.
    Over,
    /// `⚑`: the service flagged it.
    Flag,
}

/// One score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// The score, usually 0 to 1; `None`: the service gave none.
    pub score: Option<f64>,
    /// The user's threshold, 0 to 1; `None`: none is drawn.
    pub threshold: Option<f64>,
    /// Whether the service flagged it.
    pub flagged: bool,
}

/// The position of a score relative to a threshold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ThresholdSide {
    /// Below half of the threshold.
    Far,
    /// Between half and four fifths of the threshold.
    Below,
    /// Below the threshold by at most a fifth of it.
    Near,
    /// At or over the threshold.
    Over,
}

impl Bar {
    /// Returns what the score means.
    pub fn mark(&self) -> Mark {
        match self.side() {
            _ if self.flagged => Mark::Flag,
            Some(ThresholdSide::Over) => Mark::Over,
            Some(ThresholdSide::Near) => Mark::Near,
            _ => Mark::Clear,
        }
    }

    /// Returns the style of the bar: muted below half the threshold, warn from there, error from the threshold on.
    pub fn style(&self, theme: &Theme) -> Style {
        match self.side() {
            Some(ThresholdSide::Far) | None => theme.muted,
            Some(ThresholdSide::Below | ThresholdSide::Near) => theme.warn,
            Some(ThresholdSide::Over) => theme.bad,
        }
    }

    /// Returns the style of the number: faint below half the threshold.
    pub fn number_style(&self, theme: &Theme) -> Style {
        match self.side() {
            Some(ThresholdSide::Far) => theme.faint,
            _ if self.score.is_none() => theme.faint,
            _ => theme.text,
        }
    }

    /// Draws bar, number and mark into the first row of `area`; the bar takes what [`BESIDE`] leaves, and is left out
    /// where that is less than 4 cells.
    pub fn render(&self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        let area = area.intersection(buf.area);
        if area.is_empty() {
            return;
        }
        let room = area.width.saturating_sub(BESIDE);
        let mut x = area.x;
        if room >= LEAST {
            if let Some(score) = self.score {
                let place = Rect { width: room, height: 1, ..area };
                thin(score, place, buf, self.style(theme), theme);
                if let Some(at) = self.place(usize::from(room)) {
                    buf.set_stringn(area.x + at as u16, area.y, "┃", 1, theme.muted);
                }
            }
            x += room + 1;
        }
        let left = usize::from(area.right() - x);
        let words = self.score.map_or_else(|| "—".to_owned(), number);
        buf.set_stringn(x, area.y, format!("{words:>4}"), left, self.number_style(theme));
        let mark = self.mark();
        let at = if left > 5 { 5 } else { 4 };
        if left > at {
            buf.set_stringn(x + at as u16, area.y, mark.sign(), 1, mark.style(theme));
        }
    }

    /// Returns the cell of `width` into which the threshold falls.
    fn place(&self, width: usize) -> Option<usize> {
        let threshold = self.threshold.filter(|threshold| !threshold.is_nan())?;
        Some(((threshold.clamp(0.0, 1.0) * width as f64 + 1e-6) as usize).min(width.checked_sub(1)?))
    }

    /// Returns the score's position relative to the threshold; `None`: one of them is missing.
    fn side(&self) -> Option<ThresholdSide> {
        let (score, threshold) = (self.score?, self.threshold?);
        if score.is_nan() || threshold.is_nan() {
            return None;
        }
        Some(match score {
            _ if score >= threshold => ThresholdSide::Over,
            _ if score >= threshold * 0.8 => ThresholdSide::Near,
            _ if score < threshold * 0.5 => ThresholdSide::Far,
            _ => ThresholdSide::Below,
        })
    }
}

impl Mark {
    /// Returns its sign, one column wide.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Clear => " ",
            Self::Near => "!",
            Self::Over => "▲",
            Self::Flag => "⚑",
        }
    }

    /// Returns its style.
    pub fn style(self, theme: &Theme) -> Style {
        match self {
            Self::Clear => theme.muted,
            Self::Near => theme.warn,
            Self::Over | Self::Flag => theme.bad,
        }
    }
}

/// Draws a thin bar into the first row of `area`: `share` of it, 0 to 1, in `style`, the rest faint. NaN is drawn as no
/// bar.
pub fn thin(share: f64, area: Rect, buf: &mut Buffer, style: Style, theme: &Theme) {
    let area = area.intersection(buf.area);
    if area.is_empty() {
        return;
    }
    // With surfaces the rest is as faint as another background; else its shape distinguishes it from the bar.
    let (rest, faint) = theme.track(buf[(area.x, area.y)].bg).map_or(("─", theme.rule), |track| ("━", track));
    let halves = halves(share, usize::from(area.width));
    for (at, x) in (area.x..area.right()).enumerate() {
        let (symbol, style) = match halves.saturating_sub(at * 2) {
            0 => (rest, faint),
            1 => ("╾", style),
            _ => ("━", style),
        };
        buf.set_stringn(x, area.y, symbol, 1, style);
    }
}

/// Returns the half cells of `width` that a share fills. The small addend corrects rounding: a share such as 0.29 would
/// lose a half cell.
pub(super) fn halves(share: f64, width: usize) -> usize {
    (share.clamp(0.0, 1.0) * width as f64 * 2.0 + 1e-6) as usize
}

/// Formats a score: two decimals from 0 to 10, otherwise as many as fit into 4 columns.
pub fn number(score: f64) -> String {
    let size = score.abs();
    match score {
        _ if score.is_nan() => "NaN".to_owned(),
        _ if size >= 9_999.5 && size.is_finite() => format!("{score:.0e}"),
        _ if size >= 99.95 => format!("{score:.0}"),
        _ if size >= 9.995 || score < 0.0 => format!("{score:.1}"),
        _ => format!("{:.2}", score.abs()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::theme::{Depth, Kind};

    fn bar(score: f64, threshold: f64) -> Bar {
        Bar { score: Some(score), threshold: Some(threshold), flagged: false }
    }

    fn drawn(bar: Bar, width: u16) -> String {
        let area = Rect::new(0, 0, width, 1);
        let mut buf = Buffer::empty(area);
        bar.render(area, &mut buf, &Theme::of(Kind::Mono, Depth::None));
        buf.content().iter().map(ratatui::buffer::Cell::symbol).collect::<String>().trim_end().to_owned()
    }

    #[test]
    fn twenty_cells_look_as_drawn() {
        let flag = |score| Bar { flagged: true, ..bar(score, 0.5) };
        for (bar, look) in [
            (flag(0.81), "━━━━━━━━━━┃━━━━━──── 0.81 ⚑"),
            (flag(0.93), "━━━━━━━━━━┃━━━━━━━╾─ 0.93 ⚑"),
            (flag(0.64), "━━━━━━━━━━┃━╾─────── 0.64 ⚑"),
            (bar(0.58, 0.5), "━━━━━━━━━━┃╾──────── 0.58 ▲"),
            (bar(0.47, 0.5), "━━━━━━━━━─┃───────── 0.47 !"),
            (bar(0.22, 0.5), "━━━━──────┃───────── 0.22"),
            (bar(0.06, 0.5), "━─────────┃───────── 0.06"),
            (bar(0.05, 0.5), "━─────────┃───────── 0.05"),
            (bar(0.04, 0.5), "╾─────────┃───────── 0.04"),
            (bar(0.02, 0.5), "──────────┃───────── 0.02"),
            (bar(0.004, 0.5), "──────────┃───────── 0.00"),
            (bar(1.0, 0.5), "━━━━━━━━━━┃━━━━━━━━━ 1.00 ▲"),
        ] {
            assert_eq!(drawn(bar, 27), look);
        }
    }

    #[test]
    fn forty_cells_look_as_drawn() {
        let flag = |score| Bar { flagged: true, ..bar(score, 0.5) };
        for (bar, look) in [
            (flag(0.93), "━━━━━━━━━━━━━━━━━━━━┃━━━━━━━━━━━━━━━━─── 0.93 ⚑"),
            (flag(0.81), "━━━━━━━━━━━━━━━━━━━━┃━━━━━━━━━━━──────── 0.81 ⚑"),
            (bar(0.47, 0.5), "━━━━━━━━━━━━━━━━━━╾─┃─────────────────── 0.47 !"),
            (bar(0.06, 0.5), "━━──────────────────┃─────────────────── 0.06"),
            (bar(0.02, 0.5), "╾───────────────────┃─────────────────── 0.02"),
        ] {
            assert_eq!(drawn(bar, 47), look);
        }
    }

    #[test]
    fn the_threshold_stands_where_it_is_and_the_mark_tells_the_side() {
        for (bar, look) in [
            (bar(0.3, 0.0), "┃━━━━━────────────── 0.30 ▲"),
            (bar(0.0, 0.0), "┃─────────────────── 0.00 ▲"),
            (bar(0.97, 1.0), "━━━━━━━━━━━━━━━━━━━┃ 0.97 !"),
            (bar(1.0, 1.0), "━━━━━━━━━━━━━━━━━━━┃ 1.00 ▲"),
            // Between cells: both fall into one, and only one of two scores is over it.
            (bar(0.52, 0.53), "━━━━━━━━━━┃───────── 0.52 !"),
            (bar(0.54, 0.53), "━━━━━━━━━━┃───────── 0.54 ▲"),
        ] {
            assert_eq!(drawn(bar, 27), look);
        }
        assert_eq!(drawn(Bar { threshold: None, ..bar(0.5, 0.0) }, 27), "━━━━━━━━━━────────── 0.50");
    }

    #[test]
    fn what_a_sloppy_server_sends_is_a_clamped_bar_with_its_true_number() {
        for (score, look) in [
            (1.7, "━━━━━━━━━━┃━━━━━━━━━ 1.70 ▲"),
            (123.0, "━━━━━━━━━━┃━━━━━━━━━  123 ▲"),
            (4e9, "━━━━━━━━━━┃━━━━━━━━━  4e9 ▲"),
            (f64::INFINITY, "━━━━━━━━━━┃━━━━━━━━━  inf ▲"),
            (-0.5, "──────────┃───────── -0.5"),
            (f64::NAN, "──────────┃─────────  NaN"),
            (-0.0, "──────────┃───────── 0.00"),
        ] {
            assert_eq!(drawn(bar(score, 0.5), 27), look, "{score}");
        }
        let none = Bar { score: None, threshold: Some(0.5), flagged: false };
        assert_eq!(drawn(none, 27), format!("{:>25}", "—"));
        assert_eq!(drawn(Bar { flagged: true, ..none }, 27), format!("{:>25} ⚑", "—"), "flagged without a score");
    }

    #[test]
    fn colours_follow_the_threshold_and_marks_need_none() {
        let theme = Theme::of(Kind::Dark, Depth::True);
        for (score, style) in
            [(0.24, theme.muted), (0.25, theme.warn), (0.49, theme.warn), (0.5, theme.bad), (f64::NAN, theme.muted)]
        {
            assert_eq!(bar(score, 0.5).style(&theme), style, "{score}");
        }
        assert_eq!(bar(0.24, 0.5).number_style(&theme), theme.faint, "what is far below recedes");
        assert_eq!(bar(0.25, 0.5).number_style(&theme), theme.text);
    }

    #[test]
    fn the_number_and_the_mark_outlive_the_bar() {
        let over = bar(0.81, 0.5);
        assert_eq!(drawn(over, 11), "━━┃─ 0.81 ▲");
        assert_eq!([drawn(over, 10), drawn(over, 6), drawn(over, 5)], ["0.81 ▲", "0.81 ▲", "0.81▲"]);
        assert_eq!(drawn(over, 2), "0.");
        drawn(over, 0);
    }
}
