//! Recorded-shape streams (`tests/fixtures/streams`) decode to the same events however the network cuts them.
#![allow(missing_docs, clippy::unwrap_used)]

use std::path::Path;

use benchtop::client::sse::{Framer, SseError, TooLong, events};
use benchtop::settings::limits;
use futures_util::{StreamExt, stream};

fn fixtures() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/streams");
    let mut found: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(path).unwrap()))
        .collect();
    found.sort();
    assert!(found.len() >= 18, "the fixtures are there");
    found
}

/// Returns names and data of all events, and the error with which the stream ended.
fn decode(chunks: Vec<&[u8]>) -> (Vec<(String, String)>, Option<SseError<()>>) {
    let bytes = stream::iter(chunks.into_iter().map(Ok::<_, ()>));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let mut found = Vec::new();
        let mut events = Box::pin(events(bytes));
        while let Some(event) = events.next().await {
            match event {
                Ok(event) => found.push((event.event, event.data)),
                Err(why) => return (found, Some(why)),
            }
        }
        (found, None)
    })
}

#[test]
fn every_split_decodes_to_the_same_events() {
    for (name, bytes) in fixtures() {
        let whole = decode(vec![&bytes]);
        assert!(whole.1.is_none() && !whole.0.is_empty(), "{name}");
        for at in 0..=bytes.len() {
            assert_eq!(decode(vec![&bytes[..at], &bytes[at..]]), whole, "{name} cut at byte {at}");
        }
        for size in [1, 2, 3, 7, 64] {
            assert_eq!(decode(bytes.chunks(size).collect()), whole, "{name} in pieces of {size}");
        }
    }
}

#[test]
fn line_ends_and_a_byte_order_mark_change_nothing() {
    let all: Vec<(String, Vec<u8>)> = fixtures();
    let of = |name: &str| decode(vec![&all.iter().find(|(found, _)| found == name).unwrap().1]).0;
    let period = of("period.sse");
    assert_eq!(period.last().unwrap().1, "[DONE]");
    for other in ["crlf.sse", "cr.sse", "byte_order_mark.sse"] {
        assert_eq!(of(other), period, "{other}");
    }
    assert_eq!(of("no_last_blank.sse"), period, "an end without its blank line is an end");
    assert_eq!(of("no_done.sse"), period[..period.len() - 1]);
}

#[test]
fn a_line_may_be_as_long_as_the_limit_and_no_longer() {
    for (over, good) in [(-1_isize, true), (0, true), (1, false)] {
        let line = vec![b'x'; limits::SSE_LINE.saturating_add_signed(over)];
        let mut framer = Framer::default();
        let mut ready = std::collections::VecDeque::new();
        let mut pushed = Ok(());
        for piece in line.chunks(64 << 10) {
            pushed = pushed.and_then(|()| framer.push(piece, &mut ready));
        }
        pushed = pushed.and_then(|()| framer.push(b"\n\n", &mut ready));
        assert_eq!(pushed, if good { Ok(()) } else { Err(TooLong) }, "limit {over:+}");
        let came: usize = ready.iter().map(String::len).sum();
        assert_eq!(came, if good { line.len() + 2 } else { 0 });
    }
}

#[test]
fn an_event_of_many_lines_is_as_long_as_its_limit_and_read_in_one_go() {
    // Moved once for each line, this would be terabytes.
    let line = b"data:\n";
    for (over, good) in [(-1_isize, true), (0, true), (1, false)] {
        let lines = limits::SSE_EVENT / line.len() - 2;
        let rest = limits::SSE_EVENT.saturating_add_signed(over) - lines * line.len();
        let mut bytes = line.repeat(lines);
        bytes.extend_from_slice(format!("data:{}\n\n", "x".repeat(rest - line.len())).as_bytes());
        let (events, why) = decode(bytes.chunks(64 << 10).collect());
        assert_eq!((events.len(), why), if good { (1, None) } else { (0, Some(SseError::TooLong)) }, "limit {over:+}");
        assert!(events.iter().all(|(_, data)| data.len() == lines + rest - line.len()));
    }
}

#[test]
fn comments_are_signs_of_life_and_nothing_more() {
    let mut bytes = b": still here\n".repeat(limits::SSE_EVENT / 8);
    bytes.extend_from_slice(b"data: a\n:\ndata: b\n\n");
    assert_eq!(decode(bytes.chunks(64 << 10).collect()), (vec![("message".to_owned(), "a\nb".to_owned())], None));
}

#[test]
fn a_line_end_in_two_reads_with_an_empty_one_between_is_one_line_end() {
    let whole = decode(vec![b"data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n"]);
    let events: Vec<&str> = whole.0.iter().map(|(_, data)| data.as_str()).collect();
    assert_eq!(events, ["a\nb", "c"]);
    let cut: [&[u8]; 11] =
        [b"data: a\r", b"", b"\ndata: b\r", b"", b"\n\r", b"", b"", b"\ndata: c\r", b"\n", b"\r", b""];
    assert_eq!(decode(cut.to_vec()), whole);
}
