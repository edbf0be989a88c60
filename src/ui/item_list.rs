//! Items of a list: which of them are shown, in which order, the one under the cursor, and which are marked.

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::hash::Hash;

use super::table::TableView;

/// An item with a key.
pub trait Keyed {
    /// What identifies the item in its list: a text, an id.
    type Key: ?Sized + Eq + Hash + ToOwned<Owned: Clone + Debug + Eq + Hash>;

    /// Returns its key, which is unique in a list.
    fn key(&self) -> &Self::Key;
}

/// A key that a list keeps.
type OwnedKey<T> = <<T as Keyed>::Key as ToOwned>::Owned;

/// A list whose owner filters and sorts it. Cursor and marks stay with their items, when items are added, removed,
/// filtered or sorted.
#[derive(Clone, Debug)]
pub struct ItemList<T: Keyed> {
    items: Vec<T>,
    index_by_key: HashMap<OwnedKey<T>, usize>,
    /// Indices of `items`, in the order shown; none after a change of the items, until they are filtered.
    shown: Vec<usize>,
    /// Cursor and scroll position, in visible rows.
    pub view: TableView,
    /// The item under the cursor before the items were changed, until they are filtered.
    selected_before: Option<OwnedKey<T>>,
    /// Marked keys, and their order of marking.
    marks: HashMap<OwnedKey<T>, u64>,
    last_mark: u64,
}

impl<T: Keyed> Default for ItemList<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            index_by_key: HashMap::new(),
            shown: Vec::new(),
            view: TableView::default(),
            selected_before: None,
            marks: HashMap::new(),
            last_mark: 0,
        }
    }
}

