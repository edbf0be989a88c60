//! Requests through the router and over real sockets.

use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use benchtop::service::{Keys, Options, Running, State, router, start};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tower::ServiceExt as _;

pub(crate) const KEY: &str = "sk-local-test";
/// No wait in these tests is ever this long unless something is broken.
pub(crate) const BROKEN: Duration = Duration::from_mins(10);

/// Creates a request with the usual headers of a client.
pub(crate) fn request(method: &str, path: &str, body: impl Into<Body>) -> Request<Body> {
    Request::builder()
        .method(method)
        .uri(path)
        .header("Host", "127.0.0.1:8787")
        .header("Authorization", format!("Bearer {KEY}"))
        .header("Content-Type", "application/json")
        .body(body.into())
        .unwrap()
}

pub(crate) async fn send(request: Request<Body>) -> (StatusCode, HeaderMap, Value) {
    let state = State::new(KEY.to_owned().into()).unwrap();
    let response = router(state).oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.unwrap().to_bytes();
    let body = serde_json::from_slice(&bytes).unwrap_or(Value::String(String::from_utf8_lossy(&bytes).into_owned()));
    (parts.status, parts.headers, body)
}

/// Returns a plain chat request with the fields of `more`.
pub(crate) fn chat(more: &Value) -> Value {
    let mut body = json!({
        "model": "gpt-3.5-turbo",
        "messages": [{"role": "user", "content": "How do I send a message?"}],
        "max_tokens": 12,
    });
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

pub(crate) async fn post_chat(more: Value) -> (StatusCode, HeaderMap, Value) {
    send(request("POST", "/v1/chat/completions", chat(&more).to_string())).await
}

/// Returns the error body of the interface, with all four keys.
pub(crate) fn error(message: &str, param: Option<&str>, code: Option<&str>) -> Value {
    json!({"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}})
}

pub(crate) async fn serving() -> Running {
    start(Options { keys: Some(Keys::single(KEY.to_owned().into())), ..Options::default() }).await.unwrap()
}

pub(crate) fn client() -> reqwest::Client {
    // Plain http, but the client wants a provider before it is built.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().timeout(BROKEN).build().unwrap()
}

pub(crate) async fn ask(service: &Running, body: &Value) -> reqwest::Response {
    client()
        .post(format!("{}/chat/completions", service.base_url()))
        .bearer_auth(service.key())
        .header("content-type", "application/json")
        .body(body.to_string())
        .send()
        .await
        .unwrap()
}

/// Returns the data of every event of a stream, as sent.
pub(crate) async fn events(service: &Running, body: &Value) -> Vec<String> {
    let response = ask(service, body).await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let text = response.text().await.unwrap();
    assert!(text.ends_with("\n\n"), "{text:?}");
    text.trim_end().split("\n\n").map(|event| event.strip_prefix("data: ").expect("one data line").to_owned()).collect()
}

/// Returns the text of one choice and why it ended.
pub(crate) fn said(events: &[String], index: u64) -> (String, Option<String>) {
    let (mut text, mut finish) = (String::new(), None);
    for event in events.iter().filter(|event| *event != "[DONE]") {
        let event: Value = serde_json::from_str(event).unwrap();
        for choice in event["choices"].as_array().unwrap().iter().filter(|choice| choice["index"] == index) {
            text.push_str(choice["delta"]["content"].as_str().unwrap_or_default());
            finish = choice["finish_reason"].as_str().map(str::to_owned).or(finish);
        }
    }
    (text, finish)
}

/// Waits until `fact` holds.
pub(crate) async fn until(what: &str, mut fact: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !fact() {
        assert!(begun.elapsed() < BROKEN, "never came true: {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}
