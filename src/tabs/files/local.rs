//! The local folder: its entries sorted and filtered, marks, cursor.

use crate::ui::item_list::{ItemList, Keyed};

use crate::api::call::Ticket;
use crate::component::Cx;
use crate::record::files::{Entry, EntryKind, Folder};
use crate::record::work::{Done, Work};
use crate::text::Untrusted;
use crate::ui::table::{SortDirection, TableView};

/// What entries are sorted by; folders stand before files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) enum LocalOrder {
    #[default]
    Name,
    Size,
    Time,
}

impl LocalOrder {
    pub(super) const ALL: [Self; 3] = [Self::Name, Self::Size, Self::Time];

    /// Returns the next order, with the direction that is mostly wanted.
    pub(super) fn next(self) -> (Self, SortDirection) {
        match self {
            Self::Name => (Self::Size, SortDirection::Descending),
            Self::Size => (Self::Time, SortDirection::Descending),
            Self::Time => (Self::Name, SortDirection::Ascending),
        }
    }

    /// Returns the index of its column.
    pub(super) fn column(self) -> usize {
        self as usize
    }
}

/// A file of the folder that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PickedFile {
    /// Absolute.
    pub(super) path: String,
    pub(super) name: String,
    pub(super) bytes: u64,
}

/// A folder on its way.
#[derive(Debug)]
struct FolderRequest {
    ticket: Ticket,
    /// The entry the cursor goes to.
    then: Option<String>,
}

/// The pane.
#[derive(Debug)]
pub(super) struct LocalFolder {
    /// Absolute; empty until the first folder is here.
    pub(super) path: Untrusted,
    pub(super) list: ItemList<Entry>,
    /// Why not all of it is there.
    pub(super) cut: Option<Untrusted>,
    /// Why the folder last asked for is not here.
    pub(super) failed: Option<Untrusted>,
    pub(super) sort: (LocalOrder, SortDirection),
    /// Words that names must have.
    filter: String,
    /// Whether names that begin with a dot are shown.
    pub(super) hidden: bool,
    asked: Option<FolderRequest>,
}

impl Keyed for Entry {
    type Key = str;

    fn key(&self) -> &str {
        self.name.raw()
    }
}

impl Default for LocalFolder {
    fn default() -> Self {
        Self {
            path: Untrusted::default(),
            list: ItemList::default(),
            cut: None,
            failed: None,
            sort: (LocalOrder::Name, SortDirection::Ascending),
            filter: String::new(),
            hidden: false,
            asked: None,
        }
    }
}

impl LocalFolder {
    /// Goes to a folder; the cursor then to the entry of this name.
    pub(super) fn go_to(&mut self, path: String, then: Option<String>, cx: &mut Cx) {
        if let Some(asked) = self.asked.take() {
            cx.cancel(asked.ticket);
        }
        let ticket = cx.work(Work::Folder { path });
        self.asked = Some(FolderRequest { ticket, then });
    }

    /// Reads the folder again.
    pub(super) fn refresh(&mut self, cx: &mut Cx) {
        self.go_to(self.path.raw().to_owned(), None, cx);
    }

    /// Opens the folder around this one.
    pub(super) fn open_parent(&mut self, cx: &mut Cx) {
        let path = self.path.raw();
        let Some((parent, name)) = split_path(path) else { return };
        self.go_to(parent.to_owned(), Some(name.to_owned()), cx);
    }

    /// Opens the folder under the cursor. Returns whether there is one.
    pub(super) fn open_selected(&mut self, cx: &mut Cx) -> bool {
        let Some(path) =
            self.list.selected_item().filter(|entry| entry.kind == EntryKind::Folder).map(|entry| self.path_of(entry))
        else {
            return false;
        };
        self.go_to(path, None, cx);
        true
    }

    /// Returns whether a folder is on its way.
    pub(super) fn is_asking(&self) -> bool {
        self.asked.is_some()
    }

    /// Takes a result of the work threads. Returns whether the pane had asked for it.
    pub(super) fn handle_worked(&mut self, ticket: Ticket, done: &Done) -> bool {
        let Some(asked) = self.asked.take_if(|asked| asked.ticket == ticket) else { return false };
        match done {
            Done::Moved { .. } => self.asked = Some(asked),
            Done::Folder(folder) => self.take(folder, asked.then),
            Done::Failed(why) => self.failed = Some(why.clone()),
            _ => self.failed = Some("the folder could not be read; try again".into()),
        }
        true
    }

