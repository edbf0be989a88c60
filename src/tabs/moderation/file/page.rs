//! The page's state: the open file, what of it is shown, and requests under way.

use std::time::Instant;

use super::super::category::CategoryKey;
use super::super::evaluate::LabelsPage;
use super::super::shared_settings::SharedSettings;
use super::detail::RowDetail;
use super::failures::FailureList;
use super::open_file::OpenTextFile;
use crate::api::call::Ticket;
use crate::component::{Cx, Modals, Saves};
use crate::record::work::Columns;
use crate::record::{Check, Id, TextRow};
use crate::tabs::batch::UnsavedResults;
use crate::tabs::texts::{ChosenFile, ListEvent, ListImport};
use crate::text::Untrusted;

/// What the page tells the tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FileEvent {
    /// The page is done with; what runs continues.
    Close,
    /// This text, with its name, is to stand on the bench.
    Bench { name: Untrusted, text: Untrusted },
}

/// What is there.
#[derive(Debug, Default)]
pub(super) enum FilePhase {
    /// No list.
    #[default]
    Empty,
    /// One is on its way.
    Step(LoadStep),
    /// One is open.
    Open(Box<OpenTextFile>),
}

/// What of an open list is looked at.
#[derive(Debug, Default)]
pub(super) enum FileView {
    /// All rows.
    #[default]
    Table,
    /// One row.
    Detail(RowDetail),
    /// What failed.
    Failures(FailureList),
    /// How well the thresholds agree with the labels.
    Evaluate(Box<LabelsPage>),
}

/// A step on the way to an open list.
#[derive(Debug)]
pub(super) enum LoadStep {
    /// Which list was open last.
    Last(Ticket),
    /// A file is read.
    Reading { ticket: Ticket, path: String, columns: Columns, name: Untrusted, at: (u64, u64) },
    /// Its rows are copied into the store.
    Copying(Box<RowCopy>),
    /// A list is read from the store; whether its run may continue by itself.
    Rows(Ticket, bool),
}

/// Rows on their way into the store.
#[derive(Debug)]
pub(super) struct RowCopy {
    pub(super) import: ListImport,
    pub(super) rows: Vec<TextRow>,
    pub(super) saves: Saves,
    /// Rows that are on disk.
    pub(super) saved: u64,
}

impl RowCopy {
    /// Returns how many rows there are in all.
    pub(super) fn total(&self) -> u64 {
        self.rows.len() as u64
    }

    /// Returns the name of the list.
    pub(super) fn name(&self) -> &Untrusted {
        &self.import.list().name
    }

    /// Saves the next part. Returns whether there is one.
    pub(super) fn save_next(&mut self, cx: &mut Cx) -> bool {
        self.saved = self.import.handed_out();
        let next = self.import.next(&self.rows);
        next.map(|record| self.saves.save(record, cx)).is_some()
    }
}

/// An export on its way.
#[derive(Debug)]
pub(super) enum ExportState {
    /// The results of all models are looked up for this list, then written to this path.
    Querying { ticket: Ticket, list: Id, path: String },
    /// They are written. `bare`: it is not known how the file was read, so its other columns are missing.
    Written { ticket: Ticket, bare: bool },
}

/// The answer of a dialog.
#[derive(Clone, Debug)]
pub(super) enum FileAnswer {
    /// Read this file.
    Read(ChosenFile),
    /// Open a list that is kept, or forget one that was deleted.
    List(ListEvent),
    /// Let this category count; `None`: highest of all does.
    Category(Option<CategoryKey>),
    /// Write the results to the file at this path.
    Export(String),
    /// Check all texts again.
    Again,
}

/// The page. It is there from the start and gets all replies to its tickets, also while it is not shown.
#[derive(Debug, Default)]
pub(crate) struct FilePage {
    /// What the bench uses as well. Whoever changes something sets its `changed`.
    pub(crate) shared: SharedSettings,
    pub(super) phase: FilePhase,
    pub(super) sub: FileView,
    pub(super) modals: Modals<FileAnswer>,
    /// Whether the page was asked for while it was not known yet what was open last.
    pub(super) wanted: bool,
    /// Whether a run that was cut continues when what is known is here.
    pub(super) goes_on: bool,
    /// Whether a run was asked for of a file that is on its way.
    pub(super) runs: bool,
    pub(super) exporting: Option<ExportState>,
    /// Results of runs that are done with, which are not all on disk yet.
    pub(super) unsaved_results: UnsavedResults<Check>,
    /// When the evaluation that is looked at is rebuilt, because results have come.
    pub(super) stale: Option<Instant>,
    /// When something was last heard: countdowns are told from there on.
    pub(super) seen: Option<Instant>,
}
