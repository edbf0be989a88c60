//! The parts of the page of a training file, and its message to the tab.

use super::checked_file::CheckedFile;
use super::choices::PrepareChoices;
use super::columns::ColumnChoice;
use super::page_view::{Finding, PageView};
use super::run::CheckRun;
use crate::record::training::{CheckReport, Mapping};

/// The page's message to the tab.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Event {
    /// The page is done with: drop it.
    Closed,
    /// This place of this file is to be shown: its path, and the byte.
    Show(String, u64),
    /// All of this is to be shown.
    Read(Box<Finding>),
    /// These files are to be uploaded, by their paths: what was written, or the file itself as it stands.
    Upload(Vec<String>),
    /// Columns are taken for this: it is to be remembered for files with the same ones.
    Mapped(Box<Mapping>),
}

/// A training file that is checked.
#[derive(Debug)]
pub(crate) struct CheckPage {
    pub(super) file: CheckedFile,
    pub(super) run: CheckRun,
    pub(super) report: Box<CheckReport>,
    pub(super) columns: ColumnChoice,
    pub(super) choices: PrepareChoices,
    pub(super) view: PageView,
}
