//! Scores a text in the interface's seven categories: a small trained classifier over words, word lists, their context
//! and sentence vectors. `docs/moderation.md` says how accurate it is.

pub mod corpus;
mod features;
mod language;
mod lexicon;
pub mod measure;
mod parts;
mod train;
mod weights;
mod windows;
mod words;

use features::features;
use lexicon::{Lexicon, Tags};
use parts::{EmbeddedText, TextParts, mix};
use weights::Weights;
use windows::{Edges, Window, rest, sentences};
use words::words;

use super::sentence::{self, Model};

pub use language::is_english;
pub use train::{Example, prepare, train};

/// The weights of the repository, written by `cargo run --release --example train_moderation`.
const WEIGHTS: &[u8] = include_bytes!("../../../assets/moderation/weights");
/// Bytes of a block, whose windows are scored together.
const BLOCK: usize = 2 << 10;
/// Windows in which no category's word score exceeds this are not embedded: their sentence vector could not flag them.
const TELLING: f32 = -5.5;

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

    /// Returns the key in answers.
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

    /// Returns the category with that key.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.name() == name)
    }
}

/// The scores of a text and the thresholds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Verdict {
    scores: [f32; 7],
    thresholds: [f32; 7],
}

impl Verdict {
    /// Returns the raw score, 0 to 1: higher is more certain. Not a probability.
    pub fn score(&self, category: Category) -> f32 {
        self.scores[category as usize]
    }

    /// Returns whether the score reaches the category's threshold.
    pub fn flagged(&self, category: Category) -> bool {
        let at = category as usize;
        self.thresholds[at] > 0.0 && self.scores[at] >= self.thresholds[at]
    }

    /// Returns whether any category is flagged.
    pub fn any(&self) -> bool {
        Category::ALL.into_iter().any(|category| self.flagged(category))
    }
}

/// A text that is being scored.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScoringProgress {
    /// Bytes scored so far.
    read: usize,
    scores: [f32; 7],
}

/// The classifier: lexicon and weights, read once.
pub struct Classifier {
    lexicon: Lexicon,
    weights: Weights,
    edges: Edges,
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
    /// Loads the classifier of the repository. Takes some milliseconds.
    pub fn new() -> Self {
        Self::with(WEIGHTS)
    }

    /// Loads the classifier with other weights, as [`train`] returns them; unreadable ones score nothing.
    pub fn with(weights: &[u8]) -> Self {
        let lexicon = Lexicon::new();
        let (edges, minor) = (Edges::new(&lexicon), lexicon.named("minor"));
        Self { lexicon, weights: Weights::read(weights), edges, minor }
    }

    /// Scores a text. A long one is scored in windows; the highest score of each category counts. Time grows linearly
    /// with the text's length: some seconds for a megabyte.
    pub fn judge(&self, text: &str) -> Verdict {
        let mut progress = ScoringProgress::default();
        while !self.advance(&mut [(&mut progress, text)]) {}
        self.verdict(progress)
    }

    /// Scores texts; short ones together take less time than each by itself.
    pub fn judge_all<T: AsRef<str>>(&self, texts: &[T]) -> Vec<Verdict> {
        let mut judged = vec![ScoringProgress::default(); texts.len()];
        let mut all: Vec<_> = judged.iter_mut().zip(texts.iter().map(AsRef::as_ref)).collect();
        while !self.advance(&mut all) {}
        judged.into_iter().map(|progress| self.verdict(progress)).collect()
    }

    /// Scores the next block of each text, on all of rayon's cores: some 30 ms for a block of 2 KiB on one core.
    /// Returns whether all of them are scored.
    pub fn advance(&self, texts: &mut [(&mut ScoringProgress, &str)]) -> bool {
        let model = sentence::model();
        let blocks: Vec<_> = texts.iter().map(|(progress, text)| self.block(&text[progress.read..], &model)).collect();
        let scores = self.scores(&blocks, &model);
        for ((progress, _), ((_, _, done), found)) in texts.iter_mut().zip(blocks.iter().zip(scores)) {
            progress.read += done;
            for (score, new) in progress.scores.iter_mut().zip(found) {
                *score = score.max(new);
            }
        }
        texts.iter().all(|(progress, text)| progress.read == text.len())
    }

