//! The modes of vim in text boxes: in normal mode letters are commands. Each becomes keys that do it in any text box.

use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::editing::{EditAction, typed};

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

/// A command that waits for its second key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begun {
    /// `d` and `c`: deletes what a movement passes; `c` goes on in insert mode.
    Delete { inserts: bool },
    /// `y`: keeps the line.
    Keep,
    /// `g`: to the beginning of the text.
    Go,
    /// `r`: replaces the character after the cursor.
    Replace,
}

/// The mode of the text box in which text is typed, and the command that has begun.
#[derive(Debug, Default)]
pub struct VimKeys {
    mode: Mode,
    /// The digits before a command; 0: none.
    count: usize,
    begun: Option<Begun>,
    /// Whether what is inserted next is a whole line.
    has_line: bool,
}

impl VimKeys {
    /// Returns the mode.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Returns the keys that take the place of one that was pressed; `None`: it stays as it is.
    pub fn translate(&mut self, key: &KeyEvent) -> Option<Vec<KeyEvent>> {
        let is_letter = matches!(key.code, KeyCode::Char(char) if char.is_alphabetic());
        if is_letter && key.modifiers - KeyModifiers::SHIFT == KeyModifiers::ALT {
            // A terminal sends the same for Esc and soon after it the letter.
            let left = if self.mode == Mode::Insert { self.enter(Mode::Normal, &[A::LeftInLine]) } else { Vec::new() };
            let letter = KeyEvent::new(key.code, key.modifiers - KeyModifiers::ALT);
            return Some([left, self.translate(&letter)?].concat());
        }
        let is_escape = key.code == KeyCode::Esc && key.modifiers.is_empty();
        if self.mode == Mode::Insert {
            return is_escape.then(|| self.enter(Mode::Normal, &[A::LeftInLine]));
        }
        let (count, begun) = (std::mem::take(&mut self.count), self.begun.take());
        if is_escape && (count > 0 || begun.is_some() || self.mode == Mode::Visual) {
            return Some(self.enter(Mode::Normal, &[A::Deselect]));
        }
        if key.code == KeyCode::Char('r') && key.modifiers == KeyModifiers::CONTROL {
            return Some(keys(&[A::Redo].repeat(count.max(1))));
        }
        let Some(char) = typed(key) else {
            // It sends the text in most boxes: what follows is a new one.
            if key.code == KeyCode::Enter {
                self.mode = Mode::Insert;
            }
            return None;
        };
        if begun == Some(Begun::Replace) {
            return Some([keys(&[A::DeleteRight]), vec![*key], keys(&[A::LeftInLine])].concat());
        }
        if char.is_ascii_digit() && (char != '0' || count > 0) {
            self.count = (count * 10 + char as usize - '0' as usize).min(MOST_REPEATED);
            self.begun = begun;
            return Some(Vec::new());
        }
        Some(self.command(char, count.max(1), begun))
    }

    /// Carries out a command, or begins one; returns its keys.
    fn command(&mut self, char: char, count: usize, begun: Option<Begun>) -> Vec<KeyEvent> {
        match (begun, char) {
            (Some(Begun::Delete { inserts }), _) => return self.delete(char, count, inserts),
            (Some(Begun::Keep), 'y') => {
                self.has_line = true;
                return keys(&[A::KeepLine]);
            }
            (Some(Begun::Go), 'g') => return self.moved(A::TextStart, 1),
            (Some(_), _) => return Vec::new(),
            (None, _) => {}
        }
        if let Some(action) = movement(char) {
            return self.moved(action, count);
        }
        if char == 'g' {
            return self.begin(Begun::Go, count);
        }
        if self.mode == Mode::Visual { self.visual_command(char) } else { self.normal_command(char, count) }
    }

