//! The modes of vim in text boxes: in normal mode letters are commands. Each becomes keys that do it in any text box.

use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::editing::{EditAction, typed};
use super::key_table::is_changed_key;
use super::keys::Chord;

use EditAction as A;

/// Whether text boxes have modes.
static IS_ENABLED: AtomicBool = AtomicBool::new(false);

/// How often a command is repeated at most.
const MOST_REPEATED: usize = 999;

/// Gives all text boxes the modes, or takes them away.
pub fn enable(is_enabled: bool) {
    IS_ENABLED.store(is_enabled, Ordering::Relaxed);
}

/// Returns whether text boxes have modes.
pub fn is_enabled() -> bool {
    IS_ENABLED.load(Ordering::Relaxed)
}

/// Returns whether text boxes with modes read a key as Esc and a letter, because terminals send the same for both: Alt
/// and a letter that is no key of the user.
pub fn is_escape_and_letter(key: &KeyEvent) -> bool {
    let is_letter = matches!(key.code, KeyCode::Char(char) if char.is_alphabetic());
    is_letter && key.modifiers - KeyModifiers::SHIFT == KeyModifiers::ALT && !is_changed_key(Chord::of(key))
}

/// The commands for the help page: their keys, and what they do. A test compares it with what each key does.
pub const COMMANDS: [(&str, &str); 16] = [
    ("esc", "to normal mode; there, what it does elsewhere"),
    ("h j k l space", "left, down, up, right, right; also the arrows, and Backspace to the left"),
    ("w b e", "next word, word before, end of the word"),
    ("0 ^ $", "first column (0 and ^), end of the line"),
    ("gg G", "beginning, end of the text"),
    ("i a I A", "insert mode: before the character, after it, at the first column, at the end of the line"),
    ("o O", "insert mode in a new line below, above"),
    ("x X D", "delete the character, the one before, the rest of the line"),
    ("dd", "delete the line; d and w e b 0 $ h l: delete up to there"),
    ("cc", "clear the line, then insert mode; c and w e b 0 $ h l: up to there"),
    ("s S C", "as cl, cc, c$"),
    ("r", "and a character: put it in place of the one at the cursor; after a number, of as many in the line"),
    ("yy p P", "copy the line; insert what was deleted or copied last after the cursor, before it"),
    ("v", "select: movements, then d x delete, c s delete and insert mode, y copy"),
    ("u ^R", "undo, redo"),
    ("1…9", "a number before a command repeats it, but not i a I A o O D C v gg G"),
];

/// What letters are in a text box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Text.
    #[default]
    Insert,
    /// Commands.
    Normal,
    /// Commands whose movements extend the selection.
    Visual,
}

/// The first key of a command of two keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FirstKey {
    /// `d` and `c`: deletes up to where a movement leads; `c` goes on in insert mode.
    Delete { inserts: bool },
    /// `y`: copies the line.
    Copy,
    /// `g`: to the beginning of the text.
    Go,
    /// `r`: replaces the character after the cursor.
    Replace,
}

/// A command that has begun.
#[derive(Clone, Copy, Debug)]
struct Begun {
    first: FirstKey,
    /// The number before the first key; 1 without one.
    count: usize,
}

/// The mode of the text box in which text is typed, and the command that has begun.
#[derive(Debug, Default)]
pub struct VimKeys {
    mode: Mode,
    /// The digits before a key; 0: none.
    count: usize,
    begun: Option<Begun>,
}

