//! Reads `bindings.toml` beside the config file: keys that the user has changed. What contexts and actions there are is
//! known above; here the file is taken apart, with the line of each entry.

use std::io::ErrorKind;
use std::path::Path;

use toml_edit::{Item, TableLike};

use super::file_faults::FileFaults;
use super::read;

/// The name of the file.
pub const BINDINGS_FILE: &str = "bindings.toml";
/// The only key outside a context: the preset for text boxes.
const PRESET: &str = "text_boxes";

/// An action with the keys that it is to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindingEntry {
    /// Where it applies: `chat.transcript`.
    pub context: String,
    /// The name of the action: `copy-block`.
    pub action: String,
    /// Its keys as written; none: the action is to have no key.
    pub keys: Vec<String>,
    /// The line of the file.
    pub line: usize,
}

/// What the file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BindingsFile {
    /// The preset for text boxes, and its line.
    pub preset: Option<(String, usize)>,
    /// The changed actions, in the order of the file.
    pub entries: Vec<BindingEntry>,
    /// Contexts in which nothing stands, each with its line.
    pub empty_contexts: Vec<(String, usize)>,
    /// What is wrong in its form: sentences with the line.
    pub faults: Vec<String>,
}

/// Reads the file. Without one nothing is changed.
pub fn read(path: &Path) -> BindingsFile {
    match read::text(path) {
        Ok(text) => parse(&text),
        Err(error) if error.kind() == ErrorKind::NotFound => BindingsFile::default(),
        Err(error) => {
            let fault = format!("{BINDINGS_FILE} cannot be read: {error}; no key is changed");
            BindingsFile { faults: vec![fault], ..BindingsFile::default() }
        }
    }
}

/// Takes the text of the file apart.
pub fn parse(text: &str) -> BindingsFile {
    let faults = FileFaults::new(BINDINGS_FILE, text);
    let mut reader = BindingsReader { faults, preset: None, entries: Vec::new(), empty_contexts: Vec::new() };
    if let Some(document) = reader.faults.parse("no key is changed until this is corrected") {
        reader.table("", document.as_table());
    }
    let BindingsReader { faults, preset, mut entries, empty_contexts } = reader;
    entries.sort_by_key(|entry| entry.line);
    BindingsFile { preset, entries, empty_contexts, faults: faults.into_sentences() }
}

struct BindingsReader<'a> {
    faults: FileFaults<'a>,
    preset: Option<(String, usize)>,
    entries: Vec<BindingEntry>,
    empty_contexts: Vec<(String, usize)>,
}

impl BindingsReader<'_> {
    /// Reads the table of a context, and those in it; an empty name is the whole file.
    fn table(&mut self, context: &str, table: &dyn TableLike) {
        for (name, item) in table.iter() {
            // The key's place: the value of a table begins elsewhere.
            let span = table.key(name).and_then(toml_edit::Key::span).or_else(|| item.span());
            let line = self.faults.line(span.clone());
            match (context, name, item) {
                ("", PRESET, item) => match item.as_str() {
                    Some(preset) => self.preset = Some((preset.to_owned(), line)),
                    None => self.faults.add(span, "text_boxes must be the name of a preset in quotes; it is ignored"),
                },
                (_, _, item) if item.as_table_like().is_some_and(|_| !item.is_array_of_tables()) => {
                    let inner = if context.is_empty() { name.to_owned() } else { format!("{context}.{name}") };
                    match item.as_table_like() {
                        Some(table) if table.is_empty() => self.empty_contexts.push((inner, line)),
                        Some(table) => self.table(&inner, table),
                        None => {}
                    }
                }
                ("", ..) if strsim::jaro_winkler(name, PRESET) > 0.8 => {
                    self.faults
                        .add(span, &format!("there is no setting {name}; it is ignored; did you mean {PRESET}?"));
                }
                ("", ..) => self.faults.add(
                    span,
                    &format!("{name} is not in a context; put it under one such as [chat.transcript]; it is ignored"),
                ),
                _ => match keys(item) {
                    Some(keys) => {
                        let (context, action) = (context.to_owned(), name.to_owned());
                        self.entries.push(BindingEntry { context, action, keys, line });
                    }
                    None => self.faults.add(
                        span,
                        &format!("{name} must be a key in quotes such as \"ctrl-j\", or a list of them; it is ignored"),
                    ),
                },
            }
        }
    }
}

