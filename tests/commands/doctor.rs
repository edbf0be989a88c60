//! `benchtop doctor`.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::{Mutex, mpsc};

use serde_json::{Value, json};

use crate::common::server::Server;
use crate::common::{Bench, COLOURS, Setup};
use crate::schema::assert_fits;
use crate::scripted::{Answer, Scripted};
use crate::{Home, Ran, Running};

/// Returns the check of an area and name.
fn check(ran: &Ran, area: &str, name: &str) -> Value {
    let json: Value = serde_json::from_str(&ran.out).unwrap_or_else(|why| panic!("{why}: {ran:?}"));
    assert_fits("doctor", &json);
    let all = json["checks"].as_array().unwrap();
    let found = all.iter().find(|check| check["area"] == area && check["name"] == name);
    found.unwrap_or_else(|| panic!("{area} {name}: {json}")).clone()
}

fn status(ran: &Ran, area: &str, name: &str) -> String {
    check(ran, area, name)["status"].as_str().unwrap().to_owned()
}

#[test]
fn all_is_well_with_the_local_service_alone() {
    let home = Home::new();
    let ran = home.run(&["doctor", "--json"]);
    assert_eq!((ran.status, ran.errors.as_str()), (0, ""), "{ran:?}");
    for (area, name) in [("config", "config"), ("store", "store"), ("store", "space"), ("local service", "local")] {
        assert_eq!(status(&ran, area, name), "ok", "{ran:?}");
    }
    assert_eq!(status(&ran, "terminal", "TERM"), "warn");
    let json: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&json["version"], &json["status"]), (&json!(1), &json!("warn")));
    assert!(!home.data().join("benchtop.db").exists(), "no store is created");
    let ran = home.run(&["doctor"]);
    assert_eq!(ran.status, 0);
    assert!(ran.out.starts_with("! terminal TERM: TERM is not set\n    → start benchtop in a terminal"), "{}", ran.out);
    assert!(ran.out.contains("\n✓ local service: it runs, 37 models\n"), "{}", ran.out);
}

