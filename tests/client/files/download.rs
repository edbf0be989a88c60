//! Downloads from servers that lose the connection, change the file, lie, or send elsewhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use benchtop::api::call::{Call, Download, Downloaded, Failure, FailureKind, Progress, Reply, Ticket};
use benchtop::client::Client;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::{all, ask, bare, bytes, download, endpoint, header, names, scripted, sha256};
use crate::server::{KEY, LIMIT};

/// How a server answers once.
#[derive(Clone, Copy)]
struct Way {
    version: Option<&'static str>,
    /// Bytes after which the connection is lost.
    cut: usize,
    ranges: bool,
}

const WHOLE: Way = Way { version: Some("\"v1\""), cut: usize::MAX, ranges: true };

/// Sends a file, or the part of it that is asked for, as far as the way goes.
async fn send(head: &str, mut socket: TcpStream, content: &[u8], way: Way) {
    let asked = header(head, "range").and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok());
    let condition = header(head, "if-range");
    let same = condition.is_none() || condition.as_deref() == way.version;
    let from = asked.filter(|_| way.ranges && same).unwrap_or(0_usize);
    let total = content.len();
    let status = if from > 0 {
        format!("206 Partial Content\r\ncontent-range: bytes {from}-{}/{total}", total - 1)
    } else {
        "200 OK".to_owned()
    };
    let tag = way.version.map(|version| format!("etag: {version}\r\n")).unwrap_or_default();
    let length = total - from;
    let answer = format!("HTTP/1.1 {status}\r\n{tag}content-length: {length}\r\nconnection: close\r\n\r\n");
    let _ = socket.write_all(answer.as_bytes()).await;
    let _ = socket.write_all(&content[from..total.min(way.cut.max(from))]).await;
    let _ = socket.shutdown().await;
}

/// Starts a server that answers each request in its own way; returns its URL and the requested ranges.
async fn server(contents: Vec<(Vec<u8>, Way)>) -> (String, Arc<std::sync::Mutex<Vec<Option<String>>>>) {
    let asked = Arc::new(std::sync::Mutex::new(Vec::new()));
    let told = Arc::clone(&asked);
    let contents = Arc::new(contents);
    let url = scripted(move |count, head, socket| {
        told.lock().unwrap().push(header(&head, "range"));
        let contents = Arc::clone(&contents);
        async move {
            let (content, way) = &contents[count.min(contents.len() - 1)];
            send(&head, socket, content, *way).await;
        }
    })
    .await;
    (url, asked)
}

async fn fetched(url: &str, wanted: Download) -> (Option<Downloaded>, Vec<Failure>, Result<(), Failure>) {
    let (replies, lost, end) = ask(&endpoint(url), Call::Download(Box::new(wanted))).await;
    let down =
        replies.into_iter().find_map(|reply| if let Reply::Downloaded(down) = reply { Some(down) } else { None });
    (down, lost, end)
}

#[tokio::test]
async fn a_download_that_is_cut_anywhere_is_byte_for_byte_the_file() {
    let content = bytes(1_500_000);
    for cut in [0, 1, 1000, 262_143, 262_144, 262_145, 700_000, 1_499_999] {
        let home = tempfile::tempdir().unwrap();
        let (url, asked) = server(vec![(content.clone(), Way { cut, ..WHOLE }), (content.clone(), WHOLE)]).await;
        let (down, lost, end) = fetched(&url, download(home.path(), "a.jsonl")).await;
        assert_eq!((end, lost.len()), (Ok(()), 1), "{cut}");
        let down = down.unwrap();
        assert_eq!((down.bytes, down.sha256), (1_500_000, sha256(&content)), "{cut}");
        assert!(std::fs::read(&down.path).unwrap() == content);
        assert_eq!(names(home.path()), ["a.jsonl"], "nothing else is left");
        let ranges = asked.lock().unwrap().clone();
        assert_eq!(ranges, [None, (cut > 0).then(|| format!("bytes={cut}-"))], "it goes on where it stopped");
    }
}

#[tokio::test]
async fn a_download_that_brings_something_each_time_comes_to_its_end() {
    let content = bytes(100_000);
    let home = tempfile::tempdir().unwrap();
    let ways = (1..20).map(|n| (content.clone(), Way { cut: n * 5000, ..WHOLE })).collect();
    let (url, _) = server(ways).await;
    let (_, lost, end) = fetched(&url, download(home.path(), "a")).await;
    assert!(end.is_err(), "the last one brings nothing any more");
    assert!(lost.len() > 18, "{}", lost.len());
    let (url, asked) = server(vec![(content.clone(), WHOLE)]).await;
    let (down, _, end) = fetched(&url, download(home.path(), "a")).await;
    assert_eq!((end, down.unwrap().sha256), (Ok(()), sha256(&content)));
    assert_eq!(asked.lock().unwrap()[0].as_deref(), Some("bytes=95000-"), "another call goes on, too");
}

