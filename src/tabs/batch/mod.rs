//! A long list of texts sent in requests of some texts each, a few at a time: what is done, what is under way, how
//! fast, and how long it will take. Pauses, continues after a restart, and keeps the order.
//!
//! Pure: it is told what happened and when, and says what to send. Texts are named by their place in the list that it
//! was begun with, so that results have their row whatever order the answers come in. After a restart its owner begins
//! it again with the texts that have no kept result.

mod backoff;
mod items;
mod outbox;
mod requests;
mod runner;
mod schedule;
#[cfg(test)]
mod tests;
mod text_run;
mod text_window;
mod unsaved;
mod unwatched;

pub use self::items::{AcceptedItem, BatchItem, BatchLimits, BatchTally, FailedItem};
pub use self::outbox::{BatchResult, ResultOutbox};
pub use self::requests::{AnsweredRequest, FailedRequest, NextAttempt, SentRequest};
pub use self::runner::{BatchRunner, RequestEvent};
pub use self::schedule::BatchState;
pub use self::text_run::{TextRun, TextRunUpdate, lists_no_models};
pub use self::text_window::{TextResult, TextWindow};
pub use self::unsaved::UnsavedResults;
pub use self::unwatched::{UnwatchedRun, UnwatchedState};
