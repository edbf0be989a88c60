//! The keys that edit a text, for every box in which one is typed: a line ([`super::text_field`]), the text box
//! ([`super::editor`]) and the long text ([`super::buffer`]). Each box does with an action what it means there.

use std::iter;
use std::sync::LazyLock;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::key_table::{KeyContext, KeyPlace, KeyTable, ListedKeys};
use super::keys::{Chord, Keymap};
use super::vim;

/// What a key does to a text or its cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditAction {
    /// One character back.
    Left,
    /// One character forward.
    Right,
    /// To the beginning of the word before the cursor.
    WordLeft,
    /// To the end of the next word.
    WordRight,
    /// To the beginning of the line.
    LineStart,
    /// To the end of the line.
    LineEnd,
    /// To the beginning of the text.
    TextStart,
    /// To the end of the text.
    TextEnd,
    /// One row up.
    Up,
    /// One row down.
    Down,
    /// One page up.
    PageUp,
    /// One page down.
    PageDown,
    /// Deletes the character before the cursor.
    DeleteLeft,
    /// Deletes the character after the cursor.
    DeleteRight,
    /// Deletes to the beginning of the word before the cursor.
    DeleteWordLeft,
    /// Deletes to the end of the next word.
    DeleteWordRight,
    /// Deletes to the blank before the cursor.
    DeleteToBlank,
    /// Deletes to the beginning of the line; at the beginning, the line break before it.
    DeleteToLineStart,
    /// Deletes to the end of the line; at the end, the line break.
    DeleteToLineEnd,
    /// One character back, but not to the line before.
    LeftInLine,
    /// One character forward, but not to the next line.
    RightInLine,
    /// To the beginning of the next word.
    NextWord,
    /// To the beginning of the next word, at most to the end of the line.
    NextWordInLine,
    /// To the beginning of the next line; in the last one, to its end.
    NextLine,
    /// Breaks the line.
    Newline,
    /// Deletes the selection.
    DeleteSelection,
    /// Deletes the lines of the selection, else that of the cursor.
    DeleteLines,
    /// Copies these lines for [`Self::PasteDeleted`].
    CopyLines,
    /// Inserts what was deleted last by an action that [keeps it](Self::keeps_deleted), or copied.
    PasteDeleted,
    /// Inserts it behind the character after the cursor; lines, below the cursor's.
    PasteDeletedAfter,
    /// Inserts it before the cursor; lines, above the cursor's.
    PasteDeletedBefore,
    /// The next character that is typed takes the place of the one after the cursor; repeated, of as many in the line.
    /// Nothing is typed where there are fewer.
    ReplaceNext,
    /// Undoes the last edit.
    Undo,
    /// Makes the edit again that was undone last.
    Redo,
    /// Selects the whole text.
    SelectAll,
    /// Clears the selection; the text stays.
    Deselect,
    /// Extends the selection by the character after its end, but not to the next line; the cursor is then at its
    /// beginning.
    IncludeNext,
    /// Copies the selection.
    Copy,
    /// Copies the selection and deletes it.
    Cut,
    /// Opens the text in the external editor, which the owner of the box does.
    External,
}

/// Keys of [`EditAction::Undo`]. Ctrl+_ and Ctrl+/ are the same byte, which is read as Ctrl+7 unless the terminal says
/// more.
pub const UNDO: &str = "ctrl-_ ctrl-/ ctrl-7";
/// Keys of [`EditAction::Redo`].
pub const REDO: &str = "alt-z";

use EditAction as A;

