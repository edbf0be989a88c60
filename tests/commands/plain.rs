//! `benchtop --plain`, as a screen reader hears it: all that is written to the terminal, byte for byte.

use std::io::{BufRead as _, BufReader, Write as _};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::common::server::Server;
use crate::common::{Bench, LIMIT, Setup};
use crate::scripted::{Answer, Scripted};
use crate::tune::{event, job};
use crate::{Home, Running};

/// Answers to each message with this text, in two pieces.
fn server(answer: &'static str) -> Scripted {
    Scripted::start(move |asked| match asked.line.as_str() {
        "GET /v1/models" => Some(Answer::Json(200, json!({"data": [{"id": "guard-1"}, {"id": "talker"}]}))),
        "POST /v1/chat/completions" => {
            let middle = answer.floor_char_boundary(answer.len() / 2);
            let piece = |text: &str, reason: Value| {
                json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": reason}]}).to_string()
            };
            let pieces = [
                piece(&answer[..middle], Value::Null),
                piece(&answer[middle..], Value::Null),
                piece("", json!("stop")),
            ];
            Some(Answer::Events(pieces.to_vec(), true))
        }
        "POST /v1/moderations" => Some(Answer::Json(
            200,
            json!({"model": "guard-1", "results": [{
                "flagged": true,
                "categories": {"hate": false, "sexual": false, "violence": true},
                "category_scores": {"hate": 0.12, "sexual": 0.001, "violence": 0.98},
            }]}),
        )),
        "GET /v1/fine-tunes" => {
            Some(Answer::Json(200, json!({"object": "list", "data": [job("succeeded"), running()]})))
        }
        "GET /v1/fine-tunes/ft-one" => Some(Answer::Json(200, job("succeeded"))),
        "GET /v1/fine-tunes/ft-two" => Some(Answer::Json(200, running())),
        "GET /v1/fine-tunes/ft-one/events?stream=true" => {
            let events = [
                event(1_700_000_001, "Fine-tune started"),
                event(1_700_000_030, "Step 3/240: training loss 0.6611"),
                event(1_700_000_060, "Completed epoch 1/4"),
                event(1_700_000_090, "Fine-tune succeeded"),
            ];
            Some(Answer::Events(events.to_vec(), true))
        }
        "GET /v1/fine-tunes/ft-two/events?stream=true" => {
            let events = [event(1_700_000_002, "Fine-tune started"), event(1_700_000_003, "Epoch 1/4\u{1b}[2J")];
            Some(Answer::Events(events.to_vec(), false))
        }
        _ => None,
    })
}

fn running() -> Value {
    let mut job = job("running");
    job["id"] = json!("ft-two");
    job
}

/// benchtop, line by line, in a terminal.
struct Talk {
    bench: Bench,
    /// How much had been written at the last prompt.
    read: usize,
}

impl Talk {
    fn start(server: &Scripted) -> Self {
        Self::with(server, &["--plain"])
    }

    fn with(server: &Scripted, args: &[&str]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(".config/benchtop");
        std::fs::create_dir_all(&folder).unwrap();
        let profile = format!("[profiles.desk]\nbase_url = \"{}\"\nmodel = \"talker\"\n", server.url);
        std::fs::write(folder.join("config.toml"), format!("profile = \"desk\"\n{profile}")).unwrap();
        let env = &[("TZ", "UTC")];
        let setup = Setup { args, env, size: (120, 100), home: Some(home), ..Setup::default() };
        let mut talk = Self { bench: Bench::with(setup), read: 0 };
        talk.prompt();
        talk
    }

    /// Waits for the next prompt.
    fn prompt(&mut self) {
        self.bench.wait_bytes(self.read, b"You: ");
        self.read = self.bench.bytes.len();
    }

    /// Types a line, and waits until what it asked for is done.
    fn say(&mut self, line: &str) {
        self.bench.send(&format!("{line}\r"));
        self.prompt();
    }

    /// Quits. Returns all that was written to the terminal, what was typed included.
    fn quit(mut self) -> String {
        self.bench.send("/quit\r");
        assert_eq!(self.bench.ended(), 0);
        String::from_utf8(self.bench.bytes.clone()).unwrap()
    }
}

