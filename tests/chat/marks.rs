//! Answers that are marked, what they should have been, and the rows that are made of them.

use benchtop::component::{Component, Effect, Offer, Response};
use benchtop::record::work::{Done, Work};
use benchtop::record::{Mark, Record};
use crossterm::event::KeyCode;

use crate::desk::{Desk, records};

/// Two prompts and their answers, at the transcript.
fn talked() -> Desk {
    let mut desk = Desk::new();
    desk.talk("How long do refunds take?", "About a week.");
    desk.talk("And abroad?", "I do not know.");
    desk.picture(80, 22);
    desk.key(KeyCode::Esc);
    desk
}

/// A key whose orders to keep something are carried out and whose questions are answered.
fn press(desk: &mut Desk, code: KeyCode) -> Vec<Effect> {
    let effects = desk.key(code);
    desk.commit(&effects);
    desk.look_up(&effects);
    effects
}

fn marks(effects: &[Effect]) -> Vec<Mark> {
    let mark = |(_, record): (_, &Record)| match record {
        Record::Mark(mark) => Some((**mark).clone()),
        _ => None,
    };
    records(effects).filter_map(mark).collect()
}

#[test]
fn an_answer_is_marked_and_the_mark_taken_back() {
    let mut desk = talked();
    let kept = marks(&press(&mut desk, KeyCode::Char('a')));
    assert_eq!(kept[0].ideal, None);
    assert!(desk.disk.iter().any(|turn| turn.id == kept[0].turn && turn.content == "I do not know."));
    assert!(desk.picture(80, 22).contains("✓ good"), "{}", desk.picture(80, 22));
    desk.restart();
    assert!(desk.picture(80, 22).contains("✓ good"), "it is there after a restart");
    desk.key(KeyCode::Esc);
    press(&mut desk, KeyCode::Char('a'));
    assert!(desk.marks.is_empty());
    assert!(!desk.picture(80, 22).contains("✓ good"));
    desk.text("kk");
    assert!(marks(&press(&mut desk, KeyCode::Char('a'))).is_empty(), "what somebody asked is no answer");
}

#[test]
fn the_ideal_answer_is_kept_beside_the_answer_that_came() {
    let mut desk = talked();
    press(&mut desk, KeyCode::Char('A'));
    for size in [(120, 36), (80, 22), (40, 11)] {
        insta::assert_snapshot!(format!("ideal_{}", size.0), desk.picture(size.0, size.1));
    }
    assert_eq!(desk.draft(), "I do not know.", "prefilled with the answer");
    desk.with(|chat, cx| chat.edited("Two weeks.", cx));
    let kept = marks(&press(&mut desk, KeyCode::Esc));
    assert_eq!(kept[0].ideal.as_ref().unwrap(), "Two weeks.");
    let picture = desk.picture(80, 22);
    assert!(picture.contains("✓ ideal") && picture.contains("I do not know."), "{picture}");
    // Its own words again: it is good as it is.
    press(&mut desk, KeyCode::Char('A'));
    assert_eq!(desk.draft(), "Two weeks.");
    desk.with(|chat, cx| chat.edited("I do not know.", cx));
    assert_eq!(marks(&press(&mut desk, KeyCode::Esc))[0].ideal, None);
}

#[test]
fn a_look_at_the_ideal_answer_marks_nothing() {
    let mut desk = talked();
    press(&mut desk, KeyCode::Char('A'));
    assert!(marks(&press(&mut desk, KeyCode::Esc)).is_empty());
    assert!(desk.marks.is_empty());
    assert!(!desk.picture(80, 22).contains("✓ good"), "{}", desk.picture(80, 22));
}

#[test]
fn an_ideal_answer_goes_only_when_that_was_said() {
    let mut desk = talked();
    press(&mut desk, KeyCode::Char('A'));
    desk.with(|chat, cx| chat.edited("Two weeks.", cx));
    press(&mut desk, KeyCode::Esc);
    press(&mut desk, KeyCode::Char('v'));
    press(&mut desk, KeyCode::Char('x'));
    press(&mut desk, KeyCode::Char('u'));
    assert_eq!(desk.marks.len(), 1);
    for size in [(80, 22), (40, 11)] {
        let picture = desk.picture(size.0, size.1);
        assert!(picture.contains("Unmark this answer?") && picture.contains("Two weeks."), "{picture}");
    }
    press(&mut desk, KeyCode::Enter);
    assert_eq!(desk.marks.len(), 1, "the focus is on Cancel");
    assert!(desk.picture(80, 22).contains("Marked answers"), "the page stays");
    press(&mut desk, KeyCode::Char('u'));
    press(&mut desk, KeyCode::Tab);
    press(&mut desk, KeyCode::Enter);
    assert!(desk.marks.is_empty());
}

