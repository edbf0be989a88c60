//! The probabilities of the text's tokens, and the strip that shows one of them.

use std::collections::HashMap;

use super::prompt_text::PromptText;
use super::token_layout::{TokenLayout, TokenSources};
use crate::record::{Id, Run, Token};
use crate::tabs::generation::score::Score;
use crate::tabs::generation::strip::Strip;

/// Tokens with their probabilities, and how they are shown.
#[derive(Debug)]
pub(super) struct TokenScores {
    /// Tokens of steps, and of prompts by their runs, as far as they are here.
    pub(super) tokens: HashMap<Id, Vec<Token>>,
    pub(super) layout: TokenLayout,
    /// Whether tokens are coloured by their probability.
    pub(super) heat: bool,
    /// Whether the strip of probabilities is wanted.
    pub(super) strip_shown: bool,
    pub(super) strip: Strip,
}

impl Default for TokenScores {
    fn default() -> Self {
        Self {
            tokens: HashMap::new(),
            layout: TokenLayout::default(),
            heat: true,
            strip_shown: true,
            strip: Strip::default(),
        }
    }
}

impl TokenScores {
    /// Returns the tokens of the buffer, in its order.
    pub(super) fn list(&self) -> Vec<&Token> {
        self.layout.tokens(&self.tokens)
    }

    /// Returns the mean log-probability of a step's tokens; `None`: none has one.
    pub(super) fn mean(&self, step: Id) -> Option<f64> {
        Score::of(self.tokens.get(&step)?).mean()
    }

    /// Returns the tokens of a step, as far as they are here.
    pub(super) fn of(&self, step: Id) -> &[Token] {
        self.tokens.get(&step).map_or(&[][..], Vec::as_slice)
    }

    /// Returns whether the strip has something to show and is wanted.
    pub(super) fn has_strip(&self) -> bool {
        self.strip_shown && !self.layout.is_empty()
    }

    /// Takes in what has changed of the tokens; the strip's cursor stays on a token.
    pub(super) fn sync(&mut self, text: &PromptText, runs: &[Run], growing: Option<Id>) {
        let before = self.layout.len();
        let PromptText { history, buffer, revision, .. } = text;
        let sources = TokenSources { history, tokens: &self.tokens, runs, buffer, growing };
        if self.layout.sync(*revision, &sources) {
            let tokens = self.layout.tokens(&self.tokens);
            // The cursor follows the end while text arrives, and goes there when another text is shown.
            if tokens.len() != before || self.strip.at >= tokens.len() {
                self.strip.go(tokens.len().saturating_sub(1), &tokens);
            }
        }
    }
}
