//! Each flag of the command line, and what is remembered without one.

use std::collections::BTreeSet;
use std::path::PathBuf;

use benchtop::settings::{THEMES, theme_files};
use benchtop::ui::theme::{Kind, ROLES};
use tempfile::TempDir;

use crate::common::server::Server;
use crate::common::{Bench, COLOURS, Setup};
use crate::talk;

/// Creates a home with its config file at the usual path.
fn home(config: &str) -> TempDir {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join(".config/benchtop");
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("config.toml"), config).unwrap();
    home
}

/// Returns the config of two profiles, with `one` in use.
fn two(one: &Server, two: &Server) -> String {
    let profile =
        |name: &str, url: &str| format!("[profiles.{name}]\nbase_url = \"{url}\"\nmodel = \"{name}-model\"\n");
    format!("profile = \"one\"\n{}{}", profile("one", &one.url), profile("two", &two.url))
}

fn start(args: &[&str], env: &[(&str, &str)], home: TempDir) -> Bench {
    let mut bench = Bench::with(Setup { args, env, home: Some(home), ..Setup::default() });
    bench.wait("▐1");
    bench
}

fn quit(mut bench: Bench) -> TempDir {
    bench.send("\x11");
    assert_eq!(bench.ended(), 0);
    bench.into_home()
}

#[test]
fn profile_model_base_url_and_local_name_the_server() {
    let (one, other) = (Server::start(), Server::start());
    let config = two(&one, &other);
    let env = [("OPENAI_API_KEY", "sk-test-0123456789"), ("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")];
    let host = other.url.trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    for (args, env, header, server, model) in [
        (vec![], &[][..], "● one · one-model".to_owned(), Some(&one), "one-model"),
        (vec!["--profile", "two"], &env[..], "● two · two-model".into(), Some(&other), "two-model"),
        (vec!["--profile", "two", "--model", "m2"], &[], "● two · m2".into(), Some(&other), "m2"),
        (vec!["--base-url", &other.url, "--model", "m3"], &env, format!("● {host} · m3"), Some(&other), "m3"),
        (vec!["--local"], &env, "● local".into(), None, ""),
    ] {
        let mut bench = start(&args, env, home(&config));
        bench.wait(&header);
        let Some(server) = server else { continue };
        bench.type_in("Which one?");
        bench.send("\r");
        let asked = server.asked();
        assert_eq!(asked.body["model"], model, "{args:?}");
    }
}

#[test]
fn what_was_chosen_is_chosen_again_at_the_next_start() {
    let (one, other) = (Server::start(), Server::start());
    let mut bench = start(&[], &[], home(&two(&one, &other)));
    bench.wait("● one · one-model");
    bench.send("\x10");
    bench.wait("─ Commands");
    bench.send("profile: two");
    bench.wait("Profile: two");
    bench.send("\r");
    bench.wait("● two · two-model");
    bench.send("\x1b");
    bench.send("m");
    bench.wait("auto");
    bench.send("auto");
    bench.send("\r");
    bench.wait("● two · auto");
    let config = bench.home.path().join(".config/benchtop/config.toml");
    let chosen = || {
        let text = std::fs::read_to_string(&config).unwrap();
        (text.contains("profile = \"two\"") && text.contains("model = \"auto\"")).then_some(())
    };
    crate::until("the choice is in the config file", chosen);
    let mut bench = start(&[], &[], quit(bench));
    bench.wait("● two · auto");
    // A flag holds for one run.
    let home = quit(bench);
    let bench = start(&["--profile", "one"], &[], home);
    let mut bench = start(&[], &[], quit(bench));
    bench.wait("● two · auto");
    bench.type_in("Again");
    bench.send("\r");
    assert_eq!(other.asked().body["model"], "auto");
}

