//! What goes on in the tabs and may take long, as the shell tells it outside the screen.

use crate::record::TurnStatus;

/// Something that goes on in a tab and may take long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activity {
    /// What it is.
    pub kind: ActivityKind,
    /// Distinguishes it from others of its kind in the tab.
    pub id: u64,
    /// How much is done, and how much there is in all; `None`: it is not counted.
    pub progress: Option<(u64, u64)>,
}

impl Activity {
    /// Creates one that is not counted.
    pub fn new(kind: ActivityKind, id: u64) -> Self {
        Self { kind, id, progress: None }
    }
}

/// What an activity is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ActivityKind {
    /// A model answers.
    Answer,
    /// A few texts are checked.
    Check,
    /// Many texts are sent.
    Run,
    /// A file is sent.
    Upload,
    /// A file is fetched.
    Download,
    /// A fine-tune of a server waits or runs.
    Job,
}

/// How an activity ended, in the order in which it is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ActivityOutcome {
    /// It came to its end.
    #[default]
    Ended,
    /// It came to its end, but a part of it failed.
    EndedWithFailures,
    /// The user stopped or paused it, or removed what it was about.
    Stopped,
    /// It failed, or cannot go on without the user.
    Failed,
}

impl ActivityOutcome {
    /// Returns how an activity ended whose parts ended like this: only if all failed has it failed; it was stopped if a
    /// part was. `None`: it has no parts.
    pub fn of_parts(parts: impl IntoIterator<Item = Self>) -> Option<Self> {
        parts.into_iter().reduce(|one, other| match (one, other) {
            (Self::Stopped, _) | (_, Self::Stopped) => Self::Stopped,
            (one, other) if one == other => one,
            _ => Self::EndedWithFailures,
        })
    }

    /// Returns it in the words that tell it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Ended | Self::Stopped => "ended",
            Self::EndedWithFailures => "ended with failures",
            Self::Failed => "failed",
        }
    }
}

impl From<TurnStatus> for ActivityOutcome {
    fn from(status: TurnStatus) -> Self {
        match status {
            TurnStatus::Done | TurnStatus::Streaming => Self::Ended,
            TurnStatus::Stopped => Self::Stopped,
            TurnStatus::CutOff | TurnStatus::Failed => Self::Failed,
        }
    }
}
