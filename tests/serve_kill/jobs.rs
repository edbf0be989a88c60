//! Fine-tunes: several are created, some cancelled again, while the runner works on them.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use crate::STUCK;
use crate::process::{Address, Service, below};

/// Jobs that wait or run, above which no more are created.
const BUSY: usize = 3;

/// What the service said of its jobs.
#[derive(Default)]
pub struct Jobs(Mutex<Book>);

#[derive(Default)]
struct Book {
    /// Each was answered 200.
    created: HashSet<String>,
    /// A cancel was answered 200.
    cancelled: HashSet<String>,
    /// By id: how many events each had when last seen; they only grow.
    told: HashMap<String, usize>,
}

impl Jobs {
    pub fn summary(&self) -> String {
        let book = self.0.lock().unwrap();
        format!("{} jobs created, {} cancelled", book.created.len(), book.cancelled.len())
    }

    pub fn created(&self) -> usize {
        self.0.lock().unwrap().created.len()
    }

    /// Creates jobs and cancels some until the service is gone.
    pub async fn load(self: Arc<Self>, address: Address) {
        while self.step(&address).await.is_some() {}
    }

    async fn step(&self, address: &Address) -> Option<()> {
        let list = get(address, "/fine-tunes").await?;
        let open: Vec<&Value> = list["data"].as_array().unwrap().iter().filter(|job| !finished(job)).collect();
        if open.len() >= BUSY {
            if below(40) == 0 {
                self.cancel(address, open[below(open.len() as u64) as usize]["id"].as_str().unwrap()).await?;
            }
            tokio::time::sleep(Duration::from_millis(below(40))).await;
            return Some(());
        }
        let rows = 2 + below(5);
        let text: String = (0..rows)
            .map(|row| {
                json!({"prompt": format!("Item {row} is"), "completion": format!(" {row}\n")}).to_string() + "\n"
            })
            .collect();
        let form = Form::new().text("purpose", "fine-tune").part("file", Part::text(text).file_name("x.jsonl"));
        let (status, file) = whole(address.ask(Method::POST, "/files").multipart(form)).await?;
        assert_eq!(status, 200, "{file}");
        let body = json!({"training_file": file["id"], "model": "ada", "n_epochs": 1 + below(4), "batch_size": 1});
        let request = address.ask(Method::POST, "/fine-tunes").header("content-type", "application/json");
        let (status, job) = whole(request.body(body.to_string())).await?;
        assert_eq!(status, 200, "{job}");
        self.0.lock().unwrap().created.insert(job["id"].as_str().unwrap().to_owned());
        Some(())
    }

    async fn cancel(&self, address: &Address, id: &str) -> Option<()> {
        let (status, answer) = whole(address.ask(Method::POST, &format!("/fine-tunes/{id}/cancel"))).await?;
        match status {
            200 => {
                assert_eq!(answer["status"], "cancelled");
                self.0.lock().unwrap().cancelled.insert(id.to_owned());
            }
            // It was quicker.
            400 => assert!(answer["error"]["message"].as_str().unwrap().contains("already has status"), "{answer}"),
            other => panic!("a cancel was answered {other}: {answer}"),
        }
        Some(())
    }

    /// Checks that every created job exists, that cancelled ones are cancelled, and that no history is shorter than
    /// before.
    pub async fn check(&self, service: &Service) {
        let address = service.address();
        let list = get(&address, "/fine-tunes").await.expect("an answer");
        let listed: HashSet<&str> =
            list["data"].as_array().unwrap().iter().map(|job| job["id"].as_str().unwrap()).collect();
        for id in &self.0.lock().unwrap().created {
            assert!(listed.contains(id.as_str()), "{id} was created and is gone");
        }
        for id in &listed {
            let job = get(&address, &format!("/fine-tunes/{id}")).await.expect("an answer");
            let mut book = self.0.lock().unwrap();
            if book.cancelled.contains(*id) {
                assert_eq!(job["status"], "cancelled", "{job}");
            }
            let count = job["events"].as_array().unwrap().len();
            let before = book.told.insert((*id).to_owned(), count).unwrap_or(0);
            assert!(count >= before, "events were lost: {job}");
        }
    }

    /// Waits until every job has ended, and checks each end.
    pub async fn check_ends(&self, service: &Service) -> HashMap<String, usize> {
        let address = service.address();
        let begun = Instant::now();
        let mut ends = HashMap::new();
        let list = get(&address, "/fine-tunes").await.expect("an answer");
        for id in list["data"].as_array().unwrap().iter().map(|job| job["id"].as_str().unwrap()) {
            let job = loop {
                let job = get(&address, &format!("/fine-tunes/{id}")).await.expect("an answer");
                if finished(&job) {
                    break job;
                }
                assert!(begun.elapsed() < STUCK, "stuck: {job}");
                tokio::time::sleep(Duration::from_millis(10)).await;
            };
            let status = job["status"].as_str().unwrap();
            *ends.entry(status.to_owned()).or_default() += 1;
            let messages: Vec<&str> =
                job["events"].as_array().unwrap().iter().map(|event| event["message"].as_str().unwrap()).collect();
            let epochs: Vec<&&str> = messages.iter().filter(|message| message.starts_with("Completed")).collect();
            let n = job["hyperparams"]["n_epochs"].as_u64().unwrap();
            let whole: Vec<String> = (1..=n).map(|epoch| format!("Completed epoch {epoch}/{n}")).collect();
            assert!(epochs.iter().zip(&whole).all(|(told, due)| **told == due), "{messages:?}");
            match status {
                "succeeded" => {
                    assert_eq!(epochs.len() as u64, n, "{messages:?}");
                    succeeded(&address, &job).await;
                }
                "failed" => {
                    let last = messages.last().unwrap();
                    assert!(last.starts_with("Fine-tune failed. Errors:\n") && last.len() > 40, "{last}");
                }
                _ => assert_eq!(messages.last(), Some(&"Fine-tune cancelled")),
            }
        }
        ends
    }
}

/// Checks that the results have each step once, and that the model answers.
async fn succeeded(address: &Address, job: &Value) {
    let result = job["result_files"][0]["id"].as_str().unwrap();
    let csv = address.get(&format!("/files/{result}/content")).send().await.unwrap().text().await.unwrap();
    let steps: Vec<usize> = csv.lines().skip(1).map(|line| line.split(',').next().unwrap().parse().unwrap()).collect();
    assert!(!steps.is_empty() && steps.iter().copied().eq(1..=steps.len()), "{csv}");
    let body = json!({"model": job["fine_tuned_model"], "prompt": "Item 1 is", "max_tokens": 2});
    let request = address.ask(Method::POST, "/completions").header("content-type", "application/json");
    let (status, answer) = whole(request.body(body.to_string())).await.expect("an answer");
    assert_eq!(status, 200, "{answer}");
}

fn finished(job: &Value) -> bool {
    ["succeeded", "failed", "cancelled"].contains(&job["status"].as_str().unwrap())
}

async fn get(address: &Address, path: &str) -> Option<Value> {
    let (status, body) = whole(address.get(path)).await?;
    assert_eq!(status, 200, "{path}: {body}");
    Some(body)
}

/// Sends a request; returns its answer if it arrived completely.
async fn whole(request: reqwest::RequestBuilder) -> Option<(u16, Value)> {
    let answer = request.send().await.ok()?;
    let status = answer.status().as_u16();
    Some((status, answer.json().await.ok()?))
}
