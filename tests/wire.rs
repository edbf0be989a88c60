//! The published shapes of the interface decode and re-encode without losing a known field, and what servers send
//! besides does not break the decode. The fixtures are written by hand, so client and service cannot share a mistake.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use std::path::Path;

use benchtop::api::chat::{ChatChunk, ChatCompletion, ChatRequest};
use benchtop::api::completion::{Completion, CompletionRequest, Logprobs};
use benchtop::api::embedding::{Embedding, EmbeddingList, EmbeddingReader};
use benchtop::api::error::{ErrorBody, read_error};
use benchtop::api::file::File;
use benchtop::api::fine_tune::{FineTune, FineTuneRequest};
use benchtop::api::limits;
use benchtop::api::model::{Deleted, Engine, List, Model, ModelList};
use benchtop::api::moderation::Moderation;
use benchtop::api::probe::{AnswerField, Probe};
use serde::Serialize;
use serde::de::{DeserializeOwned, DeserializeSeed};
use serde_json::{Value, json};

fn fixture(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/wire").join(format!("{name}.json"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn round<T: Serialize + DeserializeOwned>(name: &str) {
    let sent = fixture(name);
    let read: T = serde_json::from_value(sent.clone()).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap(), sent, "{name}");
}

#[test]
fn every_shape_comes_back_as_it_was() {
    round::<ChatRequest>("chat_request");
    round::<ChatCompletion>("chat_completion");
    round::<ChatChunk>("chat_chunk");
    round::<CompletionRequest>("completion_request");
    round::<Completion>("completion");
    round::<Completion>("completion_chat_logprobs");
    round::<Moderation>("moderation");
    round::<Moderation>("moderation_seven");
    round::<EmbeddingList>("embedding_list");
    round::<File>("file");
    round::<List<File>>("file_list");
    round::<FineTune>("fine_tune_fresh");
    round::<FineTune>("fine_tune_done");
    round::<FineTuneRequest>("fine_tune_request");
    round::<Model>("model");
    round::<ModelList>("model_list");
    round::<Deleted>("deleted");
    round::<List<Engine>>("engine_list");
    round::<ErrorBody>("error");
}

/// Collects the paths of all fields of all objects in a value, at any depth.
fn fields(value: &Value, at: &str, found: &mut Vec<String>) {
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(key, inner)| (key.replace('/', "~1"), inner)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(at, inner)| (at.to_string(), inner)).collect(),
        _ => return,
    };
    for (key, inner) in inner {
        let at = format!("{at}/{key}");
        fields(inner, &at, found);
        if value.is_object() {
            found.push(at);
        }
    }
}

/// Checks each field in turn, at any depth: missing, null, of another type, with an unknown one beside it. Decoding
/// succeeds, and every other field is read as before.
fn bent<T: Serialize + DeserializeOwned>(name: &str, but: &[&str]) {
    let whole = fixture(name);
    let mut places = Vec::new();
    fields(&whole, "", &mut places);
    assert!(!places.is_empty(), "{name} has fields");
    for place in places.iter().filter(|place| !but.iter().any(|but| place.ends_with(but))) {
        for odd in [None, Some(Value::Null), Some(json!({"of": ["another", 5]})), Some(json!([[]])), Some(json!(-1.5))]
        {
            let mut changed = whole.clone();
            let (parent, key) = place.rsplit_once('/').unwrap();
            let Some(Value::Object(parent)) = changed.pointer_mut(parent) else { panic!("{place} is a field") };
            parent.insert("stranger".into(), json!({"a": [1]}));
            let key = key.replace("~1", "/");
            match odd {
                None => parent.remove(&key),
                Some(odd) => parent.insert(key, odd),
            };
            let read = serde_json::from_value::<T>(changed.clone());
            let read = serde_json::to_value(read.unwrap_or_else(|why| panic!("{name}: {why} in {changed}"))).unwrap();
            let apart = |other: &str| !format!("{other}/").starts_with(&format!("{place}/"));
            let holds = |other: &str| !format!("{place}/").starts_with(&format!("{other}/"));
            for other in places.iter().filter(|other| apart(other) && holds(other)) {
                assert_eq!(read.pointer(other), whole.pointer(other), "{name}: {other} of {changed}");
            }
        }
    }
}

