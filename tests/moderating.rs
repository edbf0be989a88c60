//! The Moderate tab in a real terminal, against the local service: texts are checked, a threshold moves, a labelled
//! file is measured, and all of it is there at the next start.
#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::fs;

use tempfile::TempDir;

use common::{Bench, Setup};

const ENTER: &str = "\r";
const ESC: &str = "\x1b";
const RUN: &str = "\x12";
const QUIT: &str = "\x11";
const TO_MODERATE: &str = "\x1b3";

/// A bar up to a threshold of 0.55, where it is over it.
const THRESHOLD: &str = "━━━━━━━━━━━━━━━━━━━┃";

fn start(home: TempDir) -> Bench {
    let dir = home.path().join("data");
    let args = ["--local", "--data-dir", dir.to_str().unwrap()];
    let mut bench = Bench::with(Setup { args: &args, home: Some(home), size: (120, 36), ..Setup::default() });
    bench.wait("▐1");
    bench.send(TO_MODERATE);
    bench.wait("▐3 Moderate");
    bench
}

fn quit(mut bench: Bench) -> TempDir {
    bench.send(QUIT);
    assert_eq!(bench.ended(), 0);
    bench.assert_whole();
    bench.into_home()
}

/// Adds a text to the bench in front.
fn add(bench: &mut Bench, text: &str) {
    bench.send("a");
    bench.wait("esc done");
    bench.type_in(text);
    bench.send(ESC);
    bench.wait_gone("esc done");
}

/// Returns the row of the screen that contains these words; empty: none.
fn row<'a>(screen: &'a str, words: &str) -> &'a str {
    screen.lines().find(|line| line.contains(words)).unwrap_or_default()
}

#[test]
fn texts_are_checked_and_a_labelled_file_is_measured() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("comments.csv");
    let rows = ["The meeting moved to Tuesday,ok", "I will find you and make you pay for this,violence"];
    let all: Vec<String> = (0..20).map(|n| rows[n % 2].replace(',', &format!(" ({n}),"))).collect();
    fs::write(&file, format!("comment,label\n{}\n", all.join("\n"))).unwrap();

    let mut bench = start(home);
    add(&mut bench, "I will find you and make you pay for this.");
    add(&mut bench, "Please send the report by noon.");
    bench.wait("2 texts");
    bench.send(RUN);
    bench.until("both verdicts", |text| {
        let verdict = row(text, "Verdict");
        verdict.contains("⚑ flagged") && verdict.contains("✓ clear") && row(text, "━┃━").contains('⚑')
    });

    // Its threshold moves, and what stands about it follows.
    bench.send("h");
    bench.wait("▌A");
    bench.send("s");
    bench.until("sorted", |text| text.find(" violence  ") < text.find(" sexual  "));
    bench.send("\x1b[H");
    bench.until("the highest category first", |text| text.lines().any(|line| line.contains("▌violence")));
    bench.send("=");
    bench.until("another threshold", |text| text.contains("violence  threshold 0.55"));

    bench.send("f");
    bench.wait("⏎ preview");
    bench.type_in(file.to_str().unwrap());
    bench.send(ENTER);
    bench.until("the text's column, by its name", |text| row(text, "‹ comment ›").contains("▸ text"));
    bench.send(ENTER);
    bench.wait("0 of 20 texts");
    bench.send("p");
    bench.until("all rows", |text| text.contains("100%") && text.contains("20 texts"));
    bench.send("e");
    // P R F1 TP FP FN TN, and no text without a score.
    let figures = ["1.00", "1.00", "1.00", "10", "0", "0", "10", "·"];
    bench.until("all labels met", |text| {
        let flags: Vec<&str> = row(text, "the service's flag").split_whitespace().collect();
        text.contains("20 of 20 rows are counted") && flags.ends_with(&figures)
    });
    let home = quit(bench);

    // Text, results, threshold and file are there again, and nothing is sent for them.
    let mut bench = start(home);
    bench.until("as it was", |text| {
        let (verdict, latency) = (row(text, "Verdict"), row(text, "Latency"));
        verdict.contains("⚑ flagged") && latency.contains("cached") && row(text, THRESHOLD).contains("violence")
    });
    bench.send("f");
    bench.wait("20 of 20 texts · with earlier results");
    quit(bench);
}
