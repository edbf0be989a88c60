//! Chat inside the shell: what the footer, the boxes and the toasts say of it.

use benchtop::api::call::{Failure, FailureKind, Progress};

use crate::real::Real;

#[test]
fn details_of_a_failure_lose_no_letter_at_any_width() {
    let body = "You can find your API key at https://platform.example/account/api-keys and 日本語の説明もここにあります \
                with thanks from all of us";
    for width in 60..126 {
        let mut real = Real::new(width, 30);
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
    let mut real = Real::new(100, 30);
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
