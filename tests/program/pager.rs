//! `$PAGER` gets the whole text that is read, made safe, and gives the screen back.

use std::path::Path;

use crate::common::server::Server;
use crate::common::{Bench, Setup};
use crate::{path, script, talk, until};

const SHIFT_F4: &str = "\x1b[1;2S";
const KEY: &str = "sk-test-environment-0123456789";

/// Starts with a pager that writes what it gets to `read` in the home.
fn start(server: &Server) -> Bench {
    start_with(server, &[], "▐1")
}

/// Starts with these flags, too; `ready` is on the screen then.
fn start_with(server: &Server, flags: &[&str], ready: &str) -> Bench {
    let home = tempfile::tempdir().unwrap();
    let bin =
        script(home.path(), "pager", "env > \"$HOME/env\"\ncat > \"$HOME/part\"\nmv \"$HOME/part\" \"$HOME/read\"");
    let path = path(&bin);
    let env = [("PATH", &*path), ("PAGER", "pager --its-flag"), ("OPENAI_API_KEY", KEY)];
    let args = [&["--base-url", &server.url, "--model", "m"], flags].concat();
    let mut bench = Bench::with(Setup { args: &args, env: &env, home: Some(home), ..Setup::default() });
    bench.wait(ready);
    bench
}

/// Opens the pager with these keys, and returns what it got.
fn read(bench: &mut Bench, keys: &str) -> String {
    let home = bench.home.path().to_owned();
    let _ = std::fs::remove_file(home.join("read"));
    bench.send(keys);
    let text = until("the pager has read", || std::fs::read_to_string(home.join("read")).ok());
    // It ends at once: what it printed must stay until it is read.
    bench.wait("press Enter to return to benchtop");
    assert!(!bench.screen().alternate_screen());
    bench.send("\r");
    bench.wait("▐1");
    assert!(bench.screen().alternate_screen());
    text
}

fn has_no_key(home: &Path) {
    let env = std::fs::read_to_string(home.join("env")).unwrap();
    assert!(env.contains("PAGER=") && !env.contains(KEY), "{env}");
}

#[test]
fn a_message_is_read_whole_and_made_safe() {
    let server = Server::start();
    let mut bench = start(&server);
    let lines: Vec<String> = (1..=200).map(|line| format!("line {line}")).collect();
    talk(&mut bench, &server, "Say it", &format!("\x1b[2J\u{202e}{}", lines.join("\n")));
    let text = read(&mut bench, SHIFT_F4);
    assert_eq!(text, format!("␛[2J⟨U+202E⟩{}", lines.join("\n")));
    has_no_key(bench.home.path());
    // By name, too; of the selected message.
    talk(&mut bench, &server, "Say less", "Less.");
    bench.send("\x1b");
    bench.wait("regenerate");
    // The first selects the last message.
    bench.type_slowly("kk");
    bench.send("\x10");
    bench.wait("Commands");
    bench.type_in("open in $pager");
    assert_eq!(read(&mut bench, "\r"), "Say less");
    bench.send("\x11");
    assert_eq!(bench.ended(), 0);
    bench.assert_whole();
}

#[test]
fn details_of_an_error_and_the_help_are_read_whole() {
    let server = Server::start();
    let mut bench = start(&server);
    bench.type_in("Say it");
    bench.send("\r");
    let body =
        format!("{{\"error\": {{\"message\": \"no such thing\", \"more\": \"{}end of it\"}}}}", "x".repeat(1_900));
    server.asked().refuse("400 Bad Request", "", &body);
    bench.wait("no such thing");
    bench.send("\x1b");
    bench.wait("regenerate");
    bench.send("d");
    bench.wait("What the server said");
    let text = read(&mut bench, SHIFT_F4);
    assert!(text.contains("status      400") && text.contains("end of it"), "{text}");
    bench.wait("What the server said");
    bench.send("\x1b");
    bench.wait_gone("What the server said");
    bench.send("?");
    bench.wait("Help · Chat");
    let text = read(&mut bench, SHIFT_F4);
    assert!(text.contains("$PAGER") && text.contains("Everywhere"), "{text}");
}

#[test]
fn a_pager_that_is_not_there_is_named() {
    let server = Server::start();
    let env = [("PAGER", "no-such-pager")];
    let args = ["--base-url", &server.url, "--model", "m"];
    let mut bench = Bench::with(Setup { args: &args, env: &env, ..Setup::default() });
    bench.wait("▐1");
    talk(&mut bench, &server, "Say it", "It.");
    bench.send(SHIFT_F4);
    bench.wait("the pager no-such-pager could not be started");
    assert!(bench.screen().alternate_screen());
}

#[test]
fn ctrl_c_returns_from_a_pager_that_only_printed() {
    let server = Server::start();
    let mut bench = start(&server);
    talk(&mut bench, &server, "Say it", "It.");
    bench.send(SHIFT_F4);
    bench.wait("press Enter to return to benchtop");
    assert!(!bench.screen().alternate_screen());
    bench.send("\x03");
    bench.wait("▐1");
    assert!(bench.screen().alternate_screen());
    // Its keys are the workbench's again: Ctrl+C sends no signal, which would end it.
    bench.type_in("more");
    bench.send("\x03");
    bench.wait("^C again to quit");
    bench.send("\x11");
    assert_eq!(bench.ended(), 0);
    bench.assert_whole();
}

#[test]
fn a_previewed_file_is_read_whole_and_made_safe() {
    let server = Server::start();
    let mut bench = start(&server);
    let lines: Vec<_> = (1..=200).map(|line| format!("line {line} \u{1b}[2J\n")).collect();
    let lines = lines.concat();
    std::fs::write(bench.home.path().join("notes.txt"), &lines).unwrap();
    bench.send("\x1b5");
    bench.wait("notes.txt");
    bench.send("/notes\r");
    bench.wait_gone("bin/");
    bench.send("\r");
    bench.wait("line 9");
    bench.send(SHIFT_F4);
    let read = bench.home.path().join("read");
    let text = until("the pager has read", || std::fs::read_to_string(&read).ok());
    assert_eq!(text, lines.replace('\u{1b}', "␛"));
    bench.wait("press Enter to return to benchtop");
    bench.send("\r");
    bench.wait("line 9");
}

#[test]
fn with_ascii_symbols_are_replaced_and_letters_stay() {
    let server = Server::start();
    let mut bench = start_with(&server, &["--ascii"], "|1");
    bench.send("\x1bOP");
    bench.wait("Help . Chat");
    bench.send(SHIFT_F4);
    let read = bench.home.path().join("read");
    let text = until("the pager has read", || std::fs::read_to_string(&read).ok());
    let strange: Vec<&str> = text.lines().filter(|line| !line.is_ascii()).collect();
    assert!(strange.is_empty() && text.contains("$PAGER"), "{strange:?}");
    bench.wait("press Enter to return to benchtop");
    bench.send("\r");
    bench.wait("Help . Chat");
    bench.send("\x1b");
    bench.wait_gone("Help . ");
    bench.type_in("Say it");
    bench.send("\r");
    let mut asked = server.asked();
    asked.open();
    asked.token("naïve · 日本 …");
    asked.finish();
    bench.wait("naïve");
    bench.wait("2 messages . saved");
    std::fs::remove_file(&read).unwrap();
    bench.send(SHIFT_F4);
    assert_eq!(until("the pager has read", || std::fs::read_to_string(&read).ok()), "naïve . 日本 ~");
}
