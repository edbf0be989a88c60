//! Profiles of `config.toml` renamed, copied, deleted and put in another order: comments and unknown keys stay, and a
//! profile's pasted keys go with it.

use std::path::Path;

use toml_edit::{DocumentMut, Item, Table};

use super::keep::{FileMode, change, put};
use super::paths::Paths;
use super::profile::ProfileId;

const TAKEN: &str = "there is a profile of this name already; nothing was changed";

/// Says why a profile cannot have this name in the file, if it cannot. The error is a sentence.
pub fn check_free(config: &Path, to: &ProfileId) -> Result<(), String> {
    if order(config)?.contains(&to.0) {
        return Err(format!("{}: {TAKEN}", config.display()));
    }
    Ok(())
}

/// Gives a profile another name, also where the file names the one to begin with. Returns why its key is still stored
/// under the old name as well, if it is. The error is a sentence, and the profile has its old name.
pub fn rename(paths: &Paths, from: &ProfileId, to: &ProfileId) -> Result<Option<String>, String> {
    edit_with_keys(paths, from, to, |document| {
        if let Some(profiles) = profiles(document)
            && let Some(table) = profiles.remove(&from.0)
        {
            profiles.insert(&to.0, table);
        }
        if begins_with(document, from) {
            put(document.as_table_mut(), "profile", &to.0);
        }
        Ok(())
    })?;
    Ok(keys(paths, from, None, false).err().map(|why| left(from, &why)))
}

/// Says that a key is still stored that should not be.
fn left(id: &ProfileId, why: &str) -> String {
    format!("the key of {} is still stored: {why}", id.0)
}

/// Copies a profile, with its pasted keys, behind the first one. The error is a sentence.
pub fn duplicate(paths: &Paths, from: &ProfileId, to: &ProfileId) -> Result<(), String> {
    edit_with_keys(paths, from, to, |document| {
        let mut copy = own(document, from)?.clone();
        let last = positions(&mut copy).last().copied();
        each_header(&mut copy, &mut |table| table.set_position(last));
        // What is said above the header is said of the first one.
        copy.decor_mut().set_prefix("\n");
        if let Some(profiles) = profiles(document) {
            profiles.insert(&to.0, Item::Table(copy));
        }
        Ok(())
    })
}

/// Deletes a profile and its pasted keys. Where the file begins with it, the local service comes first. Returns why its
/// key is still stored, if it is. The error is a sentence, and the profile is still there.
pub fn delete(paths: &Paths, id: &ProfileId) -> Result<Option<String>, String> {
    edit(&paths.config, |document| {
        let (above, _) = heading(own(document, id)?);
        if let Some(profiles) = profiles(document)
            && let Some(Item::Table(mut table)) = profiles.remove(&id.0)
        {
            let at = positions(&mut table).first().copied();
            hand_on(document, at, &above);
        }
        if begins_with(document, id) {
            put(document.as_table_mut(), "profile", &ProfileId::local().0);
        }
        Ok(())
    })?;
    Ok(keys(paths, id, None, false).err().map(|why| left(id, &why)))
}

/// Moves a profile one place up or down among those of the file. The error is a sentence.
pub fn shift(config: &Path, id: &ProfileId, up: bool) -> Result<(), String> {
    edit(config, |document| {
        own(document, id)?;
        let names = names(document);
        let at = names.iter().position(|name| *name == id.0).unwrap_or_default();
        let first = if up { at.checked_sub(1) } else { Some(at) };
        let Some([first, second]) = first.and_then(|first| names.get(first..first + 2)) else { return Ok(()) };
        let (first, second) = (ProfileId(first.clone()), ProfileId(second.clone()));
        let (before, after) = (positions(own(document, &first)?), positions(own(document, &second)?));
        let mut free = [before.as_slice(), after.as_slice()].concat();
        free.sort_unstable();
        let mut free = free.into_iter();
        let (above, own_words) = heading(own(document, &first)?);
        for id in [&second, &first] {
            let table = own(document, id)?;
            let places: Vec<(isize, isize)> = positions(table).into_iter().zip(free.by_ref()).collect();
            each_header(table, &mut |table| {
                let place = places.iter().find(|(old, _)| Some(*old) == table.position()).map(|(_, new)| *new);
                table.set_position(place);
            });
        }
        // What stands above both and belongs to neither stays above them.
        own(document, &first)?.decor_mut().set_prefix(format!("\n{}", own_words.trim_start_matches('\n')));
        let (own_above, own_words) = heading(own(document, &second)?);
        let below = format!("{own_above}{own_words}");
        let below = if above.is_empty() { &below } else { below.trim_start_matches('\n') };
        own(document, &second)?.decor_mut().set_prefix(format!("{above}{below}"));
        Ok(())
    })
}

/// Returns the names of the profiles of the file, in its order. The error is a sentence.
pub fn order(config: &Path) -> Result<Vec<String>, String> {
    let text = super::read::text(config).map_err(|why| format!("{} cannot be read: {why}", config.display()))?;
    let document: DocumentMut = text.parse().map_err(|_| format!("{} is not valid TOML", config.display()))?;
    Ok(names(&document))
}

/// Changes the file, unless the change has an error.
fn edit(config: &Path, edit: impl FnOnce(&mut DocumentMut) -> Result<(), EditError>) -> Result<(), String> {
    change(config, FileMode::Kept, |document| {
        edit(document).map_err(|why| match why {
            EditError::Config(why) => format!("{}: {why}", config.display()),
            EditError::Keys(why) => why,
        })
    })
}

