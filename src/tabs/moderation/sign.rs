//! What a score means beside its threshold.

use ratatui::style::Style;

use crate::ui::theme::Theme;

/// A score below its threshold by at most this share of it is near it.
const NEAR: f64 = 0.2;

/// How a score compares with its threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Sign {
    /// The service flagged it.
    Flagged,
    /// Over the user's threshold, and not flagged.
    Over,
    /// Below it by a fifth of it at most.
    Near,
    /// Nothing to say.
    Clear,
}

impl Sign {
    /// Returns the sign of a score and a flag at a threshold. A score that equals the threshold is over it.
    pub(super) fn of(score: Option<f64>, flag: Option<bool>, threshold: f64) -> Self {
        match score {
            _ if flag == Some(true) => Self::Flagged,
            Some(score) if score >= threshold => Self::Over,
            // At a threshold of 0 every score is over it.
            Some(score) if score >= threshold * (1.0 - NEAR) => Self::Near,
            _ => Self::Clear,
        }
    }

    /// Returns the sign itself, one column wide.
    pub(super) fn glyph(self) -> &'static str {
        match self {
            Self::Flagged => "⚑",
            Self::Over => "▲",
            Self::Near => "!",
            Self::Clear => " ",
        }
    }

    /// Returns the style of the sign.
    pub(super) fn style(self, theme: &Theme) -> Style {
        match self {
            Self::Flagged | Self::Over => theme.bad,
            Self::Near => theme.warn,
            Self::Clear => theme.text,
        }
    }
}

/// Returns the style of a bar and its number: muted below half the threshold, warn near it, error above it. The number
/// alone already says it.
pub(super) fn tint(score: f64, threshold: f64, theme: &Theme) -> Style {
    match Sign::of(Some(score), None, threshold) {
        Sign::Over | Sign::Flagged => theme.bad,
        Sign::Near => theme.warn,
        Sign::Clear if score < threshold / 2.0 => theme.muted,
        Sign::Clear => theme.text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_follow_the_threshold() {
        let sign = |score, flag, threshold| Sign::of(Some(score), flag, threshold).glyph();
        assert_eq!(sign(0.93, Some(true), 0.5), "⚑");
        assert_eq!(sign(0.58, Some(false), 0.5), "▲");
        assert_eq!(sign(0.47, None, 0.5), "!");
        assert_eq!([sign(0.5, None, 0.5), sign(0.4, None, 0.5), sign(0.39, None, 0.5)], ["▲", "!", " "]);
        assert_eq!(sign(0.1, Some(true), 0.9), "⚑", "what the service says stands, whatever the threshold");
        assert_eq!(Sign::of(None, None, 0.5), Sign::Clear);
        assert_eq!(Sign::of(None, Some(true), 0.5), Sign::Flagged);
    }
}
