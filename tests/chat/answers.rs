//! Answers: asked for once the prompt is on disk, kept as they come, stopped, continued, several at once.

use std::time::Duration;

use benchtop::api::call::Progress;
use benchtop::component::{Component, Effect};
use benchtop::record::{Record, TurnStatus};
use benchtop::tabs::Tab;
use benchtop::tabs::activity::ActivityOutcome;
use crossterm::event::KeyCode;

use crate::desk::{Desk, Writes, call, chunk, failure, part, records, retrying, turns};

#[test]
fn a_prompt_is_sent_once_it_is_on_disk() {
    let mut desk = Desk::new();
    desk.press("hi");
    desk.writes = Writes::Waiting;
    let kept = desk.press("\n");
    assert_eq!(call(&kept), None, "not before it is kept");
    let [turn] = &turns(&kept)[..] else { panic!("{kept:?}") };
    assert_eq!((turn.role.raw(), turn.content.raw()), ("user", "hi"));
    assert_eq!(desk.draft(), "");
    let sent = desk.release();
    let (_, request) = call(&sent).unwrap();
    assert_eq!((request.messages.len(), request.messages[0].content.raw()), (1, "hi"));
    assert_eq!(turns(&sent)[0].status, TurnStatus::Streaming);
}

#[test]
fn a_prompt_that_cannot_be_kept_is_not_sent_and_comes_back() {
    let mut desk = Desk::new();
    desk.press("hi");
    desk.writes = Writes::Waiting;
    desk.press("\n");
    assert_eq!(call(&desk.put_off("disk full")), None);
    desk.writes = Writes::Done;
    assert_eq!(desk.draft(), "hi");
    assert!(desk.view(80, 22).contains("✕ not saved: disk full"));
    desk.press("!");
    desk.now += Duration::from_secs(1);
    desk.with(Component::tick);
    assert!(desk.view(80, 22).contains("✕ not saved: disk full"), "it stays");
}

#[test]
fn enter_while_an_answer_streams_queues_nothing() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    desk.progress(ticket, chunk("Hello"));
    desk.press("next");
    let effects = desk.press("\n");
    assert!(turns(&effects).is_empty() && call(&effects).is_none());
    assert_eq!(desk.draft(), "next");
    assert_eq!(desk.app.tab.escape(), Some("stop"));
}

#[test]
fn enter_in_an_empty_box_says_that_a_message_is_written_first() {
    let mut desk = Desk::new();
    desk.talk("hi", "Hello");
    for text in ["", "  "] {
        desk.press(text);
        let effects = desk.press("\n");
        let said =
            |effect: &Effect| matches!(effect, Effect::Notify(notice) if notice.text == "Write a message first.");
        assert!(effects.iter().any(said), "{effects:?}");
        assert!(turns(&effects).is_empty() && call(&effects).is_none());
    }
}

#[test]
fn stopping_keeps_the_text_and_late_progress_is_ignored() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    desk.progress(ticket, chunk("Hello"));
    let effects = desk.press("\u{1b}");
    assert!(effects.contains(&Effect::Cancel(ticket)));
    let last = turns(&effects).pop().unwrap();
    assert_eq!((last.content.raw(), last.status), ("Hello", TurnStatus::Stopped));
    assert_eq!(desk.progress(ticket, chunk(" late")), []);
    assert!(desk.view(80, 22).contains("■ stopped after"));
}

#[test]
fn a_stopped_answer_goes_on_in_a_new_one_that_begins_with_its_text() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    desk.progress(ticket, chunk("Hello"));
    desk.writes = Writes::Waiting;
    let stopped = turns(&desk.press("\u{1b}")).pop().unwrap();
    desk.press("\u{1b}");
    assert!(call(&desk.press("c")).is_none(), "not before what it begins with is on disk");
    let effects = desk.release();
    let (_, request) = call(&effects).unwrap();
    let last = request.messages.last().unwrap();
    assert_eq!((last.role.as_str(), last.content.raw()), ("assistant", "Hello"));
    let new = turns(&effects).pop().unwrap();
    assert_eq!((new.parent, new.content.raw()), (stopped.parent, "Hello"));
    assert_ne!(new.id, stopped.id);
}

