//! The parts of the buffer that a model wrote, followed as the text around them is edited.

use std::ops::Range;

use crate::record::{Id, Made, Step};

/// A piece of the buffer that a model wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GeneratedSpan {
    /// Its range in the buffer, in bytes.
    pub(super) range: Range<usize>,
    /// The step that brought it.
    pub(super) step: Id,
    /// The position in that step's text where it begins.
    pub(super) from: usize,
}

/// All pieces of the buffer that a model wrote.
#[derive(Clone, Debug, Default)]
pub(super) struct GeneratedSpans {
    /// In the buffer's order.
    list: Vec<GeneratedSpan>,
    /// Those that the user has accepted as their own, in no order.
    accepted: Vec<GeneratedSpan>,
    /// The buffer's length in bytes.
    len: usize,
}

impl GeneratedSpans {
    /// Returns the pieces that the user has not accepted.
    pub(super) fn list(&self) -> &[GeneratedSpan] {
        &self.list
    }

    /// Returns the generated text that a place is in: pieces that touch are one part.
    pub(super) fn part_at(&self, at: usize) -> Option<Range<usize>> {
        let touches = |span: &GeneratedSpan| span.range.start <= at && at < span.range.end;
        let mid = self.list.iter().position(touches)?;
        let mut part = self.list[mid].range.clone();
        for span in self.list[..mid].iter().rev() {
            if span.range.end != part.start {
                break;
            }
            part.start = span.range.start;
        }
        part.end = end_of_part(&self.list[mid..]);
        Some(part)
    }

    /// Returns the part that begins with a step's text, whether it is accepted or not; `None`: nothing of that is left.
    pub(super) fn part_from(&self, id: Id) -> Option<Range<usize>> {
        let mut pieces = [self.accepted.as_slice(), &self.list].concat();
        pieces.sort_by_key(|piece| piece.range.start);
        let first = pieces.iter().position(|piece| piece.step == id)?;
        Some(pieces[first].range.start..end_of_part(&pieces[first..]))
    }

    /// Returns the generated text that stands last.
    pub(super) fn last_part(&self) -> Option<Range<usize>> {
        self.part_at(self.list.last()?.range.start)
    }

    /// Returns whether a change that removes this many bytes takes the whole text away.
    pub(super) fn is_whole_text(&self, removed: usize) -> bool {
        removed > 0 && removed == self.len
    }

    /// Takes in what a step does to the text.
    pub(super) fn apply(&mut self, step: &Step) {
        let (at, removed, inserted) = (step.at as usize, step.removed.len(), step.inserted.len());
        self.shift(at, removed, inserted);
        match step.made {
            Made::Generated { .. } | Made::Picked if inserted > 0 => {
                self.insert(GeneratedSpan { range: at..at + inserted, step: step.id, from: 0 });
            }
            Made::Accepted => self.accepted.append(&mut self.list),
            _ => {}
        }
    }

    /// Takes in text that was inserted at a place: what follows in a step's text after its first `from` bytes.
    pub(super) fn append(&mut self, step: Id, at: usize, from: usize, inserted: usize) {
        self.shift(at, 0, inserted);
        match self.list.iter_mut().find(|span| span.step == step && span.range.end == at) {
            Some(span) => span.range.end += inserted,
            None => self.insert(GeneratedSpan { range: at..at + inserted, step, from }),
        }
    }

    fn insert(&mut self, span: GeneratedSpan) {
        let place = self.list.partition_point(|other| other.range.start < span.range.start);
        self.list.insert(place, span);
    }

    /// Moves the pieces as the text moves: what is cut is cut, what is split is split.
    pub(super) fn shift(&mut self, at: usize, removed: usize, inserted: usize) {
        self.len = (self.len + inserted).saturating_sub(removed);
        let end = at + removed;
        let moved = |place: usize| place - removed + inserted;
        for spans in [&mut self.list, &mut self.accepted] {
            let mut next = Vec::with_capacity(spans.len() + 1);
            for span in std::mem::take(spans) {
                let Range { start, end: stop } = span.range;
                if start < at.min(stop) {
                    next.push(GeneratedSpan { range: start..stop.min(at), ..span });
                }
                if stop > end {
                    let from = start.max(end);
                    next.push(GeneratedSpan {
                        range: moved(from)..moved(stop),
                        step: span.step,
                        from: span.from + from - start,
                    });
                }
            }
            *spans = next;
        }
    }
}

/// Returns where the part ends that the first of these pieces belongs to: those that follow it without a gap do too.
fn end_of_part(pieces: &[GeneratedSpan]) -> usize {
    let Some((first, rest)) = pieces.split_first() else { return 0 };
    rest.iter().fold(first.range.end, |end, piece| if piece.range.start == end { piece.range.end } else { end })
}
