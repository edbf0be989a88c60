//! The buffer as the model reads it: tokens with their ids, blanks made visible.

mod draw;
pub(super) mod piece;
mod rows;

use std::collections::BTreeMap;
use std::ops::Range;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use self::rows::Rows;
use super::biases::BiasChange;
use crate::component::Hint;
use crate::record::ChatParams;
use crate::record::work::{Done, Tokens, Work};
use crate::text::Untrusted;

/// What a key did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// Nothing the owner has to do anything about.
    None,
    /// The key means nothing here.
    Ignored,
    /// Back to the buffer.
    Close,
    /// The bias of a token is to change; [`Tokenizer::biased`] says when it has.
    Bias(u32, BiasChange),
}

/// The tokenizer view. It shows the text it was made with; where the buffer changes, make another.
#[derive(Clone, Debug)]
pub(super) struct Tokenizer {
    text: Untrusted,
    model: Untrusted,
    /// Tokens the model takes.
    context: Option<u64>,
    state: State,
    /// Where the cursor is to stand when the tokens come, in bytes.
    wanted: usize,
    /// The token under the cursor.
    cursor: usize,
    /// The column that up and down keep to.
    column: Option<usize>,
    /// First row shown.
    top: usize,
    /// Rows of tokens that there is room for.
    page: usize,
    /// The tokens of the rows in view.
    visible: Vec<Range<usize>>,
    /// Whether ids are shown.
    ids: bool,
    rows: Rows,
    biases: BTreeMap<String, f64>,
}

#[derive(Clone, Debug)]
enum State {
    /// The text is being cut. Holds its characters.
    Waiting(usize),
    /// Nobody here knows how the model does.
    Unknown,
    /// The work failed; a sentence.
    Failed(Untrusted),
    Cut(Tokens),
}

impl Tokenizer {
    /// The view of a text as a model reads it, which waits for [`Self::work`] to be done. `context`: how many tokens the
    /// model takes (`tokens::context`); `at`: the byte of the text whose token is to be under the cursor.
    pub(super) fn new(text: Untrusted, model: Untrusted, context: Option<u64>, at: usize) -> Self {
        let characters = text.raw().chars().count();
        Self {
            text,
            model,
            context,
            state: State::Waiting(characters),
            wanted: at,
            cursor: 0,
            column: None,
            top: 0,
            page: 1,
            visible: Vec::new(),
            ids: false,
            rows: Rows::default(),
            biases: BTreeMap::new(),
        }
    }

    /// The order whose answer this waits for. `local`: the model is one of the local service's.
    pub(super) fn work(&self, local: bool) -> Work {
        Work::Tokenize { model: self.model.clone(), local, text: self.text.clone() }
    }

    /// The answer to [`Self::work`]. One about another text, asked for before, changes nothing.
    pub(super) fn answer(&mut self, done: Done) {
        self.state = match done {
            Done::Tokens(Some(tokens)) if tokens.ends.last().copied().unwrap_or(0) != self.text.len() => return,
            Done::Tokens(Some(tokens)) => {
                self.cursor = tokens.ends.partition_point(|end| *end <= self.wanted);
                self.cursor = self.cursor.min(tokens.ids.len().saturating_sub(1));
                State::Cut(tokens)
            }
            Done::Tokens(None) => State::Unknown,
            Done::Failed(why) => State::Failed(why),
            // No answer to this.
            _ => return,
        };
    }

    /// The biases as they are now, to show that of the token under the cursor.
    pub(super) fn biased(&mut self, params: &ChatParams) {
        self.biases.clone_from(&params.logit_bias);
    }

    /// Takes a key.
    pub(super) fn key(&mut self, key: KeyEvent) -> Event {
        if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
            return Event::Ignored;
        }
        if key.code == KeyCode::Esc {
            return Event::Close;
        }
        let State::Cut(tokens) = &self.state else { return Event::Ignored };
        let Some(last) = tokens.ids.len().checked_sub(1) else { return Event::Ignored };
        let nudge = match key.code {
            KeyCode::Left | KeyCode::Char('h') => return self.place(self.cursor.saturating_sub(1)),
            KeyCode::Right | KeyCode::Char('l') => return self.place((self.cursor + 1).min(last)),
            KeyCode::Char('g') => return self.place(0),
            KeyCode::Char('G') => return self.place(last),
            KeyCode::Up | KeyCode::Char('k') => return self.by(-1),
            KeyCode::Down | KeyCode::Char('j') => return self.by(1),
            KeyCode::PageUp => return self.by(-(self.page as isize)),
            KeyCode::PageDown => return self.by(self.page as isize),
            KeyCode::Home => return self.side(false),
            KeyCode::End => return self.side(true),
            KeyCode::Char('i' | '#') => {
                self.ids = !self.ids;
                return Event::None;
            }
            KeyCode::Char('x') => BiasChange::Never,
            KeyCode::Char('+') => BiasChange::Likelier,
            KeyCode::Char('*') => BiasChange::Always,
            KeyCode::Char('.') => BiasChange::Remove,
            _ => return Event::Ignored,
        };
        Event::Bias(tokens.ids[self.cursor], nudge)
    }

    /// Moves to a token.
    fn place(&mut self, token: usize) -> Event {
        self.cursor = token;
        self.column = None;
        Event::None
    }

    /// Moves by rows, keeping to the column.
    fn by(&mut self, by: isize) -> Event {
        let State::Cut(tokens) = &self.state else { return Event::None };
        let text = self.text.raw().as_bytes();
        let row = self.rows.row(text, tokens, self.cursor);
        let here = self.rows.tokens(text, tokens, row);
        let column = *self.column.get_or_insert_with(|| self.rows.column(tokens, here, self.cursor));
        let mut to = row.saturating_add_signed(by);
        let mut there = self.rows.tokens(text, tokens, to);
        if there.is_empty() {
            to = self.rows.row(text, tokens, tokens.ids.len() - 1);
            there = self.rows.tokens(text, tokens, to);
        }
        self.cursor = self.rows.at(tokens, there, column);
        Event::None
    }

    /// Moves to the first or the last token of the row.
    fn side(&mut self, last: bool) -> Event {
        let State::Cut(tokens) = &self.state else { return Event::None };
        let text = self.text.raw().as_bytes();
        let row = self.rows.row(text, tokens, self.cursor);
        let row = self.rows.tokens(text, tokens, row);
        self.place(if last { row.end.saturating_sub(1) } else { row.start })
    }

    /// Its keys.
    pub(super) fn hints(&self) -> Vec<Hint> {
        let back = Hint::new("esc", "back");
        match &self.state {
            State::Cut(tokens) if !tokens.ids.is_empty() => help(self.ids),
            _ => vec![back],
        }
    }
}

/// All keys of the view; whether it shows ids.
pub(super) fn help(ids: bool) -> Vec<Hint> {
    [
        ("← →", "token"),
        ("i", if ids { "hide ids" } else { "ids" }),
        ("x", "never"),
        ("+", "likelier"),
        ("*", "always"),
        (".", "no bias"),
        ("esc", "back"),
        ("↑ ↓", "row"),
        ("g G", "first, last"),
    ]
    .map(|(key, does)| Hint::new(key, does))
    .into()
}

#[cfg(test)]
mod tests;
