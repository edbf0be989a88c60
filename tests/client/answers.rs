//! What is an answer, what is an error, and what is neither.

use benchtop::api::call::{Call, FailureKind, Progress, Reply};

use crate::server::{FIRST, JSON, LAST, Server, answered, call, chat, failed, next};

#[tokio::test]
async fn a_good_status_without_an_answer_is_no_answer() {
    for (body, kind) in [
        (r#"{"object":"error","message":"gone","code":400}"#, FailureKind::Refused),
        (r#"{"detail":"Not Found"}"#, FailureKind::Server),
        (r#"{"error":"model not loaded"}"#, FailureKind::Server),
        (r#"{"status":"ok"}"#, FailureKind::Malformed),
        (r#"{"choices":null}"#, FailureKind::Malformed),
        (r#"{"choices":[]}"#, FailureKind::Malformed),
        (r#"{"choices":[null]}"#, FailureKind::Malformed),
        ("[]", FailureKind::Malformed),
        ("fine", FailureKind::Malformed),
        (" \n<html><title>Welcome</title></html>", FailureKind::Malformed),
    ] {
        for streamed in [false, true] {
            let (text, end) = answered(streamed, "application/json", body).await;
            let why = end.expect_err(body);
            assert_eq!(text, "", "{body}");
            // Of a stream without events it is said that it broke off.
            let other = streamed && body == "fine";
            assert!(why.kind == kind || (other && why.kind == FailureKind::CutOff), "{body}: {why:?}");
            if body.contains("<html>") {
                assert!(why.sentence.contains("http://127.0.0.1:"), "the base URL is named: {}", why.sentence.raw());
            }
        }
    }
}

#[tokio::test]
async fn a_stream_without_an_answer_is_no_answer() {
    for (event, said) in [
        ("data: {\"status\":\"ok\"}\n\n", "no choices"),
        ("data: {\"detail\":\"Not Found\"}\n\n", "Not Found"),
        ("data: {\"object\":\"error\",\"message\":\"gone\"}\n\n", "gone"),
        ("event: error\ndata: overloaded\n\n", "overloaded"),
        (&format!("event: error\n{FIRST}"), "error"),
        ("", "no choices"),
    ] {
        let why = answered(true, "text/event-stream", &format!("{event}data: [DONE]\n\n")).await.1.expect_err(event);
        assert!(why.sentence.contains(said), "{event}: {}", why.sentence.raw());
    }
}

#[tokio::test]
async fn an_error_weighs_more_than_the_answer_beside_it() {
    let both = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"},\"finish_reason\":\"error\"}],\"error\":{\"code\":502,\"message\":\"the provider left\"}}\n\n";
    let none = LAST.replace("{\"choices\"", "{\"error\":null,\"choices\"");
    for (rest, good) in [(both.to_owned(), false), (format!("{LAST}{both}"), false), (none, true)] {
        let (text, end) = answered(true, "text/event-stream", &format!("{FIRST}{rest}data: [DONE]\n\n")).await;
        assert!(text.starts_with("Hel"), "what came is kept");
        match end {
            Ok(()) => assert!(good, "{rest}"),
            Err(why) => assert!(!good && why.sentence.contains("the provider left"), "{}", why.sentence.raw()),
        }
    }
    let whole = r#"{"choices":[{"message":{"content":"x"}}],"error":{"message":"the provider left"}}"#;
    let (text, end) = answered(false, "application/json", whole).await;
    assert_eq!((text.as_str(), end.is_err()), ("", true));
}

#[tokio::test]
async fn a_text_about_errors_is_no_error() {
    let text = r#"\"error\": {\"detail\": \"\u00e9\"} "#;
    for (content, fields, shown) in [
        (text.to_owned(), "", r#""error": {"detail": "é"} "#.to_owned()),
        (
            "error detail".to_owned(),
            r#""error":null,"detail":"none","object":"chat.completion.chunk","#,
            "error detail".to_owned(),
        ),
        ("error ".repeat(1 << 18), "", "error ".repeat(1 << 18)),
        // A field twice, as some gateways send it.
        ("error".to_owned(), r#""id":"1","id":"2","#, "error".to_owned()),
    ] {
        let event =
            format!("data: {{{fields}\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{content}\"}}}}]}}\n\n");
        let (text, end) = answered(true, "text/event-stream", &format!("{event}{FIRST}{LAST}data: [DONE]\n\n")).await;
        assert!(text == format!("{shown}Hello") && end == Ok(()), "{fields} {end:?}");
    }
    let escaped = "data: {\"\\u0065rror\":{\"message\":\"the provider left\"}}\n\n";
    let why = answered(true, "text/event-stream", &format!("{FIRST}{escaped}")).await.1.expect_err("an error");
    assert!(why.sentence.contains("the provider left"), "{}", why.sentence.raw());
}

#[tokio::test]
async fn an_error_in_a_stream_keeps_its_kind() {
    for (error, kind) in [
        (r#"{"code":"context_length_exceeded","message":"m"}"#, FailureKind::TooLong),
        (r#"{"code":"insufficient_quota","message":"m"}"#, FailureKind::Quota),
        (r#"{"type":"insufficient_quota","message":"m"}"#, FailureKind::Quota),
        (r#"{"code":429,"message":"m"}"#, FailureKind::RateLimit),
        (r#"{"type":"requests","code":null,"message":"m"}"#, FailureKind::RateLimit),
        (r#"{"code":"rate_limit_exceeded","message":"m"}"#, FailureKind::RateLimit),
        (r#"{"type":"invalid_request_error","code":"invalid_api_key","message":"m"}"#, FailureKind::Auth),
        (r#"{"code":401,"message":"m"}"#, FailureKind::Auth),
        (r#"{"code":"401","type":"auth_error","message":"m"}"#, FailureKind::Auth),
        (r#"{"type":"BadRequestError","message":"m"}"#, FailureKind::Refused),
        (r#"{"type":"invalid_request_error","message":"maximum context length is 9 tokens"}"#, FailureKind::TooLong),
        (r#"{"type":"server_error","message":"m"}"#, FailureKind::Server),
        (r#"{"code":503,"message":"m"}"#, FailureKind::Server),
        (r#"{"message":"m"}"#, FailureKind::Server),
        (r#"{"code":200,"message":"m"}"#, FailureKind::Server),
    ] {
        let stream = format!("{FIRST}data: {{\"error\":{error}}}\n\n");
        assert_eq!(answered(true, "text/event-stream", &stream).await.1.expect_err(error).kind, kind, "{error}");
    }
}

#[tokio::test]
async fn events_that_say_nothing_end_nothing() {
    for odd in [
        "data:\n\n",
        "data: \n\n",
        "event: ping\ndata: ping\n\n",
        "event: ping\ndata: {\"type\":\"ping\"}\n\n",
        "data: {\"type\":\"ping\"}\n\n",
        "data: ok\n\n",
        "data: 7\n\n",
        "data: [1, {}]\n\n",
        "data: \"keep-alive\"\n\n",
        "id: 7\nretry: 5\n\n",
    ] {
        let stream = format!("{odd}{FIRST}{odd}{LAST}{odd}data: [DONE]\n\n");
        assert_eq!(answered(true, "text/event-stream", &stream).await, ("Hello".to_owned(), Ok(())), "{odd}");
    }
    // An event under a name of its own that does hold a piece of the answer.
    let named = format!("event: chunk\n{FIRST}event: chunk\n{LAST}data: [DONE]\n\n");
    assert_eq!(answered(true, "text/event-stream", &named).await, ("Hello".to_owned(), Ok(())));
}

#[tokio::test]
async fn a_broken_piece_of_an_answer_is_counted_and_what_follows_is_read() {
    for broken in [
        "data: {\"choices\":[{\"delta\":{\"con\n\n",
        "event: chunk\ndata: {\"choices\":\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\\x\"}}]}\n\n",
    ] {
        for (stream, unread) in [
            (format!("{FIRST}{broken}{LAST}data: [DONE]\n\n"), 1),
            (format!("{broken}{FIRST}{broken}{broken}{LAST}"), 3),
            (format!("{FIRST}{LAST}{broken}"), 1),
        ] {
            let server = Server::new().await;
            let (_client, mut news, _) = call(server.endpoint(), chat(true));
            let mut asked = server.asked().await;
            asked.open("text/event-stream").await;
            asked.write(&stream).await;
            drop(asked);
            let (mut text, mut told) = (String::new(), None);
            let end = loop {
                match next(&mut news).await {
                    Progress::Reply(Reply::ChatChunk(chunk)) => {
                        text.extend(chunk.choices.into_iter().filter_map(|choice| choice.delta.content));
                    }
                    Progress::Reply(Reply::Unread(events)) => told = Some(events),
                    Progress::Closed(end) => break end,
                    _ => {}
                }
            };
            assert_eq!((text.as_str(), told, end), ("Hello", Some(unread), Ok(())), "{broken}");
        }
        // An answer that never said how it ended is cut off all the same.
        let (text, end) = answered(true, "text/event-stream", &format!("{FIRST}{broken}")).await;
        assert_eq!((text.as_str(), end.unwrap_err().kind), ("Hel", FailureKind::CutOff), "{broken}");
    }
}

#[tokio::test]
async fn a_stream_of_which_nothing_can_be_read_says_so() {
    let broken = "data: {\"choices\":[{\"delta\":{\"con\n\n";
    for (stream, count) in
        [(format!("{broken}data: [DONE]\n\n"), "only event"), (broken.repeat(3), "none of the stream's 3 events")]
    {
        let why = answered(true, "text/event-stream", &stream).await.1.unwrap_err();
        assert_eq!(why.kind, FailureKind::Malformed);
        assert!(why.sentence.contains(count), "{}", why.sentence.raw());
        assert!(why.sentence.contains("set Stream to false"), "{}", why.sentence.raw());
        assert!(why.body.contains("{\"choices\":[{\"delta\""), "the details show the first: {}", why.body.raw());
    }
}

#[tokio::test]
async fn reasoning_comes_under_either_name() {
    for name in ["reasoning", "reasoning_content"] {
        let part = |of: &str| format!("{{\"choices\":[{{\"{of}\":{{\"{name}\":\"hm\",\"content\":\"x\"}}}}]}}");
        for streamed in [false, true] {
            let body = if streamed { format!("data: {}\n\ndata: [DONE]\n\n", part("delta")) } else { part("message") };
            let server = Server::new().await;
            let (_client, mut news, _) = call(server.endpoint(), chat(streamed));
            server.asked().await.answer("200 OK", "", &body).await;
            let said = loop {
                match next(&mut news).await {
                    Progress::Reply(Reply::Chat(whole)) => break whole.choices[0].message.clone(),
                    Progress::Reply(Reply::ChatChunk(chunk)) => break chunk.choices[0].delta.clone(),
                    Progress::Closed(end) => panic!("{end:?}"),
                    _ => {}
                }
            };
            assert_eq!((said.reasoning_content.as_deref(), said.content.as_deref()), (Some("hm"), Some("x")), "{body}");
        }
    }
}

#[tokio::test]
async fn a_model_list_without_a_list_is_none() {
    for body in [r#"{"object":"list"}"#, r#"{"data":{}}"#, r#"{"status":"ok"}"#, r#"{"detail":"Not Found"}"#, "<p>"] {
        let server = Server::new().await;
        let (_client, mut news, _) = call(server.endpoint(), Call::Models);
        server.asked().await.answer("200 OK", JSON, body).await;
        let kind = failed(&mut news).await.kind;
        assert!(matches!(kind, FailureKind::Malformed | FailureKind::Server), "{body}: {kind:?}");
    }
}
