//! Whatever a key comes from, and whatever else of a profile is secret: it reaches its server, and is nowhere else: not
//! on the screen, in the log, in the store, on the clipboard, or in the environment of a child.

use serde_json::json;

use crate::common::server::Server;
use crate::common::{Bench, Setup};
use crate::{configured, path, script, talk};

const KEY: &str = "sk-test-everywhere-0123456789";
const HEADER: &str = "gate-zyxwvut-9876543210";
const QUERY: &str = "query-abcdefg-5556667778";
const BODY: &str = "body-hijklmn-1112223334";
const NESTED: &str = "nested-abababa-7778889990";
const OTHER_KEY: &str = "other-cdcdcdc-8889990001";
const PROXY: &str = "proxy-opqrstu-4445556667";

/// Fails where one of the secrets is among these bytes; its last four characters tell which key it was.
fn clean(place: &str, bytes: &[u8]) {
    for secret in [KEY, HEADER, QUERY, BODY, NESTED, OTHER_KEY, PROXY] {
        let begins = &secret.as_bytes()[..secret.len() - 5];
        assert!(!bytes.windows(begins.len()).any(|window| window == begins), "{secret} in {place}");
    }
}

#[test]
fn nothing_that_a_failing_key_command_prints_is_shown_or_kept() {
    let (server, home) = (Server::start(), tempfile::tempdir().unwrap());
    let root = home.path().to_owned();
    let bin = script(&root, "key-command", &format!("echo {KEY}\necho \"no: {KEY}\" >&2\nexit 3"));
    let config = format!(
        "profile = \"one\"\n[profiles.one]\nbase_url = \"{}\"\nmodel = \"m\"\napi_key_cmd = \"{}\"\n",
        server.url,
        bin.join("key-command").display()
    );
    let mut bench = configured(home, &config, &[]);
    bench.type_in("Hello");
    bench.send("\r");
    bench.wait("the key command failed");
    bench.send("\x11");
    assert_eq!(bench.ended(), 0);
    assert!(server.poll().is_none(), "nothing goes without its key");
    clean("what the terminal was sent", &bench.bytes);
    for path in bench.files("").into_iter().filter(|path| !path.starts_with(&bin)) {
        clean(&path.display().to_string(), &std::fs::read(&path).unwrap());
    }
}

#[test]
fn no_secret_of_a_profile_gets_anywhere_but_to_its_server() {
    for source in ["api_key_env = \"WORK_KEY\"", "api_key_cmd = \"key-command\"", "api_key_kept = true"] {
        let (server, home) = (Server::start(), tempfile::tempdir().unwrap());
        let root = home.path().to_owned();
        // 0.0.0.0 leads to this machine, and is not taken for it: the server is its own proxy.
        let far = server.url.replace("127.0.0.1", "0.0.0.0");
        let near = server.url.trim_start_matches("http://").trim_end_matches("/v1");
        let config = format!(
            "profile = \"one\"\n[profiles.one]\nbase_url = \"{far}?code={QUERY}\"\nmodel = \"m\"\n{source}\n\
             allow_http = true\nproxy = \"http://ann:{PROXY}@{near}\"\n[profiles.one.headers]\nX-Gate = \"Basic {HEADER}\"\n\
             api-key = \"{OTHER_KEY}\"\n[profiles.one.extra_body]\nclient_secret = \"{BODY}\"\n\
             servers = [{{ headers = {{ Authorization = \"Bearer {NESTED}\" }} }}]\n"
        );
        std::fs::write(root.join("config.toml"), config).unwrap();
        let origin = far.trim_end_matches("/v1");
        std::fs::write(root.join("keys.toml"), format!("\"one @ {origin}\" = \"{KEY}\"\n")).unwrap();
        let bin = script(&root, "key-command", &format!("env > \"$HOME/by-key-command\"\necho {KEY}"));
        script(&root, "editor", "env > \"$HOME/by-editor\"\nprintf 'from the editor' > \"$1\"");
        let (path, file) = (path(&bin), root.join("config.toml"));
        // A variable that no profile names is nobody's key.
        let variable = if source.contains("env") { KEY } else { "unused" };
        let env = [("PATH", &*path), ("EDITOR", "editor"), ("WORK_KEY", variable)];
        let args = ["--config", file.to_str().unwrap(), "--data-dir", "data"];
        let mut bench = Bench::with(Setup { args: &args, env: &env, home: Some(home), ..Setup::default() });
        bench.wait("● one");
        talk(&mut bench, &server, "Hello", "Hi.");
        bench.type_in("And now?");
        bench.send("\r");
        let asked = server.asked();
        assert_eq!((asked.key.as_deref(), &asked.body["client_secret"]), (Some(KEY), &json!(BODY)), "{source}");
        assert_eq!(asked.body["servers"][0]["headers"]["Authorization"], format!("Bearer {NESTED}"), "{source}");
        // A server that quotes all it was sent.
        let said = format!("wrong: {KEY}, {HEADER}, {OTHER_KEY}, {NESTED}, code={QUERY}, field {BODY}, ann:{PROXY}");
        asked.refuse(
            "400 Bad Request",
            &format!("x-request-id: {KEY}\r\n"),
            &json!({"error": {"message": said}}).to_string(),
        );
        bench.wait("wrong: ");
        bench.send("\x1b");
        bench.wait("regenerate");
        bench.send("d");
        bench.wait("400");
        bench.send("\x1b");
        bench.wait("regenerate");
        let before = bench.bytes.len();
        bench.send("C");
        bench.wait_bytes(before, b"\x1b]52;c;");
        bench.wait("copied (via terminal)");
        let command = String::from_utf8(bench.clipboard(before).remove(0)).unwrap();
        assert!(command.contains("$BODY_CLIENT_SECRET") && command.contains("$QUERY_CODE"), "{command}");
        clean("the command that is copied", command.as_bytes());
        // The pages that tell of the profile.
        bench.send("\x10");
        bench.wait("─ Commands");
        bench.send("profile: choose");
        bench.wait("Profile: choose");
        bench.send("\r");
        bench.wait("─ Profiles");
        bench.send("e");
        bench.wait("client_secret");
        bench.send("\x1b");
        bench.wait_gone("client_secret");
        bench.send("t");
        bench.wait("Sent once");
        bench.send("\r");
        bench.wait("⏎ again");
        bench.send("\x1b");
        bench.wait_gone("⏎ again");
        bench.send("\x1b");
        bench.wait_gone("─ Profiles");
        bench.send("i\x1bOS");
        bench.wait("from the editor");
        bench.send("\x11");
        assert_eq!(bench.ended(), 0);
        clean("what the terminal was sent", &bench.bytes);
        assert!(root.join("by-editor").exists());
        assert_eq!(root.join("by-key-command").exists(), source.contains("cmd"), "{source}");
        // All but those in which the secrets are written down.
        let secrets = [bin, file, root.join("keys.toml")];
        let mut all = bench.files("");
        all.retain(|path| !secrets.iter().any(|secret| path.starts_with(secret)));
        assert!(all.iter().any(|path| path.ends_with("benchtop.db")), "{source}");
        for path in all {
            clean(&format!("{} ({source})", path.display()), &std::fs::read(&path).unwrap());
        }
    }
}