/// The keys of each action, those of a shell's line among them.
const KEYS: [(&str, EditAction); 39] = [
    ("left ctrl-b", A::Left),
    ("right ctrl-f", A::Right),
    ("alt-b alt-left ctrl-left", A::WordLeft),
    ("alt-f alt-right ctrl-right", A::WordRight),
    ("home ctrl-a alt-home", A::LineStart),
    ("end ctrl-e alt-end", A::LineEnd),
    ("ctrl-home", A::TextStart),
    ("ctrl-end", A::TextEnd),
    ("up ctrl-up alt-up", A::Up),
    ("down ctrl-down alt-down", A::Down),
    ("pageup", A::PageUp),
    ("pagedown", A::PageDown),
    ("backspace ctrl-h", A::DeleteLeft),
    ("delete", A::DeleteRight),
    ("alt-backspace ctrl-backspace", A::DeleteWordLeft),
    ("alt-d alt-delete ctrl-delete", A::DeleteWordRight),
    ("ctrl-w", A::DeleteToBlank),
    ("ctrl-u", A::DeleteToLineStart),
    ("ctrl-k", A::DeleteToLineEnd),
    ("", A::LeftInLine),
    ("", A::RightInLine),
    ("", A::NextWord),
    ("", A::NextWordInLine),
    ("", A::NextLine),
    ("", A::Newline),
    ("", A::DeleteSelection),
    ("", A::DeleteLines),
    ("", A::CopyLines),
    ("", A::PasteDeleted),
    ("", A::PasteDeletedAfter),
    ("", A::PasteDeletedBefore),
    ("", A::ReplaceNext),
    (UNDO, A::Undo),
    (REDO, A::Redo),
    ("", A::SelectAll),
    ("", A::Deselect),
    ("", A::IncludeNext),
    ("", A::Copy),
    ("", A::Cut),
];

/// The key that ends Ctrl+X in every text box and does nothing else: no table of keys has it.
pub const CANCEL_PREFIX: KeyCode = KeyCode::Null;

/// The number of the first function key that stands for an action, that of its row in [`KEYS`]. No keyboard has it.
const FIRST_STAND_IN: u8 = 128;

static EDIT_KEYS: LazyLock<KeyTable<EditAction>> = LazyLock::new(|| {
    let keymap = Keymap::new(&KEYS.map(|(keys, action)| (keys, action, action.does())));
    KeyTable::new(KeyContext::new("text-box").while_typing().ignoring_shift(), keymap)
});

/// The keys after Ctrl+X, most used first: with a label for the footer and a sentence for the help page, if it is on it.
const AFTER_X_KEYS: [(&str, EditAction, &str, &str); 6] = [
    ("u U ctrl-u", A::Undo, "undo", "undo"),
    ("r R", A::Redo, "redo", "redo"),
    ("a A ctrl-a", A::SelectAll, "select all", "select all"),
    ("c C", A::Copy, "copy", "copy the selection"),
    ("x X", A::Cut, "cut", "cut the selection"),
    ("ctrl-e", A::External, "$EDITOR", ""),
];

static AFTER_X: LazyLock<KeyTable<EditAction>> = LazyLock::new(|| {
    let keymap = Keymap::new(&AFTER_X_KEYS.map(|(keys, action, _, help)| (keys, action, help)));
    KeyTable::new(KeyContext::new("text-box-after-prefix").used_in(KeyPlace::Dialog), keymap)
});

/// Returns the keys of text boxes, for the list of all keys.
pub(super) fn listed_keys() -> [ListedKeys; 2] {
    [EDIT_KEYS.listed(|_| ""), AFTER_X.listed(EditAction::does)]
}

impl EditAction {
    /// Returns what a key does after Ctrl+X.
    pub fn after_x(key: &KeyEvent) -> Option<Self> {
        AFTER_X.find(key)
    }

    /// Returns what a key does, with or without Shift.
    pub fn of(key: &KeyEvent) -> Option<Self> {
        match key.code {
            KeyCode::F(number @ FIRST_STAND_IN..) => Some(KEYS.get(usize::from(number - FIRST_STAND_IN))?.1),
            _ => EDIT_KEYS.find(key),
        }
    }

    /// Returns a key that does it in every text box: its first one, so that the owner of the box takes part, else one
    /// that no keyboard has. `None`: it has a key only after Ctrl+X.
    pub fn key(self) -> Option<KeyEvent> {
        let own =
            EDIT_KEYS.keymap().rows().iter().find(|row| row.action == self)?.chords.first().map(|key| key.event());
        let row = KEYS.iter().position(|(_, action)| *action == self)?;
        own.or_else(|| Some(KeyEvent::from(KeyCode::F(FIRST_STAND_IN + u8::try_from(row).ok()?))))
    }

