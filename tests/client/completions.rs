//! Completions: streamed, whole, of several choices, with their tokens and with an echo.

use benchtop::api::call::{Failure, FailureKind, Progress};
use benchtop::api::completion::CompletionRequest;
use benchtop::settings::limits;
use benchtop::tabs::generation::ResponseStream;
use serde_json::{Value, json};

use crate::gather::{Said, complete, completion, echoing, gather, run};
use crate::server::{JSON, Server, call, next};

const RECORDED: &str = include_str!("../fixtures/streams/completion.sse");

/// Runs a completion that is answered with this body.
async fn answered(asked: CompletionRequest, mut run: ResponseStream, body: &str) -> (Vec<Said>, Result<(), Failure>) {
    let server = Server::new().await;
    let (_client, mut news, _) = call(server.endpoint(), complete(asked));
    let mut asked = server.asked().await;
    asked.open("text/event-stream").await;
    asked.write(body).await;
    drop(asked);
    let (said, end) = gather(&mut news, &mut run).await;
    (said.into_values().collect(), end)
}

/// Returns the events of a stream with these texts of choice 0, the last with its reason.
fn stream(texts: &[&str]) -> String {
    let events = texts.iter().enumerate().map(|(at, text)| {
        let reason = (at + 1 == texts.len()).then_some("stop");
        format!("data: {}\n\n", json!({"choices": [{"index": 0, "text": text, "finish_reason": reason}]}))
    });
    events.chain(["data: [DONE]\n\n".to_owned()]).collect()
}

fn whole(choice: &Value) -> String {
    json!({"choices": [choice]}).to_string()
}

#[tokio::test]
async fn a_recorded_stream_is_the_same_however_it_is_cut() {
    let expected = answered(completion("p", true), run(), RECORDED).await;
    let [first, second, third] = expected.0.as_slice() else { panic!("{expected:?}") };
    assert_eq!((first.text.as_str(), first.finish.as_deref()), (" in the 日本 — “harbour”", Some("length")));
    assert_eq!((second.text.as_str(), second.finish.as_deref()), ("\n\nNo.", Some("stop")));
    assert_eq!((third.text.as_str(), third.finish.as_deref()), ("", Some("stop")));
    assert_eq!((first.spelt(), second.spelt()), (first.text.clone(), second.text.clone()));
    assert_eq!(expected.1, Ok(()));
    let server = Server::new().await;
    let (client, mut news, endpoint) = call(server.endpoint(), complete(completion("p", true)));
    for at in 0..=RECORDED.len() {
        if at > 0 {
            let ticket = benchtop::api::call::Ticket(1);
            client.call(ticket, std::sync::Arc::clone(&endpoint), complete(completion("p", true)));
        }
        let mut asked = server.asked().await;
        asked.socket.set_nodelay(true).unwrap();
        asked.open("text/event-stream").await;
        asked.bytes(&RECORDED.as_bytes()[..at]).await;
        asked.bytes(&RECORDED.as_bytes()[at..]).await;
        drop(asked);
        let (said, end) = gather(&mut news, &mut run()).await;
        assert_eq!((said.into_values().collect::<Vec<_>>(), end), expected, "cut at byte {at}");
    }
}

