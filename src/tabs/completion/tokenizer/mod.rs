//! The buffer as the model reads it: tokens with their ids, blanks made visible.

mod draw;
pub(super) mod keys;
pub(super) mod piece;
mod rows;

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

pub(super) use self::keys::help;
use self::keys::{Action, KEYS, hints};
use self::rows::TokenRows;
use super::biases::BiasChange;
use crate::api::call::Ticket;
use crate::component::{Component, Cx, Handled, Hint, RenderContext, Response, Session};
use crate::record::ChatParams;
use crate::record::work::{Done, Tokens, Work};
use crate::text::Untrusted;

/// What a key did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// Back to the buffer.
    Close,
    /// The bias of a token is to change; [`Tokenizer::set_biases`] says when it has.
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
    /// The work that cuts the text.
    asked: Option<Ticket>,
    /// The position, in bytes, where the cursor goes when the tokens arrive.
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
    rows: TokenRows,
    biases: BTreeMap<String, f64>,
}

#[derive(Clone, Debug)]
enum State {
    /// The text is being cut. Holds its characters.
    Waiting(usize),
    /// The model's tokenizer is unknown.
    Unknown,
    /// The work failed; a sentence.
    Failed(Untrusted),
    Cut(Tokens),
}

impl Tokenizer {
    /// Returns the view of a text as a model reads it, which is empty until [`Self::ask`] has brought its tokens.
    /// `context`: how many tokens the model takes (`tokens::context`); `at`: the byte of the text whose token is to be
    /// under the cursor.
    pub(super) fn new(text: Untrusted, model: Untrusted, context: Option<u64>, at: usize) -> Self {
        let characters = text.raw().chars().count();
        Self {
            text,
            model,
            context,
            state: State::Waiting(characters),
            asked: None,
            wanted: at,
            cursor: 0,
            column: None,
            top: 0,
            page: 1,
            visible: Vec::new(),
            ids: false,
            rows: TokenRows::default(),
            biases: BTreeMap::new(),
        }
    }

    /// Has the text cut into tokens. `local`: the model is one of the local service's.
    pub(super) fn ask(&mut self, local: bool, cx: &mut Cx) {
        self.asked = Some(cx.work(self.work(local)));
    }

    /// Returns the work whose result this waits for.
    fn work(&self, local: bool) -> Work {
        Work::Tokenize { model: self.model.clone(), local, text: self.text.clone() }
    }

    /// Takes the result of [`Self::work`].
    fn answer(&mut self, done: Done) {
        self.state = match done {
            Done::Tokens(Some(tokens)) if tokens.ends.last().copied().unwrap_or(0) != self.text.len() => return,
            Done::Tokens(Some(tokens)) => {
                self.cursor = tokens.ends.partition_point(|end| *end <= self.wanted);
                self.cursor = self.cursor.min(tokens.ids.len().saturating_sub(1));
                State::Cut(tokens)
            }
            Done::Tokens(None) => State::Unknown,
            Done::Failed(why) => State::Failed(why),
            // Other results do not answer this order.
            _ => return,
        };
    }

    /// Takes the biases as they are now, to show that of the token under the cursor.
    pub(super) fn set_biases(&mut self, params: &ChatParams) {
        self.biases.clone_from(&params.logit_bias);
    }

    /// Handles a key.
    pub(super) fn handle(&mut self, key: KeyEvent) -> Handled<Event> {
        let Some(action) = KEYS.find(&key) else { return Handled::Ignored };
        if action == Action::Close {
            return Handled::Emit(Event::Close);
        }
        let State::Cut(tokens) = &self.state else { return Handled::Ignored };
        let Some(last) = tokens.ids.len().checked_sub(1) else { return Handled::Ignored };
        match action {
            Action::Left => self.place(self.cursor.saturating_sub(1)),
            Action::Right => self.place((self.cursor + 1).min(last)),
            Action::First => self.place(0),
            Action::Last => self.place(last),
            Action::Up => self.move_rows(-1),
            Action::Down => self.move_rows(1),
            Action::PageUp => self.move_rows(-(self.page as isize)),
            Action::PageDown => self.move_rows(self.page as isize),
            Action::RowStart => self.move_to_row_end(false),
            Action::RowEnd => self.move_to_row_end(true),
            Action::Ids => {
                self.ids = !self.ids;
                Handled::Consumed
            }
            Action::Bias(change) => Handled::Emit(Event::Bias(tokens.ids[self.cursor], change)),
            Action::Close => Handled::Emit(Event::Close),
        }
    }

    /// Moves to a token.
    fn place(&mut self, token: usize) -> Handled<Event> {
        self.cursor = token;
        self.column = None;
        Handled::Consumed
    }

    /// Moves by rows, keeping to the column.
    fn move_rows(&mut self, by: isize) -> Handled<Event> {
        let State::Cut(tokens) = &self.state else { return Handled::Consumed };
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
        Handled::Consumed
    }

    /// Moves to the first or the last token of the row.
    fn move_to_row_end(&mut self, last: bool) -> Handled<Event> {
        let State::Cut(tokens) = &self.state else { return Handled::Consumed };
        let text = self.text.raw().as_bytes();
        let row = self.rows.row(text, tokens, self.cursor);
        let row = self.rows.tokens(text, tokens, row);
        self.place(if last { row.end.saturating_sub(1) } else { row.start })
    }
}

impl Component<Event> for Tokenizer {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<Event> {
        self.handle(key)
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, _cx: &mut Cx) -> Handled<Event> {
        if self.asked.take_if(|asked| *asked == ticket).is_none() {
            return Handled::Ignored;
        }
        if let Response::Work(done) = response.take() {
            self.answer(done);
        }
        Handled::Consumed
    }

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        self.fit(area, session.spacing());
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.draw(frame, area, context.session.spacing(), context.theme);
    }

    fn hints(&self) -> Vec<Hint> {
        match &self.state {
            State::Cut(tokens) if !tokens.ids.is_empty() => hints(self.ids),
            _ => KEYS.footer(&[Action::Close], &false),
        }
    }
}

#[cfg(test)]
mod tests;