#[test]
fn servers_keys_and_files_that_do_not_work_are_named() {
    let (home, server) = (Home::new(), Server::start());
    home.config(&format!(
        "profile = \"work\"\ntheme = 3\n[profiles.work]\nbase_url = \"{}\"\n[profiles.off]\n\
         base_url = \"http://127.0.0.1:9/v1\"\napi_key_env = \"GONE_KEY\"\n[profiles.by-command]\n\
         base_url = \"http://127.0.0.1:9/v1\"\napi_key_cmd = \"touch ran; echo key\"\n",
        server.url
    ));
    let ran = home.run(&["doctor", "--json"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    let work = check(&ran, "profile", "work");
    assert_eq!(work["status"], "ok");
    assert!(work["message"].as_str().unwrap().ends_with("; models: 1 model"), "{work}");
    assert_eq!(status(&ran, "profile", "off"), "fail");
    assert!(check(&ran, "profile", "off")["message"].as_str().unwrap().contains("GONE_KEY is not set"));
    assert_eq!(status(&ran, "profile", "by-command"), "ok");
    assert!(!home.path().join("ran").exists(), "its command did not run");
    let config = check(&ran, "config", "config");
    assert_eq!(
        (&config["status"], config["message"].as_str().unwrap().starts_with("config.toml, line 2: ")),
        (&json!("fail"), true)
    );
    let ran = home.run(&["doctor", "--json", "--all"]);
    assert_eq!((ran.status, status(&ran, "profile", "by-command").as_str()), (1, "fail"));
    assert!(home.path().join("ran").exists());
    // What is wrong with the whole file is a finding, too.
    home.config("profile = \n");
    let ran = home.run(&["doctor", "--json"]);
    assert_eq!((ran.status, status(&ran, "config", "config").as_str()), (1, "fail"));
    assert_eq!(home.run(&["doctor", "--profile", "gone"]).status, 2);
    // A profile has the name that `profiles` lists, also that of flags and environment.
    home.config("");
    let ran = home.run(&["doctor", "--json", "--base-url", &server.url]);
    assert_eq!((ran.status, status(&ran, "profile", "env").as_str()), (0, "ok"), "{ran:?}");
}

#[test]
fn colours_that_are_too_faint_are_a_remark_for_each_file_and_advice_is_said_once() {
    let home = Home::new();
    home.config("");
    let themes = home.path().join(".config/benchtop/themes");
    std::fs::create_dir(&themes).unwrap();
    std::fs::write(themes.join("one.toml"), "base = \"light\"\nmuted = \"#bbbbbb\"\n").unwrap();
    std::fs::write(themes.join("two.toml"), "base = \"light\"\nmuted = \"#bbbbbb\"\ntext = \"#cccccc\"\n").unwrap();
    let ran = home.run(&["doctor", "--json"]);
    assert_eq!((ran.status, status(&ran, "config", "config").as_str()), (0, "ok"), "{ran:?}");
    let one = check(&ran, "config", "themes/one.toml");
    assert_eq!((&one["status"], &one["message"]), (&json!("warn"), &json!("a colour is too faint")));
    let ran = home.run(&["doctor"]);
    let lines: Vec<&str> =
        ran.out.lines().filter(|line| line.contains("too faint") || line.contains("check")).collect();
    let [one, two, advice] = lines[..] else { panic!("{}", ran.out) };
    assert_eq!(one, "! config themes/one.toml: a colour is too faint");
    assert!(two.starts_with("! config themes/two.toml: ") && two.ends_with(" colours are too faint"), "{two}");
    assert_eq!(advice, "    → benchtop config check lists them");
    // The check of the files lists each of them.
    let checked = home.run(&["config", "check"]);
    assert_eq!(checked.status, 3);
    assert!(checked.out.starts_with("themes/one.toml: muted (#bbbbbb) is too faint: "), "{checked:?}");
    // A role that the program does not know is a fault.
    std::fs::write(themes.join("two.toml"), "base = \"light\"\nblack = 1\nwhite = 1\n").unwrap();
    let ran = home.run(&["doctor"]);
    assert_eq!(ran.status, 1);
    assert_eq!(ran.out.matches("→ correct it, then: benchtop config check").count(), 1, "{}", ran.out);
}

#[test]
fn editor_and_pager_are_looked_for_and_not_started() {
    let home = Home::new();
    let doctor = |variables: &[(&str, &str)]| {
        let child = home.command(&["doctor", "--json"]).envs(variables.iter().copied()).spawn().unwrap();
        let ran = Running(child).end();
        assert_eq!(ran.status, 0, "{ran:?}");
        ["editor", "pager"].map(|name| {
            let found = check(&ran, "program", name);
            ["status", "message", "advice"].map(|key| found[key].as_str().unwrap_or_default().to_owned())
        })
    };
    let [editor, pager] = doctor(&[("EDITOR", "/none --wait"), ("PAGER", "none-such")]);
    assert_eq!(editor[..2], ["warn", "not found: /none"]);
    assert!(editor[2].contains("VISUAL") && editor[2].contains("EDITOR"), "{editor:?}");
    assert_eq!(pager, ["warn", "not found: none-such", "set PAGER to an installed program"]);
    let [editor, pager] = doctor(&[("VISUAL", "sh -c 'touch ran'"), ("EDITOR", "/none"), ("PAGER", "'/bin/sh")]);
    assert_eq!(editor, ["ok", "sh", ""]);
    assert_eq!(pager, ["warn", "a quote in $PAGER is not closed: correct it", ""]);
    assert!(!home.path().join("ran").exists());
}

#[test]
fn the_findings_have_ascii_characters_where_the_workbench_has_them() {
    let home = Home::new();
    let ran = home.run(&["--ascii", "doctor"]);
    assert!(ran.out.is_ascii() && ran.out.contains("\n    > "), "{}", ran.out);
    assert!(ran.out.contains("\n+ local service: it runs"), "{}", ran.out);
    home.config("ascii = true\n");
    assert!(home.run(&["doctor"]).out.is_ascii());
    let child = home.command(&["doctor"]).env("BENCHTOP_ASCII", "0").spawn().unwrap();
    assert!(Running(child).end().out.contains("\n✓ local service: it runs"));
}

#[test]
fn a_damaged_store_is_named_and_left_as_it_is() {
    let home = Home::new();
    assert_eq!(home.run(&["chat", "--local", "--model", "gpt-3.5-turbo", "Hello"]).status, 0);
    let store = home.data().join("benchtop.db");
    let ran = home.run(&["doctor", "--json"]);
    assert_eq!((ran.status, status(&ran, "store", "store").as_str()), (0, "ok"));
    let mut bytes = std::fs::read(&store).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..].fill(0xa5);
    std::fs::write(&store, &bytes).unwrap();
    let ran = home.run(&["doctor", "--json"]);
    assert_eq!((ran.status, ran.errors.as_str(), status(&ran, "store", "store").as_str()), (1, "", "fail"));
    assert_eq!(std::fs::read(&store).unwrap(), bytes);
}

#[test]
fn a_terminal_that_does_not_answer_is_told_so_and_shows_the_findings_alone() {
    let mut bench = Bench::with(Setup { args: &["doctor", "--local"], ..Setup::default() });
    assert_eq!(bench.ended(), 0);
    let text = bench.text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "✓ terminal TERM: xterm", "{text}");
    assert!(lines.contains(&"! terminal keyboard: the terminal does not answer questions"), "{text}");
    assert_eq!(lines.last(), Some(&"✓ local service: it runs, 37 models"), "{text}");
    let written = String::from_utf8(bench.bytes.clone()).unwrap();
    assert!(written.contains("\u{1b}[c\r\u{1b}[K"), "what it may have shown is cleared: {written:?}");
}

