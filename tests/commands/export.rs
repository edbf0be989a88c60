//! `benchtop export`.

use jiff::{SignedDuration, Timestamp};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::common::kept::kept;
use crate::common::server::Server;
use crate::common::{Bench, Setup};
use crate::schema::{assert_fits, lines};
use crate::{Home, Ran};

/// Sends a message and gets this answer. Returns the id of the conversation.
fn talk(home: &Home, server: &Server, args: &[&str], answer: &str) -> String {
    let args = [&["chat", "--json", "--base-url", &server.url, "--model", "auto"], args].concat();
    let running = home.start(&args, "");
    let mut asked = server.asked();
    asked.open();
    asked.token(answer);
    asked.finish();
    let ran = running.end();
    assert_eq!(ran.status, 0, "{ran:?}");
    let json = lines("chat", &ran.out).remove(0);
    json["conversation"].as_str().unwrap().to_owned()
}

fn markdown(title: &str, system: &str, turns: &[(&str, &str)], changed: &str) -> String {
    let mut text = format!("# {title}\n\n*{changed} · env · auto*\n");
    if !system.is_empty() {
        text.extend([format!("\n## System\n\n{system}\n")]);
    }
    for (heading, said) in turns {
        text.extend([format!("\n## {heading}\n\n{said}\n")]);
    }
    text
}

/// Returns when a conversation was changed, as it is printed.
fn changed(home: &Home, id: &str) -> String {
    let all = home.run(&["export", "--list", "--json"]).out;
    let one = lines("listed_conversation", &all).into_iter().find(|one| one["id"] == id).unwrap();
    one["changed"].as_str().unwrap().to_owned()
}

#[test]
fn conversations_are_listed_the_one_changed_last_first() {
    let (home, server) = (Home::new(), Server::start());
    assert_eq!(home.run(&["export", "--list"]), Ran { status: 0, out: String::new(), errors: String::new() });
    let rivers = talk(&home, &server, &["Which\trivers?"], "The Elbe");
    let towns = talk(&home, &server, &["Which towns?"], "Bonn");
    let ran = home.run(&["export", "--list"]);
    assert_eq!((ran.status, ran.errors.as_str()), (0, ""));
    let rows: Vec<Vec<&str>> = ran.out.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), [&towns, &rivers]);
    assert_eq!((rows[0].len(), rows[0][2], rows[0][3]), (4, "2", "Which towns?"));
    assert!(rows.iter().all(|row| row.len() == 4), "a tab in a title is no column: {rows:?}");
    let json = home.run(&["export", "--list", "--json"]).out;
    let first = lines("listed_conversation", &json).remove(0);
    assert_eq!(first["changed"], rows[0][1], "the schema has the form of a time");
    assert_eq!((&first["version"], &first["id"], &first["turns"]), (&json!(1), &json!(towns), &json!(2)));
    assert_eq!(
        (&first["title"], &first["profile"], &first["model"]),
        (&json!("Which towns?"), &json!("env"), &json!("auto"))
    );
}

#[test]
fn a_store_that_cannot_be_read_is_no_empty_one() {
    let (home, server) = (Home::new(), Server::start());
    // As little can be read of it as of a file of another user.
    std::fs::create_dir_all(home.data().join("benchtop.db")).unwrap();
    let continued = ["chat", "--continue", "And?", "--base-url", &server.url, "--model", "auto"];
    for args in [
        &["export", "--all"][..],
        &["export", "--all", "--format", "json"],
        &["export", "--all", "--output", "out/"],
        &["export", "--list"],
        &["export", "7"],
        &continued,
    ] {
        let ran = home.run(args);
        assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{args:?}: {ran:?}");
        assert!(ran.errors.starts_with("benchtop: the store cannot be read: "), "{args:?}: {ran:?}");
        assert_eq!(ran.errors.lines().count(), 1, "{args:?}: {ran:?}");
    }
}

