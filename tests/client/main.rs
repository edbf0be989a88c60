//! The real client against servers that misbehave on purpose, on raw sockets.
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::panic)]

mod adapting;
mod advice;
mod answers;
mod bounds;
mod certificates;
mod check;
mod completions;
mod curl;
mod embedding;
mod files;
mod gather;
mod jobs;
mod local;
mod moderation;
mod packed;
mod pieces;
mod profile;
mod refusals;
mod secrets;
mod server;
#[path = "../common/tls.rs"]
mod tls;
mod usage;

use std::sync::Arc;
use std::time::{Duration, Instant};

use benchtop::api::call::{Call, FailureKind, Progress, Ticket};
use benchtop::settings::{Endpoint, limits};
use futures_util::FutureExt as _;

use server::{FIRST, JSON, KEY, LAST, Server, WHOLE, call, chat, failed, next, text};

#[tokio::test]
async fn answers_come_whole_streamed_and_under_the_wrong_name() {
    for (asked_stream, kind, body) in [
        (false, "application/json", WHOLE.to_owned()),
        (true, "text/event-stream", format!("{FIRST}{LAST}data: [DONE]\n\n")),
        (true, "text/plain; charset=utf-8", format!("{FIRST}{LAST}data: [DONE]\n\n")),
        (true, "application/json", WHOLE.to_owned()),
        (true, "text/event-stream", format!(": hello\n\n{FIRST}{LAST}")),
    ] {
        let server = Server::new().await;
        let (_client, mut news, _) = call(server.endpoint(), chat(asked_stream));
        let mut asked = server.asked().await;
        assert_eq!(asked.header("authorization").unwrap(), format!("Bearer {KEY}"));
        assert_eq!(asked.body.contains("include_usage"), asked_stream);
        asked.open(kind).await;
        asked.write(&body).await;
        drop(asked);
        let (text, end) = text(&mut news).await;
        assert_eq!((text.as_str(), end), ("Hello", Ok(())), "{kind}");
    }
}

#[tokio::test]
async fn cancelling_closes_the_socket() {
    let server = Server::new().await;
    let (client, mut news, _) = call(server.endpoint(), chat(true));
    let mut asked = server.asked().await;
    asked.open("text/event-stream").await;
    asked.write(FIRST).await;
    while !matches!(next(&mut news).await, Progress::Reply(_)) {}
    client.cancel(Ticket(1));
    asked.expect_closed().await;
}

/// Cancels a call whose answer has begun with this JSON. Fails unless the client closes the socket.
async fn cancel_closes_the_socket(request: Call, start: &str) {
    let server = Server::new().await;
    let (client, mut news, _) = call(server.endpoint(), request);
    let mut asked = server.asked().await;
    asked.open("application/json").await;
    asked.write(start).await;
    while !matches!(next(&mut news).await, Progress::Opened { .. }) {}
    client.cancel(Ticket(1));
    asked.expect_closed().await;
}

