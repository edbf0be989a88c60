//! The token strip: one token, what the model thought of it, and what might have stood there instead.

mod draw;

use std::borrow::Borrow;
use std::ops::Range;

use crossterm::event::KeyEvent;
use ratatui::style::Style;

pub use draw::{legend, name};

use super::score::Score;
use crate::component::Hint;
use crate::record::Token;
use crate::ui::keys::Keymap;
use crate::ui::theme::Theme;

/// What stands in the strip when probabilities come with the next piece.
pub const WAITING: &str = "No token has come yet.";
/// What stands in the strip when they were asked for and none came.
pub const UNSENT: &str = "This server sent no probabilities.";
/// A token is unsure below this probability.
const UNSURE: f64 = 0.5;
/// From so many rows on there is much room.
const MUCH: u16 = 24;
/// Rows of alternatives where there is much, some and little room.
const ROWS: [usize; 3] = [5, 3, 1];

/// Where the strip's cursor is. The tokens stay with their owner, who may pass fewer the next time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strip {
    /// The token, 0-based; behind the last one it means the last one.
    pub at: usize,
    /// The row under the cursor: of the token's alternatives, or behind them the token's own, where it is none of them.
    pub choice: usize,
}

/// What the strip shows, besides where its cursor is.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a, T = Token> {
    /// The tokens, of prompt and completion or of either.
    pub tokens: &'a [T],
    /// What stands there while there are none: why, and what to do. [`WAITING`], [`UNSENT`], or how to ask for them.
    pub empty: &'a str,
    /// Score of the prompt's tokens.
    pub prompt: Score,
    /// Score of the completion's tokens.
    pub completion: Score,
    /// Whether the strip has the keys.
    pub focus: bool,
}

/// What a key of the strip's asks of its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The cursor may have moved; nothing to do.
    Moved,
    /// Put this alternative in the token's place and go on from there.
    Pick {
        /// The token.
        token: usize,
        /// Index into its `top`.
        alternative: usize,
    },
    /// The token that stands there was chosen: nothing to exchange.
    Same {
        /// The token.
        token: usize,
    },
    /// Make what is under the cursor likelier or less likely from now on.
    Bias {
        /// The token.
        token: usize,
        /// Index into its `top`; `None`: the token itself.
        alternative: Option<usize>,
        /// −100, 5 or 100.
        bias: i8,
    },
    /// Away with the strip.
    Close,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Action {
    Left,
    Right,
    First,
    Last,
    Up,
    Down,
    Pick,
    NextUnsure,
    PreviousUnsure,
    Bias(i8),
    Close,
}

/// The strip's keys. Built once by an owner and handed to [`Strip::key`].
#[derive(Clone, Debug)]
pub struct Keys(Keymap<Action>);

impl Default for Keys {
    fn default() -> Self {
        Self(Keymap::new(&[
            ("left h", Action::Left, "token before"),
            ("right l", Action::Right, "next token"),
            ("home g", Action::First, "first token"),
            ("end G", Action::Last, "last token"),
            ("up k", Action::Up, "likelier one"),
            ("down j", Action::Down, "less likely one"),
            ("enter", Action::Pick, "take this one and go on from there"),
            ("w", Action::NextUnsure, "next token the model was unsure of"),
            ("W", Action::PreviousUnsure, "the one before"),
            ("x", Action::Bias(-100), "never again: bias −100"),
            ("+", Action::Bias(5), "likelier: bias +5"),
            ("*", Action::Bias(100), "always: bias +100"),
            ("esc", Action::Close, "close"),
        ]))
    }
}

impl Keys {
    /// Returns the keys where a text is only looked at: those that change nothing.
    pub fn reading() -> Self {
        let mut keys = Self::default();
        keys.0.retain(|action| !matches!(action, Action::Pick | Action::Bias(_)));
        keys
    }

    /// Returns all of them, for the help page.
    pub fn hints(&self) -> Vec<Hint> {
        Hint::table(&self.0)
    }
}

impl Strip {
    /// At a token, on the row of what was drawn.
    pub fn new<T: Borrow<Token>>(at: usize, tokens: &[T]) -> Self {
        let mut strip = Self { at, choice: 0 };
        strip.go(at, tokens);
        strip
    }

    /// Moves to a token, or to the last one where there are fewer, and there to what was drawn.
    pub fn go<T: Borrow<Token>>(&mut self, at: usize, tokens: &[T]) {
        self.at = at.min(tokens.len().saturating_sub(1));
        self.choice = tokens.get(self.at).map(T::borrow).map_or(0, |token| drawn(token).unwrap_or(token.top.len()));
    }

