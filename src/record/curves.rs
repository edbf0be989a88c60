//! Metrics of a training as curves: from a result file or from events.

use crate::text::Untrusted;

/// All that a file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curves {
    /// The file's name.
    pub name: Untrusted,
    /// A curve for each column of figures, in the file's order.
    pub curves: Vec<Curve>,
    /// Rows that were read.
    pub rows: u64,
    /// What could not be read or is missing, with line and column, in sentences; at most 20.
    pub notes: Vec<Untrusted>,
    /// The first rows unchanged, their header first, for a file that cannot be drawn.
    pub head: Vec<Vec<Untrusted>>,
}

/// One figure over the steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// The column's name as the file has it.
    pub name: Untrusted,
    /// What it measures.
    pub figure: Figure,
    /// Step and value, by step; empty cells have none. A value that is not a number is NaN and breaks the line.
    pub points: Vec<(f64, f64)>,
}

/// What a curve measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Figure {
    /// Loss.
    Loss(Of),
    /// Share of tokens that are right.
    Tokens(Of),
    /// Share of whole completions that are right.
    Sequences(Of),
    /// A classification metric, by its name.
    Classification,
    /// Tokens trained on so far.
    ElapsedTokens,
    /// Examples trained on so far.
    ElapsedExamples,
    /// Any other column.
    #[default]
    Other,
}

/// What a figure is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Of {
    /// The training examples.
    Training,
    /// Some of the validation examples.
    Validation,
    /// All validation examples.
    FullValidation,
}
