//! What happens seldom, all at once, or in between.

use std::time::Duration;

use benchtop::api::call::{Failure, FailureKind, Progress};
use benchtop::app::Effect;
use benchtop::record::{Made, TurnStatus};
use crossterm::event::{KeyCode, KeyModifiers};

use crate::desk::{Desk, Writes, prompt};
use crate::replies::{AD, columns, cut, end, piece, text, told, usage};

#[test]
fn of_several_choices_those_that_ended_are_done_and_the_others_stopped() {
    let mut desk = Desk::new();
    desk.press("Once ");
    desk.set("Completions (n)", "3");
    let (ticket, _) = desk.run();
    for progress in [piece(0, "a", None), piece(1, "b", None), end(0, "stop"), piece(1, "b", None), piece(2, "c", None)]
    {
        desk.progress(ticket, progress);
    }
    desk.press("\u{1b}");
    desk.settle();
    let (_, steps) = desk.disk.sheet();
    let ends: Vec<_> = steps[1..].iter().map(|step| (step.inserted.raw(), step.status)).collect();
    assert_eq!(ends, [("a", TurnStatus::Done), ("bb", TurnStatus::Stopped), ("c", TurnStatus::Stopped)]);
    desk.press(">");
    assert_eq!(desk.text(), "Once bb");
}

#[test]
fn a_disk_that_is_full_for_a_while_of_a_stream_has_all_of_it_in_the_end() {
    let mut desk = Desk::new();
    desk.press("Headphones:");
    desk.set("Log probabilities", "5");
    let (ticket, _) = desk.run();
    for (nth, progress) in told(0, &AD).into_iter().chain(told(0, &AD)).enumerate() {
        desk.writes = if (2..5).contains(&nth) { Writes::Refused } else { Writes::AsTheStoreDoes };
        desk.progress(ticket, progress);
        desk.wait(Duration::from_millis(1500));
    }
    desk.shows("esc stop");
    desk.answer_with(ticket, [end(0, "stop")]);
    desk.press("i!");
    desk.settle();
    desk.shows("saved ✓");
    let whole = "Headphones: Keep the music. Keep the music.!";
    assert_eq!(desk.text(), whole);
    let (_, steps) = desk.disk.sheet();
    let made = steps.iter().find(|step| matches!(step.made, Made::Generated { .. })).unwrap();
    assert_eq!((made.inserted.raw(), made.status), (" Keep the music. Keep the music.", TurnStatus::Done));
    assert_eq!(desk.disk.tokens(made.id).len(), 8);
    let mut desk = desk.again();
    assert_eq!(desk.text(), whole);
}

#[test]
fn after_a_countdown_the_answer_comes_as_any() {
    let mut desk = Desk::new();
    let ticket = desk.ask("Once ");
    let why = Failure { status: Some(503), ..Failure::new(FailureKind::Server, "the server is busy (503)") };
    let at = desk.now + Duration::from_secs(2);
    desk.progress(ticket, Progress::Retrying { attempt: 2, of: 3, at, why });
    desk.shows("┃ the server is busy (503)");
    desk.answer_with(ticket, [text("upon"), end(0, "stop")]);
    desk.hides("503");
    assert_eq!(desk.text(), "Once upon");
    desk.settle();
    assert_eq!(desk.disk.runs()[0].status, TurnStatus::Done);
    desk.hides("d details");
}

#[test]
fn an_empty_text_is_a_prompt_too() {
    let mut desk = Desk::new();
    desk.press("^r");
    assert_eq!(desk.sent(), [], "it may be a slip");
    desk.shows("not sent: the text is empty; ⏎ loads the example");
    desk.wait(std::time::Duration::from_mins(1));
    desk.press("^r");
    assert_eq!(desk.sent(), [], "the first key was long ago");
    desk.shows("not sent: the text is empty; ⏎ loads the example");
    let (ticket, request) = desk.run();
    desk.hides("the text is empty");
    assert_eq!(prompt(&request), "");
    desk.answer_with(ticket, [text("Anything"), end(0, "stop")]);
    assert_eq!(desk.text(), "Anything");
    desk.press("u");
    assert_eq!(desk.text(), "");
    let mut desk = desk.again();
    assert_eq!(desk.text(), "");
    desk.press("\u{1b}U");
    assert_eq!(desk.text(), "Anything");
}

