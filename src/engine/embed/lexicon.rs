//! What is known of words: how rare they are and which concepts they stand for.
//!
//! `assets/embed/lexicon.txt` was written for benchtop by hand. A line is a concept and lists words and phrases that
//! can stand for it (`_` joins a phrase); those after a `|` say the opposite. Lines under one `#` heading belong to a
//! topic. Concepts that share words are near each other.

use std::collections::{HashMap, HashSet};

use super::lemma::Forms;
use super::project::{Feature, name};
use super::words;

const LEXICON: &str = include_str!("../../../assets/embed/lexicon.txt");
/// Words, common ones first: the order in which `r50k` came to have them.
const FREQUENCY: &str = include_str!("../../../assets/embed/frequency.txt");

/// Weight of a concept that shares words with one of the word's own, at most.
const NEIGHBOUR: f32 = 1.0;
/// Weight of the topics of a word's concepts together.
const TOPIC: f32 = 0.7;
/// Words of the longest phrase.
const PHRASE: usize = 5;
/// Words that a phrase does not depend on.
const LOOSE: [&str; 12] = ["the", "a", "an", "my", "your", "his", "her", "its", "our", "their", "one's", "one"];

/// Words with a task in grammar.
const EMPTY: &str = "a an the of to in on at by for with from as that this it he i you we they be have do will would can \
                     could shall should may might must and or but if then than so there here what which who whom whose \
                     when where how why not no into about over under out up down off again very too just also some any \
                     all each every other such only own same one";

/// A word or phrase that the lexicon has.
#[derive(Clone, Debug, Default)]
pub(super) struct Sense {
    /// Concepts whose sign turns when the word is denied, and its other features.
    pub(super) poles: Vec<Feature>,
    pub(super) others: Vec<Feature>,
}

impl Sense {
    /// The concept it stands for most of all.
    pub(super) fn main(&self) -> Option<u64> {
        let all = self.others.iter().chain(&self.poles);
        all.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()).then(a.0.cmp(&b.0))).map(|(name, _)| *name)
    }
}

/// Everything known of words.
pub(super) struct Lexicon {
    forms: Forms,
    senses: HashMap<String, Sense>,
    ranks: HashMap<&'static str, u32>,
    empty: HashSet<&'static str>,
    /// First words of phrases.
    begins: HashMap<String, usize>,
}

/// A concept as read.
struct Line {
    topic: u64,
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
        Self { forms, senses, ranks, empty: EMPTY.split(' ').collect(), begins }
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

    /// Whether `word` is passed over: phrases are told apart without it.
    pub(super) fn skips(word: &str) -> bool {
        LOOSE.contains(&word)
    }

    /// Whether a word has a task in grammar and little sense of its own.
    pub(super) fn empty(&self, base: &str) -> bool {
        self.empty.contains(base)
    }

    /// How much a word says: from 0 for the commonest to 1 for those that are rare or unknown.
    pub(super) fn rarity(&self, base: &str) -> f32 {
        let words = self.ranks.len() as f32;
        let rank = self.ranks.get(base).map_or(words, |rank| *rank as f32);
        ((rank + 30.0) / 30.0).ln() / ((words + 30.0) / 30.0).ln()
    }
}

fn lines(forms: &Forms) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut topic = 0;
    // A form of a word is known by the words the lexicon writes.
    let written: HashSet<&str> =
        LEXICON.lines().filter(|line| !line.starts_with('#')).flat_map(|line| line.split(' ')).collect();
    for line in LEXICON.lines() {
        if line.starts_with('#') {
            topic = name(3, line.as_bytes());
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
                .filter(|part| !Lexicon::skips(&part.text) || entry.len() < 5)
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
    // A line with one word says what topic it belongs to, no more.
    let concepts = places.iter().filter(|(at, _)| lines[*at].words.len() > 1).count();
    let share = 1.0 / (concepts.max(1) as f32).sqrt();
    let mut near: HashMap<usize, f32> = HashMap::new();
    for (at, opposite) in places {
        let line = &lines[*at];
        sense.others.push((line.topic, TOPIC / places.len() as f32));
        if line.words.len() == 1 && concepts > 0 {
            continue;
        }
        let concept = name(2, &at.to_le_bytes());
        let signed = if *opposite { -share } else { share };
        if line.opposed {
            sense.poles.push((concept, signed));
        } else {
            sense.others.push((concept, share));
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(a: &str, b: &str) -> f32 {
        let lexicon = Lexicon::read();
        let features = |text: &str| {
            let words = words::cut(text, false);
            let bases: Vec<String> = words.iter().map(|word| lexicon.base(&word.text)).collect();
            let bases: Vec<&str> = bases.iter().map(String::as_str).collect();
            let (sense, taken) = lexicon.sense(&bases).expect("in the lexicon");
            assert_eq!(taken, bases.len(), "{text}");
            sense.poles.iter().chain(&sense.others).copied().collect::<HashMap<u64, f32>>()
        };
        let (a, b) = (features(a), features(b));
        a.iter().filter_map(|(name, weight)| Some(weight * b.get(name)?)).sum()
    }

    #[test]
    fn synonyms_share_more_than_neighbours_and_opposites_oppose() {
        assert!(shared("doctor", "physicians") > shared("doctor", "nurse"));
        assert!(shared("doctor", "nurse") > shared("doctor", "volcano"));
        assert!(shared("postponed", "put off") > 0.2);
        assert!(shared("polite", "rude") < shared("polite", "courteous"));
    }

    #[test]
    fn the_lists_are_whole() {
        let lexicon = Lexicon::read();
        assert!(lexicon.senses.len() > 4000, "{}", lexicon.senses.len());
        assert!(LEXICON.lines().all(|line| !line.trim().is_empty() && !line.contains('\t') && !line.contains("  ")));
        assert!(lexicon.senses.values().all(|sense| sense.poles.iter().chain(&sense.others).all(|f| f.1.is_finite())));
        let rarities = ["the", "house", "zither"].map(|word| lexicon.rarity(word));
        assert!(rarities.is_sorted() && (0.0..0.2).contains(&rarities[0]) && rarities[2] > 0.9, "{rarities:?}");
    }
}
