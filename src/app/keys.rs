//! The shell's own keys: the same table is used for handling and for the help page.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::component::Hint;
use crate::ui::keys::Keymap;

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
        let browse = Keymap::new(&[
            ("? f1", Action::Help, "help"),
            (": ctrl-p", Action::Palette, "commands"),
            ("[", Action::Left, "previous tab"),
            ("]", Action::Right, "next tab"),
            ("ctrl-c", Action::Interrupt, "stop what is running; twice: quit"),
            ("q ctrl-q", Action::Quit, "quit"),
            ("ctrl-z", Action::Suspend, "suspend"),
            ("ctrl-l", Action::Repaint, "repaint"),
            ("f12", Action::NextProfile, "use the next profile"),
            ("shift-f12", Action::ProfileBefore, "use the profile before"),
            ("f2", Action::Mouse, "mouse on or off (off: the terminal selects text)"),
        ]);
        Self { text: browse.while_typing(), browse }
    }
}

impl ShellKeys {
    /// Returns what the shell does with `key` when `tabs` tabs exist; `None`: the key is the tab's.
    pub(super) fn action(&self, key: &KeyEvent, typing: bool, tabs: usize) -> Option<Action> {
        if let KeyCode::Char(c @ '1'..='9') = key.code {
            // Which character Shift gives depends on the keyboard layout.
            let modifiers = key.modifiers - KeyModifiers::SHIFT;
            let number = c as usize - '1' as usize;
            let jumps = modifiers == KeyModifiers::ALT || (modifiers.is_empty() && !typing);
            return (jumps && number < tabs).then_some(Action::Go(number));
        }
        if typing { self.text.find(key) } else { self.browse.find(key) }
    }

    /// Returns the table for the help page.
    pub(super) fn help(&self) -> Vec<Hint> {
        let mut hints: Vec<Hint> =
            self.browse.rows().iter().map(|row| Hint::new(row.shown_keys(), row.description)).collect();
        hints.insert(2, Hint::new("1…6", "go to a tab; alt+1…6 also while you type"));
        hints
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
        assert_eq!(keys.action(&key(KeyCode::F(1), KeyModifiers::NONE), true, 6), Some(Action::Help));
    }

    #[test]
    fn no_chord_means_two_things() {
        assert_eq!(ShellKeys::default().browse.clashes(), []);
    }

    #[test]
    fn the_help_page_shows_the_keys_that_act() {
        let shown: Vec<String> = ShellKeys::default().help().into_iter().map(|hint| hint.key).collect();
        assert_eq!(shown, ["? F1", ": ^P", "1…6", "[", "]", "^C", "q ^Q", "^Z", "^L", "F12", "shift+F12", "F2"]);
    }

    #[test]
    fn alt_letters_that_nobody_knows_are_esc_and_the_letter() {
        assert_eq!(escaped_letter(&key(KeyCode::Char('j'), KeyModifiers::ALT)), Some('j'));
        assert_eq!(escaped_letter(&key(KeyCode::Char('b'), KeyModifiers::ALT)), None);
        assert_eq!(escaped_letter(&key(KeyCode::Char('1'), KeyModifiers::ALT)), None);
        assert_eq!(escaped_letter(&key(KeyCode::Char('j'), KeyModifiers::NONE)), None);
    }
}
