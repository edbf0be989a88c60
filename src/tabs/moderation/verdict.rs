//! The words around the cells: verdicts, latencies, why a column has none.

use std::time::Instant;

use super::blur;
use super::board::{Cell, Column};
use super::category::{self, Category};
use super::flight::Retry;
use super::grid::Words;
use super::language::UNJUDGED;
use super::results::Judge;
use super::state::State;
use super::texts::{Text, letter};
use super::thresholds::Sign;
use super::words::{categories, quoted};
use crate::component::RenderContext;
use crate::record::TextKey;
use crate::text::Untrusted;
use crate::ui::meter;
use crate::ui::rule::cut;
use crate::ui::wrap;

impl State {
    /// A text as it is shown: blurred where it is flagged and that is wanted.
    pub(super) fn shown(&self, key: &TextKey, text: &Untrusted) -> String {
        let safe = text.screen();
        if self.shared.kept.blur && self.is_flagged(key) { blur::blurred(&safe) } else { safe.into_owned() }
    }

    /// `A · note-a.txt`.
    pub(super) fn name(&self, at: usize) -> String {
        let name = self.texts.get(at).map(|text| text.row.name.line().into_owned()).unwrap_or_default();
        if name.is_empty() { letter(at) } else { format!("{} · {name}", letter(at)) }
    }

    /// A text in quotes, wrapped.
    pub(super) fn quote(&self, text: &Text, width: usize) -> Vec<String> {
        quoted(&self.shown(&text.key, &text.row.text), width)
    }

    /// What is said of a column in a line.
    pub(super) fn verdict(&self, column: &Column, key: &TextKey, context: RenderContext) -> Words {
        let theme = context.theme;
        if let Some(words) = self.under_way(key, &column.judge, context) {
            return words;
        }
        if self.results.failure(key, &column.judge).is_some() {
            return ("✕ failed  d details".to_owned(), theme.error);
        }
        let Some(check) = &column.check else {
            let empty = self.texts.get(column.text).is_none_or(|text| text.row.text.line().trim().is_empty());
            let words = if empty { "empty" } else { "not checked · ^R" };
            return (words.to_owned(), theme.muted);
        };
        let flagged = category::flagged(check);
        let over = self.over(column, &self.board.categories);
        match (check.flagged, flagged, over) {
            (true, 0, _) => ("⚑ FLAGGED".to_owned(), theme.error),
            (true, ..) => (format!("⚑ FLAGGED  {}", categories(flagged)), theme.error),
            (false, ..) if column.unjudged => (UNJUDGED.to_owned(), theme.muted),
            (false, _, 0) => ("✓ clear".to_owned(), theme.ok),
            (false, ..) => (format!("▲ over yours  {}", categories(over)), theme.warn),
        }
    }

    /// `⠹ 1.2 s`, where a text waits for a judge's word.
    fn under_way(&self, key: &TextKey, judge: &Judge, context: RenderContext) -> Option<Words> {
        let has = |texts: &[(TextKey, Untrusted)]| texts.iter().any(|(other, _)| other == key);
        let flight =
            self.flights.under_way().iter().find(|flight| flight.ask.judge == *judge && has(&flight.ask.texts));
        let Some(flight) = flight else {
            return self
                .awaits(key, judge)
                .then(|| (format!("{} waits", spin(context, context.now)), context.theme.busy));
        };
        if let Some(Retry { attempt, of, at, .. }) = &flight.retry {
            let left = at.saturating_duration_since(context.now).as_secs_f64().ceil();
            return Some((format!("! attempt {attempt} of {of} in {left} s"), context.theme.warn));
        }
        let elapsed = context.now.saturating_duration_since(flight.started);
        Some((format!("{} {}", spin(context, flight.started), meter::time(elapsed)), context.theme.busy))
    }

    /// `A ⚑2 harassment/threat.`
    pub(super) fn brief(&self, column: &Column, key: &TextKey, context: RenderContext) -> Words {
        let (theme, letter) = (context.theme, letter(column.text));
        if let Some((words, style)) = self.under_way(key, &column.judge, context) {
            let spin = words.split(' ').next().unwrap_or_default();
            return (format!("{letter} {spin}"), style);
        }
        if self.results.failure(key, &column.judge).is_some() {
            return (format!("{letter} ✕ failed"), theme.error);
        }
        let Some(check) = &column.check else { return (format!("{letter} not checked"), theme.muted) };
        let highest = category::highest(check).map(|(name, _)| short(&name.line())).unwrap_or_default();
        let over = self.over(column, &self.board.categories);
        match (check.flagged, over) {
            (true, _) => (format!("{letter} ⚑{} {highest}", category::flagged(check)), theme.error),
            (false, _) if column.unjudged => (format!("{letter} {UNJUDGED}"), theme.muted),
            (false, 0) => (format!("{letter} ✓ clear"), theme.ok),
            (false, over) => (format!("{letter} ▲{over} {highest}"), theme.warn),
        }
    }

    /// `212 ms`, or `cached` where nothing was asked for it since the program began.
    pub(super) fn latency(&self, column: &Column) -> String {
        match &column.check {
            None => String::new(),
            Some(check) if !self.results.is_fresh(check.id) => "cached".to_owned(),
            Some(check) if check.latency_ms < 10_000 => format!("{} ms", check.latency_ms),
            Some(check) => meter::time(std::time::Duration::from_millis(u64::from(check.latency_ms))),
        }
    }

    /// The name of a column's highest category.
    pub(super) fn highest(column: &Column) -> String {
        column.check.as_ref().map_or_else(|| "—".to_owned(), |check| category::leading(check).into_owned())
    }

    /// The threshold of the row under the cursor, as it is printed.
    pub(super) fn threshold(&self) -> String {
        let profile = self.shared.thresholds.profile();
        let at = self.at.as_ref().filter(|key| self.board.categories.iter().any(|one: &Category| one.key == **key));
        format!("{:.2}", at.map_or(profile.usual, |key| profile.of(key)))
    }

    /// How many categories of a column are over the user's threshold and not flagged.
    pub(super) fn over(&self, column: &Column, categories: &[Category]) -> usize {
        let profile = self.shared.thresholds.profile();
        let sign = |(category, cell): (&Category, &Cell)| Sign::of(cell.0, cell.1, profile.of(&category.key));
        categories.iter().zip(&column.cells).map(sign).filter(|sign| *sign == Sign::Over).count()
    }
}

/// The spinner since a moment.
fn spin(context: RenderContext, since: Instant) -> &'static str {
    meter::spinner(context.now.saturating_duration_since(since), context.session.motion)
}

/// A category's name in at most 18 columns.
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
