//! Chat inside the shell: what the footer, the boxes and the toasts say of it.

use benchtop::api::call::{Failure, FailureKind};

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
