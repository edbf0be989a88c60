//! Keys: one table is the source of key handling, the footer's hints and the help page.

use std::fmt;
use std::ops::RangeInclusive;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Numbers of function keys: no keyboard has others.
pub const FUNCTION_KEYS: RangeInclusive<u8> = 1..=35;

/// A key with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chord {
    code: KeyCode,
    modifiers: KeyModifiers,
}

impl Chord {
    /// Parses `ctrl-j`, `alt-enter`, `f1`, `?`, `G`, also with `+` in place of `-`, and names in any case. `None`: not a
    /// chord.
    pub fn parse(text: &str) -> Option<Self> {
        let mut modifiers = KeyModifiers::NONE;
        let mut rest = text;
        while let Some((name, after)) = rest.split_once(['-', '+']).filter(|(_, after)| !after.is_empty()) {
            modifiers |= match name.to_ascii_lowercase().as_str() {
                "ctrl" => KeyModifiers::CONTROL,
                "alt" => KeyModifiers::ALT,
                "shift" => KeyModifiers::SHIFT,
                _ => break,
            };
            rest = after;
        }
        let mut chars = rest.chars();
        let code = match (chars.next(), chars.next()) {
            (Some(char), None) => KeyCode::Char(with_modifiers(char, modifiers)?),
            _ => named_key(&rest.to_ascii_lowercase(), modifiers)?,
        };
        Some(match code {
            // Shift stays, although terminals do not report it here: `reported_as` tells that.
            KeyCode::Char(char) if char == ' ' || modifiers.contains(KeyModifiers::CONTROL) => Self { code, modifiers },
            _ => Self::normal(code, modifiers),
        })
    }

    /// Returns the text that [`Self::parse`] reads.
    pub fn name(self) -> String {
        let modifiers =
            [(KeyModifiers::CONTROL, "ctrl-"), (KeyModifiers::ALT, "alt-"), (KeyModifiers::SHIFT, "shift-")];
        let held = modifiers.into_iter().filter(|(modifier, _)| self.modifiers.contains(*modifier));
        let modifiers: String = held.map(|(_, name)| name).collect();
        let key = match self.code {
            KeyCode::Char(' ') => "space".to_owned(),
            KeyCode::Char(char) => char.to_string(),
            KeyCode::BackTab => "shift-tab".to_owned(),
            KeyCode::F(number) => format!("f{number}"),
            other => format!("{other:?}").to_lowercase(),
        };
        modifiers + &key
    }

    /// Returns the chord of an event.
    pub fn of(event: &KeyEvent) -> Self {
        Self::normal(event.code, event.modifiers)
    }

    /// Returns the event of its key.
    pub(crate) fn event(self) -> KeyEvent {
        KeyEvent::new(self.code, self.modifiers)
    }

    /// Returns whether it has Shift, which characters and Shift+Tab do not have as terminals report them.
    pub fn has_shift(self) -> bool {
        self.modifiers.contains(KeyModifiers::SHIFT)
    }

    /// Returns what terminals report in its place, so that it never arrives itself; `None`: it can arrive.
    pub fn reported_as(self) -> Option<Self> {
        let without_shift = self.modifiers - KeyModifiers::SHIFT;
        let without_ctrl = without_shift - KeyModifiers::CONTROL;
        let (code, modifiers) = match self.code {
            KeyCode::Char(' ') if self.has_shift() => (self.code, without_shift),
            _ if !self.modifiers.contains(KeyModifiers::CONTROL) => return None,
            KeyCode::Char('i') => (KeyCode::Tab, without_ctrl),
            KeyCode::Char('m') => (KeyCode::Enter, without_ctrl),
            KeyCode::Char('[') => (KeyCode::Esc, without_ctrl),
            KeyCode::Char('@') => (KeyCode::Char(' '), without_shift),
            KeyCode::Char(_) if self.has_shift() => (self.code, without_shift),
            _ => return None,
        };
        Some(Self { code, modifiers })
    }

    /// Returns whether terminals send it also as the beginning of other keys and of answers.
    pub fn begins_others(self) -> bool {
        self.modifiers == KeyModifiers::ALT && matches!(self.code, KeyCode::Char('[' | ']' | 'O'))
    }

    /// Returns whether a text field takes it as a character.
    pub fn types(self) -> bool {
        matches!(self.code, KeyCode::Char(_)) && self.modifiers.is_empty()
    }

    /// Normalises a chord: terminals differ on whether a capital letter, a sign or Shift+Tab has SHIFT; here none has.
    fn normal(code: KeyCode, mut modifiers: KeyModifiers) -> Self {
        modifiers &= KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT;
        if matches!(code, KeyCode::Char(_) | KeyCode::BackTab) {
            modifiers -= KeyModifiers::SHIFT;
        }
        Self { code, modifiers }
    }
}

