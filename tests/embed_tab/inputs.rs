//! The list of texts: typed, changed, undone, kept.

use crossterm::event::KeyCode;

use crate::desk::Desk;

#[test]
fn texts_are_added_changed_moved_deleted_and_undone() {
    let mut desk = Desk::new();
    desk.press("aone\ntwo\nthree\n\n");
    desk.settle();
    assert_eq!(desk.disk.texts("embed.bench"), ["one", "two", "three"]);
    desk.press("ge^utwelve\n");
    desk.settle();
    assert_eq!(desk.disk.texts("embed.bench"), ["twelve", "two", "three"]);
    desk.press("J");
    desk.settle();
    assert_eq!(desk.disk.texts("embed.bench"), ["two", "twelve", "three"]);
    desk.press("x");
    desk.settle();
    assert_eq!(desk.disk.texts("embed.bench"), ["two", "three"]);
    for expected in [vec!["two", "twelve", "three"], vec!["twelve", "two", "three"], vec!["one", "two", "three"]] {
        desk.press("u");
        desk.settle();
        assert_eq!(desk.disk.texts("embed.bench"), expected);
    }
    desk.press("uuu");
    desk.settle();
    assert!(desk.disk.texts("embed.bench").is_empty());
}

#[test]
fn what_was_typed_is_there_after_a_restart() {
    let mut desk = Desk::new();
    desk.press("aone\ntwo\nnot taken yet");
    let mut desk = desk.again();
    for words in ["A one", "B two", "C not taken yet"] {
        desk.shows(words);
    }
}

#[test]
fn a_paste_of_lines_asks_and_one_line_does_not() {
    let mut desk = Desk::new();
    desk.paste("a single line\n");
    desk.shows("A a single line");
    desk.paste("one\n\ntwo\n");
    desk.shows("2 lines were pasted");
    desk.press("l");
    desk.settle();
    assert_eq!(desk.disk.texts("embed.bench"), ["a single line", "one", "two"]);
    desk.paste("three\nfour");
    desk.press("t");
    desk.settle();
    assert_eq!(desk.disk.texts("embed.bench")[3], "three\nfour");
    desk.paste("five\nsix");
    desk.press("\u{1b}");
    desk.settle();
    assert_eq!(desk.disk.texts("embed.bench").len(), 4, "esc takes nothing");
}

#[test]
fn letters_are_text_only_while_a_text_is_typed() {
    let mut desk = Desk::new();
    desk.press("a1q?/\n");
    desk.shows("A 1q?/");
    desk.press("\u{1b}?");
    desk.shows("Texts");
    desk.press("\u{1b}");
    desk.code(KeyCode::F(4));
    let edited = desk
        .news()
        .into_iter()
        .any(|effect| matches!(effect, benchtop::app::Effect::OpenEditor(text) if text == "1q?/"));
    assert!(edited, "F4 edits the text under the cursor");
}

#[test]
fn texts_are_found_and_offered() {
    let mut desk = Desk::new();
    desk.press("\ni/login\n");
    desk.shows("▌ ▲ G reset login");
    desk.press("/SHIP\n");
    desk.shows("▌ ■ D shipping costs");
    desk.press("\u{1b}O");
    desk.settle();
    assert_eq!(desk.disk.texts("embed.bench").len(), 8, "it does not take its own");
}
