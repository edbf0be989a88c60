//! Tool calls: definitions from a file, results that are typed, read and printed by a command that is asked about, and
//! the request that goes on. Refusals and answers to a schema beside them. What commands may not do.

#[cfg(target_os = "linux")]
use std::path::Path;

use serde_json::{Value, json};

use crate::common::server::{Asked, Server};
use crate::common::{Bench, Setup};
#[cfg(target_os = "linux")]
use crate::until;
use crate::{configured, script};

const TOOLS: &str = r#"[
  {"type": "function",
   "function": {"name": "weather", "description": "The weather now.",
    "parameters": {"type": "object", "required": ["city"], "properties": {"city": {"type": "string"}}}}},
  {"function": {"name": "add", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}},
   "command": ["printf", "%s|%s", "{a}", "{b}"], "time_limit_s": 20}
]"#;

/// Starts a bench with these definitions in its `tools.json`; once they were read, the parameter panel shows `shown`.
fn with_tools(server: &Server, tools: &str, shown: &str) -> Bench {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("tools.json"), tools).unwrap();
    let args = ["--base-url", &server.url, "--model", "m"];
    let mut bench = Bench::with(Setup { args: &args, home: Some(home), ..Setup::default() });
    bench.wait("▐1");
    read_tools(&mut bench, shown);
    bench
}

/// Reads `tools.json` in the parameter panel, which then shows `shown`.
fn read_tools(bench: &mut Bench, shown: &str) {
    bench.send("\x14");
    bench.wait("Temperature");
    bench.send("Gkkkkkkkk");
    bench.wait("▌  Tools");
    bench.send("o");
    bench.wait("Which file defines the tools?");
    bench.type_in("~/tools.json");
    bench.send("\r");
    bench.wait(shown);
}

/// Closes the parameter panel.
fn close_panel(bench: &mut Bench) {
    bench.send("\x1b");
    bench.wait_gone("▌• Tools");
}

/// Sets the tool choice, whose row is selected, and closes the parameter panel.
fn choose_tool(bench: &mut Bench, typed: &str) {
    bench.send("\r");
    bench.send("\x15");
    bench.type_in(typed);
    bench.send("\r");
    bench.wait_gone("esc leave field");
    bench.send("\x1b");
    bench.wait_gone("• Tool choice");
}

/// Answers with these calls.
fn calls(asked: Asked, calls: &[(&str, &str, &str)]) {
    let delta = |(at, (id, name, arguments)): (usize, &(&str, &str, &str))| {
        let function = json!({"name": name, "arguments": arguments});
        json!({"tool_calls": [{"index": at, "id": id, "type": "function", "function": function}]})
    };
    asked.deltas(&calls.iter().enumerate().map(delta).collect::<Vec<_>>(), "tool_calls");
}

/// Quits, and starts again in the same home.
fn again(mut bench: Bench, server: &Server) -> Bench {
    bench.send("\x11");
    assert_eq!(bench.ended(), 0);
    let args = ["--base-url", &server.url, "--model", "m"];
    let mut bench = Bench::with(Setup { args: &args, home: Some(bench.into_home()), ..Setup::default() });
    bench.wait("▐1");
    bench
}

/// Sends a message and returns its request.
fn ask(bench: &mut Bench, server: &Server, message: &str) -> Asked {
    bench.type_in(message);
    bench.send("\r");
    server.asked()
}

fn message(role: &str, more: Value) -> Value {
    let mut message = json!({"role": role});
    message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    message
}

#[test]
fn two_calls_get_their_results_and_the_conversation_goes_on() {
    let server = Server::start();
    let mut bench = with_tools(&server, TOOLS, "weather, add");
    close_panel(&mut bench);
    let asked = ask(&mut bench, &server, "Weather in Paris, and 2+3?");
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
    let mut bench = with_tools(&server, "[{\"function\": {\"name\": \"a\"},\n  \"shell\": true}]", "✕ line 2");
    close_panel(&mut bench);
    bench.type_in("hi");
    bench.send("\r");
    bench.wait("not sent: Tools: unknown field");
    assert!(server.poll().is_none());
}

/// A call as it is sent again.
fn call(id: &str, name: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}

#[test]
fn a_refusal_is_shown_as_one_and_sent_again_as_it_was_also_after_a_restart() {
    let server = Server::start();
    let mut bench = Bench::start(&["--base-url", &server.url, "--model", "m"]);
    bench.wait("▐1");
    let asked = ask(&mut bench, &server, "Do it.");
    let first = asked.body["messages"][0].clone();
    let refusal =
        [json!({"role": "assistant", "content": null, "refusal": "I can"}), json!({"refusal": "not do that."})];
    asked.deltas(&refusal, "stop");
    bench.wait("! the model refused");
    bench.wait("I cannot do that.");
    let expected = json!([
        first,
        {"role": "assistant", "content": "", "refusal": "I cannot do that."},
        {"role": "user", "content": "Why?"},
    ]);
    bench = again(bench, &server);
    bench.wait("! the model refused");
    assert_eq!(ask(&mut bench, &server, "Why?").body["messages"], expected);
}