impl VimKeys {
    /// Returns the mode.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Returns the keys that take the place of one that was pressed; `None`: it stays as it is.
    pub fn translate(&mut self, key: &KeyEvent) -> Option<Vec<KeyEvent>> {
        if is_escape_and_letter(key) {
            // An Esc that would pass is none: the letter is a command.
            let escaped = self.escape().unwrap_or_default();
            let letter = KeyEvent::new(key.code, key.modifiers - KeyModifiers::ALT);
            return Some([escaped, self.translate(&letter)?].concat());
        }
        if key.code == KeyCode::Esc && key.modifiers.is_empty() {
            return self.escape();
        }
        if self.mode == Mode::Insert {
            return None;
        }
        let (count, begun) = (std::mem::take(&mut self.count), self.begun.take());
        if key.code == KeyCode::Char('r') && key.modifiers == KeyModifiers::CONTROL {
            return Some(keys(&[A::Redo].repeat(count.max(1))));
        }
        if let (Some(Begun { first: FirstKey::Replace, count }), Some(_)) = (begun, typed(key)) {
            return Some([keys(&[A::ReplaceNext].repeat(count)), vec![*key]].concat());
        }
        let Some(char) = typed(key).or_else(|| command_of(key)) else { return self.other_key(key) };
        if char.is_ascii_digit() && (char != '0' || count > 0) {
            self.count = (count * 10 + char as usize - '0' as usize).min(MOST_REPEATED);
            self.begun = begun;
            return Some(Vec::new());
        }
        // A number before each of two keys: as many times as many.
        let count = (count.max(1) * begun.map_or(1, |begun| begun.count)).min(MOST_REPEATED);
        let mut keys = self.command(char, count, begun.map(|begun| begun.first));
        if self.mode == Mode::Normal && !matches!(char, 'j' | 'k') && !keys.is_empty() {
            keys.extend(on_a_character());
        }
        Some(keys)
    }

    /// Does what Esc does in a text box; returns its keys. `None`: it passes.
    fn escape(&mut self) -> Option<Vec<KeyEvent>> {
        let (count, begun) = (std::mem::take(&mut self.count), self.begun.take());
        let has_begun = count > 0 || begun.is_some();
        match self.mode {
            Mode::Insert => Some(self.enter(Mode::Normal, &[A::LeftInLine])),
            Mode::Normal if !has_begun => None,
            Mode::Normal | Mode::Visual => Some(self.enter(Mode::Normal, &[A::Deselect])),
        }
    }

    /// Returns the keys that take the place of one that is no command; `None`: it stays as it is.
    fn other_key(&mut self, key: &KeyEvent) -> Option<Vec<KeyEvent>> {
        // It sends the text in most boxes: what follows is a new one.
        if key.code == KeyCode::Enter {
            self.mode = Mode::Insert;
        }
        let moves = matches!(EditAction::of(key), Some(A::WordLeft | A::WordRight | A::TextStart | A::TextEnd));
        (moves && self.mode == Mode::Visual).then(|| vec![KeyEvent::new(key.code, key.modifiers | KeyModifiers::SHIFT)])
    }

    /// Carries out a command, or begins one; returns its keys.
    fn command(&mut self, char: char, count: usize, first: Option<FirstKey>) -> Vec<KeyEvent> {
        match (first, char) {
            (Some(FirstKey::Delete { inserts }), _) => return self.delete(char, count, inserts),
            (Some(FirstKey::Copy), 'y') => {
                return [lines_below(count), keys(&[A::CopyLines, A::Deselect])].concat();
            }
            (Some(FirstKey::Go), 'g') => return self.moved(&[A::TextStart], 1),
            (Some(_), _) => return Vec::new(),
            (None, _) => {}
        }
        if let Some(actions) = movement(char) {
            return self.moved(actions, count);
        }
        match char {
            'g' => self.begin(FirstKey::Go, count),
            _ if self.mode == Mode::Visual => self.visual_command(char),
            _ => self.normal_command(char, count),
        }
    }

