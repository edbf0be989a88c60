//! All that a profile sets goes with each request, and what comes first when two set the same.

use std::time::{Duration, Instant};

use benchtop::api::call::{Call, Span, Ticket};
use benchtop::api::chat::{ChatMessage, ChatRequest};
use benchtop::settings::{Endpoint, KeySource, Paths, Profile, resolve};
use serde_json::{Value, json};

use crate::server::{JSON, KEY, Server, WHOLE, call, chat, failed, text};

/// Returns an endpoint of a profile in which everything is set.
fn full(server: &Server) -> Endpoint {
    let headers = [("x-team", "lab"), ("X-Second", "two words"), ("authorization", "Basic mine")];
    let extra = json!({
        "service_tier": "flex",
        "metadata": { "a": [1, null] },
        "seed": 7,
        "temperature": 0.1,
        "stream": "never",
        "messages": [],
    });
    let Value::Object(extra_body) = extra else { panic!() };
    Endpoint {
        organization: Some("org-1".into()),
        headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        extra_body,
        ..server.endpoint()
    }
}

#[tokio::test]
async fn organization_headers_and_fields_of_a_profile_are_sent() {
    let server = Server::new().await;
    let message = ChatMessage { role: "user".into(), content: "hi\r\n\u{1b} ".into(), ..ChatMessage::default() };
    let request = ChatRequest {
        model: "m".into(),
        messages: vec![message.clone()],
        temperature: Some(1.5),
        top_p: Some(0.5),
        n: Some(2),
        stream: Some(false),
        max_tokens: Some(9),
        logit_bias: Some([("50256".to_owned(), -100.0)].into()),
        user: Some("u".into()),
        ..ChatRequest::default()
    };
    let (_client, mut news, _) = call(full(&server), Call::Chat(Box::new(request)));
    let asked = server.asked().await;
    assert!(asked.head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{}", asked.head);
    let header = |name: &str| asked.header(name).unwrap_or_default();
    assert_eq!([header("openai-organization"), header("x-team"), header("x-second")], ["org-1", "lab", "two words"]);
    // A key that was given for this server goes before a header of the same name, once.
    assert_eq!(header("authorization"), format!("Bearer {KEY}"));
    assert_eq!(asked.head.to_lowercase().matches("\nauthorization:").count(), 1);
    let body: Value = serde_json::from_str(&asked.body).unwrap();
    // What the conversation sets goes before what the profile sets.
    let expected = json!({
        "model": "m",
        "messages": [{ "role": "user", "content": message.content.raw() }],
        "temperature": 1.5,
        "top_p": 0.5,
        "n": 2,
        "stream": false,
        "max_tokens": 9,
        "logit_bias": { "50256": -100.0 },
        "user": "u",
        "seed": 7,
        "service_tier": "flex",
        "metadata": { "a": [1, null] },
    });
    assert_eq!(body, expected);
    asked.answer("200 OK", JSON, WHOLE).await;
    assert_eq!(text(&mut news).await, ("Hello".to_owned(), Ok(())));
}

#[tokio::test]
async fn a_limit_of_the_request_takes_the_place_of_the_profiles_by_either_name() {
    const NAMES: [&str; 2] = ["max_tokens", "max_completion_tokens"];
    for (asked, profile) in [(0, 1), (1, 0), (0, 0), (1, 1)] {
        let server = Server::new().await;
        let extra_body = [(NAMES[profile].to_owned(), json!(500))].into_iter().collect();
        let newer = (asked == 1).then(|| (NAMES[1].to_owned(), json!(9)));
        let request = ChatRequest {
            model: "m".into(),
            max_tokens: (asked == 0).then_some(9),
            extra: newer.into_iter().collect(),
            ..ChatRequest::default()
        };
        let (_client, _news, _) = call(Endpoint { extra_body, ..server.endpoint() }, Call::Chat(Box::new(request)));
        let body: Value = serde_json::from_str(&server.asked().await.body).unwrap();
        let limits = NAMES.map(|name| body.get(name).cloned());
        assert_eq!((&limits[asked], &limits[1 - asked]), (&Some(json!(9)), &None), "{body}");
    }
}

#[tokio::test]
async fn a_list_of_models_is_asked_for_with_the_same_headers_and_no_body() {
    let server = Server::new().await;
    let (client, _news, endpoint) = call(full(&server), Call::Models);
    let asked = server.asked().await;
    assert!(asked.head.starts_with("GET /v1/models HTTP/1.1\r\n"), "{}", asked.head);
    assert_eq!(
        (asked.header("openai-organization"), asked.header("x-team")),
        (Some("org-1".into()), Some("lab".into()))
    );
    assert_eq!(asked.body, "");
    // Without a key the profile's own header is what there is.
    let keyless = Endpoint { key: None, ..full(&server) };
    client.cancel(Ticket(1));
    client.call(Ticket(2), std::sync::Arc::new(keyless), chat(true));
    let asked = server.asked().await;
    assert_eq!(asked.header("authorization").as_deref(), Some("Basic mine"));
    drop(endpoint);
}

#[tokio::test]
async fn the_query_of_a_base_url_goes_with_every_request_and_is_not_shown() {
    const QUERY: &str = "api-version=2024-06-01&code=hidden-code-1";
    let server = Server::new().await;
    let base_url = format!("http://{}/openai/deployments/x?{QUERY}", server.listener.local_addr().unwrap());
    let endpoint = || Endpoint { base_url: base_url.clone(), ..server.endpoint() };
    let span = Span { id: "file-1".into(), from: 0, most: 9 };
    for (called, path) in [
        (Call::Models, "models"),
        (chat(true), "chat/completions"),
        (Call::Content(Box::new(span)), "files/file-1/content"),
        (Call::Follow("ft-1".into()), "fine-tunes"),
    ] {
        let (_client, _news, _) = call(endpoint(), called);
        let asked = server.asked().await;
        let line = asked.head.lines().next().unwrap().to_owned();
        assert!(line.contains(&format!(" /openai/deployments/x/{path}")), "{line}");
        assert!(line.contains(&format!("?{QUERY} ")), "{line}");
    }
    let (_client, _news, _) = call(endpoint(), Call::Files);
    server.asked().await.answer("200 OK", JSON, r#"{"data":[{"id":"file-1"}],"has_more":true}"#).await;
    let next_page = server.asked().await;
    assert!(next_page.head.contains(&format!("/files?{QUERY}&after=file-1 ")), "{}", next_page.head);
    drop(next_page);
    let (_client, mut news, _) = call(endpoint(), chat(false));
    let body = r#"{"error":{"message":"bad code hidden-code-1 for api-version=2024-06-01"}}"#;
    server.asked().await.answer("400 Bad Request", "", body).await;
    let why = failed(&mut news).await;
    let all = format!("{} {}", why.sentence.raw(), why.body.raw());
    assert!(!all.contains("hidden-code-1") && all.contains("2024-06-01"), "{all}");
    let (_client, mut news, _) = call(endpoint(), chat(false));
    server.asked().await.answer("200 OK", "", "<html>").await;
    let sentence = failed(&mut news).await.sentence;
    assert!(sentence.contains("/openai/deployments/x sent a web page"), "{}", sentence.raw());
}

#[cfg(unix)]
#[tokio::test]
async fn a_key_command_has_ten_seconds() {
    let profile = Profile::new("https://x.example/v1", KeySource::Command("exec sleep 600".into()));
    let folder = tempfile::tempdir().unwrap();
    let paths = Paths::find(None, Some(folder.path())).unwrap();
    let start = Instant::now();
    let asked = tokio::task::spawn_blocking(move || resolve(&profile, &paths, |_| None, &[]).map(drop));
    let why = asked.await.unwrap().unwrap_err();
    assert!(why.contains("longer than 10 s"), "{why}");
    assert!(start.elapsed() >= Duration::from_secs(10));
}
