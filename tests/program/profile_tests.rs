//! The test of a profile, at servers that refuse it in every way: what the screen says of each step, and that the one
//! request is sent after it was shown.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};

use crate::common::server::Server;
use crate::common::{Bench, Setup};
use crate::{tls, words};

const KEY: &str = "sk-test-profiles-0123456789";

/// Starts a server that answers each request in this way; returns its base URL and the first line of each request.
fn answering(status: &'static str, body: String) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let (sender, asked) = channel();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
            let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
            // The first connection of a test only sees whether there is a server.
            let Some(first) = head.into_iter().next() else { continue };
            let _ = sender.send(first);
            let length = body.len();
            let head = format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close");
            let _ = write!(stream, "{head}\r\ncontent-length: {length}\r\n\r\n{body}");
        }
    });
    (url, asked)
}

/// Tests the profile in this place below the local service, and waits for what is said of it.
fn test(bench: &mut Bench, place: usize, name: &str, said: &[&str], check_unsent: impl FnOnce()) {
    bench.send("g");
    for _ in 0..=place {
        bench.send("j");
    }
    bench.send("t");
    bench.wait(&format!("Test {name}"));
    bench.wait("Sent once; it costs nothing.");
    check_unsent();
    bench.send("\r");
    for said in said {
        bench.until(&format!("{name}: {said}"), |text| words(text).contains(said));
    }
    bench.wait("again");
    bench.send("\x1b");
    bench.wait_gone("Sent once");
}

#[test]
fn each_step_of_a_test_is_said_whatever_the_server_does() {
    let (server, home) = (Server::start(), tempfile::tempdir().unwrap());
    let quoted = format!("{{\"error\":{{\"message\":\"Incorrect API key provided: {KEY}. Ask Ann.\"}}}}");
    let (wrong, asked_wrong) = answering("401 Unauthorized", quoted);
    let (listless, asked_listless) = answering("404 Not Found", "{}".to_owned());
    let (untrusted, expired) = (tls::serve(), tls::serve_with("expired"));
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let authority = |name: &str| format!("ca_file = \"{}\"\n", tls::fixture(name).display());
    let mut config = format!("profile = \"good\"\n[profiles.good]\nbase_url = \"{}\"\nmodel = \"auto\"\n", server.url);
    for (name, url, more) in [
        ("gone", format!("http://{gone}/v1"), String::new()),
        ("untrusted", untrusted.clone(), String::new()),
        ("expired", expired, authority("expired-authority.pem")),
        ("trusted", untrusted, authority("authority.pem")),
        ("wrong", wrong, "api_key_env = \"WRONG_KEY\"\n".to_owned()),
        ("listless", listless, "api_key_env = \"WRONG_KEY\"\n".to_owned()),
        ("unset", server.url.clone(), "api_key_env = \"UNSET_KEY\"\n".to_owned()),
    ] {
        let _ = write!(config, "[profiles.{name}]\nbase_url = \"{url}\"\nmodel = \"m\"\n{more}");
    }
    let file = home.path().join("config.toml");
    std::fs::write(&file, config).unwrap();
    let (args, env) = (["--config", file.to_str().unwrap()], [("WRONG_KEY", KEY)]);
    let setup = Setup { args: &args, env: &env, home: Some(home), size: (84, 36), ..Setup::default() };
    let mut bench = Bench::with(setup);
    bench.wait("● good");
    bench.send("\x10");
    bench.wait("Commands");
    bench.send("profile: choose");
    bench.wait("Profile: choose");
    bench.send("\r");
    bench.wait("Profiles");
    let unsent = |asked: &Receiver<String>| assert!(asked.try_recv().is_err(), "nothing is sent before it is shown");
    let once = |asked: &Receiver<String>| {
        let sent: Vec<String> = asked.try_iter().collect();
        assert_eq!(sent, ["GET /v1/models HTTP/1.1"]);
    };
    let good = ["✓ Name resolved 127.0.0.1", "✓ Connected port", "✓ Certificate none needed", "✓ Models 1 model"];
    test(&mut bench, 0, "good", &good, || ());
    test(&mut bench, 1, "gone", &["✓ Name resolved 127.0.0.1", "✕ Connected", "nothing is listening"], || ());
    let said = ["✓ Connected port", "✕ Certificate", "not issued by an authority that this machine trusts"];
    test(&mut bench, 2, "untrusted", &said, || ());
    test(&mut bench, 3, "expired", &["✕ Certificate", "it has expired", "from 2020-01-01 until 2021-03-01"], || ());
    let said = ["✓ Certificate accepted; issued by benchtop test authority", "✓ Models 1 model"];
    test(&mut bench, 4, "trusted", &said, || ());
    let said = ["✕ Key", "Incorrect API key provided: …6789. Ask Ann"];
    test(&mut bench, 5, "wrong", &said, || unsent(&asked_wrong));
    once(&asked_wrong);
    let said = ["! Key", "! Models no list of models (404): chat may still work"];
    test(&mut bench, 6, "listless", &said, || unsent(&asked_listless));
    once(&asked_listless);
    test(&mut bench, 7, "unset", &["the environment variable UNSET_KEY is not set"], || ());
    assert!(!String::from_utf8_lossy(&bench.bytes).contains(&KEY[..KEY.len() - 5]), "no key is on the screen");
}
