//! Damage that SQLite does not see or cannot get over: single bits, files that are empty, what was deleted.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use benchtop::record::{Id, Query, Record, Rows, Stored};
use benchtop::store::StoreEvent;

use crate::bench::{Bench, conversation, home, keep_conversation, keep_turn, names, turn};

const TURNS: std::ops::Range<i64> = 100..400;
/// A turn that goes on in pages of its own.
const LONG: i64 = 250;

fn text(id: i64) -> String {
    let length = if id == LONG { 4000 } else { 8 };
    format!("{id} {}", "text of some length ".repeat(length))
}

/// Creates a store of 300 turns and some records of other kinds, cleanly closed.
fn filled(path: &Path) {
    let bench = Bench::open(path).unwrap();
    bench.keep(keep_conversation(conversation(1, "kept")));
    bench.keep(Record::Batch(TURNS.map(|id| keep_turn(turn(id, 1, &text(id)))).collect()));
    bench.keep(Record::Draft { conversation: Id(1), text: "draft".into() });
    bench.keep(Record::Setting("chat.last".into(), "1".into()));
    assert!(bench.store.close());
}

/// Returns what is wrong with a store that should hold all turns; `None`: nothing.
fn missing(bench: &Bench) -> Option<String> {
    missing_but(bench, &BTreeSet::new())
}

/// Works like [`missing`], without the turns in `damaged`.
fn missing_but(bench: &Bench, damaged: &BTreeSet<i64>) -> Option<String> {
    let ask = |query| {
        let ticket = bench.ticket();
        bench.store.load(ticket, query);
        match bench.answer().1 {
            Stored::Rows(rows) => Ok(rows),
            other => Err(format!("{other:?}")),
        }
    };
    let found = || {
        let Rows::Heads(heads) = ask(Query::Heads)? else { return Err("no heads".to_owned()) };
        // A damaged bit in the conversation's own row may give it another name, even another id.
        let ids: BTreeSet<i64> = heads.iter().map(|head| head.conversation.id.0).collect();
        let mut reached = BTreeSet::new();
        for id in ids {
            let Rows::Outline(_, outline) = ask(Query::Outline(Id(id)))? else { return Err("no outline".to_owned()) };
            reached.extend(outline.into_iter().map(|(id, _)| id.0));
        }
        let wanted = || TURNS.filter(|id| !damaged.contains(id));
        if let Some(lost) = wanted().find(|id| !reached.contains(id)) {
            return Err(format!("turn {lost} belongs to no conversation"));
        }
        let Rows::Turns(turns) = ask(Query::Turns(wanted().map(Id).collect()))? else {
            return Err("no turns".to_owned());
        };
        let wrong = turns.iter().find(|turn| turn.content.raw() != text(turn.id.0));
        match wrong {
            Some(turn) => Err(format!("turn {} is {:.40}", turn.id.0, turn.content.raw())),
            None if turns.len() < wanted().count() => Err(format!("{} turns", turns.len())),
            None => Ok(()),
        }
    };
    found().err()
}

fn heard(bench: &Bench) -> Receiver<StoreEvent> {
    let (send, heard) = channel();
    bench.store.subscribe(move |said| send.send(said).unwrap_or_default());
    heard
}

/// Places in the header and in the first four pages: each byte of the header, and of each page as many again, most of
/// them where it holds something. A place and the bit to change there.
fn places(bytes: &[u8], count: usize) -> Vec<(usize, u8)> {
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 33) as usize % below
    };
    let used: Vec<Vec<usize>> = (0..4)
        .map(|page| (page * 4096..(page + 1) * 4096).filter(|at| *at >= 100 && bytes[*at] != 0).collect())
        .collect();
    (0..count)
        .map(|n| {
            let at = match n % 4 {
                0 => (n / 4) % 100,
                _ if n % 12 == 1 => 100 + next(4 * 4096 - 100),
                _ => {
                    let page = &used[(n / 4) % 4];
                    page[next(page.len())]
                }
            };
            (at, next(8) as u8)
        })
        .collect()
}

/// Returns the turns that are stored, completely or in part, in the first four pages.
fn in_first_pages(path: &Path) -> BTreeSet<i64> {
    let rows = rusqlite::Connection::open(path).unwrap();
    let sql =
        "SELECT pageno, ncell, pagetype FROM dbstat WHERE name = 'turns' AND pagetype <> 'internal' ORDER BY path";
    let mut select = rows.prepare(sql).unwrap();
    let pages = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
    let (mut ids, mut found) = (TURNS, BTreeSet::new());
    for page in pages {
        let (page, cells, kind): (i64, i64, String) = page.unwrap();
        let here: Vec<i64> = if kind == "overflow" { vec![LONG] } else { ids.by_ref().take(cells as usize).collect() };
        if page <= 4 {
            found.extend(here);
        }
    }
    assert!(found.len() < 50, "most turns are in other pages");
    found
}

