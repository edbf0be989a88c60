//! A profile whose key is in the system's keyring: where there is no keyring, or it does not answer, the program says so
//! and goes on.
//!
//! Two of the tests need the feature: `cargo test --features keyring --test program keyring`.

use tempfile::TempDir;

use crate::common::Bench;
use crate::common::server::Server;
use crate::{configured, words};

/// Starts with this session bus, which leads to the keyring.
fn start(server: &Server, home: TempDir, bus: &str) -> Bench {
    let config = format!(
        "profile = \"one\"\n[profiles.one]\nbase_url = \"{}\"\nmodel = \"m\"\napi_key_keyring = \"ours\"\n",
        server.url
    );
    configured(home, &config, &[("DBUS_SESSION_BUS_ADDRESS", bus)])
}

/// Asks, and waits for what is said of the keyring in place of an answer.
fn ask(bench: &mut Bench, prompt: &str, said: &[&str]) {
    bench.type_in(prompt);
    bench.send("\r");
    for said in said {
        bench.until(said, |text| words(text).contains(said));
    }
    bench.wait_gone("esc stop");
}

/// Quits; nothing was sent.
fn quit(mut bench: Bench, server: &Server) {
    bench.send("\x11");
    assert_eq!(bench.ended(), 0);
    assert!(server.poll().is_none(), "nothing goes without its key");
}

#[cfg(not(feature = "keyring"))]
#[test]
fn a_build_without_the_keyring_says_so_and_takes_a_pasted_key() {
    let server = Server::start();
    let mut bench = start(&server, tempfile::tempdir().unwrap(), "unix:path=/dev/null");
    ask(&mut bench, "Hello", &["the key of one is in the system's keyring,", "--features keyring"]);
    assert!(server.poll().is_none(), "nothing goes without its key");
    bench.send("\x10");
    bench.wait("Commands");
    bench.type_in("new key");
    bench.send("\r");
    bench.wait("A new key");
    bench.send("\x1b[200~sk-pasted-0123456789\x1b[201~");
    bench.wait("••••");
    // Soon after a paste Enter is a newline.
    std::thread::sleep(std::time::Duration::from_millis(200));
    bench.send("\r");
    bench.wait("uses the new key");
    bench.wait_gone("A new key");
    bench.type_in("Again");
    bench.send("\r");
    assert_eq!(server.asked().key.as_deref(), Some("sk-pasted-0123456789"));
    quit(bench, &server);
}

#[cfg(all(feature = "keyring", target_os = "linux"))]
#[test]
fn a_keyring_that_never_answers_is_given_up_while_the_program_goes_on() {
    let (server, home) = (Server::start(), tempfile::tempdir().unwrap());
    let path = home.path().join("bus");
    let bus = std::os::unix::net::UnixListener::bind(&path).unwrap();
    std::thread::spawn(move || {
        // Whoever connects is kept waiting, as by a prompt that nobody answers.
        let mut taken = Vec::new();
        for client in bus.incoming() {
            taken.push(client);
        }
    });
    let mut bench = start(&server, home, &format!("unix:path={}", path.display()));
    bench.type_in("Hello");
    bench.send("\r");
    // Meanwhile every key works.
    bench.send("\x1bOP");
    bench.wait("Help");
    bench.send("\x1b");
    bench.wait_gone("Help");
    let said = "the system's keyring did not answer within 3 s for one; unlock it and try again";
    bench.until(said, |text| words(text).contains(said));
    bench.type_in("Once more");
    bench.send("\r");
    bench.until("the same again", |text| words(text).matches(said).count() == 2);
    quit(bench, &server);
}

#[cfg(all(feature = "keyring", target_os = "linux"))]
#[test]
fn where_no_keyring_runs_that_is_said() {
    let server = Server::start();
    let mut bench = start(&server, tempfile::tempdir().unwrap(), "unix:path=/nowhere/bus");
    ask(&mut bench, "Hello", &["the system's keyring cannot be used for one:", "start or unlock its service"]);
    quit(bench, &server);
}
