//! Text completions: every field, whole and streamed.

use axum::http::{HeaderMap, StatusCode};
use benchtop::engine::language::spelling;
use benchtop::service::{State, router};
use http_body_util::BodyExt as _;
use proptest::prelude::*;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::desk::{KEY, error, request};

/// A service whose model is loaded once for all requests of a test.
struct Desk(State);

impl Desk {
    fn new() -> Self {
        Self(State::new(KEY.to_owned().into()).unwrap())
    }

    async fn send(&self, method: &str, path: &str, body: String) -> (StatusCode, HeaderMap, Vec<u8>) {
        let response = router(self.0.clone()).oneshot(request(method, path, body)).await.unwrap();
        let (parts, body) = response.into_parts();
        (parts.status, parts.headers, body.collect().await.unwrap().to_bytes().to_vec())
    }

    /// Sends a plain request with the fields of `more`.
    async fn post(&self, more: &Value) -> (StatusCode, HeaderMap, Value) {
        let (status, headers, body) = self.send("POST", "/v1/completions", asked(more).to_string()).await;
        (status, headers, serde_json::from_slice(&body).unwrap())
    }

    async fn whole(&self, more: Value) -> Value {
        let (status, _, body) = self.post(&more).await;
        assert_eq!(status, 200, "{more} {body}");
        body
    }

