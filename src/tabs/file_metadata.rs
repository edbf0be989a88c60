//! What is known of server files besides the list: hashes, rows, tokens and classes.

use serde::{Deserialize, Serialize};

use crate::api::call::Sha256;
use crate::component::Training;
use crate::record::Record;
use crate::settings::ProfileId;

/// Files that are remembered for each profile; the oldest go first.
const MOST: usize = 1_000;

/// What is known of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct FileMetadata {
    /// Letters and digits of its SHA-256; empty: not known.
    sha256: String,
    /// Rows; 0: not known.
    pub(super) rows: u64,
    /// Tokens of one pass; 0: not known.
    pub(super) tokens: u64,
    /// Most frequent first, not all where they are many; empty: none, or not known.
    pub(super) classes: Vec<String>,
    /// How many there are; 0: not known.
    pub(super) class_count: u64,
}

impl FileMetadata {
    pub(super) fn sha256(&self) -> Option<Sha256> {
        unhex(&self.sha256)
    }

    #[must_use]
    pub(super) fn hashed(self, sha256: &Sha256) -> Self {
        Self { sha256: hex(sha256), ..self }
    }

    /// Returns what is known of it as a file to train with.
    fn training(&self) -> Training {
        Training {
            rows: self.rows,
            tokens: self.tokens,
            class_count: self.class_count.max(self.classes.len() as u64),
            classes: self.classes.iter().map(|class| class.as_str().into()).collect(),
            ..Training::default()
        }
    }

    /// Returns the hash as it is shown; empty: not known.
    pub(super) fn hash(&self) -> &str {
        &self.sha256
    }
}

/// What is known of a server's files, by their ids, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct MetadataCache(Vec<(String, FileMetadata)>);

impl MetadataCache {
    /// Returns the setting's name for a profile.
    pub(super) fn key(profile: &ProfileId) -> String {
        format!("files.hashes.{}", profile.0)
    }

    /// Reads what was saved.
    pub(super) fn read(json: &str) -> Self {
        serde_json::from_str(json).unwrap_or_default()
    }

    pub(super) fn of(&self, id: &str) -> Option<&FileMetadata> {
        self.0.iter().rev().find(|(other, _)| other == id).map(|(_, metadata)| metadata)
    }

    /// Returns what is known of a file to train with.
    pub(super) fn training(&self, id: &str) -> Option<Training> {
        self.of(id).map(FileMetadata::training)
    }

    /// Adds what was learned of a file.
    pub(super) fn put(&mut self, id: &str, metadata: FileMetadata) {
        self.0.retain(|(other, _)| other != id);
        self.0.push((id.to_owned(), metadata));
        let over = self.0.len().saturating_sub(MOST);
        self.0.drain(..over);
    }

    /// Adds what was saved; what was learned since replaces it.
    pub(super) fn fill(&mut self, json: &str) {
        let mut kept = Self::read(json);
        for (id, metadata) in std::mem::take(&mut self.0) {
            kept.put(&id, metadata);
        }
        *self = kept;
    }

    /// Returns the record that keeps it.
    pub(super) fn record(&self, profile: &ProfileId) -> Record {
        let json = serde_json::to_string(self).expect("texts and numbers are always JSON");
        Record::Setting(Self::key(profile), json.into())
    }
}

/// Returns the letters and digits of a hash, in full.
pub(crate) fn hex(hash: &Sha256) -> String {
    use std::fmt::Write as _;
    hash.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// Returns a hash out of its letters and digits.
fn unhex(text: &str) -> Option<Sha256> {
    let mut hash = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (byte, at) in hash.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(&text[at..at + 2], 16).ok()?;
    }
    Some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_read_as_it_was_written() {
        let hash = std::array::from_fn(|at| at as u8 * 7);
        assert_eq!(unhex(&hex(&hash)), Some(hash));
        for wrong in ["", "00", &"é".repeat(32), &"x".repeat(64)] {
            assert_eq!(unhex(wrong), None);
        }
    }

    #[test]
    fn it_is_bounded_and_what_is_new_stands_above_what_was_kept() {
        let mut known = MetadataCache::default();
        for at in 0..MOST + 5 {
            known.put(&format!("file-{at}"), FileMetadata { rows: at as u64, ..FileMetadata::default() });
        }
        assert_eq!((known.0.len(), known.of("file-4"), known.of("file-5").unwrap().rows), (MOST, None, 5));
        let Record::Setting(name, json) = known.record(&ProfileId("a".into())) else { panic!() };
        assert_eq!(name, "files.hashes.a");
        let mut later = MetadataCache::default();
        later.put("file-7", FileMetadata::default().hashed(&[7; 32]));
        later.fill(&json.screen());
        assert_eq!(later.of("file-7").unwrap().sha256(), Some([7; 32]));
        assert_eq!(later.of("file-8").unwrap().rows, 8);
        later.fill("nonsense");
        assert_eq!(later.0.len(), MOST);
    }
}
