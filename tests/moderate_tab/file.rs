//! A file of texts: opened, checked some requests at a time, cut and gone on with; what of it shows, and how it looks.

use std::rc::Rc;
use std::time::Duration;

use benchtop::api::call::{Call, Failure, FailureKind};
use benchtop::app::Effect;
use benchtop::record::{Bench, Record};

use crate::desk::{Desk, Disk, MODEL, Writes};
use crate::replies::{FILM, SELF, THREAT, judge, texts};

/// Creates a disk with a file of this many rows that was opened before.
fn disk(count: u32) -> Rc<Disk> {
    let disk = Disk::new();
    let row = |at: u32| match at {
        0 => (FILM.to_owned(), Some("ok")),
        1 => (THREAT.to_owned(), Some("harassment/threatening")),
        2 => (SELF.to_owned(), Some("ok")),
        3 => (THREAT.to_owned(), Some("harassment")),
        _ => (format!("Post {at} says that the day was long, and not much more."), Some("ok")),
    };
    disk.put_texts(Bench::Moderate, "/tmp/posts.csv", (0..count).map(row));
    disk.record(Record::Setting("moderate.file".into(), "7".into()));
    disk
}

/// Opens the page of that file.
fn desk(count: u32) -> Desk {
    let mut desk = Desk::on(&disk(count));
    desk.press("f");
    desk.news();
    desk
}

fn done(count: u32) -> Desk {
    let mut desk = desk(count);
    desk.press("p");
    desk.serve();
    desk.settle();
    desk
}

#[test]
fn a_run_or_check_that_ends_while_another_window_has_the_focus_is_told_with_how_it_ended() {
    let mut desk = desk(40);
    desk.press("p");
    let sent = desk.sent();
    let why = Failure::new(FailureKind::Auth, "the server refused the key (401)");
    let told = desk.told_outside(|desk| sent.into_iter().for_each(|(ticket, _)| drop(desk.fail(ticket, why.clone()))));
    assert_eq!(told, ["1 run failed"]);
    desk.press("p");
    assert_eq!(desk.told_outside(|desk| assert!(desk.serve() > 0)), ["1 run ended"]);
    desk.press("\u{1b}");
    desk.texts_are(&["one"]);
    desk.news();
    let (ticket, _) = desk.run();
    let told = desk.told_outside(|desk| {
        desk.wait(Duration::from_secs(10));
        desk.fail(ticket, why);
    });
    assert_eq!(told, ["1 check failed"]);
}

#[test]
fn a_file_is_checked_with_the_model_that_the_header_names() {
    let mut desk = desk(4);
    let header = |desk: &mut Desk| desk.lines().remove(0);
    assert!(header(&mut desk).contains(MODEL));
    desk.press("mstable\n");
    desk.settle();
    assert!(header(&mut desk).contains("text-moderation-stable"));
    desk.press("p");
    desk.settle();
    let sent = desk.sent();
    assert!(!sent.is_empty());
    assert!(sent.iter().all(|(_, request)| request.model.as_deref() == Some("text-moderation-stable")));
    // A list keeps its model: the header names it although the cursor of the bench is on another one.
    desk.press("\u{1b}");
    desk.texts_are(&[FILM]);
    desk.press("h");
    assert!(header(&mut desk).contains(MODEL));
    desk.press("f");
    assert!(header(&mut desk).contains("text-moderation-stable"));
}

#[test]
fn the_footer_of_labelled_texts_names_the_keys_of_labels() {
    let mut desk = done(12);
    let footer = desk.footer();
    assert!(footer.contains("e evaluate") && footer.contains("D errors"), "{footer}");
    desk.press("e");
    let footer = desk.footer();
    assert!(footer.contains("+ - threshold"), "{footer}");
    desk.press("j");
    let footer = desk.footer();
    assert!(footer.contains("+ - threshold"), "{footer}");
}

#[test]
fn a_file_is_checked_when_somebody_says_so() {
    let mut desk = desk(400);
    desk.shows("0 of 400 texts · p check · duplicates sent once: 1");
    desk.shows("0 of 400 · saved ✓");
    assert!(desk.sent().is_empty());
    desk.press("p");
    let mut sent = desk.sent();
    assert_eq!(sent.len(), 8);
    assert_eq!(texts(&sent[0].1)[..2], [FILM, THREAT]);
    assert_eq!(sent[0].1.model.as_deref(), Some(MODEL));
    let mut all: Vec<String> = Vec::new();
    while let Some((ticket, request)) = sent.pop() {
        let asked = texts(&request);
        desk.answer(ticket, judge(MODEL, &asked));
        all.extend(asked);
        sent.extend(desk.sent());
        assert!(sent.len() <= 8);
    }
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 399, "each once");
    desk.settle();
    desk.shows("400 of 400 · saved ✓");
    assert_eq!(desk.disk.checks(THREAT).len(), 1);
}