    /// Returns the token under the cursor; `None`: there are none.
    pub fn token<'a, T: Borrow<Token>>(&self, tokens: &'a [T]) -> Option<&'a Token> {
        tokens.get(self.at).or(tokens.last()).map(T::borrow)
    }

    /// Handles a key; returns what it asks of the owner, `None`: it is none of the strip's.
    pub fn key<T: Borrow<Token>>(&mut self, key: KeyEvent, keys: &Keys, tokens: &[T]) -> Option<Event> {
        let action = keys.0.find(&key)?;
        if action == Action::Close {
            return Some(Event::Close);
        }
        let Some(last) = tokens.len().checked_sub(1) else { return Some(Event::Moved) };
        self.at = self.at.min(last);
        let token = tokens[self.at].borrow();
        let rows = rows(token);
        self.choice = self.choice.min(rows - 1);
        match action {
            Action::Left => self.go(self.at.saturating_sub(1), tokens),
            Action::Right => self.go((self.at + 1).min(last), tokens),
            Action::First => self.go(0, tokens),
            Action::Last => self.go(last, tokens),
            Action::Up => self.choice = self.choice.saturating_sub(1),
            Action::Down => self.choice = (self.choice + 1).min(rows - 1),
            Action::NextUnsure => {
                let next = tokens[self.at + 1..].iter().position(|token| unsure(token.borrow()));
                self.go(next.map_or(self.at, |next| self.at + 1 + next), tokens);
            }
            Action::PreviousUnsure => {
                let before = tokens[..self.at].iter().rposition(|token| unsure(token.borrow()));
                self.go(before.unwrap_or(self.at), tokens);
            }
            Action::Pick | Action::Bias(_) => {
                let other =
                    Some(self.choice).filter(|choice| *choice < token.top.len() && drawn(token) != Some(*choice));
                return Some(match (action, other) {
                    (Action::Bias(bias), alternative) => Event::Bias { token: self.at, alternative, bias },
                    (_, Some(alternative)) => Event::Pick { token: self.at, alternative },
                    (_, None) => Event::Same { token: self.at },
                });
            }
            Action::Close => {}
        }
        Some(Event::Moved)
    }

    /// Returns rows the strip wants of `available` ones that it shares with the text it is about: the same for every
    /// token, so that nothing jumps while the cursor moves.
    pub fn rows_wanted(available: u16) -> u16 {
        Self::rows_for(available, usize::MAX)
    }

    /// Returns whether it has a row for the sums among so many rows.
    pub fn has_sums(available: u16) -> bool {
        available >= MUCH
    }

    /// Returns the same where no token has more than `most` rows: alternatives, and itself where it is none of them.
    pub fn rows_for(available: u16, most: usize) -> u16 {
        let rows = |wanted: usize| most.clamp(1, wanted) as u16;
        match available {
            // Its title, the alternatives, what they cover, the sums.
            MUCH.. => 1 + rows(ROWS[0]) + 2,
            12..MUCH => 1 + rows(ROWS[1]),
            _ => (1 + rows(ROWS[2])).min(available),
        }
    }
}

/// Returns which of its alternatives a token is; `None`: none of them.
fn drawn(token: &Token) -> Option<usize> {
    token.top.iter().position(|other| other.bytes == token.bytes)
}

/// Returns rows that a token has.
pub fn rows(token: &Token) -> usize {
    token.top.len() + usize::from(drawn(token).is_none())
}

fn unsure(token: &Token) -> bool {
    token.probability().is_some_and(|probability| probability < UNSURE)
}

