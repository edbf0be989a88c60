//! Kill -9 at a random moment: everything the store acknowledged is there afterwards, byte for byte.
//!
//! The test executable runs itself as the writer: it streams answers and steps of the playground (with their tokens)
//! into a store and prints each acknowledgement. The acknowledgements are read up to the last one that was in the pipe,
//! then the store is opened and compared. `BENCHTOP_KILLS` sets how often (20; the whole program, in `program`: 5).
//! This is no power cut: what the kernel has is kept.
#![cfg(unix)]
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod check;
#[path = "../common/mod.rs"]
mod common;
mod program;
mod vectors;
mod words;

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use benchtop::api::call::Ticket;
use benchtop::record::{Conversation, Id, Made, Record, Sheet, Step, Stored, Turn, TurnStatus};
use benchtop::store::Store;
use check::{Grown, Kept};
use words::{Random, TOKEN, text, tokens};

/// Where the writer's store is, and which turns (odd ids) and steps (even ids) it writes.
const STORE: &str = "BENCHTOP_KILL_STORE";
const FIRST: &str = "BENCHTOP_KILL_FIRST";
/// Turns and steps of one round; more than a round ever gets to.
const ROUND: i64 = 100_000;
/// The sheet of all steps.
const SHEET: Id = Id(1);

