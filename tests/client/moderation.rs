//! Moderations: what is asked for, what is read, and what is no answer.

use benchtop::api::call::{Call, Failure, FailureKind, Progress, Reply, Ticket};
use benchtop::api::moderation::{Moderation, ModerationRequest, Texts};
use benchtop::settings::{Endpoint, limits};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use crate::server::{JSON, News, Server, call, next};

pub fn moderate(texts: &[&str]) -> Call {
    let input = Texts::Many(texts.iter().map(|text| (*text).to_owned()).collect());
    Call::Moderate(Box::new(ModerationRequest { input, model: None }))
}

/// Receives the answer of a call, and its end.
async fn judged(news: &mut News) -> (Option<Moderation>, Result<(), Failure>) {
    let mut answer = None;
    loop {
        match next(news).await {
            Progress::Reply(Reply::Moderation(found)) => {
                assert!(answer.replace(found).is_none(), "one answer");
            }
            Progress::Closed(end) => return (answer, end),
            Progress::Opened { .. } => {}
            other => panic!("{other:?}"),
        }
    }
}

/// Returns the result of a call whose answer has this status and body.
async fn answered(status: &str, headers: &str, body: &str) -> Result<Moderation, Failure> {
    let server = Server::new().await;
    let (_client, mut news, _) = call(server.endpoint(), moderate(&["a", "b"]));
    let mut asked = server.asked().await;
    let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n", body.len());
    let sending = async move {
        asked.write(&head).await;
        asked.write_while_open(body.as_bytes()).await;
    };
    let (answer, end) = tokio::join!(sending, judged(&mut news)).1;
    end.map(|()| answer.expect("an answer"))
}

async fn refused(status: &str, headers: &str, body: &str) -> Failure {
    answered(status, headers, body).await.expect_err(body)
}

#[tokio::test]
async fn what_is_asked_for_is_what_is_sent() {
    for (call, body) in [
        (moderate(&["a", "", "日本\n"]), json!({"input": ["a", "", "日本\n"], "metadata": {"team": "lab"}})),
        (
            Call::Moderate(Box::new(ModerationRequest {
                input: Texts::One("a".into()),
                model: Some("text-moderation-stable".into()),
            })),
            json!({"input": "a", "model": "text-moderation-stable", "metadata": {"team": "lab"}}),
        ),
    ] {
        let server = Server::new().await;
        let mut endpoint = server.endpoint();
        for (name, value) in [
            ("input", json!("another")),
            ("metadata", json!({"team": "lab"})),
            // What says how a text is written, or a vector made, means nothing here.
            ("temperature", json!(0.2)),
            ("max_tokens", json!(9)),
            ("dimensions", json!(256)),
            ("encoding_format", json!("float")),
        ] {
            endpoint.extra_body.insert(name.into(), value);
        }
        let (_client, _news, _) = crate::server::call(endpoint, call);
        let asked = server.asked().await;
        assert!(asked.head.starts_with("POST /v1/moderations HTTP/1.1\r\n"), "{}", asked.head);
        assert_eq!(serde_json::from_str::<Value>(&asked.body).unwrap(), body);
    }
}

#[tokio::test]
async fn results_are_read_whatever_their_categories() {
    let body = r#"{"id":"modr-1","model":"m","results":[
        {"flagged":true,"categories":{"violence":true,"hate/threatening":false,"hate_threatening":false,"new one":null},
         "category_scores":{"violence":9.7e-1,"hate/threatening":1.1e-06,"hate_threatening":1.1E-6,"new one":null},
         "category_applied_input_types":{"violence":["text"]}},
        {"categories":{"violence":false},"category_scores":{"violence":NaN}}],"stranger":[1]}"#;
    let answer = answered("200 OK", JSON, body).await.unwrap();
    let [first, second] = &answer.results[..] else { panic!("{answer:?}") };
    assert_eq!((answer.id.as_str(), answer.model.as_str(), first.flagged), ("modr-1", "m", true));
    assert_eq!(first.categories.len(), 4);
    assert_eq!(first.categories["new one"], None);
    assert_eq!(first.category_scores["violence"], Some(0.97));
    assert_eq!(first.category_scores["hate/threatening"], Some(1.1e-6));
    assert_eq!(first.category_scores["hate_threatening"], Some(1.1e-6));
    assert!(!second.flagged);
    assert_eq!(second.category_scores["violence"], None, "no number is no opinion");
}

