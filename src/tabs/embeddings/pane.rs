//! What the panes of the tab have in common: what they may read, how they are called, what they may ask of the tab.
//!
//! A pane that shows something of the vectors (map, pairs, query, comparison, hygiene) keeps only its own sums. It hands
//! work to the work threads itself, and has every answer of theirs offered until it takes its own.

use std::sync::Arc;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::labels::Labels;
use crate::api::call::Ticket;
use crate::component::{Cx, Hint, Session};
use crate::record::vectors::Matrix;
use crate::record::work::Done;
use crate::record::{Id, Table, TextKey, VectorKey};
use crate::text::Untrusted;
use crate::ui::heatmap::letter;
use crate::ui::theme::Theme;

/// Texts that are named by letters; those of a longer list by their numbers.
const LETTERS: usize = 702;

/// What a frame is drawn with.
#[derive(Clone, Copy)]
pub(super) struct Look<'a> {
    pub(super) session: &'a Session,
    pub(super) theme: &'a Theme,
    pub(super) now: Instant,
    /// Whether the pane has the keys: its rule is the heavy one.
    pub(super) focus: bool,
}

/// Which pane has the keys. In the wide form inputs, matrix and map stand side by side; else the one with the keys alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Page {
    /// The texts.
    #[default]
    Inputs,
    /// Similarities: the matrix, or above [`crate::record::vectors::MATRIX`] texts the list.
    Matrix,
    /// The 2-D map.
    Map,
    /// Pairs above a threshold, near-duplicates.
    Pairs,
    /// Two texts in full.
    Pair,
    /// A text that is typed, and the ranking of all others by it.
    Query,
    /// Two models, or two lengths.
    Compare,
    /// What the vectors are like.
    Hygiene,
}

/// One text of the list.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) id: Id,
    /// Place in the kept list, ascending.
    pub(super) place: u32,
    /// What it is called; empty: nothing.
    pub(super) name: Untrusted,
    /// As it was typed or read.
    pub(super) text: Untrusted,
    pub(super) label: Option<Untrusted>,
    /// Names what is sent of it: its newlines may become spaces.
    pub(super) sent: TextKey,
    /// Its tokens as the model cuts it; `None`: not counted yet.
    pub(super) tokens: Option<u32>,
}

/// What every pane may read. Rows of the table and of the matrix are the texts, in the texts' order.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) texts: Vec<Text>,
    pub(super) labels: Labels,
    /// Whose vectors are shown.
    pub(super) key: VectorKey,
    /// The vectors that are here; `None`: none yet. Another `Arc` whenever anything in it is another.
    pub(super) table: Option<Arc<Table>>,
    /// All similarities, up to [`crate::record::vectors::MATRIX`] texts; `None`: not summed up yet.
    pub(super) matrix: Option<Arc<Matrix>>,
    /// The text the cursor is on, and the one it is compared with, as places in `texts`.
    pub(super) cursor: (usize, usize),
    /// Pairs at least so similar are named.
    pub(super) above: f32,
    /// First numbers of each vector that are looked at; `None`: all.
    pub(super) cut: Option<usize>,
    /// Why a text has no vector, by its place in `texts`, ascending.
    pub(super) gone: Vec<(usize, Untrusted)>,
}

impl Default for Read {
    fn default() -> Self {
        Self {
            texts: Vec::new(),
            labels: Labels::default(),
            key: VectorKey { profile: String::new(), model: Untrusted::default(), dimensions: None },
            table: None,
            matrix: None,
            cursor: (0, 0),
            above: 0.8,
            cut: None,
            gone: Vec::new(),
        }
    }
}

impl Read {
    /// What a text is called beside its words: `A` … `Z`, `AA` …; in a long list its number, counted from 1.
    pub(super) fn letter(&self, row: usize) -> String {
        if self.texts.len() > LETTERS {
            return (row + 1).to_string();
        }
        letter(row)
    }

    /// The words of a text on one line, safe for the screen: its name, else what it says.
    pub(super) fn words(&self, row: usize) -> String {
        let Some(text) = self.texts.get(row) else { return String::new() };
        if text.name.is_empty() { text.text.line().into_owned() } else { text.name.line().into_owned() }
    }

    /// The cosine of two rows, where the matrix has it.
    pub(super) fn cosine(&self, row: usize, column: usize) -> Option<f32> {
        self.matrix.as_ref()?.cosine(row, column)
    }
}

/// What a pane asks of the tab.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ask {
    /// Nothing: the key was the pane's own.
    Nothing,
    /// The key is none of the pane's.
    Ignored,
    /// Back to the matrix.
    Close,
    /// The cursor to this text (and stay).
    Go(usize),
    /// These two texts in full; Esc comes back here.
    Pair(usize, usize),
    /// Pairs above this.
    Above(f32),
    /// The vector of this text, under the list's key. It comes with [`Pane::vector`].
    Embed(Untrusted),
    /// Vectors of all texts under another key as well. They come with [`Pane::other`].
    Other(VectorKey),
    /// A model chosen from the profile's list. It comes with [`Pane::chosen`].
    Model,
}

/// A pane over the vectors.
pub(super) trait Pane {
    /// The texts or the vectors are others, or the pane is opened: time to ask for sums. May be called again with the same.
    fn fresh(&mut self, read: &Read, cx: &mut Cx);
    /// The vectors go: what is summed up from them is not waited for any more.
    fn stop(&mut self, cx: &mut Cx);
    /// A key while the pane has the keys.
    fn key(&mut self, key: KeyEvent, read: &Read, cx: &mut Cx) -> Ask;
    /// An answer of the work threads; whether it was the pane's own.
    fn worked(&mut self, ticket: Ticket, done: &Done, read: &Read, cx: &mut Cx) -> bool;
    /// Draws the pane with its title rule in the first row.
    fn render(&mut self, frame: &mut Frame, area: Rect, look: &Look, read: &Read);
    /// Keys for the footer, most important first.
    fn hints(&self, read: &Read) -> Vec<Hint>;
    /// Every key of the pane, for the help page.
    fn help(&self) -> Vec<Hint>;
    /// What the next Esc does inside the pane; `None`: it goes back to the matrix.
    fn escape(&self) -> Option<&'static str> {
        None
    }
    /// Whether letters are text.
    fn typing(&self) -> bool {
        false
    }
    /// Pasted text, while letters are text.
    fn paste(&mut self, _text: &str) {}
    /// The vector of the text that was asked for; else a sentence why not.
    fn vector(&mut self, _found: Result<Arc<[f32]>, Untrusted>, _read: &Read, _cx: &mut Cx) {}
    /// The vectors under the other key; else a sentence why not. May come again with more of them.
    fn other(&mut self, _key: &VectorKey, _found: Result<Arc<Table>, Untrusted>, _read: &Read, _cx: &mut Cx) {}
    /// How many of the texts have vectors under the other key so far, and how many there are.
    fn moved(&mut self, _done: usize, _total: usize) {}
    /// The model that was chosen.
    fn chosen(&mut self, _model: &Untrusted, _read: &Read, _cx: &mut Cx) -> Ask {
        Ask::Nothing
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn letters_go_on_after_z() {
        let names: Vec<String> = [0, 25, 26, 51, 52, 701, 702].into_iter().map(super::letter).collect();
        assert_eq!(names, ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]);
    }
}
