//! The local service: every status, body and header.
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod bench;
mod completions;
mod desk;
mod embeddings;
mod files;
mod fine_tunes;
mod fine_tuning;
mod gate;
mod moderations;
mod params;
mod share;
mod streams;

use serde_json::{Value, json};

use desk::{KEY, error, post_chat, request, send};

/// Fields put over a plain request; status, message, `param` and `code` of the refusal.
type Row = (Value, u16, &'static str, Option<&'static str>, Option<&'static str>);

#[tokio::test]
async fn every_refusal_has_its_status_and_words() {
    let table: [Row; 36] = [
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
        (
            json!({"tools": [{"type": "function", "function": {"name": "f"}}]}),
            400,
            "Unsupported parameter: 'tools' is not supported with this model.",
            Some("tools"),
            Some("unsupported_parameter"),
        ),
        (
            json!({"response_format": {"type": "json_object"}, "logprobs": true}),
            400,
            "'logprobs' is not supported with a 'response_format' of 'json_object'.",
            Some("logprobs"),
            Some("unsupported_parameter"),
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

#[tokio::test(start_paused = true)]
async fn a_body_that_never_comes_is_not_waited_for() {
    let nothing = futures_util::stream::pending::<Result<axum::body::Bytes, std::io::Error>>();
    let nothing = axum::body::Body::from_stream(nothing);
    let (status, _, body) = send(request("POST", "/v1/chat/completions", nothing)).await;
    assert_eq!((status.as_u16(), &body["error"]["type"]), (408, &json!("invalid_request_error")), "{body}");
}
