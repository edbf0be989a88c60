//! Flags, environment and config file put together, once, at the start.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::config::{self, Config};
use super::keep::instead_of_env;
use super::paths::Paths;
use super::profile::{KeySource, Profile, ProfileId, base_url, is_exposed, origin};

/// Where calls go when only a key is given.
const HOSTED: &str = "https://api.openai.com/v1";

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
}

/// What holds for this run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// All profiles; `local` is always there.
    pub profiles: BTreeMap<ProfileId, Profile>,
    /// The one to begin with.
    pub profile: ProfileId,
    /// `dark`, `light`, `ansi`, `mono`; `None`: by the terminal.
    pub theme: Option<String>,
    /// Whether Enter breaks the line and Alt+Enter sends.
    pub enter_newline: bool,
    /// Whether things may move.
    pub motion: bool,
    /// Whether the mouse is asked for.
    pub mouse: bool,
    /// Where files are.
    pub paths: Paths,
}

/// Settings, and what was wrong with their sources: sentences for the screen.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What holds.
    pub settings: Settings,
    /// What was left out and why.
    pub warnings: Vec<String>,
}

impl Settings {
    /// Reads everything. Never fails: what cannot be read is left out and said.
    pub fn load(flags: &Flags, env: impl Fn(&str) -> Option<String>) -> Loaded {
        let paths = Paths::find(flags.config.as_deref(), flags.data_dir.as_deref());
        let (text, trouble) = match std::fs::read_to_string(&paths.config) {
            Ok(text) => (text, None),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && flags.config.is_none() => {
                (String::new(), None)
            }
            Err(error) => {
                (String::new(), Some(format!("{} cannot be read: {error}; defaults hold", paths.config.display())))
            }
        };
        let mut config = config::read(&text);
        config.warnings.extend(trouble);
        Self::combine(flags, env, config, paths)
    }

    fn combine(flags: &Flags, env: impl Fn(&str) -> Option<String>, config: Config, paths: Paths) -> Loaded {
        let env = |name: &str| env(name).filter(|value| !value.trim().is_empty());
        let Config { profile, theme, motion, mouse, enter_newline, mut profiles, mut warnings } = config;
        profiles.insert(ProfileId::local(), Profile::new("", KeySource::None));
        if let Some(from_env) = from_env(flags, &env, &paths, &mut warnings) {
            profiles.insert(ProfileId::env(), from_env);
        }
        let chosen = choose(flags, profile, &profiles, &mut warnings);
        if let (Some(model), Some(profile)) = (&flags.model, profiles.get_mut(&chosen)) {
            profile.model.clone_from(model);
        }
        let theme = flags.theme.clone().or(theme);
        let settings = Self {
            profiles,
            profile: chosen,
            theme,
            enter_newline: enter_newline.unwrap_or(false),
            motion: motion.unwrap_or(true),
            mouse: mouse.unwrap_or(true),
            paths,
        };
        Loaded { settings, warnings }
    }
}

/// The profile that flags and environment make: a base URL and a key given together belong together.
fn from_env(
    flags: &Flags,
    env: &impl Fn(&str) -> Option<String>,
    paths: &Paths,
    warnings: &mut Vec<String>,
) -> Option<Profile> {
    let key = env("OPENAI_API_KEY");
    let given = flags.base_url.clone().or_else(|| env("OPENAI_BASE_URL"));
    if key.is_none() && given.is_none() {
        return None;
    }
    let url = match base_url(given.as_deref().unwrap_or(HOSTED)) {
        Ok(url) => url,
        Err(why) => {
            warnings.push(why);
            return None;
        }
    };
    let named = if key.is_some() { KeySource::Env("OPENAI_API_KEY".to_owned()) } else { KeySource::None };
    let source = instead_of_env(&paths.keys(), origin(&url), key.as_deref()).unwrap_or(named);
    if source != KeySource::None && is_exposed(&url) {
        warnings.push(format!("the key goes unencrypted to {url}; use https if the server can"));
    }
    let mut profile = Profile::new(url, source);
    profile.organization = env("OPENAI_ORG_ID").or_else(|| env("OPENAI_ORGANIZATION"));
    // Given by hand beside the key: that is the user's word.
    profile.allow_http = true;
    Some(profile)
}

fn choose(
    flags: &Flags,
    configured: Option<String>,
    profiles: &BTreeMap<ProfileId, Profile>,
    warnings: &mut Vec<String>,
) -> ProfileId {
    if flags.local {
        return ProfileId::local();
    }
    if let Some(name) = &flags.profile {
        if flags.base_url.is_some() && *name != ProfileId::env().0 {
            warnings.push(format!("--base-url is left out: the profile {name} has its own; give one of the two"));
        }
        let id = ProfileId(name.clone());
        if profiles.contains_key(&id) {
            return id;
        }
        let known: Vec<&str> = profiles.keys().map(|id| id.0.as_str()).collect();
        warnings.push(format!("there is no profile {name}; there are {}", known.join(", ")));
        return ProfileId::local();
    }
    if profiles.contains_key(&ProfileId::env()) {
        return ProfileId::env();
    }
    if flags.base_url.is_some() {
        // It could not be used, and the warning says why; going anywhere else would be a guess.
        return ProfileId::local();
    }
    match configured.map(ProfileId) {
        Some(id) if profiles.contains_key(&id) => id,
        Some(id) => {
            warnings
                .push(format!("config.toml names the profile {}, which is not there; the local service is used", id.0));
            ProfileId::local()
        }
        None => ProfileId::local(),
    }
}
