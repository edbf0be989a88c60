//! A server of the chat, completion and embedding interface whose answers the test controls.

use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};

use super::LIMIT;

/// A server on a free port of this machine. It lists one model; requests for chats, completions and vectors wait for
/// the test.
pub struct Server {
    pub url: String,
    asked: Receiver<Asked>,
}

/// A request, and the connection to answer it.
pub struct Asked {
    /// What was sent as the key.
    pub key: Option<String>,
    pub body: serde_json::Value,
    stream: TcpStream,
}

impl Server {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (send, asked) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let send = send.clone();
                std::thread::spawn(move || serve(stream, &send));
            }
        });
        Self { url, asked }
    }

    /// Waits for the next request; fails after [`LIMIT`].
    pub fn asked(&self) -> Asked {
        self.asked.recv_timeout(LIMIT).expect("the server is asked")
    }

    /// Waits for the next request without a limit.
    pub fn next(&self) -> Option<Asked> {
        self.asked.recv().ok()
    }

    /// Returns the next request, if there is one.
    pub fn poll(&self) -> Option<Asked> {
        self.asked.try_recv().ok()
    }
}

fn serve(stream: TcpStream, asked: &Sender<Asked>) -> Option<()> {
    stream.set_read_timeout(Some(LIMIT)).ok()?;
    let mut reader = BufReader::new(stream);
    let (mut first, mut length, mut key) = (String::new(), 0, None);
    reader.read_line(&mut first).ok()?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if line.trim().is_empty() {
            break;
        }
        if line.to_lowercase().starts_with("authorization: bearer ") {
            key = line.trim().rsplit(' ').next().map(str::to_owned);
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let mut asked_for = Asked { key, body: serde_json::Value::Null, stream: reader.into_inner() };
    let mut words = first.split_whitespace();
    let (method, target) = (words.next()?, words.next()?);
    // A proxy is asked for a whole URL.
    let target = target.strip_prefix("http://").and_then(|url| url.find('/').map(|at| &url[at..])).unwrap_or(target);
    let path = target.split('?').next().unwrap_or_default();
    if method == "POST" && matches!(path, "/v1/chat/completions" | "/v1/completions" | "/v1/embeddings") {
        asked_for.body = serde_json::from_slice(&body).ok()?;
        let _ = asked.send(asked_for);
    } else if method == "GET" && path == "/v1/models" {
        asked_for.refuse(
            "200 OK",
            "",
            r#"{"object":"list","data":[{"id":"auto","object":"model","owned_by":"test"}]}"#,
        );
    } else {
        asked_for.refuse("404 Not Found", "", "{}");
    }
    Some(())
}

impl Asked {
    /// Returns role and text of the request's last message.
    pub fn last(&self) -> (&str, &str) {
        let last = self.body["messages"].as_array().unwrap().last().unwrap();
        (last["role"].as_str().unwrap(), last["content"].as_str().unwrap())
    }

    /// Answers at once, as a whole. `headers`: lines, each with its end.
    pub fn refuse(mut self, status: &str, headers: &str, body: &str) {
        let length = body.len();
        let _ = write!(
            self.stream,
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\n{headers}\
             content-length: {length}\r\n\r\n{body}"
        );
    }

    /// Begins a stream.
    pub fn open(&mut self) {
        self.raw(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\
             transfer-encoding: chunked\r\n\r\n",
        );
    }

    /// Sends a part of the answer; returns whether the connection is still open.
    pub fn token(&mut self, text: &str) -> bool {
        let choice = serde_json::json!({ "index": 0, "delta": { "content": text }, "finish_reason": null });
        self.event(&chunk(choice))
    }

    /// Sends a token of a completion with its alternatives, likeliest first.
    pub fn piece(&mut self, text: &str, top: &[(&str, f64)]) -> bool {
        let top: serde_json::Map<_, _> = top.iter().map(|(text, odds)| ((*text).to_owned(), (*odds).into())).collect();
        let odds = top.get(text).cloned();
        let logprobs = serde_json::json!({
            "tokens": [text], "token_logprobs": [odds], "top_logprobs": [top], "text_offset": [0]
        });
        self.event(&completion(text, &logprobs, None))
    }

    /// Ends a completion properly.
    pub fn end(mut self) {
        self.event(&completion("", &serde_json::Value::Null, Some("stop")));
        self.event("[DONE]");
        self.raw("0\r\n\r\n");
    }

    /// Ends the answer properly.
    pub fn finish(mut self) {
        self.event(&chunk(serde_json::json!({ "index": 0, "delta": {}, "finish_reason": "stop" })));
        self.event("[DONE]");
        self.raw("0\r\n\r\n");
    }

    /// Answers with these parts of a message, and this finish reason.
    pub fn deltas(mut self, deltas: &[serde_json::Value], reason: &str) {
        self.open();
        for delta in deltas {
            self.event(&chunk(serde_json::json!({ "index": 0, "delta": delta, "finish_reason": null })));
        }
        self.event(&chunk(serde_json::json!({ "index": 0, "delta": {}, "finish_reason": reason })));
        self.event("[DONE]");
        self.raw("0\r\n\r\n");
    }

    /// Ends the answer properly, with its usage.
    pub fn finish_with(mut self, usage: &str) {
        self.event(&format!(r#"{{"choices":[],"usage":{usage}}}"#));
        self.finish();
    }

    /// Drops the connection in the middle.
    pub fn cut(self) {
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
    }

    /// Waits until the client has closed the connection.
    pub fn left(&mut self) {
        let mut rest = [0; 64];
        loop {
            match self.stream.read(&mut rest) {
                Ok(1..) => {}
                Err(why) if matches!(why.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    panic!("the client is still there")
                }
                Ok(0) | Err(_) => return,
            }
        }
    }

    fn event(&mut self, data: &str) -> bool {
        let event = format!("data: {data}\n\n");
        self.raw(&format!("{:x}\r\n{event}\r\n", event.len()))
    }

    fn raw(&mut self, bytes: &str) -> bool {
        self.stream.write_all(bytes.as_bytes()).is_ok()
    }
}

fn chunk(choice: serde_json::Value) -> String {
    serde_json::json!({
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "auto", "choices": [choice]
    })
    .to_string()
}

fn completion(text: &str, logprobs: &serde_json::Value, finish_reason: Option<&str>) -> String {
    let choice = serde_json::json!({ "text": text, "index": 0, "logprobs": logprobs, "finish_reason": finish_reason });
    serde_json::json!({
        "id": "cmpl-1", "object": "text_completion", "created": 1, "model": "auto", "choices": [choice]
    })
    .to_string()
}
