use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Rect;

use super::*;
use crate::ui::theme::{Depth, Kind, Theme};

fn map(biases: &[(&str, f64)]) -> BTreeMap<String, f64> {
    biases.iter().map(|(id, bias)| ((*id).to_owned(), *bias)).collect()
}

/// Returns a list of four biases whose tokens are known.
fn some() -> Biases {
    let biases = map(&[("2647", 5.0), ("198", -100.0), ("99999", 100.0), ("abc", 1.0)]);
    let mut list = Biases::new(biases, "text-davinci-003".into(), Some("p50k_base"));
    let ask = list.ask().unwrap();
    assert_eq!(ask, BiasQuery::Spell(vec![198, 2_647, 99_999]), "in order of the numbers");
    assert_eq!(list.ask(), None);
    list.answer(&ask, &Done::Spelled(Some(vec![b"\n".to_vec(), b" music".to_vec(), vec![]])));
    list
}

fn drawn(list: &mut Biases, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let theme = Theme::of(Kind::Mono, Depth::Indexed);
    list.arrange(Rect::new(0, 0, width, height));
    terminal.draw(|frame| list.render(frame, frame.area(), &theme)).unwrap();
    let buffer = terminal.backend().buffer();
    let rows = buffer.content().chunks(usize::from(width.max(1)));
    let rows: Vec<String> = rows.map(|row| row.iter().map(ratatui::buffer::Cell::symbol).collect()).collect();
    rows.iter().map(|row| row.trim_end()).collect::<Vec<_>>().join("\n")
}

/// Types keys: `⏎` is Enter, `⎋` is Esc, `↓` is down.
fn press(list: &mut Biases, keys: &str) -> Event {
    let code = |key| match key {
        '⏎' => KeyCode::Enter,
        '⎋' => KeyCode::Esc,
        '↓' => KeyCode::Down,
        '⌫' => KeyCode::Backspace,
        key => KeyCode::Char(key),
    };
    keys.chars().map(|key| list.key(KeyEvent::from(code(key)))).last().unwrap()
}

/// Returns the tokens of a text.
fn tokens(ids: &[u32], ends: &[usize]) -> Done {
    Done::Tokens(Some(Tokens { vocabulary: "p50k_base", ids: ids.to_vec(), ends: ends.to_vec() }))
}

#[test]
fn the_list_shows_texts_ids_and_what_is_neither() {
    let mut list = some();
    insta::assert_snapshot!(drawn(&mut list, 80, 14));
    press(&mut list, "a focus");
    insta::assert_snapshot!(drawn(&mut list, 40, 10));
}

#[test]
fn values_are_stepped_typed_and_removed() {
    let mut list = some();
    assert_eq!(press(&mut list, "h"), Event::None, "never is as far as it goes");
    assert_eq!(press(&mut list, "lLj"), Event::None);
    assert_eq!(list.map().get("198"), Some(&-89.0));
    assert_eq!(press(&mut list, "⏎⌫-101⏎"), Event::None);
    assert!(drawn(&mut list, 80, 14).contains("a bias is a number from −100 to 100"));
    assert_eq!(press(&mut list, "⌫⌫⌫⌫−2.5⏎"), Event::Changed);
    assert_eq!(list.map().get("2647"), Some(&-2.5));
    assert_eq!(press(&mut list, "⏎1⎋"), Event::None);
    assert_eq!(list.map().get("2647"), Some(&-2.5));
    assert_eq!(press(&mut list, "⏎⌫⌫⌫⌫nan⏎⎋"), Event::None);
    assert_eq!(press(&mut list, "⏎⌫⌫⌫⌫0⏎"), Event::Changed);
    assert!(!list.map().contains_key("2647"), "what changes nothing is not sent");
    assert_eq!(press(&mut list, "l"), Event::Changed, "and the row is still there");
    assert_eq!(press(&mut list, "x"), Event::Changed);
    assert_eq!(list.map(), map(&[("198", -89.0), ("99999", 100.0), ("abc", 1.0)]));
    assert_eq!(press(&mut list, "Xj"), Event::None, "another key keeps them");
    assert_eq!(press(&mut list, "XX"), Event::Changed);
    assert_eq!(list.map(), map(&[]));
    assert!(drawn(&mut list, 80, 14).contains("No biases yet."));
    assert_eq!(press(&mut list, "hxX0"), Event::None);
    assert_eq!(press(&mut list, "⎋"), Event::Close);
}

