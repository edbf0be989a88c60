//! Writing and running: what is sent, what comes, how it ends.

use std::time::Duration;

use benchtop::api::call::{Failure, FailureKind, Progress};
use benchtop::app::Effect;
use benchtop::record::{Record, TurnStatus};
use crossterm::event::{KeyCode, KeyModifiers};

use crate::desk::{Desk, Writes, prompt, records};
use crate::replies::{cut, end, offline, refused, text, usage};

#[test]
fn an_empty_text_offers_an_example() {
    let mut desk = Desk::new();
    desk.shows("Say this is a test");
    desk.press("\n");
    assert_eq!(desk.text(), "Say this is a test");
    let (_, request) = desk.run();
    assert_eq!((prompt(&request), request.max_tokens, request.temperature), ("Say this is a test", Some(7), Some(0.0)));
}

#[test]
fn a_text_that_was_deleted_leaves_the_example_again() {
    let mut desk = Desk::new();
    desk.press("ab");
    desk.hides("load this example");
    desk.press("^xa^xx");
    desk.shows("Write the beginning of a text");
    desk.press("\n");
    assert_eq!(desk.text(), "Say this is a test");
    desk.press("u");
    desk.shows("load this example");
    // What is told of a run stays.
    let ticket = desk.ask("iOnce ");
    desk.answer_with(ticket, [text("upon a"), text(" time,"), end(0, "stop"), usage(7, 4)]);
    desk.press("i^xa^xx");
    desk.hides("load this example");
    desk.shows("tok/s");
}

#[test]
fn a_prompt_is_on_disk_before_it_is_sent() {
    let mut desk = Desk::new();
    desk.writes = Writes::Waiting;
    desk.press("Once ^r");
    desk.wait(Duration::from_secs(5));
    let kept = records(&desk.effects);
    assert!(kept.iter().any(|record| matches!(record, Record::Step(step) if step.inserted == "Once ")), "{kept:?}");
    assert!(kept.iter().any(|record| matches!(record, Record::Run(run) if run.excerpt == "Once ")), "{kept:?}");
    assert_eq!(desk.sent(), [], "nothing is sent before");
    desk.writes = Writes::Done;
    desk.release();
    let (_, request) = desk.asked();
    assert_eq!((prompt(&request), &request.suffix), ("Once ", &None));
}

#[test]
fn a_prompt_that_cannot_be_kept_is_not_sent() {
    let mut desk = Desk::new();
    desk.writes = Writes::Refused;
    desk.press("Once ^r");
    assert_eq!(desk.sent(), []);
    desk.shows("not sent");
    desk.shows("✕ not saved: the disk is full");
    assert_eq!(desk.text(), "Once ");
    desk.writes = Writes::Done;
    // The store leaves a full disk alone for a second.
    desk.wait(Duration::from_secs(1));
    desk.shows("saved ✓");
    let (_, request) = desk.run();
    assert_eq!(prompt(&request), "Once ");
}

#[test]
fn text_streams_in_at_the_caret_and_what_follows_is_the_suffix() {
    let mut desk = Desk::new();
    desk.press("Once  the end.");
    for _ in 0.." the end.".len() {
        desk.code(KeyCode::Left);
    }
    let (ticket, request) = desk.run();
    assert_eq!((prompt(&request), request.suffix.as_deref()), ("Once ", Some(" the end.")));
    assert_eq!((request.model.as_str(), request.stream), ("text-davinci-003", Some(true)));
    for (piece, whole) in [("upon a", "Once upon a the end."), (" time,", "Once upon a time, the end.")] {
        desk.progress(ticket, text(piece));
        assert_eq!(desk.text(), whole);
        desk.shows(whole.split(" the").next().unwrap());
    }
    desk.shows("esc stop");
    desk.answer_with(ticket, [end(0, "stop"), usage(7, 4)]);
    desk.shows("tok/s   stop");
    desk.settle();
    desk.shows("saved ✓");
    assert_eq!(desk.text(), "Once upon a time, the end.");
    // What is typed next goes where the model ended.
    desk.press("i and");
    assert_eq!(desk.text(), "Once upon a time, and the end.");
    assert_eq!(desk.disk.runs()[0].status, TurnStatus::Done);
}

#[test]
fn esc_stops_and_keeps_and_what_comes_late_changes_nothing() {
    let mut desk = Desk::new();
    let ticket = desk.ask("Count: ");
    desk.progress(ticket, text("one, two,"));
    desk.press("\u{1b}");
    assert!(desk.news().contains(&Effect::Cancel(ticket)));
    desk.shows("■ stopped after");
    let before = desk.screen();
    for late in [text(" three"), end(0, "stop"), Progress::Closed(Err(cut())), Progress::Closed(Ok(()))] {
        desk.progress(ticket, late);
    }
    assert_eq!(desk.text(), "Count: one, two,");
    assert_eq!(desk.screen(), before);
    desk.settle();
    let (_, steps) = desk.disk.sheet();
    let last = steps.last().unwrap();
    assert_eq!((last.inserted.raw(), last.status), ("one, two,", TurnStatus::Stopped));
}