#[test]
fn a_dumb_terminal_is_asked_nothing() {
    let mut bench = Bench::with(Setup { args: &["doctor", "--local"], env: &[("TERM", "dumb")], ..Setup::default() });
    assert_eq!(bench.ended(), 0);
    let text = bench.text();
    assert!(!bench.bytes.contains(&0x1b), "{:?}", String::from_utf8_lossy(&bench.bytes));
    assert!(text.contains("✓ terminal keyboard: not asked, as the terminal may show questions as text"), "{text}");
    assert!(text.contains("    → `benchtop --plain` works in it, line by line"), "{text}");
}

#[test]
fn a_store_that_cannot_be_written_is_named() {
    // Permissions do not hold for root.
    if rustix::process::geteuid().is_root() {
        return;
    }
    let home = Home::new();
    assert_eq!(home.run(&["chat", "--local", "--model", "gpt-3.5-turbo", "Hello"]).status, 0);
    std::fs::set_permissions(home.data().join("benchtop.db"), Permissions::from_mode(0o400)).unwrap();
    let ran = home.run(&["doctor", "--json"]);
    assert_eq!((ran.status, status(&ran, "store", "file").as_str()), (1, "fail"), "{ran:?}");
}

#[test]
fn how_far_it_is_stands_on_a_terminal_until_the_result_comes_and_nowhere_else() {
    for (redirected, shows) in [("", true), (">out", true), ("2>errors", false)] {
        let (open, gate) = mpsc::channel::<()>();
        let gate = Mutex::new(gate);
        let server = Scripted::start(move |_| {
            // Nothing is ever sent: it waits until the other end is dropped.
            let _ = gate.lock().unwrap().recv();
            Some(Answer::Json(200, json!({"object": "list", "data": []})))
        });
        let script = format!("exec \"$0\" \"$@\" {redirected}");
        let setup = Setup {
            args: &["doctor", "--base-url", &server.url],
            env: &[COLOURS, ("NO_COLOR", "1")],
            through: &["sh", "-c", &script],
            ..Setup::default()
        };
        let mut bench = Bench::with(setup);
        let line = format!("checking {}", server.url.split('/').nth(2).unwrap());
        if shows {
            bench.wait(&line);
        }
        drop(open);
        assert_eq!(bench.ended(), 0);
        let text = bench.text();
        assert!(!text.contains("checking"), "{redirected}: {text}");
        let written = String::from_utf8(bench.bytes.clone()).unwrap();
        assert_eq!(written.contains(&line), shows, "{redirected}: {written:?}");
        let colours = written
            .split("\u{1b}[")
            .skip(1)
            .filter(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').starts_with('m'));
        assert_eq!(colours.count(), 0, "{redirected}: {written:?}");
        let errors = std::fs::read_to_string(bench.home.path().join("errors")).unwrap_or_default();
        assert_eq!(errors, "");
    }
}