#[test]
fn no_field_of_an_answer_can_break_it() {
    bent::<ChatCompletion>("chat_completion", &[]);
    bent::<ChatChunk>("chat_chunk", &[]);
    bent::<Completion>("completion", &[]);
    // What tells the two forms apart.
    bent::<Completion>("completion_chat_logprobs", &["logprobs/content"]);
    bent::<Moderation>("moderation", &[]);
    bent::<Moderation>("moderation_seven", &[]);
    // Without its vector, or without one of many, an answer would stand for the wrong inputs.
    bent::<EmbeddingList>("embedding_list", &["/embedding", "/data"]);
    bent::<File>("file", &[]);
    bent::<List<File>>("file_list", &[]);
    bent::<FineTune>("fine_tune_fresh", &[]);
    bent::<FineTune>("fine_tune_done", &[]);
    bent::<Model>("model", &[]);
    bent::<ModelList>("model_list", &[]);
    bent::<Deleted>("deleted", &[]);
    bent::<List<Engine>>("engine_list", &[]);
}

#[test]
fn one_odd_entry_costs_no_other() {
    let columns = json!({"choices": [{"text": "ab", "logprobs": {
        "tokens": ["a", null], "token_logprobs": [-0.5, "x"], "top_logprobs": [{"a": -0.5, "b": null}, 7]}}]});
    let read: Completion = serde_json::from_value(columns).unwrap();
    let Some(Logprobs::Columns(found)) = &read.choices[0].logprobs else { panic!("{read:?}") };
    assert_eq!(found.tokens, ["a", ""]);
    assert_eq!(found.token_logprobs, [Some(-0.5), None]);
    let best = found.top_logprobs.as_ref().unwrap();
    assert_eq!((best[0].as_ref().unwrap()["a"], best[0].as_ref().unwrap().len(), &best[1]), (-0.5, 1, &None));
    let entries = json!({"choices": [{"logprobs": {"content": [{"token": "a", "logprob": null}, {"token": "b", "logprob": -1.0}]}}]});
    let read: Completion = serde_json::from_value(entries).unwrap();
    let Some(Logprobs::Entries { content }) = &read.choices[0].logprobs else { panic!("{read:?}") };
    assert_eq!((content[0].logprob, content[1].logprob), (None, Some(-1.0)));
}

#[test]
fn a_list_has_a_bound() {
    for (over, good) in [(-1, true), (0, true), (1, false)] {
        let count = limits::LIST_ENTRIES.saturating_add_signed(over);
        let text = format!("{{\"choices\":[{}]}}", vec!["{}"; count].join(","));
        match serde_json::from_str::<ChatChunk>(&text) {
            Ok(chunk) => assert!(good && chunk.choices.len() == count),
            Err(why) => assert!(!good && why.to_string().contains("more than 65536 entries"), "{why}"),
        }
    }
}

#[test]
fn what_is_built_up_is_nested_so_deep_and_what_is_read_past_as_deep_as_it_likes() {
    let nested = |depth: usize| {
        // The object itself is the first.
        let inner = format!("{}{}", "[".repeat(depth - 1), "]".repeat(depth - 1));
        format!("{{\"stranger\":{inner},\"id\":\"x\"}}")
    };
    for (depth, good) in [(126, true), (127, true), (128, false)] {
        assert_eq!(serde_json::from_str::<Model>(&nested(depth)).is_ok(), good, "{depth}");
    }
    let deep = nested(1 << 20);
    assert!(Probe::of(deep.as_bytes()).is_ok());
    assert_eq!(serde_json::from_str::<ChatChunk>(&deep).unwrap().id, "x");
}

