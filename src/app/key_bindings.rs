//! Keys that the user has changed: what the file says is checked against all tables of keys, and put in force.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

pub use super::all_keys::listed_keys;
use crate::settings::bindings_file::{self, BINDINGS_FILE, BindingEntry, BindingsFile};
use crate::settings::keep;
use crate::ui::key_table::{self, ActionName, KeyChanges, KeyContext, KeyPlace, ListedAction, ListedKeys};
use crate::ui::keys::{Chord, FUNCTION_KEYS};
use crate::ui::vim;

/// Presets for text boxes, each with its bindings in the form of the file.
const PRESETS: [(&str, &str); 3] =
    [("default", ""), ("emacs", include_str!("../../assets/bindings/emacs.toml")), (VIM, "")];
/// The preset whose text boxes have modes.
const VIM: &str = "vim";
/// The context of the shell's own keys, which come before those of the tabs.
const SHELL: &str = "shell";
/// The context of the keys of all text boxes.
const TEXT_BOX: &str = "text-box";
/// The context of lists to choose from, whose keys for movements are those of text boxes.
const PICKER: &str = "picker";
/// The shell's actions that come before the keys of its own dialogs, besides those that go to a tab.
const BEFORE_DIALOGS: [&str; 6] = ["help", "quit", "suspend", "repaint", "mouse", "pager"];
/// The shell's action whose keys are read as Esc, wherever they are pressed.
const BACK: &str = "back";
/// The key after which text boxes have other keys. Only that of Complete's text can be changed.
const PREFIX: &str = "ctrl-x";
/// Keys that always go back, stop or quit: no change takes them from the actions that have them.
const WAYS_OUT: [&str; 3] = ["esc", "ctrl-c", "ctrl-q"];

/// Reads the file and puts it in force in place of what was; returns sentences about what is wrong in it. What is right
/// is used, and the other actions keep their keys. `enter_newline`: the defaults are those where Enter inserts a newline.
pub fn load(path: &Path, enter_newline: bool) -> Vec<String> {
    let file = bindings_file::read(path);
    let (changes, faults) = resolve(&file, enter_newline);
    key_table::apply(changes);
    vim::enable(file.preset.is_some_and(|(name, _)| name == VIM));
    faults
}

/// Returns sentences about what is wrong in the file.
pub fn check(path: &Path, enter_newline: bool) -> Vec<String> {
    resolve(&bindings_file::read(path), enter_newline).1
}

/// Writes a first file, which changes nothing, unless there is one. The error is a sentence.
pub fn create(path: &Path, enter_newline: bool) -> Result<(), String> {
    if path.exists() { Ok(()) } else { keep::create(path, &first_file(enter_newline)).map(drop) }
}

/// Returns the text of a first file: all actions with their keys, in comments.
fn first_file(enter_newline: bool) -> String {
    let mut text = String::from(
        "# Keys of benchtop. An entry sets all keys of an action: one in quotes, a list of them, or [] for none.\n\
         # Keys are written as \"x\", \"X\", \"ctrl-x\", \"alt-x\", \"shift-f5\", \"f5\", \"enter\", \"space\".\n\
         # To change one, remove the # before the action and before its [context]. Changes take effect when the editor closes.\n\
         # `benchtop config check` names what is wrong here, and `benchtop config keys` lists the keys in force.\n\n\
         # Keys of text boxes: \"default\", \"emacs\" or \"vim\".\n\
         # text_boxes = \"default\"\n",
    );
    for table in listed_keys(enter_newline) {
        let _ = writeln!(text, "\n# [{}]", table.context.name);
        for action in table.own_actions() {
            let names: Vec<String> = action.defaults.iter().map(|chord| quoted(*chord)).collect();
            let does = if action.does.is_empty() { String::new() } else { format!("  # {}", action.does) };
            let _ = writeln!(text, "# {} = [{}]{does}", action.name.name, names.join(", "));
        }
    }
    text
}

/// Returns a chord as TOML.
fn quoted(chord: Chord) -> String {
    format!("\"{}\"", chord.name().replace('\\', "\\\\").replace('"', "\\\""))
}

/// An action whose keys the file changes.
#[derive(Clone, Debug)]
struct ChangedAction {
    name: ActionName,
    keys: Vec<Chord>,
    line: usize,
}

