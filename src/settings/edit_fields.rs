//! Reads one profile for the form, and writes the settings that were changed. Comments, unknown keys and the order of
//! keys stay. A change is written only if reading it back gives what was entered.

use serde_json::Value as Json;
use toml_edit::{DocumentMut, Item, Table, TableLike, Value};

use super::config;
use super::edit::{check_name_free, find_table};
use super::keep::{FileMode, change_file, comment_lines, remove_key, set_key_source, set_value};
use super::paths::Paths;
use super::profile::{KeySource, Profile, ProfileId, Proxy};
use super::toml_values::to_toml;

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
    /// Creates a profile that is not in the file yet.
    pub fn for_new(profile: Profile) -> Self {
        Self { id: ProfileId::default(), profile, text: String::new() }
    }

    /// Returns whether the file has it.
    pub fn exists(&self) -> bool {
        !self.id.0.is_empty()
    }
}

/// Reads a profile from the file as it is now. The error is a sentence.
pub fn open(paths: &Paths, id: &ProfileId) -> Result<OpenedProfile, String> {
    let name = paths.config.display();
    let text = super::read::text(&paths.config).map_err(|why| format!("{name} cannot be read: {why}"))?;
    let mut document: DocumentMut = text.parse().map_err(|_| format!("{name} is not valid TOML; correct it first"))?;
    let table = table_text(find_table(&mut document, id).map_err(|why| format!("{name}: {why}"))?);
    let read = config::parse(&text, paths);
    let profile = read.profiles.get(id).cloned().ok_or_else(|| {
        let why = read.warnings.iter().find(|warning| warning.contains(&format!("the profile {} ", id.0)));
        why.cloned().unwrap_or_else(|| format!("{name}: the profile {} cannot be used", id.0))
    })?;
    Ok(OpenedProfile { id: id.clone(), profile, text: table })
}

/// Writes what differs between the profile that was opened and `new`; a profile that is not in the file is added as
/// `id`. If the profile was changed in the file since it was opened, nothing is written. The error is a sentence.
pub fn save(paths: &Paths, opened: &OpenedProfile, id: &ProfileId, new: &Profile) -> Result<(), String> {
    let name = paths.config.display().to_string();
    change_file(&paths.config, FileMode::Kept, |document| {
        let before = config::parse(&document.to_string(), paths).warnings;
        let at_file = |why: &str| format!("{name}: {why}");
        let old = if opened.exists() {
            if table_text(find_table(document, id).map_err(at_file)?) != opened.text {
                return Err(at_file("the profile was changed in the file meanwhile; close the form and edit it again"));
            }
            opened.profile.clone()
        } else {
            check_name_free(document, id).map_err(at_file)?;
            super::keep::profile_table(document, &id.0, true)
                .ok_or_else(|| at_file("its profiles are an inline table; write them as [profiles.name]"))?;
            Profile::new("", KeySource::None)
        };
        write_changes(find_table(document, id).map_err(at_file)?, &old, new).map_err(|why| at_file(&why))?;
        let read = config::parse(&document.to_string(), paths);
        if read.profiles.get(id) == Some(new) {
            return Ok(());
        }
        let why = read.warnings.into_iter().find(|warning| !before.contains(warning));
        Err(why.unwrap_or_else(|| at_file("the file would not contain the profile as entered; nothing was changed")))
    })
}

/// Returns the text of a table and of those within it.
fn table_text(table: &Table) -> String {
    let mut table = table.clone();
    // Comments above its header may belong to another table.
    table.decor_mut().clear();
    let mut document = DocumentMut::new();
    document.insert("profile", Item::Table(table));
    document.to_string()
}