    fn normal_command(&mut self, char: char, count: usize) -> Vec<KeyEvent> {
        match char {
            'i' => self.enter(Mode::Insert, &[]),
            'I' => self.enter(Mode::Insert, &[A::LineStart]),
            'a' => self.enter(Mode::Insert, &[A::RightInLine]),
            'A' => self.enter(Mode::Insert, &[A::LineEnd]),
            'o' => self.enter(Mode::Insert, &[A::LineEnd, A::Newline]),
            'O' => self.enter(Mode::Insert, &[A::LineStart, A::Newline, A::Left]),
            'x' => self.delete('l', count, false),
            'X' => self.delete('h', count, false),
            's' => self.delete('l', count, true),
            'S' => self.delete('c', count, true),
            'D' => self.delete('$', 1, false),
            'C' => self.delete('$', 1, true),
            'd' => self.begin(FirstKey::Delete { inserts: false }, count),
            'c' => self.begin(FirstKey::Delete { inserts: true }, count),
            'y' => self.begin(FirstKey::Copy, count),
            'r' => self.begin(FirstKey::Replace, count),
            'u' => keys(&[A::Undo].repeat(count)),
            'v' => self.enter(Mode::Visual, &[]),
            'p' => keys(&[A::PasteDeletedAfter].repeat(count)),
            'P' => keys(&[A::PasteDeletedBefore].repeat(count)),
            _ => Vec::new(),
        }
    }

    /// Carries out a command with the selection, to which the character at the cursor belongs.
    fn visual_command(&mut self, char: char) -> Vec<KeyEvent> {
        match char {
            'd' | 'x' => self.enter(Mode::Normal, &[A::IncludeNext, A::DeleteSelection]),
            'c' | 's' => self.enter(Mode::Insert, &[A::IncludeNext, A::DeleteSelection]),
            'y' => self.enter(Mode::Normal, &[A::IncludeNext, A::Copy, A::Deselect]),
            'v' => self.enter(Mode::Normal, &[A::Deselect]),
            _ => Vec::new(),
        }
    }

    /// Returns the keys that delete up to where a movement leads, or the whole lines for `d` and `c`.
    fn delete(&mut self, char: char, count: usize, inserts: bool) -> Vec<KeyEvent> {
        let to = match char {
            'w' if !inserts => A::NextWordInLine,
            'w' | 'e' => A::WordRight,
            'b' => A::WordLeft,
            'h' => A::LeftInLine,
            'l' => A::RightInLine,
            '$' => A::LineEnd,
            '0' | '^' => A::LineStart,
            'd' if !inserts => return [lines_below(count), keys(&[A::DeleteLines])].concat(),
            'c' if inserts => {
                let lines = [keys(&[A::LineStart]), lines_below(count), selecting(&[A::LineEnd])].concat();
                return [lines, self.enter(Mode::Insert, &[A::DeleteSelection])].concat();
            }
            _ => return Vec::new(),
        };
        let mode = if inserts { Mode::Insert } else { Mode::Normal };
        [selecting(&[to].repeat(count)), self.enter(mode, &[A::DeleteSelection])].concat()
    }

    /// Returns the keys of a movement, which in visual mode extends the selection.
    fn moved(&self, actions: &[EditAction], count: usize) -> Vec<KeyEvent> {
        let all = actions.repeat(count);
        if self.mode == Mode::Visual { selecting(&all) } else { keys(&all) }
    }

    fn begin(&mut self, first: FirstKey, count: usize) -> Vec<KeyEvent> {
        self.begun = Some(Begun { first, count });
        Vec::new()
    }

    /// Enters a mode; returns the keys of the actions before it.
    fn enter(&mut self, mode: Mode, actions: &[EditAction]) -> Vec<KeyEvent> {
        self.mode = mode;
        keys(actions)
    }
}

/// Returns the command of a key that is no character: arrows, Home and End move, Backspace moves left, Delete deletes.
fn command_of(key: &KeyEvent) -> Option<char> {
    match (key.code, key.modifiers) {
        (KeyCode::Left | KeyCode::Backspace, KeyModifiers::NONE) | (KeyCode::Char('h'), KeyModifiers::CONTROL) => {
            Some('h')
        }
        (KeyCode::Right, KeyModifiers::NONE) => Some('l'),
        (KeyCode::Up, KeyModifiers::NONE) => Some('k'),
        (KeyCode::Down, KeyModifiers::NONE) => Some('j'),
        (KeyCode::Home, KeyModifiers::NONE) => Some('^'),
        (KeyCode::End, KeyModifiers::NONE) => Some('$'),
        (KeyCode::Delete, KeyModifiers::NONE) => Some('x'),
        _ => None,
    }
}

