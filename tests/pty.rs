//! benchtop in a real terminal: it opens, it answers, and the terminal is whole after every end.
#![cfg(unix)]
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use common::kept::texts;
use common::server::Server;
use common::{Bench, COLOURS, Setup};

const READY: &str = "▐1";

/// Waits until `fits` says yes.
fn until(what: &str, fits: impl Fn() -> bool) {
    let end = Instant::now() + common::LIMIT;
    while !fits() {
        assert!(Instant::now() < end, "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Puts the window's title aside, and takes it back.
const PUSH: &str = "\x1b[22;2t";
const POP: &str = "\x1b[23;2t";

/// Counts how often `wanted` was written.
fn count(bench: &Bench, wanted: &str) -> usize {
    String::from_utf8_lossy(&bench.bytes).matches(wanted).count()
}

/// How an editor and the program over it end.
#[derive(Clone, Copy, PartialEq)]
enum Ending {
    /// The editor by itself, the program later.
    Editor,
    /// Both by a signal to the program.
    Signal,
    /// The same, but the editor does not listen.
    Deaf,
}

/// Creates an editor that creates a file `begun` when it has started, and ends with a text of its own once there is a
/// file `go`.
fn editor(home: &Path, ending: Ending) -> String {
    let script = home.join("editor");
    let deaf = if ending == Ending::Deaf { "trap '' TERM" } else { "" };
    let text = "printf '\\033[?1049hAN EDITOR'\ntouch \"$HOME/begun\"\n\
                while [ ! -e \"$HOME/go\" ]; do sleep 0.02; done\nprintf '\\033[?1049l'\nprintf edited > \"$1\"\n";
    std::fs::write(&script, format!("#!/bin/sh\n{deaf}\n{text}")).unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    script.to_str().unwrap().to_owned()
}

#[test]
fn it_opens_and_quits_and_the_terminal_is_whole() {
    let mut bench = Bench::start(&[]);
    bench.wait(READY);
    bench.send("\x11");
    assert_eq!(bench.ended(), 0);
    bench.assert_whole();
}

#[test]
fn signals_end_it_with_their_status() {
    for (signal, status) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::INT, 130), (Signal::QUIT, 131)] {
        let mut bench = Bench::start(&[]);
        // As early as can be: the terminal has just been taken, nothing is drawn yet.
        bench.wait_bytes(0, b"\x1b[?1049h");
        bench.signal(signal);
        assert_eq!(bench.ended(), status, "{signal:?}");
        bench.assert_whole();
    }
}

#[test]
fn a_panic_gives_the_terminal_back_and_leaves_its_story() {
    for what in ["screen", "thread"] {
        let mut bench = Bench::start(&["selfcheck", what]);
        assert_eq!(bench.ended(), 70, "{what}");
        bench.assert_whole();
        let stories = bench.files("crash-");
        assert_eq!(stories.len(), 1);
        let story = std::fs::read_to_string(&stories[0]).unwrap();
        assert!(story.contains("a self-check asked for this"), "{story}");
        assert!(bench.text().contains("everything shown as saved is saved"), "{}", bench.text());
    }
}

#[test]
fn a_task_that_panics_is_said_and_the_rest_goes_on() {
    let mut bench = Bench::start(&["selfcheck", "task"]);
    bench.wait("part of benchtop failed");
    bench.send("\x11");
    assert_eq!(bench.ended(), 0);
    bench.assert_whole();
    assert_eq!(bench.files("crash-").len(), 1);
}

#[test]
fn ctrl_z_gives_the_terminal_to_the_shell_and_takes_it_again() {
    let mut bench = Bench::start(&[]);
    bench.wait(READY);
    bench.wait_bytes(0, "benchtop · ".as_bytes());
    let before = bench.bytes.len();
    bench.send("\x1a");
    // The last of what is undone.
    bench.wait_bytes(before, b"\x1b[23;2t");
    let stat = format!("/proc/{}/stat", bench.pid());
    let end = std::time::Instant::now() + common::LIMIT;
    while !std::fs::read_to_string(&stat).unwrap().contains(") T ") {
        assert!(std::time::Instant::now() < end, "not stopped");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    bench.assert_whole();
    let before = bench.bytes.len();
    bench.signal(Signal::CONT);
    bench.wait("was suspended for");
    assert!(bench.screen().alternate_screen());
    bench.wait_bytes(before, "\x1b]2;benchtop · Chat".as_bytes());
    bench.send("\x11");
    assert_eq!(bench.ended(), 0);
    bench.assert_whole();
    assert_eq!(count(&bench, PUSH), count(&bench, POP), "the title before ours is there again");
}

#[test]
fn a_stop_that_nobody_announces_leaves_the_terminal_whole_too() {
    let mut bench = Bench::start(&[]);
    bench.wait(READY);
    bench.wait_bytes(0, "benchtop · ".as_bytes());
    for _ in 0..2 {
        bench.signal(Signal::STOP);
        // As a shell does that takes its terminal back: lines are edited, ^Q is the driver's.
        let stty = std::process::Command::new("stty").arg("-F").arg(bench.device()).arg("sane").status();
        assert!(stty.unwrap().success());
        let before = bench.bytes.len();
        bench.signal(Signal::CONT);
        bench.wait_bytes(before, "\x1b]2;benchtop · Chat".as_bytes());
    }
    bench.send("\x11");
    assert_eq!(bench.ended(), 0);
    bench.assert_whole();
    assert_eq!((count(&bench, PUSH), count(&bench, POP)), (1, 1));
}

#[test]
fn what_was_typed_before_the_store_was_open_is_kept() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    std::fs::create_dir_all(&data).unwrap();
    // As another copy does that checks the store.
    let lock = std::fs::File::create(data.join("benchtop.db.open")).unwrap();
    lock.lock().unwrap();
    let args = ["--data-dir", data.to_str().unwrap()];
    let start = |home| Bench::with(Setup { args: &args, home: Some(home), ..Setup::default() });
    let quit = |bench: &mut Bench| {
        bench.send("\x11");
        bench.wait_bytes(0, b"\x1b[?1049l");
    };
    let mut bench = start(home);
    bench.wait(READY);
    bench.type_in("never kept");
    quit(&mut bench);
    assert_eq!(bench.ended(), 1, "the store is not to be had, and that is no success");
    assert!(bench.text().contains("not everything could be saved"), "{}", bench.text());
    let mut bench = start(bench.into_home());
    bench.wait(READY);
    bench.type_in("kept at the last moment");
    quit(&mut bench);
    lock.unlock().unwrap();
    assert_eq!(bench.ended(), 0);
    start(bench.into_home()).wait("kept at the last moment");
}

#[test]
fn a_terminal_that_is_gone_is_noticed_without_a_signal() {
    for at_rest in [true, false] {
        // Not the controlling terminal: the system says nothing when it goes.
        let mut bench = Bench::with(Setup { controlling: false, ..Setup::default() });
        bench.wait(READY);
        bench.wait_bytes(0, "benchtop · ".as_bytes());
        bench.type_in("half a thought");
        bench.hang_up(at_rest);
        assert_eq!(bench.ended(), 129);
        let mut bench = Bench::with(Setup { home: Some(bench.into_home()), ..Setup::default() });
        bench.wait("half a thought");
    }
}

#[test]
fn a_key_that_cannot_be_had_is_no_lost_connection() {
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join("config.toml");
    let profile = "base_url = \"https://x.example/v1\"\nmodel = \"m\"\napi_key_cmd = \"exit 3\"\n";
    std::fs::write(&config, format!("profile = \"c\"\n[profiles.c]\n{profile}")).unwrap();
    let args = ["--config", config.to_str().unwrap()];
    let mut bench = Bench::with(Setup { args: &args, home: Some(home), ..Setup::default() });
    bench.wait(READY);
    bench.type_in("Hello");
    bench.send("\r");
    let text = bench.wait("key command failed");
    assert!(text.contains("✕ c · no key") && !text.contains("offline"), "{text}");
}

#[test]
fn help_palette_and_sizes() {
    for size in [(120, 36), (80, 24), (40, 12)] {
        let mut bench = Bench::with(Setup { size, ..Setup::default() });
        bench.wait(READY);
        bench.wait_bytes(0, "benchtop · ".as_bytes());
        bench.send("\x1bOP");
        bench.wait("─ Help");
        bench.send("\x1b");
        bench.wait_gone("─ Help");
        bench.send("\x10");
        bench.wait("─ Commands");
        bench.send("tune");
        bench.wait("Go to Tune");
        bench.send("\r");
        bench.wait("Tune▌");
        bench.send("\x11");
        assert_eq!(bench.ended(), 0);
    }
    let mut bench = Bench::with(Setup { size: (34, 8), ..Setup::default() });
    bench.wait("Terminal too small");
    bench.wait("34 × 8");
}

#[test]
fn the_terminals_answer_is_not_typed_text() {
    let mut bench = Bench::with(Setup { env: &[COLOURS], ..Setup::default() });
    bench.wait("1 Chat");
    bench.wait_bytes(0, b"\x1b]11;?");
    bench.send("\x1b]11;rgb:ffff/ffff/ffff\x1b\\");
    // It is asked for its keyboard next; it has no such thing.
    bench.wait_bytes(0, b"\x1b[?u");
    bench.send("\x1b[?62c");
    bench.send("\x10");
    let text = bench.wait("Chat: new conversation");
    assert!(!text.contains("rgb:"), "{text}");
}

#[test]
fn an_answer_goes_on_and_is_kept_while_an_editor_has_the_terminal() {
    for ending in [Ending::Editor, Ending::Signal, Ending::Deaf] {
        let (server, home) = (Server::start(), tempfile::tempdir().unwrap());
        let (editor, root) = (editor(home.path(), ending), home.path().to_owned());
        let data = root.join("data");
        let args = ["--base-url", &server.url, "--model", "auto", "--data-dir", data.to_str().unwrap()];
        let env = [("EDITOR", &*editor)];
        let mut bench = Bench::with(Setup { args: &args, env: &env, home: Some(home), ..Setup::default() });
        bench.wait(READY);
        bench.type_in("Tell me");
        bench.send("\r");
        let mut asked = server.asked();
        asked.open();
        asked.token("alpha");
        bench.wait("alpha");
        bench.send("\x1bOS");
        until("the editor has begun", || root.join("begun").exists());
        bench.wait("AN EDITOR");
        let before = bench.bytes.len();
        asked.token(" beta");
        until("what came meanwhile is in the store", || {
            texts(&data).last().is_some_and(|(role, text)| role == "assistant" && text == "alpha beta")
        });
        bench.text();
        assert_eq!(bench.bytes.len(), before, "nothing is drawn on the editor's screen");
        if ending == Ending::Editor {
            std::fs::write(root.join("go"), "").unwrap();
            bench.wait("edited");
            bench.wait("alpha beta");
            // The answer is still under way.
            bench.wait_bytes(before, b"\x1b]2;benchtop: 1 answer\x07");
            bench.send("\x11");
            assert_eq!(bench.ended(), 0);
        } else {
            bench.signal(Signal::TERM);
            assert_eq!(bench.ended(), 143);
        }
        bench.assert_whole();
    }
}
