//! The published shapes of the interface decode and re-encode without losing a known field, and what servers send
//! besides does not break the decode. The fixtures are written by hand, so client and service cannot share a mistake.
#![allow(missing_docs, clippy::unwrap_used)]

use std::path::Path;

use benchtop::api::chat::{ChatChunk, ChatCompletion, ChatRequest};
use benchtop::api::completion::{Completion, CompletionRequest};
use benchtop::api::embedding::{Embedding, EmbeddingList};
use benchtop::api::error::{ErrorBody, read_error};
use benchtop::api::file::File;
use benchtop::api::fine_tune::{FineTune, FineTuneEvent, FineTuneRequest};
use benchtop::api::model::{Deleted, Engine, List, Model, ModelList};
use benchtop::api::moderation::Moderation;
use serde::Serialize;
use serde::de::DeserializeOwned;
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

/// Every field in turn: missing, null, of another type, with a stranger beside it.
fn bent<T: DeserializeOwned>(name: &str) {
    let Value::Object(whole) = fixture(name) else { panic!("{name} is an object") };
    for key in whole.keys() {
        for odd in [None, Some(Value::Null), Some(json!({"of": ["another", 5]})), Some(json!([[]])), Some(json!(-1.5))]
        {
            let mut changed = whole.clone();
            changed.insert("stranger".into(), json!({"a": [1]}));
            match odd {
                None => changed.remove(key),
                Some(odd) => changed.insert(key.clone(), odd),
            };
            let text = Value::Object(changed);
            if let Err(why) = serde_json::from_value::<T>(text.clone()) {
                panic!("{name}: {why} in {text}");
            }
        }
    }
}

#[test]
fn no_field_of_an_answer_can_break_it() {
    bent::<ChatCompletion>("chat_completion");
    bent::<ChatChunk>("chat_chunk");
    bent::<Completion>("completion");
    bent::<Moderation>("moderation");
    bent::<EmbeddingList>("embedding_list");
    bent::<File>("file");
    bent::<FineTune>("fine_tune_done");
    bent::<Model>("model");
    bent::<ModelList>("model_list");
    bent::<Deleted>("deleted");
    bent::<List<FineTuneEvent>>("engine_list");
}

#[test]
fn both_reasoning_fields_and_content_in_parts_are_read() {
    for field in ["reasoning", "reasoning_content"] {
        let chunk: ChatChunk = serde_json::from_value(json!({"choices": [{"delta": {field: "hm"}}]})).unwrap();
        assert_eq!(chunk.choices[0].delta.reasoning_content.as_deref(), Some("hm"));
    }
    let parts =
        json!({"choices": [{"message": {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}}]});
    let whole: ChatCompletion = serde_json::from_value(parts).unwrap();
    assert_eq!(whole.choices[0].message.content.as_deref(), Some("ab"));
}

#[test]
fn vectors_come_as_numbers_or_as_base64() {
    // 0.5 and -2 as little-endian 32-bit floats.
    let coded: Embedding = serde_json::from_value(json!({"embedding": "AAAAPwAAAMA="})).unwrap();
    assert_eq!(coded.embedding, [0.5, -2.0]);
    assert!(serde_json::from_value::<Embedding>(json!({"embedding": "AAA"})).is_err());
}

#[test]
fn errors_are_read_in_every_shape() {
    let said = |body: &str| read_error(body.as_bytes()).message;
    assert_eq!(said(r#"{"error":{"message":"m","code":401}}"#), "m");
    assert_eq!(read_error(br#"{"error":{"message":"m","code":401}}"#).code.as_deref(), Some("401"));
    assert_eq!(read_error(br#"{"error":{"message":"m","param":"None","type":"None"}}"#).param, None);
    assert_eq!(said(r#"{"error":"model not loaded"}"#), "model not loaded");
    assert_eq!(said(r#"{"detail":"Not Found"}"#), "Not Found");
    assert_eq!(said(r#"{"detail":[{"loc":["body","n"],"msg":"too big"}]}"#), "n: too big");
    assert_eq!(said(r#"{"object":"error","message":"gone","code":400}"#), "gone");
    assert_eq!(said("<html><head><title>502 Bad Gateway</title></head></html>"), "502 Bad Gateway");
    assert_eq!(said("Internal Server Error\n"), "Internal Server Error");
    assert_eq!(said(""), "");
    assert_eq!(read_error(&[0xff, 0xfe]).message, "\u{fffd}\u{fffd}");
}
