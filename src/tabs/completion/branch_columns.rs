//! The branches at one part of the text, as columns side by side.

use std::time::Instant;

use super::state::State;
use super::{params, status_lines};
use crate::component::Session;
use crate::record::{Id, Made, TurnStatus};
use crate::tabs::columns::{Column, OutputState};
use crate::text::Untrusted;

/// A branch with its title and the words below it.
pub(super) type BranchWords = (Id, Untrusted, String);

/// Returns the branches at a part, each with its title and the words below it.
pub(super) fn words(state: &State, step: Id, session: &Session, now: Instant) -> Vec<BranchWords> {
    let of = |(at, id): (usize, Id)| {
        let step = state.text.history.step(id)?;
        let Made::Generated { run, .. } = step.made else { return Some((id, Untrusted::default(), String::new())) };
        let run = state.log.find(run);
        let title = run.map(|run| {
            let set = params::brief(&run.params);
            let dot = if set.is_empty() { "" } else { " · " };
            Untrusted::from(format!("{} · {}{dot}{set}", at + 1, run.model.line()))
        });
        Some((id, title.unwrap_or_default(), status_lines::column(run, step, state, session, now)))
    };
    state.text.history.branches_of(step).into_iter().enumerate().filter_map(of).collect()
}

/// Returns the branches as columns.
pub(super) fn columns<'a>(state: &'a State, words: &'a [BranchWords]) -> Vec<Column<'a>> {
    let column = |(id, title, foot): &'a BranchWords| {
        let step = state.text.history.step(*id)?;
        Some(Column {
            title,
            text: &step.inserted,
            tokens: state.scores.of(*id),
            foot,
            state: match (step.status, step.made) {
                (TurnStatus::Streaming, _) => OutputState::Streaming,
                (TurnStatus::Done, _) => OutputState::Done,
                (TurnStatus::Stopped, _) => OutputState::Stopped,
                (_, Made::Generated { run, .. }) => OutputState::CutOff(state.log.failure(run)),
                _ => OutputState::CutOff(Untrusted::none()),
            },
            mean: state.scores.mean(*id),
        })
    };
    words.iter().filter_map(column).collect()
}