#[test]
fn an_answer_without_text_is_an_answer() {
    let mut desk = Desk::new();
    let ticket = desk.ask("Once ");
    desk.answer_with(ticket, [end(0, "stop"), usage(2, 0)]);
    assert_eq!(desk.text(), "Once ");
    desk.hides("esc stop");
    desk.shows("0 tokens");
    desk.settle();
    desk.shows("saved ✓");
    assert_eq!(desk.disk.runs()[0].status, TurnStatus::Done);
}

#[test]
fn a_failure_before_the_answer_began_is_no_cut() {
    let mut desk = Desk::new();
    let ticket = desk.ask("Once ");
    desk.progress(ticket, Progress::Opened { request_id: Some("req-7".into()) });
    desk.fail(ticket, cut());
    desk.settle();
    assert_eq!(desk.disk.runs()[0].status, TurnStatus::Failed);
    desk.press("d");
    desk.shows("Details of the failure");
    assert_eq!(desk.disk.sheet().1.len(), 1);
}

#[test]
fn a_long_answer_that_ends_while_another_window_has_the_focus_is_told_with_how_it_ended() {
    let mut desk = Desk::new();
    let ticket = desk.ask("Once ");
    let told = desk.told_outside(|desk| {
        desk.wait(Duration::from_secs(10));
        desk.fail(ticket, cut());
    });
    assert_eq!(told, ["1 answer failed"]);
    let (ticket, _) = desk.run();
    let told = desk.told_outside(|desk| {
        desk.wait(Duration::from_secs(10));
        desk.answer_with(ticket, [text("upon a time")]);
    });
    assert_eq!(told, ["1 answer ended"]);
}

#[test]
fn who_looks_elsewhere_while_it_streams_finds_all_of_it() {
    let mut desk = Desk::new();
    let ticket = desk.ask("Once ");
    desk.progress(ticket, text("upon"));
    // On other pages, and in the settings.
    for (open, close) in
        [("r", "\u{1b}"), ("T", "\u{1b}"), ("s", "\u{1b}"), ("B", "\u{1b}"), ("D", "\u{1b}"), ("P", "\u{1b}")]
    {
        desk.press(open);
        desk.progress(ticket, text(" a"));
        desk.press(close);
    }
    desk.shows("esc stop");
    desk.answer_with(ticket, [end(0, "stop")]);
    assert_eq!(desk.text(), "Once upon a a a a a a");
}

#[test]
fn scrolling_and_the_caret_are_free_while_it_streams() {
    let mut desk = Desk::new();
    let ticket = desk.ask("Once ");
    desk.progress(ticket, text("upon"));
    desk.press("i←←←");
    desk.press("\u{1b}");
    // Esc stopped it: the caret was in the text.
    desk.progress(ticket, text(" a time"));
    assert!(desk.text() == "Once upon" || desk.text() == "Once upon a time", "{:?}", desk.text());
    desk.progress(ticket, Progress::Closed(Ok(())));
    desk.settle();
    let (sheet, steps) = desk.disk.sheet();
    assert_eq!(sheet.current, Some(steps[1].id));
}

#[test]
fn a_token_that_is_a_part_of_a_character_is_shown_and_not_picked() {
    let mut desk = Desk::new();
    desk.press("a");
    desk.set("Log probabilities", "2");
    let (ticket, _) = desk.run();
    let part = ("bytes:\\xe6\\x97", -0.5, &[("bytes:\\xe6\\x97", -0.5), ("bytes:\\xe5\\x9c", -1.0)][..]);
    let rest = ("bytes:\\xa5", -0.1, &[("bytes:\\xa5", -0.1), ("x", -3.0)][..]);
    desk.answer_with(ticket, [piece(0, "日", Some(columns(&[part, rest]))), end(0, "stop")]);
    assert_eq!(desk.text(), "a日");
    desk.press("g");
    desk.shows("⟨e6 97⟩");
    desk.news();
    desk.press("↓\n");
    desk.shows("part of a character");
    assert_eq!(desk.sent(), []);
    assert_eq!(desk.text(), "a日");
}

