//! What every request passes before its route, what is watched from outside, and the bounds of bodies.

use std::io::Write as _;

use benchtop::service::{State, router};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tower::ServiceExt as _;

use crate::desk::{BROKEN, KEY, ask, chat, client, error, request, send, serving};

const PLAIN: &str = "GET /v1/models HTTP/1.1\r\nConnection: close\r\nAuthorization: Bearer sk-local-test\r\n";

/// Sends bytes to a service and returns the status and the body of its answer.
async fn raw(bytes: &str) -> (u16, Value) {
    let service = serving().await;
    let at = service.base_url().replace("http://", "").replace("/v1", "");
    let mut stream = TcpStream::connect(at).await.unwrap();
    stream.write_all(bytes.as_bytes()).await.unwrap();
    let mut answer = String::new();
    tokio::time::timeout(BROKEN, stream.read_to_string(&mut answer)).await.unwrap().unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    let body = answer.split_once("\r\n\r\n").unwrap().1;
    (status, serde_json::from_str(body).unwrap_or(Value::String(body.into())))
}

#[tokio::test]
async fn a_second_host_that_is_foreign_is_refused() {
    for (hosts, status) in [
        ("Host: 127.0.0.1\r\n", 200),
        ("Host: localhost\r\nHost: evil.example\r\n", 403),
        ("Host: evil.example\r\nHost: localhost\r\n", 403),
        ("", 403),
    ] {
        assert_eq!(raw(&format!("{PLAIN}{hosts}\r\n")).await.0, status, "{hosts:?}");
    }
}

#[tokio::test]
async fn a_long_address_and_large_headers_are_refused_with_a_body() {
    let message = |body: &Value| body["error"]["message"].as_str().unwrap_or_default().to_owned();
    let long = PLAIN.replace("/v1/models", &format!("/v1/models?{}", "x".repeat(9 << 10)));
    let (status, body) = raw(&format!("{long}Host: localhost\r\n\r\n")).await;
    assert!(status == 414 && message(&body).contains("more than the 8192 allowed"), "{status} {body}");
    for headers in [format!("X-Large: {}\r\n", "x".repeat(70 << 10)), "X-Many: 1\r\n".repeat(300)] {
        let (status, body) = raw(&format!("{PLAIN}Host: localhost\r\n{headers}\r\n")).await;
        assert!(status == 431 && message(&body).contains("at most 256 headers of 65536 bytes"), "{status} {body}");
    }
}

#[tokio::test]
async fn bodies_packed_with_gzip_are_read_within_the_same_bound() {
    let packed = |text: &str| {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(text.as_bytes()).unwrap();
        packer.finish().unwrap()
    };
    let encoded = |encoding: &'static str, body: Vec<u8>| {
        let mut request = request("POST", "/v1/chat/completions", body);
        request.headers_mut().insert("content-encoding", encoding.parse().unwrap());
        send(request)
    };
    let body = chat(&json!({})).to_string();
    let (status, _, answer) = encoded("GZip", packed(&body)).await;
    assert_eq!((status.as_u16(), &answer["object"]), (200, &json!("chat.completion")), "{answer}");
    assert_eq!(encoded("identity", body.clone().into()).await.0, 200);
    let (status, _, answer) = encoded("gzip", packed(&" ".repeat(200 << 20))).await;
    assert_eq!((status.as_u16(), answer["error"]["message"].as_str().unwrap().contains("8 MiB")), (413, true));
    let (status, _, answer) = encoded("gzip", body.clone().into()).await;
    assert_eq!((status.as_u16(), answer["error"]["message"].as_str().unwrap().contains("gzip")), (400, true));
    let (status, _, answer) = encoded("br", body.into()).await;
    let message = "The body of your request is encoded as 'br', which the local service does not read here. Please \
                   send it as it is, or with gzip.";
    assert_eq!((status.as_u16(), answer), (415, error(message, None, None)));
    let mut upload = request("POST", "/v1/files", packed("x"));
    upload.headers_mut().insert("content-encoding", "gzip".parse().unwrap());
    assert_eq!(send(upload).await.0, 415);
}

#[tokio::test]
async fn what_a_body_may_hold_is_bounded_by_count() {
    let many = |item: Value, count: usize| Value::Array(vec![item; count]);
    let message = json!({"role": "user", "content": ""});
    let (status, _, body) = send(request(
        "POST",
        "/v1/chat/completions",
        chat(&json!({"messages": many(message.clone(), 2049)})).to_string(),
    ))
    .await;
    let words = "Too many messages in one request: 2049. Please send 2048 at most.";
    assert_eq!((status.as_u16(), body), (400, error(words, Some("messages"), None)));
    let values = |field: &str| format!("'{field}' has too many values: at most 32768 are allowed. Please send fewer.");
    let numbers =
        |field: &str| format!("'{field}' has too many numbers: at most 524288 are allowed. Please send fewer.");
    for (path, body, words) in [
        ("chat/completions", chat(&json!({"messages": many(message, 40_000)})), values("messages")),
        ("chat/completions", chat(&json!({"metadata": many(json!({}), 40_000)})), values("metadata")),
        ("chat/completions", chat(&json!({"stop": many(json!(""), 40_000)})), values("stop")),
        ("completions", json!({"model": "ada", "prompt": many(json!([1]), 40_000)}), values("prompt")),
        ("embeddings", json!({"model": "text-embedding-ada-002", "input": vec![1; 600_000]}), numbers("input")),
        ("moderations", json!({"input": many(json!(""), 40_000)}), values("input")),
    ] {
        let (status, _, body) = send(request("POST", &format!("/v1/{path}"), body.to_string())).await;
        assert_eq!((status.as_u16(), body), (400, error(&words, None, None)), "{path}");
    }
}

