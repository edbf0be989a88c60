//! What large lists cost. Ignored by default: it writes some gigabytes.
//!
//! `cargo test --release --test store large -- --ignored --nocapture --test-threads 1` prints times and, on Linux, the
//! largest memory a question took.

use std::sync::Arc;
use std::time::Instant;

use benchtop::record::{Bench as Whose, Check, Id, Query, Record, Rows, TextKey, TextList, TextRow, VectorKey};
use benchtop::text::Untrusted;

use crate::bench::{Bench, home};

const ROWS: usize = 100_000;
const DIMENSIONS: usize = 1_536;
/// Checks of each text, by different models and at different times.
const CHECKS: i64 = 10;

fn text(n: usize) -> Untrusted {
    format!("text {n}").into()
}

/// Begins to watch for the largest memory of the process.
fn reset_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// Returns the peak memory, MiB; `None`: this system does not report it.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? >> 10)
}

#[test]
#[ignore = "writes 1.5 GB"]
fn vectors_of_100_000_texts_load_within_a_gibibyte() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    let key = VectorKey { profile: "local".into(), model: "m".into(), dimensions: None };
    let numbers: Vec<usize> = (0..ROWS).collect();
    let start = Instant::now();
    for some in numbers.chunks(2_048) {
        let vector = |n: &usize| Arc::from(vec![*n as f32; DIMENSIONS]);
        let vectors = some.iter().map(|n| (TextKey::of(&text(*n)), vector(n))).collect();
        bench.keep(Record::Vectors { key: key.clone(), vectors });
    }
    println!("kept {ROWS} × {DIMENSIONS} in {:?}", start.elapsed());
    assert!(bench.store.close());
    let bench = Bench::open(&path).unwrap();
    // Not in the order in which they were kept, and some twice.
    let texts: Arc<[TextKey]> = (0..ROWS).map(|n| TextKey::of(&text(n * 7 % ROWS))).collect();
    for _ in 0..2 {
        let start = Instant::now();
        let Rows::HasVectors(has) = bench.load(Query::HasVectors { key: key.clone(), texts: Arc::clone(&texts) })
        else {
            panic!()
        };
        println!("asked which are there in {:?}", start.elapsed());
        assert!(has.iter().all(|there| *there));
    }
    let in_order = (0..ROWS).map(|n| TextKey::of(&text(n))).collect();
    for texts in [in_order, texts] {
        reset_peak();
        let start = Instant::now();
        let Rows::Vectors(table) = bench.load(Query::Vectors { key: key.clone(), texts }) else { panic!() };
        println!("loaded {} in {:?}, at most {:?} MiB", table.present(), start.elapsed(), peak());
        assert_eq!((table.present(), table.dimensions()), (ROWS, DIMENSIONS));
        assert!(peak().is_none_or(|most| most < 1_024), "{:?} MiB", peak());
    }
}

#[test]
#[ignore = "writes 0.5 GB"]
fn checks_of_100_000_rows_among_a_million() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    let list = TextList {
        id: Id(1),
        bench: Whose::Moderate,
        name: "large".into(),
        source: "/a".into(),
        created_ms: 0,
        updated_ms: 0,
        state: String::new(),
        rows: 0,
    };
    bench.keep(Record::TextList(Box::new(list)));
    let numbers: Vec<usize> = (0..ROWS).collect();
    let start = Instant::now();
    for some in numbers.chunks(10_000) {
        let row = |n: &usize| TextRow {
            id: Id(*n as i64 + 2),
            place: *n as u32,
            name: "".into(),
            text: text(*n),
            label: Some("ok".into()),
        };
        bench.keep(Record::TextRows { list: Id(1), rows: some.iter().map(row).collect() });
    }
    println!("kept {ROWS} rows in {:?}", start.elapsed());
    let categories: Arc<[Untrusted]> = (0..13).map(|n| format!("category/{n}").into()).collect();
    let start = Instant::now();
    for time in 0..CHECKS {
        for some in numbers.chunks(1_000) {
            let check = |n: &usize| Check {
                id: Id(((time * ROWS as i64 + *n as i64) << 8) + 5),
                text: TextKey::of(&text(*n)),
                profile: "local".into(),
                asked: format!("m{}", time % 2).into(),
                model: "text-moderation-004".into(),
                at_ms: time,
                latency_ms: 7,
                flagged: false,
                categories: Arc::clone(&categories),
                scores: [Some(0.25); 13].into(),
                flags: [Some(false); 13].into(),
            };
            bench.keep(Record::Checks(some.iter().map(check).collect()));
        }
    }
    println!("kept {} checks in {:?}", ROWS as i64 * CHECKS, start.elapsed());
    assert!(bench.store.close());
    let bench = Bench::open(&path).unwrap();
    for _ in 0..2 {
        reset_peak();
        let start = Instant::now();
        let Rows::Checks(checks) = bench.load(Query::ListChecks(Id(1))) else { panic!() };
        println!("the newest {} in {:?}, at most {:?} MiB", checks.len(), start.elapsed(), peak());
        assert_eq!(checks.len(), 2 * ROWS);
        assert!(checks.iter().all(|check| check.at_ms >= CHECKS - 2));
    }
    let start = Instant::now();
    let Rows::Texts(Some((_, rows))) = bench.load(Query::Texts(Id(1))) else { panic!() };
    println!("{} rows in {:?}", rows.len(), start.elapsed());
    let start = Instant::now();
    let Rows::TextLists(lists) = bench.load(Query::TextLists(Whose::Moderate)) else { panic!() };
    println!("{} list of {} rows in {:?}", lists.len(), lists[0].rows, start.elapsed());
    let start = Instant::now();
    bench.keep(Record::DeleteTextList(Id(1)));
    println!("deleted in {:?}", start.elapsed());
}
