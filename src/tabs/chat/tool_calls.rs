//! Calls of tools: what is wrong with their arguments, and which command makes a result. A result is written in the
//! message box, so it can be changed before it is sent; it is sent with the key that sends a message.

use std::collections::{HashMap, HashSet};

use super::open_call::{OpenCall, calls};
use super::turn_tree::TurnTree;
use crate::record::{ChatParams, Id, ToolCommand, TurnStatus};
use crate::tabs::generation::tools::{self, Tool};
use crate::text::Untrusted;

/// What is wrong with the calls that are here: sentences for each, by its answer and its id.
#[derive(Debug, Default)]
pub(super) struct CallProblems(HashMap<(Id, Untrusted), Vec<String>>);

impl CallProblems {
    /// Returns what is wrong with a call of an answer.
    pub(super) fn of(&self, answer: Id, call: &Untrusted) -> &[String] {
        self.0.get(&(answer, call.clone())).map_or(&[], Vec::as_slice)
    }

    /// Checks the calls of these turns against the tools, once for each: when they have come, and when the tools
    /// change.
    pub(super) fn check(&mut self, turns: impl IntoIterator<Item = Id>, tree: &TurnTree, params: &ChatParams) {
        // The tools are only read for the first call: mostly there is none.
        let mut tools = None;
        for turn in turns {
            let Some(turn) = tree.turn(turn).filter(|turn| turn.status == TurnStatus::Done) else { continue };
            for call in calls(turn) {
                let tools = tools.get_or_insert_with(|| tools_of(params));
                self.0.insert((call.turn, call.id.clone()), call.problems(tools));
            }
        }
    }

    /// Checks all calls that are here again: the tools are others. Returns the answers that have some.
    pub(super) fn check_again(&mut self, tree: &TurnTree, params: &ChatParams) -> HashSet<Id> {
        let turns: HashSet<Id> = self.0.drain().map(|((turn, _), _)| turn).collect();
        self.check(turns.iter().copied(), tree, params);
        turns
    }
}

/// Returns the tools that parameters define; none where their definitions are wrong.
pub(super) fn tools_of(params: &ChatParams) -> Vec<Tool> {
    tools::read(params.tools.as_deref().unwrap_or_default()).unwrap_or_default()
}

impl OpenCall {
    /// Returns what is wrong with it; none where no tools are defined.
    fn problems(&self, tools: &[Tool]) -> Vec<String> {
        match tools.iter().find(|tool| self.name == tool.name()) {
            Some(tool) => tool.violations(self.arguments.raw()),
            None if tools.is_empty() => Vec::new(),
            None => vec!["no tool of this name is defined".to_owned()],
        }
    }

    /// Returns the command of its tool with its arguments, or why that cannot be run; `None`: the definition names none.
    pub(super) fn command(&self, tools: &[Tool]) -> Option<Result<ToolCommand, String>> {
        tools.iter().find(|tool| self.name == tool.name())?.command(self.arguments.raw())
    }
}
