//! Uploads to servers that refuse, leave, or hear nothing; of files that change.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use benchtop::api::call::{FailureKind, Progress, Reply, Ticket};
use benchtop::client::Client;
use benchtop::settings::Endpoint;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{ask, bare, bytes, endpoint, header, scripted, sha256, upload};
use crate::server::LIMIT;

const ANSWER: &str = r#"{"id":"file-9","object":"file","bytes":3,"filename":"a","purpose":"user_data"}"#;

fn local(content: &[u8]) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(content).unwrap();
    file
}

/// Reads the body that a head announces.
async fn body(head: &str, socket: &mut TcpStream) -> Vec<u8> {
    let mut body = vec![0; header(head, "content-length").unwrap().parse().unwrap()];
    socket.read_exact(&mut body).await.unwrap();
    body
}

async fn answer(socket: &mut TcpStream, status: &str, body: &str) {
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    let _ = socket.write_all(head.as_bytes()).await;
    let _ = socket.write_all(body.as_bytes()).await;
}

#[tokio::test]
async fn the_purpose_comes_first_and_a_name_breaks_nothing() {
    for (name, sent) in [
        ("a.jsonl", "a.jsonl"),
        ("na\u{ef}ve \u{65e5}.jsonl", "na\u{ef}ve \u{65e5}.jsonl"),
        ("a\"; x=\"\r\nX-Evil: 1\r\n\r\nb", "a\\\"; x=\\\"X-Evil: 1b"),
        ("../b", "b"),
        // What no folder of ours would take is for the server to judge.
        (".a:b?.jsonl", ".a:b?.jsonl"),
    ] {
        let file = local(b"abc");
        let url = scripted(move |_, head, mut socket| async move {
            assert!(head.starts_with("POST /v1/files "), "{head}");
            assert!(header(&head, "idempotency-key").is_some() && header(&head, "authorization").is_some());
            let body = String::from_utf8(body(&head, &mut socket).await).unwrap();
            let kind = header(&head, "content-type").unwrap();
            let boundary = kind.strip_prefix("multipart/form-data; boundary=").unwrap();
            let parts: Vec<&str> = body.split(&format!("--{boundary}")).collect();
            assert_eq!(parts.len(), 4, "{body}");
            assert_eq!(parts[1], "\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nuser_data\r\n");
            let expected = format!(
                "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{sent}\"\r\nContent-Type: \
                 application/octet-stream\r\n\r\nabc\r\n"
            );
            assert_eq!(parts[2], expected);
            answer(&mut socket, "200 OK", ANSWER).await;
        })
        .await;
        let (replies, _, end) = ask(&endpoint(&url), upload(file.path().to_owned(), name)).await;
        assert_eq!(end, Ok(()));
        let Some(Reply::Uploaded(stored, hash)) = replies.first() else { panic!("{replies:?}") };
        assert_eq!((stored.id.as_str(), *hash), ("file-9", sha256(b"abc")));
    }
}

