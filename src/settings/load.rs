//! Combines flags, environment and config file, once, at the start.

use std::path::PathBuf;

use super::config::{self, Config};
use super::keep::{pasted_env_key, read_key};
use super::paths::Paths;
use super::prices::{self, PriceRow};
use super::profile::{KeySource, Profile, ProfileId, is_exposed, normalize_base_url, origin, parts};
use super::profiles::Profiles;
use super::terminal::TerminalUse;
use super::toml_values::line_of;
use super::{read, theme_files};

/// Where calls go when only a key is given.
const HOSTED: &str = "https://api.openai.com/v1";

/// The variable that asks for ASCII characters alone; `0`: not; empty: as if it were not set.
pub(super) const ASCII: &str = "BENCHTOP_ASCII";

/// What the command line says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// `--base-url`
    pub base_url: Option<String>,
    /// `--model`
    pub model: Option<String>,
    /// `--profile`
    pub profile: Option<String>,
    /// `--data-dir`
    pub data_dir: Option<PathBuf>,
    /// `--config`
    pub config: Option<PathBuf>,
    /// `--theme`
    pub theme: Option<String>,
    /// `--local`
    pub local: bool,
    /// `--ascii`
    pub ascii: bool,
}

/// The settings of this run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// All profiles; `local` is always there.
    pub profiles: Profiles,
    /// The profile to begin with.
    pub profile: ProfileId,
    /// The name of a built-in theme, or of a file of the user's; `None`: by the terminal.
    pub theme: Option<String>,
    /// Whether Enter breaks the line and Alt+Enter sends.
    pub enter_newline: bool,
    /// Whether anything may be animated.
    pub motion: bool,
    /// Whether the mouse is captured.
    pub mouse: bool,
    /// How the terminal is used besides.
    pub terminal: TerminalUse,
    /// The prices of `prices.toml`.
    pub prices: Vec<PriceRow>,
    /// Where files are.
    pub paths: Paths,
}

/// The files of settings as they were read.
struct ReadFiles {
    /// The text of `config.toml`.
    text: String,
    /// `config.toml`, with the warnings of both files.
    config: Config,
    /// `prices.toml`.
    prices: Vec<PriceRow>,
    /// Why nothing of the config file is used.
    config_error: Option<String>,
}

impl ReadFiles {
    /// Reads the files. `is_named`: the command line names the config file, so it has to be there.
    fn read(paths: &Paths, is_named: bool) -> Result<Self, Unusable> {
        let (text, trouble) = match read::text(&paths.config) {
            Ok(text) => (text, None),
            Err(error) if is_named => {
                return Err(Unusable(format!("--config: {} cannot be read: {error}", paths.config.display())));
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => (String::new(), None),
            Err(error) => (
                String::new(),
                Some(format!("{} cannot be read: {error}; default settings are used", paths.config.display())),
            ),
        };
        let mut config = config::parse(&text, paths);
        let ignored = config.is_ignored.then(|| config.warnings.first().cloned()).flatten();
        let config_error = trouble.clone().or(ignored);
        config.warnings.extend(trouble);
        let (prices, wrong) = prices::read_file(&paths.prices());
        config.warnings.extend(wrong);
        Ok(Self { text, config, prices, config_error })
    }
}

/// Returns what is wrong in the files of settings, as sentences that name file and line. Files that do not exist have
/// no faults; one that the command line names has to exist.
pub fn check_files(paths: &Paths, is_named: bool) -> Result<Vec<String>, Unusable> {
    let ReadFiles { text, config, .. } = ReadFiles::read(paths, is_named)?;
    let mut faults = config.warnings;
    let named = config.profile.map(ProfileId).filter(|id| !id.is_reserved() && !config.profiles.contains_key(id));
    if let Some(id) = named {
        let line = line_of(&text, &["profile"]).unwrap_or(1);
        faults.push(format!(
            "{}, line {line}: there is no profile {}; the workbench uses the local service",
            paths.config_name(),
            id.0
        ));
    }
    Ok(faults)
}

/// Returns whether Enter inserts a newline in message boxes, as the config file says. Without a file it does not.
pub fn enter_newline(paths: &Paths) -> bool {
    ReadFiles::read(paths, false).is_ok_and(|files| files.config.enter_newline == Some(true))
}

/// The settings, and sentences about what was wrong in their sources.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The settings.
    pub settings: Settings,
    /// Sentences about what was ignored, and why.
    pub warnings: Vec<String>,
    /// Why the config file does not say which server is used although it should; `None`: it says so, or need not. The
    /// warnings tell it, too.
    pub config_error: Option<String>,
}

/// The error when the command line or the environment names something that cannot be used: a sentence that says what to
/// do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unusable(pub String);

