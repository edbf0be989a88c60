//! The same for vectors and for what was said of texts: each acknowledged one is there, to the last bit.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, SystemTime};

use benchtop::api::call::Ticket;
use benchtop::record::{Check, Id, Query, Record, Rows, Stored, TextKey, VectorKey};
use benchtop::store::Store;

use crate::words::Random;
use crate::{Acknowledging, FIRST, ROUND, STORE, round_until_killed};

/// Texts of one record.
const SOME: i64 = 20;

fn key() -> VectorKey {
    VectorKey { profile: "local".into(), model: "m".into(), dimensions: None }
}

fn text(n: i64) -> TextKey {
    TextKey::of(&n.to_string().into())
}

/// Returns a vector of arbitrary bits, including NaN.
fn vector(n: i64) -> Arc<[f32]> {
    let mut random = Random(n as u64 + 1);
    (0..300).map(|_| f32::from_bits(random.below(1 << 32) as u32)).collect()
}

fn check(n: i64) -> Check {
    let score = Random(n as u64 + 7).below(u64::MAX) as f64 / 1.9e19;
    Check {
        id: Id(n),
        text: text(n),
        profile: "local".into(),
        asked: "m".into(),
        model: format!("m-{}", n % 3).as_str().into(),
        at_ms: n,
        latency_ms: 7,
        flagged: n % 2 == 0,
        categories: [if n % 5 == 0 { "harm" } else { "hate" }.into()].into(),
        scores: [Some(score)].into(),
        flags: [None].into(),
    }
}

#[test]
fn vectors_and_checks_that_were_acknowledged_survive_kill_9() {
    let kills: i64 = std::env::var("BENCHTOP_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(10);
    let seed = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos() as u64;
    let mut random = Random(seed | 1);
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("benchtop.db");
    let (mut with_vector, mut with_check) = (Vec::new(), Vec::new());
    for round in 0..kills {
        let after = 1 + random.below(if round % 4 == 0 { 200 } else { 20 });
        let lines = round_until_killed("vectors::writer", &path, round * ROUND, after, random.below(3_000_000));
        for line in lines {
            let mut words = line.split(' ').skip(1);
            let (kind, first): (_, i64) = (words.next().unwrap(), words.next().unwrap().parse().unwrap());
            let all = if kind == "vectors" { &mut with_vector } else { &mut with_check };
            all.extend(first..first + SOME);
        }
        compare(&path, &with_vector, &with_check).unwrap_or_else(|loss| panic!("seed {seed}, round {round}: {loss}"));
    }
    println!("{kills} kills, {} vectors, {} checks, nothing lost", with_vector.len(), with_check.len());
}

fn compare(path: &Path, with_vector: &[i64], with_check: &[i64]) -> Result<(), String> {
    let (send, answers) = channel();
    let store = Store::open(path, move |_, stored| send.send(stored).unwrap_or_default()).map_err(|e| e.to_string())?;
    let ask = |query| {
        store.load(Ticket(1), query);
        match answers.recv_timeout(Duration::from_mins(1)) {
            Ok(Stored::Rows(rows)) => Ok(rows),
            other => Err(format!("no rows came: {other:?}")),
        }
    };
    let (told, sentences) = channel();
    store.subscribe(move |said| told.send(said).unwrap_or_default());
    let texts = with_vector.iter().map(|n| text(*n)).collect();
    let Rows::Vectors(table) = ask(Query::Vectors { key: key(), texts })? else { return Err("no vectors".into()) };
    let same = |a: &[f32], b: &[f32]| a.iter().map(|x| x.to_bits()).eq(b.iter().map(|x| x.to_bits()));
    for (row, n) in with_vector.iter().enumerate() {
        let vector = vector(*n);
        if !table.row(row).is_some_and(|kept| same(kept, &vector)) {
            return Err(format!("vector {n} is lost"));
        }
    }
    let keys = with_check.iter().map(|n| text(*n)).collect();
    let Rows::Checks(found) = ask(Query::Checks(keys))? else { return Err("no checks".into()) };
    let found: HashMap<Id, Check> = found.into_iter().map(|check| (check.id, check)).collect();
    for n in with_check {
        if found.get(&Id(*n)) != Some(&check(*n)) {
            return Err(format!("check {n} is lost"));
        }
    }
    if !store.close() {
        return Err("the store did not close".to_owned());
    }
    sentences.try_recv().map_or(Ok(()), |said| Err(format!("{said:?}")))
}

/// Runs the process that is killed. Does nothing without its environment variables.
#[test]
#[ignore = "run by the other test, in a process of its own"]
fn writer() {
    let (Ok(path), Ok(first)) = (std::env::var(STORE), std::env::var(FIRST)) else { return };
    let first: i64 = first.parse().unwrap();
    let mut store = Acknowledging::open(&path, 8);
    for n in (first..first + ROUND).step_by(SOME as usize) {
        let vectors = (n..n + SOME).map(|n| (text(n), vector(n))).collect();
        store.record(format!("ack vectors {n}\n"), Record::Vectors { key: key(), vectors });
        store.record(format!("ack checks {n}\n"), Record::Checks((n..n + SOME).map(check).collect()));
    }
}
