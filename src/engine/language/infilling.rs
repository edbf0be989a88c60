//! Writing between two texts: when the text behind the gap goes on from what is written, the gap is closed.
//!
//! At each place the beginning of what follows is foretold from what is written, and compared with how likely it is
//! anywhere. By Bayes' rule the ratio `r` turns the chance that a gap ends at some place, `h`, into `h r / (1 - h + h r)`.

use ndarray::{Array1, Array2, Axis};

use super::{
    Model,
    network::{INPUT, WINDOW},
    vocabulary::Slot,
};

/// Tokens behind the gap that are foretold. Further ones follow from these, whatever stands in the gap.
const FORETOLD: usize = 6;
/// Places in front of the gap that say how likely these are anywhere.
const ANYWHERE: usize = 24;
/// Chance that a gap ends at a place, before anything is known: gaps of some twenty tokens.
const ENDS: f64 = 0.05;

/// The text behind a gap, as it is to be met.
#[derive(Clone)]
pub(super) struct Gap {
    after: Vec<Slot>,
    /// The log-probability of `after` anywhere.
    anywhere: f64,
}

impl Gap {
    /// The gap between two texts; `None` where nothing follows.
    pub(super) fn new(model: &Model, before: &[Slot], after: &[Slot], pooled: &Array1<f32>) -> Option<Self> {
        let after = after[..after.len().min(FORETOLD)].to_vec();
        if after.is_empty() {
            return None;
        }
        let from = before.len().saturating_sub(ANYWHERE);
        let places = (from..=before.len()).map(|at| before[..at].to_vec());
        let chances: Vec<f64> = places.map(|context| model.follows(&context, &after, pooled).exp()).collect();
        let mean = chances.iter().sum::<f64>() / chances.len() as f64;
        Some(Self { after, anywhere: mean.max(1e-300).ln() })
    }

    /// The chance that the gap ends behind `context`, 0 to 1.
    pub(super) fn ends(&self, model: &Model, context: &[Slot], pooled: &Array1<f32>) -> f32 {
        let ratio = (model.follows(context, &self.after, pooled) - self.anywhere).exp();
        (ENDS * ratio / (1.0 - ENDS + ENDS * ratio)) as f32
    }
}

impl Model {
    /// The log-probability that `after` follows `context`.
    fn follows(&self, context: &[Slot], after: &[Slot], pooled: &Array1<f32>) -> f64 {
        let text = [&context[context.len().saturating_sub(WINDOW)..], after].concat();
        let from = text.len() - after.len();
        let mut inputs = Array2::zeros((after.len(), INPUT));
        for (at, mut row) in (from..).zip(inputs.axis_iter_mut(Axis(0))) {
            if let Some(row) = row.as_slice_mut() {
                self.network.fill(row, &text[..at], self.vocabulary.end(), pooled);
            }
        }
        let (_, projected) = self.network.forward(inputs.view());
        let mut distributions = self.network.distributions(&projected);
        let mut sum = 0.0;
        for (at, mut row) in (from..).zip(distributions.axis_iter_mut(Axis(0))) {
            if let Some(row) = row.as_slice_mut() {
                self.ngrams.blend(&text[..at], row);
                sum += f64::from(row[usize::from(text[at])].max(1e-30).ln());
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Finish, PROSE, Prompt, Sampling, manual::Manual, spelling};
    use super::*;

    /// Paragraphs of the project's prose as what stands before a gap, in it, and behind it.
    fn gaps() -> Vec<[Vec<u32>; 3]> {
        let bodies = Manual::parse(PROSE).passages.into_iter().map(|passage| spelling::tokens(&passage.body));
        let cut = |ids: Vec<u32>| {
            [(20, 3), (30, 6), (45, 10)].into_iter().filter_map(move |(from, size)| {
                let behind = ids.get(from + size..).filter(|behind| behind.len() > 12)?;
                Some([ids[..from].to_vec(), ids[from..from + size].to_vec(), behind.to_vec()])
            })
        };
        bodies.flat_map(cut).collect()
    }

    #[test]
    fn gaps_in_prose_are_closed_far_better_when_the_text_behind_is_known() {
        let model = Model::base();
        let write = |prompt: Prompt, max_tokens: u64| {
            let sampling = Sampling { temperature: 0.0, max_tokens, ..Sampling::default() };
            let (text, _, finish) = model.answer(&prompt, &sampling);
            (text, finish)
        };
        let gaps = gaps();
        let (mut joined, mut known, mut unknown, mut told) = (0, 0, 0, 0);
        for [before, gap, behind] in &gaps {
            let wanted = spelling::text(gap);
            let (text, finish) = write(Prompt::Gap(before.clone(), behind.clone()), 32);
            joined += usize::from(finish == Finish::Stop);
            known += usize::from(text == wanted);
            let without = |most| usize::from(write(Prompt::Tokens(before.clone()), most).0 == wanted);
            unknown += without(32);
            // Even told the length of the gap, which nobody knows.
            told += without(gap.len() as u64);
        }
        let all = gaps.len();
        let words =
            format!("of {all}: {joined} joined, {known} right; not knowing: {unknown}, told the length: {told}");
        assert!(all >= 40 && joined * 4 >= all * 3 && known * 2 >= all && unknown == 0, "{words}");
    }
}