    fn take(&mut self, folder: &Folder, then: Option<String>) {
        if folder.path != self.path {
            self.filter.clear();
            let view = TableView { page: self.list.view.page, ..TableView::default() };
            self.list = ItemList::default();
            self.list.view = view;
        }
        self.path = folder.path.clone();
        self.list.change_items(|all| all.clone_from(&folder.entries));
        self.cut.clone_from(&folder.cut);
        self.failed = None;
        if let Some(name) = &then
            && name.starts_with('.')
            && self.list.get(name).is_some()
        {
            self.hidden = true;
        }
        self.sort_and_filter();
        if let Some(name) = then {
            self.list.select(&name);
        }
    }

    /// Sorts and filters again; the cursor stays on its entry.
    fn sort_and_filter(&mut self) {
        let (words, (by, direction)) = (self.filter.to_lowercase(), self.sort);
        let shows = |entry: &Entry| {
            let name = entry.key();
            (self.hidden || !name.starts_with('.')) && (words.is_empty() || name.to_lowercase().contains(&words))
        };
        self.list.filter_and_sort(shows, |entries, shown| {
            let name = |at: &usize| (entries[*at].key().to_lowercase(), entries[*at].key());
            match by {
                LocalOrder::Name => shown.sort_by_cached_key(name),
                LocalOrder::Size => shown.sort_by_cached_key(|at| (entries[*at].bytes, name(at))),
                LocalOrder::Time => shown.sort_by_cached_key(|at| (entries[*at].modified_ms, name(at))),
            }
            if direction == SortDirection::Descending {
                shown.reverse();
            }
            shown.sort_by_key(|at| entries[*at].kind != EntryKind::Folder);
        });
    }

    pub(super) fn sort_by(&mut self, sort: (LocalOrder, SortDirection)) {
        self.sort = sort;
        self.sort_and_filter();
    }

    pub(super) fn filter(&self) -> &str {
        &self.filter
    }

    /// Shows only names that have these words.
    pub(super) fn set_filter(&mut self, words: &str) {
        words.clone_into(&mut self.filter);
        self.sort_and_filter();
    }

    pub(super) fn toggle_hidden(&mut self) {
        self.hidden = !self.hidden;
        self.sort_and_filter();
    }

    pub(super) fn path_of(&self, entry: &Entry) -> String {
        join_path(self.path.raw(), entry.name.raw())
    }

    /// Marks the file under the cursor, or takes the mark away, and continues.
    pub(super) fn mark(&mut self) {
        let file = self.list.selected_item().filter(|entry| entry.kind == EntryKind::File);
        if let Some(name) = file.map(|entry| entry.key().to_owned())
            && !self.list.unmark(&name)
        {
            self.list.mark(&name);
        }
        self.list.view.move_by(1, self.list.len());
    }

    /// Marks all files that show; if all are, none.
    pub(super) fn mark_all(&mut self) {
        self.list.toggle_marks(|entry| entry.kind == EntryKind::File);
    }

    /// Returns the marked files by name, else the one under the cursor.
    pub(super) fn picked(&self) -> Vec<PickedFile> {
        let picked =
            |entry: &Entry| PickedFile { path: self.path_of(entry), name: entry.key().to_owned(), bytes: entry.bytes };
        let mut all: Vec<&Entry> =
            self.list.marked_or_selected().into_iter().filter(|entry| entry.kind == EntryKind::File).collect();
        all.sort_by_key(|entry| entry.key());
        all.into_iter().map(picked).collect()
    }

    /// Returns the folder's own name.
    pub(super) fn name(&self) -> Untrusted {
        name_of(self.path.raw()).into()
    }

    /// Returns how many bytes the marked files have.
    pub(super) fn marked_bytes(&self) -> u64 {
        let marked = self.list.items().iter().filter(|entry| self.list.is_marked(entry.key()));
        marked.map(|entry| entry.bytes).sum()
    }

