//! A server for texts whose answers are a function of the request.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::common::LIMIT;

/// Returns status line and body of the answer to a request, by its path and body.
type Answer = dyn Fn(&str, &Value) -> (&'static str, Value) + Send + Sync;

/// A server on a free port of this machine.
pub struct TextServer {
    pub url: String,
    asked: Arc<Mutex<Vec<(String, Value)>>>,
}

impl TextServer {
    /// Starts a server that lists these models and answers so.
    pub fn start(
        models: &[&str],
        answer: impl Fn(&str, &Value) -> (&'static str, Value) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<(String, Value)>>> = Arc::default();
        let data: Vec<Value> = models.iter().map(|id| json!({ "id": id, "object": "model" })).collect();
        let list = json!({ "object": "list", "data": data });
        let answer: Arc<Answer> = Arc::new(move |path, body| match path {
            "/v1/models" => ("200 OK", list.clone()),
            path => answer(path, body),
        });
        let log = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (answer, log) = (Arc::clone(&answer), Arc::clone(&log));
                std::thread::spawn(move || serve(stream, &*answer, &log));
            }
        });
        Self { url, asked }
    }

    /// Returns the bodies of the requests with a body so far.
    pub fn bodies(&self) -> Vec<Value> {
        let asked = self.asked.lock().unwrap();
        asked.iter().filter(|(path, _)| path != "/v1/models").map(|(_, body)| body.clone()).collect()
    }

    /// Returns the texts that were sent, in the order of the requests.
    pub fn texts(&self) -> Vec<String> {
        self.bodies().iter().flat_map(texts).collect()
    }

    /// Returns whether the models were asked for.
    pub fn listed(&self) -> bool {
        self.asked.lock().unwrap().iter().any(|(path, _)| path == "/v1/models")
    }
}

/// Returns the texts of a request.
pub fn texts(body: &Value) -> Vec<String> {
    match &body["input"] {
        Value::Array(texts) => texts.iter().map(|text| text.as_str().unwrap().to_owned()).collect(),
        text => vec![text.as_str().unwrap().to_owned()],
    }
}

/// Returns the answer that checks texts: the score is 0.9 for one with `bad`, and 0.01 for the others.
pub fn checked(body: &Value) -> (&'static str, Value) {
    let result = |text: &String| {
        let bad = text.contains("bad");
        let score = if bad { 0.9 } else { 0.01 };
        json!({
            "flagged": bad,
            "categories": { "hate": false, "violence": bad },
            "category_scores": { "hate": null, "violence": score },
        })
    };
    let results: Vec<Value> = texts(body).iter().map(result).collect();
    ("200 OK", json!({ "id": "modr-1", "model": "guard-1", "results": results }))
}

/// Returns the answer that embeds texts: the length of the text, 1 and 0.5.
pub fn embedded(body: &Value) -> (&'static str, Value) {
    let vector = |(index, text): (usize, &String)| json!({ "object": "embedding", "index": index, "embedding": [text.len(), 1, 0.5] });
    let data: Vec<Value> = texts(body).iter().enumerate().map(vector).collect();
    let usage = json!({ "prompt_tokens": 7, "total_tokens": 7 });
    ("200 OK", json!({ "object": "list", "model": "embed-1", "data": data, "usage": usage }))
}

/// Returns a refusal.
pub fn refused(status: &'static str, words: &str) -> (&'static str, Value) {
    (status, json!({ "error": { "message": words } }))
}

fn serve(stream: TcpStream, answer: &Answer, log: &Mutex<Vec<(String, Value)>>) -> Option<()> {
    stream.set_read_timeout(Some(LIMIT)).ok()?;
    let mut reader = BufReader::new(stream);
    loop {
        let (mut first, mut length) = (String::new(), 0);
        if reader.read_line(&mut first).ok()? == 0 {
            return Some(());
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
        let path = first.split_whitespace().nth(1)?.to_owned();
        let body: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
        log.lock().unwrap().push((path.clone(), body.clone()));
        let (status, answer) = answer(&path, &body);
        let answer = answer.to_string();
        let head =
            format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", answer.len());
        reader.get_mut().write_all((head + &answer).as_bytes()).ok()?;
    }
}
