//! The program itself, with its flags, its environment and its children: what reaches the terminal, other programs and
//! the files it leaves.
#![cfg(unix)]
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::print_stderr, clippy::expect_used)]

mod adapting;
mod ascii;
mod bindings;
mod children;
#[path = "../common/mod.rs"]
mod common;
mod copy;
mod costs;
mod cursor;
mod fields;
mod flags;
mod keyboard;
mod keyring;
mod log;
mod memory;
mod pager;
mod params;
mod probe;
mod profile_tests;
mod secrets;
mod serve;
#[cfg(target_os = "linux")]
mod starting;
mod surfaces;
mod themes;
#[path = "../common/tls.rs"]
mod tls;
mod tools;
mod window;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use common::server::{Asked, Server};
use common::{Bench, LIMIT, Setup};
use tempfile::TempDir;

/// Waits until `found` finds something.
fn until<T>(what: &str, found: impl Fn() -> Option<T>) -> T {
    let end = Instant::now() + LIMIT;
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(Instant::now() < end, "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Returns the words of the screen, without borders and line breaks.
fn words(text: &str) -> String {
    let plain = text.replace(|c| ('\u{2500}'..='\u{257f}').contains(&c), " ");
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Writes a shell script of this name into `home`/bin; returns that directory.
fn script(home: &Path, name: &str, text: &str) -> PathBuf {
    let bin = home.join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    std::fs::write(bin.join(name), format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(bin.join(name), PermissionsExt::from_mode(0o700)).unwrap();
    bin
}

/// Returns a search path that begins with this directory.
fn path(bin: &Path) -> String {
    format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default())
}

/// Starts a bench in this home with this text as its config file.
fn configured(home: TempDir, config: &str, env: &[(&str, &str)]) -> Bench {
    let file = home.path().join("config.toml");
    std::fs::write(&file, config).unwrap();
    let args = ["--config", file.to_str().unwrap()];
    let mut bench = Bench::with(Setup { args: &args, env, home: Some(home), ..Setup::default() });
    bench.wait("▐1");
    bench
}

/// Asks, and gets this answer, whole.
fn talk(bench: &mut Bench, server: &Server, prompt: &str, text: &str) {
    bench.type_in(prompt);
    bench.send("\r");
    answer(bench, server.asked(), text);
}

/// Answers with this text, and waits until the answer has ended and is saved.
fn answer(bench: &mut Bench, mut asked: Asked, text: &str) {
    let messages = asked.body["messages"].as_array().map_or(0, Vec::len) + 1;
    asked.open();
    asked.token(text);
    asked.finish();
    let saved = format!("{messages} messages · saved ✓");
    bench.until(&saved, |text| text.contains(&saved) && !text.contains("esc stop"));
}
