//! Opening what is damaged, foreign, of a later version or out of reach; and the copies that are kept of it.

use std::fs;
use std::path::Path;
use std::time::Duration;

use benchtop::record::{Conversation, Id, Query, Record, Rows, Stored};
use benchtop::store::StoreError;

use crate::bench::{Bench, conversation, home, keep_conversation, keep_turn, names, turn};

#[cfg(unix)]
#[test]
fn the_file_is_for_this_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let (_home, path) = home();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let bench = Bench::open(&path).unwrap();
    bench.keep(Record::Setting("a".into(), "b".into()));
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(&path.with_file_name("benchtop.db-wal")), 0o600);
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    bench.store.close();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    Bench::open(&path).unwrap();
    assert_eq!(mode(&path), 0o600);
}

#[test]
fn what_cannot_be_opened_says_why_and_stays_as_it_is() {
    let (home, path) = home();
    // A directory that cannot be: its parent is a file.
    fs::write(home.path().join("data"), "").unwrap();
    assert!(Bench::open(&path).err().unwrap().to_string().starts_with("cannot use "));
    fs::remove_file(home.path().join("data")).unwrap();

    Bench::open(&path).unwrap().store.close();
    let change = |sql: &str| rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    change("PRAGMA user_version = 1; PRAGMA application_id = 7");
    let before = fs::read(&path).unwrap();
    assert!(matches!(Bench::open(&path).err().unwrap(), StoreError::Foreign));
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[cfg(unix)]
#[test]
fn a_directory_that_cannot_be_written_is_an_error() {
    use std::os::unix::fs::PermissionsExt;
    let (_home, path) = home();
    let directory = path.parent().unwrap();
    fs::create_dir_all(directory).unwrap();
    fs::set_permissions(directory, fs::Permissions::from_mode(0o500)).unwrap();
    let writable = fs::write(directory.join("probe"), "").is_ok();
    let opened = Bench::open(&path);
    fs::set_permissions(directory, fs::Permissions::from_mode(0o700)).unwrap();
    // The superuser may write everywhere.
    assert_eq!(opened.is_ok(), writable);
}

/// Creates a store of 2,000 turns, cleanly closed.
fn filled(path: &Path) {
    let bench = Bench::open(path).unwrap();
    bench.keep(keep_conversation(Conversation { leaf: Some(Id(2099)), ..conversation(1, "damaged") }));
    let turns = (100..2100).map(|n| keep_turn(turn(n, 1, &format!("{n} {}", "text of some length ".repeat(20)))));
    bench.keep(Record::Batch(turns.collect()));
    bench.keep(Record::Draft { conversation: Id(1), text: "draft".into() });
    assert!(bench.store.close());
}

/// Overwrites some pages in the middle, as a bad disk does; returns the damaged file.
fn damaged(path: &Path) -> Vec<u8> {
    let mut bytes = fs::read(path).unwrap();
    let pages = bytes.len() / 4096;
    for page in [pages / 3, pages / 2, pages / 2 + 1] {
        bytes[page * 4096..(page + 1) * 4096].fill(0xa5);
    }
    fs::write(path, &bytes).unwrap();
    bytes
}

#[test]
fn a_damaged_store_is_put_aside_and_salvaged() {
    let (_home, path) = home();
    let directory = path.parent().unwrap().to_owned();
    fs::create_dir_all(directory.join("backups")).unwrap();
    fs::write(directory.join("backups").join("benchtop-2020-01-01.db"), "old").unwrap();
    filled(&path);
    // The log says that the exit was not clean.
    let bytes = damaged(&path);
    fs::write(directory.join("benchtop.db-wal"), "x").unwrap();

    let bench = Bench::open(&path).unwrap();
    let warning = bench.store.warnings().join("\n");
    assert!(warning.contains("damaged") && warning.contains(".corrupt-"), "{warning}");
    assert!(warning.contains("backups"), "{warning}");
    let heads = bench.heads();
    assert!((1900..2000).contains(&heads[0].1), "{} of 2,000 turns left", heads[0].1);
    assert_eq!(heads[0].2, "damaged");
    assert_eq!(bench.conversation(1).unwrap().draft, "draft");
    let ids: Vec<i64> = match bench.load(Query::Outline(Id(1))) {
        Rows::Outline(_, shape) => {
            assert!(shape.iter().all(|(_, parent)| parent.is_none_or(|p| shape.iter().any(|(id, _)| *id == p))));
            shape.into_iter().map(|(id, _)| id.0).collect()
        }
        other => panic!("{other:?}"),
    };
    for turn in bench.turns(&ids) {
        assert!(turn.content.raw().starts_with(&format!("{} text", turn.id.0)));
    }
    assert_eq!(bench.found("length").len(), 1);
    // The damaged file is as it was, and the new one is in order.
    let aside = names(&directory).into_iter().find(|n| n.contains(".corrupt-") && !n.ends_with("-wal")).unwrap();
    assert_eq!(fs::read(directory.join(aside)).unwrap(), bytes);
    bench.keep(keep_turn(turn(5000, 1, "goes on")));
    assert!(bench.store.close());
    assert!(Bench::open(&path).unwrap().store.warnings().is_empty());
}

#[test]
fn a_repair_that_died_is_done_again() {
    let (_home, path) = home();
    filled(&path);
    damaged(&path);
    // All that is left of the first try: nothing else says that the store is not sound.
    fs::write(path.with_file_name("benchtop.db.new"), "half a copy").unwrap();
    let bench = Bench::open(&path).unwrap();
    assert!(bench.store.warnings().join("").contains("turns in 1 conversation,"));
    assert!((1900..2000).contains(&bench.heads()[0].1));
    assert!(!path.with_file_name("benchtop.db.new").exists());
}

#[test]
fn a_repair_that_fails_leaves_the_damaged_file_and_is_tried_again() {
    let (_home, path) = home();
    filled(&path);
    let bytes = damaged(&path);
    fs::write(path.with_file_name("benchtop.db-wal"), "x").unwrap();
    // Where the copy would go nothing can be written.
    let new = path.with_file_name("benchtop.db.new");
    fs::create_dir_all(new.join("x")).unwrap();
    for _ in 0..2 {
        let bench = Bench::open(&path).unwrap();
        let why = bench.store.unsaved().unwrap();
        assert!(why.contains("it is damaged") && why.contains("nothing was changed"), "{why}");
        assert!((1900..2000).contains(&bench.heads()[0].1), "it can be read meanwhile");
        assert!(bench.store.close());
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
    fs::remove_dir_all(&new).unwrap();
    assert!((1900..2000).contains(&Bench::open(&path).unwrap().heads()[0].1));
}

#[test]
fn damage_that_only_a_reader_meets_is_repaired_by_the_next_start() {
    let (_home, path) = home();
    filled(&path);
    damaged(&path);
    // The exit was clean, so nothing is checked.
    let bench = Bench::open(&path).unwrap();
    assert!(bench.store.warnings().is_empty());
    let ticket = bench.ticket();
    bench.store.load(ticket, Query::Turns((100..2100).map(Id).collect()));
    let Stored::Failed(why) = bench.answer().1 else { panic!("damage was not met") };
    assert_eq!(why, "the store is damaged; quit all copies of benchtop, and the next start repairs it");
    assert!(bench.store.close());
    let bench = Bench::open(&path).unwrap();
    assert_eq!(bench.store.warnings().len(), 1);
    assert!((1900..2000).contains(&bench.heads()[0].1));
}

#[test]
fn a_file_that_is_no_store_at_all_does_not_block_the_start() {
    let (_home, path) = home();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, "not a database, but more than a hundred bytes of something else. ".repeat(100)).unwrap();
    let bench = Bench::open(&path).unwrap();
    assert!(bench.store.warnings()[0].contains("0 turns"), "{:?}", bench.store.warnings());
    bench.keep(keep_conversation(conversation(1, "new")));
}

#[test]
fn damage_while_another_copy_runs_is_only_read() {
    let (_home, path) = home();
    filled(&path);
    // Another copy, as its lock shows it.
    let other = fs::File::open(path.with_file_name("benchtop.db.open")).unwrap();
    other.lock_shared().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes[..100].fill(0);
    fs::write(&path, &bytes).unwrap();
    let bench = Bench::open(&path).unwrap();
    assert_eq!(bench.store.unsaved().unwrap(), StoreError::DamagedInUse.to_string());
    assert_eq!(bench.heads()[0].1, 2000, "it can be read meanwhile");
    assert!(bench.store.close());
    assert_eq!(fs::read(&path).unwrap(), bytes);
    drop(other);
    assert_eq!(Bench::open(&path).unwrap().store.warnings().len(), 1);
}

#[test]
fn a_daily_backup_holds_what_the_store_held() {
    let (_home, path) = home();
    let directory = path.with_file_name("backups");
    fs::create_dir_all(&directory).unwrap();
    for day in 1..=9 {
        fs::write(directory.join(format!("benchtop-2020-01-0{day}.db")), "old").unwrap();
    }
    fs::write(directory.join("benchtop-mine.db"), "not ours").unwrap();
    let bench = Bench::open(&path).unwrap();
    bench.keep(keep_conversation(conversation(1, "backed up")));
    let deadline = std::time::Instant::now() + Duration::from_secs(30);
    while names(&directory).len() != 8 {
        assert!(std::time::Instant::now() < deadline, "{:?}", names(&directory));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(bench.store.close());
    let left = names(&directory);
    assert_eq!(left[0], "benchtop-2020-01-04.db");
    assert!(left.contains(&"benchtop-mine.db".to_owned()));
    let newest = directory.join(left.iter().rev().find(|name| !name.contains("mine")).unwrap());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&newest).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let copy = rusqlite::Connection::open(newest).unwrap();
    let title: String = copy.query_row("SELECT title FROM conversations", [], |row| row.get(0)).unwrap();
    assert_eq!(title, "backed up");
}