/// Returns the key of a name in lower case; `None`: there is none.
fn named_key(name: &str, modifiers: KeyModifiers) -> Option<KeyCode> {
    Some(match name {
        "enter" => KeyCode::Enter,
        "esc" => KeyCode::Esc,
        "tab" if modifiers.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
        "tab" => KeyCode::Tab,
        "space" => KeyCode::Char(' '),
        "backspace" => KeyCode::Backspace,
        "delete" | "del" => KeyCode::Delete,
        "insert" => KeyCode::Insert,
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "left" => KeyCode::Left,
        "right" => KeyCode::Right,
        "home" => KeyCode::Home,
        "end" => KeyCode::End,
        "pageup" | "pgup" => KeyCode::PageUp,
        "pagedown" | "pgdn" => KeyCode::PageDown,
        _ => KeyCode::F(name.strip_prefix('f')?.parse().ok().filter(|number| FUNCTION_KEYS.contains(number))?),
    })
}

/// Returns the character that a terminal reports for a key with modifiers; `None`: it reports none.
fn with_modifiers(char: char, modifiers: KeyModifiers) -> Option<char> {
    match char {
        _ if char.is_control() => None,
        _ if modifiers.contains(KeyModifiers::CONTROL) => Some(char.to_ascii_lowercase()),
        _ if !modifiers.contains(KeyModifiers::SHIFT) => Some(char),
        _ => char.is_ascii_alphabetic().then(|| char.to_ascii_uppercase()),
    }
}

/// Returns a key without Shift, for keys that mean the same with it.
pub fn without_shift(event: &KeyEvent) -> KeyEvent {
    KeyEvent { modifiers: event.modifiers - KeyModifiers::SHIFT, ..*event }
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.modifiers.contains(KeyModifiers::ALT) {
            f.write_str("alt+")?;
        }
        if self.modifiers.contains(KeyModifiers::SHIFT) {
            f.write_str("shift+")?;
        }
        if self.modifiers.contains(KeyModifiers::CONTROL) {
            f.write_str("^")?;
        }
        match self.code {
            KeyCode::Char(' ') => f.write_str("space"),
            KeyCode::Char(char) if self.modifiers.contains(KeyModifiers::CONTROL) => {
                write!(f, "{}", char.to_ascii_uppercase())
            }
            KeyCode::Char(char) => write!(f, "{char}"),
            KeyCode::Enter => f.write_str("⏎"),
            KeyCode::Esc => f.write_str("esc"),
            KeyCode::Tab => f.write_str("tab"),
            KeyCode::BackTab => f.write_str("shift+tab"),
            KeyCode::Up => f.write_str("↑"),
            KeyCode::Down => f.write_str("↓"),
            KeyCode::Left => f.write_str("←"),
            KeyCode::Right => f.write_str("→"),
            KeyCode::PageUp => f.write_str("PgUp"),
            KeyCode::PageDown => f.write_str("PgDn"),
            KeyCode::Home => f.write_str("home"),
            KeyCode::End => f.write_str("end"),
            KeyCode::Backspace => f.write_str("backspace"),
            KeyCode::Delete => f.write_str("del"),
            KeyCode::F(number) => write!(f, "F{number}"),
            other => write!(f, "{other:?}"),
        }
    }
}

/// A row of a keymap: the keys of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeymapRow<A> {
    /// The keys; the first is the one shown.
    pub chords: Vec<Chord>,
    /// Their action, for the program.
    pub action: A,
    /// Their action, for the user: a word or two.
    pub description: &'static str,
}

impl<A> KeymapRow<A> {
    /// Returns all its keys as shown, separated by spaces.
    pub fn shown_keys(&self) -> String {
        self.chords.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }
}

/// What the keys of one context do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keymap<A> {
    rows: Vec<KeymapRow<A>>,
}

