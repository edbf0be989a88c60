//! Writes `config.toml`, whose comments stay, and the file of pasted keys. A file is replaced as a whole or not at all:
//! a new file is written beside it, synced, and renamed.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use secrecy::{ExposeSecret, SecretString};
use toml_edit::{DocumentMut, Item, RawString, Table, TableLike, value};

use super::keyring;
use super::paths::{Paths, make_private};
use super::profile::{self, KeySource, Profile, ProfileId, origin};
use super::read;

/// Makes a profile the one that benchtop begins with. The error is a sentence.
pub fn set_default(config: &Path, profile: &ProfileId) -> Result<(), String> {
    change_file(config, FileMode::Kept, |document| {
        set_text(document.as_table_mut(), "profile", &profile.0);
        Ok(())
    })
}

/// Makes a theme the one that benchtop begins with; `None`: the one that fits the terminal. The error is a sentence.
pub fn set_theme(config: &Path, theme: Option<&str>) -> Result<(), String> {
    change_file(config, FileMode::Kept, |document| {
        match theme {
            Some(name) => set_text(document.as_table_mut(), "theme", name),
            None => remove_key(document.as_table_mut(), "theme"),
        }
        Ok(())
    })
}

/// Sets the model a profile of the file begins with. The error is a sentence.
pub fn set_model(config: &Path, profile: &ProfileId, model: &str) -> Result<(), String> {
    change_file(config, FileMode::Kept, |document| {
        let table = profile_table(document, &profile.0, false);
        let missing = || format!("{} has no table [profiles.{}]", config.display(), profile.0);
        set_text(table.ok_or_else(missing)?, "model", model);
        Ok(())
    })
}

/// Adds a profile, or replaces its address and key source. The error is a sentence.
pub fn save_profile(config: &Path, id: &ProfileId, profile: &Profile) -> Result<(), String> {
    change_file(config, FileMode::Kept, |document| {
        let inline =
            || format!("{} has [profiles.{}] as an inline table; write it as a [table]", config.display(), id.0);
        let table = profile_table(document, &id.0, true).ok_or_else(inline)?;
        set_text(table, "base_url", &profile.base_url);
        set_key_source(table, &profile.key);
        if profile.allow_http {
            table.insert("allow_http", value(true));
        }
        if !profile.model.is_empty() {
            set_text(table, "model", &profile.model);
        }
        if let Some(dialect) = profile.fine_tunes {
            set_text(table, "fine_tunes", dialect.name());
        }
        Ok(())
    })
}

/// Stores a profile's pasted key for an origin, in a file that only the user can read. The error is a sentence.
pub fn keep_key(keys: &Path, profile: &str, origin: &str, key: &SecretString) -> Result<(), String> {
    change_file(keys, FileMode::Private, |document| {
        set_text(document.as_table_mut(), &key_name(profile, origin), key.expose_secret());
        Ok(())
    })
}

/// Stores another key for a profile, and returns where its key comes from now, also at the next start. The key of a
/// profile that uses the system's keyring is stored there. The error is a sentence; the profile is unchanged then.
///
/// In the config file the pasted key replaces any other source: what was pasted last is meant. The environment's
/// profile has no table there, and a variable that the user sets later counts more. So its pasted key is used only as
/// long as `OPENAI_API_KEY` is the same as now.
pub fn replace_key(
    paths: &Paths,
    id: &ProfileId,
    profile: &Profile,
    env: impl Fn(&str) -> Option<String>,
    key: &SecretString,
) -> Result<KeySource, String> {
    if let KeySource::Keyring(entry) = &profile.key
        && keyring::AVAILABLE
    {
        entry.store(&profile.base_url, key)?;
        return Ok(profile.key.clone());
    }
    let of_env = *id == ProfileId::env();
    let name = if of_env { env_name(env("OPENAI_API_KEY").as_deref()) } else { id.0.clone() };
    keep_key(&paths.keys(), &name, origin(&profile.base_url), key)?;
    let source = KeySource::Kept(name);
    if !of_env && profile.key != source {
        change_file(&paths.config, FileMode::Kept, |document| {
            let (file, name) = (paths.config.display(), &id.0);
            let table = profile_table(document, name, false).ok_or_else(|| {
                format!(
                    "{file} has no [profiles.{name}] table; write the profile as a table of its own, then try again"
                )
            })?;
            // A profile used with another base URL for this run keeps the key source of its own server.
            if has_origin(table, origin(&profile.base_url)) {
                set_key_source(table, &source);
            }
            Ok(())
        })?;
    }
    Ok(source)
}

