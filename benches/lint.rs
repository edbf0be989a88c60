//! The check of training files, on two threads: `cargo bench --bench lint`.
//!
//! Makes files of 3,000,000 rows (about 500 MB of JSON Lines) and checks each in a process of its own: megabytes a
//! second, (of the clock, and of the processor's time where the system says it: other programs take some of the
//! clock's) and by how much the process's memory grew at most. A model that nobody here knows leaves the structure
//! alone, its tokens being guessed; `ada` counts those of a sample. `BENCHTOP_ROWS` makes more or fewer rows.
#![allow(missing_docs, clippy::print_stdout)]

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use benchtop::dataset::lint;

const ROWS: u64 = 3_000_000;
const WORDS: &[&str] = &[
    "order", "late", "parcel", "refund", "please", "where", "is", "my", "the", "and", "blue", "chair", "has", "not",
    "arrived", "yet", "thank", "you", "for", "a", "quick", "answer", "to", "this", "question", "about", "delivery",
];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, mode, path, model] = &arguments[..]
        && mode == "--check"
    {
        return check(Path::new(path), model);
    }
    let measured = arguments.iter().any(|argument| argument == "--bench");
    let rows = std::env::var("BENCHTOP_ROWS").ok().and_then(|rows| rows.parse().ok());
    let rows = rows.unwrap_or(if measured { ROWS } else { 2_000 });
    let home = tempfile::tempdir().expect("a folder for the files");
    for (name, row, models) in [
        ("pairs.jsonl", pair as Row, &["unknown", "ada"][..]),
        ("chats.jsonl", chat, &["unknown"]),
        ("pairs.csv", cells, &["unknown"]),
    ] {
        let path = home.path().join(name);
        write(&path, rows, row);
        for model in models {
            let program = std::env::current_exe().expect("a program that runs has a path");
            let checked = Command::new(program).arg("--check").arg(&path).arg(model).status();
            assert!(checked.is_ok_and(|status| status.success()), "the check of {name} failed");
        }
        std::fs::remove_file(&path).expect("the file was just written");
    }
}

/// Writes a row by its number and its words.
type Row = fn(&mut dyn Write, u64, &str, &str) -> std::io::Result<()>;

fn pair(to: &mut dyn Write, number: u64, prompt: &str, completion: &str) -> std::io::Result<()> {
    writeln!(to, "{{\"prompt\":\"{number}: {prompt}\\n\\n###\\n\\n\",\"completion\":\" {completion} {number}\\n\"}}")
}

fn chat(to: &mut dyn Write, number: u64, prompt: &str, completion: &str) -> std::io::Result<()> {
    let (user, assistant) = ("{\"role\":\"user\",\"content\":", "{\"role\":\"assistant\",\"content\":");
    writeln!(to, "{{\"messages\":[{user}\"{number}: {prompt}\"}},{assistant}\"{completion}\"}}]}}")
}

fn cells(to: &mut dyn Write, number: u64, prompt: &str, completion: &str) -> std::io::Result<()> {
    if number == 0 {
        writeln!(to, "prompt,completion")?;
    }
    writeln!(to, "\"{number}: {prompt}, \"\"or\"\" so\", {completion} {number}")
}

fn write(path: &Path, rows: u64, row: Row) {
    let mut to = BufWriter::with_capacity(1 << 20, File::create(path).expect("a file in a new folder"));
    let words = |seed: u64, count: usize, into: &mut String| {
        let mut state = seed;
        into.clear();
        for at in 0..count {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            into.push_str(if at == 0 { "" } else { " " });
            into.push_str(WORDS[(state >> 33) as usize % WORDS.len()]);
        }
    };
    let (mut prompt, mut completion) = (String::new(), String::new());
    for number in 0..rows {
        // One in a thousand was there before.
        let number = if number % 1_000 == 999 { number - 900 } else { number };
        words(number, 12, &mut prompt);
        words(!number, 6, &mut completion);
        row(&mut to, number, &prompt, &completion).expect("room for the file");
    }
    to.flush().expect("room for the file");
}

/// Checks a file and says how fast, and how much memory it took.
fn check(path: &Path, model: &str) {
    let before = peak();
    let (begin, busy) = (Instant::now(), cpu());
    let report = lint(path, model, false, &[], &mut |_, _| true).expect("the file is one to learn from");
    let (took, busy) = (begin.elapsed().as_secs_f64(), cpu() - busy);
    let (mb, grown) = (report.bytes as f64 / 1e6, peak().saturating_sub(before) as f64 / 1024.0);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    println!(
        "{name:12} {model:8} {} rows, {mb:.0} MB: {took:.2} s, {:.0} MB/s; {busy:.2} s of the processor, {:.0} MB/s; {grown:.1} MiB more at most, {} problems",
        report.rows,
        mb / took,
        mb / busy,
        report.counts.iter().map(|(_, count)| count).sum::<u64>(),
    );
}

/// Seconds of the processor that this process's threads have had, in steps of a hundredth.
fn cpu() -> f64 {
    let said = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = said.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: Vec<f64> = fields.skip(11).take(2).filter_map(|ticks| ticks.parse().ok()).collect();
    if ticks.len() == 2 { ticks.iter().sum::<f64>() / 100.0 } else { f64::NAN }
}

/// The most memory that this process had so far, in KiB; 0 where the system does not say.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}
