//! The probe of a server: its requests are shown before the first is sent, and their answers are known afterwards.

use serde_json::{Value, json};

use crate::common::Bench;
use crate::common::server::Server;
use crate::configured;

/// Opens the list of what is known of the server.
fn open_facts(bench: &mut Bench) {
    bench.send("\x10");
    bench.wait("Commands");
    bench.type_in("server: what");
    bench.send("\r");
    bench.wait("What is known of the server");
}

#[test]
fn a_probe_sends_what_it_has_shown_and_costs_a_few_tokens() {
    let server = Server::start();
    let config = format!("profile = \"one\"\n[profiles.one]\nbase_url = \"{}\"\nmodel = \"m\"\n", server.url);
    let mut bench = configured(tempfile::tempdir().unwrap(), &config, &[]);
    open_facts(&mut bench);
    bench.type_in("probe");
    bench.send("\r");
    bench.wait("Probe of one");
    for request in ["POST /chat/completions: 1 token", "POST /embeddings: 2 words as numbers", "GET /files"] {
        bench.wait(request);
    }
    assert!(server.poll().is_none(), "nothing is sent before it is shown");
    bench.send("\r");
    let mut chat = server.asked();
    assert_eq!(chat.body["messages"], json!([{"role": "user", "content": "hi"}]));
    assert_eq!((&chat.body["max_tokens"], &chat.body["logprobs"]), (&json!(1), &json!(true)));
    chat.open();
    chat.token("Hi");
    chat.finish_with("{\"prompt_tokens\":7,\"completion_tokens\":1}");
    let completion = server.asked();
    assert_eq!((&completion.body["prompt"], &completion.body["max_tokens"]), (&json!("hi"), &json!(1)));
    completion.refuse("404 Not Found", "", "{\"error\":{\"message\":\"not here\"}}");
    let vector = |index: u32| json!({"index": index, "embedding": [1.0, 0.5]});
    for (input, data) in [(json!("hi"), vec![vector(0)]), (json!(["hi", "hi"]), vec![vector(0), vector(1)])] {
        let asked = server.asked();
        assert_eq!(asked.body["input"], input);
        asked.refuse("200 OK", "", &json!({"object": "list", "data": Value::from(data)}).to_string());
    }
    bench.wait("8 of 8");
    assert!(server.poll().is_none(), "each is sent once");
    bench.send("\r");
    bench.wait_gone("Probe of one");
    open_facts(&mut bench);
    let shown = bench.wait("Set a field to be left out");
    for (subject, found) in [
        ("/chat/completions", "available"),
        ("/completions", "not available"),
        ("/embeddings", "available"),
        ("/moderations", "not available"),
        ("/files", "not available"),
    ] {
        let row = shown.lines().find(|row| row.split_whitespace().any(|word| word == subject));
        let row = row.unwrap_or_else(|| panic!("{subject}: {shown}"));
        let words: Vec<&str> = row.split_whitespace().skip_while(|word| *word != subject).skip(1).collect();
        assert!(words.join(" ").starts_with(&format!("{found} · from a probe")), "{row}");
    }
}
