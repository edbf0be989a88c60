//! Answers that are marked, what they should have been, and the rows that are made of them.

use benchtop::api::call::Ticket;
use benchtop::app::Event;
use benchtop::component::{Component, Effect, Offer};
use benchtop::record::work::{Done, Work};
use benchtop::record::{Mark, Marked, Query, Record, Rows, Stored};
use crossterm::event::KeyCode;

use crate::desk::{Desk, records};

/// Creates a conversation of two prompts with answers, with the transcript focused.
fn talked() -> Desk {
    let mut desk = Desk::new();
    desk.talk("How long do refunds take?", "About a week.");
    desk.talk("And abroad?", "I do not know.");
    desk.view(80, 22);
    desk.press("\u{1b}");
    desk
}

fn marks(effects: &[Effect]) -> Vec<Mark> {
    let mark = |record| if let Record::Mark(mark) = record { Some(*mark) } else { None };
    records(effects).into_iter().filter_map(mark).collect()
}

#[test]
fn an_answer_is_marked_and_the_mark_taken_back() {
    let mut desk = talked();
    let kept = marks(&desk.press("a"));
    assert_eq!(kept[0].ideal, None);
    assert!(desk.disk.turns().iter().any(|turn| turn.id == kept[0].turn && turn.content == "I do not know."));
    assert!(desk.view(80, 22).contains("✓ good"), "{}", desk.view(80, 22));
    desk.restart();
    assert!(desk.view(80, 22).contains("✓ good"), "it is there after a restart");
    desk.press("\u{1b}");
    desk.press("a");
    assert!(desk.disk.marks().is_empty());
    assert!(!desk.view(80, 22).contains("✓ good"));
    desk.press("kk");
    assert!(marks(&desk.press("a")).is_empty(), "what somebody asked is no answer");
}

#[test]
fn the_ideal_answer_is_kept_beside_the_answer_that_came() {
    let mut desk = talked();
    desk.press("A");
    for size in [(120, 36), (80, 22), (40, 11)] {
        insta::assert_snapshot!(format!("ideal_{}", size.0), desk.view(size.0, size.1));
    }
    assert_eq!(desk.draft(), "I do not know.", "prefilled with the answer");
    desk.with(|chat, cx| chat.edited("Two weeks.", cx));
    let kept = marks(&desk.press("\u{1b}"));
    assert_eq!(kept[0].ideal.as_ref().unwrap(), "Two weeks.");
    let picture = desk.view(80, 22);
    assert!(picture.contains("✓ ideal") && picture.contains("I do not know."), "{picture}");
    // Its own words again: it is good as it is.
    desk.press("A");
    assert_eq!(desk.draft(), "Two weeks.");
    desk.with(|chat, cx| chat.edited("I do not know.", cx));
    assert_eq!(marks(&desk.press("\u{1b}"))[0].ideal, None);
}

#[test]
fn a_look_at_the_ideal_answer_marks_nothing() {
    let mut desk = talked();
    desk.press("A");
    assert!(marks(&desk.press("\u{1b}")).is_empty());
    assert!(desk.disk.marks().is_empty());
    assert!(!desk.view(80, 22).contains("✓ good"), "{}", desk.view(80, 22));
}

#[test]
fn an_ideal_answer_goes_only_when_that_was_said() {
    let mut desk = talked();
    desk.press("A");
    desk.with(|chat, cx| chat.edited("Two weeks.", cx));
    desk.press("\u{1b}");
    desk.press("v");
    desk.press("x");
    desk.press("u");
    assert_eq!(desk.disk.marks().len(), 1);
    for size in [(80, 22), (40, 11)] {
        let picture = desk.view(size.0, size.1);
        assert!(picture.contains("Unmark this answer?") && picture.contains("Two weeks."), "{picture}");
    }
    desk.press("\n");
    assert_eq!(desk.disk.marks().len(), 1, "the focus is on Cancel");
    assert!(desk.view(80, 22).contains("Marked answers"), "the page stays");
    desk.press("u");
    desk.press("\t");
    desk.press("\n");
    assert!(desk.disk.marks().is_empty());
}

#[test]
fn an_export_is_not_dropped_by_a_key_that_leaves_the_page() {
    let mut desk = talked();
    desk.press("a");
    desk.press("v");
    desk.press("E");
    desk.holds = |effect| matches!(effect, Effect::Load(..));
    desk.press("\n");
    for code in [KeyCode::Char('v'), KeyCode::Char('q'), KeyCode::Enter] {
        let effects = desk.code(code);
        assert!(effects.iter().any(|effect| matches!(effect, Effect::Notify(_))), "{code:?}: {effects:?}");
        assert!(desk.view(80, 22).contains("exporting"), "{code:?}: {}", desk.view(80, 22));
    }
    desk.press("\u{1b}");
    assert!(!desk.view(80, 22).contains("exporting"));
    desk.press("q");
    assert!(!desk.view(80, 22).contains("Marked answers"));
}

