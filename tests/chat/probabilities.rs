//! What the model thought of each token: asked for, shown, gone through, kept, and said where there is none.

use benchtop::api::call::Progress;
use benchtop::api::call::Reply;
use benchtop::api::chat::{ChatChunk, ChatChunkChoice, ChatDelta};
use benchtop::api::completion::{LogprobEntry, LogprobOther, Logprobs};
use benchtop::component::Effect;
use benchtop::component::Level;
use benchtop::record::{Record, Token};
use benchtop::tabs::Tab;
use crossterm::event::KeyCode;

use crate::bindings::{Row, every_key};
use crate::desk::{Desk, call, chunk, records};

/// A piece of an answer with its token: text, log-probability, and what else there might have been.
fn told(text: &str, logprob: f64, top: &[(&str, f64)]) -> Progress {
    let other = |(text, logprob): &(&str, f64)| LogprobOther {
        token: Some((*text).to_owned()),
        logprob: Some(*logprob),
        bytes: Vec::new(),
    };
    let entry = LogprobEntry {
        token: text.to_owned(),
        logprob: Some(logprob),
        top_logprobs: top.iter().map(other).collect(),
        ..LogprobEntry::default()
    };
    let choice = ChatChunkChoice {
        delta: ChatDelta { content: Some(text.to_owned()), ..ChatDelta::default() },
        logprobs: Some(Logprobs::Entries { content: vec![entry] }),
        ..ChatChunkChoice::default()
    };
    Progress::Reply(Reply::ChatChunk(ChatChunk { choices: vec![choice], ..ChatChunk::default() }))
}

/// An answer of three tokens, asked for with two alternatives each.
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
        let effects = desk.progress(ticket, progress);
        desk.commit(&effects);
    }
    desk.picture(120, 34);
    desk.key(KeyCode::Esc);
    desk
}

/// Sets the parameter to 2.
fn ask_for(desk: &mut Desk) {
    desk.key(KeyCode::Esc);
    desk.keys("tG");
    desk.key(KeyCode::Enter);
    desk.text("2");
    desk.key(KeyCode::Enter);
    desk.key(KeyCode::Esc);
    desk.keys("i");
}

#[test]
fn they_are_asked_for_where_the_parameter_says_so() {
    let mut desk = Desk::new();
    ask_for(&mut desk);
    desk.text("hi");
    let kept = desk.key(KeyCode::Enter);
    let sent = desk.commit(&kept);
    let (_, request) = call(&sent).unwrap();
    assert_eq!((request.logprobs, request.top_logprobs), (Some(true), Some(2)));
    // No alternatives are asked for with 0, and the token's own figure still is.
    let mut desk = Desk::new();
    desk.key(KeyCode::Esc);
    desk.keys("tGlh");
    desk.key(KeyCode::Esc);
    desk.keys("i");
    desk.text("hi");
    let kept = desk.key(KeyCode::Enter);
    let sent = desk.commit(&kept);
    let (_, request) = call(&sent).unwrap();
    assert_eq!((request.logprobs, request.top_logprobs), (Some(true), Some(0)));
}

#[test]
fn the_strip_shows_a_token_its_alternatives_and_what_they_cover() {
    let mut desk = answered();
    desk.keys("l");
    assert_eq!(desk.front(), "Probabilities");
    let picture = desk.picture(120, 34);
    assert!(picture.contains("Token 1 of 3 · \"Keep\"") && picture.contains("p 0.90 · logprob −0.10"), "{picture}");
    assert!(picture.contains("covered 0.99 of the probability, 0.01 elsewhere"), "{picture}");
    assert!(picture.contains("completion 3 tok · Σ −1.0 · mean −0.34 · perplexity 1.40"), "{picture}");
    assert!(picture.contains("▐Keep▌ the music"), "{picture}");
    desk.key(KeyCode::End);
    let picture = desk.picture(120, 34);
    assert!(picture.contains("Token 3 of 3 · \" music\""), "{picture}");
    let drawn = picture.lines().find(|line| line.ends_with("drawn")).unwrap();
    assert!(drawn.contains("▌ ' music'") && drawn.contains("0.41"), "what was drawn has the cursor: {drawn}");
    assert!(picture.contains("Keep the▐ music▌"), "{picture}");
    desk.key(KeyCode::Esc);
    assert_eq!(desk.front(), "Transcript");
    assert!(!desk.picture(120, 34).contains("Token 3 of 3"));
}

#[test]
fn it_fits_where_there_is_little_room() {
    let mut desk = answered();
    desk.keys("l");
    let medium = desk.picture(80, 22);
    assert!(medium.contains("Token 1/3 · \"Keep\"") && medium.contains("'Hold'"), "{medium}");
    let narrow = desk.picture(40, 10);
    assert!(
        narrow.contains("1/3 · \"Keep\"") && narrow.contains("p 0.90, cov 0.99") && narrow.contains("'Keep'"),
        "{narrow}"
    );
}