/// Returns the actions of a movement.
fn movement(char: char) -> Option<&'static [EditAction]> {
    Some(match char {
        'h' => &[A::LeftInLine],
        'l' | ' ' => &[A::RightInLine],
        'j' => &[A::Down],
        'k' => &[A::Up],
        'w' => &[A::NextWord],
        'b' => &[A::WordLeft],
        // The cursor is before a character: to the last one of a word.
        'e' => &[A::RightInLine, A::WordRight, A::LeftInLine],
        '0' | '^' => &[A::LineStart],
        '$' => &[A::LineEnd],
        'G' => &[A::TextEnd],
        _ => return None,
    })
}

/// Returns the keys that extend the selection from the cursor's line over this many lines.
fn lines_below(count: usize) -> Vec<KeyEvent> {
    selecting(&[A::NextLine].repeat(count - 1))
}

/// Returns the keys that lead from behind the last character of a line onto it.
fn on_a_character() -> Vec<KeyEvent> {
    keys(&[A::RightInLine, A::LeftInLine])
}

/// Returns the keys of movements that extend the selection.
fn selecting(actions: &[EditAction]) -> Vec<KeyEvent> {
    let mut keys = keys(actions);
    for key in &mut keys {
        key.modifiers.insert(KeyModifiers::SHIFT);
    }
    keys
}