#[test]
fn the_tool_that_must_be_called_is_set_in_the_panel_and_sent() {
    let server = Server::start();
    let mut bench = with_tools(&server, TOOLS, "weather, add");
    bench.send("j");
    bench.wait("▌  Tool choice");
    let named = json!({"type": "function", "function": {"name": "add"}});
    for (typed, sent) in [("required", json!("required")), ("add", named), ("none", json!("none"))] {
        choose_tool(&mut bench, typed);
        let asked = ask(&mut bench, &server, &format!("With {typed}"));
        assert_eq!(asked.body["tool_choice"], sent);
        asked.deltas(&[json!({"content": format!("Done with {typed}.")})], "stop");
        bench.wait(&format!("Done with {typed}."));
        bench.until("the answer ended", |text| !text.contains("esc stop"));
        bench.send("\x14");
        bench.wait("Temperature");
        bench.send("Gkkkkkkk");
        bench.wait("▌• Tool choice");
    }
    // A tool that is not defined is told, and nothing is sent.
    choose_tool(&mut bench, "subtract");
    bench.type_in("Subtract");
    bench.send("\r");
    bench.wait("not sent: Tool choice must be one of auto, none,");
    bench.wait("required, weather, add; subtract is not");
    assert!(server.poll().is_none());
}

#[test]
fn two_calls_and_an_answer_to_a_schema_are_sent_again_as_they_were_after_a_restart() {
    let server = Server::start();
    let mut bench = with_tools(&server, TOOLS, "weather, add");
    std::fs::write(bench.home.path().join("sum.txt"), "five, from a file").unwrap();
    bench.send("G");
    bench.send("kk");
    bench.wait("▌  Answer format");
    bench.send("i");
    let schema = r#"{"required": ["n"], "properties": {"a": {"type": "integer"}, "b": {"type": "array"}}}"#;
    // The row shows its end only.
    let (begins, ends) = schema.split_at(schema.len() - 5);
    bench.type_slowly(begins);
    bench.type_in(ends);
    bench.send("\r");
    bench.wait("▌• Answer format");
    bench.send("\x1b");
    bench.wait_gone("▌• Answer format");
    calls(
        ask(&mut bench, &server, "Weather, and 2+3?"),
        &[("c1", "weather", "{\"city\": \"Paris\"}"), ("c2", "add", "{\"a\": 2}")],
    );
    bench.wait("Result of weather");
    bench.type_in("18 degrees");
    bench.send("\r");
    bench.wait("Result of add");
    // A path where nothing is says so in its own box, and keeps what was typed.
    bench.send("\x1b[17~");
    bench.wait("Take the result of add from a file");
    bench.type_in("take the result of add");
    bench.send("\r");
    bench.wait("Result of add from which file?");
    bench.type_in("~/none.txt");
    bench.send("\r");
    bench.wait("✕ ");
    let shown = bench.wait("none.txt");
    assert!(shown.contains("Result of add from which file?"), "{shown}");
    bench.send("\x15");
    bench.type_in("~/sum.txt");
    bench.send("\r");
    bench.wait("five, from a file");
    bench.send("\r");
    let mut asked = server.asked();
    let mut messages = asked.body["messages"].as_array().unwrap().clone();
    let both = [call("c1", "weather", "{\"city\": \"Paris\"}"), call("c2", "add", "{\"a\": 2}")];
    let results = [
        message("assistant", json!({"content": "", "tool_calls": both})),
        message("tool", json!({"content": "18 degrees", "tool_call_id": "c1"})),
        message("tool", json!({"content": "five, from a file", "tool_call_id": "c2"})),
    ];
    assert_eq!(messages[1..], results);
    asked.open();
    asked.token("{\"a\": \"x\", \"b\": 1}");
    asked.finish();
    for violation in [
        "! /a: \"x\" is not of type \"integer\"",
        "! /b: 1 is not of type \"array\"",
        "! /: \"n\" is a required property",
    ] {
        bench.wait(violation);
    }
    let before = server.poll();
    assert!(before.is_none(), "an answer that violates its schema is the user's to judge");
    messages.push(message("assistant", json!({"content": "{\"a\": \"x\", \"b\": 1}"})));
    messages.push(message("user", json!({"content": "Again"})));
    bench = again(bench, &server);
    bench.wait("! /b: 1 is not of type");
    let asked = ask(&mut bench, &server, "Again");
    assert_eq!(asked.body["messages"], Value::from(messages));
    assert_eq!(asked.body["tools"].as_array().map(Vec::len), Some(2));
    assert_eq!(asked.body["response_format"]["json_schema"]["schema"]["required"], json!(["n"]));
}

#[test]
fn a_wrong_path_of_the_tools_is_told_where_it_is_typed() {
    let server = Server::start();
    let mut bench = with_tools(&server, TOOLS, "weather, add");
    bench.send("o");
    bench.wait("Which file defines the tools?");
    bench.send("\x15");
    bench.type_in("~/none.json");
    bench.send("\r");
    bench.wait("cannot read");
    bench.wait("Which file defines the tools?");
    bench.send("\x1b");
    bench.wait_gone("Which file defines the tools?");
    bench.wait("weather, add");
}

