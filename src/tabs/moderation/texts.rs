//! The texts of the bench: in their order, and what of them is not kept yet.

use std::collections::BTreeSet;

use crate::component::Cx;
use crate::record::{Bench, Id, Record, TextKey, TextList, TextRow};
use crate::text::Untrusted;

/// The setting that names the bench's list.
pub(super) const KEPT: &str = "moderate.bench";
/// Rows of one order to the store.
const ROWS: usize = 1_000;
/// Deleted texts that can be brought back.
const UNDO: usize = 100;

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) row: TextRow,
    pub(super) key: TextKey,
}

impl Text {
    fn new(row: TextRow) -> Self {
        Self { key: TextKey::of(&row.text), row }
    }
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Texts {
    list: Option<TextList>,
    all: Vec<Text>,
    /// Deleted ones, the last one last, with where they stood.
    gone: Vec<(usize, TextRow)>,
    unkept: BTreeSet<Id>,
    removed: BTreeSet<Id>,
}

impl Texts {
    /// In their order.
    pub(super) fn all(&self) -> &[Text] {
        &self.all
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn get(&self, at: usize) -> Option<&Text> {
        self.all.get(at)
    }

    /// As they were kept. What was added before they came stands behind them.
    pub(super) fn fill(&mut self, list: TextList, rows: Vec<TextRow>) {
        let typed = std::mem::take(&mut self.all);
        self.list = Some(list);
        self.all = rows.into_iter().map(Text::new).collect();
        for text in typed {
            self.push(text.row);
        }
    }

    /// Puts a text behind the others. Where it stands.
    pub(super) fn add(&mut self, name: Untrusted, text: Untrusted, cx: &mut Cx) -> usize {
        self.push(TextRow { id: cx.id(), place: 0, name, text, label: None })
    }

    fn push(&mut self, row: TextRow) -> usize {
        let place = self.all.last().map_or(0, |last| last.row.place + 1);
        self.unkept.insert(row.id);
        self.all.push(Text::new(TextRow { place, ..row }));
        self.all.len() - 1
    }

    /// Another text in the place of one. Whether it is another.
    pub(super) fn set(&mut self, id: Id, text: Untrusted) -> bool {
        let Some(one) = self.all.iter_mut().find(|one| one.row.id == id && one.row.text != text) else { return false };
        *one = Text::new(TextRow { text, ..one.row.clone() });
        self.unkept.insert(id);
        true
    }

    /// Deletes one; it can be brought back.
    pub(super) fn delete(&mut self, at: usize) -> Option<&TextRow> {
        let gone = self.take(at)?;
        if self.gone.len() == UNDO {
            self.gone.remove(0);
        }
        self.gone.push((at, gone));
        self.gone.last().map(|(_, row)| row)
    }

    /// Takes one away that is not to come back: nothing was ever in it.
    pub(super) fn drop_empty(&mut self, id: Id) {
        if let Some(at) = self.all.iter().position(|one| one.row.id == id && one.row.text.line().trim().is_empty()) {
            self.take(at);
        }
    }

    fn take(&mut self, at: usize) -> Option<TextRow> {
        if at >= self.all.len() {
            return None;
        }
        let row = self.all.remove(at).row;
        self.unkept.remove(&row.id);
        self.removed.insert(row.id);
        Some(row)
    }

    /// Brings back the one deleted last. Where it stands.
    pub(super) fn undo(&mut self) -> Option<usize> {
        let (at, row) = self.gone.pop()?;
        let at = at.min(self.all.len());
        self.removed.remove(&row.id);
        self.unkept.insert(row.id);
        self.all.insert(at, Text::new(row));
        self.number();
        Some(at)
    }

    pub(super) fn has_gone(&self) -> bool {
        !self.gone.is_empty()
    }

    /// Moves one before or behind its neighbour. Where it is then; `None`: there is no neighbour.
    pub(super) fn shift(&mut self, at: usize, forward: bool) -> Option<usize> {
        let to = if forward { at + 1 } else { at.checked_sub(1)? };
        if to.max(at) >= self.all.len() {
            return None;
        }
        self.all.swap(at, to);
        self.number();
        Some(to)
    }

    /// Places ascend again.
    fn number(&mut self) {
        for (text, place) in self.all.iter_mut().zip(0..) {
            if text.row.place != place {
                text.row.place = place;
                self.unkept.insert(text.row.id);
            }
        }
    }

    /// Whether something of it is not kept yet.
    pub(super) fn is_behind(&self) -> bool {
        !self.unkept.is_empty() || !self.removed.is_empty()
    }

    /// The orders that keep what is not kept yet.
    pub(super) fn records(&mut self, cx: &mut Cx) -> Vec<Record> {
        if !self.is_behind() {
            return Vec::new();
        }
        let mut records = Vec::new();
        let list = self.list.get_or_insert_with(|| TextList {
            id: cx.id(),
            bench: Bench::Moderate,
            name: "bench".into(),
            source: Untrusted::default(),
            created_ms: cx.unix_ms,
            updated_ms: cx.unix_ms,
            state: String::new(),
            rows: 0,
        });
        list.updated_ms = cx.unix_ms;
        list.rows = self.all.len() as u64;
        records.push(Record::TextList(Box::new(list.clone())));
        records.push(Record::Setting(KEPT.into(), list.id.0.to_string().into()));
        let id = list.id;
        let unkept = std::mem::take(&mut self.unkept);
        let rows: Vec<TextRow> =
            self.all.iter().filter(|text| unkept.contains(&text.row.id)).map(|text| text.row.clone()).collect();
        let rows = rows.chunks(ROWS).map(|rows| Record::TextRows { list: id, rows: rows.to_vec() });
        records.extend(rows);
        let removed = std::mem::take(&mut self.removed);
        if !removed.is_empty() {
            records.push(Record::TextRowsGone(removed.into_iter().collect()));
        }
        records
    }
}

/// What a text is called among the others: `A` … `Z`, `AA`, `AB`, …
pub(super) fn letter(at: usize) -> String {
    let mut name = String::new();
    let mut rest = at + 1;
    while rest > 0 {
        rest -= 1;
        name.insert(0, char::from(b'A' + (rest % 26) as u8));
        rest /= 26;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_go_on_behind_z() {
        assert_eq!([0, 25, 26, 27, 51, 52, 701, 702].map(letter), ["A", "Z", "AA", "AB", "AZ", "BA", "ZZ", "AAA"]);
    }
}
