//! What keys, the mouse and the owner do to the text, the caret and the selection.

use std::ops::Range;

use benchtop::ui::buffer::{Buffer, Change, Edit, Undecorated};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::{Position, Rect};
use ratatui::style::Modifier;

use crate::{control, draw, key, shown, undo, with};

#[test]
fn readline_keys_edit() {
    let mut buffer = with("one two three");
    assert_eq!(
        control(&mut buffer, 'w'),
        Edit::Changed(Change { at: 8, removed: "three".into(), inserted: String::new() })
    );
    control(&mut buffer, 'a');
    buffer.key(KeyEvent::new(KeyCode::Char('f'), KeyModifiers::ALT));
    assert_eq!(buffer.caret(), 3);
    control(&mut buffer, 'k');
    assert_eq!(buffer.text(), "one");
    key(&mut buffer, KeyCode::Enter);
    key(&mut buffer, KeyCode::Tab);
    control(&mut buffer, 'j');
    assert_eq!(buffer.text(), "one\n\t\n");
    control(&mut buffer, 'u');
    assert_eq!(buffer.text(), "one\n\t", "at the beginning of a line its line end goes");
    control(&mut buffer, 'u');
    assert_eq!(buffer.text(), "one\n");
    key(&mut buffer, KeyCode::Up);
    key(&mut buffer, KeyCode::End);
    control(&mut buffer, 'k');
    assert_eq!(buffer.text(), "one");
    control(&mut buffer, 'h');
    assert_eq!(buffer.text(), "on");
    buffer.key(KeyEvent::new(KeyCode::Backspace, KeyModifiers::ALT));
    assert_eq!(buffer.text(), "");
    assert_eq!(key(&mut buffer, KeyCode::Backspace), Edit::Moved);
}

#[test]
fn keys_of_the_owner_are_ignored() {
    let mut buffer = with("text");
    for char in ['y', 'r', 'x', 'c', 'p', 'z', 'd'] {
        assert_eq!(control(&mut buffer, char), Edit::Ignored, "{char}");
    }
    for code in [KeyCode::Esc, KeyCode::F(4), KeyCode::BackTab] {
        assert_eq!(key(&mut buffer, code), Edit::Ignored, "{code:?}");
    }
    assert_eq!(buffer.key(KeyEvent::new(KeyCode::Enter, KeyModifiers::CONTROL)), Edit::Ignored);
    assert_eq!(buffer.text(), "text");
}

#[test]
fn characters_go_whole() {
    for text in ["e\u{301}", "👨‍👩‍👧", "🇵🇹", "👍🏽", "語", "\r\n"] {
        let mut buffer = with(&format!("a{text}"));
        key(&mut buffer, KeyCode::Left);
        assert_eq!(buffer.caret(), 1, "{text:?}");
        buffer.set_caret(2);
        assert_eq!(buffer.caret(), if text.len() > 1 { 1 } else { 2 }, "{text:?}");
        key(&mut buffer, KeyCode::Delete);
        assert_eq!(buffer.text(), "a", "{text:?}");
    }
}

#[test]
fn rows_are_walked_in_the_column_once_aimed_at() {
    let mut buffer = with("abcdefgh ij\nk\n語語語語");
    shown(&mut buffer, 8, 8); // abcdef, gh ij, k, 語語語, 語
    buffer.set_caret(5);
    let mut places = vec![buffer.caret()];
    for code in [KeyCode::Down, KeyCode::Down, KeyCode::Down, KeyCode::Down, KeyCode::Down, KeyCode::Up, KeyCode::Up] {
        key(&mut buffer, code);
        places.push(buffer.caret());
    }
    assert_eq!(places, [5, 11, 13, 20, 26, 26, 20, 13]);
    key(&mut buffer, KeyCode::Up);
    key(&mut buffer, KeyCode::Up);
    assert_eq!(buffer.caret(), 5);
    key(&mut buffer, KeyCode::Up);
    assert_eq!(buffer.caret(), 0, "above the first row is the beginning");
}

