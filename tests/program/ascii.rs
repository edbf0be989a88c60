//! With `--ascii` everything on the screen that nobody typed is ASCII.

use crate::common::{Bench, Setup};
use crate::configured;

const TABS: [&str; 6] = ["Chat", "Complete", "Moderate", "Embed", "Files", "Tune"];

#[test]
fn every_tab_the_help_and_the_palette_are_drawn_with_ascii_characters_alone() {
    for size in [(120, 36), (60, 20)] {
        let mut bench = Bench::with(Setup { args: &["--local", "--ascii"], size, ..Setup::default() });
        bench.wait("|1");
        for (number, name) in (1..).zip(TABS) {
            bench.send(&format!("\x1b{number}"));
            bench.wait_bytes(0, format!("\x1b]2;benchtop . {name}\x07").as_bytes());
            bench.wait(&format!("|{number}"));
            bench.send("\x1bOP");
            bench.wait(&format!("Help . {name}"));
            bench.send("\x1bOP");
            bench.wait_gone("Help . ");
            bench.send("\x10");
            bench.wait("Commands");
            bench.send("\x1b");
            bench.wait_gone("Commands");
        }
        let wrong: Vec<&str> =
            std::str::from_utf8(&bench.bytes).unwrap().lines().filter(|line| !line.is_ascii()).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}

#[test]
fn text_is_drawn_as_it_is() {
    let mut bench = Bench::start(&["--local", "--ascii"]);
    bench.wait("|1");
    bench.type_in("naïve 日本 Ελλ ü🙂");
    let strange: String = bench.text().chars().filter(|c| !c.is_ascii()).collect();
    assert_eq!(strange, "ï日本Ελλü🙂");
}

#[test]
fn the_environment_and_the_config_file_ask_for_it_too() {
    let mut bench = Bench::with(Setup { args: &["--local"], env: &[("BENCHTOP_ASCII", "1")], ..Setup::default() });
    bench.wait("|1");
    let file = bench.home.path().join("config.toml");
    std::fs::write(&file, "ascii = true\n").unwrap();
    let args = ["--local", "--config", file.to_str().unwrap()];
    Bench::with(Setup { args: &args, ..Setup::default() }).wait("|1");
    // The environment wins over the file: this waits for the mark that is no ASCII.
    configured(tempfile::tempdir().unwrap(), "ascii = true\n", &[("BENCHTOP_ASCII", "0")]);
}
