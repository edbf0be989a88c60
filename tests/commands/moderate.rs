//! `benchtop moderate`.

use std::fs::OpenOptions;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::time::Duration;

use benchtop::record::{Check, Query, Record, Rows, TextKey};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::common::kept::read_store;
use crate::common::{Bench, LIMIT, Setup};
use crate::text_server::{TextServer, checked, refused, texts};
use crate::{Home, Ran, Running};

/// Starts a server that checks texts; one with `broken` in it is refused.
fn server() -> TextServer {
    TextServer::start(&["gpt-4o", "omni-moderation-latest"], |_, body| {
        let is_broken = texts(body).iter().any(|text| text.contains("broken"));
        if is_broken { refused("400 Bad Request", "a text cannot be read") } else { checked(body) }
    })
}

/// Returns the flags that name a server.
fn at<'a>(server: &'a TextServer, args: &[&'a str]) -> Vec<&'a str> {
    [&["moderate"], args, &["--base-url", &server.url, "--model", "guard"]].concat()
}

fn ran(status: i32, out: &str, errors: &str) -> Ran {
    Ran { status, out: out.to_owned(), errors: errors.to_owned() }
}

/// Returns the checks of a text that are stored.
fn checks(home: &Home, text: &str) -> Vec<Check> {
    let key = TextKey::of(&text.into());
    read_store(&home.data(), |ask| match ask(Query::Checks(vec![key])) {
        Rows::Checks(checks) => checks,
        other => panic!("{other:?}"),
    })
}

fn lines(out: &str) -> Vec<Value> {
    crate::schema::lines("moderated_text", out)
}

#[test]
fn each_argument_is_a_text_and_its_check_is_kept() {
    let (home, server) = (Home::new(), server());
    let end = home.run(&at(&server, &["fine", "very\n\tbad \u{1b}[31m"]));
    assert_eq!(end, ran(0, "ok\tviolence 0.01\tfine\nflagged\tviolence 0.90\tvery␊␉bad \u{1b}[31m\n", ""));
    assert_eq!(server.bodies(), [json!({ "input": ["fine", "very\n\tbad \u{1b}[31m"], "model": "guard" })]);
    let kept = checks(&home, "fine");
    assert_eq!((kept.len(), kept[0].flagged, kept[0].asked.raw(), kept[0].model.raw()), (1, false, "guard", "guard-1"));
    let spent = read_store(&home.data(), |ask| ask(Query::Spent { profile: kept[0].profile.clone(), since_ms: 0 }));
    assert!(matches!(spent, Rows::Spent(Some(_))), "{spent:?}");
}

#[test]
fn nothing_is_kept_where_nothing_is_to_be_saved() {
    let (home, server) = (Home::new(), server());
    assert_eq!(home.run(&at(&server, &["fine", "--no-save"])), ran(0, "ok\tviolence 0.01\tfine\n", ""));
    assert!(!home.data().join("benchtop.db").exists() || checks(&home, "fine").is_empty());
}

#[test]
fn that_nothing_can_be_saved_is_said_where_something_is_to_be() {
    let (home, server) = (Home::new(), server());
    std::fs::create_dir_all(home.data().join("benchtop.db")).unwrap();
    let checked = "ok\tviolence 0.01\tfine\n";
    assert_eq!(home.run(&at(&server, &["fine", "--no-save"])), ran(0, checked, ""));
    let models = home.run(&["models", "--base-url", &server.url]);
    assert_eq!(models, ran(0, "gpt-4o\nomni-moderation-latest\n", ""));
    let end = home.run(&at(&server, &["fine"]));
    assert_eq!((end.status, end.out.as_str()), (0, checked), "{end:?}");
    assert!(end.errors.starts_with("benchtop: nothing can be saved: "), "{end:?}");
}

#[test]
fn standard_input_has_one_text_a_line_unless_it_is_said_otherwise() {
    let (home, server) = (Home::new(), server());
    let empty = "benchtop: 1 left out: no text (line 2)\n";
    for (args, input, sent, errors) in [
        (&[][..], "one\n\n{\"text\":\"two\"}\r\nthree", &["one", "{\"text\":\"two\"}", "three"][..], empty),
        (&["before", "-", "after"], "one\ntwo\n", &["before", "one", "two", "after"], ""),
        (&["--whole"], "one\ntwo\n", &["one\ntwo"], ""),
        (&["--form", "jsonl"], "{\"text\":\"one\"}\n{\"text\":\"two\"}\n", &["one", "two"], ""),
        (&["--column", "b"], "{\"a\":\"x\",\"b\":\"one\"}\n{\"a\":\"y\",\"b\":\"two\"}\n", &["one", "two"], ""),
        (&["--form", "csv", "--column", "b"], "a,b\nx,\"one,\n1\"\ny,two\n", &["one,\n1", "two"], ""),
        (&["--column", "text"], "text\none, 1\ntwo\n", &["one, 1", "two"], ""),
        (&["--column", "text"], "id\ttext\n1\tone\n", &["one"], ""),
        (&["--form", "tsv"], "text\tlabel\none\tx\ntwo\ty\n", &["one", "two"], ""),
    ] {
        let before = server.texts().len();
        let end = home.start(&at(&server, args), input).end();
        assert_eq!((end.status, end.errors.as_str()), (0, errors), "{args:?}");
        let mut texts = server.texts().split_off(before);
        texts.sort();
        let mut sent = sent.to_vec();
        sent.sort_unstable();
        assert_eq!(texts, sent, "{args:?}");
        assert_eq!(end.out.lines().count(), sent.len(), "a line for each text: {}", end.out);
    }
}

#[test]
fn the_form_of_a_file_is_guessed() {
    let (home, server) = (Home::new(), server());
    for (name, content) in [
        ("a.txt", "one\ntwo\n"),
        ("a.jsonl", "{\"text\":\"one\"}\n{\"text\":\"two\"}\n"),
        ("a.csv", "label,text\nx,one\ny,two\n"),
    ] {
        std::fs::write(home.path().join(name), content).unwrap();
        let end = home.run(&at(&server, &["--file", name]));
        assert_eq!(end, ran(0, "ok\tviolence 0.01\tone\nok\tviolence 0.01\ttwo\n", ""), "{name}");
    }
    let end = home.run(&at(&server, &["--file", "a.csv", "--column", "body"]));
    assert_eq!(end, ran(2, "", "benchtop: a.csv has no column “body”; it has label, text\n"));
    // With a column named a file is no lines, whatever it looks like.
    let end = home.run(&at(&server, &["--file", "a.txt", "--column", "text"]));
    let errors =
        "benchtop: a.txt has no column “text”; it has one; it was read as a table: --form names another form\n";
    assert_eq!(end, ran(2, "", errors));
    std::fs::write(home.path().join("c.txt"), "id,text\n1,one\n2\n").unwrap();
    let end = home.run(&at(&server, &["--file", "c.txt", "--column", "text"]));
    assert_eq!((end.status, end.out.as_str()), (2, "ok\tviolence 0.01\tone\n"), "{end:?}");
    assert!(end.errors.starts_with("benchtop: 1 left out: ") && end.errors.contains("line 3"), "{end:?}");
    std::fs::write(home.path().join("b.csv"), "text\none\n\"never closed\n").unwrap();
    let end = home.run(&at(&server, &["--file", "b.csv"]));
    let errors = "benchtop: 1 left out: a quote is not closed before the end of the file (line 3)\n";
    assert_eq!(end, ran(2, "ok\tviolence 0.01\tone\n", errors), "what could be read is checked");
}

#[test]
fn a_row_that_cannot_be_read_changes_the_status_and_one_without_a_text_does_not() {
    let (home, server) = (Home::new(), server());
    let checked = "ok\tviolence 0.01\tone\nflagged\tviolence 0.90\tbad\n";
    for (form, content, status) in [
        ("jsonl", "{\"text\":\"one\"}\n{\"text\":\n{\"text\":\"bad\"}\n", 2),
        ("csv", "label,text\nx,one\ny,\nz,bad\n", 1),
    ] {
        std::fs::write(home.path().join("a"), content).unwrap();
        let end = home.run(&at(&server, &["--file", "a", "--form", form, "--fail-flagged"]));
        assert_eq!((end.status, end.out.as_str()), (status, checked), "{end:?}");
        assert!(end.errors.starts_with("benchtop: 1 left out: ") && end.errors.lines().count() == 1, "{end:?}");
    }
}

#[test]
fn json_has_a_line_for_each_text() {
    let (home, server) = (Home::new(), server());
    let end = home.run(&at(&server, &["fine", "bad\u{1b}", "--json"]));
    let line = |index: u32, flagged: bool, score: f64, text: &str| {
        let categories = if flagged { vec!["violence"] } else { Vec::new() };
        json!({
            "version": 1, "index": index, "flagged": flagged, "categories": categories,
            "scores": { "hate": null, "violence": score }, "model": "guard-1", "text": text,
        })
    };
    assert_eq!((end.status, end.errors.as_str()), (0, ""));
    assert_eq!(lines(&end.out), [line(0, false, 0.01, "fine"), line(1, true, 0.9, "bad\u{1b}")]);
}

#[test]
fn a_threshold_and_flagged_texts_change_the_status_only_where_that_is_asked_for() {
    let (home, server) = (Home::new(), server());
    for (args, status, flagged) in [
        (&["bad"][..], 0, true),
        (&["bad", "--fail-flagged"], 1, true),
        (&["fine", "--fail-flagged"], 0, false),
        (&["bad", "--fail-flagged", "--threshold", "0.95"], 0, false),
        (&["bad", "--fail-flagged", "--threshold", "0.9"], 1, true),
        (&["fine", "--fail-flagged", "--threshold", "0.01"], 1, true),
    ] {
        let end = home.run(&at(&server, args));
        assert_eq!((end.status, end.out.starts_with("flagged\t")), (status, flagged), "{args:?}: {end:?}");
    }
}

#[test]
fn a_text_that_fails_is_named_and_the_others_are_checked() {
    let (home, server) = (Home::new(), server());
    let end = home.run(&at(&server, &["fine", "broken", "bad", "--json", "--fail-flagged"]));
    let indices: Vec<_> = lines(&end.out).iter().map(|line| line["index"].clone()).collect();
    assert_eq!((end.status, indices), (5, vec![json!(0), json!(2)]), "{end:?}");
    assert!(end.errors.starts_with("benchtop: index 1: ") && end.errors.lines().count() == 1, "{end:?}");
    assert!(end.errors.contains("a text cannot be read"), "{end:?}");
}

/// Starts a server that checks texts; for a request that has one with `broken` in it, it answers so.
fn failing(status: &'static str) -> TextServer {
    TextServer::start(&[], move |_, body| {
        let is_broken = texts(body).iter().any(|text| text.contains("broken"));
        if is_broken { refused(status, "no") } else { checked(body) }
    })
}

#[test]
fn a_text_that_the_server_fails_at_is_named_and_the_others_are_checked() {
    let (home, server) = (Home::new(), failing("500 Internal Server Error"));
    let end = home.run(&at(&server, &["fine", "broken", "bad"]));
    let out = "ok\tviolence 0.01\tfine\nflagged\tviolence 0.90\tbad\n";
    assert_eq!((end.status, end.out.as_str()), (6, out), "{end:?}");
    assert!(end.errors.lines().any(|line| line.starts_with("benchtop: index 1: ")), "{end:?}");
}

#[test]
fn what_was_answered_is_printed_where_a_failure_ends_the_command() {
    let (home, server) = (Home::new(), failing("401 Unauthorized"));
    let many = (0..40).map(|n| if n == 20 { "broken\n".to_owned() } else { format!("text {n}\n") });
    let end = home.start(&at(&server, &[]), &many.collect::<String>()).end();
    assert_eq!((end.status, end.out.lines().count()), (4, 24), "{end:?}");
    assert!(end.out.ends_with("\ttext 39\n"), "{end:?}");
    let said = "benchtop: stopped after 24 texts, 16 have no result, the first is index 16: ";
    assert!(end.errors.starts_with(said) && end.errors.lines().count() == 1, "{end:?}");
}

#[test]
fn what_concerns_every_text_ends_the_command() {
    let home = Home::new();
    for (status, code) in [("401 Unauthorized", 4), ("404 Not Found", 5)] {
        let server = TextServer::start(&[], move |_, _| refused(status, "no"));
        let many = (0..500).map(|n| format!("text {n}\n")).collect::<Vec<_>>().concat();
        let end = home.start(&at(&server, &[]), &many).end();
        assert_eq!((end.status, end.out.as_str()), (code, ""), "{end:?}");
        assert_eq!(end.errors.lines().count(), 1, "{end:?}");
        assert!(server.bodies().len() <= 8, "the rest was not sent");
    }
    let nobody = home.run(&["moderate", "a", "--base-url", "http://127.0.0.1:1/v1", "--model", "auto"]);
    assert_eq!((nobody.status, nobody.out.as_str()), (6, ""), "{nobody:?}");
    let server = server();
    for wrong in [
        &["--file", "nowhere.txt"][..],
        &["--file", "a.txt", "a text"],
        &["a", "--threshold", "2"],
        &["a", "--threshold", "high"],
        &[""],
        &["-", "-"],
        &["a", "--form", "xml"],
        &["a", "--form", "csv"],
        &["a", "--column", "text"],
        &["--column", "text", "--form", "lines"],
        &["a", "--whole"],
        &["--whole"],
        &[],
    ] {
        let end = home.run(&at(&server, wrong));
        assert_eq!((end.status, end.out.as_str()), (2, ""), "{wrong:?}: {end:?}");
        assert!(!end.errors.is_empty());
    }
    assert!(server.bodies().is_empty(), "nothing was sent");
}

#[test]
fn the_model_is_the_tabs_where_none_is_named() {
    let (home, server) = (Home::new(), server());
    let args = ["moderate", "fine", "--base-url", &server.url];
    assert_eq!(home.run(&args).status, 0);
    assert_eq!(server.bodies()[0]["model"], "omni-moderation-latest", "the first of the list that moderates");
    let profile = checks(&home, "fine")[0].profile.clone();
    write(&home, "moderate.view", &json!({ "models": { profile: ["my-guard"] } }));
    assert_eq!(home.run(&args).status, 0);
    assert_eq!(server.bodies()[1]["model"], "my-guard", "the one that was chosen in the tab");
    // What a profile chats with is of no use.
    home.config(&format!("profile = \"a\"\n[profiles.a]\nbase_url = \"{}\"\nmodel = \"gpt-4o\"\n", server.url));
    assert_eq!(home.run(&["moderate", "fine"]).status, 0);
    assert_eq!(server.bodies()[2]["model"], "omni-moderation-latest");
    let without = TextServer::start(&["gpt-4o"], |_, body| checked(body));
    assert_eq!(Home::new().run(&["moderate", "fine", "--base-url", &without.url]).status, 0);
    assert_eq!(without.bodies()[0].get("model"), None, "the server's own choice");
}

/// Stores a setting.
fn write(home: &Home, name: &str, value: &Value) {
    use benchtop::api::call::Ticket;
    use benchtop::record::Stored;
    let (send, answers) = std::sync::mpsc::channel();
    let path = home.data().join("benchtop.db");
    let store = benchtop::store::Store::open(&path, move |_, stored| send.send(stored).unwrap()).unwrap();
    store.save(Ticket(1), Record::Setting(name.to_owned(), value.to_string().into()));
    assert_eq!(answers.recv_timeout(crate::common::LIMIT).unwrap(), Stored::Committed);
    assert!(store.close());
}

#[test]
fn a_server_that_takes_one_text_a_request_is_known_to_do_so_the_next_time() {
    let (home, server) = (
        Home::new(),
        TextServer::start(&[], |_, body| {
            let first = json!({ "input": texts(body)[0] });
            checked(&first)
        }),
    );
    let input = "one\ntwo\nthree\nfour\n";
    let out = "ok\tviolence 0.01\tone\nok\tviolence 0.01\ttwo\nok\tviolence 0.01\tthree\nok\tviolence 0.01\tfour\n";
    let errors = "benchtop: this server answered 4 texts with 1 result: each text is sent in its own request\n";
    assert_eq!(home.start(&at(&server, &[]), input).end(), ran(0, out, errors));
    assert_eq!(server.bodies().len(), 5);
    assert_eq!(home.start(&at(&server, &[]), input).end(), ran(0, out, ""));
    assert_eq!(server.bodies().len(), 9);
}

/// A gate that requests wait at.
#[derive(Clone, Default)]
struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    fn wait(&self) {
        let limit = crate::common::LIMIT;
        let open = self.0.0.lock().unwrap();
        drop(self.0.1.wait_timeout_while(open, limit, |open| !*open).unwrap());
    }

    fn open(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }
}