#[tokio::test]
async fn as_many_results_as_came_are_handed_on() {
    for count in [1, 2, 3] {
        let body = json!({"results": vec![json!({"flagged": true}); count]}).to_string();
        // Two were asked for.
        let answer = answered("200 OK", "content-type: text/plain\r\n", &body).await.unwrap();
        assert_eq!(answer.results.len(), count);
        assert!(answer.id.is_empty() && answer.model.is_empty());
    }
}

#[tokio::test]
async fn a_good_status_without_a_result_is_a_failure_in_words() {
    for (body, kind, words) in [
        (r#"{"results":[]}"#, FailureKind::Malformed, "contains no result"),
        (r#"{"results":null}"#, FailureKind::Malformed, "no results"),
        (r#"{"results":{}}"#, FailureKind::Malformed, "no results"),
        (r#"{"id":"modr-1"}"#, FailureKind::Malformed, "no results"),
        (r#"{"data":[]}"#, FailureKind::Malformed, "no results"),
        ("[]", FailureKind::Malformed, "not the JSON that the API specifies"),
        ("{", FailureKind::Malformed, "not the JSON that the API specifies"),
        ("", FailureKind::Malformed, "it is empty"),
        ("\"Not here\"", FailureKind::Malformed, "the server said only \"Not here\""),
        ("OK, but no", FailureKind::Malformed, "the server said only \"OK, but no\""),
        ("<!doctype html><title>Hello</title>", FailureKind::Malformed, "sent a web page"),
        (r#"{"error":{"message":"overloaded","type":"server_error"}}"#, FailureKind::Server, "overloaded"),
        (r#"{"results":[{}],"error":{"message":"overloaded"}}"#, FailureKind::Server, "overloaded"),
        (r#"{"detail":"Not Found"}"#, FailureKind::Server, "Not Found"),
        (
            r#"{"error":"Unexpected endpoint or method. (POST /v1/moderations)"}"#,
            FailureKind::Unsupported,
            "this server does not support moderation: Unexpected endpoint",
        ),
    ] {
        let why = refused("200 OK", "", body).await;
        assert_eq!(why.kind, kind, "{body}: {why:?}");
        assert!(why.sentence.contains(words), "{body}: {}", why.sentence.raw());
        assert!(body.is_empty() || !why.body.is_empty(), "{body}");
    }
}

#[tokio::test]
async fn a_server_without_moderation_is_named_so() {
    for (status, body) in [
        ("404 Not Found", r#"{"error":{"code":404,"message":"File Not Found","type":"not_found_error"}}"#),
        ("404 Not Found", r#"{"detail":"Not Found"}"#),
        ("404 Not Found", "404 page not found"),
        ("404 Not Found", ""),
        ("404 Not Found", "<html><title>404</title></html>"),
        ("405 Method Not Allowed", "{}"),
        ("501 Not Implemented", r#"{"error":{"message":"not here","type":"not_supported_error"}}"#),
    ] {
        let why = refused(status, "", body).await;
        let sentence = why.sentence.raw();
        assert_eq!(why.kind, FailureKind::Unsupported, "{body}: {sentence}");
        assert!(
            sentence.starts_with(&format!("{} this server does not support moderation", &status[..3])),
            "{sentence}"
        );
        assert!(sentence.ends_with("choose another profile: Ctrl+P → Profile: choose"), "{sentence}");
    }
    let model = r#"{"error":{"message":"The model: `mod-9` does not exist","code":"model_not_found"}}"#;
    let why = refused("404 Not Found", "", model).await;
    assert!(why.kind == FailureKind::Refused && why.sentence.contains("choose another model"), "{why:?}");
}

/// Pads JSON with blanks to the length of a limit, plus `over`.
fn long(text: &str, limit: usize, over: isize) -> String {
    let pad = limit.saturating_add_signed(over) - text.len();
    format!("{text}{}", " ".repeat(pad))
}

#[tokio::test]
async fn an_answer_has_a_size_and_a_number_of_names() {
    for (over, good) in [(-1, true), (0, true), (1, false)] {
        let body = long(r#"{"results":[{}]}"#, limits::MODERATION_BODY, over);
        match answered("200 OK", JSON, &body).await {
            Ok(answer) => assert!(good && answer.results.len() == 1),
            Err(why) => assert!(!good && why.sentence.contains("larger than 16 MiB"), "{}", why.sentence.raw()),
        }
        // Two texts were asked for. `categories` itself is a name.
        let names = (2 * limits::RESULT_NAMES).saturating_add_signed(over) - 1;
        let categories: serde_json::Map<String, Value> = (0..names).map(|at| (at.to_string(), json!(true))).collect();
        let body = json!({"results": [{"categories": categories}]}).to_string();
        match answered("200 OK", JSON, &body).await {
            Ok(answer) => assert!(good && answer.results[0].categories.len() == names),
            Err(why) => assert!(!good && why.sentence.contains("more than 256 categories"), "{}", why.sentence.raw()),
        }
    }
}

#[tokio::test]
async fn cancelling_closes_the_socket() {
    crate::cancel_closes_the_socket(moderate(&["a"]), r#"{"results":[{"fl"#).await;
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_none() {
    let server = Server::new().await;
    let (_client, mut news, _) = call(server.endpoint(), moderate(&["a"]));
    let mut asked = server.asked().await;
    asked.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"results\":[{}]}").await;
    drop(asked);
    let (answer, end) = judged(&mut news).await;
    assert_eq!((answer, end.unwrap_err().kind), (None, FailureKind::CutOff));
}

/// Generates JSON of any shape, most of it similar to an answer's.
pub fn odd(names: &'static [&'static str]) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        prop::sample::select(vec!["", "x", "AAAAPwAAAMA=", "NaN", "not found"]).prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        let fields = prop::collection::vec((prop::sample::select(names), inner.clone()), 0..6);
        prop_oneof![
            prop::collection::vec(inner, 0..6).prop_map(Value::from),
            fields.prop_map(|fields| fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()),
        ]
    })
}

/// Makes a call for each of many bodies, some of them cut, on one connection after the other. None of them may end in
/// a failure of ours, and each ends.
pub async fn endures(names: &'static [&'static str], asked: impl Fn() -> Call) {
    let (server, mut runner) = (Server::new().await, TestRunner::deterministic());
    let strategy = (odd(names), 0..8_usize);
    let (client, mut news) = benchtop::client::Client::spawn();
    let endpoint = std::sync::Arc::new(Endpoint::new(server.endpoint().base_url, None));
    for ticket in 0..200 {
        let (body, cut) = strategy.new_tree(&mut runner).unwrap().current();
        let mut body = body.to_string();
        if cut == 0 {
            body.truncate(body.floor_char_boundary(body.len() / 2));
        }
        client.call(Ticket(ticket), std::sync::Arc::clone(&endpoint), asked());
        server.asked().await.answer("200 OK", JSON, &body).await;
        loop {
            match next(&mut news).await {
                Progress::Closed(Err(why)) => {
                    break assert!(why.kind != FailureKind::Bug && !why.sentence.is_empty(), "{body}");
                }
                Progress::Closed(Ok(())) => break,
                Progress::Retrying { .. } => panic!("no retry is due: {body}"),
                _ => {}
            }
        }
    }
}

#[tokio::test]
async fn no_body_can_break_it() {
    let names = &["results", "flagged", "categories", "category_scores", "error", "detail", "object", "id", "model"];
    endures(names, || moderate(&["a"])).await;
}
