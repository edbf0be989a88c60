//! What the model thought of each token: asked for, shown, gone through, kept, and said where there is none.

use benchtop::api::call::Progress;
use benchtop::component::Effect;
use benchtop::component::Level;
use benchtop::record::{Record, Token};
use benchtop::tabs::Tab;
use crossterm::event::KeyCode;
use serde_json::json;

use crate::bindings::{Row, every_key};
use crate::desk::{Desk, call, choice, chunk, records};

/// Returns a part of an answer with its token: text, log-probability, alternatives.
fn told(text: &str, logprob: f64, top: &[(&str, f64)]) -> Progress {
    let top: Vec<_> = top.iter().map(|(token, logprob)| json!({"token": token, "logprob": logprob})).collect();
    let entry = json!({"token": text, "logprob": logprob, "top_logprobs": top});
    choice(json!({"index": 0, "delta": {"content": text}, "logprobs": {"content": [entry]}}))
}

/// Creates an answer of three tokens, requested with two alternatives each.
fn answered() -> Desk {
    let mut desk = Desk::new();
    ask_for(&mut desk);
    let ticket = desk.ask("sing");
    for progress in [
        told("Keep", -0.1, &[("Keep", -0.1), ("Hold", -2.5)]),
        told(" the", -0.02, &[(" the", -0.02), (" your", -4.0)]),
        told(" music", -0.9, &[(" focus", -0.8), (" music", -0.9)]),
        Progress::Closed(Ok(())),
    ] {
        desk.progress(ticket, progress);
    }
    desk.view(120, 34);
    desk.press("\u{1b}");
    desk
}

/// Sets the parameter to 2.
fn ask_for(desk: &mut Desk) {
    desk.press("\u{1b}");
    desk.press("tG");
    desk.press("\n");
    desk.press("2");
    desk.press("\n");
    desk.press("\u{1b}");
    desk.press("i");
}

#[test]
fn they_are_asked_for_where_the_parameter_says_so() {
    let mut desk = Desk::new();
    ask_for(&mut desk);
    desk.press("hi");
    let sent = desk.press("\n");
    let (_, request) = call(&sent).unwrap();
    assert_eq!((request.logprobs, request.top_logprobs), (Some(true), Some(2)));
    // No alternatives are asked for with 0, and the token's own figure still is.
    let mut desk = Desk::new();
    desk.press("\u{1b}");
    desk.press("tGlh");
    desk.press("\u{1b}");
    desk.press("i");
    desk.press("hi");
    let sent = desk.press("\n");
    let (_, request) = call(&sent).unwrap();
    assert_eq!((request.logprobs, request.top_logprobs), (Some(true), Some(0)));
}

#[test]
fn the_strip_shows_a_token_its_alternatives_and_what_they_cover() {
    let mut desk = answered();
    desk.press("l");
    assert_eq!(desk.front(), "Probabilities");
    let picture = desk.view(120, 34);
    assert!(picture.contains("Token 1 of 3 · “Keep”") && picture.contains("p 0.90 · logprob −0.10"), "{picture}");
    let other = picture.lines().find(|line| line.contains("  other ")).unwrap();
    assert!(other.ends_with("0.01"), "{picture}");
    assert!(picture.contains("completion 3 tok · Σ −1.0 · mean −0.34 · perplexity 1.40"), "{picture}");
    assert!(picture.contains("▐Keep▌ the music"), "{picture}");
    desk.code(KeyCode::End);
    let picture = desk.view(120, 34);
    assert!(picture.contains("Token 3 of 3 · “ music”"), "{picture}");
    let drawn = picture.lines().find(|line| line.ends_with("chosen")).unwrap();
    assert!(drawn.contains("▌  music ") && drawn.contains("0.41"), "what was chosen has the cursor: {drawn}");
    assert!(picture.contains("Keep the▐ music▌"), "{picture}");
    desk.press("\u{1b}");
    assert_eq!(desk.front(), "Transcript");
    assert!(!desk.view(120, 34).contains("Token 3 of 3"));
}

#[test]
fn it_fits_where_there_is_little_room() {
    let mut desk = answered();
    desk.press("l");
    let medium = desk.view(80, 22);
    assert!(medium.contains("Token 1/3 · “Keep”") && medium.contains("  Hold "), "{medium}");
    let narrow = desk.view(40, 10);
    assert!(
        narrow.contains("1/3 “Keep”") && narrow.contains("p 0.90, other 0.01") && narrow.contains("▌ Keep "),
        "{narrow}"
    );
}

#[test]
fn they_are_kept_and_there_again_after_a_restart() {
    let mut desk = answered();
    desk.restart();
    desk.press("\u{1b}");
    desk.holds = |effect| matches!(effect, Effect::Load(..));
    let asked = desk.press("l");
    assert!(asked.iter().any(|effect| matches!(effect, Effect::Load(..))), "{asked:?}");
    assert!(desk.view(120, 34).contains("… loading"));
    desk.release();
    let picture = desk.view(120, 34);
    assert!(picture.contains("Token 1 of 3 · “Keep”") && picture.contains("  Hold "), "{picture}");
    desk.press("\u{1b}");
    assert!(desk.press("l").is_empty(), "they are here");
}

