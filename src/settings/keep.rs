//! What benchtop writes beside its store: `config.toml` (comments kept) and the file of pasted keys. Each write is
//! whole or not at all: a new file beside the old one, synced, then renamed over it.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use secrecy::{ExposeSecret, SecretString};
use toml_edit::{DocumentMut, Item, RawString, Table, TableLike, value};

use super::keyring;
use super::paths::{Paths, make_private};
use super::profile::{self, KeySource, Profile, ProfileId, origin};
use super::read;

/// Makes a profile the one to begin with. The error is a sentence.
pub fn set_default(config: &Path, profile: &ProfileId) -> Result<(), String> {
    change(config, FileMode::Kept, |document| {
        put(document.as_table_mut(), "profile", &profile.0);
        Ok(())
    })
}

/// Sets the model a profile of the file begins with. The error is a sentence.
pub fn set_model(config: &Path, profile: &ProfileId, model: &str) -> Result<(), String> {
    change(config, FileMode::Kept, |document| {
        let table = profile_table(document, &profile.0, false);
        let missing = || format!("{} has no table [profiles.{}]", config.display(), profile.0);
        put(table.ok_or_else(missing)?, "model", model);
        Ok(())
    })
}

/// Adds a profile, or replaces its address and key source. The error is a sentence.
pub fn save_profile(config: &Path, id: &ProfileId, profile: &Profile) -> Result<(), String> {
    change(config, FileMode::Kept, |document| {
        let inline =
            || format!("{} has [profiles.{}] as an inline table; write it as a [table]", config.display(), id.0);
        let table = profile_table(document, &id.0, true).ok_or_else(inline)?;
        put(table, "base_url", &profile.base_url);
        put_source(table, &profile.key);
        if profile.allow_http {
            table.insert("allow_http", value(true));
        }
        if !profile.model.is_empty() {
            put(table, "model", &profile.model);
        }
        if let Some(dialect) = profile.fine_tunes {
            put(table, "fine_tunes", dialect.name());
        }
        Ok(())
    })
}

/// Keeps a profile's pasted key for an origin, in a file only the user can read. The error is a sentence.
pub fn keep_key(keys: &Path, profile: &str, origin: &str, key: &SecretString) -> Result<(), String> {
    change(keys, FileMode::Private, |document| {
        put(document.as_table_mut(), &place(profile, origin), key.expose_secret());
        Ok(())
    })
}

/// Keeps another key for a profile there is; where it comes from from now on, also at the next start. The error is a
/// sentence, and the profile is as it was. Where it comes from the system's keyring, it is stored there.
///
/// A profile of the config file names no other source there any more: the key that was pasted last is the one that is
/// meant. The environment's profile has no place to say so, and a variable that is set anew is the user's later word. So
/// its pasted key stands for the `OPENAI_API_KEY` of this moment alone: it holds as long as that is the same.
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
        change(&paths.config, FileMode::Kept, |document| {
            let (file, name) = (paths.config.display(), &id.0);
            let table = profile_table(document, name, false).ok_or_else(|| {
                format!(
                    "{file} has no [profiles.{name}] table; write the profile as a table of its own, then try again"
                )
            })?;
            // A profile used with another base URL for this run keeps the key source of its own server.
            if has_origin(table, origin(&profile.base_url)) {
                put_source(table, &source);
            }
            Ok(())
        })?;
    }
    Ok(source)
}

/// Whether a profile's table names a server of this origin.
pub(super) fn has_origin(table: &Table, wanted: &str) -> bool {
    let url = table.get("base_url").and_then(Item::as_str).map(profile::base_url);
    url.and_then(Result::ok).is_some_and(|url| origin(&url) == wanted)
}

/// The key pasted for the environment's profile in place of this `OPENAI_API_KEY`, if there is one.
pub(super) fn instead_of_env(keys: &Path, origin: &str, variable: Option<&str>) -> Option<KeySource> {
    let name = env_name(variable);
    // A file that cannot be read has no other key to offer.
    kept_key(keys, &name, origin).ok().flatten().map(|_| KeySource::Kept(name))
}

/// What the environment's profile is called in the file while its variable is this: told by its last four characters.
fn env_name(variable: Option<&str>) -> String {
    let Some(variable) = variable.map(str::trim).filter(|variable| !variable.is_empty()) else {
        return ProfileId::env().0;
    };
    let from = variable.char_indices().rev().nth(3).map_or(0, |(at, _)| at);
    format!("{} …{}", ProfileId::env().0, &variable[from..])
}

