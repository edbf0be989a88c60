//! From words to weighted features.

use super::lexicon::{Lexicon, loose};
use super::project::{Feature, name};
use super::words::Word;

/// Weight of the word itself beside its concepts'.
const SELF: f32 = 0.15;
const UNKNOWN: f32 = 0.9;
/// Weight of what the first letters of a word are.
const PREFIX: f32 = 0.25;
const DENIAL: f32 = 1.0;
const LEAST: f32 = 0.05;
const POLE: f32 = 1.0;

/// Words that deny what follows.
const DENIERS: [&str; 12] =
    ["not", "no", "never", "nobody", "none", "nothing", "without", "nowhere", "neither", "nor", "hardly", "lack"];
/// Words that deny by their sense.
const REFUSERS: [&str; 20] = [
    "refuse",
    "forbid",
    "ban",
    "reluctant",
    "fail",
    "unable",
    "stop",
    "prevent",
    "avoid",
    "deny",
    "reject",
    "impossible",
    "decline",
    "unlawful",
    "illegal",
    "prohibit",
    "cancel",
    "miss",
    "unwilling",
    "outlaw",
];
/// Words with a grammatical task and little sense of their own.
const EMPTY: &str = " a an the of to in on at by for with from as that this it he i you we they be have do will would \
     can could shall should may might must and or but if then than so there here what which who whom whose when where \
     how why not no into about over under out up down off again very too just also some any all each every other \
     such only own same own it's one ";

/// The features of a text's words; never empty.
pub(super) fn of(words: &[Word], lexicon: &Lexicon) -> Vec<Feature> {
    let mut features: Vec<Feature> = Vec::with_capacity(words.len() * 16);
    let mut put = |name: u64, weight: f32| features.push((name, weight));
    let bases: Vec<String> = words.iter().map(|word| lexicon.base(&word.text)).collect();
    let kept: Vec<usize> = (0..bases.len()).filter(|at| !loose(&words[*at].text)).collect();
    let refs: Vec<&str> = kept.iter().map(|at| bases[*at].as_str()).collect();
    let mut denials = 0;
    let mut denied = 0;
    let mut at = 0;
    while at < refs.len() {
        let base = refs[at];
        if words[kept[at]].breaks || base == "but" {
            denied = 0;
        }
        let sense = lexicon.sense(&refs[at..]);
        let taken = sense.map_or(1, |(_, taken)| taken);
        let empty = taken == 1 && EMPTY.contains(&format!(" {base} "));
        let weight = if empty {
            LEAST
        } else {
            refs[at..at + taken].iter().map(|base| lexicon.rarity(base)).fold(0.2, f32::max)
        };
        if DENIERS.contains(&base) {
            denials += 1;
            denied = 4;
        } else if REFUSERS.contains(&base) {
            denials += 1;
        }
        for base in &refs[at..at + taken] {
            let weight = if taken > 1 { weight / taken as f32 } else { weight };
            let known = if sense.is_some() { SELF } else { UNKNOWN };
            put(name(1, base.as_bytes()), weight * known);
            if base.len() > 5 && base.is_char_boundary(5) {
                put(name(4, &base.as_bytes()[..5]), weight * PREFIX);
            }
        }
        if let Some((sense, _)) = sense.filter(|_| !empty) {
            let sign = if denied > 0 { -1.0 } else { 1.0 };
            for (name, concept) in &sense.poles {
                put(*name, weight * concept * sign * POLE);
            }
            for (name, concept) in &sense.others {
                put(*name, weight * concept);
            }
        }
        denied = (denied - i32::from(!empty)).max(0);
        at += taken;
    }
    put(name(0, b"denial"), if denials % 2 == 0 { -DENIAL } else { DENIAL });
    put(name(0, b""), 0.1);
    merge(features)
}

/// Each feature once, with the sum of its weights, always in the same order.
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
