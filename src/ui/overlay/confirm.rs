//! A question with two buttons.

use std::sync::{Arc, LazyLock};

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use unicode_width::UnicodeWidthStr;

use super::{WIDEST, Words, boxed};
use crate::text::Untrusted;
use crate::ui::key_table::{KeyContext, KeyPlace, KeyTable, ListedKeys};
use crate::ui::keys::Keymap;
use crate::ui::text_field::TextField;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// What a key does to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConfirmKey {
    /// Gives the focus to the other answer.
    Move,
    /// Takes the answer that has the focus.
    Choose,
    Cancel,
    Yes,
    No,
}

static CONFIRM_KEYS: LazyLock<KeyTable<ConfirmKey>> = LazyLock::new(|| {
    let keymap = Keymap::new(&[
        ("tab shift-tab left right", ConfirmKey::Move, "to the other answer"),
        ("enter", ConfirmKey::Choose, "choose the answer"),
        ("esc", ConfirmKey::Cancel, "close without doing it"),
        // Ctrl+Y copies elsewhere: it must not delete here.
        ("y", ConfirmKey::Yes, "do it"),
        ("n q", ConfirmKey::No, "answer no"),
    ]);
    KeyTable::new(KeyContext::new("confirm").ignoring_shift().used_in(KeyPlace::Dialog), keymap)
});

/// Returns the keys of a question, for the list of all keys.
pub(in crate::ui) fn listed_keys() -> ListedKeys {
    CONFIRM_KEYS.listed(|_| "")
}

/// A question with two answers; the focus is on Cancel until it is moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirm {
    title: String,
    /// The text of the question.
    lines: Vec<Untrusted>,
    verb: String,
    /// The other answer.
    no: &'static str,
    /// The word that must be typed first; `None`: none.
    word: Option<String>,
    typed: TextField,
    on_verb: bool,
    /// Whether the verb was chosen without the word, which is then shown.
    lacks_word: bool,
}

/// What a key did to a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Still open.
    Open,
    /// Closed without a choice.
    Cancelled,
    /// Chosen.
    Chosen,
}

impl Confirm {
    /// Creates a question: title, subject (which may come from outside), and the verb on the button.
    pub fn new(title: impl Into<String>, lines: Vec<Untrusted>, verb: impl Into<String>) -> Self {
        let (title, verb) = (title.into(), verb.into());
        Self {
            title,
            lines,
            verb,
            no: "Cancel",
            word: None,
            typed: TextField::default(),
            on_verb: false,
            lacks_word: false,
        }
    }

    /// Sets another word than “Cancel” for the answer that does nothing.
    #[must_use]
    pub fn otherwise(mut self, no: &'static str) -> Self {
        self.no = no;
        self
    }

    /// Moves the focus to the verb: for what costs nothing and destroys nothing.
    #[must_use]
    pub fn on_verb(mut self) -> Self {
        self.on_verb = true;
        self
    }

    /// Replaces the subject.
    pub fn about(&mut self, lines: Vec<Untrusted>) {
        self.lines = lines;
    }

    /// Requires a word to be typed before the verb works.
    pub fn typed(mut self, word: impl Into<String>) -> Self {
        self.word = Some(word.into());
        self
    }

    /// Handles a key. ⏎ chooses the answer that has the focus; a word that is typed completely moves it to the verb,
    /// and after another word ⏎ shows which word is required.
    pub fn key(&mut self, key: KeyEvent) -> Answer {
        match self.keymap().find(&CONFIRM_KEYS.meant(&key)).filter(|action| self.has_key(*action)) {
            Some(ConfirmKey::Move) => self.on_verb = !self.on_verb,
            Some(ConfirmKey::Choose) if self.on_verb && self.has_word() => return Answer::Chosen,
            // Whoever typed another word meant the verb.
            Some(ConfirmKey::Choose) if self.on_verb || !(self.has_word() || self.typed.text().is_empty()) => {
                self.lacks_word = true;
            }
            Some(ConfirmKey::Yes) => return Answer::Chosen,
            Some(_) => return Answer::Cancelled,
            None if self.word.is_some() => {
                let had = self.has_word();
                self.typed.key(key);
                if self.has_word() != had {
                    self.on_verb = !had;
                }
                self.lacks_word = false;
            }
            None => {}
        }
        Answer::Open
    }

    /// Returns its keys: where a word is typed, characters belong to it.
    fn keymap(&self) -> Arc<Keymap<ConfirmKey>> {
        if self.word.is_some() { CONFIRM_KEYS.while_typing() } else { CONFIRM_KEYS.keymap() }
    }

    /// Returns whether an action has its keys: where a word is typed, letters are text.
    fn has_key(&self, action: ConfirmKey) -> bool {
        self.word.is_none() || !matches!(action, ConfirmKey::Yes | ConfirmKey::No)
    }

    /// Returns its keys for the help page, each with what it does.
    pub fn help(&self) -> Vec<(String, &'static str)> {
        let keymap = self.keymap();
        let rows = keymap.rows().iter().filter(|row| self.has_key(row.action) && !row.chords.is_empty());
        rows.map(|row| (row.shown_keys(), row.description)).collect()
    }

