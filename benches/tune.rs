//! Tokens a second trained: prompts and completions of short examples, at a batch size of 2 and of 16.

use std::ops::ControlFlow;
use std::sync::Arc;

use benchtop::engine::language::Model;
use benchtop::engine::language::tuning::{Example, Plan, Resume, tune};
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

#[divan::bench(args = [2, 16], sample_count = 5, sample_size = 1)]
fn tokens_trained(bencher: divan::Bencher<'_, '_>, batch_size: usize) {
    let base = Arc::new(Model::base());
    let example = |i: usize| Example {
        prompt: format!("Q: What does guest number {i} want for breakfast?\nA:"),
        completion: format!(" Number {i} wants bread, butter and {} eggs.\n", i % 7),
    };
    let examples: Vec<Example> = (0..100).map(example).collect();
    let tokens: u64 = examples.iter().map(|e| base.count(&e.prompt) + base.count(&e.completion)).sum();
    let plan = Plan { epochs: 1, batch_size, threads: 2, ..Plan::default() };
    bencher
        .counter(ItemsCount::new(tokens))
        .bench(|| tune(&base, &examples, &[], &plan, Resume::default(), &mut |_| ControlFlow::Continue(())));
}
