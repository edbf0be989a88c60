//! The copy term: a hidden Markov model that reads on in the passages which fit the question.
//!
//! Its state is a belief over places `(passage, position)`. Each place expects one token; a written token moves the
//! belief on by Bayes' rule. A token that no place expected counts as a slip of the pen: mostly the place moves on
//! behind it, sometimes it waits, so that banned or forced tokens do not derail the rest.

use std::sync::Arc;

use super::vocabulary::Slot;

/// Share of the mass that goes to the network and the n-grams while some place is believed in.
const DOUBT: f32 = 2e-5;
/// Chance that an unexpected token replaced the expected one, rather than being put before it.
const REPLACED: f32 = 0.9;
/// Chance to end at the border of a paragraph instead of reading on.
const CURT: f32 = 0.06;
/// Beliefs smaller than this are dropped.
const FAINT: f32 = 1e-6;

#[derive(Clone, Debug)]
struct Place {
    passage: usize,
    at: usize,
    belief: f32,
}

/// Where the answer is in the manual, as a belief.
#[derive(Clone)]
pub(super) struct Alignment {
    /// Shared by the answers to one prompt.
    texts: Arc<[Vec<Slot>]>,
    places: Vec<Place>,
}

impl Alignment {
    /// From passages (with the end token behind each) and how well each fits; the weights are scaled to sum to one.
    pub(super) fn new(ranked: Vec<(Vec<Slot>, f32)>) -> Self {
        let total: f32 = ranked.iter().map(|(_, weight)| weight).sum();
        let places = ranked
            .iter()
            .enumerate()
            .map(|(passage, (_, weight))| Place { passage, at: 0, belief: weight / total.max(f32::MIN_POSITIVE) })
            .collect();
        Self { texts: ranked.into_iter().map(|(text, _)| text).collect(), places }
    }

    /// Blends what the places expect into `distribution`, which keeps its sum. `breaks` says which tokens part
    /// paragraphs, `end` ends the answer.
    pub(super) fn blend(&self, distribution: &mut [f32], breaks: &[bool], end: Slot) {
        let held: f32 = self.places.iter().map(|place| place.belief).sum();
        if held <= 0.0 {
            return;
        }
        for p in distribution.iter_mut() {
            *p *= DOUBT;
        }
        for place in &self.places {
            let expected = self.texts[place.passage][place.at];
            let share = place.belief / held * (1.0 - DOUBT);
            if breaks[usize::from(expected)] && self.may_end(place) {
                distribution[usize::from(expected)] += share * (1.0 - CURT);
                distribution[usize::from(end)] += share * CURT;
            } else {
                distribution[usize::from(expected)] += share;
            }
        }
    }

    /// Moves the belief behind a written token. `background` is what the other terms gave it.
    pub(super) fn follow(&mut self, written: Slot, background: f32) {
        let slip = DOUBT * background.max(1e-9);
        let mut next: Vec<Place> = Vec::with_capacity(self.places.len() * 2);
        for place in &self.places {
            let expected = self.texts[place.passage][place.at];
            let moved = if expected == written { 1.0 - DOUBT } else { slip * REPLACED };
            if place.at + 1 < self.texts[place.passage].len() {
                next.push(Place { at: place.at + 1, belief: place.belief * moved, ..*place });
            }
            next.push(Place { belief: place.belief * slip * (1.0 - REPLACED), ..*place });
        }
        // Two ways to one place add up.
        next.sort_by_key(|place| (place.passage, place.at));
        next.dedup_by(|later, first| {
            let same = (later.passage, later.at) == (first.passage, first.at);
            if same {
                first.belief += later.belief;
            }
            same
        });
        let total: f32 = next.iter().map(|place| place.belief).sum();
        next.retain_mut(|place| {
            place.belief /= total.max(f32::MIN_POSITIVE);
            place.belief > FAINT
        });
        self.places = next;
    }

    /// A passage may end early only where its first paragraph is behind and no code block is open; a list's
    /// introduction does not stand alone, which passages respect by holding no empty line before a list.
    fn may_end(&self, place: &Place) -> bool {
        place.at > 24 && place.at + 8 < self.texts[place.passage].len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(alignment: &Alignment) -> usize {
        let mut p = vec![0.1; 10];
        alignment.blend(&mut p, &[false; 10], 9);
        assert!((p.iter().sum::<f32>() - 1.0).abs() < 1e-4);
        (0..10).max_by(|a, b| p[*a].total_cmp(&p[*b])).expect("ten")
    }

    #[test]
    fn it_reads_on_and_survives_a_slip() {
        let mut alignment = Alignment::new(vec![(vec![1, 2, 3, 4, 9], 0.8), (vec![5, 6, 9], 0.2)]);
        assert_eq!(best(&alignment), 1);
        alignment.follow(1, 0.1);
        assert_eq!(best(&alignment), 2);
        alignment.follow(7, 0.1);
        assert_eq!(best(&alignment), 3);
        let mut alignment = Alignment::new(vec![(vec![1, 2, 3, 4, 9], 0.8), (vec![5, 6, 9], 0.2)]);
        alignment.follow(5, 0.1);
        assert_eq!(best(&alignment), 6);
    }
}
