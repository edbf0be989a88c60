//! What could not be read of a file, in sentences, limited to a readable number.

use crate::text::Untrusted;

/// Notes that are kept.
const MOST: usize = 20;

/// The notes of a file.
#[derive(Debug, Default)]
pub(super) struct Notes {
    notes: Vec<Untrusted>,
    more: u64,
}

impl Notes {
    pub(super) fn add(&mut self, note: impl Into<Untrusted>) {
        // The last place is for the number of further notes.
        if self.notes.len() + 1 < MOST {
            self.notes.push(note.into());
        } else {
            self.more += 1;
        }
    }

    /// Adds a note before all others.
    pub(super) fn first(&mut self, note: impl Into<Untrusted>) {
        if self.notes.len() + 1 >= MOST {
            self.more += u64::from(self.notes.pop().is_some());
        }
        self.notes.insert(0, note.into());
    }

    pub(super) fn finish(mut self) -> Vec<Untrusted> {
        if self.more > 0 {
            self.notes.push(format!("and {} more", self.more).into());
        }
        self.notes
    }
}

/// Returns a part of a file for a note: quoted and shortened.
pub(super) fn quoted(text: &str) -> String {
    let short: String = text.chars().take(40).collect();
    let dots = if short.len() < text.len() { "…" } else { "" };
    format!("“{short}{dots}”")
}
