//! A wrong key is put right inside the program: at a real terminal, with a server that says which key it was sent.
#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use std::os::unix::fs::PermissionsExt as _;

use tempfile::TempDir;

use common::server::Server;
use common::{Bench, Setup};

/// Starts with this config file and these variables.
fn start(home: TempDir, args: &[&str], env: &[(&str, &str)]) -> Bench {
    let config = home.path().join("config.toml");
    // A file that is named must be there.
    std::fs::OpenOptions::new().create(true).append(true).open(&config).unwrap();
    let all = [&["--config", config.to_str().unwrap()], args].concat();
    let mut bench = Bench::with(Setup { args: &all, env, home: Some(home), ..Setup::default() });
    bench.wait("▐1");
    bench
}

/// Sends a prompt; the key it went with.
fn key_of(bench: &mut Bench, server: &Server, prompt: &str) -> Option<String> {
    bench.type_in(prompt);
    bench.send("\r");
    let mut asked = server.asked();
    let key = asked.key.clone();
    asked.open();
    asked.token(&format!("heard {prompt}"));
    asked.finish();
    bench.until("the answer", |text| text.contains(&format!("heard {prompt}")) && !text.contains("esc stop"));
    key
}

fn paste_new_key(bench: &mut Bench, key: &str) {
    bench.send("\x10");
    bench.wait("Commands");
    bench.type_in("new key");
    bench.send("\r");
    bench.wait("A new key");
    bench.send(&format!("\x1b[200~{key}\x1b[201~"));
    bench.wait("••••");
    // For this long Enter belongs to the paste.
    std::thread::sleep(std::time::Duration::from_millis(200));
    bench.send("\r");
    bench.wait("uses the new key");
    bench.wait_gone("A new key");
}

fn quit(mut bench: Bench) -> TempDir {
    bench.send("\x11");
    assert_eq!(bench.ended(), 0);
    assert!(!String::from_utf8_lossy(&bench.bytes).contains("sk-right"), "a key is never on the screen");
    bench.into_home()
}

#[test]
fn a_new_key_is_used_at_once_and_after_a_restart_whatever_the_config_named() {
    let server = Server::start();
    let home = tempfile::tempdir().unwrap();
    let config = format!(
        "# mine\nprofile = \"work\"\n[profiles.work]\nbase_url = \"{}\"\napi_key_env = \"WORK_KEY\"\nmodel = \"auto\"\n",
        server.url
    );
    std::fs::write(home.path().join("config.toml"), config).unwrap();
    let env = [("WORK_KEY", "sk-wrong")];
    let mut bench = start(home, &[], &env);
    assert_eq!(key_of(&mut bench, &server, "one").as_deref(), Some("sk-wrong"));
    paste_new_key(&mut bench, "sk-right-1234");
    assert_eq!(key_of(&mut bench, &server, "two").as_deref(), Some("sk-right-1234"));
    let home = quit(bench);
    let keys = home.path().join("keys.toml");
    assert_eq!(std::fs::metadata(&keys).unwrap().permissions().mode() & 0o777, 0o600);
    let origin = server.url.trim_end_matches("/v1");
    assert_eq!(std::fs::read_to_string(keys).unwrap(), format!("\"work @ {origin}\" = \"sk-right-1234\"\n"));
    let config = std::fs::read_to_string(home.path().join("config.toml")).unwrap();
    assert!(config.starts_with("# mine\n") && !config.contains("WORK_KEY"), "{config}");
    let mut bench = start(home, &[], &env);
    assert_eq!(key_of(&mut bench, &server, "three").as_deref(), Some("sk-right-1234"));
    quit(bench);
}

#[test]
fn a_new_key_for_the_environments_profile_holds_until_the_variable_is_another() {
    let server = Server::start();
    let args = ["--base-url", &server.url, "--model", "auto"];
    let mut bench = start(tempfile::tempdir().unwrap(), &args, &[("OPENAI_API_KEY", "sk-wrong-abcd")]);
    paste_new_key(&mut bench, "sk-right-1234");
    assert_eq!(key_of(&mut bench, &server, "one").as_deref(), Some("sk-right-1234"));
    let mut bench = start(quit(bench), &args, &[("OPENAI_API_KEY", "sk-wrong-abcd")]);
    assert_eq!(key_of(&mut bench, &server, "two").as_deref(), Some("sk-right-1234"));
    let mut bench = start(quit(bench), &args, &[("OPENAI_API_KEY", "sk-other-efgh")]);
    assert_eq!(key_of(&mut bench, &server, "three").as_deref(), Some("sk-other-efgh"));
    quit(bench);
}

/// Returns the contents of all files below a directory except one, concatenated.
fn files_except(dir: &std::path::Path, except: &str) -> String {
    let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let read = |path: std::path::PathBuf| {
        if path.is_dir() {
            files_except(&path, except)
        } else {
            String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()
        }
    };
    entries.filter(|path| !path.ends_with(except)).map(read).collect()
}

#[test]
fn a_change_of_profile_while_an_answer_streams_takes_no_key_to_another_server() {
    let (work, home_server) = (Server::start(), Server::start());
    let home = tempfile::tempdir().unwrap();
    let config = format!(
        "profile = \"work\"\n[profiles.work]\nbase_url = \"{}\"\napi_key_env = \"WORK_KEY\"\nmodel = \"auto\"\n\
         [profiles.home]\nbase_url = \"{}\"\napi_key_cmd = \"printf sk-right-home\"\nmodel = \"auto\"\n",
        work.url, home_server.url
    );
    std::fs::write(home.path().join("config.toml"), config).unwrap();
    let data = home.path().join("data");
    let args = ["--data-dir", data.to_str().unwrap()];
    let mut bench = start(home, &args, &[("WORK_KEY", "sk-right-work")]);
    bench.type_in("first");
    bench.send("\r");
    let first = work.asked();
    assert_eq!(first.key.as_deref(), Some("sk-right-work"));
    bench.send("\x1b[24~");
    bench.wait("home is in use");
    // An attempt that is repeated after the change goes where the first one went.
    first.refuse("503 Service Unavailable", "retry-after: 0\r\n", "{}");
    let mut again = work.asked();
    assert_eq!(again.key.as_deref(), Some("sk-right-work"));
    again.open();
    again.token("heard first");
    bench.wait("heard first");
    bench.send("\x10");
    bench.wait("Commands");
    bench.type_in("new conversation");
    bench.wait("Chat: new conversation");
    bench.send("\r");
    bench.wait_gone("heard first");
    assert_eq!(key_of(&mut bench, &home_server, "second").as_deref(), Some("sk-right-home"));
    again.token(" to the end");
    again.finish();
    assert!(work.poll().is_none() && home_server.poll().is_none(), "no other request was made");
    let home = quit(bench);
    let written = files_except(home.path(), "keys.toml").replace("printf sk-right-home", "");
    assert!(!written.contains("sk-right"), "a key is in no file but those the user wrote it to");
}
