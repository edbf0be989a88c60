//! Orders to the work threads (slow, local) and what comes back. Every ticket gets exactly one [`Done`].

use crate::text::Tint;

/// Slow local work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// Colour a block of code.
    Highlight {
        /// The fence's word (`rust`, `json`, …); may be empty.
        language: String,
        /// The code.
        code: String,
    },
    /// Write a text to a new file (0600), never over an existing one (`name (2).md`).
    Save {
        /// Where to, `~` allowed.
        path: String,
        /// The bytes.
        text: String,
    },
}

/// What work found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// Byte ranges of the code with their tint, ascending, not overlapping.
    Highlighted(Vec<(std::ops::Range<usize>, Tint)>),
    /// The path written.
    Saved(String),
    /// A sentence that says why not.
    Failed(String),
}
