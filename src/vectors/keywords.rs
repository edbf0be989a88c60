//! Names of clusters: words that are frequent in a cluster and rare elsewhere, without the stop words of English. A
//! cluster in another language, whose stop words are not known, and one without such words are named by the text nearest
//! to the centre.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;
use whatlang::{Lang, Script};

use super::stop_words::is_stop_word;
use crate::text::Untrusted;
use crate::ui::rule::cut;

/// Characters of a text that are read.
const TEXT: usize = 1_000;
/// The most words of a name.
const MAX_KEYWORDS: usize = 2;
/// Share of the first word's score that the others need at least.
const CLOSE: f64 = 0.5;
/// Texts in a cluster at or above which a word must occur in two of them.
const REPEATED: usize = 5;
/// Columns of a name that is a text.
const NAME: usize = 24;
/// Bytes of a cluster's texts that are enough to detect its language, and the most characters of one text.
const SAMPLE: usize = 2_000;

/// In how many texts a word occurs: in all, in each cluster; and where it was found first.
struct WordCount {
    all: usize,
    clusters: HashMap<u32, usize>,
    first: usize,
}

/// Returns a name for each cluster; `central`: the row nearest to each cluster's centre.
///
/// A word's score in a cluster is p · ln(p / q), where p is the share of the cluster's texts that contain it and q that
/// of all texts: a word that is everywhere scores 0, one that occurs only here scores in proportion to its frequency
/// here.
pub(super) fn names(texts: &[Untrusted], of: &[Option<u32>], central: &[usize]) -> Vec<Untrusted> {
    let mut counts: HashMap<String, WordCount> = HashMap::new();
    let mut sizes = vec![0_usize; central.len()];
    let mut samples = vec![String::new(); central.len()];
    let mut found = 0;
    for (text, cluster) in texts.iter().zip(of).filter_map(|(text, of)| Some((text, (*of)?))) {
        sizes[cluster as usize] += 1;
        let line = text.line();
        let sample = &mut samples[cluster as usize];
        if sample.len() < SAMPLE {
            sample.extend(line.chars().take(SAMPLE).chain(['\n']));
        }
        let mut here = HashSet::new();
        for word in words(&line) {
            if here.contains(&word) {
                continue;
            }
            here.insert(word.clone());
            let counts =
                counts.entry(word).or_insert_with(|| WordCount { all: 0, clusters: HashMap::new(), first: found });
            counts.all += 1;
            *counts.clusters.entry(cluster).or_default() += 1;
            found += 1;
        }
    }
    let all: usize = sizes.iter().sum();
    let name = |(cluster, (size, sample)): (u32, (&usize, &String))| {
        let words =
            if is_english(sample) { distinctive_words(&counts, cluster, *size, all) } else { Untrusted::default() };
        let text = texts.get(central[cluster as usize]).filter(|_| words.is_empty());
        text.map_or(words, |text| quoted(text.line().trim()))
    };
    (0_u32..).zip(sizes.iter().zip(&samples)).map(name).collect()
}

/// Returns the beginning of a text in quotation marks; empty where it has no words to show.
fn quoted(text: &str) -> Untrusted {
    if text.is_empty() { Untrusted::default() } else { format!("“{}”", cut(text, NAME - 2)).into() }
}

/// Returns whether a text seems to be English, or too short to tell.
fn is_english(text: &str) -> bool {
    let Some(info) = whatlang::detect(text) else { return true };
    if info.script() != Script::Latin {
        return false;
    }
    // Headings and lists of names have few stop words, and are easily taken for another language.
    let words = words(text);
    let stop_words = words.iter().filter(|word| is_stop_word(word)).count();
    info.lang() == Lang::Eng || !info.is_reliable() || stop_words * 8 > words.len()
}

/// Returns the words that distinguish a cluster from the others, separated by commas; empty: none does.
fn distinctive_words(counts: &HashMap<String, WordCount>, cluster: u32, size: usize, all: usize) -> Untrusted {
    let least = if size >= REPEATED { 2 } else { 1 };
    let score = |(word, counts): (&String, &WordCount)| {
        let here = *counts.clusters.get(&cluster)?;
        let (p, q) = (here as f64 / size as f64, counts.all as f64 / all as f64);
        let score = p * (p / q).ln();
        (here >= least && score > 1e-9).then(|| (score, word.chars().count(), counts.first, word.clone()))
    };
    let counts = counts.iter().filter(|(word, _)| !is_stop_word(word));
    let mut scored: Vec<(f64, usize, usize, String)> = counts.filter_map(score).collect();
    // Of equal ones the longer word is more specific; of those the one found first.
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(Reverse(a.1).cmp(&Reverse(b.1))).then(a.2.cmp(&b.2)));
    let enough = scored.first().map_or(0.0, |first| first.0 * CLOSE);
    // A word that only extends an earlier one, as a plural does, adds nothing.
    let mut words: Vec<String> = Vec::new();
    for (_, _, _, word) in scored.into_iter().filter(|(score, ..)| *score >= enough) {
        let same = |other: &String| other.starts_with(&word) || word.starts_with(other.as_str());
        if words.len() < MAX_KEYWORDS && !words.iter().any(same) {
            words.push(word);
        }
    }
    words.join(", ").into()
}

