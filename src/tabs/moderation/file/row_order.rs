//! Determines which rows are shown and in which order, when something changes and never while a frame is drawn.

use super::dataset::TextDataset;
use super::label_errors::LabelError;
use super::settings::{FileFilter, RowSort};

/// What decides which rows show beside the filter.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RowSelection<'a> {
    /// Whether each text contains the words searched for.
    pub(super) found: Option<&'a [bool]>,
    /// The error of each row; `None`: rows without errors are shown too.
    pub(super) errors: Option<&'a [Option<LabelError>]>,
}

/// Returns the rows that are shown, in their order.
pub(super) fn order(dataset: &TextDataset, sort: RowSort, filter: &FileFilter, selection: RowSelection) -> Vec<u32> {
    let rows = 0..dataset.len() as u32;
    let stays = |row: &u32| {
        let text = dataset.text_of(*row as usize);
        selection.found.is_none_or(|found| found.get(text as usize) == Some(&true))
            && (!filter.flagged || dataset.results.top(text).flagged)
            && selection.errors.is_none_or(|errors| {
                let error = errors.get(*row as usize).copied().flatten();
                error.is_some() && (filter.only.is_none() || error == filter.only)
            })
    };
    match sort {
        RowSort::Row => rows.filter(stays).collect(),
        RowSort::Score => {
            sorted(rows.filter(stays).map(|row| (u64::from(inverse_score(dataset, row)) << 32) | u64::from(row)))
        }
        RowSort::Label => {
            let mut keys: Vec<(u32, u32, u32)> =
                rows.filter(stays).map(|row| (dataset.rank(row as usize), inverse_score(dataset, row), row)).collect();
            keys.sort_unstable();
            keys.into_iter().map(|(.., row)| row).collect()
        }
    }
}

/// Sorts rows by their keys, which contain the row in their lower half.
fn sorted(keys: impl Iterator<Item = u64>) -> Vec<u32> {
    let mut keys: Vec<u64> = keys.collect();
    keys.sort_unstable();
    keys.into_iter().map(|key| key as u32).collect()
}

/// Returns a sort key that is the lower the higher a row's score is; the highest for none.
fn inverse_score(dataset: &TextDataset, row: u32) -> u32 {
    let score = dataset.results.top(dataset.text_of(row as usize)).score;
    if score.is_nan() {
        return u32::MAX;
    }
    // Bits of floats that are not negative are ordered as they are; others are no scores, and come last of all.
    let bits = if score.is_sign_negative() { 0 } else { (score as f32).to_bits() };
    u32::MAX - 1 - bits
}