#[test]
fn a_time_is_in_utc_in_a_pipe_and_local_on_a_terminal() {
    let (home, server) = (Home::new(), Server::start());
    talk(&home, &server, &["Hello"], "Hi");
    let ran = home.command(&["export", "--list"]).env("TZ", "EAST-3").output().unwrap();
    let line = String::from_utf8(ran.stdout).unwrap();
    let changed: Timestamp = line.split('\t').nth(1).unwrap().parse().unwrap();
    let local = (changed + SignedDuration::from_hours(3)).strftime("%Y-%m-%d %H:%M").to_string();
    let data = home.data().display().to_string();
    let args = ["export", "--list", "--data-dir", &data];
    let mut bench = Bench::with(Setup { args: &args, env: &[("TZ", "EAST-3")], ..Setup::default() });
    bench.wait(&format!("  {local}  "));
    assert_eq!(bench.ended(), 0);
}

#[test]
fn a_conversation_is_printed_as_markdown_and_json() {
    let (home, server) = (Home::new(), Server::start());
    let id = talk(&home, &server, &["Which?", "--system", "Be short."], "The \u{1b}[31mElbe\u{202e}");
    talk(&home, &server, &["And?", "--conversation", &id], "The Oder\n");
    let answer = "The \u{1b}[31mElbe\u{202e}";
    let turns = [("User", "Which?"), ("Assistant · auto", answer), ("User", "And?"), ("Assistant · auto", "The Oder")];
    let out = markdown("Which?", "Be short.", &turns, &changed(&home, &id));
    assert_eq!(home.run(&["export", &id]), Ran { status: 0, out, errors: String::new() });
    let ran = home.run(&["export", &id, "--format", "json"]);
    let json: Value = serde_json::from_str(&ran.out).unwrap();
    assert_fits("export", &json);
    let of = &json["conversations"][0];
    assert_eq!((&json["version"], &of["id"], &of["system"]), (&json!(1), &json!(id), &json!("Be short.")));
    let turns = of["turns"].as_array().unwrap();
    assert_eq!((turns.len(), of["branch"].as_array().unwrap().len()), (4, 4));
    assert_eq!((&turns[1]["content"], &turns[1]["parent"]), (&json!(answer), &turns[0]["id"]));
    assert_eq!((&turns[1]["status"], &turns[1]["model"]), (&json!("done"), &json!("auto")));
    let line = lines("exported_line", &home.run(&["export", "--all", "--format", "jsonl"]).out).remove(0);
    assert_eq!((&line["version"], &line["turns"]), (&json!(1), &of["turns"]));
}

