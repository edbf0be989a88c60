//! The shell's own keys and commands: one table from which input, footer, help and palette come.

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::component::{Binding, Bindings, Command, Hint, bind, palette_entry};
use crate::ui::editing::EditAction;
use crate::ui::key_table::{ListedKeys, is_changed_key};
use crate::ui::keys::{Chord, Keymap, KeymapRow};

/// What the shell itself does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// To the tab with this number, from 0.
    Go(usize),
    /// To the tab on the left.
    Left,
    /// To the tab on the right.
    Right,
    /// Open the help page.
    Help,
    /// Open the palette.
    Palette,
    /// Stop what is running, or ask for a second press to quit.
    Interrupt,
    /// Quit.
    Quit,
    /// Suspend the program.
    Suspend,
    /// Redraw the whole screen.
    Repaint,
    /// Mouse capture on or off.
    Mouse,
    /// Open what is read in front in the pager.
    Pager,
    /// Close, leave or stop what is in front.
    Back,
    /// Use the next profile.
    NextProfile,
    /// Use the previous profile.
    ProfileBefore,
    /// Open the list of profiles.
    ChooseProfile,
    /// Choose a model from the list.
    ChooseModel,
    /// Open the form for a new profile.
    AddProfile,
    /// Open the page for another key of the profile in use.
    NewKey,
    /// Open the page about the models.
    Models,
    /// Keep the parameters of the tab in front as the defaults of its model.
    KeepParams,
    /// Forget the defaults of its model.
    ForgetParams,
    /// Open the list of facts about the server.
    Facts,
    /// Fetch the models again.
    Refresh,
    /// Show today's cost.
    Cost,
    /// Show the path of the config file, and copy it.
    Config,
    /// Open the file of key bindings in the external editor.
    EditBindings,
    /// Choose a theme from the list.
    ChooseTheme,
    /// Open the list of past notices.
    Messages,
}

/// What decides which commands can be used.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShellState {
    /// Whether the profile in use is the local service.
    pub(super) is_local: bool,
    /// Whether defaults are kept for the model in use.
    pub(super) has_defaults: bool,
}

/// Other words that find the themes in the palette.
pub(super) const THEME_WORDS: &str = "colours colors appearance switch change";

/// The keys that go to the tabs. A digit needs Shift on some keyboards: a chord of a character has none.
const TAB_KEYS: [&str; 9] =
    ["1 alt-1", "2 alt-2", "3 alt-3", "4 alt-4", "5 alt-5", "6 alt-6", "7 alt-7", "8 alt-8", "9 alt-9"];

/// Their names in the file of key bindings.
const TAB_NAMES: [&[&str]; 9] =
    [&["tab-1"], &["tab-2"], &["tab-3"], &["tab-4"], &["tab-5"], &["tab-6"], &["tab-7"], &["tab-8"], &["tab-9"]];

/// What each of them does, and what the help page says of all.
const GO_TO: [&[&str]; 9] = [
    &["go to the 1st tab"],
    &["go to the 2nd tab"],
    &["go to the 3rd tab"],
    &["go to the 4th tab"],
    &["go to the 5th tab"],
    &["go to the 6th tab"],
    &["go to the 7th tab"],
    &["go to the 8th tab"],
    &["go to the 9th tab"],
];
const GO_TO_TAB: &str = "go to a tab";

/// The shell's bindings.
pub(super) struct ShellKeys {
    bindings: Bindings<Action, ShellState>,
}

