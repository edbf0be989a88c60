//! Reads `config.toml`: valid settings are used, others become warnings that name key and line.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value};
use toml_edit::{Item, TableLike};

use super::file_faults::FileFaults;
use super::keyring::KeyringEntry;
use super::limits;
use super::model_params;
use super::paths::Paths;
use super::prices::{self, PriceRow};
use super::profile::{KeySource, Profile, ProfileId, Proxy, is_this_machine, normalize_base_url};
use super::profiles::Profiles;
use super::terminal::{Notify, TerminalConfig};
use super::theme_files;
use super::toml_values::to_json;
use crate::api::job::Dialect;
use crate::record::ModelParams;

/// What the file says.
#[derive(Debug, Default)]
pub(super) struct Config {
    pub(super) profile: Option<String>,
    /// Why no name of a profile could be read although there is the setting.
    pub(super) profile_fault: Option<String>,
    pub(super) theme: Option<String>,
    pub(super) motion: Option<bool>,
    pub(super) mouse: Option<bool>,
    pub(super) terminal: TerminalConfig,
    pub(super) enter_newline: Option<bool>,
    pub(super) profiles: Profiles,
    /// Parameter defaults of the profiles that the file does not define.
    pub(super) reserved: BTreeMap<ProfileId, ModelParams>,
    pub(super) warnings: Vec<String>,
    /// Whether the file is not TOML, so that nothing of it is used.
    pub(super) is_ignored: bool,
}

/// Parses the file's text; `paths` has its name, and the folder of the user's own themes, which it can name. TOML that
/// cannot be parsed gives one warning with line and column, and defaults.
pub(super) fn parse(text: &str, paths: &Paths) -> Config {
    let name = paths.config_name();
    let mut faults = FileFaults::new(&name, text);
    let Some(document) = faults.parse("the file is ignored until this is corrected") else {
        return Config { warnings: faults.into_sentences(), is_ignored: true, ..Config::default() };
    };
    let mut config = Config::default();
    let mut reader = ConfigReader { faults };
    for (key, item) in document.as_table() {
        match key {
            "profile" => {
                config.profile = reader.string(key, item);
                config.profile_fault =
                    config.profile.is_none().then(|| format!("{name}: profile must be text in quotes"));
            }
            "theme" => config.theme = reader.theme(item, &paths.themes()),
            "motion" => config.motion = reader.bool(key, item),
            "mouse" => config.mouse = reader.bool(key, item),
            "ascii" => config.terminal.ascii = reader.bool(key, item),
            "title" => config.terminal.title = reader.bool(key, item),
            "notify" => config.terminal.notify = reader.notify(item),
            "chat" => config.enter_newline = reader.chat(item),
            "profiles" => (config.profiles, config.reserved) = reader.profiles(item),
            _ => reader.unknown(key, item),
        }
    }
    config.warnings = reader.faults.into_sentences();
    config
}

struct ConfigReader<'a> {
    faults: FileFaults<'a>,
}

