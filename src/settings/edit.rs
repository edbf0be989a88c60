//! Renames, copies, deletes and moves profiles of `config.toml`. Comments and unknown keys stay; a profile's pasted
//! keys are renamed, copied and deleted with it.

use std::path::Path;

use toml_edit::{DocumentMut, Item, Table};

use super::keep::{FileMode, change_file, set_text};
use super::paths::Paths;
use super::profile::ProfileId;

const NAME_TAKEN: &str = "there is a profile of this name already; nothing was changed";

/// Checks that the file has no profile of this name. The error is a sentence.
pub fn check_name(config: &Path, to: &ProfileId) -> Result<(), String> {
    if order(config)?.contains(&to.0) {
        return Err(format!("{}: {NAME_TAKEN}", config.display()));
    }
    Ok(())
}

/// Gives a profile another name, also in the setting that names the profile to begin with. Returns a sentence if its
/// key is still stored under the old name as well. The error is a sentence; the profile keeps its old name then.
pub fn rename(paths: &Paths, from: &ProfileId, to: &ProfileId) -> Result<Option<String>, String> {
    edit_with_keys(paths, from, to, |document| {
        if let Some(profiles) = profiles(document)
            && let Some(table) = profiles.remove(&from.0)
        {
            profiles.insert(&to.0, table);
        }
        if begins_with(document, from) {
            set_text(document.as_table_mut(), "profile", &to.0);
        }
        Ok(())
    })?;
    Ok(delete_keys(paths, from).err().map(|why| key_still_stored(from, &why)))
}

/// Says that a key is still stored that should not be.
fn key_still_stored(id: &ProfileId, why: &str) -> String {
    format!("the key of {} is still stored: {why}", id.0)
}

/// Copies a profile, with its pasted keys; the copy comes after it. The error is a sentence.
pub fn duplicate(paths: &Paths, from: &ProfileId, to: &ProfileId) -> Result<(), String> {
    edit_with_keys(paths, from, to, |document| {
        let mut copy = find_table(document, from)?.clone();
        let last = positions(&mut copy).last().copied();
        each_header(&mut copy, &mut |table| table.set_position(last));
        // Comments above the header are about the profile that is copied.
        copy.decor_mut().set_prefix("\n");
        if let Some(profiles) = profiles(document) {
            profiles.insert(&to.0, Item::Table(copy));
        }
        Ok(())
    })
}

/// Deletes a profile and its pasted keys. If it is the profile to begin with, the local service takes its place.
/// Returns a sentence if its key is still stored. The error is a sentence; the profile is still there then.
pub fn delete(paths: &Paths, id: &ProfileId) -> Result<Option<String>, String> {
    edit(&paths.config, |document| {
        let (above, _) = split_comments(find_table(document, id)?);
        if let Some(profiles) = profiles(document)
            && let Some(Item::Table(mut table)) = profiles.remove(&id.0)
        {
            let at = positions(&mut table).first().copied();
            move_comments_down(document, at, &above);
        }
        if begins_with(document, id) {
            set_text(document.as_table_mut(), "profile", &ProfileId::local().0);
        }
        Ok(())
    })?;
    Ok(delete_keys(paths, id).err().map(|why| key_still_stored(id, &why)))
}

/// Moves a profile one place up or down among those of the file. The error is a sentence.
pub fn shift(config: &Path, id: &ProfileId, up: bool) -> Result<(), String> {
    edit(config, |document| {
        find_table(document, id)?;
        let names = names(document);
        let at = names.iter().position(|name| *name == id.0).unwrap_or_default();
        let first = if up { at.checked_sub(1) } else { Some(at) };
        let Some([first, second]) = first.and_then(|first| names.get(first..first + 2)) else { return Ok(()) };
        let (first, second) = (ProfileId(first.clone()), ProfileId(second.clone()));
        let (before, after) = (positions(find_table(document, &first)?), positions(find_table(document, &second)?));
        let mut free = [before.as_slice(), after.as_slice()].concat();
        free.sort_unstable();
        let mut free = free.into_iter();
        let (above, comments) = split_comments(find_table(document, &first)?);
        for id in [&second, &first] {
            let table = find_table(document, id)?;
            let places: Vec<(isize, isize)> = positions(table).into_iter().zip(free.by_ref()).collect();
            each_header(table, &mut |table| {
                let place = places.iter().find(|(old, _)| Some(*old) == table.position()).map(|(_, new)| *new);
                table.set_position(place);
            });
        }
        // Comments above both that belong to neither stay above them.
        find_table(document, &first)?.decor_mut().set_prefix(format!("\n{}", comments.trim_start_matches('\n')));
        let (second_above, comments) = split_comments(find_table(document, &second)?);
        let below = format!("{second_above}{comments}");
        let below = if above.is_empty() { &below } else { below.trim_start_matches('\n') };
        find_table(document, &second)?.decor_mut().set_prefix(format!("{above}{below}"));
        Ok(())
    })
}

