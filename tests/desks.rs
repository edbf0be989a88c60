//! The benches for looking at text in a real terminal, with the local service behind them: Moderate's and Embed's main paths,
//! and both again at the next start.
#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::fs;
use std::path::Path;

use common::{Bench, Setup};
use tempfile::TempDir;

const ENTER: &str = "\r";
const ESC: &str = "\x1b";
const RUN: &str = "\x12";
const QUIT: &str = "\x11";
const CLEAR: &str = "\x15";

/// Alt and a tab's number.
const TO_MODERATE: &str = "\x1b3";
const TO_EMBED: &str = "\x1b4";

fn start(home: TempDir, tab: &str, title: &str) -> Bench {
    let dir = home.path().join("data");
    let args = ["--local", "--data-dir", dir.to_str().unwrap()];
    let mut bench = Bench::with(Setup { args: &args, home: Some(home), size: (120, 36), ..Setup::default() });
    bench.wait("▐1");
    bench.send(tab);
    bench.wait(title);
    bench
}

fn quit(mut bench: Bench) -> TempDir {
    bench.send(QUIT);
    assert_eq!(bench.ended(), 0);
    bench.assert_whole();
    bench.into_home()
}

/// Adds a text to the bench in front.
fn add(bench: &mut Bench, text: &str, typing: &str) {
    bench.send("a");
    bench.wait(typing);
    bench.type_in(text);
    bench.send(ESC);
    bench.wait_gone(typing);
}

/// The row of the screen that holds these words.
fn row<'a>(screen: &'a str, words: &str) -> &'a str {
    screen.lines().find(|line| line.contains(words)).unwrap_or_else(|| panic!("no {words:?} on\n{screen}"))
}

#[test]
fn texts_are_checked_and_a_labelled_file_is_measured() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("comments.csv");
    let rows = ["The meeting moved to Tuesday,ok", "I will find you and make you pay for this,violence"];
    let all: String = (0..20).map(|n| format!("{}\n", rows[n % 2].replace(',', &format!(" ({n}),")))).collect();
    fs::write(&file, format!("comment,label\n{all}")).unwrap();

    let mut bench = start(home, TO_MODERATE, "▐3 Moderate");
    add(&mut bench, "I will find you and make you pay for this.", "esc done");
    add(&mut bench, "Please send the report by noon.", "esc done");
    bench.wait("2 texts");
    bench.send(RUN);
    let checked = bench.wait("⚑ FLAGGED");
    assert!(row(&checked, "Verdict").contains("✓ clear"), "{checked}");
    assert!(row(&checked, "▓").contains('⚑'), "the bar passes the threshold and the service flags it:\n{checked}");

    // Its threshold moves, and what stands about it follows.
    bench.send("s");
    bench.until("the highest category first", |text| row(text, "▌violence").contains("⚑"));
    bench.send("=");
    bench.until("another threshold", |text| row(text, "Your threshold").contains("0.55"));

    bench.send("f");
    bench.wait("⏎ look at it");
    bench.type_in(file.to_str().unwrap());
    bench.send(ENTER);
    let peeked = bench.wait("20 rows");
    assert!(row(&peeked, "text ").contains("comment") && row(&peeked, "label ").contains("label"), "{peeked}");
    bench.send(ENTER);
    bench.wait("0 of 20 texts");
    bench.send("p");
    bench.until("all rows", |text| text.contains("100%") && text.contains("20 texts"));
    bench.send("e");
    let against = bench.wait("20 of 20 rows count");
    let flags: Vec<&str> = row(&against, "the service's flag").split_whitespace().collect();
    assert!(flags.ends_with(&["1.00", "1.00", "1.00", "10", "0", "0", "10", "·"]), "P R F1 TP FP FN TN:\n{against}");
    let home = quit(bench);

    // Text, results, threshold and file are there again, and nothing is sent for them.
    let mut bench = start(home, TO_MODERATE, "▐3 Moderate");
    let again = bench.wait("⚑ FLAGGED");
    assert!(row(&again, "Latency").contains("cached"), "{again}");
    assert!(row(&again, "Your threshold").contains("0.55"), "{again}");
    bench.send("f");
    bench.wait("⏎ look at it");
    bench.send(ESC);
    bench.wait_gone("⏎ look at it");
    bench.send("L");
    bench.until("the file", |text| text.contains("comments.csv") && text.contains("20"));
    quit(bench);
}

#[test]
fn texts_become_vectors_once_and_are_compared_mapped_and_exported() {
    let mut bench = start(tempfile::tempdir().unwrap(), TO_EMBED, "▐4 Embed");
    for text in ["a refund within 30 days", "money back guarantee", "reset my password"] {
        add(&mut bench, text, "esc take it");
    }
    bench.send(RUN);
    bench.wait("3 texts embedded");
    let matrix = bench.until("all cells", |text| text.matches("1.00").count() >= 3 && text.contains("PCA"));
    assert!(row(&matrix, "PCA").contains('%'), "{matrix}");

    bench.send("\t");
    bench.wait("▸ Cosine similarity");
    bench.send("g");
    bench.send("0");
    bench.send("l");
    bench.wait("A × B");
    bench.send(ENTER);
    let pair = bench.until("both texts in full", |text| text.contains("L2") && text.contains("tok"));
    assert!(pair.contains("a refund within 30 days") && pair.contains("money back guarantee"), "{pair}");
    bench.send(ESC);
    bench.wait("A × B");

    let home = bench.home.path().to_owned();
    export(&mut bench, &home.join("vectors.npy"));
    let home = quit(bench);
    let array = fs::read(home.path().join("vectors.npy")).unwrap();
    assert!(array.starts_with(b"\x93NUMPY\x01\x00"));
    let (length, _) = array[8..].split_first_chunk().unwrap();
    assert_eq!(array.len(), 10 + usize::from(u16::from_le_bytes(*length)) + 3 * 1536 * 4, "three rows of floats");
    assert!(String::from_utf8_lossy(&array[..128]).contains("(3, 1536)"));

    // The vectors are kept: nothing is sent for them.
    let mut bench = start(home, TO_EMBED, "▐4 Embed");
    bench.wait("money back guarantee");
    bench.send(RUN);
    bench.wait("3 vectors were cached");
    quit(bench);
}

fn export(bench: &mut Bench, path: &Path) {
    bench.send("E");
    bench.wait("Write to");
    bench.send(CLEAR);
    bench.type_in(path.to_str().unwrap());
    bench.send(ENTER);
    bench.wait_gone("Write to");
    let end = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while !path.exists() {
        bench.pause(std::time::Duration::from_millis(50));
        assert!(std::time::Instant::now() < end, "not written:\n{}", bench.text());
    }
}
