//! Servers that are not as they should be.

use std::time::Duration;

use benchtop::api::call::FailureKind;
use benchtop::api::job::JobStatus;

use crate::script::{Having, Script, history};
use crate::{LIMIT, endpoint, follow};

fn over(events: usize) -> Having {
    Having { history: history(events), status: "succeeded", streams: true, ..Having::default() }
}

#[tokio::test]
async fn a_server_that_streams_nothing_is_asked_now_and_then() {
    let script = Script::new(Having { streams: false, status: "running", ..over(20) }).await;
    let told = follow(endpoint(script.address, LIMIT), "ft-x", |told| {
        let mut having = script.having.lock().unwrap();
        if having.history.len() < 90 {
            having.history = history(told.events.len() + 5);
        } else {
            having.status = "failed";
        }
    })
    .await;
    assert_eq!((told.end.as_ref(), told.live.clone()), (Some(&Ok(())), vec![(0, true)]));
    assert_eq!(told.messages(), script.having.lock().unwrap().history);
    assert_eq!(told.job.unwrap().status, JobStatus::Failed);
}

#[tokio::test]
async fn a_stream_that_ends_while_the_job_goes_on_is_taken_up_again() {
    let script = Script::new(Having { ends: true, status: "running", ..over(20) }).await;
    let told = follow(endpoint(script.address, LIMIT), "ft-x", |told| {
        let mut having = script.having.lock().unwrap();
        having.history = history(20 + told.lost.len());
        if told.lost.len() >= 10 {
            having.status = "cancelled";
        }
    })
    .await;
    assert_eq!(told.end, Some(Ok(())));
    assert_eq!(told.messages(), history(20 + told.lost.len()));
    assert!(told.lost.iter().all(|why| why.kind == FailureKind::CutOff));
}

#[tokio::test]
async fn what_the_server_says_of_the_job_itself_is_the_end() {
    for (status, kind, words) in [
        (404, FailureKind::Refused, "no fine-tune ft-x"),
        (401, FailureKind::Auth, "key"),
        (403, FailureKind::Auth, "key"),
    ] {
        for newer in [false, true] {
            let script = Script::new(Having { refuses: Some(status), newer, ..over(3) }).await;
            let told = follow(endpoint(script.address, LIMIT), "ft-x", |_| {}).await;
            let why = told.end.unwrap().unwrap_err();
            assert_eq!((why.kind, why.status), (kind, Some(status)));
            assert!(why.sentence.contains(words), "{}", why.sentence.raw());
            assert!(told.lost.is_empty() && told.events.is_empty());
        }
    }
}

#[tokio::test]
async fn a_server_that_forgot_its_history_loses_nothing_new() {
    let script = Script::new(Having { ends: true, status: "running", ..over(40) }).await;
    let told = follow(endpoint(script.address, LIMIT), "ft-x", |told| {
        let mut having = script.having.lock().unwrap();
        if told.events.len() == 40 {
            having.history.truncate(25);
            having.history.push("Fine-tune started again".into());
            having.history.push("Fine-tune started again".into());
            having.status = "succeeded";
        }
    })
    .await;
    let mut wanted = history(40);
    wanted.extend(vec!["Fine-tune started again".to_owned(); 2]);
    assert_eq!(told.messages(), wanted);
    assert_eq!(told.end, Some(Ok(())));
}

#[tokio::test]
async fn a_silent_stream_is_live_and_nothing_is_lost() {
    let script = Script::new(Having { status: "running", ..over(5) }).await;
    let having = std::sync::Arc::clone(&script.having);
    let later = tokio::spawn(async move {
        for more in 6..30 {
            tokio::time::sleep(Duration::from_millis(3)).await;
            having.lock().unwrap().history = history(more);
        }
        having.lock().unwrap().status = "succeeded";
    });
    let told = follow(endpoint(script.address, LIMIT), "ft-x", |_| {}).await;
    later.await.unwrap();
    assert_eq!(
        (told.messages(), told.live.clone()),
        (history(29).iter().map(String::as_str).collect(), vec![(0, false)])
    );
    assert!(told.lost.is_empty());
}
