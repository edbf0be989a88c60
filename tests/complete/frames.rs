//! Keys do the same whether or not frames are drawn between them.

use crate::desk::Desk;
use crate::kit::frames_change_nothing;
use crate::replies::{AD, end, told};

/// Creates a desk with a text of several screens and three runs, whose tokens are known.
fn long() -> Desk {
    let mut desk = Desk::new();
    let text: Vec<String> = (0..60)
        .map(|nth| {
            format!(
                "Line {nth} of a text that is longer than the screen is wide, so that its end is on a second row.\n"
            )
        })
        .collect();
    desk.paste(&text.concat());
    desk.settle();
    desk.set("Log probabilities", "5");
    for _ in 0..3 {
        let (ticket, _) = desk.run();
        desk.answer_with(ticket, told(0, &AD).into_iter().chain([end(0, "stop")]));
        desk.settle();
    }
    desk
}

#[test]
fn in_a_long_text_with_runs() {
    frames_change_nothing(
        long,
        &[
            "←←k",
            "gjj",
            "⇟⇟k",
            "Gkk",
            "/Line 3",
            "\nnnN",
            "\u{1b}\u{1b}i↑↑↑",
            "⇞x↓",
            "\u{1b}sjjj",
            "Gkk",
            "\u{1b}Pjj",
            "\u{1b}rjj",
            "\nk",
            "\u{1b}Tjj⇟",
            "\u{1b}Djj",
            "\u{1b}Bj",
            "\u{1b}c\tj",
            "^r⇟",
            "\u{1b}\u{1b}uU←",
            "p<>",
            "\u{1b}\tjj",
            "\t↓k",
        ],
    );
}
