//! Kill -9 at a random moment: everything the store acknowledged is there afterwards, byte for byte.
//!
//! The test executable runs itself as the writer: it streams answers into a store and prints each acknowledgement. The
//! acknowledgements are read up to the last one that was in the pipe, then the store is opened and compared.
//! `BENCHTOP_KILLS` sets how often (20; the whole program, in `program`: 5). This is no power cut: what the kernel has is kept.
#![cfg(unix)]
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod check;
#[path = "../common/mod.rs"]
mod common;
mod program;
mod words;

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use benchtop::api::call::Ticket;
use benchtop::record::{Conversation, Id, Record, Stored, Turn, TurnStatus};
use benchtop::store::Store;
use check::Kept;
use words::{Random, text};

/// Where the writer's store is, and which turns it writes.
const STORE: &str = "BENCHTOP_KILL_STORE";
const FIRST: &str = "BENCHTOP_KILL_FIRST";
/// Turns of one round; more than a round ever gets to.
const ROUND: i64 = 100_000;

#[test]
fn what_was_acknowledged_survives_kill_9() {
    let kills: i64 = std::env::var("BENCHTOP_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(20);
    let seed = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos() as u64;
    let mut random = Random(seed | 1);
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("benchtop.db");
    let mut all = Vec::new();
    let mut acknowledged = 0;
    for round in 0..kills {
        // Mostly early, when files are made and grow for the first time; sometimes late.
        let after = 1 + random.below(if round % 4 == 0 { 400 } else { 40 });
        let lines = round_until_killed(&path, 1 + round * ROUND, after, random.below(3_000_000));
        assert!(lines.len() as u64 >= after, "seed {seed}, round {round}");
        acknowledged += lines.len();
        let kept: Vec<Kept> = latest(&lines).into_values().collect();
        if let Err(loss) = check::kept(&path, &kept) {
            panic!("seed {seed}, round {round}: {loss}");
        }
        all.extend(kept);
    }
    if let Err(loss) = check::kept(&path, &all) {
        panic!("seed {seed}, at the end: {loss}");
    }
    println!("{kills} kills, {acknowledged} acknowledgements, {} turns, nothing lost", all.len());
}

/// Runs a writer, kills it some nanoseconds after so many acknowledgements, and returns all it gave.
fn round_until_killed(path: &Path, first: i64, after: u64, nanoseconds: u64) -> Vec<String> {
    let mut writer = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "writer", "--ignored", "--nocapture", "--test-threads=1"])
        .env(STORE, path)
        .env(FIRST, first.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let pipe = BufReader::new(writer.stdout.take().unwrap());
    let (send, acknowledgements) = channel();
    let reader = std::thread::spawn(move || {
        for line in pipe.lines().map_while(Result::ok).filter(|line| line.starts_with("ack ")) {
            let _ = send.send(line);
        }
    });
    let mut lines = Vec::new();
    while (lines.len() as u64) < after {
        match acknowledgements.recv_timeout(Duration::from_mins(1)) {
            Ok(line) => lines.push(line),
            Err(why) => {
                let _ = writer.kill();
                assert!(why != RecvTimeoutError::Timeout, "no acknowledgement for a minute");
                panic!("the writer ended by itself: {:?}", writer.wait());
            }
        }
    }
    // The moment itself is what is random here.
    std::thread::sleep(Duration::from_nanos(nanoseconds));
    writer.kill().unwrap();
    writer.wait().unwrap();
    reader.join().unwrap();
    lines.extend(acknowledgements.try_iter());
    lines
}

