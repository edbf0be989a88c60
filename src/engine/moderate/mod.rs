//! Scores a text in the interface's seven categories: a small trained classifier over words, word lists and their
//! neighbourhood. `docs/moderation.md` says what it is worth.

pub mod corpus;
mod features;
mod lexicon;
pub mod measure;
mod train;
mod weights;
mod words;

use features::features;
use lexicon::{Lexicon, Tags};
use weights::Weights;
use words::{Word, words};

pub use train::train;

/// The weights of the repository, written by `cargo run --release --example train_moderation`.
const WEIGHTS: &[u8] = include_bytes!("../../../assets/moderation/weights");
/// Bytes of a text that are cut into words at a time.
const BLOCK: usize = 16 << 10;
/// Words that are scored together; a longer text is scored in pieces of whole sentences.
const WINDOW: usize = 56;
/// Bytes of a text that are read; the rest changes nothing. Far above any bound of the service.
const MOST: usize = 16 << 20;

/// A category of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// Hate against a group.
    Hate,
    /// Hate with violence or serious harm.
    HateThreatening,
    /// Suicide, self-injury, eating disorders.
    SelfHarm,
    /// Meant to arouse, or sexual services.
    Sexual,
    /// Sexual with someone under 18.
    SexualMinors,
    /// Threats, calls for violence, joy at suffering.
    Violence,
    /// Death or injury in bodily detail.
    ViolenceGraphic,
}

impl Category {
    /// All seven, in the order of the interface.
    pub const ALL: [Self; 7] = [
        Self::Hate,
        Self::HateThreatening,
        Self::SelfHarm,
        Self::Sexual,
        Self::SexualMinors,
        Self::Violence,
        Self::ViolenceGraphic,
    ];

    /// The key of answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hate => "hate",
            Self::HateThreatening => "hate/threatening",
            Self::SelfHarm => "self-harm",
            Self::Sexual => "sexual",
            Self::SexualMinors => "sexual/minors",
            Self::Violence => "violence",
            Self::ViolenceGraphic => "violence/graphic",
        }
    }

    /// The category with that key.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.name() == name)
    }
}

/// What the classifier says of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Verdict {
    scores: [f32; 7],
    thresholds: [f32; 7],
}

impl Verdict {
    /// The raw score, 0 to 1: higher is surer. Not a probability.
    pub fn score(&self, category: Category) -> f32 {
        self.scores[category as usize]
    }

    /// Whether the score reaches the category's threshold.
    pub fn flagged(&self, category: Category) -> bool {
        let at = category as usize;
        self.thresholds[at] > 0.0 && self.scores[at] >= self.thresholds[at]
    }

    /// Whether any category is flagged.
    pub fn any(&self) -> bool {
        Category::ALL.into_iter().any(|category| self.flagged(category))
    }
}

/// A text that is being scored.
#[derive(Clone, Copy, Debug, Default)]
pub struct Judging {
    /// Bytes that are scored.
    read: usize,
    scores: [f32; 7],
}

/// The classifier: lexicon and weights, read once.
pub struct Classifier {
    lexicon: Lexicon,
    weights: Weights,
    minor: Tags,
}

impl std::fmt::Debug for Classifier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Classifier").finish_non_exhaustive()
    }
}

impl Default for Classifier {
    fn default() -> Self {
        Self::new()
    }
}

impl Classifier {
    /// The classifier of the repository. Takes some milliseconds.
    pub fn new() -> Self {
        Self::with(WEIGHTS)
    }

    /// The classifier with other weights, as [`train`] returns them; unreadable ones score nothing.
    pub fn with(weights: &[u8]) -> Self {
        let lexicon = Lexicon::new();
        let minor = lexicon.named("minor");
        Self { lexicon, weights: Weights::read(weights), minor }
    }

    /// Scores `text`. A long one is scored in pieces; the highest score of each category counts. Time grows with the
    /// text's length alone: about a second for a few megabytes.
    pub fn judge(&self, text: &str) -> Verdict {
        let mut judging = Judging::default();
        while !self.go_on(&mut judging, text) {}
        self.verdict(judging)
    }

    /// Scores the next few milliseconds' worth of `text`; true when all of it is scored.
    pub fn go_on(&self, judging: &mut Judging, text: &str) -> bool {
        let rest = &text[judging.read..text.floor_char_boundary(MOST)];
        let block = block(rest);
        judging.read += block.len();
        let words = words(block, &self.lexicon);
        for window in windows(&words) {
            let found = self.window(window);
            for (score, new) in judging.scores.iter_mut().zip(found) {
                *score = score.max(new);
            }
        }
        block.len() == rest.len()
    }