/// Changes the file after a profile's pasted keys were copied to the name that it gets: a name that is used has its key.
/// Where the file cannot be written, the copies are taken out again.
fn edit_with_keys(
    paths: &Paths,
    from: &ProfileId,
    to: &ProfileId,
    change: impl FnOnce(&mut DocumentMut) -> Result<(), EditError>,
) -> Result<(), String> {
    let mut before = None;
    let changed = edit(&paths.config, |document| {
        free(document, to)?;
        own(document, from)?;
        let own_keys = pasted(paths, to);
        keys(paths, from, Some(to), true)?;
        before = Some(own_keys);
        change(document)
    });
    changed.map_err(|why| {
        let undone = before.map_or(Ok(()), |before| put_back(paths, to, &before));
        undone.err().map_or(why.clone(), |left_there| format!("{why}; {}", left(to, &left_there)))
    })
}

/// Why the file is not changed.
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
    // Those that are defined elsewhere have no place among them.
    let defined = |name: &&str| !ProfileId((*name).to_owned()).is_reserved();
    profiles
        .map(|all| all.iter().map(|(name, _)| name).filter(defined).map(str::to_owned).collect())
        .unwrap_or_default()
}

/// The table of a profile.
pub(super) fn own<'d>(document: &'d mut DocumentMut, id: &ProfileId) -> Result<&'d mut Table, &'static str> {
    if !names(document).contains(&id.0) {
        return Err("the profile is no longer in the file; nothing was changed");
    }
    let table = profiles(document).and_then(|profiles| profiles.get_mut(&id.0)).and_then(Item::as_table_mut);
    let table = table.filter(|table| !table.is_dotted());
    table.ok_or("the profile is written as an inline table; write it as a [table]; nothing was changed")
}

/// Whether a name can be given.
pub(super) fn free(document: &DocumentMut, to: &ProfileId) -> Result<(), &'static str> {
    if names(document).contains(&to.0) {
        return Err(TAKEN);
    }
    Ok(())
}

fn begins_with(document: &DocumentMut, id: &ProfileId) -> bool {
    document.get("profile").and_then(Item::as_str) == Some(&id.0)
}

/// Calls with each table of a table that has a header in the file.
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

/// Where the headers of a table stand.
fn positions(table: &mut Table) -> Vec<isize> {
    let mut found = Vec::new();
    each_header(table, &mut |table| found.extend(table.position()));
    found.sort_unstable();
    found
}

/// The lines above a header: those that a blank line parts from it, and those that belong to it.
fn heading(table: &Table) -> (String, String) {
    let prefix = table.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default();
    let mut from = 0;
    let mut at = 0;
    for line in prefix.split_inclusive('\n') {
        at += line.len();
        if line.trim().is_empty() {
            from = at;
        }
    }
    // Blank lines alone say nothing.
    if prefix[..from].trim().is_empty() {
        return (String::new(), prefix.to_owned());
    }
    (prefix[..from].to_owned(), prefix[from..].to_owned())
}

/// Puts lines above the first header that stands behind a place, or at the end.
fn hand_on(document: &mut DocumentMut, place: Option<isize>, lines: &str) {
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

/// What the names of a profile's pasted keys begin with; the server's origin follows.
fn key_prefix(id: &ProfileId) -> String {
    format!("{} @ ", id.0)
}

/// Returns the pasted keys of a name, as they stand in the file.
fn pasted(paths: &Paths, id: &ProfileId) -> Vec<(String, Item)> {
    let text = super::read::text(&paths.keys()).unwrap_or_default();
    let document: DocumentMut = text.parse().unwrap_or_default();
    let prefix = key_prefix(id);
    let own = document.iter().filter(|(name, _)| name.starts_with(&prefix));
    own.map(|(name, item)| (name.to_owned(), item.clone())).collect()
}

/// Gives a name the pasted keys again that it had before.
fn put_back(paths: &Paths, id: &ProfileId, before: &[(String, Item)]) -> Result<(), String> {
    if pasted(paths, id).is_empty() && before.is_empty() {
        return Ok(());
    }
    let prefix = key_prefix(id);
    change(&paths.keys(), FileMode::Private, |document| {
        let now: Vec<String> = document.iter().map(|(name, _)| name.to_owned()).collect();
        for name in now.iter().filter(|name| name.starts_with(&prefix)) {
            document.remove(name);
        }
        for (name, item) in before {
            document.insert(name, item.clone());
        }
        Ok(())
    })
}

/// Copies a profile's pasted keys to another name, and deletes its own unless they stay.
fn keys(paths: &Paths, from: &ProfileId, to: Option<&ProfileId>, stay: bool) -> Result<(), String> {
    let keys = paths.keys();
    if !keys.exists() {
        return Ok(());
    }
    let prefix = key_prefix(from);
    change(&keys, FileMode::Private, |document| {
        let own: Vec<(String, Item)> = document.iter().map(|(name, item)| (name.to_owned(), item.clone())).collect();
        for (name, item) in own {
            let Some(origin) = name.strip_prefix(&prefix) else { continue };
            if let Some(to) = to {
                document.insert(&format!("{}{origin}", key_prefix(to)), item);
            }
            if !stay {
                document.remove(&name);
            }
        }
        Ok(())
    })
}