/// Returns the names of the profiles of the file, in its order. The error is a sentence.
pub fn order(config: &Path) -> Result<Vec<String>, String> {
    let text = super::read::text(config).map_err(|why| format!("{} cannot be read: {why}", config.display()))?;
    let document: DocumentMut =
        text.parse().map_err(|_| format!("{} is not valid TOML; correct it first", config.display()))?;
    Ok(names(&document))
}

/// Changes the config file, unless the change fails.
fn edit(config: &Path, edit: impl FnOnce(&mut DocumentMut) -> Result<(), EditError>) -> Result<(), String> {
    change_file(config, FileMode::Kept, |document| {
        edit(document).map_err(|why| match why {
            EditError::Config(why) => format!("{}: {why}", config.display()),
            EditError::Keys(why) => why,
        })
    })
}

/// Copies a profile's pasted keys to its new name, then changes the file: so a profile of the file always has its key.
/// If the file cannot be written, the copies are removed.
fn edit_with_keys(
    paths: &Paths,
    from: &ProfileId,
    to: &ProfileId,
    change: impl FnOnce(&mut DocumentMut) -> Result<(), EditError>,
) -> Result<(), String> {
    let mut before = None;
    let changed = edit(&paths.config, |document| {
        check_name_free(document, to)?;
        find_table(document, from)?;
        let keys = read_keys(paths, to);
        copy_keys(paths, from, to)?;
        before = Some(keys);
        change(document)
    });
    changed.map_err(|why| {
        let undone = before.map_or(Ok(()), |before| restore_keys(paths, to, &before));
        undone.err().map_or(why.clone(), |error| format!("{why}; {}", key_still_stored(to, &error)))
    })
}

/// Why the file was not changed.
enum EditError {
    /// What is wrong in it.
    Config(&'static str),
    /// A sentence about the file of keys.
    Keys(String),
}

impl From<&'static str> for EditError {
    fn from(why: &'static str) -> Self {
        Self::Config(why)
    }
}

impl From<String> for EditError {
    fn from(why: String) -> Self {
        Self::Keys(why)
    }
}

fn profiles(document: &mut DocumentMut) -> Option<&mut Table> {
    document.get_mut("profiles")?.as_table_mut()
}

fn names(document: &DocumentMut) -> Vec<String> {
    let profiles = document.get("profiles").and_then(Item::as_table_like);
    // Reserved profiles are not defined in the file.
    let defined = |name: &&str| !ProfileId((*name).to_owned()).is_reserved();
    profiles
        .map(|all| all.iter().map(|(name, _)| name).filter(defined).map(str::to_owned).collect())
        .unwrap_or_default()
}

/// Returns the table of a profile.
pub(super) fn find_table<'d>(document: &'d mut DocumentMut, id: &ProfileId) -> Result<&'d mut Table, &'static str> {
    if !names(document).contains(&id.0) {
        return Err("the profile is no longer in the file; nothing was changed");
    }
    let table = profiles(document).and_then(|profiles| profiles.get_mut(&id.0)).and_then(Item::as_table_mut);
    let table = table.filter(|table| !table.is_dotted());
    table.ok_or("the profile is written as an inline table; write it as a [table]; nothing was changed")
}

/// Checks that no profile has a name.
pub(super) fn check_name_free(document: &DocumentMut, to: &ProfileId) -> Result<(), &'static str> {
    if names(document).contains(&to.0) {
        return Err(NAME_TAKEN);
    }
    Ok(())
}

fn begins_with(document: &DocumentMut, id: &ProfileId) -> bool {
    document.get("profile").and_then(Item::as_str) == Some(&id.0)
}

