//! The texts of the bench: in their order, and what of them is not saved yet.

use std::collections::BTreeSet;

use crate::component::Cx;
use crate::record::{Bench, Id, Record, TextKey, TextList, TextRow};
use crate::text::Untrusted;

/// The setting that names the bench's list.
pub(super) const SETTING: &str = "moderate.bench";
/// Rows of one record.
const ROWS: usize = 1_000;
/// Deleted texts that can be brought back.
const UNDO: usize = 100;

/// A text of the bench.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BenchText {
    pub(super) row: TextRow,
    pub(super) key: TextKey,
}

impl BenchText {
    fn new(row: TextRow) -> Self {
        Self { key: TextKey::of(&row.text), row }
    }
}

/// The texts of the bench.
#[derive(Debug, Default)]
pub(super) struct BenchTexts {
    list: Option<TextList>,
    all: Vec<BenchText>,
    /// Whether what was here last has come, or it is known that there is none.
    loaded: bool,
    /// Texts from elsewhere that came before that: names and texts.
    early: Vec<(Untrusted, Untrusted)>,
    /// Deleted ones, the last one last, with where they stood.
    deleted: Vec<(usize, TextRow)>,
    unsaved: BTreeSet<Id>,
    removed: BTreeSet<Id>,
}

impl BenchTexts {
    /// Returns all texts in their order.
    pub(super) fn all(&self) -> &[BenchText] {
        &self.all
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn get(&self, at: usize) -> Option<&BenchText> {
        self.all.get(at)
    }

    pub(super) fn is_loaded(&self) -> bool {
        self.loaded
    }

    /// Holds back a text until what was here last has come.
    pub(super) fn hold_back(&mut self, name: Untrusted, text: Untrusted) {
        self.early.push((name, text));
    }

    /// Takes in that the texts of last time are loaded, or that there are none. Returns what was held back until then.
    pub(super) fn finish_loading(&mut self) -> Vec<(Untrusted, Untrusted)> {
        self.loaded = true;
        std::mem::take(&mut self.early)
    }

    /// Returns a text's letter and name: `A · note-a.txt`.
    pub(super) fn title(&self, at: usize) -> String {
        let name = self.all.get(at).map(|text| text.row.name.line().into_owned()).unwrap_or_default();
        if name.is_empty() { letter(at) } else { format!("{} · {name}", letter(at)) }
    }

    /// Returns all texts, to be checked.
    pub(super) fn subjects(&self) -> Vec<(TextKey, Untrusted)> {
        self.all.iter().map(|text| (text.key, text.row.text.clone())).collect()
    }

    /// Takes the texts that were kept. What was added before they came follows them.
    pub(super) fn fill(&mut self, list: TextList, rows: Vec<TextRow>) {
        let typed = std::mem::take(&mut self.all);
        self.list = Some(list);
        self.all = rows.into_iter().map(BenchText::new).collect();
        for text in typed {
            self.push(text.row);
        }
    }

    /// Puts a text after the others and returns its index.
    pub(super) fn add(&mut self, name: Untrusted, text: Untrusted, cx: &mut Cx) -> usize {
        self.push(TextRow { id: cx.id(), place: 0, name, text, label: None })
    }

    fn push(&mut self, row: TextRow) -> usize {
        let place = self.all.last().map_or(0, |last| last.row.place + 1);
        self.unsaved.insert(row.id);
        self.all.push(BenchText::new(TextRow { place, ..row }));
        self.all.len() - 1
    }

    /// Replaces a text. Returns whether it is another.
    pub(super) fn set(&mut self, id: Id, text: Untrusted) -> bool {
        let Some(one) = self.all.iter_mut().find(|one| one.row.id == id && one.row.text != text) else { return false };
        *one = BenchText::new(TextRow { text, ..one.row.clone() });
        self.unsaved.insert(id);
        true
    }

    /// Deletes a text that can be brought back.
    pub(super) fn delete(&mut self, at: usize) -> Option<&TextRow> {
        let gone = self.take(at)?;
        if self.deleted.len() == UNDO {
            self.deleted.remove(0);
        }
        self.deleted.push((at, gone));
        self.deleted.last().map(|(_, row)| row)
    }

    /// Deletes a text for good if nothing is in it.
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
        self.unsaved.remove(&row.id);
        self.removed.insert(row.id);
        Some(row)
    }

    /// Brings back the text deleted last and returns its index.
    pub(super) fn undo(&mut self) -> Option<usize> {
        let (at, row) = self.deleted.pop()?;
        let at = at.min(self.all.len());
        self.removed.remove(&row.id);
        self.unsaved.insert(row.id);
        self.all.insert(at, BenchText::new(row));
        self.number();
        Some(at)
    }

    pub(super) fn has_deleted(&self) -> bool {
        !self.deleted.is_empty()
    }

    /// Moves a text before or after its neighbour and returns its new index; `None`: there is no neighbour.
    pub(super) fn shift(&mut self, at: usize, forward: bool) -> Option<usize> {
        let to = if forward { at + 1 } else { at.checked_sub(1)? };
        if to.max(at) >= self.all.len() {
            return None;
        }
        self.all.swap(at, to);
        self.number();
        Some(to)
    }

    /// Numbers the places again.
    fn number(&mut self) {
        for (text, place) in self.all.iter_mut().zip(0..) {
            if text.row.place != place {
                text.row.place = place;
                self.unsaved.insert(text.row.id);
            }
        }
    }

    /// Returns whether something is not saved yet.
    pub(super) fn is_unsaved(&self) -> bool {
        !self.unsaved.is_empty() || !self.removed.is_empty()
    }

    /// Returns the records that save what is not saved yet.
    pub(super) fn records(&mut self, cx: &mut Cx) -> Vec<Record> {
        if !self.is_unsaved() {
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
        records.push(Record::Setting(SETTING.into(), list.id.0.to_string().into()));
        let id = list.id;
        let unsaved = std::mem::take(&mut self.unsaved);
        let rows: Vec<TextRow> =
            self.all.iter().filter(|text| unsaved.contains(&text.row.id)).map(|text| text.row.clone()).collect();
        let rows = rows.chunks(ROWS).map(|rows| Record::TextRows { list: id, rows: rows.to_vec() });
        records.extend(rows);
        let removed = std::mem::take(&mut self.removed);
        if !removed.is_empty() {
            records.push(Record::DeleteTextRows(removed.into_iter().collect()));
        }
        records
    }
}

/// Returns the name of a text among the others: `A` … `Z`, `AA`, `AB`, …
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