impl Default for ShellKeys {
    fn default() -> Self {
        let tab = |at: usize| bind(TAB_KEYS[at], Action::Go(at), "", GO_TO_TAB).named(TAB_NAMES[at]).does(GO_TO[at]);
        let tabs = (0..TAB_KEYS.len()).map(tab);
        let mut table = server_commands();
        table.extend([
            palette_entry("cost", Action::Cost, "Cost today", "ledger usage spent price money billing", ""),
            palette_entry(
                "config",
                Action::Config,
                "Config file: show and copy its path",
                "settings preferences options configuration toml",
                "",
            ),
            palette_entry(
                "bindings",
                Action::EditBindings,
                "Keys: change them in $EDITOR",
                "key bindings rebind customise customize bindings.toml emacs vim",
                "",
            ),
            palette_entry("theme", Action::ChooseTheme, "Theme: choose…", THEME_WORDS, ""),
            palette_entry("messages", Action::Messages, "Messages", "notices notifications log errors", ""),
            bind("? f1", Action::Help, "", "help")
                .in_palette("help", "keys shortcuts bindings hotkeys manual")
                .titled("Help"),
            bind(": ctrl-p", Action::Palette, "", "commands"),
        ]);
        table.extend(tabs);
        table.extend([
            bind("[", Action::Left, "", "previous tab").named(&["previous-tab"]),
            bind("]", Action::Right, "", "next tab").named(&["next-tab"]),
            bind("ctrl-c", Action::Interrupt, "", "stop what is running; twice: quit"),
            bind("q ctrl-q", Action::Quit, "", "quit").in_palette("quit", "exit close leave").titled("Quit"),
            bind("ctrl-z", Action::Suspend, "", "suspend").in_palette("suspend", "background").titled("Suspend"),
            bind("ctrl-l", Action::Repaint, "", "repaint")
                .in_palette("repaint", "redraw refresh screen")
                .titled("Repaint"),
            bind("f12", Action::NextProfile, "", "use the next profile"),
            bind("shift-f12", Action::ProfileBefore, "", "use the profile before").named(&["previous-profile"]),
            bind("f2", Action::Mouse, "", "mouse on or off (off: the terminal selects text)")
                .in_palette("mouse", "select selection click")
                .titled("Mouse on or off"),
            bind("shift-f4", Action::Pager, "", "open the whole text in $PAGER")
                .in_palette("pager", "less more view read whole text message answer result")
                .titled("Open in $PAGER"),
            bind("esc", Action::Back, "", "close, leave or stop, one level at a time; never quits"),
        ]);
        Self { bindings: Bindings::new("shell", table) }
    }
}

/// Returns the commands for profiles, models and the server.
fn server_commands() -> Vec<Binding<Action, ShellState>> {
    vec![
        palette_entry(
            "profiles",
            Action::ChooseProfile,
            "Profile: choose…",
            "profiles switch change server provider account endpoint list manage edit rename duplicate delete order test",
            "",
        ),
        palette_entry("model", Action::ChooseModel, "Model: choose…", "switch change select", "m")
            .key_of("chat.transcript", "model"),
        palette_entry("add profile", Action::AddProfile, "Profile: add…", "new server provider endpoint", ""),
        palette_entry("new key", Action::NewKey, "Profile: new key…", "api token secret login change", "")
            .disabled_when(|state| state.is_local.then_some("the local service needs none")),
        palette_entry(
            "models",
            Action::Models,
            "Models: details, prices, favourites…",
            "context owner hide hidden default list tokens cost",
            "",
        ),
        palette_entry(
            "keep parameters",
            Action::KeepParams,
            "Parameters: keep as the model's defaults",
            "save settings temperature preset",
            "",
        ),
        palette_entry(
            "forget parameters",
            Action::ForgetParams,
            "Parameters: forget the model's defaults",
            "remove reset settings",
            "",
        )
        .disabled_when(|state| (!state.has_defaults).then_some("none are kept for this model")),
        palette_entry(
            "facts",
            Action::Facts,
            "Server: what is known…",
            "probe capabilities facts limits fields endpoints refused learned",
            "",
        ),
        palette_entry("refresh", Action::Refresh, "Models: refresh", "fetch again reload list", ""),
    ]
}

impl ShellKeys {
    /// Returns its actions with their keys, for the list of all keys.
    pub(super) fn listed(&self) -> ListedKeys {
        self.bindings.listed()
    }

    /// Returns what the shell does with `key` when `tabs` tabs exist; `None`: the key is the tab's.
    pub(super) fn action(&self, key: &KeyEvent, typing: bool, tabs: usize) -> Option<Action> {
        self.table(typing).find(key).filter(|action| !matches!(action, Action::Go(tab) if *tab >= tabs))
    }

    /// Returns the table while letters are text, or while they are shortcuts.
    fn table(&self, typing: bool) -> Arc<Keymap<Action>> {
        if typing { self.bindings.keymap_while_typing() } else { self.bindings.keymap() }
    }

    /// Returns the table for the help page when `tabs` tabs exist.
    pub(super) fn help(&self, tabs: usize) -> Vec<Hint> {
        let keymap = self.bindings.keymap();
        let has_line =
            |row: &&KeymapRow<Action>| !row.chords.is_empty() && !matches!(row.action, Action::Go(tab) if tab > 0);
        let rows = keymap.rows().iter().filter(has_line);
        let hint = |row: &KeymapRow<Action>| match row.action {
            Action::Go(_) => {
                let typing = self.tab_keys(true, tabs).map(|keys| format!("; {keys} also while you type"));
                let keys = self.tab_keys(false, tabs).unwrap_or_else(|| row.shown_keys());
                Hint::new(keys, format!("{GO_TO_TAB}{}", typing.unwrap_or_default()))
            }
            _ => Hint::new(row.shown_keys(), row.description),
        };
        rows.map(hint).collect()
    }

