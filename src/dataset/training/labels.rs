//! Labels of a classification: those that differ by blanks, letter case or a typo, and prompts with more than one.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};

use super::limits::STOPPED;
use super::lint_state::LintState;
use super::row::{Row, RowFaults, Rules, look, pair};
use super::shorten::shorten;
use super::source::TrainingFile;
use super::words;
use crate::dataset::Moved;
use crate::record::training::{ProblemKind, RepairKind, Sample};

/// Labels compared with each other.
const MOST: u64 = 100;
/// Prompts whose label is remembered.
const PROMPTS: usize = 512 << 10;
/// Labels that can be named beside a row that contradicts them.
const TEXTS: usize = 1_024;
/// Characters from which on one letter may be a typo.
const TYPO: usize = 5;
/// Rows that a label may have at most to count as a misspelling of another.
const RARE: u64 = 3;
/// How many times rarer a typo is than what was meant.
const RARER: u64 = 5;

/// What was found of labels.
#[derive(Debug, Default)]
pub(super) struct Labels {
    pub(super) repair: Option<RepairKind>,
    pub(super) same: Vec<(String, String)>,
    pub(super) changed: u64,
    pub(super) changes: Vec<Sample>,
    pub(super) contradictions: u64,
    pub(super) contradicted: Vec<Sample>,
}

/// Examines the labels of a classification once they are known; reads the rows again. Fails with a sentence if that is
/// not possible, or if `moved` says to stop.
pub(super) fn labels(
    input: &TrainingFile,
    rules: Rules,
    gathered: &mut LintState,
    moved: Moved,
) -> Result<Labels, String> {
    let few = gathered.classes.number().is_some_and(|number| number <= MOST);
    let same = if few { same(&gathered.classes.most()) } else { Vec::new() };
    let end = &gathered.completions.suffix;
    let end = end[end.trim_end().len()..].to_owned();
    let begin = if gathered.completions.spaceless == 0 { " " } else { "" };
    let mut labels = Labels { same: same.clone(), ..Labels::default() };
    let repair = RepairKind::Labels { same, begin: begin.to_owned(), end };
    let mut first = First::default();
    let mut pieces = input.pieces()?;
    let mut said = 0;
    while let Some(piece) = pieces.next().map_err(|why| why.to_string())? {
        let found = look(input, &piece, rules);
        let Some(Row::Pair { prompt, completion }) = found.row.filter(|_| !found.faults.contains(RowFaults::EMPTY))
        else {
            continue;
        };
        let read = labelled(&repair, &completion).unwrap_or_else(|| completion.to_string());
        let plain = |text: &str| text.strip_prefix(' ').unwrap_or(text).to_owned();
        if plain(&read) != plain(&completion) {
            labels.changed += 1;
            let label = shorten(&completion);
            let words = format!("the label “{label}” is probably “{}”", shorten(read.trim()));
            gathered.name(words::problem(input, &piece, ProblemKind::Label, 0, words));
            if labels.changes.len() < 3 {
                let (before, after) = (pair(&shorten(&prompt), &label).into(), pair(&shorten(&prompt), &read).into());
                labels.changes.push(Sample { line: piece.line, before, after: Some(after) });
            }
        }
        if let Some((line, label)) = first.other(&[first.key(&prompt)], &read, piece.line) {
            labels.contradictions += 1;
            let label = label.map_or_else(|| "a different label".to_owned(), |label| format!("the label “{label}”"));
            let words =
                format!("line {line} has the same prompt with {label}, this line has “{}”", shorten(read.trim()));
            gathered.name(words::problem(input, &piece, ProblemKind::Contradiction, 0, words));
            if labels.contradicted.len() < 3 {
                let before = pair(&shorten(&prompt), &shorten(&completion)).into();
                labels.contradicted.push(Sample { line: piece.line, before, after: None });
            }
        }
        let read = pieces.read();
        if read >= said + (1 << 20) {
            said = read;
            if !moved(input.total, input.total) {
                return Err(STOPPED.to_owned());
            }
        }
    }
    labels.repair = (labels.changed > 0).then_some(repair);
    Ok(labels)
}

/// The label of the first row of each prompt, as a hash; bounded: above a number of prompts no more are remembered.
#[derive(Debug, Default)]
pub(super) struct First {
    keys: RandomState,
    /// By a prompt's key: the label, and the line.
    prompts: HashMap<u64, (u64, u64)>,
    /// The beginnings of the first labels, for messages.
    texts: HashMap<u64, String>,
}

