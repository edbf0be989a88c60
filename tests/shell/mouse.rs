//! Text that is selected with the mouse.

use benchtop::app::Event;
use crossterm::event::{Event as Input, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::style::Modifier;

use crate::real::{Real, real, real_dark, real_with};

impl Real {
    fn mouse(&mut self, kind: MouseEventKind, (column, row): (u16, u16)) {
        let event = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
        self.event(Event::Input(Input::Mouse(event)));
    }

    fn drag(&mut self, from: (u16, u16), to: (u16, u16)) {
        self.mouse(MouseEventKind::Down(MouseButton::Left), from);
        self.mouse(MouseEventKind::Drag(MouseButton::Left), to);
    }

    fn let_go(&mut self, at: (u16, u16)) -> Vec<String> {
        self.news();
        self.mouse(MouseEventKind::Up(MouseButton::Left), at);
        self.copied()
    }

    /// Returns the column and the row where words begin.
    #[track_caller]
    fn place(&mut self, words: &str) -> (u16, u16) {
        let lines = self.lines();
        let found = lines.iter().enumerate().find_map(|(row, line)| Some((line.find(words)?, row)));
        let (at, row) = found.unwrap_or_else(|| panic!("{words:?} is not shown:\n{}", lines.join("\n")));
        (lines[row][..at].chars().count() as u16, row as u16)
    }

    /// Returns the text of the cells that are drawn as selected.
    fn reversed(&mut self) -> String {
        let frame = self.cells();
        let cells = frame.content().iter().filter(|cell| cell.modifier.contains(Modifier::REVERSED));
        cells.map(ratatui::buffer::Cell::symbol).collect()
    }
}

#[test]
fn what_is_dragged_over_is_copied_when_the_button_is_released_and_stays_in_its_pane() {
    for mut real in [real(120, 36), real_dark(120, 36)] {
        let (first, row) = real.place("Ask a language model");
        let before = real.reversed();
        real.drag((first, row), (first + 2, row));
        assert_eq!(real.reversed(), format!("{before}Ask"), "shown while the mouse moves");
        assert_eq!(real.let_go((first + 2, row)), ["Ask"]);
        assert_eq!(real.reversed(), before, "over once it is copied");
        // To the edge of the screen: the list beside the pane has no part of it.
        real.drag((first + 2, row), (0, row));
        let copied = real.let_go((0, row));
        assert_eq!(copied[0].trim(), "Ask");
        assert!(!copied[0].contains("New"), "{copied:?}");
    }
}

#[test]
fn a_click_copies_nothing_and_a_key_ends_a_selection() {
    let mut real = real(120, 36);
    let at = real.place("Ask a language model");
    real.mouse(MouseEventKind::Down(MouseButton::Left), at);
    assert_eq!(real.let_go(at), [""; 0]);
    let before = real.reversed();
    real.drag(at, (at.0 + 5, at.1));
    assert_ne!(real.reversed(), before);
    real.press("x");
    assert_eq!(real.reversed(), before);
    assert_eq!(real.let_go(at), [""; 0]);
}

#[test]
fn in_a_dialog_its_own_text_is_selected() {
    let mut real = real(120, 36);
    real.press("^p");
    let (column, row) = real.place("Chat: write a message");
    let below = row + 3;
    real.drag((column, row), (0, below));
    let copied = real.let_go((0, below)).concat();
    assert!(copied.starts_with("Chat: write a message"), "{copied}");
    assert!(copied.contains("\n   Chat: role of the next message"), "{copied}");
    assert!(!copied.contains("Ask a language model") && !copied.contains('│'), "{copied}");
}

#[test]
fn with_ascii_symbols_the_text_itself_is_copied() {
    let mut real = real_with(120, 36, |session| session.terminal.ascii = true);
    real.press("^p");
    real.press("theme: choose");
    assert!(!real.screen().contains('…'), "{}", real.screen());
    let (column, row) = real.place("Theme: choose");
    let end = (column + 13, row);
    real.drag((column, row), end);
    assert_eq!(real.let_go(end), ["Theme: choose…"]);
}
