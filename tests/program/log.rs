//! The log has facts about calls and never what was said in them, or a key.

use std::path::Path;

use crate::common::server::Server;
use crate::common::{Bench, Setup};
use crate::{talk, until};

const KEY: &str = "sk-test-logged-0123456789";

/// Returns the content of all files below a directory, concatenated.
fn all(dir: &Path) -> String {
    let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let read = |path: std::path::PathBuf| {
        if path.is_dir() { all(&path) } else { String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned() }
    };
    entries.map(read).collect()
}

#[test]
fn nothing_that_was_said_and_no_key_is_in_the_log() {
    let (server, home) = (Server::start(), tempfile::tempdir().unwrap());
    let root = home.path().to_owned();
    let data = root.join("data");
    let args = ["--base-url", &server.url, "--model", "auto", "--data-dir", data.to_str().unwrap()];
    let env = [("OPENAI_API_KEY", KEY)];
    let mut bench = Bench::with(Setup { args: &args, env: &env, home: Some(home), ..Setup::default() });
    bench.wait("▐1");
    talk(&mut bench, &server, "a private question", "a private answer");
    // An answer that quotes both back, and what fails.
    bench.type_in("a second secret");
    bench.send("\r");
    let body = format!("{{\"error\":{{\"message\":\"wrong key {KEY} for a second secret\"}}}}");
    server.asked().refuse("401 Unauthorized", "", &body);
    bench.wait("your message is kept");
    // The local service logs, too.
    bench.send("\x10");
    bench.wait("─ Commands");
    bench.send("profile: local");
    bench.wait("Profile: local");
    bench.send("\r");
    bench.wait("● local");
    bench.send("\x11");
    assert_eq!(bench.ended(), 0);
    let logged = all(&data.join("logs"));
    for secret in ["private", "a second", KEY, &KEY[8..]] {
        assert!(!logged.contains(secret), "{secret} in {logged}");
    }
    drop(bench);
}

#[test]
fn only_listed_fields_are_written() {
    let data = tempfile::tempdir().unwrap();
    assert!(benchtop::app::log::start(data.path()).is_some());
    let (text, key, prompt) = ("what was said", KEY, String::from("what was asked"));
    tracing::error!(target: "benchtop::test", why = "a reason", status = 401, text, key, ?prompt, "a call failed");
    tracing::error!(target: "another::crate", why = "noise", "another's words");
    let logged = until("the line", || Some(all(&data.path().join("logs"))).filter(|all| all.contains("a call failed")));
    for fact in ["why=\"a reason\"", "status=401"] {
        assert!(logged.contains(fact), "{fact} in {logged}");
    }
    for secret in ["what was said", "what was asked", KEY, "noise", "another"] {
        assert!(!logged.contains(secret), "{secret} in {logged}");
    }
}
