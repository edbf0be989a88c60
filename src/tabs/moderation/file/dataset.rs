//! The rows of a file as they are worked with: the same text is one text however many rows have it.

use std::collections::HashMap;
use std::sync::Arc;

use super::results::CheckTable;
use crate::record::{Check, TextKey, TextList, TextRow};
use crate::text::Untrusted;

/// Bytes of a text that an excerpt is made of.
const EXCERPT: usize = 480;

/// A text of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct UniqueText {
    /// What its checks are kept under.
    pub(super) key: TextKey,
    /// The first row that has it.
    pub(super) first: u32,
    /// How many rows have it.
    pub(super) rows: u32,
}

/// A list with its rows and what is known of them.
#[derive(Debug)]
pub(super) struct TextDataset {
    pub(super) list: TextList,
    pub(super) rows: Arc<[TextRow]>,
    pub(super) results: CheckTable,
    texts: Vec<UniqueText>,
    /// Which text each row has.
    of_row: Vec<u32>,
    by_key: HashMap<TextKey, u32>,
    /// The rank of each row's label among the labels; empty: the file has none.
    ranks: Vec<u32>,
}

impl TextDataset {
    /// Creates a data set of a list and its rows, in their order.
    pub(super) fn new(list: TextList, rows: Vec<TextRow>) -> Self {
        let mut by_key = HashMap::with_capacity(rows.len());
        let mut texts: Vec<UniqueText> = Vec::with_capacity(rows.len());
        let mut of_row = Vec::with_capacity(rows.len());
        for (row, at) in rows.iter().zip(0..) {
            let key = TextKey::of(&row.text);
            let text = *by_key.entry(key).or_insert(texts.len() as u32);
            match texts.get_mut(text as usize) {
                Some(text) => text.rows += 1,
                None => texts.push(UniqueText { key, first: at, rows: 1 }),
            }
            of_row.push(text);
        }
        let (ranks, results) = (ranks(&rows), CheckTable::new(texts.len()));
        Self { list, rows: rows.into(), results, texts, of_row, by_key, ranks }
    }

    /// Returns how many rows there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the texts, each once.
    pub(super) fn texts(&self) -> &[UniqueText] {
        &self.texts
    }

    /// Returns what a text is checked under, and the text.
    pub(super) fn subject(&self, text: u32) -> (TextKey, &Untrusted) {
        let UniqueText { key, first, .. } = self.texts[text as usize];
        (key, &self.rows[first as usize].text)
    }

    /// Returns the index of a row's text.
    pub(super) fn text_of(&self, row: usize) -> u32 {
        self.of_row.get(row).copied().unwrap_or(u32::MAX)
    }

    /// Returns the text of a row.
    pub(super) fn text_of_row(&self, row: usize) -> Option<&Untrusted> {
        self.rows.get(row).map(|row| &row.text)
    }

    /// Returns the index of the text with this id.
    pub(super) fn find(&self, key: &TextKey) -> Option<u32> {
        self.by_key.get(key).copied()
    }

    /// Returns what is known of a row.
    pub(super) fn check(&self, row: usize) -> Option<&Check> {
        self.results.check(self.text_of(row))
    }

    /// Returns whether any row has a label.
    pub(super) fn is_labelled(&self) -> bool {
        !self.ranks.is_empty()
    }

    /// Returns the place of a row's label among the labels.
    pub(super) fn rank(&self, row: usize) -> u32 {
        self.ranks.get(row).copied().unwrap_or(0)
    }

    /// Returns the beginning of a row's text, on one line.
    pub(super) fn excerpt(&self, row: usize) -> String {
        let Some(row) = self.rows.get(row) else { return String::new() };
        let text = row.text.raw();
        if text.len() <= EXCERPT {
            return row.text.line().into_owned();
        }
        Untrusted::from(&text[..text.floor_char_boundary(EXCERPT)]).line().into_owned()
    }
}

/// Returns the place of each row's label among the labels, in alphabetical order; empty: no row has one.
fn ranks(rows: &[TextRow]) -> Vec<u32> {
    if rows.iter().all(|row| row.label.is_none()) {
        return Vec::new();
    }
    let mut ids: HashMap<&str, u32> = HashMap::new();
    let mut found: Vec<u32> = Vec::with_capacity(rows.len());
    for row in rows {
        let label = row.label.as_ref().map_or("", Untrusted::raw);
        let next = ids.len() as u32;
        found.push(*ids.entry(label).or_insert(next));
    }
    let mut sorted: Vec<(&str, u32)> = ids.into_iter().collect();
    sorted.sort_unstable();
    let mut rank = vec![0; sorted.len()];
    for ((_, id), at) in sorted.into_iter().zip(0..) {
        rank[id as usize] = at;
    }
    found.into_iter().map(|id| rank[id as usize]).collect()
}
