//! The tab against the local service, over real HTTP by the real client: a job is made, followed to its end, its model
//! and its result file are there.

use std::sync::Arc;
use std::time::Duration;

use benchtop::api::call::{Call, Progress, Reply, Upload};
use benchtop::app::{Effect, Event};
use benchtop::client::Client;
use benchtop::service::{Keys, Options, start};
use benchtop::settings::Endpoint;

use crate::desk::Desk;

const LIMIT: Duration = Duration::from_mins(10);

#[tokio::test(flavor = "multi_thread")]
async fn a_job_is_made_and_followed_to_its_end() {
    let home = tempfile::tempdir().unwrap();
    let key = "sk-local-test".to_owned();
    let options = Options {
        keys: Some(Keys::single(key.clone().into())),
        data: Some(home.path().join("service")),
        ..Options::default()
    };
    let service = start(options).await.unwrap();
    let endpoint = Arc::new(Endpoint::new(service.base_url(), Some(key.into())));
    let (client, mut progress) = Client::spawn();
    let row = |n: u32| format!("{{\"prompt\":\"What is {n}? ->\",\"completion\":\" It is {n}.\\n\"}}\n");
    let rows = (0..12).map(row).collect::<Vec<_>>().concat();
    let path = home.path().join("numbers.jsonl");
    std::fs::write(&path, rows).unwrap();
    let upload = Upload { path, name: "numbers.jsonl".into(), purpose: "fine-tune".into() };
    client.call(benchtop::api::call::Ticket(u64::MAX), Arc::clone(&endpoint), Call::Upload(Box::new(upload)));
    let mut uploaded = false;
    while let Some((_, news)) = tokio::time::timeout(LIMIT, progress.recv()).await.expect("it answers") {
        match news {
            Progress::Reply(Reply::Uploaded(..)) => uploaded = true,
            Progress::Closed(end) => {
                end.unwrap();
                break;
            }
            _ => {}
        }
    }
    assert!(uploaded);

    let mut desk = Desk::new();
    let mut step = 0;
    let end = tokio::time::Instant::now() + LIMIT;
    loop {
        for effect in desk.news() {
            match effect {
                Effect::Call(ticket, _, call) if call != Call::Models => {
                    client.call(ticket, Arc::clone(&endpoint), call);
                }
                Effect::Cancel(ticket) => client.cancel(ticket),
                _ => {}
            }
        }
        let screen = desk.screen();
        match step {
            0 if screen.contains("C  create a fine-tune") => {
                desk.press("C");
                step = 1;
            }
            1 => {
                desk.press("\n");
                step = 2;
            }
            2 if screen.contains("numbers.jsonl") => {
                // Babbage and curie are larger: the smallest learns as well for a test.
                desk.press("numbers\njj\nada\nj\nNumbers!\nj\n1\n^r\n");
                step = 3;
            }
            3 if screen.contains("▌✓ ") && screen.contains("Fine-tune succeeded") => break,
            _ => {}
        }
        if step == 1 {
            continue;
        }
        let next = tokio::time::timeout_at(end, progress.recv()).await;
        let (ticket, news) = next.unwrap_or_else(|_| panic!("nothing comes any more:\n{screen}")).unwrap();
        desk.event(Event::Progress(ticket, news));
    }
    desk.settle();
    desk.shows("ada:ft-");
    desk.press("\n");
    desk.shows("compiled_results.csv");
    desk.press("r");
    let fetched = |effect: &Effect| matches!(effect, Effect::Call(_, _, Call::Content(_)));
    assert!(desk.effects.iter().any(fetched), "the result file is asked for");
    service.stop().await;
}
