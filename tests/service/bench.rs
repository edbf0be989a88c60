//! A service with jobs: uploads, orders, waiting.

use std::path::Path;
use std::time::Instant;

use benchtop::service::{Keys, Options, Running, start};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::desk::{KEY, client};

/// An owner and a reader of another organisation.
pub(crate) const ACME: &str = "sk-acme";
pub(crate) const READER: &str = "sk-reader";
/// No job in these tests takes this long unless something is broken.
const BROKEN: std::time::Duration = std::time::Duration::from_mins(10);

/// A service with a data directory, which outlives it.
pub(crate) struct Bench {
    pub(crate) service: Running,
    client: reqwest::Client,
}

/// A status and a body.
pub(crate) type Answer = (u16, Value);

impl Bench {
    pub(crate) async fn at(home: &Path) -> Self {
        let keys = Keys::read(&format!("{KEY}\n{ACME} acme owner\n{READER} acme reader\n")).unwrap();
        let options = Options { keys: Some(keys), data: Some(home.to_owned()), ..Options::default() };
        Self { service: start(options).await.unwrap(), client: client() }
    }

    pub(crate) async fn new() -> (TempDir, Self) {
        let home = tempfile::tempdir().unwrap();
        let bench = Self::at(home.path()).await;
        (home, bench)
    }

    pub(crate) fn request(&self, method: &str, path: &str, key: &str) -> reqwest::RequestBuilder {
        let url = format!("{}{path}", self.service.base_url());
        self.client.request(method.parse().unwrap(), url).bearer_auth(key).timeout(BROKEN)
    }

    pub(crate) async fn ask(&self, method: &str, path: &str, key: &str) -> Answer {
        answer(self.request(method, path, key)).await
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        let (status, body) = self.ask("GET", path, KEY).await;
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.post_as(path, body, KEY).await
    }

    pub(crate) async fn post_as(&self, path: &str, body: &Value, key: &str) -> Answer {
        let request = self.request("POST", path, key).header("content-type", "application/json");
        answer(request.body(body.to_string())).await
    }

    /// Uploads a file for training and gives its id.
    pub(crate) async fn upload(&self, text: String, key: &str) -> String {
        let part = reqwest::multipart::Part::text(text).file_name("a.jsonl");
        let form = reqwest::multipart::Form::new().text("purpose", "fine-tune").part("file", part);
        let (status, body) = answer(self.request("POST", "/files", key).multipart(form)).await;
        assert_eq!(status, 200, "{body}");
        body["id"].as_str().unwrap().to_owned()
    }

    /// Creates a job on `rows` with `more` put over the least there can be.
    pub(crate) async fn create(&self, rows: usize, more: Value) -> Value {
        let file = self.upload(pairs(rows), KEY).await;
        let (status, body) =
            self.post("/fine-tunes", &with(json!({"training_file": file, "model": "ada"}), more)).await;
        assert_eq!(status, 200, "{body}");
        body
    }

    /// Waits until `fact` holds of the job; returns it.
    pub(crate) async fn until(&self, job: &Value, what: &str, fact: impl Fn(&Value) -> bool) -> Value {
        let path = format!("/fine-tunes/{}", job["id"].as_str().unwrap());
        let begun = Instant::now();
        loop {
            let job = self.get(&path).await;
            if fact(&job) {
                return job;
            }
            assert!(begun.elapsed() < BROKEN, "never came true: {what}: {job}");
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    }

    /// Waits until the job has ended; returns it.
    pub(crate) async fn finished(&self, job: &Value) -> Value {
        self.until(job, "finished", |job| !["pending", "running"].contains(&job["status"].as_str().unwrap())).await
    }
}

pub(crate) async fn answer(request: reqwest::RequestBuilder) -> Answer {
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    let text = response.text().await.unwrap();
    (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
}

/// Returns `body` with the fields of `more`.
pub(crate) fn with(mut body: Value, more: Value) -> Value {
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

/// Returns a file of this many different rows.
pub(crate) fn pairs(rows: usize) -> String {
    let colours = ["red", "blue", "green", "yellow"];
    let row = |i: usize| json!({"prompt": format!("Item {i} is ->"), "completion": format!(" {}\n", colours[i % 4])});
    (0..rows).map(|i| row(i).to_string() + "\n").collect()
}

/// Returns the messages of a job so far.
pub(crate) fn messages(job: &Value) -> Vec<&str> {
    job["events"].as_array().unwrap().iter().map(|event| event["message"].as_str().unwrap()).collect()
}
