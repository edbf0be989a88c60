//! Which figures are drawn together.

use std::borrow::Cow;

use crate::record::curves::{Curve, Figure, Of};
use crate::text::Untrusted;

/// What is measured. Curves of one metric share an axis.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Metric {
    #[default]
    Loss,
    Tokens,
    Sequences,
    /// A metric of a classification, or an unknown column, by its name.
    Named(Untrusted),
}

impl Metric {
    /// Returns what a curve is drawn with and what it is of; `None`: it is not drawn, but said under the cursor.
    pub(super) fn of(curve: &Curve) -> Option<(Self, Option<Of>)> {
        match curve.figure {
            Figure::Loss(of) => Some((Self::Loss, Some(of))),
            Figure::Tokens(of) => Some((Self::Tokens, Some(of))),
            Figure::Sequences(of) => Some((Self::Sequences, Some(of))),
            Figure::Classification | Figure::Other => Some((Self::Named(curve.name.clone()), None)),
            Figure::ElapsedTokens | Figure::ElapsedExamples => None,
        }
    }

    /// Returns the words of the page's title.
    pub(super) fn words(&self) -> Cow<'_, str> {
        match self {
            Self::Loss => "Loss".into(),
            Self::Tokens => "Token accuracy".into(),
            Self::Sequences => "Sequence accuracy".into(),
            Self::Named(name) => name.line(),
        }
    }

    /// Returns its place in the order in which `v` goes through them.
    fn place(&self) -> u8 {
        match self {
            Self::Loss => 0,
            Self::Tokens => 1,
            Self::Sequences => 2,
            Self::Named(_) => 3,
        }
    }
}

/// Returns the metrics of all these curves, each once: losses, accuracies, then the others in the files' order.
pub(super) fn all<'a>(curves: impl Iterator<Item = &'a Curve>) -> Vec<Metric> {
    let mut all: Vec<Metric> = Vec::new();
    for (metric, _) in curves.filter_map(Metric::of) {
        if !all.contains(&metric) {
            all.push(metric);
        }
    }
    all.sort_by_key(Metric::place);
    all
}

/// Returns the word for what a curve is of.
pub(super) fn of(of: Option<Of>) -> &'static str {
    match of {
        Some(Of::Training) => "train",
        Some(Of::Validation) => "valid",
        Some(Of::FullValidation) => "full valid",
        None => "",
    }
}

/// Which curves of a training show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum CurveFilter {
    #[default]
    Both,
    Training,
    Validation,
}

impl CurveFilter {
    pub(super) fn next(self) -> Self {
        match self {
            Self::Both => Self::Training,
            Self::Training => Self::Validation,
            Self::Validation => Self::Both,
        }
    }

    /// Returns whether a curve shows. What is of neither always does.
    pub(super) fn has(self, of: Option<Of>) -> bool {
        match (self, of) {
            (Self::Both, _) | (_, None) => true,
            (Self::Training, Some(of)) => of == Of::Training,
            (Self::Validation, Some(of)) => of != Of::Training,
        }
    }

    /// Returns the words for the title; empty: all curves are shown.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Both => "",
            Self::Training => "training only",
            Self::Validation => "validation only",
        }
    }
}
