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
    /// A conversation: its title, and the role and text of each turn.
    Conversation(Untrusted, Vec<(Untrusted, Untrusted)>),
    /// A model's id.
    Model(Untrusted),
    /// The path of a local file, to be viewed, checked or uploaded.
    Local(Untrusted),
    /// A stored file to train with: the profile whose server has it, its id, its name, and what is known of its classes
    /// (empty: nothing, or it is no classification).
    Training(Box<Training>),
    /// Models to be compared on the same prompt.
    Compare(Box<ComparisonOffer>),
}

/// A stored file to train with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Training {
    /// The profile whose server has it.
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
    /// Its most frequent classes, in that order; empty: it has none, or they are not known.
    pub classes: Vec<Untrusted>,
    /// How many classes it has; 0: none, or not known.
    pub class_count: u64,
}

/// Models to be compared on the same prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparisonOffer {
    /// The profile whose server has the models.
    pub profile: ProfileId,
    /// The tuned one first, its base after it.
    pub models: Vec<Untrusted>,
    /// The prompt to begin with, if the user has typed none.
    pub prompt: Untrusted,
    /// The stop sequences of the training file; empty: not known.
    pub stop: Vec<String>,
    /// Whether they were trained on messages, for Chat, or on prompts, for Complete.
    pub chat: bool,
}