/// One changed bit in the first pages loses nothing that is in others: it is there at once, or it is said that the
/// store is damaged and it is there after the next start. `BENCHTOP_BITS` says at how many places; 400 are all.
#[test]
fn one_changed_bit_in_the_first_pages_loses_nothing_in_others() {
    let count = std::env::var("BENCHTOP_BITS").ok().and_then(|count| count.parse().ok()).unwrap_or(40);
    let (_home, path) = home();
    filled(&path);
    let there = in_first_pages(&path);
    let whole = fs::read(&path).unwrap();
    let (mut repaired, mut later) = (0, 0);
    for (at, bit) in places(&whole, count) {
        let (_home, path) = home();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << bit;
        fs::write(&path, &bytes).unwrap();
        let at = format!("bit {bit} of byte {at}");
        let bench = Bench::open(&path).unwrap_or_else(|why| panic!("{at}: {why}"));
        repaired += usize::from(!bench.store.warnings().is_empty());
        let heard = heard(&bench);
        let Some(first) = missing_but(&bench, &there) else { continue };
        later += 1;
        let said = heard.recv_timeout(Duration::from_mins(1));
        assert!(matches!(&said, Ok(StoreEvent::Warning(_))), "{at}: {first} without a word: {said:?}");
        assert!(bench.store.close());
        let bench = Bench::open(&path).unwrap();
        let still = missing_but(&bench, &there);
        assert_eq!(still, None, "{at}: {first}, and after the next start: {:?}", bench.store.warnings());
    }
    println!("{count} places: {repaired} repaired at once, {later} at the next start, the others without effect");
}

#[test]
fn a_store_without_its_schema_loses_nothing_of_its_other_pages() {
    let (_home, path) = home();
    filled(&path);
    let mut bytes = fs::read(&path).unwrap();
    bytes[..4096].fill(0xa5);
    // The page that leads to all turns.
    bytes[3 * 4096..4 * 4096].fill(0xa5);
    fs::write(&path, &bytes).unwrap();
    let bench = Bench::open(&path).unwrap();
    assert_eq!(missing(&bench), None, "{:?}", bench.store.warnings());
    assert_eq!(bench.conversation(1).unwrap().draft, "draft");
    assert_eq!(bench.found("length").len(), 1, "words are found again");
    let setting = bench.load(Query::Setting("chat.last".into()));
    assert_eq!(setting, Rows::Setting("chat.last".into(), Some("1".into())));
    assert!(bench.store.close());
    assert!(Bench::open(&path).unwrap().store.warnings().is_empty());
}

#[test]
fn what_the_header_or_the_schema_shows_is_repaired_at_once() {
    let (_home, path) = home();
    filled(&path);
    let whole = fs::read(&path).unwrap();
    let table = whole.windows(11).position(|text| text == b"TABLE turns").unwrap();
    // Versions of the format, bytes kept free in pages, how many pages there are, a file that shrinks by itself, whose
    // file it is, the version of the tables, a table's name.
    for at in [18, 20, 31, 55, 68, 60, table + 9] {
        let (_home, path) = home();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut bytes = whole.clone();
        bytes[at] ^= 0x80;
        fs::write(&path, &bytes).unwrap();
        let bench = Bench::open(&path).unwrap();
        let told = bench.store.warnings().join("\n");
        assert!(told.contains("the store was damaged; recovered: 300 turns in 1 conversation,"), "byte {at}: {told}");
        assert_eq!(missing(&bench), None, "byte {at}");
    }
}

#[test]
fn what_was_deleted_does_not_come_back_with_a_repair() {
    let (_home, path) = home();
    filled(&path);
    let bench = Bench::open(&path).unwrap();
    bench.keep(keep_conversation(conversation(2, "deleted")));
    let turns = (1000..1300).map(|id| keep_turn(turn(id, 2, &format!("{id} {}", "deleted ".repeat(20)))));
    bench.keep(Record::Batch(turns.collect()));
    bench.keep(Record::Trashed { conversation: Id(2), at_ms: Some(1) });
    bench.keep(Record::Purge(Id(2)));
    bench.keep(Record::Batch((2000..2300).map(|id| keep_turn(turn(id, 1, &format!("{id} deleted")))).collect()));
    assert!(bench.store.close());
    // As another program deletes: what it held stays in the free pages.
    let rows = rusqlite::Connection::open(&path).unwrap();
    rows.execute_batch("DELETE FROM turns WHERE id >= 2000; DELETE FROM words WHERE rowid >= 2000").unwrap();
    drop(rows);
    let whole = fs::read(&path).unwrap();
    // The header alone, with the list of free pages, and all of page 1.
    for (length, deleted) in [(40, 1000..2300), (4096, 1000..1300)] {
        let (_home, path) = home();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut bytes = whole.clone();
        bytes[..length].fill(0xa5);
        fs::write(&path, &bytes).unwrap();
        let bench = Bench::open(&path).unwrap();
        assert_eq!(missing(&bench), None);
        assert_eq!(bench.heads().len(), 1);
        assert_eq!(bench.turns(&deleted.collect::<Vec<_>>()), []);
    }
}

