//! The settings of one profile, written where they changed: comments, unknown keys and the order of keys stay. What is
//! written was read back before by the reader of the file.

use serde_json::Value as Json;
use toml_edit::{DocumentMut, Item, Table, TableLike, Value};

use super::config;
use super::edit::{free, own};
use super::keep::{FileMode, change, comments, put_source, put_value, remove};
use super::paths::Paths;
use super::profile::{KeySource, Profile, ProfileId, Proxy};
use super::toml_values::toml;

/// A profile of the file as it was read, and the text of its table.
#[derive(Clone, PartialEq)]
pub struct OpenedProfile {
    /// Its name; empty: it is not in the file yet.
    pub id: ProfileId,
    /// What the file says.
    pub profile: Profile,
    /// Its table and those within it as they stand in the file; headers may be secrets.
    text: String,
}

impl std::fmt::Debug for OpenedProfile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenedProfile").field("id", &self.id).field("profile", &self.profile).finish_non_exhaustive()
    }
}

impl OpenedProfile {
    /// A profile that is not in the file yet.
    pub fn fresh(profile: Profile) -> Self {
        Self { id: ProfileId::default(), profile, text: String::new() }
    }

    /// Whether the file has it.
    pub fn exists(&self) -> bool {
        !self.id.0.is_empty()
    }
}

/// Reads a profile from the file as it is now. The error is a sentence.
pub fn open(paths: &Paths, id: &ProfileId) -> Result<OpenedProfile, String> {
    let name = paths.config.display();
    let text = super::read::text(&paths.config).map_err(|why| format!("{name} cannot be read: {why}"))?;
    let mut document: DocumentMut = text.parse().map_err(|_| format!("{name} is not valid TOML; correct it first"))?;
    let table = whole(own(&mut document, id).map_err(|why| format!("{name}: {why}"))?);
    let read = config::read(&text);
    let profile = read.profiles.get(id).cloned().ok_or_else(|| {
        let why = read.warnings.iter().find(|warning| warning.contains(&format!("the profile {} ", id.0)));
        why.cloned().unwrap_or_else(|| format!("{name}: the profile {} cannot be used", id.0))
    })?;
    Ok(OpenedProfile { id: id.clone(), profile, text: table })
}

/// Writes what differs between the profile that was opened and `new`; a profile that is not in the file is added as
/// `id`. Where the file has changed since it was opened, nothing is written. The error is a sentence.
pub fn save(paths: &Paths, opened: &OpenedProfile, id: &ProfileId, new: &Profile) -> Result<(), String> {
    let name = paths.config.display().to_string();
    change(&paths.config, FileMode::Kept, |document| {
        let before = config::read(&document.to_string()).warnings;
        let at_file = |why: &str| format!("{name}: {why}");
        let old = if opened.exists() {
            if whole(own(document, id).map_err(at_file)?) != opened.text {
                return Err(at_file("the profile was changed in the file meanwhile; close the form and edit it again"));
            }
            opened.profile.clone()
        } else {
            free(document, id).map_err(at_file)?;
            super::keep::profile_table(document, &id.0, true)
                .ok_or_else(|| at_file("its profiles are an inline table; write them as [profiles.name]"))?;
            Profile::new("", KeySource::None)
        };
        write(own(document, id).map_err(at_file)?, &old, new).map_err(|why| at_file(&why))?;
        let read = config::read(&document.to_string());
        if read.profiles.get(id) == Some(new) {
            return Ok(());
        }
        let why = read.warnings.into_iter().find(|warning| !before.contains(warning));
        Err(why.unwrap_or_else(|| at_file("the profile would not be read as it is entered; nothing was changed")))
    })
}

/// The text of a table with those within it, which its own text leaves out.
fn whole(table: &Table) -> String {
    let mut table = table.clone();
    // What stands above its header may belong to another.
    table.decor_mut().clear();
    let mut document = DocumentMut::new();
    document.insert("profile", Item::Table(table));
    document.to_string()
}