#[test]
fn texts_from_outside_are_shown_and_do_nothing() {
    let odd = "<\u{1b}[2J\u{202e}\u{2066}\u{e0041}\u{2028}\u{9b}m>";
    let shown = "<␛[2J⟨U+202E⟩⟨U+2066⟩⟨U+E0041⟩";
    let mut desk = Desk::new();
    desk.press("a\u{1b}");
    desk.set("Log probabilities", "2");
    let (ticket, _) = desk.run();
    let token = (odd, -0.5, &[(odd, -0.5), ("\u{1b}]0;x\u{7}", -1.0)][..]);
    desk.answer_with(ticket, [piece(0, odd, Some(columns(&[token]))), end(0, odd)]);
    let acts = |screen: &str| {
        let odd =
            |c: &char| c.is_control() && *c != '\n' || matches!(*c, '\u{202e}' | '\u{2066}' | '\u{e0041}' | '\u{2028}');
        screen.chars().find(odd)
    };
    desk.shows(shown);
    for keys in ["", "p", "D", "\u{1b}T", "\u{1b}r", "\u{1b}s", "\u{1b}P", "\u{1b}B", "\u{1b}/", "\u{1b}\u{1b}g"] {
        desk.press(keys);
        let screen = desk.screen();
        assert_eq!(acts(&screen), None, "{keys:?}\n{screen}");
    }
    let (ticket, _) = {
        desk.press("\u{1b}\u{1b}\u{1b}");
        desk.run()
    };
    desk.fail(ticket, Failure { body: odd.into(), code: Some(odd.into()), ..Failure::new(FailureKind::Refused, odd) });
    desk.shows("␛[2J");
    desk.press("d");
    let screen = desk.screen();
    assert_eq!(acts(&screen), None, "{screen}");
}

#[test]
fn every_key_of_the_footer_does_something() {
    // In each state each key that the footer names leads to another screen, or to an order.
    for state in ["empty", "typed", "done", "runs", "settings", "tokens"] {
        let make = || at_state(state);
        let mut desk = make();
        desk.settle();
        let footer = desk.footer();
        let names: Vec<String> =
            footer.split("  ").map(|hint| hint.trim().to_owned()).filter(|hint| !hint.is_empty()).collect();
        for hint in names {
            let keys: Vec<&str> = hint.split(' ').collect();
            for key in keys.iter().take_while(|key| is_key(key)) {
                let mut desk = make();
                desk.settle();
                // From the middle, so that either way leads somewhere.
                if ["done", "tokens"].contains(&state) && ["→", "↑"].contains(key) {
                    desk.press(if *key == "→" { "g" } else { "↓" });
                }
                let before = (desk.screen(), desk.text_or_none(), desk.effects.len());
                press(&mut desk, key);
                let after = (desk.screen(), desk.text_or_none(), desk.effects.len());
                let quiet = [("^Y", "empty"), ("U", "done"), ("k", "runs"), ("j", "runs")];
                let nothing = before == after;
                assert!(
                    !nothing || quiet.contains(&(*key, state)),
                    "{state}: {key} of {hint:?} does nothing\n{}",
                    after.0
                );
            }
        }
    }
}

fn done() -> Desk {
    let mut desk = Desk::new();
    desk.press("Headphones:");
    desk.set("Log probabilities", "5");
    let (ticket, _) = desk.run();
    desk.answer_with(ticket, told(0, &AD).into_iter().chain([end(0, "stop")]));
    desk
}

/// Creates a desk in the state of this name.
fn at_state(state: &str) -> Desk {
    let mut desk = if ["empty", "typed"].contains(&state) { Desk::new() } else { done() };
    desk.press(match state {
        "typed" => "Some text\u{1b}",
        "runs" => "r",
        "settings" => "sjjl",
        "tokens" => "T",
        _ => "",
    });
    desk
}

fn is_key(word: &str) -> bool {
    let many = word.chars().count();
    ["esc", "tab", "F1", "F6"].contains(&word) || (many == 1 && word != "±") || (many == 2 && word.starts_with('^'))
}

fn press(desk: &mut Desk, key: &str) {
    match key {
        "esc" => drop(desk.code(KeyCode::Esc)),
        "tab" => drop(desk.code(KeyCode::Tab)),
        "⏎" => drop(desk.code(KeyCode::Enter)),
        "F1" => drop(desk.code(KeyCode::F(1))),
        "F6" => drop(desk.code(KeyCode::F(6))),
        key if key.starts_with('^') => {
            let letter = key.chars().nth(1).unwrap().to_ascii_lowercase();
            desk.key(KeyCode::Char(letter), KeyModifiers::CONTROL);
        }
        key => drop(desk.press(key)),
    }
}

#[test]
fn quitting_while_it_runs_keeps_what_came() {
    let mut desk = Desk::new();
    let ticket = desk.ask("Once ");
    desk.progress(ticket, text("upon"));
    desk.news();
    desk.press("q");
    let quit = desk.news().contains(&Effect::Quit);
    if !quit {
        desk.press("\n");
    }
    let mut desk = desk.again();
    assert_eq!(desk.text(), "Once upon");
}
