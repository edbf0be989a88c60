//! How many tokens the prompt has: a guess at once, the exact count a moment later, off the screen's thread.

use std::time::{Duration, Instant};

use super::state::{Asked, State};
use crate::record::work::Work;
use crate::tabs::generation::limit;
use crate::tabs::{Cx, Session};
use crate::text::Untrusted;
use crate::tokens;
use crate::ui::buffer::Buffer;

/// How long the text rests before it is counted exactly.
const REST: Duration = Duration::from_millis(150);

/// What is known of the prompt's tokens.
#[derive(Clone, Debug, Default)]
pub(super) struct Count {
    /// Of the text before the caret, and of what follows it.
    exact: [Option<u64>; 2],
    guess: [u64; 2],
    /// Counts changes of what is counted.
    stamp: u64,
    guessed: u64,
    due: Option<Instant>,
    /// Whether nobody here knows how the model cuts texts.
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
        self.exact = [None; 2];
        self.due = Some(now + REST);
    }

    /// Tokens before the caret and behind it, and whether they are a guess.
    pub(super) fn tokens(&self) -> ([u64; 2], bool) {
        match self.exact {
            [Some(prompt), Some(suffix)] => ([prompt, suffix], false),
            _ => (self.guess, true),
        }
    }

    /// Whether both counts are exact, or cannot be.
    pub(super) fn is_settled(&self) -> bool {
        self.unknown || self.exact.iter().all(Option::is_some)
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
        let (stamp, caret) = (self.count.stamp, self.buffer.caret());
        let model = self.model(cx.session);
        for (suffix, range) in [(false, 0..caret), (true, caret..self.buffer.len())] {
            if range.is_empty() {
                self.count.exact[usize::from(suffix)] = Some(0);
                continue;
            }
            let text = Untrusted::from(self.buffer.slice(range));
            let ticket = cx.work(Work::Tokenize { model: model.clone(), local: cx.session.local, text });
            self.asked.insert(ticket, Asked::Count { stamp, suffix });
        }
    }

    /// A count has come; `None`: nobody here can count for this model.
    pub(super) fn counted(&mut self, stamp: u64, suffix: bool, count: Option<u64>, cx: &mut Cx) {
        if stamp != self.count.stamp {
            return;
        }
        self.count.unknown = count.is_none();
        self.count.exact[usize::from(suffix)] = count;
        if self.counting && self.count.is_settled() {
            self.order(cx);
        }
    }

    /// Tokens the model may read and write together; `None`: unknown.
    pub(super) fn context(&self, session: &Session) -> Option<u64> {
        tokens::context(&self.model(session).line())
    }
}
