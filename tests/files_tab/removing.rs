//! Deleting from the server: the list first, a word typed, and what could not be deleted named.

use benchtop::api::call::{Call, Failure, FailureKind, Reply};

use crate::desk::{Desk, Disk, file};
use crate::kit::replies::files::not_found;

#[test]
fn one_is_asked_about_with_what_uses_it() {
    let mut desk = Desk::new();
    desk.press("\t/train-v3\n");
    desk.press("x");
    desk.shows("Delete from server?");
    desk.shows("train-v3.jsonl  214 MB  used by ft-8QkAb (running)");
    desk.shows("This cannot be undone. The job may fail.");
    desk.shows("[ Cancel ]");
    desk.news();
    desk.press("\n");
    assert!(desk.calls().is_empty(), "the focus is on Cancel until the word is there");
    desk.hides("Delete from server?");
    desk.press("x\t\n");
    assert!(desk.calls().is_empty(), "no word, nothing is deleted");
    desk.shows("✕ type “delete” first: ");
    desk.press("delete\t\n");
    assert!(desk.calls().is_empty(), "the focus is on Cancel again");
    desk.press("xdele\n");
    desk.shows("✕ type “delete” first: dele");
    desk.press("te\n");
    let (ticket, call) = desk.calls().pop().unwrap();
    assert_eq!(call, Call::DeleteFile("file-train".to_owned()));
    desk.shows("deleting 0 of 1");
    desk.reply(ticket, Reply::Deleted("file-train".to_owned()));
    desk.press("\u{1b}");
    desk.shows("1 file deleted");
    desk.shows("5   20 MB of 1 GB");
}

#[test]
fn esc_deletes_nothing() {
    let mut desk = Desk::new();
    desk.news();
    desk.press("\tx\u{1b}");
    desk.hides("Delete from server?");
    assert!(desk.calls().is_empty());
}

#[test]
fn of_many_the_list_is_shown_first_and_those_that_stay_are_named() {
    let mut desk = Desk::new();
    desk.press("\tAx");
    desk.shows("Delete 6 files · 234 MB from the server?");
    desk.shows("train-v3.jsonl");
    desk.press("jj\n");
    desk.shows("6 files · 234 MB");
    desk.news();
    desk.press("6\n");
    let calls = desk.calls();
    assert_eq!(calls.len(), 4, "four at a time");
    desk.fail(calls[0].0, Failure::new(FailureKind::Refused, "the file is being processed; wait and try again"));
    for (ticket, _) in &calls[1..] {
        desk.reply(*ticket, Reply::Deleted(String::new()));
    }
    desk.shows("deleting 4 of 6");
    let calls = desk.calls();
    assert_eq!(calls.len(), 2);
    desk.reply(calls[0].0, Reply::Deleted(String::new()));
    desk.fail(calls[1].0, not_found());
    desk.shows("1 of 6 not deleted: fresh.jsonl");
    desk.shows("1   3.3 kB of 1 GB");
}

#[test]
fn of_files_of_one_name_the_id_says_which() {
    let mut desk = Desk::blank(&Disk::new());
    desk.list(vec![
        file("one", "big.txt", 300, "search", 1, "processed"),
        file("two", "big.txt", 300, "search", 2, "processed"),
        file("three", "other.txt", 300, "search", 3, "processed"),
    ]);
    desk.press("\tjx");
    desk.shows("big.txt  file-two  300 B");
    desk.press("\u{1b}jx");
    desk.shows("other.txt  300 B");
}

#[test]
fn quitting_tells_of_files_being_deleted() {
    let mut desk = Desk::new();
    desk.press("\tAx\n");
    desk.press("6\n");
    desk.key(crossterm::event::KeyCode::Char('q'), crossterm::event::KeyModifiers::CONTROL);
    desk.shows("Files are being deleted; 6 may remain");
}

#[test]
fn local_files_stay() {
    let mut desk = Desk::new();
    desk.press("jx");
    desk.shows("only files on the server can be deleted here");
}