#[tokio::test]
async fn two_versions_are_never_joined() {
    let (old, new) = (bytes(500_000), bytes(600_000).split_off(100_000));
    for second in [Way { version: Some("\"v2\""), ..WHOLE }, Way { ranges: false, ..WHOLE }] {
        let home = tempfile::tempdir().unwrap();
        let (url, asked) = server(vec![(old.clone(), Way { cut: 300_000, ..WHOLE }), (new.clone(), second)]).await;
        let (down, lost, end) = fetched(&url, download(home.path(), "a")).await;
        assert_eq!((end, lost.len(), asked.lock().unwrap().len()), (Ok(()), 1, 2));
        assert!(std::fs::read(down.unwrap().path).unwrap() == new);
    }
    // Without a strong version nothing is gone on with.
    for version in [None, Some("W/\"v1\"")] {
        let home = tempfile::tempdir().unwrap();
        let way = Way { version, ..WHOLE };
        let (url, asked) = server(vec![(old.clone(), Way { cut: 300_000, ..way }), (new.clone(), way)]).await;
        let (down, _, end) = fetched(&url, download(home.path(), "a")).await;
        assert_eq!((end, asked.lock().unwrap().clone()), (Ok(()), vec![None, None]));
        assert!(std::fs::read(down.unwrap().path).unwrap() == new);
    }
}

/// Sends the head of a file of so many blocks and the first block, waits for `then`, and goes on until nobody listens
/// or all is sent. Returns how many blocks were taken.
async fn send_much(mut socket: TcpStream, (block, count): (&[u8], usize), then: impl Future<Output = ()>) -> usize {
    let length = block.len() * count;
    let head = format!("HTTP/1.1 200 OK\r\netag: \"v1\"\r\ncontent-length: {length}\r\n\r\n");
    let _ = socket.write_all(head.as_bytes()).await;
    let _ = socket.write_all(block).await;
    then.await;
    let mut taken = 1;
    while taken < count && socket.write_all(block).await.is_ok() {
        taken += 1;
    }
    taken
}

