//! What a verdict costs: a short text, and a megabyte.
//!
//! `cargo bench --bench moderate`. Each text has a number of its own: the sentence model keeps recent vectors.
#![allow(missing_docs)]

use std::sync::atomic::{AtomicUsize, Ordering};

use benchtop::engine::moderate::Classifier;
use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};

fn main() {
    divan::main();
}

#[divan::bench]
fn a_short_text(bencher: Bencher) {
    let (classifier, port) = (Classifier::new(), AtomicUsize::new(8080));
    let next = || {
        let port = port.fetch_add(1, Ordering::Relaxed);
        format!("How do I kill the process that is holding port {port}? It hung again after deploy {port}.")
    };
    bencher.counter(ItemsCount::new(1_usize)).with_inputs(next).bench_refs(|text| classifier.judge(text));
}

#[divan::bench(sample_count = 5)]
fn a_megabyte(bencher: Bencher) {
    let (classifier, ferry) = (Classifier::new(), AtomicUsize::new(1));
    let next = || {
        let ferry = ferry.fetch_add(1, Ordering::Relaxed);
        format!("Ferry {ferry} leaves at nine, and the harbour café opens an hour before. ").repeat(15_000)
    };
    let counted = bencher.with_inputs(next).input_counter(|text: &String| BytesCount::of_str(text));
    counted.bench_refs(|text| classifier.judge(text));
}
