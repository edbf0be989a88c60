//! The figures of a training as curves: from a result file or from events.

use crate::text::Untrusted;

/// All that a file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curves {
    /// What the figures are of: the file's name.
    pub name: Untrusted,
    /// A curve for each column of figures, in the file's order.
    pub curves: Vec<Curve>,
    /// Rows that were read.
    pub rows: u64,
    /// What could not be read or is missing, with line and column, in sentences; at most 20.
    pub notes: Vec<Untrusted>,
    /// The first rows as they stand, their header first, for what cannot be drawn.
    pub head: Vec<Vec<Untrusted>>,
}

/// One figure over the steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// The column's name as the file has it.
    pub name: Untrusted,
    /// Step and value, by step; empty cells have none. A value that is no number is NaN and breaks the line.
    pub points: Vec<(f64, f64)>,
}