/// Returns the looks of those tokens whose `places` (byte ranges, ascending, one for each token) are in `visible`: by
/// probability, neighbours of one look together. Takes time for what is visible only.
pub fn styles<T: Borrow<Token>>(
    tokens: &[T],
    places: &[Range<usize>],
    visible: Range<usize>,
    theme: &Theme,
) -> Vec<(Range<usize>, Style)> {
    let first = places.partition_point(|place| place.end <= visible.start);
    let mut styles: Vec<(Range<usize>, Style)> = Vec::new();
    for (token, place) in tokens.iter().zip(places).skip(first) {
        if place.start >= visible.end {
            break;
        }
        let Some(probability) = token.borrow().probability().filter(|probability| !probability.is_nan()) else {
            continue;
        };
        let style = theme.heat(probability);
        match styles.last_mut() {
            Some((before, same)) if before.end == place.start && *same == style => before.end = place.end,
            _ => styles.push((place.clone(), style)),
        }
    }
    styles
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Alternative;
    use crate::ui::theme::{Depth, Kind};
    use crossterm::event::KeyCode;

    fn token(text: &str, logprob: f64, top: &[(&str, f64)]) -> Token {
        let top = top.iter().map(|(text, logprob)| Alternative { bytes: text.as_bytes().to_vec(), logprob: *logprob });
        Token { bytes: text.as_bytes().to_vec(), logprob: Some(logprob), top: top.collect() }
    }

    fn tokens() -> Vec<Token> {
        vec![
            token("keep", -0.1, &[("keep", -0.1), ("hold", -2.5)]),
            token(" calm", -3.0, &[(" the", -0.1), (" your", -2.6)]),
            token(" and", -0.1, &[]),
            token(" go", -1.0, &[(" carry", -0.5), (" go", -1.0)]),
        ]
    }

    #[test]
    fn enter_picks_what_is_under_the_cursor_unless_it_stands_there() {
        let (tokens, keys) = (tokens(), Keys::default());
        let mut strip = Strip::new(0, &tokens);
        let mut key = |code: KeyCode| strip.key(KeyEvent::from(code), &keys, &tokens);
        assert_eq!(key(KeyCode::Enter), Some(Event::Same { token: 0 }));
        key(KeyCode::Down);
        assert_eq!(key(KeyCode::Enter), Some(Event::Pick { token: 0, alternative: 1 }));
        assert_eq!(key(KeyCode::Char('x')), Some(Event::Bias { token: 0, alternative: Some(1), bias: -100 }));
        key(KeyCode::Right);
        // What was drawn is none of the likeliest: it has a row behind them.
        assert_eq!(key(KeyCode::Char('*')), Some(Event::Bias { token: 1, alternative: None, bias: 100 }));
        key(KeyCode::Up);
        assert_eq!(key(KeyCode::Enter), Some(Event::Pick { token: 1, alternative: 1 }));
        key(KeyCode::End);
        assert_eq!(key(KeyCode::Char('+')), Some(Event::Bias { token: 3, alternative: None, bias: 5 }));
        assert_eq!((key(KeyCode::Esc), key(KeyCode::Char('q'))), (Some(Event::Close), None));
    }

    #[test]
    fn w_goes_where_the_model_was_unsure() {
        let (tokens, keys) = (tokens(), Keys::default());
        let mut strip = Strip::default();
        for (code, at) in [('w', 1), ('w', 3), ('w', 3), ('W', 1), ('W', 1)] {
            strip.key(KeyEvent::from(KeyCode::Char(code)), &keys, &tokens);
            assert_eq!(strip.at, at, "{code}");
        }
    }

    #[test]
    fn fewer_tokens_than_before_or_none_are_no_harm() {
        let (tokens, keys) = (tokens(), Keys::default());
        let mut strip = Strip { at: 900, choice: 900 };
        assert_eq!(strip.token(&tokens).unwrap().bytes, b" go");
        strip.key(KeyEvent::from(KeyCode::Enter), &keys, &tokens);
        assert_eq!(strip, Strip { at: 3, choice: 1 });
        for code in [KeyCode::Enter, KeyCode::Left, KeyCode::End, KeyCode::Char('w'), KeyCode::Char('x')] {
            assert_eq!(strip.key::<Token>(KeyEvent::from(code), &keys, &[]), Some(Event::Moved));
        }
    }

    #[test]
    fn looks_are_for_what_is_visible_and_neighbours_go_together() {
        let theme = Theme::of(Kind::Mono, Depth::Indexed);
        let mut tokens = tokens();
        tokens.push(Token { logprob: None, ..Token::default() });
        tokens.push(token("!", -0.05, &[]));
        tokens.push(token("!", -0.05, &[]));
        let places = [0..4, 4..9, 9..13, 13..16, 16..18, 18..19, 19..20];
        let looks = |visible| styles(&tokens, &places, visible, &theme);
        let all: Vec<Range<usize>> = looks(0..20).into_iter().map(|(range, _)| range).collect();
        assert_eq!(all, [0..4, 4..9, 9..13, 13..16, 18..20]);
        assert_eq!(looks(0..20)[1].1, theme.heat(0.05));
        let some: Vec<Range<usize>> = looks(4..10).into_iter().map(|(range, _)| range).collect();
        assert_eq!(some, [4..9, 9..13]);
        assert_eq!(looks(30..40), []);
    }

    #[test]
    fn heights_are_the_same_for_every_token() {
        assert_eq!([40, 24, 23, 12, 11, 2, 1, 0].map(Strip::rows_wanted), [8, 8, 4, 4, 2, 2, 1, 0]);
        assert_eq!(Strip::rows_for(30, 2), 5);
    }
}