/// Returns the changes that a file makes, its preset included, and sentences about what is wrong in it, by line.
fn resolve(file: &BindingsFile, enter_newline: bool) -> (KeyChanges, Vec<String>) {
    let mut faults = file.faults.clone();
    if file.preset.is_none() && file.entries.is_empty() && file.empty_contexts.is_empty() {
        faults.sort_by_key(|fault| line_of(fault));
        return (KeyChanges::new(), faults);
    }
    let tables = listed_keys(enter_newline);
    let preset = preset(file, &mut faults);
    for (context, line) in &file.empty_contexts {
        faults.extend(table_of(context, &tables).err().map(|why| format!("{BINDINGS_FILE}, line {line}: {why}")));
    }
    let mut changes = Vec::new();
    for entry in &file.entries {
        match change(entry, &tables) {
            Ok(change) => changes.push(change),
            Err(why) => faults.push(format!("{BINDINGS_FILE}, line {}: {why}", entry.line)),
        }
    }
    let preset: Vec<ChangedAction> = preset.iter().filter_map(|entry| change(entry, &tables).ok()).collect();
    // Without a change others can be in conflict that it had made room for.
    while let Some((at, why)) = last_conflict(&tables, &preset, &changes) {
        let change = changes.remove(at);
        faults.push(format!("{BINDINGS_FILE}, line {}: {why}", change.line));
    }
    let mut all = KeyChanges::new();
    for ChangedAction { name, keys, .. } in preset.into_iter().chain(changes) {
        all.entry(name.context.to_owned()).or_default().insert(name.name, keys);
    }
    let has_no_key = |action: &str| all.get(SHELL).and_then(|own| own.get(action)).is_some_and(Vec::is_empty);
    if ["help", "palette"].into_iter().all(has_no_key) {
        faults.push(format!(
            "{BINDINGS_FILE}: neither help nor palette of {SHELL} has a key, so nothing lists the other keys; give one of \
             them a key"
        ));
    }
    faults.sort_by_key(|fault| line_of(fault));
    (all, faults)
}

/// Returns the line that a sentence about the file names; one that names none is the last.
fn line_of(fault: &str) -> usize {
    let place = fault.strip_prefix(BINDINGS_FILE).and_then(|rest| rest.strip_prefix(", line "));
    place.and_then(|rest| rest.split([':', ',']).next()?.parse().ok()).unwrap_or(usize::MAX)
}

/// Returns the entries of the preset that a file names.
fn preset(file: &BindingsFile, faults: &mut Vec<String>) -> Vec<BindingEntry> {
    let Some((name, line)) = &file.preset else { return Vec::new() };
    if let Some((_, text)) = PRESETS.iter().find(|(known, _)| known == name) {
        return bindings_file::parse(text).entries;
    }
    let known = PRESETS.map(|(name, _)| name).join(", ");
    faults.push(format!(
        "{BINDINGS_FILE}, line {line}: there is no preset {name} for text boxes; choose from: {known}; default is used"
    ));
    Vec::new()
}

/// Returns what an entry changes; the error is a sentence.
fn change(entry: &BindingEntry, tables: &[ListedKeys]) -> Result<ChangedAction, String> {
    let BindingEntry { context, action, keys, line } = entry;
    let table = table_of(context, tables)?;
    let Some(found) = table.own_actions().find(|found| found.name.name == *action) else {
        let near = nearest(action, table.own_actions().map(|found| found.name.name.as_str()));
        return Err(format!("{context} has no action {action}; it is ignored{near}"));
    };
    let ways_out = found.defaults.iter().copied().filter(|chord| WAYS_OUT.contains(&chord.name().as_str()));
    let mut chords = Vec::new();
    for key in keys {
        let chord =
            usable_key(key, table.context, found).map_err(|why| format!("{key:?} {why}; {action} keeps its keys"))?;
        if !chords.contains(&chord) {
            chords.push(chord);
        }
    }
    for chord in ways_out {
        if !chords.contains(&chord) {
            chords.push(chord);
        }
    }
    Ok(ChangedAction { name: found.name.clone(), keys: chords, line: *line })
}

