//! The playground in a real terminal: what was written, run, stopped, picked and undone is there again at the next
//! start, text and tree.
#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use tempfile::TempDir;

use common::server::Server;
use common::{Bench, Setup};

const ENTER: &str = "\r";
const ESC: &str = "\x1b";
const RUN: &str = "\x12";
const TO_COMPLETE: &str = "\x1b2";

/// What the server thinks of the first token.
const FIRST: [(&str, f64); 3] = [(" a", -0.2), (" the", -1.9), (" no", -4.0)];

fn start(home: TempDir, server: &Server) -> Bench {
    let dir = home.path().join("data");
    let args = ["--base-url", &server.url, "--model", "auto", "--data-dir", dir.to_str().unwrap()];
    let mut bench = Bench::with(Setup { args: &args, home: Some(home), ..Setup::default() });
    bench.wait("▐1");
    bench.send(TO_COMPLETE);
    bench.wait("▐2 Complete");
    bench
}

/// A step as it is kept: id, parent, how made, where, what went, what came, where it stands.
type Step = (i64, Option<i64>, String, i64, String, String, String);

/// Returns the only sheet's current step, and all steps.
fn kept(home: &Path) -> (Option<i64>, Vec<Step>) {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
    let store = Connection::open_with_flags(home.join("data").join("benchtop.db"), flags).unwrap();
    let current = store.query_row("SELECT current FROM sheets", [], |row| row.get(0)).unwrap();
    let query = "SELECT id, parent, made, at, removed, inserted || coalesce((SELECT group_concat(text, '' ORDER BY place) \
                 FROM grown WHERE step = steps.id), ''), status FROM steps ORDER BY id";
    let mut query = store.prepare(query).unwrap();
    let step = |row: &rusqlite::Row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?, row.get(6)?))
    };
    let steps = query.query_map([], step).unwrap().map(Result::unwrap).collect();
    (current, steps)
}

/// Returns the text that the steps up to one of them produce.
fn text_at(mut at: Option<i64>, steps: &[Step]) -> String {
    let mut path = Vec::new();
    while let Some(step) = at.and_then(|id| steps.iter().find(|step| step.0 == id)) {
        path.push(step);
        at = step.1;
    }
    let mut text = String::new();
    for step in path.into_iter().rev() {
        let at = step.3 as usize;
        text.replace_range(at..at + step.4.len(), &step.5);
    }
    text
}

/// Returns the buffer's text, by copying it to the clipboard.
fn copied(bench: &mut Bench) -> String {
    let from = bench.bytes.len();
    bench.send("Y");
    bench.wait_bytes(from, b"\x1b]52;c;");
    bench.wait_bytes(from, b"\x1b\\");
    String::from_utf8(bench.clipboard(from).pop().unwrap()).unwrap()
}

/// Sets a number in the settings.
fn set(bench: &mut Bench, label: &str, value: &str) {
    bench.send("s");
    bench.wait("▸ Settings");
    bench.send("g");
    bench.wait("▌  Model");
    let at = format!("▌  {label}");
    for _ in 0..20 {
        let before = bench.text();
        if before.contains(&at) {
            break;
        }
        bench.send("j");
        bench.until("another field", |text| text != before && text.contains('▌'));
    }
    bench.wait(&at);
    bench.send(ENTER);
    bench.wait("⏎ done");
    bench.send("\x15");
    bench.type_in(value);
    bench.send(ENTER);
    bench.wait_gone("⏎ done");
    bench.send(ESC);
    bench.wait_gone("▸ Settings");
}

#[test]
fn text_and_tree_are_there_again() {
    let prompt = "The loss is the surprise of the model:";
    let server = Server::start();
    let mut bench = start(tempfile::tempdir().unwrap(), &server);
    bench.type_in(prompt);
    bench.send(ESC);
    bench.wait("i edit text");
    set(&mut bench, "Log probabilities", "5");
    bench.send(RUN);
    let mut asked = server.asked();
    assert_eq!((&asked.body["prompt"], &asked.body["logprobs"]), (&prompt.into(), &5.into()));
    asked.open();
    for (token, top) in [(" a", &FIRST[..]), (" low", &[(" low", -0.7)]), (" one", &[(" one", -0.1)])] {
        asked.piece(token, top);
    }
    // In the middle of it.
    bench.wait("Token 3 of 3");
    bench.wait("esc stop");
    bench.send(ESC);
    bench.wait("■ stopped after");
    asked.left();
    let stopped = copied(&mut bench);
    assert_eq!(stopped, format!("{prompt} a low one"));
    bench.send("g");
    bench.wait("Token 1 of 3");
    bench.send("j");
    bench.send(ENTER);
    let mut asked = server.asked();
    assert_eq!(asked.body["prompt"], format!("{prompt} the"));
    asked.open();
    asked.piece(" less", &[(" less", -0.3), (" lower", -1.5)]);
    asked.piece(" the better", &[(" the better", -0.2)]);
    asked.end();
    bench.until("the run after the pick", |text| text.contains("s   stop") && text.contains("saved ✓"));
    let picked = copied(&mut bench);
    assert_eq!(picked, format!("{prompt} the less the better"));
    bench.send("u");
    bench.until("what was picked", |text| text.contains("saved ✓") && !text.contains("s   stop"));
    let alone = copied(&mut bench);
    assert_eq!(alone, format!("{prompt} the"));
    bench.send("u");
    bench.wait("■ stopped after");
    assert_eq!(copied(&mut bench), stopped);
    bench.send("U");
    // It is not what was stopped that stands here.
    bench.wait_gone("■ stopped after");
    assert_eq!(copied(&mut bench), alone);
    bench.wait("saved ✓");
    bench.send("q");
    assert_eq!(bench.ended(), 0);
    bench.assert_whole();
    let home = bench.into_home();
    let before = kept(home.path());
    let (current, steps) = &before;
    assert_eq!(text_at(*current, steps), alone);
    // Who types slowly makes several steps.
    let (typed, others) = steps.split_at(steps.len() - 3);
    assert!(typed.iter().all(|step| step.2 == "typed") && text_at(typed.last().map(|step| step.0), steps) == prompt);
    let made: Vec<_> = others.iter().map(|step| (step.2.as_str(), step.6.as_str())).collect();
    assert_eq!(made, [("generated", "stopped"), ("picked", "done"), ("generated", "done")]);
    assert_eq!((others[1].1, others[2].1), (Some(others[0].0), Some(others[1].0)), "a line of descent");
    assert_eq!(text_at(Some(others[0].0), steps), stopped);
    assert_eq!(text_at(Some(others[2].0), steps), picked);

    // Another day.
    let mut bench = start(home, &server);
    bench.wait("The loss is the surprise");
    bench.send(ESC);
    bench.wait("i edit text");
    assert_eq!(copied(&mut bench), alone);
    bench.wait("Token 1 of");
    for (key, text) in [("U", &picked), ("u", &alone), ("u", &stopped), ("U", &alone)] {
        bench.send(key);
        assert_eq!(&copied(&mut bench), text, "{key}");
    }
    bench.wait("saved ✓");
    bench.send("q");
    assert_eq!(bench.ended(), 0);
    let home = bench.into_home();
    assert_eq!(kept(home.path()), before, "the same steps, the same place");
}
