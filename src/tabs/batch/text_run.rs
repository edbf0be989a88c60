//! A run over texts outside the tabs, as commands see it.

use std::time::Instant;

use super::text_window::TextResult;
use super::unwatched::UnwatchedState;
use crate::api::call::{Failure, FailureKind, Ticket};
use crate::component::{Cx, Response};
use crate::text::Untrusted;

/// What a reply means for a run.
#[derive(Debug)]
pub enum TextRunUpdate {
    /// Nothing to say.
    Nothing,
    /// A request is sent again, for this reason.
    Retrying(Failure),
    /// A sentence for the user.
    Told(String),
    /// No model was named, and the server lists none that can do this.
    NoModel,
    /// No text can be sent, for this reason.
    NotStarted(Failure),
}

/// A run over texts that come one by one and whose results are taken in the order of the texts.
pub trait TextRun {
    /// The result of a text.
    type Outcome;

    /// Asks for what it has to know before texts are sent.
    fn start(&mut self, cx: &mut Cx);
    /// Takes in a reply of client, store or work threads.
    fn handle(&mut self, ticket: Ticket, response: Response, cx: &mut Cx) -> TextRunUpdate;
    /// Returns whether another text may be added now.
    fn has_room(&self) -> bool;
    /// Adds a text.
    fn push(&mut self, text: Untrusted);
    /// Sends what may be sent, and saves what has come.
    fn send(&mut self, cx: &mut Cx);
    /// Takes the next text, if its result has come.
    fn take(&mut self) -> Option<TextResult<Self::Outcome>>;
    /// Takes the next text that has a result and drops those before it, once the run has ended.
    fn take_late(&mut self) -> Option<TextResult<Self::Outcome>>;
    /// Returns whether all texts that were added are taken.
    fn is_empty(&self) -> bool;
    /// Returns what it does.
    fn state(&mut self, now: Instant) -> UnwatchedState;
    /// Returns why texts have no result; `None`: none has failed because of a request.
    fn text_failure(&self) -> Option<&Failure>;
    /// Returns when [`Self::send`] is to be called although nothing has happened.
    fn due(&self, now: Instant) -> Option<Instant>;
    /// Cancels all requests, and saves what has come.
    fn stop(&mut self, cx: &mut Cx);
}

/// Returns whether a server that failed so when it was asked for its models has no list of them.
pub fn lists_no_models(why: &Failure) -> bool {
    matches!(why.kind, FailureKind::Unsupported | FailureKind::Refused | FailureKind::Malformed)
}
