//! What a label says of a text, beside what the thresholds say.

use super::super::category::Key;
use super::results::Results;
use super::sheet::Sheet;
use crate::text::Untrusted;

/// Labels that mean that nothing is wrong.
const CLEAR: [&str; 14] = [
    "",
    "0",
    "false",
    "no",
    "none",
    "ok",
    "clear",
    "clean",
    "safe",
    "ham",
    "neutral",
    "benign",
    "not_flagged",
    "negative",
];

/// Whether a label says that a category applies; without one, that any does. A label may name several, parted by commas,
/// semicolons or bars.
fn says(label: &Untrusted, category: Option<&Key>, results: &Results) -> bool {
    let line = label.line();
    let mut parts = line.split([',', ';', '|']).map(|part| Key::of(&part.trim().into())).peekable();
    let clear = |key: &Key| CLEAR.contains(&key.as_str());
    let known = |key: &Key| results.categories().iter().any(|category| category.key == *key);
    match category {
        None => parts.any(|key| !clear(&key)),
        // A label that names no category speaks of all of them.
        Some(category) => parts.any(|key| key == *category || (!clear(&key) && !known(&key))),
    }
}

/// Of each row whether its label says something else than the thresholds. Rows without a result or a label do not.
pub(super) fn disagree(sheet: &Sheet) -> Vec<bool> {
    use super::super::thresholds::Sign;
    let category = sheet.results.chosen().map(|category| category.key.clone());
    let mut last: Option<(&Untrusted, bool)> = None;
    let row = |at: usize| {
        let label = sheet.rows[at].label.as_ref()?;
        sheet.check(at)?;
        let said = match last {
            Some((known, said)) if known == label => said,
            _ => says(label, category.as_ref(), &sheet.results),
        };
        last = Some((label, said));
        let top = sheet.results.top(sheet.text_of(at));
        let threshold = sheet.results.threshold(top.category.into());
        // Of several categories the strongest sign counts; a flag of the service's is not a threshold's word.
        let over = match top.sign {
            Sign::Over => true,
            Sign::Flagged | Sign::Near | Sign::Clear => top.score >= threshold,
        };
        Some(said != over)
    };
    (0..sheet.len()).map(row).map(|other| other.unwrap_or(false)).collect()
}
