//! Rows whose label says something else than the thresholds.

use std::collections::HashMap;

use super::super::evaluate::{Labels, Truth};
use super::sheet::Sheet;
use crate::text::Untrusted;

/// Of each row whether its label says something else than the thresholds: of the category that counts, else of all. Rows
/// without a result do not, nor those whose label says nothing about it.
pub(super) fn disagree(sheet: &Sheet) -> Vec<bool> {
    let labels = Labels::new(sheet.results.categories());
    let chosen = sheet.results.chosen_place();
    let mut known: HashMap<&Untrusted, Option<bool>> = HashMap::new();
    let mut row = |at: usize| {
        sheet.check(at)?;
        let label = sheet.rows[at].label.as_ref()?;
        let said = *known.entry(label).or_insert_with(|| says(&labels.read(label), chosen));
        Some(said? != sheet.results.top(sheet.text_of(at)).over)
    };
    (0..sheet.len()).map(|at| row(at).unwrap_or(false)).collect()
}

/// Whether a label says that the category applies, or without one that any does; `None`: it does not say.
fn says(truth: &Truth, chosen: Option<usize>) -> Option<bool> {
    match (truth, chosen) {
        (Truth::Flagged(so), None) => Some(*so),
        // That something is wrong does not say what.
        (Truth::Flagged(so), Some(_)) => (!so).then_some(false),
        (Truth::Named { of, unsure, .. }, Some(at)) => (!unsure.contains(&at)).then(|| of.contains(&at)),
        (Truth::Named { of, unsure, other }, None) => {
            let any = !of.is_empty() || *other;
            (any || unsure.is_empty()).then_some(any)
        }
        (Truth::Empty | Truth::Unknown, _) => None,
    }
}