#[test]
fn both_reasoning_fields_and_content_in_parts_are_read() {
    for field in ["reasoning", "reasoning_content"] {
        let chunk: ChatChunk = serde_json::from_value(json!({"choices": [{"delta": {field: "hm"}}]})).unwrap();
        assert_eq!(chunk.choices[0].delta.reasoning_content.as_deref(), Some("hm"));
    }
    for (one, other) in
        [(json!(null), json!(null)), (json!("hm"), json!(null)), (json!(""), json!("hm")), (json!("hm"), json!("hm"))]
    {
        let sent = json!({"delta": {"content": "Hello", "reasoning": other, "reasoning_content": one}});
        // As text: a value has no field twice, and so would hide that two fields became one.
        let text = json!({"choices": [sent]}).to_string();
        let chunk: ChatChunk = serde_json::from_str(&text).unwrap();
        let delta = &chunk.choices[0].delta;
        assert_eq!(delta.content.as_deref(), Some("Hello"), "{text}");
        assert_eq!(delta.reasoning_content.is_some(), text.contains("hm"), "{text}");
        assert!(delta.reasoning_content.iter().all(|said| said == "hm"), "{text}");
    }
    let parts =
        json!({"choices": [{"message": {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}}]});
    let whole: ChatCompletion = serde_json::from_value(parts).unwrap();
    assert_eq!(whole.choices[0].message.content.as_deref(), Some("ab"));
}

#[test]
fn vectors_come_as_numbers_or_as_base64() {
    let read =
        |value: Value| serde_json::from_value::<Embedding>(json!({ "embedding": value })).map(|one| one.embedding);
    // 0.5 and -2 as little-endian 32-bit floats, with padding and without.
    for coded in ["AAAAPwAAAMA=", "AAAAPwAAAMA"] {
        assert_eq!(read(json!(coded)).unwrap(), [0.5, -2.0]);
    }
    assert!(read(json!("")).unwrap().is_empty());
    assert!(read(json!([])).unwrap().is_empty());
    assert_eq!(read(json!([1, -2, 0.1, "0.5"])).unwrap(), [1.0, -2.0, 0.1, 0.5]);
    // What is no finite number is NaN, and costs no other number its place. The last is base64 of an infinity and 0.5.
    let odd = json!([null, 1e39, -1e39, "NaN", "Infinity", "-inf", 0.5]);
    for (odd, last) in [(odd, 6), (json!("AACAfwAAAD8="), 1)] {
        let numbers = read(odd.clone()).unwrap();
        assert_eq!((numbers.len(), numbers[last]), (last + 1, 0.5), "{odd}");
        assert!(numbers[..last].iter().all(|number| number.is_nan()), "{odd}");
    }
    // A vector that the server could not make has no numbers, and is no reason to lose the others.
    let none: Embedding = serde_json::from_value(json!({"embedding": null})).unwrap();
    assert!(none.embedding.is_empty());
    for bad in [
        json!({"embedding": "AAA"}),
        json!({"embedding": "no base64!"}),
        json!({"embedding": [0.5, true]}),
        json!({"embedding": [0.5, "far"]}),
        json!({"embedding": [[0.5]]}),
        json!({"embedding": [{"0": 0.5}]}),
        json!({"embedding": {"0": 0.5}}),
        json!({"index": 0}),
        json!(null),
        json!([]),
    ] {
        assert!(serde_json::from_value::<Embedding>(bad.clone()).is_err(), "{bad}");
        let list = json!({"data": [{"embedding": [1.0]}, bad]});
        assert!(serde_json::from_value::<EmbeddingList>(list.clone()).is_err(), "{list}");
    }
}

