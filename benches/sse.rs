//! Bytes → events → chunks: what a token costs before the screen sees it.
#![allow(missing_docs, clippy::unwrap_used)]

use benchtop::api::chat::ChatChunk;
use benchtop::client::sse::events;
use divan::Bencher;
use futures_util::{StreamExt, stream};

fn main() {
    divan::main();
}

fn event(n: usize) -> String {
    format!(
        "data: {{\"id\":\"chatcmpl-A\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"gpt-3.5-turbo-0301\",\
         \"choices\":[{{\"delta\":{{\"content\":\" t{n:05}\"}},\"index\":0,\"finish_reason\":null}}]}}\n\n"
    )
}

fn count(bytes: &[u8], size: usize) -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let pieces = stream::iter(bytes.chunks(size).map(Ok::<_, ()>));
    runtime.block_on(Box::pin(events(pieces)).count())
}

/// 20,000 events in pieces of 4 KiB.
#[divan::bench]
fn events_in_4_kib(bencher: Bencher) {
    let bytes: Vec<u8> = (0..20_000).flat_map(|n| event(n).into_bytes()).collect();
    bencher.bench(|| assert_eq!(count(&bytes, 4096), 20_000));
}

/// 20,000 events in one piece.
#[divan::bench]
fn events_in_one(bencher: Bencher) {
    let bytes: Vec<u8> = (0..20_000).flat_map(|n| event(n).into_bytes()).collect();
    bencher.bench(|| assert_eq!(count(&bytes, usize::MAX), 20_000));
}

/// One line just under 8 MiB in pieces of 4 KiB.
#[divan::bench]
fn longest_line(bencher: Bencher) {
    let mut bytes = b"data: ".to_vec();
    bytes.resize((8 << 20) - 1, b'x');
    bytes.extend_from_slice(b"\n\n");
    bencher.bench(|| assert_eq!(count(&bytes, 4096), 1));
}

/// 20,000 chunks from their JSON.
#[divan::bench]
fn chunks_of_json(bencher: Bencher) {
    let lines: Vec<String> = (0..20_000).map(|n| event(n)[6..].trim().to_owned()).collect();
    bencher.bench(|| {
        let read: usize = lines.iter().map(|line| serde_json::from_str::<ChatChunk>(line).unwrap().choices.len()).sum();
        assert_eq!(read, 20_000);
    });
}
