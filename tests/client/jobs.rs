//! Fine-tunes in both interfaces: the real client and the real service, and servers with neither, one, or odd ones.

use std::sync::Arc;

use benchtop::api::call::{Call, Failure, FailureKind, Progress, Reply, Ticket};
use benchtop::api::fine_tune::FineTuneRequest;
use benchtop::api::job::{Dialect, Job, JobStatus};
use benchtop::client::Client;
use benchtop::service::{Keys, Options, Running, start};
use benchtop::settings::Endpoint;
use serde_json::json;

use crate::server::{JSON, KEY, News, Server, call, failed, next};

async fn service() -> Running {
    start(Options { keys: Some(Keys::single(KEY.to_owned().into())), ..Options::default() }).await.unwrap()
}

/// Makes a call; returns its only answer, or its failure.
async fn asked(client: &Client, news: &mut News, endpoint: &Arc<Endpoint>, call: Call) -> Result<Reply, Failure> {
    client.call(Ticket(2), Arc::clone(endpoint), call);
    let mut answer = None;
    loop {
        match next(news).await {
            Progress::Reply(reply) => assert!(answer.replace(reply).is_none(), "one answer"),
            Progress::Closed(end) => return end.map(|()| answer.expect("an answer")),
            Progress::Opened { .. } => {}
            other => panic!("{other:?}"),
        }
    }
}

fn job(reply: Reply) -> Job {
    match reply {
        Reply::Job(job) => *job,
        other => panic!("{other:?}"),
    }
}