    /// Returns whether [`Self::PasteDeleted`] inserts what it deletes.
    pub fn keeps_deleted(self) -> bool {
        matches!(
            self,
            A::DeleteWordLeft | A::DeleteWordRight | A::DeleteToBlank | A::DeleteToLineStart | A::DeleteToLineEnd
        )
    }

    /// Returns what it does, for the list of all keys.
    fn does(self) -> &'static str {
        match self {
            A::Left => "one character back",
            A::Right => "one character forward",
            A::WordLeft => "to the beginning of the word before the cursor",
            A::WordRight => "to the end of the next word",
            A::LineStart => "to the beginning of the line",
            A::LineEnd => "to the end of the line",
            A::TextStart => "to the beginning of the text",
            A::TextEnd => "to the end of the text",
            A::Up => "one row up",
            A::Down => "one row down",
            A::PageUp => "one page up",
            A::PageDown => "one page down",
            A::DeleteLeft => "delete the character before the cursor",
            A::DeleteRight => "delete the character after the cursor",
            A::DeleteWordLeft => "delete to the beginning of the word before the cursor",
            A::DeleteWordRight => "delete to the end of the next word",
            A::DeleteToBlank => "delete back to the previous blank",
            A::DeleteToLineStart => "delete to the beginning of the line",
            A::DeleteToLineEnd => "delete to the end of the line",
            A::LeftInLine => "one character back in the line",
            A::RightInLine => "one character forward in the line",
            A::NextWord => "to the beginning of the next word",
            A::NextWordInLine => "to the beginning of the next word in the line",
            A::NextLine => "to the beginning of the next line",
            A::Newline => "break the line",
            A::DeleteSelection => "delete the selection",
            A::DeleteLines => "delete the lines of the selection, or the line",
            A::CopyLines => "copy the lines of the selection, or the line",
            A::PasteDeleted => "insert what was deleted last",
            A::PasteDeletedAfter => "insert what was deleted last after the character, or below the line",
            A::PasteDeletedBefore => "insert what was deleted last before the character, or above the line",
            A::ReplaceNext => "replace the character after the cursor by the next one typed",
            A::Undo => "undo",
            A::Redo => "redo",
            A::SelectAll => "select all",
            A::Deselect => "clear the selection",
            A::IncludeNext => "extend the selection by the character after it",
            A::Copy => "copy the selection",
            A::Cut => "cut the selection",
            A::External => "$EDITOR",
        }
    }
}

/// Returns the keys for the help page that are the same in the boxes of several lines, with what they do; those that a
/// box with modes reads as Esc and a letter are left out where boxes have modes.
pub fn help() -> Vec<(String, &'static str)> {
    let is_key = |chord: &Chord| !(vim::is_enabled() && vim::is_escape_and_letter(&chord.event()));
    let select = ("shift+→".to_owned(), "select; likewise with the other keys that move");
    let keymap = AFTER_X.keymap();
    let after_x = keymap.rows().iter().filter(|row| !row.description.is_empty());
    let after_x = after_x.filter_map(|row| Some((format!("^X {}", row.chords.first()?), row.description)));
    iter::once(select).chain(undo_keys(is_key)).chain(after_x).collect()
}

/// Returns the keys for the help page that undo and redo in every box.
pub fn undo_help() -> Vec<(String, &'static str)> {
    undo_keys(|_| true)
}

/// Returns the first key that undoes, and the first that redoes, of those that `is_key` accepts.
fn undo_keys(is_key: fn(&Chord) -> bool) -> Vec<(String, &'static str)> {
    let keymap = EDIT_KEYS.keymap();
    let chord = |action: EditAction| {
        let row = keymap.rows().iter().find(|row| row.action == action)?;
        row.chords.iter().find(|chord| is_key(chord))
    };
    let all = [(A::Undo, "undo typing"), (A::Redo, "redo typing")].into_iter();
    all.filter_map(|(action, does)| Some((chord(action)?.to_string(), does))).collect()
}

