//! `benchtop config`: the files of settings and what is in force.

use std::collections::BTreeMap;

use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::Value;

use super::request::VERSION;
use super::{Output, Status, rows};
use crate::app::{key_bindings, own_themes};
use crate::settings::bindings_file::BINDINGS_FILE;
use crate::settings::effective::{Effective, Source, effective};
use crate::settings::{Flags, Loaded, Paths, Settings, Unusable, check_files, enter_newline, keep};
use crate::text::Untrusted;
use crate::ui::keys::Chord;
use crate::ui::vim;

/// The config file that `init` writes.
const EXAMPLE: &str = include_str!("../../assets/config.toml");

/// Returns the files of settings in the order in which their faults are printed; those of themes follow. `config`: the
/// name of the config file.
fn files(config: &str) -> [&str; 3] {
    [config, "prices.toml", BINDINGS_FILE]
}

/// The command line of `benchtop config`.
#[derive(Clone, Copy, Debug, Args)]
pub struct ConfigArgs {
    /// What to do
    #[command(subcommand)]
    pub what: ConfigCommand,
}

/// What `benchtop config` does.
#[derive(Clone, Copy, Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print the path of the config file
    Path {
        /// Print the paths of all files and folders, each after its name
        #[arg(long)]
        all: bool,
    },
    /// Write a config file with every setting in comments, unless there is one
    Init,
    /// Name what is wrong in config.toml, prices.toml, bindings.toml and the files of themes
    Check {
        /// Print a line of JSON for each fault
        #[arg(long)]
        json: bool,
    },
    /// Print all actions with their keys, by the names that bindings.toml has for them
    Keys {
        /// Print a line of JSON for each action
        #[arg(long)]
        json: bool,
    },
    /// Print the settings in force, each with where it comes from
    Show {
        /// Print a line of JSON for each setting
        #[arg(long)]
        json: bool,
    },
}

/// Carries out the command.
///
/// # Errors
/// The command line or the environment names something that cannot be used.
pub fn run(
    args: ConfigArgs,
    flags: &Flags,
    env: impl Fn(&str) -> Option<String>,
    out: &mut Output,
) -> Result<Status, Unusable> {
    let paths = Paths::find(flags.config.as_deref(), flags.data_dir.as_deref()).map_err(Unusable)?;
    match args.what {
        ConfigCommand::Path { all } => {
            print_paths(&paths, all, out);
            Ok(Status::Done)
        }
        ConfigCommand::Init => Ok(init(&paths, out)),
        ConfigCommand::Check { json } => {
            let found = faults(&paths, flags.config.is_some())?;
            for note in &found.notes {
                out.notice(note.as_str());
            }
            Ok(print_faults(&found.all(&paths.config_name()), &paths.config_name(), json, out))
        }
        ConfigCommand::Keys { json } => {
            let enter_newline = enter_newline(&paths);
            for fault in key_bindings::load(&paths.bindings(), enter_newline) {
                out.notice(fault);
            }
            print_keys(enter_newline, json, out);
            Ok(Status::Done)
        }
        ConfigCommand::Show { json } => {
            let Loaded { settings, warnings, config_error } = Settings::load(flags, &env)?;
            for warning in warnings {
                out.notice(warning);
            }
            print_settings(&effective(&settings, flags, &env), &paths.config_name(), json, out);
            Ok(if config_error.is_some() { Status::Config } else { Status::Done })
        }
    }
}

fn print_paths(paths: &Paths, all: bool, out: &mut Output) {
    if !all {
        return out.line(&paths.config.display().to_string().into());
    }
    let named = [
        ("config", paths.config.clone()),
        ("keys", paths.keys()),
        ("prices", paths.prices()),
        ("bindings", paths.bindings()),
        ("themes", paths.themes()),
        ("data", paths.data.clone()),
        ("store", paths.store()),
        ("logs", paths.logs()),
    ];
    let all = named.map(|(name, path)| [Untrusted::from(name), path.display().to_string().into()]);
    rows::print(["NAME", "PATH"], &all, out);
}

fn init(paths: &Paths, out: &mut Output) -> Status {
    let path = paths.config.display();
    match keep::create(&paths.config, EXAMPLE) {
        Ok(true) => {
            out.line(&path.to_string().into());
            Status::Done
        }
        Ok(false) => {
            out.notice(format!("{path} is there already: it was not changed"));
            Status::Usage
        }
        Err(why) => {
            out.notice(why);
            Status::Usage
        }
    }
}