/// Returns the table of a context; the error is a sentence.
fn table_of<'a>(context: &str, tables: &'a [ListedKeys]) -> Result<&'a ListedKeys, String> {
    let names = || tables.iter().map(|table| table.context.name);
    if let Some(at) = names().position(|name| name == context) {
        return Ok(&tables[at]);
    }
    let begin = format!("{context}.");
    let longer: Vec<&str> = names().filter(|name| name.starts_with(&begin)).collect();
    let which = if longer.is_empty() {
        format!("`benchtop config keys` lists all{}", nearest(context, names()))
    } else {
        format!("these begin with it: {}", longer.join(", "))
    };
    Err(format!("there is no context {context}; it is ignored; {which}"))
}

/// Returns a key that an action can have in a context; the error says what is wrong with it.
fn usable_key(key: &str, context: KeyContext, action: &ListedAction) -> Result<Chord, String> {
    let chord = Chord::parse(key).ok_or_else(|| no_key(key))?;
    let name = context.name;
    if let Some(other) = chord.reported_as() {
        return Err(format!("is reported as {:?} by terminals: use another key", other.name()));
    }
    if chord.begins_others() {
        return Err("is how other keys begin in what terminals send: use another key".to_owned());
    }
    if chord.types() && context.is_typing {
        return Err(format!("types a character in {name}: use a key with ctrl or alt"));
    }
    if chord.has_shift() && context.ignores_shift {
        return Err(format!("does in {name} what it does without shift: use a key without shift"));
    }
    let takes_prefix = (context.is_typing || name == SHELL) && !action.defaults.contains(&chord);
    if takes_prefix && chord.name() == PREFIX {
        return Err("begins keys of two in text boxes: use another key".to_owned());
    }
    if chord.name() == WAYS_OUT[0] && !action.defaults.contains(&chord) {
        return Err("always goes back: use another key".to_owned());
    }
    Ok(chord)
}

/// Says why a text is no key.
fn no_key(text: &str) -> String {
    let number = text.rsplit(['-', '+']).next().and_then(|name| name.strip_prefix(['f', 'F']));
    if number.is_some_and(|number| number.parse::<u32>().is_ok()) {
        return format!(
            "is not a key: function keys are \"f{}\" to \"f{}\"",
            FUNCTION_KEYS.start(),
            FUNCTION_KEYS.end()
        );
    }
    "is not a key: keys are written as \"x\", \"ctrl-x\", \"alt-x\", \"f5\", \"enter\"".to_owned()
}

/// Returns the known name that was probably meant, as the end of a sentence; empty: none is alike.
fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let scored = known.map(|known| (strsim::jaro_winkler(name, known), known));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(score, _)| *score > 0.8);
    best.map(|(_, known)| format!("; did you mean {known}?")).unwrap_or_default()
}

/// Returns the number of the last change whose key another action has already, and what is to be said of it.
fn last_conflict(
    tables: &[ListedKeys],
    preset: &[ChangedAction],
    changes: &[ChangedAction],
) -> Option<(usize, String)> {
    let mut changed: HashMap<&ActionName, &[Chord]> = HashMap::new();
    for ChangedAction { name, keys, .. } in preset.iter().chain(changes) {
        changed.insert(name, keys);
    }
    let keys = |action: &'_ ListedAction| {
        changed.get(&action.name).map_or_else(|| action.defaults.clone(), |keys| keys.to_vec())
    };
    let shell = tables.iter().find(|table| table.context.name == SHELL)?;
    for (at, ChangedAction { name, keys: new, .. }) in changes.iter().enumerate().rev() {
        for table in tables {
            let Some(own) = table.actions.iter().find(|action| action.name == *name) else { continue };
            let is_shell = table.context.name == SHELL;
            let others = table.actions.iter().map(|other| (table, other));
            // The shell's keys come first in every tab.
            let of_shell = shell.actions.iter().filter(|_| !is_shell).map(|other| (shell, other));
            let of_tabs = tables.iter().filter(|other| is_shell && other.context.name != SHELL);
            // A box's own keys come before those of all boxes.
            let is_of_box =
                |other: &&ListedKeys| other.context.is_typing && ![TEXT_BOX, PICKER].contains(&other.context.name);
            let of_boxes = tables.iter().filter(|_| table.context.name == TEXT_BOX).filter(is_of_box);
            let of_others =
                of_tabs.chain(of_boxes).flat_map(|table| table.actions.iter().map(move |other| (table, other)));
            for (other_table, other) in others.chain(of_shell).chain(of_others).filter(|(_, other)| other.name != *name)
            {
                let shared = |chord: &&Chord| {
                    let was_shared = own.defaults.contains(chord) && other.defaults.contains(chord);
                    keys(other).contains(chord)
                        && !was_shared
                        && if is_shell {
                            is_taken(&own.name, **chord, other_table, &keys(other))
                        } else {
                            is_taken(&other.name, **chord, table, new)
                        }
                };
                if let Some(chord) = new.iter().find(shared) {
                    return Some((at, conflict(name, *chord, &other.name)));
                }
            }
        }
    }
    None
}

