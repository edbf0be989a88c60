//! Stored files: the real client against the real service, and against servers that misbehave.

mod download;
mod large;
mod lists;
mod real;
mod upload;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use benchtop::api::call::{Call, Download, Failure, Progress, Reply, Ticket, Upload};
use benchtop::client::Client;
use benchtop::settings::Endpoint;
use ring::digest::{SHA256, digest};

use crate::server::{KEY, LIMIT, News};

/// Receives everything of a call except its progress, and shortens countdowns.
async fn all(client: &Client, news: &mut News) -> (Vec<Reply>, Vec<Failure>, Result<(), Failure>) {
    let (mut replies, mut lost) = (Vec::new(), Vec::new());
    loop {
        let (ticket, progress) = tokio::time::timeout(LIMIT, news.recv()).await.expect("news come").unwrap();
        match progress {
            Progress::Reply(reply) => replies.push(reply),
            Progress::Retrying { why, .. } => {
                lost.push(why);
                client.retry_now(ticket);
            }
            Progress::Closed(end) => return (replies, lost, end),
            Progress::Opened { .. } | Progress::Moved { .. } | Progress::Adapted(_) | Progress::Learned(_) => {}
        }
    }
}

/// Makes one call and receives everything of it.
async fn ask(endpoint: &Arc<Endpoint>, call: Call) -> (Vec<Reply>, Vec<Failure>, Result<(), Failure>) {
    let (client, mut news) = Client::spawn();
    client.call(Ticket(1), Arc::clone(endpoint), call);
    all(&client, &mut news).await
}

fn bare(url: &str) -> Endpoint {
    Endpoint::new(url, Some(KEY.to_owned().into()))
}

fn endpoint(url: &str) -> Arc<Endpoint> {
    Arc::new(bare(url))
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    digest(&SHA256, bytes).as_ref().try_into().unwrap()
}

/// Returns pseudo-random bytes.
fn bytes(length: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..length.div_ceil(8)).flat_map(|_| next().to_le_bytes()).take(length).collect()
}

fn download(folder: &Path, name: &str) -> Download {
    Download { id: "file-1".into(), name: name.into(), folder: folder.to_owned(), bytes: None, sha256: None }
}

fn upload(path: PathBuf, name: &str) -> Call {
    Call::Upload(Box::new(Upload { path, name: name.into(), purpose: "user_data".into() }))
}

/// Returns the names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let all = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut all: Vec<String> = all.collect();
    all.sort();
    all
}

/// Starts a server on raw sockets: `answer` gets the number of earlier connections, the request's head and the socket.
async fn scripted<F>(answer: impl Fn(usize, String, tokio::net::TcpStream) -> F + Send + 'static) -> String
where
    F: Future<Output = ()> + Send + 'static,
{
    use tokio::io::AsyncReadExt;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    tokio::spawn(async move {
        for count in 0.. {
            let Ok((mut socket, _)) = listener.accept().await else { return };
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                match socket.read_u8().await {
                    Ok(byte) => head.push(byte),
                    Err(_) => break,
                }
            }
            tokio::spawn(answer(count, String::from_utf8(head).unwrap(), socket));
        }
    });
    url
}

/// Returns the value of a header in a request's head.
fn header(head: &str, name: &str) -> Option<String> {
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    lines.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
}
