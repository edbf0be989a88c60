use crossterm::event::{KeyCode, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Rect;

use super::*;
use crate::ui::pane::Spacing;
use crate::ui::theme::{Depth, Kind, Theme};

/// Returns a view of tokens; each kind has an id, 1000, 1001, …
fn view(pieces: &[&[u8]]) -> Tokenizer {
    let bytes = pieces.concat();
    let ends = pieces.iter().scan(0, |end, piece| {
        *end += piece.len();
        Some(*end)
    });
    let tokens = Tokens { vocabulary: "p50k_base", ids: (1_000..).take(pieces.len()).collect(), ends: ends.collect() };
    let mut view = Tokenizer::new(String::from_utf8(bytes).unwrap().into(), "text-davinci-003".into(), Some(4_097), 0);
    view.answer(Done::Tokens(Some(tokens)));
    view
}

fn drawn(view: &mut Tokenizer, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let theme = Theme::of(Kind::Mono, Depth::Indexed);
    view.fit(Rect::new(0, 0, width, height), Spacing::Lines);
    terminal.draw(|frame| view.draw(frame, frame.area(), Spacing::Lines, &theme)).unwrap();
    let buffer = terminal.backend().buffer();
    let rows = buffer.content().chunks(usize::from(width.max(1)));
    let rows: Vec<String> = rows.map(|row| row.iter().map(ratatui::buffer::Cell::symbol).collect()).collect();
    rows.iter().map(|row| row.trim_end()).collect::<Vec<_>>().join("\n")
}

fn press(view: &mut Tokenizer, keys: &str) -> Handled<Event> {
    keys.chars().map(|key| view.handle(KeyEvent::from(KeyCode::Char(key)))).last().unwrap()
}

const SOME: &[&[u8]] =
    &[b"Silence", b" the", b" carriage", b",\n", b"\n", b"keep", b" \xe6\x97", b"\xa5", b" music", b"\t\x1b", b"."];

#[test]
fn tokens_are_parted_and_nothing_is_invisible() {
    let mut view = view(SOME);
    view.answer(Done::Saved("no answer to it".into()));
    let logit_bias = BTreeMap::from([("1002".to_owned(), -100.0)]);
    view.set_biases(&ChatParams { logit_bias, ..ChatParams::default() });
    press(&mut view, "ll");
    insta::assert_snapshot!(drawn(&mut view, 110, 10));
    press(&mut view, "ij");
    insta::assert_snapshot!(drawn(&mut view, 80, 14));
    press(&mut view, "jhh");
    insta::assert_snapshot!(drawn(&mut view, 40, 7));
}

#[test]
fn the_cursor_goes_by_token_and_by_row() {
    let mut view = view(SOME);
    drawn(&mut view, 40, 10);
    let mut at = |keys: &str| {
        press(&mut view, keys);
        view.cursor
    };
    assert_eq!((at("h"), at("l"), at("G"), at("l"), at("g")), (0, 1, 10, 10, 0));
    assert_eq!((at("ll"), at("j")), (2, 4), "the row of one line end");
    assert_eq!((at("j"), at("k"), at("k"), at("k")), (6, 4, 2, 2), "the column is kept");
    assert_eq!(view.handle(KeyEvent::from(KeyCode::End)), Handled::Consumed);
    assert_eq!(view.cursor, 3);
    view.handle(KeyEvent::from(KeyCode::PageDown));
    view.handle(KeyEvent::from(KeyCode::Home));
    assert_eq!(view.cursor, 5);
    assert_eq!(view.handle(KeyEvent::new(KeyCode::Char('h'), KeyModifiers::CONTROL)), Handled::Ignored);
    assert_eq!(view.handle(KeyEvent::from(KeyCode::Esc)), Handled::Emit(Event::Close));
}

#[test]
fn bias_keys_go_to_the_owner() {
    let mut view = view(SOME);
    press(&mut view, "l");
    for (key, nudge) in
        [("x", BiasChange::Never), ("+", BiasChange::Likelier), ("*", BiasChange::Always), (".", BiasChange::Remove)]
    {
        assert_eq!(press(&mut view, key), Handled::Emit(Event::Bias(1_001, nudge)));
    }
}

#[test]
fn it_opens_at_a_place_and_says_what_it_waits_for() {
    let mut view = Tokenizer::new("ab cd".repeat(40_000).into(), "x".into(), None, 3);
    view.answer(Done::Tokens(Some(Tokens { vocabulary: "r50k_base", ids: vec![1], ends: vec![2] })));
    assert!(drawn(&mut view, 80, 10).contains("… tokenizing 200,000 characters"));
    assert_eq!(press(&mut view, "x"), Handled::Ignored);
    assert_eq!(view.hints().len(), 1);
    assert!(matches!(view.work(true), Work::Tokenize { local: true, .. }));
    view.answer(Done::Tokens(Some(Tokens { vocabulary: "r50k_base", ids: vec![1, 2, 3], ends: vec![2, 5, 200_000] })));
    assert_eq!(view.cursor, 1);

    let mut view = Tokenizer::new("ab".into(), "llama3\u{1b}".into(), None, 0);
    view.answer(Done::Tokens(None));
    let shown = drawn(&mut view, 80, 10);
    assert!(shown.contains("The tokenizer of “llama3␛” is unknown: counts are estimates, and there are no"), "{shown}");
    view.answer(Done::Failed("no thread".into()));
    assert!(drawn(&mut view, 80, 10).contains("✕ no thread"));

    let mut view = Tokenizer::new("".into(), "ada".into(), Some(2_049), 0);
    view.answer(Done::Tokens(Some(Tokens { vocabulary: "r50k_base", ..Tokens::default() })));
    let shown = drawn(&mut view, 80, 10);
    assert!(shown.contains("No text yet") && shown.contains("━ 0 of 2,049 ━"), "{shown}");
}

#[test]
fn more_than_the_model_takes_is_said() {
    let mut view = view(SOME);
    view.context = Some(8);
    assert!(drawn(&mut view, 80, 10).contains("11 of 8, 3 too many ━"), "{}", drawn(&mut view, 80, 10));
}

#[test]
fn every_size_is_drawn_and_shows_the_cursor() {
    let mut view = view(&SOME.repeat(30));
    for keys in ["g", "i", "G", "i", "hhhh"] {
        press(&mut view, keys);
        for (width, height) in (0..60).flat_map(|width| (0..14).map(move |height| (width, height))) {
            let shown = drawn(&mut view, width, height);
            let rows = view.rows.row(&[], tokens(&view.state), view.cursor);
            if width > 2 && height > 1 {
                assert!((view.top..view.top + view.page).contains(&rows), "{width}×{height}: {shown}");
            }
        }
    }
}

fn tokens(state: &State) -> &Tokens {
    match state {
        State::Cut(tokens) => tokens,
        _ => panic!("not cut"),
    }
}

/// 200,000 characters as tokens: the worst there is, three parts to a character, and words.
#[test]
fn a_long_text_costs_a_frame_what_it_shows() {
    let han: Vec<&[u8]> = vec![b"\xe6", b"\x97", b"\xa5", b"\n", b" music"];
    let mut view = view(&han.repeat(40_000));
    drawn(&mut view, 120, 36);
    let first = view.rows.placed();
    assert!(first < 2_000, "{first} tokens were laid out for the first frame");
    for key in "jjllkkhhjjjj".repeat(5).chars() {
        press(&mut view, &key.to_string());
        drawn(&mut view, 120, 36);
    }
    let after = view.rows.placed();
    assert!(after < 3_000, "{after} tokens were laid out for rows nobody saw");
    press(&mut view, "G");
    drawn(&mut view, 120, 36);
    assert_eq!(view.rows.placed(), 200_000);
}
