//! What the dialogs over the page answer.

/// The answer of a dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum EvaluationAnswer {
    /// Send the rows.
    Send,
    /// Write the answers to the file at this path.
    Export(String),
    /// Score with the rows of this local file.
    Path(String),
    /// Score with the rows of the job's validation file.
    Validation,
    /// Choose no rows.
    NoRows,
}
