//! What the disk refuses for now, and a store whose file goes away while it is open.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use benchtop::record::{Id, Query, Record, Rows, Stored};
use benchtop::store::StoreEvent;

use crate::bench::{Bench, conversation, delete_folder, home, keep_conversation, keep_turn, turn};

fn setting(bench: &Bench, name: &str) -> Option<String> {
    match bench.load(Query::Setting(name.into())) {
        Rows::Setting(_, value) => value.map(|value| value.raw().to_owned()),
        other => panic!("{other:?}"),
    }
}

fn set(name: &str) -> Record {
    Record::Setting(name.into(), format!("{name}'s").into())
}

#[test]
fn what_a_lock_held_up_is_kept_without_another_order() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let first = bench.ticket();
    bench.store.try_save(first, set("a"));
    let (ticket, waits) = bench.answer();
    assert!(ticket == first && matches!(&waits, Stored::Waiting(why) if why.contains("another copy")), "{waits:?}");
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(bench.answer(), (first, Stored::Committed));
    assert_eq!(setting(&bench, "a").as_deref(), Some("a's"));
    assert!(bench.store.close());
}

/// Creates a store with one conversation and one turn.
fn filled(path: &Path) -> Bench {
    let bench = Bench::open(path).unwrap();
    bench.keep(keep_conversation(conversation(1, "kept")));
    bench.keep(keep_turn(turn(11, 1, "before")));
    bench
}

fn holds(path: &Path) {
    let bench = Bench::open(path).unwrap();
    assert!(bench.store.warnings().is_empty(), "{:?}", bench.store.warnings());
    let texts: Vec<_> = bench.turns(&[11, 12, 13]).into_iter().map(|turn| turn.content.raw().to_owned()).collect();
    assert_eq!(texts, ["before", "after", "later"]);
    assert!(bench.store.close());
}

fn deleted_while_open(delete: impl Fn(&Path)) {
    let (_home, path) = home();
    let bench = filled(&path);
    let (send, heard) = std::sync::mpsc::channel();
    bench.store.subscribe(move |said| send.send(said).unwrap_or_default());
    delete(&path);
    bench.keep(keep_turn(turn(12, 1, "after")));
    let Ok(StoreEvent::Warning(said)) = heard.recv_timeout(std::time::Duration::from_secs(20)) else {
        panic!("a warning")
    };
    assert!(said.contains("was deleted") && said.contains("restored with all its data"), "{said}");
    // What is read from now on is in the new file, too.
    bench.keep(keep_turn(turn(13, 1, "later")));
    assert_eq!(bench.turns(&[11, 13]).len(), 2);
    assert!(bench.store.close());
    assert!(heard.try_recv().is_err(), "it is said once");
    holds(&path);
}

#[test]
fn a_file_that_was_deleted_is_written_again() {
    deleted_while_open(|path| fs::remove_file(path).unwrap());
}

/// The log of the deleted file is not applied to the new one, and is kept.
#[test]
fn a_file_that_was_deleted_beside_a_log_that_goes_on_from_it_is_written_again() {
    let (_home, path) = home();
    let bench = filled(&path);
    let words = |id: i64| format!("turn {id} {}", "word ".repeat(40));
    bench.keep(Record::Batch((100..3_000).map(|id| keep_turn(turn(id, 1, &words(id)))).collect()));
    let other = rusqlite::Connection::open(&path).unwrap();
    let busy: i64 = other.query_row("PRAGMA wal_checkpoint(RESTART)", [], |row| row.get(0)).unwrap();
    assert_eq!(busy, 0, "all of the log is in the file");
    drop(other);
    for id in (100..3_000).step_by(50) {
        bench.keep(keep_turn(turn(id, 1, &format!("changed {id}"))));
    }
    fs::remove_file(&path).unwrap();
    bench.keep(keep_turn(turn(12, 1, "after")));
    bench.keep(keep_turn(turn(13, 1, "later")));
    assert!(bench.store.close());
    holds(&path);
    let bench = Bench::open(&path).unwrap();
    for turn in bench.turns(&(100..3_000).collect::<Vec<_>>()) {
        let id = turn.id.0;
        assert_eq!(turn.content.raw(), if id % 50 == 0 { format!("changed {id}") } else { words(id) });
    }
    assert!(bench.store.close());
    let kept = crate::bench::names(path.parent().unwrap());
    let logs = kept.iter().filter(|name| name.starts_with("benchtop.db.corrupt-") && name.ends_with("-wal"));
    assert_eq!(logs.count(), 1, "the old log is kept: {kept:?}");
}

#[test]
fn a_folder_that_was_deleted_is_written_again() {
    deleted_while_open(|path| delete_folder(path.parent().unwrap()));
}

