//! How fast text is written and scored: `cargo bench --bench generate`. The figure is tokens a second.
#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::HashMap;

use benchtop::engine::language::{Model, Prompt, Sampling, spelling};
use divan::{Bencher, counter::ItemsCount};

fn main() {
    divan::main();
}

/// Tokens of a long answer.
const LONG: u64 = 256;

/// A long answer that does not end by itself.
fn sampling(logprobs: usize) -> Sampling {
    let logit_bias = HashMap::from([(50_256, -100.0)]);
    Sampling { seed: Some(1), max_tokens: LONG, logit_bias, logprobs, ..Sampling::default() }
}

fn write(bencher: Bencher, prompt: &Prompt, sampling: &Sampling) {
    let model = Model::base();
    let read = model.read(prompt);
    let tokens = model.begin(&read, sampling).count();
    bencher.counter(ItemsCount::new(tokens)).bench_local(|| model.begin(&read, sampling).count());
}

#[divan::bench]
fn completion_of_256_tokens(bencher: Bencher) {
    write(bencher, &Prompt::text("A language model"), &sampling(0));
}

#[divan::bench]
fn completion_of_256_tokens_with_5_logprobs(bencher: Bencher) {
    write(bencher, &Prompt::text("A language model"), &sampling(5));
}

#[divan::bench]
fn completion_of_256_tokens_with_top_p(bencher: Bencher) {
    write(bencher, &Prompt::text("A language model"), &Sampling { top_p: 0.9, ..sampling(0) });
}

#[divan::bench]
fn chat_answer_of_256_tokens(bencher: Bencher) {
    write(bencher, &Prompt::chat(&[("user", "How do I send a message?")]), &sampling(0));
}

#[divan::bench]
fn writing_in_a_gap(bencher: Bencher) {
    // What never follows: the gap stays open for all its tokens.
    let gap = Prompt::Gap(spelling::tokens("A language model"), spelling::tokens(" zebra zebra zebra"));
    write(bencher, &gap, &sampling(0));
}

#[divan::bench(sample_count = 20)]
fn scoring_2000_tokens(bencher: Bencher) {
    let model = Model::base();
    let ids: Vec<u32> = spelling::tokens(include_str!("../assets/manual.md")).into_iter().take(2000).collect();
    bencher.counter(ItemsCount::new(ids.len())).bench_local(|| model.score(&ids, 5));
}
