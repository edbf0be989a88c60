//! What is still to be sent of a list.

use std::collections::{HashMap, HashSet};

use super::pane_data::{PaneData, VectorStatus};
use super::vector_set::VectorSet;
use crate::record::TextKey;
use crate::record::vectors::MATRIX;

/// What is still to be sent, and what is to be known of the texts before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SendEstimate {
    /// Texts without a vector, each once.
    pub(super) texts: usize,
    /// Their tokens; `None`: not all are counted.
    pub(super) tokens: Option<u64>,
    /// Texts that are too long.
    pub(super) long: usize,
    /// Newlines that become spaces.
    pub(super) newlines: usize,
    /// Says which texts stand in the list twice.
    pub(super) duplicates: Option<String>,
}

impl SendEstimate {
    /// Goes through the texts of a list; `newlines` of them become spaces.
    pub(super) fn new(data: &PaneData, vectors: &VectorSet, newlines: usize) -> Self {
        let mut seen = HashSet::new();
        let mut estimate = Self { tokens: Some(0), newlines, duplicates: duplicates_note(data), ..Self::default() };
        for (text, mark) in data.texts.iter().zip(data.statuses.iter()) {
            match mark {
                VectorStatus::TooLong => estimate.long += 1,
                VectorStatus::None | VectorStatus::Waiting | VectorStatus::Failed
                    if !vectors.present.contains(&text.sent) && seen.insert(text.sent) =>
                {
                    estimate.texts += 1;
                    estimate.tokens = estimate.tokens.zip(text.tokens).map(|(sum, tokens)| sum + u64::from(tokens));
                }
                _ => {}
            }
        }
        estimate
    }
}

/// Returns a note about texts that are in the list twice; `None`: there are none.
fn duplicates_note(data: &PaneData) -> Option<String> {
    if data.texts.len() > MATRIX {
        return None;
    }
    let mut first: HashMap<TextKey, usize> = HashMap::new();
    let mut pairs = Vec::new();
    for (row, text) in data.texts.iter().enumerate() {
        match first.get(&text.sent) {
            Some(other) => pairs.push((*other, row)),
            None => drop(first.insert(text.sent, row)),
        }
    }
    let (one, other) = pairs.first()?;
    let more = if pairs.len() > 1 { format!(", and {} more", pairs.len() - 1) } else { String::new() };
    let (one, other) = (data.letter(*one), data.letter(*other));
    Some(format!("{one} and {other} are the same text{more}: embedded once"))
}
