//! A server that refuses fields: what the program sends, what it says, and what it still knows after a restart.

use serde_json::{Value, json};

use crate::common::Bench;
use crate::common::server::{Asked, Server};
use crate::{answer, configured};

const TEMPERATURE: &str =
    "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.";
const MAX_TOKENS: &str =
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
const STREAM_OPTIONS: &str =
    "Unrecognized request argument supplied: stream_options. Please contact us through an Azure support request";

fn start(server: &Server, home: tempfile::TempDir) -> Bench {
    let config = format!(
        "profile = \"one\"\n[profiles.one]\nbase_url = \"{}\"\nmodel = \"m\"\n\
         [profiles.one.extra_body]\ntemperature = 0.2\nmax_tokens = 50\n",
        server.url
    );
    configured(home, &config, &[])
}

/// Which of the fields that may be refused a request has.
fn fields(asked: &Asked) -> Vec<&'static str> {
    let names = ["max_completion_tokens", "max_tokens", "stream_options", "temperature"];
    names.into_iter().filter(|name| asked.body.get(*name).is_some()).collect()
}

fn refuse(asked: Asked, message: &str) {
    let body = json!({"error": {"message": message, "type": "invalid_request_error", "param": null, "code": null}});
    asked.refuse("400 Bad Request", "", &body.to_string());
}

#[test]
fn what_a_server_refuses_is_learned_said_at_each_answer_and_known_after_a_restart() {
    let server = Server::start();
    let mut bench = start(&server, tempfile::tempdir().unwrap());
    let mut log = Vec::new();
    for (prompt, message) in [("One", STREAM_OPTIONS), ("Two", MAX_TOKENS), ("Three", TEMPERATURE)] {
        bench.type_in(prompt);
        bench.send("\r");
        let first = server.asked();
        log.push(fields(&first));
        refuse(first, message);
        let second = server.asked();
        log.push(fields(&second));
        let text = format!("Answer to {prompt}.");
        answer(&mut bench, second, &text);
        bench.wait(&text);
    }
    let all = ["max_tokens", "stream_options", "temperature"].to_vec();
    let known = vec!["max_completion_tokens"];
    let steps = [
        all,
        vec!["max_tokens", "temperature"],
        vec!["max_tokens", "temperature"],
        vec!["max_completion_tokens", "temperature"],
        vec!["max_completion_tokens", "temperature"],
        known.clone(),
    ];
    assert_eq!(log, steps);
    // Parts that no line break of the screen divides.
    let said = ["without stream_options,", "sent max_completion_tokens instead of max_tokens", "without temperature,"];
    for words in said {
        bench.wait(words);
    }
    bench.send("\x11");
    assert_eq!(bench.ended(), 0);
    let mut bench = start(&server, bench.into_home());
    bench.wait("Answer to Three.");
    // In a conversation of its own, so that only its own words are on the screen.
    bench.send("\x1b");
    bench.send("n");
    bench.wait_gone("Answer to Three.");
    bench.type_in("Four");
    bench.send("\r");
    let asked = server.asked();
    assert_eq!(fields(&asked), known);
    assert_eq!(asked.body["max_completion_tokens"], Value::from(50));
    answer(&mut bench, asked, "Answer to Four.");
    bench.wait("Answer to Four.");
    for words in said {
        bench.wait(words);
    }
    assert!(server.poll().is_none(), "nothing is sent twice");
}
