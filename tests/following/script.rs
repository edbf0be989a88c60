//! A server with a long history of one job, in either interface: equal texts one after the other, letters of several
//! bytes, line ends.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

/// What the server has, changed while it runs.
#[derive(Clone, Debug, Default)]
pub struct Having {
    /// Messages, oldest first.
    pub history: Vec<String>,
    pub status: &'static str,
    /// `false`: it answers a list to everybody who wants a stream.
    pub streams: bool,
    /// Whether a stream ends where the history does though the job goes on.
    pub ends: bool,
    /// The status with which all about the job is refused.
    pub refuses: Option<u16>,
    /// Which interface it has.
    pub newer: bool,
    /// Whether its streams number the events.
    pub numbers: bool,
    /// How long every stream but the first pauses in the middle of the history.
    pub pauses: Duration,
    /// Bytes of a stream behind the first events.
    pub odd: Option<&'static str>,
    /// How often a gateway answers for the job that there is nothing.
    pub absent: usize,
    /// The list, where it is an odd one.
    pub lists: Lists,
    /// Streams that were begun, and lists that were asked for.
    pub streamed: usize,
    pub listed: usize,
    /// The ids behind which streams were asked for.
    pub last: Vec<String>,
}

/// How a list of events is odd.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lists {
    /// It is not.
    #[default]
    Well,
    /// Oldest first, with ids, in pages.
    Rising,
    /// The same, and all pages are the first.
    Deaf,
    /// No JSON.
    Garbled,
}

/// A server that runs until it is dropped.
pub struct Script {
    pub address: SocketAddr,
    pub having: Arc<Mutex<Having>>,
    task: JoinHandle<()>,
}

impl Drop for Script {
    fn drop(&mut self) {
        self.task.abort();
    }
}

type Shared = State<Arc<Mutex<Having>>>;

impl Script {
    pub async fn new(having: Having) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let having = Arc::new(Mutex::new(having));
        let routes = Router::new()
            .route("/v1/fine-tunes", get(|state: Shared| async move { listed(&state, false) }))
            .route("/v1/fine-tunes/{id}", get(|state: Shared| async move { job(&state, false) }))
            .route("/v1/fine-tunes/{id}/events", get(events))
            .route("/v1/fine_tuning/jobs", get(|state: Shared| async move { listed(&state, true) }))
            .route("/v1/fine_tuning/jobs/{id}", get(|state: Shared| async move { job(&state, true) }))
            .route("/v1/fine_tuning/jobs/{id}/events", get(pages))
            .with_state(Arc::clone(&having));
        let task = tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
        Self { address, having, task }
    }
}

/// Returns messages of which many equal their neighbours.
pub fn history(events: usize) -> Vec<String> {
    let message = |at: usize| match at % 7 {
        0 | 1 => "Fine-tune is in the queue. Queue number: 1".to_owned(),
        2..=4 => format!("Zeit läuft — 時間 ⏳\nStep {}", at / 70),
        _ => format!("Completed epoch {}/9 \u{1f389}", at / 14),
    };
    (0..events).map(message).collect()
}

fn event(at: usize, message: &str) -> Value {
    // Many in the same second.
    json!({"object": "fine-tune-event", "created_at": 1_700_000_000 + at / 50, "level": "info", "message": message})
}

