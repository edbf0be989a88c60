//! `POST /v1/embeddings`: every form, status and word.

use axum::http::{HeaderMap, StatusCode};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use benchtop::service::{State, router};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::desk::{KEY, client, error, request, send, serving};

const ADA: &str = "text-embedding-ada-002";

async fn embed(body: Value) -> (StatusCode, HeaderMap, Value) {
    send(request("POST", "/v1/embeddings", body.to_string())).await
}

fn vector(item: &Value) -> Vec<f32> {
    item["embedding"].as_array().expect("a list").iter().map(|number| number.as_f64().unwrap() as f32).collect()
}

#[tokio::test]
async fn the_answer_has_the_interfaces_shape() {
    let (status, headers, body) = embed(json!({"model": ADA, "input": "The food was delicious."})).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(headers["openai-model"], "text-embedding-ada-002-v2");
    assert_eq!(headers["content-type"], "application/json");
    assert_eq!(headers["x-ratelimit-remaining-tokens"], (250_000 - 5).to_string().as_str());
    assert_eq!((&body["object"], &body["model"]), (&json!("list"), &json!("text-embedding-ada-002-v2")));
    assert_eq!(body["usage"], json!({"prompt_tokens": 5, "total_tokens": 5}));
    assert_eq!(body.as_object().unwrap().len(), 4);
    let item = &body["data"][0];
    assert_eq!((&item["object"], &item["index"], item.as_object().unwrap().len()), (&json!("embedding"), &json!(0), 3));
    let vector = vector(item);
    assert_eq!(vector.len(), 1536);
    assert!((vector.iter().map(|n| n * n).sum::<f32>() - 1.0).abs() < 1e-4);
}

#[tokio::test]
async fn all_forms_of_input_and_encodings_give_the_same_vectors() {
    let plain = embed(json!({"model": ADA, "input": "hello world"})).await.2;
    let first = vector(&plain["data"][0]);
    for input in [json!(["hello world", "two"]), json!([15339, 1917]), json!([[15339, 1917], [1]])] {
        let body = embed(json!({"model": ADA, "input": input, "user": "u", "dimensions": null})).await.2;
        assert_eq!(vector(&body["data"][0]), first, "{input}");
        let several = if input[0].is_number() { 1 } else { 2 };
        assert_eq!(body["data"].as_array().unwrap().len(), several);
        assert_eq!(body["usage"]["prompt_tokens"], json!(1 + several));
    }
    let body = embed(json!({"model": ADA, "input": "hello world", "encoding_format": "base64"})).await.2;
    let bytes = STANDARD.decode(body["data"][0]["embedding"].as_str().unwrap()).unwrap();
    let floats: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
    assert_eq!(floats, first);
    let floats = embed(json!({"model": ADA, "input": "hello world", "encoding_format": "float"})).await.2;
    assert_eq!(floats, plain);
}

#[tokio::test]
async fn each_model_has_its_size_name_and_encoding() {
    for (model, dated, size, tokens) in [
        ("text-similarity-ada-001", "text-similarity-ada:001", 1024, 5),
        ("text-search-babbage-query-001", "text-search-babbage-query:001", 2048, 5),
        ("text-similarity-curie-001", "text-similarity-curie:001", 4096, 5),
        ("text-search-davinci-doc-001", "text-search-davinci-doc:001", 12_288, 5),
        ("code-search-ada-code-001", "code-search-ada-code:001", 1024, 5),
        ("text-embedding-3-small", "text-embedding-3-small", 1536, 6),
        ("text-embedding-3-large", "text-embedding-3-large", 3072, 6),
    ] {
        // The word that tells the encodings apart.
        let body = embed(json!({"model": model, "input": "antidisestablishmentarianism"})).await.2;
        assert_eq!(body["model"], dated);
        assert_eq!(vector(&body["data"][0]).len(), size, "{model}");
        assert_eq!(body["usage"]["total_tokens"], tokens, "{model}");
    }
}

