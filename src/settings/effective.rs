//! The settings in force, each with where it comes from: flags > environment > config file > defaults. Nothing of it is
//! secret: of headers and further fields the names are told, of a key where it comes from.

use std::borrow::Cow;

use serde_json::{Value as Json, json};

use super::load::{ASCII, Flags, Settings};
use super::profile::{KeySource, Profile, ProfileId, Proxy, origin, parts};
use super::toml_values::line_of;
use super::{config, read};

/// The variable that turns colours off, whatever flag and file say, unless it is empty.
const NO_COLOR: &str = "NO_COLOR";

/// Where a setting comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// This flag of the command line.
    Flag(&'static str),
    /// This environment variable.
    Variable(&'static str),
    /// This line of the config file.
    File(usize),
    /// Nobody has set it.
    Default,
}

impl Source {
    /// Says where a setting comes from. `config`: the name of the config file.
    pub fn words(self, config: &str) -> String {
        match self {
            Self::Flag(name) | Self::Variable(name) => name.to_owned(),
            Self::File(line) => format!("{config}, line {line}"),
            Self::Default => "default".to_owned(),
        }
    }
}

/// A setting in force.
#[derive(Clone, Debug, PartialEq)]
pub struct Effective {
    /// Its name, as a path of keys of the config file.
    pub name: String,
    /// Its value; null: it has none.
    pub value: Json,
    /// What holds without a value, in words.
    pub unset: &'static str,
    /// Where it comes from.
    pub source: Source,
}

/// Returns the settings in force, those of the profile in use among them.
pub fn effective(settings: &Settings, flags: &Flags, env: impl Fn(&str) -> Option<String>) -> Vec<Effective> {
    let text = read::text(&settings.paths.config).unwrap_or_default();
    let config = config::parse(&text, &settings.paths);
    let is_colourless = env(NO_COLOR).is_some_and(|value| !value.is_empty());
    let env = |name: &'static str| env(name).filter(|value| !value.trim().is_empty()).map(|_| Source::Variable(name));
    let config_name = settings.paths.config_name();
    let sources = Sources { text, config_name, profile: config.profile, faults: config.warnings, flags, env };
    let mut list = List(Vec::new());
    let (theme, theme_source) = if is_colourless {
        (json!("mono"), Source::Variable(NO_COLOR))
    } else if flags.theme.is_some() {
        (json!(settings.theme), Source::Flag("--theme"))
    } else {
        (json!(settings.theme), sources.of_file(&["theme"]))
    };
    list.add("profile", json!(settings.profile.0), "", sources.of_profile(&settings.profile));
    list.add("theme", theme, "by the terminal", theme_source);
    list.add("motion", json!(settings.motion), "", sources.of_file(&["motion"]));
    list.add("mouse", json!(settings.mouse), "", sources.of_file(&["mouse"]));
    list.add("ascii", json!(settings.terminal.ascii), "", sources.of_ascii());
    list.add("title", json!(settings.terminal.title), "", sources.of_file(&["title"]));
    list.add("notify", json!(settings.terminal.notify.name()), "", sources.of_file(&["notify"]));
    let enter = if settings.enter_newline { "newline" } else { "send" };
    list.add("chat.enter", json!(enter), "", sources.of_file(&["chat", "enter"]));
    if let Some(profile) = settings.profiles.get(&settings.profile) {
        list.add_profile(&settings.profile, profile, &sources);
    }
    let of_flag = |is_set: bool, name| if is_set { Source::Flag(name) } else { Source::Default };
    let paths = &settings.paths;
    list.add("config file", json!(paths.config.display().to_string()), "", of_flag(flags.config.is_some(), "--config"));
    list.add(
        "data directory",
        json!(paths.data.display().to_string()),
        "",
        of_flag(flags.data_dir.is_some(), "--data-dir"),
    );
    list.0
}

/// What says where settings come from.
struct Sources<'a, E> {
    text: String,
    config_name: Cow<'a, str>,
    /// The profile that the file names, which need not exist.
    profile: Option<String>,
    /// What is wrong in the file: a line with a fault sets nothing.
    faults: Vec<String>,
    flags: &'a Flags,
    env: E,
}

