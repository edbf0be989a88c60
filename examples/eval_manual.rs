//! Measures how often the built-in chat model finds the manual's passage: `cargo run --release --example eval_manual
//! [questions.jsonl [others.txt]]`; without files `assets/manual/test.jsonl` and `test_others.txt`.
//!
//! A row of questions is `{"right": ["heading", …], "asked": ["one wording", …]}`; a line of the others is a question
//! on another subject. `--rows` lists what was found wrongly, but not of the test files: who has seen their rows can no
//! longer measure with them.
#![allow(clippy::print_stdout)]

use std::error::Error;

use benchtop::engine::language::Model;
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let (options, files): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let home = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/manual");
    let questions = files.first().cloned().unwrap_or_else(|| format!("{home}/test.jsonl"));
    let others = files.get(1).cloned().or_else(|| files.is_empty().then(|| format!("{home}/test_others.txt")));
    let rows = options.iter().any(|option| option == "--rows") && !questions.ends_with("test.jsonl");
    let model = Model::base();
    let (mut by_wording, mut asked, mut named) = ([0; 3], 0, 0);
    let (mut all, mut count) = (0, 0);
    for line in std::fs::read_to_string(&questions)?.lines() {
        let row: Value = serde_json::from_str(line)?;
        let right = |heading: &str| row["right"].as_array().is_some_and(|right| right.iter().any(|one| one == heading));
        count += 1;
        let mut whole = true;
        for (number, wording) in row["asked"].as_array().into_iter().flatten().filter_map(Value::as_str).enumerate() {
            let found = model.passages(&[("user", wording)]);
            asked += 1;
            let hit = found.first().is_some_and(|first| right(first));
            by_wording[number.min(2)] += usize::from(hit);
            named += usize::from(found.iter().take(3).any(|heading| right(heading)));
            whole &= hit;
            if rows && !hit {
                println!("{wording}\n    wanted {}, found {:?}", row["right"], &found[..3]);
            }
        }
        all += usize::from(whole);
    }
    println!("{questions}: {count} questions in {asked} wordings");
    println!("  the right passage first: {}", share(by_wording.iter().sum(), asked));
    println!("  by wording: {:.3?}", by_wording.map(|hits| hits as f64 / f64::from(count)));
    println!("  in all wordings of a question: {}", share(all, count as usize));
    println!("  among the first three: {}", share(named, asked));
    if let Some(others) = others {
        let text = std::fs::read_to_string(&others)?;
        let refused = text.lines().filter(|line| {
            let refused = model.passages(&[("user", line)]).first().is_some_and(|first| first.starts_with("Unknown"));
            if rows && !refused {
                println!("{line}\n    found {:?}", &model.passages(&[("user", line)])[..2]);
            }
            refused
        });
        println!("{others}: refused {}", share(refused.count(), text.lines().count()));
    }
    Ok(())
}

/// A share with Wilson's interval at 95 %.
fn share(part: usize, of: usize) -> String {
    let (n, z) = (of as f64, 1.96_f64);
    let p = part as f64 / n;
    let middle = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    format!("{part} of {of} = {p:.3} (95 %: {:.3} to {:.3})", middle - half, middle + half)
}
