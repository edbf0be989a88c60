//! The real client against servers that misbehave on purpose, on raw sockets.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use benchtop::api::call::{Call, Failure, FailureKind, Progress, Reply, Ticket};
use benchtop::api::chat::{ChatMessage, ChatRequest};
use benchtop::client::Client;
use benchtop::settings::Endpoint;
use secrecy::SecretString;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

const KEY: &str = "sk-test-0123456789abcdefQx7a";

/// A server that answers each connection in turn by hand.
struct Server {
    listener: TcpListener,
}

/// A request as it came.
struct Asked {
    head: String,
    body: String,
    socket: TcpStream,
}

impl Server {
    async fn new() -> Self {
        Self { listener: TcpListener::bind("127.0.0.1:0").await.unwrap() }
    }

    fn endpoint(&self) -> Endpoint {
        let url = format!("http://{}/v1", self.listener.local_addr().unwrap());
        Endpoint::new(url, Some(SecretString::from(KEY)))
    }

    async fn asked(&self) -> Asked {
        let (mut socket, _) = self.listener.accept().await.unwrap();
        let mut bytes = Vec::new();
        loop {
            let mut piece = [0; 4096];
            let read = socket.read(&mut piece).await.unwrap();
            bytes.extend_from_slice(&piece[..read]);
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
            let length = head
                .to_lowercase()
                .split("content-length: ")
                .nth(1)
                .and_then(|rest| rest.split("\r\n").next().and_then(|number| number.trim().parse::<usize>().ok()));
            if body.len() >= length.unwrap_or(0) {
                return Asked { head: head.to_owned(), body: body.to_owned(), socket };
            }
        }
    }
}

impl Asked {
    fn header(&self, name: &str) -> Option<String> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned()).next()
    }

    /// The whole answer; the connection closes.
    async fn answer(mut self, status: &str, headers: &str, body: &str) {
        let length = body.len();
        let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n");
        self.write(&head).await;
        self.write(body).await;
    }

    /// The head of a stream that ends when the connection does.
    async fn open(&mut self, kind: &str) {
        self.write(&format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n")).await;
    }

    async fn write(&mut self, text: &str) {
        self.socket.write_all(text.as_bytes()).await.unwrap();
    }
}

fn chat(stream: bool) -> Call {
    let message = ChatMessage { role: "user".into(), content: "hi".into(), name: None };
    let request =
        ChatRequest { model: "m".into(), messages: vec![message], stream: Some(stream), ..ChatRequest::default() };
    Call::Chat(Box::new(request))
}

const JSON: &str = "content-type: application/json\r\n";
const WHOLE: &str = r#"{"choices":[{"message":{"content":"Hello"},"finish_reason":"stop"}]}"#;
const FIRST: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hel\"}}]}\n\n";
const LAST: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"lo\"},\"finish_reason\":\"stop\"}]}\n\n";

type News = mpsc::Receiver<(Ticket, Progress)>;

/// A client with one call made.
fn call(endpoint: Endpoint, call: Call) -> (Client, News, Arc<Endpoint>) {
    let (client, news) = Client::spawn(None);
    let endpoint = Arc::new(endpoint);
    client.call(Ticket(1), Arc::clone(&endpoint), call);
    (client, news, endpoint)
}

async fn next(news: &mut News) -> Progress {
    loop {
        let (_, progress) = tokio::time::timeout(Duration::from_secs(20), news.recv()).await.unwrap().unwrap();
        if !matches!(progress, Progress::Moved { .. }) {
            return progress;
        }
    }
}

/// All text until the end, and the end.
async fn text(news: &mut News) -> (String, Result<(), Failure>) {
    let mut text = String::new();
    loop {
        match next(news).await {
            Progress::Reply(Reply::ChatChunk(chunk)) => {
                text.extend(chunk.choices.into_iter().filter_map(|choice| choice.delta.content));
            }
            Progress::Reply(Reply::Chat(whole)) => {
                text.extend(whole.choices.into_iter().filter_map(|choice| choice.message.content));
            }
            Progress::Closed(end) => return (text, end),
            Progress::Retrying { .. } => panic!("no retry is due here"),
            _ => {}
        }
    }
}

async fn failed(news: &mut News) -> Failure {
    text(news).await.1.unwrap_err()
}

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
    let mut rest = Vec::new();
    // Ends only when the other side has closed.
    let read = tokio::time::timeout(Duration::from_secs(10), asked.socket.read_to_end(&mut rest)).await.unwrap();
    assert!(read.is_err() || rest.is_empty());
}