#[test]
fn tokens_reach_the_store_once_and_in_order() {
    let mut desk = Desk::new();
    ask_for(&mut desk);
    let ticket = desk.ask("sing");
    let mut kept: Vec<(u64, Vec<Token>)> = Vec::new();
    for (text, wait) in [("a", 2), ("b", 0), ("c", 2), ("d", 0)] {
        desk.now += std::time::Duration::from_secs(wait);
        let effects = desk.progress(ticket, told(text, -1.0, &[]));
        kept.extend(tokens(&effects));
    }
    let effects = desk.progress(ticket, Progress::Closed(Ok(())));
    kept.extend(tokens(&effects));
    let places: Vec<(u64, usize)> = kept.iter().map(|(at, tokens)| (*at, tokens.len())).collect();
    assert_eq!(places, [(0, 1), (1, 2), (3, 1)]);
    let all: Vec<u8> = kept.into_iter().flat_map(|(_, tokens)| tokens).flat_map(|token| token.bytes).collect();
    assert_eq!(all, b"abcd");
}

fn tokens(effects: &[Effect]) -> Vec<(u64, Vec<Token>)> {
    let tokens = |record| if let Record::Tokens { at, tokens, .. } = record { Some((at, tokens)) } else { None };
    records(effects).into_iter().filter_map(tokens).collect()
}

#[test]
fn where_there_are_none_it_says_why() {
    let answer = |desk: &mut Desk| {
        let ticket = desk.ask("hi");
        for progress in [chunk("Hello"), Progress::Closed(Ok(()))] {
            desk.progress(ticket, progress);
        }
        desk.view(120, 34);
        desk.press("\u{1b}");
        desk.press("l");
        desk.view(120, 34)
    };
    let mut asked = Desk::new();
    ask_for(&mut asked);
    assert!(answer(&mut asked).contains("This server sent no probabilities."));
    let mut unasked = Desk::new();
    let picture = answer(&mut unasked);
    assert!(
        picture.contains("Turn on Probabilities in the parameters (t) to see alternatives for each token."),
        "{picture}"
    );
    // And nothing breaks.
    for key in [KeyCode::Right, KeyCode::Down, KeyCode::End, KeyCode::Char('w'), KeyCode::Enter] {
        unasked.code(key);
    }
    // Of an answer from before, nobody knows whether they were asked for.
    unasked.restart();
    unasked.press("\u{1b}");
    unasked.press("l");
    unasked.press("tG");
    unasked.press("\n");
    unasked.press("2");
    unasked.press("\n");
    unasked.press("\u{1b}");
    let picture = unasked.view(120, 34);
    assert!(picture.contains("This answer came without probabilities."), "{picture}");
    let mut waiting = Desk::new();
    ask_for(&mut waiting);
    waiting.ask("hi");
    waiting.view(120, 34);
    waiting.press("\t");
    waiting.press("l");
    assert!(waiting.view(120, 34).contains("No token has come yet."));
}

#[test]
fn only_answers_have_them_and_they_go_with_their_answer() {
    let mut desk = answered();
    desk.press("kk");
    let said = desk.press("l");
    let hint = |effect: &Effect| matches!(effect, Effect::Notify(notice) if notice.level == Level::Info);
    assert!(said.iter().any(hint), "{said:?}");
    desk.press("\u{1b}");
    desk.press("l");
    assert_eq!(desk.front(), "Probabilities");
    desk.with(|chat, cx| chat.command("new", cx));
    desk.view(120, 34);
    assert_ne!(desk.front(), "Probabilities");
    assert!(Desk::new().press("\u{1b}l").iter().any(hint), "nothing was said yet");
}

/// Checks what the strip shows on its second token after a key.
fn at(key: crossterm::event::KeyEvent, expected: &str) {
    let mut desk = answered();
    desk.press("l");
    desk.press("→");
    desk.code(key);
    let picture = desk.view(120, 34);
    assert!(picture.contains(expected), "{key:?}: no {expected} in {picture}");
}

#[test]
fn the_strip() {
    let rows: &[Row] = &[
        ("← h", |key| at(key, "Token 1 of 3")),
        ("→ l", |key| at(key, "Token 3 of 3")),
        ("home g", |key| at(key, "Token 1 of 3")),
        ("end G", |key| at(key, "Token 3 of 3")),
        ("↑ k", |key| at(key, "▌  the ")),
        ("↓ j", |key| at(key, "▌  your ")),
        ("w", |key| at(key, "Token 3 of 3")),
        ("W", |key| at(key, "Token 2 of 3")),
        ("esc", |key| {
            let mut desk = answered();
            desk.press("l");
            desk.code(key);
            assert_eq!(desk.front(), "Transcript");
        }),
    ];
    every_key("Probabilities", rows);
    let mut desk = answered();
    desk.press("l");
    desk.press("\t");
    assert_ne!(desk.front(), "Probabilities");
    assert!(desk.view(120, 34).contains("Token 1 of 3"), "it stays while the keys are elsewhere");
}
