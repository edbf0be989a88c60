//! Keys do the same whether or not frames are drawn between them.

use crate::desk::Desk;
use crate::kit::frames_change_nothing;

const ANSWER: &str = "The settings are in a file, which is read when the program starts, and again when it has \
    changed since then.\n\n- one\n- two\n\n```toml\nprofile = \"work\"\nmodel = \"gpt-4\"\n```\n\nThat is all.";

/// Creates a desk with a conversation of several screens.
fn long() -> Desk {
    let mut desk = Desk::new();
    for nth in 0..12 {
        desk.talk(&format!("Question {nth}: where are the settings?"), ANSWER);
    }
    desk
}

#[test]
fn in_a_long_conversation() {
    frames_change_nothing(
        long,
        &[
            "\u{1b}kkk",
            "⇞⇞k",
            "/settings\n",
            "nnNk",
            "\u{1b}Gkkz",
            "JJyK",
            "gjjj",
            "⇟jG",
            "^u^ukk",
            "^d^dj",
            "fkf",
            "R⇞j",
            "Rkb",
            "b⇞j",
            "tjjj",
            "\u{1b}kkx",
            "ukj",
            "Dj",
            "\u{1b}rk",
            "\u{1b}k⇞",
            "ai\u{1b}v",
            "jj\u{1b}",
            "/Question 3",
            "\n\u{1b}jj",
            "lk",
            "itext\ttext",
            "\u{1b}ekk",
        ],
    );
}

#[test]
fn once_a_message_has_the_words_looked_for() {
    frames_change_nothing(long, &["\t/needle\nia needle?\n\t⇞⇞"]);
}
