//! Counts the tokens of the prompt: a guess at once, the exact count a moment later from the work threads.

use std::time::{Duration, Instant};

use crate::api::call::Ticket;
use crate::component::{Cx, Pending};
use crate::record::work::{Done, Work};
use crate::tabs::generation::context_limit;
use crate::ui::buffer::Buffer;

/// How long the text rests before it is counted exactly.
const REST: Duration = Duration::from_millis(150);
/// Bytes of a text that is counted exactly. A longer one fits into no model's context, and counting needs a copy of it.
const COUNTED: usize = 16 << 20;

/// What is known of the prompt's tokens.
#[derive(Clone, Debug, Default)]
pub(super) struct PromptCount {
    /// The tokens of the text before the caret and of the text after it, once counted.
    exact: Option<[u64; 2]>,
    guess: [u64; 2],
    /// Counts changes of what is counted.
    stamp: u64,
    guessed: u64,
    /// Counts under way, each with the stamp of what is counted.
    asked: Pending<u64>,
    /// When it is to be counted exactly.
    pub(super) due: Option<Instant>,
    /// Whether nobody here knows how the model cuts texts, or the text is too long to be counted.
    unknown: bool,
}

impl PromptCount {
    /// Notes that what is counted is another.
    pub(super) fn changed(&mut self, now: Instant) {
        self.stamp += 1;
        (self.exact, self.unknown) = (None, false);
        self.due = Some(now + REST);
    }

    /// Has a text counted, whose parts before and after the caret `work` counts, unless it is too long for that.
    pub(super) fn ask(&mut self, buffer: &Buffer, work: impl FnOnce() -> Work, cx: &mut Cx) {
        self.due = None;
        self.guess(buffer);
        if buffer.len() > COUNTED {
            self.unknown = true;
            return;
        }
        self.asked.insert(cx.work(work()), self.stamp);
    }

    /// Takes the result of a count. Returns whether it was asked for here.
    pub(super) fn take(&mut self, ticket: Ticket, done: &Done) -> bool {
        let Some(stamp) = self.asked.take(ticket) else { return false };
        if stamp == self.stamp {
            self.exact = exact(done);
            self.unknown = self.exact.is_none();
        }
        true
    }

    /// Returns tokens before the caret and after it, and whether they are a guess.
    pub(super) fn tokens(&self) -> ([u64; 2], bool) {
        self.exact.map_or((self.guess, true), |exact| (exact, false))
    }

    /// Returns whether the counts are exact, or cannot be.
    pub(super) fn is_settled(&self) -> bool {
        self.unknown || self.exact.is_some()
    }

    /// Guesses, if that was not done since the last change.
    pub(super) fn guess(&mut self, buffer: &Buffer) {
        if std::mem::replace(&mut self.guessed, self.stamp) == self.stamp {
            return;
        }
        let caret = buffer.caret();
        let guess =
            |range: std::ops::Range<usize>| context_limit::quick_estimate(range.len(), || buffer.slice(range.clone()));
        self.guess = [guess(0..caret), guess(caret..buffer.len())];
    }
}

/// Returns the counts of a text before the caret and after it from the result of the work; `None`: there are none.
pub(super) fn exact(done: &Done) -> Option<[u64; 2]> {
    let Done::Counted(true, counts) = done else { return None };
    let &[prompt, suffix] = counts.as_slice() else { return None };
    Some([prompt.into(), suffix.into()])
}
