//! The examples as tokens, flat, and the vocabulary they need.

use std::collections::{HashMap, HashSet};

use super::super::manual::Manual;
use super::super::model::Model;
use super::super::network::WINDOW;
use super::super::shipped::{MANUAL, PROSE};
use super::super::vocabulary::{END, Slot, Vocabulary};
use super::meaning::Meanings;
use super::plan::Example;
use crate::tokens::Encoding::R50k;

/// Entries of a fine-tuned vocabulary, at most: the time of a step grows with it. Rarer tokens are spelled in pieces.
const MOST: usize = 12_288;

/// Up to this many different completions are classes, however few examples there are.
const CLASSES: usize = 8;
/// Examples per completion from which on any number of completions are classes.
const EACH: usize = 24;

#[derive(Clone, Copy)]
struct TokenSpan {
    start: u32,
    /// Tokens of the prompt.
    prompt: u32,
    /// Tokens of prompt and completion, with the end token.
    whole: u32,
    /// Plain `r50k` tokens of both, as they are counted for the job.
    counted: u32,
}

/// Examples after which reading asks whether to continue.
const LOOK: usize = 16;

/// Examples as tokens: 2 bytes a token, 16 an example, and what their sentence vectors take.
#[derive(Default)]
pub(super) struct Corpus {
    tokens: Vec<Slot>,
    spans: Vec<TokenSpan>,
    meanings: Meanings,
}

/// One example's tokens.
#[derive(Clone, Copy)]
pub(super) struct ExampleTokens<'a> {
    /// Prompt, completion and end.
    pub(super) tokens: &'a [Slot],
    /// Where the completion begins.
    pub(super) prompt: usize,
    /// The prompt's sentence vector; empty if it has none.
    pub(super) meaning: &'a [i8],
}

impl Corpus {
    fn add(&mut self, vocabulary: &Vocabulary, prompt: &str, completion: &str) {
        let start = self.tokens.len();
        self.tokens.extend(vocabulary.slots(prompt));
        let prompt_end = self.tokens.len();
        self.tokens.extend(vocabulary.slots_to_end(completion));
        self.spans.push(TokenSpan {
            start: start as u32,
            prompt: (prompt_end - start) as u32,
            whole: (self.tokens.len() - start) as u32,
            counted: (R50k.count(prompt) + R50k.count(completion)) as u32,
        });
    }

    /// Returns the texts that the base model was trained on, against forgetting: each heading with its passage.
    pub(super) fn base(vocabulary: &Vocabulary) -> Self {
        let mut corpus = Self::default();
        for passage in [PROSE, MANUAL].iter().flat_map(|text| Manual::parse(text).passages) {
            corpus.add(vocabulary, &passage.heading, &passage.body);
        }
        corpus
    }

    /// Tokenises examples; `None` if `busy` returns false.
    pub(super) fn of(
        vocabulary: &Vocabulary,
        examples: &[Example],
        meanings: Meanings,
        busy: &mut dyn FnMut() -> bool,
    ) -> Option<Self> {
        let mut corpus = Self { meanings, ..Self::default() };
        for (at, example) in examples.iter().enumerate() {
            if at % LOOK == 0 && !busy() {
                return None;
            }
            corpus.add(vocabulary, &example.prompt, &example.completion);
        }
        corpus.tokens.shrink_to_fit();
        Some(corpus)
    }

    pub(super) fn len(&self) -> usize {
        self.spans.len()
    }

    pub(super) fn get(&self, i: usize) -> ExampleTokens<'_> {
        let span = self.spans[i];
        let start = span.start as usize;
        let tokens = &self.tokens[start..start + span.whole as usize];
        ExampleTokens { tokens, prompt: span.prompt as usize, meaning: self.meanings.get(i) }
    }

    /// Returns the plain `r50k` tokens of an example.
    pub(super) fn counted(&self, i: usize) -> u64 {
        u64::from(self.spans[i].counted)
    }
}

impl<'a> ExampleTokens<'a> {
    /// Returns the completion with the end token.
    pub(super) fn answer(self) -> &'a [Slot] {
        &self.tokens[self.prompt..]
    }
}

/// How a training set is learned.
pub(super) struct Manner {
    /// Number of a prompt's last tokens that the network is to see in order.
    pub(super) window: usize,
    /// Whether the completions are memorised.
    pub(super) by_heart: bool,
}

impl Manner {
    /// Determines how to learn the examples. Where few completions answer many prompts, the network would learn the
    /// prompts' words by position and judge new prompts by chance: there it sees only a prompt's last tokens in order,
    /// and the rest as one vector. Completions too many to be classes are memorised.
    pub(super) fn of(examples: &[Example]) -> Self {
        let different: HashSet<&str> = examples.iter().map(|example| example.completion.as_str()).collect();
        let (different, examples) = (different.len(), examples.len());
        Self {
            window: if different * 3 < examples { 2 } else { WINDOW },
            by_heart: different > CLASSES && different * EACH > examples,
        }
    }
}

/// Returns the ids of a model followed by those that the examples need, the most frequent ones if there are too many.
/// `None` if `busy` returns false.
pub(super) fn extended(base: &Model, examples: &[Example], busy: &mut dyn FnMut() -> bool) -> Option<Vec<u32>> {
    let mut seen: HashMap<u32, u32> = HashMap::new();
    for (at, example) in examples.iter().enumerate() {
        if at % LOOK == 0 && !busy() {
            return None;
        }
        let pieces = [&example.prompt, &example.completion].map(|text| R50k.encode(text));
        for id in pieces.into_iter().flatten() {
            if id != END && base.vocabulary.slot(id).is_none() {
                *seen.entry(id).or_default() += 1;
            }
        }
    }
    let mut new: Vec<(u32, u32)> = seen.into_iter().collect();
    new.sort_by_key(|(id, count)| (u32::MAX - count, *id));
    let mut ids = base.vocabulary.ids().to_vec();
    new.truncate(MOST.saturating_sub(ids.len()));
    ids.extend(new.into_iter().map(|(id, _)| id));
    Some(ids)
}