#[tokio::test]
async fn a_retry_is_announced_can_be_hurried_and_carries_the_same_key() {
    let server = Server::new().await;
    let (client, mut news, _) = call(server.endpoint(), chat(false));
    let first = server.asked().await;
    let key = first.header("idempotency-key").unwrap();
    first.answer("429 Too Many Requests", "retry-after: 100\r\n", r#"{"error":{"message":"slow down"}}"#).await;
    let Progress::Retrying { attempt, of, at, why } = next(&mut news).await else { panic!("a retry is announced") };
    assert_eq!((attempt, of, why.kind), (2, 3, FailureKind::RateLimit));
    assert!(at > Instant::now() + Duration::from_secs(90));
    client.hurry(Ticket(1));
    let second = server.asked().await;
    assert_eq!(second.header("idempotency-key").unwrap(), key);
    second.answer("200 OK", JSON, WHOLE).await;
    assert_eq!(text(&mut news).await, ("Hello".to_owned(), Ok(())));
}

#[tokio::test]
async fn how_long_to_wait_is_read_wherever_it_stands() {
    for (headers, body, least) in [
        ("retry-after-ms: 60000\r\n", "{}", 55),
        ("retry-after: 60\r\n", "{}", 55),
        ("", r#"{"error":{"message":"Please try again in 60s."}}"#, 55),
        ("", "{}", 0),
    ] {
        let server = Server::new().await;
        let (_client, mut news, _) = call(server.endpoint(), chat(false));
        server.asked().await.answer("503 Service Unavailable", headers, body).await;
        let Progress::Retrying { at, .. } = next(&mut news).await else { panic!("{headers}{body}") };
        let wait = at.saturating_duration_since(Instant::now());
        assert!(wait >= Duration::from_secs(least) && wait <= Duration::from_mins(1), "{wait:?} {headers}{body}");
    }
}

#[tokio::test]
async fn what_no_retry_can_cure_is_said_at_once() {
    for (status, headers, body, kind) in [
        ("400 Bad Request", "", "{}", FailureKind::Refused),
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
        assert_eq!(why.kind, kind, "{status}: {}", why.sentence);
        assert!(why.sentence.starts_with(&status[..3]), "{}", why.sentence);
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
                client.hurry(Ticket(1));
            }
            Progress::Closed(Err(why)) => assert_eq!((attempt, why.kind), (3, FailureKind::Server)),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let (server, other) = (Server::new().await, Server::new().await);
    let (_client, mut news, _) = call(server.endpoint(), chat(false));
    let to = format!("location: http://{}/v1/chat/completions\r\n", other.listener.local_addr().unwrap());
    server.asked().await.answer("307 Temporary Redirect", &to, "").await;
    assert!(failed(&mut news).await.sentence.contains("redirect"));
    let came = tokio::time::timeout(Duration::from_millis(50), other.listener.accept()).await;
    assert!(came.is_err(), "neither key nor body went there");
}

#[tokio::test]
async fn a_server_that_refuses_usage_is_asked_without_and_never_again() {
    let server = Server::new().await;
    let (client, mut news, endpoint) = call(server.endpoint(), chat(true));
    let first = server.asked().await;
    assert!(first.body.contains("stream_options"));
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
            assert!(why.sentence.contains("overloaded"), "{}", why.sentence);
        } else {
            assert_eq!(why.kind, FailureKind::CutOff, "{}", why.sentence);
        }
    }
}

#[tokio::test]
async fn silence_has_a_limit_before_and_in_the_answer() {
    let server = Server::new().await;
    let limit = Duration::from_millis(200);
    let (_client, mut news, _) = call(Endpoint { idle_limit: limit, ..server.endpoint() }, chat(true));
    let mut asked = server.asked().await;
    asked.open("text/event-stream").await;
    asked.write(FIRST).await;
    assert_eq!(failed(&mut news).await.kind, FailureKind::Timeout);
    drop(asked);
    let (_client, mut news, _) = call(Endpoint { headers_limit: limit, ..server.endpoint() }, chat(true));
    let _silent = server.asked().await;
    let Progress::Retrying { why, .. } = next(&mut news).await else { panic!("it is tried again") };
    assert_eq!(why.kind, FailureKind::Timeout);
}

#[tokio::test]
async fn a_key_that_comes_back_is_masked() {
    let server = Server::new().await;
    let (_client, mut news, _) = call(server.endpoint(), chat(false));
    let body = format!("{{\"error\":{{\"message\":\"Incorrect API key provided: {KEY}\"}}}}");
    server.asked().await.answer("401 Unauthorized", &format!("x-request-id: r-{KEY}\r\n"), &body).await;
    let why = format!("{:?}", failed(&mut news).await);
    assert!(!why.contains(KEY) && why.contains("…Qx7a"), "{why}");
}

#[tokio::test]
async fn nobody_there_is_said_plainly() {
    let address = Server::new().await.endpoint();
    let (_client, mut news, _) = call(address, Call::Models);
    let Progress::Retrying { why, .. } = next(&mut news).await else { panic!("it is tried again") };
    assert_eq!(why.kind, FailureKind::Offline);
    assert!(why.sentence.contains("is the server running?"), "{}", why.sentence);
}
