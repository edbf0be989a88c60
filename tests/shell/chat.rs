//! Chat inside the shell: what the footer, the boxes and the toasts say of it.

use benchtop::api::call::{Failure, FailureKind, Progress};

use crossterm::event::{KeyCode, KeyModifiers};

use crate::kit::replies::chat::chunk;
use crate::real::{Real, real};

#[test]
fn details_of_a_failure_lose_no_letter_at_any_width() {
    let body = "You can find your API key at https://platform.example/account/api-keys and 日本語の説明もここにあります \
                with thanks from all of us";
    for width in 60..126 {
        let mut real = real(width, 30);
        let ticket = real.ask("hi");
        let why = Failure { body: body.into(), status: Some(401), ..Failure::new(FailureKind::Auth, "no") };
        real.fail(ticket, why);
        real.press("\u{1b}d");
        let screen = real.lines();
        let top = screen.iter().position(|line| line.contains("What the server said")).unwrap();
        let inside = screen[top..].iter().filter_map(|line| line.split('│').rev().nth(1));
        let shown: String = inside.flat_map(|line| line.chars()).filter(|c| !c.is_whitespace()).collect();
        let whole: String = body.chars().filter(|c| !c.is_whitespace()).collect();
        assert!(shown.contains(&whole), "at {width}: {shown}\n{}", screen.join("\n"));
    }
}

#[test]
fn details_of_a_failure_are_scrolled_by_rows_and_pages() {
    for (width, height) in [(120, 36), (40, 12)] {
        let mut real = real(width, height);
        let ticket = real.ask("hi");
        let body = (1..=90).map(|n| format!("row {n}.")).collect::<Vec<_>>().join("\n");
        real.fail(
            ticket,
            Failure { body: body.as_str().into(), status: Some(401), ..Failure::new(FailureKind::Auth, "no") },
        );
        real.press("\u{1b}d");
        let has = |real: &mut Real, row: &str| real.screen().contains(row);
        assert!(has(&mut real, "row 1.") && has(&mut real, "j k scroll  esc close"), "{}", real.screen());
        real.code(KeyCode::PageDown);
        assert!(!has(&mut real, "row 1.") && !has(&mut real, "row 90."), "{}", real.screen());
        real.code(KeyCode::PageUp);
        assert!(has(&mut real, "row 1."), "{}", real.screen());
        real.press("G");
        assert!(has(&mut real, "row 90."), "{}", real.screen());
        real.press("k");
        assert!(!has(&mut real, "row 90."), "one key goes one row back: {}", real.screen());
        real.press("g");
        assert!(has(&mut real, "row 1."), "{}", real.screen());
        real.press("q");
        assert!(!has(&mut real, "row 1."), "{}", real.screen());
    }
}

#[test]
fn the_footer_names_the_keys_of_versions_before_and_after_they_are_used() {
    let mut real = real(100, 30);
    let ticket = real.ask("hi");
    real.answer_with(ticket, [chunk("one")]);
    real.settle();
    real.press("\u{1b}");
    real.settle();
    real.news();
    real.press("r");
    real.settle();
    let (ticket, _) = real.asked();
    real.answer_with(ticket, [chunk("two")]);
    real.settle();
    for key in ["", "<", ">"] {
        real.press(key);
        let footer = real.footer();
        assert!(footer.contains("< > version"), "{key}: {footer}");
    }
}

#[test]
fn alt_and_z_redo_and_are_not_esc_and_z() {
    let mut real = real(100, 30);
    real.press("uvwxy");
    real.key(KeyCode::Char('7'), KeyModifiers::CONTROL);
    assert!(!real.screen().contains("uvwxy"), "{}", real.screen());
    real.key(KeyCode::Char('z'), KeyModifiers::ALT);
    real.press("!");
    assert!(real.screen().contains("uvwxy!"), "the box has the keys still: {}", real.screen());
}

#[test]
fn a_trash_that_was_undone_is_no_longer_said() {
    let mut real = real(100, 30);
    let ticket = real.ask("a question that is rather too long for a notice at the edge");
    real.progress(ticket, Progress::Closed(Ok(())));
    real.press("\u{1b}x");
    let screen = real.screen();
    assert!(screen.contains("✓ “a question that is rather too…” is in the trash; u"), "{screen}");
    real.press("u");
    let screen = real.screen();
    assert!(screen.contains("✓ “a question that is rather too…” is back"), "{screen}");
    assert!(!screen.contains("is in the trash"), "{screen}");
}

#[test]
fn why_nothing_was_sent_is_not_said_once_something_is() {
    let mut real = real(100, 30);
    let ticket = real.ask("a question");
    real.progress(ticket, chunk("an answer"));
    real.progress(ticket, Progress::Closed(Ok(())));
    real.press("\u{1b}c");
    assert!(real.screen().contains("this answer is complete; r asks for another"), "{}", real.screen());
    real.press("r");
    assert!(!real.screen().contains("this answer is complete"), "{}", real.screen());
}

#[test]
fn while_an_answer_is_under_way_the_screen_says_how_to_stop_it_before_all_else() {
    for (width, height) in [(40, 10), (48, 12), (60, 18), (80, 24), (120, 36)] {
        let mut real = real(width, height);
        let ticket = real.ask("a question");
        real.progress(ticket, Progress::Opened { request_id: None });
        let footer = real.footer();
        assert!(footer.starts_with(" esc stop "), "{width}×{height}: {footer}");
        let screen = real.screen();
        assert!(!screen.contains("⏎ send"), "nothing is sent now: {screen}");
        real.progress(ticket, Progress::Closed(Ok(())));
        assert!(real.footer().contains("⏎ send"), "{}", real.footer());
    }
}

#[test]
fn the_footer_of_the_parameters_says_what_the_keys_do_to_the_field() {
    let mut real = real(120, 36);
    real.press("\u{1b}t");
    let footer = real.footer();
    assert!(footer.starts_with(" j k field  h l ±  esc close  ⏎ type  ^P commands  ? help"), "{footer}");
    real.press("\n");
    let footer = real.footer();
    assert!(footer.starts_with(" ⏎ done  esc leave field  ^P commands"), "{footer}");
    real.press("\u{1b}Gkkkkkkkkk");
    let footer = real.footer();
    assert!(
        footer.starts_with(" j k field  ⏎ switch  esc close  0 default"),
        "nine above the last is Stream: {footer}"
    );
    real.press("\n");
    assert!(real.screen().contains("▌• Stream"), "{}", real.screen());
    real.press("g");
    assert!(real.lines().iter().any(|line| line.contains("▌  Temperature")));
    real.code(KeyCode::End);
    assert!(real.lines().iter().any(|line| line.contains("▌  Probabilities")));
    real.code(KeyCode::Home);
    assert!(real.lines().iter().any(|line| line.contains("▌  Temperature")));
}

#[test]
fn a_question_says_how_it_is_answered() {
    let mut real = real(100, 30);
    let ticket = real.ask("a question");
    real.progress(ticket, Progress::Closed(Ok(())));
    real.press("\u{1b}x\nG");
    assert!(real.footer().contains("X delete for good"), "{}", real.screen());
    real.press("X");
    assert!(real.screen().contains("Delete for good?"));
    let footer = real.footer();
    assert!(footer.starts_with(" tab move  ⏎ choose  esc cancel "), "{footer}");
}
