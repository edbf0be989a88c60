//! What a streamed token costs.
#![allow(missing_docs)]

use benchtop::ui::markdown::Doc;
use benchtop::ui::theme::{Depth, Kind, Theme};
use benchtop::ui::transcript::{Entry, Transcript};
use divan::Bencher;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

const TOKENS: usize = 20_000;
const PROSE: &[&str] =
    &["Some ", "words ", "with ", "**bold** ", "and ", "`code`", ". ", "More", ".\n\n", "- ", "an item\n"];
const AREA: Rect = Rect::new(0, 0, 120, 36);
/// Kilobytes that are there before the token comes.
const LENGTHS: &[usize] = &[10, 100, 1_000];

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
        doc.push(*token);
        doc.refresh();
    }
    doc.finish();
    doc.blocks().len()
}

/// A token and the frame that shows it, after so many KB of an open fence. Must not grow with them.
#[divan::bench(args = LENGTHS, sample_count = 200, sample_size = 1)]
fn frame_in_a_fence(bencher: Bencher<'_, '_>, length: usize) {
    frame_after(bencher, "```rust\n", "    let a = words.iter().map(|word| word.len()).sum::<usize>();\n", length);
}

/// The same in one line of a fence, as minified code is.
#[divan::bench(args = LENGTHS, sample_count = 200, sample_size = 1)]
fn frame_in_a_line_of_a_fence(bencher: Bencher<'_, '_>, length: usize) {
    frame_after(bencher, "```json\n", "{\"name\":\"value\",\"more\":[1,2,3]},", length);
}

/// The same in many short paragraphs.
#[divan::bench(args = LENGTHS, sample_count = 200, sample_size = 1)]
fn frame_in_prose(bencher: Bencher<'_, '_>, length: usize) {
    frame_after(bencher, "", "Some words with **bold** and `code`.\n\n", length);
}

/// The same in one paragraph.
#[divan::bench(args = LENGTHS, sample_count = 200, sample_size = 1)]
fn frame_in_a_paragraph(bencher: Bencher<'_, '_>, length: usize) {
    frame_after(bencher, "", "Some words with **bold** and `code`, and more. ", length);
}

/// The same in one list.
#[divan::bench(args = LENGTHS, sample_count = 200, sample_size = 1)]
fn frame_in_a_list(bencher: Bencher<'_, '_>, length: usize) {
    frame_after(bencher, "", "- An item with **bold** and `code`.\n", length);
}

/// The same in one table.
#[divan::bench(args = LENGTHS, sample_count = 200, sample_size = 1)]
fn frame_in_a_table(bencher: Bencher<'_, '_>, length: usize) {
    frame_after(bencher, "| name | value |\n|---|---|\n", "| a name | **a value** |\n", length);
}

/// KB of a whole text of signs that may begin a formula. The time must grow with the length and not with its square.
const WHOLE: &[usize] = &[64, 512];

#[divan::bench(args = WHOLE, sample_count = 10)]
fn formulas(bencher: Bencher<'_, '_>, length: usize) {
    whole(bencher, "$x$ ", "", length);
}

#[divan::bench(args = WHOLE, sample_count = 10)]
fn no_formula(bencher: Bencher<'_, '_>, length: usize) {
    whole(bencher, "$1 ", "1$", length);
}

#[divan::bench(args = WHOLE, sample_count = 10)]
fn formulas_and_escapes(bencher: Bencher<'_, '_>, length: usize) {
    whole(bencher, "$x$ \\* ", "", length);
}

#[divan::bench(args = WHOLE, sample_count = 10)]
fn code_that_does_not_end(bencher: Bencher<'_, '_>, length: usize) {
    whole(bencher, "1 ``` ", "", length);
}

fn whole(bencher: Bencher<'_, '_>, piece: &str, end: &str, length: usize) {
    let text = piece.repeat(length * 1_000 / piece.len()) + end;
    bencher.bench(|| {
        let mut doc = Doc::whole(text.as_str());
        doc.refresh();
        doc.blocks().len()
    });
}

fn frame_after(bencher: Bencher<'_, '_>, start: &str, piece: &str, length: usize) {
    let theme = Theme::of(Kind::Dark, Depth::True);
    let mut buf = Buffer::empty(AREA);
    let mut list = Transcript::new();
    list.push(Entry::streaming(0, Line::from("reply")));
    let mut add = |text: &str| {
        if let Some(entry) = list.get_mut(0) {
            entry.append(text);
        }
        list.arrange(AREA);
        list.render(&mut buf, &theme, Some("▍"));
    };
    add(start);
    add(&piece.repeat(length * 1_000 / piece.len()));
    bencher.bench_local(|| add("to"));
}