    fn normal_command(&mut self, char: char, count: usize) -> Vec<KeyEvent> {
        let newline = KeyEvent::new(KeyCode::Char('j'), KeyModifiers::CONTROL);
        match char {
            'i' => self.enter(Mode::Insert, &[]),
            'I' => self.enter(Mode::Insert, &[A::LineStart]),
            'a' => self.enter(Mode::Insert, &[A::RightInLine]),
            'A' => self.enter(Mode::Insert, &[A::LineEnd]),
            'o' => [self.enter(Mode::Insert, &[A::LineEnd]), vec![newline]].concat(),
            'O' => [self.enter(Mode::Insert, &[A::LineStart]), vec![newline], keys(&[A::Left])].concat(),
            'x' => keys(&[A::DeleteRight].repeat(count)),
            'X' => keys(&[A::DeleteLeft].repeat(count)),
            's' => self.enter(Mode::Insert, &[A::DeleteRight].repeat(count)),
            'S' => self.delete('c', 1, true),
            'D' => self.delete('$', 1, false),
            'C' => self.delete('$', 1, true),
            'd' => self.begin(Begun::Delete { inserts: false }, count),
            'c' => self.begin(Begun::Delete { inserts: true }, count),
            'y' => self.begin(Begun::Keep, count),
            'r' => self.begin(Begun::Replace, count),
            'u' => keys(&[A::Undo].repeat(count)),
            'v' => self.enter(Mode::Visual, &[]),
            'p' if self.has_line => {
                [keys(&[A::LineEnd]), vec![newline], keys(&[A::PasteDeleted, A::LineStart])].concat()
            }
            'P' if self.has_line => [keys(&[A::LineStart, A::PasteDeleted]), vec![newline], keys(&[A::Up])].concat(),
            'p' => keys(&[A::RightInLine, A::PasteDeleted, A::LeftInLine]),
            'P' => keys(&[A::PasteDeleted, A::LeftInLine]),
            _ => Vec::new(),
        }
    }

    fn visual_command(&mut self, char: char) -> Vec<KeyEvent> {
        if matches!(char, 'd' | 'x' | 'c' | 's' | 'y') {
            self.has_line = false;
        }
        match char {
            'd' | 'x' => self.enter(Mode::Normal, &[A::Cut]),
            'c' | 's' => self.enter(Mode::Insert, &[A::Cut]),
            'y' => self.enter(Mode::Normal, &[A::Copy, A::Deselect]),
            'v' => self.enter(Mode::Normal, &[A::Deselect]),
            _ => Vec::new(),
        }
    }

    /// Returns the keys that delete up to where a movement leads, or the whole line for `d` and `c`.
    fn delete(&mut self, movement: char, count: usize, inserts: bool) -> Vec<KeyEvent> {
        let action = match movement {
            'w' if !inserts => A::DeleteToNextWord,
            'w' | 'e' => A::DeleteWordRight,
            'b' => A::DeleteWordLeft,
            'h' => A::DeleteLeft,
            'l' => A::DeleteRight,
            '$' => A::DeleteRestOfLine,
            '0' | '^' => A::DeleteToLineStart,
            'd' if !inserts => A::DeleteLine,
            'c' if inserts => A::DeleteLineText,
            _ => return Vec::new(),
        };
        if action.keeps_deleted() || action == A::DeleteLine {
            self.has_line = action == A::DeleteLine;
        }
        self.enter(if inserts { Mode::Insert } else { Mode::Normal }, &[action].repeat(count))
    }

    /// Returns the keys of a movement, which in visual mode extends the selection.
    fn moved(&self, action: EditAction, count: usize) -> Vec<KeyEvent> {
        let mut keys = keys(&[action].repeat(count));
        if self.mode == Mode::Visual {
            keys.iter_mut().for_each(|key| key.modifiers.insert(KeyModifiers::SHIFT));
        }
        keys
    }

    fn begin(&mut self, begun: Begun, count: usize) -> Vec<KeyEvent> {
        (self.begun, self.count) = (Some(begun), if count > 1 { count } else { 0 });
        Vec::new()
    }

    /// Enters a mode; returns the keys of the actions before it.
    fn enter(&mut self, mode: Mode, actions: &[EditAction]) -> Vec<KeyEvent> {
        self.mode = mode;
        keys(actions)
    }
}

