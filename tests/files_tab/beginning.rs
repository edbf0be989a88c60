//! The first opening, and the sample file.

use benchtop::app::Effect;
use benchtop::record::work::Work;

use crate::desk::{Desk, Disk, HERE, entry};

#[test]
fn a_server_without_files_says_what_the_tab_is_for_and_how_to_begin() {
    for size in [(120, 36), (80, 24), (40, 10)] {
        let mut desk = Desk::blank(&Disk::new());
        desk.size = size;
        desk.list(Vec::new());
        desk.press("\t");
        for words in ["The server has no files yet.", "E  write a sample", "v  check the", "U  upload it"] {
            desk.shows(words);
        }
        let screen = desk.screen();
        assert!(!screen.contains('…'), "nothing is cut at {size:?}: {screen}");
    }
}

#[test]
fn the_sample_is_written_into_the_folder_and_the_cursor_goes_to_it() {
    let mut desk = Desk::new();
    desk.folders.get_mut(HERE).unwrap().push(entry("mood_train.jsonl", 115_934, 0));
    let written = |desk: &Desk| {
        let saved = desk.effects.iter().filter_map(|effect| match effect {
            Effect::Work(_, Work::Save { path, text }) => Some((path.clone(), text.raw().lines().count())),
            _ => None,
        });
        saved.collect::<Vec<_>>()
    };
    desk.press("\tE");
    assert_eq!(written(&desk), [(format!("{HERE}/mood_train.jsonl"), 1_296)]);
    desk.shows("v checks it, U uploads it");
    desk.shows("▌ mood_train.jsonl");
    desk.press("gE");
    assert_eq!(written(&desk).len(), 1, "it is there already");
    desk.shows("▌ mood_train.jsonl");
}

#[test]
fn in_an_empty_folder_the_footer_names_only_keys_that_do_something() {
    let mut desk = Desk::new();
    assert!(desk.footer().contains("U upload") && desk.footer().contains("v check"), "{}", desk.footer());
    desk.folders.insert("/empty".to_owned(), Vec::new());
    desk.press("i^u/empty\n");
    desk.shows("This folder is empty.");
    let footer = desk.footer();
    assert!(footer.contains("E sample") && footer.contains("h parent folder"), "{footer}");
    assert!(!["upload", "check", "mark", "open"].iter().any(|word| footer.contains(word)), "{footer}");
}

#[test]
fn a_folder_that_takes_no_file_is_said() {
    let mut desk = Desk::new();
    desk.refuses_files = true;
    desk.press("E");
    desk.shows("the folder takes no files");
}

#[test]
fn a_wrong_path_is_said_in_its_prompt_until_that_is_closed() {
    let mut desk = Desk::new();
    desk.press("i^u/nowhere\n");
    desk.shows("there is no such folder");
    desk.shows("/nowhere");
    assert!(desk.footer().contains("esc close"), "{}", desk.footer());
    desk.press("\u{1b}");
    desk.hides("no such folder");
}

#[test]
fn without_a_file_on_the_server_the_check_says_where_it_looks() {
    let mut desk = Desk::blank(&Disk::new());
    desk.list(Vec::new());
    desk.press("\tv");
    desk.shows("only local files can be checked");
}

#[test]
fn the_preview_fills_the_tab_and_goes_back_to_its_place() {
    let mut desk = Desk::new();
    desk.size = (120, 36);
    desk.press("/small\n");
    desk.press("f");
    desk.hides("Server files");
    desk.shows("small.jsonl");
    desk.press("f");
    desk.shows("Server files");
    desk.press("f");
    desk.hides("Server files");
    desk.press("\u{1b}");
    desk.shows("Server files");
    assert!(desk.footer().contains("esc close"), "it has the keys: {}", desk.footer());
}

#[test]
fn the_plan_offers_only_what_can_be_done() {
    let mut desk = Desk::new();
    crate::sending::planned(&mut desk, "notes");
    desk.settle();
    let footer = desk.footer();
    assert!(footer.contains("esc cancel"), "{footer}");
    for words in ["use stored file", "include anyway", "compare"] {
        desk.hides(words);
    }
}

#[test]
fn where_the_folder_is_shown_alone_it_names_the_first_steps() {
    let mut desk = Desk::blank(&Disk::new());
    desk.size = (80, 24);
    desk.list(Vec::new());
    desk.shows("E  write a sample training file");
    assert!(desk.footer().contains("tab server"), "{}", desk.footer());
    let mut desk = Desk::new();
    desk.size = (80, 24);
    desk.hides("write a sample training file");
}
