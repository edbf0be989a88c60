//! How many tokens the prompt has: a guess at once, the exact count a moment later, off the screen's thread.

use std::time::{Duration, Instant};

use super::state::{Request, State};
use crate::component::{Cx, Session};
use crate::record::work::{Done, Work};
use crate::tabs::generation::limit;
use crate::text::Untrusted;
use crate::tokens;
use crate::ui::buffer::Buffer;

/// How long the text rests before it is counted exactly.
const REST: Duration = Duration::from_millis(150);
/// Bytes of a text that is counted exactly. A longer one fits into no model's context, and counting needs a copy of it.
const COUNTED: usize = 16 << 20;

/// What is known of the prompt's tokens.
#[derive(Clone, Debug, Default)]
pub(super) struct Count {
    /// Of the text before the caret and of what follows it, once counted.
    exact: Option<[u64; 2]>,
    guess: [u64; 2],
    /// Counts changes of what is counted.
    stamp: u64,
    guessed: u64,
    due: Option<Instant>,
    /// Whether nobody here knows how the model cuts texts, or the text is too long to be counted.
    pub(super) unknown: bool,
}

impl Count {
    /// When it is to be counted exactly.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// What is counted is another.
    pub(super) fn changed(&mut self, now: Instant) {
        self.stamp += 1;
        (self.exact, self.unknown) = (None, false);
        self.due = Some(now + REST);
    }

    /// Tokens before the caret and behind it, and whether they are a guess.
    pub(super) fn tokens(&self) -> ([u64; 2], bool) {
        self.exact.map_or((self.guess, true), |exact| (exact, false))
    }

    /// Whether the counts are exact, or cannot be.
    pub(super) fn is_settled(&self) -> bool {
        self.unknown || self.exact.is_some()
    }

    /// Guesses, if that was not done since the last change.
    pub(super) fn guess(&mut self, buffer: &Buffer) {
        if std::mem::replace(&mut self.guessed, self.stamp) == self.stamp {
            return;
        }
        let caret = buffer.caret();
        let guess = |range: std::ops::Range<usize>| limit::guess(range.len(), || buffer.slice(range.clone()));
        self.guess = [guess(0..caret), guess(caret..buffer.len())];
    }
}

impl State {
    /// Has the prompt counted.
    pub(super) fn ask_count(&mut self, cx: &mut Cx) {
        self.count.due = None;
        self.count.guess(&self.buffer);
        if self.buffer.len() > COUNTED {
            self.count.unknown = true;
            return;
        }
        let work = self.count_work(self.model(cx.session), cx.session.local);
        let ticket = cx.work(work);
        self.pending.insert(ticket, Request::Count { stamp: self.count.stamp });
    }

    /// The work of counting the text before the caret and the text behind it as a model cuts them.
    pub(super) fn count_work(&self, model: Untrusted, local: bool) -> Work {
        let caret = self.buffer.caret();
        let texts = [0..caret, caret..self.buffer.len()].map(|range| Untrusted::from(self.buffer.slice(range)));
        Work::Count { model, local, texts: texts.into() }
    }

    /// The counts have come; `None`: nobody here can count for this model.
    pub(super) fn counted(&mut self, stamp: u64, counts: Option<[u64; 2]>, cx: &mut Cx) {
        if stamp != self.count.stamp {
            return;
        }
        self.count.unknown = counts.is_none();
        self.count.exact = counts;
        if self.counting && self.count.is_settled() {
            self.order(cx);
        }
    }

    /// Tokens the model may read and write together; `None`: unknown.
    pub(super) fn context(&self, session: &Session) -> Option<u64> {
        tokens::context(&self.model(session).line())
    }
}

/// The exact counts of what [`State::count_work`] has counted; `None`: there are none.
pub(super) fn exact(done: &Done) -> Option<[u64; 2]> {
    let Done::Counted(true, counts) = done else { return None };
    let &[prompt, suffix] = counts.as_slice() else { return None };
    Some([prompt.into(), suffix.into()])
}