    /// Returns the verdict on a text that is scored.
    pub fn verdict(&self, progress: ScoringProgress) -> Verdict {
        let mut scores = progress.scores;
        self.apply_implications(&mut scores);
        Verdict { scores, thresholds: self.weights.thresholds }
    }

    /// Splits off the block that a text begins with: returns it, its windows, and how many bytes of the text they
    /// cover; the rest begins the next block.
    fn block<'a>(&self, text: &'a str, model: &Model) -> (EmbeddedText<'a>, Vec<Window>, usize) {
        let first = block(text);
        let words = words(first, &self.lexicon, |word| model.knows(word));
        let sentences = sentences(&words);
        let mut windows = self.edges.windows(&words, &sentences);
        let mut done = first.len();
        if first.len() < text.len() {
            let rest = rest(&words, &sentences);
            if rest > 0 {
                done = words[rest].at.start;
                windows.retain(|window| window[window.len() - 1].end < words.len());
            }
        }
        (EmbeddedText { text: first, words }, windows, done)
    }

    /// Scores each block: the highest score of its windows in each category.
    fn scores(&self, blocks: &[(EmbeddedText<'_>, Vec<Window>, usize)], model: &Model) -> Vec<[f32; 7]> {
        let mut parts = TextParts::default();
        let mut found = Vec::new();
        for (at, (block, windows, _)) in blocks.iter().enumerate() {
            for window in windows {
                let words = &block.words[window[0].start..window[window.len() - 1].end];
                let sums = self.weights.of_words(&features(words));
                if sums.iter().any(|sum| *sum >= TELLING) {
                    let minor = words.iter().any(|word| word.tags.has(self.minor));
                    found.push((at, sums, minor, parts.add(block, window)));
                }
            }
        }
        let vectors = parts.vectors(model);
        let mut scores = vec![[0.0_f32; 7]; blocks.len()];
        for (at, sums, minor, own) in found {
            for (score, new) in scores[at].iter_mut().zip(self.window(sums, &mix(&vectors, &own), minor)) {
                *score = score.max(new);
            }
        }
        scores
    }

    /// Scores a window whose words have the scores `sums`, before the logistic function.
    fn window(&self, mut sums: [f32; 6], vector: &[f32], minor: bool) -> [f32; 7] {
        sums.iter_mut().zip(self.weights.of_meaning(vector)).for_each(|(sum, more)| *sum += more);
        let mut scores = weights::scores(sums);
        // Hate and violence in one window are usually one threat.
        let both = scores[Category::Hate as usize] * scores[Category::Violence as usize];
        let threat = &mut scores[Category::HateThreatening as usize];
        *threat = threat.max(0.8 * both);
        // The category is not trained; sexual text that mentions a minor belongs to it.
        let factor = if minor { 1.0 } else { 0.02 };
        scores[Category::SexualMinors as usize] = scores[Category::Sexual as usize] * factor;
        scores
    }

    /// Applies what the interface's categories imply: a hateful threat is hate, a graphic depiction is violence.
    fn apply_implications(&self, scores: &mut [f32; 7]) {
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

/// Returns the first block of a text; it ends after a sentence, or else between words, where that is possible.
fn block(text: &str) -> &str {
    let most = text.floor_char_boundary(BLOCK);
    let (first, half) = (&text[..most], BLOCK / 2);
    if most == text.len() {
        return first;
    }
    let places = [first.rfind(['\n', '!', '?', ';']), first.rfind(". "), first.rfind(char::is_whitespace)];
    let behind_a_sentence = places[0].max(places[1]).filter(|at| *at > half);
    let end = behind_a_sentence.map(|at| at + 1).or(places[2].filter(|at| *at > half));
    &first[..end.unwrap_or(most)]
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
