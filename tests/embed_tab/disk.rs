//! What is kept, and what a list that comes from elsewhere needs.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use benchtop::record::{Bench, Record, Stored, TextKey, VectorKey};

use crate::desk::{Desk, Disk, MODEL, Writes, texts};
use crate::pictures::done;
use crate::replies::vectors;

/// Creates a disk with a list of this many texts that was open last.
pub fn listed(count: u32) -> Rc<Disk> {
    let disk = Disk::new();
    disk.put_texts(Bench::Embed, "/tmp/questions.txt", (0..count).map(|place| (text(place), None)));
    disk.record(Record::Setting("embed.view".into(), "{\"open\":7}".into()));
    disk
}

pub fn text(place: u32) -> String {
    format!("question {place}")
}

pub fn key() -> VectorKey {
    VectorKey { profile: "work".into(), model: MODEL.into(), dimensions: None }
}

#[test]
fn a_long_list_has_no_matrix_but_what_is_nearest() {
    let disk = listed(2_100);
    let mut desk = Desk::on(&disk);
    desk.settle();
    desk.shows("questions.txt");
    desk.shows("1 of 2,100");
    desk.press("^r");
    desk.shows("2,100 texts, ~");
    desk.press("e");
    let mut rounds = 0;
    loop {
        let sent = desk.sent();
        if sent.is_empty() {
            break;
        }
        rounds += sent.len();
        assert!(sent.len() <= 4 && sent.iter().all(|(_, request)| texts(request).len() <= 128));
        for (ticket, mut request) in sent {
            request.dimensions = Some(8);
            desk.answer(ticket, vectors(&request));
        }
    }
    assert_eq!(rounds, 17, "2,100 texts in requests of 128");
    desk.settle();
    desk.shows("2,100 texts embedded");
    desk.shows("Nearest, by cosine");
    desk.press("G");
    desk.settle();
    desk.shows("2,100 of 2,100");
    desk.shows("Nearest, by cosine");
    for size in [(80, 24), (40, 12)] {
        desk.size = size;
        desk.press("igl");
        desk.settle();
        desk.shows("1 of 2,100");
    }
}

#[test]
fn much_memory_is_asked_for_before_it_is_taken() {
    let disk = listed(2_100);
    // One vector tells how long all of them are.
    let vectors = vec![(TextKey::of(&text(0).into()), Arc::from(vec![1.0_f32; 40_000]))];
    assert_eq!(disk.record(Record::Vectors { key: key(), vectors }), Stored::Committed);
    for (name, size) in [("wide", (120, 36)), ("medium", (80, 24)), ("narrow", (40, 12))] {
        let mut desk = Desk::on(&disk);
        desk.settle();
        desk.size = size;
        desk.shows("336 MB");
        insta::assert_snapshot!(format!("memory_{name}"), desk.picture());
        desk.press("n");
        desk.settle();
        desk.shows("336 MB of vectors");
        desk.press("b");
        desk.settle();
        desk.hides("b loads");
    }
}

#[test]
fn nothing_typed_is_lost_to_a_full_disk() {
    let mut desk = Desk::new();
    desk.writes = Writes::Refused;
    desk.press("aone\ntwo\n\n");
    desk.wait(Duration::from_secs(2));
    desk.shows("not saved");
    desk.press("q");
    desk.shows("could not be saved");
    desk.press("\u{1b}");
    desk.writes = Writes::Done;
    desk.settle();
    desk.hides("not saved");
    assert_eq!(desk.disk.texts("embed.bench"), ["one", "two"]);
}

#[test]
fn settings_and_the_open_list_are_kept() {
    let mut desk = done((120, 36));
    desk.press("D64\n");
    desk.settle();
    let mut desk = desk.again();
    desk.settle();
    desk.shows("64 dims");
    desk.shows("A refund within 30 days");
}

#[test]
fn two_copies_share_their_vectors() {
    let desk = done((120, 36));
    let mut other = Desk::at(&desk.disk, 1_700_000_900_000);
    other.settle();
    other.shows(".87");
    other.press("^r");
    assert!(other.sent().is_empty());
}

#[test]
fn a_file_becomes_a_list_of_its_own_that_stays_when_the_file_is_gone() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("asked.txt");
    std::fs::write(&path, "first question\n\nsecond question\nthird question\n").unwrap();
    let mut desk = Desk::new();
    desk.press("atyped\n\u{1b}f");
    desk.paste(&path.to_string_lossy());
    desk.press("\n");
    desk.settle();
    desk.shows("first question");
    desk.press("\n");
    desk.settle();
    desk.shows("asked.txt");
    desk.shows("C third question");
    let (ticket, request) = desk.run();
    assert_eq!(texts(&request), ["first question", "second question", "third question"]);
    desk.answer(ticket, vectors(&request));
    desk.settle();
    std::fs::remove_file(&path).unwrap();
    let mut desk = desk.again();
    desk.settle();
    desk.shows("asked.txt");
    desk.shows("1.00");
    desk.press("L");
    desk.settle();
    desk.shows("3 texts");
    desk.press("\u{1b}T");
    desk.settle();
    desk.shows("A typed");
    desk.hides("third question");
    assert_eq!(desk.disk.texts("embed.bench"), ["typed"]);
    desk.press("L\n");
    desk.settle();
    desk.shows("C third question");
    desk.shows("1.00");
}

#[test]
fn what_the_disk_takes_later_is_called_unsaved_until_it_is_kept() {
    let mut desk = Desk::new();
    desk.writes = Writes::Waiting;
    desk.press("aone\u{1b}");
    desk.settle();
    desk.put_off("the disk is full; free some space");
    desk.shows("✕ not saved: the disk is full");
    desk.press("^q");
    desk.shows("could not be saved");
    desk.writes = Writes::Done;
    desk.release();
    desk.shows("everything is saved");
    desk.settle();
    desk.hides("not saved");
    assert_eq!(desk.disk.texts("embed.bench"), ["one"]);
}

#[test]
fn the_sign_of_a_cached_vector_is_explained_where_a_text_has_it() {
    let mut desk = done((120, 36));
    desk.hides("“=” cached");
    let mut desk = desk.again();
    desk.settle();
    desk.shows("Texts “=” cached");
    desk.shows("A refund within 30 days  =");
    // One that was embedded by this run has no sign.
    let mut desk = done((120, 36));
    desk.press("atwo words\n\u{1b}");
    desk.settle();
    desk.shows("8 of 9 are cached and free");
}
