//! Servers that refuse fields, each in its own words: what the program sends, what it says, and what it still knows
//! after a restart.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::common::Bench;
use crate::common::server::{Asked, Server};
use crate::{answer, configured};

/// The fields of a chat that are refused, in this order.
const FIELDS: [&str; 4] = ["stream_options", "max_tokens", "temperature", "logprobs"];

/// What is said at an answer once all of them are refused: parts that no line break of the screen divides.
const SAID: [&str; 4] =
    ["without stream_options,", "sent max_completion_tokens instead", "without temperature,", "without logprobs,"];

/// A server by its name, and its words about a field; `input`: about a list of texts.
type Wording = (&'static str, fn(&str) -> Value);

const SERVERS: [Wording; 6] = [
    ("openai", openai),
    ("azure", azure),
    ("vllm", vllm),
    ("llama-cpp", llama_cpp),
    ("litellm", litellm),
    ("ollama", ollama),
];

fn error(message: &str, code: &Value) -> Value {
    json!({"error": {"message": message, "type": "invalid_request_error", "param": null, "code": code}})
}

fn openai(field: &str) -> Value {
    let message = match field {
        "max_tokens" => {
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        }
        "temperature" => {
            "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported."
        }
        "logprobs" => "You are not allowed to request logprobs from this model.",
        "input" => "['a', 'b'] is not of type 'string' - 'input'",
        field => return error(&format!("Unrecognized request argument supplied: {field}"), &Value::Null),
    };
    error(message, &Value::Null)
}

fn azure(field: &str) -> Value {
    match field {
        "input" => error("Too many inputs. The max number of inputs is 1.", &Value::Null),
        "max_tokens" | "temperature" => openai(field),
        "logprobs" => error(
            "logprobs, best_of and echo parameters are not available on this model. Please remove the parameter and try \
             again. For more details, see https://go.microsoft.com/fwlink/?linkid=2227346.",
            &"BadRequest".into(),
        ),
        field => error(&format!("Unknown parameter: '{field}'."), &"unknown_parameter".into()),
    }
}

fn vllm(field: &str) -> Value {
    if field == "input" {
        return json!({"detail": [{"loc": ["body", "input"], "msg": "str type expected", "type": "type_error.str"}]});
    }
    let message =
        format!("[{{'type': 'extra_forbidden', 'loc': ('body', '{field}'), 'msg': 'Extra inputs are not permitted'}}]");
    json!({"object": "error", "message": message, "type": "BadRequestError", "param": null, "code": 400})
}

fn llama_cpp(field: &str) -> Value {
    let message = match field {
        "input" => "\"prompt\" must be a string or an array of integers".to_owned(),
        "encoding_format" => "The format to return the embeddings in. Can be either float or base64".to_owned(),
        field => format!("Unsupported param: {field}"),
    };
    json!({"error": {"code": 400, "message": message, "type": "invalid_request_error"}})
}

fn litellm(field: &str) -> Value {
    if field == "input" {
        return error("litellm.BadRequestError: input must be a string, not a list", &"400".into());
    }
    let message = format!(
        "litellm.UnsupportedParamsError: gemini does not support parameters: ['{field}'], for model=m. To drop these, set \
         `litellm.drop_params=True` or for proxy:\n\n`litellm_settings:\n drop_params: true`\n. \n If you want to use these \
         params dynamically send allowed_openai_params=['{field}'] in your request."
    );
    json!({"error": {"message": message, "type": "None", "param": "None", "code": "400"}})
}

fn ollama(field: &str) -> Value {
    match field {
        "input" => json!({
            "error": "json: cannot unmarshal array into Go struct field EmbeddingRequest.prompt of type string"
        }),
        "encoding_format" => {
            error("Invalid value for 'encoding_format' = base64. Supported values: ['float'].", &Value::Null)
        }
        field => error(&format!("json: unknown field \"{field}\""), &Value::Null),
    }
}

/// Starts with a profile for each server.
fn start(servers: &[Server], home: tempfile::TempDir) -> Bench {
    let mut config = format!("profile = \"{}\"\n", SERVERS[0].0);
    for (server, (name, _)) in servers.iter().zip(SERVERS) {
        let _ = write!(
            config,
            "[profiles.{name}]\nbase_url = \"{}\"\nmodel = \"m\"\n[profiles.{name}.extra_body]\ntemperature = 0.2\n\
             max_tokens = 50\nlogprobs = true\n",
            server.url
        );
    }
    configured(home, &config, &[])
}

/// Uses the next profile, if it is not the first.
fn switch(bench: &mut Bench, place: usize) {
    if place > 0 {
        bench.send("\x1b[24~");
        bench.wait(&format!("{} is in use", SERVERS[place].0));
    }
}

/// Begins a conversation, so that only its own words are on the screen.
fn begin_conversation(bench: &mut Bench, shown: &str) {
    bench.send("\x1b");
    bench.wait("regenerate");
    bench.send("n");
    bench.wait_gone(shown);
}

/// Which of the fields that may be refused a request has.
fn fields(asked: &Asked) -> Vec<&'static str> {
    let names = ["logprobs", "max_completion_tokens", "max_tokens", "stream_options", "temperature"];
    names.into_iter().filter(|name| asked.body.get(*name).is_some()).collect()
}

