//! What one tab hands to another.

use crate::settings::ProfileId;
use crate::text::Untrusted;

/// Something one tab hands to whichever tab can use it. No tab names another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Offer {
    /// A text.
    Text(Untrusted),
    /// Several texts, each with its name (may be empty).
    Texts(Vec<(Untrusted, Untrusted)>),
    /// A conversation: its title, and of each turn who speaks and what.
    Conversation(Untrusted, Vec<(Untrusted, Untrusted)>),
    /// A model's id.
    Model(Untrusted),
    /// A local file, by its path: to be looked at, checked, uploaded.
    Local(Untrusted),
    /// A stored file to train with: the profile whose server has it, its id, its name, and what is known of its classes
    /// (empty: nothing, or it is no classification).
    Training(Box<Training>),
    /// Models to be tried on the same prompt: the tuned one first, its base after it.
    Compare(Box<Trial>),
}

/// A stored file to train with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Training {
    /// Whose server has it.
    pub profile: ProfileId,
    /// `file-…`
    pub id: Untrusted,
    /// Its name.
    pub name: Untrusted,
    /// The file to validate with that was made beside it: id, name.
    pub validation: Option<(Untrusted, Untrusted)>,
    /// Rows; 0: not known.
    pub rows: u64,
    /// Tokens of one pass; 0: not known.
    pub tokens: u64,
    /// Its classes, most frequent first, not all where they are many; empty: none, or not known.
    pub classes: Vec<Untrusted>,
    /// How many classes it has; 0: none, or not known.
    pub class_count: u64,
}

/// Models to be tried on the same prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Whose server has them.
    pub profile: ProfileId,
    /// The tuned one first, its base after it.
    pub models: Vec<Untrusted>,
    /// A prompt to begin with, where none is there.
    pub prompt: Untrusted,
    /// Where an answer ends, as the training file has it; empty: not known.
    pub stop: Vec<String>,
    /// Whether they were trained on messages, for Chat; else on prompts, for Complete.
    pub chat: bool,
}
