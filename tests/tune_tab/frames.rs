//! Keys do the same whether or not frames are drawn between them.

use crate::desk::{Desk, running};
use crate::kit::frames_change_nothing;

/// Creates a desk with six jobs, one of which has many events and a curve.
fn long() -> Desk {
    let mut desk = running();
    let steps: Vec<String> = (12..90).map(|step| format!("Step {step}/91: training loss=2.{step}")).collect();
    let said: Vec<(i64, &str)> = steps.iter().map(|words| (-200, words.as_str())).collect();
    desk.events("ft-2LmAbCdEf", 4, &said);
    desk.press("j");
    desk.settle();
    desk
}

#[test]
fn with_jobs_events_and_curves() {
    frames_change_nothing(
        long,
        &[
            "\t←←",
            "++←",
            "-→→",
            "0←",
            "\tkkk",
            "gjj",
            "⇟⇟k",
            "/Step 3",
            "\nnnN",
            "\u{1b}wjj",
            "Gk",
            "\tjj",
            "\njj",
            "⇟k",
            "\u{1b}Jjj",
            " k d",
            "\u{1b}\u{1b}ejj",
            "⇟k",
            "\u{1b}\u{1b}Cjjj",
            "Gkk",
            "\u{1b}<<k",
            "sl←",
        ],
    );
}
