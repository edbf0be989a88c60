//! `benchtop embed`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use serde_json::{Value, json};

use crate::schema::lines;
use crate::text_server::{TextServer, embedded, refused, texts};
use crate::{Home, Ran};

fn server() -> TextServer {
    TextServer::start(&["gpt-4o", "my-embedder"], |_, body| {
        let is_broken = texts(body).iter().any(|text| text.contains("broken"));
        if is_broken { refused("400 Bad Request", "a text cannot be read") } else { embedded(body) }
    })
}

/// Returns the flags that name a server.
fn at<'a>(server: &'a TextServer, args: &[&'a str]) -> Vec<&'a str> {
    [&["embed"], args, &["--base-url", &server.url, "--model", "embedder"]].concat()
}

fn ran(status: i32, out: &str, errors: &str) -> Ran {
    Ran { status, out: out.to_owned(), errors: errors.to_owned() }
}

#[test]
fn vectors_are_printed_and_a_text_is_sent_once() {
    let (home, server) = (Home::new(), server());
    let end = home.run(&at(&server, &["ab", "abcd", "ab"]));
    assert_eq!(end, ran(0, "2\t1\t0.5\n4\t1\t0.5\n2\t1\t0.5\n", ""));
    assert_eq!(server.texts(), ["ab", "abcd"]);
    assert_eq!(server.bodies()[0]["model"], "embedder");
    // What is known already is not sent again, and what is new is printed at its place.
    let end = home.start(&at(&server, &["--json"]), "ab\nabc\nabcd\n").end();
    assert_eq!((end.status, end.errors.as_str()), (0, ""));
    assert_eq!(server.texts(), ["ab", "abcd", "abc"]);
    let line = |index: u32, text: &str| {
        json!({
            "version": 1, "index": index, "model": "embedder", "dimensions": 3,
            "embedding": [text.len() as f32, 1.0, 0.5], "text": text,
        })
    };
    assert_eq!(lines("embedded_text", &end.out), [line(0, "ab"), line(1, "abc"), line(2, "abcd")]);
}

#[test]
fn nothing_is_kept_where_nothing_is_to_be_saved() {
    let (home, server) = (Home::new(), server());
    for times in 1..3 {
        assert_eq!(home.run(&at(&server, &["ab", "--no-save"])), ran(0, "2\t1\t0.5\n", ""));
        assert_eq!(server.texts().len(), times);
    }
}

#[test]
fn line_ends_are_sent_as_the_tab_sends_them() {
    let (home, server) = (Home::new(), server());
    let end = home.start(&at(&server, &["--whole", "--json"]), "a\nb\n").end();
    let [said] = &lines("embedded_text", &end.out)[..] else { panic!() };
    assert_eq!((server.texts(), &said["text"]), (vec!["a b".to_owned()], &json!("a\nb")));
}

#[test]
fn texts_are_compared_with_the_first_one() {
    let (home, server) = (Home::new(), server());
    let end = home.run(&at(&server, &["--compare", "ab", "xy", "abcdefghij", "ab"]));
    // Of (2, 1, 0.5) and (10, 1, 0.5).
    assert_eq!(end, ran(0, "1.0000\txy\n0.9217\tabcdefghij\n1.0000\tab\n", ""));
    let end = home.run(&at(&server, &["--compare", "ab", "x\ty", "x\n"]));
    assert_eq!(end, ran(0, "0.9883\tx␉y\n1.0000\tx␊\n", ""), "a text stays one cell");
    let end = home.run(&at(&server, &["--compare", "ab", "xy", "--json"]));
    assert_eq!(
        lines("compared_text", &end.out),
        [json!({ "version": 1, "index": 1, "cosine": 1.0, "model": "embedder", "text": "xy" })]
    );
    let sent = server.texts().len();
    assert_eq!(
        home.run(&at(&server, &["--compare", "alone"])),
        ran(2, "", "benchtop: --compare: give at least two texts\n")
    );
    assert_eq!(server.texts().len(), sent, "nothing was sent");
}

#[test]
fn the_file_of_texts_can_be_a_pipe() {
    let (home, server) = (Home::new(), server());
    let end = home.start(&at(&server, &["--compare", "--file", "/dev/stdin"]), "ab\nabcdefghij\n").end();
    assert_eq!(end, ran(0, "0.9217\tabcdefghij\n", ""));
}

#[test]
fn a_vector_of_another_length_is_left_out_and_changes_the_status() {
    let home = Home::new();
    let server = TextServer::start(&[], |_, body| {
        let (status, mut answer) = embedded(body);
        if texts(body) == ["odd"] {
            answer["data"][0]["embedding"] = json!([1, 0.5]);
        }
        (status, answer)
    });
    assert_eq!(home.run(&at(&server, &["ab"])).status, 0);
    let end = home.run(&at(&server, &["ab", "odd", "--output", "a.csv"]));
    assert!(end.status == 6 && end.errors.starts_with("benchtop: index 1: "), "{end:?}");
    let table = std::fs::read_to_string(home.path().join("a.csv")).unwrap();
    assert_eq!(table, "text,0,1,2\nab,2,1,0.5\nodd,,,\n");
}

#[test]
fn a_text_alone_has_no_index() {
    let (home, server) = (Home::new(), server());
    let end = home.run(&at(&server, &["broken"]));
    assert!(end.status == 5 && end.errors.contains("a text cannot be read"), "{end:?}");
    assert!(!end.errors.contains("index"), "{end:?}");
}

#[test]
fn vectors_are_written_to_a_new_file() {
    let (home, server) = (Home::new(), server());
    for name in ["a.csv", "a.jsonl", "a.json", "b.npy"] {
        let end = home.run(&at(&server, &["ab", "broken", "=c", "--output", name]));
        let path = home.path().join(name);
        assert!(end.status == 5 && end.out == format!("{}\n", path.display()), "{end:?}");
        assert!(end.errors.starts_with("benchtop: index 1: "), "{end:?}");
    }
    let read = |name: &str| std::fs::read(home.path().join(name)).unwrap();
    assert_eq!(String::from_utf8(read("a.csv")).unwrap(), "text,0,1,2\nab,2,1,0.5\nbroken,,,\n'=c,2,1,0.5\n");
    let lines = String::from_utf8(read("a.jsonl")).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0], json!({ "text": "ab", "model": "embedder", "vector": [2, 1, 0.5] }));
    assert_eq!((lines.len(), &lines[1]["vector"]), (3, &Value::Null));
    let json: Value = serde_json::from_slice(&read("a.json")).unwrap();
    assert_eq!((&json["dimensions"], &json["vectors"][2]["text"]), (&json!(3), &json!("=c")));
    let array = read("b.npy");
    assert!(array.starts_with(b"\x93NUMPY") && array.len() % 64 == 36, "{} bytes", array.len());
    assert_eq!(String::from_utf8(read("b.jsonl")).unwrap().lines().count(), 3);
    let sent = server.texts().len();
    for (name, why) in [
        ("a.csv", "--output: a.csv exists: name another file, or remove it first"),
        ("a.npy", "--output: a.jsonl exists: name another file, or remove it first"),
        ("a.txt", "--output: the name has to end in .npy, .csv, .json or .jsonl"),
    ] {
        let end = home.run(&at(&server, &["new", "--output", name]));
        assert_eq!(end, ran(2, "", &format!("benchtop: {why}\n")));
    }
    let end = home.run(&at(&server, &["new", "--output", "nowhere/a.csv"]));
    let why = "benchtop: --output: the folder of nowhere/a.csv does not exist: create it first\n";
    assert_eq!(end, ran(2, "", why));
    let mut command = home.command(&at(&server, &["new"]));
    command.arg("--output").arg(OsStr::from_bytes(b"\xff.csv"));
    assert_eq!(command.output().unwrap().status.code(), Some(2), "its name would be another one");
    assert_eq!(server.texts().len(), sent, "nothing was sent");
}

