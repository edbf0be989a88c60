//! What is secret goes to its server alone, and is shown nowhere.

use std::process::Stdio;

use benchtop::api::call::{Failure, Progress};
use benchtop::settings::{Endpoint, Route, limits};
use benchtop::text::Untrusted;
use tokio::net::TcpListener;

use crate::server::{JSON, KEY, Server, WHOLE, call, chat, failed, next, text};

/// Returns all texts of a failure that are shown, copied or stored. Its `Debug` has fewer.
fn said(why: &Failure) -> String {
    let Failure { kind: _, sentence, status: _, code, request_id, attempts: _, retry_after: _, headers, body } = why;
    let values = headers.iter().map(|(_, value)| value);
    let texts = [sentence, body].into_iter().chain(code).chain(request_id).chain(values);
    texts.map(Untrusted::raw).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn a_key_that_comes_back_is_masked() {
    let server = Server::new().await;
    let (_client, mut news, _) = call(server.endpoint(), chat(false));
    let body = format!("{{\"error\":{{\"message\":\"Incorrect API key provided: {KEY}\"}}}}");
    server.asked().await.answer("401 Unauthorized", &format!("x-request-id: r-{KEY}\r\n"), &body).await;
    let why = said(&failed(&mut news).await);
    assert!(!why.contains(KEY) && why.contains("…Qx7a"), "{why}");
}

const HEADER: &str = "basic-zyxwvut-0987654321";

/// Returns an endpoint with a secret header besides its key.
fn guarded(server: &Server) -> Endpoint {
    let headers = [("x-gate".to_owned(), format!("Basic {HEADER}"))].into();
    Endpoint { headers, ..server.endpoint() }
}

#[tokio::test]
async fn no_secret_is_shown_wherever_a_text_is_cut() {
    for secret in [KEY, HEADER] {
        for cut in [limits::ERROR_WORDS, limits::ERROR_BODY_SHOWN] {
            for inside in [1, 12, secret.len() - 1] {
                let before = "x".repeat(cut - inside);
                for (status, body) in [
                    ("400 Bad Request", format!("{before}{secret}")),
                    ("200 OK", format!("{before}{secret}")),
                    ("200 OK", format!("{{\"error\":\"{before}{secret}\"}}")),
                ] {
                    let server = Server::new().await;
                    let (_client, mut news, _) = call(guarded(&server), chat(false));
                    server.asked().await.answer(status, JSON, &body).await;
                    let why = said(&failed(&mut news).await);
                    // What goes before the last four characters is nobody's to see.
                    assert!(
                        !why.contains(&secret[..inside.min(6)]) || inside == 1,
                        "{inside} of {secret} at {cut}: {why}"
                    );
                }
            }
        }
    }
}

#[tokio::test]
async fn a_long_secret_is_not_shown_where_the_reading_ends() {
    let secret = "zyxwvut-0987".repeat(100);
    let server = Server::new().await;
    let headers = [("x-gate".to_owned(), secret.clone())].into();
    let (_client, mut news, _) = call(Endpoint { headers, ..server.endpoint() }, chat(false));
    // Masked, what is read is short enough that its end is shown.
    let body = secret.repeat(limits::ERROR_BODY / secret.len() + 1);
    server.asked().await.answer("200 OK", JSON, &body).await;
    let why = said(&failed(&mut news).await);
    assert!(!why.contains("zyxw"), "{why}");
}

#[tokio::test]
async fn what_cannot_be_parsed_and_what_is_tried_again_is_masked_too() {
    for (status, body) in [
        ("503 Busy", format!("no place for {KEY} behind {HEADER}")),
        ("200 OK", format!("{{\"error\":{{\"message\":\"sk\\u002d{} {HEADER}\"}}}}", &KEY[3..])),
        ("200 OK", format!("{{\"choices\":\"{KEY}\",\"x\":\"{HEADER}\"}}")),
    ] {
        let server = Server::new().await;
        let (_client, mut news, _) = call(guarded(&server), chat(false));
        server.asked().await.answer(status, "x-request-id: r-basic-zyxwvut-0987654321\r\n", &body).await;
        let why = match next(&mut news).await {
            Progress::Retrying { why, .. } | Progress::Closed(Err(why)) => said(&why),
            Progress::Opened { request_id } => {
                let id = request_id.expect("the server sent one");
                format!("{} {}", id.raw(), said(&failed(&mut news).await))
            }
            other => panic!("{other:?}"),
        };
        assert!(!why.contains(&KEY[3..]) && !why.contains(HEADER), "{why}");
        assert!(why.contains("…4321"), "{why}");
    }
}

/// Makes a call to the address in `BENCHTOP_TEST_TO`: what the process of its own below does.
async fn call_out(to: &str, route: Route) {
    let endpoint = Endpoint { route, ..Endpoint::new(to, Some(KEY.into())) };
    let (_client, mut news, _) = call(endpoint, chat(false));
    assert_eq!(text(&mut news).await, ("Hello".to_owned(), Ok(())));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn no_proxy_of_the_environments_gets_the_key() {
    // 0.0.0.0 leads to this machine, and is not taken for loopback.
    if let Ok(to) = std::env::var("BENCHTOP_TEST_TO") {
        return call_out(&to, Route::default()).await;
    }
    let (server, proxy) = (Server::new().await, TcpListener::bind("127.0.0.1:0").await.unwrap());
    let to = server.endpoint().base_url.replace("127.0.0.1", "0.0.0.0");
    let through = format!("http://{}", proxy.local_addr().unwrap());
    let mut again = std::process::Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", "secrets::no_proxy_of_the_environments_gets_the_key"]).env("BENCHTOP_TEST_TO", &to);
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY"] {
        again.env(name, &through);
    }
    let mut child = again.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    tokio::select! {
        asked = server.asked() => asked.answer("200 OK", JSON, WHOLE).await,
        _ = proxy.accept() => panic!("the proxy was asked"),
    }
    let status = tokio::task::spawn_blocking(move || child.wait()).await.unwrap().unwrap();
    assert!(status.success());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_proxy_of_the_profiles_is_used_but_for_its_exceptions() {
    for (except, direct) in [(None, false), (Some("0.0.0.0"), true)] {
        let (server, proxy) = (Server::new().await, Server::new().await);
        let to = server.endpoint().base_url.replace("127.0.0.1", "0.0.0.0");
        let all = Some(format!("http://{}", proxy.listener.local_addr().unwrap()));
        let route = Route { all, except: except.map(str::to_owned), ..Route::default() };
        let calling = tokio::spawn(async move { call_out(&to, route).await });
        let (asked, came_direct) = tokio::select! {
            asked = server.asked() => (asked, true),
            asked = proxy.asked() => (asked, false),
        };
        asked.answer("200 OK", JSON, WHOLE).await;
        assert_eq!(came_direct, direct);
        calling.await.unwrap();
    }
}

#[tokio::test]
async fn a_secret_of_the_query_is_masked_decoded_too() {
    let server = Server::new().await;
    let mut endpoint = server.endpoint();
    endpoint.base_url.push_str("?api-version=v1&code=Zm9v%2FYmFy%3D%3D");
    let (_client, mut news, _) = call(endpoint, chat(false));
    let body = r#"{"error":{"message":"the code Zm9v/YmFy== of Zm9v%2FYmFy%3D%3D is wrong for v1"}}"#;
    server.asked().await.answer("400 Bad Request", JSON, body).await;
    let why = said(&failed(&mut news).await);
    assert!(!why.contains("Zm9v") && why.contains("for v1"), "{why}");
}

/// Whatever of an answer is shown beside its text.
#[tokio::test]
async fn a_key_in_names_ids_and_addresses_of_an_answer_is_masked() {
    let fields = format!(
        r#""tool_calls":[{{"index":0,"id":"call_{KEY}","function":{{"name":"f_{KEY}","arguments":"{{}}"}}}}],
        "function_call":{{"name":"g_{KEY}","arguments":""}},
        "annotations":[{{"type":"url_citation","url_citation":{{"url":"https://x.example/?key={KEY}"}}}}],
        "images":[{{"type":"{KEY}","image_url":{{"url":"https://x.example/{KEY}.png"}}}}]"#
    )
    .replace('\n', "");
    let choice = |field: &str| {
        format!(
            r#"{{"model":"m-{KEY}","choices":[{{"index":0,"{field}":{{"content":"a",{fields}}},"finish_reason":"stop {KEY}"}}]}}"#
        )
    };
    for (streamed, kind, body) in [
        (true, "text/event-stream", format!("data: {}\n\ndata: [DONE]\n\n", choice("delta"))),
        (false, "application/json", choice("message")),
    ] {
        let server = Server::new().await;
        let (_client, mut news, _) = call(server.endpoint(), chat(streamed));
        let mut asked = server.asked().await;
        asked.open(kind).await;
        asked.write(&body).await;
        drop(asked);
        let mut shown = Vec::new();
        loop {
            match next(&mut news).await {
                Progress::Closed(end) => break end.unwrap(),
                other => shown.push(format!("{other:?}")),
            }
        }
        let shown = shown.concat();
        assert!(shown.contains("https://x.example/") && shown.contains("call_"), "{shown}");
        assert!(!shown.contains(KEY), "{shown}");
    }
}
