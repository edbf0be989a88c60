//! A terminal that can tell Shift+Enter from Enter (kitty protocol) is asked to, whatever its colours are.

use vt100::Color;

use crate::bindings::type_two_lines;
use crate::common::{Bench, COLOURS, Setup};

/// Row and column of a cell in the middle of the main pane.
const MAIN: (u16, u16) = (20, 70);

/// Starts in a terminal with a dark background that knows the protocol.
fn start(args: &[&str], env: &[(&str, &str)]) -> Bench {
    let mut bench = Bench::with(Setup { args: &[&["--local"], args].concat(), env, ..Setup::default() });
    bench.wait("Ask a language model");
    bench.wait_bytes(0, b"\x1b]11;?");
    bench.send("\x1b]11;rgb:2828/2a2a/3636\x1b\\");
    bench.wait_bytes(0, b"\x1b[?u");
    bench.send("\x1b[?0u\x1b[?62c");
    bench.wait_bytes(0, b"\x1b[>1u");
    bench
}

#[test]
fn shift_enter_is_a_newline_without_colours_and_with_a_theme_of_the_users() {
    let works = |args: &[&str], env: &[(&str, &str)]| {
        let mut bench = start(args, env);
        type_two_lines(&mut bench, "\x1b[13;2u");
    };
    works(&[], &[]);
    works(&[], &[COLOURS]);
    works(&[], &[COLOURS, ("NO_COLOR", "1")]);
    works(&["--theme", "dark"], &[COLOURS]);
}

#[test]
fn a_theme_that_is_set_keeps_its_background_whatever_the_terminal_tells() {
    let mut bench = start(&["--theme", "dark"], &[COLOURS]);
    // A frame that is drawn after the answer.
    bench.type_in("hello");
    assert_ne!(bench.screen().cell(MAIN.0, MAIN.1).unwrap().bgcolor(), Color::Default);
}