#[test]
fn an_export_is_not_dropped_by_a_key_that_leaves_the_page() {
    let mut desk = talked();
    press(&mut desk, KeyCode::Char('a'));
    press(&mut desk, KeyCode::Char('v'));
    desk.text("E");
    desk.key(KeyCode::Enter);
    for code in [KeyCode::Char('v'), KeyCode::Char('q'), KeyCode::Enter] {
        let effects = desk.key(code);
        assert!(effects.iter().any(|effect| matches!(effect, Effect::Notify(_))), "{code:?}: {effects:?}");
        assert!(desk.picture(80, 22).contains("exporting"), "{code:?}: {}", desk.picture(80, 22));
    }
    desk.key(KeyCode::Esc);
    assert!(!desk.picture(80, 22).contains("exporting"));
    desk.key(KeyCode::Char('q'));
    assert!(!desk.picture(80, 22).contains("Marked answers"));
}

#[test]
fn the_footer_says_what_esc_takes_away() {
    let mut desk = talked();
    press(&mut desk, KeyCode::Char('a'));
    press(&mut desk, KeyCode::Char('v'));
    assert_eq!(desk.chat.escape(), Some("close"));
    desk.text("/know");
    assert_eq!(desk.chat.escape(), Some("clear filter"));
    desk.key(KeyCode::Enter);
    assert_eq!(desk.chat.escape(), Some("clear filter"));
    desk.text("E");
    desk.key(KeyCode::Enter);
    assert_eq!(desk.chat.escape(), Some("stop"), "an export is under way");
    desk.key(KeyCode::Esc);
    assert_eq!(desk.chat.escape(), Some("clear filter"));
    desk.key(KeyCode::Esc);
    assert_eq!(desk.chat.escape(), Some("close"));
    assert!(desk.picture(80, 22).contains("Marked answers"), "the page stays");
    desk.key(KeyCode::Esc);
    assert!(!desk.picture(80, 22).contains("Marked answers"));
}

#[test]
fn marked_answers_become_rows_and_the_file_is_handed_on() {
    let mut desk = talked();
    press(&mut desk, KeyCode::Char('a'));
    desk.text("kkk");
    press(&mut desk, KeyCode::Char('A'));
    desk.with(|chat, cx| chat.edited("Three days.", cx));
    press(&mut desk, KeyCode::Esc);
    press(&mut desk, KeyCode::Char('v'));
    for size in [(120, 36), (80, 22), (40, 11)] {
        insta::assert_snapshot!(format!("marks_{}", size.0), desk.picture(size.0, size.1));
    }
    desk.text("E");
    for size in [(120, 36), (80, 22), (40, 11)] {
        insta::assert_snapshot!(format!("export_{}", size.0), desk.picture(size.0, size.1));
    }
    let begun = desk.key(KeyCode::Enter);
    let (ticket, text) = desk.saved(&begun);
    let rows: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 2, "{text}");
    let said = |row: &serde_json::Value| -> Vec<String> {
        row["messages"].as_array().unwrap().iter().map(|said| said["content"].as_str().unwrap().to_owned()).collect()
    };
    let long = rows.iter().find(|row| said(row).len() == 4).unwrap();
    // The branch as it was said; only the marked answer itself is the ideal one.
    assert_eq!(said(long), ["How long do refunds take?", "About a week.", "And abroad?", "I do not know."]);
    let short = rows.iter().find(|row| said(row).len() == 2).unwrap();
    assert_eq!(said(short), ["How long do refunds take?", "Three days."]);
    let done =
        desk.with(|chat, cx| chat.reply(ticket, &mut Response::Work(Done::Saved("/tmp/chats.jsonl".into())), cx));
    assert!(done.iter().any(|effect| *effect == Effect::Offer(Offer::Local("/tmp/chats.jsonl".into()))), "{done:?}");
    // The other form.
    desk.text("E");
    desk.key(KeyCode::Tab);
    let begun = desk.key(KeyCode::Enter);
    let (_, text) = desk.saved(&begun);
    assert!(text.contains(r#"{"completion":" Three days.\n","prompt":"How long do refunds take? ->"}"#), "{text}");
    // One is taken back.
    press(&mut desk, KeyCode::Char('u'));
    assert_eq!(desk.marks.len(), 1);
    // The other is shown where it stands.
    press(&mut desk, KeyCode::Enter);
    assert!(!desk.picture(80, 22).contains("Marked answers"));
}

#[test]
fn ten_thousand_marks_are_searched_and_drawn_within_a_frame() {
    let mut desk = talked();
    press(&mut desk, KeyCode::Char('a'));
    let one = desk.marks.values().next().unwrap().clone();
    desk.many = 10_000;
    press(&mut desk, KeyCode::Char('v'));
    assert!(desk.picture(120, 36).contains("1 of 10,000"), "{}", desk.picture(120, 36));
    desk.text("/9,4321");
    assert!(desk.picture(120, 36).contains("1 of 1 "), "{}", desk.picture(120, 36));
    assert_eq!(one.ideal, None);
}

/// What is written, and the ticket.
pub fn work(effects: &[Effect]) -> Option<(benchtop::api::call::Ticket, String)> {
    effects.iter().find_map(|effect| match effect {
        Effect::Work(ticket, Work::Save { text, .. }) => Some((*ticket, text.raw().to_owned())),
        _ => None,
    })
}
