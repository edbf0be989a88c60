//! What reaches the terminal beside the screen: the window's title, and notifications of what ended.

use crate::common::server::Server;
use crate::common::{Bench, Setup};

/// Starts with this config file on the local service.
fn start(config: &str, env: &[(&str, &str)]) -> Bench {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("config.toml");
    std::fs::write(&file, config).unwrap();
    let args = ["--local", "--config", file.to_str().unwrap()];
    let mut bench = Bench::with(Setup { args: &args, env, home: Some(home), ..Setup::default() });
    bench.wait("Ask a language model");
    bench
}

/// Embeds a text, while another window has the focus.
fn embed(bench: &mut Bench) {
    bench.send("\x1b4");
    bench.wait("Embed turns texts");
    bench.send("a");
    bench.wait("a text to embed");
    bench.type_in("a first text");
    bench.send("\x1b");
    bench.wait("e edit");
    // The loop takes both before anything of the run.
    bench.send("\x12\x1b[O");
}

#[test]
fn what_ends_while_another_window_has_the_focus_is_told_as_the_terminal_knows_it() {
    for (env, wanted) in [
        (("TERM", "xterm-kitty"), "\x1b]99;o=unfocused;benchtop: 1 run ended\x1b\\\x07"),
        (("TERM", "foot"), "\x1b]777;notify;benchtop;1 run ended\x1b\\\x07"),
        (("TERM_PROGRAM", "WezTerm"), "\x1b]9;benchtop: 1 run ended\x1b\\\x07"),
    ] {
        let mut bench = start("", &[env]);
        let before = bench.bytes.len();
        embed(&mut bench);
        bench.wait_bytes(before, wanted.as_bytes());
        bench.send("\x11");
        assert_eq!(bench.ended(), 0);
        bench.assert_whole();
        let text = String::from_utf8_lossy(&bench.bytes);
        assert_eq!(text.matches("1 run ended").count(), 1);
    }
}

#[test]
fn what_failed_is_called_failed() {
    let server = Server::start();
    let args = ["--base-url", &server.url, "--model", "m"];
    let mut bench = Bench::with(Setup { args: &args, env: &[("TERM", "foot")], ..Setup::default() });
    bench.wait("▐1");
    embed(&mut bench);
    server.asked().refuse("401 Unauthorized", "", "{\"error\": {\"message\": \"a secret reason\"}}");
    bench.wait_bytes(0, b"\x1b]777;notify;benchtop;1 run failed\x1b\\\x07");
}

#[test]
fn the_bell_alone_is_rung_where_that_is_wanted_or_nothing_more_is_known() {
    for (config, term) in [("title = false\nnotify = \"bell\"\n", "xterm-kitty"), ("title = false\n", "xterm")] {
        let mut bench = start(config, &[("TERM", term)]);
        let before = bench.bytes.len();
        embed(&mut bench);
        bench.wait_bytes(before, b"\x07");
        bench.send("\x11");
        assert_eq!(bench.ended(), 0);
        let text = String::from_utf8_lossy(&bench.bytes);
        assert_eq!(text.matches('\x07').count(), 1);
        assert!(!text.contains("\x1b]2;") && !text.contains("1 run ended"));
    }
}

#[test]
fn nothing_is_told_where_it_is_off_or_the_window_has_the_focus() {
    for (config, back) in [("title = false\nnotify = \"off\"\n", ""), ("title = false\n", "\x1b[I")] {
        let mut bench = start(config, &[("TERM", "xterm-kitty")]);
        embed(&mut bench);
        bench.send(back);
        bench.wait("1 text embedded");
        bench.send("\x11");
        assert_eq!(bench.ended(), 0);
        let text = String::from_utf8_lossy(&bench.bytes);
        assert!(!text.contains('\x07') && !text.contains("1 run ended"), "{text:?}");
    }
}

#[test]
fn the_title_says_what_goes_on_and_is_the_former_one_at_the_end() {
    let server = Server::start();
    let mut bench = Bench::start(&["--base-url", &server.url, "--model", "m"]);
    bench.wait("▐1");
    bench.wait_bytes(0, "\x1b]2;benchtop · Chat\x07".as_bytes());
    bench.type_in("A secret question");
    bench.send("\r");
    let mut asked = server.asked();
    asked.open();
    asked.token("A secret answer");
    let before = bench.bytes.len();
    bench.wait_bytes(0, b"\x1b]2;benchtop: 1 answer\x07");
    asked.finish();
    bench.wait_bytes(before, "\x1b]2;benchtop · Chat\x07".as_bytes());
    bench.send("\x11");
    assert_eq!(bench.ended(), 0);
    bench.assert_whole();
    let text = String::from_utf8_lossy(&bench.bytes).into_owned();
    assert!(text.split("\x1b]2;").skip(1).all(|title| !title.split('\x07').next().unwrap().contains("secret")));
}

#[test]
#[cfg(target_os = "linux")]
fn a_change_of_the_focus_writes_nothing_and_the_program_rests() {
    let mut bench = start("", &[("TERM", "xterm-kitty")]);
    bench.rest();
    bench.text();
    let before = bench.bytes.len();
    for report in ["\x1b[O", "\x1b[I"] {
        bench.send(report);
        bench.rest();
    }
    bench.text();
    assert_eq!(String::from_utf8_lossy(&bench.bytes[before..]), "");
}