/// Returns the keys of actions.
fn keys(actions: &[EditAction]) -> Vec<KeyEvent> {
    actions.iter().filter_map(|action| action.key()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::editor::Editor;

    /// Presses keys, `<` for Esc, `^` for Ctrl+R and signs for those that are no characters; returns those that reach
    /// the text box.
    fn press(vim: &mut VimKeys, pressed: &str) -> Vec<KeyEvent> {
        let key = |char| match char {
            '<' => KeyEvent::from(KeyCode::Esc),
            '^' => KeyEvent::new(KeyCode::Char('r'), KeyModifiers::CONTROL),
            '←' => KeyEvent::from(KeyCode::Left),
            '→' => KeyEvent::from(KeyCode::Right),
            '↑' => KeyEvent::from(KeyCode::Up),
            '↓' => KeyEvent::from(KeyCode::Down),
            '⇤' => KeyEvent::from(KeyCode::Home),
            '⇥' => KeyEvent::from(KeyCode::End),
            '⌫' => KeyEvent::from(KeyCode::Backspace),
            '⌦' => KeyEvent::from(KeyCode::Delete),
            char => KeyEvent::from(KeyCode::Char(char)),
        };
        let mut pass = |key: KeyEvent| vim.translate(&key).unwrap_or_else(|| vec![key]);
        pressed.chars().flat_map(|char| pass(key(char))).collect()
    }

    /// Returns the text after keys that were pressed at its end in normal mode, with `|` at the cursor.
    fn edited(text: &str, pressed: &str) -> String {
        let (mut vim, mut editor) = (VimKeys::default(), Editor::new(""));
        editor.set_text(text);
        for key in press(&mut vim, &format!("<{pressed}")) {
            editor.key(key);
        }
        editor.deselect();
        editor.key(KeyEvent::from(KeyCode::Char('|')));
        editor.text()
    }

    #[test]
    fn commands_of_normal_mode_edit_the_text() {
        let cases = [
            ("one two", "", "one tw|o"),
            ("one two", "x", "one t|w"),
            ("one two", "bx", "one |wo"),
            ("one two", "0x", "|ne two"),
            ("one two", "03lx", "one|two"),
            ("one two", "3x", "one t|w"),
            ("one\ntwo", "gg$x", "o|n\ntwo"),
            ("one\n\ntwo", "kxx", "one\n|\ntwo"),
            ("one two", "xp", "one tw|o"),
            ("one two three", "0wD", "one| "),
            ("one two three", "0dw", "|two three"),
            ("one two three", "02dw", "|three"),
            ("one two three", "0d2w", "|three"),
            ("one two three", "02dwP", "one two| three"),
            ("one\ntwo", "ggdw", "|\ntwo"),
            ("one two three", "0cwx<", "|x two three"),
            ("one two three", "0ed$", "o|n"),
            ("one two three", "0ea!<", "one|! two three"),
            ("one two three", "02ex", "one tw| three"),
            ("one two", "db", "one |o"),
            ("one two", "d0", "|o"),
            ("one\ntwo\nthree", "kdd", "one\n|three"),
            ("one\ntwo", "dd", "on|e"),
            ("one", "dd", "|"),
            ("one\n\ntwo", "kdd", "one\n|two"),
            ("one\ntwo\nthree", "ggdd", "|two\nthree"),
            ("one\ntwo\nthree", "gg2dd", "|three"),
            ("one\ntwo\nthree", "gg2ddp", "three\n|one\ntwo"),
            ("one\ntwo", "ggddp", "two\n|one"),
            ("one\ntwo", "yyP", "one\n|two\ntwo"),
            ("one\ntwo", "ggyyGp", "one\ntwo\n|one"),
            ("one\ntwo", "gg2yyGp", "one\ntwo\n|one\ntwo"),
            ("one two", "0dwA <p", "two one| "),
            ("one\ntwo", "ggcczero", "zero|\ntwo"),
            ("one\ntwo\nthree", "gg2ccx", "x|\nthree"),
            ("one\n\ntwo", "kccx", "one\nx|\ntwo"),
            ("one\ntwo", "ggox", "one\nx|\ntwo"),
            ("one\ntwo", "Ox", "one\nx|\ntwo"),
            ("one", "Ix", "x|one"),
            ("one", "ax", "onex|"),
            ("one", "0ax", "ox|ne"),
            ("one", "rx", "on|x"),
            ("one\ntwo", "gg$rx", "on|x\ntwo"),
            ("one", "sx", "onx|"),
            ("one two", "0xxu", "on|e two"),
            ("one two", "0xxuu^^", "|e two"),
            ("one two", "0vly$", "one tw|o"),
            ("one two", "0velx", "|two"),
            ("one two", "0vexA <p", " two on|e"),
            ("one two", "vbcx", "one x|"),
            ("abcdef", "0vlld", "|def"),
            ("abcdef", "0vd", "|bcdef"),
            ("abcdef", "vd", "abcd|e"),
            ("abcdef", "hvhhd", "ab|f"),
            ("abcdef", "0vlcx", "x|cdef"),
            ("abcdef", "0lvlyP", "ab|cbcdef"),
            ("abcdef", "hvhhyp", "abccd|edef"),
            ("one two", "0wved", "one| "),
            ("one two", "0ved", "| two"),
            ("one\n\ntwo", "kvd", "one\n|\ntwo"),
            ("one two", "dx", "one tw|o"),
            ("one two", "d<x", "one t|w"),
            ("one two", "Q!", "one tw|o"),
            ("a 日本 é", "bx", "a |本 é"),
            ("a b c d e f g h", "02d3w", "|g h"),
            ("a b c d e f g h", "02d3wP", "a b c d e f| g h"),
            ("one two three", "02d0", "|one two three"),
            ("one two three", "02d<x", "|ne two three"),
            ("a b c d", "03d2<w", "a |b c d"),
            ("one two", "03rx", "xx|x two"),
            ("one two", "3rx", "one tw|o"),
            ("one\ntwo", "gg3rx", "xx|x\ntwo"),
            ("one\ntwo", "gg4rx", "|one\ntwo"),
            ("one\n\ntwo", "krx", "one\n|\ntwo"),
            ("one two", "03rxu", "one| two"),
            ("a 日本", "0wr語", "a |語本"),
            ("one two", "0vl→d", "| two"),
            ("one two", "0v→→←d", "|e two"),
            ("one\ntwo", "0v↑d", "|wo"),
            ("one\ntwo", "gg0v↓d", "|wo"),
            ("one two", "0→x", "o|e two"),
            ("one two", "2⌫x", "one |wo"),
            ("one two", "0⌫x", "|ne two"),
            ("one two", "v⌫d", "one |t"),
            ("one two", "0⌦", "|ne two"),
            ("one two", "03⌦", "| two"),
            ("one two three", "0wv⇥d", "one| "),
            ("one two three", "0w2⇤x", "|ne two three"),
            ("one two", "d←", "one t|o"),
        ];
        let wrong = cases.into_iter().filter_map(|(text, pressed, expected)| {
            let result = edited(text, pressed);
            (result != expected).then(|| format!("{text:?} and {pressed}: {result:?}, not {expected:?}"))
        });
        assert_eq!(wrong.collect::<Vec<_>>(), [""; 0]);
    }

    #[test]
    fn other_keys_and_a_second_escape_pass() {
        let mut vim = VimKeys::default();
        let [escape, enter, f1] = [KeyCode::Esc, KeyCode::Enter, KeyCode::F(1)].map(KeyEvent::from);
        assert_eq!(vim.translate(&enter), None);
        assert!(vim.translate(&escape).is_some());
        assert_eq!([f1, escape].map(|key| vim.translate(&key)), [None, None]);
        assert_eq!(vim.mode(), Mode::Normal);
        assert_eq!((vim.translate(&enter), vim.mode()), (None, Mode::Insert));
        let alt_x = KeyEvent::new(KeyCode::Char('x'), KeyModifiers::ALT);
        let deleted =
            [keys(&[A::LeftInLine]), selecting(&[A::RightInLine]), keys(&[A::DeleteSelection]), on_a_character()]
                .concat();
        assert_eq!((vim.translate(&alt_x), vim.mode()), (Some(deleted.clone()), Mode::Normal), "Esc and x");
        // What has begun, a selection among it, ends first.
        let escaped = [keys(&[A::Deselect]), deleted[1..].to_vec()].concat();
        for begun in ["<v", "<vl", "<d", "<3", "<2d3"] {
            let mut vim = VimKeys::default();
            press(&mut vim, begun);
            assert_eq!((vim.translate(&alt_x), vim.mode()), (Some(escaped.clone()), Mode::Normal), "{begun}");
        }
        for (begun, letter, expected) in
            [("0vl", 'h', "|one two"), ("0d", 'w', "one |two"), ("02", 'w', "one |two"), ("0ve", 'x', "on| two")]
        {
            let (mut vim, mut editor) = (VimKeys::default(), Editor::new(""));
            editor.set_text("one two");
            let alt = KeyEvent::new(KeyCode::Char(letter), KeyModifiers::ALT);
            let pressed = [press(&mut vim, &format!("<{begun}")), vim.translate(&alt).unwrap()].concat();
            for key in pressed.into_iter().chain([KeyEvent::from(KeyCode::Char('|'))]) {
                editor.key(key);
            }
            assert_eq!(editor.text(), expected, "{begun}, then Alt+{letter}");
        }
    }

    #[test]
    fn the_list_for_the_help_page_names_every_command_and_nothing_else() {
        let in_normal_mode = |pressed: &str| {
            let mut vim = VimKeys::default();
            press(&mut vim, "<");
            let keys = press(&mut vim, pressed);
            !keys.is_empty() || vim.mode() != Mode::Normal || vim.begun.is_some() || vim.count > 0
        };
        let words = || COMMANDS.iter().flat_map(|(keys, _)| keys.split(' '));
        let listed = |char: char| match char {
            ' ' => words().any(|word| word == "space"),
            '1'..='9' => words().any(|word| word == "1…9"),
            char => words().any(|word| word == char.to_string() || word == format!("{char}{char}")),
        };
        // `^` stands for Ctrl+R in these tests.
        for char in (' '..='~').filter(|char| !matches!(char, '<' | '^')) {
            assert_eq!(listed(char), in_normal_mode(&char.to_string()), "{char:?}");
        }
        assert!(listed('^') && movement('^').is_some());
        for pair in words().filter(|word| word.len() == 2 && word.chars().all(char::is_alphabetic)) {
            let mut vim = VimKeys::default();
            assert!(!press(&mut vim, &format!("<{pair}")).is_empty() && vim.begun.is_none(), "{pair}");
        }
    }
}
