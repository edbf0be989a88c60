//! The errors of a file: rows whose label says something else than the scores at the thresholds.

use serde::{Deserialize, Serialize};

use super::super::evaluate::{LabelReader, LabelScheme};
use super::dataset::TextDataset;

/// How a result differs from its row's label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum LabelError {
    /// It is over a threshold, and labelled as harmless.
    FalsePositive,
    /// It is below the thresholds, and labelled as harmful.
    FalseNegative,
    /// It is over a threshold and labelled as harmful, in different categories.
    WrongCategory,
}

impl LabelError {
    /// All of them, in the order they are shown.
    pub(super) const ALL: [Self; 3] = [Self::FalsePositive, Self::FalseNegative, Self::WrongCategory];

    /// Returns its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::FalsePositive => "false positive",
            Self::FalseNegative => "false negative",
            Self::WrongCategory => "wrong category",
        }
    }

    /// Returns its abbreviation.
    pub(super) fn short(self) -> &'static str {
        match self {
            Self::FalsePositive => "FP",
            Self::FalseNegative => "FN",
            Self::WrongCategory => "WC",
        }
    }

    /// Returns the one that the key shows next: each that there is in turn, then all of them (`None`).
    pub(super) fn after(only: Option<Self>, is: impl Fn(Self) -> bool) -> Option<Self> {
        let next = only.map_or(0, |only| only as usize + 1);
        Self::ALL.into_iter().skip(next).find(|kind| is(*kind))
    }
}

/// Returns each row's error, if it has one: of the category that counts, else of all. These are the errors that the
/// evaluation counts; rows without a score and rows whose label does not say have none.
pub(super) fn errors(dataset: &TextDataset) -> Vec<Option<LabelError>> {
    let results = &dataset.results;
    let truths = LabelReader::new(results.categories()).read_all(dataset.rows.iter().map(|row| row.label.as_ref()));
    let scheme = LabelScheme::of(&truths);
    let row = |(at, truth)| {
        let text = dataset.text_of(at);
        let top = results.top(text);
        if top.score.is_nan() {
            return None;
        }
        let said = match results.chosen_place() {
            Some(place) => scheme.category(truth, place),
            None => scheme.any(truth),
        };
        let wrong = |place: usize| {
            let score = results.cell(text, place).0;
            score
                .zip(scheme.category(truth, place))
                .is_some_and(|(score, so)| (score >= results.threshold(place)) != so)
        };
        match (said?, top.over) {
            (false, true) => Some(LabelError::FalsePositive),
            (true, false) => Some(LabelError::FalseNegative),
            (true, true) if !scheme.flags_only && results.chosen_place().is_none() => {
                (0..results.categories().len()).any(wrong).then_some(LabelError::WrongCategory)
            }
            _ => None,
        }
    };
    truths.iter().enumerate().map(row).collect()
}