    /// Returns the size of the file with this path, if it is in the folder that is shown.
    pub(super) fn size_of(&self, path: &str) -> Option<u64> {
        self.list.items().iter().find(|entry| self.path_of(entry) == path).map(|entry| entry.bytes)
    }
}

/// Joins a folder and a name.
pub(super) fn join_path(folder: &str, name: &str) -> String {
    if folder.ends_with('/') || folder.is_empty() { format!("{folder}{name}") } else { format!("{folder}/{name}") }
}

/// Splits a path into its folder and its last name; `None`: it has no folder.
pub(super) fn split_path(path: &str) -> Option<(&str, &str)> {
    let path = path.strip_suffix('/').unwrap_or(path);
    let (parent, name) = path.rsplit_once('/')?;
    (!name.is_empty()).then_some((if parent.is_empty() { "/" } else { parent }, name))
}

/// Returns the last name of a path.
pub(super) fn name_of(path: &str) -> &str {
    split_path(path).map_or(path, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, kind: EntryKind, bytes: u64, modified_ms: i64) -> Entry {
        Entry { name: name.into(), kind, link: None, bytes, modified_ms: Some(modified_ms) }
    }

    fn filled() -> LocalFolder {
        let mut local = LocalFolder::default();
        let entries = vec![
            entry("b.jsonl", EntryKind::File, 3, 30),
            entry("A.csv", EntryKind::File, 20, 10),
            entry(".secret", EntryKind::File, 1, 1),
            entry("data", EntryKind::Folder, 0, 5),
            entry("pipe", EntryKind::Other, 0, 5),
        ];
        local.take(&Folder { path: "/home/x".into(), entries, cut: None }, None);
        local
    }

    fn names(local: &LocalFolder) -> Vec<&str> {
        (0..local.list.len()).map(|row| local.list.row(row).unwrap().name.raw()).collect()
    }

    #[test]
    fn folders_stand_first_and_names_are_sorted_letter_case_apart() {
        let mut local = filled();
        assert_eq!(names(&local), ["data", "A.csv", "b.jsonl", "pipe"]);
        local.sort_by((LocalOrder::Size, SortDirection::Descending));
        assert_eq!(names(&local), ["data", "A.csv", "b.jsonl", "pipe"]);
        local.sort_by((LocalOrder::Time, SortDirection::Ascending));
        assert_eq!(names(&local), ["data", "pipe", "A.csv", "b.jsonl"]);
        local.toggle_hidden();
        assert_eq!(names(&local), ["data", ".secret", "pipe", "A.csv", "b.jsonl"]);
    }

    #[test]
    fn the_cursor_stays_on_its_entry() {
        let mut local = filled();
        local.list.select("b.jsonl");
        local.sort_by((LocalOrder::Name, SortDirection::Descending));
        assert_eq!(local.list.selected_item().unwrap().name.raw(), "b.jsonl");
        local.set_filter("JSON");
        assert_eq!((names(&local), local.list.view.cursor.selected), (vec!["b.jsonl"], 0));
    }

    #[test]
    fn only_files_are_marked_and_marks_outlive_the_filter() {
        let mut local = filled();
        local.mark();
        assert_eq!((local.list.marked_count(), local.list.view.cursor.selected), (0, 1), "a folder");
        local.mark_all();
        assert_eq!(local.list.marked_count(), 2, "no hidden file, no pipe");
        local.set_filter("csv");
        let paths: Vec<String> = local.picked().into_iter().map(|picked| picked.path).collect();
        assert_eq!(paths, ["/home/x/A.csv", "/home/x/b.jsonl"]);
        local.mark_all();
        assert_eq!(local.list.marked_count(), 1, "those that show");
        assert!(local.list.clear_marks() && !local.list.clear_marks());
    }

    #[test]
    fn paths_are_parted_and_joined() {
        assert_eq!(split_path("/home/x"), Some(("/home", "x")));
        assert_eq!(split_path("/home/"), Some(("/", "home")));
        assert_eq!(split_path("/"), None);
        assert_eq!([join_path("/", "a"), join_path("/b", "a")], ["/a", "/b/a"]);
        assert_eq!([name_of("/a/b.c"), name_of("b")], ["b.c", "b"]);
    }
}
