//! Streams over real sockets, and stopping with streams open.

use std::time::{Duration, Instant};

use benchtop::service::{Options, Running, start};
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

/// Returns a request whose answer no test waits for: many long choices that cannot end (50256 is the end of a text).
fn endless() -> Value {
    chat(&json!({"stream": true, "n": 128, "max_tokens": 4000, "logit_bias": {"50256": -100}}))
}

#[tokio::test]
async fn stopping_ends_open_streams_and_says_so() {
    let service = serving().await;
    let response = ask(&service, &endless()).await;
    let mut body = response.bytes_stream();
    body.next().await.unwrap().unwrap();
    let state = service.state().clone();
    let base_url = service.base_url();
    tokio::time::timeout(Duration::from_mins(1), service.stop()).await.expect("it stops");
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
    tokio::time::timeout(Duration::from_mins(1), service.stop()).await.expect("it stops");
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

/// Asks for a completion over a socket.
async fn complete(service: &Running, body: &Value) -> reqwest::Response {
    let url = format!("{}/completions", service.base_url());
    let request = client().post(url).bearer_auth(service.key()).header("content-type", "application/json");
    request.body(body.to_string()).send().await.unwrap()
}

/// Returns a completion request whose answer no test waits for: 4,000 tokens that cannot end.
fn long() -> Value {
    json!({
        "model": "text-davinci-003", "prompt": "A language model", "max_tokens": 4000, "stream": true,
        "logit_bias": {"50256": -100},
    })
}

#[tokio::test]
async fn all_of_64_streams_have_text_before_any_is_complete() {
    let service = serving().await;
    let body = long();
    let begun = Instant::now();
    let opened = futures_util::future::join_all((0..64).map(|_| complete(&service, &body))).await;
    let mut streams: Vec<_> = opened.into_iter().map(|response| Box::pin(response.bytes_stream())).collect();
    // All are read at once, each until it has had three chunks; the others go on in the meantime.
    let chunks = futures_util::future::join_all(streams.iter_mut().map(async |stream| {
        let mut text = String::new();
        while text.matches("data: ").count() < 3 {
            text.push_str(str::from_utf8(&stream.next().await.expect("it goes on").unwrap()).unwrap());
        }
        text
    }))
    .await;
    assert_eq!(service.state().live(), 64, "none is complete, {:?} after the first was asked for", begun.elapsed());
    assert!(chunks.iter().all(|text| !text.contains("[DONE]")));
    // A short one that comes last does not wait for the end of the long ones.
    let mut short = long();
    short["max_tokens"] = 3.into();
    let short = complete(&service, &short).await.text().await.unwrap();
    assert!(short.ends_with("data: [DONE]\n\n"));
    assert_eq!(service.state().live(), 64);
    drop(streams);
    until("the engine stops", || service.state().live() == 0).await;
}

#[tokio::test]
async fn readers_who_do_not_read_keep_nobody_waiting() {
    let service = serving().await;
    // Each writes more than sockets and channels hold; nobody reads.
    let mut unread = Vec::new();
    for _ in 0..16 {
        unread.push(ask(&service, &endless()).await);
    }
    let chat = chat(&json!({"stream": true}));
    let (text, finish) = said(&events(&service, &chat).await, 0);
    assert!(!text.is_empty() && finish.is_some());
    let mut whole = long();
    (whole["stream"], whole["max_tokens"]) = (false.into(), 40.into());
    let answers = futures_util::future::join_all((0..8).map(|_| complete(&service, &whole))).await;
    for answer in answers {
        let answer: Value = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap();
        assert_eq!(answer["usage"]["completion_tokens"], 40, "{answer}");
    }
    assert_eq!(service.state().live(), 16, "the slow ones still wait for their readers");
}

#[tokio::test]
async fn log_probabilities_of_a_chat_make_its_text() {
    let service = serving().await;
    let mut body = chat(&json!({"logprobs": true, "top_logprobs": 3, "temperature": 0, "stop": "message"}));
    let whole: Value = serde_json::from_slice(&ask(&service, &body).await.bytes().await.unwrap()).unwrap();
    let choice = &whole["choices"][0];
    let content = choice["logprobs"]["content"].as_array().unwrap();
    let text: String = content.iter().map(|entry| entry["token"].as_str().unwrap()).collect();
    assert_eq!(choice["message"]["content"], text);
    for entry in content {
        let bytes: Vec<u8> = serde_json::from_value(entry["bytes"].clone()).unwrap();
        assert_eq!(bytes, entry["token"].as_str().unwrap().as_bytes());
        let top = entry["top_logprobs"].as_array().unwrap();
        assert_eq!(top.len(), 3);
        // Cold, the likeliest is the one written.
        assert_eq!(top[0]["logprob"], entry["logprob"]);
        // The last one goes only as far as the stop sequence lets it.
        assert!(top[0]["token"].as_str().unwrap().starts_with(entry["token"].as_str().unwrap()));
        assert!(entry["logprob"].as_f64().unwrap() <= 0.0 && top[0]["bytes"].is_array());
    }
    body["stream"] = true.into();
    let events = events(&service, &body).await;
    let parts = events.iter().filter_map(|event| serde_json::from_str::<Value>(event).ok());
    let streamed: Vec<Value> = parts
        .flat_map(|chunk| chunk["choices"][0]["logprobs"]["content"].as_array().cloned().unwrap_or_default())
        .collect();
    assert_eq!(&streamed, content);
}

#[tokio::test]
async fn an_answer_comes_as_a_json_object_where_one_is_asked_for() {
    let service = serving().await;
    let format = json!({"type": "json_object"});
    let events = events(&service, &chat(&json!({"stream": true, "n": 2, "response_format": format}))).await;
    let mut streamed = [String::new(), String::new()];
    for event in &events[..events.len() - 1] {
        let chunk: Value = serde_json::from_str(event).unwrap();
        let choice = &chunk["choices"][0];
        let text = choice["delta"]["content"].as_str().unwrap_or_default();
        streamed[choice["index"].as_u64().unwrap() as usize].push_str(text);
    }
    for text in streamed {
        let object: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert!(!object["answer"].as_str().unwrap().is_empty(), "{text}");
    }
}
