//! The list of biases, which make tokens likelier or impossible; edited as text and as ids.

mod change;
mod dialog;
mod draw;
pub(super) mod keys;
mod lookup;
mod update;

use std::collections::{BTreeMap, VecDeque};

pub(super) use self::change::{BiasChange, signed};
use self::keys::{Action, BiasReply, LIST, QUESTIONS, REPLIES, SHOWN};

pub(super) use self::dialog::BiasDialog;
pub(super) use self::lookup::{BiasLookup, TokenBias};
use crate::component::Hint;
use crate::record::work::{Done, Tokens, Work};
use crate::text::Untrusted;
use crate::ui::list::Cursor;
use crate::ui::text_field::TextField;

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
pub(super) enum BiasQuery {
    /// Ask for the bytes of these ids.
    Spell(Vec<u32>),
    /// Which tokens this text has.
    Cut(Untrusted),
}

impl BiasQuery {
    /// Returns the work for it. `local`: the model is one of the local service's.
    pub(super) fn work(&self, model: &Untrusted, local: bool) -> Work {
        match self {
            Self::Spell(ids) => Work::Spell { model: model.clone(), local, ids: ids.clone() },
            Self::Cut(text) => Work::Tokenize { model: model.clone(), local, text: text.clone() },
        }
    }
}

/// Returns all keys of the list.
pub(super) fn help() -> Vec<Hint> {
    LIST.help()
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
    mode: BiasMode,
    /// A sentence about the last key or answer.
    note: Untrusted,
    asks: VecDeque<BiasQuery>,
}

#[derive(Clone, Debug)]
enum BiasMode {
    List,
    /// A text or `#id` is typed.
    Add(TextField),
    /// The text of what was typed is being cut.
    Cutting(TextField, String),
    /// What was typed has several tokens.
    Choose {
        line: TextField,
        text: String,
        tokens: Tokens,
        /// Whether each is meant, not the first alone.
        each: bool,
    },
    /// The selected row's value is typed.
    Value(TextField),
    /// Whether to remove all.
    Clear,
}

impl Biases {
    /// Returns the list for a model. `vocabulary`: the name of what it reads in (`tokens::encoding`), if anybody here
    /// knows. What it asks at once is in [`Self::ask`].
    pub(super) fn new(map: BTreeMap<String, f64>, model: Untrusted, vocabulary: Option<&'static str>) -> Self {
        let mut rows: Vec<_> = map.into_iter().collect();
        rows.sort_by_cached_key(|(id, _)| order(id));
        let ids: Vec<u32> = rows.iter().filter_map(|(id, _)| id.parse().ok()).collect();
        let mut asks = VecDeque::new();
        if vocabulary.is_some() && !ids.is_empty() {
            asks.push_back(BiasQuery::Spell(ids));
        }
        Self {
            rows,
            spelled: BTreeMap::new(),
            model,
            vocabulary,
            cursor: Cursor::default(),
            mode: BiasMode::List,
            note: Untrusted::default(),
            asks,
        }
    }

    /// Returns the biases as they are now; those of 0 are left out, which change nothing.
    pub(super) fn map(&self) -> BTreeMap<String, f64> {
        self.rows.iter().filter(|(_, bias)| *bias != 0.0).cloned().collect()
    }

    /// Takes what it wants to know next: to be called after [`Self::new`], each key and each answer, until there is
    /// nothing.
    pub(super) fn ask(&mut self) -> Option<BiasQuery> {
        self.asks.pop_front()
    }

    /// Takes the answer to what it asked. One to a question that nobody waits for any more changes nothing.
    pub(super) fn answer(&mut self, ask: &BiasQuery, done: &Done) -> Event {
        match (ask, done) {
            (BiasQuery::Spell(ids), Done::Spelled(Some(bytes))) => {
                self.spelled.extend(ids.iter().copied().zip(bytes.iter().cloned()));
            }
            (BiasQuery::Spell(_), Done::Spelled(None)) => self.vocabulary = None,
            (BiasQuery::Spell(_), Done::Failed(why)) => self.note = why.clone(),
            (BiasQuery::Cut(asked), _) => {
                let BiasMode::Cutting(line, text) = &self.mode else { return Event::None };
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

    /// Takes the tokens of what was typed.
    fn cut(&mut self, line: TextField, text: String, done: &Done) -> Event {
        match done {
            Done::Tokens(Some(tokens)) if tokens.ids.len() == 1 => {
                self.mode = BiasMode::List;
                self.add(tokens, &text, 1)
            }
            Done::Tokens(Some(tokens)) if !tokens.ids.is_empty() => {
                self.mode = BiasMode::Choose { line, text, tokens: tokens.clone(), each: true };
                Event::None
            }
            other => {
                match other {
                    Done::Tokens(None) => self.vocabulary = None,
                    Done::Failed(why) => self.note = why.clone(),
                    _ => self.note = "this text has no tokens; type another".into(),
                }
                self.mode = BiasMode::Add(line);
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

    /// Adds an id and selects it. Returns whether it is new.
    fn insert(&mut self, id: u32) -> bool {
        let digits = id.to_string();
        let place = self.rows.binary_search_by_key(&order(&digits), |(id, _)| order(id));
        self.cursor.selected = place.unwrap_or_else(|at| at);
        match place {
            Ok(_) => self.note = format!("{id} is already in the list; its bias is unchanged").into(),
            Err(at) => self.rows.insert(at, (digits, ADDED)),
        }
        if self.vocabulary.is_some() && !self.spelled.contains_key(&id) {
            self.asks.push_back(BiasQuery::Spell(vec![id]));
        }
        place.is_err()
    }

    /// Returns the keys that apply, for the help page.
    fn help(&self) -> Vec<Hint> {
        if matches!(self.mode, BiasMode::List) { help() } else { self.hints() }
    }

    /// Returns its keys.
    pub(super) fn hints(&self) -> Vec<Hint> {
        let replies = |shown: &[BiasReply]| REPLIES.footer(shown, self);
        let questions =
            |shown: BiasReply, back: &[BiasReply]| [QUESTIONS.footer(&[shown], self), replies(back)].concat();
        match &self.mode {
            BiasMode::List if self.rows.is_empty() => LIST.footer(&[Action::Add, Action::Close], &()),
            BiasMode::List => LIST.footer(&SHOWN, &()),
            BiasMode::Add(_) | BiasMode::Value(_) => replies(&[BiasReply::Accept, BiasReply::Back]),
            BiasMode::Cutting(..) => replies(&[BiasReply::Back]),
            BiasMode::Choose { .. } => questions(BiasReply::Up, &[BiasReply::Accept, BiasReply::Back]),
            BiasMode::Clear => questions(BiasReply::RemoveAll, &[BiasReply::Back]),
        }
    }
}

/// Returns what ids are sorted by: numbers first, what is none last.
fn order(id: &str) -> (u64, String) {
    (id.parse().unwrap_or(u64::MAX), id.to_owned())
}

#[cfg(test)]
mod tests;
