//! The exit statuses of commands, as `docs/commands.md` lists them.

use super::Output;
use crate::api::call::{Failure, FailureKind};
use crate::record::TurnStatus;
use crate::tabs::generation::RunEnd;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Done.
    Done,
    /// Done, and the result says no: a text is flagged, a check found faults, a job failed.
    ResultIsNo,
    /// The command line cannot be carried out: an unknown flag, a wrong value, a profile or file that does not exist.
    Usage,
    /// The config file is not valid.
    Config,
    /// The server refused the key, or the key is missing.
    KeyRefused,
    /// The server refused the request.
    Refused,
    /// The server could not be reached, or could not answer.
    Unreachable,
    /// The answer was cut off; what came was printed.
    CutOff,
    /// Stopped by Ctrl+C or a signal.
    Interrupted,
}

impl Status {
    /// Returns the status of the process.
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::ResultIsNo => 1,
            Self::Usage => 2,
            Self::Config => 3,
            Self::KeyRefused => 4,
            Self::Refused => 5,
            Self::Unreachable => 6,
            Self::CutOff => 7,
            Self::Interrupted => 130,
        }
    }

    /// Returns the status of a command whose answer ended so, and says why it is not complete.
    pub fn of_end(end: &RunEnd, out: &mut Output) -> Self {
        let Some(why) = &end.failure else { return Self::Done };
        out.notice(why.sentence.clone());
        if end.status == TurnStatus::CutOff { Self::CutOff } else { Self::of_failure(why) }
    }

    /// Returns the status of a command whose request failed.
    pub fn of_failure(failure: &Failure) -> Self {
        match failure.kind {
            FailureKind::Auth => Self::KeyRefused,
            FailureKind::Unsupported
            | FailureKind::RateLimit
            | FailureKind::Quota
            | FailureKind::TooLong
            | FailureKind::Refused => Self::Refused,
            FailureKind::Offline | FailureKind::Timeout | FailureKind::Server | FailureKind::Bug => Self::Unreachable,
            FailureKind::CutOff | FailureKind::Malformed => Self::CutOff,
        }
    }
}
