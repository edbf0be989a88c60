//! A server and its key checked step by step.

use std::time::Duration;

use benchtop::api::call::{Call, Failure, FailureKind, Progress, Reply, Ticket};
use benchtop::api::check::{CheckOutcome, CheckStep, Checked};
use benchtop::settings::Endpoint;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::certificates;
use crate::server::{JSON, KEY, LIMIT, Server, call, next};
use crate::tls::{self, fixture};

use CheckOutcome::{Failed, Noted, Passed};
use CheckStep::{Certificate, Connection, Key, Models, Name};

/// Receives the steps of a check, and its end.
async fn told(news: &mut mpsc::Receiver<(Ticket, Progress)>) -> (Vec<Checked>, Result<(), Failure>) {
    let mut steps = Vec::new();
    loop {
        match next(news).await {
            Progress::Reply(Reply::Checked(checked)) => steps.push(checked),
            Progress::Closed(ended) => return (steps, ended),
            _ => {}
        }
    }
}

fn outcomes(steps: &[Checked]) -> Vec<(CheckStep, CheckOutcome)> {
    steps.iter().map(|checked| (checked.step, checked.outcome)).collect()
}

fn words(steps: &[Checked], step: CheckStep) -> String {
    let found = steps.iter().find(|checked| checked.step == step);
    let Some(checked) = found else { panic!("{step:?}: {steps:?}") };
    checked.words.line().into_owned()
}

/// Checks a server that answers the request by hand. The first connection only sees whether there is a server.
async fn answered(status: &str, headers: &str, body: &str) -> (Vec<Checked>, Result<(), Failure>, String) {
    let server = Server::new().await;
    let (_client, mut news, _) = call(server.endpoint(), Call::Check);
    drop(server.listener.accept().await.unwrap());
    let asked = server.asked().await;
    let head = asked.head.clone();
    asked.answer(status, headers, body).await;
    let (steps, ended) = told(&mut news).await;
    (steps, ended, head)
}

#[tokio::test]
async fn each_step_is_told_and_one_request_is_sent() {
    let (steps, ended, head) = answered("200 OK", JSON, r#"{"object":"list","data":[{"id":"a"},{"id":"b"}]}"#).await;
    let all = [(Name, Passed), (Connection, Passed), (Certificate, Passed), (Key, Passed), (Models, Passed)];
    assert_eq!((outcomes(&steps), ended.is_ok()), (all.to_vec(), true), "{steps:?}");
    assert!(head.starts_with("GET /v1/models HTTP/1.1") && head.contains(KEY), "{head}");
    assert_eq!(words(&steps, Name), "127.0.0.1");
    assert!(words(&steps, Connection).contains(" ms"));
    assert_eq!([words(&steps, Key), words(&steps, Models)], ["not refused for the list of models", "2 models"]);
}

#[tokio::test]
async fn a_key_that_is_refused_is_told_in_the_servers_words_without_the_key() {
    let body = format!("{{\"error\":{{\"message\":\"Incorrect API key provided: {KEY}. Ask Ann.\"}}}}");
    let (steps, ended, _) = answered("401 Unauthorized", JSON, &body).await;
    assert_eq!(outcomes(&steps).last(), Some(&(Key, Failed)), "{steps:?}");
    let said = words(&steps, Key);
    assert!(said.contains("Incorrect API key provided") && said.contains("Ask Ann"), "{said}");
    assert_eq!(ended.unwrap_err().status, Some(401));
    assert!(!format!("{steps:?}").contains(KEY), "{steps:?}");
}

#[tokio::test]
async fn a_server_without_a_list_may_still_chat() {
    let (steps, ended, _) = answered("404 Not Found", JSON, "{}").await;
    assert_eq!(outcomes(&steps)[3..], [(Key, Noted), (Models, Noted)], "{steps:?}");
    assert_eq!(words(&steps, Models), "no list of models (404): chat may still work");
    assert!(ended.is_ok());
}

#[tokio::test]
async fn what_is_no_list_is_said() {
    for (status, body) in [("200 OK", "<html>"), ("500 Internal Server Error", "{\"error\":\"broken\"}")] {
        let (steps, ended, _) = answered(status, JSON, body).await;
        assert_eq!(outcomes(&steps).last(), Some(&(Models, Failed)), "{steps:?}");
        assert!(ended.is_err(), "{status}");
    }
}

#[tokio::test]
async fn a_refused_connection_ends_the_check() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let (_client, mut news, _) = call(Endpoint::new(url, None), Call::Check);
    let (steps, ended) = told(&mut news).await;
    assert_eq!(outcomes(&steps), [(Name, Passed), (Connection, Failed)], "{steps:?}");
    assert!(words(&steps, Connection).contains("nothing is listening"));
    assert!(ended.is_err());
}

