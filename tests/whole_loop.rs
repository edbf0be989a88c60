//! The whole loop in a real terminal, against the local service: a messy table is checked, mended, parted and uploaded,
//! a job learns from it and is followed to its end, and the model it made answers better than its base.
#![cfg(unix)]
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::fmt::Write as _;

use tempfile::TempDir;

use common::{Bench, Setup};

const ENTER: &str = "\r";
const QUIT: &str = "\x11";
const CLEAR: &str = "\x15";
const RUN: &str = "\x12";
const TO_FILES: &str = "\x1b5";

/// Returns a table of customers' questions: columns in unusual case, one too many, duplicates, rows without an answer.
fn table() -> String {
    let delivery = ["parcel", "package", "box", "letter"];
    let refund = ["kettle", "lamp", "chair", "coat"];
    let mut rows = "Prompt,COMPLETION,notes\n".to_owned();
    for nr in 0..12 {
        for (parcel, thing) in delivery.iter().zip(refund) {
            writeln!(rows, "WHERE IS MY {parcel} nr {nr}? IT NEVER CAME,delivery,x").unwrap();
            writeln!(rows, "I WANT MY MONEY BACK for the {thing} nr {nr},refund,").unwrap();
        }
    }
    rows + "I WANT MY MONEY BACK for the coat nr 3,refund,\nWhat now?,,\nHello,,y\n"
}

#[test]
fn from_a_messy_table_to_a_better_answer() {
    let home = TempDir::new().unwrap();
    std::fs::write(home.path().join("letters.csv"), table()).unwrap();
    let data = home.path().join("data");
    let args = ["--data-dir", data.to_str().unwrap()];
    let mut bench = Bench::with(Setup { args: &args, home: Some(home), size: (120, 36), ..Setup::default() });
    bench.wait("▐1");
    bench.send(TO_FILES);
    bench.wait("▐5 Files");
    bench.wait("letters.csv");
    bench.send("j");
    bench.wait("▌ letters.csv");
    bench.send("v");
    let screen = bench.wait("7 of 7 accepted");
    assert!(screen.contains("97 of 99 rows can be used"), "{screen}");
    bench.wait("w writes letters_prepared_train.jsonl and letters_prepared_valid.jsonl");
    // Of a classification a part is held out unless the user says otherwise.
    bench.wait("about 20% of rows held out");
    bench.send("w");
    bench.wait("U uploads both");
    bench.send("U");
    bench.wait("✓ 20 examples");
    bench.send(ENTER);
    // The sentence is broken over lines where it has to be.
    bench.until("that o trains with both", |screen| screen.contains("uploaded to") && screen.contains("both"));
    bench.wait("▸ Server files");
    bench.until("both are processed", |screen| screen.matches("✓ processed").count() == 2);
    bench.send("o");
    bench.wait("▐6 Tune");
    let screen = bench.wait("76 rows");
    assert!(screen.contains("letters_prepared_valid.jsonl"), "{screen}");
    bench.send("G");
    bench.wait("▌Create");
    bench.send(ENTER);
    bench.wait("Fine-tune succeeded");
    bench.wait("t try it");
    bench.send("t");
    bench.wait("B curie");
    bench.wait("expected: ");
    // A letter that no row holds.
    bench.send(CLEAR);
    bench.type_in("where is my parcel nr 99? it never came");
    // Enter right after quick typing would be a line break of a paste.
    bench.send(RUN);
    let screen = bench.until("both answered", |screen| screen.matches("✓ done").count() == 2);
    let row = screen.lines().find(|line| line.contains("delivery")).expect("the tuned model knows the class");
    let (tuned, base) = row.split_once('│').unwrap();
    assert!(tuned.ends_with(' ') && tuned.trim_matches([' ', '┃']) == "delivery", "{screen}");
    assert!(!base.contains("delivery"), "the base does not: {screen}");
    bench.send(QUIT);
    assert_eq!(bench.ended(), 0);
}

