//! What a verdict costs: a short text, and a megabyte.
//!
//! `cargo bench --bench moderate`.
#![allow(missing_docs)]

use benchtop::engine::moderate::Classifier;
use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};

const SHORT: &str = "How do I kill the process that is holding port 8080? It hung again after the last deploy.";

fn main() {
    divan::main();
}

#[divan::bench]
fn a_short_text(bencher: Bencher) {
    let classifier = Classifier::new();
    bencher.counter(ItemsCount::new(1_usize)).bench(|| classifier.judge(divan::black_box(SHORT)));
}

#[divan::bench(sample_count = 5)]
fn a_megabyte(bencher: Bencher) {
    let classifier = Classifier::new();
    let text = "The ferry leaves at nine, and the harbour café opens an hour before. ".repeat(15_000);
    bencher.counter(BytesCount::new(text.len())).bench(|| classifier.judge(divan::black_box(&text)));
}
