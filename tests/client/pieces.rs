//! What answers hold besides plain text, and texts that are cut in odd places.

use benchtop::api::call::{Progress, Reply};
use benchtop::api::chat::ChatDelta;
use benchtop::api::delta::{Attachment, FunctionCall, ToolCall};
use serde_json::{Value, json};

use crate::server::{KEY, Server, call, chat, next};

/// Returns the deltas of a streamed answer, with their choices.
async fn streamed(events: &[String]) -> Vec<(u32, ChatDelta)> {
    let server = Server::new().await;
    let (_client, mut news, _) = call(server.endpoint(), chat(true));
    let mut asked = server.asked().await;
    asked.open("text/event-stream").await;
    for event in events {
        asked.write(&format!("data: {event}\n\n")).await;
    }
    asked.write("data: [DONE]\n\n").await;
    drop(asked);
    let mut found = Vec::new();
    loop {
        match next(&mut news).await {
            Progress::Reply(Reply::ChatChunk(chunk)) => {
                found.extend(chunk.choices.into_iter().map(|choice| (choice.index, choice.delta)));
            }
            Progress::Reply(other) => panic!("{other:?}"),
            Progress::Closed(end) => {
                end.unwrap();
                return found;
            }
            _ => {}
        }
    }
}

/// Returns an event with this delta as JSON.
fn event(choice: u32, delta: &str) -> String {
    format!("{{\"choices\":[{{\"index\":{choice},\"delta\":{delta}}}]}}")
}

fn contents(found: &[(u32, ChatDelta)], choice: u32) -> String {
    found.iter().filter(|(of, _)| *of == choice).filter_map(|(_, delta)| delta.content.as_deref()).collect()
}

#[tokio::test]
async fn halves_of_a_character_are_joined_across_events_for_each_choice() {
    let content = |choice, text: &str| event(choice, &format!("{{\"content\":\"{text}\"}}"));
    let found = streamed(&[
        content(0, "a \\ud83d"),
        content(1, "\\ud83d"),
        content(0, ""),
        content(0, "\\udc08 b"),
        content(1, "x \\udc08"),
        event(0, "{\"reasoning\":\"\\ud83d\"}"),
        event(0, "{\"reasoning\":\"\\udc08\"}"),
        content(0, "\\ud83d"),
    ])
    .await;
    assert_eq!(contents(&found, 0), "a 🐈 b\u{fffd}");
    assert_eq!(contents(&found, 1), "\u{fffd}x \u{fffd}");
    let reasoning: String = found.iter().filter_map(|(_, delta)| delta.reasoning_content.as_deref()).collect();
    assert_eq!(reasoning, "🐈");
}

#[tokio::test]
async fn a_lone_half_costs_a_whole_answer_nothing_else() {
    let server = Server::new().await;
    let (_client, mut news, _) = call(server.endpoint(), chat(false));
    let body = "{\"choices\":[{\"message\":{\"content\":\"a \\ud83d b \\ud83d\\udc08\"},\"finish_reason\":\"stop\"}]}";
    server.asked().await.answer("200 OK", "", body).await;
    assert_eq!(crate::server::text(&mut news).await, ("a \u{fffd} b 🐈".to_owned(), Ok(())));
}

#[tokio::test]
async fn refusals_calls_and_what_else_there_is_are_read_streamed_and_whole() {
    let call_of = |index: Option<u32>, id: &str, name: &str, arguments: &str| ToolCall {
        index,
        id: (!id.is_empty()).then(|| id.to_owned()),
        kind: (!id.is_empty()).then(|| "function".to_owned()),
        function: FunctionCall { name: name.to_owned(), arguments: arguments.to_owned() },
    };
    let found = streamed(&[
        event(0, "{\"role\":\"assistant\",\"content\":null,\"refusal\":\"I can\"}"),
        event(0, "{\"refusal\":\"not.\"}"),
        event(0, "{\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]}"),
        event(0, "{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"a\\\":1}\"}}]}"),
        event(0, "{\"function_call\":{\"name\":\"old\",\"arguments\":\"{}\"}}"),
        event(0, "{\"audio\":{\"id\":\"a\",\"transcript\":\"spoken\",\"data\":\"AAAA\"}}"),
    ])
    .await;
    let refusal: String = found.iter().filter_map(|(_, delta)| delta.refusal.as_deref()).collect();
    assert_eq!(refusal, "I cannot.");
    let calls: Vec<ToolCall> = found.iter().flat_map(|(_, delta)| delta.tool_calls.clone()).collect();
    assert_eq!(calls, [call_of(Some(0), "call_1", "f", ""), call_of(Some(0), "", "", "{\"a\":1}")]);
    let old = found.iter().find_map(|(_, delta)| delta.function_call.clone()).unwrap();
    assert_eq!((old.name.as_str(), old.arguments.as_str()), ("old", "{}"));
    let spoken = found.iter().find_map(|(_, delta)| delta.audio.clone()).unwrap();
    assert_eq!(spoken.transcript, "spoken");
}

