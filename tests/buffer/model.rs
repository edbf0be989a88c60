//! The box against a plain `String`, and its picture after many edits against that of a fresh one.

use std::ops::Range;

use benchtop::ui::buffer::{Buffer, Decoration, Edit, Undecorated};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use unicode_segmentation::GraphemeCursor;

use crate::{draw, undo, with};

/// What is done to a box.
#[derive(Clone, Debug)]
enum Step {
    Key(KeyEvent),
    Insert(String),
    Splice(f64, f64, String, bool),
    Draw(u16, u16),
    Caret(f64),
    Select(f64, f64),
    Scroll(isize),
    Mouse(u16, u16, bool),
}

fn text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a", "word", " ", "  ", "\n", "\n\n", "\t", "\r", "\r\n", "語", "日本", "e\u{301}", "\u{301}", "👩",
        "\u{200d}", "🇵", "🇹", "🏽", "\u{fe0f}", "\x1b", "\0", "\u{9b}", "\u{202e}", "한", "\u{11a8}", "क्", "ष", "ｶ",
        "ﾞ", "x-y_z.",
    ]);
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn step() -> impl Strategy<Value = Step> {
    use KeyCode::{Backspace, Char, Delete, Down, End, Enter, Home, Left, PageDown, PageUp, Right, Tab, Up};
    let codes = vec![
        Backspace,
        Delete,
        Down,
        End,
        Enter,
        Home,
        Left,
        PageDown,
        PageUp,
        Right,
        Tab,
        Up,
        Char('a'),
        Char('e'),
        Char('k'),
        Char('w'),
        Char('u'),
        Char('b'),
        Char('f'),
        Char('h'),
        Char('j'),
        Char('d'),
        Char('語'),
        Char('\u{301}'),
        Char('🇵'),
    ];
    let modifiers =
        vec![KeyModifiers::NONE, KeyModifiers::NONE, KeyModifiers::SHIFT, KeyModifiers::CONTROL, KeyModifiers::ALT];
    let part = 0.0..1.0;
    prop_oneof![
        6 => (prop::sample::select(codes), prop::sample::select(modifiers)).prop_map(|(code, with)| Step::Key(KeyEvent::new(code, with))),
        2 => text().prop_map(Step::Insert),
        3 => (part.clone(), part.clone(), text(), any::<bool>()).prop_map(|(a, b, text, along)| Step::Splice(a, b, text, along)),
        1 => (1_u16..30, 1_u16..8).prop_map(|(width, height)| Step::Draw(width, height)),
        2 => part.clone().prop_map(Step::Caret),
        1 => (part.clone(), part).prop_map(|(a, b)| Step::Select(a, b)),
        1 => (-9_isize..9).prop_map(Step::Scroll),
        1 => (0_u16..30, 0_u16..10, any::<bool>()).prop_map(|(x, y, drag)| Step::Mouse(x, y, drag)),
    ]
}

fn boundary(text: &str, at: usize) -> bool {
    GraphemeCursor::new(at, text.len(), true).is_boundary(text, 0).unwrap()
}

/// Does a step to the box and to the plain text.
fn apply(buffer: &mut Buffer, model: &mut String, step: &Step) {
    let place = |model: &str, part: f64| model.floor_char_boundary((part * (model.len() + 1) as f64) as usize);
    let change = match step {
        Step::Key(key) => match buffer.key(*key) {
            Edit::Changed(change) => Some(change),
            Edit::Moved | Edit::Ignored => None,
        },
        Step::Insert(text) => Some(buffer.insert(text)),
        Step::Splice(a, b, text, along) => {
            let (a, b) = (place(model, *a), place(model, *b));
            let (a, b) = (a.min(b), a.max(b));
            if *along {
                buffer.splice_along(a..b, text);
            } else {
                buffer.splice(a..b, text);
            }
            model.replace_range(a..b, text);
            None
        }
        Step::Draw(..) => None,
        Step::Caret(part) => {
            buffer.set_caret(place(model, *part));
            None
        }
        Step::Select(a, b) => {
            buffer.select(Some(place(model, *a)..place(model, *b)));
            None
        }
        Step::Scroll(rows) => {
            buffer.scroll(*rows);
            None
        }
        Step::Mouse(x, y, drag) => {
            if *drag {
                buffer.drag(Position::new(*x, *y));
            } else {
                buffer.click(Position::new(*x, *y));
            }
            None
        }
    };
    if let Some(change) = change {
        let end = change.at + change.removed.len();
        assert_eq!(&model[change.at..end], change.removed);
        let before = model.clone();
        model.replace_range(change.at..end, &change.inserted);
        assert_eq!(buffer.text(), *model);
        let caret = buffer.caret();
        undo(buffer, &change);
        assert_eq!(buffer.text(), before);
        buffer.splice(change.at..end, &change.inserted);
        buffer.set_caret(caret);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn edits_are_those_of_a_plain_text_and_the_picture_that_of_a_fresh_box(
        start in text(), steps in prop::collection::vec(step(), 1..40),
    ) {
        let (mut buffer, mut model) = (with(&start), start);
        let mut area = Rect::new(2, 1, 20, 5);
        draw(&mut buffer, area, &mut Undecorated);
        for step in &steps {
            apply(&mut buffer, &mut model, step);
            prop_assert_eq!(buffer.text(), model.clone());
            prop_assert_eq!(buffer.len(), model.len());
            for at in buffer.selection().map_or(vec![buffer.caret()], |range| vec![range.start, range.end]) {
                prop_assert!(boundary(&model, at), "{} in {:?} after {:?}", at, model, step);
            }
            if let Step::Draw(width, height) = step {
                area = Rect { width: *width, height: *height, ..area };
            }
            buffer.select(None);
            let seen = draw(&mut buffer, area, &mut Undecorated);
            let mut fresh = with(&model);
            fresh.set_caret(buffer.caret());
            fresh.set_top(buffer.top());
            prop_assert_eq!(&seen, &draw(&mut fresh, area, &mut Undecorated), "{:?} after {:?}", model, step);
            prop_assert_eq!(fresh.top(), buffer.top());
            prop_assert_eq!(fresh.visible(), buffer.visible());
            prop_assert_eq!(fresh.caret(), buffer.caret());
        }
    }

    #[test]
    fn nothing_is_drawn_outside_and_nothing_acts(text in text(), more in text(), width in 1_u16..80, height in 1_u16..6) {
        let mut buffer = with(&format!("{text}{more}{text}"));
        let area = Rect::new(3, 2, width, height);
        let (cells, cursor) = draw(&mut buffer, area, &mut Painted);
        prop_assert!(cursor.is_some_and(|at| area.contains(at)), "{:?} in {:?}", cursor, area);
        for y in 0..cells.area.height {
            for x in 0..cells.area.width {
                let cell = &cells[(x, y)];
                prop_assert!(!cell.symbol().contains(char::is_control), "{:?}", cell.symbol());
                prop_assert!(area.contains(Position::new(x, y)) || *cell == Cell::EMPTY, "{} {}: {:?}", x, y, cell);
            }
        }
    }
}

/// Everything is painted over.
struct Painted;

impl Decoration for Painted {
    fn styles(&mut self, visible: Range<usize>) -> Vec<(Range<usize>, Style)> {
        vec![(visible, Style::new().add_modifier(Modifier::UNDERLINED))]
    }

    fn marked(&self, _: Range<usize>) -> bool {
        true
    }

    fn tail(&self) -> Option<(usize, &'static str)> {
        Some((5, "▍"))
    }
}
