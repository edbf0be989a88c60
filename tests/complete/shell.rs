//! Between the tab and what is around it: other tabs, the shell, the palette, an editor, a store that has odd things.

use std::time::Duration;

use benchtop::app::{Effect, Event};
use benchtop::record::{Record, Stored, TurnStatus};
use crossterm::event::{Event as Input, KeyCode, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use crate::desk::{Desk, Disk, MODEL, Writes, prompt};
use crate::replies::{cut, end, piece, text};

fn to_complete(desk: &mut Desk) {
    desk.key(KeyCode::Char('2'), KeyModifiers::ALT);
}

#[test]
fn a_run_given_up_before_it_was_sent_is_no_run_that_broke_off() {
    let mut desk = Desk::new();
    desk.writes = Writes::Waiting;
    desk.press("Once ^r\u{1b}");
    desk.writes = Writes::Done;
    desk.release();
    desk.settle();
    assert_eq!(desk.sent(), []);
    assert_eq!(desk.text(), "Once ");
    assert!(desk.disk.runs().iter().all(|run| run.status == TurnStatus::Stopped), "{:?}", desk.disk.runs());
    let mut desk = desk.again();
    desk.hides("cut off");
    desk.press("\u{1b}r");
    desk.hides("✕");
}

#[test]
fn ctrl_c_stops_a_run_and_keeps_what_came() {
    let mut desk = Desk::new();
    let ticket = desk.ask("Once ");
    desk.progress(ticket, text("upon"));
    desk.news();
    desk.press("^c");
    assert!(desk.news().contains(&Effect::Cancel(ticket)));
    desk.shows("■ stopped after");
    assert_eq!(desk.text(), "Once upon");
}

#[test]
fn a_failure_seen_from_elsewhere_is_told_by_the_tabs_name() {
    let mut desk = Desk::new();
    let ticket = desk.ask("Once ");
    desk.press("1");
    desk.shows("2 Complete …");
    desk.progress(ticket, text("upon"));
    desk.fail(ticket, cut());
    desk.shows("2 Complete ✕");
    to_complete(&mut desk);
    desk.hides("Complete ✕");
    desk.press("1");
    desk.hides("Complete ✕");
}

#[test]
fn a_text_offered_by_chat_begins_a_text_of_its_own() {
    let mut desk = Desk::new();
    let ticket = desk.ask("Once ");
    desk.answer_with(ticket, [text("upon"), end(0, "stop")]);
    desk.press("o");
    desk.shows("Continue this text in Complete");
    desk.press("complete\n");
    assert_eq!(desk.text(), "upon");
    // The one before is there.
    desk.press("\u{1b}r\n");
    assert_eq!(desk.text(), "Once upon");
}

#[test]
fn no_editor_opens_while_it_runs_and_what_one_left_stops_it() {
    let mut desk = Desk::new();
    let ticket = desk.ask("Once ");
    desk.progress(ticket, text("upon"));
    desk.news();
    desk.code(KeyCode::F(4));
    desk.press("i^x^e");
    assert!(!desk.news().iter().any(|effect| matches!(effect, Effect::OpenEditor(_))));
    desk.shows("esc stops it");
    // One that was open all the same: text that still grew under its changes would be another the next time.
    desk.event(Event::Edited(Some("Twice ".into())));
    assert!(desk.news().contains(&Effect::Cancel(ticket)));
    desk.progress(ticket, text(" a time"));
    desk.settle();
    assert_eq!(desk.text(), "Twice ");
    let mut desk = desk.again();
    assert_eq!(desk.text(), "Twice ");
    desk.press("\u{1b}r\n");
    assert_eq!(desk.text(), "Once upon");
}

#[test]
fn branches_are_looked_at_while_they_come() {
    let mut desk = Desk::new();
    desk.press("Once ");
    desk.set("Completions (n)", "2");
    let (ticket, _) = desk.run();
    desk.progress(ticket, piece(0, "a", None));
    desk.progress(ticket, piece(1, "b", None));
    desk.press(">");
    assert_eq!(desk.text(), "Once b");
    for progress in [piece(0, "a", None), piece(1, "b", None), piece(0, "a", None)] {
        desk.progress(ticket, progress);
    }
    assert_eq!(desk.text(), "Once bb");
    desk.press("<");
    assert_eq!(desk.text(), "Once aaa");
    desk.answer_with(ticket, [end(0, "stop"), piece(1, "b", None), end(1, "length")]);
    assert_eq!(desk.text(), "Once aaa");
    desk.press(">");
    assert_eq!(desk.text(), "Once bbb");
    desk.settle();
    let mut desk = desk.again();
    assert_eq!(desk.text(), "Once bbb");
    desk.press("\u{1b}<");
    assert_eq!(desk.text(), "Once aaa");
}

#[test]
fn the_palette_does_what_its_entries_say() {
    for (words, seen) in [
        ("complete: all runs", "Runs"),
        ("complete: tokens with their ids", "p50k_base"),
        ("complete: biases", "Bias"),
        ("complete: save as a preset", "▸ Presets"),
        ("complete: find in", "⏎ keep"),
        ("complete: run at the caret", "waiting"),
    ] {
        let mut desk = Desk::new();
        desk.press("Once \u{1b}");
        desk.press(&format!("^p{words}\n"));
        desk.shows(seen);
    }
    // What cannot be done says why.
    let mut desk = Desk::new();
    desk.press("^pcomplete: accept");
    desk.shows("nothing has been generated yet");
}

#[test]
fn settings_that_cannot_be_read_are_those_of_the_beginning() {
    let disk = Disk::new();
    assert_eq!(disk.record(Record::Setting("completion.settings".into(), "{\"params\":7".into())), Stored::Committed);
    assert_eq!(disk.record(Record::Setting("completion.sheet".into(), "none".into())), Stored::Committed);
    let mut desk = Desk::on(&disk);
    desk.shows("Say this is a test");
    let (_, request) = {
        desk.press("Once ");
        desk.run()
    };
    assert_eq!((prompt(&request), request.max_tokens, request.model.as_str()), ("Once ", None, MODEL));
}

#[test]
fn settings_are_there_again() {
    let mut desk = Desk::new();
    desk.press("Once ");
    for (field, value) in
        [("Temperature", "0.4"), ("Stop", "END|\\n"), ("Seed", "-3"), ("Log probabilities", "2"), ("User", "u")]
    {
        desk.set(field, value);
    }
    let before = desk.curl();
    let mut desk = desk.again();
    desk.press("\u{1b}");
    assert_eq!(desk.curl(), before);
    assert_eq!(before.temperature, Some(0.4));
}

#[test]
fn values_out_of_bounds_are_not_taken() {
    let mut desk = Desk::new();
    desk.press("Once \u{1b}s");
    for _ in 0..3 {
        desk.press("j");
    }
    desk.shows("▌  Temperature");
    desk.press("\n^u2.5\n");
    desk.shows("Temperature must be between 0");
    desk.press("\u{1b}\u{1b}");
    assert_eq!(desk.curl().temperature, None);
    // What does not go together is not sent, and the field at fault is under the cursor.
    desk.set("Completions (n)", "5");
    desk.set("Best of", "2");
    desk.press("^r");
    assert_eq!(desk.sent(), []);
    desk.press("s");
    desk.shows("Best of is 2");
}

#[test]
fn a_click_puts_the_caret_there() {
    let mut desk = Desk::new();
    desk.press("first\n\u{1b}");
    desk.press("isecond\u{1b}");
    desk.screen();
    let row = desk.lines().iter().position(|line| line.contains("first")).unwrap() as u16;
    let kind = MouseEventKind::Down(MouseButton::Left);
    let click = MouseEvent { kind, column: 3, row, modifiers: KeyModifiers::NONE };
    desk.event(Event::Input(Input::Mouse(click)));
    desk.press("X");
    assert_eq!(desk.text(), "fiXrst\nsecond");
}

#[test]
fn what_is_dragged_over_is_selected_and_copied_on_release() {
    let mut desk = Desk::new();
    desk.press("one two three");
    let lines = desk.lines();
    let row = lines.iter().position(|line| line.contains("one two three")).unwrap();
    let left = lines[row].find("one two three").unwrap() as u16;
    let mouse = |desk: &mut Desk, kind: fn(MouseButton) -> MouseEventKind, column| {
        let (kind, row) = (kind(MouseButton::Left), row as u16);
        let event = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
        desk.event(Event::Input(Input::Mouse(event)));
        desk.copied()
    };
    mouse(&mut desk, MouseEventKind::Down, left + 4);
    mouse(&mut desk, MouseEventKind::Drag, left + 5);
    assert_eq!(mouse(&mut desk, MouseEventKind::Drag, left + 7), [""; 0], "not before the release");
    assert_eq!(mouse(&mut desk, MouseEventKind::Up, left + 7), ["two"]);
    mouse(&mut desk, MouseEventKind::Down, left + 4);
    assert_eq!(mouse(&mut desk, MouseEventKind::Up, left + 4), [""; 0], "a click");
    // What was selected with keys is not copied by a click elsewhere.
    desk.key(KeyCode::Right, KeyModifiers::SHIFT);
    mouse(&mut desk, MouseEventKind::Down, 0);
    assert_eq!(mouse(&mut desk, MouseEventKind::Up, 0), [""; 0]);
}

#[test]
fn tab_indents_in_the_text_and_f6_leaves_it() {
    let mut desk = Desk::new();
    desk.press("a\tb");
    let whole = desk.text();
    assert!(whole.starts_with('a') && whole.ends_with('b') && whole.len() > 2, "{whole:?}");
    desk.code(KeyCode::F(6));
    desk.shows("▸ Settings");
    desk.press("\t");
    desk.shows("▸ Presets");
    desk.press("\t");
    desk.shows("▸ Untitled");
}

#[test]
fn a_still_screen_wants_no_time() {
    let mut desk = Desk::new();
    let ticket = desk.ask("Once ");
    desk.answer_with(ticket, [text("upon"), end(0, "stop")]);
    desk.settle();
    desk.wait(Duration::from_mins(1));
    desk.screen();
    assert_eq!(desk.app.due(), None);
}