#[test]
fn a_file_that_was_deleted_is_written_again_at_the_end() {
    let (_home, path) = home();
    let bench = filled(&path);
    bench.keep(keep_turn(turn(12, 1, "after")));
    bench.keep(keep_turn(turn(13, 1, "later")));
    delete_folder(path.parent().unwrap());
    assert!(bench.store.close());
    holds(&path);
}

#[test]
fn what_cannot_be_written_again_is_not_saved_until_it_can() {
    let (_home, path) = home();
    let bench = filled(&path);
    let folder = path.parent().unwrap();
    delete_folder(folder);
    fs::write(folder, "in the way").unwrap();
    let ticket = bench.ticket();
    bench.store.try_save(ticket, keep_turn(turn(12, 1, "after")));
    let (_, waits) = bench.answer();
    let said = |why: &benchtop::text::Untrusted| why.contains("was deleted and cannot be recreated");
    assert!(matches!(&waits, Stored::Waiting(why) if said(why)), "{waits:?}");
    fs::remove_file(folder).unwrap();
    assert_eq!(bench.answer(), (ticket, Stored::Committed));
    bench.keep(keep_turn(turn(13, 1, "later")));
    assert!(bench.store.close());
    holds(&path);
}

#[test]
fn of_two_copies_both_go_on_in_the_file_that_one_has_written_again() {
    let (_home, path) = home();
    let one = filled(&path);
    let two = Bench::open(&path).unwrap();
    fs::remove_file(&path).unwrap();
    one.keep(keep_turn(turn(12, 1, "after")));
    two.keep(keep_turn(turn(13, 1, "later")));
    assert!(two.store.close());
    assert_eq!(one.turns(&[11, 12, 13]).len(), 3);
    assert!(one.store.close());
    holds(&path);
}

/// Returns the text in the message box, and the other drafts.
fn drafts(bench: &Bench) -> (String, Vec<String>) {
    let Rows::Drafts(Id(1), others) = bench.load(Query::Drafts(Id(1))) else { panic!() };
    (bench.conversation(1).unwrap().draft, others)
}

/// Waits until the threads of copies that were closed have ended, and with them their lock files.
fn wait_until_no_copy_runs(path: &Path) {
    let is_lock = |name: &str| name.contains(".copy-");
    let names = || fs::read_dir(path.parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name());
    let end = Instant::now() + Duration::from_secs(20);
    while names().any(|name| name.to_str().is_some_and(is_lock)) {
        assert!(Instant::now() < end, "a copy still runs");
        std::thread::yield_now();
    }
}

fn draft(text: &str) -> Record {
    Record::Draft { conversation: Id(1), text: text.into() }
}

fn shown(current: &str, others: &[&str]) -> (String, Vec<String>) {
    (current.to_owned(), others.iter().map(|text| (*text).to_owned()).collect())
}

#[test]
fn each_copy_keeps_its_own_draft() {
    let (_home, path) = home();
    let one = filled(&path);
    let two = Bench::open(&path).unwrap();
    one.keep(draft("of one"));
    // What another copy is writing is not for this one's message box.
    assert_eq!(drafts(&two), shown("", &["of one"]));
    two.keep(draft("of two"));
    one.keep(draft("of one, longer"));
    assert_eq!(drafts(&one), shown("of one, longer", &["of two"]));
    assert_eq!(drafts(&two), shown("of two", &["of one, longer"]));
    // One sends the same words: the other's stay.
    two.keep(draft("of one, longer"));
    one.keep(Record::DraftSent { conversation: Id(1), text: "of one, longer".into() });
    assert_eq!(drafts(&one), shown("", &["of one, longer"]));
    two.keep(draft("of two"));
    one.keep(draft("last"));
    assert!(one.store.close() && two.store.close());
    wait_until_no_copy_runs(&path);

    let three = Bench::open(&path).unwrap();
    assert_eq!(drafts(&three), shown("last", &["of two"]));
    assert!(matches!(three.load(Query::Heads), Rows::Heads(heads) if heads[0].conversation.draft == "last"));
    // It goes on from the newest, then takes the other one over.
    three.keep(draft("last one"));
    three.keep(Record::DraftTaken { conversation: Id(1), text: "last".into() });
    assert_eq!(drafts(&three), shown("last one", &["of two"]));
    three.keep(Record::DraftAside(Id(1)));
    three.keep(draft("of two"));
    three.keep(Record::DraftTaken { conversation: Id(1), text: "of two".into() });
    assert_eq!(drafts(&three), shown("of two", &["last one"]));
    three.keep(Record::DraftSent { conversation: Id(1), text: "of two".into() });
    assert_eq!(drafts(&three), shown("last one", &[]));
    three.keep(Record::DraftSent { conversation: Id(1), text: "last one".into() });
    assert!(three.store.close());
    wait_until_no_copy_runs(&path);
    let four = Bench::open(&path).unwrap();
    assert_eq!(drafts(&four), shown("", &[]));
}

