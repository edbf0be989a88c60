//! Reads the user's own themes: `themes/NAME.toml` beside the config file.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use toml_edit::Item;

use super::file_faults::FileFaults;
use super::{limits, read};

/// Names of the built-in themes, as the command line and the config file take them.
pub const THEMES: [&str; 6] = ["dark", "light", "warm", "high-contrast", "ansi", "mono"];

/// What the list of themes calls the one that fits the terminal: no theme is set.
pub const AUTOMATIC: &str = "automatic";

/// Themes that a file can take the colours from that it does not set.
pub const BASES: [&str; 4] = ["dark", "light", "warm", "high-contrast"];

/// Roles that a file can set the colours of.
pub const ROLES: [&str; 19] = [
    "ground", "panel", "raised", "text", "muted", "faint", "accent", "model", "good", "warn", "bad", "busy", "find",
    "series1", "series2", "series3", "series4", "series5", "series6",
];

/// A theme of the user's, as its file defines it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThemeFile {
    /// Its name: the file's, without `.toml`.
    pub name: String,
    /// The theme that has the other colours.
    pub base: &'static str,
    /// Roles with their colours: red, green and blue.
    pub colours: Vec<(&'static str, [u8; 3])>,
}

/// Reads all files of themes from a folder, and returns them by name, with sentences about what is wrong in them. What
/// is right in a file is used.
pub fn read_all(folder: &Path) -> (Vec<ThemeFile>, Vec<String>) {
    let (names, mut warnings) = list(folder);
    let read_one = |name| {
        let (theme, wrong) = read_theme(folder, name);
        warnings.extend(wrong);
        theme
    };
    (names.into_iter().map(read_one).collect(), warnings)
}

/// Checks that there is a theme with this name: a built-in one, or a file in the folder. The error is a sentence.
pub(super) fn check_name(name: &str, folder: &Path) -> Result<(), String> {
    if THEMES.contains(&name) {
        return Ok(());
    }
    if name.contains(['/', '\\']) {
        let folder = folder.display();
        return Err(format!("a theme is named without a path; put its file into {folder} and name it without .toml"));
    }
    let (own, _) = list(folder);
    if own.iter().any(|own| own == name) {
        return Ok(());
    }
    let known: Vec<&str> = THEMES.into_iter().chain(own.iter().map(String::as_str)).collect();
    Err(format!("there is no theme {name}; choose from: {}", known.join(", ")))
}

/// Returns the names of the files in a folder of themes, sorted, and sentences about those that cannot be used. Without
/// the folder there are none.
fn list(folder: &Path) -> (Vec<String>, Vec<String>) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return (Vec::new(), Vec::new()),
        Err(error) => {
            return (Vec::new(), vec![format!("{} cannot be read: {error}; its themes are ignored", folder.display())]);
        }
    };
    let (mut names, mut warnings) = (Vec::new(), Vec::new());
    for entry in entries.flatten().map(|entry| entry.path()) {
        let is_theme = entry.extension().is_some_and(|ending| ending == "toml");
        let Some(name) = entry.file_stem().filter(|_| is_theme) else { continue };
        let why = match name.to_str() {
            Some(hidden) if hidden.starts_with('.') => continue,
            Some(name) if THEMES.contains(&name) => format!("{name} is a built-in theme"),
            Some(AUTOMATIC) => format!("{AUTOMATIC} means the theme that fits the terminal"),
            Some(name) if name.contains('\\') => "a name with \\ would be read as a path".to_owned(),
            Some(name) => {
                names.push(name.to_owned());
                continue;
            }
            None => "the name is not UTF-8 text".to_owned(),
        };
        let file = name.to_string_lossy();
        warnings.push(format!("themes/{file}.toml: {why}, so this file is not used; give it another name"));
    }
    names.sort_unstable();
    warnings.sort_unstable();
    if names.len() > limits::THEMES {
        let more = names.len() - limits::THEMES;
        names.truncate(limits::THEMES);
        warnings.push(format!("{}: {more} more themes are ignored; remove some files", folder.display()));
    }
    (names, warnings)
}

/// Reads a theme, and returns it with sentences about what is wrong in its file.
fn read_theme(folder: &Path, name: String) -> (ThemeFile, Vec<String>) {
    let file = format!("themes/{name}.toml");
    let mut theme = ThemeFile { name, base: BASES[0], colours: Vec::new() };
    let text = match read::text(&folder.join(format!("{}.toml", theme.name))) {
        Ok(text) => text,
        Err(error) => {
            return (theme, vec![format!("{file} cannot be read: {error}; it has the colours of {}", BASES[0])]);
        }
    };
    let mut faults = FileFaults::new(&file, &text);
    let consequence = format!("until this is corrected it has the colours of {}", BASES[0]);
    let Some(document) = faults.parse(&consequence) else { return (theme, faults.into_sentences()) };
    for (key, item) in document.as_table() {
        if key == "base" {
            match BASES.into_iter().find(|base| item.as_str() == Some(base)) {
                Some(base) => theme.base = base,
                None => {
                    let said = format!("base must be one of {}; {} is used", BASES.join(", "), theme.base);
                    faults.add(item.span(), &said);
                }
            }
            continue;
        }
        match (ROLES.into_iter().find(|role| *role == key), colour(item)) {
            (Some(role), Some(colour)) => theme.colours.push((role, colour)),
            (Some(role), None) => {
                faults.add(item.span(), &format!("{role} must be a colour such as \"#71a9f0\"; the base's is used"));
            }
            (None, _) => faults.add(item.span(), &format!("there is no role {key}; it is ignored")),
        }
    }
    (theme, faults.into_sentences())
}

/// Reads a colour: red, green and blue, two hexadecimal digits each.
fn colour(item: &Item) -> Option<[u8; 3]> {
    let digits = item.as_str()?.strip_prefix('#')?;
    // The parser of numbers would accept a sign.
    if digits.len() != 6 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let [_, red, green, blue] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
    Some([red, green, blue])
}