#[test]
fn what_was_acknowledged_survives_kill_9() {
    let kills: i64 = std::env::var("BENCHTOP_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(20);
    let seed = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos() as u64;
    let mut random = Random(seed | 1);
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("benchtop.db");
    let (mut all_turns, mut all_steps) = (Vec::new(), Vec::new());
    let mut acknowledged = 0;
    for round in 0..kills {
        // Mostly early, when files are made and grow for the first time; sometimes late.
        let after = 1 + random.below(if round % 4 == 0 { 400 } else { 40 });
        let lines = round_until_killed("writer", &path, 1 + round * ROUND, after, random.below(3_000_000));
        assert!(lines.len() as u64 >= after, "seed {seed}, round {round}");
        acknowledged += lines.len();
        let (turns, steps) = latest(&lines);
        if let Err(loss) = check::kept(&path, &turns, &steps) {
            panic!("seed {seed}, round {round}: {loss}");
        }
        all_turns.extend(turns);
        all_steps.extend(steps);
    }
    if let Err(loss) = check::kept(&path, &all_turns, &all_steps) {
        panic!("seed {seed}, at the end: {loss}");
    }
    let (turns, steps) = (all_turns.len(), all_steps.len());
    println!("{kills} kills, {acknowledged} acknowledgements, {turns} turns, {steps} steps, nothing lost");
}

/// Runs a writer, kills it some nanoseconds after so many acknowledgements, and returns all it gave.
fn round_until_killed(writer: &str, path: &Path, first: i64, after: u64, nanoseconds: u64) -> Vec<String> {
    let mut writer = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", writer, "--ignored", "--nocapture", "--test-threads=1"])
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

/// Returns what each turn and step must hold at least, by the acknowledgements: `ack <turn> <content bytes> <reasoning
/// bytes> <whole>`, `ack <step> <bytes> <tokens> <whole>`.
fn latest(lines: &[String]) -> (Vec<Kept>, Vec<Grown>) {
    let mut last: HashMap<i64, [usize; 3]> = HashMap::new();
    for line in lines {
        let numbers: Vec<i64> = line.split(' ').skip(1).map(|n| n.parse().expect(line)).collect();
        let [id, first, second, whole] = numbers[..] else { panic!("{line}") };
        last.insert(id, [first as usize, second as usize, whole as usize]);
    }
    let (mut turns, mut steps) = (Vec::new(), Vec::new());
    for (id, [first, second, whole]) in last {
        let (all, whole) = (text(id, 0), whole == 1);
        if is_step(id) {
            steps.push(Grown {
                sheet: SHEET,
                step: Id(id),
                text: all[..first].into(),
                all_text: all,
                tokens: second,
                all_tokens: tokens(id),
                whole,
            });
        } else {
            let reasoning = text(id, 1);
            turns.push(Kept {
                turn: Id(id),
                content: all[..first].into(),
                reasoning: reasoning[..second].into(),
                all_content: all,
                all_reasoning: reasoning,
                whole,
            });
        }
    }
    (turns, steps)
}

fn is_step(id: i64) -> bool {
    id % 2 == 0
}

/// A store that prints the line of each record when it acknowledges it.
struct Acknowledging {
    store: Store,
    lines: Arc<Mutex<HashMap<Ticket, String>>>,
    done: Receiver<()>,
    last: u64,
    /// Records under way at most.
    most: u64,
}

impl Acknowledging {
    fn open(path: &str, most: u64) -> Self {
        let lines: Arc<Mutex<HashMap<Ticket, String>>> = Arc::default();
        let (sender, done) = channel();
        let waiting = Arc::clone(&lines);
        let store = Store::open(Path::new(path), move |ticket, stored| {
            let line = waiting.lock().unwrap().remove(&ticket).unwrap();
            assert_eq!(stored, Stored::Committed, "{line}");
            // One write, so that a line is in the pipe whole or not at all.
            if !line.is_empty() && std::io::stdout().write_all(line.as_bytes()).is_err() {
                std::process::exit(1);
            }
            let _ = sender.send(());
        })
        .unwrap();
        // The harness has begun this line.
        std::io::stdout().write_all(b"\n").unwrap();
        Self { store, lines, done, last: 0, most }
    }

    fn record(&mut self, line: String, record: Record) {
        self.last += 1;
        self.lines.lock().unwrap().insert(Ticket(self.last), line);
        self.store.try_save(Ticket(self.last), record);
        if self.last > self.most {
            self.done.recv_timeout(Duration::from_secs(30)).expect("the store answers");
        }
    }
}

/// Runs the process that is killed. Does nothing without its environment variables.
#[test]
#[ignore = "run by the other test, in a process of its own"]
fn writer() {
    let (Ok(path), Ok(first)) = (std::env::var(STORE), std::env::var(FIRST)) else { return };
    let first: i64 = first.parse().unwrap();
    // Up to 16 under way: some commits hold one record, some hold many.
    let mut store = Acknowledging::open(&path, 16);
    assert!(store.store.warnings().is_empty(), "{:?}", store.store.warnings());
    let mut random = Random(first as u64 + 77);
    store.record(String::new(), Record::Conversation(Box::new(conversation())));
    let sheet = Sheet { id: SHEET, created_ms: 0, updated_ms: 0, current: None, caret: 0 };
    store.record(String::new(), Record::Sheet(sheet));
    for id in first..first + ROUND {
        if is_step(id) { write_step(id, &mut random, &mut store) } else { write_turn(id, &mut random, &mut store) }
    }
}

/// Writes a turn piece by piece.
fn write_turn(id: i64, random: &mut Random, store: &mut Acknowledging) {
    let (content, reasoning) = (text(id, 0), text(id, 1));
    let mut turn = turn(id);
    store.record(format!("ack {id} 0 0 0\n"), Record::Turn(Box::new(turn.clone())));
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
        store.record(format!("ack {id} {c} {r} 0\n"), record);
    }
    turn.status = TurnStatus::Done;
    (turn.content, turn.reasoning) = (content.into(), reasoning.into());
    store.record(format!("ack {id} {c} {r} 1\n"), Record::Turn(Box::new(turn)));
}

/// Writes a step and its tokens piece by piece, sometimes both in one record.
fn write_step(id: i64, random: &mut Random, store: &mut Acknowledging) {
    let (text, tokens) = (text(id, 0), tokens(id));
    let mut step = step(id);
    store.record(format!("ack {id} 0 0 0\n"), Record::Step(Box::new(step.clone())));
    let (mut c, mut t) = (0, 0);
    while c < text.len() {
        let c_to = random.cut(&text, c);
        // Those that are all there.
        let t_to = if c_to == text.len() { tokens.len() } else { c_to / TOKEN };
        let grow = Record::Grow { step: Id(id), at: c as u64, text: text[c..c_to].into() };
        let more = Record::Tokens { of: Id(id), at: t as u64, tokens: tokens[t..t_to].to_vec() };
        if random.below(2) == 0 {
            store.record(format!("ack {id} {c_to} {t_to} 0\n"), Record::Batch(vec![grow, more]));
        } else {
            store.record(format!("ack {id} {c_to} {t} 0\n"), grow);
            store.record(format!("ack {id} {c_to} {t_to} 0\n"), more);
        }
        (c, t) = (c_to, t_to);
    }
    step.status = TurnStatus::Done;
    step.inserted = text.into();
    store.record(format!("ack {id} {c} {t} 1\n"), Record::Step(Box::new(step)));
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
        blocks: Vec::new(),
        model: "".into(),
        choice: 0,
        status: TurnStatus::Streaming,
        error: "".into(),
        details: None,
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

fn step(id: i64) -> Step {
    Step {
        id: Id(id),
        sheet: SHEET,
        parent: None,
        made: Made::Generated { run: Id(id), choice: 0 },
        at: 0,
        removed: "".into(),
        inserted: "".into(),
        status: TurnStatus::Streaming,
        finish_reason: "".into(),
        created_ms: 0,
    }
}
