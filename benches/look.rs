//! How fast a large local file is looked at: opened, gone through by parts, counted, searched.
//!
//! `cargo bench --bench look`
#![allow(missing_docs, clippy::unwrap_used)]

use std::io::Write as _;
use std::sync::LazyLock;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use benchtop::api::call::Ticket;
use benchtop::record::files::{FilePlace, FileQuery, FileWindow, LinePosition, TextEncoding};
use benchtop::record::work::{Done, Work};
use benchtop::work::Workers;
use divan::Bencher;
use divan::counter::BytesCount;
use tempfile::NamedTempFile;

/// 64 MiB of rows of 100 bytes.
static FILE: LazyLock<NamedTempFile> = LazyLock::new(|| {
    let mut file = NamedTempFile::new().unwrap();
    let row = format!("{{\"prompt\":\"{}\",\"completion\":\" yes\"}}\n", "a".repeat(65));
    file.write_all(row.repeat((64 << 20) / row.len()).as_bytes()).unwrap();
    file
});

fn main() {
    divan::main();
}

/// The work threads, asked one thing after the other.
struct Asked(Workers, Receiver<Done>);

impl Asked {
    fn new() -> Self {
        let (send, answers) = channel();
        Self(Workers::spawn(move |_, done| send.send(done).unwrap_or_default()), answers)
    }

    fn window(&self, place: FilePlace, most: usize) -> FileWindow {
        let path = FILE.path().to_str().unwrap().to_owned();
        self.0.send(Ticket(1), Work::ReadWindow(FileQuery { path, place, most, writing: TextEncoding::Utf8 }));
        match self.1.recv_timeout(Duration::from_mins(1)).unwrap() {
            Done::Window(window) => *window,
            other => panic!("{other:?}"),
        }
    }
}

/// The first 64 KiB.
#[divan::bench]
fn open(bencher: Bencher) {
    let asked = Asked::new();
    asked.window(FilePlace::From(0), 1);
    bencher.bench_local(|| asked.window(FilePlace::From(0), 64 << 10));
}

/// The part that follows.
#[divan::bench]
fn page(bencher: Bencher) {
    let asked = Asked::new();
    bencher
        .counter(BytesCount::new(256_usize << 10))
        .bench_local(|| asked.window(FilePlace::From(30 << 20), 256 << 10));
}

/// All lines.
#[divan::bench(sample_count = 10)]
fn count(bencher: Bencher) {
    let asked = Asked::new();
    let place = FilePlace::Count { from: LinePosition::START, to: u64::MAX };
    bencher.counter(BytesCount::new(64_usize << 20)).bench_local(|| asked.window(place.clone(), 0));
}

/// A text that is not there, letter case apart.
#[divan::bench(sample_count = 10)]
fn find(bencher: Bencher) {
    let asked = Asked::new();
    let place = FilePlace::Find { text: "Nowhere".into(), from: LinePosition::START, back: false };
    bencher.counter(BytesCount::new(64_usize << 20)).bench_local(|| asked.window(place.clone(), 0));
}