/// Returns the colours that a run sets: the parameters of its SGR sequences that are colours.
fn colours(theme: &str) -> BTreeSet<String> {
    let setup = Setup { args: &["--theme", theme, "--local"], env: &[COLOURS], ..Setup::default() };
    let mut bench = Bench::with(setup);
    bench.wait_bytes(0, "benchtop · ".as_bytes());
    bench.send("\x11");
    assert_eq!(bench.ended(), 0);
    let text = String::from_utf8_lossy(&bench.bytes).into_owned();
    let sequences = text.split("\x1b[").filter_map(|rest| rest.split_once('m')).map(|(inside, _)| inside.to_owned());
    let sgr = sequences.filter(|inside| inside.bytes().all(|byte| byte.is_ascii_digit() || byte == b';'));
    let colour = |sgr: &String| {
        let numbers: Vec<u32> = sgr.split(';').filter_map(|number| number.parse().ok()).collect();
        numbers.first().is_some_and(|first| matches!(first, 30..=38 | 40..=48 | 90..=97 | 100..=107))
    };
    sgr.filter(colour).collect()
}

#[test]
fn a_theme_is_its_own_colours_and_mono_has_none() {
    assert_eq!(THEMES, Kind::ALL.map(Kind::name));
    assert_eq!(theme_files::ROLES, ROLES);
    let with_surfaces = Kind::ALL.into_iter().filter(|kind| kind.has_surfaces()).map(Kind::name);
    assert_eq!(theme_files::BASES.to_vec(), with_surfaces.collect::<Vec<_>>());
    let [dark, light, warm, contrast, ansi, mono] = THEMES.map(colours);
    assert!(mono.is_empty(), "{mono:?}");
    let all = [&dark, &light, &warm, &contrast, &ansi];
    assert!((1..all.len()).all(|at| !all[..at].contains(&all[at])), "{all:?}");
    let sixteen = |sgr: &String| {
        let indexed = sgr.split("8;5;").skip(1).filter_map(|rest| rest.split(';').next()?.parse::<u8>().ok());
        indexed.max().is_none_or(|most| most < 16)
    };
    assert!(ansi.iter().all(sixteen), "only the terminal's own: {ansi:?}");
    assert!(all[..4].iter().all(|theme| !theme.iter().all(sixteen)));
}

#[test]
fn config_and_data_dir_are_the_ones_named() {
    let (one, other) = (Server::start(), Server::start());
    let home = home("profile = \"nowhere\"\n");
    let config = home.path().join("elsewhere.toml");
    std::fs::write(&config, two(&one, &other)).unwrap();
    let data: PathBuf = home.path().join("deep/data");
    let args = ["--config", config.to_str().unwrap(), "--data-dir", data.to_str().unwrap()];
    let mut bench = start(&args, &[], home);
    bench.wait("● one · one-model");
    talk(&mut bench, &one, "Keep this", "Kept.");
    let home = quit(bench);
    assert!(data.join("benchtop.db").exists() && data.join("logs").is_dir());
    assert!(!home.path().join(".local").exists(), "nothing is kept anywhere else");
    start(&args, &[], home).wait("Kept.");
}