#[tokio::test]
async fn a_retry_is_announced_can_be_retried_now_and_carries_the_same_key() {
    let server = Server::new().await;
    let (client, mut news, _) = call(server.endpoint(), chat(false));
    let first = server.asked().await;
    let key = first.header("idempotency-key").unwrap();
    first.answer("429 Too Many Requests", "retry-after: 100\r\n", r#"{"error":{"message":"slow down"}}"#).await;
    let Progress::Retrying { attempt, of, at, why } = next(&mut news).await else { panic!("a retry is announced") };
    assert_eq!((attempt, of, why.kind), (2, 3, FailureKind::RateLimit));
    assert!(at > Instant::now() + Duration::from_secs(90));
    client.retry_now(Ticket(1));
    let second = server.asked().await;
    assert_eq!(second.header("idempotency-key").unwrap(), key);
    second.answer("200 OK", JSON, WHOLE).await;
    assert_eq!(text(&mut news).await, ("Hello".to_owned(), Ok(())));
}

#[tokio::test]
async fn how_long_to_wait_is_read_wherever_it_stands() {
    for (headers, body, seconds) in [
        ("retry-after-ms: 60000\r\n", "{}", Some(60)),
        ("retry-after: 60\r\n", "{}", Some(60)),
        ("", r#"{"error":{"message":"Please try again in 60s."}}"#, Some(60)),
        ("", r#"{"error":{"message":"Please try again in 1m0s."}}"#, Some(60)),
        ("x-ratelimit-remaining-requests: 0\r\nx-ratelimit-reset-requests: 1m0s\r\n", "{}", Some(60)),
        ("x-ratelimit-remaining-requests: 1\r\nx-ratelimit-reset-requests: 1m0s\r\n", "{}", None),
        ("", "{}", None),
    ] {
        let server = Server::new().await;
        let (_client, mut news, _) = call(server.endpoint(), chat(false));
        let before = Instant::now();
        server.asked().await.answer("429 Too Many Requests", headers, body).await;
        let Progress::Retrying { at, why, .. } = next(&mut news).await else { panic!("{headers}{body}") };
        assert_eq!(why.retry_after, seconds.map(Duration::from_secs), "{headers}{body}");
        assert!(at >= before + why.retry_after.unwrap_or(limits::RETRY_FIRST / 2), "{headers}{body}");
    }
}

#[tokio::test]
async fn what_no_retry_can_cure_is_said_at_once() {
    for (status, headers, body, kind) in [
        ("400 Bad Request", "", "{}", FailureKind::Refused),
        ("400 Bad Request", "x-should-retry: true\r\n", "{}", FailureKind::Refused),
        ("401 Unauthorized", "x-should-retry: true\r\n", "{}", FailureKind::Auth),
        ("403 Forbidden", "x-should-retry: true\r\n", "{}", FailureKind::Auth),
        ("404 Not Found", "x-should-retry: true\r\n", "{}", FailureKind::Unsupported),
        ("422 Unprocessable Entity", "x-should-retry: true\r\n", "{}", FailureKind::Refused),
        ("401 Unauthorized", "", r#"{"error":{"message":"no"}}"#, FailureKind::Auth),
        ("403 Forbidden", "", "", FailureKind::Auth),
        ("404 Not Found", "", "404 page not found", FailureKind::Unsupported),
        ("422 Unprocessable Entity", "", r#"{"detail":[{"loc":["body","n"],"msg":"bad"}]}"#, FailureKind::Refused),
        ("429 Too Many Requests", "", r#"{"error":{"type":"insufficient_quota","message":"q"}}"#, FailureKind::Quota),
        ("429 Too Many Requests", "retry-after: 121\r\n", "{}", FailureKind::RateLimit),
        (
            "503 Service Unavailable",
            "x-should-retry: false\r\n",
            "<html><title>Down</title></html>",
            FailureKind::Server,
        ),
        ("400 Bad Request", "", r#"{"error":{"code":"context_length_exceeded"}}"#, FailureKind::TooLong),
    ] {
        let server = Server::new().await;
        let (_client, mut news, _) = call(server.endpoint(), chat(false));
        server.asked().await.answer(status, headers, body).await;
        let why = failed(&mut news).await;
        assert_eq!(why.kind, kind, "{status}: {}", why.sentence.raw());
        assert!(why.sentence.raw().starts_with(&status[..3]), "{}", why.sentence.raw());
    }
}

#[tokio::test]
async fn the_servers_word_on_another_attempt_counts() {
    for (status, word, again) in [
        ("418 I'm a teapot", "true", true),
        ("501 Not Implemented", " True", true),
        ("501 Not Implemented", "maybe", false),
        ("409 Conflict", "maybe", true),
        ("409 Conflict", "false", false),
        ("429 Too Many Requests", "FALSE", false),
        ("500 Internal Server Error", "false", false),
    ] {
        let server = Server::new().await;
        let (_client, mut news, _) = call(server.endpoint(), chat(false));
        server.asked().await.answer(status, &format!("x-should-retry: {word}\r\n"), "{}").await;
        let said = next(&mut news).await;
        assert_eq!(matches!(said, Progress::Retrying { .. }), again, "{status} {word}: {said:?}");
    }
}

#[tokio::test]
async fn three_attempts_and_no_more() {
    let server = Server::new().await;
    let (client, mut news, _) = call(server.endpoint(), chat(false));
    for attempt in 1..=3 {
        server.asked().await.answer("500 Internal Server Error", "", "").await;
        match next(&mut news).await {
            Progress::Retrying { attempt: coming, .. } => {
                assert_eq!(coming, attempt + 1);
                client.retry_now(Ticket(1));
            }
            Progress::Closed(Err(why)) => assert_eq!((attempt, why.kind), (3, FailureKind::Server)),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_wait_up_to_the_limit_is_waited_for_and_no_longer_one() {
    for (over, waits) in [(-1, true), (0, true), (1, false)] {
        let seconds = limits::RETRY_AFTER_MOST.as_secs().saturating_add_signed(over);
        let server = Server::new().await;
        let (_client, mut news, _) = call(server.endpoint(), chat(false));
        server.asked().await.answer("503 Busy", &format!("retry-after: {seconds}\r\n"), "").await;
        let said = next(&mut news).await;
        assert_eq!(matches!(said, Progress::Retrying { .. }), waits, "{seconds}: {said:?}");
    }
}

#[tokio::test]
async fn a_retry_now_between_two_waits_does_not_end_the_next() {
    let server = Server::new().await;
    let (client, mut news, _) = call(server.endpoint(), chat(false));
    server.asked().await.answer("503 Busy", "retry-after-ms: 1\r\n", "").await;
    assert!(matches!(next(&mut news).await, Progress::Retrying { attempt: 2, .. }));
    let second = server.asked().await;
    // No wait is on: there is nothing to end.
    client.retry_now(Ticket(1));
    // Once a second call's request is here, the order before it has been taken.
    client.call(Ticket(2), Arc::new(server.endpoint()), Call::Models);
    let _other = server.asked().await;
    second.answer("503 Busy", "retry-after: 100\r\n", "").await;
    assert!(matches!(next(&mut news).await, Progress::Retrying { attempt: 3, .. }));
    client.call(Ticket(3), Arc::new(server.endpoint()), Call::Models);
    let third = server.asked().await;
    assert!(third.head.starts_with("GET"), "the countdown was not skipped: {}", third.head);
    client.retry_now(Ticket(1));
    server.asked().await.answer("200 OK", JSON, WHOLE).await;
    assert_eq!(text(&mut news).await, ("Hello".to_owned(), Ok(())));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let (server, other) = (Server::new().await, Server::new().await);
    let (_client, mut news, _) = call(server.endpoint(), chat(false));
    let to = format!("location: http://{}/v1/chat/completions\r\n", other.listener.local_addr().unwrap());
    server.asked().await.answer("307 Temporary Redirect", &to, "").await;
    assert!(failed(&mut news).await.sentence.contains("redirect"));
    assert!(other.listener.accept().now_or_never().is_none(), "neither key nor body went there");
}

#[tokio::test]
async fn a_server_that_refuses_usage_is_asked_without_and_never_again() {
    let server = Server::new().await;
    let (client, mut news, endpoint) = call(server.endpoint(), chat(true));
    let first = server.asked().await;
    assert!(first.body.contains("stream_options"));
    let refused = first.header("idempotency-key").unwrap();
    first
        .answer(
            "400 Bad Request",
            "",
            r#"{"error":{"message":"Unrecognized request argument supplied: stream_options"}}"#,
        )
        .await;
    for ticket in [1, 2] {
        if ticket == 2 {
            client.call(Ticket(2), Arc::clone(&endpoint), chat(true));
        }
        let mut asked = server.asked().await;
        assert!(!asked.body.contains("stream_options"));
        assert_ne!(asked.header("idempotency-key").unwrap(), refused, "another request bears another key");
        asked.open("text/event-stream").await;
        asked.write(&format!("{FIRST}{LAST}")).await;
        drop(asked);
        assert_eq!(text(&mut news).await, ("Hello".to_owned(), Ok(())));
    }
}

#[tokio::test]
async fn an_answer_that_breaks_off_never_looks_complete() {
    for rest in ["", "data: {\"choices\":[{\"ind", "data: {\"error\":{\"message\":\"overloaded\"}}\n\n"] {
        let server = Server::new().await;
        let (_client, mut news, _) = call(server.endpoint(), chat(true));
        let mut asked = server.asked().await;
        asked.open("text/event-stream").await;
        asked.write(&format!("{FIRST}{rest}")).await;
        drop(asked);
        let (text, end) = text(&mut news).await;
        let why = end.unwrap_err();
        assert_eq!(text, "Hel");
        if rest.contains("error") {
            assert!(why.sentence.contains("overloaded"), "{}", why.sentence.raw());
        } else {
            assert_eq!(why.kind, FailureKind::CutOff, "{}", why.sentence.raw());
        }
    }
}

#[tokio::test]
async fn silence_has_a_limit_before_and_in_the_answer() {
    let server = Server::new().await;
    let limit = Duration::from_millis(200);
    let (_client, mut news, _) = call(Endpoint { idle_limit: limit, ..server.endpoint() }, chat(true));
    let mut asked = server.asked().await;
    // The client may have lost its patience already.
    asked.write_while_open(format!("HTTP/1.1 200 OK\r\n\r\n{FIRST}").as_bytes()).await;
    assert_eq!(failed(&mut news).await.kind, FailureKind::Timeout);
    drop(asked);
    let (_client, mut news, _) = call(Endpoint { headers_limit: limit, ..server.endpoint() }, chat(true));
    let _silent = server.listener.accept().await.unwrap();
    let Progress::Retrying { why, .. } = next(&mut news).await else { panic!("it is tried again") };
    assert_eq!(why.kind, FailureKind::Timeout);
}

#[tokio::test]
async fn nobody_there_is_said_plainly() {
    // A port that is taken, so that nobody else can answer there, and where nobody listens.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let endpoint = Endpoint::new(format!("http://{}/v1", socket.local_addr().unwrap()), None);
    let (_client, mut news, _) = call(endpoint, Call::Models);
    let Progress::Retrying { why, .. } = next(&mut news).await else { panic!("it is tried again") };
    assert_eq!(why.kind, FailureKind::Offline);
    assert!(why.sentence.contains("is the server running?"), "{}", why.sentence.raw());
}
