//! What is set by keys is what is asked for: every parameter, the system prompt, and nothing else.

use benchtop::api::chat::{ChatMessage, ChatRequest, Stop};
use crossterm::event::{KeyCode, KeyEvent};

use crate::desk::{Desk, call, chunk};

fn message(role: &str, content: &str) -> ChatMessage {
    ChatMessage { role: role.into(), content: content.into(), ..ChatMessage::default() }
}

/// Writes and sends; the request it became.
fn asked(desk: &mut Desk, prompt: &str) -> ChatRequest {
    desk.press("i");
    desk.press(prompt);
    let sent = desk.press("\n");
    call(&sent).unwrap().1.clone()
}

/// Types a value into the selected field, and goes to the next.
fn type_in(desk: &mut Desk, value: &str) {
    desk.press("\n");
    desk.press(value);
    desk.code(KeyEvent::from(KeyCode::Enter));
    desk.press("j");
}

/// The panel's fields in its order, as they are typed.
pub const TYPED: [&str; 10] =
    ["0.7", "0.25", "77", "2", "END | a b | \\n", "-1.5", "1.25", "50256=-100, 12=5.5", "-42", "somebody"];

/// Returns the request with the settings above, this system prompt and this prompt.
pub fn expected(system: &str, prompt: &str) -> ChatRequest {
    ChatRequest {
        model: "gpt-3.5-turbo".into(),
        messages: vec![message("system", system), message("user", prompt)],
        temperature: Some(0.7),
        top_p: Some(0.25),
        n: Some(2),
        stream: Some(false),
        stop: Some(Stop::Many(vec!["END".into(), "a b".into(), "\n".into()])),
        max_tokens: Some(77),
        presence_penalty: Some(-1.5),
        frequency_penalty: Some(1.25),
        logit_bias: Some([("50256".to_owned(), -100.0), ("12".to_owned(), 5.5)].into()),
        user: Some("somebody".into()),
        seed: Some(-42),
        ..ChatRequest::default()
    }
}

#[test]
fn nothing_is_sent_that_was_not_set() {
    let mut desk = Desk::new();
    desk.press("\u{1b}");
    let plain = ChatRequest {
        model: "gpt-3.5-turbo".into(),
        messages: vec![message("user", " hi  ")],
        stream: Some(true),
        ..ChatRequest::default()
    };
    assert_eq!(asked(&mut desk, " hi  "), plain);
}

#[test]
fn every_field_of_the_panel_and_the_system_prompt_reach_the_request() {
    let mut desk = Desk::new();
    desk.press("\u{1b}");
    desk.press("t");
    for value in TYPED {
        type_in(&mut desk, value);
    }
    desk.press(" ");
    desk.press("\u{1b}");
    desk.press("p");
    desk.press("Be brief. ");
    desk.press("\n");
    desk.press("Very.");
    desk.press("\u{1b}");
    assert_eq!(asked(&mut desk, "hi"), expected("Be brief. \nVery.", "hi"));
}

#[test]
fn fields_are_stepped_set_back_and_kept_within_their_bounds() {
    let mut desk = Desk::new();
    desk.press("\u{1b}");
    // Up and down, and a whole number.
    desk.press("tlljhhhjl");
    desk.press("\u{1b}");
    let request = asked(&mut desk, "hi");
    assert_eq!((request.temperature, request.top_p, request.max_tokens), (Some(1.2), Some(0.85), Some(64)));
    let mut desk = Desk::new();
    desk.press("\u{1b}");
    desk.press("tll0");
    // Refused: what was there stays.
    desk.press("j");
    desk.press("\n");
    desk.press("1.01");
    desk.press("\n");
    assert!(desk.view(80, 22).contains("Top p must be between 0 and 1"));
    desk.press("\u{1b}");
    desk.press("\u{1b}");
    let request = asked(&mut desk, "hi");
    assert_eq!((request.temperature, request.top_p), (None, None));
    // One text goes alone, and one answer is continued.
    let mut desk = Desk::new();
    desk.press("\u{1b}");
    desk.press("tjjj");
    type_in(&mut desk, "3");
    type_in(&mut desk, "END");
    desk.press("\u{1b}");
    desk.press("i");
    let ticket = desk.ask("hi");
    desk.progress(ticket, chunk("half"));
    desk.press("\u{1b}");
    desk.press("\u{1b}");
    let effects = desk.press("c");
    let request = call(&effects).unwrap().1;
    assert_eq!((request.n, &request.stop), (None, &Some(Stop::One("END".into()))));
    assert_eq!(request.messages, [message("user", "hi"), message("assistant", "half")]);
}

#[test]
fn the_panels_other_keys() {
    let open = || {
        let mut desk = Desk::new();
        desk.press("\u{1b}");
        desk.press("t");
        assert_eq!(desk.front(), "Parameters");
        desk
    };
    assert_eq!(open().press("m"), [benchtop::component::Effect::OpenModelPicker]);
    let mut desk = open();
    desk.press("p");
    assert!(desk.view(80, 22).contains("─ System prompt"));
    for key in [KeyCode::Esc, KeyCode::Char('t')] {
        let mut desk = open();
        desk.code(key);
        assert_eq!(desk.front(), "Transcript");
    }
    let mut desk = open();
    desk.press("jjkh");
    assert!(desk.view(120, 34).contains("0.95"), "down twice and up once is top_p");
}