/// Returns whether a profile's table names a server of this origin.
pub(super) fn has_origin(table: &Table, wanted: &str) -> bool {
    let url = table.get("base_url").and_then(Item::as_str).map(profile::normalize_base_url);
    url.and_then(Result::ok).is_some_and(|url| origin(&url) == wanted)
}

/// Returns the source of the key that was pasted in place of this `OPENAI_API_KEY`; `None`: none was.
pub(super) fn pasted_env_key(keys: &Path, origin: &str, variable: Option<&str>) -> Option<KeySource> {
    let name = env_name(variable);
    // If the file cannot be read, the variable is used.
    read_key(keys, &name, origin).ok().flatten().map(|_| KeySource::Kept(name))
}

/// Returns what the environment's profile is called in the file of keys: it names the variable's last four characters.
fn env_name(variable: Option<&str>) -> String {
    let Some(variable) = variable.map(str::trim).filter(|variable| !variable.is_empty()) else {
        return ProfileId::env().0;
    };
    let from = variable.char_indices().rev().nth(3).map_or(0, |(at, _)| at);
    format!("{} …{}", ProfileId::env().0, &variable[from..])
}

/// Sets where a profile's key comes from, and removes all other sources.
pub(super) fn set_key_source(table: &mut Table, source: &KeySource) {
    let set = match source {
        KeySource::None => None,
        KeySource::Env(name) => Some(("api_key_env", name.into())),
        KeySource::Command(command) => Some(("api_key_cmd", command.into())),
        KeySource::Kept(_) => Some(("api_key_kept", true.into())),
        KeySource::Keyring(entry) => Some(("api_key_keyring", (&entry.service).into())),
    };
    let set = set.map(|(key, value)| {
        set_value(table, key, value);
        key
    });
    for other in ["api_key_env", "api_key_cmd", "api_key_kept", "api_key_keyring"]
        .into_iter()
        .filter(|other| set != Some(*other))
    {
        remove_key(table, other);
    }
}

/// Returns a key's name in the file: two accounts at one host have two keys, and a profile that moved to another host
/// has none.
fn key_name(profile: &str, origin: &str) -> String {
    format!("{profile} @ {origin}")
}

/// Reads the pasted key of a profile for an origin. The error is a sentence.
pub(super) fn read_key(keys: &Path, profile: &str, origin: &str) -> Result<Option<String>, String> {
    let text = match read::text(keys) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("{} cannot be read: {error}", keys.display())),
    };
    // The parser's own message is not shown: it could quote a key.
    let kept: BTreeMap<String, String> = toml_edit::de::from_str(&text)
        .map_err(|_| format!("{} is damaged; correct it, or delete it and paste the keys again", keys.display()))?;
    Ok(kept.get(&key_name(profile, origin)).cloned())
}

/// Returns the table of a profile; `make`: creates it if there is none.
pub(super) fn profile_table<'d>(document: &'d mut DocumentMut, name: &str, make: bool) -> Option<&'d mut Table> {
    if make {
        let profiles = document.entry("profiles").or_insert_with(|| {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        });
        return profiles.as_table_mut()?.entry(name).or_insert_with(|| Item::Table(Table::new())).as_table_mut();
    }
    document.get_mut("profiles")?.as_table_mut()?.get_mut(name)?.as_table_mut()
}

/// Sets a text; the comments above the key and after the value stay.
pub(super) fn set_text(table: &mut Table, key: &str, text: &str) {
    set_value(table, key, text.into());
}

/// Sets a value; the comments above the key and after the value stay.
pub(super) fn set_value(table: &mut Table, key: &str, mut new: toml_edit::Value) {
    let Some(old) = table.get_mut(key) else {
        table.insert(key, Item::Value(new));
        return;
    };
    if let Some(old) = old.as_value() {
        *new.decor_mut() = old.decor().clone();
    }
    *old = Item::Value(new);
}

