//! The local classifier reads English alone.

use crate::desk::{Desk, Disk, MODELS};

const GERMAN: &str = "Ich werde dich morgen umbringen, warte nur ab.";
const ENGLISH: &str = "The ferry to the island leaves at nine tomorrow.";

#[test]
fn another_language_is_not_called_clear_by_the_local_classifier() {
    let mut desk = Desk::knowing(&Disk::new(), 1_700_000_000_000, &MODELS[..2], "local");
    desk.models_come(&MODELS);
    desk.texts_are(&[GERMAN, ENGLISH]);
    desk.check();
    desk.shows("local classifier: English only");
    let verdicts = desk.line("Verdict");
    assert!(verdicts.contains("— English only") && verdicts.matches("✓ clear").count() == 1, "{verdicts}");
    // One text at a time, and the checks of a text.
    desk.size = (80, 24);
    desk.shows("✓ clear · local classifier: English only");
    desk.press("<");
    desk.shows("— English only");
    desk.hides("✓ clear ·");
    desk.press("H");
    desk.shows("over time");
    assert!(desk.line("Verdict").contains("— English only"), "{}", desk.screen());
    desk.size = (40, 12);
    desk.press("H");
    desk.shows("— English only");
}

#[test]
fn another_server_may_read_any_language() {
    let mut desk = Desk::new();
    desk.texts_are(&[GERMAN]);
    desk.check();
    desk.hides("English only");
    assert!(desk.line("Verdict").contains("✓ clear"), "{}", desk.screen());
}
