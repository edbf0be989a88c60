//! Fields of today's requests: typed or written in an editor, refused where they are wrong, and the answer checked
//! against the format that was asked for.

use benchtop::api::call::Progress;
use benchtop::api::chat::ChatRequest;
use benchtop::component::{Component as _, Effect};
use benchtop::record::{ChatParams, TurnStatus};
use crossterm::event::KeyCode;
use serde_json::{Value, json};

use crate::desk::{Desk, call, chunk, end, turns};

const SCHEMA: &str = r#"{
  "title": "person",
  "type": "object",
  "required": ["name"],
  "properties": {"name": {"type": "string"}, "age": {"type": "integer", "minimum": 0}}
}"#;

/// Returns what is said in notices.
fn said(effects: &[Effect]) -> String {
    let notice = |effect: &Effect| match effect {
        Effect::Notify(notice) => Some(notice.text.line().into_owned()),
        _ => None,
    };
    effects.iter().filter_map(notice).collect::<Vec<_>>().join("\n")
}

impl Desk {
    /// Moves from the message box to the field this many rows above the further fields.
    fn field(&mut self, above: usize) {
        self.press("\u{1b}");
        self.press("t");
        self.press("Gk");
        self.press(&"k".repeat(above));
    }

    /// Types a value into the field under the cursor, and goes to the next.
    fn type_field(&mut self, key: &str, value: &str) {
        self.press(key);
        self.press(value);
        self.code(KeyCode::Enter);
        self.press("j");
    }

    /// Writes and sends a message from the parameters; returns its request.
    fn sends(&mut self, prompt: &str) -> Option<ChatRequest> {
        self.press("\u{1b}");
        self.press("i");
        let sent = [self.press(prompt), self.press("\n")].concat();
        call(&sent).map(|(_, request)| request.clone())
    }

    /// Asks with this format and gets an answer that ends for this reason.
    fn formatted(&mut self, format: &str, answer: &str, reason: &str) -> Vec<Effect> {
        self.field(1);
        self.press("\n");
        self.with(|chat, cx| chat.edited(format, cx));
        self.press("\u{1b}");
        self.press("i");
        let ticket = self.ask("who?");
        self.progress(ticket, chunk(answer));
        self.progress(ticket, end(0, reason));
        self.progress(ticket, Progress::Closed(Ok(())))
    }
}

#[test]
fn fields_of_today_reach_the_request_and_are_there_again() {
    let mut desk = Desk::new();
    desk.field(5);
    for (key, value) in [
        ("\n", "99"),
        ("\n", "low"),
        ("\n", "40"),
        ("\n", "0.05"),
        ("i", "json_object"),
        ("i", "{\"verbosity\": \"low\", \"cache\": {\"ttl\": 5}}"),
    ] {
        desk.type_field(key, value);
    }
    let shown = desk.view(80, 22);
    assert!(shown.contains("json_object") && shown.contains("cache, verbosity"), "{shown}");
    let extra = json!({
        "max_completion_tokens": 99, "reasoning_effort": "low", "top_k": 40, "min_p": 0.05,
        "response_format": {"type": "json_object"}, "verbosity": "low", "cache": {"ttl": 5},
    });
    let Value::Object(extra) = extra else { unreachable!() };
    assert_eq!(desk.sends("hi").unwrap().extra, extra);
    let wide = desk.view(120, 34);
    assert!(wide.contains("max 99 · effort low · answer format"), "{wide}");
    let ticket = desk.ask_again();
    desk.says(ticket, "{}");
    let copied = desk.press("C");
    let [Effect::CopyCurl(_, benchtop::api::call::Call::Chat(request))] = &copied[..] else { panic!("{copied:?}") };
    assert_eq!(request.extra, extra);
    desk.restart();
    assert_eq!(call(&desk.asked_again()).unwrap().1.extra, extra);
}

impl Desk {
    /// Stops what streams and asks again, from the message box; the call it became.
    fn ask_again(&mut self) -> benchtop::api::call::Ticket {
        call(&self.asked_again()).unwrap().0
    }

    fn asked_again(&mut self) -> Vec<Effect> {
        self.press("\u{1b}");
        self.press("\u{1b}");
        self.press("r")
    }
}

