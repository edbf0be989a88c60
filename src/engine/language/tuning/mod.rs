//! Fine-tuning: trains a model further on prompts and their completions, and reports every step.
//!
//! [`tune`] is synchronous and works on threads of its own; the caller's thread receives the reports and may stop it at
//! any of them. The result is a weights file that stands alone ([`Model::tuned`](super::Model::tuned)).

mod adam;
pub(super) mod bag;
pub(super) mod chat;
mod corpus;
mod figures;
pub(super) mod file;
mod judge;
pub(super) mod known;
pub(super) mod meaning;
mod pass;
mod places;
mod plan;
mod report;
mod run;
mod senses;
mod threads;

pub use chat::chat_example;
pub use plan::{Classes, Example, Plan, Resume};
pub use report::{Classification, Outcome, Report, Row, Scores, TuneError};
pub use run::tune;
pub use threads::lower_priority;