/// Writes the settings that differ into a profile's table.
fn write_changes(table: &mut Table, old: &Profile, new: &Profile) -> Result<(), String> {
    let organization = |profile: &Profile| profile.organization.clone().unwrap_or_default();
    for (key, before, after) in [
        ("base_url", old.base_url.clone(), new.base_url.clone()),
        ("model", old.model.clone(), new.model.clone()),
        ("organization", organization(old), organization(new)),
        ("proxy", proxy_setting(&old.proxy), proxy_setting(&new.proxy)),
        ("ca_file", old.ca_file.clone(), new.ca_file.clone()),
    ] {
        set_if_changed(table, key, &before, &after, after.is_empty(), |text| text.as_str().into());
    }
    if old.key != new.key {
        set_key_source(table, &new.key);
    }
    let default = Profile::new("", KeySource::None);
    for (key, before, after, usual) in [
        ("connect_timeout", old.connect_limit, new.connect_limit, default.connect_limit),
        ("headers_timeout", old.headers_limit, new.headers_limit, default.headers_limit),
        ("idle_timeout", old.idle_limit, new.idle_limit, default.idle_limit),
    ] {
        set_if_changed(table, key, &before, &after, after == usual, |limit| Value::from(limit.as_secs().cast_signed()));
    }
    set_if_changed(table, "allow_http", &old.allow_http, &new.allow_http, !new.allow_http, |allow| Value::from(*allow));
    let texts = |profile: &Profile| {
        profile.headers.iter().map(|(name, text)| (name.clone(), Json::from(text.as_str()))).collect()
    };
    write_inner_table(table, "headers", &texts(old), &texts(new))?;
    write_inner_table(table, "extra_body", &old.extra_body, &new.extra_body)
}

/// Sets a key if its value differs; `unset`: removes it instead.
fn set_if_changed<T: PartialEq>(
    table: &mut Table,
    key: &str,
    old: &T,
    new: &T,
    unset: bool,
    value: impl Fn(&T) -> Value,
) {
    if old == new {
        return;
    }
    if unset {
        remove_key(table, key);
    } else {
        set_value(table, key, value(new));
    }
}

/// Writes what differs of a table within a profile's.
fn write_inner_table(
    table: &mut Table,
    key: &str,
    old: &serde_json::Map<String, Json>,
    new: &serde_json::Map<String, Json>,
) -> Result<(), String> {
    if old == new {
        return Ok(());
    }
    if new.is_empty() {
        remove_key(table, key);
        return Ok(());
    }
    let inner = table.entry(key).or_insert_with(|| Item::Table(Table::new()));
    let inner = inner.as_table_like_mut().ok_or_else(|| format!("{key} is not a table; correct it in the file"))?;
    write_fields(inner, old, new).map_err(|why| format!("{key}: {why}"))
}

/// Writes the fields that differ into a table, and into those within it.
pub(super) fn write_fields(
    table: &mut dyn TableLike,
    old: &serde_json::Map<String, Json>,
    new: &serde_json::Map<String, Json>,
) -> Result<(), String> {
    for (name, json) in new.iter().filter(|(name, json)| old.get(*name) != Some(json)) {
        let inner = table.get_mut(name).and_then(Item::as_table_like_mut);
        let written = match (inner, old.get(name), json) {
            (Some(inner), Some(Json::Object(before)), Json::Object(after)) => write_fields(inner, before, after),
            _ => to_toml(json).map(|value| replace_value(table, name, value)).map_err(str::to_owned),
        };
        written.map_err(|why| format!("{name}: {why}"))?;
    }
    // Removed last, so that there is a key below that takes over their comments.
    for name in old.keys().filter(|name| !new.contains_key(*name)) {
        remove_key(table, name);
    }
    Ok(())
}

/// Sets a value of any kind in place of another; comments stay.
fn replace_value(table: &mut dyn TableLike, key: &str, mut value: Value) {
    let Some(old) = table.get_mut(key) else { return drop(table.insert(key, Item::Value(value))) };
    if let Some(old) = old.as_value() {
        *value.decor_mut() = old.decor().clone();
    }
    let lines = comment_lines(old);
    *old = Item::Value(value);
    if let Some(mut key) = table.key_mut(key).filter(|_| !lines.is_empty()) {
        key.leaf_decor_mut().set_prefix(lines);
    }
}

/// Returns the setting for a proxy; empty: the environment's proxies are used.
pub fn proxy_setting(proxy: &Proxy) -> String {
    match proxy {
        Proxy::Environment => String::new(),
        Proxy::Direct => "none".to_owned(),
        Proxy::Through(url) => url.clone(),
    }
}
