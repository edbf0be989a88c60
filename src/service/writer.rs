//! Writes all choices of one answer, a little at a time.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::generate::{End, GenerationRequest, Piece, Source};
use crate::engine::language::{
    Generation, Model, Placing, Prompt, Read, Sampling, Scored, Scoring, Utf8Buffer, spelling,
};

/// How long an answer works before others have their turn; a longer step is not interrupted.
const TIME_SLICE: Duration = Duration::from_millis(4);
/// Choices written at the same time. More wait, so that a long list of prompts needs little memory.
const MAX_OPEN: usize = 128;

/// An answer being written.
pub(super) struct Writer {
    model: Arc<Model>,
    request: GenerationRequest,
    /// Number of prompts that were read.
    next: usize,
    reading: Option<Reading>,
    open: VecDeque<Choice>,
}

/// A source that is being read for its choices.
struct Reading {
    /// Its index in the request.
    at: usize,
    /// Who answers it.
    model: Arc<Model>,
    read: Read,
    /// The echoed prompt, while its tokens are scored.
    scoring: Option<Scoring<Arc<Model>>>,
    scored: Vec<Scored>,
}

/// One choice while it is written.
struct Choice {
    index: u32,
    source: usize,
    generation: Generation<Arc<Model>>,
    /// Finds the offsets of its tokens, if log-probabilities were requested.
    placing: Option<Placing<Scored>>,
    /// The tokens written; only if the text after the gap is to be scored.
    written: Vec<u32>,
    tokens: u64,
}

impl Writer {
    pub(super) fn new(model: Arc<Model>, request: GenerationRequest) -> Self {
        Self { model, request, next: 0, reading: None, open: VecDeque::new() }
    }

    /// Returns whether everything is written.
    pub(super) fn is_done(&self) -> bool {
        self.open.is_empty() && self.reading.is_none() && self.next == self.request.sources.len()
    }

    /// Works for a few milliseconds and returns what was written.
    pub(super) fn work(&mut self) -> Vec<Piece> {
        let begun = Instant::now();
        let mut pieces = Vec::new();
        while !self.is_done() {
            self.advance(&mut pieces);
            if begun.elapsed() >= TIME_SLICE {
                break;
            }
        }
        pieces.retain(|piece| !piece.text.is_empty() || !piece.tokens.is_empty() || piece.end.is_some());
        pieces
    }

    /// Performs the next small step: some of a prompt, or a token of the choice whose turn it is.
    fn advance(&mut self, pieces: &mut Vec<Piece>) {
        if let Some(mut reading) = self.reading.take() {
            let more = reading.scoring.as_mut().map(Scoring::next_tokens).unwrap_or_default();
            if more.is_empty() {
                self.begin(&reading, pieces);
            } else {
                reading.scored.extend(more);
                self.reading = Some(reading);
            }
            return;
        }
        let has_room = self.open.is_empty() || self.open.len() + self.request.each as usize <= MAX_OPEN;
        if self.next < self.request.sources.len() && has_room {
            self.reading = Some(self.read(self.next));
            self.next += 1;
        } else if let Some(mut choice) = self.open.pop_front() {
            let piece = choice.step();
            if piece.end.is_none() {
                self.open.push_back(choice);
                pieces.push(piece);
            } else {
                self.finish(choice, piece, pieces);
            }
        }
    }

    fn read(&self, at: usize) -> Reading {
        let (prompt, before) = match &self.request.sources[at] {
            Source::Chat(prompt) => (prompt.clone(), &[][..]),
            Source::Text { before, after } if after.is_empty() => (Prompt::Tokens(before.clone()), before.as_slice()),
            Source::Text { before, after } => (Prompt::Gap(before.clone(), after.clone()), before.as_slice()),
        };
        let scoring = (self.request.echo && self.request.logprobs)
            .then(|| Scoring::new(Arc::clone(&self.model), &[], before.to_vec(), self.request.sampling.logprobs));
        let (model, prompt) = self.model.route(prompt);
        Reading { at, read: model.read(&prompt), model, scoring, scored: Vec::new() }
    }

