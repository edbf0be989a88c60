//! Runs: what is sent, what comes of it, what is never paid for twice.

use std::num::NonZeroUsize;
use std::time::Duration;

use benchtop::api::call::{FailureKind, Progress, Reply};
use benchtop::api::capability::Adaptation;
use benchtop::record::Record;

use crate::desk::{Desk, MODEL, Writes, records, texts};
use crate::pictures::done;
use crate::replies::{entry, failure, list, offline, refused, vector, vectors};

#[test]
fn only_what_has_no_vector_is_sent_and_equal_texts_once() {
    let mut desk = Desk::new();
    desk.press("aone\ntwo\none\n\n");
    desk.settle();
    desk.shows("are the same text");
    let (ticket, request) = desk.run();
    assert_eq!((request.model.as_str(), texts(&request)), (MODEL, &["one".to_owned(), "two".to_owned()][..]));
    assert_eq!((request.dimensions, request.user.as_ref()), (None, None));
    desk.answer(ticket, vectors(&request));
    desk.settle();
    desk.shows("3 texts embedded");
    desk.press("athree\n\n");
    desk.settle();
    desk.shows("cached");
    let (ticket, request) = desk.run();
    assert_eq!(texts(&request), ["three"]);
    desk.answer(ticket, vectors(&request));
    desk.settle();
    desk.press("^r");
    assert!(desk.sent().is_empty(), "all is there");
    desk.shows("nothing was sent");
    let mut desk = desk.again();
    desk.settle();
    desk.shows("1.00");
    desk.press("^r");
    assert!(desk.sent().is_empty(), "all is still there");
}

#[test]
fn vectors_are_on_disk_before_they_are_shown_and_the_ledger_knows() {
    let mut desk = Desk::new();
    desk.press("\n");
    desk.settle();
    let (ticket, request) = desk.run();
    desk.writes = Writes::Waiting;
    desk.answer(ticket, vectors(&request));
    desk.wait(Duration::from_secs(1));
    desk.hides(".87");
    let kept = records(&desk.news());
    assert!(kept.iter().any(|record| matches!(record, Record::Vectors { vectors, .. } if vectors.len() == 8)));
    let row = kept.iter().find_map(|record| if let Record::Ledger(row) = record { Some(row) } else { None }).unwrap();
    assert_eq!((row.prompt_tokens, row.cost_nano, row.tab.as_str()), (40, Some(16_000), "Embed"));
    assert!(row.request_id.line().starts_with("req-"));
    desk.writes = Writes::Done;
    desk.release();
    desk.settle();
    desk.shows(".87");
    desk.shows("sent 40");
}

#[test]
fn newlines_are_sent_as_spaces_unless_that_is_turned_off() {
    let mut desk = Desk::new();
    desk.paste("one\ntwo");
    desk.press("t");
    desk.settle();
    desk.shows("1 newline became a space");
    let (ticket, request) = desk.run();
    assert_eq!(texts(&request), ["one two"]);
    desk.answer(ticket, vectors(&request));
    desk.settle();
    desk.press("W");
    desk.settle();
    desk.hides("became a space");
    let (_, request) = desk.run();
    assert_eq!(texts(&request), ["one\ntwo"], "another text to the server, so another vector");
}

#[test]
fn a_text_that_is_too_long_is_named_and_not_sent() {
    let mut desk = Desk::new();
    desk.press("ashort\n\n");
    desk.paste(&"word ".repeat(9_000));
    desk.settle();
    desk.shows("tokens; the model reads 8,191");
    desk.press("^r");
    assert!(desk.sent().is_empty());
    desk.shows("Nothing was sent");
    desk.shows("B  9,00");
    desk.press("\u{1b}");
    assert!(desk.sent().is_empty());
    desk.press("^rl");
    let mut sent = desk.sent();
    let (ticket, request) = sent.remove(0);
    assert_eq!(texts(&request), ["short"]);
    desk.answer(ticket, vectors(&request));
    desk.settle();
    desk.shows("left out:");
}

