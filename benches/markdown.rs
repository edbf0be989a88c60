//! What a streamed token costs.
#![allow(missing_docs)]

use benchtop::ui::markdown::Doc;
use divan::Bencher;

const TOKENS: usize = 20_000;
const PROSE: &[&str] =
    &["Some ", "words ", "with ", "**bold** ", "and ", "`code`", ". ", "More", ".\n\n", "- ", "an item\n"];

fn main() {
    divan::main();
}

/// 20,000 tokens, looked at after each one.
#[divan::bench(sample_count = 10)]
fn prose(bencher: Bencher<'_, '_>) {
    bencher.bench(|| stream("", PROSE));
}

/// The same inside one open fence.
#[divan::bench(sample_count = 10)]
fn one_fence(bencher: Bencher<'_, '_>) {
    bencher.bench(|| stream("```rust\n", &["let ", "a ", "= ", "1;", "\n"]));
}

/// The same in one paragraph without an end.
#[divan::bench(sample_count = 3)]
fn one_paragraph(bencher: Bencher<'_, '_>) {
    bencher.bench(|| stream("", &["word ", "and "]));
}

fn stream(start: &str, tokens: &[&str]) -> usize {
    let mut doc = Doc::new(start);
    for token in tokens.iter().cycle().take(TOKENS) {
        doc.push(token);
        doc.refresh();
    }
    doc.finish();
    doc.blocks().len()
}
