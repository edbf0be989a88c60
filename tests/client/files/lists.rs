//! Lists of files, what is known of one, deleting, parts and hashes.

use benchtop::api::call::{Call, Content, FailureKind, Reply, Span};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::{ask, bytes, endpoint, header, scripted, sha256};

async fn reply(mut socket: TcpStream, status: &str, headers: &str, body: &[u8]) {
    let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n", body.len());
    let _ = socket.write_all(head.as_bytes()).await;
    let _ = socket.write_all(body).await;
}

fn page(ids: std::ops::Range<usize>, more: bool) -> String {
    let file = |n| {
        serde_json::json!({
            "object": "file", "id": format!("file-{n}"), "bytes": n, "created_at": 1_700_000_000, "purpose": "fine-tune",
            "filename": "a\u{1b}[2J.jsonl", "status": "processed", "status_details": null, "novel": {"x": [1]}
        })
    };
    let files: Vec<_> = ids.map(file).collect();
    serde_json::json!({"object": "list", "data": files, "has_more": more}).to_string()
}

/// Returns the ids of a list, and how the call ended.
async fn listed(url: &str) -> (Vec<String>, Result<(), benchtop::api::call::Failure>) {
    let (replies, _, end) = ask(&endpoint(url), Call::Files).await;
    let files = replies.into_iter().find_map(|reply| if let Reply::Files(files) = reply { Some(files) } else { None });
    (files.unwrap_or_default().into_iter().map(|file| file.id).collect(), end)
}

#[tokio::test]
async fn all_pages_are_read_in_their_order() {
    let url = scripted(|_, head, socket| async move {
        let after = head.split("after=file-").nth(1).and_then(|rest| rest.split(' ').next());
        let from = after.map_or(0, |id| id.parse::<usize>().unwrap() + 1);
        reply(socket, "200 OK", "", page(from..(from + 4000).min(10_000), from + 4000 < 10_000).as_bytes()).await;
    })
    .await;
    let (ids, end) = listed(&url).await;
    assert_eq!(end, Ok(()));
    assert_eq!(ids, (0..10_000).map(|n| format!("file-{n}")).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_server_that_repeats_itself_comes_to_an_end() {
    // The same page for ever; each page the last file of the one before and no other; no files at all, but more.
    for kind in 0..3 {
        let url = scripted(move |count, _, socket| async move {
            let body = match kind {
                0 => page(0..3, true),
                1 => page(count.min(2)..count.min(2) + 1, true),
                _ => page(0..0, true),
            };
            reply(socket, "200 OK", "", body.as_bytes()).await;
        })
        .await;
        let (ids, end) = listed(&url).await;
        assert_eq!((ids.len(), end), (if kind < 2 { 3 } else { 0 }, Ok(())), "{kind}");
    }
}

#[tokio::test]
async fn lists_are_read_leniently_and_ids_that_lead_elsewhere_are_left_out() {
    let body = r#"{"data":[{"id":"file-a","bytes":"12","filename":null},{"id":".."},{"id":""},7,null,
        {"id":"../../models","purpose":5,"has_more":true}]}"#;
    let url = scripted(move |_, _, socket| async move { reply(socket, "200 OK", "", body.as_bytes()).await }).await;
    let (replies, _, end) = ask(&endpoint(&url), Call::Files).await;
    assert_eq!(end, Ok(()));
    let Reply::Files(files) = &replies[0] else { panic!() };
    assert_eq!(files.iter().map(|file| file.id.as_str()).collect::<Vec<_>>(), ["file-a", "../../models"]);
    let (_, _, end) = ask(&endpoint(&url), Call::DeleteFile("..".into())).await;
    assert_eq!(end.unwrap_err().kind, FailureKind::Refused);
}

