//! The Files tab in a real terminal, against the local service: a file is uploaded, known again, downloaded and
//! deleted.
#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::fs;

use common::{Bench, Setup};

const ENTER: &str = "\r";
const TAB: &str = "\t";
const CLEAR: &str = "\x15";
const QUIT: &str = "\x11";
const TO_FILES: &str = "\x1b5";

/// Returns the row of the screen that contains all these words; empty: none.
fn row<'a>(screen: &'a str, words: &[&str]) -> &'a str {
    screen.lines().find(|line| words.iter().all(|word| line.contains(word))).unwrap_or_default()
}

#[test]
fn a_file_goes_to_the_server_and_comes_back() {
    let home = tempfile::tempdir().unwrap();
    let (from, to, data) = (home.path().join("mine"), home.path().join("got"), home.path().join("data"));
    fs::create_dir(&from).unwrap();
    fs::create_dir(&to).unwrap();
    let rows: Vec<String> = (0..200)
        .map(|n| {
            format!("{{\"prompt\":\"Order {n} is late ->\",\"completion\":\" {}\\n\"}}\n", ["angry", "calm"][n % 2])
        })
        .collect();
    let text = rows.concat();
    fs::write(from.join("mood.jsonl"), &text).unwrap();

    let args = ["--local", "--data-dir", data.to_str().unwrap()];
    let mut bench = Bench::with(Setup { args: &args, home: Some(home), size: (120, 36), ..Setup::default() });
    bench.wait("▐1");
    bench.send(TO_FILES);
    bench.wait("write a sample training file");
    bench.send("i");
    bench.wait("Go to which folder?");
    bench.send(CLEAR);
    bench.type_in(from.to_str().unwrap());
    bench.send(ENTER);
    bench.until("the file under the cursor", |text| row(text, &["mood.jsonl"]).contains('▌'));

    // What for, what was found out, and off it goes.
    bench.send("U");
    bench.wait("What is the upload for?");
    bench.send(ENTER);
    bench.until("it was looked at", |text| {
        text.contains("Upload 1 file for fine-tuning") && !text.contains("… checking")
    });
    bench.send("s");
    bench.wait("✓ included");
    bench.send(ENTER);
    bench.until("it is on the server", |text| row(text, &["fine-tune", "mood.jsonl"]).contains("✓ processed"));

    // The same content is noticed, by its hash.
    bench.send("U");
    bench.wait("What is the upload for?");
    bench.send(ENTER);
    bench.wait("= same content as mood.jsonl on the server");
    bench.send("e");
    bench.wait("mood.jsonl is used");
    bench.send(ENTER);
    bench.wait_gone("Upload 1 file");
    bench.wait("━━ ▸ Server files");

    bench.send("D");
    bench.wait("to which folder?");
    bench.send(CLEAR);
    bench.type_in(to.to_str().unwrap());
    bench.send(ENTER);
    bench.until("it is here", |text| row(text, &["↓ mood.jsonl"]).contains("✓ saved"));
    assert_eq!(fs::read_to_string(to.join("mood.jsonl")).unwrap(), text);

    bench.send("x");
    bench.wait("Delete from server?");
    bench.type_in("delete");
    bench.send(ENTER);
    bench.wait("write a sample training file");
    assert!(from.join("mood.jsonl").exists(), "what is here stays");
    bench.send(TAB);
    bench.send(QUIT);
    assert_eq!(bench.ended(), 0);
    bench.assert_whole();
}
