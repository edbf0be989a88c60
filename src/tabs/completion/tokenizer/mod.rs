//! The buffer as the model reads it: tokens with their ids, blanks made visible.
#![allow(clippy::unused_self)]

pub(super) mod count;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::biases::Nudge;
use crate::record::ChatParams;
use crate::record::work::{Done, Work};
use crate::tabs::Hint;
use crate::text::Untrusted;
use crate::ui::theme::Theme;

/// What a key did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// Nothing the owner has to do anything about.
    None,
    /// The key means nothing here.
    Ignored,
    /// Back to the buffer.
    Close,
    /// The bias of a token is to change.
    Bias(u32, Nudge),
}

/// The tokenizer view. It shows the text it was made with; where the buffer changes, make another.
#[derive(Clone, Debug)]
pub(super) struct Tokenizer {
    text: Untrusted,
    model: Untrusted,
    context: Option<u64>,
}

impl Tokenizer {
    /// The view of a text as a model reads it, which waits for [`Self::work`] to be done. `context`: how many tokens the
    /// model takes (`tokens::context`); `at`: the byte of the text whose token is under the cursor.
    pub(super) fn new(text: Untrusted, model: Untrusted, context: Option<u64>, at: usize) -> Self {
        let _ = at;
        Self { text, model, context }
    }

    /// The order whose answer this waits for. `local`: the model is one of the local service's.
    pub(super) fn work(&self, local: bool) -> Work {
        Work::Tokenize { model: self.model.clone(), local, text: self.text.clone() }
    }

    /// The answer to [`Self::work`].
    pub(super) fn answer(&mut self, done: Done) {
        let _ = done;
    }

    /// The biases as they are now, to show that of the token under the cursor.
    pub(super) fn biased(&mut self, params: &ChatParams) {
        let _ = params;
    }

    /// Takes a key.
    pub(super) fn key(&mut self, key: KeyEvent) -> Event {
        let _ = key;
        Event::Ignored
    }

    /// Draws it over `area`, title rule first, and places the terminal's cursor.
    pub(super) fn render(&mut self, frame: &mut Frame, area: Rect, theme: &Theme) {
        let _ = (frame, area, theme, self.context);
    }

    /// Its keys.
    pub(super) fn hints(&self) -> Vec<Hint> {
        vec![Hint::new("esc", "back")]
    }
}