    /// Returns the keys that go to a tab: `1…6`, `alt+1…6`. `None`: the first or the last tab has none.
    fn tab_keys(&self, typing: bool, tabs: usize) -> Option<String> {
        let table = self.table(typing);
        let [first, last] = [0, tabs.saturating_sub(1)].map(|tab| table.key(Action::Go(tab)));
        // A modifier that both keys have is shown once.
        let held = first.rfind('+').map_or("", |at| &first[..=at]);
        let last = last.strip_prefix(held).filter(|rest| !rest.is_empty()).unwrap_or(&last);
        (!first.is_empty() && !last.is_empty()).then(|| format!("{first}…{last}"))
    }

    /// Returns the keys that go to a tab while letters are text, for the footer, if there are any.
    pub(super) fn tabs_hint(&self, tabs: usize) -> Option<Hint> {
        Some(Hint::new(self.tab_keys(true, tabs)?, "tabs"))
    }

    /// Returns the key of an action with what it does, for the footer.
    pub(super) fn hint(&self, action: Action, typing: bool, does: &str) -> Hint {
        Hint::new(self.table(typing).key(action), does)
    }

    /// Returns the entries of the palette with their actions; the keys are those that work while letters are text.
    pub(super) fn palette(&self, state: &ShellState) -> impl Iterator<Item = (Action, Command)> {
        let text = self.bindings.keymap_while_typing();
        let with_key = move |(action, command): (Action, Command)| {
            let key = Some(text.key(action)).filter(|key| !key.is_empty()).unwrap_or(command.key);
            (action, Command { key, ..command })
        };
        self.bindings.palette_entries(state).map(with_key)
    }
}

/// Returns the letter, if `key` is what a slow terminal makes of Esc followed by a letter: Alt and a letter without a
/// meaning in a text field, which the user has not made a key either.
pub(super) fn escaped_letter(key: &KeyEvent) -> Option<char> {
    match key.code {
        KeyCode::Char(c) if key.modifiers - KeyModifiers::SHIFT == KeyModifiers::ALT => {
            let lower = KeyEvent::new(KeyCode::Char(c.to_ascii_lowercase()), KeyModifiers::ALT);
            let is_key = EditAction::of(&lower).is_some() || is_changed_key(Chord::of(key));
            (c.is_alphabetic() && !is_key).then_some(c)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: KeyCode, modifiers: KeyModifiers) -> KeyEvent {
        KeyEvent::new(code, modifiers)
    }

    #[test]
    fn letters_are_text_while_typing() {
        let keys = ShellKeys::default();
        for c in "q?:[]1".chars() {
            assert_eq!(keys.action(&key(KeyCode::Char(c), KeyModifiers::NONE), true, 6), None, "{c}");
            assert!(keys.action(&key(KeyCode::Char(c), KeyModifiers::NONE), false, 6).is_some(), "{c}");
        }
        assert_eq!(keys.action(&key(KeyCode::Char('3'), KeyModifiers::ALT), true, 6), Some(Action::Go(2)));
        assert_eq!(keys.action(&key(KeyCode::Char('7'), KeyModifiers::NONE), false, 6), None);
        let shifted = key(KeyCode::Char('2'), KeyModifiers::SHIFT);
        assert_eq!(keys.action(&shifted, false, 6), Some(Action::Go(1)), "a keyboard whose digits need Shift");
        assert_eq!(keys.action(&key(KeyCode::F(1), KeyModifiers::NONE), true, 6), Some(Action::Help));
    }

    #[test]
    fn no_chord_means_two_things() {
        let keys = ShellKeys::default();
        assert_eq!((keys.bindings.keymap().clashes(), keys.table(true).clashes()), (Vec::new(), Vec::new()));
    }

    #[test]
    fn the_help_page_shows_the_keys_that_act() {
        let shown: Vec<String> = ShellKeys::default().help(6).into_iter().map(|hint| hint.key).collect();
        let known =
            ["? F1", ": ^P", "1…6", "[", "]", "^C", "q ^Q", "^Z", "^L", "F12", "shift+F12", "F2", "shift+F4", "esc"];
        assert_eq!(shown, known);
        assert_eq!(ShellKeys::default().tabs_hint(6), Some(Hint::new("alt+1…6", "tabs")));
    }

    #[test]
    fn alt_letters_that_nobody_knows_are_esc_and_the_letter() {
        assert_eq!(escaped_letter(&key(KeyCode::Char('j'), KeyModifiers::ALT)), Some('j'));
        for letter in "bdfzBDF".chars() {
            assert_eq!(escaped_letter(&key(KeyCode::Char(letter), KeyModifiers::ALT)), None, "{letter} edits text");
        }
        assert_eq!(escaped_letter(&key(KeyCode::Char('1'), KeyModifiers::ALT)), None);
        assert_eq!(escaped_letter(&key(KeyCode::Char('j'), KeyModifiers::NONE)), None);
    }
}
