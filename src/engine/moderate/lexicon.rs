//! Words and phrases by what they indicate: harm, persons, groups, contempt, and what mitigates them. A list in the
//! repository.
//!
//! `[tag]` opens a list of entries parted by commas. `kill` stands for all forms with its stem, `=dies` for that form
//! alone, `homicid*` for all that begin so, `kill the process` for the words in a row (each by its stem or `=form`),
//! `kill _ process` with any one word between. Entries of `[idiom]` take the other tags from the words they cover.

use std::collections::HashMap;

use super::words::{Word, stem};

/// The list.
const LIST: &str = include_str!("../../../assets/moderation/lexicon.txt");
/// Words of the longest phrase.
const PHRASE: usize = 7;
/// Bytes of the shortest and longest prefix.
const BEGINNING: std::ops::RangeInclusive<usize> = 3..=10;

/// A set of tags, by their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tags(u128);

impl Tags {
    fn one(number: usize) -> Self {
        Self(1 << number)
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns the numbers in the set, ascending.
    pub(super) fn numbers(self) -> impl Iterator<Item = u8> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let number = rest.trailing_zeros() as u8;
            rest &= rest.wrapping_sub(1);
            (number < 128).then_some(number)
        })
    }
}

/// A word of a phrase.
enum PhraseWord {
    Any,
    Form(String),
    Stem(String),
}

impl PhraseWord {
    fn read(word: &str) -> Self {
        let plain = word.replace('\'', "");
        match plain.strip_prefix('=') {
            _ if plain == "_" => Self::Any,
            Some(form) => Self::Form(form.to_owned()),
            None => Self::Stem(stem(&plain)),
        }
    }

    fn fits(&self, word: &Word) -> bool {
        match self {
            Self::Any => true,
            Self::Form(form) => *form == word.form,
            Self::Stem(stem) => *stem == word.stem,
        }
    }
}

/// A sequence of words.
struct Phrase {
    words: Vec<PhraseWord>,
    tags: Tags,
}

/// The list, prepared for lookup.
pub(crate) struct Lexicon {
    names: Vec<String>,
    stems: HashMap<String, Tags>,
    forms: HashMap<String, Tags>,
    beginnings: HashMap<String, Tags>,
    /// By the stem of the first word.
    phrases: HashMap<String, Vec<Phrase>>,
    /// Words by their consonants, for those that are often disguised.
    consonants: HashMap<String, String>,
    /// Entries of each tag as words of a text, for composing training texts.
    entries: HashMap<String, Vec<String>>,
    idiom: Tags,
    group: Tags,
    disguised: Tags,
}

