//! Nothing a server sends grows or waits without bound: each limit one below, at it, and one above.

use std::time::Duration;

use benchtop::api::call::{Call, FailureKind, Progress, Reply};
use benchtop::settings::{Endpoint, limits};
use tokio::io::AsyncWriteExt;

use crate::server::{FIRST, JSON, LAST, Server, WHOLE, answered, call, chat, failed, next, text};

const AROUND: [(isize, bool); 3] = [(-1, true), (0, true), (1, false)];

/// Pads JSON with blanks to the length of a limit, plus `over`.
fn long(text: &str, limit: usize, over: isize) -> String {
    let pad = limit.saturating_add_signed(over) - text.len();
    format!("{text}{}", " ".repeat(pad))
}

#[tokio::test]
async fn a_whole_answer_has_a_size() {
    for (over, good) in AROUND {
        for streamed in [false, true] {
            let (text, end) = answered(streamed, "application/json", &long(WHOLE, limits::JSON_BODY, over)).await;
            match end {
                Ok(()) => assert!(good && text == "Hello", "{over:+}"),
                Err(why) => assert!(!good && why.sentence.contains("64 MiB"), "{over:+}: {}", why.sentence.raw()),
            }
        }
    }
}

#[tokio::test]
async fn a_model_list_has_a_size() {
    for (over, good) in AROUND {
        let server = Server::new().await;
        let (_client, mut news, _) = call(server.endpoint(), Call::Models);
        let mut asked = server.asked().await;
        let body = long(r#"{"data":[{"id":"m","permission":[{"id":1}]}]}"#, limits::MODEL_LIST, over);
        let sending = async move {
            asked.open("application/json").await;
            asked.write_while_open(body.as_bytes()).await;
        };
        let listing = async {
            loop {
                match next(&mut news).await {
                    Progress::Reply(Reply::Models(models)) => assert!(good && models.len() == 1),
                    Progress::Closed(Ok(())) => break assert!(good),
                    Progress::Closed(Err(why)) => {
                        break assert!(!good && why.sentence.contains("8 MiB"), "{}", why.sentence.raw());
                    }
                    _ => {}
                }
            }
        };
        tokio::join!(sending, listing);
    }
}

#[tokio::test]
async fn the_text_of_a_stream_has_a_size() {
    for (over, good) in AROUND {
        let server = Server::new().await;
        let (_client, mut news, _) = call(server.endpoint(), chat(true));
        let mut asked = server.asked().await;
        let sending = tokio::spawn(async move {
            asked.open("text/event-stream").await;
            let piece = |length: usize| {
                format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{}\"}}}}]}}\n\n", "x".repeat(length))
            };
            let full = piece(1 << 20);
            for _ in 1..limits::ANSWER_TEXT >> 20 {
                asked.write(&full).await;
            }
            asked.write(&piece((1_usize << 20).saturating_add_signed(over))).await;
            asked.write_while_open(b"data: [DONE]\n\n").await;
        });
        let (text, end) = text(&mut news).await;
        match end {
            Ok(()) => assert!(good && text.len() == limits::ANSWER_TEXT.saturating_add_signed(over), "{over:+}"),
            Err(why) => {
                assert!(
                    !good && why.kind == FailureKind::CutOff && why.sentence.contains("64 MiB"),
                    "{}",
                    why.sentence.raw()
                );
                assert_eq!(text.len(), limits::ANSWER_TEXT - (1 << 20), "what came is kept");
            }
        }
        sending.await.unwrap();
    }
}

