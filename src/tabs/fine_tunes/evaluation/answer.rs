//! The dialogs over the page, which the tab opens, and what they answer.

use std::fmt::Debug;

use super::rows_prompt::RowsPrompt;
use crate::component::{ConfirmDialog, Modals, PathPrompt};
use crate::ui::overlay::Confirm;

/// A dialog that the page asks for.
#[derive(Debug)]
pub(crate) enum EvaluationDialog {
    /// Asks for rows.
    Rows(RowsPrompt),
    /// Asks whether the rows may be sent.
    Send(Confirm),
    /// Asks for the file that the answers are written to.
    Export,
}

impl EvaluationDialog {
    /// Opens it.
    pub(crate) fn open<A: From<EvaluationAnswer> + Clone + Debug + 'static>(self, modals: &mut Modals<A>) {
        match self {
            Self::Rows(prompt) => modals.open(prompt),
            Self::Send(question) => modals.open(ConfirmDialog::new(question, A::from(EvaluationAnswer::Send))),
            Self::Export => {
                let answer = |path, _| A::from(EvaluationAnswer::Export(path));
                let prompt = PathPrompt::save("Export scores", "export", "scores.csv", answer);
                modals.open(prompt.with_lines(vec![".csv for spreadsheets, .jsonl for exact values".into()]));
            }
        }
    }
}

/// The answer of a dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EvaluationAnswer {
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
