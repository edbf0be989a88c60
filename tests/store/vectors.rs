//! The cache of vectors: bit for bit, in the order asked, beside the store and never in its way.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use benchtop::api::call::Ticket;
use benchtop::record::{Query, Record, Rows, Stored, TextKey, VectorKey, VectorTable};
use benchtop::store::StoreEvent;

use crate::bench::{Bench, conversation, home, keep_conversation, names};

fn key(model: &str, dimensions: Option<u32>) -> VectorKey {
    VectorKey { profile: "local".into(), model: model.into(), dimensions }
}

fn text(n: usize) -> TextKey {
    TextKey::of(&format!("text {n}").into())
}

/// Returns a vector that no other text has.
fn vector(n: usize, dimensions: usize) -> Arc<[f32]> {
    (0..dimensions).map(|d| (n * 31 + d) as f32 / 7.0 - 3.0).collect()
}

fn keep(key: &VectorKey, texts: impl IntoIterator<Item = usize>, dimensions: usize) -> Record {
    let vectors = texts.into_iter().map(|n| (text(n), vector(n, dimensions))).collect();
    Record::Vectors { key: key.clone(), vectors }
}

fn texts(numbers: impl IntoIterator<Item = usize>) -> Arc<[TextKey]> {
    numbers.into_iter().map(text).collect()
}

fn table(bench: &Bench, key: &VectorKey, numbers: impl IntoIterator<Item = usize>) -> Arc<VectorTable> {
    match bench.load(Query::Vectors { key: key.clone(), texts: texts(numbers) }) {
        Rows::Vectors(table) => table,
        other => panic!("{other:?}"),
    }
}

fn has(bench: &Bench, key: &VectorKey, numbers: impl IntoIterator<Item = usize>) -> Vec<bool> {
    match bench.load(Query::HasVectors { key: key.clone(), texts: texts(numbers) }) {
        Rows::HasVectors(has) => has,
        other => panic!("{other:?}"),
    }
}

fn file(path: &Path) -> PathBuf {
    path.with_file_name("vectors.db")
}

/// Subscribes to the messages of the store about its cache.
fn heard(bench: &Bench) -> Receiver<String> {
    let (send, heard) = channel();
    bench.store.subscribe(move |said| match said {
        StoreEvent::Warning(sentence) => send.send(sentence).unwrap_or_default(),
        StoreEvent::Writable => panic!("it always could be"),
    });
    heard
}

#[test]
fn a_renamed_profile_keeps_its_vectors() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    let of = |profile: &str, model: &str| VectorKey { profile: profile.into(), ..key(model, None) };
    let renamed = || Record::ProfileRenamed { from: "work".into(), to: "office".into() };
    bench.keep(renamed());
    assert!(!file(&path).exists(), "without vectors there is nothing to rename");
    bench.keep(keep(&of("work", "m"), [1, 2], 3));
    bench.keep(keep(&of("home", "m"), [4], 3));
    // Both names have vectors of this model.
    bench.keep(keep(&of("work", "n"), [1], 3));
    bench.keep(keep(&of("office", "n"), [2], 3));
    bench.keep(renamed());
    assert_eq!(has(&bench, &of("office", "m"), [1, 2, 4]), [true, true, false]);
    assert_eq!(has(&bench, &of("work", "m"), [1, 2, 4]), [false; 3]);
    assert_eq!(has(&bench, &of("home", "m"), [1, 2, 4]), [false, false, true]);
    assert_eq!(has(&bench, &of("office", "n"), [1, 2]), [false, true]);
    assert_eq!(has(&bench, &of("work", "n"), [1, 2]), [true, false]);
}