#[test]
fn fewer_vectors_than_texts_are_not_put_to_the_wrong_ones() {
    let mut desk = Desk::new();
    desk.press("aone\ntwo\nthree\n\n");
    let (ticket, request) = desk.run();
    assert_eq!(texts(&request).len(), 3);
    desk.answer(ticket, list(vec![entry(1, &vector("two", 4)), entry(0, &vector("one", 4))], 3));
    desk.settle();
    desk.shows("2 texts embedded · 1 failed");
    desk.shows("the server sent 2 vectors for 3 texts");
    let (ticket, request) = desk.run();
    assert_eq!(texts(&request), ["three"], "the others are there");
    desk.answer(ticket, vectors(&request));
    desk.settle();
    desk.shows("its vector has 1536 numbers, the others 4");
}

#[test]
fn vectors_without_a_direction_are_a_dash_with_the_reason() {
    let mut desk = Desk::new();
    desk.press("aone\ntwo\nthree\n\n");
    let (ticket, _) = desk.run();
    let entries = vec![entry(0, &[1.0, 0.0]), entry(1, &[0.0, 0.0]), entry(2, &[f32::NAN, 1.0])];
    desk.answer(ticket, list(entries, 3));
    desk.settle();
    desk.shows("B — its vector is all zeros");
    desk.shows("C — its vector contains something");
}

#[test]
fn a_refused_key_is_told_in_whole_with_the_keys_that_help() {
    let mut desk = Desk::new();
    desk.press("aone\n");
    let (ticket, _) = desk.run();
    let why = "401 the server rejected this key: Incorrect API key provided: sk-wrong. You can find your API key at \
               https://platform.openai.com/account/api-keys; paste the correct key: Ctrl+P → Profile: new key";
    desk.fail(ticket, failure(FailureKind::Auth, Some(401), why));
    let screen = desk.screen().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(screen.contains("Profile: new key"), "{screen}");
    desk.shows("d details · ^P profile");
}

#[test]
fn a_run_that_ends_while_another_window_has_the_focus_is_told_with_how_it_ended() {
    let mut desk = Desk::new();
    desk.press("aone\n");
    let (ticket, _) = desk.run();
    assert_eq!(desk.told_outside(|desk| drop(desk.fail(ticket, refused("not allowed")))), ["1 run failed"]);
    let (ticket, request) = desk.run();
    assert_eq!(desk.told_outside(|desk| desk.answer(ticket, vectors(&request))), ["1 run ended"]);
}

#[test]
fn a_failed_batch_keeps_the_rest_and_is_looked_for() {
    let mut desk = Desk::new();
    desk.press("aone\ntwo\n\n");
    let (ticket, _) = desk.run();
    desk.fail(ticket, refused("the server refused the request (400): 'two' is not allowed"));
    let sent = desk.sent();
    assert_eq!(sent.len(), 2, "each half by itself");
    let told = desk.told_outside(|desk| {
        for (ticket, request) in sent {
            if texts(&request) == ["two"] {
                desk.fail(ticket, refused("the server refused the request (400): 'two' is not allowed"));
            } else {
                desk.answer(ticket, vectors(&request));
            }
        }
    });
    assert_eq!(told, ["1 run ended with failures"]);
    desk.settle();
    desk.shows("1 text embedded · 1 failed");
    desk.shows("B — the server refused the request (400):");
}

#[test]
fn a_run_is_stopped_and_goes_on_where_it_was() {
    let mut desk = Desk::new();
    desk.run_lines(300);
    let sent = desk.sent();
    assert_eq!(sent.iter().map(|(_, request)| texts(request).len()).collect::<Vec<_>>(), [128, 128, 44]);
    desk.answer(sent[0].0, vectors(&sent[0].1));
    desk.press("\u{1b}");
    desk.shows("stopped: 128 texts embedded");
    desk.progress(sent[1].0, Progress::Reply(Reply::Embeddings(vectors(&sent[1].1))));
    let mut desk = desk.again();
    desk.settle();
    desk.press("^r");
    let left: usize = desk.sent().iter().map(|(_, request)| texts(request).len()).sum();
    assert_eq!(left, 172);
}

