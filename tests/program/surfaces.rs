//! Backgrounds in a terminal with more than 16 colours, which is asked for its own.

use std::time::{Duration, Instant};

use vt100::Color;

use crate::common::{Bench, COLOURS, LIMIT, Setup};

/// Returns the background of a cell.
fn background(bench: &Bench, (row, column): (u16, u16)) -> Color {
    bench.screen().cell(row, column).unwrap().bgcolor()
}

/// Waits until the main pane and the footer have such backgrounds.
fn wait(bench: &mut Bench, is_right: fn(main: Color, footer: Color) -> bool) {
    let end = Instant::now() + LIMIT;
    loop {
        let (main, footer) = (background(bench, MAIN), background(bench, FOOTER));
        if is_right(main, footer) {
            return;
        }
        assert!(Instant::now() < end, "never: {main:?}, {footer:?}");
        bench.text();
        bench.pause(Duration::from_millis(5));
    }
}

/// Returns the background's lightness; `None`: the terminal's own.
fn lightness(colour: Color) -> Option<u8> {
    match colour {
        Color::Default => None,
        Color::Idx(index @ 232..) => Some(8 + 10 * (index - 232)),
        Color::Idx(index) => panic!("no grey: {index}"),
        Color::Rgb(_, green, _) => Some(green),
    }
}

/// Row and column of a cell in the middle of the main pane, and of one in the footer.
const MAIN: (u16, u16) = (20, 70);
const FOOTER: (u16, u16) = (35, 119);

fn start(env: &[(&str, &str)]) -> Bench {
    let mut bench = Bench::with(Setup { args: &["--local"], env, ..Setup::default() });
    bench.wait("Ask a language model");
    bench.wait_bytes(0, b"\x1b]11;?");
    bench
}

#[test]
fn surfaces_are_mixed_from_the_background_that_the_terminal_tells() {
    for (answer, is_dark) in [("2828/2a2a/3636", true), ("fdfd/f6f6/e3e3", false)] {
        for env in [&[COLOURS][..], &[COLOURS, ("COLORTERM", "truecolor")]] {
            let mut bench = start(env);
            bench.send(&format!("\x1b]11;rgb:{answer}\x1b\\"));
            bench.wait_bytes(0, b"\x1b[?u");
            bench.send("\x1b[?62c");
            // Until the answer comes, the theme has a background of its own.
            wait(&mut bench, |main, footer| main == Color::Default && footer != Color::Default);
            let footer = lightness(background(&bench, FOOTER)).unwrap();
            assert_eq!(footer < 128, is_dark, "{answer} {env:?}: {footer}");
            for tab in ["2", "3", "4", "5", "6"] {
                bench.send(&format!("\x1b{tab}"));
            }
            bench.wait_bytes(0, "benchtop · Tune".as_bytes());
            bench.send("\x11");
            assert_eq!(bench.ended(), 0);
        }
    }
}

#[test]
fn without_an_answer_the_theme_has_a_background_of_its_own() {
    let mut bench = start(&[COLOURS]);
    wait(&mut bench, |main, footer| main != Color::Default && footer != Color::Default);
    let [main, footer] = [MAIN, FOOTER].map(|cell| lightness(background(&bench, cell)).unwrap());
    assert!(main < 60 && footer > main, "{main} {footer}");
    // An answer that comes late counts all the same.
    bench.send("\x1b]11;rgb:fafa/fafa/fafa\x1b\\");
    bench.wait_bytes(0, b"\x1b[?u");
    bench.send("\x1b[?62c");
    wait(&mut bench, |main, footer| main == Color::Default && lightness(footer).is_some_and(|light| light > 128));
}