/// Uploads rows for training and gives the file's id.
async fn upload(service: &Running) -> String {
    let row = |at: usize| json!({"prompt": format!("Item {at} ->"), "completion": " red\n"}).to_string() + "\n";
    let part = reqwest::multipart::Part::text((0..6).map(row).collect::<String>()).file_name("a.jsonl");
    let form = reqwest::multipart::Form::new().text("purpose", "fine-tune").part("file", part);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let url = format!("{}/files", service.base_url());
    let answer = client.post(url).bearer_auth(KEY).multipart(form).send().await.unwrap().text().await.unwrap();
    serde_json::from_str::<serde_json::Value>(&answer).unwrap()["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_job_lives_in_either_interface() {
    let service = service().await;
    let file = upload(&service).await;
    for (named, dialect, prefix) in [
        (None, Dialect::FineTunes, "ft-"),
        (Some(Dialect::FineTunes), Dialect::FineTunes, "ft-"),
        (Some(Dialect::FineTuning), Dialect::FineTuning, "ftjob-"),
    ] {
        let endpoint = Endpoint { fine_tunes: named, ..Endpoint::new(service.base_url(), Some(KEY.to_owned().into())) };
        let (client, mut news, endpoint) = call(endpoint, Call::Jobs);
        while !matches!(next(&mut news).await, Progress::Closed(Ok(()))) {}
        let order = |epochs| {
            Call::CreateJob(Box::new(FineTuneRequest {
                training_file: file.clone(),
                model: Some("ada".into()),
                n_epochs: Some(epochs),
                suffix: Some("colours".into()),
                ..FineTuneRequest::default()
            }))
        };
        let made = job(asked(&client, &mut news, &endpoint, order(1)).await.unwrap());
        assert!(made.id.starts_with(prefix), "{}", made.id);
        assert_eq!((made.status.clone(), made.training_files[0].id.as_str()), (JobStatus::Pending, file.as_str()));
        let done = loop {
            let now = job(asked(&client, &mut news, &endpoint, Call::Job(made.id.clone())).await.unwrap());
            if now.status.is_finished() {
                break now;
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        };
        assert_eq!((&done.status, done.settings.n_epochs), (&JobStatus::Succeeded, Some(1)), "{:?}", done.error);
        assert_eq!((done.result_files.len(), done.settings.batch_size), (1, Some(1)));
        let Ok(Reply::Jobs(found, jobs)) = asked(&client, &mut news, &endpoint, Call::Jobs).await else { panic!() };
        assert_eq!(found, dialect);
        let listed = jobs.iter().find(|job| job.id == made.id).unwrap();
        assert_eq!(listed.fine_tuned_model, done.fine_tuned_model);

        let long = job(asked(&client, &mut news, &endpoint, order(1000)).await.unwrap());
        let cancelled = job(asked(&client, &mut news, &endpoint, Call::CancelJob(long.id.clone())).await.unwrap());
        assert_eq!(cancelled.status, JobStatus::Cancelled);
        let why = asked(&client, &mut news, &endpoint, Call::CancelJob(long.id)).await.unwrap_err();
        assert!(why.sentence.contains("already has status"), "{}", why.sentence.raw());
        let why = asked(&client, &mut news, &endpoint, Call::Job("ft-none".into())).await.unwrap_err();
        assert!(why.kind == FailureKind::Refused && why.sentence.contains("no fine-tune ft-none"), "{why:?}");

        // Its name holds a colon.
        let model = done.fine_tuned_model.unwrap();
        let gone = asked(&client, &mut news, &endpoint, Call::DeleteModel(model.clone())).await.unwrap();
        assert_eq!(gone, Reply::Deleted(model.clone()));
        let why = asked(&client, &mut news, &endpoint, Call::DeleteModel(model)).await.unwrap_err();
        assert!(why.sentence.contains("may already be deleted"), "{}", why.sentence.raw());
        let why = asked(&client, &mut news, &endpoint, Call::DeleteModel("ada".into())).await.unwrap_err();
        assert!(why.status.is_some(), "{}", why.sentence.raw());
    }
    service.stop().await;
}

#[tokio::test]
async fn what_the_newer_interface_does_not_have_is_not_sent() {
    let service = service().await;
    let endpoint = Endpoint::new(service.base_url(), Some(KEY.to_owned().into()));
    let endpoint = Endpoint { fine_tunes: Some(Dialect::FineTuning), ..endpoint };
    let request = FineTuneRequest {
        training_file: "file-x".into(),
        model: Some("ada".into()),
        prompt_loss_weight: Some(0.1),
        ..FineTuneRequest::default()
    };
    let (_client, mut news, _) = call(endpoint, Call::CreateJob(Box::new(request)));
    let why = failed(&mut news).await;
    assert!(why.status.is_none() && why.sentence.contains("prompt_loss_weight"), "{}", why.sentence.raw());
    service.stop().await;
}

const NONE: &str = r#"{"error":{"message":"Invalid URL (GET /v1/x)","type":"invalid_request_error"}}"#;
const EMPTY: &str = r#"{"object":"list","data":[]}"#;

#[tokio::test]
async fn a_server_with_neither_says_so() {
    for status in ["404 Not Found", "405 Method Not Allowed", "501 Not Implemented"] {
        let server = Server::new().await;
        let (_client, mut news, _) = call(server.endpoint(), Call::Jobs);
        let first = server.asked().await;
        assert!(first.head.starts_with("GET /v1/fine-tunes "), "{}", first.head);
        first.answer(status, JSON, NONE).await;
        let second = server.asked().await;
        assert!(second.head.starts_with("GET /v1/fine_tuning/jobs?limit=100 "), "{}", second.head);
        second.answer("404 Not Found", "", "404 page not found").await;
        let why = failed(&mut news).await;
        assert_eq!(why.kind, FailureKind::Unsupported);
        assert!(why.sentence.contains("does not support fine-tunes"), "{}", why.sentence.raw());
    }
}

#[tokio::test]
async fn a_server_that_finds_everything_has_what_it_lists() {
    let words = r#"{"error":"Unexpected endpoint or method. (GET /v1/fine-tunes)"}"#;
    for odd in [words, "<!doctype html><title>Home</title>"] {
        for (second, kind) in [(odd, Some(FailureKind::Unsupported)), (EMPTY, None)] {
            let server = Server::new().await;
            let (_client, mut news, _) = call(server.endpoint(), Call::Jobs);
            server.asked().await.answer("200 OK", JSON, odd).await;
            server.asked().await.answer("200 OK", JSON, second).await;
            let end = loop {
                if let Progress::Closed(end) = next(&mut news).await {
                    break end;
                }
            };
            assert_eq!(end.err().map(|why| why.kind), kind);
        }
    }
}

#[tokio::test]
async fn a_job_is_looked_for_in_the_interface_of_the_server_that_stands_there_now() {
    let server = Server::new().await;
    let (client, mut news, endpoint) = call(server.endpoint(), Call::Jobs);
    server.asked().await.answer("404 Not Found", JSON, NONE).await;
    server.asked().await.answer("200 OK", JSON, EMPTY).await;
    while !matches!(next(&mut news).await, Progress::Closed(Ok(()))) {}
    for (wanted, call) in [("GET", Call::Job("x".into())), ("POST", Call::CancelJob("x".into()))] {
        let other =
            if wanted == "GET" { ("fine_tuning/jobs", "fine-tunes") } else { ("fine-tunes", "fine_tuning/jobs") };
        let end = if wanted == "GET" { "x" } else { "x/cancel" };
        client.call(Ticket(2), Arc::clone(&endpoint), call);
        let asked = server.asked().await;
        assert!(asked.head.starts_with(&format!("{wanted} /v1/{}/{end} ", other.0)), "{}", asked.head);
        asked.answer("404 Not Found", JSON, NONE).await;
        if wanted == "POST" {
            server.asked().await.answer("404 Not Found", JSON, NONE).await;
        }
        server.asked().await.answer("200 OK", JSON, EMPTY).await;
        let asked = server.asked().await;
        assert!(asked.head.starts_with(&format!("{wanted} /v1/{}/{end} ", other.1)), "{}", asked.head);
        asked.answer("200 OK", JSON, r#"{"id":"x","status":"running"}"#).await;
        while !matches!(next(&mut news).await, Progress::Closed(Ok(()))) {}
    }
}

#[tokio::test]
async fn a_model_that_was_kept_is_not_gone() {
    let server = Server::new().await;
    let (_client, mut news, _) = call(server.endpoint(), Call::DeleteModel("ft".into()));
    server.asked().await.answer("200 OK", JSON, r#"{"id":"ft","deleted":false}"#).await;
    assert!(failed(&mut news).await.sentence.contains("did not delete the model"));
}

#[tokio::test]
async fn a_fault_or_a_wrong_key_decides_nothing_and_what_is_found_is_remembered() {
    let server = Server::new().await;
    let (client, mut news, endpoint) = call(server.endpoint(), Call::Jobs);
    server.asked().await.answer("401 Unauthorized", JSON, "{}").await;
    assert_eq!(failed(&mut news).await.kind, FailureKind::Auth);
    let (older, newer) = ("/v1/fine-tunes ", "/v1/fine_tuning/jobs?");
    let absent = "404 Not Found";
    for (answers, found) in [
        (vec![(older, absent), (newer, "200 OK")], Dialect::FineTuning),
        (vec![(newer, "200 OK")], Dialect::FineTuning),
        // Another server stands there now.
        (vec![(newer, absent), (older, "200 OK")], Dialect::FineTunes),
    ] {
        client.call(Ticket(2), Arc::clone(&endpoint), Call::Jobs);
        for (path, status) in answers {
            let asked = server.asked().await;
            assert!(asked.head.starts_with(&format!("GET {path}")), "{}", asked.head);
            asked.answer(status, JSON, if status == absent { NONE } else { EMPTY }).await;
        }
        loop {
            match next(&mut news).await {
                Progress::Closed(end) => break assert_eq!(end, Ok(())),
                Progress::Reply(Reply::Jobs(dialect, _)) => assert_eq!(dialect, found),
                _ => {}
            }
        }
    }
}

#[tokio::test]
async fn a_list_in_pages_is_read_to_its_end() {
    let server = Server::new().await;
    let endpoint = Endpoint { fine_tunes: Some(Dialect::FineTuning), ..server.endpoint() };
    let (_client, mut news, _) = call(endpoint, Call::Jobs);
    for (after, ids, more) in [
        ("", ["a", "b"], true),
        ("&after=b ", ["c", "d/e"], true),
        ("&after=d%2Fe ", ["n", "a"], true),
        ("&after=n ", ["n", "a"], true),
    ] {
        let asked = server.asked().await;
        assert!(asked.head.contains(&format!("?limit=100{after}")), "{}", asked.head);
        let data: Vec<_> = ids.iter().map(|id| json!({"id": id, "status": "odd", "error": {}})).collect();
        // The last of them do not know `after` and begin again, with a job that is new.
        asked.answer("200 OK", JSON, &json!({"data": data, "has_more": more}).to_string()).await;
    }
    loop {
        match next(&mut news).await {
            Progress::Closed(end) => break assert_eq!(end, Ok(())),
            Progress::Reply(Reply::Jobs(_, jobs)) => {
                assert_eq!(jobs.iter().map(|job| job.id.as_str()).collect::<Vec<_>>(), ["a", "b", "c", "d/e", "n"]);
                assert_eq!(jobs[0].status, JobStatus::Other("odd".into()));
            }
            _ => {}
        }
    }
}

#[tokio::test]
async fn settings_move_to_where_a_server_wants_them() {
    let server = Server::new().await;
    let endpoint = Endpoint { fine_tunes: Some(Dialect::FineTuning), ..server.endpoint() };
    let request = FineTuneRequest {
        training_file: "file-x".into(),
        model: Some("m".into()),
        n_epochs: Some(3),
        ..FineTuneRequest::default()
    };
    let (_client, mut news, _) = call(endpoint, Call::CreateJob(Box::new(request)));
    let first = server.asked().await;
    let key = first.header("idempotency-key").unwrap();
    assert!(first.body.contains(r#""hyperparameters":{"n_epochs":3}"#), "{}", first.body);
    let words = r#"{"error":{"message":"Unrecognized request argument supplied: hyperparameters"}}"#;
    first.answer("400 Bad Request", JSON, words).await;
    let second = server.asked().await;
    assert!(
        second.body.contains(r#""method":"#) && second.header("idempotency-key").unwrap() != key,
        "{}",
        second.body
    );
    second.answer("200 OK", JSON, r#"{"id":"ftjob-1","error":null,"status":"queued"}"#).await;
    loop {
        match next(&mut news).await {
            Progress::Closed(end) => break assert_eq!(end, Ok(())),
            Progress::Reply(reply) => assert_eq!(job(reply).id, "ftjob-1"),
            _ => {}
        }
    }
}