#[test]
fn vectors_are_put_in_the_order_of_their_indexes_where_those_tell_it() {
    for (sent, sorted) in [
        (vec![Some(2), Some(0), Some(1)], [1.0, 2.0, 0.0]),
        (vec![Some(9), Some(4), Some(7)], [1.0, 2.0, 0.0]),
        // All the same, repeated, missing: they stay as they came.
        (vec![Some(0), Some(0), Some(0)], [0.0, 1.0, 2.0]),
        (vec![Some(1), Some(1), Some(0)], [0.0, 1.0, 2.0]),
        (vec![None, None, None], [0.0, 1.0, 2.0]),
        (vec![Some(1), None, Some(0)], [0.0, 1.0, 2.0]),
    ] {
        let entry = |(at, index): (usize, &Option<u32>)| json!({"index": index, "embedding": [at as f32]});
        let data: Vec<Value> = sent.iter().enumerate().map(entry).collect();
        let mut list: EmbeddingList = serde_json::from_value(json!({ "data": data })).unwrap();
        list.sort();
        let order: Vec<f32> = list.data.iter().map(|one| one.embedding[0]).collect();
        assert_eq!(order, sorted, "{sent:?}");
    }
}

#[test]
fn an_answers_vectors_have_so_many_numbers_together() {
    let one = json!([1.0, 2.0]);
    let two = json!("AAAAPwAAAMA=");
    for (numbers, good) in [(3, false), (4, true), (5, true)] {
        for data in [[&one, &one], [&two, &two], [&one, &two]] {
            let data = data.map(|vector| json!({ "embedding": vector }));
            let body = json!({ "data": data, "usage": null }).to_string();
            let read = EmbeddingReader { numbers }.deserialize(&mut serde_json::Deserializer::from_str(&body));
            match read {
                Ok((probe, list)) => assert!(good && list.data.len() == 2 && probe.holds(AnswerField::Data)),
                Err(why) => assert!(!good && why.to_string().contains("more numbers than"), "{why}"),
            }
        }
    }
}

#[test]
fn moderations_are_read_in_every_form() {
    let read = |name: &str| serde_json::from_value::<Moderation>(fixture(name)).unwrap();
    let seven = read("moderation_seven");
    let [result] = &seven.results[..] else { panic!("{seven:?}") };
    assert_eq!((result.categories.len(), result.category_scores.len(), result.flagged), (7, 7, false));
    assert_eq!(result.category_scores["sexual"], Some(1.1e-6));
    let thirteen = read("moderation_thirteen");
    let [result] = &thirteen.results[..] else { panic!("{thirteen:?}") };
    assert_eq!((result.categories.len(), result.category_scores.len(), result.flagged), (13, 13, true));
    assert_eq!(result.categories["illicit/violent"], None, "no opinion");
    assert_eq!(result.category_scores["illicit"], None);
    assert_eq!(result.category_scores["violence"], Some(0.972_123_4));
    let both = read("moderation_both_spellings");
    let [result] = &both.results[..] else { panic!("{both:?}") };
    assert_eq!(result.categories["hate/threatening"], result.categories["hate_threatening"]);
    assert_eq!(result.category_scores["self-harm"], result.category_scores["self_harm"]);
    assert_eq!(result.categories["illicit_violent"], None);
}

#[test]
fn a_result_that_cannot_be_read_keeps_its_place() {
    let sent = json!({"results": [
        {"flagged": true}, null, 7, {"categories": {"hate": true}}, {"categories": {"hate": true}, "flagged": false},
        {"categories": {"hate": "yes", "sexual": 1}, "category_scores": {"hate": "0.5", "sexual": true}}]});
    let read: Moderation = serde_json::from_value(sent).unwrap();
    // Where it is not said, a flag in a category says it.
    assert_eq!(
        read.results.iter().map(|one| one.flagged).collect::<Vec<_>>(),
        [true, false, false, true, false, false]
    );
    assert!(read.results[1].categories.is_empty() && read.results[1].category_scores.is_empty());
    assert!(read.results[5].categories.values().all(Option::is_none));
    assert!(read.results[5].category_scores.values().all(Option::is_none));
}

