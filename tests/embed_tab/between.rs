//! What happens while something else is under way: keys while a run counts, edits after a refusal, a cut, another
//! model.

use std::time::Duration;

use benchtop::api::embedding::EmbeddingRequest;
use benchtop::app::Effect;
use benchtop::record::{Record, Stored, TextKey};
use crossterm::event::KeyCode;

use crate::desk::{Desk, MODEL, Writes, texts};
use crate::disk::{key, listed, text};
use crate::pictures::done;
use crate::replies::{entry, list, vector, vectors};

/// Empties the line that was opened with what it held.
fn cleared(desk: &mut Desk, letters: usize) {
    for _ in 0..letters {
        desk.code(KeyCode::Backspace);
    }
}

/// Selects a model for the tab.
fn choose(desk: &mut Desk, model: &str) {
    desk.press("M");
    desk.press(model);
    desk.press("\n");
    desk.settle();
}

#[test]
fn a_large_run_asks_also_when_something_lay_over_the_panes() {
    let disk = listed(2_100);
    let mut desk = Desk::on(&disk);
    desk.settle();
    desk.holds = |effect| matches!(effect, Effect::Load(..));
    desk.press("^r/");
    desk.shows("⏎ keep");
    desk.release();
    assert!(desk.sent().is_empty(), "nobody was asked");
    desk.press("le");
    desk.shows("/ le");
    assert!(desk.sent().is_empty(), "what is typed is no answer");
    desk.press("\u{1b}");
    desk.shows("2,100 texts, ~");
    assert!(desk.sent().is_empty());
    desk.press("e");
    assert!(!desk.sent().is_empty());
}

#[test]
fn texts_are_ranked_under_a_cut() {
    let mut desk = done((120, 36));
    desk.press("D\t3\n");
    desk.settle();
    desk.press("smoney\n");
    let (ticket, request): (_, EmbeddingRequest) = desk.sent().pop().expect("the query is embedded");
    desk.answer(ticket, vectors(&request));
    desk.settle();
    desk.hides("numbers");
    desk.shows("1  ");
    desk.press("\n");
    assert!(desk.app.due().is_none_or(|due| due > desk.now + Duration::from_secs(1)), "nothing goes on by itself");
}

#[test]
fn a_long_import_shows_all_its_vectors_at_once() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("many.npy");
    let rows = 5_000_u16;
    let head = format!("{:<117}\n", format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, 2), }}"));
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((head.len() as u16).to_le_bytes());
    bytes.extend(head.as_bytes());
    for row in 0..rows {
        let angle = f32::from(row) / 5_000.0;
        bytes.extend(angle.cos().to_le_bytes());
        bytes.extend(angle.sin().to_le_bytes());
    }
    std::fs::write(&path, bytes).unwrap();
    let mut desk = Desk::new();
    desk.press("I");
    desk.paste(&path.to_string_lossy());
    // The disk is slow: the vectors are shown before they are on it.
    desk.writes = Writes::Waiting;
    desk.press("\n");
    desk.shows("5,000");
    desk.writes = Writes::Done;
    desk.release();
    desk.settle();
    desk.press("G");
    desk.settle();
    desk.shows("Nearest, by cosine");
    desk.press("H");
    desk.settle();
    desk.shows("Every text has its vector.");
}

#[test]
fn what_is_changed_after_a_refusal_is_what_stays() {
    let mut desk = Desk::new();
    desk.writes = Writes::Refused;
    desk.press("aone\ntwo\nthree\n\u{1b}");
    desk.wait(Duration::from_secs(1));
    desk.shows("not saved");
    desk.press("ge^utwelve\n");
    desk.wait(Duration::from_secs(1));
    desk.press("jx");
    desk.wait(Duration::from_millis(400));
    desk.writes = Writes::Done;
    desk.settle();
    desk.hides("not saved");
    desk.shows("A twelve");
    assert_eq!(desk.disk.texts("embed.bench"), ["twelve", "three"]);
}

#[test]
fn a_paste_that_the_disk_refused_is_kept_on_leaving() {
    let mut desk = Desk::new();
    desk.writes = Writes::Refused;
    desk.press("aone\n\u{1b}");
    desk.wait(Duration::from_secs(1));
    desk.writes = Writes::Done;
    desk.press("ge^utwelve\n");
    let desk = desk.again();
    assert_eq!(desk.disk.texts("embed.bench"), ["twelve"]);
}

