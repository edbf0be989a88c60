//! Embeddings: what is asked for, how vectors are read, and what is no answer.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use benchtop::api::call::{Call, Failure, FailureKind, Progress, Reply, Ticket};
use benchtop::api::completion::Prompt;
use benchtop::api::embedding::{EmbeddingList, EmbeddingRequest};
use benchtop::settings::{Endpoint, limits};
use serde_json::{Value, json};

use crate::moderation::endures;
use crate::server::{JSON, News, Server, call, next};

pub const GOOD: &str =
    r#"{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.5,-2]}],"model":"m"}"#;

pub fn request(texts: &[&str]) -> EmbeddingRequest {
    EmbeddingRequest {
        model: "m".into(),
        input: Prompt::Texts(texts.iter().map(|text| (*text).to_owned()).collect()),
        encoding_format: None,
        dimensions: None,
        user: None,
    }
}

pub fn embed(request: EmbeddingRequest) -> Call {
    Call::Embed(Box::new(request))
}

/// Receives the answer of a call, and its end.
async fn embedded(news: &mut News) -> (Option<EmbeddingList>, Result<(), Failure>) {
    let mut answer = None;
    loop {
        match next(news).await {
            Progress::Reply(Reply::Embeddings(found)) => assert!(answer.replace(found).is_none(), "one answer"),
            Progress::Closed(end) => return (answer, end),
            Progress::Opened { .. } | Progress::Adapted(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

/// Returns the result of a call about two texts whose answer has this status and body, sent in pieces of `piece` bytes.
async fn in_pieces(status: &str, body: &[u8], piece: usize) -> Result<EmbeddingList, Failure> {
    let server = Server::new().await;
    let (_client, mut news, _) = call(server.endpoint(), embed(request(&["a", "b"])));
    let mut asked = server.asked().await;
    asked.socket.set_nodelay(true).unwrap();
    let head = format!("HTTP/1.1 {status}\r\n{JSON}connection: close\r\n\r\n");
    let sending = async move {
        asked.write(&head).await;
        for piece in body.chunks(piece) {
            asked.write_while_open(piece).await;
        }
    };
    let (answer, end) = tokio::join!(sending, embedded(&mut news)).1;
    end.map(|()| answer.expect("an answer"))
}

async fn answered(body: &str) -> Result<EmbeddingList, Failure> {
    in_pieces("200 OK", body.as_bytes(), usize::MAX).await
}

fn numbers(list: &EmbeddingList) -> Vec<&[f32]> {
    list.data.iter().map(|one| one.embedding.as_slice()).collect()
}

#[tokio::test]
async fn base64_is_asked_for_unless_something_else_is() {
    let float = || Some("float".to_owned());
    for (asked, extra, format) in [
        (request(&["a"]), json!({}), "base64"),
        (EmbeddingRequest { encoding_format: float(), ..request(&["a"]) }, json!({}), "float"),
        (request(&["a"]), json!({"encoding_format": "float"}), "float"),
        (EmbeddingRequest { encoding_format: float(), ..request(&["a"]) }, json!({"encoding_format": "int8"}), "float"),
    ] {
        let server = Server::new().await;
        let Value::Object(extra_body) = extra else { panic!() };
        let (_client, mut news, _) = call(Endpoint { extra_body, ..server.endpoint() }, embed(asked));
        let asked = server.asked().await;
        assert!(asked.head.starts_with("POST /v1/embeddings HTTP/1.1\r\n"), "{}", asked.head);
        let body: Value = serde_json::from_str(&asked.body).unwrap();
        assert_eq!(body, json!({"model": "m", "input": ["a"], "encoding_format": format}));
        asked.answer("200 OK", JSON, GOOD).await;
        assert_eq!(embedded(&mut news).await.1, Ok(()));
    }
}

#[tokio::test]
async fn what_is_asked_for_is_what_is_sent() {
    let server = Server::new().await;
    let mut endpoint = server.endpoint();
    for (name, value) in [
        ("user", json!("another")),
        ("input_type", json!("query")),
        // What says how a text is written means nothing here.
        ("temperature", json!(0.2)),
        ("top_p", json!(0.2)),
        ("stop", json!("x")),
        ("max_tokens", json!(9)),
        ("stream", json!(true)),
        ("service_tier", json!("flex")),
    ] {
        endpoint.extra_body.insert(name.into(), value);
    }
    let asked = EmbeddingRequest {
        input: Prompt::Tokens(vec![1, 2]),
        dimensions: Some(256),
        user: Some("u".into()),
        ..request(&[])
    };
    let (_client, _news, _) = call(endpoint, embed(asked));
    let body: Value = serde_json::from_str(&server.asked().await.body).unwrap();
    let expected = json!({"model": "m", "input": [1, 2], "dimensions": 256, "user": "u", "input_type": "query",
        "encoding_format": "base64"});
    assert_eq!(body, expected);
}

#[tokio::test]
async fn a_server_that_refuses_base64_is_asked_without_and_never_again() {
    for refusal in [
        ("400 Bad Request", r#"{"error":{"message":"Unrecognized request argument supplied: encoding_format"}}"#),
        ("400 Bad Request", r#"{"error":{"message":"base64 is not known here"}}"#),
        ("422 Unprocessable Entity", r#"{"detail":[{"loc":["body","encoding_format"],"msg":"permitted: 'float'"}]}"#),
    ] {
        let server = Server::new().await;
        let (client, mut news, endpoint) = call(server.endpoint(), embed(request(&["a"])));
        let first = server.asked().await;
        assert!(first.body.contains("base64"));
        let key = first.header("idempotency-key").unwrap();
        first.answer(refusal.0, JSON, refusal.1).await;
        for ticket in [1, 2] {
            if ticket == 2 {
                client.call(Ticket(2), Arc::clone(&endpoint), embed(request(&["a"])));
            }
            let asked = server.asked().await;
            assert!(!asked.body.contains("encoding_format"), "{}", asked.body);
            assert_ne!(asked.header("idempotency-key").unwrap(), key, "another request bears another key");
            asked.answer("200 OK", JSON, GOOD).await;
            // No retry was announced either.
            let (answer, end) = embedded(&mut news).await;
            assert_eq!((numbers(&answer.unwrap()), end), (vec![&[0.5, -2.0][..]], Ok(())));
        }
    }
}

#[tokio::test]
async fn what_was_asked_for_by_name_is_not_taken_back() {
    let asked = EmbeddingRequest { encoding_format: Some("base64".into()), ..request(&["a"]) };
    for (asked, status, body) in [
        (asked, "400 Bad Request", r#"{"error":{"message":"encoding_format is not known"}}"#),
        (request(&["a"]), "400 Bad Request", r#"{"error":{"message":"input is too odd"}}"#),
        (request(&["a"]), "401 Unauthorized", r#"{"error":{"message":"encoding_format needs a key"}}"#),
    ] {
        let server = Server::new().await;
        let (_client, mut news, _) = call(server.endpoint(), embed(asked));
        server.asked().await.answer(status, JSON, body).await;
        assert_eq!(embedded(&mut news).await.1.unwrap_err().status, Some(status[..3].parse().unwrap()));
    }
}

#[tokio::test]
async fn vectors_are_the_same_in_both_forms_however_they_come() {
    let vectors: Vec<Vec<f32>> =
        (0..2).map(|row| (0..700).map(|at| ((at * 7 + row) as f32 * 0.37).sin() / 3.0).collect()).collect();
    let coded = |vector: &Vec<f32>| {
        let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
        json!(STANDARD.encode(bytes))
    };
    for base64 in [false, true] {
        let form = |vector: &Vec<f32>| if base64 { coded(vector) } else { json!(vector) };
        let data = [1, 0].map(|at: usize| json!({"index": at, "embedding": form(&vectors[at])}));
        let body = json!({"data": data, "model": "m", "usage": {"prompt_tokens": 4, "total_tokens": 0}}).to_string();
        for piece in [997, usize::MAX] {
            let list = in_pieces("200 OK", body.as_bytes(), piece).await.unwrap();
            assert_eq!(numbers(&list), [&vectors[0][..], &vectors[1][..]], "in the order of the texts");
            assert_eq!((list.model.as_str(), list.usage.prompt_tokens, list.usage.total_tokens), ("m", 4, 0));
        }
    }
}

#[tokio::test]
async fn what_is_no_number_is_nan() {
    let body = r#"{"data":[{"index":0,"embedding":[0.5,NaN,-Infinity,null,1e39,"NaN",-2]}]}"#;
    for piece in [1, 5, usize::MAX] {
        let list = in_pieces("200 OK", body.as_bytes(), piece).await.unwrap();
        let vector = &list.data[0].embedding;
        assert_eq!((vector.len(), vector[0], vector[6]), (7, 0.5, -2.0));
        assert!(vector[1..6].iter().all(|number| number.is_nan()), "{vector:?}");
        assert_eq!(list.usage.prompt_tokens, 0, "missing stays missing");
    }
}

#[tokio::test]
async fn as_many_vectors_as_came_are_handed_on() {
    for (indexes, order) in [
        (vec![json!(0)], vec![0.0]),
        (vec![json!(1), json!(0)], vec![1.0, 0.0]),
        (vec![json!(0), json!(0)], vec![0.0, 1.0]),
        (vec![json!(null), json!(null)], vec![0.0, 1.0]),
        (vec![json!(2), json!(0), json!(1)], vec![1.0, 2.0, 0.0]),
    ] {
        let entry = |(at, index): (usize, &Value)| json!({"index": index, "embedding": [at]});
        let data: Vec<Value> = indexes.iter().enumerate().map(entry).collect();
        // Two were asked for.
        let list = answered(&json!({ "data": data }).to_string()).await.unwrap();
        let found: Vec<f32> = list.data.iter().map(|one| one.embedding[0]).collect();
        assert_eq!(found, order, "{indexes:?}");
    }
}

#[tokio::test]
async fn a_good_status_without_a_vector_is_a_failure_in_words() {
    for (body, kind, words) in [
        (r#"{"data":[]}"#, FailureKind::Malformed, "contains no vector"),
        (r#"{"data":null}"#, FailureKind::Malformed, "no list of vectors"),
        (r#"{"object":"list"}"#, FailureKind::Malformed, "no list of vectors"),
        (r#"{"results":[]}"#, FailureKind::Malformed, "no list of vectors"),
        (r#"{"data":[{"index":0}]}"#, FailureKind::Malformed, "missing field `embedding`"),
        (r#"{"data":[{"embedding":"?"}]}"#, FailureKind::Malformed, "as a list of numbers or as base64"),
        (r#"{"data":[{"embedding":[true]}]}"#, FailureKind::Malformed, "a number"),
        (r#"{"data":[{"embedding":[1]}]}, trailing"#, FailureKind::Malformed, "trailing"),
        (r#"{"data":[{"embedding":[1"#, FailureKind::Malformed, "EOF"),
        ("[]", FailureKind::Malformed, "not a list of vectors"),
        ("", FailureKind::Malformed, "it is empty"),
        ("\"Not here\"", FailureKind::Malformed, "the server said only \"Not here\""),
        ("ok", FailureKind::Malformed, "the server said only \"ok\""),
        ("<!doctype html><title>Hello</title>", FailureKind::Malformed, "sent a web page"),
        (r#"{"error":{"message":"overloaded","type":"server_error"}}"#, FailureKind::Server, "overloaded"),
        (r#"{"data":[{"embedding":[1]}],"error":{"message":"overloaded"}}"#, FailureKind::Server, "overloaded"),
        (r#"{"error":{"message":"overloaded"},"data":[7]}"#, FailureKind::Server, "overloaded"),
        (r#"{"object":"error","message":"gone","code":400}"#, FailureKind::Refused, "gone"),
        (r#"{"detail":"Not Found"}"#, FailureKind::Server, "Not Found"),
        (
            r#"{"error":"Unexpected endpoint or method. (POST /v1/embeddings)"}"#,
            FailureKind::Unsupported,
            "this server does not support embeddings: Unexpected endpoint",
        ),
    ] {
        let why = answered(body).await.expect_err(body);
        assert_eq!(why.kind, kind, "{body}: {why:?}");
        assert!(why.sentence.contains(words), "{body}: {}", why.sentence.raw());
        assert!(body.is_empty() || !why.body.is_empty(), "{body}");
    }
}

#[tokio::test]
async fn a_server_without_embeddings_is_named_so() {
    let llama = r#"{"error":{"code":501,"message":"This server does not support embeddings. Start it with `--embeddings`","type":"not_supported_error"}}"#;
    for (status, body) in [
        ("404 Not Found", r#"{"detail":"Not Found"}"#),
        ("404 Not Found", ""),
        ("405 Method Not Allowed", ""),
        ("501 Not Implemented", llama),
    ] {
        let why = in_pieces(status, body.as_bytes(), usize::MAX).await.expect_err(body);
        let sentence = why.sentence.raw();
        assert_eq!(why.kind, FailureKind::Unsupported, "{body}: {sentence}");
        assert!(
            sentence.starts_with(&format!("{} this server does not support embeddings", &status[..3])),
            "{sentence}"
        );
        assert!(sentence.ends_with("choose another profile: Ctrl+P → Profile: choose"), "{sentence}");
    }
    let model = r#"{"error":{"message":"You are not allowed to generate embeddings from this model"}}"#;
    let why = in_pieces("403 Forbidden", model.as_bytes(), usize::MAX).await.unwrap_err();
    assert!(why.kind == FailureKind::Refused && why.sentence.contains("choose another model"), "{why:?}");
    let long = r#"{"error":{"message":"This model's maximum context length is 8191 tokens, however you requested 9000 tokens (9000 in your prompt; 0 for the completion). Please reduce your prompt; or completion length."}}"#;
    let why = in_pieces("400 Bad Request", long.as_bytes(), usize::MAX).await.unwrap_err();
    assert!(why.kind == FailureKind::TooLong && why.sentence.contains("8191"), "{why:?}");
}

#[tokio::test]
async fn vectors_have_so_many_numbers_for_each_text() {
    for (over, good) in [(-1, true), (0, true), (1, false)] {
        let count = limits::VECTOR.saturating_add_signed(over);
        let list = format!("[{}]", vec!["0.5"; count].join(","));
        let coded = json!(STANDARD.encode(0.5_f32.to_le_bytes().repeat(count))).to_string();
        for vector in [list, coded] {
            let whole = format!("[{}]", vec!["0.5"; limits::VECTOR].join(","));
            // Two texts were asked for.
            let body = format!("{{\"data\":[{{\"embedding\":{whole}}},{{\"embedding\":{vector}}}]}}");
            match answered(&body).await {
                Ok(list) => assert!(good && list.data[1].embedding == vec![0.5; count]),
                Err(why) => assert!(!good && why.sentence.contains("more numbers"), "{}", why.sentence.raw()),
            }
        }
    }
}

#[tokio::test]
async fn one_that_announces_too_much_is_not_read() {
    for (over, good) in [(0, true), (1, false)] {
        let server = Server::new().await;
        let (_client, mut news, _) = call(server.endpoint(), embed(request(&["a"])));
        let mut asked = server.asked().await;
        let length = limits::EMBEDDING_BODY + over;
        asked.write(&format!("HTTP/1.1 200 OK\r\n{JSON}content-length: {length}\r\n\r\n{GOOD}")).await;
        drop(asked);
        let why = embedded(&mut news).await.1.unwrap_err();
        let large = why.sentence.contains("larger than 512 MiB");
        assert_eq!((large, why.kind == FailureKind::CutOff), (!good, good), "{}", why.sentence.raw());
    }
}

#[tokio::test]
async fn cancelling_closes_the_socket() {
    crate::cancel_closes_the_socket(embed(request(&["a"])), r#"{"data":[{"embedding":[0.5,"#).await;
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_none() {
    let server = Server::new().await;
    let (_client, mut news, _) = call(server.endpoint(), embed(request(&["a"])));
    let mut asked = server.asked().await;
    // Whole as JSON, but not as long as was announced.
    asked.write(&format!("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{GOOD}")).await;
    drop(asked);
    let (answer, end) = embedded(&mut news).await;
    assert_eq!((answer, end.unwrap_err().kind), (None, FailureKind::CutOff));
}

#[tokio::test]
async fn no_body_can_break_it() {
    let names = &["data", "embedding", "index", "object", "error", "detail", "usage", "prompt_tokens", "model"];
    endures(names, || embed(request(&["a", "b"]))).await;
}

#[tokio::test]
async fn a_server_that_takes_one_text_at_a_time_is_asked_for_each_and_this_is_remembered() {
    let server = Server::new().await;
    let (client, mut news, endpoint) = call(server.endpoint(), embed(request(&["a", "b"])));
    let refusal = r#"{"error":{"message":"input must be a string","param":"input"}}"#;
    server.asked().await.answer("400 Bad Request", JSON, refusal).await;
    for text in ["a", "b"] {
        let asked = server.asked().await;
        let body: Value = serde_json::from_str(&asked.body).unwrap();
        assert_eq!(body["input"], text);
        asked.answer("200 OK", JSON, GOOD).await;
    }
    let (answer, end) = embedded(&mut news).await;
    assert_eq!(end, Ok(()));
    let indexes: Vec<u32> = answer.unwrap().data.iter().map(|one| one.index).collect();
    assert_eq!(indexes, [0, 1]);
    client.call(Ticket(2), endpoint, embed(request(&["c"])));
    let asked = server.asked().await;
    let body: Value = serde_json::from_str(&asked.body).unwrap();
    assert_eq!(body["input"], "c", "no list is tried again");
    asked.answer("200 OK", JSON, GOOD).await;
}

#[tokio::test]
async fn a_refusal_about_one_text_is_not_taken_for_one_of_the_list() {
    let server = Server::new().await;
    let (_client, mut news, _) = call(server.endpoint(), embed(request(&["a", ""])));
    let refusal = r#"{"error":{"message":"Input cannot be an empty string.","param":"input"}}"#;
    server.asked().await.answer("400 Bad Request", JSON, refusal).await;
    let (answer, end) = embedded(&mut news).await;
    assert!(answer.is_none() && end.unwrap_err().sentence.contains("empty string"));
}

#[tokio::test]
async fn the_first_of_several_texts_that_is_refused_by_itself_is_named() {
    let server = Server::new().await;
    let (client, mut news, endpoint) = call(server.endpoint(), embed(request(&["a", "b", "c"])));
    let refusal = r#"{"error":{"message":"input must be a string","param":"input"}}"#;
    server.asked().await.answer("400 Bad Request", JSON, refusal).await;
    server.asked().await.answer("200 OK", JSON, GOOD).await;
    server.asked().await.answer("400 Bad Request", JSON, r#"{"error":{"message":"it is too long"}}"#).await;
    let (answer, end) = embedded(&mut news).await;
    let why = end.unwrap_err();
    assert!(answer.is_none() && why.sentence.raw().starts_with("text 2 of 3: "), "{why:?}");
    // It takes texts one by one: that is known now.
    client.call(Ticket(2), endpoint, embed(request(&["a", "b"])));
    let body: Value = serde_json::from_str(&server.asked().await.body).unwrap();
    assert_eq!(body["input"], "a");
}

#[tokio::test]
async fn a_vector_that_is_null_costs_the_others_nothing() {
    let list = answered(r#"{"data":[{"index":0,"embedding":null},{"index":1,"embedding":[1,2]}]}"#).await.unwrap();
    assert_eq!(numbers(&list), [&[][..], &[1.0, 2.0]]);
}
