//! The local service: every status, body and header through the router; streams, stopping and sharing over real sockets.
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::path::Path;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use benchtop::service::share::Local;
use benchtop::service::{Options, Running, State, router, start};
use futures_util::StreamExt as _;
use http_body_util::BodyExt as _;
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use tower::ServiceExt as _;

const KEY: &str = "sk-local-test";
/// No wait in these tests is ever this long unless something is broken.
const BROKEN: Duration = Duration::from_secs(20);

// --- through the router -------------------------------------------------------------------------------------------

/// A request with the headers a client sends; each test changes what it is about.
fn request(method: &str, path: &str, body: impl Into<Body>) -> Request<Body> {
    Request::builder()
        .method(method)
        .uri(path)
        .header("Host", "127.0.0.1:8787")
        .header("Authorization", format!("Bearer {KEY}"))
        .header("Content-Type", "application/json")
        .body(body.into())
        .unwrap()
}

async fn send(request: Request<Body>) -> (StatusCode, HeaderMap, Value) {
    let state = State::new(KEY.to_owned().into());
    let response = router(state).oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.unwrap().to_bytes();
    let body = serde_json::from_slice(&bytes).unwrap_or(Value::String(String::from_utf8_lossy(&bytes).into_owned()));
    (parts.status, parts.headers, body)
}