#[test]
#[cfg(target_os = "linux")]
fn vectors_that_cannot_be_written_have_a_status_of_their_own() {
    let (home, server) = (Home::new(), server());
    let end = home.run(&at(&server, &["ab", "--output", "/proc/a.csv"]));
    assert!(end.status == 7 && end.out.is_empty(), "{end:?}");
    assert!(end.errors.starts_with("benchtop: cannot save /proc/a.csv: "), "{end:?}");
}

#[test]
fn the_length_is_asked_for_and_a_refusal_of_it_ends_the_command() {
    let (home, server) = (Home::new(), server());
    assert_eq!(home.run(&at(&server, &["ab", "--dimensions", "3"])).status, 0);
    assert_eq!(server.bodies()[0]["dimensions"], 3);
    let fixed = TextServer::start(&[], |_, _| refused("400 Bad Request", "dimensions: this model has a fixed length"));
    let end = home.run(&at(&fixed, &["ab", "abc", "--dimensions", "5"]));
    assert_eq!((end.status, end.out.as_str()), (5, ""), "{end:?}");
    assert!(end.errors.contains("fixed length"), "{end:?}");
    assert_eq!(home.run(&at(&server, &["ab", "--dimensions", "0"])).status, 2);
}

#[test]
fn the_model_is_the_tabs_where_none_is_named() {
    let (home, server) = (Home::new(), server());
    assert_eq!(home.run(&["embed", "ab", "--base-url", &server.url]).status, 0);
    assert_eq!(server.bodies()[0]["model"], "my-embedder", "the first of the list that embeds");
    let chats = TextServer::start(&["gpt-4o"], |_, body| embedded(body));
    let end = home.run(&["embed", "ab", "--base-url", &chats.url]);
    assert_eq!(end, ran(2, "", "benchtop: the server lists no model for this: name one with --model\n"));
}