/// Fails unless this was written, each line once, and nothing else.
fn assert_written(written: &str, expected: &str) {
    assert!(!written.contains('\u{1b}'), "an escape sequence: {written:?}");
    assert_eq!(written.replace("\r\n", "\n"), expected);
    assert_eq!(written, expected.replace('\n', "\r\n"), "no cursor is moved within a line");
}

#[test]
fn a_chat_is_read_out_line_by_line() {
    let server = server("One is \u{1b}[31mred\u{1b}[0m.\nThe other\ris blue.");
    let mut talk = Talk::start(&server);
    talk.say("Which colours are there?");
    talk.bench.send("Only \\\r");
    talk.say("these two?");
    talk.say("/shout");
    talk.say("/new");
    talk.say("/model other");
    talk.say("And now?");
    let written = talk.quit();
    assert_written(&written, CHAT);
    let asked = server.asked("POST /v1/chat/completions");
    let bodies: Vec<Value> = asked.iter().map(|asked| serde_json::from_slice(&asked.body).unwrap()).collect();
    let messages: Vec<usize> = bodies.iter().map(|body| body["messages"].as_array().unwrap().len()).collect();
    assert_eq!(messages, [1, 3, 1], "a conversation goes on until there is a new one");
    assert_eq!(bodies[1]["messages"][2]["content"], "Only \nthese two?");
    assert_eq!((&bodies[1]["model"], &bodies[2]["model"]), (&json!("talker"), &json!("other")));
}

