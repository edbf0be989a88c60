//! The preview of a folder: how many entries it has, how large they are, the first names.

use crate::api::call::Ticket;
use crate::component::Cx;
use crate::record::files::{Entry, EntryKind, Folder};
use crate::record::work::{Done, Work};
use crate::ui::meter::{bytes, count};

/// Names that are listed at most.
const NAMES: usize = 100;

/// Labels and what they say.
pub(super) type DetailLines = Vec<(&'static str, String)>;

/// A folder that is looked into.
#[derive(Debug)]
pub(super) struct FolderPreview {
    path: String,
    /// The request for its entries, until they are here.
    ticket: Option<Ticket>,
    /// What it holds, or why that cannot be read.
    lines: DetailLines,
}

impl FolderPreview {
    /// Asks for the entries of a folder.
    pub(super) fn new(path: String, cx: &mut Cx) -> Self {
        let ticket = Some(cx.work(Work::Folder { path: path.clone() }));
        Self { path, ticket, lines: Vec::new() }
    }

    /// Returns whether it is of this folder.
    pub(super) fn is_of(&self, path: &str) -> bool {
        self.path == path
    }

    /// Returns what is known of the folder.
    pub(super) fn lines(&self) -> &DetailLines {
        &self.lines
    }

    /// Ends a request under way.
    pub(super) fn close(self, cx: &mut Cx) {
        if let Some(ticket) = self.ticket {
            cx.cancel(ticket);
        }
    }

    /// Takes the work threads' answer. Returns whether it asked for it.
    pub(super) fn handle_worked(&mut self, ticket: Ticket, done: &Done) -> bool {
        if self.ticket != Some(ticket) {
            return false;
        }
        match done {
            Done::Moved { .. } => return true,
            Done::Folder(folder) => self.lines = lines(folder),
            Done::Failed(why) => self.lines = vec![("", format!("✕ {}", why.line()))],
            _ => {}
        }
        self.ticket = None;
        true
    }
}

/// Returns how many entries a folder has, how large its files are, and its names: folders first.
fn lines(folder: &Folder) -> DetailLines {
    let is_folder = |entry: &&Entry| entry.kind == EntryKind::Folder;
    let folders = folder.entries.iter().filter(is_folder).count();
    let all = folder.entries.len();
    let part = |number: usize, one: &str, many: &str| {
        (number > 0).then(|| format!("{} {}", count(number as u64), if number == 1 { one } else { many }))
    };
    let parts = [part(folders, "folder", "folders"), part(all - folders, "file", "files")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let holds = if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") };
    let mut lines = vec![("holds", holds)];
    if all > folders {
        lines.push(("size", bytes(folder.entries.iter().map(|entry| entry.bytes).sum())));
    }
    lines.extend(folder.cut.as_ref().map(|why| ("", why.line().into_owned())));
    let mut entries: Vec<&Entry> = folder.entries.iter().collect();
    entries.sort_by_cached_key(|entry| (!is_folder(entry), entry.name.line().to_lowercase()));
    for (at, entry) in entries.into_iter().take(NAMES).enumerate() {
        let name = entry.name.line();
        let name = if is_folder(&entry) { format!("{name}/") } else { name.into_owned() };
        lines.push((if at == 0 { "names" } else { "" }, name));
    }
    if all > NAMES {
        lines.push(("", format!("and {} more", count((all - NAMES) as u64))));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, kind: EntryKind, bytes: u64) -> Entry {
        Entry { name: name.into(), kind, link: None, bytes, modified_ms: None }
    }

    #[test]
    fn a_folder_says_how_much_it_holds_and_its_first_names() {
        let entries = vec![
            entry("b.jsonl", EntryKind::File, 1_500),
            entry("old", EntryKind::Folder, 0),
            entry("A.csv", EntryKind::File, 500),
        ];
        let folder = Folder { path: "/x".into(), entries, cut: None };
        let said: Vec<String> = lines(&folder).into_iter().map(|(label, words)| format!("{label}: {words}")).collect();
        assert_eq!(said, ["holds: 1 folder, 2 files", "size: 2 kB", "names: old/", ": A.csv", ": b.jsonl"]);
        assert_eq!(lines(&Folder::default()), [("holds", "nothing".to_owned())]);
    }
}
