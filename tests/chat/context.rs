//! What is sent is what is shown, and what is too long for the model is not sent.

use std::time::Duration;

use benchtop::component::Level;
use benchtop::component::{Component, Effect};
use benchtop::tokens::Encoding;

use crate::desk::{Desk, call};

/// Lets enough time pass for the text to be counted.
fn counted(desk: &mut Desk) {
    desk.now += Duration::from_millis(400);
    desk.with(Component::tick);
}

/// Returns the text of an error notice.
fn said(effects: &[Effect]) -> Option<String> {
    effects.iter().find_map(|effect| match effect {
        Effect::Notify(notice) if notice.level == Level::Error => Some(notice.text.line().into_owned()),
        _ => None,
    })
}

#[test]
fn a_parameter_that_is_not_sent_says_so_and_one_that_is_carries_a_mark() {
    let mut desk = Desk::new();
    desk.view(120, 34);
    desk.press("\u{1b}");
    desk.press("t");
    let picture = desk.view(120, 34);
    let ends = |row: &str, value: &str| {
        let found = picture.lines().find(|line| line.contains(row)).unwrap_or_else(|| panic!("{row}: {picture}"));
        assert!(found.trim_end().ends_with(value), "{found}");
    };
    ends("▌  Temperature ", " default");
    ends("   Max tokens ", " what fits");
    ends(" • Stream ", " yes");
    assert!(picture.contains("Server default: 1."), "{picture}");
    // The very value that servers take is sent once it is set.
    desk.press("lh");
    desk.press("\u{1b}");
    let picture = desk.view(120, 34);
    assert!(!picture.contains("Temperature"), "{picture}");
    desk.press("t");
    let picture = desk.view(120, 34);
    assert!(picture.contains("▌• Temperature "), "{picture}");
    desk.press("\u{1b}");
    desk.press("i");
    desk.press("hi");
    let sent = desk.press("\n");
    let request = call(&sent).unwrap().1.clone();
    assert_eq!((request.temperature, request.max_tokens, request.stream), (Some(1.0), None, Some(true)));
}

#[test]
fn the_whole_request_is_counted_as_the_model_reads_it() {
    let mut desk = Desk::new();
    desk.press("\u{1b}");
    desk.press("p");
    desk.press("Be brief.");
    desk.press("\u{1b}");
    desk.press("i");
    desk.talk("How are Größe and 日本語 counted?", "By the model's own vocabulary.");
    desk.press("And antidisestablishmentarianism?");
    let picture = desk.view(120, 34);
    assert!(picture.contains("tok of 4,096") && picture.contains('~'), "a guess at first: {picture}");
    counted(&mut desk);
    let texts = [
        "Be brief.",
        "How are Größe and 日本語 counted?",
        "By the model's own vocabulary.",
        "And antidisestablishmentarianism?",
    ];
    let tokens = texts.iter().map(|text| Encoding::Cl100k.count(text) + 4).sum::<u64>() + 3;
    let picture = desk.view(120, 34);
    assert!(picture.contains(&format!(" {tokens} tok of 4,096 ≈")), "{tokens}: {picture}");
    // Nobody knows how this one reads.
    desk.app.session.model = "llama3".into();
    desk.press("?");
    counted(&mut desk);
    let picture = desk.view(120, 34);
    assert!(picture.contains(" ~") && !picture.contains("tok of"), "{picture}");
}

#[test]
fn a_call_is_counted_as_it_is_sent() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    desk.progress(ticket, crate::blocks::delta(crate::blocks::CALL[1]));
    desk.progress(ticket, benchtop::api::call::Progress::Closed(Ok(())));
    desk.press("go on");
    counted(&mut desk);
    let texts = ["hi", "get_time({})", "go on"];
    let tokens = texts.iter().map(|text| Encoding::Cl100k.count(text) + 4).sum::<u64>() + 3;
    let picture = desk.view(120, 34);
    assert!(picture.contains(&format!(" {tokens} tok of 4,096 ≈")), "{tokens}: {picture}");
}

#[test]
fn a_message_that_does_not_fit_stays_in_its_box_and_nothing_is_sent() {
    let mut desk = Desk::new();
    desk.talk("hi", "Hello.");
    desk.paste(&"word ".repeat(4200));
    counted(&mut desk);
    let picture = desk.view(120, 34);
    assert!(picture.contains("of 4,096 tok, cut "), "{picture}");
    let draft = desk.draft();
    let effects = desk.press("\n");
    let why = said(&effects).expect("it says why");
    assert!(why.contains("more than the 4,096 of gpt-3.5-turbo; nothing was sent"), "{why}");
    assert!(why.contains("Shorten the message"), "and what to do: {why}");
    assert_eq!((desk.draft(), desk.disk.turns().len()), (draft, 2), "nothing was made of it");
    // Shorter, it goes.
    desk.press("^u");
    desk.ask("short");
}

#[test]
fn what_was_not_counted_yet_is_counted_before_it_is_sent() {
    let mut desk = Desk::new();
    desk.holds = |effect| matches!(effect, Effect::Work(..));
    desk.paste(&"word ".repeat(4200));
    assert!(call(&desk.press("\n")).is_none(), "it may be too long");
    let refused = desk.release();
    assert!(call(&refused).is_none());
    assert!(said(&refused).unwrap().contains("nothing was sent"));
    assert!(desk.draft().starts_with("word word"), "the prompt is back in its box");
    // A long text of few tokens fits, and is sent when that is known.
    let mut desk = Desk::new();
    desk.holds = |effect| matches!(effect, Effect::Work(..));
    desk.paste(&"internationalization ".repeat(400));
    assert!(call(&desk.press("\n")).is_none());
    let sent = desk.release();
    assert!(call(&sent).is_some(), "{sent:?}");
}

#[test]
fn an_answer_that_is_asked_for_again_is_checked_too() {
    let mut desk = Desk::new();
    desk.app.session.model = "gpt-4".into();
    desk.paste(&"word ".repeat(5000));
    let ticket = desk.ask("end");
    desk.says(ticket, "Many words.");
    desk.app.session.model = "gpt-3.5-turbo".into();
    desk.view(120, 34);
    desk.press("\u{1b}");
    let refused = desk.press("r");
    assert!(call(&refused).is_none() && said(&refused).unwrap().contains("gpt-3.5-turbo; nothing was sent"));
}