/// Writes the settings that differ into a profile's table.
fn write(table: &mut Table, old: &Profile, new: &Profile) -> Result<(), String> {
    let organization = |profile: &Profile| profile.organization.clone().unwrap_or_default();
    for (key, before, after) in [
        ("base_url", old.base_url.clone(), new.base_url.clone()),
        ("model", old.model.clone(), new.model.clone()),
        ("organization", organization(old), organization(new)),
        ("proxy", proxy(&old.proxy), proxy(&new.proxy)),
        ("ca_file", old.ca_file.clone(), new.ca_file.clone()),
    ] {
        set(table, key, &before, &after, after.is_empty(), |text| text.as_str().into());
    }
    if old.key != new.key {
        put_source(table, &new.key);
    }
    let usual = Profile::new("", KeySource::None);
    for (key, before, after, default) in [
        ("connect_timeout", old.connect_limit, new.connect_limit, usual.connect_limit),
        ("headers_timeout", old.headers_limit, new.headers_limit, usual.headers_limit),
        ("idle_timeout", old.idle_limit, new.idle_limit, usual.idle_limit),
    ] {
        set(table, key, &before, &after, after == default, |limit| Value::from(limit.as_secs().cast_signed()));
    }
    set(table, "allow_http", &old.allow_http, &new.allow_http, !new.allow_http, |allow| Value::from(*allow));
    let texts = |profile: &Profile| {
        profile.headers.iter().map(|(name, text)| (name.clone(), Json::from(text.as_str()))).collect()
    };
    part(table, "headers", &texts(old), &texts(new))?;
    part(table, "extra_body", &old.extra_body, &new.extra_body)
}

/// Sets a key where its value differs; `unset`: it is taken out.
fn set<T: PartialEq>(table: &mut Table, key: &str, old: &T, new: &T, unset: bool, value: impl Fn(&T) -> Value) {
    if old == new {
        return;
    }
    if unset {
        remove(table, key);
    } else {
        put_value(table, key, value(new));
    }
}

/// Writes what differs of a table within a profile's.
fn part(
    table: &mut Table,
    key: &str,
    old: &serde_json::Map<String, Json>,
    new: &serde_json::Map<String, Json>,
) -> Result<(), String> {
    if old == new {
        return Ok(());
    }
    if new.is_empty() {
        remove(table, key);
        return Ok(());
    }
    let inner = table.entry(key).or_insert_with(|| Item::Table(Table::new()));
    let inner = inner.as_table_like_mut().ok_or_else(|| format!("{key} is not a table; correct it in the file"))?;
    merge(inner, old, new).map_err(|why| format!("{key}: {why}"))
}

/// Writes what differs into a table, and into those within it.
pub(super) fn merge(
    table: &mut dyn TableLike,
    old: &serde_json::Map<String, Json>,
    new: &serde_json::Map<String, Json>,
) -> Result<(), String> {
    for (name, json) in new.iter().filter(|(name, json)| old.get(*name) != Some(json)) {
        let inner = table.get_mut(name).and_then(Item::as_table_like_mut);
        let written = match (inner, old.get(name), json) {
            (Some(inner), Some(Json::Object(before)), Json::Object(after)) => merge(inner, before, after),
            _ => toml(json).map(|value| put_in(table, name, value)).map_err(str::to_owned),
        };
        written.map_err(|why| format!("{name}: {why}"))?;
    }
    // At last, so that there is a key that takes over the lines above.
    for name in old.keys().filter(|name| !new.contains_key(*name)) {
        remove(table, name);
    }
    Ok(())
}

fn put_in(table: &mut dyn TableLike, key: &str, mut value: Value) {
    let Some(old) = table.get_mut(key) else { return drop(table.insert(key, Item::Value(value))) };
    if let Some(old) = old.as_value() {
        *value.decor_mut() = old.decor().clone();
    }
    let lines = comments(old);
    *old = Item::Value(value);
    if let Some(mut key) = table.key_mut(key).filter(|_| !lines.is_empty()) {
        key.leaf_decor_mut().set_prefix(lines);
    }
}

/// The text that says which proxy is used; empty: what the environment says.
pub fn proxy(proxy: &Proxy) -> String {
    match proxy {
        Proxy::Environment => String::new(),
        Proxy::Direct => "none".to_owned(),
        Proxy::Through(url) => url.clone(),
    }
}