#[test]
fn they_are_kept_and_there_again_after_a_restart() {
    let mut desk = answered();
    desk.restart();
    desk.key(KeyCode::Esc);
    let asked = desk.keys("l");
    assert!(asked.iter().any(|effect| matches!(effect, Effect::Load(..))), "{asked:?}");
    assert!(desk.picture(120, 34).contains("… loading"));
    desk.look_up(&asked);
    let picture = desk.picture(120, 34);
    assert!(picture.contains("Token 1 of 3 · \"Keep\"") && picture.contains("'Hold'"), "{picture}");
    desk.key(KeyCode::Esc);
    assert!(desk.keys("l").is_empty(), "they are here");
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
    fn collect(record: &Record, into: &mut Vec<(u64, Vec<Token>)>) {
        match record {
            Record::Tokens { at, tokens, .. } => into.push((*at, tokens.clone())),
            Record::Batch(all) => all.iter().for_each(|record| collect(record, into)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    records(effects).for_each(|(_, record)| collect(record, &mut found));
    found
}

#[test]
fn where_there_are_none_it_says_why() {
    let answer = |desk: &mut Desk| {
        let ticket = desk.ask("hi");
        for progress in [chunk("Hello"), Progress::Closed(Ok(()))] {
            let effects = desk.progress(ticket, progress);
            desk.commit(&effects);
        }
        desk.picture(120, 34);
        desk.key(KeyCode::Esc);
        desk.keys("l");
        desk.picture(120, 34)
    };
    let mut asked = Desk::new();
    ask_for(&mut asked);
    assert!(answer(&mut asked).contains("This server sent no probabilities."));
    let mut unasked = Desk::new();
    let picture = answer(&mut unasked);
    assert!(
        picture.contains("Set Probabilities in the parameters to see what else the model thought of: t"),
        "{picture}"
    );
    // And nothing breaks.
    for key in [KeyCode::Right, KeyCode::Down, KeyCode::End, KeyCode::Char('w'), KeyCode::Enter] {
        unasked.key(key);
    }
    // Of an answer from before, nobody knows whether they were asked for.
    unasked.restart();
    unasked.key(KeyCode::Esc);
    let load = unasked.keys("l");
    unasked.look_up(&load);
    unasked.keys("tG");
    unasked.key(KeyCode::Enter);
    unasked.text("2");
    unasked.key(KeyCode::Enter);
    unasked.key(KeyCode::Esc);
    let picture = unasked.picture(120, 34);
    assert!(picture.contains("No probabilities came with this answer."), "{picture}");
    let mut waiting = Desk::new();
    ask_for(&mut waiting);
    waiting.ask("hi");
    waiting.picture(120, 34);
    waiting.key(KeyCode::Tab);
    waiting.keys("l");
    assert!(waiting.picture(120, 34).contains("No token has come yet."));
}

#[test]
fn only_answers_have_them_and_they_go_with_their_answer() {
    let mut desk = answered();
    desk.keys("kk");
    let said = desk.keys("l");
    let hint = |effect: &Effect| matches!(effect, Effect::Notify(notice) if notice.level == Level::Info);
    assert!(said.iter().any(hint), "{said:?}");
    desk.key(KeyCode::Esc);
    desk.keys("l");
    assert_eq!(desk.front(), "Probabilities");
    desk.with(|chat, cx| chat.command("new", cx));
    desk.picture(120, 34);
    assert_ne!(desk.front(), "Probabilities");
    assert_eq!(Desk::new().keys("\u{1b}l").len(), 0, "nothing was said yet");
}

/// The strip on its second token, after the key.
fn at(key: crossterm::event::KeyEvent, expected: &str) {
    let mut desk = answered();
    desk.keys("l");
    desk.key(KeyCode::Right);
    desk.press(key);
    let picture = desk.picture(120, 34);
    assert!(picture.contains(expected), "{key:?}: no {expected} in {picture}");
}

#[test]
fn the_strip() {
    let rows: &[Row] = &[
        ("← h", |key| at(key, "Token 1 of 3")),
        ("→ l", |key| at(key, "Token 3 of 3")),
        ("home g", |key| at(key, "Token 1 of 3")),
        ("end G", |key| at(key, "Token 3 of 3")),
        ("↑ k", |key| at(key, "▌ ' the'")),
        ("↓ j", |key| at(key, "▌ ' your'")),
        ("w", |key| at(key, "Token 3 of 3")),
        ("W", |key| at(key, "Token 2 of 3")),
        ("esc", |key| {
            let mut desk = answered();
            desk.keys("l");
            desk.press(key);
            assert_eq!(desk.front(), "Transcript");
        }),
    ];
    every_key("Probabilities", rows);
    let mut desk = answered();
    desk.keys("l");
    desk.key(KeyCode::Tab);
    assert_ne!(desk.front(), "Probabilities");
    assert!(desk.picture(120, 34).contains("Token 1 of 3"), "it stays while the keys are elsewhere");
}
