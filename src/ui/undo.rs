//! Steps of undo of a text: what is typed or deleted in one go is one step, the same in every box.

use std::time::{Duration, Instant};

use super::words::character_end;

/// Bytes of typed text that make one step at most.
const STEP_BYTES: usize = 400;
/// After so long without a change, what is typed next is a step of its own.
pub const REST: Duration = Duration::from_secs(2);
/// Steps that are remembered.
const STEPS: usize = 10_000;

/// A reversible edit: `removed` at byte `at` was replaced by `inserted`.
///
/// Undo by replacing `at..at + inserted.len()` by `removed`, redo by replacing `at..at + removed.len()` by `inserted`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Byte of the whole text.
    pub at: usize,
    /// The removed text.
    pub removed: String,
    /// The inserted text.
    pub inserted: String,
}

impl Change {
    /// Returns whether it changed nothing.
    pub fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.inserted.is_empty()
    }

    /// Returns the change that takes this one back.
    fn reversed(self) -> Self {
        Self { at: self.at, removed: self.inserted, inserted: self.removed }
    }

    /// Takes in the next change if that continues this one: text typed where this one ends, or, where nothing was
    /// inserted, one more character deleted before or after it. What was typed and then deleted is two steps, so that
    /// undo brings it back. A line break ends a step. Returns whether the change was taken in.
    pub fn join(&mut self, next: &Self) -> bool {
        let Self { at, removed, inserted } = self;
        if inserted.len() + removed.len() > STEP_BYTES || inserted.contains('\n') || next.inserted.len() > STEP_BYTES {
            return false;
        }
        let end = *at + inserted.len();
        let deletes = next.inserted.is_empty() && character_end(&next.removed) == next.removed.len();
        if next.removed.is_empty() && next.at == end {
            inserted.push_str(&next.inserted);
        } else if deletes && inserted.is_empty() && next.at + next.removed.len() == *at {
            *at = next.at;
            removed.insert_str(0, &next.removed);
        } else if deletes && inserted.is_empty() && next.at == *at {
            removed.push_str(&next.removed);
        } else {
            return false;
        }
        true
    }
}

/// The changes of a text, by steps.
#[derive(Clone, Debug, Default)]
pub struct UndoStack {
    done: Vec<Change>,
    undone: Vec<Change>,
    /// Whether the last step takes in a change that continues it.
    open: bool,
    now: Option<Instant>,
    /// When the last change was made.
    changed: Option<Instant>,
}

impl UndoStack {
    /// Notes what time it is, for pauses between changes.
    pub fn set_time(&mut self, now: Instant) {
        self.now = Some(now);
    }

    /// Takes in a change: as a part of the last step if it continues that, else as a step.
    pub fn add(&mut self, change: Change) {
        if change.is_empty() {
            return;
        }
        let before = std::mem::replace(&mut self.changed, self.now);
        let rested = before.zip(self.now).is_some_and(|(before, now)| now >= before + REST);
        let joined = self.open && !rested && self.done.last_mut().is_some_and(|last| last.join(&change));
        self.undone.clear();
        self.open = true;
        if !joined {
            if self.done.len() == STEPS {
                self.done.remove(0);
            }
            self.done.push(change);
        }
    }

    /// Makes the next change a step of its own.
    pub fn end_step(&mut self) {
        self.open = false;
    }

    /// Takes the last step back. Returns the change to make; `None`: there is no step.
    pub fn undo(&mut self) -> Option<Change> {
        self.open = false;
        let step = self.done.pop()?;
        self.undone.push(step.clone());
        Some(step.reversed())
    }

    /// Makes the step again that was undone last. Returns the change to make; `None`: there is no such step.
    pub fn redo(&mut self) -> Option<Change> {
        self.open = false;
        let step = self.undone.pop()?;
        self.done.push(step.clone());
        Some(step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(at: usize, removed: &str, inserted: &str) -> Change {
        Change { at, removed: removed.into(), inserted: inserted.into() }
    }

    #[test]
    fn a_step_ends_with_a_line_a_pause_or_another_place() {
        let steps = |changes: &[(u64, Change)]| {
            let (mut stack, start) = (UndoStack::default(), Instant::now());
            for (second, change) in changes {
                stack.set_time(start + Duration::from_secs(*second));
                stack.add(change.clone());
            }
            std::iter::from_fn(|| stack.undo()).map(Change::reversed).collect::<Vec<_>>()
        };
        let typed = [change(0, "", "a"), change(1, "", "\n"), change(2, "", "b"), change(3, "", "c")];
        assert_eq!(steps(&typed.clone().map(|change| (0, change))), [change(2, "", "bc"), change(0, "", "a\n")]);
        assert_eq!(steps(&[(0, change(0, "", "a")), (1, change(1, "", "b"))]), [change(0, "", "ab")]);
        assert_eq!(
            steps(&[(0, change(0, "", "a")), (2, change(1, "", "b"))]),
            [change(1, "", "b"), change(0, "", "a")]
        );
        assert_eq!(
            steps(&[(0, change(5, "", "a")), (0, change(0, "", "b"))]),
            [change(0, "", "b"), change(5, "", "a")]
        );
        // What was typed is deleted, and something else typed in its place.
        assert_eq!(
            steps(&[
                (0, change(5, "", "a日")),
                (0, change(6, "日", "")),
                (0, change(5, "a", "")),
                (0, change(5, "", "b"))
            ]),
            [change(5, "a日", "b"), change(5, "", "a日")]
        );
        assert_eq!(steps(&[(0, change(5, "", ""))]), []);
        assert_eq!(
            steps(&[(0, change(5, "f", "")), (0, change(4, "e", "")), (0, change(4, "g", ""))]),
            [change(4, "efg", "")]
        );
        // A word, or a selection, is deleted by itself.
        assert_eq!(
            steps(&[(0, change(0, "", "one two")), (0, change(4, "two", ""))]),
            [change(4, "two", ""), change(0, "", "one two")]
        );
        let long = "x".repeat(STEP_BYTES + 1);
        assert_eq!(steps(&[(0, change(0, "", &long)), (0, change(long.len(), "", "y"))]).len(), 2);
    }
}
