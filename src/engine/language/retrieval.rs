//! Finds the passages of the manual that fit a question, by its words and by its sentence vector.

use std::collections::{HashMap, HashSet};

use super::{
    manual::Manual,
    topics::{self, Topics},
    words::{similarity, words},
};

/// Fit below which no passage answers and those that say "unknown" do.
const LEAST: f32 = 0.42;
/// How sharply a better fit wins: a fit better by 0.1 weighs e⁶ times as much.
const SHARP: f32 = 60.0;
/// Passages that take part in an answer, at most.
const MOST: usize = 6;
/// Weight of the fit by sentence vector, beside the fit by words.
const MEANING: f32 = 0.6;
/// A passage that is less likely than this, as a natural logarithm, does not fit by the sentence vector.
const UNLIKELY: f32 = -8.0;
/// Factor on the fit of the "unknown" passages: they have no phrasings to share words with.
const UNNAMED: f32 = 1.3;
/// Passages that are mentioned after an answer which may be the wrong one.
const NAMED: usize = 2;
/// Headings that begin so are for questions that no other passage answers.
const UNKNOWN: &str = "Unknown";
/// Headings of passages that answer courtesies.
const COURTESIES: [&str; 4] = ["Hello", "Hello again", "Thanks", "Goodbye"];
/// Distinct words of a text in which mistyped ones are searched, at most.
const MISTYPED: usize = 64;
/// Fit from which on a passage is certain to answer.
const SURE: f32 = 0.7;
/// Words with which a question begins.
const ASKING: [&str; 18] = [
    "how", "what", "where", "which", "who", "why", "when", "can", "could", "is", "are", "do", "does", "did", "will",
    "would", "should", "may",
];
/// Words that may come before those.
const JOINING: [&str; 9] = ["and", "but", "so", "or", "then", "now", "also", "well", "please"];

/// Returns whether a text refers to something that is named before.
fn refers(text: &str) -> bool {
    text.split(|c: char| !c.is_alphabetic()).any(|word| matches!(word, "it" | "that" | "them" | "this"))
}

struct IndexEntry {
    heading: String,
    /// Each way to ask, as its words.
    phrasings: Vec<HashSet<String>>,
    /// Every word of heading, questions and body.
    all: HashSet<String>,
    body: String,
    unknown: bool,
    courtesy: bool,
}

/// The searchable manual.
pub(super) struct Index {
    entries: Vec<IndexEntry>,
    topics: Topics,
    /// How rare each word is, natural logarithm.
    rarity: HashMap<String, f32>,
    rarest: f32,
    /// Words that are a courtesy by themselves.
    polite: HashSet<String>,
}

impl Index {
    pub(super) fn new(manual: &Manual) -> Self {
        let mut wordings: HashMap<&str, Vec<&str>> = HashMap::new();
        for (heading, wording) in topics::wordings() {
            wordings.entry(heading).or_default().push(wording);
        }
        let entries: Vec<IndexEntry> = manual
            .passages
            .iter()
            .map(|passage| {
                let ways = std::iter::once(&passage.heading).chain(&passage.questions).map(String::as_str);
                let more = wordings.get(passage.heading.as_str()).into_iter().flatten().copied();
                let phrasings: Vec<HashSet<String>> = ways
                    .chain(more)
                    .map(|way| words(way).into_iter().collect())
                    .filter(|way: &HashSet<_>| !way.is_empty())
                    .collect();
                let mut all: HashSet<String> = words(&passage.body).into_iter().collect();
                all.extend(phrasings.iter().flatten().cloned());
                let unknown = passage.heading.starts_with(UNKNOWN);
                let courtesy = COURTESIES.contains(&passage.heading.as_str());
                let (heading, body) = (passage.heading.clone(), passage.body.clone());
                IndexEntry { heading, phrasings, all, body, unknown, courtesy }
            })
            .collect();
        let mut seen: HashMap<String, f32> = HashMap::new();
        for entry in &entries {
            let named: HashSet<&String> = entry.phrasings.iter().flatten().collect();
            for word in &entry.all {
                *seen.entry(word.clone()).or_default() += if named.contains(word) { 1.0 } else { 0.3 };
            }
        }
        let count = entries.len() as f32;
        let rarity: HashMap<String, f32> =
            seen.into_iter().map(|(word, n)| (word, (1.0 + count / (n + 0.5)).ln())).collect();
        let rarest = (1.0 + count).ln();
        let courtesies = entries.iter().filter(|entry| entry.courtesy).flat_map(|entry| &entry.phrasings);
        let polite = courtesies.filter(|way| way.len() == 1).flatten().cloned().collect();
        Self { entries, topics: Topics::load(), rarity, rarest, polite }
    }

