//! A request whose server refuses one of its fields: sent once more without it or by its other name, and so from then on.

use benchtop::api::call::{Call, Progress, Reply, Ticket};
use benchtop::api::capability::{Adaptation, Fact, Finding, Subject};
use benchtop::api::chat::{ChatMessage, ChatRequest};
use serde_json::{Value, json};

use crate::server::{Asked, JSON, LIMIT, News, Server, WHOLE, call};

/// How a server words a refusal, and what becomes of the request.
struct Wording {
    server: &'static str,
    status: &'static str,
    body: Value,
    change: Adaptation,
}

fn omitted(field: &str) -> Adaptation {
    Adaptation::Omitted(field.to_owned())
}

fn renamed() -> Adaptation {
    Adaptation::Renamed { field: "max_tokens".to_owned(), to: "max_completion_tokens".to_owned() }
}

fn wordings() -> Vec<Wording> {
    let wording = |server, status, body, change| Wording { server, status, body, change };
    vec![
        wording(
            "OpenAI",
            "400 Bad Request",
            json!({"error": {
                "message": "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
                "type": "invalid_request_error", "param": "max_tokens", "code": "unsupported_parameter",
            }}),
            renamed(),
        ),
        wording(
            "OpenAI",
            "400 Bad Request",
            json!({"error": {
                "message": "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
                "type": "invalid_request_error", "param": "temperature", "code": "unsupported_value",
            }}),
            omitted("temperature"),
        ),
        wording(
            "Azure",
            "400 Bad Request",
            json!({"error": {
                "message": "logprobs, best_of and echo parameters are not available on this model. Please remove the parameter and try again.",
                "type": null, "param": null, "code": "BadRequest",
            }}),
            omitted("logprobs"),
        ),
        wording(
            "vLLM",
            "422 Unprocessable Entity",
            json!({"object": "error", "type": "BadRequestError", "param": null, "code": 422,
                "message": "[{'type': 'extra_forbidden', 'loc': ('body', 'seed'), 'msg': 'Extra inputs are not permitted', 'input': 7}]",
            }),
            omitted("seed"),
        ),
        wording(
            "llama.cpp",
            "400 Bad Request",
            json!({"error": {"code": 400, "message": "logprobs is not supported with tools + stream", "type": "invalid_request_error"}}),
            omitted("logprobs"),
        ),
        wording(
            "LiteLLM",
            "400 Bad Request",
            json!({"error": {
                "message": "litellm.UnsupportedParamsError: openai does not support parameters: ['temperature'], for model=m. To drop these, set `litellm.drop_params=True`",
                "type": "None", "param": "None", "code": "400",
            }}),
            omitted("temperature"),
        ),
        wording(
            "Ollama",
            "400 Bad Request",
            json!({"error": {"message": "json: unknown field \"user\"", "type": "invalid_request_error", "param": null, "code": null}}),
            omitted("user"),
        ),
    ]
}

/// Returns a request with all fields that may be refused.
fn request() -> Call {
    let message = ChatMessage { role: "user".into(), content: "hi".into(), ..ChatMessage::default() };
    Call::Chat(Box::new(ChatRequest {
        model: "m".into(),
        messages: vec![message],
        max_tokens: Some(5),
        temperature: Some(0.2),
        logprobs: Some(true),
        top_logprobs: Some(3),
        seed: Some(7),
        user: Some("u".into()),
        ..ChatRequest::default()
    }))
}

fn fields(asked: &Asked) -> Value {
    serde_json::from_str(&asked.body).unwrap()
}

/// Returns the fields of the request after a change.
fn changed(mut fields: Value, change: &Adaptation) -> Value {
    let map = fields.as_object_mut().unwrap();
    match change {
        Adaptation::Omitted(field) => {
            map.remove(field);
            if field == "logprobs" {
                map.remove("top_logprobs");
            }
        }
        Adaptation::Renamed { field, to } => {
            let value = map.remove(field).unwrap();
            map.insert(to.clone(), value);
        }
        Adaptation::Single(_) => {}
    }
    fields
}