/// Returns the movement of a letter.
fn movement(char: char) -> Option<EditAction> {
    Some(match char {
        'h' => A::LeftInLine,
        'l' | ' ' => A::RightInLine,
        'j' => A::Down,
        'k' => A::Up,
        'w' => A::NextWord,
        'b' => A::WordLeft,
        'e' => A::WordRight,
        '0' | '^' => A::LineStart,
        '$' => A::LineEnd,
        'G' => A::TextEnd,
        _ => return None,
    })
}

/// Returns the keys of actions.
fn keys(actions: &[EditAction]) -> Vec<KeyEvent> {
    actions.iter().filter_map(|action| action.key()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::editor::Editor;
    use crate::ui::text_field::TextField;

    /// Presses keys, `<` for Esc and `^` for Ctrl+R; returns those that reach the text box.
    fn press(vim: &mut VimKeys, pressed: &str) -> Vec<KeyEvent> {
        let key = |char| match char {
            '<' => KeyEvent::from(KeyCode::Esc),
            '^' => KeyEvent::new(KeyCode::Char('r'), KeyModifiers::CONTROL),
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
        for (text, pressed, expected) in [
            ("one two", "", "one tw|o"),
            ("one two", "x", "one tw|"),
            ("one two", "bx", "one |wo"),
            ("one two", "0x", "|ne two"),
            ("one two", "03lx", "one|two"),
            ("one two three", "0wD", "one |"),
            ("one two three", "0dw", "|two three"),
            ("one two three", "02dw", "|three"),
            ("one two three", "0d2w", "|three"),
            ("one two three", "0cwx<", "|x two three"),
            ("one two three", "0ed$", "one|"),
            ("one two", "db", "one |o"),
            ("one two", "d0", "|o"),
            ("one\ntwo\nthree", "kdd", "one\n|three"),
            ("one\ntwo", "dd", "one|"),
            ("one", "dd", "|"),
            ("one\n\ntwo", "kdd", "one\n|two"),
            ("one\ntwo\nthree", "ggdd", "|two\nthree"),
            ("one\ntwo\nthree", "gg2dd", "|three"),
            ("one\ntwo", "ggddp", "two\n|one"),
            ("one\ntwo", "yyP", "one\n|two\ntwo"),
            ("one\ntwo", "ggyyGp", "one\ntwo\n|one"),
            ("one two", "0dwA <p", "two one| "),
            ("one\ntwo", "ggcczero", "zero|\ntwo"),
            ("one\n\ntwo", "kccx", "one\nx|\ntwo"),
            ("one\ntwo", "ggox", "one\nx|\ntwo"),
            ("one\ntwo", "Ox", "one\nx|\ntwo"),
            ("one", "Ix", "x|one"),
            ("one", "ax", "onex|"),
            ("one", "0ax", "ox|ne"),
            ("one", "rx", "on|x"),
            ("one", "sx", "onx|"),
            ("one two", "0xxu", "on|e two"),
            ("one two", "0xxuu^^", "|e two"),
            ("one two", "0vly$", "one two|"),
            ("one two", "0velx", "|two"),
            ("one two", "0vexA <p", " two on|e"),
            ("one two", "vbcx", "one x|o"),
            ("one two", "dx", "one tw|o"),
            ("one two", "d<x", "one tw|"),
            ("one two", "Q!", "one tw|o"),
            ("a 日本 é", "bx", "a |本 é"),
        ] {
            assert_eq!(edited(text, pressed), expected, "{text:?} and {pressed}");
        }
    }

    #[test]
    fn a_line_has_the_same_commands() {
        let (mut vim, mut line) = (VimKeys::default(), TextField::new("one two".to_owned()));
        for key in press(&mut vim, "<0dwA <ppccx<") {
            line.key(key);
        }
        assert_eq!((line.text(), vim.mode()), ("x", Mode::Normal));
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
        let deleted = keys(&[A::LeftInLine, A::DeleteRight]);
        assert_eq!((vim.translate(&alt_x), vim.mode()), (Some(deleted), Mode::Normal), "Esc and x");
    }
}
