//! A file of 2,000 labelled texts is checked, the program killed half-way and started again: every text has its result,
//! and none that was on disk is sent a second time.
#![cfg(unix)]
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::expect_used)]

#[path = "../common/mod.rs"]
mod common;
mod server;

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::path::Path;

use benchtop::record::{Bench as Whose, Check, Query, Rows, TextKey, TextRow};
use tempfile::TempDir;

use common::kept::read_store;
use common::{Bench, Setup};
use server::Server;

const ENTER: &str = "\r";
const TO_MODERATE: &str = "\x1b3";

/// Rows of the file.
const ROWS: usize = 2_000;
/// Requests there may be at a time.
const REQUESTS: usize = 8;

/// Returns a row's text, which depends on its number.
fn text(n: usize) -> String {
    format!("row {n:04}: {}", if harmful(n) { "you will pay for this" } else { "have a nice day, all of you" })
}

fn harmful(n: usize) -> bool {
    n.is_multiple_of(4)
}

/// Returns the label in the file: of 100 rows four are labelled differently than the service scores them.
fn label(n: usize) -> &'static str {
    if harmful(n) == matches!(n % 100, 7..=10) { "ok" } else { "harassment" }
}

/// Returns the service's score.
fn score(text: &str) -> f64 {
    if text.contains("pay for this") { 0.9 } else { 0.1 }
}

/// Writes the file into the home; returns its path.
fn file(home: &Path) -> String {
    let mut lines = String::from("text,label\n");
    for n in 0..ROWS {
        // Writing to a String cannot fail.
        let _ = writeln!(lines, "\"{}\",{}", text(n), label(n));
    }
    let path = home.join("rows.csv");
    std::fs::write(&path, lines).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Opens the tab.
fn start(home: TempDir, server: &Server) -> Bench {
    let data = home.path().join("data");
    let args = ["--base-url", &server.url, "--data-dir", data.to_str().unwrap()];
    let mut bench = Bench::with(Setup { args: &args, home: Some(home), ..Setup::default() });
    bench.wait("▐1");
    bench.send(TO_MODERATE);
    bench.wait("▐3 Moderate");
    bench
}

/// Returns what is stored of the file: its rows, and of each text the newest check.
fn kept(home: &Path) -> (Vec<TextRow>, Vec<Check>) {
    read_store(&home.join("data"), |ask| {
        let Rows::TextLists(lists) = ask(Query::TextLists(Whose::Moderate)) else { panic!() };
        let list = lists.into_iter().find(|list| !list.source.is_empty()).expect("the file's list");
        let Rows::Texts(Some((_, rows))) = ask(Query::Texts(list.id)) else { panic!() };
        let Rows::Checks(checks) = ask(Query::ListChecks(list.id)) else { panic!() };
        (rows, checks)
    })
}

#[test]
fn a_run_that_was_killed_goes_on_and_sends_nothing_twice_that_was_on_disk() {
    let server = Server::start(score, ROWS / 2);
    let home = tempfile::tempdir().unwrap();
    let path = file(home.path());
    let mut bench = start(home, &server);
    bench.send("f");
    bench.wait("A file of texts to moderate");
    bench.type_in(&path);
    bench.send(ENTER);
    bench.wait("⏎ open");
    bench.send(ENTER);
    // What is known of the texts is looked up first, then it is said whom they are checked with.
    bench.until("the texts", |text| {
        text.contains("p check") && text.contains("threshold 0.50 · text-moderation-latest")
    });
    bench.send("p");
    // Half of it is answered, and the next requests are on their way.
    let answered = server.when(
        "half of the texts answered, and as many asked for as may be",
        |seen| seen.held && seen.under_way == REQUESTS,
        |seen| seen.answered,
    );
    let home = bench.into_home();
    let sent: HashSet<String> = server.when(
        "the end of the first run",
        |_| true,
        |seen| {
            (seen.run, seen.held) = (1, false);
            seen.sent.keys().cloned().collect()
        },
    );
    let (rows, before) = kept(home.path());
    assert_eq!(rows.len(), ROWS);
    let on_disk: HashSet<TextKey> = before.iter().map(|check| check.text).collect();
    assert_eq!(on_disk.len(), before.len());
    assert!(on_disk.len() <= answered && answered < ROWS, "{} of {answered} on disk", on_disk.len());
    // The file is not needed any more.
    std::fs::remove_file(&path).unwrap();

    // It goes on by itself when the tab is opened.
    let mut bench = start(home, &server);
    server.when("the rest answered", |seen| seen.run == 1 && seen.sent.len() == ROWS && seen.under_way == 0, |_| ());
    bench.send("f");
    bench.until("the end", |text| text.contains("100%") && text.contains("2,000 of 2,000") && text.contains('✓'));
    bench.send("e");
    // 480 found, 20 found that are none, 60 missed.
    let words = |text: &str, row: &str, figures: &[&str]| {
        let line = text.lines().find(|line| line.contains(row));
        line.is_some_and(|line| {
            let cells: Vec<&str> = line.split_whitespace().collect();
            cells.windows(figures.len()).any(|cells| cells == figures)
        })
    };
    let figures = ["0.96", "0.89", "0.92", "480", "20", "60", "1,440"];
    bench.until("precision and recall", |text| words(text, "harassment", &figures));
    bench.send("\x1b");
    bench.wait_gone("Results against labels");
    bench.send("q");
    assert_eq!(bench.ended(), 0);

    // None is missing, in the order of the file, each with the score of its own text.
    let (rows, checks) = kept(bench.home.path());
    let of: HashMap<TextKey, &Check> = checks.iter().map(|check| (check.text, check)).collect();
    assert_eq!((rows.len(), of.len(), checks.len()), (ROWS, ROWS, ROWS));
    for (n, row) in rows.iter().enumerate() {
        assert_eq!((row.text.raw(), row.label.as_ref().unwrap().raw()), (text(n).as_str(), label(n)));
        let check = of[&TextKey::of(&row.text)];
        let harassment = check.categories.iter().position(|name| *name == "harassment").unwrap();
        assert_eq!(check.scores[harassment], Some(score(row.text.raw())), "{}", row.text.raw());
    }
    // What was on disk was sent once; what was not, and had been sent, twice.
    server.when("all", |_| true, |seen| {
        let twice = seen.sent.values().filter(|runs| runs.len() > 1).count();
        for (text, runs) in &seen.sent {
            let expected: &[usize] = match (sent.contains(text), on_disk.contains(&TextKey::of(&text.as_str().into()))) {
                (true, true) => &[0],
                (true, false) => &[0, 1],
                (false, false) => &[1],
                (false, true) => panic!("{text} is on disk and was never sent"),
            };
            assert_eq!(runs, expected, "{text}");
        }
        assert!(seen.most_under_way <= REQUESTS, "{} requests at a time", seen.most_under_way);
        let most = REQUESTS * seen.most_texts;
        assert!(sent.len() - answered <= most && answered - on_disk.len() <= most, "{twice} texts were sent twice");
        println!(
            "{} of {ROWS} answered and {} on disk when it was killed; {twice} sent twice, {} texts a request at most",
            answered, on_disk.len(), seen.most_texts
        );
    });
}
