//! What is kept, when the disk is full, and what the next start finds.

use benchtop::record::{Bench, Record};

use crate::desk::{Desk, Disk, MODEL, MODELS, Writes};
use crate::replies::{FILM, SELF, THREAT, judge};

/// Puts a file of two texts on the disk that was open last.
fn keep_file(disk: &Disk) {
    disk.put_texts(Bench::Moderate, "/data/a.csv", [SELF, THREAT].map(|text| (text.to_owned(), None)));
    disk.record(Record::Setting("moderate.file".into(), "7".into()));
}

#[test]
fn the_bench_is_there_again_with_its_results() {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT, FILM]);
    desk.check();
    desk.settle();
    let mut desk = desk.again();
    desk.settle();
    desk.shows("I will find you and");
    desk.shows("⚑ flagged  2 categories");
    assert!(desk.line("Latency").contains("cached"));
    assert!(desk.sent().is_empty(), "nothing is asked for again");
}

#[test]
fn what_is_written_is_kept_before_it_is_done() {
    let mut desk = Desk::new();
    desk.press("ahalf a sent");
    desk.settle();
    let mut desk = desk.again();
    desk.settle();
    desk.shows("“half a sent”");
}

#[test]
fn what_the_disk_refuses_stays_and_is_offered_again() {
    let mut desk = Desk::new();
    desk.writes = Writes::Refused;
    desk.paste(THREAT);
    desk.wait(std::time::Duration::from_secs(1));
    desk.shows("✕ not saved: the disk is full");
    desk.press("q");
    desk.shows("is lost; y copies a text");
    desk.press("\u{1b}");
    desk.check();
    desk.shows("⚑ flagged  2 categories");
    desk.press("q");
    desk.shows("is lost; E exports them with");
    desk.press("\u{1b}");
    assert_eq!(desk.disk.texts("moderate.bench"), Vec::<String>::new());
    desk.writes = Writes::Done;
    desk.settle();
    desk.hides("not saved");
    assert_eq!(desk.disk.texts("moderate.bench"), [THREAT]);
    assert_eq!(desk.disk.checks(THREAT).len(), 1, "what the server said is not lost");
}

#[test]
fn what_is_pasted_before_the_bench_has_come_stands_behind_it() {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT]);
    let mut desk = desk.again();
    desk.paste(FILM);
    desk.settle();
    assert_eq!(desk.disk.texts("moderate.bench"), [THREAT, FILM]);
}

#[test]
fn results_show_when_the_list_of_models_comes_after_them() {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT]);
    desk.check();
    desk.settle();
    let mut desk = Desk::knowing(&desk.disk, desk.unix_ms + 60_000, &[], "work");
    desk.settle();
    desk.shows("not checked");
    desk.models_come(&MODELS);
    desk.shows("⚑ flagged  2 categories");
}

#[test]
fn a_row_of_a_file_stands_on_the_bench_as_it_is() {
    let desk = Desk::new();
    keep_file(&desk.disk);
    let mut desk = desk.again();
    desk.press("fjo");
    desk.settle();
    assert_eq!(desk.disk.texts("moderate.bench"), [THREAT]);
    desk.shows("A · a.csv 2");
}

#[test]
fn an_unfinished_file_is_named_on_the_bench_and_files_are_one_key_away() {
    let desk = Desk::new();
    keep_file(&desk.disk);
    let mut desk = desk.again();
    desk.settle();
    desk.shows("f  continue a.csv: 0 of 2 texts");
    desk.paste(FILM);
    desk.settle();
    desk.shows("a.csv: 0 of 2 texts · f");
    desk.press("L");
    desk.shows("Files that were opened");
}

#[test]
fn what_the_disk_takes_later_is_called_unsaved_until_it_is_kept() {
    let mut desk = Desk::new();
    desk.writes = Writes::Waiting;
    desk.press("ahalf a sentence\u{1b}");
    desk.settle();
    desk.put_off("the disk is full; free some space");
    desk.shows("✕ not saved: the disk is full");
    desk.press("^q");
    desk.shows("could not be saved");
    desk.release();
    desk.shows("everything is saved");
    desk.settle();
    desk.hides("not saved");
    assert_eq!(desk.disk.texts("moderate.bench"), ["half a sentence"]);
}

#[test]
fn checks_that_the_disk_takes_later_are_shown_and_kept_once() {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT]);
    desk.settle();
    desk.news();
    desk.writes = Writes::Waiting;
    let (ticket, _) = desk.runs().remove(0);
    desk.answer(ticket, judge(MODEL, &[THREAT.to_owned()]));
    desk.put_off("the disk is full; free some space");
    desk.shows("flagged");
    desk.shows("✕ not saved: the disk is full");
    assert!(desk.disk.checks(THREAT).is_empty());
    desk.release();
    desk.settle();
    desk.hides("not saved");
    assert_eq!(desk.disk.checks(THREAT).len(), 1);
}