const CHAT: &str = "\
benchtop, line by line. Server: desk. Model: talker. /help lists the commands.
You: Which colours are there?
Waiting for the answer.
One is ␛[31mred␛[0m.
The other␍is blue.
You: Only \\
these two?
Waiting for the answer.
One is ␛[31mred␛[0m.
The other␍is blue.
You: /shout
benchtop: there is no command /shout; /help lists them
You: /new
The next message begins a new conversation.
You: /model other
The model is other from now on.
You: And now?
Waiting for the answer.
One is ␛[31mred␛[0m.
The other␍is blue.
You: /quit
";

#[test]
fn symbols_become_ascii_characters_and_letters_stay() {
    let server = server("Naïve → “it” … 日本 \u{1b}[2J\n");
    let mut talk = Talk::with(&server, &["--plain", "--ascii"]);
    talk.say("/model a·b");
    talk.say("/shout…");
    talk.say("Go on");
    assert_written(&talk.quit(), ASCII);
}

/// What was typed is shown by the terminal.
const ASCII: &str = "\
benchtop, line by line. Server: desk. Model: talker. /help lists the commands.
You: /model a·b
The model is a.b from now on.
You: /shout…
benchtop: there is no command /shout~; /help lists them
You: Go on
Waiting for the answer.
Naïve > \"it\" ~ 日本 ^[2J
You: /quit
";

#[test]
fn only_a_conversation_that_is_there_is_opened() {
    let server = server("Yes.");
    let mut talk = Talk::start(&server);
    talk.say("/open 999");
    talk.say("/open abc");
    talk.say("Hello?");
    assert_written(&talk.quit(), OPEN);
}

const OPEN: &str = "\
benchtop, line by line. Server: desk. Model: talker. /help lists the commands.
You: /open 999
benchtop: there is no conversation 999: `benchtop export --list` shows all, /new begins one
You: /open abc
benchtop: /open needs the id of a conversation; `benchtop export --list` shows all
You: Hello?
Waiting for the answer.
Yes.
You: /quit
";

#[test]
fn a_text_is_checked_a_line_for_each_category_that_counts() {
    let mut talk = Talk::start(&server(""));
    talk.say("/moderate I will kill you");
    talk.say("/moderate");
    assert_written(&talk.quit(), CHECK);
}

const CHECK: &str = "\
benchtop, line by line. Server: desk. Model: talker. /help lists the commands.
You: /moderate I will kill you
The text is flagged.
violence: score 0.98, flagged
hate: score 0.12, not flagged
You: /moderate
benchtop: /moderate needs a text
You: /quit
";

#[test]
fn fine_tunes_are_listed_and_followed_until_ctrl_c() {
    let server = server("");
    let mut talk = Talk::start(&server);
    talk.say("/jobs");
    talk.say("/job ft-one");
    talk.bench.send("/job ft-two\r");
    talk.bench.wait_bytes(talk.read, "Epoch 1/4␛[2J\r\n".as_bytes());
    talk.bench.send("\u{3}");
    talk.prompt();
    talk.say("/job ft-three");
    // The terminal may show the Ctrl+C before or after what is written because of it.
    assert_written(&talk.quit().replacen("^C", "", 1), JOBS);
    assert!(server.asked("POST").is_empty(), "the fine-tune is not cancelled");
}

const JOBS: &str = "\
benchtop, line by line. Server: desk. Model: talker. /help lists the commands.
You: /jobs
ft-one: train.jsonl, succeeded, base model ada, tuned model ada:ft-me-2023-11-14-22-15-00
ft-two: train.jsonl, running, base model ada
You: /job ft-one
14 Nov 22:13  Fine-tune started
14 Nov 22:14  Completed epoch 1/4
14 Nov 22:14  Fine-tune succeeded
benchtop: ft-one succeeded: ada:ft-me-2023-11-14-22-15-00
You: /job ft-two
14 Nov 22:13  Fine-tune started
14 Nov 22:13  Epoch 1/4␛[2J
benchtop: the job goes on; /job ft-two shows it again
You: /job ft-three
benchtop: 404 the server has no fine-tune ft-three; it may have been deleted: `benchtop tune ls` lists all
You: /quit
";

#[test]
fn a_command_that_takes_no_text_is_not_carried_out_with_one_and_the_list_of_models_is_looked_at() {
    let mut talk = Talk::start(&server("Yes."));
    talk.say("/new Hello there");
    talk.say("/quit now");
    talk.say("/model nope");
    talk.say("/models");
    talk.say("/model nope");
    talk.say("/model talker");
    assert_written(&talk.quit(), COMMANDS);
}

const COMMANDS: &str = "\
benchtop, line by line. Server: desk. Model: talker. /help lists the commands.
You: /new Hello there
benchtop: /new takes no text: type it on a line of its own
You: /quit now
benchtop: /quit takes no text: type it on a line of its own
You: /model nope
The model is nope from now on.
You: /models
guard-1
talker
You: /model nope
The model is nope from now on.
The server does not list it; /models prints the list.
You: /model talker
The model is talker from now on.
You: /quit
";

#[test]
fn the_end_of_the_input_ends_the_line_and_sends_nothing_that_is_unfinished() {
    let server = server("Yes.");
    let greeting = "benchtop, line by line. Server: desk. Model: talker. /help lists the commands.\nYou: ";
    let unfinished = "half a message\nbenchtop: not sent: the input ended before Enter was pressed\n";
    // Ctrl+D behind text hands over what is typed; a second one ends the input.
    for (typed, written) in [("\u{4}", "\n"), ("half a message\u{4}\u{4}", unfinished)] {
        let mut talk = Talk::start(&server);
        talk.bench.send(typed);
        assert_eq!(talk.bench.ended(), 0);
        assert_written(&String::from_utf8(talk.bench.bytes.clone()).unwrap(), &format!("{greeting}{written}"));
    }
    assert!(server.asked("POST").is_empty());
}

/// Starts a session in pipes, with this on its standard input.
fn session(home: &Home, server: &Server, input: &[u8]) -> Running {
    let mut child = home.command(&["--plain", "--base-url", &server.url, "--model", "auto"]).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    Running(child)
}

#[test]
fn ctrl_c_stops_an_answer_and_a_signal_the_session() {
    for (signal, status) in [(Signal::INT, 0), (Signal::TERM, 130), (Signal::HUP, 130)] {
        let (home, server) = (Home::new(), Server::start());
        let mut running = session(&home, &server, b"Hello\n/shout\n");
        let mut asked = server.asked();
        asked.open();
        asked.token("so far\n");
        running.read_until("so far\n");
        running.signal(signal);
        asked.left();
        let ran = running.end();
        assert_eq!((ran.status, ran.errors.contains("/shout")), (status, status == 0), "{ran:?}");
        assert!(ran.out.contains("Stopped.\n"), "{ran:?}");
    }
}

#[test]
fn a_message_without_its_end_is_sent_and_one_that_is_no_text_is_named() {
    let (home, server) = (Home::new(), Server::start());
    let running = session(&home, &server, b"n\xff\nthe end is missing \\");
    let mut asked = server.asked();
    assert_eq!(asked.last(), ("user", "the end is missing"));
    asked.open();
    asked.token("ok");
    asked.finish();
    let ran = running.end();
    let errors = "benchtop: not sent: the message is not UTF-8 (at byte 1): convert it first\n";
    assert_eq!((ran.status, ran.errors.as_str()), (0, errors));
    assert!(ran.out.ends_with("\nok\n"), "{ran:?}");
}

#[test]
fn advice_at_a_limit_of_tokens_can_be_followed_in_a_session() {
    let (home, server) = (Home::new(), Server::start());
    let running = session(&home, &server, b"Hello\n/complete Once\n");
    server.asked().deltas(&[json!({"content": "par"})], "length");
    let choice = json!({"text": " upon", "index": 0, "logprobs": null, "finish_reason": "length"});
    let whole =
        json!({"id": "cmpl-1", "object": "text_completion", "created": 1, "model": "auto", "choices": [choice]});
    server.asked().refuse("200 OK", "", &whole.to_string());
    let errors = "benchtop: the answer ended at its limit of tokens: a message such as \"go on\" continues it\n\
                  benchtop: the completion ended at its limit of tokens\n";
    assert_eq!(running.end().errors, errors);
}

#[test]
fn a_message_that_the_disk_does_not_take_is_kept_unsent_and_the_next_one_goes_beside_it() {
    let (home, server) = (Home::new(), Server::start());
    let mut child = home.command(&["--plain", "--base-url", &server.url, "--model", "auto"]).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut running = Running(child);
    input.write_all(b"one\n").unwrap();
    let mut asked = server.asked();
    asked.open();
    asked.token("ok\n");
    asked.finish();
    running.read_until("ok\n");
    // Nothing can be stored meanwhile.
    let other = rusqlite::Connection::open(home.data().join("benchtop.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    input.write_all(b"two\n").unwrap();
    let mut said = String::new();
    BufReader::new(running.0.stderr.as_mut().unwrap()).read_line(&mut said).unwrap();
    assert!(said.starts_with("benchtop: not sent: the message could not be saved yet: "), "{said}");
    let kept = "; benchtop keeps it as a message without an answer, and the next one does not follow it; type it \
                again to send it\n";
    assert!(said.ends_with(kept), "{said}");
    assert!(server.poll().is_none(), "nothing was sent");
    other.execute_batch("ROLLBACK").unwrap();
    // Until the store has tried again by itself, it refuses what follows as well.
    let is_kept = || other.query_row("SELECT count(*) FROM turns WHERE content = 'two'", [], |row| row.get(0)) == Ok(1);
    let end = Instant::now() + LIMIT;
    while !is_kept() {
        assert!(Instant::now() < end, "never kept");
        std::thread::sleep(Duration::from_millis(10));
    }
    // What is typed next goes on with the conversation that is there.
    input.write_all(b"three\n").unwrap();
    let mut asked = server.asked();
    assert_eq!(asked.last(), ("user", "three"));
    let before: Vec<&str> =
        asked.body["messages"].as_array().unwrap().iter().map(|message| message["content"].as_str().unwrap()).collect();
    assert_eq!(before, ["one", "ok\n", "three"], "the model is not told what was not sent");
    let beside = "SELECT count(*), count(DISTINCT parent) FROM turns WHERE content IN ('two', 'three')";
    let beside: (u32, u32) = other.query_row(beside, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    assert_eq!(beside, (2, 1), "both are versions of one message");
    asked.open();
    asked.finish();
    drop(input);
    assert_eq!(running.end().status, 0);
}