/// What each turn must hold at least, by the acknowledgements: `ack <turn> <content bytes> <reasoning bytes> <whole>`.
fn latest(lines: &[String]) -> HashMap<i64, Kept> {
    let mut kept = HashMap::new();
    for line in lines {
        let numbers: Vec<i64> = line.split(' ').skip(1).map(|n| n.parse().expect(line)).collect();
        let [id, content, reasoning, whole] = numbers[..] else { panic!("{line}") };
        kept.insert(
            id,
            Kept {
                turn: Id(id),
                content: text(id, 0)[..content as usize].into(),
                reasoning: text(id, 1)[..reasoning as usize].into(),
                all_content: text(id, 0),
                all_reasoning: text(id, 1),
                whole: whole == 1,
            },
        );
    }
    kept
}

/// The process that is killed. Does nothing unless told where.
#[test]
#[ignore = "run by the other test, in a process of its own"]
fn writer() {
    let (Ok(path), Ok(first)) = (std::env::var(STORE), std::env::var(FIRST)) else { return };
    let first: i64 = first.parse().unwrap();
    let orders: Arc<Mutex<HashMap<Ticket, String>>> = Arc::default();
    let (done, room) = channel();
    let told = Arc::clone(&orders);
    let store = Store::open(Path::new(&path), move |ticket, stored| {
        let line = told.lock().unwrap().remove(&ticket).unwrap();
        assert_eq!(stored, Stored::Committed, "{line}");
        // One write, so that a line is in the pipe whole or not at all.
        if !line.is_empty() && std::io::stdout().write_all(line.as_bytes()).is_err() {
            std::process::exit(1);
        }
        let _ = done.send(());
    })
    .unwrap();
    assert!(store.warnings().is_empty(), "{:?}", store.warnings());
    // The harness has begun this line.
    std::io::stdout().write_all(b"\n").unwrap();
    let mut random = Random(first as u64 + 77);
    let mut next = 0;
    let mut order = |line: String, record: Record| {
        next += 1;
        orders.lock().unwrap().insert(Ticket(next), line);
        store.record(Ticket(next), record);
        // Up to 16 under way: some commits hold one record, some hold many.
        if next > 16 {
            room.recv_timeout(Duration::from_secs(30)).expect("the store answers");
        }
    };
    order(String::new(), Record::Conversation(Box::new(conversation())));
    for id in first..first + ROUND {
        let (content, reasoning) = (text(id, 0), text(id, 1));
        let mut turn = turn(id);
        order(format!("ack {id} 0 0 0\n"), Record::Turn(Box::new(turn.clone())));
        let (mut c, mut r) = (0, 0);
        while c < content.len() || r < reasoning.len() {
            let (c_to, r_to) = (random.cut(&content, c), random.cut(&reasoning, r));
            let record = Record::Extend {
                turn: Id(id),
                content_at: c as u64,
                content: content[c..c_to].into(),
                reasoning_at: r as u64,
                reasoning: reasoning[r..r_to].into(),
            };
            (c, r) = (c_to, r_to);
            order(format!("ack {id} {c} {r} 0\n"), record);
        }
        turn.status = TurnStatus::Done;
        (turn.content, turn.reasoning) = (content.into(), reasoning.into());
        order(format!("ack {id} {c} {r} 1\n"), Record::Turn(Box::new(turn)));
    }
}

fn conversation() -> Conversation {
    Conversation {
        id: Id(1),
        title: "killed".into(),
        titled: true,
        created_ms: 0,
        updated_ms: 0,
        trashed_ms: None,
        profile: "".into(),
        model: "".into(),
        system: String::new(),
        params: benchtop::record::ChatParams::default(),
        leaf: None,
        draft: String::new(),
    }
}

fn turn(id: i64) -> Turn {
    Turn {
        id: Id(id),
        conversation: Id(1),
        parent: None,
        role: "assistant".into(),
        content: "".into(),
        reasoning: "".into(),
        model: "".into(),
        choice: 0,
        status: TurnStatus::Streaming,
        error: "".into(),
        finish_reason: "".into(),
        created_ms: 0,
        prompt_tokens: 0,
        completion_tokens: 0,
        estimated: false,
        cost_nano: None,
        first_token_ms: 0,
        total_ms: 0,
    }
}