#[test]
fn vectors_come_back_bit_for_bit_in_the_order_asked() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    let (own, cut) = (key("m", None), key("m", Some(3)));
    assert!(has(&bench, &own, 0..3).iter().all(|there| !there));
    assert_eq!(*table(&bench, &own, 0..3), VectorTable::new(3));
    assert!(!file(&path).exists(), "a question makes no file");
    let odd: Arc<[f32]> = [0.1, -0.0, f32::NAN, f32::NEG_INFINITY, f32::from_bits(1)].into();
    bench.keep(Record::Vectors { key: own.clone(), vectors: vec![(text(0), Arc::clone(&odd)), (text(1), [].into())] });
    bench.keep(keep(&own, [5, 3], 5));
    bench.keep(keep(&cut, [3], 3));
    assert!(bench.store.close());

    let bench = Bench::open(&path).unwrap();
    assert_eq!(has(&bench, &own, [3, 1, 0, 3, 4]), [true, false, true, true, false]);
    assert_eq!(has(&bench, &cut, [3, 5]), [true, false]);
    assert_eq!(has(&bench, &VectorKey { profile: "other".into(), ..own.clone() }, [3]), [false]);
    // The same text twice, one that is missing, one of another key.
    let found = table(&bench, &own, [5, 0, 4, 5, 3]);
    assert_eq!((found.rows(), found.dimensions(), found.present()), (5, 5, 4));
    assert_eq!(found.row(0), Some(&*vector(5, 5)));
    assert_eq!((found.row(3), found.row(4)), (Some(&*vector(5, 5)), Some(&*vector(3, 5))));
    let bits = |numbers: &[f32]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
    assert_eq!((bits(found.row(1).unwrap()), found.row(2)), (bits(&odd), None));
    assert_eq!(table(&bench, &cut, [3]).row(0), Some(&*vector(3, 3)));
    // What is there is replaced, also by a vector of another length.
    bench.keep(Record::Vectors { key: own.clone(), vectors: vec![(text(3), vector(9, 2))] });
    let found = table(&bench, &own, [5, 3]);
    assert_eq!((found.dimensions(), found.odd()), (5, &[(1, 2)][..]));
    let found = table(&bench, &own, [3, 5]);
    assert_eq!((found.row(0), found.odd()), (Some(&*vector(9, 2)), &[(1, 5)][..]));
}

#[test]
fn each_ticket_is_answered_once_and_a_question_sees_what_was_kept_before_it() {
    let (_home, path) = home();
    for bench in [Bench::open(&path).unwrap(), Bench::memory()] {
        let own = key("m", None);
        let mut expected = Vec::new();
        for n in 0..200 {
            let (kept, asked) = (bench.ticket(), bench.ticket());
            bench.store.try_save(kept, keep(&own, [n], 16));
            bench.store.load(asked, Query::HasVectors { key: own.clone(), texts: texts([n]) });
            expected.extend([(kept, Stored::Committed), (asked, Stored::Rows(Rows::HasVectors(vec![true])))]);
        }
        let mut answers: Vec<_> = (0..400).map(|_| bench.answer()).collect();
        answers.sort_by_key(|(ticket, _)| *ticket);
        assert_eq!(answers, expected);
        // With other records they would be in two files: whole or not at all could not be kept.
        let mixed = Record::Batch(vec![keep_conversation(conversation(1, "")), keep(&own, [1], 2)]);
        assert!(matches!(bench.record(mixed), Stored::Failed(why) if why.contains("database of their own")));
        assert!(bench.heads().is_empty() && bench.answers.try_recv().is_err());
    }
}

#[test]
fn closing_finishes_what_was_ordered_and_leaves_files_that_are_whole() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    let own = key("m", None);
    for n in 0..8 {
        bench.store.try_save(Ticket(n), keep(&own, n as usize * 500..(n as usize + 1) * 500, 1_536));
    }
    bench.store.load(Ticket(8), Query::HasVectors { key: own.clone(), texts: texts(0..4_000) });
    assert!(bench.store.close());
    let mut answers: Vec<_> = bench.answers.iter().collect();
    answers.sort_by_key(|(ticket, _)| *ticket);
    assert_eq!(answers.len(), 9);
    assert!(answers[..8].iter().all(|(_, stored)| *stored == Stored::Committed));
    // On a slow disk nobody waits for this any more.
    let whole = answers[8].1 == Stored::Rows(Rows::HasVectors(vec![true; 4_000]));
    assert!(whole || answers[8].1 == Stored::Failed("benchtop is closing".into()));
    let left = names(path.parent().unwrap());
    assert!(!left.iter().any(|name| name.ends_with("-wal") || name.ends_with("-shm")), "{left:?}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(file(&path)).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn copies_share_the_cache() {
    let (_home, path) = home();
    let (one, two) = (Bench::open(&path).unwrap(), Bench::open(&path).unwrap());
    let own = key("m", None);
    one.keep(keep(&own, 0..10, 4));
    two.keep(keep(&own, 5..15, 4));
    assert_eq!(has(&one, &own, 0..16), [vec![true; 15], vec![false]].concat());
    assert!(one.store.close());
    two.keep(keep(&own, 15..16, 4));
    assert_eq!(table(&two, &own, 0..16).present(), 16);
}

