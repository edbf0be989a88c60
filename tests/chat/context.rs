//! What is sent is what is shown, and what is too long for the model is not sent.

use std::time::Duration;

use benchtop::component::Level;
use benchtop::component::{Component, Effect};
use benchtop::tokens::Encoding;
use crossterm::event::KeyCode;

use crate::desk::{Desk, call};

/// What was written rests, and is counted.
fn counted(desk: &mut Desk) {
    desk.now += Duration::from_millis(400);
    let effects = desk.with(Component::tick);
    desk.commit(&effects);
    let next = desk.count(&effects);
    desk.commit(&next);
}

/// What is said of a failure.
fn said(effects: &[Effect]) -> Option<String> {
    effects.iter().find_map(|effect| match effect {
        Effect::Notify(notice) if notice.level == Level::Error => Some(notice.text.line().into_owned()),
        _ => None,
    })
}

#[test]
fn a_parameter_that_is_not_sent_says_so_and_one_that_is_carries_a_mark() {
    let mut desk = Desk::new();
    desk.picture(120, 34);
    desk.key(KeyCode::Esc);
    desk.keys("t");
    let picture = desk.picture(120, 34);
    assert!(picture.contains("▌Temperature     server default"), "{picture}");
    assert!(picture.contains(" Max tokens      server default"), "{picture}");
    assert!(picture.contains(" Stream        ● yes"), "it is always sent: {picture}");
    assert!(picture.contains("Server default: 1."), "{picture}");
    // The very value that servers take is sent once it is set.
    desk.keys("lh");
    desk.key(KeyCode::Esc);
    let picture = desk.picture(120, 34);
    assert!(!picture.contains("Temperature"), "{picture}");
    desk.keys("t");
    let picture = desk.picture(120, 34);
    assert!(picture.contains("▌Temperature   ● 1 "), "{picture}");
    desk.key(KeyCode::Esc);
    desk.keys("i");
    desk.text("hi");
    let kept = desk.key(KeyCode::Enter);
    let sent = desk.commit(&kept);
    let request = call(&sent).unwrap().1.clone();
    assert_eq!((request.temperature, request.max_tokens, request.stream), (Some(1.0), None, Some(true)));
}

#[test]
fn the_whole_request_is_counted_as_the_model_reads_it() {
    let mut desk = Desk::new();
    desk.key(KeyCode::Esc);
    desk.keys("p");
    desk.text("Be brief.");
    desk.key(KeyCode::Esc);
    desk.keys("i");
    desk.talk("How are Größe and 日本語 counted?", "By the model's own vocabulary.");
    desk.text("And antidisestablishmentarianism?");
    let picture = desk.picture(120, 34);
    assert!(picture.contains("tok of 4,096") && picture.contains('~'), "a guess at first: {picture}");
    counted(&mut desk);
    let texts = [
        "Be brief.",
        "How are Größe and 日本語 counted?",
        "By the model's own vocabulary.",
        "And antidisestablishmentarianism?",
    ];
    let tokens = texts.iter().map(|text| Encoding::Cl100k.count(text) + 4).sum::<u64>() + 3;
    let picture = desk.picture(120, 34);
    assert!(picture.contains(&format!(" {tokens} tok of 4,096 ≈")), "{tokens}: {picture}");
    // Nobody knows how this one reads.
    desk.session.model = "llama3".into();
    desk.text("?");
    counted(&mut desk);
    let picture = desk.picture(120, 34);
    assert!(picture.contains(" ~") && !picture.contains("tok of"), "{picture}");
}

#[test]
fn a_call_is_counted_as_it_is_sent() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    desk.progress(ticket, crate::blocks::delta(crate::blocks::CALL[1]));
    let end = desk.progress(ticket, benchtop::api::call::Progress::Closed(Ok(())));
    desk.commit(&end);
    desk.text("go on");
    counted(&mut desk);
    let texts = ["hi", "get_time({})", "go on"];
    let tokens = texts.iter().map(|text| Encoding::Cl100k.count(text) + 4).sum::<u64>() + 3;
    let picture = desk.picture(120, 34);
    assert!(picture.contains(&format!(" {tokens} tok of 4,096 ≈")), "{tokens}: {picture}");
}

#[test]
fn a_message_that_does_not_fit_stays_in_its_box_and_nothing_is_sent() {
    let mut desk = Desk::new();
    desk.talk("hi", "Hello.");
    desk.with(|chat, cx| chat.paste(&"word ".repeat(4200), cx));
    counted(&mut desk);
    let picture = desk.picture(120, 34);
    assert!(picture.contains("of 4,096 tok, cut "), "{picture}");
    let draft = desk.draft();
    let effects = desk.key(KeyCode::Enter);
    let why = said(&effects).expect("it says why");
    assert!(why.contains("more than the 4,096 of gpt-3.5-turbo; nothing was sent"), "{why}");
    assert!(why.contains("Shorten the message"), "and what to do: {why}");
    assert_eq!(desk.commit(&effects), []);
    assert_eq!((desk.draft(), desk.disk.len()), (draft, 2), "nothing was made of it");
    // Shorter, it goes.
    desk.control('u');
    desk.ask("short");
}

#[test]
fn what_was_not_counted_yet_is_counted_before_it_is_sent() {
    let mut desk = Desk::new();
    desk.with(|chat, cx| chat.paste(&"word ".repeat(4200), cx));
    let kept = desk.key(KeyCode::Enter);
    let asked = desk.commit(&kept);
    assert!(call(&asked).is_none(), "it may be too long");
    let refused = desk.count(&asked);
    assert!(call(&refused).is_none());
    assert!(said(&refused).unwrap().contains("nothing was sent"));
    assert!(desk.draft().starts_with("word word"), "the prompt is back in its box");
    // A long text of few tokens fits, and is sent when that is known.
    let mut desk = Desk::new();
    desk.with(|chat, cx| chat.paste(&"internationalization ".repeat(400), cx));
    let kept = desk.key(KeyCode::Enter);
    let asked = desk.commit(&kept);
    assert!(call(&asked).is_none());
    let sent = desk.count(&asked);
    assert!(call(&sent).is_some(), "{sent:?}");
}

#[test]
fn an_answer_that_is_asked_for_again_is_checked_too() {
    let mut desk = Desk::new();
    desk.session.model = "gpt-4".into();
    desk.talk(&"word ".repeat(5000), "Many words.");
    desk.session.model = "gpt-3.5-turbo".into();
    desk.picture(120, 34);
    desk.key(KeyCode::Esc);
    let asked = desk.keys("r");
    let refused = [desk.count(&asked), asked].concat();
    assert!(call(&refused).is_none() && said(&refused).unwrap().contains("gpt-3.5-turbo; nothing was sent"));
}