#[test]
fn a_text_of_one_token_is_added() {
    let mut list = some();
    assert_eq!(press(&mut list, "a\" music!\"⏎"), Event::None);
    let ask = list.ask().unwrap();
    assert_eq!(ask, BiasQuery::Cut(" music!".into()));
    assert!(drawn(&mut list, 80, 14).contains("… tokenizing \" music!\""));
    assert_eq!(list.answer(&BiasQuery::Cut("else".into()), &tokens(&[1], &[4])), Event::None, "an answer of before");
    assert_eq!(list.answer(&ask, &tokens(&[5_000], &[7])), Event::Changed);
    assert_eq!(list.map().get("5000"), Some(&5.0));
    assert!(drawn(&mut list, 80, 14).contains("5000  ·music!"));
    assert_eq!(list.ask(), None, "how it is spelled is known");
    press(&mut list, "a music⏎");
    let ask = list.ask().unwrap();
    assert_eq!(list.answer(&ask, &tokens(&[2_647], &[6])), Event::None);
    assert!(drawn(&mut list, 80, 14).contains("2647 is already in the list; its bias is unchanged"));
}

#[test]
fn of_several_tokens_it_asks_which() {
    let mut list = some();
    press(&mut list, "a focus music⏎");
    let ask = list.ask().unwrap();
    assert_eq!(list.answer(&ask, &tokens(&[2_962, 2_647], &[6, 12])), Event::None);
    assert_eq!(list.map().len(), 4, "nothing yet");
    insta::assert_snapshot!(drawn(&mut list, 80, 18));
    let mut first = list.clone();
    assert_eq!(press(&mut first, "↓⏎"), Event::Changed);
    assert_eq!((first.map().len(), first.map().get("2962")), (5, Some(&5.0)));
    let mut each = list.clone();
    assert_eq!(press(&mut each, "⏎"), Event::Changed);
    assert_eq!(each.map().len(), 5);
    assert_eq!(press(&mut list, "⎋"), Event::None);
    assert!(drawn(&mut list, 80, 18).contains("add  focus music"), "{}", drawn(&mut list, 80, 18));
    assert_eq!(press(&mut list, "⎋⎋"), Event::Close);
}

#[test]
fn an_id_is_added_and_spelled_later() {
    let mut list = some();
    assert_eq!(press(&mut list, "a#12x⏎"), Event::None);
    assert!(drawn(&mut list, 80, 14).contains("an id is a number"));
    assert_eq!(press(&mut list, "⌫⏎"), Event::Changed);
    assert_eq!(list.map().get("12"), Some(&5.0));
    let ask = list.ask().unwrap();
    assert_eq!(ask, BiasQuery::Spell(vec![12]));
    assert!(drawn(&mut list, 80, 14).contains("12  …"));
    list.answer(&ask, &Done::Spelled(Some(vec![b"-".to_vec()])));
    assert!(drawn(&mut list, 80, 14).contains("12  -"));
    assert!(matches!(ask.work(&"x".into(), true), Work::Spell { local: true, .. }));
}

#[test]
fn without_a_vocabulary_ids_alone_are_edited_and_the_list_says_why() {
    let mut list = Biases::new(map(&[("7", 1.0)]), "llama3".into(), None);
    assert_eq!(list.ask(), None);
    insta::assert_snapshot!(drawn(&mut list, 80, 14));
    assert_eq!(press(&mut list, "a music⏎"), Event::None);
    assert_eq!(list.ask(), None);
    assert!(drawn(&mut list, 80, 14).contains("type an id, as in #2647"));
    assert_eq!(press(&mut list, "⎋a#8⏎"), Event::Changed);
    assert_eq!(list.map(), map(&[("7", 1.0), ("8", 5.0)]));
    assert_eq!(list.ask(), None);
}

#[test]
fn a_failure_is_said_and_what_was_typed_stays() {
    let mut list = some();
    list.key(KeyEvent::from(KeyCode::Char('a')));
    list.paste(" mu\nsic");
    press(&mut list, "⏎");
    let ask = list.ask().unwrap();
    assert_eq!(ask, BiasQuery::Cut(" mu sic".into()));
    assert_eq!(list.answer(&ask, &Done::Failed("no thread".into())), Event::None);
    let shown = drawn(&mut list, 80, 14);
    assert!(shown.contains("no thread") && shown.contains("add  mu sic"), "{shown}");
}

#[test]
fn quotes_are_for_what_cannot_be_typed() {
    for (typed, text) in [
        ("a", "a"),
        ("\"", "\""),
        ("\" a\"", " a"),
        ("\"\\n\\t\\\\\\\"\\x\"", "\n\t\\\"\\x"),
        ("\\n", "\\n"),
        ("\"\"", ""),
    ] {
        assert_eq!(update::unquoted(typed), text);
    }
}

#[test]
fn every_size_is_drawn() {
    for keys in ["j", "a x", "⎋", "⏎1", "⎋X"] {
        let mut list = some();
        press(&mut list, keys);
        for (width, height) in (0..70).flat_map(|width| (0..16).map(move |height| (width, height))) {
            drawn(&mut list, width, height);
        }
    }
}