#[test]
fn how_requests_were_changed_is_said_once_with_their_result() {
    let mut desk = Desk::new();
    desk.run_lines(300);
    for (ticket, request) in desk.sent() {
        desk.progress(ticket, Progress::Adapted(Adaptation::Omitted("encoding_format".into())));
        desk.progress(ticket, Progress::Adapted(Adaptation::Split { field: "input".into(), size: NonZeroUsize::MIN }));
        desk.answer(ticket, vectors(&request));
    }
    desk.settle();
    desk.shows("300 texts embedded");
    let shown = desk.screen();
    assert_eq!(shown.matches("without encoding_format").count(), 1, "{shown}");
    assert_eq!(shown.matches("one input per request").count(), 1, "{shown}");
    desk.press("amore\n\n");
    desk.settle();
    let (ticket, request) = desk.run();
    desk.answer(ticket, vectors(&request));
    desk.settle();
    desk.shows("1 text embedded");
    desk.hides("encoding_format");
}

#[test]
fn without_a_connection_it_waits_and_goes_on() {
    let mut desk = Desk::new();
    desk.press("aone\ntwo\n\n");
    let (ticket, _) = desk.run();
    desk.fail(ticket, offline());
    desk.wait(Duration::from_millis(100));
    desk.shows("! retry in 5 s: no connection");
    desk.hides("✕ no connection");
    assert!(desk.sent().is_empty());
    desk.wait(Duration::from_secs(6));
    let (ticket, request) = desk.sent().pop().expect("it tries again by itself");
    desk.answer(ticket, vectors(&request));
    desk.settle();
    desk.shows("2 texts embedded");
    desk.hides("no connection");
}

#[test]
fn every_page_that_waits_for_vectors_says_when_they_are_asked_for_again() {
    let mut desk = Desk::new();
    desk.press("aone\ntwo\n\n");
    let (ticket, request) = desk.run();
    desk.rate_limited(ticket);
    desk.shows("The map waits for two vectors.");
    let screen = desk.screen();
    assert_eq!(screen.matches("! retry in 10 s: rate limit").count(), 1, "beside the map the matrix says it: {screen}");
    desk.size = (80, 24);
    desk.press("m");
    desk.shows("Map");
    desk.shows("! retry in ");
    desk.hides("The map waits");
    desk.answer(ticket, vectors(&request));
    desk.settle();
    desk.hides("! retry in ");
    // A map that is drawn lacks the third text.
    desk.size = (120, 36);
    desk.press("\u{1b}athree\n\n");
    desk.settle();
    let (ticket, request) = desk.run();
    desk.rate_limited(ticket);
    desk.size = (80, 24);
    desk.press("m");
    desk.shows("1 text not shown");
    desk.shows("! retry in ");
    desk.answer(ticket, vectors(&request));
    desk.settle();
    desk.hides("! retry in ");
    desk.press("\u{1b}sfour\n");
    desk.shows("embedding…");
    let (ticket, _) = desk.asked();
    desk.rate_limited(ticket);
    desk.hides("embedding…");
    desk.shows("! retry in 10 s: rate limit");
}

#[test]
fn a_server_that_never_answers_is_given_up_with_what_can_be_done() {
    let mut desk = Desk::new();
    desk.press("aone\ntwo\n\n");
    let (mut ticket, _) = desk.run();
    let mut why = offline();
    why.set_attempts(3);
    for seconds in [5, 10, 20, 40] {
        desk.fail(ticket, why.clone());
        desk.wait(Duration::from_millis(100));
        desk.shows(&format!("! retry in {seconds} s: no connection"));
        desk.hides("(tried");
        desk.wait(Duration::from_secs(seconds + 1));
        ticket = desk.sent().pop().expect("it tries again by itself").0;
    }
    desk.fail(ticket, why);
    desk.wait(Duration::from_mins(10));
    assert!(desk.sent().is_empty(), "it waits for the user");
    desk.shows("✕ no connection");
    desk.shows("d details · ^P profile");
    desk.hides("waiting for its vector");
    let (ticket, request) = desk.run();
    desk.answer(ticket, vectors(&request));
    desk.settle();
    desk.shows("2 texts embedded");
}

#[test]
fn a_run_that_is_given_up_without_a_connection_says_why_and_what_can_be_done() {
    let mut desk = Desk::new();
    desk.press("aone\ntwo\n\n");
    let (ticket, _) = desk.run();
    desk.fail(ticket, offline());
    desk.hides("^R send again");
    desk.press("\u{1b}");
    desk.shows("✕ no connection");
    desk.shows("^R send again · d details · ^P profile");
    desk.shows("stopped before a text was embedded");
    desk.press("d");
    desk.shows("Details of the failure");
}

