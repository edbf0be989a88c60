//! Measures the moderation classifier on labelled rows:
//! `cargo run --release --example eval_moderation -- [--rows] [file…]`; without files both of `assets/moderation/`.
//!
//! `--rows` lists what was judged wrongly, but not of a test file: who has seen its rows can no longer measure with it.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::{Path, PathBuf};

use benchtop::engine::moderate::corpus::rows;
use benchtop::engine::moderate::measure::Report;
use benchtop::engine::moderate::{Category, Classifier};

fn main() -> Result<(), Box<dyn Error>> {
    let (options, files): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word.starts_with("--"));
    if let Some(unknown) = options.iter().find(|option| *option != "--rows") {
        return Err(format!("{unknown} is no option; --rows is the only one").into());
    }
    let home = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/moderation"));
    let files: Vec<PathBuf> = if files.is_empty() {
        ["dev.tsv", "test.tsv"].map(|name| home.join(name)).into_iter().filter(|path| path.exists()).collect()
    } else {
        files.into_iter().map(PathBuf::from).collect()
    };
    // As they are now, not as they were when this program was built.
    let classifier = Classifier::with(&std::fs::read(home.join("weights"))?);
    for path in files {
        let text = std::fs::read_to_string(&path).map_err(|why| format!("{}: {why}", path.display()))?;
        let file_name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let listed = !options.is_empty();
        if listed && file_name.contains("test") {
            return Err(format!("{}: the rows of a test file are not listed", path.display()).into());
        }
        let mut report = Report::default();
        for row in rows(&text).map_err(|why| format!("{}, {why}", path.display()))? {
            let verdict = classifier.judge(&row.text);
            report.add(&row, |category| verdict.flagged(category));
            let wrong = |category: &Category| row.is(*category) != verdict.flagged(*category);
            for category in Category::ALL.into_iter().filter(wrong).filter(|_| listed) {
                let what = if row.is(category) { "missed" } else { "false" };
                println!("{what}\t{}\t{:.3}\t{}", category.name(), verdict.score(category), row.text);
            }
        }
        println!("{}\n\n{}", path.display(), report.table());
    }
    Ok(())
}
