//! Files of vectors: exports under way, and an import that is being copied to the store.

use std::sync::Arc;

use crate::record::{TextKey, VectorKey, VectorTable};

/// What the keys of imported vectors begin with, where others name a profile.
pub(super) const IMPORT_PREFIX: &str = "import/";

/// Vectors of a file on their way to the disk.
#[derive(Debug)]
pub(super) struct VectorImport {
    pub(super) key: VectorKey,
    /// The texts they belong to, whichever list is open meanwhile.
    pub(super) keys: Vec<TextKey>,
    pub(super) table: Arc<VectorTable>,
    /// The first row that was not handed over.
    pub(super) at: usize,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExportKind {
    Vectors,
    Matrix,
}

impl ExportKind {
    /// Returns what the file will hold.
    pub(super) fn description(self) -> &'static str {
        match self {
            Self::Vectors => "the vectors, a row for each text: .csv, .json or .npy",
            Self::Matrix => "the matrix of similarities: .csv, .json or .npy",
        }
    }
}
