//! The commands, run as a shell runs them: what they print and where, what they store, how they exit.
#![cfg(unix)]
#![allow(unreachable_pub, missing_docs, dead_code, clippy::unwrap_used, clippy::expect_used)]

mod chat;
#[path = "../common/mod.rs"]
mod common;
mod doctor;
mod embed;
mod export;
mod files;
mod moderate;
mod plain;
mod schema;
mod scripted;
mod settings;
mod shell;
mod shells;
mod text_server;
mod tune;

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::LIMIT;
use tempfile::TempDir;

/// A home for commands: they see nothing else of this machine.
pub struct Home(TempDir);

impl Default for Home {
    fn default() -> Self {
        Self::new()
    }
}

/// What a command printed, and its exit status.
#[derive(Debug, PartialEq, Eq)]
pub struct Ran {
    pub status: i32,
    pub out: String,
    pub errors: String,
}

impl Home {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Returns the data directory.
    pub fn data(&self) -> PathBuf {
        self.path().join("data")
    }

    /// Writes the config file.
    pub fn config(&self, text: &str) {
        std::fs::create_dir_all(self.path().join(".config/benchtop")).unwrap();
        std::fs::write(self.path().join(".config/benchtop/config.toml"), text).unwrap();
    }

    /// Prepares a command; its streams are pipes.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = common::program();
        command.args(args).arg("--data-dir").arg(self.data());
        command.env_clear().env("HOME", self.path()).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.current_dir(self.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Starts a command with this on its standard input, which is closed after it.
    pub fn start(&self, args: &[&str], input: &str) -> Running {
        let mut child = self.command(args).spawn().unwrap();
        // A command that does not read it may be gone by now.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        Running(child)
    }

    /// Runs a command to its end, without anything on its standard input.
    pub fn run(&self, args: &[&str]) -> Ran {
        self.start(args, "").end()
    }
}

/// A command that runs. Dropping it kills it.
pub struct Running(Child);

impl Running {
    pub fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Sends a signal.
    pub fn signal(&self, signal: rustix::process::Signal) {
        rustix::process::kill_process(rustix::process::Pid::from_raw(self.0.id() as i32).unwrap(), signal).unwrap();
    }

    /// Reads standard output until this is there.
    pub fn read_until(&mut self, wanted: &str) -> String {
        let out = self.0.stdout.as_mut().unwrap();
        let (mut read, mut byte) = (Vec::new(), [0]);
        while !String::from_utf8_lossy(&read).contains(wanted) {
            assert_eq!(out.read(&mut byte).unwrap(), 1, "it ended: {}", String::from_utf8_lossy(&read));
            read.push(byte[0]);
        }
        String::from_utf8(read).unwrap()
    }

    /// Closes standard output.
    pub fn close_output(&mut self) {
        drop(self.0.stdout.take());
    }

    /// Waits for its end.
    pub fn end(mut self) -> Ran {
        let errors = self.0.stderr.take().unwrap();
        let errors = std::thread::spawn(move || read_all(errors));
        let out = self.0.stdout.take().map_or_else(String::new, read_all);
        Ran { status: self.status(), out, errors: errors.join().unwrap() }
    }

    /// Waits for its end, and reads nothing of its output meanwhile. Returns its exit status.
    pub fn end_unread(mut self) -> i32 {
        self.status()
    }

    fn status(&mut self) -> i32 {
        let end = Instant::now() + LIMIT;
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status.code().unwrap_or(-1);
            }
            assert!(Instant::now() < end, "it does not end");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn read_all(mut stream: impl std::io::Read) -> String {
    let mut text = Vec::new();
    stream.read_to_end(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}