#[test]
fn a_value_out_of_bounds_is_refused_with_its_bounds() {
    for (above, value, why) in [
        (5, "0", "Max completion must be between 1 and"),
        (4, "huge", "Reasoning effort must be one of none, minimal, low"),
        (3, "1.5", "Top k must be a whole number from 1"),
        (2, "2", "Min p must be between 0 and 1, not 2"),
        (10, "x", "Seed must be a whole number; x is not"),
        (11, "12", "Logit bias must be 50256=-100"),
        (14, "a|b|c|d|e", "Stop takes at most 4 texts"),
    ] {
        let mut desk = Desk::new();
        desk.field(above);
        desk.press("\n");
        desk.press(value);
        desk.code(KeyCode::Enter);
        let shown = desk.view(120, 34).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(why.split(' ').all(|word| shown.contains(word)), "{why}: {shown}");
        // It begins with the field's label.
        let label: Vec<&str> = why.split(' ').take_while(|word| !["must", "takes"].contains(word)).collect();
        assert!(shown.contains(&format!("✕ {}", label.join(" "))), "{why}: {shown}");
    }
}

#[test]
fn a_request_has_one_limit_and_the_panel_says_which_one_went() {
    let mut desk = Desk::new();
    desk.press("\u{1b}");
    desk.press("tjj");
    desk.type_field("\n", "50");
    desk.press("Gkkkkkk");
    let told = [desk.press("\n"), desk.press("9"), desk.press("\n")].concat();
    assert_eq!(said(&told), "Max tokens is cleared: a request has one limit, now Max completion");
    let request = desk.sends("hi").unwrap();
    assert_eq!((request.max_tokens, &request.extra["max_completion_tokens"]), (None, &json!(9)));
    // And the other way round.
    desk.press("\u{1b}");
    desk.press("\u{1b}");
    desk.press("tjj");
    desk.type_field("\n", "7");
    let request = desk.sends("again").unwrap();
    assert_eq!((request.max_tokens, request.extra.get("max_completion_tokens")), (Some(7), None));
}

#[test]
fn json_is_written_in_the_editor_and_its_row_says_what_it_holds() {
    let mut desk = Desk::new();
    desk.field(1);
    assert_eq!(desk.press("\n"), [Effect::EditText]);
    assert_eq!(desk.draft(), "", "the editor gets the field, not the message");
    desk.with(|chat, cx| chat.edited(SCHEMA, cx));
    assert_eq!(desk.draft(), SCHEMA);
    for (width, height) in [(120, 34), (80, 22), (40, 10)] {
        let shown = desk.view(width, height);
        assert!(shown.contains("schema person"), "{shown}");
    }
    let request = desk.sends("hi").unwrap();
    let format = &request.extra["response_format"];
    assert_eq!((&format["type"], &format["json_schema"]["name"]), (&json!("json_schema"), &json!("person")));
    assert_eq!(format["json_schema"]["schema"], serde_json::from_str::<Value>(SCHEMA).unwrap());
    // Elsewhere the editor has the message.
    desk.press("a message");
    assert_eq!(desk.draft(), "a message");
}

#[test]
fn what_is_wrong_is_kept_said_with_its_place_and_not_sent() {
    for (above, text, row, why) in [
        (1, "{\n  \"type\": object\n}", "✕ line 2", "Answer format is not JSON: expected value at line 2 column 11"),
        (1, "{\"properties\": {\"a\": {\"type\": \"objct\"}}}", "✕ not valid", "at /properties/a/type"),
        (0, "{\"a\": }", "✕ line 1", "Further fields: expected value at line 1 column 7"),
        (0, "{\"stop\": \"a\"}", "✕ not valid", "stop has a field of its own here"),
    ] {
        let mut desk = Desk::new();
        desk.field(above);
        desk.press("\n");
        desk.with(|chat, cx| chat.edited(text, cx));
        let panel = desk.view(80, 22);
        assert!(panel.contains(row), "{panel}");
        assert_eq!(desk.draft(), text, "what was typed is kept");
        desk.press("\u{1b}");
        desk.press("i");
        desk.press("hi");
        let effects = desk.press("\n");
        assert!(call(&effects).is_none() && turns(&effects).is_empty(), "{effects:?}");
        let told = said(&effects);
        assert!(told.contains("not sent: ") && told.contains(why), "{told}");
        assert_eq!(desk.draft(), "hi", "the message stays");
        // Open, the panel says it at the field.
        desk.press("^t");
        let shown = desk.view(80, 22);
        assert!(shown.contains("✕") && desk.draft() == text, "{shown}");
        // Set back, it no longer stands in the way.
        desk.press("0");
        desk.press("\u{1b}");
        assert!(call(&desk.press("\n")).is_some());
    }
}