/// Returns whether an action that comes first takes a key from the action of a table that has these keys. In one table,
/// the first action always does; of the shell's, it depends on what uses the table.
fn is_taken(first: &ActionName, chord: Chord, table: &ListedKeys, keys: &[Chord]) -> bool {
    let (context, action) = (table.context, first.name.as_str());
    if first.context != SHELL || context.name == SHELL {
        return true;
    }
    let is_letter_of_table = chord.types() && (context.is_typing || context.place != KeyPlace::Tab);
    let is_first = match context.place {
        // It arrives as Esc: what has that, too, gets it.
        _ if action == BACK => !keys.iter().any(|chord| chord.name() == WAYS_OUT[0]),
        KeyPlace::ShellDialog => BEFORE_DIALOGS.contains(&action) || action.starts_with("tab-"),
        KeyPlace::Tab | KeyPlace::Dialog => true,
    };
    is_first && !is_letter_of_table
}

/// Says of a change that its key is taken.
fn conflict(name: &ActionName, chord: Chord, other: &ActionName) -> String {
    let (action, taken) = (&name.name, &other.name);
    let place = if name.context == other.context { String::new() } else { format!(" in {}", other.context) };
    format!(
        "{:?} is a key of {taken}{place} already: choose another key, or change {taken} too; {action} keeps its keys",
        chord.name()
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::BTreeSet;

    use super::*;

    /// Returns the faults of a file, and the keys that it gives to an action.
    fn read(text: &str, context: &str, action: &str) -> (Vec<String>, Option<String>) {
        let (changes, faults) = resolve(&bindings_file::parse(text), false);
        let keys = changes.get(context).and_then(|actions| actions.get(action));
        (faults, keys.map(|keys| keys.iter().map(|chord| chord.name()).collect::<Vec<_>>().join(" ")))
    }

    /// Returns the only fault of a file, without the name of the file.
    fn fault(text: &str) -> String {
        let (_, faults) = resolve(&bindings_file::parse(text), false);
        assert_eq!(faults.len(), 1, "{faults:?}");
        faults[0].strip_prefix("bindings.toml, ").unwrap().to_owned()
    }

    #[test]
    fn every_context_and_every_action_in_it_has_a_name_of_its_own() {
        let tables = listed_keys(false);
        let names: BTreeSet<&str> = tables.iter().map(|table| table.context.name).collect();
        assert_eq!(names.len(), tables.len(), "two tables have the same context");
        let is_name = |name: &str| {
            let word = |word: &str| !word.is_empty() && word.bytes().all(|c| c.is_ascii_lowercase());
            name.split('-').all(word) || name.strip_prefix("tab-").is_some_and(|tab| tab.parse::<u8>().is_ok())
        };
        for table in &tables {
            let mut seen = BTreeSet::new();
            for action in &table.actions {
                let name = &action.name;
                assert!(is_name(&name.name), "{} in {} is no name for people", name.name, name.context);
                assert!(seen.insert(name.clone()), "{} is in {} twice", name.name, name.context);
                let owner = tables.iter().find(|table| table.context.name == name.context).unwrap();
                assert!(owner.own_actions().any(|own| own.name == *name), "{} has no {}", name.context, name.name);
            }
        }
    }

    #[test]
    fn every_action_says_what_it_does_and_none_the_same_as_another_one() {
        // They do the same.
        const SAME: [(&str, &str); 3] =
            [("moderate.history", "again"), ("embed.compare", "page-down"), ("embed.compare", "page-up")];
        let mut wrong = Vec::new();
        for table in listed_keys(false) {
            let mut seen = BTreeSet::new();
            for action in table.own_actions() {
                let name = (table.context.name, action.name.name.as_str());
                if action.does.is_empty() || !(seen.insert(action.does) || SAME.contains(&name)) {
                    wrong.push(format!("{} {}: {:?}", name.0, name.1, action.does));
                }
            }
        }
        assert_eq!(wrong, [""; 0]);
    }

    #[test]
    fn an_action_gets_all_its_keys_from_the_file_and_may_have_none() {
        let text = "[chat.transcript]\nfind = [\"ctrl-s\", \"F5\", \"Ctrl+S\"]\nraw = []\n";
        assert_eq!(read(text, "chat.transcript", "find"), (Vec::new(), Some("ctrl-s f5".to_owned())));
        assert_eq!(read(text, "chat.transcript", "raw"), (Vec::new(), Some(String::new())));
        assert_eq!(read(text, "chat.transcript", "copy-block"), (Vec::new(), None));
    }

    #[test]
    fn that_neither_help_nor_the_palette_has_a_key_is_said() {
        let faults = |text: &str| resolve(&bindings_file::parse(text), false).1;
        let both = faults("[shell]\nhelp = []\npalette = []\n");
        assert!(both.len() == 1 && both[0].starts_with("bindings.toml: neither help nor palette"), "{both:?}");
        for one in ["help", "palette"] {
            assert_eq!(faults(&format!("[shell]\n{one} = []\n")), [""; 0]);
        }
    }

    #[test]
    fn unknown_names_are_reported_with_their_line_and_the_likely_one() {
        assert_eq!(
            fault("\n[chat.transcrip]\nfind = \"s\"\n"),
            "line 3: there is no context chat.transcrip; it is ignored; `benchtop config keys` lists all; \
             did you mean chat.transcript?"
        );
        assert_eq!(
            fault("[chat.transcript]\ncopy-blok = \"ctrl-b\"\n"),
            "line 2: chat.transcript has no action copy-blok; it is ignored; did you mean copy-block?"
        );
        assert_eq!(
            fault("[chat.transcript]\nfind = \"ctlr-s\"\n"),
            "line 2: \"ctlr-s\" is not a key: keys are written as \"x\", \"ctrl-x\", \"alt-x\", \"f5\", \"enter\"; \
             find keeps its keys"
        );
        assert_eq!(
            fault("text_boxes = \"ed\"\n"),
            "line 1: there is no preset ed for text boxes; choose from: default, emacs, vim; default is used"
        );
        assert!(fault("[chat.composer]\nnewline = \"x\"\n").starts_with("line 2: \"x\" types a character in"));
    }

    #[test]
    fn a_key_that_another_action_has_is_a_conflict_and_both_keep_their_keys() {
        let text = "[chat.transcript]\nfind = \"y\"\nraw = \"ctrl-s\"\n";
        assert_eq!(
            fault(text),
            "line 2: \"y\" is a key of copy-block already: choose another key, or change copy-block too; \
             find keeps its keys"
        );
        assert_eq!(read(text, "chat.transcript", "find").1, None);
        assert_eq!(read(text, "chat.transcript", "raw").1.as_deref(), Some("ctrl-s"), "the rest is used");
        // Two that swap their keys are none.
        let swapped = "[chat.transcript]\nfind = \"y\"\ncopy-block = [\"/\", \"ctrl-y\"]\n";
        assert_eq!(read(swapped, "chat.transcript", "find"), (Vec::new(), Some("y".to_owned())));
        // One that is ignored keeps the key that another was to have.
        let chain = "[chat.transcript]\nfind = \"y\"\ncopy-block = [\"ctrl-y\", \"u\"]\n";
        let (faults, _) = read(chain, "chat.transcript", "find");
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults[0].contains("line 2: \"y\" is a key of copy-block"), "{faults:?}");
        assert!(faults[1].contains("line 3: \"u\" is a key of undo"), "{faults:?}");
    }

    #[test]
    fn faults_are_told_by_line_whatever_found_them() {
        let text = "text_boxes = \"ed\"\nquit = \"q\"\n[chat.transcript]\nfind = \"y\"\nfnd = \"f5\"\n[chat.nope]\n\
                    [chat.marks]\n[chat]\nx = \"f36\"\n[shell]\nquit = 3\nhelp = []\npalette = []\n";
        let faults = resolve(&bindings_file::parse(text), false).1;
        let lines: Vec<_> = faults.iter().map(|fault| line_of(fault)).collect();
        assert_eq!(lines, [1, 2, 4, 5, 6, 9, 11, usize::MAX], "{faults:?}");
    }

    #[test]
    fn a_context_that_does_not_exist_is_reported_also_without_entries() {
        assert!(fault("[chat.nope]\n").starts_with("line 1: there is no context chat.nope; it is ignored; "));
        assert_eq!(resolve(&bindings_file::parse("[chat.marks]\n"), false).1, [""; 0]);
        for text in ["[chat]\n", "[chat]\nfind = \"f5\"\n"] {
            let said = fault(text);
            assert!(said.contains(": there is no context chat; it is ignored; these begin with it: chat."), "{said}");
            assert!(said.contains(" chat.transcript") && !said.contains("did you mean"), "{said}");
        }
    }

    #[test]
    fn a_key_of_the_shell_is_a_conflict_where_the_shell_takes_it() {
        assert!(fault("[chat.transcript]\nfind = \"?\"\n").contains("is a key of help in shell already"));
        assert!(fault("[chat.composer]\nnewline = \"f1\"\n").contains("is a key of help in shell already"));
        assert!(fault("[shell]\npalette = [\"x\", \"ctrl-p\"]\n").contains("\"x\" is a key of "));
        assert!(fault("[text-viewer]\nclose = [\"esc\", \"f1\"]\n").contains("is a key of help in shell already"));
        // In a dialog the shell's letters are no keys, and its Esc goes to what is in front.
        for text in ["[text-viewer]\nclose = [\"esc\", \"?\"]\n", "[chat.transcript]\nfind = \"esc\"\n"] {
            let (faults, _) = read(text, "text-viewer", "close");
            assert!(faults.iter().all(|fault| !fault.contains("in shell")), "{faults:?}");
        }
    }

    #[test]
    fn a_key_of_the_shell_is_a_conflict_in_what_tabs_use_too_whatever_its_name_is() {
        let place = |text| fault(text).split(" already").next().unwrap().to_owned();
        assert!(fault("[shell]\npalette = \"ctrl-a\"\n").contains(" is a key of line-start in "));
        assert_eq!(place("[text-box]\nup = \"ctrl-p\"\n"), "line 2: \"ctrl-p\" is a key of palette in shell");
        for text in ["[form]\nclose = [\"esc\", \"q\"]\n", "[columns]\nclose = \"q\"\n"] {
            assert_eq!(place(text), "line 2: \"q\" is a key of quit in shell");
        }
        let interrupt = "line 2: \"ctrl-c\" is a key of interrupt in shell";
        assert_eq!(place("[line-prompt]\nclose = [\"esc\", \"ctrl-c\"]\n"), interrupt);
        assert_eq!(
            place("[shell]\nback = \"ctrl-g\"\n"),
            "line 2: \"ctrl-g\" is a key of expand-paste in chat.composer"
        );
        for text in [
            // A dialog of the shell, where its letters are no keys; F12 is none of its keys there either.
            "[new-profile.source]\nuse-environment = \"2\"\npaste-key = \"1\"\n",
            "[models]\nfilter = [\"?\", \"f12\"]\n",
            // Dialogs of tabs.
            "[files.delete]\ncontinue = [\"enter\", \"1\"]\n[moderate.thresholds]\nnew = \"?\"\n",
            // What has Esc gets the key that is read as Esc.
            "[chat.composer]\nexpand-paste = []\n[editor]\nexpand-paste = []\n[shell]\nback = \"ctrl-g\"\n\
             [picker]\nclose = \"ctrl-g\"\n",
        ] {
            assert_eq!(resolve(&bindings_file::parse(text), false).1, [""; 0], "{text}");
        }
    }

    #[test]
    fn a_key_of_text_boxes_that_a_box_has_for_itself_is_a_conflict() {
        for (text, taken) in [
            ("[text-box]\nline-start = \"ctrl-t\"\n", "\"ctrl-t\" is a key of parameters in chat.composer already"),
            ("[text-box]\nundo = \"f4\"\n", "\"f4\" is a key of external in chat.composer already"),
        ] {
            assert!(fault(text).starts_with(&format!("line 2: {taken}")), "{}", fault(text));
        }
        for text in [
            // Room was made for it.
            "[chat.composer]\nexpand-paste = []\n[editor]\nexpand-paste = []\n[text-box]\nline-start = \"ctrl-g\"\n",
            // A box may have a key that all boxes have, too.
            "[chat.composer]\nsubmit = \"ctrl-e\"\n[text-box]\nup = [\"up\", \"alt-up\"]\n",
        ] {
            assert_eq!(resolve(&bindings_file::parse(text), false).1, [""; 0], "{text}");
        }
    }

    #[test]
    fn where_enter_inserts_a_newline_the_keys_of_the_other_setting_are_conflicts() {
        for (text, fault) in [
            ("[chat.composer]\nsubmit = \"enter\"\n", "\"enter\" is a key of newline already"),
            (
                "[chat.composer]\nnewline = [\"ctrl-j\", \"alt-enter\", \"shift-enter\"]\n",
                "\"alt-enter\" is a key of submit already",
            ),
            ("[embed.text-box]\ntake-next = [\"enter\", \"ctrl-enter\"]\n", "\"enter\" is a key of newline already"),
            (
                "[embed.text-box]\nnewline = [\"ctrl-j\", \"alt-enter\", \"shift-enter\"]\n",
                "\"alt-enter\" is a key of take-next already",
            ),
            ("[tune.trial-enter]\nsend = [\"enter\", \"ctrl-enter\"]\n", "\"enter\" is a key of newline already"),
            ("[tune.trial-enter]\nnewline = [\"alt-enter\"]\n", "\"alt-enter\" is a key of send already"),
        ] {
            let file = bindings_file::parse(text);
            assert_eq!(resolve(&file, false).1, [""; 0], "{text}");
            let (changes, faults) = resolve(&file, true);
            assert!(faults.len() == 1 && faults[0].contains(fault), "{text}: {faults:?}");
            assert_eq!(changes, KeyChanges::new(), "{text}");
        }
    }

    #[test]
    fn keys_that_cannot_arrive_or_mean_another_are_refused() {
        let said = |text: &str| fault(text).strip_prefix("line 2: ").unwrap().to_owned();
        assert_eq!(
            said("[chat.transcript]\nfind = \"ctrl-i\"\n"),
            "\"ctrl-i\" is reported as \"tab\" by terminals: use another key; find keeps its keys"
        );
        for key in ["alt-[", "alt-]", "alt-O"] {
            assert_eq!(
                said(&format!("[chat.transcript]\nfind = \"{key}\"\n")),
                format!(
                    "\"{key}\" is how other keys begin in what terminals send: use another key; find keeps its keys"
                )
            );
        }
        for key in ["f0", "f36", "ctrl-F200"] {
            assert_eq!(
                said(&format!("[chat.transcript]\nfind = \"{key}\"\n")),
                format!("\"{key}\" is not a key: function keys are \"f1\" to \"f35\"; find keeps its keys")
            );
        }
        for (key, reported) in [("ctrl-shift-s", "ctrl-s"), ("Ctrl+Shift+S", "ctrl-s"), ("shift-space", "space")] {
            let said = said(&format!("[chat.transcript]\nfind = \"{key}\"\n"));
            assert!(said.starts_with(&format!("\"{key}\" is reported as \"{reported}\" by terminals")), "{said}");
        }
        assert_eq!(
            said("[form]\nnext = [\"j\", \"shift-down\"]\n"),
            "\"shift-down\" does in form what it does without shift: use a key without shift; next keeps its keys"
        );
        for text in ["[confirm]\nmove = \"shift-tab\"\n", "[profiles]\nmove-profile-up = \"shift-home\"\n"] {
            assert_eq!(resolve(&bindings_file::parse(text), false).1, [""; 0], "{text}");
        }
        assert_eq!(
            said("[embed.blank]\nsample = \"esc\"\n"),
            "\"esc\" always goes back: use another key; sample keeps its keys"
        );
        for text in ["[chat.composer]\nsubmit = \"ctrl-x\"\n", "[shell]\npalette = \"ctrl-x\"\n"] {
            assert!(said(text).starts_with("\"ctrl-x\" begins keys of two in text boxes"), "{text}");
        }
        assert_eq!(read("[chat.transcript]\nfind = \"ctrl-x\"\n", "chat.transcript", "find").0, [""; 0]);
        assert!(said("[complete.running]\nretry-now = \"r\"\n").starts_with("\"r\" types a character in"));
    }

    #[test]
    fn what_leaves_stops_or_quits_keeps_the_keys_that_always_do() {
        let keys = |context: &str, action: &str, keys: &str| {
            let (faults, keys) = read(&format!("[{context}]\n{action} = {keys}\n"), context, action);
            assert_eq!(faults, [""; 0]);
            keys.unwrap()
        };
        assert_eq!(keys("chat.escape", "escape", "\"f5\""), "f5 esc");
        assert_eq!(keys("text-viewer", "close", "\"f5\""), "f5 esc");
        assert_eq!(keys("form-value", "cancel", "[]"), "esc");
        assert_eq!(keys("models", "close", "[\"ctrl-c\"]"), "ctrl-c esc");
        assert_eq!(keys("shell", "quit", "\"f10\""), "f10 ctrl-q");
        assert_eq!(keys("shell", "interrupt", "\"f30\""), "f30 ctrl-c");
        // They cannot be taken for another action either.
        assert!(fault("[models]\ncopy = \"ctrl-c\"\n").contains("line 2: \"ctrl-c\" is a key of close"));
    }

    #[test]
    fn the_keys_of_emacs_are_free_in_every_text_box() {
        let (changes, faults) = resolve(&bindings_file::parse("text_boxes = \"emacs\"\n"), false);
        assert_eq!(faults, [""; 0]);
        assert_eq!(bindings_file::parse(PRESETS[1].1).faults, [""; 0]);
        let count: usize = changes.values().map(HashMap::len).sum();
        assert_eq!(count, bindings_file::parse(PRESETS[1].1).entries.len(), "every entry of the preset counts");
        let tables = listed_keys(false);
        let keys = |action: &ListedAction| {
            let changed = changes.get(action.name.context).and_then(|actions| actions.get(&action.name.name));
            changed.cloned().unwrap_or_else(|| action.defaults.clone())
        };
        let added = |action: &ListedAction| {
            keys(action).into_iter().filter(|chord| !action.defaults.contains(chord)).collect::<Vec<_>>()
        };
        let text_box = tables.iter().find(|table| table.context.name == TEXT_BOX).unwrap();
        let added: Vec<Chord> = text_box.actions.iter().flat_map(added).collect();
        assert!(added.len() >= 8, "{added:?}");
        for table in tables.iter().filter(|table| table.context.is_typing || table.context.name == SHELL) {
            // A picker moves by them, as a text box would.
            for action in table.actions.iter().filter(|_| ![TEXT_BOX, PICKER].contains(&table.context.name)) {
                let taken: Vec<Chord> = keys(action).into_iter().filter(|chord| added.contains(chord)).collect();
                assert_eq!(taken, [], "{:?}", action.name);
            }
        }
        // What the user says comes after the preset.
        let text = "text_boxes = \"emacs\"\n[shell]\npalette = [\":\", \"f10\"]\n";
        assert_eq!(read(text, "shell", "palette"), (Vec::new(), Some(": f10".to_owned())));
    }

    #[test]
    fn a_first_file_names_every_action_and_changes_nothing_also_without_its_marks() {
        for enter_newline in [false, true] {
            let text = first_file(enter_newline);
            assert_eq!(resolve(&bindings_file::parse(&text), enter_newline), (KeyChanges::new(), Vec::new()));
            let is_entry = |line: &str| line.starts_with('[') || line.contains(" = ");
            let entries: Vec<&str> =
                text.lines().filter_map(|line| line.strip_prefix("# ")).filter(|line| is_entry(line)).collect();
            let file = bindings_file::parse(&entries.join("\n"));
            let (_, faults) = resolve(&file, enter_newline);
            assert_eq!(faults, [""; 0]);
            let tables = listed_keys(enter_newline);
            assert_eq!(file.entries.len(), tables.iter().map(|table| table.own_actions().count()).sum::<usize>());
        }
    }
}
