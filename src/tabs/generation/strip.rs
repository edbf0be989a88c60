//! The token strip: one token, its probability, and the alternatives to it.

mod draw;
mod rows;
mod token_name;

use std::borrow::Borrow;
use std::ops::Range;
use std::sync::LazyLock;

use crossterm::event::KeyEvent;
use ratatui::style::{Modifier, Style};

pub use draw::legend;
pub use token_name::name;

use super::score::Score;
use crate::component::{Bindings, Hint, bind};
use crate::record::Token;
use crate::ui::key_table::ListedKeys;
use crate::ui::pane::Spacing;
use crate::ui::theme::{Kind, Theme};

/// What stands in the strip when probabilities come with the next piece.
pub const WAITING: &str = "No token has come yet.";
/// What stands in the strip when they were asked for and none came.
pub const UNSENT: &str = "This server sent no probabilities.";
/// A token is unsure below this probability.
const UNSURE: f64 = 0.5;
/// A token stands out most below this probability.
const UNLIKELY: f64 = 0.25;
/// From so many rows on there is much room.
const MUCH: u16 = 24;
/// From so many rows on there is room for blank rows and the keys, where panes have backgrounds.
const ROOMY: u16 = 28;
/// Rows of alternatives where there is much, some and little room.
const ROWS: [usize; 3] = [5, 3, 1];

/// Where the strip's cursor is. The tokens stay with their owner, who may pass fewer the next time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strip {
    /// The token, 0-based; after the last one it means the last one.
    pub at: usize,
    /// The row under the cursor: of the token's alternatives, or after them the token's own, where it is none of them.
    pub choice: usize,
}

/// What the strip shows, besides where its cursor is.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a, T = Token> {
    /// The tokens, of prompt and completion or of either.
    pub tokens: &'a [T],
    /// What stands there while there are none: why, and what to do. [`WAITING`], [`UNSENT`], or how to ask for them.
    pub empty: &'a str,
    /// Score of the answer's tokens; of none: the owner shows it.
    pub completion: Score,
    /// Whether the strip has the keys.
    pub focus: bool,
    /// Which keys it has.
    pub keys: StripKeys,
    /// How panes are told apart.
    pub spacing: Spacing,
}

/// What a key of the strip's asks of its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The cursor may have moved; nothing to do.
    Moved,
    /// Put this alternative in the token's place and continue from there.
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
    /// Close the strip.
    Close,
}

/// What a key of the strip's does.
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

/// Which keys the strip has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StripKeys {
    /// All of them.
    #[default]
    All,
    /// Only keys that change nothing, for texts that are read-only.
    Reading,
}

static KEYS: LazyLock<Bindings<Action, StripKeys>> = LazyLock::new(|| {
    let reading = |keys: &StripKeys| (*keys == StripKeys::Reading).then_some("this text is read-only");
    Bindings::new(
        "token-strip",
        vec![
            bind("left h", Action::Left, "token", "previous token").shown("← →"),
            bind("right l", Action::Right, "", "next token"),
            bind("home g", Action::First, "", "first token"),
            bind("end G", Action::Last, "", "last token"),
            bind("up k", Action::Up, "alternative", "likelier one").shown("↑ ↓"),
            bind("down j", Action::Down, "", "less likely one"),
            bind("enter", Action::Pick, "continue from here", "replace the token with this one and continue from it")
                .disabled_when(reading),
            bind("w", Action::NextUnsure, "next uncertain", "next token the model was uncertain about").shown("w W"),
            bind("W", Action::PreviousUnsure, "", "previous uncertain token"),
            bind("x", Action::Bias(-100), "", "never again: bias −100").named(&["bias-never"]).disabled_when(reading),
            bind("+", Action::Bias(5), "", "likelier: bias +5").named(&["bias-likelier"]).disabled_when(reading),
            bind("*", Action::Bias(100), "", "always: bias +100").named(&["bias-always"]).disabled_when(reading),
            bind("esc", Action::Close, "", "close"),
        ],
    )
});

impl StripKeys {
    /// Returns those that the strip names itself, where there is room.
    fn named(self) -> Vec<Hint> {
        KEYS.footer(&[Action::Pick, Action::Left, Action::Up, Action::NextUnsure], &self)
    }

    /// Returns all of them, for the help page.
    pub fn help(self) -> Vec<Hint> {
        KEYS.help_enabled(&self)
    }

    /// Returns the most important ones, for the footer.
    pub fn footer(self) -> Vec<Hint> {
        let shown = match self {
            Self::All => [Action::Left, Action::Up, Action::Pick],
            Self::Reading => [Action::Left, Action::NextUnsure, Action::Up],
        };
        KEYS.footer(&shown, &self)
    }
}

impl Strip {
    /// Returns a strip at a token, on the row of what was chosen.
    pub fn new<T: Borrow<Token>>(at: usize, tokens: &[T]) -> Self {
        let mut strip = Self { at, choice: 0 };
        strip.go(at, tokens);
        strip
    }

    /// Moves to a token, or to the last one where there are fewer, and there to what was chosen.
    pub fn go<T: Borrow<Token>>(&mut self, at: usize, tokens: &[T]) {
        self.at = at.min(tokens.len().saturating_sub(1));
        self.choice =
            tokens.get(self.at).map(T::borrow).map_or(0, |token| chosen_alternative(token).unwrap_or(token.top.len()));
    }