#[tokio::test]
async fn a_disk_that_fails_while_more_arrives_ends_the_download() {
    const BLOCKS: usize = 1000;
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().to_owned();
    let taken = Arc::new(AtomicUsize::new(0));
    let told = Arc::clone(&taken);
    let url = scripted(move |_, _, socket| {
        let (folder, told) = (folder.clone(), Arc::clone(&told));
        async move {
            let gone = async move {
                while names(&folder).is_empty() {
                    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
                }
                std::fs::remove_dir_all(&folder).unwrap();
            };
            told.store(send_much(socket, (&bytes(1 << 20), BLOCKS), gone).await, Ordering::Relaxed);
        }
    })
    .await;
    let (down, _, end) = fetched(&url, download(home.path(), "a")).await;
    let why = end.unwrap_err();
    assert!(down.is_none() && why.sentence.contains("does not exist"), "{}", why.sentence.raw());
    // The server notices a moment later.
    tokio::time::timeout(LIMIT, async {
        while taken.load(Ordering::Relaxed) == 0 {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
    })
    .await
    .expect("nobody listens any more");
    let taken = taken.load(Ordering::Relaxed);
    assert!(taken < BLOCKS / 2, "it ends while more arrives, not behind all of it: {taken} blocks");
}

#[tokio::test]
async fn a_download_that_was_cancelled_goes_on_from_there() {
    let content = bytes(4_000_000);
    let home = tempfile::tempdir().unwrap();
    let sent = content.clone();
    let url = scripted(move |_, _, socket| {
        let sent = sent.clone();
        async move {
            send_much(socket, (&sent[..2_000_000], 2), std::future::pending()).await;
        }
    })
    .await;
    let (client, _news) = Client::spawn();
    client.call(Ticket(1), endpoint(&url), Call::Download(Box::new(download(home.path(), "a"))));
    let length = |name: &String| std::fs::metadata(home.path().join(name)).map_or(0, |file| file.len());
    tokio::time::timeout(LIMIT, async {
        while !names(home.path()).iter().any(|name| length(name) > 1_000_000) {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
    })
    .await
    .expect("it is written as it comes");
    client.cancel(Ticket(1));
    let (url, asked) = server(vec![(content.clone(), WHOLE)]).await;
    let (down, lost, end) = fetched(&url, download(home.path(), "a")).await;
    assert_eq!((end, lost.len(), down.unwrap().sha256), (Ok(()), 0, sha256(&content)));
    let asked = asked.lock().unwrap().clone();
    let from = |range: &Option<String>| range.as_ref()?.strip_prefix("bytes=")?.strip_suffix('-')?.parse::<u64>().ok();
    assert!(asked.len() == 1 && from(&asked[0]) > Some(1_000_000), "it asks once, for what is missing: {asked:?}");
    assert_eq!(names(home.path()), ["a"]);
}

#[tokio::test]
async fn what_cannot_be_gone_on_with_does_not_stay() {
    let home = tempfile::tempdir().unwrap();
    let (url, _) = server(vec![(bytes(500_000), Way { version: None, cut: 300_000, ..WHOLE })]).await;
    let (down, _, end) = fetched(&url, download(home.path(), "a")).await;
    assert!(down.is_none() && end.is_err());
    // The thread that writes goes on for a moment.
    tokio::time::timeout(LIMIT, async {
        while !names(home.path()).is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    })
    .await
    .expect("nothing is left");
}

#[tokio::test]
async fn a_download_begins_anew_after_a_part_that_is_not_the_one_asked_for() {
    let content = bytes(10_000);
    for lie in [
        "content-range: bytes 4000-9999/10000\r\netag: \"v1\"\r\n",
        "content-range: bytes 5000-9999/10001\r\netag: \"v1\"\r\n",
        "content-range: bytes 5000-9999/10000\r\netag: \"v2\"\r\n",
        "content-range: bytes 5000-9999/10000\r\n",
        "etag: \"v1\"\r\n",
        "content-range: bytes 0-4999/10000\r\netag: \"v1\"\r\n",
    ] {
        let home = tempfile::tempdir().unwrap();
        let sent = content.clone();
        let url = scripted(move |count, head, mut socket| {
            let sent = sent.clone();
            async move {
                match count {
                    0 => send(&head, socket, &sent, Way { cut: 5000, ..WHOLE }).await,
                    // No attempt is left after the next one.
                    1 => drop(socket),
                    2 => {
                        let head = format!("HTTP/1.1 206 Partial Content\r\n{lie}content-length: 5000\r\n\r\n");
                        let _ = socket.write_all(head.as_bytes()).await;
                        let _ = socket.write_all(&[b'x'; 5000]).await;
                    }
                    _ => {
                        assert_eq!(header(&head, "range"), None, "it begins anew");
                        send(&head, socket, &sent, WHOLE).await;
                    }
                }
            }
        })
        .await;
        let (down, lost, end) = fetched(&url, download(home.path(), "a")).await;
        assert_eq!((end, lost.len()), (Ok(()), 2), "{lie}");
        assert!(std::fs::read(down.unwrap().path).unwrap() == content, "{lie}");
    }
}

#[tokio::test]
async fn all_of_a_file_under_the_wrong_status_is_taken_as_all_of_it() {
    let content = bytes(10_000);
    for cut in [0, 5000] {
        let home = tempfile::tempdir().unwrap();
        let sent = content.clone();
        let url = scripted(move |count, head, mut socket| {
            let sent = sent.clone();
            async move {
                if count == 0 {
                    return send(&head, socket, &sent, Way { cut, ..WHOLE }).await;
                }
                let range = "content-range: bytes 0-9999/10000\r\netag: \"v1\"";
                let head = format!("HTTP/1.1 206 Partial Content\r\n{range}\r\ncontent-length: 10000\r\n\r\n");
                let _ = socket.write_all(head.as_bytes()).await;
                let _ = socket.write_all(&sent).await;
            }
        })
        .await;
        let (down, lost, end) = fetched(&url, download(home.path(), "a")).await;
        assert_eq!((end, lost.len()), (Ok(()), 1), "{cut}");
        assert!(std::fs::read(down.unwrap().path).unwrap() == content, "{cut}");
    }
}

#[tokio::test]
async fn what_is_not_the_file_gets_no_name() {
    let content = bytes(5000);
    let right = Download { bytes: Some(5000), sha256: Some(sha256(&content)), ..download("".as_ref(), "a") };
    for (bytes, sha256, words) in [
        (Some(5000), right.sha256, None),
        (Some(4999), right.sha256, Some("lists 4999 bytes")),
        (Some(5001), None, Some("lists 5001 bytes")),
        (None, Some([7; 32]), Some("the hash of the received data")),
    ] {
        let home = tempfile::tempdir().unwrap();
        let (url, _) = server(vec![(content.clone(), WHOLE)]).await;
        let wanted = Download { bytes, sha256, folder: home.path().to_owned(), ..right.clone() };
        let (down, _, end) = fetched(&url, wanted).await;
        match words {
            None => assert!(down.is_some()),
            Some(words) => {
                let why = end.unwrap_err();
                assert!(why.sentence.contains(words), "{}", why.sentence.raw());
                assert!(!names(home.path()).contains(&"a".to_owned()));
            }
        }
    }
    // Without a length in the answer, the one that is listed tells whether all of it came.
    for (over, good) in [(-1_isize, false), (0, true), (1, false)] {
        let home = tempfile::tempdir().unwrap();
        let sent = content.clone();
        let url = scripted(move |_, _, mut socket| {
            let sent = sent.clone();
            async move {
                let _ = socket.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n").await;
                let _ = socket.write_all(&sent).await;
            }
        })
        .await;
        let wanted = Download {
            bytes: Some(5000_u64.saturating_add_signed(over as i64)),
            folder: home.path().to_owned(),
            sha256: None,
            ..right.clone()
        };
        let (down, _, end) = fetched(&url, wanted).await;
        assert_eq!((down.is_some(), end.is_ok()), (good, good), "{over:+}");
    }
}

#[tokio::test]
async fn a_hostile_name_stays_in_the_folder_and_nothing_is_overwritten() {
    let outer = tempfile::tempdir().unwrap();
    let home = outer.path().join("home");
    std::fs::create_dir(&home).unwrap();
    std::fs::write(home.join("passwd"), "mine").unwrap();
    for (name, path) in [
        ("../../etc/passwd", "passwd (2)"),
        ("/etc/passwd", "passwd (3)"),
        (".bashrc", "bashrc"),
        ("..", "file"),
        ("a\u{1b}]0;x\u{7}\u{202e}.txt", "a]0;x.txt"),
        ("NUL", "_NUL"),
    ] {
        let (url, _) = server(vec![(b"new".to_vec(), WHOLE)]).await;
        let (down, _, end) = fetched(&url, download(&home, name)).await;
        assert_eq!(end, Ok(()));
        assert_eq!(down.unwrap().path, home.join(path), "{name:?}");
    }
    assert_eq!(std::fs::read_to_string(home.join("passwd")).unwrap(), "mine");
    assert_eq!(names(outer.path()), ["home"]);
    let (url, _) = server(vec![(Vec::new(), WHOLE)]).await;
    let (down, _, end) = fetched(&url, download(&home, "empty")).await;
    assert_eq!((end, down.unwrap().bytes), (Ok(()), 0));
    let (_, _, end) = fetched(&url, download(&home.join("none"), "a")).await;
    assert!(end.unwrap_err().sentence.contains("does not exist"));
}

#[tokio::test]
async fn a_cancelled_download_goes_on_with_the_next() {
    let content = bytes(2_000_000);
    let home = tempfile::tempdir().unwrap();
    let sent = content.clone();
    let url = scripted(move |count, head, mut socket| {
        let sent = sent.clone();
        async move {
            if count > 0 {
                return send(&head, socket, &sent, WHOLE).await;
            }
            let head = "HTTP/1.1 200 OK\r\netag: \"v1\"\r\ncontent-length: 2000000\r\n\r\n";
            socket.write_all(head.as_bytes()).await.unwrap();
            socket.write_all(&sent[..1_000_000]).await.unwrap();
            // Then nothing, until the client lets go.
            let mut rest = Vec::new();
            let _ = tokio::io::AsyncReadExt::read_to_end(&mut socket, &mut rest).await;
        }
    })
    .await;
    let (client, mut news) = Client::spawn();
    let endpoint = endpoint(&url);
    let wanted = Call::Download(Box::new(download(home.path(), "a")));
    client.call(Ticket(1), Arc::clone(&endpoint), wanted.clone());
    loop {
        let (_, progress) = tokio::time::timeout(LIMIT, news.recv()).await.expect("news come").unwrap();
        // The word comes now and then: that the disk has something is what counts.
        if matches!(progress, Progress::Moved { .. } | Progress::Opened { .. }) {
            break;
        }
    }
    let part = || {
        std::fs::read_dir(home.path()).unwrap().flatten().find(|one| one.path().extension() == Some("part".as_ref()))
    };
    while part().is_none_or(|part| part.metadata().map_or(0, |about| about.len()) < 500_000) {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    client.cancel(Ticket(1));
    // Another program start knows nothing but the folder.
    let (other, mut news) = Client::spawn();
    other.call(Ticket(2), endpoint, wanted);
    let mut first = None;
    let down = loop {
        match tokio::time::timeout(LIMIT, news.recv()).await.expect("news come").unwrap().1 {
            Progress::Moved { done, .. } => first = first.or(Some(done)),
            Progress::Reply(Reply::Downloaded(down)) => break down,
            Progress::Closed(end) => panic!("{end:?}"),
            _ => {}
        }
    };
    assert!(first.unwrap() >= 500_000, "it went on from {first:?}");
    assert_eq!(down.sha256, sha256(&content));
    let _ = all(&other, &mut news).await;
    assert_eq!(names(home.path()), ["a"]);
}

#[tokio::test]
async fn a_redirect_elsewhere_gets_nothing_of_ours() {
    let content = bytes(100_000);
    let heads = Arc::new(std::sync::Mutex::new(Vec::new()));
    let (told, sent) = (Arc::clone(&heads), content.clone());
    let store = scripted(move |count, head, socket| {
        told.lock().unwrap().push(head.clone());
        let sent = sent.clone();
        async move {
            let cut = if count == 0 { 60_000 } else { usize::MAX };
            send(&head, socket, &sent, Way { cut, ..WHOLE }).await;
        }
    })
    .await;
    let url = scripted(move |_, head, mut socket| {
        let store = store.clone();
        async move {
            assert!(header(&head, "authorization").is_some());
            let answer = format!(
                "HTTP/1.1 302 Found\r\nlocation: {store}/a?sig=1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            );
            let _ = socket.write_all(answer.as_bytes()).await;
        }
    })
    .await;
    let home = tempfile::tempdir().unwrap();
    let mut endpoint = bare(&url);
    endpoint.organization = Some("org-secret".into());
    endpoint.headers.insert("x-team".into(), "team-secret".into());
    let (replies, lost, end) = ask(&Arc::new(endpoint), Call::Download(Box::new(download(home.path(), "a")))).await;
    assert_eq!((end, lost.len()), (Ok(()), 1));
    let Some(Reply::Downloaded(down)) = replies.first() else { panic!() };
    assert_eq!(down.sha256, sha256(&content));
    let heads = heads.lock().unwrap();
    assert_eq!(heads.len(), 2);
    for head in heads.iter() {
        let text = head.to_lowercase();
        assert!(text.starts_with("get /v1/a?sig=1 "), "{head}");
        for ours in [KEY, "authorization", "secret", "openai-organization", "x-team", "cookie", "referer"] {
            assert!(!text.contains(&ours.to_lowercase()), "{ours} in {head}");
        }
    }
    assert_eq!(header(&heads[1], "range").as_deref(), Some("bytes=60000-"));
}

#[tokio::test]
async fn redirects_are_few_and_not_to_where_anybody_listens() {
    for (to, words) in [
        ("/v1/files/again/content", "more than 3 times"),
        ("http://192.0.2.1/x", "not encrypted"),
        ("http://127.0.0.1:80@192.0.2.1/x", "with a user name"),
        ("ftp://a/", "not encrypted"),
    ] {
        let count = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&count);
        let url = scripted(move |_, _, mut socket| {
            seen.fetch_add(1, Ordering::Relaxed);
            async move {
                let head =
                    format!("HTTP/1.1 307 Go\r\nlocation: {to}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
                let _ = socket.write_all(head.as_bytes()).await;
            }
        })
        .await;
        let home = tempfile::tempdir().unwrap();
        let (_, _, end) = fetched(&url, download(home.path(), "a")).await;
        let why = end.unwrap_err();
        assert!(why.sentence.contains(words), "{}", why.sentence.raw());
        assert_eq!(count.load(Ordering::Relaxed), if to.starts_with('/') { 4 } else { 1 });
    }
}

#[tokio::test]
async fn a_packed_file_is_not_taken_for_the_file() {
    let url = scripted(|_, _, mut socket| async move {
        let head = "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\nconnection: close\r\n\r\nabc";
        let _ = socket.write_all(head.as_bytes()).await;
    })
    .await;
    let home = tempfile::tempdir().unwrap();
    let (_, _, end) = fetched(&url, download(home.path(), "a")).await;
    let why = end.unwrap_err();
    assert!(why.kind == FailureKind::Malformed && why.sentence.contains("gzip"), "{}", why.sentence.raw());
}