    /// Begins the choices of a source, each with the echo of its prompt if one is wanted.
    fn begin(&mut self, reading: &Reading, pieces: &mut Vec<Piece>) {
        let before = match &self.request.sources[reading.at] {
            Source::Chat(_) => &[][..],
            Source::Text { before, .. } => before,
        };
        // A prompt of token ids may end within a character, which the answer may complete.
        let mut characters = Utf8Buffer::default();
        let bytes: Vec<u8> = before.iter().flat_map(|id| spelling::bytes(*id)).collect();
        let mut prompt = characters.push(&bytes);
        if !self.request.echo {
            prompt.push_str(&std::mem::take(&mut characters).rest());
        }
        for nth in 0..self.request.each {
            let index = reading.at as u32 * self.request.each + nth;
            let seed = self.request.seed.wrapping_add(u64::from(index).wrapping_mul(0xd1b5_4a32_d192_ed03));
            let sampling = Sampling { seed: Some(seed), ..self.request.sampling.clone() };
            let mut generation = Generation::new(Arc::clone(&reading.model), reading.read.clone(), &sampling);
            generation.follow(characters.clone());
            let (mut text, mut tokens) = (String::new(), Vec::new());
            let mut placing = None;
            if self.request.logprobs {
                let begin = if self.request.echo { 0 } else { prompt.chars().count() as u64 };
                placing = Some(Placing::new(begin));
            }
            if self.request.echo {
                text.clone_from(&prompt);
                if let Some(placing) = &mut placing {
                    for token in &reading.scored {
                        placing.push(spelling::bytes(token.token), token.clone());
                    }
                    (text, tokens) = placing.show(&text);
                }
            }
            pieces.push(Piece { choice: index, text, tokens, end: None });
            let written = Vec::new();
            self.open.push_back(Choice { index, source: reading.at, generation, placing, written, tokens: 0 });
        }
    }

    /// Ends a choice; an echo ends with the text after the gap.
    fn finish(&self, mut choice: Choice, mut last: Piece, pieces: &mut Vec<Piece>) {
        if let Source::Text { before, after } = &self.request.sources[choice.source]
            && self.request.echo
            && !after.is_empty()
        {
            let mut text = spelling::text(after);
            if let Some(placing) = &mut choice.placing {
                let before = [before.as_slice(), &choice.written].concat();
                let most = self.request.sampling.logprobs;
                let mut scoring = Scoring::new(Arc::clone(&self.model), &before, after.clone(), most);
                loop {
                    let more = scoring.next_tokens();
                    if more.is_empty() {
                        break;
                    }
                    for token in more {
                        placing.push(spelling::bytes(token.token), token);
                    }
                }
                let tokens;
                (text, tokens) = placing.show(&text);
                last.tokens.extend(tokens);
            }
            last.text.push_str(&text);
        }
        pieces.push(last);
    }
}

impl Choice {
    /// Writes a token.
    fn step(&mut self) -> Piece {
        let (mut text, mut tokens) = (String::new(), Vec::new());
        if let Some(step) = self.generation.next() {
            self.tokens += 1;
            text = step.text;
            if let Some(placing) = &mut self.placing {
                let scored = Scored { token: step.token, logprob: Some(step.logprob), top: step.top };
                placing.push(step.bytes, scored);
            }
            self.written.push(step.token);
        }
        let finish = self.generation.finish();
        if finish.is_some() {
            text.push_str(&self.generation.rest());
        }
        if let Some(placing) = &mut self.placing {
            (text, tokens) = placing.show(&text);
            if finish.is_some() {
                let (more, last) = placing.end();
                text.push_str(&more);
                tokens.extend(last);
            }
        }
        let mean = self.generation.mean_logprob();
        let end = finish.map(|finish| End { finish, tokens: self.tokens, mean });
        Piece { choice: self.index, text, tokens, end }
    }
}
