//! What makes some tokens likelier and others impossible: the list of biases, edited as text and as ids.
#![allow(clippy::unused_self)]

use std::collections::BTreeMap;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use crate::record::work::{Done, Work};
use crate::tabs::Hint;
use crate::text::Untrusted;
use crate::ui::theme::Theme;

/// One key's change of one bias.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nudge {
    /// −100: never.
    Never,
    /// +5, or 5 more where it is likelier already.
    Likelier,
    /// +100: always.
    Always,
    /// None.
    Remove,
}

impl Nudge {
    /// Does it to a token's bias.
    pub(super) fn apply(self, biases: &mut BTreeMap<String, f64>, id: u32) {
        let id = id.to_string();
        let value = match self {
            Self::Never => -100.0,
            Self::Likelier => (biases.get(&id).copied().unwrap_or(0.0).max(0.0) + 5.0).min(100.0),
            Self::Always => 100.0,
            Self::Remove => {
                biases.remove(&id);
                return;
            }
        };
        biases.insert(id, value);
    }
}

/// What a key did.
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

/// The list of biases, as a box over the panes. It takes all keys while it is open.
#[derive(Clone, Debug)]
pub(super) struct Biases {
    map: BTreeMap<String, f64>,
    model: Untrusted,
    vocabulary: Option<&'static str>,
    asks: Vec<Ask>,
}

impl Biases {
    /// The list for a model. `vocabulary`: the name of what it reads in (`tokens::encoding`), if anybody here knows.
    /// Ask it for its first [`Self::ask`] at once.
    pub(super) fn new(map: BTreeMap<String, f64>, model: Untrusted, vocabulary: Option<&'static str>) -> Self {
        Self { map, model, vocabulary, asks: Vec::new() }
    }

    /// The biases as they are now; those of nothing are left out.
    pub(super) fn map(&self) -> BTreeMap<String, f64> {
        self.map.clone()
    }

    /// What it wants to know next: to be taken after [`Self::new`], each key and each answer, until there is nothing.
    pub(super) fn ask(&mut self) -> Option<Ask> {
        self.asks.pop()
    }

    /// The answer to what it asked.
    pub(super) fn answer(&mut self, ask: &Ask, done: &Done) -> Event {
        let _ = (ask, done, &self.model, self.vocabulary);
        Event::None
    }

    /// Takes a key.
    pub(super) fn key(&mut self, key: KeyEvent) -> Event {
        let _ = key;
        Event::Close
    }

    /// Takes a pasted text.
    pub(super) fn paste(&mut self, text: &str) {
        let _ = text;
    }

    /// Draws it over `area`, and places the terminal's cursor.
    pub(super) fn render(&mut self, frame: &mut Frame, area: Rect, theme: &Theme) {
        let _ = (frame, area, theme);
    }

    /// Its keys.
    pub(super) fn hints(&self) -> Vec<Hint> {
        vec![Hint::new("esc", "close")]
    }
}
