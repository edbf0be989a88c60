//! The long text box against a plain `String`, and its picture after many edits against that of a fresh one.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::ops::Range;

use benchtop::ui::buffer::{Bare, Buffer, Change, Dress, Edit};
use benchtop::ui::theme::{Depth, Kind, Theme};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer as Cells, Cell};
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use unicode_segmentation::GraphemeCursor;

/// The picture of a box in an area of a screen, and where the cursor stands in it.
fn draw(buffer: &mut Buffer, area: Rect, dress: &mut dyn Dress) -> (Cells, Option<Position>) {
    let mut terminal = Terminal::new(TestBackend::new(area.right() + 2, area.bottom() + 1)).unwrap();
    let theme = Theme::of(Kind::Dark, Depth::True);
    terminal.draw(|frame| buffer.render(frame, area, &theme, true, dress)).unwrap();
    let cursor = terminal.backend().cursor_visible().then(|| terminal.backend().cursor_position());
    (terminal.backend().buffer().clone(), cursor)
}

/// The rows of a picture, the gutter among them, without the blanks at their ends.
fn rows(cells: &Cells, area: Rect) -> Vec<String> {
    let row = |y| (area.left()..area.right()).map(|x| cells[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
    (area.top()..area.bottom()).map(row).collect()
}

fn shown(buffer: &mut Buffer, width: u16, height: u16) -> Vec<String> {
    let area = Rect::new(0, 0, width, height);
    rows(&draw(buffer, area, &mut Bare).0, area)
}

fn with(text: &str) -> Buffer {
    let mut buffer = Buffer::new();
    buffer.set_text(text);
    buffer
}

fn key(buffer: &mut Buffer, code: KeyCode) -> Edit {
    buffer.key(KeyEvent::from(code))
}

fn control(buffer: &mut Buffer, char: char) -> Edit {
    buffer.key(KeyEvent::new(KeyCode::Char(char), KeyModifiers::CONTROL))
}

fn undo(buffer: &mut Buffer, change: &Change) {
    buffer.splice(change.at..change.at + change.inserted.len(), &change.removed);
}

#[test]
fn text_stands_behind_the_gutter_and_before_the_column_of_the_caret() {
    let mut buffer = with("one two three\n\nfour");
    assert_eq!(shown(&mut buffer, 10, 6), [" one two", " three", "", " four", "", ""]);
    let (_, cursor) = draw(&mut buffer, Rect::new(3, 1, 10, 6), &mut Bare);
    assert_eq!(cursor, Some(Position::new(8, 4)));
    buffer.set_text("12345678");
    let (_, cursor) = draw(&mut buffer, Rect::new(0, 0, 10, 2), &mut Bare);
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
    let (cells, _) = draw(&mut buffer, area, &mut Bare);
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

impl Dress for Generated {
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
    impl Dress for Tail {
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

#[test]
fn the_mouse_puts_the_caret_and_selects() {
    let area = Rect::new(2, 1, 10, 3);
    let mut buffer = with("語 two\nthree\nfour\nfive");
    buffer.set_caret(0);
    draw(&mut buffer, area, &mut Bare);
    assert!(buffer.click(Position::new(4, 1)));
    assert_eq!(buffer.caret(), 0, "the second half of a wide one");
    assert!(buffer.click(Position::new(11, 2)));
    assert_eq!(buffer.caret(), 13);
    buffer.drag(Position::new(3, 1));
    assert_eq!(buffer.selection(), Some(0..13));
    buffer.drag(Position::new(4, 9));
    draw(&mut buffer, area, &mut Bare);
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
        draw(&mut buffer, area, &mut Bare);
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
            let seen = draw(&mut buffer, area, &mut Bare);
            let mut fresh = with(&model);
            fresh.set_caret(buffer.caret());
            fresh.set_top(buffer.top());
            prop_assert_eq!(&seen, &draw(&mut fresh, area, &mut Bare), "{:?} after {:?}", model, step);
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

impl Dress for Painted {
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
