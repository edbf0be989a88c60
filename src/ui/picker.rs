//! A list to choose from by typing a few letters: palette, models, profiles, receivers of an offer.

mod draw;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

use super::key_table::{KeyContext, KeyPlace, KeyTable, ListedKeys};
use super::keys::Keymap;
use super::list::Cursor;
use super::rank::RankQuery;
use super::text_field::TextField;
use super::theme::Kind;
use crate::text::Untrusted;

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item<T> {
    /// The value that is returned.
    pub value: T,
    /// The text that is shown and searched, safe for the screen.
    label: String,
    /// The text on the right, safe for the screen: its key, its state, or why it cannot be chosen.
    detail: String,
    enabled: bool,
    /// Other words to search by, in lower case, separated by blanks.
    keywords: &'static str,
    /// Whether it belongs to another place than the current one.
    elsewhere: bool,
    /// Whether it is listed only while something is typed.
    hidden: bool,
}

impl<T> Item<T> {
    /// Creates an item: its value, its label, and the detail at the right. The texts may come from outside.
    pub fn new(value: T, label: impl Into<Untrusted>, detail: impl Into<Untrusted>) -> Self {
        let (label, detail) = (label.into(), detail.into());
        let (label, detail) = (label.line().into_owned(), detail.line().into_owned());
        Self { value, label, detail, enabled: true, keywords: "", elsewhere: false, hidden: false }
    }

    /// Adds words by which the item is found too (lower case, separated by blanks).
    #[must_use]
    pub fn keywords(self, keywords: &'static str) -> Self {
        Self { keywords, ..self }
    }

    /// Marks the item as one of another place: local items that match equally well come before it.
    #[must_use]
    pub fn elsewhere(self) -> Self {
        Self { elsewhere: true, ..self }
    }

    /// Marks the item as one that is listed only when something is typed.
    #[must_use]
    pub fn hidden(self) -> Self {
        Self { hidden: true, ..self }
    }

    /// Marks the item as one that cannot be chosen now, and why.
    #[must_use]
    pub fn disabled(self, why: impl Into<Untrusted>) -> Self {
        Self { detail: format!("— {}", why.into().line()), enabled: false, ..self }
    }

    /// Returns the label.
    pub fn label(&self) -> &str {
        &self.label
    }
}

/// A sentence below the list.
#[derive(Clone, Debug)]
pub struct Note {
    text: Untrusted,
    is_failure: bool,
}

impl Note {
    /// Creates a note that explains something.
    pub fn hint(text: impl Into<Untrusted>) -> Self {
        Self { text: text.into(), is_failure: false }
    }

    /// Creates a note that reports a failure.
    pub fn failure(text: impl Into<Untrusted>) -> Self {
        Self { text: text.into(), is_failure: true }
    }
}

/// What a key does in a picker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PickerKey {
    Choose,
    Close,
    Up,
    Down,
    PageUp,
    PageDown,
}

static PICKER_KEYS: LazyLock<KeyTable<PickerKey>> = LazyLock::new(|| {
    let keymap = Keymap::new(&[
        ("up shift-tab ctrl-up alt-up", PickerKey::Up, "up"),
        ("down tab ctrl-down alt-down", PickerKey::Down, "down"),
        ("pageup", PickerKey::PageUp, "page up"),
        ("pagedown", PickerKey::PageDown, "page down"),
        ("enter alt-enter ctrl-enter", PickerKey::Choose, "choose"),
        ("esc ctrl-c ctrl-p", PickerKey::Close, "close"),
    ]);
    let context = KeyContext::new("picker").while_typing().ignoring_shift().used_in(KeyPlace::Dialog);
    KeyTable::new(context, keymap)
});

/// Returns the keys of a picker, for the list of all keys.
pub(super) fn listed_keys() -> ListedKeys {
    PICKER_KEYS.listed(|_| "")
}

/// Returns the keys of a picker for the footer, each with what it does; `verb` is what Enter does.
pub fn hints(verb: &'static str) -> [(String, &'static str); 2] {
    let key = |action| PICKER_KEYS.key(action);
    [(key(PickerKey::Up) + &key(PickerKey::Down), "choose"), (key(PickerKey::Choose), verb)]
}

/// Returns the keys of a picker for the help page, each with what it does; `verb` is what Enter does.
pub fn help(verb: &'static str) -> Vec<(String, &'static str)> {
    let pages = [PickerKey::PageUp, PickerKey::PageDown].map(|action| PICKER_KEYS.key(action)).join(" ");
    let keymap = PICKER_KEYS.keymap();
    let closing = keymap.rows().iter().filter(|row| row.action == PickerKey::Close);
    let close = closing.map(|row| (row.shown_keys(), row.description));
    hints(verb).into_iter().chain([(pages, "a page up, down")]).chain(close).collect()
}

/// What a key did.
#[derive(Clone, Debug, PartialEq)]
pub enum Picked<T> {
    /// The picker is still open.
    Open,
    /// It was closed without a choice.
    Closed,
    /// An item was chosen.
    Chosen(T),
    /// Enter was pressed on a text that matches no item, in a picker that [accepts this](Picker::accepting_typed).
    Typed(String),
}