/// Removes a key. No comment is lost: those above it, and those in its table, move to the key below it.
pub(super) fn remove_key(table: &mut dyn TableLike, key: &str) {
    let above = table.key(key).and_then(|key| key.leaf_decor().prefix()?.as_str().map(str::to_owned));
    let above = above.filter(|lines| lines.contains('#')).unwrap_or_default();
    let below = table.iter().skip_while(|(name, _)| *name != key).nth(1);
    let below = below.filter(|(_, item)| item.is_value()).map(|(name, _)| name.to_owned());
    let Some(item) = table.remove(key) else { return };
    let lines = format!("{above}{}", comment_lines(&item));
    if lines.is_empty() {
        return;
    }
    let other = below.or_else(|| table.iter().find(|(_, item)| item.is_value()).map(|(name, _)| name.to_owned()));
    if let Some(mut key) = other.and_then(|other| table.key_mut(&other)) {
        let prefix = key.leaf_decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default().to_owned();
        key.leaf_decor_mut().set_prefix(format!("{lines}{prefix}"));
    }
}

/// Returns the comment lines above a table and in it.
pub(super) fn comment_lines(item: &Item) -> String {
    let lines = |prefix: Option<&RawString>| -> String {
        let prefix = prefix.and_then(RawString::as_str).unwrap_or_default();
        prefix.split_inclusive('\n').filter(|line| line.contains('#')).collect()
    };
    let of_table = |table: &Table| -> String {
        let of_key = |(name, item): (&str, &Item)| {
            lines(table.key(name).and_then(|key| key.leaf_decor().prefix())) + &comment_lines(item)
        };
        lines(table.decor().prefix()) + &table.iter().map(of_key).collect::<String>()
    };
    match item {
        Item::Table(table) => of_table(table),
        Item::ArrayOfTables(tables) => tables.iter().map(of_table).collect(),
        Item::None | Item::Value(_) => String::new(),
    }
}

/// Who can read an existing file after a change.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FileMode {
    /// As before.
    Kept,
    /// The user alone, whatever it was.
    Private,
}

/// Writes a first config file, readable by the user alone. Returns whether it did: a file that is there is not touched.
/// The error is a sentence.
pub fn create(config: &Path, text: &str) -> Result<bool, String> {
    let folder = config.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let write = || -> io::Result<bool> {
        make_private(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|error| io::Error::from(error.kind()))?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        match file.persist_noclobber(config) {
            Ok(_) => Ok(true),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error.error),
        }
    };
    write().map_err(|error| format!("{} cannot be written: {error}", config.display()))
}

/// Changes a TOML file as it is now. If `edit` fails, nothing is written.
pub(super) fn change_file(
    path: &Path,
    mode: FileMode,
    edit: impl FnOnce(&mut DocumentMut) -> Result<(), String>,
) -> Result<(), String> {
    let name = path.display();
    let text = match read::text(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(format!("{name} cannot be read: {error}; nothing was changed")),
    };
    let mut document: DocumentMut =
        text.parse().map_err(|_| format!("{name} is not valid TOML; correct it first; nothing was changed"))?;
    edit(&mut document)?;
    replace_file(path, mode, document.to_string().as_bytes())
        .map_err(|error| format!("{name} cannot be written: {error}"))
}

/// Replaces a file so that at every moment either the old or the new one exists as a whole. A symbolic link is
/// followed; a new file is readable by the user alone.
fn replace_file(path: &Path, mode: FileMode, bytes: &[u8]) -> io::Result<()> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    make_private(folder)?;
    // The error's own message would name the temporary file.
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|error| io::Error::from(error.kind()))?;
    file.write_all(bytes)?;
    if let (FileMode::Kept, Ok(old)) = (mode, std::fs::metadata(&path)) {
        file.as_file().set_permissions(old.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(&path)?;
    #[cfg(unix)]
    std::fs::File::open(folder)?.sync_all()?;
    Ok(())
}
