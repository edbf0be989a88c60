//! What is kept, when the disk is full, and what the next start finds.

use crate::desk::{Desk, Writes};
use crate::replies::{FILM, THREAT};

#[test]
fn the_bench_is_there_again_with_its_results() {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT, FILM]);
    desk.check();
    desk.settle();
    let mut desk = desk.again();
    desk.settle();
    desk.shows("I will find you and");
    desk.shows("⚑ FLAGGED  2 categories");
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
    desk.check();
    desk.shows("⚑ FLAGGED  2 categories");
    desk.press("q");
    desk.shows("be lost; E exports it");
    desk.press("\u{1b}");
    assert_eq!(desk.disk.texts(), Vec::<String>::new());
    desk.writes = Writes::Done;
    desk.settle();
    desk.hides("not saved");
    assert_eq!(desk.disk.texts(), [THREAT]);
    assert_eq!(desk.disk.checks(THREAT).len(), 1, "what the server said is not lost");
}

#[test]
fn what_is_pasted_before_the_bench_has_come_stands_behind_it() {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT]);
    let mut desk = desk.again();
    desk.paste(FILM);
    desk.settle();
    assert_eq!(desk.disk.texts(), [THREAT, FILM]);
}