/// Calls a function with a table and all tables within it that have a header in the file.
fn each_header(table: &mut Table, call: &mut impl FnMut(&mut Table)) {
    if !table.is_dotted() {
        call(table);
    }
    for (_, item) in table.iter_mut() {
        match item {
            Item::Table(inner) => each_header(inner, call),
            Item::ArrayOfTables(all) => all.iter_mut().for_each(|inner| each_header(inner, call)),
            _ => {}
        }
    }
}

/// Returns the positions of the headers of a table and of those within it, in order.
fn positions(table: &mut Table) -> Vec<isize> {
    let mut found = Vec::new();
    each_header(table, &mut |table| found.extend(table.position()));
    found.sort_unstable();
    found
}

/// Returns the lines above a header: those that a blank line separates from it, and those that belong to it.
fn split_comments(table: &Table) -> (String, String) {
    let prefix = table.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default();
    let mut from = 0;
    let mut at = 0;
    for line in prefix.split_inclusive('\n') {
        at += line.len();
        if line.trim().is_empty() {
            from = at;
        }
    }
    // Blank lines alone belong to the header.
    if prefix[..from].trim().is_empty() {
        return (String::new(), prefix.to_owned());
    }
    (prefix[..from].to_owned(), prefix[from..].to_owned())
}

/// Moves the comments above a table that was removed to the next header, or to the end of the file.
fn move_comments_down(document: &mut DocumentMut, place: Option<isize>, lines: &str) {
    if lines.is_empty() {
        return;
    }
    let next = positions(document.as_table_mut()).into_iter().find(|next| Some(*next) > place);
    let Some(next) = next else {
        let trailing = document.trailing().as_str().unwrap_or_default().to_owned();
        return document.set_trailing(format!("{lines}{trailing}"));
    };
    each_header(document.as_table_mut(), &mut |table| {
        if table.position() == Some(next) {
            let prefix = table.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default();
            let prefix = format!("{lines}{}", prefix.trim_start_matches('\n'));
            table.decor_mut().set_prefix(prefix);
        }
    });
}

/// Returns the prefix of the names of a profile's pasted keys; the server's origin follows.
fn key_prefix(id: &ProfileId) -> String {
    format!("{} @ ", id.0)
}

/// Returns the pasted keys of a profile.
fn keys_of(document: &DocumentMut, id: &ProfileId) -> Vec<(String, Item)> {
    let prefix = key_prefix(id);
    let own = document.iter().filter(|(name, _)| name.starts_with(&prefix));
    own.map(|(name, item)| (name.to_owned(), item.clone())).collect()
}

/// Reads the pasted keys of a profile from their file.
fn read_keys(paths: &Paths, id: &ProfileId) -> Vec<(String, Item)> {
    let text = super::read::text(&paths.keys()).unwrap_or_default();
    keys_of(&text.parse().unwrap_or_default(), id)
}

/// Replaces the pasted keys of a profile by those it had before.
fn restore_keys(paths: &Paths, id: &ProfileId, before: &[(String, Item)]) -> Result<(), String> {
    if read_keys(paths, id).is_empty() && before.is_empty() {
        return Ok(());
    }
    change_keys(paths, |document| {
        for (name, _) in keys_of(document, id) {
            document.remove(&name);
        }
        for (name, item) in before {
            document.insert(name, item.clone());
        }
    })
}

/// Copies a profile's pasted keys to another name.
fn copy_keys(paths: &Paths, from: &ProfileId, to: &ProfileId) -> Result<(), String> {
    let (old, new) = (key_prefix(from), key_prefix(to));
    change_keys(paths, |document| {
        for (name, item) in keys_of(document, from) {
            document.insert(&name.replacen(&old, &new, 1), item);
        }
    })
}

/// Deletes a profile's pasted keys.
fn delete_keys(paths: &Paths, id: &ProfileId) -> Result<(), String> {
    change_keys(paths, |document| {
        for (name, _) in keys_of(document, id) {
            document.remove(&name);
        }
    })
}

/// Changes the file of pasted keys, if there is one.
fn change_keys(paths: &Paths, edit: impl FnOnce(&mut DocumentMut)) -> Result<(), String> {
    let keys = paths.keys();
    if !keys.exists() {
        return Ok(());
    }
    change_file(&keys, FileMode::Private, |document| {
        edit(document);
        Ok(())
    })
}
