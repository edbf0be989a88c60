//! Files of a server.

use std::time::Duration;

use super::super::chunk_loader::ChunkKind;
use super::trial::{PreviewDriver, failure};
use super::*;
use crate::api::call::FailureKind;

#[test]
fn the_first_64_kb_come_and_more_as_one_goes() {
    let mut trial = PreviewDriver::remote("train.jsonl", jsonl(100_000), true);
    insta::assert_snapshot!(trial.shown_before());
    trial.settle();
    assert_eq!(trial.fetched, 65_536);
    insta::assert_snapshot!(trial.pictures());
    let mut pages = 0;
    while trial.fetched == 65_536 {
        trial.press("⇟");
        pages += 1;
    }
    assert!(pages > 50, "only what is near is fetched");
    assert_eq!(trial.fetched, 65_536 + (256 << 10));
    trial.press("G");
    assert_eq!(trial.row().1, jsonl(100_000).lines().last().unwrap().as_bytes());
    assert!(trial.fetched < 1_000_000, "{}", trial.fetched);
    trial.press("k⇱");
    assert_eq!(trial.row().0, 0);
}

#[test]
fn without_parts_it_asks_before_more_than_1_mb() {
    let mut trial = PreviewDriver::remote("train.jsonl", jsonl(100_000), false);
    trial.settle();
    trial.press("G");
    insta::assert_snapshot!(trial.pictures());
    assert_eq!(trial.fetched, 65_536);
    trial.press("⎋");
    assert_eq!((trial.said().as_str(), trial.fetched), ("nothing was fetched", 65_536));
    trial.size = (80, 120);
    for _ in 0..2_000 {
        trial.press("⇟");
        if matches!(trial.preview.prompt, PreviewPrompt::Ask(_)) {
            break;
        }
    }
    let PreviewPrompt::Ask(offer) = trial.preview.prompt else { panic!("never asked") };
    assert_eq!(offer.what, Some(ChunkKind::More));
    assert!(offer.bytes > 1_000_000 && trial.fetched < 3_000_000, "{offer:?} {}", trial.fetched);
    let (before, end) = (trial.fetched, trial.preview.window.end());
    trial.press("⏎");
    assert_eq!(trial.fetched - before, offer.bytes, "as much as was said");
    assert!(trial.preview.window.end() > end);
    trial.press("G⏎");
    assert_eq!(trial.row().1, jsonl(100_000).lines().last().unwrap().as_bytes());
}

#[test]
fn lines_and_texts_are_looked_for_in_what_comes() {
    let mut trial = PreviewDriver::remote("train.jsonl", jsonl(100_000), true);
    trial.settle();
    trial.press("g5000⏎");
    assert!(trial.row().1.starts_with(b"{\"prompt\":\"row 5000\""));
    trial.press("/ROW 6000⏎");
    assert!(trial.row().1.starts_with(b"{\"prompt\":\"row 6000\""));
    trial.press("/row 5001⏎⎋N");
    assert!(trial.row().1.starts_with(b"{\"prompt\":\"row 5001\""));
    trial.press("g90000⏎");
    assert!(matches!(trial.preview.prompt, PreviewPrompt::Ask(_)), "it is far");
    insta::assert_snapshot!(trial.pictures());
    trial.press("⏎");
    assert!(trial.row().1.starts_with(b"{\"prompt\":\"row 90000\""), "{:?}", trial.row());
    trial.press("g3⏎");
    assert!(trial.row().1.starts_with(b"{\"prompt\":\"row 3\""));
    assert!(trial.preview.window.bytes().len() <= 9 << 20);
}

#[test]
fn what_a_server_refuses_is_said() {
    let fails = [
        (FailureKind::Offline, None, "cannot reach 127.0.0.1:1: connection refused"),
        (FailureKind::Refused, Some(404), "no such File object"),
        (FailureKind::Auth, Some(401), "the key was not accepted"),
    ];
    for (kind, status, sentence) in fails {
        let mut trial = PreviewDriver::remote("train.jsonl", "x", true);
        trial.failure = Some(failure(kind, status, sentence));
        trial.settle();
        insta::assert_snapshot!(trial.pictures());
        trial.failure = None;
        trial.press("r");
        assert!(trial.shown().contains("1 x"), "{}", trial.shown());
    }
    let mut trial = PreviewDriver::remote("train.jsonl", jsonl(5_000), true);
    trial.settle();
    trial.failure = Some(failure(FailureKind::Server, Some(500), "the server failed"));
    trial.press("G");
    assert_eq!(trial.said(), "the server failed");
    assert!(trial.shown().contains("row 1"), "what is there stays");
}

#[test]
fn a_file_of_another_size_is_another_file() {
    let mut trial = PreviewDriver::remote("train.jsonl", jsonl(5_000), true);
    trial.settle();
    trial.bytes.extend(b"more");
    trial.press("G");
    assert!(trial.shown().contains("changed"), "{}", trial.shown());
}

#[test]
fn what_fails_is_asked_for_again_by_a_key_and_not_by_itself() {
    let mut trial = PreviewDriver::remote("train.jsonl", jsonl(5_000), true);
    trial.settle();
    trial.failure = Some(failure(FailureKind::Offline, None, "cannot reach the server"));
    for _ in 0..200 {
        trial.press("⇟");
    }
    assert_eq!(trial.said(), "cannot reach the server");
    trial.failure = None;
    trial.press("j⇟");
    assert!(trial.fetched > 65_536);
    let mut trial = PreviewDriver::open("a.txt", jsonl(50_000));
    trial.broken = Some("cannot read /f: input/output error");
    trial.press("G");
    for _ in 0..200 {
        trial.press("⇟");
    }
    assert_eq!(trial.said(), "cannot read /f: input/output error");
}

#[test]
fn long_rows_fetch_no_more_than_is_free_without_a_key() {
    let row = format!("{{\"prompt\":\"{}\"}}\n", "x".repeat(200 << 10));
    let mut trial = PreviewDriver::remote("train.jsonl", row.repeat(60), true);
    trial.settle();
    assert!(trial.fetched <= 65_536 + 1_000_000, "{}", trial.fetched);
    let before = trial.fetched;
    trial.press("j");
    assert!(trial.fetched - before <= 1_000_000, "{}", trial.fetched - before);
}

#[test]
fn while_it_asks_whether_to_look_on_nothing_ticks() {
    let mut trial = PreviewDriver::remote("train.jsonl", jsonl(100_000), true);
    trial.settle();
    trial.preview.motion = true;
    trial.press("g90000⏎");
    assert!(matches!(trial.preview.prompt, PreviewPrompt::Ask(_)) && trial.preview.search.is_some());
    assert_eq!(trial.preview.due(), None);
}

#[test]
fn a_countdown_never_says_0_s() {
    let mut trial = PreviewDriver::remote("train.jsonl", jsonl(100_000), true);
    trial.retries_in(Duration::from_millis(1_400));
    assert!(trial.shown().contains("⚠ no connection · retry in 2 s"), "{}", trial.shown());
    trial.later(1);
    assert!(trial.shown().contains("⚠ no connection · retry in 1 s"), "{}", trial.shown());
    trial.settle();
    trial.tap(KeyCode::Char('G'));
    trial.retries_in(Duration::from_millis(400));
    assert!(trial.shown().contains("⚠ no connection · retry in 1 s"), "{}", trial.shown());
}
