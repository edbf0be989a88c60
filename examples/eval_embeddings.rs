//! How well the embedding tells a paraphrase from a distractor that shares words, beside plain bag-of-words:
//! `cargo run --release --example eval_embeddings [file …]`.
//!
//! A file is tab-separated with a header: difficulty, anchor, paraphrase, distractor. Without one, both sets in
//! `assets/embed/` are read. Intervals are of 95 %.
#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;

use benchtop::engine::embed::{Space, cosine_similarity};

const MODEL: &str = "text-embedding-ada-002";

struct Row {
    difficulty: String,
    /// Anchor, paraphrase, distractor.
    texts: [String; 3],
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if paths.is_empty() {
        let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/embed"));
        paths = ["dev.tsv", "test.tsv"].map(|file| folder.join(file)).to_vec();
    }
    for path in paths {
        let text = std::fs::read_to_string(&path).map_err(|why| format!("{}: {why}", path.display()))?;
        println!("{}", path.display());
        report(&rows(&text)?)?;
    }
    Ok(())
}

fn rows(text: &str) -> Result<Vec<Row>, String> {
    let row = |(at, line): (usize, &str)| {
        let mut cells = line.split('\t').map(str::to_owned);
        let mut cell = || cells.next().ok_or_else(|| format!("line {} has fewer than four columns", at + 1));
        Ok(Row { difficulty: cell()?, texts: [cell()?, cell()?, cell()?] })
    };
    text.lines().enumerate().skip(1).map(row).collect()
}

fn report(rows: &[Row]) -> Result<(), Box<dyn Error>> {
    let space = Space::of(MODEL).ok_or("no such model")?;
    let vectors: Vec<[Vec<f32>; 3]> =
        rows.iter().map(|row| row.texts.each_ref().map(|text| space.vector(text))).collect();
    let bags: Vec<[Bag; 3]> = rows.iter().map(|row| row.texts.each_ref().map(|text| bag(text))).collect();
    let mut points: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
    for ((row, [a, p, d]), [bag_a, bag_p, bag_d]) in rows.iter().zip(&vectors).zip(&bags) {
        let model = point(f64::from(cosine_similarity(a, p)), f64::from(cosine_similarity(a, d)));
        let plain = point(cosine(bag_a, bag_p), cosine(bag_a, bag_d));
        for group in [row.difficulty.as_str(), "~all"] {
            points.entry(group).or_default().push((model, plain));
        }
    }
    println!("  triplets        n   model                bag of words         difference");
    for (group, points) in &points {
        let n = points.len();
        let model = share(points.iter().map(|(model, _)| *model));
        let plain = share(points.iter().map(|(_, plain)| *plain));
        println!("  {:<12} {n:>4}   {model}   {plain}   {}", group.trim_start_matches('~'), difference(points));
    }
    let found = |near: &dyn Fn(usize, usize) -> f64| {
        share((0..rows.len()).map(|at| {
            let own = near(at, at);
            f64::from(u8::from((0..rows.len()).all(|other| other == at || near(at, other) < own)))
        }))
    };
    let model = found(&|anchor, other| f64::from(cosine_similarity(&vectors[anchor][0], &vectors[other][1])));
    let plain = found(&|anchor, other| cosine(&bags[anchor][0], &bags[other][1]));
    println!("  own paraphrase nearest of all {:>4}: model {model}   bag of words {plain}", rows.len());
    Ok(())
}

/// 1 where the paraphrase is nearer, a half for a tie.
fn point(paraphrase: f64, distractor: f64) -> f64 {
    match paraphrase.total_cmp(&distractor) {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Less => 0.0,
    }
}

/// A mean of points with Wilson's interval, in per cent.
fn share(points: impl ExactSizeIterator<Item = f64>) -> String {
    let n = points.len() as f64;
    let mean = points.sum::<f64>() / n;
    let z = 1.96_f64;
    let middle = (mean + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (mean * (1.0 - mean) / n + z * z / (4.0 * n * n)).sqrt();
    let percent = |share: f64| 100.0 * share;
    format!("{:>5.1} % ({:>4.1}–{:>5.1})", percent(mean), percent(middle - half), percent(middle + half))
}

/// The mean difference of paired points and its interval, in points of per cent.
fn difference(points: &[(f64, f64)]) -> String {
    let n = points.len() as f64;
    let mean = points.iter().map(|(model, plain)| model - plain).sum::<f64>() / n;
    let spread = points.iter().map(|(model, plain)| (model - plain - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    format!("{:+.1} ± {:.1}", 100.0 * mean, 196.0 * (spread / n).sqrt())
}

type Bag = BTreeMap<String, f64>;

/// How often each word occurs.
fn bag(text: &str) -> Bag {
    let mut bag = Bag::new();
    for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        *bag.entry(word.to_owned()).or_default() += 1.0;
    }
    bag
}

fn cosine(a: &Bag, b: &Bag) -> f64 {
    let length = |bag: &Bag| bag.values().map(|count| count * count).sum::<f64>().sqrt();
    let product: f64 = a.iter().filter_map(|(word, count)| Some(count * b.get(word)?)).sum();
    product / (length(a) * length(b)).max(f64::MIN_POSITIVE)
}