#[test]
fn text_is_kept_every_second() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    assert!(records(&desk.progress(ticket, chunk("a"))).is_empty());
    assert!(desk.view(80, 22).contains("saving…"), "not given to the store is not saved");
    desk.now += Duration::from_millis(1001);
    let effects = desk.progress(ticket, chunk("b"));
    let kept = records(&effects);
    let [Record::Extend { content_at: 0, content, .. }] = &kept[..] else { panic!("{kept:?}") };
    assert_eq!(content, "ab");
    assert!(desk.view(80, 22).contains("saved ✓"));
}

#[test]
fn leaving_a_conversation_does_not_stop_its_answer() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    desk.progress(ticket, chunk("Hello"));
    desk.press("\t");
    let left = desk.press("n");
    assert!(!left.contains(&Effect::Cancel(ticket)));
    assert!(desk.view(120, 34).contains('●'), "the list shows it");
    desk.progress(ticket, chunk(" you"));
    let last = turns(&desk.progress(ticket, Progress::Closed(Ok(())))).pop().unwrap();
    assert_eq!((last.content.raw(), last.status), ("Hello you", TurnStatus::Done));
}

#[test]
fn a_countdown_is_ended_or_given_up() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    let again = retrying(desk.now);
    desk.progress(ticket, again);
    assert!(desk.press("\n").contains(&Effect::RetryNow(ticket)));
    let given_up = desk.with(|chat, cx| assert!(chat.interrupt(cx), "Ctrl+C stops a countdown too"));
    assert!(given_up.contains(&Effect::Cancel(ticket)));
    assert_eq!(desk.draft(), "hi", "the prompt is back");
}

#[test]
fn an_edit_that_is_given_up_keeps_what_was_changed() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    desk.progress(ticket, chunk("Hello"));
    desk.progress(ticket, Progress::Closed(Ok(())));
    desk.view(80, 22);
    desk.press("\u{1b}");
    for c in ['k', 'k', 'e'] {
        desk.code(KeyCode::Char(c));
    }
    assert_eq!(desk.draft(), "hi");
    desk.press(" there");
    desk.press("\u{1b}");
    assert_eq!(desk.draft(), "hi there");
    assert_eq!(desk.front(), "Transcript", "where it was begun");
    desk.press("u");
    assert_eq!(desk.draft(), "hi there", "letters are keys again");
}

#[test]
fn an_edit_of_a_prompt_that_came_back_is_ended_in_the_message_box() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    let again = retrying(desk.now);
    desk.progress(ticket, again);
    desk.press("\u{1b}");
    assert_eq!((desk.draft().as_str(), desk.front()), ("hi", "Message"), "given up");
    assert_eq!(desk.app.tab.escape(), Some("stop editing"));
    desk.press("!");
    desk.press("\u{1b}");
    assert_eq!(desk.front(), "Message", "where it was begun");
    desk.press("u");
    assert_eq!(desk.draft(), "hi!u", "letters are still text");
}

#[test]
fn several_choices_are_switched_and_shown_side_by_side() {
    let mut desk = Desk::new();
    desk.press("\u{1b}");
    for c in ['t', 'j', 'j', 'j', 'l', 'l'] {
        desk.code(KeyCode::Char(c));
    }
    desk.press("\u{1b}");
    desk.press("i");
    desk.press("hi");
    let sent = desk.press("\n");
    let (ticket, request) = call(&sent).unwrap();
    assert_eq!(request.n, Some(3));
    for (index, text) in ["Alpha", "Bravo", "Charlie"].iter().enumerate() {
        desk.progress(ticket, part(index as u32, text, ""));
    }
    let done = turns(&desk.progress(ticket, Progress::Closed(Ok(()))));
    assert_eq!(done.iter().map(|turn| turn.content.raw()).collect::<Vec<_>>(), ["Alpha", "Bravo", "Charlie"]);
    assert!(done.iter().all(|turn| turn.parent == done[0].parent), "choices are versions of one another");
    let picture = desk.view(100, 22);
    assert!(picture.contains("Alpha") && picture.contains("‹1/3›"), "{picture}");
    desk.press("\u{1b}");
    desk.press(">");
    let picture = desk.view(100, 22);
    assert!(picture.contains("Bravo") && picture.contains("‹2/3›") && !picture.contains("Alpha"), "{picture}");
    desk.press("D");
    let picture = desk.view(100, 22);
    for text in ["1 of 3", "▸ 2 of 3", "3 of 3", "Alpha", "Bravo", "Charlie"] {
        assert!(picture.contains(text), "{text} in {picture}");
    }
    desk.press(">");
    assert!(desk.view(100, 22).contains("▸ 3 of 3"));
    // Another conversation has no such versions.
    desk.press("n");
    assert!(desk.view(100, 22).contains("New conversation"));
}

