//! One message is edited in place or deleted: the others stay, it can be taken back, and all of it is there after a
//! restart.

use benchtop::api::call::Progress;
use benchtop::api::chat::ChatRequest;
use benchtop::record::{ChatParams, CompletionParams, ModelParams};

use crate::blocks::delta;
use crate::desk::{Desk, call, chunk};

/// Creates a conversation of two prompts with answers, with the transcript focused.
fn talked() -> Desk {
    let mut desk = Desk::in_folder();
    desk.talk("first question", "first answer");
    desk.talk("second question", "second answer");
    desk.view(120, 34);
    desk.press("\u{1b}");
    desk
}

/// Sends a message; returns its request.
fn next(desk: &mut Desk) -> ChatRequest {
    desk.press("\u{1b}");
    desk.press("i");
    desk.press("next");
    let sent = desk.press("\n");
    call(&sent).expect("it is sent").1.clone()
}

fn said(request: &ChatRequest) -> Vec<&str> {
    request.messages.iter().map(|message| message.content.raw()).collect()
}

/// Selects the message so many from the end and edits it in place.
fn edit(desk: &mut Desk, from_end: usize, text: &str) {
    desk.press(&"k".repeat(from_end));
    desk.press("E");
    desk.view(120, 34);
    desk.press("^u");
    desk.press(text);
    desk.press("\u{1b}");
    desk.view(120, 34);
}

#[test]
fn an_answer_is_edited_in_place_and_what_follows_stays() {
    let mut desk = talked();
    edit(&mut desk, 3, "a better answer");
    desk.has(&["first question", "a better answer", "‹2/2›", "second question", "second answer"], &["first answer"]);
    // The old text is a version.
    desk.press("<");
    desk.has(&["first answer", "‹1/2›"], &["a better answer", "second question"]);
    desk.press(">");
    desk.has(&["a better answer", "second answer"], &["first answer"]);
    desk.restart();
    desk.has(&["a better answer", "second answer"], &["first answer"]);
    let request = next(&mut desk);
    assert_eq!(said(&request), ["first question", "a better answer", "second question", "second answer", "next"]);
    assert_eq!(&*request.messages[1].role, "assistant");
}

#[test]
fn an_answer_with_calls_that_is_edited_is_checked_against_the_tools_again() {
    let tools = r#"[{"type":"function","function":{"name":"get_time","parameters":{"type":"object",
        "properties":{"city":{"type":"string"}}}}}]"#;
    let common = ChatParams { tools: Some(tools.to_owned()), ..ChatParams::default() };
    let models: ModelParams = [("m".to_owned(), CompletionParams { common, ..CompletionParams::default() })].into();
    let mut desk = Desk::with_defaults("work", "m", models);
    let ticket = desk.ask("q");
    desk.progress(ticket, chunk("I look."));
    let called = r#"{"tool_calls":[{"index":0,"id":"c1","function":{"name":"get_time","arguments":"{\"city\":5}"}}]}"#;
    desk.progress(ticket, delta(called));
    desk.progress(ticket, Progress::Closed(Ok(())));
    desk.view(120, 34);
    desk.has(&["I look.", "! /city: 5 is not of type"], &[]);
    desk.press("\u{1b}\u{1b}");
    edit(&mut desk, 0, "I look it up.");
    desk.has(&["I look it up.", "! /city: 5 is not of type"], &["I look."]);
}

#[test]
fn an_edit_is_taken_back() {
    for from_end in 1..=4 {
        let mut desk = talked();
        edit(&mut desk, from_end, "other words");
        desk.has(&["other words"], &[]);
        desk.press("u");
        desk.has(&["first question", "first answer", "second question", "second answer"], &["other words", "‹"]);
        desk.restart();
        desk.has(&["first question", "first answer", "second question", "second answer"], &["other words", "‹"]);
        let request = next(&mut desk);
        let all = ["first question", "first answer", "second question", "second answer", "next"];
        assert_eq!(said(&request), all, "{from_end}");
    }
}

#[test]
fn any_message_is_deleted_and_brought_back() {
    let all = ["first question", "first answer", "second question", "second answer"];
    for from_end in 1..=4 {
        let mut desk = talked();
        desk.press(&"k".repeat(from_end));
        desk.press("X");
        let gone = all[all.len() - from_end];
        let left: Vec<&str> = all.into_iter().filter(|text| *text != gone).collect();
        desk.has(&left[1..], &[]);
        desk.has(&["3 messages"], &[]);
        desk.restart();
        let picture = desk.view(80, 30);
        assert!(!picture.lines().skip(1).any(|line| line.contains(gone)), "{gone} is gone for good");
        assert!(!picture.contains('‹'), "nor is it a version of what follows it: {picture}");
        assert_eq!(said(&next(&mut desk)), [left.as_slice(), &["next"]].concat());

        let mut desk = talked();
        desk.press(&"k".repeat(from_end));
        desk.press("X");
        desk.view(120, 34);
        desk.press("u");
        desk.has(&["4 messages"], &[]);
        desk.restart();
        assert_eq!(said(&next(&mut desk)), [all.as_slice(), &["next"]].concat(), "{gone} is back");
    }
}