    /// Returns the texts that may answer the last user message, with weights that sum to about one. If the best one may
    /// be wrong, others are mentioned after it.
    pub(super) fn rank(&self, messages: &[(String, String)]) -> Vec<(String, f32)> {
        let fits = self.judge(messages);
        let order = self.order(&fits);
        let Some(best) = order.first().copied() else { return Vec::new() };
        // The courtesies, and the "unknown" passages, say the same in other words.
        let again = |i: usize| {
            let (one, other) = (&self.entries[i], &self.entries[best]);
            (other.courtesy || other.unknown) && one.heading.split(' ').next() == other.heading.split(' ').next()
        };
        let fit = |i: usize| if again(i) { self.floored(&fits, best) } else { self.floored(&fits, i) };
        let near = order.iter().filter(|i| fit(best) - fit(**i) < 0.12).take(MOST);
        let mut ranked: Vec<(String, f32)> =
            near.map(|i| (self.entries[*i].body.clone(), ((fit(*i) - fit(best)) * SHARP).exp())).collect();
        if fit(best) < SURE && !self.entries[best].unknown && !self.entries[best].courtesy {
            let others = order[1..].iter().map(|i| &self.entries[*i]).filter(|entry| !entry.unknown && !entry.courtesy);
            let named: Vec<String> = others.take(NAMED).map(|entry| format!("\"**{}**\"", entry.heading)).collect();
            ranked[0].0 += &["\n\nIf you meant something else, ask for ", &named.join(" or "), "."].concat();
        }
        ranked
    }

    /// Returns the headings of all passages, the one that fits the last user message best first.
    pub(super) fn headings(&self, messages: &[(String, String)]) -> Vec<&str> {
        let order = self.order(&self.judge(messages));
        order.into_iter().map(|i| self.entries[i].heading.as_str()).collect()
    }

    /// Returns how well each passage fits the last user message.
    fn judge(&self, messages: &[(String, String)]) -> Vec<f32> {
        let mut turns = messages.iter().rev().filter(|(role, _)| role == "user").map(|(_, text)| text.as_str());
        let question = turns.next().unwrap_or_default();
        let (asked, mut fits) = self.beyond_courtesy(question);
        let best = fits.iter().copied().fold(0.0, f32::max);
        // "And how do I undo that?" refers to what was asked before.
        let refers = refers(question);
        if let Some(named) = self.named_before(question).filter(|_| refers) {
            return fits.into_iter().zip(named).map(|(fit, named)| fit.max(named)).collect();
        }
        // A word that the manual never uses is another subject, not a question that refers to the last one.
        let familiar = asked.iter().all(|word| self.rarity.contains_key(word));
        if ((best < SURE && familiar) || refers)
            && asked.len() <= 2
            && let Some(before) = turns.find(|turn| !self.known(turn).is_subset(&self.polite))
        {
            let mut both = asked.clone();
            both.extend(self.known(before));
            let joint = self.fits(&both, &self.meant(&format!("{before} {question}")));
            for (fit, joint) in fits.iter_mut().zip(joint) {
                *fit = if refers { (*fit * 0.6).max(joint) } else { fit.max(joint * 0.9) };
            }
        }
        fits
    }

    /// Returns how well each passage fits what a question names before it refers to it: "What is top_p, and when do I
    /// change it?" `None`: it names nothing for certain, so that what it refers to was said before.
    fn named_before(&self, question: &str) -> Option<Vec<f32>> {
        let ends = [question.find([',', ';', ':', '.', '?', '–', '—']), question.find(" and ")];
        let first = &question[..ends.into_iter().flatten().min()?];
        let named = self.known(first);
        if refers(first) || named.is_subset(&self.polite) {
            return None;
        }
        let fits = self.fits(&named, &self.meant(first));
        fits.iter().any(|fit| *fit >= SURE).then_some(fits)
    }

