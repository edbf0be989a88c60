//! benchtop in a real terminal: it opens, it answers, and the terminal is whole after every end.
#![cfg(unix)]
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{Bench, Setup};
use rustix::process::Signal;

const READY: &str = "▐1";

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
        bench.wait(READY);
        // The screen is there before the signals are asked for: the title is set after both.
        bench.wait_bytes(0, "benchtop · ".as_bytes());
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
        assert!(bench.text().contains("what was shown as saved is saved"), "{}", bench.text());
    }
}

#[test]
fn a_task_that_panics_is_said_and_the_rest_goes_on() {
    let mut bench = Bench::start(&["selfcheck", "task"]);
    bench.wait("something inside benchtop failed");
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
    bench.signal(Signal::CONT);
    bench.wait("was suspended for");
    assert!(bench.screen().alternate_screen());
    bench.send("\x11");
    assert_eq!(bench.ended(), 0);
    bench.assert_whole();
}

#[test]
fn a_terminal_that_is_gone_is_noticed() {
    let mut bench = Bench::start(&[]);
    bench.wait(READY);
    bench.wait_bytes(0, "benchtop · ".as_bytes());
    bench.hang_up();
    assert_eq!(bench.ended(), 129);
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
    let mut bench = Bench::start(&[]);
    bench.wait(READY);
    bench.wait_bytes(0, b"\x1b]11;?");
    bench.send("\x1b]11;rgb:ffff/ffff/ffff\x1b\\");
    // It is asked for its keyboard next; it has no such thing.
    bench.wait_bytes(0, b"\x1b[?u");
    bench.send("\x1b[?62c");
    bench.send("\x10");
    let text = bench.wait("─ Commands");
    assert!(!text.contains("rgb:"), "{text}");
}
