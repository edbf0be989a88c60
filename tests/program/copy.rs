//! What is copied is byte for byte what the model sent, and it goes where it should.

use crate::common::server::Server;
use crate::common::{Bench, Setup};
use crate::{configured, path, script, talk, until};

/// Characters that a screen shows otherwise than they are, and what a careless copy would take away.
const ODD: &str =
    "Trailing blanks  \t \r\nand \x1b[31mred\x1b[0m, \u{202e}desrever\u{202c}, a\0b, \u{e0041}tag, e\u{301} ÄÖ\r\n";
/// A listing's text, with the same.
const CODE: &str = "let a = \"\x1b[2J\u{202e}\";  \r\n\tindented\t \r\n\n  end   \n";

/// Returns an answer with two listings among unusual characters.
fn answer() -> String {
    format!("{ODD}\n```text\nother\n```\n\n```rust\n{CODE}```\n{ODD} \t \n")
}

fn start(setup: Setup, server: &Server) -> Bench {
    let args = ["--base-url", &server.url, "--model", "auto"];
    let mut bench = Bench::with(Setup { args: &args, ..setup });
    bench.wait("▐1");
    bench
}

/// Presses keys and waits until they have put something on the terminal's clipboard.
fn copied(bench: &mut Bench, keys: &str) -> String {
    let before = bench.bytes.len();
    bench.send(keys);
    bench.wait_bytes(before, b"\x1b]52;c;");
    bench.wait_bytes(before, b"\x1b\\");
    bench.wait("copied (via terminal)");
    let mut sent = bench.clipboard(before);
    assert_eq!(sent.len(), 1, "once");
    String::from_utf8(sent.remove(0)).unwrap()
}

#[test]
fn what_is_copied_is_to_the_byte_what_came() {
    let server = Server::start();
    let mut bench = start(Setup::default(), &server);
    let answer = answer();
    talk(&mut bench, &server, "Say it", &answer);
    bench.send("\x1b");
    bench.wait("regenerate");
    assert_eq!(copied(&mut bench, "y"), CODE, "nothing is selected: the last listing");
    assert_eq!(copied(&mut bench, "Y"), answer, "the whole message");
    assert_eq!(copied(&mut bench, "ky"), answer, "a selected message");
    assert_eq!(copied(&mut bench, "kY"), "Say it");
    // Blocks are chosen from there on.
    assert_eq!(copied(&mut bench, "Jy"), "other\n");
    assert_eq!(copied(&mut bench, "J\x19"), CODE);
    // However it is shown.
    bench.send("R");
    bench.wait("```rust");
    assert_eq!(copied(&mut bench, "Y"), answer);
    bench.send("\x11");
    assert_eq!(bench.ended(), 0);
}

#[test]
fn over_ssh_it_is_the_terminals_clipboard_and_else_this_machines() {
    for (ssh, env) in [
        (true, ("DISPLAY", ":0")),
        (false, ("SSH_CONNECTION", "10.0.0.1 1 10.0.0.2 22")),
        (false, ("TMUX", "/tmp/tmux-0/default,1,0")),
        (false, ("DISPLAY", ":0")),
    ] {
        let (server, home) = (Server::start(), tempfile::tempdir().unwrap());
        let file = home.path().join("clipboard");
        let bin = script(home.path(), "xclip", "cat > \"$HOME/part\"\nmv \"$HOME/part\" \"$HOME/clipboard\"");
        let path = path(&bin);
        let env = [("DISPLAY", ":0"), ("PATH", &*path), env];
        let mut bench = start(Setup { env: &env, ssh, home: Some(home), ..Setup::default() }, &server);
        let answer = answer();
        talk(&mut bench, &server, "Say it", &answer);
        bench.send("\x1b");
        bench.wait("regenerate");
        if ssh || env[2].0 != "DISPLAY" {
            assert_eq!(copied(&mut bench, "Y"), answer);
            assert!(!file.exists(), "another machine's clipboard was filled: {env:?}");
        } else {
            bench.send("Y");
            let text = bench.wait("copied");
            assert!(!text.contains("terminal"), "{text}");
            assert_eq!(until("the clipboard", || std::fs::read(&file).ok()), answer.into_bytes());
            assert!(bench.clipboard(0).is_empty());
        }
    }
}

/// Goes to the playground, writes there and leaves the text.
fn write(bench: &mut Bench, text: &str) {
    bench.send("\x1b2");
    bench.wait("▐2 Complete▌");
    bench.type_in(text);
    bench.send("\x1b");
    bench.wait("i edit");
}

#[test]
fn a_request_is_copied_as_a_command_that_names_the_key_and_does_not_hold_it() {
    const SECRET: &str = "sk-abcdefghijklmnop";
    let server = Server::start();
    let env = [("OPENAI_API_KEY", SECRET)];
    let mut bench = start(Setup { env: &env, ..Setup::default() }, &server);
    write(&mut bench, "It's $5");
    let command = copied(&mut bench, "C");
    assert!(command.starts_with("curl ") && command.contains(&format!("'{}/completions'", server.url)), "{command}");
    assert!(command.contains(r#"-H "Authorization: Bearer $OPENAI_API_KEY""#), "{command}");
    assert!(command.contains(r#""prompt":"It'\''s $5""#), "{command}");
    assert!(!command.contains(SECRET), "{command}");
}

#[test]
fn a_request_for_which_there_is_no_key_is_not_copied() {
    let profile = "base_url = \"https://x.example/v1\"\nmodel = \"m\"\napi_key_cmd = \"exit 3\"\n";
    let config = format!("profile = \"c\"\n[profiles.c]\n{profile}");
    let mut bench = configured(tempfile::tempdir().unwrap(), &config, &[]);
    write(&mut bench, "Hello");
    bench.send("C");
    bench.wait("not copied: ");
    assert!(bench.clipboard(0).is_empty());
}