#[test]
fn vectors_that_were_on_their_way_when_the_texts_changed_are_not_waited_for() {
    let disk = listed(2_100);
    let row = benchtop::record::TextRow {
        id: benchtop::record::Id(1),
        place: 3_000,
        name: "".into(),
        text: "one\ntwo".into(),
        label: None,
    };
    let rows = Record::TextRows { list: benchtop::record::Id(7), rows: vec![row] };
    assert_eq!(disk.record(rows), Stored::Committed);
    let some = vec![(TextKey::of(&text(0).into()), vector("a", 8).into())];
    assert_eq!(disk.record(Record::Vectors { key: key(), vectors: some }), Stored::Committed);
    let mut desk = Desk::on(&disk);
    desk.settle();
    desk.press("D64\n");
    desk.settle();
    desk.holds = |effect| matches!(effect, Effect::Load(..));
    desk.press("D");
    cleared(&mut desk, 2);
    desk.press("\n");
    // Which are there, how long they are; then all are asked for.
    for _ in 0..2 {
        desk.release_one();
    }
    desk.shows("loading 67");
    desk.press("W");
    desk.release();
    desk.settle();
    desk.hides("loading");
    assert!(desk.app.due().is_none_or(|due| due > desk.now + Duration::from_secs(1)), "nothing moves");
}

#[test]
fn a_cut_that_was_taken_back_is_not_shown_as_the_whole() {
    let mut desk = done((120, 36));
    desk.holds = |effect| matches!(effect, Effect::Work(..));
    desk.press("D\t256\n");
    desk.shows("cut to 256 here");
    desk.press("D");
    cleared(&mut desk, 3);
    desk.press("\n");
    desk.hides("cut to");
    desk.release();
    desk.settle();
    desk.press("H");
    desk.settle();
    desk.shows("1,536 numbers");
}

#[test]
fn of_vectors_that_are_cut_here_no_length_is_expected() {
    let mut desk = done((120, 36));
    desk.press("D\t384\n");
    desk.settle();
    desk.press("H");
    desk.settle();
    desk.shows("384 numbers");
    desk.hides("base64");
}

#[test]
fn what_the_model_before_refused_is_no_failure_of_the_one_in_use() {
    let mut desk = Desk::new();
    desk.press("aone\n\n");
    let (first, _) = desk.run();
    choose(&mut desk, "text-embedding-3-small");
    desk.fail(first, crate::replies::refused("the server refused the request (400): 'one' is not allowed"));
    desk.settle();
    desk.hides("A — the server");
}

#[test]
fn what_is_paused_under_another_model_is_not_gone_on_with() {
    let mut desk = Desk::new();
    desk.press("aone\ntwo\nthree\n\n");
    let (first, request) = desk.run();
    assert_eq!(request.model, MODEL);
    desk.press("p");
    choose(&mut desk, "text-embedding-3-small");
    desk.fail(first, crate::replies::refused("the server refused the request (400): 'one' is not allowed"));
    desk.settle();
    desk.press("^r");
    let sent = desk.sent();
    assert!(!sent.is_empty(), "{}", desk.screen());
    for (ticket, request) in sent {
        assert_eq!(request.model, "text-embedding-3-small", "what was paused is of another model");
        assert_eq!(texts(&request).len(), 3);
        desk.answer(ticket, vectors(&request));
    }
    desk.settle();
    desk.shows("3 texts embedded");
}

#[test]
fn a_cut_ends_with_its_model() {
    let mut desk = done((120, 36));
    desk.press("D\t256\n");
    desk.settle();
    desk.shows("cut to 256 here");
    choose(&mut desk, "text-embedding-3-small");
    let (ticket, mut request) = desk.run();
    request.dimensions = Some(64);
    desk.answer(ticket, vectors(&request));
    desk.settle();
    desk.hides("cannot be cut");
    desk.shows(".87");
}

