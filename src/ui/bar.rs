//! The moderation bar: a score from 0 to 1, the threshold in its place, the number, and a mark that says what it means.
//!
//! ```text
//! ██████████▓█████▏··· 0.81 ⚑      flagged by the service
//! ██████████▓▌········ 0.58 ▲      over the threshold, not flagged
//! █████████▍┊········· 0.47 !      within a fifth below it
//! ▍·········┊········· 0.02        far below it
//!                         —        no score
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::theme::Theme;

/// Columns beside the bar: a blank, the number (4), a blank, the mark.
pub const BESIDE: u16 = 7;

/// What a score means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// Nothing.
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
    /// The score, 0 to 1 where the server keeps to its word; `None`: it gave none.
    pub score: Option<f64>,
    /// The user's threshold, 0 to 1; `None`: none is drawn.
    pub threshold: Option<f64>,
    /// Whether the service flagged it.
    pub flagged: bool,
}

impl Bar {
    /// What the score means.
    pub fn mark(&self) -> Mark {
        Mark::Clear
    }

    /// The colour of bar and number: muted below half the threshold, warn near it, error from it on.
    pub fn style(&self, theme: &Theme) -> Style {
        theme.muted
    }

    /// The bar alone, `width` cells.
    pub fn cells(&self, width: usize) -> String {
        "·".repeat(width)
    }

    /// Draws bar, number and mark into the first row of `area`; the bar takes what [`BESIDE`] leaves, none below 4.
    pub fn render(&self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        let _ = (area, buf, theme);
    }
}

impl Mark {
    /// Its sign, one column.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Clear => " ",
            Self::Near => "!",
            Self::Over => "▲",
            Self::Flag => "⚑",
        }
    }

    /// Its colour.
    pub fn style(self, theme: &Theme) -> Style {
        match self {
            Self::Clear => theme.muted,
            Self::Near => theme.warn,
            Self::Over | Self::Flag => theme.error,
        }
    }
}

/// A score as it is printed, two decimals, at most 4 columns for everything from -9.9 to 9999.
pub fn number(score: f64) -> String {
    format!("{score:.2}")
}
