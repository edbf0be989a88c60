//! Tool calls: definitions from a file, one result typed, one from a command that is asked about, and the request that goes on.

use serde_json::{Value, json};

use crate::common::server::{Asked, Server};
use crate::common::{Bench, Setup};

const TOOLS: &str = r#"[
  {"type": "function",
   "function": {"name": "weather", "description": "The weather now.",
    "parameters": {"type": "object", "required": ["city"], "properties": {"city": {"type": "string"}}}}},
  {"function": {"name": "add", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}},
   "command": ["printf", "%s|%s", "{a}", "{b}"], "time_limit_s": 20}
]"#;

/// Starts a bench with these definitions in its `tools.json`, after they were read.
fn with_tools(server: &Server, tools: &str) -> Bench {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("tools.json"), tools).unwrap();
    let args = ["--base-url", &server.url, "--model", "m"];
    let mut bench = Bench::with(Setup { args: &args, home: Some(home), ..Setup::default() });
    bench.wait("▐1");
    bench.send("\x14");
    bench.wait("Temperature");
    bench.send("Gkkkkkkkk");
    bench.wait("▌  Tools");
    bench.send("o");
    bench.wait("Which file defines the tools?");
    bench.type_in("~/tools.json");
    bench.send("\r");
    bench
}

/// Answers with these calls.
fn calls(asked: Asked, calls: &[(&str, &str, &str)]) {
    let delta = |(at, (id, name, arguments)): (usize, &(&str, &str, &str))| {
        let function = json!({"name": name, "arguments": arguments});
        json!({"tool_calls": [{"index": at, "id": id, "type": "function", "function": function}]})
    };
    asked.deltas(&calls.iter().enumerate().map(delta).collect::<Vec<_>>(), "tool_calls");
}

fn message(role: &str, more: Value) -> Value {
    let mut message = json!({"role": role});
    message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    message
}

#[test]
fn two_calls_get_their_results_and_the_conversation_goes_on() {
    let server = Server::start();
    let mut bench = with_tools(&server, TOOLS);
    bench.wait("weather, add");
    bench.send("\x1b");
    bench.wait_gone("▌• Tools");
    bench.type_in("Weather in Paris, and 2+3?");
    bench.send("\r");
    let asked = server.asked();
    let sent = &asked.body["tools"];
    assert_eq!(sent[0]["function"]["name"], "weather");
    assert_eq!(sent[1]["type"], "function");
    assert!(!sent.to_string().contains("printf"), "the command stays here: {sent}");
    calls(asked, &[("c1", "weather", "{\"city\": 5}"), ("c2", "add", "{\"a\": 2, \"b\": \"3\"}")]);
    bench.wait("! /city: 5 is not of type \"string\"");
    bench.wait("waits for its result");
    bench.wait("Result of weather");
    bench.type_in("18 degrees");
    bench.send("\r");
    bench.wait("← result of weather");
    bench.wait("Result of add");
    bench.send("\x1b[17~");
    bench.wait("Run printf");
    bench.type_in("run printf");
    bench.send("\r");
    bench.wait("Run this for add?");
    bench.wait("No shell reads it");
    bench.send("\t\r");
    bench.wait("2|3");
    bench.send("\r");
    let mut asked = server.asked();
    let messages = asked.body["messages"].as_array().unwrap().clone();
    let call = |id: &str, name: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    let both = json!([call("c1", "weather", "{\"city\": 5}"), call("c2", "add", "{\"a\": 2, \"b\": \"3\"}")]);
    assert_eq!(
        messages[1..],
        [
            message("assistant", json!({"content": "", "tool_calls": both})),
            message("tool", json!({"content": "18 degrees", "tool_call_id": "c1"})),
            message("tool", json!({"content": "2|3", "tool_call_id": "c2"})),
        ]
    );
    asked.open();
    asked.token("18 degrees, and 5.");
    asked.finish();
    bench.wait("18 degrees, and 5.");
    // It is kept: what follows sends all of it again as it was.
    bench.type_in("Thanks");
    bench.send("\r");
    let again = server.asked();
    assert_eq!(again.body["messages"].as_array().unwrap()[..4], messages[..]);
}

#[test]
fn a_file_with_an_unknown_field_is_told_with_its_place_and_nothing_is_sent() {
    let server = Server::start();
    let mut bench = with_tools(&server, "[{\"function\": {\"name\": \"a\"},\n  \"shell\": true}]");
    bench.wait("✕ line 2");
    bench.send("\x1b");
    bench.wait_gone("▌• Tools");
    bench.type_in("hi");
    bench.send("\r");
    bench.wait("not sent: tools: unknown field");
    assert!(server.poll().is_none());
}