#[test]
fn shift_selects_and_what_is_typed_replaces_it() {
    let mut buffer = with("one two\nthree");
    buffer.set_caret(4);
    let shift = |buffer: &mut Buffer, code| buffer.key(KeyEvent::new(code, KeyModifiers::SHIFT));
    shift(&mut buffer, KeyCode::End);
    assert_eq!(buffer.selection(), Some(4..7));
    shift(&mut buffer, KeyCode::Down);
    assert_eq!(buffer.selection(), Some(4..13));
    let area = Rect::new(0, 0, 20, 2);
    let (cells, _) = draw(&mut buffer, area, &mut Undecorated);
    let reversed = |x, y| cells[(x, y)].modifier.contains(Modifier::REVERSED);
    assert!(!reversed(4, 0) && reversed(5, 0) && reversed(8, 0) && !reversed(9, 0), "the line end has a cell too");
    assert!(!reversed(0, 1) && reversed(1, 1) && reversed(5, 1) && !reversed(6, 1));
    let Edit::Changed(change) = key(&mut buffer, KeyCode::Char('!')) else { panic!() };
    assert_eq!((buffer.text().as_str(), buffer.selection()), ("one !", None));
    undo(&mut buffer, &change);
    assert_eq!(buffer.text(), "one two\nthree");
    buffer.select(Some(0..3));
    key(&mut buffer, KeyCode::Left);
    assert_eq!((buffer.caret(), buffer.selection()), (0, None));
}

#[test]
fn a_splice_leaves_the_caret_in_its_place() {
    let carets = |at, range: Range<usize>, along| {
        let mut buffer = with("0123456789");
        buffer.set_caret(at);
        if along {
            buffer.splice_along(range, "ab");
        } else {
            buffer.splice(range, "ab");
        }
        buffer.caret()
    };
    assert_eq!([2, 3, 5, 6, 7].map(|at| carets(at, 3..6, false)), [2, 3, 3, 3, 6]);
    assert_eq!([2, 3, 5, 6, 7].map(|at| carets(at, 3..6, true)), [2, 5, 5, 5, 6]);
    assert_eq!([3, 4].map(|at| carets(at, 3..3, false)), [3, 6]);
}

#[test]
fn the_mouse_puts_the_caret_and_selects() {
    let area = Rect::new(2, 1, 10, 3);
    let mut buffer = with("語 two\nthree\nfour\nfive");
    buffer.set_caret(0);
    draw(&mut buffer, area, &mut Undecorated);
    assert!(buffer.click(Position::new(4, 1)));
    assert_eq!(buffer.caret(), 0, "the second half of a wide one");
    assert!(buffer.click(Position::new(11, 2)));
    assert_eq!(buffer.caret(), 13);
    buffer.drag(Position::new(3, 1));
    assert_eq!(buffer.selection(), Some(0..13));
    buffer.drag(Position::new(4, 9));
    draw(&mut buffer, area, &mut Undecorated);
    assert_eq!((buffer.top(), buffer.caret()), (8, 20));
    assert!(!buffer.click(Position::new(4, 0)) && !buffer.click(Position::new(12, 1)));
}

#[test]
fn words_are_found_around_the_ends() {
    let buffer = with("one two\none");
    assert_eq!(buffer.find("one", 1, false), Some(8..11));
    assert_eq!(buffer.find("one", 9, false), Some(0..3));
    assert_eq!(buffer.find("one", 8, true), Some(0..3));
    assert_eq!(buffer.find("one", 0, true), Some(8..11));
    assert_eq!((buffer.find("none", 0, false), buffer.find("", 0, false)), (None, None));
}

#[test]
fn pasted_returns_are_line_ends() {
    let mut buffer = Buffer::new();
    buffer.paste("a\rb");
    buffer.paste("c\r\nd\re");
    assert_eq!(buffer.text(), "a\nbc\r\nd\re");
}