/// Returns the keys that may follow Ctrl+X, most used first, with what they do in a word or two.
pub fn after_x_keys() -> Vec<(String, &'static str)> {
    let all = AFTER_X_KEYS.map(|(_, action, label, _)| (AFTER_X.key(action), label));
    all.into_iter().filter(|(key, _)| !key.is_empty()).collect()
}

/// Returns whether a key is Ctrl+X, which gives the next key another meaning.
pub fn is_ctrl_x(key: &KeyEvent) -> bool {
    key.code == KeyCode::Char('x') && key.modifiers.contains(KeyModifiers::CONTROL)
}

/// Returns the character that a key types.
pub fn typed(key: &KeyEvent) -> Option<char> {
    let KeyCode::Char(char) = key.code else { return None };
    (!key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT)).then_some(char)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::buffer::{self, Buffer};
    use crate::ui::editor::Editor;
    use crate::ui::text_field::TextField;
    use crate::ui::undo::UndoStack;

    /// A text box of one of the three kinds.
    enum TextBox {
        Line(TextField),
        Editor(Box<Editor>),
        /// With what can be taken back, which its owner keeps.
        Buffer(Box<Buffer>, UndoStack),
    }

    impl TextBox {
        /// Returns all boxes with a text, with the cursor at its `|`.
        fn all(text: &str) -> Vec<Self> {
            let (before, after) = text.split_once('|').unwrap();
            let whole = format!("{before}{after}");
            let mut editor = Editor::new("");
            editor.set_text(&whole);
            let mut buffer = Buffer::new();
            buffer.splice(0..0, &whole);
            let mut boxes = vec![Self::Editor(Box::new(editor)), Self::Buffer(Box::new(buffer), UndoStack::default())];
            if !text.contains('\n') {
                boxes.push(Self::Line(TextField::new(whole)));
            }
            for text_box in &mut boxes {
                text_box.key(KeyEvent::new(KeyCode::Home, KeyModifiers::CONTROL));
                for _ in before.chars() {
                    text_box.key(KeyEvent::from(KeyCode::Right));
                }
            }
            boxes
        }

        fn key(&mut self, key: KeyEvent) {
            match self {
                Self::Line(line) => _ = line.key(key),
                Self::Editor(editor) => _ = editor.key(key),
                Self::Buffer(buffer, undo) => match (EditAction::of(&key), buffer.key(key)) {
                    (Some(action @ (A::Undo | A::Redo)), _) => self.carry_out(action),
                    (_, buffer::Edit::Changed(change)) => undo.add(change),
                    _ => {}
                },
            }
        }

        /// Carries out an action that has a key after Ctrl+X.
        fn carry_out(&mut self, action: EditAction) {
            if let (Self::Line(_), Some(row)) =
                (&*self, EDIT_KEYS.keymap().rows().iter().find(|row| row.action == action))
            {
                return self.key(row.chords[0].event());
            }
            let after_x = AFTER_X.keymap();
            let row = after_x.rows().iter().find(|row| row.action == action).unwrap();
            let Self::Buffer(buffer, undo) = self else {
                self.key(KeyEvent::new(KeyCode::Char('x'), KeyModifiers::CONTROL));
                return self.key(row.chords[0].event());
            };
            match action {
                A::Undo | A::Redo => {
                    let step = if action == A::Undo { undo.undo() } else { undo.redo() };
                    let Some(step) = step else { return };
                    buffer.splice(step.at..step.at + step.removed.len(), &step.inserted);
                    buffer.set_caret(step.at + step.inserted.len());
                }
                _ => {
                    if let buffer::Edit::Changed(change) = buffer.carry_out(action, false) {
                        undo.add(change);
                    }
                }
            }
        }

        fn press(&mut self, keys: &[(KeyCode, KeyModifiers)]) {
            for (code, modifiers) in keys {
                self.key(KeyEvent::new(*code, *modifiers));
            }
        }

        fn type_text(&mut self, text: &str) {
            text.chars().for_each(|char| self.key(KeyEvent::from(KeyCode::Char(char))));
        }

        fn take_copied(&mut self) -> Option<String> {
            match self {
                Self::Line(_) => None,
                Self::Editor(editor) => editor.take_copied(),
                Self::Buffer(buffer, _) => buffer.take_copied(),
            }
        }

        fn text(&self) -> String {
            match self {
                Self::Line(line) => line.text().to_owned(),
                Self::Editor(editor) => editor.text(),
                Self::Buffer(buffer, _) => buffer.text(),
            }
        }

        /// Returns its text with `|` at the cursor.
        fn read(&mut self) -> String {
            self.type_text("|");
            self.text()
        }

        fn has(&self, action: EditAction) -> bool {
            match self {
                Self::Line(_) => {
                    let several = [A::Up, A::Down, A::PageUp, A::PageDown];
                    let selecting = [A::SelectAll, A::Deselect, A::IncludeNext, A::Copy, A::Cut, A::DeleteSelection];
                    let with_modes = [A::Newline, A::DeleteLines, A::CopyLines, A::ReplaceNext];
                    ![&several[..], &selecting, &with_modes].concat().contains(&action)
                }
                Self::Editor(_) => !matches!(action, A::PageUp | A::PageDown),
                Self::Buffer(..) => true,
            }
        }
    }

    /// Returns the text before and after each action.
    fn cases() -> Vec<(EditAction, &'static str, &'static str)> {
        vec![
            (A::Left, "one tw|o", "one t|wo"),
            (A::Left, "one\n|two", "one|\ntwo"),
            (A::Right, "one tw|o", "one two|"),
            (A::WordLeft, "one two-thrée\u{3000}|vier", "one two-|thrée\u{3000}vier"),
            (A::WordLeft, "one (|two", "one |(two"),
            (A::WordLeft, "one\n|two", "one|\ntwo"),
            (A::WordRight, "one| two-three", "one two|-three"),
            (A::WordRight, "one two|-three", "one two-|three"),
            (A::WordRight, "|日本語、要約", "日本語|、要約"),
            (A::WordRight, "one|\ntwo", "one\n|two"),
            (A::LineStart, "one tw|o", "|one two"),
            (A::LineStart, "one\ntw|o", "one\n|two"),
            (A::LineEnd, "on|e\ntwo", "one|\ntwo"),
            (A::TextStart, "one tw|o", "|one two"),
            (A::TextStart, "one\ntw|o", "|one\ntwo"),
            (A::TextEnd, "on|e two", "one two|"),
            (A::Up, "one\ntw|o", "on|e\ntwo"),
            (A::Down, "on|e\ntwo", "one\ntw|o"),
            (A::PageUp, "one\ntw|o", "on|e\ntwo"),
            (A::PageDown, "on|e\ntwo", "one\ntw|o"),
            (A::DeleteLeft, "one tw|o", "one t|o"),
            (A::DeleteLeft, "one\n|two", "one|two"),
            (A::DeleteRight, "one tw|o", "one tw|"),
            (A::DeleteRight, "one|\ntwo", "one|two"),
            (A::DeleteWordLeft, "one two-three|", "one two-|"),
            (A::DeleteWordLeft, "one\n|two", "one|two"),
            (A::DeleteWordRight, "one| two-three", "one|-three"),
            (A::DeleteWordRight, "one|\ntwo", "one|two"),
            (A::DeleteToBlank, "one two-three  |x", "one |x"),
            (A::DeleteToBlank, "one\n|two", "one|two"),
            (A::DeleteToLineStart, "one tw|o", "|o"),
            (A::DeleteToLineStart, "one\n|two", "one|two"),
            (A::DeleteToLineEnd, "one| two", "one|"),
            (A::DeleteToLineEnd, "one|\ntwo", "one|two"),
            (A::LeftInLine, "one tw|o", "one t|wo"),
            (A::LeftInLine, "one\n|two", "one\n|two"),
            (A::RightInLine, "one tw|o", "one two|"),
            (A::RightInLine, "one|\ntwo", "one|\ntwo"),
            (A::NextWord, "o|ne  two", "one  |two"),
            (A::NextWord, "one| two-three", "one |two-three"),
            (A::NextWord, "one tw|o", "one two|"),
            (A::NextWord, "one|\ntwo", "one\n|two"),
            (A::NextWordInLine, "o|ne  two", "one  |two"),
            (A::NextWordInLine, "o|ne\ntwo", "one|\ntwo"),
            (A::NextWordInLine, "one|\ntwo", "one|\ntwo"),
            (A::NextLine, "o|ne\ntwo", "one\n|two"),
            (A::NextLine, "o|ne two", "one two|"),
            (A::Newline, "one |two", "one \n|two"),
            (A::DeleteSelection, "one |two", "one |two"),
            (A::DeleteLines, "one\ntw|o\nthree", "one\n|three"),
            (A::DeleteLines, "one\n|\nthree", "one\n|three"),
            (A::DeleteLines, "one\ntw|o", "one|"),
            (A::DeleteLines, "one tw|o", "|"),
            (A::CopyLines, "one tw|o", "one tw|o"),
            (A::PasteDeletedAfter, "one| two", "one| two"),
            (A::PasteDeletedBefore, "one| two", "one| two"),
            (A::PasteDeleted, "one| two", "one| two"),
            // The cursor itself is typed.
            (A::ReplaceNext, "one| two", "one|two"),
            (A::ReplaceNext, "|日本", "|本"),
            (A::ReplaceNext, "one|\ntwo", "one\ntwo"),
            (A::ReplaceNext, "|", ""),
            (A::SelectAll, "one tw|o", "|"),
            (A::Deselect, "one tw|o", "one tw|o"),
            // What is typed takes the place of the selection.
            (A::IncludeNext, "one |two", "one |wo"),
            (A::IncludeNext, "one|\ntwo", "one|\ntwo"),
            (A::Copy, "one tw|o", "one tw|o"),
            (A::Cut, "one tw|o", "one tw|o"),
            (A::Undo, "|one", "|one"),
            (A::Redo, "|one", "x|one"),
        ]
    }

    #[test]
    fn each_key_does_the_same_in_every_box() {
        let keymap = EDIT_KEYS.keymap();
        assert_eq!(keymap.clashes(), []);
        for row in keymap.rows() {
            let cases: Vec<_> = cases().into_iter().filter(|(action, ..)| *action == row.action).collect();
            assert!(!cases.is_empty(), "{:?} has no case", row.action);
            let own = row.chords.iter().map(|chord| chord.event());
            let keys: Vec<_> = own.chain(row.action.key().filter(|_| row.chords.is_empty())).collect();
            assert!(!keys.is_empty(), "{:?} has no key", row.action);
            for (key, (action, before, after)) in keys.iter().flat_map(|key| cases.iter().map(move |case| (key, case)))
            {
                for mut text_box in TextBox::all(before).into_iter().filter(|text_box| text_box.has(*action)) {
                    if matches!(action, A::Undo | A::Redo) {
                        text_box.key(KeyEvent::from(KeyCode::Char('x')));
                    }
                    if *action == A::Redo {
                        text_box.carry_out(A::Undo);
                    }
                    text_box.key(*key);
                    assert_eq!(text_box.read(), *after, "{key:?}, {action:?} at {before}");
                }
            }
        }
    }

    #[test]
    fn what_is_typed_in_one_go_is_undone_and_redone_at_once() {
        for mut text_box in TextBox::all("one |three").into_iter().filter(|text_box| text_box.has(A::Undo)) {
            text_box.type_text("tow");
            text_box.press(&[(KeyCode::Backspace, KeyModifiers::NONE), (KeyCode::Backspace, KeyModifiers::NONE)]);
            text_box.type_text("wo ");
            assert_eq!(text_box.text(), "one two three");
            // What was typed and deleted again comes back before it goes.
            for (action, expected) in [
                (A::Undo, "one towthree"),
                (A::Undo, "one three"),
                (A::Redo, "one towthree"),
                (A::Redo, "one two three"),
            ] {
                text_box.carry_out(action);
                assert_eq!(text_box.text(), expected);
            }
            // What is typed elsewhere is another step, and after it there is nothing to redo.
            text_box.press(&[(KeyCode::Home, KeyModifiers::NONE)]);
            text_box.type_text("no ");
            text_box.carry_out(A::Redo);
            for expected in ["one two three", "one towthree", "one three", "one three"] {
                text_box.carry_out(A::Undo);
                assert_eq!(text_box.text(), expected);
            }
            assert_eq!(text_box.read(), "one |three");
        }
    }

    #[test]
    fn with_shift_a_movement_selects_and_typing_replaces_the_selection() {
        const SHIFT: KeyModifiers = KeyModifiers::SHIFT;
        // Keys, and what they select.
        let cases = [
            (vec![(KeyCode::Left, SHIFT)], "d"),
            (vec![(KeyCode::Right, SHIFT), (KeyCode::Right, SHIFT)], "e "),
            (vec![(KeyCode::Right, SHIFT), (KeyCode::Left, SHIFT), (KeyCode::Left, SHIFT)], "d"),
            (vec![(KeyCode::Left, SHIFT | KeyModifiers::CONTROL)], "d"),
            (vec![(KeyCode::Right, SHIFT | KeyModifiers::CONTROL)], "e"),
            (vec![(KeyCode::Home, SHIFT)], "abc d"),
            (vec![(KeyCode::End, SHIFT)], "e f"),
            (vec![(KeyCode::Home, SHIFT | KeyModifiers::CONTROL)], "one\nabc d"),
            (vec![(KeyCode::End, SHIFT | KeyModifiers::CONTROL)], "e f\ntwo six 日本"),
            (vec![(KeyCode::Up, SHIFT)], "\nabc d"),
            (vec![(KeyCode::Down, SHIFT)], "e f\ntwo s"),
        ];
        let text = "one\nabc d|e f\ntwo six 日本";
        let [before, after] = [text.split('|').next().unwrap(), text.split('|').nth(1).unwrap()];
        for (keys, selected) in &cases {
            let replaced = match before.strip_suffix(selected) {
                Some(rest) => format!("{rest}|{after}"),
                None => format!("{before}|{}", after.strip_prefix(selected).unwrap()),
            };
            for mut text_box in TextBox::all(text) {
                text_box.press(keys);
                text_box.carry_out(A::Copy);
                assert_eq!(text_box.take_copied().as_deref(), Some(*selected), "{keys:?}");
                assert_eq!(text_box.read(), replaced, "{keys:?}");
            }
            for mut text_box in TextBox::all(text) {
                text_box.press(keys);
                text_box.carry_out(A::Cut);
                assert_eq!(text_box.take_copied().as_deref(), Some(*selected), "{keys:?}");
                assert_eq!(text_box.text(), replaced.replace('|', ""), "{keys:?}");
                text_box.carry_out(A::Undo);
                assert_eq!(text_box.text(), text.replace('|', ""), "{keys:?}");
                // Without Shift a step goes to the selection's end, and nothing is selected.
                text_box.press(keys);
                text_box.press(&[(KeyCode::Left, KeyModifiers::NONE)]);
                text_box.carry_out(A::Copy);
                assert_eq!(text_box.take_copied(), None);
            }
        }
        for mut text_box in TextBox::all(text) {
            text_box.carry_out(A::SelectAll);
            text_box.carry_out(A::Cut);
            assert_eq!(text_box.take_copied(), Some(text.replace('|', "")));
            assert_eq!(text_box.read(), "|");
        }
    }
}
