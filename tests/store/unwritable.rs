//! Stores that cannot be written: on a disk that is full or mounted to be read, or of a newer version.
//!
//! The tests that need such a disk mount one in a namespace of their own and run there as another process of this
//! program; where that is not allowed they say so and are skipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use benchtop::record::{Id, Query, Record, Rows, Stored};
use benchtop::store::StoreEvent;

use crate::bench::{Bench, conversation, home, keep_conversation, keep_turn, names, turn};

/// Names the directory for the tests in the namespace.
const INSIDE: &str = "BENCHTOP_TEST_INSIDE";

fn fill(bench: &Bench) {
    bench.keep(keep_conversation(conversation(1, "kept")));
    bench.keep(Record::Batch((100..300).map(|id| keep_turn(turn(id, 1, &format!("turn {id}")))).collect()));
}

/// Checks that all stored records can be read.
fn assert_readable(bench: &Bench) {
    assert_eq!(bench.heads(), vec![(1, 200, "kept".to_owned())]);
    let turns = bench.turns(&(100..300).collect::<Vec<_>>());
    assert_eq!(turns.len(), 200);
    assert!(turns.iter().all(|turn| turn.content.raw() == format!("turn {}", turn.id.0)));
    let Rows::Outline(_, outline) = bench.load(Query::Outline(Id(1))) else { panic!("an outline") };
    assert_eq!(outline.len(), 200);
    assert_eq!(bench.found("turn").len(), 1);
    assert_eq!(bench.load(Query::Presets), Rows::Presets(vec![]));
}

fn refusal(bench: &Bench) -> String {
    match bench.record(keep_turn(turn(500, 1, "new"))) {
        Stored::Failed(why) | Stored::Waiting(why) => why.raw().to_owned(),
        other => panic!("{other:?}"),
    }
}

/// Runs one of the ignored tests below in a namespace in which `script` has mounted something over its first argument.
fn inside(test: &str, home: &Path, script: &str) {
    let root = rustix::process::geteuid().is_root();
    let mut unshare = Command::new("unshare");
    unshare.args(if root { &["-m"][..] } else { &["-rm"][..] });
    let script = format!("{script} || exit 99; shift; exec \"$@\"");
    unshare.args(["sh", "-c", &script, "sh"]).arg(home).arg(std::env::current_exe().unwrap());
    let run = unshare.args(["--exact", test, "--ignored", "--nocapture"]).env(INSIDE, home).output();
    match run {
        Err(why) => eprintln!("skipped: there is no unshare here: {why}"),
        Ok(run) if run.status.success() => {}
        Ok(run) => {
            let said = [run.stdout, run.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
            let refused = run.status.code() == Some(99) || said.contains("unshare failed");
            assert!(refused, "{said}");
            eprintln!("skipped: nothing can be mounted here: {said}");
        }
    }
}

fn place(name: &str) -> PathBuf {
    Path::new(&std::env::var_os(INSIDE).expect("run by another test")).join(name).join("benchtop.db")
}

#[test]
fn a_store_on_a_disk_mounted_to_be_read_is_read() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path().canonicalize().unwrap();
    let clean = home.join("clean").join("benchtop.db");
    let bench = Bench::open(&clean).unwrap();
    fill(&bench);
    // As a crash leaves it: with a log, and without the file that copies share.
    let crashed = home.join("crashed");
    fs::create_dir(&crashed).unwrap();
    for name in ["benchtop.db", "benchtop.db-wal"] {
        fs::copy(clean.with_file_name(name), crashed.join(name)).unwrap();
    }
    assert!(bench.store.close());
    let bytes = fs::read(&clean).unwrap();
    for (name, at, value) in [("damaged", 0, 0), ("newer", 63, 99)] {
        let mut bytes = bytes.clone();
        bytes[at] = value;
        fs::create_dir(home.join(name)).unwrap();
        fs::write(home.join(name).join("benchtop.db"), bytes).unwrap();
    }
    inside("unwritable::read_only", &home, "mount --bind \"$1\" \"$1\" && mount -o remount,ro,bind \"$1\"");
}

#[test]
#[ignore = "run by another test, on a disk mounted to be read"]
fn read_only() {
    for name in ["clean", "crashed", "damaged", "newer"] {
        let bench = Bench::open(&place(name)).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert_readable(&bench);
        let why = bench.store.unsaved().unwrap().to_owned();
        assert!(why.contains("Read-only file system") && why.contains(name), "{why}");
        assert_eq!(refusal(&bench), why);
        assert_eq!(bench.store.end(), Err(format!("messages: {why}")), "what could not be kept is said at the end");
    }
}

#[test]
fn a_store_on_a_full_disk_is_read_and_written_once_there_is_room() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path().canonicalize().unwrap();
    inside("unwritable::full", &home, "mount -t tmpfs -o size=4m none \"$1\"");
}

