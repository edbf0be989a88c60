//! Orders to the work threads (slow, local) and what comes back. Every ticket gets exactly one [`Done`].

use crate::text::{Tint, Untrusted};

/// Slow local work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// Colour a block of code.
    Highlight {
        /// The fence's word (`rust`, `json`, …); may be empty.
        language: Untrusted,
        /// The code.
        code: Untrusted,
    },
    /// Write a text to a new file (0600), never over an existing one (`name (2).md`).
    Save {
        /// Where to, `~` allowed, as the user typed it.
        path: String,
        /// The bytes.
        text: Untrusted,
    },
}

/// What work found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// Byte ranges of the code with their tint, ascending, not overlapping.
    Highlighted(Vec<(std::ops::Range<usize>, Tint)>),
    /// The path written.
    Saved(Untrusted),
    /// A sentence that says why not.
    Failed(Untrusted),
}