#[test]
fn the_mouse_is_switched_off_and_on() {
    let mut bench = start(&["--local"], &[], tempfile::tempdir().unwrap());
    for expected in ["\x1b[?1000l", "\x1b[?1000h", "\x1b[?1000l"] {
        let before = bench.bytes.len();
        bench.send("\x1bOQ");
        bench.wait_bytes(before, expected.as_bytes());
    }
    bench.text();
    assert_eq!(bench.screen().mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    bench.send("\x11");
    assert_eq!(bench.ended(), 0);
}

/// Runs the program without a terminal; returns its status and standard error.
fn said(args: &[&str], env: &[(&str, &str)], home: &std::path::Path) -> (Option<i32>, String) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_benchtop"));
    command.args(args).env_clear().env("HOME", home).env("TERM", "xterm-256color").envs(env.iter().copied());
    let output = command.stdin(std::process::Stdio::null()).output().unwrap();
    assert!(output.stdout.is_empty(), "the screen is not opened");
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn what_cannot_be_used_ends_the_start_with_a_sentence() {
    let home = home("[profiles.work]\nbase_url = \"http://127.0.0.1:9/v1\"\n");
    for (args, env, parts) in [
        (&["--base-url", "127.0.0.1:8080"][..], &[][..], &["benchtop: --base-url: ", "https://host/v1"][..]),
        (&["--profile", "work", "--base-url", "http://"], &[], &["benchtop: --base-url: ", "has no host"]),
        (&["--local"], &[], &["benchtop needs a terminal", "`benchtop --plain`", "`benchtop chat`"]),
        (&["--profile", "nosuch"], &[], &["no profile nosuch in ", "config.toml; choose from: local, work"]),
        (&["--config", "/nonexistent"], &[], &["benchtop: --config: /nonexistent cannot be read: "]),
        (&[], &[("OPENAI_BASE_URL", "host\u{1b}[31m")], &["benchtop: OPENAI_BASE_URL: ", "does not begin with http"]),
        (&["--profile", "\u{1b}]0;x\u{7}"], &[], &["no profile ␛]0;x␇ in "]),
        (&["--theme", "\u{1b}pink"], &[], &["benchtop: --theme: there is no theme ␛pink; choose from: dark, light, "]),
        (
            &["--theme", "../themes/mine"],
            &[],
            &["benchtop: --theme: a theme is named without a path; put its file into "],
        ),
    ] {
        let (status, said) = said(args, env, home.path());
        assert_eq!(status, Some(2), "{said}");
        assert!(parts.iter().all(|part| said.contains(part)), "{parts:?}: {said}");
        assert!(said.ends_with('\n') && said.trim_end().chars().all(|c| !c.is_control()), "{said:?}");
    }
}

#[test]
fn a_base_url_beside_a_profile_is_the_one_that_is_called() {
    let (one, other) = (Server::start(), Server::start());
    let mut bench = start(&["--profile", "one", "--base-url", &other.url], &[], home(&two(&one, &other)));
    bench.wait("● one · one-model");
    bench.type_in("Which one?");
    bench.send("\r");
    assert_eq!(other.asked().body["model"], "one-model");
}

#[test]
fn mistakes_on_the_command_line_are_told_without_control_characters() {
    use std::os::unix::ffi::OsStringExt as _;
    let home = tempfile::tempdir().unwrap();
    for args in [
        &["selfcheck", "\u{1b}[31mpink"][..],
        &["--\u{1b}[2J"],
        &["\u{1b}]0;title\u{7}"],
        &["serve", "--port", "\u{9b}1"],
    ] {
        let (status, text) = said(args, &[], home.path());
        assert_eq!(status, Some(2), "{text}");
        assert!(text.contains('␛') || text.contains('⟨'), "{text:?}");
        assert!(text.chars().all(|c| !c.is_control() || c == '\n'), "{text:?}");
        assert!(text.starts_with("error: ") && text.lines().count() > 2, "the layout is clap's: {text}");
    }
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_benchtop"));
    let odd = std::ffi::OsString::from_vec(b"--model=\xff\x1b[31m".to_vec());
    let output = command.arg(odd).env("HOME", home.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(!output.stderr.contains(&0x1b), "{:?}", String::from_utf8_lossy(&output.stderr));
}

#[test]
#[cfg(target_os = "linux")]
fn help_that_cannot_be_written_has_the_status_for_it() {
    for flag in ["--help", "--version"] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output =
            std::process::Command::new(env!("CARGO_BIN_EXE_benchtop")).arg(flag).stdout(full).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(7), "{said}");
        assert!(said.starts_with("benchtop: the result could not be written: "), "{said}");
    }
}

#[test]
fn mistakes_have_colours_on_a_terminal_unless_none_are_wanted() {
    for (env, coloured) in [(&[][..], true), (&[("NO_COLOR", "1")], false)] {
        let mut bench = Bench::with(Setup { args: &["selfcheck", "\u{7}pink"], env, ..Setup::default() });
        bench.wait("␇pink");
        assert_eq!(bench.ended(), 2);
        assert_eq!(bench.bytes.contains(&0x1b), coloured, "{:?}", String::from_utf8_lossy(&bench.bytes));
        assert!(!bench.bytes.contains(&0x07));
    }
}

#[test]
fn a_config_that_is_a_pipe_holds_nothing_up() {
    let home = home("");
    let config = home.path().join(".config/benchtop/config.toml");
    std::fs::remove_file(&config).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&config).status().unwrap().success());
    let mut bench = start(&["--local"], &[], home);
    bench.wait("default");
    quit(bench);
}
