//! Scores a text: the log-probability of each of its tokens.
//!
//! Each token is predicted from the text before it alone, as if that were a prompt and the token the first one written.

use std::ops::{Deref, Range};

use ndarray::{Array2, Axis};

use super::{model::Model, network::INPUT, vocabulary::Slot};

/// Places predicted at once. Larger values use the processor better; smaller ones let others run sooner.
const ROWS: usize = 64;

/// A token of a text with its log-probability.
#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    /// Its `r50k` id.
    pub token: u32,
    /// The natural logarithm of its probability; of a token that the model spells in pieces, the sum of theirs. `None`
    /// for the first of a text.
    pub logprob: Option<f32>,
    /// The likeliest tokens in its place, likeliest first. Empty for the first of a text.
    pub top: Vec<(u32, f32)>,
}

/// A text while it is scored, some tokens at a time.
pub struct Scoring<M> {
    model: M,
    ids: Vec<u32>,
    /// The whole text in the model's tokens, with the context before it.
    slots: Vec<Slot>,
    /// Where the tokens of each id are in `slots`.
    places: Vec<Range<usize>>,
    most: usize,
    /// Ids that are done.
    done: usize,
}

impl<M: Deref<Target = Model>> Scoring<M> {
    /// Prepares the scoring of the tokens `ids`, which follow `before`; each is returned with up to `most` likeliest
    /// tokens.
    pub fn new(model: M, before: &[u32], ids: Vec<u32>, most: usize) -> Self {
        let mut slots: Vec<Slot> = before.iter().flat_map(|id| model.vocabulary.spell(*id)).collect();
        let places = ids.iter().map(|id| {
            let from = slots.len();
            slots.extend(model.vocabulary.spell(*id));
            from..slots.len()
        });
        let places = places.collect();
        Self { model, ids, slots, places, most, done: 0 }
    }

    /// Returns the next tokens that are scored; none if the text is done.
    pub fn next_tokens(&mut self) -> Vec<Scored> {
        let from = self.done;
        let Some(first) = self.places.get(from) else { return Vec::new() };
        let enough = first.start + ROWS;
        let ids = from..from + self.places[from..].iter().take_while(|place| place.start < enough).count();
        self.done = ids.end;
        let rows = first.start..self.places[ids.end - 1].end;
        let distributions = self.model.predict(&self.slots, rows.clone());
        let row = |at: usize| distributions.row(at - rows.start);
        let scored = ids.map(|id| {
            let (token, place) = (self.ids[id], self.places[id].clone());
            if place.start == 0 {
                return Scored { token, logprob: None, top: Vec::new() };
            }
            let parts = place.clone().map(|at| row(at)[usize::from(self.slots[at])].max(1e-30).ln());
            let top = row(place.start).as_slice().map_or_else(Vec::new, |row| self.model.likeliest(row, self.most));
            Scored { token, logprob: Some(parts.sum()), top }
        });
        scored.collect()
    }
}

impl Model {
    /// Scores a whole text at once: returns its tokens with their log-probabilities and up to `most` likeliest ones in
    /// the place of each.
    pub fn score(&self, ids: &[u32], most: usize) -> Vec<Scored> {
        let mut scoring = Scoring::new(self, &[], ids.to_vec(), most);
        let mut scored = Vec::new();
        loop {
            match scoring.next_tokens() {
                more if more.is_empty() => return scored,
                more => scored.extend(more),
            }
        }
    }

    /// Predicts the distribution at each of the places, from what stands before it in `slots`.
    fn predict(&self, slots: &[Slot], places: Range<usize>) -> Array2<f32> {
        let end = self.vocabulary.end();
        let before = |at: usize| &slots[at.saturating_sub(self.window())..at];
        let mut inputs = Array2::zeros((places.len(), INPUT));
        for (at, mut row) in places.clone().zip(inputs.axis_iter_mut(Axis(0))) {
            if let Some(row) = row.as_slice_mut() {
                self.network.fill(row, before(at), end, &self.pool(&slots[..at], false));
            }
        }
        let (_, projected) = self.network.forward(inputs.view());
        let mut distributions = self.network.distributions(&projected);
        for (at, mut row) in places.zip(distributions.axis_iter_mut(Axis(0))) {
            if let Some(row) = row.as_slice_mut() {
                self.ngrams.blend(before(at), row);
            }
        }
        distributions
    }
}
