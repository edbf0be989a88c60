//! A server whose answers a test writes down.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use crate::common::LIMIT;

/// A request.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Method and path with its query, such as `GET /v1/files`.
    pub line: String,
    pub body: Vec<u8>,
}

/// What is answered.
pub enum Answer {
    /// Status and JSON.
    Json(u16, serde_json::Value),
    /// Bytes of a file.
    Bytes(Vec<u8>),
    /// Bytes of a file, of which only so many come before the connection is closed.
    Cut(Vec<u8>, usize),
    /// Events of a job; whether the stream ends.
    Events(Vec<String>, bool),
}

/// A server on a free port of this machine.
pub struct Scripted {
    pub url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Scripted {
    /// Starts a server. What has no answer is not found.
    pub fn start(answer: impl Fn(&Asked) -> Option<Answer> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (asked, answer) = (Arc::<Mutex<Vec<Asked>>>::default(), Arc::new(answer));
        let requests = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (requests, answer) = (Arc::clone(&requests), Arc::clone(&answer));
                std::thread::spawn(move || serve(stream, &requests, &*answer));
            }
        });
        Self { url, asked }
    }

    /// Returns the requests that begin so, in order.
    pub fn asked(&self, line: &str) -> Vec<Asked> {
        self.asked.lock().unwrap().iter().filter(|asked| asked.line.starts_with(line)).cloned().collect()
    }
}

fn serve(
    stream: TcpStream,
    requests: &Mutex<Vec<Asked>>,
    answer: &(dyn Fn(&Asked) -> Option<Answer> + Send + Sync),
) -> Option<()> {
    stream.set_read_timeout(Some(LIMIT)).ok()?;
    let mut reader = BufReader::new(stream);
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first).ok()?;
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
    let line = first.trim().trim_end_matches(" HTTP/1.1").to_owned();
    let asked = Asked { line, body };
    requests.lock().unwrap().push(asked.clone());
    let mut stream = reader.into_inner();
    let (status, kind, body) = match answer(&asked) {
        None => (404, "application/json", br#"{"error":{"message":"there is no such thing"}}"#.to_vec()),
        Some(Answer::Json(status, json)) => (status, "application/json", json.to_string().into_bytes()),
        Some(Answer::Bytes(bytes)) => (200, "application/octet-stream", bytes),
        Some(Answer::Cut(bytes, count)) => {
            let length = bytes.len();
            write!(stream, "HTTP/1.1 200 X\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n").ok()?;
            return stream.write_all(&bytes[..count]).ok();
        }
        Some(Answer::Events(events, ends)) => return send_events(stream, &events, ends),
    };
    write!(
        stream,
        "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    )
    .ok()?;
    stream.write_all(&body).ok()
}

/// Sends a stream of events; one that does not end waits until the client has gone.
fn send_events(mut stream: TcpStream, events: &[String], ends: bool) -> Option<()> {
    write!(stream, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n").ok()?;
    for event in events {
        write!(stream, "data: {event}\n\n").ok()?;
    }
    if ends {
        return write!(stream, "data: [DONE]\n\n").ok();
    }
    let _ = stream.read(&mut [0]);
    None
}