/// A chat request with `more` put over a plain one.
fn chat(more: &Value) -> Value {
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

async fn post_chat(more: Value) -> (StatusCode, HeaderMap, Value) {
    send(request("POST", "/v1/chat/completions", chat(&more).to_string())).await
}

/// The one error body of the interface, all four keys present.
fn error(message: &str, param: Option<&str>, code: Option<&str>) -> Value {
    json!({"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}})
}

/// Fields put over a plain request; status, message, `param` and `code` of the refusal.
type Row = (Value, u16, &'static str, Option<&'static str>, Option<&'static str>);

#[tokio::test]
async fn every_refusal_has_its_status_and_words() {
    let table: [Row; 34] = [
        (json!({"model": null}), 400, "you must provide a model parameter", None, None),
        (json!({"model": ""}), 400, "you must provide a model parameter", None, None),
        (json!({"model": 5}), 400, "5 is not of type 'string' - 'model'", None, None),
        (json!({"messages": null}), 400, "'messages' is a required property", None, None),
        (json!({"messages": []}), 400, "[] is too short - 'messages'", None, None),
        (json!({"messages": "hi"}), 400, "'hi' is not of type 'array' - 'messages'", None, None),
        (json!({"messages": ["hi"]}), 400, "'hi' is not of type 'object' - 'messages.0'", None, None),
        (json!({"messages": [{"content": "x"}]}), 400, "'role' is a required property - 'messages.0'", None, None),
        (json!({"messages": [{"role": "user"}]}), 400, "'content' is a required property - 'messages.0'", None, None),
        (
            json!({"messages": [{"role": "user", "content": "x"}, {"role": "Ricky", "content": "x"}]}),
            400,
            "'Ricky' is not one of ['system', 'assistant', 'user'] - 'messages.1.role'",
            None,
            None,
        ),
        (
            json!({"messages": [{"role": "user", "content": 1}]}),
            400,
            "1 is not of type 'string' - 'messages.0.content'",
            None,
            None,
        ),
        (
            json!({"messages": [{"role": "user", "content": "x", "mood": 1}]}),
            400,
            "Additional properties are not allowed ('mood' was unexpected) - 'messages.0'",
            None,
            None,
        ),
        (json!({"temperature": 2.5}), 400, "2.5 is greater than the maximum of 2 - 'temperature'", None, None),
        (json!({"temperature": -1}), 400, "-1 is less than the minimum of 0 - 'temperature'", None, None),
        (json!({"temperature": "1"}), 400, "'1' is not of type 'number' - 'temperature'", None, None),
        (json!({"temperature": true}), 400, "True is not of type 'number' - 'temperature'", None, None),
        (json!({"top_p": 1.1}), 400, "1.1 is greater than the maximum of 1 - 'top_p'", None, None),
        (json!({"n": 0}), 400, "0 is less than the minimum of 1 - 'n'", None, None),
        (json!({"n": 129}), 400, "129 is greater than the maximum of 128 - 'n'", None, None),
        (json!({"n": 1.5}), 400, "1.5 is not of type 'integer' - 'n'", None, None),
        (json!({"max_tokens": 0}), 400, "0 is less than the minimum of 1 - 'max_tokens'", None, None),
        (json!({"stream": "yes"}), 400, "'yes' is not of type 'boolean' - 'stream'", None, None),
        (json!({"stop": ["a", "b", "c", "d", "e"]}), 400, "['a', 'b', 'c', 'd', 'e'] is too long - 'stop'", None, None),
        (json!({"frequency_penalty": -4}), 400, "-4 is less than the minimum of -2 - 'frequency_penalty'", None, None),
        (json!({"presence_penalty": 3}), 400, "3 is greater than the maximum of 2 - 'presence_penalty'", None, None),
        (json!({"logit_bias": {"5": 101}}), 400, "101 is greater than the maximum of 100 - 'logit_bias.5'", None, None),
        (json!({"logit_bias": []}), 400, "[] is not of type 'object' - 'logit_bias'", None, None),
        (json!({"user": 5}), 400, "5 is not of type 'string' - 'user'", None, None),
        (json!({"seed": "x"}), 400, "'x' is not of type 'integer' - 'seed'", None, None),
        (json!({"temprature": 1}), 400, "Unrecognized request argument supplied: temprature", None, None),
        (json!({"model": "gpt-9"}), 404, "The model: `gpt-9` does not exist", None, Some("model_not_found")),
        (
            json!({"model": "text-davinci-003"}),
            404,
            "This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did you mean to use \
             v1/completions?",
            Some("model"),
            None,
        ),
        (
            json!({"model": "text-embedding-ada-002"}),
            404,
            "This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did you mean to use \
             v1/completions?",
            Some("model"),
            None,
        ),
        (
            json!({"stream": false, "stream_options": {"include_usage": true}}),
            400,
            "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
            Some("stream_options"),
            None,
        ),
    ];
    for (more, status, message, param, code) in table {
        let (got, _, body) = post_chat(more.clone()).await;
        assert_eq!(body, error(message, param, code), "{more}");
        assert_eq!(got.as_u16(), status, "{more}");
    }
}

#[tokio::test]
async fn no_odd_value_breaks_a_field() {
    let fields = [
        "model",
        "messages",
        "temperature",
        "top_p",
        "n",
        "stream",
        "stop",
        "max_tokens",
        "presence_penalty",
        "frequency_penalty",
        "logit_bias",
        "user",
        "seed",
        "stream_options",
        "max_completion_tokens",
        "response_format",
        "tool_choice",
        "logprobs",
    ];
    let odd = [
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(1e300),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(""),
        json!("x"),
        json!("\u{0}\u{1b}[31m"),
        json!([]),
        json!([[]]),
        json!([null]),
        json!([{}]),
        json!({}),
        json!({"": null}),
        json!({"type": {}}),
        json!({"-1": 1}),
        json!({"99999999999999999999": 1}),
        json!({"4294967295": -100}),
        json!([{"role": "user", "content": [{}]}]),
        json!([{"role": [], "content": {}}]),
    ];
    for field in fields {
        for value in &odd {
            let (status, _, body) = post_chat(json!({field: value})).await;
            let refused = [400, 404].contains(&status.as_u16()) && body["error"]["message"].as_str().is_some();
            assert!(status == 200 || refused, "{field}: {value} → {status} {body}");
        }
    }
}

#[tokio::test]
async fn a_prompt_longer_than_the_context_is_refused_with_both_numbers() {
    let long = "word ".repeat(5000);
    let messages = json!([{"role": "user", "content": long}]);
    let (status, _, body) = post_chat(json!({"messages": messages, "max_tokens": null})).await;
    assert_eq!(status, 400);
    let message = body["error"]["message"].as_str().unwrap();
    let numbers: Vec<u64> = message.split(' ').filter_map(|word| word.parse().ok()).collect();
    let [4097, tokens] = numbers[..] else { panic!("{message}") };
    assert!((5000..5100).contains(&tokens), "{message}");
    assert_eq!(
        body,
        error(
            &format!(
                "This model's maximum context length is 4097 tokens. However, your messages resulted in {tokens} tokens. \
                 Please reduce the length of the messages."
            ),
            Some("messages"),
            Some("context_length_exceeded")
        )
    );
    let (_, _, body) = post_chat(json!({"messages": messages, "max_tokens": 256})).await;
    let message = body["error"]["message"].as_str().unwrap();
    let asked = format!("you requested {} tokens ({tokens} in the messages, 256 in the completion)", tokens + 256);
    assert!(message.contains(&asked), "{message}");
}

#[tokio::test]
async fn routes_methods_and_bodies_that_are_none_are_refused() {
    let (status, _, body) = send(request("POST", "/v1/foo?key=x", "{}")).await;
    assert_eq!((status.as_u16(), body), (404, error("Invalid URL (POST /v1/foo)", None, None)));
    let (status, headers, body) = send(request("GET", "/v1/chat/completions", "")).await;
    let message =
        "Not allowed to GET on /v1/chat/completions. (HINT: Perhaps you meant to use a different HTTP method?)";
    assert_eq!((status.as_u16(), body), (405, error(message, None, None)));
    assert_eq!(headers["allow"], "POST");
    for bad in ["", "{", "{\"model\":}", "model=x&n=1", "\u{feff}{}"] {
        let (status, _, body) = send(request("POST", "/v1/chat/completions", bad)).await;
        let message = body["error"]["message"].as_str().unwrap();
        assert!(
            message.starts_with("We could not parse the JSON body of your request. (HINT: This"),
            "{bad}: {message}"
        );
        assert_eq!(status, 400, "{bad}");
    }
    let (status, _, body) = send(request("POST", "/v1/chat/completions", "[]")).await;
    assert_eq!((status.as_u16(), body), (400, error("[] is not of type 'object'", None, None)));
    let huge = format!("{{\"model\":\"{}\"}}", "x".repeat(9 << 20));
    let (status, _, body) = send(request("POST", "/v1/chat/completions", huge)).await;
    assert_eq!(status, 413);
    assert_eq!(body["error"]["type"], "invalid_request_error");
}

#[tokio::test]
async fn only_the_key_opens_and_only_this_machine_may_be_named() {
    let with = |name: &'static str, value: &'static str| {
        let mut request = request("GET", "/v1/models", "");
        request.headers_mut().insert(name, value.parse().unwrap());
        send(request)
    };
    for scheme in ["Bearer", "bearer", "BEARER"] {
        let mut request = request("GET", "/v1/models", "");
        request.headers_mut().insert("authorization", format!("{scheme} {KEY}").parse().unwrap());
        assert_eq!(send(request).await.0, 200, "{scheme}");
    }
    for none in ["", "Bearer", "Bearer ", "Basic c2s6", KEY] {
        let (status, headers, body) = with("authorization", none).await;
        assert_eq!((status.as_u16(), &body["error"]["code"]), (401, &Value::Null), "{none}");
        assert!(body["error"]["message"].as_str().unwrap().starts_with("You didn't provide an API key."), "{none}");
        assert_eq!(headers["www-authenticate"], "Basic realm=\"OpenAI API\"");
    }
    let (status, headers, body) = with("authorization", "Bearer sk-abcdefghijklmnopqrst7890").await;
    assert_eq!((status.as_u16(), &body["error"]["code"]), (401, &json!("invalid_api_key")));
    let message = body["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("Incorrect API key provided: sk-****7890."), "{message}");
    assert!(!message.contains("abcd") && headers.contains_key("www-authenticate"), "{message}");

    for host in ["evil.example", "evil.example:8787", "127.0.0.1.evil.example", ""] {
        let (status, _, body) = with("host", host).await;
        assert_eq!((status.as_u16(), &body["error"]["type"]), (403, &json!("invalid_request_error")), "{host}");
    }
    for host in ["localhost", "localhost:1", "[::1]:99", "127.0.0.1"] {
        assert_eq!(with("host", host).await.0, 200, "{host}");
    }
    // The name is checked before the key: a page that guesses keys under another name learns nothing.
    let mut rebound = request("GET", "/v1/models", "");
    rebound.headers_mut().insert("host", "evil.example".parse().unwrap());
    rebound.headers_mut().remove("authorization");
    assert_eq!(send(rebound).await.0, 403);
    // No page of another origin gets leave to read: no CORS header, no answer to a preflight.
    let mut preflight = request("OPTIONS", "/v1/chat/completions", "");
    preflight.headers_mut().insert("origin", "https://evil.example".parse().unwrap());
    let (status, headers, _) = send(preflight).await;
    assert_eq!(status, 405);
    assert!(!headers.contains_key("access-control-allow-origin"));
}

#[tokio::test]
async fn every_answer_carries_the_headers_of_the_interface() {
    let answers = [
        send(request("GET", "/v1/models", "")).await,
        send(request("GET", "/v1/nothing", "")).await,
        post_chat(json!({"n": 500})).await,
        post_chat(json!({})).await,
    ];
    let mut ids = Vec::new();
    for (_, headers, _) in &answers {
        assert_eq!(headers["openai-version"], "2020-10-01");
        assert_eq!(headers["content-type"], "application/json");
        assert!(headers.contains_key("openai-organization"));
        headers["openai-processing-ms"].to_str().unwrap().parse::<u64>().unwrap();
        let id = headers["x-request-id"].to_str().unwrap();
        assert!(id.len() == 32 && id.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)), "{id}");
        ids.push(id);
    }
    ids.dedup();
    assert_eq!(ids.len(), 4);
    let (_, headers, _) = &answers[3];
    assert_eq!(headers["openai-model"], "gpt-3.5-turbo-0301");
    assert_eq!(headers["cache-control"], "no-cache, must-revalidate");
    assert_eq!(headers["x-ratelimit-limit-requests"], "3500");
    assert_eq!(headers["x-ratelimit-remaining-requests"], "3499");
    assert_eq!(headers["x-ratelimit-reset-requests"], "17ms");
    for name in ["x-ratelimit-limit-tokens", "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"] {
        assert!(headers.contains_key(name), "{name}");
    }
}

#[tokio::test]
async fn models_are_listed_and_found_by_encoded_names() {
    let (_, _, list) = send(request("GET", "/v1/models", "")).await;
    assert_eq!(list["object"], "list");
    let ids: Vec<&str> = list["data"].as_array().unwrap().iter().map(|model| model["id"].as_str().unwrap()).collect();
    for id in ["gpt-3.5-turbo", "text-davinci-003", "text-embedding-ada-002"] {
        assert!(ids.contains(&id), "{id} in {ids:?}");
    }
    for model in list["data"].as_array().unwrap() {
        let id = model["id"].as_str().unwrap();
        assert_eq!(model["object"], "model", "{id}");
        assert!(model["created"].is_i64() && model["owned_by"].is_string(), "{id}");
        assert!(model["permission"][0]["id"].as_str().unwrap().starts_with("modelperm-"), "{id}");
        assert!(model["root"].is_string() && model["parent"].is_null(), "{id}");
        let encoded = id.replace(':', "%3A").replace('-', "%2D");
        let (status, _, one) = send(request("GET", &format!("/v1/models/{encoded}"), "")).await;
        assert_eq!((status.as_u16(), &one), (200, model), "{encoded}");
    }
    for (path, name) in [("abc", "abc"), ("a%3Aft%2Fx", "a:ft/x")] {
        let (status, _, body) = send(request("GET", &format!("/v1/models/{path}"), "")).await;
        let message = format!("The model '{name}' does not exist");
        assert_eq!((status.as_u16(), body), (404, error(&message, Some("model"), Some("model_not_found"))));
    }
    assert_eq!(send(request("GET", "/v1/models/%ff", "")).await.0, 404);
}

#[tokio::test]
async fn a_whole_answer_has_the_shape_of_the_interface() {
    let (status, _, body) = post_chat(json!({"n": 2, "user": "me"})).await;
    assert_eq!(status, 200, "{body}");
    let names: Vec<&String> = body.as_object().unwrap().keys().collect();
    assert_eq!(names, ["choices", "created", "id", "model", "object", "usage"]);
    assert!(body["id"].as_str().unwrap().starts_with("chatcmpl-"));
    assert_eq!((&body["object"], &body["model"]), (&json!("chat.completion"), &json!("gpt-3.5-turbo-0301")));
    for (index, choice) in body["choices"].as_array().unwrap().iter().enumerate() {
        assert_eq!((&choice["index"], &choice["message"]["role"]), (&json!(index), &json!("assistant")));
        assert!(!choice["message"]["content"].as_str().unwrap().is_empty());
        assert!(["stop", "length"].contains(&choice["finish_reason"].as_str().unwrap()));
    }
    let usage = &body["usage"];
    let [prompt, completion, total] =
        ["prompt_tokens", "completion_tokens", "total_tokens"].map(|name| usage[name].as_u64().unwrap());
    assert_eq!(prompt + completion, total);
    assert!(prompt > 0 && (1..=24).contains(&completion), "{usage}");
}

/// The text and the reason of the first choice, and the tokens it took.
async fn answer(more: Value) -> (String, String, u64) {
    let (status, _, body) = post_chat(more).await;
    assert_eq!(status, 200, "{body}");
    let choice = &body["choices"][0];
    let text = choice["message"]["content"].as_str().unwrap().to_owned();
    let finish = choice["finish_reason"].as_str().unwrap().to_owned();
    (text, finish, body["usage"]["completion_tokens"].as_u64().unwrap())
}

/// The texts of all choices.
async fn choices(more: Value) -> Vec<String> {
    let (_, _, body) = post_chat(more).await;
    let choices = body["choices"].as_array().unwrap().iter();
    choices.map(|choice| choice["message"]["content"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn temperature_top_p_and_seed_act() {
    let greedy = answer(json!({"temperature": 0})).await.0;
    assert_eq!(answer(json!({"temperature": 0})).await.0, greedy);
    assert_eq!(answer(json!({"temperature": 2, "top_p": 0})).await.0, greedy, "the smallest nucleus is the best token");
    let warm = |seed: u64| answer(json!({"temperature": 2, "seed": seed}));
    assert_eq!(warm(1).await.0, warm(1).await.0);
    let mut different = Vec::new();
    for seed in 0..6 {
        different.push(warm(seed).await.0);
    }
    different.sort();
    different.dedup();
    assert!(different.len() > 1, "{different:?}");
}

#[tokio::test]
async fn several_choices_differ_and_repeat_with_a_seed() {
    let five = choices(json!({"n": 5, "temperature": 2, "seed": 3})).await;
    assert_eq!(five.len(), 5);
    assert!(five.iter().any(|text| *text != five[0]), "{five:?}");
    assert_eq!(choices(json!({"n": 5, "temperature": 2, "seed": 3})).await, five);
}

#[tokio::test]
async fn max_tokens_and_stop_end_an_answer() {
    let (long, _, tokens) = answer(json!({"temperature": 0, "max_tokens": 9})).await;
    assert!(tokens <= 9);
    let (short, finish, tokens) = answer(json!({"temperature": 0, "max_tokens": 3})).await;
    assert_eq!((finish.as_str(), tokens), ("length", 3));
    assert!(long.starts_with(short.trim_end()) && long.len() > short.len(), "{short:?} begins {long:?}");
    let newer = answer(json!({"temperature": 0, "max_tokens": null, "max_completion_tokens": 3})).await;
    assert_eq!(newer, (short, finish, tokens));
    // Three letters from within a word: the cut is by text, not by token.
    let at = long.char_indices().map(|(at, _)| at).nth(5).unwrap();
    let stop: String = long[at..].chars().take(3).collect();
    let (cut, finish, _) = answer(json!({"temperature": 0, "max_tokens": 9, "stop": ["\u{1}", stop]})).await;
    assert_eq!((cut.as_str(), finish.as_str()), (&long[..long.find(&stop).unwrap()], "stop"));
    let (cut, ..) = answer(json!({"temperature": 0, "max_tokens": 9, "stop": stop})).await;
    assert_eq!(cut, long[..long.find(&stop).unwrap()]);
}

#[tokio::test]
async fn penalties_act() {
    // Enough tokens for something to come twice, drawn alike but for the penalty, and warm: an answer read from the
    // manual is so sure of itself that a small penalty changes nothing.
    let with = |field: &str, value: f64| answer(json!({"seed": 7, "temperature": 2, "max_tokens": 60, field: value}));
    let plain = with("presence_penalty", 0.0).await;
    for field in ["presence_penalty", "frequency_penalty"] {
        assert!(with(field, 2.0).await != plain || with(field, -2.0).await != plain, "{field}");
    }
}

#[tokio::test]
async fn a_biased_token_is_all_there_is_or_never_comes() {
    let only = answer(json!({"temperature": 0, "max_tokens": 4, "logit_bias": {"3": 100}})).await;
    assert_eq!(only.2, 4);
    let token = only.0.chars().take(only.0.chars().count() / 4).collect::<String>();
    assert_eq!(only.0, token.repeat(4), "a bias of 100 leaves nothing else");
    let greedy = answer(json!({"temperature": 0, "max_tokens": 4})).await;
    assert_ne!(greedy, only);
}

// --- over sockets -------------------------------------------------------------------------------------------------

async fn serving() -> Running {
    start(Options { key: Some(KEY.to_owned().into()), ..Options::default() }).await.unwrap()
}

fn client() -> reqwest::Client {
    // Plain http, but the client wants a provider before it is built.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().timeout(BROKEN).build().unwrap()
}

async fn ask(service: &Running, body: &Value) -> reqwest::Response {
    client()
        .post(format!("{}/chat/completions", service.base_url()))
        .bearer_auth(service.key())
        .header("content-type", "application/json")
        .body(body.to_string())
        .send()
        .await
        .unwrap()
}

/// The data of every event of a stream, as sent.
async fn events(service: &Running, body: &Value) -> Vec<String> {
    let response = ask(service, body).await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let text = response.text().await.unwrap();
    assert!(text.ends_with("\n\n"), "{text:?}");
    text.trim_end().split("\n\n").map(|event| event.strip_prefix("data: ").expect("one data line").to_owned()).collect()
}

/// What one choice said and why it ended.
fn said(events: &[String], index: u64) -> (String, Option<String>) {
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
async fn until(what: &str, mut fact: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !fact() {
        assert!(begun.elapsed() < BROKEN, "never came true: {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

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

// --- sharing ------------------------------------------------------------------------------------------------------

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_fresh_data_directory_is_its_users_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let _ = rustix::process::umask(rustix::fs::Mode::from(0o022));
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("fresh").join("data");
    let joined = local(&data).await;
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    for file in std::fs::read_dir(&data).unwrap().map(|file| file.unwrap().path()) {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
    joined.leave().await;
}

async fn local(data: &Path) -> Local {
    tokio::time::timeout(BROKEN, Local::join_or_start(data)).await.unwrap().unwrap()
}

/// The status of a list of models at the address a copy was given.
async fn answers(local: &Local) -> u16 {
    let address = local.address().borrow().clone();
    let request = client().get(format!("{}/models", address.base_url)).bearer_auth(address.key.expose_secret());
    request.send().await.map_or(0, |response| response.status().as_u16())
}

#[tokio::test]
async fn one_copy_serves_the_others_join_and_one_takes_over() {
    let data = tempfile::tempdir().unwrap();
    let first = local(data.path()).await;
    let (second, third) = (local(data.path()).await, local(data.path()).await);
    let address = first.address().borrow().clone();
    assert!(address.mine);
    for copy in [&second, &third] {
        let joined = copy.address().borrow().clone();
        assert_eq!((&joined.base_url, joined.mine), (&address.base_url, false));
        assert_eq!(answers(copy).await, 200);
    }
    let (mut at_second, mut at_third) = (second.address(), third.address());
    first.leave().await;
    let both = async { tokio::join!(at_second.changed(), at_third.changed()) };
    let (a, b) = tokio::time::timeout(BROKEN, both).await.unwrap();
    a.unwrap();
    b.unwrap();
    let (a, b) = (at_second.borrow().clone(), at_third.borrow().clone());
    assert_eq!(a.base_url, b.base_url);
    assert_ne!(a.base_url, address.base_url);
    assert!(a.mine != b.mine, "one of them serves");
    assert_ne!(a.key.expose_secret(), address.key.expose_secret(), "a key lives as long as its service");
    assert_eq!((answers(&second).await, answers(&third).await), (200, 200));
    // A drop leaves as well.
    let (server, mut left) = if a.mine { (second, at_third) } else { (third, at_second) };
    drop(server);
    tokio::time::timeout(BROKEN, left.changed()).await.unwrap().unwrap();
    assert!(left.borrow().mine);
    let locks = std::fs::read_dir(data.path())
        .unwrap()
        .filter(|file| file.as_ref().unwrap().file_name().to_string_lossy().ends_with(".lock"));
    assert_eq!(locks.count(), 1, "the locks of those who left are cleared away");
}

#[tokio::test]
async fn many_copies_started_at_once_agree() {
    let data = tempfile::tempdir().unwrap();
    let copies = futures_util::future::join_all((0..12).map(|_| local(data.path()))).await;
    let serving = copies.iter().filter(|copy| copy.address().borrow().mine).count();
    assert_eq!(serving, 1);
    for copy in &copies {
        assert_eq!(answers(copy).await, 200);
    }
}

#[tokio::test]
async fn a_directory_that_cannot_be_used_does_not_stop_the_service() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let copy = local(&file.join("data")).await;
    assert!(copy.address().borrow().mine);
    assert_eq!(answers(&copy).await, 200);
}

#[tokio::test]
async fn an_address_left_behind_or_garbled_is_not_joined() {
    let gone = r#"{"base_url":"http://127.0.0.1:1/v1","key":"k","id":"0a"}"#;
    let outside = r#"{"base_url":"http://127.0.0.1:1/v1","key":"k","id":"../x"}"#;
    for left in [gone, outside, "", "{"] {
        let data = tempfile::tempdir().unwrap();
        std::fs::write(data.path().join("service.json"), left).unwrap();
        std::fs::write(data.path().join("service-0a.lock"), "").unwrap();
        let copy = local(data.path()).await;
        assert!(copy.address().borrow().mine, "{left}");
        assert_eq!(answers(&copy).await, 200, "{left}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn the_published_key_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let data = tempfile::tempdir().unwrap();
    let _copy = local(data.path()).await;
    let files: Vec<_> = std::fs::read_dir(data.path()).unwrap().map(Result::unwrap).collect();
    assert_eq!(files.len(), 3);
    for file in files {
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{file:?}");
    }
}

#[tokio::test]
async fn a_holder_that_does_not_answer_is_left_alone() {
    let data = tempfile::tempdir().unwrap();
    let lock = std::fs::File::create(data.path().join("service-1f.lock")).unwrap();
    lock.lock().unwrap();
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = silent.local_addr().unwrap();
    let published = json!({"base_url": format!("http://{at}/v1"), "key": "k", "id": "1f"});
    std::fs::write(data.path().join("service.json"), published.to_string()).unwrap();
    let copy = local(data.path()).await;
    assert!(copy.address().borrow().mine);
    assert_eq!(answers(&copy).await, 200);
}
