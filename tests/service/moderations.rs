//! `POST /v1/moderations`: forms of input, answers, refusals.

use serde_json::{Value, json};

use super::desk::{error, request, send};

const CATEGORIES: [&str; 7] =
    ["hate", "hate/threatening", "self-harm", "sexual", "sexual/minors", "violence", "violence/graphic"];

async fn moderate(body: Value) -> (u16, Value) {
    let (status, _, body) = send(request("POST", "/v1/moderations", body.to_string())).await;
    (status.as_u16(), body)
}

fn flags(result: &Value) -> Vec<&str> {
    let named = result["categories"].as_object().unwrap();
    named.iter().filter(|(_, flag)| flag.as_bool().unwrap()).map(|(name, _)| name.as_str()).collect()
}

#[tokio::test]
async fn one_text_has_one_result_in_all_seven_categories() {
    let (status, headers, body) =
        send(request("POST", "/v1/moderations", json!({"input": "I am going to kill you tonight."}).to_string())).await;
    assert_eq!(status, 200, "{body}");
    assert!(body["id"].as_str().unwrap().starts_with("modr-"), "{body}");
    assert_eq!(body["model"], "text-moderation-004");
    assert_eq!(headers["openai-model"], "text-moderation-004");
    assert_eq!(headers["content-type"], "application/json");
    assert!(headers.contains_key("x-ratelimit-remaining-tokens"));
    assert_eq!(body.as_object().unwrap().len(), 3);
    let [result] = body["results"].as_array().unwrap().as_slice() else { panic!("{body}") };
    assert_eq!(result.as_object().unwrap().len(), 3);
    assert_eq!(result["flagged"], true);
    assert_eq!(flags(result), ["violence"]);
    for name in CATEGORIES {
        let score = result["category_scores"][name].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&score), "{name}: {score}");
    }
    assert_eq!(result["category_scores"].as_object().unwrap().len(), 7);
}

#[tokio::test]
async fn several_texts_have_results_in_their_order() {
    let texts = json!(["How do I kill the process on port 8080?", "I am going to kill you tonight.", ""]);
    let parts = json!([
        {"type": "text", "text": "How do I kill the process on port 8080?"},
        {"type": "text", "text": "I am going to kill you tonight."},
        {"type": "text", "text": ""},
    ]);
    for input in [texts, parts] {
        let (status, body) = moderate(json!({"input": input})).await;
        assert_eq!(status, 200, "{body}");
        let flagged: Vec<_> = body["results"].as_array().unwrap().iter().map(|result| &result["flagged"]).collect();
        assert_eq!(flagged, [false, true, false]);
    }
}

#[tokio::test]
async fn every_name_of_the_model_is_answered_by_the_same_one() {
    let (_, default) = moderate(json!({"input": "hello", "model": null})).await;
    for model in [
        "text-moderation-latest",
        "text-moderation-stable",
        "text-moderation-004",
        "text-moderation-007",
        "omni-moderation-latest",
    ] {
        let (status, body) = moderate(json!({"input": "hello", "model": model})).await;
        assert_eq!((status, &body["model"]), (200, &json!("text-moderation-004")), "{model}");
        assert_eq!(body["results"], default["results"]);
    }
}

#[tokio::test]
async fn every_refusal_has_its_status_and_words() {
    let other = "This is not a moderation model and thus not supported in the v1/moderations endpoint. Did you mean to \
                 use text-moderation-latest?";
    let picture = "Images cannot be moderated here: the local service's model reads only text. Please send parts of \
                   type 'text'.";
    let many = "Too many texts in one request: 2049. Please send 2048 at most.";
    let table = [
        (json!({}), 400, "'input' is a required property", None, None),
        (json!({"input": null}), 400, "'input' is a required property", None, None),
        (json!({"input": []}), 400, "[] is too short - 'input'", None, None),
        (json!({"input": 5}), 400, "5 is not valid under any of the given schemas - 'input'", None, None),
        (json!({"input": {}}), 400, "{} is not valid under any of the given schemas - 'input'", None, None),
        (json!({"input": ["a", 5]}), 400, "5 is not of type 'string' - 'input.1'", None, None),
        (json!({"input": [null]}), 400, "None is not of type 'string' - 'input.0'", None, None),
        (json!({"input": [{}]}), 400, "'type' is a required property - 'input.0'", None, None),
        (json!({"input": [{"type": "text"}]}), 400, "'text' is a required property - 'input.0'", None, None),
        (json!({"input": [{"type": "x"}]}), 400, "'x' is not one of ['text'] - 'input.0.type'", None, None),
        (json!({"input": [{"type": "image_url", "image_url": {"url": "data:,"}}]}), 400, picture, Some("input"), None),
        (json!({"input": vec!["a"; 2049]}), 400, many, Some("input"), None),
        (json!({"input": "a", "mood": 1}), 400, "Unrecognized request argument supplied: mood", None, None),
        (json!({"input": "a", "model": 5}), 400, "5 is not of type 'string' - 'model'", None, None),
        (
            json!({"input": "a", "model": "mod-9"}),
            404,
            "The model: `mod-9` does not exist",
            None,
            Some("model_not_found"),
        ),
        (json!({"input": "a", "model": "gpt-3.5-turbo"}), 404, other, Some("model"), None),
    ];
    for (body, status, message, param, code) in table {
        let answer = moderate(body.clone()).await;
        let asked: String = body.to_string().chars().take(100).collect();
        assert_eq!(answer, (status, error(message, param, code)), "{asked}");
    }
}

#[tokio::test]
async fn other_methods_and_broken_bodies_are_refused() {
    let (status, headers, body) = send(request("GET", "/v1/moderations", "")).await;
    let message = "Not allowed to GET on /v1/moderations. (HINT: Perhaps you meant to use a different HTTP method?)";
    assert_eq!((status.as_u16(), body), (405, error(message, None, None)));
    assert_eq!(headers["allow"], "POST");
    let (status, _, body) = send(request("POST", "/v1/moderations", "{\"input\":")).await;
    assert_eq!(status, 400);
    let message = body["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("We could not parse the JSON body of your request. (HINT: This"), "{message}");
    let (status, _, body) = send(request("POST", "/v1/moderations", "[]")).await;
    assert_eq!((status.as_u16(), body), (400, error("[] is not of type 'object'", None, None)));
    let huge = json!({"input": "x".repeat(9 << 20)}).to_string();
    assert_eq!(send(request("POST", "/v1/moderations", huge)).await.0, 413);
    let mut stranger = request("POST", "/v1/moderations", json!({"input": "a"}).to_string());
    stranger.headers_mut().insert("authorization", "Bearer sk-wrong".parse().unwrap());
    assert_eq!(send(stranger).await.0, 401);
}