/// The list, what was typed, and where the cursor is.
#[derive(Clone, Debug)]
pub struct Picker<T> {
    title: &'static str,
    query: TextField,
    /// Over [`Picker::found`].
    cursor: Cursor,
    items: Vec<Item<T>>,
    /// Indices of the matching items, best first.
    found: Vec<usize>,
    /// The text for when nothing matches, unless what is typed is accepted.
    no_match_text: &'static str,
    notes: Vec<Note>,
    /// Whether the selected item is shown in full below the list if its row is cut.
    in_full: bool,
    accepts_typed: bool,
    /// Rows of the list; set by arranging.
    rows: usize,
}

impl<T: Clone> Picker<T> {
    /// Creates a picker over `items`, in their order; disabled ones come last.
    pub fn new(title: &'static str, items: Vec<Item<T>>) -> Self {
        let mut picker = Self {
            title,
            query: TextField::default(),
            cursor: Cursor::default(),
            items,
            found: Vec::new(),
            no_match_text: "nothing matches",
            notes: Vec::new(),
            in_full: false,
            accepts_typed: false,
            rows: 1,
        };
        picker.filter();
        picker
    }

    /// Sets the text for when nothing matches. Where [what is typed is accepted](Self::accepting_typed), the list says that
    /// instead.
    #[must_use]
    pub fn no_match_text(self, no_match_text: &'static str) -> Self {
        Self { no_match_text, ..self }
    }

    /// Shows the selected item in full below the list if its row is cut.
    #[must_use]
    pub fn in_full(self) -> Self {
        Self { in_full: true, ..self }
    }

    /// Accepts with Enter what was typed if it matches nothing that can be chosen.
    #[must_use]
    pub fn accepting_typed(self) -> Self {
        Self { accepts_typed: true, ..self }
    }

    /// Sets sentences below the list.
    pub fn set_notes(&mut self, notes: Vec<Note>) {
        self.notes = notes;
    }

    /// Returns what was typed; `None`: nothing.
    pub fn typed(&self) -> Option<&str> {
        Some(self.query.text().trim()).filter(|typed| !typed.is_empty())
    }

    /// Selects the first item whose value `is_wanted`, if one is found.
    pub fn select_where(&mut self, is_wanted: impl Fn(&T) -> bool) {
        let at = self.found_items().position(|item| is_wanted(&item.value));
        self.cursor.selected = at.unwrap_or(self.cursor.selected);
    }

    /// Replaces the items and keeps what was typed.
    pub fn refill(&mut self, items: Vec<Item<T>>) {
        self.items = items;
        self.filter();
    }

    /// Returns the item under the cursor.
    pub fn selected_item(&self) -> Option<&Item<T>> {
        self.found.get(self.cursor.selected).map(|&index| &self.items[index])
    }

    /// Returns the items that match what was typed, best first.
    fn found_items(&self) -> impl Iterator<Item = &Item<T>> {
        self.found.iter().map(|&index| &self.items[index])
    }

    /// Fits the picker to the area that it is drawn over: page keys move by the rows of the list.
    pub fn arrange(&mut self, area: Rect, kind: Kind) {
        self.rows = self.layout(area, kind).list_rows;
    }

    /// Handles a key.
    pub fn key(&mut self, key: &KeyEvent) -> Picked<T> {
        let (count, last) = (self.found.len(), self.found.len().saturating_sub(1));
        // One row of a page stays in view.
        let page = self.rows.saturating_sub(1).max(1) as isize;
        let selected = &mut self.cursor.selected;
        match PICKER_KEYS.find(key) {
            Some(PickerKey::Close) => return Picked::Closed,
            Some(PickerKey::Choose) => return self.choose(),
            Some(PickerKey::Up) => *selected = selected.checked_sub(1).unwrap_or(last),
            Some(PickerKey::Down) => *selected = if *selected >= last { 0 } else { *selected + 1 },
            Some(PickerKey::PageUp) => self.cursor.move_by(-page, count),
            Some(PickerKey::PageDown) => self.cursor.move_by(page, count),
            None if self.query.key(*key) => self.filter_from_top(),
            None => {}
        }
        Picked::Open
    }

    /// Returns the choice that Enter makes.
    fn choose(&self) -> Picked<T> {
        match (self.selected_item().filter(|item| item.enabled), self.typed()) {
            (Some(item), _) => Picked::Chosen(item.value.clone()),
            (None, Some(typed)) if self.accepts_typed => Picked::Typed(typed.to_owned()),
            _ => Picked::Open,
        }
    }

    /// Pastes text into the filter.
    pub fn paste(&mut self, text: &str) {
        self.query.paste(text);
        self.filter_from_top();
    }

    /// Filters again after typing and selects the best match.
    fn filter_from_top(&mut self) {
        self.cursor = Cursor::default();
        self.filter();
    }

    /// Finds the items that match what was typed.
    fn filter(&mut self) {
        let mut query = RankQuery::new(self.query.text());
        let mut ranked: Vec<_> = self
            .items
            .iter()
            .enumerate()
            .filter(|(_, item)| !item.hidden || !self.query.text().trim().is_empty())
            .filter_map(|(at, item)| {
                let rank = query.rank(&item.label, item.keywords, item.elsewhere)?;
                Some((!item.enabled, rank, at))
            })
            .collect();
        // Scattered letters count only if no words match.
        if ranked.iter().any(|(_, rank, _)| !rank.is_scattered()) {
            ranked.retain(|(_, rank, _)| !rank.is_scattered());
        }
        ranked.sort_unstable();
        self.found = ranked.into_iter().map(|(_, _, at)| at).collect();
        self.cursor.clamp(self.found.len());
    }
}
