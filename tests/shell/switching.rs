//! From tab to tab, also over what lies on top, and what is typed on the way.

use std::time::{Duration, Instant};

use benchtop::api::call::{Call, Failure, FailureKind, Progress, Reply};
use benchtop::api::model::Model;
use benchtop::app::Effect;
use crossterm::event::{KeyCode, KeyModifiers};

use crate::desk::key;
use crate::header::list;
use crate::kit::{change_keys, in_own_process};
use crate::real::{Real, real, real_with};

fn front(real: &mut Real) -> String {
    let header = real.lines().swap_remove(0);
    header.split(['▐', '▌']).nth(1).unwrap().split(' ').next().unwrap().to_owned()
}

fn alt(real: &mut Real, digit: char) {
    real.event(key(KeyCode::Char(digit), KeyModifiers::ALT));
}

#[test]
fn digits_and_brackets_go_on_through_every_tab() {
    let mut real = real(120, 36);
    real.press("\u{1b}");
    for digits in ["234561", "654321", "2121"] {
        for digit in digits.chars() {
            real.press(&digit.to_string());
            assert_eq!(front(&mut real), digit.to_string());
        }
    }
    for wanted in "234561".chars() {
        real.press("]");
        assert_eq!(front(&mut real), wanted.to_string());
    }
    for wanted in "654321".chars() {
        real.press("[");
        assert_eq!(front(&mut real), wanted.to_string());
    }
    // Nothing of it is text anywhere.
    real.press("2");
    assert!(real.screen().contains("i  write"), "{}", real.screen());
    real.press("ia2");
    assert!(real.screen().contains("a2"), "i writes: {}", real.screen());
}

#[test]
fn a_text_box_that_was_left_gives_the_digits_back_and_keeps_its_text() {
    let mut real = real(120, 36);
    for (tab, writes, text) in [('1', "", "left"), ('2', "i", "left"), ('3', "a", "left"), ('4', "a", "left")] {
        alt(&mut real, tab);
        real.press(&format!("{writes}{text}"));
        assert!(real.screen().contains(text), "{tab}");
        alt(&mut real, '6');
        real.press(&tab.to_string());
        assert_eq!(front(&mut real), tab.to_string());
        assert!(real.screen().contains(text), "{tab}: {}", real.screen());
        real.press("5");
        assert_eq!(front(&mut real), "5");
    }
}

#[test]
fn alt_and_a_digit_leave_every_overlay_but_a_form() {
    let mut real = real(120, 36);
    for opens in ["^p", "^pmodel: choose\n", "^pprofile: choose\n", "^pmessages\n", "?"] {
        alt(&mut real, '1');
        real.press(&format!("\u{1b}{opens}"));
        alt(&mut real, '3');
        assert_eq!(front(&mut real), "3", "{opens}");
        let screen = real.screen();
        assert!(
            ["─ Commands", "─ Models", "─ Profiles", "─ Messages", "─ Help"].iter().all(|box_| !screen.contains(box_))
        );
    }
    real.press("^pprofile: add\n4home");
    alt(&mut real, '1');
    assert_eq!(front(&mut real), "3");
    assert!(real.screen().contains("home") && real.screen().contains("esc closes the form"), "{}", real.screen());
}

/// Creates a workbench that does not know the models yet.
fn without_model() -> Real {
    real_with(100, 30, |session| session.model = "".into())
}

fn sent(effects: &[Effect]) -> bool {
    effects.iter().any(|effect| matches!(effect, Effect::Call(_, _, Call::Chat(_))))
}

fn came(real: &mut Real, effects: &[Effect], reply: Progress) -> Vec<Effect> {
    let ticket = list(effects);
    let mut effects = real.event(benchtop::app::Event::Progress(ticket, reply));
    effects.extend(real.event(benchtop::app::Event::Progress(ticket, Progress::Closed(Ok(())))));
    effects
}

#[test]
fn a_message_waits_for_the_list_of_models_and_is_sent_with_it() {
    let mut real = without_model();
    let mut effects = real.news();
    let more = real.press("hello\n");
    assert!(!sent(&more));
    effects.extend(more);
    let screen = real.screen();
    assert!(screen.contains("waiting for the model list") && screen.contains("hello"), "{screen}");
    assert!(!screen.contains("─ Models") && real.footer().contains("esc do not send"), "{}", real.footer());
    alt(&mut real, '2');
    assert_eq!(front(&mut real), "2");
    alt(&mut real, '1');
    let model = Model { id: "gpt-mini".into(), ..Model::default() };
    let effects = came(&mut real, &effects, Progress::Reply(Reply::Models(vec![model])));
    assert!(sent(&effects), "{effects:?}");
}

