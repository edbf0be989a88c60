//! What makes some tokens likelier and others impossible: the list of biases, edited as text and as ids.

mod change;
mod dialog;
mod draw;
mod keys;

use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};

pub(super) use self::change::{BiasChange, signed};
pub(super) use self::dialog::BiasDialog;
use crate::component::Hint;
use crate::record::work::{Done, Tokens, Work};
use crate::text::Untrusted;
use crate::ui::line::Line;
use crate::ui::list::Cursor;

/// What a token gets that was added: a nudge, to be changed at once.
const ADDED: f64 = 5.0;

/// What a key or an answer did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// Nothing the owner has to do anything about.
    None,
    /// [`Biases::map`] is another now.
    Changed,
    /// Close it.
    Close,
}

/// What it wants to know of the work threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    /// How these ids are spelled.
    Spell(Vec<u32>),
    /// Which tokens this text has.
    Cut(Untrusted),
}

impl Ask {
    /// The order for it. `local`: the model is one of the local service's.
    pub(super) fn work(&self, model: &Untrusted, local: bool) -> Work {
        match self {
            Self::Spell(ids) => Work::Spell { model: model.clone(), local, ids: ids.clone() },
            Self::Cut(text) => Work::Tokenize { model: model.clone(), local, text: text.clone() },
        }
    }
}

/// Keys of the list.
const LIST: &[(&str, &str)] = &[
    ("a", "add"),
    ("h l", "±1"),
    ("⏎", "value"),
    ("x", "remove"),
    ("esc", "close"),
    ("H L", "±10"),
    ("X", "remove all"),
];

/// All keys of the list.
pub(super) fn help() -> Vec<Hint> {
    LIST.iter().map(|(key, does)| Hint::new(*key, *does)).collect()
}

/// The list of biases, as a box over the panes.
#[derive(Clone, Debug)]
pub(super) struct Biases {
    /// Ids, as they are sent, with their biases; in order of the numbers.
    rows: Vec<(String, f64)>,
    /// The bytes of ids, empty for one that is no token; missing: not told yet.
    spelled: BTreeMap<u32, Vec<u8>>,
    model: Untrusted,
    vocabulary: Option<&'static str>,
    cursor: Cursor,
    /// First row of the last frame.
    top: Cell<usize>,
    mode: Mode,
    /// A sentence about the last key or answer.
    note: Untrusted,
    asks: VecDeque<Ask>,
}

#[derive(Clone, Debug)]
enum Mode {
    List,
    /// A text or `#id` is typed.
    Add(Line),
    /// The text of what was typed is being cut.
    Cutting(Line, String),
    /// What was typed has several tokens.
    Choose {
        line: Line,
        text: String,
        tokens: Tokens,
        /// Whether each is meant, not the first alone.
        each: bool,
    },
    /// The selected row's value is typed.
    Value(Line),
    /// Whether to remove all.
    Clear,
}

impl Biases {
    /// The list for a model. `vocabulary`: the name of what it reads in (`tokens::encoding`), if anybody here knows.
    /// What it asks at once is in [`Self::ask`].
    pub(super) fn new(map: BTreeMap<String, f64>, model: Untrusted, vocabulary: Option<&'static str>) -> Self {
        let mut rows: Vec<_> = map.into_iter().collect();
        rows.sort_by_cached_key(|(id, _)| order(id));
        let ids: Vec<u32> = rows.iter().filter_map(|(id, _)| id.parse().ok()).collect();
        let mut asks = VecDeque::new();
        if vocabulary.is_some() && !ids.is_empty() {
            asks.push_back(Ask::Spell(ids));
        }
        Self {
            rows,
            spelled: BTreeMap::new(),
            model,
            vocabulary,
            cursor: Cursor::default(),
            top: Cell::default(),
            mode: Mode::List,
            note: Untrusted::default(),
            asks,
        }
    }

    /// The biases as they are now; those of 0 are left out, which change nothing.
    pub(super) fn map(&self) -> BTreeMap<String, f64> {
        self.rows.iter().filter(|(_, bias)| *bias != 0.0).cloned().collect()
    }

