//! The local classifier reads English alone.

use benchtop::record::{Bench, Record};

use crate::desk::{Desk, Disk, MODELS};

const GERMAN: &str = "Ich werde dich morgen umbringen, warte nur ab.";
const MIXED: &str = "日本語 🎉 hello";
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

#[test]
fn a_text_of_which_a_part_cannot_be_read_is_not_called_clear_in_any_view() {
    let mut desk = Desk::knowing(&Disk::new(), 1_700_000_000_000, &MODELS[..2], "local");
    desk.models_come(&MODELS);
    desk.texts_are(&[ENGLISH, MIXED]);
    desk.check();
    let is_doubted = |desk: &mut Desk| {
        let screen = desk.screen();
        assert!(screen.contains("— English only") && screen.matches("✓ clear").count() == 1, "{screen}");
    };
    is_doubted(&mut desk);
    desk.press("^ptheme: dark\n");
    is_doubted(&mut desk);
    for size in [(80, 24), (40, 12)] {
        desk.size = size;
        desk.shows("— English only");
    }
}

#[test]
fn a_file_that_the_local_classifier_checks_is_said_to_need_english() {
    for (profile, is_said) in [("local", true), ("work", false)] {
        let disk = Disk::new();
        disk.put_texts(Bench::Moderate, "/tmp/posts.csv", [MIXED, ENGLISH].map(|text| (text.to_owned(), None)));
        disk.record(Record::Setting("moderate.file".into(), "7".into()));
        let mut desk = Desk::knowing(&disk, 1_700_000_000_000, &MODELS[..2], profile);
        desk.models_come(&MODELS);
        desk.press("f");
        desk.news();
        desk.shows("posts.csv");
        assert_eq!(desk.screen().contains("local classifier: English only"), is_said, "{}", desk.screen());
    }
}
