//! A request whose server refuses one of its fields: sent once more without it or by its other name, and so from then
//! on.

use std::num::NonZeroUsize;

use benchtop::api::call::{Call, Progress, Reply, Ticket};
use benchtop::api::capability::{Adaptation, Fact, Finding, Subject};
use benchtop::api::chat::{ChatMessage, ChatRequest};
use benchtop::api::embedding::EmbeddingList;
use serde_json::{Value, json};

use crate::embedding::{GOOD, embed, request as texts};
use crate::refusals::{BAD, UNPROCESSABLE, Wording, error, extra, litellm, omitted, renamed, wordings};
use crate::server::{Asked, JSON, LIMIT, News, Server, WHOLE, call};

/// Returns a streamed request with all fields that may be refused.
fn request() -> Call {
    let message = ChatMessage { role: "user".into(), content: "hi".into(), ..ChatMessage::default() };
    Call::Chat(Box::new(ChatRequest {
        model: "m".into(),
        messages: vec![message],
        stream: Some(true),
        max_tokens: Some(5),
        temperature: Some(0.2),
        top_p: Some(0.9),
        presence_penalty: Some(0.5),
        frequency_penalty: Some(0.5),
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

/// Returns the fields of the request after these changes.
fn changed(mut fields: Value, changes: &[Adaptation]) -> Value {
    let map = fields.as_object_mut().unwrap();
    for change in changes {
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
            Adaptation::Split { .. } => {}
        }
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
            Progress::Reply(Reply::ChatChunk(chunk)) => {
                text.extend(chunk.choices.into_iter().filter_map(|choice| choice.delta.content));
            }
            Progress::Retrying { .. } => panic!("no retry is due"),
            Progress::Closed(Ok(())) => return (changes, facts, Ok(text)),
            Progress::Closed(Err(why)) => return (changes, facts, Err(why.sentence.line().into_owned())),
            _ => {}
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_field_is_changed_once_and_from_then_on_also_after_a_restart() {
    for Wording { server: name, status, body, changes } in wordings() {
        let name = format!("{name}: {body}");
        let server = Server::new().await;
        let (client, mut news, endpoint) = call(server.endpoint(), request());
        let first = server.asked().await;
        let asked = fields(&first);
        assert!(asked["stream_options"]["include_usage"] == true, "{asked}");
        first.answer(status, JSON, &body.to_string()).await;
        let second = server.asked().await;
        let expected = changed(asked, &changes);
        assert_eq!(fields(&second), expected, "{name}");
        second.answer("200 OK", JSON, WHOLE).await;
        let (told, facts, end) = outcome(&mut news).await;
        assert_eq!((told, end.as_deref()), (changes.clone(), Ok("Hello")), "{name}");
        let mut known = Vec::new();
        for change in &changes {
            let (field, finding) = (change.field(), change.finding());
            let subject = Subject::field("/chat/completions", "m", field);
            let fact = facts.iter().find(|fact| fact.subject == subject).unwrap_or_else(|| panic!("{name}: {facts:?}"));
            assert_eq!((fact.server.as_str(), &fact.finding), (endpoint.base_url.as_str(), &finding), "{name}");
            known.push(fact.clone());
        }

        // The next request, and the first one after a start with what was learned, are sent so at once, and say so.
        client.call(Ticket(2), endpoint.clone(), request());
        let third = server.asked().await;
        assert_eq!(fields(&third), expected, "{name}");
        third.answer("200 OK", JSON, WHOLE).await;
        let (told, facts, _) = outcome(&mut news).await;
        assert_eq!((told, facts), (changes.clone(), Vec::new()), "{name}");
        let (restarted, mut news) = benchtop::client::Client::spawn();
        for fact in known {
            restarted.know(fact);
        }
        restarted.call(Ticket(1), endpoint, request());
        let fourth = server.asked().await;
        assert_eq!(fields(&fourth), expected, "{name}");
        fourth.answer("200 OK", JSON, WHOLE).await;
        let (told, _, end) = outcome(&mut news).await;
        assert_eq!((told, end.is_ok()), (changes, true), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_newer_name_of_a_limit_becomes_the_older_one_where_that_is_unknown() {
    for body in extra("max_completion_tokens", "64") {
        let Call::Chat(mut asked) = request() else { panic!() };
        asked.max_tokens = None;
        asked.extra.insert("max_completion_tokens".into(), json!(64));
        let server = Server::new().await;
        let (_client, mut news, _) = call(server.endpoint(), Call::Chat(asked));
        server.asked().await.answer(BAD, JSON, &body.to_string()).await;
        let second = server.asked().await;
        let sent = fields(&second);
        assert_eq!((&sent["max_tokens"], &sent["max_completion_tokens"]), (&json!(64), &Value::Null));
        second.answer("200 OK", JSON, WHOLE).await;
        assert_eq!(outcome(&mut news).await.0, [renamed("max_completion_tokens", "max_tokens")]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn after_the_first_byte_of_an_answer_nothing_is_sent_again() {
    let refusal =
        error("Unsupported parameter: 'temperature' is not supported with this model.", Some("temperature"), "");
    for begun in ["", "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hel\"}}]}\n\n"] {
        let server = Server::new().await;
        let (client, mut news, endpoint) = call(server.endpoint(), request());
        let mut first = server.asked().await;
        first.open("text/event-stream").await;
        first.write(&format!("{begun}data: {refusal}\n\n")).await;
        drop(first);
        let (changes, facts, end) = outcome(&mut news).await;
        assert!(changes.is_empty(), "{changes:?}");
        assert!(!facts.iter().any(|fact| matches!(fact.subject, Subject::Field { .. })), "{facts:?}");
        assert!(end.unwrap_err().contains("temperature"));
        // The next that comes is the next that was asked for, as it was asked for.
        client.call(Ticket(2), endpoint, request());
        let second = server.asked().await;
        assert_eq!(fields(&second)["temperature"], 0.2);
        second.answer("200 OK", JSON, WHOLE).await;
        outcome(&mut news).await.2.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_not_let_in_is_not_asked_again_without_a_field() {
    for message in ["This user is not allowed to use the model.", "You are not allowed to sample from this model."] {
        let server = Server::new().await;
        let (client, mut news, endpoint) = call(server.endpoint(), request());
        server.asked().await.answer("403 Forbidden", JSON, &error(message, None, "").to_string()).await;
        let (changes, _, end) = outcome(&mut news).await;
        assert_eq!((changes, end.is_err()), (Vec::new(), true), "{message}");
        client.call(Ticket(2), endpoint, request());
        assert_eq!(fields(&server.asked().await)["user"], "u");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_refuses_how_vectors_are_written_is_asked_without_it_also_after_a_restart() {
    let [old_vllm, vllm] = extra("encoding_format", "'base64'");
    for (name, status, body) in [
        ("OpenAI", BAD, error("Unrecognized request argument supplied: encoding_format", None, "")),
        ("Azure", BAD, error("Unknown parameter: 'encoding_format'.", Some("encoding_format"), "unknown_parameter")),
        ("vLLM", BAD, old_vllm),
        ("vLLM", UNPROCESSABLE, vllm),
        (
            "llama.cpp",
            BAD,
            json!({"error": {"code": 400, "message": "The format to return the embeddings in. Can be either float or base64", "type": "invalid_request_error"}}),
        ),
        ("LiteLLM", BAD, litellm("{'encoding_format': 'base64'}")),
        (
            "LiteLLM",
            BAD,
            error(
                "litellm.UnsupportedParamsError: Setting user/encoding format is not supported by gemini. To drop it from the call, set `litellm.drop_params = True`.",
                None,
                "400",
            ),
        ),
        (
            "Ollama",
            BAD,
            error("Invalid value for 'encoding_format' = base64. Supported values: ['float'].", Some(""), ""),
        ),
    ] {
        let server = Server::new().await;
        let (client, mut news, endpoint) = call(server.endpoint(), embed(texts(&["a"])));
        let first = server.asked().await;
        assert_eq!(fields(&first)["encoding_format"], "base64");
        first.answer(status, JSON, &body.to_string()).await;
        let second = server.asked().await;
        let expected = json!({"model": "m", "input": ["a"]});
        assert_eq!(fields(&second), expected, "{name}: {body}");
        second.answer("200 OK", JSON, GOOD).await;
        let (changes, facts, end) = outcome(&mut news).await;
        assert_eq!((changes, end.is_ok()), (vec![omitted("encoding_format")], true), "{name}");
        // For all models of the server.
        let subject = Subject::field("/embeddings", "", "encoding_format");
        let known = facts.into_iter().find(|fact| fact.subject == subject).unwrap();
        client.call(Ticket(2), endpoint.clone(), embed(texts(&["a"])));
        let third = server.asked().await;
        assert_eq!(fields(&third), expected, "{name}");
        third.answer("200 OK", JSON, GOOD).await;
        outcome(&mut news).await.2.unwrap();
        let (restarted, mut news) = benchtop::client::Client::spawn();
        restarted.know(known);
        restarted.call(Ticket(1), endpoint, embed(texts(&["a"])));
        let fourth = server.asked().await;
        assert_eq!(fields(&fourth), expected, "{name}");
        fourth.answer("200 OK", JSON, GOOD).await;
        outcome(&mut news).await.2.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_refuses_several_texts_is_asked_for_each_also_after_a_restart() {
    for (name, status, body) in [
        ("OpenAI", BAD, error("['a', 'b'] is not of type 'string' - 'input'", None, "")),
        ("Azure", BAD, error("Too many inputs. The max number of inputs is 1.", None, "")),
        (
            "vLLM",
            UNPROCESSABLE,
            json!({"detail": [{"loc": ["body", "input"], "msg": "str type expected", "type": "type_error.str"}]}),
        ),
        (
            "llama.cpp",
            BAD,
            json!({"error": {"code": 400, "message": "\"prompt\" must be a string or an array of integers", "type": "invalid_request_error"}}),
        ),
        ("LiteLLM", BAD, error("litellm.BadRequestError: input must be a string, not a list", Some("None"), "400")),
        (
            "Ollama",
            BAD,
            json!({"error": "json: cannot unmarshal array into Go struct field EmbeddingRequest.prompt of type string"}),
        ),
    ] {
        let server = Server::new().await;
        let (client, mut news, endpoint) = call(server.endpoint(), embed(texts(&["a", "b"])));
        server.asked().await.answer(status, JSON, &body.to_string()).await;
        let mut known = None;
        let (restarted, mut later) = benchtop::client::Client::spawn();
        for round in ["learning", "the next time", "after a restart"] {
            if round == "the next time" {
                client.call(Ticket(2), endpoint.clone(), embed(texts(&["a", "b"])));
            } else if round == "after a restart" {
                restarted.know(known.take().unwrap());
                restarted.call(Ticket(1), endpoint.clone(), embed(texts(&["a", "b"])));
            }
            for text in ["a", "b"] {
                let asked = server.asked().await;
                assert_eq!(fields(&asked)["input"], text, "{name}, {round}");
                asked.answer("200 OK", JSON, GOOD).await;
            }
            let news = if round == "after a restart" { &mut later } else { &mut news };
            let (changes, facts, end) = outcome(news).await;
            assert_eq!((changes, end.is_ok()), (vec![split(1)], true), "{name}, {round}");
            let several = |fact: &Fact| fact.finding == Finding::AtMost(size(1));
            known = facts.into_iter().find(several).or(known);
        }
    }
}

/// Receives a call's progress until it ends well: the vectors, and what was learned of lists.
async fn embedded(news: &mut News) -> (EmbeddingList, Option<Fact>) {
    let (mut list, mut learned) = (None, None);
    loop {
        match tokio::time::timeout(LIMIT, news.recv()).await.expect("news come").unwrap().1 {
            Progress::Learned(fact) if matches!(fact.finding, Finding::AtMost(_)) => learned = Some(*fact),
            Progress::Reply(Reply::Embeddings(answer)) => list = Some(answer),
            Progress::Closed(end) => return (list.expect("vectors"), end.map(|()| learned).unwrap()),
            _ => {}
        }
    }
}

fn size(size: usize) -> NonZeroUsize {
    NonZeroUsize::new(size).unwrap()
}

fn split(most: usize) -> Adaptation {
    Adaptation::Split { field: "input".into(), size: size(most) }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_accepts_so_many_texts_gets_no_more_also_after_a_restart() {
    let all = ["a", "b", "c", "d", "e"];
    for (name, status, body) in [
        ("Azure", BAD, error("Too many inputs. The max number of inputs is 2. We hope to increase it soon.", None, "")),
        (
            "text-embeddings-inference",
            "413 Payload Too Large",
            json!({"error": "batch size 5 > maximum allowed batch size 2", "error_type": "Validation"}),
        ),
        (
            "DashScope",
            BAD,
            error("Value error, batch size is invalid, it should not be larger than 2.: input.contents", None, ""),
        ),
    ] {
        let server = Server::new().await;
        let (client, mut news, endpoint) = call(server.endpoint(), embed(texts(&all)));
        server.asked().await.answer(status, JSON, &body.to_string()).await;
        let mut known = None;
        let (restarted, mut later) = benchtop::client::Client::spawn();
        for round in ["learning", "the next time", "after a restart"] {
            if round == "the next time" {
                client.call(Ticket(2), endpoint.clone(), embed(texts(&all)));
            } else if round == "after a restart" {
                restarted.know(known.take().unwrap());
                restarted.call(Ticket(1), endpoint.clone(), embed(texts(&all)));
            }
            for part in all.chunks(2) {
                let asked = server.asked().await;
                assert_eq!(fields(&asked)["input"], json!(part), "{name}, {round}");
                // The last of them first: its index says which it is.
                let vector = |(index, text): (usize, &&str)| json!({"index": index, "embedding": [text.as_bytes()[0]]});
                let data: Vec<Value> = part.iter().enumerate().map(vector).rev().collect();
                asked.answer("200 OK", JSON, &json!({"data": data, "usage": {"prompt_tokens": 3}}).to_string()).await;
            }
            let news = if round == "after a restart" { &mut later } else { &mut news };
            let (list, fact) = embedded(news).await;
            let placed: Vec<(u32, f32)> = list.data.iter().map(|one| (one.index, one.embedding[0])).collect();
            assert_eq!(placed, [(0, 97.0), (1, 98.0), (2, 99.0), (3, 100.0), (4, 101.0)], "{name}, {round}");
            assert_eq!(list.usage.prompt_tokens, 9);
            let learned = fact.as_ref().map(|fact| fact.finding.clone());
            assert_eq!(learned, (round == "learning").then_some(Finding::AtMost(size(2))), "{name}, {round}");
            known = known.or(fact);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_that_has_become_smaller_is_learned_and_a_bad_text_is_named() {
    let too_many = |most: usize| error(&format!("The max number of inputs is {most}."), None, "").to_string();
    let server = Server::new().await;
    let (client, mut news, endpoint) = call(server.endpoint(), embed(texts(&["a", "b", "c", "d"])));
    server.asked().await.answer(BAD, JSON, &too_many(3)).await;
    let three = server.asked().await;
    assert_eq!(fields(&three)["input"], json!(["a", "b", "c"]));
    three.answer(BAD, JSON, &too_many(2)).await;
    // Without indexes the order counts; a cost is the sum of all.
    let answer = |numbers: &[f32]| {
        let data: Vec<Value> = numbers.iter().map(|number| json!({"embedding": [number]})).collect();
        json!({"data": data, "usage": {"prompt_tokens": 2, "cost": 0.5}}).to_string()
    };
    for (part, numbers) in [(["a", "b"], [1.0, 2.0]), (["c", "d"], [3.0, 4.0])] {
        let asked = server.asked().await;
        assert_eq!(fields(&asked)["input"], json!(part));
        asked.answer("200 OK", JSON, &answer(&numbers)).await;
    }
    let (list, fact) = embedded(&mut news).await;
    let placed: Vec<(u32, f32)> = list.data.iter().map(|one| (one.index, one.embedding[0])).collect();
    assert_eq!(placed, [(0, 1.0), (1, 2.0), (2, 3.0), (3, 4.0)]);
    assert_eq!((list.usage.prompt_tokens, list.usage.cost_nano), (4, Some(1_000_000_000)));
    assert_eq!(fact.unwrap().finding, Finding::AtMost(size(2)));
    // A part with too many vectors, or with one of them twice, is as it would be alone: nobody knows which is right.
    client.call(Ticket(2), endpoint.clone(), embed(texts(&["a", "b", "c"])));
    server.asked().await.answer("200 OK", JSON, &answer(&[1.0, 2.0, 3.0])).await;
    server.asked().await.answer("200 OK", JSON, &answer(&[4.0])).await;
    let indexes: Vec<u32> = embedded(&mut news).await.0.data.iter().map(|one| one.index).collect();
    assert_eq!(indexes, [0, 0, 0, 2]);
    client.call(Ticket(3), endpoint, embed(texts(&["a", "b", "c"])));
    server.asked().await.answer("200 OK", JSON, &answer(&[1.0, 2.0])).await;
    server.asked().await.answer(BAD, JSON, &error("the input is empty", None, "").to_string()).await;
    let why = outcome(&mut news).await.2.unwrap_err();
    assert!(why.contains("text 3 of 3: ") && why.contains("the input is empty"), "{why}");
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
    for (field, param, message) in [
        ("logprobs", Some("logprobs"), "'logprobs' is not supported where 'seed' is set"),
        ("logprobs", None, "logprobs is not supported with tools + stream"),
        (
            "temperature",
            None,
            "litellm.UnsupportedParamsError: gpt-5-nano doesn't support temperature=0.2 while reasoning is active. Only \
             temperature=1 is supported unless reasoning.effort resolves to 'none'. To drop unsupported params set \
             `litellm.drop_params = True`",
        ),
    ] {
        let server = Server::new().await;
        let (client, mut news, endpoint) = call(server.endpoint(), request());
        server.asked().await.answer(BAD, JSON, &error(message, param, "400").to_string()).await;
        let second = server.asked().await;
        assert_eq!((&fields(&second)[field], &fields(&second)["seed"]), (&Value::Null, &json!(7)), "{message}");
        second.answer("200 OK", JSON, WHOLE).await;
        let (changes, facts, _) = outcome(&mut news).await;
        assert_eq!(changes, [omitted(field)], "{message}");
        assert!(!facts.iter().any(|fact| matches!(fact.subject, Subject::Field { .. })), "{facts:?}");
        client.call(Ticket(2), endpoint, request());
        assert!(!fields(&server.asked().await)[field].is_null(), "{message}");
    }
}
