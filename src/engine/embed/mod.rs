//! Embeds texts as vectors whose angle measures how related they are.
//!
//! A vector is that of the sentence model, mapped to the length of the named model. Words that the sentence model
//! cannot spell, such as emoji, are represented by their spelling. The same text always gives the same vector.
//! `docs/embeddings.md` describes uses and limits.

mod project;
mod rotate;

use super::numbers::{add_scaled, fold, map_in_place};
use super::sentence::{self, Model};
use crate::tokens::Encoding;

/// Share of the vector for words that the sentence model cannot spell, in a text of only such words.
const UNKNOWN: f32 = 0.5;

/// The vector space of a model: texts embedded in the same one can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    size: usize,
    seed: u64,
    code: bool,
    shortens: bool,
    encoding: Encoding,
}

impl Space {
    /// Returns the space of an embedding model; `None` for other ids. The `doc` and `query` models of a size share one,
    /// and so do the `code` and `text` models.
    pub fn of(id: &str) -> Option<Self> {
        let later = |size, seed, shortens| Self { size, seed, code: false, shortens, encoding: Encoding::Cl100k };
        match id {
            "text-embedding-ada-002" => return Some(later(1536, 2, false)),
            "text-embedding-3-small" => return Some(later(1536, 3, true)),
            "text-embedding-3-large" => return Some(later(3072, 4, true)),
            _ => {}
        }
        let name = id.strip_suffix("-001")?;
        let families = [("text-similarity-", 10), ("text-search-", 20), ("code-search-", 30)];
        let (rest, family) = families.iter().find_map(|(prefix, seed)| Some((name.strip_prefix(prefix)?, *seed)))?;
        let sizes = [("ada", 1024), ("babbage", 2048), ("curie", 4096), ("davinci", 12_288)];
        let at = sizes.iter().position(|(size, _)| rest.split('-').next() == Some(size))?;
        Some(Self {
            size: sizes[at].1,
            seed: family + at as u64,
            code: family == 30,
            shortens: false,
            encoding: Encoding::R50k,
        })
    }

    /// Returns the length of a vector.
    pub fn size(self) -> usize {
        self.size
    }

    /// Returns whether a request may ask for shorter vectors.
    pub fn shortens(self) -> bool {
        self.shortens
    }

    /// Returns the encoding in which its texts are counted.
    pub fn encoding(self) -> Encoding {
        self.encoding
    }

    /// Embeds `text`: [`Space::size`] numbers, normalised to length 1.
    pub fn vector(self, text: &str) -> Vec<f32> {
        self.shortened(text, self.size)
    }

    /// Embeds `text` and keeps the first `size` numbers, normalised to length 1 again.
    pub fn shortened(self, text: &str, size: usize) -> Vec<f32> {
        let model = sentence::model();
        let mut reading = self.begin(&model, text);
        let windows = reading.next(usize::MAX);
        reading.read(&model.vectors(&windows));
        self.end(&reading, size)
    }

    /// Splits a text into windows.
    pub fn begin(self, model: &Model, text: &str) -> Reading {
        let pieces = if self.code { model.pieces(&names_apart(text)) } else { model.pieces(text) };
        let unknown = pieces.unknown.iter().map(|word| (project::name(word), 1.0)).collect();
        let share = pieces.unknown.len() as f32 / pieces.numbers.len().max(1) as f32;
        Reading { windows: model.windows(&pieces).into_iter(), unknown, share, sum: vec![0.0; sentence::WIDTH] }
    }

    /// Returns the first `size` numbers of the vector of a text whose windows are all read, normalised to length 1.
    pub fn end(self, reading: &Reading, size: usize) -> Vec<f32> {
        let mut vector = rotate::rotate(&reading.sum, self.size, self.seed);
        if reading.share > 0.0 {
            unit(&mut vector);
            let own = project::spread(&reading.unknown, self.size, self.seed);
            let share = UNKNOWN * reading.share;
            let (much, little) = ((1.0 - share).sqrt(), share.sqrt());
            vector.iter_mut().zip(own).for_each(|(number, own)| *number = *number * much + own * little);
        }
        vector.truncate(size.clamp(1, self.size));
        unit(&mut vector);
        vector
    }
}

/// Separates the words within the names of code: `readLine` becomes `read Line`.
fn names_apart(code: &str) -> String {
    let mut apart = String::with_capacity(code.len() + code.len() / 8);
    let mut small = false;
    for c in code.chars() {
        if small && c.is_uppercase() {
            apart.push(' ');
        }
        small = c.is_lowercase();
        apart.push(c);
    }
    apart
}

