//! What an embedding costs: `cargo bench --bench embed`. Items are texts.
#![allow(missing_docs)]

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

/// About 8,000 tokens.
fn long() -> String {
    let text = "When the ferry was late again, the passengers of the first deck asked the crew for their money back. ";
    text.repeat(8000 / 21)
}

fn embed(bencher: Bencher<'_, '_>, model: &str, text: String) {
    let Some(space) = Space::of(model) else { return };
    bencher.counter(ItemsCount::new(1_u32)).bench(|| space.vector(&text));
}

#[divan::bench(args = ["text-embedding-ada-002", "text-embedding-3-large", "text-similarity-davinci-001"])]
fn short(bencher: Bencher<'_, '_>, model: &str) {
    embed(bencher, model, SHORT.into());
}

/// As the service reads a request of many texts: the windows of some at a time.
#[divan::bench]
fn many_short(bencher: Bencher<'_, '_>) {
    let model = sentence::model();
    let texts: Vec<String> = (0..400).map(|number| SHORT.replace("Friday", &number.to_string())).collect();
    bencher.counter(ItemsCount::new(texts.len())).bench(|| {
        let windows = texts.iter().flat_map(|text| model.windows(&model.pieces(text)));
        let windows: Vec<Vec<u32>> = windows.collect();
        windows.chunks(10).map(|some| model.vectors(some).len()).sum::<usize>()
    });
}

#[divan::bench(args = ["text-embedding-ada-002", "text-similarity-davinci-001"])]
fn eight_thousand_tokens(bencher: Bencher<'_, '_>, model: &str) {
    embed(bencher, model, long());
}

#[divan::bench(args = [Encoding::Cl100k, Encoding::R50k])]
fn count_tokens_of_short(bencher: Bencher<'_, '_>, encoding: Encoding) {
    bencher.counter(ItemsCount::new(1_u32)).bench(|| encoding.count(SHORT));
}

#[divan::bench(args = [Encoding::Cl100k, Encoding::R50k])]
fn count_eight_thousand_tokens(bencher: Bencher<'_, '_>, encoding: Encoding) {
    let text = long();
    bencher.counter(ItemsCount::new(1_u32)).bench(|| encoding.count(&text));
}