    /// Returns the words of a question and how well each passage fits them. "Thanks, and how do I …?" is a question: if
    /// there is more than a courtesy, the courtesy's words do not count and its passages do not answer.
    fn beyond_courtesy(&self, question: &str) -> (HashSet<String>, Vec<f32>) {
        let asked = self.known(question);
        let meant = self.meant(question);
        let fits = self.fits(&asked, &meant);
        let rest: HashSet<String> = asked.difference(&self.polite).cloned().collect();
        if rest.is_empty() || rest.len() == asked.len() {
            return (asked, fits);
        }
        let mut alone = self.fits(&rest, &meant);
        for ((alone, fit), entry) in alone.iter_mut().zip(&fits).zip(&self.entries) {
            // The word may be part of the subject: "hello" of the first program in any language.
            *alone = if entry.courtesy { 0.0 } else { alone.max(*fit) };
        }
        let sure = alone.iter().any(|fit| *fit >= SURE);
        if sure || self.is_question(question) { (rest, alone) } else { (asked, fits) }
    }

    /// Returns whether a text is a question: by its question mark, or by the word with which one of its clauses begins.
    fn is_question(&self, text: &str) -> bool {
        let lower = text.to_lowercase();
        let mut clauses = lower.split(['.', ',', ';', ':', '!', '\n', '–', '—', '-']);
        let begins = |clause: &str| {
            let mut inside = clause.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            let first = inside
                .find(|word| !JOINING.contains(word) && !words(word).iter().all(|word| self.polite.contains(word)));
            first.is_some_and(|word| ASKING.contains(&word))
        };
        text.contains(['?', '？']) || clauses.any(begins)
    }

    /// Returns how well a passage fits; the "unknown" passages fit everything at least a little.
    fn floored(&self, fits: &[f32], i: usize) -> f32 {
        if self.entries[i].unknown { (fits[i] * UNNAMED).max(LEAST) } else { fits[i] }
    }

    /// Orders all passages, best fit first.
    fn order(&self, fits: &[f32]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.entries.len()).collect();
        order.sort_by(|a, b| self.floored(fits, *b).total_cmp(&self.floored(fits, *a)));
        order
    }

    /// Returns how well each passage fits the sentence vector of a question, 0 to 1.
    fn meant(&self, question: &str) -> Vec<f32> {
        let chances = self.topics.log_probabilities(question);
        let fit = |entry: &IndexEntry| {
            let chance = chances.get(entry.heading.as_str()).copied().unwrap_or(UNLIKELY);
            (1.0 - chance / UNLIKELY).clamp(0.0, 1.0)
        };
        self.entries.iter().map(fit).collect()
    }

    /// Returns the words of a question; one that the manual never uses is replaced by the most similar one, if any is
    /// similar enough.
    fn known(&self, text: &str) -> HashSet<String> {
        let take = |word: String| {
            if self.rarity.contains_key(&word) || word.chars().count() < 4 {
                return word;
            }
            let best = self
                .rarity
                .keys()
                .map(|known| (similarity(&word, known), known))
                .max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)));
            best.filter(|(alike, _)| *alike >= 0.62).map_or(word, |(_, known)| known.clone())
        };
        let once: HashSet<String> = words(text).into_iter().collect();
        // Each comparison with all of the manual's words takes a while, and a text of so many words is no mistyped
        // question.
        if once.len() > MISTYPED { once } else { once.into_iter().map(take).collect() }
    }

    fn weight(&self, word: &str) -> f32 {
        self.rarity.get(word).copied().unwrap_or(self.rarest)
    }

    /// Returns how well each passage fits, 0 to about 1: by words, mostly those of the nearest phrasing and a little
    /// what its text covers, and by the question's sentence vector.
    fn fits(&self, asked: &HashSet<String>, meant: &[f32]) -> Vec<f32> {
        let mass = |set: &HashSet<String>| set.iter().map(|word| self.weight(word).powi(2)).sum::<f32>();
        let whole = mass(asked);
        if whole <= 0.0 {
            return vec![0.0; self.entries.len()];
        }
        let fit = |entry: &IndexEntry| {
            let nearest = entry.phrasings.iter().map(|way| {
                let shared: f32 = way.intersection(asked).map(|word| self.weight(word).powi(2)).sum();
                shared / (whole * mass(way)).sqrt()
            });
            let covered: f32 = entry.all.intersection(asked).map(|word| self.weight(word).powi(2)).sum();
            nearest.fold(0.0, f32::max) * 0.8 + covered / whole * 0.2
        };
        let share = MEANING;
        self.entries.iter().zip(meant).map(|(entry, meant)| fit(entry) * (1.0 - share) + meant * share).collect()
    }
}
