//! The `n` best of a sequence.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A cosine between rows. Greater: more similar; of equal ones, that of the earlier rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScoredPair {
    pub(super) cosine: f32,
    pub(super) rows: (u32, u32),
}

impl Ord for ScoredPair {
    fn cmp(&self, other: &Self) -> Ordering {
        // Minus zero equals zero.
        let [one, two] = [self, other].map(|pair| pair.cosine + 0.0);
        one.total_cmp(&two).then_with(|| other.rows.cmp(&self.rows))
    }
}

impl PartialOrd for ScoredPair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ScoredPair {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for ScoredPair {}

/// The most similar pairs so far; they do not depend on the order in which pairs were added.
pub(super) struct Top {
    most: usize,
    heap: BinaryHeap<Reverse<ScoredPair>>,
}

impl Top {
    pub(super) fn new(most: usize) -> Self {
        Self { most, heap: BinaryHeap::new() }
    }

    pub(super) fn push(&mut self, scored: ScoredPair) {
        if self.heap.len() < self.most {
            self.heap.push(Reverse(scored));
        } else if let Some(mut least) = self.heap.peek_mut()
            && scored > least.0
        {
            *least = Reverse(scored);
        }
    }

    pub(super) fn merged(mut self, other: Self) -> Self {
        let (more, fewer) = if self.heap.len() < other.heap.len() { (other, self) } else { (self, other) };
        self = more;
        fewer.heap.into_iter().for_each(|Reverse(scored)| self.push(scored));
        self
    }

    /// Returns the pairs, best first.
    pub(super) fn sorted(self) -> Vec<ScoredPair> {
        self.heap.into_sorted_vec().into_iter().map(|Reverse(scored)| scored).collect()
    }
}
