//! The shell's own keys: one table is both what acts and what the help page shows.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::tabs::Hint;

/// What the shell does by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// To the tab with this number, from 0.
    Go(usize),
    /// To the tab on the left.
    Left,
    /// To the tab on the right.
    Right,
    /// The help page.
    Help,
    /// The palette.
    Palette,
    /// Stop what runs, or ask for a second press to quit.
    Interrupt,
    /// Quit.
    Quit,
    /// Give the shell its terminal for a while.
    Suspend,
    /// Paint everything again.
    Repaint,
    /// Mouse capture on or off.
    Mouse,
}

/// A key of the table: its code, modifiers.
type Chord = (KeyCode, KeyModifiers);

/// One line of the table.
struct Binding {
    action: Action,
    /// Keys that act while letters are shortcuts.
    browse: &'static [Chord],
    /// Keys that act while letters are text.
    text: &'static [Chord],
    shown: &'static str,
    does: &'static str,
}

const fn plain(c: char) -> Chord {
    (KeyCode::Char(c), KeyModifiers::NONE)
}

const fn ctrl(c: char) -> Chord {
    (KeyCode::Char(c), KeyModifiers::CONTROL)
}

const fn function(n: u8) -> Chord {
    (KeyCode::F(n), KeyModifiers::NONE)
}

const TABLE: &[Binding] = &[
    Binding {
        action: Action::Help,
        browse: &[plain('?'), function(1)],
        text: &[function(1)],
        shown: "? F1",
        does: "help",
    },
    Binding {
        action: Action::Palette,
        browse: &[plain(':'), ctrl('p')],
        text: &[ctrl('p')],
        shown: ": ^P",
        does: "commands",
    },
    Binding { action: Action::Left, browse: &[plain('[')], text: &[], shown: "[", does: "previous tab" },
    Binding { action: Action::Right, browse: &[plain(']')], text: &[], shown: "]", does: "next tab" },
    Binding {
        action: Action::Interrupt,
        browse: &[ctrl('c')],
        text: &[ctrl('c')],
        shown: "^C",
        does: "stop what runs; twice: quit",
    },
    Binding { action: Action::Quit, browse: &[plain('q'), ctrl('q')], text: &[ctrl('q')], shown: "q ^Q", does: "quit" },
    Binding { action: Action::Suspend, browse: &[ctrl('z')], text: &[ctrl('z')], shown: "^Z", does: "suspend" },
    Binding { action: Action::Repaint, browse: &[ctrl('l')], text: &[ctrl('l')], shown: "^L", does: "repaint" },
    Binding {
        action: Action::Mouse,
        browse: &[function(2)],
        text: &[function(2)],
        shown: "F2",
        does: "mouse on or off (off: the terminal selects text)",
    },
];

/// What the shell does with `key` when `tabs` tabs exist; `None`: the key is the tab's.
pub(super) fn action(key: &KeyEvent, typing: bool, tabs: usize) -> Option<Action> {
    // Which character Shift makes is the keyboard's affair.
    let modifiers = key.modifiers - KeyModifiers::SHIFT;
    if let KeyCode::Char(c @ '1'..='9') = key.code {
        let number = c as usize - '1' as usize;
        let jumps = modifiers == KeyModifiers::ALT || (modifiers.is_empty() && !typing);
        return (jumps && number < tabs).then_some(Action::Go(number));
    }
    let chord = (key.code, modifiers);
    TABLE
        .iter()
        .find(|binding| if typing { binding.text } else { binding.browse }.contains(&chord))
        .map(|binding| binding.action)
}

/// Whether `key` is what Esc followed by a letter becomes on its way through a slow terminal: Alt and a letter that means
/// nothing in a text field.
pub(super) fn escaped_letter(key: &KeyEvent) -> Option<char> {
    match key.code {
        KeyCode::Char(c) if key.modifiers - KeyModifiers::SHIFT == KeyModifiers::ALT => {
            // The readline set has these.
            (c.is_alphabetic() && !"bdfBDF".contains(c)).then_some(c)
        }
        _ => None,
    }
}

/// The table for the help page.
pub(super) fn help() -> Vec<Hint> {
    let mut hints: Vec<Hint> = TABLE.iter().map(|binding| Hint::new(binding.shown, binding.does)).collect();
    hints.insert(2, Hint::new("1…6, alt 1…6", "to a tab"));
    hints
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: KeyCode, modifiers: KeyModifiers) -> KeyEvent {
        KeyEvent::new(code, modifiers)
    }

    #[test]
    fn letters_are_text_while_typing() {
        for c in "q?:[]1".chars() {
            assert_eq!(action(&key(KeyCode::Char(c), KeyModifiers::NONE), true, 6), None, "{c}");
            assert!(action(&key(KeyCode::Char(c), KeyModifiers::NONE), false, 6).is_some(), "{c}");
        }
        assert_eq!(action(&key(KeyCode::Char('3'), KeyModifiers::ALT), true, 6), Some(Action::Go(2)));
        assert_eq!(action(&key(KeyCode::Char('7'), KeyModifiers::NONE), false, 6), None);
        assert_eq!(action(&key(KeyCode::F(1), KeyModifiers::NONE), true, 6), Some(Action::Help));
    }

    #[test]
    fn no_chord_means_two_things() {
        for typing in [false, true] {
            let mut seen = Vec::new();
            for binding in TABLE {
                for chord in if typing { binding.text } else { binding.browse } {
                    assert!(!seen.contains(chord), "{chord:?}");
                    seen.push(*chord);
                }
            }
        }
    }

    #[test]
    fn alt_letters_that_nobody_knows_are_esc_and_the_letter() {
        assert_eq!(escaped_letter(&key(KeyCode::Char('j'), KeyModifiers::ALT)), Some('j'));
        assert_eq!(escaped_letter(&key(KeyCode::Char('b'), KeyModifiers::ALT)), None);
        assert_eq!(escaped_letter(&key(KeyCode::Char('1'), KeyModifiers::ALT)), None);
        assert_eq!(escaped_letter(&key(KeyCode::Char('j'), KeyModifiers::NONE)), None);
    }
}
