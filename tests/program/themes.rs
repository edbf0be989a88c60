//! Themes of the user's own: files beside the config.

use tempfile::TempDir;
use vt100::Color;

use crate::common::{Bench, COLOURS, Setup};
use crate::until;

const MINE: &str = "ground = \"#301020\"\npanel = \"#402030\"\n";
/// Row and column of a cell in the middle of the main pane, and of one in the footer.
const MAIN: (u16, u16) = (20, 70);
const FOOTER: (u16, u16) = (35, 119);

/// Creates a home with a theme.
fn home() -> TempDir {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".config/benchtop/themes");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("mine.toml"), MINE).unwrap();
    home
}

fn start(args: &[&str], home: TempDir) -> Bench {
    let env = &[COLOURS, ("COLORTERM", "truecolor")];
    let mut bench =
        Bench::with(Setup { args: &[&["--local"], args].concat(), env, home: Some(home), ..Setup::default() });
    bench.wait("Ask a language model");
    bench
}

/// Waits until the main pane and the footer have these backgrounds.
fn wait(bench: &mut Bench, main: Color, footer: Color) {
    while [MAIN, FOOTER].map(|(row, column)| bench.screen().cell(row, column).unwrap().bgcolor()) != [main, footer] {
        let before = bench.bytes.len();
        bench.wait_bytes(before, b"m");
    }
}

const COLOURS_OF_MINE: (Color, Color) = (Color::Rgb(0x30, 0x10, 0x20), Color::Rgb(0x40, 0x20, 0x30));

#[test]
fn a_theme_of_a_file_is_named_by_a_flag_and_paints_its_ground() {
    let mut bench = start(&["--theme", "mine"], home());
    wait(&mut bench, COLOURS_OF_MINE.0, COLOURS_OF_MINE.1);
}

#[test]
fn a_theme_that_was_chosen_is_in_the_config_file_and_holds_at_the_next_start() {
    let mut bench = start(&["--theme", "light"], home());
    bench.send("\x10");
    bench.wait("Commands");
    bench.type_in("theme: choose");
    bench.send("\r");
    bench.wait("automatic");
    bench.type_in("mine");
    let config = bench.home.path().join(".config/benchtop/config.toml");
    assert!(!config.exists(), "a theme that is only shown is not kept");
    bench.send("\r");
    let text = until("the choice is in the config file", || std::fs::read_to_string(&config).ok());
    assert_eq!(text, "theme = \"mine\"\n");
    bench.send("\x11");
    assert_eq!(bench.ended(), 0);
    let mut bench = start(&[], bench.into_home());
    wait(&mut bench, COLOURS_OF_MINE.0, COLOURS_OF_MINE.1);
    bench.wait_bytes(0, b"\x1b]11;?");
    bench.send("\x1b]11;rgb:fafa/fafa/fafa\x1b\\");
    bench.wait_bytes(0, b"\x1b[?u");
    bench.send("\x1b[?62c");
    bench.type_in("hello");
    // Its background is its own.
    wait(&mut bench, COLOURS_OF_MINE.0, COLOURS_OF_MINE.1);
}