#[tokio::test]
async fn dimensions_cut_a_vector_and_keep_its_length() {
    let whole = embed(json!({"model": "text-embedding-3-large", "input": "fewer"})).await.2;
    let cut = embed(json!({"model": "text-embedding-3-large", "input": "fewer", "dimensions": 256})).await.2;
    let (whole, cut) = (vector(&whole["data"][0]), vector(&cut["data"][0]));
    assert_eq!(cut.len(), 256);
    assert!((cut.iter().map(|n| n * n).sum::<f32>() - 1.0).abs() < 1e-4);
    let length = whole[..256].iter().map(|n| n * n).sum::<f32>().sqrt();
    assert!(cut.iter().zip(&whole).all(|(cut, whole)| (cut * length - whole).abs() < 1e-5));
}

#[tokio::test]
async fn every_refusal_has_its_status_and_words() {
    let several: Vec<&str> = vec!["a"; 2049];
    let too_many = embed(json!({"model": ADA, "input": several})).await;
    assert_eq!(too_many.0, 400);
    let message = too_many.2["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("['a', 'a', ") && message.ends_with(" is too long - 'input'"), "{message}");
    for (body, status, message, code) in [
        (json!({"input": "x"}), 400, "you must provide a model parameter", None),
        (json!({"model": "", "input": "x"}), 400, "you must provide a model parameter", None),
        (json!({"model": 5, "input": "x"}), 400, "5 is not of type 'string' - 'model'", None),
        (json!({"model": ADA}), 400, "'input' is a required property", None),
        (json!({"model": ADA, "input": null}), 400, "'input' is a required property", None),
        (json!({"model": ADA, "input": ""}), 400, "'' is too short - 'input'", None),
        (json!({"model": ADA, "input": ["a", ""]}), 400, "'' is too short - 'input.1'", None),
        (json!({"model": ADA, "input": []}), 400, "[] is too short - 'input'", None),
        (json!({"model": ADA, "input": [[]]}), 400, "[] is too short - 'input.0'", None),
        (json!({"model": ADA, "input": ["a", 5]}), 400, "5 is not of type 'string' - 'input.1'", None),
        (json!({"model": ADA, "input": 5}), 400, "5 is not valid under any of the given schemas - 'input'", None),
        (json!({"model": ADA, "input": [100_256]}), 400, "100256 is not of type 'token id' - 'input'", None),
        (json!({"model": ADA, "input": [-1]}), 400, "-1 is not of type 'token id' - 'input.0'", None),
        (
            json!({"model": "text-similarity-ada-001", "input": [[1], [50_257]]}),
            400,
            "50257 is not of type 'token id' - 'input.1'",
            None,
        ),
        (
            json!({"model": ADA, "input": "x", "encoding_format": "hex"}),
            400,
            "'hex' is not one of ['float', 'base64'] - 'encoding_format'",
            None,
        ),
        (json!({"model": ADA, "input": "x", "user": 5}), 400, "5 is not of type 'string' - 'user'", None),
        (
            json!({"model": ADA, "input": "x", "dimensions": 256}),
            400,
            "This model does not support specifying dimensions.",
            None,
        ),
        (
            json!({"model": "text-embedding-3-small", "input": "x", "dimensions": 0}),
            400,
            "0 is less than the minimum of 1 - 'dimensions'",
            None,
        ),
        (
            json!({"model": "text-embedding-3-small", "input": "x", "dimensions": 1537}),
            400,
            "1537 is greater than the maximum of 1536 - 'dimensions'",
            None,
        ),
        (json!({"model": ADA, "input": "x", "texts": 1}), 400, "Unrecognized request argument supplied: texts", None),
        (json!({"model": "gpt-9", "input": "x"}), 404, "The model: `gpt-9` does not exist", Some("model_not_found")),
        (
            json!({"model": "gpt-3.5-turbo", "input": "x"}),
            403,
            "You are not allowed to generate embeddings from this model",
            None,
        ),
        (
            json!({"model": "text-davinci-003", "input": "x"}),
            403,
            "You are not allowed to generate embeddings from this model",
            None,
        ),
    ] {
        let (got, _, answer) = embed(body.clone()).await;
        assert_eq!(answer, error(message, None, code), "{body}");
        assert_eq!(got.as_u16(), status, "{body}");
    }
}

#[tokio::test]
async fn what_is_too_long_is_refused_by_the_models_own_count() {
    let words = |count: usize| "hello".to_owned() + &" hello".repeat(count - 1);
    for (model, context, fits, over) in [
        (ADA, 8191, json!(words(8191)), json!(words(10_001))),
        (ADA, 8191, json!([vec![1; 8191]]), json!(["x", words(10_001)])),
        ("text-similarity-ada-001", 2046, json!(vec![1; 2046]), json!(vec![1; 10_001])),
    ] {
        let (status, _, body) = embed(json!({"model": model, "input": fits})).await;
        assert_eq!((status.as_u16(), &body["usage"]["total_tokens"]), (200, &json!(context)), "{model}");
        let (status, _, body) = embed(json!({"model": model, "input": over})).await;
        let message = format!(
            "This model's maximum context length is {context} tokens, however you requested 10001 tokens (10001 in \
             your prompt; 0 for the completion). Please reduce your prompt; or completion length."
        );
        assert_eq!((status.as_u16(), body), (400, error(&message, None, None)));
    }
}

#[tokio::test]
async fn the_older_path_names_the_model_itself() {
    let path = "/v1/engines/text-similarity-babbage-001/embeddings";
    let (status, _, body) = send(request("POST", path, json!({"input": ["x"]}).to_string())).await;
    assert_eq!((status.as_u16(), &body["model"]), (200, &json!("text-similarity-babbage:001")));
    let (status, _, body) = send(request("POST", path, json!({"input": "x", "model": ADA}).to_string())).await;
    assert_eq!((status.as_u16(), body), (400, error("Cannot specify both model and engine", None, None)));
    let path = "/v1/engines/gpt%2D9/embeddings";
    let (status, _, body) = send(request("POST", path, json!({"input": "x"}).to_string())).await;
    let message = "The model: `gpt-9` does not exist";
    assert_eq!((status.as_u16(), body), (404, error(message, None, Some("model_not_found"))));
    let (status, ..) = send(request("GET", "/v1/embeddings", "")).await;
    assert_eq!(status, 405);
    let (status, _, body) = send(request("POST", "/v1/embeddings", "{")).await;
    assert_eq!(status, 400);
    assert!(body["error"]["message"].as_str().unwrap().starts_with("We could not parse the JSON body"));
}

/// Returns a request with a large answer: 2048 vectors of 12,288 numbers.
fn large() -> Value {
    json!({"model": "text-similarity-davinci-001", "input": vec!["a"; 2048], "encoding_format": "base64"})
}

#[tokio::test]
async fn a_large_answer_is_made_as_it_is_read() {
    let state = State::new(KEY.to_owned().into()).unwrap();
    let request = request("POST", "/v1/embeddings", large().to_string());
    let mut body = router(state).oneshot(request).await.unwrap().into_body();
    let (mut pieces, mut bytes, mut last) = (0, 0, Vec::new());
    while let Some(frame) = body.frame().await {
        let data = frame.unwrap().into_data().unwrap();
        assert!(data.len() < 1 << 20, "a piece of {} bytes", data.len());
        (pieces, bytes, last) = (pieces + 1, bytes + data.len(), data.to_vec());
    }
    assert!(pieces > 300 && bytes > 2048 * 12_288 * 4, "{pieces} pieces, {bytes} bytes");
    let end = String::from_utf8(last).unwrap();
    assert!(end.ends_with(
        "],\"model\":\"text-similarity-davinci:001\",\"usage\":{\"prompt_tokens\":2048,\"total_tokens\":2048}}"
    ));
}

#[tokio::test]
async fn slow_readers_keep_nobody_waiting_and_stopping_ends_them() {
    let service = serving().await;
    let post = |body: Value| {
        let request = client().post(format!("{}/embeddings", service.base_url())).bearer_auth(KEY);
        request.header("content-type", "application/json").body(body.to_string()).send()
    };
    let mut slow = Vec::new();
    for _ in 0..6 {
        slow.push(post(large()).await.unwrap());
    }
    // More of them than the engine has turns, and none is read to its end.
    let answer = post(json!({"model": ADA, "input": "quick"})).await.unwrap();
    assert_eq!(answer.status(), 200);
    service.stop().await;
    let rest = slow.remove(0).bytes().await;
    assert!(rest.is_err(), "a part must not look whole");
}