#[tokio::test]
async fn what_is_asked_for_is_what_is_sent() {
    for (best_of, n, streamed) in [(None, Some(3), true), (Some(1), None, true), (Some(5), Some(2), false)] {
        let server = Server::new().await;
        let asked = CompletionRequest { best_of, n, logprobs: Some(5), ..completion("p", true) };
        let (_client, mut news, _) = call(server.endpoint(), complete(asked));
        let asked = server.asked().await;
        assert!(asked.head.starts_with("POST /v1/completions HTTP/1.1\r\n"), "{}", asked.head);
        let body: Value = serde_json::from_str(&asked.body).unwrap();
        // The best of several is known when all are there: that is never streamed.
        assert_eq!((&body["stream"], body.get("stream_options").is_some()), (&json!(streamed), streamed), "{body}");
        assert_eq!((&body["best_of"], &body["logprobs"]), (&json!(best_of), &json!(5)));
        asked.answer("200 OK", JSON, r#"{"choices":[{"text":"a"},{"text":"b","index":1}],"usage":{"prompt_tokens":4,"completion_tokens":9}}"#).await;
        let mut run = run();
        let (said, end) = gather(&mut news, &mut run).await;
        assert_eq!((said[&0].text.as_str(), said[&1].text.as_str(), end), ("a", "b", Ok(())));
        assert_eq!(run.usage.and_then(|usage| usage.completion_tokens), Some(9));
    }
}

#[tokio::test]
async fn a_best_of_from_the_profile_is_not_streamed_either() {
    let server = Server::new().await;
    let mut endpoint = server.endpoint();
    endpoint.extra_body.insert("best_of".into(), json!(4));
    endpoint.extra_body.insert("prompt".into(), json!("another"));
    endpoint.extra_body.insert("min_p".into(), json!(0.1));
    let (_client, _news, _) = call(endpoint, complete(completion("p", true)));
    let body: Value = serde_json::from_str(&server.asked().await.body).unwrap();
    let expected = json!({"model": "text-davinci-003", "prompt": "p", "stream": false, "best_of": 4, "min_p": 0.1});
    assert_eq!(body, expected);
}

#[tokio::test]
async fn usage_that_is_refused_is_not_asked_for_again() {
    let server = Server::new().await;
    let (_client, mut news, _) = call(server.endpoint(), complete(completion("p", true)));
    let first = server.asked().await;
    assert!(first.body.contains("include_usage"));
    let words = r#"{"error":{"message":"Unrecognized request argument supplied: stream_options"}}"#;
    first.answer("400 Bad Request", JSON, words).await;
    let mut second = server.asked().await;
    assert!(!second.body.contains("stream_options"));
    second.open("text/event-stream").await;
    second.write(&stream(&["a", "b"])).await;
    drop(second);
    let (said, end) = gather(&mut news, &mut run()).await;
    assert_eq!((said[&0].text.as_str(), end), ("ab", Ok(())));
}

#[tokio::test]
async fn a_failure_is_tried_again_before_the_first_byte_and_not_after() {
    let server = Server::new().await;
    let (client, mut news, _) = call(server.endpoint(), complete(completion("p", true)));
    server.asked().await.answer("503 Busy", "retry-after: 100\r\n", "{}").await;
    assert!(matches!(next(&mut news).await, Progress::Retrying { attempt: 2, .. }));
    client.retry_now(benchtop::api::call::Ticket(1));
    let mut asked = server.asked().await;
    asked.open("text/event-stream").await;
    asked.write("data: {\"choices\":[{\"text\":\"a\"}]}\n\ndata: {\"choices\":[{\"te").await;
    drop(asked);
    let (said, end) = gather(&mut news, &mut run()).await;
    assert_eq!((said[&0].text.as_str(), end.unwrap_err().kind), ("a", FailureKind::CutOff));
}

#[tokio::test]
async fn a_stream_is_complete_with_its_mark_or_a_reason_for_every_choice() {
    let piece = |index: u32, text: &str, reason: Option<&str>| {
        format!("data: {}\n\n", json!({"choices": [{"index": index, "text": text, "finish_reason": reason}]}))
    };
    for (body, good) in [
        (piece(0, "a", None) + "data: [DONE]\n\n", true),
        (piece(0, "a", Some("stop")) + &piece(1, "b", Some("length")), true),
        (piece(0, "a", Some("stop")) + &piece(1, "b", None), false),
        (piece(0, "a", None), false),
        // A last choice without a text.
        (piece(0, "a", None) + "data: {\"choices\":[{\"index\":0,\"finish_reason\":\"stop\"}]}\n\n", true),
    ] {
        let (said, end) = answered(completion("p", true), run(), &body).await;
        assert_eq!((said[0].text.as_str(), end.is_ok()), ("a", good), "{body}");
    }
    let (said, end) = answered(completion("p", true), run(), "data: [DONE]\n\n").await;
    assert!(said.is_empty() && end.unwrap_err().kind == FailureKind::Malformed);
}

#[tokio::test]
async fn a_whole_answer_to_a_stream_is_an_answer() {
    let body = r#"{"id":"chatcmpl-x","choices":[{"text":"Hello","index":0,"logprobs":null,"finish_reason":"stop"}]}"#;
    let (said, end) = answered(completion("p", true), run(), body).await;
    assert_eq!((said[0].text.as_str(), said[0].tokens.len(), end), ("Hello", 0, Ok(())));
    for (body, words) in [("{\"choices\":[]}", "no choices"), ("<html>", "web page"), ("{\"error\":\"down\"}", "down")]
    {
        let why = answered(completion("p", true), run(), body).await.1.unwrap_err();
        assert!(why.sentence.contains(words), "{}", why.sentence.raw());
    }
}

#[tokio::test]
async fn tokens_come_in_each_of_the_shapes() {
    let columns = json!({
        "tokens": [" a", "bytes:\\xe6\\x97", "bytes:\\xa5"],
        "token_logprobs": [-0.5, null, -9999.0],
        "top_logprobs": [{" b": -2.0, " a": -0.5, "bytes: \\xe2\\x80": -1.0}, null],
        "text_offset": [1, 3],
    });
    let entries = json!({"content": [
        {"token": " a", "logprob": -0.5, "bytes": [32, 97], "top_logprobs": [
            {"token": " b", "logprob": -2.0, "bytes": null}, {"token": " a", "logprob": -0.5},
            {"token": "\\xe2\\x80", "logprob": -1.0, "bytes": [32, 226, 128]}, {"token": "odd"}]},
        {"token": "\\xe6\\x97", "logprob": null, "top_logprobs": null},
        {"token": "?", "logprob": -9999.0, "bytes": [165]},
    ]});
    for logprobs in [columns, entries] {
        let choice = json!({"text": " a日", "index": 0, "logprobs": logprobs, "finish_reason": "length"});
        let (said, end) = answered(completion("p", false), run(), &whole(&choice)).await;
        assert_eq!((said[0].text.as_str(), said[0].spelt().as_str(), end), (" a日", " a日", Ok(())));
        let bytes: Vec<&[u8]> = said[0].tokens.iter().map(|token| token.bytes.as_slice()).collect();
        assert_eq!(bytes, [&b" a"[..], b"\xe6\x97", b"\xa5"]);
        let figures: Vec<Option<f64>> = said[0].tokens.iter().map(|token| token.logprob).collect();
        assert_eq!(figures, [Some(-0.5), None, None]);
        let top: Vec<(&[u8], f64)> = said[0].tokens[0].top.iter().map(|one| (&one.bytes[..], one.logprob)).collect();
        assert_eq!(top, [(&b" a"[..], -0.5), (b" \xe2\x80", -1.0), (b" b", -2.0)]);
        assert!(said[0].tokens[1].top.is_empty() && said[0].tokens[2].top.is_empty());
    }
    for odd in [json!(null), json!([1]), json!("x"), json!({}), json!({"token_logprobs": [1]}), json!({"content": [3]})]
    {
        let choice = json!({"text": " a日", "index": 0, "logprobs": odd, "finish_reason": "length"});
        let (said, end) = answered(completion("p", false), run(), &whole(&choice)).await;
        assert_eq!((said[0].text.as_str(), said[0].tokens.len(), end), (" a日", 0, Ok(())), "{odd}");
    }
}

#[tokio::test]
async fn of_many_alternatives_the_likeliest_stay() {
    let count = limits::ALTERNATIVES + 5;
    let others: Vec<Value> = (1..=count).map(|at| json!({"token": at.to_string(), "logprob": -(at as f64)})).collect();
    let named: serde_json::Map<String, Value> = (1..=count).map(|at| (at.to_string(), json!(-(at as f64)))).collect();
    let columns = json!({"tokens": ["a"], "top_logprobs": [named]});
    // The likeliest of all comes last.
    let entries = json!({"content": [{"token": "a", "top_logprobs": others.into_iter().rev().collect::<Vec<_>>()}]});
    for logprobs in [columns, entries] {
        let choice = json!({"text": "a", "logprobs": logprobs, "finish_reason": "length"});
        let (said, _) = answered(completion("p", false), run(), &whole(&choice)).await;
        let kept: Vec<f64> = said[0].tokens[0].top.iter().map(|one| -one.logprob).collect();
        assert_eq!(kept, (1..=limits::ALTERNATIVES).map(|at| at as f64).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn an_echo_is_no_news_wherever_it_is_cut() {
    let all = "Ein Märchen, ein日本 for the end";
    let (prompt, suffix) = ("Ein Märchen, ein", " for the end");
    let ends: Vec<usize> = (0..=all.len()).filter(|at| all.is_char_boundary(*at)).collect();
    for first in &ends {
        for second in ends.iter().filter(|second| *second >= first) {
            let body = stream(&[&all[..*first], &all[*first..*second], &all[*second..]]);
            let (said, _) = answered(completion(prompt, true), echoing(prompt, suffix), &body).await;
            assert_eq!(said[0].text, "日本", "{first} {second}");
        }
    }
}

#[tokio::test]
async fn a_server_without_echo_loses_nothing() {
    for (prompt, suffix, texts, expected) in [
        ("One two", "", &["One", " three"][..], "One three"),
        ("One two", "", &["", "x"], "x"),
        ("One two", "", &["One", " two"], ""),
        ("One two", "", &["One", " t"], "One t"),
        ("One two", " end", &[" three", " end"], " three end"),
        ("One two", " end", &["One two three", " e"], " three e"),
        ("One two", " end", &["One two three", " en", "d and", " end."], " three end and end."),
        ("One two", "aab", &["One two", "aa", "ab"], "a"),
        ("", "", &["all", " new"], "all new"),
    ] {
        let (said, end) = answered(completion(prompt, true), echoing(prompt, suffix), &stream(texts)).await;
        assert_eq!((said[0].text.as_str(), end), (expected, Ok(())), "{texts:?}");
    }
}

#[tokio::test]
async fn what_was_held_for_a_suffix_comes_when_the_stream_breaks_off() {
    let body = stream(&["One", " two three fo", "never"]);
    let broken = &body[..body.find("data: {\"choices\":[{\"finish_reason\":\"stop\"").unwrap()];
    let (said, end) = answered(completion("One two", true), echoing("One two", " four"), broken).await;
    assert_eq!((said[0].text.as_str(), end.unwrap_err().kind), (" three fo", FailureKind::CutOff));
    // Half an echo is no text of the server's.
    let (said, _) =
        answered(completion("One two", true), echoing("One two", ""), &broken[..broken.find(" two").unwrap()]).await;
    assert!(said.iter().all(|said| said.text.is_empty()), "{said:?}");
}

#[tokio::test]
async fn tokens_of_an_echo_are_told_apart() {
    let names = ["One", " two", " three", " four", " five"];
    let logprobs = json!({"tokens": names, "token_logprobs": [null, -1.0, -2.0, -3.0, -4.0]});
    let choice = json!({"text": names.concat(), "index": 0, "logprobs": logprobs, "finish_reason": "stop"});
    for (suffix, text) in [("", " three four five"), (" five", " three four")] {
        let (said, _) = answered(completion("One two", false), echoing("One two", suffix), &whole(&choice)).await;
        assert_eq!((said[0].text.as_str(), said[0].spelt().as_str()), (text, text));
        assert_eq!(crate::gather::spelt(&said[0].prompt), "One two");
        assert_eq!(said[0].prompt[0].logprob, None);
    }
    let (said, _) = answered(completion("Eins", false), echoing("Eins", ""), &whole(&choice)).await;
    assert_eq!((said[0].spelt(), said[0].prompt.len()), (names.concat(), 0), "no echo");
}