#[test]
fn no_answer_is_asked_for_again_while_a_field_is_wrong() {
    let mut desk = Desk::new();
    desk.talk("hi", "hello");
    desk.field(0);
    desk.type_field("i", "{");
    desk.press("\u{1b}");
    for key in ["r", "C"] {
        let effects = desk.press(key);
        assert!(call(&effects).is_none() && turns(&effects).is_empty(), "{effects:?}");
        let told = said(&effects);
        assert!(told.contains("Further fields: EOF while parsing an object at line 1"), "{told}");
        assert!(!effects.iter().any(|effect| matches!(effect, Effect::CopyCurl(..))));
    }
}

#[test]
fn every_violation_stands_below_the_answer_with_its_path_also_later() {
    let mut desk = Desk::new();
    desk.formatted(SCHEMA, "{\"name\": 5, \"age\": -1}", "stop");
    let narrow = desk.view(40, 30);
    for words in ["! the answer does not match the", "  schema:", "! /age: -1 is less than the minimum", "  of 0"] {
        assert!(narrow.contains(words), "{narrow}");
    }
    for width in [120, 80] {
        let shown = desk.view(width, 30);
        for words in ["! the answer does not match the schema:", "! /name: 5 is not", "! /age: -1 is less than"] {
            assert!(shown.contains(words), "{words}\n{shown}");
        }
        assert!(!shown.contains('␊'), "{shown}");
    }
    desk.restart();
    let shown = desk.view(80, 30);
    assert!(shown.contains("! /name: 5 is not") && shown.contains("! /age: -1 is less than"), "{shown}");
}

#[test]
fn an_answer_that_matches_says_so_and_one_to_no_format_says_nothing() {
    let mut desk = Desk::new();
    desk.formatted(SCHEMA, "<think>{</think>{\"name\": \"Ada\", \"age\": 36}", "stop");
    let shown = desk.view(80, 30);
    assert!(shown.contains("✓ the answer matches the schema") && !shown.contains("! "), "{shown}");
    let mut desk = Desk::new();
    desk.formatted("json_object", "no object", "stop");
    let shown = desk.view(80, 30);
    assert!(shown.contains("! the answer does not match json_object:") && shown.contains("it is not JSON"), "{shown}");
    let mut desk = Desk::new();
    desk.formatted("{\"type\": \"text\"}", "no object", "stop");
    let shown = desk.view(80, 30);
    assert!(!shown.contains("match") && !shown.contains("check"), "{shown}");
}

#[test]
fn an_answer_that_is_not_whole_is_not_called_wrong() {
    let mut desk = Desk::new();
    desk.formatted(SCHEMA, "{\"name\": ", "length");
    let shown = desk.view(80, 30);
    assert!(shown.contains("not checked against the schema: it reached the token limit"), "{shown}");
    let mut desk = Desk::new();
    desk.field(1);
    desk.type_field("i", "json_object");
    desk.press("\u{1b}");
    desk.press("i");
    let ticket = desk.ask("who?");
    desk.progress(ticket, chunk("{"));
    let last = turns(&desk.press("\u{1b}")).pop().unwrap();
    assert_eq!((last.status, last.error.raw()), (TurnStatus::Stopped, ""));
    let shown = desk.view(80, 30);
    assert!(shown.contains("not checked against json_object: it was stopped"), "{shown}");
    // Continued to its end it is checked as a whole.
    desk.press("\u{1b}");
    let ticket = call(&desk.press("c")).unwrap().0;
    desk.progress(ticket, chunk("}"));
    desk.progress(ticket, end(0, "stop"));
    desk.progress(ticket, Progress::Closed(Ok(())));
    let shown = desk.view(80, 30);
    assert!(shown.contains("✓ the answer matches json_object"), "{shown}");
}

#[test]
fn parameters_of_older_versions_are_read() {
    let older: ChatParams = serde_json::from_str("{\"temperature\": 0.5, \"stop\": [\"a\"], \"seed\": 4}").unwrap();
    let expected =
        ChatParams { temperature: Some(0.5), stop: vec!["a".into()], seed: Some(4), ..ChatParams::default() };
    assert_eq!(older, expected);
}
