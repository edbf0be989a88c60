//! The copy term: a hidden Markov model that copies from the passages which fit the question.
//!
//! Its state is a belief, a probability distribution over places `(passage, position)`. Each place expects one token; a
//! written token updates the belief by Bayes' rule. A token that no place expected counts as a writing error: usually
//! the place moves past it, sometimes it stays, so that banned or forced tokens do not end the copying.

use std::sync::Arc;

use super::vocabulary::{Slot, Vocabulary};

/// Share of the mass that goes to the network and the n-grams while the position in the manual is known.
const DOUBT: f32 = 2e-5;
/// The share that is left within a key or a command, and for the tokens that those consist of: keys and commands must
/// not be invented.
const EXACT: f32 = 1e-7;
/// A place whose belief is below this does not count within a key, and does not begin one.
const FEW: f32 = 0.02;
/// Probability that an unexpected token replaced the expected one, rather than being inserted before it.
const REPLACED: f32 = 0.9;
/// Probability of ending at a paragraph break instead of continuing.
const CURT: f32 = 0.06;
/// Beliefs smaller than this are dropped.
const FAINT: f32 = 1e-6;

/// A passage as tokens.
#[derive(Clone, Debug, Default)]
pub(super) struct PassageTokens {
    /// With the end token last.
    slots: Vec<Slot>,
    /// Which of them stand in bold or code, with their delimiters.
    exact: Vec<bool>,
}

impl PassageTokens {
    pub(super) fn new(vocabulary: &Vocabulary, text: &str) -> Self {
        let slots = vocabulary.slots_to_end(text);
        let (mut code, mut bold, mut star) = (false, false, false);
        let exact = slots.iter().map(|slot| {
            let mut exact = code || bold;
            for byte in vocabulary.bytes(*slot) {
                match byte {
                    b'`' => code = !code,
                    b'*' if star => bold = !bold,
                    _ => {}
                }
                star = *byte == b'*' && !star;
                exact |= code || bold || star;
            }
            exact
        });
        let exact = exact.collect();
        Self { slots, exact }
    }

    /// Returns the tokens that stand in bold or code.
    pub(super) fn exact(&self) -> impl Iterator<Item = Slot> {
        self.slots.iter().zip(&self.exact).filter(|(_, exact)| **exact).map(|(slot, _)| *slot)
    }
}

/// What kind of token it is when an answer is copied from the manual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CopyKind {
    /// It separates paragraphs.
    pub(super) breaks: bool,
    /// Keys and commands of the manual contain it.
    pub(super) exact: bool,
}

#[derive(Clone, Debug)]
struct CopySource {
    passage: usize,
    at: usize,
    belief: f32,
}

/// The position of the answer in the manual, as a probability distribution.
#[derive(Clone)]
pub(super) struct Alignment {
    /// Shared by the answers to one prompt.
    texts: Arc<[PassageTokens]>,
    places: Vec<CopySource>,
}

impl Alignment {
    /// Starts at the beginning of each passage, with weights for how well it fits; they are scaled to sum to 1.
    pub(super) fn new(ranked: Vec<(PassageTokens, f32)>) -> Self {
        let total: f32 = ranked.iter().map(|(_, weight)| weight).sum();
        let places = ranked
            .iter()
            .enumerate()
            .map(|(passage, (_, weight))| CopySource { passage, at: 0, belief: weight / total.max(f32::MIN_POSITIVE) })
            .collect();
        Self { texts: ranked.into_iter().map(|(text, _)| text).collect(), places }
    }