/// Returns a help desk's export as its program writes it: other column names, UTF-16, blank and duplicate rows, labels
/// with blanks and in other letter case. 300 letters in 4 classes.
fn export() -> Vec<u8> {
    const QUEUES: [(&str, [&str; 4]); 4] = [
        ("Billing", ["invoice", "refund", "charge", "receipt"]),
        ("Delivery", ["parcel", "courier", "shipment", "address"]),
        ("Technical", ["error", "crash", "login", "update"]),
        ("Sales", ["price", "offer", "licence", "quote"]),
    ];
    let mut text = "Ticket;Subject;Text;Queue\r\n".to_owned();
    for n in 0..300 {
        let (queue, words) = QUEUES[n % 4];
        let word = words[n / 4 % 4];
        let queue = match n {
            8 => " Billing ".to_owned(),
            12 => "billing".to_owned(),
            21 => "DELIVERY".to_owned(),
            _ => queue.to_owned(),
        };
        write!(text, "{};Letter {n};Grüße, the {word} of order {n} is a {word} problem nr {n};{queue}\r\n", 1000 + n)
            .unwrap();
        if n % 60 == 59 {
            text.push_str(";;;\r\n");
        }
        if n % 100 == 50 {
            let n = n - 1;
            let (queue, words) = QUEUES[n % 4];
            let word = words[n / 4 % 4];
            write!(
                text,
                "{};Letter {n};Grüße, the {word} of order {n} is a {word} problem nr {n};{queue}\r\n",
                1000 + n
            )
            .unwrap();
        }
    }
    text.encode_utf16().fold(vec![0xFF, 0xFE], |mut bytes, unit| {
        bytes.extend(unit.to_le_bytes());
        bytes
    })
}

#[test]
fn from_a_help_desks_export_to_a_score_with_few_keys() {
    let home = TempDir::new().unwrap();
    std::fs::write(home.path().join("tickets.csv"), export()).unwrap();
    let data = home.path().join("data");
    let args = ["--data-dir", data.to_str().unwrap()];
    let mut bench = Bench::with(Setup { args: &args, home: Some(home), size: (120, 36), ..Setup::default() });
    let mut keys = 0;
    let mut press = |bench: &mut Bench, key: &str| {
        keys += 1;
        bench.send(key);
        keys
    };
    bench.wait("▐1");
    press(&mut bench, TO_FILES);
    bench.wait("tickets.csv");
    press(&mut bench, "j");
    bench.wait("▌ tickets.csv");
    press(&mut bench, "v");
    let screen = bench.wait("guessed: prompt = {Text} · completion = {Queue}");
    assert!(screen.contains("CSV · UTF-16 · 303 rows"), "{screen}");
    assert!(screen.contains("Billing"), "{screen}");
    bench.wait("about 20% of rows held out");
    press(&mut bench, "w");
    let screen = bench.wait("U uploads both");
    assert!(screen.contains("end each prompt with"), "{screen}");
    press(&mut bench, "U");
    bench.wait("⏎ upload");
    bench.until("both are checked", |screen| screen.matches("examples").count() >= 2);
    press(&mut bench, ENTER);
    // The sentence is broken over lines where it has to be.
    bench.until("that o trains with both", |screen| screen.contains("uploaded to") && screen.contains("both"));
    bench.until("both are processed", |screen| screen.matches("✓ processed").count() == 2);
    press(&mut bench, "o");
    bench.wait("▐6 Tune");
    press(&mut bench, "G");
    bench.wait("▌Create");
    press(&mut bench, ENTER);
    for epoch in 1..=3 {
        bench.wait(&format!("epoch {epoch} of 4 ended"));
    }
    bench.wait("t try it");
    press(&mut bench, "T");
    bench.wait("⏎ uses the job's validation file");
    press(&mut bench, ENTER);
    bench.wait("Send these rows to both models?");
    let count = press(&mut bench, ENTER);
    let screen = bench.wait("120 answers  ✓");
    let score = screen.lines().find(|line| line.contains("tuned ") && line.contains("correct")).unwrap();
    let percent: f64 = score.split_whitespace().nth(1).unwrap().trim_end_matches('%').parse().expect("a score");
    assert!(percent >= 80.0, "{screen}");
    assert!(count <= 12, "{count} keys");
    bench.send(QUIT);
    assert_eq!(bench.ended(), 0);
}
