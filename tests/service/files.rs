//! `/v1/files`: uploads in every form clients send, listings, contents in parts, and what is refused.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use benchtop::service::{Keys, Options, Running, State, router, start};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::desk::{BROKEN, KEY, error, request, until};

const ROWS: &str = "{\"prompt\":\"a ->\",\"completion\":\" b\"}\n{\"prompt\":\"c ->\",\"completion\":\" d\"}\n";
/// What stands before a line that is no JSON object.
const EXPECTED: &str = "Expected file to have JSONL format, where every line is a JSON dictionary.";

/// Creates a service for one test.
fn desk() -> Router {
    router(State::new(KEY.to_owned().into()).unwrap())
}

/// Returns one part of a form: its headers after `form-data; name=`, and its bytes.
fn part(head: &str, bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut part = format!("--XX\r\nContent-Disposition: form-data; name={head}\r\n\r\n").into_bytes();
    part.extend_from_slice(bytes.as_ref());
    part.extend_from_slice(b"\r\n");
    part
}

fn form(parts: &[Vec<u8>]) -> Vec<u8> {
    let mut body = parts.concat();
    body.extend_from_slice(b"--XX--\r\n");
    body
}

fn upload_of(body: impl Into<Body>) -> Request<Body> {
    let mut request = request("POST", "/v1/files", body);
    request.headers_mut().insert("content-type", "multipart/form-data; boundary=XX".parse().unwrap());
    request
}

async fn ask(desk: &Router, request: Request<Body>) -> (StatusCode, HeaderMap, Bytes) {
    let (parts, body) = desk.clone().oneshot(request).await.unwrap().into_parts();
    (parts.status, parts.headers, body.collect().await.unwrap().to_bytes())
}

async fn json_of(desk: &Router, request: Request<Body>) -> (u16, Value) {
    let (status, _, body) = ask(desk, request).await;
    (status.as_u16(), serde_json::from_slice(&body).unwrap())
}

async fn get(desk: &Router, path: &str) -> (u16, Value) {
    json_of(desk, request("GET", path, "")).await
}

async fn stored(desk: &Router, purpose: &str, name: &str, bytes: impl AsRef<[u8]>) -> Value {
    let file = format!("\"file\"; filename=\"{name}\"\r\nContent-Type: application/octet-stream");
    let body = form(&[part("\"purpose\"", purpose), part(&file, bytes)]);
    let (status, body) = json_of(desk, upload_of(body)).await;
    assert_eq!(status, 200, "{body}");
    body
}

async fn refused(parts: &[Vec<u8>]) -> (u16, Value) {
    let desk = desk();
    let answer = json_of(&desk, upload_of(form(parts))).await;
    assert_eq!(get(&desk, "/v1/files").await.1["data"], json!([]), "a refused upload leaves nothing");
    answer
}