    /// What it wants to know next: to be taken after [`Self::new`], each key and each answer, until there is nothing.
    pub(super) fn ask(&mut self) -> Option<Ask> {
        self.asks.pop_front()
    }

    /// The answer to what it asked. One to a question that nobody waits for any more changes nothing.
    pub(super) fn answer(&mut self, ask: &Ask, done: &Done) -> Event {
        match (ask, done) {
            (Ask::Spell(ids), Done::Spelled(Some(bytes))) => {
                self.spelled.extend(ids.iter().copied().zip(bytes.iter().cloned()));
            }
            (Ask::Spell(_), Done::Spelled(None)) => self.vocabulary = None,
            (Ask::Spell(_), Done::Failed(why)) => self.note = why.clone(),
            (Ask::Cut(asked), _) => {
                let Mode::Cutting(line, text) = &self.mode else { return Event::None };
                if asked != text.as_str() {
                    return Event::None;
                }
                let (line, text) = (line.clone(), text.clone());
                return self.cut(line, text, done);
            }
            _ => {}
        }
        Event::None
    }

    /// What was typed is cut.
    fn cut(&mut self, line: Line, text: String, done: &Done) -> Event {
        match done {
            Done::Tokens(Some(tokens)) if tokens.ids.len() == 1 => {
                self.mode = Mode::List;
                self.add(tokens, &text, 1)
            }
            Done::Tokens(Some(tokens)) if !tokens.ids.is_empty() => {
                self.mode = Mode::Choose { line, text, tokens: tokens.clone(), each: true };
                Event::None
            }
            other => {
                match other {
                    Done::Tokens(None) => self.vocabulary = None,
                    Done::Failed(why) => self.note = why.clone(),
                    _ => self.note = "the text has no tokens; type another".into(),
                }
                self.mode = Mode::Add(line);
                Event::None
            }
        }
    }

    /// Adds the first `most` tokens of a text.
    fn add(&mut self, tokens: &Tokens, text: &str, most: usize) -> Event {
        let starts = std::iter::once(0).chain(tokens.ends.iter().copied());
        for ((id, start), end) in tokens.ids.iter().zip(starts).zip(&tokens.ends).take(most) {
            self.spelled.insert(*id, text.as_bytes().get(start..*end).unwrap_or_default().to_vec());
        }
        // The first is selected: it is added last.
        let ids: Vec<u32> = tokens.ids.iter().copied().take(most).rev().collect();
        let added: Vec<bool> = ids.into_iter().map(|id| self.insert(id)).collect();
        if added.contains(&true) { Event::Changed } else { Event::None }
    }

    /// Adds an id and selects it; whether it is new.
    fn insert(&mut self, id: u32) -> bool {
        let digits = id.to_string();
        let place = self.rows.binary_search_by_key(&order(&digits), |(id, _)| order(id));
        self.cursor.selected = place.unwrap_or_else(|at| at);
        match place {
            Ok(_) => self.note = format!("{id} is in the list already; its bias stays").into(),
            Err(at) => self.rows.insert(at, (digits, ADDED)),
        }
        if self.vocabulary.is_some() && !self.spelled.contains_key(&id) {
            self.asks.push_back(Ask::Spell(vec![id]));
        }
        place.is_err()
    }

    /// Its keys.
    pub(super) fn hints(&self) -> Vec<Hint> {
        let hints: &[(&str, &str)] = match &self.mode {
            Mode::List if self.rows.is_empty() => &[("a", "add"), ("esc", "close")],
            Mode::List => LIST,
            Mode::Add(_) => &[("⏎", "add"), ("esc", "back")],
            Mode::Cutting(..) => &[("esc", "back")],
            Mode::Choose { .. } => &[("↑ ↓", "choose"), ("⏎", "add"), ("esc", "back")],
            Mode::Value(_) => &[("⏎", "set"), ("esc", "back")],
            Mode::Clear => &[("X", "remove all"), ("esc", "keep")],
        };
        hints.iter().map(|(key, does)| Hint::new(*key, *does)).collect()
    }
}

/// Ids by number, what is none of these last.
fn order(id: &str) -> (u64, String) {
    (id.parse().unwrap_or(u64::MAX), id.to_owned())
}

#[cfg(test)]
mod tests;