/// Answers with a call of a tool and confirms that its command runs.
fn run_tool(bench: &mut Bench, asked: Asked, name: &str) {
    let id = format!("call-{}", asked.body["messages"].as_array().map_or(0, Vec::len));
    calls(asked, &[(&id, name, "{}")]);
    bench.wait(&format!("Result of {name}"));
    bench.send("\x1b[17~");
    bench.wait("Run sh");
    bench.type_in("run sh");
    bench.send("\r");
    bench.wait(&format!("Run this for {name}?"));
    bench.send("\t\r");
}

#[test]
fn neither_a_tool_nor_a_key_command_can_write_to_the_terminal() {
    let (server, home) = (Server::start(), tempfile::tempdir().unwrap());
    // An octal number, so that the word is only on the terminal where it was written there.
    let writes = r#"(printf '\114EAKED' > /dev/tty) 2>/dev/null && echo writ""ten || echo no""where"#;
    let tools = json!([{"function": {"name": "loud"}, "command": ["sh", "-c", writes]}]);
    std::fs::write(home.path().join("tools.json"), tools.to_string()).unwrap();
    let bin = script(
        home.path(),
        "key-command",
        "(printf '\\114EAKED' > /dev/tty) 2>/dev/null\ntest -z \"$GPG_TTY\" && echo sk-command-0123456789",
    );
    let config = format!(
        "profile = \"one\"\n[profiles.one]\nbase_url = \"{}\"\nmodel = \"m\"\napi_key_cmd = \"{}\"\n",
        server.url,
        bin.join("key-command").display()
    );
    let mut bench = configured(home, &config, &[("GPG_TTY", "/dev/tty")]);
    read_tools(&mut bench, "loud");
    close_panel(&mut bench);
    let asked = ask(&mut bench, &server, "Be loud");
    run_tool(&mut bench, asked, "loud");
    bench.wait("nowhere");
    bench.send("\r");
    assert_eq!(server.asked().key.as_deref(), Some("sk-command-0123456789"));
    let written = String::from_utf8_lossy(&bench.bytes).into_owned();
    assert!(!written.contains("LEAKED"), "{written}");
}

/// Whether a process has ended, taken away by its parent or not.
#[cfg(target_os = "linux")]
fn is_dead(pid: &str) -> bool {
    !std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

/// The process that a tool wrote down.
#[cfg(target_os = "linux")]
fn started(home: &Path) -> String {
    let file = home.join("pid");
    let pid = until("the tool runs", || std::fs::read_to_string(&file).ok().filter(|pid| pid.ends_with('\n')));
    std::fs::remove_file(file).unwrap();
    pid.trim().to_owned()
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_tool_started_ends_when_it_is_stopped_takes_too_long_or_the_program_quits() {
    let server = Server::start();
    let command = json!(["sh", "-c", "sleep 600 & echo $! > \"$HOME/pid\"; wait"]);
    let tools = json!([
        {"function": {"name": "waits"}, "command": command},
        {"function": {"name": "hurries"}, "command": command, "time_limit_s": 10},
    ]);
    let mut bench = with_tools(&server, &tools.to_string(), "waits, hurries");
    close_panel(&mut bench);
    let asked = ask(&mut bench, &server, "Go");
    run_tool(&mut bench, asked, "waits");
    let pid = started(bench.home.path());
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    // State, parent, group, session, terminal.
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    assert_eq!((fields[2] == fields[3], fields[4]), (true, "0"), "a session of its own without a terminal: {stat}");
    bench.wait("The command is running");
    bench.send("\x1b");
    bench.wait("the command was stopped");
    until("it is stopped", || is_dead(&pid).then_some(()));
    bench.wait_gone("The command is running");
    bench.wait("Result of waits");
    let asked = ask(&mut bench, &server, "it was stopped");
    run_tool(&mut bench, asked, "hurries");
    let pid = started(bench.home.path());
    bench.wait("sh took longer than 10 s and was stopped");
    until("it is stopped", || is_dead(&pid).then_some(()));
    bench.wait("Result of hurries");
    let asked = ask(&mut bench, &server, "it took too long");
    run_tool(&mut bench, asked, "waits");
    let pid = started(bench.home.path());
    bench.wait("The command is running");
    bench.send("\x11");
    assert_eq!(bench.ended(), 0);
    until("it is stopped", || is_dead(&pid).then_some(()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_key_command_ends_when_the_program_quits() {
    let (server, home) = (Server::start(), tempfile::tempdir().unwrap());
    let bin = script(home.path(), "key-command", "sleep 600 & echo $! > \"$HOME/pid\"\nwait");
    let config = format!(
        "profile = \"one\"\n[profiles.one]\nbase_url = \"{}\"\nmodel = \"m\"\napi_key_cmd = \"{}\"\n",
        server.url,
        bin.join("key-command").display()
    );
    let mut bench = configured(home, &config, &[]);
    bench.type_in("Hello");
    bench.send("\r");
    let pid = started(bench.home.path());
    bench.send("\x11");
    assert_eq!(bench.ended(), 0);
    until("it is stopped", || is_dead(&pid).then_some(()));
}