/// Receives a call's progress until it ends: how its request was changed, the new facts, the text or failure.
async fn outcome(news: &mut News) -> (Vec<Adaptation>, Vec<Fact>, Result<String, String>) {
    let (mut changes, mut facts, mut text) = (Vec::new(), Vec::new(), String::new());
    loop {
        match tokio::time::timeout(LIMIT, news.recv()).await.expect("news come").unwrap().1 {
            Progress::Adapted(change) => changes.push(change),
            Progress::Learned(fact) => facts.push(*fact),
            Progress::Reply(Reply::Chat(whole)) => {
                text.extend(whole.choices.into_iter().filter_map(|choice| choice.message.content));
            }
            Progress::Closed(Ok(())) => return (changes, facts, Ok(text)),
            Progress::Closed(Err(why)) => return (changes, facts, Err(why.sentence.line().into_owned())),
            _ => {}
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_field_is_changed_once_and_from_then_on_also_after_a_restart() {
    for Wording { server: name, status, body, change } in wordings() {
        let server = Server::new().await;
        let (client, mut news, endpoint) = call(server.endpoint(), request());
        let first = server.asked().await;
        let asked = fields(&first);
        first.answer(status, JSON, &body.to_string()).await;
        let second = server.asked().await;
        let expected = changed(asked, &change);
        assert_eq!(fields(&second), expected, "{name}");
        second.answer("200 OK", JSON, WHOLE).await;
        let (changes, facts, end) = outcome(&mut news).await;
        assert_eq!((changes, end.as_deref()), (vec![change.clone()], Ok("Hello")), "{name}");
        let (field, finding) = change.finding();
        let subject =
            Subject::Field { endpoint: "/chat/completions".into(), model: "m".into(), field: field.to_owned() };
        let known = facts.iter().find(|fact| fact.subject == subject).unwrap_or_else(|| panic!("{name}: {facts:?}"));
        assert_eq!((known.server.as_str(), &known.finding), (endpoint.base_url.as_str(), &finding), "{name}");

        // The next request, and the first one after a start with what was learned, are sent so at once.
        client.call(Ticket(2), endpoint.clone(), request());
        let third = server.asked().await;
        assert_eq!(fields(&third), expected, "{name}");
        third.answer("200 OK", JSON, WHOLE).await;
        let (changes, facts, _) = outcome(&mut news).await;
        assert_eq!((changes, facts), (vec![change.clone()], Vec::new()), "{name}");
        let (restarted, mut news) = benchtop::client::Client::spawn();
        restarted.know(known.clone());
        restarted.call(Ticket(1), endpoint, request());
        let fourth = server.asked().await;
        assert_eq!(fields(&fourth), expected, "{name}");
        fourth.answer("200 OK", JSON, WHOLE).await;
        assert_eq!(outcome(&mut news).await.0, [change], "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_second_refusal_nothing_is_sent_again() {
    let refusal = |field: &str| json!({"error": {"message": format!("'{field}' is not supported"), "param": field}});
    let server = Server::new().await;
    let (client, mut news, endpoint) = call(server.endpoint(), request());
    server.asked().await.answer("400 Bad Request", JSON, &refusal("temperature").to_string()).await;
    server.asked().await.answer("400 Bad Request", JSON, &refusal("seed").to_string()).await;
    let (changes, facts, end) = outcome(&mut news).await;
    assert_eq!(changes, [omitted("temperature")]);
    assert!(end.unwrap_err().contains("'seed' is not supported"));
    // The first change got the request as far as the next field: it is kept. The next request meets the second one.
    assert!(facts.iter().any(|fact| fact.finding == Finding::Refused), "{facts:?}");
    client.call(Ticket(2), endpoint, request());
    let third = server.asked().await;
    assert_eq!(fields(&third)["temperature"], Value::Null);
    third.answer("400 Bad Request", JSON, &refusal("seed").to_string()).await;
    let fourth = server.asked().await;
    assert_eq!(fields(&fourth)["seed"], Value::Null);
    fourth.answer("200 OK", JSON, WHOLE).await;
    assert_eq!(outcome(&mut news).await.2.as_deref(), Ok("Hello"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_does_not_help_is_not_remembered() {
    let refusal = json!({"error": {"message": "'temperature' is not supported", "param": "temperature"}}).to_string();
    let server = Server::new().await;
    let (client, mut news, endpoint) = call(server.endpoint(), request());
    server.asked().await.answer("400 Bad Request", JSON, &refusal).await;
    server.asked().await.answer("400 Bad Request", JSON, r#"{"error":{"message":"the prompt is empty"}}"#).await;
    let (_, facts, end) = outcome(&mut news).await;
    assert_eq!((facts, end.is_err()), (Vec::new(), true));
    client.call(Ticket(2), endpoint, request());
    let third = server.asked().await;
    assert_eq!(fields(&third)["temperature"], 0.2);
    third.answer("200 OK", JSON, WHOLE).await;
    outcome(&mut news).await.2.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_headers_of_an_answer_tell_what_is_left_of_rate_limits() {
    let server = Server::new().await;
    let (_client, mut news, _) = call(server.endpoint(), request());
    let headers = format!(
        "{JSON}x-ratelimit-limit-requests: 3500\r\nx-ratelimit-remaining-requests: 3499\r\n\
         x-ratelimit-reset-requests: 17ms\r\nx-ratelimit-limit-tokens: 90000\r\n"
    );
    server.asked().await.answer("200 OK", &headers, WHOLE).await;
    let (_, facts, _) = outcome(&mut news).await;
    let limits: Vec<_> = facts.iter().filter(|fact| matches!(fact.subject, Subject::RateLimit(_))).collect();
    // Of tokens the server does not say how many are left.
    assert_eq!(limits.len(), 1, "{facts:?}");
    assert_eq!(limits[0].subject, Subject::RateLimit("requests".into()));
    assert_eq!(limits[0].finding, Finding::Text("3499 of 3500 left, resets in 17ms".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_is_refused_beside_another_one_is_left_out_this_once() {
    let refusal = r#"{"error":{"message":"'logprobs' is not supported where 'seed' is set","param":"logprobs"}}"#;
    let server = Server::new().await;
    let (_client, mut news, _) = call(server.endpoint(), request());
    server.asked().await.answer("400 Bad Request", JSON, refusal).await;
    let second = server.asked().await;
    assert_eq!((&fields(&second)["logprobs"], &fields(&second)["seed"]), (&Value::Null, &json!(7)));
    second.answer("200 OK", JSON, WHOLE).await;
    let (changes, facts, _) = outcome(&mut news).await;
    assert_eq!(changes, [omitted("logprobs")]);
    assert!(!facts.iter().any(|fact| matches!(fact.subject, Subject::Field { .. })), "{facts:?}");
}