#[test]
fn versions_longer_than_the_screen_scroll() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    let long: Vec<String> = (1..=60).map(|line| format!("row {line}")).collect();
    desk.progress(ticket, chunk(&long.join("\n")));
    desk.progress(ticket, Progress::Closed(Ok(())));
    desk.press("\u{1b}");
    let again = desk.press("r");
    let ticket = call(&again).unwrap().0;
    desk.progress(ticket, chunk("short"));
    desk.progress(ticket, Progress::Closed(Ok(())));
    desk.press("D");
    let picture = desk.view(100, 22);
    assert!(picture.contains("row 1 ") && picture.contains("more") && picture.contains("short"), "{picture}");
    desk.press("G");
    let picture = desk.view(100, 22);
    assert!(picture.contains("row 60") && !picture.contains("more"), "{picture}");
}

#[test]
fn reasoning_is_folded_and_grows_in_view_once_unfolded() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    desk.progress(ticket, part(0, "", "First I look"));
    let picture = desk.view(80, 22);
    assert!(picture.contains("▸ reasoning · ~3 tok · o show") && !picture.contains("First I look"), "{picture}");
    desk.press("\t");
    desk.press("o");
    assert!(desk.view(80, 22).contains("First I look"));
    desk.progress(ticket, part(0, "", " and then I leap"));
    desk.progress(ticket, part(0, "Done.", ""));
    let picture = desk.view(80, 22);
    let at = |text: &str| picture.find(text).unwrap_or_else(|| panic!("{text} in {picture}"));
    assert!(at("gpt-3.5-turbo") < at("▾ reasoning") && at("▾ reasoning") < at("First I look and then I leap"));
    assert!(at("and then I leap") < at("Done."));
}

#[test]
fn a_conversation_is_renamed_trashed_brought_back_and_deleted_for_good() {
    let mut desk = Desk::new();
    let ticket = desk.ask("hi");
    desk.progress(ticket, chunk("Hello"));
    desk.progress(ticket, Progress::Closed(Ok(())));
    desk.view(120, 34);
    for code in [KeyCode::Tab, KeyCode::Tab, KeyCode::Char('e')] {
        desk.code(code);
    }
    desk.press(" there");
    desk.press("\n");
    assert!(desk.view(120, 34).contains("hi there"));
    let trashed = desk.press("x");
    assert!(trashed.iter().any(|effect| matches!(effect, Effect::Save(_, Record::Trashed { at_ms: Some(_), .. }))));
    let picture = desk.view(120, 34);
    assert!(picture.contains("Trash (1)") && picture.contains("New conversation"), "{picture}");
    let back = desk.press("u");
    assert!(back.iter().any(|effect| matches!(effect, Effect::Save(_, Record::Trashed { at_ms: None, .. }))));
    let picture = desk.view(120, 34);
    assert!(picture.contains("hi there") && !picture.contains("Trash"), "{picture}");
    for c in ['g', 'x', 'G'] {
        desk.code(KeyCode::Char(c));
    }
    desk.press("\n");
    desk.view(120, 34);
    desk.press("G");
    desk.press("X");
    assert!(desk.view(120, 34).contains("Delete for good?"));
    let kept = desk.press("\n");
    assert!(records(&kept).is_empty(), "the first button cancels");
    desk.press("X");
    desk.press("\t");
    let purged = desk.press("\n");
    assert!(records(&purged).iter().any(|record| matches!(record, Record::Purge(_))), "{purged:?}");
    let picture = desk.view(120, 34);
    assert!(!picture.contains("hi there") && !picture.contains("Trash"), "{picture}");
}