/// A text while it is embedded.
#[derive(Debug)]
pub struct Reading {
    windows: std::vec::IntoIter<Vec<u32>>,
    /// Words that the model cannot spell, and their share of all pieces.
    unknown: Vec<project::Feature>,
    share: f32,
    /// Sum of the vectors of the windows read so far.
    sum: Vec<f32>,
}

impl Reading {
    /// Takes the next windows, as many as have at most that many pieces together.
    pub fn next(&mut self, most: usize) -> Vec<Vec<u32>> {
        let mut count = 0;
        let fits = |window: &&Vec<u32>| {
            count += window.len();
            count <= most
        };
        let some = self.windows.as_slice().iter().take_while(fits).count();
        self.windows.by_ref().take(some).collect()
    }

    /// Adds the vectors of windows.
    pub fn read(&mut self, vectors: &[Vec<f32>]) {
        for vector in vectors {
            add_scaled(&mut self.sum, vector, 1.0);
        }
    }

    /// Returns whether all windows are taken.
    pub fn is_done(&self) -> bool {
        self.windows.as_slice().is_empty()
    }
}

/// Normalises a vector to length 1. One without a direction becomes a fixed unit vector.
fn unit(vector: &mut [f32]) {
    let length = fold(vector, 0.0, |sum: f64, number| sum + f64::from(number) * f64::from(number)).sqrt();
    if length > 1e-12 {
        map_in_place(vector, |number| (f64::from(number) / length) as f32);
    } else {
        vector.fill(1.0 / (vector.len() as f32).sqrt());
    }
}

/// Returns the cosine of two vectors of length 1: 1 in the same direction, 0 unrelated.
pub fn cosine_similarity(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::catalogue::{self, Kind};

    #[test]
    fn texts_are_counted_as_the_workbench_estimates_them() {
        for id in
            ["text-embedding-ada-002", "text-embedding-3-small", "text-embedding-3-large", "text-search-ada-doc-001"]
        {
            let space = Space::of(id).expect("an embedding model");
            assert_eq!(crate::tokens::encoding(id, true), Some(space.encoding()), "{id}");
        }
    }

    fn ada() -> Space {
        Space::of("text-embedding-ada-002").expect("an embedding model")
    }

    #[test]
    fn every_embedding_model_has_a_space_of_its_size() {
        for entry in catalogue::all() {
            assert_eq!(Space::of(entry.id).is_some(), entry.kind == Kind::Embedding, "{}", entry.id);
        }
        let sizes = ["text-search-davinci-doc-001", "text-similarity-curie-001", "code-search-babbage-text-001"]
            .map(|id| Space::of(id).map(Space::size));
        assert_eq!(sizes, [Some(12_288), Some(4096), Some(2048)]);
        assert_eq!(Space::of("text-search-ada-doc-001"), Space::of("text-search-ada-query-001"));
        assert_ne!(Space::of("text-search-ada-doc-001"), Space::of("text-similarity-ada-001"));
    }

    #[test]
    fn vectors_have_length_one_whatever_the_text() {
        for text in ["The cat sat on the mat.", "", " ", "!!!", "日本語", "\u{0}", "a", &"word ".repeat(9000)] {
            let vector = ada().vector(text);
            assert_eq!(vector.len(), 1536);
            assert!((cosine_similarity(&vector, &vector) - 1.0).abs() < 1e-5, "{text:?}");
            assert_eq!(vector, ada().vector(text));
        }
    }

    #[test]
    fn texts_without_letters_are_told_apart() {
        let texts = ["!!!", "???", "👍", "🎈", "👍🎈", ""];
        for (at, a) in texts.iter().enumerate() {
            for b in &texts[at + 1..] {
                assert!(cosine_similarity(&ada().vector(a), &ada().vector(b)) < 0.9, "{a:?} {b:?}");
            }
        }
        assert!(cosine_similarity(&ada().vector("!!!"), &ada().vector("!!!!")) > 0.9);
    }

    #[test]
    fn a_shortened_vector_is_the_long_ones_beginning() {
        let large = Space::of("text-embedding-3-large").expect("an embedding model");
        let (long, short) = (large.vector("fewer numbers"), large.shortened("fewer numbers", 256));
        assert_eq!(short.len(), 256);
        assert!((cosine_similarity(&short, &short) - 1.0).abs() < 1e-5);
        let ratio = short.iter().zip(&long).find(|(_, long)| **long != 0.0).map(|(short, long)| short / long);
        let ratio = ratio.expect("not all zero");
        assert!(short.iter().zip(&long).all(|(short, long)| (short - long * ratio).abs() < 1e-5));
    }
}
