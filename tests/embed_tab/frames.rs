//! Keys do the same whether or not frames are drawn between them.

use crate::desk::Desk;
use crate::kit::frames_change_nothing;
use crate::replies::vectors;

/// Creates a desk with more texts than a screen shows, and their vectors.
fn many() -> Desk {
    let mut desk = Desk::new();
    desk.run_lines(40);
    for (ticket, request) in desk.sent() {
        desk.answer(ticket, vectors(&request));
    }
    desk.settle();
    desk
}

#[test]
fn with_a_matrix_and_a_map() {
    frames_change_nothing(
        many,
        &[
            "jjj",
            "Gkk",
            "⇞⇞j",
            "⇟k",
            "\tjjl",
            "lllj",
            "Gk",
            "ojl",
            "vjj",
            "\n",
            "\u{1b}mjl",
            "++l",
            "-jj",
            "\tjj",
            "cj",
            "\u{1b}Pjj",
            "++k",
            "⇟k",
            "\u{1b}stext 3\n",
            "jjj",
            "\u{1b}/3",
            "\nnn",
            "\u{1b}Hjj",
            "\u{1b}cjj",
            "\u{1b}zj",
        ],
    );
}