#[test]
fn results_come_in_the_order_of_the_texts_whichever_answer_is_first() {
    let gate = Gate::default();
    let (first, answered) = (gate.clone(), AtomicUsize::new(0));
    let server = TextServer::start(&[], move |_, body| {
        if texts(body).iter().any(|text| text == "text 0") {
            first.wait();
        } else if answered.fetch_add(1, Ordering::SeqCst) == 60 {
            first.open();
        }
        checked(body)
    });
    let home = Home::new();
    let texts: Vec<String> = (0..2_000).map(|n| format!("text {n}")).collect();
    let end = home.start(&at(&server, &["--json"]), &texts.join("\n")).end();
    assert_eq!((end.status, end.errors.as_str()), (0, ""));
    let said: Vec<_> = lines(&end.out).iter().map(|line| (line["index"].clone(), line["text"].clone())).collect();
    let expected: Vec<_> = texts.iter().enumerate().map(|(at, text)| (json!(at), json!(text))).collect();
    assert_eq!(said, expected);
}

#[test]
#[cfg(target_os = "linux")]
fn memory_does_not_grow_with_the_number_of_texts() {
    // The last text is held back until what the process takes is known.
    let most = |count: usize| -> u64 {
        let (gate, arrived) = (Gate::default(), Gate::default());
        let (held, came) = (gate.clone(), arrived.clone());
        let server = TextServer::start(&[], move |_, body| {
            if texts(body).iter().any(|text| text.starts_with("last")) {
                came.open();
                held.wait();
            }
            checked(body)
        });
        let home = Home::new();
        let text = "some words ".repeat(90);
        let mut file = (0..count).map(|n| format!("{n} {text}\n")).collect::<Vec<_>>().concat();
        file.push_str("last\n");
        std::fs::write(home.path().join("a.txt"), file).unwrap();
        let running = home.start(&at(&server, &["--file", "a.txt", "--no-save"]), "");
        let pid = running.pid();
        let reader = std::thread::spawn(move || running.end());
        arrived.wait();
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        gate.open();
        assert_eq!(reader.join().unwrap().out.lines().count(), count + 1);
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    let (few, many) = (most(3_000), most(30_000));
    assert!(many < few + 12_000, "{few} KiB for 3 MB of text, {many} KiB for 30 MB");
}

#[test]
fn ctrl_c_prints_and_keeps_what_came_also_after_a_text_without_a_result() {
    let (gate, arrived) = (Gate::default(), Gate::default());
    let (held, came, answered) = (gate.clone(), arrived.clone(), AtomicUsize::new(0));
    let server = TextServer::start(&[], move |_, body| {
        if texts(body).iter().any(|text| text == "text 16") {
            held.wait();
        } else if answered.fetch_add(1, Ordering::SeqCst) == 60 {
            // Only so many requests are under way at a time: most of these were answered.
            came.open();
        }
        checked(body)
    });
    let home = Home::new();
    let texts: Vec<String> = (0..2_000).map(|n| format!("text {n}")).collect();
    let mut running = home.start(&at(&server, &[]), &texts.join("\n"));
    let read = running.read_until("text 15\n");
    arrived.wait();
    running.signal(Signal::INT);
    let end = running.end();
    gate.open();
    let out = read + &end.out;
    let printed: Vec<&str> = out.lines().map(|line| line.rsplit_once('\t').unwrap().1).collect();
    assert!(printed.len() > 16 && printed[..16] == texts[..16], "{out}");
    assert!(!printed.contains(&"text 16"), "{out}");
    let (came, missing) = (printed.len(), texts.len() - printed.len());
    let said = format!("benchtop: stopped after {came} texts {missing} have no result the first is index 16\n");
    assert_eq!((end.status, end.errors.replace(',', "")), (130, said));
    assert_eq!(checks(&home, printed.last().unwrap()).len(), 1);
}

#[test]
fn the_line_of_progress_is_removed_after_ctrl_c() {
    let server = TextServer::start(&[], |_, body| {
        // The line is shown when a run has lasted for a moment.
        std::thread::sleep(Duration::from_millis(20));
        checked(body)
    });
    let home = tempfile::tempdir().unwrap();
    let texts: Vec<String> = (0..50_000).map(|n| format!("text {n}\n")).collect();
    std::fs::write(home.path().join("a.txt"), texts.concat()).unwrap();
    let args = at(&server, &["--file", "a.txt", "--no-save"]);
    let through = ["sh", "-c", "exec \"$0\" \"$@\" > out"];
    let mut bench = Bench::with(Setup { args: &args, through: &through, home: Some(home), ..Setup::default() });
    bench.wait(" of 50,000 texts");
    // The terminal writes `^C` behind it.
    bench.send("\x03");
    bench.wait("benchtop: stopped after ");
    assert_eq!(bench.ended(), 130);
    let text = bench.text();
    assert!(!text.contains(" of 50,000 texts"), "{text}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_signal_that_was_ignored_at_the_start_does_not_stop_a_command() {
    let (gate, arrived) = (Gate::default(), Gate::default());
    let (held, came) = (gate.clone(), arrived.clone());
    let server = TextServer::start(&[], move |_, body| {
        came.open();
        held.wait();
        checked(body)
    });
    let home = Home::new();
    let through = format!("trap '' INT HUP; exec {} \"$@\"", env!("CARGO_BIN_EXE_benchtop"));
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &through, "sh"]).args(at(&server, &["fine", "--no-save"])).arg("--data-dir").arg(home.data());
    command.env_clear().env("HOME", home.path()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let running = Running(command.spawn().unwrap());
    arrived.wait();
    running.signal(Signal::INT);
    running.signal(Signal::HUP);
    gate.open();
    assert_eq!(running.end(), ran(0, "ok\tviolence 0.01\tfine\n", ""));
}

#[test]
fn a_signal_ends_a_command_that_still_reads_standard_input() {
    let home = Home::new();
    for (command, signal) in [("moderate", Signal::TERM), ("chat", Signal::HUP), ("complete", Signal::INT)] {
        let mut child = home.command(&[command, "--local"]).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        // A pipe does not hold so much: the command reads when all is written.
        std::io::Write::write_all(&mut input, &vec![b'a'; 2 << 20]).unwrap();
        let running = Running(child);
        running.signal(signal);
        assert_eq!(running.end(), ran(130, "", ""), "{command}");
    }
}

#[test]
fn a_file_that_is_changed_during_the_run_is_named() {
    let (gate, arrived) = (Gate::default(), Gate::default());
    let (held, came) = (gate.clone(), arrived.clone());
    let server = TextServer::start(&[], move |_, body| {
        if texts(body).iter().any(|text| text == "text 0") {
            came.open();
            held.wait();
        }
        checked(body)
    });
    let home = Home::new();
    // Only some of them are read before the first one has a result.
    let texts: Vec<String> = (0..5_000).map(|n| format!("text {n}\n")).collect();
    let path = home.path().join("a.txt");
    std::fs::write(&path, texts.concat()).unwrap();
    let running = home.start(&at(&server, &["--file", "a.txt", "--no-save"]), "");
    arrived.wait();
    let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
    std::io::Write::write_all(&mut file, b"one more\n").unwrap();
    gate.open();
    let end = running.end();
    assert_eq!((end.status, end.errors.as_str()), (2, "benchtop: the file was changed while it was read\n"));
}

#[test]
fn a_pipe_is_read_as_a_file_is_and_waiting_for_one_can_be_ended() {
    let (home, server) = (Home::new(), server());
    let pipe = home.path().join("texts.csv");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let to = pipe.clone();
    let writer = std::thread::spawn(move || std::fs::write(to, "label,text\nx,one\ny,bad\n"));
    let end = home.run(&at(&server, &["--file", "texts.csv", "--column", "text"]));
    assert_eq!(end, ran(0, "ok\tviolence 0.01\tone\nflagged\tviolence 0.90\tbad\n", ""));
    writer.join().unwrap().unwrap();

    let (open, opened) = mpsc::channel();
    std::thread::spawn(move || open.send(OpenOptions::new().write(true).open(pipe)));
    let running = home.start(&at(&server, &["--file", "texts.csv"]), "");
    // It is open at both ends now, and nothing comes.
    let held = opened.recv_timeout(LIMIT).unwrap().unwrap();
    running.signal(Signal::INT);
    assert_eq!(running.end(), ran(130, "", ""));
    drop(held);
}

#[test]
fn it_stands_in_a_pipeline() {
    let (home, server) = (Home::new(), server());
    let benchtop = format!(
        "{} moderate --base-url {} --model guard --data-dir {}",
        env!("CARGO_BIN_EXE_benchtop"),
        server.url,
        home.data().display()
    );
    let shell = |line: &str| {
        let mut command = Command::new("sh");
        command.env_clear().env("HOME", home.path()).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.current_dir(home.path());
        let end = command.arg("-c").arg(line.replace("BENCHTOP", &benchtop)).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ran { status: end.status.code().unwrap(), out: text(end.stdout), errors: text(end.stderr) }
    };
    let flagged = shell("printf 'good\\nbad 1\\nbad 2\\n' | BENCHTOP | grep ^flagged | cut -f 3");
    assert_eq!(flagged, ran(0, "bad 1\nbad 2\n", ""));
    // A reader that goes ends it quietly.
    let first = shell("(seq 1 5000 | BENCHTOP --no-save; echo $? > status) | head -n 1; cat status");
    assert_eq!(first, ran(0, "ok\tviolence 0.01\t1\n0\n", ""));
    assert!(server.texts().len() < 5_000, "the rest was not sent");
    let decided = shell("printf 'good\\n' | BENCHTOP --fail-flagged > /dev/null && echo published");
    assert_eq!(decided, ran(0, "published\n", ""));
}

#[test]
fn without_a_server_the_local_service_checks() {
    let home = Home::new();
    let end = home.run(&["moderate", "I will kill you", "good morning", "--json"]);
    assert_eq!((end.status, end.errors.as_str()), (0, ""), "{end:?}");
    let flagged: Vec<_> = lines(&end.out).iter().map(|line| line["flagged"].clone()).collect();
    assert_eq!(flagged, [json!(true), json!(false)], "{}", end.out);
}
