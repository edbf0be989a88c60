//! Chat inside the shell: what the footer, the boxes and the toasts say of it.

use benchtop::api::call::{Failure, FailureKind, Progress};

use crossterm::event::KeyCode;

use crate::real::real;

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
