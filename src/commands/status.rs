//! The exit statuses of commands, as `docs/commands.md` lists them.

use super::output::Output;
use crate::api::call::{Failure, FailureKind, Progress, without_kept};
use crate::record::TurnStatus;
use crate::tabs::generation::RunEnd;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Done.
    Done,
    /// Done, and the result says no: a text is flagged, a check found faults, a job failed.
    ResultIsNo,
    /// The command line cannot be carried out: an unknown flag, a wrong value, a profile, a conversation or a file of
    /// this machine that does not exist; the system does not permit it.
    Usage,
    /// The config file is not valid, or has a fault that changes which server is used.
    Config,
    /// The server refused the key, or the key is missing.
    KeyRefused,
    /// The server refused the request, or a rate limit was still in force after the retries, or has no such file or fine-tune.
    Refused,
    /// The server could not be reached, or could not answer.
    Unreachable,
    /// The answer was cut off, or the result could not be written; what came was printed.
    CutOff,
    /// Stopped by Ctrl+C or a signal.
    Interrupted,
}

impl Status {
    /// All of them, by their codes.
    pub(super) const ALL: [Self; 9] = [
        Self::Done,
        Self::ResultIsNo,
        Self::Usage,
        Self::Config,
        Self::KeyRefused,
        Self::Refused,
        Self::Unreachable,
        Self::CutOff,
        Self::Interrupted,
    ];

    /// Returns what it means, in the words of `docs/commands.md`.
    pub(super) fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::ResultIsNo => {
                "done, and the result says no: doctor found something that does not work, a text is flagged (with \
                 --fail-flagged), a check found faults, a job failed or was cancelled"
            }
            Self::Usage => {
                "the command line cannot be carried out: an unknown flag, a wrong value, a profile, a conversation or \
                 a file of this machine that does not exist; the system does not permit it"
            }
            Self::Config => {
                "the config file is not valid, or has a fault that changes which server is used; config check found \
                 faults"
            }
            Self::KeyRefused => "the server refused the key, or the key is missing",
            Self::Refused => {
                "the server refused the request, or a rate limit was still in force after the retries, or has no such file or fine-tune"
            }
            Self::Unreachable => "the server could not be reached, or could not answer",
            Self::CutOff => "the answer was cut off, or the result could not be written; what came was printed",
            Self::Interrupted => "stopped by Ctrl+C or a signal",
        }
    }

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

    /// Returns the status of a command whose answer ended so, and says why it is not complete. `saves`: what came is
    /// stored.
    pub fn of_end(end: &RunEnd, saves: bool, out: &mut Output) -> Self {
        let Some(why) = &end.failure else { return Self::Done };
        let is_kept = saves && end.status == TurnStatus::CutOff;
        out.notice(if is_kept { why.sentence.clone() } else { without_kept(&why.sentence) });
        if end.status == TurnStatus::CutOff { Self::CutOff } else { Self::of_failure(why) }
    }

    /// Returns whether a request failed before anything was sent: there is no key for it.
    pub fn is_unsent(end: &RunEnd) -> bool {
        let is_unsent = |why: &Failure| why.kind == FailureKind::Auth && why.status.is_none() && why.body.is_empty();
        end.failure.as_ref().is_some_and(is_unsent)
    }

    /// Says what a part of a call means where that is the same for every command. Returns the status once the call has
    /// ended.
    pub fn of_call(progress: &Progress, out: &mut Output) -> Option<Self> {
        match progress {
            Progress::Retrying { why, .. } => out.retrying(why),
            Progress::Closed(Ok(())) => return Some(Self::Done),
            Progress::Closed(Err(why)) => {
                out.notice(without_kept(&why.sentence));
                return Some(Self::of_failure(why));
            }
            _ => {}
        }
        None
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
            FailureKind::Offline
            | FailureKind::Timeout
            | FailureKind::Server
            | FailureKind::Malformed
            | FailureKind::Bug => Self::Unreachable,
            FailureKind::CutOff | FailureKind::Unwritable => Self::CutOff,
            FailureKind::Unreadable => Self::Usage,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contract_says_what_each_status_means() {
        let contract = include_str!("../../docs/commands.md").replace('`', "");
        for status in Status::ALL {
            let row = format!("\n| {} | {} |\n", status.code(), status.meaning());
            assert!(contract.contains(&row), "{row}");
        }
    }
}