#[tokio::test]
async fn an_id_stays_one_step_of_the_path() {
    let url = scripted(|_, head, socket| async move {
        let path = head.split(' ').nth(1).unwrap().to_owned();
        reply(socket, "404 Not Found", "", format!(r#"{{"error":{{"message":"No file {path}"}}}}"#).as_bytes()).await;
    })
    .await;
    let (_, _, end) = ask(&endpoint(&url), Call::File("../models/a b?x#y%2e".into())).await;
    let why = end.unwrap_err();
    assert!(why.body.contains("/v1/files/..%2Fmodels%2Fa%20b%3Fx%23y%252e"), "{}", why.body.raw());
    assert_eq!((why.kind, why.status), (FailureKind::Refused, Some(404)));
    assert!(why.sentence.contains("has no such file"), "{}", why.sentence.raw());
}

#[tokio::test]
async fn a_server_without_files_says_so() {
    for body in ["404 page not found", r#"{"detail":"Not Found"}"#, ""] {
        let url = scripted(move |_, _, socket| reply(socket, "404 Not Found", "", body.as_bytes())).await;
        let why = listed(&url).await.1.unwrap_err();
        assert_eq!(why.kind, FailureKind::Unsupported);
        assert!(why.sentence.contains("this server does not support files"), "{}", why.sentence.raw());
    }
}

#[tokio::test]
async fn what_was_not_deleted_is_not_said_to_be() {
    for (status, body, good) in [
        ("200 OK", r#"{"id":"file-1","object":"file","deleted":true}"#, true),
        ("204 No Content", "", true),
        ("200 OK", r#"{"id":"file-1","deleted":false}"#, false),
        ("200 OK", r#"{"error":{"message":"in use"}}"#, false),
        ("200 OK", "<html>", false),
        ("403 Forbidden", "", false),
    ] {
        let url = scripted(move |_, head, socket| {
            assert!(head.starts_with("DELETE /v1/files/file-1 "), "{head}");
            reply(socket, status, "", body.as_bytes())
        })
        .await;
        let (replies, _, end) = ask(&endpoint(&url), Call::DeleteFile("file-1".into())).await;
        assert_eq!((end.is_ok(), replies == [Reply::Deleted("file-1".into())]), (good, good), "{body}");
    }
}

/// Returns a part of a file from a server with or without ranges.
async fn part(content: Vec<u8>, ranges: bool, from: u64, most: u64) -> Content {
    let url = scripted(move |_, head, socket| {
        let content = content.clone();
        async move {
            assert_eq!(header(&head, "accept-encoding").as_deref(), Some("identity"));
            let range = header(&head, "range").unwrap();
            let (first, last) = range.strip_prefix("bytes=").unwrap().split_once('-').unwrap();
            let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
            let total = content.len();
            if !ranges {
                reply(socket, "200 OK", "", &content).await;
            } else if first >= total {
                reply(socket, "416 Range Not Satisfiable", &format!("content-range: bytes */{total}\r\n"), b"").await;
            } else {
                let last = last.min(total - 1);
                let head = format!("content-range: bytes {first}-{last}/{total}\r\n");
                reply(socket, "206 Partial Content", &head, &content[first..=last]).await;
            }
        }
    })
    .await;
    let call = Call::Content(Box::new(Span { id: "file-1".into(), from, most }));
    let (replies, _, end) = ask(&endpoint(&url), call).await;
    assert_eq!(end, Ok(()));
    match replies.into_iter().next() {
        Some(Reply::Content(content)) => content,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_part_is_the_same_with_and_without_ranges() {
    let content = bytes(1_000_000);
    for ranges in [true, false] {
        for (from, most) in [(0, 64), (0, 0), (1, 1), (999_990, 64), (500_000, 400_000), (1_000_000, 5), (2_000_000, 5)]
        {
            let got = part(content.clone(), ranges, from, most).await;
            let from = from as usize;
            let end = (from + most as usize).min(content.len());
            assert!(got.bytes == content.get(from..end).unwrap_or_default(), "{ranges} {from} {most}");
            assert_eq!((got.from, got.total, got.ranges), (from as u64, Some(1_000_000), ranges), "{from} {most}");
        }
    }
    assert_eq!(part(Vec::new(), true, 0, 10).await.total, Some(0));
}

#[tokio::test]
async fn a_hash_is_of_all_that_came_and_of_nothing_that_was_cut() {
    let content = bytes(300_000);
    for (length, good) in [(300_000, true), (300_001, false)] {
        let content = content.clone();
        let expected = sha256(&content);
        let url = scripted(move |_, _, mut socket| {
            let content = content.clone();
            async move {
                let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
                socket.write_all(head.as_bytes()).await.unwrap();
                socket.write_all(&content).await.unwrap();
            }
        })
        .await;
        let (replies, _, end) = ask(&endpoint(&url), Call::Digest("file-1".into())).await;
        assert_eq!(end.is_ok(), good);
        assert_eq!(replies.first(), good.then_some(&Reply::Digest(expected, 300_000)));
    }
}
