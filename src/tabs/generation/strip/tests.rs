use crossterm::event::KeyCode;

use super::*;
use crate::record::Alternative;
use crate::ui::theme::{Depth, Kind};

fn token(text: &str, logprob: f64, top: &[(&str, f64)]) -> Token {
    let top = top.iter().map(|(text, logprob)| Alternative { bytes: text.as_bytes().to_vec(), logprob: *logprob });
    Token { bytes: text.as_bytes().to_vec(), logprob: Some(logprob), top: top.collect() }
}

fn tokens() -> Vec<Token> {
    vec![
        token("keep", -0.1, &[("keep", -0.1), ("hold", -2.5)]),
        token(" calm", -3.0, &[(" the", -0.1), (" your", -2.6)]),
        token(" and", -0.1, &[]),
        token(" go", -1.0, &[(" carry", -0.5), (" go", -1.0)]),
    ]
}

#[test]
fn enter_picks_what_is_under_the_cursor_unless_it_stands_there() {
    let (tokens, keys) = (tokens(), StripKeys::All);
    let mut strip = Strip::new(0, &tokens);
    let mut key = |code: KeyCode| strip.key(KeyEvent::from(code), keys, &tokens);
    assert_eq!(key(KeyCode::Enter), Some(Event::Same { token: 0 }));
    key(KeyCode::Down);
    assert_eq!(key(KeyCode::Enter), Some(Event::Pick { token: 0, alternative: 1 }));
    assert_eq!(key(KeyCode::Char('x')), Some(Event::Bias { token: 0, alternative: Some(1), bias: -100 }));
    key(KeyCode::Right);
    // What was drawn is none of the likeliest: it has a row behind them.
    assert_eq!(key(KeyCode::Char('*')), Some(Event::Bias { token: 1, alternative: None, bias: 100 }));
    key(KeyCode::Up);
    assert_eq!(key(KeyCode::Enter), Some(Event::Pick { token: 1, alternative: 1 }));
    key(KeyCode::End);
    assert_eq!(key(KeyCode::Char('+')), Some(Event::Bias { token: 3, alternative: None, bias: 5 }));
    assert_eq!((key(KeyCode::Esc), key(KeyCode::Char('q'))), (Some(Event::Close), None));
}

#[test]
fn w_goes_where_the_model_was_unsure() {
    let (tokens, keys) = (tokens(), StripKeys::All);
    let mut strip = Strip::default();
    for (code, at) in [('w', 1), ('w', 3), ('w', 3), ('W', 1), ('W', 1)] {
        strip.key(KeyEvent::from(KeyCode::Char(code)), keys, &tokens);
        assert_eq!(strip.at, at, "{code}");
    }
}

#[test]
fn fewer_tokens_than_before_or_none_are_no_harm() {
    let (tokens, keys) = (tokens(), StripKeys::All);
    let mut strip = Strip { at: 900, choice: 900 };
    assert_eq!(strip.token(&tokens).unwrap().bytes, b" go");
    strip.key(KeyEvent::from(KeyCode::Enter), keys, &tokens);
    assert_eq!(strip, Strip { at: 3, choice: 1 });
    for code in [KeyCode::Enter, KeyCode::Left, KeyCode::End, KeyCode::Char('w'), KeyCode::Char('x')] {
        assert_eq!(strip.key::<Token>(KeyEvent::from(code), keys, &[]), Some(Event::Moved));
    }
}

#[test]
fn looks_are_for_what_is_visible_and_neighbours_go_together() {
    let theme = Theme::of(Kind::Mono, Depth::Indexed);
    let mut tokens = tokens();
    tokens.push(Token { logprob: None, ..Token::default() });
    tokens.push(token("!", -0.05, &[]));
    tokens.push(token("!", -0.05, &[]));
    let places = [0..4, 4..9, 9..13, 13..16, 16..18, 18..19, 19..20];
    let looks = |visible| styles(&tokens, &places, visible, &theme);
    let all: Vec<Range<usize>> = looks(0..20).into_iter().map(|(range, _)| range).collect();
    assert_eq!(all, [0..4, 4..9, 9..13, 13..16, 18..20]);
    assert_eq!(looks(0..20)[1].1, theme.heat(0.05));
    let some: Vec<Range<usize>> = looks(4..10).into_iter().map(|(range, _)| range).collect();
    assert_eq!(some, [4..9, 9..13]);
    assert_eq!(looks(30..40), []);
}

#[test]
fn the_unlikely_stand_out_and_the_likely_look_as_the_text() {
    let theme = Theme::of(Kind::Dark, Depth::True);
    let (unlikely, unsure) = (look(0.2, &theme).unwrap(), look(0.4, &theme).unwrap());
    assert_eq!((unlikely.fg, unsure.bg), (theme.warn.fg, theme.select.bg));
    assert!(unlikely.add_modifier.contains(Modifier::REVERSED) && !unsure.add_modifier.contains(Modifier::REVERSED));
    assert_eq!([look(0.5, &theme), look(0.99, &theme), look(f64::NAN, &theme)], [None; 3]);
    let tokens = tokens();
    let found: Vec<_> = styles(&tokens, &[0..4, 4..9, 9..13, 13..16], 0..16, &theme);
    assert_eq!(found, [(4..9, unlikely), (13..16, unsure)], "only those that stand out");
    assert_eq!(looks(&theme).len(), 3);
}

#[test]
fn heights_are_the_same_for_every_token() {
    assert_eq!(
        [40, 24, 23, 12, 11, 2, 1, 0].map(|rows| Strip::rows_wanted(rows, Spacing::Lines)),
        [7, 7, 4, 4, 2, 2, 1, 0]
    );
    assert_eq!(Strip::rows_for(30, 2), 5);
    assert_eq!([34, 28, 27, 24, 20].map(|rows| Strip::rows_wanted(rows, Spacing::Roomy)), [13, 13, 7, 7, 4]);
}