/// Which of them it has once these are refused.
fn expected(refused: &[&str]) -> Vec<&'static str> {
    let sent = |field: &'static str| match (field, refused.contains(&field)) {
        (field, false) => Some(field),
        ("max_tokens", true) => Some("max_completion_tokens"),
        (_, true) => None,
    };
    let mut all: Vec<&str> = FIELDS.into_iter().filter_map(sent).collect();
    all.sort_unstable();
    all
}

fn refuse(asked: Asked, body: &Value) {
    asked.refuse("400 Bad Request", "", &body.to_string());
}

#[test]
fn what_each_server_refuses_is_learned_said_at_each_answer_and_known_after_a_restart() {
    let servers = SERVERS.map(|_| Server::start());
    let mut bench = start(&servers, tempfile::tempdir().unwrap());
    let mut shown = String::new();
    for (place, (server, (name, words))) in servers.iter().zip(SERVERS).enumerate() {
        if place > 0 {
            switch(&mut bench, place);
            begin_conversation(&mut bench, &shown);
        }
        for (known, field) in FIELDS.into_iter().enumerate() {
            bench.type_in(&format!("Ask {name} with {field}"));
            bench.send("\r");
            let first = server.asked();
            assert_eq!(fields(&first), expected(&FIELDS[..known]), "{name}: {field}");
            refuse(first, &words(field));
            let second = server.asked();
            assert_eq!(fields(&second), expected(&FIELDS[..=known]), "{name}: {field}");
            shown = format!("{name} answers without {field}.");
            answer(&mut bench, second, &shown);
            bench.wait(&shown);
        }
        for words in SAID {
            bench.wait(words);
        }
    }
    bench.send("\x11");
    assert_eq!(bench.ended(), 0);
    let mut bench = start(&servers, bench.into_home());
    bench.wait(&shown);
    for (place, (server, (name, _))) in servers.iter().zip(SERVERS).enumerate() {
        switch(&mut bench, place);
        begin_conversation(&mut bench, &shown);
        bench.type_in(&format!("Ask {name} again"));
        bench.send("\r");
        let asked = server.asked();
        assert_eq!(fields(&asked), expected(&FIELDS), "{name}");
        assert_eq!(asked.body["max_completion_tokens"], 50, "{name}");
        shown = format!("{name} answers at once.");
        answer(&mut bench, asked, &shown);
        bench.wait(&shown);
        for words in SAID {
            bench.wait(words);
        }
        assert!(server.poll().is_none(), "nothing is sent twice to {name}");
    }
}