#[test]
fn a_run_stopped_before_any_text_says_so() {
    let mut desk = Desk::new();
    desk.ask("Count: ");
    desk.shows("waiting");
    desk.press("\u{1b}");
    desk.shows("■ stopped before any text");
    assert_eq!(desk.text(), "Count: ");
}

#[test]
fn what_was_cut_off_is_kept_and_goes_on() {
    let mut desk = Desk::new();
    let ticket = desk.ask("Once ");
    desk.progress(ticket, text("upon"));
    desk.fail(ticket, cut());
    desk.shows("✕ cut off (connection reset)");
    assert_eq!(desk.text(), "Once upon");
    assert_eq!(desk.sent(), [], "it is not asked again by itself");
    let (_, request) = desk.run();
    assert_eq!(prompt(&request), "Once upon");
}

#[test]
fn a_refusal_stands_under_the_text_and_at_its_field() {
    let mut desk = Desk::new();
    desk.press("Once ");
    desk.set("Best of", "20");
    let (ticket, _) = desk.run();
    let body = r#"{"error":{"message":"20 is greater than the maximum of 4 - 'best_of'","type":"invalid_request_error","param":null,"code":null}}"#;
    desk.fail(ticket, refused(400, "the server refused the request (400): 20 is greater than the maximum of 4", body));
    desk.shows("┃ the server refused the request (400)");
    desk.shows("your text is kept");
    assert_eq!(desk.text(), "Once ");
    desk.press("d");
    desk.shows("What the server said");
    desk.press("\u{1b}s");
    desk.shows("▌• Best of");
    let screen = desk.screen();
    let said = screen.lines().filter_map(|line| line.rsplit('│').next()).collect::<Vec<_>>().join(" ");
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("the server refuses best_of 20: 20 is greater than the maximum of 4"), "{words}");
}

#[test]
fn a_countdown_is_ended_or_given_up() {
    let mut desk = Desk::new();
    let ticket = desk.ask("Once ");
    let why = Failure { status: Some(429), ..Failure::new(FailureKind::RateLimit, "the server asks to wait 9 s") };
    let at = desk.now + Duration::from_secs(9);
    desk.progress(ticket, Progress::Retrying { attempt: 2, of: 3, at, why });
    desk.shows("attempt 2 of 3 in  9 s");
    desk.shows("⏎ try now");
    desk.wait(Duration::from_secs(4));
    desk.shows("attempt 2 of 3 in  5 s");
    desk.press("\n");
    assert!(desk.news().contains(&Effect::RetryNow(ticket)));
    desk.press("\u{1b}");
    assert!(desk.news().contains(&Effect::Cancel(ticket)));
    desk.shows("given up: the server asks to wait 9 s");
    assert_eq!(desk.text(), "Once ");
}

#[test]
fn no_connection_is_said_and_the_text_is_kept() {
    let mut desk = Desk::new();
    let ticket = desk.ask("Once ");
    desk.fail(ticket, offline());
    desk.shows("┃ no connection to 127.0.0.1:9");
    desk.shows("offline");
    assert_eq!(desk.text(), "Once ");
}

#[test]
fn a_long_paste_goes_out_as_it_came() {
    let mut desk = Desk::new();
    let pasted = (0..3000).map(|n| format!("line {n} — ünïcode\t👩‍👩‍👧")).collect::<Vec<_>>().join("\n");
    desk.press("A ");
    // Newlines arrive from a terminal as carriage returns.
    desk.paste(&pasted.replace('\n', "\r"));
    desk.set("Max tokens", "0");
    // Longer than any model reads: of this one nobody knows how much that is.
    desk.press("^pmodel: choose\nllama\n");
    let whole = format!("A {pasted}");
    assert_eq!(desk.text(), whole);
    let (_, request) = desk.run();
    assert_eq!(prompt(&request), whole);
}

#[test]
fn nothing_is_pasted_or_typed_into_a_run() {
    let mut desk = Desk::new();
    let ticket = desk.ask("Once ");
    desk.progress(ticket, text("upon"));
    desk.paste("a\nb");
    desk.shows("a run is under way");
    desk.press("ix");
    desk.shows("esc stops it");
    desk.answer_with(ticket, [text(" a time")]);
    assert_eq!(desk.text(), "Once upon a time");
}

#[test]
fn a_second_run_is_not_begun() {
    let mut desk = Desk::new();
    desk.ask("Once ");
    desk.press("^r^r");
    assert_eq!(desk.sent(), []);
    desk.shows("a run is under way");
}

#[test]
fn what_is_selected_while_writing_is_copied_and_cut() {
    let mut desk = Desk::new();
    desk.press("one two");
    desk.key(KeyCode::Left, KeyModifiers::SHIFT | KeyModifiers::CONTROL);
    let copied = desk.press("^xc");
    assert!(copied.contains(&Effect::Copy("two".into())), "{copied:?}");
    let cut = desk.press("^xx");
    assert!(cut.contains(&Effect::Copy("two".into())), "{cut:?}");
    assert_eq!(desk.text(), "one ");
    desk.press("^xa^xx");
    assert_eq!(desk.text(), "");
    desk.press("^xu^xu");
    assert_eq!(desk.text(), "one two");
}