/// Returns the keys of an entry as written; `None`: they are no text.
fn keys(item: &Item) -> Option<Vec<String>> {
    if let Some(key) = item.as_str() {
        return Some(vec![key.to_owned()]);
    }
    item.as_array()?.iter().map(|key| key.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::settings::limits;

    #[test]
    fn entries_have_context_action_keys_and_line() {
        let text = "text_boxes = \"emacs\"\n\n[chat.transcript]\ncopy-block = \"y\"\nfind = []\n\n[shell]\nquit = [\"q\", \"f10\"]\n";
        let file = parse(text);
        let entry = |context: &str, action: &str, keys: &[&str], line| BindingEntry {
            context: context.to_owned(),
            action: action.to_owned(),
            keys: keys.iter().map(|key| (*key).to_owned()).collect(),
            line,
        };
        assert_eq!(file.preset, Some(("emacs".to_owned(), 1)));
        assert_eq!(
            file.entries,
            [
                entry("chat.transcript", "copy-block", &["y"], 4),
                entry("chat.transcript", "find", &[], 5),
                entry("shell", "quit", &["q", "f10"], 8),
            ]
        );
        assert_eq!(file.faults, [""; 0]);
        let empty = parse("[chat.transcript]\n[shell]\nquit = \"q\"\n[chat.marks]\n").empty_contexts;
        assert_eq!(empty, [("chat.transcript".to_owned(), 1), ("chat.marks".to_owned(), 4)]);
        // The same in other forms of TOML.
        let other = "chat.transcript.copy-block = \"y\"\nchat = 3\n";
        assert_eq!(parse(other).entries, []);
        assert_eq!(parse("chat.transcript.find = \"y\"").entries, [entry("chat.transcript", "find", &["y"], 1)]);
    }

    #[test]
    fn what_has_another_form_is_reported_with_its_line_and_the_rest_is_used() {
        let file = parse("text_boxes = 3\nquit = \"q\"\n[shell]\nquit = 3\nhelp = [\"f1\", 2]\npalette = \"f2\"\n");
        assert_eq!(file.entries.len(), 1);
        assert_eq!(
            file.faults,
            [
                "bindings.toml, line 1: text_boxes must be the name of a preset in quotes; it is ignored",
                "bindings.toml, line 2: quit is not in a context; put it under one such as [chat.transcript]; it is ignored",
                "bindings.toml, line 4: quit must be a key in quotes such as \"ctrl-j\", or a list of them; it is ignored",
                "bindings.toml, line 5: help must be a key in quotes such as \"ctrl-j\", or a list of them; it is ignored",
            ]
        );
        assert_eq!(
            parse("textboxes = \"vim\"\n").faults,
            ["bindings.toml, line 1: there is no setting textboxes; it is ignored; did you mean text_boxes?"]
        );
        let broken = parse("[shell]\nquit = \"q\n");
        assert_eq!((broken.entries.len(), broken.faults.len()), (0, 1));
        assert!(broken.faults[0].starts_with("bindings.toml, line 2, column "), "{}", broken.faults[0]);
    }

    #[test]
    fn a_file_with_many_faults_is_reported_briefly() {
        let lines: Vec<String> = (0..200).map(|at| format!("x{at} = 1")).collect();
        let file = parse(&lines.join("\n"));
        assert_eq!(file.faults.len(), limits::CONFIG_WARNINGS + 1);
        assert!(file.faults.last().unwrap().ends_with(": 180 more faults are not listed"));
    }

    #[test]
    fn without_the_file_nothing_is_changed_and_a_folder_is_a_fault() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(read(&home.path().join(BINDINGS_FILE)), BindingsFile::default());
        assert!(read(home.path()).faults[0].starts_with("bindings.toml cannot be read: "));
    }
}
