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
    /// Cut a text into tokens as a model does.
    Tokenize {
        /// The model's id.
        model: Untrusted,
        /// Whether it is one of the local service's: they all have one vocabulary.
        local: bool,
        /// The text.
        text: Untrusted,
    },
    /// Spell out tokens by their ids.
    Spell {
        /// The model's id.
        model: Untrusted,
        /// Whether it is one of the local service's.
        local: bool,
        /// The ids.
        ids: Vec<u32>,
    },
}

/// What work found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// Byte ranges of the code with their tint, ascending, not overlapping.
    Highlighted(Vec<(std::ops::Range<usize>, Tint)>),
    /// The path written.
    Saved(Untrusted),
    /// The tokens of a text; `None`: nobody here knows how that model cuts texts.
    Tokens(Option<Tokens>),
    /// The bytes of each id, empty for one that is no token; `None`: as above.
    Spelled(Option<Vec<Vec<u8>>>),
    /// A sentence that says why not.
    Failed(Untrusted),
}

/// A text cut into tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Name of the vocabulary: `cl100k_base`, `o200k_base`, `p50k_base`, `r50k_base`.
    pub vocabulary: &'static str,
    /// Their ids, in order.
    pub ids: Vec<u32>,
    /// Where each ends, in bytes of the text; ends need not be those of characters.
    pub ends: Vec<usize>,
}