impl Lexicon {
    /// Reads the list of the repository.
    pub(crate) fn new() -> Self {
        let mut lexicon = Self {
            names: Vec::new(),
            stems: HashMap::new(),
            forms: HashMap::new(),
            beginnings: HashMap::new(),
            phrases: HashMap::new(),
            consonants: HashMap::new(),
            entries: HashMap::new(),
            idiom: Tags::default(),
            group: Tags::default(),
            disguised: Tags::default(),
        };
        lexicon.idiom = lexicon.tag("idiom");
        lexicon.group = lexicon.tag("group");
        lexicon.disguised = DISGUISED.iter().fold(Tags::default(), |all, name| all.union(lexicon.tag(name)));
        let mut name = String::new();
        for line in LIST.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(tag) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                tag.clone_into(&mut name);
                continue;
            }
            let tags = lexicon.tag(&name);
            for entry in line.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
                lexicon.add(entry, tags, &name);
            }
        }
        lexicon
    }

    fn tag(&mut self, name: &str) -> Tags {
        let known = self.names.iter().position(|known| known == name);
        let number = known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        assert!(number < 128, "the lexicon has room for 128 tags");
        Tags::one(number)
    }

    fn add(&mut self, entry: &str, tags: Tags, name: &str) {
        let put = |map: &mut HashMap<String, Tags>, word: String| {
            let slot = map.entry(word).or_default();
            *slot = slot.union(tags);
        };
        if entry.contains(' ') {
            let words: Vec<PhraseWord> = entry.split_whitespace().map(PhraseWord::read).take(PHRASE).collect();
            let first = words.first().and_then(|wanted| match wanted {
                PhraseWord::Any => None,
                PhraseWord::Form(word) => Some(stem(word)),
                PhraseWord::Stem(stem) => Some(stem.clone()),
            });
            if let Some(first) = first {
                self.phrases.entry(first).or_default().push(Phrase { words, tags });
            }
        } else if let Some(form) = entry.strip_prefix('=') {
            put(&mut self.forms, form.to_owned());
        } else if let Some(beginning) = entry.strip_suffix('*') {
            put(&mut self.beginnings, beginning.to_owned());
        } else {
            put(&mut self.stems, stem(entry));
            if DISGUISED.contains(&name) {
                let bare = consonants(entry);
                // "kll" and "mrdr", not "ht": too many words have those consonants.
                if bare.len() >= 3 && bare.len() < entry.len() {
                    self.consonants.entry(bare).or_insert_with(|| entry.to_owned());
                }
            }
        }
        if !entry.contains('_') {
            let plain = entry.trim_start_matches('=').trim_end_matches('*').to_owned();
            self.entries.entry(name.to_owned()).or_default().push(plain);
        }
    }

    /// Returns the tag of that name; an empty set if there is none.
    pub(super) fn named(&self, name: &str) -> Tags {
        self.names.iter().position(|known| known == name).map_or_else(Tags::default, Tags::one)
    }

    /// Returns the tags of words that are often disguised.
    pub(super) fn disguised(&self) -> Tags {
        self.disguised
    }

    /// Returns the entries of a tag as they stand in texts.
    pub(super) fn entries(&self, name: &str) -> &[String] {
        self.entries.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the tags of a word by itself.
    pub(super) fn tags(&self, form: &str, stem: &str) -> Tags {
        let of = |map: &HashMap<String, Tags>, word: &str| map.get(word).copied().unwrap_or_default();
        let mut tags = of(&self.forms, form).union(of(&self.stems, stem));
        for end in BEGINNING {
            match form.get(..end) {
                Some(beginning) => tags = tags.union(of(&self.beginnings, beginning)),
                None => break,
            }
        }
        if tags.is_empty() && names_a_people(form) { self.group } else { tags }
    }

    /// Returns whether the word stands in the list, alone or in a phrase.
    pub(super) fn knows(&self, form: &str) -> bool {
        let stem = stem(form);
        !self.tags(form, &stem).is_empty() || self.phrases.contains_key(&stem)
    }

    /// Returns the word that `form` is without its vowels, if the list has one.
    pub(super) fn without_vowels(&self, form: &str) -> Option<&str> {
        let bare = form.len() >= 3 && form.bytes().all(|b| b.is_ascii_alphabetic() && !b"aeiou".contains(&b));
        if bare { self.consonants.get(form).map(String::as_str) } else { None }
    }

    /// Adds the tags of phrases to the words they cover.
    pub(super) fn phrases(&self, words: &mut [Word]) {
        let mut calm: Vec<(usize, usize)> = Vec::new();
        let mut found: Vec<(usize, usize, Tags)> = Vec::new();
        for start in 0..words.len() {
            let Some(phrases) = self.phrases.get(words[start].stem.as_str()) else { continue };
            for phrase in phrases {
                let end = start + phrase.words.len();
                let Some(covered) = words.get(start..end) else { continue };
                let broken = covered[..covered.len() - 1].iter().any(Word::last);
                if !broken && covered.iter().zip(&phrase.words).all(|(word, wanted)| wanted.fits(word)) {
                    if phrase.tags.has(self.idiom) {
                        calm.push((start, end));
                    } else {
                        found.push((start, end, phrase.tags));
                    }
                }
            }
        }
        for &(start, end, tags) in &found {
            // The whole phrase is marked once: at its first word.
            let inside = calm.iter().any(|&(from, to)| from <= start && end <= to);
            if !inside {
                words[start].tags = words[start].tags.union(tags);
            }
        }
        for (start, end) in calm {
            for word in &mut words[start..end] {
                word.tags = self.idiom;
            }
        }
    }
}

/// Returns whether a word that the list does not have is formed like a name of a people: `Karelian`, `highlanders`.
fn names_a_people(form: &str) -> bool {
    let one = form.strip_suffix('s').unwrap_or(form);
    one.len() >= 6 && (one.ends_with("ian") || one.ends_with("lander"))
}

/// Tags whose words are often disguised.
const DISGUISED: [&str; 12] = [
    "harm", "loathe", "dehuman", "selfharm", "lust", "suicide", "group", "contempt", "sexsell", "die", "blood",
    "bodypart",
];

fn consonants(word: &str) -> String {
    word.chars().filter(|c| !"aeiou".contains(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    fn named(text: &str, name: &str) -> bool {
        let lexicon = Lexicon::new();
        words(text, &lexicon, |_| false).iter().any(|word| word.tags.has(lexicon.named(name)))
    }

    #[test]
    fn words_phrases_and_beginnings_have_their_tags() {
        assert!(named("they kill", "harm") && named("He was exterminating", "harm") && !named("they skill", "harm"));
        assert!(named("end my life", "selfharm") && !named("in the end. My life", "selfharm"));
        assert!(named("two Karelians", "group") && !named("two librarians", "group"));
        assert!(!named("", "harm") && !named("kill", "no such tag"));
    }

    #[test]
    fn an_idiom_takes_the_harm_from_its_words() {
        assert!(named("kill the process", "idiom") && !named("kill the process", "harm"));
        assert!(named("kill the king", "harm"));
    }

    #[test]
    fn tags_come_out_as_they_went_in() {
        let tags = Tags::one(0).union(Tags::one(77)).union(Tags::one(127));
        assert_eq!(tags.numbers().collect::<Vec<_>>(), [0, 77, 127]);
    }
}
