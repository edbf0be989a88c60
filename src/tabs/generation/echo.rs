//! Takes the request's own text out of an answer that begins with its prompt and ends with its suffix.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Part;
use super::tokens::token_ranges;
use crate::record::Token;
use crate::text::Untrusted;

/// What was asked to come back, and how far each choice is with it.
#[derive(Clone, Debug)]
pub(super) struct EchoFilter {
    prompt: Untrusted,
    suffix: SuffixMatcher,
    choices: BTreeMap<u32, EchoStage>,
}

/// How far the text of a choice has been compared.
#[derive(Clone, Debug)]
enum EchoStage {
    /// All that came is the beginning of the prompt, so many bytes of it; its tokens are held.
    Prompt { came: usize, tokens: Vec<Token> },
    /// The prompt is over: what comes is new, but for the suffix.
    New(HeldText),
    /// The server sends no echo: all that comes is new.
    Plain,
}

/// The end of a text that may be the beginning of the suffix.
#[derive(Clone, Debug, Default)]
struct HeldText {
    /// Bytes of it: so many of the suffix.
    held: usize,
    /// The tokens that reach into it, and the text from the first of them on.
    tokens: Vec<Token>,
    text: Untrusted,
}

impl EchoFilter {
    pub(super) fn new(prompt: Untrusted, suffix: Untrusted) -> Self {
        Self { prompt, suffix: SuffixMatcher::new(suffix), choices: BTreeMap::new() }
    }

    /// Returns whether a choice came without the prompt before it, or none came at all.
    pub(super) fn is_missing(&self) -> bool {
        self.choices.is_empty() || self.choices.values().any(|stage| !matches!(stage, EchoStage::New(_)))
    }

    /// Returns what is new in a part.
    pub(super) fn take(&mut self, part: Part) -> Part {
        let Self { prompt, suffix, choices } = self;
        let stage = choices.entry(part.choice).or_insert(EchoStage::Prompt { came: 0, tokens: Vec::new() });
        let part = match stage {
            EchoStage::Prompt { came, tokens } => {
                let left = prompt.raw().get(*came..).unwrap_or_default();
                let text = part.content.raw();
                if let Some(new) = text.strip_prefix(left) {
                    let (came, mut all) = (left.len(), std::mem::take(tokens));
                    let own = split(&part.tokens, text, came);
                    let mut more = part.tokens;
                    let tokens = more.split_off(own);
                    all.append(&mut more);
                    let content = new.into();
                    *stage = EchoStage::New(HeldText::default());
                    Part { content, tokens, prompt: all, ..part }
                } else if left.starts_with(text) && part.finish_reason.is_none() {
                    *came += text.len();
                    tokens.extend(part.tokens);
                    return Part { content: Untrusted::default(), tokens: Vec::new(), ..part };
                } else {
                    // The text held back is the model's own, although it began like the prompt.
                    let mut content = Untrusted::new(&prompt.raw()[..*came]);
                    content.append(&part.content);
                    let mut all = std::mem::take(tokens);
                    all.extend(part.tokens);
                    *stage = EchoStage::Plain;
                    return Part { content, tokens: all, ..part };
                }
            }
            EchoStage::New(_) => part,
            EchoStage::Plain => return part,
        };
        match stage {
            EchoStage::New(tail) if !suffix.words.is_empty() => tail.take(part, suffix),
            _ => part,
        }
    }

    /// Returns what is held as it might have become the suffix. What came of a prompt is not text of the server's.
    pub(super) fn rest(&mut self) -> Vec<Part> {
        let Self { suffix, choices, .. } = self;
        let held = choices.iter_mut().filter_map(|(choice, stage)| {
            let EchoStage::New(tail) = stage else { return None };
            let tail = std::mem::take(tail);
            let content = suffix.words.raw()[..tail.held].into();
            (tail.held > 0 || !tail.tokens.is_empty()).then(|| Part {
                choice: *choice,
                content,
                tokens: tail.tokens,
                ..Part::default()
            })
        });
        held.collect()
    }
}

/// Returns how many tokens of a piece of text belong to its first bytes.
fn split(tokens: &[Token], text: &str, bytes: usize) -> usize {
    if text.len() == bytes {
        return tokens.len();
    }
    token_ranges(tokens, text).iter().take_while(|place| place.start < bytes).count()
}

impl HeldText {
    /// Hands on what cannot be the suffix. Where the choice ends with the suffix, that is dropped, with its tokens.
    fn take(&mut self, part: Part, suffix: &SuffixMatcher) -> Part {
        let before = self.held;
        let new = part.content.raw();
        self.held = suffix.partial_match_len(before, new.as_bytes());
        let ended = part.finish_reason.is_some();
        let found = ended && self.held == suffix.words.len();
        let kept = if ended && !found { 0 } else { self.held };
        // The text held back is the beginning of the suffix.
        let mut content = Untrusted::new(&suffix.words.raw()[..before]);
        content.push(new);
        let content: Untrusted = content.raw()[..content.len() - kept].into();

        self.text.push(new);
        self.tokens.extend(part.tokens);
        let border = self.text.len() - kept;
        let places = token_ranges(&self.tokens, self.text.raw());
        // At the end, a token across the border belongs to the text before the border.
        let goes = |place: &Range<usize>| kept == 0 || if found { place.start < border } else { place.end <= border };
        let going = places.iter().take_while(|place| goes(place)).count();
        let later = self.tokens.split_off(going);
        let tokens = std::mem::replace(&mut self.tokens, later);
        self.text = self.text.after(places.get(going).map_or(border, |place| place.start.min(border)));
        if ended {
            *self = Self::default();
        }
        Part { content, tokens, ..part }
    }
}

/// A text that is looked for at the end of one that grows.
#[derive(Clone, Debug)]
struct SuffixMatcher {
    words: Untrusted,
    /// For each of its beginnings: how much of its end is a shorter beginning.
    borders: Vec<usize>,
}

impl SuffixMatcher {
    fn new(words: Untrusted) -> Self {
        let mut needle = Self { words, borders: Vec::new() };
        let (bytes, mut reach) = (needle.words.raw().as_bytes().to_owned(), 0);
        needle.borders.push(0);
        for byte in bytes.iter().skip(1) {
            reach = needle.step(reach, *byte);
            needle.borders.push(reach);
        }
        needle
    }

    /// Returns how many bytes of the end of a text are the needle's beginning, after more of the text.
    fn partial_match_len(&self, reach: usize, more: &[u8]) -> usize {
        more.iter().fold(reach, |reach, byte| self.step(reach, *byte))
    }

    fn step(&self, mut reach: usize, byte: u8) -> usize {
        let words = self.words.raw().as_bytes();
        loop {
            if words.get(reach) == Some(&byte) {
                return reach + 1;
            }
            if reach == 0 {
                return 0;
            }
            reach = self.borders[reach - 1];
        }
    }
}
