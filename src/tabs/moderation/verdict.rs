//! The words around the cells: verdicts, latencies, why a column has none.

use std::time::Instant;

use super::bench_texts::{BenchText, letter};
use super::category::{self, CategoryInfo};
use super::language::UNJUDGED;
use super::mask::masked;
use super::model_ref::ModelRef;
use super::result_table::{ResultColumn, ScoreAndFlag};
use super::sign::Sign;
use super::state::Moderate;
use super::styled_text::StyledText;
use super::wording::{categories, quoted};
use crate::component::RenderContext;
use crate::record::TextKey;
use crate::tabs::batch::NextAttempt;
use crate::ui::rule::cut;
use crate::ui::{meter, time, wrap};

impl Moderate {
    /// Returns a text as it may be shown, in quotes and wrapped: masked where it is flagged and that is wanted.
    pub(super) fn quote(&self, text: &BenchText, width: usize) -> Vec<String> {
        let safe = text.row.text.screen();
        let masks = self.file.shared.view.mask_flagged && self.results.is_flagged(&text.key);
        if masks { quoted(&masked(&safe), width) } else { quoted(&safe, width) }
    }

    /// Returns a column's verdict in a line.
    pub(super) fn verdict(&self, column: &ResultColumn, key: &TextKey, context: RenderContext) -> StyledText {
        let theme = context.theme;
        if let Some(words) = self.under_way(key, &column.model, context) {
            return words;
        }
        if self.results.failure(key, &column.model).is_some() {
            return ("✕ failed  d details".to_owned(), theme.bad);
        }
        let Some(check) = &column.check else {
            let empty = self.texts.get(column.text).is_none_or(|text| text.row.text.line().trim().is_empty());
            let words = if empty { "empty" } else { "not checked · ^R" };
            return (words.to_owned(), theme.muted);
        };
        let flagged = category::flagged(check);
        let over = self.count_over(column);
        match (check.flagged, flagged, over) {
            (true, 0, _) => ("⚑ flagged".to_owned(), theme.bad),
            (true, ..) => (format!("⚑ flagged  {}", categories(flagged)), theme.bad),
            (false, ..) if column.unjudged => (UNJUDGED.to_owned(), theme.muted),
            (false, _, 0) => ("✓ clear".to_owned(), theme.good),
            (false, ..) => (format!("▲ over threshold  {}", categories(over)), theme.warn),
        }
    }

    /// Returns a text such as `⠹ 1.2 s`, where a text is being checked by a model.
    fn under_way(&self, key: &TextKey, model: &ModelRef, context: RenderContext) -> Option<StyledText> {
        let Some(sent) = self.checks.request(key, model) else {
            let waits = || (format!("{} waiting", spin(context, context.now)), context.theme.busy);
            return self.awaits(key, model).then(waits);
        };
        if let Some(NextAttempt { attempt, of, at, .. }) = &sent.retry {
            let left = time::countdown(*at, context.now);
            return Some((format!("! attempt {attempt} of {of} in {left}"), context.theme.warn));
        }
        let elapsed = context.now.saturating_duration_since(sent.started);
        Some((format!("{} {}", spin(context, sent.started), time::duration(elapsed)), context.theme.busy))
    }

    /// Returns `A ⚑2 harassment/threat.`
    pub(super) fn brief(&self, column: &ResultColumn, key: &TextKey, context: RenderContext) -> StyledText {
        let (theme, letter) = (context.theme, letter(column.text));
        if let Some((words, style)) = self.under_way(key, &column.model, context) {
            let spin = words.split(' ').next().unwrap_or_default();
            return (format!("{letter} {spin}"), style);
        }
        if self.results.failure(key, &column.model).is_some() {
            return (format!("{letter} ✕ failed"), theme.bad);
        }
        let Some(check) = &column.check else { return (format!("{letter} not checked"), theme.muted) };
        let highest = category::highest(check).map(|(name, _)| short(&name.line())).unwrap_or_default();
        let over = self.count_over(column);
        match (check.flagged, over) {
            (true, _) => (format!("{letter} ⚑{} {highest}", category::flagged(check)), theme.bad),
            (false, _) if column.unjudged => (format!("{letter} {UNJUDGED}"), theme.muted),
            (false, 0) => (format!("{letter} ✓ clear"), theme.good),
            (false, over) => (format!("{letter} ▲{over} {highest}"), theme.warn),
        }
    }

    /// Returns a text such as `212 ms`, or `cached` where nothing was asked for it since the program began.
    pub(super) fn latency(&self, column: &ResultColumn) -> String {
        match &column.check {
            None => String::new(),
            Some(check) if !self.results.is_fresh(check.id) => "cached".to_owned(),
            Some(check) if check.latency_ms < 10_000 => format!("{} ms", meter::count(u64::from(check.latency_ms))),
            Some(check) => time::duration(std::time::Duration::from_millis(u64::from(check.latency_ms))),
        }
    }

    /// Returns the name of a column's highest category.
    pub(super) fn highest(column: &ResultColumn) -> String {
        column.check.as_ref().map_or_else(|| "—".to_owned(), |check| category::leading(check).into_owned())
    }

    /// Returns the threshold of the row under the cursor, as it is printed.
    pub(super) fn threshold(&self) -> String {
        let profile = self.file.shared.thresholds.profile();
        let at = self
            .bench
            .at
            .as_ref()
            .filter(|key| self.bench.table.categories.iter().any(|one: &CategoryInfo| one.key == **key));
        format!("{:.2}", at.map_or(profile.usual, |key| profile.of(key)))
    }

    /// Counts the categories of a column that are over the user's threshold and not flagged.
    fn count_over(&self, column: &ResultColumn) -> usize {
        let profile = self.file.shared.thresholds.profile();
        let sign =
            |(category, cell): (&CategoryInfo, &ScoreAndFlag)| Sign::of(cell.0, cell.1, profile.of(&category.key));
        self.bench.table.categories.iter().zip(&column.cells).map(sign).filter(|sign| *sign == Sign::Over).count()
    }
}

/// Returns the spinner since a moment.
fn spin(context: RenderContext, since: Instant) -> &'static str {
    meter::spinner(context.now.saturating_duration_since(since), context.session.motion)
}

/// Returns a category's name in at most 18 columns.
fn short(name: &str) -> String {
    if wrap::width(name) <= 18 { name.to_owned() } else { format!("{}.", cut(name, 18).trim_end_matches('…')) }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_long_category_is_cut() {
        assert_eq!(super::short("harassment/threatening"), "harassment/threat.");
    }
}
