//! Counts of right and wrong at a threshold, for each category.

use crate::record::Check;
use crate::text::Untrusted;

/// Right and wrong at a threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::tabs::moderation) struct Figures {
    /// Over the threshold, and labelled so.
    pub(in crate::tabs::moderation) tp: usize,
    /// Over it, and not labelled so.
    pub(in crate::tabs::moderation) fp: usize,
    /// Below it, and labelled so.
    pub(in crate::tabs::moderation) fn_: usize,
    /// Below it, and not labelled so.
    pub(in crate::tabs::moderation) tn: usize,
    /// Rows that count for nothing: no result yet, no score, or a label that does not tell.
    pub(in crate::tabs::moderation) unknown: usize,
}

/// Results beside labels, sorted so that a threshold that moves costs next to nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::tabs::moderation) struct Evaluation {}

impl Evaluation {
    /// Of rows: each with its label and what the model said of its text.
    pub(in crate::tabs::moderation) fn of<'a>(
        _rows: impl IntoIterator<Item = (Option<&'a Untrusted>, Option<&'a Check>)>,
    ) -> Self {
        Self {}
    }
}
