//! `benchtop chat`, `complete` and `models`.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::common::kept::{kept, texts};
use crate::common::server::Server;
use crate::text_server::{TextServer, refused};
use crate::{Home, Ran};

/// Returns the flags that name a server.
fn at<'a>(server: &'a Server, args: &[&'a str]) -> Vec<&'a str> {
    [args, &["--base-url", &server.url, "--model", "auto"]].concat()
}

fn said(role: &str, text: &str) -> (String, String) {
    (role.to_owned(), text.to_owned())
}

#[test]
fn commands_at_once_share_the_local_service_and_each_has_its_whole_answer() {
    let home = Home::new();
    std::thread::scope(|threads| {
        for thread in 0..4 {
            let home = &home;
            threads.spawn(move || {
                for turn in 0..4 {
                    let ran = home.run(&["chat", &format!("How do I stop an answer? {thread} {turn}")]);
                    assert_eq!((ran.status, ran.errors.as_str()), (0, ""), "{ran:?}");
                    assert!(!ran.out.trim().is_empty(), "{ran:?}");
                }
            });
        }
    });
}

#[test]
fn an_answer_goes_to_standard_output_byte_for_byte_and_is_kept() {
    let (home, server) = (Home::new(), Server::start());
    let running =
        home.start(&at(&server, &["chat", "Which river?", "--system", "Be short.", "--temperature", "0.5"]), "");
    let mut asked = server.asked();
    assert_eq!(asked.body["model"], "auto");
    assert_eq!(asked.body["temperature"], 0.5);
    assert_eq!(asked.body["messages"][0], json!({"role": "system", "content": "Be short."}));
    assert_eq!(asked.last(), ("user", "Which river?"));
    asked.open();
    for token in ["The \u{1b}[31mElbe", "\r", "\n\u{202e}."] {
        asked.token(token);
    }
    asked.finish();
    let out = "The \u{1b}[31mElbe\r\n\u{202e}.";
    assert_eq!(running.end(), Ran { status: 0, out: format!("{out}\n"), errors: String::new() });
    assert_eq!(texts(&home.data()), [said("user", "Which river?"), said("assistant", out)]);
    let conversation = kept(&home.data()).remove(0).conversation;
    assert_eq!((conversation.system.as_str(), conversation.params.temperature), ("Be short.", Some(0.5)));
}

#[test]
fn a_message_comes_from_standard_input_alone_or_among_arguments() {
    let (home, server) = (Home::new(), Server::start());
    for (args, input, sent) in [
        (vec!["chat"], "one\ntwo\n", "one\ntwo"),
        (vec!["chat"], "\u{feff}marked\n", "marked"),
        (vec!["chat", "Sum up:", "-"], "a text\n", "Sum up:\n\na text"),
        (vec!["chat", "no input is read"], "ignored", "no input is read"),
    ] {
        let running = home.start(&at(&server, &args), input);
        let mut asked = server.asked();
        assert_eq!(asked.last().1, sent);
        asked.open();
        asked.token("ok\n");
        asked.finish();
        let ran = running.end();
        assert_eq!((ran.status, ran.out.as_str()), (0, "ok\n"), "{ran:?}");
    }
}

#[test]
fn a_conversation_is_continued_by_its_id_and_as_the_latest() {
    let (home, server) = (Home::new(), Server::start());
    let ask = |args: &[&str], answer: &str| {
        let running = home.start(&at(&server, args), "");
        let mut asked = server.asked();
        let messages = asked.body["messages"].as_array().unwrap().len();
        asked.open();
        asked.token(answer);
        asked.finish_with(r#"{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}"#);
        let ran = running.end();
        assert_eq!(ran.status, 0, "{ran:?}");
        (messages, serde_json::from_str::<Value>(&ran.out).unwrap())
    };
    let (first, json) = ask(&["chat", "--json", "one"], "1");
    assert_eq!((first, &json["content"], &json["status"]), (1, &json!("1"), &json!("done")));
    assert_eq!((&json["version"], &json["finish_reason"]), (&json!(1), &json!("stop")));
    assert_eq!(json["usage"]["prompt_tokens"], 7);
    assert_eq!(json["usage"]["estimated"], false);
    let id = json["conversation"].as_str().unwrap();
    let (other, _) = ask(&["chat", "--json", "another"], "2");
    let (third, _) = ask(&["chat", "--json", "--conversation", id, "three"], "3");
    let (fourth, json) = ask(&["chat", "--json", "--continue", "four"], "4");
    assert_eq!((other, third, fourth), (1, 3, 5));
    assert_eq!(json["conversation"], id, "the one that was changed last");
    assert_eq!(kept(&home.data()).len(), 2);
}

#[test]
fn nothing_is_kept_where_nothing_is_to_be_saved() {
    let (home, server) = (Home::new(), Server::start());
    let running = home.start(&at(&server, &["chat", "secret", "--no-save"]), "");
    let mut asked = server.asked();
    asked.open();
    asked.finish();
    assert_eq!(running.end().status, 0);
    let stored = home.data().join("benchtop.db").exists().then(|| kept(&home.data()).len());
    assert!(stored.is_none_or(|conversations| conversations == 0));
}

#[test]
fn each_failure_has_its_status_and_a_sentence() {
    let (home, server) = (Home::new(), Server::start());
    for (status, body, code) in [
        ("401 Unauthorized", r#"{"error":{"message":"no such key"}}"#, 4),
        ("400 Bad Request", r#"{"error":{"message":"the model is wrong"}}"#, 5),
        ("200 OK", "<html><body>Welcome</body></html>", 6),
        ("404 Not Found", r#"{"error":{"message":"no such model","code":"model_not_found"}}"#, 5),
    ] {
        let running = home.start(&at(&server, &["chat", "hello"]), "");
        server.asked().refuse(status, "", body);
        let ran = running.end();
        assert_eq!((ran.status, ran.out.as_str()), (code, ""), "{ran:?}");
        assert!(ran.errors.starts_with("benchtop: ") && ran.errors.lines().count() == 1, "{ran:?}");
    }
    let nobody = home.run(&["chat", "hello", "--base-url", "http://127.0.0.1:1/v1", "--model", "auto"]);
    assert_eq!((nobody.status, nobody.out.as_str()), (6, ""), "{nobody:?}");
    for wrong in [
        &["chat", "hello", "--heat", "1"][..],
        &["chat", "hello", "--temperature", "9"],
        &["chat", "hello", "--profile", "nobody"],
        &["chat", "hello", "--response-format", "nowhere.json"],
        &["chat", "hello", "--conversation", "17"],
        &["chat", "hello", "--attach", "nowhere.png"],
        &["chat", "hello", "--max-tokens", "0"],
    ] {
        let ran = home.run(&at(&server, wrong));
        assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{wrong:?}: {ran:?}");
        assert!(!ran.errors.is_empty());
    }
    assert!(server.poll().is_none(), "nothing was sent");
}

#[test]
fn a_pipe_goes_with_a_message_as_a_file_does() {
    let (home, server) = (Home::new(), Server::start());
    let running = home.start(&at(&server, &["chat", "Translate it", "--attach", "/dev/stdin"]), "guten Tag\n");
    let mut asked = server.asked();
    let sent = asked.body["messages"].to_string();
    assert!(sent.contains("Translate it") && sent.contains("guten Tag"), "{sent}");
    asked.open();
    asked.token("ok");
    asked.finish();
    assert_eq!(running.end().status, 0);
}

#[test]
fn a_schema_may_begin_with_a_byte_order_mark() {
    let (home, server) = (Home::new(), Server::start());
    std::fs::write(home.path().join("form.json"), "\u{feff}{\"type\":\"object\"}").unwrap();
    let running = home.start(&at(&server, &["chat", "hello", "--response-format", "form.json"]), "");
    let mut asked = server.asked();
    assert_eq!(asked.body["response_format"]["type"], "json_schema");
    asked.open();
    asked.token("{}");
    asked.finish();
    assert_eq!(running.end().status, 0);
}

#[test]
fn a_wrong_value_is_told_with_its_flag() {
    let (home, server) = (Home::new(), Server::start());
    std::fs::write(home.path().join("bad.json"), "{\"a\":").unwrap();
    for (args, said) in [
        (["--attach", "."], "--attach: . is a folder"),
        (["--max-tokens", "0"], "--max-tokens: max_tokens must be a whole number from 1 to"),
        (["--response-format", "bad.json"], "--response-format: bad.json is not JSON: EOF"),
        (["--extra", "{\"temperature\":1}"], "--extra: temperature has a flag of its own: --temperature"),
        (["--extra", "[1]"], "--extra: it must be a JSON object"),
        (["--stop", ""], "--stop is empty"),
        (["--temperature", "abc"], "'--temperature <NUMBER>': it needs a number"),
        (["--seed", "1.5"], "'--seed <NUMBER>': it needs a whole number"),
    ] {
        let ran = home.run(&at(&server, &[&["chat", "hello"][..], &args].concat()));
        assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{args:?}: {ran:?}");
        assert!(ran.errors.contains(said), "{args:?}: {ran:?}");
    }
    assert!(server.poll().is_none(), "nothing was sent");
}

#[test]
fn further_fields_are_sent_also_those_that_are_parameters_without_a_flag() {
    let (home, server) = (Home::new(), Server::start());
    let extra = r#"{"top_k":5,"logit_bias":{"50256":-100},"user":"u","logprobs":true,"verbosity":"low"}"#;
    let running = home.start(&at(&server, &["chat", "hello", "--extra", extra]), "");
    let mut asked = server.asked();
    let sent = |name: &str| asked.body[name].clone();
    assert_eq!((sent("top_k"), sent("user"), sent("verbosity")), (json!(5), json!("u"), json!("low")));
    assert_eq!((sent("logit_bias"), sent("logprobs")), (json!({"50256": -100.0}), json!(true)));
    asked.open();
    asked.token("ok");
    asked.finish();
    assert_eq!(running.end().status, 0);
}

#[test]
fn how_an_answer_ended_is_told_and_that_it_has_no_text() {
    let (home, server) = (Home::new(), Server::start());
    let filtered = "benchtop: the answer ended early: the server's content filter stopped it\n";
    for (text, reason, out, errors) in
        [("par", "content_filter", "par\n", filtered), ("", "stop", "", "benchtop: the answer has no text\n")]
    {
        let running = home.start(&at(&server, &["chat", "hello"]), "");
        server.asked().deltas(&[json!({"content": text})], reason);
        assert_eq!(running.end(), Ran { status: 0, out: out.to_owned(), errors: errors.to_owned() });
    }
    for (flag, advice) in [
        ("--json", None),
        ("--no-save", Some("--max-tokens sets another")),
        ("--seed=1", Some("--continue with a message such as \"go on\" continues it")),
    ] {
        let running = home.start(&at(&server, &["chat", "hello", flag]), "");
        server.asked().deltas(&[json!({"content": "par"})], "length");
        let errors = advice.map(|advice| format!("benchtop: the answer ended at its limit of tokens: {advice}\n"));
        assert_eq!(running.end().errors, errors.unwrap_or_default(), "{flag}");
    }
    let call = json!([{"index": 0, "id": "c", "type": "function", "function": {"name": "now", "arguments": "{}"}}]);
    for (flag, advice) in [("--no-save", ""), ("--seed=1", "; the Chat tab takes the result")] {
        let running = home.start(&at(&server, &["chat", "hello", flag]), "");
        server.asked().deltas(&[json!({"tool_calls": call})], "tool_calls");
        assert_eq!(running.end().errors, format!("benchtop: the model calls now({{}}){advice}\n"), "{flag}");
    }
    let running = home.start(&at(&server, &["complete", "Once"]), "");
    let choice = json!({"text": " upon", "index": 0, "logprobs": null, "finish_reason": "length"});
    let whole =
        json!({"id": "cmpl-1", "object": "text_completion", "created": 1, "model": "auto", "choices": [choice]});
    server.asked().refuse("200 OK", "", &whole.to_string());
    let errors = "benchtop: the completion ended at its limit of tokens: --max-tokens sets another\n".to_owned();
    assert_eq!(running.end(), Ran { status: 0, out: " upon\n".to_owned(), errors });
}

#[test]
fn without_a_key_nothing_is_sent_or_printed() {
    let (home, server) = (Home::new(), Server::start());
    let key = "api_key_env = \"NO_SUCH_KEY\"";
    home.config(&format!("profile = \"work\"\n[profiles.work]\nbase_url = \"{}\"\n{key}\n", server.url));
    for command in ["chat", "complete"] {
        let ran = home.run(&[command, "--model", "auto", "--json", "hello"]);
        assert_eq!((ran.status, ran.out.as_str()), (4, ""), "{ran:?}");
        assert!(ran.errors.contains("NO_SUCH_KEY"), "{ran:?}");
    }
    assert!(server.poll().is_none(), "nothing was sent");
}

#[test]
fn what_is_not_saved_is_not_said_to_be() {
    let (home, server) = (Home::new(), Server::start());
    let running = home.start(&at(&server, &["chat", "hello", "--no-save", "--json"]), "");
    let mut asked = server.asked();
    asked.open();
    asked.token("the first half");
    asked.cut();
    let ran = running.end();
    let json = ran.json("chat").remove(0);
    assert_eq!((ran.status, &json["conversation"], &json["content"]), (7, &Value::Null, &json!("the first half")));
    assert!(ran.errors.contains("cut off") && !ran.errors.contains("kept"), "{ran:?}");
    assert!(!json["error"].as_str().unwrap().contains("kept"), "{json}");
}

#[test]
fn advice_in_json_is_that_for_the_shell() {
    let (home, server) = (Home::new(), Server::start());
    let running = home.start(&at(&server, &["chat", "hello", "--json"]), "");
    server.asked().refuse("401 Unauthorized", "", r#"{"error":{"message":"no key"}}"#);
    let json = running.end().json("chat").remove(0);
    let error = json["error"].as_str().unwrap();
    assert!(error.ends_with("; set one: `benchtop profiles` says where it is looked for"), "{error}");
}

#[test]
fn a_config_file_that_is_not_toml_is_not_ignored() {
    let (home, server) = (Home::new(), Server::start());
    home.config("profile = \"work\n");
    let ran = home.run(&at(&server, &["chat", "hello"]));
    assert_eq!((ran.status, ran.out.as_str()), (3, ""), "{ran:?}");
    assert!(ran.errors.contains("config.toml, line 1"), "{ran:?}");
    assert!(server.poll().is_none(), "nothing was sent");
}

#[test]
fn an_answer_that_is_cut_off_is_printed_and_kept_as_far_as_it_came() {
    let (home, server) = (Home::new(), Server::start());
    let mut running = home.start(&at(&server, &["chat", "hello"]), "");
    let mut asked = server.asked();
    asked.open();
    asked.token("the first half");
    let read = running.read_until("half");
    asked.cut();
    let ran = running.end();
    assert_eq!((ran.status, read + &ran.out), (7, "the first half\n".to_owned()));
    assert!(ran.errors.contains("cut off"), "{}", ran.errors);
    assert_eq!(texts(&home.data())[1], said("assistant", "the first half"));
}

#[test]
fn ctrl_c_stops_the_request_and_keeps_what_came() {
    let (home, server) = (Home::new(), Server::start());
    let mut running = home.start(&at(&server, &["chat", "hello"]), "");
    let mut asked = server.asked();
    asked.open();
    asked.token("so far");
    let read = running.read_until("far");
    running.signal(Signal::INT);
    asked.left();
    let ran = running.end();
    assert_eq!((ran.status, read + &ran.out), (130, "so far\n".to_owned()));
    assert_eq!(texts(&home.data())[1], said("assistant", "so far"));
}

#[test]
fn a_second_ctrl_c_does_not_wait_for_the_store() {
    let (home, server) = (Home::new(), Server::start());
    let mut running = home.start(&at(&server, &["chat", "hello"]), "");
    let mut asked = server.asked();
    asked.open();
    asked.token("so far");
    running.read_until("far");
    // Nothing can be stored meanwhile, for which the store would wait some seconds.
    let other = rusqlite::Connection::open(home.data().join("benchtop.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    running.signal(Signal::INT);
    asked.left();
    running.signal(Signal::INT);
    let ran = running.end();
    assert_eq!((ran.status, ran.errors.as_str()), (130, ""), "it does not say that something could not be saved");
    other.execute_batch("ROLLBACK").unwrap();
}

#[test]
fn a_closed_pipe_ends_the_command_quietly() {
    let (home, server) = (Home::new(), Server::start());
    let mut running = home.start(&at(&server, &["chat", "hello"]), "");
    let mut asked = server.asked();
    asked.open();
    running.close_output();
    // What is written first may still fit into the pipe.
    while asked.token("more and more") {}
    let ran = running.end();
    assert_eq!((ran.status, ran.errors.as_str()), (0, ""), "{ran:?}");
}

#[test]
fn a_prompt_is_completed_and_kept_with_its_run() {
    let (home, server) = (Home::new(), Server::start());
    let running = home.start(&at(&server, &["complete", "Once upon", "--max-tokens", "5"]), "");
    let mut asked = server.asked();
    assert_eq!((&asked.body["prompt"], &asked.body["max_tokens"]), (&json!("Once upon"), &json!(5)));
    asked.open();
    asked.piece(" a time", &[]);
    asked.end();
    assert_eq!(running.end(), Ran { status: 0, out: " a time\n".to_owned(), errors: String::new() });
    let running = home.start(&at(&server, &["complete", "--json"]), "Twice");
    let mut asked = server.asked();
    asked.open();
    asked.piece(" upon", &[]);
    asked.end();
    let json: Value = serde_json::from_str(&running.end().out).unwrap();
    assert_eq!((&json["text"], &json["status"], &json["version"]), (&json!(" upon"), &json!("done"), &json!(1)));
    let runs = crate::common::kept::read_store(&home.data(), |ask| match ask(benchtop::record::Query::Runs(9)) {
        benchtop::record::Rows::Runs(runs) => runs,
        other => panic!("{other:?}"),
    });
    let excerpts: Vec<_> = runs.iter().map(|run| run.excerpt.raw()).collect();
    assert_eq!(excerpts, ["Twice", "Once upon"]);
}

#[test]
fn a_model_is_chosen_that_can_do_it_or_none() {
    let home = Home::new();
    let refuse = |_: &str, _: &Value| refused("400 Bad Request", "no");
    let own = TextServer::start(&["nomic-embed-text", "bge-m3", "llama3"], refuse);
    for command in ["chat", "complete"] {
        assert_eq!(home.run(&[command, "hello", "--base-url", &own.url]).status, 5);
        assert_eq!(own.bodies().pop().unwrap()["model"], "llama3", "{command}");
    }
    let errors = "benchtop: the server lists no model for this: name one with --model\n".to_owned();
    for (command, model) in [("complete", "gpt-4o"), ("chat", "text-embedding-3-small")] {
        let server = TextServer::start(&[model], refuse);
        let ran = home.run(&[command, "hello", "--base-url", &server.url]);
        assert_eq!(ran, Ran { status: 2, out: String::new(), errors: errors.clone() });
        assert!(server.bodies().is_empty(), "nothing was sent");
    }
}

#[test]
fn models_are_listed_a_line_each() {
    let (home, server) = (Home::new(), Server::start());
    let ran = home.run(&["models", "--base-url", &server.url]);
    assert_eq!(ran, Ran { status: 0, out: "auto\n".to_owned(), errors: String::new() });
    let json: Value = serde_json::from_str(&home.run(&["models", "--json", "--base-url", &server.url]).out).unwrap();
    assert_eq!((&json["id"], &json["owned_by"], &json["version"]), (&json!("auto"), &json!("test"), &json!(1)));
}

#[test]
fn without_a_server_the_local_service_answers() {
    let home = Home::new();
    let ran = home.run(&["chat", "What is benchtop?"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.out.contains("benchtop") && ran.out.ends_with('\n'), "{ran:?}");
    assert_eq!(ran.errors, "");
}

#[test]
fn a_failure_of_the_system_does_not_look_like_a_result() {
    let home = Home::new();
    let mut command = std::process::Command::new("sh");
    // Too few for the runtime.
    command.args(["-c", "ulimit -n 4; exec \"$0\" models --local", env!("CARGO_BIN_EXE_benchtop")]);
    command.env_clear().env("HOME", home.path()).env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let ended = command.current_dir(home.path()).output().unwrap();
    let errors = String::from_utf8(ended.stderr).unwrap();
    assert_eq!((ended.status.code(), ended.stdout.len()), (Some(2), 0), "{errors}");
    assert!(errors.starts_with("benchtop: ") && errors.lines().count() == 1, "{errors}");
}
