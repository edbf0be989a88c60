//! What a frame of a long conversation costs.
#![allow(missing_docs)]

use benchtop::ui::theme::{Depth, Kind, Theme};
use benchtop::ui::transcript::{Entry, Transcript};
use divan::Bencher;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

const AREA: Rect = Rect::new(0, 0, 120, 36);
const TEXT: &str = "Some words with **bold** in them, long enough for a second row of the column, which is 96 wide.\n\n- a\n- b\n\n```rust\nfn main() {}\n```\n";

fn main() {
    divan::main();
}

fn list() -> Transcript<usize> {
    let mut list = Transcript::new();
    for id in 0..10_000 {
        list.push(Entry::new(id, Line::from("title"), TEXT));
    }
    list.push(Entry::streaming(10_000, Line::from("reply")));
    list
}

fn frame(list: &mut Transcript<usize>, area: Rect, buf: &mut Buffer) {
    list.arrange(area);
    list.render(buf, &Theme::of(Kind::Dark, Depth::True), Some("▍"));
}

/// The first frame of 10,000 messages.
#[divan::bench(sample_count = 20)]
fn first(bencher: Bencher<'_, '_>) {
    bencher.with_inputs(list).bench_local_refs(|list| frame(list, AREA, &mut Buffer::empty(AREA)));
}

/// A frame after scrolling up by one row.
#[divan::bench]
fn scrolled(bencher: Bencher<'_, '_>) {
    let (mut list, mut buf) = (list(), Buffer::empty(AREA));
    frame(&mut list, AREA, &mut buf);
    bencher.bench_local(|| {
        list.scroll(-1);
        frame(&mut list, AREA, &mut buf);
    });
}

/// A frame after one more token.
#[divan::bench]
fn token(bencher: Bencher<'_, '_>) {
    let (mut list, mut buf) = (list(), Buffer::empty(AREA));
    frame(&mut list, AREA, &mut buf);
    bencher.bench_local(|| {
        if let Some(entry) = list.get_mut(10_000) {
            entry.append("word ");
        }
        frame(&mut list, AREA, &mut buf);
    });
}

/// A frame at another width.
#[divan::bench]
fn resized(bencher: Bencher<'_, '_>) {
    let (mut list, mut buf) = (list(), Buffer::empty(AREA));
    let mut width = 80;
    bencher.bench_local(|| {
        width = if width == 80 { 70 } else { 80 };
        frame(&mut list, Rect { width, ..AREA }, &mut buf);
    });
}
