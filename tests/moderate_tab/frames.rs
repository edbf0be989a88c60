//! Keys do the same whether or not frames are drawn between them.

use crate::desk::Desk;
use crate::kit::frames_change_nothing;
use crate::replies::{FILM, SELF, THREAT};

/// Creates a desk with more texts than a screen shows, checked with two models.
fn many() -> Desk {
    let mut desk = Desk::new();
    let texts: Vec<String> =
        (0..10).flat_map(|nth| [THREAT, SELF, FILM].map(|text| format!("{nth}: {text}"))).collect();
    desk.texts_are(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    desk.check();
    desk.press("mstable\n");
    desk.check();
    desk.settle();
    desk
}

#[test]
fn with_many_texts_and_results() {
    frames_change_nothing(
        many,
        &[
            "jjj",
            "lll",
            "Gkk",
            "hhh",
            "⇞⇞j",
            "⇟⇟k",
            "<<+",
            ">>-",
            "sjj",
            "ojj",
            "Djj",
            "wjj",
            "⇟k",
            "\u{1b}Hjj",
            "⇟k",
            "\u{1b}tjj",
            "++k",
            "\u{1b}gll",
            "Gkh",
            "bjj",
            "ejj",
            "\u{1b}\tj",
        ],
    );
}
