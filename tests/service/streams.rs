//! Streams over real sockets, and stopping with streams open.

use std::time::{Duration, Instant};

use benchtop::service::{Options, start};
use futures_util::StreamExt as _;
use serde_json::{Value, json};

use crate::desk::{KEY, ask, chat, client, events, said, serving, until};

#[tokio::test]
async fn a_stream_is_role_text_reason_done() {
    let service = serving().await;
    let events = events(&service, &chat(&json!({"stream": true}))).await;
    let parsed: Vec<Value> =
        events[..events.len() - 1].iter().map(|event| serde_json::from_str(event).unwrap()).collect();
    assert_eq!(events.last().unwrap(), "[DONE]");
    let first = &parsed[0];
    assert!(events[0].starts_with("{\"id\":\"chatcmpl-"), "{}", events[0]);
    assert_eq!(first["choices"], json!([{"delta": {"role": "assistant"}, "index": 0, "finish_reason": null}]));
    let last = parsed.last().unwrap();
    assert_eq!(last["choices"][0]["delta"], json!({}));
    assert!(["stop", "length"].contains(&last["choices"][0]["finish_reason"].as_str().unwrap()));
    for chunk in &parsed {
        assert_eq!((&chunk["id"], &chunk["created"]), (&first["id"], &first["created"]));
        assert_eq!(
            (&chunk["object"], &chunk["model"]),
            (&json!("chat.completion.chunk"), &json!("gpt-3.5-turbo-0301"))
        );
        assert!(chunk.get("usage").is_none(), "no usage unless asked for");
    }
    for chunk in &parsed[1..parsed.len() - 1] {
        let choice = &chunk["choices"][0];
        assert!(!choice["delta"]["content"].as_str().unwrap().is_empty() && choice["delta"].get("role").is_none());
        assert_eq!(choice["finish_reason"], Value::Null);
    }
    assert!(parsed.len() > 3, "several pieces of text");
}

#[tokio::test]
async fn usage_comes_last_when_asked_for() {
    let service = serving().await;
    let body = chat(&json!({"stream": true, "n": 2, "stream_options": {"include_usage": true}}));
    let events = events(&service, &body).await;
    let last: Value = serde_json::from_str(&events[events.len() - 2]).unwrap();
    assert_eq!(last["choices"], json!([]));
    let prompt = last["usage"]["prompt_tokens"].as_u64().unwrap();
    let completion = last["usage"]["completion_tokens"].as_u64().unwrap();
    assert!(prompt > 0 && completion > 2 && last["usage"]["total_tokens"] == prompt + completion);
    let before: Value = serde_json::from_str(&events[0]).unwrap();
    assert_eq!(before.get("usage"), Some(&Value::Null));
}

#[tokio::test]
async fn choices_of_one_stream_interleave() {
    let service = serving().await;
    let events = events(&service, &chat(&json!({"stream": true, "n": 3, "max_tokens": 8}))).await;
    let order: Vec<u64> = events[..events.len() - 1]
        .iter()
        .map(|event| serde_json::from_str::<Value>(event).unwrap()["choices"][0]["index"].as_u64().unwrap())
        .collect();
    assert_eq!(order[..6], [0, 1, 2, 0, 1, 2], "roles first, then a piece of each in turn");
    for index in 0..3 {
        let (text, finish) = said(&events, index);
        assert!(!text.is_empty() && finish.is_some(), "choice {index}");
    }
}

#[tokio::test]
async fn a_reader_who_goes_away_stops_the_engine() {
    let service = serving().await;
    let response = ask(&service, &endless()).await;
    let mut body = response.bytes_stream();
    body.next().await.unwrap().unwrap();
    until("the engine writes", || service.state().live() == 1).await;
    drop(body);
    until("the engine stops", || service.state().live() == 0).await;
    // The same for a reader of a whole answer, who goes away before it is there.
    let body = chat(&json!({"n": 128, "max_tokens": 4000, "logit_bias": {"50256": -100}}));
    let whole = ask(&service, &body);
    tokio::select! {
        _ = whole => panic!("nobody waits for 128 long choices"),
        () = until("the engine writes", || service.state().live() == 1) => {}
    }
    until("the engine stops", || service.state().live() == 0).await;
}

/// A request whose answer no test waits for: many long choices, kept from ending (50256 is the end of a text).
fn endless() -> Value {
    chat(&json!({"stream": true, "n": 128, "max_tokens": 4000, "logit_bias": {"50256": -100}}))
}

#[tokio::test]
async fn stopping_ends_open_streams_at_once_and_says_so() {
    let service = serving().await;
    let response = ask(&service, &endless()).await;
    let mut body = response.bytes_stream();
    body.next().await.unwrap().unwrap();
    let state = service.state().clone();
    let base_url = service.base_url();
    let begun = Instant::now();
    service.stop().await;
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    until("the engine stops", || state.live() == 0).await;
    let mut rest = Vec::new();
    while let Some(Ok(bytes)) = body.next().await {
        rest.extend(bytes);
    }
    assert!(!String::from_utf8_lossy(&rest).contains("[DONE]"), "a part must not look whole");
    let refused = client().get(format!("{base_url}/models")).bearer_auth(KEY).send().await;
    assert!(refused.unwrap_err().is_connect());
}

#[tokio::test]
async fn stopping_does_not_wait_for_a_reader_who_does_not_read() {
    let service = serving().await;
    // More than the sockets' buffers hold, and nobody reads it.
    let _unread = ask(&service, &endless()).await;
    let state = service.state().clone();
    until("the engine writes", || state.live() == 1).await;
    let begun = Instant::now();
    service.stop().await;
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    until("the engine stops", || state.live() == 0).await;
}

#[tokio::test]
async fn a_port_in_use_is_said_in_a_sentence() {
    let first = serving().await;
    let port = first.base_url().trim_end_matches("/v1").rsplit(':').next().unwrap().parse().unwrap();
    let error = start(Options { port, ..Options::default() }).await.unwrap_err();
    assert!(error.to_string().starts_with(&format!("port {port} is in use by another program; ")), "{error}");
    let (a, b) = (start(Options::default()).await.unwrap(), start(Options::default()).await.unwrap());
    assert!(a.key().len() > 64 && a.key() != b.key(), "a random key each");
}