    /// Blends the tokens that the places predict into `distribution`, whose sum is 1 then. `kinds` says what each token
    /// is, `end` ends the answer.
    pub(super) fn blend(&self, distribution: &mut [f32], kinds: &[CopyKind], end: Slot) {
        let held: f32 = self.places.iter().map(|place| place.belief).sum();
        if held <= 0.0 {
            return;
        }
        let within: f32 = self.places.iter().filter(|place| self.exact(place)).map(|place| place.belief).sum();
        let doubt = if within > held / 2.0 { DOUBT * EXACT } else { DOUBT };
        for (p, kind) in distribution.iter_mut().zip(kinds) {
            *p *= if kind.exact { DOUBT * EXACT } else { doubt };
        }
        for place in &self.places {
            let expected = self.texts[place.passage].slots[place.at];
            let belief = place.belief / held;
            // What has hardly any probability must neither corrupt a key nor begin one.
            let spoils = belief < FEW && (within > held / 2.0 || kinds[usize::from(expected)].exact);
            let share = belief * (1.0 - DOUBT) * if spoils { EXACT } else { 1.0 };
            if kinds[usize::from(expected)].breaks && self.may_end(place) {
                distribution[usize::from(expected)] += share * (1.0 - CURT);
                distribution[usize::from(end)] += share * CURT;
            } else {
                distribution[usize::from(expected)] += share;
            }
        }
        let whole: f32 = distribution.iter().sum();
        for p in distribution {
            *p /= whole;
        }
    }

    /// Updates the distribution over places after a written token. `background` is its probability by the other terms.
    pub(super) fn follow(&mut self, written: Slot, background: f32) {
        let slip = DOUBT * background.max(1e-9);
        let mut next: Vec<CopySource> = Vec::with_capacity(self.places.len() * 2);
        for place in &self.places {
            let expected = self.texts[place.passage].slots[place.at];
            let moved = if expected == written { 1.0 - DOUBT } else { slip * REPLACED };
            if place.at + 1 < self.texts[place.passage].slots.len() {
                next.push(CopySource { at: place.at + 1, belief: place.belief * moved, ..*place });
            }
            next.push(CopySource { belief: place.belief * slip * (1.0 - REPLACED), ..*place });
        }
        // Two ways to the same place are added.
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

    fn exact(&self, place: &CopySource) -> bool {
        self.texts[place.passage].exact[place.at]
    }

    /// Returns whether a passage may end early here: only after its first paragraph and outside code blocks. A list's
    /// introduction does not stand alone; passages ensure that by having no empty line before a list.
    fn may_end(&self, place: &CopySource) -> bool {
        place.at > 24 && place.at + 8 < self.texts[place.passage].slots.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(alignment: &Alignment) -> usize {
        let mut p = vec![0.1; 10];
        alignment.blend(&mut p, &[CopyKind::default(); 10], 9);
        assert!((p.iter().sum::<f32>() - 1.0).abs() < 1e-4);
        (0..10).max_by(|a, b| p[*a].total_cmp(&p[*b])).expect("ten")
    }

    fn two_texts() -> Alignment {
        let text = |slots: &[Slot]| PassageTokens { slots: slots.to_vec(), exact: vec![false; slots.len()] };
        Alignment::new(vec![(text(&[1, 2, 3, 4, 9]), 0.8), (text(&[5, 6, 9]), 0.2)])
    }

    #[test]
    fn a_key_is_never_made_up() {
        let vocabulary = Vocabulary::new((0..300).collect());
        let text = PassageTokens::new(&vocabulary, "a **b** `c` * d");
        let written = |slot: Slot| String::from_utf8_lossy(vocabulary.bytes(slot)).into_owned();
        assert_eq!(text.exact().map(written).collect::<String>(), "**b**`c`*");
    }

    #[test]
    fn it_reads_on_and_survives_a_slip() {
        let mut alignment = two_texts();
        assert_eq!(best(&alignment), 1);
        alignment.follow(1, 0.1);
        assert_eq!(best(&alignment), 2);
        alignment.follow(7, 0.1);
        assert_eq!(best(&alignment), 3);
        let mut alignment = two_texts();
        alignment.follow(5, 0.1);
        assert_eq!(best(&alignment), 6);
    }
}