#[test]
fn errors_are_read_in_every_shape() {
    let said = |body: &str| read_error(body.as_bytes()).message;
    assert_eq!(said(r#"{"error":{"message":"m","code":401}}"#), "m");
    assert_eq!(read_error(br#"{"error":{"message":"m","code":401}}"#).code.as_deref(), Some("401"));
    assert_eq!(read_error(br#"{"error":{"message":"m","param":"None","type":"None"}}"#).param, None);
    assert_eq!(said(r#"{"error":"model not loaded"}"#), "model not loaded");
    let beside = read_error(br#"{"error":"slow down","code":"rate_limit_exceeded"}"#);
    assert_eq!((beside.message.as_str(), beside.code.as_deref()), ("slow down", Some("rate_limit_exceeded")));
    assert_eq!(said(r#"{"detail":"Not Found"}"#), "Not Found");
    assert_eq!(said(r#"{"message":null,"detail":"x"}"#), "x");
    assert_eq!(said(r#"{"error":{"message":null,"detail":"x"}}"#), "x");
    assert_eq!(said(r#"{"message":{},"detail":"x"}"#), "x");
    assert_eq!(said(r#"{"detail":{"error":"x"}}"#), "x");
    assert_eq!(said(r#"{"detail":{"error":{"message":"x"}}}"#), "x");
    assert_eq!(said(r#"{"detail":[]}"#), "");
    assert_eq!(said(r#"{"detail":[7,{"msg":"bad","loc":[]}]}"#), "; bad");
    assert_eq!(said(r#"{"detail":[{"loc":["body","n"],"msg":"too big"}]}"#), "n: too big");
    assert_eq!(said(r#"{"object":"error","message":"gone","code":400}"#), "gone");
    // In a list, at either level.
    let listed = read_error(br#"[{"error":{"code":400,"message":"m","status":"INVALID_ARGUMENT","param":"p"}}]"#);
    assert_eq!(
        (listed.message.as_str(), listed.param.as_deref(), listed.code.as_deref()),
        ("m", Some("p"), Some("400"))
    );
    assert_eq!(said(r#"{"error":[{"code":"x","message":"one"},{"message":"two"}]}"#), "one; two");
    assert_eq!(said(r#"{"message":{"detail":[{"loc":["body","n"],"msg":"too big"}]}}"#), "n: too big");
    assert_eq!(said("[[[]]]"), "");
    assert_eq!(said("<html><head><title>502 Bad Gateway</title></head></html>"), "502 Bad Gateway");
    assert_eq!(said("Internal Server Error\n"), "Internal Server Error");
    assert_eq!(said(""), "");
    assert_eq!(said("null"), "");
    for (over, came) in [(-1, -1), (0, 0), (1, 0)] {
        let words = "é".repeat(limits::ERROR_WORDS.saturating_add_signed(over));
        let cut: String = words.chars().take(limits::ERROR_WORDS.saturating_add_signed(came)).collect();
        assert_eq!((said(&words), said(&json!({"error": {"message": words}}).to_string())), (cut.clone(), cut));
    }
    assert_eq!(read_error(&[0xff, 0xfe]).message, "\u{fffd}\u{fffd}");
}

#[test]
fn the_size_of_a_file_is_one_that_can_be_true() {
    for (sent, read) in [
        (json!(140), 140),
        (json!(140.0), 140),
        (json!(1_u64 << 40), 1 << 40),
        (json!((1_u64 << 40) + 1), 0),
        (json!(1_000_000_000_000_000_u64), 0),
        (json!(1e15), 0),
        (json!(-1), 0),
        (json!(1.5), 0),
        (json!("many"), 0),
        (json!(null), 0),
    ] {
        let file: benchtop::api::file::File = serde_json::from_value(json!({"id": "file-1", "bytes": sent})).unwrap();
        assert_eq!(file.bytes, read, "{sent}");
    }
}