#[test]
fn each_failure_has_its_status() {
    let home = Home::new();
    for (status, code) in [("401 Unauthorized", 4), ("404 Not Found", 5)] {
        let server = TextServer::start(&[], move |_, _| refused(status, "no"));
        let end = home.run(&at(&server, &["ab", "abc"]));
        assert_eq!((end.status, end.out.as_str(), end.errors.lines().count()), (code, "", 1), "{end:?}");
    }
    let nobody = home.run(&["embed", "a", "--base-url", "http://127.0.0.1:1/v1", "--model", "auto"]);
    assert_eq!((nobody.status, nobody.out.as_str()), (6, ""), "{nobody:?}");
    let server = server();
    let end = home.run(&at(&server, &["ab", "broken", "abc"]));
    assert_eq!((end.status, end.out.as_str()), (5, "2\t1\t0.5\n3\t1\t0.5\n"), "{end:?}");
    assert!(end.errors.starts_with("benchtop: index 1: "), "{end:?}");
}

#[test]
fn a_text_that_the_server_fails_at_is_named_and_the_others_are_embedded() {
    let home = Home::new();
    let server = TextServer::start(&[], |_, body| {
        let is_broken = texts(body).iter().any(|text| text.contains("broken"));
        if is_broken { refused("500 Internal Server Error", "no") } else { embedded(body) }
    });
    let end = home.run(&at(&server, &["ab", "broken", "abc"]));
    assert_eq!((end.status, end.out.as_str()), (6, "2\t1\t0.5\n3\t1\t0.5\n"), "{end:?}");
    assert!(end.errors.lines().any(|line| line.starts_with("benchtop: index 1: ")), "{end:?}");
}

#[test]
fn many_texts_are_embedded_some_thousand_at_a_time() {
    let (home, server) = (Home::new(), server());
    let texts: Vec<String> = (0..5_000).map(|n| format!("text {n}")).collect();
    let end = home.start(&at(&server, &["--compare"]), &texts.join("\n")).end();
    assert_eq!((end.status, end.errors.as_str()), (0, ""));
    let said: Vec<&str> = end.out.lines().map(|line| line.split_once('\t').unwrap().1).collect();
    assert_eq!(said, texts[1..]);
    assert_eq!(server.texts().len(), 5_000);
}

#[test]
fn without_a_server_the_local_service_embeds() {
    let home = Home::new();
    let end = home.run(&["embed", "--compare", "a cat sleeps", "the cat is asleep", "tax law of 1998"]);
    assert_eq!((end.status, end.errors.as_str()), (0, ""), "{end:?}");
    let cosines: Vec<f64> = end.out.lines().map(|line| line.split_once('\t').unwrap().0.parse().unwrap()).collect();
    assert!(cosines[0] > cosines[1], "{}", end.out);
}
