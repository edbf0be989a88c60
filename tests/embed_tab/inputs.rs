//! The list of texts: typed, changed, undone, kept.

use benchtop::component::Effect;
use benchtop::record::Query;
use crossterm::event::KeyCode;

use crate::desk::{Desk, Embed};
use crate::kit::{Setup, Tab as _};
use crate::pictures::done;

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
fn what_is_being_typed_while_the_list_is_loaded_stays() {
    let mut desk = Desk::new();
    desk.press("aone\ntwo\n\n");
    desk.settle();
    let unix_ms = desk.end();
    let holds = |effect: &Effect| matches!(effect, Effect::Load(_, Query::Texts(_)));
    let mut desk = Desk::start(&desk.disk, Setup { unix_ms, holds, ..Embed::setup() });
    desk.press("athree\nfour");
    desk.release();
    desk.press(" and more\n\n");
    desk.settle();
    assert_eq!(desk.disk.texts("embed.bench"), ["one", "two", "three", "four and more"]);
    let unix_ms = desk.end();
    let mut desk = Desk::start(&desk.disk, Setup { unix_ms, holds, ..Embed::setup() });
    desk.press("afive\n\ne");
    desk.release();
    desk.press(" is changed\n");
    desk.settle();
    assert_eq!(desk.disk.texts("embed.bench"), ["one", "two", "three", "four and more", "five is changed"]);
}

#[test]
fn what_is_being_typed_while_a_file_is_read_stays_in_its_list() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("texts.csv");
    std::fs::write(&path, "text,label\nof the file,x\nof it too,y").unwrap();
    let mut desk = Desk::new();
    desk.press("aone\n\nf");
    desk.paste(&path.to_string_lossy());
    desk.press("\n");
    desk.settle();
    desk.holds = |effect| matches!(effect, Effect::Work(..));
    desk.press("\natwo");
    desk.shows("B two");
    desk.release();
    desk.settle();
    desk.shows("of the file");
    assert_eq!(desk.disk.texts("embed.bench"), ["one", "two"]);
}

#[test]
fn a_full_list_opens_no_box_for_a_text_that_it_would_refuse() {
    let mut desk = Desk::new();
    let lines: Vec<String> = (0..1_999).map(|number| format!("text {number}")).collect();
    desk.paste(&lines.join("\n"));
    desk.press("l");
    desk.settle();
    desk.press("athe last one\n");
    desk.shows("at most 2,000 texts");
    desk.settle();
    assert_eq!(desk.disk.texts("embed.bench").last().map(String::as_str), Some("the last one"));
    assert!(!desk.footer().contains("next text"), "{}", desk.footer());
    desk.press("e, changed\n");
    desk.settle();
    let texts = desk.disk.texts("embed.bench");
    assert_eq!((texts.len(), texts.last().map(String::as_str)), (2_000, Some("the last one, changed")));
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
    desk.paste("three\nfour\n");
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
    desk.press("/^uSHIP\n");
    desk.shows("▌ ■ D shipping costs");
    desk.press("\u{1b}O");
    desk.settle();
    assert_eq!(desk.disk.texts("embed.bench").len(), 8, "it does not take its own");
}

#[test]
fn texts_are_found_while_words_are_typed_and_counted() {
    let mut desk = Desk::new();
    desk.press("aone\ntwo\nThe One\nthree\n\u{1b}gj/on");
    desk.shows("⏎ keep");
    desk.shows("2 of 2");
    desk.shows("▌ C The One");
    desk.press("↓");
    desk.shows("1 of 2");
    desk.press("x");
    desk.shows("no match");
    desk.shows("▌ B two");
    desk.press("^u");
    desk.paste("one");
    desk.press("\n");
    desk.shows("/ one");
    desk.shows("2 of 2");
    desk.press("n");
    desk.shows("1 of 2");
    desk.press("N");
    desk.shows("2 of 2");
    desk.press("k");
    desk.shows("2 found");
    desk.press("x");
    desk.settle();
    assert_eq!(desk.disk.texts("embed.bench"), ["one", "The One", "three"], "keys are the list's again");
    desk.shows("esc end find");
    desk.press("\u{1b}");
    desk.hides("2 found");
    desk.hides("/ one");
    desk.press("/thr");
    desk.shows("1 of 1");
    desk.press("\u{1b}");
    desk.hides("1 of 1");
    desk.shows("▌ B The One");
    desk.press("/four\n");
    desk.shows("no text contains “four”");
}

#[test]
fn words_are_found_at_the_foot_of_the_pane_with_the_keys() {
    for (pane, title) in [("i", "▸ Texts"), ("", "▸ Cosine similarity"), ("m", "▸ Map"), ("P", "▸ Pairs")] {
        let mut desk = done((120, 36));
        desk.press(pane);
        desk.press("/re");
        let column = |line: &str, words: &str| line.find(words).map(|at| line[..at].chars().count()).unwrap();
        let (head, foot) = (desk.line(title), desk.line("/ re"));
        assert!(column(&head, title).abs_diff(column(&foot, "/ re")) < 4, "{}", desk.screen());
        assert!(foot.contains("1 of 3"), "{}", desk.screen());
    }
}

#[test]
fn the_signs_beside_texts_are_explained_on_the_help_page() {
    let mut desk = done((120, 36));
    desk.press("?");
    desk.press("/cached");
    desk.shows("its vector was cached");
}

#[test]
fn the_help_begins_with_the_keys_of_the_page_in_front() {
    for (keys, expected) in [("m", "Map"), ("H", "Vector checks")] {
        let mut desk = done((120, 36));
        desk.press(keys);
        desk.press("?");
        let screen = desk.screen();
        let first = screen.lines().skip_while(|line| !line.contains("Help · Embed")).nth(1).unwrap_or_default();
        assert!(first.contains(expected), "{screen}");
    }
}