    /// What is said of a text that is scored.
    pub fn verdict(&self, judging: Judging) -> Verdict {
        let mut scores = judging.scores;
        self.imply(&mut scores);
        Verdict { scores, thresholds: self.weights.thresholds }
    }

    /// The scores of one piece.
    fn window(&self, words: &[Word]) -> [f32; 7] {
        let mut scores = self.weights.scores(&features(words));
        // Hate and violence in one piece are mostly one threat.
        let both = scores[Category::Hate as usize] * scores[Category::Violence as usize];
        let threat = &mut scores[Category::HateThreatening as usize];
        *threat = threat.max(0.8 * both);
        // No text of that category was ever written to train it: what is sexual and names someone under age is it.
        let minor = words.iter().any(|word| word.tags.has(self.minor));
        let factor = if minor { 1.0 } else { 0.02 };
        scores[Category::SexualMinors as usize] = scores[Category::Sexual as usize] * factor;
        scores
    }

    /// What the interface's categories imply: a threat of hate is hate, a graphic depiction is violence.
    fn imply(&self, scores: &mut [f32; 7]) {
        let thresholds = &self.weights.thresholds;
        for (narrow, wide) in
            [(Category::HateThreatening, Category::Hate), (Category::ViolenceGraphic, Category::Violence)]
        {
            let (narrow, wide) = (narrow as usize, wide as usize);
            if scores[narrow] >= thresholds[narrow] {
                scores[wide] = scores[wide].max(thresholds[wide]);
            }
        }
    }
}

/// The first block of a text; it ends between words, where there is such a place.
fn block(text: &str) -> &str {
    let most = text.floor_char_boundary(BLOCK);
    match text[..most].rfind(char::is_whitespace) {
        Some(at) if most < text.len() && at > BLOCK / 2 => &text[..at],
        _ => &text[..most],
    }
}

/// Pieces of at most [`WINDOW`] words and each long sentence by itself: one bad sentence in a long clean text counts.
fn windows(words: &[Word]) -> Vec<&[Word]> {
    if words.len() <= WINDOW {
        return vec![words];
    }
    let mut out = Vec::new();
    let mut start = 0;
    while start < words.len() {
        let most = (start + WINDOW).min(words.len());
        let sentence = |piece: &[Word]| piece.iter().rposition(|word| word.last).map(|at| at + 1);
        let end = if most == words.len() { most } else { start + sentence(&words[start..most]).unwrap_or(WINDOW) };
        out.push(&words[start..end]);
        out.extend(words[start..end].split_inclusive(|word| word.last).filter(|piece| piece.len() >= 4));
        if end == words.len() {
            break;
        }
        start = end;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_between_0_and_1_for_any_text() {
        let classifier = Classifier::new();
        for text in ["", " ", "\u{0}", "hello", "äöü 漢字 🦀", &"a".repeat(100_000), &"k i ".repeat(9000)] {
            let verdict = classifier.judge(text);
            for category in Category::ALL {
                assert!((0.0..=1.0).contains(&verdict.score(category)), "{category:?}");
            }
            assert!(!verdict.any());
        }
    }

    fn blocks(text: &str) -> impl Iterator<Item = &str> {
        let mut rest = text;
        std::iter::from_fn(move || {
            let (block, after) = rest.split_at(block(rest).len());
            rest = after;
            Some(block).filter(|block| !block.is_empty())
        })
    }

    #[test]
    fn blocks_join_to_the_text_and_end_between_words() {
        let text = "one two three ".repeat(5000);
        assert_eq!(blocks(&text).collect::<String>(), text);
        assert!(blocks(&text).all(|block| block.len() <= BLOCK && !block.ends_with(char::is_alphanumeric)
            || block.ends_with("three")
            || block.ends_with("one")
            || block.ends_with("two")));
        assert_eq!(blocks(&"ü".repeat(BLOCK)).map(str::len).sum::<usize>(), 2 * BLOCK);
    }

    #[test]
    fn a_category_has_the_name_of_the_interface() {
        for category in Category::ALL {
            assert_eq!(Category::named(category.name()), Some(category));
        }
        assert_eq!(Category::named("harassment"), None);
    }
}