#[test]
fn a_message_that_waits_is_kept_back_by_esc_or_by_a_change() {
    for keys in ["\u{1b}", " and"] {
        let mut real = without_model();
        let mut effects = real.news();
        effects.extend(real.press("hello\n"));
        real.press(keys);
        assert!(!real.screen().contains("waiting for the model list"), "{keys:?}");
        let model = Model { id: "gpt-mini".into(), ..Model::default() };
        let effects = came(&mut real, &effects, Progress::Reply(Reply::Models(vec![model])));
        assert!(!sent(&effects) && real.screen().contains("hello"), "{keys:?}");
    }
}

#[test]
fn without_a_list_a_model_is_chosen_and_the_text_stays() {
    let mut real = without_model();
    let mut effects = real.news();
    effects.extend(real.press("hello\n"));
    let ticket = list(&effects);
    real.fail(ticket, Failure::new(FailureKind::Offline, "no connection"));
    let screen = real.screen();
    assert!(screen.contains("─ Models") && screen.contains("hello"), "{screen}");
    real.press("mine\n");
    assert!(sent(&real.press("\n")), "the text is still there to be sent");
}

#[test]
fn that_a_message_was_not_sent_without_a_model_is_said_until_it_is_sent() {
    let mut real = without_model();
    let mut effects = real.news();
    effects.extend(real.press("hello\n"));
    let ticket = list(&effects);
    // The dialog asks for the list again.
    let mut again = real.fail(ticket, Failure::new(FailureKind::Offline, "no connection"));
    let said = "✕ not sent: no model was chosen; your message is kept, ⏎ in its box sends it";
    let screen = real.screen();
    assert!(screen.contains("─ Models") && screen.contains("no connection") && screen.contains(said), "{screen}");
    real.press("\u{1b}");
    let screen = real.screen();
    assert!(!screen.contains("─ Models") && screen.contains("hello"), "{screen}");
    assert!(screen.contains("✕ not sent: no model was chosen"), "{screen}");
    again.extend(real.press("\n"));
    let model = Model { id: "gpt-mini".into(), ..Model::default() };
    let effects = came(&mut real, &again, Progress::Reply(Reply::Models(vec![model])));
    assert!(sent(&effects) && !real.screen().contains("not sent"), "{}", real.screen());
}

#[test]
fn that_a_message_was_not_sent_is_true_with_a_model_and_names_the_key_that_the_user_has_set() {
    let name = "switching::that_a_message_was_not_sent_is_true_with_a_model_and_names_the_key_that_the_user_has_set";
    if !in_own_process(name) {
        return;
    }
    change_keys("[chat.composer]\nsubmit = \"ctrl-s\"\n");
    let mut real = without_model();
    let mut effects = real.news();
    effects.extend(real.press("hello^s"));
    let ticket = list(&effects);
    real.fail(ticket, Failure::new(FailureKind::Offline, "no connection"));
    let said = "✕ not sent: no model was chosen; your message is kept, ^S in its box sends it";
    assert!(real.screen().contains(said), "{}", real.screen());
    real.press("mine\n");
    let screen = real.screen();
    assert!(!screen.contains("─ Models") && screen.contains("✕ not sent: no model was chosen"), "{screen}");
    assert!(sent(&real.press("^s")) && !real.screen().contains("not sent"), "{}", real.screen());
}

#[test]
fn where_enter_breaks_the_line_hints_name_the_key_that_acts() {
    let mut real = real_with(120, 36, |session| session.enter.inserts_newline = true);
    // Below the examples, and in the frame of the message box.
    assert!(real.screen().matches("alt+⏎ load it").count() >= 2, "{}", real.screen());
    real.press("hi");
    assert!(real.screen().contains("alt+⏎ send") && !real.screen().contains("load it"), "{}", real.screen());
    let send = key(KeyCode::Enter, KeyModifiers::ALT);
    let effects = real.event(send);
    let call = |effect: &Effect| if let Effect::Call(ticket, _, Call::Chat(_)) = effect { Some(*ticket) } else { None };
    let ticket = effects.iter().find_map(call).expect("it is sent");
    let at = Instant::now() + Duration::from_secs(5);
    let why = Failure::new(FailureKind::Server, "the server is busy");
    real.progress(ticket, Progress::Retrying { attempt: 2, of: 3, at, why });
    let screen = real.screen();
    for line in screen.lines().filter(|line| line.contains("try now")) {
        assert!(line.contains("alt+⏎ try now"), "{line}");
    }
    assert!(screen.matches("alt+⏎ try now").count() >= 2, "below the message and in the footer: {screen}");
    assert!(!real.press("\n").contains(&Effect::RetryNow(ticket)), "⏎ is a line's end");
    let send = key(KeyCode::Enter, KeyModifiers::ALT);
    assert!(real.event(send).contains(&Effect::RetryNow(ticket)));
    alt(&mut real, '4');
    real.press("a");
    assert!(real.footer().starts_with(" alt+⏎ next text"), "{}", real.footer());
    real.press("\u{1b}");
    alt(&mut real, '1');
    // In browse ⏎ is free.
    real.press("\t");
    assert!(real.footer().starts_with(" ⏎ try now"), "{}", real.footer());
    assert!(real.press("\n").contains(&Effect::RetryNow(ticket)));
}