impl ConfigReader<'_> {
    fn warn(&mut self, item: &Item, what: &str) {
        self.faults.add(item.span(), what);
    }

    fn unknown(&mut self, key: &str, item: &Item) {
        self.warn(item, &format!("there is no setting {key}; it is ignored"));
    }

    fn string(&mut self, key: &str, item: &Item) -> Option<String> {
        let found = item.as_str().map(str::to_owned);
        if found.is_none() {
            self.warn(item, &format!("{key} must be text in quotes; it is ignored"));
        }
        found
    }

    fn theme(&mut self, item: &Item, themes: &Path) -> Option<String> {
        let name = self.string("theme", item)?;
        match theme_files::check_name(&name, themes) {
            Ok(()) => Some(name),
            Err(why) => {
                self.warn(item, &format!("theme is ignored: {why}"));
                None
            }
        }
    }

    fn bool(&mut self, key: &str, item: &Item) -> Option<bool> {
        let found = item.as_bool();
        if found.is_none() {
            self.warn(item, &format!("{key} must be true or false; it is ignored"));
        }
        found
    }

    fn notify(&mut self, item: &Item) -> Option<Notify> {
        let found = item.as_str().and_then(Notify::named);
        if found.is_none() {
            self.warn(item, "notify must be \"off\", \"bell\" or \"on\"; it is ignored");
        }
        found
    }

    fn table<'t>(&mut self, key: &str, item: &'t Item) -> Option<&'t dyn TableLike> {
        let found = item.as_table_like();
        if found.is_none() {
            self.warn(item, &format!("{key} must be a table; it is ignored"));
        }
        found
    }

    fn chat(&mut self, item: &Item) -> Option<bool> {
        let mut newline = None;
        for (key, item) in self.table("chat", item)?.iter() {
            match (key, item.as_str()) {
                ("enter", Some("send")) => newline = Some(false),
                ("enter", Some("newline")) => newline = Some(true),
                ("enter", _) => self.warn(item, "chat.enter must be \"send\" or \"newline\"; it is ignored"),
                _ => self.unknown(&format!("chat.{key}"), item),
            }
        }
        newline
    }

    fn profiles(&mut self, item: &Item) -> (Profiles, BTreeMap<ProfileId, ModelParams>) {
        let (mut found, mut reserved) = (Profiles::default(), BTreeMap::new());
        let Some(table) = self.table("profiles", item) else { return (found, reserved) };
        for (name, item) in table.iter() {
            let id = ProfileId(name.to_owned());
            if id.is_reserved() {
                reserved.insert(id, self.reserved(name, item));
            } else if let Some(profile) = self.profile(name, item) {
                found.insert(id, profile);
            }
        }
        (found, reserved)
    }

    /// Reads the table of a profile that the file does not define: only parameter defaults of models are used.
    fn reserved(&mut self, name: &str, item: &Item) -> ModelParams {
        let (mut models, mut reason) = (ModelParams::new(), None);
        let Some(table) = self.table(&format!("profiles.{name}"), item) else { return models };
        for (key, item) in table.iter() {
            if key == "models" {
                models = self.models(item);
            } else {
                // One warning is enough for all other settings.
                reason.get_or_insert(item);
            }
        }
        if let Some(item) = reason {
            self.warn(item, &format!("the profile name {name} is reserved; only models can be set for it"));
        }
        models
    }

    fn models(&mut self, item: &Item) -> ModelParams {
        let Some(table) = self.table("models", item) else { return ModelParams::new() };
        model_params::read_table(table, &mut |span, what| self.faults.add(span, what))
    }

    fn profile(&mut self, name: &str, item: &Item) -> Option<Profile> {
        let mut profile = Profile::new("", KeySource::None);
        for (key, item) in self.table(&format!("profiles.{name}"), item)?.iter() {
            match key {
                "base_url" => match self.string(key, item).map(|text| normalize_base_url(&text)) {
                    Some(Ok(url)) => profile.base_url = url,
                    Some(Err(why)) => {
                        self.warn(item, &format!("the profile {name} is ignored: {why}"));
                        return None;
                    }
                    None => {}
                },
                "model" => profile.model = self.string(key, item).unwrap_or_default(),
                // An empty text is the same as none.
                "organization" => profile.organization = self.string(key, item).filter(|text| !text.is_empty()),
                "api_key_env" => profile.key = self.string(key, item).map_or(KeySource::None, KeySource::Env),
                "api_key_cmd" => profile.key = self.string(key, item).map_or(KeySource::None, KeySource::Command),
                "api_key_kept" => {
                    if self.bool(key, item) == Some(true) {
                        profile.key = KeySource::Kept(name.to_owned());
                    }
                }
                "api_key_keyring" => {
                    let entry = |service| KeySource::Keyring(KeyringEntry { profile: name.to_owned(), service });
                    profile.key = self.string(key, item).map_or(KeySource::None, entry);
                }
                "api_key" => {
                    self.warn(item, "keys do not belong in this file; use api_key_env, api_key_cmd or api_key_keyring");
                }
                "headers" => profile.headers = self.headers(item),
                "extra_body" => profile.extra_body = self.extra_body(item),
                "fine_tunes" => profile.fine_tunes = self.dialect(item),
                "proxy" => {
                    profile.proxy = match self.string(key, item) {
                        None => Proxy::Environment,
                        Some(empty) if empty.is_empty() => Proxy::Environment,
                        Some(none) if none == "none" => Proxy::Direct,
                        Some(url) => Proxy::Through(url),
                    };
                }
                "prices" => profile.prices = self.prices(item),
                "models" => profile.models = self.models(item),
                "allow_http" => profile.allow_http = self.bool(key, item).unwrap_or_default(),
                "ca_file" => profile.ca_file = self.string(key, item).unwrap_or_default(),
                "connect_timeout" => self.seconds(key, item, limits::CONNECT_MOST, &mut profile.connect_limit),
                "headers_timeout" => self.seconds(key, item, limits::HEADERS_MOST, &mut profile.headers_limit),
                "idle_timeout" => self.seconds(key, item, limits::IDLE_MOST, &mut profile.idle_limit),
                _ => self.unknown(&format!("profiles.{name}.{key}"), item),
            }
        }
        if profile.base_url.is_empty() {
            self.warn(item, &format!("the profile {name} has no base_url; it is ignored"));
            return None;
        }
        if matches!(profile.proxy, Proxy::Through(_)) && is_this_machine(&profile.base_url) {
            self.warn(
                item,
                &format!("the profile {name} connects to this machine, where no proxy is used; remove proxy"),
            );
        }
        Some(profile)
    }

    fn seconds(&mut self, key: &str, item: &Item, most: i64, limit: &mut Duration) {
        match item.as_integer().and_then(|seconds| u64::try_from(seconds).ok()) {
            Some(seconds) if seconds > 0 && seconds <= most.unsigned_abs() => *limit = Duration::from_secs(seconds),
            _ => self.warn(item, &format!("{key} must be a whole number of seconds from 1 to {most}")),
        }
    }

    fn dialect(&mut self, item: &Item) -> Option<Dialect> {
        match item.as_str() {
            Some(name) if name == Dialect::FineTunes.name() => Some(Dialect::FineTunes),
            Some(name) if name == Dialect::FineTuning.name() => Some(Dialect::FineTuning),
            // The interface is found by asking the server.
            Some("auto") => None,
            _ => {
                let what =
                    "fine_tunes must be \"fine-tunes\", \"fine_tuning\" or \"auto\"; it is detected automatically";
                self.warn(item, what);
                None
            }
        }
    }

    fn prices(&mut self, item: &Item) -> Vec<PriceRow> {
        let Some(table) = self.table("prices", item) else { return Vec::new() };
        prices::read_profile_prices(table, &mut |span, what| self.faults.add(span, what))
    }

    fn headers(&mut self, item: &Item) -> BTreeMap<String, String> {
        let Some(table) = self.table("headers", item) else { return BTreeMap::new() };
        let pairs: Vec<_> = table.iter().map(|(name, item)| (name.to_owned(), self.string(name, item))).collect();
        pairs.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }

    fn extra_body(&mut self, item: &Item) -> Map<String, Value> {
        let Some(table) = self.table("extra_body", item) else { return Map::new() };
        table.iter().map(|(name, item)| (name.to_owned(), to_json(item))).collect()
    }
}