impl<T: Keyed> ItemList<T> {
    /// Returns all items, shown or not.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// Returns all items mutably; their keys must not change.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.items.iter_mut()
    }

    /// Adds, removes or replaces items. Marks of removed items are dropped. No row is shown until
    /// [`ItemList::filter_and_sort`] says which.
    pub fn change_items(&mut self, change: impl FnOnce(&mut Vec<T>)) {
        if self.selected_before.is_none() {
            self.selected_before = self.selected_item().map(|item| item.key().to_owned());
        }
        change(&mut self.items);
        self.shown.clear();
        self.index_by_key = self.items.iter().enumerate().map(|(at, item)| (item.key().to_owned(), at)).collect();
        let known = &self.index_by_key;
        self.marks.retain(|key, _| known.contains_key(key.borrow()));
    }

    /// Changes the items like [`ItemList::change_items`], but a cursor on the first row stays on the first row.
    pub fn change_items_keeping_first_row(&mut self, change: impl FnOnce(&mut Vec<T>)) {
        self.change_items(change);
        if self.view.cursor.selected == 0 {
            self.selected_before = None;
        }
    }

    /// Returns the item of a key.
    pub fn get(&self, key: &T::Key) -> Option<&T> {
        self.items.get(*self.index_by_key.get(key)?)
    }

    /// Returns the item of a key mutably; the key must not change.
    pub fn get_mut(&mut self, key: &T::Key) -> Option<&mut T> {
        self.items.get_mut(*self.index_by_key.get(key)?)
    }

    /// Returns how many rows are shown.
    pub fn len(&self) -> usize {
        self.shown.len()
    }

    /// Returns whether no row is shown.
    pub fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    /// Returns the item of a row.
    pub fn row(&self, row: usize) -> Option<&T> {
        self.shown.get(row).map(|at| &self.items[*at])
    }

    /// Returns the items that are shown, in order.
    pub fn rows(&self) -> impl Iterator<Item = &T> {
        self.shown.iter().map(|at| &self.items[*at])
    }

    /// Returns the item under the cursor.
    pub fn selected_item(&self) -> Option<&T> {
        self.row(self.view.cursor.selected)
    }

    /// Returns the item under the cursor mutably; its key must not change.
    pub fn selected_item_mut(&mut self) -> Option<&mut T> {
        self.shown.get(self.view.cursor.selected).map(|at| &mut self.items[*at])
    }

    /// Shows the items that pass, in the order into which `sort` puts their indices. The cursor follows its item, or
    /// keeps its row if that is hidden.
    pub fn filter_and_sort(&mut self, passes: impl Fn(&T) -> bool, sort: impl FnOnce(&[T], &mut [usize])) {
        let selected = self.selected_before.take().or_else(|| self.selected_item().map(|item| item.key().to_owned()));
        self.shown = (0..self.items.len()).filter(|at| passes(&self.items[*at])).collect();
        sort(&self.items, &mut self.shown);
        self.view.cursor.clamp(self.shown.len());
        if let Some(key) = selected {
            self.select(key.borrow());
        }
    }

    /// Moves the cursor to the item of a key; returns whether it is shown.
    pub fn select(&mut self, key: &T::Key) -> bool {
        let row = self.shown.iter().position(|at| self.items[*at].key() == key);
        if let Some(row) = row {
            self.view.cursor.selected = row;
        }
        row.is_some()
    }

    /// Returns whether an item is marked.
    pub fn is_marked(&self, key: &T::Key) -> bool {
        self.marks.contains_key(key)
    }

    /// Returns how many items are marked.
    pub fn marked_count(&self) -> usize {
        self.marks.len()
    }

    /// Returns the marked items in the order in which they were marked.
    pub fn marked_items(&self) -> impl Iterator<Item = &T> {
        let marks: BTreeMap<u64, &T::Key> = self.marks.iter().map(|(key, order)| (*order, key.borrow())).collect();
        marks.into_values().filter_map(|key| self.get(key))
    }

    /// Marks an item.
    pub fn mark(&mut self, key: &T::Key) {
        self.last_mark += 1;
        self.marks.insert(key.to_owned(), self.last_mark);
    }

    /// Removes the mark of an item; returns whether it was marked.
    pub fn unmark(&mut self, key: &T::Key) -> bool {
        self.marks.remove(key).is_some()
    }

    /// Marks every item that is shown and passes; if all of these are marked, removes their marks.
    pub fn toggle_marks(&mut self, passes: impl Fn(&T) -> bool) {
        let keys: Vec<OwnedKey<T>> =
            self.rows().filter(|item| passes(item)).map(|item| item.key().to_owned()).collect();
        let all = keys.iter().all(|key| self.is_marked(key.borrow()));
        for key in &keys {
            if all {
                self.unmark(key.borrow());
            } else if !self.is_marked(key.borrow()) {
                self.mark(key.borrow());
            }
        }
    }

    /// Removes all marks; returns whether there were any.
    pub fn clear_marks(&mut self) -> bool {
        !std::mem::take(&mut self.marks).is_empty()
    }

    /// Returns the marked items in the order shown, those that are not shown last; if none is marked, the one under the
    /// cursor.
    pub fn marked_or_selected(&self) -> Vec<&T> {
        if self.marks.is_empty() {
            return self.selected_item().into_iter().collect();
        }
        let shown: HashMap<&T::Key, usize> = self.rows().enumerate().map(|(row, item)| (item.key(), row)).collect();
        let mut picked: Vec<&T> = self.items.iter().filter(|item| self.is_marked(item.key())).collect();
        picked.sort_by_key(|item| shown.get(item.key()).copied().unwrap_or(usize::MAX));
        picked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Keyed for &str {
        type Key = str;

        fn key(&self) -> &str {
            self
        }
    }

    fn by_name(items: &[&str], shown: &mut [usize]) {
        shown.sort_by_key(|at| items[*at]);
    }

    #[test]
    fn cursor_and_marks_stay_with_their_items() {
        let mut list = ItemList::default();
        list.change_items(|items| *items = vec!["pear", "apple", "fig"]);
        list.filter_and_sort(|_| true, by_name);
        assert_eq!(list.rows().copied().collect::<Vec<_>>(), ["apple", "fig", "pear"]);
        assert!(list.select("fig"));
        list.mark("pear");
        list.mark("apple");
        list.change_items(|items| items.push("cherry"));
        list.filter_and_sort(|_| true, by_name);
        assert_eq!((list.selected_item(), list.view.cursor.selected), (Some(&"fig"), 2));
        assert_eq!(list.marked_or_selected(), [&"apple", &"pear"]);
        assert_eq!(list.marked_items().copied().collect::<Vec<_>>(), ["pear", "apple"]);
        list.filter_and_sort(|item| item.len() > 4, by_name);
        assert_eq!(
            (list.selected_item(), list.len(), list.get("fig")),
            (Some(&"cherry"), 2, Some(&"fig")),
            "its row is there no more"
        );
        list.view.home();
        list.change_items_keeping_first_row(|items| items.push("banana"));
        list.filter_and_sort(|item| item.len() > 4, by_name);
        assert_eq!(list.selected_item(), Some(&"apple"));
        list.change_items_keeping_first_row(|items| items.push("acorn"));
        list.filter_and_sort(|item| item.len() > 4, by_name);
        assert_eq!(list.selected_item(), Some(&"acorn"), "the first row");
        list.change_items(|items| items.retain(|item| *item != "acorn" && *item != "banana"));
        list.filter_and_sort(|item| item.len() > 4, by_name);
        list.change_items(|items| items.retain(|item| *item != "pear"));
        list.filter_and_sort(|item| item.len() > 4, by_name);
        assert_eq!((list.marked_count(), list.get("pear")), (1, None));
    }

    #[test]
    fn no_row_is_of_another_item_between_a_change_and_the_filter() {
        let mut list = ItemList::default();
        list.change_items(|items| *items = vec!["pear", "apple", "fig"]);
        list.filter_and_sort(|_| true, by_name);
        assert!(list.select("fig"));
        list.mark("apple");
        list.change_items(|items| items.retain(|item| *item != "apple"));
        assert_eq!((list.len(), list.row(0), list.selected_item()), (0, None, None));
        assert_eq!((list.get("fig"), list.get("apple"), list.marked_count()), (Some(&"fig"), None, 0));
        list.change_items(|items| items.push("banana"));
        list.filter_and_sort(|_| true, by_name);
        assert_eq!(
            (list.selected_item(), list.view.cursor.selected),
            (Some(&"fig"), 1),
            "the cursor stays on its item"
        );
    }

    #[test]
    fn all_that_show_are_marked_and_then_none_of_them() {
        let mut list = ItemList::default();
        list.change_items(|items| *items = vec!["pear", "apple", "fig"]);
        list.filter_and_sort(|item| *item != "fig", by_name);
        list.mark("fig");
        list.toggle_marks(|_| true);
        assert_eq!(list.marked_count(), 3);
        list.toggle_marks(|_| true);
        assert_eq!(list.marked_or_selected(), [&"fig"], "the one that is not shown keeps its mark");
        assert!(list.clear_marks() && !list.clear_marks());
    }
}