    /// Returns the first choice's text.
    async fn text(&self, more: Value) -> String {
        self.whole(more).await["choices"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Returns the chunks of a stream, and checks its end.
    async fn chunks(&self, mut more: Value) -> Vec<Value> {
        more["stream"] = true.into();
        let (status, headers, body) = self.send("POST", "/v1/completions", asked(&more).to_string()).await;
        assert_eq!((status.as_u16(), &headers["content-type"]), (200, &"text/event-stream".parse().unwrap()));
        let text = String::from_utf8(body).unwrap();
        let mut events: Vec<&str> =
            text.trim_end().split("\n\n").map(|event| event.strip_prefix("data: ").unwrap()).collect();
        assert_eq!(events.pop(), Some("[DONE]"));
        events.into_iter().map(|event| serde_json::from_str(event).unwrap()).collect()
    }
}

fn asked(more: &Value) -> Value {
    let mut body = json!({"model": "text-davinci-003", "prompt": "A language model", "max_tokens": 6});
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

#[tokio::test]
async fn a_whole_answer_has_the_shape_and_headers_of_the_interface() {
    let desk = Desk::new();
    let (status, headers, body) = desk.post(&json!({"n": 2, "user": "me"})).await;
    assert_eq!(status, 200, "{body}");
    let names: Vec<&String> = body.as_object().unwrap().keys().collect();
    assert_eq!(names, ["choices", "created", "id", "model", "object", "usage"]);
    assert!(body["id"].as_str().unwrap().starts_with("cmpl-"));
    assert_eq!((&body["object"], &body["model"]), (&json!("text_completion"), &json!("text-davinci-003")));
    for (index, choice) in body["choices"].as_array().unwrap().iter().enumerate() {
        let names: Vec<&String> = choice.as_object().unwrap().keys().collect();
        assert_eq!(names, ["finish_reason", "index", "logprobs", "text"]);
        assert_eq!((&choice["index"], &choice["logprobs"]), (&json!(index), &Value::Null));
        assert!(["stop", "length"].contains(&choice["finish_reason"].as_str().unwrap()));
    }
    let usage = &body["usage"];
    assert_eq!(usage["prompt_tokens"], 3);
    assert_eq!(usage["total_tokens"], 3 + usage["completion_tokens"].as_u64().unwrap());
    assert_eq!(headers["openai-model"], "text-davinci-003");
    assert_eq!(headers["cache-control"], "no-cache, must-revalidate");
    assert_eq!(headers["content-type"], "application/json");
    assert_eq!(headers["openai-version"], "2020-10-01");
    for name in ["x-ratelimit-limit-requests", "x-ratelimit-remaining-tokens", "openai-processing-ms", "x-request-id"] {
        assert!(headers.contains_key(name), "{name}");
    }
}

/// Fields put over a plain request; status, message, `param` and `code` of the refusal.
type Row = (Value, u16, &'static str, Option<&'static str>, Option<&'static str>);

#[tokio::test]
async fn every_refusal_has_its_status_and_words() {
    let table: [Row; 29] = [
        (json!({"model": null}), 400, "you must provide a model parameter", None, None),
        (json!({"model": 5}), 400, "5 is not of type 'string' - 'model'", None, None),
        (json!({"prompt": 5}), 400, "5 is not valid under any of the given schemas - 'prompt'", None, None),
        (json!({"prompt": []}), 400, "[] is too short - 'prompt'", None, None),
        (json!({"prompt": ["a", 5]}), 400, "5 is not of type 'string' - 'prompt.1'", None, None),
        (json!({"prompt": [[]]}), 400, "[] is too short - 'prompt.0'", None, None),
        (json!({"prompt": [1, -1]}), 400, "-1 is not of type 'token id' - 'prompt.1'", None, None),
        (json!({"prompt": [50281]}), 400, "50281 is greater than the maximum of 50280 - 'prompt'", None, None),
        (json!({"suffix": 5}), 400, "5 is not of type 'string' - 'suffix'", None, None),
        (json!({"max_tokens": -1}), 400, "-1 is less than the minimum of 0 - 'max_tokens'", None, None),
        (json!({"max_tokens": 1.5}), 400, "1.5 is not of type 'integer' - 'max_tokens'", None, None),
        (json!({"temperature": 2.5}), 400, "2.5 is greater than the maximum of 2 - 'temperature'", None, None),
        (json!({"top_p": 1.1}), 400, "1.1 is greater than the maximum of 1 - 'top_p'", None, None),
        (json!({"n": 0}), 400, "0 is less than the minimum of 1 - 'n'", None, None),
        (json!({"n": 129}), 400, "129 is greater than the maximum of 128 - 'n'", None, None),
        (json!({"best_of": 21}), 400, "21 is greater than the maximum of 20 - 'best_of'", None, None),
        (json!({"logprobs": 6}), 400, "6 is greater than the maximum of 5 - 'logprobs'", None, None),
        (json!({"logprobs": true}), 400, "True is not of type 'integer' - 'logprobs'", None, None),
        (json!({"echo": "yes"}), 400, "'yes' is not of type 'boolean' - 'echo'", None, None),
        (json!({"stop": ["a", "b", "c", "d", "e"]}), 400, "['a', 'b', 'c', 'd', 'e'] is too long - 'stop'", None, None),
        (json!({"frequency_penalty": -4}), 400, "-4 is less than the minimum of -2 - 'frequency_penalty'", None, None),
        (json!({"logit_bias": {"5": 101}}), 400, "101 is greater than the maximum of 100 - 'logit_bias.5'", None, None),
        (json!({"temprature": 1}), 400, "Unrecognized request argument supplied: temprature", None, None),
        (json!({"messages": []}), 400, "Unrecognized request argument supplied: messages", None, None),
        (json!({"model": "gpt-9"}), 404, "The model: `gpt-9` does not exist", None, Some("model_not_found")),
        (
            json!({"model": "gpt-3.5-turbo"}),
            404,
            "This is a chat model and not supported in the v1/completions endpoint. Did you mean to use \
             v1/chat/completions?",
            Some("model"),
            None,
        ),
        (
            json!({"model": "text-embedding-ada-002"}),
            404,
            "This is an embedding model and not supported in the v1/completions endpoint. Did you mean to use \
             v1/embeddings?",
            Some("model"),
            None,
        ),
        (
            json!({"max_tokens": 4095}),
            400,
            "This model's maximum context length is 4097 tokens, however you requested 4098 tokens (3 in your prompt; \
             4095 for the completion). Please reduce your prompt; or completion length.",
            None,
            None,
        ),
        (
            json!({"stream_options": {"include_usage": true}}),
            400,
            "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
            Some("stream_options"),
            None,
        ),
    ];
    let desk = Desk::new();
    for (more, status, message, param, code) in table {
        let (got, _, body) = desk.post(&more).await;
        assert_eq!((got.as_u16(), body), (status, error(message, param, code)), "{more}");
    }
    for more in [json!({"n": 2, "best_of": 1}), json!({"best_of": 2, "stream": true})] {
        assert_eq!(desk.post(&more).await.0, 400, "{more}");
    }
    // What would take gigabytes until it is whole is refused before any of it is written.
    let many = json!({"prompt": vec!["word ".repeat(40); 900], "echo": true, "max_tokens": 0, "n": 128});
    let (status, _, body) = desk.post(&many).await;
    assert_eq!(status, 400);
    assert!(body["error"]["message"].as_str().unwrap().contains("more than the 4194304"), "{body}");
    let scored = json!({"prompt": vec!["word"; 2048], "n": 128, "max_tokens": 4, "logprobs": 0});
    let (status, _, body) = desk.post(&scored).await;
    assert_eq!(status, 400);
    assert!(body["error"]["message"].as_str().unwrap().contains("more than the 524288"), "{body}");
    // What n multiplies is not asked of the context.
    assert_eq!(desk.post(&json!({"n": 3, "prompt": "word ".repeat(1000), "max_tokens": 1})).await.0, 200);
}

#[tokio::test]
async fn prompts_come_in_four_forms_and_choices_are_numbered_by_prompt() {
    let desk = Desk::new();
    let cold = |prompt: Value| desk.whole(json!({"prompt": prompt, "temperature": 0, "echo": true}));
    let texts = ["A language model", "naïve 日本 🙂", "The"];
    let ids = texts.map(spelling::tokens);
    for (text, ids) in texts.iter().zip(&ids) {
        let (as_text, as_ids) = (cold(json!(text)).await, cold(json!(ids)).await);
        assert_eq!(as_text["choices"], as_ids["choices"], "{text}");
        assert_eq!(as_text["usage"]["prompt_tokens"], ids.len());
        assert!(as_text["choices"][0]["text"].as_str().unwrap().starts_with(text));
    }
    let many = desk.whole(json!({"prompt": texts, "temperature": 0, "echo": true, "n": 2})).await;
    let of_ids = desk.whole(json!({"prompt": ids, "temperature": 0, "echo": true, "n": 2})).await;
    assert_eq!(many["choices"], of_ids["choices"]);
    let choices = many["choices"].as_array().unwrap();
    assert_eq!(choices.len(), 6);
    for (at, choice) in choices.iter().enumerate() {
        assert_eq!(choice["index"], at);
        assert!(choice["text"].as_str().unwrap().starts_with(texts[at / 2]), "{choice}");
    }
    let all: usize = ids.iter().map(Vec::len).sum();
    assert_eq!(many["usage"]["prompt_tokens"], all, "a prompt counts once, whatever n");
    // Runs of spaces have ids of their own in the period's larger models.
    assert_eq!(desk.text(json!({"prompt": [50_257, 64], "echo": true, "max_tokens": 0})).await, "  a");
}

#[tokio::test]
async fn null_means_default() {
    // What the period's command line sends.
    let nulls = json!({
        "prompt": null, "suffix": null, "max_tokens": null, "temperature": null, "top_p": null, "n": null,
        "stream": false, "logprobs": null, "echo": null, "stop": null, "presence_penalty": null,
        "frequency_penalty": null, "best_of": null, "logit_bias": null, "user": null, "seed": 4,
    });
    let desk = Desk::new();
    let answer = desk.whole(nulls).await;
    assert_eq!(answer["usage"]["prompt_tokens"], 1, "the end of text");
    assert!(answer["usage"]["completion_tokens"].as_u64().unwrap() <= 16);
    let plain: Value = {
        let body = json!({"model": "text-davinci-003", "seed": 4}).to_string();
        serde_json::from_slice(&desk.send("POST", "/v1/completions", body).await.2).unwrap()
    };
    assert_eq!(answer["choices"], plain["choices"]);
}

/// Returns the bytes of a token of the `tokens` column.
fn bytes(token: &str) -> Vec<u8> {
    let Some(escaped) = token.strip_prefix("bytes:") else { return token.into() };
    let mut parts = escaped.split("\\x");
    let mut bytes = parts.next().unwrap().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend(&part.as_bytes()[2..]);
    }
    bytes
}

/// Checks that the tokens make up the text and have the right offsets; `begin` is the character at which it begins.
fn consistent(choice: &Value, begin: usize, most: usize) {
    let (text, logprobs) = (choice["text"].as_str().unwrap(), &choice["logprobs"]);
    let column = |name: &str| logprobs[name].as_array().unwrap_or_else(|| panic!("{name} in {choice}"));
    let tokens: Vec<Vec<u8>> = column("tokens").iter().map(|token| bytes(token.as_str().unwrap())).collect();
    assert_eq!(String::from_utf8_lossy(&tokens.concat()), text, "{choice}");
    for name in ["token_logprobs", "text_offset"] {
        assert_eq!(column(name).len(), tokens.len(), "{name}");
    }
    let mut before = Vec::new();
    for (token, offset) in tokens.iter().zip(column("text_offset")) {
        before.push(token[0]);
        let at = String::from_utf8_lossy(&before).chars().count() - 1;
        assert_eq!(*offset, json!(begin + at), "{choice}");
        before.extend(&token[1..]);
    }
    if most == 0 {
        assert_eq!(logprobs["top_logprobs"], Value::Null);
        return;
    }
    for ((top, token), logprob) in column("top_logprobs").iter().zip(column("tokens")).zip(column("token_logprobs")) {
        if logprob.is_null() {
            assert!(top.is_null());
            continue;
        }
        let top = top.as_object().unwrap();
        assert!((most..=most + 1).contains(&top.len()), "{top:?}");
        assert_eq!(&top[token.as_str().unwrap()], logprob);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn tokens_and_offsets_agree_with_the_text(
        prompt in "([ -~]{0,6}|[äé日本🙂—\n]{0,3}){0,5}",
        seed in any::<i64>(),
        stop in prop::option::of("[ a-z—]{1,2}"),
        most in 0_usize..=5,
        echo in any::<bool>(),
        suffix in prop::option::of("[ a-z日]{1,8}"),
    ) {
        // Bytes of characters are made likelier than they are, so that tokens part them.
        let bias: serde_json::Map<String, Value> = ["日", "🙂", " —"]
            .iter()
            .flat_map(|text| text.bytes())
            .map(|byte| (byte_id(byte).to_string(), json!(6)))
            .collect();
        let more = json!({
            "prompt": prompt, "seed": seed, "stop": stop, "logprobs": most, "echo": echo, "suffix": suffix,
            "logit_bias": bias, "temperature": 1.5, "max_tokens": 12, "n": 2,
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let desk = DESK.get_or_init(Desk::new);
            let begin = if echo { 0 } else { prompt.chars().count() };
            let whole = desk.whole(more.clone()).await;
            for choice in whole["choices"].as_array().unwrap() {
                consistent(choice, begin, most);
                let text = choice["text"].as_str().unwrap();
                if echo {
                    assert!(text.starts_with(&prompt) && text.ends_with(suffix.as_deref().unwrap_or_default()));
                    assert!(prompt.is_empty() || choice["logprobs"]["token_logprobs"][0].is_null());
                }
            }
            // The stream says the same, in parts that stand where they say.
            let chunks = desk.chunks(more).await;
            for index in 0..2 {
                let own = chunks.iter().map(|chunk| &chunk["choices"][0]).filter(|choice| choice["index"] == index);
                let own: Vec<&Value> = own.collect();
                let text: String = own.iter().map(|choice| choice["text"].as_str().unwrap()).collect();
                assert_eq!(text, whole["choices"][index]["text"].as_str().unwrap());
                for name in ["tokens", "token_logprobs", "text_offset"] {
                    let column: Vec<&Value> =
                        own.iter().flat_map(|choice| choice["logprobs"][name].as_array().unwrap()).collect();
                    let all: Vec<&Value> = whole["choices"][index]["logprobs"][name].as_array().unwrap().iter().collect();
                    assert_eq!(column, all, "{name}");
                }
            }
        });
    }
}

static DESK: std::sync::OnceLock<Desk> = std::sync::OnceLock::new();

/// Returns the id of a single byte.
fn byte_id(byte: u8) -> u32 {
    (0..256).find(|id| spelling::bytes(*id) == [byte]).unwrap()
}

#[tokio::test]
async fn an_echoed_token_is_scored_as_if_it_were_written_there() {
    let desk = Desk::new();
    let ids = spelling::tokens("The model reads the manual, then it answers.");
    let more = json!({"prompt": ids, "echo": true, "logprobs": 2, "max_tokens": 0});
    let scored = desk.whole(more).await["choices"][0]["logprobs"]["token_logprobs"].clone();
    let mut compared = 0;
    for at in 1..ids.len() {
        let bias = json!({ids[at].to_string(): 100});
        let more = json!({"prompt": ids[..at], "logprobs": 0, "max_tokens": 1, "logit_bias": bias});
        let written = desk.whole(more).await["choices"][0]["logprobs"].clone();
        // A token that the model spells in bytes is not written as one.
        if bytes(written["tokens"][0].as_str().unwrap()) == spelling::bytes(ids[at]) {
            let (one, other) = (scored[at].as_f64().unwrap(), written["token_logprobs"][0].as_f64().unwrap());
            assert!((one - other).abs() < 1e-3, "token {at}: {one} echoed, {other} written");
            compared += 1;
        }
    }
    assert!(compared > 5, "{compared} of {}", ids.len());
}

#[tokio::test]
async fn a_token_spelled_in_bytes_has_the_sum_of_its_parts() {
    let desk = Desk::new();
    // A token that the model's own vocabulary lacks; its bytes are tokens by themselves.
    let model = benchtop::engine::language::Model::base();
    let lacking = |id: &u32| {
        let bytes = spelling::bytes(*id);
        str::from_utf8(&bytes).is_ok_and(|text| text.len() > 3 && model.encode(text).len() == text.len())
    };
    let word = [(20_000..30_000).find(lacking).unwrap()];
    let parts: Vec<u32> = spelling::bytes(word[0]).into_iter().map(byte_id).collect();
    let begin = spelling::tokens("A");
    let score = async |ids: &[u32]| {
        let all = [&begin, ids].concat();
        let more = json!({"prompt": all, "echo": true, "logprobs": 0, "max_tokens": 0});
        let logprobs = desk.whole(more).await["choices"][0]["logprobs"].clone();
        let scores = logprobs["token_logprobs"].as_array().unwrap().iter();
        scores.filter_map(Value::as_f64).sum::<f64>()
    };
    let (whole, spelled) = (score(&word).await, score(&parts).await);
    assert!((whole - spelled).abs() < 1e-2 && whole < -5.0, "{whole} {spelled}");
}

#[tokio::test]
async fn max_tokens_0_scores_the_prompt_and_writes_nothing() {
    let desk = Desk::new();
    let body = desk.whole(json!({"max_tokens": 0, "echo": true, "logprobs": 1})).await;
    let choice = &body["choices"][0];
    assert_eq!((&choice["text"], &choice["finish_reason"]), (&json!("A language model"), &json!("length")));
    assert_eq!(choice["logprobs"]["tokens"], json!(["A", " language", " model"]));
    assert_eq!(choice["logprobs"]["text_offset"], json!([0, 1, 10]));
    assert_eq!(choice["logprobs"]["top_logprobs"][0], Value::Null);
    assert_eq!(body["usage"], json!({"prompt_tokens": 3, "total_tokens": 3}), "no completion, no count of it");
    let body = desk.whole(json!({"max_tokens": 0})).await;
    assert_eq!(body["choices"][0]["text"], "");
    let chunks = desk.chunks(json!({"max_tokens": 0, "echo": true})).await;
    assert_eq!(chunks.len(), 1);
    assert_eq!(
        chunks[0]["choices"],
        json!([{"text": "A language model", "index": 0, "logprobs": null, "finish_reason": "length"}])
    );
}

#[tokio::test]
async fn the_best_of_several_have_the_highest_mean_log_probability() {
    let desk = Desk::new();
    let drawn = |more: Value| {
        let mut all = json!({"temperature": 1.3, "seed": 11, "logprobs": 0, "max_tokens": 8, "prompt": ["The", "A"]});
        for (name, value) in more.as_object().unwrap() {
            all[name] = value.clone();
        }
        desk.whole(all)
    };
    let (all, best) = (drawn(json!({"n": 6})).await, drawn(json!({"n": 2, "best_of": 6})).await);
    assert_eq!(best["usage"], all["usage"], "all that is written counts");
    assert_eq!(best["choices"].as_array().unwrap().len(), 4);
    let mean = |choice: &Value| {
        let scores: Vec<f64> =
            choice["logprobs"]["token_logprobs"].as_array().unwrap().iter().filter_map(Value::as_f64).collect();
        scores.iter().sum::<f64>() / scores.len() as f64
    };
    for prompt in 0..2 {
        let mut of_prompt: Vec<&Value> = (prompt * 6..prompt * 6 + 6).map(|at| &all["choices"][at]).collect();
        // One that ended by itself has its end's probability in its mean, which is not listed.
        if of_prompt.iter().all(|choice| choice["finish_reason"] == "length") {
            of_prompt.sort_by(|a, b| mean(b).total_cmp(&mean(a)));
            for nth in 0..2 {
                assert_eq!(best["choices"][prompt * 2 + nth]["text"], of_prompt[nth]["text"]);
            }
        }
        for nth in 0..2 {
            assert_eq!(best["choices"][prompt * 2 + nth]["index"], prompt * 2 + nth);
        }
    }
    assert_eq!(drawn(json!({"n": 2, "best_of": 6})).await["choices"], best["choices"], "a seed repeats");
}

#[tokio::test]
async fn every_parameter_acts() {
    let desk = Desk::new();
    let cold = |more: Value| {
        let mut all = json!({"temperature": 0, "max_tokens": 30, "logit_bias": {"50256": -100}});
        for (name, value) in more.as_object().unwrap() {
            all[name] = value.clone();
        }
        desk.text(all)
    };
    let plain = cold(json!({})).await;
    assert_eq!(cold(json!({})).await, plain);
    assert_eq!(cold(json!({"temperature": 2, "top_p": 0})).await, plain);
    assert_ne!(cold(json!({"temperature": 2, "seed": 1})).await, cold(json!({"temperature": 2, "seed": 2})).await);
    let stop: String = plain.chars().skip(9).take(3).collect();
    assert_eq!(cold(json!({"stop": [stop]})).await, plain[..plain.find(&stop).unwrap()]);
    let only = cold(json!({"logit_bias": {"3": 100}, "max_tokens": 4})).await;
    assert_eq!(only, String::from_utf8(spelling::bytes(3)).unwrap().repeat(4));
    let penalised = async |field: &str| {
        let with = |value: f64| cold(json!({field: value, "max_tokens": 80}));
        with(2.0).await != with(-2.0).await
    };
    assert!(penalised("presence_penalty").await && penalised("frequency_penalty").await);
    assert!(cold(json!({"echo": true})).await.ends_with(&plain));
}

#[tokio::test]
async fn a_stream_tells_the_reason_with_the_last_text() {
    let desk = Desk::new();
    for more in [
        json!({"max_tokens": 5, "n": 3, "prompt": ["A language model", "The"], "seed": 5}),
        json!({"max_tokens": 200, "temperature": 0.3, "seed": 6}),
        json!({"max_tokens": 40, "echo": true, "stop": "e", "seed": 7, "stream_options": {"include_usage": true}}),
    ] {
        let chunks = desk.chunks(more.clone()).await;
        let mut whole = more.clone();
        whole.as_object_mut().unwrap().remove("stream_options");
        let whole = desk.whole(whole).await;
        let usage = more.get("stream_options").is_some();
        let (texts, last) = chunks.split_at(chunks.len() - usize::from(usage));
        for chunk in texts {
            assert_eq!((&chunk["object"], &chunk["id"]), (&json!("text_completion"), &chunks[0]["id"]));
            assert_eq!((&chunk["model"], &chunk["created"]), (&json!("text-davinci-003"), &chunks[0]["created"]));
            assert_eq!(chunk.get("usage"), usage.then_some(&Value::Null));
        }
        if usage {
            assert_eq!((&last[0]["choices"], &last[0]["usage"]), (&json!([]), &whole["usage"]));
        }
        for choice in whole["choices"].as_array().unwrap() {
            let own: Vec<&Value> = texts
                .iter()
                .map(|chunk| &chunk["choices"][0])
                .filter(|part| part["index"] == choice["index"])
                .collect();
            let text: String = own.iter().map(|part| part["text"].as_str().unwrap()).collect();
            assert_eq!(text, choice["text"].as_str().unwrap());
            let (last, before) = own.split_last().unwrap();
            assert_eq!(last["finish_reason"], choice["finish_reason"]);
            assert!(before.iter().all(|part| part["finish_reason"].is_null()));
            assert!(own.iter().all(|part| !part["text"].as_str().unwrap().is_empty()) || text.is_empty());
        }
        assert!(texts.len() > 2 || !more["stop"].is_null(), "{more}");
    }
    let chunks = desk.chunks(json!({"n": 3, "logit_bias": {"50256": -100}})).await;
    let order: Vec<&Value> = chunks.iter().map(|chunk| &chunk["choices"][0]["index"]).take(6).collect();
    assert_eq!(order, [0, 1, 2, 0, 1, 2], "choices interleave");
}

#[tokio::test]
async fn engines_are_models_under_their_older_name() {
    let desk = Desk::new();
    let get = async |path: &str| {
        let (status, _, body) = desk.send("GET", path, String::new()).await;
        (status.as_u16(), serde_json::from_slice::<Value>(&body).unwrap())
    };
    let (status, list) = get("/v1/engines").await;
    assert_eq!((status, &list["object"]), (200, &json!("list")));
    for engine in list["data"].as_array().unwrap() {
        let id = engine["id"].as_str().unwrap();
        assert_eq!((&engine["object"], &engine["ready"]), (&json!("engine"), &json!(true)), "{id}");
        assert_eq!(get(&format!("/v1/engines/{}", id.replace(':', "%3A"))).await, (200, engine.clone()));
    }
    let unknown = error("The model 'x' does not exist", Some("model"), Some("model_not_found"));
    assert_eq!(get("/v1/engines/x").await, (404, unknown));
    let body = json!({"prompt": "A", "max_tokens": 2}).to_string();
    for (path, model) in [("ada%3A2020-05-03", "ada:2020-05-03"), ("davinci", "davinci")] {
        let (status, _, body) = desk.send("POST", &format!("/v1/engines/{path}/completions"), body.clone()).await;
        let answer: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!((status.as_u16(), &answer["model"]), (200, &json!(model)), "{answer}");
    }
    let (status, _, refused) = desk.send("POST", "/v1/engines/gpt-9/completions", body.clone()).await;
    let refused: Value = serde_json::from_slice(&refused).unwrap();
    assert_eq!(
        (status.as_u16(), refused),
        (404, error("The model: `gpt-9` does not exist", None, Some("model_not_found")))
    );
    assert_eq!(desk.send("POST", "/v1/engines/%ff/completions", body).await.0, 404);
}

#[tokio::test]
async fn no_odd_value_breaks_a_field() {
    let desk = Desk::new();
    let fields = [
        "model",
        "prompt",
        "suffix",
        "max_tokens",
        "temperature",
        "top_p",
        "n",
        "stream",
        "logprobs",
        "echo",
        "stop",
        "presence_penalty",
        "frequency_penalty",
        "best_of",
        "logit_bias",
        "user",
        "seed",
        "stream_options",
    ];
    let odd = [
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(1e300),
        json!(u64::MAX),
        json!(""),
        json!("\u{0}\u{1b}"),
        json!([]),
        json!([[]]),
        json!([null]),
        json!([{}]),
        json!({}),
        json!({"": null}),
        json!({"4294967295": -100}),
        json!([[50_256, 50_280]]),
        json!([199_999]),
    ];
    for field in fields {
        for value in &odd {
            let (status, _, body) =
                desk.send("POST", "/v1/completions", asked(&json!({"max_tokens": 2, field: value})).to_string()).await;
            let body = String::from_utf8(body).unwrap();
            let refused = [400, 404].contains(&status.as_u16()) && body.contains("\"message\":");
            assert!(status == 200 || refused, "{field}: {value} → {status} {body}");
        }
    }
}
