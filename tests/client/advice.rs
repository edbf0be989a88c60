//! What failures advise: said once, about what is wrong, and after the last attempt how many there were.

use std::sync::Arc;
use std::time::Duration;

use benchtop::api::call::{Call, FailureKind, Progress, Ticket};
use benchtop::settings::Endpoint;

use crate::server::{JSON, Server, call, chat, failed, next};

/// Returns the sentence about an answer that cannot be used.
async fn said(status: &str, headers: &str, body: &str) -> String {
    let server = Server::new().await;
    let (_client, mut news, _) = call(server.endpoint(), chat(false));
    server.asked().await.answer(status, headers, body).await;
    failed(&mut news).await.sentence.raw().to_owned()
}

#[tokio::test]
async fn an_endpoint_that_is_not_there_is_named_once_another_one_works() {
    let server = Server::new().await;
    let (client, mut news, endpoint) = call(server.endpoint(), chat(true));
    server.asked().await.answer("404 Not Found", "", "404 page not found").await;
    let why = failed(&mut news).await;
    assert!(why.sentence.contains("check the base URL"), "nothing is known of it: {}", why.sentence.raw());
    client.call(Ticket(2), Arc::clone(&endpoint), Call::Models);
    server.asked().await.answer("200 OK", JSON, r#"{"data":[{"id":"m"}]}"#).await;
    while !matches!(next(&mut news).await, Progress::Closed(_)) {}
    client.call(Ticket(3), Arc::clone(&endpoint), chat(true));
    server.asked().await.answer("404 Not Found", "", "404 page not found").await;
    let why = failed(&mut news).await;
    assert_eq!(why.kind, FailureKind::Unsupported);
    assert!(why.sentence.contains("404 this server has no /v1/chat/completions;"), "{}", why.sentence.raw());
    assert!(!why.sentence.contains("base URL"), "{}", why.sentence.raw());
}

#[tokio::test]
async fn what_nobody_answers_is_sent_again_at_once_where_another_process_may_take_over() {
    let server = Server::new().await;
    for (takeover_limit, is_told) in [(Duration::from_mins(5), false), (Duration::ZERO, true)] {
        let endpoint = Endpoint { takeover_limit, ..server.endpoint() };
        let (_client, mut news, _) = call(endpoint, Call::Models);
        drop(server.asked().await);
        server.asked().await.answer("200 OK", JSON, r#"{"data":[{"id":"m"}]}"#).await;
        let mut told = false;
        let end = loop {
            match next(&mut news).await {
                Progress::Retrying { .. } => told = true,
                Progress::Closed(end) => break end,
                _ => {}
            }
        };
        assert_eq!((end, told), (Ok(()), is_told), "{takeover_limit:?}");
    }
}

#[tokio::test]
async fn what_is_to_be_changed_is_named() {
    let unsupported = r#"{"error":{"message":"'max_tokens' is not supported with this model.","param":"max_tokens"}}"#;
    let said_of = said("400 Bad Request", "", unsupported).await;
    assert!(
        said_of.ends_with("'max_tokens' is not supported with this model; change max_tokens and try again"),
        "{said_of}"
    );
    let said_of = said("400 Bad Request", "", r#"{"error":{"message":"This is not supported."}}"#).await;
    assert!(said_of.ends_with("change the text, the settings or the model, and try again"), "{said_of}");
    let said_of = said("402 Payment Required", "", r#"{"error":{"message":"Insufficient credits."}}"#).await;
    assert!(said_of.starts_with("402 the server requires payment: Insufficient credits; check the plan"), "{said_of}");
}

#[tokio::test]
async fn advice_is_given_once() {
    for (status, message, end) in [
        ("400 Bad Request", "Use 'max_completion_tokens' instead.", "Use 'max_completion_tokens' instead"),
        ("402 Payment Required", "Add credits to go on.", "Add credits to go on"),
        ("403 Forbidden", "No.", "paste the correct key: Ctrl+P → Profile: new key"),
    ] {
        let body = format!("{{\"error\":{{\"message\":\"{message}\"}}}}");
        let said = said(status, "", &body).await;
        assert!(said.ends_with(end), "{said}");
    }
    let quota = r#"{"error":{"type":"insufficient_quota","message":"You exceeded your quota, please check your plan and billing details."}}"#;
    let said_of = said("429 Too Many Requests", "", quota).await;
    assert_eq!(said_of.matches("billing").count(), 1, "{said_of}");
}

#[tokio::test]
async fn a_redirect_names_the_other_server_if_there_is_one() {
    for (location, place) in [
        ("location: https://other.example/v1/chat\r\n", " to https://other.example"),
        ("location: /v2/chat?next=1\r\n", ""),
        ("location: login\r\n", ""),
        ("location: app://login\r\n", ""),
        ("location: /login?next=https://other.example/\r\n", ""),
        ("location: https://name:password@other.example/v1\r\n", " to https://other.example"),
        ("", ""),
    ] {
        let expected = format!("307 redirect{place}; redirects are not followed with a key, so correct the base URL");
        assert_eq!(said("307 Temporary Redirect", location, "").await, expected);
    }
}

#[tokio::test]
async fn a_servers_words_stand_on_one_line() {
    let said = said("400 Bad Request", "", r#"{"error":{"message":"first\n\n  second\r\nthird"}}"#).await;
    assert!(said.contains("first second third"), "{said}");
}

/// Returns the sentence after all attempts, each answered like this, and their number.
async fn exhausted(status: &str, headers: &str, message: &str) -> (String, u8) {
    let server = Server::new().await;
    let (client, mut news, _) = call(server.endpoint(), chat(false));
    loop {
        let body = format!("{{\"error\":{{\"message\":\"{message}\"}}}}");
        server.asked().await.answer(status, headers, &body).await;
        match next(&mut news).await {
            Progress::Retrying { why, .. } => {
                assert!(
                    !why.sentence.contains("attempt") && !why.sentence.contains("asks to wait"),
                    "{}",
                    why.sentence.raw()
                );
                client.retry_now(Ticket(1));
            }
            Progress::Closed(Err(why)) => return (why.sentence.raw().to_owned(), why.attempts),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn after_the_last_attempt_it_is_said_how_many_there_were_and_a_wait_once() {
    let (sentence, attempts) = exhausted("500 Internal Server Error", "", "oh").await;
    assert_eq!((sentence.as_str(), attempts), ("500 server error: oh; try again (tried 3 times)", 3));
    let (sentence, _) = exhausted("429 Too Many Requests", "retry-after: 20\r\n", "slow").await;
    assert_eq!(sentence, "429 rate limit: slow; the server asks to wait 20 s (tried 3 times)");
    let (sentence, _) = exhausted("429 Too Many Requests", "retry-after: 20\r\n", "Please try again in 20s.").await;
    assert_eq!(sentence, "429 rate limit: Please try again in 20s (tried 3 times)");
    let long = said("429 Too Many Requests", "retry-after: 600\r\n", "{}").await;
    assert_eq!(long, "429 rate limit; the server asks to wait 10 min, longer than benchtop waits automatically");
}