#[test]
fn backups_hold_no_vectors() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    bench.keep(keep(&key("m", None), 0..3, 4));
    bench.keep(keep_conversation(conversation(1, "backed up")));
    let directory = path.with_file_name("backups");
    let deadline = std::time::Instant::now() + Duration::from_secs(30);
    while !directory.is_dir() || names(&directory).iter().all(|name| name.contains(".part")) {
        assert!(std::time::Instant::now() < deadline, "no backup");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(bench.store.close());
    let left = names(&directory);
    assert!(left.iter().all(|name| name.starts_with("benchtop-")), "{left:?}");
    let copy = rusqlite::Connection::open(directory.join(&left[0])).unwrap();
    let tables = "SELECT count(*) FROM sqlite_schema WHERE name LIKE '%vector%'";
    assert_eq!(copy.query_row(tables, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
}

/// Stores vectors in a cache, and closes it.
fn filled(path: &Path, own: &VectorKey) {
    let bench = Bench::open(path).unwrap();
    bench.keep(keep(own, 0..2_000, 256));
    assert!(bench.store.close());
}

#[test]
fn a_damaged_cache_is_put_aside_and_begun_anew() {
    let own = key("m", None);
    // No SQLite file at all; noise where vectors are; cut off; a directory of pages that leads nowhere.
    let harms: [fn(&mut Vec<u8>); 4] = [
        |bytes| bytes[..100].fill(0xa5),
        |bytes| bytes[5 * 32_768..50 * 32_768].fill(0xa5),
        |bytes| bytes.truncate(bytes.len() / 2),
        |bytes| bytes[32_768..].fill(0),
    ];
    for (n, harm) in harms.into_iter().enumerate() {
        let (_home, path) = home();
        filled(&path, &own);
        let mut bytes = fs::read(file(&path)).unwrap();
        harm(&mut bytes);
        fs::write(file(&path), &bytes).unwrap();

        let bench = Bench::open(&path).unwrap();
        assert!(bench.store.warnings().is_empty(), "{n}");
        let heard = heard(&bench);
        bench.keep(keep_conversation(conversation(1, "kept")));
        let found = table(&bench, &own, 0..2_000);
        assert_eq!((found.rows(), found.present()), (2_000, 0), "{n}");
        let told = heard.try_recv().unwrap();
        assert!(told.contains("damaged and has been recreated") && told.contains("vectors.db.corrupt-"), "{told}");
        let aside = names(path.parent().unwrap()).into_iter().find(|name| name.contains(".corrupt-")).unwrap();
        assert_eq!(fs::read(path.with_file_name(aside)).unwrap(), bytes, "{n}");
        bench.keep(keep(&own, 0..3, 256));
        assert_eq!(has(&bench, &own, 0..4), [true, true, true, false]);
        assert!(bench.store.close() && heard.try_recv().is_err());
        let bench = Bench::open(&path).unwrap();
        assert_eq!((table(&bench, &own, 0..4).present(), bench.heads().len()), (3, 1));
    }
}

#[test]
fn damage_that_a_write_meets_loses_none_of_what_is_written() {
    let (_home, path) = home();
    let own = key("m", None);
    filled(&path, &own);
    let bench = Bench::open(&path).unwrap();
    let heard = heard(&bench);
    assert!(has(&bench, &own, [0])[0]);
    // While it is open; the first page stays.
    let mut bytes = fs::read(file(&path)).unwrap();
    bytes[32_768..].fill(0xa5);
    fs::write(file(&path), &bytes).unwrap();
    let tickets: Vec<Ticket> = (0..20).map(|_| bench.ticket()).collect();
    for (n, ticket) in tickets.iter().enumerate() {
        bench.store.try_save(*ticket, keep(&own, n * 100..(n + 1) * 100, 256));
    }
    for _ in &tickets {
        assert_eq!(bench.answer().1, Stored::Committed);
    }
    assert!(heard.try_recv().unwrap().contains("has been recreated"));
    assert_eq!(table(&bench, &own, 0..2_000).present(), 2_000);
}

#[test]
fn a_damaged_cache_that_another_copy_has_open_stays_where_it_is() {
    let (_home, path) = home();
    let own = key("m", None);
    filled(&path, &own);
    let bytes = vec![0xa5; 100_000];
    fs::write(file(&path), &bytes).unwrap();
    // Another copy, as its lock shows it.
    let other = fs::File::open(path.with_file_name("vectors.db.open")).unwrap();
    other.lock_shared().unwrap();
    let bench = Bench::open(&path).unwrap();
    let heard = heard(&bench);
    let failed = |stored: Stored| matches!(stored, Stored::Failed(why) if why.contains("another copy of benchtop"));
    assert!(failed(bench.record(keep(&own, 0..1, 4))));
    // The store itself goes on.
    bench.keep(keep_conversation(conversation(1, "kept")));
    assert_eq!(fs::read(file(&path)).unwrap(), bytes);
    drop(other);
    bench.keep(keep(&own, 0..1, 4));
    assert!(heard.try_recv().unwrap().contains("has been recreated"));
}

#[test]
fn a_file_that_is_not_ours_is_left_alone() {
    let (_home, path) = home();
    Bench::open(&path).unwrap().store.close();
    let foreign = rusqlite::Connection::open(file(&path)).unwrap();
    foreign.execute_batch("CREATE TABLE theirs (x); PRAGMA application_id = 7").unwrap();
    drop(foreign);
    let before = fs::read(file(&path)).unwrap();
    let bench = Bench::open(&path).unwrap();
    let why = |bench: &Bench| match bench.record(keep(&key("m", None), 0..1, 4)) {
        Stored::Failed(why) => why.raw().to_owned(),
        other => panic!("{other:?}"),
    };
    assert!(why(&bench).contains("belongs to another program"));
    assert_eq!(fs::read(file(&path)).unwrap(), before);
    fs::remove_file(file(&path)).unwrap();
    bench.keep(keep(&key("m", None), 0..1, 4));
    assert!(bench.store.close());
    let later = rusqlite::Connection::open(file(&path)).unwrap();
    later.execute_batch("PRAGMA user_version = 3").unwrap();
    drop(later);
    assert!(why(&Bench::open(&path).unwrap()).contains("a newer version"));
}

#[test]
fn vectors_of_the_first_local_models_are_forgotten() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    let local = key("text-embedding-ada-002", None);
    let hosted = VectorKey { profile: "work".into(), ..local.clone() };
    bench.keep(keep(&local, 0..2, 4));
    bench.keep(keep(&hosted, 0..2, 4));
    assert!(bench.store.close());
    let first = rusqlite::Connection::open(file(&path)).unwrap();
    first.execute_batch("PRAGMA user_version = 1").unwrap();
    drop(first);
    let bench = Bench::open(&path).unwrap();
    bench.keep(keep(&local, 2..3, 4));
    assert_eq!(has(&bench, &local, 0..3), [false, false, true]);
    assert_eq!(has(&bench, &hosted, 0..2), [true, true]);
    assert!(bench.store.close());
    assert_eq!(has(&Bench::open(&path).unwrap(), &local, 0..3), [false, false, true], "once");
}

#[test]
fn a_lock_that_stays_is_said_and_delays_no_message() {
    let (_home, path) = home();
    let own = key("m", None);
    filled(&path, &own);
    let bench = Bench::open(&path).unwrap();
    let other = rusqlite::Connection::open(file(&path)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let waiting = bench.ticket();
    bench.store.try_save(waiting, keep(&own, 0..1, 4));
    bench.keep(keep_conversation(conversation(1, "at once")));
    let (ticket, stored) = bench.answer();
    assert_eq!(ticket, waiting);
    assert!(matches!(stored, Stored::Failed(why) if why.contains("another copy of benchtop has been writing")));
    other.execute_batch("COMMIT").unwrap();
    bench.keep(keep(&own, 0..1, 4));
}