#[tokio::test]
async fn health_needs_no_key_and_metrics_counts_by_route() {
    let state = State::new(KEY.to_owned().into()).unwrap();
    let send = async |request: axum::extract::Request| {
        let (parts, body) = router(state.clone()).oneshot(request).await.unwrap().into_parts();
        (parts.status.as_u16(), String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap())
    };
    let without_key = |path: &str| {
        let mut request = request("GET", path, "");
        request.headers_mut().remove("authorization");
        request
    };
    assert_eq!(send(without_key("/health")).await, (200, r#"{"status":"ok"}"#.into()));
    let mut foreign = without_key("/health");
    foreign.headers_mut().insert("host", "evil.example".parse().unwrap());
    assert_eq!(send(foreign).await.0, 403);
    assert_eq!(send(without_key("/metrics")).await.0, 401);
    let (status, answer) = send(request("POST", "/v1/chat/completions", chat(&json!({})).to_string())).await;
    assert_eq!(status, 200);
    let streamed = chat(&json!({"stream": true})).to_string();
    assert_eq!(send(request("POST", "/v1/chat/completions", streamed)).await.0, 200);
    for at in 0..3 {
        send(request("GET", &format!("/v1/models/none-{at}"), "")).await;
        send(request("BREW", &format!("/coffee-{at}"), "")).await;
    }
    let (status, text) = send(request("GET", "/metrics", "")).await;
    assert_eq!(status, 200);
    let usage: Value = serde_json::from_str(&answer).unwrap();
    let (prompt, written) = (&usage["usage"]["prompt_tokens"], usage["usage"]["completion_tokens"].as_u64().unwrap());
    for line in [
        r#"benchtop_requests_total{method="POST",path="/v1/chat/completions",status="200"} 2"#.to_owned(),
        r#"benchtop_requests_total{method="GET",path="/v1/models/{model}",status="404"} 3"#.into(),
        r#"benchtop_requests_total{method="other",path="other",status="404"} 3"#.into(),
        r#"benchtop_requests_total{method="GET",path="/health",status="200"} 1"#.into(),
        r#"benchtop_requests_total{method="GET",path="/metrics",status="401"} 1"#.into(),
        format!("benchtop_tokens_total{{kind=\"prompt\"}} {}", 2 * prompt.as_u64().unwrap()),
        "benchtop_answers_live 0".into(),
        "benchtop_queue_length 0".into(),
        r#"benchtop_jobs{state="pending"} 0"#.into(),
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    let tokens = |kind: &str| {
        let line = text.lines().find(|line| line.starts_with(&format!("benchtop_tokens_total{{kind=\"{kind}\"}}")));
        line.unwrap().rsplit(' ').next().unwrap().parse::<u64>().unwrap()
    };
    assert!(written > 0 && tokens("completion") > written, "the streamed answer counts too:\n{text}");
}

/// The engine has one turn for each core but one: a request that held it while it counts would keep chats waiting.
#[tokio::test(flavor = "multi_thread")]
async fn texts_that_cannot_fit_are_refused_before_they_are_counted() {
    let service = serving().await;
    let post = |path: &str, body: Value| {
        let request = client().post(format!("{}/{path}", service.base_url())).bearer_auth(KEY);
        request.header("content-type", "application/json").body(body.to_string()).send()
    };
    let long = "hello ".repeat(8_000_000 / 6);
    let least = long.len().div_ceil(128);
    for (path, body) in [
        ("embeddings", json!({"model": "text-embedding-ada-002", "input": long})),
        ("completions", json!({"model": "text-davinci-003", "prompt": long})),
        ("chat/completions", chat(&json!({"messages": [{"role": "user", "content": long}]}))),
    ] {
        let answer = post(path, body).await.unwrap();
        let (status, body) = (answer.status().as_u16(), answer.text().await.unwrap());
        assert!(status == 400 && body.contains(&format!("at least {least} tokens")), "{path}: {status} {body}");
    }
    // Shorter than what is certain, and counted no further than needed.
    let body = json!({"model": "text-embedding-ada-002", "input": &long[..900_000]});
    let answer = post("embeddings", body).await.unwrap().text().await.unwrap();
    assert!(answer.contains("however you requested at least ") && answer.len() < 1000, "{answer}");
    assert_eq!(ask(&service, &chat(&json!({}))).await.status(), 200);
}
