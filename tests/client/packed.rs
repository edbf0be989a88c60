//! Answers that come compressed.

use std::io::Write as _;

use benchtop::api::call::{Call, FailureKind, Progress, Reply};
use benchtop::settings::limits;
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

use crate::server::{Asked, FIRST, LAST, Server, WHOLE, call, chat, failed, next, text};

fn gzip(text: &str) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap()
}

fn zlib(text: &str) -> Vec<u8> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap()
}

fn deflate(text: &str) -> Vec<u8> {
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::default());
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap()
}

/// Sends the head of an answer with this content coding, which ends with the connection.
async fn open(asked: &mut Asked, coding: &str) {
    let head = format!("HTTP/1.1 200 OK\r\ncontent-encoding: {coding}\r\nconnection: close\r\n\r\n");
    asked.write(&head).await;
}

#[tokio::test]
async fn compressed_answers_are_read_whole_and_streamed() {
    let stream = format!("{FIRST}{LAST}data: [DONE]\n\n");
    let two = [gzip(FIRST), gzip(LAST)].concat();
    for (coding, body, streamed) in [
        ("gzip", gzip(WHOLE), false),
        ("x-gzip", gzip(WHOLE), false),
        ("deflate", zlib(WHOLE), false),
        ("deflate", deflate(WHOLE), false),
        ("identity", WHOLE.as_bytes().to_vec(), false),
        ("GZIP", gzip(&stream), true),
        ("gzip", two, true),
    ] {
        let server = Server::new().await;
        let (_client, mut news, _) = call(server.endpoint(), chat(streamed));
        let mut asked = server.asked().await;
        open(&mut asked, coding).await;
        // In pieces, so that it is cut wherever it can be.
        for piece in body.chunks(7) {
            asked.bytes(piece).await;
        }
        drop(asked);
        assert_eq!(text(&mut news).await, ("Hello".to_owned(), Ok(())), "{coding}");
    }
}

#[tokio::test]
async fn a_compressed_stream_is_read_as_it_comes() {
    let server = Server::new().await;
    let (_client, mut news, _) = call(server.endpoint(), chat(true));
    let mut asked = server.asked().await;
    open(&mut asked, "gzip").await;
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(FIRST.as_bytes()).unwrap();
    packed.flush().unwrap();
    asked.bytes(&std::mem::take(packed.get_mut())).await;
    // The rest is not sent before the first event was read.
    while !matches!(next(&mut news).await, Progress::Reply(Reply::ChatChunk(_))) {}
    packed.write_all(LAST.as_bytes()).unwrap();
    let rest = packed.finish().unwrap();
    asked.bytes(&rest).await;
    drop(asked);
    assert_eq!(text(&mut news).await, ("lo".to_owned(), Ok(())));
}

#[tokio::test]
async fn what_is_cut_damaged_or_unknown_is_said() {
    let whole = gzip(WHOLE);
    let mut damaged = whole.clone();
    let last = damaged.len() - 6;
    damaged[last] ^= 1;
    for (coding, body, kind, words) in [
        ("gzip", whole[..whole.len() - 3].to_vec(), FailureKind::CutOff, "before the end"),
        ("gzip", damaged, FailureKind::Malformed, "damaged"),
        ("gzip", WHOLE.as_bytes().to_vec(), FailureKind::Malformed, "damaged"),
        ("br", whole.clone(), FailureKind::Malformed, "compresses its answers as \"br\""),
        ("gzip, gzip", whole.clone(), FailureKind::Malformed, "\"gzip, gzip\""),
    ] {
        let server = Server::new().await;
        let (_client, mut news, _) = call(server.endpoint(), chat(false));
        let mut asked = server.asked().await;
        open(&mut asked, coding).await;
        // Whoever knows enough from the head does not wait for the body.
        asked.write_while_open(&body).await;
        drop(asked);
        let why = failed(&mut news).await;
        assert_eq!(why.kind, kind, "{coding}: {}", why.sentence.raw());
        assert!(why.sentence.contains(words), "{coding}: {}", why.sentence.raw());
    }
}

#[tokio::test]
async fn a_compressed_error_is_read_and_an_unknown_one_keeps_its_status() {
    for (coding, words) in [("gzip", "slow down a bit"), ("br", "400 the server refused")] {
        let server = Server::new().await;
        let (_client, mut news, _) = call(server.endpoint(), chat(false));
        let mut asked = server.asked().await;
        let body = gzip("{\"error\":{\"message\":\"slow down a bit\"}}");
        let head = "HTTP/1.1 400 Bad Request\r\nconnection: close\r\n";
        asked.write(&format!("{head}content-encoding: {coding}\r\ncontent-length: {}\r\n\r\n", body.len())).await;
        asked.bytes(&body).await;
        let why = failed(&mut news).await;
        assert_eq!(why.status, Some(400));
        assert!(why.sentence.contains(words), "{coding}: {}", why.sentence.raw());
    }
}

/// Returns a compressed list of models with `length` bytes of padding.
fn bomb(length: usize) -> Vec<u8> {
    gzip(&format!("{{\"data\":[],\"x\":\"{}\"}}", "x".repeat(length)))
}

#[tokio::test]
async fn what_grows_more_than_a_hundredfold_is_not_read() {
    let limit = usize::try_from(limits::EXPANDED).unwrap();
    // Up to the limit anything may grow as it likes; the list itself has a limit of its own beyond it.
    for (length, good) in [(limit / 2, true), (limit - 100, true), (limit + (1 << 20), false), (limit * 32, false)] {
        let server = Server::new().await;
        let (_client, mut news, _) = call(server.endpoint(), chat(false));
        let mut asked = server.asked().await;
        let body = bomb(length);
        let sending = async move {
            open(&mut asked, "gzip").await;
            asked.write_while_open(&body).await;
        };
        let ((), why) = tokio::join!(sending, failed(&mut news));
        assert_eq!(why.sentence.contains("compressed more than 100 times"), !good, "{length}: {}", why.sentence.raw());
    }
}

#[tokio::test]
async fn what_grows_less_is_read_up_to_the_limits_of_what_it_is() {
    // Random letters: they shrink by a third at most.
    let mut state = 1_u32;
    let mut letter = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b'a' + (state >> 16 & 15) as u8)
    };
    let long: String = std::iter::repeat_with(&mut letter).take(9 << 20).collect();
    let server = Server::new().await;
    let (_client, mut news, _) = call(server.endpoint(), chat(false));
    let mut asked = server.asked().await;
    let body = gzip(&format!("{{\"choices\":[{{\"message\":{{\"content\":\"{long}\"}}}}]}}"));
    let sending = async move {
        open(&mut asked, "gzip").await;
        asked.bytes(&body).await;
    };
    let ((), (read, end)) = tokio::join!(sending, text(&mut news));
    assert_eq!((read.len(), end), (long.len(), Ok(())));
    assert!(read == long);
}

#[tokio::test]
async fn a_download_stays_as_the_server_has_it() {
    let server = Server::new().await;
    let span = benchtop::api::call::Span { id: "file-1".into(), from: 0, most: 100 };
    let (_client, mut news, _) = call(server.endpoint(), Call::Content(Box::new(span)));
    let mut asked = server.asked().await;
    assert_eq!(asked.header("accept-encoding").as_deref(), Some("identity"));
    open(&mut asked, "gzip").await;
    asked.write_while_open(&gzip("text")).await;
    drop(asked);
    let why = failed(&mut news).await;
    assert!(why.sentence.contains("compressed (gzip), although this was not requested"), "{}", why.sentence.raw());
}
