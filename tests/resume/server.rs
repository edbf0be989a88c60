//! A moderation service that counts: how often each text was sent, in which run, and how many are answered.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::LIMIT;

/// Between two answers: a service's own time. What it answered is on disk meanwhile, unless the program is killed.
const PACE: Duration = Duration::from_millis(20);

/// What the service has seen.
#[derive(Debug, Default)]
pub struct Seen {
    /// Which run of the program is on.
    pub run: usize,
    /// For each text, in which runs it was sent.
    pub sent: HashMap<String, Vec<usize>>,
    /// Texts answered.
    pub answered: usize,
    /// Requests under way, and the most there were at once.
    pub under_way: usize,
    pub most_under_way: usize,
    /// Texts of the largest request.
    pub most_texts: usize,
    /// Whether answers are held back.
    pub held: bool,
}

/// The service, on a free port of this machine.
pub struct Server {
    pub url: String,
    seen: Arc<(Mutex<Seen>, Condvar)>,
}

impl Server {
    /// Starts a service that scores a text by `score`, and delays its answers once `hold_at` texts are answered.
    pub fn start(score: fn(&str) -> f64, hold_at: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let seen: Arc<(Mutex<Seen>, Condvar)> = Arc::default();
        let shared = Arc::clone(&seen);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let seen = Arc::clone(&shared);
                std::thread::spawn(move || while serve(&stream, &seen, score, hold_at).is_some() {});
            }
        });
        Self { url, seen }
    }

    /// Waits until what was seen fits; then does something with it.
    pub fn when<T>(&self, what: &str, fits: impl Fn(&Seen) -> bool, then: impl FnOnce(&mut Seen) -> T) -> T {
        let (seen, changed) = &*self.seen;
        let end = Instant::now() + 3 * LIMIT;
        let mut seen = seen.lock().unwrap();
        while !fits(&seen) {
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "the service never saw: {what} ({} answered)", seen.answered);
            seen = changed.wait_timeout(seen, left).unwrap().0;
        }
        let result = then(&mut seen);
        changed.notify_all();
        result
    }
}

/// Answers one request of a connection; `None`: it is over.
fn serve(stream: &TcpStream, seen: &(Mutex<Seen>, Condvar), score: fn(&str) -> f64, hold_at: usize) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let (mut first, mut length) = (String::new(), 0);
    if reader.read_line(&mut first).ok()? == 0 {
        return None;
    }
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    if first.starts_with("POST /v1/moderations ") {
        let body: Value = serde_json::from_slice(&body).ok()?;
        let texts: Vec<String> = match &body["input"] {
            Value::String(text) => vec![text.clone()],
            texts => serde_json::from_value(texts.clone()).ok()?,
        };
        moderate(stream, seen, &texts, score, hold_at)
    } else if first.starts_with("GET /v1/models ") {
        let model = json!({ "id": "text-moderation-latest", "object": "model", "owned_by": "test" });
        answer(stream, "200 OK", &json!({ "object": "list", "data": [model] }))
    } else {
        answer(stream, "404 Not Found", &json!({ "error": { "message": "not here" } }))
    }
}

fn moderate(
    stream: &TcpStream,
    (seen, changed): &(Mutex<Seen>, Condvar),
    texts: &[String],
    score: fn(&str) -> f64,
    hold_at: usize,
) -> Option<()> {
    let mut now = seen.lock().unwrap();
    let run = now.run;
    for text in texts {
        now.sent.entry(text.clone()).or_default().push(run);
    }
    now.under_way += 1;
    now.most_under_way = now.under_way.max(now.most_under_way);
    now.most_texts = texts.len().max(now.most_texts);
    changed.notify_all();
    // One after the other, each after its time; and none of a run that is over.
    std::thread::sleep(PACE);
    while now.held && now.run == run {
        now = changed.wait(now).unwrap();
    }
    let results: Vec<Value> = texts.iter().map(|text| result(score(text))).collect();
    let body = json!({ "id": "modr-1", "model": "text-moderation-004", "results": results });
    let sent = if now.run == run { answer(stream, "200 OK", &body) } else { None };
    now.under_way -= 1;
    now.answered += if sent.is_some() { texts.len() } else { 0 };
    now.held = now.held || (now.run == run && run == 0 && now.answered >= hold_at);
    changed.notify_all();
    sent
}

fn result(score: f64) -> Value {
    json!({
        "flagged": score >= 0.5,
        "categories": { "harassment": score >= 0.5, "violence": false },
        "category_scores": { "harassment": score, "violence": 0.01 }
    })
}

fn answer(mut stream: &TcpStream, status: &str, body: &Value) -> Option<()> {
    let body = body.to_string();
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n");
    stream.write_all((head + &body).as_bytes()).ok()
}
