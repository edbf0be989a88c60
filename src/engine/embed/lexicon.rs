//! What is known of words: how rare they are and which concepts they stand for.
//!
//! `assets/embed/lexicon.txt` was written for benchtop by hand. A line is a concept and lists words and phrases that
//! can stand for it (`_` joins a phrase); those after a `|` say the opposite. Lines under one `#` heading belong to a
//! topic. Concepts that share words are near each other.

use std::collections::HashMap;

use super::lemma::Forms;
use super::project::{Feature, name};
use super::words;

const LEXICON: &str = include_str!("../../../assets/embed/lexicon.txt");
/// Words, common ones first: the order in which `r50k` came to have them.
const FREQUENCY: &str = include_str!("../../../assets/embed/frequency.txt");

/// Weight of a concept that shares words with one of the word's own, at most.
const NEIGHBOUR: f32 = 0.35;
/// Weight of the topics of a word's concepts together.
const TOPIC: f32 = 0.45;
/// Words of the longest phrase.
const PHRASE: usize = 5;
/// Words that a phrase does not depend on.
const LOOSE: [&str; 12] = ["the", "a", "an", "my", "your", "his", "her", "its", "our", "their", "one's", "one"];

/// A word or phrase that the lexicon has.
#[derive(Clone, Debug, Default)]
pub(super) struct Sense {
    /// Concepts whose sign turns when the word is denied, and its other features.
    pub(super) poles: Vec<Feature>,
    pub(super) others: Vec<Feature>,
}

/// Everything known of words.
pub(super) struct Lexicon {
    forms: Forms,
    senses: HashMap<String, Sense>,
    ranks: HashMap<&'static str, u32>,
    /// First words of phrases.
    begins: HashMap<String, usize>,
}

/// A concept as read.
struct Line {
    topic: usize,
    words: Vec<(String, bool)>,
    opposed: bool,
}

impl Lexicon {
    /// Reads the lists.
    pub(super) fn read() -> Self {
        let forms = Forms::read();
        let ranks: HashMap<&str, u32> = FREQUENCY.lines().zip(0..).collect();
        let lines = lines(&forms);
        let senses = senses(&lines);
        let mut begins: HashMap<String, usize> = HashMap::new();
        for phrase in senses.keys() {
            let parts = phrase.split(' ').count();
            let first = phrase.split(' ').next().unwrap_or_default().to_owned();
            let longest = begins.entry(first).or_default();
            *longest = parts.max(*longest);
        }
        Self { forms, senses, ranks, begins }
    }

    /// The word that `word` is a form of.
    pub(super) fn base(&self, word: &str) -> String {
        self.forms.base(word, |word| self.begins.contains_key(word))
    }

    /// The sense of the longest phrase that `bases` begins with, and how many of them it takes.
    pub(super) fn sense(&self, bases: &[&str]) -> Option<(&Sense, usize)> {
        let longest = *self.begins.get(*bases.first()?)?;
        (1..=longest.min(bases.len())).rev().find_map(|taken| {
            let sense = if taken == 1 { self.senses.get(bases[0]) } else { self.senses.get(&bases[..taken].join(" ")) };
            Some((sense?, taken))
        })
    }

    /// How much a word says: from 0 for the commonest to 1 for those that are rare or unknown.
    pub(super) fn rarity(&self, base: &str) -> f32 {
        let words = self.ranks.len() as f32;
        let rank = self.ranks.get(base).map_or(words, |rank| *rank as f32);
        (((rank + 30.0) / 30.0).ln() / ((words + 30.0) / 30.0).ln()).powf(0.7)
    }
}

/// Whether phrases are told apart without it.
pub(super) fn loose(word: &str) -> bool {
    LOOSE.contains(&word)
}

fn lines(forms: &Forms) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut topic = 0;
    // A form of a word is known by the words the lexicon writes.
    let written: std::collections::HashSet<&str> =
        LEXICON.lines().filter(|line| !line.starts_with('#')).flat_map(|line| line.split(' ')).collect();
    for line in LEXICON.lines() {
        if line.starts_with('#') {
            topic += 1;
            continue;
        }
        let mut words = Vec::new();
        let mut opposite = false;
        for entry in line.split(' ') {
            if entry == "|" {
                opposite = true;
                continue;
            }
            let parts = entry.replace('_', " ").replace("one's", "").replace('-', " ");
            let parts = words::cut(&parts, false);
            let parts: Vec<String> = parts
                .iter()
                .filter(|part| !loose(&part.text) || entry.len() < 5)
                .map(|part| forms.base(&part.text, |word| written.contains(word)))
                .take(PHRASE)
                .collect();
            if !parts.is_empty() {
                words.push((parts.join(" "), opposite));
            }
        }
        lines.push(Line { topic, words, opposed: opposite });
    }
    lines
}

fn senses(lines: &[Line]) -> HashMap<String, Sense> {
    let mut of: HashMap<&str, Vec<(usize, bool)>> = HashMap::new();
    for (at, line) in lines.iter().enumerate() {
        for (word, opposite) in &line.words {
            let places = of.entry(word).or_default();
            if !places.iter().any(|(known, _)| *known == at) {
                places.push((at, *opposite));
            }
        }
    }
    of.iter().map(|(word, places)| ((*word).to_owned(), sense(places, lines, &of))).collect()
}

fn sense(places: &[(usize, bool)], lines: &[Line], of: &HashMap<&str, Vec<(usize, bool)>>) -> Sense {
    let mut sense = Sense::default();
    let share = 1.0 / (places.len() as f32).sqrt();
    let mut near: HashMap<usize, f32> = HashMap::new();
    for (at, opposite) in places {
        let line = &lines[*at];
        let concept = name(2, &at.to_le_bytes());
        let signed = if *opposite { -share } else { share };
        if line.opposed {
            sense.poles.push((concept, signed));
        } else {
            sense.others.push((concept, share));
        }
        sense.others.push((name(3, &line.topic.to_le_bytes()), TOPIC / places.len() as f32));
        for (other, other_opposite) in &line.words {
            if other_opposite != opposite {
                continue;
            }
            for (neighbour, side) in &of[other.as_str()] {
                if places.iter().all(|(own, _)| own != neighbour) {
                    let sign = if *side && lines[*neighbour].opposed { -1.0 } else { 1.0 };
                    *near.entry(*neighbour).or_default() +=
                        sign / (line.words.len() as f32) / of[other.as_str()].len() as f32;
                }
            }
        }
    }
    let mut near: Vec<(usize, f32)> = near.into_iter().collect();
    near.sort_unstable_by_key(|(at, _)| *at);
    let length = near.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt().max(0.3);
    for (at, weight) in near {
        sense.others.push((name(2, &at.to_le_bytes()), NEIGHBOUR * weight / length));
    }
    sense
}