impl<E: Fn(&'static str) -> Option<Source>> Sources<'_, E> {
    fn of_file(&self, path: &[&str]) -> Source {
        let Some(line) = line_of(&self.text, path) else { return Source::Default };
        let name = &self.config_name;
        let starts = [format!("{name}, line {line}:"), format!("{name}, line {line},")];
        let is_wrong = self.faults.iter().any(|fault| starts.iter().any(|start| fault.starts_with(start.as_str())));
        if is_wrong { Source::Default } else { Source::File(line) }
    }

    fn of_ascii(&self) -> Source {
        if self.flags.ascii {
            return Source::Flag("--ascii");
        }
        (self.env)(ASCII).unwrap_or_else(|| self.of_file(&["ascii"]))
    }

    fn of_profile(&self, id: &ProfileId) -> Source {
        if self.flags.local {
            return Source::Flag("--local");
        }
        if self.flags.profile.is_some() {
            return Source::Flag("--profile");
        }
        if *id == ProfileId::env() {
            return self.of_base_url(id);
        }
        if self.profile.as_ref() == Some(&id.0) { self.of_file(&["profile"]) } else { Source::Default }
    }

    fn of_base_url(&self, id: &ProfileId) -> Source {
        if self.flags.base_url.is_some() {
            return Source::Flag("--base-url");
        }
        if *id == ProfileId::env() {
            return (self.env)("OPENAI_BASE_URL").or_else(|| (self.env)("OPENAI_API_KEY")).unwrap_or(Source::Default);
        }
        self.of_file(&["profiles", &id.0, "base_url"])
    }

    fn of_key(&self, id: &ProfileId, key: &KeySource) -> Source {
        let setting = match key {
            KeySource::None => return Source::Default,
            KeySource::Env(_) | KeySource::Kept(_) if *id == ProfileId::env() => {
                return (self.env)("OPENAI_API_KEY").unwrap_or(Source::Default);
            }
            KeySource::Env(_) => "api_key_env",
            KeySource::Command(_) => "api_key_cmd",
            KeySource::Kept(_) => "api_key_kept",
            KeySource::Keyring(_) => "api_key_keyring",
        };
        self.of_file(&["profiles", &id.0, setting])
    }
}

/// The list while it is made.
struct List(Vec<Effective>);

impl List {
    fn add(&mut self, name: impl Into<String>, value: Json, unset: &'static str, source: Source) {
        self.0.push(Effective { name: name.into(), value, unset, source });
    }

    /// Adds the settings of a profile. With the base URL of another server, what was set for its own is not in force.
    fn add_profile<E>(&mut self, id: &ProfileId, profile: &Profile, sources: &Sources<'_, E>)
    where
        E: Fn(&'static str) -> Option<Source>,
    {
        let of_file = |key: &str| sources.of_file(&["profiles", &id.0, key]);
        let name = |key: &str| format!("profiles.{}.{key}", id.0);
        let model = if sources.flags.model.is_some() { Source::Flag("--model") } else { of_file("model") };
        let unset = "the model used last, else the first that the server lists";
        self.add(name("model"), text(&profile.model), unset, model);
        if *id == ProfileId::local() {
            return;
        }
        self.add(name("base_url"), json!(parts(&profile.base_url).0), "", sources.of_base_url(id));
        self.add(name("key"), key(&profile.key), "none", sources.of_key(id, &profile.key));
        let of_env = (sources.env)("OPENAI_ORG_ID").or_else(|| (sources.env)("OPENAI_ORGANIZATION"));
        let organization = of_env.filter(|_| *id == ProfileId::env()).unwrap_or_else(|| of_file("organization"));
        let seconds = |limit: std::time::Duration| json!(limit.as_secs());
        let fine_tunes = json!(profile.fine_tunes.map_or("auto", crate::api::job::Dialect::name));
        for (key, value, unset, source) in [
            ("organization", json!(profile.organization), "none", organization),
            ("headers", names(profile.headers.keys()), "none", of_file("headers")),
            ("extra_body", names(profile.extra_body.keys()), "none", of_file("extra_body")),
            ("proxy", proxy(&profile.proxy), "by HTTPS_PROXY, ALL_PROXY and NO_PROXY", of_file("proxy")),
            ("ca_file", text(&profile.ca_file), "none", of_file("ca_file")),
            ("connect_timeout", seconds(profile.connect_limit), "", of_file("connect_timeout")),
            ("headers_timeout", seconds(profile.headers_limit), "", of_file("headers_timeout")),
            ("idle_timeout", seconds(profile.idle_limit), "", of_file("idle_timeout")),
            ("allow_http", json!(profile.allow_http), "", of_file("allow_http")),
            ("fine_tunes", fine_tunes, "", of_file("fine_tunes")),
            ("prices", names(profile.prices.iter().map(|row| &row.model)), "none", of_file("prices")),
            ("models", names(profile.models.keys()), "none", of_file("models")),
        ] {
            // What has no value although the file sets it was left out for this run.
            let source = if value.is_null() { Source::Default } else { source };
            self.add(name(key), value, unset, source);
        }
    }
}

/// Returns a text; null: it is empty.
fn text(text: &str) -> Json {
    if text.is_empty() { Json::Null } else { json!(text) }
}

/// Returns names; null: there are none.
fn names<'a>(names: impl Iterator<Item = &'a String>) -> Json {
    let names: Vec<&String> = names.collect();
    if names.is_empty() { Json::Null } else { json!(names) }
}

/// Says where a key comes from; null: there is none.
fn key(key: &KeySource) -> Json {
    if *key == KeySource::None { Json::Null } else { json!(key.words()) }
}

/// Returns a proxy without its path, user name and password.
fn proxy(proxy: &Proxy) -> Json {
    match proxy {
        Proxy::Environment => Json::Null,
        Proxy::Direct => json!("none"),
        Proxy::Through(url) => {
            let shown = origin(url);
            let (scheme, authority) = shown.split_once("://").unwrap_or(("", shown));
            json!(format!("{scheme}://{}", authority.rsplit('@').next().unwrap_or_default()))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const FILE: &str = "theme = \"pink\"\nmotion = false\nprofile = \"work\"\n[profiles.work]\n\
        base_url = \"https://a.example/v1?code=secret\"\nmodel = \"small\"\napi_key_cmd = \"echo secret\"\n\
        proxy = \"socks5://me:secret@proxy.example:1080/secret\"\n\
        headers = { X-Team = \"secret\" }\nextra_body = { tier = \"secret\" }\n";

    fn shown(file: &str, flags: Flags, vars: &[(&str, &str)]) -> Vec<(String, String, String)> {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("config.toml");
        std::fs::write(&config, file).unwrap();
        let flags = Flags { config: Some(config), data_dir: Some(folder.path().to_owned()), ..flags };
        let env = |name: &str| vars.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        let settings = Settings::load(&flags, env).unwrap().settings;
        let all = effective(&settings, &flags, env);
        all.into_iter().map(|one| (one.name, one.value.to_string(), one.source.words("config.toml"))).collect()
    }

    fn of<'a>(all: &'a [(String, String, String)], name: &str) -> (&'a str, &'a str) {
        let (_, value, source) = all.iter().find(|(known, _, _)| known == name).unwrap();
        (value, source)
    }

    #[test]
    fn a_setting_names_its_source_and_no_secret() {
        let all = shown(FILE, Flags::default(), &[]);
        for (name, value, source) in [
            ("profile", "\"work\"", "config.toml, line 3"),
            ("theme", "null", "default"),
            ("motion", "false", "config.toml, line 2"),
            ("mouse", "true", "default"),
            ("profiles.work.base_url", "\"https://a.example/v1\"", "config.toml, line 5"),
            ("profiles.work.key", "\"key command\"", "config.toml, line 7"),
            ("profiles.work.proxy", "\"socks5://proxy.example:1080\"", "config.toml, line 8"),
            ("profiles.work.headers", "[\"X-Team\"]", "config.toml, line 9"),
            ("profiles.work.idle_timeout", "90", "default"),
            ("data directory", of(&all, "data directory").0, "--data-dir"),
        ] {
            assert_eq!(of(&all, name), (value, source), "{name}");
        }
        assert!(!format!("{all:?}").contains("secret"), "{all:?}");
    }

    #[test]
    fn flags_come_before_the_environment_and_that_before_the_file() {
        let vars = [("OPENAI_API_KEY", "sk-secret"), ("OPENAI_BASE_URL", "https://b.example/v1")];
        let all = shown(FILE, Flags::default(), &vars);
        assert_eq!(of(&all, "profile"), ("\"env\"", "OPENAI_BASE_URL"));
        assert_eq!(of(&all, "profiles.env.key"), ("\"$OPENAI_API_KEY\"", "OPENAI_API_KEY"));
        assert!(!format!("{all:?}").contains("secret"), "{all:?}");
        let flags = |base_url: &str| Flags {
            profile: Some("work".to_owned()),
            base_url: Some(base_url.to_owned()),
            model: Some("large".to_owned()),
            theme: Some("mono".to_owned()),
            ..Flags::default()
        };
        let all = shown(FILE, flags("https://c.example/v1"), &vars);
        assert_eq!(of(&all, "profile"), ("\"work\"", "--profile"));
        assert_eq!(of(&all, "theme"), ("\"mono\"", "--theme"));
        assert_eq!(of(&all, "profiles.work.model"), ("\"large\"", "--model"));
        assert_eq!(of(&all, "profiles.work.base_url"), ("\"https://c.example/v1\"", "--base-url"));
        // Another server gets none of it.
        assert_eq!(of(&all, "profiles.work.headers"), ("null", "default"));
    }

    #[test]
    fn a_profile_that_does_not_exist_is_not_the_one_in_force() {
        assert_eq!(of(&shown("profile = \"gone\"\n", Flags::default(), &[]), "profile"), ("\"local\"", "default"));
    }

    #[test]
    fn the_local_service_has_a_model_alone() {
        let all = shown("", Flags { local: true, ..Flags::default() }, &[]);
        assert_eq!(of(&all, "profile"), ("\"local\"", "--local"));
        let of_profile: Vec<_> = all.iter().filter(|(name, _, _)| name.starts_with("profiles.")).collect();
        assert_eq!(of_profile.len(), 1, "{of_profile:?}");
    }
}