impl Settings {
    /// Reads all settings. What is wrong in the config file is ignored with a warning. What the command line or the
    /// environment names and cannot be used is an error: calls must not go to another server instead.
    pub fn load(flags: &Flags, env: impl Fn(&str) -> Option<String>) -> Result<Loaded, Unusable> {
        let paths = Paths::find(flags.config.as_deref(), flags.data_dir.as_deref()).map_err(Unusable)?;
        let ReadFiles { config, prices, config_error, .. } = ReadFiles::read(&paths, flags.config.is_some())?;
        let mut loaded = Self::combine(flags, env, config, paths).map_err(Unusable)?;
        loaded.settings.prices = prices;
        loaded.config_error = config_error.or(loaded.config_error);
        Ok(loaded)
    }

    fn combine(
        flags: &Flags,
        env: impl Fn(&str) -> Option<String>,
        config: Config,
        paths: Paths,
    ) -> Result<Loaded, String> {
        let env = |name: &str| env(name).filter(|value| !value.trim().is_empty());
        let Config {
            profile,
            theme,
            motion,
            mouse,
            terminal,
            enter_newline,
            mut profiles,
            mut reserved,
            mut warnings,
            profile_fault,
            is_ignored: _,
        } = config;
        if let Some(from_env) = env_profile(flags, &env, &paths, &mut warnings)? {
            profiles.insert_first(ProfileId::env(), from_env);
        }
        profiles.insert_first(ProfileId::local(), Profile::new("", KeySource::None));
        for id in [ProfileId::local(), ProfileId::env()] {
            if let (Some(profile), Some(models)) = (profiles.get_mut(&id), reserved.remove(&id)) {
                profile.models = models;
            }
        }
        let chosen = named_profile(flags, &profiles, &paths, &warnings)?;
        let (chosen, config_error) = match chosen {
            Some(id) => (id, None),
            None => configured_profile(profile, profile_fault, &paths, &profiles, &mut warnings),
        };
        if let Some(profile) = profiles.get_mut(&chosen) {
            if let Some(url) = flags.base_url.as_deref().filter(|_| chosen != ProfileId::env()) {
                use_base_url(profile, &chosen, url, &paths, &mut warnings)?;
            }
            if let Some(model) = &flags.model {
                if model.trim().is_empty() {
                    return Err("--model is empty: name a model, or leave it out".to_owned());
                }
                profile.model.clone_from(model);
            }
        }
        if let Some(name) = &flags.theme {
            theme_files::check_name(name, &paths.themes()).map_err(|why| format!("--theme: {why}"))?;
        }
        let theme = flags.theme.clone().or(theme);
        let settings = Self {
            profiles,
            profile: chosen,
            theme,
            enter_newline: enter_newline.unwrap_or(false),
            motion: motion.unwrap_or(true),
            mouse: mouse.unwrap_or(true),
            terminal: terminal.over(wants_ascii(flags, env)),
            prices: Vec::new(),
            paths,
        };
        Ok(Loaded { settings, warnings, config_error })
    }
}

/// Returns whether only ASCII characters are drawn beside text; `None`: neither flag nor environment says so.
fn wants_ascii(flags: &Flags, env: impl Fn(&str) -> Option<String>) -> Option<bool> {
    if flags.ascii { Some(true) } else { env(ASCII).filter(|value| !value.is_empty()).map(|value| value != "0") }
}

/// Returns the profile of flags and environment; `None`: they name neither a server nor a key.
fn env_profile(
    flags: &Flags,
    env: &impl Fn(&str) -> Option<String>,
    paths: &Paths,
    warnings: &mut Vec<String>,
) -> Result<Option<Profile>, String> {
    let key = env("OPENAI_API_KEY");
    // With another profile the flag is that profile's base URL.
    let is_used = !flags.local && flags.profile.as_ref().is_none_or(|name| *name == ProfileId::env().0);
    let (place, given) = match flags.base_url.clone().filter(|_| is_used) {
        Some(url) => ("--base-url", Some(url)),
        None => ("OPENAI_BASE_URL", env("OPENAI_BASE_URL")),
    };
    if key.is_none() && given.is_none() {
        return Ok(None);
    }
    let url = match normalize_base_url(given.as_deref().unwrap_or(HOSTED)) {
        Ok(url) => url,
        Err(why) if is_used => return Err(format!("{place}: {why}")),
        Err(why) => {
            warnings.push(format!("{place}: {why}"));
            return Ok(None);
        }
    };
    let named = if key.is_some() { KeySource::Env("OPENAI_API_KEY".to_owned()) } else { KeySource::None };
    let source = pasted_env_key(&paths.keys(), origin(&url), key.as_deref()).unwrap_or(named);
    let mut profile = Profile::new(url, source);
    profile.organization = env("OPENAI_ORG_ID").or_else(|| env("OPENAI_ORGANIZATION"));
    allow_http_with_warning(&mut profile, warnings);
    Ok(Some(profile))
}

/// Allows requests without encryption, as the user named the server on the command line or in the environment; warns if
/// a key is sent with them.
fn allow_http_with_warning(profile: &mut Profile, warnings: &mut Vec<String>) {
    profile.allow_http = true;
    if profile.key != KeySource::None && is_exposed(&profile.base_url) {
        warnings.push(format!(
            "the key is sent unencrypted to {}; use https if the server supports it",
            parts(&profile.base_url).0
        ));
    }
}