fn answer(status: StatusCode, body: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

fn absent() -> Response {
    answer(StatusCode::NOT_FOUND, &json!({"error": {"message": "Invalid URL", "type": "invalid_request_error"}}))
}

fn wrong(having: &Having, newer: bool) -> Option<Response> {
    if having.newer != newer {
        return Some(absent());
    }
    let status = StatusCode::from_u16(having.refuses?).unwrap();
    Some(answer(status, &json!({"error": {"message": "no", "type": "invalid_request_error"}})))
}

fn listed(state: &Shared, newer: bool) -> Response {
    let having = state.lock().unwrap();
    if having.newer == newer { answer(StatusCode::OK, &json!({"object": "list", "data": []})) } else { absent() }
}

fn job(state: &Shared, newer: bool) -> Response {
    let mut having = state.lock().unwrap();
    if having.absent > 0 {
        having.absent -= 1;
        return (StatusCode::NOT_FOUND, "404 page not found").into_response();
    }
    let job = || answer(StatusCode::OK, &json!({"id": "ft-x", "status": having.status, "model": "ada", "error": null}));
    wrong(&having, newer).unwrap_or_else(job)
}

async fn events(state: Shared, headers: HeaderMap, Query(sent): Query<HashMap<String, String>>) -> Response {
    let streams = sent.get("stream").is_some_and(|stream| stream == "true") && state.lock().unwrap().streams;
    if !streams && state.lock().unwrap().lists != Lists::Well {
        return rising(&state, &sent);
    }
    let (having, kept) = (state.lock().unwrap().clone(), Arc::clone(&state.0));
    if let Some(wrong) = wrong(&having, false) {
        return wrong;
    }
    if !streams {
        let list: Vec<Value> = having.history.iter().enumerate().map(|(at, message)| event(at, message)).collect();
        return answer(StatusCode::OK, &json!({"object": "list", "data": list}));
    }
    let first = {
        let mut now = kept.lock().unwrap();
        now.streamed += 1;
        now.last.extend(headers.get("last-event-id").map(|id| id.to_str().unwrap().to_owned()));
        now.streamed == 1
    };
    let lines = futures_util::stream::unfold((0, false), move |(told, ended)| {
        let kept = Arc::clone(&kept);
        async move {
            loop {
                let having = kept.lock().unwrap().clone();
                if ended {
                    return None;
                }
                if told < having.history.len() {
                    let parts = !first && !having.pauses.is_zero() || having.odd.is_some();
                    let half = having.history.len() / 2;
                    let end = if parts && told < half { half } else { having.history.len() };
                    let mut lines = String::new();
                    if parts && told == half {
                        tokio::time::sleep(having.pauses).await;
                        lines.push_str(having.odd.unwrap_or_default());
                    }
                    for (at, message) in having.history.iter().enumerate().take(end).skip(told) {
                        let id = if having.numbers { format!("id: {at}\n") } else { String::new() };
                        let _ = write!(lines, "{id}data: {}\n\n", event(at, message));
                    }
                    return Some((Ok::<_, std::io::Error>(lines), (end, false)));
                }
                if having.status != "running" && !(having.ends && having.numbers) {
                    return Some((Ok("data: [DONE]\n\n".to_owned()), (told, true)));
                }
                if having.ends {
                    return None;
                }
                tokio::time::sleep(std::time::Duration::from_millis(1)).await;
            }
        }
    });
    ([(header::CONTENT_TYPE, "text/event-stream")], axum::body::Body::from_stream(lines)).into_response()
}

/// Answers with a page of ten events, oldest first.
fn rising(state: &Shared, sent: &HashMap<String, String>) -> Response {
    let mut having = state.lock().unwrap();
    having.listed += 1;
    if having.lists == Lists::Garbled {
        return answer(StatusCode::OK, &Value::String("{".into()));
    }
    let after = sent.get("after").filter(|_| having.lists != Lists::Deaf);
    let from = after.map_or(0, |id| id.parse::<usize>().unwrap() + 1);
    let data: Vec<Value> = (having.history.iter().enumerate().skip(from).take(10))
        .map(|(at, message)| {
            let mut event = event(at * 50, message);
            event["id"] = at.to_string().into();
            event
        })
        .collect();
    let more = having.lists == Lists::Deaf || from + data.len() < having.history.len();
    answer(StatusCode::OK, &json!({"object": "list", "data": data, "has_more": more}))
}

/// Answers with a page of `limit` events, newest first.
async fn pages(state: Shared, Path(_): Path<String>, Query(sent): Query<HashMap<String, String>>) -> Response {
    let having = state.lock().unwrap().clone();
    if let Some(wrong) = wrong(&having, true) {
        return wrong;
    }
    if having.lists != Lists::Well {
        return rising(&state, &sent);
    }
    let all: Vec<Value> = (having.history.iter().enumerate().rev())
        .map(|(at, message)| {
            let mut event = event(at, message);
            event["id"] = format!("ftevent-{at}").into();
            event
        })
        .collect();
    let after = sent.get("after").and_then(|after| all.iter().position(|event| event["id"] == **after));
    let limit = sent.get("limit").and_then(|limit| limit.parse().ok()).unwrap_or(20);
    let rest = &all[after.map_or(0, |at| at + 1)..];
    let data = &rest[..rest.len().min(limit)];
    answer(StatusCode::OK, &json!({"object": "list", "data": data, "has_more": rest.len() > limit}))
}
