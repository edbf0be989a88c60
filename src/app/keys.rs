//! The shell's own keys: the same table is used for handling and for the help page.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::component::Hint;
use crate::ui::keys::{Keymap, KeymapRow};

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
    /// Close, leave or stop what is in front.
    Back,
    /// Use the next profile.
    NextProfile,
    /// Use the previous profile.
    ProfileBefore,
}

/// The shell's keys: one table while letters are shortcuts, one while they are text.
pub(super) struct ShellKeys {
    browse: Keymap<Action>,
    text: Keymap<Action>,
}

impl Default for ShellKeys {
    fn default() -> Self {
        // A digit needs Shift on some keyboards: a chord of a character has none.
        let tabs: Vec<String> = (1..=9).map(|number| format!("{number} alt-{number}")).collect();
        let tabs = tabs.iter().enumerate().map(|(at, keys)| (keys.as_str(), Action::Go(at), "go to a tab"));
        let mut table = vec![("? f1", Action::Help, "help"), (": ctrl-p", Action::Palette, "commands")];
        table.extend(tabs);
        table.extend([
            ("[", Action::Left, "previous tab"),
            ("]", Action::Right, "next tab"),
            ("ctrl-c", Action::Interrupt, "stop what is running; twice: quit"),
            ("q ctrl-q", Action::Quit, "quit"),
            ("ctrl-z", Action::Suspend, "suspend"),
            ("ctrl-l", Action::Repaint, "repaint"),
            ("f12", Action::NextProfile, "use the next profile"),
            ("shift-f12", Action::ProfileBefore, "use the profile before"),
            ("f2", Action::Mouse, "mouse on or off (off: the terminal selects text)"),
            ("esc", Action::Back, "close, leave or stop, one level at a time; never quits"),
        ]);
        let browse = Keymap::new(&table);
        Self { text: browse.while_typing(), browse }
    }
}

impl ShellKeys {
    /// Returns what the shell does with `key` when `tabs` tabs exist; `None`: the key is the tab's.
    pub(super) fn action(&self, key: &KeyEvent, typing: bool, tabs: usize) -> Option<Action> {
        self.table(typing).find(key).filter(|action| !matches!(action, Action::Go(tab) if *tab >= tabs))
    }

    /// Returns the table while letters are text, or while they are shortcuts.
    fn table(&self, typing: bool) -> &Keymap<Action> {
        if typing { &self.text } else { &self.browse }
    }

    /// Returns the table for the help page when `tabs` tabs exist.
    pub(super) fn help(&self, tabs: usize) -> Vec<Hint> {
        let rows = self.browse.rows().iter().filter(|row| !matches!(row.action, Action::Go(tab) if tab > 0));
        let hint = |row: &KeymapRow<Action>| match row.action {
            Action::Go(_) => {
                let does = format!("{}; {} also while you type", row.description, self.tab_keys(true, tabs));
                Hint::new(self.tab_keys(false, tabs), does)
            }
            _ => Hint::new(row.shown_keys(), row.description),
        };
        rows.map(hint).collect()
    }

    /// Returns the keys that go to a tab: `1…6`.
    fn tab_keys(&self, typing: bool, tabs: usize) -> String {
        let last = self.browse.key(Action::Go(tabs.saturating_sub(1)));
        format!("{}…{last}", self.table(typing).key(Action::Go(0)))
    }

    /// Returns the keys that go to a tab while letters are text, for the footer.
    pub(super) fn tabs_hint(&self, tabs: usize) -> Hint {
        Hint::new(self.tab_keys(true, tabs), "tabs")
    }

    /// Returns the key of an action with what it does, for the footer.
    pub(super) fn hint(&self, action: Action, typing: bool, does: &str) -> Hint {
        Hint::new(self.table(typing).key(action), does)
    }

    /// Returns the key shown for an action.
    pub(super) fn key(&self, action: Action) -> String {
        self.text.key(action)
    }
}

/// Returns the letter, if `key` is what a slow terminal makes of Esc followed by a letter: Alt and a letter without a
/// meaning in a text field.
pub(super) fn escaped_letter(key: &KeyEvent) -> Option<char> {
    match key.code {
        KeyCode::Char(c) if key.modifiers - KeyModifiers::SHIFT == KeyModifiers::ALT => {
            // These are readline keys.
            (c.is_alphabetic() && !"bdfBDF".contains(c)).then_some(c)
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
        assert_eq!((keys.browse.clashes(), keys.text.clashes()), (Vec::new(), Vec::new()));
    }

    #[test]
    fn the_help_page_shows_the_keys_that_act() {
        let shown: Vec<String> = ShellKeys::default().help(6).into_iter().map(|hint| hint.key).collect();
        let known = ["? F1", ": ^P", "1…6", "[", "]", "^C", "q ^Q", "^Z", "^L", "F12", "shift+F12", "F2", "esc"];
        assert_eq!(shown, known);
        assert_eq!(ShellKeys::default().tabs_hint(6), Hint::new("alt+1…6", "tabs"));
    }

    #[test]
    fn alt_letters_that_nobody_knows_are_esc_and_the_letter() {
        assert_eq!(escaped_letter(&key(KeyCode::Char('j'), KeyModifiers::ALT)), Some('j'));
        assert_eq!(escaped_letter(&key(KeyCode::Char('b'), KeyModifiers::ALT)), None);
        assert_eq!(escaped_letter(&key(KeyCode::Char('1'), KeyModifiers::ALT)), None);
        assert_eq!(escaped_letter(&key(KeyCode::Char('j'), KeyModifiers::NONE)), None);
    }
}
