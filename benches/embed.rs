//! What an embedding costs: `cargo bench --bench embed`. Items are texts.
#![allow(missing_docs)]

use std::sync::atomic::{AtomicUsize, Ordering};

use benchtop::engine::embed::Space;
use benchtop::engine::sentence;
use benchtop::tokens::Encoding;
use divan::Bencher;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

/// Twenty words.
const SHORT: &str =
    "The shop on the corner no longer takes old batteries back, so bring them to the town hall on Friday.";

/// Returns a text of about 8,000 tokens that shares no window with one of another number.
fn long(number: usize) -> String {
    let sentence = |at: usize| {
        format!(
            "When ferry {} was late again, the passengers of deck {at} asked the crew for their money back. ",
            number + at
        )
    };
    (0..8000 / 21).map(sentence).collect()
}

/// Embeds another text each time: the model keeps the vectors of recent windows.
fn embed(bencher: Bencher<'_, '_>, model: &str, text: impl Fn(usize) -> String + Sync) {
    let Some(space) = Space::of(model) else { return };
    let number = AtomicUsize::new(0);
    let next = || text(number.fetch_add(1, Ordering::Relaxed));
    bencher.counter(ItemsCount::new(1_u32)).with_inputs(next).bench_refs(|text| space.vector(text));
}

/// Returns twenty words that differ by a number.
fn short_text(number: usize) -> String {
    SHORT.replace("Friday", &number.to_string())
}

#[divan::bench(args = ["text-embedding-ada-002", "text-embedding-3-large", "text-similarity-davinci-001"])]
fn short(bencher: Bencher<'_, '_>, model: &str) {
    embed(bencher, model, short_text);
}

/// As the service reads a request of many texts: the windows of some at a time.
#[divan::bench]
fn many_short(bencher: Bencher<'_, '_>) {
    let model = sentence::model();
    let first = AtomicUsize::new(0);
    let next = || (0..400).map(|_| short_text(first.fetch_add(1, Ordering::Relaxed))).collect::<Vec<_>>();
    bencher.counter(ItemsCount::new(400_u32)).with_inputs(next).bench_refs(|texts| {
        let windows = texts.iter().flat_map(|text| model.windows(&model.pieces(text)));
        let windows: Vec<Vec<u32>> = windows.collect();
        windows.chunks(10).map(|some| model.vectors(some).len()).sum::<usize>()
    });
}

#[divan::bench(args = ["text-embedding-ada-002", "text-similarity-davinci-001"])]
fn eight_thousand_tokens(bencher: Bencher<'_, '_>, model: &str) {
    embed(bencher, model, |number| long(1_000 * number));
}

#[divan::bench(args = [Encoding::Cl100k, Encoding::R50k])]
fn count_tokens_of_short(bencher: Bencher<'_, '_>, encoding: Encoding) {
    bencher.counter(ItemsCount::new(1_u32)).bench(|| encoding.count(SHORT));
}

#[divan::bench(args = [Encoding::Cl100k, Encoding::R50k])]
fn count_eight_thousand_tokens(bencher: Bencher<'_, '_>, encoding: Encoding) {
    let text = long(0);
    bencher.counter(ItemsCount::new(1_u32)).bench(|| encoding.count(&text));
}