#[test]
fn what_the_disk_refuses_is_offered_again() {
    let mut desk = Desk::new();
    desk.press("aone\ntwo\n\n");
    desk.settle();
    let (ticket, request) = desk.run();
    desk.writes = Writes::Refused;
    desk.answer(ticket, vectors(&request));
    desk.wait(Duration::from_secs(1));
    desk.shows("not saved: the disk is full");
    desk.writes = Writes::Done;
    desk.press("^r");
    assert!(desk.sent().is_empty(), "nothing is paid twice");
    desk.settle();
    desk.hides("not saved");
    let mut desk = desk.again();
    desk.press("^r");
    assert!(desk.sent().is_empty(), "it is there");
}

#[test]
fn a_run_goes_on_by_itself_after_the_disk_recovers() {
    let mut desk = Desk::new();
    desk.run_lines(700);
    let sent = desk.sent();
    assert_eq!(sent.len(), 4, "188 texts wait");
    desk.writes = Writes::Refused;
    desk.answer(sent[0].0, vectors(&sent[0].1));
    assert_eq!(desk.sent().len(), 1, "nobody knows yet what the disk says");
    desk.answer(sent[1].0, vectors(&sent[1].1));
    desk.wait(Duration::from_secs(1));
    assert!(desk.sent().is_empty(), "nothing more is asked for until the disk takes what came");
    desk.writes = Writes::Done;
    desk.wait(Duration::from_secs(1));
    let (_, request) = desk.sent().pop().expect("it goes on without a key");
    assert_eq!(texts(&request).len(), 700 - 5 * 128);
}

#[test]
fn a_run_that_is_resumed_while_the_disk_still_refuses_is_held_again() {
    let mut desk = Desk::new();
    desk.run_lines(900);
    let sent = desk.sent();
    desk.writes = Writes::Refused;
    desk.answer(sent[0].0, vectors(&sent[0].1));
    desk.wait(Duration::from_secs(1));
    desk.press("^r");
    let resumed = desk.sent();
    for (ticket, request) in sent[1..].iter().chain(&resumed) {
        desk.answer(*ticket, vectors(request));
    }
    desk.wait(Duration::from_secs(1));
    desk.sent();
    desk.shows("the results could not be saved");
}

#[test]
fn another_length_is_another_vector() {
    let mut desk = done((120, 36));
    desk.press("D256\n");
    desk.settle();
    desk.shows("~");
    let (ticket, request) = desk.run();
    assert_eq!((request.dimensions, texts(&request).len()), (Some(256), 8));
    desk.answer(ticket, vectors(&request));
    desk.settle();
    desk.shows("256 dims");
    desk.press("D");
    for _ in 0..3 {
        desk.code(crossterm::event::KeyCode::Backspace);
    }
    desk.press("\n");
    desk.settle();
    desk.shows("1,536 dims");
    assert!(desk.sent().is_empty(), "the first ones are still there");
    desk.press("D\t3\n");
    desk.settle();
    desk.shows("cut to 3 here");
}

#[test]
fn a_model_that_takes_no_length_is_not_asked_again_and_again() {
    let mut desk = Desk::new();
    desk.press("aone\ntwo\n\nD64\n");
    desk.settle();
    let (ticket, request) = desk.run();
    assert_eq!(request.dimensions, Some(64));
    desk.fail(
        ticket,
        refused("the server refused the request (400): This model does not support specifying dimensions."),
    );
    desk.settle();
    assert!(desk.sent().is_empty(), "no half of the texts would do better");
    desk.shows("does not support specifying dimensions");
    desk.press("\u{1b}D");
    for _ in 0..2 {
        desk.code(crossterm::event::KeyCode::Backspace);
    }
    desk.press("\n");
    desk.settle();
    let (ticket, request) = desk.run();
    assert_eq!(request.dimensions, None);
    desk.answer(ticket, vectors(&request));
    desk.settle();
    desk.shows("2 texts embedded");
}
