//! The program itself, with its flags, its environment and its children: what reaches the terminal, other programs and
//! the files it leaves.
#![cfg(unix)]
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::print_stderr, clippy::expect_used)]

mod adapting;
mod children;
#[path = "../common/mod.rs"]
mod common;
mod copy;
mod costs;
mod cursor;
mod fields;
mod flags;
mod log;
mod memory;
mod params;
mod secrets;
mod serve;
#[cfg(target_os = "linux")]
mod starting;
mod surfaces;
mod tools;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use common::server::Server;
use common::{Bench, LIMIT};

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

/// Asks, and gets this answer, whole.
fn talk(bench: &mut Bench, server: &Server, prompt: &str, answer: &str) {
    bench.type_in(prompt);
    bench.send("\r");
    let mut asked = server.asked();
    asked.open();
    asked.token(answer);
    asked.finish();
    bench.until("saved ✓", |text| text.contains("2 messages · saved ✓") && !text.contains("esc stop"));
}