    /// Returns its keys for the footer, each with what it does.
    pub fn footer(&self) -> Vec<(String, &'static str)> {
        let choose = self.keymap().key(ConfirmKey::Choose);
        match self.word {
            Some(_) => vec![(choose, "after the word is typed")],
            None => vec![(CONFIRM_KEYS.key(ConfirmKey::Move), "move"), (choose, "choose")],
        }
    }

    /// Returns whether the required word, if any, is typed.
    fn has_word(&self) -> bool {
        self.word.as_ref().is_none_or(|word| self.typed.text() == word)
    }

    /// Returns the columns of its lines over `area`.
    fn room(area: Rect) -> usize {
        usize::from(WIDEST.min(area.width)).saturating_sub(6)
    }

    /// Returns whether the whole first line, wrapped, is visible over `area`.
    pub fn shows_first_line(&self, area: Rect) -> bool {
        let rows = self.lines.first().map_or(0, |line| wrap::lines(&line.line(), Self::room(area)).len());
        rows + 6 <= usize::from(area.height)
    }

    /// Draws the question over `area`.
    pub fn render(&self, target: &mut Frame, area: Rect, theme: &Theme) {
        let room = Self::room(area);
        let safe: Vec<_> = self.lines.iter().map(Untrusted::line).collect();
        let lines: Vec<&str> = safe.iter().flat_map(|line| wrap::lines(line, room)).collect();
        let foot = format!("esc {}", self.no.to_lowercase());
        let words = Words { title: &self.title, foot: &foot, ..Words::default() };
        let inside = boxed(
            target,
            area,
            (WIDEST, u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(6)),
            &words,
            theme,
        );
        if inside.is_empty() {
            return;
        }
        for (line, y) in lines.iter().zip(inside.y + 1..inside.bottom().saturating_sub(2)) {
            target.buffer_mut().set_stringn(inside.x + 1, y, line, room, theme.text);
        }
        let x = inside.x + 1;
        let y = inside.bottom().saturating_sub(2);
        let button = |word: &str, on: bool| if on { format!("[ {word} ]") } else { format!("  {word}  ") };
        let (no, verb) = (button(self.no, !self.on_verb), button(&self.verb, self.on_verb));
        let style = |focus| if focus { theme.accent } else { theme.text };
        let verb_at = no.width() + 3;
        target.buffer_mut().set_stringn(x, y, &no, room, style(!self.on_verb));
        target.buffer_mut().set_stringn(
            x + verb_at as u16,
            y,
            &verb,
            room.saturating_sub(verb_at),
            style(self.on_verb),
        );
        if let Some(word) = &self.word {
            let ask =
                if self.lacks_word { format!("✕ type “{word}” first: ") } else { format!("type “{word}”: ") };
            let beside = x + (verb_at + verb.width()) as u16 + 2;
            // If the word does not fit beside the buttons, it is typed below them.
            let fits = usize::from(beside) + ask.width() + word.width() < usize::from(inside.right());
            let tone = if self.lacks_word { theme.bad } else { theme.muted };
            let (at, y) = if fits { (beside, y) } else { (x, y + 1) };
            target.buffer_mut().set_stringn(at, y, &ask, usize::from(inside.right() - at), tone);
            let left = (at + ask.width() as u16).min(inside.right());
            self.typed.render(target, Rect::new(left, y, inside.right() - left, 1), theme.text, true);
        } else {
            target.set_cursor_position(Position::new(if self.on_verb { x + verb_at as u16 + 2 } else { x + 2 }, y));
        }
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyModifiers};

    use super::*;
    use crate::ui::theme::{Depth, Kind};

    #[test]
    fn a_question_fits_into_any_screen_and_shows_its_answers() {
        use ratatui::Terminal;
        use ratatui::backend::TestBackend;
        let theme = Theme::of(Kind::Mono, Depth::Indexed);
        let lines = vec!["an upload of a large file runs".into(), "\u{1b}[2Ja draft".into()];
        let ask = Confirm::new("Quit now?", lines, "Quit").otherwise("Stay");
        for (width, height) in (0..20).flat_map(|width| (0..10).map(move |height| (width, height))) {
            let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
            terminal.draw(|frame| ask.render(frame, frame.area(), &theme)).unwrap();
        }
        let mut terminal = Terminal::new(TestBackend::new(40, 12)).unwrap();
        terminal.draw(|frame| ask.render(frame, frame.area(), &theme)).unwrap();
        let shown = terminal.backend().to_string();
        for text in ["─ Quit now? ─", "an upload of a large file runs", "[ Stay ]", "  Quit  ", " esc stay "] {
            assert!(shown.contains(text), "{text}: {shown}");
        }
    }

