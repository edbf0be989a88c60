//! Checks, when an answer has ended, whether it has the format that was asked for.

use crate::record::{Turn, TurnStatus};
use crate::tabs::generation::json_fields;

use super::reasoning::ReasoningSplit;

/// What is known of an answer's format in this run; violations are kept with the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FormatCheck {
    /// The answer matches the format of this name.
    Matches(&'static str),
    /// The answer is incomplete, so it was not checked against the format of this name.
    Unchecked(&'static str),
}

/// Checks an answer that has ended; violations become its error, each on a line of its own.
pub(super) fn check(format: &str, turn: &mut Turn) -> Option<FormatCheck> {
    let target = json_fields::target(format)?;
    if turn.status == TurnStatus::Failed {
        return None;
    }
    if unfinished(turn).is_some() {
        return Some(FormatCheck::Unchecked(target));
    }
    let (text, range) = ReasoningSplit::of(turn).answer();
    let violations = json_fields::violations(format, &text.raw()[range])?;
    if violations.is_empty() {
        return Some(FormatCheck::Matches(target));
    }
    let before = if turn.error.is_empty() { String::new() } else { format!("{}\n", turn.error.raw()) };
    turn.error = format!("{before}the answer does not match {target}:\n{}", violations.join("\n")).into();
    None
}

/// Returns why an answer is not whole; `None`: it is.
fn unfinished(turn: &Turn) -> Option<&'static str> {
    match turn.status {
        TurnStatus::Stopped => return Some("it was stopped"),
        TurnStatus::CutOff | TurnStatus::Streaming => return Some("it was cut off"),
        TurnStatus::Done | TurnStatus::Failed => {}
    }
    match turn.finish_reason.raw() {
        "length" => Some("it reached the token limit"),
        "content_filter" => Some("the server's content filter ended it"),
        // A refusal or a call takes the place of the answer.
        _ if turn.content.is_empty() && !turn.blocks.is_empty() => Some("it has no text"),
        _ => None,
    }
}

impl FormatCheck {
    /// Returns what is said of it below the answer.
    pub(super) fn sentence(self, turn: &Turn) -> String {
        match self {
            Self::Matches(target) => format!("✓ the answer matches {target}"),
            Self::Unchecked(target) => {
                format!("the answer was not checked against {target}: {}", unfinished(turn).unwrap_or("it was changed"))
            }
        }
    }
}