/// Says in a profile's table where its key comes from, and nowhere else.
pub(super) fn put_source(table: &mut Table, source: &KeySource) {
    let set = match source {
        KeySource::None => None,
        KeySource::Env(name) => Some(("api_key_env", name.into())),
        KeySource::Command(command) => Some(("api_key_cmd", command.into())),
        KeySource::Kept(_) => Some(("api_key_kept", true.into())),
        KeySource::Keyring(entry) => Some(("api_key_keyring", (&entry.service).into())),
    };
    let set = set.map(|(key, value)| {
        put_value(table, key, value);
        key
    });
    for other in ["api_key_env", "api_key_cmd", "api_key_kept", "api_key_keyring"]
        .into_iter()
        .filter(|other| set != Some(*other))
    {
        remove(table, other);
    }
}

/// A key's name in the file: two accounts at one host are two keys, and a profile that moved to another host has none.
fn place(profile: &str, origin: &str) -> String {
    format!("{profile} @ {origin}")
}

/// The key kept for a profile at an origin. The error is a sentence.
pub(super) fn kept_key(keys: &Path, profile: &str, origin: &str) -> Result<Option<String>, String> {
    let text = match read::text(keys) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("{} cannot be read: {error}", keys.display())),
    };
    // The parser's own message could quote a key.
    let kept: BTreeMap<String, String> = toml_edit::de::from_str(&text)
        .map_err(|_| format!("{} is damaged; correct it, or delete it and paste the keys again", keys.display()))?;
    Ok(kept.get(&place(profile, origin)).cloned())
}

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

/// Sets a text; the comments around the key and behind the value stay.
pub(super) fn put(table: &mut Table, key: &str, text: &str) {
    put_value(table, key, text.into());
}

/// Sets a value; the comments around the key and behind the value stay.
pub(super) fn put_value(table: &mut Table, key: &str, mut new: toml_edit::Value) {
    let Some(old) = table.get_mut(key) else {
        table.insert(key, Item::Value(new));
        return;
    };
    if let Some(old) = old.as_value() {
        *new.decor_mut() = old.decor().clone();
    }
    *old = Item::Value(new);
}

/// Takes a key out. The lines above it, and those in a table, are of the key below it from now on: a comment is never lost.
pub(super) fn remove(table: &mut dyn TableLike, key: &str) {
    let above = table.key(key).and_then(|key| key.leaf_decor().prefix()?.as_str().map(str::to_owned));
    let above = above.filter(|lines| lines.contains('#')).unwrap_or_default();
    let below = table.iter().skip_while(|(name, _)| *name != key).nth(1);
    let below = below.filter(|(_, item)| item.is_value()).map(|(name, _)| name.to_owned());
    let Some(item) = table.remove(key) else { return };
    let lines = format!("{above}{}", comments(&item));
    if lines.is_empty() {
        return;
    }
    let other = below.or_else(|| table.iter().find(|(_, item)| item.is_value()).map(|(name, _)| name.to_owned()));
    if let Some(mut key) = other.and_then(|other| table.key_mut(&other)) {
        let prefix = key.leaf_decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default().to_owned();
        key.leaf_decor_mut().set_prefix(format!("{lines}{prefix}"));
    }
}

/// The comment lines above a table and in it.
pub(super) fn comments(item: &Item) -> String {
    let lines = |prefix: Option<&RawString>| -> String {
        let prefix = prefix.and_then(RawString::as_str).unwrap_or_default();
        prefix.split_inclusive('\n').filter(|line| line.contains('#')).collect()
    };
    let of_table = |table: &Table| -> String {
        let of_key = |(name, item): (&str, &Item)| {
            lines(table.key(name).and_then(|key| key.leaf_decor().prefix())) + &comments(item)
        };
        lines(table.decor().prefix()) + &table.iter().map(of_key).collect::<String>()
    };
    match item {
        Item::Table(table) => of_table(table),
        Item::ArrayOfTables(tables) => tables.iter().map(of_table).collect(),
        Item::None | Item::Value(_) => String::new(),
    }
}

/// Whose eyes an existing file is for after a change.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FileMode {
    /// Whoever could read it before.
    Kept,
    /// The user's alone, whatever it was.
    Private,
}

/// Changes a file as it is now; where the change has an error, nothing is written.
pub(super) fn change(
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
    write_whole(path, mode, document.to_string().as_bytes())
        .map_err(|error| format!("{name} cannot be written: {error}"))
}

/// Replaces a file so that at every moment either the old or the new one is there, whole. A symbolic link is followed;
/// a new file is the user's alone.
fn write_whole(path: &Path, mode: FileMode, bytes: &[u8]) -> io::Result<()> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    make_private(folder)?;
    // Its own words name the temporary file, which nobody knows.
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