    /// Returns the token under the cursor; `None`: there are none.
    pub fn token<'a, T: Borrow<Token>>(&self, tokens: &'a [T]) -> Option<&'a Token> {
        tokens.get(self.at).or(tokens.last()).map(T::borrow)
    }

    /// Handles a key. Returns what it asks of the owner; `None`: it is not a key of the strip.
    pub fn key<T: Borrow<Token>>(&mut self, key: KeyEvent, keys: StripKeys, tokens: &[T]) -> Option<Event> {
        let action = KEYS.find_enabled(&key, &keys)?;
        if action == Action::Close {
            return Some(Event::Close);
        }
        let Some(last) = tokens.len().checked_sub(1) else { return Some(Event::Moved) };
        self.at = self.at.min(last);
        let token = tokens[self.at].borrow();
        let rows = row_count(token);
        self.choice = self.choice.min(rows - 1);
        match action {
            Action::Left => self.go(self.at.saturating_sub(1), tokens),
            Action::Right => self.go((self.at + 1).min(last), tokens),
            Action::First => self.go(0, tokens),
            Action::Last => self.go(last, tokens),
            Action::Up => self.choice = self.choice.saturating_sub(1),
            Action::Down => self.choice = (self.choice + 1).min(rows - 1),
            Action::NextUnsure => {
                let next = tokens[self.at + 1..].iter().position(|token| is_unsure(token.borrow()));
                self.go(next.map_or(self.at, |next| self.at + 1 + next), tokens);
            }
            Action::PreviousUnsure => {
                let before = tokens[..self.at].iter().rposition(|token| is_unsure(token.borrow()));
                self.go(before.unwrap_or(self.at), tokens);
            }
            Action::Pick | Action::Bias(_) => {
                let other = Some(self.choice)
                    .filter(|choice| *choice < token.top.len() && chosen_alternative(token) != Some(*choice));
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

    /// Returns how many of the `available` rows, which it shares with the text, the strip takes: the same for every
    /// token, so that nothing moves on the screen while the cursor moves.
    pub fn rows_wanted(available: u16, spacing: Spacing) -> u16 {
        match (spacing, available) {
            // The title with blank rows around it, the alternatives, the other tokens and the keys, each followed by a
            // blank row.
            (Spacing::Roomy, ROOMY..) => 3 + ROWS[0] as u16 + 5,
            // The title, the alternatives, the other tokens.
            (_, MUCH..) => 1 + ROWS[0] as u16 + 1,
            _ => Self::rows_for(available, usize::MAX),
        }
    }

    /// Returns whether it names its keys among so many rows.
    pub fn has_keys(available: u16, spacing: Spacing) -> bool {
        available >= ROOMY && spacing == Spacing::Roomy
    }

    /// Returns how many rows the strip takes where no token has more than `most` rows.
    pub fn rows_for(available: u16, most: usize) -> u16 {
        let rows = |wanted: usize| most.clamp(1, wanted) as u16;
        match available {
            // The title, the alternatives, the other tokens, the sums.
            MUCH.. => 1 + rows(ROWS[0]) + 2,
            12..MUCH => 1 + rows(ROWS[1]),
            _ => (1 + rows(ROWS[2])).min(available),
        }
    }
}

/// Returns which of its alternatives a token is; `None`: none of them.
fn chosen_alternative(token: &Token) -> Option<usize> {
    token.top.iter().position(|other| other.bytes == token.bytes)
}

/// Returns how many rows a token has.
pub fn row_count(token: &Token) -> usize {
    token.top.len() + usize::from(chosen_alternative(token).is_none())
}

fn is_unsure(token: &Token) -> bool {
    token.probability().is_some_and(|probability| probability < UNSURE)
}

/// Returns the look of a token of this probability: the unlikely stand out, the likely look as the text around them.
/// `None`: as the text.
fn look(probability: f64, theme: &Theme) -> Option<Style> {
    // A token with a background of its own needs no underline.
    let painted = |style: Style| Some(style.remove_modifier(Modifier::UNDERLINED));
    match theme.kind {
        _ if probability.is_nan() => None,
        Kind::Ansi | Kind::Mono => Some(theme.heat(probability)),
        _ if probability < UNLIKELY => painted(theme.warn.add_modifier(Modifier::REVERSED)),
        _ if probability < UNSURE => painted(theme.select),
        _ => None,
    }
}

/// Returns the look of the token under the strip's cursor.
pub fn cursor(theme: &Theme) -> Style {
    match theme.kind {
        Kind::Ansi | Kind::Mono => theme.find_current,
        _ => theme.model.remove_modifier(Modifier::UNDERLINED).add_modifier(Modifier::REVERSED | Modifier::BOLD),
    }
}

/// Returns what the looks mean: words with the look of each.
fn looks(theme: &Theme) -> Vec<(&'static str, Style)> {
    match theme.kind {
        Kind::Ansi | Kind::Mono => theme.heat_legend(),
        _ => [("<25%", 0.0), ("<50%", UNLIKELY), ("≥50%", UNSURE)]
            .map(|(words, probability)| (words, look(probability, theme).unwrap_or(theme.generated)))
            .to_vec(),
    }
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
        let Some(style) = token.borrow().probability().and_then(|probability| look(probability, theme)) else {
            continue;
        };
        match styles.last_mut() {
            Some((before, same)) if before.end == place.start && *same == style => before.end = place.end,
            _ => styles.push((place.clone(), style)),
        }
    }
    styles
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}

#[cfg(test)]
mod tests;