/// What is to be said of the files of settings.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// What is wrong, by file and line.
    pub faults: Vec<String>,
    /// A sentence for each role of a theme that is too faint, by file.
    pub faint: BTreeMap<String, Vec<String>>,
    /// Remarks.
    pub notes: Vec<String>,
}

impl Faults {
    /// Returns what is wrong and what is too faint, by file and line; the config file has this name.
    fn all(&self, config: &str) -> Vec<String> {
        let of_file = |(file, said): (&String, &Vec<String>)| -> Vec<String> {
            said.iter().map(|said| format!("{file}: {said}")).collect()
        };
        let mut all = self.faults.clone();
        all.extend(self.faint.iter().flat_map(of_file));
        sort(&mut all, config);
        all
    }
}

/// Returns what is to be said of the files of settings.
///
/// # Errors
/// The config file that the command line names cannot be read.
pub fn faults(paths: &Paths, is_named: bool) -> Result<Faults, Unusable> {
    let themes = own_themes::check(paths);
    let keys = key_bindings::check(&paths.bindings(), enter_newline(paths));
    let mut faults = [check_files(paths, is_named)?, keys, themes.faults].concat();
    sort(&mut faults, &paths.config_name());
    Ok(Faults { faults, faint: themes.faint, notes: themes.notes })
}

/// Puts sentences about the files of settings in order, by file and line; the config file has this name.
fn sort(faults: &mut [String], config: &str) {
    let files = files(config);
    faults.sort_by_cached_key(|fault| {
        let FaultJson { file, line, column, .. } = FaultJson::of(fault, config);
        let place = file.map_or(0, |file| 1 + files.iter().position(|known| *known == file).unwrap_or(files.len()));
        // What has no line is about the whole file, such as how many faults are left out.
        (place, file.map(str::to_owned), line.unwrap_or(u64::MAX), column)
    });
}

fn print_faults(faults: &[String], config: &str, json: bool, out: &mut Output) -> Status {
    for fault in faults {
        if json {
            out.json(&FaultJson::of(fault, config));
        } else {
            out.line(&fault.as_str().into());
        }
    }
    if faults.is_empty() {
        out.notice("no faults");
        Status::Done
    } else {
        Status::Config
    }
}

fn print_keys(enter_newline: bool, json: bool, out: &mut Output) {
    let mut rows = Vec::new();
    for table in key_bindings::listed_keys(enter_newline) {
        let has_modes = table.context.is_typing && vim::is_enabled();
        let is_key = |chord: &&Chord| !has_modes || !vim::is_escape_and_letter(&chord.event());
        for action in table.own_actions() {
            let keys: Vec<String> = action.keys.iter().filter(is_key).map(|chord| chord.name()).collect();
            let (context, name, does) = (action.name.context, action.name.name.as_str(), action.does);
            if json {
                let default = action.defaults.iter().map(|chord| chord.name()).collect();
                out.json(&KeysJson { version: VERSION, context, action: name, keys, default, does });
            } else {
                let keys = if keys.is_empty() { "(none)".to_owned() } else { keys.join(" ") };
                rows.push([context.into(), name.into(), Untrusted::from(keys), does.into()]);
            }
        }
    }
    if !json {
        rows::print(["CONTEXT", "ACTION", "KEYS", "DOES"], &rows, out);
    }
}

fn print_settings(all: &[Effective], config: &str, json: bool, out: &mut Output) {
    if json {
        for setting in all {
            out.json(&SettingJson::of(setting));
        }
        return;
    }
    let row = |setting: &Effective| {
        let value = match &setting.value {
            Value::Null => format!("({})", setting.unset).into(),
            Value::String(text) => text.as_str().into(),
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ").into(),
            other => Untrusted::from(other.to_string()),
        };
        [setting.name.as_str().into(), value, setting.source.words(config).into()]
    };
    let all: Vec<_> = all.iter().map(row).collect();
    rows::print(["SETTING", "VALUE", "FROM"], &all, out);
}

/// A fault as JSON.
#[derive(Debug, Serialize)]
struct FaultJson<'a> {
    version: u32,
    /// The name of the config file, `prices.toml`, `bindings.toml` or `themes/NAME.toml`; null: it concerns no single file.
    file: Option<&'a str>,
    line: Option<u64>,
    column: Option<u64>,
    message: &'a str,
}