/// Uses a profile with the base URL of the command line. Another server gets nothing that was set up for the profile's
/// own, except a key from the environment, which is set for this run, or a key that was pasted for that server.
fn use_base_url(
    profile: &mut Profile,
    id: &ProfileId,
    url: &str,
    paths: &Paths,
    warnings: &mut Vec<String>,
) -> Result<(), String> {
    if *id == ProfileId::local() {
        return Err("--base-url: the profile local has its own server; use one or the other".to_owned());
    }
    let url = normalize_base_url(url).map_err(|why| format!("--base-url: {why}"))?;
    let before = std::mem::replace(&mut profile.base_url, url);
    let (before, now) = (origin(&before), origin(&profile.base_url).to_owned());
    if before == now {
        return Ok(());
    }
    let left_out = remove_server_settings(profile);
    if !left_out.is_empty() {
        let (left_out, name) = (left_out.join(", "), &id.0);
        warnings.push(format!("the profile {name} is for {before}; not sent to {now}: {left_out}"));
    }
    if read_key(&paths.keys(), &id.0, &now).ok().flatten().is_some() {
        profile.key = KeySource::Kept(id.0.clone());
    }
    if profile.key != KeySource::None {
        allow_http_with_warning(profile, warnings);
    }
    Ok(())
}

/// Removes from a profile what is meant for its own server alone, and returns the names of what it removed.
fn remove_server_settings(profile: &mut Profile) -> Vec<String> {
    profile.allow_http = false;
    let key = match profile.key {
        KeySource::None | KeySource::Env(_) => None,
        KeySource::Command(_) => Some("its key command"),
        KeySource::Kept(_) => Some("its stored key"),
        KeySource::Keyring(_) => Some("its key in the system's keyring"),
    };
    if key.is_some() {
        profile.key = KeySource::None;
    }
    let headers = std::mem::take(&mut profile.headers).into_keys().map(|name| format!("header {name}"));
    let rest = [
        (profile.organization.take().is_some(), "organization"),
        (!std::mem::take(&mut profile.extra_body).is_empty(), "extra_body"),
        (!std::mem::take(&mut profile.prices).is_empty(), "prices"),
        (!std::mem::take(&mut profile.ca_file).is_empty(), "ca_file"),
        (!std::mem::take(&mut profile.models).is_empty(), "parameters of models"),
    ];
    let rest = rest.into_iter().filter(|(was_there, _)| *was_there).map(|(_, name)| name.to_owned());
    key.map(str::to_owned).into_iter().chain(headers).chain(rest).collect()
}

/// Returns the profile that flags or environment say; `None`: they say none.
fn named_profile(
    flags: &Flags,
    profiles: &Profiles,
    paths: &Paths,
    warnings: &[String],
) -> Result<Option<ProfileId>, String> {
    if flags.local {
        return Ok(Some(ProfileId::local()));
    }
    if let Some(name) = &flags.profile {
        let id = ProfileId(name.clone());
        if profiles.contains_key(&id) {
            return Ok(Some(id));
        }
        if name.is_empty() {
            return Err(format!("--profile: the name is empty; {}", others(name, profiles, warnings)));
        }
        let file = paths.config.display();
        return Err(format!("--profile: there is no profile {name} in {file}; {}", others(name, profiles, warnings)));
    }
    Ok(Some(ProfileId::env()).filter(|id| profiles.contains_key(id)))
}

/// Returns the profile that the config file says, and why it is another one than the file means. `fault`: why no name
/// could be read in the file.
fn configured_profile(
    name: Option<String>,
    fault: Option<String>,
    paths: &Paths,
    profiles: &Profiles,
    warnings: &mut Vec<String>,
) -> (ProfileId, Option<String>) {
    let Some(name) = name else { return (ProfileId::local(), fault) };
    let id = ProfileId(name);
    if profiles.contains_key(&id) {
        return (id, None);
    }
    let name = &id.0;
    let found = format!("{} names the profile {name}, which does not exist", paths.config_name());
    let error = format!("{found}; {}", others(name, profiles, warnings));
    warnings.push(format!("{found}; the workbench uses the local service"));
    (ProfileId::local(), Some(error))
}

/// Says which profiles there are instead of one, and why that one was left out if the file has it.
fn others(name: &str, profiles: &Profiles, warnings: &[String]) -> String {
    let known: Vec<&str> = profiles.keys().map(|id| id.0.as_str()).collect();
    let left_out = [format!("the profile {name} "), "the file is ignored".to_owned()];
    let reason = warnings.iter().find(|warning| left_out.iter().any(|words| warning.contains(words)));
    let reason = reason.map(|reason| format!("; {reason}")).unwrap_or_default();
    format!("choose from: {}{reason}", known.join(", "))
}
