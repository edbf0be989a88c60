//! Following a job: every event exactly once and in order, whatever happens to the connection.
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::panic)]

mod late;
mod odd;
mod proxy;
mod real;
mod script;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use benchtop::api::call::{Call, Failure, FailureKind, Followed, Progress, Reply, Ticket};
use benchtop::api::job::{Job, JobEvent};
use benchtop::client::Client;
use benchtop::settings::Endpoint;
use proxy::{Plan, Proxy};
use script::{Having, Script, history};

/// How long anything may take before the test has failed: no pass depends on it.
pub const LIMIT: Duration = Duration::from_mins(10);
pub const KEY: &str = "sk-test-0123456789abcdefQx7a";

/// What following a job brought.
#[derive(Debug, Default)]
pub struct Told {
    pub events: Vec<JobEvent>,
    pub lost: Vec<Failure>,
    /// Replayed and polling, for each connection.
    pub live: Vec<(u64, bool)>,
    pub job: Option<Job>,
    pub end: Option<Result<(), Failure>>,
}

impl Told {
    pub fn messages(&self) -> Vec<&str> {
        self.events.iter().map(|event| event.message.as_str()).collect()
    }

    /// Takes in progress; checks that places follow one another.
    pub fn hear(&mut self, progress: Progress) {
        match progress {
            Progress::Reply(Reply::Followed(Followed::Events { first, events })) => {
                assert_eq!(first, self.events.len() as u64, "each place once, and none left out");
                assert!(!events.is_empty() && events.len() <= 64);
                self.events.extend(events);
            }
            Progress::Reply(Reply::Followed(Followed::Live { replayed, polling })) => {
                self.live.push((replayed, polling));
            }
            Progress::Reply(Reply::Followed(Followed::Lost { why, .. })) => self.lost.push(why),
            Progress::Reply(Reply::Followed(Followed::Job(job))) => self.job = Some(*job),
            Progress::Closed(end) => self.end = Some(end),
            Progress::Moved { .. } | Progress::Adapted(_) | Progress::Learned(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

pub fn endpoint(address: SocketAddr, idle: Duration) -> Arc<Endpoint> {
    let endpoint = Endpoint::new(format!("http://{address}/v1"), Some(KEY.to_owned().into()));
    Arc::new(Endpoint { idle_limit: idle, headers_limit: idle, ..endpoint })
}

/// Follows to the end; every wait is cut short by the user. `see` looks on.
pub async fn follow(endpoint: Arc<Endpoint>, id: &str, mut see: impl FnMut(&Told)) -> Told {
    let (client, mut news) = Client::spawn();
    client.call(Ticket(1), endpoint, Call::Follow(id.to_owned()));
    let mut told = Told::default();
    let all = async {
        while told.end.is_none() {
            tokio::select! {
                progress = news.recv() => {
                    told.hear(progress.unwrap().1);
                    see(&told);
                }
                () = tokio::time::sleep(Duration::from_millis(1)) => {
                    client.retry_now(Ticket(1));
                    see(&told);
                }
            }
        }
    };
    tokio::time::timeout(LIMIT, all).await.expect("it comes to an end");
    told
}

/// An idle limit that silence soon meets.
pub const SOON: Duration = Duration::from_millis(500);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_cut_at_300_places_tells_each_event_once() {
    let having = Having { history: history(700), status: "running", streams: true, ..Having::default() };
    let script = Script::new(having.clone()).await;
    let plan = Plan { cuts: 300, length: 80_000, harms: "stream=true", closes: true, seed: 6 };
    let proxy = Proxy::before(script.address, plan).await;
    let told = follow(endpoint(proxy.address, SOON), "ft-x", |_| {
        if proxy.harmed() >= 299 {
            script.having.lock().unwrap().status = "succeeded";
        }
    })
    .await;
    assert_eq!(told.end, Some(Ok(())));
    assert_eq!(told.messages(), having.history);
    assert!(proxy.harmed() >= 299, "{}", proxy.harmed());
    assert_eq!(told.job.unwrap().id, "ft-x");
    assert!(told.live.iter().any(|(replayed, _)| *replayed > 100) && told.live.iter().all(|(_, polling)| !polling));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_cut_at_300_places_tell_each_event_once() {
    let having = Having { history: history(60), status: "running", newer: true, ..Having::default() };
    let script = Script::new(having).await;
    let plan = Plan { cuts: 300, length: 20_000, harms: "jobs/ft", closes: true, seed: 7 };
    let proxy = Proxy::before(script.address, plan).await;
    // The history grows while connections are cut.
    let told = follow(endpoint(proxy.address, SOON), "ft-x", |_| {
        let mut having = script.having.lock().unwrap();
        having.history = history((60 + proxy.harmed() * 3).min(700));
        if proxy.harmed() >= 300 {
            having.status = "succeeded";
        }
    })
    .await;
    assert_eq!(told.end, Some(Ok(())));
    assert_eq!(told.messages(), history(700));
    assert!(!told.live.is_empty() && told.live.iter().all(|(_, polling)| *polling));
    // A busy machine may be silent for longer than the client waits here, which is one more loss.
    let broken = told.lost.iter().filter(|why| why.kind != FailureKind::Timeout).count();
    assert!(told.lost.len() >= 300 && broken <= 300, "{} of {}", broken, told.lost.len());
}