#[test]
fn vectors_that_say_nothing_are_asked_for_anew() {
    let mut desk = Desk::new();
    desk.press("aone\ntwo\nthree\nfour\n\n");
    let (ticket, _) = desk.run();
    let good = [1.0, 0.0];
    let entries = vec![entry(0, &good), entry(1, &[0.0, 0.0]), entry(2, &[f32::NAN, 1.0]), entry(3, &[1.0; 5])];
    desk.answer(ticket, list(entries, 4));
    desk.settle();
    desk.shows("D — its vector has 5 numbers, the others 2");
    let (ticket, request) = desk.run();
    assert_eq!(texts(&request), ["two", "three", "four"]);
    desk.answer(ticket, list(vec![entry(0, &good), entry(1, &good), entry(2, &good)], 3));
    desk.settle();
    desk.shows("3 texts embedded · 1 cached");
    desk.press("H");
    desk.settle();
    desk.shows("Every text has its vector.");
    desk.shows("All vectors have the same length.");
    desk.shows("No vector is all zeros.");
}

#[test]
fn what_is_left_out_is_not_counted_as_cached() {
    let mut desk = Desk::new();
    desk.paste(&"word ".repeat(9_000));
    desk.settle();
    desk.press("^rl");
    assert!(desk.sent().is_empty());
    desk.settle();
    desk.shows("nothing was sent · 1 left out");
}

#[test]
fn deleting_by_the_palette_takes_what_is_typed_first() {
    let mut desk = Desk::new();
    desk.press("aone\ntwo\nthree\n\u{1b}ge^utwelve^pdelete the text\n");
    desk.settle();
    assert_eq!(desk.disk.texts("embed.bench"), ["two", "three"]);
    desk.press("u");
    desk.settle();
    assert_eq!(desk.disk.texts("embed.bench"), ["twelve", "two", "three"]);
}

#[test]
fn nothing_of_the_model_before_stays_when_another_fails() {
    for (page, told) in [("", "PCA"), ("m", "PCA"), ("P", "0.87"), ("H", "1,536 numbers")] {
        let mut desk = done((120, 36));
        desk.press("arefund within 30 days\n\u{1b}\t");
        desk.settle();
        desk.press(page);
        desk.settle();
        desk.shows(told);
        if page.is_empty() {
            desk.shows("A and I are the same text");
        }
        choose(&mut desk, "text-embedding-3-small");
        let (ticket, _) = desk.run();
        desk.fail(ticket, crate::replies::unsupported());
        desk.settle();
        desk.hides(told);
        desk.hides("1.00");
        let picture = desk.picture().replace("● B money", "");
        assert!(!picture.contains("● B"), "on the map: {picture}");
    }
}

#[test]
fn one_rule_says_what_is_asked_before_it_is_sent() {
    // Few texts go at once, also to another model to compare.
    let mut desk = done((120, 36));
    let _ = desk.sent();
    desk.press("cm");
    desk.press("text-embedding-3-small");
    desk.press("\n");
    desk.settle();
    let sent = desk.sent();
    assert_eq!(sent.len(), 1, "{}", desk.screen());
    assert_eq!(texts(&sent[0].1).len(), 8);
    // Many are asked about, and so are few that cost much.
    let mut desk = Desk::on(&listed(1_500));
    desk.settle();
    desk.press("^r");
    desk.shows("1,500 texts, ~");
    assert!(desk.sent().is_empty());
    let mut desk = Desk::new();
    for number in 0..20 {
        desk.paste(&format!("{number} {}", "word ".repeat(7_000)));
    }
    desk.settle();
    desk.press("^r");
    desk.shows("20 texts, ~");
    assert!(desk.sent().is_empty());
}

#[test]
fn ordering_says_so_and_keeps_the_cursor() {
    let mut desk = Desk::new();
    desk.run_lines(300);
    for (ticket, request) in desk.sent() {
        desk.answer(ticket, vectors(&request));
    }
    desk.settle();
    desk.press("jjo");
    desk.shows("by cluster · row ");
    desk.shows("ordered by cluster ━");
    desk.shows("C × ");
    desk.shows("▾");
    desk.press("o");
    desk.shows("in list order · row 3, column 2");
    desk.hides("ordered by cluster ━");
}

#[test]
fn an_infinite_vector_is_not_called_nan() {
    let mut desk = Desk::new();
    desk.press("aone\ntwo\nthree\n\n");
    let (ticket, _) = desk.run();
    let entries = vec![entry(0, &[1.0, 0.0]), entry(1, &[f32::INFINITY, 0.0]), entry(2, &[f32::NAN, 1.0])];
    desk.answer(ticket, list(entries, 3));
    desk.settle();
    desk.shows("B — its vector contains an infinite number");
    desk.shows("C — its vector contains something");
}