impl First {
    /// Returns the key of a prompt: blanks around it do not count, and a blank prompt is the same as none.
    pub(super) fn key(&self, prompt: &str) -> Option<u64> {
        let prompt = prompt.trim();
        (!prompt.is_empty()).then(|| self.keys.hash_one(prompt))
    }

    /// Adds a row by all keys of its prompt; returns the line and, where it is known, the label of the first row with
    /// one of these keys and another label. Such a row is not remembered.
    pub(super) fn other(&mut self, keys: &[Option<u64>], label: &str, line: u64) -> Option<(u64, Option<&str>)> {
        let label = label.trim();
        let hash = self.keys.hash_one(label);
        let before = keys.iter().flatten().filter_map(|key| self.prompts.get(key));
        if let Some((first, line)) = before.copied().find(|(first, _)| *first != hash) {
            return Some((line, self.texts.get(&first).map(String::as_str)));
        }
        if self.prompts.len() < PROMPTS * keys.len() {
            for key in keys.iter().flatten() {
                self.prompts.entry(*key).or_insert((hash, line));
            }
            if self.texts.len() < TEXTS {
                self.texts.entry(hash).or_insert_with(|| shorten(label));
            }
        }
        None
    }
}

/// Returns a completion with the label that is meant, and without stray blanks; `None`: the repair is another one.
pub(super) fn labelled(repair: &RepairKind, completion: &str) -> Option<String> {
    let RepairKind::Labels { same, begin, end } = repair else { return None };
    let label = completion.trim();
    let meant = same.iter().find(|(from, _)| from == label).map_or(label, |(_, to)| to);
    Some(format!("{begin}{meant}{end}"))
}

/// Returns labels that are probably others, most frequent first, each with what is meant.
fn same(classes: &[(String, u64)]) -> Vec<(String, String)> {
    let mut kept: Vec<(&str, String, u64)> = Vec::new();
    let mut same = Vec::new();
    for (label, count) in classes {
        let plain = label.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        let meant = kept.iter().find(|(_, other, often)| {
            let rare = *count <= RARE && count * RARER <= *often;
            *other == plain || (rare && is_typo(&plain, other))
        });
        match meant {
            Some((meant, ..)) => same.push((label.clone(), (*meant).to_owned())),
            None => kept.push((label, plain, *count)),
        }
    }
    same
}

/// Returns whether a label is another one with a typo. Digits distinguish labels, and so does the first letter:
/// `typical` and `atypical` are different.
fn is_typo(label: &str, other: &str) -> bool {
    let long = label.chars().count().min(other.chars().count()) >= TYPO;
    let digits = |text: &str| text.contains(|c: char| c.is_ascii_digit());
    let begins = label.chars().next() == other.chars().next();
    long && begins && !digits(label) && !digits(other) && strsim::osa_distance(label, other) == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_labels_are_not_held_as_a_whole() {
        let mut first = First::default();
        let label = |n: usize| format!("{n} {}", "x".repeat(10_000));
        for n in 0..2_000 {
            assert_eq!(first.other(&[first.key(&format!("prompt {n}"))], &label(n), n as u64), None);
        }
        let held: usize = first.texts.values().map(String::len).sum();
        assert!(held < 1 << 20, "{held} bytes of 20 MB");
        let same = first.other(&[first.key(" prompt 7 ")], &label(7), 3_000);
        assert_eq!(same, None, "blanks around a prompt or a label do not count");
        let (line, text) = first.other(&[first.key("prompt 7")], &label(8), 3_001).unwrap();
        assert_eq!((line, text.is_some_and(|text| text.starts_with("7 xxx"))), (7, true));
        assert_eq!(first.other(&[first.key("prompt 1999")], "b", 3_002), Some((1_999, None)));
    }

    #[test]
    fn labels_that_are_meant_to_be_the_same_are_found() {
        let classes =
            |all: &[(&str, u64)]| all.iter().map(|(name, rows)| ((*name).to_owned(), *rows)).collect::<Vec<_>>();
        let found = same(&classes(&[("billing", 80), ("Sales", 60), ("Billing", 20), ("Biling", 3), ("sails", 50)]));
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(found, [pair("Billing", "billing"), pair("Biling", "billing")]);
        // Numbers, short words and frequent ones are not taken for typos.
        assert_eq!(
            same(&classes(&[("class1", 80), ("class2", 3), ("yes", 50), ("yet", 1), ("bowling", 9), ("rowling", 8)])),
            []
        );
    }
}