#[tokio::test]
async fn a_refusal_in_the_middle_of_the_file_is_heard() {
    let file = local(&bytes(40 << 20));
    for (status, kind) in [
        ("413 Payload Too Large", FailureKind::Refused),
        ("401 Unauthorized", FailureKind::Auth),
        ("400 Bad Request", FailureKind::Refused),
    ] {
        for read in [0, 1 << 20] {
            // Held with the rest unread. One that is dropped so resets the connection, and the system may throw the
            // answer away with it before anybody could read it.
            let (hold, _held) = tokio::sync::mpsc::unbounded_channel();
            let url = scripted(move |_, _, mut socket| {
                let hold = hold.clone();
                async move {
                    let mut taken = vec![0; read];
                    socket.read_exact(&mut taken).await.unwrap();
                    answer(&mut socket, status, r#"{"error":{"message":"too much for me"}}"#).await;
                    hold.send(socket).unwrap();
                }
            })
            .await;
            let (_, _, end) = ask(&endpoint(&url), upload(file.path().to_owned(), "a")).await;
            let why = end.unwrap_err();
            assert_eq!(
                (why.status, why.kind),
                (status[..3].parse().ok(), kind),
                "{status} {read}: {}",
                why.sentence.raw()
            );
            assert!(why.sentence.contains("too much for me"), "{}", why.sentence.raw());
        }
    }
}

#[tokio::test]
async fn a_refusal_is_heard_while_the_server_goes_on_to_listen_and_the_sending_ends() {
    let file = local(&bytes(64 << 20));
    let (tell, told) = tokio::sync::oneshot::channel();
    let tell = Arc::new(std::sync::Mutex::new(Some(tell)));
    let url = scripted(move |_, _, mut socket| {
        let tell = tell.lock().unwrap().take().unwrap();
        async move {
            let body = r#"{"error":{"message":"no"}}"#;
            let head = format!("HTTP/1.1 400 Bad\r\ncontent-length: {}\r\n\r\n{body}", body.len());
            socket.write_all(head.as_bytes()).await.unwrap();
            let (mut count, mut piece) = (0, vec![0; 1 << 16]);
            while let Ok(read @ 1..) = socket.read(&mut piece).await {
                count += read;
                // Slower than the client could.
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            tell.send(count).unwrap();
        }
    })
    .await;
    let (client, mut news) = Client::spawn();
    client.call(Ticket(1), endpoint(&url), upload(file.path().to_owned(), "a"));
    let (_, _, end) = super::all(&client, &mut news).await;
    assert_eq!(end.unwrap_err().status, Some(400));
    let count = tokio::time::timeout(LIMIT, told).await.expect("the connection ends").unwrap();
    assert!(count < 32 << 20, "{count} bytes were sent for nothing");
}

#[tokio::test]
async fn a_retry_begins_at_the_first_byte_with_the_same_key() {
    let file = local(&bytes(3 << 20));
    let keys = Arc::new(std::sync::Mutex::new(Vec::new()));
    let told = Arc::clone(&keys);
    let url = scripted(move |count, head, mut socket| {
        told.lock().unwrap().push(header(&head, "idempotency-key").unwrap());
        async move {
            match count {
                0 => {
                    let mut some = vec![0; 100_000];
                    socket.read_exact(&mut some).await.unwrap();
                }
                1 => {
                    body(&head, &mut socket).await;
                    answer(&mut socket, "503 Busy", "").await;
                }
                _ => {
                    assert!(body(&head, &mut socket).await.len() > 3 << 20);
                    answer(&mut socket, "200 OK", ANSWER).await;
                }
            }
        }
    })
    .await;
    let (client, mut news) = Client::spawn();
    client.call(Ticket(1), endpoint(&url), upload(file.path().to_owned(), "a"));
    let (mut retries, mut said) = (0, Vec::new());
    loop {
        match tokio::time::timeout(LIMIT, news.recv()).await.expect("news come").unwrap().1 {
            Progress::Retrying { attempt, .. } => {
                retries += 1;
                assert_eq!(attempt, retries + 1);
                client.retry_now(Ticket(1));
                said.push(None);
            }
            Progress::Moved { done, total } if done <= 3 << 20 => {
                assert!(total.is_none_or(|total| total == 3 << 20 || done < 1000));
                said.push(Some(done));
            }
            Progress::Closed(end) => {
                assert_eq!(end, Ok(()));
                break;
            }
            _ => {}
        }
    }
    assert_eq!(retries, 2);
    for (at, word) in said.iter().enumerate() {
        if word.is_none() {
            assert_eq!(said[at + 1], Some(0), "the next attempt begins at 0");
        }
    }
    let keys = keys.lock().unwrap();
    assert!(keys.len() == 3 && keys.iter().all(|key| *key == keys[0]));
}

#[tokio::test]
async fn a_file_that_changes_is_not_stored_as_if_it_had_not() {
    for change in ["shorter", "grew", "changed"] {
        let content = bytes(32 << 20);
        let file = local(&content);
        let path = file.path().to_owned();
        let (tell, told) = tokio::sync::oneshot::channel();
        let tell = Arc::new(std::sync::Mutex::new(Some(tell)));
        let url = scripted(move |_, head, mut socket| {
            let (path, tell) = (path.clone(), tell.lock().unwrap().take().expect("it is not tried again"));
            async move {
                let length: usize = header(&head, "content-length").unwrap().parse().unwrap();
                let mut some = vec![0; 1 << 20];
                socket.read_exact(&mut some).await.unwrap();
                let mut open = std::fs::File::options().append(true).open(&path).unwrap();
                match change {
                    "shorter" => open.set_len(20 << 20).unwrap(),
                    "grew" => open.write_all(b"more").unwrap(),
                    _ => open.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap(),
                }
                let mut rest = Vec::new();
                let _ = socket.read_to_end(&mut rest).await;
                tell.send(some.len() + rest.len() < length).unwrap();
            }
        })
        .await;
        let (_, lost, end) = ask(&endpoint(&url), upload(file.path().to_owned(), "a")).await;
        let why = end.unwrap_err();
        assert!(why.sentence.contains(change) && lost.is_empty(), "{change}: {}", why.sentence.raw());
        assert!(told.await.unwrap(), "the server never had a whole form");
    }
}

#[tokio::test]
async fn a_long_upload_outlasts_the_limit_of_the_headers() {
    let file = local(&bytes(12 << 20));
    let url = scripted(|_, head, mut socket| async move {
        let mut left: usize = header(&head, "content-length").unwrap().parse().unwrap();
        let mut piece = vec![0; 256 << 10];
        while left > 0 {
            left -= socket.read(&mut piece).await.unwrap();
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        answer(&mut socket, "200 OK", ANSWER).await;
    })
    .await;
    let limit = Duration::from_millis(300);
    let patient = Arc::new(Endpoint { headers_limit: limit, ..bare(&url) });
    let begun = std::time::Instant::now();
    let (_, lost, end) = ask(&patient, upload(file.path().to_owned(), "a")).await;
    assert_eq!((end, lost.len()), (Ok(()), 0));
    assert!(begun.elapsed() > limit, "it took longer than the limit");
    // But a server that takes nothing any more is given up.
    let silent = scripted(|_, _, socket| async move {
        let _socket = socket;
        std::future::pending::<()>().await;
    })
    .await;
    let impatient = Arc::new(Endpoint { idle_limit: limit, headers_limit: limit, ..bare(&silent) });
    let (_, lost, end) = ask(&impatient, upload(file.path().to_owned(), "a")).await;
    assert_eq!((end.unwrap_err().kind, lost.len()), (FailureKind::Timeout, 2));
}

#[tokio::test]
async fn what_is_no_file_is_not_sent() {
    let home = tempfile::tempdir().unwrap();
    for (path, words) in
        [(home.path().to_owned(), "is not a regular file"), (home.path().join("none"), "cannot be read")]
    {
        let (_, lost, end) = ask(&endpoint("http://127.0.0.1:9/v1"), upload(path, "a")).await;
        let why = end.unwrap_err();
        assert!(why.sentence.contains(words) && lost.is_empty(), "{}", why.sentence.raw());
    }
    // Nothing in it is something that can be sent.
    let file = local(b"");
    let url = scripted(|_, head, mut socket| async move {
        body(&head, &mut socket).await;
        answer(&mut socket, "200 OK", ANSWER).await;
    })
    .await;
    let (replies, _, end) = ask(&endpoint(&url), upload(file.path().to_owned(), "a")).await;
    assert_eq!(end, Ok(()));
    assert!(matches!(&replies[0], Reply::Uploaded(_, hash) if *hash == sha256(b"")));
}

#[tokio::test]
async fn an_answer_before_the_file_is_whole_is_none() {
    let file = local(&bytes(40 << 20));
    let url = scripted(|_, _, mut socket| async move {
        answer(&mut socket, "200 OK", ANSWER).await;
        let mut rest = Vec::new();
        let _ = socket.read_to_end(&mut rest).await;
    })
    .await;
    let (replies, _, end) = ask(&endpoint(&url), upload(file.path().to_owned(), "a")).await;
    assert!(replies.is_empty() && end.unwrap_err().sentence.contains("before it had received the whole file"));
}
