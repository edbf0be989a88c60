//! No tab knows another: what several need is shared.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::all;
use super::cycles::imports;

/// Folders and files of `src/tabs` that tabs share.
const SHARED: &[&str] =
    &["activity", "batch", "columns", "file_metadata", "generation", "range_download", "tab", "texts"];

/// Files that name every tab: the list of tabs, and the list of their keys.
const LISTS: &[&str] = &["src/tabs/mod.rs", "src/tabs/all_keys.rs"];

/// Returns the tab or the shared part that a file belongs to; `None`: neither.
fn part(path: &str) -> Option<&str> {
    if LISTS.contains(&path) {
        return None;
    }
    path.strip_prefix("src/tabs/")?.split(['/', '.']).next()
}

/// Returns the imports from one tab, or from what is shared, into a tab.
fn faults(imports: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let mut faults = Vec::new();
    for (file, imported) in imports {
        let Some(own) = part(file) else { continue };
        let is_other_tab = |path: &&String| part(path).is_some_and(|part| part != own && !SHARED.contains(&part));
        let fault = |path: &String| format!("{file} imports {path}: move what both need to something that is shared");
        faults.extend(imported.iter().filter(is_other_tab).map(fault));
    }
    faults
}

#[test]
fn no_tab_imports_another() {
    let faults = faults(&imports(&all()));
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
    for name in SHARED {
        let path = Path::new("src/tabs").join(name);
        assert!(path.is_dir() || path.with_extension("rs").exists(), "{name} is not in src/tabs");
    }
}

#[test]
fn imports_of_tabs_are_found() {
    let file = |path: &str, text: &str| (format!("src/tabs/{path}.rs"), text.to_owned());
    let files = [
        file("mod", "mod a; mod b; mod tab; pub use tab::Tab; fn all() { a::new(); b::new(); }"),
        file("all_keys", "fn listed() { super::a::keys(); super::b::keys(); }"),
        file("tab", "pub trait Tab {}"),
        file("texts/mod", "use crate::tabs::tab::Tab;"),
        file("a/mod", "use super::tab::Tab; use crate::tabs::texts::Texts; mod part; pub use part::X;"),
        file("a/part", "use crate::tabs::a::Y;"),
    ];
    assert_eq!(faults(&imports(&files)), Vec::<String>::new());
    let planted = [
        file("b/mod", "use crate::tabs::{Tab, a::X};"),
        file("b/deep/er", "fn f() { super::super::super::a::new() }"),
        file("batch/mod", "use super::a::X;"),
    ];
    let found = faults(&imports(&[&files[..], &planted].concat()));
    assert_eq!(found.len(), planted.len(), "{found:#?}");
}