#[test]
fn a_draft_that_two_copies_show_stays_when_one_of_them_goes_on_with_it() {
    let (_home, path) = home();
    let first = filled(&path);
    first.keep(draft("found"));
    assert!(first.store.close());
    wait_until_no_copy_runs(&path);
    let one = Bench::open(&path).unwrap();
    let two = Bench::open(&path).unwrap();
    assert_eq!((drafts(&one), drafts(&two)), (shown("found", &[]), shown("found", &[])));
    one.keep(draft("found and changed"));
    one.keep(Record::DraftTaken { conversation: Id(1), text: "found".into() });
    assert!(one.store.close() && two.store.close());
    wait_until_no_copy_runs(&path);
    let three = Bench::open(&path).unwrap();
    assert_eq!(drafts(&three), shown("found and changed", &["found"]));
}

#[test]
fn what_another_copy_added_after_a_message_stays_when_that_is_deleted() {
    let (_home, path) = home();
    let one = filled(&path);
    one.keep(keep_turn(turn(12, 1, "to be deleted")));
    let two = Bench::open(&path).unwrap();
    two.keep(keep_turn(turn(13, 1, "added by another copy")));
    // The first copy does not know what followed.
    one.keep(Record::Batch(vec![
        Record::Moved { turns: vec![], parent: Some(Id(11)) },
        Record::DeleteTurn { turn: Id(12), parent: Some(Id(11)) },
    ]));
    let after = two.turns(&[13]);
    assert_eq!((after[0].parent, after[0].content.raw()), (Some(Id(11)), "added by another copy"));
    // Of the first message.
    one.keep(Record::DeleteTurn { turn: Id(11), parent: None });
    assert_eq!(two.turns(&[13])[0].parent, None);
    assert!(one.store.close() && two.store.close());
}

#[test]
fn what_does_not_fit_is_saved_when_it_does_and_what_depends_on_it_waits_behind_it() {
    let bench = Bench::memory();
    let [first, more] = [(); 2].map(|()| bench.ticket());
    bench.store.save(first, keep_turn(turn(11, 1, "be")));
    let (ticket, waits) = bench.answer();
    assert!(ticket == first && matches!(&waits, Stored::Waiting(why) if why.contains("was deleted")), "{waits:?}");
    bench.store.save(more, crate::bench::extend(11, 2, "fore", 0, ""));
    let (ticket, waits) = bench.answer();
    assert!(ticket == more && matches!(waits, Stored::Waiting(_)), "{waits:?}");
    // What depends on nothing that waits goes ahead, and makes the others fit.
    let conversation = bench.ticket();
    bench.store.try_save(conversation, keep_conversation(crate::bench::conversation(1, "kept")));
    assert_eq!(bench.answer(), (conversation, Stored::Committed));
    assert_eq!([bench.answer(), bench.answer()], [(first, Stored::Committed), (more, Stored::Committed)]);
    let texts: Vec<_> = bench.turns(&[11]).into_iter().map(|turn| turn.content.raw().to_owned()).collect();
    assert_eq!(texts, ["before"]);
    assert!(bench.store.close());
}

#[test]
fn what_another_copy_deleted_for_good_is_reported_once_and_holds_up_nothing() {
    let (_home, path) = home();
    let one = filled(&path);
    let two = Bench::open(&path).unwrap();
    two.keep(Record::Trashed { conversation: Id(1), at_ms: Some(1) });
    two.keep(Record::Purge(Id(1)));
    let last_open = |id: &str| Record::Setting("chat.last".into(), id.into());
    let sent = |conversation: i64, turn_id: i64| {
        let record = keep_conversation(crate::bench::conversation(conversation, "kept"));
        Record::Batch(vec![
            record,
            keep_turn(turn(turn_id, conversation, "sent")),
            last_open(&conversation.to_string()),
        ])
    };
    let [gone, turn_of_it, mark, next] = [(); 4].map(|()| one.ticket());
    let failed = |(ticket, stored): (_, Stored), of| {
        ticket == of && matches!(&stored, Stored::Failed(why) if why.contains("was deleted"))
    };
    one.store.save(gone, sent(1, 21));
    assert!(failed(one.answer(), gone));
    one.store.save(turn_of_it, keep_turn(turn(11, 1, "goes on")));
    assert!(failed(one.answer(), turn_of_it));
    one.store.save(mark, crate::bench::extend(11, 2, "more", 0, ""));
    assert!(failed(one.answer(), mark));
    one.store.save(next, sent(2, 22));
    assert_eq!(one.answer(), (next, Stored::Committed));
    assert!(one.store.close() && two.store.close());
}
