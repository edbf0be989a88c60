//! The prompts that a model was trained on, so that one with the same meaning gets the same answer.

use std::collections::{HashMap, HashSet};

use super::super::network::WINDOW;
use super::bag::Bag;
use super::meaning::{Meanings, numbers};
use super::plan::Example;

/// A prompt is taken for the nearest known one if their cosine, plus how much it exceeds that of the nearest known
/// prompt with another answer, is at least this.
const CLOSE: f32 = 0.6;
/// Prompts stored, at most; above that none is.
const MOST: usize = 4096;
/// Bytes of their texts, at most.
const LONGEST: usize = 1 << 20;

/// Prompts with their sentence vectors, and which have the same answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KnownPrompts {
    pub(super) prompts: Vec<String>,
    /// The number of each prompt's answer.
    pub(super) answers: Vec<u32>,
    pub(super) meanings: Meanings,
}

/// How a prompt relates to what a model was trained on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Nearest<'a> {
    /// The prompt itself was trained on.
    Same,
    /// This prompt was trained on and means the same.
    Like(&'a str),
    /// No known prompt is near.
    None,
}

impl KnownPrompts {
    /// Collects the prompts of a training, and of what the base was trained on before. `None` where they do not help:
    /// if few completions answer many prompts, or if there are too many.
    pub(super) fn of(before: Option<&Self>, training: &[Example], meanings: &Meanings, bag: &Bag) -> Option<Self> {
        if bag.window < WINDOW {
            return None;
        }
        let mut known = Self::default();
        let mut seen: HashSet<&str> = HashSet::new();
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        for (at, example) in training.iter().enumerate() {
            if seen.insert(&example.prompt) {
                let next = numbers.len() as u32;
                known.push(&example.prompt, *numbers.entry(&example.completion).or_insert(next), meanings.get(at));
            }
        }
        let first = numbers.len() as u32;
        for at in 0..before.map_or(0, |before| before.prompts.len()) {
            if let Some(before) = before
                && seen.insert(&before.prompts[at])
            {
                known.push(&before.prompts[at], first + before.answers[at], before.meanings.get(at));
            }
        }
        let bytes: usize = known.prompts.iter().map(String::len).sum();
        (known.prompts.len() > 1 && known.prompts.len() <= MOST && bytes <= LONGEST).then_some(known)
    }

    pub(super) fn push(&mut self, prompt: &str, answer: u32, meaning: &[i8]) {
        self.prompts.push(prompt.to_owned());
        self.answers.push(answer);
        self.meanings.push(meaning);
    }

    /// Finds the known prompt that is nearest to `vector`, the sentence vector of what `prompt` asks, which is computed
    /// only if it is needed.
    pub(crate) fn nearest(&self, prompt: &str, vector: impl FnOnce() -> Vec<f32>) -> Nearest<'_> {
        if self.prompts.iter().any(|known| known == prompt) {
            return Nearest::Same;
        }
        let vector = vector();
        let cosine = |at: usize| numbers(self.meanings.get(at)).iter().zip(&vector).map(|(a, b)| a * b).sum::<f32>();
        let cosines: Vec<f32> = (0..self.prompts.len()).map(cosine).collect();
        let highest = (0..cosines.len()).max_by(|a, b| cosines[*a].total_cmp(&cosines[*b])).unwrap_or_default();
        let others = cosines.iter().zip(&self.answers).filter(|(_, answer)| **answer != self.answers[highest]);
        let other = others.map(|(cosine, _)| *cosine).fold(f32::MIN, f32::max);
        // With a single answer there is nothing to distinguish it from.
        let lead = if other > f32::MIN { cosines[highest] - other } else { 0.0 };
        if cosines[highest] + lead >= CLOSE { Nearest::Like(&self.prompts[highest]) } else { Nearest::None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::language::tuning::bag::ROWS;
    use crate::engine::language::tuning::meaning::vector;
    use crate::engine::language::tuning::threads;

    fn known(rows: &[(&str, &str)]) -> Option<KnownPrompts> {
        let example = |(prompt, completion): &(&str, &str)| Example {
            prompt: (*prompt).to_owned(),
            completion: (*completion).to_owned(),
        };
        let training: Vec<Example> = rows.iter().map(example).collect();
        let texts: Vec<&str> = rows.iter().map(|(prompt, _)| *prompt).collect();
        let meanings = Meanings::of(&threads::pool(1).unwrap(), &texts, &mut || true).unwrap();
        KnownPrompts::of(None, &training, &meanings, &Bag::new(ROWS))
    }

    const ROWS_OF_TOWN: [(&str, &str); 3] = [
        ("When does the first ferry leave?", " At ten past six."),
        ("Who runs the bakery?", " Two sisters."),
        ("Where can I park my car?", " Behind the station."),
    ];

    #[test]
    fn a_prompt_that_means_the_same_is_found_and_another_is_not() {
        let known = known(&ROWS_OF_TOWN).unwrap();
        let nearest = |text: &str| match known.nearest(text, || vector(text)) {
            Nearest::Same => "same".to_owned(),
            Nearest::Like(prompt) => prompt.to_owned(),
            Nearest::None => "none".to_owned(),
        };
        assert_eq!(nearest("Who runs the bakery?"), "same");
        assert_eq!(nearest("At what time does the first ferry depart?"), "When does the first ferry leave?");
        assert_eq!(nearest("Where may I leave my vehicle?"), "Where can I park my car?");
        assert_eq!(nearest("What is the capital of France?"), "none");
    }

    #[test]
    fn what_is_of_no_help_is_not_kept() {
        assert_eq!(known(&[("", " a"), ("", " b")]), None);
        let many: Vec<(String, String)> = (0..=MOST).map(|i| (format!("{i}"), format!(" {i}"))).collect();
        let mut meanings = Meanings::default();
        for _ in &many {
            meanings.push(&[0; crate::engine::sentence::WIDTH]);
        }
        let training: Vec<Example> =
            many.into_iter().map(|(prompt, completion)| Example { prompt, completion }).collect();
        let mut bag = Bag::new(ROWS);
        assert!(KnownPrompts::of(None, &training, &meanings, &bag).is_none());
        assert!(KnownPrompts::of(None, &training[1..], &meanings, &bag).is_some());
        bag.window = 2;
        assert!(KnownPrompts::of(None, &training[1..], &meanings, &bag).is_none());
    }
}