    #[test]
    fn letters_belong_to_the_word_also_where_they_are_keys() {
        const ALONE: &str = "BENCHTOP_TEST_ALONE";
        // Changed keys are those of the process: the test runs itself again in one of its own.
        if std::env::var_os(ALONE).is_none() {
            let name = "ui::overlay::confirm::tests::letters_belong_to_the_word_also_where_they_are_keys";
            let program = std::env::current_exe().unwrap();
            let told = std::process::Command::new(program).args(["--exact", name]).env(ALONE, "1").output().unwrap();
            assert!(String::from_utf8_lossy(&told.stdout).contains("1 passed"), "{told:?}");
            return;
        }
        let keys = |action: &str, key| (action.to_owned(), vec![crate::ui::keys::Chord::parse(key).unwrap()]);
        let changed = [keys("cancel", "e"), keys("choose", "l"), keys("move", "D")].into();
        crate::ui::key_table::apply([("confirm".to_owned(), changed)].into());
        let mut question = Confirm::new("Delete", Vec::new(), "delete").typed("DeleD");
        let types = "DeleD".chars().map(|letter| question.key(KeyEvent::from(KeyCode::Char(letter))));
        assert_eq!(types.collect::<Vec<_>>(), [Answer::Open; 5]);
        assert!(question.has_word() && question.on_verb);
        let mut question = Confirm::new("Delete", Vec::new(), "delete");
        assert_eq!(question.key(KeyEvent::from(KeyCode::Char('e'))), Answer::Cancelled);
    }

    #[test]
    fn letters_are_keys_only_where_no_word_is_typed() {
        assert_eq!(CONFIRM_KEYS.defaults().clashes(), []);
        let ask = Confirm::new("Delete?", vec![], "Delete");
        let keys = |ask: &Confirm| ask.help().into_iter().map(|(keys, _)| keys).collect::<Vec<_>>();
        assert_eq!(keys(&ask), ["tab shift+tab ← →", "⏎", "esc", "y", "n q"]);
        assert_eq!(keys(&ask.typed("xy")), ["tab shift+tab ← →", "⏎", "esc"]);
    }

    #[test]
    fn a_question_is_answered_by_cancel_unless_told_otherwise() {
        let ask = || Confirm::new("Delete?", vec![], "Delete");
        assert_eq!(ask().key(KeyEvent::from(KeyCode::Enter)), Answer::Cancelled);
        let mut moved = ask();
        moved.key(KeyEvent::from(KeyCode::Tab));
        assert_eq!(moved.key(KeyEvent::from(KeyCode::Enter)), Answer::Chosen);
        let copy = KeyEvent::new(KeyCode::Char('y'), KeyModifiers::CONTROL);
        assert_eq!(ask().key(copy), Answer::Open);
    }

    #[test]
    fn with_a_word_to_type_the_answer_with_the_focus_is_taken_and_no_other() {
        let ask = || Confirm::new("Delete?", vec![], "Delete").typed("xy");
        let press = |ask: &mut Confirm, keys: &str| {
            let code = |key| match key {
                '\t' => KeyCode::Tab,
                '\n' => KeyCode::Enter,
                '<' => KeyCode::Backspace,
                char => KeyCode::Char(char),
            };
            keys.chars().map(|key| ask.key(KeyEvent::from(code(key)))).last().unwrap()
        };
        for (keys, answer) in [
            ("\n", Answer::Cancelled),
            ("xy\n", Answer::Chosen),
            ("xy\t\n", Answer::Cancelled),
            ("xy\t\t\n", Answer::Chosen),
            ("\txy\n", Answer::Chosen),
            // The word is missing: nothing is done, whatever has the focus.
            ("\t\n", Answer::Open),
            ("x\t\n", Answer::Open),
            // Another word was typed: the required one is shown.
            ("x\n", Answer::Open),
            ("xyz\n", Answer::Open),
            ("xy<\n", Answer::Open),
            ("x<\n", Answer::Cancelled),
            ("xyz<\n", Answer::Chosen),
        ] {
            assert_eq!(press(&mut ask(), keys), answer, "{keys:?}");
        }
    }

    #[test]
    fn the_verb_without_its_word_says_what_to_type() {
        use ratatui::Terminal;
        use ratatui::backend::TestBackend;
        let theme = Theme::of(Kind::Mono, Depth::Indexed);
        let mut ask = Confirm::new("Delete?", vec!["a file".into()], "Delete").typed("train");
        let shown = |ask: &Confirm| {
            let mut terminal = Terminal::new(TestBackend::new(60, 12)).unwrap();
            terminal.draw(|frame| ask.render(frame, frame.area(), &theme)).unwrap();
            terminal.backend().to_string()
        };
        assert!(shown(&ask).contains("[ Cancel ]     Delete    type “train”: "), "{}", shown(&ask));
        ask.key(KeyEvent::from(KeyCode::Tab));
        ask.key(KeyEvent::from(KeyCode::Enter));
        assert!(shown(&ask).contains("✕ type “train” first: "), "{}", shown(&ask));
        for char in "train".chars() {
            ask.key(KeyEvent::from(KeyCode::Char(char)));
        }
        assert!(shown(&ask).contains("  Cancel     [ Delete ]  type “train”: train"), "{}", shown(&ask));
    }
}
