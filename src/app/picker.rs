//! A list to choose from by typing a few letters: palette, models, profiles, takers of an offer.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// One line of the list.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Item<T> {
    /// What is chosen.
    pub(super) value: T,
    /// How it reads, safe for the screen.
    pub(super) label: String,
    /// What stands on the right: its key, its state.
    pub(super) detail: String,
    /// Why it cannot be chosen now; `None`: it can.
    pub(super) disabled: Option<String>,
}

/// What a key did.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Picked<T> {
    /// The picker is still open.
    Open,
    /// It was closed without a choice.
    Closed,
    /// This was chosen.
    Chosen(T),
}

/// The list, what was typed, and where the cursor is.
#[derive(Debug)]
pub(super) struct Picker<T> {
    /// Over the list.
    pub(super) title: &'static str,
    /// What was typed.
    pub(super) query: String,
    /// Index into [`Picker::found`].
    pub(super) cursor: usize,
    items: Vec<Item<T>>,
    found: Vec<usize>,
}

impl<T: Clone> Picker<T> {
    /// A picker over `items`, in their order; disabled ones come last.
    pub(super) fn new(title: &'static str, items: Vec<Item<T>>) -> Self {
        let mut picker = Self { title, query: String::new(), cursor: 0, items, found: Vec::new() };
        picker.find();
        picker
    }

    /// Puts the cursor on the first item that `is` says yes to.
    pub(super) fn point(&mut self, is: impl Fn(&T) -> bool) {
        if let Some(at) = self.found.iter().position(|&index| is(&self.items[index].value)) {
            self.cursor = at;
        }
    }

    /// Replaces the items and keeps what was typed.
    pub(super) fn refill(&mut self, items: Vec<Item<T>>) {
        self.items = items;
        self.find();
    }

    /// The lines to show, best first.
    pub(super) fn found(&self) -> impl Iterator<Item = &Item<T>> {
        self.found.iter().map(|&index| &self.items[index])
    }

    /// Lines shown and lines in all.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.found.len(), self.items.len())
    }

    /// A key.
    pub(super) fn key(&mut self, key: &KeyEvent) -> Picked<T> {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let last = self.found.len().saturating_sub(1);
        match key.code {
            KeyCode::Esc => return Picked::Closed,
            KeyCode::Char('c' | 'p') if control => return Picked::Closed,
            KeyCode::Enter => {
                let chosen = self.found.get(self.cursor).map(|&index| &self.items[index]);
                if let Some(item) = chosen.filter(|item| item.disabled.is_none()) {
                    return Picked::Chosen(item.value.clone());
                }
            }
            KeyCode::Up | KeyCode::BackTab => self.cursor = self.cursor.checked_sub(1).unwrap_or(last),
            KeyCode::Down | KeyCode::Tab => self.cursor = if self.cursor >= last { 0 } else { self.cursor + 1 },
            KeyCode::PageUp => self.cursor = self.cursor.saturating_sub(8),
            KeyCode::PageDown => self.cursor = (self.cursor + 8).min(last),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = last,
            KeyCode::Char('u') if control => self.type_in(String::clear),
            KeyCode::Backspace => self.type_in(|query| {
                query.pop();
            }),
            KeyCode::Char('h') if control => self.type_in(|query| {
                query.pop();
            }),
            KeyCode::Char(c) if (key.modifiers - KeyModifiers::SHIFT).is_empty() => {
                self.type_in(|query| query.push(c));
            }
            _ => {}
        }
        Picked::Open
    }

    /// Pasted text goes into the filter, its first line.
    pub(super) fn paste(&mut self, text: &str) {
        let line = text.lines().next().unwrap_or_default();
        self.type_in(|query| query.extend(line.chars().filter(|c| !c.is_control()).take(200)));
    }

    fn type_in(&mut self, change: impl FnOnce(&mut String)) {
        change(&mut self.query);
        self.cursor = 0;
        self.find();
    }

    fn find(&mut self) {
        let mut matcher = Matcher::new(Config::DEFAULT);
        let pattern = Pattern::parse(&self.query, CaseMatching::Ignore, Normalization::Smart);
        let mut room = Vec::new();
        let mut scored: Vec<(bool, u32, usize)> = Vec::new();
        for (index, item) in self.items.iter().enumerate() {
            let score = pattern.score(Utf32Str::new(&item.label, &mut room), &mut matcher);
            if let Some(score) = score {
                scored.push((item.disabled.is_some(), u32::MAX - score, index));
            }
        }
        scored.sort_unstable();
        self.found = scored.into_iter().map(|(_, _, index)| index).collect();
        self.cursor = self.cursor.min(self.found.len().saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(label: &str, disabled: bool) -> Item<String> {
        Item {
            value: label.into(),
            label: label.into(),
            detail: String::new(),
            disabled: disabled.then(|| "needs two texts".into()),
        }
    }

    fn press(picker: &mut Picker<String>, code: KeyCode) -> Picked<String> {
        picker.key(&KeyEvent::new(code, KeyModifiers::NONE))
    }

    #[test]
    fn letters_find_and_enter_chooses() {
        let mut picker = Picker::new(
            "Commands",
            vec![item("Compare models", true), item("Go to Moderate", false), item("Quit", false)],
        );
        assert_eq!(picker.found().next().unwrap().label, "Go to Moderate", "disabled ones come last");
        for c in "mod".chars() {
            press(&mut picker, KeyCode::Char(c));
        }
        assert_eq!(picker.counts(), (2, 3));
        assert_eq!(press(&mut picker, KeyCode::Down), Picked::Open);
        assert_eq!(press(&mut picker, KeyCode::Enter), Picked::Open, "a disabled one is not chosen");
        press(&mut picker, KeyCode::Up);
        assert_eq!(press(&mut picker, KeyCode::Enter), Picked::Chosen("Go to Moderate".into()));
    }

    #[test]
    fn nothing_found_is_no_choice() {
        let mut picker = Picker::new("Models", vec![item("a", false)]);
        press(&mut picker, KeyCode::Char('z'));
        for code in [KeyCode::Up, KeyCode::Down, KeyCode::PageDown, KeyCode::End, KeyCode::Enter] {
            assert_eq!(press(&mut picker, code), Picked::Open);
        }
        assert_eq!(press(&mut picker, KeyCode::Esc), Picked::Closed);
    }
}