#[test]
fn a_run_goes_on_after_a_restart() {
    let mut desk = desk(800);
    desk.press("p");
    for (ticket, request) in desk.sent() {
        let asked = texts(&request);
        desk.answer(ticket, judge(MODEL, &asked));
    }
    desk.settle();
    let mut desk = desk.again();
    desk.shows("continues posts.csv");
    desk.press("f");
    // What was sent when the tab was opened.
    for effect in desk.effects.clone() {
        if let Effect::Call(ticket, _, Call::Moderate(request)) = effect {
            let asked = texts(&request);
            desk.answer(ticket, judge(MODEL, &asked));
        }
    }
    desk.serve();
    desk.settle();
    desk.shows("800 of 800");
    desk.press("p");
    desk.shows("all 800 texts have a result; R checks them again");
}

#[test]
fn the_bench_and_the_file_do_not_hinder_each_other() {
    let mut desk = desk(400);
    desk.press("p");
    desk.press("\u{1b}");
    desk.shows("f  continue posts.csv: 0 of 400 texts");
    desk.shows("3 Moderate 0%");
    desk.serve();
    desk.settle();
    desk.hides("3 Moderate 0%");
    desk.press("f");
    desk.shows("400 of 400");
}

#[test]
fn what_the_disk_refuses_is_owed() {
    let mut desk = desk(100);
    desk.press("p");
    desk.writes = Writes::Refused;
    for (ticket, request) in desk.sent() {
        let asked = texts(&request);
        desk.answer(ticket, judge(MODEL, &asked));
    }
    desk.shows("not saved");
    desk.hides("100 of 100");
    desk.writes = Writes::Done;
    desk.settle();
    desk.serve();
    desk.settle();
    desk.shows("100 of 100 · saved ✓");
}

#[test]
fn pictures() {
    for (name, size) in [("wide", (120, 36)), ("medium", (80, 24)), ("narrow", (40, 12))] {
        let snap = |state: &str, desk: &mut Desk| {
            desk.size = size;
            insta::assert_snapshot!(format!("file_{state}_{name}"), crate::pictures::picture(desk));
        };
        snap("unsent", &mut desk(400));
        let mut running = desk(4_000);
        running.press("p");
        for _ in 0..8 {
            running.wait(Duration::from_secs(1));
            for (ticket, request) in running.sent().into_iter().take(4) {
                let asked = texts(&request);
                running.answer(ticket, judge(MODEL, &asked));
            }
        }
        running.settle();
        snap("running", &mut running);
        let mut paused = running;
        paused.press("p");
        snap("paused", &mut paused);
        let mut held = desk(400);
        held.press("p");
        let (ticket, _) = held.sent().remove(0);
        held.fail(
            ticket,
            Failure::new(FailureKind::Auth, "401 the server does not take this key; paste the right one"),
        );
        snap("held", &mut held);
        let mut waits = desk(400);
        waits.press("p");
        let (ticket, _) = waits.sent().remove(0);
        waits.fail(ticket, Failure::new(FailureKind::RateLimit, "429 rate limit; wait a little and try again"));
        snap("waits", &mut waits);
        snap("done", &mut done(400));
        let mut detail = done(400);
        detail.press("j\n");
        snap("detail", &mut detail);
        let mut filtered = done(400);
        filtered.press("F/hurt");
        filtered.shows(" found");
        snap("filtered", &mut filtered);
        let mut blurred = done(400);
        blurred.press("B");
        blurred.settle();
        snap("blurred", &mut blurred);
        let mut category = done(400);
        category.press("c");
        snap("categories", &mut category);
        let mut evaluated = done(400);
        evaluated.press("e");
        snap("evaluated", &mut evaluated);
    }
}

#[test]
fn texts_that_came_to_nothing_are_listed_and_tried_again() {
    let mut desk = desk(4);
    desk.press("p");
    loop {
        let sent = desk.sent();
        if sent.is_empty() {
            break;
        }
        for (ticket, request) in sent {
            let asked = texts(&request);
            if asked.iter().any(|text| text == SELF) {
                desk.fail(ticket, crate::replies::refused(400));
            } else {
                desk.answer(ticket, judge(MODEL, &asked));
            }
        }
    }
    desk.settle();
    desk.shows("1 failed: x");
    desk.press("x");
    desk.shows("1 text failed");
    desk.shows("input must be a string");
    desk.press("r");
    desk.serve();
    desk.settle();
    desk.shows("4 of 4");
}
