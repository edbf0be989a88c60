//! Says what failed, what happens next, and what the user can do.

use std::time::Instant;

use ratatui::layout::Rect;
use ratatui::style::Style;

use super::result_table::ResultColumn;
use super::state::Moderate;
use super::styled_text::StyledText;
use crate::component::{DETAILS, RenderContext, SEND_AGAIN, Session, failure_lines, profile_hint};
use crate::tabs::batch::NextAttempt;
use crate::ui::meter;
use crate::ui::size_class::MEDIUM;
use crate::ui::theme::Theme;
use crate::ui::time::countdown;
use crate::ui::wrap;

/// Lines of a sentence at most.
const LINES: usize = 4;

/// How a line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProblemTone {
    Error,
    Warning,
    Note,
}

impl ProblemTone {
    fn style(self, theme: &Theme) -> Style {
        match self {
            Self::Error => theme.bad,
            Self::Warning => theme.warn,
            Self::Note => theme.muted,
        }
    }
}

impl Moderate {
    /// Returns what went wrong with the column under the cursor or on the page, for a frame.
    pub(super) fn problem(&self, context: RenderContext, width: u16) -> Vec<StyledText> {
        let lines = self.problem_lines(context.session, context.now, width).into_iter();
        lines.map(|(words, tone)| (words, tone.style(context.theme))).collect()
    }

    /// Returns the part of `area` for a page: what went wrong is below it.
    pub(super) fn page_area(&self, area: Rect, session: &Session, now: Instant) -> Rect {
        let rows = self.problem_lines(session, now, area.width).len() as u16;
        Rect { height: area.height - rows.min(area.height / 3), ..area }
    }

    fn problem_lines(&self, session: &Session, now: Instant, width: u16) -> Vec<(String, ProblemTone)> {
        let kept = if width < MEDIUM { "" } else { " · your texts are kept" };
        if let Some(retry) = self.checks.next_attempt() {
            return self.retry_lines(retry, kept, now, width);
        }
        let Some(why) = self.failure(session).filter(|_| !self.checks.is_busy()) else { return Vec::new() };
        let same = |column: &&ResultColumn| {
            let text = self.texts.get(column.text);
            let failure = text.and_then(|text| self.results.failure(&text.key, &column.model));
            failure.is_some_and(|failure| failure.sentence == why.sentence)
        };
        let times = match self.bench.table.columns.iter().filter(same).count() {
            0 | 1 => String::new(),
            count if self.bench.shows_one() && !self.bench.table.has_pairs() => {
                format!("{count} texts have this error")
            }
            count => format!("{count} columns have this error"),
        };
        let below = [SEND_AGAIN, DETAILS, &profile_hint(), &times, kept.trim_start_matches(" · ")];
        let lines = failure_lines(&why.sentence.line(), &below, usize::from(width).saturating_sub(2), LINES);
        let tone = |is_sentence| if is_sentence { ProblemTone::Error } else { ProblemTone::Note };
        lines.into_iter().map(|(line, is_sentence)| (format!(" {line}"), tone(is_sentence))).collect()
    }

    /// Returns the countdown to another attempt.
    fn retry_lines(&self, retry: &NextAttempt, kept: &str, now: Instant, width: u16) -> Vec<(String, ProblemTone)> {
        let left = retry.at.saturating_duration_since(now).as_secs_f64();
        let whole = retry.at.saturating_duration_since(retry.since).as_secs_f64().max(0.001);
        let bar = meter::thin(1.0 - left / whole, if width < MEDIUM { 8 } else { 20 });
        let attempt =
            format!(" ┃ attempt {} of {} in {:>4}   {bar}", retry.attempt, retry.of, countdown(retry.at, now));
        let mut lines = vec![(attempt, ProblemTone::Warning)];
        lines.extend(sentence(&retry.why.sentence.line(), width));
        let keys = if self.text_editor.is_some() { "esc, then ⏎ try now" } else { "⏎ try now · esc give up" };
        lines.push((format!(" ┃ {keys}{kept}"), ProblemTone::Note));
        lines
    }
}

/// Returns a sentence wrapped to a width.
fn sentence(text: &str, width: u16) -> Vec<(String, ProblemTone)> {
    let lines = wrap::lines(text, usize::from(width).saturating_sub(4).max(8)).into_iter().take(LINES);
    lines.map(|line| (format!(" ┃ {line}"), ProblemTone::Error)).collect()
}