/// What is on the screen while texts are embedded.
const EMBEDDING: &str = "· esc stop";

/// Adds texts to the list of Embed, and embeds those that have no vector.
fn embed(bench: &mut Bench, texts: &[String]) {
    bench.send("a");
    bench.wait("a text to embed");
    for text in texts {
        bench.type_in(text);
        bench.send("\r");
        bench.wait("a text to embed");
    }
    bench.send("\x1b");
    bench.wait_gone("a text to embed");
    bench.send("\x12");
}

/// Answers with a vector for each text that was sent; returns the texts.
fn vectors(asked: Asked) -> Vec<String> {
    let texts: Vec<String> = match &asked.body["input"] {
        Value::String(text) => vec![text.clone()],
        list => serde_json::from_value(list.clone()).unwrap(),
    };
    let data: Vec<Value> = (0..texts.len()).map(|index| json!({"index": index, "embedding": [1.0, 0.5]})).collect();
    asked.refuse("200 OK", "", &json!({"object": "list", "data": data, "model": "m"}).to_string());
    texts
}

#[test]
fn how_each_server_takes_texts_is_learned_said_at_the_vectors_and_known_after_a_restart() {
    let servers = SERVERS.map(|_| Server::start());
    let mut bench = start(&servers, tempfile::tempdir().unwrap());
    bench.send("\x1b4");
    bench.wait("▐4 Embed");
    let mut all: Vec<String> = Vec::new();
    for (place, (server, (name, words))) in servers.iter().zip(SERVERS).enumerate() {
        switch(&mut bench, place);
        let two = |round: &str| ["a", "b"].map(|letter| format!("{name} {round} {letter}"));
        // A list of texts, accepted once base64 is not asked for.
        all.extend(two("first"));
        embed(&mut bench, &two("first"));
        let first = server.asked();
        assert_eq!((&first.body["encoding_format"], &first.body["input"]), (&json!("base64"), &json!(all)), "{name}");
        bench.wait(EMBEDDING);
        refuse(first, &words("encoding_format"));
        let second = server.asked();
        assert_eq!(second.body.get("encoding_format"), None, "{name}");
        assert_eq!(vectors(second), all, "{name}");
        bench.wait_gone(EMBEDDING);
        bench.wait("embedded");
        bench.wait("without encoding_format,");
        // A list that is refused: each text by itself.
        let more = two("second");
        all.extend(more.clone());
        embed(&mut bench, &more);
        let list = server.asked();
        assert_eq!((list.body.get("encoding_format"), &list.body["input"]), (None, &json!(more)), "{name}");
        bench.wait(EMBEDDING);
        refuse(list, &words("input"));
        let single = [vectors(server.asked()), vectors(server.asked())];
        assert_eq!(single, more.map(|text| vec![text]), "{name}");
        bench.wait_gone(EMBEDDING);
        bench.wait("2 texts embedded");
        bench.wait("one input per request");
        assert!(server.poll().is_none(), "nothing is sent twice to {name}");
    }
    bench.wait("saved ✓");
    bench.send("\x11");
    assert_eq!(bench.ended(), 0);
    let mut bench = start(&servers, bench.into_home());
    bench.send("\x1b4");
    bench.wait("ollama second b");
    for (place, (server, (name, _))) in servers.iter().zip(SERVERS).enumerate() {
        switch(&mut bench, place);
        let before = 4 * (place + 1);
        all.push(format!("{name} again"));
        embed(&mut bench, &all[all.len() - 1..]);
        for text in &all[before..] {
            let asked = server.asked();
            bench.wait(EMBEDDING);
            assert_eq!((asked.body.get("encoding_format"), &asked.body["input"]), (None, &json!(text)), "{name}");
            vectors(asked);
        }
        bench.wait_gone(EMBEDDING);
        bench.wait("embedded");
        bench.wait("without encoding_format,");
        assert!(server.poll().is_none(), "nothing is sent twice to {name}");
    }
}
