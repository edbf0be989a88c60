//! The Embed tab in a real terminal, against the local service: texts are typed and embedded, what belongs together is
//! near, and at the next start all of it is there without another request.
#![cfg(unix)]
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod common;

use rusqlite::{Connection, OpenFlags};
use tempfile::TempDir;

use common::{Bench, Setup};

const ESC: &str = "\x1b";
const ENTER: &str = "\r";
const RUN: &str = "\x12";
const QUIT: &str = "\x11";
const TO_EMBED: &str = "\x1b4";

fn start(home: TempDir) -> Bench {
    let dir = home.path().join("data");
    let args = ["--data-dir", dir.to_str().unwrap()];
    let mut bench = Bench::with(Setup { args: &args, home: Some(home), size: (120, 36), ..Setup::default() });
    bench.wait("▐1");
    bench.send(TO_EMBED);
    bench.wait("▐4 Embed");
    bench
}

/// Answers the ledger has from this tab.
fn answers(home: &TempDir) -> i64 {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
    let store = Connection::open_with_flags(home.path().join("data").join("benchtop.db"), flags).unwrap();
    store.query_row("SELECT count(*) FROM ledger WHERE tab = 'Embed'", [], |row| row.get(0)).unwrap()
}

#[test]
fn texts_are_embedded_once_and_are_there_at_the_next_start() {
    let mut bench = start(TempDir::new().unwrap());
    bench.wait("Embed turns texts into vectors");
    bench.send("a");
    bench.wait("Texts");
    for text in ["I want my money back", "refund of a purchase", "reset my password"] {
        bench.type_in(text);
        bench.wait(text);
        bench.send(ENTER);
        bench.wait("a text to embed");
    }
    bench.send(ESC);
    // An Esc that is read together with the next key is Alt with that key.
    bench.wait_gone("a text to embed");
    bench.wait("C reset my password");
    bench.wait("saved ✓");
    bench.send(RUN);
    bench.wait("3 texts embedded");
    let screen = bench.wait("Nearest to C");
    assert!(screen.contains("1.00"), "{screen}");
    bench.send("g");
    let screen = bench.wait("Nearest to A");
    let mut below = screen.lines().skip_while(|line| !line.contains("Nearest to A")).skip(1);
    let nearest = below.find(|line| line.trim_start().starts_with("0.")).unwrap();
    let found = nearest.split_whitespace().nth(1);
    assert_eq!(found, Some("B"), "money back is near a refund: {nearest}");
    bench.send(ENTER);
    bench.wait("dimensions  1,536");
    bench.send(ESC);
    bench.wait("▸ Cosine");
    bench.send(QUIT);
    assert_eq!(bench.ended(), 0);
    let home = bench.into_home();
    assert_eq!(answers(&home), 1, "one request for three texts");

    let mut bench = start(home);
    bench.wait("A I want my money back");
    bench.wait("Nearest to A");
    bench.send(RUN);
    bench.wait("nothing was sent");
    bench.send(QUIT);
    assert_eq!(bench.ended(), 0);
    assert_eq!(answers(&bench.into_home()), 1, "nothing was paid for again");
}