#[test]
#[ignore = "run by another test, on a small disk"]
fn full() {
    let path = place("data");
    let bench = Bench::open(&path).unwrap();
    fill(&bench);
    assert!(bench.store.close());
    let filler = path.with_file_name("filler");
    fill_disk(&filler);
    let bench = Bench::open(&path).unwrap();
    assert_readable(&bench);
    let why = bench.store.unsaved().unwrap().to_owned();
    assert!(why.contains("disk full; free some space"), "{why}");
    assert!(refusal(&bench).contains("disk full"));
    let (send, heard) = channel();
    bench.store.subscribe(move |said| send.send(said).unwrap_or_default());
    fs::remove_file(filler).unwrap();
    // What was refused is written by itself.
    assert_eq!(bench.answer().1, Stored::Committed);
    assert_eq!(heard.recv_timeout(Duration::from_secs(10)), Ok(StoreEvent::Writable));
    assert_eq!(bench.turns(&[500])[0].content, "new");
    // From now on it is as one that could be written from the start.
    assert!(threads().contains(&"store-reader".to_owned()), "{:?}", threads());
    let begun = Instant::now();
    let backups = path.with_file_name("backups");
    while !backups.exists() || names(&backups).iter().all(|name| name.contains(".part")) {
        assert!(begun.elapsed() < Duration::from_secs(30), "there is a backup of today");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(bench.store.close());
    let bench = Bench::open(&path).unwrap();
    assert_eq!((bench.store.unsaved(), bench.turns(&[500]).len()), (None, 1));
}

/// Returns the names of this process's threads.
fn threads() -> Vec<String> {
    let tasks = fs::read_dir("/proc/self/task").unwrap();
    tasks
        .filter_map(|task| fs::read_to_string(task.ok()?.path().join("comm")).ok())
        .map(|name| name.trim().to_owned())
        .collect()
}

/// Another copy that checks the store holds up the start, but no query afterwards.
#[test]
fn a_store_that_another_copy_checks_for_long_is_read_without_waiting() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    fill(&bench);
    assert!(bench.store.close());
    let checks = fs::File::open(path.with_file_name("benchtop.db.open")).unwrap();
    checks.lock().unwrap();
    let bench = Bench::open(&path).unwrap();
    assert!(bench.store.unsaved().unwrap().contains("check"), "{:?}", bench.store.unsaved());
    let begun = Instant::now();
    assert!(refusal(&bench).contains("check"));
    assert_readable(&bench);
    // It waits ten seconds at the start.
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    drop(checks);
    assert_eq!(bench.answer().1, Stored::Committed);
    assert!(bench.store.close());
}

#[test]
fn a_first_start_on_a_full_disk_saves_once_there_is_room() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path().canonicalize().unwrap();
    inside("unwritable::full_at_first", &home, "mount -t tmpfs -o size=2m none \"$1\"");
}

#[test]
#[ignore = "run by another test, on a small disk"]
fn full_at_first() {
    let path = place("data");
    fs::create_dir(path.parent().unwrap()).unwrap();
    let filler = path.with_file_name("filler");
    fill_disk(&filler);
    let bench = Bench::open(&path).unwrap();
    let why = bench.store.unsaved().unwrap().to_owned();
    assert!(why.contains("disk full; free some space"), "{why}");
    assert_eq!(bench.load(Query::Presets), Rows::Presets(vec![]));
    let kept = Record::Batch(vec![keep_conversation(conversation(1, "kept")), keep_turn(turn(100, 1, "new"))]);
    let Stored::Waiting(_) = bench.record(kept) else { panic!("it waits for the disk") };
    fs::remove_file(&filler).unwrap();
    assert_eq!(bench.answer().1, Stored::Committed);
    assert_eq!(bench.turns(&[100])[0].content, "new");
    assert_eq!(bench.store.end(), Ok(()));
    // Quitting tries once more.
    let second = place("second");
    fs::create_dir(second.parent().unwrap()).unwrap();
    fill_disk(&filler);
    let bench = Bench::open(&second).unwrap();
    let kept = Record::Batch(vec![keep_conversation(conversation(1, "kept")), keep_turn(turn(100, 1, "new"))]);
    let Stored::Waiting(_) = bench.record(kept) else { panic!("it waits for the disk") };
    fs::remove_file(&filler).unwrap();
    assert_eq!(bench.store.end(), Ok(()));
    assert_eq!(Bench::open(&second).unwrap().turns(&[100])[0].content, "new");
}

/// Takes all room of a disk.
fn fill_disk(filler: &Path) {
    let mut block = 1 << 16;
    let mut file = fs::File::create(filler).unwrap();
    while block > 0 {
        if std::io::Write::write_all(&mut file, &vec![0; block]).is_err() {
            block /= 2;
        }
    }
}

#[test]
fn a_store_of_a_newer_version_is_read_and_not_changed() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    fill(&bench);
    assert!(bench.store.close());
    let newer = "ALTER TABLE turns ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'; CREATE TABLE moods (id INTEGER PRIMARY KEY); \
         PRAGMA user_version = 99";
    rusqlite::Connection::open(&path).unwrap().execute_batch(newer).unwrap();
    let before = fs::read(&path).unwrap();
    let bench = Bench::open(&path).unwrap();
    assert_readable(&bench);
    let why = bench.store.unsaved().unwrap().to_owned();
    assert!(why.contains("newer benchtop (format 99") && why.contains("update benchtop"), "{why}");
    assert_eq!(refusal(&bench), why);
    assert!(bench.store.close());
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_damaged_store_that_cannot_be_repaired_is_read() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    fill(&bench);
    assert!(bench.store.close());
    let mut bytes = fs::read(&path).unwrap();
    bytes[..100].fill(0);
    fs::write(&path, &bytes).unwrap();
    // Where the copy would go nothing can be written.
    fs::create_dir_all(path.with_file_name("benchtop.db.new").join("x")).unwrap();
    let bench = Bench::open(&path).unwrap();
    assert_readable(&bench);
    let why = bench.store.unsaved().unwrap().to_owned();
    assert!(why.contains("it is damaged") && why.contains("nothing was changed"), "{why}");
    assert_eq!(refusal(&bench), why);
    assert!(!bench.store.close());
    assert_eq!(fs::read(&path).unwrap(), bytes);
}