impl<A: Copy + PartialEq> Keymap<A> {
    /// Creates a keymap from lines of (chords separated by spaces, action, description).
    ///
    /// # Panics
    /// On an invalid chord: the table is part of the program, and a test builds every table.
    pub fn new(table: &[(&str, A, &'static str)]) -> Self {
        let rows = table.iter().map(|(keys, action, description)| KeymapRow {
            chords: keys
                .split_whitespace()
                .map(|key| Chord::parse(key).expect("every chord of a table is spelt right"))
                .collect(),
            action: *action,
            description,
        });
        Self { rows: rows.collect() }
    }

    /// Returns the keymap that is left while characters are text.
    #[must_use]
    pub fn while_typing(&self) -> Self {
        let mut rows = self.rows.clone();
        for row in &mut rows {
            row.chords.retain(|chord| !chord.types());
        }
        rows.retain(|row| !row.chords.is_empty());
        Self { rows }
    }

    /// Creates a keymap from lines.
    pub fn from_rows(rows: Vec<KeymapRow<A>>) -> Self {
        Self { rows }
    }

    /// Returns the action of a key.
    pub fn find(&self, event: &KeyEvent) -> Option<A> {
        let chord = Chord::of(event);
        self.rows.iter().find(|row| row.chords.contains(&chord)).map(|row| row.action)
    }

    /// Returns all lines, in the table's order.
    pub fn rows(&self) -> &[KeymapRow<A>] {
        &self.rows
    }

    /// Returns the key shown for an action; empty: none.
    pub fn key(&self, action: A) -> String {
        let row = self.rows.iter().find(|row| row.action == action);
        row.and_then(|row| row.chords.first()).map(ToString::to_string).unwrap_or_default()
    }

    /// Returns chords that are in more than one line.
    pub fn clashes(&self) -> Vec<Chord> {
        let all: Vec<Chord> = self.rows.iter().flat_map(|row| row.chords.iter().copied()).collect();
        all.iter().enumerate().filter(|(at, chord)| all[..*at].contains(chord)).map(|(_, chord)| *chord).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chords_are_read_matched_and_shown() {
        for (text, shown) in [
            ("ctrl-j", "^J"),
            ("alt-enter", "alt+⏎"),
            ("?", "?"),
            ("f1", "F1"),
            ("G", "G"),
            ("shift-tab", "shift+tab"),
            ("-", "-"),
            ("space", "space"),
        ] {
            assert_eq!(Chord::parse(text).unwrap().to_string(), shown);
        }
        assert_eq!(["nonsense", "", "ctrl-", "shift-1", "f0", "f36", "f300", "\n"].map(Chord::parse), [None; 8]);
        assert!(["f1", "f35"].map(Chord::parse).iter().all(Option::is_some));
        let shifted = KeyEvent::new(KeyCode::Char('G'), KeyModifiers::SHIFT);
        assert_eq!(Chord::of(&shifted), Chord::parse("G").unwrap());
        for (text, same) in [
            ("shift-g", "G"),
            ("ctrl-J", "ctrl-j"),
            ("ctrl+j", "ctrl-j"),
            ("Ctrl+P", "ctrl-p"),
            ("CTRL-F5", "ctrl-f5"),
            ("Alt+x", "alt-x"),
            ("Alt+X", "alt-X"),
            ("Space", "space"),
            ("Shift+Tab", "shift-tab"),
            ("PgUp", "pageup"),
            ("PgDn", "pagedown"),
            ("del", "delete"),
        ] {
            assert_eq!(Chord::parse(text), Some(Chord::parse(same).unwrap()), "{text}");
        }
        assert_ne!(Chord::parse("alt-X"), Chord::parse("alt-x"), "a letter keeps its case");
    }

    #[test]
    fn keys_that_terminals_report_as_others_are_known() {
        let reported = |text| Chord::parse(text).unwrap().reported_as().map(Chord::name);
        let others = ["ctrl-i", "ctrl-M", "ctrl-[", "ctrl-@", "ctrl-alt-i"].map(reported);
        assert_eq!(others.map(Option::unwrap), ["tab", "enter", "esc", "ctrl-space", "alt-tab"]);
        assert_eq!(["ctrl-j", "i", "alt-m", "tab", "ctrl-space"].map(reported), [const { None }; 5]);
        let shifted = ["ctrl-shift-x", "Ctrl+Shift+Z", "ctrl-shift-alt-x", "ctrl-shift-i", "shift-space"].map(reported);
        assert_eq!(shifted.map(Option::unwrap), ["ctrl-x", "ctrl-z", "ctrl-alt-x", "tab", "space"]);
        let begins_others = |text: &&str| Chord::parse(text).unwrap().begins_others();
        assert!(["alt-[", "alt-]", "alt-O", "alt-shift-o"].iter().all(begins_others));
        assert!(!["alt-o", "O", "]", "alt-{", "ctrl-]", "alt-P"].iter().any(begins_others));
    }

    #[test]
    fn the_name_of_a_chord_is_read_as_the_same_chord() {
        let names = "a G - + é space enter esc tab shift-tab alt-shift-tab ctrl-j ctrl-alt-j alt-- f1 f12 shift-f12 \
                     ctrl-shift-up delete backspace home end pageup pagedown left right insert";
        for name in names.split_whitespace() {
            let chord = Chord::parse(name).unwrap();
            assert_eq!(Chord::parse(&chord.name()), Some(chord), "{name} as {}", chord.name());
        }
        assert_eq!(Chord::parse("ctrl-shift-up").unwrap().name(), "ctrl-shift-up");
    }

    #[test]
    fn clashes_are_found() {
        let map = Keymap::new(&[("a b", 1, "one"), ("c", 2, "two"), ("b", 3, "three")]);
        assert_eq!(map.clashes(), [Chord::parse("b").unwrap()]);
        assert_eq!(map.find(&KeyEvent::from(KeyCode::Char('c'))), Some(2));
        assert_eq!(map.key(2), "c");
    }
}
