//! `benchtop serve`, killed at random moments of what it is asked to do: what it accepted is there after the next
//! start, whole, and nothing half done is.
//!
//! `KILL_ROUNDS=50 cargo test --test serve_kill` kills it fifty times; without the variable it is a few. One data
//! directory lives through all rounds. Each kind of work is a file of its own here, with a `load` that goes on until
//! the service is gone and a `check` after it is back.
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

mod jobs;
mod process;
mod uploads;

use std::sync::Arc;
use std::time::Duration;

use jobs::Jobs;
use process::{Service, below};
use uploads::Uploads;

/// The longest time from the beginning of the load to the kill, milliseconds.
const LATEST: u64 = 400;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_accepted_survives_every_kill() {
    let data = tempfile::tempdir().unwrap();
    let uploads = Arc::new(Uploads::default());
    for round in 1..=rounds() {
        let service = Service::start(data.path()).await;
        uploads.check(&service).await;
        let load = tokio::spawn(Arc::clone(&uploads).load(service.address()));
        // The moment is the point: any will do, as long as it differs.
        let moment = Duration::from_millis(below(LATEST));
        tokio::time::sleep(moment).await;
        service.kill();
        load.await.unwrap();
        eprintln!("round {round}: killed after {} ms; {}", moment.as_millis(), uploads.summary());
    }
    let service = Service::start(data.path()).await;
    uploads.check(&service).await;
    assert!(uploads.accepted() > 0, "the load did nothing");
    service.kill();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_job_is_lost_or_stuck_after_any_kill() {
    let data = tempfile::tempdir().unwrap();
    let jobs = Arc::new(Jobs::default());
    for round in 1..=rounds() {
        let service = Service::start(data.path()).await;
        jobs.check(&service).await;
        let load = tokio::spawn(Arc::clone(&jobs).load(service.address()));
        let moment = Duration::from_millis(below(2 * LATEST));
        tokio::time::sleep(moment).await;
        service.kill();
        load.await.unwrap();
        eprintln!("round {round}: killed after {} ms; {}", moment.as_millis(), jobs.summary());
    }
    let service = Service::start(data.path()).await;
    jobs.check(&service).await;
    let ends = jobs.check_ends(&service).await;
    eprintln!("the jobs ended: {ends:?}");
    assert!(jobs.created() > 0, "the load did nothing");
    service.kill();
}

fn rounds() -> u32 {
    std::env::var("KILL_ROUNDS").map_or(5, |rounds| rounds.parse().expect("a number of rounds"))
}
