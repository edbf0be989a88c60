//! Lists of texts, and what a service said about them: the list of Moderate or Embed as it is typed, or a file, or rows
//! that models are scored with.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Id;
use super::work::Columns;
use crate::text::Untrusted;

/// Names a text, wherever something is kept about it: the first 16 bytes of SHA-256 over its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextKey(pub [u8; 16]);

impl TextKey {
    /// Returns the key of a text.
    pub fn of(text: &Untrusted) -> Self {
        let digest = ring::digest::digest(&ring::digest::SHA256, text.raw().as_bytes());
        let (first, _) = digest.as_ref().split_first_chunk().expect("SHA-256 has 32 bytes");
        Self(*first)
    }
}

impl std::fmt::Debug for TextKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TextKey({:08x}…)", u32::from_be_bytes(*self.0.first_chunk().expect("it has 16 bytes")))
    }
}

/// Whose list it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bench {
    /// Moderate's.
    Moderate,
    /// Embed's.
    Embed,
    /// Tune's: rows of a held-out file, the prompt as the text (messages as JSON) and the wanted answer as the label.
    Score,
}

/// A list of texts without its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextList {
    /// Its id.
    pub id: Id,
    /// The bench it belongs to.
    pub bench: Bench,
    /// Title: the file's name, or what the tab calls a list that was typed.
    pub name: Untrusted,
    /// The file it was read from, as it was opened; empty: typed.
    pub source: Untrusted,
    /// Unix milliseconds.
    pub created_ms: i64,
    /// Unix milliseconds.
    pub updated_ms: i64,
    /// Further state of the tab (models, sort, a paused run, …), as JSON of its own. Never shown.
    pub state: String,
    /// Number of its rows. Counted when a list is loaded, ignored when it is stored.
    pub rows: u64,
}

/// One text of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextRow {
    /// Its id.
    pub id: Id,
    /// Its position, ascending; there may be gaps.
    pub place: u32,
    /// Its name besides its letter or number; empty: none.
    pub name: Untrusted,
    /// The text.
    pub text: Untrusted,
    /// The value of the file's label column; `None`: there is no such column.
    pub label: Option<Untrusted>,
}

/// A file's size and modification time: a file that has both unchanged is taken for the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// Bytes.
    pub bytes: u64,
    /// Unix milliseconds; 0: the file system does not say.
    pub modified_ms: i64,
}

/// Where the texts of a list were read from, for reading the same rows again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextSource {
    /// The file's path.
    pub path: Untrusted,
    /// The columns that were read.
    pub columns: Columns,
    /// The file's state when it was read.
    pub stamp: Stamp,
}

/// What a moderation model said of a text, once. Kept for ever: models change under their names.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// Its id.
    pub id: Id,
    /// The text.
    pub text: TextKey,
    /// The profile that was used, by its id.
    pub profile: String,
    /// The model in the request.
    pub asked: Untrusted,
    /// The model that answered, by its own word; empty: it did not say.
    pub model: Untrusted,
    /// Unix milliseconds.
    pub at_ms: i64,
    /// From the request to its answer, milliseconds. Texts of one request share it.
    pub latency_ms: u32,
    /// Whether the service flagged it.
    pub flagged: bool,
    /// Names of the categories as the service spells them, each once. Shared by the checks of one answer.
    pub categories: Arc<[Untrusted]>,
    /// Raw score of each category, 0 to 1; `None`: the service has none.
    pub scores: Box<[Option<f64>]>,
    /// Whether the service flagged each category; `None`: it does not say.
    pub flags: Box<[Option<bool>]>,
}

/// What vectors are kept under: the same texts under the same key have the same vectors, and are not paid for again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VectorKey {
    /// The profile that was used, by its id; `import` for vectors that were read from a file.
    pub profile: String,
    /// The model asked for; of imported vectors the file's name.
    pub model: Untrusted,
    /// The length in the request; `None`: the model's own.
    pub dimensions: Option<u32>,
}
