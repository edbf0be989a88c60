//! The real service: a job that trains while its connections are cut.

use std::time::Duration;

use benchtop::api::job::JobStatus;
use benchtop::service::{Keys, Options, Running, start};
use serde_json::{Value, json};

use crate::proxy::{Plan, Proxy};
use crate::{KEY, endpoint, follow};

/// A service with one job.
struct Bench {
    service: Running,
    client: reqwest::Client,
}

impl Bench {
    async fn new() -> Self {
        let keys = Some(Keys::single(KEY.to_owned().into()));
        let service = start(Options { keys, ..Options::default() }).await.unwrap();
        Self { service, client: reqwest::Client::builder().no_proxy().build().unwrap() }
    }

    async fn ask(&self, request: reqwest::RequestBuilder) -> Value {
        let answer = request.bearer_auth(KEY).send().await.unwrap();
        let (status, text) = (answer.status(), answer.text().await.unwrap());
        assert!(status.is_success(), "{text}");
        serde_json::from_str(&text).unwrap()
    }

    async fn get(&self, path: &str) -> Value {
        self.ask(self.client.get(format!("{}{path}", self.service.base_url()))).await
    }

    /// Creates a job of this many epochs on rows of two classes.
    async fn job(&self, epochs: u32) -> String {
        let row = |at: usize| {
            let (words, kind) = [("the parcel never came", " delivery"), ("I want my money back", " refund")][at % 2];
            json!({"prompt": format!("Nr. {at}: {words} ->"), "completion": kind}).to_string() + "\n"
        };
        let part = reqwest::multipart::Part::text((0..20).map(row).collect::<String>()).file_name("a.jsonl");
        let form = reqwest::multipart::Form::new().text("purpose", "fine-tune").part("file", part);
        let url = |path: &str| format!("{}{path}", self.service.base_url());
        let file = self.ask(self.client.post(url("/files")).multipart(form)).await;
        let order = json!({"training_file": file["id"], "model": "ada", "n_epochs": epochs}).to_string();
        let request = self.client.post(url("/fine-tunes")).header("content-type", "application/json").body(order);
        self.ask(request).await["id"].as_str().unwrap().to_owned()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_of_the_local_service_is_followed_over_300_cuts() {
    let bench = Bench::new().await;
    let id = bench.job(12).await;
    let address = bench.service.base_url().split('/').nth(2).unwrap().parse().unwrap();
    // Shorter than the whole history: a cut behind its end would harm nothing, and end the following with the job.
    let plan = Plan { cuts: 300, length: 10_000, harms: "stream=true", closes: false, seed: 8 };
    let proxy = Proxy::before(address, plan).await;
    let told = follow(endpoint(proxy.address, Duration::from_millis(300)), &id, |_| {}).await;
    assert_eq!(told.end, Some(Ok(())));
    let list = bench.get(&format!("/fine-tunes/{id}/events")).await;
    let all: Vec<&str> =
        list["data"].as_array().unwrap().iter().map(|event| event["message"].as_str().unwrap()).collect();
    assert_eq!(told.messages(), all);
    assert!(all.len() > 90 && all.last() == Some(&"Fine-tune succeeded"));
    assert_eq!(proxy.harmed(), 300);
    assert_eq!(told.job.unwrap().status, JobStatus::Succeeded);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_in_the_newer_interface() {
    let bench = Bench::new().await;
    let id = bench.job(12).await.replace("ft-", "ftjob-");
    let address = bench.service.base_url().split('/').nth(2).unwrap().parse().unwrap();
    let plan = Plan { cuts: 300, length: 16_000, harms: "jobs/ft", closes: true, seed: 9 };
    let proxy = Proxy::before(address, plan).await;
    let mut newer = endpoint(proxy.address, Duration::from_millis(300));
    std::sync::Arc::get_mut(&mut newer).unwrap().fine_tunes = Some(benchtop::api::job::Dialect::FineTuning);
    let told = follow(newer, &id, |_| {}).await;
    assert_eq!(told.end, Some(Ok(())));
    let mut list = bench.get(&format!("/fine_tuning/jobs/{id}/events?limit=100")).await;
    let mut all = list["data"].as_array().unwrap().clone();
    while list["has_more"] == true {
        let path = format!("/fine_tuning/jobs/{id}/events?limit=100&after={}", list["last_id"].as_str().unwrap());
        list = bench.get(&path).await;
        all.extend(list["data"].as_array().unwrap().iter().cloned());
    }
    all.reverse();
    let ids: Vec<&str> = all.iter().map(|event| event["id"].as_str().unwrap()).collect();
    assert_eq!(told.events.iter().map(|event| event.id.as_deref().unwrap()).collect::<Vec<_>>(), ids);
    assert!(ids.len() > 90 && told.live.iter().all(|(_, polling)| *polling));
}