/// Returns the words of a text in lower case, without numbers. In a script without blanks between words each two
/// neighbouring characters are a word.
fn words(text: &str) -> Vec<String> {
    let end = text.char_indices().nth(TEXT).map_or(text.len(), |(at, _)| at);
    let mut words: Vec<String> = Vec::new();
    // The last character of a script without blanks, and where it ends.
    let mut before: Option<(&str, usize)> = None;
    for (at, word) in text[..end].unicode_word_indices() {
        let single = word.chars().count() == 1 && word.width() == 2;
        if single {
            if let Some((other, _)) = before.filter(|(_, end)| *end == at) {
                words.push(format!("{other}{word}"));
            }
            before = Some((word, at + word.len()));
        } else if word.chars().any(char::is_alphabetic) && word.chars().count() > 1 {
            words.push(word.to_lowercase());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(texts: &[(&str, u32)]) -> Vec<String> {
        let (words, of): (Vec<Untrusted>, Vec<Option<u32>>) =
            texts.iter().map(|(text, of)| (Untrusted::new(*text), Some(*of))).unzip();
        let count = of.iter().flatten().max().map_or(0, |most| *most + 1);
        let first = |cluster| of.iter().position(|of| *of == Some(cluster)).unwrap_or_default();
        let central: Vec<usize> = (0..count).map(first).collect();
        names(&words, &of, &central).iter().map(|name| name.line().into_owned()).collect()
    }

    #[test]
    fn words_that_are_everywhere_name_nothing() {
        let texts = [
            ("where is the parcel", 0),
            ("the parcel is late", 0),
            ("when does the parcel come", 0),
            ("the password is wrong", 1),
            ("I forgot the password", 1),
            ("is the password safe", 1),
        ];
        assert_eq!(named(&texts), ["parcel", "password"]);
    }

    #[test]
    fn stop_words_name_nothing_however_frequent_they_are_in_one_cluster() {
        let texts = [
            ("the name of the rose", 0),
            ("the lord of the rings", 0),
            ("the light of other days", 0),
            ("the heart of darkness", 0),
            ("the sound of music, with rings", 0),
            ("bake bread", 1),
            ("bread and butter", 1),
            ("how do I bake a cake", 1),
            ("butter cake", 1),
            ("bake butter bread", 1),
        ];
        assert_eq!(named(&texts), ["rings", "butter, bread"]);
    }

    #[test]
    fn clusters_in_other_languages_are_named_by_their_central_text() {
        let texts = [
            ("Wo bleibt denn die Lieferung, auf die ich seit einer Woche warte?", 0),
            ("Ich habe die Lieferung noch nicht bekommen und möchte mein Geld zurück.", 0),
            ("Wann kommt die Bestellung, die ich am Montag aufgegeben habe?", 0),
            ("返金について教えてください", 1),
            ("返金はいつですか", 1),
            ("change my password", 2),
            ("I forgot the password", 2),
        ];
        assert_eq!(named(&texts), ["“Wo bleibt denn die Li…”", "“返金について教えてく…”", "password, change"]);
        assert_eq!(named(&[("same", 0), ("same", 1)]), ["“same”", "“same”"], "no word distinguishes them");
    }

    #[test]
    fn a_few_texts_are_named_by_their_longest_words() {
        let texts =
            [("shipping costs", 0), ("delivery takes 5 days", 0), ("change my password", 1), ("reset login", 1)];
        assert_eq!(named(&texts), ["shipping, delivery", "password, change"]);
    }

    #[test]
    fn once_is_not_frequent_and_numbers_are_no_words() {
        let mut texts: Vec<(String, u32)> = (0..9).map(|at| (format!("invoice 2026 extraordinarily{at}"), 0)).collect();
        texts.extend((0..9).map(|at| (format!("Refunds refund {at}"), 1)));
        let texts: Vec<(&str, u32)> = texts.iter().map(|(text, of)| (text.as_str(), *of)).collect();
        assert_eq!(named(&texts), ["invoice", "refunds"]);
    }

    #[test]
    fn scripts_without_blanks_and_odd_texts_have_words_too() {
        assert_eq!(words("日本語: 返金"), ["日本", "本語", "返金"]);
        assert_eq!(words("Straße, naïve — a 12 e-mail 😀"), ["straße", "naïve", "mail"]);
        assert_eq!(words(&"word ".repeat(10_000)).len(), 200);
        assert_eq!(named(&[("😀", 0), ("", 0), ("\u{1b}[31m", 1)]).len(), 2);
    }
}