#[tokio::test]
async fn both_orders_of_parts_and_every_way_to_name_a_file_are_taken() {
    let purpose = || part("\"purpose\"", "fine-tune");
    let file = |head: &str| part(&format!("\"file\"{head}"), ROWS);
    for (parts, name) in [
        (vec![purpose(), file("; filename=\"a.jsonl\"\r\nContent-Type: application/octet-stream")], "a.jsonl"),
        (vec![file("; filename=\"b.jsonl\"\r\nContent-Type: "), purpose()], "b.jsonl"),
        (vec![file(""), purpose()], "file"),
        (vec![purpose(), file("; filename=\"../../x/c d.jsonl\"")], "c d.jsonl"),
        (vec![purpose(), file("; filename*=utf-8''na%C3%AFve.jsonl")], "naïve.jsonl"),
        (vec![purpose(), file("; filename=\"naïve.jsonl\"")], "naïve.jsonl"),
        (
            vec![
                part("\"expires_after[anchor]\"", "created_at"),
                purpose(),
                part("\"expires_after[seconds]\"", "3600"),
                file("; filename=\"e.jsonl\""),
                part("\"more\"; filename=\"more\"", "x"),
            ],
            "e.jsonl",
        ),
    ] {
        let desk = desk();
        let (status, body) = json_of(&desk, upload_of(form(&parts))).await;
        assert_eq!(status, 200, "{body}");
        let id = body["id"].as_str().unwrap();
        let tail = id.strip_prefix("file-").unwrap();
        assert!(tail.len() == 24 && tail.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{id}");
        assert!(body["created_at"].as_i64().unwrap() > 1_600_000_000);
        let expected = json!({
            "object": "file", "id": id, "purpose": "fine-tune", "filename": name, "bytes": ROWS.len(),
            "created_at": body["created_at"], "status": "uploaded", "status_details": null,
        });
        assert_eq!(body, expected);
        let (status, again) = get(&desk, &format!("/v1/files/{id}")).await;
        assert_eq!((status, &again["status"]), (200, &json!("processed")), "a small file is checked by now");
        let (_, _, content) = ask(&desk, request("GET", &format!("/v1/files/{id}/content"), "")).await;
        assert_eq!(content, ROWS);
    }
}

#[tokio::test]
async fn every_purpose_of_then_and_now_is_taken_and_no_other() {
    let desk = desk();
    let purposes = "fine-tune fine-tune-train search answers classifications assistants batch user_data vision evals";
    for purpose in purposes.split(' ') {
        let rows = if purpose.starts_with("fine") { ROWS } else { "not JSON\0\u{1}" };
        assert_eq!(stored(&desk, purpose, "x", rows).await["purpose"], purpose);
    }
    let (_, list) = get(&desk, "/v1/files").await;
    let states: Vec<&Value> = list["data"].as_array().unwrap().iter().map(|file| &file["status"]).collect();
    assert_eq!(states, vec!["processed"; 10]);
    for (sent, said) in [("fine-tune-results", "'fine-tune-results'"), ("", "''"), ("Fine-Tune", "'Fine-Tune'")] {
        let (status, body) = refused(&[part("\"purpose\"", sent), part("\"file\"", ROWS)]).await;
        let message = body["error"]["message"].as_str().unwrap();
        let start = format!("{said} is not one of ['fine-tune', 'fine-tune-train', 'search', ");
        assert!(status == 400 && message.starts_with(&start) && message.ends_with("] - 'purpose'"), "{message}");
    }
    let (_, body) = refused(&[part("\"purpose\"", "x".repeat(500_000)), part("\"file\"", ROWS)]).await;
    assert!(body["error"]["message"].as_str().unwrap().len() < 600, "an error repeats no half megabyte");
}

#[tokio::test]
async fn forms_that_lack_something_are_refused_in_the_words_of_the_interface() {
    let purpose = || part("\"purpose\"", "fine-tune");
    let file = || part("\"file\"; filename=\"a\"", ROWS);
    for (parts, words) in [
        (vec![], "'file' is a required property"),
        (vec![purpose()], "'file' is a required property"),
        (vec![file()], "'purpose' is a required property"),
        (vec![purpose(), file(), file()], "'file' was sent more than once"),
        (vec![purpose(), purpose(), file()], "'purpose' was sent more than once"),
    ] {
        assert_eq!(refused(&parts).await, (400, error(words, None, None)), "{words}");
    }
    let desk = desk();
    let whole = form(&[purpose(), file()]);
    for cut in [0, 10, 60, 100, whole.len() - 30, whole.len() - 8] {
        let (status, body) = json_of(&desk, upload_of(whole[..cut].to_vec())).await;
        let words = "The body of your request ended before it was complete. Please send it again.";
        assert_eq!((status, body), (400, error(words, None, None)), "cut at {cut}");
    }
    for (kind, words) in [
        ("application/json", "Invalid Content-Type header (application/json), expected multipart/form-data."),
        ("", "Invalid Content-Type header (), expected multipart/form-data."),
        ("multipart/form-data", "Invalid Content-Type header: multipart/form-data needs a boundary."),
    ] {
        let mut request = upload_of(whole.clone());
        request.headers_mut().insert("content-type", kind.parse().unwrap());
        let (status, body) = json_of(&desk, request).await;
        assert!(status == 400 && body["error"]["message"].as_str().unwrap().starts_with(words), "{body}");
    }
    let stuffed = form(&[part("\"more\"", vec![b'x'; 3 << 20]), purpose(), file()]);
    let (status, body) = json_of(&desk, upload_of(stuffed)).await;
    assert_eq!(status, 413, "{body}");
    assert_eq!(get(&desk, "/v1/files").await.1["data"], json!([]));
}

#[tokio::test]
async fn a_file_for_training_is_refused_with_its_first_line_that_is_no_object() {
    let file = |bytes: &[u8]| [part("\"file\"; filename=\"a\"", bytes), part("\"purpose\"", "fine-tune")];
    for (bytes, words) in [
        (&b"{\n  \"prompt\": 1\n}"[..], " Line 1 is not a dictionary (HINT: line starts with: \"{…\")."),
        (b"{\"a\":1}\n[1,2]\n", " Line 2 is not a dictionary (HINT: line starts with: \"[1,2]…\")."),
        (b"prompt,completion\na,b\n", " Line 1 is not a dictionary (HINT: line starts with: \"prompt,com…\")."),
        (b"{}\n\x1b[31m\n", " Line 2 is not a dictionary (HINT: line starts with: \"\\u{1b}[31m…\")."),
        (b"{}\n\n{}\n", " Line 2 is not a dictionary (HINT: line starts with: \"…\")."),
        (b"", " The file is empty."),
        (b"\n\n", " The file is empty."),
        (b"{}\n{\"a\":\"\xff\"}", " Line 2 is not valid UTF-8 (HINT: save the file as UTF-8)."),
        (b"\xff\xfe{\0}\0", " Line 1 is not valid UTF-8 (HINT: the file looks like UTF-16, save it as UTF-8)."),
    ] {
        let message = format!("{EXPECTED}{words}");
        assert_eq!(refused(&file(bytes)).await, (400, error(&message, None, None)), "{bytes:?}");
    }
    let long = format!("{{}}\n{{\"a\":\"{}\"}}", "x".repeat(9 << 20));
    let message = format!("{EXPECTED} Line 2 is longer than {} bytes.", 8 << 20);
    assert_eq!(refused(&file(long.as_bytes())).await, (400, error(&message, None, None)));
    stored(&desk(), "fine-tune", "mark", "\u{feff}{\"prompt\":\"\",\"completion\":\" x\"}\r\n\r\n").await;
}

#[tokio::test]
async fn rows_that_teach_nothing_are_told_by_the_files_status() {
    let desk = desk();
    for (rows, status, details) in [
        (ROWS, "processed", Value::Null),
        (
            "{\"prompt\":\"a\",\"completion\":\"b\"}\n{\"prompt\":\"a\"}",
            "error",
            json!("Invalid file format. Example 2 cannot be parsed. Error: missing key \"completion\" (line 2)"),
        ),
        ("{\"messages\":[{\"role\":\"assistant\",\"content\":\"a\"}]}", "processed", Value::Null),
    ] {
        let file = stored(&desk, "fine-tune", "a.jsonl", rows).await;
        assert_eq!((&file["status"], &file["status_details"]), (&json!("uploaded"), &Value::Null));
        let (_, file) = get(&desk, &format!("/v1/files/{}", file["id"].as_str().unwrap())).await;
        assert_eq!((&file["status"], &file["status_details"]), (&json!(status), &details));
        // It can be deleted all the same.
        let (status, _) =
            json_of(&desk, request("DELETE", &format!("/v1/files/{}", file["id"].as_str().unwrap()), "")).await;
        assert_eq!(status, 200);
    }
}

#[tokio::test]
async fn a_file_is_gone_when_it_is_deleted_and_what_is_unknown_says_so() {
    let desk = desk();
    let file = stored(&desk, "search", "a", "x").await;
    let id = file["id"].as_str().unwrap();
    let path = format!("/v1/files/{id}");
    let (status, body) = json_of(&desk, request("DELETE", &path, "")).await;
    assert_eq!((status, body), (200, json!({"id": id, "object": "file", "deleted": true})));
    let unknown = |id: &str| (404, error(&format!("No such File object: {id}"), Some("id"), None));
    for (method, path) in [("DELETE", path.clone()), ("GET", path.clone()), ("GET", format!("{path}/content"))] {
        assert_eq!(json_of(&desk, request(method, &path, "")).await, unknown(id), "{method} {path}");
    }
    // The legacy command line asks with a path of its own machine first.
    for (path, id) in [
        ("%2Ftmp%2Ftrain.jsonl", "/tmp/train.jsonl"),
        ("..%2F..%2Fetc%2Fpasswd", "../../etc/passwd"),
        ("train.jsonl", "train.jsonl"),
        ("C%3A%5Ctrain.jsonl", "C:\\train.jsonl"),
        ("%ff", "?"),
        ("%00", "\0"),
    ] {
        assert_eq!(get(&desk, &format!("/v1/files/{path}")).await, unknown(id), "{path}");
        assert_eq!(get(&desk, &format!("/v1/files/{path}/content")).await, unknown(id), "{path}");
    }
    let (status, body) = json_of(&desk, request("PUT", "/v1/files", "")).await;
    let message = "Not allowed to PUT on /v1/files. (HINT: Perhaps you meant to use a different HTTP method?)";
    assert_eq!((status, body), (405, error(message, None, None)));
}

#[tokio::test]
async fn the_list_is_whole_unless_asked_otherwise() {
    let desk = desk();
    let empty = json!({"object": "list", "data": [], "first_id": null, "last_id": null, "has_more": false});
    assert_eq!(get(&desk, "/v1/files").await, (200, empty));
    let mut ids = Vec::new();
    for (purpose, name) in [("search", "1"), ("evals", "2"), ("search", "3"), ("search", "4")] {
        ids.push(stored(&desk, purpose, name, name).await["id"].as_str().unwrap().to_owned());
    }
    let names = |body: &Value| -> String {
        body["data"].as_array().unwrap().iter().map(|file| file["filename"].as_str().unwrap()).collect()
    };
    for (query, found, more) in [
        ("", "1234", false),
        ("?order=asc", "1234", false),
        ("?order=desc", "4321", false),
        ("?purpose=search", "134", false),
        ("?purpose=none", "", false),
        ("?limit=3", "123", true),
        ("?limit=4", "1234", false),
        (&format!("?after={}", ids[1]), "34", false),
        (&format!("?after={}&order=desc&limit=1", ids[3]), "3", true),
        (&format!("?after={}", ids[3]), "", false),
        ("?other=x&limit=&after=", "1234", false),
    ] {
        let (status, body) = get(&desk, &format!("/v1/files{query}")).await;
        assert_eq!((status, names(&body).as_str(), &body["has_more"]), (200, found, &json!(more)), "{query}");
        let id =
            |name: Option<char>| name.map_or(Value::Null, |name| json!(ids[name.to_digit(10).unwrap() as usize - 1]));
        assert_eq!((&body["first_id"], &body["last_id"]), (&id(found.chars().next()), &id(found.chars().last())));
    }
    for (query, words) in [
        ("limit=0", "0 is less than the minimum of 1 - 'limit'"),
        ("limit=10001", "10001 is greater than the maximum of 10000 - 'limit'"),
        ("limit=x", "'x' is not of type 'integer' - 'limit'"),
        ("order=up", "'up' is not one of ['asc', 'desc'] - 'order'"),
    ] {
        assert_eq!(get(&desk, &format!("/v1/files?{query}")).await, (400, error(words, None, None)));
    }
    let unknown = error("No such File object: file-x", Some("after"), None);
    assert_eq!(get(&desk, "/v1/files?after=file-x").await, (404, unknown));
}

#[tokio::test]
async fn organisations_know_nothing_of_each_others_files() {
    let keys = Keys::read(&format!("{KEY}\nsk-other acme reader\n")).unwrap();
    let desk = router(State::open(keys, None).unwrap());
    let mine = stored(&desk, "search", "a", "x").await["id"].as_str().unwrap().to_owned();
    let theirs = |method: &str, path: &str| {
        let mut request = request(method, path, "");
        request.headers_mut().insert("authorization", "Bearer sk-other".parse().unwrap());
        request
    };
    let (_, list) = json_of(&desk, theirs("GET", "/v1/files")).await;
    assert_eq!(list["data"], json!([]));
    let unknown = (404, error(&format!("No such File object: {mine}"), Some("id"), None));
    for (method, tail) in [("GET", ""), ("DELETE", ""), ("GET", "/content")] {
        assert_eq!(json_of(&desk, theirs(method, &format!("/v1/files/{mine}{tail}"))).await, unknown);
    }
    assert_eq!(get(&desk, &format!("/v1/files/{mine}")).await.0, 200);
}

#[tokio::test]
async fn contents_come_whole_in_parts_or_not_at_all() {
    let desk = desk();
    let bytes: Vec<u8> = (0..1_000_000_u32).map(|n| (n % 251) as u8).collect();
    let file = stored(&desk, "vision", "naïve \\\"x\\\".bin", &bytes).await;
    let path = format!("/v1/files/{}/content", file["id"].as_str().unwrap());
    let asked = |headers: &[(&'static str, &str)]| {
        let mut request = request("GET", &path, "");
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        request
    };
    let (status, headers, whole) = ask(&desk, asked(&[])).await;
    assert_eq!((status.as_u16(), whole.as_ref()), (200, &bytes[..]));
    assert_eq!(headers["content-type"], "application/octet-stream");
    assert_eq!(headers["content-length"], "1000000");
    assert_eq!(headers["accept-ranges"], "bytes");
    let name = r#"attachment; filename="na_ve \"x\".bin"; filename*=UTF-8''na%C3%AFve%20%22x%22.bin"#;
    assert_eq!(headers["content-disposition"], name);
    let tag = headers["etag"].to_str().unwrap().to_owned();
    assert!(tag.len() == 66 && tag.starts_with('"'), "{tag}");
    for (range, first, last) in [
        ("bytes=0-0", 0, 0),
        ("bytes=5-300000", 5, 300_000),
        ("bytes=999990-", 999_990, 999_999),
        ("bytes=-7", 999_993, 999_999),
        ("bytes=1-5000000", 1, 999_999),
    ] {
        for condition in [None, Some(tag.as_str())] {
            let mut asks = vec![("range", range)];
            asks.extend(condition.map(|tag| ("if-range", tag)));
            let (status, headers, body) = ask(&desk, asked(&asks)).await;
            assert_eq!((status.as_u16(), body.as_ref()), (206, &bytes[first..=last]), "{range}");
            assert_eq!(headers["content-range"], format!("bytes {first}-{last}/1000000"));
            assert_eq!(headers["content-length"], (last - first + 1).to_string());
            assert_eq!(headers["etag"], tag);
        }
    }
    for asks in [&[("range", "bytes=0-1,4-5")][..], &[("range", "bytes=0-1"), ("if-range", "\"other\"")]] {
        let (status, headers, body) = ask(&desk, asked(asks)).await;
        assert_eq!((status.as_u16(), body.len(), headers.get("content-range")), (200, bytes.len(), None));
    }
    let (status, headers, body) = ask(&desk, asked(&[("range", "bytes=1000000-")])).await;
    assert_eq!((status.as_u16(), headers["content-range"].to_str().unwrap()), (416, "bytes */1000000"));
    assert_eq!(headers["content-type"], "application/json");
    let body: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(body, error("The requested range is beyond the file's 1000000 bytes.", None, None));
    for tags in [tag.clone(), format!("\"x\", W/{tag}"), "*".into()] {
        let (status, headers, body) = ask(&desk, asked(&[("if-none-match", &tags)])).await;
        assert_eq!((status.as_u16(), body.len(), headers["etag"].to_str().unwrap()), (304, 0, tag.as_str()));
    }
    assert_eq!(ask(&desk, asked(&[("if-none-match", "\"x\"")])).await.0, 200);
    let mut head = asked(&[]);
    *head.method_mut() = "HEAD".parse().unwrap();
    let (status, headers, body) = ask(&desk, head).await;
    assert_eq!((status.as_u16(), headers["content-length"].to_str().unwrap(), body.len()), (200, "1000000", 0));
    // The same bytes have the same tag, and nothing is a file too.
    let empty = stored(&desk, "vision", "empty", "").await;
    let path = format!("/v1/files/{}/content", empty["id"].as_str().unwrap());
    let (status, headers, body) = ask(&desk, request("GET", &path, "")).await;
    assert_eq!((status.as_u16(), headers["content-length"].to_str().unwrap(), body.len()), (200, "0", 0));
}

/// Returns the names in the files' folder.
fn kept(data: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(data.join("service/files")).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

async fn serving(data: &Path) -> Running {
    let keys = Some(Keys::single(KEY.to_owned().into()));
    start(Options { keys, data: Some(data.to_owned()), ..Options::default() }).await.unwrap()
}

/// Opens a connection that announces `length` bytes of a form, with `more` header lines.
fn connected(service: &Running, length: usize, key: &str, more: &str) -> TcpStream {
    let address = service.base_url();
    let address = address.trim_start_matches("http://").trim_end_matches("/v1");
    let mut socket = TcpStream::connect(address).unwrap();
    socket.set_read_timeout(Some(BROKEN)).unwrap();
    socket.set_write_timeout(Some(BROKEN)).unwrap();
    let head = format!(
        "POST /v1/files HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {key}\r\nContent-Length: {length}\r\n\
         Content-Type: multipart/form-data; boundary=XX\r\n{more}\r\n"
    );
    socket.write_all(head.as_bytes()).unwrap();
    socket
}

/// Reads what the service sends until it closes the connection.
fn said(mut socket: TcpStream) -> String {
    let mut text = String::new();
    socket.read_to_string(&mut text).expect("an answer and an orderly end");
    text
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_only_looks_when_it_has_sent_everything_gets_its_refusal() {
    let data = tempfile::tempdir().unwrap();
    let service = serving(data.path()).await;
    let big = vec![b'x'; 20 << 20];
    let file = || part("\"file\"; filename=\"a\"", &big);
    for (key, parts, status, words) in [
        (KEY, [part("\"purpose\"", "nonsense"), file()], "400", "'nonsense' is not one of"),
        (KEY, [part("\"purpose\"", "fine-tune"), file()], "400", "Line 1 is longer than"),
        ("sk-wrong-key-of-nobody", [part("\"purpose\"", "evals"), file()], "401", "Incorrect API key provided"),
    ] {
        let body = form(&parts);
        let answer = tokio::task::block_in_place(|| {
            let mut socket = connected(&service, body.len(), key, "Connection: close\r\n");
            socket.write_all(&body).expect("the service takes what is sent");
            said(socket)
        });
        let start = format!("HTTP/1.1 {status} ");
        assert!(answer.starts_with(&start) && answer.contains(words), "{status}: {answer}");
    }
    until("nothing is left of them", || kept(data.path()).is_empty()).await;
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_waits_to_be_told_is_refused_before_it_sends() {
    let data = tempfile::tempdir().unwrap();
    let service = serving(data.path()).await;
    let answer = tokio::task::block_in_place(|| {
        said(connected(&service, 3 << 30, KEY, "Expect: 100-continue\r\nConnection: close\r\n"))
    });
    assert!(answer.starts_with("HTTP/1.1 413 ") && answer.contains("larger than the 1073741824 bytes"), "{answer}");
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upload_that_breaks_off_leaves_nothing() {
    let data = tempfile::tempdir().unwrap();
    let service = serving(data.path()).await;
    let body = form(&[part("\"purpose\"", "evals"), part("\"file\"; filename=\"a\"", vec![b'x'; 5 << 20])]);
    let socket = tokio::task::block_in_place(|| {
        let mut socket = connected(&service, body.len(), KEY, "");
        socket.write_all(&body[..4 << 20]).unwrap();
        socket
    });
    until("the upload is under way", || kept(data.path()).len() == 1).await;
    drop(socket);
    until("it is gone", || kept(data.path()).is_empty()).await;
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_is_checked_though_its_sender_left_without_the_answer() {
    let data = tempfile::tempdir().unwrap();
    let service = serving(data.path()).await;
    let body = form(&[part("\"purpose\"", "fine-tune"), part("\"file\"; filename=\"a\"", ROWS)]);
    let count = |end: &str| kept(data.path()).iter().filter(|name| name.ends_with(end)).count();
    for round in 0..20 {
        let before = count(".data");
        let socket = tokio::task::block_in_place(|| {
            let mut socket = connected(&service, body.len(), KEY, "");
            socket.write_all(&body).unwrap();
            socket
        });
        // Now before it is a file, now when it has just become one.
        until("its bytes are there", || count([".data", ".json"][round % 2]) > before).await;
        drop(socket);
        until("it is stored, or gone", || count(".data") == count(".json")).await;
    }
    let records = || kept(data.path()).into_iter().filter(|name| name.contains(".json"));
    let checked = |name: String| std::fs::read_to_string(data.path().join("service/files").join(name)).unwrap();
    assert!(records().count() >= 10);
    until("all are checked", || records().all(|name| checked(name).contains("\"processed\""))).await;
    service.stop().await;
}

#[tokio::test]
async fn files_are_there_after_a_restart_and_what_a_crash_left_is_not() {
    let data = tempfile::tempdir().unwrap();
    let keys = || Keys::single(KEY.to_owned().into());
    let desk = router(State::open(keys(), Some(data.path())).unwrap());
    let first = stored(&desk, "evals", "1", "one").await["id"].as_str().unwrap().to_owned();
    let second = stored(&desk, "fine-tune", "2", ROWS).await["id"].as_str().unwrap().to_owned();
    let (_, before) = get(&desk, "/v1/files").await;
    drop(desk);
    let folder = data.path().join("service/files");
    // An upload without its record, a record half written, one that was not checked, one that lost its end.
    std::fs::write(folder.join("file-AAAAAAAAAAAAAAAAAAAAAAAA.data"), "half").unwrap();
    std::fs::write(folder.join(".tmpAbCdEf"), "{").unwrap();
    let record = folder.join(format!("{second}.json"));
    let text = std::fs::read_to_string(&record).unwrap();
    std::fs::write(&record, text.replace("\"processed\"", "\"uploaded\"")).unwrap();
    let desk = router(State::open(keys(), Some(data.path())).unwrap());
    until("only the two are left", || kept(data.path()).iter().filter(|name| !name.starts_with(".tmp")).count() == 4)
        .await;
    // The second is checked again on a thread of its own.
    loop {
        let (_, after) = get(&desk, "/v1/files").await;
        if after["data"][1]["status"] == "processed" {
            assert_eq!(after, before);
            break;
        }
        tokio::task::yield_now().await;
    }
    drop(desk);
    std::fs::write(folder.join(format!("{first}.data")), "on").unwrap();
    std::fs::write(folder.join("file-BBBBBBBBBBBBBBBBBBBBBBBB.json"), "{").unwrap();
    std::fs::write(folder.join("file-BBBBBBBBBBBBBBBBBBBBBBBB.data"), "of somebody").unwrap();
    let desk = router(State::open(keys(), Some(data.path())).unwrap());
    let (_, list) = get(&desk, "/v1/files").await;
    assert_eq!(list["data"].as_array().unwrap().len(), 2);
    assert_eq!(list["data"][0]["status"], "error");
    let details = "The stored content is damaged: 2 bytes are left of 3. Upload it again.";
    assert_eq!(list["data"][0]["status_details"], details);
    assert_eq!(get(&desk, &format!("/v1/files/{first}/content")).await.0, 500, "not as if it were whole");
    assert!(kept(data.path()).contains(&"file-BBBBBBBBBBBBBBBBBBBBBBBB.data".to_owned()));
}

#[tokio::test]
async fn an_organisation_has_a_gibibyte_of_room() {
    let data = tempfile::tempdir().unwrap();
    let keys = || Keys::single(KEY.to_owned().into());
    let id = {
        let desk = router(State::open(keys(), Some(data.path())).unwrap());
        stored(&desk, "evals", "big", "x").await["id"].as_str().unwrap().to_owned()
    };
    // As if it had 2^30 - 100 bytes: a hole on the disk.
    let folder = data.path().join("service/files");
    std::fs::File::options()
        .write(true)
        .open(folder.join(format!("{id}.data")))
        .unwrap()
        .set_len((1 << 30) - 100)
        .unwrap();
    let record = folder.join(format!("{id}.json"));
    let text = std::fs::read_to_string(&record).unwrap();
    std::fs::write(&record, text.replace("\"bytes\":1,", "\"bytes\":1073741724,")).unwrap();
    let desk = router(State::open(keys(), Some(data.path())).unwrap());
    let sized = |bytes: usize| form(&[part("\"purpose\"", "evals"), part("\"file\"", vec![b'x'; bytes])]);
    let message = "The file does not fit: an organization may store 1073741824 bytes (1 GiB) of files, uploads under \
                   way included. Delete files that are not needed any more, then upload again.";
    for _ in 0..2 {
        assert_eq!(json_of(&desk, upload_of(sized(101))).await, (400, error(message, None, None)));
    }
    let (status, full) = json_of(&desk, upload_of(sized(100))).await;
    assert_eq!(status, 200, "{full}");
    assert_eq!(json_of(&desk, upload_of(sized(1))).await.0, 400);
    let (status, _) = json_of(&desk, request("DELETE", &format!("/v1/files/{id}"), "")).await;
    assert_eq!(status, 200);
    assert_eq!(json_of(&desk, upload_of(sized(5000))).await.0, 200);
}

#[tokio::test(start_paused = true)]
async fn an_upload_that_falls_silent_ends() {
    let begun = form(&[part("\"purpose\"", "evals"), part("\"file\"", "xx")]);
    let begun = futures_util::stream::iter([Ok::<_, std::io::Error>(begun[..100].to_vec())]);
    let body = futures_util::StreamExt::chain(begun, futures_util::stream::pending());
    let (status, body) = json_of(&desk(), upload_of(Body::from_stream(body))).await;
    let words = "The body of your request stopped arriving. Please send it again.";
    assert_eq!((status, body), (408, error(words, None, None)));
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_in_the_place_of_a_file_is_not_followed() {
    let (home, bench) = crate::bench::Bench::new().await;
    let text = crate::bench::pairs(2);
    let id = bench.upload(text.clone(), KEY).await;
    let other = home.path().join("other");
    std::fs::write(&other, "x".repeat(text.len())).unwrap();
    let path = home.path().join(format!("service/files/{id}.data"));
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink(&other, &path).unwrap();
    let (status, body) = bench.ask("GET", &format!("/files/{id}/content"), KEY).await;
    assert_eq!((status, body["error"]["type"].as_str()), (500, Some("server_error")), "{body}");
    bench.service.stop().await;
}

#[tokio::test]
async fn a_file_that_was_read_to_its_last_byte_counts_as_answered() {
    let desk = desk();
    let parts = [part("\"purpose\"", "fine-tune"), part("\"file\"; filename=\"a.jsonl\"", ROWS)];
    let (_, _, file) = ask(&desk, upload_of(form(&parts))).await;
    let file: Value = serde_json::from_slice(&file).unwrap();
    let path = format!("/v1/files/{}/content", file["id"].as_str().unwrap());
    // As HTTP/1.1 does it: after the last byte nobody asks whether there is more.
    let mut body = desk.clone().oneshot(request("GET", &path, "")).await.unwrap().into_body();
    let mut left = ROWS.len();
    while left > 0 {
        left -= body.frame().await.unwrap().unwrap().into_data().unwrap().len();
    }
    drop(body);
    // One that was not read at all was given up.
    drop(desk.clone().oneshot(request("GET", &path, "")).await.unwrap());
    let (_, _, counted) = ask(&desk, request("GET", "/metrics", "")).await;
    let counted = String::from_utf8(counted.to_vec()).unwrap();
    let lines: Vec<&str> = counted.lines().filter(|line| line.contains("content")).collect();
    let ends: Vec<&str> = lines.iter().filter_map(|line| line.split("status=").nth(1)).collect();
    assert_eq!(ends, ["\"200\"} 1", "\"499\"} 1"], "{counted}");
}