/// Creates a store as a crash leaves it, with the newest records in its log. Returns the file and its log.
fn crashed(path: &Path) -> (Vec<u8>, Vec<u8>) {
    let bench = Bench::open(path).unwrap();
    bench.keep(keep_conversation(conversation(1, "kept")));
    bench.keep(Record::Batch(TURNS.map(|id| keep_turn(turn(id, 1, &text(id)))).collect()));
    let files = (fs::read(path).unwrap(), fs::read(log(path)).unwrap());
    assert!(bench.store.close());
    files
}

fn log(path: &Path) -> PathBuf {
    path.with_file_name("benchtop.db-wal")
}

#[test]
fn a_log_beside_an_empty_store_or_none_is_read_and_kept() {
    let (_source, source) = home();
    let (_, logged) = crashed(&source);
    for empty in [true, false] {
        let (_home, path) = home();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(log(&path), &logged).unwrap();
        if empty {
            fs::write(&path, "").unwrap();
        }
        let bench = Bench::open(&path).unwrap();
        assert_eq!(missing(&bench), None);
        let told = bench.store.warnings().join("\n");
        assert!(
            told.contains("empty or missing; recovered: 300 turns in 1 conversation,") && told.contains("its log"),
            "{told}"
        );
        let kept =
            names(path.parent().unwrap()).into_iter().find(|name| name.contains(".corrupt-") && name.ends_with("-wal"));
        assert_eq!(fs::read(path.with_file_name(kept.unwrap())).unwrap(), logged);
        assert!(bench.store.close());
        assert!(Bench::open(&path).unwrap().store.warnings().is_empty());
    }
}

#[test]
fn a_damaged_store_is_recovered_with_what_is_in_its_log() {
    let (_source, source) = home();
    let (mut file, mut logged) = crashed(&source);
    // The magic is lost, and a bit in the middle of the log, behind which SQLite believes nothing.
    file[0] ^= 1;
    let middle = logged.len() / 2;
    logged[middle] ^= 1;
    let (_home, path) = home();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, &file).unwrap();
    fs::write(log(&path), &logged).unwrap();
    let bench = Bench::open(&path).unwrap();
    let kept = bench.turns(&TURNS.collect::<Vec<_>>());
    assert!(kept.len() >= 270, "{} of 300 turns", kept.len());
    assert!(kept.iter().all(|turn| turn.content.raw() == text(turn.id.0)));
}

#[test]
fn an_empty_store_beside_a_backup_is_filled_from_it() {
    for empty in [true, false] {
        let (_home, path) = home();
        filled(&path);
        let backups = path.with_file_name("backups");
        fs::create_dir_all(&backups).unwrap();
        for entry in fs::read_dir(&backups).unwrap() {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
        fs::rename(&path, backups.join("benchtop-2026-01-02.db")).unwrap();
        if empty {
            fs::write(&path, "").unwrap();
        }
        let bench = Bench::open(&path).unwrap();
        let told = bench.store.warnings().join("\n");
        assert!(
            told.contains("empty or missing; recovered: 300 turns") && told.contains("benchtop-2026-01-02.db"),
            "{told}"
        );
        assert_eq!(missing(&bench), None);
        assert!(bench.store.close());
        assert!(Bench::open(&path).unwrap().store.warnings().is_empty());
    }
}

#[test]
fn damage_behind_a_clean_exit_is_found_after_the_start() {
    let (_home, path) = home();
    filled(&path);
    let mut bytes = fs::read(&path).unwrap();
    let pages = bytes.len() / 4096;
    bytes[pages / 2 * 4096..][..4096].fill(0xa5);
    fs::write(&path, &bytes).unwrap();
    let bench = Bench::open(&path).unwrap();
    assert!(bench.store.warnings().is_empty());
    let said = heard(&bench).recv_timeout(Duration::from_mins(1)).unwrap();
    let expected = "the store is damaged; quit all copies of benchtop, and the next start repairs it";
    assert_eq!(said, StoreEvent::Warning(expected.into()));
    assert!(bench.store.close());
    let bench = Bench::open(&path).unwrap();
    assert!(bench.store.warnings()[0].contains("the store was damaged"), "{:?}", bench.store.warnings());
}