#[test]
fn the_footer_says_what_esc_takes_away() {
    let mut desk = talked();
    desk.press("a");
    desk.press("v");
    assert_eq!(desk.app.tab.escape(), Some("close"));
    desk.press("/know");
    assert!(desk.view(80, 22).contains("1 found"), "{}", desk.view(80, 22));
    assert_eq!(desk.app.tab.escape(), Some("clear filter"));
    desk.press("\n");
    assert_eq!(desk.app.tab.escape(), Some("clear filter"));
    desk.press("E");
    desk.holds = |effect| matches!(effect, Effect::Load(..));
    desk.press("\n");
    assert_eq!(desk.app.tab.escape(), Some("stop"), "an export is under way");
    desk.press("\u{1b}");
    assert_eq!(desk.app.tab.escape(), Some("clear filter"));
    desk.press("\u{1b}");
    assert_eq!(desk.app.tab.escape(), Some("close"));
    assert!(desk.view(80, 22).contains("Marked answers"), "the page stays");
    desk.press("\u{1b}");
    assert!(!desk.view(80, 22).contains("Marked answers"));
}

#[test]
fn the_arrows_move_through_the_answers_while_words_are_typed() {
    let mut desk = talked();
    desk.press("a");
    desk.press("kkk");
    desk.press("a");
    assert_eq!(desk.disk.marks().len(), 2);
    desk.press("v");
    desk.press("/o");
    let selected = |desk: &mut Desk| -> Vec<String> {
        desk.view(80, 22).lines().filter(|line| line.contains('▌')).map(str::to_owned).collect()
    };
    let first = selected(&mut desk);
    desk.code(KeyCode::Down);
    assert_ne!(selected(&mut desk), first, "{}", desk.view(80, 22));
    desk.code(KeyCode::Up);
    assert_eq!(selected(&mut desk), first);
}

#[test]
fn marked_answers_become_rows_and_the_file_is_handed_on() {
    let mut desk = talked();
    desk.press("a");
    desk.press("kkk");
    desk.press("A");
    desk.with(|chat, cx| chat.edited("Three days.", cx));
    desk.press("\u{1b}");
    desk.press("v");
    for size in [(120, 36), (80, 22), (40, 11)] {
        insta::assert_snapshot!(format!("marks_{}", size.0), desk.view(size.0, size.1));
    }
    desk.press("E");
    for size in [(120, 36), (80, 22), (40, 11)] {
        insta::assert_snapshot!(format!("export_{}", size.0), desk.view(size.0, size.1));
    }
    desk.holds = |effect| matches!(effect, Effect::Work(..));
    let (ticket, text) = work(&desk.press("\n"));
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
    let done = desk.event(Event::Worked(ticket, Done::Saved("/tmp/chats.jsonl".into())));
    assert!(done.iter().any(|effect| *effect == Effect::Offer(Offer::Local("/tmp/chats.jsonl".into()))), "{done:?}");
    // The other form.
    desk.press("E");
    desk.press("⇤");
    let (_, text) = work(&desk.press("\n"));
    assert!(text.contains(r#"{"completion":" Three days.\n","prompt":"How long do refunds take? ->"}"#), "{text}");
    // One is taken back.
    desk.press("u");
    assert_eq!(desk.disk.marks().len(), 1);
    // The other is shown where it stands.
    desk.press("\n");
    assert!(!desk.view(80, 22).contains("Marked answers"));
}

#[test]
fn ten_thousand_marks_are_searched_and_drawn_within_a_frame() {
    let mut desk = talked();
    desk.press("a");
    let one = desk.disk.marks().remove(0);
    assert_eq!(one.mark.ideal, None);
    let many: Vec<Marked> =
        (0..10_000).map(|n| Marked { text: format!("answer 9,{n}").into(), ..one.clone() }).collect();
    desk.answers =
        Box::new(move |query| matches!(query, Query::Marks).then(|| Stored::Rows(Rows::Marked(many.clone()))));
    desk.press("v");
    assert!(desk.view(120, 36).contains("1 of 10,000"), "{}", desk.view(120, 36));
    desk.press("/9,4321");
    assert!(desk.view(120, 36).contains("1 of 1 "), "{}", desk.view(120, 36));
}

/// Returns the text that is written to a file, and the ticket.
fn work(effects: &[Effect]) -> (Ticket, String) {
    let work = effects.iter().find_map(|effect| match effect {
        Effect::Work(ticket, Work::Save { text, .. }) => Some((*ticket, text.raw().to_owned())),
        _ => None,
    });
    work.expect("a file is written")
}
