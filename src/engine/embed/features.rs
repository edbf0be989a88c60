//! From words to weighted features.

use super::lexicon::{Lexicon, Sense};
use super::project::{Feature, name};
use super::roles::{Sides, past};
use super::words::Word;

// Weights beside that of a word's concepts, 1 before its rarity. Chosen on `assets/embed/dev.tsv` for two things at
// once: the triplets, and finding the own paraphrase of a sentence among all (see `examples/eval_embeddings.rs`).

/// The word itself, where the lexicon knows its concepts.
const KNOWN: f32 = 0.15;
/// The word itself, where that is all there is.
const UNKNOWN: f32 = 0.7;
/// Its first five letters, which related forms share.
const PREFIX: f32 = 0.15;
/// Whether something is denied at all.
const DENIAL: f32 = 0.4;
/// On which side of a verb or comparison the word stands.
const ROLE: f32 = 0.2;
/// A word with a task in grammar alone; nothing is added for its concepts.
const EMPTY: f32 = 0.05;
/// Any other word has at least this.
const LEAST: f32 = 0.2;
/// What all texts share.
const COMMON: f32 = 0.1;

/// Words that a denial reaches.
const REACH: u32 = 4;
/// Words that deny what follows.
const DENIERS: [&str; 12] =
    ["not", "no", "never", "nobody", "none", "nothing", "without", "nowhere", "neither", "nor", "hardly", "lack"];
/// Words that deny by their sense.
const REFUSERS: [&str; 20] = [
    "avoid",
    "ban",
    "cancel",
    "decline",
    "deny",
    "fail",
    "forbid",
    "illegal",
    "impossible",
    "miss",
    "outlaw",
    "prevent",
    "prohibit",
    "refuse",
    "reject",
    "reluctant",
    "stop",
    "unable",
    "unlawful",
    "unwilling",
];

/// What features are of; the first byte of their names.
const MARK: u8 = 0;
const WORD: u8 = 1;
const BEGINNING: u8 = 4;
const SIGN: u8 = 5;
/// Makes the name of a side's feature from that of who stands there.
const SIDE: u64 = 0x0f0f_f0f0;

/// The features of a text and its words; never empty, each once, always in the same order.
pub(super) fn of(text: &str, words: &[Word], lexicon: &Lexicon) -> Vec<Feature> {
    let said = said(words);
    let bases: Vec<String> = said.iter().map(|(word, _)| lexicon.base(word)).collect();
    let bases: Vec<&str> = bases.iter().map(String::as_str).collect();
    let sides = Sides::of(&bases, |at| !lexicon.empty(bases[at]) && past(said[at].0, bases[at]));
    let mut features = Vec::with_capacity(words.len() * 16);
    let (mut denials, mut denied, mut at) = (0, 0, 0);
    while at < bases.len() {
        let base = bases[at];
        if said[at].1 || base == "but" {
            denied = 0;
        }
        let sense = lexicon.sense(&bases[at..]);
        let (sense, taken) = sense.map_or((None, 1), |(sense, taken)| (Some(sense), taken));
        let empty = taken == 1 && lexicon.empty(base);
        let unit = &bases[at..at + taken];
        let weight = if empty { EMPTY } else { unit.iter().map(|base| lexicon.rarity(base)).fold(LEAST, f32::max) };
        if DENIERS.contains(&base) {
            denials += 1;
            denied = REACH;
        } else if REFUSERS.contains(&base) {
            denials += 1;
        }
        spell(unit, weight * if sense.is_some() { KNOWN } else { UNKNOWN }, weight, &mut features);
        if !empty {
            if let Some(side) = sides.of_word(at) {
                let who = sense.and_then(Sense::main).unwrap_or_else(|| name(WORD, base.as_bytes()));
                features.push((who ^ SIDE, side * weight * ROLE));
            }
            if let Some(sense) = sense {
                let turned = (denied > 0) != sides.turns(base);
                let sign = if turned { -weight } else { weight };
                features.extend(sense.poles.iter().map(|(name, concept)| (*name, concept * sign)));
                features.extend(sense.others.iter().map(|(name, concept)| (*name, concept * weight)));
            }
            denied = denied.saturating_sub(1);
        }
        at += taken;
    }
    features.push((name(MARK, b"denial"), if denials % 2 == 0 { -DENIAL } else { DENIAL }));
    features.push((name(MARK, b""), COMMON));
    if words.is_empty() {
        // Texts of signs and pictures alone: which they are is all that tells them apart.
        let signs = text.chars().filter(|c| !c.is_whitespace());
        features.extend(signs.map(|sign| (name(SIGN, sign.encode_utf8(&mut [0; 4]).as_bytes()), UNKNOWN)));
    }
    merge(features)
}

/// The words that are not passed over, and whether a stop or comma stands before each.
fn said(words: &[Word]) -> Vec<(&str, bool)> {
    let mut breaks = false;
    let mut said = Vec::with_capacity(words.len());
    for word in words {
        breaks |= word.breaks;
        if !Lexicon::skips(&word.text) {
            said.push((word.text.as_str(), std::mem::take(&mut breaks)));
        }
    }
    said
}

/// The features of how words are written: `own` for the word, a part of `weight` for its beginning.
fn spell(unit: &[&str], own: f32, weight: f32, features: &mut Vec<Feature>) {
    let share = 1.0 / unit.len() as f32;
    for base in unit {
        features.push((name(WORD, base.as_bytes()), own * share));
        if base.len() > 5 && base.is_char_boundary(5) {
            features.push((name(BEGINNING, &base.as_bytes()[..5]), weight * PREFIX * share));
        }
    }
}

fn merge(mut features: Vec<Feature>) -> Vec<Feature> {
    features.sort_by_key(|(name, _)| *name);
    features.dedup_by(|later, first| {
        let same = later.0 == first.0;
        if same {
            first.1 += later.1;
        }
        same
    });
    features
}

#[cfg(test)]
mod tests {
    use super::super::words::cut;
    use super::*;

    fn weight(text: &str, feature: u64) -> f32 {
        let features = of(text, &cut(text, false), &Lexicon::read());
        features.iter().find(|(name, _)| *name == feature).map_or(0.0, |(_, weight)| *weight)
    }

    #[test]
    fn a_denial_turns_the_concept_that_follows() {
        let lexicon = Lexicon::read();
        let pole = lexicon.sense(&["honest"]).expect("known").0.poles[0].0;
        let signs = ["an honest man", "a man who is not honest", "a dishonest man", "not now, an honest man"]
            .map(|text| weight(text, pole) > 0.0);
        assert_eq!(signs, [true, false, false, true]);
    }

    #[test]
    fn features_come_once_and_in_order() {
        let text = "The cat saw the cat, and the cat saw it.";
        let features = of(text, &cut(text, false), &Lexicon::read());
        assert!(features.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