/// Returns a choice with a text and this many log-probabilities; the counting of each form is tested elsewhere.
fn told(tokens: usize) -> String {
    let names = vec![r#""a""#; tokens].join(",");
    format!(r#"{{"delta":{{"content":"x"}},"message":{{"content":"x"}},"logprobs":{{"tokens":[{names}]}}}}"#)
}

#[tokio::test]
async fn the_tokens_of_a_stream_have_a_number() {
    let event = |tokens: usize| format!("data: {{\"choices\":[{}]}}\n\n", told(tokens));
    let piece = limits::ANSWER_TOKENS / 100;
    for (over, good) in AROUND {
        let last = event(piece.saturating_add_signed(over));
        let stream = format!("{}{last}data: [DONE]\n\n", event(piece).repeat(99));
        match answered(true, "text/event-stream", &stream).await {
            (text, Ok(())) => assert!(good && text.len() == 100, "{over:+}"),
            (text, Err(why)) => {
                let said = why.sentence.contains("more than 1 million tokens");
                assert!(!good && why.kind == FailureKind::CutOff && said, "{over:+}: {why:?}");
                assert_eq!(text.len(), 99, "what came is kept");
            }
        }
    }
}

#[tokio::test]
async fn the_tokens_of_a_whole_answer_have_a_number() {
    let choice = limits::ANSWER_TOKENS / 20;
    for (over, good) in AROUND {
        let mut choices = vec![told(choice); 19];
        choices.push(told(choice.saturating_add_signed(over)));
        let body = format!(r#"{{"choices":[{}]}}"#, choices.join(","));
        match answered(false, "application/json", &body).await {
            (text, Ok(())) => assert!(good && text.len() == 20, "{over:+}"),
            (_, Err(why)) => {
                assert!(!good && why.sentence.contains("more than 1 million tokens"), "{over:+}: {why:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_stream_has_a_number_of_choices() {
    for (over, good) in AROUND {
        let count = limits::CHOICES.saturating_add_signed(over);
        let choice = |at| format!("data: {{\"choices\":[{{\"index\":{at},\"delta\":{{\"content\":\"x\"}}}}]}}\n\n");
        let stream = (0..count).map(choice).collect::<Vec<_>>().concat() + "data: [DONE]\n\n";
        match answered(true, "text/event-stream", &stream).await {
            (text, Ok(())) => assert!(good && text.len() == count, "{over:+}"),
            (_, Err(why)) => assert!(!good && why.kind == FailureKind::Malformed, "{over:+}: {why:?}"),
        }
    }
}

#[tokio::test]
async fn what_waits_for_the_screen_is_bounded_in_bytes() {
    let server = Server::new().await;
    let (_client, news, _) = call(server.endpoint(), chat(true));
    let mut asked = server.asked().await;
    asked.open("text/event-stream").await;
    let text = "x".repeat(4 << 20);
    let event = format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n");
    // Nobody reads: the client takes one event or two, and what the sockets hold, and then no more.
    let mut sent = 0;
    while tokio::time::timeout(Duration::from_secs(1), asked.socket.write_all(event.as_bytes())).await.is_ok() {
        sent += 1;
        assert!(sent < 12, "the socket should be slowed");
    }
    drop(news);
}

#[tokio::test]
async fn many_small_events_come_in_pieces_of_bounded_size() {
    for length in [1, 30 << 10] {
        let server = Server::new().await;
        let (_client, mut news, _) = call(server.endpoint(), chat(true));
        let mut asked = server.asked().await;
        asked.open("text/event-stream").await;
        let text = "x".repeat(length);
        let event = format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n");
        let count = 3 * limits::BATCH_EVENTS;
        let sending = tokio::spawn(async move { asked.write(&format!("{}{LAST}", event.repeat(count))).await });
        let mut whole = 0;
        loop {
            match next(&mut news).await {
                Progress::Reply(Reply::ChatChunk(chunk)) => {
                    assert!(chunk.choices.len() <= limits::BATCH_EVENTS, "{} events", chunk.choices.len());
                    let texts = chunk.choices.iter().filter_map(|choice| choice.delta.content.as_ref());
                    let piece: usize = texts.map(String::len).sum();
                    assert!(piece <= limits::BATCH_BYTES, "{piece} bytes");
                    whole += piece;
                }
                Progress::Closed(end) => break assert_eq!((whole, end), (count * length + 2, Ok(()))),
                _ => {}
            }
        }
        sending.await.unwrap();
    }
}

#[tokio::test]
async fn headers_have_a_number_and_a_size() {
    for (over, good) in AROUND {
        // Two are there anyhow: content-length and connection.
        let count = limits::RESPONSE_HEADER_COUNT.saturating_add_signed(over) - 2;
        let many = "x-many: y\r\n".repeat(count);
        let size = limits::RESPONSE_HEADERS.saturating_add_signed(over);
        let rest = "connection".len() + "close".len() + "content-length".len() + WHOLE.len().to_string().len();
        let large = format!("x-large: {}\r\n", "y".repeat(size - rest - "x-large".len()));
        for headers in [many, large] {
            let server = Server::new().await;
            let (_client, mut news, _) = call(server.endpoint(), chat(false));
            server.asked().await.answer("200 OK", &headers, WHOLE).await;
            match text(&mut news).await {
                (text, Ok(())) => assert!(good && text == "Hello", "{over:+}"),
                // Said at once: another attempt would bring the same.
                (_, Err(why)) => {
                    assert!(!good && why.kind == FailureKind::Malformed, "{over:+}: {}", why.sentence.raw());
                }
            }
        }
    }
}

#[tokio::test]
async fn an_error_that_dribbles_does_not_hide_its_status() {
    let server = Server::new().await;
    let patient = Endpoint { idle_limit: Duration::from_hours(1), ..server.endpoint() };
    let (_client, mut news, _) = call(patient, chat(false));
    let mut asked = server.asked().await;
    asked.write(&format!("HTTP/1.1 400 Bad Request\r\n{JSON}content-length: 100000\r\n\r\nwhat came")).await;
    let dribble = tokio::spawn(async move {
        while asked.socket.write_all(b".").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    let why = failed(&mut news).await;
    assert_eq!((why.status, why.kind), (Some(400), FailureKind::Refused));
    assert!(why.sentence.contains("what came"), "{}", why.sentence.raw());
    // It ends when the client has let go.
    dribble.await.unwrap();
}

#[tokio::test]
async fn of_an_error_so_much_is_read_and_so_much_is_shown() {
    let refused = async |body: &str| {
        let server = Server::new().await;
        let (_client, mut news, _) = call(server.endpoint(), chat(false));
        server.asked().await.answer("400 Bad Request", JSON, body).await;
        failed(&mut news).await
    };
    for (over, good) in AROUND {
        let (head, tail) = (r#"{"pad":""#, r#"","error":{"code":"c"}}"#);
        let pad = limits::ERROR_BODY.saturating_add_signed(over) - head.len() - tail.len();
        let why = refused(&format!("{head}{}{tail}", "x".repeat(pad))).await;
        assert_eq!(why.code.is_some(), good, "its end is read: {over:+}");
        assert_eq!(why.body.len(), limits::ERROR_BODY_SHOWN);
        let length = limits::ERROR_BODY_SHOWN.saturating_add_signed(over);
        assert_eq!(refused(&"x".repeat(length)).await.body.len(), length.min(limits::ERROR_BODY_SHOWN), "{over:+}");
    }
}

#[tokio::test]
async fn white_space_before_an_answer_is_looked_at_once() {
    let server = Server::new().await;
    let (_client, mut news, _) = call(server.endpoint(), chat(true));
    let mut asked = server.asked().await;
    asked.open("text/event-stream").await;
    // Looked at again with each read, this would be a terabyte.
    let blank = " ".repeat(4 << 10);
    for _ in 0..limits::JSON_BODY / blank.len() / 2 {
        asked.write(&blank).await;
    }
    asked.write(&format!("\n\n{FIRST}{LAST}")).await;
    drop(asked);
    assert_eq!(text(&mut news).await, ("Hello".to_owned(), Ok(())));
}