#[test]
fn files_are_never_written_over() {
    let (home, server) = (Home::new(), Server::start());
    let rivers = talk(&home, &server, &["Rivers/towns: which?"], "The Elbe");
    talk(&home, &server, &["Towns"], "Bonn");
    let at = |path: &str| home.path().join(path);
    for name in ["all.json", "all (2).json"] {
        let ran = home.run(&["export", "--all", "--output", "all.json"]);
        assert_eq!(ran, Ran { status: 0, out: format!("{}\n", at(name).display()), errors: String::new() });
        let json: Value = serde_json::from_str(&std::fs::read_to_string(at(name)).unwrap()).unwrap();
        assert_eq!(json["conversations"].as_array().unwrap().len(), 2);
    }
    let ran = home.run(&["export", "--all", "--output", "backup/"]);
    assert_eq!((ran.status, ran.out.lines().count()), (0, 2), "{ran:?}");
    let name = format!("backup/Rivers_towns_ which_ {rivers}.md");
    let text = std::fs::read_to_string(at(&name)).unwrap();
    assert!(text.starts_with("# Rivers/towns: which?\n") && text.ends_with("\nThe Elbe\n"), "{text}");
    let ran = home.run(&["export", &rivers, "--output", "gone/x.md"]);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""));
    assert!(ran.errors.contains("the folder of gone/x.md does not exist"), "{}", ran.errors);
    let ran = home.run(&["export", &rivers, "--output", "~/"]);
    assert_eq!(
        ran,
        Ran {
            status: 0,
            out: format!("{}\n", at(&format!("~/Rivers_towns_ which_ {rivers}.md")).display()),
            errors: String::new()
        },
        "~ is a name as any other: it is the shell's to replace"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn what_cannot_be_written_has_a_status_of_its_own() {
    let (home, server) = (Home::new(), Server::start());
    let id = talk(&home, &server, &["Hello"], "Hi");
    for args in [&["export", &id, "--output", "/proc/x.md"][..], &["export", "--all", "--output", "/proc/"]] {
        let ran = home.run(args);
        assert_eq!((ran.status, ran.out.as_str()), (7, ""), "{ran:?}");
        assert!(ran.errors.starts_with("benchtop: not exported: cannot save /proc/"), "{ran:?}");
    }
}

#[test]
fn that_there_is_nothing_to_write_is_said() {
    let home = Home::new();
    for output in ["all.json", "backup/"] {
        let ran = home.run(&["export", "--all", "--output", output]);
        let errors = "benchtop: there are no conversations: nothing was written\n".to_owned();
        assert_eq!(ran, Ran { status: 0, out: String::new(), errors });
    }
    assert!(!home.path().join("all.json").exists());
    let errors = "benchtop: there are no conversations\n".to_owned();
    assert_eq!(home.run(&["export", "--all"]), Ran { status: 0, out: String::new(), errors });
}

#[test]
fn what_is_not_there_is_named_and_the_rest_is_exported() {
    let (home, server) = (Home::new(), Server::start());
    let id = talk(&home, &server, &["Hello"], "Hi");
    let ran = home.run(&["export", "17", &id]);
    let errors = "benchtop: there is no conversation 17: `benchtop export --list` shows all\n".to_owned();
    let out = markdown("Hello", "", &[("User", "Hello"), ("Assistant · auto", "Hi")], &changed(&home, &id));
    assert_eq!(ran, Ran { status: 2, out, errors });
    for args in [
        &["export"][..],
        &["export", "x"],
        &["export", "--all", "1"],
        &["export", "--all", "--json"],
        &["export", "1", "--json"],
        &["export", "--list", "--output", "x.md"],
        &["export", "--list", "--format", "json"],
    ] {
        let ran = home.run(args);
        assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{args:?}");
    }
    for (args, said) in [
        (&["export"][..], "<ID|--all|--list>"),
        (&["export", "--output", "x.md"], "<ID|--all|--list>"),
        (&["export", "nonsense"], "an id is a number; `benchtop export --list` shows all"),
        (&["chat", "--conversation", "abc", "hello"], "an id is a number; `benchtop export --list` shows all"),
    ] {
        let ran = home.run(args);
        assert!(ran.status == 2 && ran.errors.contains(said), "{args:?}: {ran:?}");
    }
    assert_eq!(kept(&home.data()).len(), 1);
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    let (home, server) = (Home::new(), Server::start());
    let long = "word ".repeat(200_000);
    talk(&home, &server, &["Hello"], &long);
    let mut running = home.start(&["export", "--all"], "");
    running.close_output();
    let ran = running.end();
    assert_eq!((ran.status, ran.errors.as_str()), (0, ""));
}

#[test]
fn a_signal_ends_it_where_nobody_reads_what_it_prints() {
    let (home, server) = (Home::new(), Server::start());
    talk(&home, &server, &["Hello"], &"word ".repeat(200_000));
    for signal in [Signal::TERM, Signal::INT] {
        let mut running = home.start(&["export", "--all"], "");
        // The rest does not fit into the pipe.
        running.read_until("word word");
        running.signal(signal);
        assert_eq!(running.end_unread(), 130);
    }
}
