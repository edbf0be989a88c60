//! A server that answers by hand on a raw socket, and a client with one call made to it.

use std::sync::Arc;
use std::time::Duration;

use benchtop::api::call::{Call, Failure, Progress, Reply, Ticket};
use benchtop::api::chat::{ChatMessage, ChatRequest};
use benchtop::client::Client;
use benchtop::settings::Endpoint;
use secrecy::SecretString;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// How long anything may take before the test has failed: no pass depends on it.
pub const LIMIT: Duration = Duration::from_mins(10);

pub const KEY: &str = "sk-test-0123456789abcdefQx7a";

/// A server that answers each connection in turn by hand.
pub struct Server {
    pub listener: TcpListener,
}

/// A request as it came.
pub struct Asked {
    pub head: String,
    pub body: String,
    pub socket: TcpStream,
}

impl Server {
    pub async fn new() -> Self {
        Self { listener: TcpListener::bind("127.0.0.1:0").await.unwrap() }
    }

    pub fn endpoint(&self) -> Endpoint {
        let url = format!("http://{}/v1", self.listener.local_addr().unwrap());
        Endpoint::new(url, Some(SecretString::from(KEY)))
    }

    /// Accepts a connection and reads its request.
    pub async fn asked(&self) -> Asked {
        tokio::time::timeout(LIMIT, self.accept()).await.expect("it is asked")
    }

    async fn accept(&self) -> Asked {
        let (mut socket, _) = self.listener.accept().await.unwrap();
        let mut bytes = Vec::new();
        loop {
            let mut piece = [0; 4096];
            let read = socket.read(&mut piece).await.unwrap();
            assert!(read > 0, "the request is whole");
            bytes.extend_from_slice(&piece[..read]);
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
            let length = head
                .to_lowercase()
                .split("content-length: ")
                .nth(1)
                .and_then(|rest| rest.split("\r\n").next().and_then(|number| number.trim().parse::<usize>().ok()));
            if body.len() >= length.unwrap_or(0) {
                return Asked { head: head.to_owned(), body: body.to_owned(), socket };
            }
        }
    }
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<String> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned()).next()
    }

    /// Sends a complete answer and closes the connection.
    pub async fn answer(mut self, status: &str, headers: &str, body: &str) {
        let length = body.len();
        let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n");
        self.write(&head).await;
        self.write(body).await;
    }

    /// Sends the head of a stream that ends with the connection.
    pub async fn open(&mut self, kind: &str) {
        self.write(&format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n")).await;
    }

    /// Fails unless the other side closes the connection.
    pub async fn expect_closed(&mut self) {
        let mut rest = Vec::new();
        let read = tokio::time::timeout(LIMIT, self.socket.read_to_end(&mut rest)).await.expect("it closes");
        assert!(read.is_err() || rest.is_empty());
    }

    pub async fn write(&mut self, text: &str) {
        self.bytes(text.as_bytes()).await;
    }

    pub async fn bytes(&mut self, bytes: &[u8]) {
        self.write_all(bytes).await.unwrap();
    }

    /// Sends bytes to a client that may close the connection before the end.
    pub async fn write_while_open(&mut self, bytes: &[u8]) {
        let _ = self.write_all(bytes).await;
    }

    /// Sends bytes. A client whose news nobody takes stops reading, so what is larger than the buffers of a socket must be
    /// sent while the news are taken.
    async fn write_all(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        tokio::time::timeout(LIMIT, self.socket.write_all(bytes)).await.expect("it is read")
    }
}

pub fn chat(stream: bool) -> Call {
    let message = ChatMessage { role: "user".into(), content: "hi".into(), ..ChatMessage::default() };
    let request =
        ChatRequest { model: "m".into(), messages: vec![message], stream: Some(stream), ..ChatRequest::default() };
    Call::Chat(Box::new(request))
}

pub const JSON: &str = "content-type: application/json\r\n";
pub const WHOLE: &str = r#"{"choices":[{"message":{"content":"Hello"},"finish_reason":"stop"}]}"#;
pub const FIRST: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hel\"}}]}\n\n";
pub const LAST: &str =
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"lo\"},\"finish_reason\":\"stop\"}]}\n\n";

pub type News = mpsc::Receiver<(Ticket, Progress)>;

/// Creates a client and makes one call.
pub fn call(endpoint: Endpoint, call: Call) -> (Client, News, Arc<Endpoint>) {
    let (client, news) = Client::spawn();
    let endpoint = Arc::new(endpoint);
    client.call(Ticket(1), Arc::clone(&endpoint), call);
    (client, news, endpoint)
}

pub async fn next(news: &mut News) -> Progress {
    loop {
        let (_, progress) = tokio::time::timeout(LIMIT, news.recv()).await.expect("news come").unwrap();
        if !matches!(progress, Progress::Moved { .. } | Progress::Learned(_)) {
            return progress;
        }
    }
}

/// Receives all text until the end of a call.
pub async fn text(news: &mut News) -> (String, Result<(), Failure>) {
    let mut text = String::new();
    loop {
        match next(news).await {
            Progress::Reply(Reply::ChatChunk(chunk)) => {
                text.extend(chunk.choices.into_iter().filter_map(|choice| choice.delta.content));
            }
            Progress::Reply(Reply::Chat(whole)) => {
                text.extend(whole.choices.into_iter().filter_map(|choice| choice.message.content));
            }
            Progress::Closed(end) => return (text, end),
            Progress::Retrying { .. } => panic!("no retry is due here"),
            _ => {}
        }
    }
}

pub async fn failed(news: &mut News) -> Failure {
    text(news).await.1.unwrap_err()
}

/// Makes a call that is answered with this body, streamed or not; returns its text and end.
pub async fn answered(streamed: bool, kind: &str, body: &str) -> (String, Result<(), Failure>) {
    let server = Server::new().await;
    let (_client, mut news, _) = call(server.endpoint(), chat(streamed));
    let mut asked = server.asked().await;
    let sending = async move {
        asked.open(kind).await;
        asked.write_while_open(body.as_bytes()).await;
    };
    tokio::join!(sending, text(&mut news)).1
}
