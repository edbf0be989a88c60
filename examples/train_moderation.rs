//! Trains the moderation classifier on the texts in `assets/moderation/` and writes its weights there:
//! `cargo run --release --example train_moderation`.
//!
//! Ten times a tenth of the rows written by hand is left out of the training and scored: the figures printed, and the
//! thresholds, are from these scores. The weights written are then trained on all rows.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fs;
use std::path::Path;

use benchtop::engine::moderate::corpus::{Row, compose, rows};
use benchtop::engine::moderate::measure::{Report, cross_validate};
use benchtop::engine::moderate::{Category, prepare, train};

fn main() -> Result<(), Box<dyn Error>> {
    let home = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/moderation"));
    let read = |name: &str| fs::read_to_string(home.join(name)).map_err(|why| format!("{name}: {why}"));
    let composed = compose(&read("training.txt")?)?;
    let development = rows(&read("dev.tsv")?)?;
    let mut by_hand = development.clone();
    by_hand.extend(rows(&read("own.tsv")?)?);
    by_hand.extend(rows(&read("others.tsv")?)?);
    // Texts of no category, as they are written every day: of shops and stays, and the project's own.
    let everyday = [read("everyday.txt")?, read("../prose.md")?, read("../manual.md")?];
    let lines = everyday.iter().flat_map(|text| text.lines()).filter(|line| line.len() > 15);
    by_hand.extend(lines.map(|line| Row { labels: Vec::new(), kind: "everyday".into(), text: line.to_owned() }));
    println!("{} texts composed, {} rows by hand", composed.len(), by_hand.len());
    let examples = prepare(&composed, &by_hand);
    let (scores, thresholds) = cross_validate(&examples, &by_hand, 10);
    let (mut report, mut own) = (Report::default(), Report::default());
    let listed = std::env::args().any(|word| word == "--rows");
    for (at, (row, scores)) in by_hand.iter().zip(&scores).enumerate() {
        let flagged = |category: Category| scores[category as usize] >= thresholds[category as usize];
        if at < development.len() { &mut report } else { &mut own }.add(row, flagged);
        for category in Category::ALL.into_iter().filter(|c| listed && row.is(*c) != flagged(*c)) {
            let what = if row.is(category) { "missed" } else { "false" };
            println!("{what}\t{}\t{:.3}\t{}", category.name(), scores[category as usize], row.text);
        }
    }
    println!("cross-validated, ten parts; thresholds {thresholds:.3?}");
    println!("\ndevelopment rows\n\n{}\nrows of the classifier's author\n\n{}", report.table(), own.table());
    let weights = train(&examples.iter().collect::<Vec<_>>(), thresholds);
    fs::write(home.join("weights"), &weights)?;
    println!("{}: {} bytes", home.join("weights").display(), weights.len());
    Ok(())
}