#[test]
fn one_goes_back_to_the_branch_one_saw_and_forth_again() {
    let mut desk = Desk::new();
    desk.talk("first", "answer one");
    desk.view(100, 22);
    desk.press("\u{1b}");
    let again = desk.press("r");
    let ticket = call(&again).unwrap().0;
    for progress in [chunk("answer two"), Progress::Closed(Ok(()))] {
        desk.progress(ticket, progress);
    }
    desk.view(100, 22);
    desk.press("<i");
    desk.unix_ms += 1000;
    desk.talk("follow-up", "more");
    assert!(desk.view(100, 22).contains("answer one"));
    // Another version of the first prompt, and back.
    desk.press("\u{1b}");
    for _ in 0..4 {
        desk.press("k");
        desk.view(100, 22);
    }
    desk.press("e");
    desk.unix_ms += 1000;
    desk.talk(" changed", "answer three");
    desk.press("\u{1b}");
    desk.view(100, 22);
    desk.press("kk<");
    let back = desk.view(100, 22);
    assert!(back.contains("answer one") && back.contains("follow-up"), "{back}");
    desk.press(">");
    assert!(desk.view(100, 22).contains("answer three"), "the selection stays on the message that was switched");
}

#[test]
fn the_figures_of_an_answer_stay_when_a_clock_is_set_back() {
    // The wall clock is set back, then the clock that measures durations, then both.
    for (hours, seconds, figures) in [
        (1, 0, "~▼3 tok · 2.0 s · first 1.5 s · 6 tok/s · ~$0.000022"),
        (0, 30, "~▼3 tok · first 1.5 s · ~$0.000022"),
        (1, 30, "~▼3 tok · first 1.5 s · ~$0.000022"),
    ] {
        let mut desk = Desk::new();
        let ticket = desk.ask("q");
        desk.now += Duration::from_millis(1500);
        desk.progress(ticket, chunk("Hello to you"));
        desk.now += Duration::from_millis(500);
        desk.now -= Duration::from_secs(seconds);
        desk.unix_ms -= hours * 3_600_000;
        desk.progress(ticket, Progress::Closed(Ok(())));
        for _ in 0..2 {
            let picture = desk.view(120, 34);
            let title = picture.lines().find(|line| line.contains("gpt-3.5-turbo")).unwrap();
            assert!(title.trim_end().ends_with(figures), "{hours} {seconds}: {title}");
            desk.restart();
        }
    }
}

#[test]
fn a_conversation_goes_on_in_its_order_when_the_hour_is_set_back() {
    let mut desk = Desk::new();
    desk.talk("first question", "first answer");
    desk.unix_ms -= 3_600_000;
    desk.talk("second question", "second answer");
    for _ in 0..2 {
        let picture = desk.view(120, 34);
        let transcript: String = picture.lines().map(|line| line.chars().skip(27).collect::<String>() + "\n").collect();
        let at = |text: &str| transcript.find(text).unwrap_or_else(|| panic!("{text} in {picture}"));
        let order = ["first answer", "second question", "second answer"].map(at);
        assert!(order.is_sorted() && !picture.contains('‹'), "{picture}");
        desk.restart();
    }
}

#[test]
fn an_answer_is_an_activity_that_tells_how_it_ended() {
    let mut desk = Desk::new();
    for expected in [ActivityOutcome::Ended, ActivityOutcome::Failed, ActivityOutcome::Stopped] {
        let ticket = desk.ask("q");
        let activities = desk.app.tab.activities();
        assert_eq!(activities.len(), 1);
        match expected {
            ActivityOutcome::Ended => desk.says(ticket, "a"),
            ActivityOutcome::Failed => drop(desk.progress(ticket, Progress::Closed(Err(failure("no", Some(500)))))),
            _ => drop(desk.press("\u{1b}")),
        }
        assert!(desk.app.tab.activities().is_empty());
        assert_eq!(desk.app.tab.outcome(&activities[0]), expected);
    }
}