impl<'a> FaultJson<'a> {
    /// Takes a sentence apart that begins with file, line and perhaps column. `config`: the name of the config file.
    fn of(fault: &'a str, config: &str) -> Self {
        let plain = Self { version: VERSION, file: None, line: None, column: None, message: fault };
        let Some((place, message)) = fault.split_once(": ") else { return plain };
        let mut parts = place.split(", ");
        let file = parts.next().filter(|name| files(config).contains(name) || name.starts_with("themes/"));
        let mut number = |name: &str| parts.next()?.strip_prefix(name)?.parse().ok();
        let (line, column) = (number("line "), number("column "));
        if file.is_some() { Self { file, line, column, message, ..plain } } else { plain }
    }
}

/// An action with its keys as JSON.
#[derive(Debug, Serialize)]
struct KeysJson<'a> {
    version: u32,
    context: &'static str,
    action: &'a str,
    keys: Vec<String>,
    /// The keys that it has unless they are changed.
    default: Vec<String>,
    does: &'static str,
}

/// A setting as JSON.
#[derive(Debug, Serialize)]
struct SettingJson<'a> {
    version: u32,
    name: &'a str,
    /// Null: it has none.
    value: &'a Value,
    /// `flag`, `variable`, `file` or `default`.
    from: &'static str,
    /// Of the flag or variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    from_name: Option<&'static str>,
    /// Of the config file.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

impl<'a> SettingJson<'a> {
    fn of(setting: &'a Effective) -> Self {
        let (from, from_name, line) = match setting.source {
            Source::Flag(name) => ("flag", Some(name), None),
            Source::Variable(name) => ("variable", Some(name), None),
            Source::File(line) => ("file", None, Some(line)),
            Source::Default => ("default", None, None),
        };
        Self { version: VERSION, name: &setting.name, value: &setting.value, from, from_name, line }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_example_has_no_fault_as_it_is_and_with_every_setting_in_force() {
        let home = tempfile::tempdir().unwrap();
        let paths = Paths::find(Some(&home.path().join("config.toml")), Some(home.path())).unwrap();
        let faults = |text: &str| {
            std::fs::write(&paths.config, text).unwrap();
            check_files(&paths, true).unwrap()
        };
        assert_eq!(faults(EXAMPLE), [""; 0]);
        let is_setting = |line: &str| {
            let name = line.split(" = ").next().unwrap_or_default();
            let is_name = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '-');
            (line.starts_with('[') && line.ends_with(']')) || (name.len() < line.len() && name.chars().all(is_name))
        };
        let in_force: Vec<&str> = EXAMPLE
            .lines()
            .map(|line| line.strip_prefix("# ").filter(|line| is_setting(line)).unwrap_or(line))
            .collect();
        assert_eq!(faults(&in_force.join("\n")), [""; 0]);
        assert!(in_force.iter().filter(|line| !line.starts_with('#')).count() > 35);
        // Those that the settings show, and the sources of keys.
        let flags = Flags { config: Some(paths.config.clone()), ..Flags::default() };
        let settings = Settings::load(&flags, |_| None).unwrap().settings;
        for setting in effective(&settings, &flags, |_| None) {
            let is_file = !setting.name.contains(' ');
            assert!(!is_file || matches!(setting.source, Source::File(_)), "{} is not in the example", setting.name);
        }
    }

    #[test]
    fn a_fault_s_place_is_told_apart() {
        let place = |fault| {
            let json = FaultJson::of(fault, "config.toml");
            (json.file, json.line, json.column, json.message)
        };
        assert_eq!(place("config.toml, line 3: a: b"), (Some("config.toml"), Some(3), None, "a: b"));
        assert_eq!(place("prices.toml, line 1, column 7: x"), (Some("prices.toml"), Some(1), Some(7), "x"));
        assert_eq!(place("bindings.toml, line 2: x"), (Some("bindings.toml"), Some(2), None, "x"));
        assert_eq!(place("themes/a.toml: faint"), (Some("themes/a.toml"), None, None, "faint"));
        let other = FaultJson::of("mine.toml, line 2: x", "mine.toml");
        assert_eq!((other.file, other.line), (Some("mine.toml"), Some(2)));
        assert_eq!(place("config.toml: 3 more"), (Some("config.toml"), None, None, "3 more"));
        assert_eq!(place("/a/config.toml cannot be read: x"), (None, None, None, "/a/config.toml cannot be read: x"));
    }
}