#[test]
fn parts_and_attachments_are_named() {
    let read = |message: Value| serde_json::from_str::<ChatDelta>(&message.to_string()).unwrap();
    let named = |kind: &str, place: &str| Attachment { kind: kind.into(), place: place.into() };
    let parts = read(json!({"content": [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "a"},
        "b",
        {"type": "image_url", "image_url": {"url": "https://x.example/cat.png"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "refusal", "refusal": "no"},
        7,
        {"what": "ever"},
    ]}));
    assert_eq!((parts.content.as_deref(), parts.reasoning_content.as_deref()), (Some("ab"), Some("hm")));
    assert_eq!(parts.refusal.as_deref(), Some("no"));
    assert_eq!(parts.attachments, [named("image", "https://x.example/cat.png"), named("image", "")]);
    let beside = read(json!({
        "content": "a",
        "images": [{"type": "image_url", "image_url": {"url": "https://x.example/dog.png"}}],
        "annotations": [{"type": "url_citation", "url_citation": {"url": "https://x.example/a", "title": "A"}}],
        "citations": ["https://x.example/b", {"url": "https://x.example/c"}],
    }));
    let sources = ["a", "b", "c"].map(|page| named("source", &format!("https://x.example/{page}")));
    assert_eq!(beside.attachments[0], named("image", "https://x.example/dog.png"));
    assert_eq!(beside.attachments[1..], sources);
    // Arguments that are an object instead of a text, and a tool that takes any text.
    let calls = read(json!({"tool_calls": [
        {"id": "1", "function": {"name": "f", "arguments": {"b": [1, 2.5, null, "x\"y"], "a": {}}}},
        {"type": "custom", "custom": {"name": "g", "input": "any"}},
    ]}));
    let texts: Vec<&str> = calls.tool_calls.iter().map(|call| call.function.arguments.as_str()).collect();
    assert_eq!(texts[1], "any");
    let object: Value = serde_json::from_str(texts[0]).unwrap();
    assert_eq!(object, json!({"b": [1, 2.5, null, "x\"y"], "a": {}}));
}

#[tokio::test]
async fn a_key_in_an_answer_is_masked_wherever_it_is_cut() {
    for at in [0, 1, 3, 4, 9, KEY.len() - 1, KEY.len()] {
        let (first, second) = KEY.split_at(at);
        let found = streamed(&[
            event(0, &format!("{{\"content\":\"your key is {first}\"}}")),
            event(1, "{\"content\":\"another choice\"}"),
            event(0, &format!("{{\"content\":\"{second}, is it?\"}}")),
            event(
                0,
                &format!(
                    "{{\"tool_calls\":[{{\"index\":0,\"function\":{{\"name\":\"f\",\"arguments\":\"{first}\"}}}}]}}"
                ),
            ),
            event(0, &format!("{{\"tool_calls\":[{{\"index\":0,\"function\":{{\"arguments\":\"{second}\"}}}}]}}")),
        ])
        .await;
        let text = contents(&found, 0);
        let calls = found.iter().flat_map(|(_, delta)| &delta.tool_calls);
        let arguments: String = calls.map(|call| call.function.arguments.as_str()).collect();
        for shown in [&text, &arguments] {
            assert!(!shown.contains(&KEY[3..]) && shown.contains("…Qx7a"), "{at}: {shown}");
        }
        assert!(text.starts_with("your key is ") && text.ends_with(", is it?"), "{text}");
        assert_eq!(contents(&found, 1), "another choice");
    }
    let server = Server::new().await;
    let (_client, mut news, _) = call(server.endpoint(), chat(false));
    let body = format!("{{\"choices\":[{{\"message\":{{\"content\":\"it is {KEY}\"}}}}]}}");
    server.asked().await.answer("200 OK", "", &body).await;
    assert_eq!(crate::server::text(&mut news).await.0, "it is …Qx7a");
}
