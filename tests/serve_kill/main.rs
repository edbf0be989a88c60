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
use std::time::{Duration, Instant};

use jobs::Jobs;
use process::{Service, below};
use uploads::Uploads;

/// How long anything may take before the test has failed: no pass depends on it.
const STUCK: Duration = Duration::from_mins(10);

/// The longest time from the beginning of the load to the kill, milliseconds, unless the load has done nothing yet.
const LATEST: u64 = 400;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_accepted_survives_every_kill() {
    let data = tempfile::tempdir().unwrap();
    let uploads = Arc::new(Uploads::default());
    for round in 1..=rounds() {
        let service = Service::start(data.path()).await;
        uploads.check(&service).await;
        let load = tokio::spawn(Arc::clone(&uploads).load(service.address()));
        let moment = below(LATEST);
        wait(moment, || round < rounds() || uploads.accepted() > 0).await;
        service.kill();
        load.await.unwrap();
        eprintln!("round {round}: killed after {moment} ms or later; {}", uploads.summary());
    }
    let service = Service::start(data.path()).await;
    uploads.check(&service).await;
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
        let moment = below(2 * LATEST);
        wait(moment, || round < rounds() || jobs.created() > 0).await;
        service.kill();
        load.await.unwrap();
        eprintln!("round {round}: killed after {moment} ms or later; {}", jobs.summary());
    }
    let service = Service::start(data.path()).await;
    jobs.check(&service).await;
    let ends = jobs.check_ends(&service).await;
    eprintln!("the jobs ended: {ends:?}");
    service.kill();
}

/// Waits so many milliseconds, and until the load has done enough. The moment is the point: any will do, as long as it
/// differs.
async fn wait(moment: u64, has_done_enough: impl Fn() -> bool) {
    tokio::time::sleep(Duration::from_millis(moment)).await;
    let begun = Instant::now();
    while !has_done_enough() {
        assert!(begun.elapsed() < STUCK, "the load does nothing");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn rounds() -> u32 {
    std::env::var("KILL_ROUNDS").map_or(5, |rounds| rounds.parse().expect("a number of rounds"))
}