#[tokio::test]
async fn a_certificate_is_accepted_or_explained() {
    let url = tls::serve();
    let (_client, mut news, _) = call(Endpoint::new(url.clone(), None), Call::Check);
    let (steps, ended) = told(&mut news).await;
    assert_eq!(outcomes(&steps), [(Name, Passed), (Connection, Passed), (Certificate, Failed)], "{steps:?}");
    let said = words(&steps, Certificate);
    assert!(said.contains("not issued by an authority that this machine trusts"), "{said}");
    // Who issued it tells who stands between: nothing was sent to find that out.
    assert!(
        said.ends_with("It was issued by benchtop test authority; valid from 2026-11-26 until 2126-11-02"),
        "{said}"
    );
    assert!(ended.is_err());
    let trusted = certificates::endpoint(&url, &fixture("authority.pem")).unwrap();
    let (_client, mut news, _) = call(trusted, Call::Check);
    let (steps, ended) = told(&mut news).await;
    let accepted = "accepted; issued by benchtop test authority; valid from 2026-11-26 until 2126-11-02";
    assert_eq!([words(&steps, Certificate), words(&steps, Models)], [accepted, "1 model"], "{steps:?}");
    assert!(ended.is_ok() && words(&steps, Key).contains("none is sent"));
}

#[tokio::test]
async fn a_check_is_stopped_and_its_connection_closed() {
    let server = Server::new().await;
    let (client, _news, _) = call(server.endpoint(), Call::Check);
    drop(server.listener.accept().await.unwrap());
    let mut asked = server.asked().await;
    client.cancel(Ticket(1));
    assert_eq!(asked.socket.read(&mut [0; 8]).await.unwrap_or(0), 0, "it is closed");
}

#[tokio::test]
async fn a_certificate_that_has_expired_is_told_with_its_dates() {
    let url = tls::serve_with("expired");
    let trusted = certificates::endpoint(&url, &fixture("expired-authority.pem")).unwrap();
    let (_client, mut news, _) = call(trusted, Call::Check);
    let (steps, ended) = told(&mut news).await;
    assert_eq!(outcomes(&steps).last(), Some(&(Certificate, Failed)), "{steps:?}");
    let said = words(&steps, Certificate);
    assert!(said.contains("it has expired") && said.contains("valid from 2020-01-01 until 2021-03-01"), "{said}");
    assert!(ended.is_err());
}

#[tokio::test]
async fn a_certificate_for_another_name_is_told() {
    let url = certificates::elsewhere(&tls::serve());
    let trusted = certificates::endpoint(&url, &fixture("authority.pem")).unwrap();
    let (_client, mut news, _) = call(trusted, Call::Check);
    let (steps, ended) = told(&mut news).await;
    assert_eq!(outcomes(&steps).last(), Some(&(Certificate, Failed)), "{steps:?}");
    assert!(words(&steps, Certificate).contains("it is for another host name"), "{steps:?}");
    assert!(ended.is_err());
}

#[tokio::test]
async fn a_name_that_does_not_resolve_ends_the_check() {
    // The name is reserved for tests: no resolver knows it.
    let (_client, mut news, _) = call(Endpoint::new("http://server.invalid/v1", None), Call::Check);
    let (steps, ended) = told(&mut news).await;
    assert_eq!(outcomes(&steps), [(Name, Failed)], "{steps:?}");
    assert!(words(&steps, Name).contains("the name server.invalid has no address"), "{steps:?}");
    assert!(ended.is_err());
}

#[tokio::test]
async fn a_server_that_takes_connections_and_says_nothing_ends_the_check() {
    // In the clear it is the answer that does not come, over TLS the handshake as well.
    for scheme in ["http", "https"] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("{scheme}://{}/v1", listener.local_addr().unwrap());
        let limit = Duration::from_secs(2);
        let silent =
            Endpoint { headers_limit: limit, connect_limit: limit, ..Endpoint::new(url, Some(KEY.to_owned().into())) };
        let (_client, mut news, _) = call(silent, Call::Check);
        let taking = tokio::spawn(async move {
            // The first connection only sees whether there is a server.
            drop(listener.accept().await.unwrap());
            let (mut taken, mut begins) = (listener.accept().await.unwrap().0, [0; 4]);
            taken.read_exact(&mut begins).await.unwrap();
            (taken, begins)
        });
        let (steps, ended) = told(&mut news).await;
        let (_taken, begins) = tokio::time::timeout(LIMIT, taking).await.expect("it is asked").unwrap();
        assert_eq!(&begins == b"GET ", scheme == "http", "{begins:?}");
        assert_eq!(outcomes(&steps)[..2], [(Name, Passed), (Connection, Passed)], "{steps:?}");
        assert_eq!(outcomes(&steps).last(), Some(&(Key, Failed)), "{steps:?}");
        assert_eq!(ended.unwrap_err().kind, FailureKind::Timeout, "{steps:?}");
    }
}
