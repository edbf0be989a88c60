//! What the box shows: its rows and gutter, the view, the owner's paint.

use std::ops::Range;

use benchtop::ui::buffer::{Decoration, Undecorated};
use crossterm::event::KeyCode;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};

use crate::{draw, key, rows, shown, with};

#[test]
fn text_stands_behind_the_gutter_and_before_the_column_of_the_caret() {
    let mut buffer = with("one two three\n\nfour");
    assert_eq!(shown(&mut buffer, 10, 6), [" one two", " three", "", " four", "", ""]);
    let (_, cursor) = draw(&mut buffer, Rect::new(3, 1, 10, 6), &mut Undecorated);
    assert_eq!(cursor, Some(Position::new(8, 4)));
    buffer.set_text("12345678");
    let (_, cursor) = draw(&mut buffer, Rect::new(0, 0, 10, 2), &mut Undecorated);
    assert_eq!(cursor, Some(Position::new(9, 0)), "behind a full row");
    assert_eq!(buffer.visible(), 0..8);
}

#[test]
fn what_is_drawn_is_safe_and_what_is_kept_is_true() {
    let text = "a\x1b[31m\tb\u{202e}c\r\nd\re\u{9b}\0\u{301}";
    let mut buffer = with(text);
    assert_eq!(buffer.text(), text);
    assert_eq!(shown(&mut buffer, 40, 2), [" a␛[31m  b⟨U+202E⟩c", " d␍e⟨U+009B⟩␀⟨U+0301⟩"]);
}

#[test]
fn the_view_shows_the_caret_and_scrolls_without_it() {
    let text: Vec<String> = (0..100).map(|n| n.to_string()).collect();
    let mut buffer = with(&text.join("\n"));
    assert_eq!(shown(&mut buffer, 10, 3), [" 97", " 98", " 99"]);
    buffer.scroll(-5);
    assert_eq!(shown(&mut buffer, 10, 3), [" 92", " 93", " 94"]);
    buffer.page(-1);
    assert_eq!(shown(&mut buffer, 10, 3), [" 90", " 91", " 92"]);
    buffer.scroll(1000);
    assert_eq!(shown(&mut buffer, 10, 3), [" 97", " 98", " 99"]);
    buffer.set_caret(0);
    assert_eq!(shown(&mut buffer, 10, 3), [" 0", " 1", " 2"]);
    key(&mut buffer, KeyCode::PageDown);
    assert_eq!(shown(&mut buffer, 10, 3), [" 2", " 3", " 4"]);
    assert_eq!(buffer.caret(), 4);
    let visible = buffer.visible();
    assert_eq!(buffer.slice(visible), "2\n3\n4\n");
    // Text that comes in elsewhere does not move what is read.
    buffer.splice(0..0, "more\nlines\n");
    assert_eq!(shown(&mut buffer, 10, 3), [" 2", " 3", " 4"]);
}

/// Generated from byte 4 to 9, streaming in at the end of it.
struct Generated;

impl Decoration for Generated {
    fn styles(&mut self, visible: Range<usize>) -> Vec<(Range<usize>, Style)> {
        assert!(visible.end <= 20);
        vec![(4..9, Style::new().add_modifier(Modifier::UNDERLINED))]
    }

    fn marked(&self, row: Range<usize>) -> bool {
        row.start < 9 && row.end > 4
    }

    fn tail(&self) -> Option<(usize, &'static str)> {
        Some((9, "▍"))
    }
}

#[test]
fn the_owner_paints_over_the_text() {
    let area = Rect::new(0, 0, 12, 4);
    let mut buffer = with("one\n語 t\nthree");
    let (cells, _) = draw(&mut buffer, area, &mut Generated);
    let mut seen = rows(&cells, area);
    // The cell behind a wide one.
    seen[1] = seen[1].replacen("語 ", "語", 1);
    assert_eq!(seen, [" one", "▎語 t▍", " three", ""]);
    let lined = |x, y| cells[(x, y)].modifier.contains(Modifier::UNDERLINED);
    assert!(!lined(3, 0) && lined(1, 1) && lined(3, 1) && lined(4, 1) && !lined(5, 1));
    buffer.set_text("one four five");
    let (cells, _) = draw(&mut buffer, area, &mut Generated);
    assert_eq!(rows(&cells, area)[..2], ["▎one four", " five"]);
    assert!(cells[(1, 1)].modifier.contains(Modifier::REVERSED), "what follows the tail stays readable");
}

#[test]
fn following_keeps_the_tail_in_view_until_the_user_goes_elsewhere() {
    struct Tail(usize);
    impl Decoration for Tail {
        fn tail(&self) -> Option<(usize, &'static str)> {
            Some((self.0, "▍"))
        }
    }
    let area = Rect::new(0, 0, 10, 2);
    let mut buffer = with("a\nb\nc\nd\ne\nf");
    buffer.set_caret(0);
    buffer.follow(true);
    assert_eq!(rows(&draw(&mut buffer, area, &mut Tail(7)).0, area), [" c", " d▍"]);
    buffer.splice(7..7, "\nx");
    assert_eq!(rows(&draw(&mut buffer, area, &mut Tail(9)).0, area), [" d", " x▍"]);
    buffer.scroll(-1);
    assert!(!buffer.follows());
    assert_eq!(rows(&draw(&mut buffer, area, &mut Tail(9)).0, area), [" c", " d"]);
}
