//! A program that a tool's definition names, and what it printed.

use std::time::Duration;

use crate::text::Untrusted;

/// A program to run for a tool call, without a shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCommand {
    /// The program and its arguments; at least one word.
    pub words: Vec<String>,
    /// Its standard input: the arguments of the call, as JSON.
    pub input: String,
    /// It is stopped after this time.
    pub limit: Duration,
}

/// How a program of a tool ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolOutput {
    /// What it printed, without the line breaks at the end; of one that failed also its error output.
    pub text: Untrusted,
    /// Why it counts as failed, as a sentence; `None`: it ended with status 0.
    pub failure: Option<String>,
}
